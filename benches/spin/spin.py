"""SPIN: from a model to an answer, in several configurations.

For each model, the verifier first runs once unmeasured: its depth, its number of states and the length of its state
vector set the size of the stack, of the hash table and of the minimised automaton for the measured runs, so that SPIN
wastes nothing on reserve. Lossy stores (bit state, hash compaction) are left out: they cannot show that a property
holds.
"""

import math
import re
import subprocess
import time
from dataclasses import dataclass, replace
from pathlib import Path

import model
from measured import Result, measure

# One process: neither partial-order reduction nor fairness has anything to do. Signed overflow wraps as in the
# machine semantics. NOSTUTTER: a dead end is a cut run, and no execution.
BASE_FLAGS = ("-O2", "-w", "-fwrapv", "-DNOREDUCE", "-DNOFAIR", "-DNOSTUTTER", "-DNOBOUNDCHECK")


@dataclass(frozen=True)
class Configuration:
    """How SPIN is used: which model, and which compile-time options of its verifier."""

    encoding: str
    flags: tuple = ()
    safety: bool = False
    slow: bool = False
    says: str = ""

    def is_plain(self):
        return not self.flags and not self.safety


CONFIGURATIONS = {
    "claim": Configuration("claim", says="never claim, plain store"),
    "fused": Configuration("fused", says="fused product, plain store"),
    "safety": Configuration(
        "fused", ("-DSAFETY", "-DNOCOMP", "-DNOVSZ"), safety=True, says="fused product, search for a bad prefix alone"
    ),
    "collapse": Configuration("fused", ("-DCOLLAPSE",), slow=True, says="fused product, collapse compression"),
    "ma": Configuration("fused", ("-DMA={vector}",), slow=True, says="fused product, minimised automaton as store"),
}


@dataclass(frozen=True)
class Sizes:
    """What a model needs: search depth, number of states, bytes of a state vector."""

    depth: int
    states: int
    vector: int

    def hash_bits(self):
        return max(16, math.ceil(math.log2(max(self.states, 1) + 1)))


FIRST_GUESS = Sizes(depth=200_000, states=1 << 22, vector=0)


@dataclass
class Verifier:
    """A compiled verifier and what it took to get it."""

    folder: Path
    sizes: Sizes
    acceptance: bool
    seconds: float
    safety: bool = False

    def run(self, timeout, niceness):
        """One measured run."""
        sizes = self.sizes
        command = ["./pan", "-n", "-E", f"-m{sizes.depth + 10}", f"-w{sizes.hash_bits()}"]
        done = measure(command + (["-a"] if self.acceptance else []), self.folder, timeout, niceness)
        result = read_report(done)
        result.preparation = self.seconds
        if self.safety and result.verdict == "violated":
            # The bad prefix may still run into a cut, so it shows nothing yet.
            result.verdict = "unknown (bad prefix)"
        return result


class SpinFailed(Exception):
    """SPIN or the C compiler refused a model."""


def version():
    return command_line(["spin", "-V"]).strip()


def build(program, formula, automaton, configuration, sizes, folder, memory):
    """Writes the model and compiles its verifier."""
    started = time.monotonic()
    folder.mkdir(parents=True, exist_ok=True)
    write = {"claim": model.claim_model, "fused": model.fused_model}[configuration.encoding]
    save(write(program, formula, automaton, configuration.safety), folder)
    flags = [flag.format(vector=sizes.vector) for flag in configuration.flags]
    compile_verifier(folder, flags, memory)
    return Verifier(folder, sizes, not configuration.safety, time.monotonic() - started, configuration.safety)


def calibrate(program, formula, automaton, encoding, folder, memory, timeout, niceness):
    """The plain verifier of an encoding, with the sizes that it needs."""
    verifier = build(program, formula, automaton, Configuration(encoding), FIRST_GUESS, folder, memory)
    grow(verifier, timeout, niceness)
    return verifier


def count_states(program, observe_output, folder, memory, timeout, niceness):
    """How many states the program has at the head of its loop, with or without the last output."""
    folder.mkdir(parents=True, exist_ok=True)
    save(model.state_space_model(program, observe_output), folder)
    compile_verifier(folder, ["-DSAFETY"], memory)
    verifier = Verifier(folder, FIRST_GUESS, acceptance=False, seconds=0.0)
    grow(verifier, timeout, niceness)
    return verifier.run(timeout, niceness)


def grow(verifier, timeout, niceness):
    """Enlarges the stack until the search fits, and notes the sizes."""
    while True:
        result = verifier.run(timeout, niceness)
        if result.note != "stack too small":
            break
        verifier.sizes = replace(verifier.sizes, depth=verifier.sizes.depth * 4)
    if result.states is None:
        raise SpinFailed(result.verdict + (f": {result.note}" if result.note else ""))
    found = re.search(r"State-vector (\d+) byte, depth reached (\d+)", result.report)
    verifier.sizes = Sizes(depth=int(found.group(2)), states=result.states, vector=int(found.group(1)))


def save(written, folder):
    (folder / "model.pml").write_text(written.promela)
    (folder / "program.h").write_text(written.header)


def compile_verifier(folder, flags, memory):
    """From model to binary. The memory limit is in MiB, as the verifier wants it."""
    command_line(["spin", "-a", "model.pml"], folder)
    command_line(["gcc", *BASE_FLAGS, f"-DMEMLIM={memory}", *flags, "-o", "pan", "pan.c"], folder)


def command_line(command, folder=None):
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    except OSError as error:
        raise SpinFailed(f"`{command[0]}` could not be started: {error}") from None
    if done.returncode != 0 or "Error" in done.stdout:
        raise SpinFailed(f"`{' '.join(command)}` failed: {(done.stderr + done.stdout).strip()[:400]}")
    return done.stdout


def read_report(done):
    """Reads what the verifier prints."""
    text = done.output + done.errors
    result = Result(verdict="unknown", wall=done.wall, processor=done.processor, peak_bytes=done.peak_bytes)
    result.report = text
    if done.timed_out:
        result.verdict = "unknown (time)"
        return result
    if "max search depth too small" in text:
        result.note = "stack too small"
        return result
    if "out of memory" in text or "reached -DMEMLIM bound" in text:
        result.verdict = "unknown (memory)"
        return result
    stored = number(r"^\s*([\d.e+]+) states, stored", text)
    violated = "acceptance cycle" in done_line(text) or "assertion violated" in done_line(text)
    if stored is None or ("errors: 0" not in text and not violated):
        result.note = " ".join(text.split())[:200]
        return result
    result.verdict = "violated" if violated else "holds"
    result.states = int(stored)
    result.transitions = int(number(r"^\s*([\d.e+]+) transitions", text) or 0)
    store = number(r"^\s*([\d.e+]+)\s+actual memory usage for states", text)
    total = number(r"^\s*([\d.e+]+)\s+(?:total actual memory usage|memory usage \(Mbyte\))", text)
    if result.states:
        result.store_bytes = store and store * (1 << 20) / result.states
        result.bytes_per_state = total and total * (1 << 20) / result.states
    return result


def done_line(text):
    """The line in which the verifier says what it found, such as `pan:1: acceptance cycle (at depth 152)`."""
    return " ".join(line for line in text.splitlines() if line.startswith("pan:1:"))


def number(pattern, text):
    found = re.search(pattern, text, re.M)
    return float(found.group(1)) if found else None
