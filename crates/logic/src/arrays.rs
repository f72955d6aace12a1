//! Constructors of arrays (McCarthy's axioms, applied where indices are known to be equal or different).

use crate::{Node, Term, Terms};

impl Terms {
    /// The element at an index.
    pub fn select(&self, array: Term, index: Term) -> Term {
        let mut array = array;
        while let Node::Store(inner, stored, value) = self.node(array) {
            if stored == index {
                return value;
            }
            if self.as_truth(self.equal(stored, index)) != Some(false) {
                break;
            }
            array = inner;
        }
        self.intern(Node::Select(array, index))
    }

    /// The array with the element at an index replaced.
    pub fn store(&self, array: Term, index: Term, value: Term) -> Term {
        match self.node(array) {
            Node::Store(inner, stored, _) if stored == index => self.store(inner, index, value),
            _ if self.node(value) == Node::Select(array, index) => array,
            _ => self.intern(Node::Store(array, index, value)),
        }
    }
}
