//! What `semper ltl` says of a formula, for people and as JSON.

use serde::Serialize;

use crate::automaton::{AutomatonJson, counted};

/// A formula, what was found out about it, and an automaton. This is also the JSON form; what is absent was not found
/// out, and `unknown` says why.
#[derive(Serialize, Clone, Debug)]
pub struct FormulaReport {
    /// The formula as it was understood.
    pub formula: String,
    /// An equivalent formula that is shorter, in negation normal form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simplified: Option<String>,
    /// Its atoms.
    pub atoms: Vec<String>,
    /// The classes of properties that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classes: Option<ClassesJson>,
    /// The verdicts on finite traces, from the worst to the best.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bounded_verdicts: Vec<BoundedJson>,
    /// The automaton that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub automaton: Option<FormulaAutomaton>,
    /// Questions that were not answered, with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<UnknownJson>,
}

/// Classes of temporal properties. What is absent is not known.
#[derive(Serialize, Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClassesJson {
    /// A word that violates it has a finite prefix that no word satisfying it has.
    pub safety: bool,
    /// A word that satisfies it has a finite prefix that no word violating it has; also called guarantee.
    pub co_safety: bool,
    /// It is a Boolean combination of safety properties.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub obligation: Option<bool>,
    /// A deterministic Büchi automaton recognises it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recurrence: Option<bool>,
    /// A deterministic Büchi automaton recognises its negation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub persistence: Option<bool>,
    /// Every finite word can be continued to one that satisfies it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub liveness: Option<bool>,
    /// Repeating a letter makes no difference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stutter_invariant: Option<bool>,
}

/// A verdict on finite traces.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct BoundedJson {
    /// `false`, `presumably false`, `presumably true` or `true`.
    pub verdict: String,
    /// Whether some finite trace has it; absent where it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub possible: Option<bool>,
    /// A shortest trace that has it: for each position the atoms that hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub example: Option<Vec<Vec<String>>>,
}

/// An automaton, and what it is the automaton of.
#[derive(Serialize, Clone, Debug)]
pub struct FormulaAutomaton {
    /// `formula` or `negation`.
    pub of: &'static str,
    /// The formula that it was made from, simplified.
    pub formula: String,
    /// `tgba`, `buchi` or `state-buchi`.
    pub kind: &'static str,
    /// How many states and edges each stage of the translation had.
    pub sizes: Vec<StageJson>,
    /// The automaton.
    #[serde(flatten)]
    pub automaton: AutomatonJson,
    /// The same in words.
    #[serde(skip)]
    pub text: AutomatonText,
}

/// An automaton in words.
#[derive(Clone, Debug, Default)]
pub struct AutomatonText {
    /// Its size and its kind.
    pub summary: String,
    /// The automaton state by state.
    pub states: String,
}

/// The size of an automaton on the way.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct StageJson {
    /// Which stage.
    pub stage: &'static str,
    /// Its states.
    pub states: usize,
    /// Its edges.
    pub edges: usize,
}

/// A question without an answer.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct UnknownJson {
    /// What was asked.
    pub question: &'static str,
    /// Why there is no answer: `time`, `memory`, `cancelled`, or what is too large.
    pub reason: String,
}

/// The report as text.
pub fn render(report: &FormulaReport) -> String {
    let mut lines = Vec::new();
    let mut line = |name: &str, value: &str| lines.push(format!("{name:<13}{value}"));
    line("formula:", &report.formula);
    if let Some(simplified) = &report.simplified {
        line("simplified:", simplified);
    }
    if let Some(classes) = &report.classes {
        for (name, answer) in [("classes:", Some(true)), ("not:", Some(false)), ("not known:", None)] {
            let words = class_words(classes, answer);
            if !words.is_empty() {
                line(name, &words.join(", "));
            }
        }
    }
    for unknown in &report.unknown {
        line("unknown:", &format!("{} ({})", unknown.question, unknown.reason));
    }
    if !report.bounded_verdicts.is_empty() {
        lines.push(String::new());
        lines.push("on finite traces, with the last letter repeated where the future is open:".to_owned());
        lines.extend(report.bounded_verdicts.iter().map(bounded_text));
    }
    if let Some(automaton) = &report.automaton {
        lines.push(String::new());
        let mut line = |name: &str, value: &str| lines.push(format!("{name:<13}{value}"));
        line("automaton:", &automaton.text.summary);
        if automaton.of == "negation" {
            line("of:", &format!("the negation, {}", automaton.formula));
        }
        line("strength:", strength_text(automaton.automaton.strength));
        line("sizes:", &sizes_text(&automaton.sizes));
        lines.extend(automaton.text.states.lines().map(str::to_owned));
    }
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// The names of the classes for which the question has this answer.
fn class_words(classes: &ClassesJson, answer: Option<bool>) -> Vec<&'static str> {
    let all = [
        ("safety", Some(classes.safety)),
        ("co-safety", Some(classes.co_safety)),
        ("obligation", classes.obligation),
        ("recurrence", classes.recurrence),
        ("persistence", classes.persistence),
        ("liveness", classes.liveness),
        ("stutter-invariant", classes.stutter_invariant),
    ];
    all.into_iter().filter(|(_, known)| *known == answer).map(|(name, _)| name).collect()
}

fn strength_text(strength: &str) -> &'static str {
    match strength {
        "rejecting" => "rejecting: nothing is accepted",
        "terminal" => "terminal: once in an accepting component, any rest of the word is accepted",
        "weak" => "weak: every run that stays in an accepting component is accepted",
        _ => "strong: of the runs that stay in a component, some are accepted and others are not",
    }
}

fn sizes_text(sizes: &[StageJson]) -> String {
    let size =
        |size: &StageJson| format!("{} {}, {}", size.stage, counted(size.states, "state"), counted(size.edges, "edge"));
    sizes.iter().map(size).collect::<Vec<_>>().join("; ")
}

fn bounded_text(bounded: &BoundedJson) -> String {
    let answer = match (&bounded.example, bounded.possible) {
        (Some(trace), _) => {
            let letters: Vec<String> = trace.iter().map(|atoms| format!("{{{}}}", atoms.join(", "))).collect();
            format!("possible, as on {}", letters.join(" "))
        }
        (None, Some(false)) => "never".to_owned(),
        (None, _) => "not known".to_owned(),
    };
    format!("  {:<18}{answer}", bounded.verdict)
}
