//! Small programs whose answers are written beside the lines they belong to.
//!
//! A line may end in `//= FACTS`, separated by semicolons. Each must be what the analyses say of that line, after inlining:
//!
//! | fact | meaning |
//! | --- | --- |
//! | `compared: 0 5` | the domain of the input on this line, with the rule by which it was found |
//! | `refused: REASON (line 7)` | it has none; the line is that of the use |
//! | `x holds {1, 2}` | the range of the variable that is declared here |
//! | `x unwritten compared: 0 5` | the domain of the variable that is declared here, where it is not written |
//! | `x is written` | the variable that is declared here is written before it is read |
//! | `x dead`, `x live` | whether the variable is live before this line |

use analysis::partition::{FoundBy, InputDomain, RefusedInput};
use analysis::{Domains, Initialised, Liveness, Ranges};
use foundation::Span;
use program::Program;
use program::semantics::Integers;

use crate::subject::Subject;

/// Checks all facts of a text.
fn check(integers: Integers, text: &str, atoms: &[&str]) {
    let atoms: Vec<String> = atoms.iter().map(|atom| (*atom).to_owned()).collect();
    let subject = Subject::new(text, &atoms).inlined();
    let said = facts(&subject, integers);
    let mut expected = 0;
    for (number, line) in text.lines().enumerate() {
        let Some((_, wanted)) = line.split_once("//=") else { continue };
        let of_line: Vec<&String> = said.iter().filter(|(at, _)| *at == number + 1).map(|(_, fact)| fact).collect();
        for wanted in wanted.split(';').map(str::trim) {
            expected += 1;
            let found = of_line.iter().any(|fact| fact.as_str() == wanted);
            assert!(found, "line {}: `{}`\nis not among\n{of_line:#?}", number + 1, line.trim());
        }
    }
    assert!(expected > 0, "nothing is expected");
}

/// All facts with their lines.
fn facts(subject: &Subject, integers: Integers) -> Vec<(usize, String)> {
    let Subject { program, text, .. } = subject;
    let observed = subject.observed();
    let liveness = Liveness::new(program, &observed);
    let initialised = Initialised::new(program, &observed, &liveness);
    let domains = Domains::new(program, &subject.expressions(), integers);
    let ranges = Ranges::new(program, integers, &liveness, &initialised, Some(&domains));
    let line = |span: Span| text[..span.start as usize].matches('\n').count() + 1;
    let domain_text = |domain: Result<&InputDomain, &RefusedInput>| match domain {
        Err(refused) => {
            let at = refused.at.map_or_else(|| "in an atom".to_owned(), |span| format!("line {}", line(span)));
            format!("refused: {} ({at})", refused.reason())
        }
        Ok(domain) => {
            let rule = match domain.rule() {
                FoundBy::Unread => "unread",
                FoundBy::Compared => "compared",
                FoundBy::SmallType => "small type",
                FoundBy::Constrained => "constrained",
            };
            let mut values: Vec<String> = domain.representatives().iter().map(ToString::to_string).collect();
            if values.len() > 12 {
                values = vec![format!("{} values", values.len())];
            }
            format!("{rule}: {}", values.join(" "))
        }
    };
    let mut said = Vec::new();
    for edge in domains.edges() {
        said.push((line(program.edges[edge].span), domain_text(domains.domain(edge))));
    }
    for (id, variable) in program.variables.iter() {
        let (at, name) = (line(variable.span), &variable.name);
        if let Some(values) = ranges.of(program, id) {
            said.push((at, format!("{name} holds {values}")));
        }
        if initialised.is_definite(id) {
            said.push((at, format!("{name} is written")));
        } else {
            said.push((at, format!("{name} unwritten {}", domain_text(domains.domain_of_uninitialised(id)))));
        }
    }
    said.extend(live(program, &liveness, &line));
    said
}

