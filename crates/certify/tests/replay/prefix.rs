//! Bad prefixes are evidence where something always follows, and only there.

use certify::prefix::bad_prefix;
use certify::{Closing, Rejected, confirm};
use foundation::Budget;
use program::semantics::{RunEnd, Semantics, UndefinedMode};
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
