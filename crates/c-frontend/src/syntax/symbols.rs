//! Names as small numbers: each spelling is stored once and compared by id.

use foundation::collections::HashMap;
use foundation::{Arena, define_id};

define_id! {
    /// A spelling in [`Symbols`].
    Symbol
}

/// All spellings of a run.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    spellings: Arena<Symbol, String>,
    known: HashMap<String, Symbol>,
}

impl Symbols {
    /// The symbol of a spelling, a new one where it has not been seen.
    pub fn intern(&mut self, spelling: &str) -> Symbol {
        if let Some(&symbol) = self.known.get(spelling) {
            return symbol;
        }
        let symbol = self.spellings.push(spelling.to_owned());
        self.known.insert(spelling.to_owned(), symbol);
        symbol
    }

    /// The symbol of a spelling that has been seen.
    pub fn get(&self, spelling: &str) -> Option<Symbol> {
        self.known.get(spelling).copied()
    }

    /// The spelling of a symbol.
    pub fn text(&self, symbol: Symbol) -> &str {
        &self.spellings[symbol]
    }
}
