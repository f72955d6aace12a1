//! Edges and locations of the function that is being lowered.

use foundation::collections::HashMap;
use foundation::{Diagnostic, Span};
use program::{
    EdgeId, ExprId, FunctionId, LocationId, Observe, Op, Operand, Place, TypeId, Variable, VariableId, VariableKind,
};

use super::scope::BlockId;
use super::{Lower, Lowering};
use crate::syntax::symbols::Symbol;
use crate::types::Qual;

/// The function that is being lowered.
pub(crate) struct FunctionBuilder {
    pub id: FunctionId,
    pub name: Symbol,
    pub result: Qual,
    /// Whether nothing is observed in it.
    pub library: bool,
    /// Whether something in it is not supported, so that it has no meaning: further faults follow from that one.
    pub refused: bool,
    /// Where the next edge begins.
    pub at: LocationId,
    /// The edge that was made last, if control comes to `at` by this edge alone.
    pub last: Option<EdgeId>,
    pub labels: HashMap<Symbol, LabelInfo>,
    pub jumps: Vec<PendingJump>,
    /// Where `break` goes, innermost last.
    pub breaks: Vec<JumpTarget>,
    /// Where `continue` goes, innermost last.
    pub continues: Vec<JumpTarget>,
    /// The enclosing `switch` statements.
    pub switches: Vec<super::switch::SwitchBuilder>,
    /// The open blocks, outermost first.
    pub blocks: Vec<BlockId>,
    /// The variables of each block, the outermost block of a function excepted.
    pub block_variables: HashMap<BlockId, Vec<VariableId>>,
    pub next_temporary: u32,
    /// What is remembered of the stack of storage whose size only the run knows.
    pub marks: super::automatic::StackMarks,
    /// The parameter that receives the further arguments, if the function takes any.
    pub further: Option<VariableId>,
}

/// A label, perhaps only used so far.
pub(crate) struct LabelInfo {
    pub location: LocationId,
    /// Where it stands, once it has been seen, with the blocks around it.
    pub defined: Option<(Span, Vec<BlockId>)>,
}

/// A jump whose way is made when the function is complete: only then is it known which objects the blocks have that it
/// leaves and enters.
pub(crate) struct PendingJump {
    pub from: LocationId,
    pub to: JumpAim,
    /// The blocks around it.
    pub blocks: Vec<BlockId>,
    pub span: Span,
}

/// What a jump leads to.
#[derive(Clone, Copy)]
pub(crate) enum JumpAim {
    /// A label, for `goto`.
    Label(Symbol),
    /// The end of a loop or `switch`, or the next round of a loop.
    Around(JumpTarget),
}

/// Where `break` or `continue` goes, and how many blocks are open there.
#[derive(Clone, Copy)]
pub(crate) struct JumpTarget {
    pub location: LocationId,
    pub open_blocks: usize,
}

/// Something that was lowered apart from what comes before it.
pub(crate) struct Aside<T> {
    pub value: T,
    /// Where its evaluation begins.
    pub start: LocationId,
    /// Where it ends.
    pub end: LocationId,
    /// Whether it is an expression alone, without any edge.
    pub is_pure: bool,
}

