//! Known invariants of small systems, and random systems whose reachable states are found by trying.

use std::collections::{BTreeMap, BTreeSet};

use foundation::{Budget, Exhausted};
use logic::{Sort, Symbol, Term, Terms, Value};
use proptest::prelude::*;

use super::{Transition, invariants};

/// A transition system under construction.
#[derive(Default)]
struct Builder {
    terms: Terms,
    edges: Vec<Edge>,
}

struct Edge {
    from: usize,
    to: usize,
    guard: Term,
    updates: BTreeMap<Symbol, Term>,
    inputs: BTreeSet<Symbol>,
}

impl Builder {
    fn variable(&self, name: &str) -> (Symbol, Term) {
        let symbol = self.terms.symbol(name, Sort::Int);
        (symbol, self.terms.variable(symbol))
    }

    fn number(&self, value: i64) -> Term {
        self.terms.integer(value)
    }

    fn plus(&self, term: Term, value: i64) -> Term {
        self.terms.add([term, self.number(value)])
    }

    fn edge(&mut self, from: usize, to: usize, guard: Term, updates: &[(Symbol, Term)]) {
        self.edge_with(from, to, guard, updates, &[]);
    }

    fn edge_with(&mut self, from: usize, to: usize, guard: Term, updates: &[(Symbol, Term)], inputs: &[Symbol]) {
        let (updates, inputs) = (updates.iter().copied().collect(), inputs.iter().copied().collect());
        self.edges.push(Edge { from, to, guard, updates, inputs });
    }

    /// The invariants with node 0 as the initial one.
    fn invariants(&self, nodes: usize) -> Vec<Option<Term>> {
        invariants(&self.terms, nodes, &[0], &self.transitions(), &Budget::unlimited()).unwrap()
    }

    fn transitions(&self) -> Vec<Transition<'_>> {
        let edges = self.edges.iter();
        edges
            .map(|Edge { from, to, guard, updates, inputs }| Transition {
                from: *from,
                to: *to,
                guard: *guard,
                updates,
                inputs,
            })
            .collect()
    }

    /// The conjuncts at a node as text.
    fn shown(&self, nodes: usize, node: usize) -> BTreeSet<String> {
        let invariant = self.invariants(nodes)[node].expect("the node is reached");
        self.terms.conjuncts(invariant).into_iter().map(|term| self.terms.display(term)).collect()
    }

    /// Compares the conjuncts at a node with these terms.
    fn check(&self, nodes: usize, node: usize, expected: &[Term]) {
        let all = self.terms.and(expected.iter().copied());
        let expected: BTreeSet<String> =
            self.terms.conjuncts(all).into_iter().map(|term| self.terms.display(term)).collect();
        assert_eq!(self.shown(nodes, node), expected, "at node {node}");
    }
}

#[test]
fn equal_counters_stay_equal() {
    let mut b = Builder::default();
    let ((x, tx), (y, ty)) = (b.variable("x"), b.variable("y"));
    let yes = b.terms.truth(true);
    b.edge(0, 1, yes, &[(x, b.number(0)), (y, b.number(0))]);
    b.edge(1, 2, yes, &[(x, b.plus(tx, 1))]);
    b.edge(2, 1, yes, &[(y, b.plus(ty, 1))]);
    b.check(3, 1, &[b.terms.equal(tx, ty), b.terms.greater_equal(tx, b.number(0))]);
    b.check(3, 2, &[b.terms.equal(tx, b.plus(ty, 1)), b.terms.greater_equal(tx, b.number(1))]);
}

