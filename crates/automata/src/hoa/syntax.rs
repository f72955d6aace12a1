//! Reads the grammar of the HOA format (version 1) into a [`Description`]: what the text says, item by item, before
//! anybody asks whether it makes sense. Expressions are kept in reverse Polish notation, so that neither their
//! reading nor their evaluation recurses. The first fault ends the reading.

use foundation::collections::HashSet;
use foundation::{Diagnostic, SourceId, Span};

use super::token::{FORMAT, Fault, Lexer, Token};

/// One automaton as it is written.
#[derive(Clone, Debug, Default)]
pub(super) struct Description {
    pub start_of_text: Option<Span>,
    pub states: Option<(u32, Span)>,
    pub starts: Vec<(u32, Span)>,
    pub atoms: Option<(Vec<(String, Span)>, Span)>,
    pub aliases: Vec<(String, GuardExpression)>,
    pub acceptance: Option<(u32, GuardExpression, Span)>,
    pub acceptance_name: Option<Vec<String>>,
    pub tool: Option<(String, Option<String>)>,
    pub name: Option<String>,
    pub properties: Vec<String>,
    /// Header items that this reader does not know but that may change the meaning, by their names.
    pub unknown: Vec<(String, Span)>,
    pub body: Vec<StateItem>,
    /// Where the body ends.
    pub end: Option<Span>,
}

/// One `StateItem:` item with its edges.
#[derive(Clone, Debug)]
pub(super) struct StateItem {
    pub number: u32,
    pub span: Span,
    pub label: Option<GuardExpression>,
    pub name: Option<String>,
    pub sets: Vec<(u32, Span)>,
    pub edges: Vec<EdgeItem>,
}

#[derive(Clone, Debug)]
pub(super) struct EdgeItem {
    pub label: Option<GuardExpression>,
    pub target: u32,
    pub span: Span,
    pub sets: Vec<(u32, Span)>,
}

/// A Boolean expression in reverse Polish notation; never empty, and well-formed.
#[derive(Clone, Debug)]
pub(super) struct GuardExpression {
    pub operations: Vec<Operation>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum Operation {
    Constant(bool),
    /// The atomic proposition of this number.
    Atom(u32, Span),
    Alias(String, Span),
    /// `Inf(n)`, `Inf(!n)`, `Fin(n)` or `Fin(!n)`.
    Visits {
        infinitely: bool,
        complement: bool,
        set: u32,
        span: Span,
    },
    Not,
    And,
    Or,
}

/// Which leaves an expression has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LeafKind {
    Label,
    Acceptance,
}

/// Reads all automata of a text; those that are given up by `--ABORT--` are left out.
pub(super) fn read(text: &str, source: SourceId) -> Result<Vec<Description>, Fault> {
    let mut lexer = Lexer::new(text, source);
    let (token, span) = lexer.next()?;
    let mut parser = Parser { lexer, token, span };
    let mut descriptions = Vec::new();
    loop {
        match parser.token {
            Token::EndOfText => return Ok(descriptions),
            // A stream may be given up between two automata too.
            Token::Abort => parser.advance()?,
            _ => match parser.automaton() {
                Ok(description) => descriptions.push(description),
                Err(ReadingStop::Aborted) => parser.advance()?,
                Err(ReadingStop::Fault(fault)) => return Err(fault),
            },
        }
    }
}

/// Why the reading of one automaton ends before its end.
enum ReadingStop {
    Fault(Fault),
    Aborted,
}

impl From<Fault> for ReadingStop {
    fn from(fault: Fault) -> Self {
        ReadingStop::Fault(fault)
    }
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    token: Token<'a>,
    span: Span,
}

impl<'a> Parser<'a> {
    fn advance(&mut self) -> Result<(), Fault> {
        (self.token, self.span) = self.lexer.next()?;
        Ok(())
    }

