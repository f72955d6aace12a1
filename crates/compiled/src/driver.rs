//! What stands beside the user's program when it is compiled: the texts with probes, the functions that give recorded
//! inputs, the atoms as C functions, and the tables that `runtime.c` reads.
//!
//! Inputs are given by name, in the order in which the interpreter asked for them under that name.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use foundation::collections::HashMap;
use foundation::{Id, SourceId, SourceMap, Span};
use program::semantics::{Occasion, Question, Value};
use program::{Atom, DataModel, FunctionId, InputSource, Op, Program, VariableId, VariableKind};
use subject::Subject;
use task::Task;

use crate::expected::Expected;
use crate::instrument::{InstrumentationPlan, Instrumented, ProbeSite, instrument};
use crate::queues::Queues;
use crate::stubs::{NEEDED, REPLACED, stubs, written};

/// The text that every driver has in common.
pub(crate) const RUNTIME: &str = include_str!("runtime.c");

/// Everything that is compiled, and what it is to write down.
#[derive(Clone, Debug)]
pub(crate) struct CompiledDriver {
    /// The user's texts with probes.
    pub units: Vec<String>,
    /// The tables and the functions that give inputs.
    pub tables: String,
    /// Macros for the runtime.
    pub sizes: Vec<String>,
    /// What the compiled program is to come to, in order, each with its index among what the interpreter observes.
    pub marks: Vec<(usize, TraceMark)>,
    /// Atoms that are not compared, with the reason.
    pub uncompared: Vec<(usize, String)>,
    /// How many observed states have no probe.
    pub unprobed: usize,
    /// The sites of the probes.
    pub sites: Vec<ProbeSite>,
    /// The names of inputs, by queue.
    pub queues: Vec<String>,
}

/// What a line of the trace says that happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TraceMark {
    /// The start.
    Begin,
    /// The probe with this number.
    Probe(usize),
    /// The function with this number was entered.
    Call(usize),
    /// The end.
    End,
    /// Undefined behaviour.
    Error,
}

/// Makes a driver for an execution. The error says why the program cannot be compiled with one.
pub(crate) fn driver(
    subject: &Subject,
    task: &Task,
    sources: &SourceMap,
    expected: &Expected,
    trace_path: &str,
) -> Result<CompiledDriver, String> {
    let program = &*task.program;
    refuse(program, expected)?;
    let names = FollowedNames::of(task);
    let queues = Queues::of(&expected.asked)?;
    let mut plan = InstrumentationPlan { frames: names.frames_by_name(program), ..InstrumentationPlan::default() };
    names.note_locals(program, &mut plan);
    queues.fill_locals(program, &mut plan);
    let mut sites = Vec::new();
    let units: Vec<SourceId> = units(program);
    let mut texts: Vec<(SourceId, Instrumented)> = Vec::new();
    for unit in units {
        texts.push((unit, instrument(unit, sources, &plan, &mut sites)));
    }
    let (marks, unprobed) = marks(expected, &sites, &names);
    let (atoms, uncompared) = atoms(subject, task, &names, &texts);
    let defined: BTreeSet<&str> = texts.iter().flat_map(|(_, unit)| unit.defined.iter().map(String::as_str)).collect();
    let replaced = REPLACED.iter().filter(|(name, _)| !defined.contains(name));
    let mut definitions: Vec<String> = replaced.map(|(name, _)| format!("{name} semper_r_{name}")).collect();
    definitions
        .extend(["main semper_main", "pthread_create semper_create", "__noreturn__", "register"].map(str::to_owned));
    let is_own = |name: &&&str| {
        let is_variable = |kind: &VariableKind| matches!(kind, VariableKind::Global { declared_in: None, .. });
        let mut variables = program.variables.values();
        defined.contains(**name)
            || program.function_named(name).is_some_and(|function| program.functions[function].entry.is_none())
            || variables.any(|variable| variable.name == **name && is_variable(&variable.kind))
    };
    let own = NEEDED.iter().filter(is_own).filter(|name| !REPLACED.iter().any(|(known, _)| known == *name));
    definitions.extend(own.map(|name| format!("{name} semper_u_{name}")));
    let entry = program.entry.ok_or("there is no entry function")?;
    let mut units = Vec::new();
    let mut has_start = false;
    for (unit, instrumented) in &texts {
        let mut text = prelude(&names);
        for definition in &definitions {
            let _ = writeln!(text, "#define {definition}");
        }
        let name = sources.name(*unit).replace(['\\', '"', '\n'], "_");
        let _ = writeln!(text, "# 1 \"{name}\"");
        text.push_str(&instrumented.text);
        text.push_str("\n# 1 \"<semper>\"\n");
        for (unit_of_atom, atom) in &atoms {
            if *unit_of_atom == Some(*unit) {
                text.push_str(atom);
            }
        }
        if instrumented.defined.contains(&program.functions[entry].name) {
            text.push_str(&start(program, entry, &queues)?);
            has_start = true;
        }
        units.push(text);
    }
    if !has_start {
        return Err("the text of the entry function is not known".to_owned());
    }
    let mut tables = String::new();
    for (unit_of_atom, atom) in &atoms {
        if unit_of_atom.is_none() {
            tables.push_str(atom);
        }
    }
    tables.push_str(&stubs(program, &names, &queues)?);
    tables.push_str(&names.tables(task));
    tables.push_str(&queues.tables(&marks));
    tables.push_str(&run_tables(program, expected, &marks, trace_path));
    let sizes = vec![
        format!("SEMPER_LOCALS={}", names.locals.len()),
        format!("SEMPER_FRAMES={}", names.frames.len()),
        format!("SEMPER_QUEUES={}", queues.names.len()),
    ];
    Ok(CompiledDriver { units, tables, sizes, marks, uncompared, unprobed, sites, queues: queues.names })
}

