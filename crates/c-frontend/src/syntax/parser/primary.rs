//! Primary and postfix expressions (ISO C11, 6.5.1 and 6.5.2), and the GNU built-ins that look like calls but take types.

use foundation::Diagnostic;

use super::super::ast::{CharPrefix, Designator, ExprId, ExprKind, TypeName};
use super::super::literals::{self, LiteralFault, NumericConstant};
use super::super::names::Meaning;
use super::super::tokens::{Keyword, Punctuator, Token, TokenKind};
use super::{Parsed, Parser, Unparsed};

impl Parser<'_> {
    pub(super) fn postfix_expression(&mut self) -> Parsed<ExprId> {
        let start = self.position;
        let primary = self.primary()?;
        self.postfix(start, primary)
    }

    /// The postfix operators behind an operand that began at `start`.
    pub(super) fn postfix(&mut self, start: usize, operand: ExprId) -> Parsed<ExprId> {
        let mut left = operand;
        loop {
            let left_height = self.height;
            let open = self.position;
            let TokenKind::Punctuator(punctuator) = self.token().kind else { return Ok(left) };
            let kind = match punctuator {
                Punctuator::LeftBracket => {
                    self.position += 1;
                    let index = self.nested(Self::expression)?;
                    self.expect_closing(Punctuator::RightBracket, open)?;
                    ExprKind::Index(left, index)
                }
                Punctuator::LeftParen => {
                    self.position += 1;
                    let mut arguments = Vec::new();
                    if !self.at(Punctuator::RightParen) {
                        arguments.push(self.nested(Self::assignment)?);
                        while self.eat(Punctuator::Comma) {
                            arguments.push(self.nested(Self::assignment)?);
                        }
                    }
                    self.expect_closing(Punctuator::RightParen, open)?;
                    ExprKind::Call(left, arguments)
                }
                Punctuator::Dot | Punctuator::Arrow => {
                    self.position += 1;
                    let (member, member_span) = self.identifier("the name of a member")?;
                    ExprKind::Member { base: left, arrow: punctuator == Punctuator::Arrow, member, member_span }
                }
                Punctuator::PlusPlus | Punctuator::MinusMinus => {
                    self.position += 1;
                    ExprKind::Increment { prefix: false, up: punctuator == Punctuator::PlusPlus, operand: left }
                }
                _ => return Ok(left),
            };
            self.wrapped(left_height)?;
            left = self.expr_since(start, kind);
        }
    }

    fn primary(&mut self) -> Parsed<ExprId> {
        let start = self.position;
        let token = self.token();
        let kind = match token.kind {
            TokenKind::Identifier(name) if self.names.is_type(name) => {
                return Err(self.expected("an expression, not a type"));
            }
            TokenKind::Identifier(name) => {
                self.position += 1;
                ExprKind::Identifier(name)
            }
            TokenKind::Number => {
                let number = literals::number(&self.spelling(token));
                self.position += 1;
                match number.map_err(|fault| self.bad_literal(token, fault))? {
                    NumericConstant::Integer(literal) => ExprKind::Integer(literal),
                    NumericConstant::Float(literal) => ExprKind::Float(literal),
                }
            }
            TokenKind::Character => {
                let character = literals::character(&self.spelling(token));
                self.position += 1;
                let (value, encoding, remark) = character.map_err(|fault| self.bad_literal(token, fault))?;
                self.literal_remark(token, remark);
                ExprKind::Character { value, encoding }
            }
            TokenKind::String => {
                let (units, encoding) = self.string()?;
                ExprKind::String { units, encoding }
            }
            TokenKind::Punctuator(Punctuator::LeftParen) => return self.in_parentheses(),
            TokenKind::Keyword(Keyword::Generic) => self.generic()?,
            TokenKind::Keyword(Keyword::VaArg) => self.built_in(|parser| {
                let list = parser.nested(Self::assignment)?;
                parser.expect(Punctuator::Comma, "after the argument list")?;
                let ty = parser.type_name()?;
                Ok(ExprKind::VaArg(list, Box::new(ty)))
            })?,
            TokenKind::Keyword(Keyword::Offsetof) => self.built_in(|parser| {
                let ty = parser.type_name()?;
                parser.expect(Punctuator::Comma, "after the type")?;
                let designators = parser.member_path()?;
                Ok(ExprKind::Offsetof(Box::new(ty), designators))
            })?,
            TokenKind::Keyword(Keyword::TypesCompatible) => self.built_in(|parser| {
                let first = parser.type_name()?;
                parser.expect(Punctuator::Comma, "after the first type")?;
                let second = parser.type_name()?;
                Ok(ExprKind::TypesCompatible(Box::new(first), Box::new(second)))
            })?,
            TokenKind::Keyword(Keyword::ChooseExpr) => self.built_in(|parser| {
                let condition = parser.nested(Self::assignment)?;
                parser.expect(Punctuator::Comma, "after the condition")?;
                let then = parser.nested(Self::assignment)?;
                parser.expect(Punctuator::Comma, "after the second argument")?;
                let otherwise = parser.nested(Self::assignment)?;
                Ok(ExprKind::Choose(condition, then, otherwise))
            })?,
            _ => return Err(self.expected("an expression")),
        };
        Ok(self.expr_since(start, kind))
    }

    /// `(expression)`, or the GNU form `({ … })`. Parentheses leave no trace in the tree.
    fn in_parentheses(&mut self) -> Parsed<ExprId> {
        let open = self.position;
        self.position += 1;
        if self.at(Punctuator::LeftBrace) {
            let block = self.nested(Self::compound)?;
            self.expect_closing(Punctuator::RightParen, open)?;
            return Ok(self.expr_since(open, ExprKind::Statement(block)));
        }
        let inner = self.nested(Self::expression)?;
        self.expect_closing(Punctuator::RightParen, open)?;
        self.reject_cast_to_unknown_type(open)?;
        Ok(inner)
    }

    /// `(name) x`: nothing but a cast looks like this, and `name` is no type.
    fn reject_cast_to_unknown_type(&mut self, open: usize) -> Parsed<()> {
        let TokenKind::Identifier(name) = self.tokens[open + 1].kind else { return Ok(()) };
        let lone = self.position == open + 3 && self.names.meaning(name) == Meaning::Unknown;
        let next = self.token();
        let operand = matches!(next.kind, TokenKind::Identifier(_) | TokenKind::Number | TokenKind::String);
        if lone && operand && !next.first_on_line {
            let span = self.span_of(self.tokens[open + 1]);
            self.unknown_type(name, span)?;
            return Err(Unparsed);
        }
        Ok(())
    }

    /// The parentheses of a built-in whose keyword comes next.
    fn built_in(&mut self, arguments: impl FnOnce(&mut Self) -> Parsed<ExprKind>) -> Parsed<ExprKind> {
        let word = self.bump();
        let place = format!("after `{}`", self.spelling(word));
        let open = self.position;
        self.expect(Punctuator::LeftParen, &place)?;
        let kind = arguments(self)?;
        self.expect_closing(Punctuator::RightParen, open)?;
        Ok(kind)
    }

    /// `_Generic(control, type: expression, …)` (6.5.1.1)
    fn generic(&mut self) -> Parsed<ExprKind> {
        self.built_in(|parser| {
            let control = parser.nested(Self::assignment)?;
            let mut associations: Vec<(Option<TypeName>, ExprId)> = Vec::new();
            while parser.eat(Punctuator::Comma) {
                let ty = match parser.eat_keyword(Keyword::Default) {
                    true => None,
                    false => Some(parser.type_name()?),
                };
                parser.expect(Punctuator::Colon, "after the type of an association")?;
                let result = parser.nested(Self::assignment)?;
                associations.push((ty, result));
            }
            Ok(ExprKind::Generic(control, associations))
        })
    }

    /// The second argument of `offsetof`: a member, and what is chosen inside it.
    fn member_path(&mut self) -> Parsed<Vec<Designator>> {
        let (member, span) = self.identifier("the name of a member")?;
        let mut path = vec![Designator::Member(member, span)];
        loop {
            let open = self.position;
            if self.eat(Punctuator::Dot) {
                let (member, span) = self.identifier("the name of a member")?;
                path.push(Designator::Member(member, span));
            } else if self.eat(Punctuator::LeftBracket) {
                let index = self.nested(Self::expression)?;
                self.expect_closing(Punctuator::RightBracket, open)?;
                path.push(Designator::Index(index));
            } else {
                return Ok(path);
            }
        }
    }

    /// Adjacent string literals joined (6.4.5p5).
    pub(super) fn string(&mut self) -> Parsed<(Vec<u32>, CharPrefix)> {
        let start = self.position;
        let mut encoding = CharPrefix::Plain;
        while self.token().kind == TokenKind::String {
            let token = self.bump();
            let (this, _) = literals::split_prefix(&self.spelling(token));
            if encoding != CharPrefix::Plain && this != CharPrefix::Plain && this != encoding {
                let message = "string literals with different prefixes cannot be joined".to_owned();
                return Err(self.bad_literal(token, LiteralFault { code: "bad-string", message }));
            }
            encoding = if this == CharPrefix::Plain { encoding } else { this };
        }
        if self.position == start {
            return Err(self.expected("a string literal"));
        }
        let mut units = Vec::new();
        for index in start..self.position {
            let token = self.tokens[index];
            let spelling = self.spelling(token);
            let (_, body) = literals::split_prefix(&spelling);
            let remark = literals::append_units(body, encoding, &mut units);
            let remark = remark.map_err(|fault| self.bad_literal(token, fault))?;
            self.literal_remark(token, remark);
        }
        Ok((units, encoding))
    }

    /// Adjacent string literals as a text, for messages and assembly.
    pub(super) fn string_text(&mut self) -> Parsed<String> {
        let (units, encoding) = self.string()?;
        if encoding == CharPrefix::Plain {
            let bytes: Vec<u8> = units.iter().map(|&unit| unit as u8).collect();
            return Ok(String::from_utf8_lossy(&bytes).into_owned());
        }
        Ok(units.iter().map(|&unit| char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER)).collect())
    }

    fn bad_literal(&mut self, token: Token, fault: LiteralFault) -> Unparsed {
        self.report(Diagnostic::error(fault.code, fault.message).at(self.span_of(token)));
        Unparsed
    }

    fn literal_remark(&mut self, token: Token, remark: Option<String>) {
        if let Some(message) = remark {
            self.remark(Diagnostic::warning("literal", message).at(self.span_of(token)));
        }
    }
}
