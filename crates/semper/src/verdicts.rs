//! What was decided of a property, for the report.

use automata::ltl::Formula;
use certify::recheck::{Explored, Means};
use certify::refutation::{ObligationCounts, Proved};
use certify::{Closing, Decider, Proof, Replayed, Starved};
use check::{Checked, CheckedOutcome, CheckedVerdict, Settings};
use foundation::{Diagnostic, Diagnostics, SourceMap};
use program::Program;
use program::semantics::describe::value_text;
use program::semantics::{RunEnd, Warning};
use report::counterexample::{Counterexample, CounterexampleStep, ShownGrowth, ShownInput};
use report::semantics::Modes;
use report::verdict::{Evidence, PropertyVerdict, ShownFigure, TriedEngine};
use subject::Subject;
use task::{Attempt, Certificate, Reason, Scheduler};

use crate::advice::advice;
use crate::races;
use crate::violation;

/// The report on a property. What the user should know of how the program behaved is added to the diagnostics, which
/// hold what is known of how it was read.
pub fn verdict(
    subject: &Subject,
    property: usize,
    outcome: &CheckedOutcome,
    settings: &Settings,
    sources: &SourceMap,
    diagnostics: &mut Diagnostics,
) -> PropertyVerdict {
    let display = |formula| subject.formulas.display(formula).to_string();
    let program = &subject.program;
    let asked = &subject.properties[property];
    diagnose(outcome, diagnostics);
    let is_decided = !matches!(outcome.verdict, CheckedVerdict::Unknown(_));
    let mut assumed = if is_decided { assumed(program) } else { Vec::new() };
    if is_decided && races::tell(subject, diagnostics) {
        assumed.push(races::ASSUMED.to_owned());
    }
    let (word, reason) = match &outcome.verdict {
        CheckedVerdict::Holds { .. } => ("holds", None),
        CheckedVerdict::Violated { .. } => ("violated", None),
        CheckedVerdict::Unknown(reason) => ("unknown", Some(reason.to_string())),
    };
    let figure = |figure: &task::Figure| match figure {
        task::Figure::Count(count) => ShownFigure::Count(*count),
        task::Figure::Quantity(quantity) => ShownFigure::Quantity(*quantity),
        task::Figure::Word(word) => ShownFigure::Word(word.clone()),
    };
    let replayed = match &outcome.verdict {
        CheckedVerdict::Violated { replayed: Some(replayed), atoms } => Some((replayed, atoms)),
        _ => None,
    };
    let stops_at_call = subject.semantics_for(asked).stop_at_call;
    PropertyVerdict {
        verdict: word.to_owned(),
        reason,
        name: asked.name.clone(),
        origin: asked.origin.clone(),
        property: display(asked.formula),
        assumptions: subject.assumptions.iter().map(|&formula| display(formula)).collect(),
        stops_at_call: stops_at_call.map(|function| program.functions[function].name.clone()),
        engine: outcome.engine.to_owned(),
        modes: Modes::new(program, &subject.semantics),
        scheduler: program.has_threads().then(|| settings.scheduler.to_string()),
        tried: all_tried(outcome, settings),
        hint: hint(subject, asked.goal, outcome, settings, sources),
        seconds: outcome.time.as_secs_f64(),
        statistics: outcome.statistics.0.iter().map(|(name, it)| ((*name).to_owned(), figure(it))).collect(),
        is_repeatable: is_repeatable(&outcome.verdict, settings),
        evidence: evidence(&outcome.verdict),
        assumed,
        notes: replayed.map(|(replayed, _)| notes(program, replayed, settings.scheduler)).unwrap_or_default(),
        warnings: report::diagnostics::to_json(diagnostics, sources),
        counterexample: replayed.map(|(replayed, by_number)| {
            let atoms = by_number.iter().map(|&atom| subject.formulas.atoms().get(atom).to_string()).collect();
            let (stem, repeated) = violation::letters(replayed, by_number);
            let violating = violation::violating_steps(&subject.formulas, asked.goal, &stem, &repeated);
            Counterexample { violating, ..counterexample(program, replayed, atoms, sources) }
        }),
    }
}

