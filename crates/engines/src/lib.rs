//! The engines. Each is a room of its own behind [`task::Engine`]; none knows the insides of another.
//!
//! | room | what it decides |
//! | --- | --- |
//! | [`explicit`] | programs with finitely many states and inputs, by visiting all of them |
//! | [`fairness`] | programs with infinitely many states, by subtracting traces that cannot be executed |
//! | [`boxes`] | programs with large ranges that tell few values apart, by boxes of states |
//! | [`sampling`] | programs that go wrong wherever one looks, by a few executions |
//! | [`portfolio`] | whatever one of the others decides |
//! | [`encode`] | nothing: it turns programs into logic for the others |

use task::Registry;

pub mod boxes;
pub mod encode;
pub mod explicit;
pub mod fairness;
pub mod portfolio;
pub mod sampling;

/// All engines of this crate, in the order in which they are listed.
pub fn registry() -> Registry {
    Registry::new([portfolio::ENTRY, explicit::ENTRY, boxes::ENTRY, fairness::ENTRY, sampling::ENTRY])
}
