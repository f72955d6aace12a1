//! From an argument for non-termination to a recurrent set that others can check.
//!
//! A geometric argument moves the state along rays y₁ … y_n with weights. Let sᵢ be the sum of the weights that ray i
//! has had so far. Then the state is x₀ + Σ sᵢ·yᵢ, the weight that comes next is 1 + (λᵢ − 1)·sᵢ + νᵢ₋₁·sᵢ₋₁ (by
//! induction over the iterations), and so sᵢ becomes 1 + λᵢ·sᵢ + νᵢ₋₁·sᵢ₋₁. These sums are the counters of the set.

use std::collections::{BTreeMap, BTreeSet};

use foundation::collections::HashMap;
use logic::{Sort, Symbol, Term, Terms};
use num_bigint::BigInt;
use task::recurrent_set::{Counter, InputChoice, RecurrentSet};

use super::certificate::names::SymbolNames;
use super::lasso::{Divergent, Geometric, Lasso, NonTermination, Valuation, relevant};
use super::letter::Letters;
use super::refine::Divergence;
use crate::encode::Vocabulary;

/// A set as terms.
struct Set {
    /// For each counter its symbol and what it is after an iteration.
    counters: Vec<(Symbol, Term)>,
    conditions: Vec<Term>,
    inputs: BTreeMap<Symbol, Term>,
}

/// The recurrent set of an execution, or why it cannot be written.
pub(super) fn recurrent_set(
    terms: &Terms,
    names: SymbolNames<'_, '_>,
    vocabulary: &Vocabulary<'_>,
    letters: &Letters,
    divergence: &Divergence,
) -> Result<RecurrentSet, String> {
    let cycle = letters.step(divergence.cycle);
    let stem = letters.step(divergence.stem);
    let lasso = Lasso { stem: &stem, cycle: &cycle };
    let execution = &divergence.execution;
    let Set { counters, conditions, inputs } = match &execution.argument {
        Divergent::Geometric(geometric) => along_rays(terms, &lasso, execution, geometric),
        Divergent::RecurrentSet { set, choice } => {
            Set { counters: Vec::new(), conditions: terms.conjuncts(*set), inputs: choice.clone() }
        }
        Divergent::FixedPoint { inputs } => {
            let inputs = std::slice::from_ref(inputs);
            coming_back(terms, std::slice::from_ref(&execution.start.state), inputs, &relevant(terms, &cycle))
        }
        Divergent::Repeats { inputs, closing } => {
            let lead = execution.start.lead.len();
            let states = execution.execute(terms, &lasso, lead + inputs.len());
            let states = states.ok_or("the execution does not exist")?;
            coming_back(terms, &states[lead..lead + inputs.len()], inputs, closing)
        }
    };
    let path = letters.path(divergence.cycle);
    let last = path.last().and_then(|taken| taken.edge).ok_or("control stays where it is")?;
    let back = &vocabulary.prepared.back;
    let head = back.location(vocabulary.program().edges[last].to).ok_or("the loop begins inside of a statement")?;
    let counter_names: HashMap<Symbol, String> =
        counters.iter().enumerate().map(|(index, (symbol, _))| (*symbol, format!("s.{index}"))).collect();
    let write = |term: Term| names.write_with(term, &counter_names);
    let mut choices: Vec<InputChoice> = Vec::new();
    let others = divergence.others.iter().map(|other| (letters.path(other.cycle), &other.inputs));
    for (path, inputs) in std::iter::once((path, &inputs)).chain(others) {
        for (taken, edge) in path.iter().zip(names.edges_of(&path)) {
            let asked = taken.asked.iter().filter(|asked| asked.uninitialised.is_none());
            for (index, asked) in asked.enumerate() {
                let (input, value) = (format!("?{edge}.{index}"), inputs.get(&asked.symbol));
                // Cycles share what they begin with.
                if let Some(&value) = value.filter(|_| choices.iter().all(|choice| choice.input != input)) {
                    choices.push(InputChoice { input, value: write(value)? });
                }
            }
        }
    }
    let mut written = Vec::new();
    for (symbol, next) in &counters {
        written.push(Counter { name: counter_names[symbol].clone(), start: BigInt::ZERO, next: write(*next)? });
    }
    let set = conditions.into_iter().map(write).collect::<Result<Vec<_>, String>>()?;
    let addresses = names.addresses();
    Ok(RecurrentSet { head, symbols: names.declared.into_inner(), addresses, counters: written, set, choices })
}

/// The states that an execution comes back to, one after the other, as far as these variables tell them apart.
fn coming_back(terms: &Terms, states: &[Valuation], inputs: &[Valuation], closing: &BTreeSet<Symbol>) -> Set {
    let equation = |state: &Valuation, &symbol: &Symbol| {
        Some(terms.equal(terms.variable(symbol), terms.of_value(state.get(&symbol)?)?))
    };
    let is_at = |state: &Valuation| terms.and(closing.iter().filter_map(|symbol| equation(state, symbol)));
    let all: Vec<Term> = states.iter().map(is_at).collect();
    let mut chosen: BTreeMap<Symbol, Term> = BTreeMap::new();
    for (values, &here) in inputs.iter().zip(&all).rev() {
        for (&input, value) in values {
            let Some(value) = terms.of_value(value) else { continue };
            let otherwise = chosen.get(&input).copied();
            chosen.insert(input, otherwise.map_or(value, |otherwise| terms.ite(here, value, otherwise)));
        }
    }
    Set { counters: Vec::new(), conditions: terms.conjuncts(terms.or(all)), inputs: chosen }
}

/// The states on the rays of a geometric argument.
fn along_rays(terms: &Terms, lasso: &Lasso<'_>, execution: &NonTermination, geometric: &Geometric) -> Set {
    let Geometric { inputs, rays, input_rays, factors, couplings } = geometric;
    let counters: Vec<Symbol> = rays.iter().map(|_| terms.symbol("s", Sort::Int)).collect();
    let one = terms.integer(1);
    let next = |index: usize| {
        let own = terms.scale(factors[index].clone(), terms.variable(counters[index]));
        let fed = index.checked_sub(1).filter(|&before| couplings[before]);
        terms.add([one, own].into_iter().chain(fed.map(|before| terms.variable(counters[before]))))
    };
    let moved = |start: &Valuation, rays: &[BTreeMap<Symbol, BigInt>], symbol: Symbol| -> Option<Term> {
        let start = terms.of_value(start.get(&symbol)?)?;
        let amounts = rays.iter().zip(&counters).filter_map(|(ray, &counter)| Some((ray.get(&symbol)?, counter)));
        let moves = amounts.map(|(amount, counter)| terms.scale(amount.clone(), terms.variable(counter)));
        let moves: Vec<Term> = moves.collect();
        Some(if moves.is_empty() { start } else { terms.add([start].into_iter().chain(moves)) })
    };
    let read: BTreeSet<Symbol> = relevant(terms, lasso.cycle);
    let is_at =
        |&symbol: &Symbol| Some(terms.equal(terms.variable(symbol), moved(&execution.start.state, rays, symbol)?));
    let positions = read.iter().filter_map(is_at);
    let positive = counters.iter().map(|&counter| terms.less_equal(terms.integer(0), terms.variable(counter)));
    let conditions = positions.chain(positive).collect();
    let chosen = inputs.keys().filter_map(|&input| Some((input, moved(inputs, input_rays, input)?)));
    let inputs = chosen.collect();
    let counters = counters.iter().enumerate().map(|(index, &counter)| (counter, next(index))).collect();
    Set { counters, conditions, inputs }
}
