//! The states that were found, shared by all workers: a hash table of the numbers of [records](super::records).
//!
//! States are compared word for word, so that no two are ever taken for one. As in the sequential
//! [store](super::super::store), an entry takes four bytes: a state's number, and in the bits that numbers do not need
//! yet some bits of its hash. An entry is written once, by compare-and-swap, after its record; a worker that sees the
//! entry sees the record.
//!
//! When the table is too full, a larger one takes its place. For that, all workers meet: each gives its hold of the
//! old table back, the last to come makes the new one, all of them fill it, and go on when it is done. A worker comes to
//! the meeting when it next wants to add states; one that has no more to do leaves, and is not waited for.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::super::store::hash;
use super::meanwhile;
use super::records::{BLOCK_NUMBERS, Records};
use super::union_find::StateWord;

/// How many states a worker may add between two calls of [`WorkerView::get_ready`].
pub const STATES_AT_A_TIME: usize = BLOCK_NUMBERS as usize;

/// How many records a worker enters into a new table at a time.
const RECORDS_AT_A_TIME: u32 = 1 << 12;

/// How many of them wait for memory together.
const ENTERED_TOGETHER: usize = 32;

/// The shared states. Workers use them through a [`WorkerView`].
pub struct SharedStore {
    /// The states, by their numbers.
    pub records: Records,
    words: usize,
    /// Whether the workers are to meet.
    too_full: AtomicBool,
    meeting: Mutex<Meeting>,
    changed: Condvar,
    /// The next records that are to be entered into the new table.
    to_enter: AtomicU32,
    states: AtomicU64,
}

struct Meeting {
    table: Arc<NumberTable>,
    /// How many workers there are.
    workers: usize,
    /// How many of them have come and not gone.
    present: usize,
    /// Whether all are present, and fill the new table.
    in_session: bool,
}

impl SharedStore {
    /// No states, each of which will take this many words.
    pub fn new(words: usize, workers: usize) -> Self {
        // Until all have noticed that the table is too full, each may have taken two more blocks; that must be far less
        // than what is left.
        let slots = (workers * BLOCK_NUMBERS as usize * 16).next_power_of_two();
        Self {
            records: Records::new(words),
            words,
            too_full: AtomicBool::new(false),
            meeting: Mutex::new(Meeting {
                table: Arc::new(NumberTable::new(slots)),
                workers: 0,
                present: 0,
                in_session: false,
            }),
            changed: Condvar::new(),
            to_enter: AtomicU32::new(0),
            states: AtomicU64::new(0),
        }
    }

    /// A view for one more worker. All views must be made before the first is used.
    pub fn view(&self) -> WorkerView<'_> {
        let mut meeting = self.meeting();
        meeting.workers += 1;
        WorkerView { store: self, table: meeting.table.clone(), free: 0..0, states: 0 }
    }

    /// How many words a state takes.
    pub fn words(&self) -> usize {
        self.words
    }

    /// How many states were added through views that are dropped.
    pub fn states(&self) -> u64 {
        self.states.load(Ordering::Relaxed)
    }

    /// The bytes that the states and the table take.
    pub fn bytes(&self) -> usize {
        self.records.bytes() + size_of_val(&*self.meeting().table.entries)
    }

    fn meeting(&self) -> MutexGuard<'_, Meeting> {
        self.meeting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All are present: the new table is made.
    fn begin_session(&self, meeting: &mut Meeting) {
        let slots = meeting.table.entries.len();
        // The old one is given back first: the records are all that is needed.
        meeting.table = Arc::new(NumberTable::new(0));
        meeting.table = Arc::new(NumberTable::new(slots * 2));
        meeting.in_session = true;
        self.to_enter.store(self.records.reserved().start, Ordering::Relaxed);
        self.changed.notify_all();
    }
}

/// One worker's access to the shared states.
pub struct WorkerView<'s> {
    store: &'s SharedStore,
    table: Arc<NumberTable>,
    /// Numbers for the states that this worker will add.
    free: Range<u32>,
    states: u64,
}

/// A lookup that was begun.
#[derive(Clone, Copy, Debug)]
pub struct SharedLookup {
    slot: u32,
    tag: u32,
    /// What was in the slot.
    entry: u32,
}

