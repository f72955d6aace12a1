//! How many queries of which kind there were, and what they cost.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::Satisfiability;

/// Queries by kind.
#[derive(Clone, Debug, Default)]
pub struct QueryStatistics {
    kinds: BTreeMap<&'static str, KindStatistics>,
}

/// The queries of one kind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KindStatistics {
    /// How many there were.
    pub count: u64,
    /// How many of them were satisfiable (or succeeded, where that is not the question).
    pub satisfiable: u64,
    /// How many were unsatisfiable.
    pub unsatisfiable: u64,
    /// How many were not decided.
    pub unknown: u64,
    /// How long they took together.
    pub seconds: f64,
}

impl QueryStatistics {
    /// Notes a query.
    pub fn note(&mut self, kind: &'static str, answer: &Satisfiability, time: Duration) {
        let entry = self.kinds.entry(kind).or_default();
        entry.count += 1;
        entry.seconds += time.as_secs_f64();
        match answer {
            Satisfiability::Satisfiable => entry.satisfiable += 1,
            Satisfiability::Unsatisfiable => entry.unsatisfiable += 1,
            Satisfiability::Unknown(_) => entry.unknown += 1,
        }
    }

    /// All kinds with their queries.
    pub fn kinds(&self) -> impl Iterator<Item = (&'static str, &KindStatistics)> {
        self.kinds.iter().map(|(kind, statistics)| (*kind, statistics))
    }

    /// The queries of one kind.
    pub fn of(&self, kind: &str) -> KindStatistics {
        self.kinds.get(kind).cloned().unwrap_or_default()
    }

    /// All queries together.
    pub fn total(&self) -> KindStatistics {
        let mut total = KindStatistics::default();
        for kind in self.kinds.values() {
            total.add(kind);
        }
        total
    }

    /// Adds the queries of another solver.
    pub fn extend(&mut self, other: &QueryStatistics) {
        for (kind, statistics) in &other.kinds {
            self.kinds.entry(kind).or_default().add(statistics);
        }
    }
}

impl KindStatistics {
    fn add(&mut self, other: &KindStatistics) {
        self.count += other.count;
        self.satisfiable += other.satisfiable;
        self.unsatisfiable += other.unsatisfiable;
        self.unknown += other.unknown;
        self.seconds += other.seconds;
    }
}