/// The engines that gave no answer, that whose reason is the verdict's first where none did. What looked at a saved
/// certificate or counterexample is no engine.
fn all_tried(outcome: &CheckedOutcome, settings: &Settings) -> Vec<TriedEngine> {
    let mut all: Vec<TriedEngine> = outcome.tried.iter().map(tried).collect();
    if let CheckedVerdict::Unknown(reason) = &outcome.verdict
        && settings.engines.find(outcome.engine).is_some()
        && !all.iter().any(|tried| tried.engine == outcome.engine)
    {
        let before: f64 = all.iter().map(|tried| tried.seconds).sum();
        let seconds = (outcome.time.as_secs_f64() - before).max(0.0);
        all.insert(0, TriedEngine { engine: outcome.engine.to_owned(), seconds, reason: reason.to_string() });
    }
    all
}

/// One thing to try.
fn hint(
    subject: &Subject,
    goal: Formula,
    outcome: &CheckedOutcome,
    settings: &Settings,
    sources: &SourceMap,
) -> Option<String> {
    match &outcome.verdict {
        CheckedVerdict::Unknown(reason) if settings.engines.find(outcome.engine).is_some() => {
            let mut given_up: Vec<(&str, &Reason)> = vec![(outcome.engine, reason)];
            let others = outcome.tried.iter().filter(|attempt| attempt.engine != outcome.engine);
            given_up.extend(others.map(|attempt| (attempt.engine, &attempt.reason)));
            advice(subject, &given_up, settings, sources)
        }
        CheckedVerdict::Violated { replayed: Some(replayed), atoms } => {
            let line_of = |edge: program::EdgeId| {
                let place = sources.snippet(subject.program.edges[edge].span).location;
                Some(format!("{}:{}", place.file, place.line))
            };
            violation::between_statements(subject, goal, replayed, atoms, line_of)
        }
        _ => None,
    }
}

/// What is assumed of what the program does not show, where an execution may come to it.
fn assumed(program: &Program) -> Vec<String> {
    let reachable = analysis::reachable::reachable_functions(program);
    let mut assumed: Vec<String> = Vec::new();
    for assumption in &program.assumptions {
        let matters = assumption.within.is_none_or(|function| reachable.contains(&function));
        if matters && !assumed.contains(&assumption.text) {
            assumed.push(assumption.text.clone());
        }
    }
    assumed
}

fn tried(attempt: &Attempt) -> TriedEngine {
    let Attempt { engine, time, reason } = attempt;
    TriedEngine { engine: (*engine).to_owned(), seconds: time.as_secs_f64(), reason: reason.to_string() }
}

/// Whether the same is explored every time: all of it, or by a single thread up to what was found. Limits come when
/// they come.
fn is_repeatable(verdict: &CheckedVerdict, settings: &Settings) -> bool {
    match verdict {
        CheckedVerdict::Holds { .. } => true,
        CheckedVerdict::Violated { .. } => settings.threads == 1,
        CheckedVerdict::Unknown(_) => false,
    }
}

/// What an engine has found that shows that a property holds.
fn found(certificate: &Certificate) -> String {
    let counted = |count: u64, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let refuted = |finite: usize, ranked: usize| match (finite, ranked) {
        (0, 0) => "proof by invariants".to_owned(),
        (0, _) => format!("proof by {}", counted(ranked as u64, "ranking function")),
        (_, 0) => format!("proof by {} of refuted traces", counted(finite as u64, "set")),
        _ => {
            let (finite, ranked) = (counted(finite as u64, "set"), counted(ranked as u64, "ranking function"));
            format!("proof by {ranked} and {finite} of refuted traces")
        }
    };
    match certificate {
        Certificate::ClosedStateSpace(space) => format!("closed state space of {}", counted(space.states, "state")),
        Certificate::Cover(cover) => match cover.boxes.len() {
            0 => "no execution comes to a loop".to_owned(),
            1 => "all states at loops lie in 1 box".to_owned(),
            count => format!("all states at loops lie in {count} boxes"),
        },
        Certificate::Refutation(proof) => refuted(proof.finite, proof.modules.len()),
        Certificate::Unwritten(proof) => refuted(proof.finite, proof.ranked),
    }
}

/// What the check of a certificate has shown.
fn shown(proof: &Proof) -> String {
    match proof {
        Proof::Covered(_) => "checked box by box".to_owned(),
        Proof::Explored(explored) => format!("explored again, {}", explored.by),
        Proof::Refuted(Proved { shown, decider, .. }) if shown.by_command > 0 => {
            format!("checked step by step with {decider}")
        }
        Proof::Refuted(_) => "checked step by step".to_owned(),
    }
}

