//! Variables that consist of parts become one variable for each part.
//!
//! A structure that nobody points to, and of which only members are named, is nothing but these members: no access goes from
//! one to another. The same is true of an array of which only elements with constant indices are named. An array of
//! structures whose members are named becomes an array for each member; the index is the same and has the same bounds. What
//! lies between members is never looked at.

use std::collections::BTreeMap;

use foundation::collections::HashMap;
use program::{
    Initial, InitialItem, Op, Place, Program, Root, Selector, Type, TypeId, Variable, VariableId, VariableKind,
};

use super::rewrite::Rewriting;
use super::{Plain, fixed_index};

/// Longer arrays are not taken apart into elements.
const MOST_ELEMENTS: u64 = 32;

/// Variables with more members are not taken apart.
const MOST_MEMBERS: usize = 256;

/// How a variable is taken apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum SplitKind {
    /// By its members.
    Members,
    /// By its elements.
    Elements,
    /// An array, by the members of its elements.
    MembersOfElements,
}

/// The variables that are taken apart, and their parts.
struct SplitVariables(HashMap<VariableId, (SplitKind, Vec<VariableId>)>);

/// A part of a type: its offset in bits, and its own type.
struct TypePart {
    name: String,
    offset: u64,
    ty: TypeId,
}

impl Plain {
    /// Takes variables apart, by one level.
    pub(super) fn take_apart(&mut self) {
        let mut parts = SplitVariables(HashMap::default());
        for (variable, kind) in self.separable() {
            let new = parts_of(&mut self.prepared.program, variable, kind);
            let root = self.prepared.root();
            if !matches!(self.program().variables[variable].kind, VariableKind::Global { .. }) {
                self.prepared.program.functions[root].locals.extend(new.iter().copied());
            }
            parts.0.insert(variable, (kind, new));
        }
        if parts.0.is_empty() {
            return;
        }
        self.change(&parts);
        for edge in self.program().edges.ids().collect::<Vec<_>>() {
            let ops: Vec<Op> = match self.program().edges[edge].op {
                Op::Declare(variable) if let Some((_, parts)) = parts.0.get(&variable) => {
                    parts.iter().map(|part| Op::Declare(*part)).collect()
                }
                Op::Discard(variable) if let Some((_, parts)) = parts.0.get(&variable) => {
                    parts.iter().map(|part| Op::Discard(*part)).collect()
                }
                _ => continue,
            };
            self.replace(edge, ops);
        }
        self.refresh();
    }

    /// The variables that can be taken apart, and how.
    fn separable(&self) -> Vec<(VariableId, SplitKind)> {
        let program = self.program();
        let mut named: BTreeMap<VariableId, Vec<Place>> = BTreeMap::new();
        for place in self.places() {
            if let Root::Variable(variable) = place.root {
                named.entry(variable).or_default().push(place);
            }
        }
        for edge in program.edges.values() {
            if let Some(variable) = edge.op.result() {
                let ty = program.variables[variable].ty;
                named.entry(variable).or_default().push(Place::variable(variable, ty));
            }
        }
        let kind = |(variable, places): (VariableId, Vec<Place>)| {
            let contents = &program.variables[variable];
            let is_kept = matches!(contents.kind, VariableKind::Literal { .. } | VariableKind::Parameter(_));
            if contents.address_taken || is_kept {
                return None;
            }
            Some((variable, separation(program, contents.ty, &places)?))
        };
        named.into_iter().filter_map(kind).collect()
    }
}

/// How a variable of a type can be taken apart of which these places are named.
fn separation(program: &Program, ty: TypeId, places: &[Place]) -> Option<SplitKind> {
    match program.types.get(ty) {
        Type::Record(_) => {
            let is_member = |place: &Place| matches!(place.path.first(), Some(Selector::Field(_)));
            (has_members(program, ty) && places.iter().all(is_member)).then_some(SplitKind::Members)
        }
        Type::Array { element, length } if *length > 1 => {
            let is_fixed = |place: &Place| match place.path.first() {
                Some(Selector::Index(index)) => fixed_index(program, *index).is_some_and(|index| index < *length),
                _ => false,
            };
            let is_member =
                |place: &Place| matches!(place.path.as_slice(), [Selector::Index(_), Selector::Field(_), ..]);
            if *length <= MOST_ELEMENTS && places.iter().all(is_fixed) {
                return Some(SplitKind::Elements);
            }
            (has_members(program, *element) && places.iter().all(is_member)).then_some(SplitKind::MembersOfElements)
        }
        _ => None,
    }
}

