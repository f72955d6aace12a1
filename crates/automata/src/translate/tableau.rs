//! The construction of a transition-based generalised Büchi automaton from a formula in negation normal form.
//!
//! This is Couvreur's tableau (*On-the-fly verification of linear temporal logic*, FM 1999). A state is a set of
//! formulas that the rest of the word must satisfy. A formula is expanded into *choices*: what must hold from the
//! next position on, and which eventualities are put off, each with the guard under which the choice is open.
//!
//! ```text
//! f U g  =  g or (f and next (f U g), promising g)          f R g  =  g and (f or next (f R g))
//! f M g  =  g and (f or next (f M g), promising f)          f W g  =  g or (f and next (f W g))
//! ```
//!
//! There is one acceptance set for each promised formula, and an edge is in it if it does not make that promise. All
//! eventualities of one formula share their promise: where the formula holds, all of them can be met at once.
//!
//! `G g`, `f R g` and `f M g` ask for `g` again as long as they are put off, so an obligation `g` that is put off
//! beside them, and came from them, is not repeated. While `f M g` is put off, `g` need not be promised either: the
//! promise of `f M g` forbids that this goes on for ever, and once it is met, `g` stands on its own.
//!
//! Choices are kept as a map from (next, promises) to guards in which no letter is left to a choice that asks for more
//! than another one does. This is a canonical form: two states are one if their expansions are equal. It also
//! makes edges as deterministic as the formula allows without asking for more states.

use std::collections::BTreeMap;

use foundation::collections::HashMap;
use foundation::{Budget, Id};

use super::Failure;
use crate::buchi::{Automaton, Guard, Marks, StateId};
use crate::ltl::{Binary, Formula, Formulas, Node, Unary};

/// The most nodes that a guard may have while it is put together.
const MOST_GUARD_NODES: usize = 1 << 12;

/// The automaton of a formula in negation normal form: it accepts the words that satisfy the formula.
pub fn tableau(formulas: &Formulas, formula: Formula, budget: &Budget) -> Result<Automaton<Guard>, Failure> {
    tableau_within(formulas, formula, usize::MAX, budget)
}

/// The same, given up as too large if it has more than so many states.
pub(super) fn tableau_within(
    formulas: &Formulas,
    formula: Formula,
    most_states: usize,
    budget: &Budget,
) -> Result<Automaton<Guard>, Failure> {
    let closure = Closure::of(formulas, formula, budget)?;
    let mut states =
        TableauStates { closure: &closure, ids: HashMap::default(), sets: HashMap::default(), expansions: Vec::new() };
    let mut initial = Vec::new();
    closure.add_obligation(formula, &mut initial);
    states.visit(initial, budget)?;
    let mut next = 0;
    let mut edges: Vec<(StateId, Guard, StateId, Marks)> = Vec::new();
    while next < states.expansions.len() {
        budget.check()?;
        if states.expansions.len() > most_states {
            return Err(Failure::TooLarge);
        }
        for (choice, guard) in states.expansions[next].clone() {
            let to = states.visit(choice.next, budget)?;
            edges.push((StateId::from_index(next), guard, to, choice.put_off));
        }
        next += 1;
    }
    let mut automaton = Automaton::new(closure.promises.len() as u32);
    for _ in 0..states.expansions.len() {
        automaton.add_state();
    }
    automaton.add_initial(StateId::from_index(0));
    for (from, guard, to, promises) in edges {
        automaton.add_edge(from, guard, to, automaton.all_marks().minus(promises));
    }
    Ok(automaton)
}

/// Formulas in ascending order.
type Set = Vec<Formula>;

/// One way to satisfy a formula at one position. What is put off is told by formulas as long as it matters which
/// formula it is, and by the numbers of promises in the end.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Default)]
struct Choice<P> {
    /// What must hold from the next position on.
    next: Set,
    /// The eventualities that are put off.
    put_off: P,
}

/// A set of eventualities that are put off: as formulas while it matters which, later as marks.
trait PutOff: Clone + Ord {
    fn is_subset(&self, other: &Self) -> bool;
}

impl PutOff for Set {
    fn is_subset(&self, other: &Self) -> bool {
        self.len() <= other.len() && self.iter().all(|formula| other.binary_search(formula).is_ok())
    }
}

impl PutOff for Marks {
    fn is_subset(&self, other: &Self) -> bool {
        Marks::is_subset(*self, *other)
    }
}

impl<P: PutOff> Choice<P> {
    fn asks_no_more_than(&self, other: &Self) -> bool {
        self.put_off.is_subset(&other.put_off) && self.next.is_subset(&other.next)
    }
}

fn union(left: &Set, right: &Set) -> Set {
    let mut all = [&left[..], right].concat();
    all.sort_unstable();
    all.dedup();
    all
}

/// The choices for a formula or a set of formulas, in ascending order. No guard is false.
type Expansion<P> = Vec<(Choice<P>, Guard)>;

