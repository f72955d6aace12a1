//! Operators with bounds: `X[3] p`, `F[0:3] p`, `G[2:] p`, `F[<=3] p`, and the strong next `X[!] p`.
//!
//! Bounds are abbreviations, as in Spot: `X[n]` is `n` times `X`, and `F[a:b] f` is `X[a] (f || X (f || … ))` with `b - a`
//! disjunctions, so that `f` holds at one of the positions `a` to `b` from here. `G[a:b]` has conjunctions, `F[a:] f` is
//! `X[a] F f`. Spot's separators `:`, `,`, `..` and `to` are all read, `$` is no bound, and `<=n`, `<n`, `>=n`, `>n` are
//! the intervals that they say. A final `!` asks for strong next operators, which are the same on infinite words.
//!
//! What is repeated is one formula in the arena. [`chain`] finds it again, so that the canonical text of nested bounds does
//! not grow with their product.

use std::ops::Range;

use foundation::Diagnostic;

use super::formula::{Binary, Formula, Formulas, Node, Unary};
use super::parse::shown;

/// What is wrong, and with which part of the text behind an operator.
pub(super) type Misread = (Box<Diagnostic>, Range<usize>);

/// The largest bound.
pub(super) const LARGEST_BOUND: u32 = 1000;

/// An operator before its operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Operator {
    /// The operator, so many times.
    Times(Unary, u32),
    /// `F` or `G` over the positions from the first bound to the second, or without end.
    Within(Unary, u32, Option<u32>),
}

impl Operator {
    /// Applies the operator to an operand.
    pub(super) fn apply(self, formulas: &mut Formulas, operand: Formula) -> Formula {
        let times = |formulas: &mut Formulas, operator, times: u32, operand| {
            (0..times).fold(operand, |operand, _| formulas.unary(operator, operand))
        };
        match self {
            Operator::Times(operator, count) => times(formulas, operator, count, operand),
            Operator::Within(operator, from, to) => {
                let within = match (to, operator) {
                    (None, _) => formulas.unary(operator, operand),
                    (Some(to), _) => (from..to).fold(operand, |later, _| {
                        let next = formulas.unary(Unary::Next, later);
                        formulas.binary(joined_by(operator), operand, next)
                    }),
                };
                times(formulas, Unary::Next, from, within)
            }
        }
    }
}

/// The connective between the positions of a bounded `F` or `G`.
fn joined_by(operator: Unary) -> Binary {
    match operator {
        Unary::Globally => Binary::And,
        _ => Binary::Or,
    }
}

/// Finds `F[0:n] f` or `G[0:n] f` with `n` from 1 on in what stands in the arena: the operator, `n` and `f`.
///
/// One repetition of an atom is not taken for a bound: `p || X p` stays as it is.
pub(super) fn chain(formulas: &Formulas, formula: Formula) -> Option<(Unary, u32, Formula)> {
    let Node::Binary(connective @ (Binary::Or | Binary::And), operand, _) = formulas.node(formula) else { return None };
    let mut length = 0;
    let mut rest = formula;
    while rest != operand {
        let Node::Binary(found, left, right) = formulas.node(rest) else { return None };
        let Node::Unary(Unary::Next, later) = formulas.node(right) else { return None };
        if found != connective || left != operand || length == LARGEST_BOUND {
            return None;
        }
        length += 1;
        rest = later;
    }
    let is_leaf = matches!(formulas.node(operand), Node::True | Node::False | Node::Atom(_));
    let operator = if connective == Binary::And { Unary::Globally } else { Unary::Finally };
    (length > 1 || !is_leaf).then_some((operator, length, operand))
}

/// Reads the bounds after an operator, if there are any, from the text behind it. Returns how long they are, or what is
/// wrong with which part of the text.
pub(super) fn read(operator: Unary, text: &str) -> Result<(Operator, usize), Misread> {
    let open = text.len() - text.trim_start().len();
    let bracket = &text[open..];
    if operator == Unary::Not || !bracket.starts_with('[') || bracket.starts_with("[]") {
        return Ok((Operator::Times(operator, 1), 0));
    }
    let symbol = operator.symbol();
    let Some(close) = bracket.find(']') else {
        let fault = Diagnostic::error("bad-bounds", format!("the bounds of `{symbol}` have no closing `]`"));
        return Err((Box::new(fault.help(shape(operator))), open..open + 1));
    };
    let inner = TextPiece { text: &bracket[1..close], at: open + 1 }.trimmed();
    let inner = inner.text.strip_suffix('!').map_or(inner, |text| TextPiece { text, at: inner.at }.trimmed());
    let prefix = match operator {
        Unary::Next if inner.text.is_empty() && bracket[..close].ends_with('!') => Operator::Times(operator, 1),
        Unary::Next => Operator::Times(operator, inner.number(operator)?),
        _ => interval(operator, inner)?,
    };
    Ok((prefix, open + close + 1))
}

