//! Random small programs that compute with numbers of all kinds, and random formulas over their variables.
//!
//! Where [`reactive`](mod@crate::reactive) varies the flow of control, these programs vary what an engine has to encode:
//! division and remainder with all signs, shifts, bit operations, conversions, types that wrap, operands that are
//! evaluated only sometimes and undefined otherwise, indices out of bounds, pointers that lead here or there or nowhere,
//! variables without a value, and ends inside calls. What is assigned stays small, so that the states can be counted.

use std::fmt::Write;

use crate::random::Random;
use crate::reactive::Reactive;

/// The program and the formula of a seed.
pub fn numeric(seed: u64) -> Reactive {
    Reactive::made_by(Generator::new(seed), Generator::formula, Generator::program)
}

struct Generator {
    random: Random,
    text: String,
    depth: usize,
    loops: usize,
    /// Whether the program says itself when it is observed.
    steps: bool,
}

const GLOBALS: [&str; 8] = ["a", "b", "u", "k", "s", "h", "t", "l"];

impl Generator {
    fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let steps = random.chance(6);
        Self { random, text: String::new(), depth: 0, loops: 0, steps }
    }

    fn program(mut self) -> String {
        self.text.push_str(
            "extern int __VERIFIER_nondet_int(void);\nextern unsigned char __VERIFIER_nondet_uchar(void);\n\
             extern _Bool __VERIFIER_nondet_bool(void);\nextern void __VERIFIER_assume(int);\nextern void exit(int);\n\
             extern void abort(void);\nextern void __VERIFIER_ltl_step(void);\n",
        );
        let [a, b, s, h, l, one, two, three] = std::array::from_fn(|_| self.small());
        let (u, k, t) = (self.random.between(0, 5), self.random.between(0, 255), self.random.below(2));
        let pointed = *self.random.pick(&["0", "&a", "&b"]);
        let _ = writeln!(self.text, "int a = {a}, b = {b};\nunsigned u = {u}; unsigned char k = {k};");
        let _ = writeln!(self.text, "signed char s = {s}; short h = {h};\n_Bool t = {t}; long l = {l};");
        let _ = writeln!(self.text, "int r[3] = {{ {one}, {two}, {three} }};\nint *p = {pointed};");
        self.text.push_str("int f(int n) {\n  int m = n;\n");
        self.depth = 2;
        for _ in 0..self.random.below(3) {
            self.statement(true);
        }
        let result = self.reduced(1);
        let _ = writeln!(self.text, "  return {result};\n}}");
        self.text.push_str("int main(void) {\n");
        self.depth = 0;
        match self.random.below(4) {
            0 => self.text.push_str("  int x; unsigned char y;\n  __VERIFIER_assume(x >= -2 && x <= 2);\n"),
            1 => self.text.push_str("  _Bool x; int y = 1;\n"),
            2 => self.text.push_str("  int x = 1; unsigned y = 2;\n"),
            _ => self.text.push_str("  int x = 0; signed char y = -1;\n"),
        }
        for _ in 0..self.random.below(3) {
            self.statement(false);
        }
        let condition = if self.random.chance(65) { "1".to_owned() } else { self.condition() };
        let _ = writeln!(self.text, "  while ({condition}) {{");
        self.depth += 1;
        self.loops += 1;
        for _ in 0..2 + self.random.below(4) {
            self.statement(false);
        }
        self.text.push_str("  }\n");
        self.loops -= 1;
        self.depth -= 1;
        for _ in 0..self.random.below(3) {
            self.statement(false);
        }
        let result = self.expression(1, false);
        let _ = writeln!(self.text, "  return {result};\n}}");
        self.text
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{}{text}", "  ".repeat(self.depth + 1));
    }

    fn statement(&mut self, in_function: bool) {
        if self.steps && self.random.chance(30) {
            self.line("__VERIFIER_ltl_step();");
        }
        let place = self.target(in_function);
        match self.random.below(if self.depth > 2 { 15 } else { 24 }) {
            0..=4 => {
                let value = self.reduced(2);
                self.line(&format!("{place} = {value};"));
            }
            5 => {
                let value = self.expression(2, in_function);
                let narrow = *self.random.pick(&["k", "s", "t", "t"]);
                self.line(&format!("{narrow} = {value};"));
            }
            6 | 7 => {
                let low = self.random.between(-2, 0);
                let high = low + self.random.between(1, 3);
                match self.random.below(4) {
                    0 => self.line("t = __VERIFIER_nondet_bool();"),
                    1 => self.line(&format!("k = __VERIFIER_nondet_uchar(); __VERIFIER_assume(k < {});", high + 3)),
                    _ => {
                        let place = *self.random.pick(&["a", "b", "l", "h"]);
                        self.line(&format!(
                            "{place} = __VERIFIER_nondet_int(); __VERIFIER_assume({place} >= {low} && {place} <= {high});"
                        ));
                    }
                }
            }
            8 => {
                let operator = *self.random.pick(&["/=", "%=", "&=", ">>="]);
                let value = if operator == ">>=" { "1".to_owned() } else { self.expression(1, in_function) };
                self.line(&format!("{place} {operator} {value};"));
            }
            9 => {
                let narrow = *self.random.pick(&["k", "s", "u", "h", "t"]);
                let step = *self.random.pick(&["++", "--", " += 64", " -= 100", " <<= 1"]);
                self.line(&format!("{narrow}{step};"));
            }
            10 if !in_function => {
                let value = self.expression(1, false);
                let other = self.reduced(1);
                match self.random.below(4) {
                    0 => self.line(&format!("{place} = f({value}) % 5;")),
                    1 => self.line(&format!("b = (a = {other}) + f({value}) % 3;")),
                    2 => self.line(&format!("if ({value} && f({other})) t = !t;")),
                    _ => self.line(&format!("f({value});")),
                }
            }
            11 => {
                let pointed = *self.random.pick(&["0", "&a", "&b", "r", "&r[a & 3]", "p + 1"]);
                match self.random.below(4) {
                    0 => {
                        let value = self.reduced(1);
                        self.line(&format!("if (p) *p = {value};"));
                    }
                    1 => self.line(&format!("{place} = *p;")),
                    _ => self.line(&format!("p = {pointed};")),
                }
            }
            12 if self.random.chance(40) => {
                let condition = self.condition();
                self.line(&format!("__VERIFIER_assume({condition});"));
            }
            13 if self.random.chance(35) => {
                let condition = self.condition();
                let end = *self.random.pick(&["exit(0);", "abort();", "return 1;", "return a / b;", "for (;;) ;"]);
                self.line(&format!("if ({condition}) {end}"));
            }
            14 if self.loops > 0 && self.random.chance(40) => {
                let condition = self.condition();
                let jump = *self.random.pick(&["break;", "continue;"]);
                self.line(&format!("if ({condition}) {jump}"));
            }
            15..=19 => {
                let condition = self.condition();
                self.line(&format!("if ({condition}) {{"));
                self.block(in_function);
                if self.random.chance(40) {
                    self.line("} else {");
                    self.block(in_function);
                }
                self.line("}");
            }
            20 => {
                let bound = self.random.between(1, 3);
                self.line(&format!("for (int i = 0; i < {bound}; i++) {{"));
                self.loops += 1;
                self.block(in_function);
                self.loops -= 1;
                self.line("}");
            }
            21 if self.random.chance(50) => {
                let condition = self.condition();
                self.line(&format!("while ({condition}) {{"));
                self.loops += 1;
                self.block(in_function);
                self.loops -= 1;
                self.line("}");
            }
            22 => {
                let value = self.expression(1, in_function);
                let (one, two) = (self.small(), self.small() + 8);
                let (first, second) = (self.reduced(1), self.reduced(1));
                let stop = if self.random.chance(50) { " break;" } else { "" };
                self.line(&format!("switch ({value}) {{"));
                self.line(&format!("  case {one}: {place} = {first};{stop}"));
                self.line(&format!("  case {two}: default: b = {second};"));
                self.line("}");
            }
            _ => {
                let step = self.random.between(1, 3);
                self.line(&format!("{place} = ({place} + {step}) % 4;"));
            }
        }
    }

    fn block(&mut self, in_function: bool) {
        self.depth += 1;
        for _ in 0..1 + self.random.below(2) {
            self.statement(in_function);
        }
        self.depth -= 1;
    }

    fn target(&mut self, in_function: bool) -> String {
        match self.random.below(12) {
            0 => "r[1]".to_owned(),
            1 => format!("r[{}]", self.place()),
            2 => (if in_function { "m" } else { "y" }).to_owned(),
            3 => (if in_function { "m" } else { "x" }).to_owned(),
            _ => (*self.random.pick(&GLOBALS)).to_owned(),
        }
    }

    fn small(&mut self) -> i64 {
        self.random.between(-3, 4)
    }

    /// A number that stays small whatever the operands are.
    fn reduced(&mut self, depth: usize) -> String {
        let value = self.expression(depth, false);
        match self.random.below(7) {
            0 => self.small().to_string(),
            1 => format!("({value}) % {}", self.random.between(2, 5)),
            2 => format!("({value}) % -3"),
            3 => format!("({value}) & {}", *self.random.pick(&[1, 3, 3, 5, 7])),
            4 => self.condition(),
            5 => {
                let (condition, one, two) = (self.condition(), self.small(), self.place());
                format!("({condition}) ? {one} : {two}")
            }
            _ => self.place(),
        }
    }

    fn place(&mut self) -> String {
        match self.random.below(11) {
            0 => "r[0]".to_owned(),
            1 if self.random.chance(50) => format!("r[{}]", self.random.pick(&["a", "b", "k", "u & 1"])),
            1 => "r[2]".to_owned(),
            _ => (*self.random.pick(&GLOBALS)).to_owned(),
        }
    }

    /// Any number.
    fn expression(&mut self, depth: usize, in_function: bool) -> String {
        if depth == 0 || self.random.chance(15) {
            return match self.random.below(10) {
                0..=2 => self.small().to_string(),
                3 => (*self.random.pick(&["255", "-128", "2147483647", "4294967295u", "-2147483647 - 1", "8l"]))
                    .to_owned(),
                4 => (if in_function { "m" } else { "a" }).to_owned(),
                _ => self.place(),
            };
        }
        let one = self.expression(depth - 1, in_function);
        match self.random.below(16) {
            0..=7 => {
                let two = self.expression(depth - 1, in_function);
                let operator =
                    *self.random.pick(&["+", "-", "*", "/", "%", "/", "%", "&", "|", "^", "+", "-", "<", "=="]);
                format!("({one} {operator} {two})")
            }
            8 | 9 => {
                let operator = *self.random.pick(&["<<", ">>", ">>"]);
                let count =
                    if self.random.chance(90) { self.random.between(0, 4) } else { self.random.between(-1, 70) };
                format!("({one} {operator} {count})")
            }
            10 => format!("({}({one}))", self.random.pick(&["-", "~", "!", "-"])),
            11..=13 => {
                let ty =
                    *self.random.pick(&["unsigned char", "signed char", "short", "unsigned", "int", "_Bool", "long"]);
                format!("(({ty})({one}))")
            }
            14 => {
                let (condition, two) = (self.condition(), self.expression(depth - 1, in_function));
                format!("({condition} ? {one} : {two})")
            }
            _ => format!("({})", self.condition()),
        }
    }

    fn condition(&mut self) -> String {
        let left = self.expression(1, false);
        let operator = *self.random.pick(&["==", "!=", "<", "<=", ">", ">="]);
        let right = if self.random.chance(50) { self.small().to_string() } else { self.place() };
        let other = self.place();
        match self.random.below(12) {
            0 => format!("{left} {operator} {right} && {other} / {right} > 0"),
            1 => format!("{other} != 0 && {left} % {other} {operator} {right}"),
            2 => format!("{left} {operator} {right} || r[{other}] == 1"),
            3 => format!("{other} == 0 || 6 / {other} {operator} {right}"),
            4 => (*self.random.pick(&["p", "p == &a", "p != 0", "!p"])).to_owned(),
            5 => format!("(t = {left} {operator} {right}) && {other}"),
            6 => other,
            _ => format!("{left} {operator} {right}"),
        }
    }

    fn formula(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.chance(12) {
            return self.atom();
        }
        match self.random.below(16) {
            0 | 1 => format!("G ({})", self.formula(depth - 1)),
            2 | 3 => format!("F ({})", self.formula(depth - 1)),
            4 => format!("!({})", self.formula(depth - 1)),
            5 | 6 => format!("G F ({})", self.formula(depth - 1)),
            7 => format!("F G ({})", self.formula(depth - 1)),
            8 | 9 => format!("X ({})", self.formula(depth - 1)),
            _ => {
                let operator = *self.random.pick(&["&&", "||", "->", "U", "W", "R", "->", "U"]);
                format!("({} {operator} {})", self.formula(depth - 1), self.formula(depth - 1))
            }
        }
    }

    fn atom(&mut self) -> String {
        let place = self.place();
        let number = self.small();
        let operator = *self.random.pick(&["==", "!=", "<", ">="]);
        match self.random.below(16) {
            0 => "end".to_owned(),
            1 => "error".to_owned(),
            2 => format!("\"main::x {operator} {number}\""),
            3 => format!("\"f::m {operator} {number}\""),
            4 => format!("\"a / b {operator} {number}\""),
            5 => format!("\"{place} % 3 {operator} {number}\""),
            6 => format!("\"{place} % b {operator} {number} || t\""),
            7 => "\"p == 0\"".to_owned(),
            8 => format!("\"({place} & 3) {operator} {number}\""),
            9 => format!("\"main::y {operator} {number}\""),
            10 => format!("\"b != 0 && {place} / b {operator} {number}\""),
            _ => format!("\"{place} {operator} {number}\""),
        }
    }
}
