//! What a recurrent set says, for people: how numbers grow, and what holds whenever an iteration begins. All of it is
//! part of the argument, so that it holds once the argument was checked.

use foundation::Id;
use foundation::collections::{HashMap, HashSet};
use logic::{Linear, Node, Symbol, Term};
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};
use program::VariableId;
use program::semantics::Value;
use program::semantics::describe::name_of;
use program::semantics::memory::Extent;
use program::semantics::state::object_in;
use task::certificate::refutation::{CellName, ObjectName};

use crate::RecurrenceArgument;
use replay::Growth;

/// At most so many things are told.
const MOST_TOLD: usize = 5;

/// Conditions with longer texts are not told.
const LONGEST_CHARACTERS: usize = 100;

impl RecurrenceArgument<'_> {
    /// How the numbers grow that the set says to move with the counters, or to which all iterations add the same; those
    /// that atoms name come first.
    pub(super) fn growth(&self, counters: &HashMap<Symbol, Term>, added: &[(Symbol, BigInt)]) -> Vec<Growth> {
        let mut found: Vec<(bool, Growth)> = Vec::new();
        for &condition in &self.set {
            let Node::Zero(linear) = self.terms.node(condition) else { continue };
            let cells = linear.terms().iter().filter(|(_, term)| self.counter(*term).is_none());
            let [(factor, cell)] = cells.collect::<Vec<_>>()[..] else { continue };
            if !factor.abs().is_one() || linear.terms().len() == 1 {
                continue;
            }
            let value = linear.without(*cell).scale(&-factor);
            if let (Some((is_named, name)), Some(growth)) = (self.told(*cell), self.moves(&value, counters)) {
                found.push((is_named, Growth { name, ..growth }));
            }
        }
        for (symbol, change) in added {
            let Some((is_named, name)) = self.told(self.terms.variable(*symbol)) else { continue };
            if found.iter().all(|(_, growth)| growth.name != name) {
                let differences = vec![Value::Int(change.clone())];
                found.push((is_named, Growth { name, start: None, differences, factor: None }));
            }
        }
        found.sort_by_key(|(is_named, _)| !is_named);
        found.into_iter().map(|(_, growth)| growth).take(MOST_TOLD).collect()
    }

    /// What else the set says, over names of the source.
    pub(super) fn conditions(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut names: HashMap<Symbol, Term> = HashMap::default();
        for &condition in &self.set {
            let symbols = self.terms.symbols(condition);
            for &symbol in symbols.iter() {
                if let Some((_, name)) = self.told(self.terms.variable(symbol)) {
                    names.entry(symbol).or_insert_with(|| self.terms.fresh(&name, self.terms.sort_of_symbol(symbol)));
                }
            }
            let text = self.terms.display(self.terms.substitute(condition, &names));
            if symbols.iter().all(|symbol| names.contains_key(symbol)) && text.len() <= LONGEST_CHARACTERS {
                found.push(text);
            }
        }
        found.truncate(MOST_TOLD);
        found
    }

    fn counter(&self, term: Term) -> Option<Symbol> {
        match self.terms.node(term) {
            Node::Variable(symbol) if self.start.contains_key(&symbol) => Some(symbol),
            _ => None,
        }
    }

    /// The name of a cell, and whether an atom names its variable.
    fn told(&self, term: Term) -> Option<(bool, String)> {
        let Node::Variable(symbol) = self.terms.node(term) else { return None };
        let Some(CellName::One { object: ObjectName::Variable(variable), offset, scalar }) = self.encoding.cell(symbol)
        else {
            return None;
        };
        let program = &self.prepared.program;
        let width_bits = program.types.scalar_bits(*scalar);
        let object = object_in(program, *variable, 0, 0);
        let name = name_of(program, Extent { object, offset_bits: *offset, width_bits });
        // Names of our own say nothing to anybody.
        (!name.contains('%')).then(|| (self.is_named(*variable), name))
    }

    fn is_named(&self, variable: VariableId) -> bool {
        let views =
            self.atoms.iter().filter_map(|atom| self.prepared.atoms_at(self.given.head).get(atom.index())?.as_ref());
        views.into_iter().any(|atom| atom.reads.contains(&variable))
    }

    /// How a sum of counters changes: by a polynomial where no counter grows faster than the iterations do, or by a
    /// power.
    fn moves(&self, value: &Linear, counters: &HashMap<Symbol, Term>) -> Option<Growth> {
        let terms = self.terms;
        let next: HashMap<Symbol, Linear> =
            self.counting.updates.iter().map(|(&counter, &next)| (counter, terms.linear(next))).collect();
        let is_closed = |linear: &Linear| linear.variables().all(|term| self.counter(term).is_some());
        if !next.values().all(is_closed) {
            return None;
        }
        let factor = |symbol: Symbol| next[&symbol].coefficient(terms.variable(symbol));
        let own: Vec<Symbol> = value.variables().filter_map(|term| self.counter(term)).collect();
        let values = self.first_values(value, counters.clone(), next.len() + 2)?;
        let grown = |differences: Vec<BigInt>, factor: Option<BigInt>| Growth {
            name: String::new(),
            start: Some(Value::Int(values[0].clone())),
            differences: differences.into_iter().map(Value::Int).collect(),
            factor: factor.map(Value::Int),
        };
        if values[0] == values[1] {
            return None;
        }
        if let [only] = own[..]
            && next[&only].terms().len() == 1
            && factor(only) > BigInt::one()
        {
            return Some(grown(vec![&values[1] - &values[0]], Some(factor(only))));
        }
        // A polynomial, if each counter adds to itself what those before it are, in some order.
        let mut ordered: HashSet<Symbol> = HashSet::default();
        while ordered.len() < next.len() {
            let is_next = |(counter, linear): &(Symbol, &Linear)| {
                let counter = *counter;
                let mut others =
                    linear.variables().filter_map(|term| self.counter(term)).filter(|other| *other != counter);
                !ordered.contains(&counter)
                    && (factor(counter).is_one() || factor(counter).is_zero())
                    && others.all(|other| ordered.contains(&other))
            };
            let (counter, _) = next.iter().map(|(&counter, linear)| (counter, linear)).find(is_next)?;
            ordered.insert(counter);
        }
        let mut row = values.clone();
        let mut differences = Vec::new();
        while row.len() > 1 {
            row = row.windows(2).map(|pair| &pair[1] - &pair[0]).collect();
            differences.push(row[0].clone());
        }
        while differences.last().is_some_and(Zero::is_zero) {
            differences.pop();
        }
        (!differences.is_empty()).then(|| grown(differences, None))
    }

    /// The values at the beginnings of the first iterations.
    fn first_values(&self, value: &Linear, mut counters: HashMap<Symbol, Term>, count: usize) -> Option<Vec<BigInt>> {
        let terms = self.terms;
        let value = terms.from_linear(value);
        let mut found = Vec::new();
        for _ in 0..count {
            found.push((*terms.as_integer(terms.substitute(value, &counters))?).clone());
            let next =
                self.counting.updates.iter().map(|(&counter, &next)| (counter, terms.substitute(next, &counters)));
            counters = next.collect();
        }
        Some(found)
    }
}
