//! Valid programs to be damaged: the C blocks of the pages under `suite/` and `docs/`, the examples, and the programs
//! below, which use what those pages do not.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// All programs, the same in the same order every time.
pub fn programs() -> &'static [String] {
    static PROGRAMS: OnceLock<Vec<String>> = OnceLock::new();
    PROGRAMS.get_or_init(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut programs: Vec<String> = OWN.iter().map(|text| (*text).to_owned()).collect();
        for path in files(&root, &["suite", "docs"], "md") {
            programs.extend(c_blocks(&fs::read_to_string(path).unwrap()));
        }
        for path in files(&root, &["examples"], "c") {
            programs.push(fs::read_to_string(path).unwrap());
        }
        programs
    })
}

fn files(root: &Path, folders: &[&str], ending: &str) -> Vec<PathBuf> {
    let mut open: Vec<PathBuf> = folders.iter().map(|folder| root.join(folder)).collect();
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The fenced blocks of a page that begin with the word `c`.
fn c_blocks(page: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut block: Option<String> = None;
    for line in page.lines() {
        match (&mut block, line.trim_start().strip_prefix("```")) {
            (None, Some(rest)) if rest.split([' ', ',']).next() == Some("c") => block = Some(String::new()),
            (Some(text), None) => *text += &format!("{line}\n"),
            (Some(_), Some(_)) => blocks.extend(block.take()),
            (None, _) => {}
        }
    }
    blocks
}

const OWN: &[&str] = &[
    "struct point { int x, y; } origin = { .y = 2, .x = 1 }, *p = &origin;\n\
     int main(void) { struct point q = *p; q.x += p->y; origin = q; return q.x == 3 ? 0 : 1; }\n",
    "union word { unsigned u; unsigned char bytes[4]; } w;\n\
     int main(void) { w.u = 0x01020304u; int sum = 0; for (int i = 0; i < 4; i++) sum += w.bytes[i]; return sum; }\n",
    "struct flags { unsigned a : 3; int b : 5; unsigned : 0; unsigned long c : 33; _Bool d : 1; } f;\n\
     int main(void) { f.a = 9; f.b = -17; f.c = ~0ul; f.d = 7; return f.a + f.b + (int)f.c + f.d++; }\n",
    "enum colour { RED, GREEN = 5, BLUE } c = GREEN;\n\
     int main(void) { switch (c) { case RED: return 1; case GREEN ... BLUE: c = RED; break; default: c++; } return c; }\n",
    "typedef int (*binary)(int, int);\n\
     static int add(int a, int b) { return a + b; } static int sub(int a, int b) { return a - b; }\n\
     binary table[] = { add, &sub, [3] = add };\n\
     int main(void) { int r = 0; for (int i = 0; i < 4; i++) if (table[i]) r = table[i](r, i); return (*table[0])(r, 1); }\n",
    "extern void *malloc(unsigned long); extern void free(void *);\n\
     struct node { int value; struct node *next; } *head;\n\
     int main(void) { for (int i = 0; i < 3; i++) { struct node *n = malloc(sizeof *n); n->value = i; n->next = head; head = n; }\n\
     while (head) { struct node *n = head; head = n->next; free(n); } return 0; }\n",
    "int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); } int r; int main(void) { r = fib(5); return r; }\n",
    "int g(a, b) int a; char b; { return a + b; } int main() { int r = g(1, 2); again: if (r++ < 9) goto again; return r; }\n",
    "int main(void) { int m[2][3] = { { 1, 2 }, [1][2] = 6 }, s = 0; for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++)\n\
     { if (m[i][j] == 0) continue; if (s > 100) break; s += m[i][j]; } do s--; while (s > 2); return s; }\n",
    "char *s = \"abc\" \"def\"; char t[] = \"xy\", u[2] = \"zz\"; const int *w = L\"wide\";\n\
     unsigned long strlen(const char *); int strcmp(const char *, const char *);\n\
     int main(void) { return (int)strlen(s) + t[1] + u[1] + w[0] + strcmp(s, t); }\n",
    "double d = 1.5, e; float f = 0x1p-3f; int main(void) { e = d * f / 3 - (int)d; f += e > 0.1 ? 1 : -1; return !f; }\n",
    "extern int __VERIFIER_nondet_int(void); extern void __VERIFIER_assume(int); int x, y;\n\
     int main(void) { while (1) { x = __VERIFIER_nondet_int(); __VERIFIER_assume(x > 0 && x < 4); y = x ? y + x : -y; } }\n",
    "typedef unsigned long pthread_t; typedef union { char c[40]; long l; } pthread_mutex_t; pthread_mutex_t m; int n;\n\
     int pthread_create(pthread_t *, const void *, void *(*)(void *), void *); int pthread_join(pthread_t, void **);\n\
     int pthread_mutex_lock(pthread_mutex_t *); int pthread_mutex_unlock(pthread_mutex_t *);\n\
     void *work(void *p) { pthread_mutex_lock(&m); n += *(int *)p; pthread_mutex_unlock(&m); return p; }\n\
     int main(void) { int one = 1; pthread_t a, b; void *r; pthread_create(&a, 0, work, &one); pthread_create(&b, 0, work, &one);\n\
     pthread_join(a, &r); pthread_join(b, 0); return n - *(int *)r; }\n",
    "static int counter(void) { static int n = 3; return n++; } int a[3], *p = a + 1, x;\n\
     int main(void) { x = ({ int t = counter(); t * 2; }); *p++ = x; p[0] = (x, 2); a[0] |= p - a; return x ?: a[1]; }\n",
    "struct in { char c; short s[2]; }; struct out { struct in i[2]; union { int u; float f; }; int tail[]; };\n\
     struct out o = { { { 1, { 2, 3 } }, { .s[1] = 4 } }, { 5 } };\n\
     int main(void) { struct out *q = &o; return (int)sizeof *q + q->i[1].s[1] + q->u + (int)__builtin_offsetof(struct out, i[1].s); }\n",
    "void *memcpy(void *, const void *, unsigned long); void *memset(void *, int, unsigned long);\n\
     int main(void) { int a[4] = { 1, 2, 3, 4 }, b[4]; memset(b, 0, sizeof b); memcpy(b + 1, a, 2 * sizeof *a);\n\
     char *c = (char *)b; unsigned long n = (unsigned long)c; return b[1] + c[4] + (c == (char *)n); }\n",
    "int x; int main(void) { switch (x) { int y; case 0: y = 1; for (;;) { case 1: y = 2; if (x++ > 3) break; else continue; default: ; } }\n\
     { goto in; { int z = 4; in: z = 5; x = z; } } return x; }\n",
    "#define IGNORED\n# 7 \"other.c\"\nstruct s { int a; } f(struct s v) { v.a++; return v; }\n\
     int main(void) { struct s u = { 3 }; u = f(f(u)); return f((struct s) { 4 }).a + (x: u.a); }\n",
    "volatile int status; int main(void) { volatile int *r = (volatile int *)0x4000; while (!(*r & 1)) status++; *r = status; \n\
     asm volatile(\"nop\" : \"=r\"(status) : \"r\"(3) : \"memory\"); return status; }\n",
    "_Static_assert(sizeof(long) >= 4, \"long\"); typedef __typeof__(sizeof 0) size; __extension__ typedef __int128 big;\n\
     big b = (big)1 << 100; int main(void) { __auto_type n = b >> 90; return _Generic(n, big: (int)n, default: 0) + (int)(size)b; }\n",
];
