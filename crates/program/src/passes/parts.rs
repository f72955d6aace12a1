//! Which aggregate variables can be split into parts, and into which.
//!
//! A variable is split if only its name reaches it, at constant paths: records into their members, arrays into their
//! elements where every index into them is constant and inside. What cannot be split (unions, arrays with a computed
//! index) stays one part. Paths are followed by numbers: of a member, or of an element.

use std::collections::BTreeSet;

use foundation::collections::{HashMap, HashSet};

use super::facts::Facts;
use super::fold::Folder;
use super::prepared::Prepared;
use crate::cfa::{Op, Operand};
use crate::expr::{ExprId, ExprKind, Place, Root, Selector};
use crate::model::{Initial, InitialItem, Variable, VariableId, VariableKind};
use crate::semantics::ObserveMode;
use crate::types::{IntType, Scalar, Type, TypeId, Types};

/// Arrays of more elements than this are not split.
const MOST_ELEMENTS: u64 = 64;

/// Variables of more parts than this are not split.
const MOST_PARTS: usize = 256;

/// A split variable, or a part of one.
#[derive(Clone, Debug)]
pub(super) enum SplitPart {
    /// It is not split further.
    Whole {
        /// The new variable.
        variable: VariableId,
        /// Its type; for a bit-field, an integer of its width.
        ty: TypeId,
    },
    /// It is split into these, by the number of a member or element.
    Split(Vec<(u32, SplitPart)>),
}

impl SplitPart {
    /// All that is not split further, in the order of memory.
    pub(super) fn wholes(&self) -> Vec<(VariableId, TypeId)> {
        match self {
            SplitPart::Whole { variable, ty } => vec![(*variable, *ty)],
            SplitPart::Split(parts) => parts.iter().flat_map(|(_, part)| part.wholes()).collect(),
        }
    }

    /// The part with this number.
    pub(super) fn child(&self, number: u32) -> Option<&SplitPart> {
        match self {
            SplitPart::Whole { .. } => None,
            SplitPart::Split(parts) => parts.iter().find(|(own, _)| *own == number).map(|(_, part)| part),
        }
    }
}

/// The variables that are split, with their new parts, which are added to the program.
pub(super) fn split_variables(prepared: &mut Prepared) -> HashMap<VariableId, SplitPart> {
    let accesses = AggregateAccesses::of(prepared);
    let mut split = HashMap::default();
    for variable in accesses.candidates {
        let contents = prepared.program.variables[variable].clone();
        let mut maker = Maker { prepared, paths: &accesses.paths, variable: &contents, id: variable, made: Vec::new() };
        let Some(plan) = maker.plan(contents.ty, None, 0, &mut Vec::new(), &mut 0) else { continue };
        if matches!(plan, SplitPlan::Whole { .. }) {
            continue;
        }
        let Some(mut initial) = maker.initial_values(&plan) else { continue };
        let part = maker.make(&plan, &contents.name, &mut initial);
        let made = maker.made;
        if let Some(owner) = prepared.program.owner(variable) {
            let locals = &mut prepared.program.functions[owner].locals;
            let at = locals.iter().position(|local| *local == variable).unwrap_or(locals.len());
            locals.splice(at..(at + 1).min(locals.len()), made);
        }
        if let VariableKind::Global { initial: Initial::Values(items), .. } =
            &mut prepared.program.variables[variable].kind
        {
            items.clear();
        }
        split.insert(variable, part);
    }
    split
}

/// How the variables of aggregate type are accessed.
#[derive(Default)]
struct AggregateAccesses {
    /// The variables that may be split.
    candidates: BTreeSet<VariableId>,
    paths: ArrayPaths,
}

/// Arrays inside variables, by the path that leads to them.
#[derive(Default)]
struct ArrayPaths {
    /// Those into which some path leads.
    entered: HashSet<(VariableId, Vec<u32>)>,
    /// Those with a computed index, or one that is not inside.
    computed: HashSet<(VariableId, Vec<u32>)>,
}

impl AggregateAccesses {
    fn of(prepared: &mut Prepared) -> Self {
        let mut accesses = Self::default();
        for (id, variable) in prepared.program.variables.iter() {
            let named = matches!(
                variable.kind,
                VariableKind::Global { .. } | VariableKind::Local(_) | VariableKind::Temporary(_)
            );
            let aggregate = matches!(prepared.program.types.get(variable.ty), Type::Array { .. } | Type::Record(_));
            if named && aggregate && !variable.address_taken {
                accesses.candidates.insert(id);
            }
        }
        // Which object is written can be seen in this mode, and an object is a whole variable.
        if prepared.semantics.observe == ObserveMode::Change {
            for variable in prepared.atoms.named_variables() {
                accesses.candidates.remove(&variable);
            }
        }
        if accesses.candidates.is_empty() {
            return accesses;
        }
        let edges = std::mem::take(&mut prepared.program.edges);
        let mut folder = Folder::new(&mut prepared.program, prepared.semantics.integers, prepared.keep_overflow);
        let mut seen = HashSet::default();
        for edge in edges.values() {
            accesses.op(&mut folder, &edge.op);
            for expr in edge.op.expressions() {
                accesses.expr(&mut folder, expr, &mut seen);
            }
        }
        for expr in prepared.atoms.expressions() {
            accesses.expr(&mut folder, expr, &mut seen);
        }
        prepared.program.edges = edges;
        accesses
    }

