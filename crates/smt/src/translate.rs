//! Terms to Z3's own and back. Each term is translated once.

use foundation::collections::HashMap;
use logic::{BitOperation, Linear, Node, Sort, Symbol, Term, Terms, Value};
use num_bigint::BigInt;
use num_traits::{One, ToPrimitive, Zero};
use z3::ast::{Ast, BV, Bool, Dynamic, Int};
use z3::{DeclKind, SortKind};

/// What was translated so far.
#[derive(Default)]
pub(crate) struct SolverTranslation {
    known: HashMap<Term, Dynamic>,
    symbols: HashMap<String, Symbol>,
}

impl SolverTranslation {
    /// The formula that a truth value is to Z3.
    pub(crate) fn formula(&mut self, terms: &Terms, term: Term) -> Bool {
        self.translate(terms, term).as_bool().expect("a truth value")
    }

    /// A term as Z3 has it.
    pub(crate) fn translate(&mut self, terms: &Terms, term: Term) -> Dynamic {
        if let Some(known) = self.known.get(&term) {
            return known.clone();
        }
        let known = &self.known;
        for part in terms.subterms_unless(&[term], |part| known.contains_key(&part)) {
            if !self.known.contains_key(&part) {
                let ast = self.translate_node(terms, &terms.node(part));
                self.known.insert(part, ast);
            }
        }
        self.known[&term].clone()
    }

    fn translate_node(&mut self, terms: &Terms, node: &Node) -> Dynamic {
        if let Node::Variable(symbol) = node {
            let name = terms.unique_name(*symbol);
            self.symbols.insert(name.clone(), *symbol);
            return Dynamic::new_const(name, &sort_of(&terms.sort_of_symbol(*symbol)));
        }
        let any = |term: &Term| self.known[term].clone();
        let truth = |term: &Term| any(term).as_bool().expect("a truth value");
        let number = |term: &Term| any(term).as_int().expect("an integer");
        let bits = |term: &Term| any(term).as_bv().expect("a bit-vector");
        let array = |term: &Term| any(term).as_array().expect("an array");
        let sum = |linear: &Linear, constant: &BigInt| {
            let mut summands: Vec<Int> = Vec::with_capacity(linear.terms().len() + 1);
            for (coefficient, term) in linear.terms() {
                let factor = number(term);
                summands.push(if coefficient.is_one() { factor } else { Int::mul(&[integer(coefficient), factor]) });
            }
            if !constant.is_zero() || summands.is_empty() {
                summands.push(integer(constant));
            }
            if summands.len() == 1 { summands.remove(0) } else { Int::add(&summands) }
        };
        let zero = BigInt::zero();
        match node {
            Node::Variable(_) => unreachable!("handled above"),
            Node::Truth(value) => Bool::from_bool(*value).into(),
            Node::Integer(value) => integer(value).into(),
            Node::BitVector { width, value } => {
                BV::from_str(*width, &value.to_string()).expect("a numeral is a bit-vector").into()
            }
            Node::Not(a) => truth(a).not().into(),
            Node::And(list) => Bool::and(&list.iter().map(truth).collect::<Vec<_>>()).into(),
            Node::Or(list) => Bool::or(&list.iter().map(truth).collect::<Vec<_>>()).into(),
            Node::Ite(c, a, b) => truth(c).ite(&any(a), &any(b)),
            Node::Equal(a, b) => any(a).eq(any(b)).into(),
            Node::Linear(linear) => sum(linear, linear.constant()).into(),
            Node::AtMostZero(linear) => sum(linear, &zero).le(integer(&-linear.constant())).into(),
            Node::Zero(linear) => sum(linear, &zero).eq(integer(&-linear.constant())).into(),
            Node::Multiply(a, b) => Int::mul(&[number(a), number(b)]).into(),
            Node::Div(a, b) => number(a).div(number(b)).into(),
            Node::Modulo(a, b) => number(a).modulo(number(b)).into(),
            Node::Select(a, i) => array(a).select(&any(i)),
            Node::Store(a, i, v) => array(a).store(&any(i), &any(v)).into(),
            Node::Bits(operation, list) => bit_operation(*operation, &bits(&list[0]), || bits(&list[1])).into(),
            Node::IntToBits(width, a) => BV::from_int(&number(a), *width).into(),
            Node::BitsToInt(a) => bits(a).to_int(false).into(),
        }
    }

