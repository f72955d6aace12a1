//! What each operation does, on programs of a few edges.

use program::semantics::{
    Integers, ListedChoices, RunEnd, RunLimits, Semantics, UndefinedBehaviour as Undefined, Value,
};
use program::*;

use crate::builder::*;

#[test]
fn signed_overflow_wraps_and_is_reported_with_its_place() {
    let mut b = Builder::new();
    let x = b.global_int("x");
    b.set_int(x, i64::from(i32::MAX));
    let (value, one) = (b.get(x), b.int(1));
    let sum = b.binary(BinaryOp::Add, value, one);
    let overflowing = b.set(x, sum);
    b.set_int(x, 0);
    b.ret(0);
    let run = b.run(Semantics::default(), &[Atom::Overflow], &mut ListedChoices::default());
    assert_eq!(word(&run), "001000");
    assert_eq!(run.warnings, [program::semantics::Warning::Overflow(b.program.edges[overflowing].span)]);
    assert_eq!(run.observations[2].changes[0].value, i32::MIN.to_string());
    let ideal = b.plain_run(Integers::Ideal);
    assert_eq!(ideal.warnings, []);
    assert_eq!(ideal.observations[2].changes[0].value, "2147483648");
}

#[test]
fn memory_seen_at_another_type() {
    let mut b = Builder::new();
    let union = b.record(&[("word", UNSIGNED, 0, None), ("byte", BYTE, 0, None)], 32, true);
    let (u, x) = (b.global("u", union), b.global_int("x"));
    let word_place = b.part(u, &[Selector::Field(0)]);
    let byte_place = b.part(u, &[Selector::Field(1)]);
    let value = b.of(UNSIGNED, 0x1234);
    b.assign(word_place, value);
    let byte = b.load(byte_place);
    let byte = b.program.exprs.cast(byte, INT);
    b.set(x, byte);
    b.ret(0);
    assert_eq!(b.final_value(Integers::Machine, "x").as_deref(), Some("52"));
    assert!(matches!(b.plain_run(Integers::Ideal).end, RunEnd::Unsupported { span: Some(_), .. }));
}

#[test]
fn bit_fields_are_cut_by_machines_only() {
    let mut b = Builder::new();
    let record = b.record(&[("a", INT, 0, Some(3)), ("b", UNSIGNED, 3, Some(5))], 32, false);
    let s = b.global("s", record);
    for (field, value) in [(0, b.int(5)), (1, b.of(UNSIGNED, 37))] {
        let place = b.part(s, &[Selector::Field(field)]);
        b.assign(place, value);
    }
    b.ret(0);
    assert_eq!(b.final_value(Integers::Machine, "s.a").as_deref(), Some("-3"));
    assert_eq!(b.final_value(Integers::Machine, "s.b").as_deref(), Some("5"));
    assert_eq!(b.final_value(Integers::Ideal, "s.a").as_deref(), Some("5"));
    assert_eq!(b.final_value(Integers::Ideal, "s.b").as_deref(), Some("37"));
}

#[test]
fn heap_objects_keep_what_they_hold_when_resized() {
    for integers in BOTH {
        let mut b = Builder::new();
        let p = allocated(&mut b, 4, Allocation::Arbitrary);
        let (old, seven) = (b.get(p), b.int(7));
        let place = b.pointee(old, INT);
        b.assign(place, seven);
        let q = b.local_of("q", Scalar::Pointer);
        let size = b.size(8);
        b.op(Op::Allocate { target: q, size, contents: Allocation::Resized(old) });
        let new = b.get(q);
        read_through(&mut b, new);
        b.ret(0);
        assert_eq!(b.final_value(integers, "x").as_deref(), Some("7"));
        let run = b.plain_run(integers);
        assert_eq!(last_value(&run, "q").as_deref(), Some("&heap#1"));
        assert_eq!(run.end, RunEnd::End(EndKind::Return));
    }
}

#[test]
fn what_is_not_initialised_is_chosen_once_and_copies_are_equal() {
    for integers in BOTH {
        let mut b = Builder::new();
        let record = b.record(&[("a", INT, 0, None), ("c", CHAR, 32, None)], 64, false);
        let (s, t) = (b.local("s", record), b.local("t", record));
        let (x, y) = (b.global_int("x"), b.global_int("y"));
        let (target, source) = (b.place(t), b.place(s));
        b.op(Op::Assign { target, value: Operand::Aggregate(source) });
        for (variable, record) in [(x, s), (y, t)] {
            let place = b.part(record, &[Selector::Field(0)]);
            let value = b.load(place);
            b.set(variable, value);
        }
        b.ret(0);
        let mut choices = ListedChoices::default();
        choices.push_uninitialised("main::s.a", Value::int(41));
        let run = b.run(Semantics { integers, ..Semantics::default() }, &[], &mut choices);
        assert_eq!((last_value(&run, "x").as_deref(), last_value(&run, "y").as_deref()), (Some("41"), Some("41")));
    }
}

