//! Arguments for non-termination: why a cycle can be taken for ever after its stem.
//!
//! In order of price: a state that one iteration does not change; a state that a few iterations come back to, as far as
//! the cycle looks; a set of states in which a number wraps around for ever; a geometric argument; a recurrent set with a
//! choice of inputs. Each is checked with the solver on the steps themselves and by executing a few iterations. Whether
//! the steps promise executions at all ([`Step::is_approximate`]) is the caller's question.
//!
//! [`Step::is_approximate`]: crate::encode::step::Step::is_approximate

use std::collections::{BTreeMap, BTreeSet};

use foundation::{Budget, Exhausted};
use logic::{Symbol, Term, Terms, Value};
use num_bigint::BigInt;
use smt::{Model, Solver};

use super::Lasso;
use super::execution::{Unrolling, Valuation, apply, value_of, values_in, variables};
use super::geometric;
use super::polyhedra::relevant;
use super::recurrent;
use super::wrapping;

/// More iterations than this are not tried to come back to a state.
const MOST_ITERATIONS: usize = 4;

/// A geometric argument or a recurrent set may begin after so many iterations.
const MOST_LEADING_ITERATIONS: usize = 2;

/// How many iterations are executed before an argument is believed.
const EXECUTED_ITERATIONS: usize = 8;

/// Why a cycle can be taken for ever after its stem.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NonTermination {
    /// How the cycle is reached.
    pub start: LassoStart,
    /// Why it goes on from there.
    pub argument: Divergent,
}

/// How the cycle is reached. Variables and inputs that are not mentioned do not matter.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LassoStart {
    /// The program variables before the stem.
    pub initial: Valuation,
    /// What the stem reads.
    pub stem_inputs: Valuation,
    /// What the first iterations of the cycle read, before the argument begins.
    pub lead: Vec<Valuation>,
    /// The program variables after the stem and these iterations.
    pub state: Valuation,
}

/// Why the cycle goes on for ever from a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Divergent {
    /// An iteration with these inputs changes nothing.
    FixedPoint {
        /// What the iteration reads.
        inputs: Valuation,
    },
    /// After some iterations, the variables that the cycle looks at have the values that they had before.
    Repeats {
        /// What each iteration reads until the state comes back.
        inputs: Vec<Valuation>,
        /// The variables that have the same values: the others do not influence whether and how the cycle goes on.
        closing: BTreeSet<Symbol>,
    },
    /// The state moves along rays, ever faster or not.
    Geometric(Geometric),
    /// A set of states that the cycle need not leave.
    RecurrentSet {
        /// The set, over program variables.
        set: Term,
        /// What the cycle reads in a state of the set, over program variables.
        choice: BTreeMap<Symbol, Term>,
    },
}

/// A geometric argument (Leike and Heizmann, TACAS 2018). The variables and inputs of iteration `t + 1` are those of
/// iteration
/// `t`, plus the rays with the weights of iteration `t`: all weights are 1 in iteration 0, and ray `i` weighs
/// `factors[i]` times its weight before, plus the weight that ray `i - 1` had where `couplings[i - 1]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Geometric {
    /// What the first iteration reads.
    pub inputs: Valuation,
    /// How program variables move; those that are not mentioned and that the cycle looks at do not.
    pub rays: Vec<BTreeMap<Symbol, BigInt>>,
    /// How inputs move.
    pub input_rays: Vec<BTreeMap<Symbol, BigInt>>,
    /// λ of the literature.
    pub factors: Vec<BigInt>,
    /// ν of the literature: whether a ray feeds the next one. The last is false.
    pub couplings: Vec<bool>,
}

