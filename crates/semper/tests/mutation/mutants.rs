//! Every way in which a certificate can be corrupted in one place.

use semper::automata::buchi::{Automaton, Guard, Marks};
use semper::foundation::Id;
use semper::task::Certificate;
use semper::task::certificate::refutation::{
    CellName, Control, Macrostate, ObjectName, ProgressCondition, ProofNode, Refutation, Role,
};
use semper::task::certificate::sexp::Sexp;
use semper::task::certificate::text::write;

use crate::arguments::of_steps;
use crate::conditions::{changed, changed_condition};

/// A corrupted certificate.
pub struct Mutant {
    /// What was done to it.
    pub kind: &'static str,
    /// Whether whatever was corrupted in this way can be no proof any more, of anything.
    pub is_fatal: bool,
    pub refutation: Refutation,
}

/// Changes a certificate in one place.
type Change<'r> = Box<dyn Fn(&mut Refutation) + 'r>;

/// Kinds of changes, with all places for each.
pub struct Changes<'r> {
    pub original: &'r Refutation,
    found: Vec<(&'static str, bool, Vec<Change<'r>>)>,
}

impl<'r> Changes<'r> {
    /// A change for each of these.
    pub fn each<T: 'r>(
        &mut self,
        kind: &'static str,
        places: impl IntoIterator<Item = T>,
        change: impl Fn(&mut Refutation, &T) + Copy + 'r,
    ) {
        self.all(kind, false, places, change);
    }

    /// The same for what leaves no proof.
    pub fn fatal<T: 'r>(
        &mut self,
        kind: &'static str,
        places: impl IntoIterator<Item = T>,
        change: impl Fn(&mut Refutation, &T) + Copy + 'r,
    ) {
        self.all(kind, true, places, change);
    }

    fn all<T: 'r>(
        &mut self,
        kind: &'static str,
        is_fatal: bool,
        places: impl IntoIterator<Item = T>,
        change: impl Fn(&mut Refutation, &T) + Copy + 'r,
    ) {
        let changes = places.into_iter().map(|place| -> Change<'r> { Box::new(move |copy| change(copy, &place)) });
        self.found.push((kind, is_fatal, changes.collect()));
    }
}

/// Mutants of a certificate, at most so many of a kind, spread evenly over its parts.
pub fn mutants(original: &Refutation, most: usize) -> Vec<Mutant> {
    let mut found = Vec::new();
    let unchanged = text(original);
    for (kind, is_fatal, changes) in all_changes(original) {
        let changed = changes.iter().map(|change| {
            let mut refutation = original.clone();
            change(&mut refutation);
            refutation
        });
        let changed: Vec<Refutation> = changed.filter(|mutant| text(mutant) != unchanged).collect();
        let count = changed.len().min(most);
        let chosen = (0..count).map(|index| changed[(2 * index + 1) * changed.len() / (2 * count)].clone());
        found.extend(chosen.map(|refutation| Mutant { kind, is_fatal, refutation }));
    }
    found
}

fn text(refutation: &Refutation) -> Option<Sexp> {
    write(&Certificate::Refutation(Box::new(refutation.clone())))
}

/// One mutant, by a choice of its kind and a choice of its place.
pub fn one(original: &Refutation, mut below: impl FnMut(usize) -> usize) -> Refutation {
    let mut changes = all_changes(original);
    changes.retain(|(_, _, changes)| !changes.is_empty());
    let (_, _, changes) = &changes[below(changes.len())];
    let mut refutation = original.clone();
    changes[below(changes.len())](&mut refutation);
    refutation
}

fn all_changes(original: &Refutation) -> Vec<(&'static str, bool, Vec<Change<'_>>)> {
    let mut changes = Changes { original, found: Vec::new() };
    of_automaton(&mut changes);
    of_vocabulary(&mut changes);
    if !original.states.is_empty() {
        of_product(&mut changes);
    }
    of_modules(&mut changes);
    of_graph(&mut changes);
    of_steps(&mut changes);
    changes.found
}

