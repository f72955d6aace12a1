//! Puts the bodies of called functions in the place of calls, so that every thread has a single automaton.
//!
//! Each call becomes its own copy of the callee, with its own copies of the callee's variables: a *context*. A call
//! through a pointer branches over all functions whose address is taken somewhere. Functions without a body stay calls.
//! What is observed stays the same, state for state: the arguments are assigned, the body is run, and the edge that
//! assigns the result is observed where the call was.
//!
//! Recursion cannot be inlined; the pass then says where. Arguments that do not fit, and pointers to no function, are
//! undefined in the old program and end in [`Op::Unreachable`] in the new one.

use std::collections::BTreeSet;

use foundation::collections::{HashMap, HashSet};
use foundation::{Arena, Span, define_id};

use super::rename::Renaming;
use crate::cfa::{Callee, EdgeId, FunctionId, InputSource, LocationId, Observe, Op, Operand};
use crate::expr::{CompareOp, ExprId, ExprKind, Place};
use crate::model::{Program, Variable, VariableId, VariableKind};
use crate::types::Scalar;

define_id! {
    /// An activation of a function in the new program: the way of calls that leads to it.
    ContextId
}

/// A program without calls of functions that have a body, and the way back.
#[derive(Clone, Debug)]
pub struct Inlined {
    /// The new program. Its types, expressions and variables begin with those of the old one.
    pub program: Program,
    /// The activations.
    pub contexts: Arena<ContextId, Activation>,
    /// For each edge of the new program, what it comes from.
    pub origins: Arena<EdgeId, EdgeOrigin>,
    /// For each location of the new program, the activation it lies in.
    pub context_of: Arena<LocationId, ContextId>,
}

/// An activation.
#[derive(Clone, Debug)]
pub struct Activation {
    /// The function.
    pub function: FunctionId,
    /// The activation that calls, and the old edge by which it does; none for the entry function and for threads.
    pub caller: Option<(ContextId, EdgeId)>,
    /// The new names of the function's parameters and locals.
    pub variables: HashMap<VariableId, VariableId>,
}

/// Where an edge of the new program comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeOrigin {
    /// The old edge.
    pub edge: EdgeId,
    /// The activation in which the old edge is taken.
    pub context: ContextId,
}

/// Why a program cannot be inlined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotInlined {
    /// A function calls itself, directly or not.
    Recursion {
        /// The function.
        function: FunctionId,
        /// The call that closes the circle.
        span: Span,
    },
    /// The new program would have more edges than allowed.
    TooLarge,
    /// The program has no entry function.
    NoEntry,
}

/// Inlines all calls of functions with a body. The new program may have at most so many edges.
pub fn inline(old: &Program, most_edges: usize) -> Result<Inlined, NotInlined> {
    let entry = old.entry.ok_or(NotInlined::NoEntry)?;
    let mut program = old.clone();
    program.telling = Default::default();
    program.locations = Arena::new();
    program.edges = Arena::new();
    for function in program.functions.ids() {
        program.functions[function].entry = None;
    }
    let mut inliner = Inliner {
        old,
        program,
        contexts: Arena::new(),
        origins: Arena::new(),
        context_of: Arena::new(),
        pointed_to: old.functions_pointed_to(),
        most_edges,
    };
    for root in thread_roots(old, entry, &inliner.pointed_to) {
        if old.functions[root].entry.is_some() {
            inliner.root(root)?;
        }
    }
    let Inliner { program, contexts, origins, context_of, .. } = inliner;
    Ok(Inlined { program, contexts, origins, context_of })
}

impl Inlined {
    /// The innermost activation of a function among an activation and its callers.
    pub fn innermost(&self, context: ContextId, function: FunctionId) -> Option<ContextId> {
        let callers = std::iter::successors(Some(context), |at| self.contexts[*at].caller.map(|(caller, _)| caller));
        callers.into_iter().find(|at| self.contexts[*at].function == function)
    }
}

/// The functions in which threads start: the entry function, and all that a spawning edge may name.
fn thread_roots(old: &Program, entry: FunctionId, pointed_to: &[FunctionId]) -> Vec<FunctionId> {
    let mut roots = BTreeSet::new();
    for edge in old.edges.values() {
        match &edge.op {
            Op::Spawn { function: Callee::Function(function), .. } => {
                roots.insert(*function);
            }
            Op::Spawn { function: Callee::Pointer(_), .. } => roots.extend(pointed_to.iter().copied()),
            _ => {}
        }
    }
    roots.remove(&entry);
    std::iter::once(entry).chain(roots).collect()
}

