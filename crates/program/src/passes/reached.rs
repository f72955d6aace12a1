//! Names for what [`Op::Havoc`] writes: where the address is known without running the program, plain inputs to the
//! places that lie there take its place, which every engine understands.
//!
//! An address is known if it is computed from the address of a variable and constants, directly or by way of variables
//! that are assigned once, before they are used. After inlining that is so for most pointers which one function passes
//! on to another.
//!
//! Inputs to arrays and structures become inputs to their scalars, each by way of a variable of its own: engines know
//! most of scalar variables. The new program asks the same questions in the same order.

use foundation::Id;
use foundation::collections::{HashMap, HashSet};
use num_traits::ToPrimitive;

use super::inline::Inlined;
use crate::cfa::{EdgeId, InputSource, LocationId, Observe, Op, Operand, Reach};
use crate::expr::{Constant, ExprId, ExprKind, Place, Root, Selector};
use crate::model::{Initial, Program, Variable, VariableId, VariableKind};
use crate::reach::reached_end;
use crate::types::{Scalar, Type, TypeId};

/// More places than this are not named one by one.
const MOST_PLACES: usize = 64;

/// How often a variable is looked through on the way to an address.
const MOST_VARIABLES: usize = 64;

/// Puts inputs in the place of [`Op::Havoc`] where the address is known, and scalar inputs in the place of others.
pub(super) fn name_what_is_reached(inlined: &mut Inlined, start: LocationId) {
    let havocs = edges_with(&inlined.program, &|op| matches!(op, Op::Havoc { .. }));
    if !havocs.is_empty() {
        let definitions = Definitions::of(&inlined.program, start);
        for edge in havocs {
            if let Some(ops) = ops_for(&mut inlined.program, &definitions, edge) {
                replace(inlined, edge, ops);
            }
        }
    }
    let is_of_argument = |op: &Op| matches!(op, Op::Input { source: InputSource::Argument { .. }, .. });
    for edge in edges_with(&inlined.program, &is_of_argument) {
        if let Some(ops) = scalar_inputs(&mut inlined.program, edge) {
            replace(inlined, edge, ops);
        }
    }
}

fn edges_with(program: &Program, wanted: &dyn Fn(&Op) -> bool) -> Vec<EdgeId> {
    program.edges.iter().filter(|(_, edge)| wanted(&edge.op)).map(|(id, _)| id).collect()
}

/// The operations that write inputs to all scalars of a place in a variable, where the path to it is constant.
fn scalar_inputs(program: &mut Program, edge: EdgeId) -> Option<Vec<Op>> {
    let Op::Input { target, source } = program.edges[edge].op.clone() else { return None };
    let Root::Variable(_) = target.root else { return None };
    if target.as_variable().is_some() && program.types.as_scalar(target.ty).is_some() {
        return None;
    }
    let is_constant = |index: ExprId| matches!(program.exprs.get(index).kind, ExprKind::Constant(_));
    if !target.operands().into_iter().all(is_constant) {
        return None;
    }
    let root = program.locations[program.edges[edge].from].function;
    let span = program.edges[edge].span;
    let mut places = Vec::new();
    scalars(program, target, None, &mut places)?;
    let mut ops = Vec::new();
    for (place, bit_width) in places {
        let mut scalar = program.types.as_scalar(place.ty)?;
        if let (Scalar::Int(int), Some(bits)) = (&mut scalar, bit_width) {
            int.bits = bits;
        }
        let ty = program.types.scalar(scalar);
        let (name, kind) = ("%input".to_owned(), VariableKind::Temporary(root));
        let variable = program.variables.push(Variable { name, kind, ty, address_taken: false, span });
        program.functions[root].locals.push(variable);
        let input = Place::variable(variable, ty);
        ops.push(Op::Input { target: input.clone(), source: source.clone() });
        let value = program.exprs.intern(ExprKind::Load(input), scalar);
        let own = program.types.as_scalar(place.ty)?;
        let value = program.exprs.cast(value, own);
        ops.push(Op::Assign { target: place, value: Operand::Scalar(value) });
    }
    Some(if ops.is_empty() { vec![Op::Skip] } else { ops })
}