    fn expr(&mut self, folder: &mut Folder<'_>, expr: ExprId, seen: &mut HashSet<ExprId>) {
        let mut open = vec![expr];
        while let Some(expr) = open.pop() {
            if !seen.insert(expr) {
                continue;
            }
            if let ExprKind::Load(place) = folder.program.exprs.get(expr).kind.clone() {
                self.place(folder, &place);
            }
            open.extend(folder.program.exprs.operands(expr));
        }
    }

    fn op(&mut self, folder: &mut Folder<'_>, op: &Op) {
        match op {
            Op::Assign { target, value: Operand::Scalar(_) } => {
                self.place(folder, target);
            }
            Op::Assign { target, value: Operand::Aggregate(source) } => {
                let (into, from) = (self.place(folder, target), self.place(folder, source));
                // To be copied part by part, both sides must be known, alike, and hold nothing of another type.
                let reached_by_name = |place: &Place| match place.root {
                    Root::Variable(variable) => !folder.program.variables[variable].address_taken,
                    Root::Pointer { .. } => false,
                };
                let plain = reached_by_name(target) && reached_by_name(source);
                if into != from || !plain {
                    for (place, known) in [(target, into), (source, from)] {
                        // What is not known lies in a part that is not split.
                        if known.is_some() {
                            self.keep_whole(place);
                        }
                    }
                }
            }
            Op::Input { target, .. } => {
                self.place(folder, target);
            }
            op => {
                op.places_read().for_each(|place| self.keep_whole(place));
                if let Some(result) = op.result() {
                    self.candidates.remove(&result);
                }
            }
        }
    }

    fn keep_whole(&mut self, place: &Place) {
        if let Root::Variable(variable) = place.root {
            self.candidates.remove(&variable);
        }
    }

    /// Notes a path, and returns the type to which it leads if that is a constant path inside its variable, and not in
    /// a union.
    fn place(&mut self, folder: &mut Folder<'_>, place: &Place) -> Option<TypeId> {
        let Root::Variable(variable) = place.root else { return None };
        let mut ty = folder.program.variables[variable].ty;
        let mut path = Vec::new();
        for step in &place.path {
            match (step, folder.program.types.get(ty)) {
                (Selector::Field(_), Type::Record(record)) if record.is_union => return None,
                (Selector::Field(number), Type::Record(record)) => {
                    ty = record.fields[*number as usize].ty;
                    path.push(*number);
                }
                (Selector::Index(index), &Type::Array { element, length }) => {
                    self.paths.entered.insert((variable, path.clone()));
                    folder.turn_to_other_facts();
                    match folder.index_of(*index, &Facts::default()).filter(|&index| index < length) {
                        Some(index) if index < MOST_ELEMENTS => path.push(index as u32),
                        Some(_) | None => {
                            self.paths.computed.insert((variable, path));
                            return None;
                        }
                    }
                    ty = element;
                }
                _ => unreachable!("paths follow types"),
            }
        }
        Some(ty)
    }
}

/// How a variable is to be split.
enum SplitPlan {
    Whole { offset_bits: u64, width_bits: u64, ty: TypeId },
    Split(Vec<(u32, String, SplitPlan)>),
}

impl SplitPlan {
    /// What is not split further: offset, width and type.
    fn wholes(&self, found: &mut Vec<(u64, u64, TypeId)>) {
        match self {
            &SplitPlan::Whole { offset_bits, width_bits, ty } => found.push((offset_bits, width_bits, ty)),
            SplitPlan::Split(parts) => parts.iter().for_each(|(_, _, part)| part.wholes(found)),
        }
    }
}

/// Makes the parts of one variable.
struct Maker<'a> {
    prepared: &'a mut Prepared,
    paths: &'a ArrayPaths,
    variable: &'a Variable,
    id: VariableId,
    made: Vec<VariableId>,
}

