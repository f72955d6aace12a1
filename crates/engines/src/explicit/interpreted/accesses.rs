//! What the edges of a program access: variables by their names, and whatever pointers lead to.
//!
//! Nothing is known of where a pointer leads, but for `*&x`. A variable *escapes* if its address goes anywhere but
//! into an access or a mutex operation at the same place; accesses through pointers reach what has escaped and the heap.

use foundation::collections::HashSet;
use foundation::{Arena, Id};
use program::{
    Callee, CompareOp, Constant, EdgeId, ExprId, ExprKind, Initial, Op, OpPart, Place, Program, Root, Scalar, Selector,
    Type, TypeId, VariableId, VariableKind,
};

/// What all edges of a program access.
pub(super) struct Accesses {
    /// By edge.
    pub edges: Arena<EdgeId, EdgeAccess>,
    /// The variables that pointers may lead to.
    escaped: HashSet<VariableId>,
    /// Whether there are objects on the heap.
    has_heap: bool,
    /// The variables that some edge writes by their names.
    written: HashSet<VariableId>,
    /// Whether some edge writes through a pointer.
    written_through_pointers: bool,
}

/// What an edge accesses.
#[derive(Clone, Debug, Default)]
pub(super) struct EdgeAccess {
    /// The variables that it reads by their names.
    pub reads: Vec<VariableId>,
    /// Those that it writes, or whose lifetimes it begins or ends.
    pub writes: Vec<VariableId>,
    /// Whether it reads through a pointer.
    pub reads_through_pointer: bool,
    /// Whether it writes through a pointer, or to the heap.
    pub writes_through_pointer: bool,
    /// Whether it may look at the numbers of addresses, which are given out in the order of demand, or at memory at
    /// another type than it was written, which may.
    pub numbers: bool,
    /// Whether it computes what may overflow.
    pub arithmetic: bool,
}

impl Accesses {
    /// What the edges of a program access.
    pub fn new(program: &Program) -> Self {
        let mut escaped = HashSet::default();
        for variable in program.variables.values() {
            let (VariableKind::Global { initial, .. } | VariableKind::Literal { initial }) = &variable.kind else {
                continue;
            };
            if let Initial::Values(items) = initial {
                for item in items {
                    let mut visit = Visit::new(program, &mut escaped);
                    visit.value(item.value);
                    visit.finish();
                }
            }
        }
        let edges: Arena<EdgeId, EdgeAccess> = program
            .edges
            .values()
            .map(|edge| {
                let mut visit = Visit::new(program, &mut escaped);
                visit.operation(&edge.op);
                visit.finish()
            })
            .collect();
        let has_heap = program.edges.values().any(|edge| matches!(edge.op, Op::Allocate { .. }));
        let written = edges.values().flat_map(|access| access.writes.iter().copied()).collect();
        let written_through_pointers = edges.values().any(|access| access.writes_through_pointer);
        Self { edges, escaped, has_heap, written, written_through_pointers }
    }

    /// Whether pointers may lead to a variable.
    pub fn escapes(&self, variable: VariableId) -> bool {
        self.escaped.contains(&variable)
    }

    /// Whether a pointer may lead to any object at all, so that somebody could ask for the number of its address.
    pub fn has_pointers(&self) -> bool {
        self.has_heap || !self.escaped.is_empty()
    }

    /// Whether some edge may write a variable.
    pub fn may_be_written(&self, variable: VariableId) -> bool {
        self.written.contains(&variable) || self.written_through_pointers && self.escapes(variable)
    }
}

/// What an expression reads, as an edge would.
pub(super) fn access_of_expression(program: &Program, expr: ExprId) -> EdgeAccess {
    let mut escaped = HashSet::default();
    let mut visit = Visit::new(program, &mut escaped);
    visit.value(expr);
    visit.finish()
}

struct Visit<'a> {
    program: &'a Program,
    escaped: &'a mut HashSet<VariableId>,
    access: EdgeAccess,
    /// Expressions still to be looked at. Those that were are not looked at again.
    open: Vec<ExprId>,
    seen: HashSet<ExprId>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum AccessKind {
    Reads,
    Writes,
}

impl<'a> Visit<'a> {
    fn new(program: &'a Program, escaped: &'a mut HashSet<VariableId>) -> Self {
        Self { program, escaped, access: EdgeAccess::default(), open: Vec::new(), seen: HashSet::default() }
    }

    fn operation(&mut self, op: &Op) {
        // A function without a body does nothing with an address.
        let forgets = match op {
            Op::Call { callee: Callee::Function(function), .. } => self.program.functions[*function].entry.is_none(),
            _ => false,
        };
        for part in op.parts() {
            match part {
                OpPart::Value(&expr) if forgets => self.address(expr),
                OpPart::Value(&expr) => self.value(expr),
                OpPart::Address(&expr, access) => {
                    self.value(expr);
                    self.access.reads_through_pointer |= access.reads();
                    self.access.writes_through_pointer |= access.writes();
                }
                // The address of a mutex is only compared with others.
                OpPart::Mutex(&mutex) => self.address(mutex),
                OpPart::Read(place) => self.place(place, AccessKind::Reads),
                OpPart::Written(place) => self.place(place, AccessKind::Writes),
                OpPart::Result(&variable) | OpPart::Lifetime(&variable) => self.access.writes.push(variable),
                OpPart::Called(_) => {}
            }
        }
        match op {
            Op::Allocate { .. } => self.access.writes_through_pointer = true,
            Op::Havoc { .. } | Op::CopyBytes { .. } | Op::SetBytes { .. } => self.access.numbers = true,
            _ => {}
        }
    }

