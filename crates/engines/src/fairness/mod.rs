//! The fairness engine: LTL for programs with infinitely many states, by subtracting traces that cannot be executed
//! (Dietsch, Heizmann, Langenfeld and Podelski, *Fairness modulo theory*, CAV 2015; FMT below).
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`observation`] | which edges read a letter of the property |
//! | [`strength`] | the property's automaton by the strength of its components |
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
//! | [`turn`] | what one turn hands on to the next |
//! | [`paths`] | executions whose path through a loop changes |
//! | [`certificate`] | the proof, written down |
//! | [`violation`], [`answers`], [`recurrence`] | from an execution of a lasso to a counterexample |
//! | [`show`] | what the engine tells of its work while it goes on |
//!
//! `docs/design/fairness.md` walks through the paper's example.

pub mod answers;
pub mod blocks;
pub mod certificate;
pub mod floyd_hoare;
pub mod hoare;
pub mod interpolate;
pub mod invariants;
pub mod lasso;
pub mod letter;
pub mod module;
pub mod observation;
pub mod paths;
pub mod product;
pub mod ranked;
pub mod recurrence;
pub mod refine;
pub mod remainder;
pub mod show;
pub mod strength;
pub mod turn;
pub mod violation;

use std::rc::Rc;
use std::time::Duration;

use automata::algorithms::trim_with;
use foundation::{Budget, Exhausted, Span};
use logic::Terms;
use program::passes::NotPrepared;
use program::passes::inline::NotInlined;
use program::{Op, Program};
use smt::Z3;
use task::registry::{Decides, Entry, SECOND, Turn};
use task::watch::{CandidateLasso, Fate, Interest, Made, Progress, Unwatched, Watch};
use task::{Board, Certificate, Engine, Negation, Outcome, Preparation, Reason, Statistics, Task, Unwritten, Verdict};

use crate::encode::Vocabulary;
use certificate::ProofParts;
use certificate::names::SymbolNames;
use hoare::Triples;
use invariants::Strengthened;
use module::{Refuted, SharedModule};
use observation::ObservedProgram;
use product::Builder;
use refine::{Refinement, Refiner};
use remainder::RemainingLanguage;
use show::Show;
use turn::Candidates;

/// How the engine is chosen.
pub const ENTRY: Entry = Entry {
    name: "fairness",
    about: "proves by refuting traces",
    decides: Decides::Both,
    shows: true,
    writes_proofs: true,
    takes: |task| task.goal.linear().map(|_| ()),
    make: |setup| Box::new(Fairness { watch: setup.watch }),
    turns: &[Turn { round: 4, work: 4 * SECOND, share: 4 }, Turn { round: 7, work: u64::MAX, share: 2 }],
};

/// How long one query to the solver may take.
const QUERY_LIMIT: Duration = Duration::from_secs(3);

/// The engine.
#[derive(Clone, Copy, Debug)]
pub struct Fairness<'w> {
    /// Who is told what it does.
    pub watch: &'w dyn Watch,
}

impl Default for Fairness<'_> {
    fn default() -> Self {
        Self { watch: &Unwatched }
    }
}

impl Engine for Fairness<'_> {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn check(&self, task: &Task, board: &Board, budget: &Budget) -> Outcome {
        smt::in_own_context(|| {
            let mut statistics = Statistics::default();
            let verdict = self.decide(task, board, budget, &mut statistics).unwrap_or_else(Verdict::Unknown);
            Outcome::of(self.name(), verdict, statistics)
        })
    }
}

/// How far the engine is.
#[derive(Clone, Copy, Default)]
struct Work {
    /// The number of the lasso; 0 before the first.
    iteration: usize,
    /// The locations of the Büchi program.
    locations: usize,
    /// Its edges.
    edges: usize,
    /// How many states of the difference the last search has visited.
    visited: usize,
    /// How many modules were refuted by a prefix.
    finite: usize,
    /// How many modules were refuted by a ranking function.
    ranked: usize,
}

impl Work {
    /// Counts a module.
    fn count(&mut self, module: &Refuted<'_>) {
        match module {
            Refuted::Finite(_) | Refuted::Prefix(_) => self.finite += 1,
            Refuted::Ranked(_) | Refuted::OneLasso(_) => self.ranked += 1,
        }
    }

