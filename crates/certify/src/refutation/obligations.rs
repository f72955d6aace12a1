//! Obligations: implications over program states that a proof consists of, and who has shown them.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use foundation::Budget;
use logic::{Symbol, Term, Terms};
use smt::{Cached, SmtLib, Z3};

use crate::encode::{Encoding, Step};

/// How long one question may take the solver.
const QUERY_LIMIT: Duration = Duration::from_secs(10);

/// How many obligations were shown, and by what.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Shown {
    /// Because what is to be shown is what is known.
    pub at_sight: u64,
    /// By the solver.
    pub by_solver: u64,
}

/// Who is asked what is not seen at sight.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Decider {
    /// The solver in this program.
    #[default]
    Embedded,
    /// A program that reads SMT-LIB 2.6 from its standard input, with its arguments: `cvc5 --incremental`.
    Command(Vec<String>),
}

impl Decider {
    /// The Z3 program that came with the solver in this one, as a process of its own; none where it is not there any more.
    pub fn bundled() -> Option<Self> {
        let program = smt::bundled_z3()?;
        Some(Decider::Command(vec![program.to_str()?.to_owned(), "-in".to_owned()]))
    }
}

impl std::fmt::Display for Decider {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Decider::Embedded => f.write_str("Z3"),
            Decider::Command(command) => write!(f, "`{}`", command.join(" ")),
        }
    }
}

/// A solver that is asked closed questions.
enum Asked<'a> {
    Embedded(Cached<'a, Z3<'a>>),
    Command(Cached<'a, SmtLib<'a>>),
}

impl<'a> Asked<'a> {
    fn new(terms: &'a Terms, decider: &Decider, budget: &Budget) -> Result<Self, String> {
        match decider {
            Decider::Embedded => {
                let mut solver = Z3::new(terms, budget);
                solver.set_query_limit(Some(QUERY_LIMIT));
                Ok(Asked::Embedded(Cached::new(terms, solver)))
            }
            Decider::Command(command) if command.is_empty() => Err("no solver is named".to_owned()),
            Decider::Command(command) => {
                let started = SmtLib::start(terms, budget, command);
                let mut solver = started.map_err(|error| format!("{decider} cannot be started: {error}"))?;
                solver.set_query_limit(Some(QUERY_LIMIT));
                Ok(Asked::Command(Cached::new(terms, solver)))
            }
        }
    }

    fn is_unsatisfiable(&mut self, question: Term) -> bool {
        let answer = match self {
            Asked::Embedded(solver) => solver.unsatisfiable(question),
            Asked::Command(solver) => solver.unsatisfiable(question),
        };
        answer == Some(true)
    }
}

/// Shows obligations.
pub(super) struct Obligations<'a> {
    terms: &'a Terms,
    encoding: &'a Encoding<'a>,
    solver: RefCell<Asked<'a>>,
    ranges: RefCell<HashMap<Symbol, Term>>,
    shown: RefCell<Shown>,
}

impl<'a> Obligations<'a> {
    pub fn new(
        terms: &'a Terms,
        encoding: &'a Encoding<'a>,
        decider: &Decider,
        budget: &Budget,
    ) -> Result<Self, String> {
        let solver = RefCell::new(Asked::new(terms, decider, budget)?);
        Ok(Self { terms, encoding, solver, ranges: RefCell::default(), shown: RefCell::default() })
    }

    pub fn shown(&self) -> Shown {
        *self.shown.borrow()
    }

    /// Whether all of these hold after a step, wherever all of those hold before it.
    pub fn hold_after(&self, before: &[Term], step: &Step, after: &[Term]) -> bool {
        let known: BTreeSet<Term> = before.iter().flat_map(|&term| self.terms.conjuncts(term)).collect();
        let wanted = after.iter().flat_map(|&term| self.terms.conjuncts(step.after(self.terms, term)));
        let open: Vec<Term> = wanted.filter(|term| !known.contains(term)).collect();
        self.shown.borrow_mut().at_sight += u64::from(open.is_empty());
        open.is_empty() || self.impossible(before, step.guard, self.terms.not(self.terms.and(open)))
    }

    /// Whether a step can never be taken where all of these hold.
    pub fn never_taken(&self, before: &[Term], step: &Step) -> bool {
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
        let impossible = order.into_iter().any(|index| {
            let part = parts[index];
            let ranges = terms.symbols(part).iter().map(|&symbol| self.range(symbol)).collect::<Vec<_>>();
            let question = terms.and([part].into_iter().chain(ranges));
            self.solver.borrow_mut().is_unsatisfiable(question)
        });
        self.shown.borrow_mut().by_solver += u64::from(impossible);
        impossible
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