/// What is live before each line: where the first of its edges begins.
fn live(program: &Program, liveness: &Liveness, line: &dyn Fn(Span) -> usize) -> Vec<(usize, String)> {
    let mut seen = std::collections::BTreeSet::new();
    let mut said = Vec::new();
    for edge in program.edges.values() {
        if seen.insert(line(edge.span)) {
            for (id, variable) in program.variables.iter() {
                let live = if liveness.at(edge.from).contains(id) { "live" } else { "dead" };
                said.push((line(edge.span), format!("{} {live}", variable.name)));
            }
        }
    }
    said
}

const INPUTS: &str = "extern int __VERIFIER_nondet_int(void); extern unsigned __VERIFIER_nondet_uint(void); extern char __VERIFIER_nondet_char(void); extern void __VERIFIER_assume(int);";

fn machine(text: &str, atoms: &[&str]) {
    check(Integers::Machine, &format!("{INPUTS}{text}"), atoms);
}

fn ideal(text: &str, atoms: &[&str]) {
    check(Integers::Ideal, &format!("{INPUTS}{text}"), atoms);
}

fn both(text: &str, atoms: &[&str]) {
    machine(text, atoms);
    ideal(text, atoms);
}

#[test]
fn an_event_condition_action_program() {
    let text = r"
        int a = 7, b = 2;                          //= a holds {7, 8, 9}; b holds {2}
        int input, output;                         //= input holds {0, 1, 2, 3, 4, 5, 6}; output holds {-1, 0, 21, 22, 23}
        int step(int in) {
            if (in == 1 && a == 7) { a = 8; return 21; }
            if (in == 2 && a == 8) { a = 9; return 22; }
            if (in == 6 && a == 9) { a = 7; return 23; }
            return -1;
        }
        int main(void) {
            output = -1;
            while (1) {
                input = __VERIFIER_nondet_int();   //= compared: 1 2 3 6
                __VERIFIER_assume(input >= 1 && input <= 6);
                output = step(input);
            }
        }";
    // What the property compares with is told apart as well.
    machine(&text.replace("1 2 3 6", "1 2 3 4 5 6"), &["input == 4 || input == 5", "output == 21"]);
    ideal(&text.replace("{0, 1, 2, 3, 4, 5, 6}", "{0, 1, 2, 3, 6}"), &["output == 21"]);
}

#[test]
fn comparisons_put_values_into_classes() {
    let text = r"
        int x, y, z; unsigned u; char c;
        int main(void) {
            x = __VERIFIER_nondet_int();           //= compared: -4 -3 0 11
            if (x < -3) y = 1;
            if (x <= -3 || x > 10) y = 2;
            u = __VERIFIER_nondet_uint();          //= compared: 0 5
            if (u >= 5u) y = 3;
            z = __VERIFIER_nondet_int();           //= compared: -1 0 1
            if (z) y = z > 0;
            x = __VERIFIER_nondet_int();           //= unread: 0
            c = __VERIFIER_nondet_char();          //= compared: 0 100
            if (c == 100) y = 4;
        }";
    machine(text, &["y == 2"]);
    ideal(text, &["y == 2"]);
}

#[test]
fn conversions_and_constants_are_seen_through_in_comparisons() {
    machine(
        r"
        int x, y;
        int main(void) {
            x = __VERIFIER_nondet_int();           //= compared: -1 0 10
            if ((unsigned)x < 10u) y = 1;
        }",
        &[],
    );
    machine(
        r"
        int x, y;
        int main(void) {
            x = __VERIFIER_nondet_int();           //= compared: -3 0 2147483646
            if (x + 2 < 0) y = 1;
        }",
        &[],
    );
    ideal(
        r"
        int x, y;
        int main(void) {
            x = __VERIFIER_nondet_int();           //= compared: -3 0
            if (x + 2 < 0) y = 1;
        }",
        &[],
    );
    both(
        r"
        int x; short s;
        int main(void) {
            x = __VERIFIER_nondet_int();           //= compared: 0 3
            s = x;
            if (s == 3) x = 0;
        }",
        &[],
    );
    machine(
        r"
        int x; short s;
        int main(void) {
            x = __VERIFIER_nondet_int();           //= refused: the input from `__VERIFIER_nondet_int` is converted to a type that cannot hold all its values (line 5)
            s = x;
            if (s < 3) x = 0;
        }",
        &[],
    );
}