impl NonTermination {
    /// A word for statistics and reports.
    pub fn kind(&self) -> &'static str {
        match self.argument {
            Divergent::FixedPoint { .. } => "fixed point",
            Divergent::Repeats { .. } => "repeated state",
            Divergent::Geometric(_) => "geometric",
            Divergent::RecurrentSet { .. } => "recurrent set",
        }
    }

    /// After how many iterations from the start the inputs are the same again, as far as that is known: one where not.
    pub fn period(&self) -> usize {
        match &self.argument {
            Divergent::Repeats { inputs, .. } => inputs.len(),
            Divergent::FixedPoint { .. } | Divergent::Geometric(_) | Divergent::RecurrentSet { .. } => 1,
        }
    }

    /// What the first `count` iterations of the cycle read. `None` if an iteration cannot be taken, which would be an
    /// error in the argument.
    pub fn iterations(&self, terms: &Terms, lasso: &Lasso<'_>, count: usize) -> Option<Vec<Valuation>> {
        let mut iterations: Vec<Valuation> = self.start.lead.iter().take(count).cloned().collect();
        let rest = count - iterations.len();
        match &self.argument {
            Divergent::FixedPoint { inputs } => iterations.extend(std::iter::repeat_n(inputs.clone(), rest)),
            Divergent::Repeats { inputs, .. } => iterations.extend(inputs.iter().cycle().take(rest).cloned()),
            Divergent::Geometric(geometric) => iterations.extend(geometric.iterations(rest)),
            Divergent::RecurrentSet { choice, .. } => {
                let mut state = self.start.state.clone();
                for _ in 0..rest {
                    let values = |symbol: Symbol| Some(value_of(terms, &state, symbol));
                    let inputs: Option<Valuation> =
                        choice.iter().map(|(&input, &term)| Some((input, terms.evaluate(term, &values)?))).collect();
                    let inputs = inputs?;
                    state = apply(terms, lasso.cycle, &state, &inputs)?;
                    iterations.push(inputs);
                }
            }
        }
        Some(iterations)
    }

    /// Whether some iterations can be executed.
    pub fn runs(&self, terms: &Terms, lasso: &Lasso<'_>) -> bool {
        self.execute(terms, lasso, EXECUTED_ITERATIONS).is_some()
    }

    /// The states after the stem and after each of the first `count` iterations; `None` if the execution does not
    /// exist.
    pub fn execute(&self, terms: &Terms, lasso: &Lasso<'_>, count: usize) -> Option<Vec<Valuation>> {
        let after_stem = apply(terms, lasso.stem, &self.start.initial, &self.start.stem_inputs)?;
        let mut states = vec![after_stem];
        for inputs in self.iterations(terms, lasso, count)? {
            let next = apply(terms, lasso.cycle, states.last()?, &inputs)?;
            states.push(next);
        }
        Some(states)
    }
}

impl Geometric {
    /// The inputs of the first iterations.
    fn iterations(&self, count: usize) -> Vec<Valuation> {
        let mut weights = vec![BigInt::from(1); self.factors.len()];
        let mut inputs = self.inputs.clone();
        let mut iterations = Vec::new();
        for _ in 0..count {
            iterations.push(inputs.clone());
            for (weight, ray) in weights.iter().zip(&self.input_rays) {
                for (symbol, amount) in ray {
                    if let Some(Value::Int(value)) = inputs.get_mut(symbol) {
                        *value += weight * amount;
                    }
                }
            }
            weights = self.next_weights(&weights);
        }
        iterations
    }

    /// The weights of the iteration after that with these weights.
    pub fn next_weights(&self, weights: &[BigInt]) -> Vec<BigInt> {
        let fed = |index: usize| {
            if index > 0 && self.couplings[index - 1] { weights[index - 1].clone() } else { BigInt::ZERO }
        };
        (0..weights.len()).map(|index| &self.factors[index] * &weights[index] + fed(index)).collect()
    }
}

/// What a search for a reason comes to: one that was found, or none.
pub type Diverges = Result<Option<NonTermination>, Exhausted>;

/// Looks for a reason why the cycle can be taken for ever after the stem; `known` holds whenever the cycle is entered.
pub fn diverge(terms: &Terms, solver: &mut dyn Solver, lasso: &Lasso<'_>, known: Term, budget: &Budget) -> Diverges {
    match comes_back(terms, solver, lasso, known, budget)? {
        Some(found) => Ok(Some(found)),
        None => goes_on(terms, solver, lasso, known, budget),
    }
}

