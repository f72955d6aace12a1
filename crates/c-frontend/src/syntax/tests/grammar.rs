//! Texts and their trees.

use super::{Outcome, compare, expression};

fn unit(text: &str) -> String {
    let outcome = Outcome::of(text);
    match outcome.messages() {
        messages if messages.is_empty() => outcome.dump(),
        messages => format!("{messages:?}"),
    }
}

fn value(text: &str) -> String {
    expression(text).unwrap_or_else(|messages| format!("{messages:?}"))
}

/// The body of a function that holds the text.
fn body(text: &str) -> String {
    let dump = unit(&format!("void f(void) {{ {text} }}"));
    match dump.strip_prefix("(define f: function() void ").and_then(|rest| rest.strip_suffix(")")) {
        Some(body) => body.to_owned(),
        None => dump,
    }
}

#[test]
fn every_pair_of_binary_operators_binds_as_the_standard_says() {
    // Levels of 6.5.5 to 6.5.17 from the strongest down; the last two associate to the right.
    const LEVELS: [&[&str]; 12] = [
        &["*", "/", "%"],
        &["+", "-"],
        &["<<", ">>"],
        &["<", ">", "<=", ">="],
        &["==", "!="],
        &["&"],
        &["^"],
        &["|"],
        &["&&"],
        &["||"],
        &["=", "*=", "/=", "%=", "+=", "-=", "<<=", ">>=", "&=", "^=", "|="],
        &[","],
    ];
    for (first_level, first_row) in LEVELS.iter().enumerate() {
        for (second_level, second_row) in LEVELS.iter().enumerate() {
            for first in *first_row {
                for second in *second_row {
                    let right_first = second_level < first_level || (first_level == second_level && first_level == 10);
                    let expected = if right_first {
                        format!("({first} a ({second} b c))")
                    } else {
                        format!("({second} ({first} a b) c)")
                    };
                    assert_eq!(value(&format!("a {first} b {second} c")), expected);
                }
            }
        }
    }
}

#[test]
fn expressions() {
    compare(
        &[
            ("a ? b : c ? d : e", "(? a b (? c d e))"),
            ("a ? b, c : d", "(? a (, b c) d)"),
            ("a ? b ? c : d : e", "(? a (? b c d) e)"),
            ("a || b ? c = d : e", "(? (|| a b) (= c d) e)"),
            ("a = b ? c : d", "(= a (? b c d))"),
            ("a ?: b ?: c", "(?: a (?: b c))"),
            ("-a * !b", "(* (- a) (! b))"),
            ("- - +a", "(- (- (+ a)))"),
            ("*p++", "(* (post++ p))"),
            ("++*p--", "(pre++ (* (post-- p)))"),
            ("&a[1].b->c(d, e)", "(& (call (-> (. (index a 1) b) c) d e))"),
            ("a---b", "(- (post-- a) b)"),
            ("a+++b", "(+ (post++ a) b)"),
            ("a & &b", "(& a (& b))"),
            ("a && b", "(&& a b)"),
            ("a && &&b", "(&& a (&& b))"),
            ("f()()", "(call (call f))"),
            ("((a))", "a"),
            ("(a)(b)", "(call a b)"),
            ("(a) + b", "(+ a b)"),
            ("(T) + b", "(cast ['T] (+ b))"),
            ("(T)(b)", "(cast ['T] b)"),
            ("(T)a * b", "(* (cast ['T] a) b)"),
            ("(int)(char)a[1]", "(cast [int] (cast [char] (index a 1)))"),
            ("sizeof a * b", "(* (sizeof a) b)"),
            ("sizeof(a)", "(sizeof a)"),
            ("sizeof(a)[1]", "(sizeof (index a 1))"),
            ("sizeof(int) * b", "(* (sizeof [int]) b)"),
            ("sizeof(int){1}", "(sizeof (literal [int] {1}))"),
            ("sizeof(int[2]){1}[0]", "(sizeof (index (literal [array[2] int] {1}) 0))"),
            ("sizeof sizeof a", "(sizeof (sizeof a))"),
            ("_Alignof(int) + __alignof__ a", "(+ (alignof [int]) (alignof a))"),
            ("(struct s){.a = 1, .b[2] = 3}.a", "(. (literal [(struct s)] {.a=1 .b[2]=3}) a)"),
            ("&(int){0}", "(& (literal [int] {0}))"),
            ("(int (*)(void))p", "(cast [pointer function() int] p)"),
            ("(void *)0", "(cast [pointer void] 0)"),
            ("(const char *const *)p", "(cast [pointer pointer const const char] p)"),
            ("(unsigned long)a", "(cast [unsigned-long] a)"),
            ("_Generic(a, int: 1, char *: 2, default: 3)", "(generic a [int] 1 [pointer char] 2 [default] 3)"),
            ("__builtin_va_arg(ap, int *)", "(va-arg ap [pointer int])"),
            ("__builtin_offsetof(struct s, a.b[2].c)", "(offsetof [(struct s)] .a.b[2].c=)"),
            ("__builtin_types_compatible_p(int, T)", "(compatible [int] ['T])"),
            ("__builtin_choose_expr(1, a, b)", "(choose 1 a b)"),
            ("__extension__ a + __extension__ b", "(+ a b)"),
            ("__real__ a + __imag b", "(+ (real a) (imaginary b))"),
            ("({ int x = 1; x; })", "(value-of {(declare x: int = 1) x})"),
            ("({ a; }) + 1", "(+ (value-of {a}) 1)"),
            ("main::i < n", "(< main::i n)"),
            ("a ? f::x : g::y", "(? a f::x g::y)"),
            ("a<:1:>", "(index a 1)"),
            ("a\\\n+\\\r\n+", "(post++ a)"),
            ("gr\\u00fc\\U000000dfe + größe + a$b", "(+ (+ grüße größe) a$b)"),
            ("a /* b */ + // c\n d", "(+ a d)"),
            ("\"a\" \"b\" L\"c\"", "L\"abc\""),
            ("__func__", "__func__"),
        ],
        value,
    );
}

