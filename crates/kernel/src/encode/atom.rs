//! What a property sees in a state.

use program::semantics::Integers;
use program::{Atom, LocationId};

use super::evaluation::Evaluation;
use super::{Encoding, Exit, Truth};

impl Encoding<'_> {
    /// The truth of an atom in a state that is seen from a location, after an edge was left by an exit.
    pub fn atom(&self, atom: usize, location: LocationId, exit: Exit) -> Truth {
        let is = |value: bool| Truth::Is(self.terms.truth(value));
        match self.prepared.atoms.atoms().get(atom) {
            Some(Atom::End) => is(matches!(exit, Exit::Returns | Exit::Ends)),
            Some(Atom::Error) => is(exit == Exit::Undefined),
            // There are no threads and no mutexes.
            Some(Atom::Deadlock) => is(false),
            Some(Atom::Overflow) if self.prepared.semantics.integers == Integers::Ideal => is(false),
            Some(Atom::Overflow | Atom::Call(_)) | None => Truth::Unknown,
            Some(Atom::State { .. }) => match &self.prepared.atoms_at(location)[atom] {
                None => is(false),
                Some(seen) => {
                    let program = self.program();
                    let first = program.locations[location].out.first();
                    let span =
                        first.map_or(program.functions[self.prepared.root()].span, |&edge| program.edges[edge].span);
                    let mut evaluation = Evaluation::new(self, location, span);
                    let encoded = evaluation.encode(seen.value);
                    let truth = self.terms.and([encoded.value.term, self.terms.not(encoded.undefined)]);
                    let is_open = self.terms.symbols(truth).iter().any(|symbol| evaluation.inputs.contains(symbol));
                    if is_open { Truth::Unknown } else { Truth::Is(truth) }
                }
            },
        }
    }
}
