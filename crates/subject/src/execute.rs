//! One execution of a subject, and the truth of its properties on what was observed.

use automata::ltl::{Formula, Formulas, Letter, PrefixTruth, evaluate_lasso, evaluate_prefix};
use foundation::Budget;
use program::passes::BackTranslation;
use program::passes::interleave::{Interleaved, interleave};
use program::semantics::{Atomicity, Choices, Occasion, Run, RunEnd, RunLimits, Semantics, run};

use crate::subject::Subject;

/// An execution.
#[derive(Clone, Debug)]
pub struct Execution {
    /// What the interpreter did.
    pub run: Run,
    /// The truth of each property of the subject, under its assumptions.
    pub truths: Vec<TraceTruth>,
}

/// The truth of a property on a trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TraceTruth {
    /// Whether the property is true of this trace, however it goes on; none where that depends on how it goes on.
    pub value: Option<bool>,
    /// The step with which that is decided. None where only infinitely many steps decide it.
    pub decided_at: Option<usize>,
    /// Whether an open truth is so for certain, and not for want of effort.
    pub exact: bool,
}

/// Executes the subject once and evaluates its properties on the trace, by the definition of their logic.
pub fn execute(subject: &Subject, choices: &mut dyn Choices, limits: RunLimits, budget: &Budget) -> Execution {
    let mut run = interpret(subject, choices, limits, budget);
    shorten_loop(&mut run);
    let letters: Vec<Letter> = run.observations.iter().map(|observation| subject.letter(&observation.truth)).collect();
    let evaluate = |property: &crate::Property| truth(&subject.formulas, property.goal, &letters, &run.end);
    let truths = subject.properties.iter().map(evaluate).collect();
    Execution { run, truths }
}

/// Runs the program; the edges of the result are those of the subject's program.
pub fn interpret(subject: &Subject, choices: &mut dyn Choices, limits: RunLimits, budget: &Budget) -> Run {
    let semantics = semantics(subject);
    let Some(fine) = interleaved(subject) else {
        return run(&subject.program, semantics, &subject.atoms, choices, limits, budget);
    };
    let mut run = run(&fine.program, semantics, &subject.atoms, choices, limits, budget);
    lead_back(&mut run, &fine.back);
    run
}

/// The program whose edges are interrupted where threads may be: at every access to shared memory unless the subject
/// says otherwise. None where that is the program as it is.
pub fn interleaved(subject: &Subject) -> Option<Interleaved> {
    let is_fine = subject.semantics.atomicity == Atomicity::Statement || !subject.program.has_threads();
    (!is_fine).then(|| interleave(&subject.program))
}

/// Makes the edges of a run those of the program that was interleaved.
pub fn lead_back(run: &mut Run, back: &BackTranslation) {
    for observation in &mut run.observations {
        observation.edge = observation.edge.map(|edge| back.edge(edge));
        if let Occasion::Edge(edge) = &mut observation.occasion {
            *edge = back.edge(*edge);
        }
    }
}

/// The rule of the competition's property counts only where that property stands alone.
fn semantics(subject: &Subject) -> Semantics {
    match &subject.properties[..] {
        [property] => subject.semantics_for(property),
        _ => subject.semantics,
    }
}

/// The interpreter may notice late that it goes round in a loop, and after several rounds. The observations of a loop are
/// the same in every round, so the shortest lasso with the same infinite sequence of observations takes its place.
fn shorten_loop(run: &mut Run) {
    let RunEnd::Lasso { start } = &mut run.end else { return };
    let observations = &mut run.observations;
    let (begin, end) = shortest_lasso(*start, observations.len(), |at, other| observations[at] == observations[other]);
    *start = begin;
    observations.truncate(end);
}

/// The shortest lasso with the same infinite sequence as one of this length whose loop begins at `start`, as the beginning
/// and the end of its loop. It is told which elements are the same.
pub fn shortest_lasso(start: usize, length: usize, same: impl Fn(usize, usize) -> bool) -> (usize, usize) {
    let round = length - start;
    let has_period = |period: usize| (start..length - period).all(|at| same(at, at + period));
    let period = (1..round).find(|&period| round.is_multiple_of(period) && has_period(period)).unwrap_or(round);
    let mut begin = start;
    while begin > 0 && same(begin - 1, begin - 1 + period) {
        begin -= 1;
    }
    (begin, begin + period)
}

/// The letters that an execution repeats for ever begin here; none where the run could go on, or is no execution.
pub fn loop_start(end: &RunEnd, length: usize) -> Option<usize> {
    match end {
        RunEnd::Lasso { start } => Some(*start),
        RunEnd::End(_) | RunEnd::Undefined { .. } | RunEnd::Deadlock | RunEnd::Silent | RunEnd::StoppedAtCall(_) => {
            length.checked_sub(1)
        }
        RunEnd::Blocked { .. }
        | RunEnd::NoMoreInputs
        | RunEnd::Limit
        | RunEnd::Exhausted(_)
        | RunEnd::UnfitInput { .. }
        | RunEnd::Unsupported { .. } => None,
    }
}

/// Whether a run with this end is a whole execution, so that nothing more can be asked for.
pub fn is_complete(end: &RunEnd) -> bool {
    loop_start(end, 1).is_some()
}

