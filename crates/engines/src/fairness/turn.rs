//! What a turn of the engine hands on to the next one, where its work is done and the proof is not.
//!
//! The next turn makes the Büchi program again, in an arena of its own. Where it is the same, to the numbers of its
//! steps, what was found out is taken over:
//!
//! - the modules that were taken away, with their states, by what they are made of: predicates and ranking functions. Each
//!   transition is a Hoare triple that is decided again when it is needed. Predicates speak of the program's variables
//!   only: the name of an input would mean another input at each step;
//! - the states of the difference that accept nothing. Nobody has to believe in these: a proof is written from them by
//!   following all edges once more ([`RemainingLanguage::closed`]), and is checked as any other;
//! - the formulas that were decided: that one has a model, or none, does not depend on what its symbols stand for;
//! - the lassos that end and are still to be tried together with other paths. What is found along them is replayed.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use automata::buchi::Automaton;
use foundation::collections::HashMap;
use logic::{Detached, Symbol, Term, Terms};
use task::{Board, Fact};

use super::ENTRY;
use super::floyd_hoare::FloydHoare;
use super::letter::{LetterId, Letters};
use super::module::{PrefixModule, Refuted, SharedModule};
use super::paths::Ended;
use super::ranked::{ComputedState, OneLasso, Ranked, RankedParts, Stage};
use super::refine::{Cycles, Refiner};
use super::remainder::{RemainingLanguage, SearchedStates};

/// A proof that is not finished.
struct Unfinished {
    /// Of the Büchi program.
    fingerprint: u64,
    modules: Vec<Kept>,
    searched: SearchedStates,
    iteration: usize,
    ended: Ended,
    refuted_cycles: Cycles,
}

impl Fact for Unfinished {
    const NAME: &'static str = "refuted set(s) of traces";

    fn count(&self) -> usize {
        self.modules.len()
    }
}

/// What a module is made of.
enum Kept {
    Finite { predicates: Detached, states: Vec<BTreeSet<u32>> },
    Ranked { argument: Box<KeptArgument>, stage: Stage, last: (u32, u32), states: Vec<ComputedState> },
    Prefix(PrefixModule),
    OneLasso(OneLasso),
}

struct KeptArgument {
    function: Detached,
    invariants: Detached,
    stem: Detached,
    cycle: Detached,
    /// Under these names the cycle speaks of the function's old values.
    old: Vec<String>,
}

/// Formulas that the solver has decided, and whether each has no model.
struct DecidedFormulas {
    formulas: Detached,
    are_unsatisfiable: Vec<bool>,
}

impl Fact for DecidedFormulas {
    const NAME: &'static str = "decided formula(s)";

    fn count(&self) -> usize {
        self.are_unsatisfiable.len()
    }
}

/// Where the loop of refinement stands.
#[derive(Default)]
pub struct Candidates {
    /// The number of the last lasso.
    pub iteration: usize,
    /// The lassos that are still to be tried together with other paths.
    pub ended: Ended,
}

/// Posts how far the engine came with a Büchi program.
pub fn hand_on(
    board: &Board,
    refiner: &Refiner<'_>,
    graph: &Automaton<LetterId>,
    rest: RemainingLanguage<'_, '_>,
    Candidates { iteration, ended }: Candidates,
) {
    let terms = refiner.terms;
    let (formulas, are_unsatisfiable): (Vec<Term>, Vec<bool>) = refiner.triples.decided_formulas().into_iter().unzip();
    board.post(ENTRY.name, DecidedFormulas { formulas: terms.detach(&formulas), are_unsatisfiable });
    let unfinished = Unfinished {
        fingerprint: fingerprint(terms, graph, &refiner.letters),
        modules: rest.modules().map(|module| keep(terms, module)).collect(),
        searched: rest.into_searched(),
        iteration,
        ended,
        refuted_cycles: refiner.refuted_cycles(),
    };
    board.post(ENTRY.name, unfinished);
}

