#!/usr/bin/env python3
"""Checks the steps of a certificate that are shown by arithmetic, with nothing but the certificate.

    check_steps.py FILE …

Written after docs/certificate-format.md, section `step`, and not after the code that writes and checks certificates. Each
`(step CONDITION ARGUMENT)` says that a condition is impossible. It is taken apart into numbered facts about integers, and the
argument names multipliers by which facts add up to `c <= 0` with a positive number c, case by case.

What this does not look at: whether the steps are those that the proof needs, and whatever else the proof consists of.
`semper certify FILE` does that.

Ends with 0 if all steps are right, with 1 at one that is not, and with 2 if a file cannot be read. Python 3.8 or newer.
"""

import math
import re
import sys
import threading
from collections import deque
from typing import NamedTuple

FORMAT = "semper-certificate"
VERSION = "2"

# What the check refuses, too.
DEEPEST_LIST = 4000
DEEPEST_CONDITION = 500
MOST_CONSTRAINTS = 100_000
MOST_BITS = 8_192
LONGEST_NUMBER = 4_000


class Unreadable(Exception):
    """The file is no certificate, or something in it cannot be read."""


class Wrong(Exception):
    """A step does not show what it says."""


# Text. Words are `str`, texts between quotes are `Text`, lists are `List`.


class Text(str):
    """A text between double quotes."""


class List(list):
    """A list, with the line in which it begins."""

    def __init__(self, line):
        super().__init__()
        self.line = line


TOKEN = re.compile(
    r"""\s+ | ;[^\n]* | (?P<open>\() | (?P<close>\))
      | \|(?P<word>(?:[^|\\]|\\.)*)\| | "(?P<text>(?:[^"\\]|\\.)*)"
      | (?P<plain>[^\s()|";]+)""",
    re.VERBOSE | re.DOTALL,
)


def parse(text):
    """The only expression in a text."""
    outermost = List(1)
    open_lists = [outermost]
    position, line = 0, 1
    while position < len(text):
        token = TOKEN.match(text, position)
        if token is None:
            raise Unreadable(f"line {line}: a text without an end")
        kind = token.lastgroup
        if kind == "open":
            if len(open_lists) > DEEPEST_LIST:
                raise Unreadable(f"line {line}: too many nested lists")
            inner = List(line)
            open_lists[-1].append(inner)
            open_lists.append(inner)
        elif kind == "close":
            if len(open_lists) == 1:
                raise Unreadable(f"line {line}: a list ends that was not begun")
            open_lists.pop()
        elif kind == "text":
            open_lists[-1].append(Text(unescaped(token["text"])))
        elif kind == "word":
            open_lists[-1].append(unescaped(token["word"]))
        elif kind == "plain":
            open_lists[-1].append(token["plain"])
        line += text.count("\n", position, token.end())
        position = token.end()
    if len(open_lists) > 1:
        raise Unreadable(f"line {open_lists[-1].line}: a list without an end")
    if len(outermost) != 1:
        raise Unreadable("a certificate is one expression")
    return outermost[0]


def unescaped(text):
    return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)


def is_word(item):
    return isinstance(item, str) and not isinstance(item, Text)


def has_tag(item, tag):
    return isinstance(item, List) and len(item) > 0 and is_word(item[0]) and item[0] == tag


def natural(item, what):
    """A number without a sign."""
    if not is_word(item) or not re.fullmatch(r"[0-9]+", item, re.ASCII) or len(item) > LONGEST_NUMBER:
        raise Unreadable(f"{what} is a number, not `{shown(item)}`")
    return int(item)


def integer(item, what):
    """A number that may have a sign before it."""
    if is_word(item) and item.startswith("-"):
        return -natural(item[1:], what)
    return natural(item, what)


def shown(item):
    """The beginning of an expression, for messages."""
    pieces, left = [], [item]
    while left and len(pieces) < 20:
        piece = left.pop()
        if isinstance(piece, List):
            left.extend([None, *reversed(piece)])
            pieces.append("(")
        else:
            pieces.append(")" if piece is None else piece)
    text = " ".join(pieces).replace("( ", "(").replace(" )", ")")
    return text if len(text) <= 60 and not left else text[:60] + "…"


# Terms: equal ones are one object, so that they are compared by identity.