#[test]
fn declarators() {
    compare(
        &[
            ("int *a[3];", "(declare a: array[3] pointer int)"),
            ("int (*a)[3];", "(declare a: pointer array[3] int)"),
            ("int (*(*f[3])(int))(char);", "(declare f: array[3] pointer function(int) pointer function(char) int)"),
            ("int *const volatile *restrict p;", "(declare p: pointer restrict pointer const volatile int)"),
            ("int ((((x))));", "(declare x: int)"),
            (
                "int f(void), g(), *h(int a, ...);",
                "(declare f: function() int, g: function?() int, h: function(a: int, ...) pointer int)",
            ),
            (
                "void f(int a[static 3], int b[*], int c[const restrict], char [2][n]);",
                "(declare f: function(a: array[3] int, b: array[*] int, c: array[] int, array[2] array[n] char) void)",
            ),
            (
                "void (*signal(int, void (*)(int)))(int);",
                "(declare signal: function(int, pointer function(int) void) pointer function(int) void)",
            ),
            ("int a[], b[0], c[1 + 2];", "(declare a: array[] int, b: array[0] int, c: array[(+ 1 2)] int)"),
            (
                "int (*p)(int (*)(int), int ());",
                "(declare p: pointer function(pointer function(int) int, function?() int) int)",
            ),
            ("int f(int (x), int (*y));", "(declare f: function(x: int, y: pointer int) int)"),
            (
                "typedef int T; int f(int (T), int (T[2]));",
                "(declare T: typedef int) (declare f: function(function('T) int, function(array[2] 'T) int) int)",
            ),
            (
                "int f(a, b) char a; int *b; { return a; }",
                "(define f: function?(a b) int (declare a: char) (declare b: pointer int) {(return a)})",
            ),
            ("f(x) { }", "(define f: function?(x) missing {})"),
            ("main() { }", "(define main: function?() missing {})"),
            ("static x, *y();", "(declare x: static missing, y: function?() pointer static missing)"),
            (
                "int x __asm__(\"y\") __attribute__((unused, aligned(8))) = 1;",
                "(declare x: int @asm @unused @aligned(8) = 1)",
            ),
            ("void (__attribute__((cdecl)) *f)(void);", "(declare f: pointer function() void @cdecl)"),
            ("int *__attribute__((x)) const p;", "(declare p: pointer const int @x)"),
            ("int f(int x __attribute__((unused)));", "(declare f: function(x: int @unused) int)"),
            (
                "int a __attribute__((f(int, 1), g(1, struct s *, 2), , const)), b;",
                "(declare a: int @f @g(1) @const, b: int)",
            ),
            ("int a, __attribute__((y)) *b;", "(declare a: int, b: pointer int @y)"),
        ],
        unit,
    );
}

