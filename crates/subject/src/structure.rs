//! Kripke structures as subjects like all others: a structure is a program that goes from state to state for ever.
//!
//! The program has one variable, the number of the state it is in, and is observed whenever it enters one. Where several
//! transitions leave a state, an input chooses; a state without transitions is entered again and again. The program
//! starts in the initial state. Where there are several, it starts before them, as the structure does in Theorem 7 of the
//! lecture notes, and what is observed there is no letter of a path: the goal of a property begins one step later.

use automata::kripke::{self, Kripke, KripkeState, Observed};
use automata::ltl::{AtomId, Formula, Formulas, Unary};
use foundation::collections::HashMap;
use foundation::{Diagnostics, Id, SourceId, SourceMap, Span};
use program::semantics::{ObserveMode, Semantics};
use program::{
    Atom, CompareOp, DataModel, EdgeId, ExprId, ExprKind, Function, Initial, InitialItem, InputSource, IntType,
    LocationId, Observe, Op, Operand, Place, Program, Scalar, Variable, VariableId, VariableKind,
};

use crate::properties::{self, AsGiven, with_goals};
use crate::request::{Input, Properties, Request};
use crate::subject::{Property, Subject};

/// A structure, and properties over it.
#[derive(Clone, Debug)]
pub struct Structure {
    /// The structure.
    pub kripke: Kripke,
    /// All formulas.
    pub formulas: Formulas,
    /// The properties, in the order in which they were given. Their goals speak of paths of the structure.
    pub properties: Vec<Property>,
    /// What every path of interest satisfies.
    pub assumptions: Vec<Formula>,
    /// The text it was read from.
    pub span: Span,
}

/// The result of [`load_structure`].
#[derive(Clone, Debug)]
pub struct LoadedStructure {
    /// All texts that were read, which the diagnostics refer to.
    pub sources: SourceMap,
    /// What is wrong, and what the user should know.
    pub diagnostics: Diagnostics,
    /// The structure and its properties; none where there was an error.
    pub structure: Option<Structure>,
}

/// Reads the first file of a request as a Kripke structure, and the properties of the request. Of the request, only
/// what concerns properties matters apart from that. Errors on both sides are reported together.
pub fn load_structure(request: &Request) -> LoadedStructure {
    let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
    let mut given = properties::read(request, &mut sources, &mut diagnostics);
    let text = request.files.first().and_then(|input| read(input, &mut sources, &mut diagnostics));
    let structure = text.and_then(|text| {
        if request.properties == Properties::Annotations {
            properties::read_annotations(text, &mut given, &sources, &mut diagnostics);
        }
        let kripke = kripke::parse(&sources, text).map_err(|errors| diagnostics.extend(errors)).ok()?;
        let span = Span { source: text, start: 0, end: 0 };
        with_properties(kripke, span, given, &mut diagnostics)
    });
    let structure = structure.filter(|_| !diagnostics.has_errors());
    LoadedStructure { sources, diagnostics, structure }
}

fn read(input: &Input, sources: &mut SourceMap, diagnostics: &mut Diagnostics) -> Option<SourceId> {
    match input {
        Input::File(path) => host::read_text(path, diagnostics).map(|text| sources.add(path.as_str(), text)),
        Input::Text { name, text } => Some(sources.add(name.as_str(), text.as_str())),
    }
}

fn with_properties(kripke: Kripke, span: Span, given: AsGiven, diagnostics: &mut Diagnostics) -> Option<Structure> {
    let AsGiven { mut formulas, properties, assumptions, .. } = given;
    let read = properties.iter().map(|property| property.formula).chain(assumptions.iter().copied());
    let used = atoms_of(&formulas, read);
    Observed::new(&kripke, formulas.atoms(), &used).map_err(|faults| diagnostics.extend(faults)).ok()?;
    let properties = with_goals(properties, &mut formulas, &assumptions);
    Some(Structure { kripke, formulas, properties, assumptions, span })
}

