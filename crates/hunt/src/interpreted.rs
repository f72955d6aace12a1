//! The interpreted side: a generated program goes through the front end, and its trace is read off the interpreter's
//! memory at the points where a step is observed. The same program also goes through [`run`](fn@run), which must observe as
//! many states and end in the same way.

use std::cell::RefCell;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};
use std::time::Duration;

use c_frontend::{Options, Translation};
use foundation::{Budget, Diagnostics, SourceMap, Span};
use host::{Preprocessor, WordSize};
use num_bigint::BigInt;
use program::passes::inline::inline;
use program::semantics::evaluate::evaluate;
use program::semantics::interpreter::Interpreter;
use program::semantics::observe::{Observer, Sight};
use program::semantics::{
    Answer, Choices, Driver, Listener, ObserveMode, Question, RunEnd, RunLimits, Semantics, Stop, Value, run,
};
use program::{Atom, CompareOp, DataModel, ExprId, ExprKind, IntType, Program, Scalar};

use crate::compiled::TemporaryFolder;
use crate::passes;
use crate::program::GeneratedProgram;

/// The most edges that a run may take: generated programs need far fewer.
const MOST_EDGES: u64 = 20_000_000;
/// The most edges of a program whose calls are inlined.
const MOST_INLINED_EDGES: usize = 100_000;
/// The most time that a run may take.
const TIMEOUT: Duration = Duration::from_secs(60);

thread_local! {
    static PANIC_PLACE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Lets panics of the front end and the interpreter be told only as the result of [`trace`], with their place in the
/// source, instead of also on standard error. It holds for the whole process.
pub fn keep_panics_quiet() {
    set_hook(Box::new(|information| {
        let place = information.location().map_or(String::new(), |location| format!(" at {location}"));
        PANIC_PLACE.set(place);
    }));
}

/// The trace of a program in the interpreter, or why there is none: a diagnostic of the front end, undefined behaviour
/// that the interpreter sees, an end that was not reached, or a panic.
pub fn trace(generated: &GeneratedProgram, data_model: DataModel) -> Result<Vec<String>, String> {
    panics_told(|| trace_or_panic(generated, data_model))
}

/// Turns a panic into an error with its place in the source.
pub(crate) fn panics_told<T>(action: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(action)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a message");
        Err(format!("panic: {text}{}", PANIC_PLACE.take()))
    })
}

fn trace_or_panic(generated: &GeneratedProgram, data_model: DataModel) -> Result<Vec<String>, String> {
    let mut sources = SourceMap::new();
    let mut translation = translate(generated, data_model, &mut sources)?;
    let mut observed = Vec::new();
    for global in &generated.globals {
        let value = integer(&mut translation, &global.expression, &mut sources)?;
        observed.push((global.expression.as_str(), value));
    }
    let program = &translation.program;
    let budget = Budget::unlimited().with_time(TIMEOUT);
    let mut inputs = ListedInputs::new(generated);
    let trace = follow(program, &observed, generated.step_limit, &mut inputs, &budget)
        .map_err(|(end, span)| describe(&end, span, &sources))?;

    let limits = RunLimits { observations: generated.step_limit + 1, edges: MOST_EDGES };
    let whole = run(program, semantics(), &[], &mut ListedInputs::new(generated), limits, &budget);
    if !matches!(whole.end, RunEnd::End(_) | RunEnd::Limit) {
        return Err(format!("a whole run ends otherwise: {:?}", whole.end));
    }
    if whole.observations.len() != trace.len() {
        return Err(format!("a whole run observes {} states, not {}", whole.observations.len(), trace.len()));
    }
    // Recursion cannot be inlined; whatever can must observe the same.
    if let Ok(inlined) = inline(program, MOST_INLINED_EDGES) {
        let mut inputs = ListedInputs::new(generated);
        let again = follow(&inlined.program, &observed, generated.step_limit, &mut inputs, &budget)
            .map_err(|(end, span)| format!("inlined: {}", describe(&end, span, &sources)))?;
        if again != trace {
            return Err("inlining calls changes the trace".to_owned());
        }
        compare_passes(generated, program, &observed)?;
    }
    Ok(trace)
}

