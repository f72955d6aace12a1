//! What an ordinary identifier means where the parser stands, as far as the grammar needs to know (ISO C11, 6.2.1, 6.2.3
//! and 6.7.8): whether it names a type. Tags, members and labels are name spaces of their own and do not come here.

use super::ast::{FloatSize, TypeSpecifier};
use super::symbols::{Symbol, Symbols};
use foundation::Id;

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Meaning {
    /// It has not been declared.
    #[default]
    Unknown,
    /// An object, a function or an enumeration constant.
    Ordinary,
    /// A type declared by `typedef`.
    Typedef,
    /// A type that GNU C knows without a declaration; a program may still declare the name.
    Builtin(BuiltinType),
}

/// Types that GNU C knows without a declaration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum BuiltinType {
    VaList,
    Int128 { signed: bool },
    Float(FloatSize),
}

impl BuiltinType {
    pub fn specifier(self) -> TypeSpecifier {
        match self {
            BuiltinType::VaList => TypeSpecifier::VaList,
            BuiltinType::Int128 { signed } => {
                TypeSpecifier::Integer { size: super::ast::IntegerSize::Int128, signed: Some(signed) }
            }
            BuiltinType::Float(size) => TypeSpecifier::Float(size),
        }
    }
}

const BUILTIN_TYPES: &[(&str, BuiltinType)] = &[
    ("__builtin_va_list", BuiltinType::VaList),
    ("__int128_t", BuiltinType::Int128 { signed: true }),
    ("__uint128_t", BuiltinType::Int128 { signed: false }),
    ("_Float32", BuiltinType::Float(FloatSize::Float)),
    ("_Float64", BuiltinType::Float(FloatSize::Double)),
    ("_Float32x", BuiltinType::Float(FloatSize::Double)),
    ("_Float64x", BuiltinType::Float(FloatSize::LongDouble)),
    ("_Float128", BuiltinType::Float(FloatSize::Float128)),
    ("__float128", BuiltinType::Float(FloatSize::Float128)),
];

/// The meanings of all names in the scopes that are open.
pub(super) struct Names {
    /// The meaning now, by symbol.
    meanings: Vec<Meaning>,
    /// What a declaration has hidden, to be restored when its scope ends.
    hidden: Vec<(Symbol, Meaning)>,
    /// For each open scope but the outermost, how long `hidden` was when it began.
    scopes: Vec<usize>,
}

impl Names {
    /// The file scope, with the types that need no declaration.
    pub fn new(symbols: &mut Symbols) -> Self {
        let mut names = Self { meanings: Vec::new(), hidden: Vec::new(), scopes: Vec::new() };
        for &(name, builtin) in BUILTIN_TYPES {
            names.set(symbols.intern(name), Meaning::Builtin(builtin));
        }
        names
    }

    pub fn meaning(&self, name: Symbol) -> Meaning {
        self.meanings.get(name.index()).copied().unwrap_or_default()
    }

    /// Whether the name stands for a type.
    pub fn is_type(&self, name: Symbol) -> bool {
        matches!(self.meaning(name), Meaning::Typedef | Meaning::Builtin(_))
    }

    /// Declares a name in the innermost scope.
    pub fn declare(&mut self, name: Symbol, meaning: Meaning) {
        let before = self.set(name, meaning);
        if !self.scopes.is_empty() && before != meaning {
            self.hidden.push((name, before));
        }
    }

    pub fn open_scope(&mut self) {
        self.scopes.push(self.hidden.len());
    }

    pub fn close_scope(&mut self) {
        let Some(length) = self.scopes.pop() else { return };
        while self.hidden.len() > length {
            if let Some((name, meaning)) = self.hidden.pop() {
                self.set(name, meaning);
            }
        }
    }

    /// How many scopes are open, for [`Names::close_scopes_to`].
    pub fn open_scopes(&self) -> usize {
        self.scopes.len()
    }

    /// Closes scopes that a fault left open.
    pub fn close_scopes_to(&mut self, count: usize) {
        while self.scopes.len() > count {
            self.close_scope();
        }
    }

    fn set(&mut self, name: Symbol, meaning: Meaning) -> Meaning {
        let index = name.index();
        if index >= self.meanings.len() {
            self.meanings.resize(index + 1, Meaning::Unknown);
        }
        std::mem::replace(&mut self.meanings[index], meaning)
    }
}