#[test]
fn nested_loops_are_bounded() {
    let mut b = Builder::default();
    let ((i, ti), (j, tj), (_, tm)) = (b.variable("i"), b.variable("j"), b.variable("m"));
    b.edge(0, 1, b.terms.greater_equal(tm, b.number(0)), &[(i, b.number(0))]);
    b.edge(1, 2, b.terms.less(ti, b.number(10)), &[(j, b.number(0))]);
    b.edge(2, 2, b.terms.less(tj, tm), &[(j, b.plus(tj, 1))]);
    b.edge(2, 1, b.terms.greater_equal(tj, tm), &[(i, b.plus(ti, 1))]);
    b.edge(1, 3, b.terms.greater_equal(ti, b.number(10)), &[]);
    b.edge(1, 4, b.terms.greater(ti, b.number(10)), &[]);
    let at_inner = b.shown(5, 2);
    let t = &b.terms;
    let expected = [
        t.greater_equal(tj, b.number(0)),
        t.less_equal(tj, tm),
        t.greater_equal(ti, b.number(0)),
        t.less_equal(ti, b.number(9)),
    ];
    for term in expected {
        assert!(at_inner.contains(&t.display(term)), "{} in {at_inner:?}", t.display(term));
    }
    assert!(b.shown(5, 3).contains(&t.display(t.equal(ti, b.number(10)))), "{:?}", b.shown(5, 3));
    assert_eq!(b.invariants(5)[4], None);
}

/// The example of the design page.
#[test]
fn counters_up_to_a_limit() {
    for is_limit_known in [false, true] {
        let mut b = Builder::default();
        let ((x, tx), (y, ty), (_, tn)) = (b.variable("x"), b.variable("y"), b.variable("n"));
        let known = b.terms.greater_equal(tn, b.number(0));
        let start = if is_limit_known { known } else { b.terms.truth(true) };
        b.edge(0, 1, start, &[(x, b.number(0)), (y, b.number(0))]);
        b.edge(1, 1, b.terms.less(tx, tn), &[(x, b.plus(tx, 1)), (y, b.plus(ty, 1))]);
        b.edge(1, 2, b.terms.greater_equal(tx, tn), &[]);
        let t = &b.terms;
        let always = [t.equal(tx, ty), t.greater_equal(tx, b.number(0))];
        if is_limit_known {
            b.check(3, 1, &[always[0], always[1], t.less_equal(tx, tn), known]);
            b.check(3, 2, &[t.equal(tx, ty), t.equal(tx, tn), always[1]]);
        } else {
            b.check(3, 1, &always);
            b.check(3, 2, &[always[0], always[1], t.less_equal(tn, tx)]);
        }
    }
}

#[test]
fn steps_of_two_stay_even() {
    let mut b = Builder::default();
    let (x, tx) = b.variable("x");
    let yes = b.terms.truth(true);
    b.edge(0, 1, yes, &[(x, b.number(0))]);
    b.edge(1, 1, b.terms.less(tx, b.number(9)), &[(x, b.plus(tx, 2))]);
    b.edge(1, 2, b.terms.equal(b.terms.modulo(tx, b.number(2)), b.number(1)), &[]);
    let t = &b.terms;
    let even = t.equal(t.modulo(tx, b.number(2)), b.number(0));
    b.check(3, 1, &[even, t.greater_equal(tx, b.number(0)), t.less_equal(tx, b.number(10))]);
    assert_eq!(b.invariants(3)[2], None);
}

/// A guard on a remainder says something of its operand.
#[test]
fn remainders_are_learnt_from_guards() {
    let mut b = Builder::default();
    let (x, tx) = b.variable("x");
    let odd = b.terms.distinct(b.terms.modulo(tx, b.number(2)), b.number(0));
    b.edge(0, 1, odd, &[(x, b.plus(b.terms.scale(3.into(), tx), 1))]);
    b.check(2, 1, &[b.terms.equal(b.terms.modulo(tx, b.number(6)), b.number(4))]);
}

/// Machine arithmetic that does not wrap is as good as mathematical arithmetic.
#[test]
fn remainders_that_do_not_wrap_are_relational() {
    let mut b = Builder::default();
    let ((x, tx), (_, ty)) = (b.variable("x"), b.variable("y"));
    let in_type = |b: &Builder, term| {
        b.terms.and([b.terms.greater_equal(term, b.number(-128)), b.terms.less_equal(term, b.number(127))])
    };
    let wrapped = |b: &Builder, term| b.plus(b.terms.modulo(b.plus(term, 128), b.number(256)), -128);
    let start = b.terms.and([in_type(&b, tx), b.terms.equal(ty, tx)]);
    b.edge(0, 1, start, &[]);
    b.edge(1, 2, b.terms.less(tx, b.number(100)), &[(x, wrapped(&b, b.plus(tx, 1)))]);
    b.edge(1, 3, b.terms.truth(true), &[(x, wrapped(&b, b.plus(tx, 1)))]);
    let t = &b.terms;
    b.check(4, 2, &[t.equal(tx, b.plus(ty, 1)), t.greater_equal(tx, b.number(-127)), t.less_equal(tx, b.number(100))]);
    assert_eq!(b.shown(4, 3), {
        let all = t.and([in_type(&b, tx), in_type(&b, ty)]);
        t.conjuncts(all).into_iter().map(|term| t.display(term)).collect()
    });
}

