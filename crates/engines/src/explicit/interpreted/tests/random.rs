//! Random programs with threads: the verdicts of the space, with reduction and without, are those of the plain
//! exploration, for formulas of all kinds and in all modes.

use foundation::SplitMix64;
use program::semantics::{Atomicity, Integers, ObserveMode, Semantics, UndefinedMode};
use task::Scheduler;

use super::plain::Graph;
use super::{holds, negation, space, tasks};

/// Formulas over globals alone, none of which can tell how often a letter is repeated.
const PLAIN: &[&str] = &[
    "G !(\"x == 1\" && \"y == 1\")",
    "F \"x == 1\"",
    "G F \"y == 1\"",
    "F G \"x == 0\"",
    "G(\"x == 1\" -> F \"y == 1\")",
    "\"x == 0\" U \"y == 1\"",
    "F(\"x == 1\" && F(\"x == 0\" && F \"x == 1\"))",
    "F end",
    "G ! error",
    "G ! deadlock",
    "F(end || error || deadlock)",
    "G(deadlock -> \"x == y\")",
    "F G(\"x == y\") || G F end",
];

/// Formulas that look at activations, pointers, calls and overflows.
const SUBTLE: &[&str] = &[
    "G(call(bump()) -> F \"y == 1\")",
    "F(call(bump()) && \"x == 1\")",
    "G ! overflow",
    "G !(\"*p == 1\")",
    "G(\"*p == 1\" -> F \"*p == 0\")",
    "G(\"main::l == 1\" -> F \"main::l == 0\")",
    "F \"first::l == 1\"",
    "G !(\"first::l == 1\" && \"second::l == 0\")",
    "F G(\"x == 1\")",
];

/// Formulas that count.
const COUNTING: &[&str] = &[
    "X \"x == 1\"",
    "G(\"x == 1\" -> X \"x == 1\")",
    "F(\"x == 1\" && X \"y == 1\")",
    "G(call(bump()) -> X \"y == 1\")",
];

/// `SEMPER_PROGRAMS=1000` compares so many, and larger ones; that takes minutes.
#[test]
fn verdicts_are_those_of_the_plain_exploration() {
    let asked: Option<u64> = std::env::var("SEMPER_PROGRAMS").ok().and_then(|count| count.parse().ok());
    let (programs, most_states) = asked.map_or((60, 1500), |programs| (programs.max(60), 20_000));
    let (mut compared, mut smaller) = (0, 0);
    for seed in 0..programs {
        let (verdicts, reduced) = compare(seed, most_states);
        compared += verdicts;
        smaller += reduced;
    }
    assert!(compared > 150, "only {compared} verdicts were compared");
    assert!(smaller > 30, "only {smaller} spaces were reduced");
}

/// Compares all verdicts on a random program with at most so many states; how many there were, and for how many of
/// them the reduction left out some states.
fn compare(seed: u64, most_states: usize) -> (usize, usize) {
    let mut random = Random::new(seed);
    let semantics = Semantics {
        integers: random.of(&[Integers::Machine, Integers::Machine, Integers::Ideal]),
        observe: random.of(&[ObserveMode::Statement, ObserveMode::Statement, ObserveMode::Change, ObserveMode::Step]),
        undefined: random.of(&[UndefinedMode::Error, UndefinedMode::Assume]),
        atomicity: random.of(&[Atomicity::Access, Atomicity::Access, Atomicity::Statement]),
        ..Semantics::default()
    };
    let formulas = random.of(&[PLAIN, PLAIN, SUBTLE, COUNTING]);
    let scheduler =
        random.of(&[Scheduler::Any, Scheduler::Any, Scheduler::Any, Scheduler::WeakFair, Scheduler::StrongFair]);
    let text = Generator { random, depth: 0 }.program();
    let tasks = tasks(&text, formulas, semantics, scheduler);
    let Some(graph) = Graph::explore(&tasks[0], most_states) else { return (0, 0) };
    let (mut compared, mut smaller) = (0, 0);
    for (task, formula) in tasks.iter().zip(formulas) {
        let negation = negation(task);
        let (expected, _) = holds(graph.space(&negation), task, &negation);
        let (full, full_space) = holds(space(task, &negation).without_reduction(), task, &negation);
        let about = || format!("seed {seed}: {formula} under {semantics:?} {scheduler}\n{text}");
        assert_eq!(full, expected, "without reduction, {}", about());
        let (reduced, reduced_space) = holds(space(task, &negation), task, &negation);
        assert_eq!(reduced, expected, "with reduction, {}", about());
        compared += 1;
        smaller += usize::from(reduced_space.configurations() < full_space.configurations());
        assert!(expected != Ok(true) || reduced_space.configurations() <= full_space.configurations(), "{}", about());
        assert!(expected != Ok(true) || full_space.configurations() <= graph.len() + 1, "{}", about());
    }
    (compared, smaller)
}

