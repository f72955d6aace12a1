//! Witnesses are right exactly when they are, and nothing that they say makes the validator fall over.

use check::Settings;
use foundation::{Budget, Diagnostics};
use subject::{Input, Loaded, Request, load};
use witness::{
    Action, Constraint, Content, DataModel, Format, Invariant, InvariantType, Language, Metadata, Producer, Segment,
    SourcePlace, Version, Waypoint, WaypointType, Witness, WitnessEntry,
};

use crate::{Finding, request_for, validate};

const PROGRAM: &str = "int nondet_int(void);
void reach_error(void) { }
int x, i;
int main(void) {
  x = nondet_int();
  while (i < 3) {
    i = i + 1;
  }
  if (x == 7)
    reach_error();
  return 0;
}
";

fn witness(specification: &str, content: Content) -> Witness {
    let task = witness::WitnessTask {
        input_files: vec!["a.c".into()],
        input_file_hashes: vec![("a.c".into(), witness::sha256(PROGRAM.as_bytes()))],
        specification: specification.into(),
        data_model: DataModel::Lp64,
        language: Language::C,
    };
    let producer = Producer { name: "test".into(), version: "1".into(), ..Producer::default() };
    let metadata =
        Metadata { format_version: Version::V2_1, uuid: String::new(), creation_time: String::new(), producer, task };
    Witness { entries: vec![WitnessEntry { metadata, content }.identified()] }
}

fn answer(witness: &Witness) -> Finding {
    answer_for(PROGRAM, witness)
}

fn answer_for(program: &str, witness: &Witness) -> Finding {
    let request =
        Request { files: vec![Input::Text { name: "a.c".into(), text: program.into() }], ..Request::default() };
    let mut diagnostics = Diagnostics::new();
    let request = request_for(witness, &request, &mut diagnostics).unwrap();
    assert!(diagnostics.iter().all(|diagnostic| diagnostic.code == "program-changed"));
    let Loaded { sources, subject, .. } = load(&request, &Budget::unlimited());
    validate(witness, &request, &subject.unwrap(), &sources, &Settings::default(), &Budget::unlimited()).answer
}

fn place(line: u32, column: Option<u32>) -> SourcePlace {
    SourcePlace { file_name: "folder/a.c".into(), line, column, function: None }
}

fn segment(waypoint_type: WaypointType, action: Action, value: Option<&str>, location: SourcePlace) -> Segment {
    let constraint = value.map(|value| Constraint { value: value.into(), format: Some(Format::CExpression) });
    Segment { waypoints: vec![Waypoint { waypoint_type, action, constraint, location }] }
}

const SAFE: &str = "CHECK( init(main()), LTL(G ! call(reach_error())) )";

#[test]
fn a_sequence_is_confirmed_exactly_if_an_execution_passes_it() {
    let target = || segment(WaypointType::Target, Action::Follow, None, place(10, Some(5)));
    for value in 5..9 {
        for turns in 2..5 {
            let assumed = format!("x == {value}");
            let mut segments = vec![segment(WaypointType::Assumption, Action::Follow, Some(&assumed), place(9, None))];
            let turn = || segment(WaypointType::Branching, Action::Follow, Some("true"), place(6, Some(3)));
            segments.splice(0..0, (0..turns).map(|_| turn()));
            segments.push(target());
            let expected = if value == 7 && turns <= 3 { Finding::Confirmed } else { Finding::Rejected };
            let witness = witness(SAFE, Content::ViolationSequence(segments));
            assert_eq!(answer(&witness), expected, "{assumed}, {turns} turns");
        }
    }
    let avoided = |value: &str| {
        let mut last = target();
        let avoid = segment(WaypointType::Assumption, Action::Avoid, Some(value), place(9, Some(3)));
        last.waypoints.splice(0..0, avoid.waypoints);
        answer(&witness(SAFE, Content::ViolationSequence(vec![last])))
    };
    assert_eq!(avoided("x == 7"), Finding::Rejected);
    assert_eq!(avoided("x == 8"), Finding::Confirmed);
}

