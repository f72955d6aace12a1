//! Conditions of a proof as C expressions: linear comparisons of variables, and what is made of them by `and`, `or` and
//! `not`. What C cannot say of a program's variables has no text here.
//!
//! Proofs speak of mathematical integers. So that C means the same, sums are computed in a type in which none of them
//! can overflow, as other tools do: `(long long)x + (long long)y <= 5`.

use std::collections::BTreeMap;

use num_bigint::{BigInt, Sign};
use program::{IntType, Scalar};
use task::certificate::sexp::Sexp;

/// What a symbol is called in C, with its type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct NamedSymbol {
    pub(crate) name: String,
    pub(crate) scalar: Scalar,
}

/// Symbols with their names.
pub(crate) type SymbolTexts = BTreeMap<String, NamedSymbol>;

/// How a variable is written: as it is, or by its value at an earlier visit.
pub(crate) type SymbolStyle<'s> = &'s dyn Fn(&str) -> String;

/// A condition in C; none where C cannot say it, or where it says nothing. With some slack, it is a weaker one, if it is
/// an inequality.
pub(crate) fn condition(condition: &Sexp, names: &SymbolTexts, slack: u32) -> Option<String> {
    if let Some(word) = condition.as_word().filter(|_| slack == 0) {
        let named = names.get(word).filter(|named| named.scalar == Scalar::Bool)?;
        return Some(format!("{} != 0", named.name));
    }
    let (operator, operands) = condition.as_list()?.split_first()?;
    let parts = |sign: &str| {
        let texts: Option<Vec<String>> = operands.iter().map(|operand| self::condition(operand, names, 0)).collect();
        let texts = texts.filter(|texts| !texts.is_empty())?;
        Some(texts.iter().map(|text| format!("({text})")).collect::<Vec<_>>().join(sign))
    };
    match (operator.as_word()?, operands) {
        ("and", _) if slack == 0 => parts(" && "),
        ("or", _) if slack == 0 => parts(" || "),
        ("not", [inner]) if slack == 0 => Some(format!("!({})", self::condition(inner, names, 0)?)),
        (sign @ ("<=" | "<"), [left, right]) => comparison(sign, left, right, names, i64::from(slack)),
        (sign @ (">=" | ">"), [left, right]) => comparison(sign, left, right, names, -i64::from(slack)),
        ("=", [left, right]) if slack == 0 => comparison("=", left, right, names, 0),
        _ => None,
    }
}

/// A comparison, with something added to its right-hand side.
fn comparison(sign: &str, left: &Sexp, right: &Sexp, names: &SymbolTexts, added: i64) -> Option<String> {
    let mut sum = linear(left)?;
    sum.add(&linear(right)?, &BigInt::from(-1));
    sum.constant -= added;
    // Everything is brought to the side on which it is positive.
    let (mut greater, mut less) = (LinearText::default(), LinearText::default());
    for (symbol, factor) in &sum.factors {
        let side = if factor.sign() == Sign::Minus { &mut less } else { &mut greater };
        side.factors.insert(symbol.clone(), BigInt::from(factor.magnitude().clone()));
    }
    let (sign, left, right) = match (greater.factors.is_empty(), less.factors.is_empty()) {
        (true, true) => return None,
        (true, false) => {
            greater.constant = sum.constant;
            (flipped(sign), less, greater)
        }
        _ => {
            less.constant = -sum.constant;
            (sign, greater, less)
        }
    };
    if says_nothing(sign, &left, &right, names) {
        return None;
    }
    let width = width_of([&left, &right], names)?;
    let sign = if sign == "=" { "==" } else { sign };
    let plain = |name: &str| name.to_owned();
    Some(format!("{} {sign} {}", left.text(width, names, &plain)?, right.text(width, names, &plain)?))
}

/// A linear expression in C, with variables written in two ways; none where C cannot say it.
pub(crate) fn expression(expression: &Sexp, names: &SymbolTexts, old: SymbolStyle<'_>) -> Option<(String, String)> {
    let sum = linear(expression)?;
    if sum.factors.is_empty() {
        return None;
    }
    let width = width_of([&sum], names)?;
    let plain = |name: &str| name.to_owned();
    Some((sum.text(width, names, old)?, sum.text(width, names, &plain)?))
}

