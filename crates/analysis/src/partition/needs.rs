//! What must stay of a cell's value for a run to stay the same: nothing, its position among some numbers, what some of
//! its bits are, or all of it.
//!
//! The *cuts* of a cell are the numbers `b` such that the program tells what is smaller than `b` from what is not, its
//! *points* the numbers that it tells from all others; two values are equivalent if there is no cut between them, and
//! they are equal or neither is a point. Let two states be related if control is at the same location, each cell holds
//! equivalent values, and everything else is equal. This is a bisimulation: both take the same edges, show the same
//! letters, fail alike, and their successors are related again, since
//!
//! - a comparison of a cell with a constant `c` makes a cut at `c` or `c + 1`, or the point `c`, so that it comes out the
//!   same (a comparison with something that has few known values, and is itself kept exactly, does so for all of them);
//! - a copy from one cell to another gives the first all cuts and points of the second;
//! - a bit test, a comparison of some bits of the value, makes cuts and points of those bits (`masked`): equivalent
//!   values have bits that are equivalent in the same sense;
//! - every other use keeps the value exactly.
//!
//! So for an input it is enough to try one value of each equivalence class. This is the partition refinement of Graf
//! and Saïdi's predicate abstraction for the simplest case in which it is exact. It is insensitive to the order of
//! edges, and holds for calls and threads too.

use foundation::Id;
use foundation::collections::HashSet;
use program::semantics::Integers;
use program::{BinaryOp, Callee, CompareOp, EdgeId, ExprId, ExprKind, FunctionId, Op, Operand, Place, Program, Scalar};

use super::MOST_VALUES;
use super::need::{ExactUse, Need};
use super::pieces::Pieces;
use super::refused::Cause;
use crate::assignments::{Assignment, Assignments, Calls, Source};
use crate::cells::{CellId, Cells};
use crate::expressions::Expressions;
use crate::numbers::{Interval, Values};
use crate::ranges::Ranges;

/// Conversions and additions of constants are followed up to this depth.
const MOST_STEPS: u32 = 16;

/// Finds the needs of all cells.
pub(super) struct NeedSearch<'a> {
    pub program: &'a Program,
    pub integers: Integers,
    pub cells: &'a Cells,
    pub expressions: &'a Expressions,
    pub ranges: &'a Ranges,
    needs: Vec<Need>,
    /// For each cell, those that are copied to it.
    copied_from: Vec<Vec<CellId>>,
    /// For each cell, the expressions of which it gets the value, which matter only if the cell does.
    computed_from: Vec<Vec<(ExprId, Option<EdgeId>)>>,
    /// Cells whose needs have changed.
    open: Vec<CellId>,
    /// Expressions whose value is already kept exactly.
    observed: HashSet<ExprId>,
    carried: HashSet<(ExprId, CellId)>,
    /// The edge that is looked at.
    edge: Option<EdgeId>,
}

impl<'a> NeedSearch<'a> {
    pub fn new(
        program: &'a Program,
        integers: Integers,
        cells: &'a Cells,
        expressions: &'a Expressions,
        ranges: &'a Ranges,
    ) -> Self {
        Self {
            program,
            integers,
            cells,
            expressions,
            ranges,
            needs: vec![Need::default(); cells.len()],
            copied_from: vec![Vec::new(); cells.len()],
            computed_from: vec![Vec::new(); cells.len()],
            open: Vec::new(),
            observed: HashSet::default(),
            carried: HashSet::default(),
            edge: None,
        }
    }

    /// The needs of all cells.
    pub fn needs(mut self, assignments: &Assignments, atoms: &[ExprId]) -> Vec<Need> {
        for assignment in assignments.all() {
            self.edge = assignment.edge;
            self.assignment(assignment);
        }
        let calls = Calls::new(self.program);
        let kept_results = self.kept_results(&calls);
        for (edge, contents) in self.program.edges.iter() {
            self.edge = Some(edge);
            self.op(&contents.op, &calls, &kept_results);
        }
        self.edge = None;
        for &atom in atoms {
            self.observe(atom, Cause::Arithmetic);
        }
        self.propagate();
        self.needs
    }

    /// Hands the needs of a cell on to the cells that it gets its values from.
    fn propagate(&mut self) {
        while let Some(cell) = self.open.pop() {
            let need = self.needs[cell.index()].clone();
            for source in self.copied_from[cell.index()].clone() {
                match self.carry_fields(source, cell, &need) {
                    Some(need) => self.add(source, &need),
                    None => self.keep(source, Cause::Conversion),
                }
            }
            for (expr, edge) in self.computed_from[cell.index()].clone() {
                self.edge = edge;
                if !self.carry_need(expr, cell, &need) {
                    self.observe(expr, Cause::Conversion);
                }
            }
        }
    }

