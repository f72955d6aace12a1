//! Constant propagation: what is folded, and what must stay.

use program::passes::constants::constants;
use program::passes::simplify;
use program::semantics::{Integers, RunEnd, Semantics, UndefinedBehaviour};
use program::*;

use crate::builder::*;
use crate::shown::{edges, passed, shown};

const DEFAULT: Semantics = Semantics {
    integers: Integers::Machine,
    observe: semantics::ObserveMode::Statement,
    undefined: semantics::UndefinedMode::Error,
    atomicity: semantics::Atomicity::Access,
    malloc_may_fail: false,
    stop_at_call: None,
};

#[test]
fn globals_are_known_from_the_start_and_locals_once_they_are_assigned() {
    let mut b = Builder::new();
    let (x, y) = (b.global_int("x"), b.local_of("y", INT));
    let value = b.get(x);
    b.set(y, value);
    let (left, right) = (b.get(y), b.int(2));
    let sum = b.binary(BinaryOp::Add, left, right);
    b.set(x, sum);
    b.ret(0);
    assert_eq!(edges(&passed(&b, &[], DEFAULT, constants)), ["y = 0 *", "x = 2 *", "return 0 *"]);
}

#[test]
fn what_is_not_initialised_is_asked_for_once() {
    let mut b = Builder::new();
    let (x, y) = (b.global_int("x"), b.local_of("y", INT));
    let value = b.get(y);
    b.set(x, value);
    b.silent(Op::Declare(y));
    let value = b.get(y);
    b.set(x, value);
    b.ret(0);
    let atom = b.atom(x, 0);
    let after = passed(&b, &[atom], DEFAULT, constants);
    assert_eq!(edges(&after), ["x = y *", "declare y", "x = y *", "return 0 *"]);
    assert_eq!(shown(&after, 1).questions.len(), 2);
}

#[test]
fn a_declaration_forgets_what_was_assigned() {
    let mut b = Builder::new();
    let (x, y) = (b.global_int("x"), b.local_of("y", INT));
    b.set_int(y, 3);
    b.silent(Op::Declare(y));
    let value = b.get(y);
    b.set(x, value);
    b.ret(0);
    let atom = b.atom(x, 3);
    passed(&b, &[atom], DEFAULT, simplify);
}

#[test]
fn undefined_arithmetic_is_never_folded() {
    for (op, left, right, kind) in [
        (BinaryOp::Divide, 7, 0, UndefinedBehaviour::DivisionByZero),
        (BinaryOp::Remainder, 7, 0, UndefinedBehaviour::DivisionByZero),
        (BinaryOp::Divide, i64::from(i32::MIN), -1, UndefinedBehaviour::DivisionOverflow),
        (BinaryOp::ShiftLeft, 1, 32, UndefinedBehaviour::ShiftCount),
    ] {
        let mut b = Builder::new();
        let (x, y) = (b.global_int("x"), b.global_int("y"));
        let (left, right) = (b.int(left), b.int(right));
        let value = b.binary(op, left, right);
        b.set(x, value);
        b.set_int(y, 1);
        b.ret(0);
        let after = passed(&b, &[Atom::Error], DEFAULT, simplify);
        assert!(matches!(shown(&after, 0).end, RunEnd::Undefined { kind: found, .. } if found == kind));
        assert_eq!(after.program.edges.len(), 1, "nothing comes after it");
    }
}

#[test]
fn a_branch_that_is_never_taken_goes_and_a_run_that_is_cut_stays_cut() {
    let mut b = Builder::new();
    let x = b.global_int("x");
    let (never, begin) = (b.equals(x, 1), b.at);
    let always = b.program.exprs.not(never);
    b.op(Op::Assume(never));
    b.set_int(x, 5);
    b.ret(0);
    b.at = begin;
    b.op(Op::Assume(always));
    let also_never = b.equals(x, 3);
    let negative = b.equals(x, -1);
    let cut = b.at;
    b.op(Op::Assume(also_never));
    b.ret(1);
    b.at = cut;
    b.op(Op::Assume(negative));
    b.ret(2);
    let after = passed(&b, &[Atom::End], DEFAULT, simplify);
    assert_eq!(edges(&after), ["skip *", "assume false *"]);
    assert!(matches!(shown(&after, 0).end, RunEnd::Blocked { .. }));
}

#[test]
fn a_condition_tells_what_a_variable_holds_behind_it() {
    let mut b = Builder::new();
    let (x, y) = (b.global_int("x"), b.global_int("y"));
    b.input(x);
    let condition = b.equals(x, 5);
    b.op(Op::Assume(condition));
    let value = b.get(x);
    b.set(y, value);
    b.ret(0);
    let atom = b.atom(y, 5);
    let after = passed(&b, &[atom], DEFAULT, constants);
    assert_eq!(edges(&after), ["x = nondet() *", "assume x == 5 *", "y = 5 *", "return 0 *"]);
}

