//! Calls: by name and through pointers to functions. The arguments have footprints that do not conflict, and a call is
//! written only where the run can afford what it costs.

use super::Generator;
use super::functions::{CFunction, RECURSION_DEPTH};
use super::lvalues::Purpose;
use super::scope::{CExpression, Footprint, MemoryPart, precedence};
use super::types::{Type, Want};

impl Generator {
    /// A call whose result has precisely the type given.
    pub(super) fn call_for(&mut self, result: &Type) -> Option<CExpression> {
        self.call_where(|function| function.result.as_ref() == Some(result))
    }

    pub(super) fn call_for_integer(&mut self) -> Option<CExpression> {
        self.call_where(|function| matches!(function.result, Some(Type::Integer(_))))
    }

    /// The integer behind a pointer that a call returns.
    pub(super) fn call_for_pointed(&mut self) -> Option<CExpression> {
        let call = self.call_where(
            |function| matches!(&function.result, Some(Type::Pointer(target)) if matches!(**target, Type::Integer(_))),
        )?;
        self.note("returned pointer dereferenced");
        let footprint = call.footprint.joined(&Footprint::read(MemoryPart::MEMORY));
        Some(CExpression::with(format!("*{}", call.text), precedence::UNARY, false, footprint))
    }

    /// A call for its side effects alone, whatever it returns.
    pub(super) fn call_for_effect(&mut self) -> Option<CExpression> {
        self.call_where(|_| true)
    }

    /// The number of statements that one call of the current function may still execute.
    fn affordable(&self, cost: u64) -> bool {
        let in_main = self.functions.len() == self.limits.functions + self.table.len();
        let limit = if in_main { self.limits.cost } else { self.limits.cost / 12 };
        self.cost + self.multiplier * cost <= limit
    }

    fn call_where(&mut self, wanted: impl Fn(&CFunction) -> bool) -> Option<CExpression> {
        if self.inside > 1 {
            return None;
        }
        let suitable: Vec<usize> = (0..self.functions.len())
            .filter(|index| {
                let function = &self.functions[*index];
                wanted(function)
                    && self.affordable(function.cost)
                    && (function.pure || (self.effects && !self.pure_only))
            })
            .collect();
        if suitable.is_empty() {
            return None;
        }
        let function = self.functions[*self.random.pick(&suitable)].clone();
        self.inside += 1;
        let arguments = self.arguments(&function);
        self.inside -= 1;
        let (texts, mut footprint) = arguments?;
        let pure_arguments = footprint.is_pure();
        self.note(if function.pure { "call of a pure function" } else { "call" });
        if function.recursive {
            self.note("call of a recursive function");
        }
        self.cost += self.multiplier * function.cost;
        if !function.pure {
            footprint.join(&Footprint::update(MemoryPart::MEMORY));
        }
        let text = format!("{}({})", function.name, texts.join(", "));
        let wide = matches!(function.result, Some(Type::Integer(integer)) if integer.is_wide());
        let mut call = CExpression::with(text, precedence::POSTFIX, wide, footprint);
        call.is_call = pure_arguments;
        Some(call)
    }

    fn arguments(&mut self, function: &CFunction) -> Option<(Vec<String>, Footprint)> {
        let mut footprint = Footprint::default();
        let mut texts = Vec::new();
        for (index, ty) in function.parameters.iter().enumerate() {
            let mut argument = self.argument(ty)?;
            if footprint.conflicts(&argument.footprint) {
                argument = match ty {
                    Type::Integer(_) => self.literal(),
                    _ => return None,
                };
            }
            if function.recursive && index == 0 {
                let text = format!("{} & {}", argument.operand(precedence::BIT_AND), RECURSION_DEPTH - 1);
                argument = CExpression::with(text, precedence::BIT_AND, false, argument.footprint);
            }
            footprint.join(&argument.footprint);
            texts.push(argument.operand(precedence::ASSIGNMENT));
        }
        Some((texts, footprint))
    }

    fn argument(&mut self, ty: &Type) -> Option<CExpression> {
        match ty {
            Type::Structure(index) => {
                self.note("structure passed by value");
                self.structure_value(*index)
            }
            Type::Pointer(target) => self.address(target, u32::MAX),
            Type::Slice(element, length) => {
                self.note("array passed");
                let array = Want::Exactly(Type::Array(element.clone(), *length));
                let found = self.designate(&array, Purpose::address(u32::MAX))?;
                Some(CExpression::with(found.text, found.precedence, false, found.address))
            }
            _ => {
                let depth = self.random.below(3) as u32;
                Some(self.integer(depth))
            }
        }
    }

    /// A call through a pointer to a function.
    pub(super) fn table_call(&mut self) -> Option<CExpression> {
        let table_cost =
            self.functions.iter().take(self.table.len()).map(|function| function.cost).max().unwrap_or(u64::MAX);
        if self.inside > 1
            || !self.effects
            || self.pure_only
            || self.functions.len() < self.table.len()
            || !self.affordable(table_cost)
        {
            return None;
        }
        let pointer = self.with_effects(false, |this| this.designate(&Want::Function, Purpose::READ))?;
        self.inside += 1;
        let first = self.integer(1);
        let second = self.with_effects(false, |this| this.integer(1));
        self.inside -= 1;
        let designator = Footprint::read(pointer.place).joined(&pointer.address);
        if first.footprint.conflicts(&second.footprint)
            || designator.conflicts(&first.footprint)
            || designator.conflicts(&second.footprint)
        {
            return None;
        }
        self.note("call through a function pointer");
        self.cost += self.multiplier * table_cost;
        let base = if self.random.chance(50) {
            format!("(*{})", pointer.operand())
        } else if pointer.precedence >= precedence::POSTFIX {
            pointer.text.clone()
        } else {
            format!("({})", pointer.text)
        };
        let arguments =
            format!("{}, {}", first.operand(precedence::ASSIGNMENT), second.operand(precedence::ASSIGNMENT));
        let footprint = designator.joined(&first.footprint).joined(&second.footprint);
        let pure_arguments = footprint.is_pure();
        let footprint = footprint.joined(&Footprint::update(MemoryPart::MEMORY));
        let mut call = CExpression::with(format!("{base}({arguments})"), precedence::POSTFIX, false, footprint);
        call.is_call = pure_arguments;
        Some(call)
    }
}
