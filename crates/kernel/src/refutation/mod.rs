//! Checks the certificate of a proof by refuted traces ([`Refutation`]), step by step, without any search for
//! arguments.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `condition` | conditions of the certificate as terms |
//! | `reading` | at which edges the automaton reads |
//! | `blocks` | all paths from one state of the product to the next, walked anew |
//! | `module` | modules, and what their states say |
//! | `macrostate` | what the runs of a module may be doing: the rules of the complement |
//! | `graph` | start, steps and progress: that no fair trace is left |
//! | `obligations` | the implications that all of this consists of, and who has shown them |
//! | `arithmetic` | steps that the certificate shows by linear arithmetic |
//!
//! Why passing means that the goal holds is in `docs/design/certify.md`.

mod arithmetic;
mod blocks;
mod condition;
mod graph;
mod macrostate;
mod module;
mod obligations;
mod reading;

use foundation::collections::HashMap;
use foundation::{Budget, Exhausted, Id, Span};
use logic::{Term, Terms};
use program::passes::{NotPrepared, Prepared, prepare};
use smt::Decider;
use task::Task;
use task::certificate::refutation::{Control, ProductEdge, Refutation};

use crate::encode::Encoding;
use crate::tableau::Inclusion;
pub use arithmetic::{Impossible, refutes};
use blocks::{Block, Walker};
pub use condition::ConditionReader;
use graph::CheckedGraph;
use module::CheckedModule;
pub use obligations::{ObligationCounts, Obligations, Questions};
use reading::ReadingCheck;
pub use reading::covered;

/// Programs that inlining makes larger than this are not looked at.
const MOST_EDGES: usize = 100_000;

/// A proof that has passed.
#[derive(Clone, Debug)]
pub struct Proved {
    /// Why the automaton accepts every word that violates the goal.
    pub inclusion: Inclusion,
    /// How many obligations there were, and what has shown them.
    pub shown: ObligationCounts,
    /// Which solver was asked.
    pub decider: Decider,
    /// What the formulas leave open: they cover more than the program does.
    pub approximated: Vec<(String, Span)>,
}

/// Why a proof has not passed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotProved {
    /// A limit was reached.
    Exhausted(Exhausted),
    /// There is nobody to ask.
    NoSolver(String),
    /// Something could not be shown, but the program does what the formulas only approximate, a solver has left
    /// questions open, or something is too large.
    NotCovered(String),
    /// Something in it is wrong, or could not be shown.
    Wrong(String),
}

impl NotProved {
    /// A fault of the evidence.
    pub fn wrong(what: impl Into<String>) -> Self {
        NotProved::Wrong(what.into())
    }
}

/// Checks that a certificate proves that all executions of a task's program satisfy its goal, given why its automaton
/// accepts every word that violates the goal.
pub fn check(
    task: &Task,
    refutation: &Refutation,
    inclusion: Inclusion,
    decider: &Decider,
    budget: &Budget,
) -> Result<Proved, NotProved> {
    let check = || check_and_keep(task, refutation, inclusion, decider, false, budget);
    smt::in_own_context(check).map(|(proved, _)| proved)
}

/// What the solver of this program has to show for a certificate that passes, for whoever looks for arguments that need
/// no solver.
pub fn questions(task: &Task, refutation: &Refutation, budget: &Budget) -> Result<Questions, NotProved> {
    let check = || check_and_keep(task, refutation, Inclusion::ShownElsewhere, &Decider::Embedded, true, budget);
    smt::in_own_context(check).map(|(_, questions)| questions)
}

fn check_and_keep(
    task: &Task,
    refutation: &Refutation,
    inclusion: Inclusion,
    decider: &Decider,
    keeps_questions: bool,
    budget: &Budget,
) -> Result<(Proved, Questions), NotProved> {
    let prepared = prepare(&task.program, &task.atoms, task.semantics, MOST_EDGES).map_err(|why| match why {
        NotPrepared::Threads => NotProved::wrong("programs with threads are not covered"),
        NotPrepared::NotInlined(_) => NotProved::wrong("the program cannot be inlined"),
    })?;
    refutation.fits(&prepared.program).map_err(NotProved::Wrong)?;
    let terms = Terms::new();
    let encoding =
        Encoding::new(&prepared, &terms, &refutation.symbols, &refutation.addresses).map_err(NotProved::Wrong)?;
    let impossible = Impossible::new(&refutation.definitions, &refutation.steps).map_err(NotProved::Wrong)?;
    let obligations = Obligations::new(&terms, &encoding, impossible, decider, keeps_questions, budget);
    let obligations = obligations.map_err(NotProved::NoSolver)?;
    let followed = follow(task, &prepared, &terms, &encoding, refutation, &obligations);
    obligations.check()?;
    match followed {
        Ok(()) => {
            let (shown, decider, approximated) = (obligations.shown(), decider.clone(), encoding.approximated());
            Ok((Proved { inclusion, shown, decider, approximated }, obligations.questions()))
        }
        Err(NotProved::Wrong(what)) if obligations.left_open() > 0 => Err(NotProved::NotCovered(match decider {
            Decider::Nobody => format!("without a solver, {what}"),
            _ => format!("{what}; {decider} left {} questions open", obligations.left_open()),
        })),
        Err(NotProved::Wrong(what)) => Err(match encoding.approximated().first() {
            Some((phrase, _)) => NotProved::NotCovered(format!("{what}; the check only approximates {phrase}")),
            None => NotProved::Wrong(what),
        }),
        Err(other) => Err(other),
    }
}

