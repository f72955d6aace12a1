//! Which edges read a letter of the property, and what the atoms are worth then.
//!
//! An edge that ends in an observed state reads the letter of that state. Where repeating letters changes nothing for the
//! property, an observed edge needs to read only if the truth of an atom may have changed since the last reading; on
//! every cycle some edge still reads, so that every infinite run shows an infinite word.

use analysis::points_to::Pointee;
use automata::buchi::Guard;
use foundation::Id;
use foundation::collections::HashSet;
use logic::{Term, Terms};
use program::passes::Prepared;
use program::semantics::ObserveMode;
use program::{Atom, EdgeId, ExprKind, LocationId, Observe, Op, Root, Selector, VariableId};
use task::{Negation, Reason, Task};

use crate::encode::expression::Encoder;
use crate::encode::{Exit, Vocabulary};

/// The most products that a guard of the automaton is split into.
const MOST_CUBES: usize = 64;

/// How the program is observed.
pub struct ObservedProgram<'t> {
    task: &'t Task,
    vocabulary: &'t Vocabulary<'t>,
    /// By edge: whether it reads a letter.
    reads: Vec<bool>,
    /// By location: whether an atom may differ there from what was observed last.
    is_stale: Vec<bool>,
}

impl<'t> ObservedProgram<'t> {
    /// The observation of a task's program.
    pub fn new(
        task: &'t Task,
        negation: &Negation,
        inlined: &Prepared,
        vocabulary: &'t Vocabulary<'t>,
    ) -> Result<Self, Reason> {
        for atom in &negation.atoms {
            match &task.atoms[atom.index()] {
                Atom::Overflow => return Err(Reason::unsupported("the atom `overflow`", None)),
                Atom::Call(_) => return Err(Reason::unsupported("the atom `call`", None)),
                Atom::State { active, .. } if task.semantics.observe == ObserveMode::Change && !active.is_empty() => {
                    return Err(Reason::unsupported("observation of changes of a local variable", None));
                }
                _ => {}
            }
        }
        if task.semantics.stop_at_call.is_some() {
            return Err(Reason::unsupported("ending an execution at a call", None));
        }
        if task.semantics.observe == ObserveMode::Change && !negation.stutter_invariant {
            let what = "observation of changes for a property that counts steps";
            return Err(Reason::unsupported(what, None));
        }
        let program = vocabulary.program();
        let mut observation = Self { task, vocabulary, reads: Vec::new(), is_stale: Vec::new() };
        let observed: Vec<bool> = program.edges.values().map(|edge| observation.is_observed(edge)).collect();
        observation.reads = observed.clone();
        observation.thin_out(negation, inlined, &observed)?;
        Ok(observation)
    }

    /// Whether the state after an edge is observed.
    pub fn is_observed(&self, edge: &program::Edge) -> bool {
        self.task.semantics.observe.may_see(edge.observe)
    }

    /// Whether an edge reads a letter.
    pub fn reads(&self, edge: EdgeId) -> bool {
        self.reads[edge.index()]
    }

    /// Whether an atom may differ at a location from what was observed last.
    pub fn is_stale(&self, location: LocationId) -> bool {
        self.is_stale[location.index()]
    }

    /// Decides which edges read, and refuses cycles in which nothing is observed although an atom may change.
    fn thin_out(&mut self, negation: &Negation, inlined: &Prepared, observed: &[bool]) -> Result<(), Reason> {
        let program = self.vocabulary.program();
        let mut changes = self.changes(negation);
        self.may_change_by_computed_places(inlined, &mut changes);
        self.is_stale = self.stale(observed, &changes);
        if self.task.semantics.observe == ObserveMode::Change {
            self.refuse_unfinished(&changes)?;
        }
        if negation.stutter_invariant {
            self.reads = self.necessary(observed, &changes);
        }
        // Every cycle must read. Those that do not are made to at an observed edge that closes them, if there is one.
        while let Some(cycle) = self.silent_cycle() {
            let candidate = cycle.iter().copied().find(|edge| observed[edge.index()]);
            let still = cycle.iter().all(|edge| !changes[edge.index()]);
            match candidate {
                Some(edge) => self.reads[edge.index()] = true,
                // What is read here is what was observed last.
                None if still && negation.stutter_invariant && !self.is_stale(program.edges[cycle[0]].to) => {
                    self.reads[cycle[0].index()] = true;
                }
                None => {
                    let span = program.edges[cycle[0]].span;
                    return Err(Reason::unsupported("a loop in which nothing is observed", Some(span)));
                }
            }
        }
        Ok(())
    }

