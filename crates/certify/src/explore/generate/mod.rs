//! The explorer of one task, as a C program: its states, its steps, its atoms and the automaton. What is the same for all
//! tasks is in `runtime.c`.
//!
//! The steps are those of [`program::passes::run`](mod@program::passes::run), the definition of what an inlined program
//! does. What is not covered becomes a call of `not_covered` in the place where it would be executed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use automata::buchi::{Automaton, Guard};
use foundation::{Budget, Id};
use program::passes::{Prepared, prepare};
use program::semantics::layout::leaves;
use program::semantics::{Integers, ObserveMode, UndefinedMode};
use program::{
    Atom, BinaryOp, Callee, Constant, EdgeId, ExprId, ExprKind, FunctionId, Initial, IntType, LocationId, Observe, Op,
    Operand, Place, Program, Root, Scalar, VariableId, VariableKind,
};
use task::Task;

use super::control::{Liveness, asks, kept, variables_in};
use super::regions::{Regions, constant};
use super::{Limits, Unexplored};
use crate::relevance::{Relevance, Variables};

mod tables;
mod values;

use tables::tables;
use values::{Purpose, depths, is_plain, literal};

const RUNTIME: &str = include_str!("../runtime.c");

/// Programs of more edges than this are not inlined.
const MOST_EDGES: usize = 400_000;

/// Expressions that are nested deeper than this are not covered, because compilers are not made for them.
const DEEPEST: u32 = 120;

/// Variables with more parts than this are not covered.
const MOST_PARTS: usize = 1 << 12;

/// Automata of more states than this are not covered.
const MOST_AUTOMATON_STATES: usize = 256;

/// Longer programs are not compiled.
const LONGEST_SOURCE: usize = 1 << 26;

/// The source of an explorer, and the program that it explores.
pub(super) fn generate(
    task: &Task,
    automaton: &Automaton<Guard>,
    limits: Limits,
    budget: &Budget,
) -> Result<(String, Prepared), Unexplored> {
    let refuse = |reason: &str| Unexplored::not_covered(reason, None);
    if task.semantics.observe == ObserveMode::Change {
        return Err(refuse("observation of changes in a generated program"));
    }
    if task.atoms.len() > 64 || automaton.state_count() > MOST_AUTOMATON_STATES {
        return Err(refuse("so large a property in a generated program"));
    }
    let prepared = prepare(&task.program, &task.atoms, task.semantics, MOST_EDGES)
        .map_err(|_| refuse("recursion or threads in a generated program"))?;
    let atoms: Vec<ExprId> = prepared.atoms.expressions().collect();
    let overflow_is_seen = task.atoms.contains(&Atom::Overflow);
    let relevance = Relevance::of(&prepared.program, &atoms, task.semantics.integers, overflow_is_seen);
    let relevant = relevance.along_all();
    let source = Generator::new(task, &prepared, &relevance, &relevant, atoms)?.program(automaton, limits, budget)?;
    Ok((source, prepared))
}

/// Why something cannot be generated.
type Reason = &'static str;

struct Generator<'a> {
    task: &'a Task,
    prepared: &'a Prepared,
    program: &'a Program,
    integers: Integers,
    relevance: &'a Relevance<'a>,
    relevant: &'a Variables,
    regions: Regions<'a>,
    /// The variables that are part of a state.
    variables: BTreeMap<VariableId, Slots>,
    /// The variables that atoms read.
    observed: BTreeSet<VariableId>,
    live: Liveness,
    depths: Vec<u32>,
    /// Whether numbers of 64 bits are computed with.
    is_wide: bool,
}

/// How a variable is kept in a state.
#[derive(Clone, Copy, Debug)]
struct Slots {
    count: usize,
    /// The type of all parts; none where they differ.
    ty: Option<Scalar>,
    /// Whether it may be read before it is written.
    is_flagged: bool,
}

