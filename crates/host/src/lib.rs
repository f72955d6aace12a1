//! The outside world: files, the system's C compiler, programs under watch, limits on time and memory,
//! the terminal.
//!
//! This is the only room that reads files and starts processes. It knows text, not C: whether a text is a correct
//! program is the front end's matter. What goes wrong out there comes back as diagnostics, never as a panic.

pub mod compile;
pub mod compiler;
pub mod files;
pub mod folders;
mod leftovers;
pub mod limits;
pub mod machine;
pub mod preprocess;
mod process;
pub mod terminal;
pub mod unit;
pub mod watchdog;
pub mod watched;

pub use compile::{NotCompiled, Workshop};
pub use compiler::run_source;
pub use files::{check_folders, read_bytes, read_text};
pub use folders::{check_writable, find_files, make_folder, write_text};
pub use limits::{cancel_on_interrupt, parse_duration, parse_memory};
pub use machine::{Machine, machine, utc_now};
pub use preprocess::{Preprocessor, WordSize};
pub use unit::{Unit, load_unit};
pub use watchdog::{LastWords, begin_answer, guard, watch_memory};
pub use watched::{Allowance, Ending, Usage, Watched, watch};
