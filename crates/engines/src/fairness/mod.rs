//! The fairness engine: LTL for programs with infinitely many states, by subtracting traces that cannot be executed
//! (Dietsch, Heizmann, Langenfeld and Podelski, *Fairness modulo theory*, CAV 2015; FMT below).
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`observation`] | which edges read a letter of the property |
//! | [`product`] | the Büchi program: program and negated property side by side |
//! | [`blocks`] | sequences of edges composed into one |
//! | [`invariants`] | what relational analysis knows of its states |
//! | [`letter`] | the labels of its edges |
//! | [`hoare`] | Hoare triples over them |
//! | [`interpolate`] | predicates that refute a finite trace |
//! | [`floyd_hoare`], [`ranked`] | modules: traces refuted by a prefix, or by a ranking function |
//! | [`module`](mod@module) | what modules have in common |
//! | [`remainder`] | emptiness of the Büchi program minus the modules |
//! | [`lasso`] | ranking functions and arguments for non-termination of one lasso |
//! | [`refine`] | from a lasso to a module |
//! | [`violation`], [`answers`] | from an execution of a lasso to a counterexample |
//!
//! `docs/design/fairness.md` walks through the paper's example.

pub mod answers;
pub mod blocks;
pub mod floyd_hoare;
pub mod hoare;
pub mod interpolate;
pub mod invariants;
pub mod lasso;
pub mod letter;
pub mod module;
pub mod observation;
pub mod product;
pub mod ranked;
pub mod refine;
pub mod remainder;
pub mod violation;

use std::rc::Rc;
use std::time::Duration;

use foundation::Budget;
use logic::Terms;
use program::passes::inline::NotInlined;
use program::passes::{NotPrepared, Prepared, prepare, simplify};
use smt::Z3;
use task::{Certificate, Engine, Negation, Outcome, Reason, Statistics, Task, Verdict};

use crate::encode::Vocabulary;
use hoare::Triples;
use module::Refuted;
use observation::Observation;
use product::Builder;
use refine::{Refinement, Refiner};
use remainder::Rest;

/// Programs that inlining makes larger than this are refused.
const MOST_EDGES: usize = 20_000;

/// How long one query to the solver may take.
const QUERY_LIMIT: Duration = Duration::from_secs(3);

/// The engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fairness {
    /// Whether each lasso is told on the standard error output.
    pub verbose: bool,
}

impl Engine for Fairness {
    fn name(&self) -> &'static str {
        "fairness"
    }

    fn check(&self, task: &Task, budget: &Budget) -> Outcome {
        let mut statistics = Statistics::default();
        let verdict = self.decide(task, budget, &mut statistics).unwrap_or_else(Verdict::Unknown);
        Outcome::of(self.name(), verdict, statistics)
    }
}

