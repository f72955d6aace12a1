//! Declarations and external definitions (ISO C11, 6.7, 6.7.10 and 6.9), with function definitions of the old style and
//! GNU's nested functions, which are passed over for the checker to refuse.

use foundation::Diagnostic;

use super::super::ast::{
    Attribute, Declaration, Declarator, Derived, ExternalDeclaration, FunctionDefinition, InitDeclarator, Specifiers,
    Storage, TypeSpecifier,
};
use super::super::names::Meaning;
use super::super::tokens::{Keyword, Punctuator, TokenKind};
use super::recovery::RecoveryLevel;
use super::specifiers::SpecifierPosition;
use super::{Parsed, Parser, Unparsed};

/// What a declaration turns out to be when its first declarator has been read.
pub(super) enum Declared {
    /// A declaration, read to its end.
    Declaration(Declaration),
    /// A function whose body, or whose old-style parameter declarations, come next.
    Function(Specifiers, Declarator),
}

impl Parser<'_> {
    /// One external declaration (6.9), or nothing where a stray `;` stands.
    pub(super) fn external_declaration(&mut self) {
        self.height = 0;
        let item = self.part(RecoveryLevel::File, |parser| {
            let start = parser.position;
            match parser.token().kind {
                TokenKind::Punctuator(Punctuator::Semicolon) => {
                    parser.position += 1;
                    return Ok(None);
                }
                TokenKind::Punctuator(Punctuator::RightBrace) => return Err(parser.unopened_brace()),
                TokenKind::Keyword(Keyword::Pragma) => return parser.pragma().map(|()| None),
                TokenKind::Keyword(Keyword::Asm) => {
                    parser.asm_statement()?;
                    return Ok(Some(ExternalDeclaration::Asm(parser.span_since(start))));
                }
                TokenKind::Identifier(_) => {}
                _ if parser.begins_declaration() => {}
                _ => return Err(parser.expected("a declaration")),
            }
            Ok(Some(match parser.declaration_or_function()? {
                Declared::Declaration(declaration) => ExternalDeclaration::Declaration(declaration),
                Declared::Function(specifiers, declarator) => {
                    ExternalDeclaration::Function(parser.function(start, specifiers, declarator)?)
                }
            }))
        });
        self.ast.items.extend(item.flatten());
    }

    fn unopened_brace(&mut self) -> Unparsed {
        let diagnostic = Diagnostic::error("unbalanced-brackets", "this `}` closes nothing")
            .at(self.token_span())
            .help("is there one `}` too many before it?");
        self.report(diagnostic);
        Unparsed
    }

    /// `_Pragma("…")` in a text that was not preprocessed: passed over.
    pub(super) fn pragma(&mut self) -> Parsed<()> {
        self.position += 1;
        let open = self.position;
        self.expect(Punctuator::LeftParen, "after `_Pragma`")?;
        self.string_text()?;
        self.expect_closing(Punctuator::RightParen, open)
    }

    /// A declaration that defines no function.
    pub(super) fn declaration(&mut self) -> Parsed<Declaration> {
        match self.declaration_or_function()? {
            Declared::Declaration(declaration) => Ok(declaration),
            Declared::Function(..) => Err(self.expected("a declaration without a function body")),
        }
    }

    /// A declaration, or a function definition up to its body.
    pub(super) fn declaration_or_function(&mut self) -> Parsed<Declared> {
        if self.static_assert_ahead() {
            return self.static_assert().map(Declared::Declaration);
        }
        let start = self.position;
        let specifiers = self.specifiers(SpecifierPosition::Declaration)?;
        let mut declarators = Vec::new();
        if self.begins_declarator() {
            let mut declarator = self.declarator()?;
            self.declarator_end(&mut declarator)?;
            self.declare(&specifiers, &declarator);
            if self.function_body_ahead(&declarator) {
                return Ok(Declared::Function(specifiers, declarator));
            }
            declarators.push(InitDeclarator { declarator, initializer: None });
            self.rest_of_declarators(&specifiers, &mut declarators)?;
        } else if !self.at(Punctuator::Semicolon) && !defines_tag(&specifiers.ty) {
            return Err(self.expected("a name to declare"));
        }
        let what = if declarators.is_empty() { "this definition" } else { "this declaration" };
        self.semicolon(what)?;
        let span = self.span_since(start);
        Ok(Declared::Declaration(Declaration::Declarators { specifiers, declarators, span }))
    }

    /// The initialiser of the declarator read last, and the declarators behind it.
    fn rest_of_declarators(&mut self, specifiers: &Specifiers, declarators: &mut Vec<InitDeclarator>) -> Parsed<()> {
        loop {
            if self.eat(Punctuator::Equal) {
                let initializer = self.initializer()?;
                if let Some(last) = declarators.last_mut() {
                    last.initializer = Some(initializer);
                }
            }
            if !self.eat(Punctuator::Comma) {
                return Ok(());
            }
            let mut declarator = self.declarator()?;
            self.declarator_end(&mut declarator)?;
            self.declare(specifiers, &declarator);
            declarators.push(InitDeclarator { declarator, initializer: None });
        }
    }

    /// The assembler's name and the attributes behind a declarator.
    fn declarator_end(&mut self, declarator: &mut Declarator) -> Parsed<()> {
        let attributes: &mut Vec<Attribute> = &mut declarator.attributes;
        self.attributes(attributes)?;
        self.asm_label(attributes)?;
        self.attributes(attributes)
    }

    /// From here on the declarator's name means what it declares (6.2.1p7).
    fn declare(&mut self, specifiers: &Specifiers, declarator: &Declarator) {
        let meaning = match specifiers.storage {
            Some(Storage::Typedef) => Meaning::Typedef,
            _ => Meaning::Ordinary,
        };
        if let Some(name) = declarator.name {
            self.names.declare(name, meaning);
        }
    }

    /// Whether a body follows, or declarations of the parameters that a list of mere names has announced.
    fn function_body_ahead(&self, declarator: &Declarator) -> bool {
        let Some(Derived::Function(list)) = declarator.derived.first() else { return false };
        self.at(Punctuator::LeftBrace) || (!list.identifiers.is_empty() && self.begins_declaration())
    }

    /// The rest of a function definition (6.9.1) that began at `start`.
    fn function(&mut self, start: usize, specifiers: Specifiers, declarator: Declarator) -> Parsed<FunctionDefinition> {
        let span = self.span_since(start);
        let mut old_style = Vec::new();
        self.names.open_scope();
        self.declare_parameters(&declarator);
        while !self.at(Punctuator::LeftBrace) {
            if !self.begins_declaration() {
                return Err(self.expected("the function's body"));
            }
            old_style.push(self.declaration()?);
        }
        let body = self.nested(Self::compound)?;
        self.names.close_scope();
        Ok(FunctionDefinition { specifiers, declarator, old_style, body, span })
    }

    fn declare_parameters(&mut self, declarator: &Declarator) {
        let Some(Derived::Function(list)) = declarator.derived.first() else { return };
        let named = list.parameters.iter().filter_map(|parameter| parameter.declarator.name);
        for name in named.chain(list.identifiers.iter().map(|&(name, _)| name)) {
            self.names.declare(name, Meaning::Ordinary);
        }
    }

    fn static_assert_ahead(&self) -> bool {
        let mut ahead = 0;
        while self.kind_ahead(ahead) == TokenKind::Keyword(Keyword::Extension) {
            ahead += 1;
        }
        self.kind_ahead(ahead) == TokenKind::Keyword(Keyword::StaticAssert)
    }

    /// `_Static_assert(condition, "message");` (6.7.10); C23 lets the message be missing.
    pub(super) fn static_assert(&mut self) -> Parsed<Declaration> {
        let start = self.position;
        while self.eat_keyword(Keyword::Extension) {}
        self.position += 1;
        let open = self.position;
        self.expect(Punctuator::LeftParen, "after `_Static_assert`")?;
        let condition = self.nested(Self::conditional)?;
        let message = match self.eat(Punctuator::Comma) {
            true => Some(self.string_text()?),
            false => None,
        };
        self.expect_closing(Punctuator::RightParen, open)?;
        self.semicolon("this assertion")?;
        Ok(Declaration::StaticAssert { condition, message, span: self.span_since(start) })
    }
}

/// Whether specifiers define a structure, union or enumeration, and so need no declarator.
pub(super) fn defines_tag(ty: &TypeSpecifier) -> bool {
    match ty {
        TypeSpecifier::Record(record) => record.members.is_some(),
        TypeSpecifier::Enum(enumeration) => enumeration.enumerators.is_some(),
        _ => false,
    }
}
