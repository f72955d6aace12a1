//! A Kripke structure as a lazy automaton (Theorem 7 of the lecture notes).
//!
//! A new state stands before the first one, so that the letter of the first state is read by an edge like all others:
//! the edge that enters a state reads which atoms hold in it. Every infinite run is accepted.

use foundation::{Diagnostic, Diagnostics};

use super::structure::{Kripke, KripkeState, Proposition};
use crate::buchi::{Guard, Marks, Move, Successors};
use crate::ltl::{Atom, AtomId, Atoms, Builtin, Letter};

/// A structure whose states are observed through the atoms of formulas.
#[derive(Clone, Debug)]
pub struct Observed<'a> {
    kripke: &'a Kripke,
    atoms: Vec<(AtomId, AtomMeaning)>,
    ids: Vec<AtomId>,
}

/// A state of the automaton.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum KripkePosition {
    /// Before the first state.
    Start,
    /// In this state.
    At(KripkeState),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum AtomMeaning {
    Holds(Proposition),
    Deadlock,
}

impl<'a> Observed<'a> {
    /// The view through the given atoms. An atom means the proposition of the structure with the same text; the
    /// built-in `deadlock` holds in states without transitions. Atoms without a meaning are faults.
    pub fn new(kripke: &'a Kripke, atoms: &Atoms, used: &[AtomId]) -> Result<Self, Diagnostics> {
        let mut diagnostics = Diagnostics::new();
        let mut meanings = Vec::new();
        for &id in used {
            match meaning(kripke, atoms.get(id)) {
                Ok(meaning) => meanings.push((id, meaning)),
                Err(fault) => {
                    let place = atoms.origin(id).map(|origin| origin.span);
                    diagnostics.push(match place {
                        Some(place) => fault.at(place),
                        None => *fault,
                    });
                }
            }
        }
        if diagnostics.has_errors() {
            return Err(diagnostics);
        }
        let mut ids: Vec<AtomId> = used.to_vec();
        ids.sort_unstable();
        ids.dedup();
        Ok(Observed { kripke, atoms: meanings, ids })
    }

    /// The structure.
    pub fn kripke(&self) -> &'a Kripke {
        self.kripke
    }

    /// Which of the atoms hold in a state.
    pub fn letter(&self, state: KripkeState) -> Letter {
        let holds = |meaning: AtomMeaning| match meaning {
            AtomMeaning::Holds(proposition) => self.kripke.holds(state).binary_search(&proposition).is_ok(),
            AtomMeaning::Deadlock => self.kripke.is_deadlock(state),
        };
        self.atoms.iter().filter(|(_, meaning)| holds(*meaning)).map(|(atom, _)| *atom).collect()
    }
}

impl Successors for Observed<'_> {
    type State = KripkePosition;
    type Label = Guard;

    fn initial(&self) -> Vec<KripkePosition> {
        vec![KripkePosition::Start]
    }

    fn successors(&self, state: &KripkePosition) -> Vec<Move<KripkePosition, Guard>> {
        let next = match state {
            KripkePosition::Start => self.kripke.initial().to_vec(),
            KripkePosition::At(state) => self.kripke.successors(*state),
        };
        let enter = |state: KripkeState| Move {
            label: Guard::letter(&self.letter(state), &self.ids),
            to: KripkePosition::At(state),
            marks: Marks::NONE,
        };
        next.into_iter().map(enter).collect()
    }

    fn acceptance_sets(&self) -> u32 {
        0
    }
}

fn meaning(kripke: &Kripke, atom: &Atom) -> Result<AtomMeaning, Box<Diagnostic>> {
    match atom {
        Atom::Quoted(text) | Atom::Bare(text) => {
            kripke.find_proposition(text).map(AtomMeaning::Holds).ok_or_else(|| {
                let name = |proposition: Proposition| format!("`{}`", kripke.proposition_name(proposition));
                let known: Vec<String> = kripke.propositions().take(8).map(name).collect();
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                let more = if kripke.propositions().len() > 8 { ", …" } else { "" };
                let help =
                    format!("its atoms are {known}{more}; one that holds nowhere is declared, as in `atoms p, q;`");
                Box::new(Diagnostic::error("unknown-atom", format!("the structure has no atom `{text}`")).help(help))
            })
        }
        Atom::Builtin(Builtin::Deadlock) => Ok(AtomMeaning::Deadlock),
        Atom::Builtin(builtin) => {
            let fault = Diagnostic::error("unknown-atom", format!("`{builtin}` says nothing about a Kripke structure"));
            let help = format!("for an atom of the structure with this name, write `\"{builtin}\"` in quotes");
            Err(Box::new(fault.help(help)))
        }
    }
}
