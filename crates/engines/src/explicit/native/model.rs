//! What is compiled: a sequential program without calls, whose variables are scalars and objects of known layout.
//!
//! Control is followed from *point* to point. Points are the program's start, the places where an input is read, and
//! one place on every cycle that has no input; between two points the program is a directed acyclic graph and asks
//! nothing, so that a state at a point and the number of an input value determine what happens up to the next point.
//! Only states at points are stored.

use std::collections::{HashMap, HashSet};

use foundation::{Arena, Id, Span, define_id};
use program::passes::prepared::Prepared;
use program::semantics::interpreter::Interpreter;
use program::semantics::memory::Extent;
use program::semantics::{Answer, Integers, ObjectId, ObserveMode, SeededChoices, Semantics, UndefinedMode, Value};
use program::{
    Atom, Callee, EdgeId, ExprId, ExprKind, LocationId, Observe, Op, Operand, Place, Program, Root, Scalar, Step, Type,
    TypeId, VariableId, VariableKind,
};
use task::{Negation, Task};

use super::Mixed;
use super::facts::Facts;

define_id! {
    /// A variable of the model.
    SlotId
}

/// A range of values, as 64-bit patterns in signed order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span64 {
    /// The first.
    pub least: i64,
    /// The last.
    pub most: i64,
}

impl Span64 {
    /// How many values there are, less one.
    pub fn extent(self) -> u64 {
        self.most.wrapping_sub(self.least) as u64
    }
}

/// A variable.
#[derive(Clone, Debug)]
pub enum Slot {
    /// A scalar that is kept in a register.
    Scalar {
        /// The variable.
        variable: VariableId,
        /// Its type: an integer of 8, 16, 32 or 64 bits, or a truth value.
        ty: Scalar,
        /// What it can hold.
        values: Span64,
    },
    /// An array or record, which is kept in memory.
    Object {
        /// The variable.
        variable: VariableId,
        /// Its size.
        bytes: u64,
        /// Where it begins in the memory of the compiled code.
        offset: u64,
    },
}

/// A point of control at which states are stored.
#[derive(Clone, Debug)]
pub struct Point {
    /// What it is.
    pub kind: PointKind,
    /// Where it lies.
    pub location: LocationId,
}

/// The kinds of points.
#[derive(Clone, Debug)]
pub enum PointKind {
    /// Before the first step. The location is that of the entry.
    Start,
    /// An input is read by this edge, the only one here.
    Input {
        /// The edge.
        edge: EdgeId,
        /// The values that are tried, as patterns.
        domain: Vec<i64>,
    },
    /// On a cycle without input.
    Cycle,
}

/// What is compiled.
#[derive(Clone, Debug)]
pub struct Model {
    /// The program, in which the entry function calls nothing that has a body.
    pub prepared: Prepared,
    /// What integers are.
    pub integers: Integers,
    /// Whether undefined behaviour cuts a run instead of ending it.
    pub undefined_cuts: bool,
    /// Whether letters may be repeated and left out.
    pub stutter_invariant: bool,
    /// How many atoms a letter has.
    pub letter_bits: u32,
    /// The points, the start first.
    pub points: Vec<Point>,
    /// The points by their locations; the start is not among them.
    pub point_at: HashMap<LocationId, u32, Mixed>,
    /// The variables.
    pub slots: Arena<SlotId, Slot>,
    /// The variables by those of the program.
    pub slot_of: HashMap<VariableId, SlotId, Mixed>,
    /// By slot: the value of a scalar at the start.
    pub initial: Vec<i64>,
    /// The memory at the start.
    pub initial_memory: Vec<u8>,
    /// Whether there may be steps in which nothing is observed.
    pub may_be_silent: bool,
    read_by_atoms: Vec<bool>,
    joints: HashSet<LocationId, Mixed>,
    facts: Facts,
    mode: ObserveMode,
    atoms: Vec<AtomKind>,
}

/// What an atom is, apart from its expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum AtomKind {
    State {
        /// Its place among the task's atoms.
        index: usize,
        /// Whether it looks at locals, which are gone when the program has returned.
        local: bool,
    },
    End,
    Error,
    Never,
}

