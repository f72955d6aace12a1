//! The types of C (ISO C11 6.2.5), as the checker sees them, and how they map to the types of the program model.
//!
//! Types are interned: equal types have equal ids. Structures, unions and enumerations are nominal: each definition is
//! its own type. Qualifiers belong to a use of a type ([`Qual`]), not to the type.

pub mod convert;
pub mod describe;
pub mod layout;

use foundation::collections::HashMap;
use foundation::{Arena, Id, Span, define_id};
use num_bigint::BigInt;
use program::types::{FloatType, IntType, Scalar};
use program::{DataModel, Field, Record, Type, TypeId};

use crate::syntax::ast::RecordKind;
use crate::syntax::symbols::Symbol;

define_id! {
    /// A type in [`CTypes`].
    CTypeId
}
define_id! {
    /// A structure or union in [`CTypes`].
    RecordId
}
define_id! {
    /// An enumeration in [`CTypes`].
    EnumId
}

/// Types that are nested more deeply than this are refused, so that functions may recurse over them. (ISO C11 5.2.4.1
/// asks for 12 modifications of a type and 63 levels of structures.)
pub const TYPE_DEPTH_LIMIT: u32 = 250;

/// A use of a type, with its qualifiers. `restrict` means nothing here.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Qual {
    /// The type.
    pub ty: CTypeId,
    /// `const`
    pub is_const: bool,
    /// `volatile`
    pub is_volatile: bool,
    /// `_Atomic`
    pub is_atomic: bool,
}

impl Qual {
    /// The type without qualifiers.
    pub fn plain(ty: CTypeId) -> Self {
        Self { ty, is_const: false, is_volatile: false, is_atomic: false }
    }

    /// The same type without qualifiers.
    pub fn unqualified(self) -> Self {
        Self::plain(self.ty)
    }
}

/// A type of C.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum CType {
    /// `void`
    Void,
    /// `_Bool`
    Bool,
    /// An integer type other than `_Bool` and enumerations.
    Int(IntKind),
    /// `float`
    Float,
    /// `double`
    Double,
    /// A floating type that has a size but no arithmetic here.
    WideFloat(WideFloat),
    /// An enumeration.
    Enum(EnumId),
    /// A pointer.
    Pointer(Qual),
    /// An array; the length is missing where it is not known (yet).
    Array {
        /// The element.
        element: Qual,
        /// How many.
        length: Option<u64>,
    },
    /// A function.
    Function(FunctionType),
    /// A structure or union.
    Record(RecordId),
    /// `__builtin_va_list`
    VaList,
}

/// The floating types without arithmetic.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum WideFloat {
    LongDouble,
    Float128,
    Complex,
}

/// The type of a function.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FunctionType {
    /// What it returns.
    pub result: Qual,
    /// The parameters' types, adjusted (6.7.6.3).
    pub parameters: Vec<Qual>,
    /// Whether `...` ends the list.
    pub variadic: bool,
    /// Whether the list says anything: false for `()`.
    pub prototype: bool,
}

/// The integer types of 6.2.5, and GNU's 128-bit ones. `char` is signed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum IntKind {
    Char,
    SignedChar,
    UnsignedChar,
    Short,
    UnsignedShort,
    Int,
    UnsignedInt,
    Long,
    UnsignedLong,
    LongLong,
    UnsignedLongLong,
    Int128,
    UnsignedInt128,
}

impl IntKind {
    /// Whether the type has negative values.
    pub fn is_signed(self) -> bool {
        use IntKind::*;
        matches!(self, Char | SignedChar | Short | Int | Long | LongLong | Int128)
    }

    /// The conversion rank (6.3.1.1).
    pub fn rank(self) -> u8 {
        use IntKind::*;
        match self {
            Char | SignedChar | UnsignedChar => 1,
            Short | UnsignedShort => 2,
            Int | UnsignedInt => 3,
            Long | UnsignedLong => 4,
            LongLong | UnsignedLongLong => 5,
            Int128 | UnsignedInt128 => 6,
        }
    }

    /// The unsigned type of the same rank.
    pub fn to_unsigned(self) -> Self {
        use IntKind::*;
        match self {
            Char | SignedChar | UnsignedChar => UnsignedChar,
            Short | UnsignedShort => UnsignedShort,
            Int | UnsignedInt => UnsignedInt,
            Long | UnsignedLong => UnsignedLong,
            LongLong | UnsignedLongLong => UnsignedLongLong,
            Int128 | UnsignedInt128 => UnsignedInt128,
        }
    }

    /// The width.
    pub fn bits(self, model: DataModel) -> u16 {
        match self.rank() {
            1 => 8,
            2 => 16,
            3 => 32,
            4 => model.pointer_bits(),
            5 => 64,
            _ => 128,
        }
    }
}

