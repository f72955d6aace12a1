//! Tests of bits: a value for each combination of the bits that are looked at, and no fewer.

use crate::both::both_say;

fn device(ty: &str, body: &str) -> String {
    let source = ty.replace("unsigned ", "u");
    format!(
        "extern {ty} __VERIFIER_nondet_{source}(void); {ty} r; int x, y;
int main(void) {{ while (1) {{ r = __VERIFIER_nondet_{source}(); {body} }} }}"
    )
}

#[test]
fn tests_of_bits_are_covered() {
    for ty in ["unsigned int", "unsigned short", "int", "short"] {
        for body in [
            "x = (r & 0x80) ? 1 : 0;",
            "if (r & 3) x = 1; else x = 0;",
            "x = (r >> 4) & 1;",
            "x = (r & 6) == 4;",
            "if (r & 0x4000 && r > 100) x = 1; else x = (r & 1) != 0;",
            "x = (r >> 3 & 3) == 2;",
            "switch (r & 3) { case 0: x = 0; break; default: x = 1; }",
        ] {
            for said in both_say(&device(ty, body), "G \"x == 0 || x == 1\"") {
                assert_eq!(said, Some(true), "{ty} {body}");
            }
        }
    }
}

#[test]
fn every_combination_of_bits_is_tried() {
    for ty in ["unsigned int", "unsigned short", "int", "short"] {
        for body in [
            "x = (r & 0x82) == 0x82;",
            "x = r > 1000 && r & 1 && (r >> 9 & 3) == 2;",
            "if (r & 1) y = r & 0x4100; else y = 0; x = y == 0x4100;",
            "if ((r & 7) == 5) x = r == 1005;",
            "x = (unsigned char)r & 0x10 && !(r & 0x20) && r < 5000;",
            "if (r & 4) x = r & 1;",
        ] {
            for said in both_say(&device(ty, body), "G \"x == 0\"") {
                assert_ne!(said, Some(true), "{ty} {body}");
            }
        }
    }
    for body in ["x = r < 0 && (r & 0x7000) == 0x3000;", "x = (r >> 20 & 0xf) == 9 && r < -5;"] {
        for said in both_say(&device("int", body), "G \"x == 0\"") {
            assert_eq!(said, Some(false), "{body}");
        }
    }
}
