//! A few generated programs through everything: what the generator promises, and what the interpreter owes. A C compiler
//! is a stated requirement of the tests, so its absence is a failure. More programs: `cargo run -p semper-hunt
//! -- differential --count 1000`.

use std::collections::BTreeSet;

use hunt::compiled::{Compiler, trace};
use hunt::differential::{Outcome, compare, compare_traces};
use hunt::{GeneratedProgram, Size, generate, interpreted};
use program::DataModel;

fn compiled(program: &GeneratedProgram, compiler: &Compiler) -> Vec<String> {
    trace(program, compiler).unwrap_or_else(|error| {
        panic!("seed {}: {error}\n(this test needs a C compiler that is called `cc`)", program.seed)
    })
}

#[test]
fn a_seed_determines_its_program() {
    let mut texts = BTreeSet::new();
    for seed in 0..50 {
        for size in [Size::Small, Size::Medium, Size::Large] {
            let (one, two) = (generate(seed, size), generate(seed, size));
            assert_eq!(one.text, two.text);
            assert_eq!(one.inputs, two.inputs);
            assert_eq!(one.globals, two.globals);
            texts.insert(one.text);
        }
    }
    assert_eq!(texts.len(), 150, "different seeds or sizes gave the same program");
}

#[test]
fn optimisation_changes_nothing() {
    let optimised = Compiler::new("cc", &["-O1", "-w"]);
    for seed in 0..6 {
        let program = generate(seed, Size::Medium);
        let expected = compiled(&program, &Compiler::reference());
        let outcome = compare_traces(&expected, &compiled(&program, &optimised));
        assert!(matches!(outcome, Outcome::Agreement { states } if states > 1), "seed {seed}: {outcome}");
    }
}

#[test]
fn the_interpreter_agrees_with_the_compiler() {
    for (size, seeds) in [(Size::Small, 100..118), (Size::Medium, 200..206)] {
        for seed in seeds {
            let program = generate(seed, size);
            let outcome =
                compare(&program, &mut |program| Ok(compiled(program, &Compiler::reference())), &mut |program| {
                    interpreted::trace(program, DataModel::Lp64)
                });
            assert!(matches!(outcome, Outcome::Agreement { .. }), "seed {seed}, {size:?}: {outcome}");
        }
    }
}

#[test]
fn a_wrong_value_is_noticed() {
    let program = generate(1, Size::Small);
    let expected = compiled(&program, &Compiler::reference());
    let mut wrong = program.clone();
    wrong.text = wrong.text.replacen("int main(void) {", "int main(void) { __VERIFIER_ltl_step();", 1);
    let outcome =
        compare(&wrong, &mut |_| Ok(expected.clone()), &mut |program| interpreted::trace(program, DataModel::Lp64));
    assert!(matches!(outcome, Outcome::Disagreement(_)), "{outcome}");
}

/// Every construct that the generator notes when it writes it; one that is missing here is no longer generated.
#[test]
fn all_constructs_occur() {
    let mut found = BTreeSet::new();
    for seed in 0..400 {
        found.extend(generate(seed, Size::Medium).features.into_keys());
    }
    let expected = include_str!("constructs.txt").lines().filter(|line| !line.is_empty()).collect::<BTreeSet<_>>();
    let missing: Vec<_> = expected.difference(&found).collect();
    let unlisted: Vec<_> = found.difference(&expected).collect();
    assert!(missing.is_empty(), "never generated: {missing:?}");
    assert!(unlisted.is_empty(), "add to tests/constructs.txt: {unlisted:?}");
}