impl<'a> Generator<'a> {
    fn new(
        task: &'a Task,
        prepared: &'a Prepared,
        relevance: &'a Relevance<'a>,
        relevant: &'a Variables,
        atoms: Vec<ExprId>,
    ) -> Result<Self, Unexplored> {
        let program = &prepared.program;
        let integers = task.semantics.integers;
        let mut observed = BTreeSet::new();
        atoms.iter().for_each(|atom| variables_in(program, *atom, &mut observed));
        let mut regions = Regions::new(relevance, relevant, &atoms);
        for edge in program.edges.values() {
            if let Op::Call { result: Some(result), .. } = edge.op {
                regions.add_source(result);
            }
        }
        let is_tracked = |variable| relevant.contains(variable) && !observed.contains(&variable);
        let mut generator = Self {
            task,
            prepared,
            program,
            integers,
            relevance,
            relevant,
            regions,
            variables: BTreeMap::new(),
            live: Liveness::of(program, is_tracked),
            observed,
            depths: depths(program),
            is_wide: integers == Integers::Ideal,
        };
        generator.variables = generator.all_slots();
        for atom in atoms {
            if generator.may_be_undefined(atom) {
                return Err(Unexplored::not_covered("an atom that may be undefined, in a generated program", None));
            }
        }
        Ok(generator)
    }

    /// The variables that matter, in a form in which they can be kept.
    fn all_slots(&self) -> BTreeMap<VariableId, Slots> {
        let program = self.program;
        let mut declared = vec![false; program.variables.len()];
        let mut unwritten: Vec<bool> =
            program.variables.ids().map(|variable| self.live.contains(self.prepared.start(), variable)).collect();
        for edge in program.edges.values() {
            if let Op::Declare(variable) = edge.op {
                declared[variable.index()] = true;
                unwritten[variable.index()] |= self.live.contains(edge.to, variable);
            }
        }
        let slots = |variable: VariableId| {
            let contents = &program.variables[variable];
            if !is_plain(program, contents.ty) {
                return None;
            }
            let parts = leaves(&program.types, contents.ty).ok().filter(|parts| parts.len() <= MOST_PARTS)?;
            let first = parts.first()?.scalar;
            let ty = parts.iter().all(|part| part.scalar == first).then_some(first);
            let is_initialised = match &contents.kind {
                VariableKind::Global { initial, .. } | VariableKind::Literal { initial } => {
                    *initial != Initial::Arbitrary
                }
                _ => false,
            };
            let is_flagged = unwritten[variable.index()] && (!is_initialised || declared[variable.index()]);
            Some(Slots { count: parts.len(), ty, is_flagged })
        };
        let relevant = program.variables.ids().filter(|variable| self.relevant.contains(*variable));
        relevant.filter_map(|variable| Some((variable, slots(variable)?))).collect()
    }

    /// Whether evaluation may come to something undefined.
    fn may_be_undefined(&self, expr: ExprId) -> bool {
        let mut seen = BTreeSet::from([expr]);
        let mut open = vec![expr];
        while let Some(expr) = open.pop() {
            let is_partial = match &self.program.exprs.get(expr).kind {
                ExprKind::Binary(op, ..) => {
                    matches!(op, BinaryOp::Divide | BinaryOp::Remainder | BinaryOp::ShiftLeft | BinaryOp::ShiftRight)
                }
                ExprKind::Load(place) => !place.operands().is_empty(),
                _ => false,
            };
            if is_partial {
                return true;
            }
            open.extend(self.program.exprs.operands(expr).into_iter().filter(|operand| seen.insert(*operand)));
        }
        false
    }