impl Fairness {
    fn decide(&self, task: &Task, budget: &Budget, statistics: &mut Statistics) -> Result<Verdict, Reason> {
        let negation = Negation::new(task, budget)?;
        statistics.count("automaton_states", negation.automaton.state_count() as u64);
        let prepared = prepared(task)?;
        let terms = Terms::new();
        let vocabulary = Vocabulary::new(&prepared, &terms);
        budget.check()?;
        let mut solver = Z3::new(&terms, budget);
        solver.set_query_limit(Some(QUERY_LIMIT));
        let triples = Rc::new(Triples::new(&terms, solver));
        let observation = Observation::new(task, &negation, &vocabulary)?;
        let builder = Builder {
            terms: &terms,
            vocabulary: &vocabulary,
            negation: &negation,
            observation: &observation,
            triples: &triples,
            budget,
        };
        let mut product = builder.build()?;
        product.graph = blocks::compose(&terms, &product.graph, &product.letters, &triples, budget)?;
        product.graph = invariants::strengthen(&terms, &product.graph, &product.letters, &triples, budget)?;
        product.growth.reduced = (product.graph.state_count(), product.graph.edge_count());
        let growth = product.growth;
        statistics.count("program_locations", growth.program.0 as u64);
        statistics.count("program_edges", growth.program.1 as u64);
        statistics.count("product_locations", growth.product.0 as u64);
        statistics.count("product_edges", growth.product.1 as u64);
        statistics.count("reduced_locations", growth.reduced.0 as u64);
        statistics.count("reduced_edges", growth.reduced.1 as u64);
        let letters = Rc::new(product.letters);
        let refiner = Refiner::new(&terms, Rc::clone(&triples), Rc::clone(&letters));
        let mut rest = Rest::new(&product.graph);
        let mut counts = Counts::default();
        let verdict = loop {
            if let Err(exhausted) = budget.check() {
                break Err(exhausted.into());
            }
            let lasso = rest.find_lasso(budget);
            counts.states = rest.visited;
            let lasso = match lasso {
                Ok(Some(lasso)) => lasso,
                Ok(None) => {
                    break Ok(Verdict::Holds(Certificate::Refuted { finite: counts.finite, ranked: counts.ranked }));
                }
                Err(exhausted) => break Err(exhausted.into()),
            };
            counts.iterations += 1;
            let (stem, cycle) = lasso.word();
            if self.verbose {
                self.tell(&terms, &letters, counts, &stem, &cycle);
            }
            match refiner.refine(&stem, &cycle, budget) {
                Err(exhausted) => break Err(exhausted.into()),
                Ok(Refinement::Unknown(why)) => {
                    // What the solver left open because the budget has ended is not the reason.
                    break Err(budget.check().map_or_else(Reason::from, |()| Reason::Incomplete(why)));
                }
                Ok(Refinement::Diverges(divergence)) => {
                    statistics.word("divergence", divergence.execution.kind());
                    break violation::counterexample(&terms, &vocabulary, &letters, &divergence).map(Verdict::Violated);
                }
                Ok(Refinement::Refuted { module, why }) => {
                    if self.verbose {
                        eprintln!("  {why} ({})", module.name());
                    }
                    counts.add(&module);
                    if !rest.has_room() {
                        break Err(Reason::Incomplete("too many ranking functions are needed".to_owned()));
                    }
                    rest.subtract(module);
                }
            }
        };
        statistics.count("iterations", counts.iterations as u64);
        statistics.count("finite_modules", counts.finite as u64);
        statistics.count("ranked_modules", counts.ranked as u64);
        statistics.count("difference_states", counts.states as u64);
        let decided = triples.decided();
        statistics.count("triples_at_sight", decided.at_sight);
        statistics.count("triples_by_solver", decided.by_solver);
        statistics.count("triples_remembered", decided.remembered);
        verdict
    }

    fn tell(
        &self,
        terms: &Terms,
        letters: &letter::Letters,
        counts: Counts,
        stem: &[letter::Letter],
        cycle: &[letter::Letter],
    ) {
        eprintln!("lasso {} ({} states visited)", counts.iterations, counts.states);
        for (name, word) in [("stem", stem), ("cycle", cycle)] {
            for &letter in word {
                let step = letters.step(letter);
                let updates: Vec<String> = (step.updates.iter())
                    .map(|(&symbol, &value)| format!("{} := {}", terms.name(symbol), terms.display(value)))
                    .collect();
                eprintln!("  {name}: [{}] {}", terms.display(step.guard), updates.join(", "));
            }
        }
    }
}

#[derive(Clone, Copy, Default)]
struct Counts {
    iterations: usize,
    finite: usize,
    ranked: usize,
    states: usize,
}

impl Counts {
    fn add(&mut self, module: &Refuted<'_>) {
        match module {
            Refuted::Finite(_) | Refuted::Prefix(_) => self.finite += 1,
            Refuted::Ranked(_) | Refuted::OneLasso(_) => self.ranked += 1,
        }
    }
}

fn prepared(task: &Task) -> Result<Prepared, Reason> {
    let prepared = prepare(&task.program, &task.atoms, task.semantics, MOST_EDGES).map_err(|why| match why {
        NotPrepared::Threads => Reason::unsupported("threads", None),
        NotPrepared::NotInlined(NotInlined::Recursion { span, .. }) => Reason::unsupported("recursion", Some(span)),
        NotPrepared::NotInlined(NotInlined::TooLarge) => Reason::unsupported("a program of this size", None),
        NotPrepared::NotInlined(NotInlined::NoEntry) => Reason::unsupported("a program without an entry", None),
    })?;
    Ok(simplify(prepared))
}
