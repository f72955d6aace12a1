"""Reads SV-COMP task definitions: a program, a property file and the expected verdict.

Only the few fields that this benchmark needs are read, so no YAML library is necessary. This module knows nothing of
the tools that are measured.
"""

import fnmatch
import os
import re
from dataclasses import dataclass
from pathlib import Path

PROGRAMS = ("Problem14", "Problem16", "Problem18")

# For each program: properties that hold and need the whole state space (an invariant where the program has one, then
# nested temporal operators and a response), and one that is violated. SPIN's translator manages all of them.
DEFAULT_TASKS = (
    "Problem14_prop_013",  # G !out
    "Problem14_prop_031",  # G (out -> out WU out)
    "Problem14_prop_023",  # G (out & F in -> out U in)
    "Problem14_prop_019",  # G (in -> F out), violated
    "Problem16_prop_031",  # G (out -> out WU in)
    "Problem16_prop_011",  # G (out & F in -> out U in)
    "Problem16_prop_001",  # G (in -> F out)
    "Problem16_prop_019",  # G (in -> F out), violated
    "Problem18_prop_003",  # G !out
    "Problem18_prop_029",  # G (in & F in -> out U in)
    "Problem18_prop_035",  # G (out -> F out)
    "Problem18_prop_037",  # G !out | F (out & F out), violated
)


@dataclass(frozen=True)
class Task:
    """One program with one property."""

    name: str
    program: Path
    specification: Path
    formula: str
    expected: str
    data_model: str

    @property
    def program_name(self):
        return self.program.stem


def default_folder():
    """The folder of the RERS tasks: below SEMPER_BENCH, or below ../shared/bench seen from the repository."""
    root = os.environ.get("SEMPER_BENCH")
    base = Path(root) if root else Path(__file__).resolve().parents[3] / "shared" / "bench"
    return base / "ltl-c" / "eca"


def read_tasks(folder, patterns):
    """The tasks in `folder` whose name matches one of the shell patterns, in the order of the patterns."""
    definitions = {path.stem: path for path in sorted(folder.glob("*.yml"))}
    chosen = []
    for pattern in patterns:
        matching = fnmatch.filter(definitions, pattern)
        if not matching:
            raise SystemExit(f"no task in {folder} matches `{pattern}`")
        chosen += [name for name in matching if name not in chosen]
    return [read_task(definitions[name]) for name in chosen]


def read_task(definition):
    """Reads one `.yml` file and the property file that it names."""
    text = definition.read_text()
    specification = definition.parent / field(text, "property_file", definition)
    check = re.search(r"CHECK\(\s*init\(main\(\)\)\s*,\s*LTL\((.*)\)\s*\)\s*$", specification.read_text().strip(), re.S)
    if check is None:
        raise SystemExit(f"{specification}: not of the form `CHECK( init(main()), LTL( … ) )`")
    return Task(
        name=definition.stem,
        program=definition.parent / field(text, "input_files", definition),
        specification=specification,
        formula=" ".join(check.group(1).split()),
        expected={"true": "holds", "false": "violated"}[field(text, "expected_verdict", definition)],
        data_model=field(text, "data_model", definition),
    )


def field(text, key, definition):
    """The scalar value of `key` in the flat YAML of a task definition."""
    found = re.search(rf"^[\s-]*{key}:\s*'?\"?([^'\"\n]+?)'?\"?\s*$", text, re.M)
    if found is None:
        raise SystemExit(f"{definition}: `{key}` is missing")
    return found.group(1)
