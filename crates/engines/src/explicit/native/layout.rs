//! How a state is packed into 64-bit words.
//!
//! ```text
//! word 0                                     …   last word
//! [point | variables with few values | others]   [others | the search's own bits]
//! ```
//!
//! Every scalar takes as many bits as its range of values needs; none lies in two words. Variables with few values come
//! first, so that they share word 0 with the point of control: what code is specialised for is one masked word. Objects
//! in memory follow word by word. What is not live at a point of control is packed as zero.

use super::model::{NativeModel, Slot, SlotId, Span64};

/// Where a field lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StateField {
    /// In which word.
    pub word: usize,
    /// From which bit on.
    pub shift: u32,
    /// How many bits it takes; 0 where there is only one value.
    pub bits: u32,
    /// The value that is packed as zero.
    pub least: i64,
    /// The largest value that can be packed.
    pub most: i64,
}

impl StateField {
    /// The bits of the field in its word.
    pub fn mask(&self) -> u64 {
        if self.bits == 64 { u64::MAX } else { ((1 << self.bits) - 1) << self.shift }
    }
}

/// The places of all fields.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The point of control.
    pub point: StateField,
    /// The last letter, where steps without observation are possible.
    pub last_letter: Option<StateField>,
    /// By slot: the field, or for an object in memory its first word in the state.
    pub slots: Vec<SlotPosition>,
    /// The slots that code is specialised for.
    pub known: Vec<SlotId>,
    /// The bits of word 0 that say what code is specialised for.
    pub key_mask: u64,
    /// How many words there are.
    pub words: usize,
    /// The first free bit of the last word.
    pub tag_shift: u32,
}

/// Where a slot lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SlotPosition {
    /// A scalar.
    Field(StateField),
    /// An object: its first word, and how many it takes.
    Words(usize, usize),
    /// Nowhere: it is live at no point.
    Nowhere,
}

/// A variable with at most this many values is one that code may be specialised for.
const FEW_VALUES: u64 = 32;

impl Layout {
    /// Packs the slots of a model, and leaves room for so many bits of the search.
    pub fn new(model: &NativeModel, tag_bits: u32) -> Self {
        let mut words = FilledWords::default();
        let point = words.field(Span64 { least: 0, most: model.points.len() as i64 - 1 });
        let mut slots = vec![SlotPosition::Nowhere; model.slots.len()];
        let mut known = Vec::new();
        let mut scalars: Vec<(u32, SlotId, Span64)> = Vec::new();
        for (id, slot) in model.slots.iter() {
            if !model.is_packed(id) {
                continue;
            }
            if let Slot::Scalar { values, .. } = slot {
                scalars.push((bits_for(*values), id, *values));
            }
        }
        scalars.sort_unstable_by_key(|&(bits, id, _)| (bits, id));
        let (few, many): (Vec<_>, Vec<_>) =
            scalars.into_iter().partition(|(_, _, values)| values.extent() < FEW_VALUES);
        for (_, id, values) in few {
            let field = words.field(values);
            if field.word == 0 {
                known.push(id);
            }
            slots[foundation::Id::index(id)] = SlotPosition::Field(field);
        }
        let key_mask = words.used_mask(0);
        let last_letter = model.may_be_silent.then(|| {
            let most = if model.letter_bits == 64 { -1 } else { (1_i64 << model.letter_bits) - 1 };
            words.field(Span64 { least: 0, most })
        });
        for (_, id, values) in many.into_iter().rev() {
            slots[foundation::Id::index(id)] = SlotPosition::Field(words.field(values));
        }
        for (id, slot) in model.slots.iter() {
            if let (Slot::Object { bytes, .. }, true) = (slot, model.is_packed(id)) {
                let length = bytes.div_ceil(8) as usize;
                slots[foundation::Id::index(id)] = SlotPosition::Words(words.whole(length), length);
            }
        }
        let tag_shift = words.tag(tag_bits);
        Self { point, last_letter, slots, known, key_mask, words: words.used.len(), tag_shift }
    }
}

/// The number of bits that tell the values of a range apart.
fn bits_for(values: Span64) -> u32 {
    u64::BITS - values.extent().leading_zeros()
}

/// The words under construction: how many bits of each are used.
#[derive(Default)]
struct FilledWords {
    used: Vec<u32>,
}

impl FilledWords {
    fn field(&mut self, values: Span64) -> StateField {
        let bits = bits_for(values);
        let word = match self.used.iter().position(|used| used + bits <= 64) {
            Some(word) => word,
            None => self.whole(0),
        };
        let shift = self.used[word];
        self.used[word] += bits;
        StateField { word, shift, bits, least: values.least, most: values.most }
    }

    /// Takes so many whole words, or with 0 begins an empty one.
    fn whole(&mut self, length: usize) -> usize {
        let first = self.used.len();
        self.used.resize(first + length.max(1), if length == 0 { 0 } else { 64 });
        first
    }

    /// Makes room for bits at the end of the last word; they are above all others.
    fn tag(&mut self, bits: u32) -> u32 {
        if self.used.last().is_none_or(|used| used + bits > 63) {
            self.whole(0);
        }
        let last = self.used.len() - 1;
        self.used[last]
    }

    fn used_mask(&self, word: usize) -> u64 {
        match self.used.get(word) {
            None | Some(0) => 0,
            Some(64) => u64::MAX,
            Some(used) => (1 << used) - 1,
        }
    }
}
