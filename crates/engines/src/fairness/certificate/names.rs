//! The words of a certificate's conditions: which cell of memory each stands for.

use std::cell::RefCell;

use analysis::points_to::Pointee as Pointed;
use foundation::Id;
use foundation::collections::{HashMap, HashSet};
use logic::{Symbol, Term, Terms};
use num_bigint::BigInt;
use program::passes::Prepared;
use program::passes::constants::KnownValue;
use program::{EdgeId, Op, Scalar, Type, TypeId, VariableId};
use task::certificate::refutation::{CellName, Declaration, ObjectAddress, ObjectName};
use task::certificate::sexp::Sexp;

use super::super::letter::TakenEdge;
use super::super::observation::ObservedProgram;
use crate::encode::Vocabulary;
use crate::encode::memory::MemoryCell as EncodedCell;
use crate::encode::vocabulary::Shape;

/// Records of more members than this are not written down member by member.
const MOST_MEMBERS: usize = 64;

/// The names of symbols in the certificate.
pub(in crate::fairness) struct SymbolNames<'a, 't> {
    terms: &'t Terms,
    inlined: &'a Prepared,
    vocabulary: &'a Vocabulary<'t>,
    names: RefCell<HashMap<Symbol, String>>,
    /// What was declared so far.
    pub declared: RefCell<Vec<Declaration>>,
}

impl<'a, 't> SymbolNames<'a, 't> {
    pub fn new(
        terms: &'t Terms,
        inlined: &'a Prepared,
        vocabulary: &'a Vocabulary<'t>,
        observation: &ObservedProgram<'t>,
    ) -> Result<Self, String> {
        let names = Self { terms, inlined, vocabulary, names: RefCell::default(), declared: RefCell::default() };
        observation.name_atoms(terms);
        let types = &inlined.program.types;
        let (program, back) = (vocabulary.program(), &vocabulary.prepared.back);
        for (variable, symbol) in vocabulary.named() {
            let data = &program.variables[variable];
            let shape = vocabulary.shape(variable, data.span).map_err(|reason| reason.to_string())?;
            let (whole, offset) = back.variable(variable);
            let object = ObjectName::Variable(whole);
            let cell = match shape {
                Shape::Scalar(scalar) => CellName::One { object, offset, scalar },
                Shape::Array { .. } if offset > 0 => continue,
                Shape::Array { element, .. } => {
                    let bytes = types.scalar_bits(element) / 8;
                    CellName::Many { object, scalar: element, unit: bytes / vocabulary.scale(variable, element) }
                }
            };
            names.declare(symbol, format!("{}@{}", data.name, variable.index()), cell);
        }
        for (object, cell, symbol) in vocabulary.cells() {
            let (object, name) = match object {
                Pointed::Variable(variable) => {
                    let name = &program.variables[variable].name;
                    (ObjectName::Variable(variable), format!("{name}@{}", variable.index()))
                }
                Pointed::Heap(edge) => {
                    let edge = back.edge(edge);
                    (ObjectName::Heap(edge), format!("heap@{}", edge.index()))
                }
            };
            let layout = vocabulary.memory.layout(match object {
                ObjectName::Variable(variable) => Pointed::Variable(variable),
                ObjectName::Heap(edge) => {
                    let simplified = program.edges.ids().find(|own| back.edge(*own) == edge);
                    Pointed::Heap(simplified.unwrap_or(edge))
                }
            });
            let (cell, name) = match cell {
                EncodedCell::One(offset) => {
                    let Some(slot) = layout.and_then(|layout| layout.slots.get(&offset)) else { continue };
                    (CellName::One { object, offset: offset * 8, scalar: slot.scalar }, format!("{name}+{offset}"))
                }
                EncodedCell::Many(scalar) => {
                    // An object may have elements of several types.
                    let is_same =
                        |of: &Declaration| matches!(of.cell, CellName::Many { object: other, .. } if other == object);
                    let number = match names.declared.borrow().iter().filter(|of| is_same(of)).count() {
                        0 => String::new(),
                        before => (before + 1).to_string(),
                    };
                    (CellName::Many { object, scalar, unit: 1 }, format!("{name}[]{number}"))
                }
                EncodedCell::Alive => (CellName::Alive(object), format!("{name}.alive")),
            };
            names.declare(symbol, name, cell);
        }
        names.declare_rest();
        Ok(names)
    }

