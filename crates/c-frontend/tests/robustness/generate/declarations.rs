//! Types, declarations and initialisers: of every shape, and of shapes that do not fit what they initialise.

use super::{Generator, Kind};

impl Generator<'_> {
    pub(super) fn int_type(&mut self) -> &'static str {
        self.random.pick(&[
            "int",
            "int",
            "unsigned",
            "char",
            "signed char",
            "unsigned char",
            "short",
            "unsigned short",
            "long",
            "unsigned long",
            "long long",
            "unsigned long long",
            "_Bool",
            "enum e",
            "__int128",
            "unsigned __int128",
            "volatile int",
        ])
    }

    /// A type name of a kind.
    pub(super) fn type_name(&mut self, kind: Kind) -> String {
        let kind = if self.is_fault() { self.any_kind() } else { kind };
        let names: &[&str] = match kind {
            Kind::Int => return self.int_type().to_owned(),
            Kind::Float => &["double", "float"],
            Kind::IntPointer => &["int *", "int *restrict"],
            Kind::CharPointer => &["char *", "unsigned char *"],
            Kind::VoidPointer => &["void *"],
            Kind::RecordPointer => &["S *", "struct s *"],
            Kind::FunctionPointer => &["F1", "int (*)(int)"],
            Kind::Record => &["S", "struct s"],
            Kind::Union => &["U", "union u"],
            Kind::Bits => &["B"],
            Kind::IntArray => &["A3", "int[3]"],
            Kind::RecordArray => &["AS"],
            Kind::Void => &["void", "const void"],
            Kind::Odd => &[
                "struct inc",
                "FT",
                "long double",
                "__builtin_va_list",
                "_Atomic int",
                "int[]",
                "int[gi]",
                "enum later",
                "struct { int q; }",
                "int[0]",
                "struct {}",
                "union { struct inc *p; }",
                "_Complex double",
                "__typeof__(gr)",
                "__typeof__(fi)",
                "__typeof__(({ gi; }))",
                "int[sizeof(struct { char c[5]; })]",
                "int (*)[gi]",
                "void (*)(void)",
                "struct s[]",
                "enum { Q1, Q2 }",
                "int[1ull << 62]",
            ],
        };
        self.random.pick(names).to_owned()
    }

    /// A local variable, visible from here on.
    pub(super) fn local(&mut self) -> String {
        let kind = match self.any_kind() {
            Kind::Void | Kind::Odd if !self.is_fault() => Kind::Int,
            kind => kind,
        };
        let name = self.new_name();
        if self.random.one_in(25) {
            let text = format!("__auto_type {name} = {}; ", self.expr(kind));
            self.locals.push((kind, name));
            return text;
        }
        let storage = match self.random.below(12) {
            0 => "static ",
            1 if self.is_fault() => {
                self.random.pick(&["extern ", "typedef ", "register ", "_Thread_local ", "_Alignas(16) "])
            }
            _ => "",
        };
        let declarator = match self.random.below(14) {
            0 => format!("{name}[{}]", self.constant()),
            1 => format!("*{name}"),
            2 if self.is_fault() => format!("{name}[]"),
            3 if self.is_fault() => format!("(*{name})({})", self.any_type()),
            _ => name.clone(),
        };
        let plain = declarator == name;
        let ty = self.base_type(kind);
        let text = match self.random.below(3) {
            0 => format!("{storage}{ty} {declarator}; "),
            1 if storage.is_empty() && plain && !matches!(kind, Kind::IntArray | Kind::RecordArray) => {
                format!("{ty} {declarator} = {}; ", self.expr(kind))
            }
            _ if plain => format!("{storage}{ty} {declarator} = {}; ", self.initializer(kind)),
            _ => format!("{storage}{ty} {declarator}; "),
        };
        if plain {
            self.locals.push((kind, name));
        }
        text
    }

    /// A type name that a declarator may follow.
    fn base_type(&mut self, kind: Kind) -> String {
        match self.type_name(kind) {
            name if name.ends_with(']') => "A3".to_owned(),
            name if name.contains("(*)") => "F1".to_owned(),
            name => name,
        }
    }

    fn any_type(&mut self) -> String {
        let kind = self.any_kind();
        self.type_name(kind)
    }

    /// An initialiser in braces, or a plain one.
    pub(super) fn initializer(&mut self, kind: Kind) -> String {
        let kind = if self.is_fault() { self.any_kind() } else { kind };
        if !self.opens() {
            return "{0}".to_owned();
        }
        let list: Vec<String> = match (kind, self.random.below(4)) {
            (_, 3) if self.is_fault() => return self.wild_initializer(3),
            (_, 3) => vec!["0".to_owned()],
            (Kind::Record, 0) => {
                vec![".x = 1".to_owned(), format!(".a = {}", self.initializer(Kind::IntArray)), ".u2 = 1.5f".to_owned()]
            }
            (Kind::Record, 1) => vec![".a[1] = 2".to_owned(), "3".to_owned(), ".next = &gr".to_owned()],
            (Kind::Record, _) => {
                ["1", "'c'", "2.5", "0", "4", "5", "6", "7", "&gun"].iter().map(|item| (*item).to_owned()).collect()
            }
            (Kind::Union, 0) => vec![".half = { 1, 2 }".to_owned()],
            (Kind::Union, _) => vec![".bytes[2] = 3".to_owned()],
            (Kind::Bits, _) => vec!["1".to_owned(), ".l = -1".to_owned(), "2".to_owned()],
            (Kind::IntArray, 0) => vec!["[0 ... 1] = 4".to_owned(), "5".to_owned()],
            (Kind::IntArray, _) => vec!["1".to_owned(), format!("[2] = {}", self.constant())],
            (Kind::RecordArray, 0) if !self.at_file_scope => vec!["gr2".to_owned()],
            (Kind::RecordArray, 1) => vec![format!("[1] = {}", self.initializer(Kind::Record)), "[0].x = 3".to_owned()],
            (Kind::RecordArray, _) => vec!["1".to_owned(), "2".to_owned(), "3".to_owned(), "&gr".to_owned()],
            (Kind::Int | Kind::Float, _) => return self.constant(),
            (Kind::CharPointer, _) => return "\"init\"".to_owned(),
            (Kind::IntPointer, _) => {
                return self.random.pick(&["&gi", "ga + 1", "&gr.a[1]", "0", "(int *)&gun", "&ga[2]"]).to_owned();
            }
            (Kind::FunctionPointer, _) => return self.random.pick(&["fi", "&fi", "0", "(F1)fv"]).to_owned(),
            (Kind::VoidPointer | Kind::RecordPointer, _) => {
                return self.random.pick(&["0", "&gr", "gas", "&gas[1]", "(void *)64"]).to_owned();
            }
            (Kind::Void | Kind::Odd, _) => return self.wild_initializer(3),
        };
        format!("{{ {} }}", list.join(", "))
    }

    /// An initialiser of any shape.
    fn wild_initializer(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.one_in(3) {
            return self
                .random
                .pick(&["0", "1.5", "\"long text\"", "gr", "&gi", "fi", "-1", "{}", "{{}}", "L\"w\"", "ga", "gun"])
                .to_owned();
        }
        let count = self.random.below(5);
        let items: Vec<String> = (0..count)
            .map(|_| {
                let designator = match self.random.below(6) {
                    0 => self.random.pick(&[
                        ".x = ",
                        ".a[1] = ",
                        ".half.hi = ",
                        ".none = ",
                        ".u1 = ",
                        ".next = ",
                        ".bytes[3] = ",
                        ".l = ",
                    ]),
                    1 => self.random.pick(&[
                        "[0] = ",
                        "[1] = ",
                        "[2].x = ",
                        "[-1] = ",
                        "[0 ... 2] = ",
                        "[2 ... 1] = ",
                        "[1 << 30] = ",
                        "[E1][1] = ",
                    ]),
                    _ => "",
                };
                format!("{designator}{}", self.wild_initializer(depth - 1))
            })
            .collect();
        format!("{{ {} }}", items.join(", "))
    }

    /// A declaration at file scope.
    pub(super) fn external(&mut self) -> String {
        self.fuel = 12;
        self.locals.clear();
        self.at_file_scope = true;
        match self.random.below(8) {
            0..=2 => {
                let kind = match self.any_kind() {
                    Kind::Void | Kind::Odd if !self.is_fault() => Kind::Int,
                    kind => kind,
                };
                let storage = self.random.pick(&["", "", "static ", "const "]);
                let name = self.new_name();
                let ty = self.base_type(kind);
                if self.random.one_in(3) {
                    format!("{storage}{ty} {name};\n")
                } else {
                    format!("{storage}{ty} {name} = {};\n", self.initializer(kind))
                }
            }
            3 if self.is_fault() => {
                let name = self.random.pick(&[
                    "gi", "gr", "fi", "fs", "gext", "strlen", "malloc", "main", "memcpy", "rand", "S", "v1", "gas",
                    "printf",
                ]);
                let (ty, storage) = (
                    self.any_type(),
                    self.random.pick(&["", "static ", "extern ", "typedef ", "inline ", "static inline "]),
                );
                let declarator = self
                    .random
                    .pick(&["@", "@(int)", "@(void)", "*@", "@[3]", "@()", "(*@)(S)", "@[]", "@(char *, ...)"])
                    .replace('@', name);
                format!("{storage}{ty} {declarator};\n")
            }
            4 => {
                let name = self.new_name();
                let width = if self.is_fault() { self.constant() } else { "1".to_owned() };
                let members: Vec<String> = (0..self.random.below(5))
                    .map(|at| match self.random.below(6) {
                        0 => format!("{} m{at} : {width}; ", self.int_type()),
                        1 => format!("int : {}; ", self.random.below(9)),
                        2 => format!("union {{ {} n{at}; char k{at}; }}; ", self.base_type(Kind::Int)),
                        3 => format!("A3 m{at}[2]; "),
                        4 if self.is_fault() => format!("{} m0; ", self.any_type()),
                        5 => format!("{} m{at} : 1 + E0, q{at} : {width}; ", self.int_type()),
                        _ => format!("{} m{at}; ", self.base_type(Kind::Record)),
                    })
                    .collect();
                let attribute =
                    self.random.pick(&["", "", "__attribute__((packed)) ", "__attribute__((aligned(32))) "]);
                let kind = self.random.pick(&["struct", "union"]);
                format!("{kind} {attribute}t{name} {{ {}}} {name}, *p{name} = &{name};\n", members.concat())
            }
            5 => {
                let name = self.new_name();
                self.at_file_scope = false;
                let body = self.expr(Kind::Int);
                let ty = self.any_type();
                self.random
                    .pick(&[
                        "int @(a, b) int a; char *b; { return #; }\n",
                        "int @() { return #; }\n",
                        "static inline int @(int a, ...) { return #; }\n",
                        "int @(register int a) { static int n = 3; return #; }\n",
                        "enum { X@ = 4, Y@, Z@ = Y@ * 2 };\n",
                        "int (*@(int a))(int) { return fi; }\n",
                        "int @(int a[static 3], FT f) { return f(a[0]) + #; }\n",
                    ])
                    .replace('@', &name)
                    .replace('#', &body)
                    + &if self.is_fault() { format!("{ty} {name};\n") } else { String::new() }
            }
            6 if self.is_fault() => self
                .random
                .pick(&[
                    "struct s { int again; };\n",
                    "union s *tag;\n",
                    "enum e { E0 };\n",
                    "int f(int), f(double);\n",
                    "struct self { struct self me; };\n",
                    "void v;\n",
                    "int dup; double dup;\n",
                    "_Static_assert(0, \"no\");\n",
                    "int fi(int x) { return x; }\n",
                    "int *huge = &ga[1ull << 40];\n",
                    "char big[1ull << 39]; char more[1ull << 39];\n",
                    "extern struct inc einc; struct inc *pinc = &einc;\n",
                    "struct inc tentative;\n",
                    "int old(x) char *y; { return 0; }\n",
                    "typedef int T; typedef char T;\n",
                    "double strlen(S); int use = sizeof(strlen(gr));\n",
                    "asm(\"nop\");\n",
                    "int alias() __attribute__((alias(\"fi\")));\n",
                    ";;int;struct;\n",
                ])
                .to_owned(),
            _ => {
                self.next_name += 1;
                let (name, value) = (self.next_name, self.constant());
                format!("int k{name} = {value};\n")
            }
        }
    }
}