/// The atoms of all these formulas, in ascending order.
pub fn atoms_of(formulas: &Formulas, these: impl Iterator<Item = Formula>) -> Vec<AtomId> {
    let mut atoms: Vec<AtomId> = these.flat_map(|formula| formulas.atoms_of(formula)).collect();
    atoms.sort_unstable();
    atoms.dedup();
    atoms
}

/// A structure as a subject.
#[derive(Clone, Debug)]
pub struct StructureSubject {
    /// The program with the structure's properties. Their goals begin one step later where there is no start.
    pub subject: Subject,
    /// The only initial state, if there is only one.
    pub start: Option<KripkeState>,
    /// By edge: the state that it enters.
    entered: HashMap<EdgeId, KripkeState>,
}

impl StructureSubject {
    /// The program of a structure. Atoms without a meaning in it are false everywhere; no property has any.
    pub fn new(structure: &Structure) -> Self {
        let Structure { kripke, assumptions, span, .. } = structure;
        let mut formulas = structure.formulas.clone();
        let start = match *kripke.initial() {
            [only] => Some(only),
            _ => None,
        };
        let mut builder = Builder::new(kripke, *span);
        builder.build(start);
        let ids: Vec<AtomId> = formulas.atoms().iter().map(|(id, _)| id).collect();
        let atoms = ids.into_iter().map(|id| {
            let holds: Vec<KripkeState> = match Observed::new(kripke, formulas.atoms(), &[id]) {
                Ok(observed) => kripke.states().filter(|&state| observed.letter(state).iter().count() > 0).collect(),
                Err(_) => Vec::new(),
            };
            builder.atom(&holds)
        });
        let atoms = atoms.collect();
        let properties = structure
            .properties
            .iter()
            .map(|property| match start {
                Some(_) => property.clone(),
                None => Property { goal: formulas.unary(Unary::Next, property.goal), ..property.clone() },
            })
            .collect();
        let semantics = Semantics { observe: ObserveMode::Statement, ..Semantics::default() };
        let Builder { program, entered, .. } = builder;
        let assumptions = assumptions.clone();
        let type_names = Default::default();
        Self {
            subject: Subject { program, formulas, properties, assumptions, atoms, type_names, semantics },
            start,
            entered,
        }
    }

    /// The state that an edge of the program enters.
    pub fn entered_by(&self, edge: EdgeId) -> Option<KripkeState> {
        self.entered.get(&edge).copied()
    }
}

const INT: IntType = IntType::signed(64);

/// Writes the program of a structure.
struct Builder<'k> {
    kripke: &'k Kripke,
    program: Program,
    state: VariableId,
    choice: VariableId,
    span: Span,
    entered: HashMap<EdgeId, KripkeState>,
}

impl<'k> Builder<'k> {
    fn new(kripke: &'k Kripke, span: Span) -> Self {
        let mut program = Program::new(DataModel::default());
        let ty = program.types.scalar(Scalar::Int(INT));
        let mut global = |name: &str| {
            let kind = VariableKind::Global { initial: Initial::Values(Vec::new()), declared_in: None };
            program.variables.push(Variable { name: name.into(), kind, ty, address_taken: false, span })
        };
        let (state, choice) = (global("state"), global("choice"));
        Self { kripke, program, state, choice, span, entered: HashMap::default() }
    }

    fn build(&mut self, start: Option<KripkeState>) {
        let main = self.program.functions.push(Function::new("main", self.span));
        let locations: Vec<LocationId> = self.kripke.states().map(|_| self.program.add_location(main)).collect();
        let entry = match start {
            Some(only) => {
                let value = self.program.exprs.int(only.index(), INT);
                let initial = Initial::Values(vec![InitialItem { offset_bits: 0, width_bits: 64, value }]);
                self.program.variables[self.state].kind = VariableKind::Global { initial, declared_in: None };
                locations[only.index()]
            }
            None => {
                let before = self.program.add_location(main);
                self.choose(before, self.kripke.initial(), &locations);
                before
            }
        };
        (self.program.functions[main].entry, self.program.entry) = (Some(entry), Some(main));
        for state in self.kripke.states() {
            self.choose(locations[state.index()], &self.kripke.successors(state), &locations);
        }
    }

