//! Which parts of variables an access through a pointer may mean.

use crate::expr::{Place, Root, Selector};
use crate::model::{Program, VariableId};
use crate::types::{Type, TypeId};

use super::Lead;

/// Arrays whose elements are looked into one by one have at most this many.
const MOST_ELEMENTS: u64 = 64;

/// An access that may mean more parts than this is not replaced.
const MOST_PARTS: usize = 64;

/// A part of a variable that has the type of what is accessed, or several in a row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct VariablePart {
    pub variable: VariableId,
    /// The way to it, of constant steps; to the array where it is one of several.
    pub path: Vec<ConstantProjection>,
    /// Where it begins, in bytes.
    pub offset: u64,
    /// How many there are, where they are elements of an array.
    pub elements: Option<u64>,
    /// The size of one in bytes.
    pub size: u64,
}

/// A constant step into a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ConstantProjection {
    Field(u32),
    Element(u64),
}

/// What an access means.
#[derive(Clone, Debug, Default)]
pub(super) struct AccessMeaning {
    /// The parts that it may mean; those of one kind in a row count as one.
    pub parts: Vec<VariablePart>,
    /// Whether it always means one of them, exactly at its beginning.
    pub is_certain: bool,
    /// Offsets at which there is no such part, though the address may have them.
    pub gaps: Vec<(VariableId, u64)>,
}

/// What an access at a type means, if the address leads there; none if that is too much, or cannot be said.
pub(super) fn meaning(program: &Program, leads: &[Lead], pointee: TypeId) -> Option<AccessMeaning> {
    let mut meaning = AccessMeaning { is_certain: true, ..AccessMeaning::default() };
    for lead in leads {
        let size = program.types.size_bits(program.variables[lead.variable].ty).div_ceil(8);
        let mut parts = Vec::new();
        collect(program, lead.variable, program.variables[lead.variable].ty, 0, &mut Vec::new(), pointee, &mut parts)?;
        if lead.modulus == 0 {
            let Ok(offset) = u64::try_from(lead.remainder) else { return None };
            if offset >= size {
                // Behind the end nothing can be accessed.
                meaning.is_certain = false;
                continue;
            }
            let part = parts.into_iter().find_map(|part| at(part, offset))?;
            add(&mut meaning.parts, part);
            continue;
        }
        meaning.is_certain = false;
        let step = i128::from(lead.modulus);
        let mut covered = vec![false; usize::try_from(size).ok()?];
        for part in parts {
            let apart = i128::from(part.offset) - lead.remainder;
            match part.elements {
                None if apart.rem_euclid(step) == 0 => covered[part.offset as usize] = true,
                None => continue,
                // All addresses that lie in the array are those of elements, or none is.
                Some(_) if lead.modulus % part.size == 0 && apart.rem_euclid(i128::from(part.size)) == 0 => {
                    let elements = part.elements.unwrap_or(0);
                    (0..elements).for_each(|index| covered[(part.offset + index * part.size) as usize] = true);
                }
                Some(_) if lead.modulus % part.size == 0 => continue,
                Some(_) => return None,
            }
            add(&mut meaning.parts, part);
        }
        for (offset, covered) in covered.iter().enumerate() {
            if !covered && (offset as i128 - lead.remainder).rem_euclid(step) == 0 {
                meaning.gaps.push((lead.variable, offset as u64));
            }
        }
    }
    (meaning.parts.len() <= MOST_PARTS).then_some(meaning)
}

fn add(parts: &mut Vec<VariablePart>, part: VariablePart) {
    // An element by itself is one of its array.
    let covers = |known: &VariablePart, one: &VariablePart| {
        known.variable == one.variable
            && known
                .elements
                .is_some_and(|count| known.offset <= one.offset && one.offset < known.offset + count * known.size)
    };
    if parts.iter().any(|known| *known == part || covers(known, &part)) {
        return;
    }
    parts.retain(|known| !covers(&part, known));
    parts.push(part);
}

/// The part that begins at an offset: this one, or an element of it.
fn at(part: VariablePart, offset: u64) -> Option<VariablePart> {
    match part.elements {
        None => (part.offset == offset).then_some(part),
        Some(count) => {
            let inside = offset.checked_sub(part.offset).filter(|bytes| bytes % part.size == 0)? / part.size;
            let path = part.path.iter().copied().chain([ConstantProjection::Element(inside)]).collect();
            (inside < count).then_some(VariablePart { path, offset, elements: None, ..part })
        }
    }
}

/// Collects all parts of a type; none if there are too many.
fn collect(
    program: &Program,
    variable: VariableId,
    ty: TypeId,
    offset: u64,
    path: &mut Vec<ConstantProjection>,
    wanted: TypeId,
    found: &mut Vec<VariablePart>,
) -> Option<()> {
    let size = (program.types.size_bits(wanted) / 8).max(1);
    let mut push = |path: &[ConstantProjection], elements| {
        found.push(VariablePart { variable, path: path.to_vec(), offset, elements, size });
    };
    if ty == wanted {
        push(path, None);
        return (found.len() <= MOST_PARTS).then_some(());
    }
    match program.types.get(ty) {
        Type::Array { element, length } if *element == wanted && *length > 1 => push(path, Some(*length)),
        Type::Array { element, length } if program.types.as_scalar(*element).is_none() => {
            if *length > MOST_ELEMENTS {
                return None;
            }
            let stride = program.types.size_bits(*element) / 8;
            for index in 0..*length {
                path.push(ConstantProjection::Element(index));
                collect(program, variable, *element, offset + index * stride, path, wanted, found)?;
                path.pop();
            }
        }
        Type::Record(record) if !record.is_union => {
            for (number, field) in record.fields.iter().enumerate().filter(|(_, field)| field.bit_width.is_none()) {
                path.push(ConstantProjection::Field(number as u32));
                collect(program, variable, field.ty, offset + field.offset_bits / 8, path, wanted, found)?;
                path.pop();
            }
        }
        _ => {}
    }
    (found.len() <= MOST_PARTS).then_some(())
}

impl VariablePart {
    /// The place that the part is, given the steps that go on from there. `index` says which one of several.
    pub fn place(
        &self,
        mut element: impl FnMut(u64) -> Selector,
        index: Option<Selector>,
        rest: &[Selector],
        ty: TypeId,
    ) -> Place {
        let inside = self.path.iter().map(|step| match step {
            ConstantProjection::Field(number) => Selector::Field(*number),
            ConstantProjection::Element(number) => element(*number),
        });
        let mut path: Vec<Selector> = inside.collect();
        path.extend(index);
        path.extend(rest.iter().cloned());
        Place { root: Root::Variable(self.variable), path, ty }
    }
}
