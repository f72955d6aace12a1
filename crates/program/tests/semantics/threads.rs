//! Threads: schedules, mutexes, atomic sections, deadlocks, data races.

use std::collections::BTreeSet;

use program::passes::interleave::interleave;
use program::semantics::*;
use program::*;

use crate::builder::*;

/// A function that threads run, with the usual parameter.
fn thread_function(b: &mut Builder, name: &str, body: impl FnOnce(&mut Builder)) -> FunctionId {
    b.define(name, &[("argument", Scalar::Pointer)], Some(Scalar::Pointer), |b, parameters| {
        body(b);
        let argument = b.get(parameters[0]);
        b.silent(Op::Return(Some(Operand::Scalar(argument))));
    })
}

fn spawn(b: &mut Builder, function: FunctionId) -> VariableId {
    let handle = b.local_of("h", SIZE);
    b.program.variables[handle].address_taken = false;
    let argument = b.null();
    b.op(Op::Spawn { handle, function: Callee::Function(function), argument });
    handle
}

fn join(b: &mut Builder, handle: VariableId) {
    let result = b.local_of("result", Scalar::Pointer);
    b.program.variables[result].address_taken = false;
    let thread = b.get(handle);
    b.op(Op::Join { thread, result });
}

fn increment(b: &mut Builder, variable: VariableId) {
    let (value, one) = (b.get(variable), b.int(1));
    let sum = b.binary(BinaryOp::Add, value, one);
    b.set(variable, sum);
}

/// Two threads that do the same, and `main`, which waits for them and copies `x` to `y`.
fn twice(body: impl Fn(&mut Builder, VariableId, VariableId)) -> Builder {
    let mut b = Builder::new();
    let (x, y, mutex) = (b.global_int("x"), b.global_int("y"), b.global_int("mutex"));
    let worker = thread_function(&mut b, "worker", |b| body(b, x, mutex));
    let first = spawn(&mut b, worker);
    let second = spawn(&mut b, worker);
    join(&mut b, first);
    join(&mut b, second);
    let value = b.get(x);
    b.set(y, value);
    b.ret(0);
    b
}

/// The last values of `y` over many schedules, and whether some run had a data race.
fn outcomes(b: &Builder) -> (BTreeSet<String>, bool) {
    let mut races = false;
    let values = (0..60).map(|seed| {
        let run = b.run(Semantics::default(), &[], &mut SeededChoices::new(seed));
        assert_eq!(run.end, RunEnd::End(EndKind::Return));
        races |= run.warnings.iter().any(|warning| matches!(warning, Warning::Race(_)));
        last_value(&run, "y").expect("y is written")
    });
    (values.collect(), races)
}

fn interleaved(mut b: Builder) -> Builder {
    b.program = interleave(&b.program).program;
    b
}

fn set(values: &[&str]) -> BTreeSet<String> {
    values.iter().map(|value| (*value).to_owned()).collect()
}

#[test]
fn an_update_is_lost_only_where_accesses_interleave() {
    let program = || twice(|b, x, _| increment(b, x));
    assert_eq!(outcomes(&program()), (set(&["2"]), true));
    assert_eq!(outcomes(&interleaved(program())), (set(&["1", "2"]), true));
}

#[test]
fn a_mutex_protects_and_orders() {
    let program = twice(|b, x, mutex| {
        let mutex = b.address(mutex);
        b.op(Op::Lock(mutex));
        increment(b, x);
        b.op(Op::Unlock(mutex));
    });
    assert_eq!(outcomes(&interleaved(program)), (set(&["2"]), false));
}

#[test]
fn trying_a_mutex_never_waits() {
    let program = twice(|b, x, mutex| {
        let mutex = b.address(mutex);
        let taken = b.local_of("taken", Scalar::Bool);
        b.program.variables[taken].address_taken = false;
        b.op(Op::TryLock { mutex, taken });
        let taken = b.get(taken);
        b.while_loop(taken, |b| {
            increment(b, x);
            b.op(Op::Unlock(mutex));
            let null = b.null();
            b.op(Op::ExitThread(null));
        });
    });
    assert_eq!(outcomes(&interleaved(program)), (set(&["1", "2"]), false));
}