/// Takes over how far the last turn came, if there was one.
pub fn take_over<'t>(
    board: &Board,
    refiner: &Refiner<'t>,
    graph: &Automaton<LetterId>,
    rest: &mut RemainingLanguage<'_, 't>,
) -> Candidates {
    let Some(unfinished) = board.read::<Unfinished>(ENTRY.name).pop() else { return Candidates::default() };
    let terms = refiner.terms;
    if unfinished.fingerprint != fingerprint(terms, graph, &refiner.letters) {
        return Candidates::default();
    }
    if let Some(known) = board.read::<DecidedFormulas>(ENTRY.name).pop() {
        let formulas = terms.attach(&known.formulas, &terms.symbols_by_name()).into_iter();
        let decided = formulas.zip(&known.are_unsatisfiable).filter_map(|(formula, answer)| Some((formula?, *answer)));
        refiner.triples.learn(decided);
    }
    let names = variables(terms, graph, &refiner.letters);
    let modules = unfinished.modules.iter().map(|kept| make(refiner, kept, &names)).collect::<Option<Vec<_>>>();
    let Some(modules) = modules else { return Candidates::default() };
    modules.into_iter().for_each(|module| rest.subtract(SharedModule(Rc::new(module))));
    rest.take_over(&unfinished.searched);
    refiner.take_over(unfinished.refuted_cycles.clone());
    Candidates { iteration: unfinished.iteration, ended: unfinished.ended.clone() }
}

fn keep(terms: &Terms, module: &Refuted<'_>) -> Kept {
    match module {
        Refuted::Prefix(module) => Kept::Prefix(module.clone()),
        Refuted::OneLasso(module) => Kept::OneLasso(module.clone()),
        Refuted::Finite(module) => {
            Kept::Finite { predicates: terms.detach(module.predicates()), states: module.computed() }
        }
        Refuted::Ranked(module) => {
            let RankedParts { function, old, stem, cycle, invariants } = &module.argument;
            let [function, invariants, stem, cycle] =
                [function, invariants, stem, cycle].map(|predicates| terms.detach(predicates));
            let old = old.iter().map(|&old| terms.unique_name(old)).collect();
            let argument = Box::new(KeptArgument { function, invariants, stem, cycle, old });
            Kept::Ranked { argument, stage: module.stage, last: module.last_steps(), states: module.computed() }
        }
    }
}

/// The module of what was kept, over variables with these names.
fn make<'t>(refiner: &Refiner<'t>, kept: &Kept, names: &HashMap<String, Symbol>) -> Option<Refuted<'t>> {
    let (terms, triples, letters) = (refiner.terms, Rc::clone(&refiner.triples), Rc::clone(&refiner.letters));
    let attach = |of: &Detached, names: &HashMap<String, Symbol>| -> Option<Vec<Term>> {
        terms.attach(of, names).into_iter().collect()
    };
    Some(match kept {
        Kept::Prefix(module) => Refuted::Prefix(module.clone()),
        Kept::OneLasso(module) => Refuted::OneLasso(module.clone()),
        Kept::Finite { predicates, states } => {
            Refuted::Finite(FloydHoare::with_states(triples, letters, attach(predicates, names)?, states))
        }
        Kept::Ranked { argument, stage, last, states } => {
            let KeptArgument { function, invariants, stem, cycle, old } = &**argument;
            let argument = RankedParts::new(terms, attach(function, names)?, attach(invariants, names)?);
            let mut with_old = names.clone();
            with_old.extend(old.iter().cloned().zip(argument.old.iter().copied()));
            let (stem, cycle) = (attach(stem, names)?, attach(cycle, &with_old)?);
            let argument = RankedParts { stem, cycle, ..argument };
            Refuted::Ranked(Ranked::with_states(triples, letters, argument, *stage, *last, states))
        }
    })
}

/// The variables that steps read and write and that are nowhere an input, by their names.
fn variables(terms: &Terms, graph: &Automaton<LetterId>, letters: &Letters) -> HashMap<String, Symbol> {
    let (mut variables, mut inputs) = (BTreeSet::new(), BTreeSet::new());
    for edge in graph.edges() {
        let step = letters.step(edge.label);
        variables.extend(step.read(terms));
        variables.extend(step.updates.keys().copied());
        inputs.extend(step.inputs.iter().copied());
    }
    variables.difference(&inputs).map(|&variable| (terms.unique_name(variable), variable)).collect()
}

/// A number by which Büchi programs are told apart: their edges, and what the steps on them say.
fn fingerprint(terms: &Terms, graph: &Automaton<LetterId>, letters: &Letters) -> u64 {
    let (mut hasher, mut told) = (DefaultHasher::new(), BTreeSet::new());
    (graph.initial(), graph.acceptance_sets()).hash(&mut hasher);
    for edge in graph.edges() {
        (edge.from, edge.to, edge.marks, edge.label).hash(&mut hasher);
        if told.insert(edge.label.step) {
            let step = letters.step(edge.label);
            for (&symbol, &value) in &step.updates {
                (terms.unique_name(symbol), terms.display(value)).hash(&mut hasher);
            }
            let inputs: Vec<String> = step.inputs.iter().map(|&input| terms.unique_name(input)).collect();
            (terms.display(step.guard), terms.display(step.known), inputs).hash(&mut hasher);
        }
    }
    hasher.finish()
}
