//! Prepared programs from C texts and atoms.

use c_frontend::Options;
use foundation::{Diagnostics, SourceMap, Span};
use program::passes::{Prepared, prepare};
use program::semantics::Semantics;
use program::{Atom, DataModel};

/// A prepared program with atoms over its state, and then `end`, `error` and `deadlock`.
pub fn prepared(c: &str, atoms: &[&str], semantics: Semantics, data_model: DataModel) -> Prepared {
    let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
    let unit = sources.add("test.c", c);
    let options = Options { data_model, ..Options::default() };
    let translation = c_frontend::translate(&[unit], &mut sources, &options, &mut diagnostics);
    let mut translation = translation.unwrap_or_else(|| panic!("{c}\n{:?}", diagnostics.iter().collect::<Vec<_>>()));
    let mut parsed = Vec::new();
    for text in atoms {
        let source = sources.add("atom", *text);
        let span = Span { source, start: 0, end: text.len() as u32 };
        parsed.push(translation.atom(span, &mut sources, &mut diagnostics).unwrap_or_else(|| panic!("{text}")));
    }
    parsed.extend([Atom::End, Atom::Error, Atom::Deadlock]);
    prepare(&translation.program, &parsed, semantics, 10_000).unwrap_or_else(|error| panic!("{error:?}\n{c}"))
}
