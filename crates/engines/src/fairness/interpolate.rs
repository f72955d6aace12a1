//! Predicates that refute a trace that cannot be executed: refine_F of the paper (FMT, section 5; ALGORITHMS after
//! Heizmann, Hoenicke and Podelski, CAV 2013).
//!
//! The conjuncts of all guards and all updates along the trace are given to the solver by name; the unsatisfiable core
//! says which of them matter. Everything else is forgotten: a guard is true, an update gives an arbitrary value. On what
//! is left, two chains of predicates are computed. *Backward*, the negation of what leads to the end of the trace: from
//! `false` by weakest preconditions. *Forward*, what is reached from `true` by strongest postconditions, over the
//! variables that the rest of the core reads. Each chain is a proof of its own; both are offered as predicates.

use std::collections::{BTreeMap, BTreeSet};

use foundation::collections::HashMap;
use logic::{Symbol, Term, Terms};
use smt::{Satisfiability, Solver};

use crate::encode::Transition;

/// What became of a trace.
#[derive(Clone, Debug)]
pub enum TraceResult {
    /// It can be executed.
    Feasible,
    /// It cannot: what matters of each of its steps.
    Infeasible(Vec<Transition>),
    /// The solver does not know.
    Unknown(String),
}

/// Whether a sequence of steps can be executed from some state, where what is known of single variables holds all the
/// way.
pub fn examine(
    terms: &Terms,
    solver: &mut dyn Solver,
    steps: &[Transition],
    known: &dyn Fn(Symbol) -> Option<Term>,
) -> TraceResult {
    let read: BTreeSet<Symbol> = steps.iter().flat_map(|step| step.read(terms)).collect();
    let mut given: Vec<Term> = read.iter().filter_map(|&symbol| known(symbol)).collect();
    let mut versions: HashMap<Symbol, Term> = HashMap::default();
    /// What an assumption stands for.
    enum AssumptionOrigin {
        Guard(Term),
        Update(Symbol),
    }
    let mut assumptions: Vec<Term> = Vec::new();
    let mut origins: Vec<(usize, AssumptionOrigin)> = Vec::new();
    let mut renamed_steps: Vec<Transition> = Vec::new();
    for (position, step) in steps.iter().enumerate() {
        let step = if step.inputs.is_empty() { step.clone() } else { step.with_new_inputs(terms) };
        given.push(terms.substitute(step.known, &versions));
        for conjunct in terms.conjuncts(step.guard) {
            assumptions.push(terms.substitute(conjunct, &versions));
            origins.push((position, AssumptionOrigin::Guard(conjunct)));
        }
        let mut next = versions.clone();
        for (&symbol, &value) in &step.updates {
            let version = terms.fresh(&terms.name(symbol), terms.sort_of_symbol(symbol));
            next.insert(symbol, version);
            given.extend(known(symbol).map(|known| terms.substitute(known, &HashMap::from_iter([(symbol, version)]))));
            assumptions.push(terms.equal(version, terms.substitute(value, &versions)));
            origins.push((position, AssumptionOrigin::Update(symbol)));
        }
        versions = next;
        renamed_steps.push(step);
    }
    solver.push();
    given.into_iter().for_each(|known| solver.assert(known));
    let answer = solver.check(&assumptions);
    let core: BTreeSet<Term> = solver.core().into_iter().collect();
    solver.pop();
    match answer {
        Satisfiability::Satisfiable => TraceResult::Feasible,
        Satisfiability::Unknown(why) => TraceResult::Unknown(why),
        Satisfiability::Unsatisfiable => {
            let mut relevant: Vec<Transition> = (renamed_steps.iter())
                .map(|step| Transition { guard: terms.truth(true), ..havoc(terms, step, |_| true) })
                .collect();
            for (assumption, (position, origin)) in assumptions.iter().zip(origins) {
                if !core.contains(assumption) && terms.as_truth(*assumption) != Some(false) {
                    continue;
                }
                let step = &mut relevant[position];
                match origin {
                    AssumptionOrigin::Guard(conjunct) => step.guard = terms.and([step.guard, conjunct]),
                    AssumptionOrigin::Update(symbol) => {
                        step.updates.insert(symbol, renamed_steps[position].updates[&symbol]);
                    }
                }
            }
            TraceResult::Infeasible(relevant)
        }
    }
}

