//! Complements of Büchi automata, computed on demand: one construction per class of automata, and a front that chooses.
//!
//! All constructions take a [`Module`] and are [`Reader`]s: they answer for one letter at a time.
//! `docs/design/complementation.md` explains them on one example.

pub mod deterministic;
pub mod finite_trace;
pub mod ncsb;
pub mod rank;
pub mod reader;
pub mod weak;

pub use deterministic::{FlagComplement, Flagged};
pub use finite_trace::Powerset;
pub use ncsb::{Macrostate, Ncsb, Variant};
pub use rank::{RankComplement, RankState, TightRanking};
pub use reader::{OverAlphabet, Reader};
pub use weak::{Breakpoint, BreakpointComplement};

use super::alphabet::Minterms;
use super::classify::{self, Kind};
use super::module::{Module, StateBased};
use super::shape::trim;
use super::state_set::StateSet;
use crate::buchi::{Automaton, Label, Marks};

/// A complement by whichever construction fits.
#[derive(Clone, Debug)]
pub enum Complement<M> {
    /// Of a module that accepts by reaching a trap.
    FiniteTrace(Powerset<M>),
    /// Of a deterministic module.
    Deterministic(FlagComplement<M>),
    /// Of a weak module.
    Weak(BreakpointComplement<M>),
    /// Of a semi-deterministic module.
    SemiDeterministic(Ncsb<M>),
    /// Of any module.
    General(RankComplement<M>),
}

/// A macrostate of the construction that a [`Complement`] has chosen.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ComplementState {
    /// Of a module that accepts by reaching a trap.
    FiniteTrace(StateSet),
    /// Of a deterministic module.
    Deterministic(Flagged),
    /// Of a weak module.
    Weak(Breakpoint),
    /// Of a semi-deterministic module.
    SemiDeterministic(Macrostate),
    /// Of any module.
    General(RankState),
}

/// The complement of an automaton over the given letters, by the construction that fits its class: the simplest that is
/// exact. Semi-deterministic automata are complemented by the given variant of NCSB. States that no accepting run visits
/// are left out first, since they can hide the class.
pub fn complement<L: Label>(
    automaton: &Automaton<L>,
    alphabet: &Minterms<L>,
    variant: Variant,
) -> OverAlphabet<Complement<StateBased<L>>> {
    let module = StateBased::of(&trim(automaton));
    let kind = classify::kind(&module, alphabet);
    OverAlphabet::new(Complement::new(module, kind, variant), alphabet)
}

impl<M: Module> Complement<M> {
    /// The complement of a module of a known kind.
    pub fn new(module: M, kind: Kind, variant: Variant) -> Self {
        match kind {
            Kind::FiniteTrace => Complement::FiniteTrace(Powerset::new(module)),
            Kind::Deterministic => Complement::Deterministic(FlagComplement::new(module)),
            Kind::Weak => Complement::Weak(BreakpointComplement::new(module)),
            Kind::SemiDeterministic { second_part } => {
                Complement::SemiDeterministic(Ncsb::new(module, second_part, variant))
            }
            Kind::General => Complement::General(RankComplement::new(module)),
        }
    }
}

/// The states that a part of the enum answers, as states of the whole.
fn wrapped<S>(states: Vec<(S, Marks)>, wrap: impl Fn(S) -> ComplementState) -> Vec<(ComplementState, Marks)> {
    states.into_iter().map(|(state, marks)| (wrap(state), marks)).collect()
}

impl<M: Module> Reader for Complement<M> {
    type State = ComplementState;
    type Label = M::Label;

    fn initial(&self) -> Vec<ComplementState> {
        match self {
            Complement::FiniteTrace(part) => part.initial().into_iter().map(ComplementState::FiniteTrace).collect(),
            Complement::Deterministic(part) => part.initial().into_iter().map(ComplementState::Deterministic).collect(),
            Complement::Weak(part) => part.initial().into_iter().map(ComplementState::Weak).collect(),
            Complement::SemiDeterministic(part) => {
                part.initial().into_iter().map(ComplementState::SemiDeterministic).collect()
            }
            Complement::General(part) => part.initial().into_iter().map(ComplementState::General).collect(),
        }
    }

    fn read(&self, state: &ComplementState, letter: &M::Label) -> Vec<(ComplementState, Marks)> {
        use ComplementState as State;
        match (self, state) {
            (Complement::FiniteTrace(part), State::FiniteTrace(state)) => {
                wrapped(part.read(state, letter), State::FiniteTrace)
            }
            (Complement::Deterministic(part), State::Deterministic(state)) => {
                wrapped(part.read(state, letter), State::Deterministic)
            }
            (Complement::Weak(part), State::Weak(state)) => wrapped(part.read(state, letter), State::Weak),
            (Complement::SemiDeterministic(part), State::SemiDeterministic(state)) => {
                wrapped(part.read(state, letter), State::SemiDeterministic)
            }
            (Complement::General(part), State::General(state)) => wrapped(part.read(state, letter), State::General),
            _ => unreachable!("a state belongs to the complement that is asked"),
        }
    }

    fn acceptance_sets(&self) -> u32 {
        match self {
            Complement::FiniteTrace(part) => part.acceptance_sets(),
            Complement::Deterministic(part) => part.acceptance_sets(),
            Complement::Weak(part) => part.acceptance_sets(),
            Complement::SemiDeterministic(part) => part.acceptance_sets(),
            Complement::General(part) => part.acceptance_sets(),
        }
    }

    fn is_subsumed(&self, smaller: &ComplementState, larger: &ComplementState) -> bool {
        use ComplementState as State;
        match (self, smaller, larger) {
            (Complement::FiniteTrace(part), State::FiniteTrace(smaller), State::FiniteTrace(larger)) => {
                part.is_subsumed(smaller, larger)
            }
            (Complement::Deterministic(part), State::Deterministic(smaller), State::Deterministic(larger)) => {
                part.is_subsumed(smaller, larger)
            }
            (Complement::Weak(part), State::Weak(smaller), State::Weak(larger)) => part.is_subsumed(smaller, larger),
            (
                Complement::SemiDeterministic(part),
                State::SemiDeterministic(smaller),
                State::SemiDeterministic(larger),
            ) => part.is_subsumed(smaller, larger),
            (Complement::General(part), State::General(smaller), State::General(larger)) => {
                part.is_subsumed(smaller, larger)
            }
            _ => unreachable!("a state belongs to the complement that is asked"),
        }
    }
}
