//! A program that is prepared for an engine: without calls, with its property's atoms and the way back.
//!
//! [`prepare`] makes it by inlining; the passes [`promote()`], [`constants()`], [`slice()`] and [`contract()`] each make
//! a simpler one of it, and [`simplify`] runs them until nothing changes any more. All of them keep what can be told
//! apart: the prepared program asks the same questions in the same order (inputs, what is not initialised, branches,
//! allocations), shows the same truth of atoms at the same points in the same mode of observation, and ends in the same
//! way. What that means is executed by [`run`](mod@super::run), against which the passes are tested. Signed overflows
//! are kept only where [`Prepared::keep_overflow`] asks for it.
//!
//! Programs with threads are refused: an atom over a local would depend on the activations of all threads, and what
//! one thread knows of a global another may change.

use std::collections::BTreeSet;

use foundation::{Arena, Id};

use super::atoms::{AtomsAt, StateAtom};
use super::back::BackTranslation;
use super::constants::constants;
use super::contract::contract;
use super::inline::{Activation, ContextId, EdgeOrigin, Inlined, NotInlined, inline};
use super::promote::promote;
use super::reached::name_what_is_reached;
use super::slice::slice;
use super::uses::Uses;
use crate::atom::Atom;
use crate::cfa::{Edge, EdgeId, Function, FunctionId, InputSource, LocationId, Observe, Op};
use crate::model::{Initial, Program, VariableId, VariableKind};
use crate::semantics::{ObserveMode, Semantics};

/// A program without calls of functions that have a body, the atoms of a property over it, and the way back.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The program. Only its entry function has a body.
    pub program: Program,
    /// By which semantics it is read.
    pub semantics: Semantics,
    /// What a property looks at.
    pub atoms: AtomsAt,
    /// Whether signed overflows can be seen, so that no pass may remove one.
    pub keep_overflow: bool,
    /// The activations.
    pub contexts: Arena<ContextId, Activation>,
    /// For each location of the inlined program, the activation that control is in there.
    context_of: Arena<LocationId, ContextId>,
    /// For each edge of the inlined program, what it comes from.
    origins: Arena<EdgeId, EdgeOrigin>,
    /// What its locations, edges and variables were right after inlining: evidence speaks of those.
    pub back: BackTranslation,
}

/// Why a program cannot be prepared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotPrepared {
    /// Its calls cannot be inlined.
    NotInlined(NotInlined),
    /// It starts threads.
    Threads,
}

/// How often [`simplify`] repeats its passes at most.
const MOST_ROUNDS: usize = 8;

/// Prepares a program for a property with these atoms. The new program may have at most so many edges.
pub fn prepare(
    program: &Program,
    atoms: &[Atom],
    semantics: Semantics,
    most_edges: usize,
) -> Result<Prepared, NotPrepared> {
    if program.has_threads() {
        return Err(NotPrepared::Threads);
    }
    if program.entry.is_none_or(|entry| program.functions[entry].entry.is_none()) {
        return Err(NotPrepared::NotInlined(NotInlined::NoEntry));
    }
    // A function without a body takes whatever it is given.
    let mut tolerant = program.clone();
    for function in program.functions.ids().filter(|function| program.functions[*function].entry.is_none()) {
        let Function { parameters, result, variadic, .. } = &mut tolerant.functions[function];
        parameters.clear();
        (*result, *variadic) = (None, true);
    }
    let mut inlined = inline(&tolerant, most_edges).map_err(NotPrepared::NotInlined)?;
    for (function, contents) in program.functions.iter().filter(|(_, contents)| contents.entry.is_none()) {
        inlined.program.functions[function] = contents.clone();
    }
    if let Some(start) = inlined.program.entry.and_then(|entry| inlined.program.functions[entry].entry) {
        name_what_is_reached(&mut inlined, start);
    }
    Ok(Prepared::new(program, inlined, atoms, semantics))
}

/// Runs all passes until nothing changes any more.
pub fn simplify(mut prepared: Prepared) -> Prepared {
    for _ in 0..MOST_ROUNDS {
        let before: Vec<Op> = prepared.program.edges.values().map(|edge| edge.op.clone()).collect();
        prepared = slice(constants(promote(prepared)));
        if prepared.program.edges.values().map(|edge| &edge.op).eq(&before) {
            break;
        }
    }
    contract(prepared)
}

