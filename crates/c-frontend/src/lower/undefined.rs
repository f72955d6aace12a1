//! Functions without a body: what they may write through the pointers that they are given.
//!
//! A call of such a function may write any value to what its arguments reach, as far as their types say: to the object
//! that a pointer to something not `const` points to, and further on through the pointers inside of what is reached.
//! Where an argument is the address of something that the program names, inputs are written to that; elsewhere
//! [`Op::Havoc`] finds out what the pointer points to. A function that is also called through pointers gets a body that
//! does the same with its parameters.
//!
//! What is not written, and assumed not to be, is noted as an assumption of the program: what is reached by pointers
//! that the function was given earlier, globals, and what lies behind types that are not known or come again.

use foundation::collections::HashSet;
use foundation::{Diagnostic, Span};
use program::{
    Callee, CompareOp, Constant, ExprId as ModelExpr, ExprKind as ModelKind, FunctionId, InputSource, Observe, Op,
    Operand, Place, Reach, Root, Scalar, Selector, Type, Variable, VariableId, VariableKind,
};

use super::{Lower, Lowering};
use crate::UndefinedFunctions;
use crate::types::{CType, Qual, RecordId};

/// Objects with more pointers inside than this are not followed.
const MOST_POINTERS: usize = 64;

/// From one pointer, so many others are followed, not counting those of one type that lead to one another.
const MOST_FOLLOWED: usize = 256;

/// What is known of calls whose callee may have no body, until all functions are known.
#[derive(Default)]
pub(crate) struct UndefinedCalls {
    /// The functions without a body whose address is used.
    address_taken: HashSet<FunctionId>,
    /// Calls through pointers that pass something which may be written: to parameters, and beyond them.
    through_pointers: Vec<(Span, bool)>,
    /// The edges after a direct call that write what the function may write.
    writes: Vec<(FunctionId, program::EdgeId)>,
    /// The edges after a call through a pointer that change `errno`, as a function without a body may.
    errno_changes: Vec<program::EdgeId>,
}

/// Something that a function may write to, or from where it may reach further.
struct GivenPointer {
    at: LiesAt,
    /// The type of what lies there, as the function sees it.
    pointee: Qual,
    argument: u32,
}

/// Where something lies.
enum LiesAt {
    /// In a place.
    Place(Place),
    /// Where a pointer points.
    Address(ModelExpr),
    /// In an argument that is passed by value: only pointers inside of it lead anywhere.
    Value(Place),
}