#[test]
fn bits_that_are_looked_at_make_classes() {
    machine(
        r"
        unsigned a, b, c, d, e, f, g, n, y; unsigned char low;
        int main(void) {
            a = __VERIFIER_nondet_uint();          //= compared: 0 128
            b = __VERIFIER_nondet_uint();          //= compared: 0 8 32 40
            c = __VERIFIER_nondet_uint();          //= compared: 0 3001
            d = __VERIFIER_nondet_uint();          //= compared: 0 16 32
            e = __VERIFIER_nondet_uint();          //= compared: 256 values
            f = __VERIFIER_nondet_uint();          //= compared: 0 1 101 102
            g = __VERIFIER_nondet_uint();          //= compared: 16 values
            if (!(a & (1u << 7))) y = 1;
            if (b & 8u) y = 2;
            if ((b & 40u) == 40u) y = 3;
            if ((c & 0xfffu) > 3000) y = 4;
            switch ((d >> 4) & 7u) { case 0: y = 5; break; case 1: y = 6; }
            low = e & 0xff;
            if (f > 100) y = 7;
            if (f % 2 == 1) y = 8;
            for (n = 0; n < 3; n++) if (g & (1u << n)) y = 9;
            y = low * low;
        }",
        &["y > 1"],
    );
}

#[test]
fn copies_carry_bits() {
    machine(
        r"
        unsigned long w; unsigned r; short h; _Bool flag; signed char s; int y;
        int main(void) {
            r = __VERIFIER_nondet_uint();          //= compared: 0 4 65536 65540
            w = r;
            flag = (w >> 16) & 1u;
            if (r & 4u) y = 1;
            if (flag) y = 2;
            h = __VERIFIER_nondet_int();           //= compared: 0 1 32768 32769
            s = h >> 8;
            if (s & 0x80) y = 3;
            if (h & 1) y = 4;
        }",
        &[],
    );
}

#[test]
fn uses_that_need_the_value_itself() {
    machine(
        r"
        int a, b, c, d, e, f, g, h, arr[4], *p = &g;
        int main(void) {
            a = __VERIFIER_nondet_int();           //= refused: the input from `__VERIFIER_nondet_int` is used in arithmetic (line 11)
            b = __VERIFIER_nondet_int();           //= refused: the input from `__VERIFIER_nondet_int` is used as an index or in an address (line 12)
            c = __VERIFIER_nondet_int();           //= refused: the input from `__VERIFIER_nondet_int` is compared with a value that is not constant (line 13)
            d = __VERIFIER_nondet_int();           //= refused: the input from `__VERIFIER_nondet_int` is compared with a value that is not constant (line 13)
            e = __VERIFIER_nondet_int();           //= refused: the input from `__VERIFIER_nondet_int` is stored where pointers can reach it (line 14)
            f = __VERIFIER_nondet_int();           //= refused: the input from `__VERIFIER_nondet_int` is used in arithmetic (in an atom)
            h = __VERIFIER_nondet_char();          //= small type: 256 values
            while (a > 0) a--;
            arr[b] = 1;
            if (c < d) a = 0;
            *p = e;
            if (h * h == 4) a = 0;
        }",
        &["f % 2 == 0"],
    );
}

#[test]
fn assumptions_that_follow_bound_an_input() {
    machine(
        r"
        int x, y, z, sum; unsigned u;
        int main(void) {
            x = __VERIFIER_nondet_int();           //= constrained: -4 -3 -2 -1 0 1 2 3 4
            y = x * 2;
            __VERIFIER_assume(x * x < 17 && x < 1000 && x > -1000);
            sum = sum + x;
            u = __VERIFIER_nondet_uint();          //= constrained: 7 4294967295
            __VERIFIER_assume(u == 7 || u == 0xffffffffu);
            sum = sum + u;
            z = __VERIFIER_nondet_int();           //= constrained: 0 1 2 3 6
            __VERIFIER_assume(z >= 0 && z < 7);
            __VERIFIER_assume(6 % z == 0);
            sum = sum / z;
        }",
        &[],
    );
}

