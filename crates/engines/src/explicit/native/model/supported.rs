//! What can be compiled: variables and operations are gone through, and the first that stands in the way is named.
//!
//! What passes here, the emitter has code for; it checks nothing again.

use foundation::Span;
use foundation::collections::HashSet;
use program::semantics::Integers;
use program::{
    Callee, EdgeId, ExprId, ExprKind, Observe, Op, OpenEnd, Operand, Place, Program, Root, Scalar, Selector, Type,
    TypeId, VariableId, VariableKind,
};

use super::{NativeModel, NotNative, Slot};

/// Objects of more bytes than this are left to the interpreter.
const LARGEST_OBJECT_BYTES: u64 = 1 << 12;

/// Such a write is undefined, for which compiled code does not look.
const LITERAL_WRITTEN: &str = "a write to a literal";

impl NativeModel {
    /// Makes slots for all variables that the program or an atom names, and checks that all of it can be compiled.
    pub(super) fn find_slots(&mut self) -> Result<(), NotNative> {
        let mut named: HashSet<VariableId> = HashSet::default();
        let mut expressions: HashSet<ExprId> = HashSet::default();
        for edge in self.facts.reachable_edges().to_vec() {
            self.check_edge(edge, &mut named, &mut expressions)?;
        }
        let mut read_by_atoms: HashSet<VariableId> = HashSet::default();
        for expr in self.goal_expressions() {
            self.check_expression(expr, None, &mut read_by_atoms, &mut HashSet::default())?;
        }
        named.extend(&read_by_atoms);
        let mut named: Vec<VariableId> = named.into_iter().collect();
        named.sort_unstable();
        let mut memory = 0;
        for variable in named {
            let slot = self.slot(variable, &mut memory)?;
            self.read_by_atoms.push(read_by_atoms.contains(&variable));
            let id = self.slots.push(slot);
            self.slot_of.insert(variable, id);
        }
        self.initial_memory = vec![0; memory as usize];
        Ok(())
    }

    /// Where changes are observed, a full expression that changes something before it is complete is observed when it is
    /// complete, and not while it calls a function. That is left to the interpreter.
    pub(super) fn check_changes(&self) -> Result<(), NotNative> {
        let program = self.program();
        let mut looked_at: HashSet<VariableId> = HashSet::default();
        for expr in self.goal_expressions() {
            analysis::expressions::variables_read(program, expr, &mut |variable| _ = looked_at.insert(variable));
        }
        for edge in program.edges.values().filter(|edge| edge.observe == Observe::No) {
            let written = match &edge.op {
                Op::Assign { target, .. } | Op::Input { target, .. } => match target.root {
                    Root::Variable(variable) => Some(variable),
                    Root::Pointer { .. } => None,
                },
                Op::Call { result, .. } => *result,
                _ => None,
            };
            if written.is_some_and(|variable| looked_at.contains(&variable)) {
                let what = "observation of changes where an expression makes one before it is complete";
                return Err(NotNative::new(what, Some(edge.span)));
            }
        }
        Ok(())
    }

    fn slot(&self, variable: VariableId, memory: &mut u64) -> Result<Slot, NotNative> {
        let program = self.program();
        let data = &program.variables[variable];
        if let Some(ty) = program.types.as_scalar(data.ty) {
            if !is_supported(ty) {
                return Err(NotNative::new(format!("`{}`, which is no integer", data.name), Some(data.span)));
            }
            return Ok(Slot::Scalar { variable, ty, values: self.facts.values(program, variable) });
        }
        let bytes = program.types.size_bits(data.ty).div_ceil(8);
        if self.integers == Integers::Ideal {
            return Err(NotNative::new(
                format!("`{}`, an object in memory under ideal integers", data.name),
                Some(data.span),
            ));
        }
        if bytes > LARGEST_OBJECT_BYTES {
            return Err(NotNative::new(format!("`{}`, an object of {bytes} bytes", data.name), Some(data.span)));
        }
        let offset = *memory;
        *memory += bytes.next_multiple_of(8);
        Ok(Slot::Object { variable, bytes, offset })
    }

    fn check_edge(
        &self,
        edge: EdgeId,
        named: &mut HashSet<VariableId>,
        expressions: &mut HashSet<ExprId>,
    ) -> Result<(), NotNative> {
        let program = self.program();
        let data = &program.edges[edge];
        let span = Some(data.span);
        match &data.op {
            Op::Skip | Op::Declare(_) | Op::Discard(_) | Op::End(_) | Op::Unreachable => Ok(()),
            Op::AtomicBegin | Op::AtomicEnd => Ok(()),
            Op::Assume(condition) => self.check_expression(*condition, span, named, expressions),
            Op::Assign { target, value } => {
                if self.is_literal(target) {
                    return Err(NotNative::new(LITERAL_WRITTEN, span));
                }
                self.check_place(target, span, named, expressions)?;
                match value {
                    Operand::Scalar(value) => self.check_expression(*value, span, named, expressions),
                    Operand::Aggregate(source) => self.check_place(source, span, named, expressions),
                }
            }
            Op::Input { target, .. } => match target.as_variable() {
                Some(_) if self.is_literal(target) => Err(NotNative::new(LITERAL_WRITTEN, span)),
                Some(variable) if program.types.as_scalar(target.ty).is_some() => {
                    named.insert(variable);
                    Ok(())
                }
                _ => Err(NotNative::new("input into a part of an object", span)),
            },
            Op::Call { callee: Callee::Function(_), arguments, result } => {
                for argument in arguments {
                    match argument {
                        Operand::Scalar(value) if self.facts.is_total(*value) => {}
                        _ => return Err(NotNative::new("an argument of a function without a body", span)),
                    }
                }
                match result {
                    Some(result) if program.types.as_scalar(program.variables[*result].ty).is_none() => {
                        Err(NotNative::new("input into an object", span))
                    }
                    Some(result) => {
                        named.insert(*result);
                        Ok(())
                    }
                    None => Ok(()),
                }
            }
            Op::Return(None) => Ok(()),
            Op::Return(Some(Operand::Scalar(value))) => {
                if self.facts.is_total(*value) {
                    return Ok(());
                }
                self.check_expression(*value, span, named, expressions)
            }
            Op::Return(Some(Operand::Aggregate(_))) => Err(NotNative::new("a returned object", span)),
            Op::Call { .. } => Err(NotNative::new("a call through a pointer", span)),
            Op::Allocate { .. } | Op::Free(_) => Err(NotNative::new("the heap", span)),
            Op::Havoc { .. } => Err(NotNative::new("input to all that a pointer reaches", span)),
            Op::CopyBytes { .. } | Op::SetBytes { .. } => Err(NotNative::new("memory copied by bytes", span)),
            Op::Spawn { .. } | Op::Join { .. } | Op::ExitThread(_) => Err(NotNative::new("threads", span)),
            Op::InitLock(_) | Op::Lock(_) | Op::TryLock { .. } | Op::Unlock(_) => Err(NotNative::new("mutexes", span)),
        }
    }

