//! The tokens of C (ISO C11, 6.4) and the words that GNU C adds. A token is a kind and a place; the values of literals
//! are worked out where the parser needs them ([`super::literals`]).

use std::borrow::Cow;

use super::symbols::Symbol;

/// A token with its place in the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Token {
    pub kind: TokenKind,
    /// Its first byte.
    pub start: u32,
    /// The byte after its last one.
    pub end: u32,
    /// Whether no token stands before it on its line.
    pub first_on_line: bool,
}

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TokenKind {
    Identifier(Symbol),
    Keyword(Keyword),
    Punctuator(Punctuator),
    /// A preprocessing number (6.4.8): what it means is decided later.
    Number,
    /// A character constant with its prefix.
    Character,
    /// A string literal with its prefix.
    String,
    /// Something that no program of C contains.
    Invalid(Invalid),
    /// Behind the last token.
    End,
}

/// Why a piece of text is no token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Invalid {
    /// A character outside C's alphabet.
    StrayCharacter,
    /// A string literal without its closing quote.
    UnterminatedString,
    /// A character constant without its closing quote.
    UnterminatedCharacter,
}

macro_rules! keywords {
    ($($name:ident: $($spelling:literal)+;)+) => {
        /// The words with a meaning of their own, GNU's other spellings of them included.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(super) enum Keyword {
            $($name,)+
        }

        impl Keyword {
            /// The keyword with this spelling.
            pub fn from_text(text: &str) -> Option<Keyword> {
                match text {
                    $($($spelling)|+ => Some(Keyword::$name),)+
                    _ => None,
                }
            }
        }

        /// All spellings of all keywords, for tests that make token soup.
        #[cfg(test)]
        pub(super) const KEYWORD_SPELLINGS: &[&str] = &[$($($spelling,)+)+];
    };
}

keywords! {
    Auto: "auto";
    Break: "break";
    Case: "case";
    Char: "char";
    Const: "const" "__const" "__const__";
    Continue: "continue";
    Default: "default";
    Do: "do";
    Double: "double";
    Else: "else";
    Enum: "enum";
    Extern: "extern";
    Float: "float";
    For: "for";
    Goto: "goto";
    If: "if";
    Inline: "inline" "__inline" "__inline__";
    Int: "int";
    Long: "long";
    Register: "register";
    Restrict: "restrict" "__restrict" "__restrict__";
    Return: "return";
    Short: "short";
    Signed: "signed" "__signed" "__signed__";
    Sizeof: "sizeof";
    Static: "static";
    Struct: "struct";
    Switch: "switch";
    Typedef: "typedef";
    Union: "union";
    Unsigned: "unsigned";
    Void: "void";
    Volatile: "volatile" "__volatile" "__volatile__";
    While: "while";
    Alignas: "_Alignas";
    Alignof: "_Alignof" "__alignof" "__alignof__";
    Atomic: "_Atomic";
    Bool: "_Bool";
    Complex: "_Complex" "__complex" "__complex__";
    Generic: "_Generic";
    Noreturn: "_Noreturn";
    StaticAssert: "_Static_assert" "static_assert";
    ThreadLocal: "_Thread_local" "__thread";
    Pragma: "_Pragma";
    Asm: "asm" "__asm" "__asm__";
    Attribute: "__attribute" "__attribute__";
    AutoType: "__auto_type";
    Extension: "__extension__";
    Imaginary: "__imag" "__imag__";
    Int128: "__int128";
    LocalLabel: "__label__";
    Real: "__real" "__real__";
    Typeof: "typeof" "__typeof" "__typeof__";
    ChooseExpr: "__builtin_choose_expr";
    Offsetof: "__builtin_offsetof";
    TypesCompatible: "__builtin_types_compatible_p";
    VaArg: "__builtin_va_arg";
}

