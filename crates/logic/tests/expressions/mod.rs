//! Random expressions with a meaning of their own, written down naively, against which terms are compared.

use std::collections::BTreeMap;

use logic::{BitOperation, Sort, Symbol, Term, Terms, Value};
use proptest::prelude::*;

/// How many variables there are of each sort.
pub const INTEGERS: usize = 3;
const TRUTHS: usize = 2;
const BITS: usize = 2;
const WIDTH: u32 = 4;

/// An expression that is true or false.
#[derive(Clone, Debug)]
pub enum Truth {
    Constant(bool),
    Variable(usize),
    Not(Box<Truth>),
    And(Vec<Truth>),
    Or(Vec<Truth>),
    Implies(Box<Truth>, Box<Truth>),
    Iff(Box<Truth>, Box<Truth>),
    Ite(Box<Truth>, Box<Truth>, Box<Truth>),
    LessEqual(Number, Number),
    Less(Number, Number),
    Equal(Number, Number),
    Distinct(Number, Number),
    SameBits(Bits, Bits),
    SameArray(Map, Map),
}

/// An expression that is an integer.
#[derive(Clone, Debug)]
pub enum Number {
    Constant(i64),
    Variable(usize),
    Add(Vec<Number>),
    Subtract(Box<Number>, Box<Number>),
    Negate(Box<Number>),
    Multiply(Box<Number>, Box<Number>),
    Scale(i64, Box<Number>),
    Div(Box<Number>, Box<Number>),
    Modulo(Box<Number>, Box<Number>),
    Ite(Box<Truth>, Box<Number>, Box<Number>),
    Select(Box<Map>, Box<Number>),
    FromBits(Box<Bits>),
}

/// An expression that is a bit-vector.
#[derive(Clone, Debug)]
pub enum Bits {
    Constant(u8),
    Variable(usize),
    Operation(BitOperation, Vec<Bits>),
    FromInt(Box<Number>),
}

/// An expression that is an array from integers to integers.
#[derive(Clone, Debug)]
pub enum Map {
    Variable,
    Store(Box<Map>, Box<Number>, Box<Number>),
    Ite(Box<Truth>, Box<Map>, Box<Map>),
}

/// Which theories an expression uses.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Fragment {
    /// Everything.
    All,
    /// Linear integer arithmetic with truth values.
    Linear,
}

/// Expressions up to a depth.
pub fn truth(depth: u32, fragment: Fragment) -> BoxedStrategy<Truth> {
    let leaf = prop_oneof![any::<bool>().prop_map(Truth::Constant), (0..TRUTHS).prop_map(Truth::Variable)];
    if depth == 0 {
        return leaf.boxed();
    }
    let inner = || truth(depth - 1, fragment);
    let boxed = || inner().prop_map(Box::new);
    let number = || number(depth - 1, fragment);
    let base = prop_oneof![
        1 => leaf,
        2 => boxed().prop_map(Truth::Not),
        3 => prop::collection::vec(inner(), 0..4).prop_map(Truth::And),
        3 => prop::collection::vec(inner(), 0..4).prop_map(Truth::Or),
        1 => (boxed(), boxed()).prop_map(|(a, b)| Truth::Implies(a, b)),
        1 => (boxed(), boxed()).prop_map(|(a, b)| Truth::Iff(a, b)),
        1 => (boxed(), boxed(), boxed()).prop_map(|(a, b, c)| Truth::Ite(a, b, c)),
        3 => (number(), number()).prop_map(|(a, b)| Truth::LessEqual(a, b)),
        3 => (number(), number()).prop_map(|(a, b)| Truth::Less(a, b)),
        2 => (number(), number()).prop_map(|(a, b)| Truth::Equal(a, b)),
        2 => (number(), number()).prop_map(|(a, b)| Truth::Distinct(a, b)),
    ];
    if fragment == Fragment::Linear {
        return base.boxed();
    }
    let bits = || bits(depth - 1);
    let map = || map(depth - 1);
    prop_oneof![
        8 => base,
        1 => (bits(), bits()).prop_map(|(a, b)| Truth::SameBits(a, b)),
        1 => (map(), map()).prop_map(|(a, b)| Truth::SameArray(a, b)),
    ]
    .boxed()
}

