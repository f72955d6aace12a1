//! Lassos by hand and at random: what ranks a lasso must decrease in every execution, and what diverges must run.

use std::collections::BTreeMap;
use std::time::Duration;

use foundation::{Budget, Exhausted};
use logic::{Sort, Symbol, Term, Terms, Value};
use smt::{Solver, Z3};

use super::*;

/// An arena with a few variables.
struct World {
    terms: Terms,
    variables: Vec<Symbol>,
}

impl World {
    fn new(names: &[&str]) -> Self {
        let terms = Terms::new();
        let variables = names.iter().map(|name| terms.symbol(name, Sort::Int)).collect();
        Self { terms, variables }
    }

    fn variable(&self, index: usize) -> Term {
        self.terms.variable(self.variables[index])
    }

    /// A linear term: coefficients of the variables, then the constant.
    fn linear(&self, coefficients: &[i64]) -> Term {
        let (constant, coefficients) = coefficients.split_last().expect("there is a constant");
        let summands = (coefficients.iter().enumerate())
            .map(|(index, &coefficient)| self.terms.scale(coefficient.into(), self.variable(index)));
        self.terms.add(summands.chain([self.terms.integer(*constant)]))
    }

    fn at_least_zero(&self, coefficients: &[i64]) -> Term {
        self.terms.less_equal(self.terms.integer(0), self.linear(coefficients))
    }

    /// `guards ≥ 0`, and new values of the first variables.
    fn step(&self, guards: &[&[i64]], updates: &[Option<&[i64]>]) -> Transition {
        let guard = self.terms.and(guards.iter().map(|guard| self.at_least_zero(guard)));
        let updates = (updates.iter().enumerate())
            .filter_map(|(index, update)| Some((self.variables[index], self.linear((*update)?))))
            .collect();
        Transition { updates, ..Transition::assume(&self.terms, guard) }
    }

    fn with_solver<T>(&self, ask: impl FnOnce(&mut dyn Solver, Term, &Budget) -> Result<T, Exhausted>) -> T {
        let budget = Budget::unlimited();
        let mut solver = Z3::new(&self.terms, &budget);
        solver.set_query_limit(Some(Duration::from_secs(4)));
        ask(&mut solver, self.terms.truth(true), &budget).expect("there is no limit")
    }

    fn rank(&self, stem: &Transition, cycle: &Transition) -> Option<RankingArgument> {
        let lasso = Lasso { stem, cycle };
        let found = self.with_solver(|solver, known, budget| rank(&self.terms, solver, &lasso, known, budget));
        found.inspect(|found| self.decreases_everywhere(&lasso, found))
    }

    fn diverge(&self, stem: &Transition, cycle: &Transition) -> Option<NonTermination> {
        let lasso = Lasso { stem, cycle };
        let found = self.with_solver(|solver, known, budget| diverge(&self.terms, solver, &lasso, known, budget));
        found.inspect(|found| self.runs(&lasso, found))
    }

    fn analyse(&self, stem: &Transition, cycle: &Transition) -> Analysis {
        let lasso = Lasso { stem, cycle };
        let found = self.with_solver(|solver, known, budget| analyse(&self.terms, solver, &lasso, known, budget));
        match &found {
            Analysis::Terminates(found) => self.decreases_everywhere(&lasso, found),
            Analysis::Diverges(found) => self.runs(&lasso, found),
            Analysis::Unknown => {}
        }
        found
    }

    /// Executes fifty iterations.
    fn runs(&self, lasso: &Lasso<'_>, found: &NonTermination) {
        let states = found.execute(&self.terms, lasso, 50).unwrap_or_else(|| panic!("{found:?} does not run"));
        let lead = found.start.lead.len();
        match &found.argument {
            Divergent::FixedPoint { .. } => assert_eq!(states[lead], states[lead + 1]),
            Divergent::Repeats { inputs, closing } => {
                let (first, second) = (&states[lead], &states[lead + inputs.len()]);
                closing.iter().for_each(|symbol| assert_eq!(first.get(symbol), second.get(symbol)));
            }
            Divergent::Geometric(geometric) => follows_rays(geometric, &states[lead..]),
            Divergent::RecurrentSet { set, .. } => {
                for state in &states[lead..] {
                    let value = |symbol: Symbol| Some(execution::value_of(&self.terms, state, symbol));
                    assert_eq!(self.terms.holds(*set, &value), Some(true));
                }
            }
        }
    }