/// When a letter is read off.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Moment {
    /// In the middle of a run.
    Passing,
    /// At the end of the program, inside some function.
    End,
    /// At the end of the program, after its entry function has returned.
    Returned,
    /// Where behaviour is undefined.
    Error,
}

/// The truth of an atom in the model.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Truth {
    /// Known.
    Constant(bool),
    /// That of an expression.
    Expr(ExprId),
}

/// Why a program is not compiled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotNative {
    /// What stands in the way, in a phrase.
    pub what: String,
    /// Where.
    pub span: Option<Span>,
}

impl NotNative {
    /// Something stands in the way.
    pub fn new(what: impl Into<String>, span: Option<Span>) -> Self {
        Self { what: what.into(), span }
    }
}

/// Objects of more bytes than this are left to the interpreter.
const LARGEST_OBJECT: u64 = 1 << 12;

impl Model {
    /// The model of a prepared program.
    pub fn new(task: &Task, negation: &Negation, prepared: Prepared, facts: Facts) -> Result<Self, NotNative> {
        let Semantics { integers, observe, undefined, .. } = task.semantics;
        let mut atoms = Vec::new();
        for atom in &negation.atoms {
            atoms.push(match &task.atoms[atom.index()] {
                Atom::State { active, .. } if observe == ObserveMode::Change && !active.is_empty() => {
                    return Err(NotNative::new("observation of changes of a local variable", None));
                }
                Atom::State { active, .. } => AtomKind::State { index: atom.index(), local: !active.is_empty() },
                Atom::End => AtomKind::End,
                Atom::Error => AtomKind::Error,
                Atom::Deadlock => AtomKind::Never,
                Atom::Call(_) => return Err(NotNative::new("the atom `call`", None)),
                Atom::Overflow => return Err(NotNative::new("the atom `overflow`", None)),
            });
        }
        if task.semantics.stop_at_call.is_some() {
            return Err(NotNative::new("ending an execution at a call", None));
        }
        if observe == ObserveMode::Change && !negation.stutter_invariant {
            return Err(NotNative::new("observation of changes for a property that counts steps", None));
        }
        let mut model = Self {
            prepared,
            integers,
            undefined_cuts: undefined == UndefinedMode::Assume,
            stutter_invariant: negation.stutter_invariant,
            letter_bits: negation.atoms.len() as u32,
            points: Vec::new(),
            point_at: HashMap::default(),
            slots: Arena::new(),
            slot_of: HashMap::default(),
            initial: Vec::new(),
            initial_memory: Vec::new(),
            may_be_silent: false,
            read_by_atoms: Vec::new(),
            joints: HashSet::default(),
            facts,
            mode: observe,
            atoms,
        };
        if observe == ObserveMode::Change {
            model.check_changes()?;
        }
        model.find_slots()?;
        model.find_joints();
        model.check_atoms()?;
        model.find_points()?;
        model.may_be_silent = model.finds_silence();
        model.find_initial(task.semantics)?;
        Ok(model)
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.prepared.program
    }

    /// Whether a variable's value matters at a location.
    pub fn is_live(&self, location: LocationId, slot: SlotId) -> bool {
        let (Slot::Scalar { variable, .. } | Slot::Object { variable, .. }) = &self.slots[slot];
        self.facts.is_live(location, *variable)
    }

    /// Whether a variable must be stored: its value matters at some point.
    pub fn is_packed(&self, slot: SlotId) -> bool {
        self.points.iter().any(|point| self.is_live(point.location, slot))
    }

    /// Whether the state after an edge is observed.
    pub fn is_observed(&self, edge: EdgeId) -> bool {
        let observe = self.program().edges[edge].observe;
        match self.mode {
            ObserveMode::Statement | ObserveMode::Change => observe != Observe::No,
            ObserveMode::Step => observe == Observe::Step,
        }
    }

