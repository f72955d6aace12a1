//! What is left of the Büchi program when the modules are taken away: emptiness of the difference, one search per
//! iteration.
//!
//! The states of a module's complement are numbered and their successors remembered, so that a state of the difference
//! is a state of the Büchi program and a few numbers. What one search has found to accept nothing accepts nothing in the
//! later ones, which take more away: such states are kept from search to search, only the largest of comparable ones
//! (`docs/design/complementation.md`). A later state has more parts; only those that both have are compared.

use std::cell::RefCell;
use std::rc::Rc;

use automata::algorithms::complement::{Macrostate, Ncsb, Variant};
use automata::algorithms::lasso::{LassoOf, construct};
use automata::algorithms::{Difference, Exact, Pruning, Reader, Residue, StateSet, Subsumption, search_with};
use automata::buchi::{Automaton, Marks, StateId, Successors};
use foundation::collections::HashMap;
use foundation::{Budget, Exhausted, Id};

use super::letter::LetterId;
use super::module::{Refuted, SharedModule};

/// The traces of a Büchi program that no module refutes.
pub struct RemainingLanguage<'g, 't> {
    difference: Difference<&'g Automaton<LetterId>, ModuleComplement<'t>, Exact>,
    dead: HashMap<StateId, Vec<RemainderState>>,
    /// All states that searches found to accept nothing, in the order in which that was found out: whatever follows on a
    /// state is in its component or, like something that accepts more, further to the front.
    closed: Vec<RemainderState>,
    /// How many states the last search has visited.
    pub visited: usize,
}

/// What searches have found out, in numbers alone.
#[derive(Clone)]
pub struct SearchedStates {
    dead: HashMap<StateId, Vec<RemainderState>>,
    closed: Vec<RemainderState>,
    /// The macrostates by their numbers, for each module.
    macrostates: Vec<Vec<Macrostate>>,
}

/// A state of the Büchi program, and one of each module's complement.
pub type RemainderState = Residue<StateId, u32>;

/// A lasso of what is left.
pub type RemainingLasso<'g, 't> = LassoOf<Difference<&'g Automaton<LetterId>, ModuleComplement<'t>, Exact>>;

impl<'g, 't> RemainingLanguage<'g, 't> {
    /// All traces.
    pub fn new(graph: &'g Automaton<LetterId>) -> Self {
        Self {
            difference: Difference::new(graph, Vec::new(), Exact),
            dead: HashMap::default(),
            closed: Vec::new(),
            visited: 0,
        }
    }

    /// Whether one more module can be taken away.
    pub fn has_room(&self) -> bool {
        self.difference.room() > 0
    }

    /// Takes the traces of a module away.
    pub fn subtract(&mut self, module: SharedModule<'t>) {
        self.difference.subtract(ModuleComplement::new(module));
    }

    /// What searches have found out.
    pub fn into_searched(self) -> SearchedStates {
        let of = |complement: &ModuleComplement<'_>| match &complement.kind {
            ModuleKind::Finite => Vec::new(),
            ModuleKind::Omega { states, .. } => {
                states.borrow().all.iter().map(|macrostate| (**macrostate).clone()).collect()
            }
        };
        let macrostates = self.difference.complements().iter().map(of).collect();
        SearchedStates { dead: self.dead, closed: self.closed, macrostates }
    }

    /// Takes over what searches have found out before, with the same modules, none of which was looked into since.
    pub fn take_over(&mut self, searched: &SearchedStates) {
        let SearchedStates { dead, closed, macrostates } = searched.clone();
        (self.dead, self.closed) = (dead, closed);
        for (complement, all) in self.difference.complements().iter().zip(macrostates) {
            if let ModuleKind::Omega { states, .. } = &complement.kind {
                all.into_iter().for_each(|macrostate| _ = states.borrow_mut().number(macrostate));
            }
        }
    }

    /// A short lasso of what is left, if anything is.
    pub fn find_lasso(&mut self, budget: &Budget) -> Result<Option<RemainingLasso<'g, 't>>, Exhausted> {
        let (known, closed) = (std::mem::take(&mut self.dead), std::mem::take(&mut self.closed));
        let mut dead = Dead { difference: &self.difference, known, closed };
        let found = search_with(&self.difference, &mut dead, budget);
        (self.dead, self.closed) = (dead.known, dead.closed);
        let found = found?;
        self.visited = found.visited.len();
        construct(&self.difference, &found, budget)
    }
}

