//! Steps as unions of polyhedra: the linear shape of a stem or a cycle that templates are fitted to.
//!
//! A space has one dimension for each integer term that is no sum: program variables, inputs, quotients and remainders
//! by constants, products, elements of arrays. Quotients and remainders get the rows that define them (Euclidean
//! division, as in SMT-LIB); where the solver sees that a quotient has few values, each is a case of its own, because
//! the rationals between them would spoil everything that wraps around. Products, elements of arrays and bits are
//! dimensions without meaning, so a union of polyhedra contains the relation of the step. Where it is the relation
//! itself, the polyhedron says that it is exact. Over the integers, strict inequalities and divisors are tightened by
//! the normal form of terms.
//!
//! What is found here is a guess for those who ask: every argument is checked on the step itself.

use std::collections::BTreeSet;

use foundation::{Budget, Exhausted};
use logic::{Linear, Node, Sort, Symbol, Term, Terms};
use num_bigint::BigInt;
use num_traits::{One, Zero};
use smt::{Satisfiability, Solver};

use super::cases::cases;
use crate::encode::step::Transition;

/// No more quotients than this are split.
const MOST_SPLIT_QUOTIENTS: usize = 16;

/// A quotient with at most so many values is split into cases.
const MOST_QUOTIENTS: usize = 3;

/// A linear constraint over dimensions: `linear ≥ 0`, or `linear = 0`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConstraintRow {
    /// The left side; the terms in it are dimensions.
    pub linear: Linear,
    /// Whether it is zero, not only at least zero.
    pub is_equation: bool,
}

/// A conjunction of rows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Polyhedron {
    /// The rows.
    pub rows: Vec<ConstraintRow>,
    /// Whether the integer points are those of the step's relation, not only a superset.
    pub is_exact: bool,
}

/// Something that the program's state determines, before and after a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Observable {
    /// The term over program variables.
    pub term: Term,
    /// Its value before the step, over dimensions.
    pub before: Linear,
    /// Its value after the step, over dimensions.
    pub after: Linear,
}

/// A step as a union of polyhedra.
#[derive(Clone, Debug, Default)]
pub struct Polyhedra {
    /// The polyhedra; together they contain the step.
    pub polyhedra: Vec<Polyhedron>,
    /// What can be spoken of before and after.
    pub observables: Vec<Observable>,
}

impl Polyhedra {
    /// The polyhedra of a step under a condition on the state before it, with the variables of `wanted` as observables.
    pub fn of(
        terms: &Terms,
        solver: &mut dyn Solver,
        step: &Transition,
        condition: Term,
        wanted: &BTreeSet<Symbol>,
        budget: &Budget,
    ) -> Result<Polyhedra, Exhausted> {
        let exact = Self::with_cases(terms, solver, step, condition, wanted, true, budget)?;
        match exact {
            Some(paths) => Ok(paths),
            None => Ok(Self::with_cases(terms, solver, step, condition, wanted, false, budget)?.unwrap_or_default()),
        }
    }

    /// The same, either with a polyhedron for each case of each new value, if they are not too many, or with bounds
    /// instead.
    fn with_cases(
        terms: &Terms,
        solver: &mut dyn Solver,
        step: &Transition,
        condition: Term,
        wanted: &BTreeSet<Symbol>,
        is_exact: bool,
        budget: &Budget,
    ) -> Result<Option<Polyhedra>, Exhausted> {
        let mut space = RowMaker { terms };
        let mut formula = vec![step.guard, condition];
        let mut observables = Vec::new();
        for &symbol in wanted {
            let Some(term) = integer_of(terms, symbol) else { continue };
            let after = match step.updates.get(&symbol) {
                None => terms.linear(term),
                Some(&value) if !is_exact && terms.sort(value) == Sort::Int => terms.linear(value),
                Some(&value) => space.value_after(symbol, value, &mut formula),
            };
            observables.push(Observable { term, before: terms.linear(term), after });
        }
        for term in unwritten_elements(terms, step) {
            let linear = terms.linear(term);
            observables.push(Observable { term, before: linear.clone(), after: linear });
        }
        let relation = terms.and(formula);
        let values = observables.iter().map(|observable| terms.from_linear(&observable.after));
        let quotients = quotient_cases(terms, solver, relation, values.collect(), budget)?;
        let relation = terms.and([relation, quotients]);
        let cases = cases(terms, solver, relation, budget)?;
        if is_exact && !cases.is_exact {
            return Ok(None);
        }
        let mut polyhedra = Vec::new();
        for case in cases.conjunctions {
            budget.check()?;
            if let Some(mut polyhedron) = space.polyhedron(&case, &observables)
                && !is_unsatisfiable(solver, terms.and(case.iter().copied()))
            {
                polyhedron.is_exact &= cases.is_exact;
                if !polyhedra.contains(&polyhedron) {
                    polyhedra.push(polyhedron);
                }
            }
        }
        Ok(Some(Polyhedra { polyhedra, observables }))
    }
}

