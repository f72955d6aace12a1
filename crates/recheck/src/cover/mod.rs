//! Whether boxes cover all that a program does ([`Cover`]): every step from a state in one of them leads into one again, and
//! in the graph that they are there is no accepting run of an automaton.
//!
//! Each step is followed anew, by arithmetic on sets of integers that is this module's own; nothing is searched for, and
//! nothing grows: what is claimed is either seen at the first look or it is not shown. So it is a proof that is checked, up
//! to this arithmetic, and not a second search.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `numbers` | sets of integers, and operations on them |
//! | `overflow` | where an operation may overflow |
//! | `parts` | the parts of variables that are followed |
//! | `states` | what expressions can be in a set of states, and what conditions leave of it |
//! | `steps` | the paths from one cutpoint to the next |
//!
//! The soundness argument is short. Let a *cutpoint* be a location at which the cover has a box. From the start and from every
//! box all paths to the next cutpoint are followed, with sets of states that contain all states in which an execution can be
//! there: every operation of `numbers` contains what the interpreter computes, and a condition takes only states away in which
//! it does not have its value. A set that comes to a cutpoint is contained in the union of the boxes there, piece by piece. So
//! every execution that visits cutpoints infinitely often is a path through the graph of boxes, letter by letter; one that does
//! not, ends on a path that leads nowhere, since a cycle without a cutpoint is refused. The product of this graph with the
//! automaton has no accepting run.

mod numbers;
mod overflow;
mod parts;
mod states;
mod steps;

use foundation::collections::HashMap;
use foundation::{Budget, Id};
use program::LocationId;
use program::passes::prepare;
use task::Task;
use task::certificate::cover::{Cover, CoverBox};

use super::Unexplored;
use super::emptiness::{ExploredEdge, ExploredGraph, ReadyThreads};
use super::plain::Plain;
use super::reading::AutomatonReader;
use numbers::Numbers;
use states::States;
use steps::{Path, Steps};

/// Programs that inlining makes larger than this are not covered.
const MOST_EDGES: usize = 100_000;

/// A set of states is taken apart into no more pieces than this to be found in boxes.
const MOST_PIECES: usize = 4_096;

/// Boxes that were seen to contain all reachable states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Covered {
    /// How many boxes there are.
    pub boxes: u64,
    /// How many transitions the product of their graph with the automaton has.
    pub transitions: u64,
}

/// Checks that boxes contain all reachable states and that their automaton accepts nothing that happens among them.
pub fn follow(task: &Task, cover: &Cover, budget: &Budget) -> Result<Covered, Unexplored> {
    let too_large = |_| Unexplored::not_covered("a program that cannot be inlined", None);
    let prepared = prepare(&task.program, &task.atoms, task.semantics, MOST_EDGES).map_err(too_large)?;
    budget.check().map_err(Unexplored::Exhausted)?;
    let plain = Plain::with_names(prepared);
    let cutpoints = cover.boxes.iter().map(|it| it.location).collect();
    let letters = AutomatonReader::new(&cover.automaton);
    let mut steps = Steps::new(task, &plain, letters, cutpoints, budget)?;
    let boxes = Boxes::of(cover, &steps)?;
    let mut passages: Vec<Vec<Passage>> = Vec::with_capacity(boxes.all.len());
    for (location, states) in &boxes.all {
        let paths = steps.leave_box(*location, states.clone())?;
        passages.push(boxes.passages(paths)?);
    }
    let start = steps.begin()?;
    let start = boxes.passages(start)?;
    accepts_nothing(cover, &start, &passages, &mut steps, budget)
}

/// The boxes of a cover, in the words of this module.
struct Boxes {
    all: Vec<(LocationId, States)>,
    /// The boxes at each location, with the parts of which something is known there.
    at: HashMap<LocationId, Vec<(u32, Vec<usize>)>>,
}

/// A path to a box.
struct Passage {
    to: Option<u32>,
    word: Vec<u32>,
    last: u32,
}

impl Boxes {
    fn of(cover: &Cover, steps: &Steps<'_>) -> Result<Self, Unexplored> {
        let mut boxes = Self { all: Vec::new(), at: HashMap::default() };
        for (number, CoverBox { location, values }) in cover.boxes.iter().enumerate() {
            let mut states = steps.anything();
            let mut known = Vec::with_capacity(values.len());
            for (part, intervals) in values {
                let found = steps.reader.parts.named(*part);
                let found = found.ok_or_else(|| Unexplored::not_covered("a part of a variable that has none", None))?;
                let pieces = intervals.iter().map(|&(low, high)| Numbers::between(low, high));
                states[found] = pieces.fold(Numbers::NONE, |all, piece| all.join(&piece));
                known.push(found);
            }
            boxes.at.entry(*location).or_default().push((number as u32, known));
            boxes.all.push((*location, states));
        }
        Ok(boxes)
    }

