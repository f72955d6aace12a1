//! One worker of the parallel search: a depth-first search of its own over sets that all workers share.
//!
//! This is the sequential search ([`search`](mod@super::super::search)) with three changes. Whether a state is new is a
//! matter of this worker's bit in the [union-find](super::union_find), not of the store. Components are united there
//! rather than on the stack alone. And when the first state of a component has no transitions left, other workers may
//! still have work in it: the worker takes over states that are not done before the component is dead.
//!
//! All successors of a state are computed at once. Those in components that are on the stack close cycles right away;
//! the others wait, in an order that differs from worker to worker: first what nobody has visited. That keeps the workers
//! apart. Where they meet, the one that comes later uses what the other has found: states that are done are not
//! expanded again, and dead ones are not even looked into.
//!
//! What the answer rests on: when a worker declares a state *done*, each of its transitions leads to a dead state, or
//! stays in the state's set, and then its marks are with the set.

use std::sync::atomic::{AtomicBool, Ordering};

use automata::buchi::Marks;
use foundation::Budget;
use task::Reason;

use super::super::product::{Product, Transitions};
use super::super::space::Space;
use super::meanwhile;
use super::shared_store::{STATES_AT_A_TIME, SharedLookup, SharedStore, WorkerView};
use super::union_find::{Picked, UnionFind, Visited};

/// How often the budget is looked at.
const STEPS_PER_CHECK: u32 = 1024;

/// One worker.
pub struct Worker<'a, 'n, S> {
    product: Product<'n, S>,
    view: WorkerView<'a>,
    sets: UnionFind<'a>,
    store: &'a SharedStore,
    budget: &'a Budget,
    stop: &'a AtomicBool,
    /// Its number among the workers.
    worker: u32,
    /// How many acceptance sets there are.
    acceptance_sets: u32,
    path: Vec<WorkerFrame>,
    roots: Vec<WorkerRoot>,
    /// Transitions that are still to be followed; those of the last frame come last.
    waiting: Vec<Waiting>,
    source: Vec<u64>,
    computed: Transitions,
    lookups: Vec<SharedLookup>,
    random: Random,
    until_check: u32,
    found: Findings,
}

/// What a worker found.
#[derive(Default)]
pub struct Findings {
    /// The transitions of the states that this worker was the first to have done.
    pub transitions: u64,
    /// How many times it has computed the successors of a state.
    pub expansions: u64,
    /// The bytes that it used at most.
    pub stack_bytes: usize,
    /// A step that could not be taken: of all that it met, the one whose reason comes first.
    pub refusal: Option<Reason>,
}

/// Why a worker ended before all was visited.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stopped {
    /// The set of this state visits all acceptance sets.
    Component(u32),
    /// This step of this state leads to an end in which the automaton accepts.
    End {
        /// The state.
        state: u32,
        /// The step.
        step: u32,
    },
    /// Another worker has the answer.
    Stopped,
    /// It could not go on.
    GivenUp(Reason),
}

/// A state on the path of the search.
#[derive(Clone, Copy)]
struct WorkerFrame {
    state: u32,
    /// The transitions of this state are those from here on in `waiting`.
    waiting_from: u32,
    /// How many transitions it has.
    transitions: u32,
}

/// The first state of a component, as far as this worker knows.
#[derive(Clone, Copy)]
struct WorkerRoot {
    state: u32,
    /// The marks of the transition by which it was entered.
    entered: u32,
    /// Its place on the path.
    frame: u32,
    /// Some state of its set: the root of the set, when that was last looked at.
    set: u32,
}

/// A transition that is still to be followed.
#[derive(Clone, Copy)]
struct Waiting {
    target: u32,
    marks: u32,
}

/// What the workers of a search share.
pub struct SharedSearch<'a> {
    /// The states.
    pub store: &'a SharedStore,
    /// How many workers there are.
    pub workers: u32,
    /// What the order of successors depends on, besides the worker.
    pub seed: u64,
    /// Limits.
    pub budget: &'a Budget,
    /// Set by the first worker that has the answer.
    pub stop: &'a AtomicBool,
}

impl<'a, 'n, S: Space> Worker<'a, 'n, S> {
    /// A worker with its own view of the product.
    pub fn new(search: &SharedSearch<'a>, worker: u32, product: Product<'n, S>) -> Self {
        let words = product.space.words();
        Self {
            view: search.store.view(),
            sets: UnionFind::new(&search.store.records, search.workers),
            store: search.store,
            budget: search.budget,
            stop: search.stop,
            worker,
            acceptance_sets: product.all_marks().len(),
            product,
            path: Vec::new(),
            roots: Vec::new(),
            waiting: Vec::new(),
            source: vec![0; words],
            computed: Transitions::default(),
            lookups: Vec::new(),
            random: Random::new(search.seed.wrapping_mul(64).wrapping_add(u64::from(worker))),
            until_check: 0,
            found: Findings::default(),
        }
    }

