//! Statements (6.8) and declarations inside blocks.

use foundation::{Diagnostic, Span};
use program::{ExprKind as ModelKind, InputSource, LocationId, Op, Operand};

use super::build::JumpTarget;
use super::effects::makes_object;
use super::{Denoted, Lower, Lowered, Lowering};
use crate::syntax::ast::{
    Asm, BlockItem, Declaration, ExprId, ForInit, InitDeclarator, Specifiers, StmtId, StmtKind, Storage, TypeSpecifier,
};
use crate::syntax::symbols::Symbol;
use crate::types::{CType, Qual};

impl Lowering<'_> {
    /// Lowers a statement. A fault in it is reported, and lowering goes on behind it.
    pub(crate) fn statement(&mut self, id: StmtId) {
        let _ = stacker::maybe_grow(128 * 1024, 2 * 1024 * 1024, || self.statement_on_grown_stack(id));
    }

    fn statement_on_grown_stack(&mut self, id: StmtId) -> Lower<()> {
        let ast = self.ast.clone();
        let statement = &ast.statements[id];
        let span = statement.span;
        match &statement.kind {
            StmtKind::Compound(items) => {
                self.block(span, |lowering| lowering.block_items(items));
                Ok(())
            }
            StmtKind::Expression(None) => Ok(()),
            StmtKind::Expression(Some(expr)) => self.full_expression(*expr),
            StmtKind::If { branches, otherwise } => {
                let conditions: Vec<ExprId> = branches.iter().map(|(condition, _)| *condition).collect();
                self.with_objects_of(&conditions, span, |lowering| lowering.if_ladder(branches, *otherwise, span))
            }
            StmtKind::Switch(control, body) => {
                self.with_objects_of(&[*control], span, |lowering| lowering.switch(*control, *body, span))
            }
            StmtKind::While(condition, body) => {
                self.with_objects_of(&[*condition], span, |lowering| lowering.while_loop(*condition, *body, span))
            }
            StmtKind::DoWhile(body, condition) => {
                self.with_objects_of(&[*condition], span, |lowering| lowering.do_while_loop(*body, *condition, span))
            }
            StmtKind::For { init, condition, step, body } => {
                let mut result = Ok(());
                self.block(span, |lowering| {
                    result = lowering.for_loop(init.as_ref(), *condition, *step, *body, span);
                });
                result
            }
            StmtKind::Goto(label, label_span) => self.goto(*label, *label_span),
            StmtKind::ComputedGoto(_) => {
                self.unsupported("unsupported-label-address", "computed `goto` is", span, "use a `switch`")
            }
            StmtKind::Continue => self.leave_loop(false, span),
            StmtKind::Break => self.leave_loop(true, span),
            StmtKind::Return(value) => self.return_statement(*value, span),
            StmtKind::Labeled(labels, inner) => {
                for label in labels {
                    self.label(label)?;
                }
                self.statement(*inner);
                Ok(())
            }
            StmtKind::Asm(asm) => self.assembly(asm, span),
        }
    }

    /// The items of a block, one after the other.
    pub(crate) fn block_items(&mut self, items: &[BlockItem]) {
        for item in items {
            match item {
                BlockItem::Statement(statement) => self.statement(*statement),
                BlockItem::Declaration(declaration) => {
                    let _ = self.block_declaration(declaration);
                }
                BlockItem::NestedFunction(span) => {
                    let _: Lower<()> = self.unsupported(
                        "unsupported-nested-function",
                        "functions inside functions are",
                        *span,
                        "move the function to file scope",
                    );
                }
            }
        }
    }

    /// A block with its own scope; the lifetimes of its variables end with it.
    fn block(&mut self, span: Span, inside: impl FnOnce(&mut Self)) {
        let block = self.scopes.open();
        self.builder().blocks.push(block);
        inside(self);
        let open = self.builder().blocks.len() - 1;
        self.leave_blocks(open, span.after());
        self.builder().blocks.pop();
        self.scopes.close();
    }

    /// A statement with these conditions. It is a block (6.8.4p3, 6.8.5p5), which matters for the lifetimes of objects
    /// that the conditions make.
    fn with_objects_of(
        &mut self,
        conditions: &[ExprId],
        span: Span,
        statement: impl FnOnce(&mut Self) -> Lower<()>,
    ) -> Lower<()> {
        if !conditions.iter().any(|condition| makes_object(&self.ast, *condition)) {
            return statement(self);
        }
        let mut result = Ok(());
        self.block(span, |lowering| result = statement(lowering));
        result
    }

    /// A statement inside of another, which is a block as well.
    pub(crate) fn substatement(&mut self, statement: StmtId) {
        let ast = self.ast.clone();
        let mut inner = statement;
        while let StmtKind::Labeled(_, labeled) = &ast.statements[inner].kind {
            inner = *labeled;
        }
        match ast.statements[inner].kind {
            StmtKind::Expression(Some(expr)) if makes_object(&ast, expr) => {
                self.block(ast.statements[statement].span, |lowering| lowering.statement(statement));
            }
            _ => self.statement(statement),
        }
    }

    /// An expression statement, or an expression that a statement evaluates for its effects (6.8p4).
    fn full_expression(&mut self, expr: ExprId) -> Lower<()> {
        self.check_sequencing(expr);
        self.builder().last = None;
        self.discard(expr)?;
        let span = self.ast.exprs[expr].span;
        self.observe(span)
    }

    fn if_ladder(&mut self, branches: &[(ExprId, StmtId)], otherwise: Option<StmtId>, span: Span) -> Lower<()> {
        let join = self.new_location();
        for (condition, statement) in branches {
            let (then, next) = (self.new_location(), self.new_location());
            let _ = self.branch(*condition, then, next);
            self.go_on_at(then);
            self.substatement(*statement);
            self.jump(join, span);
            self.go_on_at(next);
        }
        if let Some(statement) = otherwise {
            self.substatement(statement);
        }
        self.jump(join, span);
        self.go_on_at(join);
        Ok(())
    }

    fn while_loop(&mut self, condition: ExprId, body: StmtId, span: Span) -> Lower<()> {
        let (head, inside, exit) = (self.new_location(), self.new_location(), self.new_location());
        self.jump(head, span);
        self.go_on_at(head);
        let _ = self.branch(condition, inside, exit);
        self.go_on_at(inside);
        self.loop_body(body, exit, head);
        self.jump(head, span);
        self.go_on_at(exit);
        Ok(())
    }

    fn do_while_loop(&mut self, body: StmtId, condition: ExprId, span: Span) -> Lower<()> {
        let (head, test, exit) = (self.new_location(), self.new_location(), self.new_location());
        self.jump(head, span);
        self.go_on_at(head);
        self.loop_body(body, exit, test);
        self.jump(test, span);
        self.go_on_at(test);
        let _ = self.branch(condition, head, exit);
        self.go_on_at(exit);
        Ok(())
    }

    fn for_loop(
        &mut self,
        init: Option<&ForInit>,
        condition: Option<ExprId>,
        step: Option<ExprId>,
        body: StmtId,
        span: Span,
    ) -> Lower<()> {
        let _ = match init {
            None => Ok(()),
            Some(ForInit::Declaration(declaration)) => self.block_declaration(declaration),
            Some(ForInit::Expression(expr)) => self.full_expression(*expr),
        };
        let (head, inside, next, exit) =
            (self.new_location(), self.new_location(), self.new_location(), self.new_location());
        self.jump(head, span);
        self.go_on_at(head);
        match condition {
            Some(condition) => {
                let _ = self.branch(condition, inside, exit);
            }
            None => self.jump(inside, span),
        }
        self.go_on_at(inside);
        self.loop_body(body, exit, next);
        self.jump(next, span);
        self.go_on_at(next);
        if let Some(step) = step {
            let _ = self.full_expression(step);
        }
        self.jump(head, span);
        self.go_on_at(exit);
        Ok(())
    }

    fn loop_body(&mut self, body: StmtId, exit: LocationId, next: LocationId) {
        let open_blocks = self.builder().blocks.len();
        let builder = self.builder();
        builder.breaks.push(JumpTarget { location: exit, open_blocks });
        builder.continues.push(JumpTarget { location: next, open_blocks });
        self.substatement(body);
        let builder = self.builder();
        builder.breaks.pop();
        builder.continues.pop();
    }

    fn return_statement(&mut self, value: Option<ExprId>, span: Span) -> Lower<()> {
        let result = self.builder().result;
        self.builder().last = None;
        let operand = match value {
            None => {
                if !self.types.is_void(result.ty) {
                    let text = "this returns no value from a function that has one";
                    self.warn(Diagnostic::warning("return-type", text).at(span));
                }
                None
            }
            Some(expr) => {
                self.check_sequencing(expr);
                let operand = self.returned(expr, result, span)?;
                self.observe(span)?;
                operand
            }
        };
        let op = self.return_op(operand);
        self.emit(op, span)?;
        let unreachable = self.new_location();
        self.go_on_at(unreachable);
        Ok(())
    }

    fn returned(&mut self, expr: ExprId, result: Qual, span: Span) -> Lower<Option<Operand>> {
        let lowered = self.rvalue(expr)?;
        if self.types.is_void(result.ty) {
            if !matches!(lowered.value, Denoted::Void) {
                let text = "this returns a value from a function without one";
                self.warn(Diagnostic::warning("return-type", text).at(span));
            }
            self.carry_out(&lowered, span)?;
            return Ok(None);
        }
        if let Denoted::Aggregate(_) = lowered.value {
            let place = self.aggregate_operand(lowered, result, "this `return`")?;
            return Ok(Some(Operand::Aggregate(place)));
        }
        let scalar = self.scalar_of(lowered)?;
        let value = self.assign_convert(scalar, result, "this `return`")?;
        Ok(Some(Operand::Scalar(self.keep(value, span)?)))
    }

    /// Returning from a function that is declared not to return is undefined (6.7.4p8).
    pub(crate) fn return_op(&mut self, operand: Option<Operand>) -> Op {
        let function = self.builder().id;
        if self.functions[&function].noreturn { Op::Unreachable } else { Op::Return(operand) }
    }

    /// Inline assembly writes anything to its outputs, and to what its inputs point to where it changes memory.
    fn assembly(&mut self, asm: &Asm, span: Span) -> Lower<()> {
        if !asm.labels.is_empty() {
            return self.unsupported("unsupported-asm-goto", "assembly that jumps is", span, "");
        }
        let has_instructions = !asm.instructions.trim().is_empty();
        let changes_memory = has_instructions && asm.clobbers.iter().any(|clobber| clobber == "memory");
        if has_instructions || !asm.outputs.is_empty() {
            let text = match changes_memory {
                true => "its outputs and what its inputs point to may get any value, nothing else changes",
                false => "its outputs may get any value, nothing else changes",
            };
            self.warn(Diagnostic::warning("assembly", format!("inline assembly is not understood: {text}")).at(span));
            let text = match changes_memory {
                true => {
                    "inline assembly writes any values to its outputs and to what its inputs point to, and does \
                         nothing else"
                }
                false => "inline assembly writes any values to its outputs and does nothing else",
            };
            self.assume(text.to_owned(), span);
        }
        self.builder().last = None;
        let mut inputs = Vec::new();
        for (_, input) in &asm.inputs {
            let lowered = self.rvalue(*input)?;
            self.carry_out(&lowered, span)?;
            let ty = lowered.ty;
            if let (Denoted::Scalar(value), true) = (lowered.value, changes_memory) {
                inputs.push((Operand::Scalar(value), ty));
            }
        }
        let writes = self.reached_by_call(&inputs, span)?;
        self.write_what_is_reached(writes, &|_| InputSource::Assembly, span)?;
        for (_, output) in &asm.outputs {
            let (target, ty, _) = self.lvalue(*output)?;
            if ty.is_const {
                return self.error("assign-const", "this object is `const` and cannot be assigned to", span);
            }
            self.emit(Op::Input { target, source: InputSource::Assembly }, span)?;
        }
        self.observe(span)
    }

    /// `({ … })`: the value of the last expression statement, kept before the block's variables go.
    pub(crate) fn statement_expression(&mut self, statement: StmtId, span: Span) -> Lower<Lowered> {
        if self.function.is_none() {
            return self.error("not-constant", "this is not a constant expression", span);
        }
        let ast = self.ast.clone();
        let StmtKind::Compound(items) = &ast.statements[statement].kind else {
            return self.error("statement-expression", "a block is needed here", span);
        };
        let mut result = None;
        self.block(span, |lowering| {
            let last = items.split_last().and_then(|(last, before)| match last {
                BlockItem::Statement(id) => match &ast.statements[*id].kind {
                    StmtKind::Expression(Some(expr)) => Some((*expr, &[][..], before)),
                    StmtKind::Labeled(labels, inner) => match ast.statements[*inner].kind {
                        StmtKind::Expression(Some(expr)) => Some((expr, labels.as_slice(), before)),
                        _ => None,
                    },
                    _ => None,
                },
                _ => None,
            });
            match last {
                None => lowering.block_items(items),
                Some((expr, labels, before)) => {
                    lowering.block_items(before);
                    let labelled = labels.iter().try_for_each(|label| lowering.label(label));
                    result = Some(labelled.and_then(|()| lowering.kept_value(expr)));
                }
            }
        });
        match result {
            Some(lowered) => Ok(Lowered { span, ..lowered? }),
            None => {
                let ty = self.types.qual(CType::Void);
                Ok(Lowered { value: Denoted::Void, ty, bit_width: None, span })
            }
        }
    }

    /// A value that outlives the block in which it is computed.
    fn kept_value(&mut self, expr: ExprId) -> Lower<Lowered> {
        self.check_sequencing(expr);
        let span = self.ast.exprs[expr].span;
        let lowered = self.rvalue(expr)?;
        let value = match lowered.value {
            // The address of an object of the block is taken before the object goes.
            Denoted::Scalar(value) if self.leads_into_block(value) => Denoted::Scalar(self.keep_anyway(value, span)?),
            Denoted::Scalar(value) => Denoted::Scalar(self.keep(value, span)?),
            Denoted::Aggregate(place) if self.unevaluated == 0 => {
                let copy = self.temporary(place.ty, span)?;
                let target = self.variable_place(copy);
                self.emit(Op::Assign { target: target.clone(), value: Operand::Aggregate(place) }, span)?;
                Denoted::Aggregate(target)
            }
            other => other,
        };
        Ok(Lowered { value, ..lowered })
    }

    /// Whether a value contains the address of an object that goes with the innermost block.
    fn leads_into_block(&mut self, value: program::ExprId) -> bool {
        let builder = self.function.as_ref().expect("statements are lowered inside a function");
        let own = builder.blocks.last().and_then(|block| builder.block_variables.get(block));
        let Some(own) = own.filter(|_| self.unevaluated == 0) else { return false };
        let mut open = vec![value];
        while let Some(expr) = open.pop() {
            if let ModelKind::AddressOf(place) = &self.program.exprs.get(expr).kind
                && place.root.variable().is_some_and(|variable| own.contains(&variable))
            {
                return true;
            }
            open.extend(self.program.exprs.operands(expr));
        }
        false
    }

    /// A declaration inside a block.
    fn block_declaration(&mut self, declaration: &Declaration) -> Lower<()> {
        let Declaration::Declarators { specifiers, declarators, .. } = declaration else {
            return self.static_assert(declaration);
        };
        if let TypeSpecifier::Auto = specifiers.ty {
            for item in declarators {
                self.refuse_cleanup(specifiers, item)?;
                self.auto_declarator(item)?;
            }
            return Ok(());
        }
        let base = self.specified_type(specifiers);
        for item in declarators {
            let lowered = base.and_then(|base| self.block_declarator(base, specifiers, item));
            let before = self.refused_declarations.len();
            self.note_faulty(lowered, item.declarator.name, item.declarator.span, before);
        }
        Ok(())
    }

    fn block_declarator(&mut self, base: Qual, specifiers: &Specifiers, item: &InitDeclarator) -> Lower<()> {
        self.refuse_cleanup(specifiers, item)?;
        if specifiers.storage.is_none() && self.variable_array(base, item.declarator.name, item)? {
            return Ok(());
        }
        let ty = self.derived_type(base, &item.declarator, false)?;
        let span = item.declarator.span;
        let Some(name) = item.declarator.name else { return Ok(()) };
        if specifiers.storage == Some(Storage::Typedef) {
            self.typedef(name, ty, span)?;
            return self.align_typedef(name, specifiers, item);
        }
        if self.block_declaration_with_linkage(name, ty, specifiers, item)? {
            return Ok(());
        }
        self.refuse_atomic(ty, span)?;
        let unknown_length = matches!(self.types.get(ty.ty), CType::Array { length: None, .. });
        if self.types.is_void(ty.ty) {
            return self.error("void-object", "an object cannot have type `void`", span);
        }
        if self.types.size_bits(ty.ty).is_none() && !(unknown_length && item.initializer.is_some()) {
            let text = format!("this object has the incomplete type `{}`", self.describe(ty));
            return self.error("incomplete-type", text, span);
        }
        self.local_variable(name, ty, item)
    }

    fn refuse_cleanup(&mut self, specifiers: &Specifiers, item: &InitDeclarator) -> Lower<()> {
        let mut attributes = specifiers.attributes.iter().chain(&item.declarator.attributes);
        match attributes.find(|attribute| attribute.name == "cleanup") {
            Some(found) => self.unsupported("unsupported-attribute", "the attribute `cleanup` is", found.span, ""),
            None => Ok(()),
        }
    }

    fn local_variable(&mut self, name: Symbol, ty: Qual, item: &InitDeclarator) -> Lower<()> {
        let span = item.declarator.span;
        let variable = self.new_local(name, ty, span)?;
        self.builder().last = None;
        self.emit(Op::Declare(variable), span)?;
        let Some(initializer) = &item.initializer else { return Ok(()) };
        let declared = self.builder().last.take();
        // `int x = x;` reads what the new lifetime begins with.
        let reads_itself = super::effects::mentions(&self.ast, initializer, name);
        self.revivals.extend(declared.filter(|_| !reads_itself));
        let span = match initializer {
            crate::syntax::ast::Initializer::Expr(expr) => {
                self.check_sequencing(*expr);
                span.to(self.ast.exprs[*expr].span)
            }
            crate::syntax::ast::Initializer::List { span: braces, .. } => span.to(*braces),
        };
        self.initialize_local(variable, initializer, span)?;
        self.observe(span)
    }

    /// `__auto_type name = value;`
    fn auto_declarator(&mut self, item: &InitDeclarator) -> Lower<()> {
        let span = item.declarator.span;
        let (Some(name), Some(crate::syntax::ast::Initializer::Expr(expr)), true) =
            (item.declarator.name, &item.initializer, item.declarator.derived.is_empty())
        else {
            return self.error("auto-type", "`__auto_type` needs a plain name with an initialiser", span);
        };
        self.check_sequencing(*expr);
        self.builder().last = None;
        let lowered = self.rvalue(*expr)?;
        let ty = lowered.ty.unqualified();
        if self.types.size_bits(ty.ty).is_none() {
            return self.error("void-value", "this expression has no value", lowered.span);
        }
        let span = span.to(lowered.span);
        let variable = self.new_local(name, ty, span)?;
        self.emit(Op::Declare(variable), span)?;
        let value = match lowered.value {
            Denoted::Aggregate(place) => Operand::Aggregate(place),
            _ => Operand::Scalar(self.scalar_of(lowered)?.value),
        };
        let target = self.variable_place(variable);
        self.emit(Op::Assign { target, value }, span)?;
        self.observe(span)
    }
}