    fn automaton(&mut self) -> Result<Description, ReadingStop> {
        let mut description = Description { start_of_text: Some(self.span), ..Description::default() };
        if self.token != Token::Header("HOA") {
            return Err(self.unexpected("`HOA: v1` at the start of an automaton"));
        }
        let (version, place) = self.lexer.version()?;
        match version {
            "v1" | "v1.1" => {}
            "" => return Err(self.fault_at(place, "malformed-hoa", "a version must follow `HOA:`", "write `HOA: v1`")),
            _ => {
                let message = format!("version `{version}` of the HOA format is not supported");
                return Err(self.fault_at(
                    place,
                    "unsupported-hoa-version",
                    message,
                    "write the automaton as `HOA: v1`",
                ));
            }
        }
        self.advance()?;
        let mut seen: HashSet<&'a str> = HashSet::from_iter(["HOA"]);
        let mut aliases: HashSet<&'a str> = HashSet::default();
        while let Token::Header(name) = self.token {
            let repeatable = matches!(name, "Start" | "Alias" | "properties");
            if !seen.insert(name) && !repeatable {
                let message = format!("the header `{name}:` is given twice");
                return Err(self.fault_at(self.span, "repeated-header", message, "keep one of the two"));
            }
            self.header_item(name, &mut description, &mut aliases)?;
        }
        if self.token != Token::Body {
            return Err(self.unexpected("a header item or `--BODY--`"));
        }
        self.advance()?;
        while self.token == Token::Header("State") {
            let state = self.state()?;
            description.body.push(state);
        }
        if self.token != Token::End {
            return Err(self.unexpected("`State:` or `--END--`"));
        }
        description.end = Some(self.span);
        self.advance()?;
        Ok(description)
    }

    fn header_item(
        &mut self,
        name: &'a str,
        description: &mut Description,
        aliases: &mut HashSet<&'a str>,
    ) -> Result<(), ReadingStop> {
        let place = self.span;
        self.advance()?;
        match name {
            "States" => description.states = Some(self.integer("the number of states")?),
            "Start" => {
                let start = self.state_number("the number of the initial state")?;
                description.starts.push(start);
            }
            "AP" => {
                let (count, count_place) = self.integer("the number of atomic propositions")?;
                let mut atoms = Vec::new();
                while let Token::Text(_) = self.token {
                    atoms.push(self.text()?);
                }
                if atoms.len() != count as usize {
                    let message = format!("`AP:` announces {count} names, but {} follow", atoms.len());
                    return Err(self.fault_at(count_place, "wrong-count", message, "let the number match the names"));
                }
                description.atoms = Some((atoms, place));
            }
            "Alias" => {
                let Token::Alias(alias) = self.token else {
                    return Err(self.unexpected("the name of the alias, such as `@a`"));
                };
                let alias_place = self.span;
                if !aliases.insert(alias) {
                    let message = format!("the alias `@{alias}` is defined twice");
                    return Err(self.fault_at(alias_place, "repeated-alias", message, "give one of them another name"));
                }
                self.advance()?;
                let expression = self.expression(LeafKind::Label)?;
                description.aliases.push((alias.to_owned(), expression));
            }
            "Acceptance" => {
                let (count, count_place) = self.integer("the number of acceptance sets")?;
                let condition = self.expression(LeafKind::Acceptance)?;
                description.acceptance = Some((count, condition, count_place));
            }
            "acc-name" => {
                let Token::Identifier(first) = self.token else {
                    return Err(self.unexpected("the name of the acceptance condition"));
                };
                self.advance()?;
                let mut words = vec![first.to_owned()];
                while let Some(word) = self.plain_word() {
                    words.push(word);
                    self.advance()?;
                }
                description.acceptance_name = Some(words);
            }
            "tool" => {
                let (tool, _) = self.text()?;
                let version = if let Token::Text(_) = self.token { Some(self.text()?.0) } else { None };
                description.tool = Some((tool, version));
            }
            "name" => description.name = Some(self.text()?.0),
            "properties" => loop {
                // Version 1.1 writes `!` before a property that does not hold.
                let negated = self.token == Token::Not;
                if negated {
                    self.advance()?;
                }
                match self.token {
                    Token::Identifier(property) if !negated => description.properties.push(property.to_owned()),
                    Token::Identifier(_) => {}
                    _ if negated => return Err(self.unexpected("the name of a property")),
                    _ => break,
                }
                self.advance()?;
            },
            "State" => {
                let help = "write `--BODY--` before the first state";
                return Err(self.fault_at(place, "malformed-hoa", "`State:` stands in the header", help));
            }
            _ => {
                if name.starts_with(|first: char| first.is_ascii_uppercase()) {
                    description.unknown.push((name.to_owned(), place));
                }
                while self.plain_word().is_some() || matches!(self.token, Token::Text(_)) {
                    self.advance()?;
                }
            }
        }
        Ok(())
    }

