//! Pairs of accesses of which a data race cannot be excluded: to the same memory, one of them writing, by threads that
//! may run at the same time, without a mutex that both hold (the locksets of S. Savage et al., "Eraser", TOCS 1997,
//! computed without running the program).

use std::collections::{BTreeMap, BTreeSet};

use foundation::Span;
use foundation::collections::{HashMap, HashSet};
use program::{
    Callee, EdgeId, ExprId, ExprKind, FunctionId, Initial, LocationId, Op, OpPart, Operand, Place, Program, Root,
    VariableId, VariableKind,
};

/// Two accesses that may race.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct RacingPair {
    /// The memory that both access, in words.
    pub what: String,
    /// Where one of them stands.
    pub first: Span,
    /// Where the other one stands.
    pub second: Span,
}

/// The pairs of accesses of which a race cannot be excluded.
pub fn possible_races(program: &Program) -> BTreeSet<RacingPair> {
    RaceSearch::new(program).races()
}

/// What is accessed: a variable, or whatever a pointer reaches.
type Accessed = Option<VariableId>;

struct RacingAccess {
    target: Accessed,
    writes: bool,
    edge: EdgeId,
}

/// What is known at a location, of all ways to get there.
#[derive(Clone, PartialEq)]
struct LocationFacts {
    /// The mutexes that are held on all paths, by the expressions for their addresses; none stands for an atomic
    /// section.
    held: BTreeSet<Option<ExprId>>,
    /// The threads that may have been started and not been joined on some path, by the edges that start them.
    live: BTreeSet<EdgeId>,
}

struct RaceSearch<'p> {
    program: &'p Program,
    /// The functions whose address is used.
    pointed_to: Vec<FunctionId>,
    /// The variables to which pointers may lead.
    escaping: HashSet<VariableId>,
    /// By place: the edge that starts the only thread whose handle it may hold.
    handles: HashMap<Place, EdgeId>,
}

impl<'p> RaceSearch<'p> {
    fn new(program: &'p Program) -> Self {
        let used = (0..program.exprs.len()).map(foundation::Id::from_index);
        let address = |expr: ExprId| match program.exprs.get(expr).kind {
            ExprKind::FunctionAddress(function) => Some(function),
            _ => None,
        };
        let mut pointed_to: Vec<FunctionId> = used.filter_map(address).collect();
        pointed_to.sort_unstable();
        pointed_to.dedup();
        let mut search = Self { program, pointed_to, escaping: HashSet::default(), handles: HashMap::default() };
        search.escaping = search.escaping();
        search.handles = search.handles();
        search
    }

    /// The variables whose address is used for more than an access to themselves.
    fn escaping(&self) -> HashSet<VariableId> {
        let program = self.program;
        let mut found = HashSet::default();
        let mut seen = HashSet::default();
        let initial = program.variables.values().flat_map(|variable| match &variable.kind {
            VariableKind::Global { initial: Initial::Values(items), .. } => items.as_slice(),
            _ => &[],
        });
        let mut open: Vec<ExprId> = initial.map(|item| item.value).collect();
        for edge in program.edges.values() {
            match &edge.op {
                Op::Assign { target, value: Operand::Scalar(value) } => {
                    open.extend(self.named(target).operands());
                    open.push(*value);
                }
                op => open.extend(op.expressions()),
            }
        }
        while let Some(expr) = open.pop() {
            if !seen.insert(expr) {
                continue;
            }
            match &program.exprs.get(expr).kind {
                ExprKind::AddressOf(place) => {
                    if let Root::Variable(variable) = place.root {
                        found.insert(variable);
                    }
                    open.extend(place.operands());
                }
                ExprKind::Load(place) => open.extend(self.named(place).operands()),
                _ => open.extend(program.exprs.operands(expr)),
            }
        }
        found
    }

