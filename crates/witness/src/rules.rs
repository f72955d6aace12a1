//! The rules of the format, each with a stable code. Those that a witness can break once it has been taken apart are
//! checked here, on the model, so that what is to be written can be checked as well as what was read; those on keys
//! and values are checked where files are taken apart.
//!
//! Rules on segments, actions and cycles are those of the format's text, versions 2.0 and 2.1; CPAchecker's reader
//! insists on the same ones.

use foundation::collections::HashSet;
use foundation::{Diagnostic, Severity};

use crate::forms::{has_backslash, is_comparison_of_result, is_time, is_uuid, last_part, shortened};
use crate::model::{
    Action, Constraint, Content, Format, Invariant, Metadata, Segment, SourcePlace, Version, Waypoint, WaypointType,
    Witness, WitnessEntry,
};
use crate::select::{self, Specified};

/// A rule of the format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FormatRule {
    /// The stable name of the rule, which is the code of its diagnostics.
    pub code: &'static str,
    /// Whether a witness that breaks it is refused.
    pub severity: Severity,
}

/// Every rule of the format.
pub const RULES: &[FormatRule] = &[
    error("witness-yaml"),
    error("witness-too-large"),
    error("witness-too-deep"),
    error("witness-alias"),
    error("witness-tag"),
    error("witness-several-documents"),
    error("witness-empty"),
    error("witness-expected-list"),
    error("witness-expected-mapping"),
    error("witness-expected-text"),
    error("witness-number"),
    error("witness-missing-key"),
    error("witness-duplicate-key"),
    warning("witness-unknown-key"),
    error("witness-entry-type"),
    error("witness-mixed-entries"),
    warning("witness-several-sequences"),
    error("witness-version"),
    warning("witness-unquoted-version"),
    error("witness-uuid"),
    error("witness-creation-time"),
    error("witness-no-input-files"),
    error("witness-hash"),
    error("witness-hash-missing"),
    warning("witness-hash-extra"),
    warning("witness-specification"),
    error("witness-data-model"),
    error("witness-language"),
    error("witness-no-segments"),
    error("witness-empty-segment"),
    error("witness-nothing-to-pass"),
    error("witness-several-to-pass"),
    error("witness-pass-not-last"),
    error("witness-no-end"),
    error("witness-target-action"),
    error("witness-target-not-last"),
    error("witness-target-with-cycle"),
    error("witness-target-for-termination"),
    error("witness-cycle-needs-2-1"),
    error("witness-cycle-interrupted"),
    error("witness-cycle-for-safety"),
    error("witness-waypoint-type"),
    error("witness-action"),
    error("witness-constraint-missing"),
    error("witness-constraint-forbidden"),
    error("witness-branching-value"),
    error("witness-return-form"),
    warning("witness-return-format"),
    error("witness-format"),
    error("witness-format-missing"),
    error("witness-acsl"),
    error("witness-empty-expression"),
    error("witness-extension-in-c"),
    error("witness-extended-needs-2-1"),
    warning("witness-foreign-file"),
    error("witness-invariant-type"),
    error("witness-transition-needs-2-1"),
    error("witness-labels-need-2-1"),
    warning("witness-unknown-label"),
    warning("witness-no-invariants"),
    warning("witness-contract"),
];

const fn error(code: &'static str) -> FormatRule {
    FormatRule { code, severity: Severity::Error }
}

const fn warning(code: &'static str) -> FormatRule {
    FormatRule { code, severity: Severity::Warning }
}

/// A diagnostic of a rule.
pub(crate) fn diagnostic(code: &'static str, message: impl Into<String>) -> Diagnostic {
    let rule = RULES.iter().find(|rule| rule.code == code).expect("every code is that of a rule");
    match rule.severity {
        Severity::Error => Diagnostic::error(code, message),
        Severity::Warning => Diagnostic::warning(code, message),
    }
}

