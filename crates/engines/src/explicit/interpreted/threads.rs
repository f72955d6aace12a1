//! Which threads a program can have, which functions each may execute, and what it may do while others exist.
//!
//! A *root* is a function in which threads begin; the threads of one root are not told apart. Calls through pointers may
//! reach every function whose address is used.

use foundation::collections::{HashMap, HashSet};
use foundation::{Arena, Id};
use program::{Callee, EdgeId, ExprId, ExprKind, FunctionId, LocationId, Op, Program, Scalar};

/// The number of a root; that of the entry function is 0.
pub(super) type RootId = usize;

/// The roots of a program's threads.
pub(super) struct Threads {
    /// All roots.
    pub roots: Vec<ThreadRoot>,
    /// By the function of a thread that another one started.
    started: HashMap<FunctionId, RootId>,
    /// The functions whose addresses are used.
    pub addressed: Vec<FunctionId>,
}

/// Threads that begin in one function.
pub(super) struct ThreadRoot {
    /// Whether there may be more than one of them.
    pub many: bool,
    /// The functions that they may execute.
    pub functions: HashSet<FunctionId>,
    /// The edges that they may take while there are other threads.
    pub concurrent: HashSet<EdgeId>,
}

impl Threads {
    /// The roots of a program with an entry.
    pub fn new(program: &Program, entry: FunctionId) -> Self {
        let addressed = addressed_functions(program);
        let edges_of = edges_by_function(program);
        let calls = |function: FunctionId| -> Vec<FunctionId> {
            let called = edges_of[function].iter().filter_map(|&edge| match &program.edges[edge].op {
                Op::Call { callee, .. } => Some(targets(callee, &addressed)),
                _ => None,
            });
            called.flatten().collect()
        };
        let mut threads = Self { roots: Vec::new(), started: HashMap::default(), addressed: addressed.clone() };
        threads.roots.push(ThreadRoot::new(entry, false, &calls));
        let mut next = 0;
        while next < threads.roots.len() {
            let functions: Vec<FunctionId> = threads.roots[next].functions.iter().copied().collect();
            for edge in functions.iter().flat_map(|&function| &edges_of[function]) {
                let Op::Spawn { function, .. } = &program.edges[*edge].op else { continue };
                for root in targets(function, &addressed) {
                    let number = threads.roots.len();
                    threads.started.entry(root).or_insert_with(|| {
                        threads.roots.push(ThreadRoot::new(root, false, &calls));
                        number
                    });
                }
            }
            next += 1;
        }
        threads.count(program, entry, &edges_of);
        for number in 0..threads.roots.len() {
            let concurrent = if number == 0 {
                threads.after_first_start(program, &edges_of)
            } else {
                threads.roots[number].functions.iter().flat_map(|&function| edges_of[function].clone()).collect()
            };
            threads.roots[number].concurrent = concurrent;
        }
        threads
    }

    /// The root of a thread, by its number and the function in which it began.
    pub fn root_of(&self, thread: u32, function: FunctionId) -> Option<RootId> {
        if thread == 0 { Some(0) } else { self.started.get(&function).copied() }
    }

    /// Finds out of which roots there may be several threads: unless a single edge starts them, which is on no cycle of
    /// an entry function that is never called.
    fn count(&mut self, program: &Program, entry: FunctionId, edges_of: &Arena<FunctionId, Vec<EdgeId>>) {
        let mut starts = vec![0; self.roots.len()];
        let entry_is_called = self.started.contains_key(&entry) || is_called(program, entry, &self.addressed);
        for (function, edges) in edges_of.iter() {
            for &edge in edges {
                let Op::Spawn { function: started, .. } = &program.edges[edge].op else { continue };
                let again = function != entry || entry_is_called || is_on_cycle(program, edge);
                for target in targets(started, &self.addressed) {
                    if let Some(&root) = self.started.get(&target) {
                        starts[root] += if again { 2 } else { 1 };
                    }
                }
            }
        }
        for (root, starts) in self.roots.iter_mut().zip(starts) {
            root.many = starts > 1;
        }
    }

