//! The values of constants and string literals (ISO C11, 6.4.4 and 6.4.5), from their spelling without line
//! continuations. Character constants of several characters have the value GCC gives them.
//!
//! Nothing here knows of tokens or of the types that the checker will give to the values.

use super::ast::{CharPrefix, FloatLiteral, FloatSize, IntegerLiteral};

/// What is wrong with a literal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct LiteralFault {
    /// A diagnostic's code.
    pub code: &'static str,
    /// A diagnostic's message.
    pub message: String,
}

fn fault<T>(code: &'static str, message: impl Into<String>) -> Result<T, LiteralFault> {
    Err(LiteralFault { code, message: message.into() })
}

/// A numeric constant.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum NumericConstant {
    Integer(IntegerLiteral),
    Float(FloatLiteral),
}

/// The value of a preprocessing number.
pub(super) fn number(spelling: &str) -> Result<NumericConstant, LiteralFault> {
    let bytes = spelling.as_bytes();
    let prefix = bytes.get(1).map(u8::to_ascii_lowercase).filter(|_| bytes[0] == b'0');
    match prefix {
        Some(b'x') => {
            let body = &spelling[2..];
            if body.contains(['.', 'p', 'P']) { hexadecimal_float(body) } else { integer(body, 16) }
        }
        Some(b'b') => integer(&spelling[2..], 2),
        _ if is_decimal_float(spelling) => decimal_float(spelling),
        Some(_) => integer(spelling, 8),
        None => integer(spelling, 10),
    }
}

/// Whether the digits are followed by what only floating constants have. ISO C asks for a dot or an exponent in `1f`;
/// the complaint should speak of that.
fn is_decimal_float(spelling: &str) -> bool {
    spelling.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with(['.', 'e', 'E', 'f', 'F'])
}

fn integer(text: &str, radix: u32) -> Result<NumericConstant, LiteralFault> {
    let length = text.bytes().take_while(|byte| (*byte as char).is_digit(radix.max(10))).count();
    let (digits, suffix) = text.split_at(length);
    if digits.is_empty() {
        return fault("bad-number", "a number without digits");
    }
    if let Some(bad) = digits.chars().find(|digit| !digit.is_digit(radix)) {
        return fault("bad-number", format!("the digit `{bad}` in a number of base {radix}"));
    }
    let (unsigned, longs) = integer_suffix(suffix)?;
    let Ok(value) = u128::from_str_radix(digits, radix) else {
        return fault("bad-number", "this integer constant is too large for any type");
    };
    Ok(NumericConstant::Integer(IntegerLiteral { value, decimal: radix == 10, unsigned, longs }))
}

fn integer_suffix(suffix: &str) -> Result<(bool, u8), LiteralFault> {
    let (mut unsigned, mut longs) = (false, 0);
    let mut rest = suffix;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix(['u', 'U']).filter(|_| !unsigned) {
            unsigned = true;
            rest = after;
        } else if let Some(after) = rest.strip_prefix("ll").or_else(|| rest.strip_prefix("LL")).filter(|_| longs == 0) {
            longs = 2;
            rest = after;
        } else if let Some(after) = rest.strip_prefix(['l', 'L']).filter(|_| longs == 0) {
            longs = 1;
            rest = after;
        } else {
            return bad_suffix(suffix, "an integer");
        }
    }
    Ok((unsigned, longs))
}

fn bad_suffix<T>(suffix: &str, kind: &str) -> Result<T, LiteralFault> {
    if suffix.contains(['i', 'j', 'I', 'J']) && suffix.bytes().all(|byte| b"iIjJuUlLfFqQ".contains(&byte)) {
        return fault("unsupported-complex", format!("the imaginary suffix `{suffix}` is not supported"));
    }
    fault("bad-number", format!("`{suffix}` is no suffix of {kind} constant"))
}

fn decimal_float(spelling: &str) -> Result<NumericConstant, LiteralFault> {
    let bytes = spelling.as_bytes();
    let digits_from = |at: usize| at + bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut end = digits_from(0);
    let has_dot = bytes.get(end) == Some(&b'.');
    if has_dot {
        end = digits_from(end + 1);
    }
    let mut has_exponent = false;
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let after = digits_from((end + 1 + sign).min(bytes.len()));
        if after == end + 1 + sign {
            return fault("bad-number", "a floating constant's exponent without digits");
        }
        end = after;
        has_exponent = true;
    }
    let (value, suffix) = spelling.split_at(end);
    let size = float_suffix(suffix)?;
    if !has_dot && !has_exponent {
        return fault("bad-number", "a floating constant needs a decimal point or an exponent");
    }
    // Rust's conversions are correctly rounded; a `float` is rounded once, to its own precision.
    let value = match size {
        FloatSize::Float => value.parse::<f32>().map(f64::from),
        _ => value.parse::<f64>(),
    };
    match value {
        Ok(value) => Ok(NumericConstant::Float(FloatLiteral { value, size })),
        Err(_) => fault("bad-number", "this floating constant is malformed"),
    }
}

