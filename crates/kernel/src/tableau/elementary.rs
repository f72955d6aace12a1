//! A tableau that knows the future: every state says of each temporal formula whether it is true of the rest of the word.
//!
//! This is the construction of elementary sets (Vardi and Wolper, *Reasoning about infinite computations*, 1994; Baier and
//! Katoen, *Principles of Model Checking*, section 5.2), with conditions on letters instead of letters. It is larger than
//! the [tableau of obligations](super::construct), but every word has one run at most, which tells what is to come. So an
//! automaton that must guess can guess right when it [simulates](super::simulation) this one.
//!
//! The *members* of a state are the temporal formulas, the operands of `X`, and the formula itself. For all temporal
//! operators but `X`, `h` is `now or (step and X h)`:
//!
//! | `h` | now | step | solution |
//! | --- | --- | --- | --- |
//! | `F f` | `f` | `true` | least |
//! | `G f` | `false` | `f` | greatest |
//! | `f U g` | `g` | `f` | least |
//! | `f W g` | `g` | `f` | greatest |
//! | `f R g` | `f && g` | `g` | greatest |
//! | `f M g` | `f && g` | `g` | least |
//!
//! Where `step` holds and `now` does not, the value of `h` is the one it has at the next position. A run on which that goes
//! on for ever has the value of the greatest or least solution: `h` has an acceptance set, which holds all edges but those
//! that hand the other value on.

use automata::buchi::{Automaton, Guard, Marks, StateId};
use automata::ltl::{Binary, Formula, Formulas, Node, Unary};
use foundation::collections::HashMap;
use foundation::{Budget, Id};

use super::Doubt;
use super::rules::Signed;

/// The most members of a state, and the most states and edges.
const MOST_MEMBERS: usize = 10;
const MOST_STATES: usize = 1 << MOST_MEMBERS;
const MOST_EDGES: usize = 1 << 15;

/// The values of the members, one bit each.
type MemberValues = u64;

/// An automaton that accepts the words of which the signed formula is true.
pub fn elementary_tableau(formulas: &Formulas, root: Signed, budget: &Budget) -> Result<Automaton<Guard>, Doubt> {
    let elementary = Elementary::of(formulas, root.formula)?;
    let mut automaton = Automaton::new(elementary.acceptance_sets.len() as u32);
    let mut numbers: HashMap<MemberValues, StateId> = HashMap::default();
    let mut states: Vec<MemberValues> = Vec::new();
    let mut visit = |values: MemberValues, automaton: &mut Automaton<Guard>, states: &mut Vec<MemberValues>| {
        *numbers.entry(values).or_insert_with(|| {
            states.push(values);
            automaton.add_state()
        })
    };
    for values in (0..=elementary.all()).filter(|&values| elementary.value(values, root.formula) == root.holds) {
        let state = visit(values, &mut automaton, &mut states);
        automaton.add_initial(state);
    }
    let (mut next, mut edges) = (0, 0);
    while next < states.len() {
        budget.check()?;
        for step in elementary.steps(states[next]) {
            let marks = automaton.all_marks().minus(step.put_off);
            for open in subsets(elementary.all() & !step.fixed) {
                let to = visit(step.values | open, &mut automaton, &mut states);
                automaton.add_edge(StateId::from_index(next), step.letters.clone(), to, marks);
                edges += 1;
                if edges > MOST_EDGES {
                    return Err(Doubt::TooLarge);
                }
            }
        }
        next += 1;
    }
    debug_assert!(states.len() <= MOST_STATES, "there are no more states than values of the members");
    Ok(automaton)
}

/// All subsets of a set of bits.
fn subsets(set: MemberValues) -> impl Iterator<Item = MemberValues> {
    std::iter::successors(Some(set), move |&subset| (subset != 0).then(|| (subset - 1) & set))
}

struct Elementary<'f> {
    formulas: &'f Formulas,
    /// Operands before the formulas that they are operands of.
    subformulas: Vec<Formula>,
    members: Vec<Formula>,
    /// The bit of each member.
    bits: HashMap<Formula, usize>,
    /// The acceptance set of each member that has a law.
    acceptance_sets: HashMap<Formula, u32>,
}

/// What some letters at this position say of the next one.
#[derive(Clone)]
struct NextValues {
    letters: Guard,
    /// The members whose values at the next position are given, and those values.
    fixed: MemberValues,
    values: MemberValues,
    /// The acceptance sets that are not visited.
    put_off: Marks,
}

impl NextValues {
    fn reading(letters: Guard) -> NextValues {
        NextValues { letters, fixed: 0, values: 0, put_off: Marks::NONE }
    }

    fn and(&self, other: &NextValues) -> Option<NextValues> {
        let letters = self.letters.and(&other.letters);
        let contradict = self.fixed & other.fixed & (self.values ^ other.values) != 0;
        (!letters.is_false() && !contradict).then(|| NextValues {
            letters,
            fixed: self.fixed | other.fixed,
            values: self.values | other.values,
            put_off: self.put_off.union(other.put_off),
        })
    }
}

/// A line of the table above.
struct Law {
    now: Guard,
    step: Guard,
    is_least: bool,
}