/// The step with arbitrary values instead of some updates.
fn havoc(terms: &Terms, step: &Transition, forgets: impl Fn(Symbol) -> bool) -> Transition {
    let mut changed = step.clone();
    for (&symbol, value) in &mut changed.updates {
        if forgets(symbol) {
            let arbitrary = terms.symbol(&terms.name(symbol), terms.sort_of_symbol(symbol));
            changed.inputs.insert(arbitrary);
            *value = terms.variable(arbitrary);
        }
    }
    changed
}

/// The predicates before each step and after the last one, backward from a condition at the end that cannot be reached:
/// where a predicate holds, the rest of the trace does not lead to the condition. Where a quantifier cannot be eliminated the
/// predicates may be too strong for the beginning of the trace.
pub fn backward(terms: &Terms, solver: &mut dyn Solver, steps: &[Transition], reached: Term) -> Vec<Term> {
    let mut leading = reached;
    let mut predicates = vec![terms.not(leading)];
    for step in steps.iter().rev() {
        let image = terms.and([step.guard, step.after(terms, leading)]);
        let inputs: Vec<Symbol> = terms.symbols(image).intersection(&step.inputs).copied().collect();
        leading = if inputs.is_empty() {
            image
        } else {
            match solver.eliminate(&inputs, image) {
                Some(eliminated) => eliminated,
                // Where nothing leads on there is nothing to eliminate.
                None if is_impossible(solver, image) => terms.truth(false),
                // What is said of the inputs is forgotten: more may lead on then, which is still a chain of predicates.
                None => {
                    let is_free =
                        |conjunct: &Term| inputs.iter().all(|input| !terms.symbols(*conjunct).contains(input));
                    terms.and(terms.conjuncts(image).into_iter().filter(is_free))
                }
            }
        };
        predicates.push(terms.not(leading));
    }
    predicates.reverse();
    predicates
}

fn is_impossible(solver: &mut dyn Solver, condition: Term) -> bool {
    solver.push();
    solver.assert(condition);
    let answer = solver.check(&[]);
    solver.pop();
    answer.is_unsatisfiable()
}

/// The predicates before each step and after the last one, forward from a condition at the beginning. Only variables
/// that later steps or the condition at the end read are kept.
pub fn forward(
    terms: &Terms,
    solver: &mut dyn Solver,
    steps: &[Transition],
    start: Term,
    at_the_end: &BTreeSet<Symbol>,
) -> Option<Vec<Term>> {
    // What is read from each position on.
    let mut needed: Vec<BTreeSet<Symbol>> = vec![at_the_end.clone()];
    for step in steps.iter().rev() {
        let later = needed.last().expect("there is one");
        let mut before: BTreeSet<Symbol> =
            later.iter().copied().filter(|symbol| !step.updates.contains_key(symbol)).collect();
        before.extend(terms.symbols(step.guard).iter().copied());
        for (symbol, &value) in &step.updates {
            if later.contains(symbol) {
                before.extend(terms.symbols(value).iter().copied());
            }
        }
        needed.push(before.difference(&step.inputs).copied().collect());
    }
    needed.reverse();
    let mut reached = start;
    let mut predicates = vec![reached];
    for (position, step) in steps.iter().enumerate() {
        let kept = &needed[position + 1];
        // The old values of what is written get names of their own.
        let old: BTreeMap<Symbol, Symbol> = (step.updates.keys())
            .map(|&symbol| (symbol, terms.symbol(&terms.name(symbol), terms.sort_of_symbol(symbol))))
            .collect();
        let to_old: HashMap<Symbol, Term> = old.iter().map(|(&now, &old)| (now, terms.variable(old))).collect();
        let mut parts = vec![terms.substitute(terms.and([reached, step.guard]), &to_old)];
        for (&symbol, &value) in &step.updates {
            if kept.contains(&symbol) {
                parts.push(terms.equal(terms.variable(symbol), terms.substitute(value, &to_old)));
            }
        }
        let image = terms.and(parts);
        let gone: Vec<Symbol> = terms.symbols(image).iter().copied().filter(|symbol| !kept.contains(symbol)).collect();
        reached = if gone.is_empty() { image } else { solver.eliminate(&gone, image)? };
        predicates.push(reached);
    }
    Some(predicates)
}
