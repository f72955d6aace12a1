//! Faulty texts and what a user is told of them.

use super::{Outcome, compare, expression};

fn messages(text: &str) -> String {
    Outcome::of(text).messages().join("; ")
}

fn in_body(text: &str) -> String {
    messages(&format!("int x, y; void f(void) {{\n{text}\n}}\nint ok;"))
}

#[test]
fn declarations() {
    compare(
        &[
            ("int x\nint y;", "1:6 missing-semicolon: expected `;` after this declaration, found `int` []"),
            ("int x y;", "1:6 missing-semicolon: expected `;` after this declaration, found `y` []"),
            (
                "struct s { int a; }\nint y;",
                "1:20 missing-semicolon: expected `;` after this definition, found `int` []",
            ),
            ("struct s { int a }; int y;", "1:17 missing-semicolon: expected `;` after this member, found `}` []"),
            (
                "struct s { int a; }\nstatic int y;",
                "1:20 missing-semicolon: expected `;` after this definition, found `static` []",
            ),
            ("uint8 x; uint8 y;", "1:1 unknown-type: `uint8` is not a type [uint8]"),
            ("static uint8 *x;", "1:8 unknown-type: `uint8` is not a type [uint8]"),
            ("void f(int a, uint8 b); void g(uint8 *);", "1:15 unknown-type: `uint8` is not a type [uint8]"),
            (
                "struct s { bool a; int8 b; };",
                "1:12 unknown-type: `bool` is not a type [bool]; 1:20 unknown-type: `int8` is not a type [int8]",
            ),
            ("int int x;", "1:1 bad-type: `int int` names no type of C [int int]"),
            (
                "long float x; int y",
                "1:1 bad-type: `long float` names no type of C [long float]; 1:20 missing-semicolon: expected `;` after this declaration, found the end of the file []",
            ),
            ("unsigned struct s x;", "1:1 bad-type: `unsigned struct s` names no type of C [unsigned struct s]"),
            (
                "signed unsigned x; long long long y; short long z; void int w;",
                "1:1 bad-type: `signed unsigned` names no type of C [signed unsigned]; \
              1:20 bad-type: `long long long` names no type of C [long long long]; \
              1:38 bad-type: `short long` names no type of C [short long]; \
              1:52 bad-type: `void int` names no type of C [void int]",
            ),
            (
                "typedef static int x; int y;",
                "1:9 two-storage-classes: a second storage class `static` in one declaration [static]",
            ),
            (
                "int 3x; int a b; int y;",
                "1:5 syntax: expected a name to declare, found `3x` [3x]; 1:14 missing-semicolon: expected `;` after this declaration, found `b` []",
            ),
            ("int a[3; int y;", "1:8 unbalanced-brackets: expected `]`, found `;` []"),
            (
                "int f(int x y) { nonsense ( here } int 5;",
                "1:12 unbalanced-brackets: expected `)`, found `y` []; 1:40 syntax: expected a name to declare, found `5` [5]",
            ),
            (
                "int a[] = {1, 2 3}; int 5;",
                "1:17 syntax: expected `,` or `}` in a list of initialisers, found `3` [3]; 1:25 syntax: expected a name to declare, found `5` [5]",
            ),
            (
                "int x = ; int y = 1 +; int z;",
                "1:9 syntax: expected an expression, found `;` [;]; 1:22 syntax: expected an expression, found `;` [;]",
            ),
            (
                "enum e { A, B C }; enum { 1 }; enum;",
                "1:15 syntax: expected `,` or `}` after an enumeration constant, found `C` [C]; 1:27 syntax: expected the name of an enumeration constant, found `1` [1]; 1:36 syntax: expected a tag or `{`, found `;` [;]",
            ),
            ("struct; struct s x;", "1:7 syntax: expected a tag or `{`, found `;` [;]"),
            ("return 0; int y;", "1:1 syntax: expected a declaration, found `return` [return]"),
            (
                "} int y; }",
                "1:1 unbalanced-brackets: this `}` closes nothing [}]; 1:10 unbalanced-brackets: this `}` closes nothing [}]",
            ),
            ("int f(void) { if (1) { ", "1:23 unbalanced-brackets: expected `}`, found the end of the file []"),
            ("int f(void", "1:11 unbalanced-brackets: expected `)`, found the end of the file []"),
            ("int x = 1 /* + 2;", "1:11 unterminated-comment: this comment is never closed [/*]"),
            (
                "int x = @; int y = #; int z = \\;",
                "1:9 stray-character: the character `@` has no place in a program [@]; 1:20 stray-character: the character `#` has no place in a program [#]; 1:31 stray-character: the character `\\` has no place in a program [\\]",
            ),
            ("int x\u{0} = 1;", "1:6 stray-character: the character U+0000 has no place in a program [\u{0}]"),
            (
                "char *s = \"abc;\nint y = 'b;\nint 5;",
                "1:11 unterminated-string: this string literal has no closing `\"` on its line [\"]; 2:9 unterminated-character: this character constant has no closing `'` on its line [']; 3:5 syntax: expected a name to declare, found `5` [5]",
            ),
            (
                "#include <x.h>\n#define A 1\nint x;",
                "1:1 preprocessor-directive: a preprocessor directive in text that was not preprocessed [#include <x.h>]",
            ),
            (
                "#pragma pack(push, 1)\nint x;\n#pragma pack(pop)\n#pragma package(1)\n#pragma pack(3)",
                "5:1 unsupported-pragma: this `#pragma pack` is not supported [#pragma pack(3)]",
            ),
            (
                "#line x\n# 1 x\n",
                "1:1 bad-line-marker: this line marker is not understood [#line x]; 2:1 bad-line-marker: this line marker is not understood [# 1 x]",
            ),
            ("char *s = \"\\q\";", "1:11 literal: the unknown escape sequence `\\q` is read as `q` [\"\\q\"]"),
            (
                "int c = 'abcde';",
                "1:9 literal: a character constant of more than four characters keeps its last four ['abcde']",
            ),
            ("_Static_assert(1, 2);", "1:19 syntax: expected a string literal, found `2` [2]"),
            ("int f(a) int a; int b;", "1:23 syntax: expected the function's body, found the end of the file []"),
            ("int x __attribute__(a);", "1:21 syntax: expected `(` after `__attribute__(`, found `a` [a]"),
        ],
        messages,
    );
}

