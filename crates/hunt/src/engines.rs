//! Engines against each other, and against executions: the same question must get the same answer.
//!
//! Five views of a program are compared: the explicit engine with compiled steps, the same with interpreted steps, boxes,
//! the fairness engine, and random executions of the interpreter that repeat a few inputs for ever. A violation is also
//! replayed by `certify`. The last and the second share nothing with the others but the semantics.

use std::time::Duration;

use certify::{Rejected, ReplayLimits, Unproved, confirm, prove, replay_within};
use engines::boxes::Boxes;
use engines::explicit::Explicit;
use engines::fairness::Fairness;
use foundation::Budget;
use program::DataModel;
use program::semantics::{Answer, Integers, ObserveMode, UndefinedMode, Value};
use semper::{Input, Properties, Request};
use task::{Board, Engine, Lasso, Reason, Scheduler, Task, Verdict};

use crate::device::device;
use crate::interpreted::panics_told;
use crate::numeric::numeric;
use crate::random::Random;
use crate::reactive::{Reactive, reactive};

/// A random execution that has not come round after so many steps is given up.
const MOST_STEPS: u64 = 5_000;

/// How long each engine may take for a case.
const LONGEST: Duration = Duration::from_secs(1);

/// What a comparison came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Agreement {
    /// All that answer say the same.
    Agree {
        /// Whether it holds.
        holds: bool,
        /// Whether the compiled engine answered.
        compiled: bool,
        /// Whether the engine of boxes answered.
        boxed: bool,
        /// Why the fairness engine did not answer, if it did not.
        unfair: Option<String>,
        /// How many engines gave evidence that it holds which was checked.
        checked: usize,
        /// Why evidence of others could not be checked.
        unchecked: Vec<String>,
    },
    /// Nobody could answer, for this reason.
    Unknown(String),
    /// They do not; what each says.
    Disagree(String),
}

/// How a case is read.
#[derive(Clone, Debug)]
pub struct EngineCase {
    /// The program and its property.
    pub reactive: Reactive,
    /// The settings, as options of the command line.
    pub options: String,
    /// The request.
    pub request: Request,
}

/// The case of a seed: one in four varies the flow of control, one is as programs in devices are, the others vary
/// arithmetic. One in ten asks for overflows instead of what the program comes with.
pub fn case(seed: u64) -> EngineCase {
    let mut reactive = match seed % 4 {
        0 => reactive(seed),
        2 => device(seed),
        _ => numeric(seed),
    };
    let mut random = Random::new(seed ^ 0x5eed);
    let integers = if random.chance(70) { Integers::Machine } else { Integers::Ideal };
    let observe = [None, Some(ObserveMode::Statement), Some(ObserveMode::Change)][random.below(3)];
    let undefined = if random.chance(80) { UndefinedMode::Error } else { UndefinedMode::Assume };
    let data_model = if random.chance(50) { DataModel::Lp64 } else { DataModel::Ilp32 };
    if random.chance(10) {
        let formulas = ["G ! overflow", "F overflow", "G F ! overflow", "G ! error && G ! overflow"];
        reactive.formula = formulas[random.below(formulas.len())].to_owned();
    }
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
    EngineCase { reactive, options, request }
}

