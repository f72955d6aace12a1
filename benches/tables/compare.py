#!/usr/bin/env python3
"""Compares two builds of Semper on the same tasks, side by side in one run.

    python3 benches/tables/compare.py BEFORE AFTER                      the toy and real-world tasks, ideal integers
    python3 benches/tables/compare.py BEFORE AFTER --set rers           Problem14, 16 and 18, machine integers
    python3 benches/tables/compare.py BEFORE AFTER --set FOLDER         all tasks below a folder, machine integers

Each task is decided by the one and then by the other, and so on for as many rounds as are asked for; which of them is first
alternates. The least processor time and the least peak memory of a task's rounds count, since others only ever add to them. Printed are
the ratios after : before in the median, the largest ones, and every verdict that differs. Only the standard library is used.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from run import ROOT, read_task

# Ratios of what takes less than this say nothing.
SHORTEST_SECONDS = 0.02


class Measured(NamedTuple):
    """What came of one run."""

    verdict: str
    checked: bool
    seconds: float
    kibibytes: int


def measure(binary, task, arguments):
    """Lets a build decide a task."""
    command = [binary, "check", task.program, "--spec", task.specification, "--data-model", task.data_model]
    command += ["--format", "json", *arguments]
    child = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    output = child.stdout.read()
    _, _, usage = os.wait4(child.pid, 0)
    child.returncode = 0
    try:
        answer = json.loads(output)
    except json.JSONDecodeError:
        answer = {"verdict": "failed"}
    return Measured(
        answer["verdict"], "evidence" in answer, usage.ru_utime + usage.ru_stime, usage.ru_maxrss
    )


def ratios(pairs):
    return sorted((after / before, name) for name, before, after in pairs)


def tell(what, unit, found):
    """Prints the ratios of one quantity."""
    if not found:
        print(f"{what}: nothing takes long enough")
        return
    median = statistics.median(ratio for ratio, _ in found)
    largest = ", ".join(f"{name} {ratio:.2f}" for ratio, name in reversed(found[-3:]))
    print(f"{what}, after : before: {median:.3f} in the median of {len(found)} {unit}; largest: {largest}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", help="the program semper of one build")
    parser.add_argument("after", help="the program semper of another build")
    parser.add_argument("--set", default="papers", help="papers, rers, or a folder with task definitions [papers]")
    parser.add_argument("--rounds", type=int, default=2, metavar="N", help="how often each decides each task [2]")
    parser.add_argument("--timeout", type=int, default=120, metavar="S", help="seconds for each task [120]")
    options = parser.parse_args()
    base = os.environ.get("SEMPER_BENCH")
    folder = (Path(base) if base else ROOT.parent / "shared" / "bench") / "ltl-c"
    machine = ["--timeout", f"{options.timeout}s"]
    if options.set == "papers":
        definitions = sorted(folder.glob("toy/*.yml")) + sorted(folder.glob("realworld/*.yml"))
        arguments = ["--engine", "fairness", "--integers", "ideal", *machine]
    elif options.set == "rers":
        definitions = [path for number in (14, 16, 18) for path in sorted(folder.glob(f"**/Problem{number}*.yml"))]
        arguments = ["--engine", "explicit", *machine]
    else:
        definitions, arguments = sorted(Path(options.set).glob("**/*.yml")), machine
    if not definitions:
        parser.error("there are no tasks: set SEMPER_BENCH to the folder that contains ltl-c")
    times, memory, decided = [], [], {"before": 0, "after": 0}
    for at, path in enumerate(definitions):
        task = read_task(path)
        if sys.stderr.isatty():
            print(f"\r\033[K{at + 1}/{len(definitions)} {task.name}", end="", file=sys.stderr, flush=True)
        runs = {"before": [], "after": []}
        for turn in range(options.rounds):
            for which in ("before", "after") if (at + turn) % 2 == 0 else ("after", "before"):
                runs[which].append(measure(getattr(options, which), task, arguments))
        before, after = runs["before"], runs["after"]
        for which in runs:
            decided[which] += all(run.verdict in ("holds", "violated") and run.checked for run in runs[which])
        verdicts = {run.verdict for run in before + after}
        if len(verdicts) > 1:
            print(f"{task.name}: before {[run.verdict for run in before]}, after {[run.verdict for run in after]}")
            continue
        least = lambda found, name: min(getattr(run, name) for run in found)
        if max(least(before, "seconds"), least(after, "seconds")) >= SHORTEST_SECONDS:
            times.append((task.name, least(before, "seconds"), least(after, "seconds")))
        memory.append((task.name, least(before, "kibibytes"), least(after, "kibibytes")))
    print(f"{len(definitions)} tasks; decided and checked: {decided['before']} before, {decided['after']} after")
    tell("processor time", "tasks", ratios(times))
    tell("peak memory", "tasks", ratios(memory))


if __name__ == "__main__":
    main()