/// The scalars of a place in order, those that are bit-fields with their width. None where they are too many, or lie in a
/// union, which has them all in the same place.
fn scalars(
    program: &mut Program,
    place: Place,
    bit_width: Option<u16>,
    found: &mut Vec<(Place, Option<u16>)>,
) -> Option<()> {
    let parts: Vec<(Selector, TypeId, Option<u16>)> = match program.types.get(place.ty).clone() {
        Type::Scalar(_) => {
            found.push((place, bit_width));
            return (found.len() <= MOST_PLACES).then_some(());
        }
        Type::Record(record) if !record.is_union => {
            let fields = record.fields.iter().enumerate();
            fields.map(|(at, field)| (Selector::Field(at as u32), field.ty, field.bit_width)).collect()
        }
        Type::Array { element, length } if length <= MOST_PLACES as u64 => {
            let index = program.types.pointer_int(false);
            (0..length).map(|number| (Selector::Index(program.exprs.int(number, index)), element, None)).collect()
        }
        Type::Array { .. } | Type::Record(_) | Type::Opaque => return None,
    };
    for (step, ty, width) in parts {
        let path = place.path.iter().cloned().chain([step]).collect();
        scalars(program, Place { root: place.root.clone(), path, ty }, width, found)?;
    }
    Some(())
}

/// The operations that do what an edge does, where they can be named.
fn ops_for(program: &mut Program, definitions: &Definitions, edge: EdgeId) -> Option<Vec<Op>> {
    let Op::Havoc { address, reach, source } = program.edges[edge].op.clone() else { return None };
    let at = program.edges[edge].from;
    let mut assignments = Vec::new();
    let (variable, offset) = match definitions.address(program, address, at, &mut assignments)? {
        KnownAddress::Null => return Some(vec![Op::Skip]),
        KnownAddress::Variable { variable, offset } => (variable, offset),
    };
    // Lists are followed when the program is run, since they may come back to themselves.
    if reach.is_recursive() || reach.is_cut_short || !is_fresh(program, variable, at, &assignments) {
        return None;
    }
    let ty = program.variables[variable].ty;
    let size = program.types.size_bits(ty);
    let Some(start) = u64::try_from(offset).ok().and_then(|offset| offset.checked_mul(8)).filter(|at| *at < size)
    else {
        return Some(vec![Op::Skip]);
    };
    let end = reached_end(&program.types, ty, start, reach.element).min(size);
    let mut ops = Vec::new();
    let stride = program.types.size_bits(reach.element);
    if !reach.pointers.is_empty() && stride > 0 {
        for base in (start..end).step_by(usize::try_from(stride).ok()?).filter(|base| base + stride <= end) {
            for (offset, further) in &reach.pointers {
                ops.push(follow(program, variable, base + offset, further, &source)?);
                if ops.len() > MOST_PLACES {
                    return None;
                }
            }
        }
    }
    let is_literal = matches!(program.variables[variable].kind, VariableKind::Literal { .. });
    if reach.written && !is_literal {
        let mut places = Vec::new();
        cover(program, Place::variable(variable, ty), 0, (start, end), &mut places)?;
        ops.extend(places.into_iter().map(|target| Op::Input { target, source: source.clone() }));
    }
    Some(if ops.is_empty() { vec![Op::Skip] } else { ops })
}

/// The operation that goes on from a pointer at an offset in a variable.
fn follow(program: &mut Program, variable: VariableId, offset: u64, reach: &Reach, source: &InputSource) -> Option<Op> {
    let ty = program.variables[variable].ty;
    let end = offset + program.types.scalar_bits(Scalar::Pointer);
    let mut places = Vec::new();
    cover(program, Place::variable(variable, ty), 0, (offset, end), &mut places)?;
    let [place] = <[Place; 1]>::try_from(places).ok()?;
    if program.types.as_scalar(place.ty) != Some(Scalar::Pointer) {
        return None;
    }
    let address = program.exprs.intern(ExprKind::Load(place), Scalar::Pointer);
    Some(Op::Havoc { address, reach: reach.clone(), source: source.clone() })
}

