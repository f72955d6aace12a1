//! Scopes (6.2.1) and name spaces (6.2.3): ordinary names and tags, block by block.

use foundation::collections::HashMap;
use foundation::{Arena, Span, define_id};
use num_bigint::BigInt;
use program::{FunctionId, VariableId};

use crate::syntax::symbols::Symbol;
use crate::types::{EnumId, Qual, RecordId};

define_id! {
    /// A block of a function body.
    BlockId
}

/// What an ordinary name stands for.
#[derive(Clone, Debug)]
pub struct Binding {
    /// What it is.
    pub kind: BindingKind,
    /// Where it is declared.
    pub span: Span,
}

/// The kinds of ordinary names.
#[derive(Clone, Debug)]
pub enum BindingKind {
    /// An object. Its type is with the variable.
    Variable(VariableId),
    /// An object of external linkage that is declared here and perhaps defined elsewhere.
    External(Symbol),
    /// A function.
    Function(FunctionId),
    /// An enumeration constant.
    Constant(BigInt, Qual),
    /// A name for a type.
    Typedef(Qual),
    /// Something whose declaration has a fault that has been reported, or, with the number of a refusal, is not supported.
    Faulty(Option<usize>),
}

/// What a tag stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tag {
    Record(RecordId),
    Enum(EnumId),
}

#[derive(Default)]
struct ScopeLevel {
    names: HashMap<Symbol, Binding>,
    tags: HashMap<Symbol, Tag>,
    /// The alignments in bytes that the attribute `aligned` gives names of types.
    alignments: HashMap<Symbol, u64>,
}

/// The open scopes, file scope first.
pub(crate) struct Scopes {
    levels: Vec<ScopeLevel>,
    blocks: Arena<BlockId, ()>,
    /// The local variables of each function by name, for atoms.
    locals: HashMap<(FunctionId, Symbol), Vec<VariableId>>,
}

impl Scopes {
    pub(crate) fn new() -> Self {
        Self { levels: vec![ScopeLevel::default()], blocks: Arena::new(), locals: HashMap::default() }
    }

    /// Forgets all names: a new translation unit begins.
    pub(crate) fn start_unit(&mut self) {
        self.levels = vec![ScopeLevel::default()];
    }

    pub(crate) fn open(&mut self) -> BlockId {
        self.levels.push(ScopeLevel::default());
        self.blocks.push(())
    }

    pub(crate) fn close(&mut self) {
        self.levels.pop();
    }

    pub(crate) fn at_file_scope(&self) -> bool {
        self.levels.len() == 1
    }

    /// Declares a name in the innermost scope; the earlier declaration in the same scope is returned.
    pub(crate) fn declare(&mut self, name: Symbol, binding: Binding) -> Option<Binding> {
        self.innermost().names.insert(name, binding)
    }

    pub(crate) fn declared_here(&self, name: Symbol) -> Option<&Binding> {
        self.levels.last().expect("file scope is never closed").names.get(&name)
    }

    pub(crate) fn find(&self, name: Symbol) -> Option<&Binding> {
        self.levels.iter().rev().find_map(|level| level.names.get(&name))
    }

    /// All visible names, for suggestions.
    pub(crate) fn visible(&self) -> impl Iterator<Item = Symbol> + '_ {
        self.levels.iter().flat_map(|level| level.names.keys().copied())
    }

    /// Gives a name of a type, which is declared in the innermost scope, an alignment of its own.
    pub(crate) fn align_type(&mut self, name: Symbol, bytes: u64) {
        self.innermost().alignments.insert(name, bytes);
    }

    /// The alignment in bytes that a name of a type has of its own.
    pub(crate) fn alignment_of_type(&self, name: Symbol) -> Option<u64> {
        let level = self.levels.iter().rev().find(|level| level.names.contains_key(&name))?;
        level.alignments.get(&name).copied()
    }

    pub(crate) fn declare_tag(&mut self, name: Symbol, tag: Tag) {
        self.innermost().tags.insert(name, tag);
    }

    pub(crate) fn find_tag(&self, name: Symbol) -> Option<Tag> {
        self.levels.iter().rev().find_map(|level| level.tags.get(&name).copied())
    }

    pub(crate) fn tag_declared_here(&self, name: Symbol) -> Option<Tag> {
        self.levels.last().and_then(|level| level.tags.get(&name).copied())
    }

    /// All names of the file scope.
    pub(crate) fn file_names(&self) -> impl Iterator<Item = (Symbol, &Binding)> {
        self.levels[0].names.iter().map(|(name, binding)| (*name, binding))
    }

    pub(crate) fn note_local(&mut self, function: FunctionId, name: Symbol, variable: VariableId) {
        self.locals.entry((function, name)).or_default().push(variable);
    }

    pub(crate) fn into_locals(self) -> HashMap<(FunctionId, Symbol), Vec<VariableId>> {
        self.locals
    }

    fn innermost(&mut self) -> &mut ScopeLevel {
        self.levels.last_mut().expect("file scope is never closed")
    }
}
