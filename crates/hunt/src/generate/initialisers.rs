//! Initialisers: complete, partial (the rest is zero), designated, by string literal, by another value (C11 6.7.9). The
//! expressions of a list are evaluated in no particular order, so their footprints must not conflict.

use super::Generator;
use super::scope::{CExpression, Footprint, precedence};
use super::types::{IntegerType, Type};

/// Where the initialised object lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ObjectStorage {
    /// Initialised before the program starts, by constant expressions.
    Static,
    /// Initialised when its declaration is reached; the number is the depth of its scope.
    Automatic(u32),
}

impl Generator {
    /// An initialiser for the type; pointers get one where the scope has a fitting object.
    pub(super) fn initialiser(&mut self, ty: &Type, storage: ObjectStorage) -> Option<CExpression> {
        let closed = |text: String| Some(CExpression::closed(text, precedence::ASSIGNMENT, false));
        match ty {
            Type::Integer(_) | Type::Enumeration(_) => match storage {
                ObjectStorage::Static if self.random.chance(30) => {
                    let literal = self.literal();
                    closed(literal.text)
                }
                ObjectStorage::Static => {
                    let depth = self.random.below(3) as u32;
                    let text = self.constant(-30_000, 30_000, depth).0;
                    closed(text)
                }
                ObjectStorage::Automatic(_) => {
                    let depth = self.random.below(3) as u32;
                    let value = self.integer(depth);
                    Some(CExpression { text: value.operand(precedence::ASSIGNMENT), ..value })
                }
            },
            Type::Float | Type::Double => match storage {
                ObjectStorage::Static => Some(self.floating_literal()),
                ObjectStorage::Automatic(_) => Some(self.floating(2)),
            },
            Type::Array(element, length) => self.array_initialiser(element, *length, storage),
            Type::Structure(index) => {
                if storage != ObjectStorage::Static
                    && self.random.chance(25)
                    && let Some(value) = self.structure_value(*index)
                {
                    self.note("initialised by a structure");
                    return Some(value);
                }
                self.structure_initialiser(ty, storage)
            }
            Type::Union(_) => self.union_initialiser(ty, storage),
            Type::Pointer(target) => match storage {
                ObjectStorage::Static => self.constant_address(target),
                ObjectStorage::Automatic(lifetime) => self.address(target, lifetime),
            },
            Type::Nullable(target) => {
                if self.random.chance(50) {
                    let address = match storage {
                        ObjectStorage::Static => self.constant_address(target),
                        // A pointer inside a structure may be copied anywhere, so it only holds what always lives.
                        ObjectStorage::Automatic(_) => self.address(target, 0),
                    };
                    if address.is_some() {
                        return address;
                    }
                }
                self.note("null pointer");
                closed("0".to_string())
            }
            Type::Function => {
                let name = self.random.pick(&self.table).clone();
                let text = if self.random.chance(50) { format!("&{name}") } else { name };
                Some(CExpression::closed(text, precedence::UNARY, false))
            }
            Type::Slice(..) => None,
        }
    }

    fn array_initialiser(&mut self, element: &Type, length: usize, storage: ObjectStorage) -> Option<CExpression> {
        let is_character =
            matches!(element, Type::Integer(IntegerType::Char | IntegerType::SignedChar | IntegerType::UnsignedChar));
        if is_character && self.random.chance(40) {
            let (text, written) = self.string_literal();
            if written <= length {
                self.note("array initialised by a string");
                return Some(CExpression::closed(text, precedence::ASSIGNMENT, false));
            }
        }
        let mut parts = Vec::new();
        let mut footprint = Footprint::default();
        // A pointer that is never null must not be left out.
        let complete = matches!(element, Type::Pointer(_));
        if !complete && self.random.chance(25) {
            self.note("designated initialiser");
            for _ in 0..1 + self.random.below(2) {
                // A position that is designated twice would leave open whether the first initialiser is evaluated.
                let index = length - 1 - self.random.below(length);
                let prefix = format!("[{index}] = ");
                if !parts.iter().any(|part: &String| part.starts_with(&prefix)) {
                    let value = self.part(element, storage, &mut footprint)?;
                    parts.push(format!("{prefix}{value}"));
                }
            }
        } else {
            let count = if !complete && self.random.chance(30) { 1 + self.random.below(length) } else { length };
            if count < length {
                self.note("partial initialiser");
            }
            for _ in 0..count {
                parts.push(self.part(element, storage, &mut footprint)?);
            }
        }
        Some(CExpression::with(format!("{{{}}}", parts.join(", ")), precedence::ASSIGNMENT, false, footprint))
    }