#[test]
fn bytes_are_copied_and_set() {
    let mut b = Builder::new();
    let int = b.ty(INT);
    let array = b.array(int, 4);
    let (a, c, x) = (b.global("a", array), b.global("c", array), b.global_int("x"));
    let (target, source) = (b.address(c), b.address(a));
    let (byte, count) = (b.of(BYTE, 1), b.size(16));
    b.op(Op::SetBytes { target: source, byte, count });
    let ten = b.size(10);
    b.op(Op::CopyBytes { target, source, count: ten, may_overlap: false });
    let two = b.int(2);
    let place = b.part(c, &[Selector::Index(two)]);
    let value = b.load(place);
    b.set(x, value);
    b.ret(0);
    assert_eq!(b.final_value(Integers::Machine, "x"), Some(0x0101.to_string()));
    assert!(matches!(b.plain_run(Integers::Ideal).end, RunEnd::Unsupported { .. }));
}

#[test]
fn moving_bytes_may_overlap() {
    for integers in BOTH {
        let mut b = Builder::new();
        let int = b.ty(INT);
        let array = b.array(int, 3);
        let (a, x) = (b.global("a", array), b.global_int("x"));
        for index in 0..3 {
            let (at, value) = (b.int(index), b.int(10 + index));
            let place = b.part(a, &[Selector::Index(at)]);
            b.assign(place, value);
        }
        let source = b.address(a);
        let (target, count) = (offset(&mut b, source, 1, 4), b.size(8));
        b.op(Op::CopyBytes { target, source, count, may_overlap: true });
        let two = b.int(2);
        let place = b.part(a, &[Selector::Index(two)]);
        let value = b.load(place);
        b.set(x, value);
        b.ret(0);
        assert_eq!(b.final_value(integers, "x").as_deref(), Some("11"));
    }
}

#[test]
fn the_address_of_a_local_dangles_after_its_function() {
    for integers in BOTH {
        let mut b = Builder::new();
        let f = b.define("f", &[], Some(Scalar::Pointer), |b, _| {
            let local = b.local_of("v", INT);
            let address = b.address(local);
            b.silent(Op::Return(Some(Operand::Scalar(address))));
        });
        let p = b.local_of("p", Scalar::Pointer);
        b.call(f, &[], Some(p));
        b.call(f, &[], Some(p));
        b.ret(0);
        assert_eq!(b.final_value(integers, "p").as_deref(), Some("dangling"));
    }
}

#[test]
fn declarations_begin_lifetimes_again() {
    let mut b = Builder::new();
    let (v, x) = (b.local_of("v", INT), b.global_int("x"));
    let p = b.local_of("p", Scalar::Pointer);
    b.set_int(v, 5);
    let address = b.address(v);
    b.set(p, address);
    b.op(Op::Declare(v));
    let value = b.get(v);
    b.set(x, value);
    b.op(Op::Discard(v));
    b.set(x, value);
    b.ret(0);
    let mut choices = ListedChoices::default();
    choices.push_uninitialised("main::v", Value::int(9));
    let run = b.run(Semantics::default(), &[], &mut choices);
    assert_eq!(last_value(&run, "x").as_deref(), Some("9"));
    assert!(matches!(run.end, RunEnd::Undefined { kind: Undefined::DanglingAccess, .. }));
}

#[test]
fn registers_are_input_and_ignore_writes() {
    let mut b = Builder::new();
    let x = b.global_int("x");
    let register = b.expr(ExprKind::Constant(Constant::Address(0x4000)), Scalar::Pointer);
    let (place, one) = (b.pointee(register, INT), b.int(1));
    b.assign(place.clone(), one);
    let value = b.load(place);
    b.set(x, value);
    b.set(x, value);
    b.ret(0);
    let mut choices = ListedChoices::of_inputs([Value::int(3), Value::int(4)]);
    let run = b.run(Semantics::default(), &[], &mut choices);
    let values: Vec<_> = run.observations.iter().flat_map(|o| &o.changes).map(|c| c.value.as_str()).collect();
    assert_eq!(values, ["3", "4"]);
}