/// The places that make up a range of bits in a place which begins at `base`, in order. None where the range does not
/// consist of whole members and elements, or of too many.
fn cover(program: &mut Program, place: Place, base: u64, range: (u64, u64), found: &mut Vec<Place>) -> Option<()> {
    let size = program.types.size_bits(place.ty);
    if base + size <= range.0 || range.1 <= base {
        return Some(());
    }
    if range.0 <= base && base + size <= range.1 {
        found.push(place);
        return (found.len() <= MOST_PLACES).then_some(());
    }
    let parts: Vec<(Selector, TypeId, u64)> = match program.types.get(place.ty).clone() {
        Type::Record(record) if !record.is_union => {
            if record.fields.iter().any(|field| field.bit_width.is_some()) {
                return None;
            }
            let fields = record.fields.iter().enumerate();
            fields.map(|(at, field)| (Selector::Field(at as u32), field.ty, field.offset_bits)).collect()
        }
        Type::Array { element, length } => {
            let stride = program.types.size_bits(element);
            let first = range.0.saturating_sub(base).checked_div(stride)?;
            let last = length.min((range.1 - base).div_ceil(stride));
            if last.saturating_sub(first) > MOST_PLACES as u64 {
                return None;
            }
            let index = program.types.pointer_int(false);
            (first..last)
                .map(|number| (Selector::Index(program.exprs.int(number, index)), element, number * stride))
                .collect()
        }
        Type::Record(_) | Type::Scalar(_) | Type::Opaque => return None,
    };
    for (step, ty, offset) in parts {
        let path = place.path.iter().cloned().chain([step]).collect();
        cover(program, Place { root: place.root.clone(), path, ty }, base + offset, range, found)?;
    }
    Some(())
}

/// Puts a chain of operations in the place of an edge's.
fn replace(inlined: &mut Inlined, edge: EdgeId, mut ops: Vec<Op>) {
    let Some(last) = ops.pop() else { return };
    let (from, span) = (inlined.program.edges[edge].from, inlined.program.edges[edge].span);
    let function = inlined.program.locations[from].function;
    let mut at = from;
    for (number, op) in ops.into_iter().enumerate() {
        let to = inlined.program.add_location(function);
        inlined.context_of.push(inlined.context_of[from]);
        inlined.origins.push(inlined.origins[edge]);
        let added = inlined.program.add_edge(at, to, op, span, Observe::No);
        if number == 0 {
            // The first one stands where the edge stood among the alternatives.
            let out = &mut inlined.program.locations[from].out;
            out.retain(|other| *other != added);
            for other in out.iter_mut().filter(|other| **other == edge) {
                *other = added;
            }
        }
        at = to;
    }
    if at != from {
        inlined.program.locations[at].out.push(edge);
    }
    inlined.program.edges[edge].from = at;
    inlined.program.edges[edge].op = last;
}

/// A known address.
enum KnownAddress {
    Null,
    /// At an offset in bytes.
    Variable {
        variable: VariableId,
        offset: i128,
    },
}

/// The variables that are assigned once, by name.
struct Definitions {
    /// The assignment, its value, and where that is known: at all locations to which every path leads through the
    /// assignment.
    once: HashMap<VariableId, (EdgeId, ExprId, HashSet<LocationId>)>,
    /// All that are written by their names.
    written: HashSet<VariableId>,
}

impl Definitions {
    fn of(program: &Program, start: LocationId) -> Self {
        let mut assigned: HashMap<VariableId, Vec<EdgeId>> = HashMap::default();
        for (id, edge) in program.edges.iter() {
            if let Some(variable) = edge.op.written_variable() {
                assigned.entry(variable).or_default().push(id);
            }
        }
        let written = assigned.keys().copied().collect();
        let mut once = HashMap::default();
        for (variable, edges) in assigned {
            let contents = &program.variables[variable];
            let is_plain = !contents.address_taken && program.owner(variable).is_some();
            let ([edge], true) = (edges.as_slice(), is_plain) else { continue };
            let Op::Assign { target, value: Operand::Scalar(value) } = &program.edges[*edge].op else { continue };
            if target.as_variable() != Some(variable) || program.exprs.ty(*value) != Scalar::Pointer {
                continue;
            }
            let killed = (program.edges.values())
                .filter(|edge| matches!(edge.op, Op::Declare(other) | Op::Discard(other) if other == variable))
                .map(|edge| edge.to);
            let reached = reached_without(program, killed.chain([start]).collect(), *edge);
            let known = program.locations.ids().filter(|location| !reached[location.index()]).collect();
            once.insert(variable, (*edge, *value, known));
        }
        Self { once, written }
    }

    /// What a part of a global holds from the start and for ever: nothing writes to it, and no pointer leads there.
    fn held_for_ever(&self, program: &Program, place: &Place) -> Option<ExprId> {
        let Root::Variable(variable) = place.root else { return None };
        let contents = &program.variables[variable];
        let VariableKind::Global { initial: Initial::Values(items), .. } = &contents.kind else { return None };
        if contents.address_taken || self.written.contains(&variable) {
            return None;
        }
        let (mut offset, mut ty) = (0, contents.ty);
        for step in &place.path {
            (offset, ty) = match (step, program.types.get(ty)) {
                (Selector::Field(number), Type::Record(record)) => {
                    let field = &record.fields[*number as usize];
                    (offset + field.offset_bits, field.ty)
                }
                (Selector::Index(index), Type::Array { element, length }) => {
                    let ExprKind::Constant(Constant::Int(index)) = &program.exprs.get(*index).kind else { return None };
                    let index = index.to_u64().filter(|index| index < length)?;
                    (offset + index * program.types.size_bits(*element), *element)
                }
                _ => return None,
            };
        }
        let mut items = items.iter().filter(|item| item.offset_bits == offset);
        let only = items.next()?;
        (items.next().is_none() && program.exprs.ty(only.value) == Scalar::Pointer).then_some(only.value)
    }

