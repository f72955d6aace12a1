#!/usr/bin/env python3
"""Semper against SPIN on the RERS programs: the same programs and properties, in one run, alternating.

    python3 benches/spin/run.py --help

README.md beside this file says what is measured and how the numbers of states are reconciled. Needs `spin` (Debian
package `spin`), gcc, and the benchmark tasks, which are not part of the repository.
"""

import argparse
import datetime
import json
import shlex
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

# The modules beside this file leave no compiled copies in the repository.
sys.dont_write_bytecode = True

import model
import semper
import spin
import table
import tasks
from automaton import TranslationFailed, translate
from formula import Formula

# States at the head of the loop (the program's variables alone), as published with the benchmark tasks.
PUBLISHED_STATES = {"Problem14": 3_184_283, "Problem16": 604_824, "Problem18": 1_782_115}


def main():
    options = parse_options()
    chosen = tasks.read_tasks(options.folder, options.tasks or tasks.DEFAULT_TASKS)
    semper_version = semper.version(options.semper) if options.only != "spin" else None
    if semper_version is None and options.only != "spin":
        message = f"`{options.semper}` cannot be run (build it with `cargo build --release`, or give --semper)"
        if options.only == "semper":
            sys.exit(message)
        progress(f"{message}; measuring SPIN alone")
    print_circumstances(options, semper_version)
    with tempfile.TemporaryDirectory(prefix="semper-spin-") as folder:
        work = Path(options.keep) if options.keep else Path(folder)
        count = options.only != "semper" and not options.no_count
        agreed = print_state_spaces(options, chosen, work) if count else True
        print(f"\n## Results\n\n{table.task_table_head()}", flush=True)
        rows, everything = [], []
        for task in chosen:
            results = measure_task(options, task, semper_version is not None, work / task.name)
            medians = {tool: table.median_result(runs) for tool, runs in results.items()}
            new = [(task, tool, result, medians.get("semper")) for tool, result in medians.items()]
            if new:
                print(table.task_table_rows(new), flush=True)
            rows += new
            everything += [record(task, tool, run) for tool, runs in results.items() for run in runs]
    if means := table.summary(rows):
        print(f"\nGeometric means over the tasks with at least 100,000 states:\n\n{means}")
    if options.json:
        Path(options.json).write_text(json.dumps(everything, indent=1) + "\n")
    wrong = sorted({task.name for task, _, result, _ in rows if table.wrong(task, result)})
    if wrong:
        progress(f"wrong verdicts: {', '.join(wrong)}")
    sys.exit(1 if wrong or not agreed else 0)


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    binary = Path(__file__).resolve().parents[2] / "target" / "release" / "semper"
    add = parser.add_argument
    add("tasks", nargs="*", metavar="TASK", help="names or patterns, such as 'Problem16_*' (default: twelve tasks)")
    add("--folder", type=Path, default=tasks.default_folder(), help="of tasks (default: ltl-c/eca in $SEMPER_BENCH)")
    add("--semper", default=str(binary), metavar="FILE", help="the binary (default: target/release/semper)")
    add("--threads", type=int, help="threads for Semper, which otherwise chooses; SPIN has one")
    add("--configurations", default=",".join(spin.CONFIGURATIONS), help="of SPIN, separated by commas (default: all)")
    add("--repetitions", type=int, default=3, help="the median is reported (default 3)")
    add("--slow-repetitions", type=int, default=1, help="the same for SPIN's compressions, which are slow (default 1)")
    add("--automata", choices=("spin", "semper"), default="spin", help="who translates for SPIN (default spin)")
    add("--timeout", type=float, default=900.0, help="seconds for each run (default 900)")
    add("--memory", type=int, default=8192, help="MiB for each run (default 8192)")
    add("--nice", type=int, default=0, help="run the tools with this niceness (default 0)")
    add("--only", choices=("spin", "semper"), help="measure one tool alone")
    add("--no-count", action="store_true", help="do not count the programs' states first")
    add("--json", metavar="FILE", help="write every single run to this file")
    add("--keep", metavar="FOLDER", help="keep the models and verifiers there")
    options = parser.parse_args()
    options.configurations = options.configurations.split(",")
    for name in options.configurations:
        if name not in spin.CONFIGURATIONS:
            parser.error(f"no configuration `{name}`; there are {', '.join(spin.CONFIGURATIONS)}")
    if options.repetitions < 1 or options.slow_repetitions < 1:
        parser.error("at least one repetition")
    return options