    /// The handles that places hold, as far as each of them is assigned nothing but handles of one thread.
    fn handles(&self) -> HashMap<Place, EdgeId> {
        let program = self.program;
        let mut spawned: HashMap<VariableId, EdgeId> = HashMap::default();
        let mut again: HashSet<VariableId> = HashSet::default();
        for (id, edge) in program.edges.iter() {
            if let Op::Spawn { handle, .. } = edge.op
                && spawned.insert(handle, id).is_some()
            {
                again.insert(handle);
            }
        }
        let mut held: HashMap<Place, Option<EdgeId>> = HashMap::default();
        let mut spoiled: HashSet<VariableId> = self.escaping.clone();
        for edge in program.edges.values() {
            let written = edge.op.target().map(|target| self.named(target));
            if let Some(place) = &written
                && let Root::Variable(variable) = place.root
            {
                let from = match &edge.op {
                    Op::Assign { value: Operand::Scalar(value), .. } => self.variable_of(*value),
                    _ => None,
                };
                let thread = from.filter(|from| !again.contains(from)).and_then(|from| spawned.get(&from).copied());
                match thread {
                    Some(thread) if self.is_constant(place) => {
                        let known = held.entry(place.clone()).or_insert(Some(thread));
                        *known = known.filter(|known| *known == thread);
                    }
                    _ => _ = spoiled.insert(variable),
                }
            }
        }
        let is_kept = |place: &Place| matches!(place.root, Root::Variable(variable) if !spoiled.contains(&variable));
        held.into_iter().filter(|(place, _)| is_kept(place)).filter_map(|(place, edge)| Some((place, edge?))).collect()
    }

    /// A place by the variable that it lies in, where it is written as what the address of a variable's part points to.
    fn named(&self, place: &Place) -> Place {
        if let Root::Pointer { address, .. } = place.root
            && let ExprKind::AddressOf(inner) = &self.program.exprs.get(address).kind
            && let Root::Variable(_) = inner.root
        {
            let path = inner.path.iter().chain(&place.path).cloned().collect();
            return Place { root: inner.root.clone(), path, ty: place.ty };
        }
        place.clone()
    }

    fn is_constant(&self, place: &Place) -> bool {
        place.operands().iter().all(|index| matches!(self.program.exprs.get(*index).kind, ExprKind::Constant(_)))
    }

    /// The variable whose value an expression is, but for conversions.
    fn variable_of(&self, expr: ExprId) -> Option<VariableId> {
        self.place_of(expr)?.as_variable()
    }

    /// The place whose value an expression is, but for conversions.
    fn place_of(&self, expr: ExprId) -> Option<Place> {
        match &self.program.exprs.get(expr).kind {
            ExprKind::Load(place) => Some(self.named(place)),
            ExprKind::Cast(inner) => self.place_of(*inner),
            _ => None,
        }
    }

    fn callees(&self, callee: &Callee) -> Vec<FunctionId> {
        let has_body = |function: &FunctionId| self.program.functions[*function].entry.is_some();
        match callee {
            Callee::Function(function) => vec![*function],
            Callee::Pointer(_) => self.pointed_to.clone(),
        }
        .into_iter()
        .filter(has_body)
        .collect()
    }

    /// What is known at all locations that a thread comes to which begins in these functions.
    fn follow(&self, roots: &[FunctionId], live: &BTreeSet<EdgeId>) -> BTreeMap<LocationId, LocationFacts> {
        let program = self.program;
        let mut found: BTreeMap<LocationId, LocationFacts> = BTreeMap::new();
        let mut open: Vec<(LocationId, LocationFacts)> = Vec::new();
        // Where control goes on after a function has returned.
        let mut behind: BTreeMap<FunctionId, BTreeSet<EdgeId>> = BTreeMap::new();
        for &root in roots {
            let held = program.functions[root].atomic.then_some(None).into_iter().collect();
            open.extend(program.functions[root].entry.map(|entry| (entry, LocationFacts { held, live: live.clone() })));
        }
        while let Some((location, new)) = open.pop() {
            let known = match found.get(&location) {
                None => new,
                Some(old) => {
                    let held = old.held.intersection(&new.held).copied().collect();
                    let live = old.live.union(&new.live).copied().collect();
                    let joined = LocationFacts { held, live };
                    if joined == *old {
                        continue;
                    }
                    joined
                }
            };
            found.insert(location, known.clone());
            let function = program.locations[location].function;
            for &edge in &program.locations[location].out {
                let contents = &program.edges[edge];
                let mut after = known.clone();
                match &contents.op {
                    Op::Call { callee, .. } => {
                        let callees = self.callees(callee);
                        for callee in &callees {
                            let mut inside = known.clone();
                            inside.held.extend(program.functions[*callee].atomic.then_some(None));
                            behind.entry(*callee).or_default().insert(edge);
                            let entry = program.functions[*callee].entry.expect("it has a body");
                            open.push((entry, inside));
                            // What its returns know already goes on here as well.
                            open.extend(self.returned(*callee, &found).map(|left| (contents.to, left)));
                        }
                        let is_external = match callee {
                            Callee::Function(function) => program.functions[*function].entry.is_none(),
                            Callee::Pointer(_) => true,
                        };
                        if is_external {
                            open.push((contents.to, after));
                        }
                        continue;
                    }
                    Op::Return(_) => {
                        if program.functions[function].atomic {
                            after.held.remove(&None);
                        }
                        for &call in behind.get(&function).into_iter().flatten() {
                            open.push((program.edges[call].to, after.clone()));
                        }
                        continue;
                    }
                    Op::Lock(mutex) if self.is_fixed(*mutex) => _ = after.held.insert(Some(*mutex)),
                    Op::Unlock(mutex) if self.is_fixed(*mutex) => _ = after.held.remove(&Some(*mutex)),
                    Op::Unlock(_) | Op::InitLock(_) => after.held.retain(Option::is_none),
                    Op::AtomicBegin => _ = after.held.insert(None),
                    Op::AtomicEnd => _ = after.held.remove(&None),
                    Op::Spawn { .. } => _ = after.live.insert(edge),
                    Op::Join { thread, .. } => {
                        let joined = self.place_of(*thread).and_then(|place| self.handles.get(&place));
                        if let Some(edge) = joined.filter(|edge| !self.may_repeat(**edge)) {
                            after.live.remove(edge);
                        }
                    }
                    _ => {}
                }
                open.push((contents.to, after));
            }
        }
        found
    }

