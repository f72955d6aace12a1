//! Checks executions that never come back to a state: a counter grows for ever, and every iteration of the loop does
//! the same for all that.
//!
//! The interpreter walks until the edges that are taken repeat themselves. From the states at the ends of a few
//! iterations a guess is made: every number that differs is a polynomial of low degree in the number `t` of the
//! iteration, or unknown. Then one iteration is followed for all `t` at once (`symbolic`), and the guess must be found
//! again at its end, one iteration further. How the guess came about does not matter: it is checked.
//!
//! Why that suffices. Let `σ(t)` be the states that agree with the one at the beginning of the iteration, except that
//! cells which are guessed to grow hold the values of their polynomials at `t`, and unknown cells hold any numbers.
//! What was checked is that from every state of `σ(t)`, for every `t ≥ 0`, with the answers of the iteration, the same
//! edges are taken and the same is observed, and that this leads into `σ(t + 1)`. The execution is in `σ(0)` when the
//! iteration begins. So it does for ever what it did in the iteration, and what was observed in the iteration is
//! repeated for ever.
//!
//! This is for ideal integers and one thread. Under machine integers nothing grows for ever: such loops close.

use std::cell::RefCell;
use std::collections::BTreeSet;

use foundation::Budget;
use program::semantics::describe::name_of;
use program::semantics::memory::Extent;
use program::semantics::object::{Content, ObjectCell};
use program::semantics::observe::Attention;
use program::semantics::state::State;
use program::semantics::{Integers, RunEnd, Value};
use program::{Atom, EdgeId, LocationId, Scalar, VariableId};
use task::{Counterexample, Lasso, Task};

use crate::answers::{Answers, Log, position};
use crate::closing::{ClosedLoop, Closing, have_same_shape};
use crate::polynomial::{Integer, Polynomial};
use crate::prefix::bad_prefix;
use crate::replay::{
    FoundLoop, MOST_TOLD_OBSERVATIONS, Rejected, ReplayLimits, Replayed, conclude, executed, replay, replay_within,
};
use crate::symbolic::{NotUniform, Shadow, Symbolic, follow, look, moving};
use crate::walk::Walk;
use program::relevance::{Relevance, Variables};

/// How a number grows from iteration to iteration of a loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Growth {
    /// The part of memory that holds it: `time`, `a[3]`.
    pub name: String,
    /// What it is when the first iteration begins, where that is said.
    pub start: Option<Value>,
    /// By how much it grows in the first iteration, by how much more in the second one than in the first, and so on:
    /// the forward differences, of which there is one where it grows by the same in each iteration. The last is not 0.
    pub differences: Vec<Value>,
    /// Where it grows by ever more: how many times as much in each iteration as in the one before; there is one
    /// difference then.
    pub factor: Option<Value>,
}

/// Checks what an engine says to be a violation: that its loop closes soon, that it grows, that what is observed before
/// is a violation whatever follows, or that it closes at last. Where the answers do not suffice for a loop, what is
/// observed up to there must be a violation whatever is answered next.
///
/// What is long to tell is told as far as the goal is lost, where that is much less.
pub fn confirm(task: &Task, counterexample: &Counterexample, budget: &Budget) -> Result<Replayed, Rejected> {
    if let Counterexample::Tree(_) = counterexample {
        return Err(Rejected::Unsupported { reason: "a tree of executions".to_owned(), span: None });
    }
    let lasso = counterexample.answers();
    let confirmed = confirm_as_given(task, lasso, budget)?;
    let told = confirmed.run.observations.len();
    if told <= LONG_OBSERVATIONS || confirmed.closing == Closing::BadPrefix {
        return Ok(confirmed);
    }
    let prefix = bad_prefix(task, lasso, budget).ok();
    Ok(prefix.filter(|prefix| prefix.run.observations.len() <= told / 2).unwrap_or(confirmed))
}

/// Executions with more observations than this are long to tell.
const LONG_OBSERVATIONS: usize = 100;

