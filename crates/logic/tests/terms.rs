//! Constructors and transformations keep the values of terms, and terms are in normal form.

mod expressions;
mod spelling;

use expressions::{Fragment, INTEGERS, Variables, truth, world};
use foundation::collections::HashMap;
use logic::{Linear, Node, Sort, Term, Terms, Value};
use num_bigint::BigInt;
use proptest::prelude::*;

fn check_normal_form(terms: &Terms, term: Term) {
    for part in terms.subterms(&[term]) {
        let shown = terms.display(part);
        let is_primitive = |linear: &Linear| {
            let is_atomic = |term: Term| !matches!(terms.node(term), Node::Linear(_) | Node::Integer(_));
            let is_sorted = linear.terms().windows(2).all(|pair| pair[0].1 < pair[1].1);
            is_sorted && linear.variables().len() > 0 && linear.variables().all(is_atomic)
        };
        match terms.node(part) {
            Node::And(list) | Node::Or(list) => {
                assert!(list.len() > 1 && list.windows(2).all(|pair| pair[0] < pair[1]), "{shown}");
                let is_same = |member: &Term| {
                    matches!(terms.node(*member), Node::Truth(_))
                        || std::mem::discriminant(&terms.node(*member)) == std::mem::discriminant(&terms.node(part))
                };
                assert!(!list.iter().any(is_same), "{shown}");
                assert!(!list.iter().any(|member| list.contains(&terms.not(*member))), "{shown}");
            }
            Node::Not(inner) => {
                assert!(!matches!(terms.node(inner), Node::Not(_) | Node::AtMostZero(_) | Node::Truth(_)), "{shown}");
            }
            Node::Linear(linear) => assert!(is_primitive(&linear), "{shown}"),
            Node::AtMostZero(linear) | Node::Zero(linear) => {
                assert!(is_primitive(&linear) && linear.content() == BigInt::from(1), "{shown}");
            }
            Node::Equal(left, _) => assert_ne!(terms.sort(left), Sort::Int, "{shown}"),
            _ => {}
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn constructors_keep_values(expression in truth(4, Fragment::All), world in world()) {
        let terms = Terms::new();
        let variables = Variables::new(&terms);
        let term = variables.truth(&terms, &expression);
        prop_assert_eq!(variables.truth(&terms, &expression), term);
        check_normal_form(&terms, term);
        let value = |symbol| variables.value(&world, symbol);
        if let Some(expected) = world.truth(&expression) {
            prop_assert_eq!(terms.holds(term, &value), Some(expected), "{}", terms.display(term));
            prop_assert_eq!(terms.holds(terms.not(term), &value), Some(!expected));
        }
    }

    #[test]
    fn members_make_up_the_whole(expression in truth(3, Fragment::All), world in world()) {
        let terms = Terms::new();
        let variables = Variables::new(&terms);
        let term = variables.truth(&terms, &expression);
        let value = |symbol| variables.value(&world, symbol);
        if let Some(expected) = world.truth(&expression) {
            prop_assert_eq!(terms.holds(terms.and(terms.conjuncts(term)), &value), Some(expected));
            prop_assert_eq!(terms.holds(terms.or(terms.disjuncts(term)), &value), Some(expected));
        }
    }

    #[test]
    fn substitution_is_evaluation(body in truth(3, Fragment::All), by in truth(2, Fragment::Linear), world in world()) {
        let terms = Terms::new();
        let variables = Variables::new(&terms);
        let (body_term, by_term) = (variables.truth(&terms, &body), variables.truth(&terms, &by));
        let x = |at: usize| terms.variable(variables.integers[at]);
        let new_integer = terms.add([x(1), x(2), terms.integer(1)]);
        let replacements = HashMap::from_iter([(variables.truths[0], by_term), (variables.integers[0], new_integer)]);
        let value = |symbol| variables.value(&world, symbol);
        let replaced = |symbol| match replacements.get(&symbol) {
            Some(term) => terms.evaluate(*term, &value),
            None => value(symbol),
        };
        let result = terms.substitute(body_term, &replacements);
        check_normal_form(&terms, result);
        // Normalisation may give a value to what had none for a division by zero, but never another value.
        if let Some(expected) = terms.evaluate(body_term, &replaced) {
            prop_assert_eq!(terms.evaluate(result, &value), Some(expected));
        }
        for symbol in [variables.truths[0], variables.integers[0]] {
            let is_back = replacements.values().any(|term| terms.symbols(*term).contains(&symbol));
            prop_assert!(is_back || !terms.symbols(result).contains(&symbol));
        }
    }

    #[test]
    fn disjunctive_normal_forms_are_equivalent(expression in truth(3, Fragment::All), world in world()) {
        let terms = Terms::new();
        let variables = Variables::new(&terms);
        let term = variables.truth(&terms, &expression);
        let Some(cubes) = terms.disjunctive_normal_form(term, 64) else { return Ok(()) };
        for literal in cubes.iter().flatten() {
            let is_literal = match terms.node(*literal) {
                Node::And(_) | Node::Or(_) | Node::Truth(_) => false,
                Node::Equal(left, _) => terms.sort(left) != Sort::Bool,
                Node::Not(inner) => !matches!(terms.node(inner), Node::And(_) | Node::Or(_) | Node::Zero(_)),
                _ => true,
            };
            prop_assert!(is_literal, "{}", terms.display(*literal));
            let branches = |part: &Term| matches!(terms.node(*part), Node::Ite(..));
            prop_assert!(!terms.subterms(&[*literal]).iter().any(branches));
        }
        let value = |symbol| variables.value(&world, symbol);
        if let Some(expected) = world.truth(&expression) {
            let found = cubes.iter().any(|cube| terms.holds(terms.and(cube.iter().copied()), &value) == Some(true));
            prop_assert_eq!(found, expected, "{}", terms.display(term));
        }
    }
}

#[test]
fn bounds_are_joined() {
    let terms = Terms::new();
    let x = terms.fresh("x", Sort::Int);
    let number = |value: i64| terms.integer(value);
    let at_most = |value| terms.less_equal(x, number(value));
    let at_least = |value| terms.less_equal(number(value), x);
    let is = |value| terms.equal(x, number(value));
    let is_not = |value| terms.distinct(x, number(value));
    for (left, right) in [
        (terms.and([at_most(3), at_most(5)]), at_most(3)),
        (terms.and([at_most(3), at_least(3)]), is(3)),
        (terms.and([at_most(3), is_not(3)]), at_most(2)),
        (terms.and([at_most(3), is_not(5)]), at_most(3)),
        (terms.and([at_most(3), at_least(4)]), terms.truth(false)),
        (terms.and([is(3), is(4)]), terms.truth(false)),
        (terms.and([is(3), at_most(4)]), is(3)),
        (terms.or([at_most(3), at_most(5)]), at_most(5)),
        (terms.or([at_most(3), at_least(4)]), terms.truth(true)),
        (terms.or([at_most(3), at_least(5)]), is_not(4)),
        (terms.or([at_most(3), is(4)]), at_most(4)),
        (terms.or([is_not(3), is_not(4)]), terms.truth(true)),
        (terms.not(at_most(3)), at_least(4)),
    ] {
        assert_eq!(left, right, "{} and {}", terms.display(left), terms.display(right));
    }
}

#[test]
fn comparisons_of_integers_are_divided_by_what_their_coefficients_share() {
    let terms = Terms::new();
    let (x, y) = (terms.fresh("x", Sort::Int), terms.fresh("y", Sort::Int));
    let scale = |factor: i64, term| terms.scale(factor.into(), term);
    assert_eq!(terms.less_equal(scale(2, x), terms.integer(5)), terms.less_equal(x, terms.integer(2)));
    assert_eq!(terms.less_equal(terms.integer(-5), scale(2, x)), terms.less_equal(terms.integer(-2), x));
    assert_eq!(terms.equal(scale(2, x), terms.add([scale(4, y), terms.integer(1)])), terms.truth(false));
    assert_eq!(terms.equal(scale(-2, x), scale(4, y)), terms.equal(terms.negate(scale(2, y)), x));
}

#[test]
fn comparisons_of_c_are_the_conditions_they_came_from() {
    let terms = Terms::new();
    let (x, y) = (terms.fresh("x", Sort::Int), terms.fresh("y", Sort::Int));
    let condition = terms.less(x, y);
    let number = terms.ite(condition, terms.integer(1), terms.integer(0));
    assert_eq!(terms.distinct(number, terms.integer(0)), condition);
    assert_eq!(terms.equal(number, terms.integer(0)), terms.not(condition));
    assert_eq!(terms.equal(number, terms.integer(2)), terms.truth(false));
}

#[test]
fn wrapped_numbers_are_wrapped_once() {
    let terms = Terms::new();
    let (x, y) = (terms.fresh("x", Sort::Int), terms.fresh("y", Sort::Int));
    let wrap = |term| terms.modulo(term, terms.integer(256));
    assert_eq!(wrap(terms.add([wrap(x), y])), wrap(terms.add([x, y])));
    assert_eq!(wrap(terms.add([terms.scale(256.into(), x), terms.integer(-1)])), terms.integer(255));
    assert_eq!(terms.bits_to_int(terms.int_to_bits(8, x)), wrap(x));
}

#[test]
fn terms_are_shown_as_people_write_them() {
    let terms = Terms::new();
    let integer = |name: &str| terms.fresh(name, Sort::Int);
    let (x, y, again) = (integer("x"), integer("y"), integer("x"));
    let (a, b) = (terms.fresh("a", Sort::Bool), terms.fresh("b", Sort::Bool));
    let array = terms.fresh("m", Sort::array(Sort::Int, Sort::Int));
    let sum = terms.add([x, terms.scale(2.into(), y)]);
    let at_most = terms.less_equal(sum, terms.integer(3));
    for (term, shown, smt_lib) in [
        (terms.and([terms.or([a, b]), at_most]), "x + 2*y <= 3 && (a || b)", "(and (<= (+ $x (* 2 $y)) 3) (or $a $b))"),
        (terms.less(x, y), "x < y", "(<= (+ $x (* (- 1) $y)) (- 1))"),
        (terms.not(at_most), "x + 2*y >= 4", "(<= (+ (* (- 1) $x) (* (- 2) $y)) (- 4))"),
        (
            terms.distinct(x, terms.add([again, terms.integer(-4)])),
            "x + 4 != x!1",
            "(not (= (+ $x (* (- 1) $x!1)) (- 4)))",
        ),
        (terms.not(terms.and([a, b])), "!(a && b)", "(not (and $a $b))"),
        (terms.multiply(x, terms.add([y, terms.integer(-1)])), "-x + x*y", "(+ (* (- 1) $x) (* $x $y))"),
        (terms.select(array, terms.subtract(x, y)), "m[x - y]", "(select $m (+ $x (* (- 1) $y)))"),
        (terms.modulo(x, terms.integer(8)), "mod(x, 8)", "(mod $x 8)"),
    ] {
        assert_eq!(terms.smt_lib(term), smt_lib);
        assert_eq!(terms.display(term), shown);
    }
    let odd = terms.symbol("a b|c", Sort::Bool);
    assert_eq!(terms.declarations(terms.variable(odd)), "(declare-const |$a b_c| Bool)\n");
    assert_eq!(terms.name(odd), "a b|c");
}

#[test]
fn deep_terms_overflow_no_stack() {
    let terms = Terms::new();
    let x = terms.symbol("x", Sort::Int);
    let mut number = terms.variable(x);
    let mut truth = terms.fresh("p", Sort::Bool);
    for at in 0..50_000 {
        let p = terms.fresh("p", Sort::Bool);
        truth = if at % 2 == 0 { terms.and([truth, p]) } else { terms.or([truth, p]) };
        number = terms.ite(truth, number, terms.add([number, terms.integer(1)]));
    }
    let whole = terms.equal(number, terms.integer(7));
    let one = |symbol| Some(if symbol == x { Value::Int(7.into()) } else { Value::Bool(true) });
    assert_eq!(terms.holds(whole, &one), Some(true));
    assert!(terms.smt_lib(whole).len() > 50_000);
    assert!(terms.display(whole).ends_with('…'));
    assert_eq!(terms.disjunctive_normal_form(truth, 16), None);
    let moved = terms.substitute(whole, &HashMap::from_iter([(x, terms.add([terms.variable(x), terms.integer(1)]))]));
    assert_eq!(terms.holds(moved, &one), Some(false));
    let mut chain = terms.integer(0);
    for at in 0..2_000i64 {
        chain = terms.ite(terms.fresh("c", Sort::Bool), terms.integer(at), chain);
    }
    assert_eq!(terms.symbols(terms.less(chain, terms.integer(3))).len(), 1_997);
}

#[test]
fn numbers_of_all_small_worlds_agree_on_linear_forms() {
    let terms = Terms::new();
    let variables: Vec<Term> = (0..INTEGERS).map(|_| terms.fresh("x", Sort::Int)).collect();
    let form = |coefficients: [i64; 3], constant: i64| {
        let summands = coefficients.iter().zip(&variables).map(|(factor, term)| (BigInt::from(*factor), *term));
        Linear::from_terms(summands, constant.into())
    };
    let (left, right) = (form([1, 0, -2], 3), form([-1, 4, 2], 1));
    assert_eq!(left.add(&right), form([0, 4, 0], 4));
    assert_eq!(left.subtract(&left), Linear::zero());
    assert_eq!(left.add_scaled(&2.into(), &right), form([-1, 8, 2], 5));
    assert_eq!(right.add_scaled(&0.into(), &left), right);
    assert_eq!(right.coefficient(variables[1]), 4.into());
    assert_eq!(right.without(variables[1]).coefficient(variables[1]), 0.into());
    assert_eq!(terms.linear(terms.from_linear(&left)), left);
    assert_eq!(form([4, 0, -6], 3).content(), 2.into());
}
