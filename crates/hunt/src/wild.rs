//! Programs in which anything may happen: undefined behaviour, values that are not initialised, overflows, runs that
//! are blocked, addresses of what no longer exists. A compiler cannot be asked about them; they are for comparing the
//! interpreter with itself, before and after a pass.
//!
//! How much goes wrong differs from program to program: where too much does, hardly anything is left to compare.
//! The text needs no preprocessing. Functions call only those before them, so that all calls can be inlined.

use crate::program::{Features, GeneratedProgram, Size};
use crate::random::Random;

/// The types and objects that every program has; what it does with them is random.
const PRELUDE: &str = "\
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_ltl_step(void);
extern void abort(void);
extern void *malloc(unsigned long);
extern void free(void *);
extern void *memcpy(void *, const void *, unsigned long);
extern int elsewhere(int);
struct point { short x; int y; };
struct box { int a; unsigned b : 5; int c : 3; _Bool d : 1; char text[3]; struct point at; int *to; };
union word { int number; unsigned char byte[4]; struct point at; };
";

/// The program of a seed.
pub fn wild(seed: u64, size: Size) -> GeneratedProgram {
    let statements = match size {
        Size::Small => 4,
        Size::Medium => 8,
        Size::Large => 20,
    };
    let mut random = Random::new(seed);
    let danger = random.weighted(&[(4, 0), (3, 3), (2, 30)]);
    let mut writer = Writer {
        random,
        danger,
        lines: Vec::new(),
        depth: 0,
        statements,
        functions: Vec::new(),
        scope: Scope::default(),
        in_loop: false,
        names: 0,
    };
    writer.program();
    let text = PRELUDE.to_owned() + &writer.lines.join("\n") + "\n";
    GeneratedProgram { seed, text, globals: Vec::new(), inputs: Vec::new(), step_limit: 0, features: Features::new() }
}

/// The names that can be used, by what they are.
#[derive(Clone, Default)]
struct Scope {
    integers: Vec<String>,
    arrays: Vec<(String, usize)>,
    boxes: Vec<String>,
    points: Vec<String>,
    words: Vec<String>,
    pointers: Vec<String>,
    box_pointers: Vec<String>,
}

/// A function, by its name and the kinds of its parameters.
struct Callable {
    name: String,
    parameters: Vec<WildKind>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum WildKind {
    Integer,
    Box,
    Pointer,
}

struct Writer {
    random: Random,
    /// In how many of one hundred cases something is done that may go wrong.
    danger: u32,
    lines: Vec<String>,
    depth: usize,
    /// How many statements a block has at most.
    statements: usize,
    functions: Vec<Callable>,
    scope: Scope,
    in_loop: bool,
    names: usize,
}

impl Writer {
    fn program(&mut self) {
        self.globals();
        for _ in 0..1 + self.random.below(3) {
            self.function();
        }
        self.line("int main(void) {");
        let outer = self.scope.clone();
        self.depth += 1;
        // What is known from the start would decide most branches.
        for name in self.scope.integers.clone() {
            if self.random.chance(60) {
                self.line(&format!("{name} = __VERIFIER_nondet_int();"));
            }
        }
        self.block(2);
        if self.random.chance(60) {
            self.in_loop = true;
            let head = *self.random.pick(&["while (1) ", "while (!__VERIFIER_nondet_bool()) "]);
            self.nested(head, 3);
            self.in_loop = false;
        }
        self.block(1);
        let value = self.integer(1);
        self.line(&format!("return {value};"));
        self.depth -= 1;
        self.scope = outer;
        self.line("}");
    }

    fn globals(&mut self) {
        for index in 0..3 + self.random.below(3) {
            let ty = *self.random.pick(&["int", "int", "unsigned", "signed char", "long", "_Bool", "unsigned short"]);
            let name = format!("g{index}");
            let initial = if self.random.chance(50) { format!(" = {}", self.random.below(4)) } else { String::new() };
            self.line(&format!("{ty} {name}{initial};"));
            self.scope.integers.push(name);
        }
        self.line("int table[4] = {3, 1, 2};");
        self.line("const int fixed[3] = {5, 0, 7};");
        self.scope.arrays.extend([("table".to_owned(), 4), ("fixed".to_owned(), 3)]);
        self.line("struct box gb = {1, 2, -1, 1, \"ab\", {4, 5}, &table[1]};");
        self.scope.boxes.push("gb".to_owned());
        self.line("union word gw;");
        self.scope.words.push("gw".to_owned());
        let pointee = if self.dares() { "0" } else { *self.random.pick(&["&table[2]", "&gb.a", "&gb.at.y"]) };
        self.line(&format!("int *gp = {pointee};"));
        self.line("double gd = 0.5;");
        self.scope.pointers.push("gp".to_owned());
        self.line("extern int outside;");
        self.scope.integers.push("outside".to_owned());
        self.line("int twice(int n) { return n * 2; }");
        self.line("int apply(int (*f)(int), int n) { return f ? f(n) : 7; }");
    }

