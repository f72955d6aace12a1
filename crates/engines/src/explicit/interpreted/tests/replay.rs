//! Walks through the space, repeated by the interpreter: with the answers of a walk's steps it shows the walk's letters.

use foundation::Budget;
use program::semantics::{Answer, Choices, ObserveMode, Question, RunEnd, RunLimits, Semantics, UndefinedMode, run};
use task::{LetterBits, Negation, Scheduler, Task};

use super::super::super::space::{Advance, Next, Space};
use super::programs::PETERSON;
use super::random::{Generator, Random};
use super::{negation, space, tasks};

/// Gives the answers of a list, each once.
struct InOrder(std::vec::IntoIter<Answer>);

impl Choices for InOrder {
    fn choose(&mut self, _: &Question) -> Answer {
        self.0.next().unwrap_or(Answer::Exhausted)
    }
}

/// What a walk through the space has shown.
struct Walk {
    letters: Vec<LetterBits>,
    answers: Vec<Answer>,
    end: Option<Advance>,
}

fn walk(task: &Task, negation: &Negation, random: &mut Random, most_steps: usize) -> Walk {
    let mut space = space(task, negation);
    let mut state = vec![0; space.words()];
    space.initial(&mut state);
    let mut next = Next::default();
    let mut walk = Walk { letters: Vec::new(), answers: Vec::new(), end: None };
    for _ in 0..most_steps {
        let steps = (0..).take_while(|&number| space.step(&state, number, &mut next) != Advance::NoMore).count();
        assert!(steps > 0, "something can always be done");
        let number = random.below(steps as u64) as u32;
        let step = space.step(&state, number, &mut next);
        walk.letters.extend(&next.letters);
        walk.answers.extend(space.answers(&state, number));
        state.clone_from(&next.state);
        if step != Advance::Next {
            walk.end = Some(step);
            break;
        }
    }
    walk
}

/// The letters without repetitions, where these do not count.
fn compressed(mut letters: Vec<LetterBits>, negation: &Negation) -> Vec<LetterBits> {
    if negation.stutter_invariant {
        letters.dedup();
    }
    letters
}

fn check(text: &str, formula: &str, semantics: Semantics, scheduler: Scheduler, random: &mut Random) {
    let [task] = &tasks(text, &[formula], semantics, scheduler)[..] else { unreachable!() };
    let negation = negation(task);
    let walk = walk(task, &negation, random, 12);
    let mut choices = InOrder(walk.answers.clone().into_iter());
    let limits = RunLimits { observations: 5000, edges: 5000 };
    let run = run(&task.program, semantics, &task.atoms, &mut choices, limits, &Budget::unlimited());
    let about = || format!("{:?}\nthe run ended by {:?}\n{formula} {semantics:?}\n{text}", walk.answers, run.end);
    let shown = run.observations.iter().map(|observation| negation.letter(&observation.truth)).collect();
    let (shown, walked) = (compressed(shown, &negation), compressed(walk.letters, &negation));
    match walk.end {
        Some(Advance::Ended) => {
            let ends = matches!(
                run.end,
                RunEnd::End(_) | RunEnd::Undefined { .. } | RunEnd::Deadlock | RunEnd::StoppedAtCall(_)
            );
            assert!(ends, "{}", about());
            assert_eq!(shown, walked, "{}", about());
        }
        Some(Advance::Blocked) => assert!(matches!(run.end, RunEnd::Blocked { .. }), "{}", about()),
        Some(other) => panic!("{other:?} {}", about()),
        // The interpreter goes on as long as it is asked nothing; where it found that it repeats itself, what it shows
        // is only the beginning.
        None => {
            let repeats = matches!(run.end, RunEnd::Lasso { .. } | RunEnd::Silent);
            let common = shown.len().min(walked.len());
            assert!(repeats || common == walked.len(), "{shown:?} {walked:?} {}", about());
            assert_eq!(shown[..common], walked[..common], "{}", about());
        }
    }
    assert_eq!(choices.0.len(), 0, "all answers were asked for: {}", about());
}

