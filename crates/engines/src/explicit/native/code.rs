//! Compiled functions, and the one place where they are called.
//!
//! This is the only module of the engines with `unsafe`: a function that was compiled a moment ago is called through its
//! address. Three things make that sound. The compiler is given exactly the signature of [`Function`]. The slices that
//! are passed are as long as the layout says, which [`Function::call`] checks. And the code is never freed: the
//! module that holds it keeps its memory unless it is told otherwise, also when it is dropped.

#![allow(unsafe_code)]

use cranelift_codegen::Context;
use cranelift_codegen::ir::{AbiParam, Signature, UserFuncName, types};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{Linkage, Module, default_libcall_names};

use super::emit::{Frame, TooLarge, Words, emit};
use super::layout::Layout;
use super::model::{Model, SlotId};

/// A compiled function: takes the state, the number of the step, the value of the input and the output, and returns a
/// status.
type Address = extern "C" fn(*const u64, u64, i64, *mut u64) -> i64;

/// A compiled function.
#[derive(Clone, Copy)]
pub struct Function {
    address: Address,
    state_words: usize,
    output_words: usize,
}

impl Function {
    /// Calls the function.
    pub fn call(self, state: &[u64], number: u32, value: i64, output: &mut [u64]) -> i64 {
        assert!(state.len() == self.state_words && output.len() == self.output_words, "as the layout says");
        (self.address)(state.as_ptr(), u64::from(number), value, output.as_mut_ptr())
    }
}

/// Compiles functions and keeps their code.
pub struct Compiler {
    module: JITModule,
    context: Context,
    builder: FunctionBuilderContext,
    functions: u32,
    state_words: usize,
    output_words: usize,
    /// The words that compiled functions name by numbers.
    pub words: Words,
}

impl Compiler {
    /// A compiler for this machine; an error where there is none.
    pub fn new(model: &Model, layout: &Layout) -> Result<Self, String> {
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
        Ok(Self {
            module,
            context,
            builder: FunctionBuilderContext::new(),
            functions: 0,
            state_words: layout.words,
            output_words: Frame::new(model, layout).length,
            words: Words::default(),
        })
    }

    /// Compiles the function for a point and what is known there.
    pub fn compile(
        &mut self,
        model: &Model,
        layout: &Layout,
        point: u32,
        known: &[(SlotId, i64)],
        most_places: usize,
    ) -> Result<Function, Failure> {
        self.module.clear_context(&mut self.context);
        let pointer = self.module.target_config().pointer_type();
        let mut signature = Signature::new(self.module.target_config().default_call_conv);
        signature.params.extend([pointer, types::I64, types::I64, pointer].map(AbiParam::new));
        signature.returns.push(AbiParam::new(types::I64));
        let name = format!("step{}", self.functions);
        self.functions += 1;
        let failed = |error: &dyn std::fmt::Display| Failure::Compiler(error.to_string());
        let id = self.module.declare_function(&name, Linkage::Local, &signature).map_err(|error| failed(&error))?;
        self.context.func.signature = signature;
        self.context.func.name = UserFuncName::user(0, id.as_u32());
        let mut builder = FunctionBuilder::new(&mut self.context.func, &mut self.builder);
        let emitted = emit(model, layout, &mut self.words, &mut builder, point, known, most_places);
        if let Err(TooLarge) = emitted {
            // What was begun cannot be taken back, but may be thrown away.
            self.builder = FunctionBuilderContext::new();
            return Err(Failure::TooLarge);
        }
        builder.finalize(self.module.target_config());
        self.module.define_function(id, &mut self.context).map_err(|error| failed(&error))?;
        self.module.finalize_definitions().map_err(|error| failed(&error))?;
        let address = self.module.get_finalized_function(id);
        // SAFETY: the function was compiled just now with the signature of `Address`, and its code is never freed.
        let address = unsafe { std::mem::transmute::<*const u8, Address>(address) };
        Ok(Function { address, state_words: self.state_words, output_words: self.output_words })
    }
}

/// Why there is no function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// It would become too large.
    TooLarge,
    /// The compiler refused.
    Compiler(String),
}
