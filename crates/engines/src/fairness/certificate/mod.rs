//! The proof, written down, so that it can be followed without a search.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `known` | what was known of the program's states beforehand, as invariants |
//! | `names` | the words of conditions, and which cell of memory each stands for |
//! | `graph` | the graph of what accepts nothing, with its numbers |
//!
//! The engine works on a simplified program; the certificate speaks of the inlined one, so that nobody has to believe
//! in the passes. Locations, edges and variables are led back to it, and what constant propagation knew is written as
//! invariants. The graph is what the searches have found to accept nothing ([`RemainingLanguage::closed`]), together
//! with the states of the product from which no fair trace is left.

mod graph;
mod known;
pub(super) mod names;

use std::collections::{BTreeMap, BTreeSet};

use automata::buchi::{Automaton, StateId};
use foundation::Id;
use foundation::collections::{HashMap, HashSet};
use logic::{Symbol, Term, Terms};
use program::EdgeId;
use program::passes::Prepared;
use task::Negation;
use task::certificate::refutation as written;
use task::certificate::refutation::{ModuleState, ProductEdge, ProductState, RankedModule, Refutation};
use task::certificate::sexp::Sexp;

use super::hoare::Triples;
use super::letter::{LetterId, Letters};
use super::module::Refuted;
use super::observation::ObservedProgram;
use super::product::Control;
use super::ranked::{Ranked, Role};
use super::remainder::RemainingLanguage;
use crate::encode::{Exit, Vocabulary};
use graph::ProofGraph;
use known::{KnownAt, known_by_passes};
use names::SymbolNames;

/// What a proof was made of.
pub struct ProofParts<'a, 't> {
    /// The terms.
    pub terms: &'t Terms,
    /// The program as it was right after inlining.
    pub inlined: &'a Prepared,
    /// The program's symbols.
    pub vocabulary: &'a Vocabulary<'t>,
    /// The property's automaton.
    pub negation: &'a Negation,
    /// What is observed.
    pub observation: &'a ObservedProgram<'t>,
    /// The Büchi program with all of its states.
    pub whole: &'a Automaton<LetterId>,
    /// The places of its states.
    pub places: &'a [(Control, StateId)],
    /// What holds there.
    pub invariants: &'a [Option<Term>],
    /// Its letters.
    pub letters: &'a Letters,
    /// The states of the whole that fair traces may pass, by their numbers in the rest.
    pub kept: &'a [StateId],
    /// What is left of it: nothing.
    pub rest: &'a RemainingLanguage<'a, 't>,
    /// How many modules were refuted by a prefix.
    pub finite: usize,
    /// Tells which edges can never be taken.
    pub triples: &'a Triples<'t>,
}

