//! Random queries over few numbers: bit-vectors have a model exactly if one of all possible values is one.

use foundation::{Budget, SplitMix64};
use logic::{BitOperation, Sort, Terms};
use num_bigint::BigInt;
use num_traits::Zero;

use super::*;
use crate::Solver;

const LEAST: i64 = -2;
const MOST: i64 = 3;

struct Random<'t> {
    terms: &'t Terms,
    numbers: SplitMix64,
    variables: Vec<Term>,
}

impl Random<'_> {
    fn below(&mut self, end: u64) -> u64 {
        self.numbers.bits() % end
    }

    fn number(&mut self, depth: u32) -> Term {
        let terms = self.terms;
        if depth == 0 || self.below(5) == 0 {
            return match self.below(3) {
                0 => terms.integer(self.below(19) as i64 - 9),
                _ => self.variables[self.numbers.bits() as usize % self.variables.len()],
            };
        }
        let left = self.number(depth - 1);
        match self.below(9) {
            0 => terms.add([left, self.number(depth - 1)]),
            1 => terms.subtract(left, self.number(depth - 1)),
            2 => terms.scale(BigInt::from(self.below(9) as i64 - 4), left),
            3 => terms.multiply(left, self.number(depth - 1)),
            4 => terms.ite(self.truth(depth - 1), left, self.number(depth - 1)),
            5 => terms.div(left, terms.integer([-8, -3, 2, 3, 4, 7][self.below(6) as usize])),
            6 => terms.modulo(left, terms.integer([-8, -3, 2, 3, 4, 7][self.below(6) as usize])),
            _ => {
                let width = 2 + self.below(5) as u32;
                let other = self.number(depth - 1);
                let operations = [
                    BitOperation::And,
                    BitOperation::Or,
                    BitOperation::Xor,
                    BitOperation::ShiftLeft,
                    BitOperation::LogicalShiftRight,
                    BitOperation::ArithmeticShiftRight,
                ];
                let operation = operations[self.below(6) as usize];
                let operands = [left, other].map(|operand| terms.int_to_bits(width, operand));
                terms.bits_to_int(terms.bits(operation, &operands))
            }
        }
    }

    fn truth(&mut self, depth: u32) -> Term {
        let terms = self.terms;
        let (left, right) = (self.number(depth), self.number(depth));
        match self.below(5) {
            0 => terms.equal(left, right),
            1 => terms.distinct(left, right),
            2 if depth > 0 => terms.or([self.truth(depth - 1), self.truth(depth - 1)]),
            3 => terms.less_equal(left, right),
            _ => terms.less(left, right),
        }
    }
}

/// Whether bit-vectors have a model, which then is one over the integers, too.
fn has_model(terms: &Terms, formulas: &[Term], symbols: &[Symbol]) -> bool {
    let all = terms.and(formulas.iter().copied());
    let finite = Finite::new(terms, propagated(terms, formulas));
    let solver = z3::Solver::new_for_logic("QF_BV").expect("there is such a logic");
    assert!(finite.rest.is_empty(), "everything has bounds");
    finite.members.iter().map(|(_, member)| member).chain(&finite.bounds).for_each(|formula| solver.assert(formula));
    match solver.check() {
        SatResult::Sat => {
            let model = solver.get_model().expect("it has one");
            let value = |term: &Dynamic| model.eval(term, true).and_then(|value| value_of(&value));
            let values =
                finite.symbols().iter().filter_map(|(symbol, term)| Some((*symbol, finite.number(value(term)?))));
            let unused = symbols.iter().map(|symbol| (*symbol, Value::Int(BigInt::zero())));
            assert!(
                Model::new(unused.chain(finite.constants.clone()).chain(values)).satisfies(terms, all),
                "{}",
                terms.display(all)
            );
            true
        }
        answer => {
            assert_eq!(answer, SatResult::Unsat);
            false
        }
    }
}

#[test]
fn bit_vectors_have_a_model_exactly_if_the_integers_have_one() {
    let terms = Terms::new();
    let symbols = ["x", "y", "z"].map(|name| terms.symbol(name, Sort::Int));
    let [x, y, z] = symbols.map(|symbol| terms.variable(symbol));
    let mut random = Random { terms: &terms, numbers: SplitMix64::new(7), variables: vec![x, y, z] };
    let bounds = [x, y]
        .map(|number| {
            let (least, most) = (terms.integer(LEAST), terms.integer(MOST));
            terms.and([terms.less_equal(least, number), terms.less_equal(number, most)])
        })
        .to_vec();
    let mut answers = [0, 0];
    for _ in 0..400 {
        // What bounds the third number has follows from the others.
        let mut sum = |factor: i64| {
            let [one, two, three] = [5, 5, 7].map(|end| random.below(end) as i64 - 2);
            let factors = [(one, x), (two, y), (factor, z)];
            let summands = factors.map(|(factor, number)| terms.scale(BigInt::from(factor), number));
            terms.add(summands.into_iter().chain([terms.integer(three)]))
        };
        let zero = terms.integer(0);
        let relation = match answers[0] % 3 {
            0 => terms.equal(sum(-2), zero),
            1 => terms.equal(sum(3), zero),
            _ => terms.and([terms.less_equal(sum(-1), zero), terms.less_equal(sum(2), zero)]),
        };
        if terms.as_truth(relation).is_some() {
            continue;
        }
        let formulas: Vec<Term> = (0..2).map(|_| random.truth(2)).chain(bounds.clone()).chain([relation]).collect();
        let all = terms.and(formulas.iter().copied());
        let range = || LEAST..=MOST;
        let expected = range().any(|x| {
            range().any(|y| {
                (-20..=20).any(|z: i64| {
                    let at = |symbol: Symbol| symbols.iter().position(|other| *other == symbol);
                    let value = |symbol: Symbol| Some(Value::Int([x, y, z][at(symbol)?].into()));
                    terms.holds(all, &value) == Some(true)
                })
            })
        });
        assert_eq!(has_model(&terms, &formulas, &symbols), expected, "{}", terms.display(all));
        answers[usize::from(expected)] += 1;
    }
    assert!(answers.iter().all(|&count| count > 20), "{answers:?}");
}

