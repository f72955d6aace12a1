//! Lassos and what became of them, as text in the user's own lines.

use std::fmt::Write;

use foundation::SourceMap;
use task::watch::{CandidateLasso, Fate, PictureBlock, Statement};

/// Effects longer than this are cut off in what is told; the files of `--dump-dir` have them whole.
const LONGEST_EFFECT_CHARACTERS: usize = 300;

/// As many predicates are told.
const MOST_PREDICATES: usize = 12;

/// A lasso, line by line.
pub(super) fn lasso(number: usize, trace: &CandidateLasso, sources: &SourceMap) -> String {
    let mut text = format!("lasso {number} ({})\n", trace.remark);
    for (name, blocks) in [("stem", &trace.stem), ("cycle", &trace.cycle)] {
        let _ = writeln!(text, "  {name}");
        for block in blocks {
            for line in lines(block, sources) {
                let _ = writeln!(text, "    {line}");
            }
            let _ = writeln!(text, "      {}", cut(&block.effect));
        }
    }
    text
}

/// What became of a lasso.
pub(super) fn fate(fate: &Fate) -> String {
    match fate {
        Fate::Refuted { why, module, predicates } => {
            let mut text = format!("  refuted: {why} ({module} module)\n");
            if !predicates.is_empty() {
                let shown: Vec<String> = predicates.iter().take(MOST_PREDICATES).map(|text| cut(text)).collect();
                let more = if predicates.len() > shown.len() { ", …" } else { "" };
                let _ = writeln!(text, "  known on the way: {}{more}", shown.join(", "));
            }
            text
        }
        Fate::Diverges { argument } => format!("  can be executed for ever: {argument}\n"),
        Fate::Open { why } => format!("  undecided: {why}\n"),
    }
}

/// The statements of a block, each with its place; what stands at one place several times in a row, once.
pub(super) fn lines(block: &PictureBlock, sources: &SourceMap) -> Vec<String> {
    let mut lines: Vec<String> = block.statements.iter().map(|statement| line(statement, sources)).collect();
    lines.dedup();
    lines
}

fn line(statement: &Statement, sources: &SourceMap) -> String {
    let Some(span) = statement.span else { return statement.text.clone() };
    let place = sources.snippet(span).location;
    let text = match statement.is_condition {
        true => format!("[{}]", statement.text),
        false => report::trace::statement_text(span, sources),
    };
    format!("{}:{}: {}", place.file, place.line, text.lines().map(str::trim).collect::<Vec<_>>().join(" "))
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST_EFFECT_CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