#[test]
fn a_condition_tells_only_what_it_says() {
    for (negated, conjunction, expected) in
        [(false, false, "x + y *"), (false, true, "3 *"), (true, false, "x + y *"), (true, true, "x + y *")]
    {
        let mut b = Builder::new();
        let (x, y, z) = (b.global_int("x"), b.global_int("y"), b.global_int("z"));
        b.input(x);
        b.input(y);
        let (left, right) = (b.equals(x, 1), b.equals(y, 2));
        let both = if conjunction { ExprKind::And(left, right) } else { ExprKind::Or(left, right) };
        let condition = b.expr(both, Scalar::Bool);
        let condition = if negated { b.program.exprs.not(condition) } else { condition };
        b.op(Op::Assume(condition));
        let (left, right) = (b.get(x), b.get(y));
        let sum = b.binary(BinaryOp::Add, left, right);
        b.set(z, sum);
        b.ret(0);
        let atom = b.atom(z, 3);
        let after = passed(&b, &[atom], DEFAULT, constants);
        assert_eq!(edges(&after)[3], format!("z = {expected}"));
    }
}

#[test]
fn the_result_of_a_function_without_a_body_is_not_known() {
    let mut b = Builder::new();
    let (x, y) = (b.global_int("x"), b.global_int("y"));
    let f = b.declare("f", Some(INT));
    b.set_int(x, 3);
    b.call(f, &[], Some(x));
    let value = b.get(x);
    b.set(y, value);
    b.ret(0);
    let atom = b.atom(y, 3);
    assert_eq!(edges(&passed(&b, &[atom], DEFAULT, constants))[2], "y = x *");
}

/// Also where only initial values point to it.
#[test]
fn what_a_pointer_may_change_is_not_known() {
    let mut b = Builder::new();
    let (x, y, z) = (b.global_int("x"), b.global_int("y"), b.global_int("z"));
    let (p, q, r) = (b.global_of_pointer("p"), b.global_of_pointer("q"), b.global_of_pointer("r"));
    for (pointer, variable) in [(p, x), (q, y)] {
        let item = InitialItem { offset_bits: 0, width_bits: 64, value: b.address(variable) };
        let initial = Initial::Values(vec![item]);
        b.program.variables[pointer].kind = VariableKind::Global { initial, declared_in: None };
    }
    b.input(z);
    let (condition, first, second) = (b.equals(z, 0), b.get(p), b.get(q));
    let either = b.expr(ExprKind::If(condition, first, second), Scalar::Pointer);
    b.set(r, either);
    let (pointer, seven) = (b.get(r), b.int(7));
    let target = b.pointee(pointer, INT);
    b.assign(target, seven);
    let value = b.get(x);
    b.set(z, value);
    b.ret(0);
    let atom = b.atom(z, 7);
    assert_eq!(edges(&passed(&b, &[atom], DEFAULT, simplify))[3], "z = x *");
}

/// Zero has two signs, which are equal.
#[test]
fn a_condition_tells_nothing_of_floating_point_numbers() {
    let mut b = Builder::new();
    let double = Scalar::Float(FloatType::F64);
    let ty = b.ty(double);
    let (x, y) = (b.global("x", ty), b.global("y", ty));
    let constant = |b: &mut Builder, value: f64| b.expr(ExprKind::Constant(Constant::Float(value.to_bits())), double);
    let (zero, one) = (constant(&mut b, 0.0), constant(&mut b, 1.0));
    let target = b.place(x);
    b.op(Op::Input { target, source: InputSource::Nondet("nondet".to_owned()) });
    let value = b.get(x);
    let condition = b.compare(CompareOp::Equal, value, zero);
    b.op(Op::Assume(condition));
    let quotient = b.binary(BinaryOp::Divide, one, value);
    b.set(y, quotient);
    b.ret(0);
    assert_eq!(edges(&passed(&b, &[], DEFAULT, constants))[2], "y = 1.0 / x *");
}

#[test]
fn an_overflow_stays_where_it_can_be_seen() {
    let mut b = Builder::new();
    let x = b.global_int("x");
    b.set_int(x, i64::from(i32::MAX));
    let (value, one) = (b.get(x), b.int(1));
    let sum = b.binary(BinaryOp::Add, value, one);
    b.set(x, sum);
    b.ret(0);
    let seen = passed(&b, &[Atom::Overflow], DEFAULT, simplify);
    assert_eq!(shown(&seen, 0).truth, [[false], [false], [true], [false], [false]].map(Vec::from));
    let atom = b.atom(x, i64::from(i32::MIN));
    assert_eq!(edges(&passed(&b, &[atom], DEFAULT, constants))[1], "x = -2147483648 *");
}

