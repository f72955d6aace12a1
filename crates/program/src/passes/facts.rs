//! What is known of variables at one point of a program: a persistent map from variables to facts.
//!
//! Neighbouring points know almost the same, so that their maps share structure: big-endian Patricia trees (Okasaki and
//! Gill, "Fast mergeable integer maps", ML Workshop 1998). Joining two maps costs about as much as they differ.
//!
//! A variable without a fact may hold what was not chosen yet. Nothing here knows what facts mean for a program.

use std::rc::Rc;

use foundation::Id;

use crate::expr::ExprId;
use crate::model::VariableId;

/// What is known of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fact {
    /// It holds the value of this constant expression.
    Constant(ExprId),
    /// It holds some value that was chosen or written.
    Initialised,
}

/// Facts about variables.
#[derive(Clone, Debug, Default)]
pub struct Facts(Option<Rc<FactNode>>);

#[derive(Debug)]
enum FactNode {
    Leaf {
        key: u32,
        fact: Fact,
    },
    Branch {
        /// The bits above `bit` that all keys below have in common.
        prefix: u32,
        /// The highest bit in which keys below differ.
        bit: u32,
        /// Where it is 0.
        zero: Rc<FactNode>,
        /// Where it is 1.
        one: Rc<FactNode>,
    },
}

impl Facts {
    /// What is known of a variable.
    pub fn get(&self, variable: VariableId) -> Option<Fact> {
        find(self.0.as_ref()?, variable.index() as u32)
    }

    /// All facts, in the order of their variables.
    pub fn iter(&self) -> impl Iterator<Item = (VariableId, Fact)> + '_ {
        let mut open: Vec<&FactNode> = self.0.as_deref().into_iter().collect();
        std::iter::from_fn(move || {
            loop {
                match open.pop()? {
                    FactNode::Leaf { key, fact } => return Some((VariableId::from_index(*key as usize), *fact)),
                    FactNode::Branch { zero, one, .. } => open.extend([&**one, &**zero]),
                }
            }
        })
    }

    /// Learns a fact.
    pub fn set(&mut self, variable: VariableId, fact: Fact) {
        let key = variable.index() as u32;
        self.0 = Some(match &self.0 {
            None => Rc::new(FactNode::Leaf { key, fact }),
            Some(node) => insert(node, key, fact),
        });
    }

    /// Forgets what is known of a variable.
    pub fn forget(&mut self, variable: VariableId) {
        self.0 = self.0.take().and_then(|node| remove(&node, variable.index() as u32));
    }

    /// What holds if one of two sets of facts does.
    pub fn join(&self, other: &Facts) -> Facts {
        match (&self.0, &other.0) {
            (Some(left), Some(right)) => Facts(join(left, right)),
            _ => Facts(None),
        }
    }

    /// Whether two maps are one and the same. A join that adds nothing to its left side yields that side itself.
    pub fn is(&self, other: &Facts) -> bool {
        match (&self.0, &other.0) {
            (None, None) => true,
            (Some(left), Some(right)) => Rc::ptr_eq(left, right),
            _ => false,
        }
    }
}

/// The bits of a key above a bit.
fn above(key: u32, bit: u32) -> u32 {
    // For the highest bit nothing is above.
    key & !(bit | (bit - 1))
}

fn branch(prefix: u32, bit: u32, zero: Rc<FactNode>, one: Rc<FactNode>) -> Rc<FactNode> {
    Rc::new(FactNode::Branch { prefix, bit, zero, one })
}

/// The smallest tree with two trees whose prefixes differ.
fn link(first: u32, left: Rc<FactNode>, second: u32, right: Rc<FactNode>) -> Rc<FactNode> {
    let bit = 1 << (31 - (first ^ second).leading_zeros());
    let prefix = above(first, bit);
    if first & bit == 0 { branch(prefix, bit, left, right) } else { branch(prefix, bit, right, left) }
}

fn insert(node: &Rc<FactNode>, key: u32, fact: Fact) -> Rc<FactNode> {
    let leaf = || Rc::new(FactNode::Leaf { key, fact });
    match &**node {
        FactNode::Leaf { key: own, fact: known } if *own == key => {
            if *known == fact {
                node.clone()
            } else {
                leaf()
            }
        }
        FactNode::Leaf { key: own, .. } => link(key, leaf(), *own, node.clone()),
        FactNode::Branch { prefix, bit, .. } if above(key, *bit) != *prefix => link(key, leaf(), *prefix, node.clone()),
        FactNode::Branch { prefix, bit, zero, one } => {
            let side = if key & bit == 0 { zero } else { one };
            let new = insert(side, key, fact);
            if Rc::ptr_eq(side, &new) {
                node.clone()
            } else if key & bit == 0 {
                branch(*prefix, *bit, new, one.clone())
            } else {
                branch(*prefix, *bit, zero.clone(), new)
            }
        }
    }
}

