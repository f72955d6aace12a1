//! Checks that an execution goes on for ever although it need not come back to a state: its stem leads into a set of
//! states that the iterations of a loop do not leave ([`RecurrentSet`]).
//!
//! | module | what it holds |
//! | --- | --- |
//! | `iterations` | all iterations from the set, over formulas: each leads back into it, and all show the same |
//! | `told` | what the set says, for people |
//! | `stem` | the execution up to the set and the first iterations from there, by the interpreter |
//!
//! Why that suffices. What the formulas say of an edge allows everything that the program does, and more. Of all paths
//! from the set along edges of the program it is shown that they come back to the head, in the set, having read the
//! same word; that they are neither blocked by an assumption, nor undefined, nor at an end is shown likewise. The
//! program takes one of these paths, since it always does something. So whoever is in the set comes back to the set and
//! shows the word, for ever; and the stem was executed and has led there.

mod iterations;
mod stem;
mod told;

use automata::ltl::AtomId;
use foundation::collections::HashMap;
use foundation::{Budget, Id};
use logic::{Sort, Symbol, Term, Terms};
use program::passes::{Prepared, prepare};
use program::semantics::{ObserveMode, UndefinedMode};
use task::{Lasso, RecurrentSet, Task};

use iterations::{Common, Iterations};
use kernel::encode::{Encoding, Transition};
use kernel::refutation::{ConditionReader, Impossible, NotProved, Obligations, covered};
use replay::iteration::{Iteration, repeated};
use replay::{Closing, Rejected, Replayed};
use smt::Decider;
use stem::Stem;

/// Programs that inlining makes larger than this are not looked at.
const MOST_EDGES: usize = 100_000;

/// So many iterations are counted as part of the stem where that helps.
const MOST_LEADING_ITERATIONS: usize = 2;

/// What an observed state shows: the truth of the goal's atoms.
type GoalTruth = Vec<bool>;

/// The argument as terms.
struct RecurrenceArgument<'a> {
    task: &'a Task,
    prepared: &'a Prepared,
    terms: &'a Terms,
    encoding: &'a Encoding<'a>,
    obligations: &'a Obligations<'a>,
    given: &'a RecurrentSet,
    /// What holds when an iteration begins.
    set: Vec<Term>,
    /// The counters with their values at the start.
    start: HashMap<Symbol, Term>,
    /// What an iteration does to the counters.
    counting: Transition,
    /// What inputs are, over the beginning of the iteration.
    choices: HashMap<&'a str, Term>,
    /// The atoms that the goal speaks of.
    atoms: Vec<AtomId>,
}

/// Checks an execution that goes on in a recurrent set.
pub fn goes_on(task: &Task, stem: &Lasso, given: &RecurrentSet, budget: &Budget) -> Result<Replayed, Rejected> {
    smt::in_own_context(|| check(task, stem, given, budget))
}

fn check(task: &Task, stem: &Lasso, given: &RecurrentSet, budget: &Budget) -> Result<Replayed, Rejected> {
    let wrong = |reason: &str| Rejected::NotRecurrent { reason: reason.to_owned() };
    covered(task).map_err(|reason| Rejected::Unsupported { reason, span: None })?;
    if task.semantics.observe == ObserveMode::Change {
        // Iterations that write the same values are not observed alike if they write at different places.
        let reason = "observation of changes is not covered".to_owned();
        return Err(Rejected::Unsupported { reason, span: None });
    }
    let mut prepared = prepare(&task.program, &task.atoms, task.semantics, MOST_EDGES).map_err(|_| {
        Rejected::Unsupported { reason: "the program cannot be inlined, or has threads".into(), span: None }
    })?;
    if given.head.index() >= prepared.program.locations.len() {
        return Err(wrong("the program has no such location"));
    }
    // What is undefined is neither ignored nor an end here: it is to be excluded.
    prepared.semantics.undefined = UndefinedMode::Error;
    let terms = Terms::new();
    let encoding = Encoding::new(&prepared, &terms, &given.symbols, &given.addresses)
        .map_err(|reason| Rejected::NotRecurrent { reason })?;
    let obligations = Obligations::new(&terms, &encoding, Impossible::default(), &Decider::Embedded, false, budget)
        .map_err(|reason| Rejected::NotRecurrent { reason })?;
    let argument = RecurrenceArgument::read(task, &prepared, &terms, &encoding, &obligations, given)
        .map_err(|reason| Rejected::NotRecurrent { reason })?;
    let checked = argument.check(stem, budget);
    budget.check().map_err(Rejected::Exhausted)?;
    match checked {
        Err(Rejected::NotRecurrent { reason }) => Err(match encoding.approximated().first() {
            _ if obligations.left_open() > 0 => {
                let reason = format!("{reason}; the solver left {} questions open", obligations.left_open());
                Rejected::Unsupported { reason, span: None }
            }
            Some((phrase, _)) => {
                Rejected::Unsupported { reason: format!("{reason}; the check only approximates {phrase}"), span: None }
            }
            None => Rejected::NotRecurrent { reason },
        }),
        other => other,
    }
}

