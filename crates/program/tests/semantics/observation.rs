//! Which states are observed in each mode, loops, and silent divergence.

use program::semantics::*;
use program::*;

use crate::builder::*;

fn mode(observe: ObserveMode) -> Semantics {
    Semantics { observe, ..Semantics::default() }
}

fn zeros() -> ListedChoices {
    ListedChoices::default()
}

#[test]
fn statements_changes_and_steps() {
    let mut b = Builder::new();
    let (x, y) = (b.global_int("x"), b.global_int("y"));
    b.set_int(x, 1);
    b.set_int(y, 1);
    b.step();
    b.set_int(x, 1);
    b.ret(0);
    let atom = [b.atom(x, 1)];
    let words: Vec<String> = [ObserveMode::Statement, ObserveMode::Change, ObserveMode::Step]
        .map(|observe| word(&b.run(mode(observe), &atom, &mut zeros())))
        .into();
    assert_eq!(words, ["0111111", "0111", "011"]);
}

#[test]
fn writes_before_a_call_count_for_the_expression_that_made_them() {
    let mut b = Builder::new();
    let (x, y) = (b.global_int("x"), b.global_int("y"));
    let f = b.define("f", &[], None, |b, _| {
        b.set_int(y, 1);
        b.silent(Op::Return(None));
    });
    let (target, one) = (b.place(x), b.int(1));
    b.silent(Op::Assign { target, value: Operand::Scalar(one) });
    b.call(f, &[], None);
    b.ret(0);
    let atom = [b.atom(x, 1)];
    let run = b.run(mode(ObserveMode::Change), &atom, &mut zeros());
    let occasions: Vec<Occasion> = run.observations.iter().map(|observation| observation.occasion).collect();
    assert_eq!(occasions.len(), 3, "{occasions:?}");
    let Occasion::Edge(edge) = occasions[1] else { panic!("{occasions:?}") };
    assert!(matches!(b.program.edges[edge].op, Op::Call { .. }));
}

#[test]
fn library_functions_are_not_observed_but_their_writes_count() {
    let mut b = Builder::new();
    let x = b.global_int("x");
    let f = b.define("f", &[], None, |b, _| {
        b.set_int(x, 1);
        b.set_int(x, 2);
        b.silent(Op::Return(None));
    });
    b.program.functions[f].library = true;
    b.call(f, &[], None);
    b.ret(0);
    let atom = [b.atom(x, 2)];
    assert_eq!(word(&b.run(mode(ObserveMode::Statement), &atom, &mut zeros())), "0111");
    assert_eq!(word(&b.run(mode(ObserveMode::Change), &atom, &mut zeros())), "011");
}

#[test]
fn writes_through_what_atoms_dereference_are_changes() {
    let mut b = Builder::new();
    let (x, y) = (b.global_int("x"), b.global_int("y"));
    let p = b.global_of_pointer("p");
    let address = b.address(x);
    b.set(p, address);
    b.set_int(y, 4);
    b.set_int(x, 4);
    b.ret(0);
    let (address, four) = (b.get(p), b.int(4));
    let place = b.pointee(address, INT);
    let value = b.load(place);
    let value = b.compare(CompareOp::Equal, value, four);
    let atom = [Atom::State { value, active: Vec::new(), reads: vec![p] }];
    let run = b.run(mode(ObserveMode::Change), &atom, &mut zeros());
    assert_eq!(word(&run), "0011", "start (undefined, so false), p = &x, x = 4, end");
}

#[test]
fn locals_are_false_while_their_function_is_not_active() {
    let mut b = Builder::new();
    let mut local = None;
    let f = b.define("f", &[("n", INT)], None, |b, parameters| {
        b.op(Op::Skip);
        b.silent(Op::Return(None));
        local = Some(parameters[0]);
    });
    let (three, five) = (b.int(3), b.int(5));
    b.call(f, &[three], None);
    b.call(f, &[five], None);
    b.ret(0);
    let atom = [b.atom(local.unwrap(), 3)];
    assert_eq!(word(&b.run(mode(ObserveMode::Statement), &atom, &mut zeros())), "0100000");
    assert_eq!(word(&b.run(mode(ObserveMode::Change), &atom, &mut zeros())), "010000", "entries and returns are seen");
}