/// A part of a witness.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct At {
    /// Which entry it belongs to.
    pub entry: usize,
    /// Which segment or invariant of the entry, unless it is the entry itself or its metadata.
    pub item: Option<usize>,
    /// Which waypoint of the segment.
    pub waypoint: Option<usize>,
    /// The key in it; empty for the whole of it.
    pub key: &'static str,
}

impl At {
    /// An entry.
    pub fn entry(entry: usize) -> Self {
        Self { entry, ..Self::default() }
    }

    /// A segment or an invariant of this entry.
    #[must_use]
    pub fn item(self, item: usize) -> Self {
        Self { item: Some(item), ..self }
    }

    /// A waypoint of this segment.
    #[must_use]
    pub fn waypoint(self, waypoint: usize) -> Self {
        Self { waypoint: Some(waypoint), ..self }
    }

    /// The value of a key in this part.
    #[must_use]
    pub fn key(self, key: &'static str) -> Self {
        Self { key, ..self }
    }
}

/// A rule that a witness breaks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BrokenRule {
    /// What is wrong, without a place in a text.
    pub diagnostic: Diagnostic,
    /// Which part of the witness breaks the rule.
    pub at: At,
}

/// The rules that a witness breaks. One without errors among them can be written, and reads back as it is.
pub fn faults(witness: &Witness) -> Vec<BrokenRule> {
    let mut check = RuleCheck { faults: Vec::new() };
    if witness.entries.is_empty() {
        check.fault(At::default(), "witness-empty", "the witness has no entries", "a witness has one entry or more");
    }
    for (number, entry) in witness.entries.iter().enumerate() {
        check.entry(At::entry(number), entry);
        let Some(first) = witness.entries.first().filter(|_| number > 0) else { continue };
        let are_violations = [first, entry].map(|entry| matches!(entry.content, Content::ViolationSequence(_)));
        let at = At::entry(number).key("entry_type");
        match are_violations {
            [true, true] => {
                let message = "a violation witness with more than one sequence";
                check.fault(at, "witness-several-sequences", message, "write each sequence to a file of its own");
            }
            [false, false] => {}
            _ => {
                let message = "sequences and invariants in one witness";
                let help = "a witness is for a violation or for correctness; split the file";
                check.fault(at, "witness-mixed-entries", message, help);
            }
        }
    }
    check.faults
}

struct RuleCheck {
    faults: Vec<BrokenRule>,
}

impl RuleCheck {
    fn fault(&mut self, at: At, code: &'static str, message: impl Into<String>, help: &str) {
        self.faults.push(BrokenRule { diagnostic: diagnostic(code, message).help(help), at });
    }

    fn entry(&mut self, at: At, entry: &WitnessEntry) {
        self.metadata(at, &entry.metadata);
        match &entry.content {
            Content::ViolationSequence(segments) => {
                self.sequence(at, segments, &entry.metadata);
                for (number, segment) in segments.iter().enumerate() {
                    for (place, waypoint) in segment.waypoints.iter().enumerate() {
                        self.waypoint(at.item(number).waypoint(place), waypoint, &entry.metadata);
                    }
                }
            }
            Content::InvariantSet(invariants) => {
                if invariants.is_empty() {
                    let help = "a validator learns nothing from it";
                    let at = at.key("content");
                    self.fault(at, "witness-no-invariants", "a correctness witness without invariants", help);
                }
                for (number, invariant) in invariants.iter().enumerate() {
                    self.invariant(at.item(number), invariant, &entry.metadata);
                }
            }
        }
    }