#[test]
fn what_has_no_bounds_is_left_to_arithmetic() {
    let terms = Terms::new();
    let [x, y] = ["x", "y"].map(|name| terms.variable(terms.symbol(name, Sort::Int)));
    let at_most = |left, right| terms.less_equal(left, right);
    let number = |value: i64| terms.integer(value);
    let rest = |formulas: &[Term]| Finite::new(&terms, propagated(&terms, formulas)).rest;
    let half_bounded = [at_most(number(0), x)];
    assert_eq!(rest(&half_bounded), half_bounded);
    // A bound of one is a bound of the other.
    let bounded = [at_most(number(0), x), at_most(x, number(9)), terms.equal(y, terms.add([x, x]))];
    assert_eq!(rest(&bounded), []);
    // What division by zero yields is not said.
    let divided = at_most(terms.div(y, x), number(3));
    assert_eq!(rest(&[&bounded[..], &[divided]].concat()), [divided]);
    let not_zero = at_most(number(1), x);
    assert_eq!(rest(&[&[not_zero], &bounded[1..], &[divided]].concat()), []);
}

/// Cut to a width, the two arrays might be equal at the only index that is left.
#[test]
fn different_arrays_are_left_to_arithmetic() {
    let terms = Terms::new();
    let sort = Sort::Array(Sort::Int.into(), Sort::Int.into());
    let [a, b] = ["a", "b"].map(|name| terms.variable(terms.symbol(name, sort.clone())));
    assert!(Finite::new(&terms, propagated(&terms, &[terms.equal(a, b)])).rest.is_empty());
    assert_eq!(Finite::new(&terms, propagated(&terms, &[terms.distinct(a, b)])).rest.len(), 1);
}

/// What is known of symbols without bounds, and of their values, is found with the help of arithmetic, or not at all.
#[test]
fn a_query_with_bits_and_without_bounds_is_answered() {
    let terms = Terms::new();
    let [x, y, z] = ["x", "y", "z"].map(|name| terms.variable(terms.symbol(name, Sort::Int)));
    let number = |value: i64| terms.integer(value);
    let bits = |operation, left, right| {
        terms.bits_to_int(terms.bits(operation, &[left, right].map(|term| terms.int_to_bits(16, term))))
    };
    let both = bits(BitOperation::And, x, y);
    let range = |term| terms.and([terms.less_equal(number(0), term), terms.less_equal(term, number(60_000))]);
    let mut solver = Z3::new(&terms, &Budget::unlimited());
    let formulas = [range(x), range(y), terms.less(both, terms.multiply(z, z)), terms.less(x, both)];
    formulas.iter().for_each(|formula| solver.assert(*formula));
    assert!(solver.check(&[]).is_unsatisfiable());
    let mut solver = Z3::new(&terms, &Budget::unlimited());
    let formulas = [range(x), range(y), terms.less(both, z), terms.equal(both, number(4321)), terms.distinct(x, y)];
    formulas.iter().for_each(|formula| solver.assert(*formula));
    assert!(solver.check(&[]).is_satisfiable());
    assert!(solver.model().satisfies(&terms, terms.and(formulas)));
}

/// The index of one formula has no bounds, so that it is left to arithmetic, which does not know what the other says of
/// the array.
#[test]
fn values_of_arrays_from_two_solvers_are_no_model_unless_they_fit() {
    let terms = Terms::new();
    let array = terms.variable(terms.symbol("a", Sort::Array(Sort::Int.into(), Sort::Int.into())));
    let [x, y] = ["x", "y"].map(|name| terms.variable(terms.symbol(name, Sort::Int)));
    let number = |value: i64| terms.integer(value);
    let at = |index| terms.select(array, index);
    let low = terms.bits_to_int(terms.bv_and(terms.int_to_bits(8, x), terms.int_to_bits(8, at(x))));
    let between = |term, most| terms.and([terms.less_equal(number(0), term), terms.less_equal(term, number(most))]);
    let squared = terms.multiply(y, y);
    for is_possible in [false, true] {
        let mut solver = Z3::new(&terms, &Budget::unlimited());
        let last = terms.equal(at(squared), number(if is_possible { 9 } else { 8 }));
        let same = terms.equal(squared, x);
        let formulas = [between(x, 9), between(at(x), 9), terms.equal(low, number(9)), same, last];
        formulas.iter().for_each(|formula| solver.assert(*formula));
        // Asked directly, since arithmetic alone would know.
        match solver.ask_as_bits(None) {
            SatResult::Sat => {
                let Some(BitAnswer::Model(model)) = &solver.found else { panic!("a model") };
                assert!(is_possible && model.satisfies(&terms, terms.and(formulas)));
            }
            answer => assert!(!is_possible || answer == SatResult::Unknown),
        }
    }
}
