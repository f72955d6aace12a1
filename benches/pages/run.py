#!/usr/bin/env python3
"""Runs the checks on pages of the suite with a limit of time, and compares the verdicts with what the pages say is true.

    cargo build --release
    python3 benches/pages/run.py suite/firmware/*.md --timeout 10s

A page holds programs (fenced blocks that begin with `c NAME`) and commands (lines that begin with `$ semper check`). The verdict of a
command is the one that its console block ends with; where it is not run on the page, the first paragraph behind it that begins
with `Holds` or `Violated` says what is true. Printed are the commands that differ, stay undecided or take long, and how many there
are of each kind. The exit status is 1 if a verdict is wrong.
"""
import argparse
import concurrent.futures
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time

FENCE = re.compile(r"^```(\w*) ?(\S*)\n(.*?)^```$", re.M | re.S)
TRUTH = re.compile(r"^(Holds|Violated)\b", re.M)
VERDICT = re.compile(r"^verdict: (\w+)(.*)$", re.M)


def commands(page):
    """The commands of a page: files that are there, words, what is true."""
    text, files = page.read_text(), {}
    fences = list(FENCE.finditer(text))
    for number, fence in enumerate(fences):
        language, name, body = fence.groups()
        if language == "c":
            files[name or "example.c"] = body
            continue
        if language not in ("console", "text"):
            continue
        until = fences[number + 1].start() if number + 1 < len(fences) else len(text)
        said = TRUTH.search(text, fence.end(), until)
        parts = re.split(r"^\$ (semper .*)$", body, flags=re.M)
        for line, output in zip(parts[1::2], parts[2::2]):
            verdicts = VERDICT.findall(output)
            true = verdicts[-1][0] if verdicts else None
            if true in (None, "unknown"):
                true = said.group(1).lower() if said else None
            if line.startswith("semper check") and "--engine none" not in line:
                yield dict(files), line, true


def run(semper, timeout, files, line):
    """The verdict of a command with its reason, and the seconds that it took."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            pathlib.Path(folder, name).write_text(text)
        words = [semper, *shlex.split(line)[1:], "--timeout", timeout]
        start = time.monotonic()
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
        seconds = time.monotonic() - start
    verdicts = VERDICT.findall(done.stdout)
    engine = re.findall(r"^engine: (\w+)", done.stdout, re.M)
    return (*(verdicts[-1] if verdicts else ("none", "")), seconds, engine[-1] if engine else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="+", type=pathlib.Path)
    parser.add_argument("--semper", default="target/release/semper")
    parser.add_argument("--timeout", default="10s")
    parser.add_argument("--long", type=float, default=2.0, help="seconds from which on a check takes long")
    parser.add_argument("-j", "--jobs", type=int, default=1)
    options = parser.parse_args()
    asked = [(page, *command) for page in options.pages for command in commands(page)]
    semper = str(pathlib.Path(options.semper).resolve())
    counts = {"right": 0, "wrong": 0, "undecided": 0, "nothing said": 0}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        answers = pool.map(lambda it: run(semper, options.timeout, it[1], it[2]), asked)
        for (page, _, line, true), (verdict, reason, seconds, engine) in zip(asked, answers):
            if true is None:
                kind = "nothing said"
            elif verdict in ("holds", "violated"):
                kind = "right" if verdict == true else "wrong"
            else:
                kind = "undecided"
            counts[kind] += 1
            if kind != "right" or seconds >= options.long:
                print(f"{kind:9} {seconds:6.1f} s  {page.name}: {line[len('semper '):]}: {verdict}{reason} [{engine}]", flush=True)
    print(", ".join(f"{count} {kind}" for kind, count in counts.items()), f"of {len(asked)}")
    sys.exit(counts["wrong"] > 0)


if __name__ == "__main__":
    main()