#[test]
fn specifiers() {
    compare(
        &[
            ("long unsigned int long x;", "(declare x: unsigned-longlong)"),
            (
                "short a; signed b; unsigned c; signed char d; char e;",
                "(declare a: short) (declare b: signed-int) (declare c: unsigned-int) (declare d: signed-char) (declare e: char)",
            ),
            ("int const static long x;", "(declare x: static const long)"),
            (
                "long double a; double b; float c; _Complex double d; float _Complex e; _Complex f;",
                "(declare a: longdouble) (declare b: double) (declare c: float) (declare d: complex) (declare e: complex) (declare f: complex)",
            ),
            (
                "_Float32 a; _Float64 b; _Float32x c; _Float64x d; _Float128 e; __float128 f; _Complex _Float64 g;",
                "(declare a: float) (declare b: double) (declare c: double) (declare d: longdouble) (declare e: float128) (declare f: float128) (declare g: complex)",
            ),
            ("typedef float _Float32; _Float32 x;", "(declare _Float32: typedef float) (declare x: '_Float32)"),
            (
                "__int128 a; unsigned __int128 b; __uint128_t c;",
                "(declare a: int128) (declare b: unsigned-int128) (declare c: unsigned-int128)",
            ),
            (
                "typedef __builtin_va_list va_list; va_list v; __builtin_va_list w;",
                "(declare va_list: typedef va-list) (declare v: 'va_list) (declare w: va-list)",
            ),
            (
                "_Atomic int a; _Atomic(int) b; int *_Atomic c;",
                "(declare a: atomic int) (declare b: (atomic int)) (declare c: pointer atomic int)",
            ),
            (
                "__typeof__(1 + 2) a; typeof(int *) b; __auto_type c = 1;",
                "(declare a: (typeof (+ 1 2))) (declare b: (typeof-type pointer int)) (declare c: auto-type = 1)",
            ),
            (
                "static inline _Noreturn void f(void); extern __thread int x; _Thread_local static int y;",
                "(declare f: function() static inline noreturn void) (declare x: extern thread int) (declare y: static thread int)",
            ),
            ("_Alignas(8) _Alignas(long) int x;", "(declare x: align(8) align(long) int)"),
            (
                "__extension__ typedef __signed__ char __volatile__ __const T;",
                "(declare T: typedef const volatile signed-char)",
            ),
            ("__attribute__((noreturn)) static void f(void) {}", "(define f: function() static void @noreturn {})"),
            ("_Static_assert(1, \"a\" \"b\"); static_assert(2);", "(assert 1 \"ab\") (assert 2)"),
            (";;int x;;", "(declare x: int)"),
            ("asm(\"nop\"); int x;", "(asm) (declare x: int)"),
            ("_Bool b; void *v;", "(declare b: _Bool) (declare v: pointer void)"),
        ],
        unit,
    );
}

