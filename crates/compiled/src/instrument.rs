//! Puts probes into a C text, at the places whose states the semantics observes: after every full expression, initialised
//! declaration and `return` with a value. The program stays the user's own: a probe is called beside what stands there.
//!
//! | there | here |
//! | --- | --- |
//! | `e;` | `{ e; semper_probe(k); }` |
//! | `if (c)`, `while (c)`, `for (…; c; …)` | `if (semper_condition(!!(c), k))` |
//! | `switch (c)` | `switch (({ __auto_type v = +(c); semper_probe(k); v; }))` |
//! | `int x = e;` | `int x = e, *p = semper_probe_pointer(k);` |
//! | `return e;` | `{ semper_probe(k); return e; }` where `e` changes nothing, else through a variable |
//!
//! Places come from the syntax tree. Where a form is not known here, there is no probe, and who compares must know it.

use std::collections::{BTreeMap, BTreeSet};

use c_frontend::syntax::ast::{
    Ast, BlockItem, Declaration, Derived, Expr, ExprId, ExprKind, ExternalDeclaration, ForInit, InitDeclarator,
    Initializer, Stmt, StmtId, StmtKind, Storage, TypeSpecifier,
};
use c_frontend::syntax::parse;
use c_frontend::syntax::symbols::Symbols;
use foundation::collections::{HashMap, HashSet};
use foundation::{Diagnostics, SourceId, SourceMap, Span};

/// Where a probe stands: its number is its index.
pub(crate) type ProbeSite = Span;

/// What is to be put into the texts besides probes.
#[derive(Clone, Debug, Default)]
pub(crate) struct InstrumentationPlan {
    /// Functions whose activations are followed, with their numbers.
    pub frames: BTreeMap<String, usize>,
    /// Local variables whose addresses are noted, by the place of their declarator, with their numbers.
    pub notes: HashMap<Span, usize>,
    /// The same for parameters, by function: names and numbers.
    pub parameters: BTreeMap<String, Vec<(String, usize)>>,
    /// Local variables that hold a recorded value when their lifetime begins, by the place of their declarator: what is
    /// to be called for it.
    pub fillings: HashMap<Span, String>,
}

/// A text with probes.
#[derive(Clone, Debug)]
pub(crate) struct Instrumented {
    pub text: String,
    /// The names that the text declares outside of functions.
    pub declared: BTreeSet<String>,
    /// The functions that it defines.
    pub defined: BTreeSet<String>,
}

/// Puts probes into the text of a translation unit, which is known to be correct; their sites are added.
pub(crate) fn instrument(
    unit: SourceId,
    sources: &SourceMap,
    plan: &InstrumentationPlan,
    sites: &mut Vec<ProbeSite>,
) -> Instrumented {
    let text = sources.text(unit);
    let (mut map, mut symbols) = (SourceMap::new(), Symbols::default());
    let source = map.add(sources.name(unit), text);
    let ast = parse(source, &mut map, &mut symbols, &mut Diagnostics::new());
    let changes = |kind: &ExprKind| {
        matches!(kind, ExprKind::Call(..) | ExprKind::Assign(..) | ExprKind::Increment { .. } | ExprKind::Statement(_))
    };
    let effects = ast.exprs.values().filter(|expr| changes(&expr.kind)).map(|expr| expr.span).collect();
    let values = ast.exprs.values().filter_map(|expr| value_statement(&ast, expr)).collect();
    let known = HashSet::default();
    let mut editor =
        Editor { ast: &ast, symbols: &symbols, text, unit, plan, effects, values, known, sites, edits: Vec::new() };
    for (id, statement) in ast.statements.iter() {
        editor.statement(id, statement);
    }
    let (mut declared, mut defined) = (BTreeSet::new(), BTreeSet::new());
    for item in &ast.items {
        match item {
            ExternalDeclaration::Function(function) => {
                let Some(name) = function.declarator.name.map(|name| symbols.text(name)) else { continue };
                declared.insert(name.to_owned());
                defined.insert(name.to_owned());
                editor.function(name, function.body);
            }
            ExternalDeclaration::Declaration(Declaration::Declarators { specifiers, declarators, .. }) => {
                let names = declarators.iter().filter_map(|item| item.declarator.name);
                if specifiers.storage != Some(Storage::Typedef) {
                    declared.extend(names.map(|name| symbols.text(name).to_owned()));
                }
            }
            _ => {}
        }
    }
    let text = editor.finish();
    Instrumented { text, declared, defined }
}

/// The statement whose value is that of a statement expression: nothing may stand behind it.
fn value_statement(ast: &Ast, expr: &Expr) -> Option<StmtId> {
    let ExprKind::Statement(block) = expr.kind else { return None };
    let StmtKind::Compound(items) = &ast.statements[block].kind else { return None };
    let Some(BlockItem::Statement(last)) = items.last() else { return None };
    Some(match &ast.statements[*last].kind {
        StmtKind::Labeled(_, inner) => *inner,
        _ => *last,
    })
}

