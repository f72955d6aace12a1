//! Which verdicts on finite traces a formula can ever have.
//!
//! A finite trace `u` of length `n > 0` has one of four values (Morse, Cordeiro, Nicole and Fischer, *Model checking
//! LTL properties over ANSI-C programs with bounded traces*, SoSyM 2013, definition 2; the domain is that of Bauer,
//! Leucker and Schallhart): *true* if all infinite extensions of `u` satisfy the formula, *false* if none does, and
//! otherwise *presumably true* or *presumably false* as `u` with its last letter repeated for ever does or does not
//! satisfy it. Section 5 of the paper reads from the automaton which of the four can occur at all; so does this
//! module, with the automata of the formula and of its negation, and it gives a shortest trace for each.
//!
//! Both automata are determinised side by side. A trace leads to a pair of sets of states: no state left for the
//! formula means *false*, none left for the negation means *true*, and otherwise the last letter decides. Letters are
//! never enumerated: the letters that a state accepts when they are repeated for ever are computed as one guard.
//! Letters range over all valuations of the atoms, whether or not a program can produce them (section 5.4).

use std::collections::BTreeMap;

use foundation::collections::HashMap;
use foundation::{Budget, Id};

use super::prune::trim;
use super::{Failure, Options, Target, translate};
use crate::buchi::{Automaton, ComponentId, Components, Guard, StateId};
use crate::ltl::{Formula, Formulas, Letter, Unary};

/// The value of a formula on a finite trace, from the worst to the best.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum BoundedVerdict {
    /// No infinite extension satisfies the formula.
    False,
    /// Some extension satisfies it, but the one that repeats the last letter does not.
    PresumablyFalse,
    /// Some extension violates it, but the one that repeats the last letter does not.
    PresumablyTrue,
    /// Every infinite extension satisfies the formula.
    True,
}

impl BoundedVerdict {
    /// All four, from the worst to the best.
    pub const ALL: [BoundedVerdict; 4] =
        [BoundedVerdict::False, BoundedVerdict::PresumablyFalse, BoundedVerdict::PresumablyTrue, BoundedVerdict::True];
}

impl std::fmt::Display for BoundedVerdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            BoundedVerdict::False => "false",
            BoundedVerdict::PresumablyFalse => "presumably false",
            BoundedVerdict::PresumablyTrue => "presumably true",
            BoundedVerdict::True => "true",
        })
    }
}

/// Which values occur.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BoundedVerdicts {
    examples: [Option<Vec<Letter>>; 4],
    is_complete: bool,
}

impl BoundedVerdicts {
    /// A shortest trace with this value, if one is known.
    pub fn example(&self, verdict: BoundedVerdict) -> Option<&[Letter]> {
        self.examples[verdict as usize].as_deref()
    }

    /// Whether some trace has this value; nothing if it is not known.
    pub fn is_possible(&self, verdict: BoundedVerdict) -> Option<bool> {
        match self.example(verdict) {
            Some(_) => Some(true),
            None => self.is_complete.then_some(false),
        }
    }

    fn has_all(&self) -> bool {
        self.examples.iter().all(Option::is_some)
    }

    fn add(&mut self, verdict: BoundedVerdict, example: impl FnOnce() -> Vec<Letter>) {
        self.examples[verdict as usize].get_or_insert_with(example);
    }
}

/// The most pairs of sets of states that are looked at, and the most steps between them.
const MOST_PAIRS: usize = 1 << 12;
const MOST_STEPS: usize = 1 << 16;
/// Components with more states than this are not searched for cycles under one letter.
const MOST_STATES: usize = 1 << 7;

/// The values that a formula can have.
pub fn bounded_verdicts_of(
    formulas: &mut Formulas,
    formula: Formula,
    budget: &Budget,
) -> Result<BoundedVerdicts, Failure> {
    let options = Options { target: Target::Tgba, budget: budget.clone(), ..Options::default() };
    let negation = formulas.unary(Unary::Not, formula);
    let holds = translate(formulas, formula, &options)?;
    let fails = translate(formulas, negation, &options)?;
    bounded_verdicts(&trim(&holds.automaton), &trim(&fails.automaton), budget)
}

