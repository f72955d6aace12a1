//! Types: what an expression's value is, and how objects are laid out in memory.
//!
//! Expressions have [`Scalar`] types only. Arrays and records exist for the objects in memory that places select parts
//! of; their layout (offsets, sizes, bit-fields) is decided by the front end and explicit here. Memory is counted in
//! bits, because bit-fields are; a byte has eight.

use foundation::collections::HashMap;
use foundation::{Arena, define_id};

define_id! {
    /// A type in [`Types`].
    TypeId
}

/// The type of an expression's value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Scalar {
    /// A truth value. In memory it takes one byte, 0 or 1; any other byte reads as true.
    Bool,
    /// An integer of some width, in two's complement where it is signed.
    Int(IntType),
    /// A floating-point number.
    Float(FloatType),
    /// An address: of a part of an object, of a function, of a device register, or null.
    Pointer,
}

/// Width and signedness of an integer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct IntType {
    /// Its width.
    pub bits: u16,
    /// Whether it has negative values.
    pub signed: bool,
}

impl IntType {
    /// A signed type of this width.
    pub const fn signed(bits: u16) -> Self {
        Self { bits, signed: true }
    }

    /// An unsigned type of this width.
    pub const fn unsigned(bits: u16) -> Self {
        Self { bits, signed: false }
    }
}

/// IEEE 754 formats.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum FloatType {
    /// 32 bits.
    F32,
    /// 64 bits.
    F64,
}

/// The sizes that the target machine decides.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum DataModel {
    /// `long` and pointers have 64 bits.
    #[default]
    Lp64,
    /// `int`, `long` and pointers have 32 bits.
    Ilp32,
}

/// Larger objects are not supported, in bytes, however wide addresses are.
const MOST_OBJECT_BYTES: u64 = 1 << 40;

impl DataModel {
    /// The width of a pointer.
    pub fn pointer_bits(self) -> u16 {
        match self {
            DataModel::Lp64 => 64,
            DataModel::Ilp32 => 32,
        }
    }

    /// The size of the largest object, in bytes: every offset inside of one is a difference of pointers (6.5.6p9), and it is small
    /// enough for arithmetic on bits.
    pub fn most_bytes(self) -> u64 {
        ((1 << (self.pointer_bits() - 1)) - 1).min(MOST_OBJECT_BYTES)
    }
}

impl std::fmt::Display for DataModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            DataModel::Lp64 => "LP64",
            DataModel::Ilp32 => "ILP32",
        })
    }
}

/// A type of an object in memory.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// A scalar.
    Scalar(Scalar),
    /// So many elements in a row.
    Array {
        /// The element's type.
        element: TypeId,
        /// How many; 0 for an array whose end is that of its object.
        length: u64,
    },
    /// A structure or union.
    Record(Record),
    /// Bytes without a type of their own: what an address of unknown type points to.
    Opaque,
}

/// A structure, or a union (whose fields all begin at 0).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Record {
    /// Its name, for people: `struct point`. Two records are the same type if all of this is equal.
    pub name: String,
    /// The fields.
    pub fields: Vec<Field>,
    /// The size, padding included.
    pub size_bits: u64,
    /// Where its objects may begin.
    pub align_bits: u64,
    /// Whether it is a union.
    pub is_union: bool,
}

/// A part of a record.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Field {
    /// Its name; empty for an unnamed member.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
    /// Where it begins.
    pub offset_bits: u64,
    /// Its width, if it is a bit-field.
    pub bit_width: Option<u16>,
}

/// All types of a program; equal types have equal ids.
#[derive(Clone, Debug)]
pub struct Types {
    arena: Arena<TypeId, Type>,
    known: HashMap<Type, TypeId>,
    data_model: DataModel,
}

impl Types {
    /// No types yet.
    pub fn new(data_model: DataModel) -> Self {
        Self { arena: Arena::new(), known: HashMap::default(), data_model }
    }

    /// The data model that sizes are computed for.
    pub fn data_model(&self) -> DataModel {
        self.data_model
    }

    /// The id of a type.
    pub fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(&id) = self.known.get(&ty) {
            return id;
        }
        let id = self.arena.push(ty.clone());
        self.known.insert(ty, id);
        id
    }

    /// The id of a scalar type.
    pub fn scalar(&mut self, scalar: Scalar) -> TypeId {
        self.intern(Type::Scalar(scalar))
    }

    /// The type with this id.
    pub fn get(&self, id: TypeId) -> &Type {
        &self.arena[id]
    }

    /// The scalar that this type is, if it is one.
    pub fn as_scalar(&self, id: TypeId) -> Option<Scalar> {
        match self.get(id) {
            Type::Scalar(scalar) => Some(*scalar),
            _ => None,
        }
    }

    /// The size of an object of this type.
    pub fn size_bits(&self, id: TypeId) -> u64 {
        match self.get(id) {
            Type::Scalar(scalar) => self.scalar_bits(*scalar),
            Type::Array { element, length } => self.size_bits(*element) * length,
            Type::Record(record) => record.size_bits,
            Type::Opaque => 0,
        }
    }

    /// The size of a scalar in memory.
    pub fn scalar_bits(&self, scalar: Scalar) -> u64 {
        match scalar {
            Scalar::Bool => 8,
            Scalar::Int(int) => u64::from(int.bits),
            Scalar::Float(FloatType::F32) => 32,
            Scalar::Float(FloatType::F64) => 64,
            Scalar::Pointer => u64::from(self.data_model.pointer_bits()),
        }
    }

    /// The integer type that has the width of a pointer.
    pub fn pointer_int(&self, signed: bool) -> IntType {
        IntType { bits: self.data_model.pointer_bits(), signed }
    }
}
