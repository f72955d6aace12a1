//! Whether everything that one automaton accepts is accepted by another: the emptiness of their difference.
//!
//! The letters are first replaced by the pieces that the larger automaton's guards can tell apart, so that the rest works
//! on plain symbols. Then the smaller automaton runs beside a complement of the larger one (`automata::algorithms`).
//! What is complemented is chosen by class, as the cost differs by orders of magnitude; an automaton outside the cheap
//! classes is taken apart first, into the part that accepts in weak components and one part for each other
//! accepting component: it is the union of these, so the complement is the intersection of theirs.
//!
//! Complements and the search for emptiness are those of the engines: they know nothing of formulas, but an error in them
//! would not be seen here. Where a simulation shows an inclusion, nobody asks.

use automata::algorithms::classify::{self, Kind};
use automata::algorithms::lasso::construct;
use automata::algorithms::{
    Antichain, Complement, Difference, Exact, Lasso, Minterms, Residue, RunEdge, StateBased, Variant, search_with, trim,
};
use automata::buchi::{Automaton, ComponentId, Components, Guard, Label, Marks, StateId, Symbol};
use automata::ltl::Letter;
use foundation::Budget;

use crate::Unexplored;

/// The class of an automaton, which says how it is complemented.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AutomatonClass {
    /// It accepts by reaching a trap: by subsets.
    Terminal,
    /// It has at most one run on every word.
    Deterministic,
    /// Every component accepts all or none: by breakpoints.
    Weak,
    /// It is deterministic from its accepting states on: by NCSB.
    SemiDeterministic,
    /// None of these: by ranks.
    General,
}

/// The word `stem · repeated^ω`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct PeriodicWord {
    /// How it begins.
    pub stem: Vec<Letter>,
    /// What is repeated for ever; not empty.
    pub repeated: Vec<Letter>,
}

/// The most letters that the guards of an automaton may tell apart.
const MOST_LETTERS: usize = 1 << 10;

/// The most edges over these letters.
const MOST_EDGES: usize = 1 << 19;

/// The logarithm of how many guesses the complements may make about one letter.
const MOST_GUESSED_BITS: usize = 18;

const TOO_LARGE: &str = "the formula or its automaton is too large";

/// The classes of the larger automaton's parts, if no word of the smaller one is in their complements; else such a word.
pub fn by_complement(
    smaller: &Automaton<Guard>,
    larger: &Automaton<Guard>,
    budget: &Budget,
) -> Result<Result<Vec<AutomatonClass>, PeriodicWord>, Unexplored> {
    let (smaller, larger) = (trim(smaller), trim(larger));
    let letters = letters(&larger, budget)?;
    let alphabet = Minterms::of_letters((0..letters.len() as u32).map(Symbol));
    let complements = complements(&over_symbols(&larger, &letters, budget)?, &alphabet)?;
    let classes = complements.iter().map(class).collect();
    if smaller.acceptance_sets() as usize + complements.len() > Marks::MOST as usize {
        return Err(Unexplored::not_covered(TOO_LARGE, None));
    }
    let difference = Difference::new(over_symbols(&smaller, &letters, budget)?, complements, Exact);
    let found = search_with(&difference, &mut Antichain::new(&difference), budget)?;
    Ok(match construct(&difference, &found, budget)? {
        None => Ok(classes),
        Some(lasso) => Err(word(&smaller, &letters, &lasso)),
    })
}

/// Disjoint guards that together stand for all letters, each of which an edge reads as a whole or not at all.
fn letters(automaton: &Automaton<Guard>, budget: &Budget) -> Result<Vec<Guard>, Unexplored> {
    let mut minterms = Minterms::of_letters([Guard::constant(true)]);
    for edge in automaton.edges() {
        budget.check()?;
        minterms.refine([&edge.label]);
        if minterms.letters().len() > MOST_LETTERS {
            return Err(Unexplored::not_covered(TOO_LARGE, None));
        }
    }
    Ok(minterms.letters().to_vec())
}

/// The automaton with an edge for every piece that shares a letter with a guard.
fn over_symbols(
    automaton: &Automaton<Guard>,
    letters: &[Guard],
    budget: &Budget,
) -> Result<Automaton<Symbol>, Unexplored> {
    let mut exact = Automaton::new(automaton.acceptance_sets());
    for _ in automaton.states() {
        exact.add_state();
    }
    let mut edges = 0;
    for edge in automaton.edges() {
        budget.check()?;
        for (number, _) in letters.iter().enumerate().filter(|(_, letter)| letter.meet(&edge.label).is_some()) {
            exact.add_edge(edge.from, Symbol(number as u32), edge.to, edge.marks);
            edges += 1;
        }
        if edges > MOST_EDGES {
            return Err(Unexplored::not_covered(TOO_LARGE, None));
        }
    }
    exact.set_initial(automaton.initial().to_vec());
    Ok(exact)
}

