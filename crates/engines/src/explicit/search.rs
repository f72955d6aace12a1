//! Emptiness of the product by one depth-first search over its strongly connected components.
//!
//! After Couvreur ("On-the-fly verification of linear temporal logic", FM 1999) with Gabow's stack of roots
//! ("Path-based depth-first search", IPL 2000). Every state has a *place* in the order in which states are visited. When
//! a component is done, so are all places from its root's on, so one bit per place says whether its component is done,
//! and those that are not are kept as intervals. A component that visits all acceptance sets is a violation, found as
//! soon as it is closed.
//!
//! All transitions of a state are computed, and their targets stored, when the state is visited, so that the lookups of
//! the targets wait for memory together. Transitions to states that were visited before are followed at once; the others
//! wait on a stack, by the numbers of their targets.

use automata::buchi::Marks;
use foundation::Budget;
use task::Reason;

use super::graph::ProductGraph;
use super::lasso::near_the_beginning;
use super::product::{Product, Transitions};
use super::space::Space;
use super::store::{Inserted, Lookup, Store};

/// What a search came to.
#[derive(Clone, Debug)]
pub struct Searched {
    /// The states that the answer speaks of, by their numbers.
    pub store: Store,
    /// How many states were found, some of them perhaps twice.
    pub states: u64,
    /// How many transitions of the product were followed.
    pub transitions: u64,
    /// The bytes that were used at most.
    pub bytes: usize,
    /// The answer.
    pub found: Emptiness,
}

/// The answer of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Emptiness {
    /// The product has no accepting run.
    Nothing,
    /// These states are strongly connected among each other, and a cycle that visits these acceptance sets is a
    /// violation; there is one.
    Component {
        /// The states, by their numbers.
        states: Vec<u32>,
        /// What the cycle must visit.
        marks: Marks,
    },
    /// A step of this state leads to an end in which the automaton accepts.
    End {
        /// The state.
        state: u32,
        /// The step.
        step: u32,
    },
    /// Not all was visited, and what was has no accepting run.
    Unknown(Reason),
}

/// Searches a product for an accepting run.
pub fn search<S: Space>(product: &mut Product<'_, S>, budget: &Budget) -> Searched {
    let words = product.space.words();
    let mut search = Search {
        all: product.all_marks(),
        words,
        store: Store::new(words),
        places: Vec::new(),
        visited: 0,
        done: Vec::new(),
        live: Vec::new(),
        path: Vec::new(),
        roots: Vec::new(),
        waiting: Vec::new(),
        waiting_marks: Vec::new(),
        refusal: None,
        transitions: 0,
        next_check: 0,
        work_spent: 0,
        most_bytes: 0,
        computed: Transitions::default(),
        lookups: Vec::new(),
        kinds: Kinds::default(),
        near: None,
    };
    let found = match search.run(product, budget) {
        Some(found) => found,
        None => search.refusal.take().map_or(Emptiness::Nothing, Emptiness::Unknown),
    };
    search.measure();
    let states = u64::from(search.store.len());
    let (transitions, bytes) = (search.transitions, search.most_bytes);
    match search.near {
        None => Searched { store: search.store, states, transitions, bytes, found },
        Some(near) => Searched {
            states: states + u64::from(near.store.len()),
            transitions: transitions + near.transitions(),
            bytes: bytes + near.bytes(),
            store: near.store,
            found,
        },
    }
}

struct Search {
    all: Marks,
    words: usize,
    store: Store,
    /// By state: its place plus one, or zero where it was not visited yet.
    places: Vec<u32>,
    /// How many states were visited.
    visited: u32,
    /// One bit per place: whether its component is done.
    done: Vec<u64>,
    /// The places whose components are not done, as intervals without their ends.
    live: Vec<(u32, u32)>,
    path: Vec<SearchFrame>,
    roots: Vec<ComponentRoot>,
    /// The targets of transitions to states that were not visited when they were found; those of the last frame come
    /// last.
    waiting: Vec<u32>,
    /// And what each of these transitions visits.
    waiting_marks: Vec<Kind>,
    refusal: Option<Reason>,
    transitions: u64,
    /// The number of states and transitions at which the budget is looked at.
    next_check: u64,
    /// The units of work that the budget was told of.
    work_spent: u64,
    most_bytes: usize,
    computed: Transitions,
    lookups: Vec<Lookup>,
    kinds: Kinds,
    /// The neighbourhood of the initial states, where the violation was found in it.
    near: Option<ProductGraph>,
}

/// The different sets of marks that occur, which are few: stacks hold their numbers.
#[derive(Default)]
struct Kinds {
    marks: Vec<Marks>,
}

type Kind = u16;