/// The values that occur, given the automaton of a formula and that of its negation. From every state that an edge
/// enters, some word must be accepted, as [`trim`] sees to it.
pub fn bounded_verdicts(
    formula: &Automaton<Guard>,
    negation: &Automaton<Guard>,
    budget: &Budget,
) -> Result<BoundedVerdicts, Failure> {
    let repeated = accepted_when_repeated(formula, budget)?;
    let mut found = BoundedVerdicts::default();
    let mut traces =
        Traces::from(TracePair { formula: sorted(formula.initial()), negation: sorted(negation.initial()) });
    let mut steps = 0;
    let mut next = 0;
    while next < traces.pairs.len() && !found.has_all() {
        if next == MOST_PAIRS || steps > MOST_STEPS {
            return Ok(found);
        }
        let successors = successors(&traces.pairs[next], formula, negation, budget)?;
        steps += successors.len();
        for (pair, letters) in successors {
            let is_final = match (pair.formula.is_empty(), pair.negation.is_empty()) {
                (true, _) => Some(BoundedVerdict::False),
                (false, true) => Some(BoundedVerdict::True),
                (false, false) => None,
            };
            if let Some(verdict) = is_final {
                found.add(verdict, || traces.followed_by(next, &letters));
                continue;
            }
            let accepted = any(pair.formula.iter().map(|state| &repeated[state.index()]));
            for (verdict, letters) in [
                (BoundedVerdict::PresumablyTrue, letters.and(&accepted)),
                (BoundedVerdict::PresumablyFalse, letters.and_not(&accepted)),
            ] {
                if !letters.is_false() {
                    found.add(verdict, || traces.followed_by(next, &letters));
                }
            }
            traces.add(pair, next, &letters);
        }
        next += 1;
    }
    found.is_complete = true;
    Ok(found)
}

/// The states of both automata that a trace may lead to, in ascending order.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
struct TracePair {
    formula: Vec<StateId>,
    negation: Vec<StateId>,
}

/// Pairs in the order of a breadth-first search, each with a shortest trace to it.
struct Traces {
    pairs: Vec<TracePair>,
    known: HashMap<TracePair, usize>,
    /// The pair before each pair, and a letter that leads on; nothing for the first.
    before: Vec<Option<(usize, Letter)>>,
}

impl Traces {
    fn from(start: TracePair) -> Self {
        Self { known: HashMap::from_iter([(start.clone(), 0)]), pairs: vec![start], before: vec![None] }
    }

    fn add(&mut self, pair: TracePair, before: usize, letters: &Guard) {
        if !self.known.contains_key(&pair) {
            self.known.insert(pair.clone(), self.pairs.len());
            self.pairs.push(pair);
            self.before.push(Some((before, example(letters))));
        }
    }

    /// The trace to a pair, and one of these letters after it.
    fn followed_by(&self, pair: usize, letters: &Guard) -> Vec<Letter> {
        let mut trace = vec![example(letters)];
        let mut at = &self.before[pair];
        while let Some((before, letter)) = at {
            trace.push(letter.clone());
            at = &self.before[*before];
        }
        trace.reverse();
        trace
    }
}

fn example(letters: &Guard) -> Letter {
    letters.example().expect("only sets of letters that are not empty are kept")
}

fn sorted(states: &[StateId]) -> Vec<StateId> {
    let mut states = states.to_vec();
    states.sort_unstable();
    states
}

fn any<'a>(guards: impl Iterator<Item = &'a Guard>) -> Guard {
    guards.fold(Guard::constant(false), |all, guard| all.or(guard))
}

