//! Floating-point expressions: `float` and `double` with the four operations, comparisons and conversions. They have no
//! side effects. What leaves for the integers is in range: a conversion is guarded by comparisons that also exclude
//! not-a-number, whose bits are never looked at because IEEE 754 leaves them open.

use super::Generator;
use super::lvalues::Purpose;
use super::scope::{CExpression, precedence};
use super::types::Want;

impl Generator {
    /// A pure floating-point expression.
    pub(super) fn floating(&mut self, depth: u32) -> CExpression {
        self.with_effects(false, |this| this.pure_floating(depth))
    }

    fn pure_floating(&mut self, depth: u32) -> CExpression {
        if depth == 0 || self.random.chance(25) {
            return self.floating_leaf();
        }
        match self.random.below(6) {
            0..=2 => {
                let left = self.pure_floating(depth - 1);
                let right = self.pure_floating(depth - 1);
                let (operator, strength) =
                    *self.random.pick(&[("+", precedence::SUM), ("-", precedence::SUM), ("*", precedence::PRODUCT)]);
                self.note("floating arithmetic");
                let text = format!("{} {operator} {}", left.operand(strength), right.operand(strength + 1));
                CExpression::with(text, strength, false, left.footprint.joined(&right.footprint))
            }
            3 => {
                let left = self.pure_floating(depth - 1);
                let divisor = *self.random.pick(&["2.0", "4.0f", "-8.0", "0.5", "3", "10.0"]);
                self.note("floating division");
                let text = format!("{} / {divisor}", left.operand(precedence::PRODUCT));
                CExpression::with(text, precedence::PRODUCT, false, left.footprint)
            }
            4 => {
                let inner = self.integer(depth - 1);
                let ty = *self.random.pick(&["double", "float"]);
                self.note("integer converted to floating");
                let text = format!("({ty}){}", inner.operand(precedence::UNARY));
                CExpression::with(text, precedence::UNARY, false, inner.footprint)
            }
            _ => {
                let inner = self.pure_floating(depth - 1);
                let prefix = *self.random.pick(&["-", "(float)", "(double)"]);
                self.note("floating unary");
                let text = format!("{prefix}{}", inner.operand(precedence::POSTFIX));
                CExpression::with(text, precedence::UNARY, false, inner.footprint)
            }
        }
    }

    fn floating_leaf(&mut self) -> CExpression {
        if self.random.chance(60)
            && let Some(object) = self.designate(&Want::Floating, Purpose::READ)
        {
            return object.value();
        }
        self.floating_literal()
    }

    pub(super) fn floating_literal(&mut self) -> CExpression {
        self.note("literal floating");
        let text = *self.random.pick(&[
            "0.0",
            "1.0",
            "1.5",
            "-2.25",
            "0.125f",
            "3.0f",
            "-0.5f",
            "1e3",
            "0x1.8p1",
            "100.",
            ".75",
            "2.5e-1",
            "0.1",
            "-7.0e2f",
            "16777216.0f",
            "0x1p-3f",
        ]);
        let precedence = if text.starts_with('-') { precedence::UNARY } else { precedence::PRIMARY };
        CExpression::closed(text, precedence, false)
    }

    /// An integer that depends on floating-point values.
    pub(super) fn integer_from_floating(&mut self) -> Option<CExpression> {
        if self.inside > 1 || !self.random.chance(60) {
            return None;
        }
        if self.random.chance(60) {
            let left = self.floating(1);
            let right = self.floating(1);
            let operator = *self.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
            self.note("floating comparison");
            let text = format!("{} {operator} {}", left.operand(precedence::SHIFT), right.operand(precedence::SHIFT));
            // Both kinds of comparison bind at least as tightly as the weaker one.
            let footprint = left.footprint.joined(&right.footprint);
            return Some(CExpression::with(text, precedence::EQUALITY, false, footprint));
        }
        let value = self.designate(&Want::Floating, Purpose::READ)?;
        if !value.address.is_pure() {
            return None;
        }
        let value = value.value();
        let (low, ty) = *self.random.pick(&[
            ("-1000.0", "int"),
            ("-100.0", "signed char"),
            ("0.0", "unsigned"),
            ("-1e9", "long"),
            ("-1e15", "long long"),
            ("0", "unsigned char"),
        ]);
        let high = if ty.contains("char") { "100.0" } else { "1000.0f" };
        self.note("floating converted to integer");
        let operand = value.operand(precedence::SHIFT);
        let text = format!("{operand} > {low} && {operand} < {high} ? ({ty}){} : 5", value.operand(precedence::UNARY));
        Some(CExpression::with(text, precedence::CONDITIONAL, ty == "long long", value.footprint))
    }
}
