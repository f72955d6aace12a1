//! What an edge does.

use logic::Term;
use num_bigint::BigInt;
use program::semantics::UndefinedMode;
use program::semantics::layout::{Leaf, leaves, type_of_width};
use program::{Allocation, Callee, EdgeId, ExprId, Op, Operand, Place, Scalar, TypeId, VariableId};

use super::copy::{ChosenBits, MOST_COPIES};
use super::evaluation::Evaluation;
use super::memory::{Updates, WrittenValue};
use super::number::Number;
use super::place::{PlaceStart, ResolvedPlace, Within};
use super::{CellName, Encoding, Exit, ObjectName, Passage, Transition};

/// Aggregates of more scalars than this are not written scalar by scalar.
const MOST_PARTS: usize = 1 << 10;

impl Encoding<'_> {
    /// All ways in which an edge can be taken.
    pub fn edge(&self, edge: EdgeId) -> Vec<Passage> {
        let data = &self.program().edges[edge];
        let terms = self.terms;
        let mut evaluation = Evaluation::new(self, data.from, data.span);
        let mut updates = Updates::new();
        let never = terms.truth(false);
        let (undefined, exit) = match &data.op {
            Op::Skip | Op::AtomicBegin => (never, Exit::Passes),
            Op::Discard(variable) => {
                evaluation.sweep(*variable, &mut updates);
                (never, Exit::Passes)
            }
            Op::AtomicEnd => {
                self.note("whether an atomic section ends outside of one", data.span);
                (evaluation.maybe(), Exit::Passes)
            }
            Op::Assume(condition) => {
                let condition = evaluation.encode(*condition);
                return evaluation.finish_if(condition.value.term, condition.undefined, updates, Exit::Passes);
            }
            Op::Assign { target, value } => (evaluation.assign(target, value, &mut updates), Exit::Passes),
            Op::Input { target, .. } => {
                let resolved = evaluation.place(target);
                (evaluation.ask(&resolved, target.ty, &mut updates), Exit::Passes)
            }
            Op::Declare(variable) => {
                evaluation.begin(*variable, &mut updates);
                (never, Exit::Passes)
            }
            Op::Call { callee, arguments, result } => {
                (evaluation.call(callee, arguments, *result, &mut updates), Exit::Passes)
            }
            Op::Return(operand) => {
                let undefined = operand.as_ref().map_or(never, |operand| evaluation.operand_undefined(operand));
                (undefined, Exit::Returns)
            }
            Op::End(_) => (never, Exit::Ends),
            Op::Unreachable => (terms.truth(true), Exit::Undefined),
            Op::Allocate { target, size, contents } => {
                return self.allocation(edge, *target, *size, contents);
            }
            Op::Free(address) => {
                let address = evaluation.encode(*address);
                let undefined = evaluation.free(address.value.term, &mut updates);
                (terms.or([address.undefined, undefined]), Exit::Passes)
            }
            Op::CopyBytes { target, source, count, may_overlap } => {
                (evaluation.copy_bytes(*target, *source, *count, *may_overlap, &mut updates), Exit::Passes)
            }
            Op::SetBytes { target, byte, count } => {
                (evaluation.set_bytes(*target, *byte, *count, &mut updates), Exit::Passes)
            }
            Op::Havoc { .. }
            | Op::Spawn { .. }
            | Op::Join { .. }
            | Op::ExitThread(_)
            | Op::InitLock(_)
            | Op::Lock(_)
            | Op::TryLock { .. }
            | Op::Unlock(_) => unreachable!("programs with such edges are refused"),
        };
        evaluation.finish(undefined, updates, exit)
    }

    fn allocation(&self, edge: EdgeId, target: VariableId, size: ExprId, contents: &Allocation) -> Vec<Passage> {
        let (terms, data) = (self.terms, &self.program().edges[edge]);
        let object = ObjectName::Heap(edge);
        let mut passages = Vec::new();
        let may_fail = self.prepared.semantics.malloc_may_fail;
        for fails in [false, true].into_iter().filter(|fails| may_fail || !fails) {
            let mut evaluation = Evaluation::new(self, data.from, data.span);
            let mut updates = Updates::new();
            let mut undefined = vec![evaluation.encode(size).undefined];
            if let Allocation::Resized(old) = contents {
                let old = evaluation.encode(*old);
                undefined.push(old.undefined);
                let mut freed = Updates::new();
                undefined.push(evaluation.free(old.value.term, &mut freed));
                if !fails {
                    updates = freed;
                }
            }
            let address = match self.base(object) {
                _ if fails => terms.integer(0),
                Some(base) => terms.integer(base.clone()),
                None => evaluation.somewhere_beyond(),
            };
            if !fails {
                evaluation.begin_allocation(object, contents, &mut updates);
            }
            let whole = Place::variable(target, self.program().variables[target].ty);
            let resolved = evaluation.place(&whole);
            let written = WrittenValue::Scalar(Scalar::Pointer, Number::unbounded(address));
            undefined.push(evaluation.write(&resolved, &written, &mut updates));
            passages.extend(evaluation.finish(terms.or(undefined), updates, Exit::Passes));
        }
        passages
    }
}