/// Reads the interval of a bounded `F` or `G`.
fn interval(operator: Unary, inner: TextPiece<'_>) -> Result<Operator, Misread> {
    let symbol = operator.symbol();
    for (sign, is_upper, shift) in [("<=", true, 0), (">=", false, 0), ("<", true, -1), (">", false, 1)] {
        let Some(number) = inner.after(sign) else { continue };
        let bound = number.number(operator)?.checked_add_signed(shift);
        return match bound {
            Some(bound) if is_upper => Ok(Operator::Within(operator, 0, Some(bound))),
            Some(bound) => Ok(Operator::Within(operator, bound, None)),
            None => Err(inner.fault("no position is before the present one".to_owned(), operator)),
        };
    }
    let separator = ["..", ":", ",", "to"].iter().find_map(|mark| Some((inner.text.find(mark)?, mark.len())));
    let Some((at, length)) = separator else {
        let number = inner.number(operator)?;
        let fault = Diagnostic::error("bad-bounds", format!("`{symbol}[{number}]` has only one bound"))
            .help(format!("`{symbol}[0:{number}] p` speaks of the positions 0 to {number}, `X[{number}] p` of one"));
        return Err((Box::new(fault), inner.range()));
    };
    let from = TextPiece { text: &inner.text[..at], at: inner.at }.trimmed().number(operator)?;
    let upper = TextPiece { text: &inner.text[at + length..], at: inner.at + at + length }.trimmed();
    if matches!(upper.text, "" | "$" | "inf") {
        return Ok(Operator::Within(operator, from, None));
    }
    let to = upper.number(operator)?;
    if to < from {
        return Err(inner.fault(format!("the bounds are reversed: {to} is less than {from}"), operator));
    }
    Ok(Operator::Within(operator, from, Some(to)))
}

/// Refuses bounds after a binary operator.
pub(super) fn refuse_on_binary(operator: Binary, text: &str) -> Option<Misread> {
    let open = text.len() - text.trim_start().len();
    if !text[open..].starts_with('[') || text[open..].starts_with("[]") {
        return None;
    }
    let end = text[open..].find(']').map_or(open + 1, |close| open + close + 1);
    let message = format!("`{}` with bounds is not supported", operator.symbol());
    let fault = Diagnostic::error("unsupported-operator", message)
        .help("say it with a bounded `F` or `G`: `p U[0:3] q` is `(p U q) && F[0:3] q`");
    Some((Box::new(fault), open..end))
}

/// A part of the text behind an operator, and where it begins there.
#[derive(Clone, Copy)]
struct TextPiece<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> TextPiece<'a> {
    fn trimmed(self) -> Self {
        let skipped = self.text.len() - self.text.trim_start().len();
        TextPiece { text: self.text.trim(), at: self.at + skipped }
    }

    /// What follows a sign at the beginning.
    fn after(self, sign: &str) -> Option<Self> {
        let rest = self.text.strip_prefix(sign)?;
        Some(TextPiece { text: rest, at: self.at + sign.len() }.trimmed())
    }

    fn range(self) -> Range<usize> {
        self.at..self.at + self.text.len()
    }

    fn number(self, operator: Unary) -> Result<u32, Misread> {
        let is_number = !self.text.is_empty() && self.text.bytes().all(|byte| byte.is_ascii_digit());
        match self.text.parse::<u32>() {
            Ok(number) if is_number && number <= LARGEST_BOUND => Ok(number),
            _ if is_number => Err(self.fault(format!("the bound {} is too large", shown(self.text)), operator)),
            _ if self.text.is_empty() => Err(self.fault("a number is missing".to_owned(), operator)),
            _ => Err(self.fault(format!("`{}` is not a number from 0 on", shown(self.text)), operator)),
        }
    }

    fn fault(self, message: String, operator: Unary) -> Misread {
        (Box::new(Diagnostic::error("bad-bounds", message).help(shape(operator))), self.range())
    }
}

/// How bounds are written.
fn shape(operator: Unary) -> String {
    match operator {
        Unary::Next => format!("`X[3] p` is `X X X p`; the number is from 0 to {LARGEST_BOUND}"),
        _ => {
            let symbol = operator.symbol();
            format!(
                "write `{symbol}[0:3] p`, `{symbol}[<=3] p` or `{symbol}[2:] p`; bounds are from 0 to {LARGEST_BOUND}"
            )
        }
    }
}
