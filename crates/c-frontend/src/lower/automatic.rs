//! Storage whose size only the run knows: `alloca`, and arrays of variable length (6.7.6.2). It lies on a stack of
//! objects that library functions of our own keep: a function, and a block with such an array, remember how high the
//! stack was and take off what was put on it when they are left.

use foundation::Span;
use foundation::collections::HashMap;
use program::{
    Allocation, BinaryOp, Callee, CompareOp, EdgeId, ExprId as ModelExpr, ExprKind as ModelKind, FunctionId, IntType,
    Observe, Op, Operand, Place, Scalar, VariableId,
};

use super::scope::BlockId;
use super::{Denoted, Lower, Lowered, Lowering};
use crate::syntax::ast::{ArrayLength, Declarator, Derived, ExprId, ExprKind, InitDeclarator, TypeName};
use crate::syntax::symbols::Symbol;
use crate::types::{CType, Qual};

/// The functions that keep the stack.
const STACK: [&str; 4] = ["__automatic_mark", "__automatic_push", "__automatic_pop", "__automatic_check"];

/// An array of variable length: what its variable, a pointer, stands for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VariableArray {
    element: Qual,
    /// The variable that holds its size in bytes.
    bytes: VariableId,
}

/// What a function remembers of the stack.
#[derive(Default)]
pub(crate) struct StackMarks {
    /// Whether the function puts anything on it.
    used: bool,
    /// Whether it has arrays of variable length.
    arrays: bool,
    /// How high it was in blocks with such arrays, but for the outermost one.
    blocks: HashMap<BlockId, VariableId>,
}

