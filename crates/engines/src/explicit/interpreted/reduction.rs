//! Partial-order reduction: at which locations a thread may go on alone, the others being left waiting.
//!
//! Ample sets (Peled, "All from one, one for all", CAV 1993; Clarke, Grumberg and Peled, *Model Checking*, chapter 10)
//! of a single thread: all that the thread can do next is independent of all that others can ever do, and invisible.
//! The cycle proviso is static (Kurshan, Levin, Minea, Peled and Yenigün, "Static partial order reduction", TACAS
//! 1998): every cycle of a thread's control has a *sticky* edge that is never taken alone, so it fits any order of
//! search. The argument, and what "invisible" means where only some states are observed, is in
//! `docs/design/reduction.md`.
//!
//! Everything here is decided once, from the program; what an edge comes to when it is taken (undefined behaviour, a
//! false assumption, a question) is checked then.

use foundation::collections::HashSet;
use foundation::{Arena, Id};
use program::semantics::state::State;
use program::semantics::{ObserveMode, Semantics};
use program::{Atom, Callee, EdgeId, FunctionId, Initial, LocationId, Op, Program, VariableId, VariableKind};

use super::accesses::{Accesses, EdgeAccess, access_of_expression, named};
use super::threads::{RootId, Threads, targets};

/// Whether what a thread may do at a location is an ample set where other threads can run, too.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ample {
    /// Nothing: the others may go first.
    No,
    /// Go on alone, if nothing is asked and nothing ends the run.
    Quietly,
    /// The same; it may let others go on that wait.
    Opening,
    /// Go on alone, with all answers to what is asked; nothing can go wrong.
    Asking,
}

/// At which locations threads may go on alone.
pub(super) struct Reduction {
    threads: Threads,
    /// By root.
    ample: Vec<Arena<LocationId, Ample>>,
}

/// More roots than this are not looked at.
const MOST_ROOTS: usize = 64;

impl Reduction {
    /// The reduction for a program under the atoms of a property; none where nothing can be said.
    pub fn new(
        program: &Program,
        semantics: Semantics,
        atoms: &[Atom],
        goal: &[&Atom],
        accesses: &Accesses,
    ) -> Option<Self> {
        let threads = Threads::new(program, program.entry?);
        if threads.roots.len() < 2 || threads.roots.len() > MOST_ROOTS {
            return None;
        }
        let visible = Visible::new(program, semantics, atoms, goal, accesses, &threads)?;
        let sharing = Sharing::new(accesses, &threads);
        let results = results_of(program, &threads.addressed);
        let mut ample = Vec::new();
        for root in 0..threads.roots.len() {
            let judge = AmpleJudge {
                program,
                semantics,
                accesses,
                threads: &threads,
                visible: &visible,
                sharing: &sharing,
                results: &results,
                root,
            };
            ample.push(judge.locations());
        }
        Some(Self { threads, ample })
    }

    /// What a thread may do alone in a state.
    pub fn ample(&self, state: &State, thread: u32) -> Ample {
        let frames = &state.threads[thread as usize].frames;
        let (Some(first), Some(last)) = (frames.first(), frames.last()) else { return Ample::No };
        match self.threads.root_of(thread, first.function) {
            Some(root) => self.ample[root][last.location],
            None => Ample::No,
        }
    }
}

/// What an observer can see of the letters of the property.
struct Visible {
    /// The variables that the property's atoms read by name.
    reads: HashSet<VariableId>,
    /// Whether atoms look through pointers, so that they may see whatever has escaped.
    through_pointers: bool,
    /// The functions whose activity the atoms look at, or whose entry.
    functions: HashSet<FunctionId>,
    /// Functions whose entry is observed, be it of no consequence for the property.
    observed_entries: HashSet<FunctionId>,
    /// Whether an overflow is seen.
    overflow: bool,
    /// Whether the last letter shown may differ from the one that an observation would show now, so that whoever
    /// makes an observation is seen, whatever he did.
    pending: bool,
}

