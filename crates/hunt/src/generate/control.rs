//! Control flow: branches, loops, `switch`, jumps, early ends. Every loop counts with a variable that nothing else
//! writes, every backward jump with a counter of its own; a forward jump goes to the end of an enclosing block.

use super::Generator;
use super::scope::{CVariable, precedence};
use super::types::{IntegerType, Type};

/// The most often that one statement may be executed within one call.
const REPETITIONS: u64 = 60;

impl Generator {
    fn condition(&mut self) -> String {
        let depth = 1 + self.random.below(self.limits.expression_depth as usize) as u32;
        self.integer(depth).text
    }

    /// Generates what is executed `bound` times inside a loop.
    pub(super) fn in_loop(&mut self, bound: u64, body: impl FnOnce(&mut Generator)) {
        self.multiplier *= bound;
        self.loops += 1;
        self.breakable += 1;
        body(self);
        self.breakable -= 1;
        self.loops -= 1;
        self.multiplier /= bound;
    }

    fn body(&mut self, nesting: u32) {
        let count = 1 + self.random.below(3);
        self.statements(count, nesting);
    }

    pub(super) fn block(&mut self, nesting: u32) -> Option<()> {
        self.note("block");
        let outer = self.variables.len();
        self.open("{");
        self.body(nesting);
        self.close("}", outer);
        Some(())
    }

    pub(super) fn if_statement(&mut self, nesting: u32) -> Option<()> {
        self.note("if");
        let outer = self.variables.len();
        let condition = self.condition();
        if self.random.chance(15) {
            let assignment = self.short_assignment();
            self.line(format!("if ({condition}) {assignment}"));
            return Some(());
        }
        self.open(format!("if ({condition}) {{"));
        self.body(nesting);
        for _ in 0..self.random.weighted(&[(6, 0), (2, 1), (1, 3)]) {
            self.note("else if");
            self.variables.truncate(outer);
            self.indentation -= 1;
            let condition = self.condition();
            self.line(format!("}} else if ({condition}) {{"));
            self.indentation += 1;
            self.body(nesting);
        }
        if self.random.chance(50) {
            self.note("else");
            self.variables.truncate(outer);
            self.indentation -= 1;
            self.line("} else {");
            self.indentation += 1;
            self.body(nesting);
        }
        self.close("}", outer);
        Some(())
    }

    /// An `else` that belongs to the nearer of two conditions.
    pub(super) fn dangling_else(&mut self) -> Option<()> {
        self.note("dangling else");
        let (first, second) = (self.integer(1).text, self.integer(1).text);
        let (yes, no) = (self.short_assignment(), self.short_assignment());
        self.line(format!("if ({first}) if ({second}) {yes} else {no}"));
        Some(())
    }