/// The automaton with some of its edges changed; those that become none are left out.
pub fn with_edges(
    automaton: &Automaton<Guard>,
    change: impl Fn(usize, &Guard, Marks) -> Option<(Guard, Marks)>,
) -> Automaton<Guard> {
    let mut copy = Automaton::new(automaton.acceptance_sets());
    let states: Vec<_> = automaton.states().map(|_| copy.add_state()).collect();
    automaton.initial().iter().for_each(|state| copy.add_initial(states[state.index()]));
    for (index, edge) in automaton.edges().enumerate() {
        if let Some((label, marks)) = change(index, &edge.label, edge.marks) {
            copy.add_edge(states[edge.from.index()], label, states[edge.to.index()], marks);
        }
    }
    copy
}

/// What becomes of an edge with this label and these marks.
type EdgeChange<'c> = &'c dyn Fn(&Guard, Marks) -> Option<(Guard, Marks)>;

/// Every way in which an automaton can lose words by a change of one edge.
pub fn smaller_automata(automaton: &Automaton<Guard>) -> Vec<(&'static str, Automaton<Guard>)> {
    let mut found = Vec::new();
    for (index, edge) in automaton.edges().enumerate() {
        let change = |kind, to: EdgeChange<'_>| {
            let changed =
                with_edges(
                    automaton,
                    |at, label, marks| {
                        if at == index { to(label, marks) } else { Some((label.clone(), marks)) }
                    },
                );
            (kind, changed)
        };
        found.push(change("an edge of the automaton dropped", &|_, _| None));
        for mark in edge.marks.iter() {
            let less = move |label: &Guard, marks: Marks| Some((label.clone(), marks.minus(Marks::one(mark))));
            found.push(change("an acceptance mark dropped", &less));
        }
        for atom in edge.label.atoms() {
            for value in [false, true] {
                let literal = Guard::literal(atom, value);
                let less = |label: &Guard, marks| Some((label.and(&literal), marks));
                found.push(change("a guard strengthened", &less));
            }
            let flipped = |label: &Guard, marks| Some((flipped(label, atom), marks));
            found.push(change("a guard's literal flipped", &flipped));
        }
    }
    let states: Vec<_> = automaton.initial().to_vec();
    let mut without = automaton.clone();
    without.set_initial(Vec::new());
    if !states.is_empty() {
        found.push(("the initial state dropped", without));
    }
    found
}

fn flipped(guard: &Guard, atom: semper::automata::ltl::AtomId) -> Guard {
    let mut all = Guard::constant(false);
    for cube in guard.cubes() {
        let literal = |(other, value): (_, bool)| Guard::literal(other, value != (other == atom));
        all = all.or(&cube.into_iter().map(literal).fold(Guard::constant(true), |cube, literal| cube.and(&literal)));
    }
    all
}

fn of_automaton(changes: &mut Changes<'_>) {
    for (kind, automaton) in smaller_automata(&changes.original.automaton) {
        changes.each(kind, [automaton], |copy, automaton| copy.automaton = automaton.clone());
    }
    let sets = changes.original.automaton.acceptance_sets();
    changes.each("an acceptance mark added", 0..changes.original.automaton.edge_count(), move |copy, index| {
        let change =
            |at, label: &Guard, marks| Some((label.clone(), if at == *index { Marks::all(sets) } else { marks }));
        copy.automaton = with_edges(&copy.automaton, change);
    });
}

