//! What labels and jumps say: which way leads to the `default` of a `switch`, and where loops are that have no condition or
//! are written with `goto`.
//!
//! All of it is read off the syntax, and only where it can mean one thing; nothing is told of the rest.

use c_frontend::syntax::ast::{BlockItem, Declaration, ForInit, JumpLabel, Stmt, StmtId, StmtKind};
use c_frontend::syntax::symbols::Symbol;
use foundation::Span;
use foundation::collections::{HashMap, HashSet};
use witness::WaypointType;

use super::{ParsedUnit, PlaceCandidate};

impl ParsedUnit<'_> {
    /// The `case` labels of the `switch` with this controlling expression, as they stand in the text, if there is a
    /// `default` besides them. They can be written again in front of the `switch`: no name in them is declared inside.
    pub(crate) fn cases_besides_default(&self, control: Span) -> Result<String, String> {
        let statements = || self.ast.statements.values();
        let body_of = |statement: &Stmt| match statement.kind {
            StmtKind::Switch(expr, body) => Some((self.own(self.ast.exprs[expr].span), self.ast.statements[body].span)),
            _ => None,
        };
        let is_asked = |(own, body): (Span, Span)| (own == control).then_some(body);
        let body = statements().filter_map(body_of).find_map(is_asked).ok_or("there is no `switch`")?;
        let inner = statements().filter_map(body_of).map(|(_, inner)| inner);
        let inner: Vec<Span> = inner.filter(|inner| is_inside(*inner, body) && *inner != body).collect();
        let is_own = |span: Span| is_inside(span, body) && !inner.iter().any(|inner| is_inside(span, *inner));
        let labels = statements().filter_map(|statement| match &statement.kind {
            StmtKind::Labeled(labels, _) => Some(labels),
            _ => None,
        });
        let (mut cases, mut has_default) = (String::new(), false);
        for label in labels.flatten() {
            match *label {
                JumpLabel::Case(.., span) if is_own(span) => {
                    cases.push_str(self.sources.snippet_text(self.own(span)));
                    cases.push(' ');
                }
                JumpLabel::Default(span) if is_own(span) => has_default = true,
                _ => {}
            }
        }
        if !has_default {
            return Err("the `switch` has no label `default`".to_owned());
        }
        let declared = self.declared_in(body);
        if let Some(word) = words(&cases).find(|word| declared.contains(word)) {
            return Err(format!("`{word}` may mean something else inside the `switch`"));
        }
        Ok(cases)
    }

    /// The words of all declarations in a piece of text: what is declared there is among them. Since types can be defined in
    /// expressions as well, so are all words of a text with an `enum`, and in any case `struct` and `union`.
    fn declared_in(&self, span: Span) -> HashSet<&str> {
        let mut declared = HashSet::from_iter(["struct", "union"]);
        let mut add = |own: Span| {
            if is_inside(own, span) {
                declared.extend(words(self.sources.snippet_text(self.own(own))));
            }
        };
        for statement in self.ast.statements.values() {
            match &statement.kind {
                StmtKind::Compound(items) => items.iter().for_each(|item| match item {
                    BlockItem::Declaration(
                        Declaration::Declarators { span, .. } | Declaration::StaticAssert { span, .. },
                    )
                    | BlockItem::NestedFunction(span) => add(*span),
                    BlockItem::Statement(_) => {}
                }),
                StmtKind::For { init: Some(ForInit::Declaration(Declaration::Declarators { span, .. })), .. } => {
                    add(*span);
                }
                _ => {}
            }
        }
        let text = self.sources.snippet_text(self.own(span));
        if words(text).any(|word| word == "enum") {
            declared.extend(words(text));
        }
        declared
    }

    /// The heads of loops that are written with `goto`, by the offsets of their label and of their `if`, and the place
    /// where their condition is about to be evaluated. These are `head: if (c) { …; goto head; }` and
    /// `head: if (c) goto out; …; goto head;`: the condition is evaluated at the label. Of other loops it is not clear
    /// whether what is said of them is meant at the label or at a condition.
    pub(super) fn jumped_loops(&self) -> Vec<PlaceCandidate> {
        let jumps = Jumps::of(self);
        let mut found = Vec::new();
        for block in self.ast.statements.values() {
            let StmtKind::Compound(items) = &block.kind else { continue };
            for (index, item) in items.iter().enumerate() {
                let BlockItem::Statement(head) = item else { continue };
                let head = &self.ast.statements[*head];
                let StmtKind::Labeled(labels, test) = &head.kind else { continue };
                let test = &self.ast.statements[*test];
                for label in labels {
                    if let JumpLabel::Name(name, span) = label
                        && self.is_loop(&jumps, *name, (head, test), &items[index + 1..])
                    {
                        let site = self.site_of(test);
                        found.extend([(span.start, site), (test.span.start, site)]);
                    }
                }
            }
        }
        found
    }

    /// Whether a labelled `if` and what follows it in its block are a loop, and its condition is that of the loop.
    fn is_loop(&self, jumps: &Jumps, name: Symbol, (head, test): (&Stmt, &Stmt), rest: &[BlockItem]) -> bool {
        let StmtKind::If { branches, otherwise } = &test.kind else { return false };
        let Some(function) = self.body_around(head.span.start) else { return false };
        if jumps.label(name, function).is_none() {
            return false;
        }
        let back: Vec<Span> = jumps.to(name, function).filter(|jump| jump.start > head.span.start).collect();
        let goes_back = |statement: &Stmt| matches!(statement.kind, StmtKind::Goto(label, _) if label == name);
        let ways = || branches.iter().map(|(_, way)| *way).chain(*otherwise).map(|way| self.last_of(way));
        if ways().any(goes_back) && back.iter().all(|jump| is_inside(*jump, test.span)) {
            return true;
        }
        let following = rest.iter().rev().filter_map(|item| match item {
            BlockItem::Statement(statement) => Some(&self.ast.statements[*statement]),
            _ => None,
        });
        let Some(end) = following.filter(|statement| goes_back(statement)).map(|end| end.span.end).next() else {
            return false;
        };
        let whole = Span { end, ..head.span };
        let leaves = |way: &Stmt| match way.kind {
            StmtKind::Return(_) => true,
            StmtKind::Goto(label, _) => jumps.label(label, function).is_some_and(|to| !is_inside(to, whole)),
            _ => false,
        };
        back.iter().all(|jump| is_inside(*jump, whole)) && ways().any(leaves)
    }

    /// What is passed in every round of a loop in which nothing is observed, by the text of one of its edges: a loop without a
    /// condition, or a statement that jumps or is jumped to.
    pub(crate) fn silent_waypoint(&self, edge: Span) -> Option<(WaypointType, u32)> {
        let is_edge = |span: Span| self.own(span) == edge;
        let passed = |statement: &Stmt| {
            let waypoint_type = match &statement.kind {
                StmtKind::For { condition: None, .. } if is_edge(statement.span) => WaypointType::Branching,
                StmtKind::Goto(_, label) if is_edge(*label) => WaypointType::Assumption,
                StmtKind::Continue if is_edge(statement.span) => WaypointType::Assumption,
                StmtKind::Labeled(labels, _)
                    if labels.iter().any(|label| matches!(label, JumpLabel::Name(_, span) if is_edge(*span))) =>
                {
                    WaypointType::Assumption
                }
                _ => return None,
            };
            Some((waypoint_type, statement.span.start))
        };
        let mut jumps = self.ast.statements.values().filter(|it| matches!(it.kind, StmtKind::Goto(..)));
        let around = |statement: &Stmt| match statement.kind {
            StmtKind::For { condition: None, .. } if is_inside(edge, statement.span) => Some(statement.span),
            _ => None,
        };
        self.ast.statements.values().find_map(passed).or_else(|| {
            let innermost = self.ast.statements.values().filter_map(around).max_by_key(|span| span.start)?;
            let has_jump = jumps.any(|jump| is_inside(jump.span, innermost));
            (!has_jump).then_some((WaypointType::Branching, innermost.start))
        })
    }

    /// The last statement of a block, or the statement itself.
    fn last_of(&self, statement: StmtId) -> &Stmt {
        let mut statement = &self.ast.statements[statement];
        while let StmtKind::Compound(items) = &statement.kind
            && let Some(BlockItem::Statement(last)) = items.last()
        {
            statement = &self.ast.statements[*last];
        }
        statement
    }
}

