//! Constants and string literals (6.4.4, 6.4.5).

use foundation::Span;
use num_bigint::BigInt;
use program::{
    Constant, ExprKind as ModelKind, Initial, InitialItem, IntType, Place, Variable, VariableId, VariableKind,
};

use super::records::kind_holds;
use super::{Denoted, Lower, Lowered, Lowering};
use crate::syntax::ast::{CharPrefix, FloatLiteral, FloatSize, IntegerLiteral};
use crate::types::{CType, IntKind, Qual};

impl Lowering<'_> {
    /// The type of an integer constant is the first of a list that can hold it (6.4.4.1p5).
    pub(crate) fn integer_literal(&mut self, literal: &IntegerLiteral, span: Span) -> Lower<Lowered> {
        use IntKind::*;
        let ladder = [Int, UnsignedInt, Long, UnsignedLong, LongLong, UnsignedLongLong, Int128, UnsignedInt128];
        let value = BigInt::from(literal.value);
        let least_rank = Int.rank() + literal.longs;
        let kind = ladder.into_iter().find(|kind| {
            let sign_fits = if kind.is_signed() { !literal.unsigned } else { literal.unsigned || !literal.decimal };
            kind.rank() >= least_rank && sign_fits && kind_holds(*kind, self.types.model, &value)
        });
        match kind {
            Some(kind) => {
                let ty = self.types.int(kind);
                Ok(self.constant(Constant::Int(value), ty, span))
            }
            None => self.error("integer-too-large", "this integer constant is too large for every type", span),
        }
    }

    pub(crate) fn float_literal(&mut self, literal: &FloatLiteral, span: Span) -> Lower<Lowered> {
        let ty = match literal.size {
            FloatSize::Float => CType::Float,
            FloatSize::Double => CType::Double,
            _ => {
                return self.unsupported(
                    "unsupported-long-double",
                    "`long double` constants are",
                    span,
                    "use `double`",
                );
            }
        };
        let ty = self.types.qual(ty);
        Ok(self.constant(Constant::Float(literal.value.to_bits()), ty, span))
    }

    pub(crate) fn character_literal(&mut self, value: i64, encoding: CharPrefix, span: Span) -> Lowered {
        let ty = match encoding {
            CharPrefix::Plain => self.types.int(IntKind::Int),
            other => self.character_type(other),
        };
        self.constant(Constant::Int(BigInt::from(value)), ty, span)
    }

    /// A constant of a type.
    pub(crate) fn constant(&mut self, constant: Constant, ty: Qual, span: Span) -> Lowered {
        let scalar = self.types.scalar(ty.ty).expect("constants are scalars");
        let value = self.program.exprs.intern(ModelKind::Constant(constant), scalar);
        Lowered { value: Denoted::Scalar(value), ty, bit_width: None, span }
    }

    /// An integer constant of a type that can hold it.
    pub(crate) fn int_constant(&mut self, value: impl Into<BigInt>, kind: IntKind, span: Span) -> Lowered {
        let ty = self.types.int(kind);
        self.constant(Constant::Int(value.into()), ty, span)
    }

    /// The element type of a string literal.
    pub(crate) fn character_type(&mut self, encoding: CharPrefix) -> Qual {
        self.types.int(match encoding {
            CharPrefix::Plain => IntKind::Char,
            CharPrefix::Wide => IntKind::Int,
            CharPrefix::Utf16 => IntKind::UnsignedShort,
            CharPrefix::Utf32 => IntKind::UnsignedInt,
        })
    }

    /// A string literal is an array that lives as long as the program.
    pub(crate) fn string_literal(&mut self, units: &[u32], encoding: CharPrefix, span: Span) -> Lowered {
        let element = self.character_type(encoding);
        let ty = self.types.qual(CType::Array { element, length: Some(units.len() as u64 + 1) });
        let variable = self.string_variable(units, encoding, ty, span);
        let place = Place::variable(variable, self.program.variables[variable].ty);
        Lowered { value: Denoted::Place(place), ty, bit_width: None, span }
    }

    fn string_variable(&mut self, units: &[u32], encoding: CharPrefix, ty: Qual, span: Span) -> VariableId {
        let key = (units.to_vec(), encoding);
        if let Some(&variable) = self.strings.get(&key) {
            return variable;
        }
        let element = self.character_type(encoding);
        let int = self.types.int_type(element.ty).expect("characters are integers");
        let width = u64::from(int.bits);
        let items = (units.iter().enumerate())
            .filter(|(_, unit)| **unit != 0)
            .map(|(at, unit)| InitialItem {
                offset_bits: at as u64 * width,
                width_bits: width,
                value: self.program.exprs.int(character_value(*unit, int), int),
            })
            .collect();
        let variable = self.program.variables.push(Variable {
            name: readable(units),
            kind: VariableKind::Literal { initial: Initial::Values(items) },
            ty: self.types.model_type(ty.ty, &mut self.program.types),
            address_taken: false,
            span,
        });
        self.variable_types.insert(variable, ty);
        self.strings.insert(key, variable);
        variable
    }
}

/// A code unit as a value of its character type.
pub(crate) fn character_value(unit: u32, ty: IntType) -> BigInt {
    let wrapped = BigInt::from(unit) & ((BigInt::from(1) << ty.bits) - 1);
    let half = BigInt::from(1) << (ty.bits - 1);
    if ty.signed && wrapped >= half { wrapped - (half << 1) } else { wrapped }
}

/// The literal as it may have been written, shortened, as a name for its object.
fn readable(units: &[u32]) -> String {
    const MOST: usize = 24;
    let text: String =
        units.iter().take(MOST).map(|unit| char::from_u32(*unit).unwrap_or('?').escape_default().to_string()).collect();
    format!("\"{text}{}\"", if units.len() > MOST { "…" } else { "" })
}
