//! What is followed: the inlined program of a task, with what the analyses say of it.

use std::sync::Arc;

use analysis::assignments::{Assignment, Assignments, Source};
use analysis::cells::{CellId, Cells};
use analysis::expressions::Expressions;
use analysis::flow::Flow;
use analysis::numbers::arithmetic::convert;
use analysis::ranges::evaluate::{Evaluator, scalar_values};
use analysis::resolved::without_pointers;
use analysis::{Initialised, Liveness, ReadByAtoms, Values};
use foundation::Id;
use program::passes::Prepared;
use program::semantics::{Integers, ObserveMode, UndefinedMode};
use program::{Atom, Callee, EdgeId, ExprId, Location, LocationId, Op, Place, Program, Scalar, Type, TypeId};
use task::certificate::cover::Part;
use task::{Negation, Preparation, Reason, Task};

use super::cuts::Cuts;
use super::needed::needed;

/// The values of all cells in some states.
pub type ValueBox = Vec<Values>;

/// A program, and how it is followed.
pub struct FollowedProgram {
    preparation: Arc<Preparation>,
    /// The program without pointers, where it has any.
    resolved: Option<Prepared>,
    /// The automaton of the negated goal.
    pub negation: Arc<Negation>,
    /// Whether undefined behaviour blocks a run instead of ending it.
    pub undefined_blocks: bool,
    /// The parts of variables.
    pub cells: Cells,
    /// Facts about expressions.
    pub expressions: Expressions,
    /// Where the pieces of the cells' values begin.
    pub cuts: Cuts,
    /// Whether nothing is read before it is set.
    has_no_uncertain_reads: bool,
    /// What integers are.
    pub integers: Integers,
    /// Whether it can be seen that a signed integer overflows.
    pub shows_overflow: bool,
    mode: ObserveMode,
    assignments: Assignments,
    flow: Flow,
    /// By location: the followed cells that matter there.
    live: Vec<Arc<[CellId]>>,
    /// By cell: whether it is a number that matters anywhere.
    followed: Vec<bool>,
    /// By cell: what it can be at all.
    any: ValueBox,
    atoms: Vec<AtomKind>,
}

/// What an atom of the goal is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum AtomKind {
    /// The one with this number among the task's.
    State(usize),
    End,
    Error,
    Overflow,
    Never,
}

/// When a letter is read off.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Moment {
    /// In the middle of a run.
    Passing,
    /// At the end of the program.
    End,
    /// Where behaviour is undefined.
    Error,
}

/// The truth of an atom.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AtomTruth {
    /// Known.
    Constant(bool),
    /// That of an expression.
    Expr(ExprId),
    /// Whether a signed integer has overflowed since a state was observed.
    Overflow,
}

impl FollowedProgram {
    /// The program of a task, if it can be followed.
    pub fn new(task: &Task, preparation: Arc<Preparation>, negation: Arc<Negation>) -> Result<Self, Reason> {
        let resolved = without_pointers(&preparation.inlined);
        let prepared = resolved.as_ref().unwrap_or(&preparation.inlined);
        let program = &prepared.program;
        let atoms = kinds_of_atoms(task, &negation)?;
        refuse_operations(program)?;
        let integers = task.semantics.integers;
        let (flow, cells, expressions) = (Flow::new(program), Cells::new(program), Expressions::new(program));
        let assignments = Assignments::new(program, &cells);
        let observed = ReadByAtoms::observed(prepared);
        let liveness = Liveness::with(program, &flow, &expressions, &observed);
        let initialised = Initialised::new(program, &observed, &liveness);
        let looked_at: Vec<ExprId> = prepared.atoms.expressions().collect();
        let shows_overflow = atoms.contains(&AtomKind::Overflow);
        let needed = needed(program, &cells, &assignments, &expressions, &looked_at, shows_overflow);
        let is_number = |scalar: Scalar| matches!(scalar, Scalar::Int(_) | Scalar::Bool);
        let follows = |cell: CellId| is_number(cells.get(cell).scalar) && needed[cell.index()];
        let followed: Vec<bool> = cells.ids().map(follows).collect();
        let any: ValueBox = cells.ids().map(|cell| scalar_values(integers, cells.get(cell).scalar)).collect();
        let live = |location: LocationId| -> Arc<[CellId]> {
            let live = liveness.at(location);
            let matters = |cell: &CellId| followed[cell.index()] && live.contains(cells.get(*cell).variable);
            cells.ids().filter(matters).collect()
        };
        let live = program.locations.ids().map(live).collect();
        let cuts = Cuts::of(program, &cells, &assignments, &looked_at);
        let has_no_uncertain_reads = initialised.uncertain().is_empty();
        Ok(Self {
            undefined_blocks: task.semantics.undefined == UndefinedMode::Assume,
            has_no_uncertain_reads,
            shows_overflow,
            mode: task.semantics.observe,
            preparation: Arc::clone(&preparation),
            resolved,
            negation,
            cells,
            expressions,
            cuts,
            integers,
            assignments,
            flow,
            live,
            followed,
            any,
            atoms,
        })
    }