#[test]
fn a_condition_that_reads_a_register_reads_it_once() {
    let mut b = Builder::new();
    let (x, zero) = (b.global_int("x"), b.int(0));
    let register = b.expr(ExprKind::Constant(Constant::Address(0x4000)), Scalar::Pointer);
    let place = b.pointee(register, INT);
    let value = b.load(place);
    let busy = b.compare(CompareOp::NotEqual, value, zero);
    b.while_loop(busy, |b| {
        b.set_int(x, 1);
    });
    b.ret(0);
    let mut choices = ListedChoices::of_inputs([1, 1, 0].map(Value::int));
    let run = b.run(Semantics::default(), &[], &mut choices);
    assert_eq!((run.end, run.observations.len()), (RunEnd::End(EndKind::Return), 8));
}

#[test]
fn an_enormous_array_is_no_burden() {
    let mut b = Builder::new();
    let byte = b.ty(BYTE);
    let array = b.array(byte, 1 << 33);
    let (a, c) = (b.global("a", array), b.global("c", array));
    let l = b.local("l", array);
    let (index, one) = (b.size(1 << 32), b.of(BYTE, 1));
    let place = b.part(a, &[Selector::Index(index)]);
    b.assign(place, one);
    let (target, source) = (b.place(c), b.place(a));
    b.op(Op::Assign { target: target.clone(), value: Operand::Aggregate(source) });
    let uninitialised = b.place(l);
    b.op(Op::Assign { target, value: Operand::Aggregate(uninitialised) });
    let run = b.plain_run(Integers::Machine);
    assert_eq!(last_value(&run, "c[4294967296]").as_deref(), Some("1"));
    assert!(matches!(run.end, RunEnd::Unsupported { .. }));
}

#[test]
fn recursion_computes_and_has_a_limit() {
    let mut b = Builder::new();
    let f = b.declare("sum", Some(INT));
    let body = b.define("body", &[("n", INT)], Some(INT), |b, parameters| {
        let (n, zero, one) = (b.get(parameters[0]), b.int(0), b.int(1));
        let done = b.compare(CompareOp::Equal, n, zero);
        let more = b.program.exprs.not(done);
        let head = b.at;
        b.silent(Op::Assume(done));
        b.silent(Op::Return(Some(Operand::Scalar(zero))));
        b.at = head;
        b.silent(Op::Assume(more));
        let less = b.binary(BinaryOp::Subtract, n, one);
        let rest = b.local_of("rest", INT);
        b.silent(Op::Call { callee: Callee::Function(f), arguments: vec![Operand::Scalar(less)], result: Some(rest) });
        let rest = b.get(rest);
        let sum = b.binary(BinaryOp::Add, n, rest);
        b.silent(Op::Return(Some(Operand::Scalar(sum))));
    });
    // `sum` is declared first so that its body can call it; the body's parts become its own.
    for location in b.program.locations.ids().collect::<Vec<_>>() {
        if b.program.locations[location].function == body {
            b.program.locations[location].function = f;
        }
    }
    let mut moved = b.program.functions[body].clone();
    moved.name = "sum".to_owned();
    b.program.functions[body].name = "unused".to_owned();
    b.program.functions[f] = moved;
    let x = b.global_int("x");
    let ten = b.int(10);
    b.call(f, &[ten], Some(x));
    b.ret(0);
    assert_eq!(b.final_value(Integers::Machine, "x").as_deref(), Some("55"));
    let negative = b.int(-1);
    b.at = b.program.functions[b.function].entry.unwrap();
    b.program.locations[b.at].out.clear();
    b.call(f, &[negative], Some(x));
    b.ret(0);
    let limits = RunLimits { observations: 10, edges: 10_000_000 };
    let run = program::semantics::run(
        &b.program,
        Semantics::default(),
        &[],
        &mut ListedChoices::default(),
        limits,
        &foundation::Budget::unlimited(),
    );
    assert!(matches!(run.end, RunEnd::Unsupported { .. }));
}

#[test]
fn functions_without_a_body_are_input() {
    let mut b = Builder::new();
    let (f, x) = (b.declare("mystery", Some(INT)), b.global_int("x"));
    b.call(f, &[], Some(x));
    b.ret(0);
    let run = b.run(Semantics::default(), &[Atom::Call(f)], &mut ListedChoices::of_inputs([Value::int(8)]));
    assert_eq!(last_value(&run, "x").as_deref(), Some("8"));
    assert_eq!(word(&run), "01000", "start, entry, the call's end, return, end");
}

#[test]
fn a_missing_result_is_arbitrary() {
    let mut b = Builder::new();
    let f = b.define("f", &[], Some(INT), |b, _| {
        b.silent(Op::Return(None));
    });
    let (x, y) = (b.local_of("x", INT), b.global_int("y"));
    b.set_int(x, 1);
    b.call(f, &[], Some(x));
    let value = b.get(x);
    b.set(y, value);
    b.ret(0);
    let mut choices = ListedChoices::default();
    choices.push_uninitialised("main::x", Value::int(17));
    assert_eq!(last_value(&b.run(Semantics::default(), &[], &mut choices), "y").as_deref(), Some("17"));
}

