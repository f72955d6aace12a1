//! Slicing and contraction.

use program::passes::contract::contract;
use program::passes::simplify;
use program::passes::slice::slice;
use program::semantics::{Integers, ObserveMode, RunEnd, Semantics};
use program::*;

use crate::builder::*;
use crate::shown::{edges, passed, shown};

#[test]
fn what_nothing_reads_goes_and_its_observation_stays() {
    let mut b = Builder::new();
    let (x, y, z) = (b.global_int("x"), b.global_int("y"), b.global_int("z"));
    b.input(x);
    let value = b.get(x);
    b.set(y, value);
    let value = b.get(y);
    b.set(z, value);
    b.ret(0);
    let after = passed(&b, &[Atom::End], Semantics::default(), slice);
    assert_eq!(edges(&after), ["x = nondet() *", "skip *", "skip *", "return 0 *"]);
    let atom = b.atom(z, 1);
    let after = passed(&b, &[atom], Semantics::default(), slice);
    assert_eq!(edges(&after), ["x = nondet() *", "y = x *", "z = y *", "return 0 *"]);
}

#[test]
fn what_can_go_wrong_or_asks_something_stays() {
    let mut b = Builder::new();
    let (x, y, z) = (b.global_int("x"), b.global_int("y"), b.global_int("z"));
    let open = b.local_of("open", INT);
    b.input(x);
    let (value, one, ten) = (b.get(x), b.int(1), b.int(10));
    for quotient in [b.binary(BinaryOp::Divide, one, value), b.binary(BinaryOp::Remainder, value, ten)] {
        b.set(y, quotient);
    }
    let value = b.get(open);
    b.set(z, value);
    let value = b.get(y);
    let sum = b.binary(BinaryOp::Add, value, one);
    b.set(z, sum);
    b.ret(0);
    let after = passed(&b, &[Atom::Error], Semantics::default(), slice);
    assert_eq!(
        edges(&after),
        ["x = nondet() *", "y = 1 / x *", "skip *", "z = open *", "skip *", "return 0 *"],
        "a remainder by 10 is defined, and so is a sum"
    );
    let after = passed(&b, &[Atom::Overflow], Semantics::default(), slice);
    assert_eq!(edges(&after)[4], "z = y + 1 *", "a sum may overflow");
}

#[test]
fn a_shift_that_may_overflow_and_a_conversion_that_may_not_fit_stay() {
    let mut b = Builder::new();
    let double = b.ty(Scalar::Float(FloatType::F64));
    let (x, y, d) = (b.global_int("x"), b.global_int("y"), b.global("d", double));
    b.input(x);
    let target = b.place(d);
    b.op(Op::Input { target, source: InputSource::Nondet("nondet".to_owned()) });
    let (value, one) = (b.get(x), b.int(1));
    let shifted = b.binary(BinaryOp::ShiftLeft, value, one);
    b.set(y, shifted);
    let number = b.get(d);
    let converted = b.program.exprs.cast(number, INT);
    b.set(y, converted);
    b.ret(0);
    let after = passed(&b, &[Atom::Error], Semantics::default(), slice);
    assert_eq!(edges(&after)[2..4], ["skip *", "y = (int32_t)d *"]);
    let after = passed(&b, &[Atom::Overflow], Semantics::default(), slice);
    assert_eq!(edges(&after)[2], "y = x << 1 *");
}

#[test]
fn a_copy_of_what_is_not_initialised_stays() {
    let mut b = Builder::new();
    let pair = b.record(&[("x", INT, 0, None), ("y", CHAR, 32, None)], 64, false);
    let (s, t, g) = (b.local("s", pair), b.global("t", pair), b.global("g", pair));
    for source in [s, g] {
        let (target, source) = (b.place(t), b.place(source));
        b.op(Op::Assign { target, value: Operand::Aggregate(source) });
    }
    b.ret(0);
    let after = passed(&b, &[Atom::End], Semantics::default(), slice);
    assert_eq!(edges(&after), ["t = s *", "skip *", "return 0 *"], "globals are initialised");
}

/// The end of a lifetime is seen by pointers, even where nobody reads the variable.
#[test]
fn lifetimes_of_what_pointers_reach_stay() {
    let mut b = Builder::new();
    let (x, y) = (b.local_of("x", INT), b.global_int("y"));
    let p = b.global_of_pointer("p");
    b.silent(Op::Declare(x));
    let address = b.address(x);
    b.set(p, address);
    b.silent(Op::Discard(x));
    let (pointer, null) = (b.get(p), b.null());
    let equal = b.compare(CompareOp::Equal, pointer, null);
    let equal = b.program.exprs.cast(equal, INT);
    b.set(y, equal);
    b.ret(0);
    let after = passed(&b, &[Atom::Error], Semantics::default(), simplify);
    assert!(matches!(shown(&after, 0).end, RunEnd::Undefined { .. }));
}

/// What a pointer may have changed need not be readable at its type.
#[test]
fn a_read_of_what_pointers_reach_stays() {
    let mut b = Builder::new();
    let (x, y) = (b.global_int("x"), b.global_int("y"));
    let (target, byte, count) = (b.address(x), b.of(BYTE, 1), b.size(1));
    b.op(Op::SetBytes { target, byte, count });
    let value = b.get(x);
    b.set(y, value);
    b.ret(0);
    for integers in [Integers::Machine, Integers::Ideal] {
        let after = passed(&b, &[Atom::End], Semantics { integers, ..Semantics::default() }, slice);
        assert_eq!(edges(&after)[1], "y = x *");
    }
}

