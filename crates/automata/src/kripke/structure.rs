//! Kripke structures: named states, of which some are initial, with transitions and the atoms that hold in each
//! (Definition 1 of the lecture notes).
//!
//! The definition wants a successor for every state. A state without one is a *deadlock*: its only path stays in it
//! for ever, exactly as a finished program repeats its last state, so [`Kripke::successors`] answers the state itself.

use foundation::collections::{HashMap, HashSet};
use foundation::{Arena, define_id};

define_id! {
    /// A state of a [`Kripke`] structure.
    KripkeState
}

define_id! {
    /// An atomic proposition of a [`Kripke`] structure.
    Proposition
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct StateData {
    name: String,
    /// In ascending order.
    holds: Vec<Proposition>,
    /// In the order in which they were added, each once.
    successors: Vec<KripkeState>,
}

/// A Kripke structure.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Kripke {
    propositions: Arena<Proposition, String>,
    proposition_names: HashMap<String, Proposition>,
    states: Arena<KripkeState, StateData>,
    state_names: HashMap<String, KripkeState>,
    initial: Vec<KripkeState>,
    /// Of the transitions and the initial states, what is there already.
    transitions: HashSet<(KripkeState, KripkeState)>,
    is_initial: HashSet<KripkeState>,
}

impl Kripke {
    /// A structure without states.
    pub fn new() -> Self {
        Self::default()
    }

    /// The proposition of this name, which is added if it is new.
    pub fn add_proposition(&mut self, name: &str) -> Proposition {
        if let Some(&known) = self.proposition_names.get(name) {
            return known;
        }
        let proposition = self.propositions.push(name.to_owned());
        self.proposition_names.insert(name.to_owned(), proposition);
        proposition
    }

    /// Adds a state; `None` if there is one of this name already.
    pub fn add_state(&mut self, name: &str) -> Option<KripkeState> {
        if self.state_names.contains_key(name) {
            return None;
        }
        let state = self.states.push(StateData { name: name.to_owned(), ..StateData::default() });
        self.state_names.insert(name.to_owned(), state);
        Some(state)
    }

    /// Lets a proposition hold in a state.
    pub fn label(&mut self, state: KripkeState, proposition: Proposition) {
        let holds = &mut self.states[state].holds;
        if let Err(at) = holds.binary_search(&proposition) {
            holds.insert(at, proposition);
        }
    }

    /// Adds a transition; false if it was there already.
    pub fn add_transition(&mut self, from: KripkeState, to: KripkeState) -> bool {
        let is_new = self.transitions.insert((from, to));
        if is_new {
            self.states[from].successors.push(to);
        }
        is_new
    }

    /// Makes a state initial; false if it was already.
    pub fn add_initial(&mut self, state: KripkeState) -> bool {
        let is_new = self.is_initial.insert(state);
        if is_new {
            self.initial.push(state);
        }
        is_new
    }

    /// All states in the order in which they were added.
    pub fn states(&self) -> impl DoubleEndedIterator<Item = KripkeState> + ExactSizeIterator + use<> {
        self.states.ids()
    }

    /// All propositions in the order in which they were added.
    pub fn propositions(&self) -> impl DoubleEndedIterator<Item = Proposition> + ExactSizeIterator + use<> {
        self.propositions.ids()
    }

    /// The initial states.
    pub fn initial(&self) -> &[KripkeState] {
        &self.initial
    }

    /// The name of a state.
    pub fn name(&self, state: KripkeState) -> &str {
        &self.states[state].name
    }

    /// The name of a proposition.
    pub fn proposition_name(&self, proposition: Proposition) -> &str {
        &self.propositions[proposition]
    }

    /// The state of this name.
    pub fn find_state(&self, name: &str) -> Option<KripkeState> {
        self.state_names.get(name).copied()
    }

    /// The proposition of this name.
    pub fn find_proposition(&self, name: &str) -> Option<Proposition> {
        self.proposition_names.get(name).copied()
    }

    /// The propositions that hold in a state, in ascending order.
    pub fn holds(&self, state: KripkeState) -> &[Proposition] {
        &self.states[state].holds
    }

    /// The transitions that were added from a state; a deadlock has none.
    pub fn transitions(&self, state: KripkeState) -> &[KripkeState] {
        &self.states[state].successors
    }

    /// Whether no transition leaves the state.
    pub fn is_deadlock(&self, state: KripkeState) -> bool {
        self.states[state].successors.is_empty()
    }

    /// The states that may follow a state on a path; a deadlock is followed by itself.
    pub fn successors(&self, state: KripkeState) -> Vec<KripkeState> {
        if self.is_deadlock(state) { vec![state] } else { self.states[state].successors.clone() }
    }
}

/// A path of a structure: the stem and then the cycle for ever.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KripkePath {
    /// The states up to where the cycle begins; there may be none.
    pub stem: Vec<KripkeState>,
    /// The states of the cycle; there is one at least.
    pub cycle: Vec<KripkeState>,
}