fn of_vocabulary(changes: &mut Changes<'_>) {
    let original = changes.original;
    changes.each("a declaration dropped", 0..original.symbols.len(), |copy, &index| {
        copy.symbols.remove(index);
    });
    changes.fatal("a declaration doubled", 0..original.symbols.len(), |copy, &index| {
        copy.symbols.push(copy.symbols[index].clone());
    });
    changes.each("two declarations swapped", 1..original.symbols.len(), |copy, &index| {
        let cell = copy.symbols[0].cell;
        copy.symbols[0].cell = std::mem::replace(&mut copy.symbols[index].cell, cell);
    });
    changes.each("a declaration of something else", 0..original.symbols.len(), |copy, &index| {
        match &mut copy.symbols[index].cell {
            CellName::One { offset, .. } => *offset += 8,
            CellName::Many { unit, .. } => *unit += 1,
            CellName::Alive(object) => *object = ObjectName::Variable(Id::from_index(0)),
        }
    });
    changes.each("an address dropped", 0..original.addresses.len(), |copy, &index| {
        copy.addresses.remove(index);
    });
    changes.fatal("an address doubled", 0..original.addresses.len(), |copy, &index| {
        copy.addresses.push(copy.addresses[index].clone());
    });
    changes.fatal("an address that is null", 0..original.addresses.len(), |copy, &index| {
        copy.addresses[index].base = 0.into();
    });
    changes.fatal("an address near another", 1..original.addresses.len(), |copy, &index| {
        copy.addresses[index].base = &copy.addresses[0].base + 4;
    });
    changes.each("an edge that is not read any more", 0..12usize, |copy, &index| {
        copy.unread.push(Id::from_index(index));
    });
    changes.each("an edge that is read again", 0..12usize, |copy, &index| copy.reread.push(Id::from_index(index)));
    changes.each("an unread edge that is read", 0..original.unread.len(), |copy, &index| {
        copy.unread.remove(index);
    });
    changes.each("a reread edge that is not read", 0..original.reread.len(), |copy, &index| {
        copy.reread.remove(index);
    });
    changes.fatal("an edge that is not there", [()], |copy, ()| copy.unread.push(Id::from_index(1_000_000)));
}

fn of_product(changes: &mut Changes<'_>) {
    let original = changes.original;
    let states = original.states.len();
    changes.fatal("a state doubled", 0..states, |copy, &index| copy.states.push(copy.states[index].clone()));
    changes.each("the last state dropped", [()], |copy, ()| {
        copy.states.pop();
    });
    let starts = (0..states).filter(|&index| original.states[index].place == Control::Start);
    changes.fatal("a start that is elsewhere", starts.clone(), |copy, &index| {
        copy.states[index].place = Control::At(Id::from_index(0));
    });
    changes.each("a start where something is known", starts, |copy, &index| {
        copy.states[index].invariant.push(Sexp::word("false"));
    });
    changes.each("a state beside another state of the automaton", 0..states, |copy, &index| {
        let count = copy.automaton.state_count() as u32;
        copy.states[index].automaton = (copy.states[index].automaton + 1) % count;
    });
    let invariants =
        (0..states).flat_map(|state| (0..original.states[state].invariant.len()).map(move |at| (state, at)));
    changes.each("an invariant dropped", invariants.clone(), |copy, &(state, at)| {
        copy.states[state].invariant.remove(at);
    });
    let others = invariants.flat_map(|(state, at)| {
        let changed = changed_condition(&original.states[state].invariant[at]);
        changed.into_iter().map(move |other| (state, at, other))
    });
    changes.each("an invariant changed", others, |copy, (state, at, other)| {
        copy.states[*state].invariant[*at] = other.clone();
    });
    changes.each("an invariant that nothing keeps", 0..states, |copy, &index| {
        copy.states[index].invariant.push(Sexp::word("false"));
    });
    let edges = original.edges.len();
    changes.each("an edge dropped", 0..edges, |copy, &index| {
        copy.edges.remove(index);
    });
    changes.each("an edge doubled", 0..edges, |copy, &index| copy.edges.push(copy.edges[index].clone()));
    changes.each("an edge that begins elsewhere", 0..edges, |copy, &index| {
        copy.edges[index].from = (copy.edges[index].from + 1) % copy.states.len() as u32;
    });
    changes.each("an edge that leads elsewhere", 0..edges, |copy, &index| {
        copy.edges[index].to = (copy.edges[index].to + 1) % copy.states.len() as u32;
    });
    changes.each("an edge with another letter", 0..edges, |copy, &index| copy.edges[index].letter += 1);
    changes.each("all edges with one letter", [()], |copy, ()| {
        copy.edges.iter_mut().for_each(|edge| edge.letter = 0);
    });
    changes.each("a way that is shorter", 0..edges, |copy, &index| {
        copy.edges[index].path.pop();
    });
    changes.each("a way that reads less", 0..edges, |copy, &index| {
        copy.edges[index].reads.pop();
    });
    changes.each("a way that reads other letters", 0..edges, |copy, &index| {
        let count = copy.automaton.edge_count() as u32;
        copy.edges[index].reads.iter_mut().for_each(|read| *read = (*read + 1) % count);
    });
    let conditional = (0..edges).filter(|&index| original.edges[index].condition.is_some());
    changes
        .each("an edge without its condition", conditional.clone(), |copy, &index| copy.edges[index].condition = None);
    let others = conditional.flat_map(|index| {
        let changed = original.edges[index].condition.as_ref().map(changed_condition).unwrap_or_default();
        changed.into_iter().map(move |other| (index, other))
    });
    changes.each("the condition of an edge changed", others, |copy, (index, other)| {
        copy.edges[*index].condition = Some(other.clone());
    });
}

