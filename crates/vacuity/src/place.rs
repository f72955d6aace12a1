//! Where in the user's text a part of a property is written.
//!
//! Formulas do not know their places, because equal formulas are one; only an atom knows where it was written first. But
//! the atoms of a property stand in its text in the order in which they stand in the formula, so that the place of any
//! part is found by walking over them. Where the text is not what was expected, the place is that of the whole property.

use automata::ltl::{AtomId, Formula, Formulas, Node};
use foundation::collections::HashSet;
use foundation::{SourceMap, Span};

use crate::suspects::Occurrence;

/// Beyond this many atoms nobody reads a formula, and its parts have no places.
const MOST_ATOMS: u64 = 10_000;

/// The place of a part of a property that is written within `text`. The atoms of the part are counted from the
/// property's own first atom.
pub(crate) fn place(
    formulas: &Formulas,
    property: Formula,
    part: &Occurrence,
    text: Span,
    sources: &SourceMap,
) -> Span {
    let last = part.atoms_before.saturating_add(part.atoms);
    if part.atoms == 0 || last > MOST_ATOMS {
        return text;
    }
    let found = walk(formulas, property, last as usize, text, sources);
    let of_part = found.and_then(|spans| spans.into_iter().skip(part.atoms_before as usize).reduce(Span::to));
    of_part.unwrap_or(text)
}

/// The place of an assumption, as far as its atoms know it.
pub(crate) fn place_of_atoms(formulas: &Formulas, formula: Formula, sources: &SourceMap) -> Option<Span> {
    let origins = formulas.atoms_of(formula).into_iter().filter_map(|atom| formulas.atoms().origin(atom));
    let mut spans = origins.map(|origin| with_quotes(origin.span, sources));
    let first = spans.next()?;
    Some(spans.filter(|span| span.source == first.source).fold(first, Span::to))
}

/// The places of so many atoms, from the left.
fn walk(formulas: &Formulas, property: Formula, count: usize, text: Span, sources: &SourceMap) -> Option<Vec<Span>> {
    let mut spans = Vec::with_capacity(count);
    let mut seen = HashSet::default();
    let mut from = text.start;
    let leaves = Leaves { formulas, open: vec![property] };
    for atom in leaves.take(count) {
        let written = formulas.atoms().origin(atom)?.span;
        let is_first = seen.insert(atom);
        let is_here = written.source == text.source && from <= written.start && written.end <= text.end;
        let span = if is_first && is_here {
            written
        } else {
            find(sources.snippet_text(written), Span { start: from, ..text }, sources)?
        };
        from = span.end;
        spans.push(with_quotes(span, sources));
    }
    (spans.len() == count).then_some(spans)
}

/// The first place where a word stands by itself.
fn find(word: &str, within: Span, sources: &SourceMap) -> Option<Span> {
    let text = sources.snippet_text(within);
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    // Letters of operators may stand before a word without a space.
    let may_precede = |c: char| !is_letter(c) || "FGX".contains(c);
    let stands_alone = |at: usize| {
        let (before, after) = (text[..at].chars().next_back(), text[at + word.len()..].chars().next());
        let begins = !word.starts_with(is_letter) || before.is_none_or(may_precede);
        begins && (!word.ends_with(is_letter) || !after.is_some_and(is_letter))
    };
    let (at, _) = text.match_indices(word).find(|(at, _)| stands_alone(*at))?;
    let start = within.start + at as u32;
    Some(Span { start, end: start + word.len() as u32, ..within })
}

/// The place of an atom with the quotes around it.
fn with_quotes(span: Span, sources: &SourceMap) -> Span {
    let text = sources.text(span.source);
    let before = text[..span.start as usize].chars().next_back();
    let after = text[span.end as usize..].chars().next();
    match (before, after) {
        (Some('"'), Some('"')) | (Some('{'), Some('}')) => Span { start: span.start - 1, end: span.end + 1, ..span },
        _ => span,
    }
}

/// The atoms of a formula from left to right, each as often as it is written.
struct Leaves<'f> {
    formulas: &'f Formulas,
    open: Vec<Formula>,
}

impl Iterator for Leaves<'_> {
    type Item = AtomId;

    fn next(&mut self) -> Option<AtomId> {
        while let Some(formula) = self.open.pop() {
            let node = self.formulas.node(formula);
            if let Node::Atom(atom) = node {
                return Some(atom);
            }
            self.open.extend(node.children().rev());
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use automata::ltl::parse;

    use super::*;

    #[test]
    fn every_atom_is_found_where_it_is_written() {
        for (text, expected) in [
            ("G(a -> F b)", &["a", "b"][..]),
            (r#"G ("x > 0" -> F {x > 0})"#, &[r#""x > 0""#, "{x > 0}"]),
            ("or1 xor r && Gr", &["or1", "r", "r"]),
            ("a && b && a && b", &["a", "b", "a", "b"]),
            ("call(f()) -> F end && !call( f() )", &["f", "end", "f"]),
        ] {
            let (mut sources, mut formulas) = (SourceMap::new(), Formulas::new());
            let source = sources.add("", text);
            let whole = Span { source, start: 0, end: text.len() as u32 };
            let formula = parse(&sources, source, &mut formulas).unwrap();
            let mut from = 0;
            for (index, word) in expected.iter().enumerate() {
                let part = Occurrence { formula, atoms_before: index as u64, atoms: 1, is_temporal: false };
                let span = place(&formulas, formula, &part, whole, &sources);
                assert_eq!(sources.snippet_text(span), *word, "{text}");
                assert!(span.start as usize >= from, "{text}: atom {index}");
                from = span.end as usize;
            }
        }
    }
}