fn confirm_as_given(task: &Task, lasso: &Lasso, budget: &Budget) -> Result<Replayed, Rejected> {
    match closes_or_grows(task, lasso, budget) {
        Err(Rejected::NotGrowing { .. }) => match bad_prefix(task, lasso, budget) {
            // A long loop that repeats itself may be what it is.
            Err(Rejected::NotBad) => replay(task, lasso, budget),
            other => other,
        },
        Err(Rejected::NoMoreAnswers) => match bad_prefix(task, lasso, budget) {
            Err(Rejected::NotBad) => Err(Rejected::NoMoreAnswers),
            other => other,
        },
        other => other,
    }
}

/// Loops of this many steps are looked for among those that close before any is looked for that grows.
pub const FEW_STEPS: u64 = 50_000;

fn closes_or_grows(task: &Task, lasso: &Lasso, budget: &Budget) -> Result<Replayed, Rejected> {
    match replay_within(task, lasso, ReplayLimits { steps: FEW_STEPS }, budget) {
        Err(Rejected::NotClosed { .. }) => grow(task, lasso, budget),
        other => other,
    }
}

/// So many steps after the last answer of the stem are looked at, then so many.
const HORIZONS: &[u64] = &[512, 4_096, 32_768];

/// More iterations than this are not moved into the stem.
const MOST_LEADING_ITERATIONS: usize = 8;

/// So many iterations give the guess; the polynomials that they can show have a degree that is smaller than this.
const ITERATIONS: usize = 4;

/// So many periods are tried.
const MOST_PERIODS: usize = 6;

/// Checks an execution whose loop does the same for ever while numbers grow.
pub fn grow(task: &Task, lasso: &Lasso, budget: &Budget) -> Result<Replayed, Rejected> {
    if task.semantics.integers != Integers::Ideal {
        return Err(not_growing("machine integers do not grow for ever"));
    }
    let mut reason = "no part of it repeats the same edges".to_owned();
    let mut tried = BTreeSet::new();
    for &horizon in HORIZONS {
        let trail = Trail::walked(task, lasso, horizon, budget)?;
        for (index, period) in trail.periods().enumerate() {
            let iterations = trail.iterations(period);
            if !tried.insert(iterations) {
                continue;
            }
            match trail.attempt(iterations, budget)? {
                Ok(found) => return conclude(task, lasso, found, MOST_TOLD_OBSERVATIONS, budget),
                Err(NotUniform::Because(why)) if index == 0 => reason = why,
                Err(_) => {}
            }
        }
    }
    Err(not_growing(reason))
}

fn not_growing(reason: impl Into<String>) -> Rejected {
    Rejected::NotGrowing { reason: reason.into() }
}

/// The way of an execution.
struct Trail<'a> {
    task: &'a Task,
    lasso: &'a Lasso,
    /// The edge of each step.
    edges: Vec<Option<EdgeId>>,
    /// The position in the answers before each step, and after the last.
    positions: Vec<u64>,
    /// How many steps were taken when an answer of the stem was given last.
    settled: usize,
}

/// A walk from the beginning that ends before it comes to where it is to go.
fn ended(end: RunEnd) -> Rejected {
    executed(end).map_or_else(|rejected| rejected, |_| not_growing("the execution ends"))
}

impl<'a> Trail<'a> {
    fn walked(task: &'a Task, lasso: &'a Lasso, horizon: u64, budget: &Budget) -> Result<Self, Rejected> {
        let log = RefCell::new(Log::default());
        let mut answers = Answers::new(lasso, &log);
        let mut walk = Walk::new(task, &mut answers, &log, false);
        let mut trail = Self { task, lasso, edges: Vec::new(), positions: Vec::new(), settled: 0 };
        let mut end = walk.begin();
        let mut asked = 0;
        loop {
            if let Some(end) = end {
                return Err(ended(end));
            }
            trail.positions.push(position(lasso, walk.answers_given()));
            let given = walk.answers_given();
            if given > asked && asked < lasso.stem.len() as u64 {
                trail.settled = walk.steps() as usize;
            }
            asked = given;
            if walk.steps() >= trail.settled as u64 + horizon {
                return Ok(trail);
            }
            if walk.steps() >= MOST_STEPS {
                return Err(not_growing("its stem is too long"));
            }
            walk.check(budget)?;
            end = walk.step();
            trail.edges.push(walk.taken());
        }
    }

