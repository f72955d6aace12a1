//! The engines. Each is a room of its own behind [`task::Engine`]; none knows the insides of another.
//!
//! | room | what it decides |
//! | --- | --- |
//! | [`explicit`] | programs with finitely many states and inputs, by visiting all of them |

pub mod explicit;
