//! Where the answers of an execution come from: first a script, then chance, then a habit.
//!
//! A *habit* answers equal questions equally for ever, so that an execution which follows one is a deterministic system
//! from there on, and repeats itself as soon as it comes back to a state.

use foundation::collections::HashMap;
use num_bigint::BigInt;
use program::Scalar;
use program::semantics::arithmetic::{fits, largest, smallest};
use program::semantics::{Answer, Choices, Question, SeededChoices, Value};

/// Answers that depend on the question alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Habit {
    /// Always zero, or the first of several.
    Zero,
    /// Always one, or the second of several.
    One,
    /// Always the largest number, or the last of several.
    Largest,
    /// Always the smallest number.
    Smallest,
    /// To each question what chance answered when it was asked first.
    Chance(u64),
}

impl Habit {
    /// The habits that an execution is completed by.
    pub(super) const ALL: [Habit; 6] =
        [Habit::Zero, Habit::One, Habit::Largest, Habit::Smallest, Habit::Chance(11), Habit::Chance(12)];

    fn answer(self, question: &Question) -> Answer {
        let of_type = |ty: Scalar| match (ty, self) {
            (Scalar::Int(ty), Habit::One) if fits(&BigInt::from(1), ty) => Value::int(1),
            (Scalar::Int(ty), Habit::Largest) => Value::Int(largest(ty)),
            (Scalar::Int(ty), Habit::Smallest) => Value::Int(smallest(ty)),
            (Scalar::Int(_) | Scalar::Pointer, _) => Value::int(0),
            (Scalar::Bool, habit) => Value::Bool(matches!(habit, Habit::One | Habit::Largest)),
            (Scalar::Float(_), Habit::One | Habit::Largest) => Value::float(1.0),
            (Scalar::Float(_), Habit::Smallest) => Value::float(-1.0),
            (Scalar::Float(_), _) => Value::float(0.0),
        };
        let of_several = |count: usize| match self {
            Habit::One => 1.min(count - 1),
            Habit::Largest => count - 1,
            _ => 0,
        };
        match (question, self) {
            (_, Habit::Chance(seed)) => SeededChoices::new(seed).choose(question),
            (Question::Input { ty, .. } | Question::Uninitialised { ty, .. } | Question::Register { ty, .. }, _) => {
                Answer::Value(of_type(*ty))
            }
            (Question::Schedule { enabled, .. }, _) => Answer::Index(of_several(enabled.len())),
            (Question::Branch { edges }, _) => Answer::Index(of_several(edges.len())),
            (Question::AllocationFails, _) => Answer::Value(of_type(Scalar::Bool)),
        }
    }
}

/// How an execution is answered.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Manner {
    /// The first answers.
    pub script: Vec<Answer>,
    /// A seed of chance, and how many answers it gives after the script.
    pub chance: Option<(u64, usize)>,
    /// What answers all other questions. Where there is none, they are not answered.
    pub habit: Option<Habit>,
}

/// Answers in a manner, and remembers what was answered.
#[derive(Clone, Debug)]
pub(super) struct Player<'m> {
    manner: &'m Manner,
    source: SeededChoices,
    /// The answers that were given.
    pub answers: Vec<Answer>,
    /// The question that was not answered.
    pub open: Option<Question>,
    /// What chance answered first, by the name of the question and its type.
    firsts: HashMap<(String, Option<Scalar>), Answer>,
}

impl<'m> Player<'m> {
    pub(super) fn new(manner: &'m Manner) -> Self {
        let source = SeededChoices::new(manner.chance.map_or(0, |(seed, _)| seed));
        Self { manner, source, answers: Vec::new(), open: None, firsts: HashMap::default() }
    }

    /// Whether all answers from here on depend on the question alone.
    pub(super) fn is_settled(&self) -> bool {
        self.manner.habit.is_some() && self.answers.len() >= self.without_habit()
    }

    fn without_habit(&self) -> usize {
        self.manner.script.len().saturating_add(self.manner.chance.map_or(0, |(_, count)| count))
    }

    fn answer(&mut self, question: &Question) -> Option<Answer> {
        let at = self.answers.len();
        if let Some(answer) = self.manner.script.get(at) {
            return Some(answer.clone());
        }
        if at < self.without_habit() {
            return Some(self.source.choose(question));
        }
        let habit = self.manner.habit?;
        if !matches!(habit, Habit::Chance(_)) {
            return Some(habit.answer(question));
        }
        let ty = match question {
            Question::Input { ty, .. } | Question::Uninitialised { ty, .. } | Question::Register { ty, .. } => {
                Some(*ty)
            }
            // How many there are to choose from may differ: only the question itself says what fits.
            _ => return Some(habit.answer(question)),
        };
        let key = (question.name(), ty);
        // The questions are told apart by their number, so that not all have the same answer.
        let Habit::Chance(seed) = habit else { unreachable!("the others were answered above") };
        let number = self.firsts.len() as u64;
        let first = self.firsts.entry(key).or_insert_with(|| Habit::Chance(seed + 97 * number).answer(question));
        Some(first.clone())
    }
}

impl Choices for Player<'_> {
    fn choose(&mut self, question: &Question) -> Answer {
        match self.answer(question) {
            Some(answer) => {
                self.answers.push(answer.clone());
                answer
            }
            None => {
                self.open = Some(question.clone());
                Answer::Exhausted
            }
        }
    }
}

/// Values that are likely to tell something apart, small ones first, and those that were seen in an execution.
pub(super) fn candidates(question: &Question, seen: &[Answer]) -> Vec<Answer> {
    let mut found: Vec<Answer> = match question {
        Question::Input { ty, .. } | Question::Uninitialised { ty, .. } | Question::Register { ty, .. } => {
            values(*ty).into_iter().map(Answer::Value).collect()
        }
        Question::Schedule { enabled, .. } => (0..enabled.len()).map(Answer::Index).collect(),
        Question::Branch { edges } => (0..edges.len()).map(Answer::Index).collect(),
        Question::AllocationFails => [false, true].map(|fails| Answer::Value(Value::Bool(fails))).into(),
    };
    for answer in seen {
        let is_like = match (question, answer) {
            (
                Question::Input { ty, .. } | Question::Uninitialised { ty, .. } | Question::Register { ty, .. },
                Answer::Value(value),
            ) => fits_type(value, *ty),
            _ => false,
        };
        if is_like && !found.contains(answer) {
            found.push(answer.clone());
        }
    }
    found
}

fn values(ty: Scalar) -> Vec<Value> {
    match ty {
        Scalar::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Scalar::Int(ty) => {
            let small = [0, 1, 2, 3, -1].map(BigInt::from).into_iter();
            let all = small.chain([largest(ty), smallest(ty)]).filter(|value| fits(value, ty));
            let mut distinct: Vec<Value> = Vec::new();
            for value in all.map(Value::Int) {
                if !distinct.contains(&value) {
                    distinct.push(value);
                }
            }
            distinct
        }
        Scalar::Float(_) => [0.0, 1.0, -1.0].map(Value::float).into(),
        Scalar::Pointer => vec![Value::int(0)],
    }
}

fn fits_type(value: &Value, ty: Scalar) -> bool {
    match (value, ty) {
        (Value::Bool(_), Scalar::Bool) | (Value::Float(_), Scalar::Float(_)) => true,
        (Value::Int(value), Scalar::Int(ty)) => fits(value, ty),
        (Value::Int(_), Scalar::Pointer) => true,
        _ => false,
    }
}