    /// Declares the scalars of which the proof says nothing: what the passes knew of them is found out again.
    fn declare_rest(&self) {
        let program = &self.inlined.program;
        let mut is_declared: HashSet<(ObjectName, u64)> = HashSet::default();
        let mut has_array: HashSet<ObjectName> = HashSet::default();
        for declaration in self.declared.borrow().iter() {
            match declaration.cell {
                CellName::One { object, offset, .. } => _ = is_declared.insert((object, offset)),
                CellName::Many { object, .. } => _ = has_array.insert(object),
                CellName::Alive(_) => {}
            }
        }
        let mut declare = |variable: VariableId, offset: u64, scalar: Scalar| {
            let object = ObjectName::Variable(variable);
            if has_array.contains(&object) || !is_declared.insert((object, offset)) {
                return;
            }
            let name = name_of(program, variable);
            let name = if offset == 0 { name } else { format!("{name}+{offset}") };
            self.declared.borrow_mut().push(Declaration { name, cell: CellName::One { object, offset, scalar } });
        };
        // Parts of variables that the passes have split, elements of arrays among them.
        let simplified = self.vocabulary.prepared;
        for (part, (whole, offset)) in simplified.back.parts() {
            let program = &simplified.program;
            match program.types.get(program.variables[part].ty) {
                Type::Scalar(scalar) if !matches!(scalar, Scalar::Float(_)) => declare(whole, offset, *scalar),
                _ => {}
            }
        }
        for variable in self.inlined.used_variables() {
            for (offset, scalar) in scalars(&program.types, program.variables[variable].ty).unwrap_or_default() {
                declare(variable, offset, scalar);
            }
        }
    }

    fn declare(&self, symbol: Symbol, name: String, cell: CellName) {
        self.names.borrow_mut().insert(symbol, name.clone());
        self.declared.borrow_mut().push(Declaration { name, cell });
    }

    /// The numbers that stand for addresses, of all objects that the inlined program takes the address of.
    pub fn addresses(&self) -> Vec<ObjectAddress> {
        let (memory, simplified) = (&self.vocabulary.memory, self.vocabulary.prepared);
        let variables = (self.inlined.program.variables.iter()).filter(|(_, variable)| variable.address_taken);
        let mut addresses: Vec<ObjectAddress> = variables
            .map(|(id, _)| ObjectAddress { object: ObjectName::Variable(id), base: memory.base(Pointed::Variable(id)) })
            .collect();
        for (edge, data) in simplified.program.edges.iter() {
            if matches!(data.op, Op::Allocate { .. }) {
                let object = ObjectName::Heap(simplified.back.edge(edge));
                addresses.push(ObjectAddress { object, base: memory.base(Pointed::Heap(edge)) });
            }
        }
        addresses
    }

    /// What the edges of a path are called in the names of inputs: by their numbers, and the how manieth time it is.
    pub fn edges_of(&self, path: &[TakenEdge]) -> Vec<String> {
        let back = &self.vocabulary.prepared.back;
        // Which edges of the simplified program have stood for an edge, and how often it was taken by now.
        let mut times: HashMap<EdgeId, (HashSet<EdgeId>, usize)> = HashMap::default();
        let name = |taken: &TakenEdge| {
            let Some(part) = taken.edge else { return "start".to_owned() };
            let (parts, time) = times.entry(back.edge(part)).or_insert((HashSet::default(), 1));
            if !parts.insert(part) {
                (*parts, *time) = (HashSet::from_iter([part]), *time + 1);
            }
            let edge = back.edge(part).index();
            if *time == 1 { edge.to_string() } else { format!("{edge}:{time}") }
        };
        path.iter().map(name).collect()
    }

