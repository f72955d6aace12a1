//! Letters: the labels of the Büchi program's edges, which modules read.
//!
//! A letter is a step together with the path through the program that it stands for. Modules look at the step alone, so
//! that the same statement is one letter to them wherever it stands; the path is for telling a run to people and for
//! executing it.

use std::cell::RefCell;
use std::rc::Rc;

use automata::buchi::Label;
use foundation::collections::HashMap;
use logic::{Symbol, Terms};
use program::EdgeId;

use crate::encode::edge::{AskedValue, Contents, Exit};
use crate::encode::{Passage, Transition};

/// A letter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct LetterId {
    /// The number of its step.
    pub step: u32,
    /// The number of its path.
    pub path: u32,
}

impl Label for LetterId {}

/// An edge of the program that is taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TakenEdge {
    /// The edge; none for the start, and for staying where the program has stopped.
    pub edge: Option<EdgeId>,
    /// Where control is afterwards.
    pub exit: Exit,
    /// What is read from outside, by the symbols of the letter's step.
    pub asked: Vec<AskedValue>,
    /// What uninitialised objects hold, by the symbols of the letter's step.
    pub contents: Vec<Contents>,
    /// For each of what is asked, the program's symbol that holds it afterwards, if one does.
    pub held_by: Vec<Option<Symbol>>,
    /// The edge of the property's automaton that is taken with it, if a letter of the property is read.
    pub read: Option<u32>,
    /// Whether it is taken under one of several conditions only; the others have letters of their own, or cannot hold.
    pub is_part: bool,
}

/// All letters of a Büchi program.
#[derive(Default)]
pub struct Letters {
    steps: RefCell<Vec<Rc<Transition>>>,
    known: RefCell<HashMap<Transition, u32>>,
    paths: RefCell<Vec<Rc<[TakenEdge]>>>,
}

impl Letters {
    /// The letter of a step that takes one edge of the program, and one of the property's automaton or none.
    pub fn of_passage(&self, terms: &Terms, edge: Option<EdgeId>, passage: &Passage, read: Option<u32>) -> LetterId {
        let holder = |asked: &AskedValue| {
            let value = terms.variable(asked.symbol);
            passage.step.updates.iter().find(|(_, held)| **held == value).map(|(&symbol, _)| symbol)
        };
        let (asked, held_by) = (passage.asked.clone(), passage.asked.iter().map(holder).collect());
        let contents = passage.contents.clone();
        let taken = TakenEdge { edge, exit: passage.exit, asked, contents, held_by, read, is_part: false };
        self.letter(passage.step.clone(), Rc::new([taken]))
    }

    fn letter(&self, step: Transition, path: Rc<[TakenEdge]>) -> LetterId {
        let mut steps = self.steps.borrow_mut();
        let number = *self.known.borrow_mut().entry(step).or_insert_with_key(|step| {
            steps.push(Rc::new(step.clone()));
            steps.len() as u32 - 1
        });
        let mut paths = self.paths.borrow_mut();
        paths.push(path);
        LetterId { step: number, path: paths.len() as u32 - 1 }
    }

    /// The step of a letter.
    pub fn step(&self, letter: LetterId) -> Rc<Transition> {
        Rc::clone(&self.steps.borrow()[letter.step as usize])
    }

    /// The step with a number.
    pub fn step_numbered(&self, step: u32) -> Rc<Transition> {
        Rc::clone(&self.steps.borrow()[step as usize])
    }

    /// The path of a letter.
    pub fn path(&self, letter: LetterId) -> Rc<[TakenEdge]> {
        Rc::clone(&self.paths.borrow()[letter.path as usize])
    }

    /// The letter with the same path and a stronger guard, which may be one of several.
    pub fn guarded(&self, letter: LetterId, guard: logic::Term, is_part: bool) -> LetterId {
        let step = Transition { guard, ..(*self.step(letter)).clone() };
        let part = |taken: &TakenEdge| TakenEdge { is_part: taken.is_part || is_part, ..taken.clone() };
        self.letter(step, self.path(letter).iter().map(part).collect())
    }

    /// The letter with the same path, of which more is known.
    pub fn knowing(&self, terms: &Terms, letter: LetterId, known: logic::Term) -> LetterId {
        let step = self.step(letter);
        let known = terms.and([step.known, known]);
        self.letter(Transition { known, ..(*step).clone() }, self.path(letter))
    }

    /// One letter and then another, as one.
    pub fn then(&self, terms: &Terms, first: LetterId, second: LetterId) -> LetterId {
        let (one, two) = (self.step(first), self.step(second));
        let (two, renamed) = if one.inputs.is_disjoint(&two.inputs) {
            ((*two).clone(), None)
        } else {
            let (two, renamed) = two.renamed_inputs(terms);
            (two, Some(renamed))
        };
        let new_name = |symbol: Symbol| renamed.as_ref().map_or(symbol, |renamed| renamed[&symbol]);
        let later = self.path(second);
        let later = later.iter().map(|taken| TakenEdge {
            asked: taken
                .asked
                .iter()
                .map(|asked| AskedValue { symbol: new_name(asked.symbol), ..asked.clone() })
                .collect(),
            contents: taken
                .contents
                .iter()
                .map(|held| Contents { symbol: new_name(held.symbol), ..held.clone() })
                .collect(),
            ..taken.clone()
        });
        let path: Rc<[TakenEdge]> = self.path(first).iter().cloned().chain(later).collect();
        self.letter(one.then(terms, &two), path)
    }
}