fn number(depth: u32, fragment: Fragment) -> BoxedStrategy<Number> {
    let leaf = prop_oneof![(-4i64..5).prop_map(Number::Constant), (0..INTEGERS).prop_map(Number::Variable)];
    if depth == 0 {
        return leaf.boxed();
    }
    let inner = || number(depth - 1, fragment);
    let boxed = || inner().prop_map(Box::new);
    let condition = || truth(depth - 1, fragment).prop_map(Box::new);
    let base = prop_oneof![
        2 => leaf,
        2 => prop::collection::vec(inner(), 0..4).prop_map(Number::Add),
        1 => (boxed(), boxed()).prop_map(|(a, b)| Number::Subtract(a, b)),
        1 => boxed().prop_map(Number::Negate),
        2 => (-4i64..5, boxed()).prop_map(|(factor, a)| Number::Scale(factor, a)),
        1 => (condition(), boxed(), boxed()).prop_map(|(c, a, b)| Number::Ite(c, a, b)),
    ];
    if fragment == Fragment::Linear {
        return base.boxed();
    }
    let constant = || (-4i64..5).prop_map(|value| Box::new(Number::Constant(value)));
    prop_oneof![
        6 => base,
        1 => (boxed(), boxed()).prop_map(|(a, b)| Number::Multiply(a, b)),
        1 => (boxed(), constant()).prop_map(|(a, b)| Number::Div(a, b)),
        1 => (boxed(), constant()).prop_map(|(a, b)| Number::Modulo(a, b)),
        1 => (map(depth - 1), boxed()).prop_map(|(a, i)| Number::Select(Box::new(a), i)),
        1 => bits(depth - 1).prop_map(|a| Number::FromBits(Box::new(a))),
    ]
    .boxed()
}

fn bits(depth: u32) -> BoxedStrategy<Bits> {
    let leaf = prop_oneof![(0u8..16).prop_map(Bits::Constant), (0..BITS).prop_map(Bits::Variable)];
    if depth == 0 {
        return leaf.boxed();
    }
    let operation = prop::sample::select(vec![
        BitOperation::And,
        BitOperation::Or,
        BitOperation::Xor,
        BitOperation::ShiftLeft,
        BitOperation::LogicalShiftRight,
        BitOperation::ArithmeticShiftRight,
        BitOperation::Add,
        BitOperation::Multiply,
    ]);
    let inner = || bits(depth - 1);
    prop_oneof![
        leaf,
        inner().prop_map(|a| Bits::Operation(BitOperation::Not, vec![a])),
        (operation, inner(), inner()).prop_map(|(operation, a, b)| Bits::Operation(operation, vec![a, b])),
        number(depth - 1, Fragment::All).prop_map(|a| Bits::FromInt(Box::new(a))),
    ]
    .boxed()
}

fn map(depth: u32) -> BoxedStrategy<Map> {
    if depth == 0 {
        return Just(Map::Variable).boxed();
    }
    let number = || number(depth - 1, Fragment::All).prop_map(Box::new);
    let inner = || map(depth - 1).prop_map(Box::new);
    prop_oneof![
        Just(Map::Variable),
        (inner(), number(), number()).prop_map(|(a, i, v)| Map::Store(a, i, v)),
        (truth(depth - 1, Fragment::All).prop_map(Box::new), inner(), inner()).prop_map(|(c, a, b)| Map::Ite(c, a, b)),
    ]
    .boxed()
}

/// Values of all variables.
#[derive(Clone, Debug)]
pub struct World {
    pub integers: [i64; INTEGERS],
    truths: [bool; TRUTHS],
    bits: [u8; BITS],
    array: BTreeMap<i128, i128>,
}

/// Small values.
pub fn world() -> impl Strategy<Value = World> {
    let array = prop::collection::btree_map(-3i128..4, -3i128..4, 0..3);
    (prop::array::uniform3(-5i64..6), any::<[bool; TRUTHS]>(), prop::array::uniform2(0u8..16), array)
        .prop_map(|(integers, truths, bits, array)| World { integers, truths, bits, array })
}

/// The symbols of an arena that the variables are.
pub struct Variables {
    pub integers: Vec<Symbol>,
    pub truths: Vec<Symbol>,
    bits: Vec<Symbol>,
    array: Symbol,
}

impl Variables {
    pub fn new(terms: &Terms) -> Self {
        let make = |name: &str, count: usize, sort: Sort| {
            (0..count).map(|at| terms.symbol(&format!("{name}{at}"), sort.clone())).collect()
        };
        Self {
            integers: make("x", INTEGERS, Sort::Int),
            truths: make("p", TRUTHS, Sort::Bool),
            bits: make("b", BITS, Sort::BitVector(WIDTH)),
            array: terms.symbol("a", Sort::array(Sort::Int, Sort::Int)),
        }
    }

