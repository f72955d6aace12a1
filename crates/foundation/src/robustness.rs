//! What must be true of a fault that is found in any text. The tests and fuzz targets of the rooms that read texts call it.

use crate::Diagnostic;

/// Checks that a fault has a place, which is a piece of the text, and that it comes with advice.
///
/// # Panics
///
/// Where it is not so.
pub fn check_fault(fault: &Diagnostic, text: &str) {
    let label = fault.primary.as_ref().expect("every fault has a place");
    let (start, end) = (label.span.start as usize, label.span.end as usize);
    assert!(text.get(start..end).is_some(), "a place is a piece of the text: {fault:?}");
    assert!(!fault.help.is_empty(), "{fault:?} gives no advice");
}
