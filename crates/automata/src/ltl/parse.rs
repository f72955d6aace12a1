//! Reads a formula.
//!
//! Precedence and associativity are those of Spot's grammar. From loose to tight: `->` and `<->` (to the right),
//! `||`, `xor`, `&&` (to the left), `U W R M` (to the right), then all unary operators. Two stacks of our own hold
//! what is not finished (Dijkstra's shunting yard), so nesting is limited by memory alone. The first fault ends the
//! reading.

use std::ops::Range;

use foundation::{Diagnostic, Diagnostics, SourceId, SourceMap, Span};

use super::bounds::Operator;
use super::formula::{Binary, Formula, Formulas};
use super::token::{Due, Fault, Lexer, Token};

/// Reads the whole of a source text as one formula.
pub fn parse(sources: &SourceMap, source: SourceId, formulas: &mut Formulas) -> Result<Formula, Diagnostics> {
    let text = sources.text(source);
    match parse_embedded(Lexer::new(text, source, 0), FormulaEnding::Text, formulas) {
        Ok((formula, _)) => Ok(formula),
        Err(fault) => {
            let mut diagnostics = Diagnostics::new();
            diagnostics.push(*fault);
            Err(diagnostics)
        }
    }
}

/// What ends a formula that is embedded in another text.
#[derive(Clone, Copy, Debug)]
pub(super) enum FormulaEnding {
    /// The end of the text.
    Text,
    /// The closing parenthesis that matches this one in front of the formula.
    Parenthesis(Span),
    /// A semicolon.
    Semicolon,
}

/// Reads a formula from where the lexer stands up to its ending, and returns the position after the ending.
pub(super) fn parse_embedded(
    lexer: Lexer<'_>,
    ending: FormulaEnding,
    formulas: &mut Formulas,
) -> Result<(Formula, usize), Fault> {
    let mut parser = Parser { lexer, ending, formulas, operands: Vec::new(), pending: Vec::new(), last_operand: None };
    let formula = parser.formula()?;
    Ok((formula, parser.lexer.position()))
}

/// What waits for an operand to be finished.
#[derive(Clone, Debug)]
enum Pending {
    Open,
    Unary(Operator),
    Binary(Binary),
}

struct Parser<'a, 'f> {
    lexer: Lexer<'a>,
    ending: FormulaEnding,
    formulas: &'f mut Formulas,
    operands: Vec<Formula>,
    pending: Vec<(Pending, Range<usize>)>,
    /// The operand that was read last, if it was a single token.
    last_operand: Option<Range<usize>>,
}

impl Parser<'_, '_> {
    fn formula(&mut self) -> Result<Formula, Fault> {
        loop {
            self.operand()?;
            if let Some(formula) = self.operators_after_operand()? {
                return Ok(formula);
            }
        }
    }

    /// Reads prefix operators and opening parentheses up to an atom or a constant.
    fn operand(&mut self) -> Result<(), Fault> {
        loop {
            let (token, range) = self.lexer.next(Due::Operand)?;
            let formula = match token {
                Token::Unary(prefix) => {
                    self.pending.push((Pending::Unary(prefix), range));
                    continue;
                }
                Token::Open => {
                    self.pending.push((Pending::Open, range));
                    continue;
                }
                Token::Constant(value) => self.formulas.truth(value),
                Token::Atom(atom, origin) => self.formulas.atom_at(atom, Some(origin)),
                Token::Foreign => return Err(self.unquoted_expression(range)),
                Token::Close | Token::Binary(_) | Token::Semicolon | Token::End => {
                    return Err(self.missing_operand(&token, range));
                }
            };
            self.last_operand = Some(range);
            self.operands.push(formula);
            return Ok(());
        }
    }

