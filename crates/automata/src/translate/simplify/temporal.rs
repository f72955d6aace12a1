//! The constructors of `X`, `F`, `U` and `M`; those of `G`, `R` and `W` are their duals.
//!
//! In comments, `e` is a pure eventuality, `u` purely universal, `q` both, and `f => g` an implication that is seen.

use super::Simplifier;
use crate::ltl::{Binary, Formula, Node, Unary};

impl Simplifier<'_> {
    pub(super) fn next(&mut self, f: Formula) -> Formula {
        let is_constant = self.is_true(f) || self.is_false(f);
        // X q = q
        if is_constant || (!self.is_plain && self.kinds(f).is_suspendable()) {
            return f;
        }
        self.unary(Unary::Next, f)
    }

    pub(super) fn finally(&mut self, f: Formula) -> Formula {
        if self.is_true(f) || self.is_false(f) {
            return f;
        }
        if self.is_plain {
            return self.unary(Unary::Finally, f);
        }
        // F e = e
        if self.kinds(f).is_eventual {
            return f;
        }
        match self.node(f) {
            // F X g = X F g
            Node::Unary(Unary::Next, g) => {
                let later = self.finally(g);
                return self.next(later);
            }
            // F (g U h) = F h
            Node::Binary(Binary::Until, _, h) => return self.finally(h),
            // F (g M h) = F (g && h)
            Node::Binary(Binary::StrongRelease, g, h) => {
                let both = self.and(vec![g, h]);
                return self.finally(both);
            }
            // F (g W h) = F h || F G g
            Node::Binary(Binary::WeakUntil, g, h) => {
                let always = self.globally(g);
                let alternatives = vec![self.finally(h), self.finally(always)];
                return self.or(alternatives);
            }
            // F (g R h) = F (g && h) || F G h
            Node::Binary(Binary::Release, g, h) => {
                let both = self.and(vec![g, h]);
                let always = self.globally(h);
                let alternatives = vec![self.finally(both), self.finally(always)];
                return self.or(alternatives);
            }
            // F (g && q) = F g && q
            Node::Binary(Binary::And, ..) => {
                let operands = self.flattened(Binary::And, f);
                let (suspended, others) = self.parted(operands, |kinds| kinds.is_suspendable());
                if !suspended.is_empty() {
                    let rest = self.and(others);
                    let found = self.finally(rest);
                    return self.and(suspended.into_iter().chain([found]).collect());
                }
            }
            // F (g || u) = F g || F u
            Node::Binary(Binary::Or, ..) => {
                let operands = self.flattened(Binary::Or, f);
                let (universal, others) = self.parted(operands, |kinds| kinds.is_universal);
                if !universal.is_empty() && !others.is_empty() {
                    let mut alternatives: Vec<Formula> = universal.into_iter().map(|u| self.finally(u)).collect();
                    let rest = self.or(others);
                    alternatives.push(self.finally(rest));
                    return self.or(alternatives);
                }
            }
            Node::Unary(Unary::Globally, g) => {
                if let Some(better) = self.finally_globally(g) {
                    return better;
                }
            }
            _ => {}
        }
        self.unary(Unary::Finally, f)
    }

    /// Something better than `F G f`, if there is.
    fn finally_globally(&mut self, f: Formula) -> Option<Formula> {
        let Node::Binary(Binary::Or, ..) = self.node(f) else { return None };
        let operands = self.flattened(Binary::Or, f);
        let (special, others) = self.parted(operands, |kinds| kinds.is_universal || kinds.is_eventual);
        if special.is_empty() {
            return None;
        }
        // F G (g || u) = F G g || F u, and F G (g || e) = F G g || G e
        let mut alternatives = Vec::new();
        for operand in special {
            let end = if self.kinds(operand).is_universal { self.finally(operand) } else { self.globally(operand) };
            alternatives.push(end);
        }
        let rest = self.or(others);
        let always = self.globally(rest);
        alternatives.push(self.finally(always));
        Some(self.or(alternatives))
    }

    pub(super) fn until(&mut self, f: Formula, g: Formula) -> Formula {
        if self.is_true(g) || self.is_false(g) || self.is_false(f) {
            return g;
        }
        if self.is_true(f) {
            return self.finally(g);
        }
        if self.is_plain {
            return self.formulas.binary(Binary::Until, f, g);
        }
        // f U e = e, and f U g = g if f => g
        if self.kinds(g).is_eventual || self.implies(f, g) {
            return g;
        }
        // f U g = F g if !f => g
        if self.exhausts(f, g) {
            return self.finally(g);
        }
        // u U g = g || (u && F g)
        if self.kinds(f).is_universal {
            let found = self.finally(g);
            let kept = self.and(vec![f, found]);
            return self.or(vec![g, kept]);
        }
        match (self.node(f), self.node(g)) {
            // X f U X g = X (f U g)
            (Node::Unary(Unary::Next, f1), Node::Unary(Unary::Next, g1)) => {
                let now = self.until(f1, g1);
                return self.next(now);
            }
            // (f U g) U g = f U g, and (f W g) U g = f U g
            (Node::Binary(Binary::Until | Binary::WeakUntil, f1, f2), _) if f2 == g => return self.until(f1, g),
            // f U (g U h) = g U h if f => g, and f U h if g => f
            (_, Node::Binary(Binary::Until, g1, g2)) => {
                if self.implies(f, g1) {
                    return g;
                }
                if self.implies(g1, f) {
                    return self.until(f, g2);
                }
            }
            (_, Node::Binary(Binary::Or, ..)) => {
                if let Some(better) = self.until_disjunction(f, g) {
                    return better;
                }
            }
            (_, Node::Binary(Binary::And, ..)) => {
                let operands = self.flattened(Binary::And, g);
                // f U (f && g) = g M f
                if operands.contains(&f) {
                    let rest = self.and(operands.into_iter().filter(|&operand| operand != f).collect());
                    return self.strong_release(rest, f);
                }
                // f U (g && q) = (f U g) && q
                let (suspended, others) = self.parted(operands, |kinds| kinds.is_suspendable());
                if !suspended.is_empty() {
                    let rest = self.and(others);
                    let reached = self.until(f, rest);
                    return self.and(suspended.into_iter().chain([reached]).collect());
                }
            }
            _ => {}
        }
        self.formulas.binary(Binary::Until, f, g)
    }

    /// Something better than `f U g`, where `g` is a disjunction, if there is.
    fn until_disjunction(&mut self, f: Formula, g: Formula) -> Option<Formula> {
        let operands = self.flattened(Binary::Or, g);
        // f U (g || e) = (f U g) || e
        let (eventual, others) = self.parted(operands, |kinds| kinds.is_eventual);
        if !eventual.is_empty() {
            let rest = self.or(others);
            let reached = self.until(f, rest);
            return Some(self.or(eventual.into_iter().chain([reached]).collect()));
        }
        // f U (g || (f U h)) = f U (g || h), also with something that implies f before the h
        let mut is_changed = false;
        let mut flattened = Vec::new();
        for operand in others {
            match self.node(operand) {
                Node::Binary(Binary::Until, g1, g2) if self.implies(g1, f) => {
                    is_changed = true;
                    flattened.push(g2);
                }
                _ => flattened.push(operand),
            }
        }
        if !is_changed {
            return None;
        }
        let target = self.or(flattened);
        Some(self.until(f, target))
    }

    pub(super) fn strong_release(&mut self, f: Formula, g: Formula) -> Formula {
        if self.is_true(f) || self.is_false(g) {
            return g;
        }
        if self.is_false(f) {
            return f;
        }
        if self.is_true(g) {
            return self.finally(f);
        }
        if self.is_plain {
            return self.formulas.binary(Binary::StrongRelease, f, g);
        }
        // f M g = g if g => f, and false if f and g exclude each other
        if self.implies(g, f) {
            return g;
        }
        if self.excludes(f, g) {
            return self.truth(false);
        }
        // e M g = e && g
        if self.kinds(f).is_eventual {
            return self.and(vec![f, g]);
        }
        // f M u = F f && u
        if self.kinds(g).is_universal {
            let found = self.finally(f);
            return self.and(vec![found, g]);
        }
        match (self.node(f), self.node(g)) {
            // X f M X g = X (f M g)
            (Node::Unary(Unary::Next, f1), Node::Unary(Unary::Next, g1)) => {
                let now = self.strong_release(f1, g1);
                return self.next(now);
            }
            // f M (g M h) = g M h if g => f, and f M h if f => g
            (_, Node::Binary(Binary::StrongRelease, g1, g2)) => {
                if self.implies(g1, f) {
                    return g;
                }
                if self.implies(f, g1) {
                    return self.strong_release(f, g2);
                }
            }
            // f M (g && u) = (f M g) && u
            (_, Node::Binary(Binary::And, ..)) => {
                let operands = self.flattened(Binary::And, g);
                let (universal, others) = self.parted(operands, |kinds| kinds.is_universal);
                if !universal.is_empty() {
                    let rest = self.and(others);
                    let released = self.strong_release(f, rest);
                    return self.and(universal.into_iter().chain([released]).collect());
                }
            }
            // f M (f || g) = g U f
            (_, Node::Binary(Binary::Or, ..)) => {
                let operands = self.flattened(Binary::Or, g);
                if operands.contains(&f) {
                    let rest = self.or(operands.into_iter().filter(|&operand| operand != f).collect());
                    return self.until(rest, f);
                }
            }
            _ => {}
        }
        if let Node::Binary(Binary::And, ..) = self.node(f) {
            // (f && q) M g = (f M g) && q, and (f && g) M g = f M g
            let operands = self.flattened(Binary::And, f);
            let others: Vec<Formula> = operands.iter().copied().filter(|&operand| operand != g).collect();
            let is_shorter = others.len() < operands.len();
            let (suspended, others) = self.parted(others, |kinds| kinds.is_suspendable());
            if is_shorter || !suspended.is_empty() {
                let rest = self.and(others);
                let released = self.strong_release(rest, g);
                return self.and(suspended.into_iter().chain([released]).collect());
            }
        }
        self.formulas.binary(Binary::StrongRelease, f, g)
    }

    /// Those of a kind, and the others.
    fn parted(
        &mut self,
        operands: Vec<Formula>,
        is_special: impl Fn(super::Kinds) -> bool,
    ) -> (Vec<Formula>, Vec<Formula>) {
        operands.into_iter().partition(|&operand| is_special(self.kinds(operand)))
    }
}
