//! Executions that end, loops without observations, and what is no execution.

use foundation::{Budget, Exhausted};
use program::EndKind;
use program::semantics::{
    Answer, ObserveMode, Pointer, RunEnd, Semantics, UndefinedBehaviour, UndefinedMode, Value, Warning,
};
use replay::{Closing, Rejected, Replayed};
use task::Lasso;

use crate::replayed;
use crate::worlds::{inputs, task, task_under};

const DIVIDES: &str = "
extern int __VERIFIER_nondet_int(void);
int x, y;
int main(void) {
    x = __VERIFIER_nondet_int();
    y = 10 / x;
    return 0;
}
";

fn accepted(c: &str, formula: &str, lasso: &Lasso) -> Replayed {
    replayed(&task(c, formula), lasso).unwrap_or_else(|rejected| panic!("{formula}: {rejected}"))
}

#[test]
fn ends_of_every_kind_are_told_as_the_interpreter_has_them() {
    let ended = accepted(DIVIDES, "G \"y != 5\"", &inputs(&[2], &[]));
    assert_eq!((ended.run.end, ended.closing), (RunEnd::End(EndKind::Return), Closing::End));
    assert_eq!(ended.run.observations.len(), 5, "start, two assignments, return, end");
    let failed = accepted(DIVIDES, "G !error", &inputs(&[0], &[]));
    assert!(matches!(failed.run.end, RunEnd::Undefined { kind: UndefinedBehaviour::DivisionByZero, span: Some(_) }));
    let stuck = "int x; int main(void) { x = 1; l: goto l; }";
    let silent = accepted(stuck, "F end", &Lasso::default());
    assert_eq!((silent.run.end, silent.closing), (RunEnd::Silent, Closing::Exact));
    let overflows = "int x = 2147483647; int main(void) { x = x + 1; return 0; }";
    let wrapped = accepted(overflows, "G \"x > 0\"", &Lasso::default());
    assert!(matches!(wrapped.run.warnings[..], [Warning::Overflow(_)]));
}

#[test]
fn the_loop_is_repeated_with_its_inputs() {
    let c = "
extern int __VERIFIER_nondet_int(void);
int x;
int main(void) { while (1) { x = __VERIFIER_nondet_int(); } }
";
    let found = accepted(c, "F G \"x < 5\"", &inputs(&[1, 2], &[3, 7]));
    let RunEnd::Lasso { start } = found.run.end else { panic!("{:?}", found.run.end) };
    let truths: Vec<bool> = found.run.observations[start..].iter().map(|seen| seen.truth[0]).collect();
    assert!(truths.contains(&true) && truths.contains(&false), "{truths:?}");
    let values: Vec<&Value> = found.inputs.iter().map(|input| &input.value).collect();
    assert_eq!(values[..4], [&Value::int(1), &Value::int(2), &Value::int(3), &Value::int(7)]);
    assert!(found.inputs.iter().all(|input| input.name == "__VERIFIER_nondet_int" && !input.uninitialised));
    assert!(found.inputs.windows(2).all(|pair| pair[0].observed < pair[1].observed));
    assert_eq!(replayed(&task(c, "F G \"x < 9\""), &inputs(&[1, 2], &[3, 7])), Err(Rejected::NotViolated));
}

#[test]
fn the_inputs_of_a_loop_without_observations_are_told_too() {
    let c = "
extern int __VERIFIER_nondet_int(void);
int x, y;
int main(void) { x = 1; while (1) { y = __VERIFIER_nondet_int(); } }
";
    let semantics = Semantics { observe: ObserveMode::Change, ..Semantics::default() };
    let found = replayed(&task_under(c, "F \"x == 2\"", semantics), &inputs(&[4, 5], &[6, 7])).unwrap();
    assert_eq!(found.run.end, RunEnd::Silent);
    let told = |repeated: bool| found.inputs.iter().filter(move |input| input.repeated == repeated);
    let values = |repeated: bool| told(repeated).map(|input| input.value.clone()).collect::<Vec<_>>();
    assert_eq!(values(false)[..2], [Value::int(4), Value::int(5)]);
    let mut round = values(true);
    round.sort();
    assert_eq!(round, [Value::int(6), Value::int(7)], "one round of the loop");
    assert!(found.inputs.iter().all(|input| input.observed == found.run.observations.len()));
}

#[test]
fn what_is_no_execution_is_rejected() {
    let rejected = |lasso: &Lasso| replayed(&task(DIVIDES, "G \"y != 5\""), lasso).unwrap_err();
    assert_eq!(rejected(&inputs(&[], &[])), Rejected::NoMoreAnswers);
    assert!(matches!(rejected(&inputs(&[1 << 31], &[])), Rejected::Unfit { .. }));
    assert!(matches!(rejected(&Lasso { stem: vec![Answer::Index(0)], cycle: vec![] }), Rejected::Unfit { .. }));
    assert!(matches!(rejected(&Lasso { stem: vec![Answer::Exhausted], cycle: vec![] }), Rejected::NoMoreAnswers));
    assert_eq!(rejected(&inputs(&[3], &[])), Rejected::NotViolated);
    let assumed = Semantics { undefined: UndefinedMode::Assume, ..Semantics::default() };
    let cut = replayed(&task_under(DIVIDES, "F \"y == 1\"", assumed), &inputs(&[0], &[]));
    assert!(matches!(cut, Err(Rejected::Blocked { span: Some(_) })), "{cut:?}");
    let spent = Budget::unlimited();
    spent.cancel();
    let answer = replay::replay(&task(DIVIDES, "G \"y != 5\""), &inputs(&[2], &[]), &spent);
    assert_eq!(answer, Err(Rejected::Exhausted(Exhausted::Cancelled)));
}

#[test]
fn an_address_is_guessed_by_its_number_only() {
    let c = "int x; int main(void) { int *p; if (p) { *p = 1; } return 0; }";
    let object = task(c, "G \"x == 0\"");
    let variable = object.program.variables.ids().next().unwrap();
    let pointer = Pointer::Object { object: program::semantics::ObjectId::Global(variable), offset: 0 };
    let guess = |value: Value| Lasso { stem: vec![Answer::Value(value)], cycle: vec![] };
    assert!(matches!(replayed(&object, &guess(Value::Pointer(pointer))), Err(Rejected::Unfit { .. })));
    let null = task(c, "F error");
    assert!(replayed(&null, &guess(Value::Pointer(Pointer::Null))).is_ok());
    assert!(replayed(&null, &guess(Value::int(0))).unwrap().inputs[0].uninitialised);
    assert!(replayed(&task(c, "G !error"), &guess(Value::int(0xdead_0000u32))).is_ok());
}

#[test]
fn a_call_ends_the_execution_where_the_property_asks_for_that() {
    let c = "
extern int __VERIFIER_nondet_int(void);
void reach(void) {}
int main(void) { while (1) { if (__VERIFIER_nondet_int() == 3) reach(); } }
";
    let mut stops = task(c, "G !call(reach())");
    stops.semantics.stop_at_call = stops.program.function_named("reach");
    let found = replayed(&stops, &inputs(&[1, 3], &[])).unwrap();
    assert!(matches!(found.run.end, RunEnd::StoppedAtCall(_)));
    assert_eq!(replayed(&stops, &inputs(&[1], &[2])), Err(Rejected::NotViolated));
    assert_eq!(replayed(&stops, &inputs(&[1], &[])), Err(Rejected::NoMoreAnswers));
}
