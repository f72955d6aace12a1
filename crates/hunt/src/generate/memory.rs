//! Pointers, bytes and the heap. Pointers are compared and subtracted only inside one array; bytes are read and written
//! only of integers without padding; what is allocated is initialised before it is read, and used only inside a block
//! that ends with its release.

use super::Generator;
use super::lvalues::{Lvalue, Purpose};
use super::scope::{CExpression, CVariable, Footprint, MemoryPart, precedence};
use super::types::{IntegerType, Type, Want};

impl Generator {
    /// An integer computed from pointers: a comparison, a difference, or a read behind a check for null.
    pub(super) fn pointer_expression(&mut self) -> Option<CExpression> {
        if self.inside > 1 || self.pure_only {
            return None;
        }
        self.with_effects(false, |this| match this.random.below(3) {
            0 => this.positions_in_an_array(),
            1 => this.pointer_equality(),
            _ => this.guarded_dereference(),
        })
    }

    fn positions_in_an_array(&mut self) -> Option<CExpression> {
        let array = self.designate(&Want::IntegerArray, Purpose::READ)?;
        let (Type::Array(_, length) | Type::Slice(_, length)) = array.ty else { return None };
        let first = self.index(length, &array.address);
        let second = self.index(length, &array.address);
        let footprint = if matches!(array.ty, Type::Slice(..)) {
            Footprint::read(array.place).joined(&array.address)
        } else {
            array.address.clone()
        };
        let footprint = footprint.joined(&first.footprint).joined(&second.footprint);
        let base =
            if array.precedence >= precedence::POSTFIX { array.text.clone() } else { format!("({})", array.text) };
        let left = if self.random.chance(50) {
            format!("&{base}[{}]", first.text)
        } else {
            format!("({base} + {})", first.operand(precedence::PRODUCT))
        };
        let right = format!("&{base}[{}]", second.text);
        let (text, strength) = match self.random.below(4) {
            0 => (format!("{left} == {right}"), precedence::EQUALITY),
            1 => {
                self.note("pointer difference");
                (format!("{left} - {right}"), precedence::SUM)
            }
            _ => {
                self.note("pointer ordering");
                let operator = *self.random.pick(&["<", "<=", ">", ">="]);
                (format!("{left} {operator} {right}"), precedence::RELATION)
            }
        };
        Some(CExpression::with(text, strength, false, footprint))
    }

    fn pointer_equality(&mut self) -> Option<CExpression> {
        let pointer = self.pointer_variable(|ty| matches!(ty, Type::Pointer(_)))?;
        let Type::Pointer(target) = &pointer.ty else { return None };
        let other = self.address(target, u32::MAX)?;
        self.note("pointer equality");
        let operator = *self.random.pick(&["==", "!="]);
        let text = format!("{} {operator} {}", pointer.name, other.operand(precedence::RELATION));
        let footprint = Footprint::read(pointer.place).joined(&other.footprint);
        Some(CExpression::with(text, precedence::EQUALITY, false, footprint))
    }

    fn guarded_dereference(&mut self) -> Option<CExpression> {
        let pointer = self.designate(&Want::Nullable, Purpose::READ)?;
        let Type::Nullable(target) = &pointer.ty else { return None };
        let access = self.through_nullable(&pointer, target)?;
        self.note("read behind a check for null");
        let footprint =
            Footprint::read(MemoryPart::MEMORY).joined(&Footprint::read(pointer.place)).joined(&pointer.address);
        let name = &pointer.text;
        let (text, strength) = match self.random.below(3) {
            0 => (format!("{name} && {access} > 3"), precedence::LOGICAL_AND),
            1 => (format!("{name} == 0 || {access}"), precedence::LOGICAL_OR),
            _ => (format!("{name} ? {access} : {}", self.random.below(50)), precedence::CONDITIONAL),
        };
        Some(CExpression::with(text, strength, false, footprint))
    }