/// The variables that decide whether a cycle can be taken again: those of the guard, and those that they are computed
/// from.
pub fn relevant(terms: &Terms, cycle: &Transition) -> BTreeSet<Symbol> {
    let mut found: BTreeSet<Symbol> = BTreeSet::new();
    let mut waiting: Vec<Symbol> = terms.symbols(cycle.guard).iter().copied().collect();
    while let Some(symbol) = waiting.pop() {
        if cycle.inputs.contains(&symbol) || !found.insert(symbol) {
            continue;
        }
        if let Some(&value) = cycle.updates.get(&symbol) {
            waiting.extend(terms.symbols(value).iter().copied());
        }
    }
    found
}

/// Whether a formula is known to have no model.
pub fn is_unsatisfiable(solver: &mut dyn Solver, formula: Term) -> bool {
    solver.push();
    solver.assert(formula);
    let answer = solver.check(&[]);
    solver.pop();
    matches!(answer, Satisfiability::Unsatisfiable)
}

/// The integer that stands for a variable: itself, or 0 and 1 for the truth values. Others have none.
pub fn integer_of(terms: &Terms, symbol: Symbol) -> Option<Term> {
    let variable = terms.variable(symbol);
    match terms.sort_of_symbol(symbol) {
        Sort::Int => Some(variable),
        Sort::Bool => Some(terms.ite(variable, terms.integer(1), terms.integer(0))),
        Sort::BitVector(_) => Some(terms.bits_to_int(variable)),
        Sort::Array(..) => None,
    }
}

/// The elements of arrays that a step reads and that cannot change: neither the array nor the index is written or
/// input.
fn unwritten_elements(terms: &Terms, step: &Transition) -> Vec<Term> {
    let roots: Vec<Term> = step.updates.values().copied().chain([step.guard]).collect();
    let is_fixed = |term: Term| {
        let symbols = terms.symbols(term);
        symbols.iter().all(|symbol| !step.updates.contains_key(symbol) && !step.inputs.contains(symbol))
    };
    let is_element =
        |&term: &Term| matches!(terms.node(term), Node::Select(..)) && terms.sort(term) == Sort::Int && is_fixed(term);
    terms.subterms(&roots).into_iter().filter(is_element).collect()
}