/// Follows the proof from layer to layer.
fn follow(
    task: &Task,
    prepared: &Prepared,
    terms: &Terms,
    encoding: &Encoding<'_>,
    refutation: &Refutation,
    obligations: &Obligations<'_>,
) -> Result<(), NotProved> {
    let names = |word: &str| encoding.symbol(word).map(|symbol| terms.variable(symbol));
    let reader = ConditionReader { terms, names: &names };
    let conditions = |texts: &[task::certificate::sexp::Sexp]| -> Result<Vec<Term>, NotProved> {
        texts.iter().map(|text| reader.condition(text).map_err(NotProved::Wrong)).collect()
    };
    let reading = ReadingCheck::new(task, prepared, encoding, terms, refutation)?;
    let mut invariants = Vec::new();
    let mut states: HashMap<(Control, u32), u32> = HashMap::default();
    for (index, state) in refutation.states.iter().enumerate() {
        invariants.push(conditions(&state.invariant)?);
        if states.insert((state.place, state.automaton), index as u32).is_some() {
            return Err(NotProved::Wrong(format!("state {index} of the product is written twice")));
        }
    }
    let mut automaton: Vec<Vec<u32>> = vec![Vec::new(); refutation.automaton.state_count()];
    for (number, edge) in (0u32..).zip(refutation.automaton.edges()) {
        automaton[edge.from.index()].push(number);
    }
    let mut edges: Vec<Vec<&ProductEdge>> = vec![Vec::new(); refutation.states.len()];
    for edge in &refutation.edges {
        edges[edge.from as usize].push(edge);
    }
    let walker = Walker {
        prepared,
        terms,
        encoding,
        reading: &reading,
        refutation,
        obligations,
        states: &states,
        names: &names,
        automaton: &automaton,
    };
    let blocks = inductive(&walker, &edges, &mut invariants)?;
    walker.reads_what_is_observed(&invariants, &edges)?;
    if let Some(state) = silent_cycle(&blocks) {
        return Err(NotProved::Wrong(format!("nothing is read on a cycle through state {state} of the product")));
    }
    let mut modules = Vec::new();
    for module in &refutation.modules {
        modules.push(CheckedModule::new(terms, module, &names).map_err(NotProved::Wrong)?);
    }
    let predicates = conditions(&refutation.predicates)?;
    let graph = CheckedGraph {
        terms,
        refutation,
        states: &states,
        invariants: &invariants,
        blocks: &blocks,
        modules: &modules,
        predicates: &predicates,
        obligations,
    };
    graph.check()
}

/// The largest part of the invariants that every block keeps, and the blocks.
///
/// What is not kept is left out, until all is kept. Ways that the invariants exclude are no blocks, so that these are
/// found anew when something was left out.
fn inductive<'a>(
    walker: &Walker<'a, '_>,
    edges: &[Vec<&'a ProductEdge>],
    invariants: &mut [Vec<Term>],
) -> Result<Vec<Vec<Block>>, NotProved> {
    loop {
        let blocks = (0u32..).zip(invariants.iter()).zip(edges);
        let blocks = blocks.map(|((index, known), edges)| walker.blocks(index, known, edges));
        let blocks = blocks.collect::<Result<Vec<_>, NotProved>>()?;
        let mut is_kept = true;
        for (from, block) in
            blocks.iter().enumerate().flat_map(|(from, blocks)| blocks.iter().map(move |block| (from, block)))
        {
            walker.obligations.check()?;
            let (known, wanted) = (&invariants[from], &invariants[block.to as usize]);
            if !walker.obligations.hold_after(known, &block.step, wanted) {
                let holds = |condition: &Term| walker.obligations.hold_after(known, &block.step, &[*condition]);
                let kept: Vec<Term> = wanted.iter().copied().filter(holds).collect();
                invariants[block.to as usize] = kept;
                is_kept = false;
            }
        }
        if is_kept {
            return Ok(blocks);
        }
    }
}

/// A state on a cycle of blocks on which nothing is read: an infinite execution might show a finite word there. It is
/// found by taking away, again and again, states from which no such block leads on.
fn silent_cycle(blocks: &[Vec<Block>]) -> Option<usize> {
    let mut silent: Vec<Vec<usize>> = Vec::new();
    for blocks in blocks {
        silent.push(blocks.iter().filter(|block| !block.reads).map(|block| block.to as usize).collect());
    }
    let mut is_left = vec![true; blocks.len()];
    while let Some(state) =
        (0..blocks.len()).find(|&state| is_left[state] && !silent[state].iter().any(|&to| is_left[to]))
    {
        is_left[state] = false;
    }
    is_left.iter().position(|&is_left| is_left)
}
