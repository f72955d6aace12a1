//! What can be said of a formula by itself, with no program: its automaton, its class, and the verdicts that it can have
//! on finite traces. This module asks the questions in order and puts the answers together for the report; how they
//! are answered is in `automata::translate` and in `automata::translate::bounded`.

use automata::algorithms::{RunEdge, find_lasso};
use automata::buchi::{Automaton, Guard, StateId, accepts};
use automata::ltl::{Formula, Formulas, Letter, Unary};
use automata::translate::bounded::{BoundedVerdict, BoundedVerdicts, bounded_verdicts_of};
use automata::translate::hierarchy::{Classes, classes};
use automata::translate::prune::without_false_edges;
use automata::translate::stutter::is_stutter_invariant;
use automata::translate::{Failure, Options, Target, Translation, translate};
use foundation::collections::HashMap;
use foundation::{Budget, Exhausted};
use report::automaton::{AcceptedRun, ShownAutomaton};
use report::formula::{
    AutomatonText, BoundedJson, ClassesJson, FormulaAutomaton, FormulaReport, StageJson, UnknownJson,
};

/// What `semper ltl` is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Wanted {
    /// The automaton of the negation instead of that of the formula: what a property is checked with.
    pub negation: bool,
    /// The kind of automaton.
    pub target: Target,
}

/// The automaton of a formula, or of its negation.
pub fn automaton_of(
    formulas: &mut Formulas,
    formula: Formula,
    wanted: Wanted,
    budget: &Budget,
) -> Result<Translation, Failure> {
    let formula = if wanted.negation { formulas.unary(Unary::Not, formula) } else { formula };
    translate(formulas, formula, &Options { target: wanted.target, budget: budget.clone(), ..Options::default() })
}

/// A run that is accepted, if any word is.
pub fn accepted_run(automaton: &Automaton<Guard>, budget: &Budget) -> Result<Option<AcceptedRun>, Exhausted> {
    let Some(lasso) = find_lasso(&without_false_edges(automaton), budget)? else { return Ok(None) };
    let letters = |steps: &[RunEdge<StateId, Guard>]| -> Vec<Letter> {
        steps.iter().map(|step| step.label.example().expect("no label of a run is false")).collect()
    };
    let states = |steps: &[RunEdge<StateId, Guard>]| steps.iter().map(|step| step.from).collect();
    let run = AcceptedRun {
        stem_letters: letters(&lasso.stem),
        cycle_letters: letters(&lasso.cycle),
        stem: states(&lasso.stem),
        cycle: states(&lasso.cycle),
    };
    assert!(accepts(automaton, &run.stem_letters, &run.cycle_letters), "the word of an accepting run is accepted");
    Ok(Some(run))
}

const ON_FINITE_TRACES: &str = "verdicts on finite traces";

/// Everything that there is to say of a formula. What cannot be found out within the budget is left open, with the
/// reason.
pub fn examine(formulas: &mut Formulas, formula: Formula, wanted: Wanted, budget: &Budget) -> FormulaReport {
    let mut unknown = Vec::new();
    let mut report = FormulaReport {
        formula: formulas.display(formula).to_string(),
        simplified: None,
        atoms: formulas.atoms_of(formula).iter().map(|&atom| formulas.atoms().get(atom).to_string()).collect(),
        classes: None,
        bounded_verdicts: Vec::new(),
        automaton: None,
        unknown: Vec::new(),
    };
    let translation = answered("automaton", automaton_of(formulas, formula, wanted, budget), &mut unknown);
    let simplified = match (&translation, wanted.negation) {
        (Some(translation), false) => Some(translation.simplified),
        (None, _) => None,
        (Some(_), true) => {
            let plain = Wanted { negation: false, ..wanted };
            answered("simplified formula", automaton_of(formulas, formula, plain, budget), &mut unknown)
                .map(|translation| translation.simplified)
        }
    };
    report.simplified = simplified.map(|simplified| shown(formulas, simplified));
    report.automaton = translation.map(|translation| described(formulas, &translation, wanted));
    // Where there is no automaton, the other questions have no answer either.
    if report.automaton.is_some() {
        let found = answered("classes", classes(formulas, formula, budget), &mut unknown);
        let stutter = is_stutter_invariant(formulas, formula, budget);
        let stutter = answered("stutter-invariance", stutter, &mut unknown);
        report.classes = found.map(|found| classes_json(&found, stutter));
        let verdicts = bounded_verdicts_of(formulas, formula, budget);
        if let Some(verdicts) = answered(ON_FINITE_TRACES, verdicts, &mut unknown) {
            report.bounded_verdicts = BoundedVerdict::ALL.map(|one| bounded_json(formulas, &verdicts, one)).into();
            if BoundedVerdict::ALL.iter().any(|&verdict| verdicts.is_possible(verdict).is_none()) {
                let reason = "the automata are too large".to_owned();
                unknown.push(UnknownJson { question: ON_FINITE_TRACES, reason });
            }
        }
    }
    report.unknown = unknown;
    report
}

