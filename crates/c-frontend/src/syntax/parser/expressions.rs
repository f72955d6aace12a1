//! Expressions with operators (ISO C11, 6.5.3 to 6.5.17). Binary operators are parsed by binding power, so that an operand
//! costs one frame of the stack whatever its level in the standard's grammar; the grammar's restrictions on what may be
//! assigned to are left to the checker.

use super::super::ast::{BinaryOp, ExprId, ExprKind, TypeName, UnaryOp};
use super::super::tokens::{Keyword, Punctuator, TokenKind};
use super::{Parsed, Parser};

/// How strongly an operator binds, from the comma up.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Precedence {
    Comma,
    Assignment,
    Conditional,
    LogicalOr,
    LogicalAnd,
    BitOr,
    BitXor,
    BitAnd,
    Equality,
    Relational,
    Shift,
    Additive,
    Multiplicative,
    Unary,
}

/// An operator that stands behind its first operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Infix {
    Comma,
    Assign(Option<BinaryOp>),
    Conditional,
    Binary(BinaryOp),
}

impl Parser<'_> {
    /// An expression, commas included (6.5.17).
    pub(super) fn expression(&mut self) -> Parsed<ExprId> {
        self.operators(Precedence::Comma)
    }

    /// An assignment expression (6.5.16): what may stand between commas.
    pub(super) fn assignment(&mut self) -> Parsed<ExprId> {
        self.operators(Precedence::Assignment)
    }

    /// A conditional expression (6.5.15), the form of constant expressions.
    pub(super) fn conditional(&mut self) -> Parsed<ExprId> {
        self.operators(Precedence::Conditional)
    }

    /// An expression in parentheses, as behind `if`; `after` is what they stand behind.
    pub(super) fn parenthesized(&mut self, after: &str) -> Parsed<ExprId> {
        let open = self.position;
        self.expect(Punctuator::LeftParen, after)?;
        let expression = self.nested(Self::expression)?;
        self.expect_closing(Punctuator::RightParen, open)?;
        Ok(expression)
    }

    /// Operands joined by operators that bind at least as strongly as `least`.
    fn operators(&mut self, least: Precedence) -> Parsed<ExprId> {
        let start = self.position;
        let mut left = self.unary()?;
        while let Some((infix, binding)) = self.infix() {
            if binding < least {
                break;
            }
            let left_height = self.height;
            self.position += 1;
            let kind = match infix {
                Infix::Comma => {
                    let right = self.nested(|parser| parser.operators(Precedence::Assignment))?;
                    ExprKind::Comma(left, right)
                }
                Infix::Assign(op) => {
                    let right = self.nested(|parser| parser.operators(Precedence::Assignment))?;
                    ExprKind::Assign(op, left, right)
                }
                Infix::Conditional => self.conditional_operands(left)?,
                Infix::Binary(op) => {
                    let right = self.nested(|parser| parser.operators(tighter(binding)))?;
                    ExprKind::Binary(op, left, right)
                }
            };
            self.wrapped(left_height)?;
            left = self.expr_since(start, kind);
        }
        Ok(left)
    }

    /// What stands behind the `?` of a condition.
    fn conditional_operands(&mut self, condition: ExprId) -> Parsed<ExprKind> {
        let then = match self.at(Punctuator::Colon) {
            true => None,
            false => Some(self.nested(Self::expression)?),
        };
        self.expect(Punctuator::Colon, "of this conditional expression")?;
        let otherwise = self.nested(Self::conditional)?;
        Ok(ExprKind::Conditional { condition, then, otherwise })
    }

    /// The infix operator that comes next.
    fn infix(&self) -> Option<(Infix, Precedence)> {
        use BinaryOp::*;
        use Punctuator as P;
        let TokenKind::Punctuator(punctuator) = self.token().kind else { return None };
        let binary = |op, binding| Some((Infix::Binary(op), binding));
        let assign = |op| Some((Infix::Assign(Some(op)), Precedence::Assignment));
        match punctuator {
            P::Comma => Some((Infix::Comma, Precedence::Comma)),
            P::Equal => Some((Infix::Assign(None), Precedence::Assignment)),
            P::Question => Some((Infix::Conditional, Precedence::Conditional)),
            P::StarEqual => assign(Multiply),
            P::SlashEqual => assign(Divide),
            P::PercentEqual => assign(Remainder),
            P::PlusEqual => assign(Add),
            P::MinusEqual => assign(Subtract),
            P::LessLessEqual => assign(ShiftLeft),
            P::GreaterGreaterEqual => assign(ShiftRight),
            P::AmpersandEqual => assign(BitAnd),
            P::CaretEqual => assign(BitXor),
            P::BarEqual => assign(BitOr),
            P::BarBar => binary(LogicalOr, Precedence::LogicalOr),
            P::AmpersandAmpersand => binary(LogicalAnd, Precedence::LogicalAnd),
            P::Bar => binary(BitOr, Precedence::BitOr),
            P::Caret => binary(BitXor, Precedence::BitXor),
            P::Ampersand => binary(BitAnd, Precedence::BitAnd),
            P::EqualEqual => binary(Equal, Precedence::Equality),
            P::NotEqual => binary(NotEqual, Precedence::Equality),
            P::Less => binary(Less, Precedence::Relational),
            P::Greater => binary(Greater, Precedence::Relational),
            P::LessEqual => binary(LessEqual, Precedence::Relational),
            P::GreaterEqual => binary(GreaterEqual, Precedence::Relational),
            P::LessLess => binary(ShiftLeft, Precedence::Shift),
            P::GreaterGreater => binary(ShiftRight, Precedence::Shift),
            P::Plus => binary(Add, Precedence::Additive),
            P::Minus => binary(Subtract, Precedence::Additive),
            P::Star => binary(Multiply, Precedence::Multiplicative),
            P::Slash => binary(Divide, Precedence::Multiplicative),
            P::Percent => binary(Remainder, Precedence::Multiplicative),
            _ => None,
        }
    }

    /// A cast or unary expression (6.5.3, 6.5.4).
    pub(super) fn unary(&mut self) -> Parsed<ExprId> {
        // `__extension__` only keeps a compiler from complaining.
        while self.eat_keyword(Keyword::Extension) {}
        let start = self.position;
        let kind = match self.token().kind {
            TokenKind::Punctuator(punctuator) => match punctuator {
                Punctuator::PlusPlus | Punctuator::MinusMinus => {
                    self.position += 1;
                    let operand = self.nested(Self::unary)?;
                    ExprKind::Increment { prefix: true, up: punctuator == Punctuator::PlusPlus, operand }
                }
                Punctuator::Plus => self.prefix(UnaryOp::Plus)?,
                Punctuator::Minus => self.prefix(UnaryOp::Minus)?,
                Punctuator::Tilde => self.prefix(UnaryOp::BitNot)?,
                Punctuator::Exclamation => self.prefix(UnaryOp::LogicalNot)?,
                Punctuator::Star => self.prefix(UnaryOp::Dereference)?,
                Punctuator::Ampersand => self.prefix(UnaryOp::AddressOf)?,
                Punctuator::AmpersandAmpersand => {
                    self.position += 1;
                    let (label, _) = self.identifier("a label after `&&`")?;
                    ExprKind::LabelAddress(label)
                }
                Punctuator::LeftParen if self.type_name_ahead(1) => {
                    let ty = self.type_name_in_parentheses()?;
                    if self.at(Punctuator::LeftBrace) {
                        let literal = self.compound_literal(start, ty)?;
                        return self.postfix(start, literal);
                    }
                    let operand = self.nested(Self::unary)?;
                    ExprKind::Cast(Box::new(ty), operand)
                }
                _ => return self.postfix_expression(),
            },
            TokenKind::Keyword(Keyword::Real) => self.prefix(UnaryOp::Real)?,
            TokenKind::Keyword(Keyword::Imaginary) => self.prefix(UnaryOp::Imaginary)?,
            TokenKind::Keyword(Keyword::Sizeof) => match self.type_or_unary()? {
                SizeofOperand::Type(ty) => ExprKind::SizeofType(ty),
                SizeofOperand::Expr(operand) => ExprKind::SizeofExpr(operand),
            },
            TokenKind::Keyword(Keyword::Alignof) => match self.type_or_unary()? {
                SizeofOperand::Type(ty) => ExprKind::AlignofType(ty),
                SizeofOperand::Expr(operand) => ExprKind::AlignofExpr(operand),
            },
            _ => return self.postfix_expression(),
        };
        Ok(self.expr_since(start, kind))
    }

    fn prefix(&mut self, op: UnaryOp) -> Parsed<ExprKind> {
        self.position += 1;
        let operand = self.nested(Self::unary)?;
        Ok(ExprKind::Unary(op, operand))
    }

    /// The operand of `sizeof`: a type in parentheses, or a unary expression, which may begin like one.
    fn type_or_unary(&mut self) -> Parsed<SizeofOperand> {
        self.position += 1;
        let start = self.position;
        if !(self.at(Punctuator::LeftParen) && self.type_name_ahead(1)) {
            return self.nested(Self::unary).map(SizeofOperand::Expr);
        }
        let ty = self.type_name_in_parentheses()?;
        if !self.at(Punctuator::LeftBrace) {
            return Ok(SizeofOperand::Type(Box::new(ty)));
        }
        let literal = self.nested(|parser| {
            let literal = parser.compound_literal(start, ty)?;
            parser.postfix(start, literal)
        })?;
        Ok(SizeofOperand::Expr(literal))
    }

    /// `(type)`
    pub(super) fn type_name_in_parentheses(&mut self) -> Parsed<TypeName> {
        let open = self.position;
        self.expect(Punctuator::LeftParen, "before a type")?;
        let ty = self.type_name()?;
        self.expect_closing(Punctuator::RightParen, open)?;
        Ok(ty)
    }

    /// The braces of a compound literal whose type began at `start` (6.5.2.5).
    fn compound_literal(&mut self, start: usize, ty: TypeName) -> Parsed<ExprId> {
        let initializer = self.initializer_list()?;
        Ok(self.expr_since(start, ExprKind::CompoundLiteral(Box::new(ty), Box::new(initializer))))
    }
}

/// What `sizeof` and `_Alignof` stand before.
enum SizeofOperand {
    Type(Box<TypeName>),
    Expr(ExprId),
}

/// The next stronger binding than that of a left-associative operator.
fn tighter(binding: Precedence) -> Precedence {
    match binding {
        Precedence::Comma => Precedence::Assignment,
        Precedence::Assignment => Precedence::Conditional,
        Precedence::Conditional => Precedence::LogicalOr,
        Precedence::LogicalOr => Precedence::LogicalAnd,
        Precedence::LogicalAnd => Precedence::BitOr,
        Precedence::BitOr => Precedence::BitXor,
        Precedence::BitXor => Precedence::BitAnd,
        Precedence::BitAnd => Precedence::Equality,
        Precedence::Equality => Precedence::Relational,
        Precedence::Relational => Precedence::Shift,
        Precedence::Shift => Precedence::Additive,
        Precedence::Additive => Precedence::Multiplicative,
        Precedence::Multiplicative | Precedence::Unary => Precedence::Unary,
    }
}
