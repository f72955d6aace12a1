//! Why a step of a proof is right, by arithmetic alone.
//!
//! The check of a proof asks whether conditions are impossible. A step names such a condition by its content, and it is
//! taken apart into numbered *facts*, linear constraints over integers and choices between groups of facts. An argument
//! goes through cases, and at the end of each it names multipliers: the facts, taken so many times, add up to `c <= 0` for
//! a positive number `c` (the lemma of Farkas 1902 says that over the rationals there always are such multipliers).
//! Whoever finds them needs a solver; whoever checks them needs addition.

use num_bigint::BigInt;

use super::sexp::Sexp;
use super::text::Items;

/// An impossible condition, and why its facts exclude each other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProofStep {
    /// The condition, as the check spells it. `#3` is the fourth of the definitions before the steps.
    pub condition: Sexp,
    /// Why there is no state of which all facts hold.
    pub argument: Argument,
}

/// Why numbered facts exclude each other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Argument {
    /// These facts, so many times each, add up to a contradiction.
    Sum(Vec<(u32, BigInt)>),
    /// This fact is a choice. Whichever group holds, its facts are numbered behind those that were known before, and there is an
    /// argument.
    Cases(u32, Vec<Argument>),
}

impl ProofStep {
    /// The step as an expression.
    pub fn write(&self) -> Sexp {
        Sexp::tagged("step", [self.condition.clone(), self.argument.write()])
    }

    pub(super) fn read(items: &mut Items<'_>) -> Result<Self, String> {
        let condition = items.next()?.clone();
        let argument = Argument::read(items)?;
        items.end()?;
        Ok(Self { condition, argument })
    }
}

impl Argument {
    fn write(&self) -> Sexp {
        match self {
            Argument::Sum(multipliers) => {
                let one =
                    |(fact, multiplier): &(u32, BigInt)| Sexp::List(vec![Sexp::word(fact), Sexp::word(multiplier)]);
                Sexp::tagged("sum", multipliers.iter().map(one))
            }
            Argument::Cases(fact, arguments) => {
                Sexp::tagged("cases", std::iter::once(Sexp::word(fact)).chain(arguments.iter().map(Argument::write)))
            }
        }
    }

    /// Lists are nested only so deep, so that recursion has an end.
    fn read(items: &mut Items<'_>) -> Result<Self, String> {
        if let Some(mut sum) = items.list_if("sum") {
            let mut multipliers = Vec::with_capacity(sum.rest.len());
            while !sum.rest.is_empty() {
                let mut summand = Items::of(sum.next()?, "a summand")?;
                multipliers.push((summand.number()?, summand.number()?));
                summand.end()?;
            }
            return Ok(Argument::Sum(multipliers));
        }
        let mut cases = items.list("cases")?;
        let fact = cases.number()?;
        let mut arguments = Vec::with_capacity(cases.rest.len());
        while !cases.rest.is_empty() {
            arguments.push(Argument::read(&mut cases)?);
        }
        Ok(Argument::Cases(fact, arguments))
    }
}
