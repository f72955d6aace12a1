//! Deep nesting: up to the limit texts are accepted, and beyond it they are reported, on the stack of a test thread.

use super::Outcome;

/// `open` and `close` repeated around or before a middle.
struct Nesting {
    name: &'static str,
    before: &'static str,
    open: &'static str,
    middle: &'static str,
    close: &'static str,
    after: &'static str,
    /// How many repetitions must be accepted.
    accepted: usize,
}

const fn nesting(
    name: &'static str,
    [before, open, middle, close, after]: [&'static str; 5],
    accepted: usize,
) -> Nesting {
    Nesting { name, before, open, middle, close, after, accepted }
}

const NESTINGS: &[Nesting] = &[
    nesting("parentheses", ["int x = ", "(", "1", ")", ";"], 3_900),
    nesting("prefix operators", ["int x = ", "!", "1", "", ";"], 3_900),
    nesting("dereferences", ["int x = ", "*", "p", "", ";"], 3_900),
    nesting("sizeof", ["int x = ", "sizeof ", "1", "", ";"], 3_900),
    nesting("casts", ["int x = ", "(int)", "1", "", ";"], 3_900),
    nesting("sums", ["int x = a", "+a", "", "", ";"], 3_900),
    nesting("mixed operators", ["int x = a", "*a+a", "", "", ";"], 1_900),
    nesting("commas", ["void f(void) { a", ", a", "", "", "; }"], 3_900),
    nesting("assignments", ["void f(void) { ", "a = ", "a", "", "; }"], 3_900),
    nesting("conditionals", ["int x = ", "a ? b : ", "c", "", ";"], 3_900),
    nesting("middle operands", ["int x = ", "a ? ", "b", ": c", ";"], 3_900),
    nesting("members", ["int x = a", ".b", "", "", ";"], 3_900),
    nesting("calls", ["int x = f", "()", "", "", ";"], 3_900),
    nesting("call arguments", ["int x = ", "f(", "", ")", ";"], 3_900),
    nesting("indices", ["int x = ", "a[", "1", "]", ";"], 3_900),
    nesting("increments", ["void f(void) { a", "++", "", "", "; }"], 3_900),
    nesting("blocks", ["void f(void) ", "{", "", "}", ""], 1_900),
    nesting("ifs", ["void f(void) { ", "if (x) ", ";", "", "}"], 3_900),
    nesting("loops", ["void f(void) { ", "while (x) ", ";", "", "}"], 3_900),
    nesting("do loops", ["void f(void) { ", "do ", ";", " while (x);", "}"], 3_900),
    nesting("statement expressions", ["int x = ", "({", "1", ";})", ";"], 900),
    nesting("pointers", ["int ", "*", "p", "", ";"], 3_900),
    nesting("arrays", ["int a", "[1]", "", "", ";"], 3_900),
    nesting("nested declarators", ["int ", "(", "x", ")", ";"], 3_900),
    nesting("function declarators", ["int ", "(*", "x", ")()", ";"], 1_900),
    nesting("parameter lists", ["void f", "(int p", "", ")", ";"], 230),
    nesting("structures", ["", "struct { ", "int x;", "} y;", ""], 240),
    nesting("initialisers", ["int x = ", "{", "1", "}", ";"], 240),
    nesting("compound literals", ["int x = ", "(int){", "1", "}", ";"], 110),
    nesting("typeof", ["", "typeof(", "int", ")", " x;"], 240),
    nesting("array lengths", ["int x = ", "sizeof(int[", "1", "])", ";"], 220),
    nesting("attributes", ["int x ", "__attribute__((a(sizeof(int ", "", "))))", ";"], 110),
    nesting("generic selections", ["int x = ", "_Generic(1, default: ", "1", ")", ";"], 3_900),
    nesting("alignments", ["", "_Alignas(", "int", ")", " int x;"], 1),
];

impl Nesting {
    fn text(&self, count: usize) -> String {
        let Nesting { before, open, middle, close, after, .. } = self;
        format!("{before}{}{middle}{}{after}", open.repeat(count), close.repeat(count))
    }
}

#[test]
fn deep_texts_are_accepted_up_to_the_limit() {
    for nesting in NESTINGS {
        let outcome = Outcome::of(&nesting.text(nesting.accepted));
        assert_eq!(outcome.messages(), [""; 0], "{}", nesting.name);
        // Copying and freeing the tree recurse over what it holds by value.
        assert_eq!(outcome.ast.clone().items.len(), outcome.ast.items.len(), "{}", nesting.name);
    }
}

#[test]
fn deeper_texts_are_reported_once() {
    for nesting in NESTINGS.iter().filter(|nesting| nesting.accepted > 1) {
        for count in [4_100, 100_000] {
            let outcome = Outcome::of(&nesting.text(count));
            let messages = outcome.messages();
            assert_eq!(messages.len(), 1, "{}: {messages:?}", nesting.name);
            assert!(messages[0].contains("nested-too-deeply: nested too deeply"), "{}: {messages:?}", nesting.name);
        }
    }
}

#[test]
fn deep_texts_without_their_ends_are_reported_once() {
    for nesting in NESTINGS.iter().filter(|nesting| !nesting.close.is_empty()) {
        for count in [nesting.accepted, 100_000] {
            let Nesting { before, open, .. } = nesting;
            let outcome = Outcome::of(&format!("{before}{}", open.repeat(count)));
            let messages = outcome.messages();
            assert_eq!(messages.len(), 1, "{}: {messages:?}", nesting.name);
        }
    }
}

#[test]
fn flat_sequences_have_no_limit() {
    let count = 50_000;
    let ladder = format!("void f(void) {{ {} ; }}", "if (x) y; else ".repeat(count));
    let labels = format!("void f(void) {{ {} ; }}", "case 1: l: ".repeat(count));
    let strings = format!("char *s = {};", "\"a\" ".repeat(count));
    let arguments = format!("int x = f({} 1);", "1, ".repeat(count));
    let extensions = format!("void f(void) {{ {} a; }}", "__extension__ ".repeat(count));
    let statements = format!("void f(void) {{ {} }}", "a = b; ".repeat(count));
    let designators = format!("int a[] = {{ {} }};", "[1] = 2, ".repeat(count));
    let semicolons = ";".repeat(count);
    for text in [ladder, labels, strings, arguments, extensions, statements, designators, semicolons] {
        assert_eq!(Outcome::of(&text).messages(), [""; 0]);
    }
}