impl Elementary<'_> {
    fn of(formulas: &Formulas, root: Formula) -> Result<Elementary<'_>, Doubt> {
        let subformulas = formulas.subformulas(root);
        let mut members = vec![root];
        let mut acceptance_sets = HashMap::default();
        for &subformula in &subformulas {
            match formulas.node(subformula) {
                Node::Unary(Unary::Next, operand) => members.extend([subformula, operand]),
                Node::Unary(Unary::Finally | Unary::Globally, _)
                | Node::Binary(Binary::Until | Binary::WeakUntil | Binary::Release | Binary::StrongRelease, ..) => {
                    acceptance_sets.insert(subformula, acceptance_sets.len() as u32);
                    members.push(subformula);
                }
                _ => {}
            }
        }
        members.sort_unstable();
        members.dedup();
        if members.len() > MOST_MEMBERS {
            return Err(Doubt::TooLarge);
        }
        let bits = members.iter().enumerate().map(|(bit, &member)| (member, bit)).collect();
        Ok(Elementary { formulas, subformulas, members, bits, acceptance_sets })
    }

    /// The values where all members are true.
    fn all(&self) -> MemberValues {
        (1 << self.members.len()) - 1
    }

    fn value(&self, values: MemberValues, member: Formula) -> bool {
        values >> self.bits[&member] & 1 == 1
    }

    /// What follows a state: one alternative for each member, in every way that agrees.
    fn steps(&self, values: MemberValues) -> Vec<NextValues> {
        let truth = self.truth(values);
        let mut steps = vec![NextValues::reading(Guard::constant(true))];
        for &member in &self.members {
            let alternatives = self.alternatives(member, self.value(values, member), &truth);
            let with = |step: &NextValues| alternatives.iter().filter_map(|one| step.and(one)).collect::<Vec<_>>();
            steps = steps.iter().flat_map(with).collect();
        }
        steps
    }

    /// The letters for which a member has a value, and what they say of the next position.
    fn alternatives(&self, member: Formula, holds: bool, truth: &HashMap<Formula, Guard>) -> Vec<NextValues> {
        let next = |formula: Formula, letters: Guard, put_off: Marks| {
            let bit = self.bits[&formula];
            NextValues { letters, fixed: 1 << bit, values: MemberValues::from(holds) << bit, put_off }
        };
        if let Node::Unary(Unary::Next, operand) = self.formulas.node(member) {
            return vec![next(operand, Guard::constant(true), Marks::NONE)];
        }
        let Some(Law { now, step, is_least }) = self.law(member, truth) else {
            let condition = &truth[&member];
            return vec![NextValues::reading(if holds { condition.clone() } else { condition.not() })];
        };
        let decided = if holds { now.clone() } else { now.or(&step).not() };
        let put_off = if holds == is_least { Marks::one(self.acceptance_sets[&member]) } else { Marks::NONE };
        vec![NextValues::reading(decided), next(member, step.and_not(&now), put_off)]
    }

    fn law(&self, member: Formula, truth: &HashMap<Formula, Guard>) -> Option<Law> {
        let of = |operand: Formula| truth[&operand].clone();
        let both = |f: Formula, g: Formula| truth[&f].and(&truth[&g]);
        let (now, step, is_least) = match self.formulas.node(member) {
            Node::Unary(Unary::Finally, f) => (of(f), Guard::constant(true), true),
            Node::Unary(Unary::Globally, f) => (Guard::constant(false), of(f), false),
            Node::Binary(Binary::Until, f, g) => (of(g), of(f), true),
            Node::Binary(Binary::WeakUntil, f, g) => (of(g), of(f), false),
            Node::Binary(Binary::Release, f, g) => (both(f, g), of(g), false),
            Node::Binary(Binary::StrongRelease, f, g) => (both(f, g), of(g), true),
            _ => return None,
        };
        Some(Law { now, step, is_least })
    }

    /// The letters for which each subformula is true at this position, given the values of the temporal ones.
    fn truth(&self, values: MemberValues) -> HashMap<Formula, Guard> {
        let mut truth: HashMap<Formula, Guard> = HashMap::default();
        for &subformula in &self.subformulas {
            let of = |operand: Formula| &truth[&operand];
            let differ = |f: Formula, g: Formula| of(f).and_not(of(g)).or(&of(g).and_not(of(f)));
            let letters = match self.formulas.node(subformula) {
                Node::True => Guard::constant(true),
                Node::False => Guard::constant(false),
                Node::Atom(atom) => Guard::atom(atom),
                Node::Unary(Unary::Not, f) => of(f).not(),
                Node::Binary(Binary::And, f, g) => of(f).and(of(g)),
                Node::Binary(Binary::Or, f, g) => of(f).or(of(g)),
                Node::Binary(Binary::Implies, f, g) => of(f).not().or(of(g)),
                Node::Binary(Binary::Xor, f, g) => differ(f, g),
                Node::Binary(Binary::Iff, f, g) => differ(f, g).not(),
                Node::Unary(..) | Node::Binary(..) => Guard::constant(self.value(values, subformula)),
            };
            truth.insert(subformula, letters);
        }
        truth
    }
}
