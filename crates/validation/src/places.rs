//! Places that a witness names, found in the syntax of the program: statements, branchings, calls and loops.
//!
//! A witness names a file, a line and perhaps a column. Without a column the leftmost suitable place on the line is
//! meant; so it is where nothing suitable stands at the column, because tools count columns differently. In a file that
//! was preprocessed already (`.i`), lines are those of the file itself, as other tools count them.

mod labels;

use c_frontend::syntax::ast::{
    Ast, BlockItem, Declaration, Expr, ExprKind, ExternalDeclaration, ForInit, FunctionDefinition, Stmt, StmtKind,
    Storage,
};
use c_frontend::syntax::parse;
use c_frontend::syntax::symbols::Symbols;
use foundation::{Diagnostics, SourceId, SourceMap, Span};
use witness::{SourcePlace, WaypointType};

/// A text of the program with its syntax. Its spans are those of the program.
pub(crate) struct ParsedUnit<'s> {
    pub(crate) source: SourceId,
    sources: &'s SourceMap,
    ast: Ast,
    /// Where the lines begin, if they are counted in the text itself.
    lines: Option<Vec<u32>>,
}

/// A place at which something can be inserted, and how.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Site {
    pub(crate) span: Span,
    pub(crate) form: PlaceForm,
}

/// What stands at a place.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum PlaceForm {
    /// A declaration in a block.
    Declaration,
    /// An expression statement; the span is that of the whole statement.
    Expression,
    /// Any other statement.
    Statement,
    /// A block, at whose beginning something is inserted.
    Block,
    /// An expression, before which something is evaluated.
    Before,
    /// The condition of a branching.
    Condition,
    /// The expression of a `switch`.
    Switch,
    /// A call.
    Call,
    /// A call that is a whole statement; the span is that of the call.
    CallStatement,
    /// The missing condition of a `for`: the span is empty and stands behind the first semicolon.
    Missing,
}

/// A place with the offset that witnesses name it by.
type PlaceCandidate = (u32, Site);

