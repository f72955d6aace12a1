//! The sets of states that are known to be strongly connected, shared by all workers.
//!
//! After Bloemen, Laarman and van de Pol ("Multi-core on-the-fly SCC decomposition", PPoPP 2016): a union-find forest
//! whose roots say which workers have the set on their stacks, and a cyclic list through each set, from which states that
//! are *done* are dropped, so that a worker finds the states that are still to be explored. Acceptance marks are kept at
//! the root as in "Multi-core SCC-based LTL model checking" (HVC 2016). A set whose states are all done is a whole
//! component and *dead*: nothing accepting can be reached from it.
//!
//! All that belongs to a state is one 64-bit word, its [`StateWord`], and every change is one compare-and-swap of it:
//!
//! | bits | at a root | at another state |
//! | --- | --- | --- |
//! | 63 | 1 | 0 |
//! | 62 | whether the state is done | the same |
//! | 61, 60 | whether the set is dead; whether the root is locked | } its parent |
//! | 31–59 | the workers, and from there on the marks | } |
//! | 0–30 | the next state in the list | the same |
//!
//! What makes this work without locks but the one in [`UnionFind::unite`]:
//!
//! - A parent has a smaller number than its children. So there is always an end to waiting for a locked root: who holds it
//!   waits for smaller ones alone.
//! - A done state that is not a root stays so, and its place in the list only ever moves on. Only such states are dropped
//!   from lists, and only lists that begin at a root are shortened.
//! - Two lists are joined by exchanging the successors of two states that are in their lists for certain: the locked root
//!   of one set, and in the other a state that is not done, or its root. Until the exchange is complete, who follows the
//!   list comes to the locked root, and waits there.
//! - A list has come to its end exactly if its root is done and its own successor: one word shows that, and one
//!   compare-and-swap makes the set dead.

use std::sync::atomic::Ordering;

use super::meanwhile;
use super::records::{NUMBER_BITS, Records};

/// How many bits of a root there are for workers and marks.
pub const INFORMATION_BITS: u32 = NUMBER_BITS - 2;

const ROOT: u64 = 1 << 63;
const DONE: u64 = 1 << 62;
const DEAD: u64 = 1 << 61;
const LOCKED: u64 = 1 << 60;
const NUMBER: u64 = (1 << NUMBER_BITS) - 1;
const INFORMATION: u64 = ((1 << INFORMATION_BITS) - 1) << NUMBER_BITS;

/// The word of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StateWord(u64);

impl StateWord {
    /// A state that is a set of its own, which no worker has visited.
    pub fn alone(state: u32) -> Self {
        Self(ROOT | u64::from(state))
    }

    /// The word itself.
    pub fn word(self) -> u64 {
        self.0
    }

    fn has(self, bits: u64) -> bool {
        self.0 & bits == bits
    }

    fn with(self, bits: u64) -> Self {
        Self(self.0 | bits)
    }

    fn next(self) -> u32 {
        (self.0 & NUMBER) as u32
    }

    fn with_next(self, next: u32) -> Self {
        Self(self.0 & !NUMBER | u64::from(next))
    }

    fn parent(self) -> u32 {
        (self.0 >> NUMBER_BITS & NUMBER) as u32
    }

    fn with_parent(self, parent: u32) -> Self {
        Self(self.0 & (DONE | NUMBER) | u64::from(parent) << NUMBER_BITS)
    }
}

/// Who has visited the set of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Visited {
    /// No worker.
    ByNobody,
    /// Other workers.
    ByOthers,
    /// The worker that asks: the set is on its stack.
    BySelf {
        /// The root of the set, now.
        root: u32,
        /// The marks of the set, now.
        marks: u32,
    },
    /// The set is dead.
    Dead,
}

/// What there is to do in a set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Picked {
    /// This state is not done.
    State(u32),
    /// Nothing: the set is dead.
    Dead,
}

/// How many done states are dropped from a list at a time: other workers change the root meanwhile, and then it was in
/// vain.
const DROPPED_AT_A_TIME: u32 = 256;

/// The sets.
#[derive(Clone, Copy)]
pub struct UnionFind<'r> {
    records: &'r Records,
    /// How many workers there are; their bits come before those of the marks.
    workers: u32,
}

impl<'r> UnionFind<'r> {
    /// The sets of the states with these records.
    pub fn new(records: &'r Records, workers: u32) -> Self {
        Self { records, workers }
    }