impl Evaluation<'_, '_> {
    /// The passages of an edge that changes these symbols, or is undefined.
    pub(super) fn finish(self, undefined: Term, updates: Updates, exit: Exit) -> Vec<Passage> {
        let taken = self.terms().truth(true);
        self.finish_if(taken, undefined, updates, exit)
    }

    fn finish_if(self, taken: Term, undefined: Term, mut updates: Updates, exit: Exit) -> Vec<Passage> {
        let terms = self.terms();
        updates.retain(|&symbol, term| *term != terms.variable(symbol));
        let facts = terms.and(self.facts.iter().copied());
        let mut passages = Vec::new();
        let defined = terms.and([facts, terms.not(undefined), taken]);
        if terms.as_truth(defined) != Some(false) {
            let mut inputs: std::collections::BTreeSet<_> = self.asked.iter().copied().collect();
            for &term in updates.values().chain([&defined]) {
                inputs.extend(terms.symbols(term).iter().filter(|symbol| self.inputs.contains(symbol)));
            }
            let step = Transition { guard: defined, updates, inputs, asked: self.asked.clone() };
            passages.push(Passage { step, exit });
        }
        let wrong = terms.and([facts, undefined]);
        let is_cut = self.encoding.prepared.semantics.undefined == UndefinedMode::Assume;
        if terms.as_truth(wrong) != Some(false) && !is_cut {
            let inputs = terms.symbols(wrong).iter().copied().filter(|symbol| self.inputs.contains(symbol)).collect();
            let step = Transition { guard: wrong, updates: Updates::new(), inputs, asked: Vec::new() };
            passages.push(Passage { step, exit: Exit::Undefined });
        }
        passages
    }

    /// A place, with its operands.
    fn place(&mut self, place: &Place) -> ResolvedPlace {
        for operand in place.operands() {
            self.encode(operand);
        }
        self.resolve(place)
    }

    fn assign(&mut self, target: &Place, value: &Operand, updates: &mut Updates) -> Term {
        let terms = self.terms();
        let resolved = self.place(target);
        match value {
            Operand::Scalar(expr) => {
                let ty = self.program().exprs.ty(*expr);
                let value = self.encode(*expr);
                let written = self.cut(ty, value.value, resolved.width);
                let undefined = self.write(&resolved, &written, updates);
                terms.or([value.undefined, undefined])
            }
            Operand::Aggregate(source) => {
                let ty = source.ty;
                let source = self.place(source);
                let unreadable = self.unreadable(&source);
                let unwritable = self.write_copy(&resolved, &source, ty, updates);
                terms.or([unreadable, unwritable])
            }
        }
    }

    /// A scalar as it is written to so many bits.
    fn cut(&self, ty: Scalar, value: Number, width: u64) -> WrittenValue {
        let narrow = type_of_width(ty, width);
        let value = match narrow {
            Scalar::Int(narrow) => self.ranged(&value, narrow),
            _ => value,
        };
        WrittenValue::Scalar(narrow, value)
    }

    /// When an operand cannot be evaluated.
    fn operand_undefined(&mut self, operand: &Operand) -> Term {
        match operand {
            Operand::Scalar(expr) => self.encode(*expr).undefined,
            Operand::Aggregate(place) => {
                let resolved = self.place(place);
                self.unreadable(&resolved)
            }
        }
    }

