"""Thirty programs that are too large to be decided in two seconds and 200 MiB, each with a formula and options.

Each stands for a place where a model checker may forget the time: many states, many inputs, much code, long executions,
large formulas, hard arithmetic. Those that would be long are generated. A program is a triple of its C text, a formula
and further options of `semper check`.
"""

HEAD = """#include <stdint.h>
extern unsigned char __VERIFIER_nondet_uchar(void);
extern unsigned short __VERIFIER_nondet_ushort(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern int __VERIFIER_nondet_int(void);
extern short __VERIFIER_nondet_short(void);
extern void __VERIFIER_assume(int);
"""


def ring_buffer(size):
    """An interrupt fills a ring that the main loop empties."""
    return f"""
struct ring {{ volatile uint8_t head, tail; volatile uint8_t data[{size}]; }};
static volatile struct ring rx;
int rx_overrun; uint8_t fill, last, sum;
static void isr(uint8_t byte) {{
    uint8_t next = (uint8_t)((rx.head + 1) % {size});
    if (next == rx.tail) {{ rx_overrun = 1; return; }}
    rx.data[rx.head] = byte; rx.head = next; fill++;
}}
static int get(uint8_t *out) {{
    if (rx.head == rx.tail) return 0;
    *out = rx.data[rx.tail]; rx.tail = (uint8_t)((rx.tail + 1) % {size}); fill--; return 1;
}}
int main(void) {{
    for (;;) {{
        uint8_t byte;
        if (__VERIFIER_nondet_uchar() & 1) isr(__VERIFIER_nondet_uchar());
        if (__VERIFIER_nondet_uchar() & 2) while (get(&byte)) {{ last = byte; sum += byte; }}
    }}
}}"""


TWO_RINGS = """
struct ring { volatile uint8_t head, tail; volatile uint8_t data[16]; };
static volatile struct ring rx, tx;
int rx_overrun; uint8_t crc;
static int put(volatile struct ring *r, uint8_t byte) {
    uint8_t next = (uint8_t)((r->head + 1) & 15);
    if (next == r->tail) return 0;
    r->data[r->head] = byte; r->head = next; return 1;
}
static int get(volatile struct ring *r, uint8_t *out) {
    if (r->head == r->tail) return 0;
    *out = r->data[r->tail]; r->tail = (uint8_t)((r->tail + 1) & 15); return 1;
}
int main(void) {
    for (;;) {
        uint8_t byte;
        if (__VERIFIER_nondet_uchar() > 100 && !put(&rx, __VERIFIER_nondet_uchar())) rx_overrun = 1;
        if (get(&rx, &byte)) { crc = (uint8_t)((crc << 1) ^ byte ^ (crc & 0x80 ? 7 : 0)); put(&tx, crc); }
        if (__VERIFIER_nondet_uchar() < 50) get(&tx, &byte);
    }
}"""

CONTROLLER = """
static int32_t integral, output, last_error; int saturated;
static int32_t multiply(int32_t a, int32_t b) { return (int32_t)(((int64_t)a * b) >> 16); }
int main(void) {
    int32_t position = 0;
    for (;;) {
        int32_t target = (int32_t)__VERIFIER_nondet_short() << 8, error = target - position;
        integral += multiply(error, 3277);
        if (integral > 0x640000) integral = 0x640000;
        if (integral < -0x640000) integral = -0x640000;
        output = multiply(error, 98304) + integral + multiply(error - last_error, 6554);
        saturated = output > 0x7f0000 || output < -0x7f0000;
        last_error = error;
        position += multiply(output - position, 13107);
    }
}"""

FILTER = """
static int32_t taps[16]; int32_t sum; int alarm; static uint8_t at;
static const int16_t weights[16] = { 3, -7, 11, 19, -23, 31, 64, 90, 90, 64, 31, -23, 19, 11, -7, 3 };
int main(void) {
    for (;;) {
        taps[at] = __VERIFIER_nondet_short();
        at = (uint8_t)((at + 1) & 15);
        sum = 0;
        for (int i = 0; i < 16; i++) sum += taps[(at + i) & 15] * weights[i];
        alarm = (sum >> 8) > 30000;
    }
}"""