    /// The truth of the atoms of a letter, bit by bit, in a state that control has come to by an edge (none at the
    /// start), or at whose edge it stops.
    pub fn letter_at(&self, edge: Option<EdgeId>, moment: Moment) -> Vec<Truth> {
        let location = match (edge, moment) {
            (None, _) => self.prepared.start(),
            (Some(edge), Moment::Passing) => self.program().edges[edge].to,
            (Some(edge), _) => self.program().edges[edge].from,
        };
        let seen = self.prepared.atoms_at(location);
        let truth = |kind: &AtomKind| match *kind {
            AtomKind::End => Truth::Constant(matches!(moment, Moment::End | Moment::Returned)),
            AtomKind::Error => Truth::Constant(moment == Moment::Error),
            AtomKind::Never => Truth::Constant(false),
            AtomKind::State { local: true, .. } if moment == Moment::Returned => Truth::Constant(false),
            AtomKind::State { index, .. } => match &seen[index] {
                None => Truth::Constant(false),
                Some(atom) => Truth::Expr(atom.value),
            },
        };
        self.atoms.iter().map(truth).collect()
    }

    /// Whether evaluating an expression can never be undefined.
    pub fn is_total(&self, expr: ExprId) -> bool {
        self.facts.is_total(expr)
    }

    /// Whether some atom reads a variable.
    pub fn is_read_by_atoms(&self, slot: SlotId) -> bool {
        self.read_by_atoms[slot.index()]
    }

    /// Whether several ways lead to a location.
    pub fn is_joint(&self, location: LocationId) -> bool {
        self.joints.contains(&location)
    }

    /// How many letters a step can show at most.
    pub fn most_letters(&self) -> usize {
        self.facts.reachable_edges().iter().filter(|&&edge| self.is_observed(edge)).count() + 3
    }
}

impl Model {
    /// Makes slots for all variables that the program or an atom names, and checks that all of it can be compiled.
    fn find_slots(&mut self) -> Result<(), NotNative> {
        let mut named: HashSet<VariableId> = HashSet::new();
        let mut expressions: HashSet<ExprId> = HashSet::new();
        for edge in self.facts.reachable_edges().to_vec() {
            self.check_edge(edge, &mut named, &mut expressions)?;
        }
        let mut read_by_atoms: HashSet<VariableId> = HashSet::new();
        for expr in self.goal_expressions() {
            self.check_expression(expr, None, &mut read_by_atoms, &mut HashSet::new())?;
        }
        named.extend(&read_by_atoms);
        let mut named: Vec<VariableId> = named.into_iter().collect();
        named.sort_unstable();
        let mut memory = 0;
        for variable in named {
            let slot = self.slot(variable, &mut memory)?;
            self.read_by_atoms.push(read_by_atoms.contains(&variable));
            let id = self.slots.push(slot);
            self.slot_of.insert(variable, id);
        }
        self.initial_memory = vec![0; memory as usize];
        Ok(())
    }

    /// Where changes are observed, a full expression that changes something before it is complete is observed when it is
    /// complete, and not while it calls a function. That is left to the interpreter.
    fn check_changes(&self) -> Result<(), NotNative> {
        let program = self.program();
        let mut looked_at: HashSet<VariableId> = HashSet::new();
        for expr in self.goal_expressions() {
            analysis::expressions::variables_read(program, expr, &mut |variable| _ = looked_at.insert(variable));
        }
        for edge in program.edges.values().filter(|edge| edge.observe == Observe::No) {
            let written = match &edge.op {
                Op::Assign { target, .. } | Op::Input { target, .. } => match target.root {
                    Root::Variable(variable) => Some(variable),
                    Root::Pointer { .. } => None,
                },
                Op::Call { result, .. } => *result,
                _ => None,
            };
            if written.is_some_and(|variable| looked_at.contains(&variable)) {
                let what = "observation of changes where an expression makes one before it is complete";
                return Err(NotNative::new(what, Some(edge.span)));
            }
        }
        Ok(())
    }

    fn find_joints(&mut self) {
        let mut reached = HashSet::new();
        for &edge in self.facts.reachable_edges() {
            let to = self.program().edges[edge].to;
            if !reached.insert(to) {
                self.joints.insert(to);
            }
        }
    }

