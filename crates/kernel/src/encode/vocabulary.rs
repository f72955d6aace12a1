//! Declared symbols and addresses, checked: whoever wrote them may be wrong.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use foundation::Id;
use logic::{Sort, Symbol, Term, Terms};
use num_bigint::BigInt;
use num_traits::{One, ToPrimitive, Zero};
use program::passes::Prepared;
use program::semantics::Integers;
use program::semantics::arithmetic::{largest, smallest};
use program::semantics::layout::leaves;
use program::{Constant, EdgeId, ExprId, ExprKind, Initial, Op, Program, Scalar, VariableKind};

use super::evaluation::Evaluation;
use super::{CellName, Declaration, Encoding, ObjectAddress, ObjectName};
use program::lifetimes::Lifetimes;

/// Arrays of more scalars than this get no symbol.
const MOST_POSITIONS: u64 = 1 << 16;

/// Integers of more bits than this get no symbol.
const WIDEST_INTEGER_BITS: u16 = 128;

/// A cell with its symbol.
pub(super) struct Tracked {
    pub symbol: Symbol,
    pub cell: CellName,
    /// For many scalars, their byte offsets, in ascending order.
    pub positions: Vec<u64>,
}

/// An object with an address.
pub(super) struct Placed {
    pub object: ObjectName,
    pub base: BigInt,
    /// In bytes.
    pub size: u64,
}

/// The numbers of addresses.
pub(super) struct Addresses {
    pub placed: Vec<Placed>,
    /// From here on lie the addresses of objects without a declared one.
    pub beyond: BigInt,
    /// The least distance between two regions in which offsets of one object stay.
    pub gap: BigInt,
    /// Whether pointers may reach an object without a declared address.
    pub has_strangers: bool,
    /// Whether a pointer beyond may be dangling.
    pub has_mortal_strangers: bool,
    /// Whether pointers may reach device registers.
    pub has_registers: bool,
    /// Whether there are pointers to functions.
    pub has_functions: bool,
}

impl Addresses {
    /// Whether a pointer may have the address of any object at all.
    pub fn has_objects(&self) -> bool {
        self.has_strangers || !self.placed.is_empty()
    }
}

impl<'a> Encoding<'a> {
    /// Checks declarations and gives them symbols.
    pub fn new(
        prepared: &'a Prepared,
        terms: &'a Terms,
        declarations: &[Declaration],
        addresses: &[ObjectAddress],
    ) -> Result<Self, String> {
        refuse(prepared)?;
        let mut encoding = Self {
            prepared,
            terms,
            cells: Vec::new(),
            of_object: BTreeMap::new(),
            of_name: BTreeMap::new(),
            addresses: Addresses {
                placed: Vec::new(),
                beyond: BigInt::zero(),
                gap: BigInt::zero(),
                has_strangers: true,
                has_mortal_strangers: true,
                has_registers: true,
                has_functions: true,
            },
            lifetimes: Lifetimes::new(prepared),
            approximated: RefCell::default(),
        };
        for declaration in declarations {
            encoding.declare(declaration).map_err(|reason| format!("`{}`: {reason}", declaration.name))?;
        }
        encoding.addresses = encoding.place(addresses)?;
        encoding.approximated.borrow_mut().clear();
        Ok(encoding)
    }

