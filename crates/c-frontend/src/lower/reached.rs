//! What can be reached from the entry: something that is not supported is refused only there. A function is reached if
//! a function that is reached calls it or uses its address, or if the address stands in the initial value of an object
//! that is reached. A declaration at file scope that is not supported is refused where its name is used.

use foundation::collections::HashSet;
use foundation::{Diagnostic, Span};
use program::{
    ExprId, ExprKind, FunctionId, Initial, LocationId, Observe, Op, OpPart, Place, Program, Root, VariableId,
    VariableKind,
};

use super::scope::{Binding, BindingKind};
use super::{Linked, Lower, Lowering, Reported};
use crate::syntax::symbols::Symbol;

impl Lowering<'_> {
    /// Reports that something is not supported: inside a function if that is reached, in a declaration at file scope if
    /// what it declares is used, elsewhere at once.
    pub(crate) fn refuse<T>(&mut self, diagnostic: Diagnostic) -> Lower<T> {
        match &mut self.function {
            Some(builder) => builder.refused = true,
            None if self.refusable => {
                self.refused_declarations.push((Vec::new(), diagnostic));
                return Err(Reported);
            }
            None => {}
        }
        self.fail(diagnostic)
    }

    /// Reads a part of a declaration at file scope, which is refused only if what it declares is used.
    pub(crate) fn refusing<T>(&mut self, refusable: bool, inside: impl FnOnce(&mut Self) -> Lower<T>) -> Lower<T> {
        let before = std::mem::replace(&mut self.refusable, refusable && self.function.is_none());
        let result = inside(self);
        self.refusable = before;
        result
    }

    /// Gives a name whose declaration failed a meaning, so that its uses are not reported as unknown. `before` is how
    /// many declarations had been refused when this one began.
    pub(crate) fn note_faulty<T>(&mut self, lowered: Lower<T>, name: Option<Symbol>, span: Span, before: usize) {
        let Some(name) = name.filter(|_| lowered.is_err()) else { return };
        let refusal = (self.refused_declarations.len() > before).then_some(before);
        if let Some(refusal) = refusal {
            let diagnostic = self.refused_declarations[refusal].1.clone();
            self.refused_declarations[refusal].0.push(name);
            if let Some(BindingKind::Function(function)) = self.scopes.find(name).map(|binding| &binding.kind) {
                self.refusals.push((*function, diagnostic));
            }
        }
        if refusal.is_some() || self.scopes.declared_here(name).is_none() {
            self.scopes.declare(name, Binding { kind: BindingKind::Faulty(refusal), span });
        }
    }

    /// The use of a name whose declaration failed: that is refused now, or has been reported.
    pub(crate) fn faulty_use<T>(&mut self, refusal: Option<usize>) -> Lower<T> {
        match refusal {
            Some(refusal) => {
                let diagnostic = self.refused_declarations[refusal].1.clone();
                self.refuse(diagnostic)
            }
            None => Err(Reported),
        }
    }

    /// Refuses the functions and objects of other files that stand for a declaration which is not supported.
    pub(crate) fn refuse_linked_declarations(&mut self) {
        for (names, diagnostic) in std::mem::take(&mut self.refused_declarations) {
            for name in names {
                let entry = self.symbols.text(name) == self.options.entry;
                match self.linked.get(&name) {
                    Some(Linked::Function(function)) if !self.functions[function].has_body => {
                        self.refusals.push((*function, diagnostic.clone()));
                    }
                    Some(Linked::Variable(_)) => self.diagnostics.push(diagnostic.clone()),
                    _ if entry => self.diagnostics.push(diagnostic.clone()),
                    _ => {}
                }
            }
        }
    }

    /// Gives functions that contain something unsupported a body without meaning: control must not come there.
    fn empty_bodies(&mut self, mut refused: Vec<FunctionId>) {
        refused.sort_unstable();
        refused.dedup();
        for function in refused {
            let entry = self.program.add_location(function);
            let end = self.program.add_location(function);
            let span = self.program.functions[function].span;
            self.program.add_edge(entry, end, Op::Unreachable, span, Observe::No);
            self.program.functions[function].entry = Some(entry);
        }
    }

    /// Reports what is not supported in the functions that can be reached. Where the program has other faults, it is
    /// not known which those are, and everything is reported.
    pub(crate) fn report_refusals(&mut self) {
        let refusals = std::mem::take(&mut self.refusals);
        if refusals.is_empty() {
            return;
        }
        let reached = match self.program.entry {
            Some(entry) if !self.diagnostics.has_errors() => {
                Some(reached_functions(&self.program, [entry], Follow::Threads))
            }
            _ => None,
        };
        self.empty_bodies(refusals.iter().map(|(function, _)| *function).collect());
        for (function, diagnostic) in refusals {
            if reached.as_ref().is_none_or(|reached| reached.contains(&function)) {
                self.diagnostics.push(diagnostic);
            }
        }
    }
}

