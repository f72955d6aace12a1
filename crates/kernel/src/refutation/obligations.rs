//! Obligations: implications over program states that a proof consists of, and who has shown them.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use foundation::Budget;
use logic::{Symbol, Term, Terms};
use smt::{Cached, SmtLib, Z3};
use task::certificate::steps::Argument;

use super::Failure;
use super::arithmetic::{self, Fact};
use crate::encode::{Encoding, Step};

/// How long one question may take the solver.
const QUERY_LIMIT: Duration = Duration::from_secs(10);

/// How many obligations were shown, and by what.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Shown {
    /// Because what is to be shown is what is known.
    pub at_sight: u64,
    /// By an argument of arithmetic in the certificate.
    pub by_arithmetic: u64,
    /// By another program.
    pub by_command: u64,
    /// By the solver in this one.
    pub by_embedded: u64,
}

/// Who is asked what is not seen at sight.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Decider {
    /// The solver in this program.
    #[default]
    Embedded,
    /// Nobody: what the certificate does not show by arithmetic is not shown.
    Nobody,
    /// A program that reads SMT-LIB 2.6 from its standard input, with its arguments: `cvc5 --incremental`.
    Command(Vec<String>),
    /// Such a program, and the solver in this one for what it leaves open.
    Preferred(Vec<String>),
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
            Decider::Nobody => f.write_str("nobody"),
            Decider::Command(command) | Decider::Preferred(command) => write!(f, "`{}`", command.join(" ")),
        }
    }
}

/// Solvers that are asked closed questions, in this order.
struct Asked<'a> {
    command: Option<Cached<'a, SmtLib<'a>>>,
    embedded: Option<Cached<'a, Z3<'a>>>,
}

impl<'a> Asked<'a> {
    fn new(terms: &'a Terms, decider: &Decider, budget: &Budget) -> Result<Self, String> {
        let start = |command: &[String]| {
            if command.is_empty() {
                return Err("no solver is named".to_owned());
            }
            let started = SmtLib::start(terms, budget, command);
            let mut solver = started.map_err(|error| format!("{decider} cannot be started: {error}"))?;
            solver.set_query_limit(Some(QUERY_LIMIT));
            Ok(Cached::new(terms, solver))
        };
        let embedded = || {
            let mut solver = Z3::new(terms, budget);
            solver.set_query_limit(Some(QUERY_LIMIT));
            Cached::new(terms, solver)
        };
        Ok(match decider {
            Decider::Nobody => Self { command: None, embedded: None },
            Decider::Embedded => Self { command: None, embedded: Some(embedded()) },
            Decider::Command(command) => Self { command: Some(start(command)?), embedded: None },
            Decider::Preferred(command) => Self { command: start(command).ok(), embedded: Some(embedded()) },
        })
    }

    /// Whether there is no solution, if somebody knows. Who shows that there is none is counted.
    fn is_unsatisfiable(&mut self, question: Term, shown: &mut Shown) -> Option<bool> {
        if let Some(answer) = self.command.as_mut().and_then(|solver| solver.unsatisfiable(question)) {
            shown.by_command += u64::from(answer);
            return Some(answer);
        }
        let answer = self.embedded.as_mut()?.unsatisfiable(question)?;
        shown.by_embedded += u64::from(answer);
        Some(answer)
    }
}

/// What was asked of a solver that said yes.
pub type Questions = BTreeMap<String, Vec<Fact>>;

/// Shows obligations.
pub(super) struct Obligations<'a> {
    terms: &'a Terms,
    encoding: &'a Encoding<'a>,
    /// What the certificate says for steps, by the names of questions.
    arguments: HashMap<&'a str, &'a Argument>,
    solver: RefCell<Asked<'a>>,
    ranges: RefCell<HashMap<Symbol, Term>>,
    /// Whether an argument of the certificate shows what it is there for.
    followed: RefCell<HashMap<Term, bool>>,
    /// Whether one did not.
    is_misled: Cell<bool>,
    shown: RefCell<Shown>,
    /// How many questions nobody has answered.
    left_open: Cell<u64>,
    /// What the solver has shown, where somebody wants to know.
    questions: Option<RefCell<Questions>>,
    budget: Budget,
}

impl<'a> Obligations<'a> {
    pub fn new(
        terms: &'a Terms,
        encoding: &'a Encoding<'a>,
        steps: &'a [task::certificate::steps::Step],
        decider: &Decider,
        budget: &Budget,
    ) -> Result<Self, String> {
        Ok(Self {
            terms,
            encoding,
            arguments: steps.iter().map(|step| (step.question.as_str(), &step.argument)).collect(),
            solver: RefCell::new(Asked::new(terms, decider, budget)?),
            ranges: RefCell::default(),
            followed: RefCell::default(),
            is_misled: Cell::new(false),
            budget: budget.clone(),
            shown: RefCell::default(),
            left_open: Cell::new(0),
            questions: None,
        })
    }

    /// The same, and what the solver shows is kept.
    pub fn keeping_questions(self) -> Self {
        Self { questions: Some(RefCell::default()), ..self }
    }

    /// What the solver has shown, if it was kept.
    pub fn questions(&self) -> Questions {
        self.questions.as_ref().map(RefCell::take).unwrap_or_default()
    }

    pub fn shown(&self) -> Shown {
        *self.shown.borrow()
    }

    /// How many questions nobody has answered.
    pub fn left_open(&self) -> u64 {
        self.left_open.get()
    }

    /// Whether to go on: no limit is reached, and no argument of the certificate was found to be wrong.
    pub fn check(&self) -> Result<(), Failure> {
        self.budget.check().map_err(Failure::Exhausted)?;
        if self.is_misled.get() {
            return Err(Failure::wrong("the multipliers of a step do not add up to a contradiction"));
        }
        Ok(())
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
        order.into_iter().any(|index| {
            let part = parts[index];
            let ranges = terms.symbols(part).iter().map(|&symbol| self.range(symbol)).collect::<Vec<_>>();
            self.is_unsatisfiable(terms.and([part].into_iter().chain(ranges)))
        })
    }

    /// By the certificate's argument if it has one, which must be right then; by the solver otherwise.
    fn is_unsatisfiable(&self, question: Term) -> bool {
        if let Some(is_shown) = self.by_arithmetic(question) {
            self.shown.borrow_mut().by_arithmetic += u64::from(is_shown);
            return is_shown;
        }
        let answer = self.solver.borrow_mut().is_unsatisfiable(question, &mut self.shown.borrow_mut());
        let is_shown = answer.unwrap_or_else(|| {
            self.left_open.set(self.left_open.get() + 1);
            false
        });
        if let (true, Some(questions)) = (is_shown, &self.questions)
            && let Some(facts) = arithmetic::facts(self.terms, question)
        {
            questions.borrow_mut().insert(arithmetic::name(self.terms, question), facts);
        }
        is_shown
    }

    fn by_arithmetic(&self, question: Term) -> Option<bool> {
        if self.arguments.is_empty() {
            return None;
        }
        if let Some(&is_right) = self.followed.borrow().get(&question) {
            return Some(is_right);
        }
        let argument = self.arguments.get(arithmetic::name(self.terms, question).as_str())?;
        let facts = arithmetic::facts(self.terms, question);
        let is_right = facts.is_some_and(|facts| arithmetic::refutes(&facts, argument));
        self.followed.borrow_mut().insert(question, is_right);
        self.is_misled.set(self.is_misled.get() || !is_right);
        Some(is_right)
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