    pub(super) fn loop_statement(&mut self, nesting: u32) -> Option<()> {
        let bound = 1 + self.random.below(5) as u64;
        if self.multiplier * bound > REPETITIONS {
            return None;
        }
        let outer = self.variables.len();
        let name = self.fresh_name("x");
        let integer = *self.random.pick(&[
            IntegerType::Int,
            IntegerType::Int,
            IntegerType::UnsignedInt,
            IntegerType::SignedChar,
            IntegerType::UnsignedChar,
            IntegerType::Short,
            IntegerType::Long,
            IntegerType::UnsignedLongLong,
        ]);
        let spelling = self.spell(integer);
        let mut enclosed = true;
        let ending = match self.random.below(8) {
            0..=2 => {
                self.note("for");
                let (start, step) = *self.random.pick(&[(0, 1), (5, 1), (0, 3)]);
                let advance = if step == 1 { format!("{name}++") } else { format!("{name} += {step}") };
                let end = start + step * bound;
                self.open(format!("for ({spelling} {name} = {start}; {name} < {end}; {advance}) {{"));
                enclosed = false;
                "}".to_string()
            }
            3 => {
                self.note("for downwards");
                self.open(format!("for ({spelling} {name} = {bound}; {name}-- > 0;) {{"));
                enclosed = false;
                "}".to_string()
            }
            4 => {
                self.note("while");
                self.open("{");
                self.line(format!("{spelling} {name} = 0;"));
                let extra = if self.random.chance(40) {
                    let condition = self.integer(1);
                    format!(" && {}", condition.operand(precedence::BIT_OR))
                } else {
                    String::new()
                };
                self.open(format!("while ({name}++ < {bound}{extra}) {{"));
                "}".to_string()
            }
            5 => {
                self.note("do while");
                self.open("{");
                self.line(format!("{spelling} {name} = 0;"));
                self.open("do {");
                format!("}} while (++{name} < {bound});")
            }
            6 => {
                self.note("for without a condition");
                self.open("{");
                self.line(format!("{spelling} {name} = 0;"));
                let head = *self.random.pick(&["for (;;) {", "while (1) {"]);
                self.open(head);
                self.line(format!("if ({name}++ >= {bound}) break;"));
                "}".to_string()
            }
            _ => {
                self.note("for with commas");
                let other = self.fresh_name("y");
                self.open("{");
                self.line(format!("{spelling} {name}; int {other};"));
                let end = 2 * bound - 1;
                self.open(format!("for ({name} = 0, {other} = {end}; {name} < {other}; {name}++, {other}--) {{"));
                "}".to_string()
            }
        };
        let place = self.fresh_place(false);
        self.variables.push(CVariable {
            name,
            ty: Type::Integer(integer),
            place,
            lifetime: self.scope_depth,
            writable: false,
            addressable: false,
        });
        self.in_loop(bound, |this| this.body(nesting));
        self.close(ending, outer);
        if enclosed {
            self.close("}", outer);
        }
        Some(())
    }

    pub(super) fn switch_statement(&mut self, nesting: u32) -> Option<()> {
        self.note("switch");
        let outer = self.variables.len();
        let inner = self.integer(2);
        let spelled = match self.random.below(6) {
            0 => format!("{} & 7", inner.operand(precedence::BIT_AND)),
            1 => format!("{} % 5", inner.operand(precedence::PRODUCT)),
            2 => format!("(signed char){}", inner.operand(precedence::UNARY)),
            3 => format!("(long long)({} & 3)", inner.operand(precedence::BIT_AND)),
            4 => format!("(unsigned char){} % 4u", inner.operand(precedence::UNARY)),
            _ => inner.text.clone(),
        };
        self.open(format!("switch ({spelled}) {{"));
        self.breakable += 1;
        let count = 1 + self.random.below(5);
        let default_at = if self.random.chance(70) { self.random.below(count + 1) } else { usize::MAX };
        let mut next = self.random.between(-3, 1);
        for position in 0..=count {
            if position == default_at {
                if position != count {
                    self.note("default before other cases");
                }
                self.case("default: {".to_string(), nesting);
            }
            if position == count {
                break;
            }
            let label = if self.random.chance(6) {
                self.note("case range");
                next += 2;
                format!("case {} ... {next}: {{", next - 2)
            } else if self.random.chance(10) {
                self.note("several labels");
                next += 1;
                format!("case {}: case {next}: {{", next - 1)
            } else if next >= 0 && self.random.chance(15) {
                format!("case '\\x{next:02x}': {{")
            } else {
                format!("case {next}: {{")
            };
            next += self.random.between(1, 2);
            self.case(label, nesting);
        }
        self.breakable -= 1;
        self.close("}", outer);
        Some(())
    }

    fn case(&mut self, label: String, nesting: u32) {
        let outer = self.variables.len();
        self.open(label);
        self.body(nesting);
        let falls_through = self.random.chance(35);
        if falls_through {
            self.note("fall through");
        } else {
            self.line("break;");
        }
        self.close("}", outer);
    }

    /// A block whose end can be jumped to from anywhere inside.
    pub(super) fn forward_jumps(&mut self, nesting: u32) -> Option<()> {
        let label = self.fresh_name("out");
        let outer = self.variables.len();
        self.open("{");
        self.labels.push((label, false));
        self.body(nesting);
        self.body(nesting);
        if let Some((label, true)) = self.labels.pop() {
            self.line(format!("{label}: ;"));
        }
        self.close("}", outer);
        Some(())
    }

