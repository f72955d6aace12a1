//! Every kind of undefined behaviour, on programs of a few edges.

use program::semantics::{Integers, ListedChoices, RunEnd, Semantics, UndefinedBehaviour as Undefined, UndefinedMode};
use program::*;

use crate::builder::*;

/// Builds a program and expects one kind of undefined behaviour under both kinds of integers, and a blocked run instead
/// where undefined behaviour is assumed away.
fn undefined(kind: Undefined, build: impl FnOnce(&mut Builder)) {
    let mut b = Builder::new();
    build(&mut b);
    b.ret(0);
    for integers in BOTH {
        let run = b.plain_run(integers);
        assert!(
            matches!(run.end, RunEnd::Undefined { kind: k, span: Some(_) } if k == kind),
            "{kind:?}: {:?}",
            run.end
        );
        let semantics = Semantics { integers, undefined: UndefinedMode::Assume, ..Semantics::default() };
        let run = b.run(semantics, &[Atom::Error], &mut ListedChoices::default());
        assert!(matches!(run.end, RunEnd::Blocked { .. }));
        let semantics = Semantics { integers, ..Semantics::default() };
        let run = b.run(semantics, &[Atom::Error], &mut ListedChoices::default());
        assert!(word(&run).ends_with("01") || word(&run) == "01", "error holds at the end only: {}", word(&run));
    }
}

#[test]
fn arithmetic_that_is_undefined() {
    for (op, right, kind) in [
        (BinaryOp::Divide, 0, Undefined::DivisionByZero),
        (BinaryOp::Remainder, 0, Undefined::DivisionByZero),
        (BinaryOp::ShiftLeft, -1, Undefined::ShiftCount),
        (BinaryOp::ShiftRight, -1, Undefined::ShiftCount),
    ] {
        undefined(kind, |b| {
            let x = b.global_int("x");
            let (left, right) = (b.int(1), b.int(right));
            let value = b.binary(op, left, right);
            b.set(x, value);
        });
    }
    undefined(Undefined::FloatToInteger, |b| {
        let x = b.global_int("x");
        let nan = b.expr(ExprKind::Constant(Constant::Float(f64::NAN.to_bits())), Scalar::Float(FloatType::F64));
        let value = b.program.exprs.cast(nan, INT);
        b.set(x, value);
    });
}

#[test]
fn machine_integers_have_more_that_is_undefined() {
    for (op, left, right, kind) in [
        (BinaryOp::Divide, i32::MIN.into(), -1, Undefined::DivisionOverflow),
        (BinaryOp::Remainder, i32::MIN.into(), -1, Undefined::DivisionOverflow),
        (BinaryOp::ShiftLeft, 1, 32, Undefined::ShiftCount),
    ] {
        let mut b = Builder::new();
        let x = b.global_int("x");
        let (left, right) = (b.int(left), b.int(right));
        let value = b.binary(op, left, right);
        b.set(x, value);
        b.ret(0);
        assert!(matches!(b.plain_run(Integers::Machine).end, RunEnd::Undefined { kind: k, .. } if k == kind));
        assert_eq!(b.plain_run(Integers::Ideal).end, RunEnd::End(EndKind::Return));
    }
}

