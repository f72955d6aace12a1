//! A state space by the steps of the interpreter: no step is left out, and nothing is put together but states that are
//! equal up to what nothing depends on (`bisimilar`).
//!
//! A *node* is a state of the program with what the observer remembers, the thread that ran last and the letter that
//! was observed last. From a node the interpreter takes steps to the next node, once for every list of answers to what
//! it asks on the path. Without threads, nodes are kept only where control flow comes together in a loop and where
//! something is asked; with threads, after every step.
//!
//! Beside it runs the automaton. A word that ends, because the program does or shows nothing any more, goes on with its
//! last letter for ever: where the automaton accepts that, an end is accepting, and so is a cycle of steps that show
//! nothing. For the latter the automaton has one more state, `SILENT`.

mod choices;
mod walk;

use std::cell::RefCell;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use automata::buchi::{Automaton, Guard, Marks};
use foundation::collections::HashMap;
use foundation::{Budget, Id, Span};
use program::semantics::interpreter::Interpreter;
use program::semantics::observe::{Attention, Observer};
use program::semantics::state::State;
use program::semantics::{Atomicity, Driver, ObserveMode, Question};
use program::{Atom, EdgeId, Op, Place, Program, Root, VariableId};
use task::Task;

use super::bisimilar::Bisimilarity;
use super::control::{asks, kept, unnoticed};
use super::data_classes::DataClasses;
use super::emptiness::{ExploredEdge, ExploredGraph, ReadyThreads};
use super::reading::AutomatonReader;
use super::script::{AnswerScript, Scripted};
use super::{Explored, Horizon, Means, Unexplored};
use program::relevance::{Relevance, Variables};

/// The automaton's state in which it has guessed that nothing will be observed any more.
const SILENT: u32 = u32::MAX;

/// More threads than this are not covered.
const MOST_THREADS: usize = 64;

/// A node is kept after so many steps in any case, so that no way to the next one is endless.
const MOST_STEPS: u32 = 100_000;

/// How often the budget is looked at.
const STEPS_PER_CHECK: u64 = 256;

/// How many units of work a step is, about.
const WORK_OF_A_STEP: u64 = 8;

/// Explores the product of a task's program with an automaton.
pub fn explore(
    task: &Task,
    automaton: &Automaton<Guard>,
    limits: Horizon,
    budget: &Budget,
) -> Result<Explored, Unexplored> {
    explore_within(task, automaton, limits, u64::MAX, budget)
}

/// The same; after so many steps it counts as too large.
pub(super) fn explore_within(
    task: &Task,
    automaton: &Automaton<Guard>,
    limits: Horizon,
    most_steps: u64,
    budget: &Budget,
) -> Result<Explored, Unexplored> {
    let state = |atom: &Atom| match atom {
        Atom::State { value, .. } => Some(*value),
        _ => None,
    };
    let atoms: Vec<_> = task.atoms.iter().filter_map(state).collect();
    let relevance = Relevance::new(&task.program, &task.atoms, task.semantics.integers);
    let relevant = relevance.along_all();
    let bisimilar = Bisimilarity::new(&task.program, &relevant, &atoms);
    let mut classes = Representatives {
        data_classes: DataClasses::new(&relevance, &relevant, &atoms),
        bisimilar,
        relevance: &relevance,
        relevant: &relevant,
    };
    loop {
        let script = RefCell::new(AnswerScript::default());
        let mut choices = Scripted { script: &script };
        let interpreter = Interpreter::new(&task.program, task.semantics, &mut choices);
        let mut explorer = Explorer::new(task, automaton, &classes, &script, interpreter, limits, budget);
        explorer.most_steps = most_steps;
        let outcome = explorer.explore();
        drop(explorer);
        match outcome {
            Ok(explored) => return Ok(explored),
            Err(NotExplored::Unexplored(unexplored)) => return Err(unexplored),
            // What is not initialised is a source of values only if it is read, and then everything may look different.
            Err(NotExplored::Source(variable)) => {
                let is_new = classes.data_classes.add_source(variable);
                debug_assert!(is_new, "only new sources are reported");
            }
        }
    }
}

/// Which values stand for others, and which states do.
struct Representatives<'a> {
    data_classes: DataClasses<'a>,
    bisimilar: Bisimilarity<'a>,
    relevance: &'a Relevance<'a>,
    relevant: &'a Variables,
}

/// Why an exploration does not come to its end.
enum NotExplored {
    Unexplored(Unexplored),
    /// A wide value is asked for that is written to this variable.
    Source(VariableId),
}

impl From<Unexplored> for NotExplored {
    fn from(unexplored: Unexplored) -> Self {
        NotExplored::Unexplored(unexplored)
    }
}

/// A node; see the module.
#[derive(Clone, PartialEq, Eq, Hash)]
struct ExploredNode {
    state: State,
    attention: Attention,
    running: u32,
    last: u32,
}

/// What comes after a step.
enum After {
    /// A node.
    Kept,
    /// One more step.
    Step,
    /// One more step, of this thread.
    StepOf(u32),
}