    pub(super) fn backward_jump(&mut self, nesting: u32) -> Option<()> {
        let bound = 1 + self.random.below(3) as u64;
        if self.multiplier * (bound + 1) > REPETITIONS {
            return None;
        }
        self.note("goto backward");
        let (label, counter) = (self.fresh_name("again"), self.fresh_name("k"));
        let outer = self.variables.len();
        self.open("{");
        self.line(format!("int {counter} = 0;"));
        self.line(format!("{label}: ;"));
        // The inner block ends the life of its variables before the jump.
        self.open("{");
        self.multiplier *= bound + 1;
        self.body(nesting);
        self.multiplier /= bound + 1;
        self.close("}", outer);
        let condition = self.integer(1);
        self.line(format!("if ({counter}++ < {bound} && {}) goto {label};", condition.operand(precedence::BIT_OR)));
        self.close("}", outer);
        Some(())
    }

    /// A loop that is first entered in its middle.
    pub(super) fn jump_into_loop(&mut self) -> Option<()> {
        let bound = 2 + self.random.below(3);
        if self.multiplier * bound as u64 > REPETITIONS {
            return None;
        }
        self.note("goto into a loop");
        let (label, counter) = (self.fresh_name("middle"), self.fresh_name("k"));
        let outer = self.variables.len();
        self.open("{");
        self.line(format!("int {counter} = 0;"));
        self.line(format!("goto {label};"));
        self.open(format!("while ({counter} < {bound}) {{"));
        self.multiplier *= bound as u64;
        let first = self.short_assignment();
        self.line(first);
        self.line(format!("{label}: {counter}++;"));
        let second = self.short_assignment();
        self.line(second);
        self.multiplier /= bound as u64;
        self.close("}", outer);
        self.close("}", outer);
        Some(())
    }

    /// A loop whose body has labels of the `switch` around it (Duff's device).
    pub(super) fn loop_in_switch(&mut self) -> Option<()> {
        if self.multiplier * 3 > REPETITIONS {
            return None;
        }
        self.note("loop inside a switch");
        let counter = self.fresh_name("k");
        let chosen = self.integer(1);
        let outer = self.variables.len();
        self.open("{");
        self.line(format!("int {counter} = 3;"));
        self.open(format!("switch ({} & 3) {{", chosen.operand(precedence::BIT_AND)));
        self.open("case 0: do {");
        self.multiplier *= 3;
        for label in ["", "case 3: ", "case 2: ", "case 1: "] {
            let assignment = self.short_assignment();
            self.line(format!("{label}{assignment}"));
        }
        self.multiplier /= 3;
        self.close(format!("}} while (--{counter} > 0);"), outer);
        self.close("}", outer);
        self.close("}", outer);
        Some(())
    }

    /// `break`, `continue` or `goto`, behind a condition.
    pub(super) fn jump(&mut self) -> Option<()> {
        let condition = self.integer(2).text;
        if !self.labels.is_empty() && self.random.chance(50) {
            self.note("goto forward");
            let index = self.random.below(self.labels.len());
            self.labels[index].1 = true;
            let label = self.labels[index].0.clone();
            self.line(format!("if ({condition}) goto {label};"));
        } else if self.loops > 0 && self.random.chance(50) {
            self.note("continue");
            self.line(format!("if ({condition}) continue;"));
        } else if self.breakable > 0 {
            self.note("break");
            self.line(format!("if ({condition}) break;"));
        } else {
            return None;
        }
        Some(())
    }

    pub(super) fn early_return(&mut self) -> Option<()> {
        if self.scope_depth < 2 {
            return None;
        }
        self.note("early return");
        let outer = self.variables.len();
        let condition = self.condition();
        self.open(format!("if ({condition}) {{"));
        self.return_statement();
        self.close("}", outer);
        Some(())
    }

    pub(super) fn early_end(&mut self) -> Option<()> {
        if self.pure_only || self.scope_depth < 2 {
            return None;
        }
        self.uses_library = true;
        let condition = self.condition();
        let end = *self.random.pick(&["exit(0);", "exit(3);", "abort();"]);
        self.note(if end == "abort();" { "abort" } else { "exit" });
        self.line(format!("if ({condition}) {end}"));
        Some(())
    }
}
