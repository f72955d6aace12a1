//! Verdicts on the properties of a program, with what supports them: for people and as JSON.

use serde::Serialize;

use crate::counterexample::{self, Counterexample};
use crate::diagnostics::DiagnosticJson;
use crate::semantics::Modes;
use crate::table::wrapped;

/// The verdicts on several properties. This is also the JSON form; where there is one property only, that of
/// [`PropertyVerdict`] is.
#[derive(Serialize, Clone, Debug)]
pub struct Verdicts {
    /// The worst of the properties' verdicts.
    pub verdict: String,
    /// The properties, in the order in which they were given.
    pub properties: Vec<PropertyVerdict>,
}

/// A property and the verdict on it. This is also the JSON form.
#[derive(Serialize, Clone, Debug)]
pub struct PropertyVerdict {
    /// The verdict: `holds`, `violated` or `unknown`.
    pub verdict: String,
    /// Why the verdict is not definite.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The property's name, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Where it was found: `--ltl`, or a file and a line.
    pub origin: String,
    /// The property in canonical form.
    pub property: String,
    /// The assumptions in canonical form.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub assumptions: Vec<String>,
    /// A function whose entry ends an execution, by the competition's rule for `G ! call(f())`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stops_at_call: Option<String>,
    /// The engine that was asked.
    pub engine: String,
    /// Which of its meanings the program was given.
    #[serde(flatten)]
    pub modes: Modes,
    /// Which schedules count: `any`, `weak-fair` or `strong-fair`; absent where there is one thread only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheduler: Option<String>,
    /// The engines that were asked and gave no answer; where the verdict is unknown, all that were asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tried: Vec<TriedEngine>,
    /// One thing to try: where the verdict is unknown, or where a violation hangs on what is observed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// How long it took to come to the verdict, the check of the evidence included.
    pub seconds: f64,
    /// What was measured meanwhile.
    #[serde(serialize_with = "in_order")]
    pub statistics: Vec<(String, ShownFigure)>,
    /// Whether the counts among them are the same every time, so that people may be shown them.
    #[serde(skip)]
    pub is_repeatable: bool,
    /// What supports the verdict; absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// What is assumed of functions without a body and of other things that the program does not show.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub assumed: Vec<String>,
    /// What the user should know of the counterexample.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// What the user should know about how the input was read and how it behaved.
    pub warnings: Vec<DiagnosticJson>,
    /// An execution that violates the property.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counterexample: Option<Counterexample>,
}

/// An engine that gave no answer.
#[derive(Serialize, Clone, PartialEq, Debug)]
pub struct TriedEngine {
    /// The engine.
    pub engine: String,
    /// How long it took.
    pub seconds: f64,
    /// Why it gave no answer.
    pub reason: String,
}

/// A figure.
#[derive(Serialize, Clone, PartialEq, Debug)]
#[serde(untagged)]
pub enum ShownFigure {
    /// A number of things.
    Count(u64),
    /// A measured quantity.
    Quantity(f64),
    /// A word.
    Word(String),
}

/// What supports a verdict.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct Evidence {
    /// Whether the verdict was checked by other means than those that found it.
    pub checked: bool,
    /// By which means; where it was not, what there is.
    pub by: String,
    /// What whoever believes it has to believe besides.
    pub trusted: Vec<String>,
}

fn in_order<S: serde::Serializer>(figures: &[(String, ShownFigure)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(figures.iter().map(|(name, figure)| (name, figure)))
}

impl Verdicts {
    /// The verdicts on these properties, of which there is one at least.
    pub fn new(properties: Vec<PropertyVerdict>) -> Self {
        let has = |verdict: &str| properties.iter().any(|property| property.verdict == verdict);
        let worst = ["violated", "unknown"].into_iter().find(|verdict| has(verdict)).unwrap_or("holds");
        Self { verdict: worst.to_owned(), properties }
    }
}

/// How much is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Detail {
    /// Whether all steps of a counterexample are shown, however many there are.
    pub all_steps: bool,
    /// Whether it is said what has to be trusted besides the evidence.
    pub trusted: bool,
    /// How many columns a line may have.
    pub width: usize,
}

