//! A cheap sufficient test for one formula implying another, by their syntax (Somenzi and Bloem, CAV 2000, with the
//! rules for pure eventualities and universal formulas). Boolean formulas are compared by their functions.

use super::Simplifier;
use crate::buchi::Guard;
use crate::ltl::{Binary, Formula, Node, Unary};

/// Boolean formulas with more nodes than this in their diagrams are compared by their syntax.
const MOST_GUARD_NODES: usize = 256;

/// After so many pairs, no more implications are looked for.
const MOST_IMPLICATIONS: usize = 1 << 16;

impl Simplifier<'_> {
    /// Whether `f` is seen to imply `g`. If not, it may do so nevertheless.
    pub fn implies(&mut self, f: Formula, g: Formula) -> bool {
        if f == g || self.is_false(f) || self.is_true(g) {
            return true;
        }
        if self.is_true(f) || self.is_false(g) {
            return false;
        }
        if let Some(&known) = self.implications.get(&(f, g)) {
            return known;
        }
        if self.implications.len() >= MOST_IMPLICATIONS || !self.is_thorough() {
            return false;
        }
        let result = self.implies_by_rules(f, g);
        self.implications.insert((f, g), result);
        result
    }

    /// Whether `f` and `g` are seen to exclude each other.
    pub(super) fn excludes(&mut self, f: Formula, g: Formula) -> bool {
        let not_g = self.not(g);
        self.implies(f, not_g)
    }

    /// Whether at least one of `f` and `g` is seen to hold always.
    pub(super) fn exhausts(&mut self, f: Formula, g: Formula) -> bool {
        let not_f = self.not(f);
        self.implies(not_f, g)
    }

    fn implies_by_rules(&mut self, f: Formula, g: Formula) -> bool {
        use Binary::{And, Or, Release, StrongRelease, Until, WeakUntil};
        let (f_kinds, g_kinds) = (self.kinds(f), self.kinds(g));
        if f_kinds.is_boolean
            && g_kinds.is_boolean
            && let (Some(f), Some(g)) = (self.guard(f), self.guard(g))
        {
            return f.implies(&g);
        }
        let (f_node, g_node) = (self.node(f), self.node(g));
        // Each of these is exact for its operator, so nothing else needs to be tried after it.
        match (f_node, g_node) {
            (Node::Binary(Or, f1, f2), _) => return self.implies(f1, g) && self.implies(f2, g),
            (_, Node::Binary(And, g1, g2)) => return self.implies(f, g1) && self.implies(f, g2),
            _ => {}
        }
        let by_left = match f_node {
            Node::Binary(And, f1, f2) => self.implies(f1, g) || self.implies(f2, g),
            Node::Unary(Unary::Globally, f1) => self.implies(f1, g),
            Node::Unary(Unary::Finally, f1) => g_kinds.is_eventual && self.implies(f1, g),
            Node::Unary(Unary::Next, f1) => g_kinds.is_eventual && self.implies(f1, g),
            Node::Binary(Until, f1, f2) => self.implies(f2, g) && (g_kinds.is_eventual || self.implies(f1, g)),
            Node::Binary(WeakUntil, f1, f2) => self.implies(f1, g) && self.implies(f2, g),
            Node::Binary(Release, _, f2) => self.implies(f2, g),
            Node::Binary(StrongRelease, f1, f2) => self.implies(f2, g) || (g_kinds.is_eventual && self.implies(f1, g)),
            _ => false,
        };
        if by_left {
            return true;
        }
        let by_right = match g_node {
            Node::Binary(Or, g1, g2) => self.implies(f, g1) || self.implies(f, g2),
            Node::Unary(Unary::Finally, g1) => self.implies(f, g1),
            Node::Unary(Unary::Globally, g1) => f_kinds.is_universal && self.implies(f, g1),
            Node::Unary(Unary::Next, g1) => f_kinds.is_universal && self.implies(f, g1),
            Node::Binary(Until, _, g2) => self.implies(f, g2),
            Node::Binary(WeakUntil, g1, g2) => self.implies(f, g2) || (f_kinds.is_universal && self.implies(f, g1)),
            Node::Binary(Release, g1, g2) => self.implies(f, g2) && (f_kinds.is_universal || self.implies(f, g1)),
            Node::Binary(StrongRelease, g1, g2) => self.implies(f, g1) && self.implies(f, g2),
            _ => false,
        };
        by_right || self.implies_operand_by_operand(f_node, g_node)
    }

    fn implies_operand_by_operand(&mut self, f: Node, g: Node) -> bool {
        use Binary::{Release, StrongRelease, Until, WeakUntil};
        match (f, g) {
            (Node::Unary(Unary::Next, f1), Node::Unary(Unary::Next, g1))
            | (Node::Unary(Unary::Finally, f1), Node::Unary(Unary::Finally, g1))
            | (Node::Unary(Unary::Globally, f1), Node::Unary(Unary::Globally, g1)) => self.implies(f1, g1),
            (Node::Binary(Until, f1, f2), Node::Binary(Until | WeakUntil, g1, g2))
            | (Node::Binary(WeakUntil, f1, f2), Node::Binary(WeakUntil, g1, g2))
            | (Node::Binary(StrongRelease, f1, f2), Node::Binary(StrongRelease | Release, g1, g2))
            | (Node::Binary(Release, f1, f2), Node::Binary(Release, g1, g2)) => {
                self.implies(f1, g1) && self.implies(f2, g2)
            }
            // `a R b` is `b W (a && b)`, and `a M b` is `b U (a && b)`.
            (Node::Binary(StrongRelease, f1, f2), Node::Binary(Until | WeakUntil, g1, g2))
            | (Node::Binary(Release, f1, f2), Node::Binary(WeakUntil, g1, g2)) => {
                self.implies(f2, g1) && (self.implies(f1, g2) || self.implies(f2, g2))
            }
            // `a W b` is `b R (a || b)`, and `a U b` is `b M (a || b)`.
            (Node::Binary(Until, f1, f2), Node::Binary(StrongRelease | Release, g1, g2))
            | (Node::Binary(WeakUntil, f1, f2), Node::Binary(Release, g1, g2)) => {
                self.implies(f2, g1) && self.implies(f1, g2) && self.implies(f2, g2)
            }
            _ => false,
        }
    }

    /// The function of a Boolean formula, if its diagram is small.
    pub(super) fn guard(&mut self, formula: Formula) -> Option<Guard> {
        if let Some(known) = self.guards.get(&formula) {
            return known.clone();
        }
        for subformula in self.unknown_below(formula, |known| self.guards.contains_key(&known)) {
            let guard = match self.node(subformula) {
                Node::True => Some(Guard::constant(true)),
                Node::False => Some(Guard::constant(false)),
                Node::Atom(atom) => Some(Guard::atom(atom)),
                Node::Unary(_, operand) => self.guards[&operand].as_ref().map(Guard::not),
                Node::Binary(operator, left, right) => match (&self.guards[&left], &self.guards[&right]) {
                    (Some(left), Some(right)) if operator == Binary::And => Some(left.and(right)),
                    (Some(left), Some(right)) => Some(left.or(right)),
                    _ => None,
                },
            };
            self.guards.insert(subformula, guard.filter(|guard| guard.size() <= MOST_GUARD_NODES));
        }
        self.guards[&formula].clone()
    }
}
