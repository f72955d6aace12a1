//! Which variables decide what a loop does.
//!
//! A set of variables is *closed* along some edges if it contains
//!
//! - all that guards, addresses, indices, sizes, handles and atoms read there, and the operands of every operation that
//!   may be undefined, unsupported, or (where the property looks at it) an overflow;
//! - with a variable that an edge writes, all that the written value is computed from;
//! - all variables whose address is taken, because pointers may reach them, and all that an address is computed from.
//!
//! Two states that agree on a closed set, and in which all else has the same shape, cannot be told apart by going along
//! these edges: see `closing` of the crate `replay` for the argument. The dependence is that of whole variables and does not
//! look at the order of the edges, which makes the set larger than necessary and never too small.

use std::collections::BTreeSet;

use foundation::collections::{HashMap, HashSet};

use crate::semantics::Integers;
use crate::semantics::arithmetic::MOST_IDEAL_SHIFT_BITS;
use crate::{
    Atom, BinaryOp, Callee, Constant, EdgeId, ExprId, ExprKind, FunctionId, LocationId, Op, Operand, Place, Program,
    Root, Scalar, VariableId,
};
use foundation::Id;
use num_traits::{Signed, ToPrimitive};

/// A set of variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variables(Vec<bool>);

impl Variables {
    /// Whether a variable is in it.
    pub fn contains(&self, variable: VariableId) -> bool {
        self.0[variable.index()]
    }

    fn insert(&mut self, variable: VariableId) -> bool {
        !std::mem::replace(&mut self.0[variable.index()], true)
    }
}

/// What is relevant wherever the program goes.
pub struct Relevance<'a> {
    program: &'a Program,
    integers: Integers,
    /// Whether a signed overflow can be seen.
    overflow_is_seen: bool,
    everywhere: Variables,
    threads: ThreadFunctions,
}

/// The functions that threads may run, whose results are kept until somebody waits for the thread.
enum ThreadFunctions {
    These(HashSet<FunctionId>),
    Any,
}

/// What a value depends on.
#[derive(Default)]
pub struct ValueParts {
    /// The variables that it is merely computed from.
    pub sources: Vec<VariableId>,
    /// The expressions that decide what else its evaluation does: what is read, what is undefined.
    pub deciding: Vec<ExprId>,
}

impl<'a> Relevance<'a> {
    /// For a program with what a property looks at.
    pub fn new(program: &'a Program, atoms: &[Atom], integers: Integers) -> Self {
        let state = |atom: &Atom| match atom {
            Atom::State { value, .. } => Some(*value),
            _ => None,
        };
        let values: Vec<ExprId> = atoms.iter().filter_map(state).collect();
        Self::of(program, &values, integers, atoms.contains(&Atom::Overflow))
    }

    /// The same where atoms over the state are given by their values.
    pub fn of(program: &'a Program, atoms: &[ExprId], integers: Integers, overflow_is_seen: bool) -> Self {
        let everywhere = Variables(program.variables.values().map(|variable| variable.address_taken).collect());
        let threads = ThreadFunctions::of(program);
        let mut relevance = Self { program, integers, overflow_is_seen, everywhere, threads };
        let mut dependence = Dependence::new(&relevance);
        dependence.need_all(atoms);
        relevance.everywhere = dependence.closed();
        relevance
    }

