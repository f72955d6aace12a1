//! Text for people: types, expressions, places, operations and automata, close to C and with no more parentheses than
//! C needs. The text is stable, because tests and traces show it, but it is not meant to be read back.
//!
//! Conversions that keep the value are not shown. Expressions share operands, so that a small one can have a very long
//! text; what goes beyond [`LONGEST`] is left out.

use std::fmt::Write;

use foundation::Id;
use num_bigint::Sign;

use crate::cfa::{Allocation, Callee, EdgeId, EndKind, FunctionId, InputSource, LocationId, Observe, Op, Operand};
use crate::expr::{BinaryOp, CompareOp, Constant, ExprId, ExprKind, Place, Root, Selector, UnaryOp};
use crate::model::{Program, VariableId};
use crate::types::{FloatType, IntType, Scalar, Type, TypeId, Types};

/// The most bytes that the text of one expression may have.
pub const LONGEST: usize = 4096;

/// The text of an expression: `a[i].f + 1`.
pub fn expr_text(program: &Program, expr: ExprId) -> String {
    let mut printer = Printer { program, text: String::new() };
    printer.expr(expr, 0);
    printer.finish()
}

/// The text of a place: `p->next`.
pub fn place_text(program: &Program, place: &Place) -> String {
    let mut printer = Printer { program, text: String::new() };
    printer.place(place);
    printer.finish()
}

/// The text of a type: `int32_t[4]`.
pub fn type_text(types: &Types, ty: TypeId) -> String {
    let mut suffix = String::new();
    let mut ty = ty;
    loop {
        match types.get(ty) {
            Type::Scalar(scalar) => return scalar_text(*scalar) + &suffix,
            Type::Array { element, length } => {
                let _ = write!(suffix, "[{length}]");
                ty = *element;
            }
            Type::Record(record) => return record.name.clone() + &suffix,
            Type::Opaque => return "void".to_owned() + &suffix,
        }
    }
}

/// The text of a scalar type: `uint8_t`.
pub fn scalar_text(scalar: Scalar) -> String {
    match scalar {
        Scalar::Bool => "bool".to_owned(),
        Scalar::Int(IntType { bits, signed }) => format!("{}int{bits}_t", if signed { "" } else { "u" }),
        Scalar::Float(FloatType::F32) => "float".to_owned(),
        Scalar::Float(FloatType::F64) => "double".to_owned(),
        Scalar::Pointer => "pointer".to_owned(),
    }
}

/// The text of an operation: `x = y + 1`, `assume x > 0`.
pub fn op_text(program: &Program, op: &Op) -> String {
    let expr = |id: &ExprId| expr_text(program, *id);
    let name = |variable: &VariableId| program.variables[*variable].name.clone();
    let operand = |operand: &Operand| match operand {
        Operand::Scalar(expr) => expr_text(program, *expr),
        Operand::Aggregate(place) => place_text(program, place),
    };
    match op {
        Op::Skip => "skip".to_owned(),
        Op::Assume(condition) => format!("assume {}", expr(condition)),
        Op::Assign { target, value } => format!("{} = {}", place_text(program, target), operand(value)),
        Op::Input { target, source } => format!("{} = {}", place_text(program, target), source_text(source)),
        Op::Havoc { address, source, .. } => format!("havoc({}) = {}", expr(address), source_text(source)),
        Op::Declare(variable) => format!("declare {}", name(variable)),
        Op::Discard(variable) => format!("discard {}", name(variable)),
        Op::Call { callee, arguments, result } => {
            let arguments: Vec<String> = arguments.iter().map(operand).collect();
            let call = format!("{}({})", callee_text(program, callee), arguments.join(", "));
            result.as_ref().map(|result| format!("{} = {call}", name(result))).unwrap_or(call)
        }
        Op::Return(None) => "return".to_owned(),
        Op::Return(Some(value)) => format!("return {}", operand(value)),
        Op::Allocate { target, size, contents } => match contents {
            Allocation::Arbitrary => format!("{} = allocate({})", name(target), expr(size)),
            Allocation::Zeroed => format!("{} = allocate_zeroed({})", name(target), expr(size)),
            Allocation::Resized(old) => format!("{} = reallocate({}, {})", name(target), expr(old), expr(size)),
        },
        Op::Free(address) => format!("free({})", expr(address)),
        Op::CopyBytes { target, source, count, may_overlap } => {
            let function = if *may_overlap { "move_bytes" } else { "copy_bytes" };
            format!("{function}({}, {}, {})", expr(target), expr(source), expr(count))
        }
        Op::SetBytes { target, byte, count } => {
            format!("set_bytes({}, {}, {})", expr(target), expr(byte), expr(count))
        }
        Op::End(kind) => format!("end ({})", end_text(*kind)),
        Op::Spawn { handle, function, argument } => {
            format!("{} = spawn {}({})", name(handle), callee_text(program, function), expr(argument))
        }
        Op::Join { thread, result } => format!("{} = join({})", name(result), expr(thread)),
        Op::ExitThread(value) => format!("exit_thread({})", expr(value)),
        Op::InitLock(mutex) => format!("init_lock({})", expr(mutex)),
        Op::Lock(mutex) => format!("lock({})", expr(mutex)),
        Op::TryLock { mutex, taken } => format!("{} = try_lock({})", name(taken), expr(mutex)),
        Op::Unlock(mutex) => format!("unlock({})", expr(mutex)),
        Op::Unreachable => "unreachable".to_owned(),
        Op::AtomicBegin => "atomic_begin".to_owned(),
        Op::AtomicEnd => "atomic_end".to_owned(),
    }
}

