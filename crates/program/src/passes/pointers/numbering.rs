//! The numbers of addresses, and the types of what holds them.

use std::collections::BTreeMap;

use foundation::collections::HashMap;

use crate::cfa::FunctionId;
use crate::model::{Program, VariableId};
use crate::types::{Field, Record, Scalar, Type, TypeId, Types};

/// Variables of more bytes than this are not pointed into.
const LARGEST_BYTES: u64 = 1 << 12;

/// The numbers that were given so far.
#[derive(Debug)]
pub(super) struct Numbering {
    variables: BTreeMap<VariableId, (i64, u64)>,
    functions: HashMap<FunctionId, i64>,
    next: i64,
    types: HashMap<TypeId, TypeId>,
}

impl Default for Numbering {
    fn default() -> Self {
        // Null is 0.
        Self { variables: BTreeMap::new(), functions: HashMap::default(), next: 1, types: HashMap::default() }
    }
}

impl Numbering {
    /// The number of a variable's first byte; none if it is too large.
    pub fn variable(&mut self, program: &Program, variable: VariableId) -> Option<i64> {
        if let Some((first, _)) = self.variables.get(&variable) {
            return Some(*first);
        }
        let bytes = program.types.size_bits(program.variables[variable].ty).div_ceil(8);
        if bytes > LARGEST_BYTES {
            return None;
        }
        let first = self.next;
        self.variables.insert(variable, (first, bytes));
        // One more for the end.
        self.next += bytes as i64 + 1;
        Some(first)
    }

    /// The number of a function.
    pub fn function(&mut self, function: FunctionId) -> i64 {
        let next = &mut self.next;
        *self.functions.entry(function).or_insert_with(|| {
            let number = *next;
            *next += 1;
            number
        })
    }

    /// The numbers of each variable's bytes and end.
    pub fn intervals(&self) -> Vec<(i128, i128)> {
        let interval = |&(first, bytes): &(i64, u64)| (i128::from(first), i128::from(first) + i128::from(bytes));
        self.variables.values().map(interval).collect()
    }

    /// A type with integers for pointers; none for a union with pointers.
    pub fn without_pointers(&mut self, types: &mut Types, ty: TypeId) -> Option<TypeId> {
        if let Some(known) = self.types.get(&ty) {
            return Some(*known);
        }
        let new = match types.get(ty).clone() {
            Type::Scalar(Scalar::Pointer) => {
                let int = types.pointer_int(true);
                types.scalar(Scalar::Int(int))
            }
            Type::Scalar(_) | Type::Opaque => ty,
            Type::Array { element, length } => {
                let element = self.without_pointers(types, element)?;
                types.intern(Type::Array { element, length })
            }
            Type::Record(record) => {
                let mut fields = Vec::with_capacity(record.fields.len());
                for field in &record.fields {
                    let ty = self.without_pointers(types, field.ty)?;
                    fields.push(Field { ty, ..field.clone() });
                }
                if record.is_union && fields != record.fields {
                    return None;
                }
                types.intern(Type::Record(Record { fields, ..record }))
            }
        };
        self.types.insert(ty, new);
        Some(new)
    }
}