    fn progress(&self) -> Progress {
        let counts = [
            ("lasso", self.iteration),
            ("locations", self.locations),
            ("edges", self.edges),
            ("states visited", self.visited),
            ("refuted by prefixes", self.finite),
            ("by ranking functions", self.ranked),
        ];
        Progress { engine: ENTRY.name, counts: counts.map(|(name, count)| (name, count as u64)).into() }
    }
}

impl Fairness<'_> {
    fn decide(
        &self,
        task: &Task,
        board: &Board,
        budget: &Budget,
        statistics: &mut Statistics,
    ) -> Result<Verdict, Reason> {
        let mut negation = (*Negation::of(task, board, ENTRY.name, budget)?).clone();
        negation.automaton = strength::by_strength(&negation.automaton);
        // Whoever checks the proof sees only from the formula's shape that repetitions do not count.
        negation.stutter_invariant &= !task.formulas.has_next(task.formula());
        statistics.count("automaton_states", negation.automaton.state_count() as u64);
        let preparation = Preparation::of(task, board, ENTRY.name, budget)?.map_err(|why| refusal(task, why))?;
        let Preparation { inlined, simplified } = &*preparation;
        budget.check()?;
        let terms = Terms::new();
        let vocabulary = Vocabulary::new(simplified, &terms);
        budget.check()?;
        let mut solver = Z3::new(&terms, budget);
        solver.set_query_limit(Some(QUERY_LIMIT));
        let triples = Rc::new(Triples::new(&terms, solver));
        let observation = ObservedProgram::new(task, &negation, inlined, &vocabulary)?;
        budget.check()?;
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
        let Strengthened { graph: whole, invariants } =
            invariants::strengthen(&vocabulary, &product.graph, &product.places, &product.letters, &triples, budget)?;
        let (graph, kept) = trim_with(&whole);
        product.growth.reduced = (graph.state_count(), graph.edge_count());
        let growth = product.growth;
        statistics.count("program_locations", growth.program.0 as u64);
        statistics.count("program_edges", growth.program.1 as u64);
        statistics.count("product_locations", growth.product.0 as u64);
        statistics.count("product_edges", growth.product.1 as u64);
        statistics.count("reduced_locations", growth.reduced.0 as u64);
        statistics.count("reduced_edges", growth.reduced.1 as u64);
        let letters = Rc::new(product.letters);
        let refiner = Refiner::new(&terms, Rc::clone(&triples), Rc::clone(&letters));
        let show = Show { terms: &terms, program: vocabulary.program(), letters: &letters, triples: &triples };
        let (locations, edges) = growth.reduced;
        let mut work = Work { locations, edges, ..Work::default() };
        let told = self.watch.interest();
        self.watch.progress(&work.progress());
        let picture = (told >= Interest::Everything).then(|| show.product(&graph));
        self.watch.made(&Made { name: "product", kind: "Büchi program", locations, edges }, picture.as_ref());
        drop(picture);
        let mut rest = RemainingLanguage::new(&graph);
        // The modules with the numbers of their lassos, for those who want to see them in the end.
        let mut modules: Vec<(usize, SharedModule<'_>)> = Vec::new();
        let Candidates { iteration, mut ended } = turn::take_over(board, &refiner, &graph, &mut rest);
        work.iteration = iteration;
        rest.modules().for_each(|module| work.count(module));
        let verdict = loop {
            if let Err(exhausted) = budget.check() {
                break Err(exhausted.into());
            }
            let lasso = rest.find_lasso(budget);
            work.visited = rest.visited;
            let lasso = match lasso {
                Ok(Some(lasso)) => lasso,
                Ok(None) => {
                    let Work { finite, ranked, .. } = work;
                    let proof = ProofParts {
                        terms: &terms,
                        inlined,
                        vocabulary: &vocabulary,
                        negation: &negation,
                        observation: &observation,
                        whole: &whole,
                        places: &product.places,
                        invariants: &invariants,
                        letters: &letters,
                        kept: &kept,
                        rest: &rest,
                        finite,
                        triples: &triples,
                    };
                    break Ok(Verdict::Holds(match proof.write() {
                        Ok(refutation) => Certificate::Refutation(Box::new(refutation)),
                        Err(why) => Certificate::Unwritten(Unwritten { finite, ranked, why }),
                    }));
                }
                Err(exhausted) => break Err(exhausted.into()),
            };
            work.iteration += 1;
            self.watch.progress(&work.progress());
            let (stem, cycle) = lasso.word();
            let trace = (told >= Interest::Traces).then(|| CandidateLasso {
                remark: format!("{} states visited", work.visited),
                ..show.trace(&stem, &cycle, told >= Interest::Everything)
            });
            self.watch.candidate(work.iteration, trace.as_ref());
            let mut refined = refiner.refine(&stem, &cycle, budget);
            if let Ok(refinement) = refined {
                refined = ended.or_diverges(refinement, work.iteration, (&stem, &cycle), &refiner, &graph, budget);
            }
            match refined {
                Err(exhausted) => break Err(exhausted.into()),
                Ok(Refinement::Unknown(why)) => {
                    // What the solver left open because the budget has ended is not the reason.
                    if let Err(exhausted) = budget.check() {
                        break Err(exhausted.into());
                    }
                    self.watch.decided(work.iteration, &Fate::Open { why: why.clone() });
                    break Err(Reason::Incomplete(why));
                }
                Ok(Refinement::Diverges(divergence)) => {
                    let argument = divergence.execution.kind();
                    self.watch.decided(work.iteration, &Fate::Diverges { argument });
                    statistics.word("divergence", argument);
                    let names = SymbolNames::new(&terms, inlined, &vocabulary, &observation);
                    let found = violation::counterexample(&terms, &vocabulary, &letters, &divergence, names);
                    break found.map(Verdict::Violated);
                }
                Ok(Refinement::Refuted { module, why }) => {
                    work.count(&module);
                    let predicates = if told >= Interest::Traces { show.predicates(&module) } else { Vec::new() };
                    self.watch.decided(work.iteration, &Fate::Refuted { why, module: module.name(), predicates });
                    if !rest.has_room() {
                        break Err(Reason::Incomplete("too many ranking functions are needed".to_owned()));
                    }
                    let module = SharedModule(Rc::from(module));
                    if told >= Interest::Everything {
                        modules.push((work.iteration, module.clone()));
                    }
                    rest.subtract(module);
                }
            }
        };
        if let Err(Reason::Exhausted(Exhausted::Work | Exhausted::Time)) = verdict {
            let candidates = Candidates { iteration: work.iteration, ended };
            turn::hand_on(board, &refiner, &graph, rest, candidates);
        }
        for (number, module) in &modules {
            let picture = show.module(&module.0);
            let (locations, edges) = (picture.nodes.len(), picture.edges.len());
            let made = Made { name: &format!("module-{number}"), kind: module.0.name(), locations, edges };
            self.watch.made(&made, Some(&picture));
        }
        self.watch.progress(&work.progress());
        statistics.count("iterations", work.iteration as u64);
        statistics.count("finite_modules", work.finite as u64);
        statistics.count("ranked_modules", work.ranked as u64);
        statistics.count("difference_states", work.visited as u64);
        let decided = triples.decided();
        statistics.count("triples_at_sight", decided.at_sight);
        statistics.count("triples_by_solver", decided.by_solver);
        statistics.count("triples_remembered", decided.remembered);
        verdict
    }
}

/// Why a task is refused whose program cannot be prepared.
fn refusal(task: &Task, why: NotPrepared) -> Reason {
    match why {
        NotPrepared::Threads => Reason::unsupported("threads", first_thread(&task.program)),
        NotPrepared::NotInlined(NotInlined::Recursion { span, .. }) => Reason::of_recursion(span),
        NotPrepared::NotInlined(NotInlined::TooLarge) => Reason::unsupported("a program of this size", None),
        NotPrepared::NotInlined(NotInlined::NoEntry) => Reason::unsupported("a program without an entry", None),
    }
}

/// Where the program starts a thread.
fn first_thread(program: &Program) -> Option<Span> {
    let mut edges = program.edges.values();
    edges.find(|edge| matches!(edge.op, Op::Spawn { .. })).map(|edge| edge.span)
}
