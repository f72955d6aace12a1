//! The pass that makes every access to shared memory a step of its own.

use program::passes::interleave::{Interleaved, interleave};
use program::print::{edge_text, function_text};
use program::semantics::{Integers, ListedChoices, RunEnd, Semantics, Value};
use program::*;
use proptest::prelude::*;

use crate::builder::*;

fn text(b: &Builder) -> String {
    function_text(&interleave(&b.program).program, b.function)
}

/// The number of accesses to globals and through pointers that an edge makes at most, counted independently.
fn accesses(program: &Program, edge: EdgeId) -> usize {
    let shared = |place: &Place| match place.root {
        Root::Variable(variable) => matches!(program.variables[variable].kind, VariableKind::Global { .. }),
        Root::Pointer { .. } => true,
    };
    fn in_expr(program: &Program, shared: &dyn Fn(&Place) -> bool, expr: ExprId) -> usize {
        let own = match &program.exprs.get(expr).kind {
            ExprKind::Load(place) => usize::from(shared(place)),
            _ => 0,
        };
        own + program.exprs.operands(expr).iter().map(|&operand| in_expr(program, shared, operand)).sum::<usize>()
    }
    match &program.edges[edge].op {
        Op::Assume(condition) => in_expr(program, &shared, *condition),
        Op::Assign { target, value: Operand::Scalar(value) } => {
            let indices = target.operands();
            usize::from(shared(target))
                + indices.iter().chain([value]).map(|&expr| in_expr(program, &shared, expr)).sum::<usize>()
        }
        _ => 0,
    }
}

#[test]
fn an_assignment_is_split_from_left_to_right() {
    let mut b = Builder::new();
    let (x, y) = (b.global_int("x"), b.global_int("y"));
    let (left, right) = (b.get(x), b.get(y));
    let sum = b.binary(BinaryOp::Add, left, right);
    b.set(x, sum);
    assert_eq!(
        text(&b),
        "function main(): int32_t\n    %i0: int32_t\n    %i1: int32_t\n    entry L0\n    L0 -> L2: %i0 = x\n    \
         L2 -> L3: %i1 = y\n    L3 -> L1: x = %i0 + %i1  [observed]\n"
    );
}

#[test]
fn what_makes_one_access_stays_as_it_is() {
    let mut b = Builder::new();
    let (x, one) = (b.global_int("x"), b.int(1));
    let t = b.local_of("t", INT);
    b.program.variables[t].address_taken = false;
    let value = b.get(x);
    let sum = b.binary(BinaryOp::Add, value, one);
    b.set(t, sum);
    b.set_int(x, 3);
    let m = b.global_int("m");
    let mutex = b.address(m);
    b.op(Op::Lock(mutex));
    let interleaved = interleave(&b.program);
    assert_eq!(interleaved.program.edges.len(), b.program.edges.len());
}

#[test]
fn a_branch_loads_once_for_all_its_edges() {
    let mut b = Builder::new();
    let (x, zero) = (b.global_int("x"), b.int(0));
    let value = b.get(x);
    let positive = b.compare(CompareOp::Greater, value, zero);
    b.while_loop(positive, |_| {});
    let text = text(&b);
    for line in ["L0 -> L3: %i0 = x\n", "L3 -> L1: assume %i0 > 0  [obs", "L3 -> L2: assume %i0 <= 0  [obs"] {
        assert!(text.contains(line), "{text}");
    }
    assert_eq!(text.matches("= x").count(), 1, "{text}");
}

#[test]
fn the_cases_of_a_switch_share_one_load() {
    let mut b = Builder::new();
    let x = b.global_int("x");
    let (one, two) = (b.equals(x, 1), b.equals(x, 2));
    let (not_one, not_two) = (b.program.exprs.not(one), b.program.exprs.not(two));
    let default = b.expr(ExprKind::And(not_one, not_two), Scalar::Bool);
    let head = b.at;
    for condition in [one, two, default] {
        b.at = head;
        b.op(Op::Assume(condition));
        b.ret(0);
    }
    let text = text(&b);
    assert_eq!((text.matches("= x").count(), text.matches("assume").count()), (1, 3), "{text}");
}