    /// The value of a symbol in a world.
    pub fn value(&self, world: &World, symbol: Symbol) -> Option<Value> {
        let at = |list: &[Symbol]| list.iter().position(|other| *other == symbol);
        if let Some(at) = at(&self.integers) {
            return Some(Value::Int(world.integers[at].into()));
        }
        if let Some(at) = at(&self.truths) {
            return Some(Value::Bool(world.truths[at]));
        }
        if let Some(at) = at(&self.bits) {
            return Some(Value::Bits { width: WIDTH, value: world.bits[at].into() });
        }
        let zero = Value::Array { default: Box::new(Value::Int(0.into())), entries: BTreeMap::new() };
        let store = |array: Value, (index, element): (&i128, &i128)| {
            array.with_element(Value::Int((*index).into()), Value::Int((*element).into())).unwrap()
        };
        (symbol == self.array).then(|| world.array.iter().fold(zero, store))
    }

    /// The term that an expression is.
    pub fn truth(&self, terms: &Terms, expression: &Truth) -> Term {
        let truth = |expression: &Truth| self.truth(terms, expression);
        let number = |expression: &Number| self.number(terms, expression);
        match expression {
            Truth::Constant(value) => terms.truth(*value),
            Truth::Variable(at) => terms.variable(self.truths[*at]),
            Truth::Not(a) => terms.not(truth(a)),
            Truth::And(list) => terms.and(list.iter().map(truth)),
            Truth::Or(list) => terms.or(list.iter().map(truth)),
            Truth::Implies(a, b) => terms.implies(truth(a), truth(b)),
            Truth::Iff(a, b) => terms.iff(truth(a), truth(b)),
            Truth::Ite(a, b, c) => terms.ite(truth(a), truth(b), truth(c)),
            Truth::LessEqual(a, b) => terms.less_equal(number(a), number(b)),
            Truth::Less(a, b) => terms.less(number(a), number(b)),
            Truth::Equal(a, b) => terms.equal(number(a), number(b)),
            Truth::Distinct(a, b) => terms.distinct(number(a), number(b)),
            Truth::SameBits(a, b) => terms.equal(self.bits(terms, a), self.bits(terms, b)),
            Truth::SameArray(a, b) => terms.equal(self.map(terms, a), self.map(terms, b)),
        }
    }

    /// The term that an expression is.
    pub fn number(&self, terms: &Terms, expression: &Number) -> Term {
        let number = |expression: &Number| self.number(terms, expression);
        match expression {
            Number::Constant(value) => terms.integer(*value),
            Number::Variable(at) => terms.variable(self.integers[*at]),
            Number::Add(list) => terms.add(list.iter().map(number)),
            Number::Subtract(a, b) => terms.subtract(number(a), number(b)),
            Number::Negate(a) => terms.negate(number(a)),
            Number::Multiply(a, b) => terms.multiply(number(a), number(b)),
            Number::Scale(factor, a) => terms.scale((*factor).into(), number(a)),
            Number::Div(a, b) => terms.div(number(a), number(b)),
            Number::Modulo(a, b) => terms.modulo(number(a), number(b)),
            Number::Ite(c, a, b) => terms.ite(self.truth(terms, c), number(a), number(b)),
            Number::Select(a, i) => terms.select(self.map(terms, a), number(i)),
            Number::FromBits(a) => terms.bits_to_int(self.bits(terms, a)),
        }
    }

    fn bits(&self, terms: &Terms, expression: &Bits) -> Term {
        match expression {
            Bits::Constant(value) => terms.bit_vector(WIDTH, (*value).into()),
            Bits::Variable(at) => terms.variable(self.bits[*at]),
            Bits::Operation(operation, list) => {
                terms.bits(*operation, &list.iter().map(|a| self.bits(terms, a)).collect::<Vec<_>>())
            }
            Bits::FromInt(a) => terms.int_to_bits(WIDTH, self.number(terms, a)),
        }
    }

    fn map(&self, terms: &Terms, expression: &Map) -> Term {
        match expression {
            Map::Variable => terms.variable(self.array),
            Map::Store(a, i, v) => terms.store(self.map(terms, a), self.number(terms, i), self.number(terms, v)),
            Map::Ite(c, a, b) => terms.ite(self.truth(terms, c), self.map(terms, a), self.map(terms, b)),
        }
    }
}

