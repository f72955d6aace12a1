//! Sorts: which values a term can have.

use std::fmt;

/// The sort of a term.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Sort {
    /// True and false.
    Bool,
    /// The mathematical integers.
    Int,
    /// Sequences of so many bits.
    BitVector(u32),
    /// Total maps from an index sort to an element sort.
    Array(Box<Sort>, Box<Sort>),
}

impl Sort {
    /// Arrays from `index` to `element`.
    pub fn array(index: Sort, element: Sort) -> Sort {
        Sort::Array(Box::new(index), Box::new(element))
    }
}

/// As SMT-LIB writes it.
impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sort::Bool => f.write_str("Bool"),
            Sort::Int => f.write_str("Int"),
            Sort::BitVector(width) => write!(f, "(_ BitVec {width})"),
            Sort::Array(index, element) => write!(f, "(Array {index} {element})"),
        }
    }
}
