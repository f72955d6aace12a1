//! Ranking arguments: why a cycle cannot be taken for ever.
//!
//! Templates are fitted to the polyhedra of the cycle, alone at first, then with what the stem supplies. Whatever is
//! found is a tuple of integer terms that decreases as Heizmann, Hoenicke and Podelski (CAV 2014) want it: a component
//! may fall below zero, as long as the tuple decreases in a component that was not negative. In this form nested and
//! multiphase arguments are plain tuples: while the first component is negative, the second decreases, and so on.
//! Everything is checked with the solver on the step itself.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::time::Duration;

use foundation::{Budget, Exhausted};
use logic::{Node, Symbol, Term, Terms};
use smt::Solver;

use super::Lasso;
use super::polyhedra::{Polyhedra, is_unsatisfiable, relevant};
use super::supporting::{self, Supported};
use super::templates;

/// The shape of a ranking argument, for statistics.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Template {
    /// One affine function, at least zero, that decreases.
    Affine,
    /// A remainder that the guard looks at, or how far it is from its greatest value.
    Remainder,
    /// So many functions, each of which decreases more the more negative the one before it is.
    Nested(usize),
    /// So many functions, each of which decreases once the one before it is negative.
    Multiphase(usize),
    /// A tuple of so many functions in lexicographic order.
    Lexicographic(usize),
    /// So many functions, each for a part of the states.
    Piecewise(usize),
}

impl std::fmt::Display for Template {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Template::Affine => write!(f, "affine"),
            Template::Remainder => write!(f, "remainder"),
            Template::Nested(count) => write!(f, "{count}-nested"),
            Template::Multiphase(count) => write!(f, "{count}-phase"),
            Template::Lexicographic(count) => write!(f, "{count}-lexicographic"),
            Template::Piecewise(count) => write!(f, "{count}-piece"),
        }
    }
}

/// Why the cycle of a lasso cannot be taken for ever after its stem.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RankingArgument {
    /// A tuple over program variables, the most significant component first. Each iteration decreases it: there is a
    /// component that was at least zero and becomes smaller, and those before it do not grow.
    pub function: Vec<Term>,
    /// What holds after the stem and after each iteration, over program variables. May be empty.
    pub invariants: Vec<Term>,
    /// How the function was found.
    pub template: Template,
}

/// How long one attempt with a linear system may take, on a machine of our days: the solver's steps are counted.
const LINEAR_TIME: Duration = Duration::from_secs(1);
/// How long one attempt with choices or products may take.
const STRUCTURED_TIME: Duration = Duration::from_secs(1);
/// How much work all attempts with choices or products may be together.
const ALL_STRUCTURED_WORK: u64 = 3_000_000;
/// No more remainders than this are tried.
const MOST_REMAINDERS: usize = 4;
/// With more polyhedra than this, templates with products of unknowns are not tried.
const MOST_NONLINEAR_POLYHEDRA: usize = 4;

/// Looks for a ranking argument for a lasso; `known` holds whenever the cycle is entered.
pub fn rank(
    terms: &Terms,
    solver: &mut dyn Solver,
    lasso: &Lasso<'_>,
    known: Term,
    budget: &Budget,
) -> Result<Option<RankingArgument>, Exhausted> {
    let mut search = RankingSearch::new(terms, lasso, known, budget);
    if let Some(found) = search.simple(solver)? {
        return Ok(Some(found));
    }
    search.thorough(solver)
}

/// `⋁_i (⋀_{j<i} before_j ≥ after_j ∧ before_i > after_i ∧ before_i ≥ 0)`: the tuple decreases.
pub fn decreases(terms: &Terms, before: &[Term], after: &[Term]) -> Term {
    let mut cases = Vec::new();
    let mut so_far = Vec::new();
    for (&before, &after) in before.iter().zip(after) {
        let bounded = terms.less_equal(terms.integer(0), before);
        cases.push(terms.and(so_far.iter().copied().chain([terms.less(after, before), bounded])));
        so_far.push(terms.less_equal(after, before));
    }
    terms.or(cases)
}

/// A tuple that has not been checked yet.
pub struct Proposal {
    /// The components, the most significant first.
    pub function: Vec<Term>,
    /// Invariants it was found with, beyond those that were given.
    pub invariants: Vec<Term>,
    /// Its shape.
    pub template: Template,
}

