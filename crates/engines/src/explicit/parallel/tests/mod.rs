//! The parallel search against the sequential one, and both against the definition, on graphs.

mod graphs;

use std::cell::Cell;
use std::hash::{BuildHasher, RandomState};
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use automata::buchi::Marks;
use foundation::Exhausted;
use foundation::collections::{HashMap, HashSet};
use program::semantics::Answer as Choice;
use task::{Lasso, LetterBits, Negation, Scheduler};

use super::super::lasso::lasso;
use super::super::product::Expanded;
use super::*;
use graphs::{Edge, Graph, GraphSpace, Random, letters_are_marks, random_graph, random_negation, shapes};

/// Gives way to another thread, now and then.
pub fn meanwhile() {
    thread_local! {
        static RANDOM: Cell<u64> = const { Cell::new(0) };
    }
    let mut random = Random(RANDOM.get());
    if random.0 == 0 {
        random = Random(RandomState::new().hash_one(0));
    }
    let chance = random.next() % 16;
    RANDOM.set(random.0);
    match chance {
        0 => thread::yield_now(),
        1..4 => (0..100).for_each(|_| std::hint::spin_loop()),
        _ => {}
    }
}

/// How much more is tested than usual: for a long run under `--release`.
fn effort() -> usize {
    std::env::var("SEMPER_EFFORT").ok().and_then(|text| text.parse().ok()).unwrap_or(1)
}

/// The product of a graph, by definition.
struct Whole {
    states: HashMap<Vec<u64>, usize>,
    transitions: Vec<Vec<(usize, Marks)>>,
    /// The component of each state.
    components: Vec<usize>,
    /// What each component visits, where it has a transition inside.
    visited: Vec<Option<Marks>>,
    accepted_end: bool,
    /// The first of each state.
    refusals: Vec<Reason>,
    all: Marks,
}

impl Whole {
    fn of(run: &Run<'_>) -> Self {
        let mut product = run.product(GraphSpace::new(run.graph.clone(), run.words));
        let mut whole = Self {
            states: HashMap::default(),
            transitions: Vec::new(),
            components: Vec::new(),
            visited: Vec::new(),
            accepted_end: false,
            refusals: Vec::new(),
            all: product.all_marks(),
        };
        let mut open = Vec::new();
        for initial in product.initial() {
            whole.number(initial.into_vec(), &mut open);
        }
        let mut target = vec![0; run.words];
        while let Some((number, state)) = open.pop() {
            let mut refusal = None;
            for step in 0.. {
                match product.expand(&state, step) {
                    Expanded::NoMore => break,
                    Expanded::Accepted => whole.accepted_end = true,
                    Expanded::Refused(reason) => refusal = refusal.or(Some(reason)),
                    Expanded::Moves(count) => {
                        for index in 0..count {
                            let marks = product.target(index, &mut target);
                            let to = whole.number(target.clone(), &mut open);
                            whole.transitions[number].push((to, marks));
                        }
                    }
                }
            }
            whole.refusals.extend(refusal);
        }
        whole.divide();
        whole
    }

    fn number(&mut self, state: Vec<u64>, open: &mut Vec<(usize, Vec<u64>)>) -> usize {
        let number = self.states.len();
        *self.states.entry(state).or_insert_with_key(|state| {
            self.transitions.push(Vec::new());
            open.push((number, state.clone()));
            number
        })
    }

    /// Finds the components (Kosaraju and Sharir): backwards, in the opposite order of the ends of a search forwards.
    fn divide(&mut self) {
        let mut backwards = vec![Vec::new(); self.transitions.len()];
        for (from, transitions) in self.transitions.iter().enumerate() {
            for &(to, _) in transitions {
                backwards[to].push(from);
            }
        }
        let mut order = Vec::new();
        let mut seen = vec![false; self.transitions.len()];
        for start in 0..self.transitions.len() {
            let mut path = vec![(start, 0)];
            while let Some((state, edge)) = path.pop() {
                if edge == 0 && std::mem::replace(&mut seen[state], true) {
                    continue;
                }
                match self.transitions[state].get(edge) {
                    Some(&(to, _)) => path.extend([(state, edge + 1), (to, 0)]),
                    None => order.push(state),
                }
            }
        }
        self.components = vec![usize::MAX; self.transitions.len()];
        for &start in order.iter().rev() {
            let component = self.visited.len();
            let mut open = vec![start];
            let mut is_new = false;
            while let Some(state) = open.pop() {
                if self.components[state] == usize::MAX {
                    self.components[state] = component;
                    is_new = true;
                    open.extend(&backwards[state]);
                }
            }
            if is_new {
                self.visited.push(None);
            }
        }
        for (from, transitions) in self.transitions.iter().enumerate() {
            for &(to, marks) in transitions {
                if self.components[from] == self.components[to] {
                    let visited = &mut self.visited[self.components[from]];
                    *visited = Some(visited.unwrap_or(Marks::NONE).union(marks));
                }
            }
        }
    }

