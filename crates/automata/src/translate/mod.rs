//! From formulas to automata: LTL to transition-based generalised Büchi automata, and on to Büchi automata.
//!
//! ```text
//! formula ─ simplify ─► normal form ─ tableau ─► generalised automaton ─ trim, simulate ─► smaller one
//!                                            └─ obligations: minimal_weak ─► smallest deterministic one
//!         ─ degeneralise ─► Büchi automaton ─ trim, simulate ─► smaller one
//! ```
//!
//! [`translate`] runs all of it; every stage is a function of its own that keeps the language. Beside it stand
//! questions about a property that are answered by its automata: [`strength`], [`stutter`], [`hierarchy`],
//! [`bounded`].
//! `docs/design/translation.md` tells the whole with an example.

use foundation::{Budget, Exhausted};

use crate::buchi::{Automaton, Guard, Marks};
use crate::ltl::{Formula, Formulas};

pub mod bounded;
pub mod degeneralise;
pub mod hierarchy;
mod minterms;
pub mod product;
pub mod prune;
pub mod simplify;
pub mod simulation;
pub mod strength;
pub mod stutter;
pub mod tableau;
pub mod weak;

use degeneralise::{Placement, degeneralise};
use prune::{Transient, simplify_acceptance, simplify_state_acceptance, trim, without_false_edges};
use simplify::Simplifier;
use simulation::{Direction, simulation_quotient};

/// The kind of automaton that is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Target {
    /// Generalised acceptance on edges, with any number of sets.
    Tgba,
    /// One acceptance set, on edges.
    Buchi,
    /// One acceptance set, on states: all edges that leave a state carry the mark, or none does.
    #[default]
    StateBuchi,
}

/// An automaton with the wanted kind of acceptance for the same language.
pub fn converted(automaton: &Automaton<Guard>, target: Target, budget: &Budget) -> Result<Automaton<Guard>, Failure> {
    let placement = match target {
        Target::Tgba => return Ok(automaton.clone()),
        Target::Buchi => Placement::Edges,
        Target::StateBuchi => Placement::States,
    };
    degeneralise(&trim(&without_false_edges(automaton)), placement, budget)
}

/// How much is done to make the automaton small.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Effort {
    /// Rewriting of the formula, and removal of useless states.
    Low,
    /// Everything.
    #[default]
    High,
}

/// What is wanted of a translation.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The kind of automaton.
    pub target: Target,
    /// How much is done to make it small.
    pub effort: Effort,
    /// What may be spent. Translation takes exponential time in the worst case.
    pub budget: Budget,
}

/// Why there is no automaton.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Failure {
    /// The budget was exhausted.
    Exhausted(Exhausted),
    /// The formula nests operators too deeply, or a label would be too large.
    TooLarge,
    /// More acceptance sets would be needed than an automaton can have ([`Marks::MOST`]).
    TooManyEventualities,
}

impl From<Exhausted> for Failure {
    fn from(reason: Exhausted) -> Failure {
        Failure::Exhausted(reason)
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Exhausted(reason) => write!(f, "the limit on {reason} was reached"),
            Failure::TooLarge => f.write_str("the formula is too large"),
            Failure::TooManyEventualities => {
                write!(f, "the formula has more than {} different eventualities", Marks::MOST)
            }
        }
    }
}

/// The size of an automaton.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Default)]
pub struct AutomatonSize {
    /// Its states.
    pub states: usize,
    /// Its edges.
    pub edges: usize,
    /// Its acceptance sets.
    pub acceptance_sets: u32,
}

impl AutomatonSize {
    /// The size of this automaton.
    pub fn of<L>(automaton: &Automaton<L>) -> AutomatonSize {
        AutomatonSize {
            states: automaton.state_count(),
            edges: automaton.edge_count(),
            acceptance_sets: automaton.acceptance_sets(),
        }
    }
}

/// What a formula was translated to.
#[derive(Clone, Debug)]
pub struct Translation {
    /// The automaton, which accepts the words that satisfy the formula.
    pub automaton: Automaton<Guard>,
    /// The formula after rewriting, in negation normal form.
    pub simplified: Formula,
    /// The size of the automaton that the tableau gave.
    pub tableau: AutomatonSize,
    /// The size of the reduced generalised automaton.
    pub generalised: AutomatonSize,
    /// The size of the automaton itself.
    pub size: AutomatonSize,
    /// Whether the automaton is the smallest weak deterministic one.
    pub is_minimal_weak: bool,
}

/// Translates a formula into an automaton that accepts the words that satisfy it.
pub fn translate(formulas: &mut Formulas, formula: Formula, options: &Options) -> Result<Translation, Failure> {
    simplify::with_room_for(formulas, formula, |formulas| translate_here(formulas, formula, options))?
}

