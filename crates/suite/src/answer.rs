//! What the process of a task says: its JSON, its exit status, and how it ended, as one answer.
//!
//! A verdict counts only where everything agrees: the process ended by itself, what it printed is complete, and the exit
//! status says the same as the verdict. Anything else is an error, which is not an answer.

use foundation::Exhausted;
use host::{Ending, Watched};
use report::suite::EvidenceReport;
use serde::Deserialize;

/// The answer of a process.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct ProcessAnswer {
    /// What it found; nothing if it gave no answer.
    pub verdict: Option<Verdict>,
    /// Why there is no definite verdict.
    pub reason: Option<String>,
    pub engine: Option<String>,
    pub evidence: Option<EvidenceReport>,
    pub statistics: Option<serde_json::Value>,
}

/// A verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    Holds,
    Violated,
    Unknown,
}

impl Verdict {
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Violated => "violated",
            Verdict::Unknown => "unknown",
        }
    }

    /// The exit status of `semper check` with this verdict.
    fn status(self) -> i32 {
        match self {
            Verdict::Holds => 0,
            Verdict::Violated => 1,
            Verdict::Unknown => 3,
        }
    }
}

impl ProcessAnswer {
    /// No answer, for a reason.
    pub fn error(reason: impl Into<String>) -> Self {
        Self { reason: Some(reason.into()), ..Self::default() }
    }

    /// Reads the answer of a process that has ended.
    pub fn of(watched: &Watched) -> Self {
        match watched.ending {
            Ending::Exited(status) => by_itself(status, watched),
            Ending::Stopped(exhausted) => Self {
                verdict: Some(Verdict::Unknown),
                reason: Some(match exhausted {
                    Exhausted::Cancelled => exhausted.to_string(),
                    _ => format!("{exhausted} (ended by force)"),
                }),
                ..Self::default()
            },
            Ending::Signalled(signal) => Self::error(signal_name(signal)),
            Ending::TooMuchOutput => Self::error("it printed too much"),
        }
    }
}

fn by_itself(status: i32, watched: &Watched) -> ProcessAnswer {
    if status == BAD_INPUT {
        return ProcessAnswer::error(refusal(watched));
    }
    let Ok(printed) = serde_json::from_slice::<PrintedAnswer>(&watched.stdout) else {
        let said = first_line(&watched.stderr).map_or_else(|| "it printed no answer".to_owned(), str::to_owned);
        return ProcessAnswer::error(format!("{said} (exit status {status})"));
    };
    let verdict = match printed.verdict.as_str() {
        "holds" => Verdict::Holds,
        "violated" => Verdict::Violated,
        _ => Verdict::Unknown,
    };
    if verdict.status() != status {
        return ProcessAnswer::error(format!(
            "the verdict `{}` does not go with exit status {status}",
            printed.verdict
        ));
    }
    let reason = (verdict == Verdict::Unknown).then(|| match printed.verdict.as_str() {
        "unknown" => printed.find(|part| part.reason.clone()).unwrap_or_else(|| "no reason".to_owned()),
        // A presumption, which is less than a verdict.
        presumption => presumption.to_owned(),
    });
    ProcessAnswer {
        verdict: Some(verdict),
        reason,
        engine: printed.find(|part| part.engine.clone()),
        evidence: if verdict == Verdict::Unknown { None } else { Some(printed.evidence(verdict)) },
        statistics: printed.find(|part| part.statistics.clone()),
    }
}

/// The exit status for input that is refused.
const BAD_INPUT: i32 = 2;

/// What `semper check --format json` prints, as far as it matters here: of the whole, and of each property in the same
/// form. What is the same for all properties may stand outside or with each of them.
#[derive(Deserialize)]
struct PrintedAnswer {
    verdict: String,
    reason: Option<String>,
    engine: Option<String>,
    evidence: Option<PrintedEvidence>,
    statistics: Option<serde_json::Value>,
    #[serde(default)]
    properties: Vec<PrintedAnswer>,
}