/// What a state of the rest says of one module.
pub enum ModulePart<'m, 't> {
    /// The state of a module of finite traces.
    Finite(&'m Refuted<'t>, u32),
    /// What the runs of another module are doing.
    Omega(Rc<Macrostate>),
}

/// Why nothing is left: the states that accept nothing and can be reached, and what follows on them.
pub struct ClosedRemainder {
    /// The states.
    pub states: Vec<RemainderState>,
    /// From a state, with these marks of the Büchi program, to one that accepts at least as much as what follows.
    pub edges: Vec<(usize, Marks, usize)>,
}

impl<'t> RemainingLanguage<'_, 't> {
    /// The states that accept nothing, when nothing is left. None where something was not kept.
    pub fn closed(&self) -> Option<ClosedRemainder> {
        let mut at: HashMap<StateId, Vec<usize>> = HashMap::default();
        let mut numbers: HashMap<&RemainderState, usize> = HashMap::default();
        for (index, state) in self.closed.iter().enumerate() {
            at.entry(state.minuend).or_default().push(index);
            numbers.entry(state).or_insert(index);
        }
        let find = |state: &RemainderState| {
            let covers = |&&index: &&usize| {
                let larger = &self.closed[index];
                larger.complements.len() <= state.complements.len() && self.difference.is_subsumed(state, larger)
            };
            numbers.get(state).or_else(|| at.get(&state.minuend)?.iter().find(covers)).copied()
        };
        let mut found = ClosedRemainder { states: Vec::new(), edges: Vec::new() };
        let mut places: HashMap<usize, usize> = HashMap::default();
        let mut open: Vec<usize> = Vec::new();
        let mut place = |index: usize, states: &mut Vec<RemainderState>, open: &mut Vec<usize>| {
            *places.entry(index).or_insert_with(|| {
                open.push(index);
                states.push(self.closed[index].clone());
                states.len() - 1
            })
        };
        for state in self.difference.initial() {
            place(find(&state)?, &mut found.states, &mut open);
        }
        let sets = self.difference.minuend_sets();
        while let Some(index) = open.pop() {
            let from = place(index, &mut found.states, &mut open);
            for step in self.difference.successors(&self.closed[index]) {
                let to = place(find(&step.to)?, &mut found.states, &mut open);
                found.edges.push((from, step.marks.intersection(Marks::all(sets)), to));
            }
        }
        Some(found)
    }

    /// What a state says of each module, in the order in which they were taken away.
    pub fn parts<'s>(&'s self, state: &'s RemainderState) -> impl Iterator<Item = ModulePart<'s, 't>> + 's {
        let pairs = self.difference.complements().iter().zip(&state.complements);
        pairs.map(|(complement, &part)| match &complement.kind {
            ModuleKind::Finite => ModulePart::Finite(&complement.module.0, part),
            ModuleKind::Omega { states, .. } => ModulePart::Omega(Rc::clone(&states.borrow().all[part as usize])),
        })
    }

    /// The modules that were taken away.
    pub fn modules<'s>(&'s self) -> impl Iterator<Item = &'s Refuted<'t>> {
        self.difference.complements().iter().map(|complement| &*complement.module.0)
    }
}

/// States that accept nothing.
struct Dead<'a, 'g, 't> {
    difference: &'a Difference<&'g Automaton<LetterId>, ModuleComplement<'t>, Exact>,
    known: HashMap<StateId, Vec<RemainderState>>,
    closed: Vec<RemainderState>,
}

impl Pruning<RemainderState> for Dead<'_, '_, '_> {
    fn accepts_nothing(&mut self, state: &RemainderState) {
        self.closed.push(state.clone());
        let known = self.known.entry(state.minuend).or_default();
        if known.iter().any(|larger| self.difference.is_subsumed(state, larger)) {
            return;
        }
        // A state with fewer parts is never covered by one with more.
        known.retain(|other| {
            other.complements.len() < state.complements.len() || !self.difference.is_subsumed(other, state)
        });
        known.push(state.clone());
    }

    fn is_covered(&self, state: &RemainderState) -> bool {
        let known = self.known.get(&state.minuend);
        known.is_some_and(|known| known.iter().rev().any(|larger| self.difference.is_subsumed(state, larger)))
    }
}

