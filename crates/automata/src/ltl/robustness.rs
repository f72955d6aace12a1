//! What must be true of any bytes given as a property: no panic, and every accepted formula reads back from its text.
//! A fuzz target and a test call the same check.

use foundation::SourceMap;

use super::formula::{Formula, Formulas};
use super::word::Letter;
use super::{annotations, evaluate_lasso, evaluate_prefix, parse, prp};

/// Reads the bytes as a formula, as a property file and as a source text, and checks all formulas found.
pub fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut sources = SourceMap::new();
    let source = sources.add("input", text.as_ref());
    let mut formulas = Formulas::new();
    let mut accepted: Vec<Formula> = Vec::new();
    accepted.extend(parse(&sources, source, &mut formulas));
    accepted.extend(prp::parse(&sources, source, &mut formulas).into_iter().flatten().map(|check| check.formula));
    let found = annotations::find(&sources, source, &mut formulas).into_iter().flatten();
    accepted.extend(found.map(|annotation| annotation.formula));
    for formula in accepted {
        check_formula(&mut formulas, formula);
    }
}

fn check_formula(formulas: &mut Formulas, formula: Formula) {
    let text = formulas.display(formula).to_string();
    let mut sources = SourceMap::new();
    let source = sources.add("printed", text.as_str());
    match parse(&sources, source, formulas) {
        Ok(again) => assert!(again == formula, "`{text}` reads back as `{}`", formulas.display(again)),
        Err(diagnostics) => panic!("`{text}` does not read back: {diagnostics:?}"),
    }
    for &atom in &formulas.atoms_of(formula) {
        let whole = formulas.atoms().get(atom).expression().map_or(0, str::len);
        let origin = formulas.atoms().origin(atom).map(|origin| origin.span);
        assert!(formulas.atoms().place(atom, 0..whole) == origin || whole == 0, "the place of an atom covers its text");
    }
    // Large formulas are only read, since the reference evaluation keeps a row for each of their parts.
    if formulas.subformulas(formula).len() > 40 {
        return;
    }
    let letter: Letter = formulas.atoms_of(formula).into_iter().step_by(2).collect();
    let word = [letter, Letter::new()];
    let truth = evaluate_lasso(formulas, formula, &[], &word);
    let claim = evaluate_prefix(formulas, formula, &word);
    let contradicts = if truth { super::PrefixTruth::False } else { super::PrefixTruth::True };
    assert!(claim != contradicts, "the prefix of a word and the word disagree on `{text}`");
}
