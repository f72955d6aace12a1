//! Sources of choices: the format of listed inputs, and seeds.

use foundation::SourceMap;
use program::semantics::memory::Extent;
use program::semantics::*;
use program::*;
use proptest::prelude::*;

use crate::builder::*;

fn parse(text: &str) -> Result<ListedChoices, Vec<String>> {
    let mut sources = SourceMap::new();
    let source = sources.add("inputs.txt", text);
    ListedChoices::parse(&sources, source).map_err(|diagnostics| {
        let place = |diagnostic: &foundation::Diagnostic| {
            let span = diagnostic.primary.as_ref().expect("a place").span;
            let location = sources.locate(span);
            format!("{}:{} {} [{}]", location.line, location.column, diagnostic.message, sources.snippet_text(span))
        };
        diagnostics.iter().map(place).collect()
    })
}

fn input(name: &str, ty: Scalar) -> Question {
    Question::Input { source: InputSource::Nondet(name.to_owned()), ty }
}

#[test]
fn every_form_of_entry() {
    let text = "# first comment\n5\n  -0x1F # five\n\n__VERIFIER_nondet_int = 7\n'a'\n'\\n'\n'#'\ntrue\n2.5\nmain::x = 9\n\
                thread 2\nheap#0+8 = 3\n::g = 4\nmalloc-fails = true\n";
    let mut choices = parse(text).unwrap();
    let mut next = |question: Question| choices.choose(&question);
    // Listed answers are found by what people call a part.
    let part = Extent { object: ObjectId::Heap(0), offset_bits: 0, width_bits: 32 };
    let uninitialised = |what: &str| Question::Uninitialised { part, what: what.to_owned(), ty: INT };
    for expected in [5, -31, 7, 97, 10, 35] {
        assert_eq!(next(input("__VERIFIER_nondet_int", INT)), Answer::Value(Value::int(expected)));
    }
    assert_eq!(next(input("nondet_bool", Scalar::Bool)), Answer::Value(Value::Bool(true)));
    assert_eq!(next(input("nondet_double", Scalar::Float(FloatType::F64))), Answer::Value(Value::float(2.5)));
    assert_eq!(next(input("nondet", INT)), Answer::Exhausted);
    for (what, expected) in [("main::x", 9), ("main::x", 0), ("heap#0+8", 3), ("::g", 4), ("main::y", 0)] {
        assert_eq!(next(uninitialised(what)), Answer::Value(Value::int(expected)), "{what}");
    }
    let schedule = || Question::Schedule { enabled: vec![0, 2, 3], last: 2 };
    assert_eq!(next(schedule()), Answer::Index(1));
    assert_eq!(next(schedule()), Answer::Index(2), "then threads take turns");
    assert_eq!(next(Question::AllocationFails), Answer::Value(Value::Bool(true)));
    assert_eq!(next(Question::AllocationFails), Answer::Value(Value::Bool(false)));
}

#[test]
fn faulty_entries_are_named_with_their_lines() {
    let errors = parse("1\n  x y\nthread main\nf = \n= 3\n0xg\n").unwrap_err();
    assert_eq!(
        errors,
        [
            "2:3 `x y` is not a value [x y]",
            "3:1 `main` is not a thread's number [thread main]",
            "4:1 there is no value after `=` [f =]",
            "5:1 there is no name before `=` [= 3]",
            "6:1 `0xg` is not a value [0xg]",
        ]
    );
}

#[test]
fn values_must_fit_what_is_asked_for() {
    let mut b = Builder::new();
    let x = b.local_of("x", CHAR);
    b.input(x);
    b.ret(0);
    for (text, fits) in [("127", true), ("-128", true), ("128", false), ("1.5", false), ("other = 1", false)] {
        for integers in [Integers::Machine, Integers::Ideal] {
            let semantics = Semantics { integers, ..Semantics::default() };
            let run = b.run(semantics, &[], &mut parse(text).unwrap());
            let expected = if fits { "End" } else { "UnfitInput" };
            assert!(format!("{:?}", run.end).starts_with(expected), "{text}: {:?}", run.end);
        }
    }
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC*") {
        let _ = parse(&text);
    }

    #[test]
    fn seeds_decide_everything_and_fit(seed in any::<u64>()) {
        let mut b = Builder::new();
        for (name, ty) in [("c", CHAR), ("u", UNSIGNED), ("n", SIZE), ("b", Scalar::Bool), ("p", Scalar::Pointer)] {
            let variable = b.local_of(name, ty);
            b.input(variable);
        }
        b.ret(0);
        let run = |seed| b.run(Semantics::default(), &[], &mut SeededChoices::new(seed));
        prop_assert_eq!(run(seed).end, RunEnd::End(EndKind::Return));
        prop_assert_eq!(run(seed), run(seed));
    }
}

#[test]
fn names_of_modes_are_read_back() {
    for &(word, mode) in ObserveMode::ALL {
        assert_eq!(word.parse(), Ok(mode));
        assert_eq!(mode.to_string(), word);
    }
    assert_eq!("ideal".parse(), Ok(Integers::Ideal));
    let refused = "exact".parse::<Integers>().unwrap_err();
    assert_eq!(refused, "`exact` is not a kind of integers: choose from `machine`, `ideal`");
}