/// A source of what is random.
#[derive(Clone)]
pub struct Random(SplitMix64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(SplitMix64::new(seed))
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.0.bits() % bound
    }

    pub fn of<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize].clone()
    }
}

/// Writes small programs with up to three threads.
pub struct Generator {
    pub random: Random,
    pub depth: u32,
}

impl Generator {
    pub fn program(mut self) -> String {
        let mut text = "\
int x, y, z, own, *p = &z, big = 2147483647;
extern int given;
pthread_mutex_t m, n;
extern void __VERIFIER_ltl_step(void);
void bump(void) { y = (y + 1) & 1; }
int next(int v) { int r = v + 1; return r & 1; }
int down(int v) { if (v <= 0) return 0; return down(v - 1); }
"
        .to_owned();
        let functions = ["first", "second"];
        for name in functions {
            let body = self.block(3);
            text += &format!("void *{name}(void *unused) {{\n int l = 0;\n{body} return 0;\n}}\n");
        }
        let (before, between, after) = (self.block(2), self.block(2), self.block(2));
        let started = self.random.of(&[["first", "second"], ["first", "first"], ["second", "second"]]);
        text += &format!("int main(void) {{\n int l = 0;\n pthread_t a, b;\n{before}");
        text += &format!(" pthread_create(&a, 0, {}, 0);\n{between}", started[0]);
        if self.random.below(3) == 0 {
            text += &format!(" pthread_create(&b, 0, {}, 0);\n", started[1]);
            text += self.random.of(&["", " pthread_join(b, 0);\n"]);
        }
        text += self.random.of(&["", " pthread_join(a, 0);\n"]);
        text += &after;
        text += self.random.of(&[" return 0;\n}\n", " while (1) ;\n}\n", "}\n"]);
        text
    }

    fn block(&mut self, most: u64) -> String {
        (0..self.random.below(most + 1)).map(|_| self.statement()).collect()
    }

    fn condition(&mut self) -> &'static str {
        self.random.of(&["x == 1", "l", "x == y", "x && y", "y", "__VERIFIER_nondet_bool()", "l == 0", "own", "!x"])
    }

    fn statement(&mut self) -> String {
        self.depth += 1;
        let nested = self.depth < 3;
        let (condition, other) = (self.condition(), self.condition());
        let text = match self.random.below(if nested { 32 } else { 24 }) {
            0 | 1 => "x = 1;".to_owned(),
            2 => "x = 0;".to_owned(),
            3 => "y = 1;".to_owned(),
            4 => "x = (y + 1) & 1;".to_owned(),
            5 => "y = x;".to_owned(),
            6 => "l = x;".to_owned(),
            7 => "l = (l + 1) & 1;".to_owned(),
            8 => "x = l;".to_owned(),
            9 => "x = 1, y = 0;".to_owned(),
            10 => "l = __VERIFIER_nondet_bool();".to_owned(),
            11 => format!("__VERIFIER_assume({condition});"),
            12 => self.random.of(&["l = 1 / l;", "z = 1 / z;", "l = 3 % x;"]).to_owned(),
            13 => "l = next(l);".to_owned(),
            14 => "bump();".to_owned(),
            15 => self.random.of(&["*p = 1;", "*p = x;", "p = &x;", "l = *p;"]).to_owned(),
            16 => self.random.of(&["big = big + 1;", "l = down(1);", "own = own ^ 1;", "l = given & 1;"]).to_owned(),
            17 => "__VERIFIER_ltl_step();".to_owned(),
            18 => "x = next(y);".to_owned(),
            19 => self.random.of(&["return 0;", "l = (x = 1) + next(x);", "pthread_mutex_lock(&m);"]).to_owned(),
            20 => "pthread_mutex_unlock(&m);".to_owned(),
            21 => {
                self.random.of(&["l = !pthread_mutex_trylock(&n);", "y = l & 1;", "{ int u; l = u & 1; }"]).to_owned()
            }
            22 | 23 => "own = 1;".to_owned(),
            24 | 25 => format!("if ({condition}) {{\n{} }} else {{\n{} }}", self.block(2), self.block(1)),
            26 | 27 => format!("while ({other}) {{\n{} }}", self.block(2)),
            28 | 29 => {
                format!("__VERIFIER_atomic_begin();\n{} __VERIFIER_atomic_end();", self.block(2))
            }
            _ => {
                let mutex = self.random.of(&["m", "m", "n"]);
                format!("pthread_mutex_lock(&{mutex});\n{} pthread_mutex_unlock(&{mutex});", self.block(2))
            }
        };
        self.depth -= 1;
        format!(" {text}\n")
    }
}