    /// Whether a state is done: all its successors are in its set or dead.
    #[inline]
    pub fn is_done(self, state: u32) -> bool {
        self.load(state).has(DONE)
    }

    /// Says that a state is done. Only the first to do so is told that it was.
    #[inline]
    pub fn finish(self, state: u32) -> bool {
        self.records.cell(state).fetch_or(DONE, Ordering::AcqRel) & DONE == 0
    }

    /// Makes a state done and its set dead at once, if the set is the state alone and the state is not done.
    #[inline]
    pub fn finish_alone(self, state: u32) -> bool {
        let cell = self.load(state);
        let is_alone = cell.has(ROOT) && !cell.has(DONE) && !cell.has(LOCKED) && cell.next() == state;
        is_alone && self.swap(state, cell, cell.with(DONE | DEAD))
    }

    /// Who has visited the set of a state.
    #[inline]
    pub fn visited(self, state: u32, worker: u32) -> Visited {
        let (root, cell) = self.find(state);
        self.visited_by(root, cell, worker)
    }

    /// Who had visited the set of a state; from now on, this worker has, too.
    pub fn visit(self, state: u32, worker: u32) -> Visited {
        loop {
            let (root, cell) = self.find(state);
            let before = self.visited_by(root, cell, worker);
            meanwhile();
            let is_settled = matches!(before, Visited::BySelf { .. } | Visited::Dead);
            if is_settled || self.swap(root, cell, cell.with(1 << (NUMBER_BITS + worker))) {
                return before;
            }
        }
    }

    /// Whether two states are in the same set. If not, they were in different sets at some time during the call.
    pub fn are_united(self, one: u32, other: u32) -> bool {
        loop {
            let (first, _) = self.find(one);
            meanwhile();
            let (second, _) = self.find(other);
            if first == second {
                return true;
            }
            if self.load(first).has(ROOT) {
                return false;
            }
        }
    }

    /// Makes one set of the sets of two states. The caller knows that they are strongly connected, and that neither is
    /// dead.
    pub fn unite(self, one: u32, other: u32) {
        // The set with the larger root is put below the other, into whose list the second state shows the way.
        let (root, locked, above, mut entry) = loop {
            let (first, first_cell) = self.find(one);
            let (second, second_cell) = self.find(other);
            let (root, cell, above, entry) = match first.cmp(&second) {
                std::cmp::Ordering::Equal => return,
                std::cmp::Ordering::Greater => (first, first_cell, second, other),
                std::cmp::Ordering::Less => (second, second_cell, first, one),
            };
            if self.swap(root, cell, cell.with(LOCKED)) {
                break (root, cell, above, entry);
            }
        };
        // First the workers and the marks. A worker that finds itself above, where it has not been, looks for the
        // way there on its stack, comes to the locked root, and waits.
        meanwhile();
        let information = locked.0 & INFORMATION;
        let above = loop {
            let (above, cell) = self.find(above);
            debug_assert!(above < root && !cell.has(DEAD), "sets that are united are not dead");
            if cell.has(information) || self.swap(above, cell, cell.with(information)) {
                break above;
            }
        };
        meanwhile();
        // Then the list.
        let next = loop {
            let cell = self.load(entry);
            let is_in_list = if cell.has(ROOT) { !cell.has(LOCKED) } else { !cell.has(DONE) };
            if !is_in_list {
                (entry, _) = self.find(above);
            } else if self.swap(entry, cell, cell.with_next(locked.next())) {
                break cell.next();
            }
        };
        meanwhile();
        // And the link, by which the lock is gone. Meanwhile the root may have been found to be done, but nothing else.
        loop {
            let cell = self.load(root);
            if self.swap(root, cell, cell.with_next(next).with_parent(above)) {
                return;
            }
        }
    }

    /// Adds marks to the set of a state and returns its root and all marks that it has.
    pub fn add_marks(self, state: u32, marks: u32) -> (u32, u32) {
        let bits = u64::from(marks) << (NUMBER_BITS + self.workers);
        loop {
            let (root, cell) = self.find(state);
            if cell.has(bits) || self.swap(root, cell, cell.with(bits)) {
                return (root, self.marks(cell.with(bits)));
            }
        }
    }

