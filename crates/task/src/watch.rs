//! Watching engines at work: what they found, as plain data, for whoever wants to show it.
//!
//! An engine calls a [`Watch`]; where the data goes (a line on a terminal, a text, files of pictures) is not its
//! matter. Nothing here knows how an engine works, so that a watcher need not either. Making the data takes time, so
//! that a watcher says by its [`Interest`] how much of it is worth making.

use std::fmt;

use foundation::Span;

/// How much a watcher wants to know. Each level includes those before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Interest {
    /// Nothing.
    Nothing,
    /// How far an engine is.
    Progress,
    /// Each candidate for a counterexample, and what became of it.
    Traces,
    /// Pictures of automata, and formulas.
    Everything,
}

/// Somebody who watches an engine.
pub trait Watch: Sync + fmt::Debug {
    /// How much is worth making.
    fn interest(&self) -> Interest;

    /// An engine is so far. The last one it tells is how far it came.
    fn progress(&self, _progress: &Progress) {}

    /// A candidate for a counterexample was found; candidates count from 1. There is a trace where traces are of
    /// interest.
    fn candidate(&self, _number: usize, _trace: Option<&CandidateLasso>) {}

    /// The candidate that was found last was decided.
    fn decided(&self, _number: usize, _fate: &Fate) {}

    /// An automaton was made. There is a picture where everything is of interest.
    fn made(&self, _automaton: &Made<'_>, _picture: Option<&Picture>) {}
}

/// Nobody watches.
#[derive(Clone, Copy, Debug)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn interest(&self) -> Interest {
        Interest::Nothing
    }
}

/// An automaton that an engine has made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Made<'a> {
    /// Its name, which no other has.
    pub name: &'a str,
    /// What it is.
    pub kind: &'a str,
    /// How many locations it has.
    pub locations: usize,
    /// How many edges it has.
    pub edges: usize,
}

/// How far an engine is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Progress {
    /// The engine.
    pub engine: &'static str,
    /// What it counts, by name, in the order in which it is shown.
    pub counts: Vec<(&'static str, u64)>,
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.engine)?;
        for (index, (name, count)) in self.counts.iter().enumerate() {
            write!(f, "{} {name} {count}", if index == 0 { ":" } else { "," })?;
        }
        Ok(())
    }
}

/// A candidate for a counterexample: a lasso.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CandidateLasso {
    /// How it was found, in a few words.
    pub remark: String,
    /// Its beginning.
    pub stem: Vec<PictureBlock>,
    /// What is repeated for ever.
    pub cycle: Vec<PictureBlock>,
    /// The question whether the stem and one iteration of the cycle can be executed, as a script in SMT-LIB, where
    /// everything is of interest.
    pub formula: Option<String>,
}

/// Several edges of the program in a row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PictureBlock {
    /// The edges of the program.
    pub statements: Vec<Statement>,
    /// What it does together with what the property demands: conditions between brackets, then new values.
    pub effect: String,
}

/// An edge of the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Statement {
    /// The source text that it comes from, if any.
    pub span: Option<Span>,
    /// Whether it is a condition that holds, and not a statement.
    pub is_condition: bool,
    /// What it does, in words of the program model.
    pub text: String,
}

/// What became of a candidate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fate {
    /// It cannot be executed.
    Refuted {
        /// Why, in a few words.
        why: String,
        /// What the module is that was made of it.
        module: &'static str,
        /// What the module knows along its traces, where traces are of interest.
        predicates: Vec<String>,
    },
    /// It can be executed for ever.
    Diverges {
        /// What shows it.
        argument: &'static str,
    },
    /// Neither was found out.
    Open {
        /// Why.
        why: String,
    },
}

/// A graph to be drawn.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Picture {
    /// The nodes, which edges name by their positions.
    pub nodes: Vec<PictureNode>,
    /// The edges.
    pub edges: Vec<PictureEdge>,
}

/// A node of a picture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PictureNode {
    /// What stands in it, line by line.
    pub lines: Vec<String>,
    /// Whether runs begin here.
    pub is_initial: bool,
    /// Whether it is accepting.
    pub is_accepting: bool,
}

/// An edge of a picture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PictureEdge {
    /// Where it begins.
    pub from: usize,
    /// Where it ends.
    pub to: usize,
    /// What stands at it.
    pub block: PictureBlock,
    /// The acceptance sets that it belongs to.
    pub marks: Vec<u32>,
}