#[test]
fn inputs_relate_variables_and_are_not_mentioned() {
    let mut b = Builder::default();
    let ((x, tx), (_, ty), (input, ti)) = (b.variable("x"), b.variable("y"), b.variable("input"));
    let guard = b.terms.and([b.terms.less_equal(ti, ty), b.terms.greater_equal(ti, b.number(0))]);
    b.edge_with(0, 1, guard, &[(x, b.plus(ti, 2))], &[input]);
    b.check(
        2,
        1,
        &[b.terms.greater_equal(tx, b.number(2)), b.terms.less_equal(tx, b.plus(ty, 2)), {
            b.terms.greater_equal(ty, b.number(0))
        }],
    );
}

#[test]
fn branches_are_taken_apart() {
    let mut b = Builder::default();
    let ((x, tx), (y, _)) = (b.variable("x"), b.variable("y"));
    let flag = b.terms.symbol("flag", Sort::Bool);
    let is_negative = b.terms.less(tx, b.number(0));
    let absolute = b.terms.ite(is_negative, b.terms.negate(tx), tx);
    b.edge(0, 1, b.terms.truth(true), &[(y, absolute), (flag, is_negative)]);
    b.edge(1, 2, b.terms.and([b.terms.variable(flag), b.terms.greater(tx, b.number(3))]), &[(x, b.number(0))]);
    let ty = b.terms.variable(y);
    let t = &b.terms;
    b.check(
        3,
        1,
        &[t.less_equal(tx, ty), t.greater_equal(t.add([tx, ty]), b.number(0)), t.greater_equal(ty, b.number(0))],
    );
    let at = b.shown(3, 2);
    assert!(at.contains(&t.display(t.variable(flag))), "{at:?}");
}

#[test]
fn a_loop_until_equality_is_bounded() {
    let mut b = Builder::default();
    let ((i, ti), (_, tn)) = (b.variable("i"), b.variable("n"));
    b.edge(0, 1, b.terms.greater_equal(tn, b.number(0)), &[(i, b.number(0))]);
    b.edge(1, 1, b.terms.distinct(ti, tn), &[(i, b.plus(ti, 1))]);
    b.check(
        2,
        1,
        &[b.terms.less_equal(ti, tn), b.terms.greater_equal(ti, b.number(0)), {
            b.terms.greater_equal(tn, b.number(0))
        }],
    );
}

#[test]
fn an_exhausted_budget_ends_the_analysis() {
    let mut b = Builder::default();
    let (x, tx) = b.variable("x");
    b.edge(0, 0, b.terms.truth(true), &[(x, b.plus(tx, 1))]);
    let budget = Budget::unlimited();
    budget.cancel();
    assert_eq!(invariants(&b.terms, 1, &[0], &b.transitions(), &budget), Err(Exhausted::Cancelled));
}

/// How a random term is put together: a list of choices, read from the front.
struct Choices<'a> {
    bytes: &'a [u8],
}

impl Choices<'_> {
    /// A number below a bound; zero when the choices are used up.
    fn below(&mut self, bound: u8) -> u8 {
        match self.bytes.split_first() {
            Some((first, rest)) => {
                self.bytes = rest;
                first % bound
            }
            None => 0,
        }
    }

    fn small(&mut self) -> i64 {
        i64::from(self.below(9)) - 4
    }
}

/// A random system over three numbers, a truth value and an input.
struct Random {
    builder: Builder,
    numbers: Vec<Symbol>,
    flag: Symbol,
    input: Symbol,
}

const NODES: usize = 4;