/// The pairs after a pair with the letters that lead to them, which are disjoint and cover everything.
fn successors(
    pair: &TracePair,
    formula: &Automaton<Guard>,
    negation: &Automaton<Guard>,
    budget: &Budget,
) -> Result<BTreeMap<TracePair, Guard>, Failure> {
    let none = TracePair { formula: Vec::new(), negation: Vec::new() };
    let mut parts = BTreeMap::from([(none, Guard::constant(true))]);
    let of_formula = pair.formula.iter().flat_map(|&state| formula.edges_from(state)).map(|edge| (edge, true));
    let of_negation = pair.negation.iter().flat_map(|&state| negation.edges_from(state)).map(|edge| (edge, false));
    for (edge, is_formula) in of_formula.chain(of_negation) {
        let mut refined: BTreeMap<TracePair, Guard> = BTreeMap::new();
        for (part, letters) in parts {
            budget.check()?;
            let mut with_edge = part.clone();
            let states = if is_formula { &mut with_edge.formula } else { &mut with_edge.negation };
            if let Err(at) = states.binary_search(&edge.to) {
                states.insert(at, edge.to);
            }
            for (part, letters) in [(with_edge, letters.and(&edge.label)), (part, letters.and_not(&edge.label))] {
                if !letters.is_false() {
                    let known = refined.entry(part).or_insert_with(|| Guard::constant(false));
                    *known = known.or(&letters);
                }
            }
        }
        if refined.len() > MOST_STEPS {
            return Err(Failure::TooLarge);
        }
        parts = refined;
    }
    Ok(parts)
}

/// For each state, the letters that it accepts when they are repeated for ever.
fn accepted_when_repeated(automaton: &Automaton<Guard>, budget: &Budget) -> Result<Vec<Guard>, Failure> {
    let components = Components::of(automaton);
    let mut accepted = vec![Guard::constant(false); automaton.state_count()];
    for (id, component) in components.iter() {
        if component.is_accepting {
            if component.states.len() > MOST_STATES {
                return Err(Failure::TooLarge);
            }
            let cycles = accepting_cycles(automaton, &components, id, budget)?;
            for (&state, letters) in component.states.iter().zip(cycles) {
                accepted[state.index()] = letters;
            }
        }
        // Components that edges lead to come first, so that only this one has to be gone round.
        let mut has_changed = true;
        while has_changed {
            budget.check()?;
            has_changed = false;
            for &state in &component.states {
                let known = accepted[state.index()].clone();
                let leads_on = automaton.edges_from(state).iter();
                let all = leads_on.fold(known.clone(), |all, edge| all.or(&edge.label.and(&accepted[edge.to.index()])));
                has_changed |= all != known;
                accepted[state.index()] = all;
            }
        }
    }
    Ok(accepted)
}

/// For each state of an accepting component, the letters under which a cycle leads from it back to it through edges
/// of all acceptance sets.
fn accepting_cycles(
    automaton: &Automaton<Guard>,
    components: &Components,
    id: ComponentId,
    budget: &Budget,
) -> Result<Vec<Guard>, Failure> {
    let states = &components.get(id).states;
    let count = states.len();
    let position: HashMap<StateId, usize> = states.iter().enumerate().map(|(at, &state)| (state, at)).collect();
    let inside = || {
        let edges = states.iter().flat_map(|&state| automaton.edges_from(state));
        edges.filter_map(|edge| Some((edge, position[&edge.from], *position.get(&edge.to)?)))
    };
    // By which letters, repeated, one state leads to another in one step or more (Warshall's closure).
    let mut leads = vec![vec![Guard::constant(false); count]; count];
    for (edge, from, to) in inside() {
        leads[from][to] = leads[from][to].or(&edge.label);
    }
    for through in 0..count {
        for from in 0..count {
            budget.check()?;
            let first = leads[from][through].clone();
            let further: Vec<Guard> = leads[through].iter().map(|second| first.and(second)).collect();
            for (known, more) in leads[from].iter_mut().zip(&further) {
                *known = known.or(more);
            }
        }
    }
    let leads_or_stays = |from: usize, to: usize| match from == to {
        true => Guard::constant(true),
        false => leads[from][to].clone(),
    };
    let mut cycles: Vec<Guard> = (0..count).map(|home| leads[home][home].clone()).collect();
    for set in 0..automaton.acceptance_sets() {
        for (home, letters) in cycles.iter_mut().enumerate() {
            budget.check()?;
            let marked = inside().filter(|(edge, ..)| edge.marks.contains(set));
            let through = marked
                .map(|(edge, from, to)| leads_or_stays(home, from).and(&edge.label).and(&leads_or_stays(to, home)));
            let through = through.fold(Guard::constant(false), |all, one| all.or(&one));
            *letters = letters.and(&through);
        }
    }
    Ok(cycles)
}

#[cfg(test)]
mod tests;
