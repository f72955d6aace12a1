//! The text of expressions and operations.

use program::print::{expr_text, op_text};
use program::*;

use crate::builder::*;

#[test]
fn parentheses_are_minimal() {
    let mut b = Builder::new();
    let [x, y, z] = ["x", "y", "z"].map(|name| {
        let variable = b.global_int(name);
        b.get(variable)
    });
    let add = b.binary(BinaryOp::Add, x, y);
    let subtract = b.binary(BinaryOp::Subtract, x, y);
    let negative = b.int(-1);
    let less = b.compare(CompareOp::Less, x, y);
    let equal = b.compare(CompareOp::Equal, y, z);
    let and = b.expr(ExprKind::And(less, equal), Scalar::Bool);
    let or = b.expr(ExprKind::Or(and, less), Scalar::Bool);
    let cases = [
        (b.binary(BinaryOp::Multiply, add, z), "(x + y) * z"),
        (b.binary(BinaryOp::Add, add, z), "x + y + z"),
        (b.binary(BinaryOp::Subtract, z, subtract), "z - (x - y)"),
        (b.binary(BinaryOp::ShiftLeft, x, add), "x << x + y"),
        (b.binary(BinaryOp::BitAnd, add, z), "x + y & z"),
        (b.expr(ExprKind::Unary(UnaryOp::Negate, negative), INT), "-(-1)"),
        (b.expr(ExprKind::Unary(UnaryOp::BitNot, add), INT), "~(x + y)"),
        (b.binary(BinaryOp::Subtract, x, negative), "x - -1"),
        (b.program.exprs.not(less), "x >= y"),
        (b.program.exprs.not(and), "!(x < y && y == z)"),
        (or, "x < y && y == z || x < y"),
        (b.expr(ExprKind::And(or, less), Scalar::Bool), "(x < y && y == z || x < y) && x < y"),
        (b.expr(ExprKind::If(less, x, add), INT), "x < y ? x : x + y"),
        (b.program.exprs.cast(x, CHAR), "(int8_t)x"),
        (b.program.exprs.cast(add, CHAR), "(int8_t)(x + y)"),
        (b.program.exprs.cast(x, Scalar::Bool), "x != 0"),
        (b.program.exprs.cast(less, INT), "x < y"),
    ];
    for (expr, expected) in cases {
        assert_eq!(expr_text(&b.program, expr), expected);
    }
}

#[test]
fn places_look_as_in_c() {
    let mut b = Builder::new();
    let record = b.record(&[("f", INT, 0, None), ("g", CHAR, 32, None)], 64, false);
    let array = b.array(record, 3);
    let int = b.ty(INT);
    let (a, p) = (b.global("a", array), b.global_of_pointer("p"));
    let i = b.global_int("i");
    let (index, address) = (b.get(i), b.get(p));
    let element = b.part(a, &[Selector::Index(index), Selector::Field(0)]);
    let arrow = Place { root: Root::Pointer { address, pointee: record }, path: vec![Selector::Field(1)], ty: int };
    let plain = b.pointee(address, INT);
    let indexed = b.expr(ExprKind::PointerAdd { base: address, index, stride: 4 }, Scalar::Pointer);
    let indexed_place = b.pointee(indexed, INT);
    let through_array =
        Place { root: Root::Pointer { address, pointee: array }, path: vec![Selector::Index(index)], ty: record };
    let (loaded, indexed_load) = (b.load(plain.clone()), b.load(indexed_place.clone()));
    let double = b.pointee(indexed, Scalar::Pointer);
    let cases = [
        (b.load(element.clone()), "a[i].f"),
        (b.expr(ExprKind::AddressOf(element), Scalar::Pointer), "&a[i].f"),
        (b.load(arrow), "p->g"),
        (loaded, "*p"),
        (indexed_load, "p[i]"),
        (b.expr(ExprKind::AddressOf(through_array), Scalar::Pointer), "&(*p)[i]"),
        (b.load(double), "*(p + i)"),
        (b.binary(BinaryOp::Multiply, loaded, indexed_load), "*p * p[i]"),
        (b.expr(ExprKind::Unary(UnaryOp::Negate, loaded), INT), "-*p"),
    ];
    for (expr, expected) in cases {
        assert_eq!(expr_text(&b.program, expr), expected);
    }
}

#[test]
fn operations_are_readable() {
    let mut b = Builder::new();
    let (x, f) = (b.global_int("x"), b.declare("f", Some(INT)));
    let p = b.global_of_pointer("p");
    let (value, address, size) = (b.get(x), b.get(p), b.size(4));
    let positive = b.compare(CompareOp::Greater, value, value);
    let source = InputSource::Nondet("__VERIFIER_nondet_int".to_owned());
    let call = Op::Call {
        callee: Callee::Pointer(address),
        arguments: vec![Operand::Scalar(value), Operand::Scalar(size)],
        result: Some(x),
    };
    let cases = [
        (Op::Assume(positive), "assume x > x"),
        (Op::Input { target: b.place(x), source }, "x = __VERIFIER_nondet_int()"),
        (call, "x = p(x, 4)"),
        (Op::Call { callee: Callee::Function(f), arguments: Vec::new(), result: None }, "f()"),
        (Op::Return(Some(Operand::Scalar(value))), "return x"),
        (Op::Allocate { target: p, size, contents: Allocation::Resized(address) }, "p = reallocate(p, 4)"),
        (Op::Lock(address), "lock(p)"),
        (Op::End(EndKind::AssertionFailed), "end (failed assertion)"),
        (Op::Spawn { handle: x, function: Callee::Function(f), argument: address }, "x = spawn f(p)"),
    ];
    for (op, expected) in cases {
        assert_eq!(op_text(&b.program, &op), expected);
    }
}
