//! `errno`: an object of the library that most of its functions may change, and of which every thread has its own.

use foundation::collections::HashSet;
use foundation::{Diagnostic, Span};
use program::{Callee, EdgeId, FunctionId, Op};

use super::reached::{Follow, reached_functions};
use super::{Lower, Lowering};
use crate::types::CType;

/// What the macro `errno` calls.
pub(super) const LOCATION: &str = "__errno_location";
/// What is called after functions that may change it.
const CHANGES: &str = "__errno_changes";

impl Lowering<'_> {
    /// Lets `errno` hold anything after a function of the library, or one without a body, where the program looks at it.
    pub(crate) fn errno_may_change(&mut self, span: Span) -> Lower<()> {
        let name = self.symbols.intern(CHANGES);
        let Some(ty) = self.library_type(name).filter(|_| self.uses_errno && self.unevaluated == 0) else {
            return Ok(());
        };
        self.note_use(name);
        let callee = Callee::Function(self.external_function(name, ty, span));
        let void = self.types.qual(CType::Void);
        self.call_edge(callee, Vec::new(), void, span, None).map(|_| ())
    }

    /// There is one `errno`, that of the main thread: what only other threads call leaves it alone, and where nobody looks at it,
    /// nobody changes it. What other threads do with their own is refused.
    pub(crate) fn settle_errno(&mut self) {
        let Some(entry) = self.program.entry.filter(|_| self.uses_errno && !self.diagnostics.has_errors()) else {
            return;
        };
        let reached = reached_functions(&self.program, [entry], Follow::Threads);
        let threads = reached_functions(&self.program, self.thread_functions(&reached, entry), Follow::Threads);
        let main = reached_functions(&self.program, [entry], Follow::Calls);
        let mut named = self.calls_of(LOCATION, &reached);
        let changes = self.function_named(CHANGES);
        named.retain(|(_, caller)| Some(*caller) != changes);
        let mut changed = self.calls_of(CHANGES, &reached);
        if !named.is_empty() {
            changed.retain(|(_, caller)| threads.contains(caller));
            let in_threads = named.iter().find(|(_, caller)| threads.contains(caller));
            let in_both = || changed.iter().find(|(_, caller)| main.contains(caller));
            if let Some(&(edge, _)) = in_threads.or_else(in_both) {
                let text = "`errno` of a thread other than the main one is not supported";
                let help = "let the threads keep their errors in variables of their own";
                let span = self.program.edges[edge].span;
                return self.diagnostics.push(Diagnostic::error("unsupported-errno", text).at(span).help(help));
            }
        }
        for (edge, _) in changed {
            self.program.edges[edge].op = Op::Skip;
        }
    }

    /// The functions with which threads may begin.
    fn thread_functions(&self, reached: &HashSet<FunctionId>, entry: FunctionId) -> Vec<FunctionId> {
        let mut begun = Vec::new();
        for edge in self.program.edges.values() {
            match edge.op {
                _ if !reached.contains(&self.program.locations[edge.from].function) => {}
                Op::Spawn { function: Callee::Function(function), .. } => begun.push(function),
                Op::Spawn { .. } => begun.extend(reached.iter().filter(|function| **function != entry)),
                _ => {}
            }
        }
        begun
    }

    /// The calls of a function, each with the function that it stands in.
    fn calls_of(&self, name: &str, reached: &HashSet<FunctionId>) -> Vec<(EdgeId, FunctionId)> {
        let Some(wanted) = self.function_named(name) else { return Vec::new() };
        let is_call = |op: &Op| matches!(op, Op::Call { callee: Callee::Function(called), .. } if *called == wanted);
        let calls = self.program.edges.iter().filter(|(_, edge)| is_call(&edge.op));
        let calls = calls.map(|(id, edge)| (id, self.program.locations[edge.from].function));
        calls.filter(|(_, caller)| reached.contains(caller)).collect()
    }

    fn function_named(&self, name: &str) -> Option<FunctionId> {
        let name = self.symbols.get(name)?;
        self.functions.iter().find(|(_, function)| function.name == name).map(|(id, _)| *id)
    }
}