    /// What is known where a function returns.
    fn returned(
        &self,
        function: FunctionId,
        found: &BTreeMap<LocationId, LocationFacts>,
    ) -> impl Iterator<Item = LocationFacts> {
        let program = self.program;
        let mut known = Vec::new();
        for edge in program.edges.values().filter(|edge| matches!(edge.op, Op::Return(_))) {
            if program.locations[edge.from].function == function
                && let Some(at) = found.get(&edge.from)
            {
                let mut at = at.clone();
                if program.functions[function].atomic {
                    at.held.remove(&None);
                }
                known.push(at);
            }
        }
        known.into_iter()
    }

    /// Whether an address is that of a part of a variable, and always the same.
    fn is_fixed(&self, address: ExprId) -> bool {
        match &self.program.exprs.get(address).kind {
            ExprKind::AddressOf(place) => {
                let is_global =
                    matches!(place.root, Root::Variable(variable) if self.program.owner(variable).is_none());
                let is_constant = |index: &ExprId| matches!(self.program.exprs.get(*index).kind, ExprKind::Constant(_));
                is_global && place.operands().iter().all(is_constant)
            }
            _ => false,
        }
    }

    /// Whether an edge may be taken more than once: it lies on a cycle, or not in the entry function.
    fn may_repeat(&self, edge: EdgeId) -> bool {
        let program = self.program;
        let from = program.edges[edge].from;
        if Some(program.locations[from].function) != program.entry {
            return true;
        }
        let mut seen = BTreeSet::new();
        let mut open = vec![program.edges[edge].to];
        while let Some(location) = open.pop() {
            if location == from {
                return true;
            }
            if seen.insert(location) {
                open.extend(program.locations[location].out.iter().map(|edge| program.edges[*edge].to));
            }
        }
        false
    }

