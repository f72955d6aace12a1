//! Statements that do not steer control: assignments, calls, declarations, observation points; and the choice among all
//! statements.

use super::Generator;
use super::initialisers::ObjectStorage;
use super::lvalues::Purpose;
use super::scope::{CVariable, Footprint, precedence};
use super::types::{Type, Want};

/// The kinds of statements.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Assignment,
    Increment,
    Call,
    Observation,
    Declaration,
    If,
    DanglingElse,
    Loop,
    Switch,
    ForwardJumps,
    BackwardJump,
    Block,
    Retarget,
    GuardedWrite,
    ByteWrite,
    CursorLoop,
    Heap,
    BlockOperation,
    ListWalk,
    StringWalk,
    FloatingBits,
    FloatingAssignment,
    StructureAssignment,
    Jump,
    Return,
    End,
    JumpIntoLoop,
    LoopInSwitch,
    LocalTypes,
    LayoutProbe,
}

const SIMPLE: [(u32, Kind); 16] = [
    (30, Kind::Assignment),
    (6, Kind::Increment),
    (10, Kind::Call),
    (12, Kind::Observation),
    (14, Kind::Declaration),
    (3, Kind::DanglingElse),
    (6, Kind::Retarget),
    (2, Kind::GuardedWrite),
    (2, Kind::ByteWrite),
    (4, Kind::BlockOperation),
    (2, Kind::StringWalk),
    (2, Kind::FloatingBits),
    (3, Kind::FloatingAssignment),
    (5, Kind::StructureAssignment),
    (5, Kind::Jump),
    (3, Kind::LayoutProbe),
];

const NESTED: [(u32, Kind); 14] = [
    (10, Kind::If),
    (10, Kind::Loop),
    (5, Kind::Switch),
    (3, Kind::ForwardJumps),
    (2, Kind::BackwardJump),
    (4, Kind::Block),
    (3, Kind::CursorLoop),
    (3, Kind::Heap),
    (3, Kind::ListWalk),
    (2, Kind::Return),
    (1, Kind::End),
    (1, Kind::JumpIntoLoop),
    (1, Kind::LoopInSwitch),
    (2, Kind::LocalTypes),
];

impl Generator {
    /// So many statements, of which each may hold others nested so deep.
    pub(super) fn statements(&mut self, count: usize, nesting: u32) {
        for _ in 0..count {
            self.statement(nesting);
        }
    }

    fn statement(&mut self, nesting: u32) {
        let kind = if nesting > 0 && self.random.chance(32) {
            self.random.weighted(&NESTED)
        } else {
            self.random.weighted(&SIMPLE)
        };
        self.cost += self.multiplier;
        let written = match kind {
            Kind::Assignment => None,
            Kind::Increment => self.increment_statement(),
            Kind::Call => self.call_statement(),
            Kind::Observation => self.observation(),
            Kind::Declaration => self.declaration(),
            Kind::If => self.if_statement(nesting - 1),
            Kind::DanglingElse => self.dangling_else(),
            Kind::Loop => self.loop_statement(nesting - 1),
            Kind::Switch => self.switch_statement(nesting - 1),
            Kind::ForwardJumps => self.forward_jumps(nesting - 1),
            Kind::BackwardJump => self.backward_jump(nesting - 1),
            Kind::Block => self.block(nesting - 1),
            Kind::Retarget => self.retarget(),
            Kind::GuardedWrite => self.guarded_write(),
            Kind::ByteWrite => self.byte_write(),
            Kind::CursorLoop => self.cursor_loop(nesting - 1),
            Kind::Heap => self.heap_block(nesting - 1),
            Kind::BlockOperation => self.block_operation(),
            Kind::ListWalk => self.list_walk(nesting - 1),
            Kind::StringWalk => self.string_walk(),
            Kind::FloatingBits => self.bits_of_floating(),
            Kind::FloatingAssignment => self.floating_assignment(),
            Kind::StructureAssignment => self.structure_assignment(),
            Kind::Jump => self.jump(),
            Kind::Return => self.early_return(),
            Kind::End => self.early_end(),
            Kind::JumpIntoLoop => self.jump_into_loop(),
            Kind::LoopInSwitch => self.loop_in_switch(),
            Kind::LocalTypes => self.local_types(),
            Kind::LayoutProbe => self.layout_probe(),
        };
        if written.is_none() {
            self.assignment_statement();
        }
    }

    fn assignment_statement(&mut self) {
        let depth = self.random.below(self.limits.expression_depth as usize + 1) as u32;
        match self.assignment(depth) {
            Some(assignment) => self.line(format!("{};", assignment.text)),
            None => self.line(";"),
        }
    }

    /// An assignment that fits on one line behind a condition.
    pub(super) fn short_assignment(&mut self) -> String {
        match self.assignment(1) {
            Some(assignment) => format!("{};", assignment.text),
            None => ";".to_string(),
        }
    }

    fn increment_statement(&mut self) -> Option<()> {
        let increment = self.increment()?;
        self.line(format!("{};", increment.text));
        Some(())
    }

    fn call_statement(&mut self) -> Option<()> {
        let call = self.call_for_effect()?;
        let prefix = if self.random.chance(15) { "(void)" } else { "" };
        self.line(format!("{prefix}{};", call.text));
        Some(())
    }

    fn observation(&mut self) -> Option<()> {
        if self.pure_only {
            return None;
        }
        self.note("observation point");
        self.line("__VERIFIER_ltl_step();");
        Some(())
    }

