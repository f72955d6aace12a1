//! Certificates as bracketed text and back: the format of `docs/certificate-format.md`.
//!
//! What is read has the right shape: numbers are numbers, roles are roles, and what refers to something by its number
//! refers to something that is there. Whether it proves anything is for the check to say.

use std::fmt::Display;

use automata::buchi::{Automaton, Guard, Marks, StateId};
use automata::ltl::AtomId;
use foundation::Id;
use num_bigint::BigInt;
use program::{EdgeId, FloatType, IntType, LocationId, Scalar};

use super::cover::{Cover, CoverBox, Part};
use super::refutation::{
    CellName, Control, Declaration, Exit, Macrostate, ModuleState, ObjectAddress, ObjectName, ProductEdge,
    ProductState, ProgressCondition, ProofNode, RankedModule, Refutation, Role,
};
use super::sexp::Sexp;
use super::steps::ProofStep;
use super::{Certificate, ClosedStateSpace, Unwritten};

/// The most states or edges of any kind.
const MOST_ENTRIES: usize = 10_000_000;

/// The most characters of a number.
const LONGEST_NUMBER_DIGITS: usize = 1000;

const EXITS: [(&str, Exit); 4] =
    [("passes", Exit::Passes), ("returns", Exit::Returns), ("ends", Exit::Ends), ("undefined", Exit::Undefined)];

const ROLES: [(&str, Role); 4] =
    [("stem", Role::Stem), ("accepting", Role::Accepting), ("cycle", Role::Cycle), ("false", Role::False)];

/// A certificate as an expression; none where it is not written down.
pub fn write(certificate: &Certificate) -> Option<Sexp> {
    match certificate {
        Certificate::ClosedStateSpace(space) => {
            let count = |tag: &str, count: u64| Sexp::tagged(tag, [Sexp::word(count)]);
            let parts =
                [automaton(&space.automaton), count("states", space.states), count("transitions", space.transitions)];
            Some(Sexp::tagged("closed-state-space", parts))
        }
        Certificate::Refutation(refutation) => Some(Sexp::tagged("refutation", parts_of(refutation))),
        Certificate::Cover(cover) => {
            let parts = [automaton(&cover.automaton), numbers("transitions", [cover.transitions])];
            Some(Sexp::tagged("cover", parts.into_iter().chain(cover.boxes.iter().map(cover_box))))
        }
        Certificate::Unwritten(Unwritten { .. }) => None,
    }
}

/// The certificate that an expression says; or what is wrong with it.
pub fn read(expression: &Sexp) -> Result<Certificate, String> {
    let mut items = Items::of(expression, "a certificate")?;
    match items.word()? {
        "closed-state-space" => {
            let automaton = read_automaton(&mut items.list("automaton")?)?;
            let states = items.list("states")?.only_number()?;
            let transitions = items.list("transitions")?.only_number()?;
            items.end()?;
            Ok(Certificate::ClosedStateSpace(ClosedStateSpace { automaton, states, transitions }))
        }
        "refutation" => Ok(Certificate::Refutation(Box::new(read_refutation(items)?))),
        "cover" => Ok(Certificate::Cover(Box::new(read_cover(items)?))),
        other => {
            Err(format!("`{other}` is no kind of certificate: `refutation`, `cover` and `closed-state-space` are"))
        }
    }
}

fn number(value: impl Display) -> Sexp {
    Sexp::word(value)
}

pub(crate) fn numbers<N: Display>(tag: &str, values: impl IntoIterator<Item = N>) -> Sexp {
    Sexp::tagged(tag, values.into_iter().map(number))
}

fn automaton(automaton: &Automaton<Guard>) -> Sexp {
    let mut parts = vec![
        numbers("states", [automaton.state_count()]),
        numbers("initial", automaton.initial().iter().map(|state| state.index())),
        numbers("sets", [automaton.acceptance_sets()]),
    ];
    for edge in automaton.edges() {
        let cubes = edge.label.cubes().into_iter().map(|cube| {
            let literal = |(atom, value): (AtomId, bool)| {
                let atom = Sexp::word(atom.index());
                if value { atom } else { Sexp::tagged("not", [atom]) }
            };
            Sexp::tagged("and", cube.into_iter().map(literal))
        });
        let ends = [edge.from.index(), edge.to.index()].map(number);
        let marks = numbers("marks", edge.marks.iter());
        parts.push(Sexp::tagged("edge", ends.into_iter().chain([marks, Sexp::tagged("or", cubes)])));
    }
    Sexp::tagged("automaton", parts)
}

