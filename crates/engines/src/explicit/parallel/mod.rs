//! Emptiness of the product by several threads.
//!
//! After Bloemen, Laarman and van de Pol ("Multi-core on-the-fly SCC decomposition", PPoPP 2016; "Multi-core SCC-based LTL
//! model checking", HVC 2016): each worker searches depth first, all share what they know of strongly connected
//! components. `docs/design/parallel.md` tells how, with an example.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`records`] | the states, and one word for each |
//! | [`shared_store`] | which states were visited |
//! | [`union_find`] | which of them are strongly connected |
//! | [`worker`] | the search of one thread |
//!
//! **The answer does not depend on timing.** Whether there is an accepting run does not; the numbers of states and of
//! transitions, where all are visited, are those of the sequential search; of several refusals the same one is
//! reported. Which accepting run the threads come upon first, however, is chance. So when there is one, the sequential
//! search runs as well and says which run is shown: it knows that it will find one, and usually does so after few
//! states. It gets half of the time that is left. If that does not do, what the threads have found is shown, which
//! is as good, but may be another run next time: better than no answer.

pub mod records;
pub mod shared_store;
pub mod union_find;
pub mod worker;

#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use automata::buchi::Marks;
use foundation::Budget;
use task::Reason;

use super::product::Product;
use super::search::{Emptiness, Searched, search};
use super::space::Space;
use super::store::{Inserted, Store};
use shared_store::SharedStore;
use union_find::{INFORMATION_BITS, UnionFind};
use worker::{Findings, SharedSearch, Stopped, Worker, first_reason};

/// What a search by several threads came to.
#[derive(Clone, Debug)]
pub struct SearchedInParallel {
    /// How many states were visited.
    pub states: u64,
    /// How many transitions they have.
    pub transitions: u64,
    /// How many times the successors of a state were computed: more often than there are states where threads have met.
    pub expansions: u64,
    /// The bytes that were used at most.
    pub bytes: usize,
    /// How many threads took part.
    pub threads: usize,
    /// The answer.
    pub answer: ParallelAnswer,
}

/// The answer of a search by several threads.
#[derive(Clone, Debug)]
pub enum ParallelAnswer {
    /// The product has no accepting run.
    Nothing,
    /// It has one, and a lasso can be made of this.
    Violation(Searched),
    /// Not all was visited, and what was has no accepting run.
    Unknown(Reason),
}

/// Stands where another worker may come in between. Tests give way there, so that it does.
#[cfg(not(test))]
#[inline(always)]
fn meanwhile() {}

#[cfg(test)]
use tests::meanwhile;

/// The stack of a thread; the search itself needs little of it, but the space may need more.
const THREAD_STACK_BYTES: usize = 16 << 20;

/// Searches a product for an accepting run with this many threads, or as many as can be told apart: there must be room
/// in one word for the threads and the acceptance sets together.
pub fn search_parallel<S: Space>(product: &mut Product<'_, S>, threads: usize, budget: &Budget) -> SearchedInParallel {
    let room = INFORMATION_BITS.saturating_sub(product.all_marks().len());
    let threads = threads.min(room as usize);
    if threads == 0 {
        return by_one_thread(search(product, budget));
    }
    let store = SharedStore::new(product.space.words(), threads);
    let explored = explore(product, &store, threads, 0, budget);
    let mut searched = SearchedInParallel {
        states: store.states(),
        transitions: explored.transitions,
        expansions: explored.expansions,
        bytes: store.bytes() + explored.stack_bytes,
        threads,
        answer: ParallelAnswer::Nothing,
    };
    match explored.violation {
        Some(violation) => {
            let shown = show(product, &store, threads, &violation, budget);
            searched.states = shown.states;
            searched.transitions = shown.transitions;
            searched.bytes += shown.bytes;
            searched.answer = ParallelAnswer::Violation(shown);
        }
        None => searched.answer = explored.unknown.map_or(ParallelAnswer::Nothing, ParallelAnswer::Unknown),
    }
    searched
}

/// What all workers found together.
struct ExploredParts {
    violation: Option<Stopped>,
    unknown: Option<Reason>,
    transitions: u64,
    expansions: u64,
    stack_bytes: usize,
}

