//! What people call the variables, functions and values of a program, where its declarations alone do not say it.
//!
//! A name that several variables share is qualified: `a.c::calls` is the one of a file, `f::calls` that of a function, and
//! `main::2::i` the second one of that name in `main`. A number at an enumerated type has the name of its enumerator.
//! Whoever reads a program from a text knows all this and leaves it here; nothing that a program does depends on it. Passes
//! that make new variables leave it out.

use std::sync::Arc;

use foundation::collections::HashMap;
use num_bigint::BigInt;

use crate::cfa::FunctionId;
use crate::model::VariableId;

/// The names of a program for people.
#[derive(Clone, Debug, Default)]
pub struct Telling {
    /// The qualified names of variables that share their name with others.
    pub variables: HashMap<VariableId, String>,
    /// The same of functions.
    pub functions: HashMap<FunctionId, String>,
    /// The parts of variables that are enumerated; variables without such parts are left out.
    pub enumerated: HashMap<VariableId, Arc<Enumerated>>,
}

/// Which parts of an object hold enumerators, along its type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Enumerated {
    /// No part does.
    Nothing,
    /// The scalar itself does: these numbers have these names, the first one of a number being the one that is told.
    Enumerators(Arc<[(BigInt, String)]>),
    /// The elements of an array do.
    Elements(Arc<Enumerated>),
    /// Members of a record do, in the order of its fields.
    Fields(Vec<Arc<Enumerated>>),
}

impl Enumerated {
    /// That of the elements of an array.
    pub fn element(&self) -> &Enumerated {
        match self {
            Enumerated::Elements(element) => element,
            _ => &Enumerated::Nothing,
        }
    }

    /// That of the field with this number.
    pub fn field(&self, number: usize) -> &Enumerated {
        match self {
            Enumerated::Fields(fields) => fields.get(number).map_or(&Enumerated::Nothing, |field| field),
            _ => &Enumerated::Nothing,
        }
    }

    /// The name of a number.
    pub fn enumerator(&self, number: &BigInt) -> Option<&str> {
        match self {
            Enumerated::Enumerators(names) => {
                names.iter().find(|(known, _)| known == number).map(|(_, name)| name.as_str())
            }
            _ => None,
        }
    }
}
