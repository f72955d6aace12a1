//! Functions with `...` (6.9.1p8, 7.16). Whoever calls one puts the further arguments, each behind a tag for its type, into
//! an object of its own and passes its address as one more argument; `va_list` is how far they have been read. Reading
//! one that is not there, or at another type, is undefined.

use foundation::Span;
use program::{
    Callee, CompareOp, ExprId as ModelExpr, ExprKind as ModelKind, Field, FunctionId, IntType, Observe, Op, Operand,
    Place, Record, Root, Scalar, Selector, Type, TypeId, Variable, VariableId, VariableKind,
};

use super::{Denoted, Lower, Lowered, Lowering};
use crate::syntax::ast::{ExprId, TypeName};
use crate::types::CType;

/// Tags take a word, and arguments as many words as they need.
const WORD_BITS: u64 = 64;

impl Lowering<'_> {
    /// Adds the parameter that receives the address of the further arguments.
    pub(crate) fn further_parameter(&mut self, function: FunctionId, span: Span) -> VariableId {
        let ty = self.program.types.scalar(Scalar::Pointer);
        let kind = VariableKind::Parameter(function);
        let name = "(further arguments)".to_owned();
        let variable = self.program.variables.push(Variable { name, kind, ty, address_taken: false, span });
        self.program.functions[function].parameters.push(variable);
        variable
    }

    /// Whether a call of a function with `...` passes the address of the further arguments: not to a function that is
    /// known to have no body of the user's.
    pub(crate) fn passes_further(&self, callee: &Callee) -> bool {
        match callee {
            Callee::Pointer(_) => true,
            Callee::Function(function) => {
                let info = &self.functions[function];
                !self.program.functions[*function].library && (info.has_body || self.defined.contains(&info.name))
            }
        }
    }

    /// Puts the arguments from a number on into an object; its address comes before them.
    pub(crate) fn pass_further(&mut self, operands: &mut Vec<Operand>, fixed: usize, span: Span) -> Lower<()> {
        if self.unevaluated > 0 {
            return Ok(());
        }
        let further: Vec<Operand> = operands[fixed..].to_vec();
        if further.is_empty() {
            let null = self.zero(Scalar::Pointer);
            operands.push(Operand::Scalar(null));
            return Ok(());
        }
        let word = self.program.types.scalar(Scalar::Int(IntType::unsigned(WORD_BITS as u16)));
        let (mut fields, mut offset_bits) = (Vec::new(), 0);
        for operand in &further {
            let ty = self.operand_type(operand);
            let size = self.program.types.size_bits(ty);
            let field = |ty, offset_bits| Field { name: String::new(), ty, offset_bits, bit_width: None };
            fields.extend([field(word, offset_bits), field(ty, offset_bits + WORD_BITS)]);
            offset_bits += WORD_BITS + size.next_multiple_of(WORD_BITS);
        }
        let types: Vec<TypeId> = fields.iter().map(|field| field.ty).collect();
        let name = "(further arguments)".to_owned();
        let record = Record { name, fields, size_bits: offset_bits, align_bits: WORD_BITS, is_union: false };
        let ty = self.program.types.intern(Type::Record(record));
        let object = self.arguments_object(ty, span);
        for (at, operand) in further.into_iter().enumerate() {
            let tag = self.tag(types[2 * at + 1]);
            for (field, value) in [(2 * at, Operand::Scalar(tag)), (2 * at + 1, operand)] {
                let path = vec![Selector::Field(field as u32)];
                let target = Place { root: Root::Variable(object), path, ty: types[field] };
                self.emit(Op::Assign { target, value }, span)?;
            }
        }
        let address = self.address_of(self.variable_place(object));
        operands.insert(fixed, Operand::Scalar(address));
        Ok(())
    }

    fn arguments_object(&mut self, ty: TypeId, span: Span) -> VariableId {
        let function = self.builder().id;
        let name = "(further arguments)".to_owned();
        let kind = VariableKind::Local(function);
        let variable = self.program.variables.push(Variable { name, kind, ty, address_taken: true, span });
        self.program.functions[function].locals.push(variable);
        variable
    }

    /// The tag of a type: types that an argument may be read at in place of each other have the same.
    fn tag(&mut self, ty: TypeId) -> ModelExpr {
        let tag = match self.program.types.as_scalar(ty) {
            Some(Scalar::Pointer) => 1,
            Some(Scalar::Bool) => 2,
            Some(Scalar::Float(float)) => 3 + u64::from(float == program::types::FloatType::F64),
            Some(Scalar::Int(int)) => 1000 + u64::from(int.bits),
            None => 1_000_000 + self.program.types.size_bits(ty),
        };
        self.program.exprs.int(tag, IntType::unsigned(WORD_BITS as u16))
    }

    /// `va_start`, `va_copy` and `va_end`
    pub(crate) fn variadic_builtin(&mut self, name: &str, arguments: &[ExprId], span: Span) -> Lower<()> {
        let Some((list, rest)) = arguments.split_first() else {
            return self.error("argument-count", format!("`{name}` needs a `va_list`"), span);
        };
        let target = self.list(*list)?;
        let value = match (name, rest) {
            ("va_start", _) => {
                let Some(further) = self.builder().further else {
                    let text = "`va_start` can only stand in a function whose parameters end in `...`";
                    return self.error("wrong-argument", text, span);
                };
                self.load(self.variable_place(further))
            }
            ("va_copy", [source]) => {
                let source = self.list(*source)?;
                self.load(source)
            }
            ("va_copy", _) => return self.error("argument-count", "`va_copy` needs two arguments", span),
            // What has been ended must not be read any more.
            _ => self.zero(Scalar::Pointer),
        };
        self.emit(Op::Assign { target, value: Operand::Scalar(value) }, span)
    }

    /// Where a `va_list` keeps how far it has been read.
    fn list(&mut self, expr: ExprId) -> Lower<Place> {
        let (mut place, ty, _) = self.lvalue(expr)?;
        if !matches!(self.types.get(ty.ty), CType::VaList) {
            let text = format!("a `va_list` is needed here, not `{}`", self.describe(ty));
            return self.error("wrong-argument", text, self.ast.exprs[expr].span);
        }
        let place_span = self.ast.exprs[expr].span;
        place = self.freeze(place, place_span)?;
        place.path.push(Selector::Field(0));
        place.ty = self.program.types.scalar(Scalar::Pointer);
        Ok(place)
    }

    /// `va_arg(list, type)`
    pub(crate) fn variadic_argument(&mut self, list: ExprId, name: &TypeName, span: Span) -> Lower<Lowered> {
        let ty = self.type_name(name)?;
        let Some(bits) = self.types.size_bits(ty.ty) else {
            let text = format!("an argument cannot have the incomplete type `{}`", self.describe(ty));
            return self.error("incomplete-type", text, span);
        };
        let readable = self.types.is_scalar(ty.ty) || matches!(self.types.get(ty.ty), CType::Record(_));
        if !readable {
            let what = format!("reading an argument of type `{}` is", self.describe(ty));
            return self.unsupported("unsupported-va-arg", &what, span, "");
        }
        if self.unevaluated > 0 {
            return Ok(self.placeholder(ty, span));
        }
        let list = self.list(list)?;
        let at = self.load(list.clone());
        let at = self.keep(at, span)?;
        let model = self.types.model_type(ty.ty, &mut self.program.types);
        self.check_tag(at, model, span)?;
        let value = self.moved(at, WORD_BITS / 8);
        let copy = self.temporary(model, span)?;
        let (source, target) = (Place::pointer(value, model), self.variable_place(copy));
        let read = match self.types.is_scalar(ty.ty) {
            true => Operand::Scalar(self.load(source)),
            false => Operand::Aggregate(source),
        };
        self.emit(Op::Assign { target, value: read }, span)?;
        let next = self.moved(at, (WORD_BITS + bits.next_multiple_of(WORD_BITS)) / 8);
        self.emit(Op::Assign { target: list, value: Operand::Scalar(next) }, span)?;
        Ok(self.result_value(copy, ty, None, span))
    }

    fn moved(&mut self, base: ModelExpr, bytes: u64) -> ModelExpr {
        let index = self.program.exprs.int(bytes, IntType::signed(64));
        self.program.exprs.intern(ModelKind::PointerAdd { base, index, stride: 1 }, Scalar::Pointer)
    }

    /// Makes it undefined to go on where the argument at an address has another type.
    fn check_tag(&mut self, at: ModelExpr, ty: TypeId, span: Span) -> Lower<()> {
        let word = self.program.types.scalar(Scalar::Int(IntType::unsigned(WORD_BITS as u16)));
        let (found, wanted) = (self.load(Place::pointer(at, word)), self.tag(ty));
        let found = self.keep(found, span)?;
        let same = self.program.exprs.intern(ModelKind::Compare(CompareOp::Equal, found, wanted), Scalar::Bool);
        let (right, wrong) = (self.new_location(), self.new_location());
        self.branch_on(same, (right, Observe::No), (wrong, Observe::No), span);
        self.go_on_at(wrong);
        self.emit(Op::Unreachable, span)?;
        self.go_on_at(right);
        Ok(())
    }

    /// A `va_list` as a value: what is passed on.
    pub(crate) fn list_value(&mut self, place: Place, lowered: Lowered) -> Lowered {
        Lowered { value: Denoted::Aggregate(place), ty: lowered.ty.unqualified(), ..lowered }
    }
}
