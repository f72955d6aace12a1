//! The ways to call a library function: by its name, or through whatever holds its address. What a way needs (a table, a
//! variable, a function that chooses) is declared when it is first used.

use std::collections::BTreeSet;

use crate::Random;

/// A library function with its type.
pub(super) struct LibraryFunction {
    pub(super) name: &'static str,
    result: &'static str,
    parameters: &'static [&'static str],
}

const fn function(name: &'static str, result: &'static str, parameters: &'static [&'static str]) -> LibraryFunction {
    LibraryFunction { name, result, parameters }
}

/// The library functions that programs call.
const FUNCTIONS: &[LibraryFunction] = &[
    function("malloc", "void *", &["size_t"]),
    function("calloc", "void *", &["size_t", "size_t"]),
    function("realloc", "void *", &["void *", "size_t"]),
    function("free", "void", &["void *"]),
    function("memcpy", "void *", &["void *", "const void *", "size_t"]),
    function("memmove", "void *", &["void *", "const void *", "size_t"]),
    function("memset", "void *", &["void *", "int", "size_t"]),
    function("memcmp", "int", &["const void *", "const void *", "size_t"]),
    function("memchr", "void *", &["const void *", "int", "size_t"]),
    function("strlen", "size_t", &["const char *"]),
    function("strnlen", "size_t", &["const char *", "size_t"]),
    function("strcpy", "char *", &["char *", "const char *"]),
    function("strncpy", "char *", &["char *", "const char *", "size_t"]),
    function("strcat", "char *", &["char *", "const char *"]),
    function("strncat", "char *", &["char *", "const char *", "size_t"]),
    function("strcmp", "int", &["const char *", "const char *"]),
    function("strncmp", "int", &["const char *", "const char *", "size_t"]),
    function("strchr", "char *", &["const char *", "int"]),
    function("strrchr", "char *", &["const char *", "int"]),
    function("atoi", "int", &["const char *"]),
    function("abs", "int", &["int"]),
    function("isdigit", "int", &["int"]),
    function("toupper", "int", &["int"]),
    function("exit", "void", &["int"]),
    function("abort", "void", &[]),
];

/// The declarations of all library functions that programs call.
pub(super) fn prototypes() -> String {
    let declared = |function: &LibraryFunction| {
        format!("extern {} {}({});\n", function.result, function.name, function.parameter_list())
    };
    FUNCTIONS.iter().map(declared).collect()
}

impl LibraryFunction {
    fn parameter_list(&self) -> String {
        match self.parameters {
            [] => "void".to_owned(),
            parameters => parameters.join(", "),
        }
    }

    /// Named parameters, and the names alone.
    fn named_parameters(&self) -> (Vec<String>, Vec<String>) {
        let names: Vec<String> = (0..self.parameters.len()).map(|at| format!("a{at}")).collect();
        let declared = self.parameters.iter().zip(&names).map(|(ty, name)| format!("{ty} {name}")).collect();
        (declared, names)
    }
}

/// What has been declared for the calls so far.
pub(super) struct Ways {
    used: BTreeSet<&'static str>,
}

impl Ways {
    pub(super) fn new() -> Self {
        Self { used: BTreeSet::new() }
    }

    /// A call of a library function, by one of the ways.
    pub(super) fn call(&mut self, random: &mut Random, name: &'static str, arguments: &[String]) -> String {
        let list = arguments.join(", ");
        let way = random.below(16);
        if way >= 4 {
            self.used.insert(name);
        }
        let designator = match way {
            0 | 1 => name.to_owned(),
            2 => format!("(*{name})"),
            3 => format!("({}{name})", random.pick(&["&", "**", ""])),
            4 | 5 => format!("hooks.do_{name}"),
            6 => format!("via->do_{name}"),
            7 => format!("chosen_{name}"),
            8 => format!("list_{name}[{}]", *random.pick(&["0", "1", "g0 % 2u", "g1 & 1u"])),
            9 => format!("pick_{name}(g1 % 2u)"),
            10 => format!("(g0 % 3u ? {name} : my_{name})"),
            11 => format!("(g2 & 1u ? hooks.do_{name} : *list_{name})"),
            12 => format!("taken().do_{name}"),
            13 => format!("({{ {name}_function *f = {name}; f; }})"),
            _ => {
                let given = *random.pick(&["", "my_", "hooks.do_", "chosen_"]);
                let separator = if list.is_empty() { "" } else { ", " };
                return format!("call_{name}({given}{name}{separator}{list})");
            }
        };
        format!("{designator}({list})")
    }

    /// Compares addresses of a function that come by different ways.
    pub(super) fn comparison(&mut self, random: &mut Random) -> String {
        let name = random.pick(FUNCTIONS).name;
        self.used.insert(name);
        let other = random.pick(FUNCTIONS).name;
        let left = *random.pick(&["hooks.do_", "chosen_", "taken().do_"]);
        match random.below(3) {
            0 => format!("{left}{name} == {name}"),
            1 => format!("list_{name}[1] == list_{name}[0]"),
            _ => format!("(void *){left}{name} == (void *){other}"),
        }
    }

    /// The declarations that the calls need.
    pub(super) fn declarations(&self) -> String {
        let mut text = String::new();
        let used: Vec<&LibraryFunction> =
            FUNCTIONS.iter().filter(|function| self.used.contains(function.name)).collect();
        for function in &used {
            let LibraryFunction { name, result, .. } = function;
            text.push_str(&format!("typedef {result} {name}_function({});\n", function.parameter_list()));
        }
        for function in &used {
            self.declare(function, &mut text);
        }
        text.push_str("static struct hooks {\n    unsigned version;\n");
        for function in &used {
            text.push_str(&format!("    {0}_function *do_{0};\n", function.name));
        }
        text.push_str("} hooks = { 1u");
        for (at, function) in used.iter().enumerate() {
            let own = if at % 3 == 2 { "my_" } else { "" };
            text.push_str(&format!(", {own}{}", function.name));
        }
        text.push_str(" };\nstatic struct hooks *via = &hooks;\nstatic struct hooks taken(void) { return hooks; }\n");
        text
    }

    fn declare(&self, function: &LibraryFunction, text: &mut String) {
        let LibraryFunction { name, result, .. } = function;
        let (declared, names) = function.named_parameters();
        let list = names.join(", ");
        let parameters = if declared.is_empty() { "void".to_owned() } else { declared.join(", ") };
        let back = if *result == "void" { "" } else { "return " };
        text.push_str(&format!("static {result} my_{name}({parameters}) {{ calls++; {back}{name}({list}); }}\n"));
        text.push_str(&format!("static {name}_function *chosen_{name} = {name};\n"));
        text.push_str(&format!("static {name}_function *const list_{name}[2] = {{ my_{name}, {name} }};\n"));
        text.push_str(&format!(
            "static {name}_function *pick_{name}(unsigned n) {{ return n ? {name} : my_{name}; }}\n"
        ));
        let with = std::iter::once(format!("{name}_function *f")).chain(declared).collect::<Vec<_>>().join(", ");
        text.push_str(&format!("static {result} call_{name}({with}) {{ {back}f({list}); }}\n"));
    }
}
