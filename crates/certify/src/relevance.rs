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
//! these edges: see [`closing`](super::closing) for the argument. The dependence is that of whole variables and does not
//! look at the order of the edges, which makes the set larger than necessary and never too small.

use std::collections::{BTreeSet, HashSet};

use foundation::Id;
use num_traits::{Signed, ToPrimitive};
use program::semantics::Integers;
use program::semantics::arithmetic::MOST_IDEAL_SHIFT;
use program::{
    Allocation, Atom, BinaryOp, Callee, Constant, EdgeId, ExprId, ExprKind, LocationId, Op, Operand, Place, Program,
    Root, Scalar, VariableId,
};
use task::Task;

/// A set of variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Variables(Vec<bool>);

impl Variables {
    pub(crate) fn contains(&self, variable: VariableId) -> bool {
        self.0[variable.index()]
    }

    fn insert(&mut self, variable: VariableId) -> bool {
        !std::mem::replace(&mut self.0[variable.index()], true)
    }
}

/// What is relevant wherever the program goes.
pub(crate) struct Relevance<'a> {
    program: &'a Program,
    integers: Integers,
    /// Whether a signed overflow can be seen.
    overflow_is_seen: bool,
    everywhere: Variables,
}

impl<'a> Relevance<'a> {
    pub(crate) fn new(task: &'a Task) -> Self {
        let program = &*task.program;
        let everywhere = Variables(program.variables.values().map(|variable| variable.address_taken).collect());
        let overflow_is_seen = task.atoms.contains(&Atom::Overflow);
        let mut relevance = Self { program, integers: task.semantics.integers, overflow_is_seen, everywhere };
        let mut dependence = Dependence::new(&relevance);
        for atom in task.atoms.iter() {
            if let Atom::State { value, .. } = atom {
                dependence.need(*value);
            }
        }
        relevance.everywhere = dependence.closed();
        relevance
    }

    /// The smallest closed set along these edges, where threads stand at these locations meanwhile.
    pub(crate) fn along(&self, edges: &BTreeSet<EdgeId>, locations: &BTreeSet<LocationId>) -> Variables {
        let mut dependence = Dependence::new(self);
        for &location in locations {
            dependence.stand(location);
        }
        for &edge in edges {
            dependence.take(edge, edges);
        }
        dependence.closed()
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
        Self { relevance, needed: relevance.everywhere.clone(), flows: Vec::new(), done: HashSet::new() }
    }

    /// The closure of what is needed under flows.
    fn closed(self) -> Variables {
        let Self { mut needed, mut flows, .. } = self;
        loop {
            let before = flows.len();
            let mut grown = false;
            flows.retain(|&(target, source)| {
                let flows_in = needed.contains(target);
                grown |= flows_in && needed.insert(source);
                !flows_in
            });
            if !grown || flows.len() == before {
                return needed;
            }
        }
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

    /// An edge is taken; `edges` are all that are.
    fn take(&mut self, edge: EdgeId, edges: &BTreeSet<EdgeId>) {
        let program = self.relevance.program;
        match &program.edges[edge].op {
            Op::Skip
            | Op::Declare(_)
            | Op::Discard(_)
            | Op::Return(None)
            | Op::End(_)
            | Op::Unreachable
            | Op::AtomicBegin
            | Op::AtomicEnd => {}
            Op::Assume(expr)
            | Op::Free(expr)
            | Op::Join { thread: expr, .. }
            | Op::ExitThread(expr)
            | Op::InitLock(expr)
            | Op::Lock(expr)
            | Op::TryLock { mutex: expr, .. }
            | Op::Unlock(expr) => self.need(*expr),
            Op::Assign { target, value } => {
                self.need_all(&target.operands());
                let sources = self.sources_of(value);
                match target.root {
                    Root::Variable(variable) => self.flow(variable, sources),
                    Root::Pointer { .. } => self.need_variables(sources),
                }
            }
            Op::Input { target, .. } => self.need_all(&target.operands()),
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
                for result in results_of_calls(program, edge, edges) {
                    self.flow(result, sources.clone());
                }
            }
            Op::Allocate { size, contents, .. } => {
                self.need(*size);
                if let Allocation::Resized(address) = contents {
                    self.need(*address);
                }
            }
            Op::CopyBytes { target, source, count, .. } => self.need_all(&[*target, *source, *count]),
            Op::SetBytes { target, byte, count } => self.need_all(&[*target, *byte, *count]),
            Op::Spawn { function, argument, .. } => {
                if let Callee::Pointer(address) = function {
                    self.need(*address);
                }
                self.need(*argument);
            }
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
        let value = match operand {
            Operand::Scalar(value) => *value,
            Operand::Aggregate(place) => {
                self.need_all(&place.operands());
                return match place.root {
                    Root::Variable(variable) => vec![variable],
                    // What pointers reach is needed in any case.
                    Root::Pointer { .. } => Vec::new(),
                };
            }
        };
        let exprs = &self.relevance.program.exprs;
        let mut sources = Vec::new();
        let (mut open, mut seen) = (vec![value], HashSet::from([value]));
        while let Some(expr) = open.pop() {
            let parts = match &exprs.get(expr).kind {
                _ if !self.is_harmless(expr) => {
                    self.need(expr);
                    continue;
                }
                ExprKind::Load(place) => {
                    self.need_all(&place.operands());
                    if let Root::Variable(variable) = place.root {
                        sources.push(variable);
                    }
                    continue;
                }
                // Which operands are evaluated decides what is read, and so what is asked for.
                ExprKind::And(left, right) | ExprKind::Or(left, right) => {
                    self.need(*left);
                    vec![*right]
                }
                ExprKind::If(condition, then, otherwise) => {
                    self.need(*condition);
                    vec![*then, *otherwise]
                }
                _ => exprs.operands(expr),
            };
            open.extend(parts.into_iter().filter(|&part| seen.insert(part)));
        }
        sources
    }

    /// Whether the outermost operation of an expression has a value whatever its operands are, no side effect, and
    /// nothing to do with addresses.
    fn is_harmless(&self, expr: ExprId) -> bool {
        let Relevance { program, integers, overflow_is_seen, .. } = self.relevance;
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
                        Integers::Ideal => MOST_IDEAL_SHIFT,
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

/// The variables that receive what a returning edge returns. Along a loop, the calls that its returns belong to are
/// taken too, because the activations are the same after it.
fn results_of_calls(program: &Program, edge: EdgeId, edges: &BTreeSet<EdgeId>) -> Vec<VariableId> {
    let returning = program.locations[program.edges[edge].from].function;
    let result_of = |edge: &EdgeId| match &program.edges[*edge].op {
        Op::Call { callee: Callee::Function(function), result, .. } if *function == returning => *result,
        Op::Call { callee: Callee::Pointer(_), result, .. } => *result,
        _ => None,
    };
    edges.iter().filter_map(result_of).collect()
}
