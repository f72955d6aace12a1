//! A pointer never leads where it was said not to lead.

use analysis::points_to::{Pointee, Targets};
use analysis::{Initialised, Liveness, PointsTo};
use program::Op;
use program::semantics::interpreter::Interpreter;
use program::semantics::object::Content;
use program::semantics::value::Pointer;
use program::semantics::{Integers, ObjectId, ObserveMode, Value};

use crate::driver::{drive, seeded};
use crate::generator::Style;
use crate::subject::{Subject, for_many};

fn check_subject(subject: &Subject, integers: Integers, seeds: &[u64]) -> usize {
    let program = &subject.program;
    let observed = subject.observed();
    let liveness = Liveness::new(program, &observed);
    let initialised = Initialised::new(program, &observed, &liveness);
    let points_to = PointsTo::new(program, integers == Integers::Machine, &|id| initialised.is_definite(id));
    let mut checked = 0;
    for &seed in seeds {
        let mut look = |interpreter: &mut Interpreter<'_>, _| {
            for (holder, contents) in interpreter.state.memory.objects() {
                let Some(variable) = holder.variable() else { continue };
                let said = points_to.contents(Pointee::Variable(variable)).expect("of every variable");
                for (_, cell) in contents.cells() {
                    let Content::Scalar(_, Value::Pointer(pointer)) = &cell.content else { continue };
                    checked += 1;
                    let name = &program.variables[variable].name;
                    assert!(allows(said, *pointer), "`{name}` holds {pointer:?}, said {said:?}\n{}", subject.text);
                }
            }
        };
        drive(subject, integers, ObserveMode::Statement, 150, &mut seeded(seed), &mut look);
    }
    checked
}

fn allows(said: &Targets, pointer: Pointer) -> bool {
    match pointer {
        Pointer::Null | Pointer::Invalid(_) => said.numbers,
        Pointer::Function(_) | Pointer::Register(_) => said.others || said.numbers,
        Pointer::Dangling => true,
        Pointer::Object { object, offset } => said.objects.iter().any(|(candidate, offsets)| {
            let is_meant = match (candidate, object) {
                (Pointee::Variable(one), ObjectId::Global(two) | ObjectId::Local { variable: two, .. }) => *one == two,
                (Pointee::Heap(_), ObjectId::Heap(_)) => true,
                _ => false,
            };
            is_meant
                && offsets.iter().any(|offsets| {
                    let difference = i128::from(offset) - offsets.remainder;
                    difference == 0 || offsets.modulus != 0 && difference % i128::from(offsets.modulus) == 0
                })
        }),
    }
}

#[test]
fn random_programs_hold_only_what_was_said() {
    for_many(Style::Sequential, 30, 3, &mut |subject, integers, seeds| {
        let calls = |op: &Op| {
            matches!(op, Op::Call { callee: program::Callee::Function(function), .. }
            if subject.program.functions[*function].entry.is_some())
        };
        if !subject.program.edges.values().any(|edge| calls(&edge.op)) {
            check_subject(subject, integers, seeds);
        }
    });
}

#[test]
fn programs_full_of_pointers_hold_only_what_was_said() {
    let text = "
        extern _Bool __VERIFIER_nondet_bool(void);
        extern void *malloc(unsigned long);
        struct node { int value; struct node *next; int *inner; char rest[3]; } a, b, c[3];
        struct node *first = &b;
        int x, y, numbers[4];
        void swap(int **one, int **two) { int *other = *one; *one = *two; *two = other; }
        int main(void) {
            int *p = &x, *q = numbers, **r = &p;
            struct node *t = first, *made = malloc(sizeof(struct node));
            made->next = &a;
            a.next = made;
            b.next = c;
            for (int i = 0; i < 3; i++) { c[i].next = i < 2 ? &c[i + 1] : &a; c[i].inner = &c[i].value; }
            while (1) {
                if (__VERIFIER_nondet_bool()) swap(&p, &q);
                if (__VERIFIER_nondet_bool()) q = q + 1;
                if (__VERIFIER_nondet_bool()) *r = &t->value;
                if (__VERIFIER_nondet_bool()) r = __VERIFIER_nondet_bool() ? &q : &c[1].inner;
                if (__VERIFIER_nondet_bool() && t->next) t = t->next;
                if (__VERIFIER_nondet_bool()) c[2] = *t;
                if (__VERIFIER_nondet_bool()) *r = 0;
                if (__VERIFIER_nondet_bool()) p = &numbers[2] - 1;
            }
        }";
    let subject = Subject::new(text, &[]).inlined();
    let seeds: Vec<u64> = (0..40).collect();
    let checked: usize =
        [Integers::Machine, Integers::Ideal].map(|integers| check_subject(&subject, integers, &seeds)).iter().sum();
    assert!(checked > 10_000, "only {checked} pointers were looked at");
}
