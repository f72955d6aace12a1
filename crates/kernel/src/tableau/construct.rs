//! The tableau as an automaton, from the [rules](super::rules).
//!
//! A state is a set of signed formulas: what the rest of the word must satisfy. An edge out of it takes one
//! alternative for each of them, and one for each formula that these ask of the present position, and so on; what
//! remains is a condition on the letter, a set of signed formulas for the next position (the target) and the formulas
//! that were put off. There is one acceptance set for each formula that can be put off; an edge belongs to it unless it
//! puts the formula off (Couvreur, *On-the-fly verification of linear temporal logic*, FM 1999). Only sets that can be
//! reached are built.
//!
//! Why every word that satisfies the formula is accepted: let all formulas of a set be true of the rest of the word.
//! For each take an alternative that is true, and one that puts nothing off where there is such a one. The target's
//! formulas are then true of what follows, so this goes on for ever; and a formula that is put off at a position is in
//! the next set, and true, so its definition gives a later position where it need not be put off.
//!
//! Two edges are joined if they differ in the letters only. An edge is left out if another one from the same set reads
//! at least its letters, asks nothing of the next position and puts nothing off that it does not: in the argument above
//! the other one can always be taken instead.

use automata::buchi::{Automaton, Guard, Marks, StateId};
use automata::ltl::Formulas;
use foundation::collections::HashMap;
use foundation::{Budget, Id};

use super::Doubt;
use super::rules::{Alternative, Signed, TableauRule, rule};

/// The most sets of formulas, and the most edges.
const MOST_STATES: usize = 1 << 14;
const MOST_EDGES: usize = 1 << 17;

/// How many choices may be compared in all.
const MOST_WORK: usize = 1 << 22;

/// An automaton that accepts the words of which the signed formula is true.
pub fn tableau(formulas: &Formulas, root: Signed, budget: &Budget) -> Result<Automaton<Guard>, Doubt> {
    let closure = Closure::of(formulas, root)?;
    let mut effort = RemainingEffort { left: MOST_WORK, budget };
    let expansions = closure.expansions(&mut effort)?;
    let mut automaton = Automaton::new(closure.eventualities);
    let mut numbers: HashMap<Vec<u32>, StateId> = HashMap::default();
    let mut sets: Vec<Vec<u32>> = Vec::new();
    let mut visit = |set: Vec<u32>, automaton: &mut Automaton<Guard>, sets: &mut Vec<Vec<u32>>| {
        *numbers.entry(set).or_insert_with_key(|set| {
            sets.push(set.clone());
            automaton.add_state()
        })
    };
    let initial = visit(vec![closure.number(root)], &mut automaton, &mut sets);
    automaton.add_initial(initial);
    let (mut next, mut edges) = (0, 0);
    while next < sets.len() {
        let mut choices = vec![Choice::nothing()];
        for &element in &sets[next] {
            choices = both(&choices, &expansions[element as usize], &mut effort)?;
        }
        edges += choices.len();
        for choice in choices {
            let to = visit(choice.next, &mut automaton, &mut sets);
            let marks = automaton.all_marks().minus(choice.put_off);
            automaton.add_edge(StateId::from_index(next), choice.letters, to, marks);
        }
        next += 1;
        if sets.len() > MOST_STATES || edges > MOST_EDGES {
            return Err(Doubt::TooLarge);
        }
    }
    Ok(automaton)
}

/// The signed formulas that the rules lead to, by number, with their rules. What a rule asks of the present position
/// has a smaller number.
struct Closure {
    elements: Vec<(Signed, TableauRule)>,
    numbers: HashMap<Signed, u32>,
    /// The acceptance set of each formula that can be put off.
    acceptance_set: HashMap<Signed, u32>,
    eventualities: u32,
}

impl Closure {
    fn of(formulas: &Formulas, root: Signed) -> Result<Closure, Doubt> {
        let mut rules: HashMap<Signed, TableauRule> = HashMap::default();
        let mut open = vec![root];
        while let Some(signed) = open.pop() {
            if rules.contains_key(&signed) {
                continue;
            }
            let rule = rule(formulas, signed);
            if let TableauRule::OneOf(alternatives) = &rule {
                open.extend(
                    alternatives.iter().flat_map(|alternative| alternative.now.iter().chain(&alternative.next)),
                );
            }
            rules.insert(signed, rule);
        }
        // Operands have smaller ids than the formulas that they are operands of.
        let mut elements = Vec::from_iter(rules);
        elements.sort_unstable_by_key(|&(signed, _)| signed);
        let numbers = elements.iter().enumerate().map(|(number, &(signed, _))| (signed, number as u32)).collect();
        let can_be_put_off =
            |rule: &TableauRule| matches!(rule, TableauRule::OneOf(all) if all.iter().any(|one| one.puts_off));
        let acceptance_set: HashMap<Signed, u32> = { elements.iter().filter(|(_, rule)| can_be_put_off(rule)) }
            .enumerate()
            .map(|(set, &(signed, _))| (signed, set as u32))
            .collect();
        let eventualities = acceptance_set.len() as u32;
        if eventualities > Marks::MOST {
            return Err(Doubt::TooLarge);
        }
        Ok(Closure { elements, numbers, acceptance_set, eventualities })
    }

