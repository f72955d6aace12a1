//! Initialisation (6.7.9): braces, designators, elided braces and strings, flattened to a list of stores.
//!
//! An initialiser becomes stores into the parts of an object. For objects that live as long as the program these are
//! constants; for local ones they become edges, after zeros for what the initialiser leaves out.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `flatten` | the list of stores |
//! | `parts` | the parts of an object |

mod flatten;
mod parts;

use foundation::Span;
use program::semantics::evaluate_constant;
use program::{
    ExprId as ModelExpr, Initial, InitialItem, Observe, Op, Operand, Place, Variable, VariableId, VariableKind,
};

use super::build::Aside;
use super::literals::character_value;
use super::{Denoted, Lower, Lowered, Lowering};
use crate::syntax::ast::{ExprId, ExprKind, Initializer, TypeName};
use crate::types::{CType, Qual};
use parts::Part;

/// One part of an object with what goes there.
struct Store {
    target: Part,
    value: Stored,
}

enum Stored {
    /// An expression, converted as if by assignment.
    Expr(ExprId),
    /// A structure or union expression.
    Aggregate(ExprId),
    /// A character of a string literal.
    Character(u32),
    /// What another part was just initialised with: in a range, side effects happen once.
    Copy(Part),
}

/// An aggregate with more scalars than this is initialised by a copy of a constant image.
const MOST_SINGLE_STORES: u64 = 16;