    /// Reads closing parentheses up to a binary operator, or to the end, where the formula is returned.
    fn operators_after_operand(&mut self) -> Result<Option<Formula>, Fault> {
        loop {
            let (token, range) = self.lexer.next(Due::Operator)?;
            match (token, self.ending) {
                (Token::Binary(operator), _) => {
                    let waits = |other: Binary| {
                        other.level() < operator.level()
                            || (other.level() == operator.level() && operator.is_right_associative())
                    };
                    self.finish_while(|pending| match pending {
                        Pending::Open => false,
                        Pending::Unary(..) => true,
                        Pending::Binary(other) => !waits(*other),
                    });
                    self.pending.push((Pending::Binary(operator), range));
                    return Ok(None);
                }
                (Token::Close, ending) => {
                    self.finish_while(|pending| !matches!(pending, Pending::Open));
                    self.last_operand = None;
                    match (self.pending.pop(), ending) {
                        (Some(_), _) => {}
                        (None, FormulaEnding::Parenthesis(_)) => return self.end().map(Some),
                        (None, _) => return Err(self.unopened_parenthesis(range)),
                    }
                }
                (Token::End, FormulaEnding::Text) | (Token::Semicolon, FormulaEnding::Semicolon) => {
                    return self.end().map(Some);
                }
                (Token::End, FormulaEnding::Parenthesis(open)) => {
                    self.end()?;
                    return Err(unclosed_parenthesis(open));
                }
                (Token::End, FormulaEnding::Semicolon) => {
                    self.end()?;
                    let fault = Diagnostic::error("missing-semicolon", "the formula does not end in `;`")
                        .at(self.lexer.span(range))
                        .help("an annotation reads `//@ ltl invariant NAME: FORMULA;`");
                    return Err(Box::new(fault));
                }
                (Token::Foreign, _) => return Err(self.unquoted_expression(range)),
                (Token::Semicolon, _) => {
                    let fault = Diagnostic::error("unexpected-semicolon", "a formula does not end in `;` here")
                        .at(self.lexer.span(range))
                        .help("remove it; only annotations in a source text end in `;`");
                    return Err(Box::new(fault));
                }
                (Token::Open | Token::Constant(_) | Token::Atom(..) | Token::Unary(..), _) => {
                    return Err(self.missing_operator(range));
                }
            }
        }
    }

    fn finish_while(&mut self, is_finished: impl Fn(&Pending) -> bool) {
        while let Some((pending, _)) = self.pending.pop_if(|(pending, _)| is_finished(pending)) {
            let mut operand = || self.operands.pop().expect("an operator waits only after its left operand");
            let formula = match pending {
                Pending::Open => unreachable!("a parenthesis waits for its partner"),
                Pending::Unary(prefix) => {
                    let operand = operand();
                    prefix.apply(self.formulas, operand)
                }
                Pending::Binary(operator) => {
                    let (right, left) = (operand(), operand());
                    self.formulas.binary(operator, left, right)
                }
            };
            self.operands.push(formula);
        }
    }

    fn end(&mut self) -> Result<Formula, Fault> {
        self.finish_while(|pending| !matches!(pending, Pending::Open));
        match self.pending.last() {
            Some((_, open)) => Err(unclosed_parenthesis(self.lexer.span(open.clone()))),
            None => Ok(self.operands.pop().expect("a formula has been read")),
        }
    }

    fn missing_operand(&self, found: &Token, range: Range<usize>) -> Fault {
        let source = |range: &Range<usize>| shown(&self.lexer.text()[range.clone()]);
        let diagnostic = match (self.pending.last(), found) {
            (None, Token::Binary(_)) => {
                let message = format!("`{}` has no left operand", source(&range));
                Diagnostic::error("missing-operand", message).at(self.lexer.span(range))
            }
            (None, Token::Close) if !matches!(self.ending, FormulaEnding::Parenthesis(_)) => {
                return self.unopened_parenthesis(range);
            }
            (None, _) => Diagnostic::error("empty-formula", "there is no formula").at(self.lexer.span(range)),
            (Some((Pending::Open, open)), Token::Close) => return self.empty_parentheses(open.start..range.end),
            (Some((Pending::Open, open)), Token::Binary(_)) => {
                let message = format!("`{}` has no left operand", source(&range));
                Diagnostic::error("missing-operand", message)
                    .at(self.lexer.span(range))
                    .also(self.lexer.span(open.clone()), "in this parenthesis")
            }
            (Some((Pending::Open, open)), _) => return unclosed_parenthesis(self.lexer.span(open.clone())),
            (Some((Pending::Unary(..), operator)), _) if source(operator) == "()" => {
                return self.empty_parentheses(operator.clone());
            }
            (Some((Pending::Unary(..), operator)), _) => {
                Diagnostic::error("missing-operand", format!("`{}` has no operand", source(operator)))
                    .at(self.lexer.span(operator.clone()))
                    .also(self.lexer.span(range), "an operand is missing here")
            }
            (Some((Pending::Binary(_), operator)), _) => {
                Diagnostic::error("missing-operand", format!("`{}` has no right operand", source(operator)))
                    .at(self.lexer.span(operator.clone()))
                    .also(self.lexer.span(range), "an operand is missing here")
            }
        };
        Box::new(
            diagnostic.help("an operand is an atom such as `\"x > 0\"`, `true`, `false`, or a formula in parentheses"),
        )
    }