impl Lowering<'_> {
    /// The function that is being lowered; expressions at file scope have none.
    pub(crate) fn builder(&mut self) -> &mut FunctionBuilder {
        self.function.as_mut().expect("statements are lowered inside a function")
    }

    /// Lowers something that is not evaluated: it leaves no edges, and control stays where it is.
    pub(crate) fn without_evaluating<T>(&mut self, inside: impl FnOnce(&mut Self) -> T) -> T {
        let control = self.function.as_ref().map(|builder| (builder.at, builder.last));
        self.unevaluated += 1;
        let result = inside(self);
        self.unevaluated -= 1;
        if let (Some(builder), Some((at, last))) = (self.function.as_mut(), control) {
            builder.at = at;
            builder.last = last;
        }
        result
    }

    /// Lowers something that may not be evaluated, from a new location on, and comes back.
    pub(crate) fn aside<T>(&mut self, inside: impl FnOnce(&mut Self) -> T) -> Aside<T> {
        let (at, last) = (self.builder().at, self.builder().last);
        let start = self.new_location();
        self.go_on_at(start);
        let edges = self.program.edges.len();
        let value = inside(self);
        let end = self.builder().at;
        let builder = self.builder();
        (builder.at, builder.last) = (at, last);
        // A jump has no edge yet, but control does not come to its end.
        let is_pure = end == start && self.program.edges.len() == edges;
        Aside { value, start, end, is_pure }
    }

    /// A new location of the current function.
    pub(crate) fn new_location(&mut self) -> LocationId {
        let function = self.builder().id;
        self.program.add_location(function)
    }

    /// Goes on at a location that other edges may lead to.
    pub(crate) fn go_on_at(&mut self, location: LocationId) {
        let builder = self.builder();
        builder.at = location;
        builder.last = None;
    }

    /// Makes an edge from the current location to a new one, and goes on there.
    pub(crate) fn emit(&mut self, op: Op, span: Span) -> Lower<()> {
        if self.unevaluated > 0 {
            return Ok(());
        }
        if self.function.is_none() {
            return self.error("not-constant", "this is not a constant expression", span);
        }
        let to = self.new_location();
        self.emit_to(op, to, span, Observe::No);
        let edge = self.builder().last;
        self.go_on_at(to);
        self.builder().last = edge;
        Ok(())
    }

    /// Makes an edge from the current location to a given one. Control does not go on by itself.
    pub(crate) fn emit_to(&mut self, op: Op, to: LocationId, span: Span, observe: Observe) {
        if self.unevaluated > 0 {
            return;
        }
        let builder = self.builder();
        let observe = if builder.library { Observe::No } else { observe };
        let from = builder.at;
        let edge = self.program.add_edge(from, to, op, span, observe);
        self.builder().last = Some(edge);
    }

    /// Joins the current location to another by an edge that does nothing, and goes on at a new location that only
    /// labels can reach.
    pub(crate) fn jump(&mut self, to: LocationId, span: Span) {
        self.emit_to(Op::Skip, to, span, Observe::No);
        let unreachable = self.new_location();
        self.go_on_at(unreachable);
    }

    /// Marks the end of a full expression (6.8p4): the state is observed here.
    pub(crate) fn observe(&mut self, span: Span) -> Lower<()> {
        if self.builder().last.is_none() {
            self.emit(Op::Skip, span)?;
        }
        let builder = self.builder();
        if let (Some(edge), false) = (builder.last, builder.library)
            && self.program.edges[edge].observe == Observe::No
        {
            self.program.edges[edge].observe = Observe::Statement;
            self.program.edges[edge].span = span;
        }
        self.builder().last = None;
        Ok(())
    }

    /// A new temporary of the current function.
    pub(crate) fn temporary(&mut self, ty: TypeId, span: Span) -> Lower<VariableId> {
        let Some(builder) = self.function.as_mut() else {
            return self.error("not-constant", "this is not a constant expression", span);
        };
        let function = builder.id;
        let name = format!("%{}", builder.next_temporary);
        builder.next_temporary += 1;
        Ok(self.temporary_of(function, name, ty, span))
    }

    /// A new temporary of a function, which may have been lowered already.
    pub(crate) fn temporary_of(&mut self, function: FunctionId, name: String, ty: TypeId, span: Span) -> VariableId {
        let kind = VariableKind::Temporary(function);
        let variable = self.program.variables.push(Variable { name, kind, ty, address_taken: false, span });
        self.program.functions[function].locals.push(variable);
        variable
    }

    /// The type of what an operand is evaluated to.
    pub(crate) fn operand_type(&mut self, operand: &Operand) -> TypeId {
        match operand {
            Operand::Scalar(value) => self.program.types.scalar(self.program.exprs.ty(*value)),
            Operand::Aggregate(place) => place.ty,
        }
    }

    /// The whole of a variable.
    pub(crate) fn variable_place(&self, variable: VariableId) -> Place {
        Place::variable(variable, self.program.variables[variable].ty)
    }

    /// Keeps a scalar in a temporary, so that later side effects do not change it. Constants and temporaries need not.
    pub(crate) fn keep(&mut self, value: ExprId, span: Span) -> Lower<ExprId> {
        if self.unevaluated > 0 || self.is_stable(value) {
            return Ok(value);
        }
        self.keep_anyway(value, span)
    }

    /// A value that an expression is to contain more than once. Where other threads may write what it reads in between,
    /// it is kept in a temporary; and so is a large one: what doubles at every level of nesting could not be evaluated.
    pub(crate) fn keep_to_repeat(&mut self, value: ExprId, span: Span) -> Lower<ExprId> {
        const MOST_PARTS: usize = 64;
        let value = if self.threaded { self.keep(value, span)? } else { value };
        let mut open = vec![value];
        let mut parts = 0;
        while let Some(expr) = open.pop() {
            open.extend(self.program.exprs.operands(expr));
            parts += 1;
            if parts > MOST_PARTS {
                return match self.unevaluated {
                    0 if self.function.is_some() => self.keep_anyway(value, span),
                    _ => self.error("expression-too-large", "this expression is too large to be used here", span),
                };
            }
        }
        Ok(value)
    }

    /// Keeps a scalar in a temporary.
    pub(crate) fn keep_anyway(&mut self, value: ExprId, span: Span) -> Lower<ExprId> {
        let scalar = self.program.exprs.ty(value);
        let ty = self.program.types.scalar(scalar);
        let variable = self.temporary(ty, span)?;
        self.emit(Op::Assign { target: self.variable_place(variable), value: Operand::Scalar(value) }, span)?;
        Ok(self.load(self.variable_place(variable)))
    }

    /// Whether a value cannot be changed by any edge: it reads no memory but temporaries.
    pub(crate) fn is_stable(&self, value: ExprId) -> bool {
        let mut open = vec![value];
        while let Some(expr) = open.pop() {
            if let program::ExprKind::Load(place) = &self.program.exprs.get(expr).kind {
                let temporary = place.as_variable().is_some_and(|variable| {
                    matches!(self.program.variables[variable].kind, VariableKind::Temporary(_))
                });
                if !temporary {
                    return false;
                }
                continue;
            }
            open.extend(self.program.exprs.operands(expr));
        }
        true
    }

    /// The value in a place of scalar type.
    pub(crate) fn load(&mut self, place: Place) -> ExprId {
        let ty = self.program.types.as_scalar(place.ty).expect("only scalars are loaded");
        self.program.exprs.intern(program::ExprKind::Load(place), ty)
    }

    /// Refuses a construct by name. Inside a function that matters only if the function can be reached.
    pub(crate) fn unsupported<T>(&mut self, code: &'static str, what: &str, span: Span, help: &str) -> Lower<T> {
        let mut diagnostic = Diagnostic::error(code, format!("{what} not supported")).at(span);
        if !help.is_empty() {
            diagnostic = diagnostic.help(help);
        }
        self.refuse(diagnostic)
    }
}
