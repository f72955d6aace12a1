//! Executes the union-find of the parallel search by several threads, for Miri: `make miri`.
//!
//! Miri executes one interleaving for each seed, with the effects of weak memory that C++20 allows, and reports data races
//! and what is undefined. This program says what must come out of each: no set is lost, none is united with another that
//! it was not to be united with, every state is handed out before its set is dead, and all agree in the end.
//!
//! The states form two strongly connected components. The first state of each, its *hub*, is not done before all sets of
//! the component are united. So no set dies too early, which is what the search guarantees the union-find as well: who
//! unites two sets has both on its stack.

// Only a part of what these files offer is of use here.
#[allow(dead_code)]
#[path = "../../../crates/engines/src/explicit/parallel/records.rs"]
mod records;
#[allow(dead_code)]
#[path = "../../../crates/engines/src/explicit/parallel/union_find.rs"]
mod union_find;

use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use records::Records;
use union_find::{Cell, Picked, UnionFind, Visited};

const WORKERS: u32 = 3;
const STATES_PER_COMPONENT: u32 = 6;

/// How often the threads are let loose in one execution: making the records costs Miri more than a round.
const ROUNDS: u32 = 5;

/// Gives way to another thread where the algorithm says that one may come in between.
fn meanwhile() {
    thread::yield_now();
}

fn main() {
    let records = Records::new(1);
    let mut numbers = records.reserve().expect("there are numbers left");
    for _ in 0..ROUNDS {
        let first = numbers.start;
        numbers.start += 2 * STATES_PER_COMPONENT;
        assert!(numbers.start <= numbers.end);
        round(&records, first);
    }
}

/// Lets all workers unite and finish the states from this number on.
fn round(records: &Records, first: u32) {
    let middle = first + STATES_PER_COMPONENT;
    let components = [first..middle, middle..middle + STATES_PER_COMPONENT];
    for state in components.iter().cloned().flatten() {
        records.cell(state).store(Cell::alone(state).word(), Ordering::Release);
    }
    let sets = UnionFind::new(records, WORKERS);
    let (united, done) = (Barrier::new(WORKERS as usize), AtomicUsize::new(0));
    thread::scope(|scope| {
        for worker in 0..WORKERS {
            let (components, united, done) = (&components, &united, &done);
            scope.spawn(move || {
                for component in components {
                    unite_all(sets, component.clone(), worker, done);
                }
                united.wait();
                for component in components {
                    finish_all(sets, component.start, done);
                }
            });
        }
    });
    assert_eq!(done.into_inner(), 2 * STATES_PER_COMPONENT as usize, "every state was done once");
    for component in &components {
        for state in component.clone() {
            assert!(sets.are_united(state, component.start));
            assert!(sets.is_done(state));
            assert_eq!(sets.visited(state, 0), Visited::Dead);
            assert_eq!(sets.add_marks(state, 0).1, (1 << WORKERS) - 1, "the marks of all workers are kept");
        }
    }
    assert!(!sets.are_united(components[0].start, components[1].start));
}

/// Unites the sets of a component in an order of the worker's own, and finishes states that belong to the hub's set.
fn unite_all(sets: UnionFind<'_>, component: std::ops::Range<u32>, worker: u32, done: &AtomicUsize) {
    let hub = component.start;
    assert!(!matches!(sets.visit(hub, worker), Visited::Dead));
    sets.add_marks(component.end - 1 - worker, 1 << worker);
    for step in 1..STATES_PER_COMPONENT {
        // Chains in two directions, and a star.
        let (one, other) = match worker {
            0 => (hub + step - 1, hub + step),
            1 => (component.end - step, component.end - step - 1),
            _ => (hub + 1 + (step * 2) % (STATES_PER_COMPONENT - 1), hub),
        };
        sets.unite(one, other);
        assert!(sets.are_united(one, other));
        if sets.are_united(one, hub) {
            assert!(
                matches!(sets.visited(one, worker), Visited::BySelf { .. }),
                "the bit of the worker is at the root"
            );
            match sets.pick(one, worker) {
                Picked::State(state) if state != hub => {
                    done.fetch_add(usize::from(sets.finish(state)), Ordering::Relaxed);
                }
                Picked::State(_) => {}
                Picked::Dead => panic!("the hub is not done"),
            }
        }
    }
    for state in component {
        assert!(sets.are_united(state, hub));
    }
}

/// Finishes what is left of a set until it is dead.
fn finish_all(sets: UnionFind<'_>, hub: u32, done: &AtomicUsize) {
    while let Picked::State(state) = sets.pick(hub, 0) {
        done.fetch_add(usize::from(sets.finish(state)), Ordering::Relaxed);
    }
}
