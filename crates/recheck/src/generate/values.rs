//! Values in C: expressions, places and inputs.

use std::fmt::Write;

use foundation::Id;
use num_traits::ToPrimitive;
use program::{
    Atom, BinaryOp, CompareOp, Constant, ExprId, ExprKind, IntType, OpenEnd, Place, Program, Root, Scalar, Selector,
    Type, TypeId, UnaryOp, VariableId,
};

use super::super::data_classes::keeps_bits;
use super::{Generator, MOST_LEVELS, NotGenerated};

/// What a value is computed for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ValueUse {
    /// It is merely copied, or compared with a constant.
    Copied,
    /// Something depends on it, but only on these of its bits.
    Masked(i128),
    /// Something depends on it.
    Computed,
    /// Nothing depends on it, only on what happens when it is computed.
    Dropped,
}

impl Generator<'_> {
    /// Whether an expression is an address that nothing has to be computed for.
    pub(super) fn is_fixed_address(&self, expr: ExprId) -> bool {
        match &self.program.exprs.get(expr).kind {
            ExprKind::AddressOf(place) => place.operands().is_empty(),
            ExprKind::FunctionAddress(_) | ExprKind::Constant(Constant::Null) => true,
            ExprKind::Cast(operand) => {
                self.program.exprs.ty(expr) == Scalar::Pointer && self.is_fixed_address(*operand)
            }
            _ => false,
        }
    }

    /// The values of an input.
    pub(super) fn input(&mut self, target: &Place) -> Result<String, NotGenerated> {
        let scalar = self.program.types.as_scalar(target.ty).ok_or("an input of many parts")?;
        let variable = match target.root {
            Root::Variable(variable) => Some(variable),
            Root::Pointer { .. } => None,
        };
        if variable.is_some_and(|variable| !self.relevant.contains(variable)) {
            return Ok(literal(0));
        }
        let values = self.data_classes.values(variable, scalar, false).ok_or("an input of too many values")?;
        let list: Vec<String> = values.iter().map(|value| literal(*value)).collect();
        Ok(format!("({{ static const V values[] = {{{}}}; values[choose({})]; }})", list.join(", "), values.len()))
    }

    /// Writes a value to a place.
    pub(super) fn store(&mut self, target: &Place, value: &str) -> Result<String, NotGenerated> {
        let reached = self.reach(target)?;
        let Located { variable, name, indices, bounds, slot, is_flagged, .. } = &reached;
        let mut text = format!("{{ {indices}V r = {value}; ");
        if !bounds.is_empty() {
            let _ = write!(text, "if (!({bounds})) undefined(); ");
        }
        if self.relevant.contains(*variable) {
            let _ = write!(text, "w.v{name}[{slot}] = stored(r); ");
        }
        if *is_flagged {
            let _ = write!(text, "w.f{name}[{slot}] = 0; ");
        }
        Ok(text + "} ")
    }

    /// Where a place lies.
    fn reach(&mut self, place: &Place) -> Result<Located, NotGenerated> {
        let Root::Variable(variable) = place.root else { return Err("a pointer") };
        let program = self.program;
        let is_flagged = match self.variables.get(&variable) {
            Some(slots) => slots.is_flagged,
            None if self.relevant.contains(variable) => return Err("a variable of such a type"),
            None => false,
        };
        let mut ty = program.variables[variable].ty;
        let (mut indices, mut bounds, mut terms) = (String::new(), Vec::new(), Vec::new());
        let mut open_end = OpenEnd::new(&place.root);
        for step in &place.path {
            match (step, program.types.get(ty)) {
                (Selector::Field(number), Type::Record(record)) => {
                    let before = &record.fields[..*number as usize];
                    let parts: usize = before.iter().map(|field| part_count(program, field.ty)).sum();
                    terms.push(parts.to_string());
                    ty = record.fields[*number as usize].ty;
                    open_end.field(record, *number);
                }
                (Selector::Index(index), Type::Array { element, length }) => {
                    if open_end.index(*length) {
                        return Err("an array that goes on behind its end");
                    }
                    let number = bounds.len();
                    let index = self.expr(*index, ValueUse::Computed)?;
                    let _ = write!(indices, "V i{number} = {index}; ");
                    bounds.push(format!("in_bounds(i{number}, {length})"));
                    terms.push(format!("i{number} * {}", part_count(program, *element)));
                    ty = *element;
                }
                _ => return Err("such a place"),
            }
        }
        let scalar = program.types.as_scalar(ty).ok_or("an aggregate")?;
        self.note_width(scalar);
        let slot = if terms.is_empty() { "0".to_owned() } else { terms.join(" + ") };
        Ok(Located { variable, name: variable.index(), indices, bounds: bounds.join(" && "), slot, is_flagged, scalar })
    }

    /// The type of C whose values wrap around as those of an integer type do; none where they do not, or where that
    /// they do can be seen.
    fn wrapping(&self, bits: u16, signed: bool) -> Option<&'static str> {
        let is_plain = matches!(bits, 8 | 16 | 32 | 64) && !self.is_ideal();
        let is_seen = self.task.atoms.contains(&Atom::Overflow);
        (is_plain && !is_seen).then(|| self.storage(Some(Scalar::Int(IntType { bits, signed }))))
    }

    fn note_width(&mut self, scalar: Scalar) {
        self.is_wide |= matches!(scalar, Scalar::Int(ty) if ty.bits > 32);
    }

    /// The value of an expression. Where nothing depends on it, it need not be the right one.
    pub(super) fn expr(&mut self, expr: ExprId, purpose: ValueUse) -> Result<String, NotGenerated> {
        if self.depths[expr.index()] > MOST_LEVELS {
            return Err("so deep an expression");
        }
        let program = self.program;
        let ty = program.exprs.ty(expr);
        self.note_width(ty);
        let purpose = match purpose {
            ValueUse::Dropped if !self.relevance.is_harmless(expr) => ValueUse::Computed,
            purpose => purpose,
        };
        // What is computed from a value that nothing depends on is such a value.
        let within = if purpose == ValueUse::Dropped { ValueUse::Dropped } else { ValueUse::Computed };
        let int = |ty: Scalar| match ty {
            Scalar::Int(ty) if ty.bits <= 64 => Ok((ty.bits, u8::from(ty.signed))),
            _ => Err("a number of such a type"),
        };
        Ok(match &program.exprs.get(expr).kind {
            ExprKind::Constant(Constant::Bool(value)) => u8::from(*value).to_string(),
            ExprKind::Constant(Constant::Int(value)) => {
                let value =
                    value.to_i128().filter(|value| i64::try_from(*value).is_ok() || u64::try_from(*value).is_ok());
                literal(value.ok_or("so large a number")?)
            }
            ExprKind::Load(place) => {
                let Located { variable, name, indices, bounds, slot, is_flagged, scalar } = self.reach(place)?;
                let is_unsigned_word = !self.is_ideal()
                    && scalar == Scalar::Int(IntType::unsigned(64))
                    && self.variables.get(&variable).is_some_and(|slots| slots.ty.is_none());
                let mut value = format!("(V){}w.v{name}[{slot}]", if is_unsigned_word { "(uint64_t)" } else { "" });
                if !self.relevant.contains(variable) {
                    debug_assert_eq!(purpose, ValueUse::Dropped, "else something depends on the variable");
                    value = literal(0);
                } else if purpose == ValueUse::Computed && self.data_classes.may_stand_for_many(variable) {
                    value = format!("checked_{name}({value})");
                }
                let mut tests = String::new();
                if !bounds.is_empty() {
                    let _ = write!(tests, "if (!({bounds})) undefined(); ");
                }
                if is_flagged && purpose != ValueUse::Dropped {
                    let _ =
                        write!(tests, "if (w.f{name}[{slot}]) not_covered(\"reads what is not initialised\", -1); ");
                }
                if tests.is_empty() { format!("({value})") } else { format!("({{ {indices}{tests}{value}; }})") }
            }
            ExprKind::Unary(op, operand) => {
                let (bits, signed) = int(ty)?;
                let operand = self.expr(*operand, within)?;
                match op {
                    UnaryOp::Negate => format!("negate({operand}, {bits}, {signed})"),
                    UnaryOp::BitNot => format!("converted(-1 - {operand}, {bits}, {signed})"),
                }
            }
            ExprKind::Binary(op, left, right) => {
                let (bits, signed) = int(ty)?;
                let divisor = self.data_classes.constant(*right).filter(|divisor| !matches!(divisor, -1 | 0));
                // A test of bits does not tell apart what a number stands for.
                let (mut of_left, mut of_right) = (within, within);
                if within == ValueUse::Computed {
                    match (self.data_classes.masked(*op, *left, *right), purpose) {
                        (Some((operand, mask, _)), _) if operand == *left => of_left = ValueUse::Masked(mask),
                        (Some((_, mask, _)), _) => of_right = ValueUse::Masked(mask),
                        (None, ValueUse::Masked(mask)) => {
                            let before = self.data_classes.before_shift(*op, *right, mask);
                            of_left = before.map_or(within, ValueUse::Masked);
                        }
                        _ => {}
                    }
                }
                let (left, right) = (self.expr(*left, of_left)?, self.expr(*right, of_right)?);
                // The frequent cases in few words: compilers take long for long programs.
                let sign = match op {
                    BinaryOp::Add => Some("+"),
                    BinaryOp::Subtract => Some("-"),
                    BinaryOp::Multiply => Some("*"),
                    _ => None,
                };
                match (op, sign, self.wrapping(bits, signed == 1)) {
                    (_, Some(sign), Some(storage)) => {
                        return Ok(format!("((V)({storage})((U){left} {sign} (U){right}))"));
                    }
                    (BinaryOp::Divide, ..) if divisor.is_some() => return Ok(format!("({left} / {right})")),
                    (BinaryOp::Remainder, ..) if divisor.is_some() => return Ok(format!("({left} % {right})")),
                    _ => {}
                }
                let call = match op {
                    BinaryOp::Add => format!("add(a, b, {bits}, {signed})"),
                    BinaryOp::Subtract => format!("subtract(a, b, {bits}, {signed})"),
                    BinaryOp::Multiply => format!("multiply(a, b, {bits}, {signed})"),
                    BinaryOp::Divide => format!("divide(a, b, {bits}, {signed})"),
                    BinaryOp::Remainder => format!("remainder_of(a, b, {bits}, {signed})"),
                    BinaryOp::ShiftLeft => format!("shift_left(a, b, {bits}, {signed})"),
                    BinaryOp::ShiftRight => format!("shift_right(a, b, {bits})"),
                    BinaryOp::BitAnd => "a & b".to_owned(),
                    BinaryOp::BitOr => "a | b".to_owned(),
                    BinaryOp::BitXor => "a ^ b".to_owned(),
                };
                format!("({{ V a = {left}, b = {right}; {call}; }})")
            }
            ExprKind::Compare(op, left, right) => {
                if !matches!(program.exprs.ty(*left), Scalar::Bool | Scalar::Int(_)) {
                    return Err("a comparison of such values");
                }
                // Compared with few numbers, what stands for many comes out the same.
                let told = |numbers: Option<Vec<i128>>| match numbers {
                    Some(_) if within == ValueUse::Computed => ValueUse::Copied,
                    _ => within,
                };
                let (of_left, of_right) = self.data_classes.compared(*left, *right);
                let is_constant = |expr| self.data_classes.constant(expr).is_some();
                let is_short = is_constant(*left) || is_constant(*right);
                let (left, right) = (self.expr(*left, told(of_left))?, self.expr(*right, told(of_right))?);
                let sign = match op {
                    CompareOp::Equal => "==",
                    CompareOp::NotEqual => "!=",
                    CompareOp::Less => "<",
                    CompareOp::LessEqual => "<=",
                    CompareOp::Greater => ">",
                    CompareOp::GreaterEqual => ">=",
                };
                if is_short {
                    format!("({left} {sign} {right})")
                } else {
                    format!("({{ V a = {left}, b = {right}; a {sign} b; }})")
                }
            }
            ExprKind::Not(operand) => format!("(!{})", self.expr(*operand, within)?),
            ExprKind::And(left, right) => {
                format!("({} && {})", self.expr(*left, ValueUse::Computed)?, self.expr(*right, within)?)
            }
            ExprKind::Or(left, right) => {
                format!("({} || {})", self.expr(*left, ValueUse::Computed)?, self.expr(*right, within)?)
            }
            ExprKind::If(condition, then, otherwise) => {
                let condition = self.expr(*condition, ValueUse::Computed)?;
                let (then, otherwise) = (self.expr(*then, purpose)?, self.expr(*otherwise, purpose)?);
                format!("({condition} ? (V)({then}) : (V)({otherwise}))")
            }
            ExprKind::Cast(operand) => {
                let from = program.exprs.ty(*operand);
                match (from, ty) {
                    (Scalar::Int(_) | Scalar::Bool, Scalar::Bool) => {
                        let inside = if within == ValueUse::Computed { ValueUse::Copied } else { within };
                        format!("({} != 0)", self.expr(*operand, inside)?)
                    }
                    (Scalar::Bool, Scalar::Int(_)) => format!("((V){})", self.expr(*operand, within)?),
                    (Scalar::Int(_), Scalar::Int(_)) if self.data_classes.is_exact(from, ty) => {
                        self.expr(*operand, purpose)?
                    }
                    (Scalar::Int(_), Scalar::Int(_)) => {
                        let (bits, signed) = int(ty)?;
                        let inside = match purpose {
                            ValueUse::Masked(mask) if keeps_bits(from, ty, mask) => purpose,
                            _ => within,
                        };
                        let operand = self.expr(*operand, inside)?;
                        match self.wrapping(bits, signed == 1) {
                            Some(storage) => format!("((V)({storage}){operand})"),
                            None => format!("converted({operand}, {bits}, {signed})"),
                        }
                    }
                    _ => return Err("a conversion between such types"),
                }
            }
            _ => return Err("a pointer or a floating-point number"),
        })
    }
}

