//! The answers of solvers: s-expressions of SMT-LIB, read one at a time from a stream.

use std::io::BufRead;

use logic::Value;
use num_bigint::BigInt;

/// An s-expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum SExpression {
    /// A word; symbols between bars are without them, strings with their quotes.
    Atom(String),
    /// A list.
    List(Vec<SExpression>),
}

impl SExpression {
    /// The next one of a stream; `None` at its end, and where it is broken off.
    pub(crate) fn read(stream: &mut impl BufRead) -> Option<SExpression> {
        let mut open: Vec<Vec<SExpression>> = Vec::new();
        let mut bytes = PeekedBytes { stream, ahead: None };
        loop {
            let complete = match bytes.next()? {
                b'(' => {
                    open.push(Vec::new());
                    continue;
                }
                b')' => SExpression::List(open.pop()?),
                b';' => {
                    while bytes.next()? != b'\n' {}
                    continue;
                }
                byte if byte.is_ascii_whitespace() => continue,
                b'|' => SExpression::Atom(bytes.until(b'|')?),
                b'"' => SExpression::Atom(format!("\"{}\"", bytes.until(b'"')?)),
                byte => SExpression::Atom(bytes.word(byte)),
            };
            match open.last_mut() {
                Some(list) => list.push(complete),
                None => return Some(complete),
            }
        }
    }

    /// The word.
    pub(crate) fn atom(&self) -> Option<&str> {
        match self {
            SExpression::Atom(text) => Some(text),
            SExpression::List(_) => None,
        }
    }

    /// The members of the list.
    pub(crate) fn list(&self) -> Option<&[SExpression]> {
        match self {
            SExpression::Atom(_) => None,
            SExpression::List(list) => Some(list),
        }
    }

    /// The message, where this is `(error "message")`.
    pub(crate) fn error(&self) -> Option<&str> {
        match self.list()? {
            [head, message] if head.atom() == Some("error") => message.atom(),
            _ => None,
        }
    }

    /// The value that is written; `None` where it is none or of a kind we do not read.
    pub(crate) fn value(&self) -> Option<Value> {
        match self {
            SExpression::Atom(text) => match text.as_str() {
                "true" => Some(Value::Bool(true)),
                "false" => Some(Value::Bool(false)),
                text => match text.split_at_checked(2) {
                    Some(("#x", digits)) => bits(digits, 16, 4),
                    Some(("#b", digits)) => bits(digits, 2, 1),
                    _ => text.parse().ok().map(Value::Int),
                },
            },
            SExpression::List(list) => match list.as_slice() {
                [minus, number] if minus.atom() == Some("-") => match number.value()? {
                    Value::Int(value) => Some(Value::Int(-value)),
                    _ => None,
                },
                [underscore, value, width] if underscore.atom() == Some("_") => Some(Value::Bits {
                    width: width.atom()?.parse().ok()?,
                    value: value.atom()?.strip_prefix("bv")?.parse().ok()?,
                }),
                [store, array, index, element] if store.atom() == Some("store") => {
                    array.value()?.with_element(index.value()?, element.value()?)
                }
                [kind, element] => match kind.list()? {
                    [r#as, r#const, _] if r#as.atom() == Some("as") && r#const.atom() == Some("const") => {
                        let default = Box::new(element.value()?);
                        Some(Value::Array { default, entries: Default::default() })
                    }
                    _ => None,
                },
                _ => None,
            },
        }
    }
}

fn bits(digits: &str, base: u32, bits_of_digit: u32) -> Option<Value> {
    let value = BigInt::parse_bytes(digits.as_bytes(), base)?;
    Some(Value::Bits { width: u32::try_from(digits.len()).ok()? * bits_of_digit, value })
}

/// The bytes of a stream with one byte looked at ahead of time.
struct PeekedBytes<'s, S> {
    stream: &'s mut S,
    ahead: Option<u8>,
}

impl<S: BufRead> PeekedBytes<'_, S> {
    fn next(&mut self) -> Option<u8> {
        if let Some(byte) = self.ahead.take() {
            return Some(byte);
        }
        let mut byte = [0];
        match self.stream.read_exact(&mut byte) {
            Ok(()) => Some(byte[0]),
            Err(_) => None,
        }
    }

    /// The text up to a closing quote.
    fn until(&mut self, end: u8) -> Option<String> {
        let mut text = Vec::new();
        loop {
            match self.next()? {
                byte if byte == end => return Some(String::from_utf8_lossy(&text).into_owned()),
                byte => text.push(byte),
            }
        }
    }

    /// The rest of a word. The byte after it stays in the stream, which is why it is looked at before it is taken.
    fn word(&mut self, first: u8) -> String {
        let mut text = vec![first];
        loop {
            let ahead = self.stream.fill_buf().ok().and_then(|buffer| buffer.first().copied());
            match ahead {
                Some(byte) if !byte.is_ascii_whitespace() && !b"();\"|".contains(&byte) => {
                    text.push(byte);
                    self.stream.consume(1);
                }
                _ => return String::from_utf8_lossy(&text).into_owned(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(text: &str) -> Vec<SExpression> {
        let mut stream = text.as_bytes();
        std::iter::from_fn(|| SExpression::read(&mut stream)).collect()
    }

    #[test]
    fn answers_are_read_one_at_a_time() {
        let read = read_all("sat\n(error \"line 1: (no)\") ; comment (\n((|a b| 3) ($x (- 2)))unsat");
        assert_eq!(read.len(), 4);
        assert_eq!(read[0].atom(), Some("sat"));
        assert_eq!(read[1].error(), Some("\"line 1: (no)\""));
        assert_eq!(read[2].list().unwrap()[0].list().unwrap()[0].atom(), Some("a b"));
        assert_eq!(read[3].atom(), Some("unsat"));
    }

    #[test]
    fn what_is_broken_off_is_not_read() {
        for text in ["", "(", "(a (b)", "|a", ")", "\"a", "; a"] {
            assert_eq!(read_all(text), [], "{text}");
        }
    }

    #[test]
    fn values_of_all_sorts_are_read() {
        for (text, expected) in [
            ("true", Some(Value::Bool(true))),
            ("(- 12)", Some(Value::Int((-12).into()))),
            ("#x0f", Some(Value::Bits { width: 8, value: 15.into() })),
            ("#b101", Some(Value::Bits { width: 3, value: 5.into() })),
            ("(_ bv5 8)", Some(Value::Bits { width: 8, value: 5.into() })),
            ("(lambda ((x Int)) x)", None),
            ("word", None),
        ] {
            assert_eq!(read_all(text)[0].value(), expected, "{text}");
        }
        let array = read_all("(store (store ((as const (Array Int Int)) 0) 1 7) 2 0)")[0].value().unwrap();
        assert_eq!(array.element(&Value::Int(1.into())), Some(Value::Int(7.into())));
        assert_eq!(array.element(&Value::Int(2.into())), Some(Value::Int(0.into())));
    }
}
