//! Atoms: what a formula speaks of, as opaque text with a place.
//!
//! An atom is the text of an expression in some language of states (C, say), a bare word, or one of the built-in
//! observations. Whoever evaluates a formula gives the text its meaning; this module only keeps it, knows when two
//! texts are the same atom, and where in the user's text a part of it stands.

use std::fmt;
use std::ops::Range;

use foundation::collections::HashMap;
use foundation::{Arena, Span, define_id};

define_id! {
    /// An atom in [`Atoms`].
    AtomId
}

/// What an atom says about a state.
///
/// Texts are trimmed, so that `" x > 0 "` and `"x > 0"` are one atom. A bare word and the same word in quotes are two
/// atoms, because a front end may read them differently.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Atom {
    /// The text of an expression: `"x > 0"`, `{x > 0}` or `AP(x > 0)`. Make it by [`Atom::quoted`].
    Quoted(String),
    /// A word without quotes. Make it by [`Atom::named`].
    Bare(String),
    /// An observation that every program has.
    Builtin(Builtin),
}

/// The observations that every program has. They are written without quotes.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Builtin {
    /// `call(f())`: the function of this name is being entered.
    Call(String),
    /// `overflow`: a signed overflow has just happened.
    Overflow,
    /// `end`: the program has ended.
    End,
    /// `error`: the program has done something undefined.
    Error,
    /// `deadlock`: no thread can go on.
    Deadlock,
}

impl Builtin {
    /// The built-in observation that is written as this single word.
    pub fn from_word(word: &str) -> Option<Self> {
        Some(match word {
            "overflow" => Builtin::Overflow,
            "end" => Builtin::End,
            "error" => Builtin::Error,
            "deadlock" => Builtin::Deadlock,
            _ => return None,
        })
    }
}

impl Atom {
    /// The atom of an expression's text. The text, once trimmed, must not be empty nor end in a backslash: such a
    /// text cannot be written down.
    pub fn quoted(text: &str) -> Atom {
        Atom::Quoted(text.trim().to_owned())
    }

    /// The atom of a name: bare where the name reads back as a bare word, else quoted.
    pub fn named(name: &str) -> Atom {
        if crate::ltl::token::is_bare_word(name) { Atom::Bare(name.to_owned()) } else { Atom::quoted(name) }
    }

    /// The text to be read as an expression; built-in atoms have none.
    pub fn expression(&self) -> Option<&str> {
        match self {
            Atom::Quoted(text) | Atom::Bare(text) => Some(text),
            Atom::Builtin(_) => None,
        }
    }
}

/// The atom as it is written in a formula.
impl fmt::Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Atom::Quoted(text) => write!(f, "\"{}\"", text.replace('"', "\\\"")),
            Atom::Bare(word) => f.write_str(word),
            Atom::Builtin(builtin) => builtin.fmt(f),
        }
    }
}

impl fmt::Display for Builtin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Builtin::Call(function) => write!(f, "call({function}())"),
            Builtin::Overflow => f.write_str("overflow"),
            Builtin::End => f.write_str("end"),
            Builtin::Error => f.write_str("error"),
            Builtin::Deadlock => f.write_str("deadlock"),
        }
    }
}

/// Where an atom was first written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AtomOrigin {
    /// The place of its text, without quotes and surrounding space.
    pub span: Span,
    /// The offsets in the atom's text of quotes that were written with a backslash, in ascending order.
    pub escapes: Vec<u32>,
    /// For a bare word that operator letters were split off (`Flag` reads `F lag`, as in Spot): the whole word, so
    /// that a front end that does not know `lag` can say how it came about.
    pub whole_word: Option<Span>,
}

#[derive(Clone, Debug)]
struct AtomEntry {
    atom: Atom,
    origin: Option<AtomOrigin>,
}

/// The atoms of some formulas, each with the place where it was first written.
#[derive(Clone, Debug, Default)]
pub struct Atoms {
    entries: Arena<AtomId, AtomEntry>,
    ids: HashMap<Atom, AtomId>,
}

impl Atoms {
    /// The id of this atom, which is added if it is new. `origin` is kept if no earlier one is known.
    pub fn intern(&mut self, atom: Atom, origin: Option<AtomOrigin>) -> AtomId {
        if let Some(&id) = self.ids.get(&atom) {
            let known = &mut self.entries[id].origin;
            if known.is_none() {
                *known = origin;
            }
            return id;
        }
        let id = self.entries.push(AtomEntry { atom: atom.clone(), origin });
        self.ids.insert(atom, id);
        id
    }

    /// The atom with this id.
    pub fn get(&self, id: AtomId) -> &Atom {
        &self.entries[id].atom
    }

    /// The id of this atom, if it occurs.
    pub fn find(&self, atom: &Atom) -> Option<AtomId> {
        self.ids.get(atom).copied()
    }

    /// Where the atom was first written, if it was read from a text.
    pub fn origin(&self, id: AtomId) -> Option<&AtomOrigin> {
        self.entries[id].origin.as_ref()
    }

    /// The place of a part of the atom's text, given in bytes of [`Atom::expression`].
    pub fn place(&self, id: AtomId, part: Range<usize>) -> Option<Span> {
        let origin = self.origin(id)?;
        let place = |offset: usize| {
            let escaped = origin.escapes.partition_point(|&escape| (escape as usize) < offset);
            let at = (origin.span.start as usize).saturating_add(offset).saturating_add(escaped);
            at.min(origin.span.end as usize) as u32
        };
        Some(Span { source: origin.span.source, start: place(part.start), end: place(part.end) })
    }

    /// All atoms in the order in which they were first interned.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (AtomId, &Atom)> + ExactSizeIterator {
        self.entries.iter().map(|(id, entry)| (id, &entry.atom))
    }

    /// How many atoms there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}