#[test]
fn the_interpreter_repeats_walks_of_programs_with_threads() {
    for seed in 0..150 {
        let mut random = Random::new(seed + 7_000);
        let text = Generator { random: random.clone(), depth: 0 }.program();
        let formula = random.of(&[
            "G(\"x == 1\" -> F \"y == 1\")",
            "F(\"x == 1\" && X \"y == 1\")",
            "G(\"main::l == 1\" -> F overflow)",
            "G(\"first::l == 1\" -> F call(bump()))",
            "F \"*p == 1\" || G deadlock",
        ]);
        let semantics = Semantics {
            observe: random.of(&[ObserveMode::Statement, ObserveMode::Change, ObserveMode::Step]),
            undefined: random.of(&[UndefinedMode::Error, UndefinedMode::Assume]),
            ..Semantics::default()
        };
        let scheduler = random.of(&[Scheduler::Any, Scheduler::WeakFair]);
        check(&text, formula, semantics, scheduler, &mut random);
    }
}

/// Programs without threads that ask, loop, recur, and use the heap.
const SEQUENTIAL: &[&str] = &[
    "int x, y; int main(void) { while (1) { x = __VERIFIER_nondet_bool(); if (x) y = y ^ 1; else y = 0; } }",
    "int x, y; void bump(void) { y++; }
     int fib(int n) { x = n; if (n < 2) return n; bump(); return fib(n - 1) + fib(n - 2); }
     int main(void) { return fib(2 + __VERIFIER_nondet_bool()); }",
    "void *malloc(unsigned long); void free(void *); int x, y;
     struct node { struct node *next; int value; };
     int main(void) {
         struct node *list = 0;
         while (__VERIFIER_nondet_bool()) {
             struct node *new = malloc(sizeof *new);
             new->next = list; new->value = y; list = new; y = (y + 1) & 3; x = list->value;
         }
         while (list) { struct node *old = list; list = list->next; free(old); x = x ^ 1; }
         return list->value;
     }",
    "int x, y; int main(void) { int a[3]; for (int i = 0; i < 3; i++) x = a[i] & 1; y = a[2] / a[1]; }",
    "extern int sensor(void); extern int start; int x, y;
     int main(void) { x = start; do { y = sensor(); __VERIFIER_assume(y >= 0); } while (x != y); return 10 / x; }",
    "int x, y; int main(void) { int i = 0; for (;;) { if (i > 5) break; i++; } x = 1; for (;;) ; }",
];

#[test]
fn the_interpreter_repeats_walks_of_sequential_programs() {
    let formulas = ["G(\"x == 1\" -> F \"y == 1\")", "F(\"x == 1\" && X \"y == 1\")", "F end || G ! error"];
    for text in SEQUENTIAL {
        for (formula, seed) in formulas.iter().flat_map(|formula| (0..8).map(move |seed| (formula, seed))) {
            let mut random = Random::new(seed);
            let observe = random.of(&[ObserveMode::Statement, ObserveMode::Statement, ObserveMode::Change]);
            let semantics = Semantics { observe, ..Semantics::default() };
            check(text, formula, semantics, Scheduler::Any, &mut random);
        }
    }
}

#[test]
fn all_views_of_a_space_number_configurations_alike() {
    let [task] = &tasks(PETERSON, &["F \"inside[0]\""], Semantics::default(), Scheduler::Any)[..] else {
        unreachable!()
    };
    let negation = negation(task);
    let mut first = space(task, &negation);
    let mut second = first.fork();
    let (mut one, mut other) = (Next::default(), Next::default());
    let mut open = vec![0];
    let mut seen = foundation::collections::HashSet::from_iter([0]);
    while let Some(state) = open.pop() {
        // The second view goes through the steps backwards, so that it is the first to see some configurations.
        let steps: Vec<u32> =
            (0..).take_while(|&number| second.step(&[state], number, &mut other) != Advance::NoMore).collect();
        for number in steps.into_iter().rev() {
            let step = second.step(&[state], number, &mut other);
            assert_eq!(first.step(&[state], number, &mut one), step);
            assert_eq!((&one.state, &one.letters), (&other.state, &other.letters));
            if step == Advance::Next && seen.insert(one.state[0]) {
                open.push(one.state[0]);
            }
        }
    }
    assert_eq!(first.configurations(), seen.len());
    assert!(seen.len() > 5, "the program does something");
}
