//! Random C programs: inputs of several types, comparisons with constants, arithmetic now and then, arrays, structures,
//! pointers, uninitialised variables, functions, assumptions, loops that may never end.
//!
//! Variables have one of two temperaments. *Quiet* ones are mostly copied and compared with constants, so that inputs
//! that go to them can be told apart by few values; the others are computed with.

use foundation::SplitMix64;

/// What a program contains.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// Everything but threads.
    Sequential,
    /// Two threads over shared variables.
    Threads,
}

/// The text of the program that belongs to a seed, and atoms over its globals.
pub fn generate(style: Style, seed: u64) -> (String, Vec<String>) {
    let mut generator = Generator {
        random: SplitMix64::new(seed.wrapping_mul(0x1234_5678_9abc_def1) ^ 0x5eed),
        text: String::new(),
        depth: 0,
    };
    generator.program(style);
    let atoms = ["q0 == 3", "q1 > 1 || q2 < 0", "a0 > 2", "st.b == 1 && ar[1] != 0", "flag", "q0 + 1 == 2"];
    let wanted = generator.below(atoms.len()) + 1;
    let mut chosen: Vec<String> = atoms[..5].iter().take(wanted).map(|atom| (*atom).to_owned()).collect();
    if generator.chance(10) {
        chosen.push(atoms[5].to_owned());
    }
    (generator.text, chosen)
}