    /// When a place cannot be read.
    fn unreadable(&mut self, resolved: &ResolvedPlace) -> Term {
        let terms = self.terms();
        match resolved.start {
            PlaceStart::Object(object) => self.within(resolved, object).1,
            PlaceStart::Address(address) => {
                let (address, partly) = self.displace(address, &resolved.bytes, false);
                let read = self.read_at(address, resolved.bit, resolved.width, Scalar::Bool);
                terms.or([resolved.undefined, resolved.outside, partly, read.undefined])
            }
        }
    }

    /// Writes inputs to all scalars of a place; yields when that is undefined.
    fn ask(&mut self, target: &ResolvedPlace, ty: TypeId, updates: &mut Updates) -> Term {
        let program = self.program();
        if let Some(scalar) = program.types.as_scalar(ty) {
            let narrow = type_of_width(scalar, target.width);
            let value = self.input("input", narrow);
            return self.write(target, &WrittenValue::Scalar(narrow, value), updates);
        }
        let parts: Option<Vec<Leaf>> = leaves(&program.types, ty).ok().filter(|parts| parts.len() <= MOST_PARTS);
        if let (PlaceStart::Object(object), Some(parts)) = (target.start, parts) {
            let (within, undefined) = self.within(target, object);
            if let Some(at) = within.and_then(|within| within.constant()).filter(|_| !self.is_literal(object)) {
                self.ask_parts(object, at * 8, &parts, updates);
                return undefined;
            }
        }
        self.encoding.note("an input of many parts", self.span);
        self.write(target, &WrittenValue::Anything, updates)
    }

    fn ask_parts(&mut self, object: ObjectName, start: u64, parts: &[Leaf], updates: &mut Updates) {
        let terms = self.terms();
        let mut last_end = 0;
        for leaf in parts {
            // Members of a union after the first one find their bits chosen already.
            let is_first = leaf.offset_bits >= last_end;
            last_end = last_end.max(leaf.offset_bits + leaf.width_bits);
            let (offset, scalar) = (start + leaf.offset_bits, type_of_width(leaf.scalar, leaf.width_bits));
            let within = Within::at(terms.integer(offset / 8), offset, leaf.width_bits);
            let written = match is_first {
                true => WrittenValue::Scalar(scalar, self.input("input", scalar)),
                false => WrittenValue::Anything,
            };
            self.write_object(object, &within, &written, terms.truth(true), updates);
        }
    }

    /// The lifetime of a variable begins.
    fn begin(&mut self, variable: VariableId, updates: &mut Updates) {
        let (encoding, terms) = (self.encoding, self.terms());
        for tracked in encoding.cells_of(ObjectName::Variable(variable)) {
            let name = terms.name(tracked.symbol);
            let term = match tracked.cell {
                CellName::One { offset, scalar, .. } => self.at_first(&name, variable, offset, scalar).term,
                _ => self.any_array(tracked.symbol),
            };
            updates.insert(tracked.symbol, term);
        }
    }

    fn begin_allocation(&mut self, object: ObjectName, contents: &Allocation, updates: &mut Updates) {
        let (encoding, terms) = (self.encoding, self.terms());
        for tracked in encoding.cells_of(object) {
            let name = terms.name(tracked.symbol);
            let term = match (&tracked.cell, contents) {
                (CellName::Alive(_), _) => terms.truth(true),
                (CellName::One { scalar, .. }, Allocation::Zeroed) => self.zero(*scalar),
                (CellName::One { scalar, .. }, Allocation::Arbitrary) => self.unchosen(&name, *scalar).term,
                (CellName::One { scalar, .. }, Allocation::Resized(_)) => self.anything(*scalar).value.term,
                (CellName::Many { scalar, unit, .. }, Allocation::Zeroed) if tracked.positions.len() <= MOST_PARTS => {
                    let zeros = tracked.positions.iter().map(|at| (at / unit, self.zero(*scalar))).collect();
                    self.array_of(&name, terms.sort_of_symbol(tracked.symbol), zeros)
                }
                (CellName::Many { .. }, _) => self.any_array(tracked.symbol),
            };
            updates.insert(tracked.symbol, term);
        }
    }

