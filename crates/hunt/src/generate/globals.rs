//! The global variables: of all types, initialised by constants or by nothing, with all qualifiers.

use super::Generator;
use super::initialisers::ObjectStorage;
use super::lvalues::Purpose;
use super::scope::CVariable;
use super::types::{Type, Want};

impl Generator {
    /// Declares the globals.
    pub(super) fn declare_globals(&mut self) {
        for _ in 0..self.limits.globals {
            let name = self.fresh_name("g");
            let ty = match self.random.below(22) {
                0..=6 => self.integer_type(),
                7..=9 => Type::array(self.integer_type(), 1 + self.random.below(6)),
                10 => {
                    self.note("array of two dimensions");
                    Type::array(Type::array(self.integer_type(), 1 + self.random.below(3)), 2 + self.random.below(2))
                }
                11..=13 => Type::Structure(self.random.below(self.types.structures.len())),
                14 => {
                    self.note("array of structures");
                    Type::array(Type::Structure(self.random.below(self.types.structures.len())), 2)
                }
                15 if !self.types.unions.is_empty() => Type::Union(self.random.below(self.types.unions.len())),
                16 => self.random.pick(&[Type::Double, Type::Float]).clone(),
                17 => Type::Nullable(Box::new(self.integer_type())),
                18 | 20 => self.pointer_type(true).unwrap_or(Type::Double),
                21 => match self.pointer_type(true) {
                    Some(pointer) => {
                        self.note("array of pointers");
                        Type::array(pointer, 1 + self.random.below(3))
                    }
                    None => Type::Float,
                },
                19 => {
                    self.note("table of functions");
                    Type::array(Type::Function, self.table.len())
                }
                _ => self.integer_type(),
            };
            self.declare_global(name, ty);
        }
        let is_node = |aggregate: &super::types::Aggregate| aggregate.tag == "Node";
        if self.types.structures.last().is_some_and(is_node) {
            self.declare_nodes();
        }
    }

    fn declare_global(&mut self, name: String, ty: Type) {
        let needs_initialiser = matches!(ty, Type::Pointer(_) | Type::Function)
            || matches!(&ty, Type::Array(element, _) if matches!(**element, Type::Function | Type::Pointer(_)));
        let initialiser = if matches!(&ty, Type::Array(element, _) if **element == Type::Function) {
            Some(format!("{{{}}}", self.table.join(", ")))
        } else if needs_initialiser || self.random.chance(75) {
            self.initialiser(&ty, ObjectStorage::Static).map(|value| value.text)
        } else {
            None
        };
        if needs_initialiser && initialiser.is_none() {
            return;
        }
        let is_integer = matches!(ty, Type::Integer(_));
        let qualifier = match self.random.below(12) {
            0 if initialiser.is_some() && !needs_initialiser && !matches!(ty, Type::Nullable(_)) => "const ",
            1 if is_integer => "volatile ",
            2 | 3 => "static ",
            _ => "",
        };
        match qualifier {
            "const " => self.note("const"),
            "volatile " => self.note("volatile"),
            _ => {}
        }
        if initialiser.is_none() {
            self.note("zero initialised");
        }
        let declared = self.declare(&ty, &name);
        if qualifier.is_empty() && self.random.chance(6) {
            self.note("tentative definition");
            self.line(format!("extern {declared};"));
        }
        let ending = initialiser.map_or(String::new(), |value| format!(" = {value}"));
        self.line(format!("{qualifier}{declared}{ending};"));
        let plain = qualifier != "const " && qualifier != "volatile ";
        let place = self.fresh_place(true);
        self.variables.push(CVariable {
            name,
            ty,
            place,
            lifetime: 0,
            writable: qualifier != "const ",
            addressable: plain,
        });
    }

    fn declare_nodes(&mut self) {
        let index = self.types.structures.len() - 1;
        let length = 3 + self.random.below(3);
        let name = self.fresh_name("g");
        let nodes: Vec<String> = (0..length)
            .map(|_| {
                let value = self.constant(-100, 100, 1).0;
                let next = self.random.below(length + 1);
                let link = if next == length { "0".to_string() } else { format!("&{name}[{next}]") };
                format!("{{{value}, {link}}}")
            })
            .collect();
        self.line(format!("struct Node {name}[{length}] = {{{}}};", nodes.join(", ")));
        let place = self.fresh_place(true);
        let ty = Type::array(Type::Structure(index), length);
        self.variables.push(CVariable { name, ty, place, lifetime: 0, writable: true, addressable: true });
    }

    /// The type of a pointer to something in scope.
    pub(super) fn pointer_type(&mut self, constant: bool) -> Option<Type> {
        let purpose = if constant { Purpose::constant_address() } else { Purpose::address(u32::MAX) };
        let want = match self.random.below(7) {
            0 => Want::Exactly(Type::Structure(self.random.below(self.types.structures.len()))),
            1 => Want::IntegerArray,
            2 | 3 => {
                let pointers: Vec<Type> = self
                    .variables
                    .iter()
                    .filter(|variable| matches!(&variable.ty, Type::Pointer(target) if !matches!(**target, Type::Pointer(_))))
                    .map(|variable| variable.ty.clone())
                    .collect();
                if pointers.is_empty() {
                    Want::Integer
                } else {
                    self.note("pointer to pointer");
                    Want::Exactly(self.random.pick(&pointers).clone())
                }
            }
            _ => Want::Integer,
        };
        let found = self.with_effects(false, |this| this.designate(&want, purpose))?;
        if matches!(found.ty, Type::Slice(..)) { None } else { Some(Type::pointer(found.ty)) }
    }
}
