//! Automata for the eye: as text and as a picture in the DOT language.
//!
//! How labels are written is up to the caller, since labels may be guards over atoms, letters, or edges of a program.
//! Where acceptance is state-based, accepting states are marked (doubled circles); otherwise edges are.

use std::fmt::Write;

use foundation::Id;

use super::automaton::{Automaton, StateId};
use super::guard::Guard;
use super::marks::Marks;
use crate::ltl::Atoms;

/// An automaton over guards as text, one line per edge below each state.
pub fn text(automaton: &Automaton<Guard>, atoms: &Atoms) -> String {
    text_with(automaton, |guard| guard.display(atoms).to_string())
}

/// An automaton over guards as a picture.
pub fn dot(automaton: &Automaton<Guard>, atoms: &Atoms) -> String {
    dot_with(automaton, |guard| guard.display(atoms).to_string())
}

/// An automaton as text, with labels written by `show`.
pub fn text_with<L>(automaton: &Automaton<L>, show: impl Fn(&L) -> String) -> String {
    let mut text = String::new();
    let count = |number: usize, noun: &str| format!("{number} {noun}{}", if number == 1 { "" } else { "s" });
    let acceptance = match automaton.acceptance_sets() {
        0 => "every infinite run is accepted".to_owned(),
        1 => "Büchi acceptance".to_owned(),
        sets => format!("generalised Büchi acceptance with {sets} sets"),
    };
    let (states, edges) = (count(automaton.state_count(), "state"), count(automaton.edge_count(), "edge"));
    let _ = writeln!(text, "{states}, {edges}, {acceptance}");
    let place = Acceptance::of(automaton);
    for state in automaton.states() {
        let initial = if automaton.initial().contains(&state) { ", initial" } else { "" };
        let accepting = if place.shows_state(automaton, state) { ", accepting" } else { "" };
        let _ = writeln!(text, "state {}{initial}{accepting}", state.index());
        for edge in automaton.edges_from(state) {
            let marks = place.on_edge(edge.marks);
            let gap = if marks.is_empty() { "" } else { "  " };
            let _ = writeln!(text, "  -> {}  {}{gap}{marks}", edge.to.index(), show(&edge.label));
        }
    }
    text
}

/// An automaton as a picture in the DOT language, with labels written by `show`.
pub fn dot_with<L>(automaton: &Automaton<L>, show: impl Fn(&L) -> String) -> String {
    let mut dot = String::from("digraph automaton {\n  rankdir=LR\n");
    dot.push_str("  node [shape=circle, fontname=\"Helvetica\", style=filled, fillcolor=\"#f4f6fb\"]\n");
    dot.push_str("  edge [fontname=\"Helvetica\", arrowsize=0.8]\n");
    let place = Acceptance::of(automaton);
    for (number, state) in automaton.initial().iter().enumerate() {
        let _ = writeln!(dot, "  start{number} [shape=point, style=invis, width=0]");
        let _ = writeln!(dot, "  start{number} -> {}", state.index());
    }
    for state in automaton.states() {
        let shape = if place.shows_state(automaton, state) { " [shape=doublecircle]" } else { "" };
        let _ = writeln!(dot, "  {}{shape}", state.index());
    }
    for edge in automaton.edges() {
        let marks = place.on_edge(edge.marks);
        let label = format!("{}{}{marks}", show(&edge.label), if marks.is_empty() { "" } else { "\n" });
        let style = if marks.is_empty() { "" } else { ", style=bold" };
        let _ = writeln!(dot, "  {} -> {} [label=\"{}\"{style}]", edge.from.index(), edge.to.index(), escaped(&label));
    }
    dot.push_str("}\n");
    dot
}

/// Where acceptance is to be seen.
enum Acceptance {
    /// There are no sets: nowhere.
    Nowhere,
    /// One set, and it is a matter of states.
    States,
    /// On edges.
    Edges,
}

impl Acceptance {
    fn of<L>(automaton: &Automaton<L>) -> Acceptance {
        match automaton.acceptance_sets() {
            0 => Acceptance::Nowhere,
            1 if automaton.is_state_based() => Acceptance::States,
            _ => Acceptance::Edges,
        }
    }

    fn shows_state<L>(&self, automaton: &Automaton<L>, state: StateId) -> bool {
        match self {
            Acceptance::Nowhere => true,
            Acceptance::States => automaton.is_accepting(state),
            Acceptance::Edges => false,
        }
    }

    fn on_edge(&self, marks: Marks) -> String {
        match self {
            Acceptance::Edges if !marks.is_empty() => marks.to_string(),
            _ => String::new(),
        }
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
