//! When a deterministic system repeats itself.
//!
//! Two points of a walk with the same activations and control of all threads, the same mutexes, atomic sections and
//! memory, the same running thread, the same memory of the observer and the same answers to come go on the same for
//! ever. A pair of such points is found by keeping one, comparing all later ones with it, and keeping a later one after
//! ever more steps (Brent, "An improved Monte Carlo factorization algorithm", BIT 1980, section 2). Where the answers
//! say where the loop should be, the point after the first answer of the cycle is kept, and for a whole round, so that
//! a loop of many steps is walked once. That is only a choice of points: which are compared, and how, is not the
//! engine's to say.
//!
//! Where memory differs, the points may go on the same for all that: a statistic that is counted up and never looked at
//! keeps the states apart for ever. So they need to agree only on a set of variables that is closed along the edges
//! taken in between (see [`relevance`](program::relevance)); of all else they must have the same *shape*: the same
//! objects of the same sizes, with cells at the same places and of the same types, and where cells differ, numbers in
//! them and no addresses.
//!
//! Why that suffices. Call two states bisimilar if they agree in all this. Let the walk lead from `s` to `t` along
//! edges `E` with `s` and `t` bisimilar for a set closed along `E`. Claim: for states that are bisimilar, the next step
//! does the same, and the results are bisimilar, as long as the first one stays in `E`. The threads that are able to
//! run are decided by control, mutexes and needed variables, so the same thread runs. Guards are over needed variables,
//! so the same edge is taken. Addresses, indices and operands of what may be undefined are needed, so the same cells
//! are read and written, the same behaviour is defined, and a question is asked of the one exactly if it is asked of
//! the other, since whether a part is chosen already is part of the shape; the answers to come are the same. A written
//! value goes either to a needed variable, then it was computed from needed ones and is the same; or elsewhere, then it
//! is a number of the same type, or copied cells of the same shape. Atoms read needed variables, so the same is
//! observed. Hence the walk from `t` does what the walk from `s` did, comes to a state that is bisimilar again, and so
//! on for ever: what was observed between `s` and `t` is repeated for ever.

use std::collections::BTreeSet;
use std::marker::PhantomData;

use foundation::Id;
use program::semantics::memory::Memory;
use program::semantics::object::{Content, Object};
use program::semantics::observe::Attention;
use program::semantics::state::State;
use program::semantics::value::ObjectId;
use program::semantics::{RunEnd, Value};
use program::{EdgeId, LocationId, Scalar, VariableId};
use task::{Lasso, Task};

use crate::answers::position;
use crate::fairness::{Starved, ThreadHistory};
use crate::growth::Growth;
use crate::walk::Walk;
use program::relevance::{Relevance, Variables};

/// How a loop closes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Closing {
    /// There is no loop: the program ends, and its last state is repeated for ever.
    End,
    /// In the very state in which it began.
    Exact,
    /// In a state that differs in these variables, on which nothing depends that the loop does or shows.
    Without(Vec<VariableId>),
    /// It need not: what was observed violates the goal whatever follows, and something always follows.
    BadPrefix,
    /// Never: from a set of states that contains this one, every iteration leads back into the set and shows the same.
    Recurrent {
        /// How numbers grow, as far as it is a matter of the iteration's number alone.
        growth: Vec<Growth>,
        /// What else holds whenever an iteration begins, in words.
        set: Vec<String>,
        /// Whether iterations may take other paths than the first one.
        several_paths: bool,
    },
    /// Never: numbers grow, and every iteration does and shows the same for all that.
    Growing {
        /// What grows of what the loop or the property looks at.
        growth: Vec<Growth>,
        /// The variables that differ otherwise, on which nothing depends that the loop does or shows.
        without: Vec<VariableId>,
    },
}

/// A loop that was found.
#[derive(Clone, Debug)]
pub(crate) struct ClosedLoop {
    pub end: RunEnd,
    pub closing: Closing,
    pub starved: Vec<Starved>,
    /// How many answers were given before the loop began.
    pub answers_before: u64,
    /// How many letters of the word were written before the loop began.
    pub letters_before: usize,
}

