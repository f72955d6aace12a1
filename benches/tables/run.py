#!/usr/bin/env python3
"""Prints Tables 1 and 2 of the paper behind the fairness engine, with Semper's columns beside the paper's, as Markdown.

    python3 benches/tables/run.py                 Table 1, and all toy and real-world tasks
    python3 benches/tables/run.py --table 2       Table 2 with a few tasks of each RERS program
    python3 benches/tables/run.py --table 2 --all Table 2 with all tasks (this takes long)

The tasks are those of the LTL benchmark set: the folder ltl-c below SEMPER_BENCH, or below ../shared/bench seen from the
repository. Only the standard library is used. Semper decides Table 1 with `--engine fairness --integers ideal`, and the RERS
programs with `--engine auto` under machine integers. Tasks run one after the other.
"""

import argparse
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple, Optional

import paper

ROOT = Path(__file__).resolve().parents[2]


class Task(NamedTuple):
    """A task definition of SV-COMP."""

    name: str
    program: Path
    specification: Path
    data_model: str
    expected: str


class Result(NamedTuple):
    """What Semper answered."""

    verdict: str
    reason: Optional[str]
    engine: str
    seconds: float
    processor: float
    finite: Optional[int]
    ranked: Optional[int]
    growth: Optional[float]
    evidence: str


def read_task(path):
    """Reads the few fields of a task definition that are needed here."""
    text = path.read_text(encoding="utf-8")
    field = lambda name: re.search(rf"\b{name}:\s*'?\"?([^'\"\s]+)", text).group(1)
    expected = {"true": "holds", "false": "violated"}[field("expected_verdict").lower()]
    folder = path.parent
    return Task(path.stem, folder / field("input_files"), folder / field("property_file"), field("data_model"), expected)