    /// The periods, in steps, with which the last edges repeat themselves.
    fn periods(&self) -> impl Iterator<Item = usize> {
        let (steps, most) = (self.edges.len(), (self.edges.len() - self.settled) / (ITERATIONS + 1));
        let repeats = move |period: &usize| self.repeats_from(*period, steps - (ITERATIONS + 1) * period);
        (1..=most).filter(repeats).take(MOST_PERIODS)
    }

    /// Whether the edges and the positions repeat themselves with a period from a step on.
    fn repeats_from(&self, period: usize, first: usize) -> bool {
        let same = |step: usize| self.is_same(step, period);
        (first..self.edges.len() - period).rev().all(same)
    }

    fn is_same(&self, step: usize, period: usize) -> bool {
        self.edges[step] == self.edges[step + period] && self.positions[step] == self.positions[step + period]
    }

    /// The iterations of a period, from where the edges repeat themselves.
    fn iterations(&self, period: usize) -> SampledIterations {
        let last = self.edges.len() - (ITERATIONS + 1) * period;
        let first = (0..last).rev().take_while(|&step| self.is_same(step, period)).last().unwrap_or(last);
        SampledIterations {
            first,
            period,
            count: ((self.edges.len() - first) / period).min(MOST_LEADING_ITERATIONS + ITERATIONS),
        }
    }

    /// Tries to show that iterations do the same for ever, from the first one or from one of the next.
    fn attempt(
        &self,
        iterations: SampledIterations,
        budget: &Budget,
    ) -> Result<Result<FoundLoop, NotUniform>, Rejected> {
        let SampledIterations { first, period, .. } = iterations;
        let points = self.points(iterations, budget)?;
        let Some(edges) = self.edges[first..first + period].iter().copied().collect::<Option<BTreeSet<EdgeId>>>()
        else {
            return Ok(Err(NotUniform::because("a location is never left")));
        };
        let program = &self.task.program;
        let locations: BTreeSet<LocationId> = edges.iter().map(|&edge| program.edges[edge].from).collect();
        let relevant = Relevance::new(&self.task.program, &self.task.atoms, self.task.semantics.integers)
            .along(&edges, &locations);
        let mut refused = NotUniform::because("too few iterations were seen");
        let log = RefCell::new(Log::default());
        let mut answers = Answers::new(self.lasso, &log);
        let mut walk = Walk::new(self.task, &mut answers, &log, false);
        go_to(&mut walk, first, budget)?;
        for (lead, points) in points.windows(ITERATIONS + 1).enumerate() {
            go_on_to(&mut walk, first + lead * period, budget)?;
            let checked = match guess(points, &relevant) {
                Ok(shadow) => self.check(&mut walk, period, points, &shadow, budget)?,
                Err(why) => Err(why),
            };
            match checked {
                Ok(closed) => {
                    let steps = walk.steps();
                    let (word, inputs, _) = walk.into_parts();
                    return Ok(Ok(FoundLoop { closed, steps, word, inputs }));
                }
                Err(why) => refused = why,
            }
        }
        Ok(Err(refused))
    }

    /// Follows an iteration, which begins where the walk is, for all `t`, from the shadow at its beginning.
    fn check(
        &self,
        walk: &mut Walk<'_>,
        period: usize,
        points: &[WalkPoint],
        shadow: &Shadow,
        budget: &Budget,
    ) -> Result<Result<ClosedLoop, NotUniform>, Rejected> {
        let task = self.task;
        walk.part_word();
        let (start, answers_before) = (walk.word().observed, walk.answers_given());
        let letters_before = walk.word().numbers.len();
        let mut later = shadow.clone();
        for _ in 0..period {
            walk.check(budget)?;
            if let Err(refused) = step_for_all(task, walk, &mut later)? {
                return Ok(Err(refused));
            }
        }
        if let Err(refused) = is_one_iteration_further(shadow, &later, walk.state()) {
            return Ok(Err(refused));
        }
        if !points[0].is_alike(&WalkPoint::at(walk)) {
            return Ok(Err(NotUniform::because("memory has another shape after an iteration")));
        }
        let is_silent = start == walk.word().observed;
        let end = if is_silent { RunEnd::Silent } else { RunEnd::Lasso { start } };
        let closing = Closing::Growing { growth: growth(task, shadow), without: differing(points, shadow) };
        Ok(Ok(ClosedLoop { end, closing, starved: Vec::new(), answers_before, letters_before }))
    }