fn translate_here(formulas: &mut Formulas, formula: Formula, options: &Options) -> Result<Translation, Failure> {
    let budget = &options.budget;
    let simplified = simplify::simplify_within(formulas, formula, budget);
    let built = tableau::tableau(formulas, simplified, budget)?;
    let tableau = AutomatonSize::of(&built);
    let pruned = simplify_acceptance(&trim(&built), Transient::Unmarked);
    let generalised = match options.effort {
        Effort::Low => pruned,
        Effort::High => reduced(pruned, budget)?,
    };
    let mut translation = Translation {
        simplified,
        tableau,
        generalised: AutomatonSize::of(&generalised),
        size: AutomatonSize::default(),
        is_minimal_weak: false,
        automaton: generalised,
    };
    let weak = match options.effort {
        Effort::Low => None,
        Effort::High => weak_automaton(formulas, simplified, &translation.automaton, budget)?,
    };
    translation.automaton = towards(options, translation.automaton)?;
    if let Some(weak) = weak {
        let weak = towards(&Options { effort: Effort::Low, ..options.clone() }, weak)?;
        if weak.state_count() <= translation.automaton.state_count() {
            translation.automaton = weak;
            translation.is_minimal_weak = true;
        }
    }
    translation.size = AutomatonSize::of(&translation.automaton);
    Ok(translation)
}

/// The smallest weak deterministic automaton, if the property is an obligation and this is not too costly to find out.
fn weak_automaton(
    formulas: &mut Formulas,
    simplified: Formula,
    automaton: &Automaton<Guard>,
    budget: &Budget,
) -> Result<Option<Automaton<Guard>>, Failure> {
    let most_states = MOST_COMPLEMENT_STATES + 8 * automaton.state_count();
    let complement = if hierarchy::syntactic_classes(formulas, simplified).obligation {
        Ok(None)
    } else {
        let negation = Simplifier::new(formulas).not(simplified);
        tableau::tableau_within(formulas, negation, most_states, budget).map(|complement| Some(trim(&complement)))
    };
    match complement.and_then(|complement| weak::minimal_weak(automaton, complement.as_ref(), budget)) {
        Ok(weak::Weak::Minimal(minimal)) => Ok(Some(minimal)),
        Ok(weak::Weak::NoObligation | weak::Weak::TooCostly) => Ok(None),
        Err(Failure::TooLarge | Failure::TooManyEventualities) => Ok(None),
        Err(reason @ Failure::Exhausted(_)) => Err(reason),
    }
}

/// How large the automaton of the negation may be in any case when a property is tested for being an obligation.
const MOST_COMPLEMENT_STATES: usize = 256;

/// Gives an automaton the wanted kind of acceptance.
fn towards(options: &Options, automaton: Automaton<Guard>) -> Result<Automaton<Guard>, Failure> {
    let placement = match options.target {
        Target::Tgba => return Ok(simplify_acceptance(&automaton, Transient::Unmarked)),
        Target::Buchi if automaton.acceptance_sets() == 1 => return Ok(automaton),
        Target::Buchi => Placement::Edges,
        Target::StateBuchi => Placement::States,
    };
    let degeneralised = degeneralise(&automaton, placement, &options.budget)?;
    match (options.effort, placement) {
        (Effort::Low, _) => Ok(degeneralised),
        (Effort::High, Placement::Edges) => Ok(with_one_set(reduced(degeneralised, &options.budget)?)),
        (Effort::High, Placement::States) => reduced_state_based(degeneralised, &options.budget),
    }
}

/// Where every infinite run is accepted, all edges belong to the one set that is wanted.
fn with_one_set(automaton: Automaton<Guard>) -> Automaton<Guard> {
    match automaton.acceptance_sets() {
        0 => automaton.map_edges(1, |edge| Some((edge.label.clone(), Marks::all(1)))),
        _ => automaton,
    }
}

/// Applies simulations until they change nothing.
fn reduced(mut automaton: Automaton<Guard>, budget: &Budget) -> Result<Automaton<Guard>, Failure> {
    let normal = |automaton: &Automaton<Guard>, transient: Transient| simplify_acceptance(&trim(automaton), transient);
    loop {
        let before = AutomatonSize::of(&automaton);
        for direction in [Direction::Forwards, Direction::Backwards] {
            for transient in [Transient::Unmarked, Transient::Marked] {
                automaton = simulation_quotient(&normal(&automaton, transient), direction, budget)?;
            }
        }
        automaton = trim(&normal(&automaton, Transient::Unmarked));
        if AutomatonSize::of(&automaton) >= before {
            return Ok(automaton);
        }
    }
}

/// Applies simulations that leave acceptance with states until they change nothing.
fn reduced_state_based(mut automaton: Automaton<Guard>, budget: &Budget) -> Result<Automaton<Guard>, Failure> {
    loop {
        let before = AutomatonSize::of(&automaton);
        for direction in [Direction::Forwards, Direction::Backwards] {
            for transient in [Transient::Unmarked, Transient::Marked] {
                automaton = simplify_state_acceptance(&trim(&automaton), transient);
                automaton = simulation_quotient(&automaton, direction, budget)?;
            }
        }
        automaton = trim(&simplify_state_acceptance(&trim(&automaton), Transient::Unmarked));
        if AutomatonSize::of(&automaton) >= before {
            return Ok(automaton);
        }
    }
}
