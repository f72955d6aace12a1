//! The definitions of functions. A function calls only functions defined before it, so the cost of every call is known
//! when it is written; recursion goes through a first parameter that counts down.

use super::Generator;
use super::lvalues::Purpose;
use super::scope::{CVariable, Footprint, MemoryPart, precedence};
use super::types::{IntegerType, Type, Want};

/// A function that can be called.
#[derive(Clone, Debug)]
pub(super) struct CFunction {
    pub(super) name: String,
    /// The definition up to its body.
    pub(super) head: String,
    pub(super) result: Option<Type>,
    pub(super) parameters: Vec<Type>,
    pub(super) cost: u64,
    /// Touches nothing but its own variables.
    pub(super) pure: bool,
    /// The first parameter bounds the depth of the recursion.
    pub(super) recursive: bool,
}

/// The deepest recursion a call may start.
pub(super) const RECURSION_DEPTH: u64 = 4;

impl Generator {
    /// Names the functions that pointers to functions may hold.
    pub(super) fn choose_table(&mut self) {
        for _ in 0..2 + self.random.below(2) {
            let name = self.fresh_name("f");
            self.table.push(name);
        }
    }

    pub(super) fn define_functions(&mut self) {
        for name in self.table.clone() {
            let parameters = vec![Type::Integer(IntegerType::Int), Type::Integer(IntegerType::Long)];
            self.define(name, Some(Type::Integer(IntegerType::Int)), parameters, false, false);
        }
        for _ in 0..self.limits.functions {
            let name = self.fresh_name("f");
            let pure = self.random.chance(25);
            let recursive = self.random.chance(20);
            let mut parameters = Vec::new();
            if recursive {
                self.note("recursive function");
                parameters.push(Type::Integer(IntegerType::Int));
            }
            for _ in 0..self.random.below(4) {
                let ty = self.parameter_type(pure);
                parameters.push(ty);
            }
            let result = match self.random.below(12) {
                0 | 1 if !pure => None,
                2 | 3 => Some(Type::Structure(self.random.below(self.types.structures.len()))),
                4 | 5 if !pure => {
                    self.designate(&Want::Integer, Purpose::address(0)).map(|found| Type::pointer(found.ty))
                }
                _ => Some(self.integer_type()),
            };
            self.define(name, result, parameters, pure, recursive);
        }
    }

    fn parameter_type(&mut self, pure: bool) -> Type {
        let choice = self.random.below(if pure { 6 } else { 10 });
        match choice {
            0 => Type::Structure(self.random.below(self.types.structures.len())),
            6 | 7 => match self.designate(&Want::Integer, Purpose::address(0)) {
                Some(found) => Type::pointer(found.ty),
                None => self.integer_type(),
            },
            8 => Type::pointer(Type::Structure(self.random.below(self.types.structures.len()))),
            9 => match self.designate(&Want::IntegerArray, Purpose::address(0)) {
                Some(found) => match found.ty {
                    Type::Array(element, length) => Type::Slice(element, length),
                    _ => self.integer_type(),
                },
                None => self.integer_type(),
            },
            _ => self.integer_type(),
        }
    }