    /// What there is after `first` steps, and after each of some iterations from there.
    fn points(&self, iterations: SampledIterations, budget: &Budget) -> Result<Vec<WalkPoint>, Rejected> {
        let SampledIterations { first, period, count } = iterations;
        let log = RefCell::new(Log::default());
        let mut answers = Answers::new(self.lasso, &log);
        let mut walk = Walk::new(self.task, &mut answers, &log, false);
        go_to(&mut walk, first, budget)?;
        let mut points = vec![WalkPoint::at(&walk)];
        for iteration in 1..=count {
            go_on_to(&mut walk, first + iteration * period, budget)?;
            points.push(WalkPoint::at(&walk));
        }
        Ok(points)
    }
}

/// Some iterations of a loop.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct SampledIterations {
    /// After how many steps the first one begins.
    first: usize,
    /// How many steps each has.
    period: usize,
    /// How many they are.
    count: usize,
}

/// Walks of more steps than this are not looked at.
const MOST_STEPS: u64 = 1 << 21;

fn go_to(walk: &mut Walk<'_>, steps: usize, budget: &Budget) -> Result<(), Rejected> {
    match walk.begin() {
        Some(end) => Err(ended(end)),
        None => go_on_to(walk, steps, budget),
    }
}

fn go_on_to(walk: &mut Walk<'_>, steps: usize, budget: &Budget) -> Result<(), Rejected> {
    while walk.steps() < steps as u64 {
        walk.check(budget)?;
        if let Some(end) = walk.step() {
            return Err(ended(end));
        }
    }
    Ok(())
}

/// Where a walk is.
struct WalkPoint {
    state: State,
    attention: Attention,
    running: u32,
}

impl WalkPoint {
    fn at(walk: &Walk<'_>) -> Self {
        Self { state: walk.state().clone(), attention: walk.attention().clone(), running: walk.running() }
    }

    /// Whether two points agree up to numbers in memory.
    fn is_alike(&self, other: &Self) -> bool {
        let (state, others) = (&self.state, &other.state);
        let objects = || state.memory.objects().zip(others.memory.objects());
        self.running == other.running
            && self.attention == other.attention
            && state.threads == others.threads
            && state.atomic == others.atomic
            && state.within_expression == others.within_expression
            && state.locks == others.locks
            && state.memory.objects().count() == others.memory.objects().count()
            && objects().all(|((id, object), (other_id, other))| id == other_id && have_same_shape(object, other))
    }
}

/// How the numbers in memory grow, as far as the ends of some iterations show it.
fn guess(points: &[WalkPoint], relevant: &Variables) -> Result<Shadow, NotUniform> {
    let (first, later) = points.split_first().expect("there is a first point");
    if first.state.threads.len() != 1 {
        return Err(NotUniform::because("there is more than one thread"));
    }
    if !later.iter().all(|point| first.is_alike(point)) {
        return Err(NotUniform::because("memory has another shape after an iteration"));
    }
    let mut shadow = Shadow::default();
    for (object, contents) in first.state.memory.objects() {
        for (offset_bits, cell) in contents.cells() {
            let Some((ty, value)) = number_in(cell) else { continue };
            let matters = object.variable().is_none_or(|variable| relevant.contains(variable));
            let held = later.iter().filter_map(|point| point.state.memory.object(object)?.cell_at(offset_bits));
            let values: Vec<&Value> = held.filter_map(|cell| Some(number_in(cell)?.1)).collect();
            if matters && values.iter().all(|&other| other == value) {
                continue;
            }
            let integers = [value].into_iter().chain(values).map(Integer::of).collect::<Option<Vec<Integer>>>();
            let polynomial =
                integers.filter(|_| matters && matches!(ty, Scalar::Int(_))).map(|it| Polynomial::through(&it));
            // One value more than the degree needs: the guess is then worth a check.
            let growth = polynomial.filter(|polynomial| polynomial.degree() < ITERATIONS).map(moving);
            let extent = Extent { object, offset_bits, width_bits: cell.width };
            shadow.insert(extent, growth.unwrap_or(Symbolic::Unknown));
        }
    }
    Ok(shadow)
}

