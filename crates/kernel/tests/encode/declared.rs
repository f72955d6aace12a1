//! Declarations for a program: which parts of memory get symbols and addresses.

use kernel::encode::{CellName, Declaration, ObjectAddress, ObjectName};
use num_bigint::BigInt;
use program::passes::Prepared;
use program::semantics::layout::{leaves, type_of_width};
use program::{Op, Scalar, VariableKind};

use crate::chance::Random;

/// What is declared.
pub struct Declared {
    pub declarations: Vec<Declaration>,
    pub addresses: Vec<ObjectAddress>,
}

/// An object, its scalars by their offset in bits, and whether pointers may reach it.
type Part = (ObjectName, Vec<(u64, Scalar)>, bool);

/// All scalars of all variables and allocations, or only some of them.
pub fn declare(prepared: &Prepared, random: &mut Random, everything: bool) -> Declared {
    let program = &prepared.program;
    let mut declared = Declared { declarations: Vec::new(), addresses: Vec::new() };
    let pointer_bits = u32::from(program.types.data_model().pointer_bits());
    let mut next_base = BigInt::from(3) << (pointer_bits + 1);
    let mut objects: Vec<Part> = Vec::new();
    for (id, variable) in program.variables.iter() {
        let Ok(parts) = leaves(&program.types, variable.ty) else { continue };
        let parts = parts
            .iter()
            .filter(|leaf| !matches!(leaf.scalar, Scalar::Float(_)))
            .filter(|leaf| leaf.scalar != Scalar::Bool || leaf.width_bits == 8);
        let parts = parts.map(|leaf| (leaf.offset_bits, type_of_width(leaf.scalar, leaf.width_bits))).collect();
        let is_literal = matches!(variable.kind, VariableKind::Literal { .. });
        objects.push((ObjectName::Variable(id), parts, variable.address_taken || is_literal));
    }
    for (id, edge) in program.edges.iter() {
        if matches!(edge.op, Op::Allocate { .. }) {
            let int = Scalar::Int(program::IntType::signed(32));
            objects.push((ObjectName::Heap(id), (0..4).map(|at| (at * 32, int)).collect(), true));
        }
    }
    for (number, (object, parts, is_pointed_to)) in objects.into_iter().enumerate() {
        if is_pointed_to && (everything || random.below(6) != 0) {
            declared.addresses.push(ObjectAddress { object, base: next_base.clone() });
            next_base += BigInt::from(1) << (pointer_bits + 2);
        }
        if matches!(object, ObjectName::Heap(_)) && (everything || random.below(3) != 0) {
            let name = format!("alive{number}");
            declared.declarations.push(Declaration { name, cell: CellName::Alive(object) });
        }
        if !everything && random.below(5) == 0 {
            continue;
        }
        let mut as_many: Vec<Scalar> = Vec::new();
        for (at, (offset, scalar)) in parts.iter().enumerate() {
            let is_repeated = parts.iter().filter(|(_, other)| other == scalar).count() > 1;
            if as_many.contains(scalar) {
                continue;
            }
            let bits = program.types.scalar_bits(*scalar);
            let cell = if is_repeated && bits.is_multiple_of(8) && random.below(3) != 0 {
                as_many.push(*scalar);
                let unit = if random.below(2) == 0 { 1 } else { bits / 8 };
                CellName::Many { object, scalar: *scalar, unit }
            } else {
                CellName::One { object, offset: *offset, scalar: *scalar }
            };
            declared.declarations.push(Declaration { name: format!("s{number}_{at}"), cell });
        }
    }
    declared
}
