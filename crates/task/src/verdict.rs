//! What an engine answers. A verdict carries its evidence, so that the two cannot disagree.

use std::fmt;
use std::time::Duration;

use automata::translate::bounded::BoundedVerdict;
use foundation::{Exhausted, Span};

use crate::certificate::Certificate;
use crate::counterexample::Counterexample;

/// An engine's answer with what it measured.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The engine that answered.
    pub engine: &'static str,
    /// The answer.
    pub verdict: Verdict,
    /// What was measured on the way.
    pub statistics: Statistics,
    /// What was tried before, without an answer.
    pub tried: Vec<Attempt>,
}

/// An engine that gave no answer.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// The engine.
    pub engine: &'static str,
    /// How long it took.
    pub time: Duration,
    /// Why it gave none.
    pub reason: Reason,
}

impl Outcome {
    /// What one engine answers.
    pub fn of(engine: &'static str, verdict: Verdict, statistics: Statistics) -> Self {
        Self { engine, verdict, statistics, tried: Vec::new() }
    }
}

/// An answer.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// Every execution satisfies the goal.
    Holds(Certificate),
    /// Some execution does not.
    Violated(Counterexample),
    /// Neither was found out.
    Unknown(Reason),
}

impl Verdict {
    /// The verdict as one of the four values of bounded checking; none where nothing is known.
    pub fn bounded(&self) -> Option<BoundedVerdict> {
        match self {
            Verdict::Holds(_) => Some(BoundedVerdict::True),
            Verdict::Violated(_) => Some(BoundedVerdict::False),
            Verdict::Unknown(Reason::Bounded { presumably: true, .. }) => Some(BoundedVerdict::PresumablyTrue),
            Verdict::Unknown(Reason::Bounded { presumably: false, .. }) => Some(BoundedVerdict::PresumablyFalse),
            Verdict::Unknown(_) => None,
        }
    }
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// A limit was reached, or the user interrupted.
    Exhausted(Exhausted),
    /// The engine does not cover something that the program does.
    Unsupported {
        /// What kind of thing that is.
        obstacle: Obstacle,
        /// What, in a phrase.
        what: String,
        /// Where.
        span: Option<Span>,
    },
    /// The engine's means did not suffice.
    Incomplete(String),
    /// The engine leaves it to others, whose means are different: a reason that tells a user little.
    LeftToOthers(String),
    /// Executions were followed up to a bound, and none of them decides the goal: it is presumably true or presumably
    /// false, as it is where the last observed states are repeated for ever.
    Bounded {
        /// Whether it is presumably true, on all of them.
        presumably: bool,
        /// How many states of each execution were observed.
        bound: usize,
    },
    /// The engine says that the goal holds, but what it says cannot be checked.
    Unchecked(String),
    /// The evidence for a verdict did not pass its check: a fault in Semper.
    EvidenceRejected(String),
}

/// What an engine does not cover, where the user can do something about it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Obstacle {
    /// An input with too many values to try.
    UnboundedInput,
    /// A function that calls itself.
    Recursion,
    /// Anything else.
    Other,
}

impl Reason {
    /// Something that the engine does not cover.
    pub fn unsupported(what: impl Into<String>, span: Option<Span>) -> Self {
        Reason::Unsupported { obstacle: Obstacle::Other, what: what.into(), span }
    }

    /// An input with too many values to try, which is said in a phrase.
    pub fn of_unbounded_input(what: impl fmt::Display, span: Option<Span>) -> Self {
        Reason::Unsupported { obstacle: Obstacle::UnboundedInput, what: format!("unbounded input: {what}"), span }
    }

    /// A call that leads back to its function.
    pub fn of_recursion(span: Span) -> Self {
        Reason::Unsupported { obstacle: Obstacle::Recursion, what: "recursion".to_owned(), span: Some(span) }
    }

    /// The place of an obstacle, which may not be known, where it is the reason.
    pub fn place_of(&self, of: Obstacle) -> Option<Option<Span>> {
        match self {
            Reason::Unsupported { obstacle, span, .. } if *obstacle == of => Some(*span),
            _ => None,
        }
    }

