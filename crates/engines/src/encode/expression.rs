//! Expressions as terms, each with the condition under which its evaluation is defined and with bounds of its value.
//!
//! Evaluation is lazy where the program's is: the right operand of `&&` must be defined only where the left one is true.

use std::cell::RefCell;

use foundation::Span;
use logic::{Sort, Term, Terms};
use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};
use program::semantics::arithmetic::smallest;
use program::{BinaryOp, CompareOp, Constant, ExprId, ExprKind, IntType, Scalar, UnaryOp};
use task::Reason;

use super::vocabulary::{Bounds, Vocabulary};

/// An expression in logic.
#[derive(Clone, Debug)]
pub struct Encoded {
    /// Its value.
    pub term: Term,
    /// When evaluating it is defined.
    pub defined: Term,
    /// What is known of its value.
    pub bounds: Bounds,
}

/// Encodes the expressions of one place in the source.
pub struct Encoder<'v, 'p> {
    /// The symbols.
    pub(super) vocabulary: &'v Vocabulary<'p>,
    /// Where the expressions stand, for refusals.
    pub(super) span: Span,
    /// What arithmetic may know of operations on bits, and of division.
    pub(super) facts: RefCell<Vec<Term>>,
}

impl<'v, 'p> Encoder<'v, 'p> {
    /// An encoder for expressions that stand at a place.
    pub fn new(vocabulary: &'v Vocabulary<'p>, span: Span) -> Self {
        Self { vocabulary, span, facts: RefCell::default() }
    }

    /// What follows from the operations on bits and the divisions in all that was encoded, and can be said without them. It
    /// holds always; but ranking functions, interpolants and ranges are found by arithmetic, which sees nothing but this of
    /// such operations.
    pub fn facts(&self) -> Term {
        self.terms().and(self.facts.borrow().iter().copied())
    }
}

impl Encoder<'_, '_> {
    pub(super) fn terms(&self) -> &Terms {
        self.vocabulary.terms
    }

    pub(super) fn refuse<T>(&self, what: impl Into<String>) -> Result<T, Reason> {
        Err(Reason::unsupported(what, Some(self.span)))
    }

