//! Proofs from nothing: the product is complete, no state knows anything, and the graph pretends that something does
//! not go on for ever. For a violated property each of them is a lie.

use semper::automata::buchi::{Automaton, Guard};
use semper::foundation::{Budget, Id};
use semper::program::passes::prepare;
use semper::task::certificate::refutation::{
    Control, Exit, Macrostate, ModuleState, ProductEdge, ProductState, ProgressCondition, ProofNode, RankedModule,
    Refutation, Role,
};
use semper::task::certificate::sexp::Sexp;
use semper::task::{Negation, Task};

/// Whatever pretends to be a proof, with the name of the pretence.
pub fn all(task: &Task) -> Vec<(&'static str, Refutation)> {
    let product = product(task);
    let mut found = Vec::new();
    // Every node is the last one.
    let mut lonely = product.clone();
    lonely.missing = vec![ProgressCondition::Edges];
    lonely.nodes = (0u32..).zip(&product.states).map(|(state, _)| node(state, 0, Vec::new())).collect();
    found.push(("no step is taken twice", lonely.clone()));
    for mark in 0..product.automaton.acceptance_sets() {
        lonely.missing = vec![ProgressCondition::Mark(mark)];
        found.push(("an acceptance set is missing", lonely.clone()));
    }
    // A module whose accepting state is entered from everywhere, and descends for no reason.
    let functions = [Vec::new(), vec![Sexp::word(0)], vec![Sexp::word(0), Sexp::word(1)]];
    let parts = [[vec![], vec![]], [vec![1], vec![]], [vec![], vec![1]], [vec![1], vec![1]]];
    for function in functions {
        for [checked, safe] in &parts {
            for role in [Role::Accepting, Role::False] {
                let mut pretended = product.clone();
                pretended.modules = vec![RankedModule {
                    function: function.clone(),
                    states: vec![state(Role::Stem), state(role)],
                    transitions: vec![(0, 0, vec![0, 1]), (1, 0, vec![1])],
                }];
                pretended.missing = vec![ProgressCondition::Breakpoint(0), ProgressCondition::Edges];
                let begin = Macrostate { uncommitted: vec![0], ..Macrostate::default() };
                let go_on = Macrostate {
                    uncommitted: vec![0],
                    checked: checked.clone(),
                    safe: safe.clone(),
                    breakpoint: vec![1],
                };
                pretended.nodes = (0u32..)
                    .zip(&product.states)
                    .map(|(state, at)| match at.place {
                        Control::Start => node(state, 1, vec![begin.clone()]),
                        _ => node(state, 0, vec![go_on.clone()]),
                    })
                    .collect();
                found.push(("a breakpoint is missing", pretended));
            }
        }
    }
    found
}

fn node(state: u32, number: u32, macrostates: Vec<Macrostate>) -> ProofNode {
    ProofNode { state, predicates: Vec::new(), macrostates, number }
}

fn state(role: Role) -> ModuleState {
    ModuleState { role, condition: Vec::new() }
}

/// Everything that the program may do beside the automaton, edge by edge, with the letter 0.
pub fn product(task: &Task) -> Refutation {
    let automaton = Negation::new(task, &Budget::unlimited()).expect("the goals are small").automaton;
    let program = prepare(&task.program, &task.atoms, task.semantics, 1000).expect("the programs are small").program;
    let mut places = vec![Control::Start];
    places.extend(program.locations.ids().map(Control::At));
    let exits = [Exit::Returns, Exit::Ends, Exit::Undefined];
    places.extend(program.edges.ids().flat_map(|edge| exits.map(|exit| Control::Stopped(edge, exit))));
    let count = automaton.state_count() as u32;
    let states: Vec<ProductState> = (places.iter())
        .flat_map(|&place| (0..count).map(move |automaton| ProductState { place, automaton, invariant: Vec::new() }))
        .collect();
    let number = |place: Control, state: u32| {
        places.iter().position(|&other| other == place).expect("all places are there") as u32 * count + state
    };
    let mut edges = Vec::new();
    let mut steps: Vec<(Control, Control, Vec<_>)> = places.iter().map(|&place| (place, place, Vec::new())).collect();
    steps.extend(program.locations.ids().map(|start| (Control::Start, Control::At(start), Vec::new())));
    for (id, edge) in program.edges.iter() {
        steps.push((Control::At(edge.from), Control::At(edge.to), vec![id]));
        steps.extend(exits.map(|exit| (Control::At(edge.from), Control::Stopped(id, exit), vec![id])));
    }
    for (from, to, path) in steps {
        for state in 0..count {
            let (from, to) = (number(from, state), number(to, state));
            edges.push(ProductEdge { from, to, letter: 0, path: path.clone(), reads: Vec::new(), condition: None });
        }
        for (index, read) in automaton.edges().enumerate() {
            let (from, to) = (number(from, read.from.index() as u32), number(to, read.to.index() as u32));
            let reads = vec![index as u32];
            edges.push(ProductEdge { from, to, letter: 0, path: path.clone(), reads, condition: None });
        }
    }
    of_product(automaton, states, edges)
}

fn of_product(automaton: Automaton<Guard>, states: Vec<ProductState>, edges: Vec<ProductEdge>) -> Refutation {
    Refutation {
        automaton,
        symbols: Vec::new(),
        addresses: Vec::new(),
        unread: Vec::new(),
        reread: Vec::new(),
        states,
        edges,
        predicates: Vec::new(),
        modules: Vec::new(),
        nodes: Vec::new(),
        missing: Vec::new(),
        definitions: Vec::new(),
        steps: Vec::new(),
        finite: 0,
    }
}
