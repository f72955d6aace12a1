//! What was written, in the words of the program's declarations.
//!
//! Memory holds cells, cut as they were written; a reader thinks in variables, members and elements. So every scalar of
//! an object's declared type that contains something written is shown once, with its value at that type. In a union it
//! is the member through which was written, as far as that can be seen. Padding belongs to no scalar and is not shown.
//! Objects without a declared type, and scalars whose value cannot be had without changing the state, are shown by
//! their cells. This only looks: no value is chosen and no address is fixed.
//!
//! What was written need not be a change. [`Earlier`] keeps what memory held when it was last looked at, as far as that is
//! written over, and tells them apart.

use std::collections::BTreeSet;

use crate::model::{Program, VariableKind};
use crate::semantics::describe::{cell_text, name_of, object_name, offset_text, value_text};
use crate::semantics::layout::type_of_width;
use crate::semantics::memory::{Extent, Memory};
use crate::semantics::object::Content;
use crate::semantics::value::{ObjectId, Pointer, Value};
use crate::telling::Enumerated;
use crate::types::{Record, Scalar, Type, TypeId};

/// A part of memory that was written, and what it holds now.
#[derive(Clone, Debug)]
pub struct Change {
    /// Its name in the source program.
    pub name: String,
    /// The text of its value.
    pub value: String,
    /// The enumerator of this value, where it has an enumerated type.
    pub enumerator: Option<String>,
    /// Whether it held another value before, or none. It is no part of what was written: the second turn of a loop writes
    /// the same as the first one, even where it changes less.
    pub differs: bool,
}

impl PartialEq for Change {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, &self.value) == (&other.name, &other.value)
    }
}

impl Eq for Change {}

/// What memory held when it was last looked at.
#[derive(Clone, Debug, Default)]
pub struct Earlier {
    memory: Option<Memory>,
}

impl Earlier {
    /// What was written since the last look, and whether it differs from what was seen then. Nothing that was written before
    /// the first look is known.
    pub fn look(&mut self, program: &Program, memory: &Memory, written: &BTreeSet<Extent>) -> Vec<Change> {
        let changes = search(program, memory, self.memory.as_ref(), written);
        match &mut self.memory {
            Some(earlier) => earlier.follow(memory, written),
            earlier => *earlier = Some(memory.clone()),
        }
        changes
    }
}

/// How many changes an observation shows at most.
const MOST_CHANGES: usize = 1000;

/// Elements of an array that are zero are shown one by one up to this number, and more of them as a range.
const MOST_ZERO_ELEMENTS: u64 = 8;

/// How many parts are looked at for them at most, those without any value included.
const MOST_VISITED_PARTS: usize = 100_000;

/// The parts of live objects that these extents touch, as far as they have a name in the source program.
pub fn changes(program: &Program, memory: &Memory, written: &BTreeSet<Extent>) -> Vec<Change> {
    search(program, memory, None, written)
}

fn search(program: &Program, memory: &Memory, earlier: Option<&Memory>, written: &BTreeSet<Extent>) -> Vec<Change> {
    let mut search = ChangeSearch { program, memory, earlier, found: Vec::new(), shown: BTreeSet::new(), visited: 0 };
    for &extent in written.iter().filter(|extent| !is_hidden(program, extent.object)) {
        match extent.object.variable() {
            Some(variable) => {
                let name = object_name(program, extent.object);
                let enumerated = program.telling.enumerated.get(&variable);
                let enumerated = enumerated.map_or(&Enumerated::Nothing, |enumerated| enumerated);
                search.look(extent, program.variables[variable].ty, (0, None), enumerated, &name);
            }
            None => search.show_cells(extent, None),
        }
    }
    if search.is_full() {
        search.found.truncate(MOST_CHANGES);
        let (name, value) = ("…".to_owned(), "…".to_owned());
        search.found.push(Change { name, value, enumerator: None, differs: true });
    }
    search.found
}

/// Whether an object is ours and not the user's.
fn is_hidden(program: &Program, object: ObjectId) -> bool {
    object.variable().is_some_and(|variable| match program.variables[variable].kind {
        VariableKind::Temporary(_) => true,
        VariableKind::Local(function) | VariableKind::Parameter(function) => program.functions[function].library,
        _ => false,
    })
}

struct ChangeSearch<'a> {
    program: &'a Program,
    memory: &'a Memory,
    /// What memory held before, where that is known.
    earlier: Option<&'a Memory>,
    found: Vec<Change>,
    /// The parts that were shown: object, offset and name.
    shown: BTreeSet<(ObjectId, u64, String)>,
    visited: usize,
}

