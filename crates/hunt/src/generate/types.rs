//! The types of generated programs: how they are spelled in C, and what can be reached inside a value of each.
//! Sizes are known only where every supported data model agrees on them, so that one program is right for all.

/// The standard integer types of C11 6.2.5, `_Bool` included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntegerType {
    /// `_Bool`
    Bool,
    /// `char`, signed on the machines that are compared
    Char,
    /// `signed char`
    SignedChar,
    /// `unsigned char`
    UnsignedChar,
    /// `short`
    Short,
    /// `unsigned short`
    UnsignedShort,
    /// `int`
    Int,
    /// `unsigned int`
    UnsignedInt,
    /// `long`
    Long,
    /// `unsigned long`
    UnsignedLong,
    /// `long long`
    LongLong,
    /// `unsigned long long`
    UnsignedLongLong,
}

impl IntegerType {
    /// All of them.
    pub const ALL: [IntegerType; 12] = [
        IntegerType::Bool,
        IntegerType::Char,
        IntegerType::SignedChar,
        IntegerType::UnsignedChar,
        IntegerType::Short,
        IntegerType::UnsignedShort,
        IntegerType::Int,
        IntegerType::UnsignedInt,
        IntegerType::Long,
        IntegerType::UnsignedLong,
        IntegerType::LongLong,
        IntegerType::UnsignedLongLong,
    ];

    /// The ways to write this type; the short names are declared by [`TYPE_NAMES`].
    pub fn spellings(self) -> &'static [&'static str] {
        match self {
            IntegerType::Bool => &["_Bool"],
            IntegerType::Char => &["char"],
            IntegerType::SignedChar => &["signed char", "i8", "char signed"],
            IntegerType::UnsignedChar => &["unsigned char", "u8"],
            IntegerType::Short => &["short", "short int", "signed short", "i16"],
            IntegerType::UnsignedShort => &["unsigned short", "unsigned short int", "u16", "short unsigned"],
            IntegerType::Int => &["int", "signed", "signed int", "i32"],
            IntegerType::UnsignedInt => &["unsigned", "unsigned int", "u32"],
            IntegerType::Long => &["long", "long int", "signed long int", "word"],
            IntegerType::UnsignedLong => &["unsigned long", "unsigned long int", "uword", "long unsigned"],
            IntegerType::LongLong => &["long long", "long long int", "i64", "signed long long"],
            IntegerType::UnsignedLongLong => &["unsigned long long", "u64", "long long unsigned int"],
        }
    }

    /// The end of the name of the input function of this type, where there is one.
    pub fn input_suffix(self) -> Option<&'static str> {
        match self {
            IntegerType::Bool => Some("bool"),
            IntegerType::Char => Some("char"),
            IntegerType::SignedChar => None,
            IntegerType::UnsignedChar => Some("uchar"),
            IntegerType::Short => Some("short"),
            IntegerType::UnsignedShort => Some("ushort"),
            IntegerType::Int => Some("int"),
            IntegerType::UnsignedInt => Some("uint"),
            IntegerType::Long => Some("long"),
            IntegerType::UnsignedLong => Some("ulong"),
            IntegerType::LongLong => Some("longlong"),
            IntegerType::UnsignedLongLong => Some("ulonglong"),
        }
    }

    /// Whether the type has 64 bits in every data model.
    pub fn is_wide(self) -> bool {
        matches!(self, IntegerType::LongLong | IntegerType::UnsignedLongLong)
    }

    /// Whether some value of the type may not fit into `long long`.
    pub fn may_exceed_long_long(self) -> bool {
        matches!(self, IntegerType::UnsignedLong | IntegerType::UnsignedLongLong)
    }

    /// The number of bytes, where all data models agree.
    pub fn bytes(self) -> Option<usize> {
        match self {
            IntegerType::Bool | IntegerType::Char | IntegerType::SignedChar | IntegerType::UnsignedChar => Some(1),
            IntegerType::Short | IntegerType::UnsignedShort => Some(2),
            IntegerType::Int | IntegerType::UnsignedInt => Some(4),
            IntegerType::Long | IntegerType::UnsignedLong => None,
            IntegerType::LongLong | IntegerType::UnsignedLongLong => Some(8),
        }
    }
}

