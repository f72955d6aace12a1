//! What the analyses say of a program, in the words of the model.

use analysis::expressions::Expressions;
use analysis::{Domains, Initialised, Liveness, Ranges, ReadByAtoms, RefusedInput, Values};
use foundation::Id;
use num_bigint::BigInt;
use program::passes::prepared::Prepared;
use program::{EdgeId, ExprId, LocationId, Program, VariableId};

use super::model::Span64;

/// Facts about a prepared program.
#[derive(Clone, Debug)]
pub struct PreparedFacts {
    edges: Vec<EdgeId>,
    expressions: Expressions,
    liveness: Liveness,
    initialised: Initialised,
    domains: Domains,
    ranges: Ranges,
}

impl PreparedFacts {
    /// Analyses a program. Ranges are those of the runs in which inputs take the values that are tried.
    pub fn new(prepared: &Prepared) -> Self {
        let program = &prepared.program;
        let observed = ReadByAtoms::observed(prepared);
        let liveness = Liveness::new(program, &observed);
        let initialised = Initialised::new(program, &observed, &liveness);
        let atoms: Vec<ExprId> = prepared.atoms.expressions().collect();
        let integers = prepared.semantics.integers;
        let domains = Domains::new(program, &atoms, integers);
        let ranges = Ranges::new(program, integers, &liveness, &initialised, Some(&domains));
        let expressions = Expressions::new(program);
        Self { edges: reachable(prepared), expressions, liveness, initialised, domains, ranges }
    }

    /// The edges that control can come to.
    pub fn reachable_edges(&self) -> &[EdgeId] {
        &self.edges
    }

    /// Whether evaluating an expression can never be undefined.
    pub fn is_total(&self, expr: ExprId) -> bool {
        self.expressions.is_total(expr)
    }

    /// Whether a variable's value at a location can matter.
    pub fn is_live(&self, location: LocationId, variable: VariableId) -> bool {
        self.liveness.at(location).contains(variable)
    }

    /// Whether a local variable may be read before it is set.
    pub fn may_be_read_uninitialised(&self, variable: VariableId) -> bool {
        !self.initialised.is_definite(variable)
    }

    /// What a scalar variable can hold.
    pub fn values(&self, program: &Program, variable: VariableId) -> Span64 {
        let bounds = self.ranges.of(program, variable).and_then(|values| values.bounds());
        let least = bounds.and_then(|bounds| i64::try_from(bounds.low()).ok());
        let most = bounds.and_then(|bounds| i64::try_from(bounds.high()).ok());
        match (least, most) {
            (Some(least), Some(most)) => Span64 { least, most },
            // Also unsigned numbers of 64 bits, whose patterns are not in the order of their values.
            _ => Span64 { least: i64::MIN, most: i64::MAX },
        }
    }

    /// What an expression can be when control is at a location.
    pub fn values_at(&self, prepared: &Prepared, location: LocationId, expr: ExprId) -> Values {
        self.ranges.of_expr_at(&prepared.program, prepared.semantics.integers, &self.expressions, location, expr)
    }

    /// The values that an input has to be tried with.
    pub fn domain(&self, edge: EdgeId) -> Result<&[BigInt], &RefusedInput> {
        self.domains.of(edge)
    }
}

fn reachable(prepared: &Prepared) -> Vec<EdgeId> {
    let program = &prepared.program;
    let mut seen = vec![false; program.locations.len()];
    let mut open = vec![prepared.start()];
    seen[open[0].index()] = true;
    let mut edges = Vec::new();
    while let Some(location) = open.pop() {
        for &edge in &program.locations[location].out {
            edges.push(edge);
            let to = program.edges[edge].to;
            if !std::mem::replace(&mut seen[to.index()], true) {
                open.push(to);
            }
        }
    }
    edges.sort_unstable();
    edges
}