fn truth(formulas: &Formulas, formula: Formula, letters: &[Letter], end: &RunEnd) -> TraceTruth {
    let open = |exact| TraceTruth { value: None, decided_at: None, exact };
    if matches!(end, RunEnd::Blocked { .. }) {
        return open(true);
    }
    let after = |length: usize| evaluate_prefix(formulas, formula, &letters[..length]);
    let value = match loop_start(end, letters.len()) {
        Some(start) => evaluate_lasso(formulas, formula, &letters[..start], &letters[start..]),
        None => match after(letters.len()) {
            PrefixTruth::True => true,
            PrefixTruth::False => false,
            PrefixTruth::Open { exact } => return open(exact),
        },
    };
    // What a prefix decides, all longer ones decide too, so the shortest one is found by bisection.
    let decides = |length: usize| !matches!(after(length), PrefixTruth::Open { .. });
    let (mut too_short, mut enough) = (0, letters.len());
    if !decides(enough) {
        return TraceTruth { value: Some(value), decided_at: None, exact: true };
    }
    while enough - too_short > 1 {
        let middle = too_short + (enough - too_short) / 2;
        *(if decides(middle) { &mut enough } else { &mut too_short }) = middle;
    }
    TraceTruth { value: Some(value), decided_at: Some(enough.saturating_sub(1)), exact: true }
}

#[cfg(test)]
mod tests {
    use automata::ltl::{AtomId, parse};
    use foundation::{Id, SourceMap};
    use program::EndKind;

    use super::*;

    /// All words of letters over two atoms, up to a length, without the empty one.
    fn words(longest: usize) -> Vec<Vec<Letter>> {
        let letter = |bits: usize| (0..2).filter(|atom| bits >> atom & 1 == 1).map(AtomId::from_index).collect();
        let mut words: Vec<Vec<Letter>> = vec![Vec::new()];
        let mut at = 0;
        while words[at].len() < longest {
            for bits in 0..4 {
                let word = words[at].iter().cloned().chain([letter(bits)]).collect();
                words.push(word);
            }
            at += 1;
        }
        words.split_off(1)
    }

    /// A run that observes these truth values and then repeats those from `start` on.
    fn lasso(word: &[usize], start: usize) -> Run {
        let observation = |&bits: &usize| program::semantics::Observation {
            occasion: program::semantics::Occasion::Start,
            edge: None,
            span: None,
            thread: 0,
            function: None,
            truth: vec![bits & 1 == 1, bits & 2 == 2],
            changes: Vec::new(),
            overflow: false,
        };
        Run {
            observations: word.iter().map(observation).collect(),
            end: RunEnd::Lasso { start },
            warnings: Vec::new(),
            edges: 0,
        }
    }

    #[test]
    fn a_shortened_lasso_is_the_same_infinite_word() {
        let unrolled = |run: &Run| -> Vec<Vec<bool>> {
            let RunEnd::Lasso { start } = run.end else { panic!() };
            let length = run.observations.len() - start;
            let at = |index: usize| if index < start { index } else { start + (index - start) % length };
            (0..40).map(|index| run.observations[at(index)].truth.clone()).collect()
        };
        let mut constant = 0;
        for code in 0..4usize.pow(5) {
            let word: Vec<usize> = (0..5).map(|digit| code >> (2 * digit) & 3).collect();
            for start in 0..5 {
                let run = lasso(&word, start);
                let mut short = run.clone();
                shorten_loop(&mut short);
                assert_eq!(unrolled(&short), unrolled(&run), "{word:?} {start}");
                let again = short.clone();
                shorten_loop(&mut short);
                assert_eq!(short, again, "shortened already: {word:?} {start}");
                constant += usize::from(short.observations.len() == 1);
            }
        }
        assert_eq!(constant, 4 * 5, "a lasso of one observation is that of a constant word");
    }

    #[test]
    fn truth_is_that_of_the_definition_and_decided_at_the_first_step_that_decides() {
        for text in
            ["G a", "F b", "a U b", "G F a", "F G a", "X X a", "G(a -> X b)", "a W b", "true", "b && !b", "a xor b"]
        {
            let (mut sources, mut formulas) = (SourceMap::new(), Formulas::new());
            // Both atoms exist, in this order, whichever of them the formula names.
            for known in ["a", "b"] {
                let source = sources.add("", known);
                parse(&sources, source, &mut formulas).unwrap();
            }
            let source = sources.add("", text);
            let formula = parse(&sources, source, &mut formulas).unwrap();
            for word in words(4) {
                let last = word.len() - 1;
                for (end, start) in [
                    (RunEnd::End(EndKind::Return), Some(last)),
                    (RunEnd::Lasso { start: 0 }, Some(0)),
                    (RunEnd::Limit, None),
                ] {
                    let found = truth(&formulas, formula, &word, &end);
                    let mut prefixes =
                        (1..=word.len()).map(|length| evaluate_prefix(&formulas, formula, &word[..length]));
                    let first = prefixes.clone().position(|truth| !matches!(truth, PrefixTruth::Open { .. }));
                    let expected = match start {
                        Some(start) => Some(evaluate_lasso(&formulas, formula, &word[..start], &word[start..])),
                        None => prefixes.next_back().and_then(|truth| match truth {
                            PrefixTruth::True => Some(true),
                            PrefixTruth::False => Some(false),
                            PrefixTruth::Open { .. } => None,
                        }),
                    };
                    assert_eq!(found.value, expected, "{text} {word:?} {end:?}");
                    assert_eq!(found.decided_at, first, "{text} {word:?} {end:?}");
                }
                let blocked = truth(&formulas, formula, &word, &RunEnd::Blocked { span: None });
                assert_eq!(blocked.value, None, "what is no execution says nothing");
            }
        }
    }
}
