#!/usr/bin/env python3
"""Fills the corpora with small texts to begin with: the C programs, formulas, automata and structures of the pages."""

import pathlib
import re

here = pathlib.Path(__file__).resolve().parent
root = here.parent


def blocks(page, words):
    """The fenced blocks of a page that begin with one of these words."""
    for word, body in re.findall(r"^```(\w+)[^\n]*\n(.*?)^```", page, re.MULTILINE | re.DOTALL):
        if word in words:
            yield body


def write(folder, texts):
    target = here / "corpus" / folder
    target.mkdir(parents=True, exist_ok=True)
    for number, text in enumerate(sorted(set(texts))):
        (target / f"seed-{number:03}").write_text(text)
    print(f"{target.relative_to(root)}: {len(set(texts))} seeds")


pages = [path.read_text() for folder in ("suite", "docs") for path in sorted((root / folder).rglob("*.md"))]
programs = [block for page in pages for block in blocks(page, ("c",))]
programs += [path.read_text() for path in sorted((root / "examples").glob("*.c"))]
# Included headers would have to be preprocessed first.
programs = [text for text in programs if "#include" not in text and len(text) < 4000]
formulas = [formula for page in pages for formula in re.findall(r"(?:--(?:ltl|assume)|semper ltl) '([^'\n]+)'", page)]
formulas += [line for page in pages for line in page.splitlines() if line.startswith(("CHECK(", "//@ ltl"))]

write("c", programs)
write("ltl", formulas)
write("hoa", [block for page in pages for block in blocks(page, ("hoa",))])
write("kripke", [block for page in pages for block in blocks(page, ("kripke",))])