    /// The name of a symbol of the program.
    pub fn of(&self, symbol: Symbol) -> Option<String> {
        self.names.borrow().get(&symbol).cloned()
    }

    /// A condition over the program's variables.
    pub fn write(&self, term: Term) -> Result<Sexp, String> {
        self.write_with(term, &HashMap::default())
    }

    /// A condition over these symbols and the program's variables.
    pub fn write_with(&self, term: Term, more: &HashMap<Symbol, String>) -> Result<Sexp, String> {
        let names = self.names.borrow();
        let name = |symbol: &Symbol| more.get(symbol).or_else(|| names.get(symbol));
        if let Some(unnamed) = self.terms.symbols(term).iter().find(|&symbol| name(symbol).is_none()) {
            return Err(format!("`{}` cannot be told apart in memory", self.terms.name(*unnamed)));
        }
        let text = self
            .terms
            .smt_lib_with(term, &|symbol| name(&symbol).map_or_else(String::new, |name| Sexp::word(name).to_string()));
        Sexp::parse(&text).map_err(|malformed| format!("a condition cannot be written: {}", malformed.what))
    }

    /// That a scalar of the inlined program has a value.
    pub fn equation(&self, (variable, bit): (VariableId, u64), value: &KnownValue) -> Option<Sexp> {
        let declared = self.declared.borrow();
        let (scalar, name) = declared.iter().find_map(|declaration| match &declaration.cell {
            CellName::One { object, offset, scalar } if *object == ObjectName::Variable(variable) && *offset == bit => {
                Some((scalar, &declaration.name))
            }
            _ => None,
        })?;
        let symbol = Sexp::word(name);
        Some(match value {
            KnownValue::Bool(true) => symbol,
            KnownValue::Bool(false) => Sexp::tagged("not", [symbol]),
            KnownValue::Int(value) if *scalar == Scalar::Bool => {
                if *value == BigInt::from(0) {
                    Sexp::tagged("not", [symbol])
                } else {
                    symbol
                }
            }
            KnownValue::Int(value) => equal(symbol, value.clone()),
            KnownValue::Null => equal(symbol, BigInt::from(0)),
            KnownValue::Address(of, byte) => equal(symbol, self.vocabulary.memory.base(Pointed::Variable(*of)) + byte),
        })
    }
}

fn name_of(program: &program::Program, variable: VariableId) -> String {
    format!("{}@{}", program.variables[variable].name, variable.index())
}

/// The scalars of a type with their offsets in bits, if it has no arrays, overlaps or floating-point numbers; not many.
fn scalars(types: &program::Types, ty: TypeId) -> Option<Vec<(u64, Scalar)>> {
    match types.get(ty) {
        Type::Scalar(Scalar::Float(_)) | Type::Array { .. } | Type::Opaque => None,
        Type::Scalar(scalar) => Some(vec![(0, *scalar)]),
        Type::Record(record) if record.is_union || record.fields.len() > MOST_MEMBERS => None,
        Type::Record(record) => {
            let mut found = Vec::new();
            for field in record.fields.iter().filter(|field| field.bit_width.is_none()) {
                let inner = scalars(types, field.ty).unwrap_or_default();
                found.extend(inner.into_iter().map(|(offset, scalar)| (field.offset_bits + offset, scalar)));
            }
            Some(found)
        }
    }
}

fn equal(symbol: Sexp, value: BigInt) -> Sexp {
    let value = if value < BigInt::from(0) { Sexp::tagged("-", [Sexp::word(-value)]) } else { Sexp::word(value) };
    Sexp::tagged("=", [symbol, value])
}
