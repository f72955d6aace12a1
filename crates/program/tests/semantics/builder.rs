//! Builds small programs by hand, one operation after the other.

use foundation::{Budget, Id, SourceId, Span};
use program::semantics::*;
use program::*;

pub const INT: Scalar = Scalar::Int(IntType::signed(32));
pub const UNSIGNED: Scalar = Scalar::Int(IntType::unsigned(32));
pub const CHAR: Scalar = Scalar::Int(IntType::signed(8));
pub const BYTE: Scalar = Scalar::Int(IntType::unsigned(8));
pub const SIZE: Scalar = Scalar::Int(IntType::unsigned(64));

pub const BOTH: [Integers; 2] = [Integers::Machine, Integers::Ideal];

/// A program under construction, and where the next operation of the current function goes.
pub struct Builder {
    pub program: Program,
    pub function: FunctionId,
    pub at: LocationId,
    spans: u32,
}

impl Builder {
    /// A program whose entry function `main` is being built.
    pub fn new() -> Self {
        Self::for_model(DataModel::Lp64)
    }

    pub fn for_model(model: DataModel) -> Self {
        let mut program = Program::new(model);
        let int = program.types.scalar(INT);
        let function = program.functions.push(new_function("main", Some(int)));
        let at = program.add_location(function);
        program.functions[function].entry = Some(at);
        program.entry = Some(function);
        Self { program, function, at, spans: 0 }
    }

    pub fn ty(&mut self, scalar: Scalar) -> TypeId {
        self.program.types.scalar(scalar)
    }

    pub fn array(&mut self, element: TypeId, length: u64) -> TypeId {
        self.program.types.intern(Type::Array { element, length })
    }

    /// A structure of scalar fields with given offsets and, for bit-fields, widths.
    pub fn record(&mut self, fields: &[(&str, Scalar, u64, Option<u16>)], size_bits: u64, is_union: bool) -> TypeId {
        let fields = fields.iter().map(|&(name, scalar, offset_bits, bit_width)| Field {
            name: name.to_owned(),
            ty: self.program.types.scalar(scalar),
            offset_bits,
            bit_width,
        });
        let fields = fields.collect();
        self.record_with(fields, size_bits, is_union)
    }

    /// A structure of fields of any types, with given offsets.
    pub fn record_of(&mut self, fields: &[(&str, TypeId, u64)], size_bits: u64) -> TypeId {
        let field =
            |&(name, ty, offset_bits): &(&str, _, _)| Field { name: name.to_owned(), ty, offset_bits, bit_width: None };
        self.record_with(fields.iter().map(field).collect(), size_bits, false)
    }

    fn record_with(&mut self, fields: Vec<Field>, size_bits: u64, is_union: bool) -> TypeId {
        let name = "struct s".to_owned();
        self.program.types.intern(Type::Record(Record { name, fields, size_bits, align_bits: 32, is_union }))
    }

    fn variable(&mut self, name: &str, kind: VariableKind, ty: TypeId) -> VariableId {
        let span = self.span();
        self.program.variables.push(Variable { name: name.to_owned(), kind, ty, address_taken: true, span })
    }

    pub fn global(&mut self, name: &str, ty: TypeId) -> VariableId {
        let initial = Initial::Values(Vec::new());
        self.variable(name, VariableKind::Global { initial, declared_in: None }, ty)
    }

    pub fn global_int(&mut self, name: &str) -> VariableId {
        let ty = self.ty(INT);
        self.global(name, ty)
    }

    pub fn global_of_pointer(&mut self, name: &str) -> VariableId {
        let ty = self.ty(Scalar::Pointer);
        self.global(name, ty)
    }

    pub fn literal(&mut self, name: &str, bytes: &[u8]) -> VariableId {
        let byte = self.ty(CHAR);
        let ty = self.array(byte, bytes.len() as u64);
        let items = bytes.iter().enumerate().map(|(at, &byte)| InitialItem {
            offset_bits: at as u64 * 8,
            width_bits: 8,
            value: self.program.exprs.int(byte as i8, IntType::signed(8)),
        });
        let initial = Initial::Values(items.collect());
        self.variable(name, VariableKind::Literal { initial }, ty)
    }

    pub fn local(&mut self, name: &str, ty: TypeId) -> VariableId {
        let variable = self.variable(name, VariableKind::Local(self.function), ty);
        self.program.functions[self.function].locals.push(variable);
        variable
    }

    pub fn local_of(&mut self, name: &str, scalar: Scalar) -> VariableId {
        let ty = self.ty(scalar);
        self.local(name, ty)
    }

    /// Declares a function without a body.
    pub fn declare(&mut self, name: &str, result: Option<Scalar>) -> FunctionId {
        let result = result.map(|scalar| self.ty(scalar));
        self.program.functions.push(new_function(name, result))
    }