#[derive(Deserialize)]
struct PrintedEvidence {
    checked: bool,
    by: Option<String>,
}

impl PrintedAnswer {
    /// Something that is said of the whole, or else of a property that decides the verdict of the whole.
    fn find<T>(&self, look: impl Fn(&PrintedAnswer) -> Option<T>) -> Option<T> {
        std::iter::once(self).chain(self.decisive()).find_map(look)
    }

    fn decisive(&self) -> impl Iterator<Item = &PrintedAnswer> {
        self.properties.iter().filter(|property| property.verdict == self.verdict)
    }

    /// The evidence for the whole: one checked violation is enough, but all that holds must be checked.
    fn evidence(&self, verdict: Verdict) -> EvidenceReport {
        let all: Vec<Option<&PrintedEvidence>> = match &self.evidence {
            Some(evidence) => vec![Some(evidence)],
            None => self.decisive().map(|property| property.evidence.as_ref()).collect(),
        };
        let is_checked = |evidence: &Option<&PrintedEvidence>| evidence.is_some_and(|evidence| evidence.checked);
        let checked = match verdict {
            Verdict::Holds => !all.is_empty() && all.iter().all(is_checked),
            _ => all.iter().any(is_checked),
        };
        let shown = all.iter().filter(|evidence| is_checked(evidence) == checked).flatten().next();
        EvidenceReport { checked, by: shown.and_then(|evidence| evidence.by.clone()) }
    }
}

/// Why the input was refused: the first error, as JSON or as a line.
fn refusal(watched: &Watched) -> String {
    #[derive(Deserialize)]
    struct Refusal {
        errors: Vec<Fault>,
    }
    #[derive(Deserialize)]
    struct Fault {
        message: String,
        place: Option<AnswerPlace>,
    }
    #[derive(Deserialize)]
    struct AnswerPlace {
        file: String,
        line: u32,
    }
    let refusal = serde_json::from_slice::<Refusal>(&watched.stdout).ok();
    let Some(first) = refusal.as_ref().and_then(|refusal| refusal.errors.first()) else {
        return first_line(&watched.stderr).unwrap_or("the input was refused").to_owned();
    };
    let place = first.place.as_ref().map(|place| format!("{}:{}: ", place.file, place.line)).unwrap_or_default();
    format!("{place}{}", first.message)
}

fn first_line(text: &str) -> Option<&str> {
    text.lines().map(str::trim).find(|line| !line.is_empty())
}

fn signal_name(signal: i32) -> String {
    let name = match signal {
        4 => "illegal instruction",
        6 => "abort",
        7 => "bus error",
        8 => "arithmetic error",
        9 => "kill; perhaps the system is out of memory",
        11 => "segmentation fault",
        15 => "request to end",
        _ => return format!("it was ended by signal {signal}"),
    };
    format!("it was ended by signal {signal} ({name})")
}

#[cfg(test)]
mod tests {
    use host::Usage;

    use super::*;

    fn answer(ending: Ending, stdout: &str, stderr: &str) -> String {
        let stdout = stdout.as_bytes().to_owned();
        let answer = ProcessAnswer::of(&Watched { ending, stdout, stderr: stderr.to_owned(), usage: Usage::default() });
        let mut words = vec![answer.verdict.map_or("error", Verdict::word).to_owned()];
        words.extend(answer.reason);
        words.extend(answer.engine);
        let by = |evidence: &EvidenceReport| evidence.by.clone().unwrap_or_default();
        words.extend(answer.evidence.map(|it| format!("{} {}", if it.checked { "checked" } else { "bare" }, by(&it))));
        words.join(" | ")
    }