/// Whether a type consists of members that share no bits.
fn has_members(program: &Program, ty: TypeId) -> bool {
    let Type::Record(record) = program.types.get(ty) else { return false };
    let is_whole = record.fields.iter().all(|field| field.bit_width.is_none() && field.offset_bits.is_multiple_of(8));
    // The last member may be an array that goes on behind its end.
    let is_open = |field: &program::Field| matches!(program.types.get(field.ty), Type::Array { length: 0 | 1, .. });
    !record.is_union
        && is_whole
        && !record.fields.is_empty()
        && record.fields.len() <= MOST_MEMBERS
        && !record.fields.iter().any(is_open)
}

fn members(program: &Program, ty: TypeId) -> Vec<TypePart> {
    match program.types.get(ty) {
        Type::Record(record) => {
            let member = |field: &program::Field| TypePart {
                name: format!(".{}", field.name),
                offset: field.offset_bits,
                ty: field.ty,
            };
            record.fields.iter().map(member).collect()
        }
        Type::Array { element, length } => {
            let width = program.types.size_bits(*element);
            let member = |index| TypePart { name: format!("[{index}]"), offset: index * width, ty: *element };
            (0..*length).map(member).collect()
        }
        _ => Vec::new(),
    }
}

/// Makes the parts of a variable.
fn parts_of(program: &mut Program, variable: VariableId, kind: SplitKind) -> Vec<VariableId> {
    let whole = program.variables[variable].clone();
    // The array that the members are members of the elements of: its length, and the width of an element.
    let (repeated, inside) = match (kind, program.types.get(whole.ty)) {
        (SplitKind::MembersOfElements, Type::Array { element, length }) => {
            (Some((*length, program.types.size_bits(*element))), *element)
        }
        _ => (None, whole.ty),
    };
    let mut found = Vec::new();
    for member in members(program, inside) {
        let width = program.types.size_bits(member.ty);
        let ty = match repeated {
            Some((length, _)) => program.types.intern(Type::Array { element: member.ty, length }),
            None => member.ty,
        };
        let moved = |item: &InitialItem| {
            let (index, offset) = match repeated {
                Some((_, element)) => (item.offset_bits / element, item.offset_bits % element),
                None => (0, item.offset_bits),
            };
            let offset = offset.checked_sub(member.offset).filter(|offset| *offset < width)?;
            Some(InitialItem { offset_bits: index * width + offset, ..item.clone() })
        };
        let kind = match &whole.kind {
            VariableKind::Global { initial: Initial::Values(items), declared_in } => VariableKind::Global {
                initial: Initial::Values(items.iter().filter_map(moved).collect()),
                declared_in: *declared_in,
            },
            kind => kind.clone(),
        };
        let name = format!("{}{}", whole.name, member.name);
        found.push(program.variables.push(Variable { name, kind, ty, address_taken: false, span: whole.span }));
    }
    found
}

impl Rewriting for SplitVariables {
    fn place(&self, program: &mut Program, place: Place) -> Place {
        let Root::Variable(variable) = place.root else { return place };
        let Some((kind, parts)) = self.0.get(&variable) else { return place };
        let chosen = match (kind, place.path.as_slice()) {
            (SplitKind::Members, [Selector::Field(number), rest @ ..]) => Some((*number as usize, rest.to_vec())),
            (SplitKind::Elements, [Selector::Index(index), rest @ ..]) => {
                fixed_index(program, *index).map(|index| (index as usize, rest.to_vec()))
            }
            (SplitKind::MembersOfElements, [index @ Selector::Index(_), Selector::Field(number), rest @ ..]) => {
                let path = std::iter::once(index.clone()).chain(rest.iter().cloned()).collect();
                Some((*number as usize, path))
            }
            _ => None,
        };
        // Other places are in expressions that nobody evaluates.
        match chosen.and_then(|(number, path)| Some((*parts.get(number)?, path))) {
            Some((part, path)) => Place { root: Root::Variable(part), path, ty: place.ty },
            None => place,
        }
    }
}
