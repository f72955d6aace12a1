//! Names of parts of objects, and text of values, as a reader of the source program would write them.

use crate::model::{Program, VariableId};
use crate::semantics::arithmetic::{largest, smallest};
use crate::semantics::memory::Extent;
use crate::semantics::object::Content;
use crate::semantics::value::{ObjectId, Pointer, Value};
use crate::types::{Scalar, Type, TypeId};

/// The name of a part of an object where its function is clear: `i`, `a[3].f`, `heap#0+8`.
pub fn name_of(program: &Program, extent: Extent) -> String {
    object_name(program, extent.object) + &path_to(program, extent)
}

/// The name of a part of an object with its function: `main::i`, `main::2::i`, `::global`, `heap#0+8`.
pub fn qualified_name_of(program: &Program, extent: Extent) -> String {
    let whole = extent.object.variable().map(|variable| qualified_name(program, variable));
    whole.unwrap_or_else(|| object_name(program, extent.object)) + &path_to(program, extent)
}

/// The name of a variable with its function, by which questions name it. Its function comes first even where people need
/// not be told.
pub fn qualified_name(program: &Program, variable: VariableId) -> String {
    let name = &program.variables[variable].name;
    match (program.owner(variable), program.telling.variables.get(&variable)) {
        (Some(_), Some(told)) => told.clone(),
        (Some(function), None) => format!("{}::{name}", program.functions[function].name),
        (None, _) => format!("::{name}"),
    }
}

/// The text of a value.
pub fn value_text(program: &Program, value: &Value) -> String {
    match value {
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Float(bits) => format!("{:?}", f64::from_bits(*bits)),
        Value::Pointer(pointer) => pointer_text(program, *pointer),
    }
}

/// What the values of a type are, in words: `an integer from 0 to 255 (8 bits)`.
pub fn type_text(ty: Scalar) -> String {
    match ty {
        Scalar::Bool => "a truth value (`true`, `false`, 0 or 1)".to_owned(),
        Scalar::Int(ty) => format!("an integer from {} to {} ({} bits)", smallest(ty), largest(ty), ty.bits),
        Scalar::Float(_) => "a floating-point number".to_owned(),
        Scalar::Pointer => "an address (a number that is not negative)".to_owned(),
    }
}

/// The text of what a cell holds.
pub(super) fn cell_text(program: &Program, content: &Content) -> String {
    match content {
        Content::Scalar(_, value) => value_text(program, value),
        Content::Zero => "0".to_owned(),
        Content::Unreadable => "?".to_owned(),
    }
}

/// An offset behind a name: in bytes, and bits where it is not a whole number of bytes.
pub(super) fn offset_text(bits: u64) -> String {
    if bits.is_multiple_of(8) { format!("+{}", bits / 8) } else { format!("+{}:{}", bits / 8, bits % 8) }
}

/// An address does not know the type of what it points to: where several parts begin at one place, it is shown as that
/// of the largest one.
fn pointer_text(program: &Program, pointer: Pointer) -> String {
    match pointer {
        Pointer::Null => "null".to_owned(),
        Pointer::Object { object, offset } => {
            let inside = u64::try_from(offset).ok().and_then(|offset| {
                let extent = Extent { object, offset_bits: offset.checked_mul(8)?, width_bits: 0 };
                Some(name_of(program, extent))
            });
            format!("&{}", inside.unwrap_or_else(|| format!("{}{offset}", object_name(program, object))))
        }
        Pointer::Function(function) => program.told_function(function).to_owned(),
        Pointer::Register(number) | Pointer::Invalid(number) => format!("{number:#x}"),
        Pointer::Dangling => "dangling".to_owned(),
    }
}

/// The name of a whole object.
pub(super) fn object_name(program: &Program, object: ObjectId) -> String {
    match object {
        ObjectId::Heap(number) => format!("heap#{number}"),
        ObjectId::Global(variable) | ObjectId::Local { variable, .. } => program.told_variable(variable).to_owned(),
    }
}

/// The fields and indices that lead to a part; bytes where no field or element fits. A width of 0 stands for any.
fn path_to(program: &Program, extent: Extent) -> String {
    let mut path = String::new();
    let mut rest = extent.offset_bits;
    let mut ty = extent.object.variable().map(|variable| program.variables[variable].ty);
    while let Some(whole) = ty {
        let is_whole = extent.width_bits == program.types.size_bits(whole);
        if rest == 0 && (extent.width_bits == 0 || is_whole && !is_one_part(program, whole)) {
            return path;
        }
        ty = part_at(program, whole, &mut rest, extent.width_bits, &mut path);
    }
    if rest != 0 {
        path += &offset_text(rest);
    }
    path
}

/// Whether an object of this type has a part of the same extent, which is then meant.
fn is_one_part(program: &Program, ty: TypeId) -> bool {
    match program.types.get(ty) {
        Type::Scalar(_) | Type::Opaque => false,
        Type::Array { length, .. } => *length == 1,
        Type::Record(record) => record.fields.iter().any(|field| {
            let width = field.bit_width.map_or_else(|| program.types.size_bits(field.ty), u64::from);
            width == record.size_bits
        }),
    }
}

/// The part of a type in which an offset lies, to which offset and path are moved on.
fn part_at(program: &Program, ty: TypeId, rest: &mut u64, width: u64, path: &mut String) -> Option<TypeId> {
    let types = &program.types;
    match types.get(ty) {
        Type::Scalar(_) | Type::Opaque => None,
        Type::Array { element, .. } => {
            let stride = types.size_bits(*element);
            let index = rest.checked_div(stride)?;
            if *rest % stride + width > stride {
                return None;
            }
            *path += &format!("[{index}]");
            *rest %= stride;
            Some(*element)
        }
        Type::Record(record) => {
            let size = |field: &crate::types::Field| field.bit_width.map_or(types.size_bits(field.ty), u64::from);
            let inside = |field: &&crate::types::Field| {
                field.offset_bits <= *rest && *rest + width.max(1) <= field.offset_bits + size(field)
            };
            // In a union the member of just this width is the likelier one.
            let exact = record.fields.iter().filter(inside).find(|field| size(field) == width);
            let field = exact.or_else(|| record.fields.iter().find(inside))?;
            if !field.name.is_empty() {
                *path += &format!(".{}", field.name);
            }
            *rest -= field.offset_bits;
            // A bit-field has no parts, and its type's size is not its own.
            if field.bit_width.is_some() { None } else { Some(field.ty) }
        }
    }
}