    /// The integer behind a pointer that is known not to be null here.
    fn through_nullable(&mut self, pointer: &Lvalue, target: &Type) -> Option<String> {
        match target {
            Type::Integer(_) => Some(format!("*{}", pointer.operand())),
            Type::Structure(_) => {
                let base = if pointer.precedence >= precedence::POSTFIX {
                    pointer.text.clone()
                } else {
                    format!("({})", pointer.text)
                };
                let member = &self.types.members(target)[0];
                matches!(member.ty, Type::Integer(_)).then(|| format!("{base}->{}", member.name))
            }
            _ => None,
        }
    }

    /// Some bytes of an integer, read at another type of integer.
    pub(super) fn view(&mut self) -> Option<CExpression> {
        let (text, wide, footprint) = self.view_of_an_integer(Purpose::address(u32::MAX))?;
        Some(CExpression::with(text, precedence::POSTFIX, wide, footprint))
    }

    fn view_of_an_integer(&mut self, purpose: Purpose) -> Option<(String, bool, Footprint)> {
        let object = self.with_effects(false, |this| this.designate(&Want::Integer, purpose))?;
        let Type::Integer(integer) = object.ty else { return None };
        let bytes = integer.bytes().filter(|_| integer != IntegerType::Bool)?;
        let view = *self.random.pick(&[
            IntegerType::UnsignedChar,
            IntegerType::SignedChar,
            IntegerType::Char,
            IntegerType::UnsignedShort,
            IntegerType::Short,
            IntegerType::UnsignedInt,
            IntegerType::Int,
        ]);
        let size = view.bytes().filter(|size| *size <= bytes)?;
        self.note(if size == 1 { "bytes of an object" } else { "object at another type" });
        let index = self.random.below(bytes / size);
        let spelling = self.spell(view);
        let text = format!("(({spelling} *)&{})[{index}]", object.operand());
        Some((text, false, Footprint::read(object.place).joined(&object.address)))
    }

    /// An integer taken from a string literal.
    pub(super) fn string_expression(&mut self) -> Option<CExpression> {
        let (literal, length) = self.string_literal();
        let index = self.index(length + 1, &Footprint::default());
        Some(match self.random.below(4) {
            0 => {
                self.note("strlen");
                self.uses_library = true;
                CExpression::closed(format!("strlen({literal})"), precedence::POSTFIX, false)
            }
            1 => CExpression::closed(format!("sizeof({literal})"), precedence::UNARY, false),
            2 => {
                let text = format!("*({literal} + {})", index.operand(precedence::PRODUCT));
                CExpression::with(text, precedence::UNARY, false, index.footprint)
            }
            _ => CExpression::with(format!("({literal})[{}]", index.text), precedence::POSTFIX, false, index.footprint),
        })
    }

    /// A visible variable whose type is as wanted.
    fn pointer_variable(&mut self, wanted: impl Fn(&Type) -> bool) -> Option<CVariable> {
        let suitable: Vec<CVariable> = self
            .variables
            .iter()
            .enumerate()
            .filter(|(index, variable)| {
                wanted(&variable.ty)
                    && !self.hidden.contains(&variable.name)
                    && !self.variables[index + 1..].iter().any(|later| later.name == variable.name)
            })
            .map(|(_, variable)| variable.clone())
            .collect();
        if suitable.is_empty() || self.pure_only { None } else { Some(self.random.pick(&suitable).clone()) }
    }

    /// Makes a pointer point elsewhere.
    pub(super) fn retarget(&mut self) -> Option<()> {
        if self.random.chance(25)
            && let Some(pointer) = self.designate(&Want::Function, Purpose::WRITE)
        {
            self.note("function pointer assigned");
            let name = self.random.pick(&self.table).clone();
            self.line(format!("{} = {name};", pointer.text));
            return Some(());
        }
        if self.random.chance(35) {
            let pointer = self.with_effects(false, |this| this.designate(&Want::Nullable, Purpose::WRITE))?;
            let Type::Nullable(target) = pointer.ty.clone() else { return None };
            let address = self.with_effects(false, |this| this.address(&target, 0));
            let value = match address {
                Some(address) if self.random.chance(40) => {
                    let condition = self.with_effects(false, |this| this.integer(1));
                    format!("{} ? {} : 0", condition.operand(precedence::LOGICAL_OR), address.text)
                }
                Some(address) if self.random.chance(70) => address.text,
                _ => "0".to_string(),
            };
            self.line(format!("{} = {value};", pointer.text));
            return Some(());
        }
        let example = self.pointer_variable(|ty| matches!(ty, Type::Pointer(_)))?;
        let want = Want::Exactly(example.ty.clone());
        let pointer = self.with_effects(false, |this| this.designate(&want, Purpose::WRITE))?;
        let Type::Pointer(target) = &example.ty else { return None };
        let address = self.with_effects(false, |this| this.address(target, pointer.lifetime))?;
        self.note("pointer assigned");
        self.line(format!("{} = {};", pointer.text, address.text));
        Some(())
    }