    /// Finds a state that is not done in the set of a state, passing over so many of them if there are more. If there is
    /// none, the set is made dead.
    pub fn pick(self, state: u32, pass_over: u32) -> Picked {
        let mut patience = Patience::default();
        loop {
            let (root, cell) = self.find(state);
            meanwhile();
            if cell.has(DEAD) {
                return Picked::Dead;
            }
            if !cell.has(DONE) {
                return Picked::State(root);
            }
            if cell.next() == root {
                if self.swap(root, cell, cell.with(DEAD)) {
                    return Picked::Dead;
                }
                continue;
            }
            let (at, found) = self.first_to_do(cell.next());
            meanwhile();
            if at != cell.next() {
                self.swap(root, cell, cell.with_next(at));
            }
            if found.has(ROOT) {
                // It is this root, or one that is being united with it.
                if at != root {
                    patience.wait();
                }
            } else if !found.has(DONE) {
                return Picked::State(self.further_to_do(at, found, pass_over));
            }
        }
    }

    /// The root of a state's set.
    #[cfg(test)]
    pub fn root(self, state: u32) -> u32 {
        self.find(state).0
    }

    /// The root of a state's set, once it is not locked.
    #[inline]
    fn find(self, state: u32) -> (u32, StateWord) {
        let cell = self.load(state);
        if cell.has(ROOT) {
            if !cell.has(LOCKED) {
                return (state, cell);
            }
        } else {
            let parent = self.load(cell.parent());
            if parent.0 & (ROOT | LOCKED) == ROOT {
                return (cell.parent(), parent);
            }
        }
        self.climb(state)
    }

    fn climb(self, state: u32) -> (u32, StateWord) {
        let mut at = state;
        let mut patience = Patience::default();
        loop {
            let cell = self.load(at);
            if cell.has(ROOT) {
                if !cell.has(LOCKED) {
                    return (at, cell);
                }
                patience.wait();
                continue;
            }
            let parent = cell.parent();
            let above = self.load(parent);
            if above.has(ROOT) {
                at = parent;
                continue;
            }
            // Every second state on the way is linked to its parent's parent, which keeps the ways short.
            self.swap(at, cell, cell.with_parent(above.parent()));
            at = above.parent();
        }
    }

    /// The first state from this one on in its list that is a root or not done, or after many that are done, any.
    fn first_to_do(self, mut at: u32) -> (u32, StateWord) {
        for _ in 0..DROPPED_AT_A_TIME {
            let cell = self.load(at);
            if cell.has(ROOT) || !cell.has(DONE) {
                return (at, cell);
            }
            at = cell.next();
        }
        (at, self.load(at))
    }

    /// Some state after this one in its list that is not done, or the state itself.
    fn further_to_do(self, state: u32, cell: StateWord, pass_over: u32) -> u32 {
        let (mut last, mut at) = (state, cell.next());
        for _ in 0..pass_over {
            let (found, cell) = self.first_to_do(at);
            if cell.has(ROOT) || cell.has(DONE) {
                break;
            }
            (last, at) = (found, cell.next());
        }
        last
    }

    #[inline]
    fn visited_by(self, root: u32, cell: StateWord, worker: u32) -> Visited {
        let workers = cell.0 >> NUMBER_BITS & ((1 << self.workers) - 1);
        if cell.has(DEAD) {
            Visited::Dead
        } else if workers >> worker & 1 == 1 {
            Visited::BySelf { root, marks: self.marks(cell) }
        } else if workers == 0 {
            Visited::ByNobody
        } else {
            Visited::ByOthers
        }
    }

    /// The marks at a root.
    #[inline]
    fn marks(self, cell: StateWord) -> u32 {
        ((cell.0 & INFORMATION) >> (NUMBER_BITS + self.workers)) as u32
    }

    #[inline]
    fn load(self, state: u32) -> StateWord {
        StateWord(self.records.cell(state).load(Ordering::Acquire))
    }

    #[inline]
    fn swap(self, state: u32, from: StateWord, to: StateWord) -> bool {
        let cell = self.records.cell(state);
        cell.compare_exchange(from.0, to.0, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }
}

/// Waits a short time for another worker, and longer if that may not be running.
#[derive(Default)]
struct Patience {
    waited: u32,
}

impl Patience {
    fn wait(&mut self) {
        self.waited += 1;
        if self.waited < 64 {
            std::hint::spin_loop();
        } else {
            std::thread::yield_now();
        }
    }
}