macro_rules! punctuators {
    ($($name:ident: $spelling:literal;)+) => {
        /// The punctuators (6.4.6).
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(super) enum Punctuator {
            $($name,)+
        }

        impl Punctuator {
            /// How it is written.
            pub fn text(self) -> &'static str {
                match self {
                    $(Punctuator::$name => $spelling,)+
                }
            }
        }

        /// All spellings of all punctuators, for tests that make token soup.
        #[cfg(test)]
        pub(super) const PUNCTUATOR_SPELLINGS: &[&str] = &[$($spelling,)+];
    };
}

punctuators! {
    LeftParen: "(";
    RightParen: ")";
    LeftBracket: "[";
    RightBracket: "]";
    LeftBrace: "{";
    RightBrace: "}";
    Semicolon: ";";
    Comma: ",";
    Colon: ":";
    Question: "?";
    Dot: ".";
    Arrow: "->";
    Ellipsis: "...";
    Plus: "+";
    Minus: "-";
    Star: "*";
    Slash: "/";
    Percent: "%";
    PlusPlus: "++";
    MinusMinus: "--";
    Ampersand: "&";
    Bar: "|";
    Caret: "^";
    Tilde: "~";
    Exclamation: "!";
    AmpersandAmpersand: "&&";
    BarBar: "||";
    Less: "<";
    Greater: ">";
    LessEqual: "<=";
    GreaterEqual: ">=";
    EqualEqual: "==";
    NotEqual: "!=";
    LessLess: "<<";
    GreaterGreater: ">>";
    Equal: "=";
    PlusEqual: "+=";
    MinusEqual: "-=";
    StarEqual: "*=";
    SlashEqual: "/=";
    PercentEqual: "%=";
    AmpersandEqual: "&=";
    BarEqual: "|=";
    CaretEqual: "^=";
    LessLessEqual: "<<=";
    GreaterGreaterEqual: ">>=";
}

/// The text of a token with its line continuations taken out (5.1.1.2, phase 2).
pub(super) fn without_continuations(text: &str) -> Cow<'_, str> {
    if !text.contains("\\\n") && !text.contains("\\\r\n") {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, from) = rest.split_at(at);
        clean.push_str(before);
        let continuation = ["\\\n", "\\\r\n"].into_iter().find_map(|mark| from.strip_prefix(mark));
        rest = continuation.unwrap_or_else(|| {
            clean.push('\\');
            &from[1..]
        });
    }
    clean.push_str(rest);
    Cow::Owned(clean)
}

/// The partner of a bracket that has none.
pub(super) const NO_PARTNER: u32 = u32::MAX;

/// For each token that is a bracket, the position of the bracket that belongs to it; [`NO_PARTNER`] for all others.
/// Braces are trusted more than parentheses: a parenthesis left open ends with the braces around it.
pub(super) fn partners(tokens: &[Token]) -> Vec<u32> {
    use Punctuator::{LeftBrace, LeftBracket, LeftParen, RightBrace, RightBracket, RightParen};
    let mut partners = vec![NO_PARTNER; tokens.len()];
    let mut open: Vec<(Punctuator, usize)> = Vec::new();
    // How many parentheses and square brackets are open inside the innermost braces, and in those around them.
    let mut inner = [0u32; 2];
    let mut outer: Vec<[u32; 2]> = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        let TokenKind::Punctuator(punctuator) = token.kind else { continue };
        let opening = match punctuator {
            LeftBrace => {
                outer.push(std::mem::take(&mut inner));
                open.push((LeftBrace, index));
                continue;
            }
            LeftParen | LeftBracket => {
                inner[usize::from(punctuator == LeftBracket)] += 1;
                open.push((punctuator, index));
                continue;
            }
            RightBrace if outer.is_empty() => continue,
            RightParen if inner[0] == 0 => continue,
            RightBracket if inner[1] == 0 => continue,
            RightBrace => LeftBrace,
            RightParen => LeftParen,
            RightBracket => LeftBracket,
            _ => continue,
        };
        while let Some((found, at)) = open.pop() {
            match found {
                LeftBrace => inner = outer.pop().unwrap_or_default(),
                LeftParen => inner[0] -= 1,
                _ => inner[1] -= 1,
            }
            if found == opening {
                partners[at] = index as u32;
                partners[index] = at as u32;
                break;
            }
        }
    }
    partners
}