/// A constant lies in the range of its type, an ideal integer need not.
#[test]
fn ideal_integers_beyond_their_type_are_no_constants() {
    let mut b = Builder::new();
    let (x, y) = (b.global_int("x"), b.global_int("y"));
    b.set_int(x, i64::from(i32::MAX));
    let (value, one) = (b.get(x), b.int(1));
    let sum = b.binary(BinaryOp::Add, value, one);
    b.set(x, sum);
    let (value, one) = (b.get(x), b.int(1));
    let difference = b.binary(BinaryOp::Subtract, value, one);
    b.set(y, difference);
    b.ret(0);
    let ideal = Semantics { integers: Integers::Ideal, ..DEFAULT };
    let atom = b.atom(y, i64::from(i32::MAX));
    let after = passed(&b, &[atom], ideal, constants);
    assert_eq!(edges(&after)[1..3], ["x = 2147483647 + 1 *", "y = x - 1 *"]);
}

#[test]
fn what_a_known_address_points_to_is_called_by_its_name() {
    let mut b = Builder::new();
    let int = b.ty(INT);
    let array = b.array(int, 3);
    let (a, p) = (b.global("a", array), b.local_of("p", Scalar::Pointer));
    let (begin, one, two, nine) = (b.address(a), b.int(1), b.int(2), b.int(9));
    let element = b.expr(ExprKind::PointerAdd { base: begin, index: one, stride: 4 }, Scalar::Pointer);
    b.set(p, element);
    let base = b.get(p);
    let next = b.expr(ExprKind::PointerAdd { base, index: one, stride: 4 }, Scalar::Pointer);
    let target = b.pointee(next, INT);
    b.assign(target, nine);
    b.ret(0);
    let part = b.part(a, &[Selector::Index(two)]);
    let (value, nine) = (b.load(part), b.int(9));
    let value = b.compare(CompareOp::Equal, value, nine);
    let atom = Atom::State { value, active: Vec::new(), reads: vec![a] };
    assert_eq!(edges(&passed(&b, std::slice::from_ref(&atom), DEFAULT, constants))[1], "a[2] = 9 *");
    let after = passed(&b, &[atom], DEFAULT, simplify);
    assert_eq!(edges(&after), ["skip *", "a[2] = 9 *", "return 0 *"]);
    let named = after.program.variables.values().filter(|variable| variable.name == "a[2]");
    assert_eq!(named.count(), 1, "it has become a variable of its own");
}

#[test]
fn an_address_is_known_no_longer_than_its_object_lives() {
    let mut b = Builder::new();
    let (x, y) = (b.local_of("x", INT), b.global_int("y"));
    let p = b.global_of_pointer("p");
    let address = b.address(x);
    b.silent(Op::Declare(x));
    b.set_int(x, 1);
    b.set(p, address);
    b.silent(Op::Discard(x));
    b.silent(Op::Declare(x));
    b.set_int(x, 2);
    let pointer = b.get(p);
    let place = b.pointee(pointer, INT);
    let value = b.load(place);
    b.set(y, value);
    b.ret(0);
    let atom = b.atom(y, 2);
    let after = passed(&b, &[atom], DEFAULT, simplify);
    let end = shown(&after, 0).end;
    assert!(matches!(end, RunEnd::Undefined { kind: UndefinedBehaviour::DanglingAccess, .. }), "{end:?}");
}

/// An array of one element goes on behind its end, at the end of what a pointer points to, but not inside a variable.
#[test]
fn arrays_that_go_on_behind_their_end_keep_their_pointer() {
    let mut b = Builder::new();
    let int = b.ty(INT);
    let one = b.array(int, 1);
    let record = b.record_of(&[("first", one, 0), ("last", one, 32)], 64);
    let (s, p) = (b.global("s", record), b.local_of("p", Scalar::Pointer));
    let first = b.part(s, &[Selector::Field(0)]);
    let address = b.expr(ExprKind::AddressOf(first), Scalar::Pointer);
    b.set(p, address);
    let (pointer, index, nine) = (b.get(p), b.int(1), b.int(9));
    let mut target = Place::pointer(pointer, one);
    target.path.push(Selector::Index(index));
    target.ty = int;
    b.assign(target, nine);
    b.ret(0);
    let after = passed(&b, &[Atom::Error], DEFAULT, simplify);
    assert_eq!(shown(&after, 0).end, RunEnd::End(EndKind::Return));
}

/// `l && false` is false, but `l` is evaluated first.
#[test]
fn a_left_operand_that_can_go_wrong_is_still_evaluated() {
    let mut b = Builder::new();
    let (x, y) = (b.global_int("x"), b.global_int("y"));
    b.input(x);
    let (one, value) = (b.int(1), b.get(x));
    let quotient = b.binary(BinaryOp::Divide, one, value);
    let left = b.compare(CompareOp::Equal, quotient, one);
    let right = b.equals(y, 1);
    let both = b.expr(ExprKind::And(left, right), Scalar::Bool);
    let value = b.program.exprs.cast(both, INT);
    b.set(y, value);
    b.ret(0);
    let after = passed(&b, &[Atom::Error], DEFAULT, simplify);
    assert!((0..20).any(|seed| matches!(shown(&after, seed).end, RunEnd::Undefined { .. })));
}
