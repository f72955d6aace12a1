//! Boxes: control is kept exactly, and values in as few boxes as conditions tell apart.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `followed` | the program, its parts, what an edge does to a box |
//! | `needed` | which parts of variables matter |
//! | `cuts` | into which pieces conditions cut the values of a part |
//! | `defined` | where evaluation may be undefined |
//! | `overflow` | where a signed integer may overflow |
//! | `split` | taking a box apart where a condition is undecided |
//! | `walk` | all paths from one cutpoint to the next |
//! | `graph` | the boxes that contain all reachable states |
//! | `product` | that graph beside the automaton of the negated goal |
//! | `concrete` | a few states of each box, one by one, among which a violation may be found |
//!
//! Many programs have millions of states, but tell few of them apart: their conditions cut the values of each variable into
//! a handful of pieces, and of the combinations of pieces few can be reached. For each combination one box is kept, which
//! grows until it contains all states of the combination that can be reached. The boxes are then the states of a small
//! graph in which everything that the program does can be found; where no accepting run of the negated goal's automaton is in
//! it, the goal holds. Where one is, a few states of each box are followed one by one, which may show a violation; if not, a
//! variable with several values on the run is kept exactly, and the graph is made anew
//! (counterexample-guided refinement: Clarke et al., "Counterexample-guided abstraction refinement", CAV 2000).
//!
//! docs/design/boxes.md tells the whole with an example.

mod concrete;
mod cuts;
mod defined;
mod followed;
mod graph;
mod needed;
mod overflow;
mod product;
mod split;
mod walk;

use automata::algorithms::find_lasso;
use foundation::collections::HashSet;
use foundation::{Budget, Id};
use task::certificate::cover::{Cover, CoverBox, Intervals};
use task::registry::{Decides, Entry, SECOND, Turn};
use task::{
    Board, Certificate, Counterexample, Engine, Negation, Outcome, Preparation, Reason, Statistics, Task, Verdict,
};

use analysis::Values;
use analysis::cells::CellId;
use followed::FollowedProgram;
use graph::BoxGraph;
use product::{BoxProduct, ProductState};
use program::semantics::ObserveMode;

/// A part is kept exactly if it has no more values than this.
const MOST_EXACT_VALUES: u128 = 1 << 10;

/// How often the graph is made.
const MOST_ROUNDS: usize = 12;

/// All rounds but the first one may take one of so many parts of the work.
const REFINING_SHARE: u64 = 4;

/// How the engine is chosen. It takes its turn after the engine that visits all states has looked whether there are few.
pub const ENTRY: Entry = Entry {
    name: "boxes",
    about: "visits boxes of states",
    decides: Decides::Both,
    shows: false,
    writes_proofs: false,
    takes: covers,
    make: |_| Box::new(Boxes),
    turns: &[Turn { round: 3, work: 6 * SECOND, share: 4 }, Turn { round: 5, work: 60 * SECOND, share: 3 }],
};

/// The engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Boxes;

impl Engine for Boxes {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn check(&self, task: &Task, board: &Board, budget: &Budget) -> Outcome {
        let mut statistics = Statistics::default();
        let verdict = decide(task, board, budget, &mut statistics).unwrap_or_else(Verdict::Unknown);
        Outcome::of(self.name(), verdict, statistics)
    }
}

fn covers(task: &Task) -> Result<(), Reason> {
    task.goal.linear()?;
    if task.program.has_threads() || task.semantics.stop_at_call.is_some() {
        return Err(Reason::LeftToOthers("threads, and properties that end an execution".to_owned()));
    }
    if task.semantics.observe == ObserveMode::Change {
        return Err(Reason::LeftToOthers("the observation of changes".to_owned()));
    }
    Ok(())
}