impl Random {
    fn new(bytes: &[u8]) -> Self {
        let builder = Builder::default();
        let numbers = ["x", "y", "z"].map(|name| builder.terms.symbol(name, Sort::Int)).to_vec();
        let flag = builder.terms.symbol("flag", Sort::Bool);
        let input = builder.terms.symbol("input", Sort::Int);
        let mut random = Self { builder, numbers, flag, input };
        let mut choices = Choices { bytes };
        random.start(&mut choices);
        while !choices.bytes.is_empty() && random.builder.edges.len() < 8 {
            let node = |choices: &mut Choices| choices.below(NODES as u8 - 1) as usize + 1;
            let (from, to) = (node(&mut choices), node(&mut choices));
            let guard = random.condition(&mut choices, 2);
            let mut updates = Vec::new();
            for _ in 0..choices.below(3) {
                let symbol = random.numbers[choices.below(3) as usize];
                updates.push((symbol, random.number(&mut choices, 2)));
            }
            if choices.below(4) == 0 {
                updates.push((random.flag, random.condition(&mut choices, 1)));
            }
            random.builder.edge_with(from, to, guard, &updates, &[random.input]);
        }
        random
    }

    /// Leaves the initial node with some variables set and some bounded, so that there is something to be known.
    fn start(&mut self, choices: &mut Choices) {
        let (mut guard, mut updates) = (Vec::new(), Vec::new());
        for symbol in self.numbers.clone() {
            let (variable, value) = (self.builder.terms.variable(symbol), self.builder.number(choices.small()));
            match choices.below(4) {
                0 | 1 => updates.push((symbol, value)),
                2 => guard.push(self.builder.terms.less_equal(value, variable)),
                _ => guard.push(self.builder.terms.less_equal(variable, value)),
            }
        }
        let guard = self.builder.terms.and(guard);
        self.builder.edge(0, 1, guard, &updates);
    }

    fn number(&self, choices: &mut Choices, depth: u32) -> Term {
        let t = &self.builder.terms;
        let variable = |choices: &mut Choices| t.variable(self.numbers[choices.below(3) as usize]);
        match choices.below(if depth == 0 { 5 } else { 11 }) {
            0 | 1 => variable(choices),
            2 if choices.below(16) == 0 => {
                t.integer((1i128 << [31, 63, 64, 99, 100, 101][choices.below(6) as usize]) - 1)
            }
            2 => self.builder.number(choices.small()),
            3 => self.builder.plus(variable(choices), choices.small()),
            4 => t.variable(self.input),
            5 => t.add([self.number(choices, depth - 1), self.number(choices, depth - 1)]),
            6 => t.scale(choices.small().into(), self.number(choices, depth - 1)),
            7 => t.modulo(self.number(choices, depth - 1), self.builder.number(i64::from(choices.below(5)) + 1)),
            8 => t.div(self.number(choices, depth - 1), self.builder.number(i64::from(choices.below(5)) + 1)),
            9 => t.multiply(self.number(choices, depth - 1), self.number(choices, depth - 1)),
            _ => {
                let condition = self.condition(choices, depth - 1);
                t.ite(condition, self.number(choices, depth - 1), self.number(choices, depth - 1))
            }
        }
    }

    fn condition(&self, choices: &mut Choices, depth: u32) -> Term {
        let t = &self.builder.terms;
        match choices.below(if depth == 0 { 5 } else { 9 }) {
            0 => t.truth(true),
            1 => t.variable(self.flag),
            2 | 3 => t.less_equal(self.number(choices, 1), self.number(choices, 1)),
            4 => t.equal(self.number(choices, 1), self.number(choices, 1)),
            5 => t.not(self.condition(choices, depth - 1)),
            6 => t.and([self.condition(choices, depth - 1), self.condition(choices, depth - 1)]),
            7 => t.or([self.condition(choices, depth - 1), self.condition(choices, depth - 1)]),
            _ => t.iff(self.condition(choices, depth - 1), self.condition(choices, depth - 1)),
        }
    }

    fn values<'a>(&'a self, state: &'a State, input: i64) -> impl Fn(Symbol) -> Option<Value> + 'a {
        move |symbol| {
            Some(match self.numbers.iter().position(|number| *number == symbol) {
                Some(at) => Value::Int(state.numbers[at].into()),
                None if symbol == self.flag => Value::Bool(state.flag),
                None => Value::Int(input.into()),
            })
        }
    }