    /// Where changes are observed, a full expression that has changed something and then calls a function is observed
    /// when it is complete, and not by what the callee does; and the beginning and the end of an object are no writes:
    /// refuses both.
    fn refuse_unfinished(&self, changes: &[bool]) -> Result<(), Reason> {
        for (id, edge) in self.vocabulary.program().edges.iter() {
            let unfinished = self.is_stale(edge.from) || changes[id.index()] && edge.observe == Observe::No;
            if changes[id.index()] && edge.op.is_of_lifetime() {
                let what = "observation of changes where an object begins or ends that the property may read";
                return Err(Reason::unsupported(what, Some(edge.span)));
            }
            if unfinished && !self.vocabulary.prepared.crossed(id).1.is_empty() {
                let what = "observation of changes where an expression makes one before it calls a function";
                return Err(Reason::unsupported(what, Some(edge.span)));
            }
        }
        Ok(())
    }

    /// By edge: whether it may change the truth of an atom.
    fn changes(&self, negation: &Negation) -> Vec<bool> {
        let program = self.vocabulary.program();
        let prepared = self.vocabulary.prepared;
        let points_to = self.vocabulary.memory.points_to();
        let mut looked_at: HashSet<Pointee> = HashSet::default();
        let mut reads_pointers = false;
        for expr in prepared.atoms.expressions() {
            reads_pointers |= analysis::expressions::variables_read(program, expr, &mut |variable| {
                looked_at.insert(Pointee::Variable(variable));
            });
        }
        // An atom that reads through a pointer may read whatever has an address.
        let is_seen = |object: &Pointee| match object {
            Pointee::Variable(variable) if reads_pointers && program.variables[*variable].address_taken => true,
            Pointee::Heap(_) => reads_pointers,
            object => looked_at.contains(object),
        };
        let seen = |location: LocationId| {
            let atoms = prepared.atoms_at(location);
            negation.atoms.iter().map(|atom| atoms[atom.index()].clone()).collect::<Vec<_>>()
        };
        let changes = |edge: &program::Edge| {
            let written = match &edge.op {
                Op::Assign { target, .. } | Op::Input { target, .. } => match target.root {
                    program::Root::Variable(variable) => Some(variable),
                    program::Root::Pointer { .. } => {
                        let targets = points_to.of_place(program, target);
                        let is_written = targets.others || targets.objects.keys().any(is_seen);
                        return is_written || seen(edge.from) != seen(edge.to);
                    }
                },
                Op::Declare(variable) | Op::Discard(variable) => Some(*variable),
                Op::Call { result, .. } => *result,
                Op::Skip | Op::Assume(_) | Op::Return(_) | Op::End(_) | Op::Unreachable => None,
                Op::AtomicBegin | Op::AtomicEnd => None,
                _ => return true,
            };
            written.is_some_and(|variable| is_seen(&Pointee::Variable(variable))) || seen(edge.from) != seen(edge.to)
        };
        program.edges.values().map(changes).collect()
    }

    /// Adds the edges that write in the inlined program to a place that is computed, though the passes have found out which
    /// one it is: whoever checks the proof does not know that.
    fn may_change_by_computed_places(&self, inlined: &Prepared, changes: &mut [bool]) {
        let program = &inlined.program;
        let (mut looked_at, mut reads_memory) = (HashSet::default(), false);
        for expr in inlined.atoms.expressions() {
            let mut note = |variable: VariableId| _ = looked_at.insert(variable);
            reads_memory |= analysis::expressions::variables_read(program, expr, &mut note);
        }
        reads_memory |= looked_at.iter().any(|&variable| program.variables[variable].address_taken);
        let is_computed = |step: &Selector| match step {
            Selector::Index(index) => !matches!(program.exprs.get(*index).kind, ExprKind::Constant(_)),
            Selector::Field(_) => false,
        };
        let back = &self.vocabulary.prepared.back;
        for (edge, changes) in self.vocabulary.program().edges.ids().zip(changes) {
            *changes |= match &program.edges[back.edge(edge)].op {
                Op::Assign { target, .. } | Op::Input { target, .. } => match target.root {
                    Root::Pointer { .. } => reads_memory,
                    Root::Variable(variable) => looked_at.contains(&variable) && target.path.iter().any(is_computed),
                },
                Op::CopyBytes { .. } | Op::SetBytes { .. } | Op::Havoc { .. } => reads_memory,
                _ => false,
            };
        }
    }

