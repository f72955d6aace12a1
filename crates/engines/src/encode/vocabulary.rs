//! The symbols that stand for a program's variables, and what is known of their values everywhere.

use std::cell::RefCell;
use std::collections::BTreeMap;

use analysis::expressions::Expressions;
use analysis::numbers::Values;
use analysis::points_to::Pointee;
use analysis::{Initialised, Liveness, Ranges, ReadByAtoms};
use foundation::Span;
use foundation::collections::HashMap;
use logic::{Sort, Symbol, Term, Terms};
use num_bigint::BigInt;
use program::passes::Prepared;
use program::semantics::Integers;
use program::semantics::arithmetic::{largest, smallest};
use program::{
    CompareOp, ExprId, ExprKind, Initial, IntType, LocationId, Op, Program, Scalar, Type, TypeId, VariableId,
    VariableKind,
};
use task::Reason;

use super::memory::{MemoryCell, SymbolicMemory};

/// Bounds of a number, where they are known.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Bounds {
    /// It is not smaller than this.
    pub low: Option<BigInt>,
    /// It is not larger than this.
    pub high: Option<BigInt>,
}

impl Bounds {
    /// Between two numbers.
    pub fn between(low: BigInt, high: BigInt) -> Self {
        Self { low: Some(low), high: Some(high) }
    }

    /// The range of a type.
    pub fn of_type(ty: IntType) -> Self {
        Self::between(smallest(ty), largest(ty))
    }

    /// Whether all numbers within are in the range of a type.
    pub fn fit(&self, ty: IntType) -> bool {
        self.low.as_ref().is_some_and(|low| *low >= smallest(ty))
            && self.high.as_ref().is_some_and(|high| *high <= largest(ty))
    }

    /// What is known of a number that is within one or the other.
    pub fn join(self, other: Self) -> Self {
        let pick =
            |one: Option<BigInt>, two: Option<BigInt>, pick: fn(BigInt, BigInt) -> BigInt| Some(pick(one?, two?));
        Self { low: pick(self.low, other.low, Ord::min), high: pick(self.high, other.high, Ord::max) }
    }

    /// The conjunction that says that a term is within.
    pub fn hold_for(&self, terms: &Terms, term: Term) -> Term {
        let low = self.low.as_ref().map(|low| terms.less_equal(terms.integer(low.clone()), term));
        let high = self.high.as_ref().map(|high| terms.less_equal(term, terms.integer(high.clone())));
        terms.and(low.into_iter().chain(high))
    }
}

/// What a variable is in logic.
#[derive(Clone, Debug)]
pub enum Shape {
    /// A number, a truth value or an address.
    Scalar(Scalar),
    /// An array of such, with its length.
    Array {
        /// Of its elements.
        element: Scalar,
        /// How many there are.
        length: u64,
    },
}

impl Shape {
    fn sort(&self) -> Sort {
        match self {
            Shape::Scalar(scalar) => sort_of(*scalar),
            Shape::Array { element, .. } => Sort::Array(Box::new(Sort::Int), Box::new(sort_of(*element))),
        }
    }
}

fn sort_of(scalar: Scalar) -> Sort {
    if scalar == Scalar::Bool { Sort::Bool } else { Sort::Int }
}

/// The symbols of a program's variables.
pub struct Vocabulary<'p> {
    /// The program.
    pub prepared: &'p Prepared,
    /// The terms.
    pub terms: &'p Terms,
    /// The objects that pointers reach.
    pub memory: SymbolicMemory,
    ranges: Ranges,
    initialised: Initialised,
    liveness: Liveness,
    expressions: Expressions,
    addresses: AddressSource,
    symbols: RefCell<BTreeMap<VariableId, Symbol>>,
    variables: RefCell<HashMap<Symbol, VariableId>>,
    cells: RefCell<BTreeMap<(Pointee, MemoryCell), Symbol>>,
}

impl<'p> Vocabulary<'p> {
    /// The vocabulary of a program.
    pub fn new(prepared: &'p Prepared, terms: &'p Terms) -> Self {
        let program = &prepared.program;
        let observed = ReadByAtoms::always(prepared);
        let liveness = Liveness::new(program, &observed);
        let initialised = Initialised::new(program, &observed, &liveness);
        let ranges = Ranges::new(program, prepared.semantics.integers, &liveness, &initialised, None);
        let memory = SymbolicMemory::new(prepared, &|variable| initialised.is_definite(variable));
        Self {
            prepared,
            terms,
            memory,
            addresses: AddressSource::of(prepared, &|variable| initialised.is_definite(variable)),
            ranges,
            initialised,
            liveness,
            expressions: Expressions::new(program),
            symbols: RefCell::default(),
            variables: RefCell::default(),
            cells: RefCell::default(),
        }
    }

