//! Watching the engine at work: what it found, as plain data, for whoever wants to show it.
//!
//! The engine calls a [`Watch`]; where the data goes (a line on a terminal, a text, files of pictures) is not its matter.
//! Nothing here knows terms or letters, so that a watcher need not either. Making the data takes time, so that a watcher
//! says by its [`Interest`] how much of it is worth making.

use foundation::Span;

/// How much a watcher wants to know. Each level includes those before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Interest {
    /// Nothing.
    Nothing,
    /// How far the engine is.
    Progress,
    /// Each lasso, and what became of it.
    Traces,
    /// Pictures of automata, and formulas.
    Everything,
}

/// Somebody who watches the engine.
pub trait Watch: Sync + std::fmt::Debug {
    /// How much is worth making.
    fn interest(&self) -> Interest;

    /// The Büchi program was built. There is a picture where everything is of interest.
    fn product(&self, _progress: &Progress, _picture: Option<&Picture>) {}

    /// A lasso was found. There is a trace where traces are of interest.
    fn lasso(&self, _progress: &Progress, _trace: Option<&Trace>) {}

    /// A lasso was decided.
    fn decided(&self, _progress: &Progress, _fate: &Fate) {}

    /// What was computed of a module, at the end; called where everything is of interest. Modules count from 1, by the
    /// number of the lasso that they were made of.
    fn module(&self, _number: usize, _kind: &str, _picture: &Picture) {}

    /// The engine has ended.
    fn done(&self, _progress: &Progress) {}
}

/// Nobody watches.
#[derive(Clone, Copy, Debug)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn interest(&self) -> Interest {
        Interest::Nothing
    }
}

/// How far the engine is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// The number of the lasso; 0 before the first.
    pub iteration: usize,
    /// The locations of the Büchi program.
    pub locations: usize,
    /// Its edges.
    pub edges: usize,
    /// How many states of the difference the last search has visited.
    pub visited: usize,
    /// How many modules were refuted by a prefix.
    pub finite: usize,
    /// How many modules were refuted by a ranking function.
    pub ranked: usize,
}

/// A lasso of the Büchi program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// Its beginning.
    pub stem: Vec<Block>,
    /// What is repeated for ever.
    pub cycle: Vec<Block>,
    /// The question whether the stem and one turn of the cycle can be executed, as a script in SMT-LIB, where everything
    /// is of interest.
    pub formula: Option<String>,
}

/// An edge of the Büchi program: several edges of the program in a row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
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

/// What became of a lasso.
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
    pub nodes: Vec<Node>,
    /// The edges.
    pub edges: Vec<Edge>,
}

/// A node of a picture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    /// What stands in it, line by line.
    pub lines: Vec<String>,
    /// Whether runs begin here.
    pub is_initial: bool,
    /// Whether it is accepting.
    pub is_accepting: bool,
}

/// An edge of a picture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// Where it begins.
    pub from: usize,
    /// Where it ends.
    pub to: usize,
    /// What stands at it.
    pub block: Block,
    /// The acceptance sets that it belongs to.
    pub marks: Vec<u32>,
}
