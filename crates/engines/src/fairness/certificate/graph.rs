//! The graph of a certificate: what the searches found to accept nothing, numbered by components.

use std::collections::{BTreeMap, BTreeSet};

use automata::algorithms::StateSet;
use automata::buchi::{Automaton, Components, Marks, StateId};
use foundation::Id;
use foundation::collections::{HashMap, HashSet};
use logic::Term;
use task::certificate::refutation::{Macrostate, ProgressCondition, ProofNode};

use super::super::module::Refuted;
use super::super::remainder::ModulePart;
use super::ProofParts;

impl ProofParts<'_, '_> {
    /// The graph: what the searches found to accept nothing, and the product's states that no fair trace passes.
    pub(super) fn graph(
        &self,
        numbers: &BTreeMap<StateId, u32>,
        reached: &[StateId],
        predicate: &mut dyn FnMut(Term) -> u32,
    ) -> Result<ProofGraph, String> {
        let closed = self.rest.closed().ok_or("a state of the search was not kept")?;
        let mut nodes = Vec::new();
        for state in &closed.states {
            let mut node = ProofNode {
                state: numbers[&self.kept[state.minuend.index()]],
                predicates: Vec::new(),
                macrostates: Vec::new(),
                number: 0,
            };
            for part in self.rest.parts(state) {
                match part {
                    ModulePart::Finite(Refuted::Finite(module), state) => {
                        node.predicates.extend(module.held(state).into_iter().map(&mut *predicate));
                    }
                    ModulePart::Finite(..) => return Err("a prefix was refuted without predicates".to_owned()),
                    ModulePart::Omega(macrostate) => {
                        let list = |set: &StateSet| set.iter().map(|state| state.index() as u32).collect();
                        node.macrostates.push(Macrostate {
                            uncommitted: list(&macrostate.uncommitted),
                            checked: list(&macrostate.checked),
                            safe: list(&macrostate.safe),
                            breakpoint: list(&macrostate.breakpoint),
                        });
                    }
                }
            }
            node.predicates.sort_unstable();
            node.predicates.dedup();
            nodes.push(node);
        }
        let mut edges = closed.edges;
        let kept: HashSet<StateId> = self.kept.iter().copied().collect();
        let mut hopeless: HashMap<StateId, usize> = HashMap::default();
        for &state in reached.iter().filter(|state| !kept.contains(state)) {
            hopeless.insert(state, nodes.len());
            nodes.push(ProofNode {
                state: numbers[&state],
                predicates: Vec::new(),
                macrostates: Vec::new(),
                number: 0,
            });
        }
        let sources: Vec<(usize, StateId)> = (closed.states.iter().enumerate())
            .map(|(index, state)| (index, self.kept[state.minuend.index()]))
            .chain(hopeless.iter().map(|(&state, &index)| (index, state)))
            .collect();
        for (from, state) in sources {
            for edge in self.whole.edges_from(state) {
                if let Some(&to) = hopeless.get(&edge.to) {
                    edges.push((from, edge.marks, to));
                }
            }
        }
        number(nodes, &edges, self.negation.automaton.acceptance_sets())
    }
}

/// The graph, and why nothing goes on in it for ever.
pub(super) struct ProofGraph {
    pub nodes: Vec<ProofNode>,
    pub missing: Vec<ProgressCondition>,
}

/// Numbers the nodes by their components, those that are left last first, and says what each component lacks.
fn number(mut nodes: Vec<ProofNode>, edges: &[(usize, Marks, usize)], sets: u32) -> Result<ProofGraph, String> {
    let mut graph: Automaton<()> = Automaton::new(0);
    let ids: Vec<StateId> = nodes.iter().map(|_| graph.add_state()).collect();
    for &id in &ids {
        graph.add_initial(id);
    }
    for &(from, _, to) in edges {
        graph.add_edge(ids[from], (), ids[to], Marks::NONE);
    }
    // Edges lead to components with smaller ids.
    let components = Components::of(&graph);
    let mut inside = vec![None::<Marks>; components.len()];
    for (node, &id) in nodes.iter_mut().zip(&ids) {
        node.number = components.of_state(id).expect("every node is an initial one").index() as u32;
    }
    for &(from, marks, to) in edges {
        let (from, to) = (nodes[from].number, nodes[to].number);
        if from == to {
            let before = inside[from as usize].unwrap_or(Marks::NONE);
            inside[from as usize] = Some(before.union(marks));
        }
    }
    // For each component, the modules whose breakpoint no node of it has reached.
    let mut waiting: Vec<Option<BTreeSet<u32>>> = vec![None; components.len()];
    for node in &nodes {
        let open = (0u32..).zip(&node.macrostates).filter(|(_, runs)| !runs.breakpoint.is_empty());
        let open: BTreeSet<u32> = open.map(|(module, _)| module).collect();
        let all = &mut waiting[node.number as usize];
        *all = Some(all.take().map_or(open.clone(), |all| all.intersection(&open).copied().collect()));
    }
    let mut missing = Vec::new();
    for (number, marks) in inside.iter().enumerate() {
        missing.push(match marks {
            None => ProgressCondition::Edges,
            Some(marks) => {
                let absent = Marks::all(sets).minus(*marks).iter().next().map(ProgressCondition::Mark);
                let waits =
                    || waiting[number].iter().flatten().next().map(|&module| ProgressCondition::Breakpoint(module));
                absent.or_else(waits).ok_or("a component of the search lacks nothing")?
            }
        });
    }
    Ok(ProofGraph { nodes, missing })
}