def run(binary, task, engine, limit):
    """Lets Semper decide a task."""
    integers = "ideal" if engine == "fairness" else "machine"
    command = [binary, "check", task.program, "--spec", task.specification, "--data-model", task.data_model]
    command += ["--engine", engine, "--integers", integers, "--format", "json", "--timeout", f"{limit}s"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    seconds = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    try:
        answer = json.loads(done.stdout)
    except json.JSONDecodeError:
        answer = {"verdict": "failed", "reason": done.stderr.strip().splitlines()[:1] or "no output"}
    figures = answer.get("statistics", {})
    locations, reduced = figures.get("program_locations"), figures.get("reduced_locations")
    return Result(
        verdict=answer["verdict"],
        reason=answer.get("reason"),
        engine=answer.get("engine", ""),
        seconds=seconds,
        processor=processor,
        finite=figures.get("finite_modules"),
        ranked=figures.get("ranked_modules"),
        growth=100 * reduced / locations if locations and reduced is not None else None,
        evidence=answer.get("evidence", {}).get("by", ""),
    )


def shown(value, form="{}"):
    """A cell; nothing where there is no value."""
    return "" if value is None else form.format(value)


def row(cells):
    print("| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |", flush=True)


def heading(cells, left):
    """The two lines that begin a table whose first columns are aligned to the left."""
    row(cells)
    row(["---" if at < left else "--:" for at in range(len(cells))])


def verdict(task, result):
    """The verdict, marked where it is not the expected one."""
    word = result.verdict if result.reason is None else f"unknown ({result.reason})"
    return f"**{word}**" if result.verdict in ("holds", "violated") and result.verdict != task.expected else word


def own(task, result):
    """Our columns."""
    cells = [f"{result.seconds:.2f}", verdict(task, result)]
    return cells + [shown(result.finite), shown(result.ranked), shown(result.growth, "{:.0f}")]


def table_1(tasks, results):
    heading(
        ["program", "property", "paper: s", "result", "r_F", "r_ω", "Inc.", "Semper: s", "result", "r_F", "r_ω", "Inc."], 2
    )
    for it in paper.TABLE_1:
        if it.task not in results:
            continue
        theirs = [shown(it.seconds, "{:.2f}"), it.result, shown(it.finite), shown(it.ranked), shown(it.growth)]
        row([it.program, f"`{it.formula}`", *theirs, *own(tasks[it.task], results[it.task])])


def table_of_tasks(tasks, results):
    heading(["task", "expected", "verdict", "s", "CPU s", "r_F", "r_ω", "Inc."], 3)
    for name, result in results.items():
        task = tasks[name]
        seconds, word, *figures = own(task, result)
        row([name, task.expected, word, seconds, f"{result.processor:.2f}", *figures])
    every = list(results.values())
    decided = [result for result in every if result.verdict in ("holds", "violated")]
    right = sum(result.verdict == tasks[name].expected for name, result in results.items())
    print(
        f"\n{len(every)} tasks: {len(decided)} decided, {right} as labelled; "
        f"median {statistics.median(result.seconds for result in every):.2f} s "
        f"({statistics.median(result.processor for result in every):.2f} s of processor time)"
    )


def table_2(folder, everything, sample, binary, limit):
    heading(
        ["set", "paper: tasks", "holds", "violated", "avg. s", "r_F", "r_ω", "Inc."]
        + ["Semper: tasks", "holds", "violated", "unknown", "avg. s", "r_F", "r_ω", "Inc."],
        1,
    )
    for it in paper.TABLE_2:
        definitions = sorted(folder.glob(it.pattern + ".yml"))
        if not everything and it.name.startswith("RERS") and len(definitions) > sample:
            # Spread over all of them, so that not only the first properties are seen.
            definitions = [definitions[at * len(definitions) // sample] for at in range(sample)]
        tasks = [read_task(path) for path in definitions]
        results = [run(binary, task, it.engine, limit) for task in tasks]
        count = lambda word: sum(result.verdict == word for result in results)
        solved = [result for result in results if result.verdict in ("holds", "violated")]

        def average(name, form):
            values = [getattr(result, name) for result in solved if getattr(result, name) is not None]
            return form.format(statistics.mean(values)) if values else ""

        wrong = [task.name for task, result in zip(tasks, results) if verdict(task, result).startswith("**")]
        theirs = [it.size, it.holds, it.violated, shown(it.seconds, "{:.2f}")]
        theirs += [shown(it.finite), shown(it.ranked), shown(it.growth)]
        ours = [len(results), count("holds"), count("violated"), len(results) - len(solved)]
        ours += [average("seconds", "{:.2f}"), average("finite", "{:.0f}")]
        ours += [average("ranked", "{:.1f}"), average("growth", "{:.0f}")]
        row([it.name, *theirs, *ours])
        if wrong:
            print(f"not as labelled in {it.name}: {', '.join(wrong)}", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", nargs="?", default=str(ROOT / "target/release/semper"), help="the program semper")
    parser.add_argument("--table", type=int, choices=(1, 2), default=1, help="which table")
    parser.add_argument("--timeout", type=int, default=60, metavar="S", help="seconds for each task [60]")
    parser.add_argument("--sample", type=int, default=4, metavar="N", help="tasks of each RERS program in Table 2 [4]")
    parser.add_argument("--all", action="store_true", help="all tasks in Table 2")
    options = parser.parse_args()
    base = os.environ.get("SEMPER_BENCH")
    folder = (Path(base) if base else ROOT.parent / "shared" / "bench") / "ltl-c"
    if not folder.is_dir():
        parser.error(f"there is no folder {folder}: set SEMPER_BENCH to the folder that contains ltl-c")
    if not os.access(options.binary, os.X_OK):
        parser.error(f"{options.binary} cannot be executed: build it with `cargo build --release`, or name another one")
    if options.table == 2:
        table_2(folder, options.all, options.sample, options.binary, options.timeout)
        return
    definitions = sorted(folder.glob("toy/*.yml")) + sorted(folder.glob("realworld/*.yml"))
    tasks = {path.stem: read_task(path) for path in definitions}
    results = {}
    for at, (name, task) in enumerate(tasks.items()):
        if sys.stderr.isatty():
            print(f"\r\033[K{at + 1}/{len(tasks)} {name}", end="", file=sys.stderr, flush=True)
        results[name] = run(options.binary, task, "fairness", options.timeout)
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    table_1(tasks, results)
    print()
    table_of_tasks(tasks, results)


if __name__ == "__main__":
    main()