/// Lets the workers run.
fn explore<S: Space>(
    product: &Product<'_, S>,
    store: &SharedStore,
    threads: usize,
    seed: u64,
    budget: &Budget,
) -> ExploredParts {
    let stop = AtomicBool::new(false);
    let search = SharedSearch { store, workers: threads as u32, seed, budget, stop: &stop };
    // All are there before the first begins: they wait for each other when the store grows.
    let mut workers: Vec<_> = (0..search.workers).map(|worker| Worker::new(&search, worker, product.fork())).collect();
    let last = workers.pop();
    let results = thread::scope(|scope| {
        let mut others = Vec::new();
        for worker in workers {
            let builder = thread::Builder::new().stack_size(THREAD_STACK_BYTES);
            // A thread that the system does not grant is a worker less.
            others.extend(builder.spawn_scoped(scope, move || worker.run()));
        }
        let mut results: Vec<_> = last.map(Worker::run).into_iter().collect();
        for other in others {
            results.push(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        results
    });
    combine(results)
}

fn combine(results: Vec<(Result<(), Stopped>, Findings)>) -> ExploredParts {
    let mut explored = ExploredParts { violation: None, unknown: None, transitions: 0, expansions: 0, stack_bytes: 0 };
    let mut is_complete = false;
    let mut given_up = None;
    for (result, findings) in results {
        explored.transitions += findings.transitions;
        explored.expansions += findings.expansions;
        explored.stack_bytes += findings.stack_bytes;
        explored.unknown = match (explored.unknown.take(), findings.refusal) {
            (Some(one), Some(other)) => Some(first_reason(one, other)),
            (one, other) => one.or(other),
        };
        match result {
            Ok(()) => is_complete = true,
            Err(Stopped::Stopped) => {}
            Err(Stopped::GivenUp(reason)) => given_up = Some(reason),
            Err(violation) => explored.violation = Some(violation),
        }
    }
    if !is_complete && explored.violation.is_none() {
        explored.unknown = Some(given_up.expect("a worker stops only when another has ended"));
    }
    explored
}

/// What a lasso is made of, when there is a violation.
fn show<S: Space>(
    product: &mut Product<'_, S>,
    store: &SharedStore,
    threads: usize,
    violation: &Stopped,
    budget: &Budget,
) -> Searched {
    let half = match budget.remaining() {
        Some(left) => budget.clone().with_time(left / 2),
        None => budget.clone(),
    };
    let searched = search(product, &half);
    match searched.found {
        Emptiness::Component { .. } | Emptiness::End { .. } => searched,
        Emptiness::Nothing | Emptiness::Unknown(_) => {
            what_threads_found(store, threads, violation, product.all_marks())
        }
    }
}

/// The states that the threads have visited and their violation, in the form that the sequential search gives them.
fn what_threads_found(shared: &SharedStore, threads: usize, violation: &Stopped, marks: Marks) -> Searched {
    let records = &shared.records;
    let sets = UnionFind::new(records, threads as u32);
    let mut store = Store::new(shared.words());
    let mut state = vec![0; shared.words()];
    let mut component = Vec::new();
    let mut found = Emptiness::Nothing;
    for number in records.reserved() {
        if records.cell(number).load(Ordering::Relaxed) == 0 {
            continue;
        }
        records.read(number, &mut state);
        let Inserted::New(copy) = store.insert(&state) else { continue };
        match *violation {
            Stopped::Component(member) if sets.are_united(number, member) => component.push(copy),
            Stopped::End { state, step } if state == number => found = Emptiness::End { state: copy, step },
            _ => {}
        }
    }
    if let Stopped::Component(_) = violation {
        found = Emptiness::Component { states: component, marks };
    }
    Searched { states: u64::from(store.len()), bytes: store.bytes(), store, transitions: 0, found }
}

/// The sequential search's answer in the form of this one's.
fn by_one_thread(searched: Searched) -> SearchedInParallel {
    let states = searched.states;
    let (transitions, bytes) = (searched.transitions, searched.bytes);
    let answer = match &searched.found {
        Emptiness::Nothing => ParallelAnswer::Nothing,
        Emptiness::Unknown(reason) => ParallelAnswer::Unknown(reason.clone()),
        Emptiness::Component { .. } | Emptiness::End { .. } => ParallelAnswer::Violation(searched),
    };
    SearchedInParallel { states, transitions, expansions: states, bytes, threads: 1, answer }
}