    fn metadata(&mut self, at: At, metadata: &Metadata) {
        let task = &metadata.task;
        if !is_uuid(&metadata.uuid) {
            let message = format!("`{}` is not a uuid", shortened(&metadata.uuid));
            let help = "the form is `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` in hexadecimal";
            self.fault(at.key("uuid"), "witness-uuid", message, help);
        }
        if !is_time(&metadata.creation_time) {
            let message = format!("`{}` is not a time", shortened(&metadata.creation_time));
            let help = "the form is that of ISO 8601, as in `2026-01-31T12:00:00Z`";
            self.fault(at.key("creation_time"), "witness-creation-time", message, help);
        }
        if task.input_files.is_empty() {
            let help = "name the file of the program";
            self.fault(at.key("input_files"), "witness-no-input-files", "a task without input files", help);
        }
        self.hashes(at.key("input_file_hashes"), metadata);
        if !task.specification.trim_start().starts_with("CHECK(") {
            let message = "the specification is not in the notation of property files";
            let help = "the form is `CHECK( init(main()), LTL(…) )`";
            self.fault(at.key("specification"), "witness-specification", message, help);
        }
    }

    fn hashes(&mut self, at: At, metadata: &Metadata) {
        let task = &metadata.task;
        let files: HashSet<&str> = task.input_files.iter().map(String::as_str).collect();
        let mut hashed = HashSet::default();
        for (file, hash) in &task.input_file_hashes {
            let named = shortened(file);
            if hash.len() != 64 || !hash.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                let message = format!("`{}` is not the SHA-256 of `{named}`", shortened(hash));
                self.fault(at, "witness-hash", message, "it has 64 hexadecimal digits");
            }
            if !files.contains(file.as_str()) {
                let message = format!("there is a hash of `{named}`, which is no input file");
                self.fault(at, "witness-hash-extra", message, "it is not looked at; name the file in `input_files`");
            }
            if !hashed.insert(file.as_str()) {
                let message = format!("there are two hashes of `{named}`");
                self.fault(at, "witness-duplicate-key", message, "keep one of them");
            }
        }
        for file in task.input_files.iter().filter(|file| !hashed.contains(file.as_str())) {
            let message = format!("there is no hash of `{}`", shortened(file));
            let help = "`input_file_hashes` has the SHA-256 of every input file, under the same name";
            self.fault(at, "witness-hash-missing", message, help);
        }
    }

    /// The order of segments and actions.
    fn sequence(&mut self, at: At, segments: &[Segment], metadata: &Metadata) {
        if segments.is_empty() {
            let help = "a sequence has one segment or more";
            self.fault(at.key("content"), "witness-no-segments", "a violation sequence without segments", help);
            return;
        }
        for (number, segment) in segments.iter().enumerate() {
            self.segment(at.item(number), segment);
        }
        let waypoints = || {
            let numbered = segments.iter().enumerate();
            numbered.flat_map(|(number, segment)| {
                let places = segment.waypoints.iter().enumerate();
                places.map(move |(place, waypoint)| (number, at.item(number).waypoint(place), waypoint))
            })
        };
        let is_target = |waypoint: &Waypoint| waypoint.waypoint_type == WaypointType::Target;
        let target = waypoints().find(|(_, _, waypoint)| is_target(waypoint));
        let cycle = waypoints().find(|(_, _, waypoint)| waypoint.action == Action::Cycle);
        let kind = select::kind(&metadata.task.specification);
        if let (Some((_, target, _)), Some(_)) = (target, cycle) {
            let message = "a target in a sequence that ends in a cycle";
            let help = "a sequence ends in a target or in a cycle, and not in both";
            self.fault(target.key("type"), "witness-target-with-cycle", message, help);
        } else if cycle.is_none() {
            for (_, at, _) in waypoints().filter(|(number, _, each)| is_target(each) && number + 1 < segments.len()) {
                let help = "only the last segment ends in a target";
                self.fault(at.key("type"), "witness-target-not-last", "a target before the last segment", help);
            }
        }
        if target.is_none() && cycle.is_none() {
            let help = "end it with a waypoint of type `target`, or from version 2.1 on with action `cycle`";
            let last = at.item(segments.len() - 1);
            self.fault(last, "witness-no-end", "the sequence ends neither in a target nor in a cycle", help);
        }
        if let Some((first, at, _)) = cycle {
            let at = at.key("action");
            if metadata.format_version == Version::V2_0 {
                let help = "cycles belong to version 2.1";
                self.fault(at, "witness-cycle-needs-2-1", "a cycle in a witness of version 2.0", help);
            }
            if kind == Specified::Safety {
                let message = "a cycle in a witness against a safety property";
                self.fault(at, "witness-cycle-for-safety", message, "such a sequence ends in a target");
            }
            let is_late = |number: usize, waypoint: &Waypoint| number > first && waypoint.action == Action::Follow;
            let late = waypoints().filter(|(number, _, waypoint)| is_late(*number, waypoint) && !is_target(waypoint));
            for (_, at, _) in late {
                let help = "after the first segment with `cycle` there are only such segments";
                let message = "a segment to follow after the cycle has begun";
                self.fault(at.key("action"), "witness-cycle-interrupted", message, help);
            }
        } else if let (Some((_, at, _)), Specified::Termination) = (target, kind) {
            let message = "a target in a witness against termination";
            let help = "an execution that does not end is a sequence with segments of action `cycle` at its end";
            self.fault(at.key("type"), "witness-target-for-termination", message, help);
        }
    }

    /// The waypoints of one segment: any number to avoid, then one to pass.
    fn segment(&mut self, at: At, segment: &Segment) {
        let passed = |(_, waypoint): &(usize, &Waypoint)| waypoint.action != Action::Avoid;
        let mut passed = segment.waypoints.iter().enumerate().filter(passed).map(|(place, _)| place);
        if segment.waypoints.is_empty() {
            let help = "a segment has one waypoint or more";
            self.fault(at, "witness-empty-segment", "a segment without waypoints", help);
            return;
        }
        let help = "a segment has exactly one waypoint with `follow` or `cycle`, its last one";
        match (passed.next(), passed.next()) {
            (None, _) => self.fault(at, "witness-nothing-to-pass", "a segment that only avoids", help),
            (Some(_), Some(second)) => {
                let at = at.waypoint(second).key("action");
                self.fault(at, "witness-several-to-pass", "a second waypoint to pass in one segment", help);
            }
            (Some(place), None) if place + 1 < segment.waypoints.len() => {
                let at = at.waypoint(place).key("action");
                self.fault(at, "witness-pass-not-last", "the waypoint to pass is not the last of its segment", help);
            }
            _ => {}
        }
    }

    fn waypoint(&mut self, at: At, waypoint: &Waypoint, metadata: &Metadata) {
        let kind = waypoint.waypoint_type;
        self.location(at, &waypoint.location, metadata);
        if kind == WaypointType::Target && waypoint.action != Action::Follow {
            let message = format!("a target to {}", waypoint.action);
            self.fault(at.key("action"), "witness-target-action", message, "a target has the action `follow`");
        }
        match (kind, &waypoint.constraint) {
            (WaypointType::Target | WaypointType::FunctionEnter, Some(_)) => {
                let message = format!("a waypoint of type `{kind}` with a constraint");
                let help = "remove it; only other types of waypoints have one";
                self.fault(at.key("constraint"), "witness-constraint-forbidden", message, help);
            }
            (WaypointType::Assumption | WaypointType::Branching, None) => {
                let message = format!("a waypoint of type `{kind}` without a constraint");
                self.fault(at, "witness-constraint-missing", message, "add the key `constraint`");
            }
            (WaypointType::Branching, Some(constraint)) => self.branch(at, constraint),
            (_, Some(constraint)) => self.constraint(at, kind, constraint, metadata.format_version),
            (_, None) => {}
        }
    }

    fn branch(&mut self, at: At, constraint: &Constraint) {
        let value = constraint.value.as_str();
        let digits = value.strip_prefix('-').unwrap_or(value);
        let is_integer = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if !is_integer && !matches!(value, "true" | "false" | "default") {
            let message = format!("`{}` is not a way that a branching can go", shortened(value));
            let help = "it is `true` or `false`, of a `switch` an integer or `default`";
            self.fault(at.key("value"), "witness-branching-value", message, help);
        }
    }

    fn constraint(&mut self, at: At, kind: WaypointType, constraint: &Constraint, version: Version) {
        let Constraint { value, format } = constraint;
        let is_return = kind == WaypointType::FunctionReturn;
        let Some(format) = *format else {
            let message = "a constraint without a format";
            let usual = if is_return { Format::of_returned_values(version) } else { Format::CExpression };
            let help = format!("add `format: {usual}`");
            self.fault(at.key("constraint"), "witness-format-missing", message, &help);
            return;
        };
        if !is_return {
            self.expression(at, value, format, version);
            return;
        }
        let usual = Format::of_returned_values(version);
        if format != usual {
            let message = format!("a condition on a returned value in the format `{format}`");
            let help = format!("in version {version} it has the format `{usual}`");
            self.fault(at.key("format"), "witness-return-format", message, &help);
        }
        if version == Version::V2_0 && !is_comparison_of_result(value) {
            let message = format!("`{}` is not a comparison of `\\result`", shortened(value));
            let help = "in version 2.0 the form is `\\result == 5`, with any of `==`, `!=`, `<=`, `<`, `>`, `>=`";
            self.fault(at.key("value"), "witness-return-form", message, help);
        } else if value.trim().is_empty() {
            self.fault(
                at.key("value"),
                "witness-empty-expression",
                "an empty expression",
                "write `1` for no condition",
            );
        }
    }

    fn invariant(&mut self, at: At, invariant: &Invariant, metadata: &Metadata) {
        let version = metadata.format_version;
        self.location(at, &invariant.location, metadata);
        self.expression(at, &invariant.value, invariant.format, version);
        if version != Version::V2_0 {
            return;
        }
        if invariant.invariant_type.is_transition() {
            let message = format!("a `{}` in a witness of version 2.0", invariant.invariant_type);
            let help = "transition invariants belong to version 2.1";
            self.fault(at.key("type"), "witness-transition-needs-2-1", message, help);
        }
        if invariant.inductive {
            let help = "labels belong to version 2.1";
            self.fault(at.key("labels"), "witness-labels-need-2-1", "a label in a witness of version 2.0", help);
        }
    }

    fn expression(&mut self, at: At, value: &str, format: Format, version: Version) {
        if value.trim().is_empty() {
            self.fault(
                at.key("value"),
                "witness-empty-expression",
                "an empty expression",
                "write `1` for no condition",
            );
        }
        match format {
            Format::CExpression if has_backslash(value) => {
                let message = "a keyword with a backslash in the format `c_expression`";
                let help = "`\\result` and `\\at` belong to the format `ext_c_expression`";
                self.fault(at.key("value"), "witness-extension-in-c", message, help);
            }
            Format::ExtCExpression if version == Version::V2_0 => {
                let message = "the format `ext_c_expression` in a witness of version 2.0";
                let help = "it belongs to version 2.1";
                self.fault(at.key("format"), "witness-extended-needs-2-1", message, help);
            }
            Format::AcslExpression => {
                let message = "the format `acsl_expression` for something other than a returned value";
                self.fault(at.key("format"), "witness-acsl", message, "write `c_expression`");
            }
            _ => {}
        }
    }

    fn location(&mut self, at: At, location: &SourcePlace, metadata: &Metadata) {
        for (key, number) in [("line", Some(location.line)), ("column", location.column)] {
            if number == Some(0) {
                let help = "lines and columns count from 1";
                self.fault(at.key(key), "witness-number", format!("there is no {key} 0"), help);
            }
        }
        let name = last_part(&location.file_name);
        if !metadata.task.input_files.iter().any(|file| last_part(file) == name) {
            let message = format!("`{}` is no input file of the task", shortened(&location.file_name));
            let help = "locations are places in the files that `input_files` names";
            self.fault(at.key("file_name"), "witness-foreign-file", message, help);
        }
    }
}
