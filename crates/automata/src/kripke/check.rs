//! Whether all paths of a Kripke structure satisfy a formula, by the textbook's procedure (section 3 of the lecture
//! notes): the automaton of the negated formula, the product with the structure, and the search for a run of it.

use foundation::{Budget, Diagnostics, Exhausted};

use super::structure::{Kripke, KripkeState};
use super::view::{KripkePosition, Observed};
use crate::algorithms::{Product, RunEdge, lasso, search};
use crate::buchi::{Automaton, Guard};
use crate::ltl::{Formula, Formulas, Unary};
use crate::translate::{self, Options, Target, translate};

/// A path of a structure: the stem and then the cycle for ever.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KripkePath {
    /// The states up to where the cycle begins; there may be none.
    pub stem: Vec<KripkeState>,
    /// The states of the cycle; there is one at least.
    pub cycle: Vec<KripkeState>,
}

/// Why a formula could not be checked.
#[derive(Clone, Debug)]
pub enum NotChecked {
    /// Some atoms of the formula have no meaning in the structure.
    Atoms(Diagnostics),
    /// The formula could not be translated, or the budget was exhausted.
    Translation(translate::Failure),
}

impl From<Exhausted> for NotChecked {
    fn from(reason: Exhausted) -> Self {
        NotChecked::Translation(translate::Failure::Exhausted(reason))
    }
}

/// A short path that violates the formula, or nothing if all paths satisfy it.
pub fn check_formula(
    kripke: &Kripke,
    formulas: &mut Formulas,
    formula: Formula,
    budget: &Budget,
) -> Result<Option<KripkePath>, NotChecked> {
    let atoms = formulas.atoms_of(formula);
    let observed = Observed::new(kripke, formulas.atoms(), &atoms).map_err(NotChecked::Atoms)?;
    let negated = formulas.unary(Unary::Not, formula);
    let options = Options { target: Target::Tgba, budget: budget.clone(), ..Options::default() };
    let translation = translate(formulas, negated, &options).map_err(NotChecked::Translation)?;
    Ok(check(&observed, &translation.automaton, budget)?)
}

/// A short path that the automaton accepts, if there is any. The atoms of the automaton must be among those that the
/// structure is observed through.
pub fn check(
    observed: &Observed<'_>,
    automaton: &Automaton<Guard>,
    budget: &Budget,
) -> Result<Option<KripkePath>, Exhausted> {
    let product = Product::new(observed, automaton);
    let found = search(&product, budget)?;
    let lasso = lasso::construct(&product, &found, budget)?;
    Ok(lasso.map(|lasso| {
        // The position before the first state is not part of the path; no cycle leads back to it.
        let state = |step: RunEdge<KripkePosition, Guard>| match step.from {
            KripkePosition::At(state) => Some(state),
            KripkePosition::Start => None,
        };
        let lasso = lasso.map(|(position, _)| position);
        let stem = lasso.stem.into_iter().filter_map(state).collect();
        shortened(KripkePath { stem, cycle: lasso.cycle.into_iter().filter_map(state).collect() })
    }))
}

/// The same path with a cycle that is not repeated inside itself and begins as early as possible.
fn shortened(mut run: KripkePath) -> KripkePath {
    let length = run.cycle.len();
    let repeats =
        |part: &usize| length.is_multiple_of(*part) && run.cycle.chunks(*part).all(|c| c == &run.cycle[..*part]);
    let part = (1..=length).find(repeats).expect("a cycle repeats itself as a whole");
    run.cycle.truncate(part);
    while run.stem.last().is_some_and(|last| Some(last) == run.cycle.last()) {
        run.stem.pop();
        run.cycle.rotate_right(1);
    }
    run
}
