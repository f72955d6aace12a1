//! Random small programs that read inputs for ever, and random formulas over their variables.
//!
//! The programs have few states, so that engines close, but a little of everything that engines treat specially: calls,
//! inner loops, arrays, structures, narrow types that wrap, blocked runs, ends, undefined behaviour, loops without observation.

use std::fmt::Write;

use crate::random::Random;

/// A program with a property.
#[derive(Clone, Debug)]
pub struct Reactive {
    /// The program's text.
    pub program: String,
    /// The formula.
    pub formula: String,
}

impl Reactive {
    /// Lets a generator make a formula of some depth and then the program.
    pub(crate) fn made_by<G>(
        mut generator: G,
        formula: fn(&mut G, usize) -> String,
        program: fn(G) -> String,
    ) -> Reactive {
        let formula = formula(&mut generator, 3);
        Reactive { program: program(generator), formula }
    }
}

/// The program and the formula of a seed.
pub fn reactive(seed: u64) -> Reactive {
    Reactive::made_by(Generator::new(seed), Generator::formula, Generator::program)
}

struct Generator {
    random: Random,
    text: String,
    depth: usize,
}

const PRELUDE: &str = "extern int __VERIFIER_nondet_int(void);\n\
    extern void __VERIFIER_assume(int);\n\
    extern void __VERIFIER_ltl_step(void);\n\
    int in, a, b = 1, c = 2;\n\
    unsigned char u;\n\
    int r[3] = { 0, 1, 2 };\n\
    struct pair { int x; signed char y; } s;\n\
    int f(int n) { int m = n % 3; if (m > 1) m = 0; return m + 1; }\n\
    void g(int n) { a = n; if (b == 2) return; c = (c + n) % 4; }\n";

impl Generator {
    fn new(seed: u64) -> Self {
        Self { random: Random::new(seed), text: String::new(), depth: 0 }
    }

    fn program(mut self) -> String {
        self.text.push_str(PRELUDE);
        self.text.push_str("int main(void) {\n");
        for _ in 0..self.random.below(3) {
            self.statement();
        }
        let condition = if self.random.chance(75) { "1".to_owned() } else { self.condition() };
        let _ = writeln!(self.text, "while ({condition}) {{");
        self.depth += 1;
        if self.random.chance(85) {
            let most = self.random.between(0, 2);
            let _ = writeln!(self.text, "in = __VERIFIER_nondet_int(); __VERIFIER_assume(in >= 0 && in <= {most});");
        }
        for _ in 0..1 + self.random.below(4) {
            self.statement();
        }
        self.text.push_str("}\n");
        self.depth -= 1;
        for _ in 0..self.random.below(2) {
            self.statement();
        }
        self.text.push_str("return 0;\n}\n");
        self.text
    }

    fn statement(&mut self) {
        match self.random.below(if self.depth > 3 { 12 } else { 20 }) {
            0..=5 => {
                let (target, value) = (self.target(), self.value());
                let _ = writeln!(self.text, "{target} = {value};");
            }
            6 => {
                let value = self.value();
                let _ = writeln!(self.text, "g(({value}) % 2);");
            }
            7 => {
                let (target, value) = (self.target(), self.value());
                let _ = writeln!(self.text, "{target} = f({value});");
            }
            8 => self.text.push_str("u = u + 64;\n"),
            9 if self.random.chance(40) => {
                let condition = self.condition();
                let _ = writeln!(self.text, "__VERIFIER_assume({condition});");
            }
            10 if self.random.chance(30) => {
                let value = self.value();
                let _ = writeln!(self.text, "c = 3 / ({value});");
            }
            11 if self.random.chance(15) => self.text.push_str("__VERIFIER_ltl_step();\n"),
            9..=11 => self.text.push_str("b = in;\n"),
            12..=16 => {
                let condition = self.condition();
                let _ = writeln!(self.text, "if ({condition}) {{");
                self.block();
                if self.random.chance(50) {
                    self.text.push_str("} else {\n");
                    self.block();
                }
                self.text.push_str("}\n");
            }
            17 => {
                self.text.push_str("for (int i = 0; i < 2; i++) {\n");
                self.block();
                self.text.push_str("}\n");
            }
            18 if self.random.chance(30) => {
                let condition = self.condition();
                let _ = writeln!(self.text, "if ({condition}) return 1;");
            }
            19 if self.random.chance(20) => {
                let condition = self.condition();
                let _ = writeln!(self.text, "if ({condition}) for (;;) ;");
            }
            _ => self.text.push_str("s.x = (s.x + 1) % 3;\n"),
        }
    }

    fn block(&mut self) {
        self.depth += 1;
        for _ in 0..1 + self.random.below(2) {
            self.statement();
        }
        self.depth -= 1;
    }

    fn target(&mut self) -> String {
        let targets = ["a", "b", "c", "s.x", "s.y", "r[1]", "r[b & 1]"];
        targets[self.random.below(targets.len())].to_owned()
    }

    /// A small number: everything that is assigned stays in a small range.
    fn value(&mut self) -> String {
        let place = self.place();
        let other = self.place();
        let number = self.random.between(0, 3);
        match self.random.below(8) {
            0 | 1 => number.to_string(),
            2 => format!("({place} + {number}) % 4"),
            3 => format!("({place} - {other}) % 3"),
            4 => format!("{place} == {other}"),
            5 => format!("{place} & 3"),
            6 => format!("({place} * 2 + {other}) % 5"),
            _ => format!("{place} ? {number} : in"),
        }
    }

    fn place(&mut self) -> &'static str {
        let places = ["a", "b", "c", "in", "s.x", "s.y", "r[0]", "r[1]", "r[b & 1]", "(u >> 6)"];
        places[self.random.below(places.len())]
    }

    fn condition(&mut self) -> String {
        let (left, right) = (self.place(), self.place());
        let operator = ["==", "!=", "<", "<=", ">"][self.random.below(5)];
        let number = self.random.between(-1, 3);
        match self.random.below(4) {
            0 => format!("{left} {operator} {right}"),
            1 => format!("{left} {operator} {number} && in != {number}"),
            2 => format!("{left} {operator} {number} || {right} == 1"),
            _ => format!("{left} {operator} {number}"),
        }
    }

    fn formula(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.chance(15) {
            return self.atom();
        }
        let unary = |generator: &mut Self, operator: &str| format!("{operator}({})", generator.formula(depth - 1));
        match self.random.below(13) {
            0..=2 => unary(self, "G "),
            3 | 4 => unary(self, "F "),
            5 => unary(self, "!"),
            6 => unary(self, "G F "),
            7 if self.random.chance(60) => unary(self, "X "),
            other => {
                let operator = ["&&", "||", "->", "U", "W", "R"][(other + self.random.below(6)) % 6];
                format!("({} {operator} {})", self.formula(depth - 1), self.formula(depth - 1))
            }
        }
    }

    fn atom(&mut self) -> String {
        let place = ["a", "b", "c", "in", "s.x", "r[1]", "u", "f::m", "main::i"][self.random.below(9)];
        let operator = ["==", ">", "!="][self.random.below(3)];
        let number = self.random.between(0, 3);
        match self.random.below(12) {
            0 => "end".to_owned(),
            1 => "error".to_owned(),
            2 => "call(g())".to_owned(),
            3 => "\"a == b\"".to_owned(),
            // Only programs with such a loop have this variable.
            _ if place == "main::i" => "\"c == 1\"".to_owned(),
            _ => format!("\"{place} {operator} {number}\""),
        }
    }
}
