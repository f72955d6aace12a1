//! From several acceptance sets to one, component by component.
//!
//! A copy of the automaton for each level waits for edges of one set after the other; going round once is accepted
//! (Gastin and Oddoux, *Fast LTL to Büchi automata translation*, CAV 2001). Levels matter only inside accepting
//! components, and all copies of a state accept the same words. So each component is treated on its own: its copies are
//! laid out under several orders of the sets, the smallest closed part that can be had is kept, and edges
//! from outside enter there (compare Babiak et al., SPIN 2013, and the per-component choices of Spot's
//! `degeneralize`).

use foundation::collections::{HashMap, HashSet};
use foundation::{Budget, Id};

use super::Failure;
use super::prune::restricted;
use crate::buchi::{Automaton, ComponentId, Components, Edge, Guard, Marks, StateId};

/// Where the acceptance of the result is to be.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Placement {
    /// On edges.
    Edges,
    /// On states: all edges that leave a state carry the mark, or none does.
    States,
}

/// Components with more sets than this are laid out under rotations of one order of the sets only.
const MOST_PERMUTED_SETS: usize = 4;

/// An automaton with one acceptance set for the same language.
pub fn degeneralise(
    automaton: &Automaton<Guard>,
    placement: Placement,
    budget: &Budget,
) -> Result<Automaton<Guard>, Failure> {
    let components = Components::of(automaton);
    let mut layouts: Vec<Option<CopyLayout>> = Vec::new();
    for (id, component) in components.iter() {
        budget.check()?;
        layouts.push(component.is_accepting.then(|| smallest_layout(automaton, &components, id, placement)));
    }
    let layout_of = |state: StateId| {
        let component = components.of_state(state).expect("only reachable states are asked for");
        layouts[component.index()].as_ref()
    };
    let mut result = Automaton::new(1);
    let mut ids: HashMap<(StateId, SetsSeen), StateId> = HashMap::default();
    let mut order: Vec<(StateId, SetsSeen)> = Vec::new();
    let mut visit = |copy: (StateId, SetsSeen), result: &mut Automaton<Guard>, order: &mut Vec<(StateId, SetsSeen)>| {
        *ids.entry(copy).or_insert_with(|| {
            order.push(copy);
            result.add_state()
        })
    };
    let entry = |state: StateId| (state, layout_of(state).map_or(0, |layout| layout.entries[&state]));
    for &state in automaton.initial() {
        let copy = visit(entry(state), &mut result, &mut order);
        result.add_initial(copy);
    }
    let mut next = 0;
    while next < order.len() {
        budget.check()?;
        let (state, level) = order[next];
        let from = StateId::from_index(next);
        let layout = layout_of(state);
        for edge in automaton.edges_from(state) {
            let is_inside = components.inside(state, edge.to).is_some();
            let (to, is_marked) = match layout {
                Some(layout) if is_inside => {
                    let (higher, completes) = layout.step(edge, level);
                    let is_marked = match placement {
                        Placement::Edges => completes,
                        Placement::States => layout.is_accepting_level(level),
                    };
                    ((edge.to, higher), is_marked)
                }
                Some(layout) => (entry(edge.to), placement == Placement::States && layout.is_accepting_level(level)),
                None => (entry(edge.to), false),
            };
            let to = visit(to, &mut result, &mut order);
            result.add_edge(from, edge.label.clone(), to, if is_marked { Marks::all(1) } else { Marks::NONE });
        }
        next += 1;
    }
    Ok(restricted(&result, |_| true))
}

/// How many sets of the order have been seen since the last round was completed. With acceptance on states, the
/// last level, where all have been seen, is the accepting one.
type SetsSeen = u32;

/// Other marks for edges inside a component, by their ends and marks.
type Remarked = HashMap<(StateId, StateId, Marks), Marks>;

/// How the states of one component are copied.
struct CopyLayout {
    placement: Placement,
    /// The sets in the order in which they are waited for.
    order: Vec<u32>,
    /// The marks of edges inside the component that differ from those in the automaton.
    spread: Remarked,
    /// The copies that are kept, as the copy to enter for each state.
    entries: HashMap<StateId, SetsSeen>,
    size: usize,
}

impl CopyLayout {
    fn is_accepting_level(&self, level: SetsSeen) -> bool {
        level as usize == self.order.len()
    }

