"""Büchi automata with acceptance on states: read from a never claim of SPIN, or from HOA.

Guards are C expressions over p0, p1, …, the numbered atoms of the formula. The letters are the observed states of the
program, one move per letter.
"""

import re
import resource
import subprocess
from dataclasses import dataclass, field


@dataclass
class Automaton:
    """States are numbers from 0, the initial one is `initial`; `edges[q]` lists pairs of guard and target."""

    initial: int = 0
    edges: list = field(default_factory=list)
    accepting: set = field(default_factory=set)

    def add_state(self):
        self.edges.append([])
        return len(self.edges) - 1

    def is_sink(self, state):
        """Whether the state accepts every continuation: once there, the property is lost."""
        return state in self.accepting and any(
            target == state and guard.strip("() ") == "1" for guard, target in self.edges[state]
        )

    def is_terminal(self):
        """Whether every accepting state is a sink, so that the property is a safety property."""
        return all(self.is_sink(state) for state in self.accepting)


# Limits of a translation: five nested untils take SPIN's translator minutes and gigabytes.
SECONDS = 20
BYTES = 2 << 30


def translate(formula, translator, semper):
    """The automaton of the negation, by `spin -f` or by `semper ltl`."""
    if translator == "spin":
        return from_never_claim(output_of(["spin", "-f", formula.negation_for_spin()]))
    command = [semper, "ltl", formula.text, "--negate", "--automaton", "state-buchi", "--format", "hoa"]
    return from_hoa(output_of(command), formula.atoms)


def output_of(command):
    """The standard output of a translator."""

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))

    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, preexec_fn=limit)
    except subprocess.TimeoutExpired:
        raise TranslationFailed(f"`{command[0]}` found no automaton within {SECONDS} s") from None
    except OSError as error:
        raise TranslationFailed(f"`{command[0]}` could not be started: {error}") from None
    if done.returncode != 0:
        raise TranslationFailed(f"`{command[0]}` failed: {(done.stderr or done.stdout).strip()[:200]}")
    return done.stdout


class TranslationFailed(Exception):
    """The translator gave no automaton."""


def from_never_claim(text):
    """Reads what `spin -f` writes.

    SPIN ends a claim where a bad prefix is complete (`assert` and `skip`), and takes the end of a claim for a
    violation. Here a bad prefix that can only run into a cut is none, so these become an accepting state with a loop:
    the execution has to go on.
    """
    automaton, names = Automaton(), {}

    def number(name):
        if name not in names:
            names[name] = automaton.add_state()
            if name == "accept_all":
                automaton.edges[names[name]].append(("1", names[name]))
                automaton.accepting.add(names[name])
        return names[name]

    # SPIN writes the initial state first, so it gets the number 0.
    source, labels = None, []
    for line in text.splitlines():
        line = line.strip()
        if label := re.fullmatch(r"(\w+):", line):
            labels.append(label.group(1))
            continue
        if labels and line:
            # A state may carry two labels: one for acceptance, and the one that `goto` uses.
            source = number(labels[-1])
            names.update({name: source for name in labels})
            if any(name.startswith("accept") for name in labels):
                automaton.accepting.add(source)
            labels = []
        if edge := re.fullmatch(r":: (\(.*\)) -> goto (\w+)", line):
            automaton.edges[source].append((edge.group(1), edge.group(2)))
        elif edge := re.fullmatch(r":: atomic \{ (\(.*\)) -> assert\(.*\) \}", line):
            automaton.edges[source].append((edge.group(1), "accept_all"))
        elif line.startswith("::"):
            raise TranslationFailed(f"`{line}` in a never claim is not understood")
    for outgoing in list(automaton.edges):
        outgoing[:] = [(guard, target if isinstance(target, int) else number(target)) for guard, target in outgoing]
    return automaton


def from_hoa(text, atoms):
    """Reads a state-based Büchi automaton in the Hanoi Omega-Automata format, with explicit labels on edges."""
    automaton, source = Automaton(), None
    if not re.search(r"^Acceptance: 1 Inf\(0\)", text, re.M):
        raise TranslationFailed("only Büchi acceptance is read")
    quoted = re.search(r"^AP:\s*\d+(.*)$", text, re.M)
    names = re.findall(r'"((?:[^"\\]|\\.)*)"', quoted.group(1)) if quoted else []
    numbers = [atom_number(name, atoms) for name in names]
    count = re.search(r"^States:\s*(\d+)", text, re.M)
    for _ in range(int(count.group(1))):
        automaton.add_state()
    automaton.initial = int(re.search(r"^Start:\s*(\d+)", text, re.M).group(1))
    for line in text.split("--BODY--")[1].split("--END--")[0].splitlines():
        if state := re.match(r"State:\s*(\d+)[^{]*(\{0\})?", line):
            source = int(state.group(1))
            if state.group(2):
                automaton.accepting.add(source)
        elif edge := re.fullmatch(r"\s*\[([^]]*)\]\s*(\d+)\s*", line):
            automaton.edges[source].append((hoa_label(edge.group(1), numbers), int(edge.group(2))))
        elif line.strip():
            raise TranslationFailed(f"`{line.strip()}` in HOA is not understood")
    return automaton


def atom_number(name, atoms):
    """Which atom of the formula an atomic proposition of the HOA text is; spaces do not count."""
    bare = [re.sub(r"\s", "", atom) for atom in atoms]
    wanted = re.sub(r"[\s\\\"]", "", name)
    if wanted not in bare:
        raise TranslationFailed(f"the automaton speaks of `{name}`, which is no atom of the formula")
    return bare.index(wanted)


def hoa_label(label, numbers):
    """A HOA label as a C expression over p0, p1, …"""
    words = {"t": "1", "f": "0", "&": "&&", "|": "||"}

    def word(found):
        text = found.group(0)
        return words[text] if text in words else f"p{numbers[int(text)]}"

    return "(" + re.sub(r"\d+|[tf&|]", word, label) + ")"