    /// The locations at which an atom may differ from what was observed last.
    fn stale(&self, observed: &[bool], changes: &[bool]) -> Vec<bool> {
        let program = self.vocabulary.program();
        let mut is_stale = vec![false; program.locations.len()];
        loop {
            let mut grew = false;
            for (id, edge) in program.edges.iter() {
                let stale = is_stale[edge.from.index()] || changes[id.index()];
                if stale && !observed[id.index()] && !is_stale[edge.to.index()] {
                    is_stale[edge.to.index()] = true;
                    grew = true;
                }
            }
            if !grew {
                return is_stale;
            }
        }
    }

    /// The observed edges at which an atom may differ from what was observed last.
    fn necessary(&self, observed: &[bool], changes: &[bool]) -> Vec<bool> {
        let program = self.vocabulary.program();
        let necessary = |(id, edge): (EdgeId, &program::Edge)| {
            observed[id.index()] && (changes[id.index()] || self.is_stale(edge.from))
        };
        program.edges.iter().map(necessary).collect()
    }

    /// A cycle of edges that do not read.
    fn silent_cycle(&self) -> Option<Vec<EdgeId>> {
        let program = self.vocabulary.program();
        let mut colour = vec![0u8; program.locations.len()];
        for root in program.locations.ids() {
            if colour[root.index()] != 0 {
                continue;
            }
            colour[root.index()] = 1;
            let mut path: Vec<(LocationId, usize)> = vec![(root, 0)];
            let mut taken: Vec<EdgeId> = Vec::new();
            while let Some((location, next)) = path.last_mut() {
                let Some(&edge) = program.locations[*location].out.get(*next) else {
                    colour[location.index()] = 2;
                    path.pop();
                    taken.pop();
                    continue;
                };
                *next += 1;
                let stops = matches!(program.edges[edge].op, Op::Return(_) | Op::End(_) | Op::Unreachable);
                if self.reads[edge.index()] || stops {
                    continue;
                }
                let to = program.edges[edge].to;
                match colour[to.index()] {
                    0 => {
                        colour[to.index()] = 1;
                        path.push((to, 0));
                        taken.push(edge);
                    }
                    1 => {
                        let start = path.iter().position(|(at, _)| *at == to).expect("it is on the path");
                        taken.push(edge);
                        // The edge that closes the cycle comes first.
                        return Some(taken[start..].iter().rev().copied().collect());
                    }
                    _ => {}
                }
            }
        }
        None
    }

    /// The conditions under which a guard of the automaton holds, one conjunction of literals each, in a state that is
    /// seen from a location after control has passed or stopped there.
    pub fn conditions(
        &self,
        terms: &Terms,
        guard: &Guard,
        location: LocationId,
        exit: Exit,
    ) -> Result<Vec<Term>, Reason> {
        let Some(cubes) = guard.cubes_within(MOST_CUBES) else {
            return Err(Reason::Incomplete("the property's automaton has too large guards".to_owned()));
        };
        let mut conditions = Vec::new();
        for cube in cubes {
            let mut literals = Vec::new();
            for (atom, value) in cube {
                let truth = self.truth(terms, atom.index(), location, exit)?;
                literals.push(if value { truth } else { terms.not(truth) });
            }
            conditions.push(terms.and(literals));
        }
        Ok(conditions)
    }

    /// Gives symbols to all that the goal's atoms read, also where the automaton does not look at them.
    pub fn name_atoms(&self, terms: &Terms) {
        for location in self.vocabulary.program().locations.ids() {
            for atom in self.task.goal_atoms() {
                // What cannot be encoded has no symbols.
                let _ = self.truth(terms, atom.index(), location, Exit::Passes);
            }
        }
    }

    /// The truth of an atom.
    fn truth(&self, terms: &Terms, atom: usize, location: LocationId, exit: Exit) -> Result<Term, Reason> {
        let prepared = self.vocabulary.prepared;
        let program = &prepared.program;
        Ok(match &self.task.atoms[atom] {
            Atom::End => terms.truth(matches!(exit, Exit::Returns | Exit::Ends)),
            Atom::Error => terms.truth(exit == Exit::Undefined),
            Atom::Deadlock | Atom::Call(_) | Atom::Overflow => terms.truth(false),
            Atom::State { .. } => match &prepared.atoms_at(location)[atom] {
                None => terms.truth(false),
                Some(seen) => {
                    let first = program.locations[location].out.first();
                    let span = first.map_or(program.functions[prepared.root()].span, |&edge| program.edges[edge].span);
                    let encoded = Encoder::new(self.vocabulary, span).encode(seen.value)?;
                    terms.and([encoded.term, encoded.defined])
                }
            },
        })
    }
}
