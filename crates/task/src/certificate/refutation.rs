//! The certificate of a proof by subtracting traces that cannot be executed.
//!
//! It speaks of the program after inlining, [`program::passes::prepare`], by the numbers that its locations, edges and
//! variables have there. Beside it runs the automaton of the negated goal. Three layers build on each other:
//!
//! 1. The *product*: places in the program with a state of the automaton, each with an invariant, and paths between them.
//! 2. *Modules*: Büchi automata over the product's edges whose states say what holds, and by which function every
//!    accepted trace would have to descend for ever.
//! 3. The *graph*: nodes are states of the product with predicates and, for each module, what its runs are doing
//!    (macrostates of its complement). Numbers fall along edges, and where they stay the same for ever, something that would
//!    have to happen infinitely often does not.
//!
//! Why that is a proof is in `docs/design/certify.md`.

use automata::buchi::{Automaton, Guard};
use foundation::Id;
use num_bigint::BigInt;
use program::{EdgeId, LocationId, Program, Scalar, VariableId};

use super::sexp::Sexp;
use super::steps::ProofStep;

/// A proof that no fair trace can be executed.
#[derive(Clone, Debug)]
pub struct Refutation {
    /// The automaton of the negated goal.
    pub automaton: Automaton<Guard>,
    /// What the symbols in conditions stand for.
    pub symbols: Vec<Declaration>,
    /// The numbers that stand for addresses.
    pub addresses: Vec<ObjectAddress>,
    /// Edges at which the automaton reads nothing although a state is observed there: no atom has changed.
    pub unread: Vec<EdgeId>,
    /// Edges at which it reads although no state is observed there: what was observed last.
    pub reread: Vec<EdgeId>,
    /// The states of the product.
    pub states: Vec<ProductState>,
    /// Its edges.
    pub edges: Vec<ProductEdge>,
    /// What nodes of the graph know.
    pub predicates: Vec<Sexp>,
    /// The modules that descend.
    pub modules: Vec<RankedModule>,
    /// The graph.
    pub nodes: Vec<ProofNode>,
    /// For each number of nodes, what does not happen for ever among them.
    pub missing: Vec<ProgressCondition>,
    /// What the steps call `#0`, `#1`, …; each may use those before it.
    pub definitions: Vec<Sexp>,
    /// Why some steps of the proof are right, by arithmetic alone.
    pub steps: Vec<ProofStep>,
    /// How many sets of traces were refuted by a prefix.
    pub finite: usize,
}

impl Refutation {
    /// Checks that whatever it names in the program after inlining is there.
    pub fn fits(&self, program: &Program) -> Result<(), String> {
        let edge = |edge: EdgeId| {
            let is_there = edge.index() < program.edges.len();
            if is_there { Ok(()) } else { Err(format!("the program has no edge {}", edge.index())) }
        };
        let object = |object: ObjectName| match object {
            ObjectName::Heap(allocated) => edge(allocated),
            ObjectName::Variable(variable) if variable.index() < program.variables.len() => Ok(()),
            ObjectName::Variable(variable) => Err(format!("the program has no variable {}", variable.index())),
        };
        for declaration in &self.symbols {
            match declaration.cell {
                CellName::One { object: of, .. } | CellName::Many { object: of, .. } | CellName::Alive(of) => {
                    object(of)?
                }
            }
        }
        self.addresses.iter().try_for_each(|address| object(address.object))?;
        self.unread.iter().chain(&self.reread).try_for_each(|&id| edge(id))?;
        self.edges.iter().flat_map(|product| &product.path).try_for_each(|&id| edge(id))?;
        for state in &self.states {
            match state.place {
                Control::Start => {}
                Control::At(location) if location.index() < program.locations.len() => {}
                Control::At(location) => return Err(format!("the program has no location {}", location.index())),
                Control::Stopped(stopped, _) => edge(stopped)?,
            }
        }
        Ok(())
    }
}

/// A symbol.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declaration {
    /// Its name.
    pub name: String,
    /// What it stands for.
    pub cell: CellName,
}

/// An object in memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum ObjectName {
    /// A variable.
    Variable(VariableId),
    /// What an edge allocates; at most one such object lives at a time.
    Heap(EdgeId),
}

