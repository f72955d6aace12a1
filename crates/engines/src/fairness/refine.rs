//! Refinement: from one trace that cannot be executed to a module of many.

use std::collections::BTreeSet;
use std::rc::Rc;

use foundation::{Budget, Exhausted};
use logic::{Term, Terms};
use smt::Solver;

use super::floyd_hoare::FloydHoare;
use super::hoare::Triples;
use super::interpolate::{Trace, backward, examine, forward};
use super::lasso::{self, Analysis, Lasso, NonTermination, RankingArgument};
use super::letter::{Letter, Letters};
use super::module::{Refuted, accepts};
use super::ranked::{Argument, OneLasso, Ranked, Stage};
use crate::encode::Step;

/// What became of a lasso.
pub enum Refinement<'t> {
    /// It cannot be executed, like all traces of a module.
    Refuted {
        /// The module.
        module: Refuted<'t>,
        /// Why, in a few words.
        why: String,
    },
    /// It can be executed for ever.
    Diverges(Box<Divergence>),
    /// Neither was found out.
    Unknown(String),
}

/// An execution that goes round a lasso for ever.
pub struct Divergence {
    /// The stem as one letter.
    pub stem: Letter,
    /// The cycle as one letter.
    pub cycle: Letter,
    /// The values, and why it goes on.
    pub execution: NonTermination,
}

/// Refines by one lasso after the other.
pub struct Refiner<'t> {
    /// The terms.
    pub terms: &'t Terms,
    /// Hoare triples.
    pub triples: Rc<Triples<'t>>,
    /// The letters.
    pub letters: Rc<Letters>,
}