    pub(super) fn guarded_write(&mut self) -> Option<()> {
        let pointer = self.with_effects(false, |this| this.designate(&Want::Nullable, Purpose::READ))?;
        let Type::Nullable(target) = &pointer.ty else { return None };
        let access = self.through_nullable(&pointer, target)?;
        let value = self.with_effects(false, |this| this.integer(2));
        self.note("write behind a check for null");
        let operator = *self.random.pick(&["=", "+=", "^="]);
        self.line(format!("if ({}) {access} {operator} {};", pointer.text, value.operand(precedence::ASSIGNMENT)));
        Some(())
    }

    /// Writes some bytes of an integer.
    pub(super) fn byte_write(&mut self) -> Option<()> {
        let (text, _, _) = self.view_of_an_integer(Purpose::address(u32::MAX))?;
        let value = self.with_effects(false, |this| this.integer(1));
        self.line(format!("{text} = {};", value.operand(precedence::ASSIGNMENT)));
        Some(())
    }

    /// Walks through an array of integers with a pointer.
    pub(super) fn cursor_loop(&mut self, nesting: u32) -> Option<()> {
        let array = self.pointer_variable(
            |ty| matches!(ty, Type::Array(element, _) | Type::Slice(element, _) if matches!(**element, Type::Integer(_))),
        )?;
        let (Type::Array(element, length) | Type::Slice(element, length)) = array.ty.clone() else { return None };
        if !array.writable && matches!(array.ty, Type::Array(..)) {
            return None;
        }
        self.note("loop with a pointer");
        let outer = self.variables.len();
        let name = self.fresh_name("c");
        let declared = self.declare(&Type::pointer((*element).clone()), &name);
        let base = array.name;
        let forward = self.random.chance(60);
        if forward {
            let end = *self.random.pick(&["<", "!="]);
            self.open(format!("for ({declared} = {base}; {name} {end} {base} + {length}; {name}++) {{"));
        } else {
            self.open("{");
            self.line(format!("{declared} = &{base}[{length}];"));
            self.open(format!("while ({name} > {base}) {{"));
            self.line(format!("{name}--;"));
        }
        let place = self.fresh_place(true);
        self.variables.push(CVariable {
            name: name.clone(),
            ty: Type::Pointer(element),
            place,
            lifetime: self.scope_depth,
            writable: false,
            addressable: false,
        });
        self.in_loop(length as u64, |this| {
            if let Some(object) = this.with_effects(false, |this| this.designate(&Want::Integer, Purpose::WRITE)) {
                let index = this.with_effects(false, |this| this.index(length, &Footprint::default()));
                let read = match this.random.below(3) {
                    0 => format!("*{name}"),
                    1 => format!("{name}[({}) - ({name} - {base})]", index.text),
                    _ => format!("({name} > {base} ? {name}[-1] : 3)"),
                };
                this.note("pointer arithmetic");
                this.line(format!("{} ^= {read};", object.text));
            }
            this.line(format!("*{name} += {};", length));
            this.statements(1, nesting.saturating_sub(1));
        });
        self.close("}", outer);
        if !forward {
            self.close("}", outer);
        }
        Some(())
    }