fn of_modules(changes: &mut Changes<'_>) {
    let original = changes.original;
    let modules = original.modules.len();
    let states =
        || (0..modules).flat_map(|module| (0..original.modules[module].states.len()).map(move |at| (module, at)));
    let moves =
        || (0..modules).flat_map(|module| (0..original.modules[module].transitions.len()).map(move |at| (module, at)));
    changes.each(
        "a ranking function changed",
        {
            let parts = (0..modules)
                .flat_map(|module| (0..original.modules[module].function.len()).map(move |at| (module, at)));
            parts.flat_map(|(module, at)| {
                changed(&original.modules[module].function[at]).into_iter().map(move |other| (module, at, other))
            })
        },
        |copy, (module, at, other)| copy.modules[*module].function[*at] = other.clone(),
    );
    changes.each("a ranking function negated", 0..modules, |copy, &module| {
        for part in &mut copy.modules[module].function {
            *part = Sexp::tagged("-", [part.clone()]);
        }
    });
    changes.each("a ranking function that is constant", 0..modules, |copy, &module| {
        copy.modules[module].function = vec![Sexp::word(1)];
    });
    changes.each("a ranking function dropped", 0..modules, |copy, &module| copy.modules[module].function.clear());
    changes.each("a ranking function twice", 0..modules, |copy, &module| {
        let again = copy.modules[module].function.clone();
        copy.modules[module].function.extend(again);
    });
    changes.each(
        "a module's condition changed",
        {
            states().flat_map(|(module, at)| {
                let conditions = original.modules[module].states[at].condition.iter().enumerate();
                let others = conditions.flat_map(move |(part, condition)| {
                    changed_condition(condition).into_iter().map(move |other| (module, at, part, other))
                });
                others.collect::<Vec<_>>()
            })
        },
        |copy, (module, at, part, other)| copy.modules[*module].states[*at].condition[*part] = other.clone(),
    );
    changes.each(
        "a module's condition dropped",
        {
            states().flat_map(|(module, at)| {
                (0..original.modules[module].states[at].condition.len()).map(move |part| (module, at, part))
            })
        },
        |copy, &(module, at, part)| {
            copy.modules[module].states[at].condition.remove(part);
        },
    );
    changes.each(
        "a module's state that is never reached",
        states().filter(|(_, at)| *at > 0),
        |copy, &(module, at)| {
            copy.modules[module].states[at].condition.push(Sexp::word("false"));
        },
    );
    let roles = [Role::Stem, Role::Accepting, Role::Cycle, Role::False];
    changes.each(
        "another role in a module",
        {
            let states = states().filter(|(_, at)| *at > 0);
            states.flat_map(|(module, at)| {
                let others = roles.into_iter().filter(move |role| *role != original.modules[module].states[at].role);
                others.map(move |role| (module, at, role))
            })
        },
        |copy, &(module, at, role)| copy.modules[module].states[at].role = role,
    );
    changes.fatal(
        "a module that begins with another role",
        (0..modules).flat_map(|module| roles.into_iter().skip(1).map(move |role| (module, role))),
        |copy, &(module, role)| copy.modules[module].states[0].role = role,
    );
    changes.fatal("a module that begins with knowledge", 0..modules, |copy, &module| {
        copy.modules[module].states[0].condition.push(Sexp::word("true"));
    });
    changes.each("a move of a module dropped", moves(), |copy, &(module, at)| {
        copy.modules[module].transitions.remove(at);
    });
    changes.fatal("a move of a module doubled", moves(), |copy, &(module, at)| {
        let again = copy.modules[module].transitions[at].clone();
        copy.modules[module].transitions.push(again);
    });
    changes.each("a move of a module that leads elsewhere", moves(), |copy, &(module, at)| {
        let count = copy.modules[module].states.len() as u32;
        copy.modules[module].transitions[at].2.iter_mut().for_each(|to| *to = (*to + 1) % count);
    });
    changes.each("a move of a module that leads to less", moves(), |copy, &(module, at)| {
        copy.modules[module].transitions[at].2.pop();
    });
    changes.each("a move of a module with another letter", moves(), |copy, &(module, at)| {
        copy.modules[module].transitions[at].1 += 1000;
    });
    changes.each("a move that a module does not have", states(), |copy, &(module, at)| {
        let count = copy.modules[module].states.len() as u32;
        copy.modules[module].transitions.retain(|(from, _, _)| *from != at as u32);
        for letter in 0..40 {
            copy.modules[module].transitions.push((at as u32, letter, vec![(at as u32 + 1) % count]));
        }
    });
    changes.each("a module dropped", 0..modules, |copy, &module| {
        copy.modules.remove(module);
    });
    changes.each("a module in another's place", 1..modules, |copy, &module| copy.modules.swap(0, module));
    changes.each(
        "a predicate changed",
        {
            (0..original.predicates.len())
                .flat_map(|at| changed_condition(&original.predicates[at]).into_iter().map(move |other| (at, other)))
        },
        |copy, (at, other)| copy.predicates[*at] = other.clone(),
    );
    changes.each("a predicate that is never true", 0..original.predicates.len(), |copy, &at| {
        copy.predicates[at] = Sexp::word("false");
    });
    changes.each("a predicate that is always true", 0..original.predicates.len(), |copy, &at| {
        copy.predicates[at] = Sexp::word("true");
    });
}

