//! Line markers, and the places that the tree and the messages name.

use super::Outcome;
use crate::syntax::ast::ExternalDeclaration;

#[test]
fn line_markers_name_files_and_lines() {
    let text = "# 0 \"a.c\"\n# 0 \"<built-in>\"\n# 1 \"a.c\"\nint x;\n# 7 \"dir\\\\b \\\"q\\\".h\" 1 3\nint y;\n\
                #line 3\nint z;\n# 2 \"a.c\" 2\n@\n";
    let outcome = Outcome::of(text);
    let places: Vec<String> = outcome
        .ast
        .items
        .iter()
        .map(|item| match item {
            ExternalDeclaration::Declaration(crate::syntax::ast::Declaration::Declarators { declarators, .. }) => {
                outcome.sources.locate(declarators[0].declarator.span).to_string()
            }
            _ => panic!("only declarations are in the text"),
        })
        .collect();
    assert_eq!(places, ["a.c:1:5", "dir\\b \"q\".h:7:5", "dir\\b \"q\".h:3:5"]);
    assert_eq!(outcome.messages(), ["2:1 stray-character: the character `@` has no place in a program [@]"]);
}

#[test]
fn expressions_span_their_text() {
    let text = "int v = (a + b) * f(c, d[1]) + sizeof(int) - (T)-x;";
    let outcome = Outcome::of(&format!("typedef int T; {text}"));
    let spans: Vec<&str> = outcome.ast.exprs.values().map(|expr| outcome.sources.snippet_text(expr.span)).collect();
    assert_eq!(
        spans,
        [
            "a",
            "b",
            "a + b",
            "f",
            "c",
            "d",
            "1",
            "d[1]",
            "f(c, d[1])",
            "(a + b) * f(c, d[1])",
            "sizeof(int)",
            "(a + b) * f(c, d[1]) + sizeof(int)",
            "x",
            "-x",
            "(T)-x",
            "(a + b) * f(c, d[1]) + sizeof(int) - (T)-x",
        ]
    );
}

#[test]
fn statements_span_their_text() {
    let outcome = Outcome::of("int f(void) { if (a) b; else { c; } l: return 1; }");
    let spans: Vec<&str> =
        outcome.ast.statements.values().map(|stmt| outcome.sources.snippet_text(stmt.span)).collect();
    assert_eq!(
        spans,
        [
            "b;",
            "c;",
            "{ c; }",
            "if (a) b; else { c; }",
            "return 1;",
            "l: return 1;",
            "{ if (a) b; else { c; } l: return 1; }",
        ]
    );
    let ExternalDeclaration::Function(function) = &outcome.ast.items[0] else { panic!("a function is in the text") };
    assert_eq!(outcome.sources.snippet_text(function.span), "int f(void)");
}
