//! Bounds of one linear expression in a conjunction or disjunction are joined: of `x <= 3` and `x <= 5` one remains,
//! `x <= 3` and `x >= 3` are `x = 3`, and `x <= 3` with `x != 3` is `x <= 2`.

use std::collections::BTreeSet;
use std::sync::Arc;

use foundation::collections::HashMap;
use num_bigint::BigInt;

use crate::{Linear, Node, Term, Terms};

/// What a conjunction says of one expression `Σ coefficient · term`.
#[derive(Default)]
struct Range {
    lower: Option<BigInt>,
    upper: Option<BigInt>,
    different: BTreeSet<BigInt>,
    /// How many members of the conjunction said it.
    count: usize,
}

/// A member that speaks of one expression, as a bound on it.
enum Bound {
    AtMost(BigInt),
    AtLeast(BigInt),
    Is(BigInt),
    IsNot(BigInt),
}

type BoundedExpression = Vec<(BigInt, Term)>;

impl Terms {
    /// Joins the bounds among the members of a conjunction; `None` where they contradict each other. A disjunction is
    /// treated as the negation of the conjunction of its negated members. The result is sorted and without repetition if
    /// the argument is.
    pub(crate) fn join_bounds(&self, members: Vec<Term>, is_conjunction: bool) -> Option<Vec<Term>> {
        let mut ranges: HashMap<BoundedExpression, Range> = HashMap::default();
        let mut order: Vec<BoundedExpression> = Vec::new();
        let mut others = Vec::new();
        let mut is_joined = false;
        for &member in &members {
            let Some((expression, bound)) = self.bound(member, is_conjunction) else {
                others.push(member);
                continue;
            };
            if !ranges.contains_key(&expression) {
                order.push(expression.clone());
            }
            let range = ranges.entry(expression).or_default();
            range.count += 1;
            is_joined |= range.count > 1;
            range.restrict(bound);
        }
        if !is_joined {
            return Some(members);
        }
        let mut result = others;
        for expression in order {
            let mut range = ranges.remove(&expression).expect("every expression was entered");
            range.tighten();
            if let (Some(lower), Some(upper)) = (&range.lower, &range.upper)
                && lower >= upper
            {
                if lower > upper {
                    return None;
                }
                let linear = Linear { terms: expression, constant: -lower };
                result.push(self.member(Node::Zero(Arc::new(linear)), is_conjunction));
                continue;
            }
            if let Some(upper) = range.upper {
                let linear = Linear { terms: expression.clone(), constant: -upper };
                result.push(self.member(Node::AtMostZero(Arc::new(linear)), is_conjunction));
            }
            if let Some(lower) = range.lower {
                let linear = Linear { terms: expression.clone(), constant: -lower }.negate();
                result.push(self.member(Node::AtMostZero(Arc::new(linear)), is_conjunction));
            }
            for value in range.different {
                let zero = Node::Zero(Arc::new(Linear { terms: expression.clone(), constant: -value }));
                result.push(self.not(self.member(zero, is_conjunction)));
            }
        }
        result.sort_unstable();
        result.dedup();
        Some(result)
    }

    /// The term of a node, negated where it is a member of a disjunction.
    fn member(&self, node: Node, is_conjunction: bool) -> Term {
        let term = self.intern(node);
        if is_conjunction { term } else { self.not(term) }
    }

    /// What a member says of an expression whose first coefficient is positive.
    fn bound(&self, member: Term, is_conjunction: bool) -> Option<(BoundedExpression, Bound)> {
        let (linear, bound): (Arc<Linear>, fn(BigInt) -> Bound) = match self.node(member) {
            Node::AtMostZero(linear) if is_conjunction => (linear, Bound::AtMost),
            Node::AtMostZero(linear) => (Arc::new(Linear::constant_of(1).subtract(&linear)), Bound::AtMost),
            Node::Zero(linear) => (linear, if is_conjunction { Bound::Is } else { Bound::IsNot }),
            Node::Not(term) => match self.node(term) {
                Node::Zero(linear) => (linear, if is_conjunction { Bound::IsNot } else { Bound::Is }),
                _ => return None,
            },
            _ => return None,
        };
        if linear.leads_negative() {
            let bound = match bound(linear.constant.clone()) {
                Bound::AtMost(value) => Bound::AtLeast(value),
                other => other,
            };
            return Some((linear.negate().terms, bound));
        }
        Some((linear.terms.clone(), bound(-&linear.constant)))
    }
}

impl Range {
    fn restrict(&mut self, bound: Bound) {
        match bound {
            Bound::AtMost(value) => self.at_most(value),
            Bound::AtLeast(value) => self.at_least(value),
            Bound::Is(value) => {
                self.at_most(value.clone());
                self.at_least(value);
            }
            Bound::IsNot(value) => {
                self.different.insert(value);
            }
        }
    }

    fn at_most(&mut self, value: BigInt) {
        if self.upper.as_ref().is_none_or(|upper| value < *upper) {
            self.upper = Some(value);
        }
    }

    fn at_least(&mut self, value: BigInt) {
        if self.lower.as_ref().is_none_or(|lower| value > *lower) {
            self.lower = Some(value);
        }
    }

    /// Moves the bounds past values that are excluded, and forgets excluded values outside the bounds.
    fn tighten(&mut self) {
        while let Some(upper) = self.upper.as_mut()
            && self.different.remove(upper)
        {
            *upper -= 1;
        }
        while let Some(lower) = self.lower.as_mut()
            && self.different.remove(lower)
        {
            *lower += 1;
        }
        let (lower, upper) = (&self.lower, &self.upper);
        self.different.retain(|value| {
            lower.as_ref().is_none_or(|lower| value > lower) && upper.as_ref().is_none_or(|upper| value < upper)
        });
    }
}