/// What whoever believes a proof that has passed has to believe besides.
fn trusted(proof: &Proof) -> Vec<String> {
    match proof {
        Proof::Explored(Explored { by: Means::Interpreted, .. }) => {
            vec![READING.to_owned(), "the interpreter".to_owned()]
        }
        Proof::Explored(Explored { by: Means::Compiled, .. }) => {
            vec![format!("{READING} and its inlining"), "the C compiler".to_owned()]
        }
        Proof::Covered(_) => vec![format!("{READING} and its inlining"), "arithmetic of intervals".to_owned()],
        Proof::Refuted(Proved {
            shown: ObligationCounts { at_sight, by_arithmetic, by_command, by_embedded },
            decider,
            ..
        }) => {
            let all = at_sight + by_arithmetic + by_command + by_embedded;
            let mut trusted = vec![format!("{READING} and its inlining")];
            let solvers = [(decider.to_string(), by_command), (Decider::Embedded.to_string(), by_embedded)];
            for (solver, steps) in solvers.iter().filter(|(_, steps)| **steps > 0) {
                trusted.push(format!("{solver} for {steps} of {all} steps"));
            }
            trusted
        }
    }
}

const READING: &str = "the reading of the program";

pub(crate) fn evidence(verdict: &CheckedVerdict) -> Option<Evidence> {
    match verdict {
        CheckedVerdict::Holds { certificate, proof } => {
            let found = found(certificate);
            Some(match proof {
                Checked::Passed(proof) => {
                    Evidence { checked: true, by: format!("{found}; {}", shown(proof)), trusted: trusted(proof) }
                }
                Checked::NotAsked => Evidence {
                    checked: false,
                    by: format!("{found}; unchecked"),
                    trusted: vec!["the engine".to_owned()],
                },
            })
        }
        CheckedVerdict::Violated { replayed: Some(replayed), .. } => {
            let by = match replayed.closing {
                Closing::Recurrent { .. } => {
                    "stem replayed by the interpreter; iterations for ever in a recurrent set checked"
                }
                Closing::Growing { .. } => "lasso replayed by the interpreter; its growth checked for all iterations",
                Closing::BadPrefix => {
                    "bad prefix replayed by the interpreter; every execution that begins so is a violation"
                }
                _ => "lasso replayed by the interpreter",
            };
            let mut trusted = vec![READING.to_owned(), "the interpreter".to_owned()];
            if let Closing::Recurrent { .. } = replayed.closing {
                trusted.extend(["inlining", "the formulas of edges", "Z3"].map(str::to_owned));
            }
            Some(Evidence { checked: true, by: by.to_owned(), trusted })
        }
        CheckedVerdict::Violated { replayed: None, .. } => {
            let by = "lasso of the engine, not replayed".to_owned();
            Some(Evidence { checked: false, by, trusted: vec!["the engine".to_owned()] })
        }
        CheckedVerdict::Unknown(_) => None,
    }
}

fn counterexample(program: &Program, replayed: &Replayed, atoms: Vec<String>, sources: &SourceMap) -> Counterexample {
    let run = &replayed.run;
    let mut end = report::trace::end(run, program, sources);
    if replayed.closing == Closing::BadPrefix {
        end.reason = "the program goes on, and whatever follows, the property is violated".to_owned();
    } else if let Some(observed) = replayed.abridged {
        end.reason = format!("these are the first of {observed} steps, the last of which are repeated for ever");
    }
    let input = |input: &certify::ReplayedInput| ShownInput {
        name: input.name.clone(),
        value: value_text(program, &input.value),
        uninitialised: input.uninitialised,
        in_loop: input.repeated,
        step: (input.observed < run.observations.len()).then_some(input.observed),
    };
    let steps = report::trace::steps(run, program, sources).into_iter().zip(&replayed.values);
    let mut stem: Vec<CounterexampleStep> = steps
        .map(|(step, values)| CounterexampleStep {
            step,
            values: values.iter().map(|part| (part.name.clone(), part.value.clone())).collect(),
        })
        .collect();
    let cycle = stem.split_off(end.repeats_from.unwrap_or(stem.len()));
    let growth = growth(program, &replayed.closing);
    let inputs = replayed.inputs.iter().map(input).collect();
    let (recurrent_set, several_paths) = match &replayed.closing {
        Closing::Recurrent { set, several_paths, .. } => (set.clone(), *several_paths),
        _ => (Vec::new(), false),
    };
    Counterexample { atoms, inputs, stem, cycle, end, growth, recurrent_set, several_paths, violating: Vec::new() }
}