    fn program(mut self, automaton: &Automaton<Guard>, limits: Limits, budget: &Budget) -> Result<String, Unexplored> {
        let atoms = self.atoms().map_err(|reason| Unexplored::not_covered(reason, None))?;
        let start = self.start().map_err(|reason| Unexplored::not_covered(reason, None))?;
        let steps = self.steps(budget)?;
        let checks = self.checks();
        let tables = tables(automaton).ok_or_else(|| Unexplored::not_covered("so large a guard", None))?;
        let mut text = String::from("#include <setjmp.h>\n#include <stdint.h>\n#include <stdio.h>\n");
        text += "#include <stdlib.h>\n#include <string.h>\n";
        let (number, unsigned, ideal) = match self.is_wide {
            true => ("__int128", "unsigned __int128", self.is_ideal()),
            false => ("long long", "unsigned long long", false),
        };
        let has_overflow = self.task.atoms.contains(&Atom::Overflow);
        let overflowed = if has_overflow { "w.overflow" } else { "ignored_overflow" };
        // A budget without a limit still ends before the machine does.
        let memory = budget.memory().unwrap_or(1 << 40);
        let repetitions = self.task.formulas.has_next(self.task.goal);
        let _ = writeln!(
            text,
            "typedef {number} V;\ntypedef {unsigned} U;\n#define IDEAL {}\n#define OVERFLOWED {overflowed}\nstatic int ignored_overflow;\n\
             #define COUNTS_REPETITIONS {}\n#define MOST_STATES {}ULL\n#define MOST_MEMORY {memory}ULL",
            u8::from(ideal),
            u8::from(repetitions),
            limits.states,
        );
        text += "struct S {\n    uint64_t last;\n    uint32_t at;\n    uint8_t overflow;\n";
        for (variable, slots) in &self.variables {
            let ty = self.storage(slots.ty);
            let _ = writeln!(text, "    {ty} v{}[{}];", variable.index(), slots.count);
            if slots.is_flagged {
                let _ = writeln!(text, "    uint8_t f{}[{}];", variable.index(), slots.count);
            }
        }
        text += "} __attribute__((packed));\n";
        text += &tables;
        text += RUNTIME;
        text += &checks;
        text += &atoms;
        text += &start;
        text += &steps;
        Ok(text)
    }

    fn is_ideal(&self) -> bool {
        self.integers == Integers::Ideal
    }

