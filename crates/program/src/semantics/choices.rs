//! Where the values come from that a program does not determine: inputs, what is not initialised, schedules.
//!
//! The interpreter asks a [`Question`]; an implementation of [`Choices`] answers. [`SeededChoices`] answers from a
//! seed, [`ListedChoices`](super::listed::ListedChoices) from a text.

use foundation::{Span, SplitMix64};
use num_bigint::BigInt;
use num_traits::One;

use crate::cfa::{EdgeId, InputSource};
use crate::semantics::arithmetic::{fits, largest, smallest};
use crate::semantics::memory::Extent;
use crate::semantics::value::Value;
use crate::types::{FloatType, IntType, Scalar};

/// What is to be chosen.
#[derive(Clone, PartialEq, Debug)]
pub enum Question {
    /// An input of this type.
    Input {
        /// Where it is said to come from.
        source: InputSource,
        /// Its type; for a bit-field, an integer of its width.
        ty: Scalar,
    },
    /// What a part of an object holds that was not written since the object's lifetime began.
    Uninitialised {
        /// The part.
        part: Extent,
        /// What people call it: `main::x`, `::global.f`, `heap#0+8`.
        what: String,
        /// Its type; for a bit-field, an integer of its width.
        ty: Scalar,
    },
    /// What a device register holds now.
    Register {
        /// Its address.
        address: u64,
        /// The type at which it is read.
        ty: Scalar,
    },
    /// Which thread runs next: an index into `enabled`, which has at least two elements.
    Schedule {
        /// The threads that can run, in ascending order.
        enabled: Vec<u32>,
        /// The thread that ran last.
        last: u32,
    },
    /// Which of several edges is taken: an index into `edges`.
    Branch {
        /// The edges that may be taken.
        edges: Vec<EdgeId>,
    },
    /// Whether an allocation fails: a truth value.
    AllocationFails,
}

impl Question {
    /// The name under which a listed answer is found: the input's source or the part that is not initialised.
    pub fn name(&self) -> String {
        match self {
            Question::Input { source, .. } => match source {
                InputSource::Nondet(name) | InputSource::External(name) | InputSource::Volatile(name) => name.clone(),
                InputSource::Argument { function, argument } => format!("{function}.{argument}"),
                InputSource::Register(address) => format!("{address:#x}"),
                InputSource::Assembly => "asm".to_owned(),
                InputSource::MissingResult => "a missing return value".to_owned(),
            },
            Question::Uninitialised { what, .. } => what.clone(),
            Question::Register { address, .. } => format!("{address:#x}"),
            Question::Schedule { .. } => "thread".to_owned(),
            Question::Branch { .. } => "branch".to_owned(),
            Question::AllocationFails => "malloc-fails".to_owned(),
        }
    }
}

/// An answer. The interpreter checks that it fits the question.
#[derive(Clone, PartialEq, Debug)]
pub enum Answer {
    /// A value; for a pointer, an integer is taken as the number of an address.
    Value(Value),
    /// The index of an alternative.
    Index(usize),
    /// There are no answers any more: the run stays open.
    Exhausted,
    /// What was listed is no answer to this question; the text says why.
    Unfit(String),
}

/// A source of choices.
pub trait Choices {
    /// Answers a question.
    fn choose(&mut self, question: &Question) -> Answer;

    /// Where the last answer was written, if it was written by somebody.
    fn written(&self) -> Option<Span> {
        None
    }
}

impl<C: Choices + ?Sized> Choices for &mut C {
    fn choose(&mut self, question: &Question) -> Answer {
        (**self).choose(question)
    }

    fn written(&self) -> Option<Span> {
        (**self).written()
    }
}

/// Choices that look random and depend on a seed alone. Small numbers and the ends of ranges are more likely than
/// others, because programs tell them apart more often.
#[derive(Clone, Debug)]
pub struct SeededChoices {
    random: SplitMix64,
}

impl SeededChoices {
    /// The choices of a seed.
    pub fn new(seed: u64) -> Self {
        Self { random: SplitMix64::new(seed) }
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.random.bits() % bound
    }

    fn value(&mut self, ty: Scalar) -> Value {
        match ty {
            Scalar::Bool => Value::Bool(self.below(2) == 1),
            Scalar::Int(ty) => Value::Int(self.int(ty)),
            Scalar::Float(ty) => Value::float(self.float(ty)),
            // A guessed number is hardly ever the address of something, so null is the only other likely value.
            Scalar::Pointer if self.below(2) == 0 => Value::int(0),
            Scalar::Pointer => Value::int(self.random.bits() & 0xffff_fff0),
        }
    }

    fn int(&mut self, ty: IntType) -> BigInt {
        let candidate = match self.below(8) {
            0..=4 => BigInt::from(self.below(12)) - if self.below(3) == 0 { 6 } else { 0 },
            5 => {
                let near = BigInt::from(self.below(2));
                if self.below(2) == 0 { smallest(ty) + near } else { largest(ty) - near }
            }
            _ => {
                let mut random = BigInt::from(self.random.bits());
                for _ in 0..ty.bits / 64 {
                    random = (random << 64) + self.random.bits();
                }
                smallest(ty) + random % (BigInt::one() << ty.bits)
            }
        };
        if fits(&candidate, ty) { candidate } else { BigInt::from(self.below(2)).min(largest(ty)) }
    }

    fn float(&mut self, ty: FloatType) -> f64 {
        match self.below(4) {
            0 | 1 => self.below(21) as f64 - 10.0,
            2 => (self.below(2001) as f64 - 1000.0) / 8.0,
            _ => match ty {
                FloatType::F32 => f64::from(f32::from_bits(self.random.bits() as u32)),
                FloatType::F64 => f64::from_bits(self.random.bits()),
            },
        }
    }
}

impl Choices for SeededChoices {
    fn choose(&mut self, question: &Question) -> Answer {
        match question {
            Question::Input { ty, .. } | Question::Uninitialised { ty, .. } | Question::Register { ty, .. } => {
                Answer::Value(self.value(*ty))
            }
            Question::Schedule { enabled, .. } => Answer::Index(self.below(enabled.len() as u64) as usize),
            Question::Branch { edges } => Answer::Index(self.below(edges.len() as u64) as usize),
            Question::AllocationFails => Answer::Value(Value::Bool(self.below(4) == 0)),
        }
    }
}
