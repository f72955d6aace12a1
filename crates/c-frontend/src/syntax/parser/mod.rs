//! The parser: recursive descent over the token list, with one stack frame per nesting level. Each file beside this one
//! holds one part of the grammar; this one holds the cursor and the bound on depth, and owns the tree and the scopes.
//!
//! A parsing function that fails has reported why, unless a report about the same declaration or statement was made
//! already, and returns [`Unparsed`]. Faults are caught where the parser can take up again ([`recovery`]).

mod asm;
mod attributes;
mod declarations;
mod declarators;
mod expressions;
mod initializers;
mod primary;
mod records;
mod recovery;
mod specifiers;
mod statements;
mod type_words;

use std::borrow::Cow;

use foundation::collections::HashSet;
use foundation::{Diagnostic, Diagnostics, SourceId, Span};

use super::DEPTH_LIMIT;
use super::ast::{Ast, Expr, ExprId, ExprKind, Stmt, StmtId, StmtKind};
use super::lexer::Tokens;
use super::names::Names;
use super::symbols::{Symbol, Symbols};
use super::tokens::{Keyword, NO_PARTNER, Punctuator, Token, TokenKind, partners, without_continuations};

/// A construct could not be parsed, and that has been reported.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unparsed;

/// What a parsing function returns.
pub(super) type Parsed<T> = Result<T, Unparsed>;

/// How many levels of depth a construct counts that the tree holds by value rather than by id: a structure in a
/// structure, a parameter list in a parameter list. Such constructs are freed and copied by recursion of the compiler's
/// making, whose stack nobody grows.
const HELD_BY_VALUE: u32 = 16;

/// A parser at some place of a text.
pub(super) struct Parser<'a> {
    text: &'a str,
    source: SourceId,
    tokens: Vec<Token>,
    /// For each bracket the one that belongs to it.
    partners: Vec<u32>,
    /// The next token; never beyond the last, which is [`TokenKind::End`].
    position: usize,
    /// What the end of the text is called in messages.
    end_name: &'static str,
    symbols: &'a mut Symbols,
    diagnostics: &'a mut Diagnostics,
    names: Names,
    ast: Ast,
    /// How deep the construct being parsed lies in the tree.
    depth: u32,
    /// The height of the tallest subtree finished inside that construct.
    height: u32,
    /// Whether the declaration or statement being parsed has been reported as faulty.
    reported: bool,
    /// Whether anything has been reported as faulty.
    faulty: bool,
    /// Whether all that follows is the consequence of a fault already reported.
    gave_up: bool,
    /// Inside how many constructs that may be anything faults are not reported.
    silent: u32,
    /// Whether the missing rest of the text has been reported.
    end_reported: bool,
    /// The names reported not to be types.
    unknown_types: HashSet<Symbol>,
    /// How many warnings were given.
    remarks: usize,
}

impl<'a> Parser<'a> {
    pub fn new(
        text: &'a str,
        source: SourceId,
        tokens: Tokens,
        end_name: &'static str,
        symbols: &'a mut Symbols,
        diagnostics: &'a mut Diagnostics,
    ) -> Self {
        let names = Names::new(symbols);
        Self {
            text,
            source,
            partners: partners(&tokens.list),
            tokens: tokens.list,
            position: 0,
            end_name,
            symbols,
            diagnostics,
            names,
            ast: Ast::default(),
            depth: 0,
            height: 0,
            reported: false,
            faulty: false,
            gave_up: false,
            silent: 0,
            end_reported: tokens.unterminated_comment,
            unknown_types: HashSet::default(),
            remarks: 0,
        }
    }

    /// Parses all tokens as a translation unit (6.9).
    pub fn translation_unit(mut self) -> Ast {
        while self.token().kind != TokenKind::End {
            self.external_declaration();
        }
        self.ast
    }

    /// Parses all tokens as one expression (6.5.17). Names for which `is_type_name` holds stand for types.
    pub fn whole_expression(mut self, is_type_name: &dyn Fn(&str) -> bool) -> Option<(Ast, ExprId)> {
        for token in &self.tokens {
            if let TokenKind::Identifier(name) = token.kind
                && is_type_name(self.symbols.text(name))
            {
                self.names.declare(name, super::names::Meaning::Typedef);
            }
        }
        let expression = self.expression().ok()?;
        if self.token().kind != TokenKind::End {
            self.expected("an operator or the end of the expression");
        }
        (!self.faulty).then_some((self.ast, expression))
    }

    // The cursor.

    fn token(&self) -> Token {
        self.tokens[self.position]
    }

    /// The kind of the token that stands `ahead` places behind the next one.
    fn kind_ahead(&self, ahead: usize) -> TokenKind {
        self.tokens.get(self.position + ahead).map_or(TokenKind::End, |token| token.kind)
    }

    fn bump(&mut self) -> Token {
        let token = self.token();
        if token.kind != TokenKind::End {
            self.position += 1;
        }
        token
    }