    /// The program.
    pub fn program(&self) -> &'p Program {
        &self.prepared.program
    }

    /// Whether integers are those of the machine.
    pub fn is_machine(&self) -> bool {
        self.prepared.semantics.integers == Integers::Machine
    }

    /// Whether evaluating an expression can never be undefined.
    pub fn is_total(&self, expr: program::ExprId) -> bool {
        self.expressions.is_total(expr)
    }

    /// Whether addresses of objects and addresses made from numbers never meet, so that both can be numbers of their own.
    pub fn addresses_are_apart(&self) -> bool {
        let AddressSource { of_objects, from_numbers, from_outside, are_compared } = self.addresses;
        !(of_objects && (from_numbers || from_outside && are_compared))
    }

    /// Whether there are addresses of objects at all.
    pub fn has_object_addresses(&self) -> bool {
        self.addresses.of_objects
    }

    /// Whether a local variable is always set before it is read.
    pub fn is_set_before_read(&self, variable: VariableId) -> bool {
        self.initialised.is_definite(variable)
    }

    /// Whether a variable's value can matter at a location.
    pub fn is_live(&self, location: LocationId, variable: VariableId) -> bool {
        self.liveness.at(location).contains(variable)
    }

    /// Whether an atom reads a variable in a state that is seen from a location.
    pub fn is_observed(&self, location: LocationId, variable: VariableId) -> bool {
        let mut is_read = false;
        for atom in self.prepared.atoms_at(location).iter().flatten() {
            let mut note = |read| is_read |= read == variable;
            analysis::expressions::variables_read(self.program(), atom.value, &mut note);
        }
        is_read
    }

    /// Whether two variables are encoded alike, so that one can be copied to the other as a whole.
    pub fn are_alike(&self, one: VariableId, two: VariableId) -> bool {
        let variables = &self.program().variables;
        variables[one].ty == variables[two].ty
            && self.shape_of(variables[one].ty).is_some()
            && self.memory.is_reached(one) == self.memory.is_reached(two)
    }

    /// What a variable is in logic, unless it is nothing that can be encoded.
    pub fn shape(&self, variable: VariableId, span: Span) -> Result<Shape, Reason> {
        let program = self.program();
        let data = &program.variables[variable];
        let refuse = |what: &str| Err(Reason::unsupported(format!("`{}`, {what}", data.name), Some(span)));
        match self.shape_of(data.ty) {
            Some(Shape::Scalar(Scalar::Float(_))) => refuse("a floating-point number"),
            Some(Shape::Array { element: Scalar::Float(_), .. }) => refuse("an array of floating-point numbers"),
            Some(shape) => Ok(shape),
            None => refuse("an object in memory whose parts cannot be told apart"),
        }
    }

    fn shape_of(&self, ty: TypeId) -> Option<Shape> {
        let types = &self.program().types;
        match types.get(ty) {
            Type::Scalar(scalar) => Some(Shape::Scalar(*scalar)),
            Type::Array { element, length } if *length > 0 => match types.get(*element) {
                Type::Scalar(element) => Some(Shape::Array { element: *element, length: *length }),
                _ => None,
            },
            _ => None,
        }
    }

    /// The symbol of a variable.
    pub fn symbol(&self, variable: VariableId, span: Span) -> Result<Symbol, Reason> {
        if let Some(&known) = self.symbols.borrow().get(&variable) {
            return Ok(known);
        }
        let shape = self.shape(variable, span)?;
        let symbol = self.terms.symbol(&self.program().variables[variable].name, shape.sort());
        self.symbols.borrow_mut().insert(variable, symbol);
        self.variables.borrow_mut().insert(symbol, variable);
        Ok(symbol)
    }

    /// By how much the index of an array's element is multiplied in logic: arrays that pointers reach are indexed by
    /// bytes.
    pub fn scale(&self, variable: VariableId, element: Scalar) -> u64 {
        let is_plain = matches!(self.shape_of(self.program().variables[variable].ty), Some(Shape::Array { .. }));
        if is_plain && !self.memory.is_reached(variable) { 1 } else { self.program().types.scalar_bits(element) / 8 }
    }

    /// The symbol of a cell of an object; that of the variable where the cell is all of it.
    pub fn cell_symbol(&self, object: Pointee, cell: MemoryCell, span: Span) -> Result<Symbol, Reason> {
        if let Pointee::Variable(variable) = object
            && self.shape_of(self.program().variables[variable].ty).is_some()
        {
            return self.symbol(variable, span);
        }
        if let Some(&known) = self.cells.borrow().get(&(object, cell)) {
            return Ok(known);
        }
        let name = match object {
            Pointee::Variable(variable) => self.program().variables[variable].name.clone(),
            Pointee::Heap(edge) => {
                use foundation::Id;
                format!("heap{}", edge.index())
            }
        };
        let layout = self.memory.layout(object);
        let (name, sort) = match cell {
            MemoryCell::Alive => (format!("{name}.alive"), Sort::Bool),
            MemoryCell::One(offset) => {
                let slot = layout.and_then(|layout| layout.slots.get(&offset));
                let scalar = slot.expect("cells are those of the object").scalar;
                (format!("{name}.{offset}"), sort_of(scalar))
            }
            MemoryCell::Many(element) => {
                (format!("{name}.array"), Sort::Array(Box::new(Sort::Int), Box::new(sort_of(element))))
            }
        };
        let symbol = self.terms.symbol(&name, sort);
        self.cells.borrow_mut().insert((object, cell), symbol);
        Ok(symbol)
    }

    /// All cells that have a symbol of their own by now.
    pub fn cells(&self) -> Vec<(Pointee, MemoryCell, Symbol)> {
        self.cells.borrow().iter().map(|(&(object, cell), &symbol)| (object, cell, symbol)).collect()
    }

    /// What is known of the values of an object's cells of a type, wherever control is.
    pub fn cell_bounds(&self, object: Pointee, scalar: Scalar) -> Bounds {
        match (object, scalar) {
            (Pointee::Variable(variable), _) if self.shape_of(self.program().variables[variable].ty).is_some() => {
                self.bounds(variable)
            }
            (_, Scalar::Int(ty)) if self.is_machine() => Bounds::of_type(ty),
            _ => Bounds::default(),
        }
    }

    /// The variable that a symbol stands for.
    pub fn variable(&self, symbol: Symbol) -> Option<VariableId> {
        self.variables.borrow().get(&symbol).copied()
    }

    /// The type of the scalar that a symbol stands for; none for arrays.
    pub fn scalar_of(&self, symbol: Symbol) -> Option<Scalar> {
        if let Some(variable) = self.variable(symbol) {
            return match self.shape_of(self.program().variables[variable].ty)? {
                Shape::Scalar(scalar) => Some(scalar),
                Shape::Array { .. } => None,
            };
        }
        let cells = self.cells.borrow();
        let (object, cell) = cells.iter().find(|(_, own)| **own == symbol).map(|(key, _)| *key)?;
        let MemoryCell::One(offset) = cell else { return None };
        Some(self.memory.layout(object)?.slots.get(&offset)?.scalar)
    }

    /// All variables that have a symbol by now.
    pub fn named(&self) -> Vec<(VariableId, Symbol)> {
        self.symbols.borrow().iter().map(|(&variable, &symbol)| (variable, symbol)).collect()
    }

    /// What is known of the values of a scalar variable, or of the elements of an array, wherever control is.
    pub fn bounds(&self, variable: VariableId) -> Bounds {
        let program = self.program();
        let scalar = match self.shape_of(program.variables[variable].ty) {
            Some(Shape::Scalar(scalar) | Shape::Array { element: scalar, .. }) => scalar,
            None => return Bounds::default(),
        };
        let Scalar::Int(ty) = scalar else { return Bounds::default() };
        let known = self.ranges.of(program, variable).and_then(|values| values.bounds());
        match known {
            Some(bounds) => Bounds {
                low: (bounds.low() != i128::MIN).then(|| BigInt::from(bounds.low())),
                high: (bounds.high() != i128::MAX).then(|| BigInt::from(bounds.high())),
            },
            None if self.is_machine() => Bounds::of_type(ty),
            None => Bounds::default(),
        }
    }

    /// The values that a variable, or any element of an array, can have at a location, where that is less than anywhere.
    pub fn values_at(&self, location: LocationId, variable: VariableId) -> Option<&Values> {
        self.ranges.at(self.program(), location, variable)
    }

    /// The values that the scalar at an offset in bytes can have, wherever control is; for an element of an array, any element.
    pub fn values_at_offset(&self, variable: VariableId, offset: u64) -> Option<&Values> {
        self.ranges.at_offset(self.program(), variable, offset * 8)
    }

    /// The few values that a variable can have, where they are no interval.
    pub fn few_values(&self, variable: VariableId) -> Option<&[i128]> {
        let values = self.ranges.of(self.program(), variable)?.explicit()?;
        let (first, last) = (values.first()?, values.last()?);
        (last.checked_sub(*first)? >= values.len() as i128).then_some(values)
    }

    /// What is known of the value of a variable wherever control is, by its symbol.
    pub fn known(&self) -> HashMap<Symbol, Term> {
        let numbers = self.named().into_iter().filter(|(_, symbol)| self.terms.sort_of_symbol(*symbol) == Sort::Int);
        let known = numbers.map(|(variable, symbol)| {
            (symbol, self.bounds(variable).hold_for(self.terms, self.terms.variable(symbol)))
        });
        let cells = self.cells().into_iter().filter_map(|(object, cell, symbol)| {
            let MemoryCell::One(offset) = cell else { return None };
            let scalar = self.memory.layout(object)?.slots.get(&offset)?.scalar;
            let is_number = self.terms.sort_of_symbol(symbol) == Sort::Int;
            let bounds = self.cell_bounds(object, scalar);
            is_number.then(|| (symbol, bounds.hold_for(self.terms, self.terms.variable(symbol))))
        });
        known.chain(cells).filter(|(_, known)| self.terms.as_truth(*known).is_none()).collect()
    }

    /// A new symbol for an arbitrary value of a type, and the condition that it is one.
    pub fn arbitrary(&self, name: &str, scalar: Scalar) -> (Symbol, Term) {
        let symbol = self.terms.symbol(name, sort_of(scalar));
        (symbol, self.range(scalar, self.terms.variable(symbol)))
    }

    /// The condition that a term is a value of a type that is given from outside.
    pub fn range(&self, scalar: Scalar, value: Term) -> Term {
        match scalar {
            Scalar::Int(ty) => Bounds::of_type(ty).hold_for(self.terms, value),
            // An address that is given from outside is that of no object of the program.
            Scalar::Pointer => {
                let number = self.program().types.pointer_int(false);
                Bounds::of_type(number).hold_for(self.terms, value)
            }
            _ => self.terms.truth(true),
        }
    }
}