#[test]
fn laziness_never_reads_through_null() {
    for integers in BOTH {
        let mut b = Builder::new();
        let p = b.global_of_pointer("p");
        let (set, value, positive) = looked_through(&mut b, p);
        let both = b.expr(ExprKind::And(set, positive), Scalar::Bool);
        let unset = b.program.exprs.not(set);
        let either = b.expr(ExprKind::Or(unset, positive), Scalar::Bool);
        let (x, zero) = (b.global_int("x"), b.int(0));
        let chosen = b.expr(ExprKind::If(both, value, zero), INT);
        b.op(Op::Assume(either));
        b.set(x, chosen);
        b.ret(0);
        assert_eq!(b.final_value(integers, "x").as_deref(), Some("0"));
    }
}

#[test]
fn allocations_fail_only_where_they_may() {
    let mut b = Builder::new();
    allocated(&mut b, 4, Allocation::Arbitrary);
    b.ret(0);
    let mut choices = ListedChoices::default();
    choices.push_uninitialised("malloc-fails", Value::Bool(true));
    let may_fail = Semantics { malloc_may_fail: true, ..Semantics::default() };
    assert_eq!(last_value(&b.run(may_fail, &[], &mut choices.clone()), "p").as_deref(), Some("null"));
    assert_eq!(last_value(&b.run(may_fail, &[], &mut ListedChoices::default()), "p").as_deref(), Some("&heap#0"));
    assert_eq!(last_value(&b.run(Semantics::default(), &[], &mut choices), "p").as_deref(), Some("&heap#0"));
}

#[test]
fn pointers_and_numbers_convert_back_and_forth() {
    for model in [DataModel::Lp64, DataModel::Ilp32] {
        let mut b = Builder::for_model(model);
        let int = b.ty(INT);
        let array = b.array(int, 4);
        let (a, p, same) = (b.global("a", array), b.global_of_pointer("p"), b.global_int("same"));
        let number_type = Scalar::Int(b.program.types.pointer_int(false));
        let base = b.address(a);
        let element = offset(&mut b, base, 2, 4);
        let number = b.program.exprs.cast(element, number_type);
        let back = b.program.exprs.cast(number, Scalar::Pointer);
        b.set(p, back);
        let p = b.get(p);
        let equal = b.compare(CompareOp::Equal, p, element);
        let equal = b.program.exprs.cast(equal, INT);
        b.set(same, equal);
        b.ret(0);
        for integers in BOTH {
            assert_eq!(b.final_value(integers, "p").as_deref(), Some("&a[2]"));
            assert_eq!(b.final_value(integers, "same").as_deref(), Some("1"));
        }
    }
}

#[test]
fn each_way_to_end() {
    for kind in [EndKind::Exit, EndKind::Abort, EndKind::AssertionFailed] {
        let mut b = Builder::new();
        b.op(Op::End(kind));
        let run = b.run(Semantics::default(), &[Atom::End], &mut ListedChoices::default());
        assert_eq!((word(&run).as_str(), run.end), ("01", RunEnd::End(kind)));
    }
}

#[test]
fn positions_beyond_the_address_space_wrap_in_machines_only() {
    let mut b = Builder::new();
    let (x, p) = (b.global_int("x"), b.global_of_pointer("p"));
    let wide = IntType::unsigned(64);
    let (base, index) = (b.address(x), b.program.exprs.int(u64::MAX, wide));
    let address = b.expr(ExprKind::PointerAdd { base, index, stride: 4 }, Scalar::Pointer);
    b.set(p, address);
    b.ret(0);
    assert_eq!(b.final_value(Integers::Machine, "p").as_deref(), Some("&x-4"));
    let ideal = b.plain_run(Integers::Ideal);
    assert!(matches!(ideal.end, RunEnd::Undefined { kind: Undefined::PointerOverflow, .. }));
}

#[test]
fn initialising_a_mutex_makes_it_free() {
    let mut b = Builder::new();
    let mutex = b.global_int("mutex");
    let mutex = b.address(mutex);
    b.op(Op::Lock(mutex));
    b.op(Op::InitLock(mutex));
    b.op(Op::Lock(mutex));
    b.op(Op::Unlock(mutex));
    b.ret(0);
    assert_eq!(b.plain_run(Integers::Machine).end, RunEnd::End(EndKind::Return));
}