    pub(super) fn program(&self) -> &'a Program {
        &self.prepared.program
    }

    pub(super) fn is_machine(&self) -> bool {
        self.prepared.semantics.integers == Integers::Machine
    }

    /// The cells of an object.
    pub(super) fn cells_of(&self, object: ObjectName) -> impl Iterator<Item = &Tracked> {
        self.of_object.get(&object).into_iter().flatten().map(|&index| &self.cells[index])
    }

    /// The width of a scalar in memory.
    pub(super) fn bits(&self, scalar: Scalar) -> u64 {
        self.program().types.scalar_bits(scalar)
    }

    /// What holds of every value of a type that lies in memory.
    pub(super) fn range_of(&self, scalar: Scalar, term: Term) -> Term {
        match scalar {
            Scalar::Int(ty) if self.is_machine() => self.between(&smallest(ty), term, &largest(ty)),
            _ => self.terms.truth(true),
        }
    }

    pub(super) fn between(&self, low: &BigInt, term: Term, high: &BigInt) -> Term {
        let terms = self.terms;
        terms.and([
            terms.less_equal(terms.integer(low.clone()), term),
            terms.less_equal(term, terms.integer(high.clone())),
        ])
    }

    /// The size of an object in bytes.
    pub(super) fn size(&self, object: ObjectName) -> Result<u64, String> {
        let program = self.program();
        let size = match object {
            ObjectName::Variable(variable) => match program.variables.get(variable) {
                None => Err("there is no such variable".to_owned()),
                Some(variable) => Ok(program.types.size_bits(variable.ty).div_ceil(8)),
            },
            ObjectName::Heap(edge) => {
                let Some(Op::Allocate { size, .. }) = program.edges.get(edge).map(|edge| &edge.op) else {
                    return Err("there is no such allocation".to_owned());
                };
                if is_on_cycle(program, edge) {
                    return Err("the allocation may be reached again".to_owned());
                }
                self.constant(edge, *size).ok_or_else(|| "the size of the allocation is not constant".to_owned())
            }
        }?;
        // Offsets inside of a larger object wrap.
        let fits = size <= program.types.data_model().most_bytes();
        if fits { Ok(size) } else { Err("the object is too large".to_owned()) }
    }

    fn constant(&self, edge: EdgeId, expr: ExprId) -> Option<u64> {
        let edge = &self.program().edges[edge];
        let mut evaluation = Evaluation::new(self, edge.from, edge.span);
        let encoded = evaluation.encode(expr);
        self.terms.as_integer(encoded.value.term)?.to_u64()
    }

    fn declare(&mut self, declaration: &Declaration) -> Result<(), String> {
        let Declaration { name, cell } = declaration;
        if self.of_name.contains_key(name) {
            return Err("declared twice".to_owned());
        }
        let sort_of = |scalar: Scalar| match scalar {
            Scalar::Bool => Ok(Sort::Bool),
            Scalar::Int(ty) if ty.bits == 0 || ty.bits > WIDEST_INTEGER_BITS => Err("no such integer".to_owned()),
            Scalar::Int(_) | Scalar::Pointer => Ok(Sort::Int),
            Scalar::Float(_) => Err("floating-point numbers are not tracked".to_owned()),
        };
        let (object, sort, positions) = match *cell {
            CellName::One { object, offset, scalar } => {
                let sort = sort_of(scalar)?;
                let end = offset.checked_add(self.bits(scalar));
                if end.is_none_or(|end| end > self.size(object).map_or(0, |size| size.saturating_mul(8))) {
                    self.size(object)?;
                    return Err("the cell lies outside its object".to_owned());
                }
                (object, sort, Vec::new())
            }
            CellName::Many { object, scalar, unit } => {
                let sort = Sort::array(Sort::Int, sort_of(scalar)?);
                (object, sort, self.positions(object, scalar, unit)?)
            }
            CellName::Alive(object @ ObjectName::Heap(_)) => {
                self.size(object)?;
                (object, Sort::Bool, Vec::new())
            }
            CellName::Alive(_) => return Err("only heap objects are said to be alive".to_owned()),
        };
        let symbol = self.terms.symbol(name, sort);
        self.of_name.insert(name.clone(), self.cells.len());
        self.of_object.entry(object).or_default().push(self.cells.len());
        self.cells.push(Tracked { symbol, cell: *cell, positions });
        Ok(())
    }

    /// The byte offsets of the scalars of a type in an object.
    fn positions(&self, object: ObjectName, scalar: Scalar, unit: u64) -> Result<Vec<u64>, String> {
        let (size, bytes) = (self.size(object)?, self.bits(scalar) / 8);
        if unit == 0 || bytes == 0 || !self.bits(scalar).is_multiple_of(8) {
            return Err("an array of such cells makes no sense".to_owned());
        }
        let mut positions: Vec<u64> = match object {
            ObjectName::Heap(_) if size / bytes > MOST_POSITIONS => return Err("it has too many elements".to_owned()),
            ObjectName::Heap(_) => (0..size / bytes).map(|at| at * bytes).collect(),
            ObjectName::Variable(variable) => {
                let program = self.program();
                if size > 64 * MOST_POSITIONS {
                    return Err("it has too many elements".to_owned());
                }
                let leaves = leaves(&program.types, program.variables[variable].ty)
                    .map_err(|_| "it has too many elements".to_owned())?;
                let fitting = leaves.into_iter().filter(|leaf| {
                    leaf.scalar == scalar && leaf.width_bits == bytes * 8 && leaf.offset_bits.is_multiple_of(8)
                });
                fitting.map(|leaf| leaf.offset_bits / 8).collect::<BTreeSet<u64>>().into_iter().collect()
            }
        };
        positions.retain(|at| at.is_multiple_of(unit));
        if positions.len() as u64 > MOST_POSITIONS {
            return Err("it has too many elements".to_owned());
        }
        if positions.windows(2).any(|pair| pair[0] + bytes > pair[1]) {
            return Err("its elements overlap".to_owned());
        }
        Ok(positions)
    }

    fn place(&self, addresses: &[ObjectAddress]) -> Result<Addresses, String> {
        let program = self.program();
        let pointer_bits = program.types.data_model().pointer_bits();
        let (space, half) = (BigInt::one() << pointer_bits, BigInt::one() << (pointer_bits - 1));
        let mut placed: Vec<Placed> = Vec::new();
        // The regions in which the numbers of offsets lie; the first one is that of a machine's own numbers.
        let mut regions: Vec<(BigInt, BigInt)> = vec![(BigInt::zero(), space.clone())];
        for ObjectAddress { object, base } in addresses {
            let size = self.size(*object).map_err(|reason| format!("an address: {reason}"))?;
            if placed.iter().any(|other| other.object == *object) {
                return Err("an object has two addresses".to_owned());
            }
            regions.push((base - &half, base + &half));
            placed.push(Placed { object: *object, base: base.clone(), size });
        }
        regions.sort();
        let mut gap = space.clone();
        for pair in regions.windows(2) {
            if pair[0].1 > pair[1].0 {
                return Err("the addresses of two objects are too near to each other".to_owned());
            }
            gap = gap.min(&pair[1].0 - &pair[0].1);
        }
        let beyond = &regions[regions.len() - 1].1 + &gap;
        let is_placed = |object| placed.iter().any(|placed| placed.object == object);
        let strange_variables = program.variables.iter().filter(|(id, variable)| {
            let is_literal = matches!(variable.kind, VariableKind::Literal { .. });
            (variable.address_taken || is_literal) && !is_placed(ObjectName::Variable(*id))
        });
        let strange_variables: Vec<_> = strange_variables.map(|(id, _)| id).collect();
        let strange_heap = program
            .edges
            .iter()
            .any(|(id, edge)| matches!(edge.op, Op::Allocate { .. }) && !is_placed(ObjectName::Heap(id)));
        let evaluated: Vec<&ExprKind> =
            program.exprs.below(self.evaluated()).map(|expr| &program.exprs.get(expr).kind).collect();
        let has = |wanted: &dyn Fn(&ExprKind) -> bool| evaluated.iter().any(|kind| wanted(kind));
        Ok(Addresses {
            has_strangers: strange_heap || !strange_variables.is_empty(),
            has_mortal_strangers: strange_heap
                || program
                    .variables
                    .iter()
                    .any(|(id, variable)| variable.address_taken && self.lifetimes.is_mortal(id)),
            has_registers: has(&|kind| matches!(kind, ExprKind::Constant(Constant::Address(_)))),
            has_functions: has(&|kind| matches!(kind, ExprKind::FunctionAddress(_))),
            placed,
            beyond,
            gap,
        })
    }
}

