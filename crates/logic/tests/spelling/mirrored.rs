//! Expressions whose terms are made in another order.

use logic::BitOperation;

use crate::expressions::{Bits, Map, Number, Truth};

/// The same expression with the operands of commutative operations in the opposite order.
pub fn mirrored(expression: &Truth) -> Truth {
    let one = |expression: &Truth| Box::new(mirrored(expression));
    let all = |list: &[Truth]| list.iter().rev().map(mirrored).collect();
    match expression {
        Truth::Constant(_) | Truth::Variable(_) => expression.clone(),
        Truth::Not(a) => Truth::Not(one(a)),
        Truth::And(list) => Truth::And(all(list)),
        Truth::Or(list) => Truth::Or(all(list)),
        Truth::Implies(a, b) => Truth::Implies(one(a), one(b)),
        Truth::Iff(a, b) => Truth::Iff(one(b), one(a)),
        Truth::Ite(a, b, c) => Truth::Ite(one(a), one(b), one(c)),
        Truth::LessEqual(a, b) => Truth::LessEqual(mirrored_number(a), mirrored_number(b)),
        Truth::Less(a, b) => Truth::Less(mirrored_number(a), mirrored_number(b)),
        Truth::Equal(a, b) => Truth::Equal(mirrored_number(b), mirrored_number(a)),
        Truth::Distinct(a, b) => Truth::Distinct(mirrored_number(b), mirrored_number(a)),
        Truth::SameBits(a, b) => Truth::SameBits(mirrored_bits(b), mirrored_bits(a)),
        Truth::SameArray(a, b) => Truth::SameArray(mirrored_map(b), mirrored_map(a)),
    }
}

fn mirrored_number(expression: &Number) -> Number {
    let one = |expression: &Number| Box::new(mirrored_number(expression));
    match expression {
        Number::Constant(_) | Number::Variable(_) => expression.clone(),
        Number::Add(list) => Number::Add(list.iter().rev().map(mirrored_number).collect()),
        Number::Subtract(a, b) => Number::Subtract(one(a), one(b)),
        Number::Negate(a) => Number::Negate(one(a)),
        Number::Multiply(a, b) => Number::Multiply(one(b), one(a)),
        Number::Scale(factor, a) => Number::Scale(*factor, one(a)),
        Number::Div(a, b) => Number::Div(one(a), one(b)),
        Number::Modulo(a, b) => Number::Modulo(one(a), one(b)),
        Number::Ite(c, a, b) => Number::Ite(Box::new(mirrored(c)), one(a), one(b)),
        Number::Select(a, i) => Number::Select(Box::new(mirrored_map(a)), one(i)),
        Number::FromBits(a) => Number::FromBits(Box::new(mirrored_bits(a))),
    }
}

fn mirrored_bits(expression: &Bits) -> Bits {
    use BitOperation::{Add, And, Multiply, Or, Xor};
    match expression {
        Bits::Constant(_) | Bits::Variable(_) => expression.clone(),
        Bits::FromInt(a) => Bits::FromInt(Box::new(mirrored_number(a))),
        Bits::Operation(operation, list) => {
            let mut list: Vec<Bits> = list.iter().map(mirrored_bits).collect();
            if matches!(operation, Add | And | Multiply | Or | Xor) {
                list.reverse();
            }
            Bits::Operation(*operation, list)
        }
    }
}

fn mirrored_map(expression: &Map) -> Map {
    let one = |expression: &Map| Box::new(mirrored_map(expression));
    let number = |expression: &Number| Box::new(mirrored_number(expression));
    match expression {
        Map::Variable => Map::Variable,
        Map::Store(a, i, v) => Map::Store(one(a), number(i), number(v)),
        Map::Ite(c, a, b) => Map::Ite(Box::new(mirrored(c)), one(a), one(b)),
    }
}