    /// The program with the way back.
    pub fn prepared(&self) -> &Prepared {
        self.resolved.as_ref().unwrap_or(&self.preparation.inlined)
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.prepared().program
    }

    /// Evaluates expressions over boxes.
    pub fn evaluator(&self) -> Evaluator<'_> {
        let Self { integers, cells, expressions, .. } = self;
        Evaluator { program: self.program(), integers: *integers, cells, expressions }
    }

    /// Whether boxes are kept at a location: every cycle has such a one.
    pub fn is_head(&self, location: LocationId) -> bool {
        self.flow.is_head(location)
    }

    /// The followed cells whose values matter at a location.
    pub fn live(&self, location: LocationId) -> &[CellId] {
        &self.live[location.index()]
    }

    /// Whether what a cell holds is kept.
    pub fn follows(&self, cell: CellId) -> bool {
        self.followed[cell.index()]
    }

    /// What a cell can hold at all.
    pub fn any(&self, cell: CellId) -> &Values {
        &self.any[cell.index()]
    }

    /// Whether the state after an edge is observed.
    pub fn is_observed(&self, edge: EdgeId) -> bool {
        self.mode.may_see(self.program().edges[edge].observe)
    }

    /// What a certificate calls a cell; none for pointers that have become numbers.
    pub fn part(&self, cell: CellId) -> Option<Part> {
        let variable = self.cells.get(cell).variable;
        let first = self.cells.of_variable(variable).expect("the variable of a cell has cells").start;
        let number = cell.index() - first;
        let inlined = &self.preparation.inlined.program;
        let ty = inlined.variables.get(variable)?.ty;
        (nth_scalar(inlined, ty, &mut { number })? != Scalar::Pointer)
            .then_some(Part { variable, number: number as u32 })
    }

    /// The location of the inlined program that a location is.
    pub fn inlined_location(&self, location: LocationId) -> Option<LocationId> {
        self.prepared().back.location(location)
    }

    /// The states in which the program begins.
    pub fn initial(&self) -> ValueBox {
        let mut given: Vec<Option<Values>> = vec![None; self.cells.len()];
        for assignment in self.assignments.all().iter().filter(|assignment| assignment.edge.is_none()) {
            let known = &mut given[assignment.target.index()];
            let written = self.written(assignment, &self.any);
            *known = Some(known.as_ref().map_or(written.clone(), |known| known.join(&written)));
        }
        let start = |(cell, given): (CellId, Option<Values>)| match given {
            Some(values) if self.follows(cell) => values,
            _ => self.any(cell).clone(),
        };
        self.cells.ids().zip(given).map(start).collect()
    }

    /// What an edge that is no condition writes. None where it cannot be evaluated in any of the states.
    pub fn after(&self, edge: EdgeId, before: &ValueBox) -> Option<ValueBox> {
        let mut after = before.clone();
        if let Op::Declare(variable) = self.program().edges[edge].op {
            for cell in self.cells.of_variable(variable).unwrap_or_default() {
                after[cell] = self.any[cell].clone();
            }
            return Some(after);
        }
        for assignment in self.assignments.on(edge) {
            let target = assignment.target;
            if !self.follows(target) {
                continue;
            }
            let written = self.written(assignment, before);
            if written.is_none() {
                return None;
            }
            // One element of several is written, or all of them are.
            let many = self.cells.get(target).many;
            after[target.index()] = if many { after[target.index()].join(&written) } else { written };
        }
        Some(after)
    }

    /// Whether an edge writes something that is followed.
    pub fn is_followed(&self, edge: EdgeId) -> bool {
        self.assignments.on(edge).iter().any(|assignment| self.follows(assignment.target))
    }

    /// The only cell that an edge reads an input for.
    pub fn input_cell(&self, edge: EdgeId) -> Option<CellId> {
        match self.assignments.on(edge) {
            [only] if only.source == Source::Input => Some(only.target).filter(|cell| !self.cells.get(*cell).many),
            _ => None,
        }
    }

    /// What an input for a cell can be.
    pub fn input_values(&self, cell: CellId) -> Values {
        scalar_values(Integers::Machine, self.cells.get(cell).scalar)
    }

    /// Whether an execution asks for nothing but the values of inputs, so that these determine it.
    pub fn asks_for_inputs_alone(&self) -> bool {
        let program = self.program();
        let is_plain = |place: &Place| place.root.variable().is_some();
        let is_simple = |op: &Op| match op {
            Op::Skip | Op::Declare(_) | Op::Discard(_) | Op::AtomicBegin | Op::AtomicEnd => true,
            Op::Assume(_) | Op::Assign { .. } | Op::Input { .. } | Op::Return(_) | Op::End(_) | Op::Unreachable => true,
            Op::Call { callee, .. } => matches!(callee, Callee::Function(_)),
            _ => false,
        };
        let places = |op: &Op| {
            let loaded = program.exprs.below(op.expressions()).filter_map(|expr| program.exprs.get(expr).kind.place());
            op.places().chain(loaded).all(is_plain)
        };
        let is_decided = |location: &Location| match location.out.as_slice() {
            [] | [_] => true,
            out => out.iter().all(|edge| matches!(program.edges[*edge].op, Op::Assume(_))),
        };
        self.has_no_uncertain_reads
            && program.edges.values().all(|edge| is_simple(&edge.op) && places(&edge.op))
            && program.locations.values().all(is_decided)
    }

    /// The states of a box in which an input that was just read by an edge has this value; none where it cannot.
    pub fn with_input(&self, edge: EdgeId, value: i128, after: &ValueBox) -> Option<ValueBox> {
        let mut chosen = after.clone();
        for assignment in self.assignments.on(edge).iter().filter(|assignment| assignment.source == Source::Input) {
            let held = &mut chosen[assignment.target.index()];
            *held = held.meet(&Values::constant(value));
            if held.is_none() {
                return None;
            }
        }
        Some(chosen)
    }

    fn written(&self, assignment: &Assignment, before: &ValueBox) -> Values {
        let scalar = self.cells.get(assignment.target).scalar;
        let convert = |values: Values| match scalar {
            Scalar::Int(ty) => convert(self.integers, ty, &values),
            _ => values,
        };
        match assignment.source {
            Source::Expr(value) => convert(self.evaluator().values(value, before)),
            Source::Cell(source) => convert(before[source.index()].clone()),
            Source::Zero => Values::constant(0),
            Source::Input | Source::Unwritten => scalar_values(Integers::Machine, scalar),
            Source::Unknown => scalar_values(self.integers, scalar),
        }
    }

    /// The truth of the goal's atoms in a state that control has come to by an edge (none at the start), or at whose edge
    /// it stops.
    pub fn letter_at(&self, edge: Option<EdgeId>, moment: Moment) -> Vec<AtomTruth> {
        let edges = &self.program().edges;
        let location = match (edge, moment) {
            (None, _) => self.prepared().start(),
            (Some(edge), Moment::Passing) => edges[edge].to,
            (Some(edge), _) => edges[edge].from,
        };
        let seen = self.prepared().atoms_at(location);
        let truth = |kind: &AtomKind| match *kind {
            AtomKind::End => AtomTruth::Constant(moment == Moment::End),
            AtomKind::Error => AtomTruth::Constant(moment == Moment::Error),
            AtomKind::Overflow => AtomTruth::Overflow,
            AtomKind::Never => AtomTruth::Constant(false),
            AtomKind::State(index) => match &seen[index] {
                None => AtomTruth::Constant(false),
                Some(atom) => AtomTruth::Expr(atom.value),
            },
        };
        self.atoms.iter().map(truth).collect()
    }
}