/// A structure or union.
#[derive(Clone, Debug)]
pub struct RecordInfo {
    /// Which of the two.
    pub kind: RecordKind,
    /// Its tag, for people.
    pub tag: Option<String>,
    /// Where it was first named.
    pub span: Span,
    /// What it consists of, once it is complete.
    pub body: Option<RecordBody>,
}

/// The contents of a complete structure or union.
#[derive(Clone, Debug)]
pub struct RecordBody {
    /// The members in order, without unnamed bit-fields.
    pub members: Vec<Member>,
    /// The ways to all members by name, those of anonymous members included: the member numbers from the outside in.
    pub paths: HashMap<Symbol, Vec<u32>>,
    /// The size with padding.
    pub size_bits: u64,
    /// The alignment.
    pub align_bits: u64,
    /// The same type in the program model; its fields are the members.
    pub model: TypeId,
    /// How many scalars it is made of, those of all members of a union; very many count as `u64::MAX`.
    pub scalars: u64,
    /// How deeply its members are nested.
    pub depth: u32,
}

/// A member with its place.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its name; none for an anonymous structure or union.
    pub name: Option<Symbol>,
    /// Its type.
    pub ty: Qual,
    /// Where it begins.
    pub offset_bits: u64,
    /// Its width, if it is a bit-field.
    pub bit_width: Option<u16>,
}

/// An enumeration.
#[derive(Clone, Debug)]
pub struct EnumInfo {
    /// Its tag, for people.
    pub tag: Option<String>,
    /// The integer type it is represented by, once it is complete.
    pub underlying: Option<IntKind>,
    /// Its constants, in order.
    pub enumerators: Vec<(BigInt, String)>,
}

/// All C types of a run.
#[derive(Clone, Debug)]
pub struct CTypes {
    arena: Arena<CTypeId, CType>,
    /// How deeply each type is nested; what a record contains is with the record.
    depths: Vec<u32>,
    known: HashMap<CType, CTypeId>,
    /// Structures and unions.
    pub records: Arena<RecordId, RecordInfo>,
    /// Enumerations.
    pub enums: Arena<EnumId, EnumInfo>,
    /// The sizes of the target machine.
    pub model: DataModel,
}

impl CTypes {
    /// No types yet.
    pub fn new(model: DataModel) -> Self {
        Self {
            arena: Arena::new(),
            depths: Vec::new(),
            known: HashMap::default(),
            records: Arena::new(),
            enums: Arena::new(),
            model,
        }
    }

    /// The id of a type.
    pub fn intern(&mut self, ty: CType) -> CTypeId {
        if let Some(&id) = self.known.get(&ty) {
            return id;
        }
        let behind = |part: &Qual| match self.get(part.ty) {
            CType::Record(_) => 1,
            _ => self.depth(part.ty),
        };
        let below = match &ty {
            CType::Pointer(to) => behind(to),
            CType::Array { element, .. } => self.depth(element.ty),
            CType::Function(function) => {
                function.parameters.iter().chain([&function.result]).map(behind).max().unwrap_or(0)
            }
            _ => 0,
        };
        let id = self.arena.push(ty.clone());
        self.depths.push(below + 1);
        self.known.insert(ty, id);
        id
    }

    /// How deeply a type is nested: through pointers, arrays, functions and members, but not into a record that
    /// is only pointed to.
    pub fn depth(&self, id: CTypeId) -> u32 {
        match self.get(id) {
            CType::Record(record) => self.records[*record].body.as_ref().map_or(1, |body| body.depth),
            _ => self.depths[id.index()],
        }
    }

    /// How many scalars an object of a type is made of.
    pub fn scalar_count(&self, id: CTypeId) -> u64 {
        match self.get(id) {
            CType::Array { element, length } => length.unwrap_or(0).saturating_mul(self.scalar_count(element.ty)),
            CType::Record(record) => self.records[*record].body.as_ref().map_or(0, |body| body.scalars),
            _ => 1,
        }
    }

    /// A use of a type without qualifiers.
    pub fn qual(&mut self, ty: CType) -> Qual {
        Qual::plain(self.intern(ty))
    }

    /// An integer type.
    pub fn int(&mut self, kind: IntKind) -> Qual {
        self.qual(CType::Int(kind))
    }

    /// A pointer to a type.
    pub fn pointer_to(&mut self, to: Qual) -> Qual {
        self.qual(CType::Pointer(to))
    }

    /// The type with this id.
    pub fn get(&self, id: CTypeId) -> &CType {
        &self.arena[id]
    }

    /// `size_t`.
    pub fn size_kind(&self) -> IntKind {
        match self.model {
            DataModel::Lp64 => IntKind::UnsignedLong,
            DataModel::Ilp32 => IntKind::UnsignedInt,
        }
    }

    /// `ptrdiff_t`.
    pub fn difference_kind(&self) -> IntKind {
        match self.model {
            DataModel::Lp64 => IntKind::Long,
            DataModel::Ilp32 => IntKind::Int,
        }
    }

