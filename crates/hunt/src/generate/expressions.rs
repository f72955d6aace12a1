//! Integer expressions: all operators on operands of mixed types (C11 6.3.1, 6.5). An expression that needs a guard gets
//! it in its text; whether the guard's operand may be repeated depends on its footprint being pure.

use super::Generator;
use super::lvalues::{Lvalue, Purpose};
use super::scope::{CExpression, Footprint, precedence};
use super::types::{IntegerType, Type, Want};

/// What the root of an expression is.
#[derive(Clone, Copy, Debug)]
enum Production {
    Leaf,
    Arithmetic,
    Division,
    Shift,
    Comparison,
    Logical,
    Unary,
    Cast,
    Conditional,
    Comma,
    Assignment,
    Step,
    Call,
    TableCall,
    SizeOf,
    Signedness,
    Pointers,
    Views,
    Strings,
    CompoundLiteral,
    StructureValue,
    Floating,
    Input,
}

const PRODUCTIONS: [(u32, Production); 23] = [
    (16, Production::Leaf),
    (26, Production::Arithmetic),
    (8, Production::Division),
    (9, Production::Shift),
    (9, Production::Comparison),
    (6, Production::Logical),
    (9, Production::Unary),
    (9, Production::Cast),
    (5, Production::Conditional),
    (2, Production::Comma),
    (4, Production::Assignment),
    (4, Production::Step),
    (6, Production::Call),
    (2, Production::TableCall),
    (2, Production::SizeOf),
    (2, Production::Signedness),
    (4, Production::Pointers),
    (3, Production::Views),
    (2, Production::Strings),
    (2, Production::CompoundLiteral),
    (3, Production::StructureValue),
    (2, Production::Floating),
    (3, Production::Input),
];

impl Generator {
    /// Runs a part of the generator with side effects allowed or not.
    pub(super) fn with_effects<R>(&mut self, effects: bool, part: impl FnOnce(&mut Generator) -> R) -> R {
        let before = std::mem::replace(&mut self.effects, effects);
        let result = part(self);
        self.effects = before;
        result
    }

    /// An integer expression whose operators are nested at most so deep.
    pub(super) fn integer(&mut self, depth: u32) -> CExpression {
        if depth == 0 {
            return self.leaf();
        }
        let production = self.random.weighted(&PRODUCTIONS);
        let effects = self.effects;
        let expression = match production {
            Production::Leaf => None,
            Production::Arithmetic => Some(self.arithmetic(depth)),
            Production::Division => self.division(depth),
            Production::Shift => Some(self.shift(depth)),
            Production::Comparison => Some(self.comparison(depth)),
            Production::Logical => Some(self.logical(depth)),
            Production::Unary => Some(self.unary(depth)),
            Production::Cast => Some(self.cast(depth)),
            Production::Conditional => Some(self.conditional(depth)),
            Production::Comma => Some(self.comma(depth)),
            Production::Assignment if effects => self.assignment(depth - 1).map(settled),
            Production::Step if effects => self.increment().map(settled),
            Production::Assignment | Production::Step => None,
            Production::Call if self.random.chance(15) => self.call_for_pointed(),
            Production::Call => self.call_for_integer(),
            Production::TableCall => self.table_call(),
            Production::SizeOf => Some(self.size_of()),
            Production::Signedness => Some(self.signedness()),
            Production::Pointers => self.pointer_expression(),
            Production::Views => self.view(),
            Production::Strings => self.string_expression(),
            Production::CompoundLiteral => Some(self.compound_literal()),
            Production::StructureValue => self.member_of_value(),
            Production::Floating => self.integer_from_floating(),
            Production::Input => self.input(),
        };
        expression.unwrap_or_else(|| self.leaf())
    }

    fn leaf(&mut self) -> CExpression {
        if self.inside < 3
            && self.random.chance(70)
            && let Some(object) = self.designate(&Want::Integer, Purpose::READ)
        {
            return object.value();
        }
        self.literal()
    }

