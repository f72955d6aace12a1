//! The program as a whole: types, variables, expressions, functions and their automata.

use std::collections::BTreeSet;
use std::sync::Arc;

use foundation::{Arena, Span, define_id};

use crate::cfa::{Edge, EdgeId, Function, FunctionId, Location, LocationId, Observe, Op};
use crate::expr::{ExprId, ExprKind, Exprs};
use crate::telling::Telling;
use crate::types::{DataModel, TypeId, Types};

define_id! {
    /// A variable of a program: a global, a local or parameter of a function, or a temporary.
    VariableId
}

/// A variable: the name of an object, or of one object per activation of its function.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name as written; temporaries are `%n`.
    pub name: String,
    /// What kind it is.
    pub kind: VariableKind,
    /// Its type.
    pub ty: TypeId,
    /// Whether its address is used, so that it may be changed through a pointer.
    pub address_taken: bool,
    /// Where it is declared.
    pub span: Span,
}

/// The kinds of variables.
#[derive(Clone, Debug, PartialEq)]
pub enum VariableKind {
    /// It lives as long as the program.
    Global {
        /// What it holds at the start.
        initial: Initial,
        /// The function in which it is declared, if it is a static local.
        declared_in: Option<FunctionId>,
    },
    /// A string literal: a global that must not be written.
    Literal {
        /// What it holds.
        initial: Initial,
    },
    /// A parameter.
    Parameter(FunctionId),
    /// A local variable.
    Local(FunctionId),
    /// A local variable that the source program does not name; its address is never taken.
    Temporary(FunctionId),
}

/// What a global holds at the start.
#[derive(Clone, Debug, PartialEq)]
pub enum Initial {
    /// These values, and zero everywhere else.
    Values(Vec<InitialItem>),
    /// Anything: the object is defined elsewhere.
    Arbitrary,
}

/// A value at the start.
#[derive(Clone, Debug, PartialEq)]
pub struct InitialItem {
    /// Where, from the beginning of the object.
    pub offset_bits: u64,
    /// How many bits: those of the value's type, or fewer in a bit-field.
    pub width_bits: u64,
    /// The value: constant, but for addresses of globals and functions.
    pub value: ExprId,
}

/// A program.
#[derive(Clone, Debug)]
pub struct Program {
    /// Its types, for one data model.
    pub types: Types,
    /// Its expressions.
    pub exprs: Exprs,
    /// Its variables.
    pub variables: Arena<VariableId, Variable>,
    /// Its functions.
    pub functions: Arena<FunctionId, Function>,
    /// The locations of all functions.
    pub locations: Arena<LocationId, Location>,
    /// The edges of all functions.
    pub edges: Arena<EdgeId, Edge>,
    /// Where it starts. Its parameters hold arbitrary values.
    pub entry: Option<FunctionId>,
    /// What people call its parts.
    pub telling: Arc<Telling>,
    /// What was assumed of what the program does not show.
    pub assumptions: Vec<Assumption>,
}

/// Something that is assumed of what a program does not show: of a function without a body, of assembly, of a device.
#[derive(Clone, Debug, PartialEq)]
pub struct Assumption {
    /// What is assumed, as a sentence without its first capital and without a full stop.
    pub text: String,
    /// The function in which that matters; none where it matters wherever control comes.
    pub within: Option<FunctionId>,
    /// What is spoken of.
    pub span: Span,
}

impl Program {
    /// An empty program.
    pub fn new(data_model: DataModel) -> Self {
        Self {
            types: Types::new(data_model),
            exprs: Exprs::default(),
            variables: Arena::new(),
            functions: Arena::new(),
            locations: Arena::new(),
            edges: Arena::new(),
            entry: None,
            telling: Arc::default(),
            assumptions: Vec::new(),
        }
    }

    /// What people call a variable: its name, qualified where others have the same.
    pub fn told_variable(&self, variable: VariableId) -> &str {
        self.telling.variables.get(&variable).unwrap_or(&self.variables[variable].name)
    }