    /// The program.
    pub fn program(&self) -> &'a Program {
        self.program
    }

    /// How its integers behave.
    pub fn integers(&self) -> Integers {
        self.integers
    }

    /// The smallest set that is closed along all edges of the program.
    pub fn along_all(&self) -> Variables {
        self.along(&self.program.edges.ids().collect(), &self.program.locations.ids().collect())
    }

    /// The smallest closed set along these edges, where threads stand at these locations meanwhile.
    pub fn along(&self, edges: &BTreeSet<EdgeId>, locations: &BTreeSet<LocationId>) -> Variables {
        let mut dependence = Dependence::new(self);
        for &location in locations {
            dependence.stand(location);
        }
        let results = CallResults::of(self.program, edges);
        for &edge in edges {
            dependence.take(edge, &results);
        }
        dependence.closed()
    }

    /// What a value depends on.
    pub fn parts(&self, operand: &Operand) -> ValueParts {
        let mut parts = ValueParts::default();
        let value = match operand {
            Operand::Scalar(value) => *value,
            Operand::Aggregate(place) => {
                parts.deciding = place.operands();
                // What pointers reach is needed in any case.
                if let Root::Variable(variable) = place.root {
                    parts.sources.push(variable);
                }
                return parts;
            }
        };
        let exprs = &self.program.exprs;
        let (mut open, mut seen) = (vec![value], HashSet::from_iter([value]));
        while let Some(expr) = open.pop() {
            let inner = match &exprs.get(expr).kind {
                _ if !self.is_harmless(expr) => {
                    parts.deciding.push(expr);
                    continue;
                }
                ExprKind::Load(place) => {
                    parts.deciding.extend(place.operands());
                    if let Root::Variable(variable) = place.root {
                        parts.sources.push(variable);
                    }
                    continue;
                }
                // Which operands are evaluated decides what is read, and so what is asked for.
                ExprKind::And(left, right) | ExprKind::Or(left, right) => {
                    parts.deciding.push(*left);
                    vec![*right]
                }
                ExprKind::If(condition, then, otherwise) => {
                    parts.deciding.push(*condition);
                    vec![*then, *otherwise]
                }
                _ => exprs.operands(expr),
            };
            open.extend(inner.into_iter().filter(|&part| seen.insert(part)));
        }
        parts
    }

    /// Whether the outermost operation of an expression has a value whatever its operands are, no side effect, and
    /// nothing to do with addresses.
    pub fn is_harmless(&self, expr: ExprId) -> bool {
        let Self { program, integers, overflow_is_seen, .. } = self;
        let exprs = &program.exprs;
        let ty = exprs.ty(expr);
        let constant = |expr: ExprId| match &exprs.get(expr).kind {
            ExprKind::Constant(Constant::Int(value)) => Some(value),
            _ => None,
        };
        match &exprs.get(expr).kind {
            _ if ty == Scalar::Pointer => false,
            ExprKind::Unary(..) | ExprKind::Binary(..) if *overflow_is_seen => false,
            ExprKind::Binary(op, _, right) => match (op, ty) {
                (_, Scalar::Float(_)) => true,
                (BinaryOp::Divide | BinaryOp::Remainder, _) => {
                    constant(*right).is_some_and(|divisor| divisor.is_positive())
                }
                (BinaryOp::ShiftLeft | BinaryOp::ShiftRight, Scalar::Int(ty)) => {
                    let most = match integers {
                        Integers::Machine => u32::from(ty.bits).saturating_sub(1),
                        Integers::Ideal => MOST_IDEAL_SHIFT_BITS,
                    };
                    // An ideal integer that is shifted to the left again and again becomes too large.
                    let grows = *integers == Integers::Ideal && *op == BinaryOp::ShiftLeft;
                    !grows && constant(*right).and_then(ToPrimitive::to_u32).is_some_and(|count| count <= most)
                }
                (BinaryOp::Multiply, _) => *integers == Integers::Machine,
                _ => true,
            },
            ExprKind::Compare(_, left, _) => exprs.ty(*left) != Scalar::Pointer,
            ExprKind::Cast(operand) => {
                let from = exprs.ty(*operand);
                let out_of_range = matches!((from, ty), (Scalar::Float(_), Scalar::Int(_)));
                from != Scalar::Pointer && !out_of_range
            }
            ExprKind::AddressOf(_) | ExprKind::PointerAdd { .. } | ExprKind::PointerDifference { .. } => false,
            ExprKind::Constant(_)
            | ExprKind::Load(_)
            | ExprKind::FunctionAddress(_)
            | ExprKind::Unary(..)
            | ExprKind::Not(_)
            | ExprKind::And(..)
            | ExprKind::Or(..)
            | ExprKind::If(..) => true,
        }
    }
}

/// What was found to be needed, and where written values come from.
struct Dependence<'r> {
    relevance: &'r Relevance<'r>,
    needed: Variables,
    /// A variable, and one that a value written to it is computed from.
    flows: Vec<(VariableId, VariableId)>,
    /// The expressions all of whose variables are needed already.
    done: HashSet<ExprId>,
}

impl<'r> Dependence<'r> {
    fn new(relevance: &'r Relevance<'r>) -> Self {
        Self { relevance, needed: relevance.everywhere.clone(), flows: Vec::new(), done: HashSet::default() }
    }

    /// The closure of what is needed under flows.
    fn closed(self) -> Variables {
        let Self { mut needed, mut flows, .. } = self;
        flows.sort_unstable();
        flows.dedup();
        let mut open: Vec<VariableId> = flows.iter().map(|&(target, _)| target).collect();
        open.dedup();
        open.retain(|&target| needed.contains(target));
        while let Some(target) = open.pop() {
            let first = flows.partition_point(|&(other, _)| other < target);
            for &(_, source) in flows[first..].iter().take_while(|&&(other, _)| other == target) {
                if needed.insert(source) {
                    open.push(source);
                }
            }
        }
        needed
    }