/// Choices being gathered; guards of equal choices are joined.
struct Gathered<P>(BTreeMap<Choice<P>, Guard>);

impl<P: PutOff> Gathered<P> {
    fn new() -> Self {
        Self(BTreeMap::new())
    }

    fn add(&mut self, choice: Choice<P>, guard: Guard) -> Result<(), Failure> {
        if guard.is_false() {
            return Ok(());
        }
        if guard.size() > MOST_GUARD_NODES {
            return Err(Failure::TooLarge);
        }
        let known = self.0.entry(choice).or_insert_with(|| Guard::constant(false));
        *known = known.or(&guard);
        Ok(())
    }

    /// Takes away from every choice the letters for which another one asks for less.
    fn finish(self, budget: &Budget) -> Result<Expansion<P>, Failure> {
        let choices = Vec::from_iter(self.0);
        let mut finished = Expansion::new();
        for (choice, guard) in &choices {
            budget.check()?;
            let mut left = guard.clone();
            for (other, taken) in &choices {
                if other != choice && other.asks_no_more_than(choice) {
                    left = left.and_not(taken);
                }
            }
            if left.size() > MOST_GUARD_NODES {
                return Err(Failure::TooLarge);
            }
            if !left.is_false() {
                finished.push((choice.clone(), left));
            }
        }
        Ok(finished)
    }
}

fn either(left: &Expansion<Set>, right: &Expansion<Set>, budget: &Budget) -> Result<Expansion<Set>, Failure> {
    let mut gathered = Gathered::new();
    for (choice, guard) in left.iter().chain(right) {
        gathered.add(choice.clone(), guard.clone())?;
    }
    gathered.finish(budget)
}

fn both(left: &Expansion<Set>, right: &Expansion<Set>, budget: &Budget) -> Result<Expansion<Set>, Failure> {
    let mut gathered = Gathered::new();
    for (one, one_guard) in left {
        budget.check()?;
        for (other, other_guard) in right {
            let guard = one_guard.and(other_guard);
            if !guard.is_false() {
                let choice =
                    Choice { next: union(&one.next, &other.next), put_off: union(&one.put_off, &other.put_off) };
                gathered.add(choice, guard)?;
            }
        }
    }
    gathered.finish(budget)
}

/// The subformulas of a formula with their expansions.
struct Closure<'a> {
    formulas: &'a Formulas,
    expansions: HashMap<Formula, Expansion<Set>>,
    /// The formulas that are promised, by the number of their acceptance set.
    promises: Vec<Formula>,
    /// What each eventuality promises.
    promise_of: HashMap<Formula, Marks>,
}

