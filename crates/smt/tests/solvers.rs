//! Both back ends against the meaning of terms, and against each other.

#[path = "../../logic/tests/expressions/mod.rs"]
mod expressions;

use std::time::Duration;

use expressions::{Fragment, Variables, truth, world};
use foundation::{Budget, Exhausted};
use logic::{Node, Sort, Symbol, Term, Terms, Value};
use proptest::prelude::*;
use smt::{Cached, Model, Satisfiability, SmtLib, Solver, Z3, bundled_z3, eliminate_by_rules};

/// Whether a division in the term could be by zero: Z3 may choose its value then, and no model shows it.
fn has_open_division(terms: &Terms, term: Term) -> bool {
    let is_zero = |divisor| terms.as_integer(divisor).is_none_or(|value| *value == 0.into());
    terms.subterms(&[term]).into_iter().any(|part| match terms.node(part) {
        Node::Div(_, divisor) | Node::Modulo(_, divisor) => is_zero(divisor),
        _ => false,
    })
}

/// Compares an answer with what is known of the term: models satisfy it, and a world that satisfies it refutes "no".
fn judge(terms: &Terms, term: Term, solver: &mut dyn Solver, is_satisfied: bool) -> Result<(), TestCaseError> {
    solver.push();
    solver.assert(term);
    match solver.check(&[]) {
        Satisfiability::Satisfiable => {
            let model = solver.model();
            prop_assert!(model.satisfies(terms, term), "{model:?} for {}", terms.display(term));
        }
        Satisfiability::Unsatisfiable => prop_assert!(!is_satisfied, "{}", terms.display(term)),
        Satisfiability::Unknown(_) => {}
    }
    solver.pop();
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn models_of_z3_satisfy(expression in truth(4, Fragment::All), world in world()) {
        let terms = Terms::new();
        let variables = Variables::new(&terms);
        let term = variables.truth(&terms, &expression);
        prop_assume!(!has_open_division(&terms, term));
        let mut solver = Z3::new(&terms, &Budget::unlimited());
        solver.set_query_limit(Some(Duration::from_millis(500)));
        judge(&terms, term, &mut solver, world.truth(&expression) == Some(true))?;
        judge(&terms, terms.not(term), &mut solver, world.truth(&expression) == Some(false))?;
    }

    #[test]
    fn cores_are_unsatisfiable(list in prop::collection::vec(truth(2, Fragment::Linear), 1..8)) {
        let terms = Terms::new();
        let variables = Variables::new(&terms);
        let assumptions: Vec<Term> = list.iter().map(|expression| variables.truth(&terms, expression)).collect();
        let mut solver = Z3::new(&terms, &Budget::unlimited());
        let answer = solver.check(&assumptions);
        let core = solver.core();
        prop_assert!(core.iter().all(|term| assumptions.contains(term)));
        if answer.is_unsatisfiable() {
            prop_assert!(solver.check(&core).is_unsatisfiable());
            solver.push();
            core.iter().for_each(|term| solver.assert(*term));
            prop_assert!(solver.check(&[]).is_unsatisfiable());
        } else {
            prop_assert!(core.is_empty() && answer.is_satisfiable());
            prop_assert!(assumptions.iter().all(|term| solver.check(&assumptions).is_satisfiable() && solver.model().satisfies(&terms, *term)));
        }
    }

    #[test]
    fn simplification_keeps_values(expression in truth(3, Fragment::Linear), worlds in prop::collection::vec(world(), 8)) {
        let terms = Terms::new();
        let variables = Variables::new(&terms);
        let term = variables.truth(&terms, &expression);
        let simpler = Z3::new(&terms, &Budget::unlimited()).simplify(term);
        for world in worlds {
            let value = |symbol| variables.value(&world, symbol);
            prop_assert_eq!(terms.holds(simpler, &value), world.truth(&expression));
        }
    }

}

/// `exists x. low <= x <= high and a[x] = y` is a search among few values.
#[test]
fn an_index_of_few_values_is_eliminated_by_cases() {
    let terms = Terms::new();
    let array = terms.symbol("a", Sort::Array(Sort::Int.into(), Sort::Int.into()));
    let [x, y] = ["x", "y"].map(|name| terms.symbol(name, Sort::Int));
    let element = terms.select(terms.variable(array), terms.variable(x));
    for (low, high) in [(0, 3), (-2, 2), (1, 0), (0, 15), (0, 16)] {
        let inside = [
            terms.less_equal(terms.integer(low), terms.variable(x)),
            terms.less_equal(terms.variable(x), terms.integer(high)),
        ];
        let body = terms.and(inside.into_iter().chain([terms.equal(element, terms.variable(y))]));
        let eliminated = eliminate_by_rules(&terms, &[x], body);
        assert_eq!(eliminated.left.is_empty(), high - low < 16, "{low} {high}");
        let held = (-2..20i64).fold(Value::default_of(&terms.sort_of_symbol(array)), |held, at| {
            held.with_element(Value::Int(at.into()), Value::Int((7 * at % 5).into())).unwrap()
        });
        for wanted in -5..6i64 {
            let value = |symbol| Some(if symbol == array { held.clone() } else { Value::Int(wanted.into()) });
            let expected = (low..=high).any(|at| 7 * at % 5 == wanted);
            if eliminated.left.is_empty() {
                assert_eq!(terms.holds(eliminated.done, &value), Some(expected), "{low} {high} {wanted}");
            }
        }
    }
}

