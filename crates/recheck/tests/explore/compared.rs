//! Inputs that are compared with variables of few values: one value of each class, and no fewer.

use crate::both::both_say;

fn controller(body: &str) -> String {
    format!(
        "extern int __VERIFIER_nondet_int(void); extern _Bool __VERIFIER_nondet_bool(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
int in, set = 20, x; unsigned char dial = 7; short step[2] = {{ -1, 1 }};
int main(void) {{ while (1) {{ in = __VERIFIER_nondet_int(); {body} }} }}"
    )
}

#[test]
fn a_variable_of_few_values_is_as_good_as_constants() {
    for body in [
        "set = __VERIFIER_nondet_bool() ? 18 : 22; x = in < set;",
        "set = set == 20 ? 25 : 20; if (in < set - 1) x = 1; else if (in > set + 1) x = 0;",
        "if (__VERIFIER_nondet_bool() && dial < 9) dial++; if (__VERIFIER_nondet_bool() && dial > 5) dial--; x = in > dial;",
        "int low = set - 2; x = in >= low && in <= set;",
        "set = (set + 1) % 8; x = set == in;",
        "x = in < step[__VERIFIER_nondet_bool()];",
    ] {
        for said in both_say(&controller(body), "G \"x == 0 || x == 1\"") {
            assert_eq!(said, Some(true), "{body}");
        }
    }
}

#[test]
fn every_value_of_the_variable_counts() {
    for body in [
        "set = __VERIFIER_nondet_bool() ? 18 : 22; x = in == set && set == 22;",
        "set = set == 20 ? 25 : 20; x = in > set && in < 25 && in > 22;",
        "dial = __VERIFIER_nondet_uchar(); x = in == dial && dial == 200;",
        "set = (set + 1) % 8; x = in == set && set == 5;",
        "int last = set; set = in; x = set < last && last == 1000;",
        "x = in == step[1] && in == 1;",
        "set = set + 1; if (set == 300) set = 0; x = in == set && set == 299;",
    ] {
        for said in both_say(&controller(body), "G \"x == 0\"") {
            assert_ne!(said, Some(true), "{body}");
        }
    }
}
