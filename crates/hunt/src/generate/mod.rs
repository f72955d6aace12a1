//! The generator of random C programs whose behaviour does not depend on anything that `gcc -O0 -fwrapv
//! -fno-strict-aliasing` leaves open. The approach is that of Csmith (Yang, Chen, Eide and Regehr, "Finding and
//! understanding bugs in C compilers", PLDI 2011): every construct is made safe when it is written, by guards in the
//! text and by what the generator knows about lifetimes, ranges and side effects; programs are not filtered afterwards.
//!
//! The safety rules, each kept where the construct is generated:
//! - operands without an order between them have footprints that do not conflict (`scope`);
//! - an index is a constant or reduced into the range of its array; a pointer never outlives its target (`lvalues`);
//! - divisors are neither zero nor, with a dividend that may be the least value, minus one; shift counts are smaller than
//!   the width (`expressions`);
//! - everything is initialised; padding is never read (`initialisers`);
//! - loops, backward jumps and recursion have constant bounds, and the product of nested bounds is limited (`control`).

mod aggregates;
mod calls;
mod control;
mod expressions;
mod floating;
mod functions;
mod globals;
mod initialisers;
mod literals;
mod lvalues;
mod memory;
mod scope;
mod statements;
mod types;

use self::functions::CFunction;
use self::scope::{CVariable, MemoryPart};
pub use self::types::IntegerType;
use self::types::{TYPE_NAMES, Type, Types};
use crate::program::{Features, GeneratedProgram, ObservedGlobal, Size};
use crate::random::Random;

/// The program that belongs to a seed and a size.
pub fn generate(seed: u64, size: Size) -> GeneratedProgram {
    Generator::new(seed, size).program()
}

/// The numbers that a size stands for.
#[derive(Clone, Copy, Debug)]
struct SizeLimits {
    globals: usize,
    functions: usize,
    statements: usize,
    nesting: u32,
    expression_depth: u32,
    /// The number of statements a whole run may execute.
    cost: u64,
    steps: usize,
    observed: usize,
}

impl SizeLimits {
    fn of(size: Size) -> SizeLimits {
        match size {
            Size::Small => SizeLimits {
                globals: 5,
                functions: 2,
                statements: 5,
                nesting: 2,
                expression_depth: 3,
                cost: 2_000,
                steps: 60,
                observed: 30,
            },
            Size::Medium => SizeLimits {
                globals: 11,
                functions: 5,
                statements: 8,
                nesting: 3,
                expression_depth: 4,
                cost: 10_000,
                steps: 120,
                observed: 60,
            },
            Size::Large => SizeLimits {
                globals: 24,
                functions: 12,
                statements: 12,
                nesting: 4,
                expression_depth: 5,
                cost: 40_000,
                steps: 200,
                observed: 120,
            },
        }
    }
}

/// The program so far, and where in it the generator stands.
struct Generator {
    seed: u64,
    random: Random,
    limits: SizeLimits,
    features: Features,

    types: Types,
    functions: Vec<CFunction>,
    /// The names of the functions that pointers to functions may hold; all have the same type.
    table: Vec<String>,
    takes_input: bool,
    inputs_used: Vec<IntegerType>,
    uses_library: bool,

    /// Everything in scope, globals first.
    variables: Vec<CVariable>,
    /// Names that the declaration being written is about to shadow.
    hidden: Vec<String>,
    next_place: u32,
    next_name: usize,

    lines: Vec<String>,
    indentation: usize,
    scope_depth: u32,

    /// How often the current statement is executed in one call of the current function.
    multiplier: u64,
    /// How many statements one call of the current function executes at most.
    cost: u64,
    /// Whether expressions may have side effects.
    effects: bool,
    /// Whether the current function may touch nothing but its own locals.
    pure_only: bool,
    /// How deep the indices and arguments under construction are nested.
    inside: u32,
    loops: u32,
    breakable: u32,
    /// The labels that can be jumped to, and whether some jump uses them.
    labels: Vec<(String, bool)>,
    result: Option<Type>,
}

impl Generator {
    fn new(seed: u64, size: Size) -> Generator {
        let mut random = Random::new(seed);
        let takes_input = random.chance(40);
        Generator {
            seed,
            random,
            limits: SizeLimits::of(size),
            features: Features::new(),
            types: Types::default(),
            functions: Vec::new(),
            table: Vec::new(),
            takes_input,
            inputs_used: Vec::new(),
            uses_library: false,
            variables: Vec::new(),
            hidden: Vec::new(),
            next_place: 1,
            next_name: 0,
            lines: Vec::new(),
            indentation: 0,
            scope_depth: 0,
            multiplier: 1,
            cost: 0,
            effects: false,
            pure_only: false,
            inside: 0,
            loops: 0,
            breakable: 0,
            labels: Vec::new(),
            result: None,
        }
    }

