//! What is assumed of what a program does not show: functions without a body, objects that are defined nowhere, interrupt
//! handlers. A verdict names the assumptions that it rests on.

use foundation::{Diagnostic, Span};
use program::{Assumption, FunctionId, Initial, Scalar, VariableId, VariableKind};

use super::Lowering;
use super::library::is_stream;
use crate::syntax::ast::{ExprId, ExprKind};
use crate::types::CType;

impl Lowering<'_> {
    /// Notes what a verdict rests on where a function without a body is called.
    pub(crate) fn assume_of_function(&mut self, function: FunctionId, writes: bool, span: Span) {
        let data = &self.program.functions[function];
        let name = &data.name;
        let text = match (data.result.is_some(), writes) {
            (true, true) => format!(
                "`{name}`, which has no body, returns any value, writes any values to what its arguments point to, \
                 once, and does nothing else"
            ),
            (false, true) => format!(
                "`{name}`, which has no body, writes any values to what its arguments point to, once, and does \
                 nothing else"
            ),
            (true, false) => format!("`{name}`, which has no body, returns any value and does nothing else"),
            (false, false) => format!("`{name}`, which has no body, does nothing"),
        };
        let returns_pointer = data.result.is_some_and(|ty| self.program.types.as_scalar(ty) == Some(Scalar::Pointer));
        let text = match returns_pointer {
            true => format!("{text}; a pointer that it returns points to no object of the program"),
            false => text,
        };
        self.assume(text, span);
    }

    /// Notes what a verdict rests on where a function of the library takes the `const` from a pointer that it is given. Not
    /// inlined, since what is deeply nested needs small frames.
    #[inline(never)]
    pub(crate) fn assume_of_lost_const(&mut self, function: FunctionId, arguments: &[ExprId], span: Span) {
        let name = self.functions[&function].name;
        let text = self.text(name);
        let takes_const = ["strchr", "strrchr", "memchr", "strstr", "strpbrk"].contains(&text.as_str());
        let Some(first) = arguments.first().filter(|_| takes_const && !self.defined.contains(&name)) else { return };
        let is_literal = matches!(self.ast.exprs[*first].kind, ExprKind::String { .. });
        let ty = self.type_of_unevaluated(*first);
        let is_const = ty.is_ok_and(|ty| match self.types.get(ty.ty) {
            CType::Pointer(to) => to.is_const,
            CType::Array { element, .. } => element.is_const || ty.is_const,
            _ => false,
        });
        if is_const && !is_literal {
            self.assume(format!("no `const` object is written through a pointer that `{text}` has returned"), span);
        }
    }

    /// Notes what a verdict rests on, where control may come to the current function.
    pub(crate) fn assume(&mut self, text: String, span: Span) {
        if self.unevaluated > 0 || self.function.as_ref().is_some_and(|builder| builder.library) {
            return;
        }
        self.note_assumption(text, span);
    }

    /// The same, also inside of a library function, which is called through a pointer.
    pub(crate) fn assume_everywhere(&mut self, text: String, span: Span) {
        if self.unevaluated == 0 {
            self.note_assumption(text, span);
        }
    }

    fn note_assumption(&mut self, text: String, span: Span) {
        let within = self.function.as_ref().map(|builder| builder.id);
        let is_new = |known: &Assumption| known.text != text || known.within != within;
        if self.program.assumptions.iter().all(is_new) {
            self.program.assumptions.push(Assumption { text, within, span });
        }
    }

    /// Notes what is assumed of the pointers that the entry function is given, where it uses them.
    pub(crate) fn assume_of_parameters(&mut self, entry: FunctionId) {
        let (read, _) = program::passes::used_variables(&self.program);
        let function = &self.program.functions[entry];
        let is_pointer = |id: &VariableId| {
            let ty = self.program.variables[*id].ty;
            self.program.types.as_scalar(ty) == Some(Scalar::Pointer)
        };
        if function.parameters.iter().any(|id| is_pointer(id) && read.contains(id)) {
            let text = format!("the pointers that `{}` is given point to no object of the program", function.name);
            let (within, span) = (Some(entry), function.span);
            self.program.assumptions.push(Assumption { text, within, span });
        }
    }

    /// Notes that an interrupt handler is a function like any other here.
    pub(crate) fn assume_of_handler(&mut self, name: &str, span: Span) {
        let text = format!("the interrupt handler `{name}` runs only where the program calls it");
        if self.program.assumptions.iter().all(|known| known.text != text) {
            self.program.assumptions.push(Assumption { text, within: None, span });
        }
    }

    /// Tells which objects are used but defined nowhere.
    pub(crate) fn warn_undefined_objects(&mut self) {
        if self.diagnostics.has_errors() {
            return;
        }
        let undefined: Vec<(String, Span)> = self
            .program
            .variables
            .values()
            .filter(|variable| matches!(variable.kind, VariableKind::Global { initial: Initial::Arbitrary, .. }))
            .filter(|variable| !is_stream(&variable.name))
            .map(|variable| (variable.name.clone(), variable.span))
            .collect();
        for (name, span) in undefined {
            self.assume(format!("`{name}`, which is defined nowhere, may hold any value at the start"), span);
            self.warn(
                Diagnostic::warning("undefined-object", format!("`{name}` is defined nowhere: it may hold any value"))
                    .at(span)
                    .help("give the file that defines it, too"),
            );
        }
    }
}
