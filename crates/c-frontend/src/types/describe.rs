//! C types as a C programmer writes them, for diagnostics.

use super::{CType, CTypeId, CTypes, IntKind, Qual, RecordId, WideFloat};
use crate::syntax::ast::RecordKind;

/// A description shows this many parts of a type at most.
const MOST_PARTS: u32 = 60;

impl CTypes {
    /// The type in C's notation. Of a type that is too long to be read, some parts are left out.
    pub fn describe(&self, ty: Qual) -> String {
        self.declare(ty, String::new(), &mut { MOST_PARTS })
    }

    /// `struct point`, or words for a structure without a tag.
    pub fn record_name(&self, record: RecordId) -> String {
        let info = &self.records[record];
        let word = match info.kind {
            RecordKind::Struct => "struct",
            RecordKind::Union => "union",
        };
        match &info.tag {
            Some(tag) => format!("{word} {tag}"),
            None => format!("{word} (unnamed)"),
        }
    }

    /// A declaration of `inner` (a name, or a declarator around one) with this type; `room` says how many parts of types
    /// may still be written.
    fn declare(&self, ty: Qual, inner: String, room: &mut u32) -> String {
        if *room == 0 {
            return format!("…{inner}");
        }
        *room -= 1;
        match self.get(ty.ty) {
            CType::Pointer(to) => {
                let qualifiers = qualifier_words(ty);
                let space = if qualifiers.is_empty() || inner.is_empty() { "" } else { " " };
                let pointer = format!("*{}{space}{inner}", qualifiers.trim_end());
                let needs = matches!(self.get(to.ty), CType::Array { .. } | CType::Function(_));
                self.declare(*to, if needs { format!("({pointer})") } else { pointer }, room)
            }
            CType::Array { element, length } => {
                let length = length.map_or(String::new(), |length| length.to_string());
                self.declare(*element, format!("{inner}[{length}]"), room)
            }
            CType::Function(function) => {
                let mut parameters: Vec<String> = Vec::new();
                for parameter in &function.parameters {
                    parameters.push(self.declare(*parameter, String::new(), room));
                    if *room == 0 {
                        break;
                    }
                }
                if function.variadic {
                    parameters.push("...".to_owned());
                } else if parameters.is_empty() && function.prototype {
                    parameters.push("void".to_owned());
                }
                self.declare(function.result, format!("{inner}({})", parameters.join(", ")), room)
            }
            _ => {
                let space = if inner.is_empty() { "" } else { " " };
                format!("{}{}{space}{inner}", qualifier_words(ty), self.base_name(ty.ty))
            }
        }
    }

    fn base_name(&self, id: CTypeId) -> String {
        match self.get(id) {
            CType::Void => "void".to_owned(),
            CType::Bool => "_Bool".to_owned(),
            CType::Int(kind) => int_name(*kind).to_owned(),
            CType::Float => "float".to_owned(),
            CType::Double => "double".to_owned(),
            CType::WideFloat(WideFloat::LongDouble) => "long double".to_owned(),
            CType::WideFloat(WideFloat::Float128) => "_Float128".to_owned(),
            CType::WideFloat(WideFloat::Complex) => "_Complex".to_owned(),
            CType::Enum(enumeration) => match &self.enums[*enumeration].tag {
                Some(tag) => format!("enum {tag}"),
                None => "enum (unnamed)".to_owned(),
            },
            CType::Record(record) => self.record_name(*record),
            CType::VaList => "va_list".to_owned(),
            CType::Pointer(_) | CType::Array { .. } | CType::Function(_) => unreachable!("handled by declare"),
        }
    }
}

fn qualifier_words(ty: Qual) -> String {
    let mut words = String::new();
    if ty.is_const {
        words.push_str("const ");
    }
    if ty.is_volatile {
        words.push_str("volatile ");
    }
    words
}

fn int_name(kind: IntKind) -> &'static str {
    match kind {
        IntKind::Char => "char",
        IntKind::SignedChar => "signed char",
        IntKind::UnsignedChar => "unsigned char",
        IntKind::Short => "short",
        IntKind::UnsignedShort => "unsigned short",
        IntKind::Int => "int",
        IntKind::UnsignedInt => "unsigned int",
        IntKind::Long => "long",
        IntKind::UnsignedLong => "unsigned long",
        IntKind::LongLong => "long long",
        IntKind::UnsignedLongLong => "unsigned long long",
        IntKind::Int128 => "__int128",
        IntKind::UnsignedInt128 => "unsigned __int128",
    }
}