    fn is_violated(&self) -> bool {
        self.accepted_end || self.visited.contains(&Some(self.all))
    }

    fn transition_count(&self) -> u64 {
        self.transitions.iter().map(|of_state| of_state.len() as u64).sum()
    }
}

/// What is searched.
struct Run<'a> {
    graph: &'a Arc<Graph>,
    words: usize,
    negation: &'a Negation,
}

impl<'a> Run<'a> {
    fn product(&self, space: GraphSpace) -> Product<'a, GraphSpace> {
        Product::new(space, self.negation, Scheduler::Any)
    }
}

/// Lets threads search a graph and compares all that they found with the whole of it. Returns whether it is violated.
fn compare(what: &str, graph: &Arc<Graph>, words: usize, negation: &Negation, seeds: Range<u64>) -> bool {
    let run = Run { graph, words, negation };
    let whole = Whole::of(&run);
    let budget = Budget::unlimited();
    let sequential = search(&mut run.product(GraphSpace::new(graph.clone(), words)), &budget);
    let is_found = matches!(sequential.found, Emptiness::Component { .. } | Emptiness::End { .. });
    assert_eq!(is_found, whole.is_violated(), "{what}: sequential");
    for seed in seeds {
        let threads = 1 + seed as usize % 4;
        let what = format!("{what}, {threads} threads, seed {seed}");
        let product = run.product(GraphSpace::for_threads(graph.clone(), words, threads as u32, seed));
        let store = SharedStore::new(words, threads);
        let explored = explore(&product, &store, threads, seed, &budget);
        assert_eq!(explored.violation.is_some(), whole.is_violated(), "{what}");
        match &explored.violation {
            Some(violation) => check_violation(&what, &run, &whole, &store, threads, violation),
            None => {
                let refusal = whole.refusals.iter().min_by_key(|reason| reason.to_string());
                assert_eq!(explored.unknown.as_ref(), refusal, "{what}");
                assert_eq!(store.states(), whole.states.len() as u64, "{what}");
                assert_eq!(explored.transitions, whole.transition_count(), "{what}");
                check_components(&what, &whole, &store, threads);
            }
        }
    }
    whole.is_violated()
}

/// The sets at the end are the components, with their marks, and all are dead.
fn check_components(what: &str, whole: &Whole, store: &SharedStore, threads: usize) {
    let sets = UnionFind::new(&store.records, threads as u32);
    let mut state = vec![0; store.words()];
    let mut root_of_component: HashMap<usize, u32> = HashMap::default();
    let mut component_of_root: HashMap<u32, usize> = HashMap::default();
    for number in store.records.reserved() {
        if store.records.cell(number).load(Ordering::Relaxed) == 0 {
            continue;
        }
        store.records.read(number, &mut state);
        let component = whole.components[whole.states[&state]];
        let root = sets.root(number);
        assert_eq!(*root_of_component.entry(component).or_insert(root), root, "{what}: one set for each component");
        assert_eq!(*component_of_root.entry(root).or_insert(component), component, "{what}: and the other way round");
        assert_eq!(sets.visited(number, 0), union_find::Visited::Dead, "{what}");
        assert!(sets.is_done(number), "{what}");
        let marks: Marks = whole.visited[component].unwrap_or(Marks::NONE);
        let bits = marks.iter().fold(0, |bits, set| bits | 1 << set);
        assert_eq!(sets.add_marks(number, 0), (root, bits), "{what}: the marks of transitions inside");
    }
    assert_eq!(root_of_component.len(), whole.visited.len(), "{what}");
}

