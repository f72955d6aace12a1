//! Code for all ways from one point to the next, specialised for what is known at the first.
//!
//! The program is followed symbolically from a point on. Variables with few values are known there, and so is what is
//! computed from them; a branch on known values is decided while compiling, so that a long chain of conditions becomes
//! a handful of instructions (partial evaluation; Jones, Gomard and Sestoft 1993). A *place* of the compiled function is
//! a location together with what is known there; ways that meet in the same place share their code. What is not live is
//! not known, so that ways meet early.
//!
//! The letters of a way are mostly known, too: then the function only says which word it is.

use std::collections::HashMap;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, MemFlagsData, Value, types};
use cranelift_frontend::{FunctionBuilder, Switch, Variable};
use foundation::Id;
use program::{EdgeId, LocationId, Op, Operand, Scalar};
use task::Letter;

use super::Mixed;
use super::expression::Term;
use super::layout::{Field, Layout, Place};
use super::model::{Model, Moment, PointKind, Slot, SlotId, Truth};

/// What a compiled function returns in its lowest byte; above it stands the number of the word, plus one, or zero where
/// the letters were written out.
pub mod status {
    /// The next state was written.
    pub const NEXT: i64 = 0;
    /// The run is cut.
    pub const CUT: i64 = 1;
    /// The last letter is repeated for ever.
    pub const ENDED: i64 = 2;
    /// There is no step with this number.
    pub const NO_MORE: i64 = 3;
    /// A variable held a value that its field has no room for.
    pub const OUT_OF_RANGE: i64 = 4;
    /// An ideal integer does not fit 64 bits.
    pub const TOO_WIDE: i64 = 5;
}

/// Where the results of a compiled function lie, in words from the beginning of its output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Frame {
    /// The number of letters; the last letter follows, then the letters.
    pub letters: usize,
    /// The memory.
    pub memory: usize,
    /// The length of everything.
    pub length: usize,
}

impl Frame {
    /// The frame for a model: the state comes first.
    pub fn new(model: &Model, layout: &Layout) -> Self {
        let letters = layout.words;
        let memory = letters + 2 + model.most_letters();
        Self { letters, memory, length: memory + model.initial_memory.len().div_ceil(8) }
    }
}

/// A function would become too large.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLarge;

/// Where in the function control is, and what is known there.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Spot {
    location: LocationId,
    /// By slot.
    known: Vec<Option<i64>>,
    word: Word,
    /// The letter that was shown last, by the expressions of its atoms, if none of their variables was written since.
    shown: Option<u32>,
}

/// The letters shown so far.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Word {
    Known(Vec<Letter>),
    /// They are in the output; how many, and the last one, is in variables.
    Written,
}

/// Compiles one function.
pub struct Emitter<'e, 'f> {
    /// What is compiled.
    pub model: &'e Model,
    /// The function.
    pub builder: &'e mut FunctionBuilder<'f>,
    layout: &'e Layout,
    frame: Frame,
    words: &'e mut Words,
    spot: Spot,
    variables: Vec<Option<Variable>>,
    count: Variable,
    last: Variable,
    output: Variable,
    blocks: HashMap<Spot, Block, Mixed>,
    open: Vec<(Spot, Block)>,
    truths: HashMap<Vec<Truth>, u32, Mixed>,
    /// The edge that is being taken, for the letter where behaviour is undefined.
    edge: Option<EdgeId>,
    places_left: usize,
}

/// Known words, by number.
#[derive(Clone, Debug, Default)]
pub struct Words {
    /// The letters of each.
    pub letters: Vec<Vec<Letter>>,
    numbers: HashMap<Vec<Letter>, u32, Mixed>,
}

impl Words {
    fn number(&mut self, word: &[Letter]) -> u32 {
        if let Some(&known) = self.numbers.get(word) {
            return known;
        }
        let number = self.letters.len() as u32;
        self.letters.push(word.to_vec());
        self.numbers.insert(word.to_vec(), number);
        number
    }
}

/// How memory is accessed: never out of bounds, at any alignment.
pub const MEMORY: MemFlagsData = MemFlagsData::new().with_notrap();

/// Inputs with at most this many values are told apart while compiling.
const MOST_CASES: usize = 32;

