#!/usr/bin/env python3
"""Runs programs that are too large with a limit on time and memory, and reports those that go beyond.

    python3 benches/limits/run.py [--semper PATH] [--engine NAME]... [--timeout 2] [--memory 200] [NAME]...

Each program of programs.py is checked with each engine under `--timeout 2s --memory 200MiB`. A run goes beyond where it
ends later than 1.5 s after the limit, where the process and those that it started held more than 10 % over the memory at
once, or where it does not end with a verdict and its exit status. The exit status is 1 where there is any. The memory of
several processes together is read from /proc every few milliseconds; the most that the process itself held is exact.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time

import programs

VERDICT = re.compile(rb"^verdict: (holds|violated|unknown)( \(.*\))?$")
STATUS = {b"holds": 0, b"violated": 1, b"unknown": 3}


def memory_line(process, name):
    """A line of /proc/PID/status such as `VmHWM: 1234 kB`, in bytes."""
    try:
        with open(f"/proc/{process}/status") as status:
            for line in status:
                if line.startswith(name):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def children():
    """By process, those that it has started and that run."""
    found = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as stat:
                parent = int(stat.read().rsplit(")", 1)[1].split()[1])
        except (OSError, IndexError):
            continue
        found.setdefault(parent, []).append(int(name))
    return found


def is_the_same_program(process, other):
    """Whether a child has not yet become another program: until then its memory is its parent's."""
    try:
        return os.readlink(f"/proc/{process}/exe") == os.readlink(f"/proc/{other}/exe")
    except OSError:
        return True


def below(process):
    """All processes that a process has started, those that they have started, and so on."""
    known, found = children(), [process]
    for at in found:
        found += known.get(at, [])
    return [child for child in found[1:] if not is_the_same_program(child, process)]


def measure(command, patience):
    """Runs a command: its exit status, output, wall time, and the peak of memory."""
    start = time.monotonic()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        peak, looked, others = 0, start, []
        while True:
            ended, status, usage = os.wait4(process.pid, os.WNOHANG)
            wall = time.monotonic() - start
            if ended:
                break
            if time.monotonic() - looked > 0.04:
                others, looked = below(process.pid), time.monotonic()
            held = sum(memory_line(other, "VmRSS:") for other in others)
            peak = max(peak, memory_line(process.pid, "VmRSS:") + held)
            if wall > patience:
                process.kill()
            time.sleep(0.003)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        return process.returncode, output.read(), wall, max(peak, usage.ru_maxrss * 1024)


def fault(status, output, wall, peak, arguments):
    """What is wrong with a run, if anything."""
    last = output.splitlines()[-1] if output else b""
    verdict = VERDICT.match(last)
    if not verdict:
        return f"exit status {status}, no verdict: {last.decode(errors='replace')[:60]}"
    if STATUS[verdict[1]] != status:
        return f"exit status {status} for {last.decode()}"
    if wall > arguments.timeout + 1.5:
        return "too late"
    if peak > arguments.memory * 1.1 * 2**20:
        return "too much memory"
    return None


def main():
    """Runs all, prints a line for each run, and a summary."""
    here = os.path.dirname(os.path.abspath(__file__))
    default = os.path.join(here, "..", "..", "target", "release", "semper")
    parser = argparse.ArgumentParser(description="Runs programs that are too large under limits.")
    parser.add_argument("--semper", default=default)
    parser.add_argument("--engine", action="append", help="auto, explicit, boxes and fairness, unless given")
    parser.add_argument("--timeout", type=float, default=2)
    parser.add_argument("--memory", type=float, default=200, help="in MiB")
    parser.add_argument("names", nargs="*", help="some of the programs")
    arguments = parser.parse_args()
    faults = runs = 0
    latest = largest = 0.0
    with tempfile.TemporaryDirectory() as folder:
        for name, (text, formula, *options) in programs.programs().items():
            if arguments.names and name not in arguments.names:
                continue
            path = os.path.join(folder, f"{name}.c")
            with open(path, "w") as file:
                file.write(text)
            for engine in arguments.engine or ["auto", "explicit", "boxes", "fairness"]:
                command = [arguments.semper, "check", path, "--ltl", formula, "--engine", engine, *options]
                command += ["--timeout", f"{arguments.timeout}s", "--memory", f"{arguments.memory}MiB"]
                status, output, wall, peak = measure(command, arguments.timeout + 60)
                wrong = fault(status, output, wall, peak, arguments)
                last = output.splitlines()[-1].decode(errors="replace") if output else ""
                told = f"{name:18} {engine:9} {wall:6.2f} s {peak / 2**20:6.0f} MiB  {last[:60]}"
                print(told + (f"  *** {wrong}" if wrong else ""), flush=True)
                faults += wrong is not None
                runs += 1
                latest, largest = max(latest, wall), max(largest, peak)
    print(f"{runs} runs, {faults} beyond their limits; the longest took {latest:.2f} s, the largest held {largest / 2**20:.0f} MiB")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
