//! Constants: integer literals of all bases and suffixes, character constants, string literals, and integer constant
//! expressions of type `int` whose exact value is known, so that none of them overflows (C11 6.4.4, 6.6).

use super::Generator;
use super::scope::{CExpression, precedence};

const INTERESTING: [u64; 20] = [
    0,
    1,
    2,
    3,
    7,
    10,
    31,
    100,
    127,
    128,
    255,
    256,
    32_767,
    32_768,
    65_535,
    65_536,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x7fff_ffff_ffff_ffff,
];

impl Generator {
    /// A literal: perhaps large, perhaps with a sign in front.
    pub(super) fn literal(&mut self) -> CExpression {
        if self.random.chance(12) {
            return self.character_constant();
        }
        if self.random.chance(8) && !self.types.enumerations.is_empty() {
            self.note("enumeration constant");
            let enumeration = self.random.below(self.types.enumerations.len());
            let constant = self.random.pick(&self.types.enumerations[enumeration].constants).clone();
            return CExpression::closed(constant, precedence::PRIMARY, false);
        }
        let value = match self.random.below(4) {
            0 => *self.random.pick(&INTERESTING),
            1 => self.random.bits() >> self.random.below(64),
            _ => self.random.below(16) as u64,
        };
        let literal = self.unsigned_literal(value);
        if self.random.chance(20) {
            return CExpression::closed(format!("-{}", literal.text), precedence::UNARY, literal.wide);
        }
        literal
    }

    /// The value as a literal in some base, with some suffix under which it is valid.
    pub(super) fn unsigned_literal(&mut self, value: u64) -> CExpression {
        let needs_unsigned = value > i64::MAX as u64;
        let digits = match self.random.below(10) {
            0..=2 => {
                self.note("literal hexadecimal");
                if self.random.chance(50) { format!("0x{value:x}") } else { format!("0X{value:X}") }
            }
            3 => {
                self.note("literal octal");
                format!("0{value:o}")
            }
            4 if self.random.chance(20) => {
                self.note("literal binary");
                format!("0b{value:b}")
            }
            _ if needs_unsigned => format!("0x{value:x}"),
            _ => {
                self.note("literal decimal");
                value.to_string()
            }
        };
        let suffixes: &[&str] = match self.random.below(10) {
            0 | 1 => &["u", "U"],
            2 if value <= 0x7fff_ffff => &["l", "L"],
            3 if value <= 0xffff_ffff => &["ul", "UL", "lu", "LU"],
            4 if !needs_unsigned => &["ll", "LL"],
            5 => &["ull", "ULL", "llu", "LLU", "uLL"],
            _ => &[""],
        };
        let suffix = *self.random.pick(suffixes);
        if !suffix.is_empty() {
            self.note("literal with suffix");
        }
        let wide = suffix.to_ascii_lowercase().contains("ll");
        CExpression::closed(format!("{digits}{suffix}"), precedence::PRIMARY, wide)
    }

    fn character_constant(&mut self) -> CExpression {
        self.note("character constant");
        let text = *self.random.pick(&[
            "'a'", "'Z'", "'0'", "' '", "'\\n'", "'\\t'", "'\\0'", "'\\\\'", "'\\''", "'\"'", "'\\x7f'", "'\\xff'",
            "'\\377'", "'\\101'", "'\\a'", "'\\x80'",
        ]);
        CExpression::closed(text, precedence::PRIMARY, false)
    }

    /// A string literal without an inner null character, and its length.
    pub(super) fn string_literal(&mut self) -> (String, usize) {
        self.note("string literal");
        let mut text = String::from("\"");
        let length = 1 + self.random.below(6);
        let mut position = 0;
        while position < length {
            let (written, count) = *self.random.pick(&[
                ("a", 1),
                ("q", 1),
                ("Z", 1),
                ("7", 1),
                ("\\n", 1),
                ("\\t", 1),
                ("\\\\", 1),
                ("\\\"", 1),
                ("\\x41\" \"", 1),
                ("\\303", 1),
                ("?", 1),
                ("xy\" \"z", 3),
            ]);
            text.push_str(written);
            position += count;
        }
        text.push('"');
        (text, position)
    }

    /// An integer constant expression of type `int` with its value, which is within the range given.
    pub(super) fn constant(&mut self, low: i64, high: i64, depth: u32) -> (String, i64) {
        if depth > 0 {
            for _ in 0..4 {
                let (text, value) = self.constant_operation(depth);
                if (low..=high).contains(&value) {
                    self.note("constant expression");
                    return (text, value);
                }
            }
        }
        let value = self.random.between(low, high);
        match self.random.below(5) {
            0 if value >= 0 => (format!("0x{value:x}"), value),
            1 if (32..127).contains(&value) && !matches!(value, 39 | 92) => {
                (format!("'{}'", char::from(value as u8)), value)
            }
            _ if value < 0 => (format!("({value})"), value),
            _ => (value.to_string(), value),
        }
    }

    fn constant_operation(&mut self, depth: u32) -> (String, i64) {
        let (left, a) = self.constant(-100, 100, depth - 1);
        let (right, b) = self.constant(-100, 100, depth - 1);
        match self.random.below(12) {
            0 => (format!("({left} + {right})"), a + b),
            1 => (format!("({left} - {right})"), a - b),
            2 => (format!("({left} * {right})"), a * b),
            3 if b != 0 => (format!("({left} / {right})"), a / b),
            4 if b != 0 => (format!("({left} % {right})"), a % b),
            5 => (format!("({left} & {right})"), a & b),
            6 => (format!("({left} ^ {right})"), a ^ b),
            7 => (format!("({left} < {right})"), i64::from(a < b)),
            8 => (format!("({left} > 3 ? {right} : {left})"), if a > 3 { b } else { a }),
            9 => (format!("~{left}"), !a),
            10 if (0..8).contains(&b) => (format!("({left} << {right})"), a << b),
            _ => (format!("(signed char){left}"), i64::from(a as i8)),
        }
    }
}