/// A path from a node to the next one.
#[derive(Clone)]
struct NodePassage {
    to: Option<u32>,
    word: Vec<u32>,
    /// The letter that was observed last.
    last: u32,
    turn: ReadyThreads,
}

/// How a walk from a node ends.
enum Walked {
    Node(ExploredNode, ReadyThreads),
    /// The last letter is repeated for ever.
    Ended,
    /// It is no execution.
    Blocked,
    Asked(Question),
}

struct Explorer<'a> {
    task: &'a Task,
    automaton: &'a Automaton<Guard>,
    data_classes: &'a DataClasses<'a>,
    bisimilar: &'a Bisimilarity<'a>,
    script: &'a RefCell<AnswerScript>,
    driver: Driver<'a>,
    seen: SeenOnPath<'a>,
    limits: Horizon,
    budget: &'a Budget,
    has_threads: bool,
    /// By location: whether a node is kept there; whether a step from there goes unnoticed.
    keeps: Vec<bool>,
    unnoticed: Vec<bool>,
    looks_at_locals: bool,
    nodes: Vec<ExploredNode>,
    by_hash: HashMap<u64, Vec<u32>>,
    paths: Vec<Option<Vec<NodePassage>>>,
    steps: u64,
    most_steps: u64,
}

/// What was observed on the present path, and the letter that was observed last.
struct SeenOnPath<'a> {
    reader: AutomatonReader<'a>,
    counts_repetitions: bool,
    word: Vec<u32>,
    last: Option<u32>,
}

impl<'a> Explorer<'a> {
    fn new(
        task: &'a Task,
        automaton: &'a Automaton<Guard>,
        classes: &'a Representatives<'a>,
        script: &'a RefCell<AnswerScript>,
        mut interpreter: Interpreter<'a>,
        limits: Horizon,
        budget: &'a Budget,
    ) -> Self {
        interpreter.notes_reads = task.semantics.observe == ObserveMode::Change;
        let looks_at_locals =
            task.atoms.iter().any(|atom| matches!(atom, Atom::State { active, .. } if !active.is_empty()));
        let atomicity = task.semantics.atomicity;
        let unnoticed = match task.program.has_threads() && !looks_at_locals && atomicity == Atomicity::Access {
            true => unnoticed(classes.relevance, |edge| is_observed(task, edge)),
            false => vec![false; task.program.locations.len()],
        };
        Self {
            task,
            automaton,
            data_classes: &classes.data_classes,
            bisimilar: &classes.bisimilar,
            script,
            driver: Driver::new(interpreter, Observer::new(task.semantics.observe, &task.atoms)),
            seen: SeenOnPath {
                reader: AutomatonReader::new(automaton),
                counts_repetitions: task.formulas.has_next(task.formula()),
                word: Vec::new(),
                last: None,
            },
            limits,
            budget,
            has_threads: task.program.has_threads(),
            keeps: kept(&task.program, |edge| asks(&task.program, classes.relevant, edge)),
            unnoticed,
            looks_at_locals,
            nodes: Vec::new(),
            by_hash: HashMap::default(),
            paths: Vec::new(),
            steps: 0,
            most_steps: u64::MAX,
        }
    }

    fn explore(&mut self) -> Result<Explored, NotExplored> {
        let beginnings = self.all_paths(None)?;
        let mut product = NodeProduct::default();
        let mut open = Vec::new();
        for state in self.automaton.initial() {
            for path in &beginnings {
                self.follow_path(
                    None,
                    state.index() as u32,
                    path,
                    &mut |pair| product.number(pair, &mut open),
                    &mut |_| {},
                )?;
            }
        }
        let mut transitions = 0;
        while let Some(number) = open.pop() {
            let pair = product.pairs[number as usize];
            let (node, state) = pair;
            if self.paths[node as usize].is_none() {
                let paths = self.all_paths(Some(node))?;
                self.paths[node as usize] = Some(paths);
            }
            let paths = self.paths[node as usize].take().expect("just found");
            let mut edges = Vec::new();
            for path in &paths {
                self.follow_path(Some(node), state, path, &mut |pair| product.number(pair, &mut open), &mut |edge| {
                    edges.push(edge)
                })?;
            }
            self.paths[node as usize] = Some(paths);
            transitions += edges.len() as u64;
            product.edges[number as usize] = edges;
            if product.pairs.len() as u64 > self.limits.states || self.steps > self.most_steps {
                return Err(Unexplored::TooLarge { states: self.limits.states }.into());
            }
            if number.is_multiple_of(64) {
                self.budget.check().map_err(Unexplored::Exhausted)?;
            }
        }
        let graph = ExploredGraph { edges: product.edges, all: self.all_marks(), scheduler: self.task.scheduler };
        if let Some(component) = graph.accepting() {
            let (node, _) = product.pairs[component[0] as usize];
            let description = format!("a cycle among {} states of the product is accepting", component.len());
            return Err(Unexplored::Accepting { description, span: self.span_of(node) }.into());
        }
        Ok(Explored { states: product.pairs.len() as u64, transitions, by: Means::Interpreted })
    }

