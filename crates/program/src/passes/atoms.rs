//! Atoms after inlining: what each atom reads depends on the activation that control is in.
//!
//! Before inlining, an atom over `f::n` means the `n` of the innermost activation of `f`, and is false while there is
//! none. After inlining every activation has variables of its own, so that an atom is one expression per activation, or
//! false. Activations from which all atoms look alike share a *view*. Passes that rename or replace variables rewrite
//! the expressions here, so that everything later may treat an atom as a read of the right variables.

use foundation::collections::HashMap;
use foundation::{Arena, Id, define_id};

use super::inline::{ContextId, Inlined};
use super::rename::Renaming;
use crate::atom::Atom;
use crate::cfa::FunctionId;
use crate::expr::ExprId;
use crate::model::VariableId;

define_id! {
    /// How all atoms look from some activations.
    ViewId
}

/// The atoms of a property over a program without calls.
#[derive(Clone, Debug)]
pub struct AtomsAt {
    /// The atoms, as they are before inlining.
    atoms: Vec<Atom>,
    /// For each view, the state atoms by the index of their atom.
    views: Arena<ViewId, Vec<Option<StateAtom>>>,
    view_of: Arena<ContextId, ViewId>,
}

/// An atom over the state, as it looks from an activation.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct StateAtom {
    /// The expression. The atom is false where its evaluation is undefined.
    pub value: ExprId,
    /// The variables that it names, for `--observe change`; no pass replaces them in that mode.
    pub reads: Vec<VariableId>,
}

impl AtomsAt {
    /// The atoms of the old program over the variables of the new one, whose expressions they are added to.
    pub fn new(atoms: &[Atom], inlined: &mut Inlined) -> Self {
        let mut found = Self { atoms: atoms.to_vec(), views: Arena::new(), view_of: Arena::new() };
        let mut renamed: HashMap<(usize, Vec<ContextId>), StateAtom> = HashMap::default();
        let mut known: HashMap<Vec<Option<StateAtom>>, ViewId> = HashMap::default();
        for context in inlined.contexts.ids() {
            let mut view = Vec::with_capacity(atoms.len());
            for (index, atom) in atoms.iter().enumerate() {
                view.push(match atom {
                    Atom::State { value, active, reads } => innermost_of(inlined, context, active).map(|activations| {
                        let key = (index, activations);
                        if let Some(known) = renamed.get(&key) {
                            return known.clone();
                        }
                        let mut renaming = renaming(inlined, &key.1);
                        let atom = StateAtom {
                            value: renaming.expr(&mut inlined.program.exprs, *value),
                            reads: reads.iter().map(|&variable| renaming.variable(variable)).collect(),
                        };
                        renamed.insert(key, atom.clone());
                        atom
                    }),
                    _ => None,
                });
            }
            let id = *known.entry(view).or_insert_with_key(|view| found.views.push(view.clone()));
            found.view_of.push(id);
        }
        found
    }

    /// The atoms, as they are before inlining.
    pub fn atoms(&self) -> &[Atom] {
        &self.atoms
    }

    /// How the atoms look from an activation.
    pub fn view(&self, context: ContextId) -> ViewId {
        self.view_of[context]
    }

    /// The state atoms in a view, by the index of their atom: none for one that is false there because a function is
    /// not active, and for atoms that are built in.
    pub fn state_atoms(&self, view: ViewId) -> &[Option<StateAtom>] {
        &self.views[view]
    }

    /// The expressions of all state atoms in all views.
    pub fn expressions(&self) -> impl Iterator<Item = ExprId> {
        self.all().map(|atom| atom.value)
    }

    /// The variables that state atoms name, in all views.
    pub fn named_variables(&self) -> impl Iterator<Item = VariableId> {
        self.all().flat_map(|atom| atom.reads.iter().copied())
    }

    /// Whether an atom holds at the entry of a function.
    pub fn has_call(&self, function: FunctionId) -> bool {
        self.atoms.contains(&Atom::Call(function))
    }

    /// Whether an atom looks at the locals of a function.
    pub fn looks_into(&self, function: FunctionId) -> bool {
        self.atoms.iter().any(|atom| matches!(atom, Atom::State { active, .. } if active.contains(&function)))
    }

    /// Replaces the expressions of all state atoms.
    pub(super) fn rewrite(&mut self, mut new: impl FnMut(ExprId) -> ExprId) {
        for index in 0..self.views.len() {
            for atom in self.views[ViewId::from_index(index)].iter_mut().flatten() {
                atom.value = new(atom.value);
            }
        }
    }

    fn all(&self) -> impl Iterator<Item = &StateAtom> {
        self.views.values().flatten().flatten()
    }
}

/// The innermost activations of functions, seen from an activation; none if one of them has none.
fn innermost_of(inlined: &Inlined, context: ContextId, functions: &[FunctionId]) -> Option<Vec<ContextId>> {
    functions.iter().map(|&function| inlined.innermost(context, function)).collect()
}

fn renaming(inlined: &Inlined, activations: &[ContextId]) -> Renaming {
    let variables = activations.iter().flat_map(|&activation| &inlined.contexts[activation].variables);
    Renaming::new(variables.map(|(&old, &new)| (old, new)).collect())
}
