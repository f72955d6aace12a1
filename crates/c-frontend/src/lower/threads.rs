//! POSIX threads: creation, joining and mutexes become operations of the program model. What is not modelled is
//! refused by name.

use foundation::{Diagnostic, Span};
use program::{
    Callee, Constant, ExprId as ModelExpr, ExprKind as ModelKind, Observe, Op, Operand, Place, Scalar, VariableId,
};

use super::effects::has_effects;
use super::{Denoted, Lower, Lowered, Lowering};
use crate::syntax::ast::{ExprId, ExprKind};
use crate::types::{CType, IntKind};

/// What `pthread_mutex_trylock` returns for a mutex that is taken.
const EBUSY: u8 = 16;

/// Whether a name belongs to threads; all of them are understood or refused.
pub(crate) fn is_thread_function(name: &str) -> bool {
    name.starts_with("pthread_")
        || matches!(
            name,
            "sem_init"
                | "sem_wait"
                | "sem_post"
                | "sem_trywait"
                | "sem_destroy"
                | "sem_open"
                | "sem_close"
                | "thrd_create"
                | "thrd_join"
                | "mtx_init"
                | "mtx_lock"
                | "mtx_unlock"
        )
}

/// How many arguments a thread function takes.
fn argument_count(name: &str) -> Option<usize> {
    match name {
        "pthread_create" => Some(4),
        "pthread_join" | "pthread_mutex_init" => Some(2),
        "pthread_exit"
        | "pthread_detach"
        | "pthread_mutex_lock"
        | "pthread_mutex_unlock"
        | "pthread_mutex_trylock"
        | "pthread_mutex_destroy" => Some(1),
        _ => None,
    }
}

