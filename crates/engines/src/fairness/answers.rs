//! The answers to what a program asks on the path of an execution, in the order in which the interpreter asks.
//!
//! Inputs are asked for by the edges that read them. What an uninitialised variable holds is asked for when it is first
//! read, which may be much later or never: the right operand of `&&` reads only sometimes. So the path is followed by
//! the interpreter itself, on the prepared program, whose questions are written down.

use std::cell::RefCell;
use std::collections::VecDeque;

use analysis::points_to::Pointee;
use foundation::collections::HashMap;
use logic::Value as Number;
use program::passes::Prepared;
use program::semantics::evaluate::evaluate;
use program::semantics::event::Event;
use program::semantics::interpreter::Interpreter;
use program::semantics::step::Stepped;
use program::semantics::value::ObjectId;
use program::semantics::{Answer, Choices, ObserveMode, Question, Stop, Value};
use program::{Atom, EdgeId, Observe, Scalar};
use task::Reason;

use super::lasso::Valuation;
use super::letter::TakenEdge;
use crate::encode::Exit;
use crate::encode::edge::Contents;
use crate::encode::memory::MemoryCell;

/// Follows a path through a program and tells the answers.
pub struct AnswerTeller<'a> {
    prepared: &'a Prepared,
    interpreter: Interpreter<'a>,
    open: &'a OpenQuestions,
    is_started: bool,
    /// Whether something was written since the last edge that may be observed.
    has_written: bool,
}

/// What may be asked next, and what was.
#[derive(Default)]
pub struct OpenQuestions(RefCell<AnswerSource>);

#[derive(Default)]
struct AnswerSource {
    inputs: VecDeque<Answer>,
    /// What objects hold that are not initialised; those of variables as if these were global.
    held: HashMap<ObjectId, Vec<(Contents, Number)>>,
    /// The edge that is to be taken.
    edge: Option<EdgeId>,
    answers: Vec<Answer>,
}

impl Choices for &OpenQuestions {
    fn choose(&mut self, question: &Question) -> Answer {
        let mut questions = self.0.borrow_mut();
        let answer = match question {
            Question::Input { .. } => questions.inputs.pop_front(),
            Question::Uninitialised { part, ty, .. } => {
                let held = questions.held.get(&global(part.object)).into_iter().flatten();
                let offset = part.offset_bits / 8;
                let mut found = held.filter_map(|(contents, value)| contents.at(offset, value));
                found.next().map(|value| answer(*ty, Some(&value)))
            }
            Question::Branch { edges } => {
                edges.iter().position(|edge| Some(*edge) == questions.edge).map(Answer::Index)
            }
            _ => None,
        };
        // What nobody has chosen does not matter.
        let answer = answer.unwrap_or(Answer::Value(Value::int(0)));
        questions.answers.push(answer.clone());
        answer
    }
}

impl<'a> AnswerTeller<'a> {
    /// A teller.
    pub fn new(prepared: &'a Prepared, open: &'a OpenQuestions, choices: &'a mut &'a OpenQuestions) -> Self {
        let interpreter = Interpreter::new(&prepared.program, prepared.semantics, choices);
        Self { prepared, interpreter, open, is_started: false, has_written: false }
    }

    /// The answers on the next part of the path.
    pub fn answers(&mut self, path: &[TakenEdge], values: &Valuation) -> Result<Vec<Answer>, Reason> {
        for taken in path {
            self.take(taken, values).map_err(|what| {
                Reason::EvidenceRejected(format!("the interpreter does not follow the way of a violation: {what}"))
            })?;
        }
        Ok(std::mem::take(&mut self.open.0.borrow_mut().answers))
    }