#[test]
fn what_is_copied_by_bytes_is_relevant() {
    let mut b = Builder::new();
    let (x, y) = (b.global_int("x"), b.global_int("y"));
    b.set_int(x, 3);
    let (target, source, count) = (b.address(y), b.address(x), b.size(4));
    b.op(Op::CopyBytes { target, source, count, may_overlap: false });
    b.ret(0);
    let atom = b.atom(y, 3);
    assert_eq!(edges(&passed(&b, &[atom], Semantics::default(), simplify))[0], "x = 3 *");
}

#[test]
fn an_index_that_may_lie_outside_stays() {
    let mut b = Builder::new();
    let int = b.ty(INT);
    let array = b.array(int, 2);
    let (a, i) = (b.global("a", array), b.local_of("i", INT));
    b.input(i);
    let nine = b.int(9);
    for index in [b.get(i), b.int(1), b.int(2)] {
        let place = b.part(a, &[Selector::Index(index)]);
        b.assign(place, nine);
    }
    b.ret(0);
    let after = passed(&b, &[Atom::Error], Semantics::default(), slice);
    assert_eq!(edges(&after), ["i = nondet() *", "a[i] = 9 *", "skip *", "a[2] = 9 *", "return 0 *"]);
}

#[test]
fn a_loop_that_does_not_end_stays_one() {
    let mut b = Builder::new();
    let (x, n) = (b.global_int("x"), b.global_int("n"));
    let running = b.equals(n, 0);
    b.while_loop(running, |b| {
        b.set_int(x, 1);
    });
    b.ret(0);
    let after = passed(&b, &[Atom::End], Semantics::default(), simplify);
    assert_eq!(shown(&after, 0).end, RunEnd::Limit);
}

#[test]
fn a_silent_loop_stays_silent() {
    let mut b = Builder::new();
    let x = b.global_int("x");
    b.set_int(x, 1);
    let head = b.at;
    b.silent(Op::Skip);
    b.silent(Op::Skip);
    let span = b.span();
    b.program.add_edge(b.at, head, Op::Skip, span, Observe::No);
    let atom = b.atom(x, 1);
    let after = passed(&b, &[atom], Semantics::default(), contract);
    assert_eq!(edges(&after), ["x = 1 *", "skip"]);
    let run = shown(&after, 0);
    assert_eq!((run.truth.len(), run.end), (2, RunEnd::Limit));
    let again = contract(after);
    assert_eq!(edges(&again), ["x = 1 *", "skip"], "a circle of one edge is one, too");
    assert_eq!(shown(&again, 0).end, RunEnd::Limit);
}

/// An edge into a function does nothing, but from behind it the property looks into the function.
#[test]
fn the_way_into_a_function_stays_where_it_is_seen() {
    let mut b = Builder::new();
    let (x, y) = (b.global_int("x"), b.global_int("y"));
    let f = b.define("f", &[], None, |b, _| {
        b.set_int(y, 1);
        b.silent(Op::Return(None));
    });
    b.set_int(x, 1);
    b.call(f, &[], None);
    b.ret(0);
    let outside = b.atom(x, 1);
    let inside = Atom::State { value: b.equals(x, 1), active: vec![f], reads: vec![x] };
    for atoms in [vec![inside], vec![Atom::Call(f)], vec![outside]] {
        for observe in [ObserveMode::Statement, ObserveMode::Change] {
            passed(&b, &atoms, Semantics { observe, ..Semantics::default() }, contract);
        }
    }
}

#[test]
fn what_is_read_through_pointers_is_relevant() {
    let mut b = Builder::new();
    let (x, y) = (b.global_int("x"), b.global_int("y"));
    let p = b.global_of_pointer("p");
    let (of_x, of_y) = (b.address(x), b.address(y));
    b.input(y);
    b.set_int(x, 3);
    let choice = b.equals(y, 0);
    let address = b.expr(ExprKind::If(choice, of_x, of_y), Scalar::Pointer);
    b.set(p, address);
    b.ret(0);
    let pointer = b.get(p);
    let place = b.pointee(pointer, INT);
    let (value, three) = (b.load(place), b.int(3));
    let value = b.compare(CompareOp::Equal, value, three);
    let atom = Atom::State { value, active: Vec::new(), reads: vec![p] };
    for observe in [ObserveMode::Statement, ObserveMode::Change] {
        let after = passed(&b, std::slice::from_ref(&atom), Semantics { observe, ..Semantics::default() }, simplify);
        assert_eq!(edges(&after)[1], "x = 3 *");
    }
}

/// Under `--observe change` atoms are evaluated whenever something was written, and may then ask for what they read.
#[test]
fn where_atoms_ask_nothing_is_sliced_in_the_mode_of_changes() {
    let mut b = Builder::new();
    let (x, y, open) = (b.global_int("x"), b.global_int("y"), b.local_of("open", INT));
    b.silent(Op::Declare(open));
    b.set_int(x, 1);
    b.input(y);
    b.ret(0);
    let change = Semantics { observe: ObserveMode::Change, ..Semantics::default() };
    let atom = b.atom(open, 1);
    passed(&b, &[atom], change, simplify);
    let atom = b.atom(y, 1);
    assert_eq!(edges(&passed(&b, &[atom], change, simplify))[0], "skip *");
}

/// Ideal integers have no width, so that a product may become too long.
#[test]
fn ideal_products_may_be_refused() {
    let mut b = Builder::new();
    let (x, y) = (b.global_int("x"), b.global_int("y"));
    b.input(x);
    let value = b.get(x);
    let product = b.binary(BinaryOp::Multiply, value, value);
    b.set(y, product);
    b.ret(0);
    for (integers, expected) in [(Integers::Machine, "skip *"), (Integers::Ideal, "y = x * x *")] {
        let after = passed(&b, &[Atom::End], Semantics { integers, ..Semantics::default() }, slice);
        assert_eq!(edges(&after)[1], expected);
    }
}