/// What cannot be compiled so that it does what the interpreter does.
fn refuse(program: &Program, expected: &Expected) -> Result<(), String> {
    for asked in &expected.asked {
        match (&asked.question, &asked.value) {
            (Question::Register { .. }, _) => return Err("it reads a device register".to_owned()),
            (Question::AllocationFails, Value::Bool(true)) => return Err("an allocation fails in it".to_owned()),
            (Question::Input { source, .. }, _) => match source {
                InputSource::Register(_) => return Err("it reads a device register".to_owned()),
                InputSource::Volatile(_) => return Err("a volatile object is input".to_owned()),
                InputSource::Assembly => return Err("it has inline assembly".to_owned()),
                InputSource::Nondet(name) if name == "nondet_errno" => return Err("it reads `errno`".to_owned()),
                InputSource::External(name) if name == "scanf" => return Err("it calls `scanf`".to_owned()),
                InputSource::Argument { function, argument } => {
                    written(program, function, *argument)?;
                }
                _ => {}
            },
            _ => {}
        }
    }
    let has_assembly = program.edges.values().any(|edge| {
        matches!(
            &edge.op,
            Op::Input { source: InputSource::Assembly, .. } | Op::Havoc { source: InputSource::Assembly, .. }
        )
    });
    if has_assembly { Err("it has inline assembly".to_owned()) } else { Ok(()) }
}

/// The translation units of a program, in order: the texts that its functions and variables stand in.
fn units(program: &Program) -> Vec<SourceId> {
    let functions = program.functions.values().filter(|function| !function.library && function.entry.is_some());
    let is_global = |kind: &VariableKind| matches!(kind, VariableKind::Global { initial, .. } if *initial != program::Initial::Arbitrary);
    let variables = program.variables.values().filter(|variable| is_global(&variable.kind));
    let library: BTreeSet<SourceId> =
        program.functions.values().filter(|function| function.library).map(|function| function.span.source).collect();
    let spans = functions.map(|function| function.span).chain(variables.map(|variable| variable.span));
    let sources: BTreeSet<SourceId> = spans.map(|span| span.source).filter(|it| !library.contains(it)).collect();
    sources.into_iter().collect()
}

/// Functions whose activations are followed and local variables that atoms read.
pub(crate) struct FollowedNames {
    frames: Vec<FunctionId>,
    locals: Vec<(VariableId, FunctionId)>,
    entry: Option<FunctionId>,
}

