//! Models: values of symbols.

use std::collections::BTreeMap;

use logic::{Symbol, Term, Terms, Value};

/// Values of the symbols that a solver gave values to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    values: BTreeMap<Symbol, Value>,
}

impl Model {
    /// A model with these values.
    pub fn new(values: impl IntoIterator<Item = (Symbol, Value)>) -> Self {
        Self { values: values.into_iter().collect() }
    }

    /// The value of a symbol; `None` where any value will do.
    pub fn value(&self, symbol: Symbol) -> Option<Value> {
        self.values.get(&symbol).cloned()
    }

    /// All values that the solver chose.
    pub fn values(&self) -> impl Iterator<Item = (Symbol, &Value)> {
        self.values.iter().map(|(symbol, value)| (*symbol, value))
    }

    /// The value of a term; symbols without a value count as zero, false, or all zero. `None` for a division by zero.
    pub fn evaluate(&self, terms: &Terms, term: Term) -> Option<Value> {
        let value = |symbol| self.value(symbol).unwrap_or_else(|| Value::default_of(&terms.sort_of_symbol(symbol)));
        terms.evaluate(term, &|symbol| Some(value(symbol)))
    }

    /// Whether a term is true in the model, with the same defaults.
    pub fn satisfies(&self, terms: &Terms, term: Term) -> bool {
        self.evaluate(terms, term) == Some(Value::Bool(true))
    }
}