    /// Simulates the lasso from all small states and checks invariants and decrease.
    fn decreases_everywhere(&self, lasso: &Lasso<'_>, found: &RankingArgument) {
        let terms = &self.terms;
        let after: Vec<Symbol> = found.function.iter().map(|_| terms.symbol("after", Sort::Int)).collect();
        let before: Vec<Symbol> = found.function.iter().map(|_| terms.symbol("before", Sort::Int)).collect();
        let term = |symbols: &[Symbol]| symbols.iter().map(|&symbol| terms.variable(symbol)).collect::<Vec<_>>();
        let decrease = decreases(terms, &term(&before), &term(&after));
        let values = |state: &Valuation| -> Vec<Value> {
            let value = |symbol: Symbol| Some(execution::value_of(terms, state, symbol));
            found.function.iter().map(|&component| terms.evaluate(component, &value).expect("a value")).collect()
        };
        let side = 7_i64;
        let places = self.variables.len().min(3);
        for code in 0..side.pow(u32::try_from(places).expect("few")) {
            let digit = |place: usize| code / side.pow(u32::try_from(place).expect("few")) % side - 3;
            let initial: Valuation =
                (0..places).map(|place| (self.variables[place], Value::Int((digit(place) * 3).into()))).collect();
            let mut random = Random(0x2545_F491_4F6C_DD1D);
            let Some(mut state) = apply(terms, lasso.stem, &initial, &BTreeMap::new()) else { continue };
            for _ in 0..60 {
                let inputs = (lasso.cycle.inputs.iter()).map(|&input| (input, random.value(terms, input))).collect();
                let value = |symbol: Symbol| Some(execution::value_of(terms, &state, symbol));
                for &invariant in &found.invariants {
                    assert_eq!(terms.holds(invariant, &value), Some(true), "{}", terms.display(invariant));
                }
                let Some(next) = apply(terms, lasso.cycle, &state, &inputs) else { break };
                let mut ranks: Valuation = before.iter().copied().zip(values(&state)).collect();
                ranks.extend(after.iter().copied().zip(values(&next)));
                assert_eq!(terms.holds(decrease, &|symbol| ranks.get(&symbol).cloned()), Some(true), "{found:?}");
                state = next;
            }
        }
    }
}

/// The states of a geometric argument are those that its rays predict.
fn follows_rays(geometric: &Geometric, states: &[Valuation]) {
    let mut weights = vec![num_bigint::BigInt::from(1); geometric.factors.len()];
    for pair in states.windows(2) {
        let mut moved: BTreeMap<Symbol, num_bigint::BigInt> = BTreeMap::new();
        for (weight, ray) in weights.iter().zip(&geometric.rays) {
            for (&symbol, amount) in ray {
                *moved.entry(symbol).or_default() += weight * amount;
            }
        }
        for (symbol, amount) in moved {
            let value = |state: &Valuation| state[&symbol].as_int().expect("a number").clone();
            assert_eq!(value(&pair[0]) + amount, value(&pair[1]));
        }
        weights = geometric.next_weights(&weights);
    }
}

#[test]
fn an_affine_function_ranks_counting_down_and_up() {
    let world = World::new(&["x", "y"]);
    let skip = Transition::skip(&world.terms);
    let down = world.step(&[&[1, 0, -1]], &[Some(&[1, 0, -1])]);
    let found = world.rank(&skip, &down).expect("x decreases");
    assert_eq!((found.template, found.invariants.len()), (Template::Affine, 0));
    let up = world.step(&[&[-1, 1, 0]], &[Some(&[1, 0, 2])]);
    assert_eq!(world.rank(&skip, &up).expect("y - x decreases").template, Template::Affine);
    assert!(world.diverge(&skip, &up).is_none());
}

#[test]
fn phases_are_found_as_nested_functions() {
    let world = World::new(&["x", "y", "z"]);
    let skip = Transition::skip(&world.terms);
    let two = world.step(&[&[1, 0, 0, 0]], &[Some(&[1, 1, 0, 0]), Some(&[0, 1, 0, -1])]);
    assert_eq!(world.rank(&skip, &two).expect("two phases").template, Template::Nested(2));
    let three = world.step(&[&[1, 0, 0, 0]], &[Some(&[1, 1, 0, 0]), Some(&[0, 1, 1, 0]), Some(&[0, 0, 1, -1])]);
    assert_eq!(world.rank(&skip, &three).expect("three phases").template, Template::Nested(3));
}