    /// How much the reason tells where several engines have given up, each for its own: an interrupt most, then how far an
    /// engine went. An input without bounds tells least: to engines that do not try all values it is no obstacle, so that
    /// what *they* gave up for is the thing to know.
    pub fn weight(&self) -> u32 {
        match self {
            Reason::Exhausted(Exhausted::Cancelled) => 7,
            Reason::Exhausted(Exhausted::Work) => 5,
            Reason::Exhausted(_) => 6,
            Reason::EvidenceRejected(_) | Reason::Unchecked(_) => 4,
            Reason::Incomplete(_) | Reason::Bounded { .. } => 3,
            Reason::Unsupported { obstacle: Obstacle::UnboundedInput, .. } => 1,
            Reason::LeftToOthers(_) => 0,
            Reason::Unsupported { .. } => 2,
        }
    }
}

impl From<Exhausted> for Reason {
    fn from(exhausted: Exhausted) -> Self {
        Reason::Exhausted(exhausted)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Exhausted(exhausted) => write!(f, "{exhausted}"),
            Reason::Unsupported { what, .. } => write!(f, "unsupported: {what}"),
            Reason::Incomplete(what) | Reason::LeftToOthers(what) => f.write_str(what),
            Reason::Bounded { presumably, bound } => {
                let word = if *presumably { "holds" } else { "is violated" };
                write!(f, "it presumably {word}: nothing was decided within {bound} observed states")
            }
            Reason::Unchecked(why) => write!(f, "it seems to hold, but the evidence cannot be checked: {why}"),
            Reason::EvidenceRejected(what) => write!(f, "internal error: evidence rejected: {what}"),
        }
    }
}

/// Named figures, in the order in which they are to be shown.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Statistics(pub Vec<(&'static str, Figure)>);

/// A figure.
#[derive(Clone, PartialEq, Debug)]
pub enum Figure {
    /// A number of things.
    Count(u64),
    /// A measured quantity: seconds, bytes per state.
    Quantity(f64),
    /// A word.
    Word(String),
}

impl Statistics {
    /// Adds a number of things.
    pub fn count(&mut self, name: &'static str, value: u64) {
        self.0.push((name, Figure::Count(value)));
    }

    /// Adds a measured quantity.
    pub fn quantity(&mut self, name: &'static str, value: f64) {
        self.0.push((name, Figure::Quantity(value)));
    }

    /// Adds a word.
    pub fn word(&mut self, name: &'static str, value: impl Into<String>) {
        self.0.push((name, Figure::Word(value.into())));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counterexample::Lasso;

    #[test]
    fn a_verdict_is_one_of_four_values_or_none() {
        let bounded = |presumably| Verdict::Unknown(Reason::Bounded { presumably, bound: 9 });
        let violated = Verdict::Violated(Counterexample::Lasso(Lasso::default()));
        let values = [violated, bounded(false), bounded(true)].map(|verdict| verdict.bounded());
        let expected = [BoundedVerdict::False, BoundedVerdict::PresumablyFalse, BoundedVerdict::PresumablyTrue];
        assert_eq!(values, expected.map(Some));
        assert_eq!(Verdict::Unknown(Reason::Incomplete(String::new())).bounded(), None);
    }

    #[test]
    fn of_several_reasons_an_input_without_bounds_tells_least() {
        let input = Reason::of_unbounded_input("`x` may have any value", None);
        let others = [
            Reason::unsupported("recursion", None),
            Reason::Incomplete("no rule".into()),
            Reason::Unchecked("no solver".into()),
            Reason::Exhausted(Exhausted::Work),
            Reason::Exhausted(Exhausted::Time),
            Reason::Exhausted(Exhausted::Cancelled),
        ];
        assert!(others.iter().all(|other| other.weight() > input.weight()));
        assert!(others.is_sorted_by_key(Reason::weight));
    }
}
