"""Promela models around the unchanged C text of a RERS program.

Two models of the same product of program and automaton can be written:

`claim`   the automaton is a never claim, as `spin -f` intends it. The program makes one move per observed state that
          the property can tell from the one before: two per turn of the main loop (input read, output written), or one
          if the property does not read the input. SPIN stores a state before the claim has read it, so the input is
          part of it.
`fused`   the automaton's state is the control state of the only process. A move is a whole turn, in which the
          automaton reads the two observed states of the turn. Nothing but the program's variables, the last output and
          the automaton's state is stored: the smallest product there is without a deeper look at the program.

In both, a move computes the turn on a copy in its guard and commits it afterwards. A turn that runs into
`__VERIFIER_assume(0)` has no move: the run is cut there and is no execution. The verifier is compiled with
-DNOSTUTTER, so that SPIN does not take the dead end for an execution that repeats its last state either.
"""

import re
from dataclasses import dataclass

INPUTS = range(1, 7)

# The main function of every RERS program once comments and space are gone. The models replace it, so it is checked.
EXPECTED_MAIN = (
    "intmain(){output=-1;while(1){input=__VERIFIER_nondet_int();"
    "__VERIFIER_assume(input>=1&&input<=6);output=calculate_output(input);}}"
)


class UnexpectedProgram(Exception):
    """The C text is not of the shape of a RERS program."""


@dataclass
class Program:
    """The parts of a RERS program: its variables with their initial values, and the text of its functions."""

    variables: list
    text: str


@dataclass
class Model:
    """A Promela file and the C header that it includes."""

    promela: str
    header: str


def read_program(path):
    """Splits the C text of a RERS program."""
    text = path.read_text()
    without_comments = re.sub(r"//[^\n]*", "", text)
    body, separator, rest = without_comments.partition("int input, output;")
    if not separator or re.sub(r"\s", "", rest) != EXPECTED_MAIN:
        raise UnexpectedProgram(f"{path}: `main` is not the input and output loop of the RERS programs")
    body = re.sub(r"^\s*(#include|extern)\b.*$", "", body, flags=re.M)
    declarations = body.partition("{")[0]
    variables = re.findall(r"^\s*int (\w+) = (-?\d+);", declarations, re.M)
    if not variables:
        raise UnexpectedProgram(f"{path}: no initialised variables before the first function")
    return Program(variables, body)


def state_space_model(program, observe_output):
    """The program without a property: how many states it has at the head of its loop."""
    writer = Writer(program, track_input=False, track_output=observe_output)
    enter = "ECA.output = -1" if observe_output else ""
    lines = ["active proctype program() {", f"  c_code {{ {enter}; }};", "  do"]
    for value in INPUTS:
        guard = writer.guard(f"turn_try(&ECA, {value})")
        lines.append(f"  :: d_step {{ c_expr {{ {guard} }} -> c_code {{ turn_commit(&ECA); }} }}")
    lines += ["  od", "}"]
    return writer.finish(lines)


def claim_model(program, formula, automaton, safety):
    """Program and never claim."""
    reads_input = formula.reads("input")
    writer = Writer(program, track_input=reads_input, track_output=True)
    lines = ["active proctype program() {", "  c_code { ECA.output = -1; };"]
    if reads_input:
        lines.append("read: if")
        lines += [f"  :: c_code {{ ECA.input = {value}; }}" for value in INPUTS]
        lines.append("  fi;")
        guard = writer.guard("turn_try(&ECA, ECA.input)")
        lines.append(f"  d_step {{ c_expr {{ {guard} }} -> c_code {{ turn_commit(&ECA); }} }};")
        lines.append("  goto read")
    else:
        lines.append("  do")
        for value in INPUTS:
            guard = writer.guard(f"turn_try(&ECA, {value})")
            lines.append(f"  :: d_step {{ c_expr {{ {guard} }} -> c_code {{ turn_commit(&ECA); }} }}")
        lines.append("  od")
    lines += ["}", "never {"]
    order = [automaton.initial] + [q for q in range(len(automaton.edges)) if q != automaton.initial]
    for state in order:
        lines.append(f"{label(automaton, state, state in automaton.accepting)}:")
        if safety and automaton.is_sink(state):
            lines.append("  assert(false);")
            continue
        options = [
            (writer.guard(observed(guard, formula, "ECA.input", "ECA.output")), target)
            for guard, target in automaton.edges[state]
        ]
        lines += branch(
            f"  :: c_expr {{ {guard} }} -> goto {label(automaton, target, target in automaton.accepting)}"
            for guard, target in options
        )
    lines.append("}")
    return writer.finish(lines)


