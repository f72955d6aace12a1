//! The graph that analyses work on: the automata of all functions side by side, in reverse post-order.
//!
//! Calls of functions with a body are edges from the call to where control goes on; what happens inside is the
//! analyses' matter. A program is *flat* if there is no such call and no thread: then the graph shows all there is.

use foundation::Id;
use program::{Callee, EdgeId, LocationId, Op, Program};

/// A program's locations in an order in which most edges lead forwards.
#[derive(Clone, Debug)]
pub struct Flow {
    /// The locations that some function's entry leads to, in reverse post-order.
    order: Vec<LocationId>,
    /// The position of each location in `order`.
    position: Vec<Option<u32>>,
    /// The edges that lead to each location, from locations in `order` only.
    into: Vec<Vec<EdgeId>>,
    /// Whether an edge leads back to a location: every cycle has such a location.
    head: Vec<bool>,
    flat: bool,
}

impl Flow {
    /// The graph of a program.
    pub fn new(program: &Program) -> Self {
        let count = program.locations.len();
        let mut search = Search { program, color: vec![Color::New; count], head: vec![false; count], done: Vec::new() };
        let first = program.entry.and_then(|entry| program.functions[entry].entry);
        for entry in first.into_iter().chain(program.functions.values().filter_map(|function| function.entry)) {
            search.visit(entry);
        }
        let Search { head, done: mut order, .. } = search;
        order.reverse();
        let mut position = vec![None; count];
        let mut into = vec![Vec::new(); count];
        for (at, &location) in order.iter().enumerate() {
            position[location.index()] = Some(at as u32);
            for &edge in &program.locations[location].out {
                into[program.edges[edge].to.index()].push(edge);
            }
        }
        Self { order, position, into, head, flat: is_flat(program) }
    }

    /// The locations that can be reached in the graph, in reverse post-order.
    pub fn order(&self) -> &[LocationId] {
        &self.order
    }

    /// Where a location stands in [`Flow::order`]; none if no entry leads to it.
    pub fn position(&self, location: LocationId) -> Option<u32> {
        self.position[location.index()]
    }

    /// The edges that lead to a location.
    pub fn into(&self, location: LocationId) -> &[EdgeId] {
        &self.into[location.index()]
    }

    /// Whether this is one of the locations of which every cycle has one.
    pub fn is_head(&self, location: LocationId) -> bool {
        self.head[location.index()]
    }

    /// Whether the program has neither threads nor calls of functions with a body.
    pub fn is_flat(&self) -> bool {
        self.flat
    }
}

/// Whether a program has neither threads nor calls that may enter a body.
fn is_flat(program: &Program) -> bool {
    program.edges.values().all(|edge| match &edge.op {
        Op::Spawn { .. } => false,
        Op::Call { callee: Callee::Function(function), .. } => program.functions[*function].entry.is_none(),
        Op::Call { callee: Callee::Pointer(_), .. } => false,
        _ => true,
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Color {
    New,
    Open,
    Done,
}

struct Search<'p> {
    program: &'p Program,
    color: Vec<Color>,
    head: Vec<bool>,
    done: Vec<LocationId>,
}

impl Search<'_> {
    fn visit(&mut self, root: LocationId) {
        if self.color[root.index()] != Color::New {
            return;
        }
        self.color[root.index()] = Color::Open;
        let mut path = vec![(root, 0)];
        while let Some((location, next)) = path.last_mut() {
            let Some(&edge) = self.program.locations[*location].out.get(*next) else {
                self.color[location.index()] = Color::Done;
                self.done.push(*location);
                path.pop();
                continue;
            };
            *next += 1;
            let to = self.program.edges[edge].to;
            match self.color[to.index()] {
                Color::New => {
                    self.color[to.index()] = Color::Open;
                    path.push((to, 0));
                }
                Color::Open => self.head[to.index()] = true,
                Color::Done => {}
            }
        }
    }
}
