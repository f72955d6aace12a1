//! What kind of automaton it is: the narrower the class, the simpler its complement.

use foundation::Id;
use foundation::collections::HashSet;

use crate::buchi::{Automaton, Components, Label, StateId};

use super::alphabet::Minterms;
use super::module::{Module, StateBased};
use super::state_set::StateSet;

/// The narrowest class, among those that have a complement of their own, that an automaton is in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Terminal: from an accepting state every letter leads to some accepting state.
    FiniteTrace,
    /// At most one run on every word.
    Deterministic,
    /// No cycle has both accepting and other states.
    Weak,
    /// Deterministic from the accepting states on.
    SemiDeterministic {
        /// The accepting states and all that can be reached from them.
        second_part: StateSet,
    },
    /// None of these.
    General,
}

/// The kind of a module. Weak modules that are not terminal count as weak before they count as semi-deterministic:
/// their complements are deterministic.
pub fn kind<L: Label>(module: &StateBased<L>, alphabet: &Minterms<L>) -> Kind {
    if is_finite_trace(module, alphabet) {
        Kind::FiniteTrace
    } else if is_deterministic(module) {
        Kind::Deterministic
    } else if is_weak(module) {
        Kind::Weak
    } else if let Some(second_part) = semi_deterministic_part(module) {
        Kind::SemiDeterministic { second_part }
    } else {
        Kind::General
    }
}

/// Whether from every accepting state every letter leads to some accepting state.
pub fn is_finite_trace<L: Label>(module: &StateBased<L>, alphabet: &Minterms<L>) -> bool {
    let stays = |state: StateId, letter: &L| !module.accepting(&module.read(state, letter)).is_empty();
    module.accepting_states().iter().all(|state| alphabet.letters().iter().all(|letter| stays(state, letter)))
}

/// Whether there is at most one initial state, and no state has two successors on one letter.
pub fn is_deterministic<L: Label>(module: &StateBased<L>) -> bool {
    module.initial().len() <= 1 && module.states().all(|state| is_deterministic_in(module, state))
}

/// The accepting states with all that can be reached from them, if that part is deterministic.
pub fn semi_deterministic_part<L: Label>(module: &StateBased<L>) -> Option<StateSet> {
    let mut part = module.accepting_states().clone();
    let mut open: Vec<StateId> = part.iter().collect();
    while let Some(state) = open.pop() {
        if !is_deterministic_in(module, state) {
            return None;
        }
        for &(_, to) in module.edges_from(state) {
            if part.insert(to) {
                open.push(to);
            }
        }
    }
    Some(part)
}

/// Whether no cycle has both accepting and other states.
pub fn is_weak<L: Label>(module: &StateBased<L>) -> bool {
    let automaton = module.to_automaton();
    let components = Components::of(&automaton);
    components.iter().all(|(_, component)| {
        component.is_trivial || {
            let accepting = component.states.iter().filter(|&&state| module.is_accepting(state)).count();
            accepting == 0 || accepting == component.states.len()
        }
    })
}

/// Whether every component of an automaton accepts all runs that stay in it or none, to be seen from its marks alone.
pub fn has_weak_acceptance<L>(automaton: &Automaton<L>) -> bool {
    Components::of(automaton)
        .iter()
        .all(|(_, component)| !component.is_accepting || component.common_marks == automaton.all_marks())
}

/// Whether every state that can be reached has a successor on every letter, and there is an initial state.
pub fn is_complete<L: Label>(automaton: &Automaton<L>, alphabet: &Minterms<L>) -> bool {
    let components = Components::of(automaton);
    let reads =
        |state: StateId, letter: &L| automaton.edges_from(state).iter().any(|edge| edge.label.meet(letter).is_some());
    let is_complete_in = |state: StateId| alphabet.letters().iter().all(|letter| reads(state, letter));
    let reachable = automaton.states().filter(|&state| components.of_state(state).is_some());
    !automaton.initial().is_empty() && { reachable }.all(is_complete_in)
}

/// Whether the automaton is weak and once it can accept it cannot fail: every component with an accepting cycle, and
/// all that can be reached from it, accepts, and reads every letter.
pub fn is_terminal<L: Label>(automaton: &Automaton<L>, alphabet: &Minterms<L>) -> bool {
    if !has_weak_acceptance(automaton) {
        return false;
    }
    let components = Components::of(automaton);
    let mut seen: HashSet<StateId> = HashSet::default();
    let mut open: Vec<StateId> = Vec::new();
    for (_, component) in components.iter().filter(|(_, component)| component.is_accepting) {
        open.extend(&component.states);
    }
    while let Some(state) = open.pop() {
        if !seen.insert(state) {
            continue;
        }
        let component = components.of_state(state).map(|component| components.get(component));
        let edges = automaton.edges_from(state);
        let reads = |letter: &L| edges.iter().any(|edge| edge.label.meet(letter).is_some());
        if component.is_none_or(|component| !component.is_trivial && !component.is_accepting)
            || !alphabet.letters().iter().all(reads)
        {
            return false;
        }
        open.extend(edges.iter().map(|edge| edge.to));
    }
    true
}

fn is_deterministic_in<L: Label>(module: &StateBased<L>, state: StateId) -> bool {
    let edges = module.edges_from(state);
    let differ =
        |one: &(L, StateId), other: &(L, StateId)| one.1.index() == other.1.index() || one.0.meet(&other.0).is_none();
    edges.iter().enumerate().all(|(position, one)| edges[position + 1..].iter().all(|other| differ(one, other)))
}
