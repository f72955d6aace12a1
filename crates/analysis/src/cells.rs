//! The parts of variables that analyses follow: *cells*.
//!
//! A scalar variable is one cell. A record has one for each scalar in it, an array one for all its elements together
//! (array smashing: Blanchet et al., "A static analyzer for large safety-critical software", PLDI 2003). Followed are
//! variables that no pointer can reach: their cells are read and written by name only. Unions, and records with arrays
//! that may go on behind their end, have no cells, since their parts overlap.

use std::ops::Range;

use foundation::collections::HashMap;
use foundation::{Arena, Id, define_id};
use program::semantics::layout::type_of_width;
use program::{Place, Program, Root, Scalar, Selector, Type, TypeId, Variable, VariableId, VariableKind};

define_id! {
    /// A part of a variable that is followed.
    CellId
}

/// A part of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cell {
    /// The variable that it is a part of.
    pub variable: VariableId,
    /// The type of its values; for a bit-field, an integer of its width.
    pub scalar: Scalar,
    /// Whether it stands for several elements of an array, so that writing one leaves the others.
    pub many: bool,
}

/// A variable with more parts than this has no cells.
const MOST_PARTS: usize = 256;

/// All cells of a program.
#[derive(Clone, Debug)]
pub struct Cells {
    cells: Arena<CellId, Cell>,
    /// The cells of each variable that has any.
    whole: Vec<Option<Range<usize>>>,
    /// The number of parts of each type; none for types without cells.
    parts: HashMap<TypeId, Option<usize>>,
}

impl Cells {
    /// The cells of a program.
    pub fn new(program: &Program) -> Self {
        Self::of_those(program, &|variable| !variable.address_taken)
    }

    /// The same with the variables that pointers may reach: right only where nothing is written through a pointer.
    pub(crate) fn of_all(program: &Program) -> Self {
        Self::of_those(program, &|_| true)
    }

    fn of_those(program: &Program, wanted: &dyn Fn(&Variable) -> bool) -> Self {
        let mut all = Self { cells: Arena::new(), whole: Vec::new(), parts: HashMap::default() };
        for (id, variable) in program.variables.iter() {
            let followed = wanted(variable) && !matches!(variable.kind, VariableKind::Literal { .. });
            let parts = if followed { all.count(program, variable.ty) } else { None };
            let has_cells = parts.is_some_and(|parts| 0 < parts && parts <= MOST_PARTS);
            let begin = all.cells.len();
            all.whole.push(parts.filter(|_| has_cells).map(|parts| begin..begin + parts));
            if has_cells {
                all.add(program, id, variable.ty, None, false);
            }
        }
        all
    }

    /// Which part of which variable a cell is.
    pub fn get(&self, cell: CellId) -> &Cell {
        &self.cells[cell]
    }

    /// The number of cells.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// All cells, those of one variable side by side.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = CellId> + use<> {
        self.cells.ids()
    }

    /// The cells of a variable, in the order of its parts; none if it has no cells.
    pub fn of_variable(&self, variable: VariableId) -> Option<Range<usize>> {
        self.whole[variable.index()].clone()
    }

    /// The cells of a place, in the order of its parts; none if it has no cells.
    pub fn of_place(&self, program: &Program, place: &Place) -> Option<Range<usize>> {
        let Root::Variable(variable) = place.root else { return None };
        if place.path.is_empty() && place.ty == program.variables[variable].ty {
            return self.whole[variable.index()].clone();
        }
        let (mut ty, mut offset) = (program.variables[variable].ty, 0);
        for step in &place.path {
            match (step, program.types.get(ty)) {
                (Selector::Field(number), Type::Record(record)) => {
                    for field in &record.fields[..*number as usize] {
                        offset += self.known_count(field.ty)?;
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
        let begin = self.whole[variable.index()].as_ref()?.start + offset;
        Some(begin..begin + self.known_count(ty)?)
    }

    /// The cell that a place of scalar type is, or belongs to.
    pub fn of_scalar(&self, program: &Program, place: &Place) -> Option<CellId> {
        program.types.as_scalar(place.ty)?;
        self.of_place(program, place).map(|cells| CellId::from_index(cells.start))
    }

    /// The cell that begins so many bits from the beginning of a variable.
    pub fn at_offset(&self, program: &Program, variable: VariableId, offset_bits: u64) -> Option<CellId> {
        let first = self.whole[variable.index()].as_ref()?.start;
        let (mut ty, mut part, mut offset) = (program.variables[variable].ty, 0, offset_bits);
        loop {
            match program.types.get(ty) {
                Type::Scalar(_) => return Some(CellId::from_index(first + part)),
                Type::Array { element, .. } => {
                    offset = offset.checked_rem(program.types.size_bits(*element))?;
                    ty = *element;
                }
                Type::Record(record) => {
                    let holds = |field: &program::Field| {
                        let width = field.bit_width.map_or_else(|| program.types.size_bits(field.ty), u64::from);
                        field.offset_bits <= offset && offset < field.offset_bits + width
                    };
                    let number = record.fields.iter().position(holds)?;
                    for field in &record.fields[..number] {
                        part += self.known_count(field.ty)?;
                    }
                    offset -= record.fields[number].offset_bits;
                    ty = record.fields[number].ty;
                }
                Type::Opaque => return None,
            }
        }
    }

    fn known_count(&self, ty: TypeId) -> Option<usize> {
        self.parts.get(&ty).copied().flatten()
    }

    /// The number of parts of a type; none for a type whose parts may overlap.
    fn count(&mut self, program: &Program, ty: TypeId) -> Option<usize> {
        if let Some(known) = self.parts.get(&ty) {
            return *known;
        }
        let count = match program.types.get(ty) {
            Type::Scalar(_) => Some(1),
            Type::Array { element, length } if *length > 0 => self.count(program, *element),
            Type::Record(record) if !record.is_union => record.fields.iter().try_fold(0usize, |sum, field| {
                let open_ended = matches!(program.types.get(field.ty), Type::Array { length: 0 | 1, .. });
                if open_ended { None } else { Some(sum.saturating_add(self.count(program, field.ty)?)) }
            }),
            Type::Array { .. } | Type::Record(_) | Type::Opaque => None,
        };
        self.parts.insert(ty, count);
        count
    }

    fn add(&mut self, program: &Program, variable: VariableId, ty: TypeId, bits: Option<u16>, many: bool) {
        match program.types.get(ty) {
            Type::Scalar(scalar) => {
                let scalar = bits.map_or(*scalar, |bits| type_of_width(*scalar, u64::from(bits)));
                self.cells.push(Cell { variable, scalar, many });
            }
            Type::Array { element, length } => self.add(program, variable, *element, None, many || *length > 1),
            Type::Record(record) => {
                for field in &record.fields {
                    self.add(program, variable, field.ty, field.bit_width, many);
                }
            }
            Type::Opaque => unreachable!("only types with parts have cells"),
        }
    }
}
