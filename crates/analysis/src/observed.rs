//! What observations read. An analysis cannot know it: it depends on the property, on the mode of observation, and on
//! which activation an atom's locals belong to where the program is inlined. The caller says it here.

use foundation::Id;
use program::passes::Prepared;
use program::semantics::ObserveMode;
use program::{Atom, EdgeId, ExprId, LocationId, Program, VariableId};

use crate::expressions::variables_read;

/// The variables that atoms read in observed states.
pub trait Observations {
    /// What is read in the state after an edge; nothing where that state is not observed.
    fn after(&self, edge: EdgeId) -> &[VariableId];

    /// What is read where a run stops at a location because it ends, because behaviour is undefined, because of a
    /// deadlock, or because a function is entered: the last state is observed in every mode.
    fn stopped(&self, location: LocationId) -> &[VariableId];
}

/// What the atoms of a prepared program read, from wherever they are looked at. An atom that looks behind a pointer may
/// read whatever has an address.
#[derive(Clone, Debug)]
pub struct ReadByAtoms<'p> {
    program: &'p Program,
    /// What is read in a state that is seen from a location, in ascending order.
    by_location: Vec<Vec<VariableId>>,
    /// Which states are observed; all of them where there is no mode.
    mode: Option<ObserveMode>,
}

impl<'p> ReadByAtoms<'p> {
    /// What they read in the states that are observed.
    pub fn observed(prepared: &'p Prepared) -> Self {
        Self { mode: Some(prepared.semantics.observe), ..Self::always(prepared) }
    }

    /// What they read if every state is observed: right for every mode of observation, if not precise.
    pub fn always(prepared: &'p Prepared) -> Self {
        let program = &prepared.program;
        let read = |location: LocationId| {
            let atoms: Vec<ExprId> = prepared.atoms_at(location).iter().flatten().map(|atom| atom.value).collect();
            Everywhere::of_expressions(program, &atoms).0
        };
        Self { program, by_location: program.locations.ids().map(read).collect(), mode: None }
    }
}

impl Observations for ReadByAtoms<'_> {
    fn after(&self, edge: EdgeId) -> &[VariableId] {
        let edge = &self.program.edges[edge];
        if self.mode.is_none_or(|mode| mode.may_see(edge.observe)) { self.stopped(edge.to) } else { &[] }
    }

    fn stopped(&self, location: LocationId) -> &[VariableId] {
        &self.by_location[location.index()]
    }
}

/// The same variables are read after every edge: right for every mode of observation, if not precise.
#[derive(Clone, Debug, Default)]
pub struct Everywhere(Vec<VariableId>);

impl Everywhere {
    /// These variables are read.
    pub fn new(variables: impl IntoIterator<Item = VariableId>) -> Self {
        let mut variables: Vec<VariableId> = variables.into_iter().collect();
        variables.sort_unstable();
        variables.dedup();
        Self(variables)
    }

    /// What these expressions read, and all that they may reach through a pointer.
    pub fn of_expressions(program: &Program, expressions: &[ExprId]) -> Self {
        let mut variables = Vec::new();
        let mut pointer = false;
        for &expression in expressions {
            pointer |= variables_read(program, expression, &mut |variable| variables.push(variable));
        }
        if pointer {
            variables.extend(program.variables.iter().filter(|(_, variable)| variable.address_taken).map(|(id, _)| id));
        }
        Self::new(variables)
    }

    /// All of them, in ascending order.
    pub fn all(&self) -> &[VariableId] {
        &self.0
    }

    /// What these atoms read.
    pub fn of_atoms(program: &Program, atoms: &[Atom]) -> Self {
        let expressions: Vec<ExprId> = atoms
            .iter()
            .filter_map(|atom| match atom {
                Atom::State { value, .. } => Some(*value),
                _ => None,
            })
            .collect();
        Self::of_expressions(program, &expressions)
    }
}

impl Observations for Everywhere {
    fn after(&self, _: EdgeId) -> &[VariableId] {
        &self.0
    }

    fn stopped(&self, _: LocationId) -> &[VariableId] {
        &self.0
    }
}
