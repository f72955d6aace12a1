//! Queries with operations on bits: what arithmetic leaves open is asked as bit-vectors.
//!
//! First the query is simplified: symbols that must have one value are replaced by it, and if no operation on bits is
//! left then, it is a query of arithmetic. Otherwise the members of the conjunction whose numbers all have bounds are
//! written as bit-vectors alone ([`Finite`]). If they have no model, nor has the query. If they have one, the other
//! members are asked about with its values, and a model of all is taken only if evaluating the query says so, too.
//!
//! See docs/design/bits.md.

mod bounds;
mod constants;
mod finite;
#[cfg(test)]
mod tests;
mod writer;

use logic::{Node, Sort, Symbol, Term, Value};
use z3::SatResult;
use z3::ast::{Bool, Dynamic};

use self::constants::{Propagated, propagated};
use self::finite::Finite;
use crate::Model;
use crate::native::{QUICK_STEPS, Z3};
use crate::translate::value_of;

/// What a check by bit-vectors has found.
pub(crate) enum BitAnswer {
    Model(Model),
    Core(Vec<Term>),
}

impl Z3<'_> {
    /// Whether the query has operations on bits.
    pub(crate) fn speaks_of_bits(&mut self) -> bool {
        self.formulas().into_iter().any(|formula| self.has_bits(formula))
    }

    /// Everything that is asserted or assumed.
    fn formulas(&self) -> Vec<Term> {
        self.asserted.iter().copied().chain(self.assumed.iter().map(|(_, term)| *term)).collect()
    }

    fn has_bits(&mut self, formula: Term) -> bool {
        let terms = self.terms;
        let is_bits =
            |part: Term| matches!(terms.node(part), Node::Bits(..) | Node::IntToBits(..) | Node::BitsToInt(_));
        let known = self.has_bits.entry(formula);
        *known.or_insert_with(|| terms.subterms(&[formula]).into_iter().any(is_bits))
    }

    /// Asks the same as bit-vectors; unknown where that is not possible.
    pub(crate) fn ask_as_bits(&mut self, steps: Option<u32>) -> SatResult {
        let query = propagated(self.terms, &self.formulas());
        if !query.members.iter().any(|(_, member)| self.has_bits(*member)) {
            return self.ask_propagated(query, steps);
        }
        let finite = Finite::new(self.terms, query);
        let Some(solver) = z3::Solver::new_for_logic("QF_BV") else { return SatResult::Unknown };
        let names: Vec<Bool> = self.assumed.iter().map(|_| Bool::fresh_const("|assumption|")).collect();
        finite.bounds.iter().for_each(|bound| solver.assert(bound));
        for (position, member) in &finite.members {
            match position.checked_sub(self.asserted.len()) {
                Some(assumption) => solver.assert(names[assumption].implies(member)),
                None => solver.assert(member),
            }
        }
        match self.ask_another(&solver, &names, steps) {
            SatResult::Sat => self.ask_rest(&finite, &solver, steps),
            SatResult::Unsat => {
                let used = solver.get_unsat_core();
                let is_used =
                    |at: &usize| used.contains(&names[*at]) || finite.bounding.contains(&(self.asserted.len() + at));
                let core = (0..names.len()).filter(is_used).map(|at| self.assumed[at].1).collect();
                self.found = Some(BitAnswer::Core(core));
                SatResult::Unsat
            }
            SatResult::Unknown => SatResult::Unknown,
        }
    }

    /// Asks a query of arithmetic alone.
    fn ask_propagated(&mut self, query: Propagated, steps: Option<u32>) -> SatResult {
        let solver = z3::Solver::new();
        let all = self.terms.and(query.members.into_iter().map(|(_, member)| member));
        solver.assert(self.translation.formula(self.terms, all));
        match self.ask_another(&solver, &[], steps) {
            SatResult::Sat => match solver.get_model() {
                Some(model) => self.take(query.constants.into_iter().chain(self.values_of(&model))),
                None => SatResult::Unknown,
            },
            SatResult::Unsat => {
                self.found = Some(BitAnswer::Core(self.assumed.iter().map(|(_, term)| *term).collect()));
                SatResult::Unsat
            }
            SatResult::Unknown => SatResult::Unknown,
        }
    }

    /// Whether what cannot be written as bit-vectors has a model with the same values that they have one with.
    fn ask_rest(&mut self, finite: &Finite, solver: &z3::Solver, steps: Option<u32>) -> SatResult {
        let Some(model) = solver.get_model() else { return SatResult::Unknown };
        let value = |term: &Dynamic| model.eval(term, true).and_then(|value| value_of(&value));
        let number = |symbol: Symbol, value: Value| match self.terms.sort_of_symbol(symbol) {
            Sort::BitVector(_) => value,
            _ => finite.number(value),
        };
        let values =
            finite.symbols().iter().filter_map(|(symbol, term)| Some((*symbol, number(*symbol, value(term)?))));
        let mut values: Vec<(Symbol, Value)> = finite.constants.clone().into_iter().chain(values).collect();
        if !finite.rest.is_empty() {
            let of_symbol = values.iter().filter_map(|(symbol, value)| Some((*symbol, self.terms.of_value(value)?)));
            let rest = self.terms.substitute(self.terms.and(finite.rest.iter().copied()), &of_symbol.collect());
            let another = z3::Solver::new();
            another.assert(self.translation.formula(self.terms, rest));
            if self.ask_another(&another, &[], steps.map(|steps| steps.min(QUICK_STEPS))) != SatResult::Sat {
                return SatResult::Unknown;
            }
            let Some(model) = another.get_model() else { return SatResult::Unknown };
            values.extend(self.values_of(&model));
        }
        self.take(values)
    }

    /// Takes a model if it is one. Arrays may have got values from two solvers, of which the second may not know the
    /// first's.
    fn take(&mut self, values: impl IntoIterator<Item = (Symbol, Value)>) -> SatResult {
        let model = Model::new(values);
        if !self.formulas().into_iter().all(|formula| model.satisfies(self.terms, formula)) {
            return SatResult::Unknown;
        }
        self.found = Some(BitAnswer::Model(model));
        SatResult::Sat
    }
}