/// The text of a formula that was made and not written. Its parts are shared, so that the text may be much longer than
/// the formula; beyond what people read, its size is told instead.
pub fn shown(formulas: &Formulas, formula: Formula) -> String {
    const MOST_OPERATORS: u64 = 10_000;
    let mut operators: HashMap<Formula, u64> = HashMap::default();
    for subformula in formulas.subformulas(formula) {
        let below = formulas.node(subformula).children().map(|child| operators[&child]);
        let count = below.fold(1, u64::saturating_add);
        operators.insert(subformula, count);
    }
    match operators[&formula] {
        count if count <= MOST_OPERATORS => formulas.display(formula).to_string(),
        _ => format!("(more than {MOST_OPERATORS} operators)"),
    }
}

/// Whether the labels of an automaton are small enough to be written in the HOA format.
pub fn can_be_written(automaton: &Automaton<Guard>) -> bool {
    const MOST_PRODUCTS: usize = 1 << 12;
    automaton.edges().all(|edge| edge.label.cubes_within(MOST_PRODUCTS).is_some())
}

/// Why something is not known, in a few words.
pub fn reason(failure: Failure) -> String {
    match failure {
        Failure::Exhausted(exhausted) => exhausted.to_string(),
        other => other.to_string(),
    }
}

fn answered<T>(question: &'static str, answer: Result<T, Failure>, unknown: &mut Vec<UnknownJson>) -> Option<T> {
    answer.map_err(|failure| unknown.push(UnknownJson { question, reason: reason(failure) })).ok()
}

fn described(formulas: &Formulas, translation: &Translation, wanted: Wanted) -> FormulaAutomaton {
    let automaton = ShownAutomaton::new(&translation.automaton, formulas.atoms());
    let kind = kind_word(wanted.target);
    let stages = [("tableau", translation.tableau), ("generalised", translation.generalised), (kind, translation.size)];
    FormulaAutomaton {
        of: if wanted.negation { "negation" } else { "formula" },
        formula: shown(formulas, translation.simplified),
        kind,
        sizes: stages.map(|(stage, size)| StageJson { stage, states: size.states, edges: size.edges }).into(),
        automaton: automaton.json(),
        text: AutomatonText { summary: automaton.summary(), states: automaton.text() },
    }
}

fn kind_word(target: Target) -> &'static str {
    match target {
        Target::Tgba => "tgba",
        Target::Buchi => "buchi",
        Target::StateBuchi => "state-buchi",
    }
}

fn classes_json(classes: &Classes, stutter_invariant: Option<bool>) -> ClassesJson {
    ClassesJson {
        safety: classes.safety,
        co_safety: classes.guarantee,
        obligation: classes.obligation,
        recurrence: classes.recurrence,
        persistence: classes.persistence,
        liveness: classes.liveness,
        stutter_invariant,
    }
}

fn bounded_json(formulas: &Formulas, verdicts: &BoundedVerdicts, verdict: BoundedVerdict) -> BoundedJson {
    let letter = |letter: &Letter| letter.iter().map(|atom| formulas.atoms().get(atom).to_string()).collect::<Vec<_>>();
    BoundedJson {
        verdict: verdict.to_string(),
        possible: verdicts.is_possible(verdict),
        example: verdicts.example(verdict).map(|trace| trace.iter().map(letter).collect()),
    }
}
