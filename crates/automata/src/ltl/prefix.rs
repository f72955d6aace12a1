//! The truth of a formula on a finite prefix of a word: decided if all infinite extensions agree, else open.
//!
//! The formula is *progressed* through the prefix: after each letter we hold what the rest of the word must satisfy
//! (Bacchus and Kabanza, *Using temporal logics to express search control knowledge for planning*, 2000;
//! Havelund and Roşu 2001). The remaining formula is kept as alternatives of sets of obligations, a normal form, so
//! it does not grow with the prefix. At the end the remaining formula and that of the negation are tested for
//! satisfiability by a plain tableau. The answer is exact up to a limit on the work, and says when it is not.

use super::atom::AtomId;
use super::formula::{Formula, Formulas};
use super::tableau::{ChoiceSet, Closure, LimitReached, Set, Work, add, choices_for, is_satisfiable};
use super::word::Letter;
use foundation::collections::HashMap;

/// The truth of a formula on a finite prefix, where extensions range over all words of letters over its atoms.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PrefixTruth {
    /// Every infinite extension satisfies the formula.
    True,
    /// No infinite extension satisfies the formula.
    False,
    /// Some extensions may satisfy it and others not.
    Open {
        /// Whether there are extensions of both kinds for certain. Otherwise the computation was ended by its
        /// limit, and nothing is known.
        exact: bool,
    },
}

/// The truth of a formula on a finite prefix, which may be empty.
pub fn evaluate_prefix(formulas: &Formulas, formula: Formula, prefix: &[Letter]) -> PrefixTruth {
    let mut progression = Progression::new(formulas, formula);
    for letter in prefix {
        progression.step(letter);
    }
    progression.truth()
}

/// A formula that is progressed through a word, letter by letter.
#[derive(Clone, Debug)]
pub struct Progression {
    closure: Closure,
    /// The atoms that the formula speaks of; all others are dropped from letters.
    atoms: Letter,
    /// What is left of the formula.
    formula: RemainingObligations,
    /// What is left of its negation.
    negation: RemainingObligations,
    expansions: HashMap<Letter, Vec<ChoiceSet>>,
    steps: HashMap<(Vec<Set>, Letter), Vec<Set>>,
    work: Work,
}

/// What the rest of the word must satisfy: all obligations of one of the sets. Nothing is known once a limit was
/// reached.
type RemainingObligations = Result<Vec<Set>, LimitReached>;

/// How many comparisons a progression may make through all its steps, and a test for satisfiability again.
const MOST_COMPARISONS: u64 = 1 << 24;

/// How many atoms are tried one by one when a witness is looked for.
const MOST_FLIPPED_ATOMS: usize = 32;

/// How many results are remembered.
const MOST_REMEMBERED_RESULTS: usize = 1 << 12;

impl Progression {
    /// The formula before the first letter.
    pub fn new(formulas: &Formulas, formula: Formula) -> Self {
        let closure = Closure::of(formulas, formula);
        let remainder = |obligation: u32| Ok(vec![vec![obligation]]);
        Self {
            formula: remainder(closure.formula),
            negation: remainder(closure.negation),
            closure,
            atoms: formulas.atoms_of(formula).into_iter().collect(),
            expansions: HashMap::default(),
            steps: HashMap::default(),
            work: Work::new(MOST_COMPARISONS),
        }
    }

    /// Goes past the next letter of the word.
    pub fn step(&mut self, letter: &Letter) {
        let letter = letter.intersection(&self.atoms);
        for is_negation in [false, true] {
            let side = if is_negation { &mut self.negation } else { &mut self.formula };
            let Ok(before) = std::mem::replace(side, Err(LimitReached)) else { continue };
            let after = self.step_from(before, &letter);
            *(if is_negation { &mut self.negation } else { &mut self.formula }) = after;
        }
    }

    /// What is left of the formula, as alternatives of sets of obligations: equal ones satisfy the same words from here on.
    /// None where that grew beyond a limit.
    pub fn obligations(&self) -> Option<&[Vec<u32>]> {
        self.formula.as_deref().ok()
    }

    /// The truth on the prefix so far.
    pub fn truth(&self) -> PrefixTruth {
        match (self.is_satisfiable(&self.formula), self.is_satisfiable(&self.negation)) {
            (Ok(false), _) => PrefixTruth::False,
            (_, Ok(false)) => PrefixTruth::True,
            (formula, negation) => PrefixTruth::Open { exact: formula.is_ok() && negation.is_ok() },
        }
    }

    fn is_satisfiable(&self, remainder: &RemainingObligations) -> Result<bool, LimitReached> {
        let sets = remainder.as_ref().map_err(|&limit| limit)?;
        // A witness that is easily found saves a tableau that may be too large.
        if sets.is_empty() || self.is_met_by_repeating_a_letter(sets) {
            return Ok(!sets.is_empty());
        }
        is_satisfiable(&self.closure, sets, &mut Work::new(MOST_COMPARISONS))
    }

    /// Whether a word meets the remaining formula that repeats one of a few letters: no atom, all, one, or all but one.
    fn is_met_by_repeating_a_letter(&self, sets: &[Set]) -> bool {
        let flipped = |letter: &Letter, atom: AtomId| {
            let mut flipped = letter.clone();
            if letter.contains(atom) {
                flipped.remove(atom)
            } else {
                flipped.insert(atom)
            }
            flipped
        };
        let none = Letter::new();
        let one_changed = self.atoms.iter().take(MOST_FLIPPED_ATOMS);
        let changed = one_changed.flat_map(|atom| [flipped(&none, atom), flipped(&self.atoms, atom)]);
        [none.clone(), self.atoms.clone()].into_iter().chain(changed).any(|letter| {
            let met = self.closure.met_by_repeating(&letter);
            sets.iter().any(|set| set.iter().all(|&obligation| met[obligation as usize]))
        })
    }

    fn step_from(&mut self, before: Vec<Set>, letter: &Letter) -> RemainingObligations {
        let key = (before, letter.clone());
        if let Some(after) = self.steps.get(&key) {
            return Ok(after.clone());
        }
        if !self.expansions.contains_key(letter) {
            let expansion = self.closure.expand(Some(letter), &mut self.work)?;
            if self.expansions.len() >= MOST_REMEMBERED_RESULTS {
                self.expansions.clear();
            }
            self.expansions.insert(letter.clone(), expansion);
        }
        let mut alternatives = ChoiceSet::new();
        for set in &key.0 {
            for choice in choices_for(set, &self.expansions[letter], &mut self.work)? {
                add(&mut alternatives, choice, &mut self.work)?;
            }
        }
        let mut after: Vec<Set> = alternatives.into_iter().map(|choice| choice.next).collect();
        after.sort_unstable();
        if self.steps.len() >= MOST_REMEMBERED_RESULTS {
            self.steps.clear();
        }
        self.steps.insert(key, after.clone());
        Ok(after)
    }
}
