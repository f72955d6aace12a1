//! Functions of the C library and of the compiler that operations of the program model stand for: the heap, copies of
//! bytes, input, and a few numbers.

use foundation::Span;
use program::{
    Allocation, BinaryOp as ModelBinary, CompareOp, Constant, ExprId as ModelExpr, ExprKind as ModelKind, InputSource,
    Op, Scalar,
};

use super::super::convert::ScalarValue;
use super::super::effects::has_effects;
use super::super::{Denoted, Lower, Lowered, Lowering};
use crate::syntax::ast::ExprId;
use crate::types::{CType, IntKind, Qual};

impl Lowering<'_> {
    /// A function of the C library.
    pub(super) fn c_library_call(
        &mut self,
        name: &str,
        declared: Qual,
        arguments: &[ExprId],
        span: Span,
    ) -> Lower<Option<Lowered>> {
        let plain = name.strip_prefix("__builtin_").unwrap_or(name);
        let lowered = match plain {
            "malloc" => {
                let [size] = self.sizes(name, arguments, span)?;
                self.allocate(size, Allocation::Arbitrary, span)?
            }
            "calloc" => {
                let [count, size] = self.sizes(name, arguments, span)?;
                // In a type that holds every product: what wraps must not become a small allocation.
                let wide = Scalar::Int(program::IntType::unsigned(128));
                let (count, size) = (self.cast_scalar(count, wide), self.cast_scalar(size, wide));
                let bytes = self.program.exprs.intern(ModelKind::Binary(ModelBinary::Multiply, count, size), wide);
                self.allocate(bytes, Allocation::Zeroed, span)?
            }
            "realloc" => {
                self.need_arguments(name, arguments, 2, span)?;
                let old = self.pointer_argument(arguments[0], has_effects(&self.ast, arguments[1]))?;
                let size = self.size_argument(arguments[1], false)?;
                self.allocate(size, Allocation::Resized(old), span)?
            }
            "free" => {
                self.need_arguments(name, arguments, 1, span)?;
                let pointer = self.pointer_argument(arguments[0], false)?;
                self.emit(Op::Free(pointer), span)?;
                self.void(span)
            }
            "memcpy" | "memmove" | "mempcpy" => {
                self.need_arguments(name, arguments, 3, span)?;
                let later = |from: usize| arguments[from..].iter().any(|later| has_effects(&self.ast, *later));
                let (later_two, later_one) = (later(1), later(2));
                let target = self.pointer_argument(arguments[0], later_two)?;
                let source = self.pointer_argument(arguments[1], later_one)?;
                let count = self.size_argument(arguments[2], false)?;
                let may_overlap = plain == "memmove";
                let count = if plain == "mempcpy" { self.keep(count, span)? } else { count };
                let target = self.copy_bytes(target, source, count, may_overlap, span)?;
                if plain == "mempcpy" {
                    let end = ModelKind::PointerAdd { base: target, index: count, stride: 1 };
                    let end = self.program.exprs.intern(end, Scalar::Pointer);
                    return Ok(Some(self.void_pointer(end, span)));
                }
                self.void_pointer(target, span)
            }
            "memset" => {
                self.need_arguments(name, arguments, 3, span)?;
                let later = |from: usize| arguments[from..].iter().any(|later| has_effects(&self.ast, *later));
                let (later_two, later_one) = (later(1), later(2));
                let target = self.pointer_argument(arguments[0], later_two)?;
                let byte = self.scalar(arguments[1])?;
                let byte = self.converted_to(byte, IntKind::UnsignedChar).value;
                let byte = if later_one { self.keep(byte, span)? } else { byte };
                let count = self.size_argument(arguments[2], false)?;
                let target = self.set_bytes(target, byte, count, span)?;
                self.void_pointer(target, span)
            }
            "bzero" => {
                self.need_arguments(name, arguments, 2, span)?;
                let target = self.pointer_argument(arguments[0], has_effects(&self.ast, arguments[1]))?;
                let count = self.size_argument(arguments[1], false)?;
                let byte = self.program.exprs.int(0, program::IntType::unsigned(8));
                self.set_bytes(target, byte, count, span)?;
                self.void(span)
            }
            "rand" | "random" => self.input_at_least(name, declared, 0, span)?,
            "getchar" | "getchar_unlocked" => self.character_input(name, span)?,
            "getc" | "fgetc" => {
                self.need_arguments(name, arguments, 1, span)?;
                self.discard(arguments[0])?;
                self.character_input(name, span)?
            }
            "scanf" => return self.scan(declared, arguments, span).map(Some),
            "expect" | "expect_with_probability" => {
                self.need_arguments(name, arguments, if plain == "expect" { 2 } else { 3 }, span)?;
                let value = self.scalar(arguments[0])?;
                let mut value = self.converted_to(value, IntKind::Long);
                if arguments[1..].iter().any(|argument| has_effects(&self.ast, *argument)) {
                    value.value = self.keep(value.value, span)?;
                }
                arguments[1..].iter().try_for_each(|argument| self.discard(*argument))?;
                value.into()
            }
            "constant_p" => {
                self.need_arguments(name, arguments, 1, span)?;
                let constant =
                    !has_effects(&self.ast, arguments[0]) && self.try_integer_constant(arguments[0])?.is_some();
                self.int_constant(u8::from(constant), IntKind::Int, span)
            }
            "object_size" => {
                let kind = self.types.size_kind();
                let one = self.int_constant(1, kind, span);
                let one = self.scalar_of(one)?;
                let ty = self.program.exprs.ty(one.value);
                let value = self.program.exprs.intern(ModelKind::Unary(program::UnaryOp::Negate, one.value), ty);
                ScalarValue { value, ..one }.into()
            }
            "inf" | "huge_val" => self.float_constant(f64::INFINITY, CType::Double, span),
            "inff" | "huge_valf" => self.float_constant(f64::INFINITY, CType::Float, span),
            "nan" | "nanf" => {
                arguments.iter().try_for_each(|argument| self.discard(*argument))?;
                self.float_constant(f64::NAN, if plain == "nan" { CType::Double } else { CType::Float }, span)
            }
            "isnan" if name.starts_with("__builtin_") => {
                self.need_arguments(name, arguments, 1, span)?;
                let scalar = self.scalar(arguments[0])?;
                let value = self.keep_to_repeat(scalar.value, span)?;
                let unequal = ModelKind::Compare(CompareOp::NotEqual, value, value);
                let truth = self.program.exprs.intern(unequal, Scalar::Bool);
                self.truth_as_int(truth, span).into()
            }
            "fabs" | "fabsf" => {
                self.need_arguments(name, arguments, 1, span)?;
                let ty = if plain == "fabs" { CType::Double } else { CType::Float };
                let ty = self.types.qual(ty);
                let value = self.scalar(arguments[0])?;
                let value = self.assign_convert(value, ty, "this argument")?;
                let value = self.keep_to_repeat(value, span)?;
                self.absolute(value, ty, span)
            }
            "alloca" => {
                let [size] = self.sizes(name, arguments, span)?;
                let pointer = self.automatic_storage(size, span)?;
                self.void_pointer(pointer, span)
            }
            "va_start" | "va_copy" | "va_end" if name.starts_with("__builtin_") => {
                self.variadic_builtin(plain, arguments, span)?;
                self.void(span)
            }
            _ => return self.overflow_builtin(name, arguments, span),
        };
        Ok(Some(lowered))
    }

    /// The type that a known function returns even where it is not declared.
    pub(super) fn known_result(&mut self, name: &str, declared: Qual) -> Qual {
        match name.strip_prefix("__builtin_").unwrap_or(name) {
            "malloc" | "calloc" | "realloc" | "memcpy" | "memmove" | "memset" | "mempcpy" | "alloca" => {
                let void = self.types.qual(CType::Void);
                self.types.pointer_to(void)
            }
            "inf" | "huge_val" | "nan" | "fabs" => self.types.qual(CType::Double),
            "inff" | "huge_valf" | "nanf" | "fabsf" => self.types.qual(CType::Float),
            "expect" | "expect_with_probability" => self.types.int(IntKind::Long),
            "object_size" => {
                let kind = self.types.size_kind();
                self.types.int(kind)
            }
            _ => declared,
        }
    }

    /// `|value|`: `value < 0 ? -value : value`, but for the sign of zero, which `value <= 0` takes care of.
    fn absolute(&mut self, value: ModelExpr, ty: Qual, span: Span) -> Lowered {
        let scalar = self.program.exprs.ty(value);
        let zero = self.zero(scalar);
        let not_positive =
            self.program.exprs.intern(ModelKind::Compare(CompareOp::LessEqual, value, zero), Scalar::Bool);
        let difference = self.program.exprs.intern(ModelKind::Binary(ModelBinary::Subtract, zero, value), scalar);
        let value = self.program.exprs.intern(ModelKind::If(not_positive, difference, value), scalar);
        Lowered { value: Denoted::Scalar(value), ty, bit_width: None, span }
    }

    fn input_at_least(&mut self, name: &str, declared: Qual, least: i32, span: Span) -> Lower<Lowered> {
        let ty = if self.types.is_scalar(declared.ty) { declared } else { self.types.int(IntKind::Int) };
        let mut value = self.input(ty, None, InputSource::External(name.to_owned()), span)?;
        if let Scalar::Int(int) = self.program.exprs.ty(value) {
            // Numbers below the least one are folded over, so that no run is blocked and every result is possible.
            let exprs = &mut self.program.exprs;
            let least = exprs.int(least, int);
            let in_range = exprs.intern(ModelKind::Compare(CompareOp::GreaterEqual, value, least), Scalar::Bool);
            let folded = exprs.intern(ModelKind::Unary(program::UnaryOp::BitNot, value), Scalar::Int(int));
            value = exprs.intern(ModelKind::If(in_range, value, folded), Scalar::Int(int));
        }
        Ok(Lowered { value: Denoted::Scalar(value), ty, bit_width: None, span })
    }

    fn allocate(&mut self, size: ModelExpr, contents: Allocation, span: Span) -> Lower<Lowered> {
        let model = self.program.types.scalar(Scalar::Pointer);
        let target = self.temporary(model, span)?;
        self.emit(Op::Allocate { target, size, contents }, span)?;
        self.errno_may_change(span)?;
        let place = self.variable_place(target);
        let pointer = self.load(place);
        Ok(self.void_pointer(pointer, span))
    }

    fn void(&mut self, span: Span) -> Lowered {
        let ty = self.types.qual(CType::Void);
        Lowered { value: Denoted::Void, ty, bit_width: None, span }
    }

    fn void_pointer(&mut self, value: ModelExpr, span: Span) -> Lowered {
        let void = self.types.qual(CType::Void);
        let ty = self.types.pointer_to(void);
        Lowered { value: Denoted::Scalar(value), ty, bit_width: None, span }
    }

    fn float_constant(&mut self, value: f64, ty: CType, span: Span) -> Lowered {
        let ty = self.types.qual(ty);
        self.constant(Constant::Float(value.to_bits()), ty, span)
    }

    pub(super) fn need_arguments(&mut self, name: &str, arguments: &[ExprId], count: usize, span: Span) -> Lower<()> {
        if arguments.len() == count {
            return Ok(());
        }
        let plural = if count == 1 { "" } else { "s" };
        let text = format!("`{name}` needs {count} argument{plural}: {} given", arguments.len());
        self.error("argument-count", text, span)
    }

    fn sizes<const N: usize>(&mut self, name: &str, arguments: &[ExprId], span: Span) -> Lower<[ModelExpr; N]> {
        self.need_arguments(name, arguments, N, span)?;
        let mut sizes = Vec::new();
        for (at, argument) in arguments.iter().enumerate() {
            let later = arguments[at + 1..].iter().any(|later| has_effects(&self.ast, *later));
            sizes.push(self.size_argument(*argument, later)?);
        }
        Ok(sizes.try_into().expect("the count was checked"))
    }

    fn size_argument(&mut self, argument: ExprId, later_effects: bool) -> Lower<ModelExpr> {
        let scalar = self.scalar(argument)?;
        let kind = self.types.size_kind();
        let ty = self.types.int(kind);
        let value = self.assign_convert(scalar, ty, "this argument")?;
        if later_effects { self.keep(value, scalar.span) } else { Ok(value) }
    }

    pub(crate) fn pointer_argument(&mut self, argument: ExprId, later_effects: bool) -> Lower<ModelExpr> {
        let scalar = self.scalar(argument)?;
        let void = self.types.qual(CType::Void);
        let pointer = self.types.pointer_to(void);
        let value = self.assign_convert(scalar, pointer, "this argument")?;
        if later_effects { self.keep(value, scalar.span) } else { Ok(value) }
    }
}
