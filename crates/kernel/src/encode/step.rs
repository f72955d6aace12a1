//! Steps: guarded simultaneous assignments, the form of all transition formulas.

use std::collections::{BTreeMap, BTreeSet};

use foundation::collections::HashMap;
use logic::{Symbol, Term, Terms};

/// A relation between two states: there are values of the inputs such that the guard holds in the first state, and in the
/// second one every symbol has the value of its update in the first, or its old value where it has none.
#[derive(Clone, Debug)]
pub struct Transition {
    /// Over the symbols of the state before, and the inputs.
    pub guard: Term,
    /// The symbols that change, with their new values over the state before and the inputs.
    pub updates: BTreeMap<Symbol, Term>,
    /// What is chosen in this step.
    pub inputs: BTreeSet<Symbol>,
    /// Those of the inputs that the program itself asks for, in the order in which it does.
    pub asked: Vec<Symbol>,
}

impl Transition {
    /// The step that changes nothing.
    pub fn skip(terms: &Terms) -> Self {
        Self { guard: terms.truth(true), updates: BTreeMap::new(), inputs: BTreeSet::new(), asked: Vec::new() }
    }

    /// The value that a term over the state after this step has, over the state before it.
    pub fn after(&self, terms: &Terms, term: Term) -> Term {
        let updates: HashMap<Symbol, Term> = self.updates.iter().map(|(&symbol, &term)| (symbol, term)).collect();
        terms.substitute(term, &updates)
    }

    /// This step and then another one. The inputs of the other one are renamed apart: `?17.0` is the first that edge 17 asks
    /// for, and `?17.any.2` another one, which is its third input in all.
    pub fn then(&self, terms: &Terms, next: &Transition, edge: &str) -> Transition {
        let mut renamed: BTreeMap<Symbol, Symbol> = BTreeMap::new();
        for (index, &input) in next.inputs.iter().enumerate() {
            let name = match next.asked.iter().position(|&asked| asked == input) {
                Some(position) => format!("?{edge}.{position}"),
                None => format!("?{edge}.{}.{index}", terms.name(input)),
            };
            renamed.insert(input, terms.symbol(&name, terms.sort_of_symbol(input)));
        }
        // Both at once: an input's new name must not be taken for a symbol of the state.
        let replacements: HashMap<Symbol, Term> = (self.updates.iter().map(|(&symbol, &term)| (symbol, term)))
            .chain(renamed.iter().map(|(&old, &new)| (old, terms.variable(new))))
            .collect();
        let seen = |term: Term| terms.substitute(term, &replacements);
        let mut updates = self.updates.clone();
        updates.extend(next.updates.iter().map(|(&symbol, &term)| (symbol, seen(term))));
        Transition {
            guard: terms.and([self.guard, seen(next.guard)]),
            updates,
            inputs: self.inputs.iter().chain(renamed.values()).copied().collect(),
            asked: self.asked.iter().copied().chain(next.asked.iter().map(|input| renamed[input])).collect(),
        }
    }
}