    /// States that can be reached from small ones, with small inputs, as long as there are not too many.
    fn reachable(&self) -> BTreeSet<State> {
        let small = [-5, -1, 0, 2];
        let mut reached = BTreeSet::new();
        let mut open = Vec::new();
        for (x, y, z) in small.iter().flat_map(|x| small.iter().flat_map(move |y| small.map(|z| (*x, *y, z)))) {
            open.push(State { node: 0, numbers: [x, y, z], flag: (x + y + z) % 2 == 0 });
        }
        let t = &self.builder.terms;
        let mut at = 0;
        while at < open.len() && at < 300 {
            let state = open[at].clone();
            at += 1;
            for edge in self.builder.edges.iter().filter(|edge| edge.from == state.node) {
                for input in [-3, 0, 1, 4] {
                    let values = self.values(&state, input);
                    if t.holds(edge.guard, &values) != Some(true) {
                        continue;
                    }
                    let mut next = State { node: edge.to, ..state.clone() };
                    let mut is_small = true;
                    for (symbol, value) in &edge.updates {
                        match t.evaluate(*value, &values).expect("all symbols have values") {
                            Value::Bool(value) => next.flag = value,
                            Value::Int(value) => {
                                let at = self.numbers.iter().position(|number| number == symbol).unwrap();
                                is_small &= i128::try_from(&value).map(|value| next.numbers[at] = value).is_ok();
                            }
                            other => panic!("{other:?}"),
                        }
                    }
                    if is_small && reached.insert(next.clone()) {
                        open.push(next);
                    }
                }
            }
        }
        reached
    }
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct State {
    node: usize,
    numbers: [i128; 3],
    flag: bool,
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn reachable_states_satisfy_the_invariants(bytes in proptest::collection::vec(any::<u8>(), 0..160)) {
        let random = Random::new(&bytes);
        let invariants = random.builder.invariants(NODES);
        let t = &random.builder.terms;
        for state in random.reachable() {
            let invariant = invariants[state.node];
            prop_assert!(invariant.is_some(), "node {} is reached by {:?}", state.node, state);
            let invariant = invariant.unwrap();
            prop_assert!(!t.symbols(invariant).contains(&random.input));
            let holds = t.holds(invariant, &random.values(&state, 0));
            prop_assert_eq!(holds, Some(true), "{:?} violates {}", state, t.display(invariant));
        }
    }

    /// What one guard says in the language of octagons comes out again: nothing is lost by closing and leaving out.
    #[test]
    fn octagons_are_described_exactly(
        bounds in proptest::collection::vec((0usize..3, 0usize..3, any::<bool>(), any::<bool>(), -3i64..5), 0..7),
    ) {
        let mut b = Builder::default();
        let variables = ["x", "y", "z"].map(|name| b.variable(name));
        let signed = |b: &Builder, at: usize, is_negative: bool| {
            b.terms.scale((if is_negative { -1 } else { 1 }).into(), variables[at].1)
        };
        let bound = |&(left, right, first, second, bound): &(usize, usize, bool, bool, i64)| {
            b.terms.less_equal(b.terms.add([signed(&b, left, first), signed(&b, right, second)]), b.number(bound))
        };
        let guard = b.terms.and(bounds.iter().map(bound).collect::<Vec<_>>());
        // Another guard relates all variables, so that they are in one pack.
        let together = b.terms.less_equal(b.terms.add(variables.map(|(_, term)| term)), b.number(0));
        b.edge(0, 1, guard, &[]);
        b.edge(0, 2, together, &[]);
        let invariant = b.invariants(3)[1].unwrap_or(b.terms.truth(false));
        let side = -6i64..=6;
        for (x, y, z) in side.clone().flat_map(|x| side.clone().flat_map(move |y| (-6i64..=6).map(move |z| (x, y, z)))) {
            let values = |symbol: Symbol| {
                let at = variables.iter().position(|(other, _)| *other == symbol)?;
                Some(Value::Int([x, y, z][at].into()))
            };
            let (expected, found) = (b.terms.holds(guard, &values), b.terms.holds(invariant, &values));
            prop_assert_eq!(found, expected, "{} at {} {} {}", b.terms.display(invariant), x, y, z);
        }
    }
}
