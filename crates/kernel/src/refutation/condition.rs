//! Conditions of a certificate as terms: a part of SMT-LIB 2.6 over truth values, integers, bit-vectors and arrays.
//!
//! The text comes from outside, so that the sort of every operand is looked at before a term is made of it, and how large
//! numbers may become: a few bindings that each square the one before would fill the memory.

use foundation::collections::HashMap;
use logic::{BitOperation, Sort, Term, Terms};
use num_bigint::BigInt;
use task::certificate::sexp::Sexp;

/// Conditions nested deeper than this are refused.
const MOST_LEVELS: usize = 400;

/// The widest bit-vectors, and the most bits of a number.
const WIDEST_BITS: u32 = 4096;

const BIT_OPERATIONS: [BitOperation; 9] = [
    BitOperation::And,
    BitOperation::Or,
    BitOperation::Xor,
    BitOperation::Not,
    BitOperation::ShiftLeft,
    BitOperation::LogicalShiftRight,
    BitOperation::ArithmeticShiftRight,
    BitOperation::Add,
    BitOperation::Multiply,
];

/// A term, and how many bits the numbers in it have at most. An unknown counts one, so that its powers have an end too.
#[derive(Clone, Copy)]
struct Measured {
    term: Term,
    bits: u64,
}

/// Reads conditions over named terms.
pub struct ConditionReader<'a> {
    /// The terms.
    pub terms: &'a Terms,
    /// What words stand for.
    pub names: &'a dyn Fn(&str) -> Option<Term>,
}