    /// Looks at all that is left to be looked at.
    fn finish(mut self) -> EdgeAccess {
        while let Some(expr) = self.open.pop() {
            if self.seen.insert(expr) {
                self.expression(expr);
            }
        }
        self.access.reads.sort_unstable();
        self.access.reads.dedup();
        self.access
    }

    /// An expression that may be an address, which goes nowhere.
    fn address(&mut self, address: ExprId) {
        match named(self.program, address) {
            Some((_, place)) => self.indices(place),
            None => self.value(address),
        }
    }

    /// An expression whose value is used.
    fn value(&mut self, expr: ExprId) {
        self.open.push(expr);
    }

    fn expression(&mut self, expr: ExprId) {
        let exprs = &self.program.exprs;
        let is_null = |operand: ExprId| matches!(exprs.get(operand).kind, ExprKind::Constant(Constant::Null));
        match &exprs.get(expr).kind {
            ExprKind::Load(place) => return self.place(place, AccessKind::Reads),
            ExprKind::AddressOf(place) => {
                if let Root::Variable(variable) = place.root {
                    self.escaped.insert(variable);
                }
            }
            ExprKind::Unary(..) | ExprKind::Binary(..) | ExprKind::PointerDifference { .. } => {
                self.access.arithmetic = true;
            }
            ExprKind::Cast(operand) => match (exprs.ty(*operand), exprs.ty(expr)) {
                (Scalar::Pointer, Scalar::Pointer | Scalar::Bool) => {}
                (_, Scalar::Pointer) if is_no_address(self.program, *operand) => {}
                (Scalar::Pointer, _) | (_, Scalar::Pointer) => self.access.numbers = true,
                _ => {}
            },
            ExprKind::Compare(CompareOp::Equal | CompareOp::NotEqual, left, right)
                if exprs.ty(*left) == Scalar::Pointer && !is_null(*left) && !is_null(*right) =>
            {
                self.access.numbers = true;
            }
            _ => {}
        }
        self.open.extend(exprs.operands(expr));
    }

    fn place(&mut self, place: &Place, way: AccessKind) {
        match place.root {
            Root::Variable(variable) => self.variable(variable, way),
            Root::Pointer { address, pointee } => match named(self.program, address) {
                Some((variable, inner)) => {
                    self.variable(variable, way);
                    self.access.numbers |= inner.ty != pointee;
                    self.indices(inner);
                }
                None => {
                    *match way {
                        AccessKind::Reads => &mut self.access.reads_through_pointer,
                        AccessKind::Writes => &mut self.access.writes_through_pointer,
                    } = true;
                    self.open.push(address);
                }
            },
        }
        self.indices(place);
    }

    fn variable(&mut self, variable: VariableId, way: AccessKind) {
        self.access.numbers |= has_union(self.program, self.program.variables[variable].ty);
        match way {
            AccessKind::Reads => self.access.reads.push(variable),
            AccessKind::Writes => self.access.writes.push(variable),
        }
    }

    fn indices(&mut self, place: &Place) {
        self.open.extend(place.path.iter().filter_map(|step| match step {
            Selector::Index(index) => Some(*index),
            Selector::Field(_) => None,
        }));
    }
}

/// The variable whose address, or that of a part of it, an expression is.
pub(super) fn named(program: &Program, address: ExprId) -> Option<(VariableId, &Place)> {
    match &program.exprs.get(address).kind {
        ExprKind::AddressOf(place) => match place.root {
            Root::Variable(variable) => Some((variable, place)),
            Root::Pointer { .. } => None,
        },
        _ => None,
    }
}

/// Whether an expression is a number that is never the address of an object, whatever numbers are given out.
fn is_no_address(program: &Program, expr: ExprId) -> bool {
    match &program.exprs.get(expr).kind {
        ExprKind::Constant(Constant::Int(number)) => *number >= 0.into() && *number < FIRST_ADDRESS.into(),
        ExprKind::Cast(operand) => program.exprs.ty(*operand) != Scalar::Pointer && is_no_address(program, *operand),
        _ => false,
    }
}

/// No object or function lies below this address ([`program::semantics::memory`]).
const FIRST_ADDRESS: u32 = 0x1000;

/// Whether a type has a union in it, so that what is read may have been written at another type.
fn has_union(program: &Program, ty: TypeId) -> bool {
    let mut open = vec![ty];
    let mut seen = HashSet::default();
    while let Some(ty) = open.pop() {
        if !seen.insert(ty.index()) {
            continue;
        }
        match program.types.get(ty) {
            Type::Scalar(_) | Type::Opaque => {}
            Type::Array { element, .. } => open.push(*element),
            Type::Record(record) if record.is_union => return true,
            Type::Record(record) => open.extend(record.fields.iter().map(|field| field.ty)),
        }
    }
    false
}
