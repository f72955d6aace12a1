//! What is evaluated when an edge is taken from a location: expressions so far, what they leave open, and what holds of it.

use std::collections::BTreeSet;

use foundation::Span;
use foundation::collections::HashMap;
use logic::{Sort, Symbol, Term, Terms};
use num_bigint::BigInt;
use num_traits::{One, Zero};
use program::semantics::arithmetic::{largest, smallest};
use program::{ExprId, IntType, LocationId, Program, Scalar};

use super::Encoding;
use super::number::Number;

/// More reads of device registers than this in one expression are not told apart.
const MOST_REGISTERS: usize = 64;

/// An expression's value and when evaluating it is undefined.
#[derive(Clone, Debug)]
pub(super) struct Encoded {
    /// The value; a truth value where the type is one. Of floating-point numbers nothing is known.
    pub value: Number,
    /// When evaluation is undefined.
    pub undefined: Term,
    /// Inputs that are another one each time that the expression is evaluated.
    pub registers: Vec<Symbol>,
}

/// Evaluation from a location.
pub(super) struct Evaluation<'e, 'a> {
    pub encoding: &'e Encoding<'a>,
    pub location: LocationId,
    pub span: Span,
    /// What is chosen.
    pub inputs: BTreeSet<Symbol>,
    /// What the program asks for, in order.
    pub asked: Vec<Symbol>,
    /// What holds of the inputs, and of what was read. For every state there are inputs of which this holds.
    pub facts: Vec<Term>,
    known: HashMap<ExprId, Encoded>,
}

impl<'e, 'a> Evaluation<'e, 'a> {
    /// Nothing is evaluated yet.
    pub fn new(encoding: &'e Encoding<'a>, location: LocationId, span: Span) -> Self {
        Self {
            encoding,
            location,
            span,
            inputs: BTreeSet::new(),
            asked: Vec::new(),
            facts: Vec::new(),
            known: HashMap::default(),
        }
    }

    pub fn terms(&self) -> &'a Terms {
        self.encoding.terms
    }

    pub fn program(&self) -> &'a Program {
        self.encoding.program()
    }

    /// An expression. Operands have smaller numbers than what they are operands of, so that they come first.
    pub fn encode(&mut self, root: ExprId) -> Encoded {
        let mut needed = BTreeSet::new();
        let mut open = vec![root];
        while let Some(expr) = open.pop() {
            if !self.known.contains_key(&expr) && needed.insert(expr) {
                open.extend(self.program().exprs.operands(expr));
            }
        }
        for expr in needed {
            let mut encoded = self.combine(expr);
            if encoded.registers.len() > MOST_REGISTERS {
                encoded = Encoded { undefined: self.maybe(), ..self.anything(self.program().exprs.ty(expr)) };
            }
            self.known.insert(expr, encoded);
        }
        self.operand(root)
    }

    /// An operand, which was encoded before. Device registers are read anew each time.
    pub fn operand(&mut self, expr: ExprId) -> Encoded {
        let encoded = self.known[&expr].clone();
        if encoded.registers.is_empty() {
            return encoded;
        }
        let terms = self.terms();
        let Encoded { value, undefined, registers } = encoded;
        let mut renamed = HashMap::default();
        let mut copies = Vec::new();
        for register in registers {
            let copy = self.fresh(&terms.name(register), terms.sort_of_symbol(register));
            renamed.insert(register, terms.variable(copy));
            copies.push(copy);
        }
        // What is known of a register's value is known of its copy.
        let touching = |fact: &&Term| terms.symbols(**fact).iter().any(|symbol| renamed.contains_key(symbol));
        let facts: Vec<Term> = self.facts.iter().filter(touching).copied().collect();
        self.facts.extend(facts.into_iter().map(|fact| terms.substitute(fact, &renamed)));
        Encoded {
            value: Number { term: terms.substitute(value.term, &renamed), ..value },
            undefined: terms.substitute(undefined, &renamed),
            registers: copies,
        }
    }

    /// A new input.
    pub fn fresh(&mut self, name: &str, sort: Sort) -> Symbol {
        let symbol = self.terms().symbol(name, sort);
        self.inputs.insert(symbol);
        symbol
    }

    /// The value of a new input.
    pub fn arbitrary(&mut self, name: &str, sort: Sort) -> Term {
        let symbol = self.fresh(name, sort);
        self.terms().variable(symbol)
    }

    /// A truth value that may be either.
    pub fn maybe(&mut self) -> Term {
        self.arbitrary("maybe", Sort::Bool)
    }

    /// Any value that memory or a computation of a type can hold. Ideal integers of a type may be of any size.
    pub fn anything(&mut self, scalar: Scalar) -> Encoded {
        let value = match scalar {
            Scalar::Int(ty) if self.encoding.is_machine() => self.number_between("any", &smallest(ty), &largest(ty)),
            Scalar::Bool => Number::unbounded(self.maybe()),
            _ => Number::unbounded(self.arbitrary("any", Sort::Int)),
        };
        Encoded { value, undefined: self.terms().truth(false), registers: Vec::new() }
    }

    /// A value that is asked for: of the machine's type, whatever integers are.
    pub fn input(&mut self, name: &str, scalar: Scalar) -> Number {
        let value = match scalar {
            Scalar::Int(ty) => self.number_between(name, &smallest(ty), &largest(ty)),
            Scalar::Bool => Number::unbounded(self.arbitrary(name, Sort::Bool)),
            Scalar::Pointer if !self.encoding.addresses.has_objects() => {
                // Where no object has an address, all that can be given is a number.
                let largest = largest(self.program().types.pointer_int(false));
                self.number_between(name, &BigInt::zero(), &largest)
            }
            _ => {
                if scalar == Scalar::Pointer {
                    self.encoding.note("an address that is given from outside", self.span);
                }
                Number::unbounded(self.arbitrary(name, Sort::Int))
            }
        };
        self.asked.extend(self.inputs.last());
        value
    }

    /// A value that is not chosen yet. Where integers are ideal, it may be chosen when it is read at another signedness.
    pub fn unchosen(&mut self, name: &str, scalar: Scalar) -> Number {
        match scalar {
            Scalar::Int(IntType { bits, .. }) if !self.encoding.is_machine() => {
                let low = smallest(IntType::signed(bits));
                let value = self.number_between(name, &low, &largest(IntType::unsigned(bits)));
                self.asked.extend(self.inputs.last());
                value
            }
            other => self.input(name, other),
        }
    }

    fn number_between(&mut self, name: &str, low: &BigInt, high: &BigInt) -> Number {
        let term = self.arbitrary(name, Sort::Int);
        self.facts.push(self.encoding.between(low, term, high));
        Number { term, low: Some(low.clone()), high: Some(high.clone()) }
    }

    /// A number of a type that lies in memory or was computed, with what its type says.
    pub fn typed(&self, term: Term, scalar: Scalar) -> Number {
        match scalar {
            Scalar::Int(ty) if self.encoding.is_machine() => Number::of_type(term, ty),
            _ => Number::unbounded(term),
        }
    }

    /// What a scalar is whose bytes are zero.
    pub fn zero(&self, scalar: Scalar) -> Term {
        if scalar == Scalar::Bool { self.terms().truth(false) } else { self.terms().integer(0) }
    }

    /// A truth value as 0 or 1.
    pub fn bit(&self, truth: Term) -> Number {
        let terms = self.terms();
        let term = terms.ite(truth, terms.integer(1), terms.integer(0));
        Number { term, low: Some(BigInt::zero()), high: Some(BigInt::one()) }
    }
}
