//! Designators: how a program gets from a variable in scope, through members, indices and pointers, to an object of a
//! wanted kind. Indices always fall into their arrays, and the address of an object is only ever given to a pointer that
//! ends no later than the object does.

use super::Generator;
use super::scope::{CExpression, Footprint, MemoryPart, precedence};
use super::types::{IntegerType, Type, Want};

/// A designated object.
#[derive(Clone, Debug)]
pub(super) struct Lvalue {
    pub(super) text: String,
    pub(super) precedence: u8,
    pub(super) ty: Type,
    pub(super) bits: Option<u32>,
    pub(super) place: MemoryPart,
    /// What is read and written to find the object, without the access to the object itself.
    pub(super) address: Footprint,
    /// Only what lives at least as long as a scope of this depth may be pointed to by the object.
    pub(super) lifetime: u32,
}

impl Lvalue {
    /// The value of the object.
    pub(super) fn value(self) -> CExpression {
        let footprint = Footprint::read(self.place).joined(&self.address);
        let wide = self.is_wide();
        if self.is_wide_bit_field() {
            return CExpression::with(
                format!("(unsigned long long){}", self.operand()),
                precedence::UNARY,
                true,
                footprint,
            );
        }
        let mut expression = CExpression::with(self.text, self.precedence, wide, footprint);
        expression.bit_field = self.bits.is_some();
        expression
    }

    pub(super) fn operand(&self) -> String {
        if self.precedence >= precedence::UNARY { self.text.clone() } else { format!("({})", self.text) }
    }

    pub(super) fn is_wide(&self) -> bool {
        matches!(self.ty, Type::Integer(integer) if integer.is_wide())
    }

    /// Compilers disagree about the type of a bit-field wider than `int`, so it is converted wherever it is read.
    pub(super) fn is_wide_bit_field(&self) -> bool {
        self.bits.is_some() && self.is_wide()
    }
}

/// What a designator is for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Purpose {
    /// The object will be written.
    writable: bool,
    /// Its address will be taken.
    addressed: bool,
    /// Its life must not end before that of a scope of this depth.
    lifetime: u32,
    /// The address must be a constant expression.
    constant: bool,
}

impl Purpose {
    pub(super) const READ: Purpose = Purpose { writable: false, addressed: false, lifetime: u32::MAX, constant: false };
    pub(super) const WRITE: Purpose = Purpose { writable: true, ..Purpose::READ };

    /// The address will be kept in a pointer that lives in a scope of the depth given.
    pub(super) fn address(lifetime: u32) -> Purpose {
        Purpose { writable: true, addressed: true, lifetime, constant: false }
    }

    /// The address will initialise a static object.
    pub(super) fn constant_address() -> Purpose {
        Purpose { constant: true, ..Purpose::address(0) }
    }

    /// The pointer found will be copied into another that lives in a scope of the depth given.
    pub(super) fn copied_pointer(lifetime: u32) -> Purpose {
        Purpose { lifetime, ..Purpose::READ }
    }
}

impl Generator {
    /// A random designator of something wanted, where the scope offers one.
    pub(super) fn designate(&mut self, want: &Want, purpose: Purpose) -> Option<Lvalue> {
        let candidates: Vec<usize> =
            (0..self.variables.len()).filter(|index| self.is_candidate(*index, want, purpose)).collect();
        if candidates.is_empty() {
            return None;
        }
        for _ in 0..3 {
            // Locals are few and globals many: half of the choices are made among the innermost variables.
            let skipped = if self.random.chance(50) { candidates.len() / 2 } else { 0 };
            let variable = self.variables[*self.random.pick(&candidates[skipped..])].clone();
            let start = Lvalue {
                text: variable.name,
                precedence: precedence::PRIMARY,
                ty: variable.ty,
                bits: None,
                place: variable.place,
                address: Footprint::default(),
                lifetime: variable.lifetime,
            };
            let found = self.walk(start, want, purpose);
            if !(purpose.addressed && found.bits.is_some()) {
                return Some(found);
            }
        }
        None
    }

    fn is_candidate(&self, index: usize, want: &Want, purpose: Purpose) -> bool {
        let variable = &self.variables[index];
        let is_pointer = matches!(variable.ty, Type::Pointer(_) | Type::Slice(..));
        let leads_there = if purpose.constant {
            self.types.holds(&variable.ty, want)
        } else {
            self.types.leads_to(&variable.ty, want)
        };
        let target_is_elsewhere = is_pointer && !self.types.satisfies(&variable.ty, want);
        leads_there
            && (!purpose.writable || variable.writable || target_is_elsewhere)
            && (!purpose.addressed || variable.addressable)
            && (purpose.lifetime >= variable.lifetime)
            && !(self.pure_only && (variable.lifetime == 0 || is_pointer))
            && !self.hidden.contains(&variable.name)
            && !self.variables[index + 1..].iter().any(|later| later.name == variable.name)
    }

    fn walk(&mut self, mut at: Lvalue, want: &Want, purpose: Purpose) -> Lvalue {
        while !self.types.satisfies(&at.ty, want) {
            at = match at.ty.clone() {
                Type::Array(element, length) => self.element(at, *element, length, purpose.constant),
                Type::Slice(element, length) => {
                    at.address.join(&Footprint::read(at.place));
                    at.place = MemoryPart::MEMORY;
                    at.lifetime = 0;
                    self.element(at, *element, length, purpose.constant)
                }
                Type::Pointer(target) => self.target(at, *target, want),
                Type::Structure(_) | Type::Union(_) => {
                    let base =
                        if at.precedence >= precedence::POSTFIX { at.text.clone() } else { format!("({})", at.text) };
                    self.member(at, &format!("{base}."), want, purpose)
                }
                other => unreachable!("{other:?} leads to nothing"),
            };
        }
        at
    }

