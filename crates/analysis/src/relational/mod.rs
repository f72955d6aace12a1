//! Invariants of transition systems in logic: which linear constraints hold at each node, whatever happens.
//!
//! Abstract interpretation (Cousot and Cousot, POPL 1977) with the crate's one [fixpoint engine](crate::fixpoint), over a
//! product of domains: [intervals], [congruences], and [octagons] in [packs]. Guards are trees of linear constraints,
//! updates linear forms ([rules]); what is not linear is bounded by what it is made of, and forgotten otherwise
//! ([interpretation]). Everything only ever says less than it could: the result is sound whatever is left out.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`domain`] | what a domain is; the product of two |
//! | [`form`] | linear forms and constraints over numbered variables |
//! | [`thresholds`] | where widening stops |
//! | [`output`] | from what domains know to terms |
//!
//! Design and an example by hand: `docs/design/analysis.md`. Nothing here knows solvers, or where transitions come from.

pub mod congruences;
pub mod domain;
pub mod form;
pub mod interpretation;
pub mod intervals;
pub mod octagons;
pub mod output;
pub mod packs;
pub mod rules;
pub mod thresholds;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use foundation::{Budget, Exhausted, Id, define_id};
use logic::{Sort, Symbol, Term, Terms};

use self::congruences::Congruences;
pub use self::domain::{ReducedProduct, Valuations};
use self::interpretation::Interpretation;
use self::intervals::Intervals;
use self::octagons::Octagons;
use self::output::Output;
use self::packs::{Links, Packs};
use self::rules::{DefinedValue, TransitionRule};
use self::thresholds::Thresholds;
use crate::fixpoint::{self, Direction, Solution};
use crate::flow::{Flow, Graph};
use crate::numbers::Interval;

/// At a loop head facts are joined so often before they are widened.
const ROUNDS_OF_JOINING: u32 = 3;

/// Afterwards so often up to thresholds, before bounds are given up.
const ROUNDS_OF_THRESHOLDS: u32 = 6;

/// How often facts are made more precise at the end.
const DESCENTS: usize = 2;

/// A guarded simultaneous assignment: `guard(x, inputs)` holds before, and `x' = updates(x, inputs)` afterwards.
#[derive(Clone, Copy, Debug)]
pub struct Transition<'a> {
    /// The node where it begins.
    pub from: usize,
    /// The node where it ends.
    pub to: usize,
    /// What holds before, over variables and inputs.
    pub guard: Term,
    /// The new values, over variables and inputs. Variables that are not mentioned stay as they are.
    pub updates: &'a BTreeMap<Symbol, Term>,
    /// Symbols that have any value that the guard allows.
    pub inputs: &'a BTreeSet<Symbol>,
}

/// What holds at each node whenever it is reached from the initial nodes, where anything may hold: a conjunction of
/// constraints over the program's variables, or none if the node is not reached at all.
pub fn invariants(
    terms: &Terms,
    nodes: usize,
    initial: &[usize],
    transitions: &[Transition],
    budget: &Budget,
) -> Result<Vec<Option<Term>>, Exhausted> {
    let system = System::new(terms, nodes, initial, transitions, budget)?;
    let roots: Vec<Node> = initial.iter().map(|node| Node::from_index(*node)).collect();
    let flow = Flow::of(&system, roots);
    let mut solution = Solution::within(&system, &flow, &system, budget)?;
    for _ in 0..DESCENTS {
        // Facts are sound without it: a budget that ends here takes nothing away.
        if solution.descend_within(&system, &flow, &system, budget).is_err() {
            break;
        }
    }
    let symbols: Vec<Symbol> = system.variables.keys().copied().collect();
    let describe = |node| solution.at(Node::from_index(node)).and_then(|fact| describe(terms, &symbols, fact));
    Ok((0..nodes).map(describe).collect())
}

/// What is known at a node. Octagons come first: what they say of equal variables spares others the repetition.
type Fact = ReducedProduct<Octagons, ReducedProduct<Intervals, Congruences>>;

/// The constraints of a fact; none if it describes nothing.
fn describe(terms: &Terms, symbols: &[Symbol], fact: &Fact) -> Option<Term> {
    let mut fact = fact.clone();
    fact.settle();
    let mut ranges = Vec::new();
    // The second time, all domains have heard what all others know.
    for _ in 0..2 {
        ranges.clear();
        for variable in 0..symbols.len() {
            let range = fact.within(variable, Interval::ALL)?;
            fact.restrict(variable, range);
            ranges.push(range);
        }
    }
    if fact.is_bottom() {
        return None;
    }
    let mut output = Output::new(terms, symbols, &ranges);
    fact.constraints(&mut output);
    Some(output.conjunction())
}

define_id! {
    /// A node of a transition system.
    Node
}

/// A transition system, ready to be interpreted.
struct System {
    variables: BTreeMap<Symbol, usize>,
    /// All values of each variable.
    ranges: Vec<Interval>,
    packs: Rc<Packs>,
    thresholds: Thresholds,
    is_initial: Vec<bool>,
    rules: Vec<TransitionRule>,
    ends: Vec<(Node, Node)>,
    /// The transitions that lead away from each node.
    out: Vec<Vec<usize>>,
}