    fn state(&mut self) -> Result<StateItem, ReadingStop> {
        self.advance()?;
        let label = self.label()?;
        let (number, span) = self.integer("the number of the state")?;
        let name = if let Token::Text(_) = self.token { Some(self.text()?.0) } else { None };
        let sets = self.acceptance_sets()?;
        let mut edges = Vec::new();
        while matches!(self.token, Token::OpenBracket | Token::Integer(_)) {
            let label = self.label()?;
            let (target, span) = self.state_number("the number of the target state")?;
            let sets = self.acceptance_sets()?;
            edges.push(EdgeItem { label, target, span, sets });
        }
        Ok(StateItem { number, span, label, name, sets, edges })
    }

    fn label(&mut self) -> Result<Option<GuardExpression>, ReadingStop> {
        if self.token != Token::OpenBracket {
            return Ok(None);
        }
        self.advance()?;
        let expression = self.expression(LeafKind::Label)?;
        if self.token != Token::CloseBracket {
            return Err(self.unexpected("`]`"));
        }
        self.advance()?;
        Ok(Some(expression))
    }

    fn acceptance_sets(&mut self) -> Result<Vec<(u32, Span)>, ReadingStop> {
        let mut sets = Vec::new();
        if self.token != Token::OpenBrace {
            return Ok(sets);
        }
        self.advance()?;
        while let Token::Integer(set) = self.token {
            sets.push((set, self.span));
            self.advance()?;
        }
        if self.token != Token::CloseBrace {
            return Err(self.unexpected("the number of an acceptance set or `}`"));
        }
        self.advance()?;
        Ok(sets)
    }

    /// A state number that is not one of several: alternation is refused here.
    fn state_number(&mut self, wanted: &str) -> Result<(u32, Span), ReadingStop> {
        let (number, place) = self.integer(wanted)?;
        if self.token == Token::And {
            let message = "alternating automata are not supported";
            let help = "remove the alternation with another tool first, as in `autfilt --remove-fin --dualize`";
            return Err(self.fault_at(place.to(self.span), "unsupported-alternation", message, help));
        }
        Ok((number, place))
    }

