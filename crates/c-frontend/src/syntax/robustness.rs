//! What must be true of the parser whatever the text, in one function that tests and fuzzers call: no panic, places that
//! lie in the text, operands that come before what they are operands of, and a bounded tree.

use foundation::{Diagnostics, Id, SourceMap, Span};

use super::ast::{Ast, StmtId, StmtKind};
use super::symbols::Symbols;
use super::{DEPTH_LIMIT, parse, parse_expression};

/// Parses any bytes, as a translation unit and as an expression, and checks what comes out.
///
/// # Panics
///
/// Where the parser breaks its promises.
pub fn robustness_check(bytes: &[u8]) {
    let mut sources = SourceMap::new();
    let mut symbols = Symbols::default();
    let mut diagnostics = Diagnostics::new();
    let source = sources.add("input.c", String::from_utf8_lossy(bytes));
    let ast = parse(source, &mut sources, &mut symbols, &mut diagnostics);
    check_tree(&ast, &sources);
    let length = sources.text(source).len() as u32;
    let is_type_name = |name: &str| name.starts_with('t');
    let parsed = parse_expression(source, &sources, &mut symbols, &mut diagnostics, 0..length, &is_type_name);
    if let Some((ast, expression)) = parsed {
        check_tree(&ast, &sources);
        assert!(ast.exprs.get(expression).is_some(), "the expression is part of its tree");
    }
    for diagnostic in diagnostics.iter() {
        for label in diagnostic.primary.iter().chain(&diagnostic.secondary) {
            check_span(label.span, &sources);
            sources.snippet(label.span);
        }
    }
}

fn check_tree(ast: &Ast, sources: &SourceMap) {
    let mut heights: Vec<u32> = Vec::with_capacity(ast.exprs.len());
    for (id, expr) in ast.exprs.iter() {
        check_span(expr.span, sources);
        let mut height = 0;
        for operand in expr.kind.operands() {
            assert!(operand < id, "operands come before what they are operands of");
            height = height.max(heights[operand.index()] + 1);
        }
        assert!(height <= DEPTH_LIMIT, "an expression is no deeper than the limit");
        heights.push(height);
    }
    for (id, statement) in ast.statements.iter() {
        check_span(statement.span, sources);
        for part in substatements(&statement.kind) {
            assert!(part < id, "parts come before the statement they are parts of");
        }
    }
}

fn check_span(span: Span, sources: &SourceMap) {
    let text = sources.text(span.source);
    let range = span.start as usize..span.end as usize;
    assert!(text.get(range).is_some(), "{span:?} lies in the text, between characters");
}

/// The statements directly inside a statement, those of a block left out.
fn substatements(kind: &StmtKind) -> Vec<StmtId> {
    match kind {
        StmtKind::If { branches, otherwise } => branches.iter().map(|(_, branch)| *branch).chain(*otherwise).collect(),
        StmtKind::Switch(_, body)
        | StmtKind::While(_, body)
        | StmtKind::DoWhile(body, _)
        | StmtKind::For { body, .. }
        | StmtKind::Labeled(_, body) => vec![*body],
        _ => Vec::new(),
    }
}