    /// Searches until all states are dead, or there is an answer.
    pub fn run(mut self) -> (Result<(), Stopped>, Findings) {
        let result = self.search();
        if result != Err(Stopped::Stopped) {
            self.stop.store(true, Ordering::Relaxed);
        }
        self.measure();
        (result, self.found)
    }

    fn search(&mut self) -> Result<(), Stopped> {
        let mut initial = self.product.initial();
        // Each begins elsewhere, if there is a choice.
        let first = self.worker as usize % initial.len().max(1);
        initial.rotate_left(first);
        for state in initial {
            self.view.get_ready();
            let state = self.view.insert_at(self.view.begin(&state), &state).ok_or_else(full)?;
            if self.sets.visit(state, self.worker) != Visited::Dead {
                self.roots.push(WorkerRoot { state, entered: 0, frame: 0, set: state });
                self.enter(state)?;
                self.explore()?;
            }
        }
        Ok(())
    }

    fn explore(&mut self) -> Result<(), Stopped> {
        while let Some(&frame) = self.path.last() {
            self.check()?;
            if self.waiting.len() == frame.waiting_from as usize {
                self.leave(frame)?;
            } else if self.sets.is_done(frame.state) {
                // Another worker has followed the rest.
                self.waiting.truncate(frame.waiting_from as usize);
            } else if let Some(Waiting { target, marks }) = self.waiting.pop() {
                match self.sets.visit(target, self.worker) {
                    Visited::Dead => {}
                    Visited::BySelf { root, marks: known } => self.close(target, marks, root, known)?,
                    Visited::ByNobody | Visited::ByOthers => {
                        let frame = self.path.len() as u32;
                        self.roots.push(WorkerRoot { state: target, entered: marks, frame, set: target });
                        self.enter(target)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Puts a state on the path.
    fn enter(&mut self, state: u32) -> Result<(), Stopped> {
        self.path.push(WorkerFrame { state, waiting_from: self.waiting.len() as u32, transitions: 0 });
        if self.sets.is_done(state) { Ok(()) } else { self.expand(state) }
    }

    /// Computes the transitions of the last state on the path. Those that close cycles are followed at once.
    fn expand(&mut self, state: u32) -> Result<(), Stopped> {
        self.found.expansions += 1;
        self.store.records.read(state, &mut self.source);
        self.product.transitions(&self.source, &mut self.computed);
        if let Some(step) = self.computed.accepted {
            return Err(Stopped::End { state, step });
        }
        match self.computed.refusal.take() {
            // Nothing that follows can be taken either.
            Some(reason @ Reason::Exhausted(_)) => return Err(Stopped::GivenUp(reason)),
            Some(reason) => self.refuse(reason),
            None => {}
        }
        // A state may have very many transitions.
        self.until_check = self.until_check.saturating_sub(self.computed.marks.len() as u32);
        if let Some(frame) = self.path.last_mut() {
            frame.transitions = self.computed.marks.len() as u32;
        }
        let computed = std::mem::take(&mut self.computed);
        let result = self.follow_computed(&computed);
        self.computed = computed;
        result
    }

    fn follow_computed(&mut self, computed: &Transitions) -> Result<(), Stopped> {
        let words = self.source.len();
        let mut visited_by_others = self.waiting.len();
        let parts = computed.targets.chunks(words * STATES_AT_A_TIME).zip(computed.marks.chunks(STATES_AT_A_TIME));
        for (targets, marks) in parts {
            self.view.get_ready();
            self.lookups.clear();
            self.lookups.extend(targets.chunks_exact(words).map(|target| self.view.begin(target)));
            std::hint::black_box(self.lookups.iter().fold(0, |all, lookup| all ^ self.view.peek(*lookup)));
            for (index, (target, marks)) in targets.chunks_exact(words).zip(marks).enumerate() {
                let target = self.view.insert_at(self.lookups[index], target).ok_or_else(full)?;
                self.follow(target, self.compact(*marks), &mut visited_by_others)?;
            }
        }
        self.arrange(visited_by_others);
        Ok(())
    }

    /// Follows a transition of the state that is being expanded, if that means no more than closing a cycle. Otherwise
    /// it waits: after those to states that others have visited, which end at this place.
    fn follow(&mut self, target: u32, marks: u32, visited_by_others: &mut usize) -> Result<(), Stopped> {
        match self.sets.visited(target, self.worker) {
            Visited::Dead => {}
            Visited::BySelf { root, marks: known } => self.close(target, marks, root, known)?,
            Visited::ByNobody => self.waiting.push(Waiting { target, marks }),
            Visited::ByOthers => {
                self.waiting.push(Waiting { target, marks });
                let last = self.waiting.len() - 1;
                self.waiting.swap(*visited_by_others, last);
                *visited_by_others += 1;
            }
        }
        Ok(())
    }

    /// Orders the transitions that wait from this one on; the last is followed first.
    fn arrange(&mut self, from: usize) {
        let waiting = &mut self.waiting[from..];
        match self.worker {
            0 => {}
            1 => waiting.reverse(),
            _ => {
                for last in (1..waiting.len()).rev() {
                    waiting.swap(self.random.below(last as u32 + 1) as usize, last);
                }
            }
        }
    }

    /// A transition of the last state on the path leads to a component that is on the stack: all above it belong to it.
    /// The root of that component and the marks it has are known.
    #[inline]
    fn close(&mut self, target: u32, marks: u32, root: u32, known: u32) -> Result<(), Stopped> {
        // Most transitions stay inside the component on top of the stack, and add nothing.
        let top = self.roots.last().expect("there is a path, and it begins with a root");
        if root == top.set && marks & !known == 0 && known != self.all_marks() {
            return Ok(());
        }
        self.unite(target, marks)
    }

    fn unite(&mut self, target: u32, marks: u32) -> Result<(), Stopped> {
        let mut visited = marks;
        let mut first = self.roots.len() - 1;
        while !self.sets.are_united(self.roots[first].state, target) {
            visited |= self.roots[first].entered;
            first -= 1;
        }
        // Each is united with the state from which it was entered, the lowest first, so that trees stay flat.
        for root in &self.roots[first + 1..] {
            meanwhile();
            self.sets.unite(root.state, self.path[root.frame as usize - 1].state);
        }
        self.roots.truncate(first + 1);
        let (set, all) = self.sets.add_marks(target, visited);
        self.roots[first].set = set;
        self.judge(target, all)
    }

    /// The last state on the path has no transitions left.
    fn leave(&mut self, frame: WorkerFrame) -> Result<(), Stopped> {
        let WorkerFrame { state, transitions, .. } = frame;
        let place = self.path.len() as u32 - 1;
        let Some(root) = self.roots.pop_if(|root| root.frame == place) else {
            if self.sets.finish(state) {
                self.found.transitions += u64::from(transitions);
            }
            self.path.pop();
            return Ok(());
        };
        meanwhile();
        if self.sets.finish_alone(state) {
            self.found.transitions += u64::from(transitions);
            self.path.pop();
            return Ok(());
        }
        if !self.sets.is_done(state) && self.sets.finish(state) {
            self.found.transitions += u64::from(transitions);
        }
        // Another worker may have found out that this is no component of its own.
        if self.roots.last().is_some_and(|below| self.sets.are_united(below.state, state)) {
            self.path.pop();
            let (_, all) = self.sets.add_marks(state, root.entered);
            return self.judge(state, all);
        }
        let pass_over = self.random.below(4);
        match self.sets.pick(state, pass_over) {
            Picked::Dead => {
                self.path.pop();
                Ok(())
            }
            Picked::State(to_do) => {
                self.roots.push(root);
                self.enter(to_do)
            }
        }
    }

    /// Whether the component of a state, which has these marks, is accepting.
    fn judge(&self, state: u32, marks: u32) -> Result<(), Stopped> {
        if marks == self.all_marks() { Err(Stopped::Component(state)) } else { Ok(()) }
    }

    fn all_marks(&self) -> u32 {
        (1 << self.acceptance_sets) - 1
    }

    fn refuse(&mut self, reason: Reason) {
        let known = self.found.refusal.take();
        self.found.refusal = Some(known.map_or(reason.clone(), |known| first_reason(known, reason)));
    }

    fn check(&mut self) -> Result<(), Stopped> {
        if self.until_check > 0 {
            self.until_check -= 1;
            return Ok(());
        }
        self.until_check = STEPS_PER_CHECK;
        self.measure();
        if self.stop.load(Ordering::Relaxed) {
            return Err(Stopped::Stopped);
        }
        self.budget.spend(u64::from(STEPS_PER_CHECK));
        self.budget.check().map_err(|exhausted| Stopped::GivenUp(exhausted.into()))
    }

    fn measure(&mut self) {
        let bytes = self.path.capacity() * size_of::<WorkerFrame>()
            + self.roots.capacity() * size_of::<WorkerRoot>()
            + self.waiting.capacity() * size_of::<Waiting>();
        self.found.stack_bytes = self.found.stack_bytes.max(bytes);
    }

    /// Marks as bits.
    fn compact(&self, marks: Marks) -> u32 {
        (0..self.acceptance_sets).fold(0, |bits, set| bits | u32::from(marks.contains(set)) << set)
    }
}

fn full() -> Stopped {
    Stopped::GivenUp(Reason::Incomplete("there are more than 2,147,483,584 states".to_owned()))
}

/// Which of two reasons is reported: the same one whichever was met first.
pub fn first_reason(one: Reason, other: Reason) -> Reason {
    if one == other || format!("{one:?}") <= format!("{other:?}") { one } else { other }
}

/// A small source of random numbers (xorshift), different for each worker.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        // Any seed will do but zero, and small ones take long to spread.
        Self((seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below a limit.
    fn below(&mut self, limit: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (((self.0 >> 32) * u64::from(limit)) >> 32) as u32
    }
}