    fn empty_parentheses(&self, range: Range<usize>) -> Fault {
        let fault = Diagnostic::error("empty-parentheses", "there is no formula between the parentheses")
            .at(self.lexer.span(range))
            .help("write a formula between them; before an operand, `()` without a space is the operator `X`");
        Box::new(fault)
    }

    fn missing_operator(&self, range: Range<usize>) -> Fault {
        let text = self.lexer.text();
        let found = &text[range.clone()];
        let before = self.last_operand.clone().unwrap_or(range.start..range.start);
        let operand = &text[before.clone()];
        // A word that is an operator elsewhere was taken for an operand.
        for word in [before.clone(), range.clone()] {
            if let Some(fault) = foreign_operator(&text[word.clone()], self.lexer.span(word)) {
                return fault;
            }
        }
        if found == "S" || ["H", "O", "P", "Y", "Z"].contains(&operand) {
            let word = if found == "S" { range } else { before };
            let message = format!("`{}` is an operator of the past", &text[word.clone()]);
            let fault = Diagnostic::error("unsupported-operator", message)
                .at(self.lexer.span(word))
                .help("properties speak of the future only: `X F G U W R M`");
            return Box::new(fault);
        }
        if ["AG", "AF", "AX", "EG", "EF", "EX"].contains(&operand) {
            let fault =
                Diagnostic::error("unsupported-operator", format!("`{operand}` is an operator of branching time"))
                    .at(self.lexer.span(before))
                    .help("properties are linear: `AG` is `G`, and there is no `E`");
            return Box::new(fault);
        }
        let (message, help) = if found == "(" && operand.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            let help = format!("write a call in an expression in quotes: `\"{operand}(…)\"`");
            (format!("there is no operator between `{operand}` and `(`"), help)
        } else {
            let help = "join two formulas by an operator such as `&&`, `->` or `U`".to_owned();
            (format!("there is no operator before `{}`", shown(found)), help)
        };
        let diagnostic = Diagnostic::error("missing-operator", message).at(self.lexer.span(range)).help(help);
        Box::new(match &self.last_operand {
            Some(operand) => diagnostic.also(self.lexer.span(operand.clone()), "the formula before it ends here"),
            None => diagnostic,
        })
    }

    /// A mark of expressions stands outside of quotes: points at it and at what it seems to join.
    fn unquoted_expression(&self, range: Range<usize>) -> Fault {
        let text = self.lexer.text();
        let mark = &text[range.clone()];
        let operand = self.last_operand.clone().filter(|operand| is_blank(&text[operand.end..range.start]));
        let follows = text[range.end..].trim_start();
        if mark == "'" {
            let inner = text[range.end..].split(['\'', '\n']).next().unwrap_or("");
            let end = range.end + inner.len();
            let end = if text[end..].starts_with('\'') { end + 1 } else { end };
            let message = format!("`{}` is not in double quotes", shown(&text[range.start..end]));
            let fault = Diagnostic::error("unquoted-expression", message)
                .at(self.lexer.span(range.start..end))
                .help(format!("use double quotes: `\"{}\"`", shown(inner.trim())));
            return Box::new(fault);
        }
        if mark == "[" && operand.is_none() {
            let fault = Diagnostic::error("unknown-operator", "`[` is not an operator of the property language")
                .at(self.lexer.span(range))
                .help("`[]` is `G`, and brackets around a formula are written `( )`");
            return Box::new(fault);
        }
        let joins_formulas = operand.as_ref().is_some_and(|operand| text[operand.clone()].ends_with(['"', '}', ')']));
        if joins_formulas && follows.starts_with(['"', '{', '(', '!']) {
            let help = match mark {
                "=" | "==" => "write `<->` to say that two formulas are true at the same times",
                "!=" => "write `xor` to say that just one of two formulas is true",
                _ => "put the whole expression in one pair of quotes",
            };
            let fault =
                Diagnostic::error("unknown-operator", format!("`{mark}` is not an operator of the property language"))
                    .at(self.lexer.span(range))
                    .help(help);
            return Box::new(fault);
        }
        let left = operand.map_or(range.start, |operand| operand.start);
        let right = range.end + expression_length(&text[range.end..]);
        let expression = &text[left..right];
        let message = format!("`{}` is not in quotes", shown(expression));
        let diagnostic = Diagnostic::error("unquoted-expression", message).at(self.lexer.span(left..right));
        let is_whole = left < range.start && right > range.end && !expression.contains(['"', '\n']);
        let example = if is_whole { expression } else { "x > 0" };
        let help = format!("expressions over the program's variables stand in quotes: `\"{example}\"`");
        Box::new(diagnostic.help(help))
    }

    fn unopened_parenthesis(&self, range: Range<usize>) -> Fault {
        let diagnostic = Diagnostic::error("unopened-parenthesis", "this `)` has no matching `(`")
            .at(self.lexer.span(range))
            .help("remove it, or open a parenthesis before it");
        Box::new(diagnostic)
    }
}

