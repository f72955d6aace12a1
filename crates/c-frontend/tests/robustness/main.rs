//! Any text, all the way: faulty but plausible programs, damaged programs and deep ones are parsed, translated, printed
//! and run. The check is [`semper_c_frontend::robustness::check`], which the fuzz target `c` calls too.

mod corpus;
mod endurance;
mod generate;
mod mutate;
mod nesting;
mod random;
mod shared;
mod unevaluated;