fn cover_box(covered: &CoverBox) -> Sexp {
    let values = covered.values.iter().map(|(part, intervals)| {
        let name = [number(part.variable.index()), number(part.number)];
        let bounds = intervals.iter().map(|&(low, high)| Sexp::List(vec![bound(low), bound(high)]));
        Sexp::tagged("part", name.into_iter().chain(bounds))
    });
    Sexp::tagged("box", [number(covered.location.index())].into_iter().chain(values))
}

/// A bound of an interval, or a star where there is none.
fn bound(bound: i128) -> Sexp {
    match bound {
        i128::MIN | i128::MAX => Sexp::word("*"),
        bound => number(bound),
    }
}

fn parts_of(refutation: &Refutation) -> Vec<Sexp> {
    let Refutation { symbols, addresses, unread, reread, states, edges, predicates, modules, nodes, missing, .. } =
        refutation;
    let mut parts = vec![automaton(&refutation.automaton), numbers("finite", [refutation.finite])];
    parts.extend(declarations(symbols, addresses));
    parts.push(numbers("unread", unread.iter().map(|edge| edge.index())));
    parts.push(numbers("reread", reread.iter().map(|edge| edge.index())));
    parts.extend(states.iter().map(|state| {
        let start = [place(state.place), number(state.automaton)];
        Sexp::tagged("state", start.into_iter().chain(state.invariant.iter().cloned()))
    }));
    parts.extend(edges.iter().map(|edge| {
        let ends = [edge.from, edge.to, edge.letter].map(number);
        let path = [numbers("way", edge.path.iter().map(|edge| edge.index())), numbers("reads", edge.reads.iter())];
        Sexp::tagged("edge", ends.into_iter().chain(path).chain(edge.condition.clone()))
    }));
    parts.extend(predicates.iter().map(|predicate| Sexp::tagged("predicate", [predicate.clone()])));
    parts.extend(modules.iter().map(module));
    parts.extend(nodes.iter().map(|node| {
        let start = [number(node.number), number(node.state), numbers("knows", &node.predicates)];
        let runs = node.macrostates.iter().map(|macrostate| {
            let Macrostate { uncommitted, checked, safe, breakpoint } = macrostate;
            let parts = [("n", uncommitted), ("c", checked), ("s", safe), ("b", breakpoint)];
            Sexp::tagged("runs", parts.map(|(tag, states)| numbers(tag, states)))
        });
        Sexp::tagged("node", start.into_iter().chain(runs))
    }));
    parts.extend(missing.iter().map(|missing| {
        let what = match missing {
            ProgressCondition::Edges => Sexp::word("edges"),
            ProgressCondition::Mark(mark) => numbers("mark", [mark]),
            ProgressCondition::Breakpoint(module) => numbers("breakpoint", [module]),
        };
        Sexp::tagged("missing", [what])
    }));
    parts.extend(refutation.definitions.iter().map(|definition| Sexp::tagged("term", [definition.clone()])));
    parts.extend(refutation.steps.iter().map(ProofStep::write));
    parts
}

/// What the symbols and addresses of conditions stand for.
pub(crate) fn declarations(symbols: &[Declaration], addresses: &[ObjectAddress]) -> Vec<Sexp> {
    let symbols =
        symbols.iter().map(|Declaration { name, cell }| Sexp::tagged("symbol", [Sexp::word(name), of_cell(cell)]));
    let addresses =
        addresses.iter().map(|ObjectAddress { object: of, base }| Sexp::tagged("address", [object(*of), number(base)]));
    symbols.chain(addresses).collect()
}

fn module(module: &RankedModule) -> Sexp {
    let mut parts = vec![Sexp::tagged("function", module.function.iter().cloned())];
    parts.extend(module.states.iter().map(|state| {
        let role = ROLES.iter().find(|(_, role)| *role == state.role).map_or("false", |(name, _)| name);
        Sexp::tagged("state", std::iter::once(Sexp::word(role)).chain(state.condition.iter().cloned()))
    }));
    parts.extend(
        module.transitions.iter().map(|(from, letter, to)| numbers("move", [from, letter].into_iter().chain(to))),
    );
    Sexp::tagged("module", parts)
}