impl FollowedNames {
    fn of(task: &Task) -> Self {
        let program = &*task.program;
        let mut locals: Vec<(VariableId, FunctionId)> = Vec::new();
        let mut frames: BTreeSet<FunctionId> = BTreeSet::new();
        for atom in task.atoms.iter() {
            match atom {
                Atom::Call(function) => {
                    frames.insert(*function);
                }
                Atom::State { reads, .. } => {
                    for &variable in reads {
                        if let Some(function) = function_of(program, variable) {
                            frames.insert(function);
                            if !locals.contains(&(variable, function)) {
                                locals.push((variable, function));
                            }
                        }
                    }
                }
                _ => {}
            }
        }
        Self { frames: frames.into_iter().collect(), locals, entry: program.entry }
    }

    /// The number of a function whose activations are followed.
    pub(crate) fn frame(&self, function: FunctionId) -> Option<usize> {
        self.frames.iter().position(|known| *known == function)
    }

    fn frames_by_name(&self, program: &Program) -> BTreeMap<String, usize> {
        let named = |(number, function): (usize, &FunctionId)| (program.functions[*function].name.clone(), number);
        self.frames.iter().enumerate().map(named).collect()
    }

    fn note_locals(&self, program: &Program, plan: &mut InstrumentationPlan) {
        for (number, &(variable, function)) in self.locals.iter().enumerate() {
            let known = &program.variables[variable];
            if let VariableKind::Parameter(_) = known.kind {
                let function = program.functions[function].name.clone();
                plan.parameters.entry(function).or_default().push((known.name.clone(), number));
            } else {
                plan.notes.insert(known.span, number);
            }
        }
    }

    fn tables(&self, task: &Task) -> String {
        let numbers = |values: Vec<i64>| {
            let texts: Vec<String> = values.iter().map(ToString::to_string).chain(["0".to_owned()]).collect();
            texts.join(", ")
        };
        let frame_of = |function: FunctionId| self.frame(function).map_or(-1, |frame| frame as i64);
        let (kinds, frames): (Vec<i64>, Vec<i64>) = task
            .atoms
            .iter()
            .map(|atom| match atom {
                Atom::State { .. } => (0, -1),
                Atom::Call(function) => (1, frame_of(*function)),
                Atom::Overflow => (2, -1),
                Atom::End => (3, -1),
                Atom::Error => (4, -1),
                Atom::Deadlock => (5, -1),
            })
            .unzip();
        let mut text = String::new();
        for atom in 0..task.atoms.len() {
            if matches!(task.atoms[atom], Atom::State { .. }) {
                let _ = writeln!(text, "int semper_atom_{atom}(void);");
            }
        }
        let atom = |(number, atom): (usize, &Atom)| match atom {
            Atom::State { .. } => format!("semper_atom_{number}"),
            _ => "0".to_owned(),
        };
        let atoms: Vec<String> = task.atoms.iter().enumerate().map(atom).chain(["0".to_owned()]).collect();
        let locals = self.locals.iter().map(|(_, function)| frame_of(*function)).collect();
        let _ = writeln!(text, "const int semper_atom_count = {};", task.atoms.len());
        let _ = writeln!(text, "const int semper_atom_kind[] = {{{}}};", numbers(kinds));
        let _ = writeln!(text, "const int semper_atom_frame[] = {{{}}};", numbers(frames));
        let _ = writeln!(text, "int (*const semper_atom[])(void) = {{{}}};", atoms.join(", "));
        let _ = writeln!(text, "const int semper_frame_count = {};", self.frames.len());
        let entry = self.entry.map_or(-1, frame_of);
        let _ = writeln!(text, "const int semper_entry_frame = {entry};");
        let _ = writeln!(text, "const int semper_local_count = {};", self.locals.len());
        let _ = writeln!(text, "const int semper_local_frame[] = {{{}}};", numbers(locals));
        text
    }
}

/// The function that a local variable belongs to, static ones included.
fn function_of(program: &Program, variable: VariableId) -> Option<FunctionId> {
    match program.variables[variable].kind {
        VariableKind::Global { declared_in, .. } => declared_in,
        _ => program.owner(variable),
    }
}

