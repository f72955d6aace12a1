//! Whether a program keeps the rules of the program model: operands have the types that their operations take, places
//! follow the types of what they are parts of, and edges stay in their functions.

use std::cell::RefCell;

use foundation::Id;
use foundation::collections::HashSet;
use program::{
    Allocation, BinaryOp, Callee, ExprId, ExprKind, FunctionId, Op, Operand, Place, Program, Root, Scalar, Selector,
    Type, TypeId, UnaryOp, VariableId, VariableKind, print,
};

/// Looks at everything in a program.
///
/// # Panics
///
/// Where a rule is broken.
pub(super) fn check(program: &Program) {
    let checker = Checker { program, checked: RefCell::default() };
    for edge in program.edges.values() {
        let function = program.locations[edge.from].function;
        assert_eq!(function, program.locations[edge.to].function, "an edge stays in its function");
        assert!(program.locations[edge.from].out.iter().any(|out| program.edges[*out].from == edge.from));
        checker.op(&edge.op, function);
    }
    for variable in program.variables.values() {
        if let VariableKind::Global { initial, .. } | VariableKind::Literal { initial } = &variable.kind
            && let program::Initial::Values(items) = initial
        {
            let size = program.types.size_bits(variable.ty);
            for item in items {
                checker.expr(item.value);
                assert!(item.offset_bits + item.width_bits <= size, "`{}` holds its initial values", variable.name);
            }
        }
    }
}

struct Checker<'p> {
    program: &'p Program,
    /// The expressions that need not be looked at again.
    checked: RefCell<HashSet<ExprId>>,
}

