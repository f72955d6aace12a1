//! The settings of the semantics, with the names that the command line gives them.

use std::fmt;
use std::str::FromStr;

use crate::cfa::{FunctionId, Observe};

/// Which of the meanings that a user can choose from a program is given.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Semantics {
    /// What integers are.
    pub integers: Integers,
    /// Which states are observed.
    pub observe: ObserveMode,
    /// What undefined behaviour does.
    pub undefined: UndefinedMode,
    /// Where a thread may be interrupted by another.
    pub atomicity: Atomicity,
    /// Whether an allocation may return the null pointer.
    pub malloc_may_fail: bool,
    /// A function whose entry ends the run (the competition property `G ! call(f())`).
    pub stop_at_call: Option<FunctionId>,
}

/// A choice among words: the type, and for each variant its word.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident, $what:literal, $($(#[$variant_meta:meta])* $variant:ident = $word:literal),+) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
        pub enum $name {
            $($(#[$variant_meta])* $variant),+
        }

        impl $name {
            /// All variants with their names.
            pub const ALL: &'static [(&'static str, $name)] = &[$(($word, $name::$variant)),+];
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $($name::$variant => $word),+ })
            }
        }

        impl FromStr for $name {
            type Err = String;
            fn from_str(text: &str) -> Result<Self, String> {
                let found = Self::ALL.iter().find(|(word, _)| *word == text).map(|&(_, value)| value);
                found.ok_or_else(|| {
                    let words: Vec<_> = Self::ALL.iter().map(|(word, _)| format!("`{word}`")).collect();
                    format!("`{text}` is not a {}: choose from {}", $what, words.join(", "))
                })
            }
        }
    };
}

words! {
    /// What integers are.
    Integers, "kind of integers",
    /// Of their type's width, in two's complement.
    #[default]
    Machine = "machine",
    /// Unbounded.
    Ideal = "ideal"
}

words! {
    /// Which states are observed.
    ObserveMode, "mode of observation",
    /// Those after every full expression.
    #[default]
    Statement = "statement",
    /// Those after a full expression that wrote what the property reads.
    Change = "change",
    /// Those at explicit steps.
    Step = "step"
}

impl ObserveMode {
    /// Whether a state may be observed after an edge that is marked so.
    pub fn may_see(self, observe: Observe) -> bool {
        match self {
            ObserveMode::Statement | ObserveMode::Change => observe != Observe::No,
            ObserveMode::Step => observe == Observe::Step,
        }
    }
}

words! {
    /// What undefined behaviour does.
    UndefinedMode, "treatment of undefined behaviour",
    /// It ends the run in a state where `error` holds for ever.
    #[default]
    Error = "error",
    /// It blocks the run, which is then no execution.
    Assume = "assume"
}

words! {
    /// Where a thread may be interrupted by another.
    Atomicity, "kind of atomicity",
    /// Between any two edges; where each edge makes at most one access to shared memory (see `passes::interleave`),
    /// between any two of those.
    #[default]
    Access = "access",
    /// Between two full expressions, those inside a call included.
    Statement = "statement"
}