/// Where a place lies: statements that compute its indices, whether they are in bounds, and the part of the variable.
struct Located {
    variable: VariableId,
    name: usize,
    indices: String,
    bounds: String,
    slot: String,
    is_flagged: bool,
    scalar: Scalar,
}

/// Whether a type consists of truth values and integers alone, each in a place of its own.
pub(super) fn is_plain(program: &Program, ty: TypeId) -> bool {
    match program.types.get(ty) {
        Type::Scalar(Scalar::Bool) => true,
        Type::Scalar(Scalar::Int(ty)) => ty.bits <= 64,
        Type::Scalar(_) | Type::Opaque => false,
        Type::Array { element, length } => *length > 0 && is_plain(program, *element),
        Type::Record(record) => {
            let is_plain = |field: &program::Field| field.bit_width.is_none() && is_plain(program, field.ty);
            !record.is_union && record.fields.iter().all(is_plain)
        }
    }
}

/// How many scalars a plain type has.
pub(super) fn part_count(program: &Program, ty: TypeId) -> usize {
    match program.types.get(ty) {
        Type::Scalar(_) => 1,
        Type::Opaque => 0,
        Type::Array { element, length } => part_count(program, *element) * *length as usize,
        Type::Record(record) => record.fields.iter().map(|field| part_count(program, field.ty)).sum(),
    }
}

/// How deep each expression is. Operands come before the expressions over them.
pub(super) fn depths(program: &Program) -> Vec<u32> {
    let mut depths: Vec<u32> = Vec::with_capacity(program.exprs.len());
    for index in 0..program.exprs.len() {
        let operands = program.exprs.operands(ExprId::from_index(index));
        depths.push(1 + operands.iter().map(|operand| depths[operand.index()]).max().unwrap_or(0));
    }
    depths
}

/// A number as C writes it. It fits 64 bits, with or without a sign.
pub(super) fn literal(value: i128) -> String {
    if value == i128::from(i64::MIN) {
        return format!("((V){}LL - 1)", value + 1);
    }
    let suffix = if i64::try_from(value).is_ok() { "LL" } else { "ULL" };
    format!("((V){value}{suffix})")
}
