//! Maps and sets by hashing whose order depends on nothing but what was done to them. Those of the standard library are
//! seeded by chance, and where such an order reaches a solver, its time and now and then its answer differ from run to
//! run: nobody could compare two runs.
//!
//! `clippy.toml` keeps the others out. Where an order is seen by a person, ordered maps are used all the same.

use rustc_hash::FxBuildHasher;

/// A map by hashing, in the same order in every run.
#[expect(clippy::disallowed_types, reason = "with another order")]
pub type HashMap<K, V> = std::collections::HashMap<K, V, FxBuildHasher>;
/// A set by hashing, in the same order in every run.
#[expect(clippy::disallowed_types, reason = "with another order")]
pub type HashSet<T> = std::collections::HashSet<T, FxBuildHasher>;