impl<'a> RecurrenceArgument<'a> {
    fn read(
        task: &'a Task,
        prepared: &'a Prepared,
        terms: &'a Terms,
        encoding: &'a Encoding<'a>,
        obligations: &'a Obligations<'a>,
        given: &'a RecurrentSet,
    ) -> Result<Self, String> {
        let mut counters: HashMap<&str, Symbol> = HashMap::default();
        let mut start = HashMap::default();
        for counter in &given.counters {
            let symbol = terms.symbol(&counter.name, Sort::Int);
            if encoding.symbol(&counter.name).is_some() || counters.insert(&counter.name, symbol).is_some() {
                return Err(format!("`{}` is declared twice", counter.name));
            }
            start.insert(symbol, terms.integer(counter.start.clone()));
        }
        let names = |word: &str| {
            let symbol = counters.get(word).copied().or_else(|| encoding.symbol(word))?;
            Some(terms.variable(symbol))
        };
        let reader = ConditionReader { terms, names: &names };
        let mut counting = Transition::skip(terms);
        for counter in &given.counters {
            counting.updates.insert(counters[counter.name.as_str()], reader.number(&counter.next)?);
        }
        let mut choices = HashMap::default();
        for choice in &given.choices {
            if choices.insert(choice.input.as_str(), reader.value(&choice.value)?).is_some() {
                return Err(format!("`{}` is chosen twice", choice.input));
            }
        }
        let set = given.set.iter().map(|text| reader.condition(text)).collect::<Result<Vec<_>, String>>()?;
        let atoms = task.goal_atoms();
        Ok(Self { task, prepared, terms, encoding, obligations, given, set, start, counting, choices, atoms })
    }

    fn check(&self, stem: &Lasso, budget: &Budget) -> Result<Replayed, Rejected> {
        let mut lead = 0;
        let (executed, Common { word, several_paths, added }) = loop {
            let mut executed = Stem::execute(self, stem, lead, budget)?;
            match (Iterations { argument: self }).follow(std::mem::take(&mut executed.constants), budget) {
                Ok(common) => break (executed, common),
                // What holds whenever an iteration begins may hold only after some iterations.
                Err(NotProved::Wrong(_)) if lead < MOST_LEADING_ITERATIONS => lead += 1,
                Err(failure) => return Err(rejected(failure)),
            }
        };
        let Stem { answers, before, begins, ends, truth, counters, .. } = executed;
        let goal_only =
            |truth: &Vec<bool>| -> GoalTruth { self.atoms.iter().map(|atom| truth[atom.index()]).collect() };
        let first: Vec<GoalTruth> = truth[begins..ends].iter().map(goal_only).collect();
        if self.reduced(first) != word {
            return Err(not_recurrent("the first iteration shows something else than all iterations"));
        }
        let (growth, set) = (self.growth(&counters, &added), self.conditions());
        let closing = Closing::Recurrent { growth, set, several_paths };
        let truth = truth[..ends].to_vec();
        repeated(self.task, Iteration { answers, answers_before: before, truth, begins, closing }, budget)
    }

    /// A word as far as the goal tells words apart: one without `X` does not count repetitions (Lamport, "What good is
    /// temporal logic?", 1983).
    fn reduced(&self, mut word: Vec<GoalTruth>) -> Vec<GoalTruth> {
        if !self.task.formulas.has_next(self.task.formula()) {
            word.dedup();
        }
        word
    }
}

fn not_recurrent(reason: impl Into<String>) -> Rejected {
    Rejected::NotRecurrent { reason: reason.into() }
}

fn rejected(failure: NotProved) -> Rejected {
    match failure {
        NotProved::Exhausted(exhausted) => Rejected::Exhausted(exhausted),
        NotProved::NoSolver(reason) | NotProved::NotCovered(reason) => Rejected::Unsupported { reason, span: None },
        NotProved::Wrong(reason) => Rejected::NotRecurrent { reason },
    }
}