    /// Adds to the needs of a cell, and puts it on the worklist if they have grown.
    pub(super) fn add(&mut self, cell: CellId, need: &Need) {
        if self.needs[cell.index()].add(need, self.edge) {
            self.open.push(cell);
        }
    }

    fn assignment(&mut self, assignment: &Assignment) {
        match assignment.source {
            Source::Expr(expr) => self.carry(expr, assignment.target),
            Source::Cell(source) => self.copied_from[assignment.target.index()].push(source),
            Source::Zero | Source::Input | Source::Unwritten | Source::Unknown => {}
        }
    }

    /// The functions whose results callers may store where they are not followed, or other threads may take.
    fn kept_results(&self, calls: &Calls) -> HashSet<FunctionId> {
        let mut kept = HashSet::default();
        for edge in self.program.edges.values() {
            match &edge.op {
                Op::Call { callee, result: Some(result), .. } if self.cells.of_variable(*result).is_none() => {
                    kept.extend(calls.callees(callee));
                }
                Op::Spawn { function, .. } => kept.extend(calls.callees(function)),
                _ => {}
            }
        }
        kept
    }

    /// Records the uses of values on an edge, but for what is written to cells.
    fn op(&mut self, op: &Op, calls: &Calls, kept_results: &HashSet<FunctionId>) {
        match op {
            Op::Assume(condition) => self.observe(*condition, Cause::Arithmetic),
            Op::Assign { target, value } => {
                self.address(target);
                let followed = self.cells.of_place(self.program, target).is_some();
                self.operand(value, followed, target);
            }
            Op::Input { target, .. } => self.address(target),
            Op::Call { callee, arguments, .. } => {
                for (number, argument) in arguments.iter().enumerate() {
                    self.evaluate(argument);
                    for &function in calls.callees(callee) {
                        let function = &self.program.functions[function];
                        if let Some(&parameter) = function.parameters.get(number)
                            && function.entry.is_some()
                        {
                            let parameter = Place::variable(parameter, self.program.variables[parameter].ty);
                            let followed = self.cells.of_place(self.program, &parameter).is_some();
                            self.operand(argument, followed, &parameter);
                        }
                    }
                }
                if let Callee::Pointer(address) = callee {
                    self.observe(*address, Cause::Index);
                }
            }
            // What the entry function returns is not observed; what others return is written to the callers' cells.
            Op::Return(Some(value)) => {
                self.evaluate(value);
                let from = self.program.edges[self.edge.expect("a return is an edge")].from;
                if kept_results.contains(&self.program.locations[from].function) {
                    self.keep_operand(value, Cause::Stored);
                }
            }
            op => {
                for expr in op.expressions() {
                    self.observe(expr, Cause::Operation);
                }
            }
        }
    }

    /// Records what is written to a place; where its cells are followed, the assignments tell what is needed.
    fn operand(&mut self, value: &Operand, followed: bool, target: &Place) {
        if let Operand::Aggregate(source) = value {
            self.address(source);
        }
        let compatible = match value {
            Operand::Scalar(_) => true,
            Operand::Aggregate(source) => source.ty == target.ty,
        };
        if !followed || !compatible {
            self.keep_operand(value, Cause::Stored);
        }
    }

    fn keep_operand(&mut self, value: &Operand, cause: Cause) {
        match value {
            Operand::Scalar(expr) => self.observe(*expr, cause),
            Operand::Aggregate(source) => {
                for cell in self.cells.of_place(self.program, source).unwrap_or_default() {
                    self.keep(CellId::from_index(cell), cause);
                }
            }
        }
    }

    /// Records that an operand is evaluated, whoever gets its value: how that ends must not differ between equivalent
    /// values.
    fn evaluate(&mut self, value: &Operand) {
        match value {
            Operand::Scalar(expr) => match self.function_of_cell(*expr) {
                Some((_, pieces)) if pieces.is_identity() => self.addresses_in(*expr),
                _ if self.expressions.is_silent(*expr) => {}
                // Whether a shift is defined depends on its count alone.
                _ if self.forms_of(*expr).is_some() => self.others_under(*expr),
                _ => self.observe(*expr, Cause::Arithmetic),
            },
            Operand::Aggregate(source) => self.address(source),
        }
    }