fn of_graph(changes: &mut Changes<'_>) {
    let original = changes.original;
    let nodes = || 0..original.nodes.len();
    changes.each("a node dropped", nodes(), |copy, &index| {
        copy.nodes.remove(index);
    });
    changes.each("a node doubled", nodes(), |copy, &index| copy.nodes.push(copy.nodes[index].clone()));
    changes.each("a node with a smaller number", nodes(), |copy, &index| {
        copy.nodes[index].number = copy.nodes[index].number.saturating_sub(1);
    });
    changes.each("a node with a larger number", nodes(), |copy, &index| {
        copy.nodes[index].number = (copy.nodes[index].number + 1).min(copy.missing.len() as u32 - 1);
    });
    changes.each("all nodes with the first number", [()], |copy, ()| {
        copy.nodes.iter_mut().for_each(|node| node.number = 0);
    });
    changes.each("a node at another state", nodes(), |copy, &index| {
        copy.nodes[index].state = (copy.nodes[index].state + 1) % copy.states.len() as u32;
    });
    changes.each("a node that knows less", nodes(), |copy, &index| {
        copy.nodes[index].predicates.pop();
    });
    changes.each("a node that knows more", nodes(), |copy, &index| {
        copy.nodes[index].predicates = (0..copy.predicates.len() as u32).collect();
    });
    changes.each("a node that knows what cannot be", nodes(), |copy, &index| {
        copy.nodes[index].predicates.push(copy.predicates.len() as u32);
        copy.predicates.push(Sexp::word("false"));
    });
    changes.each("a node that says nothing of modules", nodes(), |copy, &index| copy.nodes[index].macrostates.clear());
    changes.each("a node that says nothing of a module", nodes(), |copy, &index| {
        copy.nodes[index].macrostates.pop();
    });
    let mut reasons: Vec<ProgressCondition> = vec![ProgressCondition::Edges];
    reasons.extend((0..original.automaton.acceptance_sets()).map(ProgressCondition::Mark));
    reasons.extend((0..original.modules.len() as u32).map(ProgressCondition::Breakpoint));
    let others: Vec<(usize, ProgressCondition)> = (0..original.missing.len())
        .flat_map(|number| reasons.iter().map(move |reason| (number, *reason)))
        .filter(|(number, reason)| original.missing[*number] != *reason)
        .collect();
    changes.each("numbers that miss something else", others, |copy, &(number, other)| copy.missing[number] = other);
    changes.fatal("a number without a reason", [()], |copy, ()| {
        copy.missing.pop();
    });
    let runs = || {
        let runs = |index: usize| (0..original.nodes[index].macrostates.len()).map(move |module| (index, module));
        nodes().flat_map(runs)
    };
    let parts = || runs().flat_map(|(index, module)| (0..4usize).map(move |part| (index, module, part)));
    changes.each("a run removed", parts(), |copy, &(index, module, part)| {
        part_of(&mut copy.nodes[index], module, part).pop();
    });
    changes.each("a run added", parts(), |copy, &(index, module, part)| {
        let count = copy.modules[module].states.len() as u32;
        let runs = part_of(&mut copy.nodes[index], module, part);
        runs.extend((0..count).find(|state| !runs.contains(state)));
    });
    changes.each("a run moved from one part to another", parts(), |copy, &(index, module, part)| {
        let run = part_of(&mut copy.nodes[index], module, part).pop();
        part_of(&mut copy.nodes[index], module, (part + 1) % 4).extend(run);
    });
    let waiting = || {
        runs().filter(|&(index, module)| {
            original.missing[original.nodes[index].number as usize] == ProgressCondition::Breakpoint(module as u32)
        })
    };
    changes.fatal("a breakpoint that is reached", waiting(), |copy, &(index, module)| {
        copy.nodes[index].macrostates[module].breakpoint.clear();
    });
    changes.fatal("a breakpoint without the runs", waiting(), |copy, &(index, module)| {
        copy.nodes[index].macrostates[module].checked.clear();
    });
    changes.each("all runs safe", [()], |copy, ()| {
        for macrostate in copy.nodes.iter_mut().flat_map(|node| &mut node.macrostates) {
            let checked = std::mem::take(&mut macrostate.checked);
            macrostate.safe.extend(checked);
        }
    });
    changes.each("no runs at all", [()], |copy, ()| {
        for macrostate in copy.nodes.iter_mut().flat_map(|node| &mut node.macrostates) {
            *macrostate = Macrostate::default();
        }
    });
    changes.fatal("no nodes", [()], |copy, ()| copy.nodes.clear());
}

fn part_of(node: &mut ProofNode, module: usize, part: usize) -> &mut Vec<u32> {
    let Macrostate { uncommitted, checked, safe, breakpoint } = &mut node.macrostates[module];
    [uncommitted, checked, safe, breakpoint].into_iter().nth(part).expect("there are four parts")
}