    /// The level after an edge inside the component, and whether a round is completed on it.
    fn step(&self, edge: &Edge<Guard>, level: SetsSeen) -> (SetsSeen, bool) {
        let marks = *self.spread.get(&(edge.from, edge.to, edge.marks)).unwrap_or(&edge.marks);
        let advance = |mut level: usize| {
            while level < self.order.len() && marks.contains(self.order[level]) {
                level += 1;
            }
            level
        };
        let all = self.order.len();
        match self.placement {
            Placement::States => {
                let start = if level as usize == all { 0 } else { level as usize };
                (advance(start) as SetsSeen, false)
            }
            Placement::Edges => {
                let reached = advance(level as usize);
                if reached < all {
                    return (reached as SetsSeen, false);
                }
                // What the edge carries beyond the completed round counts for the next one.
                let again = advance(0);
                ((if again == all { 0 } else { again }) as SetsSeen, true)
            }
        }
    }
}

fn smallest_layout(
    automaton: &Automaton<Guard>,
    components: &Components,
    id: ComponentId,
    placement: Placement,
) -> CopyLayout {
    let states = &components.get(id).states;
    let inner: Vec<&Edge<Guard>> = states
        .iter()
        .flat_map(|&state| automaton.edges_from(state))
        .filter(|edge| components.inside(edge.from, edge.to).is_some())
        .collect();
    // Sets that all edges carry need not be waited for.
    let common = components.get(id).common_marks;
    let sets: Vec<u32> = automaton.all_marks().minus(common).iter().collect();
    let mut best: Option<CopyLayout> = None;
    for spread in [HashMap::default(), sparse_marks(&inner), shifted_marks(&inner), spread_marks(&inner)] {
        for order in orders(&sets) {
            let layout = CopyLayout { placement, order, spread: spread.clone(), entries: HashMap::default(), size: 0 };
            let layout = laid_out(layout, states, &inner);
            if best.as_ref().is_none_or(|best| layout.size < best.size) {
                best = Some(layout);
            }
        }
    }
    best.expect("there is at least one order")
}

/// The orders to be tried.
fn orders(sets: &[u32]) -> Vec<Vec<u32>> {
    if sets.len() > MOST_PERMUTED_SETS {
        let rotated = |by: usize| sets[by..].iter().chain(&sets[..by]).copied().collect();
        return (0..sets.len()).map(rotated).collect();
    }
    let mut orders = vec![vec![]];
    for &set in sets {
        let with_set = |order: &Vec<u32>| {
            (0..=order.len())
                .map(|at| {
                    let mut longer: Vec<u32> = order.clone();
                    longer.insert(at, set);
                    longer
                })
                .collect::<Vec<_>>()
        };
        orders = orders.iter().flat_map(with_set).collect();
    }
    orders
}

/// Leaves out marks without which the same cycles are accepted, since every cycle through the edge has the mark
/// elsewhere. Those on edges into states that are also entered without the mark go first: such a state would need a
/// copy more.
fn sparse_marks(inner: &[&Edge<Guard>]) -> Remarked {
    let mut edges: Vec<(StateId, StateId, Marks)> = inner.iter().map(|edge| (edge.from, edge.to, edge.marks)).collect();
    edges.sort_unstable();
    edges.dedup();
    let mut marks: Vec<Marks> = edges.iter().map(|&(_, _, marks)| marks).collect();
    let all = marks.iter().fold(Marks::NONE, |all, &marks| all.union(marks));
    for set in all.iter() {
        let entered_without: HashSet<StateId> =
            edges.iter().filter(|edge| !edge.2.contains(set)).map(|edge| edge.1).collect();
        let mut order: Vec<usize> = (0..edges.len()).filter(|&edge| marks[edge].contains(set)).collect();
        order.sort_by_key(|&edge| !entered_without.contains(&edges[edge].1));
        for edge in order {
            let (from, to, _) = edges[edge];
            let unmarked = edges.iter().zip(&marks).filter(|(_, marks)| !marks.contains(set));
            if !is_path(to, from, unmarked.map(|(&(from, to, _), _)| (from, to))) {
                marks[edge] = marks[edge].minus(Marks::one(set));
            }
        }
    }
    edges.into_iter().zip(marks).collect()
}