/// A condition that follows from the relation and names the values of quotients in it and in some values, where they
/// are few.
fn quotient_cases(
    terms: &Terms,
    solver: &mut dyn Solver,
    relation: Term,
    mut roots: Vec<Term>,
    budget: &Budget,
) -> Result<Term, Exhausted> {
    let mut quotients: BTreeSet<Term> = BTreeSet::new();
    roots.push(relation);
    for term in terms.subterms(&roots) {
        if let Node::Div(dividend, divisor) | Node::Modulo(dividend, divisor) = terms.node(term)
            && terms.as_integer(divisor).is_some_and(|divisor| !divisor.is_zero())
        {
            quotients.insert(terms.div(dividend, divisor));
        }
    }
    let mut lemmas = Vec::new();
    for quotient in quotients.into_iter().take(MOST_SPLIT_QUOTIENTS) {
        budget.check()?;
        let mut values: Vec<Term> = Vec::new();
        let is_one_of_few = loop {
            solver.push();
            solver.assert(relation);
            for &value in &values {
                solver.assert(terms.distinct(quotient, value));
            }
            let answer = solver.check(&[]);
            let value = match answer {
                Satisfiability::Satisfiable => {
                    solver.model().evaluate(terms, quotient).and_then(|v| terms.of_value(&v))
                }
                _ => None,
            };
            solver.pop();
            match (answer, value) {
                (Satisfiability::Unsatisfiable, _) => break true,
                (_, Some(value)) if values.len() < MOST_QUOTIENTS => values.push(value),
                _ => break false,
            }
        };
        if is_one_of_few {
            lemmas.push(terms.or(values.iter().map(|&value| terms.equal(quotient, value))));
        }
    }
    Ok(terms.and(lemmas))
}

/// Makes rows of literals.
struct RowMaker<'t> {
    terms: &'t Terms,
}