    fn slot(&self, variable: VariableId, memory: &mut u64) -> Result<Slot, NotNative> {
        let program = self.program();
        let data = &program.variables[variable];
        if let Some(ty) = program.types.as_scalar(data.ty) {
            if !is_supported(ty) {
                return Err(NotNative::new(format!("`{}`, which is no integer", data.name), Some(data.span)));
            }
            return Ok(Slot::Scalar { variable, ty, values: self.facts.values(program, variable) });
        }
        let bytes = program.types.size_bits(data.ty).div_ceil(8);
        if self.integers == Integers::Ideal {
            return Err(NotNative::new(
                format!("`{}`, an object in memory under ideal integers", data.name),
                Some(data.span),
            ));
        }
        if bytes > LARGEST_OBJECT {
            return Err(NotNative::new(format!("`{}`, an object of {bytes} bytes", data.name), Some(data.span)));
        }
        let offset = *memory;
        *memory += bytes.next_multiple_of(8);
        Ok(Slot::Object { variable, bytes, offset })
    }

    fn check_edge(
        &self,
        edge: EdgeId,
        named: &mut HashSet<VariableId>,
        expressions: &mut HashSet<ExprId>,
    ) -> Result<(), NotNative> {
        let program = self.program();
        let data = &program.edges[edge];
        let span = Some(data.span);
        match &data.op {
            Op::Skip | Op::Declare(_) | Op::Discard(_) | Op::End(_) | Op::Unreachable => Ok(()),
            Op::AtomicBegin | Op::AtomicEnd => Ok(()),
            Op::Assume(condition) => self.check_expression(*condition, span, named, expressions),
            Op::Assign { target, value } => {
                self.check_place(target, span, named, expressions)?;
                match value {
                    Operand::Scalar(value) => self.check_expression(*value, span, named, expressions),
                    Operand::Aggregate(source) => self.check_place(source, span, named, expressions),
                }
            }
            Op::Input { target, .. } => match target.as_variable() {
                Some(variable) if program.types.as_scalar(target.ty).is_some() => {
                    named.insert(variable);
                    Ok(())
                }
                _ => Err(NotNative::new("input into a part of an object", span)),
            },
            Op::Call { callee: Callee::Function(_), arguments, result } => {
                for argument in arguments {
                    match argument {
                        Operand::Scalar(value) if self.facts.is_total(*value) => {}
                        _ => return Err(NotNative::new("an argument of a function without a body", span)),
                    }
                }
                match result {
                    Some(result) if program.types.as_scalar(program.variables[*result].ty).is_none() => {
                        Err(NotNative::new("input into an object", span))
                    }
                    Some(result) => {
                        named.insert(*result);
                        Ok(())
                    }
                    None => Ok(()),
                }
            }
            Op::Return(None) => Ok(()),
            Op::Return(Some(Operand::Scalar(value))) => {
                if self.facts.is_total(*value) {
                    return Ok(());
                }
                self.check_expression(*value, span, named, expressions)
            }
            Op::Return(Some(Operand::Aggregate(_))) => Err(NotNative::new("a returned object", span)),
            Op::Call { .. } => Err(NotNative::new("a call through a pointer", span)),
            Op::Allocate { .. } | Op::Free(_) => Err(NotNative::new("the heap", span)),
            Op::CopyBytes { .. } | Op::SetBytes { .. } => Err(NotNative::new("memory copied by bytes", span)),
            Op::Spawn { .. } | Op::Join { .. } | Op::ExitThread(_) => Err(NotNative::new("threads", span)),
            Op::InitLock(_) | Op::Lock(_) | Op::TryLock { .. } | Op::Unlock(_) => Err(NotNative::new("mutexes", span)),
        }
    }

    fn check_expression(
        &self,
        root: ExprId,
        span: Option<Span>,
        named: &mut HashSet<VariableId>,
        expressions: &mut HashSet<ExprId>,
    ) -> Result<(), NotNative> {
        let program = self.program();
        let mut open = vec![root];
        while let Some(expr) = open.pop() {
            if !expressions.insert(expr) {
                continue;
            }
            let data = program.exprs.get(expr);
            if !is_supported(data.ty) {
                let what = match data.ty {
                    Scalar::Float(_) => "floating-point numbers",
                    Scalar::Pointer => "pointers",
                    _ => "integers of this width",
                };
                return Err(NotNative::new(what, span));
            }
            match &data.kind {
                ExprKind::Load(place) => {
                    self.check_place(place, span, named, expressions)?;
                    if program.types.as_scalar(place.ty) != Some(data.ty) {
                        return Err(NotNative::new("a bit-field", span));
                    }
                }
                ExprKind::AddressOf(_) | ExprKind::FunctionAddress(_) => return Err(NotNative::new("pointers", span)),
                ExprKind::PointerAdd { .. } | ExprKind::PointerDifference { .. } => {
                    return Err(NotNative::new("pointers", span));
                }
                _ => {}
            }
            open.extend(program.exprs.operands(expr));
        }
        Ok(())
    }

