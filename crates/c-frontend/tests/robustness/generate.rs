//! Faulty but plausible C: declarations, statements and expressions that mostly fit together by type, and once in a
//! while do not. What is wrong is then wrong in an otherwise sound program, so that it is met deep inside the front end.

mod declarations;
mod expressions;
mod statements;

use super::random::Random;

/// A rough kind of type. Every one has variables and functions of its own in the prelude of every program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Int,
    Float,
    /// A pointer to an object: which one is in the word of the type.
    IntPointer,
    CharPointer,
    VoidPointer,
    RecordPointer,
    FunctionPointer,
    Record,
    Union,
    Bits,
    IntArray,
    RecordArray,
    Void,
    /// A type that cannot be computed with: incomplete, a function, wide, atomic.
    Odd,
}

const KINDS: &[Kind] = &[
    Kind::Int,
    Kind::Int,
    Kind::Int,
    Kind::Int,
    Kind::Float,
    Kind::IntPointer,
    Kind::CharPointer,
    Kind::VoidPointer,
    Kind::RecordPointer,
    Kind::FunctionPointer,
    Kind::Record,
    Kind::Union,
    Kind::Bits,
    Kind::IntArray,
    Kind::RecordArray,
    Kind::Void,
    Kind::Odd,
];

/// A program being written.
pub struct Generator<'r> {
    random: &'r mut Random,
    /// Once in so many times something else is written than fits.
    fault: usize,
    /// The local variables that are visible, by kind.
    locals: Vec<(Kind, String)>,
    next_name: usize,
    /// The labels of the function that is being written.
    labels: Vec<String>,
    /// How many nested constructs may still be opened.
    fuel: usize,
    loops: usize,
    switches: usize,
    /// Whether only constants may stand here.
    at_file_scope: bool,
}

/// Types, objects and functions that every program may use. Tags and typedefs are single words, so that any of them can
/// stand where another does.
const PRELUDE: &str = "typedef struct s S; typedef union u U; typedef struct b B; struct inc; enum later;\n\
    struct s { int x; char c; double d; S *next; int a[3]; union { int u1; float u2; }; U *up; };\n\
    union u { int i; unsigned char bytes[4]; double d; struct { short lo, hi; } half; };\n\
    struct b { unsigned a : 3; int b : 7; _Bool f : 1; unsigned : 0; long l : 40; unsigned char c : 8; };\n\
    enum e { E0, E1 = 7, E2, EN = -3 }; typedef int A3[3]; typedef S AS[2]; typedef int FT(int); typedef FT *F1; typedef int (*PA)[3];\n\
    int gi, gj = 3; unsigned gu = 4000000000u; long gl; char gc = 'c'; unsigned char guc; short gs; _Bool gb; enum e ge; __int128 gx;\n\
    double gd = 1.5; float gf; int *gp = &gi; char *gq = \"text\"; void *gv; S *gsp; int **gpp = &gp; F1 gfp; PA gpa; struct inc *ginc;\n\
    S gr, gr2 = { 1, 'x', .d = 2, .a = { 1, 2 } }; U gun; B gbits = { 1, -2 }; A3 ga; AS gas; extern int gext; static int gstat; const int gk = 4;\n\
    volatile int gvol; int fi(int); S fs(S, int); void fv(void); double fd(double, float); int *fp(int *, char *); int fany(); int fvar(char *, ...);\n";

/// Another file of the same program, which defines what the first one only declares.
pub const OTHER_FILE: &str = "typedef struct s S; typedef union u U;\n\
    struct s { int x; char c; double d; S *next; int a[3]; union { int u1; float u2; }; U *up; };\n\
    extern int gi, ga[3]; extern S gr; int gext = 4; static int gstat = 5; struct inc { int v; }; enum later { L0, L1 };\n\
    int fi(int); S fs(S, int); int fany(int a, double b) { return a + (int)b + gstat; } S copied(S v) { return fs(v, gi); }\n\
    int fvar(char *format, ...) { return fi(*format) + ga[1]; } int undeclared(S v) { return v.x; } static int helper(void) { return gr.x; }\n";

/// A program; `fault` says how rare faults are, the smaller the more.
pub fn program(random: &mut Random, fault: usize) -> String {
    let mut generator = Generator {
        random,
        fault,
        locals: Vec::new(),
        next_name: 0,
        labels: Vec::new(),
        fuel: 0,
        loops: 0,
        switches: 0,
        at_file_scope: false,
    };
    generator.whole()
}

impl Generator<'_> {
    fn whole(&mut self) -> String {
        let mut text = PRELUDE.to_owned();
        for _ in 0..self.random.below(5) {
            text += &self.external();
        }
        text += &self.function("int", "fi", &[(Kind::Int, "int")]);
        if !self.random.one_in(3) {
            text += &self.function("S", "fs", &[(Kind::Record, "S"), (Kind::Int, "int")]);
            text += &self.function("void", "fv", &[]);
        }
        if self.random.one_in(2) {
            text += &self.function("double", "fd", &[(Kind::Float, "double"), (Kind::Float, "float")]);
            text += &self.function("int *", "fp", &[(Kind::IntPointer, "int *"), (Kind::CharPointer, "char *")]);
        }
        for _ in 0..self.random.below(3) {
            text += &self.external();
        }
        text += &self.function("int", "main", &[]);
        text
    }

    fn function(&mut self, result: &str, name: &str, parameters: &[(Kind, &str)]) -> String {
        self.locals.clear();
        self.labels.clear();
        self.at_file_scope = false;
        (self.loops, self.switches) = (0, 0);
        let mut list: Vec<String> = Vec::new();
        for (kind, ty) in parameters {
            let name = self.new_name();
            list.push(format!("{ty} {name}"));
            self.locals.push((*kind, name));
        }
        let result_kind = match result {
            "int" => Kind::Int,
            "S" => Kind::Record,
            "double" => Kind::Float,
            "int *" => Kind::IntPointer,
            _ => Kind::Void,
        };
        let list = if list.is_empty() { "void".to_owned() } else { list.join(", ") };
        self.fuel = 8 + self.random.below(30);
        let mut body = String::new();
        for _ in 0..2 + self.random.below(7) {
            body += &self.statement(result_kind);
        }
        for label in ["l0", "l1", "l2"] {
            if !self.labels.iter().any(|known| known == label) && body.contains(&format!("goto {label};")) {
                body += &format!("{label}: ; ");
            }
        }
        if result_kind != Kind::Void {
            body += &format!("return {}; ", self.expr(result_kind));
        }
        format!("{result} {name}({list}) {{ {body}}}\n")
    }

    fn is_fault(&mut self) -> bool {
        self.fault > 0 && self.random.one_in(self.fault)
    }

    fn any_kind(&mut self) -> Kind {
        match self.random.pick(KINDS) {
            Kind::Odd if !self.is_fault() => Kind::Int,
            kind => kind,
        }
    }

    fn new_name(&mut self) -> String {
        self.next_name += 1;
        // Names come back, so that scopes hide each other and declarations clash.
        if self.is_fault() {
            self.random.pick(&["x", "gi", "S", "fi", "main", "E1"]).to_owned()
        } else {
            format!("v{}", self.next_name)
        }
    }

    /// Takes from the fuel; without any, only leaves are written.
    fn opens(&mut self) -> bool {
        self.fuel = self.fuel.saturating_sub(1);
        self.fuel > 0
    }
}
