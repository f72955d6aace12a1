//! Property files and annotations.

use foundation::{Diagnostics, SourceMap};
use semper_automata::ltl::{Formulas, annotations, prp};

use crate::worlds::read;

/// The code of a fault and the text it points at.
type Fault = (&'static str, String);

/// The entry function and the formula of every check.
fn checks(text: &str) -> Result<Vec<(String, String)>, Vec<Fault>> {
    let mut sources = SourceMap::new();
    let source = sources.add("spec.prp", text);
    let mut formulas = Formulas::new();
    match prp::parse(&sources, source, &mut formulas) {
        Ok(checks) => Ok(checks
            .into_iter()
            .map(|check| {
                assert_eq!(sources.snippet_text(check.entry_span), check.entry);
                assert!(sources.snippet_text(check.span).starts_with("CHECK"));
                assert!(sources.snippet_text(check.span).ends_with(')'));
                (check.entry, formulas.display(check.formula).to_string())
            })
            .collect()),
        Err(diagnostics) => Err(faults(&sources, &diagnostics)),
    }
}

fn faults(sources: &SourceMap, diagnostics: &Diagnostics) -> Vec<Fault> {
    let fault = |diagnostic: &foundation::Diagnostic| {
        assert!(!diagnostic.help.is_empty(), "{diagnostic:?} gives no advice");
        let marked = diagnostic.primary.as_ref().expect("every fault has a place").span;
        (diagnostic.code, sources.snippet_text(marked).to_owned())
    };
    diagnostics.iter().map(fault).collect()
}

#[test]
fn property_files_are_read() {
    let text = "// a comment\n\n# another\n\
        CHECK( init(main()), LTL( G(!\"a != 0\" || F \"r!= 0\") ) )\n\
        CHECK(init(start),LTL(F end))   CHECK( init(main()), LTL(G ! call(reach_error())) )\n\
        \tCHECK ( init ( main ( ) ) ,\n  LTL ( G ! overflow )\n)\n// the end";
    let expected = [
        ("main", r#"G (!"a != 0" || F "r!= 0")"#),
        ("start", "F end"),
        ("main", "G !call(reach_error())"),
        ("main", "G !overflow"),
    ];
    let expected = expected.map(|(entry, formula)| (entry.to_owned(), formula.to_owned()));
    assert_eq!(checks(text), Ok(expected.to_vec()));
}

#[test]
fn faults_in_property_files_are_all_found_at_their_places() {
    let cases: &[(&str, &[(&str, &str)])] = &[
        ("", &[("empty-property-file", "")]),
        ("// nothing\n", &[("empty-property-file", "")]),
        ("G p", &[("malformed-check", "G")]),
        ("CHECK( init(main()), LTL( F end )", &[("malformed-check", "")]),
        ("CHECK( init(main()), LTL( (F end ) )", &[("malformed-check", "")]),
        ("CHECK( init(main()), LTL( (F end", &[("unclosed-parenthesis", "(")]),
        ("CHECK( init(main()), LTL( F end ) ) )", &[("malformed-check", ")")]),
        ("CHECK( init(main()), LTL() )", &[("empty-formula", ")")]),
        ("CHECK( init(main()), LTL( ) )", &[("empty-formula", ")")]),
        ("CHECK( init(main()), CTL(F end) )", &[("malformed-check", "CTL")]),
        ("CHECK( init(), LTL(F end) )", &[("malformed-check", ")")]),
        ("CHECK( main(), LTL(F end) )", &[("malformed-check", "main")]),
        ("CHECK( init(main()), FQL(COVER EDGES(@CALL(f))) )", &[("unsupported-property", "FQL")]),
        (
            "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )\n\
             CHECK( init(main()), LTL(G valid-memtrack) )\nCHECK( init(main()), LTL(G valid-memcleanup) )\n\
             CHECK( init(main()), LTL(G ! data-race) )",
            &[
                ("unsupported-property", "valid-free"),
                ("unsupported-property", "valid-deref"),
                ("unsupported-property", "valid-memtrack"),
                ("unsupported-property", "valid-memcleanup"),
                ("unsupported-property", "data-race"),
            ],
        ),
        (
            "CHECK( init(main()), LTL( G x == 0 ) )\nCHECK( init(main()), LTL( F end ) )\nCHECK( init(main()) )",
            &[("unquoted-expression", "x == 0"), ("malformed-check", ")")],
        ),
    ];
    for (text, expected) in cases {
        let expected: Vec<_> = expected.iter().map(|&(code, marked)| (code, marked.to_owned())).collect();
        assert_eq!(checks(text), Err(expected), "{text}");
    }
}

/// The name, the formula and the text of an annotation.
type Found = (Option<String>, String, String);

fn annotations_of(text: &str) -> Result<Vec<Found>, Vec<Fault>> {
    let mut sources = SourceMap::new();
    let source = sources.add("motor.c", text);
    let mut formulas = Formulas::new();
    match annotations::find(&sources, source, &mut formulas) {
        Ok(found) => Ok(found
            .into_iter()
            .map(|found| {
                let text = formulas.display(found.formula).to_string();
                (found.name, text, sources.snippet_text(found.span).to_owned())
            })
            .collect()),
        Err(diagnostics) => Err(faults(&sources, &diagnostics)),
    }
}

#[test]
fn annotations_are_found_where_they_are_comments() {
    let positive = "//@ ltl invariant positive: ([]AP(x > 0));";
    let first = (Some("positive".to_owned()), r#"G "x > 0""#.to_owned(), positive.to_owned());
    let cases = [
        (positive.to_owned(), vec![first.clone()]),
        (format!("//#Safe\n{positive}\nint x;"), vec![first.clone()]),
        (format!("int x; {positive}\r\n"), vec![first.clone()]),
        (format!("{positive} // as in the paper\n//@ assert x;\n// {positive}\n"), vec![first.clone()]),
        (format!("char *s = \"{positive}\";"), vec![]),
        (format!("char *s = \"\\\"\\\\\"; {positive}"), vec![first.clone()]),
        (format!("char c = '\"'; {positive}"), vec![first.clone()]),
        (format!("#error don't\n{positive}"), vec![first.clone()]),
        (format!("/* {positive} */ int x;"), vec![]),
        (format!("/* // */ {positive}"), vec![first.clone()]),
        (format!("/*/ {positive} */"), vec![]),
        (format!("// a comment \\\n{positive}"), vec![]),
        ("//@ ltlx invariant a: p;\n//@ loop invariant x;".to_owned(), vec![]),
        ("int f() { return 1; }".to_owned(), vec![]),
    ];
    for (text, expected) in cases {
        assert_eq!(annotations_of(&text), Ok(expected), "{text}");
    }
}

#[test]
fn an_annotation_may_have_no_name_and_several_lines() {
    let text = "//@ ltl invariant: G (\"c == ';'\"\n  //@   -> F end)\n//@ ;\n//@ ltl invariant two: {;};";
    let Ok(found) = annotations_of(text) else { panic!("refused") };
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].0, None);
    assert_eq!(found[0].1, r#"G ("c == ';'" -> F end)"#);
    assert!(found[0].2.starts_with("//@ ltl") && found[0].2.ends_with("//@ ;"));
    assert_eq!((found[1].0.as_deref(), found[1].1.as_str()), (Some("two"), r#"";""#));
}

#[test]
fn a_block_comment_may_hold_annotations() {
    let cases = [
        ("/*@ ltl invariant a: G p; */", vec![(Some("a"), "G p")]),
        ("/*@ltl invariant: G p;*/ int x;", vec![(None, "G p")]),
        ("int /*@ ltl invariant a:\n\tG (\"x > 0\"\r\n -> F q)\n;*/ x;", vec![(Some("a"), "G (\"x > 0\" -> F q)")]),
        ("/*@ ltl invariant a:\n *   G p\n  @ && q;\n */", vec![(Some("a"), "G p && q")]),
        (
            "/*@ ltl invariant a: p; ltl invariant b: q;\n ltl invariant: r; */",
            vec![(Some("a"), "p"), (Some("b"), "q"), (None, "r")],
        ),
        // A star in an atom is a product, and stays one.
        ("/*@ ltl invariant a: \"x\n * y\"; */", vec![(Some("a"), "\"x  * y\"")]),
        ("/*@ ltl invariant a: {x\n * y}; */", vec![(Some("a"), "\"x  * y\"")]),
        ("/*@ ltl invariant a: AP(x\n * y); */", vec![(Some("a"), "\"x  * y\"")]),
        ("/*@ requires x; */ /* @ ltl invariant: p; */ /*@ ltlx */", vec![]),
        ("char *s = \"/*@ ltl invariant: p; */\";", vec![]),
        ("// /*@ ltl invariant: p; */", vec![]),
        (
            "/*@ ltl invariant a: p; */\n//@ ltl invariant b: q;\n/*@ ltl invariant c: r; */",
            vec![(Some("a"), "p"), (Some("b"), "q"), (Some("c"), "r")],
        ),
    ];
    for (text, expected) in cases {
        let found = annotations_of(text).unwrap_or_else(|faults| panic!("{text}: {faults:?}"));
        let found: Vec<_> = found.iter().map(|(name, formula, _)| (name.as_deref(), formula.as_str())).collect();
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn faulty_annotations_are_named() {
    let cases: &[(&str, &[(&str, &str)])] = &[
        ("/*@ ltl */", &[("malformed-annotation", "")]),
        ("/*@ ltl invariant a: G p */", &[("missing-semicolon", "")]),
        ("/*@ ltl invariant a: G p; F q; */", &[("malformed-annotation", "F")]),
        ("/*@ ltl invariant a: G p; // more */", &[("malformed-annotation", "/")]),
        ("/*@ ltl invariant a: G p; ltl invariant b q; */", &[("malformed-annotation", "q")]),
        (
            "/*@ ltl invariant a: x > 0; */ /*@ ltl invariant b: (p; */",
            &[("unquoted-expression", "x > 0"), ("unclosed-parenthesis", "(")],
        ),
        ("/*@ ltl invariant a: AP(p)\n * && q; */", &[("unquoted-expression", "AP(p)\n *")]),
        ("//@ ltl", &[("malformed-annotation", "")]),
        ("//@ ltl G p;", &[("malformed-annotation", "G")]),
        ("//@ ltl invariant p", &[("malformed-annotation", "")]),
        ("//@ ltl invariant 'p';", &[("malformed-annotation", "'")]),
        ("//@ ltl invariant a: G p", &[("missing-semicolon", "")]),
        (
            "//@ ltl invariant a: G p\n//@ ltl invariant b: x > 0;",
            &[("missing-semicolon", ""), ("unquoted-expression", "x > 0")],
        ),
        ("//@ ltl invariant a: G p; F q;", &[("malformed-annotation", "F")]),
        ("//@ ltl invariant a: ;", &[("empty-formula", ";")]),
        ("//@ ltl invariant a: (p;", &[("unclosed-parenthesis", "(")]),
        ("//@ ltl invariant a: G \"p;", &[("unterminated-atom", "\"")]),
        ("//@ ltl invariant a: G p\nint x;\n//@ ;", &[("missing-semicolon", "")]),
    ];
    for (text, expected) in cases {
        let expected: Vec<_> = expected.iter().map(|&(code, marked)| (code, marked.to_owned())).collect();
        assert_eq!(annotations_of(text), Err(expected), "{text}");
    }
}

#[test]
fn faults_in_an_atom_can_be_shown_where_they_stand() {
    let text = "CHECK( init(main()), LTL( G \" s == \\\"ab\\\" \" ) )";
    let mut sources = SourceMap::new();
    let source = sources.add("spec.prp", text);
    let mut formulas = Formulas::new();
    prp::parse(&sources, source, &mut formulas).expect("the file is right");
    let (atom, written) = formulas.atoms().iter().next().expect("there is an atom");
    let expression = written.expression().expect("it is an expression");
    assert_eq!(expression, "s == \"ab\"");
    for (part, shown) in [("s", "s"), ("==", "=="), ("ab", "ab"), ("\"ab\"", "\\\"ab\\\"")] {
        let start = expression.find(part).unwrap();
        let place = formulas.atoms().place(atom, start..start + part.len()).expect("it was read from a text");
        assert_eq!(sources.snippet_text(place), shown);
    }
    // Another writing of the same atom keeps the first place.
    let again = read(&mut formulas, r#"AP( s == "ab" )"#);
    assert_eq!(formulas.atoms_of(again), [atom]);
    assert_eq!(formulas.atoms().origin(atom).unwrap().span.source, source);
}
