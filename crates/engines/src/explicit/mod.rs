//! The explicit engine: visits the states of the product one by one (lecture notes, section 3, on the fly).
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`space`] | what a state space is |
//! | [`native`] | the state space of a sequential program, compiled |
//! | [`inputs`] | which values inputs are tried with there |
//! | [`interpreted`] | the state space of any program, by the interpreter, with partial-order reduction for threads |
//! | [`product`] | the space together with the automaton of the negated property |
//! | [`store`] | the visited states |
//! | [`search`](mod@search) | emptiness by strongly connected components |
//! | [`parallel`] | the same by several threads |
//! | [`graph`] | a part of the product in memory |
//! | [`strong`] | emptiness under strong fairness |
//! | [`lasso`](mod@lasso) | short counterexamples |
//!
//! `docs/design/explicit.md` tells the whole with an example.

pub mod graph;
pub mod inputs;
pub mod interpreted;
pub mod lasso;
pub mod native;
pub mod parallel;
pub mod product;
pub mod search;
pub mod space;
pub mod store;
pub mod strong;

use foundation::Budget;
use task::registry::{Decides, Entry, SECOND, Turn};
use task::watch::{Unwatched, Watch};
use task::{
    Board, Certificate, ClosedStateSpace, Counterexample, Engine, Negation, Outcome, Reason, Scheduler, Statistics,
    Task, Verdict,
};

use inputs::Inputs;
use interpreted::InterpretedSpace;
use native::NativeSpace;
use parallel::{SearchedInParallel, search_parallel};
use product::{Product, tag_bits};
use search::{Emptiness, search};
use space::Space;
use strong::search_strongly_fair;

/// How the engine is chosen. It comes first in a portfolio, for a moment: where inputs and states are few it is the fastest,
/// and where inputs are many it says so at once.
pub const ENTRY: Entry = Entry {
    name: "explicit",
    about: "visits all states",
    decides: Decides::Both,
    shows: false,
    writes_proofs: false,
    takes: |task| task.goal.linear().map(|_| ()),
    make: |setup| Box::new(Explicit { threads: setup.threads, compile: true, watch: setup.watch }),
    turns: &[
        Turn { round: 1, work: SECOND / 2, share: 8 },
        Turn { round: 6, work: 60 * SECOND, share: 3 },
        Turn { round: 8, work: u64::MAX, share: 1 },
    ],
};

/// The engine.
#[derive(Clone, Copy, Debug)]
pub struct Explicit<'w> {
    /// How many threads search at the same time.
    pub threads: usize,
    /// Whether programs may be compiled; else the interpreter takes all steps.
    pub compile: bool,
    /// Who is told how far it is. Several threads tell nothing.
    pub watch: &'w dyn Watch,
}

impl Default for Explicit<'_> {
    fn default() -> Self {
        Self { threads: 1, compile: true, watch: &Unwatched }
    }
}

impl Engine for Explicit<'_> {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn check(&self, task: &Task, board: &Board, budget: &Budget) -> Outcome {
        let mut statistics = Statistics::default();
        let verdict = self.decide(task, board, budget, &mut statistics).unwrap_or_else(Verdict::Unknown);
        Outcome::of(self.name(), verdict, statistics)
    }
}

impl Explicit<'_> {
    fn decide(
        &self,
        task: &Task,
        board: &Board,
        budget: &Budget,
        statistics: &mut Statistics,
    ) -> Result<Verdict, Reason> {
        let negation = Negation::of(task, board, ENTRY.name, budget)?;
        statistics.count("automaton_states", negation.automaton.state_count() as u64);
        let tag_bits = tag_bits(&negation);
        if self.compile {
            match NativeSpace::of(task, &negation, tag_bits, board, budget) {
                Ok(space) => {
                    statistics.word("successors", "compiled");
                    // There is only one thread, to which every schedule is fair.
                    let product = Product::new(space, &negation, Scheduler::Any).watched_by(self.watch);
                    return self.run(product, budget, statistics);
                }
                Err(why) => statistics.word("not_compiled", why.what),
            }
        }
        budget.check()?;
        statistics.word("successors", "interpreted");
        let inputs = board.once(ENTRY.name, || Ok::<_, Reason>(Inputs::new(task)))?;
        let domains = move |question: &_, edge| inputs.answers(question, edge);
        let space = InterpretedSpace::new(task, &negation, tag_bits, domains, budget)?;
        let scheduler = if task.program.has_threads() { task.scheduler } else { Scheduler::Any };
        self.run(Product::new(space, &negation, scheduler).watched_by(self.watch), budget, statistics)
    }

    /// Searches a product and makes a verdict of what is found.
    fn run<S: Space>(
        &self,
        mut product: Product<'_, S>,
        budget: &Budget,
        statistics: &mut Statistics,
    ) -> Result<Verdict, Reason> {
        let searched = match product.scheduler() {
            Scheduler::StrongFair => search_strongly_fair(&mut product, budget),
            Scheduler::Any | Scheduler::WeakFair if self.threads > 1 => {
                let SearchedInParallel { states, transitions, bytes, threads, answer, .. } =
                    search_parallel(&mut product, self.threads, budget);
                statistics.count("threads", threads as u64);
                match answer {
                    parallel::ParallelAnswer::Violation(searched) => searched,
                    parallel::ParallelAnswer::Unknown(reason) => return Err(reason),
                    parallel::ParallelAnswer::Nothing => {
                        measured(statistics, states, transitions, bytes);
                        return Ok(closed(&product, states, transitions));
                    }
                }
            }
            Scheduler::Any | Scheduler::WeakFair => search(&mut product, budget),
        };
        let (states, transitions) = (searched.states, searched.transitions);
        measured(statistics, states, transitions, searched.bytes);
        match &searched.found {
            Emptiness::Unknown(reason) => Err(reason.clone()),
            Emptiness::Nothing => Ok(closed(&product, states, transitions)),
            found => {
                let lasso = lasso::lasso(&mut product, &searched.store, found, budget)?;
                let lasso = lasso.ok_or_else(|| Reason::Incomplete("a violation could not be told".to_owned()))?;
                Ok(Verdict::Violated(Counterexample::Lasso(lasso)))
            }
        }
    }
}

/// The verdict that a closed state space without an accepting cycle gives.
fn closed<S: Space>(product: &Product<'_, S>, states: u64, transitions: u64) -> Verdict {
    let automaton = product.negation().automaton.clone();
    Verdict::Holds(Certificate::ClosedStateSpace(ClosedStateSpace { automaton, states, transitions }))
}

fn measured(statistics: &mut Statistics, states: u64, transitions: u64, bytes: usize) {
    statistics.count("states", states);
    statistics.count("transitions", transitions);
    statistics.quantity("bytes_per_state", bytes as f64 / states.max(1) as f64);
}
