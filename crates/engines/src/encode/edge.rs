//! Edges as steps.
//!
//! An edge passes control on, ends the program, or stops where behaviour is undefined. An edge whose expressions may be
//! undefined has a passage for each of the two.

use analysis::points_to::Pointee;
use logic::{Symbol, Value};
use program::{Callee, EdgeId, InputSource, Op, Operand, Root, Scalar, VariableId};
use task::Reason;

use super::expression::Encoder;
use super::heap::{self, Held};
use super::memory::MemoryCell;
use super::step::Transition;
use super::vocabulary::{Shape, Vocabulary};

/// One way in which an edge can be taken.
#[derive(Clone, Debug)]
pub struct Passage {
    /// What it does.
    pub step: Transition,
    /// Where control is afterwards.
    pub exit: Exit,
    /// What the edge reads from outside, in the order in which it is asked for.
    pub asked: Vec<AskedValue>,
    /// What objects in memory hold from here on that nobody has initialised.
    pub contents: Vec<Contents>,
}

/// Where control is after an edge.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Exit {
    /// At the edge's target.
    Passes,
    /// Nowhere: the entry function has returned.
    Returns,
    /// Nowhere: the program ends inside some function.
    Ends,
    /// Nowhere: behaviour is undefined.
    Undefined,
}

/// A value that the program does not determine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AskedValue {
    /// The symbol that stands for it in the step.
    pub symbol: Symbol,
    /// Its type.
    pub scalar: Scalar,
    /// The variable whose uninitialised value it is; none for an input.
    pub uninitialised: Option<VariableId>,
}

/// What uninitialised cells of an object hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contents {
    /// The object.
    pub object: Pointee,
    /// The cells.
    pub cell: MemoryCell,
    /// The symbol that stands for what they hold in the step.
    pub symbol: Symbol,
    /// How many bytes lie between two indices, where it is an array.
    pub stride: u64,
}

impl Contents {
    /// What lies at an offset, by the value of the symbol.
    pub fn at(&self, offset_bytes: u64, held: &Value) -> Option<Value> {
        match self.cell {
            MemoryCell::One(at) => (at == offset_bytes).then(|| held.clone()),
            MemoryCell::Many(_) if offset_bytes.is_multiple_of(self.stride) => {
                held.element(&Value::Int((offset_bytes / self.stride).into()))
            }
            MemoryCell::Many(_) | MemoryCell::Alive => None,
        }
    }
}

