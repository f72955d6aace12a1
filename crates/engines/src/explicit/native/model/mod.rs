//! What is compiled: a sequential program without calls, whose variables are scalars and objects of known layout.
//!
//! Control is followed from *point* to point. Points are the program's start, the places where an input is read, and
//! one place on every cycle that has no input; between two points the program is a directed acyclic graph and asks
//! nothing, so that a state at a point and the number of an input value determine what happens up to the next point.
//! Only states at points are stored.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `supported` | which variables there are, and whether all that is done with them can be compiled |
//! | `points` | where the points lie |
//! | `choice` | whether it is decided which of several edges is taken |
//! | `start` | the values at the start |

mod choice;
mod points;
mod start;
mod supported;

use foundation::collections::{HashMap, HashSet};
use foundation::{Arena, Id, Span, define_id};
use program::passes::prepared::Prepared;
use program::semantics::{Answer, Integers, ObserveMode, Semantics, UndefinedMode, Value};
use program::{Atom, EdgeId, ExprId, LocationId, Op, Program, Scalar, VariableId};
use task::{Negation, Task};

use super::facts::PreparedFacts;

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
pub struct NativeModel {
    /// The program, in which the entry function calls nothing that has a body.
    pub prepared: Prepared,
    /// What integers are.
    pub integers: Integers,
    /// Whether undefined behaviour blocks a run instead of ending it.
    pub undefined_blocks: bool,
    /// Whether letters may be repeated and left out.
    pub stutter_invariant: bool,
    /// How many atoms a letter has.
    pub letter_bits: u32,
    /// The points, the start first.
    pub points: Vec<Point>,
    /// The points by their locations; the start is not among them.
    pub point_at: HashMap<LocationId, u32>,
    /// The variables.
    pub slots: Arena<SlotId, Slot>,
    /// The variables by those of the program.
    pub slot_of: HashMap<VariableId, SlotId>,
    /// By slot: the value of a scalar at the start.
    pub initial: Vec<i64>,
    /// The memory at the start.
    pub initial_memory: Vec<u8>,
    /// Whether there may be steps in which nothing is observed.
    pub may_be_silent: bool,
    read_by_atoms: Vec<bool>,
    joints: HashSet<LocationId>,
    facts: PreparedFacts,
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
pub enum AtomTruth {
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

impl NativeModel {
    /// The model of a prepared program.
    pub fn new(task: &Task, negation: &Negation, prepared: Prepared, facts: PreparedFacts) -> Result<Self, NotNative> {
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
            undefined_blocks: undefined == UndefinedMode::Assume,
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
        self.mode.may_see(self.program().edges[edge].observe)
    }

    /// The truth of the atoms of a letter, bit by bit, in a state that control has come to by an edge (none at the
    /// start), or at whose edge it stops.
    pub fn letter_at(&self, edge: Option<EdgeId>, moment: Moment) -> Vec<AtomTruth> {
        let location = match (edge, moment) {
            (None, _) => self.prepared.start(),
            (Some(edge), Moment::Passing) => self.program().edges[edge].to,
            (Some(edge), _) => self.program().edges[edge].from,
        };
        let seen = self.prepared.atoms_at(location);
        let truth = |kind: &AtomKind| match *kind {
            AtomKind::End => AtomTruth::Constant(matches!(moment, Moment::End | Moment::Returned)),
            AtomKind::Error => AtomTruth::Constant(moment == Moment::Error),
            AtomKind::Never => AtomTruth::Constant(false),
            AtomKind::State { local: true, .. } if moment == Moment::Returned => AtomTruth::Constant(false),
            AtomKind::State { index, .. } => match &seen[index] {
                None => AtomTruth::Constant(false),
                Some(atom) => AtomTruth::Expr(atom.value),
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

    /// The expressions of the property's atoms, from wherever they are looked at.
    fn goal_expressions(&self) -> Vec<ExprId> {
        let mut found = HashSet::default();
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
}

/// The 64-bit pattern of a number, if it has one.
pub fn pattern(value: &num_bigint::BigInt) -> Option<i64> {
    use num_traits::ToPrimitive;
    value.to_i64().or_else(|| value.to_u64().map(|value| value as i64))
}
