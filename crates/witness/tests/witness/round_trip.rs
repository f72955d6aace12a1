//! What is written reads back as it was.

use foundation::SourceMap;
use proptest::prelude::*;
use witness::{
    Action, Constraint, Content, DataModel, Format, Invariant, InvariantType, Language, Metadata, Producer, Segment,
    SourcePlace, Version, Waypoint, WaypointType, Witness, WitnessEntry, WitnessTask, faults, read, select, sha256,
    write,
};

/// Texts with everything that YAML or C could stumble over.
fn text() -> impl Strategy<Value = String> {
    let pieces = [
        " ",
        "\n",
        "\t",
        "\r",
        "\"",
        "'",
        "\\",
        "#",
        ": ",
        "- ",
        "? ",
        "{",
        "}",
        "[",
        "]",
        ",",
        "&a",
        "*a",
        "!",
        "|",
        ">",
        "%",
        "@",
        "`",
        "~",
        "null",
        "true",
        "2.0",
        "0x1F",
        "---",
        "...",
        "<<",
        "=",
        "x",
        "ä",
        "𝔘",
        "日本",
        "\u{0}",
        "\u{7f}",
        "\u{85}",
        "\u{a0}",
        "\u{feff}",
        "\u{2028}",
        "\u{fffe}",
        "\u{10ffff}",
        "\u{200b}",
        "😀",
        "e\u{301}",
    ];
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..8).prop_map(|pieces| pieces.concat())
}

/// Something that is not only white space, has no keyword of extended C, and is no sooner told from a keyword.
fn expression() -> impl Strategy<Value = String> {
    text().prop_map(|text| format!("x == 1 {}", text.replace(['\\', '"', '\''], "+")))
}

fn file() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("a.c".to_owned()),
        text().prop_map(|text| format!("{text}/b.c")),
        text().prop_map(|text| text.repeat(300) + "c"),
    ]
}

fn location(files: Vec<String>) -> impl Strategy<Value = SourcePlace> {
    (prop::sample::select(files), 1..u32::MAX, prop::option::of(1..=u32::MAX), prop::option::of(text()))
        .prop_map(|(file_name, line, column, function)| SourcePlace { file_name, line, column, function })
}

/// A waypoint that keeps the rules of a version.
fn waypoint(files: Vec<String>, version: Version, action: Action) -> impl Strategy<Value = Waypoint> {
    let kinds: Vec<WaypointType> =
        WaypointType::ALL.iter().copied().filter(|kind| *kind != WaypointType::Target).collect();
    let branch = prop::sample::select(vec!["true", "false", "default", "-7", "0", "123456789012345678901234567890"]);
    let texts = (branch, expression(), any::<bool>());
    (prop::sample::select(kinds), location(files), texts).prop_map(
        move |(kind, location, (branch, expression, flag))| {
            let constraint = match kind {
                WaypointType::Assumption if flag && version == Version::V2_1 => Some(Constraint {
                    value: format!("\\at(x, Pre) && {expression}"),
                    format: Some(Format::ExtCExpression),
                }),
                WaypointType::Assumption => Some(Constraint { value: expression, format: Some(Format::CExpression) }),
                WaypointType::Branching => {
                    Some(Constraint { value: branch.to_owned(), format: flag.then_some(Format::CExpression) })
                }
                WaypointType::FunctionReturn if flag => Some(Constraint {
                    value: format!("\\result <= {expression}"),
                    format: Some(Format::of_returned_values(version)),
                }),
                _ => None,
            };
            Waypoint { waypoint_type: kind, action, constraint, location }
        },
    )
}

fn segment(files: Vec<String>, version: Version, action: Action) -> impl Strategy<Value = Segment> {
    let avoided = prop::collection::vec(waypoint(files.clone(), version, Action::Avoid), 0..3);
    (avoided, waypoint(files, version, action)).prop_map(|(mut waypoints, last)| {
        waypoints.push(last);
        Segment { waypoints }
    })
}

/// A sequence that ends in a target or, in version 2.1, in a cycle; and the specification that goes with it.
fn sequence(files: Vec<String>, version: Version) -> impl Strategy<Value = (Vec<Segment>, &'static str)> {
    let stem = prop::collection::vec(segment(files.clone(), version, Action::Follow), 0..4);
    let cycle = prop::collection::vec(segment(files.clone(), version, Action::Cycle), 1..4);
    let target = location(files);
    (stem, cycle, target, any::<bool>()).prop_map(move |(mut segments, cycle, location, is_cycle)| {
        if is_cycle && version == Version::V2_1 {
            segments.extend(cycle);
            return (segments, "CHECK( init(main()), LTL(F end) )");
        }
        let target =
            Waypoint { waypoint_type: WaypointType::Target, action: Action::Follow, constraint: None, location };
        segments.push(Segment { waypoints: vec![target] });
        (segments, "CHECK( init(main()), LTL(G ! call(reach_error())) )")
    })
}

