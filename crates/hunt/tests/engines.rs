//! A few programs and formulas through all views of them. More: `cargo run -p semper-hunt -- engines`.

use foundation::Budget;
use hunt::engines::{Agreement, case, compare};

#[test]
fn engines_and_executions_agree() {
    let (mut holds, mut violated, mut compiled, mut boxes, mut fair) = (0, 0, 0, 0, 0);
    for seed in 40..72 {
        match compare(&case(seed), seed, &Budget::unlimited()) {
            Agreement::Agree { holds: held, compiled: was_compiled, boxed, unfair, .. } => {
                if held {
                    holds += 1
                } else {
                    violated += 1
                }
                compiled += usize::from(was_compiled);
                boxes += usize::from(boxed);
                fair += usize::from(unfair.is_none());
            }
            Agreement::Unknown(_) => {}
            Agreement::Disagree(what) => {
                let case = case(seed);
                panic!("seed {seed}: {what}\n{} {}\n{}", case.options, case.reactive.formula, case.reactive.program)
            }
        }
    }
    let figures = format!(
        "{holds} hold, {violated} are violated, {compiled} compiled, {boxes} by boxes, {fair} by the fairness engine"
    );
    assert!(holds > 5 && violated > 5 && compiled > 3 && boxes > 3 && fair > 10, "{figures}");
}
