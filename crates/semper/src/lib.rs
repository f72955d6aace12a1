//! Semper takes a C program and a temporal property. This is the library's face: [`load()`] reads both and gives a
//! [`Subject`], which is what everything else works on; [`check()`] decides a property of it, [`execute()`] runs it once.
//! Beside it, [`mod@ltl`] tells what a formula is by itself, and [`kripke`] decides properties of Kripke structures.
//!
//! The parts behind it can be used on their own: [`program`] (the model and its semantics), [`automata`] (temporal
//! logic), [`c_frontend`], [`task`] and [`engines`] (who decides), [`certify`] (who checks what was decided), [`host`]
//! (files and the system's compiler) and [`report`] (output). The binary of the same name is a thin shell around this
//! library.
//!
//! # Example
//!
//! ```
//! use semper::{Input, Properties, Request};
//!
//! let request = Request {
//!     files: vec![Input::Text {
//!         name: "count.c".into(),
//!         text: "int x; int main(void) { while (x < 3) { x = x + 1; } return 0; }".into(),
//!     }],
//!     properties: Properties::Formulas(vec![r#"F "x == 3""#.into()]),
//!     ..Request::default()
//! };
//! let loaded = semper::load(&request, &semper::Budget::unlimited());
//! let subject = loaded.subject.expect("the program and the property are correct");
//! assert_eq!(subject.formulas.display(subject.properties[0].formula).to_string(), r#"F "x == 3""#);
//! let outcome = semper::check(&subject, 0, &semper::Settings::default(), &semper::Budget::unlimited());
//! assert!(matches!(outcome.verdict, semper::CheckedVerdict::Holds { .. }));
//! ```

mod advice;
pub mod kripke;
pub mod ltl;
mod races;
pub mod understood;
pub mod verdicts;
pub mod violation;

pub use automata;
pub use c_frontend;
pub use certify;
pub use compiled;
pub use engines;
pub use evidence::{self, certificates, replay, saved};
pub use foundation;
pub use host;
pub use program;
pub use report;
pub use subject::{
    self, Execution, Input, Loaded, Properties, Property, Request, Subject, TraceTruth, execute, is_complete, load,
};
pub use suite;
pub use task;
pub use validation;

pub use ::check::{self, CheckedOutcome, CheckedVerdict, RejectedEvidence, Settings, check, check_watched, check_with};
pub use ::vacuity::{self, vacuity};
pub use foundation::Budget;
pub use program::semantics::Atomicity;
pub use understood::understood;
pub use verdicts::verdict;