impl WorkerView<'_> {
    /// Gets ready to add [`STATES_AT_A_TIME`]. Lookups that were begun before are void.
    #[inline]
    pub fn get_ready(&mut self) {
        if self.store.too_full.load(Ordering::Relaxed) {
            self.meet();
        }
    }

    /// Begins a lookup. Several that are begun before the first is carried out wait for memory together instead of one
    /// after the other.
    #[inline]
    pub fn begin(&self, state: &[u64]) -> SharedLookup {
        let hash = hash(state);
        let slot = self.table.slot(hash);
        SharedLookup {
            slot,
            tag: self.table.tag(hash),
            entry: self.table.entries[slot as usize].load(Ordering::Acquire),
        }
    }

    /// The state that a lookup is likely to be compared with: its first word. To be read for the same reason.
    #[inline]
    pub fn peek(&self, lookup: SharedLookup) -> u64 {
        match lookup.entry & self.table.number_mask {
            0 => 0,
            number => self.store.records.cell(number).load(Ordering::Relaxed),
        }
    }

    /// Carries out a lookup: the number of the state, which is added unless it is there; none where there are no more
    /// numbers.
    pub fn insert_at(&mut self, lookup: SharedLookup, state: &[u64]) -> Option<u32> {
        let mut mine = None;
        let mut slot = lookup.slot;
        loop {
            let mut entry = self.table.entries[slot as usize].load(Ordering::Acquire);
            if entry == 0 {
                let number = match mine {
                    Some(number) => number,
                    None => self.prepare(state)?,
                };
                mine = Some(number);
                meanwhile();
                let new = lookup.tag | number;
                let cell = &self.table.entries[slot as usize];
                match cell.compare_exchange(0, new, Ordering::AcqRel, Ordering::Acquire) {
                    Ok(_) => {
                        self.free.start += 1;
                        self.states += 1;
                        return Some(number);
                    }
                    Err(other) => entry = other,
                }
            }
            let number = entry & self.table.number_mask;
            if entry ^ number == lookup.tag && self.store.records.holds(number, state) {
                if let Some(unused) = mine {
                    self.store.records.cell(unused).store(0, Ordering::Relaxed);
                }
                return Some(number);
            }
            slot = self.table.after(slot);
        }
    }

    /// Writes a state to the next free record.
    fn prepare(&mut self, state: &[u64]) -> Option<u32> {
        if self.free.is_empty() {
            self.free = self.store.records.reserve()?;
            if self.free.end as usize * 5 > self.table.entries.len() * 4 {
                self.store.too_full.store(true, Ordering::Relaxed);
            }
        }
        let number = self.free.start;
        debug_assert!(number <= self.table.number_mask, "there are fewer numbers than slots");
        self.store.records.write(number, state);
        self.store.records.cell(number).store(StateWord::alone(number).word(), Ordering::Relaxed);
        Some(number)
    }

    /// Meets the other workers to make a larger table.
    fn meet(&mut self) {
        let store = self.store;
        self.table = Arc::new(NumberTable::new(0));
        let mut meeting = store.meeting();
        meeting.present += 1;
        if meeting.present == meeting.workers {
            store.begin_session(&mut meeting);
        }
        while !meeting.in_session {
            meeting = store.changed.wait(meeting).unwrap_or_else(PoisonError::into_inner);
        }
        self.table = meeting.table.clone();
        drop(meeting);
        self.enter_records();
        let mut meeting = store.meeting();
        meeting.present -= 1;
        if meeting.present == 0 {
            meeting.in_session = false;
            store.too_full.store(false, Ordering::Relaxed);
            store.changed.notify_all();
        }
        while meeting.in_session {
            meeting = store.changed.wait(meeting).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Enters a share of the records into the new table.
    fn enter_records(&self) {
        let records = &self.store.records;
        let end = records.reserved().end;
        let mut state = vec![0; self.store.words];
        let mut hashes = Vec::with_capacity(ENTERED_TOGETHER);
        loop {
            let start = self.store.to_enter.fetch_add(RECORDS_AT_A_TIME, Ordering::Relaxed);
            if start >= end {
                return;
            }
            for number in start..end.min(start + RECORDS_AT_A_TIME) {
                if records.cell(number).load(Ordering::Relaxed) != 0 {
                    records.read(number, &mut state);
                    hashes.push((hash(&state), number));
                }
                if hashes.len() == hashes.capacity() {
                    self.table.enter(&mut hashes);
                }
            }
            self.table.enter(&mut hashes);
        }
    }
}

/// A worker that ends is not waited for.
impl Drop for WorkerView<'_> {
    fn drop(&mut self) {
        self.store.states.fetch_add(self.states, Ordering::Relaxed);
        self.table = Arc::new(NumberTable::new(0));
        let mut meeting = self.store.meeting();
        meeting.workers -= 1;
        if meeting.present > 0 && meeting.present == meeting.workers && !meeting.in_session {
            self.store.begin_session(&mut meeting);
        }
    }
}

