//! Random C programs with all operators and types, whose edges are short.

use crate::chance::Random;

/// How much of C a program uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    /// Scalars only.
    Scalars,
    /// Arrays, structures and unions too.
    Aggregates,
    /// Pointers and the heap too.
    Pointers,
}

const SCALARS: &[&str] =
    &["sc", "uc", "s", "us", "x", "y", "u", "l", "ul", "ll", "ull", "b", "sc", "uc", "x", "y", "u"];

const AGGREGATES: &[&str] = &[
    "a[@ & 3]",
    "a[2]",
    "bytes[@ % 3u]",
    "r.f",
    "r.g[@ & 1]",
    "r.bf",
    "r.bs",
    "r.h",
    "rs[@ & 1].f",
    "rs[1].g[0]",
    "un.i",
    "un.c[@ & 3]",
    "un.w",
    "rs[@ & 1].bs",
    "a[y]",
    "m[@ & 1][@ & 1]",
    "flags[@ & 1]",
    "tail.rest[@ & 1]",
];

const POINTERS: &[&str] =
    &["*p", "p[@ & 1]", "ps->f", "ps->g[1]", "*pu", "*pc", "*h", "h[@ & 3]", "**pp", "ps->bf", "*q"];

const ATOMS: &[&str] = &["x > 0", "u == 3", "sc + uc == y", "b", "l / (y | 1) == 2", "1 / x > 0", "x & 5"];

/// A program, and atoms over it.
pub fn program(random: &mut Random, size: Size) -> (String, Vec<&'static str>) {
    let mut maker = Maker { random, size };
    let mut body = String::new();
    for _ in 0..3 + maker.random.below(5) {
        body += &maker.statement(2);
        body += "\n        ";
    }
    let heap = if size == Size::Pointers { "h = malloc(16); q = calloc(2, 8);" } else { "" };
    let text = format!(
        "extern int nondet_int(void); extern signed char nondet_schar(void); extern unsigned long long nondet_ull(void);
extern _Bool nondet_bool(void); extern long other(int, long);
extern void *malloc(unsigned long); extern void *calloc(unsigned long, unsigned long); extern void free(void *);
extern void *memset(void *, int, unsigned long); extern void *memcpy(void *, const void *, unsigned long);
extern void exit(int); extern void __VERIFIER_assume(int);
struct S {{ int f; short g[2]; unsigned bf : 3; int bs : 5; _Bool h; }};
struct T {{ int first; int rest[1]; }};
union U {{ int i; unsigned char c[4]; unsigned w; }};
signed char sc; unsigned char uc = 7; short s = -3; unsigned short us; int x = 1, y; unsigned u = 4000000000u;
long l; unsigned long ul = 5; long long ll = -1; unsigned long long ull; _Bool b; extern int anything;
int a[4] = {{1, 2, 3}}; unsigned char bytes[3]; struct S r, rs[2]; union U un; int m[2][2]; _Bool flags[2]; struct T tail;
int *p = &x, **pp = &p, *h, *q; struct S *ps = &r; unsigned *pu = &u; char *pc = (char *)&a[1]; const char *text = \"ab\";
static int twice(int n) {{ int result = 2 * n; return result; }}
static long clamp(long n, unsigned char m) {{ if (n < 0) return m; return n & m; }}
int main(int argc) {{
    int local, more = argc; unsigned char small;
    {heap}
    while (1) {{
        {body}
    }}
}}
"
    );
    let count = 1 + random.below(3);
    let atoms = (0..count).map(|_| random.pick(ATOMS)).collect();
    (text, atoms)
}

struct Maker<'r> {
    random: &'r mut Random,
    size: Size,
}