fn flipped(sign: &str) -> &str {
    match sign {
        "<=" => ">=",
        "<" => ">",
        ">=" => "<=",
        ">" => "<",
        other => other,
    }
}

/// Whether a comparison with a constant says no more than the type of its variable.
fn says_nothing(sign: &str, left: &LinearText, right: &LinearText, names: &SymbolTexts) -> bool {
    let mut factors = left.factors.iter();
    let (Some((symbol, factor)), None, true) = (factors.next(), factors.next(), right.factors.is_empty()) else {
        return false;
    };
    let Some(NamedSymbol { scalar: Scalar::Int(ty), .. }) = names.get(symbol) else { return false };
    let (least, most) = range(*ty);
    let (least, most) = (least * factor + &left.constant, most * factor + &left.constant);
    match sign {
        "<=" => right.constant >= most,
        "<" => right.constant > most,
        ">=" => right.constant <= least,
        ">" => right.constant < least,
        _ => false,
    }
}

fn range(IntType { bits, signed }: IntType) -> (BigInt, BigInt) {
    let power = BigInt::from(1) << (bits - u16::from(signed));
    let least = if signed { -power.clone() } else { BigInt::ZERO };
    (least, power - 1)
}

/// A sum of multiples of symbols.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct LinearText {
    factors: BTreeMap<String, BigInt>,
    constant: BigInt,
}

impl LinearText {
    fn add(&mut self, other: &LinearText, times: &BigInt) {
        self.constant += &other.constant * times;
        for (symbol, factor) in &other.factors {
            let sum = self.factors.entry(symbol.clone()).or_default();
            *sum += factor * times;
            if sum.sign() == Sign::NoSign {
                self.factors.remove(symbol);
            }
        }
    }

    /// The sum in C, computed in a type of this width.
    fn text(&self, width: Width, names: &SymbolTexts, style: SymbolStyle<'_>) -> Option<String> {
        let mut text = String::new();
        for (symbol, factor) in &self.factors {
            let name = style(&names.get(symbol)?.name);
            let value = match width {
                Width::Plain => name,
                Width::Long => format!("(long long)({name})"),
                Width::Longest => format!("(__int128)({name})"),
            };
            let (is_negative, size) = (factor.sign() == Sign::Minus, factor.magnitude());
            text.push_str(match (text.is_empty(), is_negative) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            });
            if *size == 1u32.into() {
                text.push_str(&value);
            } else {
                text.push_str(&format!("{size}{} * {value}", suffix(width)));
            }
        }
        let constant = &self.constant;
        // Larger numbers cannot be written in C.
        if constant.bits() > 62 || self.factors.values().any(|factor| factor.bits() > 62) {
            return None;
        }
        match (text.is_empty(), constant.sign()) {
            (true, _) => text = format!("{constant}{}", suffix(width)),
            (false, Sign::Minus) => text.push_str(&format!(" - {}{}", constant.magnitude(), suffix(width))),
            (false, Sign::Plus) => text.push_str(&format!(" + {constant}{}", suffix(width))),
            (false, Sign::NoSign) => {}
        }
        Some(text)
    }
}

/// The type in which a sum is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Width {
    /// That of the variables.
    Plain,
    /// `long long`.
    Long,
    /// `__int128`.
    Longest,
}

fn suffix(width: Width) -> &'static str {
    if width == Width::Plain { "" } else { "LL" }
}

/// The narrowest type in which no part of some sums overflows.
fn width_of<const N: usize>(sums: [&LinearText; N], names: &SymbolTexts) -> Option<Width> {
    let mut is_plain = true;
    let mut largest = BigInt::ZERO;
    for sum in sums {
        let mut size = BigInt::from(sum.constant.magnitude().clone());
        is_plain &= sum.factors.len() <= 1 && (sum.factors.is_empty() || sum.constant.sign() == Sign::NoSign);
        is_plain &= sum.constant.bits() < 31;
        for (symbol, factor) in &sum.factors {
            let Scalar::Int(ty) = names.get(symbol)?.scalar else { return None };
            is_plain &= *factor == BigInt::from(1) && (ty.signed || ty.bits < 32);
            size += BigInt::from(factor.magnitude().clone()) << ty.bits;
        }
        largest = largest.max(size);
    }
    match largest.bits() {
        _ if is_plain => Some(Width::Plain),
        0..63 => Some(Width::Long),
        63..127 => Some(Width::Longest),
        _ => None,
    }
}

