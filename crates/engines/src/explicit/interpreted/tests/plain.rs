//! The reference: every state of the interpreter, every edge of every thread by itself, nothing left out and nothing
//! forgotten. It shares no code with the space under test but the enumeration of answers.

use std::cell::RefCell;

use foundation::collections::HashMap;
use program::semantics::interpreter::Interpreter;
use program::semantics::observe::{Attention, Observer, Sight};
use program::semantics::state::State;
use program::semantics::{Answer, Driver, Listener, RunEnd, Stop};
use task::{LetterBits, Negation, Task};

use super::super::super::space::{Advance, Next, Space};
use super::super::choices::{Decisions, Prompter, Script};

type Node = (State, Attention, u32, Option<Vec<bool>>);

/// All that a program can do.
pub struct Graph {
    nodes: Vec<Vec<Move>>,
}

struct Move {
    step: Advance,
    to: u32,
    shown: Vec<Vec<bool>>,
    last: Vec<bool>,
    enabled: u64,
    ran: u64,
}

impl Graph {
    /// Explores a program; none if it has more than so many states.
    pub fn explore(task: &Task, most: usize) -> Option<Self> {
        let mut numbers: HashMap<Node, u32> = HashMap::default();
        let mut open: Vec<Option<Node>> = vec![None];
        let mut nodes = Vec::new();
        while nodes.len() < open.len() {
            let from = open[nodes.len()].clone();
            let mut moves = Vec::new();
            let mut decisions = Decisions::default();
            loop {
                let script = RefCell::new(Script::new(&super::domains, decisions));
                let (mut made, to) = one_edge(task, from.as_ref(), &script);
                if let Some(node) = to {
                    let number = open.len() as u32;
                    made.to = *numbers.entry(node.clone()).or_insert_with(|| {
                        open.push(Some(node));
                        number
                    });
                }
                moves.push(made);
                decisions = script.into_inner().into_decisions();
                if !decisions.advance() {
                    break;
                }
            }
            nodes.push(moves);
            if open.len() > most {
                return None;
            }
        }
        Some(Self { nodes })
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn space<'g>(&'g self, negation: &'g Negation) -> PlainSpace<'g> {
        PlainSpace { graph: self, negation }
    }
}

fn one_edge(task: &Task, from: Option<&Node>, script: &RefCell<Script<'_>>) -> (Move, Option<Node>) {
    let mut prompter = Prompter(script);
    let interpreter = Interpreter::new(&task.program, task.semantics, &mut prompter);
    let mut driver = Driver::new(interpreter, Observer::new(task.semantics.observe, &task.atoms));
    let mut shown = Letters::default();
    let mut last = Vec::new();
    let mut masks = (1, 1);
    let stepped = match from {
        None => driver.begin(&mut shown),
        Some((state, attention, running, letter)) => {
            driver.interpreter.state = state.clone();
            driver.interpreter.running = *running;
            driver.observer.attention = attention.clone();
            last = letter.clone().unwrap();
            driver.schedule(&mut shown).and_then(|thread| {
                let enabled = script.borrow().enabled.clone().unwrap_or(vec![thread]);
                masks = (enabled.iter().fold(0, |bits, one| bits | 1 << one), 1 << thread);
                driver.step_of(thread, &mut shown)
            })
        }
    };
    let step = match stepped {
        Ok(()) => Advance::Next,
        Err(RunEnd::Blocked { .. }) => Advance::Blocked,
        Err(RunEnd::End(_) | RunEnd::Undefined { .. } | RunEnd::Deadlock | RunEnd::StoppedAtCall(_)) => Advance::Ended,
        Err(other) => panic!("{other:?}"),
    };
    let shown = shown.0;
    let last = shown.last().cloned().unwrap_or(last);
    let made = Move { step: step.clone(), to: 0, shown, last: last.clone(), enabled: masks.0, ran: masks.1 };
    let node = (step == Advance::Next).then(|| {
        (driver.interpreter.state.clone(), driver.observer.attention.clone(), driver.interpreter.running, Some(last))
    });
    (made, node)
}

/// The letters that one edge shows.
#[derive(Default)]
struct Letters(Vec<Vec<bool>>);

impl Listener for Letters {
    fn observed(&mut self, _: &mut Driver<'_>, sights: &[Sight]) -> Result<(), Stop> {
        self.0.extend(sights.iter().map(|sight| sight.truth.clone()));
        Ok(())
    }
}

/// The graph with the letters of a property.
#[derive(Clone)]
pub struct PlainSpace<'g> {
    graph: &'g Graph,
    negation: &'g Negation,
}

impl Space for PlainSpace<'_> {
    fn words(&self) -> usize {
        1
    }

    fn tag_shift(&self) -> u32 {
        32
    }

    fn initial(&mut self, state: &mut [u64]) {
        state[0] = 0;
    }

    fn step(&mut self, state: &[u64], number: u32, next: &mut Next) -> Advance {
        let Some(made) = self.graph.nodes[state[0] as usize].get(number as usize) else { return Advance::NoMore };
        next.state = vec![u64::from(made.to)];
        next.letters = made.shown.iter().map(|truth| self.negation.letter(truth)).collect::<Vec<LetterBits>>();
        next.last = self.negation.letter(&made.last);
        if self.negation.stutter_invariant && next.letters.is_empty() {
            next.letters.push(next.last);
        }
        (next.enabled, next.ran) = (made.enabled, made.ran);
        made.step.clone()
    }

    fn answers(&mut self, _: &[u64], _: u32) -> Vec<Answer> {
        unreachable!("only verdicts are asked for")
    }

    fn fork(&self) -> Self {
        self.clone()
    }
}