#[test]
fn the_stem_supports() {
    // y := 2; while (x >= 0) x := x - y
    let world = World::new(&["x", "y"]);
    let stem = world.step(&[], &[None, Some(&[0, 0, 2])]);
    let cycle = world.step(&[&[1, 0, 0]], &[Some(&[1, -1, 0])]);
    let found = world.rank(&stem, &cycle).expect("y stays positive");
    assert_eq!(found.invariants.len(), 1, "{found:?}");
    assert!(world.rank(&Transition::skip(&world.terms), &cycle).is_none());
    // assume 2z >= x + 5, y := z + z - x; the invariant y >= 5 is none of the guesses.
    let world = World::new(&["x", "y", "z"]);
    let stem = world.step(&[&[-1, 0, 2, -5]], &[None, Some(&[-1, 0, 2, 0])]);
    let cycle = world.step(&[&[1, 0, 0, 0]], &[Some(&[1, -1, 0, 4])]);
    let found = world.rank(&stem, &cycle).expect("y stays above five");
    assert!(!found.invariants.is_empty(), "{found:?}");
}

#[test]
fn several_paths_need_tuples_or_pieces() {
    let world = World::new(&["x", "y"]);
    let terms = &world.terms;
    let skip = Transition::skip(terms);
    // x > 0 && y > 0, either x decreases and y is anything, or y decreases: the input decides.
    let (choice, any) = (terms.symbol("choice", Sort::Bool), terms.symbol("any", Sort::Int));
    let chosen = terms.variable(choice);
    let guard = terms.and([world.at_least_zero(&[1, 0, -1]), world.at_least_zero(&[0, 1, -1])]);
    let updates = BTreeMap::from([
        (world.variables[0], terms.ite(chosen, world.linear(&[1, 0, -1]), world.variable(0))),
        (world.variables[1], terms.ite(chosen, terms.variable(any), world.linear(&[0, 1, -1]))),
    ]);
    let cycle =
        Transition { guard, updates, inputs: [choice, any].into(), known: terms.truth(true), is_approximate: false };
    let found = world.rank(&skip, &cycle).expect("a tuple");
    assert_eq!(found.template, Template::Lexicographic(2), "{found:?}");
    assert!(world.diverge(&skip, &cycle).is_none());
    // Subtracting the smaller from the larger, both positive and different.
    let greater = terms.less(world.variable(1), world.variable(0));
    let guard = terms.and([guard, terms.distinct(world.variable(0), world.variable(1))]);
    let updates = BTreeMap::from([
        (world.variables[0], terms.ite(greater, world.linear(&[1, -1, 0]), world.variable(0))),
        (world.variables[1], terms.ite(greater, world.variable(1), world.linear(&[-1, 1, 0]))),
    ]);
    let gcd = Transition { guard, updates, ..skip.clone() };
    assert!(world.rank(&skip, &gcd).is_some());
    // x moves towards zero from both sides.
    let positive = terms.less(terms.integer(0), world.variable(0));
    let guard = terms.distinct(world.variable(0), terms.integer(0));
    let updates = BTreeMap::from([(
        world.variables[0],
        terms.ite(positive, world.linear(&[1, 0, -1]), world.linear(&[1, 0, 1])),
    )]);
    let towards = Transition { guard, updates, ..skip.clone() };
    assert!(world.rank(&skip, &towards).is_some());
    assert!(world.diverge(&skip, &towards).is_none());
}

#[test]
fn many_cases_are_ranked_by_case_or_by_bounds() {
    for flags in [1, 5, 12] {
        let world = World::new(&["x"]);
        let terms = &world.terms;
        let inputs: Vec<Symbol> = (0..flags).map(|_| terms.symbol("flag", Sort::Bool)).collect();
        let losses = inputs.iter().map(|&input| terms.ite(terms.variable(input), terms.integer(-1), terms.integer(-2)));
        let value = terms.add(losses.chain([world.variable(0)]));
        let cycle = Transition {
            guard: world.at_least_zero(&[1, 0]),
            updates: BTreeMap::from([(world.variables[0], value)]),
            inputs: inputs.iter().copied().collect(),
            known: terms.truth(true),
            is_approximate: false,
        };
        assert_eq!(world.rank(&Transition::skip(terms), &cycle).expect("x decreases").template, Template::Affine);
    }
}