/// Recurrent sets and geometric arguments only: the dear part of [`diverge`].
pub fn goes_on(terms: &Terms, solver: &mut dyn Solver, lasso: &Lasso<'_>, known: Term, budget: &Budget) -> Diverges {
    let mut entry = Unrolling::new(terms, lasso);
    if let Some(found) = wrapping::find(terms, solver, &entry, known, budget)? {
        return Ok(Some(found));
    }
    let geometric = geometric::Cycle::new(terms, solver, lasso.cycle, budget)?;
    for lead in 0..=MOST_LEADING_ITERATIONS {
        if lead > 0 {
            entry.iterate();
        }
        if let Some(found) = geometric.find(solver, &entry, known, budget)? {
            return Ok(Some(found));
        }
        if let Some(found) = recurrent::find(terms, solver, &entry, known, budget)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Fixed points and repeated states only: the cheap part of [`diverge`].
pub fn comes_back(terms: &Terms, solver: &mut dyn Solver, lasso: &Lasso<'_>, known: Term, budget: &Budget) -> Diverges {
    let mut unrolling = Unrolling::new(terms, lasso);
    let written: BTreeSet<Symbol> = lasso.cycle.updates.keys().copied().collect();
    let closing: BTreeSet<Symbol> = relevant(terms, lasso.cycle);
    let known = unrolling.after(0, known);
    for count in 1..=MOST_ITERATIONS {
        budget.check()?;
        unrolling.iterate();
        let guard = terms.and([known, unrolling.guard]);
        if count == 1 {
            let condition = terms.and([guard, unrolling.is_equal(0, 1, &written)]);
            let argument = |model: &Model| Divergent::FixedPoint { inputs: unrolling.inputs_in(model, 0) };
            let found = entered(terms, solver, &unrolling, 0, condition, argument);
            if let Some(found) = found.filter(|found| found.runs(terms, lasso)) {
                return Ok(Some(found));
            }
        }
        for lead in 0..count {
            budget.check()?;
            let condition = terms.and([guard, unrolling.is_equal(lead, count, &closing)]);
            let argument = |model: &Model| Divergent::Repeats {
                inputs: (lead..count).map(|iteration| unrolling.inputs_in(model, iteration)).collect(),
                closing: closing.clone(),
            };
            let found = entered(terms, solver, &unrolling, lead, condition, argument);
            if let Some(found) = found.filter(|found| found.runs(terms, lasso)) {
                return Ok(Some(found));
            }
        }
    }
    Ok(None)
}

/// A path through the stem and the first `lead` iterations that satisfies a condition over the variables before the
/// stem, with the argument that the model gives.
pub fn entered(
    terms: &Terms,
    solver: &mut dyn Solver,
    entry: &Unrolling<'_>,
    lead: usize,
    condition: Term,
    argument: impl FnOnce(&Model) -> Divergent,
) -> Option<NonTermination> {
    if terms.as_truth(condition) == Some(false) {
        return None;
    }
    solver.push();
    solver.assert(condition);
    let answer = solver.check(&[]);
    let model = answer.is_satisfiable().then(|| solver.model());
    solver.pop();
    let (model, lasso) = (model?, entry.lasso);
    let initial = values_in(terms, &model, variables(terms, lasso));
    let stem_inputs = values_in(terms, &model, lasso.stem.inputs.iter().copied());
    let lead: Vec<Valuation> = (0..lead).map(|iteration| entry.inputs_in(&model, iteration)).collect();
    let after_stem = apply(terms, lasso.stem, &initial, &stem_inputs)?;
    let state = lead.iter().try_fold(after_stem, |state, inputs| apply(terms, lasso.cycle, &state, inputs))?;
    Some(NonTermination { start: LassoStart { initial, stem_inputs, lead, state }, argument: argument(&model) })
}
