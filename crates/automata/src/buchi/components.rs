//! The strongly connected components of an automaton (Tarjan 1972, with a stack of its own instead of recursion).

use foundation::{Arena, Id, define_id};

use super::automaton::{Automaton, StateId};
use super::marks::Marks;

define_id! {
    /// A strongly connected component in [`Components`]. Edges between components lead to smaller ids.
    ComponentId
}

/// What is known of one component.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Component {
    /// Its states, in no particular order.
    pub states: Vec<StateId>,
    /// Whether it has no edge inside, so that no run stays in it.
    pub is_trivial: bool,
    /// The marks on edges inside, taken together.
    pub marks: Marks,
    /// The marks that all edges inside have in common; all marks if the component is trivial.
    pub common_marks: Marks,
    /// Whether runs that stay inside can be accepted: it is not trivial, and its edges carry all marks.
    pub is_accepting: bool,
}

/// The strongly connected components that can be reached from the initial states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Components {
    components: Arena<ComponentId, Component>,
    of_state: Vec<Option<ComponentId>>,
}

impl Components {
    /// The components of an automaton.
    pub fn of<L>(automaton: &Automaton<L>) -> Components {
        let mut search = ComponentSearch {
            visited: vec![UNSEEN; automaton.state_count()],
            lowest: vec![UNSEEN; automaton.state_count()],
            open: Vec::new(),
            clock: 0,
            found: Components { components: Arena::new(), of_state: vec![None; automaton.state_count()] },
        };
        for &root in automaton.initial() {
            search.run(automaton, root);
        }
        let mut found = search.found;
        for edge in automaton.edges() {
            if let Some(component) = found.inside(edge.from, edge.to) {
                let component = &mut found.components[component];
                component.is_trivial = false;
                component.marks = component.marks.union(edge.marks);
                component.common_marks = component.common_marks.intersection(edge.marks);
            }
        }
        for id in found.components.ids() {
            let component = &mut found.components[id];
            component.is_accepting = !component.is_trivial && component.marks == automaton.all_marks();
        }
        found
    }

    /// The component of a state, or nothing if the state cannot be reached.
    pub fn of_state(&self, state: StateId) -> Option<ComponentId> {
        self.of_state[state.index()]
    }

    /// The component that both states are in, if it is the same: then an edge between them is inside it.
    pub fn inside(&self, from: StateId, to: StateId) -> Option<ComponentId> {
        self.of_state(from).filter(|&component| self.of_state(to) == Some(component))
    }

    /// What is known of a component of this automaton.
    pub fn get(&self, id: ComponentId) -> &Component {
        &self.components[id]
    }

    /// All components; those that an edge leads to come before those it leaves.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (ComponentId, &Component)> + ExactSizeIterator {
        self.components.iter()
    }

    /// How many components there are.
    pub fn len(&self) -> usize {
        self.components.len()
    }

    /// Whether there is none: there are no initial states.
    pub fn is_empty(&self) -> bool {
        self.components.is_empty()
    }
}

const UNSEEN: usize = usize::MAX;

struct ComponentSearch {
    visited: Vec<usize>,
    lowest: Vec<usize>,
    /// States whose component is not closed yet, in the order of their visits.
    open: Vec<StateId>,
    clock: usize,
    found: Components,
}

impl ComponentSearch {
    fn run<L>(&mut self, automaton: &Automaton<L>, root: StateId) {
        if self.visited[root.index()] != UNSEEN {
            return;
        }
        // The states from the root to the present one, each with the number of its edges already followed.
        let mut path = vec![(root, 0)];
        self.enter(root);
        while let Some((state, followed)) = path.last_mut() {
            let state = *state;
            if let Some(edge) = automaton.edges_from(state).get(*followed) {
                *followed += 1;
                let to = edge.to.index();
                if self.visited[to] == UNSEEN {
                    path.push((edge.to, 0));
                    self.enter(edge.to);
                } else if self.found.of_state[to].is_none() {
                    self.lowest[state.index()] = self.lowest[state.index()].min(self.visited[to]);
                }
                continue;
            }
            path.pop();
            if let Some(&(parent, _)) = path.last() {
                self.lowest[parent.index()] = self.lowest[parent.index()].min(self.lowest[state.index()]);
            }
            if self.lowest[state.index()] == self.visited[state.index()] {
                self.close(automaton, state);
            }
        }
    }

    fn enter(&mut self, state: StateId) {
        self.visited[state.index()] = self.clock;
        self.lowest[state.index()] = self.clock;
        self.clock += 1;
        self.open.push(state);
    }

    fn close<L>(&mut self, automaton: &Automaton<L>, root: StateId) {
        let start = self.open.iter().rposition(|&state| state == root).expect("the root of a component is open");
        let states = self.open.split_off(start);
        let id = self.found.components.push(Component {
            states,
            is_trivial: true,
            marks: Marks::NONE,
            common_marks: automaton.all_marks(),
            is_accepting: false,
        });
        for &state in &self.found.components[id].states {
            self.found.of_state[state.index()] = Some(id);
        }
    }
}
