"""Semper: one run of `semper check` with the explicit engine, and its JSON.

This is the only module that knows the command line and the field names.
"""

import json
import subprocess

from measured import Result, measure


def command(binary, task, threads, memory, timeout):
    """The command line of a task. Memory is in MiB, the time in seconds."""
    return [
        binary, "check", str(task.program),
        "--spec", str(task.specification),
        "--engine", "explicit",
        "--integers", "machine",
        "--data-model", task.data_model,
        *(["--threads", str(threads)] if threads else []),
        "--memory", f"{memory}MiB",
        "--timeout", f"{timeout:.0f}s",
        "--format", "json",
    ]  # fmt: skip


def run(binary, task, threads, memory, timeout, niceness):
    """One measured run. The limit of the child is a little later than its own, so that it can say `unknown (time)`."""
    done = measure(command(binary, task, threads, memory, timeout), None, timeout + 10, niceness)
    return read_report(done)


def read_report(done):
    """Reads the JSON on standard output."""
    result = Result(verdict="unknown", wall=done.wall, processor=done.processor, peak_bytes=done.peak_bytes)
    if done.timed_out:
        result.verdict = "unknown (time)"
        return result
    try:
        report = json.loads(done.output)
    except ValueError:
        result.note = f"exit status {done.status}: {' '.join((done.errors or done.output).split())[:200]}"
        return result
    # A file with several properties yields a list of answers; the tasks here have one each.
    report = report[0] if isinstance(report, list) else report
    statistics = report.get("statistics") or {}
    result.verdict = str(report.get("verdict", "unknown"))
    result.states = statistics.get("states")
    result.transitions = statistics.get("transitions")
    result.bytes_per_state = statistics.get("bytes_per_state")
    return result


def version(binary):
    """What the binary says of itself, or None if there is none."""
    try:
        return subprocess.run([binary, "--version"], capture_output=True, text=True).stdout.strip() or None
    except OSError:
        return None