/// Complements whose intersection is the complement of the automaton.
fn complements(
    automaton: &Automaton<Symbol>,
    alphabet: &Minterms<Symbol>,
) -> Result<Vec<Complement<StateBased<Symbol>>>, Unexplored> {
    let classified = |automaton: &Automaton<Symbol>| {
        let module = StateBased::of(automaton);
        let kind = classify::kind(&module, alphabet);
        (module, kind)
    };
    let whole = classified(automaton);
    let parts = if whole.1 == Kind::General { parts(automaton).iter().map(classified).collect() } else { vec![whole] };
    if parts.iter().map(|(module, kind)| guessed_bits(module, kind)).sum::<usize>() > MOST_GUESSED_BITS {
        return Err(Unexplored::not_covered(TOO_LARGE, None));
    }
    Ok(parts.into_iter().map(|(module, kind)| Complement::new(module, kind, Variant::Lazy)).collect())
}

/// The logarithm of how many successors a state of the complement may have on one letter, at most. They are listed
/// before they are looked at, so this must be small.
fn guessed_bits(module: &StateBased<Symbol>, kind: &Kind) -> usize {
    match kind {
        Kind::FiniteTrace | Kind::Weak => 0,
        Kind::Deterministic => 1,
        Kind::SemiDeterministic { second_part } => second_part.minus(module.accepting_states()).len(),
        Kind::General => {
            let ordinary = module.state_count() - module.accepting_states().len();
            (1..=ordinary).map(|choices| (usize::BITS - choices.leading_zeros()) as usize).sum()
        }
    }
}

/// Automata whose union is the given one: each of its runs ends up in one component, and is accepted there.
fn parts(automaton: &Automaton<Symbol>) -> Vec<Automaton<Symbol>> {
    let components = Components::of(automaton);
    let accepting = components.iter().filter(|(_, component)| component.is_accepting);
    let (weak, strong): (Vec<_>, Vec<_>) =
        accepting.partition(|(_, component)| component.common_marks == automaton.all_marks());
    let accepting_in = |chosen: &[ComponentId]| {
        let part = automaton.map_edges(automaton.acceptance_sets(), |edge| {
            let inside = components.inside(edge.from, edge.to);
            let marks =
                if inside.is_some_and(|component| chosen.contains(&component)) { edge.marks } else { Marks::NONE };
            Some((edge.label, marks))
        });
        trim(&part)
    };
    let weak: Vec<ComponentId> = weak.into_iter().map(|(id, _)| id).collect();
    let strong = strong.into_iter().map(|(id, _)| vec![id]);
    { [weak].into_iter().filter(|weak| !weak.is_empty()) }.chain(strong).map(|chosen| accepting_in(&chosen)).collect()
}

fn class<M>(complement: &Complement<M>) -> AutomatonClass {
    match complement {
        Complement::FiniteTrace(_) => AutomatonClass::Terminal,
        Complement::Deterministic(_) => AutomatonClass::Deterministic,
        Complement::Weak(_) => AutomatonClass::Weak,
        Complement::SemiDeterministic(_) => AutomatonClass::SemiDeterministic,
        Complement::General(_) => AutomatonClass::General,
    }
}

/// The letters along a lasso of the difference: on each step one that the smaller automaton reads, of the step's piece.
fn word<C>(smaller: &Automaton<Guard>, letters: &[Guard], lasso: &Lasso<Residue<StateId, C>, Symbol>) -> PeriodicWord {
    let steps = || lasso.stem.iter().chain(&lasso.cycle);
    let targets = steps().skip(1).map(|step| step.from.minuend).chain([lasso.honda().minuend]);
    let letter = |(step, to): (&RunEdge<Residue<StateId, C>, Symbol>, StateId)| -> Letter {
        let piece = &letters[step.label.0 as usize];
        let marks = step.marks.intersection(smaller.all_marks());
        let edges = smaller.edges_from(step.from.minuend).iter();
        let taken = edges.filter(|edge| edge.to == to && edge.marks == marks).find_map(|edge| edge.label.meet(piece));
        taken.and_then(|label| label.example()).expect("a step of the difference is one of the smaller automaton")
    };
    let mut stem: Vec<Letter> = steps().zip(targets).map(letter).collect();
    let repeated = stem.split_off(lasso.stem.len());
    PeriodicWord { stem, repeated }
}