impl ChangeSearch<'_> {
    fn is_full(&self) -> bool {
        self.found.len() > MOST_CHANGES || self.visited > MOST_VISITED_PARTS
    }

    /// Shows the scalars of a part that an extent touches. The part has this type and name, and begins at this offset; a
    /// bit-field has a width of its own.
    fn look(
        &mut self,
        extent: Extent,
        ty: TypeId,
        (offset, bit_width): (u64, Option<u16>),
        enumerated: &Enumerated,
        name: &str,
    ) {
        self.visited += 1;
        if self.is_full() {
            return;
        }
        let types = &self.program.types;
        match types.get(ty) {
            Type::Opaque => {}
            Type::Scalar(scalar) => {
                let width_bits = bit_width.map_or_else(|| types.scalar_bits(*scalar), u64::from);
                let part = Extent { object: extent.object, offset_bits: offset, width_bits };
                if touches(extent, offset, width_bits) {
                    self.show(part, *scalar, enumerated, name);
                }
            }
            Type::Array { element, length } => {
                let stride = types.size_bits(*element);
                if stride == 0 {
                    return;
                }
                let first = extent.offset_bits.saturating_sub(offset) / stride;
                let after = extent.end().saturating_sub(offset).div_ceil(stride);
                // An array without a length goes on to the end of its object.
                let after = if *length == 0 { after } else { after.min(*length) };
                let mut index = first;
                while index < after && !self.is_full() {
                    let begin = offset + index * stride;
                    let (same, is_zero) = self.alike_from(Extent { offset_bits: begin, ..extent }, extent.end());
                    let count = (same / stride).min(after - index);
                    if !is_zero && count > 0 {
                        index += count;
                    } else if count > MOST_ZERO_ELEMENTS {
                        let part = Extent { object: extent.object, offset_bits: begin, width_bits: count * stride };
                        let name = format!("{name}[{index} ... {}]", index + count - 1);
                        let differs = !self.was_zero(part);
                        self.add(part, Change { name, value: "0".to_owned(), enumerator: None, differs });
                        index += count;
                    } else {
                        let name = format!("{name}[{index}]");
                        self.look(extent, *element, (begin, None), enumerated.element(), &name);
                        index += 1;
                    }
                }
            }
            Type::Record(record) => {
                let only = record.is_union.then(|| self.member_written(extent, record, offset)).flatten();
                for (index, field) in record.fields.iter().enumerate() {
                    let is_padding = field.bit_width.is_some() && field.name.is_empty();
                    if is_padding || only.is_some_and(|only| only != index) {
                        continue;
                    }
                    let name = if field.name.is_empty() { name.to_owned() } else { format!("{name}.{}", field.name) };
                    let begin = offset + field.offset_bits;
                    // The last member of a structure may be an array without a length, and so without a size.
                    let size = types.size_bits(field.ty);
                    if size == 0 || touches(extent, begin, size) {
                        self.look(extent, field.ty, (begin, field.bit_width), enumerated.field(index), &name);
                    }
                }
            }
        }
    }

    /// How many bits from the beginning of an extent on are zeros that were never written one by one, or are not
    /// chosen yet, and whether they are zeros.
    fn alike_from(&self, extent: Extent, end: u64) -> (u64, bool) {
        let start = extent.offset_bits;
        let first = self.memory.object(extent.object).and_then(|object| object.overlapping(start, end).next());
        match first {
            None => (end.saturating_sub(start), false),
            Some((offset, _)) if offset > start => (offset - start, false),
            Some((offset, cell)) if cell.content == Content::Zero => ((offset + cell.width).min(end) - start, true),
            Some(_) => (0, true),
        }
    }

    /// The member of a union that was written: one with a scalar just as memory holds it, else one with a scalar of
    /// this extent, else the first one that covers it, else the largest.
    fn member_written(&self, extent: Extent, union: &Record, offset: u64) -> Option<usize> {
        let from = extent.offset_bits.max(offset);
        let to = extent.end().min(offset + union.size_bits);
        if from >= to {
            return None;
        }
        let object = self.memory.object(extent.object)?;
        let with_scalar = |at: u64, width: u64, scalar: Option<Scalar>| {
            let has = |ty| self.has_scalar(ty, at - offset, width, scalar);
            union.fields.iter().position(|field| match field.bit_width {
                Some(bits) => at == offset && width == u64::from(bits),
                None => has(field.ty),
            })
        };
        let cell = object.cell_at(from);
        let stored = cell.and_then(|cell| match &cell.content {
            Content::Scalar(scalar, _) => Some((cell.width, *scalar)),
            _ => None,
        });
        let as_stored = || stored.and_then(|(width, scalar)| with_scalar(from, width, Some(scalar)));
        // Nothing else was written here: the cell is all there is, or what follows it is still zero.
        let is_alone = object.overlapping(from, to).skip(1).all(|(_, cell)| cell.content == Content::Zero);
        let is_known = object.gaps(from, to).is_empty();
        let size = |index: usize| self.program.types.size_bits(union.fields[index].ty);
        None.or_else(|| if is_alone { as_stored() } else { None })
            .or_else(|| if is_known { with_scalar(from, to - from, None) } else { None })
            .or_else(as_stored)
            .or_else(|| (0..union.fields.len()).find(|&index| to - offset <= size(index)))
            .or_else(|| (0..union.fields.len()).max_by_key(|&index| size(index)))
    }

    /// Whether a type has a scalar, of this type where one is given, at just this place.
    fn has_scalar(&self, ty: TypeId, at: u64, width: u64, scalar: Option<Scalar>) -> bool {
        let types = &self.program.types;
        match types.get(ty) {
            Type::Opaque => false,
            Type::Scalar(here) => {
                at == 0 && width == types.scalar_bits(*here) && scalar.is_none_or(|scalar| scalar == *here)
            }
            Type::Array { element, .. } => {
                let stride = types.size_bits(*element);
                at < types.size_bits(ty) && stride > 0 && self.has_scalar(*element, at % stride, width, scalar)
            }
            Type::Record(record) => record.fields.iter().any(|field| {
                let Some(inside) = at.checked_sub(field.offset_bits) else { return false };
                match field.bit_width {
                    Some(bits) => inside == 0 && width == u64::from(bits),
                    None => inside < types.size_bits(field.ty) && self.has_scalar(field.ty, inside, width, scalar),
                }
            }),
        }
    }

    /// Shows a scalar with its value at its type; by its cells where it cannot be read at that type.
    fn show(&mut self, part: Extent, scalar: Scalar, enumerated: &Enumerated, name: &str) {
        let ty = type_of_width(scalar, part.width_bits);
        match self.memory.peek(part, ty) {
            Some(held) => {
                let enumerator = match &held {
                    Value::Int(number) => enumerated.enumerator(number).map(str::to_owned),
                    _ => None,
                };
                let differs = !self.was(part, ty, &held);
                let (name, value) = (name.to_owned(), value_text(self.program, &held));
                self.add(part, Change { name, value, enumerator, differs });
            }
            None => self.show_cells(part, Some(name)),
        }
    }

    /// Shows the cells in an extent: those of a scalar by the scalar's name and the number of the byte in it.
    fn show_cells(&mut self, extent: Extent, scalar: Option<&str>) {
        let Some(object) = self.memory.object(extent.object) else { return };
        for (offset, cell) in object.overlapping(extent.offset_bits, extent.end()) {
            let from = offset.max(extent.offset_bits);
            let width_bits = (offset + cell.width).min(extent.end()) - from;
            let part = Extent { object: extent.object, offset_bits: from, width_bits };
            let name = match scalar {
                None => name_of(self.program, part),
                Some(name) if width_bits == extent.width_bits => name.to_owned(),
                Some(name) => format!("{name}{}", offset_text(from - extent.offset_bits)),
            };
            let before = self.earlier.and_then(|earlier| earlier.object(extent.object)?.cell_at(offset));
            let (value, differs) = (cell_text(self.program, &cell.content), before != Some(cell));
            self.add(part, Change { name, value, enumerator: None, differs });
            if self.is_full() {
                return;
            }
        }
    }

    /// Whether a part held this value before. What points to an object that did not live then was dangling.
    fn was(&self, part: Extent, ty: Scalar, held: &Value) -> bool {
        let Some(earlier) = self.earlier else { return false };
        let is_dangling = |value: &Value| match value {
            Value::Pointer(Pointer::Object { object, .. }) => earlier.object(*object).is_none(),
            _ => false,
        };
        earlier.peek(part, ty).is_some_and(|before| before == *held && !is_dangling(&before))
    }

    /// Whether all of a part held zeros before.
    fn was_zero(&self, part: Extent) -> bool {
        let Some(object) = self.earlier.and_then(|earlier| earlier.object(part.object)) else { return false };
        let is_zero = |content: &Content| match content {
            Content::Zero => true,
            Content::Scalar(scalar, value) => *value == Value::zero(*scalar),
            Content::Unreadable => false,
        };
        object.gaps(part.offset_bits, part.end()).is_empty()
            && object.overlapping(part.offset_bits, part.end()).all(|(_, cell)| is_zero(&cell.content))
    }

    fn add(&mut self, part: Extent, change: Change) {
        if self.shown.insert((part.object, part.offset_bits, change.name.clone())) {
            self.found.push(change);
        }
    }
}

/// Whether an extent has a bit in so many bits from an offset on.
fn touches(extent: Extent, offset: u64, width: u64) -> bool {
    extent.offset_bits < offset + width && offset < extent.end()
}