/// Whether these edges lead from one state to the other.
fn is_path(from: StateId, to: StateId, edges: impl Iterator<Item = (StateId, StateId)>) -> bool {
    let mut successors: HashMap<StateId, Vec<StateId>> = HashMap::default();
    for (from, to) in edges {
        successors.entry(from).or_default().push(to);
    }
    let mut seen = HashSet::from_iter([from]);
    let mut open = vec![from];
    while let Some(next) = open.pop() {
        if next == to {
            return true;
        }
        open.extend(successors.get(&next).into_iter().flatten().copied().filter(|&state| seen.insert(state)));
    }
    false
}

/// Where a set is a matter of states inside the component, so that all edges leaving a state carry its mark or none
/// does, the mark may as well be on the edges entering the state. Then one level is enough for the state.
fn shifted_marks(inner: &[&Edge<Guard>]) -> Remarked {
    let mut all: HashMap<StateId, Marks> = HashMap::default();
    let mut some: HashMap<StateId, Marks> = HashMap::default();
    for edge in inner {
        all.entry(edge.from).and_modify(|known| *known = known.intersection(edge.marks)).or_insert(edge.marks);
        some.entry(edge.from).and_modify(|known| *known = known.union(edge.marks)).or_insert(edge.marks);
    }
    let mixed = all.iter().fold(Marks::NONE, |mixed, (state, &all)| mixed.union(some[state].minus(all)));
    let shifted = |edge: &Edge<Guard>| edge.marks.intersection(mixed).union(all[&edge.to].minus(mixed));
    inner.iter().map(|edge| ((edge.from, edge.to, edge.marks), shifted(edge))).collect()
}

/// Marks that all edges leaving a state carry inside the component may as well be carried by those entering it, and the
/// other way round: a run that takes one for ever takes the other for ever. More marks make for fewer levels.
fn spread_marks(inner: &[&Edge<Guard>]) -> Remarked {
    let mut marks: Vec<Marks> = inner.iter().map(|edge| edge.marks).collect();
    loop {
        let mut leaving: HashMap<StateId, Marks> = HashMap::default();
        let mut entering: HashMap<StateId, Marks> = HashMap::default();
        for (edge, &marks) in inner.iter().zip(&marks) {
            for (known, state) in [(&mut leaving, edge.from), (&mut entering, edge.to)] {
                known.entry(state).and_modify(|known| *known = known.intersection(marks)).or_insert(marks);
            }
        }
        let more: Vec<Marks> = inner
            .iter()
            .zip(&marks)
            .map(|(edge, &marks)| marks.union(leaving[&edge.to]).union(entering[&edge.from]))
            .collect();
        if more == marks {
            break;
        }
        marks = more;
    }
    inner.iter().zip(marks).map(|(edge, marks)| ((edge.from, edge.to, edge.marks), marks)).collect()
}

/// Finds the smallest set of copies that is closed under edges inside the component and strongly connected: it has
/// a copy of every state.
fn laid_out(mut layout: CopyLayout, states: &[StateId], inner: &[&Edge<Guard>]) -> CopyLayout {
    let levels = layout.order.len() + usize::from(layout.placement == Placement::States);
    let levels = levels.max(1);
    let position: HashMap<StateId, usize> = states.iter().enumerate().map(|(at, &state)| (state, at)).collect();
    let copy = |state: StateId, level: usize| StateId::from_index(position[&state] * levels + level);
    let mut graph: Automaton<()> = Automaton::new(0);
    for _ in 0..states.len() * levels {
        graph.add_state();
    }
    for edge in inner {
        for level in 0..levels {
            let (higher, _) = layout.step(edge, level as SetsSeen);
            graph.add_edge(copy(edge.from, level), (), copy(edge.to, higher as usize), Marks::NONE);
        }
    }
    graph.set_initial(graph.states().collect());
    let copies = Components::of(&graph);
    let is_closed = |id: ComponentId| {
        let states = copies.get(id).states.iter();
        states.flat_map(|&state| graph.edges_from(state)).all(|edge| copies.of_state(edge.to) == Some(id))
    };
    let closed = copies.iter().filter(|&(id, _)| is_closed(id));
    let (_, smallest) =
        closed.min_by_key(|(_, component)| component.states.len()).expect("a finite graph has a closed component");
    layout.size = smallest.states.len();
    let mut kept = smallest.states.clone();
    kept.sort_unstable();
    for copy in kept {
        let (state, level) = (states[copy.index() / levels], copy.index() % levels);
        layout.entries.insert(state, level as SetsSeen);
    }
    layout
}