/// What is followed from one function to others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Follow {
    /// Calls alone.
    Calls,
    /// Calls, and where threads begin.
    Threads,
}

/// What is found on the way through a program.
struct NameSearch<'p> {
    program: &'p Program,
    follow: Follow,
    functions: HashSet<FunctionId>,
    variables: HashSet<VariableId>,
    exprs: HashSet<ExprId>,
    /// Functions and expressions that are still to be looked at.
    open_functions: Vec<FunctionId>,
    open_exprs: Vec<ExprId>,
}

/// The functions that a run may enter which begins in one of the entries, and those whose addresses it may see.
pub(super) fn reached_functions(
    program: &Program,
    entries: impl IntoIterator<Item = FunctionId>,
    follow: Follow,
) -> HashSet<FunctionId> {
    let mut search = NameSearch {
        program,
        follow,
        functions: HashSet::default(),
        variables: HashSet::default(),
        exprs: HashSet::default(),
        open_functions: Vec::new(),
        open_exprs: Vec::new(),
    };
    entries.into_iter().for_each(|entry| search.function(entry));
    loop {
        if let Some(expr) = search.open_exprs.pop() {
            search.expr(expr);
        } else if let Some(function) = search.open_functions.pop() {
            search.body(function);
        } else {
            return search.functions;
        }
    }
}

impl NameSearch<'_> {
    /// Looks at what control can come to inside a function.
    fn body(&mut self, function: FunctionId) {
        let program = self.program;
        let mut open: Vec<LocationId> = program.functions[function].entry.into_iter().collect();
        let mut seen: HashSet<LocationId> = open.iter().copied().collect();
        while let Some(location) = open.pop() {
            for edge in &program.locations[location].out {
                let edge = &program.edges[*edge];
                self.op(&edge.op);
                if seen.insert(edge.to) {
                    open.push(edge.to);
                }
            }
        }
    }

    fn function(&mut self, function: FunctionId) {
        if self.functions.insert(function) {
            self.open_functions.push(function);
        }
    }

    fn variable(&mut self, variable: VariableId) {
        if !self.variables.insert(variable) {
            return;
        }
        let (VariableKind::Global { initial, .. } | VariableKind::Literal { initial }) =
            &self.program.variables[variable].kind
        else {
            return;
        };
        if let Initial::Values(items) = initial {
            self.open_exprs.extend(items.iter().map(|item| item.value));
        }
    }

    fn expr(&mut self, expr: ExprId) {
        if !self.exprs.insert(expr) {
            return;
        }
        match &self.program.exprs.get(expr).kind {
            ExprKind::FunctionAddress(function) => self.function(*function),
            ExprKind::Load(place) | ExprKind::AddressOf(place) => self.place(place),
            _ => {}
        }
        self.open_exprs.extend(self.program.exprs.operands(expr));
    }

    fn place(&mut self, place: &Place) {
        if let Root::Variable(variable) = place.root {
            self.variable(variable);
        }
        self.open_exprs.extend(place.operands());
    }

    fn op(&mut self, op: &Op) {
        for part in op.parts() {
            match part {
                OpPart::Value(&expr) | OpPart::Address(&expr, _) | OpPart::Mutex(&expr) => self.open_exprs.push(expr),
                OpPart::Read(place) | OpPart::Written(place) => self.place(place),
                OpPart::Called(_) if self.follow == Follow::Calls && matches!(op, Op::Spawn { .. }) => {}
                OpPart::Called(&function) => self.function(function),
                OpPart::Result(_) | OpPart::Lifetime(_) => {}
            }
        }
    }
}
