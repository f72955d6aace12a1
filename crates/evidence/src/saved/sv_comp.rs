//! A counterexample as a violation witness of the software verification competition, version 2.1: the stem as segments
//! with `follow`, the loop as segments with `cycle`. `docs/witness-format.md` has the format.
//!
//! A waypoint `function_return` says what an input was, at the closing parenthesis of its call. A waypoint `assumption`
//! says what the variables held that the property names, just before a statement was executed. An execution without a
//! loop ends in a `target`. The format knows no general temporal logic: the formula stands in `specification`.

use certify::{Closing, Replayed, ReplayedInput};
use foundation::{SourceMap, Span};
use program::EdgeId;
use program::semantics::describe::value_text;
use program::semantics::{Change, Observation, Occasion, RunEnd, Value};
use subject::{Input as File, Request, Subject};
use witness::{
    Action, Constraint, Content, DataModel, Format, Language, Metadata, Producer, Segment, SourcePlace, Version,
    Waypoint, WaypointType, Witness, WitnessEntry,
};

use super::{Found, entry_name};

/// The witness of a counterexample that was replayed. The hashes are those of the request's files, in order; the time is
/// that of now, in the form of ISO 8601.
pub fn as_sv_comp(
    found: Found<'_>,
    hashes: &[String],
    replayed: &Replayed,
    sources: &SourceMap,
    created: String,
) -> Witness {
    let Found { request, subject, property, .. } = found;
    let metadata = metadata(request, subject, property, hashes, created);
    let content = Content::ViolationSequence(WitnessTeller { subject, replayed, sources }.segments());
    Witness { entries: vec![WitnessEntry { metadata, content }.identified()] }
}

/// Who says what of which program: what the entries of all witnesses begin with.
pub fn metadata(request: &Request, subject: &Subject, property: usize, hashes: &[String], created: String) -> Metadata {
    let name = |file: &File| match file {
        File::File(name) | File::Text { name, .. } => name.clone(),
    };
    let input_files: Vec<String> = request.files.iter().map(name).collect();
    Metadata {
        format_version: Version::V2_1,
        uuid: String::new(),
        creation_time: created,
        producer: Producer {
            name: "Semper".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            ..Producer::default()
        },
        task: witness::WitnessTask {
            input_file_hashes: input_files.iter().cloned().zip(hashes.iter().cloned()).collect(),
            input_files,
            specification: specification(subject, property),
            data_model: match request.data_model {
                program::DataModel::Lp64 => DataModel::Lp64,
                program::DataModel::Ilp32 => DataModel::Ilp32,
            },
            language: Language::C,
        },
    }
}

/// The property in the form of the competition.
pub fn specification(subject: &Subject, property: usize) -> String {
    let formula = subject.formulas.display(subject.properties[property].goal);
    format!("CHECK( init({}()), LTL({formula}) )", entry_name(&subject.program))
}

/// More steps than this are not told one by one; the inputs always are.
const MOST_STEPS: usize = 10_000;

struct WitnessTeller<'a> {
    subject: &'a Subject,
    replayed: &'a Replayed,
    sources: &'a SourceMap,
}