    /// Allocates, fills, uses and releases an array.
    pub(super) fn heap_block(&mut self, nesting: u32) -> Option<()> {
        if self.pure_only {
            return None;
        }
        self.uses_library = true;
        let outer = self.variables.len();
        let length = 1 + self.random.below(5);
        let element = self.integer_type();
        let ty = Type::Slice(Box::new(element.clone()), length);
        let name = self.fresh_name("h");
        let declared = self.declare(&ty, &name);
        self.open("{");
        if self.random.chance(50) {
            self.note("calloc");
            self.line(format!("{declared} = calloc({length}, sizeof *{name});"));
        } else {
            self.note("malloc");
            self.line(format!("{declared} = malloc({length} * sizeof(*{name}));"));
            if self.random.chance(50) || element == Type::Integer(IntegerType::Bool) {
                let counter = self.fresh_name("x");
                let factor = self.constant(-50, 50, 1).0;
                self.line(format!(
                    "for (int {counter} = 0; {counter} < {length}; {counter}++) {name}[{counter}] = {counter} * {factor};"
                ));
            } else {
                self.note("memset");
                let byte = self.random.below(256);
                self.line(format!("memset({name}, {byte}, {length} * sizeof *{name});"));
            }
        }
        let place = self.fresh_place(true);
        let lifetime = self.scope_depth;
        self.variables.push(CVariable { name: name.clone(), ty, place, lifetime, writable: false, addressable: false });
        let count = 1 + self.random.below(3);
        self.statements(count, nesting.saturating_sub(1));
        if let Some(object) = self.with_effects(false, |this| this.designate(&Want::Integer, Purpose::WRITE)) {
            let index = self.random.below(length);
            self.line(format!("{} += {name}[{index}];", object.text));
        }
        self.note("free");
        self.line(format!("free({name});"));
        self.close("}", outer);
        Some(())
    }

    /// `memset` of an array of integers, or `memcpy` between objects of one type.
    pub(super) fn block_operation(&mut self) -> Option<()> {
        if self.pure_only {
            return None;
        }
        if self.random.chance(40) {
            let array =
                self.with_effects(false, |this| this.designate(&Want::IntegerArray, Purpose::address(u32::MAX)))?;
            let Type::Array(element, length) = &array.ty else { return None };
            if **element == Type::Integer(IntegerType::Bool) {
                return None;
            }
            self.note("memset");
            let length = *length;
            let byte = self.constant(-1, 255, 1).0;
            self.line(format!("memset({}, {byte}, {length} * sizeof({}[0]));", array.text, array.operand()));
        } else {
            let pattern = match self.random.below(3) {
                0 if !self.types.structures.is_empty() => {
                    Want::Exactly(Type::Structure(self.random.below(self.types.structures.len())))
                }
                1 => Want::IntegerArray,
                _ => Want::Integer,
            };
            let target = self.with_effects(false, |this| this.designate(&pattern, Purpose::address(u32::MAX)))?;
            if matches!(target.ty, Type::Slice(..)) {
                return None;
            }
            let want = Want::Exactly(target.ty.clone());
            let source = self.with_effects(false, |this| this.designate(&want, Purpose::address(u32::MAX)))?;
            // Two different variables cannot overlap, unless a pointer hides which variable it is.
            if target.place == MemoryPart::MEMORY || source.place == MemoryPart::MEMORY || target.place == source.place
            {
                return None;
            }
            self.note("memcpy");
            let (to, from) = (target.operand(), source.operand());
            self.line(format!("memcpy(&{to}, &{from}, sizeof({}));", target.text));
        }
        self.uses_library = true;
        Some(())
    }

    /// Follows the links of the list for a bounded number of steps.
    pub(super) fn list_walk(&mut self, nesting: u32) -> Option<()> {
        let nodes = self
            .pointer_variable(|ty| matches!(ty, Type::Array(element, _) if matches!(**element, Type::Structure(_))))?;
        let Type::Array(element, length) = &nodes.ty else { return None };
        if self.types.members(element).last()?.name != "next" || !nodes.writable {
            return None;
        }
        self.note("linked list");
        let (counter, cursor) = (self.fresh_name("k"), self.fresh_name("n"));
        let start = self.random.below(*length);
        let outer = self.variables.len();
        self.open("{");
        self.line(format!("int {counter} = 0;"));
        self.open(format!(
            "for (struct Node *{cursor} = &{}[{start}]; {cursor} && {counter} < {length}; {cursor} = {cursor}->next) {{",
            nodes.name
        ));
        self.line(format!("{counter}++;"));
        let place = self.fresh_place(true);
        self.variables.push(CVariable {
            name: cursor.clone(),
            ty: Type::Pointer(element.clone()),
            place,
            lifetime: self.scope_depth,
            writable: false,
            addressable: false,
        });
        let length = *length as u64;
        self.in_loop(length, |this| {
            let increment = this.random.below(9);
            this.line(format!("{cursor}->value += {increment};"));
            this.statements(1, nesting.saturating_sub(1));
        });
        self.close("}", outer);
        self.close("}", outer);
        Some(())
    }