/// The declarations of the short type names, written like those of `<stdint.h>`.
pub const TYPE_NAMES: [&str; 10] = [
    "typedef signed char i8;",
    "typedef unsigned char u8;",
    "typedef short i16;",
    "typedef unsigned short u16;",
    "typedef int i32;",
    "typedef unsigned int u32;",
    "typedef long long i64;",
    "typedef unsigned long long u64;",
    "typedef long word;",
    "typedef unsigned long uword;",
];

/// A type of the generated program, with what the generator promises about its values.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Type {
    Integer(IntegerType),
    Enumeration(usize),
    Float,
    Double,
    Structure(usize),
    Union(usize),
    Array(Box<Type>, usize),
    /// A pointer that always points to a live object of the type.
    Pointer(Box<Type>),
    /// A pointer that is null or points to a live object of the type.
    Nullable(Box<Type>),
    /// A pointer to the first of so many live objects of the type.
    Slice(Box<Type>, usize),
    /// A pointer to one of the functions of the program's table.
    Function,
}

impl Type {
    pub(crate) fn array(element: Type, length: usize) -> Type {
        Type::Array(Box::new(element), length)
    }

    pub(crate) fn pointer(target: Type) -> Type {
        Type::Pointer(Box::new(target))
    }
}

/// One member of a structure or union that a program can name.
#[derive(Clone, Debug)]
pub(crate) struct NamedMember {
    pub(crate) name: String,
    pub(crate) ty: Type,
    pub(crate) bits: Option<u32>,
}

/// A structure or union: its definition in C, and its members.
#[derive(Clone, Debug)]
pub(crate) struct Aggregate {
    pub(crate) tag: String,
    pub(crate) definition: Vec<String>,
    pub(crate) members: Vec<NamedMember>,
}

/// An enumeration: its definition in C, and its constants.
#[derive(Clone, Debug)]
pub(crate) struct Enumeration {
    pub(crate) tag: String,
    pub(crate) definition: String,
    pub(crate) constants: Vec<String>,
}

/// What a search through the reachable objects is looking for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Want {
    /// Any integer, enumeration or bit-field.
    Integer,
    /// `float` or `double`.
    Floating,
    /// A pointer that may be null.
    Nullable,
    /// Any array whose elements are integers.
    IntegerArray,
    /// A pointer to a function of the table.
    Function,
    /// Precisely this type.
    Exactly(Type),
}

/// All types that a program declares.
#[derive(Clone, Debug, Default)]
pub(crate) struct Types {
    pub(crate) structures: Vec<Aggregate>,
    pub(crate) unions: Vec<Aggregate>,
    pub(crate) enumerations: Vec<Enumeration>,
}

impl Types {
    pub(crate) fn members(&self, ty: &Type) -> &[NamedMember] {
        match ty {
            Type::Structure(index) => &self.structures[*index].members,
            Type::Union(index) => &self.unions[*index].members,
            _ => &[],
        }
    }

    /// Whether the type itself, not something inside it, is what is wanted.
    pub(crate) fn satisfies(&self, ty: &Type, want: &Want) -> bool {
        match want {
            Want::Integer => matches!(ty, Type::Integer(_) | Type::Enumeration(_)),
            Want::Floating => matches!(ty, Type::Float | Type::Double),
            Want::Nullable => matches!(ty, Type::Nullable(_)),
            Want::IntegerArray => {
                matches!(ty, Type::Array(element, _) | Type::Slice(element, _) if matches!(**element, Type::Integer(_)))
            }
            Want::Function => *ty == Type::Function,
            Want::Exactly(wanted) => ty == wanted,
        }
    }

    /// Whether an object of the type holds, or leads to, something wanted. Pointers that may be null are not followed.
    pub(crate) fn leads_to(&self, ty: &Type, want: &Want) -> bool {
        self.satisfies(ty, want)
            || match ty {
                Type::Array(inner, _) | Type::Pointer(inner) | Type::Slice(inner, _) => self.leads_to(inner, want),
                Type::Structure(_) | Type::Union(_) => {
                    self.members(ty).iter().any(|member| self.leads_to(&member.ty, want))
                }
                _ => false,
            }
    }

    /// Like [`Types::leads_to`], but follows no pointers at all.
    pub(crate) fn holds(&self, ty: &Type, want: &Want) -> bool {
        self.satisfies(ty, want)
            || match ty {
                Type::Array(inner, _) => self.holds(inner, want),
                Type::Structure(_) | Type::Union(_) => {
                    self.members(ty).iter().any(|member| self.holds(&member.ty, want))
                }
                _ => false,
            }
    }
}
