//! The constructor of conjunctions; that of disjunctions is its dual.

use super::Simplifier;
use crate::ltl::{AtomId, Binary, Formula, Node, Unary};
use foundation::collections::HashMap;

/// Conjunctions of more operands than this are not searched for pairs that belong together.
const MOST_PAIRED_OPERANDS: usize = 64;

/// Boolean formulas over more atoms than this are left as they are.
const MOST_ATOMS: usize = 24;

/// Boolean formulas are not written as sums of more products than this.
const MOST_PRODUCTS: usize = 1 << 10;

/// How often operands of one conjunction are joined at most: a guard against rules that undo each other.
const MOST_JOINS: usize = 256;

impl Simplifier<'_> {
    pub(super) fn and(&mut self, operands: Vec<Formula>) -> Formula {
        let mut operands = self.normalised(operands);
        if self.is_thorough() {
            for _ in 0..MOST_JOINS {
                if operands.len() > MOST_PAIRED_OPERANDS {
                    break;
                }
                let Some(kept) = self.without_implied(&operands) else { return self.truth(false) };
                operands = kept;
                let Some((first, second, joined)) = self.joinable(&operands) else { break };
                operands.retain(|&operand| operand != first && operand != second);
                operands.extend(joined);
                operands = self.normalised(operands);
            }
        }
        let all = self.chain(Binary::And, operands);
        if self.is_thorough() { self.shorter_boolean(all) } else { all }
    }

    /// The operands joined by an operator, from left to right.
    fn chain(&mut self, operator: Binary, operands: Vec<Formula>) -> Formula {
        match operands.into_iter().reduce(|all, operand| self.formulas.binary(operator, all, operand)) {
            Some(all) => all,
            None => self.truth(operator == Binary::And),
        }
    }

    /// A Boolean formula as a sum of products or a product of sums, if that has fewer literals.
    fn shorter_boolean(&mut self, formula: Formula) -> Formula {
        if !self.kinds(formula).is_boolean {
            return formula;
        }
        let Some(guard) = self.guard(formula).filter(|guard| guard.atoms().len() <= MOST_ATOMS) else {
            return formula;
        };
        let mut best = formula;
        let mut fewest = self.literals(formula);
        for is_dual in [false, true] {
            let guard = if is_dual { guard.not() } else { guard.clone() };
            let cubes = guard.cubes_within(fewest.min(MOST_PRODUCTS));
            let Some(cubes) = cubes.filter(|cubes| cubes.iter().map(Vec::len).sum::<usize>() < fewest) else {
                continue;
            };
            let mut products = Vec::new();
            for cube in cubes {
                let literal = |(atom, value): (AtomId, bool)| {
                    let positive = self.formulas.intern(Node::Atom(atom));
                    if value { positive } else { self.formulas.unary(Unary::Not, positive) }
                };
                let literals = cube.into_iter().map(literal).collect();
                products.push(self.chain(Binary::And, literals));
            }
            let sum = self.chain(Binary::Or, products);
            best = if is_dual { self.not(sum) } else { sum };
            fewest = self.literals(best);
        }
        best
    }

    /// How many literals there are in the text of a Boolean formula.
    fn literals(&self, formula: Formula) -> usize {
        let mut counts: HashMap<Formula, usize> = HashMap::default();
        for subformula in self.formulas.subformulas(formula) {
            let count = match self.node(subformula) {
                Node::Binary(_, left, right) => counts[&left].saturating_add(counts[&right]),
                Node::Atom(_) | Node::Unary(..) => 1,
                Node::True | Node::False => 0,
            };
            counts.insert(subformula, count);
        }
        counts[&formula]
    }

    /// The operands without nested conjunctions, in ascending order, each once. Constants are left only if the whole
    /// is constant.
    fn normalised(&mut self, operands: Vec<Formula>) -> Vec<Formula> {
        let mut flat: Vec<Formula> =
            operands.into_iter().flat_map(|operand| self.flattened(Binary::And, operand)).collect();
        flat.sort_unstable();
        flat.dedup();
        flat.retain(|&operand| !self.is_true(operand));
        let is_contradictory = flat.iter().any(|&operand| {
            let negation = self.not(operand);
            self.is_false(operand) || flat.binary_search(&negation).is_ok()
        });
        if is_contradictory { vec![self.truth(false)] } else { flat }
    }

    /// The operands without those that another one implies, or nothing if two exclude each other.
    fn without_implied(&mut self, operands: &[Formula]) -> Option<Vec<Formula>> {
        let mut kept: Vec<Formula> = Vec::new();
        for &operand in operands {
            for &other in operands {
                if other != operand && self.excludes(operand, other) {
                    return None;
                }
            }
            if kept.iter().any(|&other| self.implies(other, operand)) {
                continue;
            }
            kept.retain(|&other| !self.implies(operand, other));
            kept.push(operand);
        }
        Some(kept)
    }

    /// Two operands that can be replaced by something better.
    fn joinable(&mut self, operands: &[Formula]) -> Option<(Formula, Formula, Vec<Formula>)> {
        for &first in operands {
            for &second in operands {
                if first != second
                    && let Some(joined) = self.joined(first, second)
                {
                    return Some((first, second, joined));
                }
            }
        }
        None
    }

    fn joined(&mut self, first: Formula, second: Formula) -> Option<Vec<Formula>> {
        use Binary::{Release, StrongRelease, Until, WeakUntil};
        use Unary::{Finally, Globally, Next};
        Some(vec![match (self.node(first), self.node(second)) {
            // X f && X g = X (f && g)
            (Node::Unary(Next, f), Node::Unary(Next, g)) => {
                let both = self.and(vec![f, g]);
                self.next(both)
            }
            // f && X G f = G f
            (_, Node::Unary(Next, later)) if self.node(later) == Node::Unary(Globally, first) => later,
            // q && X f = X (q && f)
            (_, Node::Unary(Next, f)) if self.kinds(first).is_suspendable() => {
                let both = self.and(vec![first, f]);
                self.next(both)
            }
            // G f && G g = G (f && g), but parts that speak of the end of the word alone are better kept apart
            (Node::Unary(Globally, f), Node::Unary(Globally, g))
                if !self.kinds(f).is_eventual && !self.kinds(g).is_eventual =>
            {
                let both = self.and(vec![f, g]);
                self.globally(both)
            }
            // F G f && F G g = F G (f && g)
            (Node::Unary(Finally, f), Node::Unary(Finally, g)) => match (self.node(f), self.node(g)) {
                (Node::Unary(Globally, f), Node::Unary(Globally, g)) => {
                    let both = self.and(vec![f, g]);
                    let always = self.globally(both);
                    self.finally(always)
                }
                _ => return None,
            },
            // (f U g) && (h U g) = (f && h) U g, and so on
            (Node::Binary(Until, f, g), Node::Binary(Until | WeakUntil, h, same)) if g == same => {
                let both = self.and(vec![f, h]);
                self.until(both, g)
            }
            (Node::Binary(WeakUntil, f, g), Node::Binary(WeakUntil, h, same)) if g == same => {
                let both = self.and(vec![f, h]);
                self.weak_until(both, g)
            }
            (Node::Binary(StrongRelease, f, g), Node::Binary(StrongRelease | Release, same, h)) if f == same => {
                let both = self.and(vec![g, h]);
                self.strong_release(f, both)
            }
            (Node::Binary(Release, f, g), Node::Binary(Release, same, h)) if f == same => {
                let both = self.and(vec![g, h]);
                self.release(f, both)
            }
            // (f W g) && F g = f U g, and (f R g) && F f = f M g
            (Node::Binary(WeakUntil, f, g), Node::Unary(Finally, same)) if g == same => self.until(f, g),
            (Node::Binary(Release, f, g), Node::Unary(Finally, same)) if f == same => self.strong_release(f, g),
            // G f && (g U h) = G f && F h if f => g, and G f && (h M g) = G f && F h likewise
            (Node::Unary(Globally, f), Node::Binary(Until, g, h) | Node::Binary(StrongRelease, h, g))
                if self.implies(f, g) =>
            {
                let found = self.finally(h);
                return Some(vec![first, found]);
            }
            _ => return None,
        }])
    }
}