impl Visible {
    /// None where the letter depends on which thread ran last.
    fn new(
        program: &Program,
        semantics: Semantics,
        atoms: &[Atom],
        goal: &[&Atom],
        accesses: &Accesses,
        threads: &Threads,
    ) -> Option<Self> {
        let mut visible = Self {
            reads: HashSet::default(),
            through_pointers: false,
            functions: HashSet::default(),
            observed_entries: HashSet::default(),
            overflow: false,
            pending: false,
        };
        for atom in goal {
            match atom {
                Atom::State { value, active, reads } => {
                    let access = access_of_expression(program, *value);
                    visible.through_pointers |= access.reads_through_pointer;
                    visible.pending |= access.numbers;
                    visible.reads.extend(reads.iter().chain(&access.reads));
                    visible.functions.extend(active);
                }
                Atom::Call(function) => {
                    visible.functions.insert(*function);
                    visible.pending = true;
                }
                Atom::Overflow => {
                    visible.overflow = true;
                    visible.pending = true;
                }
                Atom::End | Atom::Error | Atom::Deadlock => {}
            }
        }
        let locals_of = goal.iter().flat_map(|atom| match atom {
            Atom::State { active, .. } => active.as_slice(),
            _ => &[],
        });
        for function in locals_of {
            let executing: Vec<_> = threads.roots.iter().filter(|root| root.functions.contains(function)).collect();
            if executing.len() > 1 || executing.iter().any(|root| root.many) {
                return None;
            }
            visible.pending = true;
        }
        for atom in atoms {
            match atom {
                Atom::Call(function) => drop(visible.observed_entries.insert(*function)),
                Atom::State { active, .. } if semantics.observe == ObserveMode::Change => {
                    visible.observed_entries.extend(active);
                }
                _ => {}
            }
        }
        let is_determined = |&id: &VariableId| match &program.variables[id].kind {
            VariableKind::Global { initial, .. } | VariableKind::Literal { initial } => *initial != Initial::Arbitrary,
            _ => false,
        };
        visible.pending |= visible.through_pointers || !visible.reads.iter().all(is_determined);
        visible.pending |= program.edges.iter().any(|(id, edge)| {
            let shows = shows(program, semantics, id) && !matches!(edge.op, Op::Call { .. });
            !shows && visible.is_changed_by(accesses, &accesses.edges[id])
        });
        Some(visible)
    }

    fn sees(&self, accesses: &Accesses, variable: VariableId) -> bool {
        self.reads.contains(&variable) || self.through_pointers && accesses.escapes(variable)
    }

    /// Whether the letter that an observation would show may change with these accesses.
    fn is_changed_by(&self, accesses: &Accesses, access: &EdgeAccess) -> bool {
        access.writes.iter().any(|&variable| self.sees(accesses, variable))
            || access.writes_through_pointer
                && (self.through_pointers || self.reads.iter().any(|&variable| accesses.escapes(variable)))
    }
}

/// Whether an edge may end with an observation, those at the entry of functions aside.
fn shows(program: &Program, semantics: Semantics, edge: EdgeId) -> bool {
    let edge = &program.edges[edge];
    semantics.observe.may_see(edge.observe) && !program.functions[program.locations[edge.from].function].library
}

/// Which roots access which variables while there are several threads, as bits.
struct Sharing {
    reads: foundation::collections::HashMap<VariableId, u64>,
    writes: foundation::collections::HashMap<VariableId, u64>,
    pointer_reads: u64,
    pointer_writes: u64,
    many: u64,
}

impl Sharing {
    fn new(accesses: &Accesses, threads: &Threads) -> Self {
        let mut sharing = Self {
            reads: Default::default(),
            writes: Default::default(),
            pointer_reads: 0,
            pointer_writes: 0,
            many: 0,
        };
        for (number, root) in threads.roots.iter().enumerate() {
            let bit = 1 << number;
            sharing.many |= if root.many { bit } else { 0 };
            for &edge in &root.concurrent {
                let access = &accesses.edges[edge];
                access.reads.iter().for_each(|&variable| *sharing.reads.entry(variable).or_default() |= bit);
                access.writes.iter().for_each(|&variable| *sharing.writes.entry(variable).or_default() |= bit);
                sharing.pointer_reads |= if access.reads_through_pointer { bit } else { 0 };
                sharing.pointer_writes |= if access.writes_through_pointer { bit } else { 0 };
            }
        }
        sharing
    }