impl RowMaker<'_> {
    /// What a variable is worth after the step. A value with cases gets a symbol of its own, and its definition is
    /// added to the formula.
    fn value_after(&mut self, symbol: Symbol, value: Term, formula: &mut Vec<Term>) -> Linear {
        let terms = self.terms;
        match terms.sort(value) {
            Sort::Int => {
                let has_cases =
                    terms.subterms(&[value]).into_iter().any(|part| matches!(terms.node(part), Node::Ite(..)));
                if !has_cases {
                    return terms.linear(value);
                }
                let after = terms.symbol(&format!("{}'", terms.name(symbol)), Sort::Int);
                formula.push(terms.equal(terms.variable(after), value));
                terms.linear(terms.variable(after))
            }
            Sort::Bool => match terms.node(value) {
                Node::Truth(value) => Linear::constant_of(i64::from(value)),
                Node::Variable(other) => terms.linear(integer_of(terms, other).expect("a truth value is an integer")),
                _ => {
                    let after = terms.symbol(&format!("{}'", terms.name(symbol)), Sort::Bool);
                    formula.push(terms.iff(terms.variable(after), value));
                    terms.linear(integer_of(terms, after).expect("a truth value is an integer"))
                }
            },
            _ => terms.linear(terms.bits_to_int(value)),
        }
    }

    /// The rows of a conjunction of literals; `None` where it is false. The definitions of what the observables are
    /// over are added.
    fn polyhedron(&mut self, literals: &[Term], observables: &[Observable]) -> Option<Polyhedron> {
        let terms = self.terms;
        let mut polyhedron = Polyhedron { rows: Vec::new(), is_exact: true };
        let add = |polyhedron: &mut Polyhedron, linear: Linear, is_equation: bool| {
            let row = ConstraintRow { linear, is_equation };
            if !polyhedron.rows.contains(&row) {
                polyhedron.rows.push(row);
            }
        };
        for &literal in literals {
            match terms.node(literal) {
                Node::Truth(true) => {}
                Node::Truth(false) => return None,
                Node::AtMostZero(linear) => add(&mut polyhedron, linear.negate(), false),
                Node::Zero(linear) => add(&mut polyhedron, (*linear).clone(), true),
                Node::Variable(symbol) => {
                    let linear = self.truth_value(symbol).subtract(&Linear::constant_of(1));
                    add(&mut polyhedron, linear, true);
                }
                Node::Not(inner) => match terms.node(inner) {
                    Node::Variable(symbol) => add(&mut polyhedron, self.truth_value(symbol), true),
                    _ => polyhedron.is_exact = false,
                },
                _ => polyhedron.is_exact = false,
            }
        }
        let mut known: BTreeSet<Term> = BTreeSet::new();
        let mut waiting: Vec<Term> = polyhedron.rows.iter().flat_map(|row| dimensions(&row.linear)).collect();
        waiting.extend(observables.iter().flat_map(|o| dimensions(&o.before).into_iter().chain(dimensions(&o.after))));
        while let Some(dimension) = waiting.pop() {
            if !known.insert(dimension) {
                continue;
            }
            let definition = self.definition(dimension);
            // An element of an array that is not written is as good as a variable.
            if !definition.is_exact && !observables.iter().any(|observable| observable.term == dimension) {
                polyhedron.is_exact = false;
            }
            for row in definition.rows {
                waiting.extend(dimensions(&row.linear));
                add(&mut polyhedron, row.linear, row.is_equation);
            }
        }
        Some(polyhedron)
    }

    fn truth_value(&self, symbol: Symbol) -> Linear {
        self.terms.linear(integer_of(self.terms, symbol).expect("a truth value is an integer"))
    }

    /// What is known of a dimension by what it is; exact if that is all there is to know.
    fn definition(&self, dimension: Term) -> Polyhedron {
        let terms = self.terms;
        let between = |low: BigInt, high: BigInt| {
            let this = Linear::of_atomic(dimension);
            vec![
                ConstraintRow { linear: this.subtract(&Linear::constant_of(low)), is_equation: false },
                ConstraintRow { linear: Linear::constant_of(high).subtract(&this), is_equation: false },
            ]
        };
        match terms.node(dimension) {
            Node::Variable(_) => Polyhedron { rows: Vec::new(), is_exact: true },
            Node::Ite(condition, one, other) => {
                let is_truth_value = matches!(terms.node(condition), Node::Variable(_))
                    && terms.as_integer(one).is_some_and(|one| one.is_one())
                    && terms.as_integer(other).is_some_and(|other| other.is_zero());
                // A choice between two values that always differ by the same amount lies between them.
                let (one, other) = (terms.linear(one), terms.linear(other));
                let difference = one.subtract(&other);
                let mut rows = Vec::new();
                if difference.is_constant() {
                    let this = Linear::of_atomic(dimension);
                    let (low, high) = if *difference.constant() < BigInt::zero() { (one, other) } else { (other, one) };
                    rows.push(ConstraintRow { linear: this.subtract(&low), is_equation: false });
                    rows.push(ConstraintRow { linear: high.subtract(&this), is_equation: false });
                }
                Polyhedron { rows, is_exact: is_truth_value }
            }
            Node::Div(dividend, divisor) | Node::Modulo(dividend, divisor) => {
                let Some(by) = terms.as_integer(divisor).filter(|divisor| !divisor.is_zero()) else {
                    return Polyhedron { rows: Vec::new(), is_exact: false };
                };
                let (quotient, remainder) = (terms.div(dividend, divisor), terms.modulo(dividend, divisor));
                let (quotient, remainder) = (terms.linear(quotient), terms.linear(remainder));
                let definition = terms.linear(dividend).subtract(&quotient.scale(&by)).subtract(&remainder);
                let most = if *by < BigInt::zero() { -&*by } else { (*by).clone() } - BigInt::one();
                let mut rows = vec![
                    ConstraintRow { linear: remainder.clone(), is_equation: false },
                    ConstraintRow { linear: Linear::constant_of(most).subtract(&remainder), is_equation: false },
                ];
                if !definition.is_constant() {
                    rows.push(ConstraintRow { linear: definition, is_equation: true });
                }
                rows.retain(|row| !row.linear.is_constant());
                Polyhedron { rows, is_exact: true }
            }
            Node::BitsToInt(bits) => match terms.sort(bits) {
                Sort::BitVector(width) => Polyhedron {
                    rows: between(BigInt::zero(), (BigInt::one() << width) - BigInt::one()),
                    is_exact: false,
                },
                _ => Polyhedron { rows: Vec::new(), is_exact: false },
            },
            Node::Multiply(left, right) if left == right => Polyhedron {
                rows: vec![ConstraintRow { linear: Linear::of_atomic(dimension), is_equation: false }],
                is_exact: false,
            },
            _ => Polyhedron { rows: Vec::new(), is_exact: false },
        }
    }
}

/// The dimensions of a linear form.
pub fn dimensions(linear: &Linear) -> Vec<Term> {
    linear.variables().collect()
}
