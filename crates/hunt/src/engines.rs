//! Engines against each other, and against executions: the same question must get the same answer.
//!
//! Three views of a program are compared: the explicit engine with compiled steps, the same with interpreted steps, and
//! random executions of the interpreter that repeat a few inputs for ever. A violation is also replayed by `certify`. The
//! last two share nothing with the first but the semantics.

use certify::{Limits, replay, replay_within};
use engines::explicit::Explicit;
use foundation::Budget;
use program::DataModel;
use program::semantics::{Answer, Integers, ObserveMode, UndefinedMode, Value};
use semper::{Input, Properties, Request};
use task::{Counterexample, Engine, Lasso, Scheduler, Task, Verdict};

use crate::random::Random;
use crate::reactive::{Reactive, reactive};

/// A random execution that has not come round after so many steps is given up.
const MOST_STEPS: u64 = 5_000;

/// What a comparison came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Agreement {
    /// All that answer say the same: whether the property holds, and whether code was compiled.
    Agree {
        /// Whether it holds.
        holds: bool,
        /// Whether the compiled engine answered.
        compiled: bool,
    },
    /// Nobody could answer, for this reason.
    Unknown(String),
    /// They do not; what each says.
    Disagree(String),
}

/// How a case is read.
#[derive(Clone, Debug)]
pub struct Case {
    /// The program and its property.
    pub reactive: Reactive,
    /// The settings, as options of the command line.
    pub options: String,
    /// The request.
    pub request: Request,
}

/// The case of a seed.
pub fn case(seed: u64) -> Case {
    let reactive = reactive(seed);
    let mut random = Random::new(seed ^ 0x5eed);
    let integers = if random.chance(70) { Integers::Machine } else { Integers::Ideal };
    let observe = [None, Some(ObserveMode::Statement), Some(ObserveMode::Change)][random.below(3)];
    let undefined = if random.chance(80) { UndefinedMode::Error } else { UndefinedMode::Assume };
    let data_model = if random.chance(50) { DataModel::Lp64 } else { DataModel::Ilp32 };
    let request = Request {
        files: vec![Input::Text { name: "case.c".into(), text: reactive.program.clone() }],
        properties: Properties::Formulas(vec![reactive.formula.clone()]),
        integers,
        observe,
        undefined,
        data_model,
        ..Request::default()
    };
    let observed = observe.map(|mode| format!(" --observe {mode}")).unwrap_or_default();
    let options = format!("--integers {integers}{observed} --ub {undefined} --data-model {data_model}");
    Case { reactive, options, request }
}

/// Compares all views of a case.
pub fn compare(case: &Case, seed: u64, budget: &Budget) -> Agreement {
    let loaded = semper::load(&case.request, budget);
    let Some(subject) = loaded.subject else {
        return Agreement::Unknown("the program is refused".to_owned());
    };
    let task = semper::check::task_of(&subject, 0, Scheduler::Any);
    let compiled = answer(&Explicit { threads: 1, compile: true }, &task, budget);
    let interpreted = answer(&Explicit { threads: 1, compile: false }, &task, budget);
    let executed = (0..40).find(|&number| violates(&task, seed ^ number << 32, budget));
    let holds = [compiled.holds, interpreted.holds, executed.map(|_| false)];
    let fault = compiled.fault.as_ref().or(interpreted.fault.as_ref());
    let differ = holds.contains(&Some(true)) && holds.contains(&Some(false));
    if differ || fault.is_some() {
        let say = |answer: Option<bool>| answer.map_or("nothing", |holds| if holds { "holds" } else { "violated" });
        let [compiled, interpreted, executed] = holds.map(say);
        let fault = fault.map(|fault| format!("; {fault}")).unwrap_or_default();
        return Agreement::Disagree(format!(
            "compiled: {compiled}; interpreted: {interpreted}; executions: {executed}{fault}"
        ));
    }
    match compiled.holds.or(interpreted.holds) {
        Some(holds) => Agreement::Agree { holds, compiled: compiled.compiled },
        None => Agreement::Unknown(interpreted.unknown),
    }
}

struct Answered {
    holds: Option<bool>,
    compiled: bool,
    unknown: String,
    fault: Option<String>,
}

fn answer(engine: &Explicit, task: &Task, budget: &Budget) -> Answered {
    let outcome = engine.check(task, budget);
    let compiled = outcome.statistics.0.iter().any(|(_, figure)| *figure == task::Figure::Word("compiled".to_owned()));
    let mut answered = Answered { holds: None, compiled, unknown: String::new(), fault: None };
    match outcome.verdict {
        Verdict::Holds(_) => answered.holds = Some(true),
        Verdict::Violated(Counterexample::Lasso(lasso)) => {
            answered.holds = Some(false);
            if let Err(rejected) = replay(task, &lasso, budget) {
                answered.fault = Some(format!("the lasso is rejected: {rejected}"));
            }
        }
        Verdict::Unknown(reason) => answered.unknown = reason.to_string(),
    }
    answered
}

/// Whether a random execution that repeats a few inputs for ever violates the goal.
fn violates(task: &Task, seed: u64, budget: &Budget) -> bool {
    let mut random = Random::new(seed);
    let mut inputs = |most: usize| -> Vec<Answer> {
        let count = random.below(most + 1);
        (0..count).map(|_| Answer::Value(Value::int(random.between(0, 2)))).collect()
    };
    let lasso = Lasso { stem: inputs(5), cycle: inputs(3) };
    replay_within(task, &lasso, Limits { steps: MOST_STEPS }, budget).is_ok()
}
