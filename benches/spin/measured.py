"""Runs a command and measures it: wall time, processor time and peak memory of that one child."""

import os
import signal
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass


@dataclass
class Measured:
    """What came of one run of a command."""

    status: int
    output: str
    errors: str
    wall: float
    processor: float
    peak_bytes: int
    timed_out: bool


def measure(command, folder, timeout, niceness):
    """Runs the command and waits for it with its own resource usage.

    `wait4` reports on exactly this child, whereas `getrusage` would give the maximum over all children so far. The
    output goes to files, so that a full pipe never holds the child up.
    """
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        started = time.monotonic()
        child = subprocess.Popen(
            [*(["nice", "-n", str(niceness)] if niceness else []), *command],
            cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, start_new_session=True,
        )
        expired = threading.Event()

        def stop():
            expired.set()
            stop_group(child.pid)

        alarm = threading.Timer(timeout, stop)
        alarm.start()
        try:
            _, status, usage = os.wait4(child.pid, 0)
        except BaseException:
            stop_group(child.pid)
            raise
        finally:
            alarm.cancel()
        wall = time.monotonic() - started
        child.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        return Measured(
            status=child.returncode,
            output=output.read(),
            errors=errors.read(),
            wall=wall,
            processor=usage.ru_utime + usage.ru_stime,
            peak_bytes=usage.ru_maxrss * 1024,
            timed_out=expired.is_set(),
        )


def stop_group(group):
    """Ends the child and what it started; it may have ended by itself in the meantime."""
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        pass


@dataclass
class Result:
    """One answer of one tool in one configuration, in the terms in which the tools are compared.

    `bytes_per_state` counts the states, the table and the search stack; `store_bytes` the states alone, where the tool
    tells.
    """

    verdict: str
    wall: float
    processor: float
    peak_bytes: int
    states: int | None = None
    transitions: int | None = None
    bytes_per_state: float | None = None
    store_bytes: float | None = None
    preparation: float = 0.0
    note: str = ""
    report: str = ""

    @property
    def states_per_second(self):
        return self.states / self.wall if self.states and self.wall > 0 else None