/// Links from element to element are followed, and then nothing else is said of the array.
#[test]
fn an_array_whose_elements_are_given_is_eliminated() {
    let terms = Terms::new();
    let array = terms.symbol("a", Sort::Array(Sort::Int.into(), Sort::Int.into()));
    let y = terms.variable(terms.symbol("y", Sort::Int));
    let at = |index: Term| terms.select(terms.variable(array), index);
    let number = |value: i64| terms.integer(value);
    let given = |index, value| terms.equal(at(number(index)), value);
    let links = [given(0, number(2)), given(2, terms.add([y, number(1)])), terms.less(at(at(number(0))), number(7))];
    let two_values = [given(0, y), given(0, number(3))];
    let elsewhere = [given(0, y), terms.equal(at(y), number(3))];
    let another = [given(0, y), terms.less(at(number(5)), number(7))];
    let second = terms.symbol("b", Sort::Array(Sort::Int.into(), Sort::Int.into()));
    let of_second = terms.select(terms.variable(second), number(0));
    let two_arrays = [given(0, of_second), terms.less(at(number(0)), at(number(5)))];
    for (body, expected) in [
        (&links[..], Some("y <= 5")),
        (&links[..2], Some("true")),
        (&two_values, Some("y = 3")),
        (&elsewhere, None),
        (&another, None),
        (&two_arrays, None),
    ] {
        let eliminated = eliminate_by_rules(&terms, &[array, second], terms.and(body.iter().copied()));
        let done = eliminated.left.is_empty().then(|| terms.display(eliminated.done));
        assert_eq!(done.as_deref(), expected, "{}", terms.display(terms.and(body.iter().copied())));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Quantified integers range over enough values to be sure: beyond them no constraint with coefficients and constants
    /// of this size changes any more.
    #[test]
    fn elimination_is_a_search(system in system()) {
        let terms = Terms::new();
        let symbols: Vec<Symbol> = (0..3).map(|_| terms.symbol("x", Sort::Int)).collect();
        let body = system.term(&terms, &symbols);
        let is_free = |term: Term| !terms.symbols(term).contains(&symbols[0]);
        let by_rules = eliminate_by_rules(&terms, &symbols[..1], body);
        prop_assert!(is_free(by_rules.done) && by_rules.left.iter().all(|open| is_free(open.outside)));
        let result = Z3::new(&terms, &Budget::unlimited()).eliminate(&symbols[..1], body);
        let result = result.expect("linear integer arithmetic has elimination");
        prop_assert!(is_free(result));
        for y in -4i64..=4 {
            for z in -4i64..=4 {
                let value = |x: i64| move |at: usize| [x, y, z][at];
                let expected = (-80..=80).any(|x| system.holds(value(x)));
                let at = |symbol: Symbol| symbols.iter().position(|other| *other == symbol).unwrap();
                let found = terms.holds(result, &|symbol| Some(Value::Int(value(0)(at(symbol)).into())));
                prop_assert_eq!(found, Some(expected), "{} gave {}", terms.display(body), terms.display(result));
            }
        }
    }
}

/// A disjunction of conjunctions of `a·x + b·y + c·z + d` related to zero, or to zero modulo a number.
#[derive(Clone, Debug)]
struct System(Vec<Vec<([i64; 3], i64, u8)>>);

fn system() -> impl Strategy<Value = System> {
    let constraint = (prop::array::uniform3(-3i64..4), -6i64..7, 0u8..8);
    let cube = prop::collection::vec(constraint, 1..5);
    prop::collection::vec(cube, 1..3).prop_map(System)
}

impl System {
    fn term(&self, terms: &Terms, symbols: &[Symbol]) -> Term {
        let constraint = |(factors, constant, relation): &([i64; 3], i64, u8)| {
            let scaled = |at: usize| terms.scale(factors[at].into(), terms.variable(symbols[at]));
            let sum = terms.add([scaled(0), scaled(1), scaled(2), terms.integer(*constant)]);
            let zero = terms.integer(0);
            match relation {
                0 => terms.equal(sum, zero),
                1 => terms.distinct(sum, zero),
                2 => terms.equal(terms.modulo(sum, terms.integer(3)), zero),
                _ => terms.less_equal(sum, zero),
            }
        };
        terms.or(self.0.iter().map(|cube| terms.and(cube.iter().map(constraint))))
    }

    fn holds(&self, value: impl Fn(usize) -> i64) -> bool {
        let constraint = |(factors, constant, relation): &([i64; 3], i64, u8)| {
            let sum = constant + (0..3).map(|at| factors[at] * value(at)).sum::<i64>();
            match relation {
                0 => sum == 0,
                1 => sum != 0,
                2 => sum % 3 == 0,
                _ => sum <= 0,
            }
        };
        self.0.iter().any(|cube| cube.iter().all(constraint))
    }
}

fn piped<'t>(terms: &'t Terms, budget: &Budget) -> SmtLib<'t> {
    let program = bundled_z3().expect("the wheel has the program");
    SmtLib::start(terms, budget, &[program.display().to_string(), "-in".to_owned()]).unwrap()
}