class Term:
    """A word, or a list of terms."""

    __slots__ = ("word", "items", "number")

    def __init__(self, word, items):
        self.word = word
        self.items = items
        self.number = None
        if word is not None:
            if re.fullmatch(r"[0-9]+", word, re.ASCII):
                self.number = natural(word, "what begins with a digit")
        elif len(items) == 2 and items[0].word == "-" and items[1].word is not None:
            if items[1].number is not None:
                self.number = -items[1].number

    def application(self):
        """The function and its operands; nothing for what is no application of a word."""
        if self.items and self.items[0].word is not None:
            return self.items[0].word, self.items[1:]
        return None, ()


class Terms:
    """All terms of a certificate."""

    def __init__(self):
        self.known = {}
        self.defined = []

    def word(self, word):
        if word not in self.known:
            self.known[word] = Term(word, None)
        return self.known[word]

    def list(self, items):
        key = tuple(map(id, items))
        if key not in self.known:
            self.known[key] = Term(None, tuple(items))
        return self.known[key]

    def apply(self, function, *operands):
        return self.list([self.word(function), *operands])

    def integer(self, value):
        size = self.word(str(abs(value)))
        return self.apply("-", size) if value < 0 else size

    def read(self, item):
        """The term that an expression is, with definitions in place of their names."""
        if isinstance(item, List):
            return self.list([self.read(part) for part in item])
        if isinstance(item, Text):
            raise Unreadable(f'the text "{item}" is no term')
        if not item.startswith("#"):
            return self.word(item)
        number = natural(item[1:], "the name of a term behind `#`")
        if number >= len(self.defined):
            raise Unreadable(f"`{item}` is not defined before it is used")
        return self.defined[number]


# Forms and facts.


class Form:
    """A sum of multiples of unknowns, and an integer."""

    __slots__ = ("coefficients", "constant")

    def __init__(self, coefficients=None, constant=0):
        self.coefficients = coefficients or {}
        self.constant = constant

    def plus(self, other, times=1):
        """This form and a multiple of another."""
        sum_of = dict(self.coefficients)
        for unknown, coefficient in other.coefficients.items():
            total = sum_of.pop(unknown, 0) + times * coefficient
            if total != 0:
                sum_of[unknown] = total
        return Form(sum_of, self.constant + times * other.constant)

    def minus(self, other):
        return self.plus(other, -1)

    def times(self, factor):
        return Form().plus(self, factor)

    def divisor(self):
        """The greatest common divisor of the coefficients; 0 if there are none."""
        divisor = 0
        for coefficient in self.coefficients.values():
            divisor = math.gcd(divisor, coefficient)
        return divisor

    def bits(self):
        sizes = [coefficient.bit_length() for coefficient in self.coefficients.values()]
        return max(sizes + [self.constant.bit_length()])


ONE = Form(constant=1)


class Linear(NamedTuple):
    """`form <= 0`, or `form = 0`."""

    form: Form
    is_equation: bool


class Choice(NamedTuple):
    """All facts of one of these cases hold."""

    cases: list


