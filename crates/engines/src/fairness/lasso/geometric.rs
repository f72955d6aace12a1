//! Geometric arguments for non-termination (Leike and Heizmann, TACAS 2018).
//!
//! Let `A·z + b ≥ 0` be a polyhedron of the cycle that is exact, z the variables before an iteration with its inputs
//! and the quotients and remainders in it, and let the variables after the iteration be `U·z + u`. Sought are a point
//! z₀ that the stem reaches and rays y₁ … y_n with `A·z₀ + b ≥ 0`, `U·z₀ + u = x₀ + Σ y_i` and, for each ray, `A·y_i ≥
//! 0` and
//! `U·y_i = λ_i·y_i + ν_i·y_{i+1}` on the variables. Then iteration t is at z₀ plus non-negative combinations of rays,
//! so it stays in the polyhedron. Everything is integer: so are all states. The λ are guessed (0, 1, 2 and the
//! coefficients of the updates), which makes the question linear; the solver chooses among the guesses.
//!
//! The rows hold by the solver's model; that the polyhedron implies the cycle's relation is asked of the solver once
//! more.

use std::collections::{BTreeMap, BTreeSet};

use foundation::{Budget, Exhausted};
use logic::{Linear, Sort, Symbol, Term, Terms, Value};
use num_bigint::BigInt;
use num_traits::{One, Zero};
use smt::{Model, Solver};

use super::divergence::{Divergent, Diverges, Geometric, NonTermination, entered};
use super::execution::Unrolling;
use super::polyhedra::{Polyhedra, Polyhedron, dimensions, integer_of, is_unsatisfiable, relevant};
use crate::encode::step::Transition;

/// The most rays.
const MOST_RAYS: usize = 3;
/// No more polyhedra than this are tried.
const MOST_POLYHEDRA: usize = 8;
/// No factor larger than this is guessed.
const LARGEST_FACTOR: u32 = 16;

/// A cycle as polyhedra that are exact.
pub struct Cycle<'a> {
    terms: &'a Terms,
    cycle: &'a Transition,
    paths: Polyhedra,
    wanted: BTreeSet<Symbol>,
}

impl<'a> Cycle<'a> {
    /// The polyhedra of a cycle.
    pub fn new(
        terms: &'a Terms,
        solver: &mut dyn Solver,
        cycle: &'a Transition,
        budget: &Budget,
    ) -> Result<Self, Exhausted> {
        let wanted = relevant(terms, cycle);
        let mut paths = Polyhedra::of(terms, solver, cycle, terms.truth(true), &wanted, budget)?;
        paths.polyhedra.retain(|polyhedron| polyhedron.is_exact);
        paths.polyhedra.truncate(MOST_POLYHEDRA);
        Ok(Self { terms, cycle, paths, wanted })
    }

    /// Looks for a geometric argument that begins where the cycle is entered.
    pub fn find(&self, solver: &mut dyn Solver, entry: &Unrolling<'_>, known: Term, budget: &Budget) -> Diverges {
        for count in 1..=MOST_RAYS {
            for polyhedron in &self.paths.polyhedra {
                budget.check()?;
                let attempt = GeometricAttempt { terms: self.terms, all: self, entry, known, polyhedron };
                if let Some(found) = attempt.with_rays(solver, count) {
                    return Ok(Some(found));
                }
            }
        }
        Ok(None)
    }
}

struct GeometricAttempt<'a> {
    terms: &'a Terms,
    all: &'a Cycle<'a>,
    entry: &'a Unrolling<'a>,
    known: Term,
    polyhedron: &'a Polyhedron,
}

/// A vector over the dimensions whose entries are symbols.
type Vector = BTreeMap<Term, Symbol>;