#[test]
fn what_an_assumption_does_not_reach_stays() {
    machine(
        r"
        int x, y, sum;
        int main(void) {
            x = __VERIFIER_nondet_int();           //= refused: the input from `__VERIFIER_nondet_int` is used in arithmetic (line 6)
            if (y) __VERIFIER_assume(x > 0 && x < 5);
            sum = sum + x;
            y = __VERIFIER_nondet_int();           //= refused: the input from `__VERIFIER_nondet_int` is used in arithmetic (line 8)
            sum = 10 / y;
            __VERIFIER_assume(y > 0 && y < 5);
        }",
        &[],
    );
}

#[test]
fn a_run_that_fails_before_the_assumption_is_an_execution() {
    // With 1 the division fails: that value has to be tried, though the assumption would turn it down.
    machine(
        r"
        int x, sum;
        int main(void) {
            x = __VERIFIER_nondet_char();          //= small type: 1 5
            __VERIFIER_assume(10 / (x - 1) == 2);
            __VERIFIER_assume(x == 5);
            sum = sum + x;
        }",
        &[],
    );
}

#[test]
fn bounded_inputs_bound_what_others_are_compared_with() {
    machine(
        r"
        int limit, temperature, alarm, other, third;
        int main(void) {
            other = __VERIFIER_nondet_int();           //= compared: 2 5 70000
            __VERIFIER_assume(other == 2 || other == 5 || other == 70000);
            if (other == 5) alarm = 2;
            third = __VERIFIER_nondet_int();           //= compared: 1
            __VERIFIER_assume(third >= 1 && third <= 6);
            limit = __VERIFIER_nondet_int();           //= compared: 102 values
            while (1) {
                temperature = __VERIFIER_nondet_int(); //= constrained: 101 values
                __VERIFIER_assume(temperature >= 0 && temperature <= 100);
                if (temperature > limit) alarm = 1;
            }
        }",
        &["alarm"],
    );
}

#[test]
fn what_other_threads_see_is_not_bounded() {
    let text = format!(
        r"{INPUTS} typedef unsigned long pthread_t;
        int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
        int shared, twice;
        void *work(void *argument) {{ twice = shared * 2; return 0; }}
        int main(void) {{
            pthread_t t; int own;
            pthread_create(&t, 0, work, 0);
            own = __VERIFIER_nondet_int();
            __VERIFIER_assume(own > 0 && own < 4);
            twice = own * 2;
            shared = __VERIFIER_nondet_int();
            __VERIFIER_assume(shared > 0 && shared < 4);
        }}"
    );
    let said = facts(&Subject::new(&text, &[]), Integers::Machine);
    let of_line = |line: usize| said.iter().filter(move |(at, _)| *at == line).map(|(_, fact)| fact.as_str());
    assert!(of_line(8).any(|fact| fact == "constrained: 1 2 3"), "{said:#?}");
    let reason = "refused: the input from `__VERIFIER_nondet_int` is used in arithmetic (line 4)";
    assert!(of_line(11).any(|fact| fact == reason), "{said:#?}");
}

#[test]
fn copies_through_calls_arrays_and_structures() {
    machine(
        r"
        struct s { int a, b; } one, two;
        int arr[3], r, i;
        int id(int n) { return n; }
        int main(void) {
            one.a = __VERIFIER_nondet_int();       //= compared: 0 4
            one.b = __VERIFIER_nondet_int();       //= compared: 0 9
            two = one;
            if (two.a == 4) r = 1;
            if (two.b > 8) r = 2;
            arr[i] = id(__VERIFIER_nondet_int());  //= compared: -1 0
            if (arr[2] < 0) r = i ? arr[1] : 3;
            i = 1;
        }",
        &[],
    );
}

