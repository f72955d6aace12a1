//! Vacuity: whether a property holds for a trivial reason.
//!
//! A property that holds may say less than its author believes: what it makes a condition of never happens, or the
//! program has no execution at all because every run is blocked. For each such reason there is a stronger goal that holds
//! exactly if the reason is the case (`suspects`); the engine that decided the property is asked for it, for a small
//! part of the time. What comes of it is a warning; the verdict is never touched, and where the engine does not know,
//! nothing is said.

mod blocked;
mod place;
mod suspects;

use automata::ltl::{Binary, Formula, Formulas, Node};
use check::{CheckedOutcome, CheckedVerdict, Settings, prepare};
use foundation::{Budget, Diagnostic, Diagnostics, SourceMap, Span};
use subject::{Property, Subject};
use task::registry::{Chosen, Decides};
use task::{Board, Engine, Goal, Setup, Task, Verdict};

use blocked::{Blocked, find_blocked};
use suspects::{AskedAt, Occurrence, Suspect, Why, atoms_written, each_suspect};

/// The stable name of these warnings.
const CODE: &str = "vacuous";

/// The search is no more work than this, a second's about, and no more than twice the work of the verdict; but a little
/// in any case. Work is counted, not timed, so that the same command warns of the same things on every machine.
const MOST_WORK: u64 = 1_000_000;
const LEAST_WORK: u64 = 400_000;

/// More suspicions than this are not looked into.
const MOST_SUSPECTS: usize = 16;

/// Warns where a property with the verdict *holds* does so for a trivial reason.
pub fn vacuity(
    subject: &Subject,
    property: usize,
    outcome: &CheckedOutcome,
    settings: &Settings,
    sources: &SourceMap,
    budget: &Budget,
) -> Diagnostics {
    let limit = outcome.work.saturating_mul(2).clamp(LEAST_WORK, MOST_WORK);
    let limits = VacuityLimits { whole: budget, search: Some(limit), blocked: Some(MOST_WORK) };
    reasons(subject, property, outcome, settings, sources, &limits)
}

/// What may be spent: parts of a budget, for so much work.
struct VacuityLimits<'b> {
    whole: &'b Budget,
    search: Option<u64>,
    blocked: Option<u64>,
}

impl VacuityLimits<'_> {
    fn part(&self, limit: Option<u64>) -> Budget {
        limit.map_or_else(|| self.whole.part(), |limit| self.whole.part_with_work(limit))
    }
}

fn reasons(
    subject: &Subject,
    property: usize,
    outcome: &CheckedOutcome,
    settings: &Settings,
    sources: &SourceMap,
    limits: &VacuityLimits,
) -> Diagnostics {
    let mut warnings = Diagnostics::new();
    let CheckedVerdict::Holds { .. } = outcome.verdict else { return warnings };
    let asked = &subject.properties[property];
    let budget = limits.part(limits.search);
    let Some((first, engine)) = askers(outcome.engine, settings) else { return warnings };
    let asker = Asker { first: &first, engine: &engine, budget: &budget };
    let task = prepare(subject, asked, settings.scheduler).task;
    let FoundReasons { confirmed, has_execution, formulas } = search(&task, !subject.assumptions.is_empty(), &asker);
    if !has_execution && is_without_execution(&task, &asker) {
        let budget = limits.part(limits.blocked);
        let asker = Asker { budget: &budget, ..asker };
        let blocked = find_blocked(subject, |changed| {
            let task = prepare(changed, asked, settings.scheduler).task;
            asker.holds(&without_execution(&task)).map(|holds| !holds)
        });
        warnings.push(no_execution(&blocked));
        return warnings;
    }
    for suspect in &confirmed {
        warnings.push(warning(suspect, &formulas, task.formula(), subject, asked, sources));
    }
    warnings
}

