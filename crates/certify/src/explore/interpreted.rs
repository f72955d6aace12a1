//! A state space by the steps of the interpreter: no step is left out, and nothing is put together but states that are equal
//! up to what nothing depends on (`alike`).
//!
//! A *node* is a state of the program with what the observer remembers, the thread that ran last and the letter that was
//! observed last. From a node the interpreter takes steps to the next node, once for every list of answers to what it asks
//! on the way. Without threads, nodes are kept only where control flow comes together in a loop and where something is
//! asked; with threads, after every step.
//!
//! Beside it runs the automaton. A word that ends, because the program does or shows nothing any more, goes on with its
//! last letter for ever: where the automaton accepts that, an end is accepting, and so is a cycle of steps that show
//! nothing. For the latter the automaton has one more state, [`SILENT`].

use std::cell::RefCell;
use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use automata::buchi::{Automaton, Guard, Marks};
use foundation::{Budget, Id, Span};
use num_traits::ToPrimitive;
use program::semantics::interpreter::Interpreter;
use program::semantics::layout::leaves;
use program::semantics::memory::Extent;
use program::semantics::observe::{Attention, Observer, Sight};
use program::semantics::state::{State, object_in};
use program::semantics::step::Stepped;
use program::semantics::threads::Next;
use program::semantics::{Answer, Atomicity, ObserveMode, Occasion, Question, Stop, UndefinedMode, Value};
use program::{Atom, EdgeId, EndKind, Observe, Op, Place, Program, Root, Scalar, VariableId};
use task::Task;

use super::alike::Alike;
use super::control::{asks, kept, unnoticed};
use super::emptiness::{Edge, Graph, Turn};
use super::reading::Reader;
use super::regions::Regions;
use super::script::{Script, Scripted};
use super::{Explored, Limits, Unexplored, Way};
use crate::relevance::{Relevance, Variables};

/// The automaton's state in which it has guessed that nothing will be observed any more.
const SILENT: u32 = u32::MAX;

/// More threads than this are not covered.
const MOST_THREADS: usize = 64;

/// A node is kept after so many steps in any case, so that no way to the next one is endless.
const MOST_STEPS: u32 = 100_000;

/// How often the budget is looked at.
const STEPS_PER_CHECK: u64 = 256;

/// Explores the product of a task's program with an automaton.
pub fn explore(
    task: &Task,
    automaton: &Automaton<Guard>,
    limits: Limits,
    budget: &Budget,
) -> Result<Explored, Unexplored> {
    explore_within(task, automaton, limits, u64::MAX, budget)
}

/// The same; after so many steps it counts as too large.
pub(super) fn explore_within(
    task: &Task,
    automaton: &Automaton<Guard>,
    limits: Limits,
    most_steps: u64,
    budget: &Budget,
) -> Result<Explored, Unexplored> {
    let state = |atom: &Atom| match atom {
        Atom::State { value, .. } => Some(*value),
        _ => None,
    };
    let atoms: Vec<_> = task.atoms.iter().filter_map(state).collect();
    let relevance = Relevance::new(task);
    let relevant = relevance.along_all();
    let alike = Alike::new(&task.program, &relevant, &atoms);
    let mut classes = Classes {
        regions: Regions::new(&relevance, &relevant, &atoms),
        alike,
        relevance: &relevance,
        relevant: &relevant,
    };
    loop {
        let script = RefCell::new(Script::default());
        let mut choices = Scripted { script: &script };
        let interpreter = Interpreter::new(&task.program, task.semantics, &mut choices);
        let mut explorer = Explorer::new(task, automaton, &classes, &script, interpreter, limits, budget);
        explorer.most_steps = most_steps;
        let outcome = explorer.explore();
        drop(explorer);
        match outcome {
            Ok(explored) => return Ok(explored),
            Err(Failure::Unexplored(unexplored)) => return Err(unexplored),
            // What is not initialised is a source of values only if it is read, and then everything may look different.
            Err(Failure::Source(variable)) => {
                let is_new = classes.regions.add_source(variable);
                debug_assert!(is_new, "only new sources are reported");
            }
        }
    }
}