/// What every text with probes begins with.
fn prelude(names: &FollowedNames) -> String {
    format!(
        "void semper_probe(int); int semper_condition(int, int); void *semper_probe_pointer(int); \
         void *semper_note(int, void *); struct semper_frame {{ int number; void *before[{locals} + 1]; }}; \
         struct semper_frame semper_enter(int); void semper_entered(int); void semper_leave(struct semper_frame *); \
         unsigned long long semper_uninitialised(int); double semper_uninitialised_double(int); \
         void *semper_uninitialised_pointer(int); extern void *semper_locals[]; extern int semper_active[];\n",
        locals = names.locals.len()
    )
}

/// Calls the entry function.
fn start(program: &Program, entry: FunctionId, queues: &Queues) -> Result<String, String> {
    let function = &program.functions[entry];
    let argument = |&variable: &VariableId| {
        let zero = || match program.types.as_scalar(program.variables[variable].ty) {
            Some(_) => Ok("0".to_owned()),
            None => Err("the entry function takes a structure".to_owned()),
        };
        queues.filling(program, variable).map_or_else(zero, Ok)
    };
    let arguments: Vec<String> = function.parameters.iter().map(argument).collect::<Result<_, _>>()?;
    Ok(format!("void semper_start(void) {{ {}({}); }}\n", function.name, arguments.join(", ")))
}

/// The atoms as C functions, each with the unit in which it is to stand, and those that cannot be compared.
#[allow(clippy::type_complexity)]
fn atoms(
    subject: &Subject,
    task: &Task,
    names: &FollowedNames,
    texts: &[(SourceId, Instrumented)],
) -> (Vec<(Option<SourceId>, String)>, Vec<(usize, String)>) {
    let program = &*task.program;
    let (mut atoms, mut uncompared) = (Vec::new(), Vec::new());
    let written = task.formulas.atoms();
    for (number, (id, atom)) in written.iter().enumerate() {
        debug_assert_eq!(id.index(), number);
        let Some(Atom::State { reads, .. }) = task.atoms.get(number) else {
            if task.atoms.get(number) == Some(&Atom::Overflow) {
                uncompared.push((number, "a compiled program does not notice an overflow".to_owned()));
            }
            continue;
        };
        let text = atom.expression().unwrap_or("0");
        match atom_text(subject, program, names, text, reads, texts) {
            Ok((unit, expression, guard)) => {
                let function = format!("int semper_atom_{number}(void) {{ {guard}return !!({expression}); }}\n");
                atoms.push((Some(unit), function));
            }
            Err(reason) => {
                atoms.push((None, format!("int semper_atom_{number}(void) {{ return 2; }}\n")));
                uncompared.push((number, reason));
            }
        }
    }
    (atoms, uncompared)
}

/// An atom's expression in a unit where it can stand, and what is to be looked at before.
fn atom_text(
    subject: &Subject,
    program: &Program,
    names: &FollowedNames,
    text: &str,
    reads: &[VariableId],
    texts: &[(SourceId, Instrumented)],
) -> Result<(SourceId, String, String), String> {
    let mut expression = text.to_owned();
    let mut guard = String::new();
    for &variable in reads {
        let Some(function) = function_of(program, variable) else { continue };
        let name = match program.telling.variables.get(&variable) {
            Some(told) => told.clone(),
            None => format!("{}::{}", program.functions[function].name, program.variables[variable].name),
        };
        if program.has_threads() {
            return Err(format!("`{name}` is a local variable in a program with threads"));
        }
        if program.edges.values().any(|edge| edge.op == Op::Discard(variable)) {
            return Err(format!("`{name}` lives in an inner block"));
        }
        let ty = subject.type_names.get(&variable).ok_or_else(|| format!("the type of `{name}` is not known"))?;
        let local = names.locals.iter().position(|(known, _)| *known == variable).unwrap_or_default();
        let frame = names.frame(function).unwrap_or_default();
        let replaced = replace_name(&expression, &name, &format!("(*(__typeof__({ty}) *)semper_locals[{local}])"));
        if replaced == expression {
            return Err(format!("`{name}` is written in another way"));
        }
        expression = replaced;
        if program.owner(variable).is_some() {
            let _ = write!(guard, "if (!semper_active[{frame}]) return 0; ");
        }
        let _ = write!(guard, "if (!semper_locals[{local}]) return 2; ");
    }
    let globals: Vec<&str> = reads
        .iter()
        .filter(|&&variable| function_of(program, variable).is_none())
        .map(|&variable| program.variables[variable].name.as_str())
        .collect();
    // A name that several files have is that of its own file.
    let shared = reads.iter().filter(|&&variable| function_of(program, variable).is_none());
    let mut file = None;
    for &variable in shared {
        let (told, known) = (program.told_variable(variable), &program.variables[variable]);
        if told != known.name {
            expression = replace_name(&expression, told, &known.name);
            if file.replace(known.span.source).is_some_and(|other| other != known.span.source) {
                return Err("it names variables of several files".to_owned());
            }
        }
    }
    if expression.contains("::") {
        return Err("a name in it is written in another way".to_owned());
    }
    let fits = |(id, unit): &&(SourceId, Instrumented)| {
        file.is_none_or(|file| file == *id) && globals.iter().all(|name| unit.declared.contains(*name))
    };
    let (unit, _) = texts.iter().find(fits).ok_or("no file of the program declares all that it names")?;
    Ok((*unit, expression, guard))
}