/// Emits the body of the function for a point and what is known there. The function takes the state, the number of the
/// step, the value of the input and the output, and returns a status.
pub fn emit<'f>(
    model: &Model,
    layout: &Layout,
    words: &mut Words,
    builder: &mut FunctionBuilder<'f>,
    point: u32,
    known: &[(SlotId, i64)],
    most_places: usize,
) -> Result<(), TooLarge> {
    let entry = builder.create_block();
    builder.append_block_params_for_function_params(entry);
    builder.switch_to_block(entry);
    let &[state, number, value, output] = builder.block_params(entry) else { unreachable!("four parameters") };
    let (count, last) = (builder.declare_var(types::I64), builder.declare_var(types::I64));
    let output_variable = builder.declare_var(types::I64);
    builder.def_var(output_variable, output);
    let location = model.points[point as usize].location;
    let mut at_point = vec![None; model.slots.len()];
    for &(slot, value) in known {
        at_point[slot.index()] = Some(value);
    }
    let spot = Spot { location, known: at_point, word: Word::Known(Vec::new()), shown: None };
    let mut emitter = Emitter {
        model,
        builder,
        layout,
        frame: Frame::new(model, layout),
        words,
        spot,
        variables: vec![None; model.slots.len()],
        count,
        last,
        output: output_variable,
        blocks: HashMap::default(),
        open: Vec::new(),
        truths: HashMap::default(),
        edge: None,
        places_left: most_places,
    };
    emitter.unpack(state, point);
    emitter.begin(point, number, value);
    while let Some((spot, block)) = emitter.open.pop() {
        emitter.places_left = emitter.places_left.checked_sub(1).ok_or(TooLarge)?;
        emitter.builder.switch_to_block(block);
        emitter.spot = spot;
        emitter.follow();
    }
    emitter.builder.seal_all_blocks();
    Ok(())
}

impl Emitter<'_, '_> {
    /// Loads what is live at a point and not known.
    fn unpack(&mut self, state: Value, point: u32) {
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
                (Place::Field(field), _) => {
                    let value = self.load_field(state, field);
                    self.set(slot, Term::Code(value));
                }
                (Place::Words(first, length), Slot::Object { offset, .. }) => {
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
            self.spot.word = Word::Written;
        }
    }

    fn load_field(&mut self, state: Value, field: Field) -> Value {
        let word = self.builder.ins().load(types::I64, MEMORY, state, field.word as i32 * 8);
        let shifted = if field.shift == 0 { word } else { self.builder.ins().ushr_imm_u(word, i64::from(field.shift)) };
        let bits = if field.bits + field.shift == 64 {
            shifted
        } else {
            self.builder.ins().band_imm_s(shifted, ((1_u64 << field.bits) - 1) as i64)
        };
        if field.least == 0 { bits } else { self.builder.ins().iadd_imm_s(bits, field.least) }
    }

    /// The first thing that happens at a point.
    fn begin(&mut self, point: u32, number: Value, value: Value) {
        let model = self.model;
        let PointKind::Input { edge, domain } = &model.points[point as usize].kind else {
            self.only_step(number);
            if point == 0 {
                self.show(None, Moment::Passing);
                let entry = self.spot.location;
                self.go_to(entry);
            } else if self.leave_location() {
                // Control has arrived here already; it goes on by the edges of the location.
                self.follow();
            }
            return;
        };
        let slot = self.input_slot(*edge);
        let no_more = self.builder.create_block();
        if domain.len() <= MOST_CASES {
            let mut switch = Switch::new();
            let mut cases = Vec::new();
            for (case, &value) in domain.iter().enumerate() {
                let block = self.builder.create_block();
                switch.set_entry(case as u128, block);
                cases.push((block, value));
            }
            switch.emit(self.builder, number, no_more);
            let before = self.spot.clone();
            for (block, value) in cases {
                self.builder.switch_to_block(block);
                self.spot = before.clone();
                self.set(slot, Term::Known(value));
                self.completed(*edge);
            }
        } else {
            let inside = self.builder.create_block();
            let is_inside = self.builder.ins().icmp_imm_u(IntCC::UnsignedLessThan, number, domain.len() as i64);
            self.builder.ins().brif(is_inside, inside, &[], no_more, &[]);
            self.builder.switch_to_block(inside);
            self.set(slot, Term::Code(value));
            self.completed(*edge);
        }
        self.builder.switch_to_block(no_more);
        self.finish(status::NO_MORE);
    }

    /// Leaves unless the number of the step is 0.
    fn only_step(&mut self, number: Value) {
        let (first, no_more) = (self.builder.create_block(), self.builder.create_block());
        self.builder.ins().brif(number, no_more, &[], first, &[]);
        self.builder.switch_to_block(no_more);
        self.finish(status::NO_MORE);
        self.builder.switch_to_block(first);
    }