/// The complement of a module, with numbered states.
pub struct ModuleComplement<'t> {
    module: SharedModule<'t>,
    kind: ModuleKind<'t>,
    compared: RefCell<HashMap<(u32, u32), bool>>,
}

enum ModuleKind<'t> {
    /// The states of the module itself: it is deterministic and total, and refutes by reaching one state.
    Finite,
    /// Macrostates.
    Omega { ncsb: Ncsb<SharedModule<'t>>, states: RefCell<Macrostates> },
}

/// Numbers of macrostates, with the marks of the edges that lead to them.
type Followers = [(u32, Marks)];

#[derive(Default)]
struct Macrostates {
    all: Vec<Rc<Macrostate>>,
    numbers: HashMap<Rc<Macrostate>, u32>,
    /// By macrostate and step.
    successors: HashMap<(u32, u32), Rc<Followers>>,
}

impl Macrostates {
    fn number(&mut self, macrostate: Macrostate) -> u32 {
        let macrostate = Rc::new(macrostate);
        *self.numbers.entry(Rc::clone(&macrostate)).or_insert_with(|| {
            self.all.push(macrostate);
            self.all.len() as u32 - 1
        })
    }
}

impl<'t> ModuleComplement<'t> {
    fn new(module: SharedModule<'t>) -> Self {
        let is_finite = matches!(*module.0, Refuted::Finite(_) | Refuted::Prefix(_));
        let kind = if is_finite {
            ModuleKind::Finite
        } else {
            let ncsb = Ncsb::new(module.clone(), StateSet::new(), Variant::Refined);
            ModuleKind::Omega { ncsb, states: RefCell::default() }
        };
        Self { module, kind, compared: RefCell::default() }
    }
}

impl Reader for ModuleComplement<'_> {
    type State = u32;
    type Label = LetterId;

    fn initial(&self) -> Vec<u32> {
        use automata::algorithms::Module;
        match &self.kind {
            ModuleKind::Finite => self.module.initial().iter().map(|state| state.index() as u32).collect(),
            ModuleKind::Omega { ncsb, states } => {
                ncsb.initial().into_iter().map(|macrostate| states.borrow_mut().number(macrostate)).collect()
            }
        }
    }

    fn read(&self, state: &u32, letter: &LetterId) -> Vec<(u32, Marks)> {
        use automata::algorithms::Module;
        match &self.kind {
            ModuleKind::Finite => {
                let next = self.module.read(StateId::from_index(*state as usize), letter);
                let alive = next.iter().filter(|&state| !self.module.is_accepting(state));
                alive.map(|state| (state.index() as u32, Marks::NONE)).collect()
            }
            ModuleKind::Omega { ncsb, states } => {
                if let Some(known) = states.borrow().successors.get(&(*state, letter.step)) {
                    return known.to_vec();
                }
                let macrostate = Rc::clone(&states.borrow().all[*state as usize]);
                let found = ncsb.read(&macrostate, letter);
                let mut states = states.borrow_mut();
                let found: Rc<Followers> =
                    found.into_iter().map(|(next, marks)| (states.number(next), marks)).collect();
                states.successors.insert((*state, letter.step), Rc::clone(&found));
                found.to_vec()
            }
        }
    }

    fn acceptance_sets(&self) -> u32 {
        match &self.kind {
            ModuleKind::Finite => 0,
            ModuleKind::Omega { ncsb, .. } => ncsb.acceptance_sets(),
        }
    }

    fn is_subsumed(&self, smaller: &u32, larger: &u32) -> bool {
        if smaller == larger {
            return true;
        }
        *self.compared.borrow_mut().entry((*smaller, *larger)).or_insert_with(|| match (&self.kind, &*self.module.0) {
            (ModuleKind::Finite, Refuted::Finite(module)) => module.is_stronger(*smaller, *larger),
            (ModuleKind::Finite, _) => false,
            (ModuleKind::Omega { ncsb, states }, _) => {
                let states = states.borrow();
                ncsb.is_subsumed(&states.all[*smaller as usize], &states.all[*larger as usize])
            }
        })
    }
}
