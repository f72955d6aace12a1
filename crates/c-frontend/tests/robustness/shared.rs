//! Short programs that say a great deal: the same thing is reached along so many paths that nothing may walk them all,
//! or one construct stands for very many elements. Each must be taken or refused in a moment.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use semper_c_frontend::robustness::check;

/// Far above what each of them takes, and far below what walking all paths takes.
const MOST_TIME: Duration = Duration::from_secs(300);

fn nested(depth: usize, inner: &str, around: &str) -> String {
    (0..depth).fold(inner.to_owned(), |text, level| around.replace("@N", &level.to_string()).replace('@', &text))
}

fn in_main(globals: &str, statement: &str) -> String {
    format!("{globals}\nint main(void) {{ {statement}; return 0; }}\n")
}

fn chain(count: usize, first: &str, next: &str, last: &str) -> String {
    let steps = (1..=count).map(|at| next.replace("@N", &at.to_string()).replace("@P", &(at - 1).to_string()));
    format!("{first}{}{}", steps.collect::<String>(), last.replace("@L", &count.to_string()))
}

fn programs() -> Vec<String> {
    let mut texts = vec![
        // An operand that is tested and then used.
        in_main("int x, y;", &format!("x = {}", nested(60, "x", "(@ ?: y)"))),
        in_main("int x, y;", &format!("x = sizeof({})", nested(60, "x", "(@ ?: y)"))),
        in_main(&format!("int x; int *p = {};", nested(60, "&x", "(@ ?: &x)")), ""),
        in_main("double d;", &format!("d = {}", nested(60, "d", "__builtin_fabs(@)"))),
        in_main("int x;", &format!("x = {}", nested(60, "x", "__builtin_isnan(@)"))),
        // Operands whose type must be known before they are lowered.
        in_main("int c; struct s { int v; } a, b;", &format!("a = {}", nested(60, "a", "(c ? b : @)"))),
        in_main("int c; struct s { int v; } a, b;", &format!("a = {}", nested(60, "a", "(c ? @ : b)"))),
        in_main("int c; struct s { int v; } a, f(void);", &format!("a = {}", nested(60, "a", "(c ? @ : f())"))),
        in_main("int x, c;", &format!("x = {}", nested(60, "x", "({ int t = c ? @ : x++; t; })"))),
        in_main("int x;", &format!("x = {}", nested(60, "x", "({ __auto_type t@N = @; t@N; })"))),
        in_main("int x;", &nested(60, "1", "({ (__typeof__(@))1; })")),
        in_main("struct s { int v; } a;", &format!("a = {}", nested(40, "a", "({ struct s t[1] = { @ }; t[0]; })"))),
        in_main(
            "struct s { int v; } a;",
            &format!("a.v = sizeof({})", nested(40, "a", "({ struct s t[] = { @ }; t[0]; })")),
        ),
        in_main(
            "struct s { int v; } a;",
            &format!("a.v = sizeof({})", nested(40, "a", "({ struct s t = { .v = 1 }, u[1] = { @ }; u[0]; })")),
        ),
        in_main("int x;", &format!("x = {}", nested(60, "x", "_Generic(@, int: 1, default: @N)"))),
        in_main("int x;", &format!("x = {}", nested(40, "x", "sizeof(__typeof__(@))"))),
        // Types that are built from two of the same.
        chain(
            60,
            "struct s0 {};\n",
            "struct s@N { struct s@P a, b; };\n",
            "int main(void) { struct s@L v = {}; return sizeof v; }",
        ),
        chain(
            30,
            "struct s0 { int : 5; };\n",
            "struct s@N { struct s@P a, b; };\n",
            "struct s@L g; int main(void) { struct s@L v = {}; g = v; return 0; }",
        ),
        chain(
            30,
            "struct s0 { int a; };\n",
            "struct s@N { struct s@P a, b; };\n",
            "struct s@L g; int main(void) { struct s@L v = {}; g = v; return 0; }",
        ),
        chain(
            60,
            "typedef int (*f0)(int);\n",
            "typedef int (*f@N)(f@P, f@P);\n",
            "int main(void) { f@L v = 1.5; return v; }",
        ),
        chain(
            60,
            "typedef int (*f0)(int (*)[]); typedef int (*h0)(int (*)[3]);\n",
            "typedef int (*f@N)(f@P, f@P); typedef int (*h@N)(h@P, h@P);\n",
            "int main(void) { f@L v; h@L w; v = w; return 0; }",
        ),
        // Few words for many elements.
        "struct e {} a[1ull << 39]; int main(void) { struct e b[1ull << 39] = {}; *a = *b; return sizeof b; }"
            .to_owned(),
        "char a[1ull << 39]; int main(void) { char b[1ull << 39] = { 1 }; b[7] = a[9]; return b[8]; }".to_owned(),
        "char a[1 << 20][1 << 20] = { [0 ... 1048575] = { [0 ... 1048575] = 1 } }; int main(void) {}".to_owned(),
        "char a[1 << 20][1 << 20] = { [0 ... 1048575] = { [0 ... 1048575] = {} } }; int main(void) {}".to_owned(),
        format!("int a[1 << 20] = {{ {} }}; int main(void) {{}}", "[0 ... 1048575] = 1,".repeat(500)),
        "int a[] = { [0xfffffffe] = 1 }; int main(void) { return a[3]; }".to_owned(),
        "struct { int n; char rest[]; } a = { 1, \"text\" }; int main(void) { return a.rest[1]; }".to_owned(),
        "struct { int a[1 << 28]; } v, w; int main(void) { v = w; v.a[5] = 1; w = v; return w.a[5]; }".to_owned(),
        in_main(
            "void *malloc(unsigned long);",
            "char *p = malloc(1ul << 39); p[1ul << 38] = 1; __builtin_memset(p, 0, 1ul << 39)",
        ),
        // Numbers without bound under ideal integers.
        "int x = 2; int main(void) { for (;;) { x = x * x; } }".to_owned(),
        "int x = 2; int main(void) { for (;;) { x = x << 60000; } }".to_owned(),
        "int x = 2; int main(void) { for (;;) { x = x + x; } }".to_owned(),
        // Stacks without bound.
        "int f(int n) { int big[1 << 20]; return f(n + 1) + big[n]; } int main(void) { return f(0); }".to_owned(),
    ];
    texts.push(in_main("int x;", &format!("x = {}", nested(200, "1", "(@ + @N)"))));
    texts
}

#[test]
fn short_programs_take_a_moment() {
    let mut slow = Vec::new();
    for text in programs() {
        let shown: String = text.chars().take(300).collect();
        let (sender, receiver) = mpsc::channel();
        let worker = thread::spawn(move || {
            check(text.as_bytes());
            let _ = sender.send(());
        });
        match receiver.recv_timeout(MOST_TIME) {
            Err(mpsc::RecvTimeoutError::Timeout) => slow.push(shown),
            _ => assert!(worker.join().is_ok(), "{shown}"),
        }
    }
    assert!(slow.is_empty(), "no end in {MOST_TIME:?}:\n{}", slow.join("\n"));
}