    /// All pairs of accesses that may race.
    fn races(&self) -> BTreeSet<RacingPair> {
        let program = self.program;
        let Some(entry) = program.entry else { return BTreeSet::new() };
        let main = self.follow(&[entry], &BTreeSet::new());
        let starts = |edge: &EdgeId| match &program.edges[*edge].op {
            Op::Spawn { function, .. } => Some((*edge, self.callees(function))),
            _ => None,
        };
        let spawns: Vec<(EdgeId, Vec<FunctionId>)> = program.edges.ids().filter_map(|edge| starts(&edge)).collect();
        // Threads that threads start are taken to run along with everything.
        let all: BTreeSet<EdgeId> = spawns.iter().map(|(edge, _)| *edge).collect();
        let is_nested =
            spawns.iter().any(|(edge, _)| Some(program.locations[program.edges[*edge].from].function) != program.entry);
        let mut threads: Vec<(Option<EdgeId>, BTreeMap<LocationId, LocationFacts>)> = vec![(None, main)];
        for (edge, functions) in &spawns {
            threads.push((Some(*edge), self.follow(functions, &BTreeSet::new())));
        }
        let together = |one: EdgeId, two: EdgeId| {
            let main = &threads[0].1;
            let live_at = |edge: EdgeId| main.get(&program.edges[edge].from).map(|known| &known.live);
            let runs_at = |started: EdgeId, at: EdgeId| live_at(at).is_none_or(|live| live.contains(&started));
            is_nested || runs_at(one, two) || runs_at(two, one)
        };
        let mut found = BTreeSet::new();
        let accesses: Vec<Vec<RacingAccess>> = threads.iter().map(|(_, known)| self.accesses(known)).collect();
        for (number, (one, known_one)) in threads.iter().enumerate() {
            for (other, (two, known_two)) in threads.iter().enumerate().skip(number) {
                if number == other && !one.is_some_and(|edge| is_nested || self.may_repeat(edge)) {
                    continue;
                }
                if let (Some(one), Some(two)) = (one, two)
                    && number != other
                    && !together(*one, *two)
                {
                    continue;
                }
                for first in &accesses[number] {
                    for second in &accesses[other] {
                        let at_one = &known_one[&program.edges[first.edge].from];
                        let at_two = &known_two[&program.edges[second.edge].from];
                        let runs = match (one, two) {
                            (None, Some(two)) => {
                                at_one.live.contains(two) || is_nested && at_one.live.intersection(&all).count() > 0
                            }
                            _ => true,
                        };
                        let is_locked = at_one.held.intersection(&at_two.held).count() > 0;
                        if runs && !is_locked && (first.writes || second.writes) && self.overlap(first, second) {
                            found.insert(self.pair(first, second));
                        }
                    }
                }
            }
        }
        found
    }

    fn overlap(&self, one: &RacingAccess, two: &RacingAccess) -> bool {
        let is_reached = |variable: VariableId| self.escaping.contains(&variable);
        match (one.target, two.target) {
            (Some(one), Some(two)) => one == two && self.program.owner(one).is_none(),
            (Some(variable), None) | (None, Some(variable)) => is_reached(variable),
            (None, None) => true,
        }
    }

    fn pair(&self, one: &RacingAccess, two: &RacingAccess) -> RacingPair {
        let what = match one.target.or(two.target) {
            Some(variable) => format!("`{}`", self.program.variables[variable].name),
            None => "what a pointer points to".to_owned(),
        };
        let mut spans = [one, two].map(|access| self.program.edges[access.edge].span);
        spans.sort_unstable();
        RacingPair { what, first: spans[0], second: spans[1] }
    }

    /// The accesses to memory that threads share, at these locations.
    fn accesses(&self, known: &BTreeMap<LocationId, LocationFacts>) -> Vec<RacingAccess> {
        let program = self.program;
        let mut found = Vec::new();
        for &location in known.keys() {
            for &edge in &program.locations[location].out {
                let op = &program.edges[edge].op;
                let mut note = |place: &Place, writes: bool| {
                    let place = self.named(place);
                    let target = match place.root {
                        Root::Variable(variable) => {
                            let contents = &program.variables[variable];
                            let is_literal = matches!(contents.kind, VariableKind::Literal { .. });
                            if is_literal || program.owner(variable).is_some() && !self.escaping.contains(&variable) {
                                return;
                            }
                            Some(variable)
                        }
                        Root::Pointer { .. } => None,
                    };
                    found.push(RacingAccess { target, writes, edge });
                };
                let mut through = false;
                for part in op.parts() {
                    match part {
                        OpPart::Written(place) => note(place, true),
                        OpPart::Read(place) => note(place, false),
                        OpPart::Result(&result) => note(&Place::variable(result, program.variables[result].ty), true),
                        OpPart::Address(_, access) => through |= access.writes(),
                        OpPart::Value(_) | OpPart::Mutex(_) | OpPart::Lifetime(_) | OpPart::Called(_) => {}
                    }
                }
                for expr in program.exprs.below(op.expressions()) {
                    if let ExprKind::Load(place) = &program.exprs.get(expr).kind {
                        note(place, false);
                    }
                }
                if through {
                    found.push(RacingAccess { target: None, writes: true, edge });
                }
            }
        }
        found
    }
}