    fn number(&self, signed: Signed) -> u32 {
        self.numbers[&signed]
    }

    /// The choices for every signed formula.
    fn expansions(&self, effort: &mut RemainingEffort) -> Result<Vec<Vec<Choice>>, Doubt> {
        let mut expansions: Vec<Vec<Choice>> = Vec::with_capacity(self.elements.len());
        for (signed, rule) in &self.elements {
            let choices = match rule {
                &TableauRule::Literal(atom, value) => {
                    vec![Choice { letters: Guard::literal(atom, value), ..Choice::nothing() }]
                }
                TableauRule::OneOf(alternatives) => {
                    let mut choices = Vec::new();
                    for alternative in alternatives {
                        let mut found = vec![self.asked_later(*signed, alternative)];
                        for &operand in &alternative.now {
                            found = both(&found, &expansions[self.number(operand) as usize], effort)?;
                        }
                        for choice in found {
                            add(&mut choices, choice, effort)?;
                        }
                    }
                    choices
                }
            };
            expansions.push(choices);
        }
        Ok(expansions)
    }

    /// What an alternative asks of the next position, and puts off.
    fn asked_later(&self, signed: Signed, alternative: &Alternative) -> Choice {
        let put_off = if alternative.puts_off { Marks::one(self.acceptance_set[&signed]) } else { Marks::NONE };
        let next = alternative.next.iter().map(|&next| self.number(next)).collect();
        Choice { next, put_off, ..Choice::nothing() }
    }
}

/// One way to satisfy formulas at a position.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Choice {
    /// The letters that allow it.
    letters: Guard,
    /// What is asked of the next position, in ascending order.
    next: Vec<u32>,
    /// The acceptance sets of the formulas that are put off.
    put_off: Marks,
}

impl Choice {
    /// Asks nothing.
    fn nothing() -> Choice {
        Choice { letters: Guard::constant(true), next: Vec::new(), put_off: Marks::NONE }
    }

    fn and(&self, other: &Choice) -> Option<Choice> {
        let letters = self.letters.and(&other.letters);
        if letters.is_false() {
            return None;
        }
        let mut next = [&self.next[..], &other.next[..]].concat();
        next.sort_unstable();
        next.dedup();
        Some(Choice { letters, next, put_off: self.put_off.union(other.put_off) })
    }

    /// Whether this one can be taken wherever the other can, and asks and puts off no more.
    fn asks_no_more_than(&self, other: &Choice) -> bool {
        self.put_off.is_subset(other.put_off)
            && self.next.len() <= other.next.len()
            && self.next.iter().all(|element| other.next.binary_search(element).is_ok())
            && other.letters.implies(&self.letters)
    }
}

/// Adds a choice to alternatives.
fn add(choices: &mut Vec<Choice>, mut new: Choice, effort: &mut RemainingEffort) -> Result<(), Doubt> {
    effort.spend(1 + choices.len())?;
    if let Some(same) = choices.iter().position(|known| known.next == new.next && known.put_off == new.put_off) {
        let known = choices.swap_remove(same);
        new.letters = new.letters.or(&known.letters);
    }
    if !choices.iter().any(|known| known.asks_no_more_than(&new)) {
        choices.retain(|known| !new.asks_no_more_than(known));
        choices.push(new);
    }
    Ok(())
}

/// One choice from each side, in every way.
fn both(left: &[Choice], right: &[Choice], effort: &mut RemainingEffort) -> Result<Vec<Choice>, Doubt> {
    let mut choices = Vec::new();
    for one in left {
        for other in right {
            effort.spend(1)?;
            if let Some(choice) = one.and(other) {
                add(&mut choices, choice, effort)?;
            }
        }
    }
    Ok(choices)
}

/// What may still be spent.
struct RemainingEffort<'b> {
    left: usize,
    budget: &'b Budget,
}

impl RemainingEffort<'_> {
    fn spend(&mut self, amount: usize) -> Result<(), Doubt> {
        self.budget.check()?;
        self.left = self.left.checked_sub(amount).ok_or(Doubt::TooLarge)?;
        Ok(())
    }
}
