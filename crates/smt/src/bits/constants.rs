//! Symbols that must have one value in a query are replaced by it.

use foundation::collections::HashMap;
use logic::{Node, Symbol, Term, Terms, Value};
use num_traits::One;

/// How often values that were found are used to find more.
const MOST_ROUNDS: usize = 16;

/// A conjunction, with what it says of symbols put in.
pub(crate) struct Propagated {
    /// Its members, each with the position of the formula that says it.
    pub members: Vec<(usize, Term)>,
    /// The symbols whose values it says.
    pub constants: HashMap<Symbol, Value>,
    /// The positions of the formulas that say them.
    pub useful: Vec<usize>,
}

/// Replaces symbols by the values that they must have.
pub(crate) fn propagated(terms: &Terms, formulas: &[Term]) -> Propagated {
    let conjuncts = |(position, formula): (usize, Term)| -> Vec<(usize, Term)> {
        match terms.node(formula) {
            Node::And(members) => members.iter().map(|member| (position, *member)).collect(),
            _ => vec![(position, formula)],
        }
    };
    let mut members: Vec<(usize, Term)> = formulas.iter().copied().enumerate().flat_map(conjuncts).collect();
    let (mut constants, mut useful) = (HashMap::default(), Vec::new());
    for _ in 0..MOST_ROUNDS {
        let mut found: HashMap<Symbol, Value> = HashMap::default();
        members.retain(|(position, member)| match constant(terms, *member) {
            Some((symbol, value)) if !found.contains_key(&symbol) => {
                found.insert(symbol, value);
                useful.push(*position);
                false
            }
            _ => true,
        });
        if found.is_empty() {
            break;
        }
        let values: HashMap<Symbol, Term> =
            found.iter().filter_map(|(symbol, value)| Some((*symbol, terms.of_value(value)?))).collect();
        let replaced = members.into_iter().map(|(position, member)| (position, terms.substitute(member, &values)));
        members = replaced.flat_map(conjuncts).filter(|(_, member)| terms.as_truth(*member) != Some(true)).collect();
        constants.extend(found);
    }
    Propagated { members, constants, useful }
}

/// The symbol of which a formula says the value.
fn constant(terms: &Terms, formula: Term) -> Option<(Symbol, Value)> {
    let symbol = |term: Term| match terms.node(term) {
        Node::Variable(symbol) => Some(symbol),
        _ => None,
    };
    match terms.node(formula) {
        Node::Variable(symbol) => Some((symbol, Value::Bool(true))),
        Node::Not(inner) => Some((symbol(inner)?, Value::Bool(false))),
        Node::Zero(linear) => match linear.terms() {
            [(coefficient, term)] if coefficient.is_one() => Some((symbol(*term)?, Value::Int(-linear.constant()))),
            _ => None,
        },
        _ => None,
    }
}