/// Which values stand for others, and which states do.
struct Classes<'a> {
    regions: Regions<'a>,
    alike: Alike<'a>,
    relevance: &'a Relevance<'a>,
    relevant: &'a Variables,
}

/// Why an exploration does not come to its end.
enum Failure {
    Unexplored(Unexplored),
    /// A wide value is asked for that is written to this variable.
    Source(VariableId),
}

impl From<Unexplored> for Failure {
    fn from(unexplored: Unexplored) -> Self {
        Failure::Unexplored(unexplored)
    }
}

/// A node; see the module.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Node {
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

/// A way from a node to the next one.
#[derive(Clone)]
struct Passage {
    to: Option<u32>,
    word: Vec<u32>,
    /// The letter that was observed last.
    last: u32,
    turn: Turn,
}

/// How a walk from a node ends.
enum Walked {
    Node(Node, Turn),
    /// The last letter is repeated for ever.
    Ended,
    /// It is no execution.
    Cut,
    Asked(Question),
}

struct Explorer<'a> {
    task: &'a Task,
    automaton: &'a Automaton<Guard>,
    regions: &'a Regions<'a>,
    alike: &'a Alike<'a>,
    script: &'a RefCell<Script>,
    interpreter: Interpreter<'a>,
    observer: Observer<'a>,
    limits: Limits,
    budget: &'a Budget,
    reader: Reader<'a>,
    counts_repetitions: bool,
    has_threads: bool,
    /// By location: whether a node is kept there; whether a step from there goes unnoticed.
    keeps: Vec<bool>,
    unnoticed: Vec<bool>,
    looks_at_locals: bool,
    named: HashMap<String, Vec<VariableId>>,
    nodes: Vec<Node>,
    by_hash: HashMap<u64, Vec<u32>>,
    ways: Vec<Option<Vec<Passage>>>,
    /// What was observed on the present way, and the letter that was observed last.
    word: Vec<u32>,
    last: Option<u32>,
    /// The function that was observed to be entered, if that was the last observation.
    entered: Option<Occasion>,
    sights: Vec<Sight>,
    steps: u64,
    most_steps: u64,
}