#[test]
fn the_pipe_gives_the_same_answers() {
    let terms = Terms::new();
    let variables = Variables::new(&terms);
    let budget = Budget::unlimited();
    let mut linked = Z3::new(&terms, &budget);
    let mut piped = piped(&terms, &budget);
    linked.set_query_limit(Some(Duration::from_secs(2)));
    piped.set_query_limit(Some(Duration::from_secs(2)));
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let strategy = truth(4, Fragment::All);
    let mut decided = [0, 0];
    for _ in 0..300 {
        let expression = strategy.new_tree(&mut runner).unwrap().current();
        let term = variables.truth(&terms, &expression);
        if has_open_division(&terms, term) {
            continue;
        }
        let assumptions = terms.conjuncts(term);
        let (left, right) = (linked.check(&assumptions), piped.check(&assumptions));
        match (&left, &right) {
            (Satisfiability::Unknown(_), _) | (_, Satisfiability::Unknown(_)) => {}
            _ => assert_eq!(left, right, "{}", terms.display(term)),
        }
        if right.is_satisfiable() {
            decided[0] += 1;
            let model = piped.model();
            assert!(model.satisfies(&terms, term), "{model:?} for {}", terms.display(term));
        } else if right.is_unsatisfiable() {
            decided[1] += 1;
            let core = piped.core();
            assert!(core.iter().all(|term| assumptions.contains(term)));
            assert!(piped.check(&core).is_unsatisfiable());
        }
    }
    assert!(decided[0] > 50 && decided[1] > 10, "{decided:?}");
}

/// `x³ + y³ + z³ = 33` with large cubes is out of reach of any solver, but not false.
fn hard(terms: &Terms) -> Term {
    let variables = ["x", "y", "z"].map(|name| terms.fresh(name, Sort::Int));
    let cubes = variables.map(|x| terms.multiply(x, terms.multiply(x, x)));
    let large = terms.greater(terms.multiply(variables[0], variables[0]), terms.integer(100));
    terms.and([terms.equal(terms.add(cubes), terms.integer(33)), large])
}

fn stops(terms: &Terms, budget: &Budget, solver: &mut dyn Solver, reason: &str) {
    // Without a limit it would take for ever.
    let answer = solver.check(&[hard(terms)]);
    assert_eq!(answer, Satisfiability::Unknown(reason.to_owned()));
    assert_eq!(solver.model(), Model::default());
    assert_eq!(budget.check().is_err(), !solver.check(&[terms.truth(true)]).is_satisfiable());
}

fn ended_soon(reason: Exhausted) -> Budget {
    let budget = Budget::unlimited();
    let copy = budget.clone();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        copy.exhaust(reason);
    });
    budget
}

#[test]
fn no_query_outlives_its_budget() {
    let terms = Terms::new();
    for reason in [Exhausted::Cancelled, Exhausted::Memory] {
        let budget = ended_soon(reason);
        stops(&terms, &budget, &mut Z3::new(&terms, &budget), &reason.to_string());
        let budget = ended_soon(reason);
        stops(&terms, &budget, &mut piped(&terms, &budget), &reason.to_string());
    }
    let budget = Budget::unlimited().with_time(Duration::from_millis(100));
    stops(&terms, &budget, &mut Z3::new(&terms, &budget), "time");
    let budget = Budget::unlimited();
    let mut linked = Z3::new(&terms, &budget);
    linked.set_query_limit(Some(Duration::from_millis(100)));
    stops(&terms, &budget, &mut linked, "steps");
    let worked = budget.part_with_work(100_000);
    stops(&terms, &worked, &mut Z3::new(&terms, &worked), "work");
    assert_eq!(worked.check(), Err(Exhausted::Work));
    let mut piped = piped(&terms, &budget);
    piped.set_query_limit(Some(Duration::from_millis(100)));
    stops(&terms, &budget, &mut piped, "time");
}

