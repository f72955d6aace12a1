//! The proof, written down: what [`certify`](../../../certify/index.html) needs to follow it without a search.
//!
//! The engine works on a simplified program; the certificate speaks of the inlined one, so that nobody has to believe in
//! the passes. Locations, edges and variables are led back to it, and what constant propagation knew is written as
//! invariants. The graph is what the searches have found to accept nothing ([`Rest::closed`]), together with the states of
//! the product from which no fair trace is left.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use analysis::points_to::Object as Pointed;
use automata::buchi::{Automaton, Marks, StateId};
use foundation::Id;
use logic::{Symbol, Term, Terms};
use num_bigint::BigInt;
use program::passes::Prepared;
use program::passes::constants::{KnownValue, constants, known_values};
use program::passes::promote::promote;
use program::passes::slice::slice;
use program::{EdgeId, LocationId, Op, Scalar, Type, TypeId, VariableId};
use task::Negation;
use task::certificate::refutation as written;
use task::certificate::refutation::{
    Address, Cell, Declaration, Missing, ModuleState, Node, Object, ProductEdge, ProductState, RankedModule, Refutation,
};
use task::certificate::sexp::Sexp;

use super::invariants::{is_set_at, ranges_at};
use super::letter::{Letter, Letters};
use super::module::Refuted;
use super::observation::Observation;
use super::product::Place;
use super::ranked::{Ranked, Role};
use super::remainder::{Part, Rest};
use crate::encode::memory::Cell as EncodedCell;
use crate::encode::vocabulary::{Bounds, Shape};
use crate::encode::{Exit, Vocabulary};

/// How often the passes are run again to know what they knew.
const MOST_ROUNDS: usize = 4;

/// Of longer arrays nothing is said element by element.
const MOST_ELEMENTS: u64 = 32;

/// Records of more members than this are not written down member by member.
const MOST_MEMBERS: usize = 64;

/// What a proof was made of.
pub struct Proof<'a, 't> {
    /// The terms.
    pub terms: &'t Terms,
    /// The program as it was right after inlining.
    pub inlined: &'a Prepared,
    /// The program's symbols.
    pub vocabulary: &'a Vocabulary<'t>,
    /// The property's automaton.
    pub negation: &'a Negation,
    /// What is observed.
    pub observation: &'a Observation<'t>,
    /// The Büchi program with all of its states.
    pub whole: &'a Automaton<Letter>,
    /// The places of its states.
    pub places: &'a [(Place, StateId)],
    /// What holds there.
    pub invariants: &'a [Option<Term>],
    /// Its letters.
    pub letters: &'a Letters,
    /// The states of the whole that fair traces may pass, by their numbers in the rest.
    pub kept: &'a [StateId],
    /// What is left of it: nothing.
    pub rest: &'a Rest<'a, 't>,
    /// How many modules were refuted by a prefix.
    pub finite: usize,
}

