//! Bracketed expressions: words, and lists of expressions between parentheses, as in SMT-LIB.
//!
//! A word is a run of characters without white space, parentheses, bars, quotes and semicolons; or any text between bars
//! or double quotes, in which `\` makes the next character part of the text. Between words are white space and
//! comments, from a semicolon to the end of the line. Words between bars are the same as without them.

use std::fmt;

/// An expression.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Sexp {
    /// A word.
    Word(String),
    /// A text between double quotes.
    Text(String),
    /// A list.
    List(Vec<Sexp>),
}

/// Why a text is no expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Malformed {
    /// What is wrong.
    pub what: &'static str,
    /// Where, in bytes from the start.
    pub offset: usize,
}

/// Lists nested deeper than this are refused.
const MOST_LEVELS: usize = 4_000;

impl Sexp {
    /// A word.
    pub fn word(word: impl ToString) -> Self {
        Sexp::Word(word.to_string())
    }

    /// A list that begins with a word.
    pub fn tagged(tag: &str, rest: impl IntoIterator<Item = Sexp>) -> Self {
        Sexp::List(std::iter::once(Sexp::word(tag)).chain(rest).collect())
    }

    /// The word, if it is one.
    pub fn as_word(&self) -> Option<&str> {
        match self {
            Sexp::Word(word) => Some(word),
            _ => None,
        }
    }

    /// The items, if it is a list.
    pub fn as_list(&self) -> Option<&[Sexp]> {
        match self {
            Sexp::List(items) => Some(items),
            _ => None,
        }
    }

    /// The only expression in a text.
    pub fn parse(text: &str) -> Result<Sexp, Malformed> {
        let mut all = Self::parse_all(text)?;
        match (all.pop(), all.is_empty()) {
            (Some(only), true) => Ok(only),
            (None, _) => Err(Malformed { what: "nothing is written here", offset: 0 }),
            (Some(_), false) => Err(Malformed { what: "more than one expression", offset: text.len() }),
        }
    }

    /// All expressions in a text.
    pub fn parse_all(text: &str) -> Result<Vec<Sexp>, Malformed> {
        let mut open: Vec<(usize, Vec<Sexp>)> = Vec::new();
        let mut done: Vec<Sexp> = Vec::new();
        let mut rest = text.char_indices().peekable();
        while let Some((offset, c)) = rest.next() {
            let found = match c {
                ';' => {
                    while rest.next_if(|(_, c)| *c != '\n').is_some() {}
                    continue;
                }
                c if c.is_whitespace() => continue,
                '(' if open.len() >= MOST_LEVELS => return Err(Malformed { what: "too many nested lists", offset }),
                '(' => {
                    open.push((offset, std::mem::take(&mut done)));
                    continue;
                }
                ')' => {
                    let Some((_, before)) = open.pop() else {
                        return Err(Malformed { what: "a list ends that was not begun", offset });
                    };
                    Sexp::List(std::mem::replace(&mut done, before))
                }
                '|' | '"' => {
                    let mut word = String::new();
                    loop {
                        match rest.next() {
                            None => return Err(Malformed { what: "a text without an end", offset }),
                            Some((_, end)) if end == c => break,
                            Some((_, '\\')) => word.extend(rest.next().map(|(_, c)| c)),
                            Some((_, c)) => word.push(c),
                        }
                    }
                    if c == '"' { Sexp::Text(word) } else { Sexp::Word(word) }
                }
                c => {
                    let mut word = String::from(c);
                    while let Some((_, c)) = rest.next_if(|(_, c)| is_plain(*c)) {
                        word.push(c);
                    }
                    Sexp::Word(word)
                }
            };
            done.push(found);
        }
        match open.last() {
            Some((offset, _)) => Err(Malformed { what: "a list without an end", offset: *offset }),
            None => Ok(done),
        }
    }
}

fn is_plain(c: char) -> bool {
    !c.is_whitespace() && !matches!(c, '(' | ')' | '|' | '"' | ';')
}

enum SexpPiece<'s> {
    One(&'s Sexp),
    Text(&'static str),
}

impl fmt::Display for Sexp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut open = vec![SexpPiece::One(self)];
        while let Some(piece) = open.pop() {
            match piece {
                SexpPiece::Text(text) => f.write_str(text)?,
                SexpPiece::One(Sexp::Word(word)) if !word.is_empty() && word.chars().all(is_plain) => {
                    f.write_str(word)?
                }
                SexpPiece::One(Sexp::Word(word)) => quoted(f, word, '|')?,
                SexpPiece::One(Sexp::Text(text)) => quoted(f, text, '"')?,
                SexpPiece::One(Sexp::List(items)) => {
                    f.write_str("(")?;
                    open.push(SexpPiece::Text(")"));
                    for (index, item) in items.iter().enumerate().rev() {
                        open.push(SexpPiece::One(item));
                        if index > 0 {
                            open.push(SexpPiece::Text(" "));
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

fn quoted(f: &mut fmt::Formatter<'_>, text: &str, mark: char) -> fmt::Result {
    write!(f, "{mark}")?;
    for c in text.chars() {
        if c == mark || c == '\\' {
            f.write_str("\\")?;
        }
        write!(f, "{c}")?;
    }
    write!(f, "{mark}")
}

impl Drop for Sexp {
    /// Deep expressions are taken apart without recursion.
    fn drop(&mut self) {
        let Sexp::List(items) = self else { return };
        let mut open = std::mem::take(items);
        while let Some(mut item) = open.pop() {
            if let Sexp::List(items) = &mut item {
                open.append(items);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let texts = ["a", "()", "(a b (c |d e| \"f\\\"g\") ())", "(|a\\|b| \"\\\\\")", "; x\n(a ; y\n b)"];
        for text in texts {
            let read = Sexp::parse(text).unwrap();
            assert_eq!(Sexp::parse(&read.to_string()).unwrap(), read, "{text}");
        }
    }

    #[test]
    fn what_is_malformed_is_refused_where_it_is() {
        let cases = [
            ("(a", "a list without an end", 0),
            ("a)", "a list ends that was not begun", 1),
            ("(a |b)", "a text without an end", 3),
            ("", "nothing is written here", 0),
            ("a b", "more than one expression", 3),
        ];
        for (text, what, offset) in cases {
            assert_eq!(Sexp::parse(text), Err(Malformed { what, offset }), "{text}");
        }
    }

    #[test]
    fn depth_is_no_danger() {
        let deep = "(".repeat(MOST_LEVELS) + &")".repeat(MOST_LEVELS);
        assert!(Sexp::parse(&deep).is_ok());
        let deeper = "(".repeat(1_000_000);
        assert_eq!(Sexp::parse(&deeper).unwrap_err().what, "too many nested lists");
    }
}
