//! Obligations and the tableau over them, for [`prefix`](super::prefix).
//!
//! A formula in negation normal form is expanded into *choices*: what must hold at this position (literals), what
//! must hold from the next one on (a set of obligations), and which eventualities the choice puts off (promises):
//!
//! ```text
//! a U b  =  b or (a and next (a U b), promising b)        a R b  =  b and (a or next (a R b))
//! ```
//!
//! A set of obligations is satisfiable if the graph whose nodes are such sets, and whose edges are the choices, has a
//! reachable cycle on which no promise is put off for ever (Couvreur, *On-the-fly verification of linear temporal
//! logic*, FM 1999; there as an automaton). This is a reference: no optimisation beyond dropping a choice
//! that asks for more than another one does.

use super::atom::AtomId;
use super::formula::{Binary, Formula, Formulas, Node, Unary};
use super::word::Letter;
use foundation::collections::HashMap;

/// A computation was larger than it may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct LimitReached;

/// How many comparisons of choices a computation may still make.
#[derive(Clone, Debug)]
pub(super) struct Work {
    left: u64,
}

impl Work {
    pub(super) fn new(limit: u64) -> Self {
        Self { left: limit }
    }

    fn spend(&mut self, amount: usize) -> Result<(), LimitReached> {
        self.left = self.left.checked_sub(amount as u64).ok_or(LimitReached)?;
        Ok(())
    }
}

/// A set of small numbers in ascending order.
pub(super) type Set = Vec<u32>;

fn union(left: &[u32], right: &[u32]) -> Set {
    let mut all = [left, right].concat();
    all.sort_unstable();
    all.dedup();
    all
}

fn is_subset(part: &[u32], whole: &[u32]) -> bool {
    part.len() <= whole.len() && part.iter().all(|element| whole.binary_search(element).is_ok())
}

/// One way to meet an obligation at one position.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Choice {
    /// Literals that must hold here, by their number in the closure.
    literals: Set,
    /// What must hold from the next position on.
    pub(super) next: Set,
    /// Eventualities that are put off.
    promises: Set,
}

impl Choice {
    /// Both at once, or nothing if they contradict each other.
    fn and(&self, other: &Choice) -> Option<Choice> {
        let literals = union(&self.literals, &other.literals);
        // The two literals of an atom have neighbouring numbers, the even one first.
        if literals.windows(2).any(|pair| pair[0] % 2 == 0 && pair[0] + 1 == pair[1]) {
            return None;
        }
        Some(Choice {
            literals,
            next: union(&self.next, &other.next),
            promises: union(&self.promises, &other.promises),
        })
    }

    fn asks_no_more_than(&self, other: &Choice) -> bool {
        is_subset(&self.literals, &other.literals)
            && is_subset(&self.next, &other.next)
            && is_subset(&self.promises, &other.promises)
    }
}

/// Alternatives, none of which asks for more than another.
pub(super) type ChoiceSet = Vec<Choice>;

pub(super) fn add(choices: &mut ChoiceSet, new: Choice, work: &mut Work) -> Result<(), LimitReached> {
    work.spend(choices.len() + 1)?;
    if !choices.iter().any(|known| known.asks_no_more_than(&new)) {
        choices.retain(|known| !new.asks_no_more_than(known));
        choices.push(new);
    }
    Ok(())
}

fn either(left: &ChoiceSet, right: &ChoiceSet, work: &mut Work) -> Result<ChoiceSet, LimitReached> {
    let mut choices = ChoiceSet::new();
    for choice in left.iter().chain(right) {
        add(&mut choices, choice.clone(), work)?;
    }
    Ok(choices)
}

fn both(left: &ChoiceSet, right: &ChoiceSet, work: &mut Work) -> Result<ChoiceSet, LimitReached> {
    let mut choices = ChoiceSet::new();
    for one in left {
        for other in right {
            match one.and(other) {
                Some(choice) => add(&mut choices, choice, work)?,
                None => work.spend(1)?,
            }
        }
    }
    Ok(choices)
}

/// A formula in negation normal form; operands are numbers of earlier obligations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Obligation {
    True,
    False,
    Literal { atom: AtomId, positive: bool, number: u32 },
    And(u32, u32),
    Or(u32, u32),
    Next(u32),
    Until(u32, u32),
    Release(u32, u32),
}

/// All obligations that a formula and its negation can lead to.
#[derive(Clone, Debug, Default)]
pub(super) struct Closure {
    obligations: Vec<Obligation>,
    numbers: HashMap<Obligation, u32>,
    /// The obligation of the formula itself.
    pub(super) formula: u32,
    /// The obligation of its negation.
    pub(super) negation: u32,
}