impl Lowering<'_> {
    /// Storage of so many bytes until the function returns: its address.
    pub(crate) fn automatic_storage(&mut self, size: ModelExpr, span: Span) -> Lower<ModelExpr> {
        if self.threaded {
            let what = "storage of variable size in a program with threads is";
            return self.unsupported(
                "unsupported-vla",
                what,
                span,
                "give the array a constant length, or use `malloc`",
            );
        }
        self.automatic_used = true;
        self.builder().marks.used = true;
        let model = self.program.types.scalar(Scalar::Pointer);
        let target = self.temporary(model, span)?;
        self.emit(Op::Allocate { target, size, contents: Allocation::Arbitrary }, span)?;
        let place = self.variable_place(target);
        let pointer = self.load(place);
        let callee = self.stack_function("__automatic_push", span);
        self.emit(Op::Call { callee, arguments: vec![Operand::Scalar(pointer)], result: None }, span)?;
        Ok(pointer)
    }

    fn stack_function(&mut self, name: &str, span: Span) -> Callee {
        for name in STACK {
            let symbol = self.symbols.intern(name);
            self.note_use(symbol);
        }
        let symbol = self.symbols.intern(name);
        let ty = self.library_type(symbol).expect("the library defines it");
        Callee::Function(self.external_function(symbol, ty, span))
    }

    /// Whether a declarator makes an array whose length is no constant: its length, and the declarator of its elements.
    fn variable_length(&mut self, declarator: &Declarator) -> Lower<Option<(ExprId, Declarator)>> {
        let Some((Derived::Array { length: ArrayLength::Expr(length), .. }, rest)) = declarator.derived.split_first()
        else {
            return Ok(None);
        };
        if self.function.is_none() || self.constant_length(*length)?.is_some() {
            return Ok(None);
        }
        Ok(Some((*length, Declarator { derived: rest.to_vec(), ..declarator.clone() })))
    }

    /// The size in bytes of an array of variable length, if a declarator makes one, with the type of its elements. A
    /// length that is not positive is undefined.
    fn variable_size(&mut self, base: Qual, declarator: &Declarator) -> Lower<Option<(Qual, ModelExpr)>> {
        let Some((length, of_elements)) = self.variable_length(declarator)? else { return Ok(None) };
        let element = self.derived_type(base, &of_elements, false)?;
        let span = self.ast.exprs[length].span;
        self.array_type(element, None, span)?;
        self.check_sequencing(length);
        let count = self.scalar(length)?;
        if !self.types.is_integer(count.ty.ty) {
            let text = format!("the length of an array must be an integer, not `{}`", self.describe(count.ty));
            return self.error("array-length", text, span);
        }
        let count = self.promote(count);
        let count = self.keep(count.value, span)?;
        let zero = self.zero(self.program.exprs.ty(count));
        let positive = self.program.exprs.intern(ModelKind::Compare(CompareOp::Greater, count, zero), Scalar::Bool);
        if self.unevaluated == 0 {
            let (right, wrong) = (self.new_location(), self.new_location());
            self.branch_on(positive, (right, Observe::No), (wrong, Observe::No), span);
            self.go_on_at(wrong);
            self.emit(Op::Unreachable, span)?;
            self.go_on_at(right);
        }
        // In a type that holds every product: what wraps must not become a small array.
        let wide = IntType::unsigned(128);
        let count = self.cast_scalar(count, Scalar::Int(wide));
        let size = self.types.size_bytes(element.ty).unwrap_or(0);
        let size = self.program.exprs.int(size, wide);
        let bytes = ModelKind::Binary(BinaryOp::Multiply, count, size);
        Ok(Some((element, self.program.exprs.intern(bytes, Scalar::Int(wide)))))
    }

    /// Declares an array of variable length, if the declarator makes one. Returns whether it did.
    pub(crate) fn variable_array(&mut self, base: Qual, name: Option<Symbol>, item: &InitDeclarator) -> Lower<bool> {
        let span = item.declarator.span;
        let Some(name) = name else { return Ok(false) };
        if self.unevaluated > 0 || self.variable_length(&item.declarator)?.is_none() {
            return Ok(false);
        }
        if item.initializer.is_some() {
            return self.error("initializer", "an array of variable length cannot be initialised", span);
        }
        self.builder().last = None;
        let Some((element, size)) = self.variable_size(base, &item.declarator)? else { return Ok(false) };
        self.refuse_atomic(element, span)?;
        let size = self.keep(size, span)?;
        self.mark_block(span)?;
        let pointer = self.automatic_storage(size, span)?;
        let ty = self.types.pointer_to(element);
        let variable = self.new_local(name, ty, span)?;
        let kind = self.types.size_kind();
        let bytes_type = self.types.int(kind);
        let model = self.types.model_type(bytes_type.ty, &mut self.program.types);
        let bytes = self.temporary(model, span)?;
        let value = Operand::Scalar(self.cast_value(size, bytes_type));
        self.emit(Op::Assign { target: self.variable_place(bytes), value }, span)?;
        self.emit(Op::Declare(variable), span)?;
        let target = self.variable_place(variable);
        self.emit(Op::Assign { target, value: Operand::Scalar(pointer) }, span)?;
        self.variable_arrays.insert(variable, VariableArray { element, bytes });
        self.builder().marks.arrays = true;
        Ok(true)
    }

    /// The array that a variable stands for, if it is one of variable length.
    pub(crate) fn as_variable_array(&mut self, variable: VariableId, span: Span) -> Option<Lowered> {
        let array = *self.variable_arrays.get(&variable)?;
        let ty = self.types.qual(CType::Array { element: array.element, length: None });
        let model = self.types.model_type(ty.ty, &mut self.program.types);
        let pointer = self.load(self.variable_place(variable));
        Some(Lowered { value: Denoted::Place(Place::pointer(pointer, model)), ty, bit_width: None, span })
    }

    /// `sizeof` an array of variable length that is named; none for anything else.
    pub(crate) fn variable_array_size(&mut self, operand: ExprId, span: Span) -> Option<Lowered> {
        let ExprKind::Identifier(name) = self.ast.exprs[operand].kind else { return None };
        let super::scope::BindingKind::Variable(variable) = self.scopes.find(name)?.kind else { return None };
        let array = *self.variable_arrays.get(&variable)?;
        let value = self.load(self.variable_place(array.bytes));
        let kind = self.types.size_kind();
        let ty = self.types.int(kind);
        Some(Lowered { value: Denoted::Scalar(value), ty, bit_width: None, span })
    }

    /// `sizeof` a type that is an array of variable length; none for any other.
    pub(crate) fn variable_type_size(&mut self, name: &TypeName, span: Span) -> Lower<Option<Lowered>> {
        if self.variable_length(&name.declarator)?.is_none() {
            return Ok(None);
        }
        let base = self.specified_type(&name.specifiers)?;
        let Some((_, size)) = self.variable_size(base, &name.declarator)? else { return Ok(None) };
        let kind = self.types.size_kind();
        let ty = self.types.int(kind);
        let value = Denoted::Scalar(self.cast_value(size, ty));
        Ok(Some(Lowered { value, ty, bit_width: None, span }))
    }

    /// Remembers how high the stack is where the innermost block gets its first array of variable length.
    fn mark_block(&mut self, span: Span) -> Lower<()> {
        let builder = self.builder();
        let block = *builder.blocks.last().expect("a function body is a block");
        if builder.blocks.len() == 1 || builder.marks.blocks.contains_key(&block) {
            return Ok(());
        }
        let model = self.program.types.scalar(Scalar::Pointer);
        let mark = self.temporary(model, span)?;
        self.builder().marks.blocks.insert(block, mark);
        let callee = self.stack_function("__automatic_mark", span);
        self.emit(Op::Call { callee, arguments: Vec::new(), result: Some(mark) }, span)
    }

    /// Takes off what the blocks that are left have put on the stack.
    pub(crate) fn leave_marks(&mut self, open_blocks: usize, span: Span) {
        let builder = self.builder();
        let mark = builder.blocks[open_blocks..].iter().find_map(|block| builder.marks.blocks.get(block).copied());
        if let Some(mark) = mark {
            let op = self.pop_to(mark, span);
            let _ = self.emit(op, span);
        }
    }

    fn pop_to(&mut self, mark: VariableId, span: Span) -> Op {
        let callee = self.stack_function("__automatic_pop", span);
        let mark = self.load(self.variable_place(mark));
        Op::Call { callee, arguments: vec![Operand::Scalar(mark)], result: None }
    }

    /// Refuses a jump that begins or ends the lifetime of an array of variable length.
    pub(crate) fn check_jump(&mut self, from: &[BlockId], to: &[BlockId], backwards: bool, span: Span) -> Lower<()> {
        let marks = &self.builder().marks;
        let marked = from.iter().chain(to).any(|block| marks.blocks.contains_key(block));
        let repeated = backwards && marks.arrays;
        if !marked && !repeated {
            return Ok(());
        }
        let what = "`goto` across the lifetime of an array of variable length is";
        self.unsupported("unsupported-vla", what, span, "give the array a constant length")
    }

    /// Lets a function that puts anything on the stack take it off when it returns.
    pub(crate) fn finish_marks(&mut self, function: FunctionId, span: Span) -> Lower<()> {
        if !self.builder().marks.used {
            return Ok(());
        }
        let model = self.program.types.scalar(Scalar::Pointer);
        let mark = self.temporary(model, span)?;
        let returns: Vec<EdgeId> = self
            .program
            .edges
            .iter()
            .filter(|(_, edge)| self.program.locations[edge.from].function == function)
            .filter(|(_, edge)| matches!(edge.op, Op::Return(_)))
            .map(|(id, _)| id)
            .collect();
        for edge in returns {
            let Op::Return(value) = self.program.edges[edge].op.clone() else { continue };
            let (span, to) = (self.program.edges[edge].span, self.program.edges[edge].to);
            let (kept, copy) = self.kept_result(value, span)?;
            let first = self.program.add_location(function);
            let last = self.program.add_location(function);
            let pop = self.pop_to(mark, span);
            self.program.edges[edge].op = copy;
            self.program.edges[edge].to = first;
            self.program.add_edge(first, last, pop, span, Observe::No);
            self.program.add_edge(last, to, Op::Return(kept), span, Observe::No);
        }
        let callee = self.stack_function("__automatic_mark", span);
        let begin = self.program.add_location(function);
        let entry = self.program.functions[function].entry.expect("it is being lowered");
        let op = Op::Call { callee, arguments: Vec::new(), result: Some(mark) };
        self.program.add_edge(begin, entry, op, span, Observe::No);
        self.program.functions[function].entry = Some(begin);
        Ok(())
    }

    /// A result that does not lie in what is taken off the stack, and how it is kept.
    fn kept_result(&mut self, value: Option<Operand>, span: Span) -> Lower<(Option<Operand>, Op)> {
        let Some(value) = value else { return Ok((None, Op::Skip)) };
        let ty = self.operand_type(&value);
        let copy = self.temporary(ty, span)?;
        let target = self.variable_place(copy);
        let kept = match &value {
            Operand::Scalar(_) => Operand::Scalar(self.load(target.clone())),
            Operand::Aggregate(_) => Operand::Aggregate(target.clone()),
        };
        Ok((Some(kept), Op::Assign { target, value }))
    }

    /// Lets every `free` and `realloc` look whether it is given storage that is not on the heap.
    pub(crate) fn check_frees(&mut self) {
        if !self.automatic_used {
            return;
        }
        for edge in self.program.edges.ids() {
            let freed = match &self.program.edges[edge].op {
                Op::Free(pointer) => *pointer,
                Op::Allocate { contents: Allocation::Resized(pointer), .. } => *pointer,
                _ => continue,
            };
            let function = self.program.locations[self.program.edges[edge].from].function;
            if STACK.contains(&self.program.functions[function].name.as_str()) {
                continue;
            }
            let old = self.program.edges[edge].clone();
            let callee = self.stack_function("__automatic_check", old.span);
            let middle = self.program.add_location(function);
            let check = Op::Call { callee, arguments: vec![Operand::Scalar(freed)], result: None };
            self.program.edges[edge].op = check;
            self.program.edges[edge].to = middle;
            self.program.edges[edge].observe = Observe::No;
            self.program.add_edge(middle, old.to, old.op, old.span, old.observe);
        }
    }
}
