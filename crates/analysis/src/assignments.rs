//! What is written to the cells of a program, edge by edge: assignments, arguments, results, inputs, initial values.
//!
//! Together they are all writes: a cell never holds a value that none of them gave it. Ranges and partitions are both
//! computed from this list.

use std::ops::Range;

use foundation::Id;
use foundation::collections::{HashMap, HashSet};
use program::{
    Callee, EdgeId, ExprId, ExprKind, FunctionId, Initial, Op, Operand, Place, Program, VariableId, VariableKind,
};

use crate::cells::{CellId, Cells};

/// A write to a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Assignment {
    /// The cell; if it stands for many elements, one of them is written, or all.
    pub target: CellId,
    /// What is written, converted to the cell's type.
    pub source: Source,
    /// The edge on which that happens; none for what holds before any edge is taken.
    pub edge: Option<EdgeId>,
}

/// What is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// The value of an expression.
    Expr(ExprId),
    /// What another cell holds.
    Cell(CellId),
    /// Zero.
    Zero,
    /// Any value of the cell's type: input.
    Input,
    /// Any value of the cell's type: nothing was written since its lifetime began.
    Unwritten,
    /// What comes from memory that is not followed.
    Unknown,
}

/// All writes to cells.
#[derive(Clone, Debug)]
pub struct Assignments {
    list: Vec<Assignment>,
    by_edge: Vec<Range<usize>>,
}

impl Assignments {
    /// The writes of a program.
    pub fn new(program: &Program, cells: &Cells) -> Self {
        let calls = Calls::new(program);
        let mut collection = Collection { program, cells, calls: &calls, list: Vec::new() };
        let mut by_edge = Vec::with_capacity(program.edges.len());
        for edge in program.edges.ids() {
            let begin = collection.list.len();
            collection.edge(edge);
            by_edge.push(begin..collection.list.len());
        }
        for variable in program.variables.ids() {
            collection.initial(variable);
        }
        Self { list: collection.list, by_edge }
    }

    /// All of them.
    pub fn all(&self) -> &[Assignment] {
        &self.list
    }

    /// Those that happen on an edge. What a return gives to its callers counts for the return.
    pub fn on(&self, edge: EdgeId) -> &[Assignment] {
        &self.list[self.by_edge[edge.index()].clone()]
    }
}

/// Who may be called, and who wants to know the result.
#[derive(Clone, Debug)]
pub struct Calls {
    /// The functions whose address is used.
    pointed_to: Vec<FunctionId>,
    /// The variables that receive a function's result.
    results: HashMap<FunctionId, Vec<VariableId>>,
    /// The functions that may end without a result.
    return_nothing: HashSet<FunctionId>,
}

impl Calls {
    /// The calls of a program.
    pub fn new(program: &Program) -> Self {
        let kinds = (0..program.exprs.len()).map(|index| &program.exprs.get(ExprId::from_index(index)).kind);
        let mut pointed_to: Vec<FunctionId> = kinds
            .filter_map(|kind| match kind {
                ExprKind::FunctionAddress(function) => Some(*function),
                _ => None,
            })
            .collect();
        pointed_to.sort_unstable();
        pointed_to.dedup();
        let return_nothing = program.edges.values().filter(|edge| edge.op == Op::Return(None));
        let return_nothing = return_nothing.map(|edge| program.locations[edge.from].function).collect();
        let mut calls = Self { pointed_to, results: HashMap::default(), return_nothing };
        for edge in program.edges.values() {
            if let Op::Call { callee, result: Some(result), .. } = &edge.op {
                for function in calls.callees(callee).to_vec() {
                    calls.results.entry(function).or_default().push(*result);
                }
            }
        }
        for results in calls.results.values_mut() {
            results.sort_unstable();
            results.dedup();
        }
        calls
    }

    /// The functions that may be meant.
    pub fn callees<'a>(&'a self, callee: &'a Callee) -> &'a [FunctionId] {
        match callee {
            Callee::Function(function) => std::slice::from_ref(function),
            Callee::Pointer(_) => &self.pointed_to,
        }
    }

    /// Whether a call may end without a result, even where one is wanted.
    pub fn may_return_nothing(&self, callee: &Callee) -> bool {
        self.callees(callee).iter().any(|function| self.return_nothing.contains(function))
    }

