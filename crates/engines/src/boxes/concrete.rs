//! Executions among the boxes: a few states of each box are followed one by one, and a run of the automaton among them is a
//! violation.
//!
//! For an input one value of each piece is tried that the cell which takes it is cut into. Of each box the states that are
//! found first are kept, up to [`MOST_STATES_OF_A_BOX`]; what leads to others is not followed. So the graph is a part of the
//! program's, and small: nothing is missed that states of the same box have in common, which is nearly everything where boxes
//! are well chosen.

use std::cell::RefCell;

use analysis::cells::CellId;
use automata::algorithms::find_lasso;
use automata::buchi::label::Symbol;
use automata::buchi::{Marks, Move, Successors};
use foundation::collections::HashMap;
use foundation::{Budget, Exhausted, Id};
use program::semantics::{Answer, Value};
use program::{EdgeId, LocationId, Op, Scalar};
use task::{Lasso, LetterBits, WordReader};

use super::followed::{FollowedProgram, ValueBox};
use super::graph::BoxGraph;
use super::walk::{InputValues, Walker};

/// So many states of a box are followed.
const MOST_STATES_OF_A_BOX: u32 = 8;

/// Looks for an execution that violates the goal, by a few states of each box.
pub fn violation(subject: &FollowedProgram, graph: &BoxGraph<'_>, budget: &Budget) -> Result<Option<Lasso>, Exhausted> {
    let Some(inputs) = TriedInputs::of(subject) else { return Ok(None) };
    let product = StateProduct {
        graph,
        subject,
        inputs: &inputs,
        budget,
        reader: RefCell::new(WordReader::new(&subject.negation)),
        states: RefCell::new(States::default()),
    };
    let lasso = find_lasso(&product, budget)?;
    let states = product.states.into_inner();
    let answers = |state: &RunState, label: Symbol| match *state {
        RunState::Accepted => Vec::new(),
        RunState::At(state, _) => {
            let passages = state.map_or(&states.start, |state| &states.all[state as usize].passages);
            let chosen = &passages.as_ref().expect("it was taken")[label.0 as usize].chosen;
            chosen.iter().map(|&(edge, value)| subject.answer(edge, value)).collect()
        }
    };
    Ok(lasso.map(|lasso| Lasso {
        stem: lasso.stem.iter().flat_map(|step| answers(&step.from, step.label)).collect(),
        cycle: lasso.cycle.iter().flat_map(|step| answers(&step.from, step.label)).collect(),
    }))
}

impl FollowedProgram {
    /// What the interpreter is answered when an input is given a value.
    fn answer(&self, edge: EdgeId, value: i128) -> Answer {
        Answer::Value(match self.input_cell(edge).map(|cell| self.cells.get(cell).scalar) {
            Some(Scalar::Bool) => Value::Bool(value != 0),
            _ => Value::int(value),
        })
    }
}

/// The values that inputs are tried with.
struct TriedInputs {
    by_edge: HashMap<EdgeId, Vec<i128>>,
}

impl TriedInputs {
    /// The values for a program that asks for nothing but inputs, each for one cell.
    fn of(subject: &FollowedProgram) -> Option<Self> {
        if !subject.asks_for_inputs_alone() {
            return None;
        }
        let mut by_edge = HashMap::default();
        for (edge, contents) in subject.program().edges.iter() {
            let reads = match &contents.op {
                Op::Input { .. } => true,
                Op::Call { result, .. } => result.is_some(),
                _ => false,
            };
            if reads {
                let cell = subject.input_cell(edge)?;
                by_edge.insert(edge, subject.cuts.representatives(cell, &subject.input_values(cell)));
            }
        }
        Some(Self { by_edge })
    }
}

impl InputValues for TriedInputs {
    fn of(&self, edge: EdgeId) -> &[i128] {
        self.by_edge.get(&edge).map_or(&[], Vec::as_slice)
    }
}

/// A state at a cutpoint.
struct KnownState {
    location: LocationId,
    last: LetterBits,
    state: ValueBox,
    /// What can happen from there, once it was looked at.
    passages: Option<Vec<StatePassage>>,
}

/// A path from a state to the next one.
struct StatePassage {
    to: Option<u32>,
    word: Vec<LetterBits>,
    last: LetterBits,
    chosen: Vec<(EdgeId, i128)>,
}