    fn input_slot(&self, edge: EdgeId) -> SlotId {
        let variable = match &self.model.program().edges[edge].op {
            Op::Input { target, .. } => target.as_variable().expect("input goes to variables"),
            Op::Call { result: Some(result), .. } => *result,
            _ => unreachable!("only inputs are read"),
        };
        self.model.slot_of[&variable]
    }

    /// Goes on from where control is, until it goes to another place.
    fn follow(&mut self) {
        loop {
            if let Some(&point) = self.model.point_at.get(&self.spot.location) {
                return self.arrive(point);
            }
            if !self.leave_location() {
                return;
            }
        }
    }

    /// Takes the edges of the location where control is. Whether control is at the next location then, without having
    /// gone to another place.
    fn leave_location(&mut self) -> bool {
        let model = self.model;
        let out = &model.program().locations[self.spot.location].out;
        match out.as_slice() {
            [] => {
                // Control stays here for ever, and nothing is shown any more.
                self.finish_word(status::ENDED);
                false
            }
            [edge] => self.take(*edge),
            [first, second] => {
                let (condition, in_order) = model.branch(*first, *second).expect("checked when the model was made");
                let (then, otherwise) = if in_order { (*first, *second) } else { (*second, *first) };
                self.edge = Some(then);
                match self.known_truth(condition) {
                    Some(true) => self.passed(then),
                    Some(false) => self.passed(otherwise),
                    None => {
                        let blocks = [self.builder.create_block(), self.builder.create_block()];
                        self.branch(condition, blocks[0], blocks[1]);
                        let before = self.spot.clone();
                        self.builder.switch_to_block(blocks[0]);
                        self.completed(then);
                        self.builder.switch_to_block(blocks[1]);
                        self.spot = before;
                        self.completed(otherwise);
                        false
                    }
                }
            }
            _ => unreachable!("checked when the model was made"),
        }
    }

    /// Takes the only edge of a location; whether control is at its end then.
    fn take(&mut self, edge: EdgeId) -> bool {
        let model = self.model;
        self.edge = Some(edge);
        match &model.program().edges[edge].op {
            Op::Skip | Op::Declare(_) | Op::Discard(_) | Op::AtomicBegin | Op::AtomicEnd | Op::Call { .. } => {}
            Op::Assume(condition) => match self.known_truth(*condition) {
                Some(true) => {}
                Some(false) => {
                    self.finish(status::CUT);
                    return false;
                }
                None => {
                    let blocks = [self.builder.create_block(), self.builder.create_block()];
                    self.branch(*condition, blocks[0], blocks[1]);
                    self.builder.switch_to_block(blocks[1]);
                    self.finish(status::CUT);
                    self.builder.switch_to_block(blocks[0]);
                }
            },
            Op::Assign { target, value } => self.assign(target, value),
            Op::Return(value) => {
                if let Some(Operand::Scalar(value)) = value
                    && !model.is_total(*value)
                {
                    self.value(*value);
                }
                if model.is_observed(edge) {
                    self.show(Some(edge), Moment::Passing);
                }
                self.end(Some(edge), Moment::Returned);
                return false;
            }
            Op::End(_) => {
                self.end(Some(edge), Moment::End);
                return false;
            }
            Op::Unreachable => {
                self.finish_undefined();
                return false;
            }
            _ => unreachable!("checked when the model was made"),
        }
        self.passed(edge)
    }