impl World {
    /// The value of an expression; `None` where a division by zero occurs anywhere in it.
    pub fn truth(&self, expression: &Truth) -> Option<bool> {
        let truth = |expression: &Truth| self.truth(expression);
        let number = |expression: &Number| self.number(expression);
        let all = |list: &[Truth]| list.iter().map(truth).collect::<Option<Vec<bool>>>();
        Some(match expression {
            Truth::Constant(value) => *value,
            Truth::Variable(at) => self.truths[*at],
            Truth::Not(a) => !truth(a)?,
            Truth::And(list) => all(list)?.into_iter().all(|value| value),
            Truth::Or(list) => all(list)?.into_iter().any(|value| value),
            Truth::Implies(a, b) => truth(a)? <= truth(b)?,
            Truth::Iff(a, b) => truth(a)? == truth(b)?,
            Truth::Ite(a, b, c) => match (truth(a)?, truth(b)?, truth(c)?) {
                (true, value, _) | (false, _, value) => value,
            },
            Truth::LessEqual(a, b) => number(a)? <= number(b)?,
            Truth::Less(a, b) => number(a)? < number(b)?,
            Truth::Equal(a, b) => number(a)? == number(b)?,
            Truth::Distinct(a, b) => number(a)? != number(b)?,
            Truth::SameBits(a, b) => self.bits(a)? == self.bits(b)?,
            Truth::SameArray(a, b) => self.map(a)? == self.map(b)?,
        })
    }

    fn number(&self, expression: &Number) -> Option<i128> {
        let number = |expression: &Number| self.number(expression);
        match expression {
            Number::Constant(value) => Some((*value).into()),
            Number::Variable(at) => Some(self.integers[*at].into()),
            Number::Add(list) => list.iter().map(number).try_fold(0i128, |sum, value| sum.checked_add(value?)),
            Number::Subtract(a, b) => number(a)?.checked_sub(number(b)?),
            Number::Negate(a) => number(a)?.checked_neg(),
            Number::Multiply(a, b) => number(a)?.checked_mul(number(b)?),
            Number::Scale(factor, a) => number(a)?.checked_mul((*factor).into()),
            Number::Div(a, b) => number(a)?.checked_div_euclid(number(b)?),
            Number::Modulo(a, b) => number(a)?.checked_rem_euclid(number(b)?),
            Number::Ite(c, a, b) => match (self.truth(c)?, number(a)?, number(b)?) {
                (true, value, _) | (false, _, value) => Some(value),
            },
            Number::Select(a, i) => Some(self.map(a)?.get(&number(i)?).copied().unwrap_or(0)),
            Number::FromBits(a) => self.bits(a).map(Into::into),
        }
    }

    fn bits(&self, expression: &Bits) -> Option<u8> {
        Some(match expression {
            Bits::Constant(value) => *value,
            Bits::Variable(at) => self.bits[*at],
            Bits::FromInt(a) => self.number(a)?.rem_euclid(16) as u8,
            Bits::Operation(operation, list) => {
                let a = self.bits(&list[0])?;
                let b = list.get(1).map_or(Some(0), |b| self.bits(b))?;
                let signed = (a as i8) << 4 >> 4;
                let result = match operation {
                    BitOperation::And => a & b,
                    BitOperation::Or => a | b,
                    BitOperation::Xor => a ^ b,
                    BitOperation::Not => !a,
                    BitOperation::ShiftLeft => a.checked_shl(b.into()).unwrap_or(0),
                    BitOperation::LogicalShiftRight => a.checked_shr(b.into()).unwrap_or(0),
                    BitOperation::ArithmeticShiftRight => (signed >> b.min(7)) as u8,
                    BitOperation::Add => a.wrapping_add(b),
                    BitOperation::Multiply => a.wrapping_mul(b),
                };
                result & 15
            }
        })
    }

    /// Elements that are not zero.
    fn map(&self, expression: &Map) -> Option<BTreeMap<i128, i128>> {
        let mut array = match expression {
            Map::Variable => self.array.clone(),
            Map::Store(a, i, v) => {
                let mut array = self.map(a)?;
                array.insert(self.number(i)?, self.number(v)?);
                array
            }
            Map::Ite(c, a, b) => match (self.truth(c)?, self.map(a)?, self.map(b)?) {
                (true, array, _) | (false, _, array) => array,
            },
        };
        array.retain(|_, element| *element != 0);
        Some(array)
    }
}
