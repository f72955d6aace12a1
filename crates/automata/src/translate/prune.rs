//! Leaving out what no accepted run needs: states, edges, marks and acceptance sets.
//!
//! Marks matter only on edges inside accepting strongly connected components. There, an acceptance set is redundant
//! if every cycle that belongs to all others belongs to it; and as runs end up in one component, the sets that remain
//! are numbered from zero in each component anew (Duret-Lutz, *LTL translation improvements in Spot 1.0*, 2014,
//! calls this SCC-based acceptance simplification).

use std::collections::BTreeMap;

use foundation::Id;
use foundation::collections::HashMap;

use crate::buchi::{Automaton, ComponentId, Components, Edge, Guard, Marks, StateId};

/// What marks are put on edges that no run takes infinitely often. It does not matter for the language, but it does
/// for simulations, which compare marks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Transient {
    /// No marks.
    Unmarked,
    /// All marks.
    Marked,
}

/// The automaton without edges that read nothing, which automata that were read from a text may have.
pub fn without_false_edges(automaton: &Automaton<Guard>) -> Automaton<Guard> {
    let kept = |edge: &Edge<Guard>| (!edge.label.is_false()).then(|| (edge.label.clone(), edge.marks));
    automaton.map_edges(automaton.acceptance_sets(), kept)
}

/// The part of the automaton that accepted runs use, with parallel edges of equal marks joined. An automaton that
/// accepts nothing is left with one state and no edges.
pub fn trim(automaton: &Automaton<Guard>) -> Automaton<Guard> {
    let components = Components::of(automaton);
    // Whether accepting components can be reached; smaller ids come first in the order of edges.
    let mut is_useful = vec![false; components.len()];
    for (id, component) in components.iter() {
        let leads_on = |&state: &StateId| {
            let successors = automaton.edges_from(state).iter();
            successors.filter_map(|edge| components.of_state(edge.to)).any(|next| is_useful[next.index()])
        };
        is_useful[id.index()] = component.is_accepting || component.states.iter().any(leads_on);
    }
    restricted(automaton, |state| components.of_state(state).is_some_and(|component| is_useful[component.index()]))
}

/// The part of the automaton with the given states, numbered in the order of a breadth-first search.
pub fn restricted(automaton: &Automaton<Guard>, is_kept: impl Fn(StateId) -> bool) -> Automaton<Guard> {
    let mut order: Vec<StateId> = automaton.initial().iter().copied().filter(|&state| is_kept(state)).collect();
    let mut trimmed = Automaton::new(automaton.acceptance_sets());
    let mut ids: HashMap<StateId, StateId> = order.iter().map(|&state| (state, trimmed.add_state())).collect();
    for &state in &order {
        trimmed.add_initial(ids[&state]);
    }
    if order.is_empty() {
        let only = trimmed.add_state();
        trimmed.add_initial(only);
    }
    let mut next = 0;
    while next < order.len() {
        let mut edges: BTreeMap<(StateId, Marks), Guard> = BTreeMap::new();
        for edge in automaton.edges_from(order[next]).iter().filter(|edge| is_kept(edge.to)) {
            let to = *ids.entry(edge.to).or_insert_with(|| {
                order.push(edge.to);
                trimmed.add_state()
            });
            let label = edges.entry((to, edge.marks)).or_insert_with(|| Guard::constant(false));
            *label = label.or(&edge.label);
        }
        for ((to, marks), label) in edges {
            if !label.is_false() {
                trimmed.add_edge(ids[&order[next]], label, to, marks);
            }
        }
        next += 1;
    }
    trimmed
}

/// The automaton with as few acceptance sets as are seen to do, and with marks only where they matter; on edges where
/// it makes no difference there are as many as `transient` says. There is no set at all if every infinite run is
/// accepted.
pub fn simplify_acceptance(automaton: &Automaton<Guard>, transient: Transient) -> Automaton<Guard> {
    let components = Components::of(automaton);
    let mut inner: Vec<Vec<&Edge<Guard>>> = vec![Vec::new(); components.len()];
    for edge in automaton.edges() {
        if let Some(component) = components.inside(edge.from, edge.to) {
            inner[component.index()].push(edge);
        }
    }
    let mut needed: Vec<Vec<u32>> = Vec::new();
    let mut count = 0;
    for (id, component) in components.iter() {
        let sets = if component.is_accepting {
            needed_sets(&inner[id.index()], automaton.acceptance_sets())
        } else {
            // A component where runs can stay must be told from those where they are accepted.
            count = count.max(u32::from(!component.is_trivial));
            Vec::new()
        };
        count = count.max(sets.len() as u32);
        needed.push(sets);
    }
    let marks_inside = |edge: &Edge<Guard>, id: ComponentId| {
        if !components.get(id).is_accepting {
            return Marks::NONE;
        }
        let sets = &needed[id.index()];
        let kept = (0..).zip(sets).filter(|&(_, &set)| edge.marks.contains(set)).map(|(number, _)| number);
        kept.chain(sets.len() as u32..count).collect()
    };
    let simplified = automaton.map_edges(count, |edge| {
        let component = components.inside(edge.from, edge.to);
        Some((edge.label.clone(), component.map_or(Marks::NONE, |component| marks_inside(edge, component))))
    });
    if transient == Transient::Marked { saturated(simplified) } else { simplified }
}