    fn at(&self, punctuator: Punctuator) -> bool {
        self.token().kind == TokenKind::Punctuator(punctuator)
    }

    fn at_keyword(&self, keyword: Keyword) -> bool {
        self.token().kind == TokenKind::Keyword(keyword)
    }

    fn eat(&mut self, punctuator: Punctuator) -> bool {
        let found = self.at(punctuator);
        if found {
            self.position += 1;
        }
        found
    }

    fn eat_keyword(&mut self, keyword: Keyword) -> bool {
        let found = self.at_keyword(keyword);
        if found {
            self.position += 1;
        }
        found
    }

    /// Takes a punctuator; `place` says where it belongs (`after the condition`).
    fn expect(&mut self, punctuator: Punctuator, place: &str) -> Parsed<()> {
        if self.eat(punctuator) { Ok(()) } else { Err(self.expected_text(punctuator.text(), place)) }
    }

    /// Takes the closing bracket that belongs to the bracket at position `open`.
    fn expect_closing(&mut self, punctuator: Punctuator, open: usize) -> Parsed<()> {
        if self.eat(punctuator) { Ok(()) } else { Err(self.unclosed(punctuator, open)) }
    }

    /// Takes a name; `what` is said where there is none.
    fn identifier(&mut self, what: &str) -> Parsed<(Symbol, Span)> {
        match self.token().kind {
            TokenKind::Identifier(name) => {
                let span = self.token_span();
                self.position += 1;
                Ok((name, span))
            }
            _ => Err(self.expected(what)),
        }
    }

    /// The bracket that belongs to the one at this position.
    fn partner(&self, position: usize) -> Option<usize> {
        self.partners.get(position).filter(|&&partner| partner != NO_PARTNER).map(|&partner| partner as usize)
    }

    // Places.

    fn span_of(&self, token: Token) -> Span {
        Span { source: self.source, start: token.start, end: token.end }
    }

    fn token_span(&self) -> Span {
        self.span_of(self.token())
    }

    /// All tokens from this position up to the next one; the empty span before the next token where there are none.
    fn span_since(&self, start: usize) -> Span {
        if start >= self.position {
            let at = self.token().start;
            return Span { source: self.source, start: at, end: at };
        }
        self.span_of(self.tokens[start]).to(self.span_of(self.tokens[self.position - 1]))
    }

    /// The empty span behind the last token taken.
    fn span_after_last(&self) -> Span {
        match self.position.checked_sub(1) {
            Some(last) => self.span_of(self.tokens[last]).after(),
            None => self.token_span(),
        }
    }

    /// The text of a token without line continuations.
    fn spelling(&self, token: Token) -> Cow<'a, str> {
        without_continuations(self.text.get(token.start as usize..token.end as usize).unwrap_or(""))
    }

    // The tree and its depth.

    fn new_expr(&mut self, kind: ExprKind, span: Span) -> ExprId {
        self.ast.exprs.push(Expr { kind, span })
    }

    /// A new expression over all tokens from this position.
    fn expr_since(&mut self, start: usize, kind: ExprKind) -> ExprId {
        let span = self.span_since(start);
        self.new_expr(kind, span)
    }

    /// A new statement over all tokens from this position.
    fn statement_since(&mut self, start: usize, kind: StmtKind) -> StmtId {
        let span = self.span_since(start);
        self.ast.statements.push(Stmt { kind, span })
    }

    /// Parses something that lies one level deeper in the tree. All recursion of the parser goes through here or
    /// through [`Parser::held_by_value`].
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.nested_by(1, parse)
    }

    /// Parses something that its parent in the tree holds by value.
    fn held_by_value<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.nested_by(HELD_BY_VALUE, parse)
    }

    fn nested_by<T>(&mut self, levels: u32, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth + levels > DEPTH_LIMIT {
            return Err(self.too_deep());
        }
        self.depth += levels;
        let siblings = std::mem::take(&mut self.height);
        let parsed = stacker::maybe_grow(128 * 1024, 2 * 1024 * 1024, || parse(self));
        self.depth -= levels;
        self.height = siblings.max(self.height + levels);
        parsed
    }

    /// Notes that a subtree of this height was put below a new node, as happens to the left operand of an operator: it
    /// was parsed before it was known how deep it lies.
    fn wrapped(&mut self, height: u32) -> Parsed<()> {
        self.height = self.height.max(height + 1);
        if self.depth + self.height > DEPTH_LIMIT { Err(self.too_deep()) } else { Ok(()) }
    }

    fn too_deep(&mut self) -> Unparsed {
        let diagnostic = Diagnostic::error("nested-too-deeply", "nested too deeply")
            .at(self.token_span())
            .help(format!("programs may be nested {DEPTH_LIMIT} levels deep, operators of one expression included"));
        // This one is told even where faults are not, since nothing after it is read.
        self.silent = 0;
        self.report(diagnostic);
        self.gave_up = true;
        self.position = self.tokens.len() - 1;
        Unparsed
    }
}