/// The engine that is asked, the one that has decided where it can be asked again, and before it those that find violations
/// alone and take their turns before it in a portfolio: for them, that is much less work.
fn askers<'s>(decided: &str, settings: &'s Settings) -> Option<(Vec<Chosen<'s>>, Chosen<'s>)> {
    let members = settings.engines.with_turns();
    let can_prove = || members.iter().filter(|entry| entry.decides == Decides::Both);
    let entry = can_prove().find(|entry| entry.name == decided).or_else(|| can_prove().next())?;
    let setup = Setup { threads: settings.threads, ..Setup::new(&settings.engines) };
    let before = members.iter().take_while(|member| member.name != entry.name);
    let first = before.filter(|member| member.decides == Decides::Violations).map(|member| member.engine(&setup));
    Some((first.collect(), entry.engine(&setup)))
}

/// What the search for trivial reasons found.
struct FoundReasons {
    confirmed: Vec<Suspect>,
    /// Whether some execution was seen.
    has_execution: bool,
    /// The formulas of the task and those of the suspects.
    formulas: Formulas,
}

fn search(task: &Task, has_assumptions: bool, asker: &Asker) -> FoundReasons {
    let mut formulas = task.formulas.clone();
    let (mut confirmed, mut has_execution, mut left) = (Vec::new(), false, MOST_SUSPECTS);
    each_suspect(&mut formulas, task.formula(), has_assumptions, &mut |formulas, suspect| {
        if left == 0 {
            return false;
        }
        left -= 1;
        let stronger = Task { formulas: formulas.clone(), goal: Goal::Linear(suspect.stronger), ..task.clone() };
        let holds = asker.holds(&stronger);
        has_execution |= holds == Some(false);
        if holds == Some(true) {
            confirmed.push(suspect.clone());
        }
        holds == Some(true)
    });
    FoundReasons { confirmed, has_execution, formulas }
}

fn is_without_execution(task: &Task, asker: &Asker) -> bool {
    asker.holds(&without_execution(task)) == Some(true)
}

/// The task that holds exactly if there is no execution.
fn without_execution(task: &Task) -> Task {
    let mut formulas = task.formulas.clone();
    let goal = formulas.truth(false);
    Task { formulas, goal: Goal::Linear(goal), ..task.clone() }
}

/// Whom the questions are put to, and how long an answer may take.
#[derive(Clone, Copy)]
struct Asker<'a> {
    /// Finds violations of what is violated wherever one looks.
    first: &'a [Chosen<'a>],
    engine: &'a dyn Engine,
    budget: &'a Budget,
}

impl Asker<'_> {
    /// Whether a goal holds; nothing where that was not found out with so much work. One question gets half of what is
    /// left, so that a hard one leaves something for the others; and no more than a third of the time that is left.
    fn holds(&self, task: &Task) -> Option<bool> {
        self.budget.check().ok()?;
        let within = match self.budget.remaining() {
            Some(left) => self.budget.part_of(left / 3),
            None => self.budget.part(),
        };
        let share = |of: u64| within.work_left().map_or_else(|| within.part(), |left| within.part_with_work(left / of));
        let board = Board::default();
        let is_violated = |first: &Chosen| matches!(first.check(task, &board, &share(4)).verdict, Verdict::Violated(_));
        if self.first.iter().any(is_violated) {
            return Some(false);
        }
        let part = share(2);
        match self.engine.check(task, &board, &part).verdict {
            Verdict::Holds(_) => Some(true),
            Verdict::Violated(_) => Some(false),
            Verdict::Unknown(_) => None,
        }
    }
}

/// All runs are blocked.
fn no_execution(blocked: &Blocked) -> Diagnostic {
    let warning =
        Diagnostic::warning(CODE, "the property holds trivially: there is no execution, all runs are blocked");
    let help = "every property holds of a program without executions";
    match blocked {
        Blocked::Impassable(spans) => {
            let label = "no run passes this assumption";
            let first = warning.label(spans[0], label).help(help);
            spans[1..].iter().fold(first, |warning, span| warning.also(*span, label))
        }
        Blocked::InTheEnd(span) => warning.label(*span, "sooner or later this assumption blocks every run").help(help),
        Blocked::Undefined => warning
            .help("all runs come to undefined behaviour, which `--ub assume` leaves out; see `G !error` without it"),
        Blocked::Somewhere => warning.help(help),
    }
}

