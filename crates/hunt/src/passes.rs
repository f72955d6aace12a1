//! The passes that prepare a program for an engine, against the program as it was: after each of them, the interpreter
//! must ask the same questions in the same order, show the same truth of the same atoms, and end in the same way.
//!
//! Atoms, the kind of integers, the mode of observation and the answers are random. Values are seen bit by bit, so that
//! a wrong value hardly ever goes unseen.

use foundation::{Budget, Diagnostics, Severity, SourceMap};
use program::passes::constants::constants;
use program::passes::contract::contract;
use program::passes::promote::promote;
use program::passes::slice::slice;
use program::passes::{NotPrepared, Prepared, prepare, run as run_prepared, simplify};
use program::semantics::{
    Answer, Choices, Integers, ObserveMode, Question, RunEnd, RunLimits, SeededChoices, Semantics, UndefinedMode, run,
};
use program::{
    Atom, BinaryOp, CompareOp, DataModel, ExprId, ExprKind, FunctionId, IntType, Place, Program, Scalar, Selector,
    Type, VariableId, VariableKind,
};

use crate::differential::Outcome;
use crate::interpreted::{self, panics_told};
use crate::program::GeneratedProgram;
use crate::random::Random;

/// How far runs are followed.
const LIMITS: RunLimits = RunLimits { observations: 50, edges: 2_000 };
/// How many properties each program is compared for.
const PROPERTIES: u32 = 4;
/// The most edges of a program whose calls are inlined.
const MOST_EDGES: usize = 100_000;

/// What a comparison came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compared {
    /// All agree on so many observed states.
    Agreement(usize),
    /// The program cannot be prepared.
    NotPrepared(NotPrepared),
}

/// Translates C text that needs no preprocessing.
pub fn translate(text: &str) -> Result<Program, String> {
    let mut sources = SourceMap::new();
    let mut diagnostics = Diagnostics::new();
    let source = sources.add("program.c", text);
    let options = c_frontend::Options::default();
    let translation = c_frontend::translate(&[source], &mut sources, &options, &mut diagnostics);
    translation.map(|translation| translation.program).ok_or_else(|| {
        let messages = diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
        messages.map(|diagnostic| diagnostic.message.clone()).collect::<Vec<_>>().join("\n")
    })
}

/// Compares all passes on a generated program.
pub fn outcome(generated: &GeneratedProgram) -> Outcome {
    let translated = panics_told(|| match generated.text.contains('#') {
        true => interpreted::translate(generated, DataModel::Lp64, &mut SourceMap::new()).map(|found| found.program),
        false => translate(&generated.text),
    });
    let program = match translated {
        Ok(program) => program,
        Err(message) => return Outcome::Invalid(message),
    };
    match panics_told(|| compare_randomly(&program, generated.seed, PROPERTIES)) {
        Ok(Compared::Agreement(states)) => Outcome::Agreement { states },
        Ok(Compared::NotPrepared(_)) => Outcome::Agreement { states: 0 },
        Err(message) => Outcome::Refusal(message),
    }
}

/// Compares all passes on a program, for random properties and random answers that the seed determines.
pub fn compare_randomly(program: &Program, seed: u64, properties: u32) -> Result<Compared, String> {
    let mut random = Random::new(seed);
    let mut states = 0;
    for _ in 0..properties {
        let mut program = program.clone();
        let (atoms, semantics) = property(&mut program, &mut random);
        let answers = random.bits();
        match compare(&program, &atoms, semantics, &mut || Box::new(SeededChoices::new(answers))) {
            Ok(Compared::Agreement(seen)) => states += seen,
            Ok(other) => return Ok(other),
            Err(difference) => {
                let settings = format!("{}, {}", semantics.integers, semantics.observe);
                let (atoms, undefined) = (atoms_text(&program, &atoms), semantics.undefined);
                return Err(format!("{difference}\nunder {settings}, {undefined}; answers {answers}; atoms {atoms}"));
            }
        }
    }
    Ok(Compared::Agreement(states))
}

/// Compares all passes on a program, for a property with these atoms.
pub fn compare(
    program: &Program,
    atoms: &[Atom],
    semantics: Semantics,
    choices: &mut dyn FnMut() -> Box<dyn Choices>,
) -> Result<Compared, String> {
    let prepared = match prepare(program, atoms, semantics, MOST_EDGES) {
        Ok(prepared) => prepared,
        Err(reason) => return Ok(Compared::NotPrepared(reason)),
    };
    let original = ShownRun::of_original(program, atoms, semantics, choices());
    let inlined = ShownRun::of(&prepared, choices());
    original.must_be(&inlined, "inlining", true)?;
    let promoted = promote(prepared.clone());
    let constant = constants(promoted.clone());
    let sliced = slice(constant.clone());
    let contracted = contract(sliced.clone());
    let stages: [(&str, Prepared); 8] = [
        ("promotion", promoted),
        ("constants without promotion", constants(prepared.clone())),
        ("slicing alone", slice(prepared.clone())),
        ("contraction alone", contract(prepared.clone())),
        ("constants", constant),
        ("slicing", sliced),
        ("contraction", contracted),
        ("everything", simplify(prepared)),
    ];
    for (name, stage) in &stages {
        inlined.must_be(&ShownRun::of(stage, choices()), name, false)?;
    }
    Ok(Compared::Agreement(inlined.truth.len()))
}

