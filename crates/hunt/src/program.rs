//! What the generator hands over: the text of a program, what is observed of it, and the inputs it is run with.

use std::collections::BTreeMap;
use std::str::FromStr;

/// How large a generated program is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// About fifty lines.
    Small,
    /// About one hundred and fifty lines.
    Medium,
    /// Several hundred lines.
    Large,
}

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Size, String> {
        match text {
            "small" => Ok(Size::Small),
            "medium" => Ok(Size::Medium),
            "large" => Ok(Size::Large),
            _ => Err(format!("`{text}` is no size; the sizes are small, medium and large")),
        }
    }
}

/// One integer that is part of every observed state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObservedGlobal {
    /// A C expression over the globals, such as `g3[1].m0`; also the name under which the value is shown.
    pub expression: String,
    /// Whether the value may lie beyond the range of `long long`.
    pub may_exceed_long_long: bool,
}

/// How often each construct occurs.
pub type Features = BTreeMap<&'static str, u64>;

/// A random program that a compiler and the interpreter must run in the same way.
///
/// A trace is the list of its observed states: at the entry of `main`, at each call of `__VERIFIER_ltl_step()`, and at
/// the end of the program; it ends early, without the state at the end, after [`GeneratedProgram::step_limit`] steps.
#[derive(Clone, Debug)]
pub struct GeneratedProgram {
    /// The seed it was generated from.
    pub seed: u64,
    /// The C text.
    pub text: String,
    /// What is observed, in order.
    pub globals: Vec<ObservedGlobal>,
    /// Call number k of any `__VERIFIER_nondet_T()` returns element k of this list, modulo its length, converted to T.
    /// Empty where the program takes no input.
    pub inputs: Vec<i64>,
    /// The number of calls of `__VERIFIER_ltl_step()` after which the run is over.
    pub step_limit: usize,
    /// What the program contains.
    pub features: Features,
}