    fn check_place(
        &self,
        place: &Place,
        span: Option<Span>,
        named: &mut HashSet<VariableId>,
        expressions: &mut HashSet<ExprId>,
    ) -> Result<(), NotNative> {
        let program = self.program();
        let Root::Variable(variable) = place.root else { return Err(NotNative::new("access through a pointer", span)) };
        named.insert(variable);
        let mut ty = program.variables[variable].ty;
        for step in &place.path {
            ty = match (step, program.types.get(ty)) {
                (Step::Field(number), Type::Record(record)) => {
                    let field = &record.fields[*number as usize];
                    if field.bit_width.is_some() || field.offset_bits % 8 != 0 {
                        return Err(NotNative::new("a bit-field", span));
                    }
                    field.ty
                }
                (Step::Index(index), Type::Array { element, length }) => {
                    if *length == 0 {
                        return Err(NotNative::new("an array without a length", span));
                    }
                    self.check_expression(*index, span, named, expressions)?;
                    *element
                }
                _ => return Err(NotNative::new("a part of an object at another type", span)),
            };
        }
        match program.types.as_scalar(ty) {
            Some(scalar) if !is_supported(scalar) => Err(NotNative::new("floating-point numbers or pointers", span)),
            None if !only_integers(program, ty) => Err(NotNative::new("an object with floats or pointers", span)),
            _ => Ok(()),
        }
    }

    /// Atoms are false where they are undefined, which compiled code does not find out.
    fn check_atoms(&self) -> Result<(), NotNative> {
        match self.goal_expressions().iter().all(|expr| self.is_total(*expr)) {
            true => Ok(()),
            false => Err(NotNative::new("an atom that may be undefined", None)),
        }
    }

    /// The expressions of the property's atoms, from wherever they are looked at.
    fn goal_expressions(&self) -> Vec<ExprId> {
        let mut found = HashSet::new();
        let edges = self.facts.reachable_edges().iter();
        let ends = edges.flat_map(|&edge| [self.program().edges[edge].from, self.program().edges[edge].to]);
        let locations: HashSet<LocationId> = ends.chain([self.prepared.start()]).collect();
        for location in locations {
            let seen = self.prepared.atoms_at(location);
            found.extend(self.atoms.iter().filter_map(|kind| match kind {
                AtomKind::State { index, .. } => seen[*index].as_ref().map(|atom| atom.value),
                _ => None,
            }));
        }
        let mut found: Vec<ExprId> = found.into_iter().collect();
        found.sort_unstable();
        found
    }

    /// Finds the points: the start, all inputs, and where the cycles close that no input lies on.
    fn find_points(&mut self) -> Result<(), NotNative> {
        let entry = self.entry()?;
        self.points.push(Point { kind: PointKind::Start, location: entry });
        for edge in self.facts.reachable_edges().to_vec() {
            let data = &self.program().edges[edge];
            let reads = match &data.op {
                Op::Input { .. } => true,
                Op::Call { result, .. } => result.is_some(),
                _ => false,
            };
            let (from, span) = (data.from, data.span);
            let out = &self.program().locations[from].out;
            let is_branch = match out.as_slice() {
                [_] => true,
                [first, second] => self.is_branch(*first, *second),
                _ => false,
            };
            if !is_branch {
                return Err(NotNative::new("a choice between edges", Some(span)));
            }
            if reads {
                let domain = self.facts.domain(edge);
                let domain =
                    domain.map_err(|refused| NotNative::new(refused.reason(), refused.at.or(Some(refused.origin))))?;
                let domain = domain
                    .iter()
                    .map(|value| pattern(value).ok_or_else(|| NotNative::new("a large input", Some(span))));
                let domain = domain.collect::<Result<Vec<i64>, NotNative>>()?;
                self.add_point(from, PointKind::Input { edge, domain });
            }
        }
        for location in self.open_cycles(entry) {
            self.add_point(location, PointKind::Cycle);
        }
        Ok(())
    }

