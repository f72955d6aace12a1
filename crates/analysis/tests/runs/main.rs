//! Every analysis against the interpreter: random programs are run with random choices, and what the analyses say must
//! be so in every run.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `generator` | random C programs |
//! | `subject` | from text to a program with atoms, as it is and inlined |
//! | `driver` | a run step by step, with a look at every state and a record of all choices |
//! | `initialised`, `liveness`, `partition`, `points_to`, `ranges` | one test of each analysis |
//! | `cases` | small programs whose answers are written down |

mod cases;
mod driver;
mod generator;
mod initialised;
mod liveness;
mod partition;
mod points_to;
mod ranges;
mod subject;
