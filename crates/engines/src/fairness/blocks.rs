//! Large blocks: sequences of edges become one edge.
//!
//! A state without a cycle of its own, which is not initial, can be left out: each pair of an edge in and an edge out is
//! composed into one. Letters of the property are part of the edges and acceptance is on the edges, so that nothing that
//! the property can see is lost: the composed edge has the conditions and the acceptance sets of both. (With acceptance
//! on states only some states could be left out.) A state goes only where that makes the graph no larger.

use automata::buchi::{Automaton, Marks};
use foundation::{Budget, Exhausted, Id};
use logic::Terms;

use super::hoare::Triples;
use super::letter::{LetterId, Letters};

/// Guards with more conjuncts than this are not composed further.
const LARGEST_GUARD_CONJUNCTS: usize = 48;

#[derive(Clone)]
struct Arrow {
    from: usize,
    letter: LetterId,
    to: usize,
    marks: Marks,
}

/// The same Büchi program with fewer states in use. States keep their numbers; those that are left out have no edges.
pub fn compose(
    terms: &Terms,
    graph: &Automaton<LetterId>,
    letters: &Letters,
    triples: &Triples<'_>,
    budget: &Budget,
) -> Result<Automaton<LetterId>, Exhausted> {
    let mut arrows: Vec<Option<Arrow>> = (graph.edges())
        .map(|edge| {
            let (from, to) = (edge.from.index(), edge.to.index());
            Some(Arrow { from, letter: edge.label, to, marks: edge.marks })
        })
        .collect();
    let count = graph.state_count();
    let mut entering: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (index, arrow) in arrows.iter().flatten().enumerate() {
        entering[arrow.to].push(index);
        leaving[arrow.from].push(index);
    }
    let mut is_initial = vec![false; count];
    for state in graph.initial() {
        is_initial[state.index()] = true;
    }
    let mut is_gone = vec![false; count];
    loop {
        let mut changed = false;
        for state in 0..count {
            budget.spend(1);
            budget.check()?;
            entering[state].retain(|&index| arrows[index].is_some());
            leaving[state].retain(|&index| arrows[index].is_some());
            let (ins, outs) = (entering[state].clone(), leaving[state].clone());
            let has_loop = outs.iter().any(|&index| arrows[index].as_ref().is_some_and(|arrow| arrow.to == state));
            if is_gone[state] || is_initial[state] || has_loop || ins.len() * outs.len() > ins.len() + outs.len() {
                continue;
            }
            let is_large = |&index: &usize| {
                let letter = arrows[index].as_ref().expect("it is there").letter;
                terms.conjuncts(letters.step(letter).guard).len() > LARGEST_GUARD_CONJUNCTS
            };
            if ins.iter().chain(&outs).any(is_large) {
                continue;
            }
            is_gone[state] = true;
            changed = true;
            for &first in &ins {
                for &second in &outs {
                    let (one, two) = (arrows[first].clone(), arrows[second].clone());
                    let (Some(one), Some(two)) = (one, two) else { continue };
                    let letter = letters.then(terms, one.letter, two.letter);
                    if triples.is_impossible(letters.step(letter).guard) {
                        continue;
                    }
                    let index = arrows.len();
                    leaving[one.from].push(index);
                    entering[two.to].push(index);
                    let marks = one.marks.union(two.marks);
                    arrows.push(Some(Arrow { from: one.from, letter, to: two.to, marks }));
                }
            }
            for index in ins.into_iter().chain(outs) {
                arrows[index] = None;
            }
        }
        if !changed {
            break;
        }
    }
    let mut composed = Automaton::new(graph.acceptance_sets());
    let numbers: Vec<_> = (0..count).map(|_| composed.add_state()).collect();
    for arrow in arrows.iter().flatten() {
        composed.add_edge(numbers[arrow.from], arrow.letter, numbers[arrow.to], arrow.marks);
    }
    for state in graph.initial() {
        composed.add_initial(numbers[state.index()]);
    }
    Ok(composed)
}