    fn check_expression(
        &self,
        root: ExprId,
        span: Option<Span>,
        named: &mut HashSet<VariableId>,
        expressions: &mut HashSet<ExprId>,
    ) -> Result<(), NotNative> {
        let program = self.program();
        let mut open = vec![root];
        while let Some(expr) = open.pop() {
            if !expressions.insert(expr) {
                continue;
            }
            let data = program.exprs.get(expr);
            if !is_supported(data.ty) {
                let what = match data.ty {
                    Scalar::Float(_) => "floating-point numbers",
                    Scalar::Pointer => "pointers",
                    _ => "integers of this width",
                };
                return Err(NotNative::new(what, span));
            }
            match &data.kind {
                ExprKind::Load(place) => {
                    self.check_place(place, span, named, expressions)?;
                    if program.types.as_scalar(place.ty) != Some(data.ty) {
                        return Err(NotNative::new("a bit-field", span));
                    }
                }
                ExprKind::AddressOf(_) | ExprKind::FunctionAddress(_) => return Err(NotNative::new("pointers", span)),
                ExprKind::PointerAdd { .. } | ExprKind::PointerDifference { .. } => {
                    return Err(NotNative::new("pointers", span));
                }
                _ => {}
            }
            open.extend(program.exprs.operands(expr));
        }
        Ok(())
    }

    fn is_literal(&self, place: &Place) -> bool {
        let kind = place.root.variable().map(|variable| &self.program().variables[variable].kind);
        matches!(kind, Some(VariableKind::Literal { .. }))
    }

    fn check_place(
        &self,
        place: &Place,
        span: Option<Span>,
        named: &mut HashSet<VariableId>,
        expressions: &mut HashSet<ExprId>,
    ) -> Result<(), NotNative> {
        let program = self.program();
        let Root::Variable(variable) = place.root else { return Err(NotNative::new("access through a pointer", span)) };
        named.insert(variable);
        let mut ty = program.variables[variable].ty;
        let mut open_end = OpenEnd::new(&place.root);
        for step in &place.path {
            ty = match (step, program.types.get(ty)) {
                (Selector::Field(number), Type::Record(record)) => {
                    let field = &record.fields[*number as usize];
                    if field.bit_width.is_some() || field.offset_bits % 8 != 0 {
                        return Err(NotNative::new("a bit-field", span));
                    }
                    open_end.field(record, *number);
                    field.ty
                }
                (Selector::Index(index), Type::Array { element, length }) => {
                    if *length == 0 {
                        return Err(NotNative::new("an array without a length", span));
                    }
                    if open_end.index(*length) {
                        return Err(NotNative::new("an array that goes on behind its end", span));
                    }
                    self.check_expression(*index, span, named, expressions)?;
                    *element
                }
                _ => return Err(NotNative::new("a part of an object at another type", span)),
            };
        }
        match program.types.as_scalar(ty) {
            Some(scalar) if !is_supported(scalar) => Err(NotNative::new("floating-point numbers or pointers", span)),
            None if !only_integers(program, ty) => Err(NotNative::new("an object with floats or pointers", span)),
            _ => Ok(()),
        }
    }

    /// Atoms are false where they are undefined, which compiled code does not find out.
    pub(super) fn check_atoms(&self) -> Result<(), NotNative> {
        match self.goal_expressions().iter().all(|expr| self.is_total(*expr)) {
            true => Ok(()),
            false => Err(NotNative::new("an atom that may be undefined", None)),
        }
    }
}

/// Whether a value of this type fits a register.
fn is_supported(ty: Scalar) -> bool {
    match ty {
        Scalar::Bool => true,
        Scalar::Int(ty) => ty.bits <= 64,
        Scalar::Float(_) | Scalar::Pointer => false,
    }
}

fn only_integers(program: &Program, ty: TypeId) -> bool {
    match program.types.get(ty) {
        Type::Scalar(scalar) => is_supported(*scalar),
        Type::Array { element, .. } => only_integers(program, *element),
        Type::Record(record) => record.fields.iter().all(|field| only_integers(program, field.ty)),
        Type::Opaque => false,
    }
}