impl Encoding<'_> {
    /// The expressions that are ever evaluated: by edges and atoms, and for what globals hold at the start.
    fn evaluated(&self) -> Vec<ExprId> {
        let program = self.program();
        let mut found: Vec<ExprId> = self.prepared.atoms.expressions().collect();
        found.extend(program.edges.values().flat_map(|edge| edge.op.expressions()));
        for variable in program.variables.values() {
            if let VariableKind::Global { initial: Initial::Values(items), .. }
            | VariableKind::Literal { initial: Initial::Values(items) } = &variable.kind
            {
                found.extend(items.iter().map(|item| item.value));
            }
        }
        found
    }
}

/// Refuses programs that do what no passage tells.
fn refuse(prepared: &Prepared) -> Result<(), String> {
    if prepared.semantics.stop_at_call.is_some() {
        return Err("ending an execution at a call is not encoded".to_owned());
    }
    for edge in prepared.program.edges.values() {
        match &edge.op {
            Op::Havoc { .. } => {
                return Err("input to all that a pointer reaches is not encoded".to_owned());
            }
            Op::Spawn { .. } | Op::Join { .. } | Op::ExitThread(_) => {
                return Err("threads are not encoded".to_owned());
            }
            Op::InitLock(_) | Op::Lock(_) | Op::TryLock { .. } | Op::Unlock(_) => {
                return Err("mutexes are not encoded".to_owned());
            }
            _ => {}
        }
    }
    Ok(())
}

/// Whether an edge may be taken again after it was taken.
fn is_on_cycle(program: &Program, edge: EdgeId) -> bool {
    let mut seen = vec![false; program.locations.len()];
    let mut open = vec![program.edges[edge].to];
    while let Some(location) = open.pop() {
        if std::mem::replace(&mut seen[location.index()], true) {
            continue;
        }
        if location == program.edges[edge].from {
            return true;
        }
        open.extend(program.locations[location].out.iter().map(|&edge| program.edges[edge].to));
    }
    false
}