impl Lowering<'_> {
    /// Gives an object with static storage its initial value.
    pub(crate) fn initialize_global(
        &mut self,
        variable: VariableId,
        initializer: Option<&Initializer>,
        span: Span,
    ) -> Lower<()> {
        let Some(initializer) = initializer else {
            if let VariableKind::Global { initial, .. } = &mut self.program.variables[variable].kind
                && *initial == Initial::Arbitrary
            {
                *initial = Initial::Values(Vec::new());
            }
            if !self.scopes.at_file_scope() {
                return self.complete_tentative(variable);
            }
            return Ok(());
        };
        if !self.initialized.insert(variable) {
            let name = self.program.variables[variable].name.clone();
            return self.error("redefinition", format!("`{name}` is initialised twice"), span);
        }
        let stores = self.stores_of(variable, initializer, span)?;
        let mut items = Vec::new();
        for store in stores {
            let item = self.constant_item(&store)?;
            match item {
                Some(item) => items.push(item),
                None => {
                    let span = self.store_span(&store).unwrap_or(span);
                    return self.error("not-constant", "the initial value of this object is not a constant", span);
                }
            }
        }
        if let VariableKind::Global { initial, .. } = &mut self.program.variables[variable].kind {
            *initial = Initial::Values(items);
        }
        Ok(())
    }

    /// At the end of a translation unit an array of unknown length has one element, and every other object must have a
    /// complete type (6.9.2p5).
    pub(crate) fn complete_tentative(&mut self, variable: VariableId) -> Lower<()> {
        let ty = self.variable_types[&variable];
        if let CType::Array { element, length: None } = *self.types.get(ty.ty) {
            let completed = self.types.intern(CType::Array { element, length: Some(1) });
            self.set_variable_type(variable, Qual { ty: completed, ..ty });
            return Ok(());
        }
        if self.types.size_bits(ty.ty).is_none() {
            let span = self.program.variables[variable].span;
            let text = format!("this object has the incomplete type `{}`", self.describe(ty));
            return self.error("incomplete-type", text, span);
        }
        Ok(())
    }

    /// Initialises a local variable by edges.
    pub(crate) fn initialize_local(
        &mut self,
        variable: VariableId,
        initializer: &Initializer,
        span: Span,
    ) -> Lower<()> {
        let ty = self.variable_types[&variable];
        if self.unevaluated > 0 {
            // Nothing is stored; only a length may have to be found.
            let completed = self.completed_by(ty, initializer, span)?;
            self.set_variable_type(variable, completed);
            return Ok(());
        }
        if let Initializer::Expr(expr) = initializer {
            if self.types.is_scalar(ty.ty) {
                return self.initialize_scalar(variable, ty, *expr, span);
            }
            if let CType::Record(_) = self.types.get(ty.ty) {
                let lowered = self.rvalue(*expr)?;
                let source = self.aggregate_operand(lowered, ty, "this initialiser")?;
                let target = self.variable_place(variable);
                return self.emit(Op::Assign { target, value: Operand::Aggregate(source) }, span);
            }
        }
        let stores = self.stores_of(variable, initializer, span)?;
        let ty = self.variable_types[&variable];
        let whole = Part { path: Vec::new(), offset_bits: 0, ty, bit_width: None };
        if self.types.scalar_count(ty.ty) > MOST_SINGLE_STORES {
            return self.initialize_by_image(variable, stores, span);
        }
        let mut leaves = Vec::new();
        self.leaves(&whole, &mut leaves);
        for leaf in leaves {
            if !stores.iter().any(|store| self.covers(&store.target, &leaf)) {
                let scalar = self.types.scalar(leaf.ty.ty).expect("leaves are scalars");
                let zero = self.zero(scalar);
                let target = self.target_place(variable, &leaf);
                self.emit(Op::Assign { target, value: Operand::Scalar(zero) }, span)?;
            }
        }
        for store in stores {
            self.emit_store(variable, &store, span)?;
        }
        Ok(())
    }

    /// `(type) { … }`: an object of the enclosing block, or of the whole program at file scope (6.5.2.5).
    pub(crate) fn compound_literal(
        &mut self,
        name: &TypeName,
        initializer: &Initializer,
        span: Span,
    ) -> Lower<Lowered> {
        let ty = self.type_name(name)?;
        if self.unevaluated > 0 {
            let ty = self.completed_by(ty, initializer, span)?;
            let null = self.zero(program::Scalar::Pointer);
            let place = Place::pointer(null, self.types.model_type(ty.ty, &mut self.program.types));
            return Ok(Lowered { value: Denoted::Place(place), ty, bit_width: None, span });
        }
        let symbol = self.symbols.intern("(literal)");
        let variable = if self.function.is_some() {
            let variable = self.new_object_of_block(symbol, ty, span);
            self.emit(Op::Declare(variable), span)?;
            let declared = self.builder().last;
            self.revivals.extend(declared);
            self.initialize_local(variable, initializer, span)?;
            variable
        } else {
            let variable = self.new_global(symbol, ty, None, span);
            self.initialize_global(variable, Some(initializer), span)?;
            variable
        };
        let ty = self.variable_types[&variable];
        let place = self.variable_place(variable);
        Ok(Lowered { value: Denoted::Place(place), ty, bit_width: None, span })
    }

    fn initialize_scalar(&mut self, variable: VariableId, ty: Qual, expr: ExprId, span: Span) -> Lower<()> {
        let ast = self.ast.clone();
        let lowered = match &ast.exprs[expr].kind {
            ExprKind::Call(function, arguments) => {
                self.call(*function, arguments, ast.exprs[expr].span, Some(variable))?
            }
            _ => self.expr(expr)?,
        };
        if matches!((&ast.exprs[expr].kind, &lowered.value), (ExprKind::Call(..), Denoted::Place(place)) if place.as_variable() == Some(variable))
        {
            return Ok(());
        }
        let scalar = self.scalar_of(lowered)?;
        let value = self.assign_convert(scalar, ty, "this initialiser")?;
        let target = self.variable_place(variable);
        self.emit(Op::Assign { target, value: Operand::Scalar(value) }, span)
    }

    /// Copies an image of the constant parts, then stores the others. What they are is lowered once, aside, since the
    /// image comes before whatever is evaluated.
    fn initialize_by_image(&mut self, variable: VariableId, stores: Vec<Store>, span: Span) -> Lower<()> {
        let mut items = Vec::new();
        let mut others = Vec::new();
        for store in stores {
            let Aside { value, start, end, is_pure } = self.aside(|lowering| lowering.stored_operand(variable, &store));
            let value = value?;
            match self.initial_item(&store.target, &value).filter(|_| is_pure && others.is_empty()) {
                Some(item) => items.push(item),
                None => others.push((store.target, value, (!is_pure).then_some((start, end)))),
            }
        }
        let ty = self.program.variables[variable].ty;
        let name = format!("initial {}", self.program.variables[variable].name);
        let image = self.program.variables.push(Variable {
            name,
            kind: VariableKind::Literal { initial: Initial::Values(items) },
            ty,
            address_taken: false,
            span,
        });
        self.variable_types.insert(image, self.variable_types[&variable]);
        let (target, source) = (self.variable_place(variable), self.variable_place(image));
        self.emit(Op::Assign { target, value: Operand::Aggregate(source) }, span)?;
        for (part, value, way) in others {
            if let Some((start, end)) = way {
                self.emit_to(Op::Skip, start, span, Observe::No);
                self.go_on_at(end);
            }
            let target = self.target_place(variable, &part);
            self.emit(Op::Assign { target, value }, span)?;
        }
        Ok(())
    }

    fn emit_store(&mut self, variable: VariableId, store: &Store, span: Span) -> Lower<()> {
        let target = self.target_place(variable, &store.target);
        let value = self.stored_operand(variable, store)?;
        self.emit(Op::Assign { target, value }, span)
    }

    fn stored_operand(&mut self, variable: VariableId, store: &Store) -> Lower<Operand> {
        Ok(match &store.value {
            Stored::Aggregate(expr) => {
                let lowered = self.rvalue(*expr)?;
                Operand::Aggregate(self.aggregate_operand(lowered, store.target.ty, "this initialiser")?)
            }
            Stored::Copy(from) => {
                let place = self.target_place(variable, from);
                match self.types.is_scalar(from.ty.ty) {
                    true => Operand::Scalar(self.load(place)),
                    false => Operand::Aggregate(place),
                }
            }
            _ => Operand::Scalar(self.stored_scalar(store)?),
        })
    }

    fn stored_scalar(&mut self, store: &Store) -> Lower<ModelExpr> {
        match &store.value {
            Stored::Expr(expr) => {
                self.refuse_kind_of_mutex(*expr)?;
                let scalar = self.scalar(*expr)?;
                self.assign_convert(scalar, store.target.ty, "this initialiser")
            }
            Stored::Character(unit) => {
                let int = self.types.int_type(store.target.ty.ty).expect("characters are integers");
                Ok(self.program.exprs.int(character_value(*unit, int), int))
            }
            Stored::Aggregate(_) | Stored::Copy(_) => unreachable!("these are stored whole"),
        }
    }

    /// A store into an object with static storage as an initial value, if it is constant.
    fn constant_item(&mut self, store: &Store) -> Lower<Option<InitialItem>> {
        if let Stored::Aggregate(_) | Stored::Copy(_) = store.value {
            return Ok(None);
        }
        if self.function.is_none() {
            let value = self.stored_scalar(store)?;
            return Ok(self.initial_item(&store.target, &Operand::Scalar(value)));
        }
        // What is evaluated in a function is no constant, even if its value is one.
        let Aside { value, is_pure, .. } = self.aside(|lowering| lowering.stored_scalar(store));
        let value = Operand::Scalar(value?);
        Ok(self.initial_item(&store.target, &value).filter(|_| is_pure))
    }

    /// What a part of an object holds at the beginning, if the value that is stored there is constant.
    fn initial_item(&self, target: &Part, value: &Operand) -> Option<InitialItem> {
        let Operand::Scalar(value) = *value else { return None };
        evaluate_constant(&self.program, value).ok()?;
        let scalar = self.program.exprs.ty(value);
        let width_bits = match target.bit_width {
            Some(width) => u64::from(width),
            None => self.program.types.scalar_bits(scalar),
        };
        Some(InitialItem { offset_bits: target.offset_bits, width_bits, value })
    }

    fn store_span(&self, store: &Store) -> Option<Span> {
        match store.value {
            Stored::Expr(expr) | Stored::Aggregate(expr) => Some(self.ast.exprs[expr].span),
            Stored::Character(_) | Stored::Copy(_) => None,
        }
    }
}