fn object(object: ObjectName) -> Sexp {
    match object {
        ObjectName::Variable(variable) => numbers("variable", [variable.index()]),
        ObjectName::Heap(edge) => numbers("heap", [edge.index()]),
    }
}

fn of_cell(cell: &CellName) -> Sexp {
    match cell {
        CellName::One { object: of, offset, scalar } => {
            Sexp::tagged("one", [object(*of), number(offset), of_scalar(*scalar)])
        }
        CellName::Many { object: of, scalar, unit } => {
            Sexp::tagged("many", [object(*of), of_scalar(*scalar), number(unit)])
        }
        CellName::Alive(of) => Sexp::tagged("alive", [object(*of)]),
    }
}

fn of_scalar(scalar: Scalar) -> Sexp {
    match scalar {
        Scalar::Bool => Sexp::word("bool"),
        Scalar::Pointer => Sexp::word("pointer"),
        Scalar::Float(FloatType::F32) => Sexp::word("float"),
        Scalar::Float(_) => Sexp::word("double"),
        Scalar::Int(IntType { bits, signed }) => numbers(if signed { "signed" } else { "unsigned" }, [bits]),
    }
}

fn place(place: Control) -> Sexp {
    match place {
        Control::Start => Sexp::word("start"),
        Control::At(location) => numbers("at", [location.index()]),
        Control::Stopped(edge, exit) => {
            let exit = EXITS.iter().find(|(_, other)| *other == exit).map_or("undefined", |(name, _)| name);
            Sexp::tagged("stopped", [number(edge.index()), Sexp::word(exit)])
        }
    }
}

/// The items of a list that are still to be read.
pub(crate) struct Items<'s> {
    what: &'static str,
    pub(crate) rest: &'s [Sexp],
}

impl<'s> Items<'s> {
    pub(crate) fn of(expression: &'s Sexp, what: &'static str) -> Result<Self, String> {
        let rest = expression.as_list().ok_or_else(|| format!("{what} is a list, not `{}`", shortened(expression)))?;
        Ok(Self { what, rest })
    }

