#!/usr/bin/env python3
"""Prints how many lines each crate has: code, comments, tests, blank lines.

    python3 tools/lines.py [--root FOLDER] [--rooms]

Every line of the Rust sources under crates/ counts once:

- *blank*: nothing but white space, wherever it stands;
- *tests*: any other line of a file that only tests are built from (under a folder `tests`, a file `tests.rs`, the file or
  folder of a module declared under `#[cfg(test)]`), and of an item under `#[cfg(test)]` in any other file;
- *comments*: any other line that has no token of the language beside its comment; doc comments are comments;
- *code*: all others.

`--rooms` also lists the folders and files directly under `src` of each crate.
"""

import argparse
import bisect
import pathlib
import re
import sys

KINDS = ("code", "comments", "tests", "blank")

# The pieces of Rust in which `//`, `"` and braces mean something else than they seem to, and everything between them.
TOKEN = re.compile(
    r"""
      (?P<line_comment> //[^\n]* )
    | (?P<block_comment> /\* )
    | (?P<raw> \b(?:b|c)?r(?P<fence>\#*)"  .*? "(?P=fence) )
    | (?P<string> \b[bc]?"(?: \\. | [^"\\] )*" | "(?: \\. | [^"\\] )*" )
    | (?P<character> b?'(?: \\(?: x.. | u\{[^}]*\} | . ) | [^'\\\n] )' )
    | (?P<white> \s+ )
    | (?P<other> \w+ | . )
    """,
    re.VERBOSE | re.DOTALL,
)
TEST_ATTRIBUTE = re.compile(r"#\s*\[\s*cfg\s*\(\s*test\s*\)\s*\]")
TEST_MODULE = re.compile(TEST_ATTRIBUTE.pattern + r"\s*(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)\s*;")


def tokens(text):
    """The tokens and comments of a text: kind, start, end. White space is left out."""
    at = 0
    while at < len(text):
        match = TOKEN.match(text, at)
        kind, end = match.lastgroup, match.end()
        if kind == "fence":
            kind = "raw"
        if kind == "block_comment":
            end = end_of_block_comment(text, at)
        if kind != "white":
            yield kind, at, end
        at = end


def end_of_block_comment(text, at):
    """Where a block comment ends; they nest."""
    depth = 0
    for mark in re.finditer(r"/\*|\*/", text[at:]):
        depth += 1 if mark.group() == "/*" else -1
        if depth == 0:
            return at + mark.end()
    return len(text)


def end_of_item(pieces, index, text):
    """The last token of the item whose attribute begins at a token: its `;`, or the brace that closes its body."""
    depth = 0
    while index < len(pieces):
        kind, start, end = pieces[index]
        word = text[start:end] if kind == "other" else ""
        if word in ("{", "(", "["):
            depth += 1
        elif word in ("}", ")", "]"):
            depth -= 1
            if depth < 0 or (depth == 0 and word == "}"):
                return index
        elif word in (";", ",") and depth == 0:
            return index
        index += 1
    return len(pieces) - 1


def count(text, only_tests=False):
    """The numbers of lines of a source text, by kind."""
    number_of_lines = text.count("\n") + (not text.endswith("\n") and text != "")
    lines = ["blank"] * number_of_lines
    pieces = list(tokens(text))
    line_at = line_numbers(text)

    def mark(start, end, kind):
        for line in range(line_at(start), line_at(end - 1) + 1):
            if lines[line] != "code":
                lines[line] = kind

    for kind, start, end in pieces:
        mark(start, end, "comments" if kind.endswith("comment") else "code")
    # A line inside a string or a comment that has nothing on it is blank all the same.
    for number, line in enumerate(text.split("\n")[:number_of_lines]):
        if not line.strip():
            lines[number] = "blank"
    tested = range(number_of_lines) if only_tests else test_lines(text, pieces, line_at)
    for line in tested:
        if lines[line] != "blank":
            lines[line] = "tests"
    return {kind: lines.count(kind) for kind in KINDS}


def test_lines(text, pieces, line_at):
    """The lines of items under `#[cfg(test)]`."""
    first_token = {start: index for index, (_, start, _) in enumerate(pieces)}
    found = set()
    for match in TEST_ATTRIBUTE.finditer(text):
        index = first_token.get(match.start())
        if index is None:
            continue  # inside a string or a comment
        while pieces[index][1] < match.end():
            index += 1
        last = pieces[end_of_item(pieces, index, text)]
        found.update(range(line_at(match.start()), line_at(last[2] - 1) + 1))
    return found


def line_numbers(text):
    """A function from positions in a text to lines, counted from 0."""
    ends = [match.start() for match in re.finditer("\n", text)]
    return lambda position: bisect.bisect_left(ends, position)


def test_files(sources):
    """Those of the sources that only tests are built from."""
    modules = set()
    for path, text in sources.items():
        inner = path.parent if path.stem in ("mod", "lib", "main") else path.parent / path.stem
        for name in TEST_MODULE.findall(text):
            modules.update((inner / f"{name}.rs", inner / name))
    return {
        path
        for path in sources
        if "tests" in path.parent.parts or path.stem == "tests" or any(part in modules for part in (path, *path.parents))
    }


def measure(folder):
    """The numbers of all files of a crate: path in the crate, numbers by kind."""
    sources = {path.relative_to(folder): path.read_text() for path in sorted(folder.rglob("*.rs"))}
    only_tests = test_files(sources)
    return {path: count(text, path in only_tests) for path, text in sources.items()}


def add(numbers):
    """The sum of numbers by kind."""
    numbers = list(numbers)
    return {kind: sum(each[kind] for each in numbers) for kind in KINDS}


def rooms(files):
    """The numbers by folder or file directly under `src`, and `tests` for all others."""
    found = {}
    for path, numbers in files.items():
        room = path.parts[1] if path.parts[0] == "src" and len(path.parts) > 1 else path.parts[0]
        found.setdefault(room.removesuffix(".rs"), []).append(numbers)
    return {room: add(numbers) for room, numbers in sorted(found.items())}


def main():
    parser = argparse.ArgumentParser(description="Prints how many lines each crate has.")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--rooms", action="store_true", help="also list the folders and files under src")
    options = parser.parse_args()
    crates = sorted(path.parent for path in (options.root / "crates").glob("*/Cargo.toml"))
    if not crates:
        sys.exit(f"there are no crates under {options.root}")

    def row(name, numbers):
        cells = [f"{numbers[kind]:,}" for kind in KINDS] + [f"{sum(numbers.values()):,}"]
        print(f"| {name} | " + " | ".join(cells) + " |")

    print("| crate | " + " | ".join(KINDS) + " | all |")
    print("| --- |" + " ---: |" * (len(KINDS) + 1))
    total = []
    for folder in crates:
        files = measure(folder)
        total.append(add(files.values()))
        row(folder.name, total[-1])
        if options.rooms:
            for room, numbers in rooms(files).items():
                row(f"{folder.name}/{room}", numbers)
    row("all", add(total))


if __name__ == "__main__":
    main()
