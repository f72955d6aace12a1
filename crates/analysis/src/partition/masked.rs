//! Bit tests: what is needed of a value whose bits are masked, shifted and converted before they are looked at.
//!
//! Such an expression is a list of bits of the value and constants ([`Bits`]); where a mask or the count of a shift is no
//! constant but has few known values, there is one list for each of them, and the mask itself is kept exactly. That the
//! expression equals a number, or is less than one, says the same of a *field* of the value ([`FieldBits`]). Where more than
//! that is needed, the bits that occur are kept, if they are few.
//!
//! Only machine integers are looked at: ideal ones have no last bit.

use program::semantics::Integers;
use program::{BinaryOp, CompareOp, ExprId, ExprKind, IntType, Scalar, UnaryOp};

use super::bits::{Bits, Masked};
use super::fields::FieldBits;
use super::need::Need;
use super::needs::NeedSearch;
use super::refused::Cause;
use crate::cells::CellId;

/// Masks and shifts are followed up to this depth.
const MOST_STEPS: u32 = 24;

/// An expression that may be more different functions of bits than this is not followed.
const MOST_FORMS: usize = 64;

/// What an expression may be, as bits of a cell's value.
pub(super) struct Forms {
    pub cell: CellId,
    /// The bits, one list for each value of what they depend on otherwise.
    pub forms: Vec<Bits>,
}

impl Forms {
    fn map(self, change: impl Fn(&Bits) -> Bits) -> Self {
        Self { cell: self.cell, forms: self.forms.iter().map(change).collect() }
    }

    /// The bits of the value that occur.
    fn mask(&self) -> u64 {
        self.forms.iter().fold(0, |mask, bits| mask | bits.mask())
    }
}