/// The states that were found.
#[derive(Default)]
struct States {
    all: Vec<KnownState>,
    numbers: HashMap<(LocationId, LetterBits, Vec<i128>), u32>,
    /// By box: how many of its states are followed.
    of_boxes: HashMap<u32, u32>,
    start: Option<Vec<StatePassage>>,
}

/// A state of the product.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum RunState {
    /// A state, or the start where there is none, and a state of the automaton.
    At(Option<u32>, u32),
    /// The last letter is repeated for ever, and the automaton accepts that.
    Accepted,
}

/// The states beside the automaton.
struct StateProduct<'a> {
    graph: &'a BoxGraph<'a>,
    subject: &'a FollowedProgram,
    inputs: &'a TriedInputs,
    budget: &'a Budget,
    reader: RefCell<WordReader<'a>>,
    states: RefCell<States>,
}

impl StateProduct<'_> {
    /// Makes sure that the passages of a state are known.
    fn look_at(&self, number: Option<u32>) {
        let mut states = self.states.borrow_mut();
        let mut walker = Walker::new(self.subject, self.inputs, self.budget);
        let found = match number {
            Some(number) => {
                let KnownState { location, last, state, passages } = &states.all[number as usize];
                if passages.is_some() {
                    return;
                }
                walker.from(*location, state.clone(), *last)
            }
            None if states.start.is_some() => return,
            None => walker.begin(self.subject.initial()),
        };
        // What is not decided may not happen. That the budget is spent is noticed by the search.
        let found = found.ok().filter(|_| !walker.is_blurred).unwrap_or_default();
        let mut passages = Vec::with_capacity(found.len());
        for passage in found {
            let to = match passage.to {
                None => None,
                Some((location, state)) => match self.number(&mut states, location, passage.last, &state) {
                    None => continue,
                    number => number,
                },
            };
            passages.push(StatePassage { to, word: passage.word, last: passage.last, chosen: passage.chosen });
        }
        match number {
            Some(number) => states.all[number as usize].passages = Some(passages),
            None => states.start = Some(passages),
        }
    }

    /// The number of a state that is followed.
    fn number(&self, states: &mut States, location: LocationId, last: LetterBits, state: &ValueBox) -> Option<u32> {
        let live: &[CellId] = self.subject.live(location);
        let values: Option<Vec<i128>> = live.iter().map(|cell| state[cell.index()].single()).collect();
        let values = values?;
        let key = (location, last, values);
        if let Some(&known) = states.numbers.get(&key) {
            return Some(known);
        }
        let kept = self.graph.kept(location, state);
        let followed = states.of_boxes.entry(self.graph.find(location, &kept, last)?).or_default();
        if *followed >= MOST_STATES_OF_A_BOX {
            return None;
        }
        *followed += 1;
        let number = states.all.len() as u32;
        states.all.push(KnownState { location, last, state: kept, passages: None });
        states.numbers.insert(key, number);
        Some(number)
    }
}

impl Successors for StateProduct<'_> {
    type State = RunState;
    type Label = Symbol;

    fn initial(&self) -> Vec<RunState> {
        self.subject.negation.automaton.initial().iter().map(|it| RunState::At(None, it.index() as u32)).collect()
    }

    fn successors(&self, state: &RunState) -> Vec<Move<RunState, Symbol>> {
        let sets = self.acceptance_sets();
        let &RunState::At(number, automaton_state) = state else {
            return vec![Move { label: Symbol(0), to: RunState::Accepted, marks: Marks::all(sets) }];
        };
        self.look_at(number);
        let states = self.states.borrow();
        let passages = number.map_or(&states.start, |number| &states.all[number as usize].passages);
        let mut reader = self.reader.borrow_mut();
        let mut moves = Vec::new();
        for (index, passage) in passages.iter().flatten().enumerate() {
            let label = Symbol(index as u32);
            let word = reader.word(&passage.word);
            let after = reader.moves(word, &passage.word, automaton_state).to_vec();
            for (state, marks) in after {
                let to = match passage.to {
                    Some(next) => RunState::At(Some(next), state),
                    None if reader.accepts_for_ever(state, passage.last) => RunState::Accepted,
                    None => continue,
                };
                moves.push(Move { label, to, marks });
            }
        }
        moves
    }

    fn acceptance_sets(&self) -> u32 {
        self.subject.negation.automaton.acceptance_sets()
    }
}