    fn declaration(&mut self) -> Option<()> {
        let ty = match self.random.below(24) {
            0..=9 => self.integer_type(),
            10 | 11 => Type::array(self.integer_type(), 1 + self.random.below(5)),
            12 => Type::array(Type::array(self.integer_type(), 2), 2 + self.random.below(2)),
            13..=15 => Type::Structure(self.random.below(self.types.structures.len())),
            16 if !self.types.unions.is_empty() => Type::Union(self.random.below(self.types.unions.len())),
            17 if !self.types.enumerations.is_empty() => {
                Type::Enumeration(self.random.below(self.types.enumerations.len()))
            }
            18 => self.random.pick(&[Type::Double, Type::Float]).clone(),
            19 if !self.pure_only => Type::Function,
            20 if !self.pure_only => Type::Nullable(Box::new(self.integer_type())),
            _ if !self.pure_only => self.pointer_type(false)?,
            _ => self.integer_type(),
        };
        if !self.pure_only && self.random.chance(10) && !matches!(ty, Type::Pointer(_) | Type::Function) {
            return self.static_local(ty);
        }
        let name = self.local_name();
        let is_array = matches!(ty, Type::Array(..));
        let addressable = !self.pure_only && (is_array || self.random.chance(60));
        // The scope of the name begins before its initialiser, in which an outer variable of that name is out of reach.
        self.hidden.push(name.clone());
        let initialiser = self.initialiser(&ty, ObjectStorage::Automatic(self.scope_depth));
        self.hidden.pop();
        let initialiser = initialiser?.text;
        let mut declared = self.declare(&ty, &name);
        let is_integer = matches!(ty, Type::Integer(_));
        if is_integer && !addressable && self.random.chance(10) {
            self.note("register");
            declared = format!("register {declared}");
        }
        let is_list = initialiser.starts_with('{') || initialiser.starts_with('"');
        if self.random.chance(10) && !is_list {
            self.note("declaration without initialiser");
            self.line(format!("{declared}; {name} = {initialiser};"));
        } else {
            self.line(format!("{declared} = {initialiser};"));
        }
        let place = self.fresh_place(addressable);
        self.variables.push(CVariable { name, ty, place, lifetime: self.scope_depth, writable: true, addressable });
        Some(())
    }

    fn static_local(&mut self, ty: Type) -> Option<()> {
        let initialiser = self.initialiser(&ty, ObjectStorage::Static)?;
        self.note("static local");
        let name = self.fresh_name("t");
        let declared = self.declare(&ty, &name);
        if self.random.chance(30) {
            self.line(format!("static {declared};"));
        } else {
            self.line(format!("static {declared} = {};", initialiser.text));
        }
        let place = self.fresh_place(true);
        self.variables.push(CVariable { name, ty, place, lifetime: 0, writable: true, addressable: true });
        Some(())
    }

    /// A new name, or inside a nested block now and then that of a variable further out.
    fn local_name(&mut self) -> String {
        if self.scope_depth > 1 && self.random.chance(12) {
            let outer: Vec<String> = self
                .variables
                .iter()
                .filter(|variable| variable.name.starts_with(['g', 'l']))
                .map(|variable| variable.name.clone())
                .filter(|name| {
                    !self.variables.iter().any(|other| other.name == *name && other.lifetime >= self.scope_depth)
                })
                .collect();
            if !outer.is_empty() {
                self.note("shadowing");
                return self.random.pick(&outer).clone();
            }
        }
        self.fresh_name("l")
    }

    /// A structure, an enumeration and a name for a type that only one block knows.
    fn local_types(&mut self) -> Option<()> {
        let object = self.with_effects(false, |this| this.designate(&Want::Integer, Purpose::WRITE))?;
        self.note("types inside a block");
        let (first, second) = (self.integer_type(), self.integer_type());
        let (one, two) = (self.declare(&first, "a"), self.declare(&second, "b[2]"));
        let (tag, name, value) = (self.fresh_name("L"), self.fresh_name("C"), self.constant(-9, 99, 1).0);
        let (variable, alias) = (self.fresh_name("v"), self.fresh_name("T"));
        let (start, bits) = (self.integer(1).operand(precedence::ASSIGNMENT), 1 + self.random.below(20));
        let outer = self.variables.len();
        self.open("{");
        self.line(format!("struct {tag} {{ {one}; {two}; int c : {bits}; }} {variable} = {{.a = {start}}};"));
        self.line(format!("enum {{ {name} = {value} }};"));
        self.line(format!("typedef struct {tag} {alias};"));
        self.line(format!("{alias} {variable}_2 = {variable}, *{variable}_3 = &{variable}_2;"));
        self.line(format!("{variable}_3->c = {name} + {variable}.a; {variable}_2.b[1] -= {variable}_3->c;"));
        self.line(format!("{} = {variable}_2.b[1] ^ {variable}_3->c + {name};", object.text));
        self.close("}", outer);
        Some(())
    }

    fn floating_assignment(&mut self) -> Option<()> {
        let object = self.with_effects(false, |this| this.designate(&Want::Floating, Purpose::WRITE))?;
        let value = self.floating(2);
        self.note("floating assignment");
        let operator = *self.random.pick(&["=", "=", "+=", "-=", "*="]);
        self.line(format!("{} {operator} {};", object.text, value.text));
        Some(())
    }

    fn structure_assignment(&mut self) -> Option<()> {
        let index = self.random.below(self.types.structures.len());
        let want = Want::Exactly(Type::Structure(index));
        let object = self.with_effects(false, |this| this.designate(&want, Purpose::WRITE))?;
        let value = self.structure_value(index)?;
        let access = Footprint::read(object.place).joined(&object.address);
        let complete = value.is_call && !object.address.conflicts(&value.footprint);
        if access.conflicts(&value.footprint) && !complete {
            return None;
        }
        self.note("structure assignment");
        self.line(format!("{} = {};", object.text, value.operand(precedence::ASSIGNMENT)));
        Some(())
    }
}
