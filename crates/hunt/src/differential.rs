//! The comparison of two ways to run a program. Each side is a closure from a program to its trace, so that this module
//! serves compiler against compiler and interpreter against compiler alike.

use std::fmt;

use crate::program::GeneratedProgram;

/// One way to run a program: its trace, or why there is none.
pub type Side<'a> = dyn FnMut(&GeneratedProgram) -> Result<Vec<String>, String> + 'a;

/// What a comparison found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Both sides show the same trace, of so many states.
    Agreement {
        /// The length of the trace.
        states: usize,
    },
    /// The traces differ.
    Disagreement(FirstDifference),
    /// The reference has no trace: the program itself is wrong.
    Invalid(String),
    /// The other side has no trace.
    Refusal(String),
}

/// The first place where two traces differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstDifference {
    /// The number of the state, from 0.
    pub state: usize,
    /// The values of the reference that the other side does not show, or its whole state where the other side has ended.
    pub expected: String,
    /// The values of the other side in the same places.
    pub found: String,
}

impl fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Agreement { states } => write!(formatter, "agreement on {states} states"),
            Outcome::Disagreement(difference) => {
                let FirstDifference { state, expected, found } = difference;
                write!(formatter, "disagreement in state {state}: expected `{expected}`, found `{found}`")
            }
            Outcome::Invalid(message) => write!(formatter, "no trace to compare with: {message}"),
            Outcome::Refusal(message) => write!(formatter, "refused: {message}"),
        }
    }
}

impl Outcome {
    /// Whether the other outcome shows the same defect: the reducer must not slip from one to another.
    pub fn is_like(&self, other: &Outcome) -> bool {
        match (self, other) {
            (Outcome::Disagreement(_), Outcome::Disagreement(_)) => true,
            (Outcome::Refusal(one), Outcome::Refusal(two)) => essence(one) == essence(two),
            (Outcome::Invalid(one), Outcome::Invalid(two)) => essence(one) == essence(two),
            _ => false,
        }
    }
}

/// Runs the program on both sides and compares the traces.
pub fn compare(program: &GeneratedProgram, reference: &mut Side<'_>, other: &mut Side<'_>) -> Outcome {
    let expected = match reference(program) {
        Ok(trace) => trace,
        Err(message) => return Outcome::Invalid(message),
    };
    match other(program) {
        Ok(found) => compare_traces(&expected, &found),
        Err(message) => Outcome::Refusal(message),
    }
}

/// Compares two traces.
pub fn compare_traces(expected: &[String], found: &[String]) -> Outcome {
    let longer = expected.len().max(found.len());
    let ended = "(the end)".to_string();
    for state in 0..longer {
        let (one, two) = (expected.get(state).unwrap_or(&ended), found.get(state).unwrap_or(&ended));
        if one != two {
            let (expected, found) = differing_parts(one, two);
            return Outcome::Disagreement(FirstDifference { state, expected, found });
        }
    }
    Outcome::Agreement { states: expected.len() }
}

fn differing_parts(one: &str, two: &str) -> (String, String) {
    let (left, right): (Vec<&str>, Vec<&str>) = (one.split(' ').collect(), two.split(' ').collect());
    if left.len() != right.len() {
        return (one.to_string(), two.to_string());
    }
    let differing: Vec<usize> = (0..left.len()).filter(|index| left[*index] != right[*index]).collect();
    let show = |parts: &[&str]| differing.iter().map(|index| parts[*index]).collect::<Vec<_>>().join(" ");
    (show(&left), show(&right))
}

/// The first line of a message without the numbers and names that change while a program is made smaller.
fn essence(message: &str) -> String {
    let first = message.lines().find(|line| !line.trim().is_empty()).unwrap_or("");
    let mut quoted = false;
    first
        .chars()
        .filter(|character| {
            if *character == '`' {
                quoted = !quoted;
            }
            !quoted && !character.is_ascii_digit()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(states: &[&str]) -> Vec<String> {
        states.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_first_difference_is_told_with_the_values_that_differ() {
        let expected = trace(&["a=1 b=2", "a=1 b=3 c=0"]);
        let found = trace(&["a=1 b=2", "a=4 b=3 c=0", "a=9"]);
        let difference = FirstDifference { state: 1, expected: "a=1".into(), found: "a=4".into() };
        assert_eq!(compare_traces(&expected, &found), Outcome::Disagreement(difference));
        assert_eq!(compare_traces(&expected, &expected), Outcome::Agreement { states: 2 });
    }

    #[test]
    fn a_trace_that_ends_too_early_or_too_late_differs() {
        let (short, long) = (trace(&["a=1"]), trace(&["a=1", "a=2"]));
        let missing = FirstDifference { state: 1, expected: "a=2".into(), found: "(the end)".into() };
        assert_eq!(compare_traces(&long, &short), Outcome::Disagreement(missing));
        assert!(matches!(compare_traces(&short, &long), Outcome::Disagreement(_)));
    }

    #[test]
    fn refusals_are_alike_up_to_numbers_and_quoted_names() {
        let refusal = |text: &str| Outcome::Refusal(text.to_string());
        assert!(refusal("3:4: unknown `g1`").is_like(&refusal("17:2: unknown `f`")));
        assert!(!refusal("3:4: unknown `g1`").is_like(&refusal("3:4: unsupported `g1`")));
    }
}