    /// That something is read, as one more acceptance set: a cycle on which nothing is read is no infinite word.
    fn progress(&self) -> Marks {
        Marks::one(self.automaton.acceptance_sets())
    }

    fn all_marks(&self) -> Marks {
        self.automaton.all_marks().union(self.progress())
    }

    /// The edges of the product that a path gives rise to, from a node (none at the start) and a state of the
    /// automaton.
    fn follow_path(
        &mut self,
        from: Option<u32>,
        state: u32,
        path: &NodePassage,
        number: &mut dyn FnMut((u32, u32)) -> u32,
        found: &mut dyn FnMut(ExploredEdge),
    ) -> Result<(), Unexplored> {
        let all = self.all_marks();
        if state == SILENT {
            if let Some(to) = path.to.filter(|_| path.word.is_empty()) {
                found(ExploredEdge { to: number((to, SILENT)), marks: all, turn: path.turn });
            }
            return Ok(());
        }
        let read = self.seen.reader.read(state, &path.word);
        let Some(to) = path.to else {
            if read.iter().any(|&(state, _)| self.seen.reader.accepts_for_ever(state, path.last)) {
                let description = "an execution ends, or does nothing any more, and is accepted".to_owned();
                return Err(Unexplored::Accepting { description, span: from.and_then(|node| self.span_of(node)) });
            }
            return Ok(());
        };
        let progress = if path.word.is_empty() { Marks::NONE } else { self.progress() };
        for (after, marks) in read {
            found(ExploredEdge { to: number((to, after)), marks: marks.union(progress), turn: path.turn });
        }
        if path.word.is_empty() && self.seen.reader.accepts_for_ever(state, path.last) {
            found(ExploredEdge { to: number((to, SILENT)), marks: Marks::NONE, turn: path.turn });
        }
        Ok(())
    }

    /// All paths from a node to the next ones; those of the start where there is none.
    fn all_paths(&mut self, node: Option<u32>) -> Result<Vec<NodePassage>, NotExplored> {
        let mut paths = Vec::new();
        let mut open = vec![Vec::new()];
        while let Some(answers) = open.pop() {
            let walked = self.walk(node, answers.clone())?;
            let (to, turn) = match walked {
                Walked::Blocked => continue,
                Walked::Ended => (None, ReadyThreads::default()),
                Walked::Node(node, turn) => (Some(self.number(node)), turn),
                Walked::Asked(question) => {
                    let possible = self.answers(&question)?;
                    open.extend(possible.into_iter().rev().map(|answer| {
                        let mut longer = answers.clone();
                        longer.push(answer);
                        longer
                    }));
                    continue;
                }
            };
            let last = self.seen.last.expect("the start is observed");
            paths.push(NodePassage { to, word: self.seen.word.clone(), last, turn });
        }
        Ok(paths)
    }

    fn number(&mut self, node: ExploredNode) -> u32 {
        let mut hasher = DefaultHasher::new();
        node.hash(&mut hasher);
        let bucket = self.by_hash.entry(hasher.finish()).or_default();
        if let Some(&known) = bucket.iter().find(|known| self.nodes[**known as usize] == node) {
            return known;
        }
        let number = self.nodes.len() as u32;
        bucket.push(number);
        self.nodes.push(node);
        self.paths.push(None);
        number
    }

    fn span(&self) -> Option<Span> {
        self.driver.interpreter.edge.map(|edge| self.driver.interpreter.program.edges[edge].span)
    }

    /// Where control is in a node.
    fn span_of(&self, node: u32) -> Option<Span> {
        let ExploredNode { state, running, .. } = &self.nodes[node as usize];
        let (_, frame) = state.innermost(*running)?;
        let program = self.driver.interpreter.program;
        let edge = program.locations[frame.location].out.first()?;
        Some(program.edges[*edge].span)
    }
}

/// The pairs of nodes and states of the automaton that were reached.
#[derive(Default)]
struct NodeProduct {
    pairs: Vec<(u32, u32)>,
    known: HashMap<(u32, u32), u32>,
    edges: Vec<Vec<ExploredEdge>>,
}

impl NodeProduct {
    fn number(&mut self, pair: (u32, u32), open: &mut Vec<u32>) -> u32 {
        *self.known.entry(pair).or_insert_with(|| {
            let number = self.pairs.len() as u32;
            self.pairs.push(pair);
            self.edges.push(Vec::new());
            open.push(number);
            number
        })
    }
}

/// Whether something may be observed when an edge is completed.
fn is_observed(task: &Task, edge: EdgeId) -> bool {
    let program = &task.program;
    let contents = &program.edges[edge];
    let is_library = program.functions[program.locations[contents.from].function].library;
    task.semantics.observe.may_see(contents.observe) && !is_library
}

/// The variable that an input is written to by an edge.
fn written(program: &Program, edge: EdgeId) -> Option<VariableId> {
    match &program.edges[edge].op {
        Op::Input { target: Place { root: Root::Variable(variable), .. }, .. } => Some(*variable),
        Op::Call { result, .. } => *result,
        _ => None,
    }
}