impl GeometricAttempt<'_> {
    fn with_rays(&self, solver: &mut dyn Solver, count: usize) -> Option<NonTermination> {
        let terms = self.terms;
        let point = self.vector("point");
        let rays: Vec<Vector> = (0..count).map(|_| self.vector("ray")).collect();
        let factors: Vec<Symbol> = (0..count).map(|_| terms.symbol("factor", Sort::Int)).collect();
        let couplings: Vec<Symbol> = (0..count).map(|_| terms.symbol("coupling", Sort::Bool)).collect();
        let zero = terms.integer(0);
        let mut conditions = vec![self.entry.guard, self.entry.finally(self.known)];
        for row in &self.polyhedron.rows {
            let values = std::iter::once(self.at(&point, &row.linear, true));
            for value in values.chain(rays.iter().map(|ray| self.at(ray, &row.linear, false))) {
                conditions.push(if row.is_equation { terms.equal(value, zero) } else { terms.less_equal(zero, value) });
            }
        }
        for observable in &self.all.paths.observables {
            let before = self.at(&point, &observable.before, true);
            conditions.push(terms.equal(before, self.entry.finally(observable.term)));
            let moved = rays.iter().map(|ray| self.at(ray, &observable.before, false));
            let moved = terms.add(std::iter::once(before).chain(moved));
            conditions.push(terms.equal(self.at(&point, &observable.after, true), moved));
        }
        for (index, ray) in rays.iter().enumerate() {
            let next = rays.get(index + 1);
            conditions.push(self.image(ray, next, factors[index], couplings[index]));
        }
        let argument = |model: &Model| Divergent::Geometric(self.read(model, &point, &rays, &factors, &couplings));
        let found = entered(terms, solver, self.entry, self.entry.iterations(), terms.and(conditions), argument)?;
        (found.runs(terms, self.entry.lasso) && self.is_contained(solver)).then_some(found)
    }

    /// That the cycle takes a ray to a guessed multiple of itself, plus the next ray or not.
    fn image(&self, ray: &Vector, next: Option<&Vector>, factor: Symbol, coupling: Symbol) -> Term {
        let terms = self.terms;
        let mut choices = Vec::new();
        for guess in self.guesses() {
            for is_coupled in [false, true] {
                let next = match (is_coupled, next) {
                    (true, None) => continue,
                    (true, Some(next)) => Some(next),
                    (false, _) => None,
                };
                let mut choice = vec![terms.equal(terms.variable(factor), terms.integer(guess.clone()))];
                choice.push(terms.iff(terms.variable(coupling), terms.truth(is_coupled)));
                for observable in &self.all.paths.observables {
                    let mut image = terms.scale(guess.clone(), self.at(ray, &observable.before, false));
                    if let Some(next) = next {
                        image = terms.add([image, self.at(next, &observable.before, false)]);
                    }
                    choice.push(terms.equal(self.at(ray, &observable.after, false), image));
                }
                choices.push(terms.and(choice));
            }
        }
        terms.or(choices)
    }

    /// Factors that are worth a try.
    fn guesses(&self) -> BTreeSet<BigInt> {
        let mut guesses: BTreeSet<BigInt> = (0..3).map(BigInt::from).collect();
        let largest = BigInt::from(LARGEST_FACTOR);
        for observable in &self.all.paths.observables {
            let coefficients = observable.after.terms().iter().map(|(coefficient, _)| coefficient);
            guesses.extend(coefficients.filter(|c| **c > BigInt::zero() && **c <= largest).cloned());
        }
        guesses
    }

    fn vector(&self, name: &str) -> Vector {
        let mut all: BTreeSet<Term> = self.polyhedron.rows.iter().flat_map(|row| dimensions(&row.linear)).collect();
        for observable in &self.all.paths.observables {
            all.extend(dimensions(&observable.before));
            all.extend(dimensions(&observable.after));
        }
        all.into_iter().map(|dimension| (dimension, self.terms.symbol(name, Sort::Int))).collect()
    }

    /// The value of a linear form at a vector, with its constant or without.
    fn at(&self, vector: &Vector, linear: &Linear, is_point: bool) -> Term {
        let constant = if is_point { linear.constant().clone() } else { BigInt::zero() };
        let summands = linear
            .terms()
            .iter()
            .map(|(coefficient, dimension)| (coefficient.clone(), self.terms.variable(vector[dimension])));
        self.terms.from_linear(&Linear::from_terms(summands, constant))
    }

    fn read(
        &self,
        model: &Model,
        point: &Vector,
        rays: &[Vector],
        factors: &[Symbol],
        couplings: &[Symbol],
    ) -> Geometric {
        let terms = self.terms;
        let number = |symbol: Symbol| match model.value(symbol) {
            Some(Value::Int(value)) => value,
            _ => BigInt::zero(),
        };
        let entries = |vector: &Vector, symbols: &BTreeSet<Symbol>| -> BTreeMap<Symbol, BigInt> {
            let entry = |&symbol: &Symbol| Some((symbol, number(*vector.get(&integer_of(terms, symbol)?)?)));
            symbols.iter().filter_map(entry).collect()
        };
        let is_moving = |vector: BTreeMap<Symbol, BigInt>| -> BTreeMap<Symbol, BigInt> {
            vector.into_iter().filter(|(_, amount)| !amount.is_zero()).collect()
        };
        let inputs = &self.all.cycle.inputs;
        let value = |(symbol, value): (Symbol, BigInt)| {
            let is_truth_value = terms.sort_of_symbol(symbol) == Sort::Bool;
            (symbol, if is_truth_value { Value::Bool(value.is_one()) } else { Value::Int(value) })
        };
        let mut couplings: Vec<bool> =
            couplings.iter().map(|&symbol| model.value(symbol) == Some(Value::Bool(true))).collect();
        if let Some(last) = couplings.last_mut() {
            *last = false;
        }
        Geometric {
            inputs: entries(point, inputs).into_iter().map(value).collect(),
            rays: rays.iter().map(|ray| is_moving(entries(ray, &self.all.wanted))).collect(),
            input_rays: rays.iter().map(|ray| is_moving(entries(ray, inputs))).collect(),
            factors: factors.iter().map(|&symbol| number(symbol)).collect(),
            couplings,
        }
    }

    /// Whether the polyhedron implies the relation of the cycle.
    fn is_contained(&self, solver: &mut dyn Solver) -> bool {
        let terms = self.terms;
        let cycle = self.all.cycle;
        let zero = terms.integer(0);
        let rows = self.polyhedron.rows.iter().map(|row| {
            let value = terms.from_linear(&row.linear);
            if row.is_equation { terms.equal(value, zero) } else { terms.less_equal(zero, value) }
        });
        let updates =
            self.all.paths.observables.iter().map(|observable| {
                terms.equal(cycle.after(terms, observable.term), terms.from_linear(&observable.after))
            });
        let relation = terms.and(updates.chain([cycle.guard]));
        is_unsatisfiable(solver, terms.and(rows.chain([terms.not(relation)])))
    }
}
