//! Semper takes a C program and a temporal property. This is the library's face: [`load()`] reads both and gives a
//! [`Subject`], which is what everything else works on; [`execute()`] runs it once.
//!
//! The parts behind it can be used on their own: [`program`] (the model and its semantics), [`automata`] (temporal
//! logic), [`c_frontend`], [`host`] (files and the system's compiler) and [`report`] (output). The binary of the same
//! name is a thin shell around this library.
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
//! ```

pub mod execute;
pub mod load;
pub mod properties;
pub mod request;
pub mod subject;
pub mod understood;

pub use automata;
pub use c_frontend;
pub use foundation;
pub use host;
pub use program;
pub use report;

pub use execute::{Execution, TraceTruth, execute, is_complete};
pub use foundation::Budget;
pub use load::{Loaded, load};
pub use program::semantics::Atomicity;
pub use request::{Input, Properties, Request};
pub use subject::{Property, Subject};
pub use understood::understood;