impl Maker<'_> {
    fn target(&mut self) -> String {
        let pattern = match self.random.below(8) {
            0 | 1 if self.size != Size::Scalars => self.random.pick(AGGREGATES),
            2..=4 if self.size == Size::Pointers => self.random.pick(POINTERS),
            5 => self.random.pick(&["local", "more", "small"]),
            _ => self.random.pick(SCALARS),
        };
        let mut text = String::new();
        for piece in pattern.split_inclusive('@') {
            match piece.strip_suffix('@') {
                Some(before) => {
                    text += before;
                    text += self.random.pick(&["x", "u", "uc", "y", "1"]);
                }
                None => text += piece,
            }
        }
        text
    }

    fn constant(&mut self) -> &'static str {
        self.random.pick(&[
            "0",
            "1",
            "2",
            "3",
            "7",
            "-1",
            "-5",
            "10",
            "127",
            "128",
            "255",
            "256",
            "65535",
            "2147483647",
            "(-2147483647-1)",
            "4294967295u",
            "0x7fffffffffffffffll",
            "12u",
            "0xf0",
            "8",
            "1000000007",
            "-2ll",
        ])
    }

    fn expression(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.below(6) == 0 {
            return if self.random.below(3) == 0 { self.constant().to_owned() } else { self.target() };
        }
        let (left, right) = (self.expression(depth - 1), self.expression(depth - 1));
        match self.random.below(16) {
            0 | 1 => format!("({left} {} {right})", self.random.pick(&["+", "-"])),
            2 => format!("({left} * {right})"),
            3 => format!("({left} {} ({right} | 1))", self.random.pick(&["/", "%"])),
            4 => format!("({left} {} {right})", self.random.pick(&["/", "%"])),
            5 => format!("({left} {} ({right} & 7))", self.random.pick(&["<<", ">>"])),
            6 => format!("({left} {} {})", self.random.pick(&["<<", ">>"]), self.random.below(9)),
            7 | 8 => format!("({left} {} {})", self.random.pick(&["&", "|", "^"]), self.constant()),
            9 => format!("({left} {} {right})", self.random.pick(&["&", "|", "^"])),
            10 => format!("({left} {} {right})", self.random.pick(&["<", "<=", "==", "!=", ">", ">="])),
            11 => format!("({left} {} {right})", self.random.pick(&["&&", "||"])),
            12 => format!("({left} ? {right} : {})", self.expression(depth - 1)),
            13 => format!("({}{left})", self.random.pick(&["- ", "~", "!"])),
            14 => {
                let types =
                    ["signed char", "unsigned char", "short", "int", "unsigned", "long", "unsigned long long", "_Bool"];
                format!("(({}){left})", self.random.pick(&types))
            }
            _ if self.size == Size::Pointers => {
                let text = self.random.pick(&[
                    "(p == &x)",
                    "(p != 0)",
                    "(p < &a[3])",
                    "(p - a)",
                    "(h == q)",
                    "(pc == (char *)&a[1])",
                    "(p && *p > 1)",
                    "(ps == &r)",
                    "(p == *pp)",
                    "(unsigned long)p",
                    "(_Bool)p",
                    "(int)sizeof(r)",
                    "(pc - (char *)a)",
                    "(p >= a)",
                ]);
                text.to_owned()
            }
            _ => format!("(unsigned char)({left} + 1)"),
        }
    }

    fn statement(&mut self, depth: usize) -> String {
        let target = self.target();
        match self.random.below(20) {
            0 => format!("{target} = {};", self.random.pick(&["nondet_int()", "nondet_schar()", "nondet_bool()"])),
            1 => "ull = nondet_ull();".to_owned(),
            2 => format!("{target} {}= {};", self.random.pick(&["+", "-", "*", "&", "|", "^"]), self.expression(1)),
            3 => format!("{target}{};", self.random.pick(&["++", "--"])),
            4 if depth > 0 => {
                let condition = self.expression(2);
                format!("if ({condition}) {{ {} }} else {{ {} }}", self.statement(depth - 1), self.statement(depth - 1))
            }
            5 => format!(
                "{target} = {};",
                self.random.pick(&["twice(x & 15)", "clamp(l, uc)", "other(x, l)", "anything"])
            ),
            6 => format!("{{ int inner; unsigned char ic = {}; {target} = inner + ic; }}", self.expression(1)),
            7 if self.random.below(4) == 0 => format!("__VERIFIER_assume({});", self.expression(1)),
            8 if self.random.below(12) == 0 => "exit(1);".to_owned(),
            9 | 10 if self.size != Size::Scalars => self
                .random
                .pick(&[
                    "r = rs[x & 1];",
                    "rs[1] = r;",
                    "rs[y & 1] = rs[0];",
                    "{ struct S t = r; t.f++; rs[0] = t; }",
                    "m[0][y & 1] = m[1][0];",
                ])
                .to_owned(),
            11..=15 if self.size == Size::Pointers => {
                let text = self.random.pick(&[
                    "p = &x;",
                    "p = &a[y & 3];",
                    "p = h + (x & 3);",
                    "p = a + y;",
                    "p++;",
                    "p = 0;",
                    "p = *pp;",
                    "pp = &h;",
                    "pp = &p;",
                    "ps = &rs[x & 1];",
                    "ps = &r;",
                    "r = *ps;",
                    "*ps = rs[1];",
                    "{ struct S *other = &rs[0]; *other = *ps; }",
                    "pc = (char *)&r;",
                    "pc = pc + 1;",
                    "pc = (char *)p;",
                    "pu = (unsigned *)p;",
                    "free(h);",
                    "free(q); q = 0;",
                    "memset(a, 0, 8);",
                    "memset(&a[1], y, x & 7);",
                    "memcpy(&r, &rs[1], sizeof r);",
                    "memcpy(a, h, 8);",
                    "{ int in = 3; p = &in; *p = 4; x = in; }",
                    "{ int in = x; int *z = &in; *z += y; y = in; } ",
                    "p = (int *)(unsigned long)p;",
                    "p = &tail.rest[x];",
                    "x = text[y & 1];",
                    "h[x & 3] = y;",
                    "q[u & 3] = 7;",
                    "p = &r.f;",
                ]);
                text.to_owned()
            }
            _ => format!("{target} = {};", self.expression(3)),
        }
    }
}
