//! A second turn of an engine goes on from what the first has posted on the board, counted by the work that it is.

use engines::explicit::Explicit;
use engines::fairness::Fairness;
use foundation::Budget;
use program::semantics::Integers;
use subject::{Input, Properties, Request, Subject, load};
use task::board::HandedOn;
use task::{Board, Engine, Figure, Outcome, Reason, Scheduler, Task, Verdict};

/// Each round ends by three ranking functions.
const ROUNDS: &str = "
    extern int __VERIFIER_nondet_int(void);
    int a, b, d, done;
    int main(void) {
        while (1) {
            done = 0;
            a = __VERIFIER_nondet_int();
            b = __VERIFIER_nondet_int();
            while (a > 0) {
                if (b > 0)
                    b = b - 1;
                else {
                    a = a - 1;
                    b = __VERIFIER_nondet_int();
                }
            }
            while (d < 10)
                d = d + 1;
            d = b;
            done = 1;
        }
    }";

/// A counter with many states.
const COUNTER: &str = "unsigned n; int main(void) { while (1) n = (n + 1) % 300000; }";

fn task(text: &str, formula: &str, integers: Integers) -> Task {
    check::task_of(&subject(text, formula, integers), 0, Scheduler::default())
}

fn subject(text: &str, formula: &str, integers: Integers) -> Subject {
    let request = Request {
        files: vec![Input::Text { name: "a.c".into(), text: text.into() }],
        properties: Properties::Formulas(vec![formula.into()]),
        integers,
        ..Request::default()
    };
    load(&request, &Budget::unlimited()).subject.unwrap()
}

/// What an engine says within so much work, and how much it needed.
fn ask(engine: &dyn Engine, task: &Task, board: &Board, work: u64) -> (Outcome, u64) {
    let budget = Budget::unlimited().part_with_work(work);
    let outcome = engine.check(task, board, &budget);
    (outcome, work - budget.work_left().unwrap())
}

fn count(outcome: &Outcome, name: &str) -> u64 {
    let found = outcome.statistics.0.iter().find(|(own, _)| *own == name);
    let Some((_, Figure::Count(count))) = found else { panic!("{name} is not counted") };
    *count
}

fn handed_on(board: &Board, what: &str) -> usize {
    let all = board.handed_on();
    let facts = all.iter().filter(|HandedOn { what: own, .. }| own.contains(what));
    facts.map(|HandedOn { count, .. }| count).sum()
}

fn is_out_of_work(outcome: &Outcome) -> bool {
    matches!(outcome.verdict, Verdict::Unknown(Reason::Exhausted(_)))
}

#[test]
fn a_proof_goes_on_with_the_modules_of_the_first_turn() {
    let task = task(ROUNDS, "G F \"done == 1\"", Integers::Ideal);
    let engine = Fairness::default();
    let all = 1 << 40;
    let (alone, whole) = ask(&engine, &task, &Board::default(), all);
    assert!(matches!(alone.verdict, Verdict::Holds(_)), "{:?}", alone.verdict);
    for share in [9, 7, 5] {
        let board = Board::default();
        let (first, before) = ask(&engine, &task, &board, whole * share / 10);
        assert!(is_out_of_work(&first), "{:?}", first.verdict);
        let (second, work) = ask(&engine, &task, &board, all);
        let Verdict::Holds(certificate) = second.verdict.clone() else { panic!("{share}: {:?}", second.verdict) };
        let modules = |outcome: &Outcome| count(outcome, "finite_modules") + count(outcome, "ranked_modules");
        assert_eq!(handed_on(&board, "refuted") as u64, modules(&first), "all modules are taken over");
        assert!(modules(&second) >= modules(&first));
        assert!(count(&second, "iterations") >= count(&first, "iterations"), "lassos are numbered on");
        assert!(handed_on(&board, "decided formula") > 0);
        assert!(work < whole - before / 2, "most is not done again: {work} after {before}, {whole} at once");
        certify::prove(&task, &certificate, None, &Budget::unlimited()).expect("the proof passes its check");
    }
}

#[test]
fn a_portfolio_hands_on_what_its_engines_have_in_common() {
    let subject = subject(ROUNDS, "G F \"done == 1\"", Integers::Ideal);
    let outcome = check::check(&subject, 0, &check::Settings::default(), &Budget::unlimited());
    assert!(matches!(outcome.verdict, check::CheckedVerdict::Holds { .. }), "{:?}", outcome.verdict);
    let told = outcome.statistics.0.iter().find(|(name, _)| *name == "handed_on");
    let Some((_, Figure::Word(told))) = told else { panic!("{:?}", outcome.statistics) };
    assert!(told.contains("1 program without calls from explicit to fairness"), "{told}");
}

#[test]
fn what_was_compiled_for_the_first_turn_is_not_compiled_again() {
    let task = task(COUNTER, "G F \"n == 0\"", Integers::Machine);
    let (engine, board) = (Explicit::default(), Board::default());
    let (first, _) = ask(&engine, &task, &board, 1_000);
    assert!(is_out_of_work(&first), "{:?}", first.verdict);
    assert_eq!(handed_on(&board, ""), 0, "there was nothing before");
    let (second, _) = ask(&engine, &task, &board, 1 << 40);
    assert!(matches!(second.verdict, Verdict::Holds(_)), "{:?}", second.verdict);
    assert_eq!(handed_on(&board, "compiled program"), 1);
    let by_another = ask(&Fairness::default(), &task, &board, 1_000).0;
    assert_eq!(by_another.engine, "fairness");
    let between = |it: &HandedOn| (it.from, it.to) == ("explicit", "fairness");
    let told: Vec<&str> = board.handed_on().into_iter().filter(between).map(|it| it.what).collect();
    assert_eq!(told, ["automaton of the negated goal", "program without calls"]);
}