    /// A Boolean expression, by the shunting yard: operands go to the output, operators wait on a stack.
    fn expression(&mut self, kind: LeafKind) -> Result<GuardExpression, ReadingStop> {
        let start = self.span;
        let mut end;
        let mut operations = Vec::new();
        let mut waiting: Vec<(Token<'a>, Span)> = Vec::new();
        let mut open_parentheses = 0_usize;
        loop {
            // An operand is due.
            loop {
                end = self.span;
                match self.token {
                    Token::Not if kind == LeafKind::Label => waiting.push((Token::Not, self.span)),
                    Token::Open => {
                        open_parentheses += 1;
                        waiting.push((Token::Open, self.span));
                    }
                    _ => break,
                }
                self.advance()?;
            }
            let operand = self.operand(kind, &mut end)?;
            operations.push(operand);
            // An operator is due.
            loop {
                while let Some((Token::Not, _)) = waiting.last() {
                    waiting.pop();
                    operations.push(Operation::Not);
                }
                match self.token {
                    Token::Close if open_parentheses > 0 => {
                        open_parentheses -= 1;
                        end = self.span;
                        unwind(&mut waiting, &mut operations, 0);
                        waiting.pop();
                        self.advance()?;
                    }
                    Token::And | Token::Or => {
                        let tightness = tightness(&self.token);
                        unwind(&mut waiting, &mut operations, tightness);
                        waiting.push((self.token.clone(), self.span));
                        self.advance()?;
                        break;
                    }
                    _ => {
                        unwind(&mut waiting, &mut operations, 0);
                        if let Some((_, open)) = waiting.last() {
                            let message = "this parenthesis is not closed";
                            return Err(self.fault_at(*open, "unclosed-parenthesis", message, "add `)`"));
                        }
                        return Ok(GuardExpression { operations, span: start.to(end) });
                    }
                }
            }
        }
    }

    fn operand(&mut self, kind: LeafKind, end: &mut Span) -> Result<Operation, ReadingStop> {
        let place = self.span;
        *end = place;
        let operand = match (kind, self.token.clone()) {
            (_, Token::Boolean(value)) => Operation::Constant(value),
            (LeafKind::Label, Token::Integer(atom)) => Operation::Atom(atom, place),
            (LeafKind::Label, Token::Alias(alias)) => Operation::Alias(alias.to_owned(), place),
            (LeafKind::Acceptance, Token::Identifier(word @ ("Inf" | "Fin"))) => {
                self.advance()?;
                if self.token != Token::Open {
                    return Err(self.unexpected("`(`"));
                }
                self.advance()?;
                let complement = self.token == Token::Not;
                if complement {
                    self.advance()?;
                }
                let (set, _) = self.integer("the number of an acceptance set")?;
                if self.token != Token::Close {
                    return Err(self.unexpected("`)`"));
                }
                *end = self.span;
                Operation::Visits { infinitely: word == "Inf", complement, set, span: place.to(self.span) }
            }
            (LeafKind::Label, _) => {
                return Err(self.unexpected("`t`, `f`, the number of an atomic proposition, or an alias"));
            }
            (LeafKind::Acceptance, _) => return Err(self.unexpected("`Inf(…)`, `Fin(…)`, `t` or `f`")),
        };
        self.advance()?;
        Ok(operand)
    }

    /// A word that may follow a header name, apart from texts.
    fn plain_word(&self) -> Option<String> {
        match self.token {
            Token::Identifier(word) => Some(word.to_owned()),
            Token::Integer(value) => Some(value.to_string()),
            Token::Boolean(value) => Some(if value { "t" } else { "f" }.to_owned()),
            _ => None,
        }
    }

    fn integer(&mut self, wanted: &str) -> Result<(u32, Span), ReadingStop> {
        let Token::Integer(value) = self.token else {
            return Err(self.unexpected(wanted));
        };
        let place = self.span;
        self.advance()?;
        Ok((value, place))
    }

    fn text(&mut self) -> Result<(String, Span), ReadingStop> {
        let Token::Text(text) = &mut self.token else {
            return Err(self.unexpected("a text in double quotes"));
        };
        let text = std::mem::take(text);
        let place = self.span;
        self.advance()?;
        Ok((text, place))
    }

    fn unexpected(&self, wanted: &str) -> ReadingStop {
        let message = match self.token {
            Token::EndOfText => format!("the text ends where {wanted} is expected"),
            _ => format!("expected {wanted}"),
        };
        self.fault_at(self.span, "malformed-hoa", message, FORMAT)
    }

    /// A fault, unless the writer gave the automaton up at this very point.
    fn fault_at(&self, span: Span, code: &'static str, message: impl Into<String>, help: &str) -> ReadingStop {
        if self.token == Token::Abort {
            return ReadingStop::Aborted;
        }
        ReadingStop::Fault(Box::new(Diagnostic::error(code, message).at(span).help(help)))
    }
}

/// How tightly a waiting operator binds; an open parenthesis holds against everything.
fn tightness(token: &Token<'_>) -> u8 {
    match token {
        Token::Or => 1,
        Token::And => 2,
        Token::Not => 3,
        _ => 0,
    }
}

/// Moves waiting operators that bind at least as tightly to the output, up to an open parenthesis.
fn unwind(waiting: &mut Vec<(Token<'_>, Span)>, operations: &mut Vec<Operation>, at_least: u8) {
    while let Some((token, _)) = waiting.last() {
        let operation = match token {
            Token::Not => Operation::Not,
            Token::And => Operation::And,
            Token::Or => Operation::Or,
            _ => return,
        };
        if tightness(token) < at_least {
            return;
        }
        operations.push(operation);
        waiting.pop();
    }
}