    fn add_point(&mut self, location: LocationId, kind: PointKind) {
        self.point_at.insert(location, self.points.len() as u32);
        self.points.push(Point { kind, location });
    }

    fn entry(&self) -> Result<LocationId, NotNative> {
        let entry = self.program().entry.and_then(|entry| self.program().functions[entry].entry);
        entry.ok_or_else(|| NotNative::new("a program without an entry", None))
    }

    /// Whether two edges are a branch: a condition and its negation.
    fn is_branch(&self, first: EdgeId, second: EdgeId) -> bool {
        self.branch(first, second).is_some()
    }

    /// The condition of a branch, and whether the first of its edges is the one for true.
    pub fn branch(&self, first: EdgeId, second: EdgeId) -> Option<(ExprId, bool)> {
        let program = self.program();
        let (Op::Assume(left), Op::Assume(right)) = (&program.edges[first].op, &program.edges[second].op) else {
            return None;
        };
        if program.exprs.get(*right).kind == ExprKind::Not(*left) || are_opposite(program, *left, *right) {
            return Some((*left, true));
        }
        (program.exprs.get(*left).kind == ExprKind::Not(*right)).then_some((*right, false))
    }

    /// The locations at which cycles close that pass no point.
    fn open_cycles(&self, entry: LocationId) -> Vec<LocationId> {
        let program = self.program();
        let is_point = |location: &LocationId| self.point_at.contains_key(location);
        let mut closing = Vec::new();
        let mut on_path: HashSet<LocationId> = HashSet::new();
        let mut visited: HashSet<LocationId> = HashSet::new();
        let roots = std::iter::once(entry).chain(self.points.iter().map(|point| point.location));
        for root in roots {
            if !visited.insert(root) {
                continue;
            }
            on_path.insert(root);
            let mut path = vec![(root, 0)];
            while let Some((location, next)) = path.last_mut() {
                let Some(&edge) = program.locations[*location].out.get(*next) else {
                    on_path.remove(location);
                    path.pop();
                    continue;
                };
                *next += 1;
                let to = program.edges[edge].to;
                if is_point(&to) || matches!(program.edges[edge].op, Op::Return(_) | Op::End(_) | Op::Unreachable) {
                    continue;
                }
                if on_path.contains(&to) {
                    if !closing.contains(&to) {
                        closing.push(to);
                    }
                } else if visited.insert(to) {
                    on_path.insert(to);
                    path.push((to, 0));
                }
            }
        }
        closing
    }

    /// Whether some way from a point to another, or to where control stays for ever, shows nothing.
    fn finds_silence(&self) -> bool {
        let program = self.program();
        for (index, point) in self.points.iter().enumerate() {
            if index == 0 {
                continue;
            }
            let mut open = vec![point.location];
            let mut seen: HashSet<LocationId> = HashSet::new();
            while let Some(location) = open.pop() {
                for &edge in &program.locations[location].out {
                    let to = program.edges[edge].to;
                    if self.is_observed(edge) || matches!(program.edges[edge].op, Op::Return(_) | Op::End(_)) {
                        continue;
                    }
                    if self.point_at.contains_key(&to) || program.locations[to].out.is_empty() {
                        return true;
                    }
                    if seen.insert(to) {
                        open.push(to);
                    }
                }
            }
        }
        false
    }