    fn assign(&mut self, target: &program::Place, value: &Operand) {
        let model = self.model;
        let whole = target.as_variable().map(|variable| model.slot_of[&variable]);
        if let (Some(slot), Operand::Scalar(value)) = (whole, value)
            && matches!(model.slots[slot], Slot::Scalar { .. })
        {
            let value = self.value(*value);
            self.set(slot, value);
            return;
        }
        // The address is computed before the value.
        let to = self.address(target);
        match value {
            Operand::Scalar(value) => {
                let ty = model.program().exprs.ty(*value);
                let value = self.value(*value);
                let value = self.code(value);
                let (pointer, offset) = self.pointer(&to);
                let bits = match ty {
                    Scalar::Int(ty) => ty.bits,
                    _ => 8,
                };
                match bits {
                    8 => self.builder.ins().istore8(MEMORY, value, pointer, offset),
                    16 => self.builder.ins().istore16(MEMORY, value, pointer, offset),
                    32 => self.builder.ins().istore32(MEMORY, value, pointer, offset),
                    _ => self.builder.ins().store(MEMORY, value, pointer, offset),
                };
            }
            Operand::Aggregate(source) => {
                let from = self.address(source);
                let bytes = model.program().types.size_bits(source.ty).div_ceil(8) as i32;
                let (to, to_offset) = self.pointer(&to);
                let (from, from_offset) = self.pointer(&from);
                // All is read before anything is written, because the two may overlap.
                let read: Vec<Value> = (0..bytes)
                    .map(|byte| self.builder.ins().load(types::I8, MEMORY, from, from_offset + byte))
                    .collect();
                for (byte, value) in (0..bytes).zip(read) {
                    self.builder.ins().store(MEMORY, value, to, to_offset + byte);
                }
            }
        }
        let program::Root::Variable(variable) = target.root else { unreachable!("the model holds no pointers") };
        if model.is_read_by_atoms(model.slot_of[&variable]) {
            self.spot.shown = None;
        }
    }

    /// An edge was taken: its end is observed where it has to be, and control goes on there, without going to another
    /// place where no other way leads to it.
    fn passed(&mut self, edge: EdgeId) -> bool {
        let to = self.model.program().edges[edge].to;
        if self.model.is_joint(to) {
            self.completed(edge);
            return false;
        }
        if self.model.is_observed(edge) {
            self.show(Some(edge), Moment::Passing);
        }
        self.come_to(to);
        true
    }

    /// An edge was taken: its end is observed where it has to be, and control goes to the place there.
    fn completed(&mut self, edge: EdgeId) {
        if self.model.is_observed(edge) {
            self.show(Some(edge), Moment::Passing);
        }
        self.go_to(self.model.program().edges[edge].to);
    }

    /// Goes to a location: to the code that is there for what is known.
    fn go_to(&mut self, location: LocationId) {
        self.come_to(location);
        let block = match self.blocks.get(&self.spot) {
            Some(&block) => block,
            None => {
                let block = self.builder.create_block();
                self.blocks.insert(self.spot.clone(), block);
                self.open.push((self.spot.clone(), block));
                block
            }
        };
        self.builder.ins().jump(block, &[]);
    }

    /// Control is at a location; what is dead there is forgotten.
    fn come_to(&mut self, location: LocationId) {
        self.spot.location = location;
        for slot in 0..self.spot.known.len() {
            if self.spot.known[slot].is_some() && !self.model.is_live(location, SlotId::from_index(slot)) {
                self.spot.known[slot] = None;
            }
        }
    }

    /// The value of a scalar variable.
    pub fn scalar(&mut self, slot: SlotId) -> Term {
        if let Some(value) = self.spot.known[slot.index()] {
            return Term::Known(value);
        }
        let variable = self.variable(slot);
        Term::Code(self.builder.use_var(variable))
    }

    /// The value of a scalar variable, where it is known.
    pub fn known_slot(&self, slot: SlotId) -> Option<i64> {
        self.spot.known[slot.index()]
    }

    fn set(&mut self, slot: SlotId, value: Term) {
        match value {
            Term::Known(value) => self.spot.known[slot.index()] = Some(value),
            Term::Code(value) => {
                self.spot.known[slot.index()] = None;
                let variable = self.variable(slot);
                self.builder.def_var(variable, value);
            }
        }
        if self.model.is_read_by_atoms(slot) {
            self.spot.shown = None;
        }
    }

    fn variable(&mut self, slot: SlotId) -> Variable {
        *self.variables[slot.index()].get_or_insert_with(|| self.builder.declare_var(types::I64))
    }

    /// The address of the memory in which objects lie.
    pub fn memory(&mut self) -> Value {
        let output = self.builder.use_var(self.output);
        self.builder.ins().iadd_imm_s(output, self.frame.memory as i64 * 8)
    }

    /// Leaves where a condition for defined behaviour is false.
    pub fn check_defined(&mut self, condition: Value) {
        let (undefined, defined) = (self.builder.create_block(), self.builder.create_block());
        self.builder.set_cold_block(undefined);
        self.builder.ins().brif(condition, defined, &[], undefined, &[]);
        self.builder.switch_to_block(undefined);
        self.finish_undefined();
        self.builder.switch_to_block(defined);
    }