/// The text of a way to end: `failed assertion`.
pub fn end_text(kind: EndKind) -> &'static str {
    match kind {
        EndKind::Return => "return",
        EndKind::Exit => "exit",
        EndKind::Abort => "abort",
        EndKind::AssertionFailed => "failed assertion",
    }
}

/// The text of a location: `L3`.
pub fn location_text(location: LocationId) -> String {
    format!("L{}", location.index())
}

/// The text of an edge: `L3 -> L4: x = 1`.
pub fn edge_text(program: &Program, edge: EdgeId) -> String {
    let edge = &program.edges[edge];
    let observe = match edge.observe {
        Observe::No => "",
        Observe::Statement => "  [observed]",
        Observe::Step => "  [step]",
    };
    let (from, to) = (location_text(edge.from), location_text(edge.to));
    format!("{from} -> {to}: {}{observe}", op_text(program, &edge.op))
}

/// The text of a function's automaton, one edge per line in the order of the locations.
pub fn function_text(program: &Program, function: FunctionId) -> String {
    let shown = &program.functions[function];
    let declaration = |variable: &VariableId| {
        let variable = &program.variables[*variable];
        format!("{}: {}", variable.name, type_text(&program.types, variable.ty))
    };
    let mut parameters: Vec<String> = shown.parameters.iter().map(declaration).collect();
    if shown.variadic {
        parameters.push("...".to_owned());
    }
    let mut text = format!("function {}({})", shown.name, parameters.join(", "));
    if let Some(result) = shown.result {
        let _ = write!(text, ": {}", type_text(&program.types, result));
    }
    for (set, word) in [(shown.atomic, " atomic"), (shown.library, " library")] {
        text += if set { word } else { "" };
    }
    let Some(entry) = shown.entry else { return text + "\n    no body\n" };
    text.push('\n');
    for local in &shown.locals {
        let _ = writeln!(text, "    {}", declaration(local));
    }
    let _ = writeln!(text, "    entry {}", location_text(entry));
    for (_, location) in program.locations.iter().filter(|(_, location)| location.function == function) {
        for &edge in &location.out {
            let _ = writeln!(text, "    {}", edge_text(program, edge));
        }
    }
    text
}

/// The text of an input's source: `__VERIFIER_nondet_int()`.
pub fn source_text(source: &InputSource) -> String {
    match source {
        InputSource::Nondet(name) | InputSource::External(name) => format!("{name}()"),
        InputSource::Argument { function, argument } => format!("{function}(…{argument}…)"),
        InputSource::Register(address) => format!("register {address:#x}"),
        InputSource::Volatile(name) => format!("volatile {name}"),
        InputSource::Assembly => "assembly".to_owned(),
        InputSource::MissingResult => "a missing return value".to_owned(),
    }
}

fn callee_text(program: &Program, callee: &Callee) -> String {
    match callee {
        Callee::Function(function) => program.functions[*function].name.clone(),
        Callee::Pointer(address) => {
            let mut printer = Printer { program, text: String::new() };
            printer.expr(*address, POSTFIX);
            printer.finish()
        }
    }
}

/// Binding strengths as in C: a larger number binds tighter.
type Precedence = u8;
const CONDITIONAL: Precedence = 1;
const OR: Precedence = 2;
const AND: Precedence = 3;
const EQUALITY: Precedence = 7;
const RELATION: Precedence = 8;
const ADDITION: Precedence = 10;
const UNARY: Precedence = 12;
const POSTFIX: Precedence = 13;

struct Printer<'p> {
    program: &'p Program,
    text: String,
}