fn remove(node: &Rc<FactNode>, key: u32) -> Option<Rc<FactNode>> {
    match &**node {
        FactNode::Leaf { key: own, .. } => (*own != key).then(|| node.clone()),
        FactNode::Branch { prefix, bit, .. } if above(key, *bit) != *prefix => Some(node.clone()),
        FactNode::Branch { prefix, bit, zero, one } => {
            let at_zero = key & bit == 0;
            let (side, other) = if at_zero { (zero, one) } else { (one, zero) };
            Some(match remove(side, key) {
                None => other.clone(),
                Some(new) if Rc::ptr_eq(side, &new) => node.clone(),
                Some(new) if at_zero => branch(*prefix, *bit, new, one.clone()),
                Some(new) => branch(*prefix, *bit, zero.clone(), new),
            })
        }
    }
}

fn find(node: &Rc<FactNode>, wanted: u32) -> Option<Fact> {
    match &**node {
        FactNode::Leaf { key, fact } => (*key == wanted).then_some(*fact),
        FactNode::Branch { bit, zero, one, .. } => find(if wanted & bit == 0 { zero } else { one }, wanted),
    }
}

fn weaker(left: Fact, right: Fact) -> Fact {
    if left == right { left } else { Fact::Initialised }
}

fn join(left: &Rc<FactNode>, right: &Rc<FactNode>) -> Option<Rc<FactNode>> {
    if Rc::ptr_eq(left, right) {
        return Some(left.clone());
    }
    match (&**left, &**right) {
        (FactNode::Leaf { key, fact }, _) => {
            let joined = weaker(*fact, find(right, *key)?);
            Some(if joined == *fact { left.clone() } else { Rc::new(FactNode::Leaf { key: *key, fact: joined }) })
        }
        (_, FactNode::Leaf { key, fact }) => {
            let joined = weaker(*fact, find(left, *key)?);
            Some(Rc::new(FactNode::Leaf { key: *key, fact: joined }))
        }
        (
            FactNode::Branch { prefix, bit, zero, one },
            FactNode::Branch { prefix: other_prefix, bit: other_bit, zero: other_zero, one: other_one },
        ) => {
            if bit == other_bit && prefix == other_prefix {
                return match (join(zero, other_zero), join(one, other_one)) {
                    (Some(new_zero), Some(new_one)) => {
                        let unchanged = Rc::ptr_eq(zero, &new_zero) && Rc::ptr_eq(one, &new_one);
                        Some(if unchanged { left.clone() } else { branch(*prefix, *bit, new_zero, new_one) })
                    }
                    (some, none) => some.or(none),
                };
            }
            if bit > other_bit && above(*other_prefix, *bit) == *prefix {
                return join(if other_prefix & bit == 0 { zero } else { one }, right);
            }
            if other_bit > bit && above(*prefix, *other_bit) == *other_prefix {
                return join(left, if prefix & other_bit == 0 { other_zero } else { other_one });
            }
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn fact(number: usize) -> Fact {
        if number == 0 { Fact::Initialised } else { Fact::Constant(ExprId::from_index(number)) }
    }

    /// Keys that are close together and far apart.
    fn key() -> impl Strategy<Value = usize> {
        prop_oneof![0..8usize, (0..8usize).prop_map(|key| key << 29), Just(u32::MAX as usize)]
    }

    type FactModel = BTreeMap<usize, usize>;

    fn built(changes: &[(usize, Option<usize>)]) -> (Facts, FactModel) {
        let (mut facts, mut model) = (Facts::default(), FactModel::new());
        for &(key, change) in changes {
            match change {
                Some(number) => {
                    facts.set(VariableId::from_index(key), fact(number));
                    model.insert(key, number);
                }
                None => {
                    facts.forget(VariableId::from_index(key));
                    model.remove(&key);
                }
            }
        }
        (facts, model)
    }

    fn agree(facts: &Facts, model: &FactModel) -> bool {
        let keys = (0..8).chain((0..8).map(|key| key << 29)).chain([u32::MAX as usize]);
        let same = |key| facts.get(VariableId::from_index(key)) == model.get(&key).map(|&number| fact(number));
        keys.into_iter().all(same)
    }

    proptest! {
        #[test]
        fn facts_are_a_map_and_join_to_what_both_know(
            left in prop::collection::vec((key(), prop::option::weighted(0.8, 0..3usize)), 0..20),
            right in prop::collection::vec((key(), prop::option::weighted(0.8, 0..3usize)), 0..20),
        ) {
            let (left, left_model) = built(&left);
            let (right, right_model) = built(&right);
            prop_assert!(agree(&left, &left_model));
            let joined = left.join(&right);
            let model: FactModel = left_model
                .iter()
                .filter_map(|(key, number)| Some((*key, if right_model.get(key)? == number { *number } else { 0 })))
                .collect();
            prop_assert!(agree(&joined, &model));
            prop_assert_eq!(joined.is(&left), model == left_model);
            prop_assert!(joined.join(&right).is(&joined));
        }
    }
}