impl<'s> ParsedUnit<'s> {
    /// Reads the syntax of a text that is known to be correct.
    pub(crate) fn new(source: SourceId, sources: &'s SourceMap) -> Self {
        let (mut map, mut symbols) = (SourceMap::new(), Symbols::default());
        let text = sources.text(source);
        let copy = map.add(sources.name(source), text);
        let ast = parse(copy, &mut map, &mut symbols, &mut Diagnostics::new());
        let starts = || std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at as u32 + 1)).collect();
        let lines = sources.name(source).ends_with(".i").then(starts);
        Self { source, sources, ast, lines }
    }

    /// The name under which the text was read.
    pub(crate) fn name(&self) -> &'s str {
        self.sources.name(self.source)
    }

    pub(crate) fn text(&self) -> &'s str {
        self.sources.text(self.source)
    }

    /// Where a waypoint of this type is.
    pub(crate) fn waypoint(&self, waypoint_type: WaypointType, location: &SourcePlace) -> Option<Site> {
        match waypoint_type {
            WaypointType::Assumption | WaypointType::Target => self.statement(location),
            WaypointType::Branching => self.nearest(self.branchings(), location),
            WaypointType::FunctionEnter | WaypointType::FunctionReturn => self.nearest(self.calls(), location),
        }
    }

    /// The statement, declaration or controlling expression at a place; else the innermost statement around it.
    pub(crate) fn statement(&self, location: &SourcePlace) -> Option<Site> {
        let statements = self.statements();
        let found = self.at(&statements, location);
        let found = found.or_else(|| self.at(&self.expressions(), location));
        let found = found.or_else(|| self.leftmost(&statements, location));
        found.or_else(|| {
            let around = statements.iter().filter(|(_, site)| self.covers(site.span, location));
            around.min_by_key(|(_, site)| site.span.end - site.span.start).map(|(_, site)| *site)
        })
    }

    /// Whether a statement or declaration begins at an offset.
    pub(crate) fn is_statement(&self, offset: u32) -> bool {
        self.statements().iter().any(|(start, _)| *start == offset)
    }

    /// The place where the condition of the loop at a location is about to be evaluated.
    pub(crate) fn loop_head(&self, location: &SourcePlace) -> Option<Site> {
        self.nearest(self.loops(), location).or_else(|| self.nearest(self.jumped_loops(), location))
    }

    /// All loops with a keyword, as the offset of their keyword and the place where their condition is about to be evaluated.
    pub(crate) fn loops(&self) -> Vec<PlaceCandidate> {
        let head = |statement: &Stmt| {
            let site = match &statement.kind {
                StmtKind::While(condition, _)
                | StmtKind::DoWhile(_, condition)
                | StmtKind::For { condition: Some(condition), .. } => {
                    Site { span: self.own(self.ast.exprs[*condition].span), form: PlaceForm::Before }
                }
                StmtKind::For { condition: None, .. } => {
                    let at = self.first_semicolon(statement.span)?;
                    Site { span: Span { source: self.source, start: at, end: at }, form: PlaceForm::Missing }
                }
                _ => return None,
            };
            Some((statement.span.start, site))
        };
        self.ast.statements.values().filter_map(head).collect()
    }

    /// The line and column of an offset, in the file that witnesses name.
    pub(crate) fn location(&self, offset: u32) -> (String, u32, u32) {
        let span = Span { source: self.source, start: offset, end: offset + 1 };
        match &self.lines {
            None => {
                let location = self.sources.snippet(span).location;
                (location.file, location.line, location.column)
            }
            Some(lines) => {
                let line = lines.partition_point(|&start| start <= offset);
                let before = &self.text()[lines[line - 1] as usize..offset as usize];
                (self.sources.name(self.source).to_owned(), line as u32, before.chars().count() as u32 + 1)
            }
        }
    }

    /// The body of the function with this name.
    pub(crate) fn body_of(&self, name: &str) -> Option<Span> {
        self.ast.items.iter().find_map(|item| {
            let ExternalDeclaration::Function(function) = item else { return None };
            let is_named = self.sources.snippet_text(self.own(function.declarator.span)) == name;
            is_named.then(|| self.own(self.ast.statements[function.body].span))
        })
    }

    /// The calls of the function with this name.
    pub(crate) fn calls_of(&self, name: &str) -> Vec<Span> {
        let callee = |expr: &Expr| match &expr.kind {
            ExprKind::Call(function, _) => Some(self.own(self.ast.exprs[*function].span)),
            _ => None,
        };
        let is_named = |expr: &&Expr| callee(expr).is_some_and(|span| self.sources.snippet_text(span) == name);
        self.ast.exprs.values().filter(is_named).map(|expr| self.own(expr.span)).collect()
    }

    /// The names of the functions that are called in a piece of text.
    pub(crate) fn called_in(&self, span: Span) -> impl Iterator<Item = &str> {
        let inside = move |expr: &&Expr| span.start <= expr.span.start && expr.span.end <= span.end;
        self.ast.exprs.values().filter(inside).filter_map(|expr| match &expr.kind {
            ExprKind::Call(function, _) => Some(self.sources.snippet_text(self.own(self.ast.exprs[*function].span))),
            _ => None,
        })
    }

    /// The names that the text declares as types.
    pub(crate) fn type_names(&self) -> impl Iterator<Item = &str> {
        let declarators = self.ast.items.iter().flat_map(|item| match item {
            ExternalDeclaration::Declaration(Declaration::Declarators { specifiers, declarators, .. })
                if specifiers.storage == Some(Storage::Typedef) =>
            {
                declarators.as_slice()
            }
            _ => &[],
        });
        declarators.map(|item| self.sources.snippet_text(self.own(item.declarator.span)))
    }

    /// The name of the function around an offset.
    pub(crate) fn function_around(&self, offset: u32) -> Option<&str> {
        let (function, _) = self.definition_around(offset)?;
        Some(self.sources.snippet_text(self.own(function.declarator.span)))
    }

    /// The body of the function around an offset.
    fn body_around(&self, offset: u32) -> Option<Span> {
        self.definition_around(offset).map(|(_, body)| body)
    }

    fn definition_around(&self, offset: u32) -> Option<(&FunctionDefinition, Span)> {
        self.ast.items.iter().find_map(|item| {
            let ExternalDeclaration::Function(function) = item else { return None };
            let body = self.ast.statements[function.body].span;
            (body.start <= offset && offset < body.end).then_some((function, body))
        })
    }

    /// The same span in the text of the program.
    fn own(&self, span: Span) -> Span {
        Span { source: self.source, ..span }
    }

    fn nearest(&self, candidates: Vec<PlaceCandidate>, location: &SourcePlace) -> Option<Site> {
        self.at(&candidates, location).or_else(|| self.leftmost(&candidates, location))
    }

    /// The candidate at exactly this place.
    fn at(&self, candidates: &[PlaceCandidate], location: &SourcePlace) -> Option<Site> {
        let column = location.column?;
        let on_line = candidates.iter().filter_map(|(offset, site)| Some((self.on_line(*offset, location)?, site)));
        on_line.filter(|(at, _)| *at == column).map(|(_, site)| *site).next()
    }

    /// The leftmost candidate on the line.
    fn leftmost(&self, candidates: &[PlaceCandidate], location: &SourcePlace) -> Option<Site> {
        let on_line = candidates.iter().filter_map(|(offset, site)| Some((self.on_line(*offset, location)?, site)));
        on_line.min_by_key(|(column, _)| *column).map(|(_, site)| *site)
    }

    /// The column of an offset if it is on the line of a location.
    fn on_line(&self, offset: u32, location: &SourcePlace) -> Option<u32> {
        let (file, line, column) = self.location(offset);
        (line == location.line && is_same_file(&file, &location.file_name)).then_some(column)
    }

    fn covers(&self, span: Span, location: &SourcePlace) -> bool {
        let (file, first, first_column) = self.location(span.start);
        let (_, last, last_column) = self.location(span.end.saturating_sub(1));
        let column = location.column.unwrap_or(first_column);
        is_same_file(&file, &location.file_name)
            && (first, first_column) <= (location.line, column)
            && (location.line, column) <= (last, last_column + 1)
    }

    /// Statements and declarations in blocks.
    fn statements(&self) -> Vec<PlaceCandidate> {
        let mut found = Vec::new();
        for statement in self.ast.statements.values() {
            found.push((statement.span.start, self.site_of(statement)));
            if let StmtKind::Compound(items) = &statement.kind {
                let declarations = items.iter().filter_map(|item| match item {
                    BlockItem::Declaration(Declaration::Declarators { span, .. }) => Some(self.own(*span)),
                    _ => None,
                });
                found.extend(declarations.map(|span| (span.start, Site { span, form: PlaceForm::Declaration })));
            }
        }
        for item in &self.ast.items {
            if let ExternalDeclaration::Function(function) = item {
                let span = self.own(self.ast.statements[function.body].span);
                found.push((function.span.start, Site { span, form: PlaceForm::Block }));
            }
        }
        found
    }

    fn site_of(&self, statement: &Stmt) -> Site {
        let form = match &statement.kind {
            StmtKind::Compound(_) => PlaceForm::Block,
            StmtKind::Expression(Some(_)) => PlaceForm::Expression,
            // Jumps lead behind labels.
            StmtKind::Labeled(_, inner) => return self.site_of(&self.ast.statements[*inner]),
            _ => PlaceForm::Statement,
        };
        Site { span: self.own(statement.span), form }
    }

    /// Expressions that statements evaluate besides what is done in their bodies.
    fn expressions(&self) -> Vec<PlaceCandidate> {
        let mut found = Vec::new();
        for statement in self.ast.statements.values() {
            match &statement.kind {
                StmtKind::If { branches, .. } => found.extend(branches.iter().map(|(condition, _)| *condition)),
                StmtKind::Switch(expr, _) | StmtKind::While(expr, _) | StmtKind::DoWhile(_, expr) => found.push(*expr),
                StmtKind::For { init, condition, step, .. } => {
                    found.extend(condition.iter().chain(step));
                    if let Some(ForInit::Expression(expr)) = init {
                        found.push(*expr);
                    }
                }
                StmtKind::Return(Some(expr)) => found.push(*expr),
                _ => {}
            }
        }
        let spans = found.into_iter().map(|expr| self.own(self.ast.exprs[expr].span));
        spans.map(|span| (span.start, Site { span, form: PlaceForm::Before })).collect()
    }

    fn branchings(&self) -> Vec<PlaceCandidate> {
        let mut found = Vec::new();
        for statement in self.ast.statements.values() {
            let start = statement.span.start;
            let mut add = |offset, expr, form| {
                found.push((offset, Site { span: self.own(self.ast.exprs[expr].span), form }));
            };
            match &statement.kind {
                StmtKind::If { branches, .. } => {
                    for (index, (condition, _)) in branches.iter().enumerate() {
                        let before = &self.text()[..self.ast.exprs[*condition].span.start as usize];
                        let keyword = if index == 0 { Some(start) } else { before.rfind("if").map(|at| at as u32) };
                        add(keyword.unwrap_or(start), *condition, PlaceForm::Condition);
                    }
                }
                StmtKind::While(condition, _) | StmtKind::DoWhile(_, condition) => {
                    add(start, *condition, PlaceForm::Condition);
                }
                StmtKind::For { condition: Some(condition), .. } => add(start, *condition, PlaceForm::Condition),
                StmtKind::Switch(control, _) => add(start, *control, PlaceForm::Switch),
                _ => {}
            }
            if let StmtKind::For { condition: None, .. } = statement.kind
                && let Some(at) = self.first_semicolon(statement.span)
            {
                let span = Span { source: self.source, start: at, end: at };
                found.push((start, Site { span, form: PlaceForm::Missing }));
            }
        }
        found
    }

    /// Calls, by their closing parenthesis.
    fn calls(&self) -> Vec<PlaceCandidate> {
        let statements: Vec<Span> = (self.ast.statements.values())
            .filter_map(|statement: &Stmt| match statement.kind {
                StmtKind::Expression(Some(expr)) => Some(self.ast.exprs[expr].span),
                _ => None,
            })
            .collect();
        let call = |expr: &Expr| {
            matches!(expr.kind, ExprKind::Call(..)).then(|| {
                let form = if statements.contains(&expr.span) { PlaceForm::CallStatement } else { PlaceForm::Call };
                (expr.span.end - 1, Site { span: self.own(expr.span), form })
            })
        };
        self.ast.exprs.values().filter_map(call).collect()
    }

    /// The offset behind the first semicolon between the parentheses of a `for`.
    fn first_semicolon(&self, span: Span) -> Option<u32> {
        let mut depth = 0u32;
        for (at, byte) in self.text().as_bytes()[..span.end as usize].iter().enumerate().skip(span.start as usize) {
            match byte {
                b'(' | b'{' => depth += 1,
                b')' | b'}' => depth = depth.checked_sub(1)?,
                b';' if depth == 1 => return Some(at as u32 + 1),
                _ => {}
            }
        }
        None
    }
}

/// Files are compared up to the folder that they are in.
fn is_same_file(one: &str, other: &str) -> bool {
    let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    name(one) == name(other)
}