    /// The integer kind of an integer or enumeration type; `_Bool` is none of them.
    pub fn int_kind(&self, id: CTypeId) -> Option<IntKind> {
        match self.get(id) {
            CType::Int(kind) => Some(*kind),
            CType::Enum(enumeration) => Some(self.enums[*enumeration].underlying.unwrap_or(IntKind::UnsignedInt)),
            _ => None,
        }
    }

    /// Whether it is an integer type, `_Bool` and enumerations included.
    pub fn is_integer(&self, id: CTypeId) -> bool {
        matches!(self.get(id), CType::Bool | CType::Int(_) | CType::Enum(_))
    }

    /// Whether it is an integer or floating type with arithmetic.
    pub fn is_arithmetic(&self, id: CTypeId) -> bool {
        self.is_integer(id) || self.is_floating(id)
    }

    /// Whether it is `float` or `double`.
    pub fn is_floating(&self, id: CTypeId) -> bool {
        matches!(self.get(id), CType::Float | CType::Double)
    }

    /// What a pointer type points to.
    pub fn pointee(&self, id: CTypeId) -> Option<Qual> {
        match self.get(id) {
            CType::Pointer(to) => Some(*to),
            _ => None,
        }
    }

    /// The function type, if it is one.
    pub fn as_function(&self, id: CTypeId) -> Option<&FunctionType> {
        match self.get(id) {
            CType::Function(function) => Some(function),
            _ => None,
        }
    }

    /// Whether it is `void`.
    pub fn is_void(&self, id: CTypeId) -> bool {
        matches!(self.get(id), CType::Void)
    }

    /// Whether values of the type are scalars with arithmetic or addresses.
    pub fn is_scalar(&self, id: CTypeId) -> bool {
        self.is_arithmetic(id) || self.pointee(id).is_some()
    }

    /// The scalar of the program model for a scalar type.
    pub fn scalar(&self, id: CTypeId) -> Option<Scalar> {
        match self.get(id) {
            CType::Bool => Some(Scalar::Bool),
            CType::Float => Some(Scalar::Float(FloatType::F32)),
            CType::Double => Some(Scalar::Float(FloatType::F64)),
            CType::Pointer(_) => Some(Scalar::Pointer),
            _ => self.int_type(id).map(Scalar::Int),
        }
    }

    /// Width and signedness of an integer type other than `_Bool`.
    pub fn int_type(&self, id: CTypeId) -> Option<IntType> {
        self.int_kind(id).map(|kind| IntType { bits: kind.bits(self.model), signed: kind.is_signed() })
    }

    /// The type of the program model for objects of a type. What has no size is opaque; floating types without
    /// arithmetic are bytes.
    pub fn model_type(&self, id: CTypeId, types: &mut program::Types) -> TypeId {
        if let Some(scalar) = self.scalar(id) {
            return types.scalar(scalar);
        }
        match self.get(id) {
            CType::Array { element, length } => {
                let element = self.model_type(element.ty, types);
                types.intern(Type::Array { element, length: length.unwrap_or(0) })
            }
            CType::Record(record) => match &self.records[*record].body {
                Some(body) => body.model,
                None => types.intern(Type::Opaque),
            },
            CType::VaList => {
                let next = types.scalar(Scalar::Pointer);
                let (size_bits, align_bits) = (self.size_bits(id).unwrap_or(0), self.align_bits(id));
                let field = Field { name: "next".to_owned(), ty: next, offset_bits: 0, bit_width: None };
                let name = "va_list".to_owned();
                types.intern(Type::Record(Record { name, fields: vec![field], size_bits, align_bits, is_union: false }))
            }
            CType::WideFloat(_) => {
                let element = types.scalar(Scalar::Int(IntType::unsigned(8)));
                let length = self.size_bits(id).unwrap_or(0) / 8;
                types.intern(Type::Array { element, length })
            }
            _ => types.intern(Type::Opaque),
        }
    }

    /// Follows a member's name through anonymous structures and unions: the member numbers from the outside in.
    pub fn find_member(&self, record: RecordId, name: Symbol) -> Option<Vec<u32>> {
        self.records[record].body.as_ref()?.paths.get(&name).cloned()
    }

    /// The ways to all members by name. A member hides those of the same name inside of anonymous ones.
    fn member_paths(&self, members: &[Member]) -> HashMap<Symbol, Vec<u32>> {
        let mut paths = HashMap::default();
        for (at, member) in members.iter().enumerate() {
            if let Some(name) = member.name {
                paths.entry(name).or_insert_with(|| vec![at as u32]);
            }
        }
        for (at, member) in members.iter().enumerate().filter(|(_, member)| member.name.is_none()) {
            let CType::Record(inner) = self.get(member.ty.ty) else { continue };
            for (name, path) in self.records[*inner].body.iter().flat_map(|body| &body.paths) {
                paths.entry(*name).or_insert_with(|| std::iter::once(at as u32).chain(path.iter().copied()).collect());
            }
        }
        paths
    }
}
