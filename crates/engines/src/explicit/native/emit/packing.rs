//! The state that a function begins with is unpacked, and the one that it ends with is packed.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use foundation::Id;

use super::super::expression::Term;
use super::super::layout::{SlotPosition, StateField};
use super::super::model::Slot;
use super::letters::ShownWord;
use super::{Emitter, MEMORY, status};

impl Emitter<'_, '_> {
    /// Loads what is live at a point and not known.
    pub(super) fn unpack(&mut self, state: Value, point: u32) {
        if point == 0 {
            // Everything is known at the start, and the memory is as it should be.
            return;
        }
        let (model, layout) = (self.model, self.layout);
        let location = model.points[point as usize].location;
        for (slot, data) in model.slots.iter() {
            if self.spot.known[slot.index()].is_some() || !model.is_live(location, slot) {
                continue;
            }
            match (layout.slots[slot.index()], data) {
                (SlotPosition::Field(field), _) => {
                    let value = self.load_field(state, field);
                    self.set(slot, Term::Code(value));
                }
                (SlotPosition::Words(first, length), Slot::Object { offset, .. }) => {
                    let memory = self.memory();
                    for word in 0..length {
                        let at = (first + word) as i32 * 8;
                        let value = self.builder.ins().load(types::I64, MEMORY, state, at);
                        let to = *offset as i32 + word as i32 * 8;
                        self.builder.ins().store(MEMORY, value, memory, to);
                    }
                }
                _ => {}
            }
        }
        if let Some(field) = layout.last_letter {
            let last = self.load_field(state, field);
            self.builder.def_var(self.last, last);
            let none = self.builder.ins().iconst(types::I64, 0);
            self.builder.def_var(self.count, none);
            self.spot.word = ShownWord::Written;
        }
    }

    fn load_field(&mut self, state: Value, field: StateField) -> Value {
        let word = self.builder.ins().load(types::I64, MEMORY, state, field.word as i32 * 8);
        let shifted = if field.shift == 0 { word } else { self.builder.ins().ushr_imm_u(word, i64::from(field.shift)) };
        let bits = if field.bits + field.shift == 64 {
            shifted
        } else {
            self.builder.ins().band_imm_s(shifted, ((1_u64 << field.bits) - 1) as i64)
        };
        if field.least == 0 { bits } else { self.builder.ins().iadd_imm_s(bits, field.least) }
    }

    /// Control has come to a point: packs the state and returns.
    pub(super) fn arrive(&mut self, point: u32) {
        let (model, layout) = (self.model, self.layout);
        let location = self.spot.location;
        let mut known = vec![0_u64; layout.words];
        let mut code: Vec<Option<Value>> = vec![None; layout.words];
        known[layout.point.word] |= u64::from(point) << layout.point.shift;
        let mut fields: Vec<(StateField, Term)> = Vec::new();
        for (slot, data) in model.slots.iter() {
            if !model.is_live(location, slot) {
                continue;
            }
            match (layout.slots[slot.index()], data) {
                (SlotPosition::Field(field), _) => {
                    let value = self.scalar(slot);
                    fields.push((field, value));
                }
                (SlotPosition::Words(first, length), Slot::Object { offset, .. }) => {
                    let memory = self.memory();
                    for word in 0..length {
                        let at = *offset as i32 + word as i32 * 8;
                        code[first + word] = Some(self.builder.ins().load(types::I64, MEMORY, memory, at));
                    }
                }
                _ => {}
            }
        }
        if let Some(field) = layout.last_letter {
            let last = match &self.spot.word {
                ShownWord::Known(letters) => Term::Known(letters.last().copied().unwrap_or(0) as i64),
                ShownWord::Written => Term::Code(self.builder.use_var(self.last)),
            };
            fields.push((field, last));
        }
        for (field, value) in fields {
            match value {
                Term::Known(value) => {
                    if value.wrapping_sub(field.least) as u64 > field.most.wrapping_sub(field.least) as u64 {
                        return self.finish(status::OUT_OF_RANGE);
                    }
                    known[field.word] |= (value.wrapping_sub(field.least) as u64) << field.shift;
                }
                Term::Code(value) => {
                    let packed = self.pack(field, value);
                    let word = &mut code[field.word];
                    *word = Some(word.map_or(packed, |word| self.builder.ins().bor(word, packed)));
                }
            }
        }
        let output = self.builder.use_var(self.output);
        for (index, (known, code)) in known.into_iter().zip(code).enumerate() {
            let word = match code {
                None => self.builder.ins().iconst(types::I64, known as i64),
                Some(code) if known == 0 => code,
                Some(code) => self.builder.ins().bor_imm_s(code, known as i64),
            };
            self.builder.ins().store(MEMORY, word, output, index as i32 * 8);
        }
        if self.model.stutter_invariant && layout.last_letter.is_some() {
            self.show_something();
        }
        self.finish_word(status::NEXT);
    }

    /// A value in its field; leaves where it does not fit.
    fn pack(&mut self, field: StateField, value: Value) -> Value {
        let from_zero =
            if field.least == 0 { value } else { self.builder.ins().iadd_imm_s(value, field.least.wrapping_neg()) };
        let extent = field.most.wrapping_sub(field.least) as u64;
        if extent != u64::MAX {
            let most = self.builder.ins().iconst(types::I64, extent as i64);
            let fits = self.builder.ins().icmp(IntCC::UnsignedLessThanOrEqual, from_zero, most);
            let (fine, wrong) = (self.builder.create_block(), self.builder.create_block());
            self.builder.set_cold_block(wrong);
            self.builder.ins().brif(fits, fine, &[], wrong, &[]);
            self.builder.switch_to_block(wrong);
            self.finish(status::OUT_OF_RANGE);
            self.builder.switch_to_block(fine);
        }
        if field.shift == 0 { from_zero } else { self.builder.ins().ishl_imm_u(from_zero, i64::from(field.shift)) }
    }
}