    /// Two operands that no order of evaluation can tell apart.
    fn operands(&mut self, depth: u32) -> (CExpression, CExpression) {
        let left = self.integer(depth - 1);
        let mut right = self.integer(depth - 1);
        if left.footprint.conflicts(&right.footprint) {
            right = self.with_effects(false, |this| this.integer(depth - 1));
        }
        if left.footprint.conflicts(&right.footprint) {
            right = self.literal();
        }
        (left, right)
    }

    fn binary(&mut self, operator: &str, strength: u8, left: &CExpression, right: &CExpression) -> CExpression {
        let generous = if self.random.chance(15) { precedence::PRIMARY } else { 0 };
        let text = format!(
            "{} {operator} {}",
            left.operand(strength.max(generous)),
            right.operand((strength + 1).max(generous))
        );
        CExpression::with(text, strength, left.wide || right.wide, left.footprint.clone().joined(&right.footprint))
    }

    fn arithmetic(&mut self, depth: u32) -> CExpression {
        let (left, right) = self.operands(depth);
        let (operator, strength, feature) = *self.random.pick(&[
            ("+", precedence::SUM, "operator +"),
            ("-", precedence::SUM, "operator -"),
            ("*", precedence::PRODUCT, "operator *"),
            ("&", precedence::BIT_AND, "operator &"),
            ("|", precedence::BIT_OR, "operator |"),
            ("^", precedence::BIT_XOR, "operator ^"),
        ]);
        self.note(feature);
        self.binary(operator, strength, &left, &right)
    }

    fn division(&mut self, depth: u32) -> Option<CExpression> {
        let (operator, feature) = *self.random.pick(&[("/", "operator /"), ("%", "operator %")]);
        self.note(feature);
        match self.random.below(4) {
            0 => {
                let dividend = self.integer(depth - 1);
                let divisor = self.constant_divisor();
                Some(self.binary(operator, precedence::PRODUCT, &dividend, &divisor))
            }
            1 => {
                let (dividend, inner) = self.operands(depth);
                let divisor = self.positive(&inner);
                Some(self.binary(operator, precedence::PRODUCT, &dividend, &divisor))
            }
            2 => self.with_effects(false, |this| {
                let divisor = this.designate(&Want::Integer, Purpose::READ)?.value();
                let dividend = this.integer(depth - 1);
                let quotient = this.binary(operator, precedence::PRODUCT, &dividend, &divisor);
                let guard = divisor.operand(precedence::RELATION);
                let otherwise = dividend.operand(precedence::CONDITIONAL);
                let text = format!("{guard} != 0 && {guard} != -1 ? {} : {otherwise}", quotient.text);
                let wide = dividend.wide || divisor.wide;
                let footprint = dividend.footprint.joined(&divisor.footprint);
                Some(CExpression::with(text, precedence::CONDITIONAL, wide, footprint))
            }),
            _ => {
                let dividend = self.integer(depth - 1);
                let text = format!("({} | 1) {operator} -1", dividend.operand(precedence::BIT_OR));
                Some(CExpression::with(text, precedence::PRODUCT, dividend.wide, dividend.footprint))
            }
        }
    }

    pub(super) fn constant_divisor(&mut self) -> CExpression {
        let (text, wide) = *self.random.pick(&[
            ("2", false),
            ("3", false),
            ("10", false),
            ("7u", false),
            ("255", false),
            ("'a'", false),
            ("5L", false),
            ("1000000007LL", true),
            ("0x7fffffff", false),
            ("0x80000000", false),
            ("(-2)", false),
            ("(-3)", false),
            ("(-10L)", false),
            ("6ULL", true),
        ]);
        CExpression::closed(text, precedence::PRIMARY, wide)
    }

    /// A small positive value made from any integer.
    pub(super) fn positive(&mut self, inner: &CExpression) -> CExpression {
        let mask = *self.random.pick(&["1", "7", "15", "255", "0x3ff"]);
        let text = format!("({} & {mask}) + 1", inner.operand(precedence::BIT_AND));
        CExpression::with(text, precedence::SUM, inner.wide, inner.footprint.clone())
    }