    /// What an address is, if it is known at a location. Notes the assignments that it was taken from, the last first.
    fn address(&self, program: &Program, expr: ExprId, at: LocationId, from: &mut Vec<EdgeId>) -> Option<KnownAddress> {
        let constant = |expr: ExprId| match &program.exprs.get(expr).kind {
            ExprKind::Constant(Constant::Int(value)) => value.to_i64(),
            ExprKind::Cast(inner) => match &program.exprs.get(*inner).kind {
                ExprKind::Constant(Constant::Int(value)) => value.to_i32().filter(|value| *value >= 0).map(i64::from),
                _ => None,
            },
            _ => None,
        };
        match &program.exprs.get(expr).kind {
            ExprKind::Constant(Constant::Null) => Some(KnownAddress::Null),
            ExprKind::Cast(inner) if program.exprs.ty(*inner) == Scalar::Pointer => {
                self.address(program, *inner, at, from)
            }
            ExprKind::PointerAdd { base, index, stride } => {
                let KnownAddress::Variable { variable, offset } = self.address(program, *base, at, from)? else {
                    return None;
                };
                Some(KnownAddress::Variable {
                    variable,
                    offset: offset + i128::from(constant(*index)?) * i128::from(*stride),
                })
            }
            ExprKind::AddressOf(place) => {
                let (variable, mut offset, mut ty) = match &place.root {
                    Root::Variable(variable) => (*variable, 0, program.variables[*variable].ty),
                    Root::Pointer { address, pointee } => match self.address(program, *address, at, from)? {
                        KnownAddress::Variable { variable, offset } => (variable, offset, *pointee),
                        KnownAddress::Null => return None,
                    },
                };
                for step in &place.path {
                    (offset, ty) = match (step, program.types.get(ty)) {
                        (Selector::Field(number), Type::Record(record)) => {
                            let field = &record.fields[*number as usize];
                            (offset + i128::from(field.offset_bits / 8), field.ty)
                        }
                        (Selector::Index(index), Type::Array { element, .. }) => {
                            let stride = i128::from(program.types.size_bits(*element) / 8);
                            (offset + i128::from(constant(*index)?) * stride, *element)
                        }
                        _ => return None,
                    };
                }
                Some(KnownAddress::Variable { variable, offset })
            }
            ExprKind::Load(place) if let Some(value) = self.held_for_ever(program, place) => {
                self.address(program, value, at, from)
            }
            ExprKind::Load(place) => {
                let (assignment, value, known) = self.once.get(&place.as_variable()?)?;
                if !known.contains(&at) || from.len() > MOST_VARIABLES {
                    return None;
                }
                from.push(*assignment);
                self.address(program, *value, program.edges[*assignment].from, from)
            }
            _ => None,
        }
    }
}

/// Whether an address that was taken from these assignments, the last one first, is that of the variable as it lives at a
/// location: whenever the variable's lifetime has ended, all of them come again, in order, before control comes here.
fn is_fresh(program: &Program, variable: VariableId, at: LocationId, assignments: &[EdgeId]) -> bool {
    let ended = |op: &Op| *op == Op::Discard(variable);
    let ends: Vec<LocationId> = program.edges.values().filter(|edge| ended(&edge.op)).map(|edge| edge.to).collect();
    let mut at = at;
    assignments.iter().all(|assignment| {
        let stale = reached_without(program, ends.clone(), *assignment)[at.index()];
        at = program.edges[*assignment].from;
        !stale
    })
}

/// The locations that are reached from some without taking an edge.
fn reached_without(program: &Program, mut open: Vec<LocationId>, edge: EdgeId) -> Vec<bool> {
    let mut reached = vec![false; program.locations.len()];
    while let Some(location) = open.pop() {
        if std::mem::replace(&mut reached[location.index()], true) {
            continue;
        }
        let out = program.locations[location].out.iter().filter(|other| **other != edge);
        open.extend(out.map(|edge| program.edges[*edge].to));
    }
    reached
}
