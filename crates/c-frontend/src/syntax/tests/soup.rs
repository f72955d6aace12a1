//! Any text: random bytes, sequences of valid tokens in no order, and programs with pieces changed. The check itself is
//! [`robustness_check`], which fuzzers call too.

use std::time::{Duration, Instant};

use super::Outcome;
use crate::syntax::robustness_check;
use crate::syntax::tokens::{KEYWORD_SPELLINGS, PUNCTUATOR_SPELLINGS};

const OTHER_TOKENS: &[&str] = &[
    "a",
    "b",
    "T",
    "t",
    "main",
    "x::y",
    "0",
    "1",
    "0x1p3",
    "1.5f",
    "08",
    "'a'",
    "L'b'",
    "''",
    "\"s\"",
    "u\"s\"",
    "\"",
    "'",
    "\n",
    "\\\n",
    "/*",
    "*/",
    "//",
    "#",
    "# 1 \"f\"\n",
    "\n#pragma pack(1)\n",
    "é",
    "\\u00e9",
    "@",
    "\u{0}",
    "typedef int T;",
    "int x;",
    "void f(void) {",
    "struct s {",
    "__attribute__((",
    "({",
    "if (a)",
    "\u{feff}",
    "\r\n",
];

const PROGRAM: &str = "typedef unsigned long T; struct s { T a : 3; union { int b; }; } __attribute__((packed)) v = { .a = 1 };\n\
    enum e { A = 1, B }; static int f(int n, char *p[], ...) { T T = 0; for (int i = 0; i < n; i++) { switch (p[i][0]) {\n\
    case 'a' ... 'z': T += sizeof(int[3]); break; default: goto out; } } do { v.a--; } while (v.a ? v.b : ({ int q = 1; q; }));\n\
    out: return (int)T + \"s\"[0] + _Generic(n, int: 1, default: 2) + __builtin_offsetof(struct s, b); }\n\
    int g(a, b) int a; char b; { asm volatile(\"\" : \"=r\"(a) : \"r\"(b) : \"memory\"); if (a) b; else if (b) a; else ; }\n";

/// A small generator of pseudo-random numbers (xorshift64*), so that a failure can be repeated.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 16) as usize % bound
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }

    fn token(&mut self) -> &'static str {
        match self.below(3) {
            0 => self.pick(KEYWORD_SPELLINGS),
            1 => self.pick(PUNCTUATOR_SPELLINGS),
            _ => self.pick(OTHER_TOKENS),
        }
    }

    fn bytes(&mut self) -> Vec<u8> {
        (0..self.below(200)).map(|_| self.next() as u8).collect()
    }

    fn soup(&mut self) -> Vec<u8> {
        let length = self.below(120);
        (0..length).flat_map(|_| [self.token(), " "]).flat_map(str::bytes).collect()
    }

    fn mutation(&mut self) -> Vec<u8> {
        let mut text = PROGRAM.as_bytes().to_vec();
        for _ in 0..=self.below(4) {
            let at = self.below(text.len());
            let end = (at + self.below(20)).min(text.len());
            let replacement = match self.below(3) {
                0 => Vec::new(),
                1 => self.token().bytes().collect(),
                _ => text[at..end].repeat(2),
            };
            text.splice(at..end, replacement);
        }
        text
    }
}

#[test]
fn the_program_to_be_changed_is_a_program() {
    assert_eq!(Outcome::of(PROGRAM).messages(), [""; 0]);
    for cut in 0..PROGRAM.len() {
        robustness_check(&PROGRAM.as_bytes()[..cut]);
    }
}

#[test]
fn any_text_is_taken() {
    let mut random = Random(0x5eed);
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(1) {
        for _ in 0..10 {
            robustness_check(&random.bytes());
            robustness_check(&random.soup());
            robustness_check(&random.mutation());
        }
    }
}

#[test]
fn every_sequence_of_three_tokens_is_taken() {
    // Tokens of the same role behave alike; one of each is enough to try all orders.
    let tokens = [
        "a",
        "1",
        "\"s\"",
        "int",
        "typedef",
        "struct",
        "enum",
        "const",
        "sizeof",
        "if",
        "else",
        "case",
        "for",
        "return",
        "__attribute__",
        "asm",
        "typeof",
        "_Generic",
        "__extension__",
        "_Static_assert",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ";",
        ",",
        ":",
        "?",
        "*",
        "=",
        "+",
        "...",
        "@",
    ];
    for first in tokens {
        for second in tokens {
            for third in tokens {
                let text = format!("{first} {second} {third}");
                robustness_check(text.as_bytes());
                if first == "{" || first == "(" {
                    robustness_check(format!("void f(int a) {{ {text}").as_bytes());
                }
            }
        }
    }
}