impl ConditionReader<'_> {
    /// A truth value.
    pub fn condition(&self, text: &Sexp) -> Result<Term, String> {
        let read = self.read(text, &mut HashMap::default(), 0)?;
        self.has_sort(read.term, &Sort::Bool, text)
    }

    /// A number or a truth value.
    pub fn value(&self, text: &Sexp) -> Result<Term, String> {
        let read = self.read(text, &mut HashMap::default(), 0)?;
        match self.terms.sort(read.term) {
            Sort::Int | Sort::Bool => Ok(read.term),
            sort => Err(format!("`{}` is of the sort {sort}", short(text))),
        }
    }

    /// A number.
    pub fn number(&self, text: &Sexp) -> Result<Term, String> {
        let read = self.read(text, &mut HashMap::default(), 0)?;
        self.has_sort(read.term, &Sort::Int, text)
    }

    fn has_sort(&self, term: Term, sort: &Sort, text: &Sexp) -> Result<Term, String> {
        if self.terms.sort(term) == *sort {
            Ok(term)
        } else {
            Err(format!("`{}` is not of the sort {sort}", short(text)))
        }
    }

    fn read(&self, text: &Sexp, bound: &mut HashMap<String, Measured>, depth: usize) -> Result<Measured, String> {
        if depth > MOST_LEVELS {
            return Err("a condition is nested too deeply".to_owned());
        }
        let mut text = text;
        // A chain of bindings is as long as the condition is large, so that it is followed without recursion.
        while let Some([word, bindings, body]) = text.as_list()
            && word.as_word() == Some("let")
        {
            for binding in bindings.as_list().ok_or("a `let` without bindings")? {
                let Some([Sexp::Word(name), value]) = binding.as_list() else {
                    return Err(format!("`{}` binds nothing", short(binding)));
                };
                let value = self.read(value, bound, depth + 1)?;
                if bound.insert(name.clone(), value).is_some() {
                    return Err(format!("`{name}` is bound twice"));
                }
            }
            text = body;
        }
        match text {
            Sexp::Word(word) => self.word(word, bound),
            Sexp::Text(text) => Err(format!("the text \"{text}\" is no condition")),
            Sexp::List(items) => {
                let (function, operands) = items.split_first().ok_or("an empty list is no condition")?;
                if let Some(value) = self.bit_vector(items) {
                    return value.map(|term| self.measured(term, 0));
                }
                let (mut read, mut sizes) = (Vec::with_capacity(operands.len()), Vec::with_capacity(operands.len()));
                for operand in operands {
                    let Measured { term, bits } = self.read(operand, bound, depth + 1)?;
                    read.push(term);
                    sizes.push(bits);
                }
                let bits = bits_of(function, &sizes);
                if bits > WIDEST_BITS.into() {
                    return Err(format!("the numbers in `{}` may become too large", short(text)));
                }
                Ok(self.measured(self.application(function, &read, text)?, bits))
            }
        }
    }

    fn word(&self, word: &str, bound: &HashMap<String, Measured>) -> Result<Measured, String> {
        if let Some(&read) = bound.get(word) {
            return Ok(read);
        }
        match word {
            "true" => Ok(Measured { term: self.terms.truth(true), bits: 0 }),
            "false" => Ok(Measured { term: self.terms.truth(false), bits: 0 }),
            _ if word.starts_with(|c: char| c.is_ascii_digit()) => {
                let value = natural(word)?;
                Ok(Measured { bits: value.bits(), term: self.terms.integer(value) })
            }
            _ => {
                let term = (self.names)(word).ok_or_else(|| format!("`{word}` is not declared"))?;
                Ok(Measured { term, bits: 1 })
            }
        }
    }

    /// A term whose numbers have so many bits; the width of a bit-vector says that itself.
    fn measured(&self, term: Term, bits: u64) -> Measured {
        match self.terms.sort(term) {
            Sort::BitVector(width) => Measured { term, bits: width.into() },
            _ => Measured { term, bits },
        }
    }

    /// `(_ bv5 32)`.
    fn bit_vector(&self, items: &[Sexp]) -> Option<Result<Term, String>> {
        let [first, value, width] = items else { return None };
        if first.as_word() != Some("_") {
            return None;
        }
        let value = value.as_word().and_then(|word| natural(word.strip_prefix("bv")?).ok());
        let width = width.as_word().and_then(|word| word.parse::<u32>().ok());
        Some(match (value, width) {
            (Some(value), Some(width)) if width > 0 && width <= WIDEST_BITS => Ok(self.terms.bit_vector(width, value)),
            _ => Err("a bit-vector that cannot be read".to_owned()),
        })
    }

    fn application(&self, function: &Sexp, operands: &[Term], text: &Sexp) -> Result<Term, String> {
        let terms = self.terms;
        let sorts: Vec<Sort> = operands.iter().map(|&operand| terms.sort(operand)).collect();
        let all = |sort: Sort| sorts.iter().all(|other| *other == sort);
        let wrong = || Err(format!("`{}` cannot be read", short(text)));
        if let Some([under, name, width]) = function.as_list() {
            let width = width
                .as_word()
                .and_then(|word| word.parse::<u32>().ok())
                .filter(|width| (1..=WIDEST_BITS).contains(width));
            return match (under.as_word(), name.as_word(), width, operands) {
                (Some("_"), Some("int2bv"), Some(width), &[operand]) if all(Sort::Int) => {
                    Ok(terms.int_to_bits(width, operand))
                }
                _ => wrong(),
            };
        }
        let Some(name) = function.as_word() else { return wrong() };
        Ok(match (name, operands) {
            ("not", &[operand]) if all(Sort::Bool) => terms.not(operand),
            ("and", operands) if all(Sort::Bool) => terms.and(operands.iter().copied()),
            ("or", operands) if all(Sort::Bool) => terms.or(operands.iter().copied()),
            ("ite", &[condition, one, two]) if sorts[0] == Sort::Bool && sorts[1] == sorts[2] => {
                terms.ite(condition, one, two)
            }
            ("xor", &[one, two]) if all(Sort::Bool) => terms.distinct(one, two),
            ("=", &[one, two]) if sorts[0] == sorts[1] => terms.equal(one, two),
            ("<=", &[one, two]) if all(Sort::Int) => terms.less_equal(one, two),
            ("<", &[one, two]) if all(Sort::Int) => terms.less(one, two),
            (">=", &[one, two]) if all(Sort::Int) => terms.less_equal(two, one),
            (">", &[one, two]) if all(Sort::Int) => terms.less(two, one),
            ("+", operands) if all(Sort::Int) => terms.add(operands.iter().copied()),
            ("-", &[operand]) if all(Sort::Int) => terms.negate(operand),
            ("-", &[one, two]) if all(Sort::Int) => terms.subtract(one, two),
            ("*", [one, more @ ..]) if all(Sort::Int) => {
                more.iter().fold(*one, |product, &factor| terms.multiply(product, factor))
            }
            ("div", &[one, two]) if all(Sort::Int) => terms.div(one, two),
            ("mod", &[one, two]) if all(Sort::Int) => terms.modulo(one, two),
            ("select", &[array, index]) => match &sorts[0] {
                Sort::Array(of, _) if **of == sorts[1] => terms.select(array, index),
                _ => return wrong(),
            },
            ("store", &[array, index, value]) => match &sorts[0] {
                Sort::Array(of, to) if **of == sorts[1] && **to == sorts[2] => terms.store(array, index, value),
                _ => return wrong(),
            },
            ("bv2nat", &[operand]) if matches!(sorts[0], Sort::BitVector(_)) => terms.bits_to_int(operand),
            _ => {
                let operation = BIT_OPERATIONS.into_iter().find(|operation| operation.smt_lib() == name);
                let count = if operation == Some(BitOperation::Not) { 1 } else { 2 };
                match operation {
                    Some(operation)
                        if operands.len() == count
                            && matches!(sorts[0], Sort::BitVector(_))
                            && all(sorts[0].clone()) =>
                    {
                        terms.bits(operation, operands)
                    }
                    _ => return wrong(),
                }
            }
        })
    }
}

/// A number without a sign.
fn natural(word: &str) -> Result<BigInt, String> {
    // A decimal digit has more than three bits.
    let is_natural = word.len() <= WIDEST_BITS as usize / 3 && word.bytes().all(|byte| byte.is_ascii_digit());
    let value = is_natural.then(|| word.parse().ok()).flatten();
    value.ok_or_else(|| format!("`{}` is no number that is read", short(&Sexp::word(word))))
}

/// How many bits numbers have that are computed from numbers with so many.
fn bits_of(function: &Sexp, sizes: &[u64]) -> u64 {
    let largest = sizes.iter().copied().max().unwrap_or(0);
    let carried = u64::from(usize::BITS - sizes.len().leading_zeros());
    match function.as_word() {
        Some("*") => sizes.iter().sum(),
        Some("+" | "-") => largest + carried,
        _ => largest,
    }
}

fn short(text: &Sexp) -> String {
    let text = text.to_string();
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
