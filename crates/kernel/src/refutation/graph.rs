//! The graph of a certificate: that it has a node wherever an execution may go, and that no fair execution can go on in
//! it for ever.
//!
//! - *Start*: for every initial state of the automaton there is a node.
//! - *Step*: from every node, every block that can be taken leads to a node again, whatever the runs of the modules do
//!   then: one that knows no more than is true, and that has no more runs.
//! - *Progress*: the number never grows along a step. Among the nodes of one number, something is missing that would
//!   have to happen again and again.

use std::cell::RefCell;

use automata::buchi::Marks;
use foundation::Id;
use foundation::collections::{HashMap, HashSet};
use logic::{Term, Terms};
use task::certificate::refutation::{Control, ProgressCondition, ProofNode, Refutation};

use super::NotProved;
use super::blocks::Block;
use super::macrostate::Runs;
use super::module::CheckedModule;
use super::obligations::Obligations;

/// The most ways in which the runs of all modules may go on with one letter.
const MOST_COMBINATIONS: usize = 100_000;

pub(super) struct CheckedGraph<'a, 'o> {
    pub terms: &'a Terms,
    pub refutation: &'a Refutation,
    pub states: &'a HashMap<(Control, u32), u32>,
    pub invariants: &'a [Vec<Term>],
    pub blocks: &'a [Vec<Block>],
    pub modules: &'a [CheckedModule],
    pub predicates: &'a [Term],
    pub obligations: &'a Obligations<'o>,
}

/// A node with its macrostates as sets.
struct Prepared<'a> {
    node: &'a ProofNode,
    runs: Vec<Runs>,
}