def at_most_zero(form):
    divisor = form.divisor()
    if divisor <= 1:
        return Linear(form, False)
    coefficients = {unknown: value // divisor for unknown, value in form.coefficients.items()}
    return Linear(Form(coefficients, -(-form.constant // divisor)), False)


def zero(form):
    divisor = form.divisor()
    if divisor > 1 and form.constant % divisor != 0:
        return Linear(ONE, False)
    return Linear(form, True)


def not_zero(form):
    return Choice([[at_most_zero(form.plus(ONE))], [at_most_zero(ONE.minus(form))]])


def between(form, size):
    """`0 <= form < size`."""
    return [at_most_zero(form.times(-1)), at_most_zero(form.minus(Form(constant=size - 1)))]


class Facts:
    """Takes a condition apart."""

    def __init__(self, terms):
        self.terms = terms
        self.met = set()
        self.queue = deque()
        self.left = MOST_CONSTRAINTS

    def of(self, condition):
        facts = self.truth(condition, True)
        while self.queue:
            facts += self.definition(self.queue.popleft())
        return facts

    def spend(self, count):
        self.left -= count
        if self.left < 0:
            raise Wrong("the condition has too many facts")

    def truth(self, condition, holds, depth=0):
        """The facts of a condition that holds, or fails."""
        self.spend(1)
        if depth > DEEPEST_CONDITION:
            raise Wrong("the condition is nested too deeply")
        if condition.word in ("true", "false"):
            return [] if (condition.word == "true") == holds else [Linear(ONE, False)]
        function, operands = condition.application()
        if function == "not" and len(operands) == 1:
            return self.truth(operands[0], not holds, depth + 1)
        if function in ("and", "or"):
            parts = [self.truth(operand, holds, depth + 1) for operand in operands]
            if (function == "and") == holds:
                return [fact for part in parts for fact in part]
            return [Choice(merged(parts))]
        if function == "xor" and len(operands) == 2:
            left, right = operands
            cases = []
            for value in (True, False):
                case = self.truth(left, value, depth + 1)
                cases.append(case + self.truth(right, value != holds, depth + 1))
            return [Choice(cases)]
        if function == "<=" and len(operands) == 2:
            form = self.difference(*operands)
            return [at_most_zero(form if holds else ONE.minus(form))]
        if function == "=" and len(operands) == 2 and operands[1].number is not None:
            form = self.difference(*operands)
            return [zero(form) if holds else not_zero(form)]
        itself = Form({condition: 1})
        return [Linear(ONE.minus(itself) if holds else itself, False)]

    def form(self, term, depth=0):
        self.spend(1)
        if depth > DEEPEST_CONDITION:
            raise Wrong("the condition is nested too deeply")
        if term.number is not None:
            return Form(constant=term.number)
        function, operands = term.application()
        if function == "+":
            form = Form()
            for operand in operands:
                form = form.plus(self.form(operand, depth + 1))
        elif function == "-" and len(operands) == 1:
            form = self.form(operands[0], depth + 1).times(-1)
        elif function == "*" and len(operands) == 2 and operands[0].number is not None:
            form = self.form(operands[1], depth + 1).times(operands[0].number)
        else:
            if term not in self.met:
                self.met.add(term)
                self.queue.append(term)
            form = Form({term: 1})
        if form.bits() > MOST_BITS:
            raise Wrong("the condition has numbers that are too large")
        return form

    def difference(self, left, right):
        form = self.form(left)
        form = form.minus(self.form(right))
        self.spend(len(form.coefficients))
        return form

    def definition(self, unknown):
        """The facts that define an unknown."""
        self.spend(1)
        function, operands = unknown.application()
        if function == "ite" and len(operands) == 3:
            cases = []
            for holds, chosen in ((True, operands[1]), (False, operands[2])):
                case = self.truth(operands[0], holds)
                cases.append(case + [zero(self.difference(unknown, chosen))])
            return [Choice(cases)]
        if function == "select" and len(operands) == 2:
            return self.element_definition(unknown, *operands)
        if function == "div" and len(operands) == 2 and operands[1].number:
            divisor = operands[1].number
            rest = self.form(operands[0]).plus(Form({unknown: 1}), -divisor)
            return between(rest, abs(divisor))
        if function == "mod" and len(operands) == 2 and (operands[1].number or 0) > 0:
            return self.remainder_definition(unknown, *operands)
        return []

    def element_definition(self, unknown, array, index):
        written = stored(array)
        if written is None:
            return []
        older, at, value = written
        distance = self.difference(index, at)
        there = [zero(distance), zero(self.difference(unknown, value))]
        other = self.element(older, index)
        elsewhere = [not_zero(distance), zero(self.difference(unknown, other))]
        return [Choice([there, elsewhere])]

    def element(self, array, index):
        while stored(array) is not None:
            older, at, value = stored(array)
            distance = self.difference(index, at)
            if distance.coefficients:
                break
            if distance.constant == 0:
                return value
            array = older
        return self.terms.apply("select", array, index)

    def remainder_definition(self, unknown, dividend, by):
        divisor = by.number
        function, operands = dividend.application()
        summands = list(operands) if function == "+" else [dividend]
        constant = 0
        if summands and summands[-1].number is not None:
            constant = summands.pop().number
        whole, rest = divmod(constant, divisor)
        if rest != 0:
            summands.append(self.terms.integer(rest))
        reduced = summands[0] if len(summands) == 1 else self.terms.apply("+", *summands)
        form = self.form(dividend)
        quotient = self.form(self.terms.apply("div", reduced, by)).plus(Form(constant=whole))
        itself = Form({unknown: 1})
        return between(itself, divisor) + [zero(form.plus(quotient, -divisor).minus(itself))]


def merged(cases):
    """Cases, with those of a choice in place of a case that is nothing but this choice."""
    found = []
    for case in cases:
        if len(case) == 1 and isinstance(case[0], Choice):
            found += case[0].cases
        else:
            found.append(case)
    return found


def stored(array):
    """The older array, the index and the value, where an array was written."""
    function, operands = array.application()
    return operands if function == "store" and len(operands) == 3 else None


# Arguments.


def check(known, argument):
    """Checks that facts exclude each other, for the reason that an argument says."""
    if has_tag(argument, "sum"):
        total = Form()
        for summand in argument[1:]:
            if not isinstance(summand, List) or len(summand) != 2:
                raise Unreadable(f"a summand is a fact and a multiplier, not `{shown(summand)}`")
            fact = looked_up(known, natural(summand[0], "a fact"))
            multiplier = integer(summand[1], "a multiplier")
            if isinstance(fact, Choice):
                raise Wrong(f"fact {summand[0]} is a choice, and has a multiplier")
            if multiplier < 0 and not fact.is_equation:
                raise Wrong(f"the inequality {summand[0]} has a negative multiplier")
            total = total.plus(fact.form, multiplier)
        if total.coefficients:
            raise Wrong(f"a sum in which {len(total.coefficients)} unknowns are left")
        if total.constant <= 0:
            raise Wrong(f"a sum that says {total.constant} <= 0, which is no contradiction")
    elif has_tag(argument, "cases") and len(argument) >= 2:
        choice = looked_up(known, natural(argument[1], "a fact"))
        if not isinstance(choice, Choice):
            raise Wrong(f"fact {argument[1]} is no choice, and is taken apart")
        if len(choice.cases) != len(argument) - 2:
            raise Wrong(f"fact {argument[1]} has {len(choice.cases)} cases, and {len(argument) - 2} arguments")
        before = len(known)
        for case, inner in zip(choice.cases, argument[2:]):
            known.extend(case)
            check(known, inner)
            del known[before:]
    else:
        raise Unreadable(f"an argument is `(sum …)` or `(cases …)`, not `{shown(argument)}`")


def looked_up(known, number):
    if number >= len(known):
        raise Wrong(f"there is no fact {number}: {len(known)} are known")
    return known[number]


def check_file(path):
    """How many steps of a file are right."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            certificate = parse(file.read())
    except (OSError, UnicodeDecodeError) as error:
        raise Unreadable(str(error)) from error
    if not has_tag(certificate, FORMAT) or len(certificate) != 5:
        raise Unreadable(f"this is no certificate: `({FORMAT} {VERSION} …)` is")
    if certificate[1] != VERSION:
        raise Unreadable(f"the version of the format is {shown(certificate[1])}, and only {VERSION} is read")
    if has_tag(certificate[4], "closed-state-space"):
        return 0
    if not has_tag(certificate[4], "refutation"):
        raise Unreadable("the proof of a certificate is `(refutation …)` or `(closed-state-space …)`")
    terms, count = Terms(), 0
    for part in certificate[4]:
        if has_tag(part, "term"):
            if len(part) != 2 or count > 0:
                raise Unreadable(f"line {part.line}: `(term …)` has one term, and stands before the steps")
            terms.defined.append(located(part, None, terms.read, part[1]))
        elif has_tag(part, "step"):
            if len(part) != 3:
                raise Unreadable(f"line {part.line}: a step has a condition and an argument")
            condition = located(part, count, terms.read, part[1])
            facts = located(part, count, Facts(terms).of, condition)
            located(part, count, check, facts, part[2])
            count += 1
    return count


def located(part, step, function, *arguments):
    """The result of a function; what it finds is said with its place."""
    place = f"line {part.line}" if step is None else f"line {part.line}, step {step}"
    try:
        return function(*arguments)
    except (Wrong, Unreadable) as found:
        raise type(found)(f"{place}: {found}") from None


def main():
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__.strip())
        return 0 if len(sys.argv) > 1 else 2
    for path in sys.argv[1:]:
        try:
            count = check_file(path)
        except Wrong as wrong:
            print(f"{path}: {wrong}", file=sys.stderr)
            return 1
        except Unreadable as unreadable:
            print(f"{path}: {unreadable}", file=sys.stderr)
            return 2
        print(f"{path}: {count} steps are right")
    return 0


def run():
    """Lists may be nested deeply, and are followed by recursion: that needs room."""
    sys.setrecursionlimit(10 * DEEPEST_LIST)
    threading.stack_size(512 * 1024 * 1024)
    status = []
    thread = threading.Thread(target=lambda: status.append(main()))
    thread.start()
    thread.join()
    sys.exit(status[0] if status else 2)


if __name__ == "__main__":
    run()
