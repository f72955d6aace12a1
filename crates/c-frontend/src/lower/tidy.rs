//! What is left to do when all functions are lowered: edges that do nothing are contracted, and locations that cannot
//! be reached are dropped. Nothing that is observed, and no invisible cycle, goes away.

use foundation::collections::HashSet;
use foundation::{Arena, Id};
use program::{Edge, EdgeId, Location, LocationId, Observe, Op, Program};

/// Tidies all automata of a program. `revivals` are declarations of variables that are initialised at once.
pub(crate) fn tidy(program: &mut Program, revivals: &HashSet<EdgeId>) {
    drop_needless_lifetimes(program, revivals);
    let target = contracted(program);
    rebuild(program, &target);
}

/// The end of a lifetime matters only where a pointer may still be there; so does its beginning where a value follows.
fn drop_needless_lifetimes(program: &mut Program, revivals: &HashSet<EdgeId>) {
    for id in program.edges.ids() {
        let needless = match program.edges[id].op {
            Op::Discard(variable) => !program.variables[variable].address_taken,
            Op::Declare(variable) => revivals.contains(&id) && !program.variables[variable].address_taken,
            _ => false,
        };
        if needless {
            program.edges[id].op = Op::Skip;
        }
    }
}

/// Where control is after all invisible steps that must follow a location. A location whose only edge is invisible is
/// replaced by that edge's target, but for those on an invisible cycle, of which one remains with an invisible loop.
fn contracted(program: &Program) -> Vec<LocationId> {
    let invisible = |location: LocationId| match program.locations[location].out.as_slice() {
        [edge] => {
            let edge = &program.edges[*edge];
            (edge.op == Op::Skip && edge.observe == Observe::No).then_some(edge.to)
        }
        _ => None,
    };
    let mut target: Vec<Option<LocationId>> = vec![None; program.locations.len()];
    for start in program.locations.ids() {
        let mut path = Vec::new();
        let mut on_path = HashSet::default();
        let mut at = start;
        let end = loop {
            if let Some(known) = target[at.index()] {
                break known;
            }
            if !on_path.insert(at) {
                break at;
            }
            path.push(at);
            match invisible(at) {
                Some(next) => at = next,
                None => break at,
            }
        };
        for location in path {
            target[location.index()] = Some(end);
        }
    }
    target.into_iter().map(|end| end.expect("every location was visited")).collect()
}

/// Copies what can be reached from the functions' entries.
fn rebuild(program: &mut Program, target: &[LocationId]) {
    let old_locations = std::mem::take(&mut program.locations);
    let old_edges = std::mem::take(&mut program.edges);
    let mut locations: Arena<LocationId, Location> = Arena::new();
    let mut edges: Arena<EdgeId, Edge> = Arena::new();
    for function in program.functions.ids() {
        let Some(entry) = program.functions[function].entry else { continue };
        let mut renamed = foundation::collections::HashMap::default();
        let mut order = Vec::new();
        let mut open = vec![target[entry.index()]];
        while let Some(location) = open.pop() {
            if renamed.contains_key(&location) {
                continue;
            }
            renamed.insert(location, locations.push(Location { function, out: Vec::new() }));
            order.push(location);
            let next = old_locations[location].out.iter().map(|edge| target[old_edges[*edge].to.index()]);
            open.extend(next.collect::<Vec<_>>().into_iter().rev());
        }
        for location in order {
            for edge in &old_locations[location].out {
                let edge = &old_edges[*edge];
                let (from, to) = (renamed[&location], renamed[&target[edge.to.index()]]);
                let copy = edges.push(Edge { from, to, ..edge.clone() });
                locations[from].out.push(copy);
            }
        }
        program.functions[function].entry = Some(renamed[&target[entry.index()]]);
    }
    program.locations = locations;
    program.edges = edges;
}