impl Maker<'_> {
    /// How the part at a path is split; none if there would be too many parts.
    fn plan(
        &mut self,
        ty: TypeId,
        bit_width: Option<u16>,
        offset_bits: u64,
        path: &mut Vec<u32>,
        parts: &mut usize,
    ) -> Option<SplitPlan> {
        let splits_array = self.splits_array(path);
        let types = &mut self.prepared.program.types;
        let mut children = Vec::new();
        match types.get(ty).clone() {
            Type::Record(record) if !record.is_union => {
                for (number, field) in record.fields.iter().enumerate() {
                    if field.bit_width != Some(0) {
                        let name = if field.name.is_empty() { String::new() } else { format!(".{}", field.name) };
                        let child = (field.ty, field.bit_width, offset_bits + field.offset_bits);
                        children.push((number as u32, name, child));
                    }
                }
            }
            Type::Array { element, length } if length <= MOST_ELEMENTS && splits_array => {
                let stride = types.size_bits(element);
                for index in 0..length {
                    children.push((index as u32, format!("[{index}]"), (element, None, offset_bits + index * stride)));
                }
            }
            Type::Scalar(scalar) => {
                *parts += 1;
                let ty = match (scalar, bit_width) {
                    (Scalar::Int(int), Some(bits)) => types.scalar(Scalar::Int(IntType { bits, ..int })),
                    _ => ty,
                };
                let width_bits = bit_width.map_or_else(|| types.size_bits(ty), u64::from);
                return Some(SplitPlan::Whole { offset_bits, width_bits, ty });
            }
            Type::Array { .. } | Type::Record(_) | Type::Opaque => {
                *parts += 1;
                return Some(SplitPlan::Whole { offset_bits, width_bits: types.size_bits(ty), ty });
            }
        }
        if children.is_empty() {
            // That a record without members is written can be seen, too.
            *parts += 1;
            return Some(SplitPlan::Whole { offset_bits, width_bits: types.size_bits(ty), ty });
        }
        let mut split = Vec::with_capacity(children.len());
        for (number, name, (ty, bit_width, offset_bits)) in children {
            path.push(number);
            let child = self.plan(ty, bit_width, offset_bits, path, parts)?;
            path.pop();
            if *parts > MOST_PARTS {
                return None;
            }
            split.push((number, name, child));
        }
        Some(SplitPlan::Split(split))
    }

    fn splits_array(&self, path: &[u32]) -> bool {
        let key = (self.id, path.to_vec());
        self.paths.entered.contains(&key) && !self.paths.computed.contains(&key)
    }

    /// The initial values by the offset of the part that they lie in; none if one lies in no part, or is not all of a
    /// part that is a scalar.
    fn initial_values(&mut self, plan: &SplitPlan) -> Option<HashMap<u64, Vec<InitialItem>>> {
        let VariableKind::Global { initial: Initial::Values(items), .. } = &self.variable.kind else {
            return Some(HashMap::default());
        };
        let mut wholes = Vec::new();
        plan.wholes(&mut wholes);
        wholes.retain(|&(_, width_bits, _)| width_bits > 0);
        wholes.sort_unstable();
        let program = &mut self.prepared.program;
        let mut found: HashMap<u64, Vec<InitialItem>> = HashMap::default();
        for item in items {
            let before = wholes.partition_point(|&(offset_bits, ..)| offset_bits <= item.offset_bits);
            let (offset_bits, width_bits, ty) = wholes[before.checked_sub(1)?];
            if item.offset_bits + item.width_bits > offset_bits + width_bits {
                return None;
            }
            let new = match program.types.as_scalar(ty) {
                None => InitialItem { offset_bits: item.offset_bits - offset_bits, ..item.clone() },
                Some(wanted) => {
                    let alike = match (program.exprs.ty(item.value), wanted) {
                        (Scalar::Int(given), Scalar::Int(wanted)) => given.signed == wanted.signed,
                        (given, wanted) => given == wanted,
                    };
                    if item.width_bits != width_bits || !alike {
                        return None;
                    }
                    let value = program.exprs.cast(item.value, wanted);
                    InitialItem { offset_bits: 0, width_bits: program.types.size_bits(ty), value }
                }
            };
            found.entry(offset_bits).or_default().push(new);
        }
        Some(found)
    }

    fn make(&mut self, plan: &SplitPlan, name: &str, initial: &mut HashMap<u64, Vec<InitialItem>>) -> SplitPart {
        match plan {
            SplitPlan::Split(parts) => {
                let parts = parts.iter().map(|(number, own, part)| {
                    let part = self.make(part, &format!("{name}{own}"), initial);
                    (*number, part)
                });
                SplitPart::Split(parts.collect())
            }
            &SplitPlan::Whole { offset_bits, width_bits, ty } => {
                let kind = match &self.variable.kind {
                    VariableKind::Global { initial: Initial::Values(_), declared_in } => {
                        let items = if width_bits > 0 { initial.remove(&offset_bits) } else { None };
                        let initial = Initial::Values(items.unwrap_or_default());
                        VariableKind::Global { initial, declared_in: *declared_in }
                    }
                    other => other.clone(),
                };
                let (name, span) = (name.to_owned(), self.variable.span);
                let new = Variable { name, kind, ty, address_taken: false, span };
                let variable = self.prepared.program.variables.push(new);
                self.prepared.back.add_part(variable, self.id, offset_bits);
                self.made.push(variable);
                SplitPart::Whole { variable, ty }
            }
        }
    }
}

/// The members or elements of an aggregate, by their numbers.
pub(super) fn children(types: &Types, ty: TypeId) -> Vec<(u32, TypeId)> {
    match types.get(ty) {
        Type::Record(record) => {
            let fields = record.fields.iter().enumerate().filter(|(_, field)| field.bit_width != Some(0));
            fields.map(|(number, field)| (number as u32, field.ty)).collect()
        }
        Type::Array { element, length } => (0..*length as u32).map(|index| (index, *element)).collect(),
        Type::Scalar(_) | Type::Opaque => Vec::new(),
    }
}