impl<'a> Closure<'a> {
    fn of(formulas: &'a Formulas, formula: Formula, budget: &Budget) -> Result<Closure<'a>, Failure> {
        let mut closure =
            Closure { formulas, expansions: HashMap::default(), promises: Vec::new(), promise_of: HashMap::default() };
        for subformula in formulas.subformulas(formula) {
            budget.check()?;
            let expansion = closure.expand(subformula, budget)?;
            closure.expansions.insert(subformula, expansion);
        }
        Ok(closure)
    }

    fn promise(&mut self, promised: Formula) -> Result<Marks, Failure> {
        let number = match self.promises.iter().position(|&known| known == promised) {
            Some(number) => number,
            None => {
                self.promises.push(promised);
                self.promises.len() - 1
            }
        };
        if number as u32 >= Marks::MOST {
            return Err(Failure::TooManyEventualities);
        }
        Ok(Marks::one(number as u32))
    }

    fn expand(&mut self, formula: Formula, budget: &Budget) -> Result<Expansion<Set>, Failure> {
        let always = || Guard::constant(true);
        let now = |guard: Guard| vec![(Choice { next: Set::new(), put_off: Set::new() }, guard)];
        let node = self.formulas.node(formula);
        let mut put_off = Set::new();
        if let Node::Unary(Unary::Finally, promised)
        | Node::Binary(Binary::Until, _, promised)
        | Node::Binary(Binary::StrongRelease, promised, _) = node
        {
            let promise = self.promise(promised)?;
            self.promise_of.insert(formula, promise);
            put_off.push(formula);
        }
        let of = |operand: Formula| &self.expansions[&operand];
        let later = vec![(Choice { next: vec![formula], put_off }, always())];
        Ok(match node {
            Node::True => now(always()),
            Node::False => Expansion::new(),
            Node::Atom(atom) => now(Guard::atom(atom)),
            Node::Unary(Unary::Not, operand) => match self.formulas.node(operand) {
                Node::Atom(atom) => now(Guard::literal(atom, false)),
                _ => unreachable!("the formula is in negation normal form"),
            },
            Node::Unary(Unary::Next, operand) => match self.formulas.node(operand) {
                Node::False => Expansion::new(),
                _ => {
                    let mut next = Set::new();
                    self.add_obligation(operand, &mut next);
                    vec![(Choice { next, put_off: Set::new() }, always())]
                }
            },
            Node::Unary(Unary::Finally, operand) => either(of(operand), &later, budget)?,
            Node::Unary(Unary::Globally, operand) => both(&self.repeated(operand, true, budget)?, &later, budget)?,
            Node::Binary(operator, left, right) => {
                let (f, g) = (of(left), of(right));
                match operator {
                    Binary::And => both(f, g, budget)?,
                    Binary::Or => either(f, g, budget)?,
                    Binary::Until | Binary::WeakUntil => either(g, &both(f, &later, budget)?, budget)?,
                    Binary::Release | Binary::StrongRelease => {
                        let is_promised = operator == Binary::Release;
                        let put_off = both(&self.repeated(right, is_promised, budget)?, &later, budget)?;
                        either(&both(f, g, budget)?, &put_off, budget)?
                    }
                    Binary::Implies | Binary::Iff | Binary::Xor => {
                        unreachable!("the formula is in negation normal form")
                    }
                }
            }
        })
    }

    /// The choices for an operand that will be asked for again: it need not be repeated, nor even promised unless
    /// nothing else promises that the asking ends.
    fn repeated(&self, operand: Formula, is_promised: bool, budget: &Budget) -> Result<Expansion<Set>, Failure> {
        let mut again = Set::new();
        self.add_obligation(operand, &mut again);
        if !is_promised {
            // Other obligations are left alone, as automata tend to be larger with the difference than without.
            again.retain(|&formula| matches!(self.formulas.node(formula), Node::Binary(Binary::StrongRelease, ..)));
        }
        let is_other = |formula: &Formula| again.binary_search(formula).is_err();
        let mut gathered = Gathered::new();
        for (Choice { next, put_off }, guard) in &self.expansions[&operand] {
            let next = next.iter().copied().filter(is_other).collect();
            let put_off = put_off.iter().copied().filter(|formula| is_promised || is_other(formula)).collect();
            gathered.add(Choice { next, put_off }, guard.clone())?;
        }
        gathered.finish(budget)
    }

    /// Adds the conjuncts of a formula to a set.
    fn add_obligation(&self, formula: Formula, set: &mut Set) {
        let mut open = vec![formula];
        while let Some(next) = open.pop() {
            match self.formulas.node(next) {
                Node::True => {}
                Node::Binary(Binary::And, left, right) => open.extend([left, right]),
                _ => set.push(next),
            }
        }
        set.sort_unstable();
        set.dedup();
    }

    /// The choices for all formulas of a set at once.
    fn expand_set(&self, set: &Set, budget: &Budget) -> Result<Expansion<Marks>, Failure> {
        let mut expansion = vec![(Choice { next: Set::new(), put_off: Set::new() }, Guard::constant(true))];
        for (position, formula) in set.iter().enumerate() {
            let one = &self.expansions[formula];
            expansion = if position == 0 { one.clone() } else { both(&expansion, one, budget)? };
        }
        let mut gathered = Gathered::new();
        for (choice, guard) in expansion {
            let promises = choice.put_off.iter().map(|formula| self.promise_of[formula]);
            let put_off = promises.fold(Marks::NONE, Marks::union);
            gathered.add(Choice { next: self.without_repeated(choice.next), put_off }, guard)?;
        }
        gathered.finish(budget)
    }

    /// Leaves out a formula `g` beside `G g` or `f R g`, which ask for it again, and with its promises. (`f M g` does
    /// not promise it again; and what is implied in other ways must stay, too: it would no longer be seen that it is
    /// put off for ever.)
    fn without_repeated(&self, set: Set) -> Set {
        let mut repeated = Set::new();
        for &formula in &set {
            if let Node::Unary(Unary::Globally, operand) | Node::Binary(Binary::Release, _, operand) =
                self.formulas.node(formula)
            {
                self.add_obligation(operand, &mut repeated);
            }
        }
        set.into_iter().filter(|formula| repeated.binary_search(formula).is_err()).collect()
    }
}

/// The states found so far.
struct TableauStates<'a> {
    closure: &'a Closure<'a>,
    ids: HashMap<Expansion<Marks>, StateId>,
    sets: HashMap<Set, StateId>,
    expansions: Vec<Expansion<Marks>>,
}

impl TableauStates<'_> {
    fn visit(&mut self, set: Set, budget: &Budget) -> Result<StateId, Failure> {
        if let Some(&known) = self.sets.get(&set) {
            return Ok(known);
        }
        let expansion = self.closure.expand_set(&set, budget)?;
        let state = *self.ids.entry(expansion).or_insert_with_key(|expansion| {
            self.expansions.push(expansion.clone());
            StateId::from_index(self.expansions.len() - 1)
        });
        self.sets.insert(set, state);
        Ok(state)
    }
}
