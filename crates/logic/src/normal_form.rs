//! Conjuncts, disjuncts, negation normal form and disjunctive normal form.

use crate::{Linear, Node, Term, Terms};
use foundation::collections::HashMap;

/// Up to so many cubes, each is compared with every other, and those that say more than another are dropped.
const MOST_COMPARED_CUBES: usize = 256;

impl Terms {
    /// Terms whose conjunction the term is.
    pub fn conjuncts(&self, term: Term) -> Vec<Term> {
        self.members(term, true)
    }

    /// Terms whose disjunction the term is.
    pub fn disjuncts(&self, term: Term) -> Vec<Term> {
        self.members(term, false)
    }

    fn members(&self, term: Term, of_conjunction: bool) -> Vec<Term> {
        let mut members = Vec::new();
        let mut open = vec![term];
        while let Some(term) = open.pop() {
            match self.node(term) {
                Node::Truth(value) if value == of_conjunction => {}
                Node::And(list) if of_conjunction => open.extend(list.iter().rev()),
                Node::Or(list) if !of_conjunction => open.extend(list.iter().rev()),
                Node::Not(inner) => match self.node(inner) {
                    Node::Or(list) if of_conjunction => open.extend(list.iter().rev().map(|term| self.not(*term))),
                    Node::And(list) if !of_conjunction => open.extend(list.iter().rev().map(|term| self.not(*term))),
                    _ => members.push(term),
                },
                _ => members.push(term),
            }
        }
        members
    }

    /// An equivalent disjunction of conjunctions of literals, none of them contradictory in itself at first sight; `None`
    /// where it has more than `limit` cubes on the way. No disjunction is false; one empty cube is true. Literals are
    /// inequalities and equalities of integers without `ite`, and other atoms and their negations; differences of integers
    /// are split into two inequalities.
    pub fn disjunctive_normal_form(&self, term: Term, limit: usize) -> Option<Vec<Vec<Term>>> {
        let mut known = HashMap::default();
        let cubes = self.cubes(term, limit, &mut known)?;
        Some(cubes.into_iter().map(|cube| self.conjuncts(cube)).collect())
    }

    /// Conjunctions of literals whose disjunction a term is. `known` remembers what shared subterms gave.
    fn cubes(&self, term: Term, limit: usize, known: &mut HashMap<Term, Option<Vec<Term>>>) -> Option<Vec<Term>> {
        if let Some(cubes) = known.get(&term) {
            return cubes.clone();
        }
        let cubes = stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.compute_cubes(term, limit, known));
        known.insert(term, cubes.clone());
        cubes
    }

    fn compute_cubes(
        &self,
        term: Term,
        limit: usize,
        known: &mut HashMap<Term, Option<Vec<Term>>>,
    ) -> Option<Vec<Term>> {
        match self.unfold(term) {
            ConnectiveShape::Literal => Some(match self.as_truth(term) {
                Some(false) => Vec::new(),
                _ => vec![term],
            }),
            ConnectiveShape::Or(list) => {
                let mut cubes = Vec::new();
                for member in list {
                    cubes.extend(self.cubes(member, limit, known)?);
                    if cubes.len() > limit {
                        cubes = self.without_repetition(cubes);
                    }
                    if cubes.len() > limit {
                        return None;
                    }
                }
                Some(self.without_repetition(cubes))
            }
            ConnectiveShape::And(list) => {
                let mut factors = Vec::new();
                for member in list {
                    factors.push(self.cubes(member, limit, known)?);
                }
                // Short ones first: contradictions show up before the product has grown.
                factors.sort_by_key(Vec::len);
                let mut product = vec![self.truth(true)];
                for factor in factors {
                    let mut next = Vec::new();
                    for left in &product {
                        for right in &factor {
                            let cube = self.and([*left, *right]);
                            if self.as_truth(cube) != Some(false) {
                                next.push(cube);
                            }
                        }
                        if next.len() > limit {
                            next = self.without_repetition(next);
                            if next.len() > limit {
                                return None;
                            }
                        }
                    }
                    product = self.without_repetition(next);
                }
                Some(product)
            }
        }
    }

    /// How a term is a conjunction or a disjunction, seen through negations, equivalences and branching integers.
    fn unfold(&self, term: Term) -> ConnectiveShape {
        let negated = |list: &[Term]| list.iter().map(|term| self.not(*term)).collect();
        match self.node(term) {
            Node::And(list) => return ConnectiveShape::And(list.to_vec()),
            Node::Or(list) => return ConnectiveShape::Or(list.to_vec()),
            Node::Equal(left, right) if self.is_truth_value(left) => {
                let (neither, both) = (self.and([self.not(left), self.not(right)]), self.and([left, right]));
                return ConnectiveShape::Or(vec![both, neither]);
            }
            Node::Not(inner) => match self.node(inner) {
                Node::And(list) => return ConnectiveShape::Or(negated(&list)),
                Node::Or(list) => return ConnectiveShape::And(negated(&list)),
                Node::Equal(left, right) if self.is_truth_value(left) => {
                    let (one, other) = (self.and([left, self.not(right)]), self.and([self.not(left), right]));
                    return ConnectiveShape::Or(vec![one, other]);
                }
                Node::Zero(linear) if self.branching(term).is_none() => {
                    let above = self.at_most_zero(&Linear::constant_of(1).subtract(&linear));
                    let below = self.at_most_zero(&linear.add(&Linear::constant_of(1)));
                    return ConnectiveShape::Or(vec![below, above]);
                }
                _ => {}
            },
            _ => {}
        }
        let Some(branching) = self.branching(term) else { return ConnectiveShape::Literal };
        let Node::Ite(condition, left, right) = self.node(branching) else { unreachable!("it was found as one") };
        let with = |branch: Term| self.replace(term, &HashMap::from_iter([(branching, branch)]));
        let (then, otherwise) = (with(left), with(right));
        ConnectiveShape::Or(vec![self.and([condition, then]), self.and([self.not(condition), otherwise])])
    }

    /// A branching subterm of an atom, none of whose parts branches.
    fn branching(&self, atom: Term) -> Option<Term> {
        self.subterms(&[atom]).into_iter().find(|part| matches!(self.node(*part), Node::Ite(..)))
    }

    fn is_truth_value(&self, term: Term) -> bool {
        self.sort(term) == crate::Sort::Bool
    }

    /// Drops cubes that are equal to another or have all literals of another and more.
    fn without_repetition(&self, mut cubes: Vec<Term>) -> Vec<Term> {
        cubes.sort_unstable();
        cubes.dedup();
        if cubes.len() > MOST_COMPARED_CUBES {
            return cubes;
        }
        let literals: Vec<Vec<Term>> = cubes.iter().map(|cube| self.sorted_conjuncts(*cube)).collect();
        let is_within = |small: &[Term], large: &[Term]| small.iter().all(|term| large.binary_search(term).is_ok());
        let says_more = |at: usize| {
            let weaker = |other: usize| {
                other != at && literals[other].len() < literals[at].len() && is_within(&literals[other], &literals[at])
            };
            (0..cubes.len()).any(weaker)
        };
        (0..cubes.len()).filter(|at| !says_more(*at)).map(|at| cubes[at]).collect()
    }

    fn sorted_conjuncts(&self, cube: Term) -> Vec<Term> {
        let mut literals = self.conjuncts(cube);
        literals.sort_unstable();
        literals
    }
}

enum ConnectiveShape {
    Literal,
    And(Vec<Term>),
    Or(Vec<Term>),
}
