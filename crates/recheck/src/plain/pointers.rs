//! Pointers that only ever hold one address.
//!
//! A pointer variable that nobody points to, and to which nothing is written but the address of one and the same part of a
//! variable, holds that address whenever it is read, provided that it is not read before it is written. So an access
//! through it is one to that part, as long as that variable lives: it must live wherever the pointer may still be read.
//! An index behind such a pointer, `p[i]` with `p` the address of an array that is a whole variable, is one of the array: what
//! lies outside is outside the object, and undefined either way. The address of an object is not null.

use std::collections::BTreeSet;

use foundation::collections::HashMap;
use program::{
    CompareOp, Constant, ExprId, ExprKind, Initial, IntType, Op, Operand, Place, Program, Root, Scalar, Selector, Type,
    TypeId, VariableId, VariableKind,
};

use super::rewrite::Rewriting;
use super::{Plain, fixed_index, is_aggregate};
use crate::control::{LiveVariables, variables_in};
use program::lifetimes::{Life, Lifetimes};

/// A part of a variable that is the same in all states.
#[derive(Clone, PartialEq, Eq, Debug)]
struct ConstantPart {
    variable: VariableId,
    path: Vec<PointerSelector>,
    ty: TypeId,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum PointerSelector {
    Field(u32),
    Element(u64),
}

/// The pointers whose address is known.
struct KnownPointers(HashMap<VariableId, ConstantPart>);

impl Plain {
    /// Replaces what is reached through pointers of which the address is known.
    pub(super) fn resolve_pointers(&mut self) {
        let known = KnownPointers(self.known_addresses());
        if known.0.is_empty() {
            return;
        }
        self.change(&known);
        self.drop_unread(&known);
        self.refresh();
    }

    fn known_addresses(&self) -> HashMap<VariableId, ConstantPart> {
        let program = self.program();
        let mut written = self.written_addresses();
        let live = LiveVariables::of(program, |variable| written.contains_key(&variable));
        // Atoms are evaluated at any time.
        let mut observed = BTreeSet::new();
        self.atoms.values().for_each(|atom| variables_in(program, *atom, &mut observed));
        let is_live = |location, variable| observed.contains(&variable) || live.contains(location, variable);
        let lifetimes = Lifetimes::new(&self.prepared);
        written.retain(|&variable, _| {
            let is_global = program.owner(variable).is_none();
            let begins_unread = program.edges.values().all(|edge| match edge.op {
                Op::Declare(other) | Op::Discard(other) if other == variable => !is_live(edge.to, variable),
                _ => true,
            });
            begins_unread && (is_global || !is_live(self.prepared.start(), variable))
        });
        let mut known = KnownPointers(HashMap::default());
        loop {
            let mut found = Vec::new();
            for (&variable, values) in written.iter().filter(|(variable, _)| !known.0.contains_key(variable)) {
                let mut parts = values.iter().map(|value| known.part(program, *value));
                let Some(Some(part)) = parts.next() else { continue };
                let lives = |location| {
                    !is_live(location, variable) || lifetimes.at(&self.prepared, part.variable, location) == Life::Alive
                };
                if parts.all(|other| other.as_ref() == Some(&part)) && program.locations.ids().all(lives) {
                    found.push((variable, part));
                }
            }
            if found.is_empty() {
                return known.0;
            }
            known.0.extend(found);
        }
    }

    /// For each pointer variable that nobody points to: all that is written to it, if that is known.
    fn written_addresses(&self) -> HashMap<VariableId, Vec<ExprId>> {
        let program = self.program();
        let mut written: HashMap<VariableId, Vec<ExprId>> = HashMap::default();
        let mut spoiled: BTreeSet<VariableId> = BTreeSet::new();
        for (variable, contents) in program.variables.iter() {
            if contents.address_taken || program.types.as_scalar(contents.ty) != Some(Scalar::Pointer) {
                spoiled.insert(variable);
                continue;
            }
            match &contents.kind {
                VariableKind::Global { initial: Initial::Values(items), .. } if items.len() == 1 => {
                    written.entry(variable).or_default().push(items[0].value);
                }
                VariableKind::Local(_) | VariableKind::Temporary(_) => {}
                // Null at the start, or anything.
                _ => _ = spoiled.insert(variable),
            }
        }
        for edge in program.edges.values() {
            spoiled.extend(edge.op.result());
            match &edge.op {
                Op::Assign { target, value } => match (target.as_variable(), value) {
                    (Some(variable), Operand::Scalar(value)) => written.entry(variable).or_default().push(*value),
                    _ => spoiled.extend(rooted(target).filter(|_| is_aggregate(value) || target.path.is_empty())),
                },
                Op::Input { target, .. } => spoiled.extend(rooted(target)),
                _ => {}
            }
        }
        written.retain(|variable, _| !spoiled.contains(variable));
        written
    }

