//! Rewriting of formulas into negation normal form, with fewer operators and fewer eventualities.
//!
//! Every rule is an equivalence of LTL (Somenzi and Bloem, *Efficient Büchi automata from LTL formulae*, CAV 2000;
//! Etessami and Holzmann, *Optimizing Büchi automata*, CONCUR 2000; the list in Duret-Lutz, *Spot's temporal logic
//! formulas*, chapter 5). A formula is rebuilt from its parts by constructors that apply the rules at the top. Rules
//! come in dual pairs; one of each pair is written down, in the modules below, and the other is had by negating
//! before and after.
//!
//! Normal forms are made of literals, `&&`, `||` and the temporal operators. This module knows words only through
//! equivalences: it never looks at automata.

use foundation::Budget;
use foundation::collections::HashMap;

use super::Failure;
use crate::buchi::Guard;
use crate::ltl::{Binary, Formula, Formulas, Node, Unary};

mod conjunction;
mod implication;
mod kinds;
mod temporal;

pub use kinds::Kinds;

/// An equivalent formula in negation normal form that is likely to have a smaller automaton. It recurses over the
/// nesting of operators; [`translate`](super::translate()) sees to it that there is room for that.
pub fn simplify(formulas: &mut Formulas, formula: Formula) -> Formula {
    Simplifier::new(formulas).simplify(formula)
}

/// The same for as long as the budget lasts. After that, what is left is only brought into negation normal form.
pub fn simplify_within(formulas: &mut Formulas, formula: Formula, budget: &Budget) -> Formula {
    let mut simplifier = Simplifier::new(formulas);
    simplifier.budget = budget.clone();
    simplifier.simplify(formula)
}

/// The negation normal form alone, with no other rule than those on constants.
pub fn negation_normal_form(formulas: &mut Formulas, formula: Formula) -> Formula {
    let mut simplifier = Simplifier::new(formulas);
    simplifier.is_plain = true;
    simplifier.rebuild(formula)
}

/// Formulas with more subformulas than this are rewritten on a stack of their own.
const MANY_SUBFORMULAS: usize = 128;

/// Formulas with more subformulas than this are refused.
const MOST_SUBFORMULAS: usize = 4096;

/// The stack that rewriting may need for each subformula: constructors call each other some steps deep.
const STACK_BYTES_PER_SUBFORMULA: usize = 1 << 15;

/// Does something that rewrites the formula with a stack that is large enough for it: constructors recurse over the
/// nesting of operators, which the user chooses.
pub(super) fn with_room_for<T: Send>(
    formulas: &mut Formulas,
    formula: Formula,
    rewrite: impl FnOnce(&mut Formulas) -> T + Send,
) -> Result<T, Failure> {
    let size = formulas.subformulas(formula).len();
    if size > MOST_SUBFORMULAS {
        return Err(Failure::TooLarge);
    }
    if size <= MANY_SUBFORMULAS {
        return Ok(rewrite(formulas));
    }
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().stack_size(size * STACK_BYTES_PER_SUBFORMULA);
        match builder.spawn_scoped(scope, || rewrite(formulas)) {
            Ok(thread) => Ok(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))),
            Err(_) => Err(Failure::TooLarge),
        }
    })
}

/// How often a formula is rebuilt at most. Two or three times reach a formula that no rule changes, nearly always.
const MOST_PASSES: usize = 6;

/// Formulas in negation normal form, and what has been found out about them.
pub struct Simplifier<'a> {
    formulas: &'a mut Formulas,
    /// Only the normal form is wanted.
    is_plain: bool,
    /// When it ends, no more rules are tried.
    budget: Budget,
    negations: HashMap<Formula, Formula>,
    kinds: HashMap<Formula, Kinds>,
    guards: HashMap<Formula, Option<Guard>>,
    implications: HashMap<(Formula, Formula), bool>,
}

impl<'a> Simplifier<'a> {
    /// Nothing is known yet.
    pub fn new(formulas: &'a mut Formulas) -> Self {
        Self {
            formulas,
            is_plain: false,
            budget: Budget::unlimited(),
            negations: HashMap::default(),
            kinds: HashMap::default(),
            guards: HashMap::default(),
            implications: HashMap::default(),
        }
    }

    /// An equivalent formula in negation normal form.
    pub fn simplify(&mut self, formula: Formula) -> Formula {
        let mut simplified = formula;
        for _ in 0..MOST_PASSES {
            let rebuilt = self.rebuild(simplified);
            if rebuilt == simplified {
                break;
            }
            simplified = rebuilt;
        }
        simplified
    }

    /// Whether rules are tried that take time.
    fn is_thorough(&self) -> bool {
        !self.is_plain && self.budget.check().is_ok()
    }

    /// Applies the constructors to every subformula, children first.
    fn rebuild(&mut self, formula: Formula) -> Formula {
        let mut built: HashMap<Formula, Formula> = HashMap::default();
        for subformula in self.formulas.subformulas(formula) {
            let result = match self.formulas.node(subformula) {
                Node::True | Node::False | Node::Atom(_) => subformula,
                Node::Unary(operator, operand) => {
                    let f = built[&operand];
                    match operator {
                        Unary::Not => self.not(f),
                        Unary::Next => self.next(f),
                        Unary::Finally => self.finally(f),
                        Unary::Globally => self.globally(f),
                    }
                }
                Node::Binary(operator, left, right) => self.binary(operator, built[&left], built[&right]),
            };
            built.insert(subformula, result);
        }
        built[&formula]
    }