    /// Builds the body of a function with scalar parameters.
    pub fn define(
        &mut self,
        name: &str,
        parameters: &[(&str, Scalar)],
        result: Option<Scalar>,
        body: impl FnOnce(&mut Self, &[VariableId]),
    ) -> FunctionId {
        let id = self.declare(name, result);
        let outer = (self.function, self.at);
        self.function = id;
        self.at = self.program.add_location(id);
        self.program.functions[id].entry = Some(self.at);
        let parameters: Vec<VariableId> = parameters
            .iter()
            .map(|&(name, scalar)| {
                let ty = self.ty(scalar);
                self.variable(name, VariableKind::Parameter(id), ty)
            })
            .collect();
        self.program.functions[id].parameters = parameters.clone();
        body(self, &parameters);
        (self.function, self.at) = outer;
        id
    }

    pub fn span(&mut self) -> Span {
        self.spans += 1;
        Span { source: SourceId::from_index(0), start: self.spans, end: self.spans + 1 }
    }

    fn edge(&mut self, op: Op, observe: Observe) -> EdgeId {
        let to = self.program.add_location(self.function);
        let span = self.span();
        let edge = self.program.add_edge(self.at, to, op, span, observe);
        self.at = to;
        edge
    }

    /// An operation whose end is observed.
    pub fn op(&mut self, op: Op) -> EdgeId {
        self.edge(op, Observe::Statement)
    }

    /// An operation whose end is not observed.
    pub fn silent(&mut self, op: Op) -> EdgeId {
        self.edge(op, Observe::No)
    }

    pub fn step(&mut self) -> EdgeId {
        self.edge(Op::Skip, Observe::Step)
    }

    pub fn place(&mut self, variable: VariableId) -> Place {
        Place::variable(variable, self.program.variables[variable].ty)
    }

    /// Part of a variable.
    pub fn part(&mut self, variable: VariableId, path: &[Selector]) -> Place {
        let mut place = self.place(variable);
        for step in path {
            place.ty = match (self.program.types.get(place.ty), step) {
                (Type::Record(record), Selector::Field(field)) => record.fields[*field as usize].ty,
                (Type::Array { element, .. }, Selector::Index(_)) => *element,
                _ => panic!("no such part"),
            };
            place.path.push(step.clone());
        }
        place
    }

    /// What a pointer expression points to.
    pub fn pointee(&mut self, address: ExprId, scalar: Scalar) -> Place {
        let ty = self.ty(scalar);
        Place::pointer(address, ty)
    }

    pub fn assign(&mut self, target: Place, value: ExprId) -> EdgeId {
        self.op(Op::Assign { target, value: Operand::Scalar(value) })
    }

    pub fn set(&mut self, variable: VariableId, value: ExprId) -> EdgeId {
        let target = self.place(variable);
        self.assign(target, value)
    }

    pub fn set_int(&mut self, variable: VariableId, value: i64) -> EdgeId {
        let Some(Scalar::Int(ty)) = self.program.types.as_scalar(self.program.variables[variable].ty) else { panic!() };
        let value = self.program.exprs.int(value, ty);
        self.set(variable, value)
    }

    pub fn input(&mut self, variable: VariableId) -> EdgeId {
        let target = self.place(variable);
        self.op(Op::Input { target, source: InputSource::Nondet("nondet".to_owned()) })
    }

    pub fn ret(&mut self, value: i64) {
        let value = self.int(value);
        self.op(Op::Return(Some(Operand::Scalar(value))));
    }

    pub fn call(&mut self, function: FunctionId, arguments: &[ExprId], result: Option<VariableId>) -> EdgeId {
        let arguments = arguments.iter().map(|&argument| Operand::Scalar(argument)).collect();
        self.op(Op::Call { callee: Callee::Function(function), arguments, result })
    }

    /// `while (condition) body`, the condition observed.
    pub fn while_loop(&mut self, condition: ExprId, body: impl FnOnce(&mut Self)) {
        let head = self.at;
        let negation = self.program.exprs.not(condition);
        self.op(Op::Assume(condition));
        body(self);
        let span = self.span();
        self.program.add_edge(self.at, head, Op::Skip, span, Observe::No);
        self.at = head;
        self.op(Op::Assume(negation));
    }

    pub fn int(&mut self, value: i64) -> ExprId {
        self.program.exprs.int(value, IntType::signed(32))
    }

    pub fn size(&mut self, value: i64) -> ExprId {
        self.program.exprs.int(value, IntType::unsigned(64))
    }

    pub fn of(&mut self, scalar: Scalar, value: i64) -> ExprId {
        let Scalar::Int(ty) = scalar else { panic!("an integer type") };
        self.program.exprs.int(value, ty)
    }