/// A formula holds trivially.
fn warning(
    suspect: &Suspect,
    formulas: &Formulas,
    goal: Formula,
    subject: &Subject,
    property: &Property,
    sources: &SourceMap,
) -> Diagnostic {
    let text = |formula: Formula| format!("`{}`", formulas.display(formula));
    let part = text(suspect.part.formula);
    if suspect.why == Why::NoAssumption {
        let message = format!("the property holds trivially: no execution satisfies the assumption {part}");
        let warning = Diagnostic::warning(CODE, message);
        let warning = match place::place_of_atoms(formulas, suspect.part.formula, sources) {
            Some(span) => warning.at(span),
            None => warning,
        };
        return warning.help("an assumption that no execution satisfies makes every property hold");
    }
    let message = format!("{} holds trivially: {}", text(suspect.whole), reason(suspect, formulas));
    let span = place_in_property(&suspect.part, formulas, goal, subject, property, sources);
    let label = match (suspect.why, suspect.asked) {
        (Why::Never, AskedAt::Everywhere) => "never holds",
        (Why::Always, _) => "always holds",
        _ => "",
    };
    let warning = Diagnostic::warning(CODE, message).label(span, label);
    match suspect.why {
        Why::Never => warning.help(format!("if {part} is meant to happen, see what keeps the program from it")),
        _ => warning,
    }
}

/// The trivial reason in words.
fn reason(suspect: &Suspect, formulas: &Formulas) -> String {
    let text = |formula: Formula| format!("`{}`", formulas.display(formula));
    let part = text(suspect.part.formula);
    match (suspect.why, suspect.asked, suspect.replaced) {
        (Why::Always, _, None) => format!("{part} always holds"),
        (_, AskedAt::Optionally, Some((replaced, constant))) => {
            format!("the property holds also with `{constant}` in the place of {}", text(replaced))
        }
        (Why::Never, AskedAt::AtStart, _) if !suspect.part.is_temporal => format!("{part} is false at the start"),
        (Why::Never, AskedAt::AtStart, _) => format!("no execution satisfies {part}"),
        (Why::Never, AskedAt::Everywhere, _) => format!("{part} never holds"),
        (Why::Never, ..) => format!("{part} never holds where it is asked for"),
        (Why::Always, AskedAt::AtStart, _) => format!("{part} is true at the start"),
        (Why::Always, AskedAt::Everywhere, _) => format!("{part} always holds"),
        (Why::Always, ..) => format!("{part} always holds where it is asked for"),
        (Why::ForEver, _, Some((awaited, _))) => {
            format!("{part} holds for ever, whether or not {} comes", text(awaited))
        }
        (Why::ForEver, ..) => format!("{part} holds for ever"),
        (Why::AtOnce, AskedAt::AtStart, _) => format!("{part} is true at the start"),
        (Why::AtOnce, ..) => format!("{part} is true as soon as it is asked for"),
        (Why::NoAssumption, ..) => format!("no execution satisfies {part}"),
    }
}

/// Where a part of the goal that belongs to the property is written.
fn place_in_property(
    part: &Occurrence,
    formulas: &Formulas,
    goal: Formula,
    subject: &Subject,
    property: &Property,
    sources: &SourceMap,
) -> Span {
    let (before, formula) = match formulas.node(goal) {
        Node::Binary(Binary::Implies, assumption, formula) if !subject.assumptions.is_empty() => {
            (atoms_written(formulas, assumption), formula)
        }
        _ => (0, goal),
    };
    let part = Occurrence { atoms_before: part.atoms_before.saturating_sub(before), ..*part };
    place::place(formulas, formula, &part, property.span, sources)
}

#[cfg(test)]
mod tests {
    use check::check;
    use subject::{Input, Properties, Request, load};
    use task::Entry;

    use super::*;