/// Replaces a qualified name, where it stands as a name of its own.
fn replace_name(text: &str, name: &str, by: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut result = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(name) {
        let after = &rest[at + name.len()..];
        let stands_alone = !rest[..at].ends_with(is_part) && !after.starts_with(is_part);
        result.push_str(&rest[..at]);
        result.push_str(if stands_alone { by } else { name });
        rest = after;
    }
    result + rest
}

/// What the compiled program is to come to, and how many observations have no probe.
fn marks(expected: &Expected, sites: &[ProbeSite], names: &FollowedNames) -> (Vec<(usize, TraceMark)>, usize) {
    let mut known: HashMap<Span, Option<usize>> = HashMap::default();
    let (mut marks, mut unprobed) = (Vec::new(), 0);
    for (index, event) in expected.events.iter().enumerate() {
        let mark = match event.occasion {
            Occasion::Start => Some(TraceMark::Begin),
            Occasion::Edge(_) => event
                .span
                .and_then(|span| *known.entry(span).or_insert_with(|| site_of(sites, span)))
                .map(TraceMark::Probe),
            Occasion::Entered(function) => names.frame(function).map(TraceMark::Call),
            Occasion::End(_) => Some(TraceMark::End),
            Occasion::Error(_) => Some(TraceMark::Error),
            Occasion::Left(_) | Occasion::Deadlock => None,
        };
        match mark {
            Some(mark) => marks.push((index, mark)),
            None => unprobed += usize::from(!matches!(event.occasion, Occasion::Deadlock)),
        }
    }
    (marks, unprobed)
}

/// The smallest site that holds a place.
fn site_of(sites: &[ProbeSite], span: Span) -> Option<usize> {
    let holds = |site: &ProbeSite| site.source == span.source && site.start <= span.start && span.end <= site.end;
    let holding = sites.iter().enumerate().filter(|(_, site)| holds(site));
    holding.min_by_key(|(_, site)| site.end - site.start).map(|(number, _)| number)
}

fn run_tables(program: &Program, expected: &Expected, marks: &[(usize, TraceMark)], trace_path: &str) -> String {
    let threads: Vec<String> = match program.has_threads() {
        true => marks.iter().map(|(index, _)| expected.events[*index].thread.to_string()).collect(),
        false => vec!["0".to_owned()],
    };
    let mut ends = vec!["0"; 256];
    for (thread, _) in expected.ended_threads.iter().take(ends.len()).enumerate().filter(|(_, ended)| **ended) {
        ends[thread] = "1";
    }
    let path = trace_path.replace('\\', "\\\\").replace('"', "\\\"");
    format!(
        "const unsigned long semper_limit = {};\nconst unsigned char semper_schedule[] = {{{}, 255}};\n\
         const unsigned char semper_ends[] = {{{}}};\n\
         const int semper_has_threads = {};\nconst char semper_trace[] = \"{path}\";\n",
        marks.len(),
        threads.join(", "),
        ends.join(", "),
        i32::from(program.has_threads())
    )
}

/// The compiler's options for the sizes of types.
pub(crate) fn machine_options(data_model: DataModel) -> &'static [&'static str] {
    match data_model {
        DataModel::Lp64 => &[],
        DataModel::Ilp32 => &["-m32", "-msse2", "-mfpmath=sse"],
    }
}