    /// A thread stands here: the guards of all edges are looked at, and so is what it may wait for, which
    /// decides who is able to run.
    fn stand(&mut self, location: LocationId) {
        let program = self.relevance.program;
        for &edge in &program.locations[location].out {
            if let Op::Assume(expr) | Op::Lock(expr) | Op::Join { thread: expr, .. } = program.edges[edge].op {
                self.need(expr);
            }
        }
    }

    /// An edge is taken, and results are returned to these calls.
    fn take(&mut self, edge: EdgeId, results: &CallResults) {
        let program = self.relevance.program;
        match &program.edges[edge].op {
            Op::Assign { target, value } => {
                self.need_all(&target.operands());
                let sources = self.sources_of(value);
                match target.root {
                    Root::Variable(variable) => self.flow(variable, sources),
                    Root::Pointer { .. } => self.need_variables(sources),
                }
            }
            Op::Call { callee: Callee::Pointer(address), arguments, .. } => {
                self.need(*address);
                for argument in arguments {
                    let sources = self.sources_of(argument);
                    self.need_variables(sources);
                }
            }
            Op::Call { callee: Callee::Function(function), arguments, .. } => {
                let parameters = &program.functions[*function].parameters;
                for (at, argument) in arguments.iter().enumerate() {
                    let sources = self.sources_of(argument);
                    if let Some(&parameter) = parameters.get(at) {
                        self.flow(parameter, sources);
                    }
                }
            }
            Op::Return(Some(value)) => {
                let sources = self.sources_of(value);
                let returning = program.locations[program.edges[edge].from].function;
                for result in results.of_function(returning) {
                    self.flow(result, sources.clone());
                }
                if self.relevance.threads.contains(returning) {
                    self.need_variables(sources);
                }
            }
            op => self.need_all(&op.expressions()),
        }
    }

    fn flow(&mut self, target: VariableId, sources: Vec<VariableId>) {
        self.flows.extend(sources.into_iter().map(|source| (target, source)));
    }

    fn need_variables(&mut self, variables: Vec<VariableId>) {
        for variable in variables {
            self.needed.insert(variable);
        }
    }

    fn need_all(&mut self, exprs: &[ExprId]) {
        exprs.iter().for_each(|&expr| self.need(expr));
    }

    /// All that an expression reads is needed.
    fn need(&mut self, expr: ExprId) {
        let exprs = &self.relevance.program.exprs;
        let mut open = vec![expr];
        while let Some(expr) = open.pop() {
            if !self.done.insert(expr) {
                continue;
            }
            if let ExprKind::Load(Place { root: Root::Variable(variable), .. }) = exprs.get(expr).kind {
                self.needed.insert(variable);
            }
            open.extend(exprs.operands(expr));
        }
    }

    /// The variables that a value depends on only by being computed from them. What else its evaluation depends on is
    /// needed.
    fn sources_of(&mut self, operand: &Operand) -> Vec<VariableId> {
        let ValueParts { sources, deciding } = self.relevance.parts(operand);
        self.need_all(&deciding);
        sources
    }
}

/// The variables that receive what functions return. Along a loop, the calls that its returns belong to are taken too,
/// because the activations are the same after it.
struct CallResults {
    of: HashMap<FunctionId, Vec<VariableId>>,
    /// Those of calls through pointers.
    of_any: Vec<VariableId>,
}

impl CallResults {
    fn of(program: &Program, edges: &BTreeSet<EdgeId>) -> Self {
        let mut results = Self { of: HashMap::default(), of_any: Vec::new() };
        for &edge in edges {
            match &program.edges[edge].op {
                Op::Call { callee: Callee::Function(function), result, .. } => {
                    results.of.entry(*function).or_default().extend(*result);
                }
                Op::Call { callee: Callee::Pointer(_), result, .. } => results.of_any.extend(*result),
                _ => {}
            }
        }
        results
    }

    fn of_function(&self, function: FunctionId) -> impl Iterator<Item = VariableId> {
        self.of.get(&function).into_iter().flatten().chain(&self.of_any).copied()
    }
}

impl ThreadFunctions {
    fn of(program: &Program) -> Self {
        let mut functions = HashSet::default();
        for edge in program.edges.values() {
            match &edge.op {
                Op::Spawn { function: Callee::Function(function), .. } => {
                    functions.insert(*function);
                }
                Op::Spawn { function: Callee::Pointer(_), .. } => return ThreadFunctions::Any,
                _ => {}
            }
        }
        ThreadFunctions::These(functions)
    }

    fn contains(&self, function: FunctionId) -> bool {
        match self {
            ThreadFunctions::These(functions) => functions.contains(&function),
            ThreadFunctions::Any => true,
        }
    }
}