impl Kinds {
    /// The number of a set of marks, if there is one left for it.
    fn number(&mut self, marks: Marks) -> Option<Kind> {
        if let Some(known) = self.marks.iter().position(|&known| known == marks) {
            return Some(known as Kind);
        }
        let number = Kind::try_from(self.marks.len()).ok()?;
        self.marks.push(marks);
        Some(number)
    }

    fn get(&self, kind: Kind) -> Marks {
        self.marks[usize::from(kind)]
    }
}

/// A state on the path of the search.
struct SearchFrame {
    place: u32,
    /// How many of its transitions wait.
    waiting: u32,
}

/// The first state of a component, as far as it is known, with the marks visited inside it and by the transition that
/// entered it.
struct ComponentRoot {
    place: u32,
    inside: Kind,
    entered: Kind,
}

/// The budget is looked at after so many states and transitions. A state may have very many transitions.
const WORK_PER_CHECK: u64 = 2048;

/// How many transitions of compiled successors are a unit of work, about.
const TRANSITIONS_PER_UNIT: u64 = 2;

/// When so many states were visited and no violation was found, this many that are nearest to the beginning are looked
/// at: a search that goes deep first may pass by a violation that is a few steps away.
const LOOKS_AROUND_AT: u32 = 1 << 14;
const LOOKS_AT_NEAREST: u32 = 1 << 11;

impl Search {
    fn run<S: Space>(&mut self, product: &mut Product<'_, S>, budget: &Budget) -> Option<Emptiness> {
        for initial in product.initial() {
            let Some(number) = self.add(&initial) else { return Some(full()) };
            if self.places[number as usize] != 0 {
                continue;
            }
            let Some(nothing) = self.kinds.number(Marks::NONE) else { return Some(full()) };
            if let Some(found) = self.visit(product, number, nothing).or_else(|| self.explore(product, budget)) {
                return Some(found);
            }
        }
        None
    }