/// Compares the program before and after each pass. Half of the globals are looked at, so that the other half may go.
fn compare_passes(generated: &GeneratedProgram, program: &Program, observed: &[(&str, ExprId)]) -> Result<(), String> {
    let mut program = program.clone();
    let mut atoms = Vec::new();
    for (_, value) in observed.iter().skip((generated.seed % 2) as usize).step_by(2) {
        atoms.extend(passes::bits_of(&mut program, *value, Vec::new(), Vec::new()));
    }
    let mut inputs = || -> Box<dyn Choices> { Box::new(ListedInputs::new(generated)) };
    passes::compare(&program, &atoms, semantics(), &mut inputs).map(|_| ())
}

fn semantics() -> Semantics {
    Semantics { observe: ObserveMode::Step, ..Semantics::default() }
}

/// Preprocesses and translates a program.
pub(crate) fn translate(
    generated: &GeneratedProgram,
    data_model: DataModel,
    sources: &mut SourceMap,
) -> Result<Translation, String> {
    let folder = TemporaryFolder::new().map_err(|error| error.to_string())?;
    let path = folder.path("program.c");
    fs::write(&path, &generated.text).map_err(|error| error.to_string())?;
    let word_size = match data_model {
        DataModel::Lp64 => WordSize::Bits64,
        DataModel::Ilp32 => WordSize::Bits32,
    };
    let preprocessor = Preprocessor { word_size, ..Preprocessor::default() };
    let mut diagnostics = Diagnostics::new();
    let budget = Budget::unlimited().with_time(TIMEOUT);
    let unit = host::load_unit(&path.to_string_lossy(), &preprocessor, sources, &budget, &mut diagnostics);
    let options = Options { data_model, ..Options::default() };
    let translation = unit.and_then(|unit| c_frontend::translate(&[unit.text], sources, &options, &mut diagnostics));
    // There is nothing to warn of in a generated program.
    translation.filter(|_| diagnostics.is_empty()).ok_or_else(|| complaints(&diagnostics, sources))
}

fn complaints(diagnostics: &Diagnostics, sources: &SourceMap) -> String {
    let told: Vec<String> = diagnostics
        .iter()
        .map(|diagnostic| {
            let place = diagnostic.primary.as_ref().map(|label| {
                let snippet = sources.snippet_text(label.span);
                format!(" (line {}: `{snippet}`)", sources.locate(label.span).line)
            });
            format!("{}: {}{}", diagnostic.code, diagnostic.message, place.unwrap_or_default())
        })
        .collect();
    told.join("\n")
}

/// The expression of an observed integer. An atom is the truth of an expression, so the expression is taken out of it.
fn integer(translation: &mut Translation, text: &str, sources: &mut SourceMap) -> Result<ExprId, String> {
    let source = sources.add("observed", text);
    let span = Span { source, start: 0, end: text.len() as u32 };
    let mut diagnostics = Diagnostics::new();
    let Some(Atom::State { value, .. }) = translation.atom(span, sources, &mut diagnostics) else {
        return Err(complaints(&diagnostics, sources));
    };
    Ok(match translation.program.exprs.get(value).kind {
        ExprKind::Cast(inner) | ExprKind::Compare(CompareOp::NotEqual, inner, _) => inner,
        _ => value,
    })
}

type Interrupted = (RunEnd, Option<Span>);

/// Runs the program and writes down every observed state.
fn follow(
    program: &Program,
    observed: &[(&str, ExprId)],
    step_limit: usize,
    inputs: &mut ListedInputs,
    budget: &Budget,
) -> Result<Vec<String>, Interrupted> {
    let interpreter = Interpreter::new(program, semantics(), inputs);
    let mut driver = Driver::new(interpreter, Observer::new(ObserveMode::Step, &[]));
    let mut trace = Journal { observed, states: Vec::new() };
    let end = walk(&mut driver, step_limit, budget, &mut trace);
    end.map(|()| trace.states).map_err(|end| (end, driver.span()))
}

/// Every observed state, written down.
struct Journal<'a> {
    observed: &'a [(&'a str, ExprId)],
    states: Vec<String>,
}

