//! Reads a formula.
//!
//! Precedence and associativity are those of Spot's grammar. From loose to tight: `->` and `<->` (to the right),
//! `||`, `xor`, `&&` (to the left), `U W R M` (to the right), then all unary operators. Two stacks of our own hold
//! what is not finished (Dijkstra's shunting yard), so nesting is limited by memory alone. The first fault ends the
//! reading.

use std::ops::Range;

use foundation::{Diagnostic, Diagnostics, SourceId, SourceMap, Span};

use super::formula::{Binary, Formula, Formulas, Unary};
use super::token::{Due, Fault, Lexer, Token};

/// Reads the whole of a source text as one formula.
pub fn parse(sources: &SourceMap, source: SourceId, formulas: &mut Formulas) -> Result<Formula, Diagnostics> {
    let text = sources.text(source);
    match parse_embedded(Lexer::new(text, source, 0), Ending::Text, formulas) {
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
pub(super) enum Ending {
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
    ending: Ending,
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
    Unary(Unary, u32),
    Binary(Binary),
}

struct Parser<'a, 'f> {
    lexer: Lexer<'a>,
    ending: Ending,
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
                Token::Unary(operator, times) => {
                    self.pending.push((Pending::Unary(operator, times), range));
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
                        (None, Ending::Parenthesis(_)) => return self.end().map(Some),
                        (None, _) => return Err(self.unopened_parenthesis(range)),
                    }
                }
                (Token::End, Ending::Text) | (Token::Semicolon, Ending::Semicolon) => return self.end().map(Some),
                (Token::End, Ending::Parenthesis(open)) => {
                    self.end()?;
                    return Err(unclosed_parenthesis(open));
                }
                (Token::End, Ending::Semicolon) => {
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
                Pending::Unary(operator, times) => {
                    let innermost = operand();
                    (0..times).fold(innermost, |operand, _| self.formulas.unary(operator, operand))
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
            (None, Token::Close) if !matches!(self.ending, Ending::Parenthesis(_)) => {
                return self.unopened_parenthesis(range);
            }
            (None, _) => Diagnostic::error("empty-formula", "there is no formula").at(self.lexer.span(range)),
            (Some((Pending::Open, open)), Token::Close) => {
                Diagnostic::error("empty-parentheses", "there is no formula between the parentheses")
                    .at(self.lexer.span(open.start..range.end))
                    .help("`()` without a space is the operator `X`, which needs an operand")
            }
            (Some((Pending::Open, open)), Token::Binary(_)) => {
                let message = format!("`{}` has no left operand", source(&range));
                Diagnostic::error("missing-operand", message)
                    .at(self.lexer.span(range))
                    .also(self.lexer.span(open.clone()), "in this parenthesis")
            }
            (Some((Pending::Open, open)), _) => return unclosed_parenthesis(self.lexer.span(open.clone())),
            (Some((Pending::Unary(..), operator)), _) => {
                Diagnostic::error("missing-operand", format!("`{}` has no operand", source(operator)))
                    .at(self.lexer.span(operator.clone()))
                    .also(self.lexer.span(range), "an operand is missing before this")
            }
            (Some((Pending::Binary(_), operator)), _) => {
                Diagnostic::error("missing-operand", format!("`{}` has no right operand", source(operator)))
                    .at(self.lexer.span(operator.clone()))
                    .also(self.lexer.span(range), "an operand is missing before this")
            }
        };
        Box::new(
            diagnostic.help("an operand is an atom such as `\"x > 0\"`, `true`, `false`, or a formula in parentheses"),
        )
    }

    fn missing_operator(&self, range: Range<usize>) -> Fault {
        let text = self.lexer.text();
        let found = &text[range.clone()];
        let before = self.last_operand.clone().map_or("", |operand| &text[operand]);
        let replacement = |word: &str| {
            Some(match word {
                "not" => "!",
                "always" | "globally" => "G",
                "eventually" | "finally" => "F",
                "next" => "X",
                "until" => "U",
                "release" | "releases" => "R",
                "implies" => "->",
                "iff" => "<->",
                _ => return None,
            })
        };
        let (message, help) =
            if let Some((word, operator)) = [before, found].iter().find_map(|&word| Some((word, replacement(word)?))) {
                (format!("`{word}` is not an operator"), format!("write `{operator}` instead of `{word}`"))
            } else if ["AG", "AF", "AX", "EG", "EF", "EX"].contains(&before) {
                let help = "properties are linear: `AG` is `G`, and there is no `E`".to_owned();
                (format!("`{before}` is an operator of branching time"), help)
            } else if found == "(" && before.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
                let help = format!("write a call in an expression in quotes: `\"{before}(…)\"`");
                (format!("there is no operator between `{before}` and `(`"), help)
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
        let left = match &self.last_operand {
            Some(operand) if is_blank(&text[operand.end..range.start]) => operand.start,
            _ => range.start,
        };
        let operand = text[range.end..].trim_start_matches([' ', '\t', '-', '~', '*', '=']);
        let word = operand.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '.').unwrap_or(operand.len());
        let right = if word == 0 { range.end } else { text.len() - operand.len() + word };
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

fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| byte == b' ' || byte == b'\t')
}

/// A piece of source text, cut to what fits in a message.
fn shown(text: &str) -> String {
    let line = text.lines().next().unwrap_or("");
    let short: String = line.chars().take(40).collect();
    if short.len() < text.len() { short + "…" } else { short }
}