impl Closure {
    pub(super) fn of(formulas: &Formulas, formula: Formula) -> Closure {
        let mut closure = Closure::default();
        // The obligations of each subformula and of its negation.
        let mut both: HashMap<Formula, [u32; 2]> = HashMap::default();
        for subformula in formulas.subformulas(formula) {
            let pair = match formulas.node(subformula) {
                Node::True => [closure.intern(Obligation::True), closure.intern(Obligation::False)],
                Node::False => [closure.intern(Obligation::False), closure.intern(Obligation::True)],
                Node::Atom(atom) => [true, false].map(|positive| {
                    let number = 2 * foundation::Id::index(atom) as u32 + u32::from(!positive);
                    closure.intern(Obligation::Literal { atom, positive, number })
                }),
                Node::Unary(operator, operand) => closure.unary(operator, both[&operand]),
                Node::Binary(operator, left, right) => closure.binary(operator, both[&left], both[&right]),
            };
            both.insert(subformula, pair);
        }
        [closure.formula, closure.negation] = both[&formula];
        closure
    }

    fn intern(&mut self, obligation: Obligation) -> u32 {
        *self.numbers.entry(obligation).or_insert_with(|| {
            self.obligations.push(obligation);
            (self.obligations.len() - 1) as u32
        })
    }

    /// The obligations of `∘ f` and `! ∘ f`, from those of `f` and `! f`.
    fn unary(&mut self, operator: Unary, [f, not_f]: [u32; 2]) -> [u32; 2] {
        match operator {
            Unary::Not => [not_f, f],
            Unary::Next => [f, not_f].map(|operand| self.intern(Obligation::Next(operand))),
            Unary::Finally | Unary::Globally => {
                let (yes, no) = (self.intern(Obligation::True), self.intern(Obligation::False));
                match operator {
                    Unary::Finally => {
                        [self.intern(Obligation::Until(yes, f)), self.intern(Obligation::Release(no, not_f))]
                    }
                    _ => [self.intern(Obligation::Release(no, f)), self.intern(Obligation::Until(yes, not_f))],
                }
            }
        }
    }

    /// The obligations of `f ∘ g` and `! (f ∘ g)`, from those of `f`, `! f`, `g` and `! g`.
    fn binary(&mut self, operator: Binary, [f, not_f]: [u32; 2], [g, not_g]: [u32; 2]) -> [u32; 2] {
        let mut dual =
            |make: fn(u32, u32) -> Obligation, other: fn(u32, u32) -> Obligation, f: [u32; 2], g: [u32; 2]| {
                [self.intern(make(f[0], g[0])), self.intern(other(f[1], g[1]))]
            };
        use Obligation::{And, Or, Release, Until};
        match operator {
            Binary::And => dual(And, Or, [f, not_f], [g, not_g]),
            Binary::Or => dual(Or, And, [f, not_f], [g, not_g]),
            Binary::Implies => dual(Or, And, [not_f, f], [g, not_g]),
            Binary::Until => dual(Until, Release, [f, not_f], [g, not_g]),
            Binary::Release => dual(Release, Until, [f, not_f], [g, not_g]),
            // f W g = g R (f or g), and f M g = g U (f and g).
            Binary::WeakUntil => {
                let either = dual(Or, And, [f, not_f], [g, not_g]);
                dual(Release, Until, [g, not_g], either)
            }
            Binary::StrongRelease => {
                let together = dual(And, Or, [f, not_f], [g, not_g]);
                dual(Until, Release, [g, not_g], together)
            }
            Binary::Iff => {
                let forth = dual(Or, And, [not_f, f], [g, not_g]);
                let back = dual(Or, And, [f, not_f], [not_g, g]);
                dual(And, Or, forth, back)
            }
            Binary::Xor => {
                let [same, different] = self.binary(Binary::Iff, [f, not_f], [g, not_g]);
                [different, same]
            }
        }
    }

    /// Which obligations are met by the word that repeats one letter for ever. There, the next position is like this
    /// one, and both `a U b` and `a R b` are `b`.
    pub(super) fn met_by_repeating(&self, letter: &Letter) -> Vec<bool> {
        let mut met: Vec<bool> = Vec::with_capacity(self.obligations.len());
        for &obligation in &self.obligations {
            let of = |operand: u32| met[operand as usize];
            met.push(match obligation {
                Obligation::True => true,
                Obligation::False => false,
                Obligation::Literal { atom, positive, .. } => letter.contains(atom) == positive,
                Obligation::And(left, right) => of(left) && of(right),
                Obligation::Or(left, right) => of(left) || of(right),
                Obligation::Next(operand) | Obligation::Until(_, operand) | Obligation::Release(_, operand) => {
                    of(operand)
                }
            });
        }
        met
    }