#[test]
fn a_killed_process_is_told_everything_again() {
    let terms = Terms::new();
    let mut solver = piped(&terms, &Budget::unlimited());
    let x = terms.fresh("x", Sort::Int);
    let (low, high) = (terms.less(terms.integer(3), x), terms.less(x, terms.integer(4)));
    solver.assert(low);
    solver.push();
    solver.assert(high);
    solver.set_query_limit(Some(Duration::from_millis(100)));
    let other = terms.fresh("other", Sort::Int);
    let hard = terms.and([hard(&terms), terms.less(other, x)]);
    solver.pop();
    assert_eq!(solver.check(&[hard]), Satisfiability::Unknown("time".to_owned()));
    solver.set_query_limit(None);
    assert!(solver.check(&[low]).is_satisfiable());
    assert!(solver.model().satisfies(&terms, low));
    assert!(solver.check(&[high, low]).is_unsatisfiable());
    assert_eq!(solver.core(), [high]);
    solver.push();
    solver.assert(high);
    assert!(solver.check(&[]).is_unsatisfiable());
    solver.pop();
    assert!(solver.check(&[]).is_satisfiable());
}

#[test]
fn programs_that_are_no_solvers_are_found_out() {
    let terms = Terms::new();
    let budget = Budget::unlimited();
    assert!(SmtLib::start(&terms, &budget, &["/no/such/solver".to_owned()]).is_err());
    assert!(SmtLib::start(&terms, &budget, &[]).is_err());
    let x = terms.fresh("x", Sort::Bool);
    for command in [&["cat"][..], &["true"], &["echo", "(sat"], &["echo", "(error \"no\")"], &["yes", ")"]] {
        let command: Vec<String> = command.iter().map(|word| (*word).to_owned()).collect();
        // One that ends at once may do so before it is told the first thing.
        let Ok(mut solver) = SmtLib::start(&terms, &budget, &command) else { continue };
        solver.set_query_limit(Some(Duration::from_millis(200)));
        solver.assert(x);
        for _ in 0..2 {
            assert!(matches!(solver.check(&[]), Satisfiability::Unknown(_)), "{command:?}");
        }
    }
}

#[test]
fn answers_are_remembered() {
    let terms = Terms::new();
    let (x, y) = (terms.fresh("x", Sort::Int), terms.fresh("y", Sort::Int));
    let mut solver = Z3::new(&terms, &Budget::unlimited());
    solver.set_kind("hoare");
    let mut cached = Cached::new(&terms, solver);
    let (less, more) = (terms.less(x, y), terms.less(terms.scale(2.into(), y), terms.scale(2.into(), x)));
    for _ in 0..3 {
        assert_eq!(cached.unsatisfiable(terms.and([less, more])), Some(true));
        assert_eq!(cached.unsatisfiable(less), Some(false));
        assert_eq!(cached.implies(less, terms.distinct(x, y)), Some(true));
        assert_eq!(cached.valid(terms.implies(terms.distinct(x, y), less)), Some(false));
    }
    let statistics = cached.solver().statistics().of("hoare");
    assert!(
        statistics.count <= 3 && statistics.unsatisfiable + statistics.satisfiable == statistics.count,
        "{statistics:?}"
    );
    assert!(cached.hits() >= 4);
}

#[test]
fn rules_eliminate_without_a_solver() {
    let terms = Terms::new();
    let symbols = ["x", "y", "z"].map(|name| terms.symbol(name, Sort::Int));
    let [x, y, z] = symbols.map(|symbol| terms.variable(symbol));
    let flag = terms.symbol("flag", Sort::Bool);
    let f = terms.variable(flag);
    let n = |value: i64| terms.integer(value);
    let times = |factor: i64, term| terms.scale(factor.into(), term);
    for (exists, body, expected) in [
        (symbols[0], terms.and([terms.equal(x, terms.add([y, n(1)])), terms.less(x, z)]), "y + 2 <= z"),
        (symbols[0], terms.and([terms.less(y, x), terms.less(x, z)]), "y + 2 <= z"),
        (symbols[0], terms.and([terms.less(y, times(2, x)), terms.distinct(x, z)]), "true"),
        (symbols[0], terms.and([terms.less(y, x), terms.less(times(3, x), z)]), "3*y + 4 <= z"),
        (symbols[0], terms.and([terms.equal(times(2, x), y), terms.less(x, z)]), "mod(y, 2) = 0 && y + 2 <= 2*z"),
        (flag, terms.and([terms.iff(f, terms.less(x, y)), terms.or([f, terms.less(y, z)])]), "x < y || y < z"),
    ] {
        let remainder = eliminate_by_rules(&terms, &[exists], body);
        assert!(remainder.left.is_empty(), "{}", terms.display(body));
        assert_eq!(terms.display(remainder.done), expected, "{}", terms.display(body));
    }
}