impl NeedSearch<'_> {
    /// The cell of which an expression consists bit by bit.
    pub(super) fn forms_of(&self, expr: ExprId) -> Option<Forms> {
        if self.integers != Integers::Machine {
            return None;
        }
        self.forms_in(expr, MOST_STEPS)
    }

    fn forms_in(&self, expr: ExprId, steps: u32) -> Option<Forms> {
        let exprs = &self.program.exprs;
        let steps = steps.checked_sub(1)?;
        let Scalar::Int(ty) = exprs.ty(expr) else { return None };
        if ty.bits > 64 {
            return None;
        }
        match &exprs.get(expr).kind {
            ExprKind::Load(place) => {
                let cell = self.cells.of_scalar(self.program, place)?;
                let Scalar::Int(own) = self.cells.get(cell).scalar else { return None };
                let whole = || Bits::identity(own).convert(own.signed, ty);
                (own.bits <= 64).then(|| Forms { cell, forms: vec![whole()] })
            }
            ExprKind::Cast(operand) => {
                let Scalar::Int(from) = exprs.ty(*operand) else { return None };
                Some(self.forms_in(*operand, steps)?.map(|bits| bits.convert(from.signed, ty)))
            }
            ExprKind::Unary(UnaryOp::BitNot, operand) => {
                Some(self.forms_in(*operand, steps)?.map(|bits| bits.inverted()))
            }
            ExprKind::Binary(op, left, right) => {
                if let Some(forms) = self.forms_in(*left, steps) {
                    return self.combined(forms, *op, ty, *right);
                }
                let symmetric = matches!(op, BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor);
                let forms = self.forms_in(*right, steps).filter(|_| symmetric)?;
                self.combined(forms, *op, ty, *left)
            }
            _ => None,
        }
    }

    /// What an operation with another operand, which has few values, makes of an expression.
    fn combined(&self, forms: Forms, op: BinaryOp, ty: IntType, other: ExprId) -> Option<Forms> {
        let values = self.few_values(other)?;
        if values.len() * forms.forms.len() > MOST_FORMS {
            return None;
        }
        let mut all = Vec::new();
        for bits in &forms.forms {
            for &value in &values {
                match with_constant(bits, op, ty, value)? {
                    Combined::Bits(bits) => all.push(bits),
                    // That depends on the other operand alone, which is kept.
                    Combined::Undefined => {}
                }
            }
        }
        all.dedup();
        Some(Forms { cell: forms.cell, forms: all })
    }

    /// A comparison of bits with few numbers comes out as before; whether it could be seen to.
    pub(super) fn compare_bits(&mut self, op: CompareOp, side: ExprId, values: &[i128]) -> bool {
        let Some(Forms { cell, forms }) = self.forms_of(side) else { return false };
        let Scalar::Int(ty) = self.program.exprs.ty(side) else { return false };
        let mut need = Need::default();
        for bits in &forms {
            for &value in values {
                let number = match op {
                    CompareOp::Equal | CompareOp::NotEqual => {
                        need_point(&mut need, bits.equal(value));
                        continue;
                    }
                    CompareOp::Less | CompareOp::GreaterEqual => value,
                    CompareOp::LessEqual | CompareOp::Greater => value + 1,
                };
                if !need_cut(&mut need, bits, ty, number) {
                    return false;
                }
            }
        }
        self.add(cell, &need);
        self.others_under(side);
        true
    }

    /// The bits that an expression consists of are kept; whether they are few, and less than the whole value.
    pub(super) fn keep_bits(&mut self, expr: ExprId) -> bool {
        let Some(forms) = self.forms_of(expr) else { return false };
        let Scalar::Int(own) = self.cells.get(forms.cell).scalar else { return false };
        let mask = forms.mask();
        if !FieldBits::can_be_exact(mask) || mask.count_ones() >= u32::from(own.bits) {
            return false;
        }
        if mask != 0 {
            self.add(forms.cell, &Need::of_field(mask, FieldBits { exact: true, ..FieldBits::default() }));
        }
        self.others_under(expr);
        true
    }

    /// What a cell needs, the value needs whose bits are written to it; whether that could be said.
    pub(super) fn carry_need(&mut self, expr: ExprId, target: CellId, need: &Need) -> bool {
        let (Scalar::Int(from), Scalar::Int(to)) = (self.program.exprs.ty(expr), self.cells.get(target).scalar) else {
            return false;
        };
        if need.exact.is_some() || to.bits > 64 {
            return false;
        }
        let Some(Forms { cell, forms }) = self.forms_of(expr) else { return false };
        let mut carried = Need::default();
        for bits in forms {
            if !carried_through(&bits.convert(from.signed, to), to, need, &mut carried) {
                return false;
            }
        }
        self.add(cell, &carried);
        self.others_under(expr);
        true
    }

    /// What a cell needs of its fields, the value needs that is copied there.
    pub(super) fn carry_fields(&self, source: CellId, target: CellId, need: &Need) -> Option<Need> {
        if need.fields.is_empty() {
            return Some(need.clone());
        }
        let (Scalar::Int(from), Scalar::Int(to)) = (self.cells.get(source).scalar, self.cells.get(target).scalar)
        else {
            return None;
        };
        if from.bits > 64 || to.bits > 64 {
            return None;
        }
        let bits = Bits::identity(from).convert(from.signed, to);
        let fields = Need { fields: need.fields.clone(), ..Need::default() };
        let mut carried = Need { fields: Default::default(), ..need.clone() };
        carried_through(&bits, to, &fields, &mut carried).then_some(carried)
    }

    /// Everything that an expression of bits depends on but for the value is kept exactly.
    pub(super) fn others_under(&mut self, expr: ExprId) {
        match self.program.exprs.get(expr).kind.clone() {
            ExprKind::Load(place) => self.address(&place),
            ExprKind::Cast(operand) | ExprKind::Unary(_, operand) => self.others_under(operand),
            ExprKind::Binary(_, left, right) => {
                let (value, other) = if self.forms_of(left).is_some() { (left, right) } else { (right, left) };
                self.observe(other, Cause::Arithmetic);
                self.others_under(value);
            }
            _ => self.observe(expr, Cause::Arithmetic),
        }
    }
}

