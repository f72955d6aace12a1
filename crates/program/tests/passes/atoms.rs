//! Preparing: atoms by activation, calls, and what cannot be prepared.

use program::passes::inline::NotInlined;
use program::passes::{NotPrepared, prepare, simplify};
use program::semantics::{ObserveMode, RunEnd, Semantics};
use program::*;

use crate::builder::*;
use crate::shown::{passed, prepared, shown};

/// `main` calls `f(1)` and then `g()`, which calls `f(2)`.
fn nested_calls() -> (Builder, Vec<Atom>) {
    let mut b = Builder::new();
    let x = b.global_int("x");
    let mut parameter = None;
    let f = b.define("f", &[("n", INT)], None, |b, parameters| {
        parameter = Some(parameters[0]);
        let value = b.get(parameters[0]);
        b.set(x, value);
        b.silent(Op::Return(None));
    });
    let two = b.int(2);
    let g = b.define("g", &[], None, |b, _| {
        b.set_int(x, 7);
        b.call(f, &[two], None);
        b.silent(Op::Return(None));
    });
    let one = b.int(1);
    b.call(f, &[one], None);
    b.call(g, &[], None);
    b.ret(0);
    let n = parameter.expect("f was defined");
    let atoms = vec![b.atom(n, 1), b.atom(n, 2), b.atom(x, 7), Atom::Call(f), Atom::Call(b.function), Atom::End];
    (b, atoms)
}

#[test]
fn an_atom_over_a_local_means_the_innermost_activation() {
    let (b, atoms) = nested_calls();
    for observe in [ObserveMode::Statement, ObserveMode::Change, ObserveMode::Step] {
        passed(&b, &atoms, Semantics { observe, ..Semantics::default() }, simplify);
    }
    let before = prepared(&b, &atoms, Semantics::default());
    let columns: Vec<String> = (0..atoms.len())
        .map(|atom| shown(&before, 0).truth.iter().map(|truth| if truth[atom] { '1' } else { '0' }).collect())
        .collect();
    // The start; in f: its entry, x = n; the call; in g: x = 7; in f: entry, x = n; the two calls; the return; the end.
    assert_eq!(
        columns,
        ["01100000000", "00000110000", "00001100000", "01000100000", "10000000000", "00000000001"],
        "n == 1, n == 2, x == 7, call(f), call(main), end"
    );
}

#[test]
fn activations_from_which_atoms_look_alike_share_a_view() {
    let (mut b, atoms) = nested_calls();
    let views = |b: &Builder, atoms: &[Atom]| {
        let prepared = prepared(b, atoms, Semantics::default());
        let views: std::collections::BTreeSet<_> =
            prepared.contexts.ids().map(|context| prepared.atoms.view(context)).collect();
        (prepared.contexts.len(), views.len())
    };
    assert_eq!(views(&b, &atoms), (4, 3), "main and g are alike, the two activations of f are not");
    let x = b.global_int("other");
    let atom = b.atom(x, 0);
    assert_eq!(views(&b, &[atom]), (4, 1));
}

#[test]
fn an_argument_that_goes_wrong_is_seen_from_the_caller() {
    let mut b = Builder::new();
    let mut parameter = None;
    let f = b.define("f", &[("n", INT), ("m", INT)], None, |b, parameters| {
        parameter = Some(parameters[0]);
        b.silent(Op::Return(None));
    });
    let (one, zero) = (b.int(1), b.int(0));
    let quotient = b.binary(BinaryOp::Divide, one, zero);
    b.call(f, &[one, quotient], None);
    b.ret(0);
    let atom = b.atom(parameter.expect("f was defined"), 1);
    let after = passed(&b, &[atom, Atom::Error], Semantics::default(), simplify);
    assert_eq!(shown(&after, 0).truth, [vec![false, false], vec![false, true]]);
}

#[test]
fn a_function_without_a_body_takes_what_it_is_given_and_is_seen() {
    let mut b = Builder::new();
    let x = b.global_int("x");
    let f = b.declare("f", Some(INT));
    let one = b.int(1);
    b.call(f, &[one, one], Some(x));
    b.ret(0);
    let atoms = [Atom::Call(f), Atom::Error, b.atom(x, 1)];
    let after = passed(&b, &atoms, Semantics::default(), simplify);
    assert_eq!(shown(&after, 0).end, RunEnd::End(EndKind::Return));
    let stopped = passed(&b, &atoms, Semantics { stop_at_call: Some(f), ..Semantics::default() }, simplify);
    assert_eq!(shown(&stopped, 0).end, RunEnd::StoppedAtCall(f));
}

#[test]
fn a_missing_return_value_is_asked_for_when_it_is_read() {
    let mut b = Builder::new();
    let (x, y) = (b.local_of("x", INT), b.global_int("y"));
    let f = b.define("f", &[], Some(INT), |b, _| {
        b.silent(Op::Return(None));
    });
    b.call(f, &[], Some(x));
    b.input(y);
    let value = b.get(x);
    b.set(y, value);
    b.ret(0);
    let atom = b.atom(y, 0);
    let after = passed(&b, &[atom], Semantics::default(), simplify);
    let questions = shown(&after, 0).questions;
    assert!(questions[0].starts_with("Input") && questions[1].starts_with("uninitialised"), "{questions:?}");
}

#[test]
fn the_way_back_leads_to_the_edges_that_were_written() {
    let (b, atoms) = nested_calls();
    let after = passed(&b, &atoms, Semantics::default(), simplify);
    for (edge, contents) in after.program.edges.iter() {
        let origin = after.origin(edge);
        assert_eq!(b.program.edges[origin.edge].span, contents.span);
        let function = b.program.locations[b.program.edges[origin.edge].from].function;
        let context = &after.contexts[origin.context];
        let called = context.caller.is_some_and(|(_, call)| call == origin.edge);
        assert!(context.function == function || called, "an edge is taken in an activation of its function");
    }
}

#[test]
fn recursion_threads_and_programs_without_a_beginning_are_refused() {
    let mut b = Builder::new();
    let main = b.function;
    b.call(main, &[], None);
    b.ret(0);
    let refused = prepare(&b.program, &[], Semantics::default(), 1000).err();
    assert!(matches!(refused, Some(NotPrepared::NotInlined(NotInlined::Recursion { .. }))), "{refused:?}");
    let mut b = Builder::new();
    let f = b.define("f", &[("argument", Scalar::Pointer)], None, |b, _| {
        b.silent(Op::Return(None));
    });
    let (handle, argument) = (b.local_of("t", SIZE), b.null());
    b.op(Op::Spawn { handle, function: Callee::Function(f), argument });
    b.ret(0);
    assert_eq!(prepare(&b.program, &[], Semantics::default(), 1000).err(), Some(NotPrepared::Threads));
    let mut b = Builder::new();
    b.program.functions[b.function].entry = None;
    let refused = prepare(&b.program, &[], Semantics::default(), 1000).err();
    assert_eq!(refused, Some(NotPrepared::NotInlined(NotInlined::NoEntry)));
}