#[test]
fn records_and_enumerations() {
    compare(
        &[
            ("struct s;", "(declare (struct s))"),
            (
                "struct s { int a, *b; unsigned c : 3, : 0; } x;",
                "(declare x: (struct s {a: int, b: pointer int; c: unsigned-int :3, unsigned-int :0}))",
            ),
            (
                "struct { struct { int a; }; union u { int b; } c; };",
                "(declare (struct {(struct {a: int}); c: (union u {b: int})}))",
            ),
            ("struct {} e; union u { };", "(declare e: (struct {})) (declare (union u {}))"),
            (
                "struct __attribute__((packed)) s { int a __attribute__((aligned(4))); } __attribute__((unused));",
                "(declare (struct s {a: int @aligned(4)} @packed @unused))",
            ),
            ("struct s __attribute__((packed)) { int a; };", "(declare (struct s {a: int} @packed))"),
            ("struct s __attribute__((unused)) x;", "(declare x: (struct s) @unused)"),
            (
                "struct s { int a; _Static_assert(1, \"\"); __extension__ long b; ; };",
                "(declare (struct s {a: int; (assert 1 \"\"); b: long}))",
            ),
            ("struct s { char n; int tail[]; };", "(declare (struct s {n: char; tail: array[] int}))"),
            (
                "typedef int T; struct s { T T; }; T x;",
                "(declare T: typedef int) (declare (struct s {T: 'T})) (declare x: 'T)",
            ),
            (
                "enum e { A, B = 2, C, }; enum e x; enum { D __attribute__((deprecated)) = 1 };",
                "(declare (enum e {A B=2 C})) (declare x: (enum e)) (declare (enum {D=1}))",
            ),
        ],
        unit,
    );
}

#[test]
fn initializers() {
    compare(
        &[
            ("int a[] = {1, 2, {3}, };", "(declare a: array[] int = {1 2 {3}})"),
            ("int a[] = {};", "(declare a: array[] int = {})"),
            ("int a[9] = {[1] = 2, [3 ... 5] = 6, [7] 8};", "(declare a: array[9] int = {[1]=2 [3...5]=6 [7]=8})"),
            ("struct s x = {a: 1, .b = {2}, .c.d[1] = 3};", "(declare x: (struct s) = {.a=1 .b={2} .c.d[1]=3})"),
            ("int a = 1, b = (2, 3);", "(declare a: int = 1, b: int = (, 2 3))"),
        ],
        unit,
    );
}

#[test]
fn names_of_types_follow_their_scopes() {
    compare(
        &[
            (
                "typedef int T; void f(void) { T * a; }",
                "(declare T: typedef int) (define f: function() void {(declare a: pointer 'T)})",
            ),
            ("int T; void f(int a) { T * a; }", "(declare T: int) (define f: function(a: int) void {(* T a)})"),
            (
                "typedef int T; void f(void) { T T = 1; T * 2; } T x;",
                "(declare T: typedef int) (define f: function() void {(declare T: 'T = 1) (* T 2)}) (declare x: 'T)",
            ),
            (
                "typedef int T; void f(int T) { T * 2; } void g(void) { (T) + 1; }",
                "(declare T: typedef int) (define f: function(T: int) void {(* T 2)}) (define g: function() void {(cast ['T] (+ 1))})",
            ),
            (
                "typedef int T; void f(T) T; { T * 2; }",
                "[\"1:25 missing-semicolon: expected `;` after this declaration, found `T` []\", \"1:29 syntax: expected a declaration, found `{` [{]\"]",
            ),
            (
                "typedef int T; void f(void) { { int T; T * 2; } T * a; }",
                "(declare T: typedef int) (define f: function() void {{(declare T: int) (* T 2)} (declare a: pointer 'T)})",
            ),
            (
                "typedef int T; void f(void) { enum { T }; T * 2; }",
                "(declare T: typedef int) (define f: function() void {(declare (enum {T})) (* T 2)})",
            ),
            (
                "typedef int T; void f(void) { for (int T = 0; T * 2;) T * 3; T * a; }",
                "(declare T: typedef int) (define f: function() void {(for (declare T: int = 0) (* T 2) () (* T 3)) (declare a: pointer 'T)})",
            ),
            (
                "typedef int T; void f(void) { T: goto T; }",
                "(declare T: typedef int) (define f: function() void {(label [T] (goto T))})",
            ),
            (
                "typedef int T; void f(void) { a.T + b->T; }",
                "(declare T: typedef int) (define f: function() void {(+ (. a T) (-> b T))})",
            ),
            (
                "typedef int T; void f(void) { T(a); T(*b); }",
                "(declare T: typedef int) (define f: function() void {(declare a: 'T) (declare b: pointer 'T)})",
            ),
            (
                "typedef int T; int f(T T, int a[sizeof(T)]);",
                "(declare T: typedef int) (declare f: function(T: 'T, a: array[(sizeof T)] int) int)",
            ),
            (
                "typedef int T; struct T { int x; }; T x = sizeof(struct T);",
                "(declare T: typedef int) (declare (struct T {x: int})) (declare x: 'T = (sizeof [(struct T)]))",
            ),
            (
                "typedef int T; void f(void) { typedef char U; U x; } int U;",
                "(declare T: typedef int) (define f: function() void {(declare U: typedef char) (declare x: 'U)}) (declare U: int)",
            ),
            ("typedef int T; unsigned T;", "(declare T: typedef int) (declare T: unsigned-int)"),
            ("typedef int T; int T = sizeof(T);", "(declare T: typedef int) (declare T: int = (sizeof T))"),
        ],
        unit,
    );
}