    fn binary(&mut self, operator: Binary, f: Formula, g: Formula) -> Formula {
        match operator {
            Binary::And => self.and(vec![f, g]),
            Binary::Or => self.or(vec![f, g]),
            Binary::Implies => {
                let not_f = self.not(f);
                self.or(vec![not_f, g])
            }
            Binary::Iff | Binary::Xor => {
                let not_f = self.not(f);
                let not_g = self.not(g);
                let (same, other) = if operator == Binary::Iff { (g, not_g) } else { (not_g, g) };
                let both = self.and(vec![f, same]);
                let neither = self.and(vec![not_f, other]);
                self.or(vec![both, neither])
            }
            Binary::Until => self.until(f, g),
            Binary::WeakUntil => self.weak_until(f, g),
            Binary::Release => self.release(f, g),
            Binary::StrongRelease => self.strong_release(f, g),
        }
    }

    /// The negation of a normal form, as a normal form. No rule is applied, so that negating twice changes nothing.
    pub fn not(&mut self, formula: Formula) -> Formula {
        if let Some(&negation) = self.negations.get(&formula) {
            return negation;
        }
        for subformula in self.unknown_below(formula, |known| self.negations.contains_key(&known)) {
            let node = match self.formulas.node(subformula) {
                Node::True => Node::False,
                Node::False => Node::True,
                Node::Atom(_) => Node::Unary(Unary::Not, subformula),
                Node::Unary(Unary::Not, operand) => self.formulas.node(operand),
                Node::Unary(operator, operand) => Node::Unary(dual_unary(operator), self.negations[&operand]),
                Node::Binary(operator, left, right) => {
                    Node::Binary(dual_binary(operator), self.negations[&left], self.negations[&right])
                }
            };
            let negation = self.formulas.intern(node);
            self.negations.insert(subformula, negation);
            self.negations.insert(negation, subformula);
        }
        self.negations[&formula]
    }

    /// The subformulas for which something has not been found out yet, children first.
    fn unknown_below(&self, formula: Formula, is_known: impl Fn(Formula) -> bool) -> Vec<Formula> {
        let mut found = Vec::new();
        let mut open = vec![formula];
        while let Some(next) = open.pop() {
            if !is_known(next) {
                found.push(next);
                open.extend(self.node(next).children());
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    fn truth(&mut self, value: bool) -> Formula {
        self.formulas.truth(value)
    }

    fn node(&self, formula: Formula) -> Node {
        self.formulas.node(formula)
    }

    fn is_true(&self, formula: Formula) -> bool {
        self.node(formula) == Node::True
    }

    fn is_false(&self, formula: Formula) -> bool {
        self.node(formula) == Node::False
    }

    /// The dual of a constructor with one operand.
    fn dually(&mut self, constructor: impl Fn(&mut Self, Formula) -> Formula, f: Formula) -> Formula {
        let not_f = self.not(f);
        let negation = constructor(self, not_f);
        self.not(negation)
    }

    /// The dual of a constructor with two operands.
    fn dually2(
        &mut self,
        constructor: impl Fn(&mut Self, Formula, Formula) -> Formula,
        f: Formula,
        g: Formula,
    ) -> Formula {
        let (not_f, not_g) = (self.not(f), self.not(g));
        let negation = constructor(self, not_f, not_g);
        self.not(negation)
    }

    fn or(&mut self, operands: Vec<Formula>) -> Formula {
        let negated = operands.into_iter().map(|operand| self.not(operand)).collect();
        let negation = self.and(negated);
        self.not(negation)
    }

    fn globally(&mut self, f: Formula) -> Formula {
        self.dually(Self::finally, f)
    }

    fn release(&mut self, f: Formula, g: Formula) -> Formula {
        self.dually2(Self::until, f, g)
    }

    fn weak_until(&mut self, f: Formula, g: Formula) -> Formula {
        self.dually2(Self::strong_release, f, g)
    }

    fn unary(&mut self, operator: Unary, f: Formula) -> Formula {
        self.formulas.unary(operator, f)
    }

    /// The operands of nested operators of this kind, from left to right.
    fn flattened(&self, operator: Binary, formula: Formula) -> Vec<Formula> {
        let mut operands = Vec::new();
        let mut open = vec![formula];
        while let Some(next) = open.pop() {
            match self.node(next) {
                Node::Binary(found, left, right) if found == operator => open.extend([right, left]),
                _ => operands.push(next),
            }
        }
        operands
    }
}

fn dual_unary(operator: Unary) -> Unary {
    match operator {
        Unary::Not => Unary::Not,
        Unary::Next => Unary::Next,
        Unary::Finally => Unary::Globally,
        Unary::Globally => Unary::Finally,
    }
}

fn dual_binary(operator: Binary) -> Binary {
    match operator {
        Binary::And => Binary::Or,
        Binary::Or => Binary::And,
        Binary::Until => Binary::Release,
        Binary::Release => Binary::Until,
        Binary::WeakUntil => Binary::StrongRelease,
        Binary::StrongRelease => Binary::WeakUntil,
        Binary::Implies | Binary::Iff | Binary::Xor => unreachable!("normal forms have no other operators"),
    }
}