fn unclosed_parenthesis(open: Span) -> Fault {
    let diagnostic = Diagnostic::error("unclosed-parenthesis", "this `(` has no matching `)`")
        .at(open)
        .help("close it with `)` where its formula ends");
    Box::new(diagnostic)
}

/// Refuses a word that is an operator in other languages, in whatever case.
pub(super) fn foreign_operator(word: &str, span: Span) -> Option<Fault> {
    let operator = match word.to_ascii_lowercase().as_str() {
        "not" => "!",
        "and" => "&&",
        "or" => "||",
        "always" | "globally" => "G",
        "eventually" | "finally" => "F",
        "next" => "X",
        "until" => "U",
        "unless" | "weakuntil" => "W",
        "release" | "releases" => "R",
        "implies" => "->",
        "iff" => "<->",
        _ => return None,
    };
    let fault = Diagnostic::error("unknown-operator", format!("`{word}` is not an operator"))
        .at(span)
        .help(format!("write `{operator}` instead of `{word}`"));
    Some(Box::new(fault))
}

/// How far an expression seems to go on after one of its marks: up to what belongs to formulas only.
fn expression_length(text: &str) -> usize {
    const ENDS: [&str; 14] = ["->", "=>", "<->", "<=>", "&&", "||", "/\\", "\\/", "[]", "<>", ";", "\"", "{", "\n"];
    let mut depth = 0;
    let mut length = 0;
    while let Some(character) = text[length..].chars().next() {
        let rest = &text[length..];
        if ENDS.iter().any(|end| rest.starts_with(end)) || !character.is_ascii() {
            break;
        }
        if character.is_ascii_alphanumeric() || character == '_' {
            let word = &rest[..rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len())];
            if ["U", "W", "R", "V", "M", "and", "or", "xor"].contains(&word) {
                break;
            }
            length += word.len();
            continue;
        }
        depth += match character {
            '(' => 1,
            ')' if depth == 0 => break,
            ')' => -1,
            _ => 0,
        };
        length += 1;
    }
    text[..length].trim_end().len()
}

fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| byte == b' ' || byte == b'\t')
}

/// A piece of source text, cut to what fits in a message.
pub(super) fn shown(text: &str) -> String {
    let line = text.lines().next().unwrap_or("");
    let short: String = line.chars().take(40).collect();
    if short.len() < text.len() { short + "…" } else { short }
}