#[test]
fn atomic_sections_and_functions_do_not_interleave() {
    let section = twice(|b, x, _| {
        b.op(Op::AtomicBegin);
        increment(b, x);
        b.op(Op::AtomicEnd);
    });
    assert_eq!(outcomes(&interleaved(section)), (set(&["2"]), false));
    let mut b = Builder::new();
    let (x, y) = (b.global_int("x"), b.global_int("y"));
    let update = b.define("update", &[], None, |b, _| {
        increment(b, x);
        b.silent(Op::Return(None));
    });
    b.program.functions[update].atomic = true;
    let worker = thread_function(&mut b, "worker", |b| {
        b.call(update, &[], None);
    });
    let handles = [spawn(&mut b, worker), spawn(&mut b, worker)];
    for handle in handles {
        join(&mut b, handle);
    }
    let value = b.get(x);
    b.set(y, value);
    b.ret(0);
    assert_eq!(outcomes(&interleaved(b)), (set(&["2"]), false));
}

/// Peterson's algorithm keeps two threads apart in every schedule that was tried, and without its waiting loop some
/// schedule lets both in.
#[test]
fn peterson() {
    let build = |waits: bool| {
        let mut b = Builder::new();
        let flags = [b.global_int("flag0"), b.global_int("flag1")];
        let (turn, inside, bad) = (b.global_int("turn"), b.global_int("inside"), b.global_int("bad"));
        let mut workers = Vec::new();
        for me in 0..2usize {
            workers.push(thread_function(&mut b, &format!("worker{me}"), |b| {
                b.set_int(flags[me], 1);
                b.set_int(turn, 1 - me as i64);
                if waits {
                    let (other, theirs) = (b.equals(flags[1 - me], 1), b.equals(turn, 1 - me as i64));
                    let wait = b.expr(ExprKind::And(other, theirs), Scalar::Bool);
                    b.while_loop(wait, |_| {});
                }
                increment(b, inside);
                let both = b.equals(inside, 2);
                let alone = b.program.exprs.not(both);
                let head = b.at;
                b.op(Op::Assume(both));
                b.set_int(bad, 1);
                let after = b.at;
                b.at = head;
                b.op(Op::Assume(alone));
                let span = b.span();
                b.program.add_edge(b.at, after, Op::Skip, span, Observe::No);
                b.at = after;
                let (value, one) = (b.get(inside), b.int(1));
                let less = b.binary(BinaryOp::Subtract, value, one);
                b.set(inside, less);
                b.set_int(flags[me], 0);
            }));
        }
        let handles = [spawn(&mut b, workers[0]), spawn(&mut b, workers[1])];
        for handle in handles {
            join(&mut b, handle);
        }
        b.ret(0);
        interleaved(b)
    };
    let collides = |b: &Builder, seed| {
        let run = b.run(Semantics::default(), &[], &mut SeededChoices::new(seed));
        assert_eq!(run.end, RunEnd::End(EndKind::Return));
        last_value(&run, "bad").is_some()
    };
    let (safe, unsafe_one) = (build(true), build(false));
    assert!((0..200).all(|seed| !collides(&safe, seed)));
    assert!((0..200).any(|seed| collides(&unsafe_one, seed)));
}

#[test]
fn deadlocks_are_found() {
    let mut b = Builder::new();
    let mutex = b.global_int("mutex");
    let mutex = b.address(mutex);
    b.op(Op::Lock(mutex));
    b.op(Op::Lock(mutex));
    b.ret(0);
    let run = b.run(Semantics::default(), &[Atom::Deadlock], &mut ListedChoices::default());
    assert_eq!((run.end.clone(), word(&run).as_str()), (RunEnd::Deadlock, "001"));

    let mut b = Builder::new();
    let locks = [b.global_int("m0"), b.global_int("m1")];
    let [first, second] = locks.map(|lock| b.address(lock));
    let worker = thread_function(&mut b, "worker", |b| {
        b.op(Op::Lock(second));
        b.op(Op::Lock(first));
        b.op(Op::Unlock(first));
        b.op(Op::Unlock(second));
    });
    let handle = spawn(&mut b, worker);
    for op in [Op::Lock(first), Op::Lock(second), Op::Unlock(second), Op::Unlock(first)] {
        b.op(op);
    }
    join(&mut b, handle);
    b.ret(0);
    let ends: Vec<RunEnd> =
        (0..40).map(|seed| b.run(Semantics::default(), &[], &mut SeededChoices::new(seed)).end).collect();
    assert!(ends.contains(&RunEnd::Deadlock) && ends.contains(&RunEnd::End(EndKind::Return)), "{ends:?}");
}