def print_circumstances(options, semper_version):
    print("# Semper and SPIN on RERS programs\n")
    print(f"- date: {datetime.date.today().isoformat()}")
    print(f"- command: `{shlex.join(['python3', 'benches/spin/run.py', *sys.argv[1:]])}`")
    print(f"- processor: {processor()}")
    print(f"- Semper: {semper_version or 'not measured'}, threads: {options.threads or 'its default'}")
    if options.only != "semper":
        compiler = subprocess.run(["gcc", "--version"], capture_output=True, text=True).stdout.splitlines()[0]
        print(f"- SPIN: {spin.version()}; {compiler}; automata by {options.automata}")
        for name in options.configurations:
            configuration = spin.CONFIGURATIONS[name]
            flags = " ".join((*spin.BASE_FLAGS, *configuration.flags)).replace("{vector}", "n")
            print(f"  - {name}: {configuration.says}; `{flags}`")
    slow = f"compressions {options.slow_repetitions}"
    print(f"- repetitions: {options.repetitions} ({slow}), the run with the median wall time is shown")


def processor():
    try:
        found = [line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")]
        return f"{found[0]}, {len(found)} cores"
    except (OSError, IndexError):
        return "unknown"


def print_state_spaces(options, chosen, work):
    """Counts the states of each program with SPIN and compares them with the published numbers."""
    print("\n## State spaces\n")
    print("At the head of the main loop, cut turns left out, one more for the entry of `main`.\n")
    print(table.row(("program", "variables alone", "published", "with the last output", "turns", "agree")))
    print(table.row(("---", "--:", "--:", "--:", "--:", "---")))
    agreed = True
    for path in dict.fromkeys(task.program for task in chosen):
        program = model.read_program(path)
        limits = (options.memory, options.timeout, options.nice)
        progress(f"{path.stem}: counting states")
        bare = spin.count_states(program, False, work / f"{path.stem}-variables", *limits)
        full = spin.count_states(program, True, work / f"{path.stem}-output", *limits)
        published = PUBLISHED_STATES.get(path.stem)
        same = published is None or bare.states == published + 1
        agreed = agreed and same
        counts = (bare.states, published, full.states, full.transitions)
        print(table.row((path.stem, *map(table.whole, counts), "yes" if same else "NO")), flush=True)
    return agreed


def measure_task(options, task, with_semper, work):
    """All runs of a task: the tools take turns, so that a busy moment of the machine hits both."""
    runs = {"semper": lambda: semper.run(
        options.semper, task, options.threads, options.memory, options.timeout, options.nice
    )} if with_semper else {}  # fmt: skip
    slow = set()
    if options.only != "semper":
        for name, verifier in prepare_spin(options, task, work).items():
            tool = f"spin {name}"
            runs[tool] = lambda verifier=verifier: verifier.run(options.timeout, options.nice)
            if spin.CONFIGURATIONS[name].slow:
                slow.add(tool)
    results = {}
    for repetition in range(max(options.repetitions, options.slow_repetitions)):
        for tool, run in runs.items():
            if repetition < (options.slow_repetitions if tool in slow else options.repetitions):
                result = run()
                progress(f"{task.name}: {tool}: {result.verdict}, {result.wall:.2f} s {result.note}")
                results.setdefault(tool, []).append(result)
    return results


def prepare_spin(options, task, work):
    """The verifiers of a task, by configuration. What cannot be prepared is left out with a word on standard error."""
    formula = Formula(task.formula)
    program = model.read_program(task.program)
    verifiers, plain = {}, {}
    try:
        automaton = translate(formula, options.automata, options.semper)
        for name in options.configurations:
            configuration = spin.CONFIGURATIONS[name]
            if configuration.safety and not automaton.is_terminal():
                continue
            encoding = configuration.encoding
            if encoding not in plain:
                progress(f"{task.name}: trial run of the {encoding} model")
                limits = (options.memory, options.timeout, options.nice)
                folder = work / f"plain-{encoding}"
                plain[encoding] = spin.calibrate(program, formula, automaton, encoding, folder, *limits)
            if configuration.is_plain():
                verifiers[name] = plain[encoding]
            else:
                sizes, folder = plain[encoding].sizes, work / name
                verifiers[name] = spin.build(program, formula, automaton, configuration, sizes, folder, options.memory)
    except (TranslationFailed, spin.SpinFailed) as error:
        progress(f"{task.name}: {error}")
    return verifiers


def record(task, tool, result):
    """A run for the JSON file."""
    fields = {key: value for key, value in asdict(result).items() if key != "report"}
    return {"task": task.name, "formula": task.formula, "expected": task.expected, "tool": tool, **fields}


def progress(message):
    print(message, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