HTTP = """
enum { METHOD, SPACE, URL, VERSION, CR, NAME, VALUE, BODY, DONE, FAILED };
uint8_t state; uint32_t length, hash, fields; int overflow; static char name[32]; static uint8_t used;
static void feed(uint8_t c) {
    switch (state) {
    case METHOD: if (c >= 'A' && c <= 'Z') hash = hash * 31 + c; else state = c == ' ' ? URL : FAILED; break;
    case URL: if (c == ' ') state = VERSION; else if (c < 33 || c > 126) state = FAILED; else hash = hash * 33 + c; break;
    case VERSION: if (c == 13) state = CR; else if (c != 'H' && c != 'T' && c != 'P' && c != '/' && c != '1' && c != '.')
        state = FAILED; break;
    case CR: state = c == 10 ? NAME : FAILED; used = 0; break;
    case NAME: if (c == 13) state = length ? BODY : DONE; else if (c == ':') { state = VALUE; fields++; }
        else if (used < 32) name[used++] = (char)(c | 32); else overflow = 1; break;
    case VALUE: if (c == 13) state = CR;
        else if (c >= '0' && c <= '9' && name[0] == 'c' && name[7] == '-') length = length * 10 + (c - '0'); break;
    case BODY: hash ^= c; if (--length == 0) state = DONE; break;
    case DONE: state = METHOD; break;
    }
}
int main(void) { for (;;) feed(__VERIFIER_nondet_uchar()); }"""

GENERATOR = """
uint32_t x = 1; int bad;
int main(void) { for (;;) { x = x * 1664525u + 1013904223u; if (x == 0x12345678u && __VERIFIER_nondet_uchar() == 300) bad = 1; } }"""

LARGE_ARRAY = """
static uint8_t page[65536]; uint16_t at; int found;
int main(void) { for (;;) { page[at] = __VERIFIER_nondet_uchar(); at += 257; if (page[at] == 255 && page[at ^ 1] == 254) found = 1; } }"""

WIDE_STATES = """
static uint8_t cells[256]; int bad;
int main(void) { for (;;) { uint8_t at = __VERIFIER_nondet_uchar(); cells[at] += 1 + (at & 3);
    if (cells[at] == 255 && cells[255 - at] == 17 && cells[at ^ 5] == 99) bad = 1; } }"""

WIDE_CYCLE = """
static uint32_t cells[256]; uint8_t at; int bad;
int main(void) { for (;;) { cells[at] = cells[at] * 1664525u + at; at++; if (cells[7] == 12345u && cells[8] == 54321u) bad = 1; } }"""

SORT = """
static int a[64]; int sorted;
int main(void) {
    for (int i = 0; i < 64; i++) a[i] = __VERIFIER_nondet_int();
    for (int i = 0; i < 64; i++) for (int j = 0; j + 1 < 64 - i; j++)
        if (a[j] > a[j + 1]) { int t = a[j]; a[j] = a[j + 1]; a[j + 1] = t; }
    sorted = 1;
    for (int i = 0; i + 1 < 64; i++) if (a[i] > a[i + 1]) sorted = 0;
}"""

BITS = """
uint32_t a, b, c; int bad;
int main(void) { for (;;) { uint8_t k = __VERIFIER_nondet_uchar() & 31;
    a ^= 1u << k; b = (b << 5) ^ (b >> 27) ^ a; c += b ^ (a & b); if (c == 0xdeadbeefu && a == b) bad = 1; } }"""


def counters(number):
    """Each counter by itself is small; all of them are not."""
    names = [f"c{i}" for i in range(number)]
    turns = "".join(f"case {i}: {name} = (uint8_t)(({name} + 1) % {7 + i}); break;" for i, name in enumerate(names))
    return f"uint8_t {', '.join(names)};\nint main(void) {{ for (;;) switch (__VERIFIER_nondet_uchar() % {number}) {{ {turns} }} }}"