fn float_suffix(suffix: &str) -> Result<FloatSize, LiteralFault> {
    Ok(match suffix.to_ascii_lowercase().as_str() {
        "" | "f64" | "f32x" => FloatSize::Double,
        "f" | "f32" => FloatSize::Float,
        "l" | "f64x" => FloatSize::LongDouble,
        "q" | "f128" => FloatSize::Float128,
        _ => return bad_suffix(suffix, "a floating"),
    })
}

/// A hexadecimal floating constant from behind its `0x`.
fn hexadecimal_float(body: &str) -> Result<NumericConstant, LiteralFault> {
    // The value is `significand * 2^exponent`; bits that do not fit are remembered as `sticky` for rounding.
    let (mut significand, mut exponent, mut sticky) = (0u64, 0i64, false);
    let (mut seen_dot, mut seen_digit) = (false, false);
    let mut rest = body;
    while let Some(next) = rest.chars().next() {
        if next == '.' && !seen_dot {
            seen_dot = true;
        } else if let Some(digit) = next.to_digit(16) {
            seen_digit = true;
            if significand >> 60 == 0 {
                significand = significand << 4 | u64::from(digit);
                exponent -= if seen_dot { 4 } else { 0 };
            } else {
                sticky |= digit != 0;
                exponent += if seen_dot { 0 } else { 4 };
            }
        } else {
            break;
        }
        rest = &rest[1..];
    }
    let Some(rest) = rest.strip_prefix(['p', 'P']).filter(|_| seen_digit) else {
        return fault("bad-number", "a hexadecimal floating constant needs digits and an exponent after `p`");
    };
    let (negative, rest) = match rest.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, rest.strip_prefix('+').unwrap_or(rest)),
    };
    let (digits, suffix) = rest.split_at(rest.bytes().take_while(u8::is_ascii_digit).count());
    if digits.is_empty() {
        return fault("bad-number", "a floating constant's exponent without digits");
    }
    let size = float_suffix(suffix)?;
    // Exponents beyond any that a text of this length can balance count as the largest.
    let written = digits.parse::<i64>().unwrap_or(i64::MAX).min(1 << 40);
    exponent += if negative { -written } else { written };
    let value = match size {
        FloatSize::Float => round_to_binary(significand, exponent, sticky, 24, -126, 127),
        _ => round_to_binary(significand, exponent, sticky, 53, -1022, 1023),
    };
    Ok(NumericConstant::Float(FloatLiteral { value, size }))
}

/// `significand * 2^exponent`, and a little more where `sticky`, rounded to nearest, ties to even, in the binary format
/// with this precision and these least and greatest exponents (IEEE 754, 4.3.1).
fn round_to_binary(significand: u64, exponent: i64, sticky: bool, precision: i64, least: i64, greatest: i64) -> f64 {
    if significand == 0 {
        return 0.0;
    }
    let magnitude = 63 - i64::from(significand.leading_zeros()) + exponent;
    if magnitude > greatest {
        return f64::INFINITY;
    }
    let unit = magnitude.max(least) - (precision - 1);
    let shift = unit - exponent;
    let rounded = if shift <= 0 {
        // The significand has no more bits than the format.
        return scale(significand as f64, exponent);
    } else if shift > 64 {
        0
    } else {
        let wide = u128::from(significand);
        let kept = wide >> shift;
        let dropped = wide & ((1 << shift) - 1);
        let half = 1u128 << (shift - 1);
        kept + u128::from(dropped > half || (dropped == half && (sticky || kept & 1 == 1)))
    };
    let value = scale(rounded as f64, unit);
    if value >= scale(2.0, greatest) { f64::INFINITY } else { value }
}

/// `value * 2^exponent`, where that is a `double` or overflows it. Two steps keep the powers themselves in range.
fn scale(value: f64, exponent: i64) -> f64 {
    let power = |exponent: i64| f64::from_bits(((exponent + 1023) as u64) << 52);
    let first = exponent.clamp(-1000, 1000);
    value * power(first) * power((exponent - first).clamp(-1000, 1000))
}

/// The prefix of a literal's spelling, and what is between the quotes.
pub(super) fn split_prefix(spelling: &str) -> (CharPrefix, &str) {
    let quote = spelling.find(['"', '\'']).unwrap_or(0);
    let encoding = match &spelling[..quote] {
        "L" => CharPrefix::Wide,
        "u" => CharPrefix::Utf16,
        "U" => CharPrefix::Utf32,
        _ => CharPrefix::Plain,
    };
    let end = spelling.len().saturating_sub(1).max(quote + 1);
    (encoding, spelling.get(quote + 1..end).unwrap_or(""))
}