    fn storage(&self, ty: Option<Scalar>) -> &'static str {
        match ty {
            Some(Scalar::Bool) => "uint8_t",
            Some(Scalar::Int(_)) if self.is_ideal() => "int64_t",
            Some(Scalar::Int(IntType { bits, signed })) => match (bits, signed) {
                (..=8, true) => "int8_t",
                (..=8, false) => "uint8_t",
                (..=16, true) => "int16_t",
                (..=16, false) => "uint16_t",
                (..=32, true) => "int32_t",
                (..=32, false) => "uint32_t",
                (_, true) => "int64_t",
                (_, false) => "uint64_t",
            },
            _ => "int64_t",
        }
    }

    /// For each variable that may hold a number which stands for many, a function that sees to it that it does not.
    fn checks(&self) -> String {
        let mut text = String::new();
        for &variable in self.variables.keys() {
            if !self.regions.may_stand_for_many(variable) {
                continue;
            }
            let large = self.regions.large(variable);
            let conditions: Vec<String> = (large.iter())
                .map(|(low, high)| format!("({} <= v && v <= {})", literal(*low), literal(*high)))
                .collect();
            let _ = writeln!(
                text,
                "static V checked_{}(V v) {{ if ({}) not_covered(\"a variable may hold any of many input values where it \
                 is computed with\", -1); return v; }}",
                variable.index(),
                conditions.join(" || ")
            );
        }
        text
    }

    /// The functions that look at the atoms, one for each view.
    fn atoms(&mut self) -> Result<String, Reason> {
        let mut views = BTreeMap::new();
        for location in self.program.locations.ids() {
            let context = self.prepared.context_of[location];
            views.entry(self.prepared.atoms.view(context).index()).or_insert(location);
        }
        let mut text = String::new();
        for (view, location) in &views {
            let mut bits = String::from("0");
            for (index, atom) in self.prepared.atoms_at(*location).iter().enumerate() {
                if let Some(atom) = atom {
                    let value = self.expr(atom.value, Purpose::Computed)?;
                    let _ = write!(bits, " | (Letter)!!({value}) << {index}");
                }
            }
            let _ = writeln!(text, "static Letter atoms_{view}(void) {{ return {bits}; }}");
        }
        text += "static void look(unsigned view, Letter built_in) {\n    int overflowed = OVERFLOWED;\n";
        text += "    Letter letter = 0;\n    switch (view) {\n";
        for view in views.keys() {
            let _ = writeln!(text, "    case {view}: letter = atoms_{view}(); break;");
        }
        let overflow = self.built_in(|atom| *atom == Atom::Overflow);
        let _ = writeln!(
            text,
            "    }}\n    OVERFLOWED = 0;\n    see(letter | built_in | (overflowed ? {overflow}ULL : 0));\n}}"
        );
        let _ = writeln!(text, "static unsigned view_now = {};", self.view(self.prepared.start()));
        Ok(text)
    }

    /// The letter in which the built-in atoms hold that are asked for.
    fn built_in(&self, holds: impl Fn(&Atom) -> bool) -> u64 {
        let atoms = self.task.atoms.iter().enumerate();
        atoms.filter(|(_, atom)| holds(atom)).fold(0, |letter, (index, _)| letter | 1 << index)
    }

    fn view(&self, location: LocationId) -> usize {
        self.prepared.atoms.view(self.prepared.context_of[location]).index()
    }

    fn look(&self, location: LocationId, built_in: u64) -> String {
        format!("look({}, {built_in}ULL); ", self.view(location))
    }

    /// The function that makes the first state.
    fn start(&mut self) -> Result<String, Reason> {
        let mut text = String::from("static int start(void) {\n");
        for (variable, slots) in self.variables.clone() {
            let contents = &self.program.variables[variable];
            let name = variable.index();
            match &contents.kind {
                VariableKind::Global { initial: Initial::Values(items), .. }
                | VariableKind::Literal { initial: Initial::Values(items) } => {
                    let parts = leaves(&self.program.types, contents.ty).map_err(|_| "so large a variable")?;
                    for item in items {
                        let part = parts.iter().position(|part| {
                            (part.offset_bits, part.width_bits) == (item.offset_bits, item.width_bits)
                        });
                        let value = match self.program.exprs.get(item.value).kind {
                            ExprKind::Constant(Constant::Bool(value)) => Some(i128::from(value)),
                            _ => constant(self.program, self.integers, item.value),
                        };
                        let (Some(part), Some(value)) = (part, value) else { return Err("an initial value") };
                        if i64::try_from(value).is_err() && self.is_ideal() {
                            return Err("so large a number");
                        }
                        let _ = writeln!(text, "    w.v{name}[{part}] = {};", literal(value));
                    }
                }
                _ if slots.is_flagged => {
                    let _ = writeln!(text, "    memset(w.f{name}, 1, sizeof w.f{name});");
                }
                _ => {}
            }
        }
        let root = self.prepared.root();
        let entered = self.built_in(|atom| *atom == Atom::Call(root));
        let first = self.prepared.start();
        let end = if self.task.semantics.stop_at_call == Some(root) { "ENDED" } else { "NEXT" };
        let _ =
            writeln!(text, "    {}\n    w.at = {};\n    return {end};\n}}", self.look(first, entered), first.index());
        Ok(text)
    }

    /// The function that takes steps to the next state that is kept.
    fn steps(&mut self, budget: &Budget) -> Result<String, Unexplored> {
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
            if text.len() > LONGEST_SOURCE {
                return Err(Unexplored::not_covered("so long a generated program", None));
            }
            if name.is_multiple_of(1024) {
                budget.check()?;
            }
        }
        // In a function of its own: to a compiler, everything in this one may be what control comes back from.
        text += "}\nstatic int run(void) {\n    if (setjmp(undefined_behaviour)) {\n";
        match self.task.semantics.undefined {
            UndefinedMode::Assume => text += "        return CUT;\n    }\n",
            UndefinedMode::Error => {
                let _ = writeln!(text, "        look(view_now, {error}ULL);\n        return ENDED;\n    }}");
            }
        }
        text += "    return steps();\n}\n";
        Ok(text)
    }

    /// What happens at a location.
    fn leave(&mut self, location: LocationId, clean: &[bool]) -> String {
        let program = self.program;
        let out = &program.locations[location].out;
        let stopped = |reason: Reason, edge: EdgeId| {
            format!("not_covered(\"{reason} in a generated program\", {}); return CUT;", edge.index())
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
                None => match self.expr(positive, Purpose::Computed) {
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
                let _ = write!(text, "if (!({open})) return CUT; {code} ");
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
                text += "if (!count) return CUT; switch (open[count > 1 ? choose(count) : 0]) { ";
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
    fn take(&mut self, edge: EdgeId, clean: &[bool]) -> Result<String, Reason> {
        let program = self.program;
        let contents = &program.edges[edge];
        let end = self.built_in(|atom| *atom == Atom::End);
        let is_observed = self.is_observed(edge);
        let mut text = String::new();
        match &contents.op {
            Op::Skip | Op::Assume(_) => {}
            Op::Assign { target, value: Operand::Scalar(value) } => {
                let purpose = match target.root {
                    Root::Variable(variable) if !self.relevant.contains(variable) => Purpose::Dropped,
                    _ if self.regions.is_copied(target, *value) => Purpose::Copied,
                    _ => Purpose::Computed,
                };
                let value = self.expr(*value, purpose)?;
                text += &self.store(target, &value)?;
            }
            Op::Input { target, .. } => {
                let value = self.input(target)?;
                text += &self.store(target, &value)?;
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
                        let _ = write!(text, "(void)({}); ", self.expr(*argument, Purpose::Dropped)?);
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
                        let _ = write!(text, "(void)({}); ", self.expr(*value, Purpose::Dropped)?);
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
            Op::Unreachable => return Ok("undefined(); return CUT; ".to_owned()),
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

    fn is_observed(&self, edge: EdgeId) -> bool {
        match self.task.semantics.observe {
            ObserveMode::Step => self.program.edges[edge].observe == Observe::Step,
            _ => self.program.edges[edge].observe != Observe::No,
        }
    }

    /// By location: whether the letter that was seen last is always the one that would be seen there. Where that is so, an
    /// edge that changes no atom need not be looked at, because it would show the same letter once more; none is where
    /// repetitions count.
    fn clean(&self) -> Vec<bool> {
        let is_possible = !self.task.formulas.has_next(self.task.goal) && !self.task.atoms.contains(&Atom::Overflow);
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
    fn enters_seen(&self, edge: EdgeId) -> bool {
        let (_, entered) = self.prepared.crossed(edge);
        let is_seen = |function: FunctionId| {
            self.prepared.atoms.has_call(function) || self.task.semantics.stop_at_call == Some(function)
        };
        entered.into_iter().any(|context| is_seen(self.prepared.contexts[context].function))
    }

    /// Whether the same letter would be seen before and after an edge, and nothing else is seen on it.
    fn changes_no_letter(&self, edge: EdgeId) -> bool {
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
    fn enter(
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

fn reachable(program: &Program, start: LocationId) -> Vec<LocationId> {
    let mut seen = BTreeSet::from([start]);
    let mut open = vec![start];
    while let Some(location) = open.pop() {
        for &edge in &program.locations[location].out {
            let to = program.edges[edge].to;
            if seen.insert(to) {
                open.push(to);
            }
        }
    }
    seen.into_iter().collect()
}