    fn function(&mut self) {
        let name = format!("f{}", self.functions.len());
        let outer = self.scope.clone();
        let mut parameters = Vec::new();
        let mut written = Vec::new();
        for index in 0..self.random.below(3) {
            let kind = self.random.weighted(&[(3, WildKind::Integer), (1, WildKind::Box), (2, WildKind::Pointer)]);
            let own = format!("p{index}");
            written.push(match kind {
                WildKind::Integer => format!("int {own}"),
                WildKind::Box => format!("struct box {own}"),
                WildKind::Pointer => format!("int *{own}"),
            });
            match kind {
                WildKind::Integer => self.scope.integers.push(own),
                WildKind::Box => self.scope.boxes.push(own),
                WildKind::Pointer => self.scope.pointers.push(own),
            }
            parameters.push(kind);
        }
        let list = if written.is_empty() { "void".to_owned() } else { written.join(", ") };
        self.line(&format!("int {name}({list}) {{"));
        self.depth += 1;
        self.block(2);
        let value = self.integer(2);
        self.line(&format!("return {value};"));
        self.depth -= 1;
        self.line("}");
        self.scope = outer;
        self.functions.push(Callable { name, parameters });
    }

    fn dares(&mut self) -> bool {
        self.random.chance(self.danger)
    }

    fn line(&mut self, text: &str) {
        self.lines.push("    ".repeat(self.depth) + text);
    }

    fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    fn block(&mut self, nesting: usize) {
        for _ in 0..1 + self.random.below(self.statements) {
            self.statement(nesting);
        }
    }

    /// A block in braces, with names of its own.
    fn nested(&mut self, head: &str, nesting: usize) {
        self.line(&format!("{head}{{"));
        let outer = self.scope.clone();
        self.depth += 1;
        self.block(nesting - 1);
        self.depth -= 1;
        self.scope = outer;
        self.line("}");
    }

    fn statement(&mut self, nesting: usize) {
        let kinds: &[(u32, u8)] = &[
            (30, 0),
            (10, 1),
            (12, 2),
            (8, 3),
            (6, 4),
            (if nesting > 0 { 20 } else { 0 }, 5),
            (if nesting > 0 { 5 } else { 0 }, 6),
            (if nesting > 0 { 4 } else { 0 }, 7),
            (if nesting > 0 { 4 } else { 0 }, 8),
            (8, 9),
            (5, 10),
            (3, 11),
            (if self.in_loop { 3 } else { 0 }, 12),
            (1, 13),
            (3, 14),
            (3, 15),
            (5, 16),
        ];
        match self.random.weighted(kinds) {
            0 => {
                let (target, value) = (self.target(), self.integer(3));
                let remainder = if self.dares() { "%=" } else { "^=" };
                let op = self.random.weighted(&[(6, "="), (1, "+="), (1, "-="), (1, "|="), (1, remainder)]);
                self.line(&format!("{target} {op} {value};"));
            }
            1 => self.declaration(),
            2 => {
                let target = self.target();
                let input = *self.random.pick(&["int", "int", "uchar", "bool"]);
                self.line(&format!("{target} = __VERIFIER_nondet_{input}();"));
            }
            3 => self.copy(),
            4 => self.pointer_assignment(),
            5 => {
                let condition = self.condition();
                self.nested(&format!("if ({condition}) "), nesting);
                if self.random.chance(40) {
                    self.nested("else ", nesting);
                }
            }
            6 => {
                let condition = self.condition();
                let was_in_loop = std::mem::replace(&mut self.in_loop, true);
                self.nested(&format!("while ({condition}) "), nesting);
                self.in_loop = was_in_loop;
            }
            7 => {
                let value = self.integer(1);
                self.line(&format!("switch ({value}) {{"));
                for label in ["case 0:", "case 1:", "case 5:", "default:"] {
                    self.line(label);
                    self.nested("", nesting);
                    if self.random.chance(70) {
                        self.line("break;");
                    }
                }
                self.line("}");
            }
            8 => self.nested("", nesting),
            9 => self.call(),
            10 => {
                let condition = if self.dares() {
                    self.condition()
                } else {
                    format!("{} != {}", self.random.pick(&self.scope.integers), 70 + self.random.below(20))
                };
                self.line(&format!("__VERIFIER_assume({condition});"));
            }
            11 => self.line("__VERIFIER_ltl_step();"),
            12 => {
                let condition = self.condition();
                let jump = *self.random.pick(&["break", "continue"]);
                self.line(&format!("if ({condition}) {jump};"));
            }
            13 => {
                let condition = self.condition();
                let end = *self.random.pick(&["abort()", "__VERIFIER_assume(0)", "while (1)"]);
                self.line(&format!("if ({condition}) {end};"));
            }
            14 => {
                let value = self.integer(1);
                self.line(&format!("gd = gd / 4 + {value};"));
            }
            15 => self.allocation(),
            _ => self.short_life(),
        }
    }

