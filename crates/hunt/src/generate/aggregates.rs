//! The types a program declares: enumerations, structures with nested structures, arrays, bit-fields and pointers, and
//! unions whose members all cover the same bytes, so that reading back through another member is settled by the layout.

use super::Generator;
use super::types::{Aggregate, Enumeration, IntegerType, NamedMember, Type};

impl Generator {
    pub(super) fn declare_types(&mut self) {
        for _ in 0..self.random.below(3) {
            self.declare_enumeration();
        }
        for _ in 0..self.random.below(3) {
            self.declare_union();
        }
        for _ in 0..1 + self.random.below(3) {
            self.declare_structure();
        }
        if self.random.chance(40) {
            self.declare_node();
        }
    }

    fn declare_enumeration(&mut self) {
        self.note("enumeration");
        let tag = self.fresh_name("E");
        let count = 2 + self.random.below(4);
        let mut constants = Vec::new();
        let mut listed = Vec::new();
        // Without a negative constant the type is compatible with `unsigned int`, otherwise with `int`.
        let low = if self.random.chance(50) { 0 } else { -20 };
        for _ in 0..count {
            let name = self.fresh_name("C");
            if self.random.chance(40) {
                let value = self.constant(low, 100, 1).0;
                listed.push(format!("{name} = {value}"));
            } else {
                listed.push(name.clone());
            }
            constants.push(name);
        }
        let comma = if self.random.chance(30) { "," } else { "" };
        let definition = format!("enum {tag} {{ {}{comma} }};", listed.join(", "));
        self.types.enumerations.push(Enumeration { tag, definition, constants });
    }

    fn declare_union(&mut self) {
        self.note("union");
        let tag = self.fresh_name("U");
        let four = self.random.chance(50);
        let mut members = Vec::new();
        let mut definition = vec![format!("union {tag} {{")];
        let mut add = |definition: &mut Vec<String>, name: &str, ty: Type, text: &str| {
            definition.push(format!("    {text};"));
            members.push(NamedMember { name: name.to_string(), ty, bits: None });
        };
        let integer = Type::Integer;
        if four {
            add(&mut definition, "u", integer(IntegerType::UnsignedInt), "unsigned u");
            add(&mut definition, "i", integer(IntegerType::Int), "int i");
            let byte = *self.random.pick(&[IntegerType::UnsignedChar, IntegerType::SignedChar, IntegerType::Char]);
            add(&mut definition, "b", Type::array(integer(byte), 4), &format!("{} b[4]", byte.spellings()[0]));
            if self.random.chance(50) {
                add(&mut definition, "h", Type::array(integer(IntegerType::Short), 2), "short h[2]");
            }
            if self.random.chance(40) {
                self.features.entry("anonymous member").and_modify(|count| *count += 1).or_insert(1);
                definition.push("    struct { unsigned short low, high; };".to_string());
                for name in ["low", "high"] {
                    let ty = Type::Integer(IntegerType::UnsignedShort);
                    members.push(NamedMember { name: name.to_string(), ty, bits: None });
                }
            }
            if self.random.chance(40) {
                self.features.entry("bit-fields in a union").and_modify(|count| *count += 1).or_insert(1);
                definition.push("    struct { unsigned x : 5, y : 11; int z : 16; };".to_string());
                for (name, ty, bits) in [
                    ("x", IntegerType::UnsignedInt, 5),
                    ("y", IntegerType::UnsignedInt, 11),
                    ("z", IntegerType::Int, 16),
                ] {
                    members.push(NamedMember { name: name.to_string(), ty: Type::Integer(ty), bits: Some(bits) });
                }
            }
        } else {
            add(&mut definition, "q", integer(IntegerType::UnsignedLongLong), "unsigned long long q");
            add(&mut definition, "s", integer(IntegerType::LongLong), "long long s");
            add(&mut definition, "w", Type::array(integer(IntegerType::Int), 2), "int w[2]");
            if self.random.chance(50) {
                add(&mut definition, "b", Type::array(integer(IntegerType::UnsignedChar), 8), "unsigned char b[8]");
            }
            if self.random.chance(30) {
                add(&mut definition, "h", Type::array(integer(IntegerType::UnsignedShort), 4), "unsigned short h[4]");
            }
        }
        definition.push("};".to_string());
        self.types.unions.push(Aggregate { tag, definition, members });
    }

