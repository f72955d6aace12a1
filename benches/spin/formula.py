"""The formulas of the property files, and how SPIN's translator wants them written.

The grammar is that of the RERS property files: `! && || G F U WU` and C expressions in double quotes. Atoms are named
p0, p1, … in the order in which they appear, so that an automaton can speak of them whoever built it.
"""

import re

TOKEN = re.compile(r'\s*("[^"]*"|&&|\|\||WU|[GFU()!])')


class Formula:
    """A parsed formula: its tree, and its atoms by number."""

    def __init__(self, text):
        self.text = text
        self.atoms = []
        self._tokens = tokens(text)
        self._next = 0
        self.tree = self._disjunction()
        if self._next != len(self._tokens):
            raise ValueError(f"unexpected `{self._tokens[self._next]}` in `{text}`")

    def reads(self, variable):
        """Whether some atom reads the variable."""
        return any(re.search(rf"\b{variable}\b", atom) for atom in self.atoms)

    def negation_for_spin(self):
        """The negated formula in the syntax of `spin -f`."""
        return f"!({spin_syntax(self.tree)})"

    def _peek(self):
        return self._tokens[self._next] if self._next < len(self._tokens) else None

    def _take(self):
        token = self._peek()
        if token is None:
            raise ValueError(f"`{self.text}` ends too early")
        self._next += 1
        return token

    def _disjunction(self):
        left = self._conjunction()
        while self._peek() == "||":
            self._take()
            left = ("||", left, self._conjunction())
        return left

    def _conjunction(self):
        left = self._until()
        while self._peek() == "&&":
            self._take()
            left = ("&&", left, self._until())
        return left

    def _until(self):
        left = self._unary()
        if self._peek() in ("U", "WU"):
            return (self._take(), left, self._until())
        return left

    def _unary(self):
        token = self._take()
        if token in ("!", "G", "F"):
            return (token, self._unary())
        if token == "(":
            inside = self._disjunction()
            if self._take() != ")":
                raise ValueError(f"a `)` is missing in `{self.text}`")
            return inside
        if not token.startswith('"'):
            raise ValueError(f"unexpected `{token}` in `{self.text}`")
        atom = token[1:-1]
        if atom not in self.atoms:
            self.atoms.append(atom)
        return ("atom", self.atoms.index(atom))


def tokens(text):
    """The tokens of a formula."""
    result, position = [], 0
    text = text.rstrip()
    while position < len(text):
        found = TOKEN.match(text, position)
        if found is None:
            raise ValueError(f"cannot read `{text[position:]}`")
        result.append(found.group(1))
        position = found.end()
    return result


def spin_syntax(tree):
    """A tree in the syntax of `spin -f`, which has release (`V`) but no weak until of its own."""
    operator = tree[0]
    if operator == "atom":
        return f"p{tree[1]}"
    if operator in ("!", "G", "F"):
        return {"!": "!", "G": "[]", "F": "<>"}[operator] + f"({spin_syntax(tree[1])})"
    left, right = spin_syntax(tree[1]), spin_syntax(tree[2])
    if operator == "WU":
        return f"(({right}) V (({left}) || ({right})))"
    return f"(({left}) {operator} ({right}))"