#[test]
fn a_thread_blocked_in_an_atomic_section_is_a_deadlock() {
    let mut b = Builder::new();
    let worker = thread_function(&mut b, "worker", |b| {
        b.op(Op::Skip);
    });
    b.op(Op::AtomicBegin);
    let handle = spawn(&mut b, worker);
    join(&mut b, handle);
    b.ret(0);
    assert_eq!(b.plain_run(Integers::Machine).end, RunEnd::Deadlock);
}

#[test]
fn a_thread_is_joined_once_and_gives_its_value() {
    let mut b = Builder::new();
    let (x, p) = (b.global_int("x"), b.global_of_pointer("p"));
    let worker = thread_function(&mut b, "worker", |b| {
        let value = b.address(x);
        b.op(Op::ExitThread(value));
    });
    let handle = spawn(&mut b, worker);
    let thread = b.get(handle);
    b.op(Op::Join { thread, result: p });
    b.op(Op::Join { thread, result: p });
    let run = b.plain_run(Integers::Machine);
    assert_eq!(last_value(&run, "p").as_deref(), Some("&x"));
    assert!(matches!(run.end, RunEnd::Undefined { kind: UndefinedBehaviour::InvalidJoin, .. }));
}

#[test]
fn main_returning_ends_all_and_main_exiting_does_not() {
    let build = |exits: bool| {
        let mut b = Builder::new();
        let x = b.global_int("x");
        let worker = thread_function(&mut b, "worker", |b| {
            b.op(Op::Skip);
            b.set_int(x, 1);
        });
        spawn(&mut b, worker);
        if exits {
            let null = b.null();
            b.op(Op::ExitThread(null));
        } else {
            b.ret(0);
        }
        let mut schedule = ListedChoices::default();
        schedule.push_thread(0);
        b.run(Semantics::default(), &[], &mut schedule)
    };
    for (exits, x) in [(true, Some("1")), (false, None)] {
        let run = build(exits);
        assert_eq!((last_value(&run, "x").as_deref(), run.end), (x, RunEnd::End(EndKind::Return)));
    }
}

#[test]
fn schedules_are_taken_from_the_list_and_must_fit() {
    let mut b = twice(|b, x, _| increment(b, x));
    b = interleaved(b);
    let mut choices = ListedChoices::default();
    // Both workers load before either stores.
    for thread in [0, 1, 2, 1] {
        choices.push_thread(thread);
    }
    let run = b.run(Semantics::default(), &[], &mut choices);
    assert_eq!(last_value(&run, "y").as_deref(), Some("1"), "{run:?}");
    let mut choices = ListedChoices::default();
    choices.push_thread(7);
    assert!(matches!(b.run(Semantics::default(), &[], &mut choices).end, RunEnd::UnfitInput { .. }));
}

#[test]
fn locals_in_atoms_are_those_of_the_thread_that_ran_last() {
    let mut b = Builder::new();
    let mut local = None;
    let worker = thread_function(&mut b, "worker", |b| {
        let v = b.local_of("v", INT);
        b.set_int(v, 5);
        b.op(Op::Skip);
        local = Some(v);
    });
    let atom = b.atom(local.unwrap(), 5);
    let handle = spawn(&mut b, worker);
    join(&mut b, handle);
    b.ret(0);
    let run = b.run(Semantics::default(), &[atom], &mut ListedChoices::default());
    assert_eq!(word(&run), "0011000", "start, spawn, v = 5, skip; then the worker is not active any more");
}