    /// What people call a function.
    pub fn told_function(&self, function: FunctionId) -> &str {
        self.telling.functions.get(&function).unwrap_or(&self.functions[function].name)
    }

    /// A new location in a function.
    pub fn add_location(&mut self, function: FunctionId) -> LocationId {
        self.locations.push(Location { function, out: Vec::new() })
    }

    /// A new edge.
    pub fn add_edge(&mut self, from: LocationId, to: LocationId, op: Op, span: Span, observe: Observe) -> EdgeId {
        let edge = self.edges.push(Edge { from, to, op, span, observe });
        self.locations[from].out.push(edge);
        edge
    }

    /// The function with this name.
    pub fn function_named(&self, name: &str) -> Option<FunctionId> {
        self.functions.iter().find(|(_, function)| function.name == name).map(|(id, _)| id)
    }

    /// The function that a variable belongs to; none for globals, static locals included.
    pub fn owner(&self, variable: VariableId) -> Option<FunctionId> {
        match self.variables[variable].kind {
            VariableKind::Global { .. } | VariableKind::Literal { .. } => None,
            VariableKind::Parameter(function) | VariableKind::Local(function) | VariableKind::Temporary(function) => {
                Some(function)
            }
        }
    }

    /// All functions whose address is taken. A call through a pointer is one of these, and a number is the address of one of these.
    pub fn functions_pointed_to(&self) -> Vec<FunctionId> {
        let mut open: Vec<ExprId> = self.edges.values().flat_map(|edge| edge.op.expressions()).collect();
        for variable in self.variables.values() {
            if let VariableKind::Global { initial: Initial::Values(items), .. }
            | VariableKind::Literal { initial: Initial::Values(items) } = &variable.kind
            {
                open.extend(items.iter().map(|item| item.value));
            }
        }
        let below = self.exprs.below(open).filter_map(|expr| match self.exprs.get(expr).kind {
            ExprKind::FunctionAddress(function) => Some(function),
            _ => None,
        });
        below.collect::<BTreeSet<FunctionId>>().into_iter().collect()
    }

    /// Whether some edge starts a thread.
    pub fn has_threads(&self) -> bool {
        self.edges.values().any(|edge| matches!(edge.op, Op::Spawn { .. }))
    }

    /// Whether a run may come to a location none of whose edges can be taken, so that it is blocked. Where an edge is taken on
    /// a condition, another one must be there for its negation, or one without a condition. Undefined behaviour and
    /// waiting threads do not count here.
    pub fn may_be_cut(&self) -> bool {
        self.locations.values().any(|location| {
            let condition = |edge: &EdgeId| match self.edges[*edge].op {
                Op::Assume(condition) => Some(condition),
                _ => None,
            };
            let conditions: Vec<ExprId> = location.out.iter().filter_map(condition).collect();
            let is_open = conditions.len() < location.out.len();
            // The last case of a `switch` is that none of the others is.
            let is_rest = |other: &ExprId| match self.exprs.get(*other).kind {
                ExprKind::Not(inner) => {
                    conditions.contains(&inner) || self.alternatives(inner).iter().all(|one| conditions.contains(one))
                }
                _ => false,
            };
            !location.out.is_empty() && !is_open && !conditions.iter().any(is_rest)
        })
    }

    /// What a disjunction is made of.
    fn alternatives(&self, condition: ExprId) -> Vec<ExprId> {
        let (mut found, mut open) = (Vec::new(), vec![condition]);
        while let Some(expr) = open.pop() {
            match self.exprs.get(expr).kind {
                ExprKind::Or(left, right) => open.extend([left, right]),
                _ => found.push(expr),
            }
        }
        found
    }

    /// Whether some edge is an explicit step of the property's clock.
    pub fn has_steps(&self) -> bool {
        self.edges.values().any(|edge| edge.observe == Observe::Step)
    }
}