/// Where a program's addresses come from.
#[derive(Clone, Copy, Default)]
struct AddressSource {
    /// Some are those of objects or functions.
    of_objects: bool,
    /// Some are made from numbers.
    from_numbers: bool,
    /// Some are read from outside, or are what uninitialised memory holds. Such a number is an object's address only if
    /// that object's address was made a number before, which comparing the two does.
    from_outside: bool,
    /// Two addresses are tested for equality that may both be other than null.
    are_compared: bool,
}

impl AddressSource {
    fn of(prepared: &Prepared, is_definite: &dyn Fn(VariableId) -> bool) -> Self {
        let program = &prepared.program;
        let mut found = Self::default();
        let mut open: Vec<ExprId> = prepared.atoms.expressions().collect();
        let has_pointers = |ty: TypeId| match program.types.get(ty) {
            Type::Scalar(scalar) => *scalar == Scalar::Pointer,
            _ => true,
        };
        for (id, variable) in program.variables.iter() {
            match &variable.kind {
                VariableKind::Global { initial: Initial::Values(items), .. } => {
                    open.extend(items.iter().map(|item| item.value));
                }
                VariableKind::Literal { .. } => {}
                _ => found.from_outside |= has_pointers(variable.ty) && !is_definite(id),
            }
        }
        for edge in program.edges.values() {
            open.extend(edge.op.expressions());
            match &edge.op {
                Op::Input { target, .. } => found.from_outside |= has_pointers(target.ty),
                Op::Call { result: Some(variable), .. } => {
                    found.from_outside |= has_pointers(program.variables[*variable].ty);
                }
                Op::Havoc { .. } => found.from_outside = true,
                Op::Allocate { .. } => {
                    found.of_objects = true;
                    found.from_outside = true;
                }
                _ => {}
            }
        }
        let is_null = |expr: ExprId| program.exprs.get(expr).kind == ExprKind::Constant(program::Constant::Null);
        for expr in program.exprs.below(open) {
            let data = program.exprs.get(expr);
            match &data.kind {
                ExprKind::AddressOf(_) | ExprKind::FunctionAddress(_) => found.of_objects = true,
                ExprKind::Cast(operand) if data.ty == Scalar::Pointer => {
                    found.from_numbers |= program.exprs.ty(*operand) != Scalar::Pointer;
                }
                ExprKind::Constant(program::Constant::Address(_)) => found.from_numbers = true,
                ExprKind::Compare(CompareOp::Equal | CompareOp::NotEqual, left, right) => {
                    found.are_compared |=
                        program.exprs.ty(*left) == Scalar::Pointer && !is_null(*left) && !is_null(*right);
                }
                _ => {}
            }
        }
        found
    }
}
