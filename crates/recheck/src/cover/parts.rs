//! The parts of variables of which a cover may speak: scalars that nothing reaches but their own name.

use foundation::Id;
use foundation::collections::HashMap;
use program::{
    ExprId, ExprKind, Initial, Place, Program, Root, Scalar, Selector, Type, TypeId, VariableId, VariableKind,
};
use task::certificate::cover::Part;

/// Variables with more parts than this have none.
const MOST_PARTS: usize = 256;

/// A part.
#[derive(Clone, Copy, Debug)]
pub(super) struct PartContents {
    /// What its values are.
    pub ty: Scalar,
    /// Whether it stands for the elements of an array, so that a write may be to another one.
    pub many: bool,
    /// Where it begins in the variable; of an array, in the first element.
    offset_bits: u64,
    /// How many bits it has.
    width_bits: u64,
}

/// All parts of a program's variables.
pub(super) struct Parts {
    all: Vec<PartContents>,
    /// By variable: where its parts begin and end.
    of: Vec<(usize, usize)>,
    /// The number of parts of each type; none where parts overlap.
    counts: HashMap<TypeId, Option<usize>>,
}

impl Parts {
    /// Those of a program; the atoms are evaluated, too.
    pub fn new(program: &Program, atoms: &[ExprId]) -> Self {
        // Whatever has its address taken anywhere may be written by other names.
        let mut has_other_names = vec![false; program.variables.len()];
        for expr in program.exprs.below(evaluated(program, atoms)) {
            if let ExprKind::AddressOf(Place { root: Root::Variable(variable), .. }) = program.exprs.get(expr).kind {
                has_other_names[variable.index()] = true;
            }
        }
        let mut parts = Self { all: Vec::new(), of: Vec::new(), counts: HashMap::default() };
        for (variable, contents) in program.variables.iter() {
            let begin = parts.all.len();
            let is_literal = matches!(contents.kind, VariableKind::Literal { .. });
            if !has_other_names[variable.index()] && !is_literal {
                let count = parts.count(program, contents.ty);
                if count.is_some_and(|count| count <= MOST_PARTS) {
                    parts.add(program, contents.ty, None, 0, false);
                }
            }
            parts.of.push((begin, parts.all.len()));
        }
        parts
    }

    pub fn len(&self) -> usize {
        self.all.len()
    }

    pub fn get(&self, part: usize) -> PartContents {
        self.all[part]
    }

    /// The parts of a variable: where they begin and end.
    pub fn of_variable(&self, variable: VariableId) -> (usize, usize) {
        self.of[variable.index()]
    }

    /// The part that a certificate names.
    pub fn named(&self, part: Part) -> Option<usize> {
        let &(begin, end) = self.of.get(part.variable.index())?;
        Some(begin + part.number as usize).filter(|found| *found < end)
    }

    /// The parts of a place: where they begin and end. None if it has none.
    pub fn of_place(&self, program: &Program, place: &Place) -> Option<(usize, usize)> {
        let Root::Variable(variable) = place.root else { return None };
        let (begin, end) = self.of_variable(variable);
        if begin == end {
            return None;
        }
        let (mut ty, mut first) = (program.variables[variable].ty, begin);
        for selector in &place.path {
            match (selector, program.types.get(ty)) {
                (Selector::Field(number), Type::Record(record)) => {
                    for field in &record.fields[..*number as usize] {
                        first += self.counts.get(&field.ty).copied().flatten()?;
                    }
                    ty = record.fields[*number as usize].ty;
                }
                (Selector::Index(_), Type::Array { element, .. }) => ty = *element,
                _ => return None,
            }
        }
        if ty != place.ty {
            return None;
        }
        Some((first, first + self.counts.get(&ty).copied().flatten()?))
    }

    /// The part that a place of scalar type is, or is an element of.
    pub fn of_scalar(&self, program: &Program, place: &Place) -> Option<usize> {
        program.types.as_scalar(place.ty)?;
        self.of_place(program, place).map(|(part, _)| part)
    }

    /// The part of a variable that an initial value is for.
    pub fn at_offset(&self, program: &Program, variable: VariableId, offset_bits: u64) -> Option<usize> {
        let (begin, end) = self.of_variable(variable);
        let offset = offset_in_elements(program, program.variables[variable].ty, offset_bits)?;
        (begin..end).find(|&part| {
            let PartContents { offset_bits, width_bits, .. } = self.all[part];
            (offset_bits..offset_bits + width_bits).contains(&offset)
        })
    }

    fn count(&mut self, program: &Program, ty: TypeId) -> Option<usize> {
        if let Some(known) = self.counts.get(&ty) {
            return *known;
        }
        let count = match program.types.get(ty) {
            Type::Scalar(_) => Some(1),
            Type::Array { element, length } if *length > 0 => self.count(program, *element),
            Type::Record(record) if !record.is_union => {
                let mut sum = Some(0_usize);
                for field in &record.fields {
                    // An array of no or one element may go on behind its end, into what follows.
                    let goes_on = matches!(program.types.get(field.ty), Type::Array { length: 0 | 1, .. });
                    let more = if goes_on { None } else { self.count(program, field.ty) };
                    sum = sum.zip(more).map(|(sum, more)| sum.saturating_add(more));
                }
                sum
            }
            Type::Array { .. } | Type::Record(_) | Type::Opaque => None,
        };
        self.counts.insert(ty, count);
        count
    }

    fn add(&mut self, program: &Program, ty: TypeId, bits: Option<u16>, offset_bits: u64, many: bool) {
        match program.types.get(ty) {
            Type::Scalar(scalar) => {
                let width_bits = bits.map_or(program.types.size_bits(ty), u64::from);
                let ty = program::semantics::layout::type_of_width(*scalar, width_bits);
                self.all.push(PartContents { ty, many, offset_bits, width_bits });
            }
            Type::Array { element, length } => self.add(program, *element, None, offset_bits, many || *length > 1),
            Type::Record(record) => {
                for field in &record.fields {
                    self.add(program, field.ty, field.bit_width, offset_bits + field.offset_bits, many);
                }
            }
            Type::Opaque => unreachable!("types that are counted have parts"),
        }
    }
}

/// What is evaluated at any time.
fn evaluated(program: &Program, atoms: &[ExprId]) -> Vec<ExprId> {
    let edges = program.edges.values().flat_map(|edge| edge.op.expressions());
    let initial = program.variables.values().flat_map(|variable| match &variable.kind {
        VariableKind::Global { initial: Initial::Values(items), .. }
        | VariableKind::Literal { initial: Initial::Values(items) } => items.as_slice(),
        _ => &[],
    });
    edges.chain(initial.map(|item| item.value)).chain(atoms.iter().copied()).collect()
}

/// An offset, moved into the first element of every array that it lies in.
fn offset_in_elements(program: &Program, ty: TypeId, offset_bits: u64) -> Option<u64> {
    match program.types.get(ty) {
        Type::Array { element, .. } => {
            let inside = offset_bits.checked_rem(program.types.size_bits(*element))?;
            offset_in_elements(program, *element, inside)
        }
        Type::Record(record) => {
            let holds = |field: &&program::Field| {
                let width = field.bit_width.map_or_else(|| program.types.size_bits(field.ty), u64::from);
                (field.offset_bits..field.offset_bits + width).contains(&offset_bits)
            };
            let field = record.fields.iter().find(holds)?;
            if field.bit_width.is_some() {
                return Some(offset_bits);
            }
            Some(field.offset_bits + offset_in_elements(program, field.ty, offset_bits - field.offset_bits)?)
        }
        _ => Some(offset_bits),
    }
}