    pub fn null(&mut self) -> ExprId {
        self.expr(ExprKind::Constant(Constant::Null), Scalar::Pointer)
    }

    pub fn expr(&mut self, kind: ExprKind, ty: Scalar) -> ExprId {
        self.program.exprs.intern(kind, ty)
    }

    pub fn load(&mut self, place: Place) -> ExprId {
        let ty = self.program.types.as_scalar(place.ty).expect("a scalar place");
        self.expr(ExprKind::Load(place), ty)
    }

    pub fn get(&mut self, variable: VariableId) -> ExprId {
        let place = self.place(variable);
        self.load(place)
    }

    pub fn address(&mut self, variable: VariableId) -> ExprId {
        let place = self.place(variable);
        self.expr(ExprKind::AddressOf(place), Scalar::Pointer)
    }

    pub fn binary(&mut self, op: BinaryOp, left: ExprId, right: ExprId) -> ExprId {
        let ty = self.program.exprs.ty(left);
        self.expr(ExprKind::Binary(op, left, right), ty)
    }

    pub fn compare(&mut self, op: CompareOp, left: ExprId, right: ExprId) -> ExprId {
        self.expr(ExprKind::Compare(op, left, right), Scalar::Bool)
    }

    pub fn equals(&mut self, variable: VariableId, value: i64) -> ExprId {
        let Some(Scalar::Int(ty)) = self.program.types.as_scalar(self.program.variables[variable].ty) else { panic!() };
        let (left, right) = (self.get(variable), self.program.exprs.int(value, ty));
        self.compare(CompareOp::Equal, left, right)
    }

    /// The atom `variable == value`.
    pub fn atom(&mut self, variable: VariableId, value: i64) -> Atom {
        let active = self.program.owner(variable).into_iter().collect();
        Atom::State { value: self.equals(variable, value), active, reads: vec![variable] }
    }

    pub fn run(&self, semantics: Semantics, atoms: &[Atom], choices: &mut dyn Choices) -> Run {
        let limits = RunLimits { observations: 200, edges: 20_000 };
        program::semantics::run(&self.program, semantics, atoms, choices, limits, &Budget::unlimited())
    }

    /// Runs without atoms and with zeros for what is not chosen.
    pub fn plain_run(&self, integers: Integers) -> Run {
        let semantics = Semantics { integers, ..Semantics::default() };
        self.run(semantics, &[], &mut ListedChoices::default())
    }

    /// The text that a variable last had in the observed changes of a run under these integers.
    pub fn final_value(&self, integers: Integers, name: &str) -> Option<String> {
        last_value(&self.plain_run(integers), name)
    }
}

/// What a name last had in the observed changes.
pub fn last_value(run: &Run, name: &str) -> Option<String> {
    let mut changes = run.observations.iter().flat_map(|observation| &observation.changes);
    changes.rfind(|change| change.name == name).map(|change| change.value.clone())
}

/// The truth of the only atom along the observations, as a word of `0` and `1`.
pub fn word(run: &Run) -> String {
    run.observations.iter().map(|observation| if observation.truth[0] { '1' } else { '0' }).collect()
}

fn new_function(name: &str, result: Option<TypeId>) -> Function {
    let span = Span { source: SourceId::from_index(0), start: 0, end: 0 };
    Function { result, ..Function::new(name, span) }
}

/// A pointer to a fresh heap object of so many bytes.
pub fn allocated(b: &mut Builder, bytes: i64, contents: Allocation) -> VariableId {
    let target = b.local_of("p", Scalar::Pointer);
    let size = b.size(bytes);
    b.op(Op::Allocate { target, size, contents });
    target
}

/// The address so many steps of some bytes behind another.
pub fn offset(b: &mut Builder, base: ExprId, index: i64, stride: u64) -> ExprId {
    let index = b.int(index);
    b.expr(ExprKind::PointerAdd { base, index, stride }, Scalar::Pointer)
}

/// Of a pointer: that it is not null, what it points to, and that this is positive.
pub fn looked_through(b: &mut Builder, pointer: VariableId) -> (ExprId, ExprId, ExprId) {
    let (address, null, zero) = (b.get(pointer), b.null(), b.int(0));
    let set = b.compare(CompareOp::NotEqual, address, null);
    let place = b.pointee(address, INT);
    let value = b.load(place);
    let positive = b.compare(CompareOp::Greater, value, zero);
    (set, value, positive)
}

/// Reads an integer at an address, into a new variable.
pub fn read_through(b: &mut Builder, address: ExprId) {
    let place = b.pointee(address, INT);
    let value = b.load(place);
    let x = b.global_int("x");
    b.set(x, value);
}
