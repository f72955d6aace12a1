//! The explorer of one task, as a C program: its states, its steps, its atoms and the automaton. What is the same for
//! all tasks is in `runtime.c`.
//!
//! The steps are those of [`program::passes::run`](mod@program::passes::run), the definition of what an inlined program
//! does. What is not covered becomes a call of `not_covered` in the place where it would be executed.

mod steps;
mod tables;
mod values;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use automata::buchi::{Automaton, Guard};
use foundation::{Budget, Id};
use program::passes::{Prepared, prepare};
use program::semantics::layout::leaves;
use program::semantics::{Integers, ObserveMode};
use program::{
    Atom, BinaryOp, Constant, ExprId, ExprKind, Initial, IntType, LocationId, Op, Program, Scalar, VariableId,
    VariableKind,
};
use task::Task;

use super::control::{LiveVariables, variables_in};
use super::data_classes::{DataClasses, constant};
use super::plain::Plain;
use super::{Horizon, Unexplored};
use program::relevance::{Relevance, Variables};
use tables::tables;
use values::{ValueUse, depths, is_plain, literal};

const RUNTIME: &str = include_str!("../runtime.c");

/// Programs of more edges than this are not inlined.
const MOST_EDGES: usize = 400_000;

/// Expressions that are nested deeper than this are not covered, because compilers are not made for them.
const MOST_LEVELS: u32 = 120;

/// Variables with more parts than this are not covered.
const MOST_PARTS: usize = 1 << 12;

/// Automata of more states than this are not covered.
const MOST_AUTOMATON_STATES: usize = 256;

/// Longer programs are not compiled.
const LONGEST_SOURCE_BYTES: usize = 1 << 26;

/// The source of an explorer, and the program that it explores.
pub(super) fn generate(
    task: &Task,
    automaton: &Automaton<Guard>,
    limits: Horizon,
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
    let plain = Plain::of(prepared);
    let prepared = &plain.prepared;
    let atoms = plain.atoms();
    let overflow_is_seen = task.atoms.contains(&Atom::Overflow);
    let relevance = Relevance::of(&prepared.program, &atoms, task.semantics.integers, overflow_is_seen);
    let relevant = relevance.along_all();
    let source = Generator::new(task, &plain, &relevance, &relevant, atoms)?.program(automaton, limits, budget)?;
    Ok((source, plain.prepared))
}

/// Why something cannot be generated.
type NotGenerated = &'static str;

struct Generator<'a> {
    task: &'a Task,
    plain: &'a Plain,
    /// The variables that hold nothing any more where their lifetimes end.
    forgotten: BTreeSet<VariableId>,
    prepared: &'a Prepared,
    program: &'a Program,
    integers: Integers,
    relevance: &'a Relevance<'a>,
    relevant: &'a Variables,
    data_classes: DataClasses<'a>,
    /// The variables that are part of a state.
    variables: BTreeMap<VariableId, Slots>,
    /// The variables that atoms read.
    observed: BTreeSet<VariableId>,
    live: LiveVariables,
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
        plain: &'a Plain,
        relevance: &'a Relevance<'a>,
        relevant: &'a Variables,
        atoms: Vec<ExprId>,
    ) -> Result<Self, Unexplored> {
        let prepared = &plain.prepared;
        let program = &prepared.program;
        let integers = task.semantics.integers;
        let mut observed = BTreeSet::new();
        atoms.iter().for_each(|atom| variables_in(program, *atom, &mut observed));
        let mut data_classes = DataClasses::new(relevance, relevant, &atoms);
        for edge in program.edges.values() {
            if let Op::Call { result: Some(result), .. } = edge.op {
                data_classes.add_source(result);
            }
        }
        let is_tracked = |variable| relevant.contains(variable) && !observed.contains(&variable);
        let mut generator = Self {
            task,
            plain,
            forgotten: plain.forgotten(),
            prepared,
            program,
            integers,
            relevance,
            relevant,
            data_classes,
            variables: BTreeMap::new(),
            live: LiveVariables::of(program, is_tracked),
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
        let is_partial = |expr: ExprId| match &self.program.exprs.get(expr).kind {
            ExprKind::Binary(op, ..) => {
                matches!(op, BinaryOp::Divide | BinaryOp::Remainder | BinaryOp::ShiftLeft | BinaryOp::ShiftRight)
            }
            ExprKind::Load(place) => !place.operands().is_empty(),
            _ => false,
        };
        self.program.exprs.below([expr]).any(is_partial)
    }

    fn program(mut self, automaton: &Automaton<Guard>, limits: Horizon, budget: &Budget) -> Result<String, Unexplored> {
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
        let repetitions = self.task.formulas.has_next(self.task.formula());
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
            if !self.data_classes.may_stand_for_many(variable) {
                continue;
            }
            let large = self.data_classes.large(variable);
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
    fn atoms(&mut self) -> Result<String, NotGenerated> {
        let mut views = BTreeMap::new();
        for location in self.program.locations.ids() {
            let context = self.prepared.context_of(location);
            views.entry(self.prepared.atoms.view(context).index()).or_insert(location);
        }
        let mut text = String::new();
        for (view, location) in &views {
            let mut bits = String::from("0");
            for (index, atom) in self.prepared.atoms_at(*location).iter().enumerate() {
                if let Some(atom) = atom {
                    let value = self.expr(self.plain.atom(atom.value), ValueUse::Computed)?;
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
        self.prepared.atoms.view(self.prepared.context_of(location)).index()
    }

    fn look(&self, location: LocationId, built_in: u64) -> String {
        format!("look({}, {built_in}ULL); ", self.view(location))
    }

    /// The function that makes the first state.
    fn start(&mut self) -> Result<String, NotGenerated> {
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
