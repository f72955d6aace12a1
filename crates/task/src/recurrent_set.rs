//! Why an execution goes on for ever without coming back to a state: a closed recurrent set (Gupta, Henzinger,
//! Majumdar, Rybalchenko and Xu, "Proving non-termination", POPL 2008; closed: Chen, Cook, Fuhs, Nimkar and O'Hearn,
//! "Proving nontermination via safety", TACAS 2014).
//!
//! The set is a condition over the program's states at one location, the head of a loop. The stem leads into it.
//! Whenever the execution is in the set, an iteration, with inputs that are chosen as terms, leads back to the head and
//! into the set, by whichever path. Rates of growth (a geometric argument; Leike and Heizmann, "Geometric
//! nontermination arguments", TACAS 2018) are a set with counters: `x = 1 + s` where `s` is 0 at first and `2·s + 1`
//! after each iteration.
//!
//! Like a [`Refutation`](crate::certificate::Refutation) it speaks of the program after inlining.

use num_bigint::BigInt;
use program::LocationId;

use crate::certificate::refutation::{Declaration, ObjectAddress};
use crate::certificate::sexp::Sexp;
use crate::certificate::text::{self, Items};

/// A set of states that the program need not leave.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecurrentSet {
    /// The location at which iterations begin.
    pub head: LocationId,
    /// What the symbols in conditions stand for.
    pub symbols: Vec<Declaration>,
    /// The numbers that stand for addresses.
    pub addresses: Vec<ObjectAddress>,
    /// Numbers beside the program that change from iteration to iteration.
    pub counters: Vec<Counter>,
    /// The conditions that hold whenever an iteration begins, over symbols and counters.
    pub set: Vec<Sexp>,
    /// What inputs are chosen to be, over symbols and counters at the beginning of the iteration. Those that are not
    /// mentioned do not matter.
    pub choices: Vec<InputChoice>,
}

/// A number that belongs to the argument and not to the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counter {
    /// Its name in conditions.
    pub name: String,
    /// What it is when the set is entered.
    pub start: BigInt,
    /// What it is after an iteration, over what symbols and counters were before it.
    pub next: Sexp,
}

/// What an input is chosen to be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InputChoice {
    /// The input: `?12.0` is the first one that edge 12 asks for, `?12:2.0` when it is taken the second time in the
    /// iteration.
    pub input: String,
    /// Its value.
    pub value: Sexp,
}

impl RecurrentSet {
    /// The set as an expression, in the notation of `docs/certificate-format.md`.
    pub fn write(&self) -> Sexp {
        let Self { head, symbols, addresses, counters, set, choices } = self;
        let mut parts = vec![text::numbers("head", [foundation::Id::index(*head)])];
        parts.extend(text::declarations(symbols, addresses));
        parts.extend(counters.iter().map(|Counter { name, start, next }| {
            Sexp::tagged("counter", [Sexp::word(name), Sexp::word(start), next.clone()])
        }));
        parts.extend(
            choices
                .iter()
                .map(|InputChoice { input, value }| Sexp::tagged("choice", [Sexp::word(input), value.clone()])),
        );
        parts.extend(set.iter().map(|condition| Sexp::tagged("holds", [condition.clone()])));
        Sexp::tagged("recurrent-set", parts)
    }

    /// The set that an expression says; or what is wrong with it.
    pub fn read(expression: &Sexp) -> Result<Self, String> {
        let mut items = Items::of(expression, "a recurrent set")?;
        if items.word()? != "recurrent-set" {
            return Err("an argument begins with `recurrent-set`".to_owned());
        }
        let mut head = items.list("head")?;
        let location = head.id()?;
        head.end()?;
        let (symbols, addresses) = text::read_declarations(&mut items)?;
        let (mut counters, mut choices, mut set) = (Vec::new(), Vec::new(), Vec::new());
        while let Some(mut counter) = items.list_if("counter") {
            let name = counter.word()?.to_owned();
            counters.push(Counter { name, start: counter.number()?, next: counter.next()?.clone() });
            counter.end()?;
        }
        while let Some(mut choice) = items.list_if("choice") {
            let input = choice.word()?.to_owned();
            choices.push(InputChoice { input, value: choice.next()?.clone() });
            choice.end()?;
        }
        while let Some(mut condition) = items.list_if("holds") {
            set.push(condition.next()?.clone());
            condition.end()?;
        }
        items.end()?;
        Ok(Self { head: location, symbols, addresses, counters, set, choices })
    }
}