#[test]
fn wrapping_counters_rank_within_their_range() {
    // x := (x + 1) wrapped to 32 bits, while x < y, both in range.
    let world = World::new(&["x", "y"]);
    let terms = &world.terms;
    let half = 1_i64 << 31;
    let wrapped = terms.modulo(world.linear(&[1, 0, 1 + half]), terms.integer(2 * half));
    let wrapped = terms.subtract(wrapped, terms.integer(half));
    let range = [[1, 0, half], [-1, 0, half - 1], [0, 1, half], [0, -1, half - 1]];
    let guard = terms.and(range.iter().map(|row| world.at_least_zero(row)).chain([world.at_least_zero(&[-1, 1, -1])]));
    let skip = Transition::skip(terms);
    let cycle =
        Transition { updates: BTreeMap::from([(world.variables[0], wrapped)]), ..Transition::assume(terms, guard) };
    assert_eq!(world.rank(&skip, &cycle).expect("it does not wrap").template, Template::Affine);
    // Without the bound by y it wraps and goes on.
    let guard = terms.and(range.iter().map(|row| world.at_least_zero(row)));
    let cycle = Transition { guard, ..cycle };
    assert!(matches!(world.analyse(&skip, &cycle), Analysis::Diverges(_)));
}

#[test]
fn truth_values_and_elements_take_part() {
    let world = World::new(&["x"]);
    let terms = &world.terms;
    let skip = Transition::skip(terms);
    // A flag is cleared, then x counts down to a[3].
    let flag = terms.symbol("flag", Sort::Bool);
    let array = terms.symbol("a", Sort::array(Sort::Int, Sort::Int));
    let element = terms.select(terms.variable(array), terms.integer(3));
    let is_set = terms.variable(flag);
    let guard = terms.or([is_set, terms.less(element, world.variable(0))]);
    let updates = BTreeMap::from([
        (flag, terms.truth(false)),
        (world.variables[0], terms.ite(is_set, world.variable(0), world.linear(&[1, -1]))),
    ]);
    let cycle = Transition { guard, updates, ..skip.clone() };
    assert!(world.rank(&skip, &cycle).is_some());
    assert!(world.diverge(&skip, &cycle).is_none());
}

#[test]
fn divergence_by_hand() {
    let world = World::new(&["x", "y", "z"]);
    let terms = &world.terms;
    let skip = Transition::skip(terms);
    let kind = |stem: &Transition, cycle: &Transition| world.diverge(stem, cycle).map(|found| found.kind());
    // Nothing happens.
    assert_eq!(kind(&skip, &world.step(&[&[1, 0, 0, 0]], &[])), Some("fixed point"));
    // x and y are exchanged, and differ; z counts and does not matter.
    let swap = world
        .step(&[&[1, 1, 0, -1], &[-1, -1, 0, 1]], &[Some(&[0, 1, 0, 0]), Some(&[1, 0, 0, 0]), Some(&[0, 0, 1, 1])]);
    assert_eq!(kind(&skip, &swap), Some("repeated state"));
    // Steady and doubling growth, and growth that grows.
    let up = world.step(&[&[1, 0, 0, 0]], &[Some(&[1, 0, 0, 1])]);
    assert_eq!(kind(&skip, &up), Some("geometric"));
    let doubling = world.step(&[&[1, 0, 0, -1]], &[Some(&[2, 0, 0, 0])]);
    assert_eq!(kind(&skip, &doubling), Some("geometric"));
    let accelerating = world.step(&[&[1, 0, 0, 0]], &[Some(&[1, 1, 0, 0]), Some(&[0, 1, 0, 1])]);
    let from = |x: i64, y: i64| world.step(&[], &[Some(&[0, 0, 0, x]), Some(&[0, 0, 0, y])]);
    assert_eq!(kind(&from(5, 2), &accelerating), Some("geometric"));
    // x falls before it grows, which no ray can do; but it begins to grow after some iterations.
    assert!(kind(&from(5, -2), &accelerating).is_some());
    // It ends from where the stem leads, although it need not elsewhere.
    assert_eq!(kind(&from(5, -9), &accelerating), None);
    assert!(world.rank(&Transition::skip(terms), &accelerating).is_none());
}

#[test]
fn divergence_by_choice_of_inputs() {
    let world = World::new(&["x"]);
    let terms = &world.terms;
    let skip = Transition::skip(terms);
    let input = terms.symbol("input", Sort::Int);
    let read = terms.variable(input);
    let inputs = || [input].into();
    // x := input, as long as input > x: every new value must be larger.
    let guard = terms.less(world.variable(0), read);
    let updates = BTreeMap::from([(world.variables[0], read)]);
    let cycle = Transition { guard, updates, inputs: inputs(), known: terms.truth(true), is_approximate: false };
    assert!(world.diverge(&skip, &cycle).is_some());
    assert!(world.rank(&skip, &cycle).is_none());
    // x := x + z·z + input while x > 1 and input > 0: beyond linear arithmetic.
    let other = terms.variable(terms.symbol("z", Sort::Int));
    let guard = terms.and([world.at_least_zero(&[1, -2]), terms.less_equal(terms.integer(1), read)]);
    let value = terms.add([world.variable(0), terms.multiply(other, other), read]);
    let updates = BTreeMap::from([(world.variables[0], value)]);
    let cycle = Transition { guard, updates, inputs: inputs(), known: terms.truth(true), is_approximate: false };
    let found = world.diverge(&skip, &cycle).expect("it grows");
    assert_eq!(found.kind(), "recurrent set");
}