    /// The values at the start, as the interpreter finds them.
    fn find_initial(&mut self, semantics: Semantics) -> Result<(), NotNative> {
        let program = &self.prepared.program;
        let mut choices = SeededChoices::new(0);
        let mut interpreter = Interpreter::new(program, semantics, &mut choices);
        let started = program.entry.map(|entry| interpreter.start(entry));
        if !matches!(started, Some(Ok(()))) {
            return Err(NotNative::new("a program that cannot be started", None));
        }
        let peek = |variable: VariableId, offset_bits: u64, ty: TypeId| {
            let scalar = program.types.as_scalar(ty)?;
            let width_bits = program.types.size_bits(ty);
            let extent = Extent { object: ObjectId::Global(variable), offset_bits, width_bits };
            match interpreter.state.memory.peek(extent, scalar)? {
                Value::Int(value) => pattern(&value),
                Value::Bool(value) => Some(i64::from(value)),
                _ => None,
            }
        };
        let mut initial = vec![0; self.slots.len()];
        for (id, slot) in self.slots.iter() {
            let (Slot::Scalar { variable, .. } | Slot::Object { variable, .. }) = slot;
            let data = &program.variables[*variable];
            let is_global = matches!(data.kind, VariableKind::Global { .. } | VariableKind::Literal { .. });
            if !is_global {
                if self.facts.may_be_read_uninitialised(*variable) {
                    return Err(NotNative::new(
                        format!("`{}`, which may be read before it is set", data.name),
                        Some(data.span),
                    ));
                }
                continue;
            }
            let unknown =
                || NotNative::new(format!("`{}`, whose value at the start is not known", data.name), Some(data.span));
            match slot {
                Slot::Scalar { .. } => {
                    initial[id.index()] = peek(*variable, 0, data.ty).ok_or_else(unknown)?;
                }
                Slot::Object { bytes, offset, .. } => {
                    for byte in 0..*bytes {
                        let extent =
                            Extent { object: ObjectId::Global(*variable), offset_bits: byte * 8, width_bits: 8 };
                        let ty = Scalar::Int(program::IntType::unsigned(8));
                        let Some(Value::Int(value)) = interpreter.state.memory.peek(extent, ty) else {
                            return Err(unknown());
                        };
                        self.initial_memory[(offset + byte) as usize] = pattern(&value).ok_or_else(unknown)? as u8;
                    }
                }
            }
        }
        self.initial = initial;
        Ok(())
    }

    /// What the interpreter is answered when an input is given a value.
    pub fn answer(&self, edge: EdgeId, value: i64) -> Answer {
        let program = self.program();
        let ty = match &program.edges[edge].op {
            Op::Input { target, .. } => target.ty,
            Op::Call { result: Some(result), .. } => program.variables[*result].ty,
            _ => unreachable!("only inputs are answered"),
        };
        Answer::Value(match program.types.as_scalar(ty) {
            Some(Scalar::Bool) => Value::Bool(value != 0),
            Some(Scalar::Int(ty)) if !ty.signed => Value::int(value as u64),
            _ => Value::int(value),
        })
    }
}

/// Whether a value of this type fits a register.
fn is_supported(ty: Scalar) -> bool {
    match ty {
        Scalar::Bool => true,
        Scalar::Int(ty) => matches!(ty.bits, 8 | 16 | 32 | 64),
        Scalar::Float(_) | Scalar::Pointer => false,
    }
}

fn only_integers(program: &Program, ty: TypeId) -> bool {
    match program.types.get(ty) {
        Type::Scalar(scalar) => is_supported(*scalar),
        Type::Array { element, .. } => only_integers(program, *element),
        Type::Record(record) => record.fields.iter().all(|field| only_integers(program, field.ty)),
        Type::Opaque => false,
    }
}

/// Whether one comparison is the negation of the other.
fn are_opposite(program: &Program, left: ExprId, right: ExprId) -> bool {
    use program::CompareOp::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    let (ExprKind::Compare(op, a, b), ExprKind::Compare(other, c, d)) =
        (&program.exprs.get(left).kind, &program.exprs.get(right).kind)
    else {
        return false;
    };
    let pairs = [(Equal, NotEqual), (Less, GreaterEqual), (LessEqual, Greater)];
    let opposite = pairs.iter().any(|pair| *pair == (*op, *other) || *pair == (*other, *op));
    opposite && (a, b) == (c, d) && !matches!(program.exprs.ty(*a), Scalar::Float(_))
}

/// The 64-bit pattern of a number, if it has one.
pub fn pattern(value: &num_bigint::BigInt) -> Option<i64> {
    use num_traits::ToPrimitive;
    value.to_i64().or_else(|| value.to_u64().map(|value| value as i64))
}
