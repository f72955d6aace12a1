//! The modules that are subtracted from the Büchi program: sets of traces that cannot be executed.

use std::rc::Rc;

use automata::algorithms::{Module, StateSet};
use automata::buchi::{Automaton, Components, Marks, StateId};
use foundation::Id;
use foundation::collections::HashMap;
use logic::{Term, Terms};

use super::floyd_hoare::FloydHoare;
use super::letter::LetterId;
use super::ranked::{OneLasso, Ranked};

/// A set of traces that cannot be executed.
pub enum Refuted<'t> {
    /// By a prefix.
    Finite(FloydHoare<'t>),
    /// By a ranking function.
    Ranked(Ranked<'t>),
    /// All traces that begin with one word.
    Prefix(PrefixModule),
    /// One lasso, by a ranking function.
    OneLasso(OneLasso),
}

/// The module of all traces that begin with one word: the last resort where no predicates are found.
#[derive(Clone)]
pub struct PrefixModule {
    word: Vec<u32>,
}

impl PrefixModule {
    /// The traces that begin with a word.
    pub fn new(word: &[LetterId]) -> Self {
        Self { word: word.iter().map(|letter| letter.step).collect() }
    }
}

impl Module for PrefixModule {
    type Label = LetterId;

    fn initial(&self) -> StateSet {
        std::iter::once(StateId::from_index(0)).collect()
    }

    /// The state counts the letters of the word that were read; the last one is for all other traces.
    fn read(&self, state: StateId, letter: &LetterId) -> StateSet {
        let next = match self.word.get(state.index()) {
            Some(&step) if step == letter.step => state.index() + 1,
            Some(_) => self.word.len() + 1,
            None => state.index(),
        };
        std::iter::once(StateId::from_index(next)).collect()
    }

    fn is_accepting(&self, state: StateId) -> bool {
        state.index() == self.word.len()
    }
}

/// A module that several owners read.
#[derive(Clone)]
pub struct SharedModule<'t>(pub Rc<Refuted<'t>>);

impl Module for SharedModule<'_> {
    type Label = LetterId;

    fn initial(&self) -> StateSet {
        match &*self.0 {
            Refuted::Finite(module) => module.initial(),
            Refuted::Prefix(module) => module.initial(),
            Refuted::Ranked(module) => module.initial(),
            Refuted::OneLasso(module) => module.initial(),
        }
    }

    fn read(&self, state: StateId, letter: &LetterId) -> StateSet {
        match &*self.0 {
            Refuted::Finite(module) => module.read(state, letter),
            Refuted::Prefix(module) => module.read(state, letter),
            Refuted::Ranked(module) => module.read(state, letter),
            Refuted::OneLasso(module) => module.read(state, letter),
        }
    }

    fn is_accepting(&self, state: StateId) -> bool {
        match &*self.0 {
            Refuted::Finite(module) => module.is_accepting(state),
            Refuted::Prefix(module) => module.is_accepting(state),
            Refuted::Ranked(module) => module.is_accepting(state),
            Refuted::OneLasso(module) => module.is_accepting(state),
        }
    }
}

/// What was computed of a module so far.
#[derive(Clone, Debug, Default)]
pub struct ExploredModule {
    /// The states.
    pub states: Vec<ExploredState>,
    /// From a state, by the step with a number, to a state.
    pub transitions: Vec<(usize, u32, usize)>,
}

/// A state of a module.
#[derive(Clone, Copy, Debug)]
pub struct ExploredState {
    /// What it is, in a word.
    pub role: &'static str,
    /// What is known there.
    pub condition: Term,
    /// Whether traces begin there.
    pub is_initial: bool,
    /// Whether it is accepting.
    pub is_accepting: bool,
}

impl ExploredModule {
    /// Some words in a row, the last one followed by the one at an index for ever.
    fn path(terms: &Terms, word: &[u32], again: Option<usize>, accepting: usize) -> Self {
        let state = |at: usize| ExploredState {
            role: "position",
            condition: terms.truth(true),
            is_initial: at == 0,
            is_accepting: at == accepting,
        };
        let last = if again.is_some() { word.len() } else { word.len() + 1 };
        let next = |at: usize| if at + 1 == word.len() { again.unwrap_or(at + 1) } else { at + 1 };
        let transitions = word.iter().enumerate().map(|(at, &step)| (at, step, next(at)));
        Self { states: (0..last).map(state).collect(), transitions: transitions.collect() }
    }
}

/// Whether a module accepts the word that reads the stem once and the cycle for ever.
pub fn accepts<M: Module<Label = LetterId>>(module: &M, stem: &[LetterId], cycle: &[LetterId]) -> bool {
    let length = stem.len() + cycle.len();
    let letter = |at: usize| stem.get(at).unwrap_or_else(|| &cycle[at - stem.len()]);
    let next = |at: usize| if at + 1 == length { stem.len() } else { at + 1 };
    let mut graph: Automaton<LetterId> = Automaton::new(1);
    let mut numbers: HashMap<(usize, StateId), StateId> = HashMap::default();
    let mut open: Vec<(usize, StateId)> = Vec::new();
    let mut number = |node: (usize, StateId), graph: &mut Automaton<LetterId>, open: &mut Vec<(usize, StateId)>| {
        *numbers.entry(node).or_insert_with(|| {
            open.push(node);
            graph.add_state()
        })
    };
    for state in module.initial().iter() {
        let id = number((0, state), &mut graph, &mut open);
        graph.add_initial(id);
    }
    while let Some((at, state)) = open.pop() {
        let from = number((at, state), &mut graph, &mut open);
        let marks = if module.is_accepting(state) { Marks::one(0) } else { Marks::NONE };
        for to in module.read(state, letter(at)).iter() {
            let to = number((next(at), to), &mut graph, &mut open);
            graph.add_edge(from, *letter(at), to, marks);
        }
    }
    Components::of(&graph).iter().any(|(_, component)| component.is_accepting)
}

impl Refuted<'_> {
    /// What the module is, in a phrase.
    pub fn name(&self) -> &'static str {
        match self {
            Refuted::Finite(_) => "finite",
            Refuted::Prefix(_) => "one prefix",
            Refuted::Ranked(module) => module.stage.name(),
            Refuted::OneLasso(_) => "one lasso",
        }
    }

    /// What was computed of it so far.
    pub fn explored(&self, terms: &Terms) -> ExploredModule {
        match self {
            Refuted::Finite(module) => module.explored(),
            Refuted::Ranked(module) => module.explored(),
            Refuted::Prefix(module) => ExploredModule::path(terms, &module.word, None, module.word.len()),
            Refuted::OneLasso(module) => {
                let (word, stem) = module.word();
                ExploredModule::path(terms, &word, Some(stem), stem)
            }
        }
    }
}