    #[test]
    fn answers_are_read_as_printed() {
        let checked = r#""evidence": {"checked": true, "by": "replay"}"#;
        let bare = r#""evidence": {"checked": false}"#;
        for (status, printed, expected) in [
            (0, format!(r#"{{"verdict": "holds", "engine": "explicit", {bare}}}"#), "holds | explicit | bare "),
            (1, format!(r#"{{"verdict": "violated", {checked}, "more": [1]}}"#), "violated | checked replay"),
            (3, r#"{"verdict": "unknown", "reason": "time"}"#.into(), "unknown | time"),
            (3, r#"{"verdict": "unknown"}"#.into(), "unknown | no reason"),
            (3, r#"{"verdict": "presumably holds"}"#.into(), "unknown | presumably holds"),
            // Several properties: all must hold, one violation is enough, and the reason is that of the undecided one.
            (
                0,
                format!(
                    r#"{{"verdict": "holds", "properties": [{{"verdict": "holds", {checked}}},
                {{"verdict": "holds", {bare}}}]}}"#
                ),
                "holds | bare ",
            ),
            (
                0,
                format!(
                    r#"{{"verdict": "holds", "properties": [{{"verdict": "holds", {checked}}},
                {{"verdict": "holds", {checked}}}]}}"#
                ),
                "holds | checked replay",
            ),
            (
                1,
                format!(
                    r#"{{"verdict": "violated", "properties": [{{"verdict": "holds", "engine": "a", {bare}}},
                {{"verdict": "violated", {bare}}}, {{"verdict": "violated", "engine": "b", {checked}}}]}}"#
                ),
                "violated | b | checked replay",
            ),
            (
                3,
                r#"{"verdict": "unknown", "properties": [{"verdict": "holds"},
                {"verdict": "unknown", "reason": "memory"}]}"#
                    .into(),
                "unknown | memory",
            ),
            (0, r#"{"verdict": "holds"}"#.into(), "holds | bare "),
        ] {
            assert_eq!(answer(Ending::Exited(status), &printed, ""), expected, "{printed}");
        }
    }

    #[test]
    fn what_does_not_agree_is_no_answer() {
        let holds = r#"{"verdict": "holds"}"#;
        for (ending, stdout, stderr, expected) in [
            (Ending::Exited(1), holds, "", "the verdict `holds` does not go with exit status 1"),
            (Ending::Exited(0), r#"{"verdict": "unknown"}"#, "", "does not go with exit status 0"),
            (Ending::Exited(0), "", "", "it printed no answer (exit status 0)"),
            (Ending::Exited(0), r#"{"verdict": "hol"#, "", "it printed no answer"),
            (Ending::Exited(3), "", "\nsemper: internal error: x\nmore\n", "internal error: x (exit status 3)"),
            (
                Ending::Exited(2),
                r#"{"errors": [{"message": "m", "place": {"file": "a.c", "line": 3}}]}"#,
                "",
                "a.c:3: m",
            ),
            (Ending::Exited(2), r#"{"errors": [{"message": "m"}, {"message": "n"}]}"#, "", "m"),
            (Ending::Exited(2), "", "error: usage\n", "error: usage"),
            (Ending::Exited(2), holds, "", "the input was refused"),
            (Ending::Signalled(9), holds, "", "it was ended by signal 9"),
            (Ending::Signalled(64), holds, "", "it was ended by signal 64"),
            (Ending::TooMuchOutput, holds, "", "it printed too much"),
        ] {
            let answer = answer(ending, stdout, stderr);
            assert!(answer.starts_with("error | ") && answer.contains(expected), "{ending:?} {stdout}: {answer}");
        }
    }

    #[test]
    fn an_end_by_force_is_unknown_even_after_an_answer() {
        for (why, expected) in [
            (Exhausted::Time, "unknown | time (ended by force)"),
            (Exhausted::Memory, "unknown | memory (ended by force)"),
            (Exhausted::Cancelled, "unknown | cancelled"),
        ] {
            assert_eq!(answer(Ending::Stopped(why), r#"{"verdict": "holds"}"#, ""), expected);
        }
    }
}