struct Editor<'a> {
    ast: &'a Ast,
    symbols: &'a Symbols,
    text: &'a str,
    unit: SourceId,
    plan: &'a InstrumentationPlan,
    /// The places of expressions that may change something.
    effects: Vec<Span>,
    /// Statements whose value is used.
    values: HashSet<StmtId>,
    /// Places that have a probe: a tree may hold a part twice that was read twice.
    known: HashSet<(u32, u32)>,
    sites: &'a mut Vec<ProbeSite>,
    /// What is to be inserted where; at one place, what closes something comes before what opens something.
    edits: Vec<(u32, Rank, String)>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Rank {
    Closing,
    Opening,
}

impl Editor<'_> {
    fn finish(mut self) -> String {
        self.edits.sort_by_key(|(at, rank, _)| (*at, *rank));
        let mut result = String::with_capacity(self.text.len() + 64 * self.edits.len());
        let mut done = 0;
        for (at, _, inserted) in &self.edits {
            result.push_str(&self.text[done..*at as usize]);
            result.push_str(inserted);
            done = *at as usize;
        }
        result.push_str(&self.text[done..]);
        result
    }

    /// The number of a new site; none where there is one at this place.
    fn site(&mut self, span: Span) -> Option<usize> {
        if !self.known.insert((span.start, span.end)) {
            return None;
        }
        self.sites.push(Span { source: self.unit, ..span });
        Some(self.sites.len() - 1)
    }

    fn around(&mut self, span: Span, before: String, after: String) {
        self.edits.push((span.start, Rank::Opening, before));
        self.edits.push((span.end, Rank::Closing, after));
    }

    fn statement(&mut self, id: StmtId, statement: &Stmt) {
        match &statement.kind {
            StmtKind::Expression(Some(_)) if !self.values.contains(&id) && self.ends_well(statement.span) => {
                let Some(site) = self.site(statement.span) else { return };
                self.around(statement.span, "{ ".to_owned(), format!(" semper_probe({site}); }}"));
            }
            StmtKind::If { branches, .. } => branches.iter().for_each(|(condition, _)| self.condition(*condition)),
            StmtKind::While(condition, _) | StmtKind::DoWhile(_, condition) => self.condition(*condition),
            StmtKind::Switch(control, _) => {
                let span = self.ast.exprs[*control].span;
                let Some(site) = self.site(span) else { return };
                let after = format!("); semper_probe({site}); semper_v; }})");
                self.around(span, "({ __auto_type semper_v = +(".to_owned(), after);
            }
            StmtKind::For { init, condition, step, .. } => {
                match init {
                    Some(ForInit::Expression(expr)) => self.expression(*expr),
                    Some(ForInit::Declaration(declaration)) => self.declaration(declaration, true),
                    None => {}
                }
                condition.iter().for_each(|condition| self.condition(*condition));
                step.iter().for_each(|step| self.expression(*step));
            }
            StmtKind::Return(Some(value)) if self.ends_well(statement.span) => self.returned(statement.span, *value),
            StmtKind::Compound(items) => {
                for item in items {
                    if let BlockItem::Declaration(declaration) = item {
                        self.declaration(declaration, false);
                    }
                }
            }
            _ => {}
        }
    }

    fn ends_well(&self, span: Span) -> bool {
        self.text[..span.end as usize].ends_with(';')
    }

    fn condition(&mut self, condition: ExprId) {
        let span = self.ast.exprs[condition].span;
        let Some(site) = self.site(span) else { return };
        self.around(span, "semper_condition(!!(".to_owned(), format!("), {site})"));
    }

    /// An expression of a `for`, whose value is not used.
    fn expression(&mut self, expr: ExprId) {
        let span = self.ast.exprs[expr].span;
        let Some(site) = self.site(span) else { return };
        self.edits.push((span.end, Rank::Closing, format!(", semper_probe({site})")));
    }

    fn returned(&mut self, statement: Span, value: ExprId) {
        let span = self.ast.exprs[value].span;
        let Some(site) = self.site(statement) else { return };
        let is_inside = |effect: &Span| span.start <= effect.start && effect.end <= span.end;
        if !self.effects.iter().any(is_inside) {
            self.edits.push((statement.start, Rank::Opening, format!("{{ semper_probe({site}); ")));
            self.edits.push((statement.end, Rank::Closing, " }".to_owned()));
        } else if self.returns_nothing(statement) {
            self.around(span, "(".to_owned(), format!(", semper_probe({site}))"));
        } else {
            let after = format!(")); semper_probe({site}); semper_v; }})");
            self.around(span, "({ __auto_type semper_v = (0, (".to_owned(), after);
        }
    }

    /// Whether the function around a `return` has no result.
    fn returns_nothing(&self, place: Span) -> bool {
        self.ast.items.iter().any(|item| {
            let ExternalDeclaration::Function(function) = item else { return false };
            let body = self.ast.statements[function.body].span;
            body.start <= place.start
                && place.end <= body.end
                && matches!(function.specifiers.ty, TypeSpecifier::Void)
                && function.declarator.derived.len() == 1
        })
    }

    fn declaration(&mut self, declaration: &Declaration, in_for: bool) {
        let Declaration::Declarators { specifiers, declarators, .. } = declaration else { return };
        if matches!(specifiers.storage, Some(Storage::Typedef | Storage::Extern)) {
            return;
        }
        let is_static = specifiers.storage == Some(Storage::Static);
        let is_auto = matches!(specifiers.ty, TypeSpecifier::Auto);
        for item in declarators {
            if matches!(item.declarator.derived.first(), Some(Derived::Function(_))) {
                continue;
            }
            if !is_static && !is_auto {
                self.declarator(item);
            } else if !in_for {
                self.declarator_apart(item, is_auto);
            }
        }
    }

    /// Adds declarators behind one, which call what is to be called once it is declared.
    fn declarator(&mut self, item: &InitDeclarator) {
        let span = item.declarator.span;
        let place = Span { source: self.unit, ..span };
        let mut added = String::new();
        let end = item.initializer.as_ref().map_or(span.end, |initializer| self.end_of(initializer));
        let Some((stop, _)) = self.declarator_stop(end) else { return };
        if let (None, Some(filling)) = (&item.initializer, self.plan.fillings.get(&place)) {
            // What stands between the name and the end is an attribute or the length of an array.
            if self.text[end as usize..stop as usize].trim().is_empty() {
                added.push_str(&format!(" = {filling}"));
            }
        }
        if let (Some(number), Some(name)) = (self.plan.notes.get(&place), item.declarator.name) {
            let name = self.symbols.text(name);
            added.push_str(&format!(", *semper_n{stop} = semper_note({number}, (void *)&{name})"));
        }
        if item.initializer.is_some()
            && let Some(site) = self.site(Span { end, ..span })
        {
            added.push_str(&format!(", *semper_p{site} = semper_probe_pointer({site})"));
        }
        self.edits.push((stop, Rank::Closing, added));
    }

    /// The same behind the whole declaration, where no declarator can be added.
    fn declarator_apart(&mut self, item: &InitDeclarator, is_observed: bool) {
        let span = item.declarator.span;
        let end = item.initializer.as_ref().map_or(span.end, |initializer| self.end_of(initializer));
        let Some((stop, true)) = self.declarator_stop(end) else { return };
        let mut added = String::new();
        let place = Span { source: self.unit, ..span };
        if let (Some(number), Some(name)) = (self.plan.notes.get(&place), item.declarator.name) {
            added.push_str(&format!(" semper_note({number}, (void *)&{});", self.symbols.text(name)));
        }
        if is_observed && let Some(site) = self.site(Span { end, ..span }) {
            added.push_str(&format!(" semper_probe({site});"));
        }
        self.edits.push((stop + 1, Rank::Closing, added));
    }

    fn end_of(&self, initializer: &Initializer) -> u32 {
        match initializer {
            Initializer::Expr(expr) => self.ast.exprs[*expr].span.end,
            Initializer::List { span, .. } => span.end,
        }
    }

    /// The `,` or `;` behind a declarator, and whether it is the `;`. Lengths, attributes and parentheses that close lie
    /// between, and comments.
    fn declarator_stop(&self, from: u32) -> Option<(u32, bool)> {
        let bytes = self.text.as_bytes();
        let (mut at, mut depth) = (from as usize, 0u32);
        while let Some(&byte) = bytes.get(at) {
            let rest = &self.text.as_bytes()[at..];
            if rest.starts_with(b"/*") {
                at += self.text[at..].find("*/")? + 2;
                continue;
            }
            if rest.starts_with(b"//") || byte == b'#' {
                at += self.text[at..].find('\n')?;
                continue;
            }
            match byte {
                b',' | b';' if depth == 0 => return Some((at as u32, byte == b';')),
                b'(' | b'[' => depth += 1,
                b')' | b']' => depth = depth.saturating_sub(1),
                b'"' | b'\'' | b'{' | b'}' => return None,
                _ => {}
            }
            at += 1;
        }
        None
    }

    fn function(&mut self, name: &str, body: StmtId) {
        let Some(frame) = self.plan.frames.get(name) else { return };
        let mut entered = format!(
            " __attribute__((__cleanup__(semper_leave))) struct semper_frame semper_f = semper_enter({frame});"
        );
        for (parameter, number) in self.plan.parameters.get(name).into_iter().flatten() {
            entered.push_str(&format!(" semper_note({number}, (void *)&{parameter});"));
        }
        entered.push_str(&format!(" semper_entered({frame});"));
        self.edits.push((self.ast.statements[body].span.start + 1, Rank::Closing, entered));
    }
}