#[test]
fn accesses_that_are_undefined() {
    undefined(Undefined::NullAccess, |b| {
        let null = b.null();
        read_through(b, null);
    });
    undefined(Undefined::NullAccess, |b| {
        let null = b.null();
        let element = offset(b, null, 3, 4);
        read_through(b, element);
    });
    undefined(Undefined::InvalidAccess, |b| {
        let number = b.size(0x7777_7777);
        let n = b.local_of("n", SIZE);
        b.set(n, number);
        let n = b.get(n);
        let address = b.program.exprs.cast(n, Scalar::Pointer);
        read_through(b, address);
    });
    undefined(Undefined::FunctionAccess, |b| {
        let main = b.function;
        let address = b.expr(ExprKind::FunctionAddress(main), Scalar::Pointer);
        read_through(b, address);
    });
    undefined(Undefined::DanglingAccess, |b| {
        let p = allocated(b, 4, Allocation::Zeroed);
        let p = b.get(p);
        b.op(Op::Free(p));
        read_through(b, p);
    });
    for (bytes, element) in [(4, 1), (4, -1), (0, 0), (7, 1)] {
        undefined(Undefined::OutOfBounds, |b| {
            let p = allocated(b, bytes, Allocation::Zeroed);
            let p = b.get(p);
            let address = offset(b, p, element, 4);
            read_through(b, address);
        });
    }
    undefined(Undefined::LiteralWritten, |b| {
        let literal = b.literal("\"ab\"", b"ab\0");
        let (zero, character) = (b.int(0), b.of(CHAR, 120));
        let place = b.part(literal, &[Selector::Index(zero)]);
        b.assign(place, character);
    });
}

#[test]
fn indices_are_checked_per_array_but_only_on_access() {
    let build = |index: i64, length: u64| {
        let mut b = Builder::new();
        let int = b.ty(INT);
        let row = b.array(int, length);
        let (grid_ty, x) = (b.array(row, 2), b.global_int("x"));
        let grid = b.global("grid", grid_ty);
        let (zero, index, nine) = (b.int(0), b.int(index), b.int(9));
        let place = b.part(grid, &[Selector::Index(zero), Selector::Index(index)]);
        let p = b.local_of("p", Scalar::Pointer);
        let address = b.expr(ExprKind::AddressOf(place.clone()), Scalar::Pointer);
        b.set(p, address);
        b.assign(place.clone(), nine);
        let value = b.load(place);
        b.set(x, value);
        b.ret(0);
        b
    };
    for integers in BOTH {
        assert_eq!(build(2, 3).final_value(integers, "x").as_deref(), Some("9"));
        let out_of_row = build(4, 3).plain_run(integers);
        assert!(matches!(out_of_row.end, RunEnd::Undefined { kind: Undefined::OutOfBounds, .. }));
        assert_eq!(out_of_row.observations.len(), 3, "the start, the address and the error");
        let out_of_row = build(1, 1).plain_run(integers);
        assert!(matches!(out_of_row.end, RunEnd::Undefined { kind: Undefined::OutOfBounds, .. }));
    }
}

#[test]
fn an_array_of_one_goes_on_only_at_the_end_of_what_a_pointer_points_to() {
    let build = |member: u32, by_pointer: bool| {
        let mut b = Builder::new();
        let int = b.ty(INT);
        let one = b.array(int, 1);
        let record = b.record_of(&[("first", one, 0), ("last", one, 32)], 64);
        let (two_ty, x) = (b.array(record, 2), b.global_int("x"));
        let two = b.global("two", two_ty);
        let (zero, index, nine) = (b.int(0), b.int(1), b.int(9));
        let mut place = b.part(two, &[Selector::Index(zero), Selector::Field(member), Selector::Index(index)]);
        if by_pointer {
            let first = b.part(two, &[Selector::Index(zero)]);
            let address = b.expr(ExprKind::AddressOf(first), Scalar::Pointer);
            place = Place { root: Root::Pointer { address, pointee: record }, path: place.path.split_off(1), ..place };
        }
        b.assign(place.clone(), nine);
        let value = b.load(place);
        b.set(x, value);
        b.ret(0);
        b
    };
    for integers in BOTH {
        assert_eq!(build(1, true).final_value(integers, "x").as_deref(), Some("9"));
        for (member, by_pointer) in [(0, true), (0, false), (1, false)] {
            let run = build(member, by_pointer).plain_run(integers);
            assert!(matches!(run.end, RunEnd::Undefined { kind: Undefined::OutOfBounds, .. }));
        }
    }
}

