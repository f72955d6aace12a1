//! Data races, found by vector clocks over the accesses of a run (Mattern 1989; FastTrack, Flanagan and Freund 2009,
//! without its compression).
//!
//! Two accesses to one part of memory race if they are by different threads, one of them writes, and neither happens
//! before the other. Before means: in program order, from the start of a thread to its first step, from its end to the
//! join, from giving a mutex back to taking it, and from one atomic section to the next. This only watches: the
//! semantics does not depend on it.

use std::collections::{BTreeMap, BTreeSet};

use foundation::Span;

use crate::model::{Program, VariableKind};
use crate::semantics::describe::name_of;
use crate::semantics::event::{Event, LockId};
use crate::semantics::memory::Extent;
use crate::semantics::value::ObjectId;

/// Two accesses that race.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Race {
    /// The source text of the access that came first in this run.
    pub first: Span,
    /// The source text of the other access.
    pub second: Span,
    /// What is accessed.
    pub what: String,
}

type Clock = Vec<u64>;

#[derive(Clone, Copy)]
struct RecordedAccess {
    thread: u32,
    time: u64,
    writes: bool,
    span: Span,
}

/// Watches a run for data races.
#[derive(Default)]
pub struct RaceWatch {
    clocks: Vec<Clock>,
    locks: BTreeMap<LockId, Clock>,
    atomic: Clock,
    accesses: BTreeMap<ObjectId, BTreeMap<(u64, u64), Vec<RecordedAccess>>>,
    races: BTreeSet<Race>,
}

impl RaceWatch {
    /// Follows the events of a step of a thread, on an edge with this source text.
    pub fn follow(&mut self, program: &Program, thread: u32, span: Span, events: &[Event]) {
        let me = thread as usize;
        for event in events {
            match event {
                Event::Spawned(child) => {
                    let child = *child as usize;
                    self.clocks.resize(self.clocks.len().max(me.max(child) + 1), Clock::new());
                    advance(&mut self.clocks[me], me);
                    self.clocks[child] = self.clocks[me].clone();
                    advance(&mut self.clocks[child], child);
                    advance(&mut self.clocks[me], me);
                }
                // As long as there is one thread only, nothing can race and nothing need be remembered.
                _ if self.clocks.is_empty() => {}
                Event::Joined(child) => {
                    let child = self.clocks[*child as usize].clone();
                    join(&mut self.clocks[me], &child);
                }
                Event::Locked(lock) => {
                    if let Some(released) = self.locks.get(lock) {
                        join(&mut self.clocks[me], released);
                    }
                }
                Event::Unlocked(lock) => {
                    self.locks.insert(*lock, self.clocks[me].clone());
                    advance(&mut self.clocks[me], me);
                }
                Event::AtomicBegan => join(&mut self.clocks[me], &self.atomic),
                Event::AtomicEnded => {
                    self.atomic = self.clocks[me].clone();
                    advance(&mut self.clocks[me], me);
                }
                Event::Died(object) => {
                    self.accesses.remove(object);
                }
                Event::Read(extent) => self.access(program, thread, span, *extent, false),
                Event::Write(extent) => self.access(program, thread, span, *extent, true),
                _ => {}
            }
        }
    }

    /// The races that were found, each once.
    pub fn races(self) -> Vec<Race> {
        self.races.into_iter().collect()
    }

    fn access(&mut self, program: &Program, thread: u32, span: Span, extent: Extent, writes: bool) {
        let shared = extent.object.variable().is_none_or(|variable| match program.variables[variable].kind {
            VariableKind::Global { .. } => true,
            VariableKind::Literal { .. } | VariableKind::Temporary(_) => false,
            VariableKind::Parameter(_) | VariableKind::Local(_) => program.variables[variable].address_taken,
        });
        if !shared {
            return;
        }
        let me = &self.clocks[thread as usize];
        let parts = self.accesses.entry(extent.object).or_default();
        for (&(offset, width), others) in parts.range(..(extent.end(), 0)) {
            if offset + width <= extent.offset_bits {
                continue;
            }
            for other in others {
                let ordered = other.thread == thread || other.time <= at(me, other.thread as usize);
                if !ordered && (writes || other.writes) {
                    let race = Race { first: other.span, second: span, what: name_of(program, extent) };
                    let exchanged = Race { first: span, second: other.span, ..race.clone() };
                    // The same two accesses in the other order are the same race.
                    if !self.races.contains(&exchanged) {
                        self.races.insert(race);
                    }
                }
            }
        }
        // Of a thread's accesses to one part only the last of each kind can race with what comes later.
        let here = parts.entry((extent.offset_bits, extent.width_bits)).or_default();
        here.retain(|other| other.thread != thread || other.writes != writes);
        here.push(RecordedAccess { thread, time: at(me, thread as usize), writes, span });
    }
}

fn at(clock: &Clock, thread: usize) -> u64 {
    clock.get(thread).copied().unwrap_or(0)
}

fn advance(clock: &mut Clock, thread: usize) {
    clock.resize(clock.len().max(thread + 1), 0);
    clock[thread] += 1;
}

fn join(clock: &mut Clock, other: &Clock) {
    clock.resize(clock.len().max(other.len()), 0);
    for (mine, theirs) in clock.iter_mut().zip(other) {
        *mine = (*mine).max(*theirs);
    }
}