    fn program(mut self) -> GeneratedProgram {
        self.declare_types();
        self.choose_table();
        self.declare_globals();
        let globals = std::mem::take(&mut self.lines);
        let global_count = self.variables.len();
        self.define_functions();
        self.define_main();
        let functions = std::mem::take(&mut self.lines);

        let mut text = String::new();
        let mut section = |lines: &[String]| {
            for line in lines {
                text.push_str(line);
                text.push('\n');
            }
            text.push('\n');
        };
        section(&self.external_declarations());
        section(&TYPE_NAMES.map(String::from));
        section(&self.types.enumerations.iter().map(|each| each.definition.clone()).collect::<Vec<_>>());
        for aggregate in self.types.unions.iter().chain(&self.types.structures) {
            section(&aggregate.definition);
        }
        let prototypes: Vec<String> = self.functions.iter().map(|function| format!("{};", function.head)).collect();
        section(&prototypes);
        section(&globals);
        section(&functions);

        let mut observed = Vec::new();
        for variable in &self.variables[..global_count] {
            self.flatten(&variable.name, &variable.ty, &mut observed);
        }
        observed.truncate(self.limits.observed);
        let inputs = self.choose_inputs();
        GeneratedProgram {
            seed: self.seed,
            text,
            globals: observed,
            inputs,
            step_limit: self.limits.steps,
            features: self.features,
        }
    }

    /// The declarations of what the program uses but does not define.
    fn external_declarations(&mut self) -> Vec<String> {
        let mut lines = vec!["extern void __VERIFIER_ltl_step(void);".to_string()];
        for ty in IntegerType::ALL {
            if let (true, Some(suffix)) = (self.inputs_used.contains(&ty), ty.input_suffix()) {
                lines.push(format!("extern {} __VERIFIER_nondet_{suffix}(void);", ty.spellings()[0]));
            }
        }
        if !self.uses_library {
            return lines;
        }
        if self.random.chance(30) {
            self.note("header included");
            lines.push("#include <stdlib.h>".to_string());
            lines.push("#include <string.h>".to_string());
        } else {
            self.note("library function declared by hand");
            for declaration in [
                "extern void *malloc(unsigned long);",
                "extern void *calloc(unsigned long, unsigned long);",
                "extern void free(void *);",
                "extern void *memcpy(void *, const void *, unsigned long);",
                "extern void *memset(void *, int, unsigned long);",
                "extern unsigned long strlen(const char *);",
                "extern void exit(int);",
                "extern void abort(void);",
            ] {
                lines.push(declaration.to_string());
            }
        }
        lines
    }

    fn choose_inputs(&mut self) -> Vec<i64> {
        if self.inputs_used.is_empty() {
            return Vec::new();
        }
        let count = 5 + self.random.below(20);
        (0..count)
            .map(|_| match self.random.below(3) {
                0 => self.random.between(-3, 9),
                1 => self.random.between(-70_000, 70_000),
                _ => self.random.bits() as i64,
            })
            .collect()
    }

    /// Lists the integers inside a global; of a union the first member, which covers all of it.
    fn flatten(&self, expression: &str, ty: &Type, observed: &mut Vec<ObservedGlobal>) {
        match ty {
            Type::Integer(integer) => observed.push(ObservedGlobal {
                expression: expression.to_string(),
                may_exceed_long_long: integer.may_exceed_long_long(),
            }),
            Type::Enumeration(_) => {
                observed.push(ObservedGlobal { expression: expression.to_string(), may_exceed_long_long: false });
            }
            Type::Array(element, length) => {
                for index in 0..*length {
                    self.flatten(&format!("{expression}[{index}]"), element, observed);
                }
            }
            Type::Structure(_) => {
                for member in self.types.members(ty) {
                    self.flatten(&format!("{expression}.{}", member.name), &member.ty, observed);
                }
            }
            Type::Union(_) => {
                let first = &self.types.members(ty)[0];
                self.flatten(&format!("{expression}.{}", first.name), &first.ty, observed);
            }
            _ => {}
        }
    }

    fn note(&mut self, feature: &'static str) {
        *self.features.entry(feature).or_insert(0) += 1;
    }

    fn fresh_name(&mut self, prefix: &str) -> String {
        self.next_name += 1;
        format!("{prefix}{}", self.next_name - 1)
    }

    fn fresh_place(&mut self, exposed: bool) -> MemoryPart {
        self.next_place += 1;
        MemoryPart::new(self.next_place, exposed)
    }

    /// Writes one line. A line that opens a block ends with a brace, and one that closes a block begins with one: the
    /// reducer takes programs apart by this.
    fn line(&mut self, text: impl AsRef<str>) {
        self.lines.push(format!("{}{}", "    ".repeat(self.indentation), text.as_ref()));
    }

    fn open(&mut self, text: impl AsRef<str>) {
        self.line(text);
        self.indentation += 1;
        self.scope_depth += 1;
    }

    /// Closes a block, and ends the scope of what was declared since there were `outer` variables.
    fn close(&mut self, text: impl AsRef<str>, outer: usize) {
        self.variables.truncate(outer);
        self.indentation -= 1;
        self.scope_depth -= 1;
        self.line(text);
    }
}