    /// The choices for every obligation, where the letter at this position is given or left open. With a letter,
    /// literals are decided and promises are not kept.
    pub(super) fn expand(&self, letter: Option<&Letter>, work: &mut Work) -> Result<Vec<ChoiceSet>, LimitReached> {
        let mut expansions: Vec<ChoiceSet> = Vec::with_capacity(self.obligations.len());
        for (number, &obligation) in self.obligations.iter().enumerate() {
            work.spend(1)?;
            let of = |operand: u32| &expansions[operand as usize];
            let later = Choice { next: vec![number as u32], ..Choice::default() };
            let choices = match obligation {
                Obligation::True => vec![Choice::default()],
                Obligation::False => vec![],
                Obligation::Literal { atom, positive, number } => match letter {
                    Some(letter) if letter.contains(atom) == positive => vec![Choice::default()],
                    Some(_) => vec![],
                    None => vec![Choice { literals: vec![number], ..Choice::default() }],
                },
                Obligation::And(left, right) => both(of(left), of(right), work)?,
                Obligation::Or(left, right) => either(of(left), of(right), work)?,
                Obligation::Next(operand) => vec![Choice { next: vec![operand], ..Choice::default() }],
                Obligation::Until(left, right) => {
                    let promises = if letter.is_none() { vec![number as u32] } else { vec![] };
                    let put_off = both(of(left), &vec![Choice { promises, ..later }], work)?;
                    either(of(right), &put_off, work)?
                }
                Obligation::Release(left, right) => both(of(right), &either(of(left), &vec![later], work)?, work)?,
            };
            expansions.push(choices);
        }
        Ok(expansions)
    }
}

/// The choices for all obligations of a set at once.
pub(super) fn choices_for(set: &[u32], expansions: &[ChoiceSet], work: &mut Work) -> Result<ChoiceSet, LimitReached> {
    let mut choices = vec![Choice::default()];
    for &obligation in set {
        choices = both(&choices, &expansions[obligation as usize], work)?;
    }
    Ok(choices)
}

/// The most nodes that a tableau may have.
const MOST_NODES: usize = 1 << 16;

/// Whether some word meets all obligations of at least one of the sets.
pub(super) fn is_satisfiable(closure: &Closure, sets: &[Set], work: &mut Work) -> Result<bool, LimitReached> {
    let expansions = closure.expand(None, work)?;
    let mut nodes: HashMap<Set, usize> = HashMap::default();
    let mut order: Vec<Set> = Vec::new();
    let mut visit = |set: &Set, order: &mut Vec<Set>| {
        *nodes.entry(set.clone()).or_insert_with(|| {
            order.push(set.clone());
            order.len() - 1
        })
    };
    for set in sets {
        visit(set, &mut order);
    }
    let mut graph: Vec<Vec<TableauEdge>> = Vec::new();
    while graph.len() < order.len() {
        if order.len() > MOST_NODES {
            return Err(LimitReached);
        }
        let choices = choices_for(&order[graph.len()], &expansions, work)?;
        let edge = |choice: Choice| TableauEdge { target: visit(&choice.next, &mut order), promises: choice.promises };
        graph.push(choices.into_iter().map(edge).collect());
    }
    Ok(has_fair_cycle(&graph))
}

struct TableauEdge {
    target: usize,
    promises: Set,
}

/// Whether some strongly connected component has an edge, and puts off no promise on all of its edges.
fn has_fair_cycle(graph: &[Vec<TableauEdge>]) -> bool {
    let component = components(graph);
    let mut always_promised: HashMap<usize, Set> = HashMap::default();
    for (node, edges) in graph.iter().enumerate() {
        for edge in edges.iter().filter(|edge| component[edge.target] == component[node]) {
            always_promised
                .entry(component[node])
                .and_modify(|promises| promises.retain(|promise| edge.promises.contains(promise)))
                .or_insert_with(|| edge.promises.clone());
        }
    }
    always_promised.values().any(Vec::is_empty)
}

/// The strongly connected component of every node (Tarjan 1972, with a stack of its own instead of recursion).
fn components(graph: &[Vec<TableauEdge>]) -> Vec<usize> {
    const UNSEEN: usize = usize::MAX;
    let mut component = vec![UNSEEN; graph.len()];
    let mut visited = vec![UNSEEN; graph.len()];
    let mut lowest = vec![UNSEEN; graph.len()];
    let mut open: Vec<usize> = Vec::new();
    let (mut clock, mut finished) = (0, 0);
    for root in 0..graph.len() {
        if visited[root] != UNSEEN {
            continue;
        }
        // Nodes on the path from the root, each with the number of its edges already followed.
        let mut path = vec![(root, 0)];
        while let Some((node, followed)) = path.last_mut() {
            let node = *node;
            if *followed == 0 && visited[node] == UNSEEN {
                (visited[node], lowest[node]) = (clock, clock);
                clock += 1;
                open.push(node);
            }
            if let Some(edge) = graph[node].get(*followed) {
                *followed += 1;
                if visited[edge.target] == UNSEEN {
                    path.push((edge.target, 0));
                } else if component[edge.target] == UNSEEN {
                    lowest[node] = lowest[node].min(visited[edge.target]);
                }
                continue;
            }
            path.pop();
            if let Some(&(parent, _)) = path.last() {
                lowest[parent] = lowest[parent].min(lowest[node]);
            }
            if lowest[node] == visited[node] {
                while let Some(member) = open.pop() {
                    component[member] = finished;
                    if member == node {
                        break;
                    }
                }
                finished += 1;
            }
        }
    }
    component
}