def threads(number):
    """Threads that count, and one another's steps in between."""
    bodies = "".join(
        f"static void *work{i}(void *p) {{ for (int i = 0; i < 50; i++) {{ shared += {i}; mine{i} = shared; }} return p; }}\n"
        for i in range(number))
    names = ", ".join(f"mine{i}" for i in range(number))
    starts = "".join(f"pthread_create(&t[{i}], 0, work{i}, 0);" for i in range(number))
    return f"""#include <pthread.h>
volatile uint32_t shared; volatile uint32_t {names};
{bodies}int main(void) {{ pthread_t t[{number}]; {starts}
  for (int i = 0; i < {number}; i++) pthread_join(t[i], 0); }}"""


def deep_inlining(depth):
    """Each function calls the next twice: inlined, there are two to the power of the depth of the last."""
    functions = ["static void f0(void) { x = x * 3 + __VERIFIER_nondet_uchar(); if (x == 77) y++; }"]
    functions += [f"static void f{i}(void) {{ f{i - 1}(); if (x & {i}) f{i - 1}(); x += {i}; }}" for i in range(1, depth)]
    return "uint16_t x; uint32_t y;\n" + "\n".join(functions) + f"\nint main(void) {{ for (;;) f{depth - 1}(); }}"


CONSTANT_LOOP = """
uint64_t sum; int done;
int main(void) { for (uint32_t i = 0; i < 4000000000u; i++) sum += i ^ (sum >> 3); done = 1; for (;;); }"""

NESTED_LOOPS = """
uint32_t n; int done;
int main(void) { for (int i = 0; i < 2000; i++) for (int j = 0; j < 2000; j++) for (int k = 0; k < 2000; k++) n += i ^ j ^ k;
    done = 1; if (__VERIFIER_nondet_uchar()) n = 0; for (;;); }"""


def large_switch(number):
    """A state machine whose next state depends on two inputs."""
    cases = "".join(
        f"case {i}: if (in == {i % 251}) s = {(i * 7 + 3) % number}; else if (in2 > {i * 3 % 509}) s = {(i * 13 + 5) % number};"
        f" else n += {i}; break;\n" for i in range(number))
    return f"""uint16_t s; uint32_t n; int bad;
int main(void) {{ for (;;) {{ uint8_t in = __VERIFIER_nondet_uchar(); uint16_t in2 = __VERIFIER_nondet_ushort();
  switch (s) {{ {cases} default: bad = 1; }} }} }}"""


def straight_line(number):
    """Much code without a loop, all of it about the same few variables."""
    lines = "".join(f"  if (a > {i}) b += a ^ {i}; else c -= b * {i % 13};\n" for i in range(number))
    return f"int a, b, c;\nint main(void) {{ for (;;) {{ a = __VERIFIER_nondet_int();\n{lines} }} }}"


def classes_of_inputs(number):
    """Many tests of the same inputs: the product of their classes is large."""
    tests = "".join(
        f"  if (a % {i + 2} == {i % 3} && b / {i + 3} > {i * 5} && (a ^ b) < {i * 4093 % 65536} && c[{i % 8}] == a) n += {i};\n"
        for i in range(number))
    return f"""uint16_t c[8]; uint32_t n; int bad;
int main(void) {{ for (;;) {{ uint16_t a = __VERIFIER_nondet_ushort(), b = __VERIFIER_nondet_ushort();
  c[a & 7] = b;\n{tests}  if (n == 123456789u) bad = 1; }} }}"""


NONLINEAR = """
int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(), z = __VERIFIER_nondet_int(), w = __VERIFIER_nondet_int();
    while (x * x * x + y * y * y != z * z * z + w * w * w * 3 + 42) {
        x = x * y - z; y = y * z + x; z = z * w - y * x; w = w * w % 1000003 + x * z; } }"""

GREATEST_COMMON_DIVISOR = """
unsigned a, b, c;
int main(void) { for (;;) { a = __VERIFIER_nondet_uint(); b = __VERIFIER_nondet_uint(); __VERIFIER_assume(a > 0 && b > 0);
    unsigned p = a, q = b; while (q) { unsigned t = p % q; p = q; q = t; } c = a / p * b; } }"""

