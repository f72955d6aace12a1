//! Statements and blocks (ISO C11, 6.8), with GNU's computed `goto`, case ranges, local labels and statement attributes,
//! and C23's freedom to put a label before a declaration or at the end of a block.
//!
//! `else if` ladders and label sequences are read by iteration: they are flat in the tree.

use foundation::Diagnostic;

use super::super::ast::{BlockItem, ForInit, JumpLabel, StmtId, StmtKind};
use super::super::names::Meaning;
use super::super::tokens::{Keyword, Punctuator, TokenKind};
use super::declarations::Declared;
use super::recovery::RecoveryLevel;
use super::{Parsed, Parser, Unparsed};

/// Where a statement stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum StatementContext {
    /// Directly in a block, where a declaration may follow a label.
    Block,
    /// Inside another statement.
    Substatement,
}

impl Parser<'_> {
    /// `{ … }` (6.8.2)
    pub(super) fn compound(&mut self) -> Parsed<StmtId> {
        let open = self.position;
        self.expect(Punctuator::LeftBrace, "before a block")?;
        self.names.open_scope();
        let mut items = Vec::new();
        // How many more items may begin with an `else` whose `if` was lost to a fault: the rest of the faulty statement,
        // and the branch before the `else`.
        let mut orphans = 0u32;
        loop {
            match self.token().kind {
                TokenKind::Punctuator(Punctuator::RightBrace) => break,
                TokenKind::End => return Err(self.unclosed(Punctuator::RightBrace, open)),
                TokenKind::Keyword(Keyword::Else) if orphans > 0 => self.position += 1,
                _ => match self.part(RecoveryLevel::Block, Self::block_item) {
                    Some(item) => {
                        orphans = orphans.saturating_sub(1);
                        items.extend(item);
                    }
                    None => orphans = 2,
                },
            }
        }
        self.position += 1;
        self.names.close_scope();
        Ok(self.statement_since(open, StmtKind::Compound(items)))
    }

    fn block_item(&mut self) -> Parsed<Option<BlockItem>> {
        if self.at_keyword(Keyword::Pragma) {
            return self.pragma().map(|()| None);
        }
        if self.at_keyword(Keyword::LocalLabel) {
            return self.local_labels().map(|()| None);
        }
        if !self.declaration_ahead() {
            return self
                .nested(|parser| parser.statement(StatementContext::Block))
                .map(|id| Some(BlockItem::Statement(id)));
        }
        let start = self.position;
        match self.nested(Self::declaration_or_function)? {
            Declared::Declaration(declaration) => Ok(Some(BlockItem::Declaration(declaration))),
            Declared::Function(..) => self.nested_function(start).map(Some),
        }
    }

    /// Passes over the body of a function inside a function.
    fn nested_function(&mut self, start: usize) -> Parsed<BlockItem> {
        while !self.at(Punctuator::LeftBrace) {
            self.declaration()?;
        }
        let Some(close) = self.partner(self.position) else {
            self.position = self.tokens.len() - 1;
            return Err(self.expected("the end of this function"));
        };
        self.position = close + 1;
        Ok(BlockItem::NestedFunction(self.span_since(start)))
    }

    /// Whether the next item of a block is a declaration, meant as one at least.
    fn declaration_ahead(&self) -> bool {
        let TokenKind::Identifier(name) = self.token().kind else {
            // Attributes alone make a statement: `__attribute__((fallthrough));`
            return self.begins_declaration() && !self.attribute_statement_ahead();
        };
        let next = self.tokens.get(self.position + 1).copied();
        let next_kind = next.map_or(TokenKind::End, |next| next.kind);
        if next_kind == TokenKind::Punctuator(Punctuator::Colon) {
            return false;
        }
        if self.names.is_type(name) {
            return true;
        }
        // `uint8 x;` and `uint8 *x;` with names that nothing has declared can only be meant as declarations.
        self.names.meaning(name) == Meaning::Unknown
            && match next_kind {
                TokenKind::Identifier(_) => next.is_some_and(|next| !next.first_on_line),
                TokenKind::Punctuator(Punctuator::Star) => match (self.kind_ahead(2), self.kind_ahead(3)) {
                    (
                        TokenKind::Identifier(declared),
                        TokenKind::Punctuator(Punctuator::Semicolon | Punctuator::Equal | Punctuator::Comma),
                    ) => self.names.meaning(declared) == Meaning::Unknown,
                    _ => false,
                },
                _ => false,
            }
    }

    fn attribute_statement_ahead(&self) -> bool {
        let mut position = self.position;
        while self.tokens[position].kind == TokenKind::Keyword(Keyword::Attribute) {
            match self.partner(position + 1) {
                Some(close) if close > position => position = close + 1,
                _ => return false,
            }
        }
        position > self.position && self.tokens[position].kind == TokenKind::Punctuator(Punctuator::Semicolon)
    }

    /// `__label__ a, b;`
    fn local_labels(&mut self) -> Parsed<()> {
        self.position += 1;
        self.identifier("a label")?;
        while self.eat(Punctuator::Comma) {
            self.identifier("a label")?;
        }
        self.semicolon("these labels")
    }

    /// The statement inside another one; a declaration there needs braces.
    fn substatement(&mut self) -> Parsed<StmtId> {
        self.nested(|parser| parser.statement(StatementContext::Substatement))
    }

    fn statement(&mut self, context: StatementContext) -> Parsed<StmtId> {
        let start = self.position;
        let kind = match self.token().kind {
            TokenKind::Punctuator(Punctuator::LeftBrace) => return self.compound(),
            TokenKind::Punctuator(Punctuator::Semicolon) => {
                self.position += 1;
                StmtKind::Expression(None)
            }
            TokenKind::Identifier(_) if self.label_ahead() => return self.labeled(context),
            TokenKind::Keyword(keyword) => match keyword {
                Keyword::Case | Keyword::Default => return self.labeled(context),
                Keyword::If => self.if_ladder()?,
                Keyword::Switch => {
                    self.position += 1;
                    let control = self.parenthesized("after `switch`")?;
                    StmtKind::Switch(control, self.substatement()?)
                }
                Keyword::While => {
                    self.position += 1;
                    let condition = self.parenthesized("after `while`")?;
                    StmtKind::While(condition, self.substatement()?)
                }
                Keyword::Do => self.do_while()?,
                Keyword::For => self.for_loop()?,
                Keyword::Goto => self.goto()?,
                Keyword::Continue => self.jump(StmtKind::Continue, "`continue`")?,
                Keyword::Break => self.jump(StmtKind::Break, "`break`")?,
                Keyword::Return => {
                    self.position += 1;
                    let value = match self.at(Punctuator::Semicolon) || self.at(Punctuator::RightBrace) {
                        true => None,
                        false => Some(self.nested(Self::expression)?),
                    };
                    self.semicolon("`return`")?;
                    StmtKind::Return(value)
                }
                Keyword::Asm => return self.asm_statement(),
                Keyword::Attribute => {
                    self.attributes(&mut Vec::new())?;
                    return self.nested(|parser| parser.statement(context));
                }
                Keyword::Pragma => {
                    self.pragma()?;
                    return self.nested(|parser| parser.statement(context));
                }
                Keyword::Else => return Err(self.misplaced("this `else` follows no `if`", "is a brace missing?")),
                _ if self.begins_declaration() => {
                    let message = "a declaration cannot be the body of another statement";
                    return Err(self.misplaced(message, "put braces around it"));
                }
                _ => self.expression_statement()?,
            },
            _ => self.expression_statement()?,
        };
        Ok(self.statement_since(start, kind))
    }

    /// Reports that what comes next stands in the wrong place.
    fn misplaced(&mut self, message: &str, help: &str) -> Unparsed {
        self.report(Diagnostic::error("syntax", message).at(self.token_span()).help(help));
        Unparsed
    }

    fn expression_statement(&mut self) -> Parsed<StmtKind> {
        let expression = self.nested(Self::expression)?;
        self.semicolon("this expression")?;
        Ok(StmtKind::Expression(Some(expression)))
    }

    fn jump(&mut self, kind: StmtKind, name: &str) -> Parsed<StmtKind> {
        self.position += 1;
        self.semicolon(name)?;
        Ok(kind)
    }

    /// `if (c) s else if (c) s … else s`
    fn if_ladder(&mut self) -> Parsed<StmtKind> {
        let mut branches = Vec::new();
        let mut otherwise = None;
        while self.eat_keyword(Keyword::If) {
            let condition = self.parenthesized("after `if`")?;
            branches.push((condition, self.substatement()?));
            if !self.eat_keyword(Keyword::Else) {
                break;
            }
            if !self.at_keyword(Keyword::If) {
                otherwise = Some(self.substatement()?);
                break;
            }
        }
        Ok(StmtKind::If { branches, otherwise })
    }

    fn do_while(&mut self) -> Parsed<StmtKind> {
        self.position += 1;
        let body = self.substatement()?;
        if !self.eat_keyword(Keyword::While) {
            return Err(self.expected_text("while", "after the body of `do`"));
        }
        let condition = self.parenthesized("after `while`")?;
        self.semicolon("this `do` statement")?;
        Ok(StmtKind::DoWhile(body, condition))
    }

    fn for_loop(&mut self) -> Parsed<StmtKind> {
        self.position += 1;
        let open = self.position;
        self.expect(Punctuator::LeftParen, "after `for`")?;
        self.names.open_scope();
        let init = if self.eat(Punctuator::Semicolon) {
            None
        } else if self.declaration_ahead() {
            Some(ForInit::Declaration(self.nested(Self::declaration)?))
        } else {
            let expression = self.nested(Self::expression)?;
            self.expect(Punctuator::Semicolon, "after the first part of `for`")?;
            Some(ForInit::Expression(expression))
        };
        let condition = match self.at(Punctuator::Semicolon) {
            true => None,
            false => Some(self.nested(Self::expression)?),
        };
        self.expect(Punctuator::Semicolon, "after the condition of `for`")?;
        let step = match self.at(Punctuator::RightParen) {
            true => None,
            false => Some(self.nested(Self::expression)?),
        };
        self.expect_closing(Punctuator::RightParen, open)?;
        let body = self.substatement()?;
        self.names.close_scope();
        Ok(StmtKind::For { init, condition, step, body })
    }

    fn goto(&mut self) -> Parsed<StmtKind> {
        self.position += 1;
        let kind = if self.eat(Punctuator::Star) {
            StmtKind::ComputedGoto(self.nested(Self::expression)?)
        } else {
            let (label, span) = self.identifier("a label after `goto`")?;
            StmtKind::Goto(label, span)
        };
        self.semicolon("`goto`")?;
        Ok(kind)
    }

    fn label_ahead(&self) -> bool {
        self.kind_ahead(1) == TokenKind::Punctuator(Punctuator::Colon)
    }

    /// One or more labels and what they stand before (6.8.1).
    fn labeled(&mut self, context: StatementContext) -> Parsed<StmtId> {
        let start = self.position;
        let mut labels = Vec::new();
        while let Some(label) = self.label()? {
            labels.push(label);
        }
        let bare = match context {
            _ if self.at(Punctuator::RightBrace) => true,
            StatementContext::Block => self.declaration_ahead(),
            StatementContext::Substatement => false,
        };
        let statement = match bare {
            true => self.statement_since(self.position, StmtKind::Expression(None)),
            false => self.nested(|parser| parser.statement(context))?,
        };
        Ok(self.statement_since(start, StmtKind::Labeled(labels, statement)))
    }

    fn label(&mut self) -> Result<Option<JumpLabel>, Unparsed> {
        let span = self.token_span();
        match self.token().kind {
            TokenKind::Identifier(name) if self.label_ahead() => {
                self.position += 2;
                if !self.declaration_ahead() {
                    self.attributes(&mut Vec::new())?;
                }
                Ok(Some(JumpLabel::Name(name, span)))
            }
            TokenKind::Keyword(Keyword::Case) => {
                let start = self.position;
                self.position += 1;
                let first = self.nested(Self::conditional)?;
                let last = match self.eat(Punctuator::Ellipsis) {
                    true => Some(self.nested(Self::conditional)?),
                    false => None,
                };
                self.expect(Punctuator::Colon, "after the value of `case`")?;
                Ok(Some(JumpLabel::Case(first, last, self.span_since(start))))
            }
            TokenKind::Keyword(Keyword::Default) => {
                self.position += 1;
                self.expect(Punctuator::Colon, "after `default`")?;
                Ok(Some(JumpLabel::Default(span)))
            }
            _ => Ok(None),
        }
    }
}
