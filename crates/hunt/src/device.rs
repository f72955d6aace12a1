//! Random small programs as they run in devices, and random formulas over their variables: state machines by `switch` and by
//! tables of functions, registers of which some bits are looked at, shifts by variables, pointers to a few globals.
//!
//! What is assigned stays small, so that the states can be counted; inputs are wide, and only some of their bits matter.

use std::fmt::Write;

use crate::random::Random;
use crate::reactive::Reactive;

/// The program and the formula of a seed.
pub fn device(seed: u64) -> Reactive {
    Reactive::made_by(Generator::new(seed), Generator::formula, Generator::program)
}

struct Generator {
    random: Random,
    text: String,
    depth: usize,
}

const PRELUDE: &str = "extern unsigned __VERIFIER_nondet_uint(void);\n\
    extern int __VERIFIER_nondet_int(void);\n\
    extern unsigned short __VERIFIER_nondet_ushort(void);\n\
    typedef unsigned int u32; typedef unsigned short u16; typedef unsigned char u8;\n\
    struct port { volatile u32 SR, DR; volatile u16 CR; struct { u16 on : 1; u16 mode : 3; u16 rest : 12; } OPT; };\n\
    #define PORT ((struct port *)0x40011000)\n\
    enum state { IDLE, RUN, STOP } st;\n\
    struct channel { int n; u8 flags; struct channel *next; } c0, c1;\n\
    u32 reg; u16 half; u8 bits, n = 1; int a, b, in; int r[4];\n\
    struct channel *cur = &c0; int *p; u8 buf[3]; u8 *w = buf;\n\
    static void go(void) { a = (a + 1) % 3; if (reg & 4u) st = RUN; }\n\
    static void halt(void) { st = STOP; b = bits & 1; }\n\
    static void reset(void) { st = IDLE; n = 0; }\n\
    static void (*const table[3])(void) = { go, halt, reset };\n\
    static void put(int *to, int value) { *to = value; }\n";

impl Generator {
    fn new(seed: u64) -> Self {
        Self { random: Random::new(seed), text: String::new(), depth: 0 }
    }

    fn program(mut self) -> String {
        // The text is not preprocessed.
        self.text = PRELUDE.replace("#define PORT ((struct port *)0x40011000)\n", "");
        self.text.push_str("int main(void) {\n");
        let begin = *self.random.pick(&["c0.next = &c1; c1.next = &c0;", "c0.next = &c1;", "p = &a;", "p = r;", ""]);
        let _ = writeln!(self.text, "{begin}");
        self.text.push_str("while (1) {\n");
        if self.random.chance(90) {
            let source = self.source();
            let _ = writeln!(self.text, "reg = {source};");
        }
        for _ in 0..1 + self.random.below(5) {
            self.statement();
        }
        self.text.push_str("}\n}\n");
        self.text.replace("PORT", "((struct port *)0x40011000)")
    }

