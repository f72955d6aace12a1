//! Parts of a witness by name: the stem and the cycle of a sequence, its target, the invariants of a line. Nothing here
//! looks at a program.

use crate::model::{Action, Content, Invariant, Segment, Waypoint, WaypointType, Witness};

/// What a specification asks for, as far as its text tells.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Specified {
    /// One of the competition's safety properties: a violation is a finite execution.
    Safety,
    /// Termination: a violation is an infinite execution.
    Termination,
    /// Another property, say of general temporal logic.
    Other,
}

/// What a specification asks for. One of several lines (memory safety has three) is a safety property if all are.
pub fn kind(specification: &str) -> Specified {
    let text: String = specification.chars().filter(|character| !character.is_whitespace()).collect();
    let mut checks = text.split("CHECK(");
    if checks.next() != Some("") {
        return Specified::Other;
    }
    let kinds: Vec<Specified> = checks.map(kind_of_check).collect();
    match kinds.first() {
        Some(first) if kinds.iter().all(|kind| kind == first) => *first,
        _ => Specified::Other,
    }
}

/// The kind of a line without spaces and without `CHECK(`, as in `init(main()),LTL(Fend))`.
fn kind_of_check(check: &str) -> Specified {
    let formula = check.split_once(",LTL(").and_then(|(_, rest)| rest.strip_suffix("))"));
    let is_call = |formula: &str| {
        let name = formula.strip_prefix("G!call(").and_then(|rest| rest.strip_suffix("())"));
        name.is_some_and(|name| name.chars().all(|each| each.is_ascii_alphanumeric() || each == '_'))
    };
    match formula {
        Some("Fend") => Specified::Termination,
        Some(
            "G!overflow" | "G!data-race" | "Gvalid-free" | "Gvalid-deref" | "Gvalid-memtrack" | "Gvalid-memcleanup",
        ) => Specified::Safety,
        Some(formula) if is_call(formula) => Specified::Safety,
        _ => Specified::Other,
    }
}

/// The segments of a sequence before its cycle, and those of the cycle. Without a cycle all belong to the stem.
pub fn stem_and_cycle(segments: &[Segment]) -> (&[Segment], &[Segment]) {
    let is_cycle = |segment: &Segment| segment.waypoints.iter().any(|waypoint| waypoint.action == Action::Cycle);
    let first = segments.iter().position(is_cycle).unwrap_or(segments.len());
    segments.split_at(first)
}

/// The target at the end of a sequence.
pub fn target(segments: &[Segment]) -> Option<&Waypoint> {
    let last = segments.last()?.waypoints.last()?;
    (last.waypoint_type == WaypointType::Target).then_some(last)
}

impl Segment {
    /// The waypoint that has to be passed, at the end of the segment.
    pub fn passed(&self) -> Option<&Waypoint> {
        self.waypoints.last().filter(|waypoint| waypoint.action != Action::Avoid)
    }

    /// The waypoints to keep away from until then.
    pub fn avoided(&self) -> impl Iterator<Item = &Waypoint> {
        self.waypoints.iter().filter(|waypoint| waypoint.action == Action::Avoid)
    }
}

impl Witness {
    /// The violation sequences.
    pub fn sequences(&self) -> impl Iterator<Item = &[Segment]> {
        self.entries.iter().filter_map(|entry| match &entry.content {
            Content::ViolationSequence(segments) => Some(segments.as_slice()),
            Content::InvariantSet(_) => None,
        })
    }

    /// The invariants of all entries; their order has no meaning.
    pub fn invariants(&self) -> impl Iterator<Item = &Invariant> {
        self.entries.iter().flat_map(|entry| match &entry.content {
            Content::ViolationSequence(_) => &[],
            Content::InvariantSet(invariants) => invariants.as_slice(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specifications_are_told_apart() {
        for (text, expected) in [
            ("CHECK( init(main()), LTL(F end) )", Specified::Termination),
            ("CHECK( init(main()), LTL(G ! call(reach_error())) )\n", Specified::Safety),
            ("CHECK(init(main()),LTL(G!overflow))", Specified::Safety),
            ("CHECK( init(main()), LTL(G ! data-race) )", Specified::Safety),
            (
                "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )\n\
                 CHECK( init(main()), LTL(G valid-memtrack) )",
                Specified::Safety,
            ),
            ("CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(F end) )", Specified::Other),
            ("CHECK( init(main()), LTL(G (\"x > 0\" ==> F \"y == 0\")) )", Specified::Other),
            ("CHECK( init(main()), LTL(G ! call(f()) && F end) )", Specified::Other),
            ("G ! overflow", Specified::Other),
            ("", Specified::Other),
            ("CHECK(", Specified::Other),
        ] {
            assert_eq!(kind(text), expected, "{text}");
        }
    }
}