#[test]
fn the_innermost_activation_counts() {
    let mut b = Builder::new();
    let f = b.declare("f", None);
    let n = {
        let ty = b.ty(INT);
        let span = b.span();
        let kind = VariableKind::Parameter(f);
        b.program.variables.push(Variable { name: "n".to_owned(), kind, ty, address_taken: true, span })
    };
    b.program.functions[f].parameters.push(n);
    let outer = (b.function, b.at);
    b.function = f;
    b.at = b.program.add_location(f);
    b.program.functions[f].entry = Some(b.at);
    let (zero, one, value) = (b.int(0), b.int(1), b.get(n));
    let more = b.compare(CompareOp::Greater, value, zero);
    let less = b.binary(BinaryOp::Subtract, value, one);
    b.op(Op::Skip);
    b.while_loop(more, |b| {
        b.call(f, &[less], None);
        b.silent(Op::Return(None));
    });
    b.silent(Op::Return(None));
    (b.function, b.at) = outer;
    b.call(f, &[one], None);
    b.ret(0);
    let atom = [b.atom(n, 0)];
    // Outer skip and condition, inner skip and condition, the inner call's end in the outer activation.
    assert_eq!(word(&b.run(mode(ObserveMode::Statement), &atom, &mut zeros())), "000110000");
}

#[test]
fn calls_are_extra_observations_in_every_mode() {
    let mut b = Builder::new();
    let f = b.define("f", &[("n", INT)], None, |b, _| {
        b.silent(Op::Return(None));
    });
    let three = b.int(3);
    b.call(f, &[three], None);
    b.ret(0);
    let atom = [Atom::Call(f)];
    for (observe, expected) in
        [(ObserveMode::Statement, "01000"), (ObserveMode::Change, "010"), (ObserveMode::Step, "010")]
    {
        let run = b.run(mode(observe), &atom, &mut zeros());
        assert_eq!(word(&run), expected, "{observe}");
        let written = &run.observations[1].changes;
        assert_eq!(written.iter().map(|it| (it.name.as_str(), it.value.as_str())).collect::<Vec<_>>(), [("n", "3")]);
    }
    let stopped = b.run(Semantics { stop_at_call: Some(f), ..Semantics::default() }, &atom, &mut zeros());
    assert_eq!((word(&stopped).as_str(), stopped.end), ("01", RunEnd::StoppedAtCall(f)));
}

#[test]
fn a_return_is_observed_while_its_function_is_active() {
    let mut b = Builder::new();
    let f = b.define("f", &[("n", INT)], Some(INT), |b, _| b.ret(1));
    let n = b.program.functions[f].parameters[0];
    let three = b.int(3);
    b.call(f, &[three], None);
    b.ret(0);
    let atom = [b.atom(n, 3)];
    assert_eq!(word(&b.run(Semantics::default(), &atom, &mut zeros())), "01000");
}

#[test]
fn overflow_rises_and_falls_in_change_mode() {
    let mut b = Builder::new();
    let x = b.local_of("x", INT);
    b.set_int(x, i64::from(i32::MAX));
    let (value, one) = (b.get(x), b.int(1));
    let sum = b.binary(BinaryOp::Add, value, one);
    b.set(x, sum);
    b.set_int(x, 0);
    b.set_int(x, 0);
    b.ret(0);
    let run = b.run(mode(ObserveMode::Change), &[Atom::Overflow], &mut zeros());
    assert_eq!(word(&run), "0100", "start, overflow, its fall, end");
}