    fn source(&mut self) -> &'static str {
        const SOURCES: &[&str] =
            &["PORT->SR", "PORT->DR", "__VERIFIER_nondet_uint()", "PORT->CR", "__VERIFIER_nondet_ushort()"];
        let source: &&str = self.random.pick(SOURCES);
        source
    }

    fn statement(&mut self) {
        match self.random.below(if self.depth > 2 { 12 } else { 20 }) {
            0..=2 => {
                let (target, value) = (self.target(), self.value());
                let _ = writeln!(self.text, "{target} = {value};");
            }
            3 => {
                let source = self.source();
                let _ = writeln!(self.text, "half = {source};");
            }
            4 => {
                let count = *self.random.pick(&["n", "n & 3", "a", "st", "b & 7"]);
                let change =
                    *self.random.pick(&["bits |= 1u << (COUNT)", "bits &= ~(1u << (COUNT))", "bits = reg >> (COUNT)"]);
                let _ = writeln!(self.text, "{};", change.replace("COUNT", count));
            }
            5 => self.text.push_str("n = (n + 1) % 4;\n"),
            6 => {
                let to = *self.random.pick(&["&a", "&b", "0", "&r[1]", "r", "&c0.n", "&c1.n", "p"]);
                let _ = writeln!(self.text, "p = {to};");
            }
            7 => {
                let value = self.value();
                let access = *self.random.pick(&[
                    "if (p) *p = VALUE;",
                    "*p = VALUE;",
                    "a = *p;",
                    "put(&b, VALUE);",
                    "if (p) put(p, VALUE);",
                ]);
                let _ = writeln!(self.text, "{}", access.replace("VALUE", &value));
            }
            8 => {
                let step = *self.random.pick(&[
                    "if (cur->next) cur = cur->next;",
                    "cur = cur->next;",
                    "cur = in > 0 ? &c0 : &c1;",
                    "cur->n = (cur->n + 1) % 3;",
                    "cur->flags = reg & 3u;",
                    "if (cur == &c1) b = cur->n;",
                ]);
                let _ = writeln!(self.text, "{step}");
            }
            9 => {
                let step = *self.random.pick(&[
                    "*w = reg & 1u; w++; if (w == buf + 3) w = buf;",
                    "if (w < buf + 2) w++; else w = buf; a = *w;",
                    "for (u8 *q = buf; q < buf + 3; q++) if (*q) b = q - buf;",
                    "w++;",
                    "w = &buf[n];",
                ]);
                let _ = writeln!(self.text, "{step}");
            }
            10 => {
                let call = *self.random.pick(&["table[st]();", "table[n]();", "if (st < 3) table[st]();"]);
                let _ = writeln!(self.text, "{call}");
            }
            11 => self.text.push_str("in = __VERIFIER_nondet_int();\n"),
            12..=15 => {
                let condition = self.condition();
                let _ = writeln!(self.text, "if ({condition}) {{");
                self.block();
                if self.random.chance(40) {
                    self.text.push_str("} else {\n");
                    self.block();
                }
                self.text.push_str("}\n");
            }
            _ => self.switch(),
        }
    }

    fn switch(&mut self) {
        let (subject, labels): (&str, &[&str]) = *self.random.pick(&[
            ("st", &["IDLE", "RUN", "STOP", "7"] as &[&str]),
            ("(reg >> 3) & 7u", &["0", "1 ... 3", "5", "7"]),
            ("in", &["-3 ... -1", "0", "4", "100 ... 2000"]),
            ("half", &["0", "1", "0x10 ... 0x1f", "0xffff"]),
            ("n", &["0", "1", "2", "3"]),
            ("cur->n", &["0", "1", "2", "-1"]),
        ]);
        let _ = writeln!(self.text, "switch ({subject}) {{");
        self.depth += 1;
        let default = self.random.below(6);
        for (number, label) in labels.iter().enumerate() {
            if number == default {
                self.text.push_str("default:\n");
            }
            if self.random.chance(80) {
                let _ = writeln!(self.text, "case {label}:");
                self.statement();
                match self.random.below(6) {
                    0 => {}
                    1 => self.text.push_str("continue;\n"),
                    _ => self.text.push_str("break;\n"),
                }
            }
        }
        self.depth -= 1;
        self.text.push_str(";}\n");
    }

    fn block(&mut self) {
        self.depth += 1;
        for _ in 0..1 + self.random.below(2) {
            self.statement();
        }
        self.depth -= 1;
    }

    fn target(&mut self) -> &'static str {
        const TARGETS: &[&str] = &["a", "b", "r[n & 3]", "r[1]", "c0.n", "st", "n", "cur->flags"];
        let target: &&str = self.random.pick(TARGETS);
        target
    }

    /// A number below four.
    fn value(&mut self) -> String {
        let number = self.random.between(0, 3);
        let test = self.test();
        match self.random.below(7) {
            0 | 1 => number.to_string(),
            2 => format!("({test}) ? {number} : 1"),
            3 => "(a + b) & 3".to_owned(),
            4 => "(reg >> 6) & 3u".to_owned(),
            5 => format!("!!({test})"),
            _ => "reg % 4u".to_owned(),
        }
    }

    /// Something about the bits of an input.
    fn test(&mut self) -> String {
        let word = *self.random.pick(&["reg", "half", "PORT->SR", "bits", "reg", "(u8)reg", "(u16)(reg >> 8)"]);
        let mask = *self.random.pick(&["1u", "0x80u", "0x30u", "0xf000u", "(1u << 7)", "(1u << n)", "~0xffu", "0x21u"]);
        let number = *self.random.pick(&["0", "0x20u", "1", "0x1000u"]);
        match self.random.below(8) {
            0..=2 => format!("{word} & {mask}"),
            3 => format!("!({word} & {mask})"),
            4 => format!("({word} & {mask}) == {number}"),
            5 => format!("({word} & 0x1ffu) > {number}"),
            6 => format!("(({word} >> 2) & 7u) < 3"),
            _ => {
                (*self.random.pick(&["PORT->OPT.on", "PORT->OPT.mode > 4", "reg > 1000", "(reg ^ 2u) & 3u"])).to_owned()
            }
        }
    }

    fn condition(&mut self) -> String {
        let (test, other) = (self.test(), self.test());
        let number = self.random.between(0, 3);
        match self.random.below(7) {
            0..=2 => test,
            3 => format!("({test}) && ({other})"),
            4 => format!("a == {number}"),
            5 => format!("in > {number}"),
            _ => format!("st == {number}"),
        }
    }

    fn formula(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.chance(15) {
            return self.atom();
        }
        match self.random.below(10) {
            0..=3 => format!("G ({})", self.formula(depth - 1)),
            4 => format!("F ({})", self.formula(depth - 1)),
            5 => format!("!({})", self.formula(depth - 1)),
            6 => format!("G F ({})", self.formula(depth - 1)),
            other => {
                let operator = ["&&", "->", "U", "W"][(other + self.random.below(4)) % 4];
                format!("({} {operator} {})", self.formula(depth - 1), self.formula(depth - 1))
            }
        }
    }

    fn atom(&mut self) -> String {
        let place = *self.random.pick(&["a", "b", "st", "n", "r[1]", "c0.n", "c1.flags", "bits", "buf[1]"]);
        let operator = *self.random.pick(&["==", ">", "!="]);
        let number = self.random.between(0, 3);
        match self.random.below(9) {
            0 | 1 => "error".to_owned(),
            2 => "\"reg & 4u\"".to_owned(),
            _ => format!("\"{place} {operator} {number}\""),
        }
    }
}