    /// The edges that the first thread may take after it has started another one. What returns from a function in
    /// which that has happened does so everywhere the function is called.
    fn after_first_start(&self, program: &Program, edges_of: &Arena<FunctionId, Vec<EdgeId>>) -> HashSet<EdgeId> {
        let functions = &self.roots[0].functions;
        let mut callers: HashMap<FunctionId, Vec<EdgeId>> = HashMap::default();
        let mut open: Vec<LocationId> = Vec::new();
        for edge in functions.iter().flat_map(|&function| edges_of[function].iter().copied()) {
            match &program.edges[edge].op {
                Op::Call { callee, .. } => {
                    for target in targets(callee, &self.addressed) {
                        callers.entry(target).or_default().push(edge);
                    }
                }
                Op::Spawn { .. } => open.push(program.edges[edge].to),
                _ => {}
            }
        }
        let mut seen: HashSet<LocationId> = open.iter().copied().collect();
        let mut concurrent = HashSet::default();
        while let Some(location) = open.pop() {
            let function = program.locations[location].function;
            let mut reach = |to: LocationId| {
                if seen.insert(to) {
                    open.push(to);
                }
            };
            callers.get(&function).into_iter().flatten().for_each(|&caller| reach(program.edges[caller].to));
            for &edge in &program.locations[location].out {
                concurrent.insert(edge);
                reach(program.edges[edge].to);
                if let Op::Call { callee, .. } = &program.edges[edge].op {
                    let entries = targets(callee, &self.addressed);
                    entries.iter().filter_map(|&target| program.functions[target].entry).for_each(&mut reach);
                }
            }
        }
        concurrent
    }
}

impl ThreadRoot {
    fn new(function: FunctionId, many: bool, calls: &dyn Fn(FunctionId) -> Vec<FunctionId>) -> Self {
        let mut functions = HashSet::from_iter([function]);
        let mut open = vec![function];
        while let Some(function) = open.pop() {
            open.extend(calls(function).into_iter().filter(|&called| functions.insert(called)));
        }
        Self { many, functions, concurrent: HashSet::default() }
    }
}

fn is_on_cycle(program: &Program, edge: EdgeId) -> bool {
    let mut open = vec![program.edges[edge].to];
    let mut seen = HashSet::from_iter([program.edges[edge].to]);
    while let Some(location) = open.pop() {
        if location == program.edges[edge].from {
            return true;
        }
        let out = program.locations[location].out.iter().map(|&edge| program.edges[edge].to);
        open.extend(out.filter(|&to| seen.insert(to)));
    }
    false
}

fn is_called(program: &Program, function: FunctionId, addressed: &[FunctionId]) -> bool {
    program.edges.values().any(|edge| match &edge.op {
        Op::Call { callee, .. } => targets(callee, addressed).contains(&function),
        _ => false,
    })
}

/// The functions that a callee may be.
pub(super) fn targets(callee: &Callee, addressed: &[FunctionId]) -> Vec<FunctionId> {
    match callee {
        Callee::Function(function) => vec![*function],
        Callee::Pointer(_) => addressed.to_vec(),
    }
}

fn edges_by_function(program: &Program) -> Arena<FunctionId, Vec<EdgeId>> {
    let mut edges: Arena<FunctionId, Vec<EdgeId>> = program.functions.ids().map(|_| Vec::new()).collect();
    for (id, edge) in program.edges.iter() {
        edges[program.locations[edge.from].function].push(id);
    }
    edges
}

/// The functions that a pointer may lead to: all of them where a pointer may be made from a number.
fn addressed_functions(program: &Program) -> Vec<FunctionId> {
    let mut functions = Vec::new();
    for index in 0..program.exprs.len() {
        let expr = program.exprs.get(ExprId::from_index(index));
        match expr.kind {
            ExprKind::FunctionAddress(function) => functions.push(function),
            ExprKind::Cast(operand) if expr.ty == Scalar::Pointer && program.exprs.ty(operand) != Scalar::Pointer => {
                return program.functions.ids().collect();
            }
            _ => {}
        }
    }
    functions.sort_unstable();
    functions.dedup();
    functions
}