fn invariant(files: Vec<String>, version: Version) -> impl Strategy<Value = Invariant> {
    let kinds = InvariantType::ALL.iter().copied().filter(|kind| version == Version::V2_1 || !kind.is_transition());
    let kinds: Vec<InvariantType> = kinds.collect();
    (prop::sample::select(kinds), location(files), expression(), any::<bool>(), any::<bool>()).prop_map(
        move |(invariant_type, location, value, extended, inductive)| {
            let extended = version == Version::V2_1 && (extended || invariant_type.is_transition());
            let (value, format) = if extended {
                (format!("\\at(x, AnyPrev) > x || {value}"), Format::ExtCExpression)
            } else {
                (value, Format::CExpression)
            };
            Invariant { invariant_type, location, value, format, inductive: inductive && version == Version::V2_1 }
        },
    )
}

fn entry(is_violation: bool) -> impl Strategy<Value = WitnessEntry> {
    let start = (prop::collection::vec(file(), 1..4), prop::sample::select(Version::ALL.to_vec()));
    let with_content = start.prop_flat_map(move |(files, version)| {
        let sequence = sequence(files.clone(), version)
            .prop_map(|(segments, specification)| (Content::ViolationSequence(segments), specification.to_owned()));
        let invariants = prop::collection::vec(invariant(files.clone(), version), 1..5);
        let invariants = (invariants, text()).prop_map(|(invariants, text)| {
            (Content::InvariantSet(invariants), format!("CHECK( init(main()), LTL({text}) )"))
        });
        let content = if is_violation { sequence.boxed() } else { invariants.boxed() };
        (Just(files), Just(version), content)
    });
    let optional = || prop::option::of(text());
    let producer = (text(), text(), optional(), optional(), optional());
    let model = prop::sample::select(DataModel::ALL.to_vec());
    (with_content, producer, model).prop_map(|((files, format_version, (content, specification)), producer, model)| {
        let (name, version, configuration, command_line, description) = producer;
        let mut input_file_hashes: Vec<_> = files.iter().map(|file| (file.clone(), sha256(file.as_bytes()))).collect();
        input_file_hashes.sort();
        input_file_hashes.dedup();
        let task = WitnessTask {
            input_files: files,
            input_file_hashes,
            specification,
            data_model: model,
            language: Language::C,
        };
        let metadata = Metadata {
            format_version,
            uuid: String::new(),
            creation_time: "2026-01-31T12:00:00Z".to_owned(),
            producer: Producer { name, version, configuration, command_line, description },
            task,
        };
        WitnessEntry { metadata, content }.identified()
    })
}

fn witness() -> impl Strategy<Value = Witness> {
    prop_oneof![
        entry(true).prop_map(|entry| Witness { entries: vec![entry] }),
        prop::collection::vec(entry(false), 1..3).prop_map(|entries| Witness { entries }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    #[test]
    fn what_is_written_reads_back(witness in witness()) {
        prop_assert_eq!(faults(&witness), []);
        let text = write(&witness);
        let mut sources = SourceMap::new();
        let source = sources.add("w.yml", text.as_str());
        let reading = read(&sources, source).map_err(|faults| TestCaseError::fail(format!("{faults:?}\n{text}")))?;
        prop_assert!(reading.warnings.is_empty(), "{:?}", reading.warnings);
        prop_assert_eq!(&reading.witness, &witness);
        prop_assert_eq!(write(&reading.witness), text);
    }

    /// The uuid is that of the content: it does not change when it is given again, and does when the entry does.
    #[test]
    fn uuids_follow_from_entries(entry in entry(true), other in entry(true)) {
        prop_assert_eq!(&entry.clone().identified(), &entry);
        prop_assert_eq!(entry == other, entry.metadata.uuid == other.metadata.uuid);
    }

    #[test]
    fn sequences_are_stem_and_cycle(entry in entry(true)) {
        let witness = Witness { entries: vec![entry] };
        for segments in witness.sequences() {
            let (stem, cycle) = select::stem_and_cycle(segments);
            prop_assert_eq!(stem.len() + cycle.len(), segments.len());
            prop_assert!(stem.iter().all(|segment| segment.passed().unwrap().action == Action::Follow));
            prop_assert!(cycle.iter().all(|segment| segment.passed().unwrap().action == Action::Cycle));
            prop_assert_eq!(select::target(segments).is_some(), cycle.is_empty());
            for segment in segments {
                prop_assert_eq!(segment.avoided().count() + 1, segment.waypoints.len());
            }
        }
        prop_assert_eq!(witness.invariants().count(), 0);
    }
}
