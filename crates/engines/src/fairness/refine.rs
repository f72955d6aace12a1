//! Refinement: from one trace that cannot be executed to a module of many.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use foundation::collections::HashSet;
use foundation::{Budget, Exhausted};
use logic::{Symbol, Term, Terms};
use smt::Solver;

use super::floyd_hoare::FloydHoare;
use super::hoare::Triples;
use super::interpolate::{TraceResult, backward, examine, forward};
use super::lasso::{self, Analysis, Lasso, NonTermination, RankingArgument};
use super::letter::{LetterId, Letters};
use super::module::{PrefixModule, Refuted, accepts};
use super::ranked::{OneLasso, Ranked, RankedParts, Stage};
use crate::encode::Transition;

/// What became of a lasso.
pub enum Refinement<'t> {
    /// It cannot be executed, like all traces of a module.
    Refuted {
        /// The module.
        module: Box<Refuted<'t>>,
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
    pub stem: LetterId,
    /// The cycle as one letter.
    pub cycle: LetterId,
    /// The values, and why it goes on.
    pub execution: NonTermination,
    /// The other cycles that it may go round, with what is chosen for their inputs.
    pub others: Vec<ChosenCycle>,
}

/// A cycle with values of its inputs.
pub struct ChosenCycle {
    /// The cycle as one letter.
    pub cycle: LetterId,
    /// What its inputs are.
    pub inputs: BTreeMap<Symbol, Term>,
}

/// Refines by one lasso after the other.
pub struct Refiner<'t> {
    /// The terms.
    pub terms: &'t Terms,
    /// Hoare triples.
    pub triples: Rc<Triples<'t>>,
    /// The letters.
    pub letters: Rc<Letters>,
    /// The letters of cycles that were refuted together with a stem.
    refuted_cycles: RefCell<Cycles>,
}

/// Cycles, by the numbers of their steps.
pub type Cycles = HashSet<BTreeSet<u32>>;

impl<'t> Refiner<'t> {
    /// Nothing refined yet.
    pub fn new(terms: &'t Terms, triples: Rc<Triples<'t>>, letters: Rc<Letters>) -> Self {
        Self { terms, triples, letters, refuted_cycles: RefCell::default() }
    }

    /// The cycles that were refuted together with a stem so far.
    pub fn refuted_cycles(&self) -> Cycles {
        self.refuted_cycles.borrow().clone()
    }

    /// Takes over the cycles that were refuted together with a stem before.
    pub fn take_over(&self, cycles: Cycles) {
        self.refuted_cycles.replace(cycles);
    }