impl Prepared {
    fn new(old: &Program, mut inlined: Inlined, atoms: &[Atom], semantics: Semantics) -> Self {
        let atoms = AtomsAt::new(atoms, &mut inlined);
        let named: BTreeSet<VariableId> = atoms.named_variables().collect();
        let Inlined { mut program, contexts, origins, mut context_of } = inlined;
        for (edge, &EdgeOrigin { edge: original, context }) in origins.iter() {
            // Nothing is observed inside library functions, which have lost their name by now.
            let function = old.locations[old.edges[original].from].function;
            if old.functions[function].library {
                program.edges[edge].observe = Observe::No;
            }
            if let Some(result) = missing_result(&program, edge)
                && !(semantics.observe == ObserveMode::Change && named.contains(&result))
            {
                program.edges[edge].op = Op::Declare(result);
            }
            // The edges that pass arguments belong to the call.
            let from = program.edges[edge].from;
            if let Some((caller, call)) = contexts[context].caller
                && call == original
                && context_of[from] == context
            {
                context_of[from] = caller;
            }
        }
        let keep_overflow = atoms.atoms().contains(&Atom::Overflow);
        let back = BackTranslation::identity(&program);
        let mut prepared = Self { program, semantics, atoms, keep_overflow, contexts, context_of, origins, back };
        prepared.refresh_address_taken();
        prepared
    }

    /// The entry function.
    pub fn root(&self) -> FunctionId {
        self.program.entry.expect("a prepared program has an entry function")
    }

    /// Where the program begins.
    pub fn start(&self) -> LocationId {
        self.program.functions[self.root()].entry.expect("the entry function has a body")
    }

    /// The activation that control is in at a location. An observed state is seen from the location at which control then
    /// is; before a function is entered that is the caller's, also while arguments are evaluated.
    pub fn context_of(&self, location: LocationId) -> ContextId {
        self.context_of[self.back.nearest(location)]
    }

    /// The edge of the original program that an edge comes from, and the activation in which that is taken.
    pub fn origin(&self, edge: EdgeId) -> EdgeOrigin {
        self.origins[self.back.edge(edge)]
    }

    /// The state atoms as they look from a location, by the index of their atom.
    pub fn atoms_at(&self, location: LocationId) -> &[Option<StateAtom>] {
        self.atoms.state_atoms(self.atoms.view(self.context_of(location)))
    }

    /// The activations that are left and entered, in this order, when an edge is taken to its end.
    pub fn crossed(&self, edge: EdgeId) -> (Vec<ContextId>, Vec<ContextId>) {
        let edge = &self.program.edges[edge];
        let (from, to) = (self.context_of(edge.from), self.context_of(edge.to));
        if from == to {
            return (Vec::new(), Vec::new());
        }
        let callers = |context| {
            std::iter::successors(Some(context), |at: &ContextId| self.contexts[*at].caller.map(|(caller, _)| caller))
        };
        let mut left: Vec<ContextId> = callers(from).collect();
        let mut entered: Vec<ContextId> = callers(to).collect();
        while let (Some(one), Some(two)) = (left.last(), entered.last())
            && one == two
        {
            left.pop();
            entered.pop();
        }
        entered.reverse();
        (left, entered)
    }

    /// Whether it can be seen that a function is entered or left.
    pub fn watches(&self, function: FunctionId) -> bool {
        let looks = self.semantics.observe == ObserveMode::Change && self.atoms.looks_into(function);
        looks || self.atoms.has_call(function) || self.semantics.stop_at_call == Some(function)
    }