/// What the threads have found is a violation, and enough for a lasso.
fn check_violation(what: &str, run: &Run<'_>, whole: &Whole, store: &SharedStore, threads: usize, violation: &Stopped) {
    let mut product = run.product(GraphSpace::new(run.graph.clone(), run.words));
    let shown = what_threads_found(store, threads, violation, product.all_marks());
    let Emptiness::Component { states, marks } = &shown.found else {
        let Emptiness::End { state, step } = shown.found else { panic!("{what}: {:?}", shown.found) };
        assert_eq!(product.expand(shown.store.get(state), step), Expanded::Accepted, "{what}");
        return;
    };
    let numbers: Vec<usize> = states.iter().map(|&state| whole.states[shown.store.get(state)]).collect();
    let members: HashSet<usize> = numbers.iter().copied().collect();
    let inside = |&from: &usize| whole.transitions[from].iter().filter(|(to, _)| members.contains(to));
    let visited = numbers.iter().flat_map(inside).fold(Marks::NONE, |visited, (_, marks)| visited.union(*marks));
    assert_eq!(visited, *marks, "{what}");
    // Each member reaches the first, and the first each of them, without leaving the component.
    let edges: Vec<_> = numbers.iter().flat_map(|from| inside(from).map(|&(to, _)| (*from, to))).collect();
    let backwards: Vec<_> = edges.iter().map(|&(from, to)| (to, from)).collect();
    for edges in [edges, backwards] {
        assert_eq!(reachable(numbers[0], &edges), members, "{what}");
    }
    if run.negation.automaton.is_deterministic() {
        let lasso = lasso(&mut product, &shown.store, &shown.found, &Budget::unlimited());
        let Ok(Some(lasso)) = lasso else { panic!("{what}: no lasso") };
        check_lasso(what, run.graph, &lasso);
    }
}

fn reachable(start: usize, edges: &[(usize, usize)]) -> HashSet<usize> {
    let mut after: HashMap<usize, Vec<usize>> = HashMap::default();
    for &(from, to) in edges {
        after.entry(from).or_default().push(to);
    }
    let mut reached = HashSet::from_iter([start]);
    let mut open = vec![start];
    while let Some(state) = open.pop() {
        open.extend(after.get(&state).into_iter().flatten().filter(|&&to| reached.insert(to)));
    }
    reached
}

/// A lasso is a path of the graph that returns to where its cycle begins, or ends.
fn check_lasso(what: &str, graph: &Graph, lasso: &Lasso) {
    let mut at = Some(0);
    let mut follow = |choices: &[Choice]| {
        for choice in choices {
            let Choice::Index(step) = choice else { panic!("{what}: {choice:?}") };
            at = match &graph.edges[at.expect("it goes on")][*step] {
                Edge::To(to, _) => Some(*to),
                Edge::Ended(_) => None,
                edge => panic!("{what}: {edge:?} in a lasso"),
            };
        }
        at
    };
    let honda = follow(&lasso.stem);
    assert_eq!(lasso.cycle.is_empty(), honda.is_none(), "{what}");
    assert_eq!(follow(&lasso.cycle), honda, "{what}");
}

#[test]
fn random_graphs_with_random_automata() {
    let mut random = Random(1);
    let rounds = 300 * effort();
    let mut violated = 0;
    for round in 0..rounds {
        let negation = random_negation(&mut random);
        let states = 1 + random.below([8, 30, 120][round % 3]);
        let graph = Arc::new(random_graph(&mut random, states, &negation));
        let first = random.below(1000) as u64;
        let what = format!("round {round}");
        violated += usize::from(compare(&what, &graph, 1 + round % 3, &negation, first..first + 4));
    }
    assert!(violated > rounds / 10 && violated < rounds * 9 / 10, "{violated} of {rounds} are violated");
}

#[test]
fn shapes_without_violation() {
    let mut random = Random(2);
    let negation = letters_are_marks(2);
    for round in 0..4 * effort() {
        let size = [10, 50, 300, 2000][round % 4];
        let seed = random.next();
        // One of the two sets is never visited.
        let mut letters = Random(seed);
        let mut letter = || LetterBits::from(letters.one_in(20));
        for (name, graph) in shapes(size, &mut random, &mut letter) {
            let what = format!("{name} of {size}, round {round}");
            assert!(!compare(&what, &Arc::new(graph), 1, &negation, seed % 97..seed % 97 + 3), "{what}");
        }
    }
}