    /// Sums up the characters of a string.
    pub(super) fn string_walk(&mut self) -> Option<()> {
        let object = self.with_effects(false, |this| this.designate(&Want::Integer, Purpose::WRITE))?;
        let (literal, length) = self.string_literal();
        let name = self.fresh_name("s");
        self.note("loop over a string");
        self.cost += self.multiplier * length as u64;
        let outer = self.variables.len();
        self.open("{");
        self.line(format!("const char *{name} = {literal};"));
        self.line(format!("while (*{name}) {} = {} * 3 + *{name}++;", object.text, object.text));
        self.close("}", outer);
        Some(())
    }

    /// Makes the layout of a structure visible: all its bytes are zero but for one member, and then they are read; or the
    /// distance of a member from the beginning is measured.
    pub(super) fn layout_probe(&mut self) -> Option<()> {
        let target = self.with_effects(false, |this| this.designate(&Want::Integer, Purpose::WRITE))?;
        let index = self.random.below(self.types.structures.len());
        let tag = self.types.structures[index].tag.clone();
        let members = self.types.structures[index].members.clone();
        let member = self.random.pick(&members).clone();
        let name = self.fresh_name("v");
        let outer = self.variables.len();
        self.uses_library = true;
        self.open("{");
        self.line(format!("struct {tag} {name};"));
        self.line(format!("memset(&{name}, 0, sizeof {name});"));
        if matches!(member.ty, Type::Integer(_)) && (member.bits.is_some() || self.random.chance(50)) {
            self.note("bytes of a structure");
            let value = *self.random.pick(&["-1", "-1", "1", "5"]);
            self.line(format!("{name}.{} = {value};", member.name));
            self.line(format!("unsigned {name}_sum = sizeof {name};"));
            self.line(format!(
                "for (unsigned k = 0; k < sizeof {name}; k++) {name}_sum = {name}_sum * 31 + ((unsigned char *)&{name})[k];"
            ));
            self.line(format!("{} = {name}_sum;", target.text));
            self.cost += self.multiplier * 40;
        } else if member.bits.is_none() {
            self.note("offset of a member");
            self.line(format!("{} = (char *)&{name}.{} - (char *)&{name};", target.text, member.name));
        } else {
            self.line(format!("{} = sizeof {name};", target.text));
        }
        self.close("}", outer);
        Some(())
    }

    /// The bits of a floating-point number, unless it is not a number.
    pub(super) fn bits_of_floating(&mut self) -> Option<()> {
        let target = self.with_effects(false, |this| this.designate(&Want::Integer, Purpose::WRITE))?;
        let value = self.floating(2);
        let outer = self.variables.len();
        let name = self.fresh_name("d");
        let (floating, integer) =
            *self.random.pick(&[("double", "unsigned long long"), ("float", "unsigned"), ("double", "long long")]);
        self.open("{");
        if self.random.chance(50) {
            self.note("bits of a floating number by union");
            self.line(format!("union {{ {floating} f; {integer} u; }} {name};"));
            self.line(format!("{name}.f = {};", value.text));
            self.line(format!("{} = {name}.f == {name}.f ? {name}.u : 0;", target.text));
        } else {
            self.note("bits of a floating number by memcpy");
            self.uses_library = true;
            self.line(format!("{floating} {name} = {};", value.text));
            self.line(format!("{integer} {name}_bits = 0;"));
            self.line(format!("if ({name} == {name}) memcpy(&{name}_bits, &{name}, sizeof {name});"));
            self.line(format!("{} = {name}_bits;", target.text));
        }
        self.close("}", outer);
        Some(())
    }
}