/// All labels and jumps of a text.
struct Jumps {
    labels: HashMap<Symbol, Vec<Span>>,
    jumps: HashMap<Symbol, Vec<Span>>,
}

impl Jumps {
    fn of(unit: &ParsedUnit<'_>) -> Self {
        let (mut labels, mut jumps) = (HashMap::<_, Vec<Span>>::default(), HashMap::<_, Vec<Span>>::default());
        for statement in unit.ast.statements.values() {
            match &statement.kind {
                StmtKind::Labeled(own, _) => own.iter().for_each(|label| {
                    if let JumpLabel::Name(name, span) = label {
                        labels.entry(*name).or_default().push(*span);
                    }
                }),
                StmtKind::Goto(name, _) => jumps.entry(*name).or_default().push(statement.span),
                _ => {}
            }
        }
        Self { labels, jumps }
    }

    /// The only label with this name in a function.
    fn label(&self, name: Symbol, function: Span) -> Option<Span> {
        let mut labels = self.labels.get(&name)?.iter().filter(|label| is_inside(**label, function));
        let label = labels.next()?;
        labels.next().is_none().then_some(*label)
    }

    /// The jumps to a label in a function.
    fn to(&self, name: Symbol, function: Span) -> impl Iterator<Item = Span> {
        let jumps = self.jumps.get(&name).into_iter().flatten();
        jumps.copied().filter(move |jump| is_inside(*jump, function))
    }
}

fn is_inside(span: Span, outer: Span) -> bool {
    outer.start <= span.start && span.end <= outer.end
}

/// The names and keywords of a text, without `case`. What stands in the quotes of a character is none.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let (mut is_quoted, mut is_escaped) = (false, false);
    let parts = text.split(move |letter: char| {
        is_quoted ^= letter == '\'' && !is_escaped;
        is_escaped = is_quoted && letter == '\\' && !is_escaped;
        is_quoted || !(letter.is_alphanumeric() || letter == '_')
    });
    let is_word = |word: &&str| word.starts_with(|first: char| !first.is_ascii_digit()) && *word != "case";
    parts.filter(is_word)
}
