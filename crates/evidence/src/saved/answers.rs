//! Answers as a file has them. Only what cannot be misread: integers of any size in decimal, floating-point numbers by
//! their bits, addresses by their number or null.

use num_bigint::BigInt;
use program::semantics::{Answer, Pointer, Value};
use serde::{Deserialize, Serialize};

/// An answer in a file.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[serde(rename_all = "lowercase")]
pub enum SavedAnswer {
    /// An integer: `{"int": 5}`, or `{"int": "36893488147419103232"}` where it is large.
    Int(JsonNumber),
    /// A truth value: `{"bool": true}`.
    Bool(bool),
    /// A floating-point number by its bits as a double: `{"float": "0x3ff8000000000000"}`.
    Float(String),
    /// The index of an alternative, of a thread among those that can run, say: `{"index": 1}`.
    Index(u64),
    /// The null pointer: `"null"`.
    Null,
    /// What cannot be saved, in words; it is no answer when it is read.
    Unsaved(String),
}

/// An integer, in the form that all readers of JSON read exactly.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[serde(untagged)]
pub enum JsonNumber {
    /// One that a double holds exactly.
    Small(i64),
    /// In decimal.
    Large(String),
}

/// Larger numbers are not exact in readers that keep numbers as doubles.
const LARGEST_EXACT: i64 = 1 << 53;

/// More digits than any type of C has are refused rather than read.
const MOST_DIGITS: usize = 1000;

impl SavedAnswer {
    /// How an answer is saved.
    pub fn of(answer: &Answer) -> Self {
        match answer {
            Answer::Value(Value::Int(value)) => SavedAnswer::Int(match i64::try_from(value) {
                Ok(small) if small.unsigned_abs() <= LARGEST_EXACT as u64 => JsonNumber::Small(small),
                _ => JsonNumber::Large(value.to_string()),
            }),
            Answer::Value(Value::Bool(value)) => SavedAnswer::Bool(*value),
            Answer::Value(Value::Float(bits)) => SavedAnswer::Float(format!("{bits:#018x}")),
            Answer::Value(Value::Pointer(Pointer::Null)) => SavedAnswer::Null,
            Answer::Value(Value::Pointer(_)) => SavedAnswer::Unsaved("the address of an object".to_owned()),
            Answer::Index(index) => SavedAnswer::Index(*index as u64),
            Answer::Exhausted => SavedAnswer::Unsaved("no answer".to_owned()),
            Answer::Unfit(why) => SavedAnswer::Unsaved(why.clone()),
        }
    }

    /// The answer; the error says why there is none.
    pub fn answer(&self) -> Result<Answer, String> {
        Ok(match self {
            SavedAnswer::Int(JsonNumber::Small(value)) => Answer::Value(Value::int(*value)),
            SavedAnswer::Int(JsonNumber::Large(text)) => {
                let value = (text.len() <= MOST_DIGITS).then(|| text.parse::<BigInt>().ok()).flatten();
                Answer::Value(Value::Int(value.ok_or_else(|| format!("`{}` is not an integer", shortened(text)))?))
            }
            SavedAnswer::Bool(value) => Answer::Value(Value::Bool(*value)),
            SavedAnswer::Float(text) => {
                let bits = text.strip_prefix("0x").filter(|digits| digits.len() == 16);
                let bits = bits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
                let why = || format!("`{}` is not the bits of a floating-point number", shortened(text));
                Answer::Value(Value::Float(bits.ok_or_else(why)?))
            }
            SavedAnswer::Index(index) => Answer::Index(usize::try_from(*index).map_err(|error| error.to_string())?),
            SavedAnswer::Null => Answer::Value(Value::Pointer(Pointer::Null)),
            SavedAnswer::Unsaved(what) => return Err(format!("{what} could not be saved")),
        })
    }
}

fn shortened(text: &str) -> String {
    if text.chars().count() <= 40 {
        text.to_owned()
    } else {
        format!("{}…", text.chars().take(40).collect::<String>())
    }
}
