//! Atomic propositions of HOA as atoms of formulas, and back.
//!
//! HOA has plain texts where formulas have bare words, quoted expressions and built-in observations. An atom is written
//! as its plain text, which is what other tools expect, unless another atom of the same automaton has the same text or
//! the text would be read as something built in: then it is written with its quotes.

use crate::ltl::{Atom, AtomId, Atoms, Builtin};

/// The atom of a proposition's text, or nothing where no atom can have it.
pub(super) fn atom_of(text: &str) -> Option<Atom> {
    let text = text.trim();
    if let Some(quoted) = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        let inner = quoted.replace("\\\"", "\"");
        return can_be_quoted(&inner).then(|| Atom::quoted(&inner));
    }
    if let Some(builtin) = builtin_of(text) {
        return Some(Atom::Builtin(builtin));
    }
    can_be_quoted(text).then(|| Atom::named(text))
}

/// The texts of atoms, in their order, each different from the others.
pub(super) fn texts_of(atoms: &Atoms, used: &[AtomId]) -> Vec<String> {
    let plain = |atom: &Atom| atom.expression().map_or_else(|| atom.to_string(), str::to_owned);
    let plain_texts: Vec<String> = used.iter().map(|&atom| plain(atoms.get(atom))).collect();
    let is_clear = |index: usize| {
        let text = &plain_texts[index];
        let is_alone = plain_texts.iter().filter(|other| *other == text).count() == 1;
        let reads_back = atom_of(text).is_some_and(|atom| plain(&atom) == *text);
        is_alone && reads_back && (builtin_of(text).is_none() || atoms.get(used[index]).expression().is_none())
    };
    let text =
        |index: usize| if is_clear(index) { plain_texts[index].clone() } else { atoms.get(used[index]).to_string() };
    (0..used.len()).map(text).collect()
}

fn builtin_of(text: &str) -> Option<Builtin> {
    Builtin::from_word(text).or_else(|| {
        let function = text.strip_prefix("call(")?.strip_suffix("())")?;
        let is_name = |name: &str| {
            name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
                && name.chars().all(|character| character.is_ascii_alphanumeric() || character == '_')
        };
        is_name(function).then(|| Builtin::Call(function.to_owned()))
    })
}

/// Whether a text can stand in quotes in a formula.
fn can_be_quoted(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty() && !text.ends_with('\\')
}