const HEADER: &str = "\
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern char __VERIFIER_nondet_char(void);
extern unsigned short __VERIFIER_nondet_ushort(void);
extern long __VERIFIER_nondet_long(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_assume(int);
extern void abort(void);
int outside(int);
extern int elsewhere;
int q0 = 1, q1, q2 = -2;
unsigned q3 = 4;
long q4;
unsigned short q5;
int a0, a1 = 5;
unsigned a2;
_Bool flag;
int ar[3] = {0, 2};
struct { int a; unsigned char b; unsigned f : 3; signed g : 4; } st;
int target, second = 3, *p = &target;
";

const QUIET: [&str; 12] = ["q0", "q1", "q2", "q3", "q4", "q5", "l0", "l1", "st.a", "ar[1]", "st.f", "flag"];
const BUSY: [&str; 8] = ["a0", "a1", "a2", "l2", "st.b", "ar[l3 & 1]", "st.g", "l3"];
const CONSTANTS: [&str; 12] = ["0", "1", "2", "3", "5", "7", "-1", "-3", "10", "100", "3u", "70000"];
const INPUTS: [&str; 6] = ["int", "uint", "char", "ushort", "long", "bool"];

struct Generator {
    random: SplitMix64,
    text: String,
    depth: usize,
}

impl Generator {
    fn below(&mut self, bound: usize) -> usize {
        (self.random.bits() % bound as u64) as usize
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(&"    ".repeat(self.depth));
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn program(&mut self, style: Style) {
        self.text.push_str(HEADER);
        match style {
            Style::Sequential => {
                self.function("int helper(int l0, unsigned l1)", "int l2 = l0; int l3;");
                self.function("void other(void)", "int l0 = q1; int l1, l2, l3 = 1;");
                self.function("int main(void)", "int l0, l1 = 3; int l2; int l3 = 0;");
            }
            Style::Threads => {
                self.text.push_str("typedef unsigned long pthread_t;\n");
                self.text.push_str("int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);\n");
                self.function("int helper(int l0, unsigned l1)", "int l2 = 1; int l3 = 0;");
                self.text.push_str("void other(void) {}\n");
                self.function("void *work(void *argument)", "int l0, l1 = 3; int l2 = 2; int l3 = 0;");
                self.function(
                    "int main(void)",
                    "pthread_t t; int l0, l1 = 3; int l2 = 1; int l3 = 0; pthread_create(&t, 0, work, 0);",
                );
            }
        }
    }

    fn function(&mut self, head: &str, locals: &str) {
        self.line(&format!("{head} {{"));
        self.depth = 1;
        self.line(locals);
        let in_helper = head.contains("helper");
        for _ in 0..3 + self.below(if in_helper { 4 } else { 12 }) {
            self.statement(!in_helper);
        }
        let value = self.quiet();
        match head {
            _ if head.starts_with("void *") => self.line("return 0;"),
            _ if head.starts_with("void") => {}
            // A function without a result, where one is wanted, yields anything.
            _ if in_helper && self.chance(25) => self.line("if (l0 == 7) return 1;"),
            _ => self.line(&format!("return {value};")),
        }
        self.depth = 0;
        self.line("}");
    }

    fn quiet(&mut self) -> &'static str {
        self.pick(&QUIET)
    }

    fn any(&mut self) -> &'static str {
        if self.chance(70) { self.pick(&QUIET) } else { self.pick(&BUSY) }
    }

    fn statement(&mut self, may_call: bool) {
        match self.below(26) {
            0..=4 => {
                let (target, kind) = (self.any(), self.pick(&INPUTS));
                self.line(&format!("{target} = __VERIFIER_nondet_{kind}();"));
                if self.chance(40) {
                    self.assumption(target);
                }
            }
            5..=7 => {
                let (target, source) = (self.quiet(), self.quiet());
                let source = if self.chance(20) { self.bits(source) } else { source.to_owned() };
                self.line(&format!("{target} = {source};"));
            }
            8 => {
                let (target, constant) = (self.any(), self.pick(&CONSTANTS));
                self.line(&format!("{target} = {constant};"));
            }
            9 | 10 => {
                let (target, value) = (self.pick(&BUSY), self.arithmetic());
                self.line(&format!("{target} = {value};"));
            }
            11..=14 => {
                let condition = self.condition();
                self.line(&format!("if ({condition}) {{"));
                self.block(may_call);
                if self.chance(50) {
                    self.line("} else {");
                    self.block(may_call);
                }
                self.line("}");
            }
            15 | 16 => {
                let condition = self.condition();
                let counter = self.pick(&["l3", "a0", "a1"]);
                self.line(&format!("while ({condition} && {counter} < 6) {{"));
                self.block(may_call);
                self.depth += 1;
                self.line(&format!("{counter}++;"));
                self.depth -= 1;
                self.line("}");
            }
            17 if may_call => {
                let (target, first, second) = (self.any(), self.any(), self.any());
                self.line(&format!("{target} = helper({first}, {second});"));
            }
            18 => {
                let (target, argument) = (self.any(), self.any());
                self.line(&format!("{target} = outside({argument});"));
            }
            19 | 24 | 25 => {
                let (value, target) = (self.any(), self.any());
                let line = match self.below(7) {
                    0 => format!("*p = {value};"),
                    1 => format!("{target} = *p;"),
                    2 => format!("target = {value};"),
                    3 => format!("{target} = elsewhere;"),
                    4 => format!("p = {} ? &target : &second;", self.condition()),
                    5 => format!("if (*p {}) {target} = *p;", self.pick(&["== 3", "> 1", "< 0"])),
                    _ => format!("{target} = {} ? {value} : 3;", self.condition()),
                };
                self.line(&line);
            }
            20 => {
                let value = self.any();
                let (first, second) = (self.pick(&["0", "1", "3"]), self.pick(&["2", "5", "7", "100"]));
                self.line(&format!(
                    "switch ({value}) {{ case {first}: flag = 1; break; case {second}: q1 = 2; default: q2 = 0; }}"
                ));
            }
            21 if self.chance(30) => self.line("{ int fresh; q0 = fresh; }"),
            22 if self.chance(30) => {
                let (value, divisor) = (self.any(), self.any());
                self.line(&format!("a1 = {value} / {divisor};"));
            }
            23 if self.chance(20) => {
                let condition = self.condition();
                self.line(&format!("if ({condition}) abort();"));
            }
            _ => {
                let condition = self.condition();
                self.line(&format!("flag = {condition};"));
            }
        }
    }

    fn block(&mut self, may_call: bool) {
        self.depth += 1;
        let statements = if self.depth < 4 { 1 + self.below(3) } else { 0 };
        for _ in 0..statements {
            self.statement(may_call);
        }
        if statements == 0 {
            self.line(";");
        }
        self.depth -= 1;
    }

    fn assumption(&mut self, target: &str) {
        let line = match self.below(5) {
            0 => format!("__VERIFIER_assume({target} >= 1 && {target} <= 6);"),
            1 => format!("__VERIFIER_assume({target} == 2 || {target} == 5 || {target} == 70000);"),
            2 => format!("__VERIFIER_assume({target} > -4); __VERIFIER_assume({target} * {target} < 17);"),
            3 => format!("__VERIFIER_assume({target} < 40 && {target} % 3 == 1 && a0 < 9);"),
            _ => format!("__VERIFIER_assume({target} / 2 == 1 && 12 / ({target} - 1) == 6);"),
        };
        self.line(&line);
    }

    fn condition(&mut self) -> String {
        let (left, right) = (self.any(), self.quiet());
        let constant = self.pick(&CONSTANTS);
        let compare = self.pick(&["==", "!=", "<", "<=", ">", ">="]);
        let test = self.bits(left);
        match self.below(17) {
            12 | 13 => test,
            14 => format!("!({test})"),
            15 => format!("({test}) {compare} {}", self.pick(&["0", "4", "0x30u", "1", "-2"])),
            16 => format!("({test}) && {left} {compare} {constant}"),
            0..=5 => format!("{left} {compare} {constant}"),
            6 => left.to_owned(),
            7 => format!("(unsigned){left} {compare} {constant}"),
            8 => format!("{left} + 2 {compare} {constant}"),
            9 => format!("({left} {compare} {constant} && {right} != 1)"),
            10 => format!("!({left} == {constant} || {right} > 4)"),
            _ if self.chance(20) => format!("{left} {compare} {right}"),
            _ => format!("{constant} {compare} {left}"),
        }
    }

    /// Some bits of a value.
    fn bits(&mut self, value: &str) -> String {
        let mask = self.pick(&["1", "4u", "0x30", "0xff0u", "~7", "(1u << (l3 & 3))", "0x8000u", "-2", "0x80000000u"]);
        let count = self.pick(&["1", "3", "8", "(l3 & 3)", "31"]);
        match self.below(8) {
            0..=2 => format!("{value} & {mask}"),
            3 => format!("(({value} >> {count}) & {mask})"),
            4 => format!("(unsigned char){value}"),
            5 => format!("((unsigned){value} % 8u)"),
            6 => format!("(~{value} & {mask})"),
            _ => format!("(((unsigned){value} << 2 ^ 9u) & {mask})"),
        }
    }

    fn arithmetic(&mut self) -> String {
        let (left, right) = (self.any(), self.pick(&BUSY));
        let constant = self.pick(&["1", "2", "3", "7", "-5"]);
        match self.below(9) {
            0 => format!("{right} + {constant}"),
            1 => format!("{right} - {left}"),
            2 => format!("{right} * {constant}"),
            3 => format!("{right} % {constant}"),
            4 => format!("({right} & 6) | {constant}"),
            5 => format!("{right} >> 2"),
            6 => format!("-{right} / {constant}"),
            7 => format!("~{right} ^ {constant}"),
            _ => format!("({right} << 1) + ({left} > 3)"),
        }
    }
}