    /// Enters one of some states from a location.
    fn choose(&mut self, from: LocationId, states: &[KripkeState], locations: &[LocationId]) {
        let Some((&last, others)) = states.split_last() else { return };
        let main = self.program.locations[from].function;
        let mut from = from;
        if !others.is_empty() {
            let chosen = self.program.add_location(main);
            let source = InputSource::Nondet("transition".into());
            let op = Op::Input { target: self.place(self.choice), source };
            self.program.add_edge(from, chosen, op, self.span, Observe::No);
            from = chosen;
        }
        for (number, &state) in others.iter().enumerate() {
            let [taken, left] = [(); 2].map(|()| self.program.add_location(main));
            let is_chosen = self.compare(CompareOp::Equal, self.choice, number);
            let is_other = self.program.exprs.not(is_chosen);
            self.program.add_edge(from, taken, Op::Assume(is_chosen), self.span, Observe::No);
            self.program.add_edge(from, left, Op::Assume(is_other), self.span, Observe::No);
            self.enter(taken, state, locations);
            from = left;
        }
        self.enter(from, last, locations);
    }

    fn enter(&mut self, from: LocationId, state: KripkeState, locations: &[LocationId]) {
        let number = self.program.exprs.int(state.index(), INT);
        let op = Op::Assign { target: self.place(self.state), value: Operand::Scalar(number) };
        let edge = self.program.add_edge(from, locations[state.index()], op, self.span, Observe::Statement);
        self.entered.insert(edge, state);
    }

    fn place(&self, variable: VariableId) -> Place {
        Place::variable(variable, self.program.variables[variable].ty)
    }

    fn compare(&mut self, comparison: CompareOp, variable: VariableId, number: usize) -> ExprId {
        let place = self.place(variable);
        let exprs = &mut self.program.exprs;
        let (value, number) = (exprs.intern(ExprKind::Load(place), Scalar::Int(INT)), exprs.int(number, INT));
        exprs.intern(ExprKind::Compare(comparison, value, number), Scalar::Bool)
    }

    /// That the program is in one of these states, which are in ascending order: it is in one of few intervals.
    fn atom(&mut self, states: &[KripkeState]) -> Atom {
        let numbers = states.iter().map(|state| state.index());
        let mut intervals: Vec<(usize, usize)> = Vec::new();
        for number in numbers {
            match intervals.last_mut() {
                Some((_, last)) if *last + 1 == number => *last = number,
                _ => intervals.push((number, number)),
            }
        }
        let mut parts: Vec<ExprId> = intervals
            .into_iter()
            .map(|(first, last)| match first == last {
                true => self.compare(CompareOp::Equal, self.state, first),
                false => {
                    let from = self.compare(CompareOp::GreaterEqual, self.state, first);
                    let to = self.compare(CompareOp::LessEqual, self.state, last);
                    self.program.exprs.intern(ExprKind::And(from, to), Scalar::Bool)
                }
            })
            .collect();
        // A balanced tree: expressions are followed recursively.
        while parts.len() > 1 {
            let join = |pair: &[ExprId]| match *pair {
                [left, right] => self.program.exprs.intern(ExprKind::Or(left, right), Scalar::Bool),
                _ => pair[0],
            };
            parts = parts.chunks(2).map(join).collect();
        }
        let value = parts.pop().unwrap_or_else(|| self.program.exprs.bool(false));
        Atom::State { value, active: Vec::new(), reads: vec![self.state] }
    }
}
