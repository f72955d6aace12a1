//! Kinds of formulas that rules ask for, by their syntax (Etessami and Holzmann, CONCUR 2000).
//!
//! A formula is a *pure eventuality* if putting letters in front of a word that satisfies it keeps it satisfied, and
//! *purely universal* if leaving out letters at the front does. A formula that is both speaks of the end of a word
//! alone; it is called suspendable, since its truth can be asked for at any position (Babiak et al., TACAS 2012).

use super::Simplifier;
use crate::ltl::{Binary, Formula, Node, Unary};

/// What the syntax of a formula says about it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kinds {
    /// There are no temporal operators.
    pub is_boolean: bool,
    /// It is a pure eventuality.
    pub is_eventual: bool,
    /// It is purely universal.
    pub is_universal: bool,
}

impl Kinds {
    /// Whether it does not matter at which position it is asked.
    pub fn is_suspendable(self) -> bool {
        self.is_eventual && self.is_universal
    }
}

impl Simplifier<'_> {
    /// The kinds of a normal form.
    pub fn kinds(&mut self, formula: Formula) -> Kinds {
        if let Some(&kinds) = self.kinds.get(&formula) {
            return kinds;
        }
        for subformula in self.unknown_below(formula, |known| self.kinds.contains_key(&known)) {
            let kinds = self.kinds_from_operands(subformula);
            self.kinds.insert(subformula, kinds);
        }
        self.kinds[&formula]
    }

    fn kinds_from_operands(&self, formula: Formula) -> Kinds {
        match self.node(formula) {
            Node::True | Node::False => Kinds { is_boolean: true, is_eventual: true, is_universal: true },
            Node::Atom(_) => Kinds { is_boolean: true, is_eventual: false, is_universal: false },
            Node::Unary(operator, operand) => {
                let f = self.kinds[&operand];
                let (is_eventual, is_universal) = match operator {
                    Unary::Not => (false, false),
                    Unary::Next => (f.is_eventual, f.is_universal),
                    Unary::Finally => (true, f.is_universal),
                    Unary::Globally => (f.is_eventual, true),
                };
                Kinds { is_boolean: operator == Unary::Not, is_eventual, is_universal }
            }
            Node::Binary(operator, left, right) => {
                let (f, g) = (self.kinds[&left], self.kinds[&right]);
                let both = Kinds {
                    is_boolean: f.is_boolean && g.is_boolean && matches!(operator, Binary::And | Binary::Or),
                    is_eventual: f.is_eventual && g.is_eventual,
                    is_universal: f.is_universal && g.is_universal,
                };
                match operator {
                    Binary::Until => Kinds { is_eventual: g.is_eventual, ..both },
                    Binary::Release => Kinds { is_universal: g.is_universal, ..both },
                    _ => both,
                }
            }
        }
    }
}
