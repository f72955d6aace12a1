//! Names of parts of objects, and text of values, as a reader of the source program would write them.

use crate::model::Program;
use crate::semantics::memory::Extent;
use crate::semantics::value::{ObjectId, Pointer, Value};
use crate::types::{Type, TypeId};

/// The name of a part of an object where its function is clear: `i`, `a[3].f`, `heap#0+8`.
pub fn name_of(program: &Program, extent: Extent) -> String {
    object_name(program, extent.object) + &path_to(program, extent)
}

/// The name of a part of an object with its function: `main::i`, `::global`, `heap#0+8`.
pub fn qualified_name_of(program: &Program, extent: Extent) -> String {
    let owner = extent.object.variable().map(|variable| match program.owner(variable) {
        Some(function) => format!("{}::", program.functions[function].name),
        None => "::".to_owned(),
    });
    owner.unwrap_or_default() + &name_of(program, extent)
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
        Pointer::Function(function) => program.functions[function].name.clone(),
        Pointer::Register(number) | Pointer::Invalid(number) => format!("{number:#x}"),
        Pointer::Dangling => "dangling".to_owned(),
    }
}

fn object_name(program: &Program, object: ObjectId) -> String {
    match object {
        ObjectId::Heap(number) => format!("heap#{number}"),
        ObjectId::Global(variable) | ObjectId::Local { variable, .. } => program.variables[variable].name.clone(),
    }
}

/// The fields and indices that lead to a part; bytes where no field or element fits. A width of 0 stands for any.
fn path_to(program: &Program, extent: Extent) -> String {
    let mut path = String::new();
    let mut rest = extent.offset_bits;
    let mut ty = extent.object.variable().map(|variable| program.variables[variable].ty);
    while let Some(whole) = ty {
        let size = program.types.size_bits(whole);
        if rest == 0 && (extent.width_bits == size || extent.width_bits == 0) {
            return path;
        }
        ty = part_at(program, whole, &mut rest, extent.width_bits, &mut path);
    }
    if rest != 0 {
        path += &if rest.is_multiple_of(8) { format!("+{}", rest / 8) } else { format!("+{}:{}", rest / 8, rest % 8) };
    }
    path
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
