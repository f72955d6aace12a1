//! Values, and the value of a term: the meaning that everything else is judged by.

use std::collections::BTreeMap;

use foundation::collections::HashMap;
use num_bigint::BigInt;
use num_traits::{Signed, Zero};

use crate::arithmetic::euclid;
use crate::bits::modulus;
use crate::{Linear, Node, Sort, Symbol, Term, Terms};

/// A value of a term.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Value {
    /// True or false.
    Bool(bool),
    /// A number.
    Int(BigInt),
    /// A sequence of bits.
    Bits {
        /// How many.
        width: u32,
        /// Their unsigned value.
        value: BigInt,
    },
    /// A map that has one value almost everywhere. Entries with that value are left out, so that equal arrays are equal.
    Array {
        /// The element at every index that is not among the entries.
        default: Box<Value>,
        /// The elements that differ from it.
        entries: BTreeMap<Value, Value>,
    },
}

impl Value {
    /// False, zero, or the array of such values.
    pub fn default_of(sort: &Sort) -> Value {
        match sort {
            Sort::Bool => Value::Bool(false),
            Sort::Int => Value::Int(BigInt::zero()),
            Sort::BitVector(width) => Value::Bits { width: *width, value: BigInt::zero() },
            Sort::Array(_, element) => {
                Value::Array { default: Box::new(Value::default_of(element)), entries: BTreeMap::new() }
            }
        }
    }

    /// The truth value.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The number.
    pub fn as_int(&self) -> Option<&BigInt> {
        match self {
            Value::Int(value) => Some(value),
            _ => None,
        }
    }

    /// The element of an array at an index.
    pub fn element(&self, index: &Value) -> Option<Value> {
        match self {
            Value::Array { default, entries } => Some(entries.get(index).unwrap_or(default).clone()),
            _ => None,
        }
    }

    /// The array with an element replaced.
    pub fn with_element(&self, index: Value, element: Value) -> Option<Value> {
        let Value::Array { default, entries } = self else { return None };
        let mut entries = entries.clone();
        if element == **default {
            entries.remove(&index);
        } else {
            entries.insert(index, element);
        }
        Some(Value::Array { default: default.clone(), entries })
    }
}

impl Terms {
    /// The value of a term where symbols have the given values; `None` where it depends on a symbol without one, or on a
    /// division by zero.
    pub fn evaluate(&self, term: Term, values: &dyn Fn(Symbol) -> Option<Value>) -> Option<Value> {
        let mut known: HashMap<Term, Option<Value>> = HashMap::default();
        for part in self.subterms(&[term]) {
            let value = self.evaluate_node(&self.node(part), values, &known);
            known.insert(part, value);
        }
        known.remove(&term).flatten()
    }

    /// The same for a truth value.
    pub fn holds(&self, term: Term, values: &dyn Fn(Symbol) -> Option<Value>) -> Option<bool> {
        self.evaluate(term, values)?.as_bool()
    }

    /// The term of a value, where there is one: an array has none.
    pub fn of_value(&self, value: &Value) -> Option<Term> {
        match value {
            Value::Bool(value) => Some(self.truth(*value)),
            Value::Int(value) => Some(self.integer(value.clone())),
            Value::Bits { width, value } => Some(self.bit_vector(*width, value.clone())),
            Value::Array { .. } => None,
        }
    }

    fn evaluate_node(
        &self,
        node: &Node,
        values: &dyn Fn(Symbol) -> Option<Value>,
        known: &HashMap<Term, Option<Value>>,
    ) -> Option<Value> {
        let value = |term: Term| known[&term].clone();
        let truth = |term: Term| known[&term].as_ref().and_then(Value::as_bool);
        let number = |term: Term| known[&term].as_ref().and_then(Value::as_int).cloned();
        let bits = |term: Term| match &known[&term] {
            Some(Value::Bits { width, value }) => Some((*width, value.clone())),
            _ => None,
        };
        let sum = |linear: &Linear| {
            let mut sum = linear.constant.clone();
            for (coefficient, term) in &linear.terms {
                sum += coefficient * number(*term)?;
            }
            Some(sum)
        };
        Some(match node {
            Node::Truth(value) => Value::Bool(*value),
            Node::Variable(symbol) => return values(*symbol),
            Node::Integer(value) => Value::Int((**value).clone()),
            Node::BitVector { width, value } => Value::Bits { width: *width, value: (**value).clone() },
            Node::Not(a) => Value::Bool(!truth(*a)?),
            Node::And(list) => Value::Bool(junction(list.iter().map(|term| truth(*term)), true)?),
            Node::Or(list) => Value::Bool(junction(list.iter().map(|term| truth(*term)), false)?),
            Node::Ite(condition, left, right) => return value(if truth(*condition)? { *left } else { *right }),
            Node::Equal(a, b) => Value::Bool(value(*a)? == value(*b)?),
            Node::Linear(linear) => Value::Int(sum(linear)?),
            Node::AtMostZero(linear) => Value::Bool(!sum(linear)?.is_positive()),
            Node::Zero(linear) => Value::Bool(sum(linear)?.is_zero()),
            Node::Multiply(a, b) => Value::Int(number(*a)? * number(*b)?),
            Node::Div(a, b) => Value::Int(checked_euclid(&number(*a)?, &number(*b)?)?.0),
            Node::Modulo(a, b) => Value::Int(checked_euclid(&number(*a)?, &number(*b)?)?.1),
            Node::Select(a, i) => return value(*a)?.element(&value(*i)?),
            Node::Store(a, i, v) => return value(*a)?.with_element(value(*i)?, value(*v)?),
            Node::Bits(operation, operands) => {
                let operands: Option<Vec<(u32, BigInt)>> = operands.iter().map(|term| bits(*term)).collect();
                let operands = operands?;
                let width = operands[0].0;
                let numbers: Vec<&BigInt> = operands.iter().map(|(_, value)| value).collect();
                Value::Bits { width, value: euclid(&operation.apply(width, &numbers), &modulus(width)).1 }
            }
            Node::IntToBits(width, a) => Value::Bits { width: *width, value: euclid(&number(*a)?, &modulus(*width)).1 },
            Node::BitsToInt(a) => Value::Int(bits(*a)?.1),
        })
    }
}

/// A conjunction or disjunction is decided by one member, even if others have no value.
fn junction(members: impl Iterator<Item = Option<bool>>, is_conjunction: bool) -> Option<bool> {
    let mut result = Some(is_conjunction);
    for member in members {
        match member {
            Some(value) if value != is_conjunction => return Some(value),
            Some(_) => {}
            None => result = None,
        }
    }
    result
}

fn checked_euclid(left: &BigInt, right: &BigInt) -> Option<(BigInt, BigInt)> {
    (!right.is_zero()).then(|| euclid(left, right))
}