    fn allocation(&mut self) {
        let pointer = self.random.pick(&self.scope.pointers).clone();
        if self.dares() {
            let bytes = *self.random.pick(&["4", "8", "2", "0"]);
            self.line(&format!("{pointer} = malloc({bytes});"));
            if self.random.chance(40) {
                self.line(&format!("free({pointer});"));
            }
            return;
        }
        self.line(&format!("{pointer} = malloc(8);"));
        self.line(&format!("if (!{pointer}) {pointer} = &table[0];"));
        if self.random.chance(30) {
            let value = self.integer(1);
            self.line(&format!("*{pointer} = {value};"));
        }
        if self.random.chance(30) {
            self.line(&format!("if ({pointer} != &table[0]) {{ free({pointer}); {pointer} = &table[1]; }}"));
        }
    }

    /// A local that is read before it is written, or pointed to when it is gone.
    fn short_life(&mut self) {
        let (name, value) = (self.name("n"), self.random.below(3));
        if self.dares() {
            let pointer = self.random.pick(&self.scope.pointers).clone();
            self.line(&format!("{{ int {name} = {value}; {pointer} = &{name}; }}"));
            return;
        }
        let target = self.target();
        self.line(&format!("{{ int {name}; {target} = {name}; {name} = {value}; {target} = {name}; }}"));
    }

    /// A local, often without an initial value.
    fn declaration(&mut self) {
        match self.random.below(7) {
            0 => {
                let name = self.name("a");
                let initial = self.random.weighted(&[(1, ""), (1, " = {1, 2}")]);
                self.line(&format!("int {name}[3]{initial};"));
                self.scope.arrays.push((name, 3));
            }
            1 => {
                let name = self.name("b");
                let initial = self.random.weighted(&[(2, ""), (1, " = {3}"), (1, " = gb")]);
                self.line(&format!("struct box {name}{initial};"));
                self.scope.boxes.push(name);
            }
            2 => {
                let name = self.name("q");
                let address = self.address(true);
                self.line(&format!("int *{name} = {address};"));
                self.scope.pointers.push(name);
            }
            3 => {
                let name = self.name("c");
                let target = self.random.pick(&self.scope.boxes).clone();
                self.line(&format!("struct box *{name} = &{target};"));
                self.scope.box_pointers.push(name);
            }
            4 => {
                let name = self.name("at");
                self.line(&format!("struct point {name};"));
                self.scope.points.push(name);
            }
            5 => {
                let name = self.name("n");
                self.line(&format!("int {name};"));
                self.scope.integers.push(name);
            }
            _ => {
                let (name, value) = (self.name("n"), self.integer(2));
                self.line(&format!("int {name} = {value};"));
                self.scope.integers.push(name);
            }
        }
    }

