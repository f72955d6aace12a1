//! Inline assembly, a GNU extension: statements with operands, and strings at file scope. The instructions themselves
//! are not read.

use super::super::ast::{ASSEMBLER_NAME, Asm, Attribute, ExprId, StmtId, StmtKind};
use super::super::tokens::{Keyword, Punctuator, TokenKind};
use super::{Parsed, Parser};

impl Parser<'_> {
    /// `asm volatile ("…" : outputs : inputs : clobbers : labels);`
    pub(super) fn asm_statement(&mut self) -> Parsed<StmtId> {
        let start = self.position;
        self.position += 1;
        while let TokenKind::Keyword(Keyword::Volatile | Keyword::Inline | Keyword::Goto | Keyword::Const) =
            self.token().kind
        {
            self.position += 1;
        }
        let open = self.position;
        self.expect(Punctuator::LeftParen, "after `asm`")?;
        let instructions = self.string_text()?;
        let mut asm =
            Asm { instructions, outputs: Vec::new(), inputs: Vec::new(), clobbers: Vec::new(), labels: Vec::new() };
        if self.eat(Punctuator::Colon) {
            asm.outputs = self.asm_operands()?;
        }
        if self.eat(Punctuator::Colon) {
            asm.inputs = self.asm_operands()?;
        }
        if self.eat(Punctuator::Colon) {
            while self.token().kind == TokenKind::String {
                asm.clobbers.push(self.string_text()?);
                if !self.eat(Punctuator::Comma) {
                    break;
                }
            }
        }
        if self.eat(Punctuator::Colon) {
            while let TokenKind::Identifier(label) = self.token().kind {
                self.position += 1;
                asm.labels.push(label);
                if !self.eat(Punctuator::Comma) {
                    break;
                }
            }
        }
        self.expect_closing(Punctuator::RightParen, open)?;
        self.semicolon("this `asm`")?;
        Ok(self.statement_since(start, StmtKind::Asm(asm)))
    }

    /// `[name] "constraint" (expression), …`
    fn asm_operands(&mut self) -> Parsed<Vec<(String, ExprId)>> {
        let mut operands = Vec::new();
        while self.token().kind == TokenKind::String || self.at(Punctuator::LeftBracket) {
            let bracket = self.position;
            if self.eat(Punctuator::LeftBracket) {
                self.identifier("the name of an operand")?;
                self.expect_closing(Punctuator::RightBracket, bracket)?;
            }
            let constraint = self.string_text()?;
            let open = self.position;
            self.expect(Punctuator::LeftParen, "after an operand's constraint")?;
            let operand = self.nested(Self::expression)?;
            self.expect_closing(Punctuator::RightParen, open)?;
            operands.push((constraint, operand));
            if !self.eat(Punctuator::Comma) {
                break;
            }
        }
        Ok(operands)
    }

    /// `asm("name")` behind a declarator: the name a linker sees, or a register. It is kept as an attribute.
    pub(super) fn asm_label(&mut self, attributes: &mut Vec<Attribute>) -> Parsed<()> {
        while self.at_keyword(Keyword::Asm) {
            let span = self.token_span();
            self.position += 1;
            let open = self.position;
            self.expect(Punctuator::LeftParen, "after `asm`")?;
            self.string_text()?;
            self.expect_closing(Punctuator::RightParen, open)?;
            attributes.push(Attribute { name: ASSEMBLER_NAME.to_owned(), arguments: Vec::new(), span });
        }
        Ok(())
    }
}