    fn member(&mut self, at: Lvalue, prefix: &str, want: &Want, purpose: Purpose) -> Lvalue {
        let suitable: Vec<_> = self
            .types
            .members(&at.ty)
            .iter()
            .filter(|member| {
                if purpose.constant {
                    self.types.holds(&member.ty, want)
                } else {
                    self.types.leads_to(&member.ty, want)
                }
            })
            .cloned()
            .collect();
        let member = self.random.pick(&suitable).clone();
        if matches!(at.ty, Type::Union(_)) {
            self.note("union member");
        } else if member.bits.is_some() {
            self.note("bit-field access");
        } else {
            self.note("structure member");
        }
        let text = format!("{prefix}{}", member.name);
        Lvalue { text, precedence: precedence::POSTFIX, ty: member.ty, bits: member.bits, ..at }
    }

    fn target(&mut self, mut at: Lvalue, target: Type, want: &Want) -> Lvalue {
        self.note("pointer dereferenced");
        at.address.join(&Footprint::read(at.place));
        at.place = MemoryPart::MEMORY;
        at.lifetime = 0;
        let is_aggregate = matches!(target, Type::Structure(_) | Type::Union(_));
        let pointer = if at.precedence >= precedence::POSTFIX { at.text.clone() } else { format!("({})", at.text) };
        if is_aggregate && !self.types.satisfies(&target, want) && self.random.chance(80) {
            self.note("operator ->");
            let object = Lvalue { ty: target, ..at };
            return self.member(object, &format!("{pointer}->"), want, Purpose::READ);
        }
        if self.random.chance(20) {
            return Lvalue { text: format!("{pointer}[0]"), precedence: precedence::POSTFIX, ty: target, ..at };
        }
        Lvalue { text: format!("*{}", at.operand()), precedence: precedence::UNARY, ty: target, ..at }
    }

    fn element(&mut self, mut at: Lvalue, element: Type, length: usize, constant: bool) -> Lvalue {
        self.note("array element");
        let base = if at.precedence >= precedence::POSTFIX { at.text.clone() } else { format!("({})", at.text) };
        if constant {
            let index = self.random.below(length);
            return Lvalue { text: format!("{base}[{index}]"), precedence: precedence::POSTFIX, ty: element, ..at };
        }
        let index = self.index(length, &at.address);
        at.address.join(&index.footprint);
        let (text, precedence) = match self.random.below(20) {
            0 => {
                self.note("pointer arithmetic");
                (format!("*({base} + {})", index.operand(precedence::PRODUCT)), precedence::UNARY)
            }
            1 if index.precedence >= precedence::PRIMARY => (format!("{}[{base}]", index.text), precedence::POSTFIX),
            _ => (format!("{base}[{}]", index.text), precedence::POSTFIX),
        };
        Lvalue { text, precedence, ty: element, ..at }
    }

    /// An index below the length, whose evaluation does not conflict with what stands beside it.
    pub(super) fn index(&mut self, length: usize, beside: &Footprint) -> CExpression {
        if self.inside < 2 && self.random.chance(60) {
            self.inside += 1;
            let effects = self.effects && self.random.chance(20);
            let inner = self.with_effects(effects, |this| this.integer(1));
            self.inside -= 1;
            if !inner.footprint.conflicts(beside) {
                self.note("index computed");
                let text = if length.is_power_of_two() {
                    format!("{} & {}", inner.operand(precedence::BIT_AND), length - 1)
                } else {
                    format!("(unsigned){} % {length}", inner.operand(precedence::UNARY))
                };
                let precedence = if length.is_power_of_two() { precedence::BIT_AND } else { precedence::PRODUCT };
                return CExpression::with(text, precedence, false, inner.footprint);
            }
        }
        CExpression::closed(self.random.below(length).to_string(), precedence::PRIMARY, false)
    }

    /// A pointer to an object of the type that lives at least as long as a scope of the depth given.
    pub(super) fn address(&mut self, target: &Type, lifetime: u32) -> Option<CExpression> {
        if self.random.chance(25)
            && let Some(pointer) =
                self.designate(&Want::Exactly(Type::pointer(target.clone())), Purpose::copied_pointer(lifetime))
        {
            self.note("pointer copied");
            return Some(pointer.value());
        }
        if self.random.chance(15)
            && let Some(call) = self.call_for(&Type::pointer(target.clone()))
        {
            self.note("pointer returned by a call");
            return Some(call);
        }
        if lifetime >= self.scope_depth
            && self.scope_depth > 0
            && self.random.chance(12)
            && let Type::Integer(integer) = target
        {
            self.note("compound literal");
            let spelling = self.spell(*integer);
            let value = self.constant(-100, 100, 1).0;
            return Some(CExpression::closed(format!("&({spelling}){{{value}}}"), precedence::UNARY, false));
        }
        let object = self.designate(&Want::Exactly(target.clone()), Purpose::address(lifetime))?;
        Some(self.address_of(object))
    }

    pub(super) fn address_of(&mut self, object: Lvalue) -> CExpression {
        self.note("address taken");
        CExpression::with(format!("&{}", object.operand()), precedence::UNARY, false, object.address)
    }

    /// A pointer constant that may initialise a static object.
    pub(super) fn constant_address(&mut self, target: &Type) -> Option<CExpression> {
        let object = self.designate(&Want::Exactly(target.clone()), Purpose::constant_address())?;
        Some(self.address_of(object))
    }

    /// One of the spellings of an integer type.
    pub(super) fn spell(&mut self, ty: IntegerType) -> &'static str {
        self.random.pick::<&'static str>(ty.spellings())
    }
}