#[test]
fn lazy_operands_become_control_flow() {
    let mut b = Builder::new();
    let p = b.global_of_pointer("p");
    let (set, _, positive) = looked_through(&mut b, p);
    let both = b.expr(ExprKind::And(set, positive), Scalar::Bool);
    b.while_loop(both, |_| {});
    b.ret(0);
    let interleaved = interleave(&b.program);
    let mut moved = Builder::new();
    moved.program = interleaved.program.clone();
    for integers in [Integers::Machine, Integers::Ideal] {
        assert_eq!(moved.plain_run(integers).end, RunEnd::End(EndKind::Return), "null is not read through");
    }
    for edge in interleaved.program.edges.ids() {
        assert!(accesses(&interleaved.program, edge) <= 1, "{}", edge_text(&interleaved.program, edge));
    }
}

#[test]
fn results_go_through_a_temporary_and_operations_on_mutexes_read_first() {
    let mut b = Builder::new();
    let (f, x) = (b.declare("f", Some(INT)), b.global_int("x"));
    let p = b.global_of_pointer("p");
    b.call(f, &[], Some(x));
    let mutex = b.get(p);
    b.op(Op::Lock(mutex));
    let text = text(&b);
    assert!(text.contains("%i0 = f()\n") && text.contains("x = %i0  [observed]\n"), "{text}");
    assert!(text.contains("%i1 = p\n") && text.contains("lock(%i1)  [observed]\n"), "{text}");
}

/// A random expression over three globals and an array, by a recipe of numbers.
fn expression(b: &mut Builder, globals: &[VariableId], recipe: &mut impl Iterator<Item = u8>, depth: u32) -> ExprId {
    let choice = recipe.next().unwrap_or(0);
    if depth == 0 {
        return if choice < 64 {
            b.int(i64::from(choice) % 4)
        } else {
            let variable = globals[usize::from(choice) % globals.len()];
            b.get(variable)
        };
    }
    let left = expression(b, globals, recipe, depth - 1);
    let right = expression(b, globals, recipe, depth - 1);
    let truth = |b: &mut Builder, expr| b.program.exprs.cast(expr, Scalar::Bool);
    let (p, q) = (truth(b, left), truth(b, right));
    match choice % 7 {
        0 => b.binary(BinaryOp::Add, left, right),
        1 => b.binary(BinaryOp::BitXor, left, right),
        2 => {
            let lazy = b.expr(ExprKind::And(p, q), Scalar::Bool);
            b.program.exprs.cast(lazy, INT)
        }
        3 => {
            let lazy = b.expr(ExprKind::Or(p, q), Scalar::Bool);
            b.program.exprs.cast(lazy, INT)
        }
        4 => {
            let other = expression(b, globals, recipe, depth - 1);
            b.expr(ExprKind::If(p, right, other), INT)
        }
        5 => {
            let not = b.program.exprs.not(q);
            b.program.exprs.cast(not, INT)
        }
        _ => b.binary(BinaryOp::Subtract, left, right),
    }
}

proptest! {
    #[test]
    fn a_single_thread_does_not_notice(recipe in prop::collection::vec(any::<u8>(), 0..120), inputs in prop::array::uniform3(-2i64..3)) {
        let mut b = Builder::new();
        let globals = [b.global_int("x"), b.global_int("y"), b.global_int("z")];
        for global in globals {
            b.input(global);
        }
        let mut recipe = recipe.into_iter();
        for at in 0..3 {
            let value = expression(&mut b, &globals, &mut recipe, 3);
            b.set(globals[at], value);
        }
        let condition = expression(&mut b, &globals, &mut recipe, 3);
        let condition = b.program.exprs.cast(condition, Scalar::Bool);
        b.while_loop(condition, |b| {
            b.set_int(globals[0], 7);
            b.op(Op::End(EndKind::Exit));
        });
        b.ret(0);
        let Interleaved { program, back } = interleave(&b.program);
        for edge in program.edges.ids() {
            prop_assert!(accesses(&program, edge) <= 1, "{}", edge_text(&program, edge));
        }
        let values = || ListedChoices::of_inputs(inputs.map(Value::int));
        let before = b.run(Semantics::default(), &[], &mut values());
        let mut new = Builder::new();
        new.program = program;
        let after = new.run(Semantics::default(), &[], &mut values());
        prop_assert_eq!(&before.end, &after.end);
        prop_assert_eq!(before.observations.len(), after.observations.len());
        for (old, new) in before.observations.iter().zip(&after.observations) {
            prop_assert_eq!(&old.changes, &new.changes);
            prop_assert_eq!(old.edge, new.edge.map(|edge| back.edge(edge)));
        }
    }
}