    /// A copy of a structure or union.
    fn copy(&mut self) {
        let kind = self.random.below(4);
        let names = match kind {
            0 | 1 => &self.scope.boxes,
            2 => &self.scope.points,
            _ => &self.scope.words,
        };
        if names.is_empty() {
            return;
        }
        let (one, two) = (self.random.pick(names).clone(), self.random.pick(names).clone());
        let other_box = self.random.pick(&self.scope.boxes).clone();
        match (kind, self.random.below(6)) {
            (0, 0) if !self.scope.box_pointers.is_empty() => {
                let pointer = self.random.pick(&self.scope.box_pointers).clone();
                self.line(&format!("*{pointer} = {two};"));
            }
            (0, 1) if !self.scope.box_pointers.is_empty() => {
                let pointer = self.random.pick(&self.scope.box_pointers).clone();
                self.line(&format!("{one} = *{pointer};"));
            }
            (2, 0..=2) => self.line(&format!("{one} = {other_box}.at;")),
            (2, 3) => self.line(&format!("{one} = gw.at;")),
            (3, _) => self.line(&format!("{one}.at = {other_box}.at;")),
            (0, 2) if one != two || self.dares() => self.line(&format!("memcpy(&{one}, &{two}, sizeof {one});")),
            _ => self.line(&format!("{one} = {two};")),
        }
    }

    fn pointer_assignment(&mut self) {
        let (pointer, address) = (self.random.pick(&self.scope.pointers).clone(), self.address(false));
        self.line(&format!("{pointer} = {address};"));
    }

    fn call(&mut self) {
        let target = self.target();
        if self.functions.is_empty() || self.random.chance(20) {
            let value = self.integer(1);
            let called = self.random.weighted(&[(2, "twice"), (1, "elsewhere")]);
            let pointer = self.random.weighted(&[(3, "twice"), (1, "0")]);
            let text = match self.random.below(2) {
                0 => format!("{target} = {called}({value});"),
                _ => format!("{target} = apply({pointer}, {value});"),
            };
            self.line(&text);
            return;
        }
        let index = self.random.below(self.functions.len());
        let name = self.functions[index].name.clone();
        let mut arguments = Vec::new();
        for kind in self.functions[index].parameters.clone() {
            arguments.push(match kind {
                WildKind::Integer => self.integer(2),
                WildKind::Box => self.random.pick(&self.scope.boxes).clone(),
                WildKind::Pointer => self.address(true),
            });
        }
        let call = format!("{name}({})", arguments.join(", "));
        let offset = self.random.below(3);
        let text = match self.random.below(3) {
            0 => format!("{call};"),
            1 => format!("{target} = {call};"),
            _ => format!("{target} = {call} + {offset};"),
        };
        self.line(&text);
    }

    /// The address of an integer, or a pointer that exists. Where it outlives a local, that is not pointed to.
    fn address(&mut self, is_passing: bool) -> String {
        if self.dares() {
            return match self.random.below(4) {
                0 => "0".to_owned(),
                1 => format!("{} + {}", self.random.pick(&self.scope.pointers), self.random.between(-1, 1)),
                2 => "&table[4]".to_owned(),
                _ => self.local_address(),
            };
        }
        match self.random.below(6) {
            0 => self.random.pick(&self.scope.pointers).clone(),
            1 => format!("&table[{}]", self.random.below(4)),
            2 => self.random.pick(&["&gb.a", "&gb.at.y", "(int *)&fixed[1]"]).to_string(),
            _ if is_passing => self.local_address(),
            _ => "&table[2]".to_owned(),
        }
    }

    fn local_address(&mut self) -> String {
        if self.random.chance(30) {
            let member = *self.random.pick(&["a", "at.y"]);
            return format!("&{}.{member}", self.random.pick(&self.scope.boxes));
        }
        let locals: Vec<&String> = self.scope.integers.iter().filter(|name| name.starts_with('n')).collect();
        if locals.is_empty() { "&table[0]".to_owned() } else { format!("&{}", self.random.pick(&locals)) }
    }

    /// Something to which an integer can be assigned.
    fn target(&mut self) -> String {
        match self.random.below(12) {
            0 | 1 => {
                let (array, length) = self.random.pick(&self.scope.arrays).clone();
                let array = if array == "fixed" { "table".to_owned() } else { array };
                let index = self.index(length);
                format!("{array}[{index}]")
            }
            2..=4 => self.member(),
            5 => format!("*{}", self.random.pick(&self.scope.pointers)),
            6 => {
                let member = *self.random.pick(&["number", "byte[1]", "at.x", "byte[3]"]);
                format!("{}.{member}", self.random.pick(&self.scope.words))
            }
            _ => self.random.pick(&self.scope.integers).clone(),
        }
    }