/// The verdicts as text; the last line is the verdict, the worst one where there are several.
pub fn render(verdicts: &Verdicts, detail: Detail) -> String {
    let mut text = String::new();
    if let Some(first) = verdicts.properties.first() {
        text.push_str(&heading(first, detail.width));
    }
    for property in &verdicts.properties {
        text.push('\n');
        text.push_str(&property_text(property, detail));
    }
    if verdicts.properties.len() > 1 {
        let count = |verdict: &str| verdicts.properties.iter().filter(|it| it.verdict == verdict).count();
        let counts = ["holds", "violated", "unknown"].map(|verdict| (verdict, count(verdict)));
        let counts = counts.iter().filter(|(_, count)| *count > 0).map(|(verdict, count)| format!("{count} {verdict}"));
        let counts = counts.collect::<Vec<_>>().join(", ");
        text.push_str(&format!("\n{} properties: {counts}\n", verdicts.properties.len()));
        text.push_str(&format!("verdict: {}\n", verdicts.verdict));
    }
    text
}

/// What all properties have in common.
fn heading(property: &PropertyVerdict, width: usize) -> String {
    let mut words = property.modes.words();
    words.extend(property.scheduler.as_ref().map(|scheduler| match scheduler.as_str() {
        "weak-fair" => "weakly fair schedules only".to_owned(),
        "strong-fair" => "strongly fair schedules only".to_owned(),
        _ => "every schedule counts".to_owned(),
    }));
    let mut text = wrapped(&format!("semantics: {}", words.join(", ")), 2, width);
    for assumption in &property.assumptions {
        text.push_str(&format!("assumption: {assumption}\n"));
    }
    text
}

fn property_text(property: &PropertyVerdict, detail: Detail) -> String {
    let name = property.name.as_ref().map(|name| format!(" {name}")).unwrap_or_default();
    let mut text = format!("property{name}: {}\n  from {}\n", property.property, property.origin);
    if let Some(function) = &property.stops_at_call {
        text.push_str(&format!("  entering `{function}` ends an execution, because the property says nothing else\n"));
    }
    text.push_str(&format!("engine: {}{}\n", property.engine, explored(property)));
    if let Some(counterexample) = &property.counterexample {
        text.push('\n');
        text.push_str(&counterexample::render(counterexample, detail.all_steps, detail.width));
        text.push('\n');
    }
    for note in &property.notes {
        text.push_str(&wrapped(&format!("note: {note}"), 2, detail.width));
    }
    if let Some(evidence) = &property.evidence {
        text.push_str(&format!("evidence: {}\n", evidence.by));
        if detail.trusted && !evidence.trusted.is_empty() {
            text.push_str(&wrapped(&format!("trusted: {}", evidence.trusted.join("; ")), 2, detail.width));
        }
    }
    for assumed in &property.assumed {
        text.push_str(&wrapped(&format!("assumed: {assumed}"), 2, detail.width));
    }
    // Where one engine alone was asked, the verdict says why it gave up.
    if property.verdict == "unknown" && property.tried.len() > 1 {
        for TriedEngine { engine, reason, .. } in &property.tried {
            text.push_str(&wrapped(&format!("{engine}: {reason}"), 2, detail.width));
        }
    }
    if let Some(hint) = &property.hint {
        text.push_str(&wrapped(&format!("try: {hint}"), 2, detail.width));
    }
    let reason = property.reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
    text.push_str(&format!("verdict: {}{reason}\n", property.verdict));
    text
}

/// What was explored, where that does not depend on the machine.
fn explored(property: &PropertyVerdict) -> String {
    let count = |name: &str| {
        property.statistics.iter().find_map(|(known, figure)| match figure {
            ShownFigure::Count(count) if known == name => Some(*count),
            _ => None,
        })
    };
    match (count("states"), count("transitions")) {
        (Some(states), Some(transitions)) if property.is_repeatable => {
            format!(", {} and {} explored", counted(states, "state"), counted(transitions, "transition"))
        }
        _ => String::new(),
    }
}