    fn shift(&mut self, depth: u32) -> CExpression {
        let (operator, feature) = *self.random.pick(&[("<<", "operator <<"), (">>", "operator >>")]);
        self.note(feature);
        let (left, inner) = self.operands(depth);
        let count = self.shift_count(left.wide, inner);
        let mut expression = self.binary(operator, precedence::SHIFT, &left, &count);
        expression.wide = left.wide;
        expression
    }

    /// A count below the width of the promoted left operand.
    pub(super) fn shift_count(&mut self, wide: bool, inner: CExpression) -> CExpression {
        let width: usize = if wide { 64 } else { 32 };
        if self.random.chance(50) {
            let count = self.random.below(width);
            return CExpression::closed(count.to_string(), precedence::PRIMARY, false);
        }
        let text = format!("{} & {}", inner.operand(precedence::BIT_AND), width - 1);
        CExpression::with(text, precedence::BIT_AND, inner.wide, inner.footprint)
    }

    fn comparison(&mut self, depth: u32) -> CExpression {
        let (left, right) = self.operands(depth);
        let (operator, strength, feature) = *self.random.pick(&[
            ("==", precedence::EQUALITY, "operator =="),
            ("!=", precedence::EQUALITY, "operator !="),
            ("<", precedence::RELATION, "operator <"),
            ("<=", precedence::RELATION, "operator <="),
            (">", precedence::RELATION, "operator >"),
            (">=", precedence::RELATION, "operator >="),
        ]);
        self.note(feature);
        let mut expression = self.binary(operator, strength, &left, &right);
        expression.wide = false;
        expression
    }

    fn logical(&mut self, depth: u32) -> CExpression {
        let (operator, strength, feature) = *self
            .random
            .pick(&[("&&", precedence::LOGICAL_AND, "operator &&"), ("||", precedence::LOGICAL_OR, "operator ||")]);
        self.note(feature);
        let left = self.integer(depth - 1);
        let right = self.integer(depth - 1);
        if !right.footprint.is_pure() {
            self.note("side effect behind && or ||");
        }
        let mut expression = self.binary(operator, strength, &left, &right);
        expression.wide = false;
        expression
    }

    fn unary(&mut self, depth: u32) -> CExpression {
        let inner = self.integer(depth - 1);
        let (operator, feature) =
            *self.random.pick(&[("-", "unary -"), ("~", "operator ~"), ("!", "operator !"), ("+", "unary +")]);
        self.note(feature);
        // A sign directly in front of another would read as one token.
        let text = format!("{operator}{}", inner.operand(precedence::POSTFIX));
        CExpression::with(text, precedence::UNARY, inner.wide && operator != "!", inner.footprint)
    }

    fn cast(&mut self, depth: u32) -> CExpression {
        self.note("cast");
        let inner = self.integer(depth - 1);
        if self.random.chance(8) && !self.types.enumerations.is_empty() {
            let index = self.random.below(self.types.enumerations.len());
            let tag = self.types.enumerations[index].tag.clone();
            let text = format!("(enum {tag}){}", inner.operand(precedence::UNARY));
            return CExpression::with(text, precedence::UNARY, false, inner.footprint);
        }
        let ty = *self.random.pick(&IntegerType::ALL);
        if ty == IntegerType::Bool {
            self.note("cast to _Bool");
        }
        let text = format!("({}){}", self.spell(ty), inner.operand(precedence::UNARY));
        CExpression::with(text, precedence::UNARY, ty.is_wide(), inner.footprint)
    }

    fn conditional(&mut self, depth: u32) -> CExpression {
        self.note("operator ?:");
        let condition = self.integer(depth - 1);
        let yes = self.integer(depth - 1);
        let no = self.integer(depth - 1);
        let text = format!(
            "{} ? {} : {}",
            condition.operand(precedence::LOGICAL_OR),
            yes.operand(precedence::COMMA),
            no.operand(precedence::CONDITIONAL)
        );
        let footprint = condition.footprint.joined(&yes.footprint).joined(&no.footprint);
        CExpression::with(text, precedence::CONDITIONAL, yes.wide || no.wide, footprint)
    }

