//! One run of the interpreter, followed step by step in the formulas.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use foundation::Budget;
use foundation::collections::HashMap;
use kernel::encode::{CellName, Encoding, Exit, ObjectName, Passage, Transition, Truth};
use logic::{Sort, Symbol, Term, Terms, Value};
use num_bigint::BigInt;
use program::passes::Prepared;
use program::semantics::evaluate::evaluate;
use program::semantics::interpreter::Interpreter;
use program::semantics::layout::leaves;
use program::semantics::memory::{Extent, Read};
use program::semantics::step::Stepped;
use program::semantics::threads::NextEvent;
use program::semantics::{Answer, Choices, Integers, ObjectId, Pointer, Question, SeededChoices, Stop};
use program::{EdgeId, IntType, LocationId, Op, Scalar, VariableKind};
use smt::{Satisfiability, Solver, Z3};

use crate::declared::Declared;

/// What was compared.
#[derive(Clone, Copy, Default, Debug)]
pub struct Count {
    pub steps: usize,
    pub undefined: usize,
    pub ends: usize,
    pub atoms: usize,
    pub unique: usize,
    pub undecided: usize,
    pub unknown_atoms: usize,
}

/// A deliberate mistake in the formulas.
pub type Fault<'f> = &'f dyn Fn(&Terms, Vec<Passage>) -> Vec<Passage>;

/// Choices that are remembered.
struct Noted {
    choices: SeededChoices,
    inputs: Rc<RefCell<Vec<program::semantics::Value>>>,
}

impl Choices for Noted {
    fn choose(&mut self, question: &Question) -> Answer {
        let answer = self.choices.choose(question);
        if let (Question::Input { .. }, Answer::Value(value)) = (question, &answer) {
            self.inputs.borrow_mut().push(value.clone());
        }
        answer
    }
}

/// The abstract side of a state.
struct Follower<'a> {
    prepared: &'a Prepared,
    terms: &'a Terms,
    encoding: Encoding<'a>,
    declared: &'a Declared,
    solver: Z3<'a>,
    values: BTreeMap<Symbol, Value>,
    bases: HashMap<ObjectName, BigInt>,
    /// The allocations that live.
    heap: HashMap<ObjectId, EdgeId>,
    strangers: HashMap<ObjectId, BigInt>,
    next_stranger: BigInt,
    is_exact: bool,
    count: Count,
    filling: SeededChoices,
    inputs: Rc<RefCell<Vec<program::semantics::Value>>>,
    /// An array that stands for what is not known of another.
    rest: HashMap<Symbol, Term>,
}

/// What a symbol's cell holds: a value, or by index the elements of an array.
#[derive(Clone, Debug)]
enum Held {
    Nothing,
    Scalar(Value),
    Elements(Vec<(u64, Value)>),
}

/// What is followed.
pub struct Following<'a> {
    /// The program that runs.
    pub interpreted: &'a Prepared,
    /// The program that the formulas are made of: the same one, or there is something to find out.
    pub encoded: &'a Prepared,
    /// The symbols.
    pub declared: &'a Declared,
    /// Whether each step must have one outcome only, where nothing was given up.
    pub is_exact: bool,
}

/// Follows a run; an error says where the formulas and the interpreter differ.
pub fn follow(following: &Following<'_>, seed: u64, steps: usize, fault: Fault<'_>) -> Result<Count, String> {
    let &Following { interpreted: prepared, encoded, declared, is_exact } = following;
    let terms = Terms::new();
    let encoding = Encoding::new(encoded, &terms, &declared.declarations, &declared.addresses)?;
    let mut solver = Z3::new(&terms, &Budget::unlimited());
    solver.set_query_limit(Some(Duration::from_secs(20)));
    let mut follower = Follower {
        prepared,
        terms: &terms,
        encoding,
        declared,
        solver,
        values: BTreeMap::new(),
        bases: declared.addresses.iter().map(|address| (address.object, address.base.clone())).collect(),
        heap: HashMap::default(),
        strangers: HashMap::default(),
        next_stranger: BigInt::from(1) << 100,
        is_exact,
        count: Count::default(),
        filling: SeededChoices::new(!seed),
        inputs: Rc::default(),
        rest: HashMap::default(),
    };
    let mut choices = Noted { choices: SeededChoices::new(seed), inputs: follower.inputs.clone() };
    let mut interpreter = Interpreter::new(&prepared.program, prepared.semantics, &mut choices);
    follower.run(&mut interpreter, steps, fault)?;
    Ok(follower.count)
}