#[test]
fn an_invariant_is_confirmed_exactly_if_it_holds() {
    let specification = "CHECK( init(main()), LTL(F end) )";
    for (invariant_type, line, value, expected) in [
        (InvariantType::LoopInvariant, 6, "i >= 0 && i <= 3", Finding::Confirmed),
        (InvariantType::LoopInvariant, 6, "i <= 2", Finding::Rejected),
        (InvariantType::LocationInvariant, 7, "i <= 2", Finding::Confirmed),
        (InvariantType::LocationInvariant, 9, "i == 3", Finding::Confirmed),
        (InvariantType::LocationInvariant, 10, "x == 7", Finding::Confirmed),
        (InvariantType::LocationInvariant, 11, "x != 7", Finding::Rejected),
        (InvariantType::LocationInvariant, 9, "6 / (i - 3)", Finding::Rejected),
        (InvariantType::LoopTransitionInvariant, 6, "\\at(i, AnyPrev) < i", Finding::Confirmed),
        (InvariantType::LoopTransitionInvariant, 6, "\\at(i, AnyPrev) + 1 == i", Finding::Rejected),
        (InvariantType::LocationTransitionInvariant, 7, "\\at(i, AnyPrev) < i && i <= 2", Finding::Confirmed),
        (InvariantType::LoopInvariant, 7, "1", Finding::Unknown),
        (InvariantType::LoopInvariant, 6, "i = 0", Finding::Unknown),
        (InvariantType::LoopInvariant, 6, "j == 0", Finding::Unknown),
        (InvariantType::LoopInvariant, 6, "1) || (1", Finding::Unknown),
        (InvariantType::LoopInvariant, 6, "1 // x", Finding::Unknown),
    ] {
        let (location, value) = (place(line, None), value.to_owned());
        let format = Format::ExtCExpression;
        let invariant = Invariant { invariant_type, location, value: value.clone(), format, inductive: false };
        let witness = witness(specification, Content::InvariantSet(vec![invariant]));
        assert_eq!(answer(&witness), expected, "{value} in line {line}");
    }
}

/// All orders of two `case` labels and `default`, with and without falling through: one value leads to the error, and
/// each way is confirmed exactly if that value takes it.
#[test]
fn the_way_to_default_is_that_of_all_other_values() {
    let labels = ["case 0:", "case 1 ... 2:", "default:"];
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        for end in ["break;", ""] {
            let parts = order.map(|label| format!("{} y = {label}; {end}", labels[label]));
            for value in [0, 2, 4] {
                let program = format!(
                    "int nondet_int(void); void reach_error(void) {{ }} int x, y;\nint main(void) {{ x = nondet_int();\n\
                     switch (x) {{ {} }}\nif (x == {value}) reach_error();\nreturn 0; }}\n",
                    parts.join(" ")
                );
                for way in ["default", "0", "2"] {
                    let segments = vec![
                        segment(WaypointType::Branching, Action::Follow, Some(way), place(3, Some(1))),
                        segment(WaypointType::Target, Action::Follow, None, place(4, None)),
                    ];
                    let is_taken = if way == "default" { value == 4 } else { way == value.to_string() };
                    let expected = if is_taken { Finding::Confirmed } else { Finding::Rejected };
                    let found = answer_for(&program, &witness(SAFE, Content::ViolationSequence(segments)));
                    assert_eq!(found, expected, "{way}, {program}");
                }
            }
        }
    }
}