impl Checker<'_> {
    fn op(&self, op: &Op, function: FunctionId) {
        match op {
            Op::Skip | Op::End(_) | Op::Unreachable | Op::AtomicBegin | Op::AtomicEnd => {}
            Op::Assume(condition) => self.typed(*condition, Scalar::Bool),
            Op::Assign { target, value } => {
                self.place(target);
                self.operand(value, target.ty);
            }
            Op::Input { target, .. } => self.place(target),
            Op::Havoc { address, .. } => self.typed(*address, Scalar::Pointer),
            Op::Declare(variable) | Op::Discard(variable) => {
                assert_eq!(self.program.owner(*variable), Some(function), "a lifetime is a local's");
            }
            Op::Call { callee, arguments, result } => {
                self.callee(callee);
                for argument in arguments {
                    match argument {
                        Operand::Scalar(value) => drop(self.expr(*value)),
                        Operand::Aggregate(place) => self.place(place),
                    }
                }
                if let Some(result) = result {
                    assert!(!self.is_opaque(self.program.variables[*result].ty), "a result has a type");
                }
            }
            Op::Return(None) => {}
            Op::Return(Some(operand)) => {
                let ty = self.program.functions[function].result.expect("a value is returned where there is one");
                self.operand(operand, ty);
            }
            Op::Allocate { target, size, contents } => {
                self.variable(*target, Scalar::Pointer);
                self.integer(*size);
                if let Allocation::Resized(old) = contents {
                    self.typed(*old, Scalar::Pointer);
                }
            }
            Op::Free(address)
            | Op::ExitThread(address)
            | Op::InitLock(address)
            | Op::Lock(address)
            | Op::Unlock(address) => self.typed(*address, Scalar::Pointer),
            Op::CopyBytes { target, source, count, .. } => {
                self.typed(*target, Scalar::Pointer);
                self.typed(*source, Scalar::Pointer);
                self.integer(*count);
            }
            Op::SetBytes { target, byte, count } => {
                self.typed(*target, Scalar::Pointer);
                self.integer(*byte);
                self.integer(*count);
            }
            Op::Spawn { handle, function, argument } => {
                self.callee(function);
                self.typed(*argument, Scalar::Pointer);
                assert!(matches!(self.scalar_of(*handle), Some(Scalar::Int(_) | Scalar::Bool)), "a handle is a number");
            }
            Op::Join { thread, result } => {
                self.integer(*thread);
                self.variable(*result, Scalar::Pointer);
            }
            Op::TryLock { mutex, taken } => {
                self.typed(*mutex, Scalar::Pointer);
                self.variable(*taken, Scalar::Bool);
            }
        }
    }

    fn callee(&self, callee: &Callee) {
        if let Callee::Pointer(address) = callee {
            self.typed(*address, Scalar::Pointer);
        }
    }

    fn operand(&self, operand: &Operand, ty: TypeId) {
        match operand {
            Operand::Scalar(value) => {
                let scalar = self.program.types.as_scalar(ty).expect("a scalar goes to a scalar");
                self.typed(*value, scalar);
            }
            Operand::Aggregate(place) => {
                self.place(place);
                assert!(self.program.types.as_scalar(place.ty).is_none(), "an aggregate is no scalar");
                let size = |ty| self.program.types.size_bits(ty);
                assert_eq!(size(place.ty), size(ty), "an aggregate goes to one of its type");
            }
        }
    }

    fn scalar_of(&self, variable: VariableId) -> Option<Scalar> {
        self.program.types.as_scalar(self.program.variables[variable].ty)
    }

    fn variable(&self, variable: VariableId, scalar: Scalar) {
        assert_eq!(self.scalar_of(variable), Some(scalar));
    }

    fn is_opaque(&self, ty: TypeId) -> bool {
        matches!(self.program.types.get(ty), Type::Opaque)
    }

    fn typed(&self, expr: ExprId, scalar: Scalar) {
        assert_eq!(self.expr(expr), scalar, "the type of `{}`", print::expr_text(self.program, expr));
    }

    fn integer(&self, expr: ExprId) {
        let ty = self.expr(expr);
        assert!(matches!(ty, Scalar::Int(_) | Scalar::Bool), "`{}` is a number", print::expr_text(self.program, expr));
    }

    /// Checks an expression with all below it, each one once, and gives its type.
    fn expr(&self, root: ExprId) -> Scalar {
        let mut open = vec![root];
        while let Some(expr) = open.pop() {
            if self.checked.borrow_mut().insert(expr) {
                self.node(expr);
                open.extend(self.program.exprs.operands(expr));
            }
        }
        self.program.exprs.ty(root)
    }

    /// Checks one expression against its direct operands.
    fn node(&self, id: ExprId) {
        let exprs = &self.program.exprs;
        let expr = exprs.get(id);
        let ty = |operand: &ExprId| exprs.ty(*operand);
        let sound = match &expr.kind {
            ExprKind::Constant(_) | ExprKind::FunctionAddress(_) => true,
            ExprKind::Load(place) => {
                self.place(place);
                self.program.types.as_scalar(place.ty) == Some(expr.ty)
            }
            ExprKind::AddressOf(place) => {
                self.place(place);
                expr.ty == Scalar::Pointer
            }
            ExprKind::Unary(UnaryOp::BitNot, a) => ty(a) == expr.ty && matches!(expr.ty, Scalar::Int(_)),
            ExprKind::Unary(_, a) => ty(a) == expr.ty && matches!(expr.ty, Scalar::Int(_) | Scalar::Float(_)),
            ExprKind::Not(a) => ty(a) == Scalar::Bool && expr.ty == Scalar::Bool,
            ExprKind::Cast(a) => {
                let pointer = ty(a) == Scalar::Pointer || expr.ty == Scalar::Pointer;
                let float = matches!(ty(a), Scalar::Float(_)) || matches!(expr.ty, Scalar::Float(_));
                !(pointer && float)
            }
            ExprKind::Binary(BinaryOp::ShiftLeft | BinaryOp::ShiftRight, a, b) => {
                ty(a) == expr.ty && matches!((expr.ty, ty(b)), (Scalar::Int(_), Scalar::Int(_)))
            }
            ExprKind::Binary(_, a, b) => {
                ty(a) == expr.ty && ty(b) == expr.ty && matches!(expr.ty, Scalar::Int(_) | Scalar::Float(_))
            }
            ExprKind::Compare(_, a, b) => ty(a) == ty(b) && expr.ty == Scalar::Bool,
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                ty(a) == Scalar::Bool && ty(b) == Scalar::Bool && expr.ty == Scalar::Bool
            }
            ExprKind::If(c, a, b) => ty(c) == Scalar::Bool && ty(a) == expr.ty && ty(b) == expr.ty,
            ExprKind::PointerAdd { base, index, .. } => {
                ty(base) == Scalar::Pointer && matches!(ty(index), Scalar::Int(_)) && expr.ty == Scalar::Pointer
            }
            ExprKind::PointerDifference { left, right, stride } => {
                let pointers = ty(left) == Scalar::Pointer && ty(right) == Scalar::Pointer;
                pointers && *stride > 0 && matches!(expr.ty, Scalar::Int(_))
            }
        };
        assert!(sound, "expression {} `{}` is well typed", id.index(), print::expr_text(self.program, id));
    }

    fn place(&self, place: &Place) {
        let mut ty = match place.root {
            Root::Variable(variable) => self.program.variables[variable].ty,
            Root::Pointer { address, pointee } => {
                assert_eq!(self.program.exprs.ty(address), Scalar::Pointer);
                pointee
            }
        };
        for step in &place.path {
            ty = match (step, self.program.types.get(ty)) {
                (Selector::Field(number), Type::Record(record)) => record.fields[*number as usize].ty,
                (Selector::Index(index), Type::Array { element, .. }) => {
                    self.integer(*index);
                    *element
                }
                (step, ty) => panic!("{step:?} leads into {ty:?}"),
            };
        }
        // An array may have been named before its length was known.
        let same = match (self.program.types.get(ty), self.program.types.get(place.ty)) {
            (Type::Array { element: a, .. }, Type::Array { element: b, .. }) => a == b,
            _ => ty == place.ty,
        };
        assert!(same, "the type of `{}`", print::place_text(self.program, place));
    }
}