/// What a run showed.
struct ShownRun {
    truth: Vec<Vec<bool>>,
    end: ShownEnd,
    questions: Vec<String>,
    /// Whether it could have shown more, but for the number of edges.
    is_long: bool,
}

/// How a run ended.
#[derive(Clone, PartialEq, Debug)]
enum ShownEnd {
    /// It could go on.
    Open,
    /// It goes on for ever without anything to observe.
    Silent,
    /// It is over; the text says how.
    Over { how: String, undefined: bool },
}

impl ShownRun {
    fn of(prepared: &Prepared, choices: Box<dyn Choices>) -> ShownRun {
        let mut log = ChoiceLog { choices, questions: Vec::new() };
        let trace = run_prepared::run(prepared, &mut log, LIMITS, &Budget::unlimited());
        ShownRun {
            truth: trace.truth,
            end: end(&trace.end),
            questions: log.questions,
            is_long: trace.edges >= LIMITS.edges,
        }
    }

    fn of_original(program: &Program, atoms: &[Atom], semantics: Semantics, choices: Box<dyn Choices>) -> ShownRun {
        let mut log = ChoiceLog { choices, questions: Vec::new() };
        let whole = run(program, semantics, atoms, &mut log, LIMITS, &Budget::unlimited());
        let mut truth: Vec<Vec<bool>> = whole.observations.into_iter().map(|observation| observation.truth).collect();
        if let RunEnd::Lasso { start } = whole.end {
            let cycle = truth[start..].to_vec();
            while truth.len() <= LIMITS.observations {
                truth.extend(cycle.iter().cloned());
            }
        }
        let is_long = whole.edges >= LIMITS.edges;
        ShownRun { truth, end: end(&whole.end), questions: log.questions, is_long }
    }

    /// Compares two runs as far as both were followed.
    fn must_be(&self, other: &ShownRun, what: &str, any_undefined: bool) -> Result<(), String> {
        let common = self.truth.len().min(other.truth.len());
        if let Some(state) = (0..common).find(|&state| self.truth[state] != other.truth[state]) {
            let (one, two) = (&self.truth[state], &other.truth[state]);
            let atoms: Vec<usize> = (0..one.len()).filter(|&atom| one[atom] != two[atom]).collect();
            return Err(format!("{what}: state {state} differs in the atoms {atoms:?}"));
        }
        let asked = self.questions.len().min(other.questions.len());
        if let Some(number) = (0..asked).find(|&number| self.questions[number] != other.questions[number]) {
            let (one, two) = (&self.questions[number], &other.questions[number]);
            return Err(format!("{what}: question {number} is {two}, not {one}"));
        }
        if let (ShownEnd::Over { how: one, undefined: both }, ShownEnd::Over { how: two, undefined }) =
            (&self.end, &other.end)
        {
            if one != two && !(any_undefined && *both && *undefined) {
                return Err(format!("{what}: the end is {two}, not {one}"));
            }
            if self.questions.len() != other.questions.len() {
                let (one, two) = (self.questions.len(), other.questions.len());
                return Err(format!("{what}: {two} questions, not {one}"));
            }
            if self.truth.len() != other.truth.len() {
                return Err(format!("{what}: {} states, not {}", other.truth.len(), self.truth.len()));
            }
            return Ok(());
        }
        for (one, two) in [(self, other), (other, self)] {
            let is_final = one.end != ShownEnd::Open;
            if is_final && two.truth.len() > one.truth.len() {
                return Err(format!("{what}: {:?} and {:?}, one of which shows more states", self.end, other.end));
            }
            if matches!(one.end, ShownEnd::Over { .. }) && !two.is_long && two.truth.len() < LIMITS.observations {
                return Err(format!("{what}: the end is {:?}, not {:?}", other.end, self.end));
            }
        }
        Ok(())
    }
}

fn end(end: &RunEnd) -> ShownEnd {
    let over = |how: String| ShownEnd::Over { how, undefined: matches!(end, RunEnd::Undefined { .. }) };
    match end {
        RunEnd::Lasso { .. } | RunEnd::Limit | RunEnd::Exhausted(_) => ShownEnd::Open,
        RunEnd::Silent => ShownEnd::Silent,
        RunEnd::Blocked { .. } => over("blocked".to_owned()),
        RunEnd::Undefined { kind, .. } => over(kind.to_string()),
        RunEnd::Unsupported { .. } => over("something unsupported".to_owned()),
        RunEnd::UnfitInput { reason, .. } => over(reason.clone()),
        other => over(format!("{other:?}")),
    }
}