    fn declare_structure(&mut self) {
        self.note("structure");
        let tag = self.fresh_name("S");
        let mut definition = vec![format!("struct {tag} {{")];
        let mut members = Vec::new();
        let count = 2 + self.random.below(4);
        let with_bit_fields = self.random.chance(50);
        for index in 0..count {
            let name = format!("m{index}");
            if with_bit_fields && self.random.chance(60) {
                members.push(self.bit_field(&mut definition, name));
                continue;
            }
            let ty = match self.random.below(12) {
                0 | 1 => Type::array(self.integer_type(), 1 + self.random.below(4)),
                2 if !self.types.structures.is_empty() => {
                    self.note("nested structure");
                    Type::Structure(self.random.below(self.types.structures.len()))
                }
                3 if !self.types.unions.is_empty() => Type::Union(self.random.below(self.types.unions.len())),
                4 => Type::Double,
                5 => Type::Nullable(Box::new(Type::Integer(IntegerType::Int))),
                6 if !self.types.enumerations.is_empty() => {
                    Type::Enumeration(self.random.below(self.types.enumerations.len()))
                }
                _ => self.integer_type(),
            };
            let declared = self.declare(&ty, &name);
            definition.push(format!("    {declared};"));
            members.push(NamedMember { name, ty, bits: None });
        }
        if !members.iter().any(|member| member.bits.is_none() && matches!(member.ty, Type::Integer(_))) {
            definition.push("    int last;".to_string());
            members.push(NamedMember { name: "last".to_string(), ty: Type::Integer(IntegerType::Int), bits: None });
        }
        definition.push("};".to_string());
        self.types.structures.push(Aggregate { tag, definition, members });
    }

    fn bit_field(&mut self, definition: &mut Vec<String>, name: String) -> NamedMember {
        self.note("bit-field");
        if self.random.chance(12) {
            self.note("bit-field of width zero");
            definition.push("    int : 0;".to_string());
        } else if self.random.chance(12) {
            self.note("bit-field without a name");
            definition.push("    unsigned : 3;".to_string());
        }
        let (ty, text, widest) = *self.random.pick(&[
            (IntegerType::Int, "int", 32),
            (IntegerType::Int, "signed int", 32),
            (IntegerType::UnsignedInt, "unsigned", 32),
            (IntegerType::UnsignedInt, "unsigned int", 32),
            (IntegerType::Bool, "_Bool", 1),
            (IntegerType::SignedChar, "signed char", 8),
            (IntegerType::UnsignedShort, "unsigned short", 16),
            (IntegerType::UnsignedLongLong, "unsigned long long", 64),
            (IntegerType::LongLong, "long long", 64),
        ]);
        let bits = match self.random.below(4) {
            0 => widest,
            // Between the width of `int` and the full width, compilers differ: gcc computes in the field's own width,
            // clang in its declared type.
            _ => 1 + self.random.below(widest.min(32) as usize) as u32,
        };
        definition.push(format!("    {text} {name} : {bits};"));
        NamedMember { name, ty: Type::Integer(ty), bits: Some(bits) }
    }

    /// The node of a linked list, always the last structure.
    fn declare_node(&mut self) {
        self.note("structure that points to itself");
        let tag = "Node".to_string();
        let index = self.types.structures.len();
        let value = self.integer_type();
        let declared = self.declare(&value, "value");
        let definition = vec![
            "struct Node {".to_string(),
            format!("    {declared};"),
            "    struct Node *next;".to_string(),
            "};".into(),
        ];
        let members = vec![
            NamedMember { name: "value".to_string(), ty: value, bits: None },
            NamedMember { name: "next".to_string(), ty: Type::Nullable(Box::new(Type::Structure(index))), bits: None },
        ];
        self.types.structures.push(Aggregate { tag, definition, members });
    }

    pub(super) fn integer_type(&mut self) -> Type {
        Type::Integer(*self.random.pick(&IntegerType::ALL))
    }

    /// The declaration of a name with a type, without what follows it.
    pub(super) fn declare(&mut self, ty: &Type, name: &str) -> String {
        match ty {
            Type::Integer(integer) => format!("{} {name}", self.spell(*integer)),
            Type::Enumeration(index) => format!("enum {} {name}", self.types.enumerations[*index].tag),
            Type::Float => format!("float {name}"),
            Type::Double => format!("double {name}"),
            Type::Structure(index) => {
                let tag = self.types.structures.get(*index).map_or("Node", |structure| &structure.tag);
                format!("struct {tag} {name}")
            }
            Type::Union(index) => format!("union {} {name}", self.types.unions[*index].tag),
            Type::Array(element, length) => self.declare(element, &format!("{name}[{length}]")),
            Type::Pointer(target) | Type::Nullable(target) | Type::Slice(target, _) => {
                if matches!(**target, Type::Array(..)) {
                    self.declare(target, &format!("(*{name})"))
                } else {
                    self.declare(target, &format!("*{name}"))
                }
            }
            Type::Function => format!("int (*{name})(int, long)"),
        }
    }
}
