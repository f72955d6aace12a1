//! Blocks: all paths by which the program and the automaton get from one state of the product to the next.
//!
//! A certificate names some states of the product; between them the check walks by itself, along every edge of the
//! program and every edge of the automaton, and composes the formulas on the path. So nothing is left out that a
//! certificate does not mention. A path that none of the certificate's edges stands for must lead to a state that is
//! harmless, or be impossible.

use std::collections::BTreeMap;

use automata::buchi::{Guard, Marks};
use foundation::Id;
use foundation::collections::{HashMap, HashSet};
use logic::{Term, Terms};
use program::EdgeId;
use program::passes::Prepared;
use program::semantics::UndefinedMode;
use task::certificate::refutation::{Control, ProductEdge, Refutation};

use super::NotProved;
use super::condition::ConditionReader;
use super::obligations::Obligations;
use super::reading::ReadingCheck;
use crate::encode::{Encoding, Exit, Passage, Transition, Truth};

/// The most cubes of a guard of the automaton.
const MOST_CUBES: usize = 256;

/// The most steps on one path.
const LONGEST_STEPS: usize = 10_000;

/// So often a path may come back to where it was.
const MOST_ITERATIONS: usize = 3;

/// The most blocks of a proof.
const MOST_BLOCKS: usize = 200_000;

/// The most paths that are followed from one state of the product, so that a certificate that names few states cannot
/// make the check walk for ever.
const MOST_PATHS: usize = 10_000;

const TOO_MANY: &str = "there are too many ways between the states of the product";

/// A path from a state of the product to the next.
pub(super) struct Block {
    /// The state that it enters.
    pub to: u32,
    /// What it does.
    pub step: Transition,
    /// The acceptance sets of the automaton's edges on it.
    pub marks: Marks,
    /// Whether the automaton reads anything on it.
    pub reads: bool,
    /// The letter that modules read, if the certificate knows the path.
    pub letter: Option<u32>,
}

/// Finds blocks.
pub(super) struct Walker<'a, 'o> {
    pub prepared: &'a Prepared,
    pub terms: &'a Terms,
    pub encoding: &'a Encoding<'a>,
    pub reading: &'a ReadingCheck,
    pub refutation: &'a Refutation,
    pub obligations: &'a Obligations<'o>,
    /// The states of the product by place and automaton state.
    pub states: &'a HashMap<(Control, u32), u32>,
    /// What words of conditions stand for.
    pub names: &'a dyn Fn(&str) -> Option<Term>,
    /// The edges of the automaton by their sources, with their numbers.
    pub automaton: &'a [Vec<u32>],
}

/// Whether a path has gone round so often that it will hardly end.
fn is_round(path: &BlockPath<'_>) -> bool {
    let here = (path.place, path.automaton);
    path.passed.len() > LONGEST_STEPS || path.passed.iter().filter(|&&passed| passed == here).count() > MOST_ITERATIONS
}

/// One more step of a path.
struct BlockStep<'p> {
    /// The edge; none for the start, and for staying where control is.
    edge: Option<EdgeId>,
    passage: &'p Passage,
    /// Where it leads.
    place: Control,
    /// From where the state is seen that the automaton reads, if it does.
    reads: Option<(program::LocationId, Exit)>,
}

/// The beginning of a path.
#[derive(Clone)]
struct BlockPath<'r> {
    place: Control,
    automaton: u32,
    step: Transition,
    marks: Marks,
    reads: bool,
    /// Whether an atom may differ from what was observed last; none if nobody asks.
    is_stale: Option<bool>,
    /// Places passed, to notice circles.
    passed: Vec<(Control, u32)>,
    /// Edges taken.
    taken: Vec<EdgeId>,
    /// The certificate's edges that may stand for it, with how much of their path and of their readings was seen.
    candidates: Vec<(&'r ProductEdge, usize, usize)>,
    /// What the program asked for on the path, by its names in conditions.
    inputs: BTreeMap<String, Term>,
}

