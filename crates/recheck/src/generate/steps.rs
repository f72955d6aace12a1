//! The steps of a program as C: a label for each location, and what its edges do.

use std::fmt::Write;

use foundation::{Budget, Id};
use program::semantics::UndefinedMode;
use program::{Atom, Callee, EdgeId, ExprId, ExprKind, FunctionId, LocationId, Op, Operand, Place, Root, VariableId};

use super::super::Unexplored;
use super::super::control::{asks, kept};
use super::values::ValueUse;
use super::{Generator, LONGEST_SOURCE_BYTES, NotGenerated, reachable};

impl Generator<'_> {
    /// The function that takes steps to the next state that is kept.
    pub(super) fn steps(&mut self, budget: &Budget) -> Result<String, Unexplored> {
        let program = self.program;
        let mut entering = vec![0; program.locations.len()];
        program.edges.values().for_each(|edge| entering[edge.to.index()] += 1);
        let kept =
            kept(program, |edge| asks(program, self.relevant, edge) && entering[program.edges[edge].from.index()] > 1);
        let first = self.prepared.start();
        let is_kept = |location: LocationId| kept[location.index()] || location == first;
        let error = self.built_in(|atom| *atom == Atom::Error);
        let mut text = String::from("static __attribute__((noinline)) int steps(void) {\n    switch (w.at) {\n");
        let reachable = reachable(program, first);
        let has_views = reachable.iter().any(|location| self.view(*location) != self.view(first));
        let clean = self.clean();
        for &location in reachable.iter().filter(|location| is_kept(**location)) {
            let _ = writeln!(text, "    case {0}: goto B{0};", location.index());
        }
        text += "    default: not_covered(\"control is nowhere\", -1);\n    }\n";
        for &location in &reachable {
            let name = location.index();
            if is_kept(location) {
                let _ = write!(text, "L{name}: ");
                for variable in self.variables.keys() {
                    if !self.live.contains(location, *variable) {
                        let _ = write!(text, "memset(w.v{0}, 0, sizeof w.v{0}); ", variable.index());
                    }
                }
                for (variable, slots) in &self.variables {
                    if slots.is_flagged && !self.live.contains(location, *variable) {
                        let _ = write!(text, "memset(w.f{0}, 0, sizeof w.f{0}); ", variable.index());
                    }
                }
                let _ = write!(text, "w.at = {name}; return NEXT;\nB{name}: ");
            } else {
                let _ = write!(text, "L{name}: ");
            }
            if has_views {
                let _ = write!(text, "view_now = {}; ", self.view(location));
            }
            text += &self.leave(location, &clean);
            text += "\n";
            if text.len() > LONGEST_SOURCE_BYTES {
                return Err(Unexplored::not_covered("so long a generated program", None));
            }
            if name.is_multiple_of(1024) {
                budget.check()?;
            }
        }
        // In a function of its own: to a compiler, everything in this one may be what control comes back from.
        text += "}\nstatic int run(void) {\n    if (setjmp(undefined_behaviour)) {\n";
        match self.task.semantics.undefined {
            UndefinedMode::Assume => text += "        return BLOCKED;\n    }\n",
            UndefinedMode::Error => {
                let _ = writeln!(text, "        look(view_now, {error}ULL);\n        return ENDED;\n    }}");
            }
        }
        text += "    return steps();\n}\n";
        Ok(text)
    }

    /// What happens at a location.
    pub(super) fn leave(&mut self, location: LocationId, clean: &[bool]) -> String {
        let program = self.program;
        let out = &program.locations[location].out;
        let stopped = |reason: NotGenerated, edge: EdgeId| {
            format!("not_covered(\"{reason} in a generated program\", {}); return BLOCKED;", edge.index())
        };
        let mut tests: Vec<(ExprId, String)> = Vec::new();
        let mut open = Vec::new();
        for &edge in out {
            let Op::Assume(condition) = program.edges[edge].op else {
                open.push("1".to_owned());
                continue;
            };
            let (positive, negated) = match program.exprs.get(condition).kind {
                ExprKind::Not(operand) => (operand, true),
                _ => (condition, false),
            };
            let known = tests.iter().position(|(test, _)| *test == positive);
            let number = match known {
                Some(number) => number,
                None => match self.expr(positive, ValueUse::Computed) {
                    Ok(test) => {
                        tests.push((positive, test));
                        tests.len() - 1
                    }
                    Err(reason) => return stopped(reason, edge),
                },
            };
            open.push(format!("{}t{number}", if negated { "!" } else { "" }));
        }
        let mut codes = Vec::new();
        for &edge in out {
            codes.push(self.take(edge, clean).unwrap_or_else(|reason| stopped(reason, edge)));
        }
        let mut text = String::from("{ ");
        for (number, (_, test)) in tests.iter().enumerate() {
            let _ = write!(text, "int t{number} = !!({test}); ");
        }
        match (codes.as_slice(), open.as_slice()) {
            ([], _) => {
                let _ = write!(text, "goto L{}; ", location.index());
            }
            ([code], [open]) if open == "1" => text += code,
            ([code], [open]) => {
                let _ = write!(text, "if (!({open})) return BLOCKED; {code} ");
            }
            ([one, other], [first, second]) if *second == format!("!{first}") => {
                let _ = write!(text, "if ({first}) {{ {one} }} else {{ {other} }} ");
            }
            ([one, other], [first, second]) if *first == format!("!{second}") => {
                let _ = write!(text, "if ({first}) {{ {one} }} else {{ {other} }} ");
            }
            _ => {
                let _ = write!(text, "unsigned open[{}], count = 0; ", codes.len());
                for (number, open) in open.iter().enumerate() {
                    let _ = write!(text, "if ({open}) open[count++] = {number}; ");
                }
                text += "if (!count) return BLOCKED; switch (open[count > 1 ? choose(count) : 0]) { ";
                for (number, code) in codes.iter().enumerate() {
                    let _ = write!(text, "case {number}: {{ {code} }} ");
                }
                text += "} ";
            }
        }
        text += "}";
        text
    }

    /// What an edge does, to its end. The guard is true already.
    pub(super) fn take(&mut self, edge: EdgeId, clean: &[bool]) -> Result<String, NotGenerated> {
        let program = self.program;
        let contents = &program.edges[edge];
        let end = self.built_in(|atom| *atom == Atom::End);
        let is_observed = self.is_observed(edge);
        let mut text = String::new();
        match &contents.op {
            Op::Skip | Op::Assume(_) => {}
            Op::Assign { target, value: Operand::Scalar(value) } => {
                let purpose = match target.root {
                    Root::Variable(variable) if !self.relevant.contains(variable) => ValueUse::Dropped,
                    _ if self.data_classes.is_copied(target, *value) => ValueUse::Copied,
                    _ => ValueUse::Computed,
                };
                let value = self.expr(*value, purpose)?;
                text += &self.store(target, &value)?;
            }
            Op::Input { target, .. } => {
                let value = self.input(target)?;
                text += &self.store(target, &value)?;
            }
            Op::Discard(variable) if self.forgotten.contains(variable) => {
                if self.variables.contains_key(variable) {
                    let _ = write!(text, "memset(w.v{0}, 0, sizeof w.v{0}); ", variable.index());
                }
            }
            Op::Declare(variable) => {
                if let Some(slots) = self.variables.get(variable) {
                    let name = variable.index();
                    let _ = write!(text, "memset(w.v{name}, 0, sizeof w.v{name}); ");
                    if slots.is_flagged {
                        let _ = write!(text, "memset(w.f{name}, 1, sizeof w.f{name}); ");
                    }
                }
            }
            Op::Call { callee: Callee::Function(function), arguments, result } => {
                for argument in arguments {
                    let Operand::Scalar(argument) = argument else { return Err("an aggregate") };
                    if !self.is_fixed_address(*argument) {
                        let _ = write!(text, "(void)({}); ", self.expr(*argument, ValueUse::Dropped)?);
                    }
                }
                if let Some(stop) = self.enter(&mut text, *function, contents.from, &mut false) {
                    return Ok(text + stop);
                }
                if let Some(result) = result {
                    let place = Place::variable(*result, program.variables[*result].ty);
                    let value = self.input(&place)?;
                    text += &self.store(&place, &value)?;
                }
            }
            Op::Return(value) => {
                match value {
                    Some(Operand::Scalar(value)) => {
                        let _ = write!(text, "(void)({}); ", self.expr(*value, ValueUse::Dropped)?);
                    }
                    Some(Operand::Aggregate(_)) => return Err("an aggregate"),
                    None => {}
                }
                if is_observed {
                    text += &self.look(contents.from, 0);
                }
                text += &self.look(contents.from, end);
                return Ok(text + "return ENDED; ");
            }
            Op::End(_) => return Ok(self.look(contents.from, end) + "return ENDED; "),
            Op::Unreachable => return Ok("undefined(); return BLOCKED; ".to_owned()),
            Op::Assign { .. } => return Err("an aggregate"),
            Op::Discard(_) => return Err("the end of a variable's lifetime"),
            Op::Call { .. } => return Err("a call through a pointer"),
            _ => return Err("an operation on pointers or threads"),
        }
        let mut is_due = is_observed;
        let (_, entered) = self.prepared.crossed(edge);
        for context in entered {
            let function = self.prepared.contexts[context].function;
            if let Some(stop) = self.enter(&mut text, function, contents.to, &mut is_due) {
                return Ok(text + stop);
            }
        }
        if is_due && !(clean[contents.from.index()] && self.changes_no_letter(edge)) {
            text += &self.look(contents.to, 0);
        }
        let _ = write!(text, "goto L{}; ", contents.to.index());
        Ok(text)
    }

    pub(super) fn is_observed(&self, edge: EdgeId) -> bool {
        self.task.semantics.observe.may_see(self.program.edges[edge].observe)
    }

    /// By location: whether the letter that was seen last is always the one that would be seen there. Where that is so,
    /// an edge that changes no atom need not be looked at, because it would show the same letter once more; none is
    /// where repetitions count.
    pub(super) fn clean(&self) -> Vec<bool> {
        let is_possible =
            !self.task.formulas.has_next(self.task.formula()) && !self.task.atoms.contains(&Atom::Overflow);
        let mut clean = vec![is_possible; self.program.locations.len()];
        // The function that is entered there may be an atom.
        clean[self.prepared.start().index()] = false;
        let mut changes = is_possible;
        while std::mem::take(&mut changes) {
            for (id, edge) in self.program.edges.iter() {
                let stays = clean[edge.from.index()] && self.changes_no_letter(id);
                let is_seen = self.is_observed(id) && !self.enters_seen(id);
                if clean[edge.to.index()] && !stays && !is_seen {
                    clean[edge.to.index()] = false;
                    changes = true;
                }
            }
        }
        clean
    }

    /// Whether an edge enters a function that is observed to be entered.
    pub(super) fn enters_seen(&self, edge: EdgeId) -> bool {
        let (_, entered) = self.prepared.crossed(edge);
        let is_seen = |function: FunctionId| {
            self.prepared.atoms.has_call(function) || self.task.semantics.stop_at_call == Some(function)
        };
        entered.into_iter().any(|context| is_seen(self.prepared.contexts[context].function))
    }

    /// Whether the same letter would be seen before and after an edge, and nothing else is seen on it.
    pub(super) fn changes_no_letter(&self, edge: EdgeId) -> bool {
        let contents = &self.program.edges[edge];
        let keeps = |variable: VariableId| !self.observed.contains(&variable);
        let keeps_part = |place: &Place| matches!(place.root, Root::Variable(variable) if keeps(variable));
        let changes_nothing = match &contents.op {
            Op::Skip | Op::Assume(_) => true,
            Op::Assign { target, .. } | Op::Input { target, .. } => keeps_part(target),
            Op::Declare(variable) => keeps(*variable),
            _ => false,
        };
        changes_nothing && self.view(contents.from) == self.view(contents.to) && !self.enters_seen(edge)
    }

    /// A function is entered, as it is seen from a location; what ends the run if it is to end there.
    pub(super) fn enter(
        &self,
        text: &mut String,
        function: FunctionId,
        location: LocationId,
        is_due: &mut bool,
    ) -> Option<&'static str> {
        let stops = self.task.semantics.stop_at_call == Some(function);
        if self.prepared.atoms.has_call(function) || stops {
            if std::mem::take(is_due) {
                *text += &self.look(location, 0);
            }
            let entered = self.built_in(|atom| *atom == Atom::Call(function));
            *text += &self.look(location, entered);
        }
        stops.then_some("return ENDED; ")
    }
}