/// How numbers grow from turn to turn of the loop.
fn growth(program: &Program, closing: &Closing) -> Vec<ShownGrowth> {
    let (Closing::Growing { growth, .. } | Closing::Recurrent { growth, .. }) = closing else { return Vec::new() };
    let told = |growth: &certify::Growth| ShownGrowth {
        name: growth.name.clone(),
        start: growth.start.as_ref().map(|start| value_text(program, start)),
        differences: growth.differences.iter().map(|difference| value_text(program, difference)).collect(),
        factor: growth.factor.as_ref().map(|factor| value_text(program, factor)),
    };
    growth.iter().map(told).collect()
}

/// What is to be said of an execution that its steps do not show.
fn notes(program: &Program, replayed: &Replayed, scheduler: Scheduler) -> Vec<String> {
    let mut notes = Vec::new();
    let run = &replayed.run;
    if matches!(run.end, RunEnd::Undefined { .. }) {
        notes.push("this execution ends in undefined behaviour; `--ub assume` leaves such executions out".to_owned());
    }
    if run.warnings.iter().any(|warning| matches!(warning, Warning::Overflow(_))) {
        notes.push("a signed integer overflows in this execution, and wraps around".to_owned());
    }
    for Starved { thread, always_able } in &replayed.starved {
        let (when, fair) =
            if *always_able { ("always", Scheduler::WeakFair) } else { ("often", Scheduler::StrongFair) };
        debug_assert_ne!(scheduler, fair, "such an execution is no evidence");
        notes.push(format!(
            "thread {thread} is {when} able to run in the loop and never does; `--scheduler {fair}` leaves such \
             executions out"
        ));
    }
    if let Closing::Without(variables) | Closing::Growing { without: variables, .. } = &replayed.closing {
        // Names of our own say nothing to anybody.
        let is_written = |name: &&str| !name.starts_with('%');
        let is_known = |variable: &&program::VariableId| program.variables.get(**variable).is_some();
        let names = variables.iter().filter(is_known).map(|&variable| program.told_variable(variable));
        let names: Vec<String> = names.filter(is_written).map(|name| format!("`{name}`")).collect();
        if !names.is_empty() {
            let names = names.join(", ");
            notes.push(format!("{names} may differ from round to round of the loop; nothing shown depends on that"));
        }
    }
    notes
}

/// Adds what the user should know of how the program behaved, and of what the engine does not support.
fn diagnose(outcome: &CheckedOutcome, diagnostics: &mut Diagnostics) {
    match &outcome.verdict {
        CheckedVerdict::Violated { replayed: Some(replayed), .. } => {
            report::trace::diagnose(&replayed.run, diagnostics);
        }
        CheckedVerdict::Unknown(reason) => {
            unsupported(outcome.engine, reason, diagnostics);
            for attempt in &outcome.tried {
                unsupported(attempt.engine, &attempt.reason, diagnostics);
            }
            if let Reason::EvidenceRejected(why) = reason {
                diagnostics.push(rejected(outcome.engine, why));
            }
        }
        _ => {}
    }
    for attempt in &outcome.tried {
        if let Reason::EvidenceRejected(why) = &attempt.reason {
            diagnostics.push(rejected(attempt.engine, why));
        }
    }
}

/// Shows the place of what an engine does not support.
fn unsupported(engine: &str, reason: &Reason, diagnostics: &mut Diagnostics) {
    if let Reason::Unsupported { what, span: Some(span), .. } = reason {
        let message = format!("the engine `{engine}` does not support this: {what}");
        diagnostics.push(Diagnostic::warning("unsupported", message).at(*span));
    }
}

/// Evidence that does not pass its check is told even where another engine has decided meanwhile.
fn rejected(engine: &str, why: &str) -> Diagnostic {
    let message = format!("internal error: the evidence of the engine `{engine}` does not pass its check: {why}");
    let help = "this is a fault in Semper, not in your program; please report it with the command and its files";
    Diagnostic::warning("evidence-rejected", message).help(help)
}