struct Inliner<'p> {
    old: &'p Program,
    program: Program,
    contexts: Arena<ContextId, Activation>,
    origins: Arena<EdgeId, EdgeOrigin>,
    context_of: Arena<LocationId, ContextId>,
    pointed_to: Vec<FunctionId>,
    most_edges: usize,
}

/// A body that is being copied.
struct Copy {
    context: ContextId,
    renaming: Renaming,
    /// The new names of the old locations.
    locations: HashMap<LocationId, LocationId>,
    /// Where the body returns to; none in a root.
    back: Option<Return>,
}

/// What a return does.
#[derive(Clone)]
struct Return {
    call: EdgeId,
    caller: ContextId,
    to: LocationId,
    /// The variable that receives the result, by its new name.
    result: Option<VariableId>,
    observe: Observe,
}

impl Inliner<'_> {
    fn root(&mut self, function: FunctionId) -> Result<(), NotInlined> {
        let context = self.contexts.push(Activation { function, caller: None, variables: HashMap::default() });
        let mut copy = Copy { context, renaming: Renaming::default(), locations: HashMap::default(), back: None };
        let old_entry = self.old.functions[function].entry.expect("roots have a body");
        let entry = self.location(&mut copy, old_entry, function);
        self.program.functions[function].entry = Some(entry);
        self.body(copy, function)
    }

    /// Copies all that can be reached from the locations named so far.
    fn body(&mut self, mut copy: Copy, root: FunctionId) -> Result<(), NotInlined> {
        let mut open: Vec<LocationId> = copy.locations.keys().copied().collect();
        let mut done = HashSet::default();
        while let Some(old_location) = open.pop() {
            if !done.insert(old_location) {
                continue;
            }
            let from = copy.locations[&old_location];
            for &edge in &self.old.locations[old_location].out {
                let old_edge = &self.old.edges[edge];
                if let Op::Return(_) = old_edge.op {
                    self.return_edge(&mut copy, edge, from, root)?;
                    continue;
                }
                let to = self.location(&mut copy, old_edge.to, root);
                open.push(old_edge.to);
                match &old_edge.op {
                    Op::Call { callee, arguments, result } => {
                        self.call(&mut copy, edge, from, to, callee, arguments, *result, root)?;
                    }
                    op => {
                        let op = copy.renaming.op(&mut self.program.exprs, op);
                        self.edge(copy.context, edge, from, to, op, old_edge.observe)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn location(&mut self, copy: &mut Copy, old: LocationId, root: FunctionId) -> LocationId {
        if let Some(&known) = copy.locations.get(&old) {
            return known;
        }
        let new = self.new_location(copy.context, root);
        copy.locations.insert(old, new);
        new
    }

    fn new_location(&mut self, context: ContextId, root: FunctionId) -> LocationId {
        self.context_of.push(context);
        self.program.add_location(root)
    }

    fn edge(
        &mut self,
        context: ContextId,
        edge: EdgeId,
        from: LocationId,
        to: LocationId,
        op: Op,
        observe: Observe,
    ) -> Result<(), NotInlined> {
        if self.program.edges.len() >= self.most_edges {
            return Err(NotInlined::TooLarge);
        }
        self.origins.push(EdgeOrigin { edge, context });
        self.program.add_edge(from, to, op, self.old.edges[edge].span, observe);
        Ok(())
    }

    /// Makes edges one after the other; returns where the last one ends.
    fn chain(
        &mut self,
        context: ContextId,
        edge: EdgeId,
        mut from: LocationId,
        ops: Vec<Op>,
        root: FunctionId,
    ) -> Result<LocationId, NotInlined> {
        for op in ops {
            let to = self.new_location(context, root);
            self.edge(context, edge, from, to, op, Observe::No)?;
            from = to;
        }
        Ok(from)
    }

    #[allow(clippy::too_many_arguments)]
    fn call(
        &mut self,
        copy: &mut Copy,
        edge: EdgeId,
        from: LocationId,
        to: LocationId,
        callee: &Callee,
        arguments: &[Operand],
        result: Option<VariableId>,
        root: FunctionId,
    ) -> Result<(), NotInlined> {
        let observe = self.old.edges[edge].observe;
        let arguments: Vec<Operand> =
            arguments.iter().map(|argument| copy.renaming.operand(&mut self.program.exprs, argument)).collect();
        let result = result.map(|variable| copy.renaming.variable(variable));
        let back = Return { call: edge, caller: copy.context, to, result, observe };
        let address = match callee {
            Callee::Function(function) => {
                return self.call_of(copy.context, *function, from, arguments, back, root);
            }
            Callee::Pointer(address) => copy.renaming.expr(&mut self.program.exprs, *address),
        };
        let mut nobody: Option<ExprId> = None;
        for function in self.pointed_to.clone() {
            let exprs = &mut self.program.exprs;
            let candidate = exprs.intern(ExprKind::FunctionAddress(function), Scalar::Pointer);
            let is = exprs.intern(ExprKind::Compare(CompareOp::Equal, address, candidate), Scalar::Bool);
            let is_not = exprs.not(is);
            nobody = Some(match nobody {
                None => is_not,
                Some(before) => exprs.intern(ExprKind::And(before, is_not), Scalar::Bool),
            });
            let chosen = self.chain(copy.context, edge, from, vec![Op::Assume(is)], root)?;
            self.call_of(copy.context, function, chosen, arguments.clone(), back.clone(), root)?;
        }
        let otherwise = match nobody {
            Some(nobody) => self.chain(copy.context, edge, from, vec![Op::Assume(nobody)], root)?,
            None => from,
        };
        self.edge(copy.context, edge, otherwise, to, Op::Unreachable, Observe::No)
    }

    /// A call of a known function.
    fn call_of(
        &mut self,
        caller: ContextId,
        function: FunctionId,
        from: LocationId,
        arguments: Vec<Operand>,
        back: Return,
        root: FunctionId,
    ) -> Result<(), NotInlined> {
        let (edge, to) = (back.call, back.to);
        if !self.fits(function, &arguments, back.result) {
            return self.edge(caller, edge, from, to, Op::Unreachable, Observe::No);
        }
        let Some(old_entry) = self.old.functions[function].entry else {
            let op = Op::Call { callee: Callee::Function(function), arguments, result: back.result };
            return self.edge(caller, edge, from, to, op, back.observe);
        };
        let callers = std::iter::successors(Some(caller), |at| self.contexts[*at].caller.map(|(caller, _)| caller));
        if callers.into_iter().any(|at| self.contexts[at].function == function) {
            return Err(NotInlined::Recursion { function, span: self.old.edges[edge].span });
        }
        let variables = self.fresh_variables(function, root);
        let context =
            self.contexts.push(Activation { function, caller: Some((caller, edge)), variables: variables.clone() });
        let mut ops = self.beginnings(function, &variables);
        for (parameter, argument) in self.old.functions[function].parameters.iter().zip(arguments) {
            let variable = variables[parameter];
            let ty = self.program.variables[variable].ty;
            ops.push(Op::Assign { target: Place::variable(variable, ty), value: self.converted(argument, ty) });
        }
        if self.old.functions[function].atomic {
            ops.push(Op::AtomicBegin);
        }
        let mut copy =
            Copy { context, renaming: Renaming::new(variables), locations: HashMap::default(), back: Some(back) };
        let before = self.chain(context, edge, from, ops, root)?;
        let entry = self.location(&mut copy, old_entry, root);
        self.edge(context, edge, before, entry, Op::Skip, Observe::No)?;
        stacker::maybe_grow(128 * 1024, 2 * 1024 * 1024, || self.body(copy, root))
    }

    /// Whether arguments and result fit a function, up to the signedness of integers.
    fn fits(&self, function: FunctionId, arguments: &[Operand], result: Option<VariableId>) -> bool {
        let function = &self.old.functions[function];
        let types = &self.program.types;
        let alike = |given: Option<Scalar>, wanted: Option<Scalar>| match (given, wanted) {
            (Some(Scalar::Int(given)), Some(Scalar::Int(wanted))) => given.bits == wanted.bits,
            (given, wanted) => given == wanted,
        };
        let enough = arguments.len() == function.parameters.len()
            || function.variadic && arguments.len() > function.parameters.len();
        let arguments_fit = function.parameters.iter().zip(arguments).all(|(parameter, argument)| {
            let wanted = self.old.variables[*parameter].ty;
            match argument {
                Operand::Scalar(value) => alike(Some(self.program.exprs.ty(*value)), types.as_scalar(wanted)),
                Operand::Aggregate(place) => {
                    types.as_scalar(wanted).is_none() && types.size_bits(place.ty) == types.size_bits(wanted)
                }
            }
        });
        let result_fits = match (result, function.result) {
            (Some(variable), Some(ty)) => {
                let wanted = self.program.variables[variable].ty;
                alike(types.as_scalar(ty), types.as_scalar(wanted))
                    && (types.as_scalar(ty).is_some() || types.size_bits(ty) == types.size_bits(wanted))
            }
            _ => true,
        };
        enough && arguments_fit && result_fits
    }

    /// A scalar converted to the type of what receives it, where only the signedness differs.
    fn converted(&mut self, operand: Operand, ty: crate::types::TypeId) -> Operand {
        match (operand, self.program.types.as_scalar(ty)) {
            (Operand::Scalar(value), Some(wanted)) => Operand::Scalar(self.program.exprs.cast(value, wanted)),
            (operand, _) => operand,
        }
    }

    fn fresh_variables(&mut self, function: FunctionId, root: FunctionId) -> HashMap<VariableId, VariableId> {
        let function = &self.old.functions[function];
        let mut fresh = HashMap::default();
        for &old in function.parameters.iter().chain(&function.locals) {
            let Variable { name, kind, ty, address_taken, span } = self.old.variables[old].clone();
            let kind = match kind {
                VariableKind::Temporary(_) => VariableKind::Temporary(root),
                _ => VariableKind::Local(root),
            };
            let new = self.program.variables.push(Variable { name, kind, ty, address_taken, span });
            self.program.functions[root].locals.push(new);
            fresh.insert(old, new);
        }
        fresh
    }

    /// The lifetimes of an activation's variables begin. Temporaries are written before they are read.
    fn beginnings(&self, function: FunctionId, variables: &HashMap<VariableId, VariableId>) -> Vec<Op> {
        let function = &self.old.functions[function];
        function
            .parameters
            .iter()
            .chain(&function.locals)
            .filter(|old| !matches!(self.old.variables[**old].kind, VariableKind::Temporary(_)))
            .map(|old| Op::Declare(variables[old]))
            .collect()
    }

    /// A return assigns the result, ends the lifetimes of what pointers may still reach, and goes on behind the call.
    fn return_edge(
        &mut self,
        copy: &mut Copy,
        edge: EdgeId,
        from: LocationId,
        root: FunctionId,
    ) -> Result<(), NotInlined> {
        let Op::Return(value) = &self.old.edges[edge].op else { unreachable!("called for returns") };
        let value = value.as_ref().map(|value| copy.renaming.operand(&mut self.program.exprs, value));
        let Some(back) = copy.back.clone() else {
            let to = self.location(copy, self.old.edges[edge].to, root);
            return self.edge(copy.context, edge, from, to, Op::Return(value), self.old.edges[edge].observe);
        };
        let own_observe = self.old.edges[edge].observe;
        let mut at = from;
        if own_observe != Observe::No {
            let to = self.new_location(copy.context, root);
            self.edge(copy.context, edge, at, to, Op::Skip, own_observe)?;
            at = to;
        }
        let function = self.contexts[copy.context].function;
        let mut ops = Vec::new();
        if let Some(result) = back.result {
            let ty = self.program.variables[result].ty;
            let target = Place::variable(result, ty);
            ops.push(match value {
                Some(value) => Op::Assign { target, value: self.converted(value, ty) },
                None => Op::Input { target, source: InputSource::MissingResult },
            });
        }
        let variables = &self.contexts[copy.context].variables;
        let mut reachable: Vec<VariableId> =
            variables.values().copied().filter(|new| self.program.variables[*new].address_taken).collect();
        reachable.sort_unstable();
        ops.extend(reachable.into_iter().map(Op::Discard));
        if self.old.functions[function].atomic {
            ops.push(Op::AtomicEnd);
        }
        let last = ops.pop().unwrap_or(Op::Skip);
        let before = self.chain(copy.context, edge, at, ops, root)?;
        // The last edge completes the call: it is observed where the call is.
        self.edge(back.caller, back.call, before, back.to, last, back.observe)
    }
}