impl Printer<'_> {
    /// The text, without what goes too far.
    fn finish(mut self) -> String {
        if self.text.len() > LONGEST {
            self.text.truncate(self.text.floor_char_boundary(LONGEST));
            self.text.push('…');
        }
        self.text
    }

    /// Appends an expression, in parentheses unless it binds at least this tight.
    fn expr(&mut self, id: ExprId, at_least: Precedence) {
        if self.text.len() > LONGEST {
            return;
        }
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.kind(id, at_least));
    }

    fn kind(&mut self, id: ExprId, at_least: Precedence) {
        let program = self.program;
        let expr = program.exprs.get(id);
        match &expr.kind {
            ExprKind::Constant(constant) => self.constant(constant, at_least),
            ExprKind::Load(place) => {
                let precedence = self.place_precedence(place);
                self.in_parentheses(precedence < at_least, |p| p.place(place));
            }
            ExprKind::AddressOf(place) => self.in_parentheses(UNARY < at_least, |p| {
                p.text.push('&');
                p.place(place);
            }),
            ExprKind::FunctionAddress(function) => self.text += &program.functions[*function].name,
            ExprKind::Unary(op, operand) => {
                self.prefix(if *op == UnaryOp::Negate { "-" } else { "~" }, *operand, at_least);
            }
            ExprKind::Binary(op, left, right) => {
                let (symbol, precedence) = binary_symbol(*op);
                self.infix(*left, symbol, *right, precedence, at_least);
            }
            ExprKind::Compare(op, left, right) => self.comparison(*op, *left, *right, at_least),
            ExprKind::Not(operand) => match program.exprs.get(*operand).kind {
                // For floating-point numbers `!(a < b)` and `a >= b` differ, because of numbers that are none.
                ExprKind::Compare(op, left, right) if !matches!(program.exprs.ty(left), Scalar::Float(_)) => {
                    self.comparison(op.negated(), left, right, at_least);
                }
                _ => self.prefix("!", *operand, at_least),
            },
            ExprKind::And(left, right) => self.infix(*left, "&&", *right, AND, at_least),
            ExprKind::Or(left, right) => self.infix(*left, "||", *right, OR, at_least),
            ExprKind::If(condition, then, otherwise) => self.in_parentheses(CONDITIONAL < at_least, |p| {
                p.expr(*condition, OR);
                p.text += " ? ";
                p.expr(*then, 0);
                p.text += " : ";
                p.expr(*otherwise, CONDITIONAL);
            }),
            ExprKind::Cast(operand) => match (program.exprs.ty(*operand), expr.ty) {
                (from, to) if keeps_value(from, to) => self.expr(*operand, at_least),
                (from, Scalar::Bool) => self.in_parentheses(EQUALITY < at_least, |p| {
                    p.expr(*operand, EQUALITY);
                    p.text += if from == Scalar::Pointer { " != NULL" } else { " != 0" };
                }),
                (_, to) => self.prefix(&format!("({})", scalar_text(to)), *operand, at_least),
            },
            ExprKind::PointerAdd { base, index, .. } => self.infix(*base, "+", *index, ADDITION, at_least),
            ExprKind::PointerDifference { left, right, .. } => self.infix(*left, "-", *right, ADDITION, at_least),
        }
    }

    fn constant(&mut self, constant: &Constant, at_least: Precedence) {
        match constant {
            Constant::Bool(value) => self.text += &value.to_string(),
            Constant::Int(value) => {
                let negative = value.sign() == Sign::Minus;
                self.in_parentheses(negative && UNARY < at_least, |p| p.text += &value.to_string());
            }
            Constant::Float(bits) => self.text += &format!("{:?}", f64::from_bits(*bits)),
            Constant::Null => self.text += "NULL",
            Constant::Address(address) => self.text += &format!("{address:#x}"),
        }
    }

    fn place(&mut self, place: &Place) {
        let path = place.path.as_slice();
        let ty = match &place.root {
            Root::Variable(variable) => {
                self.text += &self.program.variables[*variable].name;
                self.program.variables[*variable].ty
            }
            Root::Pointer { address, pointee } => {
                match (&self.program.exprs.get(*address).kind, path) {
                    (ExprKind::PointerAdd { base, index, .. }, _) if self.indexes(*address, *pointee) => {
                        self.expr(*base, POSTFIX);
                        self.index(*index);
                    }
                    (_, [Selector::Field(field), rest @ ..]) => {
                        self.expr(*address, POSTFIX);
                        self.text += "->";
                        let ty = self.field(*pointee, *field);
                        self.path(ty, rest);
                        return;
                    }
                    (_, []) => {
                        self.text.push('*');
                        self.expr(*address, UNARY);
                    }
                    _ => {
                        self.text += "(*";
                        self.expr(*address, UNARY);
                        self.text.push(')');
                    }
                }
                *pointee
            }
        };
        self.path(Some(ty), path);
    }

    fn path(&mut self, mut ty: Option<TypeId>, path: &[Selector]) {
        for step in path {
            match step {
                Selector::Field(field) => {
                    self.text.push('.');
                    ty = ty.and_then(|ty| self.field(ty, *field));
                }
                Selector::Index(index) => {
                    self.index(*index);
                    ty = ty.and_then(|ty| match self.program.types.get(ty) {
                        Type::Array { element, .. } => Some(*element),
                        _ => None,
                    });
                }
            }
        }
    }

    /// Appends the name of a field, or its number where it has no name; returns its type.
    fn field(&mut self, ty: TypeId, number: u32) -> Option<TypeId> {
        let Type::Record(record) = self.program.types.get(ty) else { return None };
        let field = record.fields.get(number as usize)?;
        self.text += &if field.name.is_empty() { format!("#{number}") } else { field.name.clone() };
        Some(field.ty)
    }

    fn index(&mut self, index: ExprId) {
        self.text.push('[');
        self.expr(index, 0);
        self.text.push(']');
    }

    /// How tight the text of a place binds: `*p` is the only form that is not a postfix expression.
    fn place_precedence(&self, place: &Place) -> Precedence {
        match place.root {
            Root::Pointer { address, pointee } if place.path.is_empty() && !self.indexes(address, pointee) => UNARY,
            _ => POSTFIX,
        }
    }

    /// Whether an address is that of an element, so that `p[i]` says it.
    fn indexes(&self, address: ExprId, pointee: TypeId) -> bool {
        let size = self.program.types.size_bits(pointee);
        matches!(self.program.exprs.get(address).kind, ExprKind::PointerAdd { stride, .. } if u128::from(stride) * 8 == u128::from(size))
    }

    fn comparison(&mut self, op: CompareOp, left: ExprId, right: ExprId, at_least: Precedence) {
        let (symbol, precedence) = compare_symbol(op);
        self.infix(left, symbol, right, precedence, at_least);
    }

    fn infix(&mut self, left: ExprId, symbol: &str, right: ExprId, precedence: Precedence, at_least: Precedence) {
        self.in_parentheses(precedence < at_least, |p| {
            p.expr(left, precedence);
            let _ = write!(p.text, " {symbol} ");
            p.expr(right, precedence + 1);
        });
    }

    fn prefix(&mut self, symbol: &str, operand: ExprId, at_least: Precedence) {
        self.in_parentheses(UNARY < at_least, |p| {
            p.text += symbol;
            let begin = p.text.len();
            p.expr(operand, UNARY);
            // `--x` would be another operator.
            if symbol == "-" && p.text[begin..].starts_with('-') {
                p.text.insert(begin, '(');
                p.text.push(')');
            }
        });
    }

    fn in_parentheses(&mut self, needed: bool, inside: impl FnOnce(&mut Self)) {
        if needed {
            self.text.push('(');
        }
        inside(self);
        if needed {
            self.text.push(')');
        }
    }
}