/// What a symbol stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CellName {
    /// The scalar at an offset, which is in bits.
    One {
        /// Where.
        object: ObjectName,
        /// At which bit it begins.
        offset: u64,
        /// Its type.
        scalar: Scalar,
    },
    /// The scalars of a type in an object, as an array: the one at byte `unit · i` has the index `i`.
    Many {
        /// Where.
        object: ObjectName,
        /// Their type.
        scalar: Scalar,
        /// How many bytes an index counts.
        unit: u64,
    },
    /// Whether a heap object lives.
    Alive(ObjectName),
}

/// The number that stands for the address of an object's first byte.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ObjectAddress {
    /// The object.
    pub object: ObjectName,
    /// The number.
    pub base: BigInt,
}

/// Where control is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Control {
    /// Before the first step.
    Start,
    /// At a location.
    At(LocationId),
    /// Nowhere any more: stopped by an edge.
    Stopped(EdgeId, Exit),
}

/// Where an edge leads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Exit {
    /// To its end.
    Passes,
    /// Out of the entry function.
    Returns,
    /// To the end of the program.
    Ends,
    /// To undefined behaviour.
    Undefined,
}

/// A state of the product.
#[derive(Clone, Debug)]
pub struct ProductState {
    /// Where control is.
    pub place: Control,
    /// The state of the automaton.
    pub automaton: u32,
    /// What holds there in every execution.
    pub invariant: Vec<Sexp>,
}

/// An edge of the product.
#[derive(Clone, Debug)]
pub struct ProductEdge {
    /// The state that it leaves.
    pub from: u32,
    /// The state that it enters.
    pub to: u32,
    /// The letter that modules read. Edges that do the same may have the same letter.
    pub letter: u32,
    /// The edges of the program on the path, in order; edges that do not matter for the proof may be left out.
    pub path: Vec<EdgeId>,
    /// The edges of the automaton on the path, by their numbers.
    pub reads: Vec<u32>,
    /// Where several edges have the same path, the condition that tells this one, over the state before it.
    pub condition: Option<Sexp>,
}

/// A module: traces along which a function would descend for ever.
#[derive(Clone, Debug)]
pub struct RankedModule {
    /// The function, a tuple that is compared lexicographically. Its values at the last visit of an accepting state
    /// are called `old.0`, `old.1` and so on.
    pub function: Vec<Sexp>,
    /// The states; runs begin in the first.
    pub states: Vec<ModuleState>,
    /// From a state, by a letter, to states.
    pub transitions: Vec<(u32, u32, Vec<u32>)>,
}

/// A state of a module.
#[derive(Clone, Debug)]
pub struct ModuleState {
    /// What it is.
    pub role: Role,
    /// What holds there.
    pub condition: Vec<Sexp>,
}

/// What a state of a module is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// The function's old values were never set.
    Stem,
    /// Accepting: the function has descended, or its old values were never set.
    Accepting,
    /// Between accepting states.
    Cycle,
    /// Nothing holds here: an accepting trap.
    False,
}

/// A node of the graph.
#[derive(Clone, Debug)]
pub struct ProofNode {
    /// The state of the product.
    pub state: u32,
    /// The predicates that hold.
    pub predicates: Vec<u32>,
    /// What the runs of the first modules are doing; of the others nothing is said.
    pub macrostates: Vec<Macrostate>,
    /// Its number.
    pub number: u32,
}

/// What the runs of a module are doing: a macrostate (N, C, S, B) of its complement by the refined NCSB rules.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Macrostate {
    /// N: not yet committed.
    pub uncommitted: Vec<u32>,
    /// C: may still visit accepting states.
    pub checked: Vec<u32>,
    /// S: promised never to visit accepting states again.
    pub safe: Vec<u32>,
    /// B: the part of C that must leave it before the next breakpoint.
    pub breakpoint: Vec<u32>,
}

/// What does not happen for ever among the nodes of a number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ProgressCondition {
    /// No edge leads from one of them to another.
    Edges,
    /// No edge among them is in this acceptance set of the automaton.
    Mark(u32),
    /// The breakpoint of this module is never reached.
    Breakpoint(u32),
}