impl<'t> Refiner<'t> {
    /// Refutes a lasso with as many others as possible, or finds an execution of it.
    pub fn refine(&self, stem: &[Letter], cycle: &[Letter], budget: &Budget) -> Result<Refinement<'t>, Exhausted> {
        let both: Vec<Letter> = stem.iter().chain(cycle).copied().collect();
        let mut why_unknown = None;
        // The stem, the cycle, both: a shorter refutation holds for more traces. The cycle alone is refuted wherever it
        // stands.
        let (of_stem, of_cycle) = (self.examine(stem), self.examine(cycle));
        budget.check()?;
        let mut candidates: Vec<(&[Letter], Trace, &str)> = match (&of_stem, &of_cycle) {
            (Trace::Infeasible(_), Trace::Infeasible(_)) if stem.len() < cycle.len() => {
                vec![(stem, of_stem, "the stem"), (cycle, of_cycle, "the cycle")]
            }
            _ => vec![(cycle, of_cycle, "the cycle"), (stem, of_stem, "the stem")],
        };
        if candidates.iter().all(|(_, trace, _)| !matches!(trace, Trace::Infeasible(_))) {
            let trace = self.examine(&both);
            candidates.push((&both, trace, "the stem with the cycle"));
        }
        for (word, trace, what) in candidates {
            budget.check()?;
            match trace {
                Trace::Feasible => {}
                Trace::Unknown(why) => why_unknown = Some(why),
                Trace::Infeasible(core) => {
                    if let Some(module) = self.floyd_hoare(word, &core) {
                        let why = format!("{what} cannot be executed");
                        return Ok(Refinement::Refuted { module: Refuted::Finite(module), why });
                    }
                    budget.check()?;
                    return Ok(Refinement::Unknown(format!("no predicates were found that refute {what}")));
                }
            }
        }
        if let Some(why) = why_unknown {
            return Ok(Refinement::Unknown(format!("the solver does not know whether a trace is feasible ({why})")));
        }
        self.terminate(stem, cycle, budget)
    }

    fn examine(&self, word: &[Letter]) -> Trace {
        let steps: Vec<Step> = word.iter().map(|&letter| (*self.letters.step(letter)).clone()).collect();
        self.triples.with_solver(|solver| {
            solver.set_kind("trace");
            examine(self.terms, solver, &steps)
        })
    }

    /// The Floyd–Hoare automaton of a word that cannot be executed, given what matters of its steps.
    fn floyd_hoare(&self, word: &[Letter], core: &[Step]) -> Option<FloydHoare<'t>> {
        let mut predicates: BTreeSet<Term> = BTreeSet::new();
        let truth = self.terms.truth(true);
        for direction in [Direction::Backward, Direction::Forward] {
            let chain = self.triples.with_solver(|solver| {
                solver.set_kind("interpolation");
                match direction {
                    Direction::Backward => backward(self.terms, solver, core, truth),
                    Direction::Forward => forward(self.terms, solver, core, truth, &BTreeSet::new()),
                }
            });
            let Some(chain) = chain else { continue };
            predicates.extend(chain.into_iter().flat_map(|predicate| self.terms.conjuncts(predicate)));
            let module =
                FloydHoare::new(Rc::clone(&self.triples), Rc::clone(&self.letters), predicates.iter().copied());
            if module.refutes(word) {
                return Some(module);
            }
        }
        None
    }

    /// Ranks a lasso, or finds an execution that goes round it for ever.
    fn terminate(&self, stem: &[Letter], cycle: &[Letter], budget: &Budget) -> Result<Refinement<'t>, Exhausted> {
        let (stem_letter, cycle_letter) = (self.composed(stem), self.composed(cycle));
        let (stem_step, cycle_step) = (self.letters.step(stem_letter), self.letters.step(cycle_letter));
        let lasso = Lasso { stem: &stem_step, cycle: &cycle_step };
        let known = self.terms.truth(true);
        let analysis = self.triples.with_solver(|solver| {
            solver.set_kind("lasso");
            lasso::analyse(self.terms, solver, &lasso, known, budget)
        })?;
        Ok(match analysis {
            Analysis::Terminates(argument) => {
                let function: Vec<String> = argument.function.iter().map(|&part| self.terms.display(part)).collect();
                let why = format!("({}) decreases in each turn", function.join(", "));
                Refinement::Refuted { module: self.ranked(stem, cycle, &argument), why }
            }
            Analysis::Diverges(execution) => {
                Refinement::Diverges(Box::new(Divergence { stem: stem_letter, cycle: cycle_letter, execution }))
            }
            Analysis::Unknown => {
                Refinement::Unknown("a loop was found neither to end nor to go on for ever".to_owned())
            }
        })
    }

    fn composed(&self, word: &[Letter]) -> Letter {
        let mut letters = word.iter().copied();
        let first = letters.next().expect("a word of a lasso is not empty");
        letters.fold(first, |all, letter| self.letters.then(self.terms, all, letter))
    }

    /// The simplest module of a ranking argument that contains the lasso.
    fn ranked(&self, stem: &[Letter], cycle: &[Letter], found: &RankingArgument) -> Refuted<'t> {
        let terms = self.terms;
        let mut argument = Argument::new(terms, found.function.clone(), found.invariants.clone());
        let invariant = terms.and(argument.invariants.iter().copied());
        let steps = |word: &[Letter]| -> Vec<Step> {
            word.iter().map(|&letter| (*self.letters.step(letter)).clone()).collect()
        };
        let truth = terms.truth(true);
        let more: Vec<Term> = (argument.invariants.iter())
            .flat_map(|&invariant| self.predicates(truth, &steps(stem), invariant))
            .collect();
        argument.stem.extend(more);
        let start = terms.and([argument.seeded(terms), invariant]);
        let mut targets = terms.conjuncts(argument.decreased(terms));
        targets.extend(argument.invariants.iter().copied());
        for target in targets {
            let more = self.predicates(start, &steps(cycle), target);
            argument.cycle.extend(more);
        }
        let (last_of_stem, last_of_cycle) = (stem[stem.len() - 1], cycle[cycle.len() - 1]);
        for stage in Stage::ALL {
            let (triples, letters) = (Rc::clone(&self.triples), Rc::clone(&self.letters));
            let module = Ranked::new(triples, letters, argument.clone(), stage, last_of_stem, last_of_cycle);
            if accepts(&module, stem, cycle) {
                return Refuted::Ranked(module);
            }
        }
        Refuted::OneLasso(OneLasso::new(stem, cycle))
    }

    /// Predicates along a word that lead from a condition to another.
    fn predicates(&self, start: Term, steps: &[Step], target: Term) -> Vec<Term> {
        let terms = self.terms;
        let refuted = terms.not(target);
        let whole: Vec<Step> = std::iter::once(Step::assume(start))
            .chain(steps.iter().cloned())
            .chain([Step::assume(refuted)])
            .collect();
        self.triples.with_solver(|solver| {
            let Trace::Infeasible(core) = examine(terms, solver, &whole) else { return Vec::new() };
            let chain = backward(terms, solver, &core, terms.truth(true));
            let chain = chain.or_else(|| forward(terms, solver, &core, terms.truth(true), &BTreeSet::new()));
            chain.unwrap_or_default().into_iter().flat_map(|predicate| terms.conjuncts(predicate)).collect()
        })
    }
}

#[derive(Clone, Copy)]
enum Direction {
    Backward,
    Forward,
}
