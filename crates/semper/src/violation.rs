//! What can be said of an execution that violates a property, beyond its steps: at which of them the property breaks,
//! and whether it does so only between the statements of one iteration of a loop.
//!
//! Both are for people. Nothing here decides anything.

use automata::ltl::{AtomId, Binary, Formula, Formulas, Letter, Node, PrefixTruth, Unary};
use automata::ltl::{evaluate_lasso, evaluate_prefix, truth_table};
use certify::{Closing, Replayed};
use foundation::collections::HashSet;
use program::semantics::{ObserveMode, Occasion};
use program::{EdgeId, FunctionId, LocationId, Observe, Program};
use subject::{Subject, execute::loop_start};

/// Words longer than this are not looked at.
const LONGEST_WORD_LETTERS: usize = 20_000;

/// Prefixes longer than this are not evaluated.
const LONGEST_PREFIX_LETTERS: usize = 2_000;

/// The steps at which a formula breaks that is false on a word: where a part that should always hold does not, and
/// where the word decides that the whole is false. The word is a stem and a loop, which is empty where it is only a
/// prefix.
pub fn violating_steps(formulas: &Formulas, formula: Formula, stem: &[Letter], repeated: &[Letter]) -> Vec<usize> {
    let mut steps = Vec::new();
    if stem.len() + repeated.len() > LONGEST_WORD_LETTERS {
        return steps;
    }
    if !repeated.is_empty() {
        let table = truth_table(formulas, formula, stem, repeated);
        let mut open = vec![formula];
        while let Some(part) = open.pop().filter(|_| steps.len() < 3) {
            match formulas.node(part) {
                _ if table.row(part)[0] => {}
                Node::Binary(Binary::And | Binary::Or, left, right) => open.extend([right, left]),
                Node::Binary(Binary::Implies, _, right) => open.push(right),
                Node::Unary(Unary::Globally, body) => steps.extend(table.row(body).iter().position(|holds| !holds)),
                _ => {}
            }
        }
    }
    let word: Vec<Letter> = stem.iter().chain(repeated).cloned().collect();
    let is_false = |length: usize| evaluate_prefix(formulas, formula, &word[..length]) == PrefixTruth::False;
    if steps.is_empty() && word.len() <= LONGEST_PREFIX_LETTERS && is_false(word.len()) {
        // What a prefix decides, all longer ones decide too.
        let (mut too_short, mut enough) = (0, word.len());
        while enough - too_short > 1 {
            let middle = too_short + (enough - too_short) / 2;
            *(if is_false(middle) { &mut enough } else { &mut too_short }) = middle;
        }
        steps.push(enough - 1);
    }
    steps
}

/// The observed letters of a replayed execution: those before the loop, and those of the loop, of which there are none
/// where the execution is only a prefix.
pub(crate) fn letters(replayed: &Replayed, atoms: &[AtomId]) -> (Vec<Letter>, Vec<Letter>) {
    let observations = &replayed.run.observations;
    let letter = |truth: &[bool]| atoms.iter().zip(truth).filter(|(_, holds)| **holds).map(|(atom, _)| *atom).collect();
    let mut stem: Vec<Letter> = observations.iter().map(|observation| letter(&observation.truth)).collect();
    let is_whole = replayed.closing != Closing::BadPrefix && replayed.abridged.is_none();
    let start = loop_start(&replayed.run.end, stem.len()).filter(|_| is_whole).unwrap_or(stem.len());
    let repeated = stem.split_off(start);
    (stem, repeated)
}

/// Advice where a violation depends on what is observed inside of iterations of the main loop: on the word of those
/// observations alone that come last before the head of the loop, the property is not violated. That says nothing of
/// other executions.
pub(crate) fn between_statements(
    subject: &Subject,
    goal: Formula,
    replayed: &Replayed,
    atoms: &[AtomId],
    line_of: impl Fn(EdgeId) -> Option<String>,
) -> Option<String> {
    let program = &subject.program;
    let (stem, repeated) = letters(replayed, atoms);
    let is_lasso = !repeated.is_empty() && stem.len() + repeated.len() <= LONGEST_WORD_LETTERS;
    if !is_lasso || subject.semantics.observe != ObserveMode::Statement || program.has_threads() {
        return None;
    }
    let observations = &replayed.run.observations;
    let taken: Vec<Option<EdgeId>> = observations
        .iter()
        .map(|observation| match observation.occasion {
            Occasion::Edge(edge) => Some(edge),
            _ => None,
        })
        .collect();
    let visited: HashSet<LocationId> = taken.iter().flatten().map(|edge| program.edges[*edge].from).collect();
    let head = main_loop(program, program.entry?, &visited)?;
    let last = last_before(program, head);
    let is_kept = |index: usize| taken[index].is_some_and(|edge| last.contains(&edge));
    let kept = |letters: &[Letter], first: usize| -> Vec<Letter> {
        let of_part = letters.iter().enumerate().filter(|(index, _)| is_kept(first + index));
        of_part.map(|(_, letter)| letter.clone()).collect()
    };
    let (thin_stem, thin_loop) = (kept(&stem, 0), kept(&repeated, stem.len()));
    if thin_loop.is_empty() || !evaluate_lasso(&subject.formulas, goal, &thin_stem, &thin_loop) {
        return None;
    }
    let edge = *program.locations[head].out.first()?;
    let place = line_of(edge).map(|line| format!(" at {line}")).unwrap_or_default();
    Some(format!(
        "`--observe step` with a call of `__VERIFIER_ltl_step()` at the end of the loop{place}: observed once per \
         iteration, this execution does not violate the property"
    ))
}

