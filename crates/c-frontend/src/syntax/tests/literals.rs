//! Constants and string literals.

use super::{compare, expression};

fn value(text: &str) -> String {
    expression(text).unwrap_or_else(|messages| messages.join("; "))
}

#[test]
fn integers() {
    compare(
        &[
            ("0", "0"),
            ("42", "42"),
            ("052", "#42"),
            ("0x2A", "#42"),
            ("0b101010", "#42"),
            ("1u", "1u"),
            ("1UL", "1ul"),
            ("1lu", "1ul"),
            ("1llU", "1ull"),
            ("1uLL", "1ull"),
            ("0xFFFFFFFFFFFFFFFFul", "#18446744073709551615ul"),
            ("340282366920938463463374607431768211455", "340282366920938463463374607431768211455"),
            (
                "340282366920938463463374607431768211456",
                "1:1 bad-number: this integer constant is too large for any type [340282366920938463463374607431768211456]",
            ),
            ("08", "1:1 bad-number: the digit `8` in a number of base 8 [08]"),
            ("0b2", "1:1 bad-number: the digit `2` in a number of base 2 [0b2]"),
            ("0x", "1:1 bad-number: a number without digits [0x]"),
            ("1lL", "1:1 bad-number: `lL` is no suffix of an integer constant [1lL]"),
            ("1lul", "1:1 bad-number: `lul` is no suffix of an integer constant [1lul]"),
            ("1x", "1:1 bad-number: `x` is no suffix of an integer constant [1x]"),
            ("3i", "1:1 unsupported-complex: the imaginary suffix `i` is not supported [3i]"),
            ("3.0fj", "1:1 unsupported-complex: the imaginary suffix `fj` is not supported [3.0fj]"),
            ("0x1e+1", "1:1 bad-number: `+1` is no suffix of an integer constant [0x1e+1]"),
        ],
        value,
    );
}

#[test]
fn floats() {
    compare(
        &[
            ("1.5", "1.5:double"),
            ("1.", "1.0:double"),
            (".5e1", "5.0:double"),
            ("1e-2", "0.01:double"),
            ("1.E+2L", "100.0:longdouble"),
            ("0.1f", "0.10000000149011612:float"),
            ("08.5", "8.5:double"),
            ("1.0q", "1.0:float128"),
            ("1.0f128", "1.0:float128"),
            ("1.0f32x", "1.0:double"),
            ("1e999", "inf:double"),
            ("0x1p4", "16.0:double"),
            ("0x.8p1", "1.0:double"),
            ("0x1.8p-1F", "0.75:float"),
            ("0x1.fffffffffffff8p0", "2.0:double"),
            ("0x1.00000000000008p0", "1.0:double"),
            ("0x1.00000000000008000000000001p0", "1.0000000000000002:double"),
            ("0x1p-1074", "5e-324:double"),
            ("0x1p-1075", "0.0:double"),
            ("0x1.8p-1075", "5e-324:double"),
            ("0x1p1024", "inf:double"),
            ("0x1.ffffffp127f", "inf:float"),
            ("0x0p99999999999999999999", "0.0:double"),
            ("0x1.8", "1:1 bad-number: a hexadecimal floating constant needs digits and an exponent after `p` [0x1.8]"),
            ("1e", "1:1 bad-number: a floating constant's exponent without digits [1e]"),
            ("1.5.2", "1:1 bad-number: `.2` is no suffix of a floating constant [1.5.2]"),
            ("1f", "1:1 bad-number: a floating constant needs a decimal point or an exponent [1f]"),
            ("1.0df", "1:1 bad-number: `df` is no suffix of a floating constant [1.0df]"),
        ],
        value,
    );
}

#[test]
fn hexadecimal_floats_agree_with_exact_values() {
    // Every significand of up to 12 bits at every exponent around the subnormal numbers is exact or halfway, and two
    // exact powers of two say what it must be.
    for significand in 0..1u64 << 12 {
        for exponent in [-1086i32, -1080, -1074, -1070, -4, 0, 4] {
            let exact = significand as f64 * 2f64.powi(-500) * 2f64.powi(exponent + 500);
            let expected = format!("{exact:?}:double");
            assert_eq!(value(&format!("0x{significand:x}p{exponent}")), expected, "0x{significand:x}p{exponent}");
        }
    }
}

#[test]
fn characters_and_strings() {
    compare(
        &[
            ("'a'", "'97'"),
            ("'\\n' + '\\0' + '\\x41' + '\\101' + '\\e' + '\\''", "(+ (+ (+ (+ (+ '10' '0') '65') '65') '27') '39')"),
            ("'\\377'", "'-1'"),
            ("'\\xff'", "'-1'"),
            ("'ab'", "'24930'"),
            ("'abcd'", "'1633837924'"),
            ("'\\xff\\xfe\\xfd\\xfc'", "'-66052'"),
            ("'é'", "'50089'"),
            ("L'é'", "L'233'"),
            ("u'\\xffff'", "u'65535'"),
            ("L'\\xffffffff'", "L'-1'"),
            ("U'\\U0001F600'", "U'128512'"),
            ("u8'a'", "'97'"),
            ("\"\"", "\"\""),
            ("\"a\\tb\\\"\"", "\"a\\tb\\\"\""),
            ("\"\\1234\"", "\"S4\""),
            ("\"\\x41g\" \"B\"", "\"AgB\""),
            ("\"\\x4\" \"1\"", "\"\\u{4}1\""),
            ("u8\"é\"", "\"Ã©\""),
            ("L\"é\" \"\\u00e9\"", "L\"éé\""),
            ("\"a\\\nb\"", "\"ab\""),
            ("u\"😀\"", "u\"\""),
            ("U\"😀\"", "U\"😀\""),
            ("''", "1:1 bad-character: an empty character constant ['']"),
            ("'\\x'", "1:1 bad-escape: `\\x` without a hexadecimal digit ['\\x']"),
            ("'\\x100'", "1:1 bad-escape: an escape sequence out of the range of its character type ['\\x100']"),
            ("\"\\ud800\"", "1:1 bad-escape: `\\u` needs 4 hexadecimal digits that name a character [\"\\ud800\"]"),
            ("L'ab'", "1:1 bad-character: a wide character constant of more than one character [L'ab']"),
            ("u\"a\" U\"b\"", "1:6 bad-string: string literals with different prefixes cannot be joined [U\"b\"]"),
        ],
        value,
    );
}
