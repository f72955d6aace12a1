//! The words that together name an arithmetic type, in any order (ISO C11, 6.7.2p2): `long unsigned int long`.

use super::super::ast::{FloatSize, IntegerSize, TypeSpecifier};
use super::declarations;

/// The words of a type as they are gathered.
#[derive(Default)]
pub(super) struct TypeWords {
    pub signed: bool,
    pub unsigned: bool,
    pub complex: bool,
    pub longs: u8,
    /// The one word that is not a sign or a length.
    pub base: Option<BaseWord>,
    pub short: bool,
    /// A type that goes with no other word.
    pub whole: Option<TypeSpecifier>,
    /// Whether words stand together that do not belong together.
    pub clash: bool,
}

/// A word that is not a sign or a length.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum BaseWord {
    Void,
    Bool,
    Char,
    Int,
    Int128,
    Float(FloatSize),
}

impl TypeWords {
    /// Whether any word of a type has been seen.
    pub fn any(&self) -> bool {
        self.signed
            || self.unsigned
            || self.complex
            || self.short
            || self.longs > 0
            || self.base.is_some()
            || self.whole.is_some()
    }

    /// Whether the type is a structure, union or enumeration defined on the spot.
    pub fn defines_tag(&self) -> bool {
        self.whole.as_ref().is_some_and(declarations::defines_tag)
    }

    /// Notes a word of which there may be only one.
    pub fn set_base(&mut self, base: BaseWord) {
        self.clash |= self.base.is_some();
        self.base = Some(base);
    }

    /// The type that the words name together (6.7.2p2), if they name one.
    pub fn combine(self) -> Option<TypeSpecifier> {
        if self.clash || (self.signed && self.unsigned) || (self.short && self.longs > 0) {
            return None;
        }
        if !self.any() {
            return Some(TypeSpecifier::Missing);
        }
        if let Some(whole) = self.whole {
            return Some(whole);
        }
        let has_sign = self.signed || self.unsigned;
        let has_length = self.short || self.longs > 0;
        let signed = has_sign.then_some(self.signed);
        let integer = |size| Some(TypeSpecifier::Integer { size, signed });
        match self.base {
            Some(BaseWord::Void) if !has_sign && !has_length && !self.complex => Some(TypeSpecifier::Void),
            Some(BaseWord::Bool) if !has_sign && !has_length && !self.complex => Some(TypeSpecifier::Bool),
            Some(BaseWord::Float(size)) if !has_sign && !self.short => {
                let size = match (size, self.longs) {
                    (size, 0) => size,
                    (FloatSize::Double, 1) => FloatSize::LongDouble,
                    _ => return None,
                };
                Some(TypeSpecifier::Float(if self.complex { FloatSize::Complex } else { size }))
            }
            // `_Complex` alone is GNU's `_Complex double`; complex integers are GNU's too.
            _ if self.complex => Some(TypeSpecifier::Float(FloatSize::Complex)),
            Some(BaseWord::Char) if !has_length => integer(IntegerSize::Char),
            Some(BaseWord::Int128) if !has_length => integer(IntegerSize::Int128),
            Some(BaseWord::Int) | None => match (self.short, self.longs) {
                (true, _) => integer(IntegerSize::Short),
                (_, 0) => integer(IntegerSize::Int),
                (_, 1) => integer(IntegerSize::Long),
                (_, 2) => integer(IntegerSize::LongLong),
                _ => None,
            },
            _ => None,
        }
    }
}