/// The head of the outermost loop of a function that an execution passes: where an edge leads back to.
fn main_loop(program: &Program, function: FunctionId, visited: &HashSet<LocationId>) -> Option<LocationId> {
    let entry = program.functions[function].entry?;
    let targets = |location: LocationId| program.locations[location].out.iter().map(|edge| program.edges[*edge].to);
    // The locations on the path from the entry, with what is left to be followed of each; a target on it is a head.
    let mut path: Vec<(LocationId, Vec<LocationId>)> = vec![(entry, targets(entry).collect())];
    let mut known = HashSet::from_iter([entry]);
    let mut heads: Vec<(usize, LocationId)> = Vec::new();
    while let Some((_, rest)) = path.last_mut() {
        let Some(next) = rest.pop() else {
            path.pop();
            continue;
        };
        if let Some(depth) = path.iter().position(|(location, _)| *location == next) {
            let inside = path[depth..].iter().any(|(location, _)| visited.contains(location));
            heads.extend(inside.then_some((depth, next)));
        } else if known.insert(next) {
            path.push((next, targets(next).collect()));
        }
    }
    heads.into_iter().min().map(|(_, head)| head)
}

/// The observed edges after which nothing more is observed up to a location.
fn last_before(program: &Program, head: LocationId) -> HashSet<EdgeId> {
    let mut found = HashSet::default();
    let mut known = HashSet::from_iter([head]);
    let mut open = vec![head];
    while let Some(location) = open.pop() {
        for (id, edge) in program.edges.iter().filter(|(_, edge)| edge.to == location) {
            if edge.observe != Observe::No {
                found.insert(id);
            } else if known.insert(edge.from) {
                open.push(edge.from);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use automata::ltl::parse;
    use foundation::{Id, SourceMap};

    use super::*;

    /// The steps at which a formula over `a` and `b` breaks on a word of letters: 1 is `a`, 2 is `b`, 3 is both.
    fn steps(text: &str, stem: &[u8], repeated: &[u8]) -> Vec<usize> {
        let (mut sources, mut formulas) = (SourceMap::new(), Formulas::new());
        for known in ["a", "b", text] {
            let source = sources.add("", known);
            parse(&sources, source, &mut formulas).unwrap();
        }
        let source = sources.add("", text);
        let formula = parse(&sources, source, &mut formulas).unwrap();
        let letter = |bits: &u8| (0..2).filter(|atom| bits >> atom & 1 == 1).map(AtomId::from_index).collect();
        let letters = |word: &[u8]| word.iter().map(letter).collect::<Vec<Letter>>();
        violating_steps(&formulas, formula, &letters(stem), &letters(repeated))
    }

    #[test]
    fn a_formula_breaks_where_a_part_of_it_does() {
        assert_eq!(steps("G a", &[1, 1, 0, 1], &[1]), [2]);
        assert_eq!(steps("G a", &[1, 1], &[1, 3, 2]), [4]);
        assert_eq!(steps("G (a -> F b)", &[2, 1, 2, 1], &[0]), [3]);
        assert_eq!(steps("b -> G a", &[2, 1], &[1]), [0]);
        assert_eq!(steps("G a && G b", &[3, 1, 2], &[3]), [2, 1]);
        assert_eq!(steps("G b || G a", &[3, 1, 2], &[3]), [1, 2]);
        assert_eq!(steps("X X a", &[0, 0, 0], &[1]), [2]);
        assert_eq!(steps("G F a", &[1, 1], &[0]), [2], "from here on it never holds again");
        assert!(steps("F a", &[0, 0], &[2]).is_empty(), "no step decides it");
    }

    #[test]
    fn a_prefix_breaks_a_formula_with_the_step_that_decides() {
        assert_eq!(steps("G a", &[1, 1, 0], &[]), [2]);
        assert_eq!(steps("a U b", &[1, 1, 0, 1], &[]), [2]);
        assert!(steps("F a", &[0, 0], &[]).is_empty());
    }
}