#[test]
fn loops_are_found_exactly() {
    let mut b = Builder::new();
    let (x, yes) = (b.global_int("x"), b.program.exprs.bool(true));
    b.while_loop(yes, |b| {
        b.set_int(x, 1);
        b.set_int(x, 2);
        b.set_int(x, 3);
    });
    let atom = [b.atom(x, 2)];
    let run = b.run(Semantics::default(), &atom, &mut zeros());
    let RunEnd::Lasso { start } = run.end else { panic!("{:?}", run.end) };
    let letters = word(&run);
    let period = &letters[start..];
    assert_eq!(period.len() % 4, 0);
    let expected: String = "0".to_owned() + &"0010".repeat(letters.len());
    assert!(expected.starts_with(&(letters.clone() + &period.repeat(3))), "{letters} then {period}");
}

#[test]
fn counting_is_no_loop_and_choices_break_loops() {
    let mut b = Builder::new();
    let (x, yes) = (b.global_int("x"), b.program.exprs.bool(true));
    b.while_loop(yes, |b| {
        let (value, one) = (b.get(x), b.int(1));
        let sum = b.binary(BinaryOp::Add, value, one);
        b.set(x, sum);
    });
    assert_eq!(b.plain_run(Integers::Machine).end, RunEnd::Limit);
    let mut b = Builder::new();
    let (x, yes) = (b.global_int("x"), b.program.exprs.bool(true));
    b.while_loop(yes, |b| {
        b.input(x);
    });
    let mut inputs = ListedChoices::of_inputs(std::iter::repeat_n(Value::int(0), 50));
    let run = b.run(Semantics::default(), &[], &mut inputs);
    assert_eq!((run.end, run.observations.len()), (RunEnd::NoMoreInputs, 102));
}

#[test]
fn silent_divergence_is_found() {
    let mut b = Builder::new();
    let yes = b.program.exprs.bool(true);
    let head = b.at;
    b.silent(Op::Assume(yes));
    let span = b.span();
    b.program.add_edge(b.at, head, Op::Skip, span, Observe::No);
    let run = b.plain_run(Integers::Machine);
    assert_eq!((run.end, run.observations.len()), (RunEnd::Silent, 1));
}

#[test]
fn assumptions_cut() {
    let mut b = Builder::new();
    let no = b.program.exprs.bool(false);
    b.op(Op::Assume(no));
    b.ret(0);
    assert!(matches!(b.plain_run(Integers::Machine).end, RunEnd::Blocked { span: Some(_) }));
}

#[test]
fn several_open_edges_are_a_choice() {
    let mut b = Builder::new();
    let x = b.global_int("x");
    let head = b.at;
    b.set_int(x, 1);
    b.ret(0);
    b.at = head;
    b.set_int(x, 2);
    b.ret(0);
    let seen: std::collections::BTreeSet<_> = (0..20)
        .map(|seed| last_value(&b.run(Semantics::default(), &[], &mut SeededChoices::new(seed)), "x").unwrap())
        .collect();
    assert_eq!(seen.len(), 2);
}

#[test]
fn names_of_parts() {
    let mut b = Builder::new();
    let inner = b.record(&[("f", INT, 0, None), ("g", CHAR, 32, None)], 64, false);
    let array = b.array(inner, 3);
    let (a, p) = (b.global("a", array), b.global_of_pointer("p"));
    let (two, value) = (b.int(2), b.of(CHAR, 7));
    let place = b.part(a, &[Selector::Index(two), Selector::Field(1)]);
    b.assign(place.clone(), value);
    let address = b.expr(ExprKind::AddressOf(place), Scalar::Pointer);
    b.set(p, address);
    b.ret(0);
    let run = b.plain_run(Integers::Machine);
    assert_eq!(last_value(&run, "a[2].g").as_deref(), Some("7"));
    assert_eq!(last_value(&run, "p").as_deref(), Some("&a[2].g"));
}