impl<'t> ProofParts<'_, 't> {
    /// The certificate, or why it cannot be written.
    pub fn write(&self) -> Result<Refutation, String> {
        let names = SymbolNames::new(self.terms, self.inlined, self.vocabulary, self.observation)?;
        let reached = self.reached();
        // States of the product by their numbers in the whole.
        let mut numbers: BTreeMap<StateId, u32> = BTreeMap::new();
        for &state in &reached {
            let next = numbers.len() as u32;
            numbers.insert(state, next);
        }
        let known = known_by_passes(self.inlined);
        let possible = self.possible();
        let mut states = Vec::new();
        for &state in &reached {
            let mut written = self.state(state, &names, &known)?;
            if !possible.contains(&state) {
                written.invariant.push(Sexp::word(false));
            }
            states.push(written);
        }
        let edges = self.edges(&reached, &numbers, &names)?;
        let mut predicates: Vec<Term> = Vec::new();
        let mut predicate_numbers: HashMap<Term, u32> = HashMap::default();
        let ProofGraph { mut nodes, missing } = self.graph(&numbers, &reached, &mut |term| {
            *predicate_numbers.entry(term).or_insert_with(|| {
                predicates.push(term);
                predicates.len() as u32 - 1
            })
        })?;
        nodes.sort_by_key(|node| node.number);
        let modules = self.ranked()?.into_iter().map(|module| self.module(module, &names));
        let modules = modules.collect::<Result<Vec<_>, String>>()?;
        let predicates = predicates.into_iter().map(|term| names.write(term)).collect::<Result<Vec<_>, String>>()?;
        let (unread, reread) = self.unread();
        let addresses = names.addresses();
        let symbols = names.declared.into_inner();
        let automaton = self.negation.automaton.clone();
        let finite = self.finite;
        Ok(Refutation {
            automaton,
            symbols,
            addresses,
            unread,
            reread,
            states,
            edges,
            predicates,
            modules,
            nodes,
            missing,
            definitions: Vec::new(),
            steps: Vec::new(),
            finite,
        })
    }

    fn prepared(&self) -> &Prepared {
        self.vocabulary.prepared
    }

    /// The states of the whole that can be reached, in order.
    fn reached(&self) -> Vec<StateId> {
        let mut reached: BTreeSet<StateId> = self.whole.initial().iter().copied().collect();
        let mut open: Vec<StateId> = reached.iter().copied().collect();
        while let Some(state) = open.pop() {
            for edge in self.whole.edges_from(state) {
                if reached.insert(edge.to) {
                    open.push(edge.to);
                }
            }
        }
        reached.into_iter().collect()
    }

    /// The states of the whole to which a path leads on which nothing contradicts what is known. What is said of the
    /// others, such as that a variable has one value on all paths that there are, need not be kept by the steps from
    /// them.
    fn possible(&self) -> HashSet<StateId> {
        let mut possible: HashSet<StateId> = self.whole.initial().iter().copied().collect();
        let mut open: Vec<StateId> = possible.iter().copied().collect();
        while let Some(state) = open.pop() {
            let place = self.places[state.index()].0;
            let invariant = self.invariants[state.index()].filter(|_| place != Control::Start);
            let known = self.terms.and(self.known_at(place).into_iter().chain(invariant));
            for edge in self.whole.edges_from(state) {
                let is_taken = || {
                    let guard = self.letters.step(edge.label).guard;
                    !self.triples.is_impossible(self.terms.and([known, guard]))
                };
                if !possible.contains(&edge.to) && is_taken() {
                    possible.insert(edge.to);
                    open.push(edge.to);
                }
            }
        }
        possible
    }

    fn place(&self, place: Control) -> Result<written::Control, String> {
        let back = &self.prepared().back;
        Ok(match place {
            Control::Start => written::Control::Start,
            Control::At(location) => {
                let location = back.location(location).ok_or("a step ends inside of a statement")?;
                written::Control::At(location)
            }
            Control::Stopped(edge, exit) => written::Control::Stopped(back.edge(edge), written_exit(exit)),
        })
    }

    fn state(&self, state: StateId, names: &SymbolNames<'_, '_>, known: &KnownAt) -> Result<ProductState, String> {
        let (at, automaton) = self.places[state.index()];
        let place = self.place(at)?;
        let mut conditions: BTreeSet<Term> = self.known_at(at).into_iter().collect();
        if let Some(invariant) = self.invariants[state.index()].filter(|_| at != Control::Start) {
            conditions.extend(self.terms.conjuncts(invariant));
        }
        conditions.retain(|&condition| self.terms.as_truth(condition) != Some(true));
        let mut invariant = conditions.into_iter().map(|term| names.write(term)).collect::<Result<Vec<_>, String>>()?;
        if let written::Control::At(location) = place {
            let known = known.get(&location).into_iter().flatten();
            invariant.extend(known.filter_map(|(cell, value)| names.equation(*cell, value)));
        }
        Ok(ProductState { place, automaton: automaton.index() as u32, invariant })
    }

    fn edges(
        &self,
        reached: &[StateId],
        numbers: &BTreeMap<StateId, u32>,
        names: &SymbolNames<'_, '_>,
    ) -> Result<Vec<ProductEdge>, String> {
        let back = &self.prepared().back;
        let mut edges = Vec::new();
        let mut guards = Vec::new();
        for &state in reached {
            for edge in self.whole.edges_from(state) {
                let taken = self.letters.path(edge.label);
                let mut path: Vec<EdgeId> =
                    taken.iter().filter_map(|taken| taken.edge.map(|edge| back.edge(edge))).collect();
                // What was one edge before it was split is one edge.
                path.dedup();
                let reads = taken.iter().filter_map(|taken| taken.read).collect();
                let (from, to) = (numbers[&edge.from], numbers[&edge.to]);
                edges.push(ProductEdge { from, to, letter: edge.label.step, path, reads, condition: None });
                guards.push(edge.label);
            }
        }
        let mut alike: HashMap<_, Vec<usize>> = HashMap::default();
        for (index, edge) in edges.iter().enumerate() {
            alike.entry((edge.from, edge.to, edge.path.clone(), edge.reads.clone())).or_default().push(index);
        }
        let is_part = |letter: LetterId| self.letters.path(letter).iter().any(|taken| taken.is_part);
        for index in alike.into_values().filter(|alike| alike.len() > 1 || is_part(guards[alike[0]])).flatten() {
            edges[index].condition = Some(self.condition(guards[index], names)?);
        }
        Ok(edges)
    }

    /// The guard of a letter, with the inputs called by the edges that read them, and by what holds them afterwards:
    /// how many values a step asks for is not the same in the inlined program, where more variables are left.
    fn condition(&self, letter: LetterId, names: &SymbolNames<'_, '_>) -> Result<Sexp, String> {
        let mut inputs: HashMap<Symbol, String> = HashMap::default();
        let path = self.letters.path(letter);
        for (taken, edge) in path.iter().zip(names.edges_of(&path)) {
            for (index, (asked, holder)) in taken.asked.iter().zip(&taken.held_by).enumerate() {
                let holder = holder.and_then(|symbol| names.of(symbol));
                let name = holder.map_or_else(|| format!("?{edge}.{index}"), |holder| format!("?{edge}.{holder}"));
                inputs.insert(asked.symbol, name);
            }
        }
        // A conjunct over something that has no name is left out: the condition then holds more often.
        let guard = self.terms.conjuncts(self.letters.step(letter).guard);
        // That an input is of its type need not be said.
        let types: HashSet<Term> = (self.letters.path(letter).iter())
            .flat_map(|taken| &taken.asked)
            .flat_map(|asked| {
                let range = self.vocabulary.range(asked.scalar, self.terms.variable(asked.symbol));
                self.terms.conjuncts(range)
            })
            .collect();
        let is_named = |conjunct: &Term| {
            let unnamed = &self.letters.step(letter).inputs;
            self.terms.symbols(*conjunct).iter().all(|symbol| inputs.contains_key(symbol) || !unnamed.contains(symbol))
        };
        let guard = guard.into_iter().filter(|conjunct| !types.contains(conjunct)).filter(is_named);
        let guard = self.terms.and(guard);
        names.write_with(guard, &inputs)
    }

    /// The observed edges that read nothing, and the others that read.
    fn unread(&self) -> (Vec<EdgeId>, Vec<EdgeId>) {
        let back = &self.prepared().back;
        let (mut unread, mut reread) = (BTreeSet::new(), BTreeSet::new());
        let mut reading: HashSet<EdgeId> = HashSet::default();
        for edge in self.prepared().program.edges.ids() {
            let inlined = back.edge(edge);
            if self.observation.reads(edge) {
                reading.insert(inlined);
            } else {
                unread.insert(inlined);
            }
        }
        for &edge in &reading {
            if !self.observation.is_observed(&self.inlined.program.edges[edge]) {
                reread.insert(edge);
            }
        }
        let observed = |edge: &EdgeId| self.observation.is_observed(&self.inlined.program.edges[*edge]);
        unread.retain(|edge| !reading.contains(edge) && observed(edge));
        (unread.into_iter().collect(), reread.into_iter().collect())
    }

    /// The modules that descend; others have no certificate.
    fn ranked(&self) -> Result<Vec<&Ranked<'t>>, String> {
        let mut ranked = Vec::new();
        for module in self.rest.modules() {
            match module {
                Refuted::Finite(_) => {}
                Refuted::Ranked(module) => ranked.push(module),
                Refuted::Prefix(_) => return Err("a prefix was refuted without predicates".to_owned()),
                Refuted::OneLasso(_) => return Err("a lasso was refuted for itself alone".to_owned()),
            }
        }
        Ok(ranked)
    }

    fn module(&self, module: &Ranked<'_>, names: &SymbolNames<'_, '_>) -> Result<RankedModule, String> {
        let old = module.argument.old.iter().enumerate().map(|(index, &old)| (old, format!("old.{index}"))).collect();
        let write = |term: &Term| names.write_with(*term, &old);
        let function = module.argument.function.iter().map(write).collect::<Result<Vec<_>, String>>()?;
        let mut states = Vec::new();
        for (role, held) in module.annotations() {
            let role = match role {
                Role::Stem => written::Role::Stem,
                Role::Accepting => written::Role::Accepting,
                Role::Cycle => written::Role::Cycle,
                Role::False => written::Role::False,
            };
            states.push(ModuleState { role, condition: held.iter().map(write).collect::<Result<Vec<_>, String>>()? });
        }
        let mut transitions: BTreeMap<(u32, u32), Vec<u32>> = BTreeMap::new();
        for (from, step, to) in module.explored().transitions {
            transitions.entry((from as u32, step)).or_default().push(to as u32);
        }
        let transitions = transitions.into_iter().map(|((from, letter), to)| (from, letter, to)).collect();
        Ok(RankedModule { function, states, transitions })
    }
}

fn written_exit(exit: Exit) -> written::Exit {
    match exit {
        Exit::Passes => written::Exit::Passes,
        Exit::Returns => written::Exit::Returns,
        Exit::Ends => written::Exit::Ends,
        Exit::Undefined => written::Exit::Undefined,
    }
}