    /// Refutes a lasso with as many others as possible, or finds an execution of it.
    pub fn refine(&self, stem: &[LetterId], cycle: &[LetterId], budget: &Budget) -> Result<Refinement<'t>, Exhausted> {
        let (of_stem, of_cycle) = (self.examine(stem), self.examine(cycle));
        budget.check()?;
        // A shorter refutation holds for more traces; that of the cycle alone, wherever the cycle stands.
        let mut order = [(cycle, of_cycle, "the cycle"), (stem, of_stem, "the stem")];
        if order.iter().all(|(_, trace, _)| matches!(trace, TraceResult::Infeasible(_))) && stem.len() < cycle.len() {
            order.reverse();
        }
        let mut unknown = None;
        for (word, trace, what) in order {
            match trace {
                TraceResult::Feasible => {}
                TraceResult::Unknown(why) => unknown = Some(why),
                TraceResult::Infeasible(core) => return Ok(self.refuted_by_prefix(word, &core, what, stem, cycle)),
            }
        }
        if unknown.is_none() {
            let both: Vec<LetterId> = stem.iter().chain(cycle).copied().collect();
            match self.examine(&both) {
                TraceResult::Feasible => return self.terminate(stem, cycle, budget),
                TraceResult::Unknown(why) => unknown = Some(why),
                TraceResult::Infeasible(core) => {
                    // A cycle over the same letters that keeps coming back, longer or behind longer stems, is better
                    // ranked than refuted one by one.
                    let letters: BTreeSet<u32> = cycle.iter().map(|letter| letter.step).collect();
                    let again = !self.refuted_cycles.borrow_mut().insert(letters);
                    if again && let Some(refinement) = self.rank_alone(stem, cycle, budget)? {
                        return Ok(refinement);
                    }
                    budget.check()?;
                    return Ok(self.refuted_by_prefix(&both, &core, "the stem with the cycle", stem, cycle));
                }
            }
        }
        let why = unknown.unwrap_or_default();
        Ok(Refinement::Unknown(format!("the solver does not know whether a trace is feasible ({why})")))
    }

    /// The module of a word on the lasso that cannot be executed, given what matters of its steps.
    fn refuted_by_prefix(
        &self,
        word: &[LetterId],
        core: &[Transition],
        what: &str,
        stem: &[LetterId],
        cycle: &[LetterId],
    ) -> Refinement<'t> {
        let why = format!("{what} cannot be executed");
        let module = match self.floyd_hoare(word, core).or_else(|| self.floyd_hoare_with_known(word)) {
            Some(module) => Refuted::Finite(module),
            None => Refuted::Prefix(PrefixModule::new(&stem.iter().chain(cycle).copied().collect::<Vec<_>>())),
        };
        Refinement::Refuted { module: Box::new(module), why }
    }

    /// Ranks the cycle of a lasso without its stem.
    fn rank_alone(
        &self,
        stem: &[LetterId],
        cycle: &[LetterId],
        budget: &Budget,
    ) -> Result<Option<Refinement<'t>>, Exhausted> {
        let (nothing, cycle_step) = (Transition::skip(self.terms), self.letters.step(self.composed(cycle)));
        let alone = Lasso { stem: &nothing, cycle: &cycle_step };
        let known = self.known_in(&cycle_step);
        let found = self.triples.with_solver(|solver| {
            solver.set_kind("lasso");
            lasso::RankingSearch::new(self.terms, &alone, known, budget).simple(solver)
        })?;
        Ok(found.map(|argument| self.ranked_away(stem, cycle, &argument)))
    }

    /// What is known whenever a cycle is entered.
    pub(super) fn known_in(&self, cycle: &Transition) -> Term {
        let of_variables = |conjunct: &Term| self.terms.symbols(*conjunct).is_disjoint(&cycle.inputs);
        let known = self.terms.conjuncts(cycle.known).into_iter().filter(of_variables);
        self.terms.and(known.chain([self.triples.known_when_set(&cycle.read(self.terms))]))
    }

    fn ranked_away(&self, stem: &[LetterId], cycle: &[LetterId], argument: &RankingArgument) -> Refinement<'t> {
        let function: Vec<String> = argument.function.iter().map(|&part| self.terms.display(part)).collect();
        let why = format!("({}) decreases in each iteration", function.join(", "));
        Refinement::Refuted { module: Box::new(self.ranked(stem, cycle, argument)), why }
    }

    fn examine(&self, word: &[LetterId]) -> TraceResult {
        let steps: Vec<Transition> = word.iter().map(|&letter| (*self.letters.step(letter)).clone()).collect();
        self.triples.with_solver(|solver| {
            solver.set_kind("trace");
            examine(self.terms, solver, &steps, &|symbol| self.triples.known(symbol))
        })
    }

    /// The Floyd–Hoare automaton of a word that cannot be executed, given what matters of its steps.
    fn floyd_hoare(&self, word: &[LetterId], core: &[Transition]) -> Option<FloydHoare<'t>> {
        let mut predicates: BTreeSet<Term> = BTreeSet::new();
        let truth = self.terms.truth(true);
        for direction in [Direction::Backward, Direction::Forward] {
            let chain = self.triples.with_solver(|solver| {
                solver.set_kind("interpolation");
                match direction {
                    Direction::Backward => Some(backward(self.terms, solver, core, truth)),
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

    /// The same, where what is known before the steps is part of the reason.
    fn floyd_hoare_with_known(&self, word: &[LetterId]) -> Option<FloydHoare<'t>> {
        let steps = word.iter().map(|&letter| {
            let step = (*self.letters.step(letter)).clone();
            Transition { guard: self.terms.and([step.guard, step.known]), known: self.terms.truth(true), ..step }
        });
        let steps: Vec<Transition> = steps.collect();
        let examined = self.triples.with_solver(|solver| {
            solver.set_kind("trace");
            examine(self.terms, solver, &steps, &|symbol| self.triples.known(symbol))
        });
        match examined {
            TraceResult::Infeasible(core) => self.floyd_hoare(word, &core),
            TraceResult::Feasible | TraceResult::Unknown(_) => None,
        }
    }

    /// Ranks a lasso, or finds an execution that goes round it for ever.
    fn terminate(&self, stem: &[LetterId], cycle: &[LetterId], budget: &Budget) -> Result<Refinement<'t>, Exhausted> {
        let (stem_letter, cycle_letter) = (self.composed(stem), self.composed(cycle));
        let (stem_step, cycle_step) = (self.letters.step(stem_letter), self.letters.step(cycle_letter));
        let lasso = Lasso { stem: &stem_step, cycle: &cycle_step };
        let known = self.known_in(&cycle_step);
        let analysis = self.triples.with_solver(|solver| {
            solver.set_kind("lasso");
            lasso::analyse(self.terms, solver, &lasso, known, budget)
        })?;
        Ok(match analysis {
            Analysis::Terminates(argument) => self.ranked_away(stem, cycle, &argument),
            Analysis::Diverges(execution) => {
                let others = Vec::new();
                Refinement::Diverges(Box::new(Divergence { stem: stem_letter, cycle: cycle_letter, execution, others }))
            }
            Analysis::Unknown => {
                Refinement::Unknown("a loop was found neither to end nor to go on for ever".to_owned())
            }
        })
    }

    /// A word as one letter.
    pub fn composed(&self, word: &[LetterId]) -> LetterId {
        let mut letters = word.iter().copied();
        let first = letters.next().expect("a word of a lasso is not empty");
        letters.fold(first, |all, letter| self.letters.then(self.terms, all, letter))
    }

    /// The simplest module of a ranking argument that contains the lasso.
    fn ranked(&self, stem: &[LetterId], cycle: &[LetterId], found: &RankingArgument) -> Refuted<'t> {
        let terms = self.terms;
        let mut argument = RankedParts::new(terms, found.function.clone(), found.invariants.clone());
        let invariant = terms.and(argument.invariants.iter().copied());
        let steps = |word: &[LetterId]| -> Vec<Transition> {
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
        let last = (stem[stem.len() - 1].step, cycle[cycle.len() - 1].step);
        for stage in Stage::ALL {
            let (triples, letters) = (Rc::clone(&self.triples), Rc::clone(&self.letters));
            let module = Ranked::new(triples, letters, argument.clone(), stage, last);
            if accepts(&module, stem, cycle) {
                return Refuted::Ranked(module);
            }
        }
        Refuted::OneLasso(OneLasso::new(stem, cycle))
    }

    /// Predicates along a word that lead from a condition to another.
    fn predicates(&self, start: Term, steps: &[Transition], target: Term) -> Vec<Term> {
        let terms = self.terms;
        let refuted = terms.not(target);
        let whole: Vec<Transition> = std::iter::once(Transition::assume(terms, start))
            .chain(steps.iter().cloned())
            .chain([Transition::assume(terms, refuted)])
            .collect();
        self.triples.with_solver(|solver| {
            let TraceResult::Infeasible(core) = examine(terms, solver, &whole, &|symbol| self.triples.known(symbol))
            else {
                return Vec::new();
            };
            let mut chain = backward(terms, solver, &core, terms.truth(true));
            if chain.first().is_some_and(|first| terms.as_truth(*first) == Some(false)) {
                chain = forward(terms, solver, &core, terms.truth(true), &BTreeSet::new()).unwrap_or(chain);
            }
            chain.into_iter().flat_map(|predicate| terms.conjuncts(predicate)).collect()
        })
    }
}

#[derive(Clone, Copy)]
enum Direction {
    Backward,
    Forward,
}
