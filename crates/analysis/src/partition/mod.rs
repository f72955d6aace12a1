//! Domains of inputs: finitely many values that stand for all, one for each data equivalence class.
//!
//! For each input, each unwritten variable and each result of a function without a body there is either a list of
//! *representatives* such that every execution is bisimilar to one in which only representatives are chosen, with the same
//! control flow, the same letters and the same end; or the reason why there is none. The lists come from four rules:
//!
//! 1. *compared*: the value, or some bits of it, are only copied, and compared with constants (`needs`, `masked`): one
//!    representative for each equivalence class, those values that no comparison tells apart, the nearest to zero;
//! 2. *small type*: all values of a type of at most eight bits;
//! 3. *constrained*: what assumptions let pass that follow at once (`constrained`), if that is at most [`MOST_VALUES`]
//!    values; they also thin out the lists of the other rules;
//! 4. *unread*: nothing reads the value: zero.
//!
//! The shortest list is taken. All of it holds with calls, threads and under both kinds of integers; inputs range over
//! their machine type in both. Values that are read from memory-mapped registers through computed addresses, and the
//! contents of the heap, have no domains.

mod bits;
mod constrained;
mod domain;
mod fields;
mod masked;
mod need;
mod needs;
mod pieces;
mod refused;
mod rules;

use foundation::collections::HashMap;
use num_bigint::BigInt;
use program::semantics::Integers;
use program::{Callee, EdgeId, ExprId, InputSource, Op, Place, Program, VariableId};

use crate::assignments::{Assignments, Calls};
use crate::cells::Cells;
use crate::expressions::Expressions;
use crate::flow::Flow;
use crate::initialised::Initialised;
use crate::liveness::Liveness;
use crate::observed::Everywhere;
use crate::ranges::{self, Ranges};
use crate::variable_set::VariableSet;

use constrained::Follower;
use needs::NeedSearch;
use rules::{Beginnings, Chooser, ValueOrigin};

pub use domain::{FoundBy, InputDomain};
pub use refused::{Cause, RefusedInput};

/// A list of representatives is at most this long.
pub const MOST_VALUES: usize = 1024;

/// The rules are applied at most so often, each time with what is known then of the other inputs.
const MOST_PASSES: usize = 3;

/// In larger programs control is not followed for it.
const MOST_EDGES: usize = 20_000;

/// The domains of everything that a program does not determine.
#[derive(Clone, Debug)]
pub struct Domains {
    of_edges: HashMap<EdgeId, Result<InputDomain, RefusedInput>>,
    of_variables: HashMap<VariableId, Result<InputDomain, RefusedInput>>,
    unread: InputDomain,
}

impl Domains {
    /// The domains of a program in which observations evaluate these expressions (in an inlined program, those of every
    /// activation).
    pub fn new(program: &Program, atoms: &[ExprId], integers: Integers) -> Self {
        let (flow, expressions, cells) = (Flow::new(program), Expressions::new(program), Cells::new(program));
        let observations = Everywhere::of_expressions(program, atoms);
        let liveness = Liveness::with(program, &flow, &expressions, &observations);
        let initialised = Initialised::with(program, &flow, &expressions, &observations, &liveness);
        let assignments = Assignments::new(program, &cells);
        let observed: VariableSet = observations.all().iter().copied().collect();
        let all_cells = Cells::of_all(program);
        let follower =
            Follower { program, integers, expressions: &expressions, cells: &all_cells, observed: &observed };
        let beginnings = Beginnings::new(program);
        // What assumptions say about some inputs can bound what others are compared with. Each pass stands for itself: it
        // may rest on what the last one found possible, since that holds in all executions.
        let mut best: Option<Domains> = None;
        for _ in 0..MOST_PASSES {
            let known = best.as_ref();
            let subject = ranges::Analysed {
                program,
                integers,
                cells: &cells,
                expressions: &expressions,
                initialised: &initialised,
                domains: known,
                representatives: false,
            };
            // Where control is followed, less is possible, but it takes longer.
            let ranges = if known.is_some() && flow.is_flat() && program.edges.len() <= MOST_EDGES {
                Ranges::reached(&subject, &assignments, &flow, &liveness)
            } else {
                Ranges::anywhere(&subject, &assignments)
            };
            let needs = NeedSearch::new(program, integers, &cells, &expressions, &ranges).needs(&assignments, atoms);
            let (cells, liveness, follower, beginnings) = (&cells, &liveness, &follower, &beginnings);
            let observations = &observations;
            let chooser =
                Chooser { program, cells, needs: &needs, liveness, follower, beginnings, observations, known };
            let found = Self::choose(&chooser, observations, &initialised);
            let refused = found.refusals().len();
            if known.is_some_and(|known| known.refusals().len() <= refused) {
                break;
            }
            best = Some(found);
            if refused == 0 {
                break;
            }
        }
        best.expect("the first pass finds something")
    }

