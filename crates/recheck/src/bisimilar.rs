//! States that cannot be told apart by what is observed count as one: each is put into a form that they share.
//!
//! Two kinds of contents are put away. Numbers in variables on which nothing depends that the program does or shows
//! ([`relevance`](program::relevance), along all edges) become zero. A local variable that is written as a whole before
//! it is read again holds what is not chosen yet.
//!
//! An address is never put away, nor is what was written at another type than the variable's own.

use std::collections::BTreeSet;

use foundation::Id;
use program::semantics::layout::{leaves, type_of_width};
use program::semantics::memory::Extent;
use program::semantics::object::{Content, ObjectCell};
use program::semantics::state::State;
use program::semantics::value::ObjectId;
use program::{ExprId, FunctionId, Program, Scalar, Type, TypeId, VariableId};

use super::control::{LiveVariables, variables_in};
use program::relevance::Variables;

/// Variables with more parts than this are kept as they are.
const MOST_PARTS: usize = 1 << 12;

/// What is put away in the states of a program.
pub(super) struct Bisimilarity<'p> {
    program: &'p Program,
    /// The globals whose numbers become zero.
    globals: Vec<VariableId>,
    /// The locals of each function whose numbers become zero.
    locals: Vec<Vec<VariableId>>,
    /// By variable that is put away: where numbers of its type are.
    parts: Vec<Vec<Part>>,
    /// The locals of each function that may be dead.
    mortal: Vec<Vec<VariableId>>,
    live: LiveVariables,
}

/// A number in a variable.
struct Part {
    offset: u64,
    width: u64,
    ty: Scalar,
}

impl<'p> Bisimilarity<'p> {
    /// For a program in which these variables are relevant, and expressions that are evaluated at any time.
    pub fn new(program: &'p Program, relevant: &Variables, atoms: &[ExprId]) -> Self {
        let mut observed = BTreeSet::new();
        atoms.iter().for_each(|atom| variables_in(program, *atom, &mut observed));
        let may_die = |variable: VariableId| {
            let is_local = program.owner(variable).is_some();
            is_local && !program.variables[variable].address_taken && !observed.contains(&variable)
        };
        let nothing = || program.functions.ids().map(|_| Vec::new()).collect::<Vec<Vec<VariableId>>>();
        let (mut globals, mut locals, mut mortal) = (Vec::new(), nothing(), nothing());
        let mut parts = Vec::with_capacity(program.variables.len());
        for (variable, contents) in program.variables.iter() {
            let is_put_away = !relevant.contains(variable);
            parts.push(if is_put_away { numbers(program, contents.ty) } else { Vec::new() });
            match program.owner(variable) {
                _ if parts[variable.index()].is_empty() => {}
                None => globals.push(variable),
                Some(owner) => locals[owner.index()].push(variable),
            }
            if let Some(owner) = program.owner(variable).filter(|_| may_die(variable)) {
                mortal[owner.index()].push(variable);
            }
        }
        Self { program, globals, locals, parts, mortal, live: LiveVariables::of(program, may_die) }
    }

    /// Puts a state into the form that it shares with all that are bisimilar.
    pub fn normalise(&self, state: &mut State) {
        for &variable in &self.globals {
            self.clear_numbers(state, variable, ObjectId::Global(variable));
        }
        for thread in 0..state.threads.len() {
            for depth in 0..state.threads[thread].frames.len() {
                let frame = &state.threads[thread].frames[depth];
                let (function, location): (FunctionId, _) = (frame.function, frame.location);
                let object = |variable| ObjectId::Local { thread: thread as u32, depth: depth as u32, variable };
                // An activation that has called another one is at the beginning of the call: what is live there
                // includes all that is live when it returns.
                for &variable in &self.mortal[function.index()] {
                    if !self.live.contains(location, variable) {
                        self.forget(state, object(variable));
                    }
                }
                for &variable in &self.locals[function.index()] {
                    self.clear_numbers(state, variable, object(variable));
                }
            }
        }
    }

    fn clear_numbers(&self, state: &mut State, variable: VariableId, object: ObjectId) {
        for part in &self.parts[variable.index()] {
            let Some(held) = state.memory.object(object).and_then(|object| object.cell_at(part.offset)) else {
                continue;
            };
            if held.width != part.width || !matches!(held.content, Content::Scalar(ty, _) if ty == part.ty) {
                continue;
            }
            let extent = Extent { object, offset_bits: part.offset, width_bits: part.width };
            let zero = ObjectCell { width: part.width, content: Content::Zero };
            state.memory.put(extent, vec![(0, zero)]).expect("a whole cell is replaced");
        }
    }

    fn forget(&self, state: &mut State, object: ObjectId) {
        let Some(contents) = state.memory.object(object).filter(|object| object.cells().next().is_some()) else {
            return;
        };
        let extent = Extent { object, offset_bits: 0, width_bits: contents.size * 8 };
        state.memory.put(extent, Vec::new()).expect("a whole object is replaced");
    }

    /// Whether numbers of a type become zero wherever they are in a variable.
    pub fn puts_away(&self, variable: VariableId, ty: Scalar) -> bool {
        let width = self.program.types.scalar_bits(ty);
        let mut parts = self.parts[variable.index()].iter();
        parts.any(|part| part.ty == ty && part.width == width)
    }
}

/// The numbers in a variable of a type; none where parts overlap, or are too many.
fn numbers(program: &Program, ty: TypeId) -> Vec<Part> {
    if has_union(program, ty) {
        return Vec::new();
    }
    let Some(parts) = leaves(&program.types, ty).ok().filter(|parts| parts.len() <= MOST_PARTS) else {
        return Vec::new();
    };
    let numbers = parts.into_iter().filter(|part| part.scalar != Scalar::Pointer);
    let part = |leaf: program::semantics::layout::Leaf| Part {
        offset: leaf.offset_bits,
        width: leaf.width_bits,
        ty: type_of_width(leaf.scalar, leaf.width_bits),
    };
    numbers.map(part).collect()
}

fn has_union(program: &Program, ty: TypeId) -> bool {
    match program.types.get(ty) {
        Type::Scalar(_) | Type::Opaque => false,
        Type::Array { element, .. } => has_union(program, *element),
        Type::Record(record) => record.is_union || record.fields.iter().any(|field| has_union(program, field.ty)),
    }
}
