//! Whether two automata have a word in common. The product is written out and searched by components: what the
//! translation needs for checking its own steps, and no more.

use foundation::Budget;
use foundation::collections::HashMap;

use super::Failure;
use crate::buchi::{Automaton, Components, Guard, Marks, StateId};

/// Whether no word is accepted by both automata.
pub fn are_disjoint(left: &Automaton<Guard>, right: &Automaton<Guard>, budget: &Budget) -> Result<bool, Failure> {
    if left.acceptance_sets() + right.acceptance_sets() > Marks::MOST {
        return Err(Failure::TooManyEventualities);
    }
    let mut product: Automaton<()> = Automaton::new(left.acceptance_sets() + right.acceptance_sets());
    let mut ids: HashMap<(StateId, StateId), StateId> = HashMap::default();
    let mut order: Vec<(StateId, StateId)> = Vec::new();
    let mut visit = |pair, product: &mut Automaton<()>, order: &mut Vec<(StateId, StateId)>| {
        *ids.entry(pair).or_insert_with(|| {
            order.push(pair);
            product.add_state()
        })
    };
    for &one in left.initial() {
        for &other in right.initial() {
            let state = visit((one, other), &mut product, &mut order);
            product.add_initial(state);
        }
    }
    let mut next = 0;
    while next < order.len() {
        budget.check()?;
        let (one, other) = order[next];
        let from = <StateId as foundation::Id>::from_index(next);
        for step in left.edges_from(one) {
            for answer in right.edges_from(other) {
                if !step.label.and(&answer.label).is_false() {
                    let to = visit((step.to, answer.to), &mut product, &mut order);
                    let marks = step.marks.union(answer.marks.shifted(left.acceptance_sets()));
                    product.add_edge(from, (), to, marks);
                }
            }
        }
        next += 1;
    }
    Ok(!Components::of(&product).iter().any(|(_, component)| component.is_accepting))
}