    /// Behaviour is undefined here.
    pub fn leave_undefined(&mut self) {
        self.finish_undefined();
        let unreachable = self.builder.create_block();
        self.builder.switch_to_block(unreachable);
    }

    fn finish_undefined(&mut self) {
        if self.model.undefined_cuts {
            return self.finish(status::CUT);
        }
        let before = self.spot.clone();
        self.end(self.edge, Moment::Error);
        self.spot = before;
    }

    /// Leaves where an ideal integer does not fit.
    pub fn check_wide(&mut self, fits: Value) {
        let (wide, fine) = (self.builder.create_block(), self.builder.create_block());
        self.builder.set_cold_block(wide);
        self.builder.ins().brif(fits, fine, &[], wide, &[]);
        self.builder.switch_to_block(wide);
        self.finish(status::TOO_WIDE);
        self.builder.switch_to_block(fine);
    }

    /// An ideal integer does not fit.
    pub fn leave_too_wide(&mut self) {
        self.finish(status::TOO_WIDE);
        let unreachable = self.builder.create_block();
        self.builder.switch_to_block(unreachable);
    }

    fn end(&mut self, edge: Option<EdgeId>, moment: Moment) {
        self.show(edge, moment);
        self.finish_word(status::ENDED);
    }

    fn finish(&mut self, status: i64) {
        let status = self.builder.ins().iconst(types::I64, status);
        self.builder.ins().return_(&[status]);
    }

    /// Returns, and says which word was shown.
    fn finish_word(&mut self, status: i64) {
        match self.spot.word.clone() {
            Word::Known(letters) => {
                let number = i64::from(self.words.number(&letters)) + 1;
                self.finish(status | number << 8);
            }
            Word::Written => {
                let output = self.builder.use_var(self.output);
                let (count, last) = (self.builder.use_var(self.count), self.builder.use_var(self.last));
                let at = self.frame.letters as i32 * 8;
                self.builder.ins().store(MEMORY, count, output, at);
                self.builder.ins().store(MEMORY, last, output, at + 8);
                self.finish(status);
            }
        }
    }

    /// Shows the letter of the state.
    fn show(&mut self, edge: Option<EdgeId>, moment: Moment) {
        let truths = self.model.letter_at(edge, moment);
        let next = self.truths.len() as u32;
        let number = *self.truths.entry(truths.clone()).or_insert(next);
        if self.model.stutter_invariant && self.spot.shown == Some(number) {
            return;
        }
        self.spot.shown = Some(number);
        let mut known: Letter = 0;
        let mut code: Option<Value> = None;
        for (bit, truth) in truths.into_iter().enumerate() {
            let term = match truth {
                Truth::Constant(value) => Term::Known(i64::from(value)),
                Truth::Expr(expr) => self.value(expr),
            };
            match term {
                Term::Known(value) => known |= (value as Letter) << bit,
                Term::Code(value) => {
                    let placed = self.builder.ins().ishl_imm_u(value, bit as i64);
                    code = Some(code.map_or(placed, |code| self.builder.ins().bor(code, placed)));
                }
            }
        }
        match (&mut self.spot.word, code) {
            (Word::Known(letters), None) => {
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
        let Word::Known(letters) = std::mem::replace(&mut self.spot.word, Word::Written) else { return };
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

    /// Control has come to a point: packs the state and returns.
    fn arrive(&mut self, point: u32) {
        let (model, layout) = (self.model, self.layout);
        let location = self.spot.location;
        let mut known = vec![0_u64; layout.words];
        let mut code: Vec<Option<Value>> = vec![None; layout.words];
        known[layout.point.word] |= u64::from(point) << layout.point.shift;
        let mut fields: Vec<(Field, Term)> = Vec::new();
        for (slot, data) in model.slots.iter() {
            if !model.is_live(location, slot) {
                continue;
            }
            match (layout.slots[slot.index()], data) {
                (Place::Field(field), _) => {
                    let value = self.scalar(slot);
                    fields.push((field, value));
                }
                (Place::Words(first, length), Slot::Object { offset, .. }) => {
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
                Word::Known(letters) => Term::Known(letters.last().copied().unwrap_or(0) as i64),
                Word::Written => Term::Code(self.builder.use_var(self.last)),
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

    /// Shows the last letter again where nothing was shown.
    fn show_something(&mut self) {
        if self.spot.word != Word::Written {
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

    /// A value in its field; leaves where it does not fit.
    fn pack(&mut self, field: Field, value: Value) -> Value {
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