/// Choices that are written down.
struct ChoiceLog {
    choices: Box<dyn Choices>,
    questions: Vec<String>,
}

impl Choices for ChoiceLog {
    fn choose(&mut self, question: &Question) -> Answer {
        self.questions.push(match question {
            Question::Input { source, ty } => format!("an input {source:?} of {ty:?}"),
            Question::Uninitialised { ty, .. } => format!("what is not initialised of {ty:?}"),
            Question::Branch { edges } => format!("one of {} edges", edges.len()),
            other => format!("{other:?}"),
        });
        self.choices.choose(question)
    }
}

/// Atoms that see some bits of an integer expression.
pub fn bits_of(program: &mut Program, value: ExprId, active: Vec<FunctionId>, reads: Vec<VariableId>) -> Vec<Atom> {
    let wide = IntType::unsigned(64);
    let number = program.exprs.cast(value, Scalar::Int(wide));
    let mut atoms = Vec::new();
    for bit in [0, 1, 2, 5, 15, 31] {
        let mask = program.exprs.int(1u64 << bit, wide);
        let masked = program.exprs.intern(ExprKind::Binary(BinaryOp::BitAnd, number, mask), Scalar::Int(wide));
        let zero = program.exprs.int(0, wide);
        let value = program.exprs.intern(ExprKind::Compare(CompareOp::NotEqual, masked, zero), Scalar::Bool);
        atoms.push(Atom::State { value, active: active.clone(), reads: reads.clone() });
    }
    atoms
}

/// Random atoms over a program, and a random semantics.
fn property(program: &mut Program, random: &mut Random) -> (Vec<Atom>, Semantics) {
    let mut atoms = Vec::new();
    let variables: Vec<VariableId> = program.variables.ids().collect();
    for _ in 0..random.below(8) {
        let variable = *random.pick(&variables);
        let kind = &program.variables[variable].kind;
        if !matches!(kind, VariableKind::Temporary(_) | VariableKind::Literal { .. }) {
            let active = program.owner(variable).into_iter().collect();
            if let Some(value) = part(program, variable, random) {
                atoms.extend(bits_of(program, value, active, vec![variable]));
            }
        }
    }
    let functions: Vec<FunctionId> = program.functions.ids().collect();
    for (percent, atom) in [
        (50, Atom::End),
        (50, Atom::Error),
        (40, Atom::Overflow),
        (30, Atom::Deadlock),
        (30, Atom::Call(*random.pick(&functions))),
    ] {
        if random.chance(percent) {
            atoms.push(atom);
        }
    }
    let semantics = Semantics {
        integers: random.weighted(&[(3, Integers::Machine), (1, Integers::Ideal)]),
        observe: random.weighted(&[(2, ObserveMode::Statement), (2, ObserveMode::Change), (1, ObserveMode::Step)]),
        undefined: random.weighted(&[(3, UndefinedMode::Error), (1, UndefinedMode::Assume)]),
        malloc_may_fail: random.chance(30),
        stop_at_call: random.chance(10).then(|| *random.pick(&functions)),
        ..Semantics::default()
    };
    (atoms, semantics)
}

/// A random scalar in a variable, as an integer; none where there is no number.
fn part(program: &mut Program, variable: VariableId, random: &mut Random) -> Option<ExprId> {
    let mut place = Place::variable(variable, program.variables[variable].ty);
    loop {
        match program.types.get(place.ty).clone() {
            Type::Scalar(scalar) => {
                let value = program.exprs.intern(ExprKind::Load(place), scalar);
                return matches!(scalar, Scalar::Int(_) | Scalar::Bool).then_some(value);
            }
            Type::Array { element, length } => {
                let index = program.exprs.int(random.below(length.clamp(1, 1000) as usize), IntType::signed(32));
                place.path.push(Selector::Index(index));
                place.ty = element;
            }
            Type::Record(record) if !record.fields.is_empty() => {
                let number = random.below(record.fields.len());
                place.path.push(Selector::Field(number as u32));
                place.ty = record.fields[number].ty;
            }
            Type::Record(_) | Type::Opaque => return None,
        }
    }
}

fn atoms_text(program: &Program, atoms: &[Atom]) -> String {
    let text = atoms.iter().enumerate().map(|(index, atom)| match atom {
        Atom::State { value, .. } => format!("{index}: {}", program::print::expr_text(program, *value)),
        Atom::Call(function) => format!("{index}: call({})", program.functions[*function].name),
        other => format!("{index}: {other:?}"),
    });
    text.collect::<Vec<_>>().join(", ")
}