/// Whether a conversion changes no value, so that it need not be shown.
fn keeps_value(from: Scalar, to: Scalar) -> bool {
    match (from, to) {
        (Scalar::Bool, Scalar::Int(_)) => true,
        (Scalar::Int(from), Scalar::Int(to)) => from == to || (from.bits < to.bits && (to.signed || !from.signed)),
        (Scalar::Float(from), Scalar::Float(to)) => from <= to,
        (from, to) => from == to,
    }
}

fn binary_symbol(op: BinaryOp) -> (&'static str, Precedence) {
    match op {
        BinaryOp::Multiply => ("*", 11),
        BinaryOp::Divide => ("/", 11),
        BinaryOp::Remainder => ("%", 11),
        BinaryOp::Add => ("+", ADDITION),
        BinaryOp::Subtract => ("-", ADDITION),
        BinaryOp::ShiftLeft => ("<<", 9),
        BinaryOp::ShiftRight => (">>", 9),
        BinaryOp::BitAnd => ("&", 6),
        BinaryOp::BitXor => ("^", 5),
        BinaryOp::BitOr => ("|", 4),
    }
}

fn compare_symbol(op: CompareOp) -> (&'static str, Precedence) {
    match op {
        CompareOp::Equal => ("==", EQUALITY),
        CompareOp::NotEqual => ("!=", EQUALITY),
        CompareOp::Less => ("<", RELATION),
        CompareOp::LessEqual => ("<=", RELATION),
        CompareOp::Greater => (">", RELATION),
        CompareOp::GreaterEqual => (">=", RELATION),
    }
}