impl WitnessTeller<'_> {
    fn segments(&self) -> Vec<Segment> {
        let run = &self.replayed.run;
        let start = match run.end {
            RunEnd::Lasso { start } => start,
            _ => run.observations.len(),
        };
        let mut segments = Vec::new();
        for (at, observation) in run.observations.iter().enumerate().take(MOST_STEPS) {
            let action = if at < start { Action::Follow } else { Action::Cycle };
            let waypoints =
                self.assumption(at, observation, action).into_iter().chain(self.inputs(at, observation, action));
            segments.extend(waypoints.map(|waypoint| Segment { waypoints: vec![waypoint] }));
        }
        let has_cycle = segments.iter().any(|segment| segment.waypoints[0].action == Action::Cycle);
        // Something must stand in the loop, and at the end where there is none.
        let last = match run.end {
            RunEnd::Lasso { start } if !has_cycle => {
                self.anything(&run.observations[start..], WaypointType::Assumption)
            }
            RunEnd::Lasso { .. } => None,
            RunEnd::Silent => self.anything(&run.observations, WaypointType::Assumption),
            _ => self.anything(&run.observations, WaypointType::Target),
        };
        segments.extend(last.map(|waypoint| Segment { waypoints: vec![waypoint] }));
        segments
    }

    /// What the property's variables held before a statement.
    fn assumption(&self, at: usize, observation: &Observation, action: Action) -> Option<Waypoint> {
        let is_moving = matches!(self.replayed.closing, Closing::Growing { .. } | Closing::Recurrent { .. });
        let is_growing = is_moving && action == Action::Cycle;
        let before = self.replayed.values.get(at.checked_sub(1)?)?;
        let span = observation.span.filter(|_| matches!(observation.occasion, Occasion::Edge(_)))?;
        if is_growing || !self.is_statement(span) {
            return None;
        }
        let function = self.function(observation)?;
        let parts: Vec<String> = before.iter().filter_map(|part| equation(part, &function)).collect();
        let value = Some(parts.join(" && ")).filter(|value| !value.is_empty())?;
        let constraint = Some(Constraint { value, format: Some(Format::CExpression) });
        let location = self.location(span, true, Some(function));
        Some(Waypoint { waypoint_type: WaypointType::Assumption, action, constraint, location })
    }

    /// The inputs that were asked for on the way to an observation.
    fn inputs(&self, at: usize, observation: &Observation, action: Action) -> Vec<Waypoint> {
        let Some(span) = observation.span else { return Vec::new() };
        let inputs = self.replayed.inputs.iter().filter(|input| input.observed == at && !input.uninitialised);
        let waypoint = |input: &ReplayedInput| {
            let value = number(&input.value, self)?;
            let constraint = Constraint { value: format!("\\result == {value}"), format: Some(Format::ExtCExpression) };
            let closing = self.closing_parenthesis(span, &input.name);
            let location = self.location(closing.unwrap_or(span), closing.is_some(), self.function(observation));
            let waypoint_type = WaypointType::FunctionReturn;
            Some(Waypoint { waypoint_type, action, constraint: Some(constraint), location })
        };
        inputs.filter_map(waypoint).collect()
    }

    /// A waypoint without a condition at the last of some observations that has a place.
    fn anything(&self, observations: &[Observation], waypoint_type: WaypointType) -> Option<Waypoint> {
        let (observation, span) = observations.iter().rev().find_map(|it| Some((it, it.span?)))?;
        let location = self.location(span, true, self.function(observation));
        let constraint = Constraint { value: "1".to_owned(), format: Some(Format::CExpression) };
        Some(match waypoint_type {
            WaypointType::Target => Waypoint { waypoint_type, action: Action::Follow, constraint: None, location },
            _ => Waypoint { waypoint_type, action: Action::Cycle, constraint: Some(constraint), location },
        })
    }

    fn function(&self, observation: &Observation) -> Option<String> {
        let program = &self.subject.program;
        let edge = |edge: EdgeId| program.locations[program.edges[edge].from].function;
        let function = observation.edge.map(edge).or(observation.function)?;
        Some(program.functions[function].name.clone())
    }

    fn location(&self, span: Span, has_column: bool, function: Option<String>) -> SourcePlace {
        let snippet = self.sources.snippet(span);
        let column = (has_column && !snippet.preprocessed).then_some(snippet.location.column);
        SourcePlace { file_name: snippet.location.file, line: snippet.location.line, column, function }
    }

    /// Whether a place is a whole expression statement, so that something can be said of the state before it.
    fn is_statement(&self, span: Span) -> bool {
        let text = self.sources.text(span.source);
        let (before, after) = (text[..span.start as usize].trim_end(), text[span.end as usize..].trim_start());
        let follows = before.ends_with([';', '{', '}', ')', ':']) || before.ends_with("else") || before.ends_with("do");
        follows && after.starts_with(';')
    }

    /// The parenthesis that closes the only call of a function in a piece of text.
    fn closing_parenthesis(&self, span: Span, name: &str) -> Option<Span> {
        let text = self.sources.snippet_text(span);
        let mut calls = text.match_indices(name);
        let (at, _) = calls.next()?;
        if calls.next().is_some() {
            return None;
        }
        let mut depth = 0u32;
        for (offset, byte) in text.bytes().enumerate().skip(at + name.len()) {
            match byte {
                b'(' => depth += 1,
                b')' if depth == 1 => {
                    let start = span.start + offset as u32;
                    return Some(Span { source: span.source, start, end: start + 1 });
                }
                b')' => depth = depth.checked_sub(1)?,
                byte if depth == 0 && !byte.is_ascii_whitespace() => return None,
                _ => {}
            }
        }
        None
    }
}

/// `x == 5`, where a part of memory has a name in a function and its value is a number.
fn equation(part: &Change, function: &str) -> Option<String> {
    let name = match part.name.split_once("::") {
        None => part.name.as_str(),
        // Of several variables of one name in a function, the name alone would say another one.
        Some((owner, local)) if owner == function && !local.contains("::") => local,
        Some(_) => return None,
    };
    let value = match part.value.as_str() {
        "true" => "1",
        "false" => "0",
        number => number,
    };
    let digits = value.strip_prefix('-').unwrap_or(value);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && !name.contains('+')).then(|| format!("{name} == {value}"))
}

/// A value as a C expression.
fn number(value: &Value, teller: &WitnessTeller<'_>) -> Option<String> {
    match value {
        Value::Bool(value) => Some(u8::from(*value).to_string()),
        Value::Int(value) => Some(value.to_string()),
        Value::Float(bits) if f64::from_bits(*bits).is_finite() => {
            Some(value_text(&teller.subject.program, &Value::Float(*bits)))
        }
        Value::Float(_) => None,
        Value::Pointer(program::semantics::Pointer::Null) => Some("0".to_owned()),
        Value::Pointer(_) => None,
    }
}
