//! The transition formulas of a program's edges, for checking proofs: written from `docs/semantics.md` and the
//! interpreter, independently of the formulas that engines prove with.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`step`](mod@step) | guarded simultaneous assignments |
//! | `vocabulary` | which parts of memory have a symbol, and whether that makes sense |
//! | `number` | integers with bounds, and what machines do to them |
//! | `evaluation`, `expression`, `pointer` | expressions as terms, with when they are undefined |
//! | `place`, `memory`, `copy` | where a place lies; reading and writing cells; copies of aggregates |
//! | `edge`, `initial`, `atom` | what an edge does; where the program starts; what a property sees |
//! | `now` | what an execution's state says of the symbols; when no branch is open |
//!
//! The formulas *over-approximate*: every step of the interpreter is a step of some passage, and there may be more. A proof
//! about more behaviour is still a proof. So an operation that cannot be written as a term yields an arbitrary value, and
//! where it is not clear whether behaviour is defined, both are possible. What was given up in this way is listed.
//!
//! A symbol relates to a state thus: it has the value that reading its cell at its scalar type yields. Where nothing is
//! chosen yet it has the value that will be chosen, and where the object does not live or the cell cannot be read at that
//! type it has any value of the type. Cells may overlap: writing one makes the others arbitrary. The address of the
//! byte `n` of an object with a declared address `b` is `b + n`; null is 0; function addresses, device registers and
//! numbers that are no address are themselves; addresses of other objects lie beyond all of these. Two declared addresses
//! must differ by the size of the address space, and no offset may lead from one to a machine's number. A heap object is
//! allocated by an edge that lies on no cycle.

mod atom;
mod copy;
mod edge;
mod evaluation;
mod expression;
mod initial;
mod memory;
mod now;
mod number;
mod place;
mod pointer;
pub mod step;
mod vocabulary;

use std::cell::RefCell;
use std::collections::BTreeMap;

use foundation::Span;
use logic::{Symbol, Term, Terms};
use program::passes::Prepared;

pub use task::certificate::refutation::{CellName, Declaration, Exit, ObjectAddress, ObjectName};

pub use now::LiveHeap;
use program::lifetimes::Lifetimes;
pub use step::Transition;
use vocabulary::{Addresses, Tracked};

/// One of the ways in which an edge is taken.
#[derive(Clone, Debug)]
pub struct Passage {
    /// What it does to the state.
    pub step: Transition,
    /// Where control is then.
    pub exit: Exit,
}

/// The truth of an atom.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Truth {
    /// That of a term over the state.
    Is(Term),
    /// It may be true or false.
    Unknown,
}

/// A prepared program as formulas over declared symbols.
pub struct Encoding<'a> {
    prepared: &'a Prepared,
    terms: &'a Terms,
    cells: Vec<Tracked>,
    of_object: BTreeMap<ObjectName, Vec<usize>>,
    of_name: BTreeMap<String, usize>,
    addresses: Addresses,
    lifetimes: Lifetimes,
    approximated: RefCell<Vec<(String, Span)>>,
}

impl Encoding<'_> {
    /// The symbol with a declared name.
    pub fn symbol(&self, name: &str) -> Option<Symbol> {
        self.of_name.get(name).map(|&index| self.cells[index].symbol)
    }

    /// What a symbol stands for.
    pub fn cell(&self, symbol: Symbol) -> Option<&CellName> {
        self.cells.iter().find(|tracked| tracked.symbol == symbol).map(|tracked| &tracked.cell)
    }

    /// What its type says of a symbol in every state: under machine integers, that a number lies in its range.
    pub fn range(&self, symbol: Symbol) -> Term {
        match self.cell(symbol) {
            Some(CellName::One { scalar, .. }) => self.range_of(*scalar, self.terms.variable(symbol)),
            _ => self.terms.truth(true),
        }
    }

    /// What was given up so far, with where: phrases without a full stop.
    pub fn approximated(&self) -> Vec<(String, Span)> {
        self.approximated.borrow().clone()
    }

    fn note(&self, what: &str, span: Span) {
        let mut approximated = self.approximated.borrow_mut();
        if !approximated.iter().any(|(known, at)| known == what && *at == span) {
            approximated.push((what.to_owned(), span));
        }
    }
}
