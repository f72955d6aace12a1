//! What happened during a step, in order: what observation, the search for data races and the trace's table look at.
//! The interpreter itself depends on none of them.

use crate::cfa::{EdgeId, FunctionId};
use crate::semantics::memory::Extent;
use crate::semantics::value::ObjectId;

/// The address of a mutex: an object and an offset in bytes.
pub type LockId = (ObjectId, i64);

/// Something that happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// Memory was read.
    Read(Extent),
    /// Memory was written.
    Write(Extent),
    /// A signed integer overflowed.
    Overflow,
    /// An edge was taken to its end; that of a call is when the callee has returned and its result is stored.
    Completed(EdgeId),
    /// An activation of a function began.
    Entered {
        /// The function.
        function: FunctionId,
        /// The thread, which is another than the running one where that started it.
        thread: u32,
    },
    /// An activation of a function ended, in the running thread.
    Left {
        /// The function.
        function: FunctionId,
        /// How many activations lay below it.
        depth: u32,
    },
    /// A mutex was taken.
    Locked(LockId),
    /// A mutex was given back.
    Unlocked(LockId),
    /// The running thread started this thread.
    Spawned(u32),
    /// The running thread waited for this thread.
    Joined(u32),
    /// No other thread runs from here.
    AtomicBegan,
    /// Other threads run again.
    AtomicEnded,
    /// The lifetime of an object ended.
    Died(ObjectId),
}
