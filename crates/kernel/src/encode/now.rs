//! What one state of an execution says of the symbols, and when an execution is blocked by an assumption: what it takes to
//! show that something goes on, where proofs need to know only what may happen.

use std::collections::BTreeMap;

use foundation::collections::HashMap;
use logic::Term;
use program::semantics::ObjectId;
use program::semantics::interpreter::Interpreter;
use program::{EdgeId, ExprId, ExprKind, LocationId, Op};

use super::evaluation::Evaluation;
use super::initial::InitialContent;
use super::memory::Updates;
use super::{CellName, Encoding, Exit, ObjectName, Transition};

/// Of longer arrays, only the first elements are told.
const MOST_ELEMENTS: usize = 64;

/// For each edge that allocates, the object that it has made last.
pub type LiveHeap = BTreeMap<EdgeId, ObjectId>;

/// A state of an execution.
pub(super) struct Now<'i, 'p> {
    pub interpreter: &'i Interpreter<'p>,
    pub heap: &'i LiveHeap,
}

impl Encoding<'_> {
    /// Terms for the scalars in variables and on the heap, with their values in a state of an execution. Left out are those
    /// that have no value yet, or whose objects do not live.
    pub fn values_now(&self, interpreter: &Interpreter<'_>, heap: &LiveHeap) -> Vec<(Term, Term)> {
        let terms = self.terms;
        let now = Now { interpreter, heap };
        let mut found = Vec::new();
        for tracked in &self.cells {
            let whole = terms.variable(tracked.symbol);
            let (object, scalar, places) = match tracked.cell {
                CellName::One { object, offset, scalar } => (object, scalar, vec![(whole, offset)]),
                CellName::Many { object, scalar, unit } => {
                    let element = |&at: &u64| (terms.select(whole, terms.integer(at / unit)), at * 8);
                    (object, scalar, tracked.positions.iter().take(MOST_ELEMENTS).map(element).collect())
                }
                CellName::Alive(_) => continue,
            };
            let (object, span) = match object {
                ObjectName::Variable(variable) => {
                    (ObjectId::of_variable(self.program(), variable), self.program().variables[variable].span)
                }
                ObjectName::Heap(edge) => match heap.get(&edge) {
                    Some(object) => (*object, self.program().edges[edge].span),
                    None => continue,
                },
            };
            let mut evaluation = Evaluation::new(self, self.prepared.start(), span);
            for (term, offset) in places {
                let value = self.value_now(&now, &mut evaluation, object, offset, scalar);
                if let InitialContent::Value(value) = value
                    && terms.symbols(value.term).is_empty()
                {
                    found.push((term, value.term));
                }
            }
        }
        found
    }

    /// The step that stands for being blocked at a location: no assumption of its edges is true. None where something can
    /// always be done there.
    ///
    /// An operand that has no term is an input; an execution is blocked only if some value of it makes all
    /// conditions false, so this too allows more than the program does.
    pub fn blocked(&self, location: LocationId) -> Option<Transition> {
        let (terms, program) = (self.terms, self.program());
        let out = &program.locations[location].out;
        let Some(&first) = out.first() else { return Some(Transition::skip(terms)) };
        let mut evaluation = Evaluation::new(self, location, program.edges[first].span);
        // A condition and its negation are evaluated once.
        let mut truths: HashMap<ExprId, Term> = HashMap::default();
        let mut open = Vec::new();
        for &edge in out {
            let Op::Assume(condition) = program.edges[edge].op else { return None };
            let (positive, is_negated) = match program.exprs.get(condition).kind {
                ExprKind::Not(operand) => (operand, true),
                _ => (condition, false),
            };
            let truth = *truths.entry(positive).or_insert_with(|| evaluation.encode(positive).value.term);
            open.push(if is_negated { terms.not(truth) } else { truth });
        }
        let passages = evaluation.finish(terms.or(open), Updates::new(), Exit::Passes);
        passages.into_iter().find(|passage| passage.exit == Exit::Passes).map(|passage| passage.step)
    }
}