#[test]
fn statements() {
    compare(
        &[
            (";", "{()}"),
            ("if (a) b; else if (c) d; else e;", "{(if a b c d else e)}"),
            ("if (a) if (b) c; else d;", "{(if a (if b c else d))}"),
            ("if (a) { } else { if (b) c; }", "{(if a {} else {(if b c)})}"),
            ("while (a) do b; while (c);", "{(while a (do b c))}"),
            ("for (;;) ;", "{(for () () () ())}"),
            (
                "for (int i = 0, j; i < 3; i++, j--) { continue; }",
                "{(for (declare i: int = 0, j: int) (< i 3) (, (post++ i) (post-- j)) {(continue)})}",
            ),
            ("for (i = 0; ; ) break;", "{(for (= i 0) () () (break))}"),
            (
                "switch (a) { case 1: case 2 ... 5: b; default: c; }",
                "{(switch a {(label [case 1, case 2...5] b) (label [default] c)})}",
            ),
            ("case a ? b : c: d;", "{(label [case (? a b c)] d)}"),
            ("x: y: z: ;", "{(label [x, y, z] ())}"),
            ("a; end: }  void g(void) {", "{a (label [end] ())}) (define g: function() void {}"),
            ("lab: int x = 1; x;", "{(label [lab] ()) (declare x: int = 1) x}"),
            ("goto a; goto *b; return; return c, d;", "{(goto a) (goto* b) (return) (return (, c d))}"),
            ("__label__ a, b; a: ;", "{(label [a] ())}"),
            ("a: __attribute__((unused)); __attribute__((fallthrough)); b;", "{(label [a] ()) () b}"),
            ("__attribute__((unused)) int x;", "{(declare x: int @unused)}"),
            ("__extension__ int x; __extension__ a;", "{(declare x: int) a}"),
            ("int g(int x) { return x; } g(1);", "{(nested-function) (call g 1)}"),
            ("asm(\"nop\");", "{(asm [] [] [] [])}"),
            (
                "__asm__ __volatile__ (\"a\" \"b\" : \"=r\" (x), [n] \"+m\" (y) : \"r\" (z) : \"cc\", \"memory\");",
                "{(asm [\"=r\" x \"+m\" y] [\"r\" z] [cc memory] [])}",
            ),
            (
                "asm goto (\"\" : : \"r\"(a) : : out); asm volatile(\"\" ::: \"memory\");",
                "{(asm [] [\"r\" a] [] [out]) (asm [] [] [memory] [])}",
            ),
            ("_Pragma(\"x\") a;", "{a}"),
            ("extern int e; static char s;", "{(declare e: extern int) (declare s: static char)}"),
            ("if (a) __extension__ b;", "{(if a b)}"),
        ],
        body,
    );
}

#[test]
fn lines_that_are_no_c_leave_no_trace() {
    compare(
        &[
            (
                "# 1 \"a.c\"\nint x;\n#pragma GCC diagnostic push\n#\n  #ident \"x\"\n# pragma STDC FP_CONTRACT ON\nint y;",
                "(declare x: int) (declare y: int)",
            ),
            ("int a\\\nb;\r\nint\tc;\x0c", "(declare ab: int) (declare c: int)"),
            ("\u{feff}int x;", "(declare x: int)"),
            ("int /* # 1 \"x\"\n # 2 */ x; // \\\n y;\n int z;", "(declare x: int) (declare z: int)"),
            ("", ""),
        ],
        unit,
    );
}