#[test]
fn what_nothing_reads_is_zero() {
    machine(
        r"
        int x, y, *p = &y; double d; extern double real(void); extern char *text(void);
        int main(void) {
            x = __VERIFIER_nondet_int();           //= unread: 0
            x = 5;
            y = __VERIFIER_nondet_int();           //= unread: 0
            y = x * x;
            d = real();                            //= unread: 0
            char *t = text();                      //= refused: the result of `text` is not an integer (line 9)
            y = *t;
            double e = real();                     //= refused: the result of `real` is not an integer (line 11)
            if (e > 1.0) y = 2;
        }",
        &[],
    );
}

#[test]
fn what_is_not_written() {
    machine(
        r"
        int r;
        int f(int n) { return n; }
        int main(int argc, char **argv) {          //= argc unwritten compared: 0 2; argv is written
            int a;                                 //= a is written
            int b;                                 //= b unwritten compared: 0 7
            int c;                                 //= c unwritten refused: the uninitialised variable `c` is used in arithmetic (line 10)
            char d;                                //= d unwritten small type: 256 values
            if (argc > 1) a = 1; else a = 2;
            r = c + 1;
            if (b == 7) r = a;
            r = r + d;
            while (r) { int fresh; r = f(fresh); } //= fresh unwritten refused: the uninitialised variable `fresh` is used in arithmetic (line 12)
        }",
        &[],
    );
}

#[test]
fn ranges_of_counters_and_flags() {
    machine(
        r"
        int i, n, state = 1; _Bool flag; unsigned char byte; unsigned u; //= i holds {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}; state holds {1, 4, 6}; flag holds {0, 1}; byte holds [0, 255]; u holds [0, 4294967295]; n holds [-2147483648, 2147483647]
        int arr[5];                                //= arr holds {0, 3}
        int main(void) {
            for (i = 0; i < 10; i++) { flag = !flag; byte++; u--; n = n + 7; arr[i % 5] = 3; }
            if (n == 70) state = 4;
            if (state == 4) { state = state + 2; }
        }",
        &["state == 9", "n == 1"],
    );
    ideal(
        r"
        int i, n; unsigned u;                      //= i holds {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}; u holds (-∞, 0]; n holds [0, ∞)
        int main(void) {
            for (i = 0; i < 10; i++) { u--; n = n + 7; }
        }",
        &["u == 9", "n == 1"],
    );
}

#[test]
fn one_range_for_all_elements_and_narrow_ones_for_bit_fields() {
    machine(
        r"
        int arr[3] = {0, 2}, i, first, second;     //= arr holds {0, 2, 7}; first holds {0, 2, 7}; second holds {0, 2, 7}
        struct { int a; unsigned f : 3; } parts[2];
        struct { unsigned f : 3; } bits;           //= bits holds {0, 2}
        int main(void) {
            bits.f = 10;
            arr[0] = 7;
            first = arr[1];
            if (arr[i] == 7) second = arr[1];
            parts[1].a = 9;
            i = parts[0].a;                        //= first live
        }",
        &["first == 1", "second == 1"],
    );
}

#[test]
fn a_function_that_ends_without_a_result() {
    let text = format!(
        r"{INPUTS}
        int kept, r;
        int f(int n) {{ if (n) return 3; }}
        int g(void) {{ kept = f(r); return 1; }}
        int main(void) {{
            g();
            if (kept == 5) r = 2;
        }}"
    );
    // Inlined, it is an input; here it is what was never written, also for those who did not call.
    let subject = Subject::new(&text, &[]);
    let said = facts(&subject, Integers::Machine);
    assert!(said.contains(&(2, "kept unwritten compared: 0 5".to_owned())), "{said:#?}");
}

#[test]
fn live_before_a_line() {
    machine(
        r"
        int x, y, z, w, seen, *p = &w;
        int main(void) {
            x = 1;                                 //= x dead; y dead; p live
            y = x;                                 //= x live; y dead; z dead
            z = y;                                 //= x dead; y live; z dead
            w = 1;                                 //= w dead; z live
            z = z + *p;                            //= w live; p live
            x = 10 / z;                            //= x dead; w dead; seen live
            seen = x;                              //= seen dead
        }",
        &["seen == 5"],
    );
}