/// A small generator of pseudo-random numbers (Marsaglia's xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> i64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        i64::try_from(self.0 % bound).expect("small")
    }

    fn value(&mut self, terms: &Terms, symbol: Symbol) -> Value {
        match terms.sort_of_symbol(symbol) {
            Sort::Bool => Value::Bool(self.below(2) == 0),
            _ => Value::Int(self.around_zero(3).into()),
        }
    }

    fn around_zero(&mut self, radius: u64) -> i64 {
        self.below(2 * radius + 1) - i64::try_from(radius).expect("small")
    }
}

/// Random affine loops: nearly all are decided, and each argument passes simulation.
#[test]
fn random_loops_are_judged_consistently() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let (mut ranked, mut diverging) = (0, 0);
    for _ in 0..40 {
        let world = World::new(&["x", "y"]);
        let row = |random: &mut Random| [random.around_zero(1), random.around_zero(1), random.around_zero(3)];
        let update = |random: &mut Random, own: usize| {
            let mut row = [0, 0, random.around_zero(2)];
            row[own] = 1;
            row[1 - own] = random.around_zero(1);
            row
        };
        let guards = [row(&mut random), row(&mut random)];
        let updates = [update(&mut random, 0), update(&mut random, 1)];
        let cycle = world.step(&[&guards[0], &guards[1]], &[Some(&updates[0]), Some(&updates[1])]);
        let stem = world.step(&[&row(&mut random)], &[]);
        match world.analyse(&stem, &cycle) {
            Analysis::Terminates(_) => ranked += 1,
            Analysis::Diverges(_) => diverging += 1,
            Analysis::Unknown => {}
        }
    }
    assert!(ranked >= 8 && diverging >= 8, "{ranked} ranked, {diverging} diverging");
    assert!(ranked + diverging >= 34, "{ranked} ranked, {diverging} diverging");
}

/// Random loops with cases, remainders, a flag and inputs: whatever is said of them passes simulation.
#[test]
fn random_loops_with_cases_are_judged_soundly() {
    let mut random = Random(0x1234_5678_9ABC_DEF1);
    let mut decided = 0;
    for _ in 0..30 {
        let world = World::new(&["x", "y"]);
        let terms = &world.terms;
        let (flag, choice) = (terms.symbol("flag", Sort::Bool), terms.symbol("choice", Sort::Bool));
        let input = terms.symbol("input", Sort::Int);
        let row = |random: &mut Random| [random.around_zero(1), random.around_zero(1), random.around_zero(3)];
        let conditions = [
            terms.variable(flag),
            terms.variable(choice),
            world.at_least_zero(&row(&mut random)),
            terms.less(terms.variable(input), world.variable(0)),
        ];
        let value = |random: &mut Random, own: usize| match random.below(6) {
            0 => terms.add([world.variable(own), terms.variable(input)]),
            1 => terms.modulo(world.linear(&row(random)), terms.integer(random.below(4) + 2)),
            2 => terms.div(world.variable(own), terms.integer(2)),
            3 => world.variable(own),
            _ => terms.add([world.variable(own), terms.integer(random.around_zero(2))]),
        };
        let update = |random: &mut Random, own: usize| {
            let condition = conditions[usize::try_from(random.below(4)).expect("small")];
            terms.ite(condition, value(random, own), value(random, own))
        };
        let updates = BTreeMap::from([
            (world.variables[0], update(&mut random, 0)),
            (world.variables[1], update(&mut random, 1)),
            (flag, if random.below(2) == 0 { conditions[2] } else { terms.not(conditions[0]) }),
        ]);
        let bounds = [
            terms.less_equal(terms.integer(-2), terms.variable(input)),
            terms.less_equal(terms.variable(input), terms.integer(2)),
        ];
        let guard = terms.and(
            [world.at_least_zero(&row(&mut random)), world.at_least_zero(&row(&mut random))].into_iter().chain(bounds),
        );
        let cycle = Transition {
            guard,
            updates,
            inputs: [choice, input].into(),
            known: terms.truth(true),
            is_approximate: false,
        };
        let stem = world.step(&[&row(&mut random)], &[]);
        decided += usize::from(world.analyse(&stem, &cycle) != Analysis::Unknown);
    }
    assert!(decided >= 25, "{decided} decided");
}