/// Nodes by the state of the product and the runs of modules.
type ExactNodes<'n, 'a> = HashMap<(u32, &'n [Runs]), Vec<&'n Prepared<'a>>>;

/// What was found out before.
#[derive(Default)]
struct NodeResults {
    /// The transitions of modules that were shown: by module, state, source of the block and block.
    followed: RefCell<HashSet<(usize, u32, u32, usize)>>,
    /// Predicates that a block keeps or brings about, whatever else is known: by source and number of the block, the
    /// predicate, and whether it must hold before.
    kept: RefCell<HashMap<(u32, usize, u32, bool), bool>>,
}

impl<'a> CheckedGraph<'a, '_> {
    pub fn check(&self) -> Result<(), NotProved> {
        let nodes: Vec<Prepared<'a>> = (self.refutation.nodes.iter())
            .map(|node| Prepared { node, runs: node.macrostates.iter().map(Runs::of).collect() })
            .collect();
        let mut at: Vec<Vec<&Prepared<'a>>> = vec![Vec::new(); self.refutation.states.len()];
        for node in &nodes {
            // Only the moves of runs in N, C and S are looked at: B must be a part of C, or it speaks of runs that are
            // none.
            if node.runs.iter().any(|runs| !runs.breakpoint.is_subset(&runs.checked)) {
                return Err(NotProved::wrong("a node waits at a breakpoint for runs that it does not have"));
            }
            at[node.node.state as usize].push(node);
        }
        self.start(&at)?;
        let mut exact: ExactNodes<'_, 'a> = HashMap::default();
        for node in &nodes {
            exact.entry((node.node.state, &node.runs[..])).or_default().push(node);
        }
        let found = NodeResults::default();
        for node in &nodes {
            self.waits(node)?;
            self.steps(node, &at, &exact, &found)?;
        }
        Ok(())
    }

    fn start(&self, at: &[Vec<&Prepared<'a>>]) -> Result<(), NotProved> {
        for initial in self.refutation.automaton.initial() {
            let state = self.states.get(&(Control::Start, initial.index() as u32));
            let runs: Vec<Runs> = self.modules.iter().map(|module| Runs::initial(module.is_accepting(0))).collect();
            let covers = |node: &&&Prepared<'a>| {
                // Before the first step nothing is known.
                node.node.predicates.is_empty()
                    && node.runs.iter().zip(&runs).all(|(covering, runs)| runs.contains(covering))
            };
            let is_covered = state.is_some_and(|&state| {
                self.invariants[state as usize].is_empty() && at[state as usize].iter().any(|node| covers(&node))
            });
            if !is_covered {
                return Err(NotProved::Wrong(format!(
                    "no node stands for the start in state {} of the automaton",
                    initial.index()
                )));
            }
        }
        Ok(())
    }

    /// That the node waits for the breakpoint that is missing.
    fn waits(&self, node: &Prepared<'a>) -> Result<(), NotProved> {
        let ProgressCondition::Breakpoint(module) = self.refutation.missing[node.node.number as usize] else {
            return Ok(());
        };
        match node.runs.get(module as usize) {
            Some(runs) if !runs.breakpoint.is_empty() => Ok(()),
            _ => Err(NotProved::Wrong(format!(
                "a node with the number {} is at a breakpoint of module {module}",
                node.node.number
            ))),
        }
    }

    fn steps(
        &self,
        node: &Prepared<'a>,
        at: &[Vec<&Prepared<'a>>],
        exact: &ExactNodes<'_, 'a>,
        found: &NodeResults,
    ) -> Result<(), NotProved> {
        let state = node.node.state;
        let known: Vec<Term> = (self.invariants[state as usize].iter().copied())
            .chain(node.node.predicates.iter().map(|&predicate| self.predicates[predicate as usize]))
            .collect();
        for (index, block) in self.blocks[state as usize].iter().enumerate() {
            self.obligations.check()?;
            // What the certificate does not know is covered by a node that says nothing of modules.
            let each = match block.letter {
                None => Vec::new(),
                Some(letter) => {
                    let parts = node.runs.iter().enumerate();
                    let each = parts.map(|(module, runs)| self.follow(module, runs, state, index, letter, found));
                    each.collect::<Result<Vec<_>, NotProved>>()?
                }
            };
            for runs in combinations(each)? {
                // Mostly the node with just these runs covers.
                let first = exact.get(&(block.to, &runs[..])).into_iter().flatten();
                let mut candidates = first.chain(&at[block.to as usize]);
                let covering = candidates.any(|next| self.covers(node, index, &known, &runs, next, found));
                if !covering {
                    if self.obligations.never_taken(&known, &block.step) {
                        break;
                    }
                    return Err(NotProved::Wrong(format!(
                        "no node stands for what follows on a node with the number {} at state {state}, on a way to state {}",
                        node.node.number, block.to
                    )));
                }
            }
        }
        Ok(())
    }

    /// Whether a node stands for what follows on another by a block, with these runs of the modules.
    fn covers(
        &self,
        from: &Prepared<'a>,
        index: usize,
        known: &[Term],
        runs: &[Runs],
        next: &Prepared<'a>,
        found: &NodeResults,
    ) -> bool {
        let block = &self.blocks[from.node.state as usize][index];
        let (before, after) = (from.node.number, next.node.number);
        if after > before || next.runs.len() > runs.len() {
            return false;
        }
        let stays = after == before;
        let goes_on = match self.refutation.missing[before as usize] {
            ProgressCondition::Edges => !stays,
            ProgressCondition::Mark(mark) => !stays || block.marks.intersection(Marks::one(mark)).is_empty(),
            ProgressCondition::Breakpoint(_) => true,
        };
        // Where the number stays, so must the breakpoints that are waited for.
        let has_runs = next.runs.iter().zip(runs).all(|(covering, runs)| {
            runs.contains(covering) && (!stays || covering.breakpoint.is_subset(&runs.breakpoint))
        });
        if !goes_on || !has_runs {
            return false;
        }
        let open: Vec<Term> = (next.node.predicates.iter())
            .filter(|&&predicate| !self.keeps(from.node, index, predicate, found))
            .map(|&predicate| self.predicates[predicate as usize])
            .collect();
        open.is_empty() || self.obligations.hold_after(known, &block.step, &open)
    }

    /// Whether a block brings a predicate about by itself, or keeps it if it holds before.
    fn keeps(&self, node: &ProofNode, index: usize, predicate: u32, found: &NodeResults) -> bool {
        let state = node.state;
        let block = &self.blocks[state as usize][index];
        let invariant = &self.invariants[state as usize];
        let wanted = [self.predicates[predicate as usize]];
        let shown = |held: bool| {
            let key = (state, index, predicate, held);
            if let Some(&known) = found.kept.borrow().get(&key) {
                return known;
            }
            let known: Vec<Term> = invariant.iter().copied().chain(wanted.iter().copied().filter(|_| held)).collect();
            let holds = self.obligations.hold_after(&known, &block.step, &wanted);
            found.kept.borrow_mut().insert(key, holds);
            holds
        };
        shown(false) || node.predicates.contains(&predicate) && shown(true)
    }

    /// What the runs of a module may do next. Every transition that is used is shown to be what its states say.
    fn follow(
        &self,
        number: usize,
        runs: &Runs,
        state: u32,
        index: usize,
        letter: u32,
        found: &NodeResults,
    ) -> Result<Vec<Runs>, NotProved> {
        let module = &self.modules[number];
        let block = &self.blocks[state as usize][index];
        for from in runs.states() {
            let key = (number, from, state, index);
            if found.followed.borrow().contains(&key) {
                continue;
            }
            for to in module.next(from, letter) {
                let known: Vec<Term> =
                    (self.invariants[state as usize].iter().copied()).chain(module.leaving(self.terms, from)).collect();
                let wanted = module.entering(self.terms, from, to);
                if !self.obligations.hold_after(&known, &block.step, &wanted) {
                    return Err(NotProved::Wrong(format!(
                        "module {number} goes from state {from} to {to} on letter {letter} without a reason"
                    )));
                }
            }
            found.followed.borrow_mut().insert(key);
        }
        let after = runs.after(&|from| module.next(from, letter), &|state| module.is_accepting(state));
        after.ok_or_else(|| NotProved::wrong("a module leaves too much to be guessed"))
    }
}

/// One choice from each list, in every way.
fn combinations(lists: Vec<Vec<Runs>>) -> Result<Vec<Vec<Runs>>, NotProved> {
    let mut chosen: Vec<Vec<Runs>> = vec![Vec::new()];
    for list in lists {
        if chosen.len() * list.len() > MOST_COMBINATIONS {
            return Err(NotProved::wrong("the modules leave too much to be guessed"));
        }
        let longer = |runs: &Vec<Runs>| {
            let with = |next: &Runs| runs.iter().cloned().chain([next.clone()]).collect::<Vec<_>>();
            list.iter().map(with).collect::<Vec<_>>()
        };
        chosen = chosen.iter().flat_map(longer).collect();
    }
    Ok(chosen)
}