fn counted(count: u64, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::semantics::tests::usual;

    fn property(verdict: &str, reason: Option<&str>) -> PropertyVerdict {
        PropertyVerdict {
            verdict: verdict.into(),
            reason: reason.map(str::to_owned),
            name: None,
            origin: "--ltl".into(),
            property: "F end".into(),
            assumptions: Vec::new(),
            stops_at_call: None,
            engine: "explicit".into(),
            modes: usual(),
            scheduler: None,
            tried: Vec::new(),
            hint: None,
            seconds: 0.5,
            statistics: vec![("states".into(), ShownFigure::Count(12)), ("transitions".into(), ShownFigure::Count(1))],
            is_repeatable: verdict != "unknown",
            evidence: (verdict != "unknown").then(|| Evidence {
                checked: false,
                by: "12 states".into(),
                trusted: Vec::new(),
            }),
            assumed: Vec::new(),
            notes: Vec::new(),
            warnings: Vec::new(),
            counterexample: None,
        }
    }

    #[test]
    fn the_last_line_is_the_verdict() {
        let expected = "\
semantics: machine integers, LP64, observed at every statement, undefined behaviour ends in `error`

property: F end
  from --ltl
engine: explicit, 12 states and 1 transition explored
evidence: 12 states
verdict: holds
";
        let detail = Detail { all_steps: false, trusted: false, width: 100 };
        assert_eq!(render(&Verdicts::new(vec![property("holds", None)]), detail), expected);
        let unknown = render(&Verdicts::new(vec![property("unknown", Some("time"))]), detail);
        assert!(unknown.ends_with("engine: explicit\nverdict: unknown (time)\n"), "{unknown}");
        let mut given_up = property("unknown", Some("time"));
        let tried =
            |engine: &str, reason: &str| TriedEngine { engine: engine.into(), seconds: 1.0, reason: reason.into() };
        given_up.tried = vec![tried("fairness", "unsupported: threads"), tried("explicit", "time")];
        given_up.hint = Some("a longer `--timeout`".into());
        let unknown = render(&Verdicts::new(vec![given_up]), detail);
        let end = "engine: explicit\nfairness: unsupported: threads\nexplicit: time\ntry: a longer `--timeout`\n\
                   verdict: unknown (time)\n";
        assert!(unknown.ends_with(end), "{unknown}");
    }

    #[test]
    fn of_several_verdicts_the_worst_is_that_of_the_whole() {
        let detail = Detail { all_steps: false, trusted: false, width: 100 };
        for (verdicts, worst) in [
            (vec!["holds", "holds"], "holds"),
            (vec!["holds", "unknown"], "unknown"),
            (vec!["violated", "unknown", "holds"], "violated"),
        ] {
            let all = Verdicts::new(verdicts.iter().map(|verdict| property(verdict, None)).collect());
            assert_eq!(all.verdict, worst);
            let text = render(&all, detail);
            assert!(text.ends_with(&format!("verdict: {worst}\n")), "{text}");
            assert_eq!(text.matches("semantics:").count(), 1);
        }
    }

    #[test]
    fn figures_are_a_flat_object_in_their_order() {
        let mut shown = property("holds", None);
        shown.statistics.push(("bytes_per_state".into(), ShownFigure::Quantity(7.5)));
        shown.statistics.push(("successors".into(), ShownFigure::Word("compiled".into())));
        let json = serde_json::to_string(&shown).unwrap();
        assert!(!json.contains("tried"), "no engine was tried in vain");
        shown.tried.push(TriedEngine { engine: "explicit".into(), seconds: 0.25, reason: "time".into() });
        let json = serde_json::to_string(&shown).unwrap();
        assert!(json.contains(r#""tried":[{"engine":"explicit","seconds":0.25,"reason":"time"}]"#), "{json}");
        let figures = r#""statistics":{"states":12,"transitions":1,"bytes_per_state":7.5,"successors":"compiled"}"#;
        assert!(json.contains(figures), "{json}");
        assert!(
            json.starts_with(r#"{"verdict":"holds","origin":"--ltl","property":"F end","engine":"explicit""#),
            "{json}"
        );
    }
}
