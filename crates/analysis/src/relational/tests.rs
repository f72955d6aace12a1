//! Known invariants of small systems, and random systems whose reachable states are found by trying.

use std::collections::{BTreeMap, BTreeSet};

use foundation::Budget;
use logic::{Sort, Symbol, Term, Terms};


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
        let transition = |edge| {
            let Edge { from, to, guard, updates, inputs } = edge;
            Transition { from: *from, to: *to, guard: *guard, updates, inputs }
        };
        let transitions: Vec<Transition> = self.edges.iter().map(transition).collect();
        invariants(&self.terms, nodes, &[0], &transitions, &Budget::unlimited()).unwrap()
    }

    /// The conjuncts at a node as text.
    fn shown(&self, nodes: usize, node: usize) -> BTreeSet<String> {
        let invariant = self.invariants(nodes)[node].expect("the node is reached");
        self.terms.conjuncts(invariant).into_iter().map(|term| self.terms.display(term).to_string()).collect()
    }

    /// Compares the conjuncts at a node with these terms.
    fn check(&self, nodes: usize, node: usize, expected: &[Term]) {
        let all = self.terms.and(expected.iter().copied());
        let expected: BTreeSet<String> =
            self.terms.conjuncts(all).into_iter().map(|term| self.terms.display(term).to_string()).collect();
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
    let yes = b.terms.truth(true);
    b.edge(0, 1, b.terms.greater_equal(tm, b.number(0)), &[(i, b.number(0))]);
    b.edge(1, 2, b.terms.less(ti, b.number(10)), &[(j, b.number(0))]);
    b.edge(2, 2, b.terms.less(tj, tm), &[(j, b.plus(tj, 1))]);
    b.edge(2, 1, b.terms.greater_equal(tj, tm), &[(i, b.plus(ti, 1))]);
    b.edge(1, 3, b.terms.greater_equal(ti, b.number(10)), &[]);
    b.edge(1, 4, b.terms.greater(ti, b.number(10)), &[]);
    let _ = yes;
    let at_inner = b.shown(5, 2);
    let t = &b.terms;
    let expected = [
        t.greater_equal(tj, b.number(0)),
        t.less_equal(tj, tm),
        t.greater_equal(ti, b.number(0)),
        t.less_equal(ti, b.number(9)),
    ];
    for term in expected {
        assert!(at_inner.contains(&t.display(term).to_string()), "{} in {at_inner:?}", t.display(term));
    }
    assert!(b.shown(5, 3).contains(&t.display(t.equal(ti, b.number(10))).to_string()), "{:?}", b.shown(5, 3));
    assert_eq!(b.invariants(5)[4], None);
}