    fn comma(&mut self, depth: u32) -> CExpression {
        self.note("operator ,");
        let first = self.integer(depth - 1);
        let second = promoted(self.integer(depth - 1));
        let text = format!("{}, {}", first.operand(precedence::ASSIGNMENT), second.operand(precedence::ASSIGNMENT));
        CExpression::with(text, precedence::COMMA, second.wide, first.footprint.joined(&second.footprint))
    }

    /// An assignment of any kind, whose value is that of the object afterwards.
    pub(super) fn assignment(&mut self, depth: u32) -> Option<CExpression> {
        let object = self.designate(&Want::Integer, Purpose::WRITE)?;
        Some(self.assignment_to(object, depth))
    }

    pub(super) fn assignment_to(&mut self, object: Lvalue, depth: u32) -> CExpression {
        let (operator, feature) = *self.random.pick(&[
            ("=", "operator ="),
            ("=", "operator ="),
            ("=", "operator ="),
            ("+=", "operator +="),
            ("-=", "operator -="),
            ("*=", "operator *="),
            ("&=", "operator &="),
            ("|=", "operator |="),
            ("^=", "operator ^="),
            ("/=", "operator /="),
            ("%=", "operator %="),
            ("<<=", "operator <<="),
            (">>=", "operator >>="),
        ]);
        self.note(feature);
        if operator != "=" && object.bits.is_some() {
            self.note("compound assignment to a bit-field");
        }
        let mut value = self.integer(depth);
        // The access to the object comes after the evaluation of both sides, so only writes of the right side matter.
        let access = Footprint::read(object.place).joined(&object.address);
        let complete = value.is_call && operator == "=" && !object.address.conflicts(&value.footprint);
        if access.conflicts(&value.footprint) && !complete {
            value = self.with_effects(false, |this| this.integer(depth));
        }
        if access.conflicts(&value.footprint) && !complete {
            value = self.literal();
        }
        let value = match operator {
            "/=" | "%=" if self.random.chance(50) => self.constant_divisor(),
            "/=" | "%=" => self.positive(&value),
            "<<=" | ">>=" => self.shift_count(object.is_wide() && object.bits.is_none(), value),
            _ => value,
        };
        let text = format!("{} {operator} {}", object.text, value.operand(precedence::ASSIGNMENT));
        let footprint = Footprint::update(object.place).joined(&object.address).joined(&value.footprint);
        let mut expression = CExpression::with(text, precedence::ASSIGNMENT, object.is_wide(), footprint);
        expression.bit_field = object.bits.is_some();
        expression
    }

    /// `++` or `--`, before or after its operand.
    pub(super) fn increment(&mut self) -> Option<CExpression> {
        let object = self.designate(&Want::Integer, Purpose::WRITE)?;
        if Footprint::read(object.place).conflicts(&object.address) {
            return None;
        }
        let operator = *self.random.pick(&["++", "--"]);
        let wide = object.is_wide();
        let footprint = Footprint::update(object.place).joined(&object.address);
        let (text, precedence, feature) = if self.random.chance(50) {
            let text = format!("{operator}{}", object.operand());
            (text, precedence::UNARY, if operator == "++" { "prefix ++" } else { "prefix --" })
        } else {
            let operand = if object.precedence >= precedence::POSTFIX {
                object.text.clone()
            } else {
                format!("({})", object.text)
            };
            (
                format!("{operand}{operator}"),
                precedence::POSTFIX,
                if operator == "++" { "postfix ++" } else { "postfix --" },
            )
        };
        self.note(feature);
        let mut expression = CExpression::with(text, precedence, wide, footprint);
        expression.bit_field = object.bits.is_some();
        Some(expression)
    }