    /// The term of an expression.
    pub fn encode(&self, expr: ExprId) -> Result<Encoded, Reason> {
        // Expressions may be nested as deeply as their writer liked.
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.encode_kind(expr))
    }

    fn encode_kind(&self, expr: ExprId) -> Result<Encoded, Reason> {
        let program = self.vocabulary.program();
        let terms = self.terms();
        let data = program.exprs.get(expr);
        match &data.kind {
            ExprKind::Constant(constant) => self.constant(constant),
            ExprKind::Load(place) => Ok(self.value(&self.access(place, false)?)),
            ExprKind::AddressOf(place) => self.address_of(place),
            ExprKind::FunctionAddress(_) => self.refuse("the address of a function"),
            ExprKind::Unary(op, operand) => {
                let Scalar::Int(ty) = data.ty else { return self.refuse("a floating-point operation") };
                let operand = self.encode(*operand)?;
                let negated = terms.negate(operand.term);
                let bounds = Bounds {
                    low: operand.bounds.high.as_ref().map(|high| -high),
                    high: operand.bounds.low.as_ref().map(|low| -low),
                };
                let (term, bounds) = match op {
                    UnaryOp::Negate => (negated, bounds),
                    UnaryOp::BitNot => (
                        terms.subtract(negated, terms.integer(1)),
                        Bounds { low: bounds.low.map(|low| low - 1), high: bounds.high.map(|high| high - 1) },
                    ),
                };
                Ok(self.wrapped(ty, Encoded { term, bounds, defined: operand.defined }))
            }
            ExprKind::Binary(op, left, right) => {
                let Scalar::Int(ty) = data.ty else { return self.refuse("a floating-point operation") };
                let (left, right) = (self.encode(*left)?, self.encode(*right)?);
                self.binary(*op, ty, left, right)
            }
            ExprKind::Compare(op, left, right) => self.compare(*op, *left, *right),
            ExprKind::Not(operand) => {
                let operand = self.encode(*operand)?;
                Ok(Encoded { term: terms.not(operand.term), ..operand })
            }
            ExprKind::And(left, right) => {
                let (left, right) = (self.encode(*left)?, self.encode(*right)?);
                let defined = terms.and([left.defined, terms.implies(left.term, right.defined)]);
                Ok(truth(terms.and([left.term, right.term]), defined))
            }
            ExprKind::Or(left, right) => {
                let (left, right) = (self.encode(*left)?, self.encode(*right)?);
                let defined = terms.and([left.defined, terms.or([left.term, right.defined])]);
                Ok(truth(terms.or([left.term, right.term]), defined))
            }
            ExprKind::If(condition, then, otherwise) => {
                let condition = self.encode(*condition)?;
                let (then, otherwise) = (self.encode(*then)?, self.encode(*otherwise)?);
                let chosen = terms.ite(condition.term, then.defined, otherwise.defined);
                Ok(Encoded {
                    term: terms.ite(condition.term, then.term, otherwise.term),
                    defined: terms.and([condition.defined, chosen]),
                    bounds: then.bounds.join(otherwise.bounds),
                })
            }
            ExprKind::Cast(operand) => self.cast(*operand, data.ty),
            ExprKind::PointerAdd { base, index, stride } => self.pointer_add(*base, *index, *stride, false),
            ExprKind::PointerDifference { left, right, stride } => {
                let Scalar::Int(ty) = data.ty else { return self.refuse("a floating-point operation") };
                self.pointer_difference(*left, *right, *stride, ty)
            }
        }
    }

    fn constant(&self, constant: &Constant) -> Result<Encoded, Reason> {
        let terms = self.terms();
        let number = |value: BigInt| Encoded {
            term: terms.integer(value.clone()),
            defined: terms.truth(true),
            bounds: Bounds::between(value.clone(), value),
        };
        match constant {
            Constant::Bool(value) => Ok(truth(terms.truth(*value), terms.truth(true))),
            Constant::Int(value) => Ok(number(value.clone())),
            Constant::Null => Ok(number(BigInt::zero())),
            Constant::Address(address) => Ok(number(BigInt::from(*address))),
            Constant::Float(_) => self.refuse("a floating-point number"),
        }
    }

    fn compare(&self, op: CompareOp, left: ExprId, right: ExprId) -> Result<Encoded, Reason> {
        let terms = self.terms();
        let mut comparable = terms.truth(true);
        match self.vocabulary.program().exprs.ty(left) {
            Scalar::Float(_) => return self.refuse("a comparison of floating-point numbers"),
            Scalar::Pointer => {
                let terms_of = (self.encode(left)?.term, self.encode(right)?.term);
                comparable = self.comparable(op, (left, terms_of.0), (right, terms_of.1))?;
            }
            _ => {}
        }
        let (left, right) = (self.encode(left)?, self.encode(right)?);
        let defined = terms.and([left.defined, right.defined, comparable]);
        let (a, b) = match terms.sort(left.term) {
            Sort::Bool if !matches!(op, CompareOp::Equal | CompareOp::NotEqual) => {
                (self.number(left.term), self.number(right.term))
            }
            _ => (left.term, right.term),
        };
        let term = match op {
            CompareOp::Equal => terms.equal(a, b),
            CompareOp::NotEqual => terms.not(terms.equal(a, b)),
            CompareOp::Less => terms.less(a, b),
            CompareOp::LessEqual => terms.less_equal(a, b),
            CompareOp::Greater => terms.less(b, a),
            CompareOp::GreaterEqual => terms.less_equal(b, a),
        };
        Ok(truth(term, defined))
    }

    pub(super) fn number(&self, truth: Term) -> Term {
        self.terms().ite(truth, self.terms().integer(1), self.terms().integer(0))
    }

    fn cast(&self, operand: ExprId, to: Scalar) -> Result<Encoded, Reason> {
        let terms = self.terms();
        let from = self.vocabulary.program().exprs.ty(operand);
        let mut converted = self.encode(operand)?;
        if from == Scalar::Pointer && to != Scalar::Pointer {
            let targets = self.vocabulary.memory.points_to().of(operand);
            let dangling = self.dangling(targets, converted.term)?;
            converted.defined = terms.and([converted.defined, terms.not(dangling)]);
        }
        let operand = converted;
        match (from, to) {
            (Scalar::Bool, Scalar::Bool) | (Scalar::Pointer, Scalar::Pointer) => Ok(operand),
            (Scalar::Int(_) | Scalar::Pointer, Scalar::Bool) => {
                let term = terms.not(terms.equal(operand.term, terms.integer(0)));
                Ok(truth(term, operand.defined))
            }
            (Scalar::Bool, Scalar::Int(_)) => Ok(Encoded {
                term: self.number(operand.term),
                defined: operand.defined,
                bounds: Bounds::between(BigInt::zero(), BigInt::one()),
            }),
            (Scalar::Int(_), Scalar::Int(ty)) => Ok(self.wrapped(ty, operand)),
            (Scalar::Int(_), Scalar::Pointer) if self.vocabulary.addresses_are_apart() => {
                Ok(self.remainder(self.vocabulary.program().types.pointer_int(false), operand))
            }
            (Scalar::Pointer, Scalar::Int(ty)) if !self.vocabulary.has_object_addresses() => {
                Ok(self.wrapped(ty, operand))
            }
            _ => self.refuse("a conversion between numbers and addresses, or to or from a floating-point number"),
        }
    }

    /// A value brought into the range of its type, under machine integers.
    pub(super) fn wrapped(&self, ty: IntType, value: Encoded) -> Encoded {
        if self.vocabulary.is_machine() { self.remainder(ty, value) } else { value }
    }

    /// The value in the range of a type that has the same last bits.
    pub(super) fn remainder(&self, ty: IntType, value: Encoded) -> Encoded {
        let terms = self.terms();
        if value.bounds.fit(ty) {
            return value;
        }
        let least = terms.integer(smallest(ty));
        let size = terms.integer(BigInt::one() << ty.bits);
        let term = terms.add([terms.modulo(terms.subtract(value.term, least), size), least]);
        Encoded { term, bounds: Bounds::of_type(ty), defined: value.defined }
    }

    fn binary(&self, op: BinaryOp, ty: IntType, left: Encoded, right: Encoded) -> Result<Encoded, Reason> {
        let terms = self.terms();
        let defined = terms.and([left.defined, right.defined]);
        let exact = |term: Term, bounds: Bounds| self.wrapped(ty, Encoded { term, defined, bounds });
        match op {
            BinaryOp::Add => Ok(exact(terms.add([left.term, right.term]), sum(&left.bounds, &right.bounds))),
            BinaryOp::Subtract => {
                let negated = Bounds {
                    low: right.bounds.high.as_ref().map(|high| -high),
                    high: right.bounds.low.as_ref().map(|low| -low),
                };
                Ok(exact(terms.subtract(left.term, right.term), sum(&left.bounds, &negated)))
            }
            BinaryOp::Multiply => {
                Ok(exact(terms.multiply(left.term, right.term), product(&left.bounds, &right.bounds)))
            }
            BinaryOp::Divide | BinaryOp::Remainder => Ok(self.divide(op, ty, left, right)),
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => self.shift(op, ty, left, right),
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => self.bits(op, ty, left, right),
        }
    }

    /// Division truncates towards zero. SMT-LIB's is Euclidean, which is the same where the dividend is not negative.
    fn divide(&self, op: BinaryOp, ty: IntType, left: Encoded, right: Encoded) -> Encoded {
        let terms = self.terms();
        let zero = terms.integer(0);
        let on_positive = |dividend: Term| match op {
            BinaryOp::Divide => terms.div(dividend, right.term),
            _ => terms.modulo(dividend, right.term),
        };
        let term = if is_not_negative(&left.bounds) {
            on_positive(left.term)
        } else {
            let negated = terms.negate(on_positive(terms.negate(left.term)));
            terms.ite(terms.less_equal(zero, left.term), on_positive(left.term), negated)
        };
        let mut defined = vec![left.defined, right.defined, terms.not(terms.equal(right.term, zero))];
        if self.vocabulary.is_machine() && ty.signed && !excludes(&right.bounds, &-BigInt::one()) {
            let overflows = terms
                .and([terms.equal(left.term, terms.integer(smallest(ty))), terms.equal(right.term, terms.integer(-1))]);
            defined.push(terms.not(overflows));
        }
        // The magnitude does not grow; a remainder is also smaller than the divisor.
        let magnitude = |bounds: &Bounds| Some(bounds.low.as_ref()?.abs().max(bounds.high.as_ref()?.abs()));
        let mut most = magnitude(&left.bounds);
        if op == BinaryOp::Remainder
            && let Some(divisor) = magnitude(&right.bounds)
        {
            let divisor = (divisor - BigInt::one()).max(BigInt::zero());
            most = Some(most.map_or(divisor.clone(), |most| most.min(divisor)));
        }
        let low_sign = is_not_negative(&left.bounds);
        let right_sign = is_not_negative(&right.bounds);
        let positive = low_sign && (right_sign || op == BinaryOp::Remainder);
        let low = if positive { Some(BigInt::zero()) } else { most.as_ref().map(|most| -most) };
        let mut bounds = Bounds { low, high: most };
        if self.vocabulary.is_machine() && !bounds.fit(ty) {
            bounds = Bounds::of_type(ty);
        }
        if terms.as_integer(right.term).is_none() {
            self.note_division(op, &left, &right, term);
        }
        Encoded { term, defined: terms.and(defined), bounds }
    }

    /// Notes what arithmetic may know of a quotient or a remainder by something that is no constant, where nothing is
    /// negative.
    fn note_division(&self, op: BinaryOp, left: &Encoded, right: &Encoded, result: Term) {
        let terms = self.terms();
        let number = |value: i64| terms.integer(value);
        let at_most = |smaller: Term, larger: Term| terms.less_equal(smaller, larger);
        let inside = terms.and([at_most(number(0), result), at_most(result, left.term)]);
        let more = match op {
            BinaryOp::Divide => {
                let half = at_most(terms.add([result, result]), left.term);
                terms.implies(at_most(number(2), right.term), half)
            }
            _ => terms.less(result, right.term),
        };
        let dividend = if is_not_negative(&left.bounds) { terms.truth(true) } else { at_most(number(0), left.term) };
        let is_positive = terms.and([dividend, at_most(number(1), right.term)]);
        self.facts.borrow_mut().push(terms.implies(is_positive, terms.and([inside, more])));
    }

    fn shift(&self, op: BinaryOp, ty: IntType, left: Encoded, right: Encoded) -> Result<Encoded, Reason> {
        let terms = self.terms();
        let count = match (&right.bounds.low, &right.bounds.high) {
            (Some(low), Some(high)) if low == high => low.to_u16(),
            _ if self.vocabulary.is_machine() => return Ok(self.shift_by_bits(op, ty, &left, &right)),
            _ => return self.refuse("a shift of ideal integers by a count that is not constant"),
        };
        let most = if self.vocabulary.is_machine() { ty.bits } else { 1024 };
        let Some(count) = count.filter(|&count| count < most) else {
            let undefined = self.vocabulary.is_machine() || right.bounds.low.as_ref().is_some_and(Signed::is_negative);
            if !undefined {
                return self.refuse("a shift by a large count");
            }
            return Ok(Encoded { term: left.term, defined: terms.truth(false), bounds: left.bounds });
        };
        let factor = BigInt::one() << count;
        let defined = terms.and([left.defined, right.defined]);
        if op == BinaryOp::ShiftLeft {
            let factor_bounds = Bounds::between(factor.clone(), factor.clone());
            let bounds = product(&left.bounds, &factor_bounds);
            let term = terms.multiply(terms.integer(factor), left.term);
            return Ok(self.wrapped(ty, Encoded { term, defined, bounds }));
        }
        // Euclidean division by a positive number rounds down, as an arithmetic shift does.
        let shifted = |bound: &Option<BigInt>| bound.as_ref().map(|bound| bound >> count);
        let bounds = Bounds { low: shifted(&left.bounds.low), high: shifted(&left.bounds.high) };
        Ok(Encoded { term: terms.div(left.term, terms.integer(factor)), defined, bounds })
    }
}

pub(super) fn is_not_negative(bounds: &Bounds) -> bool {
    bounds.low.as_ref().is_some_and(|low| !low.is_negative())
}

fn truth(term: Term, defined: Term) -> Encoded {
    Encoded { term, defined, bounds: Bounds::default() }
}

fn excludes(bounds: &Bounds, value: &BigInt) -> bool {
    bounds.low.as_ref().is_some_and(|low| low > value) || bounds.high.as_ref().is_some_and(|high| high < value)
}

pub(super) fn sum(one: &Bounds, two: &Bounds) -> Bounds {
    let add = |a: &Option<BigInt>, b: &Option<BigInt>| Some(a.as_ref()? + b.as_ref()?);
    Bounds { low: add(&one.low, &two.low), high: add(&one.high, &two.high) }
}

pub(super) fn product(one: &Bounds, two: &Bounds) -> Bounds {
    let (Bounds { low: Some(a), high: Some(b) }, Bounds { low: Some(c), high: Some(d) }) = (one, two) else {
        return Bounds::default();
    };
    let ends = [a * c, a * d, b * c, b * d];
    let low = ends.iter().min().cloned();
    Bounds { low, high: ends.into_iter().max() }
}