    /// Calls a function without a body.
    fn call(
        &mut self,
        callee: &Callee,
        arguments: &[Operand],
        result: Option<VariableId>,
        updates: &mut Updates,
    ) -> Term {
        let mut undefined: Vec<Term> = arguments.iter().map(|argument| self.operand_undefined(argument)).collect();
        if let Callee::Pointer(address) = callee {
            let address = self.encode(*address);
            undefined.push(address.undefined);
            self.encoding.note("which function a pointer calls", self.span);
            undefined.push(self.maybe());
        }
        if let Some(result) = result {
            let ty = self.program().variables[result].ty;
            let resolved = self.place(&Place::variable(result, ty));
            undefined.push(self.ask(&resolved, ty, updates));
        }
        self.terms().or(undefined)
    }

    /// Ends the lifetime of the heap object at an address, if it is not null; yields when that is undefined.
    fn free(&mut self, address: Term, updates: &mut Updates) -> Term {
        let (encoding, terms) = (self.encoding, self.terms());
        let mut fine = vec![terms.equal(address, terms.integer(0))];
        for placed in &encoding.addresses.placed {
            if !matches!(placed.object, ObjectName::Heap(_)) {
                continue;
            }
            let here = terms.equal(address, terms.integer(placed.base.clone()));
            if terms.as_truth(here) == Some(false) {
                continue;
            }
            let lives = self.lives(placed.object);
            let hit = terms.and([here, lives]);
            if let Some(alive) = encoding.alive(placed.object) {
                self.update(alive, terms.truth(false), hit, updates);
            }
            fine.push(hit);
        }
        let strange = self.strange(address);
        if terms.as_truth(strange) != Some(false) {
            for tracked in &encoding.cells {
                if let CellName::Alive(object) = tracked.cell
                    && encoding.base(object).is_none()
                {
                    let either = self.maybe();
                    self.update(tracked.symbol, either, strange, updates);
                }
            }
            fine.push(strange);
        }
        terms.not(terms.or(fine))
    }

    fn set_bytes(&mut self, target: ExprId, byte: ExprId, count: ExprId, updates: &mut Updates) -> Term {
        let terms = self.terms();
        let (target, byte, count) = (self.encode(target), self.encode(byte), self.encode(count));
        let zero = byte.value.value().is_some_and(|byte| *byte == BigInt::from(0));
        let undefined = self.overwrite(target.value.term, count.value.term, zero, updates);
        terms.or([target.undefined, byte.undefined, count.undefined, undefined])
    }

    fn copy_bytes(
        &mut self,
        target: ExprId,
        source: ExprId,
        count: ExprId,
        may_overlap: bool,
        updates: &mut Updates,
    ) -> Term {
        let (encoding, terms) = (self.encoding, self.terms());
        let (target, source, count) = (self.encode(target), self.encode(source), self.encode(count));
        let mut undefined = vec![target.undefined, source.undefined, count.undefined];
        let (to, from, count) = (target.value.term, source.value.term, count.value.term);
        let some = terms.distinct(count, terms.integer(0));
        let mut fine = Vec::new();
        for placed in &encoding.addresses.placed {
            let lives = self.lives(placed.object);
            fine.push(terms.and([lives, self.covers(&placed.base, placed.size, from, count)]));
        }
        fine.push(self.strange(from));
        undefined.push(terms.and([some, terms.not(terms.or(fine))]));
        if !may_overlap {
            let overlap =
                terms.and([terms.less(from, terms.add([to, count])), terms.less(to, terms.add([from, count]))]);
            undefined.push(terms.and([some, overlap]));
        }
        let fixed = |address: Term| -> Option<(ObjectName, u64)> {
            let number = terms.as_integer(address)?;
            encoding.addresses.placed.iter().find_map(|placed| {
                let offset = u64::try_from(&*number - &placed.base).ok().filter(|offset| *offset <= placed.size)?;
                Some((placed.object, offset * 8))
            })
        };
        let length = terms.as_integer(count).and_then(|count| u64::try_from(&*count).ok());
        if let (Some(to_object), Some(from_object), Some(length)) = (fixed(to), fixed(from), length)
            && length <= self.program().types.data_model().most_bytes()
            && !self.is_literal(to_object.0)
        {
            let size = encoding.size(to_object.0).expect("it exists");
            let lives = self.lives(to_object.0);
            let fits = to_object.1 / 8 + length <= size;
            undefined.push(terms.and([some, terms.or([terms.not(lives), terms.truth(!fits)])]));
            let chosen = ChosenBits::of_bytes(self.program(), from_object);
            self.copy(to_object, from_object, length * 8, &chosen, updates);
            return terms.or(undefined);
        }
        encoding.note("copied bytes", self.span);
        undefined.push(self.overwrite(to, count, false, updates));
        terms.or(undefined)
    }