    pub(crate) fn next(&mut self) -> Result<&'s Sexp, String> {
        let (first, rest) = self.rest.split_first().ok_or_else(|| format!("something is missing in {}", self.what))?;
        self.rest = rest;
        Ok(first)
    }

    pub(crate) fn word(&mut self) -> Result<&'s str, String> {
        let (what, next) = (self.what, self.next()?);
        next.as_word().ok_or_else(|| format!("a word is expected in {what}, not `{}`", shortened(next)))
    }

    pub(crate) fn number<N: std::str::FromStr>(&mut self) -> Result<N, String> {
        let word = self.word()?;
        if word.len() > LONGEST_NUMBER_DIGITS {
            return Err(format!("a number of {} digits does not fit in {}", word.len(), self.what));
        }
        word.parse().map_err(|_| format!("`{word}` is no number that fits in {}", self.what))
    }

    /// The items of the list that comes next and begins with this word.
    pub(crate) fn list(&mut self, tag: &'static str) -> Result<Items<'s>, String> {
        let next = self.next()?;
        let mut items = Items::of(next, tag)?;
        match items.word()? {
            found if found == tag => Ok(items),
            other => Err(format!("`{tag}` is expected in {}, not `{other}`", self.what)),
        }
    }

    /// The items of the next list if it begins with this word.
    pub(crate) fn list_if(&mut self, tag: &'static str) -> Option<Items<'s>> {
        let first = self.rest.first()?.as_list()?.first()?.as_word()?;
        if first != tag {
            return None;
        }
        self.list(tag).ok()
    }

    pub(crate) fn numbers<N: std::str::FromStr>(mut self) -> Result<Vec<N>, String> {
        let mut found = Vec::with_capacity(self.rest.len());
        while !self.rest.is_empty() {
            found.push(self.number()?);
        }
        Ok(found)
    }

    pub(crate) fn only_number<N: std::str::FromStr>(mut self) -> Result<N, String> {
        let number = self.number()?;
        self.end()?;
        Ok(number)
    }

    pub(crate) fn ids<I: Id>(self) -> Result<Vec<I>, String> {
        Ok(self.numbers::<u32>()?.into_iter().map(|number| I::from_index(number as usize)).collect())
    }

    pub(crate) fn id<I: Id>(&mut self) -> Result<I, String> {
        Ok(I::from_index(self.number::<u32>()? as usize))
    }

    pub(crate) fn rest(&mut self) -> Vec<Sexp> {
        std::mem::take(&mut self.rest).to_vec()
    }

    pub(crate) fn end(&self) -> Result<(), String> {
        match self.rest.first() {
            None => Ok(()),
            Some(more) => Err(format!("`{}` is too much in {}", shortened(more), self.what)),
        }
    }
}

fn shortened(expression: &Sexp) -> String {
    let text = expression.to_string();
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn named<T: Copy>(table: &[(&str, T)], name: &str, what: &str) -> Result<T, String> {
    let found = table.iter().find(|(other, _)| *other == name).map(|(_, value)| *value);
    found.ok_or_else(|| format!("`{name}` is no {what}"))
}

fn read_cover(mut items: Items<'_>) -> Result<Cover, String> {
    let automaton = read_automaton(&mut items.list("automaton")?)?;
    let transitions = items.list("transitions")?.only_number()?;
    let mut boxes = Vec::new();
    while let Some(mut item) = items.list_if("box") {
        let location = item.id()?;
        let mut values = Vec::new();
        while let Some(mut part) = item.list_if("part") {
            let name = Part { variable: part.id()?, number: part.number()? };
            let intervals = part.rest().iter().map(read_interval).collect::<Result<_, _>>()?;
            values.push((name, intervals));
        }
        item.end()?;
        boxes.push(CoverBox { location, values });
    }
    items.end()?;
    Ok(Cover { automaton, boxes, transitions })
}

fn read_interval(item: &Sexp) -> Result<(i128, i128), String> {
    let bound = |item: &Sexp, none: i128| match item.as_word() {
        Some("*") => Some(none),
        word => word?.parse().ok(),
    };
    let bounds = item.as_list().and_then(|items| match items {
        [low, high] => Some((bound(low, i128::MIN)?, bound(high, i128::MAX)?)),
        _ => None,
    });
    bounds.ok_or_else(|| format!("`{item}` is no interval"))
}

fn read_automaton(items: &mut Items<'_>) -> Result<Automaton<Guard>, String> {
    let states: usize = items.list("states")?.only_number()?;
    let initial: Vec<usize> = items.list("initial")?.numbers()?;
    let sets: u32 = items.list("sets")?.only_number()?;
    if states > MOST_ENTRIES || sets > Marks::MOST {
        return Err("an automaton of this size".to_owned());
    }
    let mut automaton = Automaton::new(sets);
    let ids: Vec<StateId> = (0..states).map(|_| automaton.add_state()).collect();
    let state = |index: usize| ids.get(index).copied().ok_or_else(|| format!("the automaton has no state {index}"));
    for index in initial {
        automaton.add_initial(state(index)?);
    }
    while let Some(mut edge) = items.list_if("edge") {
        let (from, to) = (state(edge.number()?)?, state(edge.number()?)?);
        let mut marks = Marks::NONE;
        for mark in edge.list("marks")?.numbers::<u32>()? {
            if mark >= sets {
                return Err(format!("the automaton has no acceptance set {mark}"));
            }
            marks = marks.union(Marks::one(mark));
        }
        let mut guard = Guard::constant(false);
        let mut cubes = edge.list("or")?;
        while !cubes.rest.is_empty() {
            let mut cube = Guard::constant(true);
            let mut literals = cubes.list("and")?;
            while !literals.rest.is_empty() {
                let literal = match literals.list_if("not") {
                    Some(mut negated) => Guard::literal(negated.id::<AtomId>()?, false),
                    None => Guard::literal(literals.id::<AtomId>()?, true),
                };
                cube = cube.and(&literal);
            }
            guard = guard.or(&cube);
        }
        edge.end()?;
        automaton.add_edge(from, guard, to, marks);
    }
    items.end()?;
    Ok(automaton)
}

fn read_refutation(mut items: Items<'_>) -> Result<Refutation, String> {
    let automaton = read_automaton(&mut items.list("automaton")?)?;
    let finite = items.list("finite")?.only_number()?;
    let (symbols, addresses) = read_declarations(&mut items)?;
    let (unread, reread) = (items.list("unread")?.ids()?, items.list("reread")?.ids()?);
    let mut states = Vec::new();
    while let Some(mut state) = items.list_if("state") {
        let place = read_place(state.next()?)?;
        let automaton = state.number()?;
        states.push(ProductState { place, automaton, invariant: state.rest() });
    }
    let mut edges = Vec::new();
    while let Some(mut edge) = items.list_if("edge") {
        let (from, to, letter) = (edge.number()?, edge.number()?, edge.number()?);
        let (path, reads) = (edge.list("way")?.ids()?, edge.list("reads")?.numbers()?);
        let condition = edge.rest.first().cloned();
        edge.rest = edge.rest.get(1..).unwrap_or_default();
        edge.end()?;
        edges.push(ProductEdge { from, to, letter, path, reads, condition });
    }
    let mut predicates = Vec::new();
    while let Some(mut predicate) = items.list_if("predicate") {
        predicates.push(predicate.next()?.clone());
        predicate.end()?;
    }
    let mut modules = Vec::new();
    while let Some(mut module) = items.list_if("module") {
        modules.push(read_module(&mut module)?);
    }
    let mut nodes = Vec::new();
    while let Some(mut node) = items.list_if("node") {
        let (number, state) = (node.number()?, node.number()?);
        let predicates = node.list("knows")?.numbers()?;
        let mut macrostates = Vec::new();
        while let Some(mut runs) = node.list_if("runs") {
            let mut part = |tag| runs.list(tag)?.numbers::<u32>();
            let (uncommitted, checked, safe, breakpoint) = (part("n")?, part("c")?, part("s")?, part("b")?);
            macrostates.push(Macrostate { uncommitted, checked, safe, breakpoint });
        }
        node.end()?;
        nodes.push(ProofNode { state, predicates, macrostates, number });
    }
    let mut missing = Vec::new();
    while let Some(mut entry) = items.list_if("missing") {
        missing.push(match (entry.list_if("mark"), entry.list_if("breakpoint")) {
            (Some(mark), _) => ProgressCondition::Mark(mark.only_number()?),
            (None, Some(module)) => ProgressCondition::Breakpoint(module.only_number()?),
            (None, None) => {
                named(&[("edges", ProgressCondition::Edges)], entry.word()?, "reason why nothing goes on for ever")?
            }
        });
        entry.end()?;
    }
    let mut definitions = Vec::new();
    while let Some(mut definition) = items.list_if("term") {
        definitions.push(definition.next()?.clone());
        definition.end()?;
    }
    let mut steps = Vec::new();
    while let Some(mut step) = items.list_if("step") {
        steps.push(ProofStep::read(&mut step)?);
    }
    items.end()?;
    let refutation = Refutation {
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
        definitions,
        steps,
        finite,
    };
    references_exist(&refutation)?;
    Ok(refutation)
}

pub(crate) fn read_declarations(items: &mut Items<'_>) -> Result<(Vec<Declaration>, Vec<ObjectAddress>), String> {
    let mut symbols = Vec::new();
    while let Some(mut symbol) = items.list_if("symbol") {
        let name = symbol.word()?.to_owned();
        symbols.push(Declaration { name, cell: read_cell(symbol.next()?)? });
        symbol.end()?;
    }
    let mut addresses = Vec::new();
    while let Some(mut address) = items.list_if("address") {
        let object = read_object(address.next()?)?;
        addresses.push(ObjectAddress { object, base: address.number::<BigInt>()? });
        address.end()?;
    }
    Ok((symbols, addresses))
}

fn read_module(items: &mut Items<'_>) -> Result<RankedModule, String> {
    let function = items.list("function")?.rest();
    let mut states = Vec::new();
    while let Some(mut state) = items.list_if("state") {
        let role = named(&ROLES, state.word()?, "role of a module's state")?;
        states.push(ModuleState { role, condition: state.rest() });
    }
    let mut transitions = Vec::new();
    while let Some(mut step) = items.list_if("move") {
        let (from, letter) = (step.number()?, step.number()?);
        transitions.push((from, letter, step.numbers()?));
    }
    items.end()?;
    Ok(RankedModule { function, states, transitions })
}

fn read_object(expression: &Sexp) -> Result<ObjectName, String> {
    let mut items = Items::of(expression, "an object")?;
    let object = match items.word()? {
        "variable" => ObjectName::Variable(items.id()?),
        "heap" => ObjectName::Heap(items.id()?),
        other => return Err(format!("`{other}` is no kind of object")),
    };
    items.end()?;
    Ok(object)
}

fn read_cell(expression: &Sexp) -> Result<CellName, String> {
    let mut items = Items::of(expression, "a cell")?;
    let kind = items.word()?;
    let object = read_object(items.next()?)?;
    let cell = match kind {
        "one" => CellName::One { object, offset: items.number()?, scalar: read_scalar(items.next()?)? },
        "many" => CellName::Many { object, scalar: read_scalar(items.next()?)?, unit: items.number()? },
        "alive" => CellName::Alive(object),
        other => return Err(format!("`{other}` is no kind of cell")),
    };
    items.end()?;
    Ok(cell)
}

fn read_scalar(expression: &Sexp) -> Result<Scalar, String> {
    if let Some(word) = expression.as_word() {
        let plain = [
            ("bool", Scalar::Bool),
            ("pointer", Scalar::Pointer),
            ("float", Scalar::Float(FloatType::F32)),
            ("double", Scalar::Float(FloatType::F64)),
        ];
        return named(&plain, word, "scalar type");
    }
    let mut items = Items::of(expression, "a scalar type")?;
    let signed = named(&[("signed", true), ("unsigned", false)], items.word()?, "scalar type")?;
    Ok(Scalar::Int(IntType { bits: items.only_number()?, signed }))
}

fn read_place(expression: &Sexp) -> Result<Control, String> {
    if expression.as_word() == Some("start") {
        return Ok(Control::Start);
    }
    let mut items = Items::of(expression, "a place")?;
    let place = match items.word()? {
        "at" => Control::At(items.id::<LocationId>()?),
        "stopped" => {
            let edge: EdgeId = items.id()?;
            Control::Stopped(edge, named(&EXITS, items.word()?, "way to end")?)
        }
        other => return Err(format!("`{other}` is no kind of place")),
    };
    items.end()?;
    Ok(place)
}

/// Whether whatever is referred to by its number is there. What refers to the program is looked up by the check.
fn references_exist(refutation: &Refutation) -> Result<(), String> {
    let Refutation { automaton, states, edges, predicates, modules, nodes, missing, .. } = refutation;
    let there = |what: &str, index: u32, count: usize| {
        if (index as usize) < count { Ok(()) } else { Err(format!("there is no {what} {index}")) }
    };
    for state in states {
        there("automaton state", state.automaton, automaton.state_count())?;
    }
    let read = automaton.edge_count();
    for edge in edges {
        there("state", edge.from, states.len())?;
        there("state", edge.to, states.len())?;
        edge.reads.iter().try_for_each(|&index| there("automaton edge", index, read))?;
    }
    for module in modules {
        let count = module.states.len();
        there("module state", 0, count)?;
        for (from, _, to) in &module.transitions {
            there("module state", *from, count)?;
            to.iter().try_for_each(|&state| there("module state", state, count))?;
        }
    }
    for node in nodes {
        there("state", node.state, states.len())?;
        there("reason for number", node.number, missing.len())?;
        node.predicates.iter().try_for_each(|&predicate| there("predicate", predicate, predicates.len()))?;
        if node.macrostates.len() > modules.len() {
            return Err("a node speaks of more modules than there are".to_owned());
        }
        for (macrostate, module) in node.macrostates.iter().zip(modules) {
            let Macrostate { uncommitted, checked, safe, breakpoint } = macrostate;
            let all = uncommitted.iter().chain(checked).chain(safe).chain(breakpoint);
            all.into_iter().try_for_each(|&state| there("module state", state, module.states.len()))?;
        }
    }
    for entry in missing {
        match entry {
            ProgressCondition::Edges => {}
            ProgressCondition::Mark(mark) => there("acceptance set", *mark, automaton.acceptance_sets() as usize)?,
            ProgressCondition::Breakpoint(module) => there("module", *module, modules.len())?,
        }
    }
    Ok(())
}