    fn choose(chooser: &Chooser<'_>, observations: &Everywhere, initialised: &Initialised) -> Self {
        let program = chooser.program;
        let calls = Calls::new(program);
        let mut of_edges = HashMap::default();
        for (edge, contents) in program.edges.iter() {
            let target = match &contents.op {
                Op::Input { target, .. } => target.clone(),
                Op::Call { callee, result: Some(result), .. } if calls.may_be_external(program, callee) => {
                    Place::variable(*result, program.variables[*result].ty)
                }
                Op::Havoc { .. } => {
                    let subject = subject_of(program, &contents.op);
                    let refused = RefusedInput { subject, origin: contents.span, cause: Cause::Stored, at: None };
                    of_edges.insert(edge, Err(refused));
                    continue;
                }
                _ => continue,
            };
            let origin = ValueOrigin { subject: subject_of(program, &contents.op), span: contents.span };
            let known = chooser.known.and_then(|known| known.domain(edge).ok());
            let domain = if chooser.is_dead(edge, &target, observations) {
                Ok(InputDomain::unread())
            } else {
                chooser.domain(&target, Some(contents.to), known, &origin)
            };
            of_edges.insert(edge, domain);
        }
        let mut of_variables = HashMap::default();
        for variable in initialised.uncertain().iter() {
            let contents = &program.variables[variable];
            let origin =
                ValueOrigin { subject: format!("the uninitialised variable `{}`", contents.name), span: contents.span };
            let known = chooser.known.and_then(|known| known.domain_of_uninitialised(variable).ok());
            let (place, start) = (Place::variable(variable, contents.ty), chooser.begin_of(variable));
            of_variables.insert(variable, chooser.domain(&place, start, known, &origin));
        }
        Self { of_edges, of_variables, unread: InputDomain::unread() }
    }

    /// The values to be tried on an edge with [`Op::Input`], or with a call of a function that has no body for its
    /// result. Each part of an array or structure takes any of them.
    ///
    /// # Panics
    ///
    /// If the edge asks for no value.
    pub fn of(&self, edge: EdgeId) -> Result<&[BigInt], &RefusedInput> {
        self.domain(edge).map(InputDomain::representatives)
    }

    /// The same with the rule and the classes.
    ///
    /// # Panics
    ///
    /// If the edge asks for no value.
    pub fn domain(&self, edge: EdgeId) -> Result<&InputDomain, &RefusedInput> {
        self.of_edges.get(&edge).expect("the edge asks for a value").as_ref()
    }

    /// The values to be tried for a variable where it is read before it is written; of an array or structure, for each
    /// part. A variable that is always written before it is read may as well be zero.
    pub fn of_uninitialised(&self, variable: VariableId) -> Result<&[BigInt], &RefusedInput> {
        self.domain_of_uninitialised(variable).map(InputDomain::representatives)
    }

    /// The same with the rule and the classes.
    pub fn domain_of_uninitialised(&self, variable: VariableId) -> Result<&InputDomain, &RefusedInput> {
        self.of_variables.get(&variable).map_or(Ok(&self.unread), Result::as_ref)
    }

    /// All edges that ask for a value, in ascending order.
    pub fn edges(&self) -> Vec<EdgeId> {
        let mut edges: Vec<EdgeId> = self.of_edges.keys().copied().collect();
        edges.sort_unstable();
        edges
    }

    /// All variables that may be read before they are written, in ascending order.
    pub fn variables(&self) -> Vec<VariableId> {
        let mut variables: Vec<VariableId> = self.of_variables.keys().copied().collect();
        variables.sort_unstable();
        variables
    }

    /// Everything that has no domain: first inputs, then variables.
    pub fn refusals(&self) -> Vec<&RefusedInput> {
        let edges = self.edges().into_iter().filter_map(|edge| self.domain(edge).err());
        let variables =
            self.variables().into_iter().filter_map(|variable| self.domain_of_uninitialised(variable).err());
        edges.chain(variables).collect()
    }
}

/// What a value is called.
fn subject_of(program: &Program, op: &Op) -> String {
    match op {
        Op::Input { source: InputSource::Nondet(name), .. } => format!("the input from `{name}`"),
        Op::Input { source: InputSource::External(name), .. } => format!("the result of `{name}`"),
        Op::Input { source: InputSource::Argument { function, argument }, .. }
        | Op::Havoc { source: InputSource::Argument { function, argument }, .. } => {
            format!("what `{function}` writes through argument {argument}")
        }
        Op::Input { source: InputSource::Register(address), .. } => format!("the register at `{address:#x}`"),
        Op::Input { source: InputSource::Volatile(name), .. } => format!("the volatile object `{name}`"),
        Op::Input { source: InputSource::Assembly, .. } => "the output of inline assembly".to_owned(),
        Op::Input { source: InputSource::MissingResult, .. } => "a return value that is missing".to_owned(),
        Op::Call { callee: Callee::Function(function), .. } => {
            format!("the result of `{}`", program.functions[*function].name)
        }
        _ => "the result of a function without a body".to_owned(),
    }
}