    /// The roots, seen from a thread of one, whose threads are others.
    fn others(&self, root: RootId) -> u64 {
        !(1 << root) | self.many
    }
}

/// The variables that receive the results of each function's calls.
fn results_of(program: &Program, addressed: &[FunctionId]) -> Arena<FunctionId, Vec<VariableId>> {
    let mut results: Arena<FunctionId, Vec<VariableId>> = program.functions.ids().map(|_| Vec::new()).collect();
    for edge in program.edges.values() {
        if let Op::Call { callee, result: Some(result), .. } = &edge.op {
            targets(callee, addressed).into_iter().for_each(|function| results[function].push(*result));
        }
    }
    results
}

/// Decides what the threads of one root may do alone.
struct AmpleJudge<'a> {
    program: &'a Program,
    semantics: Semantics,
    accesses: &'a Accesses,
    threads: &'a Threads,
    visible: &'a Visible,
    sharing: &'a Sharing,
    results: &'a Arena<FunctionId, Vec<VariableId>>,
    root: RootId,
}

impl AmpleJudge<'_> {
    fn locations(&self) -> Arena<LocationId, Ample> {
        let functions = &self.threads.roots[self.root].functions;
        let mut ample: Arena<LocationId, Ample> = self
            .program
            .locations
            .values()
            .map(
                |location| {
                    if functions.contains(&location.function) { self.location(&location.out) } else { Ample::No }
                },
            )
            .collect();
        self.keep_sticky(&mut ample);
        ample
    }

    /// A location's edges are alternatives; all of them must be harmless. Only conditions leave a choice that depends
    /// on the state alone.
    fn location(&self, out: &[EdgeId]) -> Ample {
        match out {
            [] => Ample::No,
            [edge] => self.edge(*edge),
            edges => {
                let condition = |&edge: &EdgeId| matches!(self.program.edges[edge].op, Op::Assume(_));
                let quiet = edges.iter().all(|edge| condition(edge) && self.edge(*edge) == Ample::Quietly);
                if quiet { Ample::Quietly } else { Ample::No }
            }
        }
    }

    fn edge(&self, id: EdgeId) -> Ample {
        let access = &self.accesses.edges[id];
        let op = &self.program.edges[id].op;
        let is_shown = shows(self.program, self.semantics, id) || matches!(op, Op::Return(_));
        if is_shown && self.visible.pending
            || access.numbers && self.accesses.has_pointers()
            || access.reads_through_pointer
            || access.writes_through_pointer
            || self.visible.overflow && access.arithmetic
            || !access.reads.iter().all(|&variable| self.may_read(variable))
            || !access.writes.iter().all(|&variable| self.may_write(variable))
        {
            return Ample::No;
        }
        match op {
            Op::Skip | Op::Assume(_) | Op::Assign { .. } | Op::Declare(_) => Ample::Quietly,
            Op::Discard(variable) if !self.accesses.escapes(*variable) => Ample::Quietly,
            Op::Input { target, .. } if target.as_variable().is_some() => Ample::Asking,
            Op::Call { callee: Callee::Function(function), arguments, result } => {
                match self.enters(*function) {
                    true if self.program.functions[*function].entry.is_some() || result.is_none() => Ample::Quietly,
                    // The arguments might be undefined; the result is asked for.
                    true if arguments.is_empty() => Ample::Asking,
                    _ => Ample::No,
                }
            }
            // A return may be the end of a thread, for which others may wait.
            Op::Return(_) if self.leaves(self.program.locations[self.program.edges[id].from].function) => {
                Ample::Opening
            }
            Op::Spawn { function: Callee::Function(function), .. } if self.enters(*function) => {
                self.if_only_here(|op| matches!(op, Op::Spawn { .. }))
            }
            Op::Join { .. } => self.if_only_here(|op| matches!(op, Op::Join { .. })),
            Op::Unlock(mutex) if self.is_plain_mutex(*mutex) => Ample::Opening,
            _ => Ample::No,
        }
    }

    fn may_read(&self, variable: VariableId) -> bool {
        let by_name = self.sharing.writes.get(&variable).copied().unwrap_or(0);
        self.is_own(variable, by_name, self.sharing.pointer_writes)
    }

    fn may_write(&self, variable: VariableId) -> bool {
        let by_name = [&self.sharing.reads, &self.sharing.writes].map(|map| map.get(&variable).copied().unwrap_or(0));
        let through_pointers = self.sharing.pointer_reads | self.sharing.pointer_writes;
        !self.visible.sees(self.accesses, variable) && self.is_own(variable, by_name[0] | by_name[1], through_pointers)
    }

    /// Whether no other thread accesses the same object, given the roots that access the variable by name and through
    /// pointers. A local variable is another object in every activation.
    fn is_own(&self, variable: VariableId, by_name: u64, through_pointers: u64) -> bool {
        let by_name = if self.program.owner(variable).is_some() { 0 } else { by_name };
        let through_pointers = if self.accesses.escapes(variable) { through_pointers } else { 0 };
        (by_name | through_pointers) & self.sharing.others(self.root) == 0
    }

    /// Whether entering a function is nobody else's business.
    fn enters(&self, function: FunctionId) -> bool {
        let is_seen = self.visible.functions.contains(&function)
            || self.visible.pending && self.visible.observed_entries.contains(&function);
        !is_seen && !self.program.functions[function].atomic && self.semantics.stop_at_call != Some(function)
    }

    /// Whether leaving a function is: pointers to its variables become dangling, and the caller gets a result.
    fn leaves(&self, function: FunctionId) -> bool {
        let contents = &self.program.functions[function];
        let mut variables = contents.parameters.iter().chain(&contents.locals);
        self.enters(function)
            && !variables.any(|&variable| self.accesses.escapes(variable))
            && self.results[function].iter().all(|&variable| self.may_write(variable))
    }

    /// Threads are numbered as they are started, and joined once: only the threads of one root may do that, and there
    /// must be only one of these.
    fn if_only_here(&self, is_such: impl Fn(&Op) -> bool) -> Ample {
        let others = self.threads.roots.iter().enumerate().filter(|(number, root)| *number != self.root || root.many);
        let elsewhere =
            others.flat_map(|(_, root)| &root.concurrent).any(|&edge| is_such(&self.program.edges[edge].op));
        if elsewhere { Ample::No } else { Ample::Opening }
    }

    /// Giving a mutex back only lets others go on that wait, unless somebody looks at it without waiting. A mutex in a
    /// global variable cannot be gone.
    fn is_plain_mutex(&self, mutex: program::ExprId) -> bool {
        let is_global = named(self.program, mutex).is_some_and(|(variable, _)| self.program.owner(variable).is_none());
        let looks = |&edge: &EdgeId| matches!(self.program.edges[edge].op, Op::TryLock { .. } | Op::InitLock(_));
        is_global && !self.threads.roots.iter().flat_map(|root| &root.concurrent).any(looks)
    }

    /// Breaks the cycles that a thread could take alone: where a depth-first search over these locations comes back to
    /// one on its path, the edge is sticky, and its location is not left alone.
    fn keep_sticky(&self, ample: &mut Arena<LocationId, Ample>) {
        #[derive(Clone, Copy, PartialEq)]
        enum Color {
            New,
            Open,
            Done,
        }
        let mut color = vec![Color::New; ample.len()];
        for start in ample.ids() {
            if color[start.index()] != Color::New {
                continue;
            }
            let mut path = vec![(start, 0)];
            color[start.index()] = Color::Open;
            while let Some((location, next)) = path.last_mut() {
                let location = *location;
                let out =
                    if ample[location] == Ample::No { &[] } else { self.program.locations[location].out.as_slice() };
                let Some(&edge) = out.get(*next) else {
                    color[location.index()] = Color::Done;
                    path.pop();
                    continue;
                };
                *next += 1;
                let to = self.program.edges[edge].to;
                match color[to.index()] {
                    Color::New => {
                        color[to.index()] = Color::Open;
                        path.push((to, 0));
                    }
                    Color::Open => ample[location] = Ample::No,
                    Color::Done => {}
                }
            }
        }
    }
}
