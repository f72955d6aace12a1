//! From syntax to a program: names are resolved, types checked, conversions made explicit, and side effects turned into
//! edges, in one pass over the tree.
//!
//! An expression becomes a side-effect-free expression of the program model; what it calls, assigns or reads as input
//! becomes edges before it, from left to right. A statement becomes locations and edges. Section numbers are those of
//! ISO C11.

mod assign;
mod assumptions;
mod atoms;
mod automatic;
mod build;
mod calls;
mod conditions;
mod constants;
mod convert;
mod declarations;
mod effects;
mod errno;
mod expressions;
mod functions;
mod globals;
mod initializers;
mod jumps;
mod library;
mod literals;
mod names;
mod operators;
mod places;
mod reached;
mod records;
mod scope;
mod sequence;
mod statements;
mod switch;
mod telling;
mod threads;
mod tidy;
mod undefined;
mod variadic;

use std::rc::Rc;

use foundation::collections::{HashMap, HashSet};
use foundation::{Diagnostic, Diagnostics, SourceId, SourceMap, Span};
use program::{EdgeId, ExprId, FunctionId, Place, Program, VariableId};

use build::FunctionBuilder;
use effects::AnnotatedTree;
pub use names::ProgramScope;
use scope::{Binding, Scopes};

use crate::Options;
use crate::syntax::ast::{Ast, ExternalDeclaration, Storage};
use crate::syntax::symbols::{Symbol, Symbols};
use crate::types::{CTypes, Qual};

/// A fault that has been reported; whoever receives it goes on with the next statement or declaration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reported;

/// The result of lowering a piece of syntax.
pub(crate) type Lower<T> = Result<T, Reported>;

/// What an expression was lowered to.
#[derive(Clone, Debug)]
pub(crate) struct Lowered {
    pub value: Denoted,
    pub ty: Qual,
    /// The width, where the value is a bit-field or was just read from one.
    pub bit_width: Option<u16>,
    pub span: Span,
}

/// The value of a lowered expression.
#[derive(Clone, Debug)]
pub(crate) enum Denoted {
    /// A scalar.
    Scalar(ExprId),
    /// An object: an lvalue.
    Place(Place),
    /// A structure or union that is no lvalue, held in a temporary.
    Aggregate(Place),
    /// A function.
    Function(FunctionId),
    /// No value.
    Void,
}

/// What is known of a function beyond the program model.
#[derive(Clone, Debug)]
pub(crate) struct FunctionInfo {
    pub name: Symbol,
    pub ty: Qual,
    pub has_body: bool,
    pub noreturn: bool,
    /// Whether it need not be there when the program is linked.
    pub weak: bool,
    pub span: Span,
    /// Whether the user has been told that it has no body.
    pub warned: bool,
}

/// An entity with external linkage (6.2.2).
#[derive(Clone, Copy, Debug)]
pub(crate) enum Linked {
    Function(FunctionId),
    Variable(VariableId),
    /// An object that is declared but neither defined nor used so far.
    Declared(Qual, Span),
}

/// The state of one translation.
pub(crate) struct Lowering<'a> {
    pub program: Program,
    pub types: CTypes,
    pub symbols: &'a mut Symbols,
    pub diagnostics: &'a mut Diagnostics,
    pub options: &'a Options,
    /// The syntax tree being lowered.
    pub ast: Rc<AnnotatedTree>,
    pub scopes: Scopes,
    pub linked: HashMap<Symbol, Linked>,
    pub functions: HashMap<FunctionId, FunctionInfo>,
    pub variable_types: HashMap<VariableId, Qual>,
    /// The functions that some translation unit defines with external linkage, and those of the current one.
    pub defined: HashSet<Symbol>,
    /// Library functions with a body of our own that the program uses.
    pub library: library::Library,
    pub strings: HashMap<(Vec<u32>, crate::syntax::ast::CharPrefix), VariableId>,
    /// The objects with static storage that have an initialiser.
    pub initialized: HashSet<VariableId>,
    /// Edges that begin the lifetime of a variable which is initialised at once: needed only if its address is used.
    pub revivals: HashSet<EdgeId>,
    /// The variables that each file-scope name stands for, for atoms.
    pub file_scope: HashMap<Symbol, Vec<Binding>>,
    /// The function being lowered.
    pub function: Option<FunctionBuilder>,
    /// The lengths of arrays in the syntax tree being lowered, as far as they have been asked for: none if not constant.
    pub lengths: HashMap<crate::syntax::ast::ExprId, Option<num_bigint::BigInt>>,
    /// The arrays of variable length, by the variables that point to them.
    pub variable_arrays: HashMap<VariableId, automatic::VariableArray>,
    /// Whether there is storage whose size only the run knows.
    pub automatic_used: bool,
    /// Whether the program may have threads, so that an address must be computed once even where nothing in the
    /// expression changes it.
    pub threaded: bool,
    /// Whether the program uses `errno`.
    pub uses_errno: bool,
    /// How many operands around the current expression are not evaluated (`sizeof`).
    pub unevaluated: u32,
    /// How many elements range designators have named so far.
    pub range_elements: u64,
    /// The names that functions have in the program, which differ.
    pub function_names: HashSet<String>,
    /// What is not supported, with the function that it stands in.
    pub refusals: Vec<(FunctionId, Diagnostic)>,
    /// What is not supported in declarations at file scope, with the names that are declared.
    pub refused_declarations: Vec<(Vec<Symbol>, Diagnostic)>,
    /// Whether a declaration at file scope is being read that may be refused when its name is used.
    pub refusable: bool,
    /// What is known of calls of functions without a body.
    pub undefined: undefined::UndefinedCalls,
}

