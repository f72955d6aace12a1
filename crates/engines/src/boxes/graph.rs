//! The graph of boxes: for each cutpoint and each combination of pieces that cells are in there, one box.
//!
//! Boxes that fall into the same combination are joined, and grow until nothing changes: first to their hull, then to the
//! next power of two, then to the bounds of their pieces (widening with thresholds: Blanchet et al., PLDI 2003). Cells that
//! are kept *exactly* are not joined: each value is a combination of its own.

use std::collections::VecDeque;

use analysis::Values;
use analysis::cells::CellId;
use foundation::collections::HashMap;
use foundation::{Budget, Id};
use program::LocationId;
use task::{LetterBits, Negation, Reason};

use super::followed::{FollowedProgram, ValueBox};
use super::walk::{AllValues, Passage, Walker};

/// More boxes than this are not made.
const MOST_BOXES: usize = 20_000;

/// So often a box grows to the hull, and so often to powers of two.
const GROWS_TO_HULL: u32 = 3;
const GROWS_TO_POWERS: u32 = 70;

/// A box at a cutpoint.
pub struct BoxNode {
    /// Where control is.
    pub location: LocationId,
    /// The letter that was observed last.
    pub last: LetterBits,
    /// The states.
    pub state: ValueBox,
    /// What can happen from there.
    pub passages: Vec<BoxPassage>,
    growth: u32,
    is_open: bool,
}

/// A path from a box to the next one.
pub struct BoxPassage {
    /// The number of the box that it leads to; none where the last letter is repeated for ever.
    pub to: Option<u32>,
    /// The letters that are observed.
    pub word: Vec<LetterBits>,
    /// The letter that was observed last.
    pub last: LetterBits,
}

/// The boxes that contain all reachable states.
pub struct BoxGraph<'a> {
    subject: &'a FollowedProgram,
    /// By cell: whether it is kept exactly.
    exact: &'a [bool],
    /// What can happen from the start.
    pub start: Vec<BoxPassage>,
    /// The boxes.
    pub nodes: Vec<BoxNode>,
    known: HashMap<Combination, u32>,
    open: VecDeque<u32>,
    /// Whether some step may be none, apart from what joining adds.
    pub is_blurred: bool,
}

/// What tells boxes apart.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Combination {
    location: LocationId,
    last: LetterBits,
    cells: Vec<CellPiece>,
}

/// Where the values of a cell lie.
#[derive(Clone, PartialEq, Eq, Hash)]
enum CellPiece {
    /// In these pieces, from the first to the last.
    Between(u32, u32),
    /// They are these.
    Exactly(Values),
}

impl<'a> BoxGraph<'a> {
    /// All boxes that can be reached, with these cells kept exactly.
    pub fn explore(subject: &'a FollowedProgram, exact: &'a [bool], budget: &Budget) -> Result<Self, Reason> {
        let mut graph = Self {
            subject,
            exact,
            start: Vec::new(),
            nodes: Vec::new(),
            known: HashMap::default(),
            open: VecDeque::new(),
            is_blurred: false,
        };
        let mut walker = Walker::new(subject, &AllValues, budget);
        let passages = walker.begin(subject.initial())?;
        graph.start = graph.enter_all(passages)?;
        while let Some(number) = graph.open.pop_front() {
            let node = &mut graph.nodes[number as usize];
            node.is_open = false;
            let passages = walker.from(node.location, node.state.clone(), node.last)?;
            graph.nodes[number as usize].passages = graph.enter_all(passages)?;
        }
        graph.is_blurred = walker.is_blurred;
        Ok(graph)
    }