/// A search in two parts, such that cheaper questions can be asked between them.
pub struct RankingSearch<'a> {
    terms: &'a Terms,
    lasso: &'a Lasso<'a>,
    known: Term,
    budget: &'a Budget,
    wanted: BTreeSet<Symbol>,
    /// The polyhedra of the cycle alone and with invariants, which are beside them.
    attempts: Vec<(Polyhedra, Vec<Term>)>,
}

impl<'a> RankingSearch<'a> {
    /// Nothing has been tried yet.
    pub fn new(terms: &'a Terms, lasso: &'a Lasso<'a>, known: Term, budget: &'a Budget) -> Self {
        let wanted = relevant(terms, lasso.cycle);
        Self { terms, lasso, known, budget, wanted, attempts: Vec::new() }
    }

    /// The templates that lead to linear systems.
    pub fn simple(&mut self, solver: &mut dyn Solver) -> Result<Option<RankingArgument>, Exhausted> {
        let alone = self.paths(solver, self.known)?;
        if let Some(found) = self.linear(solver, &alone, &[], 1..=3)? {
            return Ok(Some(found));
        }
        self.attempts.push((alone, Vec::new()));
        if let Some(found) = self.remainder(solver) {
            return Ok(Some(found));
        }
        let invariants = supporting::guess(self.terms, solver, self.lasso, self.known, &self.wanted, self.budget)?;
        if !invariants.is_empty() {
            let condition = self.terms.and(invariants.iter().copied().chain([self.known]));
            let supported = self.paths(solver, condition)?;
            if let Some(found) = self.linear(solver, &supported, &invariants, 1..=3)? {
                return Ok(Some(found));
            }
            self.attempts.push((supported, invariants));
        }
        if let Some((paths, invariants)) = self.attempts.last()
            && let Some(found) = self.with_stem(solver, paths, invariants)?
        {
            return Ok(Some(found));
        }
        for (paths, invariants) in &self.attempts {
            if let Some(found) = self.greedy(solver, paths, invariants)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// The other templates, after [`RankingSearch::simple`].
    pub fn thorough(&mut self, solver: &mut dyn Solver) -> Result<Option<RankingArgument>, Exhausted> {
        let structured = self.budget.part_with_work(ALL_STRUCTURED_WORK);
        for (paths, invariants) in &self.attempts {
            if let Some(found) = self.linear(solver, paths, invariants, 4..=5)? {
                return Ok(Some(found));
            }
            if let Some(found) = self.structured(solver, paths, invariants, &structured)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    fn paths(&self, solver: &mut dyn Solver, condition: Term) -> Result<Polyhedra, Exhausted> {
        let condition = self.literals_of(condition);
        Polyhedra::of(self.terms, solver, self.lasso.cycle, condition, &self.wanted, self.budget)
    }

    /// The conjuncts that make no new cases and speak of what matters.
    fn literals_of(&self, condition: Term) -> Term {
        let terms = self.terms;
        let is_simple = |term: &Term| {
            terms.symbols(*term).iter().all(|symbol| self.wanted.contains(symbol))
                && terms.disjunctive_normal_form(*term, 1).is_some()
        };
        terms.and(terms.conjuncts(condition).into_iter().filter(is_simple))
    }

    /// Affine and nested functions: linear systems without choices.
    fn linear(
        &self,
        solver: &mut dyn Solver,
        paths: &Polyhedra,
        invariants: &[Term],
        depths: RangeInclusive<usize>,
    ) -> Result<Option<RankingArgument>, Exhausted> {
        for depth in depths {
            self.budget.check()?;
            if let Some(candidate) = templates::nested(self.terms, paths, depth, self.budget, LINEAR_TIME)
                && let Some(found) = self.confirm(solver, candidate, invariants)
            {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Remainders in the guard. A sum of machine integers that wraps around is one, and so is a signed number that is
    /// compared as an unsigned one: each may fall by the same in every iteration although no affine function does.
    fn remainder(&self, solver: &mut dyn Solver) -> Option<RankingArgument> {
        let terms = self.terms;
        let is_wanted = |term: &Term| terms.symbols(*term).iter().all(|symbol| self.wanted.contains(symbol));
        let remainders =
            terms.subterms(&[self.lasso.cycle.guard]).into_iter().filter_map(|term| match terms.node(term) {
                Node::Modulo(_, by) => Some((term, terms.as_integer(by)?)),
                _ => None,
            });
        let remainders: Vec<_> = remainders.filter(|(term, _)| is_wanted(term)).take(MOST_REMAINDERS).collect();
        let candidates =
            remainders.into_iter().flat_map(|(term, by)| [term, terms.subtract(terms.integer(&*by - 1), term)]);
        candidates.into_iter().find_map(|function| {
            let candidate =
                Proposal { function: vec![function], invariants: Vec::new(), template: Template::Remainder };
            self.confirm(solver, candidate, &[])
        })
    }

    /// Affine and nested functions with supporting invariants whose coefficients are unknown too.
    fn with_stem(
        &self,
        solver: &mut dyn Solver,
        paths: &Polyhedra,
        invariants: &[Term],
    ) -> Result<Option<RankingArgument>, Exhausted> {
        let terms = self.terms;
        let wanted = &self.wanted;
        let truth = terms.truth(true);
        let stem = Polyhedra::of(terms, solver, self.lasso.stem, truth, wanted, self.budget)?;
        let supported = Supported { stem: &stem, cycle: paths };
        for depth in 1..=2 {
            self.budget.check()?;
            if let Some(candidate) = supported.nested(terms, depth, self.budget, STRUCTURED_TIME)
                && let Some(found) = self.confirm(solver, candidate, invariants)
            {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Tuples, one or a few components at a time.
    fn greedy(
        &self,
        solver: &mut dyn Solver,
        paths: &Polyhedra,
        invariants: &[Term],
    ) -> Result<Option<RankingArgument>, Exhausted> {
        self.budget.check()?;
        match templates::greedy(self.terms, paths, self.budget, LINEAR_TIME) {
            Some(candidate) => Ok(self.confirm(solver, candidate, invariants)),
            None => Ok(None),
        }
    }

    /// The templates whose clauses have several atoms.
    fn structured(
        &self,
        solver: &mut dyn Solver,
        paths: &Polyhedra,
        invariants: &[Term],
        allowed: &Budget,
    ) -> Result<Option<RankingArgument>, Exhausted> {
        for is_nonlinear in [false, true] {
            for template in [
                Template::Multiphase(2),
                Template::Lexicographic(2),
                Template::Piecewise(2),
                Template::Multiphase(3),
                Template::Lexicographic(3),
            ] {
                self.budget.check()?;
                let is_too_large = is_nonlinear && paths.polyhedra.len() > MOST_NONLINEAR_POLYHEDRA;
                if is_too_large || allowed.check().is_err() {
                    return Ok(None);
                }
                let candidates =
                    templates::structured(self.terms, paths, template, is_nonlinear, allowed, STRUCTURED_TIME);
                for candidate in candidates {
                    if let Some(found) = self.confirm(solver, candidate, invariants) {
                        return Ok(Some(found));
                    }
                }
            }
        }
        Ok(None)
    }

    /// Checks a candidate on the steps themselves, and drops the invariants that it does not need.
    fn confirm(&self, solver: &mut dyn Solver, candidate: Proposal, invariants: &[Term]) -> Option<RankingArgument> {
        let Proposal { function, invariants: own, template } = candidate;
        let mut invariants: Vec<Term> = invariants.iter().copied().chain(own).collect();
        invariants.sort_unstable();
        invariants.dedup();
        invariants.retain(|&invariant| supporting::is_initial(self.terms, solver, self.lasso, invariant));
        if !self.is_argument(solver, &function, &invariants) {
            return None;
        }
        for invariant in invariants.clone() {
            let fewer: Vec<Term> = invariants.iter().copied().filter(|&other| other != invariant).collect();
            if self.is_argument(solver, &function, &fewer) {
                invariants = fewer;
            }
        }
        Some(RankingArgument { function, invariants, template })
    }

    /// Whether the invariants are inductive and the function decreases.
    fn is_argument(&self, solver: &mut dyn Solver, function: &[Term], invariants: &[Term]) -> bool {
        let terms = self.terms;
        let cycle = self.lasso.cycle;
        let before = terms.and(invariants.iter().copied().chain([self.known, cycle.guard]));
        let after: Vec<Term> = function.iter().map(|&component| cycle.after(terms, component)).collect();
        let kept = cycle.after(terms, terms.and(invariants.iter().copied()));
        let claim = terms.and([kept, decreases(terms, function, &after)]);
        is_unsatisfiable(solver, terms.and([before, terms.not(claim)]))
    }
}
