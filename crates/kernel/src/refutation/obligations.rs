//! Obligations: implications over program states that a proof consists of, and who has shown them.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::time::Duration;

use foundation::Budget;
use foundation::collections::{HashMap, HashSet};
use logic::{Bracketed, Expression, Symbol, Term, Terms};
use smt::{Answered, Decider, Deciders};

use super::NotProved;
use super::arithmetic::Impossible;
use crate::encode::{Encoding, Transition};

/// How long one question may take the solver.
const QUERY_LIMIT: Duration = Duration::from_secs(10);

/// How many obligations were shown, and by what.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ObligationCounts {
    /// Because what is to be shown is what is known.
    pub at_sight: u64,
    /// By an argument of arithmetic in the certificate.
    pub by_arithmetic: u64,
    /// By another program.
    pub by_command: u64,
    /// By the solver in this one.
    pub by_embedded: u64,
}

/// What was asked of a solver that said yes, in the order in which it was.
#[derive(Default)]
pub struct Questions {
    /// The conditions are spelled in here.
    pub expressions: Bracketed,
    /// Conditions that are impossible.
    pub asked: Vec<Expression>,
}

/// Shows obligations.
pub struct Obligations<'a> {
    terms: &'a Terms,
    encoding: &'a Encoding<'a>,
    /// What the certificate shows by arithmetic.
    impossible: RefCell<Impossible>,
    solver: RefCell<Deciders<'a>>,
    ranges: RefCell<HashMap<Symbol, Term>>,
    shown: RefCell<ObligationCounts>,
    /// How many questions nobody has answered.
    left_open: Cell<u64>,
    /// What the solver has shown, where somebody wants to know.
    questions: Option<RefCell<(Vec<Expression>, HashSet<Expression>)>>,
    budget: Budget,
}

impl<'a> Obligations<'a> {
    /// Nothing shown yet; these steps of a certificate have arguments of arithmetic.
    pub fn new(
        terms: &'a Terms,
        encoding: &'a Encoding<'a>,
        impossible: Impossible,
        decider: &Decider,
        keeps_questions: bool,
        budget: &Budget,
    ) -> Result<Self, String> {
        Ok(Self {
            terms,
            encoding,
            impossible: RefCell::new(impossible),
            solver: RefCell::new(Deciders::start(terms, decider, QUERY_LIMIT, budget)?),
            ranges: RefCell::default(),
            budget: budget.clone(),
            shown: RefCell::default(),
            left_open: Cell::new(0),
            questions: keeps_questions.then(RefCell::default),
        })
    }

    /// What the solver has shown, if it was kept.
    pub fn questions(self) -> Questions {
        let (asked, _) = self.questions.map(RefCell::into_inner).unwrap_or_default();
        Questions { expressions: self.impossible.into_inner().expressions, asked }
    }

    /// What was shown so far, and by whom.
    pub fn shown(&self) -> ObligationCounts {
        *self.shown.borrow()
    }

    /// How many questions nobody has answered.
    pub fn left_open(&self) -> u64 {
        self.left_open.get()
    }

    /// Whether to go on: no limit is reached.
    pub fn check(&self) -> Result<(), NotProved> {
        self.budget.check().map_err(NotProved::Exhausted)
    }

    /// Whether all of these hold after a step, wherever all of those hold before it.
    pub fn hold_after(&self, before: &[Term], step: &Transition, after: &[Term]) -> bool {
        let known: BTreeSet<Term> = before.iter().flat_map(|&term| self.terms.conjuncts(term)).collect();
        let wanted = after.iter().flat_map(|&term| self.terms.conjuncts(step.after(self.terms, term)));
        let open: Vec<Term> = wanted.filter(|term| !known.contains(term)).collect();
        self.shown.borrow_mut().at_sight += u64::from(open.is_empty());
        open.is_empty() || self.impossible(before, step.guard, self.terms.not(self.terms.and(open)))
    }

    /// Whether a step can never be taken where all of these hold.
    pub fn never_taken(&self, before: &[Term], step: &Transition) -> bool {
        self.impossible(before, step.guard, self.terms.truth(true))
    }

    /// Whether conditions exclude each other, in states that are possible at all.
    pub fn impossible(&self, before: &[Term], guard: Term, more: Term) -> bool {
        let terms = self.terms;
        let all = terms.and(before.iter().copied().chain([guard, more]));
        if let Some(value) = terms.as_truth(all) {
            self.shown.borrow_mut().at_sight += u64::from(!value);
            return !value;
        }
        // What has nothing to do with `more` matters only if it is impossible by itself.
        let parts = connected(terms, all);
        let first = parts.iter().position(|part| !terms.symbols(*part).is_disjoint(&terms.symbols(more)));
        let order = first.into_iter().chain((0..parts.len()).filter(|index| Some(*index) != first));
        order.into_iter().any(|index| {
            let part = parts[index];
            let ranges = terms.symbols(part).iter().map(|&symbol| self.range(symbol)).collect::<Vec<_>>();
            self.is_unsatisfiable(terms.and([part].into_iter().chain(ranges)))
        })
    }

    /// By the certificate's argument if it has one, by the solver otherwise.
    fn is_unsatisfiable(&self, question: Term) -> bool {
        if self.impossible.borrow_mut().has(self.terms, question) {
            self.shown.borrow_mut().by_arithmetic += 1;
            return true;
        }
        let answer = self.solver.borrow_mut().unsatisfiable(question);
        match answer {
            Some((Answered::ByCommand, true)) => self.shown.borrow_mut().by_command += 1,
            Some((Answered::ByEmbedded, true)) => self.shown.borrow_mut().by_embedded += 1,
            Some((_, false)) => {}
            None => self.left_open.set(self.left_open.get() + 1),
        }
        let is_shown = answer.is_some_and(|(_, is_unsatisfiable)| is_unsatisfiable);
        if let (true, Some(questions)) = (is_shown, &self.questions)
            && let Some(spelled) = self.impossible.borrow_mut().spelled(self.terms, question)
            && questions.borrow_mut().1.insert(spelled)
        {
            questions.borrow_mut().0.push(spelled);
        }
        is_shown
    }

    fn range(&self, symbol: Symbol) -> Term {
        *self.ranges.borrow_mut().entry(symbol).or_insert_with(|| self.encoding.range(symbol))
    }
}

/// The conjuncts of a condition in groups that share no symbols.
fn connected(terms: &Terms, condition: Term) -> Vec<Term> {
    let mut groups: Vec<(BTreeSet<Symbol>, Vec<Term>)> = Vec::new();
    for conjunct in terms.conjuncts(condition) {
        let mut symbols = (*terms.symbols(conjunct)).clone();
        let mut together = vec![conjunct];
        groups.retain_mut(|(others, conjuncts)| {
            let apart = others.is_disjoint(&symbols);
            if !apart {
                symbols.append(others);
                together.append(conjuncts);
            }
            apart
        });
        groups.push((symbols, together));
    }
    groups.into_iter().map(|(_, conjuncts)| terms.and(conjuncts)).collect()
}
