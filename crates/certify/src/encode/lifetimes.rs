//! When the objects of local variables live.
//!
//! All locals exist from the start of a prepared program; a lifetime ends where control discards the variable and begins
//! anew where it comes to the declaration. What may have happened before control is at a location is found by following
//! the edges, without looking at values.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use foundation::Id;
use program::passes::Prepared;
use program::{LocationId, Op, VariableId};

/// What is known of an object at a location.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Life {
    /// It lives.
    Alive,
    /// It does not.
    Dead,
    /// Either.
    Unknown,
}

const MAY_LIVE: u8 = 1;
const MAY_BE_DEAD: u8 = 2;

/// The lifetimes of a program's local variables.
pub(super) struct Lifetimes {
    discarded: BTreeSet<VariableId>,
    known: RefCell<HashMap<VariableId, Rc<Vec<u8>>>>,
}

impl Lifetimes {
    /// Of a program.
    pub fn new(prepared: &Prepared) -> Self {
        let discarded = prepared.program.edges.values().filter_map(|edge| match edge.op {
            Op::Discard(variable) => Some(variable),
            _ => None,
        });
        Self { discarded: discarded.collect(), known: RefCell::default() }
    }

    /// Whether a variable's object ever dies.
    pub fn is_mortal(&self, variable: VariableId) -> bool {
        self.discarded.contains(&variable)
    }

    /// Whether a variable's object lives when control is at a location.
    pub fn at(&self, prepared: &Prepared, variable: VariableId, location: LocationId) -> Life {
        if !self.is_mortal(variable) {
            return Life::Alive;
        }
        match self.flags(prepared, variable)[location.index()] {
            MAY_BE_DEAD => Life::Dead,
            flags if flags & MAY_BE_DEAD == 0 => Life::Alive,
            _ => Life::Unknown,
        }
    }

    fn flags(&self, prepared: &Prepared, variable: VariableId) -> Rc<Vec<u8>> {
        if let Some(known) = self.known.borrow().get(&variable) {
            return known.clone();
        }
        let program = &prepared.program;
        let mut flags = vec![0u8; program.locations.len()];
        flags[prepared.start().index()] = MAY_LIVE;
        let mut open = vec![prepared.start()];
        while let Some(location) = open.pop() {
            let here = flags[location.index()];
            for &edge in &program.locations[location].out {
                let edge = &program.edges[edge];
                let after = match edge.op {
                    Op::Discard(other) if other == variable => MAY_BE_DEAD,
                    Op::Declare(other) if other == variable => MAY_LIVE,
                    _ => here,
                };
                let there = &mut flags[edge.to.index()];
                if after & !*there != 0 {
                    *there |= after;
                    open.push(edge.to);
                }
            }
        }
        let flags = Rc::new(flags);
        self.known.borrow_mut().insert(variable, flags.clone());
        flags
    }
}