    fn take(&mut self, taken: &TakenEdge, values: &Valuation) -> Result<(), String> {
        {
            let mut questions = self.open.0.borrow_mut();
            questions.edge = taken.edge;
            for asked in &taken.asked {
                let value = values.get(&asked.symbol);
                match (asked.uninitialised, value) {
                    (Some(variable), Some(value)) => {
                        let (object, symbol) = (Pointee::Variable(variable), asked.symbol);
                        let whole = Contents { object, cell: MemoryCell::One(0), symbol, stride: 1 };
                        questions.held.insert(ObjectId::Global(variable), vec![(whole, value.clone())]);
                    }
                    (Some(variable), None) => _ = questions.held.remove(&ObjectId::Global(variable)),
                    (None, value) => questions.inputs.push_back(answer(asked.scalar, value)),
                }
            }
            let new = self.interpreter.state.memory.unused_heap();
            let object_of = |contents: &Contents| match contents.object {
                Pointee::Variable(variable) => ObjectId::Global(variable),
                Pointee::Heap(_) => new,
            };
            taken.contents.iter().for_each(|contents| _ = questions.held.remove(&object_of(contents)));
            for contents in &taken.contents {
                if let Some(value) = values.get(&contents.symbol) {
                    questions.held.entry(object_of(contents)).or_default().push((contents.clone(), value.clone()));
                }
            }
        }
        match taken.edge {
            None if !self.is_started => {
                self.is_started = true;
                self.interpreter.start(self.prepared.root()).map_err(|stop| format!("{stop:?}"))?;
                self.interpreter.events.clear();
                self.look();
                Ok(())
            }
            // Control stays where it is.
            None => Ok(()),
            Some(edge) => self.step(edge, taken.exit),
        }
    }

    fn step(&mut self, edge: EdgeId, exit: Exit) -> Result<(), String> {
        let mut stepped = self.interpreter.step(0);
        // Where a condition is undefined, none of the branches is taken, and any of them may stand for that.
        let is_undefined = matches!(stepped, Err(Stop::Undefined(_)));
        if is_undefined != (exit == Exit::Undefined) {
            return Err(format!("{stepped:?} at an edge that {exit:?}"));
        }
        if !is_undefined && self.interpreter.edge != Some(edge) {
            return Err("another branch is taken".to_owned());
        }
        loop {
            self.follow();
            match stepped {
                Ok(Stepped::Done) => return Ok(()),
                Ok(Stepped::Pause(rest)) => stepped = self.interpreter.resume(rest),
                Ok(Stepped::End(_)) | Err(Stop::Undefined(_)) => {
                    self.look();
                    return Ok(());
                }
                Ok(other) => return Err(format!("{other:?}")),
                Err(stop) => return Err(format!("{stop:?}")),
            }
        }
    }

    /// Looks at the state if the edge that was completed is observed.
    fn follow(&mut self) {
        for event in std::mem::take(&mut self.interpreter.events) {
            match event {
                Event::Write(_) => self.has_written = true,
                Event::Completed(edge) => {
                    let observe = self.prepared.program.edges[edge].observe;
                    let is_seen = match self.prepared.semantics.observe {
                        ObserveMode::Statement => observe != Observe::No,
                        ObserveMode::Step => observe == Observe::Step,
                        ObserveMode::Change => observe != Observe::No && std::mem::take(&mut self.has_written),
                    };
                    if is_seen {
                        self.look();
                    }
                }
                _ => {}
            }
        }
    }

    /// Evaluates the atoms, which may read what is not initialised.
    fn look(&mut self) {
        let prepared = self.prepared;
        let location = self.interpreter.state.innermost(0).map(|(_, frame)| frame.location);
        let seen = prepared.atoms_at(location.unwrap_or_else(|| prepared.start()));
        for (atom, seen) in prepared.atoms.atoms().iter().zip(seen) {
            let Atom::State { active, .. } = atom else { continue };
            if let Some(seen) = seen
                && (location.is_some() || active.is_empty())
            {
                // An atom that is undefined is false.
                let _ = evaluate(&mut self.interpreter, seen.value);
            }
        }
        self.interpreter.events.clear();
    }
}

fn global(object: ObjectId) -> ObjectId {
    object.variable().map_or(object, ObjectId::Global)
}

fn answer(scalar: Scalar, value: Option<&Number>) -> Answer {
    Answer::Value(match (scalar, value) {
        (Scalar::Bool, Some(Number::Bool(value))) => Value::Bool(*value),
        (Scalar::Bool, _) => Value::Bool(false),
        (_, Some(Number::Int(value))) => Value::Int(value.clone()),
        _ => Value::int(0),
    })
}