/// Compares all views of a case.
pub fn compare(case: &EngineCase, seed: u64, budget: &Budget) -> Agreement {
    let loaded = semper::load(&case.request, budget);
    let Some(subject) = loaded.subject else {
        return Agreement::Unknown("the program is refused".to_owned());
    };
    let task = semper::check::task_of(&subject, 0, Scheduler::Any);
    let compiled = answer(&Explicit::default(), &task, budget);
    let interpreted = answer(&Explicit { compile: false, ..Explicit::default() }, &task, budget);
    let boxes = answer(&Boxes, &task, budget);
    let fairness = answer(&Fairness::default(), &task, budget);
    let executed = (0..40).find(|&number| violates(&task, seed ^ number << 32, budget));
    let answers = [&compiled, &interpreted, &boxes, &fairness];
    let [by_steps, again, by_boxes, by_traces] = answers.map(|answered| answered.holds);
    let holds = [by_steps, again, by_boxes, by_traces, executed.map(|_| false)];
    let fault = answers.iter().find_map(|answered| answered.fault.as_ref());
    let differ = holds.contains(&Some(true)) && holds.contains(&Some(false));
    if differ || fault.is_some() {
        let say = |answer: Option<bool>| answer.map_or("nothing", |holds| if holds { "holds" } else { "violated" });
        let [compiled, interpreted, boxes, fairness, executed] = holds.map(say);
        let fault = fault.map(|fault| format!("; {fault}")).unwrap_or_default();
        return Agreement::Disagree(format!(
            "compiled: {compiled}; interpreted: {interpreted}; boxes: {boxes}; fairness: {fairness}; \
             executions: {executed}{fault}"
        ));
    }
    let checked = answers.iter().filter(|answered| answered.checked).count();
    let unchecked = answers.iter().filter_map(|answered| answered.unchecked.clone()).collect();
    let unfair = fairness.holds.is_none().then_some(fairness.unknown);
    match holds.into_iter().flatten().next() {
        Some(holds) => {
            let (compiled, boxed) = (compiled.compiled, boxes.holds.is_some());
            Agreement::Agree { holds, compiled, boxed, unfair, checked, unchecked }
        }
        None => Agreement::Unknown(interpreted.unknown),
    }
}

/// What an engine says, and what the check of its evidence comes to.
pub(crate) struct Replied {
    pub(crate) holds: Option<bool>,
    compiled: bool,
    unknown: String,
    pub(crate) fault: Option<String>,
    /// Whether evidence that it holds was checked.
    checked: bool,
    /// Why such evidence could not be checked.
    unchecked: Option<String>,
}

/// Asks an engine, and checks its evidence.
pub(crate) fn answer(engine: &dyn Engine, task: &Task, budget: &Budget) -> Replied {
    let mut answered =
        Replied { holds: None, compiled: false, unknown: String::new(), fault: None, checked: false, unchecked: None };
    let outcome = match panics_told(|| Ok(engine.check(task, &Board::default(), &budget.part_of(LONGEST)))) {
        Ok(outcome) => outcome,
        Err(panic) => {
            answered.fault = Some(format!("the {} engine: {panic}", engine.name()));
            return answered;
        }
    };
    answered.compiled =
        outcome.statistics.0.iter().any(|(_, figure)| *figure == task::Figure::Word("compiled".to_owned()));
    match outcome.verdict {
        Verdict::Holds(certificate) => {
            answered.holds = Some(true);
            match panics_told(|| Ok(prove(task, &certificate, None, &budget.part_of(LONGEST)))) {
                Err(panic) => {
                    answered.fault = Some(format!("the check of the {} engine's evidence: {panic}", engine.name()))
                }
                Ok(Ok(_)) => answered.checked = true,
                Ok(Err(Unproved::Rejected(what))) => {
                    answered.fault = Some(format!("the evidence of the {} engine is rejected: {what}", engine.name()));
                }
                Ok(Err(why)) => answered.unchecked = Some(format!("{}: {why}", engine.name())),
            }
        }
        Verdict::Violated(counterexample) => {
            answered.holds = Some(false);
            match confirm(task, &counterexample, budget) {
                Ok(_) => {}
                // It is not known to be wrong.
                Err(rejected @ (Rejected::Exhausted(_) | Rejected::Unsupported { .. })) => {
                    answered.holds = None;
                    answered.unknown = format!("violated, but {rejected}");
                }
                Err(rejected) => {
                    answered.fault =
                        Some(format!("the evidence of the {} engine is rejected: {rejected}", engine.name()));
                }
            }
        }
        Verdict::Unknown(reason @ Reason::EvidenceRejected(_)) => {
            answered.fault = Some(format!("the {} engine: {reason}", engine.name()));
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
        // Only the programs of devices look at wide inputs.
        let mut value = || match random.below(4) {
            0 if seed % 4 == 2 => 1 << random.below(16),
            1 if seed % 4 == 2 => random.between(0, 0xffff),
            _ => random.between(0, 2),
        };
        (0..count).map(|_| Answer::Value(Value::int(value()))).collect()
    };
    let lasso = Lasso { stem: inputs(5), cycle: inputs(3) };
    replay_within(task, &lasso, ReplayLimits { steps: MOST_STEPS }, budget).is_ok()
}