/// Labels are compared as the `switch` does it, and nothing is claimed where they could mean something else in front of it.
#[test]
fn the_way_to_default_is_not_guessed() {
    for (switch, expected) in [
        ("switch (x) { case THREE: break; default: y = 7; }", Finding::Confirmed),
        ("switch (x) { case THREE: y = 7; break; default: ; }", Finding::Rejected),
        ("switch (x) { case 'y': { int y = 1; break; } default: y = 7; }", Finding::Confirmed),
        ("switch ((char)x) { case -128 ... -1: case 1 ... 127: break; default: y = 7; }", Finding::Confirmed),
        ("switch (x) { default: y = 7; }", Finding::Confirmed),
        ("switch (x) { case 1: switch (y) { default: y = 7; } break; default: ; }", Finding::Rejected),
        ("switch (x) { case 1: switch (y) { default: y = 7; } }", Finding::Unknown),
        ("switch (x) { enum { THREE = 4 }; case THREE: y = 7; break; default: ; }", Finding::Unknown),
        ("switch (x) { case sizeof(z): { char z; break; } default: y = 7; }", Finding::Unknown),
        ("switch (x) { case 1: y = 7; }", Finding::Unknown),
    ] {
        let program = format!(
            "int nondet_int(void); void reach_error(void) {{ }} enum {{ THREE = 3 }}; int x, y, z;\n\
             int main(void) {{ x = nondet_int();\n{switch}\nif (y == 7) reach_error();\nreturn 0; }}\n"
        );
        let segments = vec![
            segment(WaypointType::Branching, Action::Follow, Some("default"), place(3, Some(1))),
            segment(WaypointType::Target, Action::Follow, None, place(4, None)),
        ];
        let found = answer_for(&program, &witness(SAFE, Content::ViolationSequence(segments)));
        assert_eq!(found, expected, "{switch}");
    }
}

#[test]
fn a_loop_with_goto_has_invariants_where_its_condition_is_at_its_label() {
    for (text, is_loop) in [
        ("head: if (i < 5) { i++; goto head; }", true),
        ("head: if (i < 5) { i++; if (i == 2) goto head; goto head; }", true),
        ("head: if (i >= 5) ; else { i++; goto head; }", true),
        ("head: if (i >= 5) goto out; i++; goto head; out: ;", true),
        ("head: if (i >= 5) { goto out; } i++; if (i == 2) goto head; goto head; out: ;", true),
        ("other: head: if (i >= 5) return 0; i++; goto other;", true),
        ("head: i++; if (i < 5) goto head;", false),
        ("head: if (i == 7) i = 0; i++; if (i < 5) goto head;", false),
        ("head: if (i < 5) { i++; if (i < 9) goto head; }", false),
        ("head: if (i < 5) { i++; goto head; } if (i < 4) goto head;", false),
        ("head: if (i == 7) goto head2; head2: i++; if (i == 5) return 0; goto head;", false),
        ("goto head; head: if (i < 5) i++;", false),
    ] {
        let program = format!("int i;\nint main(void) {{\n{text}\nreturn 0; }}\n");
        for (value, holds) in [("i >= 0 && i <= 5", true), ("i <= 4", false)] {
            let (invariant_type, format) = (InvariantType::LoopInvariant, Format::CExpression);
            let (value, location) = (value.to_owned(), place(3, Some(1)));
            let invariant = Invariant { invariant_type, location, value, format, inductive: false };
            let witness = witness("CHECK( init(main()), LTL(F end) )", Content::InvariantSet(vec![invariant]));
            let expected = match (is_loop, holds) {
                (false, _) => Finding::Unknown,
                (true, true) => Finding::Confirmed,
                (true, false) => Finding::Rejected,
            };
            assert_eq!(answer_for(&program, &witness), expected, "{text}, {holds}");
        }
    }
}

#[test]
fn waypoints_may_stand_anywhere() {
    let lines = PROGRAM.lines().count() as u32;
    let mut count = 0;
    for &waypoint_type in WaypointType::ALL {
        for line in 1..=lines + 1 {
            for column in [None, Some(1), Some(5), Some(9), Some(18)] {
                let value = if waypoint_type == WaypointType::Branching { "true" } else { "x == 7" };
                let segments = match waypoint_type {
                    WaypointType::Target => vec![segment(waypoint_type, Action::Follow, None, place(line, column))],
                    _ => vec![
                        segment(waypoint_type, Action::Follow, Some(value), place(line, column)),
                        segment(WaypointType::Target, Action::Follow, None, place(10, None)),
                    ],
                };
                let found = answer(&witness(SAFE, Content::ViolationSequence(segments)));
                count += usize::from(found == Finding::Confirmed);
            }
        }
    }
    assert!(count > 20, "{count}");
}
