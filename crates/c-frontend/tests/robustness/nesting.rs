//! Deep programs: every construct nested as deeply as the parser allows is translated, printed and run on the stack of a
//! test thread. What the parser reports as nested too deeply is tested there.

use semper_c_frontend::robustness::{TextOutcome, check};

/// A program with something in its middle repeated: `before`, `open` n times, `middle`, `close` n times, `after`.
struct Nesting {
    before: &'static str,
    open: &'static str,
    middle: &'static str,
    close: &'static str,
    after: &'static str,
    depth: usize,
    outcome: TextOutcome,
}

/// What stands before the body of `main` in the programs below.
const PRELUDE: &str = "int x, y, a[3], *p = a, f(int), g(); struct s { struct s *n; int v; } s, *q = &s; double d;\n";

const fn runs(depth: usize, [before, open, middle, close, after]: [&'static str; 5]) -> Nesting {
    Nesting { before, open, middle, close, after, depth, outcome: TextOutcome::Ran }
}

const fn refused(depth: usize, [before, open, middle, close, after]: [&'static str; 5]) -> Nesting {
    Nesting { before, open, middle, close, after, depth, outcome: TextOutcome::Refused }
}

const NESTINGS: &[Nesting] = &[
    runs(3_900, ["int main() { x = ", "(", "1", ")", "; }"]),
    runs(3_900, ["int main() { x = ", "!", "y", "", "; }"]),
    runs(3_900, ["int main() { x = ", "- ", "y", "", "; }"]),
    runs(3_900, ["int main() { x = ", "(char)", "y", "", "; }"]),
    runs(3_900, ["int main() { x = y", "+y", "", "", "; }"]),
    runs(1_900, ["int main() { x = ", "y-(", "y", ")", "; }"]),
    runs(1_900, ["int main() { x = y", "*y+y", "", "", "; }"]),
    runs(3_900, ["int main() { x = y", "&&y", "", "", "; }"]),
    runs(1_900, ["int main() { x = ", "y||(", "y", ")", "; }"]),
    runs(1_900, ["int main() { if (", "y||(", "y++", ")", "); }"]),
    runs(1_900, ["int main() { x = ", "y&&(", "y++", ")", "; }"]),
    runs(3_900, ["int main() { y", ", x", "", "", "; }"]),
    runs(3_900, ["int main() { ", "x = ", "y", "", "; }"]),
    runs(3_900, ["int main() { ", "x += ", "y", "", "; }"]),
    runs(3_900, ["int main() { x = ", "y ? x : ", "y", "", "; }"]),
    runs(3_900, ["int main() { x = ", "y ? ", "x", " : y", "; }"]),
    runs(1_900, ["int main() { x = ", "y ? x++ : ", "y", "", "; }"]),
    runs(1_900, ["int main() { x = ", "y ? ", "x++", " : y", "; }"]),
    runs(1_900, ["int main() { x = ", "y ?: ", "x++", "", "; }"]),
    runs(3_900, ["int main() { x = ", "a[", "1", "]", "; }"]),
    runs(3_900, ["int main() { x = q", "->n", "", "", "->v; }"]),
    runs(1_900, ["int main() { x = ", "*&", "y", "", "; }"]),
    runs(3_900, ["int main() { ", "f(", "1", ")", "; }"]),
    runs(3_900, ["int main() { ", "g(", "1", ")", "; }"]),
    runs(900, ["int main() { x = ", "({", "1", ";})", "; }"]),
    runs(900, ["int main() { x = ", "({ int t = ", "1", "; t; })", "; }"]),
    runs(1_900, ["int main() ", "{", "x = 1;", "}", ""]),
    runs(1_900, ["int main() ", "{ int t;", "t = 1;", "}", ""]),
    runs(3_900, ["int main() { ", "if (x) ", ";", "", "}"]),
    runs(3_900, ["int main() { ", "if (x) ; else ", ";", "", "}"]),
    runs(3_900, ["int main() { ", "while (x) ", ";", "", "}"]),
    runs(3_900, ["int main() { ", "do ", ";", " while (x);", "}"]),
    runs(1_900, ["int main() { ", "for (int i = 0; i < x; i++) ", "x++;", "", "}"]),
    runs(1_900, ["int main() { ", "switch (x) case 0: ", "x++;", "", "}"]),
    runs(3_900, ["int main() { ", "_Generic(1, default: ", "1", ")", "; }"]),
    runs(3_900, ["int main() { x = ", "sizeof ", "1", "", "; }"]),
    runs(150, ["int main() { x = ", "sizeof(char[", "1", "])", "; }"]),
    runs(200, ["int main() { ", "typeof(", "int", ")", " t; x = sizeof t; }"]),
    runs(100, ["int main() { x = ", "(int){", "1", "}", "; }"]),
    runs(200, ["int main() { int t = ", "{", "1", "}", "; }"]),
    runs(200, ["int main() { struct { ", "struct {", "int m;", "};", " } t; t.m = 1; }"]),
    runs(200, ["int main() { int t", "[1]", "", "", " = { 0 }; x = sizeof t; }"]),
    runs(200, ["int main() { int ", "*", "t", "", "; x = sizeof t; }"]),
    runs(100, ["int main() { int ", "(*", "t", ")()", "; x = sizeof t; }"]),
    runs(100, ["void h", "(int p", "", ")", "; int main() { x = sizeof h; }"]),
    refused(3_900, ["int main() { int t", "[1]", "", "", " = { 0 }; x = sizeof t; }"]),
    refused(3_900, ["int main() { int ", "*", "t", "", "; x = 1.5 * t; }"]),
    refused(1_900, ["int main() { int ", "(*", "t", ")()", "; x = 1.5 * t; }"]),
];

impl Nesting {
    fn text(&self) -> String {
        let Nesting { before, open, middle, close, after, depth, .. } = self;
        format!("{PRELUDE}{before}{}{middle}{}{after}\n", open.repeat(*depth), close.repeat(*depth))
    }
}

#[test]
fn deep_programs_are_taken() {
    let wrong = NESTINGS.iter().filter(|nesting| check(nesting.text().as_bytes()) != nesting.outcome);
    let wrong: Vec<String> = wrong.map(|nesting| format!("{}{}", nesting.before, nesting.open)).collect();
    assert!(wrong.is_empty(), "not as expected: {}", wrong.join("\n"));
}

#[test]
fn types_that_grow_from_declaration_to_declaration_are_taken_or_reported() {
    let chain = |count: usize, first: &str, next: &str, last: &str| {
        let mut text = first.to_owned();
        for at in 1..=count {
            text += &next.replace("@N", &at.to_string()).replace("@P", &(at - 1).to_string());
        }
        text + &last.replace("@L", &count.to_string())
    };
    let grown = [
        ("typedef int T0;\n", "typedef T@P *T@N;\n", "T@L v; int main(void) { return v == 0; }"),
        ("typedef int T0;\n", "typedef T@P T@N[1];\n", "T@L v; int main(void) { return sizeof v; }"),
        ("typedef int T0(void);\n", "typedef T@P *T@N(void);\n", "T@L v; int main(void) { return sizeof(v()); }"),
        (
            "struct s0 { int m; };\n",
            "struct s@N { struct s@P m; };\n",
            "struct s@L v; int main(void) { struct s@L w = { 1 }; v = w; return 0; }",
        ),
        (
            "struct s0 { int m; };\n",
            "struct s@N { struct s@P *m; };\n",
            "struct s@L v; int main(void) { return v.m == 0; }",
        ),
        ("int v0;\n", "__typeof__(&v@P) v@N = &v@P;\n", "int main(void) { return v@L == 0; }"),
    ];
    for (first, next, last) in grown {
        assert_eq!(check(chain(100, first, next, last).as_bytes()), TextOutcome::Ran, "{next}");
        check(chain(3_000, first, next, last).as_bytes());
    }
    // Structures with the same tags in an inner scope are compared by their contents.
    let lists = chain(3_000, "struct s0 { int m; };\n", "struct s@N { struct s@P *m; };\n", "");
    let text = format!("{lists}struct s3000 *v; int main(void) {{ {lists} struct s3000 *w; w = v; return 0; }}");
    assert_eq!(check(text.as_bytes()), TextOutcome::Ran);
}