impl<'a> Explorer<'a> {
    fn new(
        task: &'a Task,
        automaton: &'a Automaton<Guard>,
        classes: &'a Classes<'a>,
        script: &'a RefCell<Script>,
        mut interpreter: Interpreter<'a>,
        limits: Limits,
        budget: &'a Budget,
    ) -> Self {
        interpreter.notes_reads = task.semantics.observe == ObserveMode::Change;
        let mut named: HashMap<String, Vec<VariableId>> = HashMap::new();
        for (id, variable) in task.program.variables.iter() {
            let owner = task.program.owner(id).map_or("", |owner| task.program.functions[owner].name.as_str());
            named.entry(format!("{owner}::{}", variable.name)).or_default().push(id);
        }
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
            regions: &classes.regions,
            alike: &classes.alike,
            script,
            interpreter,
            observer: Observer::new(task.semantics.observe, &task.atoms),
            limits,
            budget,
            reader: Reader::new(automaton),
            counts_repetitions: task.formulas.has_next(task.goal),
            has_threads: task.program.has_threads(),
            keeps: kept(&task.program, |edge| asks(&task.program, classes.relevant, edge)),
            unnoticed,
            looks_at_locals,
            named,
            nodes: Vec::new(),
            by_hash: HashMap::new(),
            ways: Vec::new(),
            word: Vec::new(),
            last: None,
            entered: None,
            sights: Vec::new(),
            steps: 0,
            most_steps: u64::MAX,
        }
    }

    fn explore(&mut self) -> Result<Explored, Failure> {
        let beginnings = self.all_ways(None)?;
        let mut product = Product::default();
        let mut open = Vec::new();
        for state in self.automaton.initial() {
            for way in &beginnings {
                self.follow_way(
                    None,
                    state.index() as u32,
                    way,
                    &mut |pair| product.number(pair, &mut open),
                    &mut |_| {},
                )?;
            }
        }
        let mut transitions = 0;
        while let Some(number) = open.pop() {
            let pair = product.pairs[number as usize];
            let (node, state) = pair;
            if self.ways[node as usize].is_none() {
                let ways = self.all_ways(Some(node))?;
                self.ways[node as usize] = Some(ways);
            }
            let ways = self.ways[node as usize].take().expect("just found");
            let mut edges = Vec::new();
            for way in &ways {
                self.follow_way(Some(node), state, way, &mut |pair| product.number(pair, &mut open), &mut |edge| {
                    edges.push(edge)
                })?;
            }
            self.ways[node as usize] = Some(ways);
            transitions += edges.len() as u64;
            product.edges[number as usize] = edges;
            if product.pairs.len() as u64 > self.limits.states || self.steps > self.most_steps {
                return Err(Unexplored::TooLarge { states: self.limits.states }.into());
            }
            if number.is_multiple_of(64) {
                self.budget.check().map_err(Unexplored::Exhausted)?;
            }
        }
        let graph = Graph { edges: product.edges, all: self.all_marks(), scheduler: self.task.scheduler };
        if let Some(component) = graph.accepting() {
            let (node, _) = product.pairs[component[0] as usize];
            let description = format!("a cycle among {} states of the product is accepting", component.len());
            return Err(Unexplored::Accepting { description, span: self.span_of(node) }.into());
        }
        Ok(Explored { states: product.pairs.len() as u64, transitions, by: Way::Interpreted })
    }

    /// That something is read, as one more acceptance set: a cycle on which nothing is read is no infinite word.
    fn progress(&self) -> Marks {
        Marks::one(self.automaton.acceptance_sets())
    }

    fn all_marks(&self) -> Marks {
        self.automaton.all_marks().union(self.progress())
    }

    /// The edges of the product that a way gives rise to, from a node (none at the start) and a state of the automaton.
    fn follow_way(
        &mut self,
        from: Option<u32>,
        state: u32,
        way: &Passage,
        number: &mut dyn FnMut((u32, u32)) -> u32,
        found: &mut dyn FnMut(Edge),
    ) -> Result<(), Unexplored> {
        let all = self.all_marks();
        if state == SILENT {
            if let Some(to) = way.to.filter(|_| way.word.is_empty()) {
                found(Edge { to: number((to, SILENT)), marks: all, turn: way.turn });
            }
            return Ok(());
        }
        let read = self.reader.read(state, &way.word);
        let Some(to) = way.to else {
            if read.iter().any(|&(state, _)| self.reader.accepts_for_ever(state, way.last)) {
                let description = "an execution ends, or does nothing any more, and is accepted".to_owned();
                return Err(Unexplored::Accepting { description, span: from.and_then(|node| self.span_of(node)) });
            }
            return Ok(());
        };
        let progress = if way.word.is_empty() { Marks::NONE } else { self.progress() };
        for (after, marks) in read {
            found(Edge { to: number((to, after)), marks: marks.union(progress), turn: way.turn });
        }
        if way.word.is_empty() && self.reader.accepts_for_ever(state, way.last) {
            found(Edge { to: number((to, SILENT)), marks: Marks::NONE, turn: way.turn });
        }
        Ok(())
    }

    /// All ways from a node to the next ones; those of the start where there is none.
    fn all_ways(&mut self, node: Option<u32>) -> Result<Vec<Passage>, Failure> {
        let mut ways = Vec::new();
        let mut open = vec![Vec::new()];
        while let Some(answers) = open.pop() {
            let walked = self.walk(node, answers.clone())?;
            let (to, turn) = match walked {
                Walked::Cut => continue,
                Walked::Ended => (None, Turn::default()),
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
            let last = self.last.expect("the start is observed");
            ways.push(Passage { to, word: self.word.clone(), last, turn });
        }
        Ok(ways)
    }

    fn number(&mut self, node: Node) -> u32 {
        let mut hasher = DefaultHasher::new();
        node.hash(&mut hasher);
        let alike = self.by_hash.entry(hasher.finish()).or_default();
        if let Some(&known) = alike.iter().find(|known| self.nodes[**known as usize] == node) {
            return known;
        }
        let number = self.nodes.len() as u32;
        alike.push(number);
        self.nodes.push(node);
        self.ways.push(None);
        number
    }

    /// Walks from a node to the next one with these answers.
    fn walk(&mut self, node: Option<u32>, answers: Vec<Answer>) -> Result<Walked, Unexplored> {
        *self.script.borrow_mut() = Script { answers, ..Script::default() };
        self.word.clear();
        self.entered = None;
        self.interpreter.events.clear();
        self.interpreter.edge = None;
        let outcome = match node {
            None => {
                let program = self.interpreter.program;
                self.interpreter.state = State::before_initialisation(program, self.task.semantics.integers);
                self.interpreter.running = 0;
                self.observer.attention = Attention::default();
                self.last = None;
                self.begin()
            }
            Some(number) => {
                let Node { state, attention, running, last } = &self.nodes[number as usize];
                self.interpreter.state.clone_from(state);
                self.interpreter.running = *running;
                self.observer.attention.clone_from(attention);
                self.last = Some(*last);
                self.steps()?
            }
        };
        self.concluded(outcome)
    }

    /// How a walk ends where a step could not be completed.
    fn concluded(&mut self, outcome: Result<Walked, Stop>) -> Result<Walked, Unexplored> {
        match outcome {
            Ok(walked) => Ok(walked),
            Err(Stop::Undefined(_)) if self.task.semantics.undefined == UndefinedMode::Assume => Ok(Walked::Cut),
            Err(Stop::Undefined(kind)) => {
                let observed = self.observe(Occasion::Error(kind));
                self.concluded(observed.map(|()| Walked::Ended))
            }
            Err(Stop::NoMoreChoices) => {
                let asked = self.script.borrow_mut().asked.take().expect("a question is why the answers ended");
                Ok(Walked::Asked(asked))
            }
            Err(Stop::Unsupported(reason)) => Err(Unexplored::not_covered(reason, self.span())),
            Err(Stop::UnfitChoice(reason)) => Err(Unexplored::not_covered(reason, self.span())),
            Err(Stop::NotConstant) => unreachable!("only the evaluation of constants has no memory"),
        }
    }

    fn begin(&mut self) -> Result<Walked, Stop> {
        let Some(entry) = self.interpreter.program.entry else {
            return Err(Stop::unsupported("the program has no entry function"));
        };
        self.interpreter.start(entry)?;
        let events = std::mem::take(&mut self.interpreter.events);
        self.observer.begin(&events);
        self.observe(Occasion::Start)?;
        if self.task.semantics.stop_at_call == Some(entry) {
            return Ok(Walked::Ended);
        }
        Ok(Walked::Node(self.node(), Turn::default()))
    }

    /// Takes steps to the next node. The outer result is for what is not covered.
    fn steps(&mut self) -> Result<Result<Walked, Stop>, Unexplored> {
        let mut turn: Option<Turn> = None;
        let mut goes_on = None;
        for _ in 0..MOST_STEPS {
            self.steps += 1;
            if self.steps.is_multiple_of(STEPS_PER_CHECK) {
                self.budget.check()?;
            }
            self.check_regions()?;
            match self.step(goes_on) {
                Ok(Ok(now)) => turn = Some(turn.map_or(now, |before| before.and(now))),
                Ok(Err(walked)) => return Ok(Ok(walked)),
                Err(stop) => return Ok(Err(stop)),
            }
            match self.after_step() {
                After::Kept => break,
                After::Step => goes_on = None,
                After::StepOf(thread) => goes_on = Some(thread),
            }
        }
        Ok(Ok(Walked::Node(self.node(), turn.unwrap_or_default())))
    }

    /// Takes one step: who was able to run and did, or how the walk ends.
    /// Where a thread is given, it is the one that runs.
    fn step(&mut self, thread: Option<u32>) -> Result<Result<Turn, Walked>, Stop> {
        let finish = |explorer: &mut Self, occasion: Occasion| {
            explorer.observe(occasion)?;
            Ok(Err(Walked::Ended))
        };
        self.script.borrow_mut().enabled = None;
        let runs = match thread {
            Some(thread) => thread,
            None => match self.interpreter.schedule()? {
                Next::Thread(thread) => thread,
                Next::AllEnded => return finish(self, Occasion::End(EndKind::Return)),
                Next::Deadlock => return finish(self, Occasion::Deadlock),
            },
        };
        if self.interpreter.state.threads.len() > MOST_THREADS {
            return Err(Stop::unsupported(format!("more than {MOST_THREADS} threads")));
        }
        let ran = 1 << runs;
        let enabled = self.script.borrow_mut().enabled.take();
        let turn = match (thread, enabled) {
            // Who else was able to run is of no account: it is so before the step that is not taken at once, too.
            (Some(_), _) => Turn { able: ran, always_able: u64::MAX, ran },
            (None, Some(enabled)) => Turn::of_step(enabled.iter().fold(0, |able, thread| able | 1 << thread), ran),
            // Where nobody asked, there was no choice.
            (None, None) => Turn::of_step(ran, ran),
        };
        let mut stepped = self.interpreter.step(runs);
        loop {
            self.follow()?;
            match stepped? {
                Stepped::Done => return Ok(Ok(turn)),
                Stepped::Pause(rest) => stepped = self.interpreter.resume(rest),
                Stepped::End(kind) => return finish(self, Occasion::End(kind)),
                Stepped::Cut => return Ok(Err(Walked::Cut)),
                Stepped::StoppedAtCall(function) => {
                    if self.entered != Some(Occasion::Entered(function)) {
                        self.observe(Occasion::Entered(function))?;
                    }
                    return Ok(Err(Walked::Ended));
                }
            }
        }
    }

    /// Shows what happened to the observer.
    fn follow(&mut self) -> Result<(), Stop> {
        let events = std::mem::take(&mut self.interpreter.events);
        let mut sights = std::mem::take(&mut self.sights);
        let followed = self.observer.follow_into(&mut self.interpreter, &events, &mut sights);
        sights.drain(..).for_each(|sight| self.record(sight));
        self.sights = sights;
        followed
    }

    fn observe(&mut self, occasion: Occasion) -> Result<(), Stop> {
        let sight = self.observer.look(&mut self.interpreter, occasion)?;
        self.record(sight);
        Ok(())
    }

    fn record(&mut self, sight: Sight) {
        let letter = self.reader.number(&sight.truth);
        // A formula without `X` cannot tell how often a letter is repeated.
        if self.counts_repetitions || self.last != Some(letter) {
            self.word.push(letter);
        }
        self.last = Some(letter);
        self.entered = Some(sight.occasion);
        self.observer.reuse(sight.truth);
    }

    fn node(&self) -> Node {
        let mut state = self.interpreter.state.clone();
        self.alike.normalise(&mut state);
        Node {
            state,
            attention: self.observer.attention.clone(),
            // Only atoms over local variables look at who ran last.
            running: if self.looks_at_locals { self.interpreter.running } else { 0 },
            last: self.last.expect("the start is observed"),
        }
    }

    /// What comes after a step that is completed.
    fn after_step(&self) -> After {
        let state = &self.interpreter.state;
        let running = self.interpreter.running;
        let Some((_, frame)) = state.innermost(running) else { return After::Kept };
        let location = frame.location.index();
        if self.keeps[location] {
            After::Kept
        } else if !self.has_threads || state.atomic.is_some_and(|(holder, _)| holder == running) {
            After::Step
        } else if self.unnoticed[location] {
            After::StepOf(running)
        } else {
            After::Kept
        }
    }

    /// Sees to it that no variable holds a number that stands for many where it is not merely copied and compared.
    fn check_regions(&self) -> Result<(), Unexplored> {
        let program = self.interpreter.program;
        let state = &self.interpreter.state;
        for thread in 0..state.threads.len() as u32 {
            let Some((depth, frame)) = state.innermost(thread) else { continue };
            for &variable in self.regions.watched(frame.location) {
                let object = object_in(program, variable, thread, depth);
                let large = self.regions.large(variable);
                let parts = leaves(&program.types, program.variables[variable].ty);
                let parts = parts.map_err(|_| Unexplored::not_covered("an array of too many elements", None))?;
                for leaf in parts {
                    let extent = Extent { object, offset_bits: leaf.offset_bits, width_bits: leaf.width_bits };
                    let Some(Value::Int(value)) = state.memory.peek(extent, leaf.scalar) else { continue };
                    let held = value.to_i128();
                    if held.is_none_or(|value| large.iter().any(|(low, high)| (*low..=*high).contains(&value))) {
                        let name = &program.variables[variable].name;
                        let edge = program.locations[frame.location].out.first();
                        let reason = format!("`{name}` may hold any of many input values where it is computed with");
                        return Err(Unexplored::not_covered(reason, edge.map(|edge| program.edges[*edge].span)));
                    }
                }
            }
        }
        Ok(())
    }

    /// The answers to a question, of which one stands for each that there is.
    fn answers(&self, question: &Question) -> Result<Vec<Answer>, Failure> {
        let program = self.interpreter.program;
        let edge = self.interpreter.edge;
        let (variables, ty) = match question {
            Question::Schedule { enabled, .. } => return Ok((0..enabled.len()).map(Answer::Index).collect()),
            Question::Branch { edges } => return Ok((0..edges.len()).map(Answer::Index).collect()),
            Question::AllocationFails => {
                return Ok([false, true].map(|fails| Answer::Value(Value::Bool(fails))).into());
            }
            Question::Register { ty, .. } => (Vec::new(), *ty),
            Question::Input { ty, .. } => (edge.and_then(|edge| written(program, edge)).into_iter().collect(), *ty),
            Question::Uninitialised { what, ty } => {
                let whole = what.split(['[', '.', '+']).next().unwrap_or_default();
                (self.named.get(whole).cloned().unwrap_or_default(), *ty)
            }
        };
        if !variables.is_empty() && variables.iter().all(|variable| self.alike.puts_away(*variable, ty)) {
            return Ok(vec![Answer::Value(Value::zero(ty))]);
        }
        // What is not initialised is chosen in the middle of a step that may go on to use it.
        let used_now = |variable: VariableId| {
            let state = &self.interpreter.state;
            let innermost = (0..state.threads.len() as u32).filter_map(|thread| state.innermost(thread));
            let here = innermost.map(|(_, frame)| frame.location).chain(edge.map(|edge| program.edges[edge].from));
            matches!(question, Question::Uninitialised { .. })
                && here.into_iter().any(|location| self.regions.is_used_at(location, variable))
        };
        let found = match variables.as_slice() {
            [] => self.regions.values(None, ty, false).unwrap_or_default(),
            variables => {
                let values = |&variable| self.regions.values(Some(variable), ty, used_now(variable));
                let each: Option<Vec<Vec<i128>>> = variables.iter().map(values).collect();
                let mut found: Vec<i128> = each.unwrap_or_default().concat();
                found.sort_unstable();
                found.dedup();
                found
            }
        };
        if !found.is_empty() {
            let value = |value: i128| if ty == Scalar::Bool { Value::Bool(value != 0) } else { Value::int(value) };
            return Ok(found.into_iter().map(|number| Answer::Value(value(number))).collect());
        }
        if let Some(&variable) = variables.iter().find(|variable| self.regions.may_become_source(**variable)) {
            return Err(Failure::Source(variable));
        }
        let reason = format!("`{}` may have any of too many values", question.name());
        Err(Unexplored::not_covered(reason, self.span()).into())
    }

    fn span(&self) -> Option<Span> {
        self.interpreter.edge.map(|edge| self.interpreter.program.edges[edge].span)
    }

    /// Where control is in a node.
    fn span_of(&self, node: u32) -> Option<Span> {
        let Node { state, running, .. } = &self.nodes[node as usize];
        let (_, frame) = state.innermost(*running)?;
        let program = self.interpreter.program;
        let edge = program.locations[frame.location].out.first()?;
        Some(program.edges[*edge].span)
    }
}

/// The pairs of nodes and states of the automaton that were reached.
#[derive(Default)]
struct Product {
    pairs: Vec<(u32, u32)>,
    known: HashMap<(u32, u32), u32>,
    edges: Vec<Vec<Edge>>,
}

impl Product {
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
    match task.semantics.observe {
        ObserveMode::Step => contents.observe == Observe::Step && !is_library,
        ObserveMode::Statement | ObserveMode::Change => contents.observe != Observe::No && !is_library,
    }
}

/// The variable that an input is written to by an edge.
fn written(program: &Program, edge: EdgeId) -> Option<VariableId> {
    match &program.edges[edge].op {
        Op::Input { target: Place { root: Root::Variable(variable), .. }, .. } => Some(*variable),
        Op::Call { result, .. } => *result,
        _ => None,
    }
}
