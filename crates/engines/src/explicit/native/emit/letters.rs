//! The letters that a function shows on its way. As long as all are known while compiling, they are a word with a
//! number, and nothing is written; from the first unknown letter on, they are written to the output.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use foundation::collections::HashMap;
use program::EdgeId;
use task::LetterBits;

use super::super::expression::Term;
use super::super::model::{AtomTruth, Moment};
use super::{Emitter, MEMORY};

/// Known words, by number.
#[derive(Clone, Debug, Default)]
pub struct Words {
    /// The letters of each.
    pub letters: Vec<Vec<LetterBits>>,
    numbers: HashMap<Vec<LetterBits>, u32>,
}

impl Words {
    fn number(&mut self, word: &[LetterBits]) -> u32 {
        if let Some(&known) = self.numbers.get(word) {
            return known;
        }
        let number = self.letters.len() as u32;
        self.letters.push(word.to_vec());
        self.numbers.insert(word.to_vec(), number);
        number
    }
}

/// The letters shown so far.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum ShownWord {
    Known(Vec<LetterBits>),
    /// They are in the output; how many, and the last one, is in variables.
    Written,
}

impl Emitter<'_, '_> {
    /// Shows the letter of the state.
    pub(super) fn show(&mut self, edge: Option<EdgeId>, moment: Moment) {
        let truths = self.model.letter_at(edge, moment);
        let next = self.truths.len() as u32;
        let number = *self.truths.entry(truths.clone()).or_insert(next);
        if self.model.stutter_invariant && self.spot.shown == Some(number) {
            return;
        }
        self.spot.shown = Some(number);
        let mut known: LetterBits = 0;
        let mut code: Option<Value> = None;
        for (bit, truth) in truths.into_iter().enumerate() {
            let term = match truth {
                AtomTruth::Constant(value) => Term::Known(i64::from(value)),
                AtomTruth::Expr(expr) => self.value(expr),
            };
            match term {
                Term::Known(value) => known |= (value as LetterBits) << bit,
                Term::Code(value) => {
                    let placed = self.builder.ins().ishl_imm_u(value, bit as i64);
                    code = Some(code.map_or(placed, |code| self.builder.ins().bor(code, placed)));
                }
            }
        }
        match (&mut self.spot.word, code) {
            (ShownWord::Known(letters), None) => {
                if !self.model.stutter_invariant || letters.last() != Some(&known) {
                    letters.push(known);
                }
            }
            (_, code) => {
                let letter = match code {
                    None => self.builder.ins().iconst(types::I64, known as i64),
                    Some(code) if known == 0 => code,
                    Some(code) => self.builder.ins().bor_imm_s(code, known as i64),
                };
                self.write_out(letter);
                self.write_letter(letter);
            }
        }
    }

    /// Writes the letters that are known so far to the output, because the next one is not.
    fn write_out(&mut self, next: Value) {
        let ShownWord::Known(letters) = std::mem::replace(&mut self.spot.word, ShownWord::Written) else { return };
        let output = self.builder.use_var(self.output);
        for (index, letter) in letters.iter().enumerate() {
            let value = self.builder.ins().iconst(types::I64, *letter as i64);
            let at = (self.frame.letters + 2 + index) as i32 * 8;
            self.builder.ins().store(MEMORY, value, output, at);
        }
        let count = self.builder.ins().iconst(types::I64, letters.len() as i64);
        self.builder.def_var(self.count, count);
        let last = match letters.last() {
            Some(last) => self.builder.ins().iconst(types::I64, *last as i64),
            // Different from the next one, which must be shown.
            None => self.builder.ins().bnot(next),
        };
        self.builder.def_var(self.last, last);
    }

    fn write_letter(&mut self, letter: Value) {
        let output = self.builder.use_var(self.output);
        let (count, last) = (self.builder.use_var(self.count), self.builder.use_var(self.last));
        let scaled = self.builder.ins().ishl_imm_u(count, 3);
        let at = self.builder.ins().iadd(output, scaled);
        self.builder.ins().store(MEMORY, letter, at, (self.frame.letters + 2) as i32 * 8);
        let more = if self.model.stutter_invariant {
            let differs = self.builder.ins().icmp(IntCC::NotEqual, letter, last);
            let differs = self.builder.ins().uextend(types::I64, differs);
            self.builder.ins().iadd(count, differs)
        } else {
            self.builder.ins().iadd_imm_s(count, 1)
        };
        self.builder.def_var(self.count, more);
        self.builder.def_var(self.last, letter);
    }

    /// Shows the last letter again where nothing was shown.
    pub(super) fn show_something(&mut self) {
        if self.spot.word != ShownWord::Written {
            return;
        }
        let output = self.builder.use_var(self.output);
        let (count, last) = (self.builder.use_var(self.count), self.builder.use_var(self.last));
        let (nothing, done) = (self.builder.create_block(), self.builder.create_block());
        self.builder.ins().brif(count, done, &[], nothing, &[]);
        self.builder.switch_to_block(nothing);
        let at = (self.frame.letters + 2) as i32 * 8;
        self.builder.ins().store(MEMORY, last, output, at);
        let one = self.builder.ins().iconst(types::I64, 1);
        self.builder.def_var(self.count, one);
        self.builder.ins().jump(done, &[]);
        self.builder.switch_to_block(done);
    }

    /// Returns, and says which word was shown.
    pub(super) fn finish_word(&mut self, status: i64) {
        match self.spot.word.clone() {
            ShownWord::Known(letters) => {
                let number = i64::from(self.words.number(&letters)) + 1;
                self.finish(status | number << 8);
            }
            ShownWord::Written => {
                let output = self.builder.use_var(self.output);
                let (count, last) = (self.builder.use_var(self.count), self.builder.use_var(self.last));
                let at = self.frame.letters as i32 * 8;
                self.builder.ins().store(MEMORY, count, output, at);
                self.builder.ins().store(MEMORY, last, output, at + 8);
                self.finish(status);
            }
        }
    }
}