    fn explore<S: Space>(&mut self, product: &mut Product<'_, S>, budget: &Budget) -> Option<Emptiness> {
        while let Some(frame) = self.path.last_mut() {
            if frame.waiting == 0 {
                let place = frame.place;
                self.leave(place);
                continue;
            }
            frame.waiting -= 1;
            let target = self.waiting.pop().expect("as many as the frame says");
            let marks = self.waiting_marks.pop().expect("as many as there are targets");
            let found = match self.places[target as usize] {
                0 => {
                    let work = self.transitions + u64::from(self.visited);
                    if work >= self.next_check {
                        self.next_check = work + WORK_PER_CHECK;
                        self.measure();
                        budget.spend(self.work_since_check());
                        product.tell(u64::from(self.visited), self.transitions);
                        if let Err(exhausted) = budget.check().and_then(|()| budget.allows(self.store.growth())) {
                            return Some(Emptiness::Unknown(exhausted.into()));
                        }
                    }
                    if self.visited == LOOKS_AROUND_AT
                        && let Some(found) = self.look_around(product, budget)
                    {
                        return Some(found);
                    }
                    self.visit(product, target, marks)
                }
                place => self.follow(place - 1, marks),
            };
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// The units of work since this was asked last.
    fn work_since_check(&mut self) -> u64 {
        let work = self.transitions / TRANSITIONS_PER_UNIT;
        work - std::mem::replace(&mut self.work_spent, work)
    }

    /// Looks for a violation near the beginning.
    fn look_around<S: Space>(&mut self, product: &mut Product<'_, S>, budget: &Budget) -> Option<Emptiness> {
        match near_the_beginning(product, LOOKS_AT_NEAREST, budget) {
            Ok(near) => near.map(|(graph, found)| {
                self.near = Some(graph);
                found
            }),
            Err(exhausted) => Some(Emptiness::Unknown(exhausted.into())),
        }
    }

    /// The number of a state, old or new.
    fn add(&mut self, state: &[u64]) -> Option<u32> {
        match self.store.insert(state) {
            Inserted::Known(number) => Some(number),
            Inserted::New(number) => {
                self.places.push(0);
                Some(number)
            }
            Inserted::Full => None,
        }
    }

    /// Visits a state: gives it the next place, and computes its transitions.
    fn visit<S: Space>(&mut self, product: &mut Product<'_, S>, state: u32, entered: Kind) -> Option<Emptiness> {
        let place = self.visited;
        self.visited += 1;
        self.places[state as usize] = self.visited;
        if place.is_multiple_of(u64::BITS) {
            self.done.push(0);
        }
        match self.live.last_mut() {
            Some((_, end)) if *end == place => *end += 1,
            _ => self.live.push((place, place + 1)),
        }
        let Some(nothing) = self.kinds.number(Marks::NONE) else { return Some(full()) };
        self.roots.push(ComponentRoot { place, inside: nothing, entered });
        product.transitions(self.store.get(state), &mut self.computed);
        if let Some(step) = self.computed.accepted {
            return Some(Emptiness::End { state, step });
        }
        if let Some(reason) = self.computed.refusal.take() {
            if let Reason::Exhausted(_) = reason {
                // Nothing that follows can be taken either.
                return Some(Emptiness::Unknown(reason));
            }
            self.refusal = Some(self.refusal.take().unwrap_or(reason));
        }
        let count = self.computed.marks.len();
        self.transitions += count as u64;
        let waiting = self.waiting.len();
        let found = self.follow_computed(count);
        self.path.push(SearchFrame { place, waiting: (self.waiting.len() - waiting) as u32 });
        found
    }

    /// Stores the targets of the transitions that were computed; follows those to visited states, and lets the others
    /// wait.
    fn follow_computed(&mut self, count: usize) -> Option<Emptiness> {
        self.store.reserve(count);
        let targets = std::mem::take(&mut self.computed.targets);
        self.lookups.clear();
        for index in 0..count {
            self.lookups.push(self.store.begin(&targets[index * self.words..(index + 1) * self.words]));
        }
        std::hint::black_box(self.lookups.iter().fold(0, |all, lookup| all ^ self.store.peek(*lookup)));
        let mut found = None;
        for index in 0..count {
            let target = &targets[index * self.words..(index + 1) * self.words];
            let Some(marks) = self.kinds.number(self.computed.marks[index]) else { return Some(full()) };
            found = match self.store.insert_at(self.lookups[index], target) {
                Inserted::Known(known) => match self.places[known as usize] {
                    0 => self.wait(known, marks),
                    place => self.follow(place - 1, marks),
                },
                Inserted::New(target) => {
                    self.places.push(0);
                    self.wait(target, marks)
                }
                Inserted::Full => Some(full()),
            };
            if found.is_some() {
                break;
            }
        }
        self.computed.targets = targets;
        found
    }

    fn wait(&mut self, target: u32, marks: Kind) -> Option<Emptiness> {
        self.waiting.push(target);
        self.waiting_marks.push(marks);
        None
    }

    /// Follows a transition to a state that was visited before. Where its component is not done, all roots after it are
    /// roots no longer.
    fn follow(&mut self, place: u32, marks: Kind) -> Option<Emptiness> {
        if self.is_done(place) {
            return None;
        }
        let mut visited = self.kinds.get(marks);
        while let Some(root) = self.roots.pop_if(|root| root.place > place) {
            visited = visited.union(self.kinds.get(root.inside)).union(self.kinds.get(root.entered));
        }
        let root = self.roots.last_mut().expect("the path begins with a root");
        let inside = self.kinds.get(root.inside).union(visited);
        let Some(number) = self.kinds.number(inside) else { return Some(full()) };
        root.inside = number;
        if inside != self.all {
            return None;
        }
        let first = root.place;
        let is_member = |place: u32| place > first && !self.is_done(place - 1);
        let states = (0..self.store.len()).filter(|&state| is_member(self.places[state as usize])).collect();
        Some(Emptiness::Component { states, marks: self.all })
    }

    /// All transitions of the last state on the path are followed.
    fn leave(&mut self, place: u32) {
        self.path.pop();
        if self.roots.pop_if(|root| root.place == place).is_none() {
            return;
        }
        while let Some((start, end)) = self.live.pop_if(|(_, end)| *end > place) {
            let first = start.max(place);
            set(&mut self.done, first as usize, end as usize);
            if first > start {
                self.live.push((start, first));
            }
        }
    }

    fn is_done(&self, place: u32) -> bool {
        self.done[place as usize / 64] >> (place % 64) & 1 == 1
    }

    fn measure(&mut self) {
        let bytes = self.store.bytes()
            + self.places.capacity() * size_of::<u32>()
            + self.path.capacity() * size_of::<SearchFrame>()
            + self.roots.capacity() * size_of::<ComponentRoot>()
            + self.waiting.capacity() * size_of::<u32>()
            + self.waiting_marks.capacity() * size_of::<Kind>()
            + self.live.capacity() * size_of::<(u32, u32)>()
            + self.done.capacity() * size_of::<u64>();
        self.most_bytes = self.most_bytes.max(bytes);
    }
}

fn full() -> Emptiness {
    Emptiness::Unknown(Reason::Incomplete("there are too many states to be numbered".to_owned()))
}

/// Sets the bits from `first` up to, but without, `end`.
fn set(bits: &mut [u64], first: usize, end: usize) {
    for (word, bits) in bits.iter_mut().enumerate().take((end - 1) / 64 + 1).skip(first / 64) {
        let from = first.saturating_sub(word * 64);
        let to = (end - word * 64).min(64);
        *bits |= u64::MAX << from & u64::MAX >> (64 - to);
    }
}