    /// What is written to pointers that nobody reads any more is of no account: computing such an address is never undefined.
    fn drop_unread(&mut self, known: &KnownPointers) {
        let mut read = BTreeSet::new();
        for expr in self.evaluated() {
            if let ExprKind::Load(Place { root: Root::Variable(variable), .. }) = self.program().exprs.get(expr).kind {
                read.insert(variable);
            }
        }
        let is_unread = |variable: VariableId| known.0.contains_key(&variable) && !read.contains(&variable);
        for edge in self.program().edges.ids().collect::<Vec<_>>() {
            let unread = match &self.program().edges[edge].op {
                Op::Assign { target, value } if !is_aggregate(value) => target.as_variable().is_some_and(is_unread),
                Op::Declare(variable) | Op::Discard(variable) => is_unread(*variable),
                _ => false,
            };
            if unread {
                self.prepared.program.edges[edge].op = Op::Skip;
            }
        }
        for &variable in known.0.keys().filter(|variable| is_unread(**variable)) {
            if let VariableKind::Global { initial: Initial::Values(items), .. } =
                &mut self.prepared.program.variables[variable].kind
            {
                items.clear();
            }
        }
    }
}

impl KnownPointers {
    /// The part of a variable whose address an expression always is.
    fn part(&self, program: &Program, address: ExprId) -> Option<ConstantPart> {
        match &program.exprs.get(address).kind {
            ExprKind::Load(place) => self.0.get(&place.as_variable()?).cloned(),
            ExprKind::Cast(operand) if program.exprs.ty(*operand) == Scalar::Pointer => {
                self.part(program, *operand).filter(|_| program.exprs.ty(address) == Scalar::Pointer)
            }
            ExprKind::AddressOf(place) => {
                let start = match place.root {
                    Root::Variable(variable) => {
                        let contents = &program.variables[variable];
                        if matches!(contents.kind, VariableKind::Literal { .. }) {
                            return None;
                        }
                        ConstantPart { variable, path: Vec::new(), ty: contents.ty }
                    }
                    Root::Pointer { address, pointee } => {
                        self.part(program, address).filter(|part| part.ty == pointee)?
                    }
                };
                start.inside(program, &place.path)
            }
            _ => None,
        }
    }
}

impl ConstantPart {
    /// A part of this part.
    fn inside(mut self, program: &Program, path: &[Selector]) -> Option<Self> {
        for step in path {
            let (selector, ty) = match (step, program.types.get(self.ty)) {
                (Selector::Field(number), Type::Record(record)) => {
                    let field = &record.fields[*number as usize];
                    if field.bit_width.is_some() {
                        return None;
                    }
                    (PointerSelector::Field(*number), field.ty)
                }
                (Selector::Index(index), Type::Array { element, length }) => {
                    let index = fixed_index(program, *index).filter(|index| index < length && *length > 1)?;
                    (PointerSelector::Element(index), *element)
                }
                _ => return None,
            };
            self.path.push(selector);
            self.ty = ty;
        }
        Some(self)
    }

    fn steps(&self, program: &mut Program) -> Vec<Selector> {
        let mut step = |selector: &PointerSelector| match selector {
            PointerSelector::Field(number) => Selector::Field(*number),
            PointerSelector::Element(index) => Selector::Index(program.exprs.int(*index, IntType::signed(64))),
        };
        self.path.iter().map(&mut step).collect()
    }
}

impl Rewriting for KnownPointers {
    fn place(&self, program: &mut Program, place: Place) -> Place {
        let Root::Pointer { address, pointee } = place.root else { return place };
        let (variable, mut path) = match self.part(program, address) {
            Some(part) if part.ty == pointee => (part.variable, part.steps(program)),
            Some(_) => return place,
            None => match self.element(program, address, pointee) {
                Some((variable, index)) => (variable, vec![Selector::Index(index)]),
                None => return place,
            },
        };
        path.extend(place.path);
        Place { root: Root::Variable(variable), path, ty: place.ty }
    }

    fn expr(&self, program: &mut Program, kind: &ExprKind) -> Option<ExprId> {
        let is_null = |expr: ExprId| program.exprs.get(expr).kind == ExprKind::Constant(Constant::Null);
        let is_object = |expr: ExprId| self.part(program, expr).is_some();
        let is_equal = match *kind {
            ExprKind::Compare(op @ (CompareOp::Equal | CompareOp::NotEqual), left, right)
                if is_null(left) && is_object(right) || is_object(left) && is_null(right) =>
            {
                op == CompareOp::NotEqual
            }
            _ => return None,
        };
        Some(program.exprs.bool(is_equal))
    }
}

impl KnownPointers {
    /// The array, a whole variable, and the index in it that an address always belongs to.
    fn element(&self, program: &Program, address: ExprId, pointee: TypeId) -> Option<(VariableId, ExprId)> {
        let ExprKind::PointerAdd { base, index, stride } = program.exprs.get(address).kind else { return None };
        let part = self.part(program, base)?;
        if part.path != [PointerSelector::Element(0)] || part.ty != pointee || !is_narrow(program, index) {
            return None;
        }
        let fits = program.types.size_bits(pointee) == stride.checked_mul(8)? && stride > 0 && stride < 1 << 20;
        fits.then_some((part.variable, index))
    }
}

/// Whether an integer has so few bits that no displacement by it goes round the address space.
fn is_narrow(program: &Program, index: ExprId) -> bool {
    match (program.exprs.ty(index), &program.exprs.get(index).kind) {
        (Scalar::Int(ty), _) if ty.bits <= 32 => true,
        (Scalar::Int(_), ExprKind::Cast(operand)) => {
            matches!(program.exprs.ty(*operand), Scalar::Int(ty) if ty.bits <= 32)
        }
        _ => false,
    }
}

fn rooted(place: &Place) -> impl Iterator<Item = VariableId> {
    match place.root {
        Root::Variable(variable) => Some(variable),
        Root::Pointer { .. } => None,
    }
    .into_iter()
}