impl BlockPath<'_> {
    /// What an edge that was just taken is called in conditions.
    fn name(&self, edge: Option<EdgeId>) -> String {
        let Some(edge) = edge else { return "start".to_owned() };
        match self.taken.iter().filter(|&&taken| taken == edge).count() {
            0 | 1 => edge.index().to_string(),
            times => format!("{}:{times}", edge.index()),
        }
    }

    /// Gives names to what the last passage has asked for: its position, and what holds it now.
    fn name_inputs(&mut self, terms: &Terms, edge: Option<EdgeId>, passage: &Passage) {
        let count = passage.step.asked.len();
        if count == 0 {
            return;
        }
        let name = self.name(edge);
        let asked = &self.step.asked[self.step.asked.len() - count..];
        let asked: Vec<Term> = asked.iter().map(|&symbol| terms.variable(symbol)).collect();
        for (index, &value) in asked.iter().enumerate() {
            self.inputs.insert(format!("?{name}.{index}"), value);
        }
        for symbol in passage.step.updates.keys() {
            let held = self.step.updates[symbol];
            if asked.contains(&held) {
                self.inputs.insert(format!("?{name}.{}", terms.name(*symbol)), held);
            }
        }
    }
}

impl<'a> Walker<'a, '_> {
    /// All blocks from a state of the product, given what is known there.
    pub fn blocks(&self, from: u32, known: &[Term], edges: &[&'a ProductEdge]) -> Result<Vec<Block>, NotProved> {
        let mut blocks = Vec::new();
        self.walk(from, known, edges, None, &mut |to, path| {
            self.finish(known, to, path, &mut blocks)?;
            match blocks.len() > MOST_BLOCKS {
                true => Err(NotProved::NotCovered(TOO_MANY.to_owned())),
                false => Ok(()),
            }
        })?;
        Ok(blocks)
    }

    /// That the automaton reads what is observed, up to repetitions, on all sequences of blocks from the start.
    ///
    /// An edge that reads something else is looked at when it is taken, before the automaton reads: if what it would
    /// read is wrong, the automaton may have no edge for it, so that no block would tell. `known` must hold at the
    /// beginning of every block.
    pub fn reads_what_is_observed(&self, known: &[Vec<Term>], edges: &[Vec<&'a ProductEdge>]) -> Result<(), NotProved> {
        if self.reading.doubt.is_none() {
            return Ok(());
        }
        let starts = (0u32..).zip(&self.refutation.states).filter(|(_, state)| state.place == Control::Start);
        // States of the product, and whether an atom may differ there from what was observed last. The start is
        // observed.
        let mut open: Vec<(u32, bool)> = starts.map(|(state, _)| (state, false)).collect();
        let mut seen: HashSet<(u32, bool)> = open.iter().copied().collect();
        while let Some((state, is_stale)) = open.pop() {
            let (known, edges) = (&known[state as usize], &edges[state as usize]);
            self.walk(state, known, edges, Some(is_stale), &mut |to, path| {
                let next = (to, path.is_stale == Some(true));
                if !seen.contains(&next) && !self.obligations.never_taken(known, &path.step) {
                    seen.insert(next);
                    open.push(next);
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Follows all paths from a state of the product to the next ones.
    fn walk<'r>(
        &self,
        from: u32,
        known: &[Term],
        edges: &[&'r ProductEdge],
        is_stale: Option<bool>,
        finish: &mut dyn FnMut(u32, BlockPath<'r>) -> Result<(), NotProved>,
    ) -> Result<(), NotProved> {
        let state = &self.refutation.states[from as usize];
        let mut open = vec![BlockPath {
            place: state.place,
            automaton: state.automaton,
            step: Transition::skip(self.terms),
            marks: Marks::NONE,
            reads: false,
            is_stale,
            passed: Vec::new(),
            taken: Vec::new(),
            candidates: edges.iter().map(|&edge| (edge, 0, 0)).collect(),
            inputs: BTreeMap::new(),
        }];
        let mut followed = 0;
        while let Some(path) = open.pop() {
            self.obligations.check()?;
            for next in self.longer(known, &path)? {
                if self.terms.as_truth(next.step.guard) == Some(false) {
                    continue;
                }
                // What nothing in the certificate stands for should be impossible, the earlier the better.
                let is_lost = next.candidates.is_empty() && next.step.guard != path.step.guard;
                if is_lost && self.obligations.never_taken(known, &next.step) {
                    continue;
                }
                match self.states.get(&(next.place, next.automaton)) {
                    Some(&to) => finish(to, next)?,
                    None if is_round(&next) => {
                        if !self.obligations.never_taken(known, &next.step) {
                            return Err(NotProved::wrong(format!(
                                "from state {from}, the program may go round without passing a state of the product"
                            )));
                        }
                    }
                    None => open.push(next),
                }
            }
            followed += 1;
            if followed > MOST_PATHS {
                return Err(NotProved::NotCovered(TOO_MANY.to_owned()));
            }
        }
        Ok(())
    }

    /// The paths that are one step longer.
    fn longer<'r>(&self, known: &[Term], path: &BlockPath<'r>) -> Result<Vec<BlockPath<'r>>, NotProved> {
        let program = &self.prepared.program;
        let mut found = Vec::new();
        match path.place {
            Control::Start => {
                let start = self.prepared.start();
                let passage = Passage { step: self.encoding.initial(), exit: Exit::Passes };
                let reads = Some((start, Exit::Passes));
                let taken = BlockStep { edge: None, passage: &passage, place: Control::At(start), reads };
                self.take(known, path, &taken, &mut found)?;
            }
            Control::At(location) if program.locations[location].out.is_empty() => {
                let stay = Passage { step: Transition::skip(self.terms), exit: Exit::Passes };
                let reads = Some((location, Exit::Passes));
                let taken = BlockStep { edge: None, passage: &stay, place: path.place, reads };
                self.take(known, path, &taken, &mut found)?;
            }
            Control::At(location) => {
                for &edge in &program.locations[location].out {
                    let to = program.edges[edge].to;
                    for passage in self.encoding.edge(edge) {
                        let reads = self.reading.reads[edge.index()].then_some((to, Exit::Passes));
                        let (place, reads) = match passage.exit {
                            Exit::Passes => (Control::At(to), reads),
                            Exit::Returns => (Control::Stopped(edge, Exit::Returns), reads),
                            Exit::Undefined if self.prepared.semantics.undefined == UndefinedMode::Assume => continue,
                            exit @ (Exit::Ends | Exit::Undefined) => (Control::Stopped(edge, exit), None),
                        };
                        let taken = BlockStep { edge: Some(edge), passage: &passage, place, reads };
                        self.take(known, path, &taken, &mut found)?;
                    }
                }
            }
            Control::Stopped(edge, exit) => {
                if exit == Exit::Passes {
                    return Err(NotProved::wrong("an edge that passes stops nothing"));
                }
                let stay = Passage { step: Transition::skip(self.terms), exit };
                let reads = Some((program.edges[edge].from, exit));
                let taken = BlockStep { edge: None, passage: &stay, place: path.place, reads };
                self.take(known, path, &taken, &mut found)?;
            }
        }
        Ok(found)
    }

    /// Takes a passage, and reads a letter where one is read.
    fn take<'r>(
        &self,
        known: &[Term],
        path: &BlockPath<'r>,
        taken: &BlockStep<'_>,
        found: &mut Vec<BlockPath<'r>>,
    ) -> Result<(), NotProved> {
        let &BlockStep { edge, passage, place, reads } = taken;
        let mut next = path.clone();
        next.passed.push((path.place, path.automaton));
        next.place = place;
        next.taken.extend(edge);
        next.step = path.step.then(self.terms, &passage.step, &next.name(edge));
        next.name_inputs(self.terms, edge, passage);
        if let Some(edge) = edge {
            let siblings = &self.prepared.program.locations[self.prepared.program.edges[edge].from].out;
            next.candidates.retain_mut(|(candidate, seen, _)| match candidate.path.get(*seen) {
                Some(&expected) if expected == edge => {
                    *seen += 1;
                    true
                }
                // An edge that the certificate does not mention; but where it mentions another one here, this is not
                // it.
                Some(expected) => !siblings.contains(expected),
                None => true,
            });
        }
        if let Some(is_stale) = path.is_stale {
            let after = match (edge, place) {
                (Some(edge), Control::At(_) | Control::Stopped(_, Exit::Returns)) => self.reading.pass(edge, is_stale),
                (None, Control::At(_)) if path.place == place => self.reading.stay(is_stale).map(|()| false),
                // The start and the end are observed.
                _ => Ok(false),
            };
            match after {
                Ok(is_stale) => next.is_stale = Some(is_stale),
                Err(_) if self.obligations.never_taken(known, &next.step) => return Ok(()),
                Err(what) => return Err(NotProved::Wrong(what)),
            }
        }
        let Some((seen_from, exit)) = reads else {
            found.push(next);
            return Ok(());
        };
        for &number in &self.automaton[path.automaton as usize] {
            let Some(read) = self.refutation.automaton.edges().nth(number as usize) else { continue };
            let letter = self.letter(&read.label, seen_from, exit)?;
            let mut reading = next.clone();
            reading.automaton = read.to.index() as u32;
            reading.reads = true;
            reading.marks = next.marks.union(read.marks);
            reading.step.guard = self.terms.and([next.step.guard, next.step.after(self.terms, letter)]);
            reading.candidates.retain_mut(|(candidate, _, seen)| {
                let is_next = candidate.reads.get(*seen) == Some(&number);
                *seen += 1;
                is_next
            });
            found.push(reading);
        }
        Ok(())
    }

    /// When a guard of the automaton holds in a state that is seen from a location. An atom of which nothing is known
    /// may have either value.
    fn letter(&self, guard: &Guard, location: program::LocationId, exit: Exit) -> Result<Term, NotProved> {
        let cubes = guard
            .cubes_within(MOST_CUBES)
            .ok_or_else(|| NotProved::NotCovered("a guard of the automaton is too large".to_owned()))?;
        let literal =
            |(atom, value): (automata::ltl::AtomId, bool)| match self.encoding.atom(atom.index(), location, exit) {
                Truth::Unknown => self.terms.truth(true),
                Truth::Is(term) if value => term,
                Truth::Is(term) => self.terms.not(term),
            };
        let cube = |cube: Vec<(automata::ltl::AtomId, bool)>| {
            self.terms.and(cube.into_iter().map(literal).collect::<Vec<_>>())
        };
        Ok(self.terms.or(cubes.into_iter().map(cube).collect::<Vec<_>>()))
    }

    /// A path that has come to a state of the product.
    fn finish(&self, known: &[Term], to: u32, path: BlockPath<'_>, blocks: &mut Vec<Block>) -> Result<(), NotProved> {
        let is_complete = |(edge, seen, read): &&(&ProductEdge, usize, usize)| {
            edge.to == to && *seen == edge.path.len() && *read == edge.reads.len()
        };
        let matching: Vec<&ProductEdge> = path.candidates.iter().filter(is_complete).map(|(edge, ..)| *edge).collect();
        let block = |step: Transition, letter| Block { to, step, marks: path.marks, reads: path.reads, letter };
        match matching.as_slice() {
            [] => {
                if !self.obligations.never_taken(known, &path.step) {
                    blocks.push(block(path.step.clone(), None));
                }
            }
            [only] if only.condition.is_none() => blocks.push(block(path.step.clone(), Some(only.letter))),
            several => {
                let names = |word: &str| path.inputs.get(word).copied().or_else(|| (self.names)(word));
                let reader = ConditionReader { terms: self.terms, names: &names };
                let mut conditions = Vec::new();
                for edge in several {
                    let condition =
                        edge.condition.as_ref().map_or(Ok(self.terms.truth(true)), |text| reader.condition(text));
                    conditions.push(condition.map_err(NotProved::Wrong)?);
                }
                let other = self.terms.not(self.terms.or(conditions.iter().copied()));
                if !self.obligations.impossible(known, path.step.guard, other) {
                    let path: Vec<usize> = several[0].path.iter().map(|edge| edge.index()).collect();
                    return Err(NotProved::wrong(format!(
                        "the conditions of the edges with the path {path:?} leave something out"
                    )));
                }
                for (edge, condition) in several.iter().zip(conditions) {
                    let guard = self.terms.and([path.step.guard, condition]);
                    if self.terms.as_truth(guard) != Some(false) {
                        blocks.push(block(Transition { guard, ..path.step.clone() }, Some(edge.letter)));
                    }
                }
            }
        }
        Ok(())
    }
}