/// Encodes an edge.
pub fn encode(vocabulary: &Vocabulary<'_>, edge: EdgeId) -> Result<Vec<Passage>, Reason> {
    let (terms, program) = (vocabulary.terms, vocabulary.program());
    let data = &program.edges[edge];
    let encoder = Encoder::new(vocabulary, data.span);
    let refuse = |what: &str| Err(Reason::unsupported(what, Some(data.span)));
    let (mut asked, mut contents) = (Vec::new(), Vec::new());
    let mut exit = Exit::Passes;
    let mut defined = terms.truth(true);
    let step = match &data.op {
        Op::Skip | Op::AtomicBegin | Op::AtomicEnd => Transition::skip(terms),
        Op::Discard(variable) => {
            if heap::may_dangle(vocabulary, *variable, data.to) {
                return refuse("a pointer to an object whose lifetime has ended");
            }
            Transition::skip(terms)
        }
        Op::Assume(condition) => {
            let condition = encoder.encode(*condition)?;
            defined = condition.defined;
            Transition::assume(terms, condition.term)
        }
        Op::Assign { target, value: Operand::Scalar(value) } => {
            let access = encoder.access(target, true)?;
            let value = encoder.encode(*value)?;
            defined = terms.and([access.defined, value.defined]);
            let mut step = Transition::skip(terms);
            encoder.write(&mut step.updates, &access, value.term);
            step
        }
        Op::Assign { target, value: Operand::Aggregate(source) } => {
            match (target.as_variable(), source.as_variable()) {
                (Some(target), Some(source))
                    if vocabulary.are_alike(target, source) && !encoder.is_literal(Pointee::Variable(target)) =>
                {
                    let (target, source) =
                        (vocabulary.symbol(target, data.span)?, vocabulary.symbol(source, data.span)?);
                    Transition::assign(terms, target, terms.variable(source))
                }
                _ => {
                    let mut step = Transition::skip(terms);
                    defined = encoder.copy(&mut step.updates, target, source)?;
                    step
                }
            }
        }
        Op::Input { target, .. } => {
            let access = encoder.access(target, true)?;
            defined = access.defined;
            let name = match target.root {
                Root::Variable(variable) => format!("{}?", program.variables[variable].name),
                Root::Pointer { .. } => "input?".to_owned(),
            };
            let (symbol, range) = vocabulary.arbitrary(&name, access.scalar);
            asked.push(AskedValue { symbol, scalar: access.scalar, uninitialised: None });
            let mut step = Transition::assume(terms, range);
            encoder.write(&mut step.updates, &access, terms.variable(symbol));
            step.inputs.insert(symbol);
            step
        }
        Op::Declare(variable) => match vocabulary.shape(*variable, data.span) {
            // Whatever it held is forgotten, and what it holds does not matter.
            Ok(Shape::Scalar(scalar)) if vocabulary.is_set_before_read(*variable) => {
                let name = format!("{}?", program.variables[*variable].name);
                let (symbol, _) = vocabulary.arbitrary(&name, scalar);
                let mut step =
                    Transition::assign(terms, vocabulary.symbol(*variable, data.span)?, terms.variable(symbol));
                step.inputs.insert(symbol);
                step
            }
            _ if vocabulary.is_set_before_read(*variable) => Transition::skip(terms),
            Ok(Shape::Scalar(scalar)) => arbitrary(vocabulary, *variable, scalar, data.span, &mut asked)?,
            _ => heap::forgotten(&encoder, Pointee::Variable(*variable), Held::Anything, &mut contents)?,
        },
        Op::Call { callee: Callee::Function(function), arguments, result } => {
            if program.functions[*function].entry.is_some() {
                return refuse("a call that is not inlined");
            }
            for argument in arguments {
                match argument {
                    Operand::Scalar(value) if vocabulary.is_total(*value) => {}
                    Operand::Scalar(value) => defined = terms.and([defined, encoder.encode(*value)?.defined]),
                    Operand::Aggregate(_) => return refuse("an object that is passed to a function without a body"),
                }
            }
            match result {
                None => Transition::skip(terms),
                Some(result) => match vocabulary.shape(*result, data.span)? {
                    Shape::Scalar(scalar) => {
                        let mut step = arbitrary(vocabulary, *result, scalar, data.span, &mut asked)?;
                        for asked in &mut asked {
                            asked.uninitialised = None;
                        }
                        step.is_approximate = false;
                        step
                    }
                    Shape::Array { .. } => return refuse("input into an object"),
                },
            }
        }
        Op::Return(value) => {
            exit = Exit::Returns;
            match value {
                None => {}
                Some(Operand::Scalar(value)) if vocabulary.is_total(*value) => {}
                Some(Operand::Scalar(value)) => defined = encoder.encode(*value)?.defined,
                Some(Operand::Aggregate(_)) => return refuse("an object that is returned from the entry function"),
            }
            Transition::skip(terms)
        }
        Op::End(_) => {
            exit = Exit::Ends;
            Transition::skip(terms)
        }
        Op::Unreachable => {
            exit = Exit::Undefined;
            Transition::skip(terms)
        }
        Op::Call { callee: Callee::Pointer(_), .. } => return refuse("a call through a pointer"),
        Op::Allocate { target, size, contents: held } => {
            let allocated = heap::allocate(&encoder, edge, *target, held, &mut contents)?;
            defined = terms.and([encoder.encode(*size)?.defined, allocated.1]);
            allocated.0
        }
        Op::Free(address) => {
            let freed = heap::free(&encoder, *address)?;
            defined = freed.1;
            freed.0
        }
        Op::Havoc { source, .. } => {
            return match source {
                InputSource::Argument { function, argument } => refuse(&format!(
                    "what `{function}`, which has no body, may write to wherever argument {argument} points"
                )),
                _ => refuse("input to all that a pointer reaches"),
            };
        }
        Op::CopyBytes { .. } | Op::SetBytes { .. } => return refuse("memory that is copied or set byte by byte"),
        Op::Spawn { .. } | Op::Join { .. } | Op::ExitThread(_) => return refuse("threads"),
        Op::InitLock(_) | Op::Lock(_) | Op::TryLock { .. } | Op::Unlock(_) => return refuse("locks"),
    };
    let mut passages = Vec::new();
    let undefined = terms.not(defined);
    if undefined != terms.truth(false) {
        // What the edge reads from outside is asked for after its target was found to exist.
        let step = Transition::assume(terms, undefined);
        passages.push(Passage { step, exit: Exit::Undefined, asked: Vec::new(), contents: Vec::new() });
    }
    if defined != terms.truth(false) {
        let step = Transition { guard: terms.and([defined, step.guard, encoder.facts()]), ..step };
        passages.push(Passage { step, exit, asked, contents });
    }
    Ok(passages)
}

/// A scalar variable holds an arbitrary value of its type.
fn arbitrary(
    vocabulary: &Vocabulary<'_>,
    variable: VariableId,
    scalar: Scalar,
    span: foundation::Span,
    asked: &mut Vec<AskedValue>,
) -> Result<Transition, Reason> {
    let target = vocabulary.symbol(variable, span)?;
    let name = format!("{}?", vocabulary.program().variables[variable].name);
    let (symbol, range) = vocabulary.arbitrary(&name, scalar);
    asked.push(AskedValue { symbol, scalar, uninitialised: Some(variable) });
    let mut step = Transition::assign(vocabulary.terms, target, vocabulary.terms.variable(symbol));
    step.guard = range;
    step.inputs.insert(symbol);
    Ok(step)
}