fn decide(task: &Task, board: &Board, budget: &Budget, statistics: &mut Statistics) -> Result<Verdict, Reason> {
    covers(task)?;
    let negation = Negation::of(task, board, ENTRY.name, budget)?;
    let preparation = Preparation::of(task, board, ENTRY.name, budget)?;
    let preparation = preparation
        .map_err(|_| Reason::LeftToOthers("recursion, or a program that is too large without calls".to_owned()))?;
    let subject = FollowedProgram::new(task, preparation, negation)?;
    let mut exact = vec![false; subject.cells.len()];
    // What boxes are good for shows at the first look; refinement is given less of a turn, so that others come to theirs.
    let refining =
        budget.work_left().map_or_else(|| budget.part(), |left| budget.part_with_work(left / REFINING_SHARE));
    for round in 1..=MOST_ROUNDS {
        let budget = if round == 1 { budget } else { &refining };
        let graph = BoxGraph::explore(&subject, &exact, budget)?;
        statistics.count("boxes", graph.nodes.len() as u64);
        statistics.count("transitions", graph.transitions());
        statistics.count("rounds", round as u64);
        let Some(lasso) = find_lasso(&BoxProduct::new(&graph), budget)? else {
            return Ok(Verdict::Holds(Certificate::Cover(Box::new(cover(&subject, &graph)))));
        };
        if let Some(lasso) = concrete::violation(&subject, &graph, budget)? {
            return Ok(Verdict::Violated(Counterexample::Lasso(lasso)));
        }
        let on_lasso: HashSet<u32> = (lasso.cycle.iter().chain(&lasso.stem))
            .filter_map(|step| match step.from {
                ProductState::At(node, _) => node,
                ProductState::Accepted => None,
            })
            .collect();
        let Some(cell) = worth_knowing(&subject, &graph, &on_lasso, &exact) else {
            let why = "boxes are too coarse: an execution that would violate the property may be none".to_owned();
            return Err(Reason::LeftToOthers(why));
        };
        exact[cell.index()] = true;
    }
    Err(Reason::LeftToOthers("boxes are too coarse".to_owned()))
}

/// A part that is worth being kept exactly: of those that have several values on a lasso the one that has fewest.
fn worth_knowing(
    subject: &FollowedProgram,
    graph: &BoxGraph<'_>,
    on_lasso: &HashSet<u32>,
    exact: &[bool],
) -> Option<CellId> {
    let mut best: Option<(u128, CellId)> = None;
    for &number in on_lasso {
        let node = &graph.nodes[number as usize];
        for &cell in subject.live(node.location).iter().filter(|cell| !exact[cell.index()]) {
            let count = node.state[cell.index()].bounds().and_then(|bounds| bounds.count());
            let Some(count) = count.filter(|count| (2..=MOST_EXACT_VALUES).contains(count)) else { continue };
            if !subject.cells.get(cell).many && best.is_none_or(|best| (count, cell) < best) {
                best = Some((count, cell));
            }
        }
    }
    best.map(|(_, cell)| cell)
}

/// The boxes, as a certificate.
fn cover(subject: &FollowedProgram, graph: &BoxGraph<'_>) -> Cover {
    let boxes = graph.nodes.iter().filter_map(|node| {
        let location = subject.inlined_location(node.location)?;
        let known = subject.live(node.location).iter().filter(|cell| node.state[cell.index()] != *subject.any(**cell));
        let mut values: Vec<_> =
            known.filter_map(|&cell| Some((subject.part(cell)?, intervals(&node.state[cell.index()])))).collect();
        values.sort();
        Some(CoverBox { location, values })
    });
    Cover { automaton: subject.negation.automaton.clone(), boxes: boxes.collect(), transitions: graph.transitions() }
}

fn intervals(values: &Values) -> Intervals {
    match values.explicit() {
        None => values.bounds().map(|bounds| (bounds.low(), bounds.high())).into_iter().collect(),
        Some(values) => values.iter().fold(Intervals::new(), |mut intervals, &value| {
            match intervals.last_mut() {
                Some((_, high)) if *high + 1 == value => *high = value,
                _ => intervals.push((value, value)),
            }
            intervals
        }),
    }
}