    /// Whether it can be seen that anything at all is written. Under `--observe change` atoms are evaluated after every
    /// expression that has written something, which may ask for what is not initialised, or read a device register.
    pub(super) fn shows_all_writes(&self) -> bool {
        if self.semantics.observe != ObserveMode::Change {
            return false;
        }
        let mut uses = Uses::new(&self.program);
        self.atoms.expressions().for_each(|expr| uses.expr(expr));
        let opened: BTreeSet<VariableId> = (self.program.edges.values())
            .filter_map(|edge| match edge.op {
                Op::Declare(variable) | Op::Join { result: variable, .. } => Some(variable),
                _ => None,
            })
            .collect();
        let is_initialised = |variable: &VariableId| match &self.program.variables[*variable].kind {
            VariableKind::Global { initial, .. } | VariableKind::Literal { initial } => {
                *initial != Initial::Arbitrary && !opened.contains(variable)
            }
            _ => false,
        };
        uses.memory_read || !uses.read.iter().all(is_initialised)
    }

    /// All variables that edges and atoms read, write or point to.
    pub fn used_variables(&self) -> BTreeSet<VariableId> {
        let Uses { read, pointed_to, .. } = Uses::of(self);
        let written = self.program.edges.values().filter_map(|edge| match &edge.op {
            Op::Declare(variable) | Op::Discard(variable) => Some(*variable),
            op => op.written_variable(),
        });
        read.into_iter().chain(pointed_to).chain(written).collect()
    }

    /// Finds out anew which variables are pointed to, and forgets the initial values of globals that nothing reads.
    pub(super) fn refresh_address_taken(&mut self) {
        let Uses { read, pointed_to, memory_read, .. } = Uses::of(self);
        for variable in self.program.variables.ids() {
            let contents = &mut self.program.variables[variable];
            contents.address_taken = pointed_to.contains(&variable);
            let read = read.contains(&variable) || contents.address_taken && memory_read;
            if let VariableKind::Global { initial: Initial::Values(items), .. } = &mut contents.kind
                && !read
            {
                items.clear();
            }
        }
    }

    /// Adds an edge that comes from the same original edge as another.
    pub fn add_edge_like(
        &mut self,
        like: EdgeId,
        from: LocationId,
        to: LocationId,
        op: Op,
        observe: Observe,
    ) -> EdgeId {
        let span = self.program.edges[like].span;
        self.back.push_edge(self.back.edge(like));
        self.program.add_edge(from, to, op, span, observe)
    }

    /// Adds a location in the activation of another, inside what was one edge.
    pub fn add_location_like(&mut self, like: LocationId) -> LocationId {
        self.back.push_inside(self.back.nearest(like));
        self.program.add_location(self.program.locations[like].function)
    }

    /// Drops the locations that cannot be reached, with their edges, and numbers the rest anew.
    pub(super) fn trim(mut self) -> Self {
        let root = self.root();
        let mut reached = vec![false; self.program.locations.len()];
        let mut open = vec![self.start()];
        reached[open[0].index()] = true;
        while let Some(location) = open.pop() {
            for &edge in &self.program.locations[location].out {
                let to = self.program.edges[edge].to;
                if !std::mem::replace(&mut reached[to.index()], true) {
                    open.push(to);
                }
            }
        }
        let old_start = self.start();
        let locations = std::mem::take(&mut self.program.locations);
        let edges = std::mem::take(&mut self.program.edges);
        let mut back = BackTranslation::default();
        let mut renamed = vec![None; locations.len()];
        for location in locations.ids().filter(|location| reached[location.index()]) {
            renamed[location.index()] = Some(self.program.add_location(root));
            back.push_location(location);
        }
        let new = |location: LocationId| renamed[location.index()].expect("it is reached");
        for (_, location) in locations.iter().filter(|(id, _)| reached[id.index()]) {
            for &edge in &location.out {
                let Edge { from, to, op, span, observe } = edges[edge].clone();
                self.program.add_edge(new(from), new(to), op, span, observe);
                back.push_edge(edge);
            }
        }
        self.program.functions[root].entry = Some(new(old_start));
        self.back = back.then(&self.back);
        self
    }
}

/// The local variable that receives a return value which is missing. Its value is arbitrary, but not asked for before it
/// is read, so that it is as if the variable was declared anew. A global cannot be declared: there the value stays an
/// input, which is asked for at once.
fn missing_result(program: &Program, edge: EdgeId) -> Option<VariableId> {
    let Op::Input { target, source: InputSource::MissingResult } = &program.edges[edge].op else { return None };
    let variable = target.as_variable()?;
    program.owner(variable).map(|_| variable)
}