    /// Whether a call may yield a value that no body computes.
    pub fn may_be_external(&self, program: &Program, callee: &Callee) -> bool {
        self.callees(callee).iter().any(|function| program.functions[*function].entry.is_none())
    }
}

struct Collection<'a> {
    program: &'a Program,
    cells: &'a Cells,
    calls: &'a Calls,
    list: Vec<Assignment>,
}

impl Collection<'_> {
    fn edge(&mut self, edge: EdgeId) {
        let program = self.program;
        match &program.edges[edge].op {
            Op::Assign { target, value } => self.operand(Some(edge), target, value),
            Op::Input { target, .. } => self.all_of(Some(edge), target, Source::Input),
            Op::Call { callee, arguments, result } => {
                for &function in self.calls.callees(callee) {
                    if program.functions[function].entry.is_some() {
                        for (&parameter, argument) in program.functions[function].parameters.iter().zip(arguments) {
                            self.operand(Some(edge), &whole(program, parameter), argument);
                        }
                    }
                }
                if let Some(result) = result {
                    if self.calls.may_be_external(program, callee) {
                        self.all_of(Some(edge), &whole(program, *result), Source::Input);
                    }
                    if self.calls.may_return_nothing(callee) {
                        self.all_of(Some(edge), &whole(program, *result), Source::Unwritten);
                    }
                }
            }
            Op::Return(Some(value)) => {
                let function = program.locations[program.edges[edge].from].function;
                for &result in self.calls.results.get(&function).map_or(&[][..], Vec::as_slice) {
                    self.operand(Some(edge), &whole(program, result), value);
                }
            }
            Op::Spawn { handle, function, argument } => {
                self.all_of(Some(edge), &whole(program, *handle), Source::Unknown);
                for &function in self.calls.callees(function) {
                    if let [parameter] = program.functions[function].parameters[..] {
                        self.operand(Some(edge), &whole(program, parameter), &Operand::Scalar(*argument));
                    }
                }
            }
            op => {
                if let Some(variable) = op.result() {
                    self.all_of(Some(edge), &whole(program, variable), Source::Unknown);
                }
            }
        }
    }

    fn operand(&mut self, edge: Option<EdgeId>, target: &Place, value: &Operand) {
        match value {
            Operand::Scalar(expr) => self.all_of(edge, target, Source::Expr(*expr)),
            Operand::Aggregate(source) => {
                let Some(targets) = self.cells.of_place(self.program, target) else { return };
                let sources = self.cells.of_place(self.program, source).filter(|_| source.ty == target.ty);
                for (number, target) in targets.enumerate() {
                    let source = match &sources {
                        Some(sources) => Source::Cell(CellId::from_index(sources.start + number)),
                        None => Source::Unknown,
                    };
                    self.list.push(Assignment { target: CellId::from_index(target), source, edge });
                }
            }
        }
    }

    /// The same is written to all cells of a place.
    fn all_of(&mut self, edge: Option<EdgeId>, target: &Place, source: Source) {
        let targets = self.cells.of_place(self.program, target).unwrap_or_default();
        self.list.extend(targets.map(|target| Assignment { target: CellId::from_index(target), source, edge }));
    }

    /// What a variable holds at the start of its lifetime.
    fn initial(&mut self, variable: VariableId) {
        let program = self.program;
        let VariableKind::Global { initial: Initial::Values(items), .. } = &program.variables[variable].kind else {
            return self.all_of(None, &whole(program, variable), Source::Unwritten);
        };
        let Some(cells) = self.cells.of_variable(variable) else { return };
        let mut given = vec![false; cells.len()];
        for item in items {
            if let Some(target) = self.cells.at_offset(program, variable, item.offset_bits) {
                self.list.push(Assignment { target, source: Source::Expr(item.value), edge: None });
                given[target.index() - cells.start] = true;
            }
        }
        for (target, given) in cells.zip(given) {
            let target = CellId::from_index(target);
            if !given || self.cells.get(target).many {
                self.list.push(Assignment { target, source: Source::Zero, edge: None });
            }
        }
    }
}

fn whole(program: &Program, variable: VariableId) -> Place {
    Place::variable(variable, program.variables[variable].ty)
}
