//! What one state of an execution says of the symbols, and when an execution is blocked by an assumption: what it takes to
//! show that something goes on, where proofs need to know only what may happen.

use std::collections::HashMap;

use logic::{Symbol, Term};
use program::semantics::interpreter::Interpreter;
use program::{ExprId, ExprKind, LocationId, Op, Scalar, VariableId};

use super::evaluation::Evaluation;
use super::initial::Found;
use super::memory::Updates;
use super::vocabulary::Tracked;
use super::{Cell, Encoding, Exit, Object, Step};

/// Of longer arrays, only the first elements are told.
const MOST_ELEMENTS: usize = 64;

impl Encoding<'_> {
    /// The symbols of single scalars in variables, with their values in a state of an execution. Left out are those that
    /// have no value yet, or whose objects do not live.
    pub fn scalars_now(&self, interpreter: &Interpreter<'_>) -> Vec<(Symbol, Term)> {
        let value = |tracked: &Tracked| match tracked.cell {
            Cell::One { object: Object::Variable(variable), offset, scalar } => {
                let value = self.value_now(interpreter, variable, offset, scalar)?;
                Some((tracked.symbol, value))
            }
            _ => None,
        };
        self.cells.iter().filter_map(value).collect()
    }

    /// What holds of arrays in a state of an execution, element by element.
    pub fn elements_now(&self, interpreter: &Interpreter<'_>) -> Vec<Term> {
        let mut found = Vec::new();
        for tracked in &self.cells {
            let Cell::Many { object: Object::Variable(variable), scalar, unit } = tracked.cell else { continue };
            let array = self.terms.variable(tracked.symbol);
            for &position in tracked.positions.iter().take(MOST_ELEMENTS) {
                let element = self.terms.select(array, self.terms.integer(position / unit));
                let value = self.value_now(interpreter, variable, position * 8, scalar);
                found.extend(value.map(|value| self.terms.equal(element, value)));
            }
        }
        found
    }

    fn value_now(
        &self,
        interpreter: &Interpreter<'_>,
        variable: VariableId,
        offset: u64,
        scalar: Scalar,
    ) -> Option<Term> {
        let span = self.program().variables[variable].span;
        let mut evaluation = Evaluation::new(self, self.prepared.start(), span);
        match self.start_value(interpreter, &mut evaluation, variable, offset, scalar) {
            Found::Value(value) if self.terms.symbols(value.term).is_empty() => Some(value.term),
            _ => None,
        }
    }

    /// The step that stands for being blocked at a location: no assumption of its edges is true. None where something can
    /// always be done there.
    ///
    /// An operand that has no term is an input; an execution is blocked only if some value of it makes all
    /// conditions false, so this too allows more than the program does.
    pub fn blocked(&self, location: LocationId) -> Option<Step> {
        let (terms, program) = (self.terms, self.program());
        let out = &program.locations[location].out;
        let Some(&first) = out.first() else { return Some(Step::skip(terms)) };
        let mut evaluation = Evaluation::new(self, location, program.edges[first].span);
        // A condition and its negation are evaluated once.
        let mut truths: HashMap<ExprId, Term> = HashMap::new();
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