#[test]
fn statements() {
    compare(
        &[
            (
                "x = 1\ny = 2\n",
                "2:6 missing-semicolon: expected `;` after this expression, found `y` []; 3:6 missing-semicolon: expected `;` after this expression, found `}` []",
            ),
            (
                "x = 1 y = 2; y = ;",
                "2:6 missing-semicolon: expected `;` after this expression, found `y` []; 2:18 syntax: expected an expression, found `;` [;]",
            ),
            (
                "return\n}\nint g(void) { return 1",
                "2:7 missing-semicolon: expected `;` after `return`, found `}` []; 4:23 missing-semicolon: expected `;` after `return`, found `}` []",
            ),
            ("uint8 z; uint8 *w; x = 1;", "2:1 unknown-type: `uint8` is not a type [uint8]"),
            ("foo *z = 0;", "2:1 unknown-type: `foo` is not a type [foo]"),
            ("x = (uint8_t) y;", "2:6 unknown-type: `uint8_t` is not a type [uint8_t]"),
            (
                "if (x { y = 1; } else { y = ; }",
                "2:6 unbalanced-brackets: expected `)`, found `{` []; 2:29 syntax: expected an expression, found `;` [;]",
            ),
            ("if x) y = 1; else y = 2;", "2:4 syntax: expected `(` after `if`, found `x` [x]"),
            (
                "for (x = 0 x < 3; x++) { y = (; }",
                "2:12 syntax: expected `;` after the first part of `for`, found `x` [x]; 2:31 syntax: expected an expression, found `;` [;]",
            ),
            ("for (x = 0, x < 3, x++) { }", "2:23 syntax: expected `;` after the first part of `for`, found `)` [)]"),
            ("else y = 1;", "2:1 syntax: this `else` follows no `if` [else]"),
            ("if (x) int z; else y = 1;", "2:8 syntax: a declaration cannot be the body of another statement [int]"),
            ("do x = 1; y = 2;", "2:11 syntax: expected `while` after the body of `do`, found `y` [y]"),
            ("switch (x) { case 1 2: break; }", "2:21 syntax: expected `:` after the value of `case`, found `2` [2]"),
            (
                "goto 1; goto; break x;",
                "2:6 syntax: expected a label after `goto`, found `1` [1]; 2:13 syntax: expected a label after `goto`, found `;` [;]; 2:20 missing-semicolon: expected `;` after `break`, found `x` []",
            ),
            (
                "g(x, ); g(x y); g(x;",
                "2:6 syntax: expected an expression, found `)` [)]; 2:12 unbalanced-brackets: expected `)`, found `y` []; 2:20 unbalanced-brackets: expected `)`, found `;` []",
            ),
            (
                "x = y ? 1; x.1; x->;",
                "2:10 syntax: expected `:` of this conditional expression, found `;` [;]; 2:13 missing-semicolon: expected `;` after this expression, found `.1` []; 2:20 syntax: expected the name of a member, found `;` [;]",
            ),
            (
                "x = int; typedef int T; x = T;",
                "2:5 syntax: expected an expression, found `int` [int]; 2:29 syntax: expected an expression, not a type, found `T` [T]",
            ),
            ("struct { int a = 1; int b; } z;", "2:15 missing-semicolon: expected `;` after this member, found `=` []"),
            ("asm(x);", "2:5 syntax: expected a string literal, found `x` [x]"),
            ("x = 'a", "2:5 unterminated-character: this character constant has no closing `'` on its line [']"),
            (
                "x = 12abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz;",
                "2:5 bad-number: `abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz` is no suffix of an integer constant [12abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz]",
            ),
        ],
        in_body,
    );
}