#[test]
fn shapes_with_rare_marks() {
    let mut random = Random(3);
    let negation = letters_are_marks(3);
    let mut violated = 0;
    let mut all = 0;
    for round in 0..8 * effort() {
        let size = [5, 20, 100, 500][round % 4];
        let mut letters = Random(random.next());
        let rarity = 1 + letters.below(size);
        let mut letter = || if letters.one_in(rarity) { 1 << letters.below(3) } else { 0 };
        for (name, graph) in shapes(size, &mut random, &mut letter) {
            let what = format!("{name} of {size}, round {round}");
            let first = 4 * round as u64;
            violated += usize::from(compare(&what, &Arc::new(graph), 2, &negation, first..first + 4));
            all += 1;
        }
    }
    assert!(violated > all / 10 && violated < all * 9 / 10, "{violated} of {all} are violated");
}

#[test]
fn the_same_violation_is_shown_every_time() {
    let mut random = Random(4);
    let negation = letters_are_marks(1);
    let mut letter = || 1;
    for (name, graph) in shapes(200, &mut random, &mut letter) {
        let graph = Arc::new(graph);
        let mut product = Product::new(GraphSpace::new(graph, 1), &negation, Scheduler::Any);
        let sequential = search(&mut product, &Budget::unlimited());
        let searched = search_parallel(&mut product, 3, &Budget::unlimited());
        match searched.answer {
            ParallelAnswer::Violation(shown) => assert_eq!(shown.found, sequential.found, "{name}"),
            ParallelAnswer::Nothing => assert_eq!(Emptiness::Nothing, sequential.found, "{name}"),
            ParallelAnswer::Unknown(reason) => panic!("{name}: {reason}"),
        }
        assert_eq!(searched.states, u64::from(sequential.store.len()), "{name}");
        assert_eq!(searched.transitions, sequential.transitions, "{name}");
    }
}

#[test]
fn limits_end_the_search() {
    let chain = Graph::new(200_000, (0..200_000 - 1).flat_map(|i| [(i, i + 1, 0), (i, i / 2, 0)]));
    let negation = letters_are_marks(1);
    let mut product = Product::new(GraphSpace::new(Arc::new(chain), 1), &negation, Scheduler::Any);
    for limit in [Exhausted::Time, Exhausted::Memory, Exhausted::Cancelled] {
        for after in [0, 3] {
            let budget = Budget::unlimited();
            thread::scope(|scope| {
                let other = budget.clone();
                scope.spawn(move || {
                    thread::sleep(Duration::from_millis(after));
                    other.exhaust(limit);
                });
                match search_parallel(&mut product, 2, &budget).answer {
                    ParallelAnswer::Unknown(reason) => assert_eq!(reason, Reason::Exhausted(limit)),
                    // It may have been faster.
                    ParallelAnswer::Nothing => assert!(after > 0),
                    ParallelAnswer::Violation(_) => panic!("there is no violation"),
                }
            });
        }
    }
}

#[test]
fn more_acceptance_sets_than_fit_are_searched_by_fewer_threads() {
    let graph = Arc::new(Graph::new(3, [(0, 1, 0), (1, 2, 0), (2, 1, 0)]));
    for (sets, threads) in [(2, 8), (INFORMATION_BITS - 3, 3), (INFORMATION_BITS, 1), (INFORMATION_BITS + 9, 1)] {
        let mut negation = letters_are_marks(0);
        negation.automaton = negation.automaton.map_edges(sets, |edge| Some((edge.label.clone(), Marks::NONE)));
        let mut product = Product::new(GraphSpace::new(graph.clone(), 1), &negation, Scheduler::Any);
        let searched = search_parallel(&mut product, 8, &Budget::unlimited());
        assert_eq!((searched.states, searched.threads), (3, threads), "{sets} sets");
        assert!(matches!(searched.answer, ParallelAnswer::Nothing), "{sets} sets");
        negation.automaton = negation.automaton.map_edges(sets, |edge| Some((edge.label.clone(), Marks::all(sets))));
        let mut product = Product::new(GraphSpace::new(graph.clone(), 1), &negation, Scheduler::Any);
        let searched = search_parallel(&mut product, 8, &Budget::unlimited());
        assert!(matches!(searched.answer, ParallelAnswer::Violation(_)), "{sets} sets");
    }
}
