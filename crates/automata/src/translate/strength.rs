//! How strong the acceptance of each component is: what an engine must show to refute runs that stay there.
//!
//! The classes are those of Bloem, Ravi and Somenzi (*Efficient decision procedures for model checking of linear time
//! logic properties*, CAV 1999), taken inherently: by cycles, not by where marks happen to be.

use crate::buchi::{Automaton, ComponentId, Components, Guard, StateId};

/// The strength of a component, or of an automaton: the greatest among its components.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Strength {
    /// No run that stays is accepted, or none can stay.
    Rejecting,
    /// Every cycle is accepted, and every letter can be read for ever: once here, any rest of the word is
    /// accepted. Reaching it is what must be refuted.
    Terminal,
    /// Every cycle is accepted. That runs stay is what must be refuted.
    Weak,
    /// Some cycles are accepted and others are not.
    Strong,
}

/// The strengths of an automaton's components.
#[derive(Clone, Debug)]
pub struct Strengths {
    /// The components whose strengths these are.
    pub components: Components,
    of_component: Vec<Strength>,
}

impl Strengths {
    /// The strengths of the components of this automaton.
    pub fn of(automaton: &Automaton<Guard>) -> Strengths {
        let components = Components::of(automaton);
        let of_component = components.iter().map(|(id, _)| strength(automaton, &components, id)).collect();
        Strengths { components, of_component }
    }

    /// The strength of a component.
    pub fn get(&self, component: ComponentId) -> Strength {
        self.of_component[foundation::Id::index(component)]
    }

    /// The strength of the component of a state that can be reached.
    pub fn of_state(&self, state: StateId) -> Option<Strength> {
        self.components.of_state(state).map(|component| self.get(component))
    }

    /// The greatest strength of a component: that of the automaton.
    pub fn greatest(&self) -> Strength {
        self.of_component.iter().copied().max().unwrap_or(Strength::Rejecting)
    }
}

fn strength(automaton: &Automaton<Guard>, components: &Components, id: ComponentId) -> Strength {
    let component = components.get(id);
    if !component.is_accepting {
        return Strength::Rejecting;
    }
    if (0..automaton.acceptance_sets()).any(|set| has_cycle_without(automaton, components, id, set)) {
        return Strength::Strong;
    }
    // Any state of the component that can always stay inside accepts everything.
    let is_total = |&state: &StateId| {
        let staying = automaton.edges_from(state).iter().filter(|edge| components.of_state(edge.to) == Some(id));
        staying.fold(Guard::constant(false), |all, edge| all.or(&edge.label)).is_true()
    };
    if component.states.iter().all(is_total) { Strength::Terminal } else { Strength::Weak }
}

fn has_cycle_without(automaton: &Automaton<Guard>, components: &Components, id: ComponentId, set: u32) -> bool {
    let mut rest = automaton.map_edges(0, |edge| {
        let is_kept = components.inside(edge.from, edge.to) == Some(id) && !edge.marks.contains(set);
        is_kept.then_some(((), crate::buchi::Marks::NONE))
    });
    rest.set_initial(components.get(id).states.clone());
    Components::of(&rest).iter().any(|(_, component)| !component.is_trivial)
}
