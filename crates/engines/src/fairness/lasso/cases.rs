//! Conjunctive cases of a formula: a few by rewriting, more by asking the solver for models.
//!
//! Rewriting to disjunctive normal form counts cases that nothing can satisfy, and composed steps have many of these.
//! So beyond a few, cases come from models: a model makes some literals true that imply the formula; these are a case,
//! and the next model must falsify it.

use foundation::collections::HashMap;
use foundation::{Budget, Exhausted};
use logic::{Linear, Node, Sort, Symbol, Term, Terms, Value};
use num_bigint::BigInt;
use smt::{Model, Solver};

use super::execution::value_in;

/// So many cases are found by rewriting.
const MOST_REWRITTEN_CASES: usize = 8;
/// More cases than this are not looked for.
const MOST_CASES: usize = 48;

/// The cases of a formula.
pub struct Cases {
    /// Conjunctions of literals; together they contain the formula.
    pub conjunctions: Vec<Vec<Term>>,
    /// Whether they are the formula, not only a superset.
    pub is_exact: bool,
}

/// The cases of a formula. Where there are too many, the conjuncts that have only one are the only case.
pub fn cases(terms: &Terms, solver: &mut dyn Solver, formula: Term, budget: &Budget) -> Result<Cases, Exhausted> {
    if let Some(conjunctions) = terms.disjunctive_normal_form(formula, MOST_REWRITTEN_CASES) {
        return Ok(Cases { conjunctions, is_exact: true });
    }
    let mut conjunctions = Vec::new();
    solver.push();
    solver.assert(formula);
    let is_complete = loop {
        if budget.check().is_err() || conjunctions.len() > MOST_CASES {
            break false;
        }
        let answer = solver.check(&[]);
        if answer.is_unsatisfiable() {
            break true;
        }
        let case = if answer.is_satisfiable() { implicant(terms, &solver.model(), formula) } else { None };
        let Some(case) = case else { break false };
        solver.assert(terms.not(terms.and(case.iter().copied())));
        conjunctions.push(case);
    };
    solver.pop();
    budget.check()?;
    if is_complete {
        return Ok(Cases { conjunctions, is_exact: true });
    }
    let single = (terms.conjuncts(formula).into_iter())
        .filter_map(|conjunct| terms.disjunctive_normal_form(conjunct, 1)?.pop())
        .flatten()
        .collect();
    Ok(Cases { conjunctions: vec![single], is_exact: false })
}

/// Literals that hold in a model and together imply a formula that holds in it.
fn implicant(terms: &Terms, model: &Model, formula: Term) -> Option<Vec<Term>> {
    let values = |symbol: Symbol| Some(value_in(terms, model, symbol));
    let truth = |term: Term| terms.holds(term, &values);
    if !truth(formula)? {
        return None;
    }
    let mut literals = Vec::new();
    let mut waiting: Vec<(Term, bool)> = vec![(formula, true)];
    while let Some((term, is_true)) = waiting.pop() {
        match (terms.node(term), is_true) {
            (Node::Truth(_), _) => {}
            (Node::Not(inner), _) => waiting.push((inner, !is_true)),
            (Node::And(parts), true) | (Node::Or(parts), false) => {
                waiting.extend(parts.iter().map(|&part| (part, is_true)))
            }
            (Node::And(parts), false) | (Node::Or(parts), true) => {
                let part = parts.iter().copied().find(|&part| truth(part) == Some(is_true))?;
                waiting.push((part, is_true));
            }
            (Node::Equal(left, right), _) if terms.sort(left) == Sort::Bool => {
                waiting.push((left, truth(left)?));
                waiting.push((right, truth(right)?));
            }
            (node, _) => {
                let branch = (terms.subterms(&[term]).into_iter()).find_map(|part| {
                    if let Node::Ite(condition, yes, no) = terms.node(part) {
                        Some((part, condition, yes, no))
                    } else {
                        None
                    }
                });
                if let Some((part, condition, yes, no)) = branch {
                    let holds = truth(condition)?;
                    waiting.push((condition, holds));
                    let taken = if holds { yes } else { no };
                    waiting.push((terms.replace(term, &HashMap::from_iter([(part, taken)])), is_true));
                    continue;
                }
                literals.push(match (node, is_true) {
                    (_, true) => term,
                    // Two numbers differ: the model says which is larger.
                    (Node::Zero(linear), false) => {
                        let Value::Int(value) = terms.evaluate(terms.from_linear(&linear), &values)? else {
                            return None;
                        };
                        let larger = if value < BigInt::ZERO { linear.negate() } else { (*linear).clone() };
                        terms.at_most_zero(&Linear::constant_of(1).subtract(&larger))
                    }
                    (_, false) => terms.not(term),
                });
            }
        }
    }
    literals.sort_unstable();
    literals.dedup();
    Some(literals)
}
