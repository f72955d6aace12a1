//! Steps: what a piece of a program does to its variables, as a guard and simultaneous updates.
//!
//! A step stands for the relation `∃ inputs. guard(x, inputs) ∧ x' = updates(x, inputs)`: what the program reads on the
//! way are its inputs, symbols of the step's own. In this form a Hoare triple `{p} step {q}` is valid if and only if
//! `p ∧ guard ∧ ¬q[x := updates]` is unsatisfiable, without primed variables, and sequences are composed by
//! substitution.

use std::collections::{BTreeMap, BTreeSet};

use foundation::collections::HashMap;
use logic::{Symbol, Term, Terms};

/// A guarded simultaneous assignment.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Transition {
    /// What must hold before, over variables and inputs.
    pub guard: Term,
    /// The new values, over variables and inputs. A variable that is not mentioned stays as it is.
    pub updates: BTreeMap<Symbol, Term>,
    /// Symbols whose values are arbitrary, within what the guard says.
    pub inputs: BTreeSet<Symbol>,
    /// What holds before the step in every execution, over variables and inputs. It may be used in proofs; an execution
    /// need not be checked for it.
    pub known: Term,
    /// Whether this is more than the program can do, so that no execution is promised by it.
    pub is_approximate: bool,
}

impl Transition {
    /// Nothing changes.
    pub fn skip(terms: &Terms) -> Self {
        Self::assume(terms, terms.truth(true))
    }

    /// Nothing changes, and a condition holds.
    pub fn assume(terms: &Terms, guard: Term) -> Self {
        let (updates, inputs) = (BTreeMap::new(), BTreeSet::new());
        Self { guard, updates, inputs, known: terms.truth(true), is_approximate: false }
    }

    /// A variable gets a value.
    pub fn assign(terms: &Terms, variable: Symbol, value: Term) -> Self {
        Self { updates: BTreeMap::from([(variable, value)]), ..Self::skip(terms) }
    }

    /// What a term over variables is worth after the step, as a term over the variables before it and the inputs.
    pub fn after(&self, terms: &Terms, term: Term) -> Term {
        if self.updates.is_empty() {
            return term;
        }
        let replaced: HashMap<Symbol, Term> = self.updates.iter().map(|(&symbol, &value)| (symbol, value)).collect();
        terms.substitute(term, &replaced)
    }

    /// This step and then another. The inputs of the other are made new where both have them.
    pub fn then(&self, terms: &Terms, next: &Transition) -> Transition {
        let next = if self.inputs.is_disjoint(&next.inputs) { next.clone() } else { next.with_new_inputs(terms) };
        let mut updates: BTreeMap<Symbol, Term> = self.updates.clone();
        for (&symbol, &value) in &next.updates {
            updates.insert(symbol, self.after(terms, value));
        }
        updates.retain(|&symbol, value| *value != terms.variable(symbol));
        Transition {
            guard: terms.and([self.guard, self.after(terms, next.guard)]),
            updates,
            inputs: self.inputs.union(&next.inputs).copied().collect(),
            known: terms.and([self.known, self.after(terms, next.known)]),
            is_approximate: self.is_approximate || next.is_approximate,
        }
    }

    /// The same step with inputs that occur nowhere else.
    pub fn with_new_inputs(&self, terms: &Terms) -> Transition {
        self.renamed_inputs(terms).0
    }

    /// The same step with inputs that occur nowhere else, and how they were called before.
    pub fn renamed_inputs(&self, terms: &Terms) -> (Transition, BTreeMap<Symbol, Symbol>) {
        let fresh: BTreeMap<Symbol, Symbol> = (self.inputs.iter())
            .map(|&input| (input, terms.symbol(&terms.name(input), terms.sort_of_symbol(input))))
            .collect();
        let replaced: HashMap<Symbol, Term> = fresh.iter().map(|(&old, &new)| (old, terms.variable(new))).collect();
        let step = Transition {
            guard: terms.substitute(self.guard, &replaced),
            updates: self.updates.iter().map(|(&s, &value)| (s, terms.substitute(value, &replaced))).collect(),
            inputs: fresh.values().copied().collect(),
            known: terms.substitute(self.known, &replaced),
            is_approximate: self.is_approximate,
        };
        (step, fresh)
    }

    /// The program variables that the step reads: in its guard, or to compute a new value.
    pub fn read(&self, terms: &Terms) -> BTreeSet<Symbol> {
        let values = self.updates.values().copied().chain([self.guard]);
        let read: BTreeSet<Symbol> =
            values.flat_map(|term| terms.symbols(term).iter().copied().collect::<Vec<_>>()).collect();
        read.difference(&self.inputs).copied().collect()
    }
}