    /// The symbol that Z3 knows under a name.
    pub(crate) fn symbol(&self, name: &str) -> Option<Symbol> {
        self.symbols.get(name).copied()
    }

    /// A term of Z3 as one of ours; `None` where it uses what we do not have (quantifiers, say).
    pub(crate) fn back(&self, terms: &Terms, ast: &Dynamic) -> Option<Term> {
        let mut known: HashMap<Dynamic, Term> = HashMap::default();
        let mut open = vec![(ast.clone(), false)];
        while let Some((ast, is_expanded)) = open.pop() {
            if known.contains_key(&ast) {
                continue;
            }
            if let Some(value) = value_of(&ast).and_then(|value| terms.of_value(&value)) {
                known.insert(ast, value);
                continue;
            }
            if !ast.is_app() {
                return None;
            }
            let children = ast.children();
            if is_expanded {
                let children: Vec<Term> = children.iter().map(|child| known[child]).collect();
                let term = self.back_application(terms, &ast, &children)?;
                known.insert(ast, term);
            } else {
                open.push((ast, true));
                open.extend(children.into_iter().map(|child| (child, false)));
            }
        }
        known.get(ast).copied()
    }

    fn back_application(&self, terms: &Terms, ast: &Dynamic, children: &[Term]) -> Option<Term> {
        let declaration = ast.safe_decl().ok()?;
        let bits = |operation| {
            let fold = |left: Term, right: &Term| terms.bits(operation, &[left, *right]);
            Some(children[1..].iter().fold(children[0], fold))
        };
        let compare = |relation: fn(&Terms, Term, Term) -> Term| match children {
            [left, right] => Some(relation(terms, *left, *right)),
            _ => None,
        };
        match declaration.kind() {
            DeclKind::True => Some(terms.truth(true)),
            DeclKind::False => Some(terms.truth(false)),
            DeclKind::And => Some(terms.and(children.iter().copied())),
            DeclKind::Or => Some(terms.or(children.iter().copied())),
            DeclKind::Not => Some(terms.not(children[0])),
            DeclKind::Implies => compare(Terms::implies),
            DeclKind::Iff | DeclKind::Eq => compare(Terms::equal),
            DeclKind::Xor | DeclKind::Distinct => compare(Terms::distinct),
            DeclKind::Ite => Some(terms.ite(children[0], children[1], children[2])),
            DeclKind::Le => compare(Terms::less_equal),
            DeclKind::Lt => compare(Terms::less),
            DeclKind::Ge => compare(Terms::greater_equal),
            DeclKind::Gt => compare(Terms::greater),
            DeclKind::Add => Some(terms.add(children.iter().copied())),
            DeclKind::Sub => Some(children[1..].iter().fold(children[0], |left, right| terms.subtract(left, *right))),
            DeclKind::Uminus => Some(terms.negate(children[0])),
            DeclKind::Mul => Some(children[1..].iter().fold(children[0], |left, right| terms.multiply(left, *right))),
            DeclKind::Idiv => compare(Terms::div),
            DeclKind::Mod => compare(Terms::modulo),
            DeclKind::Select => compare(Terms::select),
            DeclKind::Store => match children {
                [array, index, value] => Some(terms.store(*array, *index, *value)),
                _ => None,
            },
            DeclKind::Band => bits(BitOperation::And),
            DeclKind::Bor => bits(BitOperation::Or),
            DeclKind::Bxor => bits(BitOperation::Xor),
            DeclKind::Bnot => Some(terms.bv_not(children[0])),
            DeclKind::Bshl => bits(BitOperation::ShiftLeft),
            DeclKind::Blshr => bits(BitOperation::LogicalShiftRight),
            DeclKind::Bashr => bits(BitOperation::ArithmeticShiftRight),
            DeclKind::Badd => bits(BitOperation::Add),
            DeclKind::Bmul => bits(BitOperation::Multiply),
            DeclKind::Bv2int => Some(terms.bits_to_int(children[0])),
            DeclKind::Int2bv => Some(terms.int_to_bits(ast.as_bv()?.get_size(), children[0])),
            DeclKind::Uninterpreted if children.is_empty() => Some(terms.variable(self.symbol(&declaration.name())?)),
            _ => None,
        }
    }
}

