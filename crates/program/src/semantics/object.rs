//! What one object holds: typed cells at bit offsets.
//!
//! Bits that belong to no cell are arbitrary and not yet chosen. Cells never overlap, and neighbouring cells of zeros
//! are one cell, so that equal contents are equal values. Which conversions between cells are allowed is not decided
//! here but in [`memory`](super::memory).

use std::collections::BTreeMap;

use crate::semantics::value::Value;
use crate::types::Scalar;

/// An object in memory.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Object {
    /// Its size in bytes.
    pub size: u64,
    /// The number of its address, once something has asked for it.
    pub number: Option<u64>,
    cells: BTreeMap<u64, ObjectCell>,
}

/// Some neighbouring bits of an object that were written as one.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ObjectCell {
    /// How many bits.
    pub width: u64,
    /// What they hold.
    pub content: Content,
}

/// What a cell holds.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Content {
    /// A value of a type.
    Scalar(Scalar, Value),
    /// Bits that are zero and read as zero at any type.
    Zero,
    /// What is left of an ideal integer that was partly overwritten: it has no bits that could be read.
    Unreadable,
}

impl Object {
    /// An object whose contents are not chosen yet.
    pub fn unchosen(size: u64) -> Self {
        Self { size, number: None, cells: BTreeMap::new() }
    }

    /// An object of zeros.
    pub fn zeroed(size: u64) -> Self {
        let mut object = Self::unchosen(size);
        object.insert(0, ObjectCell { width: size * 8, content: Content::Zero });
        object
    }

    /// The cells with their offsets.
    pub fn cells(&self) -> impl Iterator<Item = (u64, &ObjectCell)> {
        self.cells.iter().map(|(&offset, cell)| (offset, cell))
    }

    /// The values in the cells.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        self.cells.values_mut().filter_map(|cell| match &mut cell.content {
            Content::Scalar(_, value) => Some(value),
            _ => None,
        })
    }

    /// The cell that begins at an offset.
    pub fn cell_at(&self, offset: u64) -> Option<&ObjectCell> {
        self.cells.get(&offset)
    }

    /// The same, to give it a content other than zeros.
    pub fn cell_at_mut(&mut self, offset: u64) -> Option<&mut ObjectCell> {
        self.cells.get_mut(&offset)
    }

    /// The cells that have a bit in a range, with their offsets, in order.
    pub fn overlapping(&self, start: u64, end: u64) -> impl Iterator<Item = (u64, &ObjectCell)> {
        let before = self.cells.range(..start).next_back().filter(|(offset, cell)| *offset + cell.width > start);
        let inside = self.cells.range(start..end.max(start));
        before.filter(|_| start < end).into_iter().chain(inside).map(|(&offset, cell)| (offset, cell))
    }

    /// The maximal ranges of a range that no cell covers, as offset and width.
    pub fn gaps(&self, start: u64, end: u64) -> Vec<(u64, u64)> {
        let mut gaps = Vec::new();
        let mut covered = start;
        for (offset, cell) in self.overlapping(start, end) {
            if offset > covered {
                gaps.push((covered, offset - covered));
            }
            covered = offset + cell.width;
        }
        if covered < end {
            gaps.push((covered, end - covered));
        }
        gaps
    }

    /// Removes the cells of a range. None may reach beyond it.
    pub fn clear(&mut self, start: u64, end: u64) {
        let inside: Vec<u64> = self.overlapping(start, end).map(|(offset, _)| offset).collect();
        for offset in inside {
            let cell = self.cells.remove(&offset).expect("it was there");
            debug_assert!(start <= offset && offset + cell.width <= end, "cells at the borders were split");
        }
    }

    /// Makes the cells that touch a range those of another state of the same object.
    pub fn copy_cells(&mut self, other: &Object, mut start: u64, mut end: u64) {
        loop {
            let touched = self.overlapping(start, end).chain(other.overlapping(start, end));
            let hull = touched
                .fold((start, end), |(first, last), (offset, cell)| (first.min(offset), last.max(offset + cell.width)));
            if hull == (start, end) {
                break;
            }
            (start, end) = hull;
        }
        self.clear(start, end);
        for (offset, cell) in other.overlapping(start, end) {
            self.cells.insert(offset, cell.clone());
        }
    }

    /// Adds a part of a cell that was split, which stays apart from its neighbours until they are overwritten.
    pub fn insert_split(&mut self, offset: u64, cell: ObjectCell) {
        self.cells.insert(offset, cell);
    }

    /// Adds a cell where there is none.
    pub fn insert(&mut self, offset: u64, mut cell: ObjectCell) {
        debug_assert!(self.overlapping(offset, offset + cell.width).next().is_none(), "cells do not overlap");
        if cell.width == 0 {
            return;
        }
        let mut begin = offset;
        if cell.content == Content::Zero {
            if let Some(next) = self.cells.get(&(offset + cell.width)).filter(|next| next.content == Content::Zero) {
                let width = next.width;
                self.cells.remove(&(offset + cell.width));
                cell.width += width;
            }
            let before = self.cells.range(..offset).next_back();
            if let Some((&before, previous)) = before
                && previous.content == Content::Zero
                && before + previous.width == offset
            {
                cell.width += previous.width;
                begin = before;
            }
        }
        self.cells.insert(begin, cell);
    }
}