/// The same for an automaton with one set and state-based acceptance, which it stays. States on cycles that
/// are all accepted are marked as well where `transient` says so.
pub fn simplify_state_acceptance(automaton: &Automaton<Guard>, transient: Transient) -> Automaton<Guard> {
    let components = Components::of(automaton);
    let marked = Marks::all(1);
    // What is left without accepting states: only states on its cycles must not be marked.
    let rest = automaton.map_edges(0, |edge| {
        let is_kept = components.inside(edge.from, edge.to).is_some()
            && !automaton.is_accepting(edge.from)
            && !automaton.is_accepting(edge.to);
        is_kept.then_some(((), Marks::NONE))
    });
    let rejecting_cycles = all_components(rest);
    let is_marked = |state: StateId| {
        let component = components.of_state(state).map(|id| components.get(id));
        match component {
            None => false,
            Some(component) if component.is_trivial => transient == Transient::Marked,
            Some(component) if !component.is_accepting => false,
            Some(_) if automaton.is_accepting(state) => true,
            Some(_) => {
                let is_free = rejecting_cycles.of_state(state).is_some_and(|id| rejecting_cycles.get(id).is_trivial);
                transient == Transient::Marked && is_free
            }
        }
    };
    automaton.map_edges(1, |edge| Some((edge.label.clone(), if is_marked(edge.from) { marked } else { Marks::NONE })))
}

/// Adds marks to edges that lie on no cycle without them, inside components.
fn saturated(automaton: Automaton<Guard>) -> Automaton<Guard> {
    let mut saturated = automaton;
    for set in 0..saturated.acceptance_sets() {
        let rest = saturated.map_edges(0, |edge| (!edge.marks.contains(set)).then_some(((), Marks::NONE)));
        let cycles = all_components(rest);
        saturated = saturated.map_edges(saturated.acceptance_sets(), |edge| {
            let is_free = cycles.inside(edge.from, edge.to).is_none();
            let added = if is_free { Marks::one(set) } else { Marks::NONE };
            Some((edge.label.clone(), edge.marks.union(added)))
        });
    }
    saturated
}

/// The components of the whole graph, whatever the initial states.
fn all_components(mut graph: Automaton<()>) -> Components {
    graph.set_initial(graph.states().collect());
    Components::of(&graph)
}

/// The acceptance sets that decide which cycles of a component are accepted: one after the other is left out if every
/// cycle in all others is in it.
fn needed_sets(edges: &[&Edge<Guard>], acceptance_sets: u32) -> Vec<u32> {
    let mut needed: Vec<u32> = (0..acceptance_sets).collect();
    for set in (0..acceptance_sets).rev() {
        let others: Vec<u32> = needed.iter().copied().filter(|&other| other != set).collect();
        let wanted: Marks = others.iter().copied().collect();
        if !has_cycle_with(edges.iter().filter(|edge| !edge.marks.contains(set)), wanted) {
            needed = others;
        }
    }
    needed
}

/// Whether some of these edges make up a cycle that carries all of the wanted marks.
fn has_cycle_with<'a>(edges: impl Iterator<Item = &'a &'a Edge<Guard>>, wanted: Marks) -> bool {
    let mut graph: Automaton<()> = Automaton::new(0);
    let mut ids: HashMap<StateId, StateId> = HashMap::default();
    let mut marks: HashMap<(StateId, StateId), Marks> = HashMap::default();
    for edge in edges {
        let [from, to] = [edge.from, edge.to].map(|state| *ids.entry(state).or_insert_with(|| graph.add_state()));
        graph.add_edge(from, (), to, Marks::NONE);
        let known = marks.entry((from, to)).or_default();
        *known = known.union(edge.marks);
    }
    let components = all_components(graph);
    let mut found: HashMap<ComponentId, Marks> = HashMap::default();
    for (&(from, to), &on_edge) in &marks {
        if let Some(component) = components.inside(from, to) {
            let known = found.entry(component).or_default();
            *known = known.union(on_edge);
        }
    }
    found.values().any(|&found| wanted.is_subset(found))
}