    /// Paths as passages to boxes that contain the states that they lead to.
    fn passages(&self, paths: Vec<Path>) -> Result<Vec<Passage>, Unexplored> {
        let mut passages = Vec::with_capacity(paths.len());
        for Path { to, word, last } in paths {
            let Some(last) = last else {
                return Err(Unexplored::not_covered("a path on which nothing is observed", None));
            };
            let Some((location, states)) = to else {
                passages.push(Passage { to: None, word, last });
                continue;
            };
            for number in self.containing(location, states)? {
                passages.push(Passage { to: Some(number), word: word.clone(), last });
            }
        }
        Ok(passages)
    }

    /// Boxes at a location that together contain these states.
    fn containing(&self, location: LocationId, states: States) -> Result<Vec<u32>, Unexplored> {
        let here = self.at.get(&location).map_or(&[][..], Vec::as_slice);
        let mut found = Vec::new();
        let mut open = vec![states];
        let mut pieces = 0;
        while let Some(states) = open.pop() {
            pieces += 1;
            let overlaps = |number: u32, known: &[usize]| {
                let (_, others) = &self.all[number as usize];
                known.iter().all(|&part| !states[part].meet(&others[part]).is_empty())
            };
            // The first part of which not all values are in a box; a box in which there is none is best.
            let outside = |number: u32, known: &[usize]| {
                let (_, others) = &self.all[number as usize];
                known.iter().copied().find(|&part| states[part].meet(&others[part]) != states[part])
            };
            let mut best: Option<(u32, Option<usize>)> = None;
            for (number, known) in here.iter().filter(|(number, known)| overlaps(*number, known)) {
                let part = outside(*number, known);
                if part.is_none() || best.is_none() {
                    best = Some((*number, part));
                }
                if part.is_none() {
                    break;
                }
            }
            match best {
                Some((number, None)) => found.push(number),
                Some((number, Some(part))) if pieces < MOST_PIECES => {
                    let others = &self.all[number as usize].1[part];
                    let inside = states[part].meet(others);
                    for values in [inside].into_iter().chain(without(&states[part], others)) {
                        let mut piece = states.clone();
                        piece[part] = values;
                        open.push(piece);
                    }
                }
                _ => return Err(Unexplored::not_covered("a step leads out of all boxes", None)),
            }
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }
}

/// What is in one set and not between the bounds of another or, where that lists its numbers, not among these.
fn without(numbers: &Numbers, others: &Numbers) -> Vec<Numbers> {
    let Some((low, high)) = others.bounds() else { return vec![numbers.clone()] };
    let mut pieces = vec![
        numbers.within(i128::MIN, if low == i128::MIN { low } else { low - 1 }),
        numbers.within(if high == i128::MAX { high } else { high + 1 }, i128::MAX),
    ];
    if let Numbers::Few(listed) = others {
        let gaps = listed.windows(2).map(|pair| numbers.within(pair[0] + 1, pair[1] - 1));
        pieces.extend(gaps);
    }
    // A bound that is none leaves nothing beyond it.
    if low == i128::MIN {
        pieces[0] = Numbers::NONE;
    }
    if high == i128::MAX {
        pieces[1] = Numbers::NONE;
    }
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

/// Checks that the product of the boxes with the automaton has no accepting run.
fn accepts_nothing(
    cover: &Cover,
    start: &[Passage],
    passages: &[Vec<Passage>],
    steps: &mut Steps<'_>,
    budget: &Budget,
) -> Result<Covered, Unexplored> {
    let accepting = || Unexplored::not_covered("among the boxes there is an accepting run of the automaton", None);
    let mut known: HashMap<(u32, u32), u32> = HashMap::default();
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    let mut edges: Vec<Vec<ExploredEdge>> = Vec::new();
    let mut transitions = 0;
    let mut follow = |from: &[Passage], state: u32, pairs: &mut Vec<(u32, u32)>| {
        let mut found = Vec::new();
        for Passage { to, word, last } in from {
            for (after, marks) in steps.letters.read(state, word) {
                let Some(to) = to else {
                    if steps.letters.accepts_for_ever(after, *last) {
                        return Err(accepting());
                    }
                    continue;
                };
                let number = *known.entry((*to, after)).or_insert_with(|| {
                    pairs.push((*to, after));
                    pairs.len() as u32 - 1
                });
                found.push(ExploredEdge { to: number, marks, turn: ReadyThreads::default() });
            }
        }
        transitions += found.len() as u64;
        Ok(found)
    };
    for state in cover.automaton.initial() {
        follow(start, state.index() as u32, &mut pairs)?;
    }
    while edges.len() < pairs.len() {
        budget.check().map_err(Unexplored::Exhausted)?;
        let (node, state) = pairs[edges.len()];
        let found = follow(&passages[node as usize], state, &mut pairs)?;
        edges.push(found);
    }
    let scheduler = task::Scheduler::Any;
    let graph = ExploredGraph { edges, all: cover.automaton.all_marks(), scheduler };
    match graph.accepting() {
        Some(_) => Err(accepting()),
        None => Ok(Covered { boxes: passages.len() as u64, transitions }),
    }
}