    fn structure_initialiser(&mut self, ty: &Type, storage: ObjectStorage) -> Option<CExpression> {
        let mut members = self.types.members(ty).to_vec();
        let mut footprint = Footprint::default();
        let mut parts = Vec::new();
        let designated = self.random.chance(35);
        if self.random.chance(30) {
            self.note("partial initialiser");
            members.truncate(1 + self.random.below(members.len()));
        }
        if designated {
            self.note("designated initialiser");
            if self.random.chance(50) {
                members.reverse();
            }
        }
        for member in members {
            let value = self.part(&member.ty, storage, &mut footprint)?;
            parts.push(if designated { format!(".{} = {value}", member.name) } else { value });
        }
        Some(CExpression::with(format!("{{{}}}", parts.join(", ")), precedence::ASSIGNMENT, false, footprint))
    }

    fn union_initialiser(&mut self, ty: &Type, storage: ObjectStorage) -> Option<CExpression> {
        let members = self.types.members(ty).to_vec();
        let mut footprint = Footprint::default();
        let designated = members[1].name.clone();
        let (name, ty) =
            if self.random.chance(40) { (Some(designated), &members[1].ty) } else { (None, &members[0].ty) };
        let value = self.part(ty, storage, &mut footprint)?;
        let text = match name {
            Some(name) => format!("{{.{name} = {value}}}"),
            None => format!("{{{value}}}"),
        };
        Some(CExpression::with(text, precedence::ASSIGNMENT, false, footprint))
    }

    /// One initialiser of a list, which does not conflict with those before it.
    fn part(&mut self, ty: &Type, storage: ObjectStorage, before: &mut Footprint) -> Option<String> {
        let mut part = self.initialiser(ty, storage)?;
        if before.conflicts(&part.footprint) {
            part = self.initialiser(ty, ObjectStorage::Static)?;
        }
        before.join(&part.footprint);
        Some(part.text)
    }

    /// A value of structure type: an object, a call, a conditional or a compound literal.
    pub(super) fn structure_value(&mut self, index: usize) -> Option<CExpression> {
        use super::lvalues::Purpose;
        use super::types::Want;
        let ty = Type::Structure(index);
        match self.random.below(8) {
            0 | 1 => {
                if let Some(call) = self.call_for(&ty) {
                    self.note("structure returned by a call");
                    return Some(call);
                }
            }
            2 if self.inside < 2 => {
                self.note("compound literal");
                self.inside += 1;
                let storage = ObjectStorage::Automatic(self.scope_depth);
                let list = self.with_effects(false, |this| this.structure_initialiser(&ty, storage));
                self.inside -= 1;
                let list = list?;
                let tag = self.types.structures[index].tag.clone();
                let text = format!("(struct {tag}){}", list.text);
                return Some(CExpression::with(text, precedence::POSTFIX, false, list.footprint));
            }
            3 if self.inside < 2 => {
                self.inside += 1;
                let condition = self.integer(1);
                let yes = self.designate(&Want::Exactly(ty.clone()), Purpose::READ);
                let no = self.designate(&Want::Exactly(ty.clone()), Purpose::READ);
                self.inside -= 1;
                let (yes, no) = (yes?.value(), no?.value());
                self.note("conditional of structures");
                let text = format!("{} ? {} : {}", condition.operand(precedence::LOGICAL_OR), yes.text, no.text);
                let footprint = condition.footprint.joined(&yes.footprint).joined(&no.footprint);
                return Some(CExpression::with(text, precedence::CONDITIONAL, false, footprint));
            }
            _ => {}
        }
        Some(self.designate(&Want::Exactly(ty), Purpose::READ)?.value())
    }
}