    /// The warnings' messages with the texts that they point to.
    fn warnings(text: &str, assumption: Option<&str>, formula: &str, engine: Entry) -> Vec<(String, String)> {
        let request = Request {
            files: vec![Input::Text { name: "a.c".into(), text: text.into() }],
            properties: Properties::Formulas(vec![formula.into()]),
            assumptions: assumption.map(str::to_owned).into_iter().collect(),
            ..Request::default()
        };
        let loaded = load(&request, &Budget::unlimited());
        let subject = loaded.subject.unwrap();
        let settings = Settings { engine, checks_evidence: false, ..Settings::default() };
        let budget = Budget::unlimited();
        let outcome = check(&subject, 0, &settings, &budget);
        let limits = VacuityLimits { whole: &budget, search: None, blocked: None };
        let found = reasons(&subject, 0, &outcome, &settings, &loaded.sources, &limits);
        let place = |warning: &Diagnostic| {
            warning.primary.as_ref().map(|label| loaded.sources.snippet_text(label.span).to_owned()).unwrap_or_default()
        };
        assert!(found.iter().all(|warning| warning.code == CODE));
        found.iter().map(|warning| (warning.message.clone(), place(warning))).collect()
    }

    #[test]
    fn all_engines_find_the_same_reasons() {
        const LAMP: &str = "_Bool nondet_bool(void); int on, off = 1, broken;
            int main(void) { while (1) { on = nondet_bool(); off = !on; if (broken) on = 2; } }";
        const BLOCKED: &str = "_Bool nondet_bool(void); void assume(int); int x;
            int main(void) { x = nondet_bool(); assume(x < 2); assume(x > 1); return 0; }";
        /// A program, an assumption, a property, and what is warned of, with its text.
        type Case = (&'static str, Option<&'static str>, &'static str, &'static [(&'static str, &'static str)]);
        let cases: [Case; 12] = [
            (
                LAMP,
                None,
                "G (broken -> F off)",
                &[("`broken -> F off` holds trivially: `broken` never holds", "broken")],
            ),
            (LAMP, None, "G (on -> !broken)", &[]),
            (
                LAMP,
                None,
                "G (broken -> on) && G !(on && broken)",
                &[
                    ("`broken -> on` holds trivially: `broken` never holds", "broken"),
                    ("`!(on && broken)` holds trivially: `broken` never holds", "broken"),
                ],
            ),
            (
                LAMP,
                None,
                "G !broken && (!broken W on)",
                &[("`!broken W on` holds trivially: `!broken` holds for ever, whether or not `on` comes", "broken")],
            ),
            (LAMP, None, "F off", &[("`F off` holds trivially: `off` is true at the start", "off")]),
            (
                LAMP,
                None,
                "G F \"on < 2\"",
                &[("`F \"on < 2\"` holds trivially: `\"on < 2\"` always holds", "\"on < 2\"")],
            ),
            (LAMP, None, "X \"!on\" -> X \"off\"", &[]),
            (
                LAMP,
                Some("F broken"),
                "G on",
                &[("the property holds trivially: no execution satisfies the assumption `F broken`", "broken")],
            ),
            (LAMP, Some("G F on"), "G F on", &[]),
            (
                LAMP,
                Some("G F on"),
                "G (on -> (broken -> off))",
                &[("`broken -> off` holds trivially: `broken` never holds where it is asked for", "broken")],
            ),
            (LAMP, None, "G on", &[]),
            (
                BLOCKED,
                None,
                "F \"x == 9\"",
                &[("the property holds trivially: there is no execution, all runs are blocked", "assume(x > 1)")],
            ),
        ];
        for (text, assumption, formula, expected) in cases {
            for engine in [engines::explicit::ENTRY, engines::fairness::ENTRY] {
                let found = warnings(text, assumption, formula, engine);
                let found: Vec<(&str, &str)> = found.iter().map(|(what, place)| (&what[..], &place[..])).collect();
                assert_eq!(found, expected, "{formula} {engine:?}");
            }
        }
    }
}