/// A hash table of numbers.
struct NumberTable {
    /// Zero where there is none; otherwise a tag above a number.
    entries: Box<[AtomicU32]>,
    /// The bits of an entry that are the number.
    number_mask: u32,
}

impl NumberTable {
    fn new(slots: usize) -> Self {
        // There are fewer numbers than slots, and at most as many as fit.
        let number_bits = (u64::BITS - (slots as u64).leading_zeros()).min(u32::BITS);
        Self {
            entries: (0..slots).map(|_| AtomicU32::new(0)).collect(),
            number_mask: ((1_u64 << number_bits) - 1) as u32,
        }
    }

    /// Where the search for a state begins.
    #[inline]
    fn slot(&self, hash: u64) -> u32 {
        ((u128::from(hash) * self.entries.len() as u128) >> u64::BITS) as u32
    }

    #[inline]
    fn after(&self, slot: u32) -> u32 {
        if slot as usize + 1 == self.entries.len() { 0 } else { slot + 1 }
    }

    /// The last bits of a hash, which its slot hardly depends on, above the number.
    #[inline]
    fn tag(&self, hash: u64) -> u32 {
        hash as u32 & !self.number_mask
    }

    /// Enters numbers that are not there, by their hashes. Others may do so for other numbers.
    fn enter(&self, numbers: &mut Vec<(u64, u32)>) {
        // The slots are looked at before the first is written, so that all wait for memory together.
        let slots = numbers.iter().map(|&(hash, _)| self.entries[self.slot(hash) as usize].load(Ordering::Relaxed));
        std::hint::black_box(slots.fold(0, |all, entry| all ^ entry));
        for (hash, number) in numbers.drain(..) {
            let new = self.tag(hash) | number;
            let mut slot = self.slot(hash);
            while self.entries[slot as usize].compare_exchange(0, new, Ordering::AcqRel, Ordering::Relaxed).is_err() {
                slot = self.after(slot);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    /// All workers add the same states, each in its own order, and agree on their numbers.
    #[test]
    fn it_is_a_set_for_all_workers() {
        const STATES: u64 = 100_000;
        for (words, workers) in [(1, 1), (1, 3), (2, 2)] {
            let store = SharedStore::new(words, workers);
            let views: Vec<_> = (0..workers).map(|_| store.view()).collect();
            let numbers: Vec<Vec<u32>> = thread::scope(|scope| {
                let add_all = |worker: usize, mut view: WorkerView<'_>| {
                    let mut numbers = vec![0; STATES as usize];
                    for index in 0..STATES {
                        // Strides that have no divisor in common with the number of states.
                        let value = index * [1, 3, 7][worker] % STATES;
                        let state = [value % 5, value][2 - words..].to_vec();
                        view.get_ready();
                        let number = view.insert_at(view.begin(&state), &state).expect("there are numbers");
                        assert!(view.store.records.holds(number, &state));
                        numbers[value as usize] = number;
                    }
                    numbers
                };
                let started: Vec<_> =
                    views.into_iter().enumerate().map(|(i, view)| scope.spawn(move || add_all(i, view))).collect();
                started.into_iter().map(|worker| worker.join().expect("no panic")).collect()
            });
            assert_eq!(store.states(), STATES);
            assert!(numbers.iter().all(|of_worker| *of_worker == numbers[0]));
            let mut distinct = numbers[0].clone();
            distinct.sort_unstable();
            distinct.dedup();
            assert_eq!(distinct.len() as u64, STATES);
        }
    }
}