    /// Keeps the address and the indices of a place exactly.
    pub(super) fn address(&mut self, place: &Place) {
        for operand in place.operands() {
            self.observe(operand, Cause::Index);
        }
    }

    /// Does the same for the one place that a chain of conversions reads.
    fn addresses_in(&mut self, mut expr: ExprId) {
        loop {
            match &self.program.exprs.get(expr).kind {
                ExprKind::Load(place) => return self.address(place),
                ExprKind::Cast(operand) => expr = *operand,
                _ => return self.observe(expr, Cause::Arithmetic),
            }
        }
    }

    /// Keeps the value of an expression exactly; comparisons in it need only what decides them.
    pub(super) fn observe(&mut self, expr: ExprId, cause: Cause) {
        if !self.observed.insert(expr) {
            return;
        }
        let program = self.program;
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || match &program.exprs.get(expr).kind {
            ExprKind::Load(place) => {
                self.address(place);
                if let Some(cell) = self.cells.of_scalar(program, place) {
                    self.keep(cell, cause);
                }
            }
            ExprKind::Compare(op, left, right) => self.compare(*op, *left, *right),
            ExprKind::Cast(operand) if program.exprs.ty(expr) == Scalar::Bool => {
                match self.function_of_cell(*operand) {
                    Some((cell, pieces)) => self.cut(cell, &pieces, CompareOp::NotEqual, &[0], *operand),
                    None if self.compare_bits(CompareOp::NotEqual, *operand, &[0]) => {}
                    None => self.observe(*operand, Cause::Comparison),
                }
            }
            ExprKind::Cast(_) | ExprKind::Binary(..) | ExprKind::Unary(..) if self.keep_bits(expr) => {}
            ExprKind::Cast(operand) => self.observe(*operand, cause),
            ExprKind::AddressOf(place) => self.address(place),
            ExprKind::PointerAdd { .. } | ExprKind::PointerDifference { .. } => self.observe_all(expr, Cause::Index),
            ExprKind::If(condition, then, otherwise) => {
                self.observe(*condition, Cause::Arithmetic);
                self.observe(*then, cause);
                self.observe(*otherwise, cause);
            }
            _ => self.observe_all(expr, Cause::Arithmetic),
        });
    }

    fn observe_all(&mut self, expr: ExprId, cause: Cause) {
        for operand in self.program.exprs.operands(expr) {
            self.observe(operand, cause);
        }
    }

    /// Records what decides a comparison.
    fn compare(&mut self, op: CompareOp, left: ExprId, right: ExprId) {
        let sides = [(op, left, right), (op.swapped(), right, left)];
        for (op, side, other) in sides {
            if let Some((cell, pieces)) = self.function_of_cell(side)
                && let Some(values) = self.few_values(other)
            {
                self.observe(other, Cause::Comparison);
                return self.cut(cell, &pieces, op, &values, side);
            }
        }
        for (op, side, other) in sides {
            if let Some(values) = self.few_values(other)
                && self.compare_bits(op, side, &values)
            {
                return self.observe(other, Cause::Comparison);
            }
        }
        self.observe(left, Cause::Comparison);
        self.observe(right, Cause::Comparison);
    }

    /// All values that an expression can have, if they are few.
    pub(super) fn few_values(&self, expr: ExprId) -> Option<Vec<i128>> {
        match self.ranges.of_expr(self.program, self.integers, self.expressions, expr) {
            Values::Set(set) => Some(set.to_vec()),
            Values::Range(range) => {
                let few = range.count().is_some_and(|count| count <= MOST_VALUES as u128);
                few.then(|| (range.low()..=range.high()).collect())
            }
        }
    }

    /// Records that a function of a cell is compared with some values.
    fn cut(&mut self, cell: CellId, pieces: &Pieces, op: CompareOp, values: &[i128], expr: ExprId) {
        let (mut cuts, mut points) = (Vec::new(), Vec::new());
        for value in values {
            pieces.compare(op, *value, &mut cuts, &mut points);
        }
        let (cuts, points) = (cuts.into_iter().collect(), points.into_iter().collect());
        self.add(cell, &Need { cuts, points, ..Need::default() });
        self.indices_under(expr);
    }

    /// Keeps the indices exactly by which the one place in a function of a cell is found, and the constants added to it,
    /// which have one value each.
    fn indices_under(&mut self, expr: ExprId) {
        let program = self.program;
        match &program.exprs.get(expr).kind {
            ExprKind::Load(place) => self.address(place),
            ExprKind::Cast(operand) => self.indices_under(*operand),
            ExprKind::Binary(_, left, right) => {
                let (cell, constant) =
                    if self.function_of_cell(*left).is_some() { (*left, *right) } else { (*right, *left) };
                self.observe(constant, Cause::Arithmetic);
                self.indices_under(cell);
            }
            _ => self.observe(expr, Cause::Arithmetic),
        }
    }

    /// Records that the value of an expression goes to a cell.
    fn carry(&mut self, expr: ExprId, target: CellId) {
        if !self.carried.insert((expr, target)) {
            return;
        }
        if let Some((cell, pieces)) = self.function_of_cell(expr) {
            let (from, to) = (self.cells.get(cell).scalar, self.cells.get(target).scalar);
            let kept = match (from, to) {
                (_, Scalar::Int(ty)) => pieces.convert(self.integers, ty).is_some_and(|pieces| pieces.is_identity()),
                (from, to) => from == to && pieces.is_identity(),
            };
            if kept {
                self.copied_from[target.index()].push(cell);
                return self.addresses_in(expr);
            }
            return self.compute(expr, target);
        }
        match self.program.exprs.get(expr).kind {
            ExprKind::If(condition, then, otherwise) => {
                self.observe(condition, Cause::Arithmetic);
                stacker::maybe_grow(64 * 1024, 1024 * 1024, || {
                    self.carry(then, target);
                    self.carry(otherwise, target);
                });
            }
            _ => self.compute(expr, target),
        }
    }

    /// Records that the value of an expression, which is no copy, goes to a cell: it matters if the cell does, or if
    /// evaluating it shows more than the value.
    fn compute(&mut self, expr: ExprId, target: CellId) {
        if self.expressions.is_silent(expr) {
            self.computed_from[target.index()].push((expr, self.edge));
        } else if self.forms_of(expr).is_some() {
            // Whether a shift is defined depends on its count alone.
            self.others_under(expr);
            self.computed_from[target.index()].push((expr, self.edge));
        } else {
            self.observe(expr, Cause::Conversion);
        }
    }

    /// The cell of which an expression is a function of few pieces, and that function.
    fn function_of_cell(&self, expr: ExprId) -> Option<(CellId, Pieces)> {
        self.function_in(expr, MOST_STEPS)
    }

    /// The same for expressions with at most so many steps.
    fn function_in(&self, expr: ExprId, steps: u32) -> Option<(CellId, Pieces)> {
        let exprs = &self.program.exprs;
        let steps = steps.checked_sub(1)?;
        match (&exprs.get(expr).kind, exprs.ty(expr)) {
            (ExprKind::Load(place), _) => {
                let cell = self.cells.of_scalar(self.program, place)?;
                let values = self.ranges.of_cell(cell).map(|values| values.bounds().unwrap_or(Interval::single(0)));
                Some((cell, Pieces::identity(values.unwrap_or(Interval::ALL))))
            }
            (ExprKind::Cast(operand), Scalar::Int(ty)) if self.is_number(*operand) => {
                let (cell, pieces) = self.function_in(*operand, steps)?;
                Some((cell, pieces.convert(self.integers, ty)?))
            }
            (ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), left, right), Scalar::Int(ty)) => {
                let constant = |expr: ExprId| {
                    let single = self.few_values(expr).filter(|values| values.len() == 1)?[0];
                    self.expressions.is_total(expr).then_some(single)
                };
                let (operand, constant) = match (constant(*left), constant(*right)) {
                    (_, Some(constant)) if *op == BinaryOp::Add => (left, constant),
                    (_, Some(constant)) => (left, -constant),
                    (Some(constant), None) if *op == BinaryOp::Add => (right, constant),
                    _ => return None,
                };
                let (cell, pieces) = self.function_in(*operand, steps)?;
                Some((cell, pieces.plus(self.integers, ty, constant)?))
            }
            _ => None,
        }
    }

    fn is_number(&self, expr: ExprId) -> bool {
        matches!(self.program.exprs.ty(expr), Scalar::Int(_) | Scalar::Bool)
    }

    /// Keeps a cell's value exactly.
    fn keep(&mut self, cell: CellId, cause: Cause) {
        let exact = Some(ExactUse { cause, edge: self.edge });
        self.add(cell, &Need { exact, ..Need::default() });
    }
}