/// Compares the points of a walk with one that is kept.
pub(crate) struct LoopSearch<'a> {
    lasso: &'a Lasso,
    relevance: Relevance<'a>,
    kept: Option<ClosingPoint>,
    /// How many steps were taken, and how many answers had been given, since when a point was to be kept last.
    steps: u64,
    answers: u64,
    keep_for: u64,
}

/// A point, and what was done since.
struct ClosingPoint {
    state: State,
    attention: Attention,
    running: u32,
    answers_given: u64,
    position: u64,
    observations: usize,
    letters: usize,
    edges: Passed<EdgeId>,
    locations: Passed<LocationId>,
    turns: ThreadHistory,
    /// What is relevant along the edges taken; none where it is not known, or some edge is new.
    relevant: Option<Variables>,
}

/// The first point is kept after so many steps.
const FIRST_KEPT: u64 = 8;

impl<'a> LoopSearch<'a> {
    pub(crate) fn new(task: &'a Task, lasso: &'a Lasso) -> Self {
        Self {
            lasso,
            relevance: Relevance::new(&task.program, &task.atoms, task.semantics.integers),
            kept: None,
            steps: 0,
            answers: 0,
            keep_for: FIRST_KEPT,
        }
    }

    /// The locations at which threads stand before a step.
    pub(crate) fn before_step(&mut self, walk: &Walk<'_>) {
        let Some(kept) = &mut self.kept else { return };
        let innermost = walk.state().threads.iter().filter_map(|thread| thread.frames.last());
        for frame in innermost {
            if kept.locations.insert(frame.location) {
                kept.relevant = None;
            }
        }
    }

    /// Looks at the point after a step; a loop where one is closed.
    pub(crate) fn after_step(&mut self, walk: &mut Walk<'_>) -> Option<ClosedLoop> {
        if let Some(kept) = &mut self.kept {
            kept.note(walk);
            if let Some(closing) = kept.closes(walk, &self.relevance, self.lasso) {
                let start = kept.observations;
                let is_silent = start == walk.word().observed;
                let end = if is_silent { RunEnd::Silent } else { RunEnd::Lasso { start } };
                let (starved, answers_before) = (kept.turns.starved(), kept.answers_given);
                return Some(ClosedLoop { end, closing, starved, answers_before, letters_before: kept.letters });
            }
        }
        self.steps += 1;
        if self.enters_cycle(walk) || self.steps >= self.keep_for && self.is_round_over(walk) {
            self.keep(walk);
        }
        None
    }

    /// Whether the walk has just been given the first answer of the cycle. A loop that the lasso promises is closed one
    /// round after this point, which is therefore kept whatever was kept before.
    fn enters_cycle(&self, walk: &Walk<'_>) -> bool {
        let before = self.kept.as_ref().map_or(0, |kept| kept.answers_given);
        let stem = self.lasso.stem.len() as u64;
        !self.lasso.cycle.is_empty() && before <= stem && walk.answers_given() > stem
    }

    /// Whether another point may be kept: in the cycle, not before the answers of a whole round were given since the
    /// last one was kept, unless the walk seems to ask for nothing any more.
    fn is_round_over(&mut self, walk: &Walk<'_>) -> bool {
        let given = walk.answers_given();
        let Some(kept) = &self.kept else { return true };
        let in_cycle = kept.answers_given > self.lasso.stem.len() as u64;
        let is_over = !in_cycle || given - kept.answers_given > self.lasso.cycle.len() as u64 || given == self.answers;
        if !is_over {
            (self.steps, self.answers) = (0, given);
            self.keep_for *= 2;
        }
        is_over
    }

    fn keep(&mut self, walk: &mut Walk<'_>) {
        walk.part_word();
        self.kept = Some(ClosingPoint::at(walk, self.lasso));
        (self.steps, self.answers) = (0, walk.answers_given());
        self.keep_for *= 2;
    }
}

impl ClosingPoint {
    fn at(walk: &Walk<'_>, lasso: &Lasso) -> Self {
        Self {
            state: walk.state().clone(),
            attention: walk.attention().clone(),
            running: walk.running(),
            answers_given: walk.answers_given(),
            position: position(lasso, walk.answers_given()),
            observations: walk.word().observed,
            letters: walk.word().numbers.len(),
            edges: Passed::default(),
            locations: Passed::default(),
            turns: ThreadHistory::default(),
            relevant: None,
        }
    }

