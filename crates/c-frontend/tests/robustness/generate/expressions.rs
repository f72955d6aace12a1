//! Expressions of a kind, by operators, calls, casts, conditionals, statement expressions and literals.

use super::{Generator, Kind};

impl Generator<'_> {
    /// An expression whose value has a kind, or, as a fault, another.
    pub(super) fn expr(&mut self, kind: Kind) -> String {
        let kind = if self.is_fault() { self.any_kind() } else { kind };
        if !self.opens() {
            return self.leaf(kind);
        }
        if self.random.one_in(9) {
            return self.wrapped(kind);
        }
        match kind {
            Kind::Int => self.int_expr(),
            Kind::Float => self.float_expr(),
            Kind::Void => self.void_expr(),
            Kind::Record | Kind::Union | Kind::Bits => self.record_expr(kind),
            Kind::IntArray | Kind::RecordArray | Kind::Odd => self.lvalue(kind),
            _ => self.pointer_expr(kind),
        }
    }

    /// Something that any kind can be inside of.
    fn wrapped(&mut self, kind: Kind) -> String {
        let scalar = !matches!(kind, Kind::Record | Kind::Union | Kind::Bits | Kind::Void | Kind::Odd);
        let array = matches!(kind, Kind::IntArray | Kind::RecordArray);
        let choice = match self.random.below(8) {
            5 | 6 if !scalar || array => 0,
            7 if array || matches!(kind, Kind::Void | Kind::Odd) => 0,
            other => other,
        };
        match choice {
            0 => format!("({} ? {} : {})", self.expr(Kind::Int), self.expr(kind), self.expr(kind)),
            1 => {
                let left = self.any_kind();
                format!("({}, {})", self.expr(left), self.expr(kind))
            }
            2 => {
                let scope = self.locals.len();
                let statement = self.statement(Kind::Odd);
                let text = format!("({{ {statement}{}; }})", self.expr(kind));
                self.locals.truncate(scope);
                text
            }
            3 => format!("__builtin_choose_expr({}, {}, {})", self.constant(), self.expr(kind), self.expr(kind)),
            4 => {
                let control = self.any_kind();
                let ty = self.type_name(control);
                format!("_Generic({}, {ty}: {}, default: {})", self.expr(control), self.expr(kind), self.expr(kind))
            }
            5 => format!("({} ?: {})", self.expr(kind), self.expr(kind)),
            6 => format!("(({}){})", self.type_name(kind), self.expr(kind)),
            _ => format!("({} = {})", self.lvalue(kind), self.expr(kind)),
        }
    }

    fn int_expr(&mut self) -> String {
        match self.random.below(17) {
            0 => self.leaf(Kind::Int),
            1 | 2 => {
                let op = self.random.pick(&["+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "&&", "||"]);
                format!("({} {op} {})", self.expr(Kind::Int), self.expr(Kind::Int))
            }
            3 => {
                let op = self.random.pick(&["<", ">", "<=", ">=", "==", "!="]);
                let kind = self.random.pick(&[Kind::Int, Kind::Float, Kind::IntPointer, Kind::VoidPointer]);
                format!("({} {op} {})", self.expr(kind), self.expr(kind))
            }
            4 => {
                let op = self.random.pick(&["-", "~", "!", "+"]);
                format!("({op}{})", self.expr(Kind::Int))
            }
            5 => {
                let kind = self.random.pick(&[Kind::Float, Kind::IntPointer, Kind::VoidPointer, Kind::FunctionPointer]);
                format!("(!{})", self.expr(kind))
            }
            6 => {
                let op = self.random.pick(&["=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^="]);
                format!("({} {op} {})", self.lvalue(Kind::Int), self.expr(Kind::Int))
            }
            7 => {
                let place = self.lvalue(Kind::Int);
                self.random.pick(&["(++@)", "(--@)", "(@++)", "(@--)"]).replace('@', &place)
            }
            8 => self.size(),
            9 => format!("fi({})", self.expr(Kind::Int)),
            10 => format!("(*{})({})", self.expr(Kind::FunctionPointer), self.expr(Kind::Int)),
            11 => format!(
                "{}.{}",
                self.lvalue(Kind::Bits),
                if self.is_fault() { "x" } else { self.random.pick(&["a", "b", "f", "l", "c"]) }
            ),
            12 => {
                let kind = self.random.pick(&[Kind::Int, Kind::Float, Kind::VoidPointer]);
                format!("(({}){})", self.int_type(), self.expr(kind))
            }
            13 => format!("({} - (int *){})", self.lvalue(Kind::IntPointer), self.expr(Kind::IntPointer)),
            14 => self.library_call(Kind::Int),
            15 => {
                let call = if self.is_fault() {
                    self.random.pick(&["fvar", "fi", "gi", "gfp", "fs", "main"])
                } else {
                    self.random.pick(&["fany", "undeclared", "printf", "__VERIFIER_nondet_int"])
                };
                format!("{call}({})", self.arguments())
            }
            _ => self.lvalue(Kind::Int),
        }
    }

    fn float_expr(&mut self) -> String {
        match self.random.below(6) {
            0 | 1 => {
                let op = self.random.pick(&["+", "-", "*", "/"]);
                let right = self.random.pick(&[Kind::Int, Kind::Float]);
                format!("({} {op} {})", self.expr(Kind::Float), self.expr(right))
            }
            2 => format!("((float){})", self.expr(Kind::Int)),
            3 => format!("fd({}, {})", self.expr(Kind::Float), self.expr(Kind::Float)),
            4 => self.library_call(Kind::Float),
            _ => self.lvalue(Kind::Float),
        }
    }

    fn pointer_expr(&mut self, kind: Kind) -> String {
        match (kind, self.random.below(7)) {
            (Kind::IntPointer, 0) => format!("(&{})", self.lvalue(Kind::Int)),
            (Kind::IntPointer, 1) => self.expr(Kind::IntArray),
            (Kind::IntPointer, 2) => format!("fp({}, {})", self.expr(kind), self.expr(Kind::CharPointer)),
            (Kind::IntPointer, 3) => format!("(int[]){}", self.initializer(Kind::IntArray)),
            (Kind::CharPointer, 0) => format!("((char *){})", self.expr(Kind::VoidPointer)),
            (Kind::RecordPointer, 0) => format!("(&{})", self.lvalue(Kind::Record)),
            (Kind::RecordPointer, 1) => format!("(&(S){})", self.initializer(Kind::Record)),
            (Kind::RecordPointer, 2) => format!("{}->next", self.expr(kind)),
            (Kind::FunctionPointer, 0) => {
                self.random.pick(&["fi", "(&fi)", "(*fi)", "(**fi)", "((F1)fs)", "((F1)0)"]).to_owned()
            }
            (Kind::VoidPointer, 0 | 1) => {
                let other = self.random.pick(&[Kind::IntPointer, Kind::CharPointer, Kind::RecordPointer]);
                self.expr(other)
            }
            (Kind::VoidPointer, 2) => self.library_call(kind),
            (_, 4) => format!("({} + {})", self.expr(kind), self.expr(Kind::Int)),
            (_, 5) => format!("(({}){})", self.type_name(kind), self.expr(Kind::VoidPointer)),
            _ => self.lvalue(kind),
        }
    }

    fn record_expr(&mut self, kind: Kind) -> String {
        match (kind, self.random.below(4)) {
            (Kind::Record, 0) => format!("fs({}, {})", self.expr(kind), self.expr(Kind::Int)),
            (_, 1) => format!("({}){}", self.type_name(kind), self.initializer(kind)),
            (_, 2) => format!("({} = {})", self.lvalue(kind), self.expr(kind)),
            _ => self.lvalue(kind),
        }
    }

    fn void_expr(&mut self) -> String {
        match self.random.below(4) {
            0 => "fv()".to_owned(),
            1 => {
                let kind = self.any_kind();
                format!("((void){})", self.expr(kind))
            }
            2 => self.library_call(Kind::Void),
            _ => format!("(*{})", self.expr(Kind::VoidPointer)),
        }
    }

    /// An object of a kind.
    pub(super) fn lvalue(&mut self, kind: Kind) -> String {
        let kind = if self.is_fault() { self.any_kind() } else { kind };
        if self.opens() {
            match (kind, self.random.below(6)) {
                (Kind::Int, 0) => return format!("{}[{}]", self.expr(Kind::IntPointer), self.expr(Kind::Int)),
                (Kind::Int, 1) => return format!("(*{})", self.expr(Kind::IntPointer)),
                (Kind::Int, 2) => return format!("{}->{}", self.expr(Kind::RecordPointer), self.member()),
                (Kind::Int, 3) => return format!("{}.{}", self.lvalue(Kind::Record), self.member()),
                (Kind::Int, 4) => {
                    let member = if self.is_fault() { "none" } else { self.random.pick(&["i", "bytes[1]", "half.lo"]) };
                    return format!("{}.{member}", self.lvalue(Kind::Union));
                }
                (Kind::Int, 5) => return format!("{}[{}]", self.lvalue(Kind::IntArray), self.expr(Kind::Int)),
                (Kind::Record, 0) => return format!("(*{})", self.expr(Kind::RecordPointer)),
                (Kind::Record, 1) => return format!("{}[{}]", self.lvalue(Kind::RecordArray), self.expr(Kind::Int)),
                (Kind::IntArray, 0) => return format!("{}.a", self.lvalue(Kind::Record)),
                (Kind::IntArray, 1) => return "(*gpa)".to_owned(),
                (Kind::Float, 0) => return format!("{}.d", self.lvalue(Kind::Record)),
                _ => {}
            }
        }
        let own: Vec<String> = self.locals.iter().filter(|(of, _)| *of == kind).map(|(_, name)| name.clone()).collect();
        if !own.is_empty() && !self.random.one_in(3) {
            return own[self.random.below(own.len())].clone();
        }
        let names: &[&str] = match kind {
            Kind::Int => &["gi", "gj", "gu", "gl", "gc", "guc", "gs", "gb", "ge", "gx", "gext", "gstat", "gvol"],
            Kind::Float => &["gd", "gf"],
            Kind::IntPointer => &["gp", "(*gpp)"],
            Kind::CharPointer => &["gq"],
            Kind::VoidPointer => &["gv"],
            Kind::RecordPointer => &["gsp"],
            Kind::FunctionPointer => &["gfp"],
            Kind::Record => &["gr", "gr2"],
            Kind::Union => &["gun"],
            Kind::Bits => &["gbits"],
            Kind::IntArray => &["ga"],
            Kind::RecordArray => &["gas"],
            Kind::Void => &["(*gv)"],
            Kind::Odd => {
                &["*ginc", "fi", "main", "*fs", "gk", "nothing", "*gpa", "S", "gas[0].a", "*gfp", "__func__", "fany"]
            }
        };
        self.random.pick(names).to_owned()
    }

    fn leaf(&mut self, kind: Kind) -> String {
        let literals: &[&str] = match kind {
            Kind::Int => &[
                "0",
                "1",
                "(-1)",
                "7",
                "'a'",
                "E1",
                "0x7fffffff",
                "2147483648",
                "0xffffffffffffffff",
                "3u",
                "5ll",
                "gk",
                "sizeof(S)",
            ],
            Kind::Float => &["0.0", "1.5f", "(-2.0)", "1e300", "0x1p-3"],
            Kind::CharPointer => &["\"s\"", "0", "gq"],
            Kind::IntPointer => &["((int *)0)", "(&gi)", "ga", "(ga + 1)"],
            Kind::RecordPointer => &["((S *)0)", "(&gr)", "gas"],
            Kind::FunctionPointer => &["((F1)0)", "fi"],
            Kind::VoidPointer => &["0", "\"v\"", "((void *)4096)", "(&gr)", "((void *)fi)"],
            Kind::Void => &["((void)0)", "fv()"],
            _ => &[],
        };
        self.fuel = 0;
        if literals.is_empty() || self.random.one_in(2) {
            self.lvalue(kind)
        } else {
            self.random.pick(literals).to_owned()
        }
    }

    /// A constant expression, or something close to one.
    pub(super) fn constant(&mut self) -> String {
        if self.is_fault() {
            return self
                .random
                .pick(&[
                    "gi",
                    "1 / 0",
                    "-1",
                    "1.5",
                    "\"s\"",
                    "1ull << 63",
                    "sizeof(struct inc)",
                    "(int)gd",
                    "fi(1)",
                    "({ 1; })",
                ])
                .to_owned();
        }
        self.random
            .pick(&["0", "1", "2", "3", "E1", "1 + 1", "sizeof(int)", "'\\1'", "1 ? 2 : gi", "(char)3", "!0", "~0 + 3"])
            .to_owned()
    }

    fn size(&mut self) -> String {
        let kind = self.any_kind();
        match self.random.below(6) {
            0 => format!("sizeof({})", self.type_name(kind)),
            1 => format!("_Alignof({})", self.type_name(kind)),
            2 => format!("sizeof({})", self.lvalue(kind)),
            3 => format!("sizeof({})", self.expr(kind)),
            4 => {
                let path = if self.is_fault() {
                    self.random.pick(&["nothing", "a[gi]", "a[1ull << 61]", "a[-1]", "x.y", "next->x"])
                } else {
                    self.random.pick(&["x", "a[1]", "u2", "next", "a"])
                };
                format!("__builtin_offsetof(S, {path})")
            }
            _ => {
                let other = self.any_kind();
                format!("__builtin_types_compatible_p({}, {})", self.type_name(kind), self.type_name(other))
            }
        }
    }

    pub(super) fn member(&mut self) -> &'static str {
        if self.is_fault() {
            return self.random.pick(&["next", "d", "nothing", "up", "a"]);
        }
        self.random.pick(&["x", "c", "a[0]", "u1", "a[gi & 1]"])
    }

    fn arguments(&mut self) -> String {
        let count = self.random.below(4);
        let list: Vec<String> = (0..count)
            .map(|_| {
                let kind = self.any_kind();
                self.expr(kind)
            })
            .collect();
        list.join(", ")
    }

    /// A call of a function that the front end knows, mostly with arguments that it takes.
    fn library_call(&mut self, kind: Kind) -> String {
        let shapes: &[&str] = match kind {
            Kind::Int => &[
                "strlen($C)",
                "strcmp($C, $C)",
                "memcmp($V, $V, $I)",
                "rand()",
                "getchar()",
                "__VERIFIER_nondet_char()",
                "abs($I)",
                "printf($C, $A)",
                "scanf(\"%d\", $P)",
                "pthread_mutex_lock($V)",
                "pthread_mutex_trylock($V)",
                "pthread_create(&gl, 0, $V, $V)",
                "pthread_join($I, 0)",
                "__builtin_expect($I, $I)",
                "__builtin_constant_p($A)",
                "__builtin_isnan($D)",
                "__builtin_object_size($V, 0)",
                "isdigit($I)",
                "atoi($C)",
                "__sync_fetch_and_add($A)",
                "setjmp($A)",
                "nondet_int()",
                "__builtin_popcount($I)",
                "strlen($A)",
                "pthread_mutex_init($V, $V)",
            ],
            Kind::Float => &[
                "fabs($D)",
                "fabsf($D)",
                "__builtin_inf()",
                "__builtin_nan(\"\")",
                "__VERIFIER_nondet_double()",
                "sqrt($D)",
                "__builtin_fabs($A)",
            ],
            Kind::VoidPointer => &[
                "malloc($I)",
                "calloc($I, $I)",
                "realloc($V, $I)",
                "memcpy($V, $V, $I)",
                "memset($V, $I, $I)",
                "memmove($V, $V, 4)",
                "malloc($A)",
                "memcpy($A)",
                "alloca($A)",
                "memchr($V, $I, $I)",
                "__builtin_memset($V, 0, 4)",
                "__builtin_malloc(8)",
                "__VERIFIER_nondet_pointer()",
            ],
            _ => &[
                "free($V)",
                "abort()",
                "exit($I)",
                "__VERIFIER_assume($I)",
                "__VERIFIER_assert($I)",
                "__builtin_unreachable()",
                "__VERIFIER_error()",
                "__VERIFIER_atomic_begin()",
                "__VERIFIER_atomic_end()",
                "pthread_exit($V)",
                "bzero($V, $I)",
                "free($A)",
                "__assert_fail($C, $C, 3, $C)",
                "pthread_create($A)",
                "pthread_join($A)",
                "__VERIFIER_ltl_step()",
                "assert($I)",
                "__builtin_trap()",
                "__builtin_va_start($A)",
                "exit($A)",
            ],
        };
        let mut shape = self.random.pick(shapes);
        if shape.contains("$A") && !self.is_fault() {
            shape = shapes[0];
        }
        let mut parts = shape.split('$');
        let mut text = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (letter, rest) = part.split_at(1);
            text += &match letter {
                "C" => self.expr(Kind::CharPointer),
                "V" => self.expr(Kind::VoidPointer),
                "P" => self.expr(Kind::IntPointer),
                "D" => self.expr(Kind::Float),
                "I" => self.expr(Kind::Int),
                _ => self.arguments(),
            };
            text += rest;
        }
        text
    }
}