impl Listener for Journal<'_> {
    fn observed(&mut self, driver: &mut Driver<'_>, sights: &[Sight]) -> Result<(), Stop> {
        for _ in sights {
            self.states.push(state(&mut driver.interpreter, self.observed)?);
        }
        Ok(())
    }
}

fn walk(driver: &mut Driver<'_>, step_limit: usize, budget: &Budget, trace: &mut Journal<'_>) -> Result<(), RunEnd> {
    let unsupported = |reason: &str| RunEnd::Unsupported { reason: reason.to_owned(), span: None };
    driver.begin(trace)?;
    for edges in 0..MOST_EDGES {
        if edges % 1024 == 0 && budget.check().is_err() {
            return Err(unsupported("the time ran out"));
        }
        match driver.step(trace) {
            Err(RunEnd::End(_)) => return Ok(()),
            // An error is observed as well, but it is none of the states that are compared.
            Err(end @ RunEnd::Undefined { .. }) => return Err(end),
            _ if trace.states.len() > step_limit => return Ok(()),
            stepped => stepped?,
        }
    }
    Err(unsupported("the run takes too many edges"))
}

fn state(interpreter: &mut Interpreter<'_>, observed: &[(&str, ExprId)]) -> Result<String, Stop> {
    let mut parts = Vec::with_capacity(observed.len());
    for (name, value) in observed {
        let value = match evaluate(interpreter, *value)? {
            Value::Bool(truth) => u8::from(truth).to_string(),
            Value::Int(integer) => integer.to_string(),
            other => format!("{other:?}"),
        };
        parts.push(format!("{name}={value}"));
    }
    interpreter.events.clear();
    Ok(parts.join(" "))
}

fn describe(end: &RunEnd, span: Option<Span>, sources: &SourceMap) -> String {
    let what = match end {
        RunEnd::Undefined { kind, .. } => format!("undefined behaviour: {kind}"),
        RunEnd::Unsupported { reason, .. } => format!("unsupported: {reason}"),
        RunEnd::UnfitInput { reason, .. } => format!("unfit answer: {reason}"),
        other => format!("{other:?}"),
    };
    match span {
        Some(span) => format!("{what} (line {}: `{}`)", sources.locate(span).line, sources.snippet_text(span)),
        None => what,
    }
}

/// The listed inputs, one after the other and again from the beginning, as the driver of the compiled side gives them.
struct ListedInputs {
    values: Vec<i64>,
    position: usize,
}

impl ListedInputs {
    fn new(generated: &GeneratedProgram) -> ListedInputs {
        ListedInputs { values: generated.inputs.clone(), position: 0 }
    }
}

impl Choices for ListedInputs {
    fn choose(&mut self, question: &Question) -> Answer {
        match question {
            Question::Input { ty, .. } if !self.values.is_empty() => {
                let value = self.values[self.position % self.values.len()];
                self.position += 1;
                match ty {
                    Scalar::Bool => Answer::Value(Value::Bool(value != 0)),
                    Scalar::Int(ty) => Answer::Value(Value::Int(converted(value, *ty))),
                    _ => Answer::Unfit("only integers are listed".to_string()),
                }
            }
            // Whatever a generated program reads, it has written.
            other => Answer::Unfit(format!("nothing is left open in a generated program, but {other:?} is asked")),
        }
    }
}

/// The value modulo 2^bits, in the range of the type.
fn converted(value: i64, ty: IntType) -> BigInt {
    let modulus = BigInt::from(1) << ty.bits;
    let rest = ((BigInt::from(value) % &modulus) + &modulus) % &modulus;
    if ty.signed && rest >= (&modulus >> 1) { rest - modulus } else { rest }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listed_values_are_converted_as_c_converts_them() {
        let values = [0, 1, -1, 127, 128, 255, 256, -128, -129, i64::MAX, i64::MIN, 0x1_8000_0001];
        for value in values {
            assert_eq!(converted(value, IntType::signed(8)), BigInt::from(value as i8));
            assert_eq!(converted(value, IntType::unsigned(8)), BigInt::from(value as u8));
            assert_eq!(converted(value, IntType::signed(32)), BigInt::from(value as i32));
            assert_eq!(converted(value, IntType::unsigned(64)), BigInt::from(value as u64));
        }
    }
}
