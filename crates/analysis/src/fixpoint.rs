//! The fixpoint engine: what holds at each location of a program, by abstract interpretation (Cousot and Cousot, POPL
//! 1977) with a worklist in reverse post-order, widening at loop heads and, where asked for, descending passes
//! afterwards.
//!
//! An analysis is an implementation of [`Domain`]. The engine knows nothing of what the facts mean. Its graph is that of
//! a program, or any other [`Graph`].

use std::collections::BTreeSet;

use foundation::{Arena, Budget, Exhausted, Id};
use program::{LocationId, Program};

use crate::flow::{Flow, Graph};

/// In which direction facts are propagated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// From the beginning of an edge to its end.
    Forward,
    /// From the end of an edge to its beginning.
    Backward,
}

/// What an analysis computes with: a join-semilattice of facts, and what edges do to them.
///
/// The result is sound if every fact describes a set of concrete situations such that `transfer` describes all that can
/// happen on the edge, `join` and `widen` describe at least what both arguments do, and `meet` at least what both
/// describe together. `transfer` need not be monotone. The analysis ends if `widen` changes a fact only finitely often.
pub trait Domain<G: Graph = Program> {
    /// What is known at a location. A location without a fact cannot be reached.
    type Fact: Clone;

    /// In which direction facts are propagated.
    const DIRECTION: Direction;

    /// What holds at a location whatever edges say: at the entry of the program for a forward analysis.
    fn boundary(&self, location: G::Node) -> Option<Self::Fact>;

    /// What holds on the far side of an edge if a fact holds on the near side; none where no run takes the edge.
    fn transfer(&self, edge: G::Edge, fact: &Self::Fact) -> Option<Self::Fact>;

    /// Extends a fact by another one; whether it changed.
    fn join(&self, into: &mut Self::Fact, other: &Self::Fact) -> bool;

    /// The same at a loop head, where this has changed the fact `rounds` times before.
    fn widen(&self, rounds: u32, into: &mut Self::Fact, other: &Self::Fact) -> bool {
        let _ = rounds;
        self.join(into, other)
    }

    /// Restricts a fact by another one that also holds; used by [`Solution::descend`] only.
    fn meet(&self, into: &mut Self::Fact, other: &Self::Fact) {
        let _ = (into, other);
    }
}

/// The facts at all locations.
#[derive(Clone, Debug)]
pub struct Solution<F, N: Id = LocationId> {
    facts: Arena<N, Option<F>>,
}

impl<F: Clone, N: Id> Solution<F, N> {
    /// What holds at a location; none where it cannot be reached.
    pub fn at(&self, location: N) -> Option<&F> {
        self.facts[location].as_ref()
    }

    /// The least facts that hold, up to widening.
    pub fn new<G, D>(graph: &G, flow: &Flow<N, G::Edge>, domain: &D) -> Self
    where
        G: Graph<Node = N>,
        D: Domain<G, Fact = F>,
    {
        Self::within(graph, flow, domain, &Budget::unlimited()).expect("nobody ends this budget")
    }

    /// The same, as long as a budget lasts.
    pub fn within<G, D>(graph: &G, flow: &Flow<N, G::Edge>, domain: &D, budget: &Budget) -> Result<Self, Exhausted>
    where
        G: Graph<Node = N>,
        D: Domain<G, Fact = F>,
    {
        let mut facts: Arena<N, Option<F>> = (0..graph.node_count()).map(|_| None).collect();
        let mut rounds = vec![0; graph.node_count()];
        let mut open = BTreeSet::new();
        let last = flow.order().len().saturating_sub(1) as u32;
        let forward = D::DIRECTION == Direction::Forward;
        let turn = |position: u32| if forward { position } else { last - position };
        for (position, &location) in flow.order().iter().enumerate() {
            facts[location] = domain.boundary(location);
            if facts[location].is_some() {
                open.insert(turn(position as u32));
            }
        }
        while let Some(next) = open.pop_first() {
            budget.spend(1);
            budget.check()?;
            let location = flow.order()[turn(next) as usize];
            let edges = if forward { graph.out(location) } else { flow.into(location) };
            for &edge in edges {
                let fact = facts[location].as_ref().expect("open locations have facts");
                let Some(carried) = domain.transfer(edge, fact) else { continue };
                let to = if forward { graph.target(edge) } else { graph.source(edge) };
                let changed = match &mut facts[to] {
                    none @ None => {
                        *none = Some(carried);
                        true
                    }
                    Some(known) if flow.is_head(to) => {
                        let changed = domain.widen(rounds[to.index()], known, &carried);
                        rounds[to.index()] += u32::from(changed);
                        changed
                    }
                    Some(known) => domain.join(known, &carried),
                };
                if changed && let Some(position) = flow.position(to) {
                    open.insert(turn(position));
                }
            }
        }
        Ok(Self { facts })
    }

    /// Passes once over all locations in the direction of the analysis, and restricts each fact to what the edges that
    /// lead there say now. Facts that were sound stay so: what edges carry from sound facts is sound.
    pub fn descend<G, D>(&mut self, graph: &G, flow: &Flow<N, G::Edge>, domain: &D)
    where
        G: Graph<Node = N>,
        D: Domain<G, Fact = F>,
    {
        self.descend_within(graph, flow, domain, &Budget::unlimited()).expect("nobody ends this budget");
    }

    /// The same, as long as a budget lasts. The facts are sound even where it ends.
    pub fn descend_within<G, D>(
        &mut self,
        graph: &G,
        flow: &Flow<N, G::Edge>,
        domain: &D,
        budget: &Budget,
    ) -> Result<(), Exhausted>
    where
        G: Graph<Node = N>,
        D: Domain<G, Fact = F>,
    {
        let forward = D::DIRECTION == Direction::Forward;
        let count = flow.order().len();
        for turn in 0..count {
            budget.check()?;
            let location = flow.order()[if forward { turn } else { count - 1 - turn }];
            if self.facts[location].is_none() {
                continue;
            }
            let mut known = domain.boundary(location);
            let edges = if forward { flow.into(location) } else { graph.out(location) };
            for &edge in edges {
                let from = if forward { graph.source(edge) } else { graph.target(edge) };
                let carried = self.facts[from].as_ref().and_then(|fact| domain.transfer(edge, fact));
                match (&mut known, carried) {
                    (_, None) => {}
                    (none @ None, carried) => *none = carried,
                    (Some(known), Some(carried)) => {
                        domain.join(known, &carried);
                    }
                }
            }
            let fact = &mut self.facts[location];
            match known {
                None => *fact = None,
                Some(known) => domain.meet(fact.as_mut().expect("just seen"), &known),
            }
        }
        Ok(())
    }
}