#[test]
fn pointers_that_are_used_wrongly() {
    let two_objects = |b: &mut Builder| {
        let (x, y) = (b.global_int("a"), b.global_int("b"));
        (b.address(x), b.address(y))
    };
    undefined(Undefined::UnrelatedPointers, |b| {
        let (x, y) = two_objects(b);
        let less = b.compare(CompareOp::Less, x, y);
        b.op(Op::Assume(less));
    });
    undefined(Undefined::UnrelatedPointers, |b| {
        let (left, right) = two_objects(b);
        let value = b.expr(ExprKind::PointerDifference { left, right, stride: 4 }, INT);
        let z = b.global_int("z");
        b.set(z, value);
    });
    undefined(Undefined::DanglingUsed, |b| {
        let p = allocated(b, 4, Allocation::Zeroed);
        let (p, null) = (b.get(p), b.null());
        b.op(Op::Free(p));
        let equal = b.compare(CompareOp::Equal, p, null);
        b.op(Op::Assume(equal));
    });
    undefined(Undefined::InvalidFree, |b| {
        let (x, _) = two_objects(b);
        b.op(Op::Free(x));
    });
    undefined(Undefined::InvalidFree, |b| {
        let p = allocated(b, 8, Allocation::Zeroed);
        let p = b.get(p);
        let inside = offset(b, p, 1, 4);
        b.op(Op::Free(inside));
    });
    undefined(Undefined::InvalidFree, |b| {
        let p = allocated(b, 8, Allocation::Zeroed);
        let p = b.get(p);
        b.op(Op::Free(p));
        b.op(Op::Free(p));
    });
    undefined(Undefined::OverlappingCopy, |b| {
        let p = allocated(b, 8, Allocation::Zeroed);
        let p = b.get(p);
        let (target, count) = (offset(b, p, 1, 2), b.size(4));
        b.op(Op::CopyBytes { target, source: p, count, may_overlap: false });
    });
    undefined(Undefined::OutOfBounds, |b| {
        let p = allocated(b, 8, Allocation::Zeroed);
        let (target, byte, count) = (b.get(p), b.of(BYTE, 1), b.size(9));
        b.op(Op::SetBytes { target, byte, count });
    });
}

#[test]
fn calls_that_are_undefined() {
    let pointer_call = |b: &mut Builder, address: ExprId, arguments: Vec<Operand>| {
        b.op(Op::Call { callee: Callee::Pointer(address), arguments, result: None });
    };
    undefined(Undefined::CallOfNonFunction, |b| {
        let x = b.global_int("x");
        let address = b.address(x);
        pointer_call(b, address, Vec::new());
    });
    undefined(Undefined::NullAccess, |b| {
        let null = b.null();
        pointer_call(b, null, Vec::new());
    });
    undefined(Undefined::CallMismatch, |b| {
        let f = b.define("f", &[("n", INT)], None, |b, _| {
            b.silent(Op::Return(None));
        });
        let address = b.expr(ExprKind::FunctionAddress(f), Scalar::Pointer);
        pointer_call(b, address, Vec::new());
    });
    undefined(Undefined::CallMismatch, |b| {
        let f = b.define("f", &[("n", INT)], None, |b, _| {
            b.silent(Op::Return(None));
        });
        let address = b.expr(ExprKind::FunctionAddress(f), Scalar::Pointer);
        let wrong = b.of(CHAR, 1);
        pointer_call(b, address, vec![Operand::Scalar(wrong)]);
    });
}

#[test]
fn threads_that_are_used_wrongly() {
    undefined(Undefined::UnlockNotHeld, |b| {
        let m = b.global_int("m");
        let m = b.address(m);
        b.op(Op::Unlock(m));
    });
    undefined(Undefined::NullAccess, |b| {
        let null = b.null();
        b.op(Op::Lock(null));
    });
    undefined(Undefined::InvalidJoin, |b| {
        let (thread, result) = (b.size(3), b.local_of("r", Scalar::Pointer));
        b.op(Op::Join { thread, result });
    });
    undefined(Undefined::AtomicEndOutside, |b| {
        b.op(Op::AtomicEnd);
    });
}