    fn member(&mut self) -> String {
        if !self.scope.points.is_empty() && self.random.chance(25) {
            let member = *self.random.pick(&["x", "y"]);
            return format!("{}.{member}", self.random.pick(&self.scope.points));
        }
        let index = self.index(3);
        let member = match self.random.below(8) {
            0 => "b".to_owned(),
            1 => "c".to_owned(),
            2 => "d".to_owned(),
            3 => format!("text[{index}]"),
            4 => "at.x".to_owned(),
            5 => "at.y".to_owned(),
            _ => "a".to_owned(),
        };
        if !self.scope.box_pointers.is_empty() && self.random.chance(25) {
            return format!("{}->{member}", self.random.pick(&self.scope.box_pointers));
        }
        format!("{}.{member}", self.random.pick(&self.scope.boxes))
    }

    /// An index, mostly constant and mostly inside.
    fn index(&mut self, length: usize) -> String {
        if self.dares() {
            return if self.random.chance(50) { self.integer(1) } else { length.to_string() };
        }
        if self.random.chance(15) {
            return format!("{} & {}", self.random.pick(&self.scope.integers), length - 1);
        }
        self.random.below(length).to_string()
    }

    fn condition(&mut self) -> String {
        match self.random.below(12) {
            0 => {
                let (pointer, address) = (self.random.pick(&self.scope.pointers).clone(), self.address(false));
                format!("{pointer} == {address}")
            }
            1 => {
                let pointer = self.random.pick(&self.scope.pointers).clone();
                format!("{pointer} && *{pointer} > {}", self.random.below(3))
            }
            2..=4 => self.equality(),
            5 | 6 => {
                let (left, right) = (self.equality(), self.equality());
                let text = format!("{left} {} {right}", *self.random.pick(&["&&", "||"]));
                if self.random.chance(40) { format!("!({text})") } else { text }
            }
            7 => format!("gd < {}", self.random.below(4)),
            _ => self.integer(2),
        }
    }

    fn equality(&mut self) -> String {
        let op = self.random.weighted(&[(3, "=="), (1, "!=")]);
        format!("{} {op} {}", self.random.pick(&self.scope.integers), self.random.below(4))
    }

    /// An expression of arithmetic type, without side effects.
    fn integer(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.chance(25) {
            return match self.random.below(10) {
                0..=2 => self.random.between(-2, 6).to_string(),
                3 => self.random.pick(&["2147483647", "(-2147483647 - 1)", "255", "0x80u", "4294967295u"]).to_string(),
                4 => {
                    let (array, length) = self.random.pick(&self.scope.arrays).clone();
                    format!("{array}[{}]", self.random.below(length))
                }
                5 => format!("{}.a", self.random.pick(&self.scope.boxes)),
                6 => self.member_read(),
                _ => self.random.pick(&self.scope.integers).clone(),
            };
        }
        let (left, right) = (self.integer(depth - 1), self.integer(depth - 1));
        match self.random.below(16) {
            0..=2 => format!("({left} + {right})"),
            3 => format!("({left} - {right})"),
            4 => format!("({left} * {right})"),
            5 if self.dares() => format!("({left} / {right})"),
            5 => format!("({left} / {})", *self.random.pick(&["3", "7", "(-2)", "2u"])),
            6 => format!("({left} % {})", 1 + self.random.below(9)),
            7 => format!("({left} << {})", self.random.below(8)),
            8 => format!("({left} >> {})", self.random.below(8)),
            9 => format!("({left} {} {right})", *self.random.pick(&["&", "|", "^"])),
            10 | 11 => format!("({left} {} {right})", *self.random.pick(&["==", "!=", "<", "<=", ">"])),
            12 => format!("({left} {} {right})", *self.random.pick(&["&&", "||"])),
            13 => format!("({left} ? {right} : {})", self.integer(depth - 1)),
            14 => format!("({} {left})", *self.random.pick(&["-", "~", "!"])),
            _ => format!("(({}){left})", *self.random.pick(&["signed char", "unsigned", "long", "_Bool", "short"])),
        }
    }

    fn member_read(&mut self) -> String {
        match self.random.below(4) {
            0 => format!("*{}", self.random.pick(&self.scope.pointers)),
            1 => format!("gw.{}", *self.random.pick(&["number", "byte[0]", "at.y"])),
            _ => self.member(),
        }
    }
}
