//! Emptiness under strong fairness: every thread that can run infinitely often runs infinitely often.
//!
//! That is a Streett condition, which a single pass over the components does not decide. The whole product is visited
//! first; then a component in which some thread can run but never does loses the states where it can, and what remains
//! is divided into components again (Emerson and Lei, "Modalities for model checking", 1987). A component that loses
//! nothing and visits all acceptance sets contains a fair violation.

use foundation::{Budget, Exhausted};
use task::Reason;

use super::graph::{ProductGraph, StateExpansion};
use super::product::Product;
use super::search::{Emptiness, Searched};
use super::space::Space;

/// Searches a product for an accepting run that is strongly fair.
pub fn search_strongly_fair<S: Space>(product: &mut Product<'_, S>, budget: &Budget) -> Searched {
    let mut graph = ProductGraph::new(product);
    let found = match visit_all(&mut graph, product, budget) {
        Err(exhausted) => Emptiness::Unknown(exhausted.into()),
        Ok(Some(found)) => found,
        Ok(None) => match graph.accepting_component(product.all_marks(), Some(&|thread| product.thread_mark(thread))) {
            Some((states, marks)) => Emptiness::Component { states, marks },
            None => Emptiness::Nothing,
        },
    };
    let (transitions, bytes) = (graph.transitions(), graph.bytes());
    let states = u64::from(graph.store.len());
    Searched { store: graph.store, states, transitions, bytes, found }
}

/// Visits everything; an end in which the automaton accepts is an answer at once.
fn visit_all<S: Space>(
    graph: &mut ProductGraph,
    product: &mut Product<'_, S>,
    budget: &Budget,
) -> Result<Option<Emptiness>, Exhausted> {
    let mut refusal: Option<Reason> = None;
    loop {
        budget.spend(1);
        budget.check().and_then(|()| budget.allows(graph.growth()))?;
        match graph.expand_next(product) {
            StateExpansion::Complete => return Ok(refusal.map(Emptiness::Unknown)),
            StateExpansion::Done => {}
            StateExpansion::Accepted { state, step } => return Ok(Some(Emptiness::End { state, step })),
            StateExpansion::Refused(Reason::Exhausted(exhausted)) => return Err(exhausted),
            StateExpansion::Refused(reason) => refusal = Some(refusal.unwrap_or(reason)),
        }
    }
}