    fn define(&mut self, name: String, result: Option<Type>, parameters: Vec<Type>, pure: bool, recursive: bool) {
        let globals = self.variables.len();
        self.scope_depth = 0;
        self.cost = 1;
        self.multiplier = if recursive { RECURSION_DEPTH } else { 1 };
        self.pure_only = pure;
        self.effects = true;
        self.result = result.clone();
        let mut declared = Vec::new();
        let mut variables = Vec::new();
        for (index, ty) in parameters.iter().enumerate() {
            let parameter = format!("p{index}");
            declared.push(match ty {
                Type::Slice(element, length) if self.random.chance(50) => {
                    self.declare(&Type::Array(element.clone(), *length), &parameter)
                }
                _ => self.declare(ty, &parameter),
            });
            let counts_down = recursive && index == 0;
            let is_slice = matches!(ty, Type::Slice(..));
            let addressable = !counts_down && !pure && self.random.chance(60);
            variables.push(CVariable {
                name: parameter,
                ty: ty.clone(),
                place: self.fresh_place(addressable || is_slice),
                lifetime: 1,
                writable: !counts_down && !is_slice,
                addressable: addressable || is_slice,
            });
        }
        let list = if declared.is_empty() { "void".to_string() } else { declared.join(", ") };
        let specifier = *self.random.pick(&["static ", "", "static inline "]);
        let head = match &result {
            None => format!("{specifier}void {name}({list})"),
            Some(Type::Pointer(target)) => {
                let inner = self.declare(target, &format!("*{name}({list})"));
                format!("{specifier}{inner}")
            }
            Some(ty) => format!("{specifier}{}", self.declare(ty, &format!("{name}({list})"))),
        };
        self.open(format!("{head} {{"));
        self.variables.extend(variables);
        if recursive {
            self.recursive_body(&name, &result, &parameters);
        } else {
            let count = 1 + self.random.below(self.limits.statements);
            self.statements(count, self.limits.nesting);
            self.return_statement();
        }
        self.close("}", globals);
        self.line("");
        self.functions.push(CFunction { name, head, result, parameters, cost: self.cost, pure, recursive });
        self.pure_only = false;
    }

    fn recursive_body(&mut self, name: &str, result: &Option<Type>, parameters: &[Type]) {
        let inner = self.variables.len();
        self.open("if (p0 <= 0) {");
        self.return_statement();
        self.close("}", inner);
        let count = 1 + self.random.below(3);
        self.statements(count, 1);
        let mut arguments = vec!["p0 - 1".to_string()];
        for (index, ty) in parameters.iter().enumerate().skip(1) {
            // The parameters themselves always fit; integers may as well be changed.
            let name = format!("p{index}");
            let is_integer = matches!(ty, Type::Integer(_));
            arguments.push(if is_integer && self.random.chance(50) { format!("{name} * 3 + p0") } else { name });
        }
        let call = format!("{name}({})", arguments.join(", "));
        match result {
            Some(Type::Integer(_)) if self.random.chance(60) => {
                let value = self.with_effects(false, |this| {
                    let before = std::mem::replace(&mut this.pure_only, true);
                    let value = this.integer(1);
                    this.pure_only = before;
                    value
                });
                let conflicts = value.footprint.conflicts(&Footprint::update(MemoryPart::MEMORY));
                let other = if conflicts { "p0".to_string() } else { value.operand(precedence::PRIMARY) };
                let operator = *self.random.pick(&["+", "-", "^", "*"]);
                self.line(format!("return {call} {operator} {other};"));
            }
            _ => {
                self.line(format!("{call};"));
                self.return_statement();
            }
        }
    }

    /// A `return` that fits the current function.
    pub(super) fn return_statement(&mut self) {
        let Some(ty) = self.result.clone() else {
            self.line("return;");
            return;
        };
        let value = match &ty {
            Type::Structure(index) => match self.structure_value(*index) {
                Some(value) => value.text,
                None => {
                    let tag = self.types.structures[*index].tag.clone();
                    format!("(struct {tag}){{0}}")
                }
            },
            // What is pointed to must outlive the call.
            Type::Pointer(target) => match self.address(target, 0) {
                Some(address) => address.text,
                None => {
                    let name = self.fresh_name("t");
                    let declared = self.declare(target, &name);
                    self.line(format!("static {declared};"));
                    format!("&{name}")
                }
            },
            _ => {
                let depth = self.random.below(self.limits.expression_depth as usize) as u32;
                self.integer(depth).text
            }
        };
        self.line(format!("return {value};"));
    }

    pub(super) fn define_main(&mut self) {
        self.scope_depth = 0;
        self.cost = 1;
        self.multiplier = 1;
        self.effects = true;
        self.result = Some(Type::Integer(IntegerType::Int));
        let globals = self.variables.len();
        self.open("int main(void) {");
        for _ in 0..4 + self.random.below(self.limits.statements) {
            let count = 1 + self.random.below(3);
            self.statements(count, self.limits.nesting);
            self.line("__VERIFIER_ltl_step();");
        }
        self.line("return 0;");
        self.close("}", globals);
    }
}