impl Lowering<'_> {
    /// A call of a thread function.
    pub(crate) fn thread_call(
        &mut self,
        name: &str,
        arguments: &[ExprId],
        span: Span,
        into: Option<VariableId>,
    ) -> Lower<Lowered> {
        let _ = into;
        if self.unevaluated > 0 {
            let int = self.types.int(IntKind::Int);
            return Ok(self.placeholder(int, span));
        }
        let success = self.int_constant(0, IntKind::Int, span);
        match (name, arguments) {
            ("pthread_create", [handle, attributes, function, argument]) => {
                self.spawn(*handle, *attributes, *function, *argument, span)?;
            }
            ("pthread_join", [thread, result]) => self.join(*thread, *result, span)?,
            ("pthread_exit", [value]) => {
                let value = self.pointer_argument(*value, false)?;
                self.emit(Op::ExitThread(value), span)?;
                let unreachable = self.new_location();
                self.go_on_at(unreachable);
            }
            ("pthread_mutex_init", [mutex, attributes]) => {
                let mutex = self.pointer_argument(*mutex, has_effects(&self.ast, *attributes))?;
                self.only_default_attributes(*attributes, "a mutex")?;
                self.emit(Op::InitLock(mutex), span)?;
            }
            ("pthread_mutex_lock", [mutex]) => {
                let mutex = self.pointer_argument(*mutex, false)?;
                self.emit(Op::Lock(mutex), span)?;
            }
            ("pthread_mutex_unlock", [mutex]) => {
                let mutex = self.pointer_argument(*mutex, false)?;
                self.emit(Op::Unlock(mutex), span)?;
            }
            ("pthread_mutex_destroy", [mutex]) => self.discard(*mutex)?,
            ("pthread_mutex_trylock", [mutex]) => return self.try_lock(*mutex, span),
            ("pthread_detach", [thread]) => self.discard(*thread)?,
            (known, given) if argument_count(known).is_some_and(|count| count != given.len()) => {
                let count = argument_count(known).unwrap_or_default();
                let plural = if count == 1 { "" } else { "s" };
                let text = format!("`{known}` needs {count} argument{plural}: {} given", given.len());
                return self.error("argument-count", text, span);
            }
            _ => {
                let help = if name.starts_with("pthread_cond") {
                    "wait by polling the condition under the mutex"
                } else {
                    "threads have create, join, exit and mutexes so far"
                };
                return self.unsupported("unsupported-thread-function", &format!("`{name}` is"), span, help);
            }
        }
        Ok(success)
    }

    /// Mutexes that a thread may take twice, or that tell of it, are named in initialisers by enumerators of `<pthread.h>`.
    pub(crate) fn refuse_kind_of_mutex(&mut self, initial: ExprId) -> Lower<()> {
        let (ExprKind::Identifier(name), span) = (&self.ast.exprs[initial].kind, self.ast.exprs[initial].span) else {
            return Ok(());
        };
        let text = self.symbols.text(*name);
        let kind = text.strip_prefix("PTHREAD_MUTEX_").map(|kind| kind.trim_end_matches("_NP"));
        let Some("RECURSIVE" | "ERRORCHECK") = kind else { return Ok(()) };
        let what = format!("a mutex of the kind `{text}` is");
        self.unsupported("unsupported-mutex", &what, span, "take the mutex once in each thread, and use a plain one")
    }

    fn spawn(
        &mut self,
        handle: ExprId,
        attributes: ExprId,
        function: ExprId,
        argument: ExprId,
        span: Span,
    ) -> Lower<()> {
        let later = [attributes, function, argument].iter().any(|later| has_effects(&self.ast, *later));
        let target = self.scalar(handle)?;
        let Some(handle_type) = self.types.pointee(target.ty.ty).filter(|to| self.types.is_integer(to.ty)) else {
            return self.error("wrong-argument", "the first argument must point to a `pthread_t`", target.span);
        };
        let address = if later { self.keep(target.value, span)? } else { target.value };
        self.discard(attributes)?;
        let designator = self.expr(function)?;
        let callee = match designator.value {
            Denoted::Function(id) => {
                self.note_use(self.functions[&id].name);
                Callee::Function(id)
            }
            _ => {
                let pointer = self.scalar_of(designator)?;
                let void = self.types.qual(CType::Void);
                let wanted = self.types.pointer_to(void);
                let value = self.assign_convert(pointer, wanted, "this argument")?;
                let effects = has_effects(&self.ast, argument);
                Callee::Pointer(if effects { self.keep(value, span)? } else { value })
            }
        };
        let argument = self.pointer_argument(argument, false)?;
        let model = self.types.model_type(handle_type.ty, &mut self.program.types);
        let number = self.temporary(model, span)?;
        self.emit(Op::Spawn { handle: number, function: callee, argument }, span)?;
        let place = self.variable_place(number);
        let value = self.load(place);
        self.emit(Op::Assign { target: Place::pointer(address, model), value: Operand::Scalar(value) }, span)
    }

    fn join(&mut self, thread: ExprId, result: ExprId, span: Span) -> Lower<()> {
        let thread = self.scalar(thread)?;
        if !self.types.is_integer(thread.ty.ty) {
            return self.error("wrong-argument", "the first argument must be a `pthread_t`", thread.span);
        }
        let number = if has_effects(&self.ast, result) { self.keep(thread.value, span)? } else { thread.value };
        let target = self.scalar(result)?;
        let void = self.types.qual(CType::Void);
        let pointer = self.types.pointer_to(void);
        let value = self.assign_convert(target, pointer, "this argument")?;
        let target = super::convert::ScalarValue { value, ty: pointer, ..target };
        let model = self.program.types.scalar(Scalar::Pointer);
        let returned = self.temporary(model, span)?;
        let place = self.variable_place(returned);
        let null = matches!(self.program.exprs.get(target.value).kind, ModelKind::Constant(Constant::Null))
            || self.is_null_constant(target.value, target.ty);
        if null {
            return self.emit(Op::Join { thread: number, result: returned }, span);
        }
        let address = self.keep(target.value, span)?;
        self.emit(Op::Join { thread: number, result: returned }, span)?;
        let (store, join) = (self.new_location(), self.new_location());
        let truth = self.truth(super::convert::ScalarValue { value: address, ..target });
        self.branch_on(truth, (store, Observe::No), (join, Observe::No), span);
        self.go_on_at(store);
        let value = self.load(place);
        let assign = Op::Assign { target: Place::pointer(address, model), value: Operand::Scalar(value) };
        self.emit_to(assign, join, span, Observe::No);
        self.go_on_at(join);
        Ok(())
    }

    fn try_lock(&mut self, mutex: ExprId, span: Span) -> Lower<Lowered> {
        let mutex = self.pointer_argument(mutex, false)?;
        let model = self.program.types.scalar(Scalar::Bool);
        let taken = self.temporary(model, span)?;
        self.emit(Op::TryLock { mutex, taken }, span)?;
        let place = self.variable_place(taken);
        let truth = self.load(place);
        let ty = self.types.int(IntKind::Int);
        let int = self.types.int_type(ty.ty).expect("int");
        let (zero, busy) = (self.program.exprs.int(0, int), self.program.exprs.int(EBUSY, int));
        let value: ModelExpr = self.program.exprs.intern(ModelKind::If(truth, zero, busy), Scalar::Int(int));
        Ok(Lowered { value: Denoted::Scalar(value), ty, bit_width: None, span })
    }

    /// Attributes other than the default (a null pointer) may ask for what is not modelled.
    fn only_default_attributes(&mut self, attributes: ExprId, what: &str) -> Lower<()> {
        let span = self.ast.exprs[attributes].span;
        let scalar = self.scalar(attributes)?;
        self.carry_out(&scalar.into(), span)?;
        let null = matches!(self.program.exprs.get(scalar.value).kind, ModelKind::Constant(Constant::Null))
            || self.is_null_constant(scalar.value, scalar.ty);
        if !null && !matches!(self.types.get(scalar.ty.ty), CType::Void) {
            let text = format!("attributes of {what} are ignored: it is a plain one");
            self.warn(Diagnostic::warning("ignored-attributes", text).at(span));
        }
        Ok(())
    }
}
