//! Writes automata in the HOA format, version 1.
//!
//! What is written keeps to the letter of the specification: the canonical texts of acceptance conditions with their
//! names, explicit labels on edges, and only properties that were checked. Acceptance is written on states where it
//! is a matter of states.

use std::fmt::Write;

use foundation::Id;

use super::atoms::texts_of;
use crate::buchi::{Automaton, Components, Guard, Marks};
use crate::ltl::{AtomId, Atoms};

/// The text of an automaton. `name` is usually the formula that it was made from.
pub fn write(automaton: &Automaton<Guard>, atoms: &Atoms, name: Option<&str>) -> String {
    let mut used: Vec<AtomId> = automaton.edges().flat_map(|edge| edge.label.atoms()).collect();
    used.sort_unstable();
    used.dedup();
    let mut text = String::from("HOA: v1\n");
    let line = |text: &mut String, words: std::fmt::Arguments<'_>| {
        let _ = text.write_fmt(words);
        text.push('\n');
    };
    if let Some(name) = name {
        line(&mut text, format_args!("name: {}", quoted(name)));
    }
    line(&mut text, format_args!("tool: \"semper\" \"{}\"", env!("CARGO_PKG_VERSION")));
    line(&mut text, format_args!("States: {}", automaton.state_count()));
    for state in automaton.initial() {
        line(&mut text, format_args!("Start: {}", state.index()));
    }
    let names: Vec<String> = texts_of(atoms, &used).iter().map(|atom| format!(" {}", quoted(atom))).collect();
    line(&mut text, format_args!("AP: {}{}", used.len(), names.concat()));
    let sets = automaton.acceptance_sets();
    line(&mut text, format_args!("acc-name: {}", acceptance_name(sets)));
    line(&mut text, format_args!("Acceptance: {sets} {}", acceptance_condition(sets)));
    let on_states = sets > 0 && automaton.is_state_based();
    line(&mut text, format_args!("properties: {}", properties(automaton, on_states)));
    line(&mut text, format_args!("--BODY--"));
    for state in automaton.states() {
        let marks = if on_states { automaton.marks_of(state) } else { Marks::NONE };
        line(&mut text, format_args!("State: {}{}", state.index(), sets_text(marks)));
        for edge in automaton.edges_from(state) {
            let marks = if on_states { Marks::NONE } else { edge.marks };
            let label = label_text(&edge.label, &used);
            line(&mut text, format_args!("[{label}] {}{}", edge.to.index(), sets_text(marks)));
        }
    }
    line(&mut text, format_args!("--END--"));
    text
}

fn acceptance_name(sets: u32) -> String {
    match sets {
        0 => "all".to_owned(),
        1 => "Buchi".to_owned(),
        _ => format!("generalized-Buchi {sets}"),
    }
}

fn acceptance_condition(sets: u32) -> String {
    let each: Vec<String> = (0..sets).map(|set| format!("Inf({set})")).collect();
    if sets == 0 { "t".to_owned() } else { each.join("&") }
}

fn properties(automaton: &Automaton<Guard>, on_states: bool) -> String {
    let mut properties = vec!["trans-labels", "explicit-labels", if on_states { "state-acc" } else { "trans-acc" }];
    let state_is_complete = |state| {
        let edges = automaton.edges_from(state).iter();
        edges.fold(Guard::constant(false), |sum, edge| sum.or(&edge.label)).is_true()
    };
    if automaton.state_count() > 0 && automaton.states().all(state_is_complete) {
        properties.push("complete");
    }
    if automaton.is_deterministic() {
        properties.push("deterministic");
    }
    if all_components_are_uniform(automaton) {
        properties.push("weak");
    }
    properties.join(" ")
}

/// Whether all edges inside each component carry the same marks, as the property `weak` wants.
fn all_components_are_uniform(automaton: &Automaton<Guard>) -> bool {
    let components = Components::of(automaton);
    let reaches_all = automaton.states().all(|state| components.of_state(state).is_some());
    reaches_all
        && components.iter().all(|(_, component)| component.is_trivial || component.marks == component.common_marks)
}

fn sets_text(marks: Marks) -> String {
    let numbers: Vec<String> = marks.iter().map(|set| set.to_string()).collect();
    if numbers.is_empty() { String::new() } else { format!(" {{{}}}", numbers.join(" ")) }
}

/// The label as a sum of products: `0&!1 | 2`.
fn label_text(label: &Guard, atoms: &[AtomId]) -> String {
    if label.is_true() || label.is_false() {
        return if label.is_true() { "t" } else { "f" }.to_owned();
    }
    let literal = |&(atom, value): &(AtomId, bool)| {
        let number = atoms.binary_search(&atom).expect("all atoms of labels are numbered");
        format!("{}{number}", if value { "" } else { "!" })
    };
    let product = |cube: &Vec<(AtomId, bool)>| cube.iter().map(literal).collect::<Vec<_>>().join("&");
    label.cubes().iter().map(product).collect::<Vec<_>>().join(" | ")
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
