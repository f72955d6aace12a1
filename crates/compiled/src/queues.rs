//! The recorded values, by the name under which the interpreter asked for them, and what the compiled program calls to
//! get them.

use foundation::collections::HashMap;
use program::semantics::describe::qualified_name;
use program::semantics::{Pointer, Question, Value};
use program::{Program, Scalar, VariableId, VariableKind};

use crate::driver::TraceMark;
use crate::expected::AskedInput;
use crate::instrument::InstrumentationPlan;

/// The values that were asked for, by name.
pub(crate) struct Queues {
    pub names: Vec<String>,
    /// By queue: the bits of each value, and how many states had been observed.
    values: Vec<Vec<(u64, usize)>>,
    numbers: HashMap<(bool, String), usize>,
}

impl Queues {
    pub fn of(asked: &[AskedInput]) -> Result<Self, String> {
        let mut queues = Self { names: Vec::new(), values: Vec::new(), numbers: HashMap::default() };
        for AskedInput { question, value, after } in asked {
            let is_memory = matches!(question, Question::Uninitialised { .. });
            if !is_memory && !matches!(question, Question::Input { .. }) {
                continue;
            }
            let name = question.name();
            let number = *queues.numbers.entry((is_memory, name.clone())).or_insert_with(|| {
                queues.names.push(name.clone());
                queues.values.push(Vec::new());
                queues.names.len() - 1
            });
            let bits = bits(value).ok_or_else(|| format!("the value for `{name}` has no place in 64 bits"))?;
            queues.values[number].push((bits, *after));
        }
        Ok(queues)
    }

    pub fn input(&self, name: &str) -> Option<usize> {
        self.numbers.get(&(false, name.to_owned())).copied()
    }

    /// What is called for the value that a variable holds when its lifetime begins, where that was asked for.
    pub fn filling(&self, program: &Program, variable: VariableId) -> Option<String> {
        let known = &program.variables[variable];
        program.owner(variable)?;
        let queue = self.numbers.get(&(true, qualified_name(program, variable)))?;
        Some(match program.types.as_scalar(known.ty)? {
            Scalar::Bool | Scalar::Int(_) => format!("semper_uninitialised({queue})"),
            Scalar::Float(_) => format!("semper_uninitialised_double({queue})"),
            Scalar::Pointer => format!("semper_uninitialised_pointer({queue})"),
        })
    }

    pub fn fill_locals(&self, program: &Program, plan: &mut InstrumentationPlan) {
        for (variable, known) in program.variables.iter() {
            if let (VariableKind::Local(_), Some(filling)) = (&known.kind, self.filling(program, variable)) {
                plan.fillings.insert(known.span, filling);
            }
        }
    }

    pub fn tables(&self, marks: &[(usize, TraceMark)]) -> String {
        let mut starts = vec!["0".to_owned()];
        let (mut values, mut times) = (Vec::new(), Vec::new());
        for queue in &self.values {
            for (bits, after) in queue {
                values.push(format!("{bits:#x}ULL"));
                // Counted as the compiled program counts.
                times.push(marks.partition_point(|(index, _)| index < after).to_string());
            }
            starts.push(values.len().to_string());
        }
        values.push("0".to_owned());
        times.push("0".to_owned());
        format!(
            "const int semper_queue_start[] = {{{}}};\nconst unsigned long long semper_values[] = {{{}}};\n\
             const unsigned long semper_times[] = {{{}}};\n",
            starts.join(", "),
            values.join(", "),
            times.join(", ")
        )
    }
}

/// A value as 64 bits.
fn bits(value: &Value) -> Option<u64> {
    match value {
        Value::Bool(value) => Some(u64::from(*value)),
        Value::Int(value) => u64::try_from(value).ok().or_else(|| i64::try_from(value).ok().map(|it| it as u64)),
        Value::Float(bits) => Some(*bits),
        Value::Pointer(Pointer::Null) => Some(0),
        Value::Pointer(_) => None,
    }
}