/// The type of a scalar in a type, by its number; the elements of an array count as one.
fn nth_scalar(program: &Program, ty: TypeId, number: &mut usize) -> Option<Scalar> {
    match program.types.get(ty) {
        Type::Scalar(scalar) if *number == 0 => Some(*scalar),
        Type::Scalar(_) => {
            *number -= 1;
            None
        }
        Type::Array { element, .. } => nth_scalar(program, *element, number),
        Type::Record(record) => record.fields.iter().find_map(|field| nth_scalar(program, field.ty, number)),
        Type::Opaque => None,
    }
}

fn kinds_of_atoms(task: &Task, negation: &Negation) -> Result<Vec<AtomKind>, Reason> {
    let kind = |atom: &automata::ltl::AtomId| match &task.atoms[atom.index()] {
        Atom::State { .. } => Ok(AtomKind::State(atom.index())),
        Atom::End => Ok(AtomKind::End),
        Atom::Error => Ok(AtomKind::Error),
        Atom::Deadlock => Ok(AtomKind::Never),
        Atom::Call(_) => Err(Reason::LeftToOthers("the atom `call`".to_owned())),
        Atom::Overflow => Ok(AtomKind::Overflow),
    };
    negation.atoms.iter().map(kind).collect()
}

/// Refuses operations that wait for others.
fn refuse_operations(program: &Program) -> Result<(), Reason> {
    for edge in program.edges.values() {
        let waits = matches!(
            edge.op,
            Op::Spawn { .. }
                | Op::Join { .. }
                | Op::ExitThread(_)
                | Op::InitLock(_)
                | Op::Lock(_)
                | Op::TryLock { .. }
                | Op::Unlock(_)
        );
        if waits {
            return Err(Reason::LeftToOthers("threads and mutexes".to_owned()));
        }
    }
    Ok(())
}