impl<'t> Proof<'_, 't> {
    /// The certificate, or why it cannot be written.
    pub fn write(&self) -> Result<Refutation, String> {
        let names = Names::new(self)?;
        let reached = self.reached();
        // States of the product by their numbers in the whole.
        let mut numbers: BTreeMap<StateId, u32> = BTreeMap::new();
        for &state in &reached {
            let next = numbers.len() as u32;
            numbers.insert(state, next);
        }
        let known = known_by_passes(self.inlined);
        let states =
            reached.iter().map(|&state| self.state(state, &names, &known)).collect::<Result<Vec<_>, String>>()?;
        let edges = self.edges(&reached, &numbers, &names)?;
        let mut predicates: Vec<Term> = Vec::new();
        let mut predicate_numbers: HashMap<Term, u32> = HashMap::new();
        let Graph { mut nodes, missing } = self.graph(&numbers, &reached, &mut |term| {
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
        let (symbols, addresses) = (names.declared.into_inner(), self.addresses());
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

    fn place(&self, place: Place) -> Result<written::Place, String> {
        let before = &self.prepared().inlined;
        Ok(match place {
            Place::Start => written::Place::Start,
            Place::At(location) => {
                let location = before.locations[location].ok_or("a step ends inside of a statement")?;
                written::Place::At(location)
            }
            Place::Stopped(edge, exit) => written::Place::Stopped(before.edges[edge], written_exit(exit)),
        })
    }

    fn state(&self, state: StateId, names: &Names<'_, '_>, known: &KnownAt) -> Result<ProductState, String> {
        let (place, automaton) = self.places[state.index()];
        let place = self.place(place)?;
        let mut conditions: BTreeSet<Term> = BTreeSet::new();
        if place != written::Place::Start {
            if let Some(invariant) = self.invariants[state.index()] {
                conditions.extend(self.terms.conjuncts(invariant));
            }
            conditions.extend(ranges_at(self.vocabulary, self.places[state.index()].0));
            conditions.extend(self.addresses_at(self.places[state.index()].0));
            conditions.extend(self.values_at(self.places[state.index()].0));
            conditions.extend(self.elements());
        }
        conditions.retain(|&condition| self.terms.as_truth(condition) != Some(true));
        let mut invariant = conditions.into_iter().map(|term| names.write(term)).collect::<Result<Vec<_>, String>>()?;
        if let written::Place::At(location) = place {
            let known = known.get(&location).into_iter().flatten();
            invariant.extend(known.filter_map(|(cell, value)| names.equation(*cell, value)));
        }
        Ok(ProductState { place, automaton: automaton.index() as u32, invariant })
    }

    /// What ranges say of the elements of short arrays of which they say more than the type does.
    fn elements(&self) -> Vec<Term> {
        let program = self.vocabulary.program();
        let mut found = Vec::new();
        for (variable, symbol) in self.vocabulary.named() {
            let Ok(Shape::Array { element: Scalar::Int(ty), length }) =
                self.vocabulary.shape(variable, program.variables[variable].span)
            else {
                continue;
            };
            let bounds = self.vocabulary.bounds(variable);
            if length > MOST_ELEMENTS || self.vocabulary.is_machine() && bounds == Bounds::of_type(ty) {
                continue;
            }
            let scale = self.vocabulary.scale(variable, Scalar::Int(ty));
            for index in 0..length {
                let index = self.terms.integer(index * scale);
                let element = self.terms.select(self.terms.variable(symbol), index);
                found.extend(self.terms.conjuncts(bounds.hold_for(self.terms, element)));
            }
        }
        found
    }

    /// Where pointers lead that matter at a place.
    fn addresses_at(&self, place: Place) -> Vec<Term> {
        let is_pointer = |symbol: Symbol| self.vocabulary.scalar_of(symbol) == Some(Scalar::Pointer);
        let variables = self.vocabulary.named().into_iter();
        let variables = variables.map(|(variable, symbol)| (Pointed::Variable(variable), symbol));
        let cells = self.vocabulary.cells().into_iter().map(|(object, _, symbol)| (object, symbol));
        let is_set = |symbol: Symbol| is_set_at(self.vocabulary, place, symbol);
        let pointers = variables.chain(cells).filter(|(_, symbol)| is_pointer(*symbol) && is_set(*symbol));
        pointers.filter_map(|(object, symbol)| self.leads(object, symbol)).collect()
    }

    /// The values that variables can have at a place, where these are few and no interval.
    fn values_at(&self, place: Place) -> Vec<Term> {
        let named = self.vocabulary.named().into_iter();
        let set = named.filter(|(_, symbol)| is_set_at(self.vocabulary, place, *symbol));
        let one_of = |(variable, symbol): (VariableId, Symbol)| {
            let values = self.vocabulary.few_values(variable)?;
            self.vocabulary.scalar_of(symbol).filter(|scalar| matches!(scalar, Scalar::Int(_)))?;
            let number = self.terms.variable(symbol);
            Some(self.terms.or(values.iter().map(|&value| self.terms.equal(number, self.terms.integer(value)))))
        };
        set.filter_map(one_of).collect()
    }

    /// Where a pointer leads that an object holds.
    fn leads(&self, holder: Pointed, symbol: Symbol) -> Option<Term> {
        let (terms, memory) = (self.terms, &self.vocabulary.memory);
        let targets = memory.points_to().contents(holder)?;
        if targets.others {
            return None;
        }
        let pointer = terms.variable(symbol);
        let mut ways = Vec::new();
        if targets.numbers {
            ways.push(terms.less_equal(terms.integer(0), pointer));
        }
        for (&object, offsets) in &targets.objects {
            for offsets in offsets {
                if offsets.modulus != 0 {
                    return None;
                }
                ways.push(terms.equal(pointer, terms.integer(memory.base(object) + offsets.remainder)));
            }
        }
        Some(terms.or(ways))
    }

    fn edges(
        &self,
        reached: &[StateId],
        numbers: &BTreeMap<StateId, u32>,
        names: &Names<'_, '_>,
    ) -> Result<Vec<ProductEdge>, String> {
        let before = &self.prepared().inlined;
        let mut edges = Vec::new();
        let mut guards = Vec::new();
        for &state in reached {
            for edge in self.whole.edges_from(state) {
                let taken = self.letters.way(edge.label);
                let mut way: Vec<EdgeId> =
                    taken.iter().filter_map(|taken| taken.edge.map(|edge| before.edges[edge])).collect();
                // What was one edge before it was split is one edge.
                way.dedup();
                let reads = taken.iter().filter_map(|taken| taken.read).collect();
                let (from, to) = (numbers[&edge.from], numbers[&edge.to]);
                edges.push(ProductEdge { from, to, letter: edge.label.step, way, reads, condition: None });
                guards.push(edge.label);
            }
        }
        let mut alike: HashMap<_, Vec<usize>> = HashMap::new();
        for (index, edge) in edges.iter().enumerate() {
            alike.entry((edge.from, edge.to, edge.way.clone(), edge.reads.clone())).or_default().push(index);
        }
        let is_part = |letter: Letter| self.letters.way(letter).iter().any(|taken| taken.is_part);
        for index in alike.into_values().filter(|alike| alike.len() > 1 || is_part(guards[alike[0]])).flatten() {
            edges[index].condition = Some(self.condition(guards[index], names)?);
        }
        Ok(edges)
    }

    /// The guard of a letter, with the inputs called by the edges that read them.
    fn condition(&self, letter: Letter, names: &Names<'_, '_>) -> Result<Sexp, String> {
        let before = &self.prepared().inlined;
        let mut inputs: HashMap<Symbol, String> = HashMap::new();
        for taken in &*self.letters.way(letter) {
            let edge = taken.edge.map_or("start".to_owned(), |edge| before.edges[edge].index().to_string());
            for (index, asked) in taken.asked.iter().enumerate() {
                inputs.insert(asked.symbol, format!("?{edge}.{index}"));
            }
        }
        // A conjunct over something that has no name is left out: the condition then holds more often.
        let guard = self.terms.conjuncts(self.letters.step(letter).guard);
        // That an input is of its type need not be said.
        let types: HashSet<Term> = (self.letters.way(letter).iter())
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
        let before = &self.prepared().inlined;
        let (mut unread, mut reread) = (BTreeSet::new(), BTreeSet::new());
        let mut reading: HashSet<EdgeId> = HashSet::new();
        for edge in self.prepared().program.edges.ids() {
            let inlined = before.edges[edge];
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

    fn module(&self, module: &Ranked<'_>, names: &Names<'_, '_>) -> Result<RankedModule, String> {
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

    /// The graph: what the searches found to accept nothing, and the product's states that no fair trace passes.
    fn graph(
        &self,
        numbers: &BTreeMap<StateId, u32>,
        reached: &[StateId],
        predicate: &mut dyn FnMut(Term) -> u32,
    ) -> Result<Graph, String> {
        let closed = self.rest.closed().ok_or("a state of the search was not kept")?;
        let mut nodes = Vec::new();
        for state in &closed.states {
            let mut node = Node {
                state: numbers[&self.kept[state.minuend.index()]],
                predicates: Vec::new(),
                macrostates: Vec::new(),
                number: 0,
            };
            for part in self.rest.parts(state) {
                match part {
                    Part::Finite(Refuted::Finite(module), state) => {
                        node.predicates.extend(module.held(state).into_iter().map(&mut *predicate));
                    }
                    Part::Finite(..) => return Err("a prefix was refuted without predicates".to_owned()),
                    Part::Omega(macrostate) => {
                        let list = |set: &automata::algorithms::StateSet| {
                            set.iter().map(|state| state.index() as u32).collect()
                        };
                        node.macrostates.push(written::Macrostate {
                            uncommitted: list(&macrostate.uncommitted),
                            checked: list(&macrostate.checked),
                            safe: list(&macrostate.safe),
                            breakpoint: list(&macrostate.breakpoint),
                        });
                    }
                }
            }
            node.predicates.sort_unstable();
            node.predicates.dedup();
            nodes.push(node);
        }
        let mut edges = closed.edges;
        let kept: HashSet<StateId> = self.kept.iter().copied().collect();
        let mut hopeless: HashMap<StateId, usize> = HashMap::new();
        for &state in reached.iter().filter(|state| !kept.contains(state)) {
            hopeless.insert(state, nodes.len());
            nodes.push(Node { state: numbers[&state], predicates: Vec::new(), macrostates: Vec::new(), number: 0 });
        }
        let sources: Vec<(usize, StateId)> = (closed.states.iter().enumerate())
            .map(|(index, state)| (index, self.kept[state.minuend.index()]))
            .chain(hopeless.iter().map(|(&state, &index)| (index, state)))
            .collect();
        for (from, state) in sources {
            for edge in self.whole.edges_from(state) {
                if let Some(&to) = hopeless.get(&edge.to) {
                    edges.push((from, edge.marks, to));
                }
            }
        }
        number(nodes, &edges, self.negation.automaton.acceptance_sets())
    }

    /// The numbers that stand for addresses, of all objects that the inlined program takes the address of.
    fn addresses(&self) -> Vec<Address> {
        let memory = &self.vocabulary.memory;
        let before = &self.prepared().inlined;
        let variables = (self.inlined.program.variables.iter()).filter(|(_, variable)| variable.address_taken);
        let mut addresses: Vec<Address> = variables
            .map(|(id, _)| Address { object: Object::Variable(id), base: memory.base(Pointed::Variable(id)) })
            .collect();
        for (edge, data) in self.prepared().program.edges.iter() {
            if matches!(data.op, Op::Allocate { .. }) {
                addresses
                    .push(Address { object: Object::Heap(before.edges[edge]), base: memory.base(Pointed::Heap(edge)) });
            }
        }
        addresses
    }
}

/// What is known at a location of the inlined program: the values of scalars, by their variable and their offset in bits.
type KnownAt = HashMap<LocationId, Vec<((VariableId, u64), KnownValue)>>;

/// What the passes know of values, in the rounds in which they find it out.
fn known_by_passes(inlined: &Prepared) -> KnownAt {
    let mut found = KnownAt::new();
    let mut prepared = inlined.clone();
    for _ in 0..MOST_ROUNDS {
        let before: Vec<Op> = prepared.program.edges.values().map(|edge| edge.op.clone()).collect();
        prepared = promote(prepared);
        for (location, known) in known_values(&prepared).iter() {
            let Some(location) = prepared.inlined.locations[location] else { continue };
            for (variable, value) in known.iter().flatten() {
                let cell = prepared.inlined.parts.get(variable).copied().unwrap_or((*variable, 0));
                let entry = (cell, value.clone());
                let all = found.entry(location).or_default();
                if !all.contains(&entry) {
                    all.push(entry);
                }
            }
        }
        prepared = slice(constants(prepared));
        if prepared.program.edges.values().map(|edge| &edge.op).eq(&before) {
            break;
        }
    }
    found
}

fn written_exit(exit: Exit) -> written::Exit {
    match exit {
        Exit::Passes => written::Exit::Passes,
        Exit::Returns => written::Exit::Returns,
        Exit::Ends => written::Exit::Ends,
        Exit::Undefined => written::Exit::Undefined,
    }
}

struct Graph {
    nodes: Vec<Node>,
    missing: Vec<Missing>,
}

/// Numbers the nodes by their components, those that are left last first, and says what each component lacks.
fn number(mut nodes: Vec<Node>, edges: &[(usize, Marks, usize)], sets: u32) -> Result<Graph, String> {
    let mut graph: Automaton<()> = Automaton::new(0);
    let ids: Vec<StateId> = nodes.iter().map(|_| graph.add_state()).collect();
    for &id in &ids {
        graph.add_initial(id);
    }
    for &(from, _, to) in edges {
        graph.add_edge(ids[from], (), ids[to], Marks::NONE);
    }
    // Edges lead to components with smaller ids.
    let components = automata::buchi::Components::of(&graph);
    let mut inside = vec![None::<Marks>; components.len()];
    for (node, &id) in nodes.iter_mut().zip(&ids) {
        node.number = components.of_state(id).expect("every node is an initial one").index() as u32;
    }
    for &(from, marks, to) in edges {
        let (from, to) = (nodes[from].number, nodes[to].number);
        if from == to {
            let before = inside[from as usize].unwrap_or(Marks::NONE);
            inside[from as usize] = Some(before.union(marks));
        }
    }
    // For each component, the modules whose breakpoint no node of it has reached.
    let mut waiting: Vec<Option<BTreeSet<u32>>> = vec![None; components.len()];
    for node in &nodes {
        let open = (0u32..).zip(&node.macrostates).filter(|(_, runs)| !runs.breakpoint.is_empty());
        let open: BTreeSet<u32> = open.map(|(module, _)| module).collect();
        let all = &mut waiting[node.number as usize];
        *all = Some(all.take().map_or(open.clone(), |all| all.intersection(&open).copied().collect()));
    }
    let mut missing = Vec::new();
    for (number, marks) in inside.iter().enumerate() {
        missing.push(match marks {
            None => Missing::Edges,
            Some(marks) => {
                let absent = Marks::all(sets).minus(*marks).iter().next().map(Missing::Mark);
                let waits = || waiting[number].iter().flatten().next().map(|&module| Missing::Breakpoint(module));
                absent.or_else(waits).ok_or("a component of the search lacks nothing")?
            }
        });
    }
    Ok(Graph { nodes, missing })
}

/// The names of symbols in the certificate.
struct Names<'a, 't> {
    terms: &'t Terms,
    inlined: &'a Prepared,
    vocabulary: &'a Vocabulary<'t>,
    names: RefCell<HashMap<Symbol, String>>,
    declared: RefCell<Vec<Declaration>>,
}

impl<'a, 't> Names<'a, 't> {
    fn new(proof: &Proof<'a, 't>) -> Result<Self, String> {
        let names = Self {
            terms: proof.terms,
            inlined: proof.inlined,
            vocabulary: proof.vocabulary,
            names: RefCell::default(),
            declared: RefCell::default(),
        };
        proof.observation.name_atoms(proof.terms);
        let types = &proof.inlined.program.types;
        let before = &proof.prepared().inlined;
        for (variable, symbol) in proof.vocabulary.named() {
            let data = &proof.prepared().program.variables[variable];
            let shape = proof.vocabulary.shape(variable, data.span).map_err(|reason| reason.to_string())?;
            let (whole, offset) = before.parts.get(&variable).copied().unwrap_or((variable, 0));
            let object = Object::Variable(whole);
            let cell = match shape {
                Shape::Scalar(scalar) => Cell::One { object, offset, scalar },
                Shape::Array { .. } if offset > 0 => continue,
                Shape::Array { element, .. } => {
                    let bytes = types.scalar_bits(element) / 8;
                    Cell::Many { object, scalar: element, unit: bytes / proof.vocabulary.scale(variable, element) }
                }
            };
            names.declare(symbol, format!("{}@{}", data.name, variable.index()), cell);
        }
        for (object, cell, symbol) in proof.vocabulary.cells() {
            let (object, name) = match object {
                Pointed::Variable(variable) => {
                    let name = &proof.prepared().program.variables[variable].name;
                    (Object::Variable(variable), format!("{name}@{}", variable.index()))
                }
                Pointed::Heap(edge) => {
                    let edge = before.edges[edge];
                    (Object::Heap(edge), format!("heap@{}", edge.index()))
                }
            };
            let layout = proof.vocabulary.memory.layout(match object {
                Object::Variable(variable) => Pointed::Variable(variable),
                Object::Heap(edge) => {
                    let simplified = before.edges.iter().find(|(_, inlined)| **inlined == edge).map(|(own, _)| own);
                    Pointed::Heap(simplified.unwrap_or(edge))
                }
            });
            let (cell, name) = match cell {
                EncodedCell::One(offset) => {
                    let Some(slot) = layout.and_then(|layout| layout.slots.get(&offset)) else { continue };
                    (Cell::One { object, offset: offset * 8, scalar: slot.scalar }, format!("{name}+{offset}"))
                }
                EncodedCell::Many(scalar) => (Cell::Many { object, scalar, unit: 1 }, format!("{name}[]")),
                EncodedCell::Alive => (Cell::Alive(object), format!("{name}.alive")),
            };
            names.declare(symbol, name, cell);
        }
        names.declare_rest();
        Ok(names)
    }

    /// Declares the scalars of which the proof says nothing: what the passes knew of them is found out again.
    fn declare_rest(&self) {
        let program = &self.inlined.program;
        let mut is_declared: HashSet<(Object, u64)> = HashSet::new();
        let mut has_array: HashSet<Object> = HashSet::new();
        for declaration in self.declared.borrow().iter() {
            match declaration.cell {
                Cell::One { object, offset, .. } => _ = is_declared.insert((object, offset)),
                Cell::Many { object, .. } => _ = has_array.insert(object),
                Cell::Alive(_) => {}
            }
        }
        let mut declare = |variable: VariableId, offset: u64, scalar: Scalar| {
            let object = Object::Variable(variable);
            if has_array.contains(&object) || !is_declared.insert((object, offset)) {
                return;
            }
            let name = name_of(program, variable);
            let name = if offset == 0 { name } else { format!("{name}+{offset}") };
            self.declared.borrow_mut().push(Declaration { name, cell: Cell::One { object, offset, scalar } });
        };
        // Parts of variables that the passes have split, elements of arrays among them.
        let simplified = self.vocabulary.prepared;
        let parts: BTreeMap<VariableId, (VariableId, u64)> =
            simplified.inlined.parts.iter().map(|(&part, &place)| (part, place)).collect();
        for (part, (whole, offset)) in parts {
            let program = &simplified.program;
            match program.types.get(program.variables[part].ty) {
                Type::Scalar(scalar) if !matches!(scalar, Scalar::Float(_)) => declare(whole, offset, *scalar),
                _ => {}
            }
        }
        for variable in self.inlined.used_variables() {
            for (offset, scalar) in scalars(&program.types, program.variables[variable].ty).unwrap_or_default() {
                declare(variable, offset, scalar);
            }
        }
    }

    fn declare(&self, symbol: Symbol, name: String, cell: Cell) {
        self.names.borrow_mut().insert(symbol, name.clone());
        self.declared.borrow_mut().push(Declaration { name, cell });
    }

    /// A condition over the program's variables.
    fn write(&self, term: Term) -> Result<Sexp, String> {
        self.write_with(term, &HashMap::new())
    }

    /// A condition over these symbols and the program's variables.
    fn write_with(&self, term: Term, more: &HashMap<Symbol, String>) -> Result<Sexp, String> {
        let names = self.names.borrow();
        let name = |symbol: &Symbol| more.get(symbol).or_else(|| names.get(symbol));
        if let Some(unnamed) = self.terms.symbols(term).iter().find(|&symbol| name(symbol).is_none()) {
            return Err(format!("`{}` cannot be told apart in memory", self.terms.name(*unnamed)));
        }
        let text = self
            .terms
            .smt_lib_with(term, &|symbol| name(&symbol).map_or_else(String::new, |name| Sexp::word(name).to_string()));
        Sexp::parse(&text).map_err(|malformed| format!("a condition cannot be written: {}", malformed.what))
    }

    /// That a scalar of the inlined program has a value.
    fn equation(&self, (variable, bit): (VariableId, u64), value: &KnownValue) -> Option<Sexp> {
        let declared = self.declared.borrow();
        let (scalar, name) = declared.iter().find_map(|declaration| match &declaration.cell {
            Cell::One { object, offset, scalar } if *object == Object::Variable(variable) && *offset == bit => {
                Some((scalar, &declaration.name))
            }
            _ => None,
        })?;
        let symbol = Sexp::word(name);
        Some(match value {
            KnownValue::Bool(true) => symbol,
            KnownValue::Bool(false) => Sexp::tagged("not", [symbol]),
            KnownValue::Int(value) if *scalar == Scalar::Bool => {
                if *value == BigInt::from(0) {
                    Sexp::tagged("not", [symbol])
                } else {
                    symbol
                }
            }
            KnownValue::Int(value) => equal(symbol, value.clone()),
            KnownValue::Null => equal(symbol, BigInt::from(0)),
            KnownValue::AddressOf(of) => equal(symbol, self.vocabulary.memory.base(Pointed::Variable(*of))),
        })
    }
}

fn name_of(program: &program::Program, variable: VariableId) -> String {
    format!("{}@{}", program.variables[variable].name, variable.index())
}

/// The scalars of a type with their offsets in bits, if it has no arrays, overlaps or floating-point numbers; not many.
fn scalars(types: &program::Types, ty: TypeId) -> Option<Vec<(u64, Scalar)>> {
    match types.get(ty) {
        Type::Scalar(Scalar::Float(_)) | Type::Array { .. } | Type::Opaque => None,
        Type::Scalar(scalar) => Some(vec![(0, *scalar)]),
        Type::Record(record) if record.is_union || record.fields.len() > MOST_MEMBERS => None,
        Type::Record(record) => {
            let mut found = Vec::new();
            for field in record.fields.iter().filter(|field| field.bit_width.is_none()) {
                let inner = scalars(types, field.ty).unwrap_or_default();
                found.extend(inner.into_iter().map(|(offset, scalar)| (field.offset_bits + offset, scalar)));
            }
            Some(found)
        }
    }
}

fn equal(symbol: Sexp, value: BigInt) -> Sexp {
    let value = if value < BigInt::from(0) { Sexp::tagged("-", [Sexp::word(-value)]) } else { Sexp::word(value) };
    Sexp::tagged("=", [symbol, value])
}
