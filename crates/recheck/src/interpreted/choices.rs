//! Which answers to a question stand for all, and whether that is still so where they are used.

use num_traits::ToPrimitive;
use program::semantics::layout::leaves;
use program::semantics::memory::Extent;
use program::semantics::state::object_in;
use program::semantics::{Answer, Question, Value};
use program::{Scalar, VariableId};

use super::super::Unexplored;
use super::{Explorer, NotExplored, written};

impl Explorer<'_> {
    /// Sees to it that no variable holds a number that stands for many where it is not merely copied and compared.
    pub(super) fn check_regions(&self) -> Result<(), Unexplored> {
        let program = self.driver.interpreter.program;
        let state = &self.driver.interpreter.state;
        for thread in 0..state.threads.len() as u32 {
            let Some((depth, frame)) = state.innermost(thread) else { continue };
            for &variable in self.data_classes.watched(frame.location) {
                let object = object_in(program, variable, thread, depth);
                let large = self.data_classes.large(variable);
                let parts = leaves(&program.types, program.variables[variable].ty);
                let parts = parts.map_err(|_| Unexplored::not_covered("an array of too many elements", None))?;
                for leaf in parts {
                    let extent = Extent { object, offset_bits: leaf.offset_bits, width_bits: leaf.width_bits };
                    let Some(Value::Int(value)) = state.memory.peek(extent, leaf.scalar) else { continue };
                    let held = value.to_i128();
                    if held.is_none_or(|value| large.iter().any(|(low, high)| (*low..=*high).contains(&value))) {
                        let name = program.told_variable(variable);
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
    pub(super) fn answers(&self, question: &Question) -> Result<Vec<Answer>, NotExplored> {
        let program = self.driver.interpreter.program;
        let edge = self.driver.interpreter.edge;
        let (variables, ty) = match question {
            Question::Schedule { enabled, .. } => return Ok((0..enabled.len()).map(Answer::Index).collect()),
            Question::Branch { edges } => return Ok((0..edges.len()).map(Answer::Index).collect()),
            Question::AllocationFails => {
                return Ok([false, true].map(|fails| Answer::Value(Value::Bool(fails))).into());
            }
            Question::Register { ty, .. } => (Vec::new(), *ty),
            Question::Input { ty, .. } => (edge.and_then(|edge| written(program, edge)).into_iter().collect(), *ty),
            Question::Uninitialised { part, ty, .. } => (part.object.variable().into_iter().collect(), *ty),
        };
        if !variables.is_empty() && variables.iter().all(|variable| self.bisimilar.puts_away(*variable, ty)) {
            return Ok(vec![Answer::Value(Value::zero(ty))]);
        }
        // What is not initialised is chosen in the middle of a step that may go on to use it.
        let used_now = |variable: VariableId| {
            let state = &self.driver.interpreter.state;
            let innermost = (0..state.threads.len() as u32).filter_map(|thread| state.innermost(thread));
            let here = innermost.map(|(_, frame)| frame.location).chain(edge.map(|edge| program.edges[edge].from));
            matches!(question, Question::Uninitialised { .. })
                && here.into_iter().any(|location| self.data_classes.is_used_at(location, variable))
        };
        let found = match variables.as_slice() {
            [] => self.data_classes.values(None, ty, false).unwrap_or_default(),
            variables => {
                let values = |&variable| self.data_classes.values(Some(variable), ty, used_now(variable));
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
        if let Some(&variable) = variables.iter().find(|variable| self.data_classes.may_become_source(**variable)) {
            return Err(NotExplored::Source(variable));
        }
        let reason = format!("`{}` may have any of too many values", question.name());
        Err(Unexplored::not_covered(reason, self.span()).into())
    }
}