impl std::ops::AddAssign for Count {
    fn add_assign(&mut self, other: Self) {
        self.steps += other.steps;
        self.undefined += other.undefined;
        self.ends += other.ends;
        self.atoms += other.atoms;
        self.unique += other.unique;
        self.undecided += other.undecided;
        self.unknown_atoms += other.unknown_atoms;
    }
}

impl Follower<'_> {
    fn run(&mut self, interpreter: &mut Interpreter<'_>, steps: usize, fault: Fault<'_>) -> Result<(), String> {
        if interpreter.start(self.prepared.root()).is_err() {
            return Ok(());
        }
        let held = self.look(interpreter);
        let initial = self.encoding.initial();
        let passages = vec![Passage { step: initial, exit: Exit::Passes }];
        if !self.compare(&passages, Exit::Passes, &held, None)? {
            return Ok(());
        }
        self.compare_atoms(interpreter, self.prepared.start(), Exit::Passes)?;
        for _ in 0..steps {
            if interpreter.schedule() != Ok(NextEvent::Thread(0)) {
                return Ok(());
            }
            let from = location(interpreter);
            if self.prepared.program.locations[from].out.is_empty() {
                return Ok(());
            }
            self.inputs.borrow_mut().clear();
            let mut stepped = interpreter.step(0);
            while let Ok(Stepped::Pause(rest)) = stepped {
                stepped = interpreter.resume(rest);
            }
            let edge = interpreter.edge.expect("one was taken");
            let op = &self.prepared.program.edges[edge].op;
            let exit = match stepped {
                Ok(Stepped::Done) => Exit::Passes,
                Ok(Stepped::End(_)) if matches!(op, Op::Return(_)) => Exit::Returns,
                Ok(Stepped::End(_)) => Exit::Ends,
                Err(Stop::Undefined(_)) => Exit::Undefined,
                _ => return Ok(()),
            };
            self.count.steps += 1;
            if exit == Exit::Passes && matches!(op, Op::Allocate { .. }) {
                self.note_allocation(interpreter, edge);
            }
            let memory = &interpreter.state.memory;
            self.heap.retain(|id, _| memory.object(*id).is_some());
            self.strangers.retain(|id, _| memory.object(*id).is_some());
            let held = self.look(interpreter);
            let passages = fault(self.terms, self.encoding.edge(edge));
            let about = || program::print::op_text(&self.prepared.program, op);
            let is_decided = self.compare(&passages, exit, &held, Some(edge));
            if !is_decided.map_err(|error| format!("{error} at {}", about()))? {
                return Ok(());
            }
            let at = if exit == Exit::Passes { location(interpreter) } else { from };
            self.compare_atoms(interpreter, at, exit)?;
            match exit {
                Exit::Passes => {}
                Exit::Undefined => {
                    self.count.undefined += 1;
                    return Ok(());
                }
                _ => {
                    self.count.ends += 1;
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn note_allocation(&mut self, interpreter: &mut Interpreter<'_>, edge: EdgeId) {
        let Op::Allocate { target, .. } = &self.prepared.program.edges[edge].op else { return };
        let object = self.name(interpreter, ObjectName::Variable(*target)).expect("a variable");
        let width_bits = self.prepared.program.types.scalar_bits(Scalar::Pointer);
        let extent = Extent { object, offset_bits: 0, width_bits };
        let read = interpreter.state.memory.read(extent, Scalar::Pointer);
        if let Ok(Read::Value(program::semantics::Value::Pointer(Pointer::Object { object, .. }))) = read {
            self.heap.insert(object, edge);
        }
    }

    /// The interpreter's name of an object, if it lives.
    fn name(&self, interpreter: &Interpreter<'_>, object: ObjectName) -> Option<ObjectId> {
        let id = match object {
            ObjectName::Variable(variable) => match self.prepared.program.variables[variable].kind {
                VariableKind::Global { .. } | VariableKind::Literal { .. } => ObjectId::Global(variable),
                _ => ObjectId::Local { thread: 0, depth: 0, variable },
            },
            ObjectName::Heap(edge) => self.heap.iter().find(|(_, at)| **at == edge).map(|(id, _)| *id)?,
        };
        interpreter.state.memory.object(id).map(|_| id)
    }

    /// What all cells hold.
    fn look(&mut self, interpreter: &mut Interpreter<'_>) -> BTreeMap<Symbol, Held> {
        let mut all = BTreeMap::new();
        for declaration in &self.declared.declarations {
            let symbol = self.encoding.symbol(&declaration.name).expect("it is declared");
            let held = match declaration.cell {
                CellName::Alive(object) => Held::Scalar(Value::Bool(self.name(interpreter, object).is_some())),
                CellName::One { object, offset, scalar } => {
                    self.cell(interpreter, object, offset, scalar).map_or(Held::Nothing, Held::Scalar)
                }
                CellName::Many { object, scalar, unit } => {
                    let mut elements = Vec::new();
                    for at in positions(self.prepared, object, scalar, unit) {
                        if let Some(value) = self.cell(interpreter, object, at * 8, scalar) {
                            elements.push((at / unit, value));
                        }
                    }
                    Held::Elements(elements)
                }
            };
            all.insert(symbol, held);
        }
        all
    }

    /// The value of a cell; what is not chosen yet is chosen now. None where it cannot be read, or dangles.
    fn cell(
        &mut self,
        interpreter: &mut Interpreter<'_>,
        object: ObjectName,
        offset_bits: u64,
        scalar: Scalar,
    ) -> Option<Value> {
        let object = self.name(interpreter, object)?;
        let width_bits = self.prepared.program.types.scalar_bits(scalar);
        let extent = Extent { object, offset_bits, width_bits };
        let memory = &mut interpreter.state.memory;
        for _ in 0..2 {
            match memory.read(extent, scalar).ok()? {
                Read::Value(program::semantics::Value::Int(value)) => return Some(Value::Int(value)),
                Read::Value(program::semantics::Value::Bool(value)) => return Some(Value::Bool(value)),
                Read::Value(program::semantics::Value::Pointer(pointer)) => return self.number(pointer, memory),
                Read::Value(program::semantics::Value::Float(_)) => return None,
                Read::Unchosen(gaps) => {
                    for (offset_bits, width_bits) in gaps {
                        let part = Extent { object, offset_bits, width_bits };
                        let scalar = match width_bits == extent.width_bits {
                            true => scalar,
                            false if self.prepared.semantics.integers == Integers::Ideal => return None,
                            false => Scalar::Int(IntType::unsigned(width_bits as u16)),
                        };
                        let value = match scalar {
                            Scalar::Pointer => program::semantics::Value::Pointer(Pointer::Null),
                            ty => match self.filling.choose(&Question::Register { address: 0, ty }) {
                                Answer::Value(value) => value,
                                other => panic!("{other:?}"),
                            },
                        };
                        memory.write(part, scalar, value).ok()?;
                    }
                }
            }
        }
        None
    }

    /// The number that stands for an address; none for a dangling one.
    fn number(&mut self, pointer: Pointer, memory: &mut program::semantics::memory::Memory) -> Option<Value> {
        let number = match pointer {
            Pointer::Null => BigInt::from(0),
            Pointer::Register(number) | Pointer::Invalid(number) => number.into(),
            Pointer::Function(_) => memory.number_of(pointer).ok()?.into(),
            Pointer::Dangling => return None,
            Pointer::Object { object, offset } => {
                let known = match object {
                    ObjectId::Heap(_) => self.heap.get(&object).map(|edge| ObjectName::Heap(*edge)),
                    _ => object.variable().map(ObjectName::Variable),
                };
                let base = known.and_then(|object| self.bases.get(&object).cloned());
                let base = base.unwrap_or_else(|| {
                    let next = &mut self.next_stranger;
                    self.strangers
                        .entry(object)
                        .or_insert_with(|| {
                            *next += BigInt::from(1) << 70;
                            next.clone()
                        })
                        .clone()
                });
                base + offset
            }
        };
        Some(Value::Int(number))
    }

    /// Looks for a passage that leads to what is held, and takes it over; not where the solver does not know.
    fn compare(
        &mut self,
        passages: &[Passage],
        exit: Exit,
        held: &BTreeMap<Symbol, Held>,
        edge: Option<EdgeId>,
    ) -> Result<bool, String> {
        let terms = self.terms;
        let before = self.state_terms();
        let answers: Vec<Value> = (self.inputs.borrow().iter())
            .filter_map(|value| match value {
                program::semantics::Value::Int(value) => Some(Value::Int(value.clone())),
                program::semantics::Value::Bool(value) => Some(Value::Bool(*value)),
                _ => None,
            })
            .collect();
        let given = |step: &Transition| {
            let fits = edge.is_some() && step.asked.len() == answers.len();
            let pairs = step.asked.iter().zip(&answers).filter(|(symbol, value)| {
                fits && matches!(
                    (terms.sort_of_symbol(**symbol), value),
                    (Sort::Int, Value::Int(_)) | (Sort::Bool, Value::Bool(_))
                )
            });
            let equal = pairs.map(|(symbol, value)| terms.equal(terms.variable(*symbol), constant(terms, value)));
            terms.and(equal.collect::<Vec<_>>())
        };
        let reaches = |step: &Transition| {
            let mut parts = Vec::new();
            for (&symbol, held) in held {
                let new = step.updates.get(&symbol).copied().unwrap_or_else(|| terms.variable(symbol));
                match held {
                    Held::Nothing => {}
                    Held::Scalar(value) => parts.push(terms.equal(new, constant(terms, value))),
                    Held::Elements(elements) => {
                        for (index, value) in elements {
                            let element = terms.select(new, terms.integer(*index));
                            parts.push(terms.equal(element, constant(terms, value)));
                        }
                    }
                }
            }
            terms.and(parts)
        };
        let mut undecided = false;
        let mut found = None;
        for passage in passages.iter().filter(|passage| passage.exit == exit) {
            let step = &passage.step;
            let whole = terms.and([step.guard, given(step), reaches(step)]);
            match self.satisfy(terms.substitute(whole, &before)) {
                Some(Some(model)) => {
                    found = Some((step, model));
                    break;
                }
                Some(None) => {}
                None => undecided = true,
            }
        }
        let Some((step, model)) = found else {
            if undecided {
                self.count.undecided += 1;
                return Ok(false);
            }
            let shown: Vec<String> = passages
                .iter()
                .map(|passage| format!("{:?} if {}", passage.exit, terms.display(passage.step.guard)))
                .collect();
            let state: Vec<String> =
                self.values.iter().map(|(symbol, value)| format!("{} = {value:?}", terms.name(*symbol))).collect();
            return Err(format!("no passage for {exit:?}: {held:?}\nfrom {state:?}\nof {shown:#?}"));
        };
        let approximated = self.encoding.approximated();
        let span = edge.map(|edge| self.prepared.program.edges[edge].span);
        let is_open = edge.is_none_or(|edge| matches!(self.prepared.program.edges[edge].op, Op::Declare(_)))
            || approximated.iter().any(|(_, at)| Some(*at) == span);
        if !is_open {
            let mut unique = true;
            for passage in passages {
                let step = &passage.step;
                let other = if passage.exit == exit { terms.not(reaches(step)) } else { terms.truth(true) };
                let whole = terms.and([step.guard, given(step), other]);
                unique &= matches!(self.satisfy(terms.substitute(whole, &before)), Some(None));
            }
            self.count.unique += usize::from(unique);
            if self.is_exact && !unique {
                let shown: Vec<String> = passages
                    .iter()
                    .map(|passage| format!("{:?} if {}", passage.exit, terms.display(passage.step.guard)))
                    .collect();
                return Err(format!("more than {exit:?}: {held:?} is possible: {shown:#?}"));
            }
        }
        let mut after = BTreeMap::new();
        let valued = |symbol: Symbol| -> Option<Value> {
            let known = self.values.get(&symbol).cloned().or_else(|| model.get(&symbol).cloned());
            Some(known.unwrap_or_else(|| Value::default_of(&terms.sort_of_symbol(symbol))))
        };
        for (&symbol, held) in held {
            let new = step.updates.get(&symbol).copied().unwrap_or_else(|| terms.variable(symbol));
            let computed = || terms.evaluate(new, &valued).expect("terms are total");
            let value = match held {
                Held::Scalar(value) => value.clone(),
                Held::Nothing => computed(),
                Held::Elements(elements) => {
                    let mut array = computed();
                    for (index, value) in elements {
                        array = array.with_element(Value::Int((*index).into()), value.clone()).expect("an array");
                    }
                    array
                }
            };
            after.insert(symbol, value);
        }
        if exit != Exit::Undefined {
            self.values = after;
        }
        Ok(true)
    }

    /// The values of symbols before a step, as terms.
    fn state_terms(&mut self) -> HashMap<Symbol, Term> {
        let terms = self.terms;
        let mut all = HashMap::default();
        for (&symbol, value) in &self.values {
            let term = match value {
                Value::Array { .. } => {
                    let rest =
                        *(self.rest.entry(symbol)).or_insert_with(|| terms.fresh("rest", terms.sort_of_symbol(symbol)));
                    let Some(&CellName::Many { object, scalar, unit }) = self.encoding.cell(symbol) else {
                        unreachable!("only many cells are an array")
                    };
                    // Outside of the object the array may hold anything.
                    positions(self.prepared, object, scalar, unit).into_iter().fold(rest, |array, at| {
                        let index = Value::Int((at / unit).into());
                        let element = value.element(&index).expect("an array");
                        terms.store(array, constant(terms, &index), constant(terms, &element))
                    })
                }
                value => constant(terms, value),
            };
            all.insert(symbol, term);
        }
        all
    }

    /// A model, or that there is none; or neither.
    fn satisfy(&mut self, term: Term) -> Option<Option<HashMap<Symbol, Value>>> {
        match self.terms.as_truth(term) {
            Some(true) => return Some(Some(HashMap::default())),
            Some(false) => return Some(None),
            None => {}
        }
        self.solver.push();
        self.solver.assert(term);
        let answer = match self.solver.check(&[]) {
            Satisfiability::Satisfiable => {
                let model = self.solver.model();
                let symbols = self.terms.symbols(term);
                Some(Some(symbols.iter().filter_map(|&symbol| Some((symbol, model.value(symbol)?))).collect()))
            }
            Satisfiability::Unsatisfiable => Some(None),
            Satisfiability::Unknown(_) => None,
        };
        self.solver.pop();
        answer
    }

    fn compare_atoms(&mut self, interpreter: &mut Interpreter<'_>, at: LocationId, exit: Exit) -> Result<(), String> {
        let atoms = self.prepared.atoms_at(at).to_vec();
        for (index, atom) in atoms.iter().enumerate() {
            let expected = match (&self.prepared.atoms.atoms()[index], atom) {
                (program::Atom::End, _) => matches!(exit, Exit::Returns | Exit::Ends),
                (program::Atom::Error, _) => exit == Exit::Undefined,
                (program::Atom::State { .. }, Some(atom)) => match evaluate(interpreter, atom.value) {
                    Ok(value) => value == program::semantics::Value::Bool(true),
                    Err(Stop::Undefined(_)) => false,
                    Err(_) => continue,
                },
                _ => false,
            };
            match self.encoding.atom(index, at, exit) {
                Truth::Unknown => self.count.unknown_atoms += 1,
                Truth::Is(term) => {
                    self.count.atoms += 1;
                    let found = self.terms.holds(term, &|symbol| self.values.get(&symbol).cloned());
                    if found != Some(expected) {
                        return Err(format!("atom {index} is {expected}, not {found:?}: {}", self.terms.display(term)));
                    }
                }
            }
        }
        interpreter.events.clear();
        Ok(())
    }
}

/// The byte offsets of many scalars in an object.
fn positions(prepared: &Prepared, object: ObjectName, scalar: Scalar, unit: u64) -> Vec<u64> {
    let program = &prepared.program;
    let bits = program.types.scalar_bits(scalar);
    let mut positions: Vec<u64> = match object {
        ObjectName::Heap(_) => (0..16 / (bits / 8)).map(|at| at * bits / 8).collect(),
        ObjectName::Variable(variable) => leaves(&program.types, program.variables[variable].ty)
            .expect("few")
            .into_iter()
            .filter(|leaf| leaf.scalar == scalar && leaf.width_bits == bits)
            .map(|leaf| leaf.offset_bits / 8)
            .collect(),
    };
    positions.retain(|at| at % unit == 0);
    positions
}

fn constant(terms: &Terms, value: &Value) -> Term {
    terms.of_value(value).expect("no array")
}

fn location(interpreter: &Interpreter<'_>) -> LocationId {
    interpreter.state.innermost(0).expect("it runs").1.location
}
