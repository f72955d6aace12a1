//! Code for all paths from one point to the next, specialised for what is known at the first.
//!
//! The program is followed symbolically from a point on. Variables with few values are known there, and so is what is
//! computed from them; a branch on known values is decided while compiling, so that a long chain of conditions becomes
//! a handful of instructions (partial evaluation; Jones, Gomard and Sestoft 1993). A *place* of the compiled function
//! is a location together with what is known there; paths that meet in the same place share their code. What is not
//! live is not known, so that paths meet early.
//!
//! The letters of a path are mostly known, too: then the function only says which word it is.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `packing` | how the function reads the state it begins with and writes the one it ends with |
//! | `letters` | how it shows letters |

mod letters;
mod packing;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, MemFlagsData, Value, types};
use cranelift_frontend::{FunctionBuilder, Switch, Variable};
use foundation::Id;
use foundation::collections::HashMap;
use program::{EdgeId, LocationId, Op, Operand, Scalar};

use super::expression::Term;
use super::layout::Layout;
use super::model::{AtomTruth, Moment, NativeModel, PointKind, Slot, SlotId};
use letters::ShownWord;
pub use letters::Words;

/// What a compiled function returns in its lowest byte; above it stands the number of the word, plus one, or zero where
/// the letters were written out.
pub mod status {
    /// The next state was written.
    pub const NEXT: i64 = 0;
    /// The run is blocked by an assumption.
    pub const BLOCKED: i64 = 1;
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
pub struct OutputWords {
    /// The number of letters; the last letter follows, then the letters.
    pub letters: usize,
    /// The memory.
    pub memory: usize,
    /// The length of everything.
    pub length: usize,
}

impl OutputWords {
    /// The frame for a model: the state comes first.
    pub fn new(model: &NativeModel, layout: &Layout) -> Self {
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
struct EmittedSpot {
    location: LocationId,
    /// By slot.
    known: Vec<Option<i64>>,
    word: ShownWord,
    /// The letter that was shown last, by the expressions of its atoms, if none of their variables was written since.
    shown: Option<u32>,
}

/// Compiles one function.
pub struct Emitter<'e, 'f> {
    /// What is compiled.
    pub model: &'e NativeModel,
    /// The function.
    pub builder: &'e mut FunctionBuilder<'f>,
    layout: &'e Layout,
    frame: OutputWords,
    words: &'e mut Words,
    spot: EmittedSpot,
    variables: Vec<Option<Variable>>,
    count: Variable,
    last: Variable,
    output: Variable,
    blocks: HashMap<EmittedSpot, Block>,
    open: Vec<(EmittedSpot, Block)>,
    truths: HashMap<Vec<AtomTruth>, u32>,
    /// The edge that is being taken, for the letter where behaviour is undefined.
    edge: Option<EdgeId>,
    places_left: usize,
}

/// How memory is accessed: never out of bounds, at any alignment.
pub const MEMORY: MemFlagsData = MemFlagsData::new().with_notrap();

/// Inputs with at most this many values are told apart while compiling.
const MOST_CASES: usize = 32;

/// Emits the body of the function for a point and what is known there. The function takes the state, the number of the
/// step, the value of the input and the output, and returns a status.
pub fn emit<'f>(
    model: &NativeModel,
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
    let spot = EmittedSpot { location, known: at_point, word: ShownWord::Known(Vec::new()), shown: None };
    let mut emitter = Emitter {
        model,
        builder,
        layout,
        frame: OutputWords::new(model, layout),
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
            [first, second] if let Some((condition, in_order)) = model.branch(*first, *second) => {
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
            edges => self.choose(edges),
        }
    }

    /// Takes the one edge whose condition is true: the model was checked for never two being so. Whether control is at
    /// its end then.
    fn choose(&mut self, edges: &[EdgeId]) -> bool {
        for &edge in edges {
            let Op::Assume(condition) = self.model.program().edges[edge].op else {
                unreachable!("checked when the model was made")
            };
            self.edge = Some(edge);
            match self.known_truth(condition) {
                Some(true) => return self.passed(edge),
                Some(false) => {}
                None => {
                    let (then, otherwise) = (self.builder.create_block(), self.builder.create_block());
                    self.branch(condition, then, otherwise);
                    let before = self.spot.clone();
                    self.builder.switch_to_block(then);
                    self.completed(edge);
                    self.builder.switch_to_block(otherwise);
                    self.spot = before;
                }
            }
        }
        self.finish(status::BLOCKED);
        false
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
                    self.finish(status::BLOCKED);
                    return false;
                }
                None => {
                    let blocks = [self.builder.create_block(), self.builder.create_block()];
                    self.branch(*condition, blocks[0], blocks[1]);
                    self.builder.switch_to_block(blocks[1]);
                    self.finish(status::BLOCKED);
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
        if self.model.undefined_blocks {
            return self.finish(status::BLOCKED);
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
}