COLLATZ = """
unsigned long long n; int one;
int main(void) { n = __VERIFIER_nondet_uint(); while (n > 1) n = n & 1 ? 3 * n + 1 : n / 2; one = 1; }"""

RECURSION = """
unsigned calls;
static unsigned ackermann(unsigned m, unsigned n) { calls++; return !m ? n + 1 : !n ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1)); }
int main(void) { unsigned r = ackermann(__VERIFIER_nondet_uchar() % 5, __VERIFIER_nondet_uchar()); while (r) r--; }"""

FIBONACCI = """
unsigned calls, r; int done;
static unsigned fibonacci(unsigned n) { calls++; return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
int main(void) { r = fibonacci(45); done = 1; for (;;); }"""


def large_initialiser(number):
    """A table with many entries."""
    entries = ", ".join(str(i * 2654435761 % 65536) for i in range(number))
    return f"""static const uint16_t table[{number}] = {{ {entries} }}; uint32_t at; uint16_t v; int bad;
int main(void) {{ for (;;) {{ v = table[at]; at = (at * 5 + v + __VERIFIER_nondet_uchar()) % {number}; if (v == 65535 && at == 7) bad = 1; }} }}"""


def many_functions(number):
    """Many functions behind a table of pointers."""
    functions = "\n".join(f"static void f{i}(void) {{ x = (x ^ {i}) * {i | 1}; if (x % {i + 2} == 1) y += {i}; }}" for i in range(number))
    names = ", ".join(f"f{i}" for i in range(number))
    return f"""uint32_t x, y;\n{functions}
static void (*const table[])(void) = {{ {names} }};
int main(void) {{ for (;;) table[__VERIFIER_nondet_ushort() % {number}](); }}"""


LONG_LASSO = """
uint32_t n; int back;
int main(void) { for (;;) { back = 0; for (n = 0; n < 3000000u; n++) ; back = __VERIFIER_nondet_uchar(); } }"""

LONG_STEM = """
uint32_t n; int bad;
int main(void) { while (n < 200000000u) n += 1 + (__VERIFIER_nondet_uchar() & 1); bad = 1; for (;;); }"""

LISTS = """
#include <stdlib.h>
struct node { struct node *next; uint16_t value; }; struct node *first; uint16_t length; int bad;
int main(void) { for (;;) {
    if (__VERIFIER_nondet_uchar() & 1) { struct node *n = malloc(sizeof *n); n->value = __VERIFIER_nondet_ushort(); n->next = first; first = n; length++; }
    else if (first) { struct node *n = first; first = n->next; if (n->value == length && length > 300) bad = 1; free(n); length--; } } }"""

MATRIX = """
static int32_t a[8][8], b[8][8]; int32_t trace; int bad;
int main(void) { for (;;) { int i = __VERIFIER_nondet_uchar() & 7, j = __VERIFIER_nondet_uchar() & 7; a[i][j] += __VERIFIER_nondet_short();
    for (i = 0; i < 8; i++) for (j = 0; j < 8; j++) { int32_t s = 0; for (int k = 0; k < 8; k++) s += a[i][k] * b[k][j] + 1; b[j][i] = s >> 4; }
    trace = 0; for (i = 0; i < 8; i++) trace += b[i][i]; if (trace == 1234567) bad = 1; } }"""

CIPHER = """
uint32_t left, right; int bad;
int main(void) { uint32_t key = __VERIFIER_nondet_uint(); for (;;) { left = __VERIFIER_nondet_uint(); right = ~left;
    for (int r = 0; r < 32; r++) { uint32_t t = right; right = left ^ ((right << 4 ^ right >> 5) + right ^ key + r * 0x9e3779b9u); left = t; }
    if (left == 0xcafebabeu && right == 0x8badf00du) bad = 1; } }"""

