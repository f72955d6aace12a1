//! Compiled functions, and the one place where they are called.
//!
//! This is the only module of the engines with `unsafe`: a function that was compiled a moment ago is called through its
//! address. Three things make that sound. The compiler is given exactly the signature of `CodeAddress`. The slices that are
//! passed are as long as the layout says, and the function is one of those whose memory is called through; [`Code::call`] checks
//! both. And this memory is freed when its [`Code`] is dropped, through which alone it can be called.

#![allow(unsafe_code)]

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use cranelift_codegen::Context;
use cranelift_codegen::ir::{AbiParam, Signature, UserFuncName, types};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{Linkage, Module, default_libcall_names};

use super::emit::{OutputWords, TooLarge, Words, emit};
use super::layout::Layout;
use super::model::{NativeModel, SlotId};

/// A compiled function: takes the state, the number of the step, the value of the input and the output, and returns a
/// status.
type CodeAddress = unsafe extern "C" fn(*const u64, u64, i64, *mut u64) -> i64;

/// A compiled function, to be called through the [`Code`] that has it.
#[derive(Clone, Copy)]
pub struct CompiledFunction {
    address: CodeAddress,
    code: u64,
}

/// The memory that holds compiled functions.
pub struct Code {
    /// There is one until the memory is freed.
    module: Mutex<Option<JITModule>>,
    /// No other memory has this number.
    number: u64,
    state_words: usize,
    output_words: usize,
}

impl Code {
    /// Calls one of the functions.
    pub fn call(&self, function: CompiledFunction, state: &[u64], number: u32, value: i64, output: &mut [u64]) -> i64 {
        assert!(function.code == self.number, "the function is one of this code");
        assert!(state.len() == self.state_words && output.len() == self.output_words, "as the layout says");
        // SAFETY: the function was compiled with the signature of `CodeAddress`, for slices of these lengths; its code is in
        // the memory of this module, which is not freed as long as there is a reference to `self`.
        unsafe { (function.address)(state.as_ptr(), u64::from(number), value, output.as_mut_ptr()) }
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        let module = self.module.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(module) = module.take() {
            // SAFETY: functions of this module are only called by `call`, which nobody can do any more.
            unsafe { module.free_memory() };
        }
    }
}

/// Compiles functions.
pub struct NativeCompiler {
    context: Context,
    builder: FunctionBuilderContext,
    functions: u32,
    /// The words that compiled functions name by numbers.
    pub words: Words,
}

impl NativeCompiler {
    /// A compiler for this machine, and the memory for its functions; an error where there is none.
    pub fn new(model: &NativeModel, layout: &Layout) -> Result<(Self, Code), String> {
        let mut flags = settings::builder();
        let verify = if cfg!(debug_assertions) { "true" } else { "false" };
        // There are many small functions, and each runs a few thousand times: what counts is that they are compiled
        // quickly. What can be decided beforehand was decided when the code was specialised.
        let wanted = [
            ("opt_level", "none"),
            ("regalloc_algorithm", "single_pass"),
            ("enable_verifier", verify),
            ("use_colocated_libcalls", "false"),
            ("is_pic", "false"),
        ];
        for (name, value) in wanted {
            flags.set(name, value).map_err(|error| error.to_string())?;
        }
        let isa =
            cranelift_native::builder()?.finish(settings::Flags::new(flags)).map_err(|error| error.to_string())?;
        let module = JITModule::new(JITBuilder::with_isa(isa, default_libcall_names()));
        let context = module.make_context();
        static NUMBERS: AtomicU64 = AtomicU64::new(0);
        let code = Code {
            module: Mutex::new(Some(module)),
            number: NUMBERS.fetch_add(1, Ordering::Relaxed),
            state_words: layout.words,
            output_words: OutputWords::new(model, layout).length,
        };
        Ok((Self { context, builder: FunctionBuilderContext::new(), functions: 0, words: Words::default() }, code))
    }

    /// Compiles the function for a point and what is known there.
    pub fn compile(
        &mut self,
        code: &Code,
        model: &NativeModel,
        layout: &Layout,
        point: u32,
        known: &[(SlotId, i64)],
        most_places: usize,
    ) -> Result<CompiledFunction, NoFunction> {
        let mut module = code.module.lock().unwrap_or_else(PoisonError::into_inner);
        let module = module.as_mut().expect("the memory is freed when the code is dropped");
        module.clear_context(&mut self.context);
        let pointer = module.target_config().pointer_type();
        let mut signature = Signature::new(module.target_config().default_call_conv);
        signature.params.extend([pointer, types::I64, types::I64, pointer].map(AbiParam::new));
        signature.returns.push(AbiParam::new(types::I64));
        let name = format!("step{}", self.functions);
        self.functions += 1;
        let failed = |error: &dyn std::fmt::Display| NoFunction::Compiler(error.to_string());
        let id = module.declare_function(&name, Linkage::Local, &signature).map_err(|error| failed(&error))?;
        self.context.func.signature = signature;
        self.context.func.name = UserFuncName::user(0, id.as_u32());
        let mut builder = FunctionBuilder::new(&mut self.context.func, &mut self.builder);
        let emitted = emit(model, layout, &mut self.words, &mut builder, point, known, most_places);
        if let Err(TooLarge) = emitted {
            // What was begun cannot be taken back, but may be thrown away.
            self.builder = FunctionBuilderContext::new();
            return Err(NoFunction::TooLarge);
        }
        builder.finalize(module.target_config());
        module.define_function(id, &mut self.context).map_err(|error| failed(&error))?;
        module.finalize_definitions().map_err(|error| failed(&error))?;
        let address = module.get_finalized_function(id);
        // SAFETY: the function was compiled just now with the signature of `CodeAddress`.
        let address = unsafe { std::mem::transmute::<*const u8, CodeAddress>(address) };
        Ok(CompiledFunction { address, code: code.number })
    }
}

/// Why there is no function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoFunction {
    /// It would become too large.
    TooLarge,
    /// The compiler refused.
    Compiler(String),
}