impl Lowering<'_> {
    /// Whether no body of a function is known, in any file or in the library.
    pub(crate) fn is_undefined(&self, function: FunctionId) -> bool {
        let Some(info) = self.functions.get(&function) else { return false };
        let defined = info.has_body || self.defined.contains(&info.name) || self.library.has_body(info.name);
        !defined && !super::library::is_known(self.symbols.text(info.name))
    }

    /// Notes that the address of a function is used.
    pub(crate) fn note_function_address(&mut self, function: FunctionId, span: Span) {
        if self.unevaluated > 0 || !self.is_undefined(function) {
            return;
        }
        if self.functions[&function].weak {
            let name = self.program.functions[function].name.clone();
            let text = format!("the address of `{name}`, which is `weak` and has no body, is used: it may be null");
            let help = "give the file that defines it, too, or write `0` in its place";
            self.diagnostics.push(Diagnostic::error("unsupported-weak", text).at(span).help(help));
        }
        self.undefined.address_taken.insert(function);
        self.warn_without_body(function, span);
        let writes = self.may_write(function);
        self.assume_of_function(function, writes, span);
    }

    /// Whether a function without a body may write to what it is given, as far as its type says.
    pub(crate) fn may_write(&mut self, function: FunctionId) -> bool {
        let ty = self.functions[&function].ty;
        let Some(ty) = self.types.as_function(ty.ty).cloned() else { return false };
        let is_havoc = self.options.undefined_functions == UndefinedFunctions::Havoc;
        is_havoc && (ty.variadic || !ty.prototype || ty.parameters.iter().any(|ty| self.is_reaching(*ty)))
    }

    /// Notes what a call through a pointer passes.
    pub(crate) fn note_indirect_call(&mut self, arguments: &[(Operand, Qual)], known: usize, span: Span) {
        for (number, (_, ty)) in arguments.iter().enumerate() {
            if self.is_reaching(*ty) {
                self.undefined.through_pointers.push((span, number >= known));
            }
        }
    }

    /// Lets `errno` change after a call through a pointer, which may be one of a function without a body.
    pub(crate) fn errno_after_indirect_call(&mut self, span: Span) -> Lower<()> {
        let first = self.program.edges.len();
        self.errno_may_change(span)?;
        let edges = self.program.edges.ids().skip(first);
        self.undefined.errno_changes.extend(edges);
        Ok(())
    }

    /// What a call of a function without a body may write to. Pointers are kept as they are before the call.
    pub(crate) fn reached_by_call(&mut self, arguments: &[(Operand, Qual)], span: Span) -> Lower<UndefinedWrites> {
        let mut given = Vec::new();
        if self.options.undefined_functions == UndefinedFunctions::Pure || self.unevaluated > 0 {
            return Ok(UndefinedWrites(given));
        }
        for (number, (operand, ty)) in arguments.iter().enumerate() {
            let argument = number as u32 + 1;
            if !self.is_reaching(*ty) {
                continue;
            }
            match operand {
                Operand::Aggregate(place) => {
                    let copy = self.temporary(place.ty, span)?;
                    let target = self.variable_place(copy);
                    self.emit(Op::Assign { target: target.clone(), value: operand.clone() }, span)?;
                    given.push(GivenPointer { at: LiesAt::Value(target), pointee: *ty, argument });
                }
                Operand::Scalar(value) => {
                    let Some(pointee) = self.types.pointee(ty.ty) else { continue };
                    if let Some(at) = self.target_of(*value, pointee, span)? {
                        given.push(GivenPointer { at, pointee, argument });
                    }
                }
            }
        }
        Ok(UndefinedWrites(given))
    }

    /// The edges by which a function without a body writes to what it was given.
    pub(crate) fn write_arguments(&mut self, function: FunctionId, writes: UndefinedWrites, span: Span) -> Lower<()> {
        let first = self.program.edges.len();
        let name = self.program.functions[function].name.clone();
        let source = |argument| InputSource::Argument { function: name.clone(), argument };
        self.write_what_is_reached(writes, &source, span)?;
        let edges = self.program.edges.ids().skip(first);
        self.undefined.writes.extend(edges.map(|edge| (function, edge)));
        Ok(())
    }

    /// The edges that write inputs to what is reached, each from the source that belongs to its argument.
    pub(crate) fn write_what_is_reached(
        &mut self,
        writes: UndefinedWrites,
        source: &dyn Fn(u32) -> InputSource,
        span: Span,
    ) -> Lower<()> {
        for GivenPointer { at, pointee, argument } in writes.0 {
            let source = source(argument);
            match at {
                LiesAt::Address(address) => {
                    if let Some(reach) = self.reach_of(pointee) {
                        self.emit(Op::Havoc { address, reach, source }, span)?;
                    }
                }
                LiesAt::Value(place) => self.follow_pointers(&place, pointee, &source, span)?,
                LiesAt::Place(place) => self.write_place(place, pointee, &source, span)?,
            }
        }
        Ok(())
    }

    /// Where an argument points: at nothing, at a place that the program names, or wherever the pointer says.
    fn target_of(&mut self, value: ModelExpr, pointee: Qual, span: Span) -> Lower<Option<LiesAt>> {
        let mut expr = value;
        loop {
            match self.program.exprs.get(expr).kind.clone() {
                ModelKind::Cast(inner) if self.program.exprs.ty(inner) == Scalar::Pointer => expr = inner,
                ModelKind::Constant(Constant::Null) | ModelKind::FunctionAddress(_) => return Ok(None),
                ModelKind::AddressOf(mut place) => {
                    while let Some(Selector::Index(index)) = place.path.last() {
                        if !self.is_first(*index) {
                            return Ok(Some(LiesAt::Address(self.keep(value, span)?)));
                        }
                        place.path.pop();
                        place.ty = self.place_type(&place);
                    }
                    let model = self.types.model_type(pointee.ty, &mut self.program.types);
                    let types = &self.program.types;
                    let is_bytes = program::reach::is_bytes(types, model);
                    if is_bytes || types.size_bits(model) <= types.size_bits(place.ty) {
                        return self.kept_place(place, span).map(|place| Some(LiesAt::Place(place)));
                    }
                    return Ok(Some(LiesAt::Address(self.keep(value, span)?)));
                }
                _ => return Ok(Some(LiesAt::Address(self.keep(value, span)?))),
            }
        }
    }

    fn is_first(&self, index: ModelExpr) -> bool {
        match &self.program.exprs.get(index).kind {
            ModelKind::Constant(Constant::Int(value)) => *value == 0.into(),
            ModelKind::Cast(inner) => self.is_first(*inner),
            _ => false,
        }
    }

    /// The type that the path of a place leads to.
    fn place_type(&self, place: &Place) -> program::TypeId {
        let mut ty = match place.root {
            Root::Variable(variable) => self.program.variables[variable].ty,
            Root::Pointer { pointee, .. } => pointee,
        };
        for step in &place.path {
            ty = match (step, self.program.types.get(ty)) {
                (Selector::Field(number), Type::Record(record)) => record.fields[*number as usize].ty,
                (Selector::Index(_), Type::Array { element, .. }) => *element,
                _ => ty,
            };
        }
        ty
    }

    /// A place that later side effects do not move.
    fn kept_place(&mut self, mut place: Place, span: Span) -> Lower<Place> {
        if let Root::Pointer { address, pointee } = place.root {
            place.root = Root::Pointer { address: self.keep(address, span)?, pointee };
        }
        for step in &mut place.path {
            if let Selector::Index(index) = step {
                *index = self.keep(*index, span)?;
            }
        }
        Ok(place)
    }

    /// Writes inputs to a place, after what the pointers inside lead to. Through a null pointer nothing is written.
    fn write_place(&mut self, place: Place, pointee: Qual, source: &InputSource, span: Span) -> Lower<()> {
        let after = match place.root {
            Root::Variable(_) => None,
            Root::Pointer { address, .. } => {
                let null = self.zero(Scalar::Pointer);
                let is_there = ModelKind::Compare(CompareOp::NotEqual, address, null);
                let is_there = self.program.exprs.intern(is_there, Scalar::Bool);
                let (there, nowhere) = (self.new_location(), self.new_location());
                self.branch_on(is_there, (there, Observe::No), (nowhere, Observe::No), span);
                self.go_on_at(there);
                Some(nowhere)
            }
        };
        let own = self.object_type(&place).filter(|_| !pointee.is_const).unwrap_or(pointee);
        self.follow_pointers(&place, own, source, span)?;
        let is_literal = matches!(place.root, Root::Variable(variable)
            if matches!(self.program.variables[variable].kind, VariableKind::Literal { .. }));
        let is_unknown = self.types.size_bits(pointee.ty).is_none() && !self.types.is_void(pointee.ty);
        if !pointee.is_const && !is_literal && !is_unknown {
            self.emit(Op::Input { target: place, source: source.clone() }, span)?;
        }
        if let Some(after) = after {
            self.emit_to(Op::Skip, after, span, Observe::No);
            self.go_on_at(after);
        }
        Ok(())
    }

    /// The type with which a place that begins at a variable was declared.
    fn object_type(&self, place: &Place) -> Option<Qual> {
        let Root::Variable(variable) = place.root else { return None };
        let mut ty = *self.variable_types.get(&variable)?;
        for step in &place.path {
            ty = match (step, self.types.get(ty.ty)) {
                (Selector::Field(number), CType::Record(record)) => {
                    self.types.records[*record].body.as_ref()?.members.get(*number as usize)?.ty
                }
                (Selector::Index(_), CType::Array { element, .. }) => *element,
                _ => return None,
            };
        }
        Some(ty)
    }

    /// Goes on from the pointers inside of a place of this type.
    fn follow_pointers(&mut self, place: &Place, ty: Qual, source: &InputSource, span: Span) -> Lower<()> {
        let mut found = Vec::new();
        self.pointers_inside(ty, (Vec::new(), 0), &mut found);
        if found.len() > MOST_POINTERS {
            let (what, help) = too_many_pointers();
            return self.unsupported(TOO_MANY, &what, span, help);
        }
        for (path, _, pointee) in found {
            let Some(reach) = self.reach_of(pointee) else { continue };
            let index = self.program.types.pointer_int(false);
            let mut inner = place.clone();
            for step in path {
                inner.path.push(match step {
                    StepInside::Member(number) => Selector::Field(number),
                    StepInside::Element(number) => Selector::Index(self.program.exprs.int(number, index)),
                });
            }
            inner.ty = self.place_type(&inner);
            if self.program.types.as_scalar(inner.ty) == Some(Scalar::Pointer) {
                let address = self.load(inner);
                self.emit(Op::Havoc { address, reach, source: source.clone() }, span)?;
            }
        }
        Ok(())
    }

    /// How far one reaches behind a pointer to a type; none if nothing is written there.
    fn reach_of(&mut self, pointee: Qual) -> Option<Reach> {
        self.reach_within(pointee, &mut Around::default()).filter(Reach::writes)
    }

    /// The same inside of others. A record that lies around already is not entered again: its pointers lead on in the same way.
    fn reach_within(&mut self, pointee: Qual, around: &mut Around) -> Option<Reach> {
        // Nobody but the library looks into a stream.
        let is_stream = matches!(self.types.get(pointee.ty), CType::Record(record)
            if matches!(self.types.records[*record].tag.as_deref(), Some("_IO_FILE" | "__sFILE" | "_iobuf")));
        if is_stream || self.types.as_function(pointee.ty).is_some() {
            return None;
        }
        let is_known = self.types.size_bits(pointee.ty).is_some() || self.types.is_void(pointee.ty);
        let element = self.types.model_type(pointee.ty, &mut self.program.types);
        let mut found = Vec::new();
        self.pointers_inside(pointee, (Vec::new(), 0), &mut found);
        around.followed += 1;
        let is_cut_short = found.len() > MOST_POINTERS || around.followed > MOST_FOLLOWED;
        let mut reach = Reach {
            element,
            written: !pointee.is_const && is_known,
            pointers: Vec::new(),
            again: Vec::new(),
            is_cut_short,
        };
        if is_cut_short {
            return Some(reach);
        }
        let record = |lower: &Self, of: Qual| match lower.types.get(of.ty) {
            CType::Record(record) => Some((*record, of.is_const)),
            _ => None,
        };
        around.records.push(record(self, pointee));
        for (_, offset, further) in found {
            let known = record(self, further);
            match around.records.iter().rev().position(|other| other.is_some() && *other == known) {
                Some(levels) => reach.again.push((offset, levels)),
                None => {
                    let further = self.reach_within(further, around);
                    reach.pointers.extend(further.map(|further| (offset, further)));
                }
            }
        }
        around.records.pop();
        let leads_on = !reach.pointers.is_empty() || !reach.again.is_empty();
        (reach.written || leads_on).then_some(reach)
    }

    /// The pointers to objects in an object of a type, each with its path, its offset in bits, and what it points to.
    fn pointers_inside(&self, ty: Qual, at: (Vec<StepInside>, u64), found: &mut Vec<(Vec<StepInside>, u64, Qual)>) {
        let (path, offset) = at;
        if found.len() > MOST_POINTERS {
            return;
        }
        match self.types.get(ty.ty) {
            CType::Pointer(to) => found.push((path, offset, *to)),
            CType::Array { element, length } => {
                let Some(stride) = self.types.size_bits(element.ty) else { return };
                let has_pointers = {
                    let mut one = Vec::new();
                    self.pointers_inside(*element, (Vec::new(), 0), &mut one);
                    !one.is_empty()
                };
                // How many elements lie at the end of a structure is not known.
                let length = length.unwrap_or(MOST_POINTERS as u64 + 1);
                for number in (0..length).take(MOST_POINTERS + 1).filter(|_| has_pointers) {
                    let path = path.iter().copied().chain([StepInside::Element(number)]).collect();
                    self.pointers_inside(*element, (path, offset + number * stride), found);
                }
            }
            CType::Record(record) => {
                let members = self.types.records[*record].body.iter().flat_map(|body| body.members.iter().enumerate());
                for (number, member) in members.filter(|(_, member)| member.bit_width.is_none()) {
                    let path = path.iter().copied().chain([StepInside::Member(number as u32)]).collect();
                    self.pointers_inside(member.ty, (path, offset + member.offset_bits), found);
                }
            }
            _ => {}
        }
    }

    /// Whether a function that is given something of a type may write to it, or to what is reached from it.
    fn is_reaching(&mut self, ty: Qual) -> bool {
        let mut found = Vec::new();
        self.pointers_inside(ty, (Vec::new(), 0), &mut found);
        found.into_iter().any(|(_, _, pointee)| self.reach_of(pointee).is_some())
    }

    /// Gives functions without a body whose address is used one that writes to what their parameters reach, and refuses
    /// what cannot be said in that way.
    pub(crate) fn complete_undefined_functions(&mut self) {
        let is_pure = self.options.undefined_functions == UndefinedFunctions::Pure;
        let undefined = std::mem::take(&mut self.undefined);
        if is_pure || undefined.address_taken.is_empty() {
            for edge in undefined.errno_changes {
                self.program.edges[edge].op = Op::Skip;
            }
        }
        if is_pure {
            return;
        }
        let mut taken: Vec<FunctionId> = undefined.address_taken.iter().copied().collect();
        taken.sort_unstable();
        let mut with_body = HashSet::default();
        for function in taken {
            let ty = self.functions[&function].ty;
            let Some(ty) = self.types.as_function(ty.ty).cloned() else { continue };
            for (span, is_beyond) in &undefined.through_pointers {
                if !ty.prototype || ty.variadic && *is_beyond {
                    let name = self.program.functions[function].name.clone();
                    let text = format!(
                        "this call may be one of `{name}`, which has no body and takes any arguments: what it writes \
                         through them is not known"
                    );
                    let diagnostic = Diagnostic::error("undefined-through-pointer", text)
                        .at(*span)
                        .help("declare it with its parameters, write a body, or give `--undefined-functions pure`");
                    self.diagnostics.push(diagnostic);
                    break;
                }
            }
            let reaching: Vec<bool> = ty.parameters.iter().map(|parameter| self.is_reaching(*parameter)).collect();
            if ty.prototype && reaching.contains(&true) {
                self.body_that_writes(function, &ty.parameters, ty.result);
                with_body.insert(function);
            }
        }
        // Where a function has such a body, its direct calls need no edges of their own.
        for (function, edge) in undefined.writes {
            if with_body.contains(&function)
                && matches!(self.program.edges[edge].op, Op::Input { .. } | Op::Havoc { .. })
            {
                self.program.edges[edge].op = Op::Skip;
            }
        }
        self.forget_given_addresses();
    }

    /// A body that writes to what the parameters reach and returns any value.
    fn body_that_writes(&mut self, function: FunctionId, parameters: &[Qual], result: Qual) {
        let (name, span) = (self.program.functions[function].name.clone(), self.program.functions[function].span);
        let entry = self.program.add_location(function);
        self.program.functions[function].entry = Some(entry);
        let mut at = entry;
        let mut ops = Vec::new();
        for (number, ty) in parameters.iter().enumerate() {
            let argument = number as u32 + 1;
            let model = self.types.model_type(ty.ty, &mut self.program.types);
            let variable = self.program.variables.push(Variable {
                name: format!("%{argument}"),
                kind: VariableKind::Parameter(function),
                ty: model,
                address_taken: false,
                span,
            });
            self.program.functions[function].parameters.push(variable);
            let source = InputSource::Argument { function: name.clone(), argument };
            let mut found = Vec::new();
            self.pointers_inside(*ty, (Vec::new(), 0), &mut found);
            if found.len() > MOST_POINTERS {
                let (what, help) = too_many_pointers();
                let diagnostic = Diagnostic::error(TOO_MANY, format!("{what} not supported"));
                self.diagnostics.push(diagnostic.at(span).help(help));
            }
            for (path, _, pointee) in found {
                let Some(reach) = self.reach_of(pointee) else { continue };
                let index = self.program.types.pointer_int(false);
                let mut place = self.variable_place(variable);
                for step in path {
                    place.path.push(match step {
                        StepInside::Member(number) => Selector::Field(number),
                        StepInside::Element(number) => Selector::Index(self.program.exprs.int(number, index)),
                    });
                }
                place.ty = self.place_type(&place);
                let address = self.load(place);
                ops.push(Op::Havoc { address, reach, source: source.clone() });
            }
        }
        let mut value = None;
        if !self.types.is_void(result.ty) {
            let model = self.types.model_type(result.ty, &mut self.program.types);
            let variable = self.temporary_of(function, "%0".to_owned(), model, span);
            let target = self.variable_place(variable);
            ops.push(Op::Input { target: target.clone(), source: InputSource::External(name) });
            value = Some(match self.program.types.as_scalar(model) {
                Some(_) => Operand::Scalar(self.load(target)),
                None => Operand::Aggregate(target),
            });
        }
        for op in ops {
            let to = self.program.add_location(function);
            self.program.add_edge(at, to, op, span, Observe::No);
            at = to;
        }
        let end = self.program.add_location(function);
        self.program.add_edge(at, end, Op::Return(value), span, Observe::No);
    }

    /// Functions without a body do nothing with the addresses that they are given beyond what the edges after the call
    /// do, so that these addresses need not be computed. Variables to which no other pointer leads are then reached by
    /// their names alone.
    fn forget_given_addresses(&mut self) {
        let null = self.zero(Scalar::Pointer);
        let mut given: HashSet<VariableId> = HashSet::default();
        for edge in self.program.edges.ids() {
            let Op::Call { callee: Callee::Function(function), arguments, .. } = &self.program.edges[edge].op else {
                continue;
            };
            if self.program.functions[*function].entry.is_some() {
                continue;
            }
            let mut arguments = arguments.clone();
            for argument in &mut arguments {
                if let Operand::Scalar(value) = argument
                    && let ModelKind::AddressOf(place) = &self.program.exprs.get(*value).kind
                    && let Root::Variable(variable) = place.root
                    && place
                        .operands()
                        .iter()
                        .all(|index| matches!(self.program.exprs.get(*index).kind, ModelKind::Constant(_)))
                {
                    given.insert(variable);
                    *value = null;
                }
            }
            if let Op::Call { arguments: old, .. } = &mut self.program.edges[edge].op {
                *old = arguments;
            }
        }
        if given.is_empty() {
            return;
        }
        let (_, pointed_to) = program::passes::used_variables(&self.program);
        for variable in given.into_iter().filter(|variable| !pointed_to.contains(variable)) {
            self.program.variables[variable].address_taken = false;
        }
    }
}

/// What a call may write to.
pub(crate) struct UndefinedWrites(Vec<GivenPointer>);

impl UndefinedWrites {
    /// Whether there is nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

const TOO_MANY: &str = "unsupported-undefined-function";

/// What is refused where more pointers are passed in one object than are followed, and what to do.
fn too_many_pointers() -> (String, &'static str) {
    let what = format!("a function without a body that is given more than {MOST_POINTERS} pointers in one object is");
    (what, "give the file that defines it, too, or use `--undefined-functions pure` if it writes nothing")
}

/// What lies around a reach.
#[derive(Default)]
struct Around {
    /// For each reach around it the record that it reaches, and whether that is constant there.
    records: Vec<Option<(RecordId, bool)>>,
    /// How many pointers were followed in all.
    followed: usize,
}

/// A step into an object.
#[derive(Clone, Copy)]
enum StepInside {
    Member(u32),
    Element(u64),
}