PHASES = """
int x, y, z;
int main(void) { x = __VERIFIER_nondet_int(); y = __VERIFIER_nondet_int(); z = __VERIFIER_nondet_int();
    while (x > 0 && y < 1000000) { if (__VERIFIER_nondet_uchar() & 1) { x = x + z; z = z - 1; } else if (z & 1) { x = x - y; y = y + z * z; } else { y = y / 2 + x; x--; } }
    while (y != 0) { y -= z; if (z < 0 && __VERIFIER_nondet_uchar()) z = -z; } }"""


def responses(number):
    """A formula whose automaton has very many states."""
    variables = ", ".join(f"p{i}" for i in range(number))
    turns = "".join(f"case {i}: p{i} = !p{i}; break;" for i in range(number))
    text = f"int {variables};\nint main(void) {{ for (;;) switch (__VERIFIER_nondet_uchar() % {number}) {{ {turns} }} }}"
    formula = " && ".join(f'G (p{i} -> F (p{(i + 1) % number} U (!p{i} R X p{(i + 2) % number})))' for i in range(number))
    return text, formula


def nested_until(number):
    """Untils inside untils."""
    text, _ = responses(number)
    formula = "p0"
    for i in range(1, number):
        formula = f"((F p{i} && G F !p{i}) U ({formula})) || X (p{i} R ({formula}))" if i % 2 else f"G ({formula} -> F p{i})"
    return text, formula


def programs():
    """All programs, by name."""
    overrun, bad = 'G !"rx_overrun"', 'G !"bad"'
    text = {
        "ring-8": (ring_buffer(8), overrun),
        "ring-64": (ring_buffer(64), overrun),
        "ring-fill": (ring_buffer(8), 'G "fill <= 8"'),
        "two-rings": (TWO_RINGS, 'G F !"rx_overrun"'),
        "controller": (CONTROLLER, 'G ("saturated" -> F !"saturated")'),
        "filter": (FILTER, 'G !"alarm"'),
        "http": (HTTP, 'G !"overflow"'),
        "http-live": (HTTP, 'G ("state == 9" -> F "state == 0")'),
        "generator": (GENERATOR, bad),
        "large-array": (LARGE_ARRAY, 'G F "found"'),
        "wide-states": (WIDE_STATES, bad),
        "wide-cycle": (WIDE_CYCLE, bad),
        "sort": (SORT, 'F "sorted"'),
        "bits": (BITS, bad),
        "counters": (counters(12), 'G !("c0 == 6" && "c11 == 17")'),
        "counters-live": (counters(12), 'G F "c3 == 1" -> G F "c5 == 2"'),
        "threads": (threads(4), 'G "mine1 < 100000"'),
        "threads-fair": (threads(3), 'F G "mine1 > 10"', "--scheduler", "weak-fair"),
        "deep-inlining": (deep_inlining(24), 'G "y < 1000"'),
        "constant-loop": (CONSTANT_LOOP, 'F "done"'),
        "nested-loops": (NESTED_LOOPS, 'F "done"'),
        "large-switch": (large_switch(2000), bad),
        "straight-line": (straight_line(3000), 'G F "b > c"'),
        "classes-of-inputs": (classes_of_inputs(60), bad),
        "nonlinear": (NONLINEAR, "F end"),
        "nonlinear-ideal": (NONLINEAR, "F end", "--integers", "ideal"),
        "gcd": (GREATEST_COMMON_DIVISOR, 'G "c >= 0" && G F "c == 1"'),
        "collatz": (COLLATZ, 'F "one"'),
        "recursion": (RECURSION, "F end"),
        "fibonacci": (FIBONACCI, 'F "done"'),
        "large-initialiser": (large_initialiser(40000), bad),
        "many-functions": (many_functions(600), 'G F "x > y"'),
        "long-lasso": (LONG_LASSO, 'F G !"back"'),
        "long-stem": (LONG_STEM, bad),
        "lists": (LISTS, bad),
        "matrix": (MATRIX, bad),
        "cipher": (CIPHER, bad),
        "phases": (PHASES, "F end"),
        "responses": responses(7),
        "nested-until": nested_until(9),
    }
    return {name: (HEAD + entry[0], *entry[1:]) for name, entry in text.items()}