/// A linear expression; none for anything else.
fn linear(expression: &Sexp) -> Option<LinearText> {
    if let Some(word) = expression.as_word() {
        return Some(match word.parse::<BigInt>() {
            Ok(constant) => LinearText { constant, ..LinearText::default() },
            Err(_) => {
                LinearText { factors: BTreeMap::from([(word.to_owned(), BigInt::from(1))]), ..LinearText::default() }
            }
        });
    }
    let (operator, operands) = expression.as_list()?.split_first()?;
    let mut sum = LinearText::default();
    match (operator.as_word()?, operands) {
        ("+", _) => {
            for operand in operands {
                sum.add(&linear(operand)?, &BigInt::from(1));
            }
        }
        ("-", [operand]) => sum.add(&linear(operand)?, &BigInt::from(-1)),
        ("-", [first, rest @ ..]) => {
            sum.add(&linear(first)?, &BigInt::from(1));
            for operand in rest {
                sum.add(&linear(operand)?, &BigInt::from(-1));
            }
        }
        ("*", [one, other]) => {
            let (one, other) = (linear(one)?, linear(other)?);
            match (one.factors.is_empty(), other.factors.is_empty()) {
                (true, _) => sum.add(&other, &one.constant),
                (_, true) => sum.add(&one, &other.constant),
                _ => return None,
            }
        }
        _ => return None,
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> SymbolTexts {
        let int = |bits, signed| Scalar::Int(IntType { bits, signed });
        let named = |name: &str, scalar| (format!("{name}@0"), NamedSymbol { name: name.to_owned(), scalar });
        SymbolTexts::from([
            named("x", int(32, true)),
            named("y", int(32, true)),
            named("u", int(32, false)),
            named("l", int(64, true)),
            named("b", Scalar::Bool),
            named("p", Scalar::Pointer),
        ])
    }

    #[test]
    fn conditions_are_written_in_a_type_that_is_wide_enough() {
        for (condition_text, expected) in [
            ("(<= (* (- 1) x@0) (- 1))", Some("x >= 1")),
            ("(= x@0 3)", Some("x == 3")),
            ("(<= x@0 y@0)", Some("x <= y")),
            ("(<= (+ x@0 (* (- 1) y@0)) 7)", Some("(long long)(x) <= (long long)(y) + 7LL")),
            ("(<= x@0 2147483647)", None),
            ("(<= (* (- 1) x@0) 2147483648)", None),
            ("(<= u@0 10)", Some("(long long)(u) <= 10LL")),
            ("(>= u@0 0)", None),
            ("(< (* 2 l@0) x@0)", Some("2LL * (__int128)(l) < (__int128)(x)")),
            ("(not (= x@0 0))", Some("!(x == 0)")),
            ("(or b@0 (>= y@0 5))", Some("(b != 0) || (y >= 5)")),
            ("(= p@0 0)", None),
            ("(= z@0 0)", None),
            ("(= (mod x@0 2) 0)", None),
            ("(<= 1 2)", None),
        ] {
            let found = condition(&Sexp::parse(condition_text).unwrap(), &names(), 0);
            assert_eq!(found.as_deref(), expected, "{condition_text}");
        }
        let weaker = |text: &str| condition(&Sexp::parse(text).unwrap(), &names(), 1);
        assert_eq!(weaker("(<= (* (- 1) x@0) (- 1))").as_deref(), Some("x >= 0"));
        assert_eq!(weaker("(> x@0 7)").as_deref(), Some("x > 6"));
        assert_eq!(weaker("(= x@0 7)"), None);
    }
}