    /// The automaton of the negated goal.
    pub fn negation(&self) -> &'a Negation {
        &self.subject.negation
    }

    /// How many passages there are between boxes.
    pub fn transitions(&self) -> u64 {
        let passages = self.nodes.iter().map(|node| node.passages.len()).sum::<usize>();
        (self.start.len() + passages) as u64
    }

    fn enter_all(&mut self, passages: Vec<Passage>) -> Result<Vec<BoxPassage>, Reason> {
        let mut entered = Vec::with_capacity(passages.len());
        for Passage { to, word, last, .. } in passages {
            if word.is_empty() {
                return Err(Reason::LeftToOthers("a loop in which nothing is observed, where steps count".to_owned()));
            }
            let Some((location, state)) = to else {
                entered.push(BoxPassage { to: None, word, last });
                continue;
            };
            for state in self.singled_out(location, state) {
                let to = Some(self.enter(location, state, last)?);
                entered.push(BoxPassage { to, word: word.clone(), last });
            }
        }
        Ok(entered)
    }

    /// The number of a box that a state belongs to.
    pub fn find(&self, location: LocationId, state: &ValueBox, last: LetterBits) -> Option<u32> {
        let live = self.subject.live(location);
        let cells = live.iter().map(|&cell| self.piece(cell, &state[cell.index()])).collect();
        // Its pieces may have been reached only together with others.
        let contains = |node: &BoxNode| {
            let mut cells = live.iter().map(|cell| cell.index());
            (node.location, node.last) == (location, last) && cells.all(|cell| state[cell].is_subset(&node.state[cell]))
        };
        let known = self.known.get(&Combination { location, last, cells }).copied();
        known.or_else(|| self.nodes.iter().position(contains).map(|number| number as u32))
    }

    /// A box without what does not matter at a cutpoint.
    pub fn kept(&self, location: LocationId, state: &ValueBox) -> ValueBox {
        let subject = self.subject;
        let mut kept: ValueBox = subject.cells.ids().map(|cell| subject.any(cell).clone()).collect();
        for &cell in subject.live(location) {
            kept[cell.index()] = state[cell.index()].clone();
        }
        kept
    }

    /// Forgets what does not matter at a cutpoint, and takes a box apart into the values of the cells that are kept exactly.
    fn singled_out(&self, location: LocationId, state: ValueBox) -> Vec<ValueBox> {
        let subject = self.subject;
        let mut boxes = vec![self.kept(location, &state)];
        for &cell in subject.live(location).iter().filter(|cell| self.exact[cell.index()]) {
            let Some(values) = state[cell.index()].explicit().filter(|values| values.len() > 1) else { continue };
            let one = |state: &ValueBox| {
                let single = |value: &i128| {
                    let mut single = state.clone();
                    single[cell.index()] = Values::constant(*value);
                    single
                };
                values.iter().map(single).collect::<Vec<_>>()
            };
            boxes = boxes.iter().flat_map(one).collect();
        }
        boxes
    }

    fn piece(&self, cell: CellId, values: &Values) -> CellPiece {
        let cuts = &self.subject.cuts;
        match values.bounds() {
            Some(bounds) if !self.exact[cell.index()] || values.explicit().is_none() => {
                CellPiece::Between(cuts.piece(cell, bounds.low()), cuts.piece(cell, bounds.high()))
            }
            _ => CellPiece::Exactly(values.clone()),
        }
    }

    /// The box that these states belong to, which grows so that it contains them.
    fn enter(&mut self, location: LocationId, state: ValueBox, last: LetterBits) -> Result<u32, Reason> {
        let live = self.subject.live(location);
        let cells = live.iter().map(|&cell| self.piece(cell, &state[cell.index()])).collect();
        let combination = Combination { location, last, cells };
        let Some(&number) = self.known.get(&combination) else {
            let number = self.nodes.len() as u32;
            if self.nodes.len() >= MOST_BOXES {
                return Err(Reason::LeftToOthers(format!("there are more than {MOST_BOXES} boxes")));
            }
            self.known.insert(combination, number);
            let passages = Vec::new();
            self.nodes.push(BoxNode { location, last, state, passages, growth: 0, is_open: true });
            self.open.push_back(number);
            return Ok(number);
        };
        let BoxNode { state: known, growth, is_open, .. } = &mut self.nodes[number as usize];
        let outgrown: Vec<CellId> =
            live.iter().copied().filter(|cell| !state[cell.index()].is_subset(&known[cell.index()])).collect();
        if outgrown.is_empty() {
            return Ok(number);
        }
        *growth += 1;
        for (cell, piece) in live.iter().zip(&combination.cells).filter(|(cell, _)| outgrown.contains(cell)) {
            let values = &mut known[cell.index()];
            let joined = values.join(&state[cell.index()]);
            *values = match piece {
                CellPiece::Between(first, last) if *growth > GROWS_TO_HULL => {
                    let limits = (self.subject.cuts.bounds(*cell, *first).0, self.subject.cuts.bounds(*cell, *last).1);
                    let wider = widened(values, joined, limits, *growth <= GROWS_TO_POWERS);
                    wider.meet(self.subject.any(*cell))
                }
                _ => joined,
            };
        }
        if !std::mem::replace(is_open, true) {
            self.open.push_back(number);
        }
        Ok(number)
    }
}

/// Values that have grown, with bounds that have grown moved on: to the next power of two, or to the limits.
fn widened(known: &Values, joined: Values, limits: (i128, i128), to_powers: bool) -> Values {
    let (Some(old), Some(new)) = (known.bounds(), joined.bounds()) else { return joined };
    let beyond = |bound: i128| {
        let power = bound.unsigned_abs().checked_next_power_of_two().and_then(|power| i128::try_from(power).ok());
        power.unwrap_or(i128::MAX)
    };
    let low = match () {
        () if new.low() == old.low() => new.low(),
        () if to_powers && new.low() < 0 => beyond(new.low()).saturating_neg().max(limits.0),
        () if to_powers => limits.0.max(0),
        () => limits.0,
    };
    let high = match () {
        () if new.high() == old.high() => new.high(),
        () if to_powers && new.high() >= 0 => (beyond(new.high().saturating_add(1)) - 1).min(limits.1),
        () if to_powers => limits.1.min(0),
        () => limits.1,
    };
    joined.join(&Values::between(low.min(new.low()), high.max(new.high())))
}