fn number_in(cell: &ObjectCell) -> Option<(Scalar, &Value)> {
    match &cell.content {
        Content::Scalar(ty, value) if *ty != Scalar::Pointer && !matches!(value, Value::Pointer(_)) => {
            Some((*ty, value))
        }
        _ => None,
    }
}

/// Takes a step, and follows it for all `t`.
fn step_for_all(task: &Task, walk: &mut Walk<'_>, shadow: &mut Shadow) -> Result<Result<(), NotUniform>, Rejected> {
    let (before, earlier) = (walk.state().clone(), shadow.clone());
    let scenes = walk.step_in_scenes().map_err(ended)?;
    let Some(edge) = walk.taken() else { return Ok(Err(NotUniform::because("a location is never left"))) };
    if let Err(refused) = follow(&task.program, shadow, &before, walk.state(), edge) {
        return Ok(Err(refused));
    }
    let last = scenes.len().saturating_sub(1);
    for (part, scene) in scenes.iter().enumerate() {
        let shadow = if part == last { &*shadow } else { &earlier };
        if let Some(Err(refused)) = scene.as_ref().map(|state| look(&task.program, shadow, state, &task.atoms)) {
            return Ok(Err(refused));
        }
    }
    Ok(Ok(()))
}

/// Whether the shadow at the end of an iteration is that of the beginning, one iteration further.
fn is_one_iteration_further(shadow: &Shadow, later: &Shadow, state: &State) -> Result<(), NotUniform> {
    let other = || NotUniform::because("a number does not grow as the first iterations show");
    for (extent, value) in shadow.cells() {
        match (value, later.get(extent)) {
            (Symbolic::Unknown, _) => {}
            (Symbolic::Moving(before), Some(Symbolic::Moving(after))) if before.shifted() == *after => {
                // What was followed is what the interpreter did.
                let cell = state.memory.object(extent.object).and_then(|object| object.cell_at(extent.offset_bits));
                let now = cell.and_then(number_in).and_then(|(_, value)| Integer::of(value));
                if now != Some(after.at(&Integer::small(0))) {
                    return Err(other());
                }
            }
            _ => return Err(other()),
        }
    }
    for (extent, _) in later.cells() {
        if shadow.get(extent).is_none() {
            return Err(NotUniform::because("a number comes to depend on the iteration only later"));
        }
    }
    Ok(())
}

/// At most so many growing numbers are told.
const MOST_GROWING_NUMBERS: usize = 5;

/// What grows: what atoms name comes first.
fn growth(task: &Task, shadow: &Shadow) -> Vec<Growth> {
    let named: BTreeSet<VariableId> = (task.atoms.iter())
        .flat_map(|atom| match atom {
            Atom::State { reads, .. } => reads.as_slice(),
            _ => &[],
        })
        .copied()
        .collect();
    let is_named = |extent: &Extent| extent.object.variable().is_some_and(|variable| named.contains(&variable));
    let mut cells: Vec<(Extent, &Polynomial)> = (shadow.cells())
        .filter_map(|(extent, value)| match value {
            Symbolic::Moving(polynomial) => Some((extent, polynomial)),
            _ => None,
        })
        .collect();
    cells.sort_by_key(|(extent, _)| !is_named(extent));
    let told = cells.into_iter().map(|(extent, polynomial)| {
        let (start, differences) = polynomial.start_and_differences();
        let differences = differences.iter().map(|difference| difference.value().clone()).collect();
        Growth { name: name_of(&task.program, extent), start: Some(start.value().clone()), differences, factor: None }
    });
    // Names of our own say nothing to anybody.
    told.filter(|growth| !growth.name.starts_with('%')).take(MOST_GROWING_NUMBERS).collect()
}

/// The variables that differ after the iteration and of which nothing is known.
fn differing(points: &[WalkPoint], shadow: &Shadow) -> Vec<VariableId> {
    let cell = |point: &WalkPoint, extent: Extent| {
        point.state.memory.object(extent.object).and_then(|object| object.cell_at(extent.offset_bits)).cloned()
    };
    let unknown = shadow.cells().filter(|(_, value)| **value == Symbolic::Unknown);
    let differing = unknown.filter(|(extent, _)| cell(&points[0], *extent) != cell(&points[1], *extent));
    let variables: BTreeSet<VariableId> = differing.filter_map(|(extent, _)| extent.object.variable()).collect();
    variables.into_iter().collect()
}