impl System {
    fn new(
        terms: &Terms,
        nodes: usize,
        initial: &[usize],
        transitions: &[Transition],
        budget: &Budget,
    ) -> Result<Self, Exhausted> {
        let variables = rules::variables_of(terms, transitions);
        let range = |symbol: &Symbol| rules::range_of(&terms.sort_of_symbol(*symbol)).expect("others are left out");
        let ranges: Vec<Interval> = variables.keys().map(range).collect();
        let is_number: Vec<bool> = variables.keys().map(|symbol| terms.sort_of_symbol(*symbol) == Sort::Int).collect();
        let mut is_initial = vec![false; nodes];
        for node in initial {
            is_initial[*node] = true;
        }
        let (mut rules, mut ends, mut out) = (Vec::new(), Vec::new(), vec![Vec::new(); nodes]);
        for (at, transition) in transitions.iter().enumerate() {
            budget.check()?;
            rules.push(TransitionRule::new(terms, &variables, transition));
            ends.push((Node::from_index(transition.from), Node::from_index(transition.to)));
            out[transition.from].push(at);
        }
        let packs = Rc::new(Packs::new(variables.len(), &links(&rules, &is_number)));
        let forms = rules.iter().flat_map(TransitionRule::forms);
        let thresholds = Thresholds::around(forms.map(|(_, form)| match form.terms() {
            [(factor, _)] => form.constant() / factor,
            _ => form.constant(),
        }));
        Ok(Self { variables, ranges, packs, thresholds, is_initial, rules, ends, out })
    }
}

/// Which variables have to do with each other: those in one constraint or assignment, above all; those that meet the same
/// input; those that one transition assigns or reads; and those that are counted up or down anywhere.
fn links(rules: &[TransitionRule], is_number: &[bool]) -> Links {
    let mut links = Links::default();
    let mut counters = BTreeSet::new();
    for rule in rules {
        let mut by_own: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        let mut all = BTreeSet::new();
        for (target, form) in rule.forms() {
            let mut inside: BTreeSet<usize> = target.into_iter().collect();
            let mut open: Vec<usize> = form.variables().collect();
            while let Some(variable) = open.pop() {
                if let Some(own) = variable.checked_sub(is_number.len()) {
                    match &rule.own[own] {
                        DefinedValue::Within(_) => {
                            by_own.entry(own).or_default().extend(target);
                            by_own.entry(own).or_default().extend(form.variables().filter(|at| *at < is_number.len()));
                        }
                        DefinedValue::Remainder(of, _) | DefinedValue::Quotient(of, _) => open.extend(of.variables()),
                        DefinedValue::Product(..) | DefinedValue::Either(..) => {}
                    }
                } else {
                    inside.insert(variable);
                }
            }
            if let Some(target) = target
                && form.variables().eq([target])
            {
                counters.insert(target);
            }
            all.extend(&inside);
            links.add(&numbers(&inside, is_number), 16);
        }
        for together in by_own.values() {
            links.add(&numbers(together, is_number), 4);
        }
        links.add(&numbers(&all, is_number), 2);
    }
    links.add(&numbers(&counters, is_number), 1);
    links
}

fn numbers(variables: &BTreeSet<usize>, is_number: &[bool]) -> Vec<usize> {
    variables.iter().copied().filter(|variable| is_number[*variable]).collect()
}

impl Graph for System {
    type Node = Node;
    type Edge = usize;

    fn node_count(&self) -> usize {
        self.out.len()
    }

    fn out(&self, node: Node) -> &[usize] {
        &self.out[node.index()]
    }

    fn source(&self, edge: usize) -> Node {
        self.ends[edge].0
    }

    fn target(&self, edge: usize) -> Node {
        self.ends[edge].1
    }
}

impl fixpoint::Domain<System> for System {
    type Fact = Fact;

    const DIRECTION: Direction = Direction::Forward;

    fn boundary(&self, node: Node) -> Option<Fact> {
        let anything = || {
            let numbers = ReducedProduct(Intervals::new(self.ranges.clone()), Congruences::new(self.ranges.len()));
            ReducedProduct(Octagons::new(&self.packs), numbers)
        };
        self.is_initial[node.index()].then(anything)
    }

    fn transfer(&self, edge: usize, fact: &Fact) -> Option<Fact> {
        if fact.is_bottom() {
            return None;
        }
        Interpretation { rule: &self.rules[edge], ranges: &self.ranges }.after(fact)
    }

    fn join(&self, into: &mut Fact, other: &Fact) -> bool {
        into.join(other)
    }

    fn widen(&self, rounds: u32, into: &mut Fact, other: &Fact) -> bool {
        if rounds < ROUNDS_OF_JOINING {
            into.join(other)
        } else if rounds < ROUNDS_OF_JOINING + ROUNDS_OF_THRESHOLDS {
            into.widen(other, &self.thresholds)
        } else {
            into.widen(other, &Thresholds::none())
        }
    }

    fn meet(&self, into: &mut Fact, other: &Fact) {
        into.meet(other);
    }
}
