//! Constant expressions.

use program::semantics::{NotConstant, Pointer, UndefinedBehaviour, Value, evaluate_constant};
use program::*;

use crate::builder::*;

#[test]
fn arithmetic_is_folded() {
    let mut b = Builder::new();
    let (two, three) = (b.int(2), b.int(3));
    let product = b.binary(BinaryOp::Multiply, two, three);
    let narrow = b.program.exprs.cast(product, CHAR);
    assert_eq!(evaluate_constant(&b.program, narrow), Ok(Value::int(6)));
    let zero = b.int(0);
    let quotient = b.binary(BinaryOp::Divide, two, zero);
    let undefined = NotConstant::Undefined(UndefinedBehaviour::DivisionByZero);
    assert_eq!(evaluate_constant(&b.program, quotient), Err(undefined));
    let lazy = b.expr(ExprKind::If(zero, quotient, two), INT);
    let condition = b.program.exprs.cast(zero, Scalar::Bool);
    assert_ne!(lazy, condition);
    let lazy = b.expr(ExprKind::If(condition, quotient, two), INT);
    assert_eq!(evaluate_constant(&b.program, lazy), Ok(Value::int(2)));
}

#[test]
fn addresses_of_globals_are_constant_and_their_contents_are_not() {
    let mut b = Builder::new();
    let int = b.ty(INT);
    let array = b.array(int, 4);
    let (global, local) = (b.global("g", array), b.local("l", int));
    let three = b.int(3);
    let place = b.part(global, &[Selector::Index(three)]);
    let address = b.expr(ExprKind::AddressOf(place.clone()), Scalar::Pointer);
    let pointer = Pointer::Object { object: program::semantics::ObjectId::Global(global), offset: 12 };
    assert_eq!(evaluate_constant(&b.program, address), Ok(Value::Pointer(pointer)));
    let null = b.null();
    let is_null = b.compare(CompareOp::Equal, address, null);
    assert_eq!(evaluate_constant(&b.program, is_null), Ok(Value::Bool(false)));
    let number = b.program.exprs.cast(address, SIZE);
    let load = b.load(place);
    let local = b.address(local);
    for expr in [number, load, local] {
        assert_eq!(evaluate_constant(&b.program, expr), Err(NotConstant::Reads));
    }
}

#[test]
fn the_classical_offset_of_is_constant() {
    let mut b = Builder::new();
    let record = b.record(&[("a", CHAR, 0, None), ("b", INT, 32, None)], 64, false);
    let null = b.null();
    let int = b.ty(INT);
    let place =
        Place { root: Root::Pointer { address: null, pointee: record }, path: vec![Selector::Field(1)], ty: int };
    let address = b.expr(ExprKind::AddressOf(place), Scalar::Pointer);
    let offset = b.program.exprs.cast(address, SIZE);
    assert_eq!(evaluate_constant(&b.program, offset), Ok(Value::int(4)));
}

#[test]
fn numbers_become_registers() {
    let mut b = Builder::new();
    let number = b.size(0x4000);
    let pointer = b.program.exprs.cast(number, Scalar::Pointer);
    assert_eq!(evaluate_constant(&b.program, pointer), Ok(Value::Pointer(Pointer::Register(0x4000))));
    let zero = b.size(0);
    let pointer = b.program.exprs.cast(zero, Scalar::Pointer);
    assert_eq!(evaluate_constant(&b.program, pointer), Ok(Value::Pointer(Pointer::Null)));
}

#[test]
fn a_very_deep_expression_does_not_overflow_the_stack() {
    let mut b = Builder::new();
    let one = b.int(1);
    let mut sum = one;
    for _ in 0..200_000 {
        sum = b.binary(BinaryOp::Subtract, one, sum);
    }
    assert_eq!(evaluate_constant(&b.program, sum), Ok(Value::int(1)));
    assert!(program::print::expr_text(&b.program, sum).ends_with('…'));
}