enum Combined {
    Bits(Bits),
    Undefined,
}

/// An operation whose other operand is a constant.
fn with_constant(bits: &Bits, op: BinaryOp, ty: IntType, constant: i128) -> Option<Combined> {
    let pattern = constant as u64;
    let exponent = u32::try_from(constant).ok().filter(|constant| constant.is_power_of_two()).map(u32::trailing_zeros);
    Some(Combined::Bits(match op {
        BinaryOp::BitAnd => bits.and(pattern),
        BinaryOp::BitOr => bits.or(pattern),
        BinaryOp::BitXor => bits.xor(pattern),
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight if !(0..i128::from(ty.bits)).contains(&constant) => {
            return Some(Combined::Undefined);
        }
        // A signed number that is shifted to the left may overflow, which can be seen.
        BinaryOp::ShiftLeft if !ty.signed => bits.shift_left(constant as usize),
        BinaryOp::ShiftRight => bits.shift_right(constant as usize, ty.signed),
        BinaryOp::Divide if !ty.signed => bits.shift_right(exponent? as usize, false),
        BinaryOp::Remainder if !ty.signed => bits.and((1 << exponent?) - 1),
        _ => return None,
    }))
}

/// Records that the program tells whether a field is a number.
fn need_point(need: &mut Need, masked: Option<Masked>) {
    if let Some(Masked { mask, number }) = masked.filter(|masked| masked.mask != 0) {
        need.fields.entry(mask).or_default().add(&FieldBits { points: [number].into(), ..FieldBits::default() });
    }
}

/// Records that the program tells whether an expression of a type is less than a number; whether that can be said.
fn need_cut(need: &mut Need, bits: &Bits, ty: IntType, number: i128) -> bool {
    // Among numbers with a sign, the negative ones come first: order is that of patterns only where there are none.
    let magnitude = if ty.signed { u64::MAX.checked_shr(65 - u32::from(ty.bits)).unwrap_or(0) } else { u64::MAX };
    let mask = bits.mask();
    if mask == 0 {
        return true;
    }
    let has_sign = ty.signed && bits.mask_where(!magnitude) != 0;
    if !has_sign && bits.equal_where(0, !magnitude).is_some() {
        // Always, or never, less.
        let Ok(number) = u64::try_from(number) else { return true };
        if bits.is_ordered(u64::MAX) {
            if let Some(Masked { mask, number }) = bits.less_where(number, u64::MAX) {
                need.fields.entry(mask).or_default().add(&FieldBits { cuts: [number].into(), ..FieldBits::default() });
            }
            return true;
        }
    }
    if !FieldBits::can_be_exact(mask) {
        return false;
    }
    need.fields.entry(mask).or_default().add(&FieldBits { exact: true, ..FieldBits::default() });
    true
}

/// What is needed of an expression of a type, as what is needed of the value; whether that can be said.
fn carried_through(bits: &Bits, ty: IntType, need: &Need, carried: &mut Need) -> bool {
    for point in &need.points {
        need_point(carried, bits.equal(*point));
    }
    if !need.cuts.iter().all(|cut| need_cut(carried, bits, ty, *cut)) {
        return false;
    }
    for (&selected, field) in &need.fields {
        let mask = bits.mask_where(selected);
        if mask == 0 {
            continue;
        }
        for point in &field.points {
            need_point(carried, bits.equal_where(*point, selected));
        }
        let ordered = bits.is_ordered(selected);
        for cut in field.cuts.iter().filter(|_| ordered) {
            if let Some(Masked { mask, number }) = bits.less_where(*cut, selected) {
                carried
                    .fields
                    .entry(mask)
                    .or_default()
                    .add(&FieldBits { cuts: [number].into(), ..FieldBits::default() });
            }
        }
        if field.exact || !ordered && !field.cuts.is_empty() {
            if !FieldBits::can_be_exact(mask) {
                return false;
            }
            carried.fields.entry(mask).or_default().add(&FieldBits { exact: true, ..FieldBits::default() });
        }
    }
    true
}