    fn note(&mut self, walk: &Walk<'_>) {
        if walk.taken().is_some_and(|edge| self.edges.insert(edge)) {
            self.relevant = None;
        }
        let turn = walk.turn();
        if let Some(runs) = turn.runs {
            self.turns.note(&self.state, &turn.able, runs);
        }
    }

    /// How the loop closes if it does at the point where the walk is.
    fn closes(&mut self, walk: &Walk<'_>, relevance: &Relevance<'_>, lasso: &Lasso) -> Option<Closing> {
        let (then, now) = (&self.state, walk.state());
        let agree = self.running == walk.running()
            && self.position == position(lasso, walk.answers_given())
            && then.threads == now.threads
            && then.atomic == now.atomic
            && then.within_expression == now.within_expression
            && then.locks == now.locks
            && self.attention == *walk.attention();
        if !agree {
            return None;
        }
        let matters = |variable| {
            let relevant =
                self.relevant.get_or_insert_with(|| relevance.along(&self.edges.ids(), &self.locations.ids()));
            relevant.contains(variable)
        };
        let differing = differences(&then.memory, &now.memory, matters)?;
        Some(match differing.is_empty() {
            true => Closing::Exact,
            false => Closing::Without(differing.into_iter().collect()),
        })
    }
}

/// The edges or locations that were passed, one bit for each.
struct Passed<I> {
    bits: Vec<u64>,
    ids: PhantomData<I>,
}

impl<I> Default for Passed<I> {
    fn default() -> Self {
        Self { bits: Vec::new(), ids: PhantomData }
    }
}

impl<I: Id> Passed<I> {
    /// Whether it was not passed before.
    fn insert(&mut self, id: I) -> bool {
        let (word, bit) = (id.index() / 64, 1 << (id.index() % 64));
        if word >= self.bits.len() {
            self.bits.resize(word + 1, 0);
        }
        let is_new = self.bits[word] & bit == 0;
        self.bits[word] |= bit;
        is_new
    }

    fn ids(&self) -> BTreeSet<I> {
        let is_passed = |index: &usize| self.bits[index / 64] >> (index % 64) & 1 == 1;
        (0..self.bits.len() * 64).filter(is_passed).map(I::from_index).collect()
    }
}

/// The variables whose objects differ, where all differences are in numbers and in variables that do not matter; none
/// where something else differs.
fn differences(
    then: &Memory,
    now: &Memory,
    mut matters: impl FnMut(VariableId) -> bool,
) -> Option<BTreeSet<VariableId>> {
    let (mut objects, mut others) = (then.objects(), now.objects());
    let mut differing = BTreeSet::new();
    loop {
        let ((id, object), (other_id, other)): ((ObjectId, &Object), (ObjectId, &Object)) =
            match (objects.next(), others.next()) {
                (None, None) => return Some(differing),
                (Some(object), Some(other)) => (object, other),
                _ => return None,
            };
        if id != other_id {
            return None;
        }
        if object != other {
            let variable = id.variable().filter(|&variable| !matters(variable))?;
            if !have_same_shape(object, other) {
                return None;
            }
            differing.insert(variable);
        }
    }
}

/// Whether two objects agree up to numbers in their cells.
pub(crate) fn have_same_shape(object: &Object, other: &Object) -> bool {
    let is_number = |ty: Scalar, value: &Value| ty != Scalar::Pointer && !matches!(value, Value::Pointer(_));
    let agree = |content: &Content, other: &Content| match (content, other) {
        (Content::Scalar(ty, value), Content::Scalar(other_ty, other_value)) if value != other_value => {
            ty == other_ty && is_number(*ty, value) && is_number(*ty, other_value)
        }
        (content, other) => content == other,
    };
    object.size == other.size
        && object.number == other.number
        && object.cells().count() == other.cells().count()
        && object.cells().zip(other.cells()).all(|((offset, cell), (other_offset, other))| {
            offset == other_offset && cell.width == other.width && agree(&cell.content, &other.content)
        })
}