def fused_model(program, formula, automaton, safety):
    """Program and automaton in one process."""
    writer = Writer(program, track_input=False, track_output=True)
    nodes = [(automaton.initial, "start")]
    done = set()
    lines = ["active proctype program() {"]
    while nodes:
        node = nodes.pop(0)
        if node in done:
            continue
        done.add(node)
        state, kind = node
        lines.append(f"{node_label(node)}:")
        if safety and automaton.is_sink(state) and kind == "accept":
            lines.append("  assert(false);")
            continue
        options = []
        for value in ("start",) if kind == "start" else INPUTS:
            for target, before, guard in two_letters(automaton, state, formula, value):
                if kind == "start":
                    move = "c_code { ECA.output = -1; }"
                else:
                    # The first letter does not need the turn to be computed, and often excludes it.
                    guard = f"({before}) && turn_try(&ECA, {value}) && ({guard})"
                    move = "c_code { turn_commit(&ECA); }"
                guard = writer.guard(guard)
                options.append(f"  :: d_step {{ c_expr {{ {guard} }} -> {move} }} ; goto {node_label(target)}")
                nodes.append(target)
        lines += branch(options)
    lines.append("}")
    return writer.finish(lines)


def two_letters(automaton, state, formula, value):
    """What the automaton does on the two letters of a turn with this input, or on the two before the loop.

    Yields a node, what the first letter must satisfy, and what both must. A node says where the automaton is and
    whether it was in an accepting state on the way; where both ways lead to the same state under the same letters, the
    one with acceptance is enough.
    """
    if value == "start":
        first, second = ("0", "0"), ("0", "(-1)")
    else:
        first, second = (str(value), "ECA.output"), (str(value), "turn_output")
    guards = {}
    for guard, middle in automaton.edges[state]:
        for next_guard, target in automaton.edges[middle]:
            accepted = middle in automaton.accepting or target in automaton.accepting
            pair = (observed(guard, formula, *first), observed(next_guard, formula, *second))
            guards.setdefault((target, accepted), []).append(pair)
    for (target, accepted), alternatives in sorted(guards.items()):
        before = " || ".join(first for first, _ in alternatives)
        guard = either(alternatives)
        if not accepted and (target, True) in guards:
            guard = f"({guard}) && !({either(guards[target, True])})"
        yield (target, "accept" if accepted else "plain"), before, guard


def either(pairs):
    """Some pair of conditions holds."""
    return " || ".join(f"({first} && {second})" for first, second in pairs)


def node_label(node):
    state, kind = node
    return f"{kind}_q{state}"


def label(automaton, state, accepting):
    return f"{'accept' if accepting else 'plain'}_q{state}"


def branch(options):
    """A choice between options; none at all is a dead end."""
    options = list(options)
    return ["  if", *options, "  fi;"] if options else ["  false;"]


def observed(guard, formula, input_value, output_value):
    """A guard over p0, p1, … as a C expression over the given input and output."""

    def atom(found):
        text = formula.atoms[int(found.group(1))]
        text = re.sub(r"\binput\b", input_value, text)
        return "(" + re.sub(r"\boutput\b", output_value, text) + ")"

    return "(" + re.sub(r"\bp(\d+)\b", atom, guard) + ")"


class Writer:
    """Collects the C header of a model.

    The program's own variables are scratch space; `struct eca` is what SPIN tracks. SPIN takes a parenthesis in a
    `c_expr` for a call with side effects, so every guard becomes a macro. SPIN evaluates the guard of a `d_step` twice,
    so the last turn is remembered.
    """

    def __init__(self, program, track_input, track_output):
        self.program = program
        self.macros = []
        self.extra = (["output"] if track_output else []) + (["input"] if track_input else [])

    def guard(self, expression):
        """A macro for the expression."""
        name = f"GUARD_{len(self.macros)}"
        self.macros.append(f"#define {name} ({expression})")
        return name

    def finish(self, lines):
        names = [name for name, _ in self.program.variables]
        tracked = names + self.extra
        initial = [value for _, value in self.program.variables] + ["0"] * len(self.extra)
        header = [
            "#include <string.h>",
            "static int turn_cut, turn_output;",
            "#define __VERIFIER_assume(condition) do { if (!(condition)) { turn_cut = 1; return 0; } } while (0)",
            self.program.text,
            "struct eca { " + " ".join(f"int {name};" for name in tracked) + " };",
            "struct eca ECA = { " + ", ".join(initial) + " };",
            "static int turn_try(const struct eca *state, int input) {",
            "  static struct eca from; static int with;",
            "  if (with == input && memcmp(&from, state, sizeof from) == 0) return !turn_cut;",
            "  from = *state; with = input; turn_cut = 0;",
            "  " + " ".join(f"{name} = state->{name};" for name in names),
            "  turn_output = calculate_output(input);",
            "  return !turn_cut;",
            "}",
            "static void turn_commit(struct eca *state) {",
            "  " + " ".join(f"state->{name} = {name};" for name in names),
            *(["  state->output = turn_output;"] if "output" in self.extra else []),
            "}",
            *self.macros,
        ]
        promela = ['c_decl { \\#include "program.h"', "}", 'c_track "&ECA" "sizeof(struct eca)"', *lines]
        return Model("\n".join(promela) + "\n", "\n".join(header) + "\n")
