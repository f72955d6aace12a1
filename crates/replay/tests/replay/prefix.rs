//! Bad prefixes are evidence where something always follows, and only there.

use foundation::Budget;
use program::semantics::{RunEnd, Semantics, UndefinedMode};
use replay::prefix::bad_prefix;
use replay::{Closing, Rejected, confirm};
use task::{Counterexample, Lasso};

use crate::worlds::{inputs, task, task_under};

const COUNTS: &str = "int x, y; int main(void) { while (1) { x = x + 1; y = 2 * x; } }";

#[test]
fn a_counter_passes_its_bound_whatever_follows() {
    let task = task(COUNTS, "G \"x < 100\"");
    let found = bad_prefix(&task, &Lasso::default(), &Budget::unlimited()).unwrap();
    assert_eq!((&found.run.end, &found.closing), (&RunEnd::Limit, &Closing::BadPrefix));
    let truths: Vec<bool> = found.run.observations.iter().map(|seen| seen.truth[0]).collect();
    assert_eq!(truths.iter().position(|truth| !truth), Some(truths.len() - 1), "it ends where the goal is lost");
    let claimed = Counterexample::Lasso(Lasso::default());
    assert_eq!(confirm(&task, &claimed, &Budget::unlimited()), Ok(found), "the loop closes only after 2^32 turns");
}

#[test]
fn what_the_future_can_mend_is_not_bad() {
    for goal in ["F \"x < 0\"", "G F \"x < 0\"", "\"x < 5\" U \"x == 5\"", "G \"x < 100\" || F \"y == 7\"", "true"] {
        let rejected = bad_prefix(&task(COUNTS, goal), &Lasso::default(), &Budget::unlimited());
        assert_eq!(rejected, Err(Rejected::NotBad), "{goal}");
    }
    for goal in ["\"x < 5\" U \"x == 6\"", "X X \"x == 0\"", "\"x == 3\" R \"x < 9\"", "!F \"x > 7\""] {
        let found = bad_prefix(&task(COUNTS, goal), &Lasso::default(), &Budget::unlimited());
        // The second and the third are true, or decided otherwise.
        let is_lost = matches!(goal, "\"x < 5\" U \"x == 6\"" | "X X \"x == 0\"" | "!F \"x > 7\"");
        assert_eq!(found.is_ok(), is_lost, "{goal}: {found:?}");
    }
}

#[test]
fn a_program_that_may_be_cut_is_refused() {
    let cut = "extern void __VERIFIER_assume(int); int x;
        int main(void) { while (1) { x = x + 1; __VERIFIER_assume(x < 200); } }";
    let branches = "extern int __VERIFIER_nondet_int(void); int x;
        int main(void) { while (1) { switch (__VERIFIER_nondet_int()) { case 1: x = x + 1; break; default: x = x + 2; }
            if (x > 1000 && x != 1003) x = 0; } }";
    let goal = "G \"x < 100\"";
    let refused = bad_prefix(&task(cut, goal), &Lasso::default(), &Budget::unlimited());
    assert_eq!(refused, Err(Rejected::NotBad));
    assert!(bad_prefix(&task(branches, goal), &inputs(&[], &[1, 2]), &Budget::unlimited()).is_ok());
    let assumed = Semantics { undefined: UndefinedMode::Assume, ..Semantics::default() };
    let refused = bad_prefix(&task_under(COUNTS, goal, assumed), &Lasso::default(), &Budget::unlimited());
    assert_eq!(refused, Err(Rejected::NotBad), "undefined behaviour would cut it");
}

#[test]
fn answers_that_suffice_until_the_goal_is_lost_are_enough() {
    let reads = "extern unsigned char __VERIFIER_nondet_uchar(void); unsigned n; int bad;
        int main(void) { while (1) { n = n * 3 + __VERIFIER_nondet_uchar(); if (n % 7 == 3) bad = 1; } }";
    let confirmed = |program: &str, answers: &[i64]| {
        let claim = Counterexample::Lasso(inputs(answers, &[]));
        confirm(&task(program, "G \"bad == 0\""), &claim, &Budget::unlimited())
    };
    let found = confirmed(reads, &[1, 0]).unwrap();
    assert_eq!((&found.run.end, &found.closing, found.inputs.len()), (&RunEnd::Limit, &Closing::BadPrefix, 2));
    for open in [&[][..], &[1], &[0, 0]] {
        assert_eq!(confirmed(reads, open), Err(Rejected::NoMoreAnswers), "{open:?}");
    }
    let cut = reads.replace("if (n", "__VERIFIER_assume(!bad); if (n");
    let cut = format!("extern void __VERIFIER_assume(int); {cut}");
    assert_eq!(confirmed(&cut, &[1, 0]), Err(Rejected::NoMoreAnswers), "every run is blocked after it");
}

#[test]
fn what_is_long_to_tell_ends_where_the_goal_is_lost() {
    let counts = "unsigned char n; int bad; int main(void) { while (1) { n = n + 1; if (n == 2) bad = 1; } }";
    let claim = Counterexample::Lasso(Lasso::default());
    let lost = confirm(&task(counts, "G \"bad == 0\""), &claim, &Budget::unlimited()).unwrap();
    assert_eq!(lost.closing, Closing::BadPrefix);
    assert!(lost.run.observations.len() < 12, "{}", lost.run.observations.len());
    let whole = confirm(&task(counts, "F \"n == 2 && bad == 0\" -> G \"bad == 0\""), &claim, &Budget::unlimited());
    assert_eq!(whole.unwrap().closing, Closing::BadPrefix, "both are lost then");
    let round = confirm(&task(counts, "G F \"bad == 0\""), &claim, &Budget::unlimited()).unwrap();
    assert_eq!(round.closing, Closing::Exact, "that is lost only in the end");
}