/// The value of a character constant, and a remark where there is something to say of it.
pub(super) fn character(spelling: &str) -> Result<(i64, CharPrefix, Option<String>), LiteralFault> {
    let (encoding, body) = split_prefix(spelling);
    let mut units = Vec::new();
    let remark = append_units(body, encoding, &mut units)?;
    let Some(&last) = units.last() else {
        return fault("bad-character", "an empty character constant");
    };
    match encoding {
        CharPrefix::Plain if units.len() == 1 => Ok((i64::from(last as u8 as i8), encoding, remark)),
        CharPrefix::Plain => {
            let value = units.iter().fold(0u32, |value, unit| value << 8 | (unit & 0xff));
            let too_long = || "a character constant of more than four characters keeps its last four".to_owned();
            let remark = remark.or_else(|| (units.len() > 4).then(too_long));
            Ok((i64::from(value as i32), encoding, remark))
        }
        _ if units.len() > 1 => fault("bad-character", "a wide character constant of more than one character"),
        CharPrefix::Wide => Ok((i64::from(last as i32), encoding, remark)),
        CharPrefix::Utf16 | CharPrefix::Utf32 => Ok((i64::from(last), encoding, remark)),
    }
}

/// Appends the code units of what stands between the quotes of a literal. Gives a remark where an escape is unknown,
/// which compilers take for the character behind the backslash.
pub(super) fn append_units(
    body: &str,
    encoding: CharPrefix,
    units: &mut Vec<u32>,
) -> Result<Option<String>, LiteralFault> {
    let mut remark = None;
    let mut rest = body;
    while let Some(next) = rest.chars().next() {
        rest = &rest[next.len_utf8()..];
        if next != '\\' {
            push_character(next, encoding, units);
            continue;
        }
        let Some(escape) = rest.chars().next() else {
            return fault("bad-escape", "a lone backslash at the end of a literal");
        };
        let after = &rest[escape.len_utf8()..];
        let simple = match escape {
            'a' => 7,
            'b' => 8,
            't' => 9,
            'n' => 10,
            'v' => 11,
            'f' => 12,
            'r' => 13,
            'e' | 'E' => 27,
            '\'' | '"' | '?' | '\\' | '(' | '{' | '[' | '%' => escape as u32,
            '0'..='7' => {
                let digits = rest.bytes().take(3).take_while(|byte| matches!(byte, b'0'..=b'7')).count();
                units.push(numeric_escape(&rest[..digits], 8, encoding)?);
                rest = &rest[digits..];
                continue;
            }
            'x' => {
                let digits = after.bytes().take_while(u8::is_ascii_hexdigit).count();
                units.push(numeric_escape(&after[..digits], 16, encoding)?);
                rest = &after[digits..];
                continue;
            }
            'u' | 'U' => {
                let length = if escape == 'u' { 4 } else { 8 };
                let digits = after.get(..length).filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()));
                let value = digits.and_then(|text| u32::from_str_radix(text, 16).ok());
                let Some(character) = value.and_then(char::from_u32) else {
                    let message = format!("`\\{escape}` needs {length} hexadecimal digits that name a character");
                    return fault("bad-escape", message);
                };
                push_character(character, encoding, units);
                rest = &after[length..];
                continue;
            }
            _ => {
                remark = Some(format!("the unknown escape sequence `\\{escape}` is read as `{escape}`"));
                push_character(escape, encoding, units);
                rest = after;
                continue;
            }
        };
        units.push(simple);
        rest = after;
    }
    Ok(remark)
}

fn numeric_escape(digits: &str, radix: u32, encoding: CharPrefix) -> Result<u32, LiteralFault> {
    if digits.is_empty() {
        return fault("bad-escape", "`\\x` without a hexadecimal digit");
    }
    let greatest = match encoding {
        CharPrefix::Plain => 0xff,
        CharPrefix::Utf16 => 0xffff,
        CharPrefix::Wide | CharPrefix::Utf32 => u32::MAX,
    };
    // Leading zeros may make the text longer than any number; the conversion passes over them.
    match u32::from_str_radix(digits, radix) {
        Ok(value) if value <= greatest => Ok(value),
        _ => fault("bad-escape", "an escape sequence out of the range of its character type"),
    }
}

fn push_character(character: char, encoding: CharPrefix, units: &mut Vec<u32>) {
    match encoding {
        CharPrefix::Plain => units.extend(character.encode_utf8(&mut [0; 4]).bytes().map(u32::from)),
        CharPrefix::Utf16 => units.extend(character.encode_utf16(&mut [0; 2]).iter().map(|&unit| u32::from(unit))),
        CharPrefix::Wide | CharPrefix::Utf32 => units.push(character as u32),
    }
}
