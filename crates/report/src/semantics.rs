//! Which of its meanings a program was given: an answer without that is worth little.

use program::Program;
use program::semantics::Semantics;
use serde::Serialize;

/// The modes of a semantics, by the words that options have for them. This is also the JSON form.
#[derive(Serialize, Clone, Debug)]
pub struct Modes {
    /// What integers are: `machine` or `ideal`.
    pub integers: String,
    /// Which states are observed: `statement`, `change` or `step`.
    pub observe: String,
    /// The sizes of types: `LP64` or `ILP32`.
    pub data_model: String,
    /// What undefined behaviour does: `error` or `assume`.
    pub undefined: String,
    /// What threads may interleave at: `access` or `statement`; absent where there is one thread only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub atomic: Option<String>,
}

impl Modes {
    /// The modes of a program under a semantics.
    pub fn new(program: &Program, semantics: &Semantics) -> Self {
        Self {
            integers: semantics.integers.to_string(),
            observe: semantics.observe.to_string(),
            data_model: program.types.data_model().to_string(),
            undefined: semantics.undefined.to_string(),
            atomic: program.has_threads().then(|| semantics.atomicity.to_string()),
        }
    }

    /// The modes in words for people.
    pub(crate) fn words(&self) -> Vec<String> {
        let mut words = vec![
            format!("{} integers", self.integers),
            self.data_model.clone(),
            format!("observed at every {}", self.observe),
            match self.undefined.as_str() {
                "assume" => "undefined behaviour is assumed away".to_owned(),
                _ => "undefined behaviour ends in `error`".to_owned(),
            },
        ];
        words.extend(self.atomic.as_ref().map(|atomic| match atomic.as_str() {
            "statement" => "threads interleave between statements".to_owned(),
            _ => "threads interleave at every access to shared memory".to_owned(),
        }));
        words
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::Modes;

    /// The usual modes of a program with one thread.
    pub(crate) fn usual() -> Modes {
        Modes {
            integers: "machine".into(),
            observe: "statement".into(),
            data_model: "LP64".into(),
            undefined: "error".into(),
            atomic: None,
        }
    }
}
