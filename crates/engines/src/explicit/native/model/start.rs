//! The values at the start, as the interpreter finds them.

use foundation::Id;
use program::semantics::interpreter::Interpreter;
use program::semantics::memory::Extent;
use program::semantics::{ObjectId, SeededChoices, Semantics, Value};
use program::{Scalar, TypeId, VariableId, VariableKind};

use super::{NativeModel, NotNative, Slot, pattern};

impl NativeModel {
    /// The values at the start, as the interpreter finds them.
    pub(super) fn find_initial(&mut self, semantics: Semantics) -> Result<(), NotNative> {
        let program = &self.prepared.program;
        let mut choices = SeededChoices::new(0);
        let mut interpreter = Interpreter::new(program, semantics, &mut choices);
        let started = program.entry.map(|entry| interpreter.start(entry));
        if !matches!(started, Some(Ok(()))) {
            return Err(NotNative::new("a program that cannot be started", None));
        }
        let peek = |variable: VariableId, offset_bits: u64, ty: TypeId| {
            let scalar = program.types.as_scalar(ty)?;
            let width_bits = program.types.size_bits(ty);
            let extent = Extent { object: ObjectId::Global(variable), offset_bits, width_bits };
            match interpreter.state.memory.peek(extent, scalar)? {
                Value::Int(value) => pattern(&value),
                Value::Bool(value) => Some(i64::from(value)),
                _ => None,
            }
        };
        let mut initial = vec![0; self.slots.len()];
        for (id, slot) in self.slots.iter() {
            let (Slot::Scalar { variable, .. } | Slot::Object { variable, .. }) = slot;
            let data = &program.variables[*variable];
            let is_global = matches!(data.kind, VariableKind::Global { .. } | VariableKind::Literal { .. });
            if !is_global {
                if self.facts.may_be_read_uninitialised(*variable) {
                    return Err(NotNative::new(
                        format!("`{}`, which may be read before it is set", data.name),
                        Some(data.span),
                    ));
                }
                continue;
            }
            let unknown =
                || NotNative::new(format!("`{}`, whose value at the start is not known", data.name), Some(data.span));
            match slot {
                Slot::Scalar { .. } => {
                    initial[id.index()] = peek(*variable, 0, data.ty).ok_or_else(unknown)?;
                }
                Slot::Object { bytes, offset, .. } => {
                    for byte in 0..*bytes {
                        let extent =
                            Extent { object: ObjectId::Global(*variable), offset_bits: byte * 8, width_bits: 8 };
                        let ty = Scalar::Int(program::IntType::unsigned(8));
                        let Some(Value::Int(value)) = interpreter.state.memory.peek(extent, ty) else {
                            return Err(unknown());
                        };
                        self.initial_memory[(offset + byte) as usize] = pattern(&value).ok_or_else(unknown)? as u8;
                    }
                }
            }
        }
        self.initial = initial;
        Ok(())
    }
}