    fn size_of(&mut self) -> CExpression {
        self.note("sizeof");
        let text = match self.random.below(4) {
            0 => format!("sizeof({})", {
                let ty = *self.random.pick(&IntegerType::ALL);
                self.spell(ty)
            }),
            1 if !self.types.structures.is_empty() => {
                let index = self.random.below(self.types.structures.len());
                format!("sizeof(struct {})", self.types.structures[index].tag)
            }
            2 if !self.variables.is_empty() && !self.pure_only => {
                match self.designate(&Want::IntegerArray, Purpose::READ) {
                    Some(array) => format!("sizeof {}", array.operand()),
                    None => "sizeof(int *)".to_string(),
                }
            }
            _ => {
                // The operand is not evaluated, so its side effects do not count.
                let inner = promoted(self.with_effects(true, |this| this.integer(1)));
                if !inner.footprint.is_pure() {
                    self.note("side effect inside sizeof");
                }
                format!("sizeof({})", inner.text)
            }
        };
        CExpression::closed(text, precedence::UNARY, false)
    }

    /// Asks whether a type is signed, by the conversions it causes; the operand itself is never evaluated.
    fn signedness(&mut self) -> CExpression {
        self.note("signedness by conversion");
        let inner = promoted(self.with_effects(false, |this| this.integer(1)));
        let text = match self.random.below(3) {
            0 => format!("(1 ? -1 : {}) < 0", inner.operand(precedence::CONDITIONAL)),
            1 => format!("(0 ? {} : -1) < 0", inner.operand(precedence::COMMA)),
            _ => format!("-1 < (1 ? 0 : {})", inner.operand(precedence::CONDITIONAL)),
        };
        // Compilers may warn of conflicts even in operands that are never evaluated.
        CExpression::with(text, precedence::RELATION, false, inner.footprint)
    }

    fn compound_literal(&mut self) -> CExpression {
        self.note("compound literal");
        let ty = *self.random.pick(&IntegerType::ALL);
        let length = 2 + self.random.below(3);
        let elements: Vec<String> = (0..length).map(|_| self.constant(-128, 127, 1).0).collect();
        let index = self.index(length, &Footprint::default());
        let text = format!("({}[]){{{}}}[{}]", self.spell(ty), elements.join(", "), index.text);
        CExpression::with(text, precedence::POSTFIX, ty.is_wide(), index.footprint)
    }

    /// A member of a structure that is no object: the result of a call, or of a conditional.
    fn member_of_value(&mut self) -> Option<CExpression> {
        if self.types.structures.is_empty() {
            return None;
        }
        let index = self.random.below(self.types.structures.len());
        let value = self.structure_value(index)?;
        let member = self.types.structures[index]
            .members
            .iter()
            .find(|member| member.bits.is_none() && matches!(member.ty, Type::Integer(_)))?
            .clone();
        self.note("member of a structure value");
        let wide = matches!(member.ty, Type::Integer(integer) if integer.is_wide());
        let text = format!("{}.{}", value.operand(precedence::POSTFIX), member.name);
        Some(CExpression::with(text, precedence::POSTFIX, wide, value.footprint))
    }

    fn input(&mut self) -> Option<CExpression> {
        if !self.takes_input || !self.effects || self.pure_only {
            return None;
        }
        let ty = *self.random.pick(&IntegerType::ALL);
        let suffix = ty.input_suffix()?;
        if !self.inputs_used.contains(&ty) {
            self.inputs_used.push(ty);
        }
        self.note("input");
        // The position in the list of inputs is a hidden global that every input function advances.
        let footprint = Footprint::update(super::scope::MemoryPart::MEMORY);
        let mut call =
            CExpression::with(format!("__VERIFIER_nondet_{suffix}()"), precedence::POSTFIX, ty.is_wide(), footprint);
        call.is_call = true;
        Some(call)
    }
}

/// A bit-field in a place where compilers disagree about its type, promoted first.
pub(super) fn promoted(expression: CExpression) -> CExpression {
    if !expression.bit_field {
        return expression;
    }
    let text = format!("+{}", expression.operand(precedence::POSTFIX));
    CExpression { text, precedence: precedence::UNARY, bit_field: false, ..expression }
}

/// An assignment used as a value: of a bit-field only after a conversion, for compilers disagree about its type.
fn settled(expression: CExpression) -> CExpression {
    if !expression.bit_field {
        return expression;
    }
    let target = if expression.wide { "unsigned long long" } else { "int" };
    let text = format!("({target}){}", expression.operand(precedence::UNARY));
    CExpression { text, precedence: precedence::UNARY, bit_field: false, ..expression }
}