    /// Whether so many bytes from an address lie in an object.
    fn covers(&self, base: &BigInt, size: u64, address: Term, count: Term) -> Term {
        let terms = self.terms();
        terms.and([
            terms.less_equal(terms.integer(base.clone()), address),
            terms.less_equal(terms.add([address, count]), terms.integer(base + size)),
        ])
    }

    /// Makes so many bytes from an address zero or arbitrary; yields when that is undefined.
    fn overwrite(&mut self, address: Term, count: Term, zero: bool, updates: &mut Updates) -> Term {
        let (encoding, terms) = (self.encoding, self.terms());
        let some = terms.distinct(count, terms.integer(0));
        let mut fine = Vec::new();
        for placed in &encoding.addresses.placed {
            let covers = self.covers(&placed.base, placed.size, address, count);
            if self.is_literal(placed.object) || terms.as_truth(covers) == Some(false) {
                continue;
            }
            let lives = self.lives(placed.object);
            let hit = terms.and([lives, covers, terms.greater(count, terms.integer(0))]);
            fine.push(hit);
            let bits = |number: Term| terms.scale(BigInt::from(8), number);
            let start = bits(terms.subtract(address, terms.integer(placed.base.clone())));
            let end = terms.add([start, bits(count)]);
            for tracked in encoding.cells_of(placed.object) {
                match tracked.cell {
                    CellName::One { offset, scalar, .. } => {
                        let last = terms.integer(offset + encoding.bits(scalar));
                        let offset = terms.integer(offset);
                        let touched = terms.and([hit, terms.less(start, last), terms.less(offset, end)]);
                        let any = self.anything(scalar).value.term;
                        self.update(tracked.symbol, any, touched, updates);
                        if zero {
                            let whole = terms.and([hit, terms.less_equal(start, offset), terms.less_equal(last, end)]);
                            self.update(tracked.symbol, self.zero(scalar), whole, updates);
                        }
                    }
                    CellName::Many { scalar, unit, .. } => {
                        let mut new = self.any_array(tracked.symbol);
                        let from = terms.as_integer(start).and_then(|start| u64::try_from(&*start).ok());
                        let to = terms.as_integer(end).and_then(|end| u64::try_from(&*end).ok());
                        let bytes = encoding.bits(scalar) / 8;
                        if let (Some(from), Some(to)) = (from, to) {
                            let touched: Vec<u64> = tracked.overlapped(bytes, from, to).collect();
                            if touched.len() <= MOST_COPIES {
                                new = terms.variable(tracked.symbol);
                                for at in touched {
                                    let is_zero = zero && at * 8 >= from && (at + bytes) * 8 <= to;
                                    let element = match is_zero {
                                        true => self.zero(scalar),
                                        false => self.anything(scalar).value.term,
                                    };
                                    new = terms.store(new, terms.integer(at / unit), element);
                                }
                            }
                        }
                        self.update(tracked.symbol, new, hit, updates);
                    }
                    CellName::Alive(_) => {}
                }
            }
        }
        if encoding.addresses.has_registers {
            let plain = self.is_plain(address);
            fine.push(terms.and([plain, self.maybe()]));
        }
        let strange = self.strange(address);
        self.forget_strangers(terms.and([strange, some]), updates);
        fine.push(strange);
        // No object is larger, and counting more bytes is undefined.
        let most = terms.integer(self.program().types.data_model().most_bytes());
        let bounded = terms.and([terms.greater_equal(count, terms.integer(0)), terms.less_equal(count, most)]);
        terms.or([terms.and([some, terms.not(terms.or(fine))]), terms.not(bounded)])
    }
}