/// Lowers syntax trees to a program.
pub(crate) fn lower(
    units: Vec<(SourceId, Ast)>,
    sources: &mut SourceMap,
    symbols: &mut Symbols,
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> crate::Translation {
    let defined = units.iter().flat_map(|(_, ast)| defined_functions(ast, false)).collect();
    let threaded = symbols.get("pthread_create").is_some();
    let uses_errno = symbols.get(errno::LOCATION).is_some();
    let library = library::Library::new(sources, symbols, diagnostics);
    let mut lowering = Lowering {
        program: Program::new(options.data_model),
        types: CTypes::new(options.data_model),
        symbols,
        diagnostics,
        options,
        ast: Rc::default(),
        scopes: Scopes::new(),
        linked: HashMap::default(),
        functions: HashMap::default(),
        variable_types: HashMap::default(),
        defined,
        library,
        strings: HashMap::default(),
        initialized: HashSet::default(),
        revivals: HashSet::default(),
        file_scope: HashMap::default(),
        function: None,
        lengths: HashMap::default(),
        variable_arrays: HashMap::default(),
        automatic_used: false,
        threaded,
        uses_errno,
        unevaluated: 0,
        range_elements: 0,
        function_names: HashSet::default(),
        refusals: Vec::new(),
        refused_declarations: Vec::new(),
        refusable: false,
        undefined: undefined::UndefinedCalls::default(),
    };
    lowering.load_library();
    let units_read: Vec<SourceId> = units.iter().map(|(unit, _)| *unit).collect();
    for (_, ast) in units {
        lowering.unit(Rc::new(AnnotatedTree::new(ast)));
    }
    lowering.wrap_library_functions();
    lowering.used_library_functions();
    lowering.check_frees();
    lowering.fit_unprototyped_calls();
    lowering.complete_undefined_functions();
    lowering.warn_undefined_objects();
    lowering.finish(telling::unit_names(&units_read, sources))
}

/// The functions that a translation unit defines, either those with internal linkage or the others.
fn defined_functions(ast: &Ast, internal: bool) -> impl Iterator<Item = Symbol> + '_ {
    ast.items.iter().filter_map(move |item| match item {
        ExternalDeclaration::Function(function) => {
            let is_static = function.specifiers.storage == Some(Storage::Static);
            function.declarator.name.filter(|_| is_static == internal)
        }
        _ => None,
    })
}

impl Lowering<'_> {
    /// Reports a fault: at once, or where it follows from something that is not supported, if its function is reached.
    pub(crate) fn fail<T>(&mut self, diagnostic: Diagnostic) -> Lower<T> {
        match &self.function {
            Some(builder) if builder.refused => self.refusals.push((builder.id, diagnostic)),
            _ => self.diagnostics.push(diagnostic),
        }
        Err(Reported)
    }

    /// Reports an error with a message at a place.
    pub(crate) fn error<T>(&mut self, code: &'static str, message: impl Into<String>, span: Span) -> Lower<T> {
        self.fail(Diagnostic::error(code, message).at(span))
    }

    /// Goes on with another syntax tree.
    pub(crate) fn enter_tree(&mut self, tree: Rc<AnnotatedTree>) {
        self.ast = tree;
        self.lengths.clear();
    }

    /// Tells the user something without refusing the program.
    pub(crate) fn warn(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// A type in C's notation.
    pub(crate) fn describe(&self, ty: Qual) -> String {
        self.types.describe(ty)
    }

    /// The spelling of a name.
    pub(crate) fn text(&self, symbol: Symbol) -> String {
        self.symbols.text(symbol).to_owned()
    }

    fn finish(mut self, units: HashMap<SourceId, String>) -> crate::Translation {
        self.refuse_linked_declarations();
        self.find_entry();
        self.report_refusals();
        self.settle_errno();
        tidy::tidy(&mut self.program, &self.revivals);
        let locals = self.scopes.into_locals();
        let types = (&self.types, &self.variable_types, &*self.symbols);
        self.program.telling = telling::telling(&self.program, &self.functions, &locals, &units, types).into();
        let scope = ProgramScope::new(self.file_scope, locals, units);
        crate::Translation {
            program: self.program,
            types: self.types,
            symbols: std::mem::take(self.symbols),
            variable_types: self.variable_types,
            functions: self.functions,
            linked: self.linked,
            scope,
        }
    }

    fn find_entry(&mut self) {
        let entry = self.symbols.get(&self.options.entry).and_then(|name| self.linked.get(&name).copied());
        match entry {
            Some(Linked::Function(function)) if self.functions[&function].has_body => {
                self.program.entry = Some(function);
                self.assume_of_parameters(function);
            }
            _ => {
                let name = &self.options.entry;
                self.diagnostics.push(
                    Diagnostic::error(
                        "no-entry",
                        format!("the program does not define a function `{name}` to start in"),
                    )
                    .help("name another function with `--entry`"),
                );
            }
        }
    }
}