#[test]
fn expressions_on_their_own() {
    let messages = |text: &str| expression(text).unwrap_or_else(|messages| messages.join("; "));
    compare(
        &[
            ("", "1:1 syntax: expected an expression, found the end of the expression []"),
            ("a b", "1:3 syntax: expected an operator or the end of the expression, found `b` [b]"),
            ("a;", "1:2 syntax: expected an operator or the end of the expression, found `;` [;]"),
            ("(a", "1:3 unbalanced-brackets: expected `)`, found the end of the expression []"),
            ("a)", "1:2 syntax: expected an operator or the end of the expression, found `)` [)]"),
            ("a /* b", "1:3 unterminated-comment: this comment is never closed [/*]"),
            ("# 1 \"x\"", "1:1 stray-character: the character `#` has no place in a program [#]"),
            ("({ a = 1 b; 1; })", "1:9 missing-semicolon: expected `;` after this expression, found `b` []"),
            ("a :: b", "1:3 syntax: expected an operator or the end of the expression, found `:` [:]"),
            ("T", "1:1 syntax: expected an expression, not a type, found `T` [T]"),
        ],
        messages,
    );
}

#[test]
fn an_unclosed_brace_points_to_its_opening() {
    let outcome = Outcome::of("int f(void) {\n  if (1) {\n}\n");
    let diagnostic = outcome.diagnostics.iter().next().expect("a brace is missing");
    let opening = outcome.sources.locate(diagnostic.secondary[0].span);
    assert_eq!((opening.line, opening.column), (1, 13));
}

#[test]
fn helps_name_the_missing_header() {
    let help = |text: &str| Outcome::of(text).diagnostics.iter().next().map(|first| first.help[0].clone());
    assert_eq!(help("uint16_t x;").as_deref(), Some("is `#include <stdint.h>` missing?"));
    assert_eq!(help("pthread_t x;").as_deref(), Some("is `#include <pthread.h>` missing?"));
    assert_eq!(help("byte x;").as_deref(), Some("is a typedef or an `#include` missing?"));
}