/// An operation on bit-vectors; the second operand is made where there is one.
pub(crate) fn bit_operation(operation: BitOperation, first: &BV, second: impl FnOnce() -> BV) -> BV {
    match operation {
        BitOperation::And => first.bvand(second()),
        BitOperation::Or => first.bvor(second()),
        BitOperation::Xor => first.bvxor(second()),
        BitOperation::Not => first.bvnot(),
        BitOperation::ShiftLeft => first.bvshl(second()),
        BitOperation::LogicalShiftRight => first.bvlshr(second()),
        BitOperation::ArithmeticShiftRight => first.bvashr(second()),
        BitOperation::Add => first.bvadd(second()),
        BitOperation::Multiply => first.bvmul(second()),
    }
}

fn sort_of(sort: &Sort) -> z3::Sort {
    match sort {
        Sort::Bool => z3::Sort::bool(),
        Sort::Int => z3::Sort::int(),
        Sort::BitVector(width) => z3::Sort::bitvector(*width),
        Sort::Array(index, element) => z3::Sort::array(&sort_of(index), &sort_of(element)),
    }
}

fn integer(value: &BigInt) -> Int {
    match value.to_i64() {
        Some(value) => Int::from_i64(value),
        None => value.to_string().parse().expect("a numeral is an integer"),
    }
}

/// The value that a term of Z3 is; `None` where it is not written as a value.
pub(crate) fn value_of(ast: &Dynamic) -> Option<Value> {
    match ast.sort_kind() {
        SortKind::Bool => ast.as_bool()?.as_bool().map(Value::Bool),
        SortKind::Int => {
            let number = ast.as_int()?;
            if let Some(value) = number.as_i64() {
                return Some(Value::Int(value.into()));
            }
            let is_numeral = ast.kind() == z3::AstKind::Numeral;
            is_numeral.then(|| numeral(&number.to_string())).flatten().map(Value::Int)
        }
        SortKind::Bv => {
            let bits = ast.as_bv()?;
            let width = bits.get_size();
            if let Some(value) = bits.as_u64() {
                return Some(Value::Bits { width, value: value.into() });
            }
            if ast.kind() != z3::AstKind::Numeral {
                return None;
            }
            let text = bits.to_string();
            let value = match text.split_at_checked(2)? {
                ("#x", digits) => BigInt::parse_bytes(digits.as_bytes(), 16)?,
                ("#b", digits) => BigInt::parse_bytes(digits.as_bytes(), 2)?,
                _ => return None,
            };
            Some(Value::Bits { width, value })
        }
        SortKind::Array => array_value(ast),
        _ => None,
    }
}

/// An array that is written as stores into a constant array.
fn array_value(ast: &Dynamic) -> Option<Value> {
    let mut stores = Vec::new();
    let mut ast = ast.clone();
    loop {
        let children = ast.children();
        match (ast.safe_decl().ok()?.kind(), children.as_slice()) {
            (DeclKind::Store, [array, index, element]) => {
                stores.push((value_of(index)?, value_of(element)?));
                let array = array.clone();
                ast = array;
            }
            (DeclKind::ConstArray, [element]) => {
                let mut array = Value::Array { default: Box::new(value_of(element)?), entries: Default::default() };
                for (index, element) in stores.into_iter().rev() {
                    array = array.with_element(index, element)?;
                }
                return Some(array);
            }
            _ => return None,
        }
    }
}

/// A numeral as SMT-LIB writes it, `12` or `(- 12)`.
pub(crate) fn numeral(text: &str) -> Option<BigInt> {
    match text.strip_prefix("(- ").and_then(|rest| rest.strip_suffix(')')) {
        Some(digits) => digits.parse::<BigInt>().ok().map(|value| -value),
        None => text.parse().ok(),
    }
}
