//! The texts of formulas: dialects, precedence, diagnostics, and the way from a formula to its text and back.

use foundation::SourceMap;
use proptest::prelude::*;
use semper_automata::ltl::{Atom, Binary, Builtin, Formula, Formulas, Unary};

use crate::worlds::{World, read};

#[test]
fn dialects_read_as_the_canonical_text() {
    let cases = [
        // Spin, LTL2BA, Goal, Ultimate, Unicode.
        ("[]<>p", "G F p"),
        ("() p", "X p"),
        ("(()p)", "X p"),
        ("□◇p", "G F p"),
        ("○¬p", "X !p"),
        ("~p", "!p"),
        ("p & q", "p && q"),
        ("p /\\ q", "p && q"),
        ("p ∧ q", "p && q"),
        ("p and q", "p && q"),
        ("p | q", "p || q"),
        ("p \\/ q", "p || q"),
        ("p ∨ q", "p || q"),
        ("p or q", "p || q"),
        ("p ==> q", "p -> q"),
        ("p => q", "p -> q"),
        ("p --> q", "p -> q"),
        ("p → q", "p -> q"),
        ("p <==> q", "p <-> q"),
        ("p <=> q", "p <-> q"),
        ("p <--> q", "p <-> q"),
        ("p ↔ q", "p <-> q"),
        ("p ^ q", "p xor q"),
        ("p V q", "p R q"),
        ("p WU q", "p W q"),
        ("1 U 0", "true U false"),
        ("TRUE && False", "true && false"),
        // Operators without space between them.
        ("FG\"x\"", "F G \"x\""),
        ("GF\"x\"", "G F \"x\""),
        ("G(p)", "G p"),
        ("F\"y\"", "F \"y\""),
        ("FG(p)", "F G p"),
        ("GF{x}", "G F \"x\""),
        ("FGp", "F G p"),
        ("GFp->Fq", "G F p -> F q"),
        ("X[]p", "X G p"),
        ("X[3]p", "X X X p"),
        ("X[0] p", "p"),
        // Bounds, in Spot's writings and by comparison.
        ("X[4]p", "X[4] p"),
        ("X X X X X p", "X[5] p"),
        ("X[!]p", "X p"),
        ("X[2!] p", "X X p"),
        ("()[2]p", "X X p"),
        ("X [ 5 ] p", "X[5] p"),
        ("F[0:2]p", "F[0:2] p"),
        ("F[0,2] p", "F[0:2] p"),
        ("F[0..2] p", "F[0:2] p"),
        ("F[0 to 2] p", "F[0:2] p"),
        ("F[ 0 : 2 ! ] p", "F[0:2] p"),
        ("F[<=2] p", "F[0:2] p"),
        ("F[<3] p", "F[0:2] p"),
        ("p || X (p || X p)", "F[0:2] p"),
        ("F[0:1] p", "p || X p"),
        ("F[0:1] (p && q)", "F[0:1] (p && q)"),
        ("F[3:3] p", "X X X p"),
        ("F[0:0] p", "p"),
        ("F[2:4] p", "F[2:4] p"),
        ("X F[1:3] p", "F[2:4] p"),
        ("F[2:] p", "X X F p"),
        ("F[2:$] p", "X X F p"),
        ("F[2:inf] p", "X X F p"),
        ("F[>=1] p", "X F p"),
        ("F[>1] p", "X X F p"),
        ("G[0:2] p", "G[0:2] p"),
        ("G[1,2] (p U q)", "G[1:2] (p U q)"),
        ("G[2:] p", "X X G p"),
        ("G[<=1] p", "p && X p"),
        ("p && X (p && X q)", "p && X (p && X q)"),
        ("p || X (p && X p)", "p || X (p && X p)"),
        ("[][0,2]p", "G[0:2] p"),
        ("<>[0,2][]p", "F[0:2] G p"),
        ("F[0:2]G[0:2]p", "F[0:2] G[0:2] p"),
        ("GF[0:2]p", "G F[0:2] p"),
        ("F[0:1000] F[0:1000] F[0:1000] p", "F[0:1000] F[0:1000] F[0:1000] p"),
        ("X[1000] X[1000] F[0:1000] p", "X[1000] X[1000] F[0:1000] p"),
        ("(p)U(q)", "p U q"),
        ("(p)Uq", "p U q"),
        ("\"p\"UFX\"q\"", "\"p\" U F X \"q\""),
        ("\"p\" WUG(\"q\")", "\"p\" W G \"q\""),
        ("p Uq", "p U q"),
        ("\"p\"&&\"q\"", "\"p\" && \"q\""),
        // Words.
        ("aUb", "aUb"),
        ("F0", "F0"),
        ("GX1", "G X1"),
        ("Ftrue", "F true"),
        ("p U Ub", "p U Ub"),
        ("s.x", "s.x"),
        ("and U or", "and U or"),
        ("AP U call", "AP U call"),
        // Atoms.
        ("\" x > 0 \"", "\"x > 0\""),
        ("{ x > 0 }", "\"x > 0\""),
        ("AP( f(x) > (0) )", "\"f(x) > (0)\""),
        ("AP (x)", "\"x\""),
        ("{c == '}'}", "\"c == '}'\""),
        ("AP(c == ')' || s == \")\")", "\"c == ')' || s == \\\")\\\"\""),
        ("{a{b}c}", "\"a{b}c\""),
        ("\"c == '\\n'\"", "\"c == '\\n'\""),
        ("\"c == '\\\\'\"", "\"c == '\\\\'\""),
        ("\"s == \\\"a\\\"\"", "\"s == \\\"a\\\"\""),
        ("\"main::i < n\"", "\"main::i < n\""),
        ("call(f())", "call(f())"),
        ("call ( f )", "call(f())"),
        ("call( f ( ) )", "call(f())"),
        ("call(ring.c::f())", "call(ring.c::f())"),
        ("call( ring.c::f )", "call(ring.c::f())"),
        ("Fend", "F end"),
        ("\"end\"", "\"end\""),
        ("G ! error && ! deadlock", "G !error && !deadlock"),
        // Parentheses that are not needed.
        ("((G ((\"p\") -> (F \"q\"))))", "G (\"p\" -> F \"q\")"),
        ("!(F p)", "!F p"),
        ("(F p) U q", "F p U q"),
        ("F (p U q)", "F (p U q)"),
        ("p && (q && r)", "p && (q && r)"),
        ("(p && q) && r", "p && q && r"),
        ("p -> (q -> r)", "p -> q -> r"),
        ("(p -> q) -> r", "(p -> q) -> r"),
    ];
    for (text, canonical) in cases {
        let mut formulas = Formulas::new();
        let formula = read(&mut formulas, text);
        assert_eq!(formulas.display(formula).to_string(), canonical, "{text}");
        assert_eq!(read(&mut formulas, canonical), formula, "{text}");
    }
}

#[test]
fn precedence_and_associativity_are_those_of_spot() {
    // From loose to tight, with the side to which operators of a level associate.
    let levels: [(&[&str], char); 5] =
        [(&["->", "<->"], 'r'), (&["||"], 'l'), (&["xor"], 'l'), (&["&&"], 'l'), (&["U", "W", "R", "M"], 'r')];
    let operators: Vec<(&str, usize, char)> = levels
        .iter()
        .enumerate()
        .flat_map(|(level, &(names, side))| names.iter().map(move |&name| (name, level, side)))
        .collect();
    let mut formulas = Formulas::new();
    let mut compared = 0;
    for &(first, first_level, side) in &operators {
        for unary in ["!", "X", "F", "G"] {
            let plain = read(&mut formulas, &format!("{unary} a {first} {unary} b"));
            assert_eq!(plain, read(&mut formulas, &format!("({unary} a) {first} ({unary} b)")));
        }
        for &(second, second_level, _) in &operators {
            let plain = read(&mut formulas, &format!("a {first} b {second} c"));
            let left_first = first_level > second_level || (first_level == second_level && side == 'l');
            let explicit = match left_first {
                true => format!("(a {first} b) {second} c"),
                false => format!("a {first} (b {second} c)"),
            };
            assert_eq!(plain, read(&mut formulas, &explicit), "a {first} b {second} c");
            compared += 1;
        }
    }
    assert_eq!(compared, 81);
}

#[test]
fn faults_are_named_at_their_places() {
    // The text, the code, the marked part, and a part of the advice.
    let cases = [
        ("", "empty-formula", "", "an operand is"),
        (" \n ", "empty-formula", "", "an operand is"),
        ("G", "missing-operand", "G", "an operand is"),
        ("p &&", "missing-operand", "&&", "an operand is"),
        ("p && || q", "missing-operand", "&&", "an operand is"),
        ("&& p", "missing-operand", "&&", "an operand is"),
        ("(U p)", "missing-operand", "U", "an operand is"),
        ("p U )", "missing-operand", "U", "an operand is"),
        ("()", "empty-parentheses", "()", "operator `X`"),
        ("( )", "empty-parentheses", "( )", "operator `X`"),
        ("G (p && (q)", "unclosed-parenthesis", "(", "close it"),
        ("(", "unclosed-parenthesis", "(", "close it"),
        ("G p)", "unopened-parenthesis", ")", "remove it"),
        (")", "unopened-parenthesis", ")", "remove it"),
        ("G x > 0", "unquoted-expression", "x > 0", "`\"x > 0\"`"),
        ("G (x==0 && y)", "unquoted-expression", "x==0", "`\"x==0\"`"),
        ("x != -1", "unquoted-expression", "x != -1", "`\"x != -1\"`"),
        ("x + 1 > 2", "unquoted-expression", "x + 1 > 2", "`\"x + 1 > 2\"`"),
        ("G (x + y > f(3) -> F y)", "unquoted-expression", "x + y > f(3)", "in quotes"),
        ("x < 3 U y", "unquoted-expression", "x < 3", "in quotes"),
        ("G 'x == 1'", "unquoted-expression", "'x == 1'", "double quotes"),
        ("\"a\" = \"b\"", "unknown-operator", "=", "`<->`"),
        ("[(p)", "unknown-operator", "[", "`[]` is `G`"),
        ("x = 1", "unquoted-expression", "x = 1", "in quotes"),
        ("1 < x", "unquoted-expression", "1 < x", "in quotes"),
        ("42", "unquoted-expression", "42", "in quotes"),
        ("*p", "unquoted-expression", "*p", "in quotes"),
        ("\"x\" == 0", "unquoted-expression", "\"x\" == 0", "in quotes"),
        ("main::i", "unquoted-expression", "main::i", "in quotes"),
        ("a[1]", "unquoted-expression", "a[1]", "in quotes"),
        ("G p;", "unexpected-semicolon", ";", "remove it"),
        ("p; q", "unexpected-semicolon", ";", "remove it"),
        ("\"x > 0", "unterminated-atom", "\"", "atoms are written"),
        ("G \"x\\\"", "unterminated-atom", "\"", "atoms are written"),
        ("{x > 0", "unterminated-atom", "{", "atoms are written"),
        ("AP(x > (0)", "unterminated-atom", "AP(", "atoms are written"),
        ("\" \"", "empty-atom", "\" \"", "write an expression"),
        ("AP()", "empty-atom", "AP()", "write an expression"),
        ("\"x\\ \"", "malformed-atom", "\"x\\ \"", "write an expression"),
        ("p @ q", "unknown-operator", "@", "the operators are"),
        ("p q", "missing-operator", "q", "join two formulas"),
        ("\"p\" F \"q\"", "missing-operator", "F", "join two formulas"),
        ("(p) (q)", "missing-operator", "(", "join two formulas"),
        ("f(x)", "missing-operator", "(", "`\"f(…)\"`"),
        ("not p", "unknown-operator", "not", "write `!`"),
        ("always p", "unknown-operator", "always", "write `G`"),
        ("p UNTIL q", "unknown-operator", "UNTIL", "write `U`"),
        ("Globally p", "unknown-operator", "Globally", "write `G`"),
        ("p AND q", "unknown-operator", "AND", "write `&&`"),
        ("\"p\" S q", "unsupported-operator", "S", "future"),
        ("H \"p\"", "unsupported-operator", "H", "future"),
        ("p implies q", "unknown-operator", "implies", "write `->`"),
        ("AG p", "unsupported-operator", "AG", "linear"),
        ("call()", "malformed-call", "call(", "call(f())"),
        ("call(f(x))", "malformed-call", "call(f(", "call(f())"),
        ("call(ring.c())", "malformed-call", "call(ring.c", "call(f())"),
        ("call(ring.c::)", "malformed-call", "call(ring.c::", "call(f())"),
        ("call(::f())", "malformed-call", "call(::f", "call(f())"),
        ("X[-1] p", "bad-bounds", "-1", "from 0 to 1000"),
        ("X[1001] p", "bad-bounds", "1001", "from 0 to 1000"),
        ("X[99999999999] p", "bad-bounds", "99999999999", "from 0 to 1000"),
        ("X[ p", "bad-bounds", "[", "from 0 to 1000"),
        ("X[ ] p", "bad-bounds", "", "from 0 to 1000"),
        ("X[1:2] p", "bad-bounds", "1:2", "from 0 to 1000"),
        ("F[!] p", "bad-bounds", "", "`F[0:3] p`"),
        ("F[3] p", "bad-bounds", "3", "`X[3] p`"),
        ("G[3] p", "bad-bounds", "3", "`G[0:3] p`"),
        ("F[3:1] p", "bad-bounds", "3:1", "`F[0:3] p`"),
        ("F[:3] p", "bad-bounds", "", "`F[<=3] p`"),
        ("F[0,1001] p", "bad-bounds", "1001", "from 0 to 1000"),
        ("F[1.5:2] p", "bad-bounds", "1.5", "from 0 to 1000"),
        ("F[<0] p", "bad-bounds", "<0", "from 0 to 1000"),
        ("G[<=n] p", "bad-bounds", "n", "`G[0:3] p`"),
        ("G[x > 0] p", "bad-bounds", "x > 0", "`G[0:3] p`"),
        ("p U[0:3] q", "unsupported-operator", "[0:3]", "`(p U q) && F[0:3] q`"),
        ("p W[<=3] q", "unsupported-operator", "[<=3]", "bounded `F`"),
        ("p R [0,3] q", "unsupported-operator", "[0,3]", "bounded `F`"),
        ("p WU[0,3] q", "unsupported-operator", "[0,3]", "bounded `F`"),
        ("p M[ q", "unsupported-operator", "[", "bounded `F`"),
        ("G ! data-race", "unsupported-property", "data-race", "warnings"),
        ("G valid-deref", "unsupported-property", "valid-deref", "G ! error"),
    ];
    for (text, code, marked, help) in cases {
        let mut sources = SourceMap::new();
        let source = sources.add("--ltl", text);
        let Err(diagnostics) = semper_automata::ltl::parse(&sources, source, &mut Formulas::new()) else {
            panic!("`{text}` is accepted");
        };
        let all: Vec<_> = diagnostics.iter().collect();
        assert_eq!(all.len(), 1, "{text}");
        let place = all[0].primary.as_ref().expect("every fault has a place").span;
        assert_eq!((all[0].code, sources.snippet_text(place)), (code, marked), "{text}");
        assert!(all[0].help.iter().any(|line| line.contains(help)), "{text}: {:?}", all[0].help);
        assert!(!all[0].message.ends_with('.') && !all[0].message.contains('\n'), "{}", all[0].message);
    }
}

#[test]
fn a_word_that_lost_its_first_letters_is_remembered() {
    let mut sources = SourceMap::new();
    let source = sources.add("--ltl", "p U GFlag");
    let mut formulas = Formulas::new();
    semper_automata::ltl::parse(&sources, source, &mut formulas).expect("it is a formula");
    let whole = |name: &str| {
        let atom = formulas.atoms().find(&Atom::named(name)).expect("it is an atom");
        formulas.atoms().origin(atom).and_then(|origin| origin.whole_word).map(|span| sources.snippet_text(span))
    };
    assert_eq!(whole("lag"), Some("GFlag"));
    assert_eq!(whole("p"), None);
}

#[test]
fn names_become_bare_words_only_where_they_read_back() {
    let mut formulas = Formulas::new();
    for name in ["x", "F1", "aUb", "s.x", "and", "AP", "_", "U", "WU", "true", "Flag", "end", "xor", "x y", "a-b", "1"]
    {
        let formula = formulas.atom(Atom::named(name));
        let text = formulas.display(formula).to_string();
        assert_eq!(read(&mut formulas, &text), formula, "{name}");
        assert!(formulas.atoms().iter().any(|(_, atom)| atom.expression() == Some(name)));
    }
}

#[test]
fn every_small_formula_reads_back_from_its_text() {
    let mut world = World::new(4);
    for formula in Vec::from_iter(world.all()) {
        let text = world.formulas.display(formula).to_string();
        assert_eq!(read(&mut world.formulas, &text), formula, "{text}");
    }
}

/// A formula as a tree, before it is interned.
#[derive(Clone, Debug)]
enum Tree {
    Truth(bool),
    Atom(Atom),
    Unary(Unary, Box<Tree>),
    Binary(Binary, Box<Tree>, Box<Tree>),
}

fn atom() -> impl Strategy<Value = Atom> {
    let text = "[ -~äλ\n]{1,12}"
        .prop_filter("such a text cannot be written", |text| !text.trim().is_empty() && !text.trim().ends_with('\\'));
    prop_oneof![
        text.prop_map(|text| Atom::quoted(&text)),
        "[a-zA-Z_][a-zA-Z0-9_.]{0,4}".prop_map(|name| Atom::named(&name)),
        "[a-z_]{1,4}".prop_map(|name| Atom::Builtin(Builtin::Call(name))),
        prop::sample::select(vec![Builtin::End, Builtin::Error, Builtin::Deadlock, Builtin::Overflow])
            .prop_map(Atom::Builtin),
    ]
}

fn tree() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![1 => any::<bool>().prop_map(Tree::Truth), 4 => atom().prop_map(Tree::Atom)];
    leaf.prop_recursive(8, 64, 2, |inner| {
        let unary = (prop::sample::select(Unary::ALL.to_vec()), inner.clone());
        let binary = (prop::sample::select(Binary::ALL.to_vec()), inner.clone(), inner);
        prop_oneof![
            unary.prop_map(|(operator, operand)| Tree::Unary(operator, Box::new(operand))),
            binary.prop_map(|(operator, left, right)| Tree::Binary(operator, Box::new(left), Box::new(right))),
        ]
    })
}

fn intern(formulas: &mut Formulas, tree: &Tree) -> Formula {
    match tree {
        Tree::Truth(value) => formulas.truth(*value),
        Tree::Atom(atom) => formulas.atom(atom.clone()),
        Tree::Unary(operator, operand) => {
            let operand = intern(formulas, operand);
            formulas.unary(*operator, operand)
        }
        Tree::Binary(operator, left, right) => {
            let (left, right) = (intern(formulas, left), intern(formulas, right));
            formulas.binary(*operator, left, right)
        }
    }
}

/// The text without one pair of matching parentheses outside of atoms, for each such pair.
fn without_one_pair(text: &str) -> Vec<String> {
    let mut open = Vec::new();
    let mut shorter = Vec::new();
    let mut in_quotes = false;
    let bytes = text.as_bytes();
    for (at, &byte) in bytes.iter().enumerate() {
        match byte {
            b'"' if !in_quotes || bytes[at - 1] != b'\\' => in_quotes = !in_quotes,
            b'(' if !in_quotes => open.push(at),
            b')' if !in_quotes => {
                let start = open.pop().expect("parentheses match");
                let is_call = start > 0 && bytes[start - 1].is_ascii_alphanumeric() || at == start + 1;
                if !is_call {
                    shorter.push([&text[..start], " ", &text[start + 1..at], " ", &text[at + 1..]].concat());
                }
            }
            _ => {}
        }
    }
    shorter
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) })]

    #[test]
    fn random_formulas_read_back_from_their_text(tree in tree()) {
        let mut formulas = Formulas::new();
        let formula = intern(&mut formulas, &tree);
        let text = formulas.display(formula).to_string();
        prop_assert_eq!(read(&mut formulas, &text), formula, "{}", text);
    }

    #[test]
    fn no_parenthesis_is_superfluous(tree in tree()) {
        let mut formulas = Formulas::new();
        let formula = intern(&mut formulas, &tree);
        let text = formulas.display(formula).to_string();
        if text.contains("call(") {
            return Ok(());
        }
        for shorter in without_one_pair(&text) {
            let mut sources = SourceMap::new();
            let source = sources.add("shorter", shorter.as_str());
            if let Ok(other) = semper_automata::ltl::parse(&sources, source, &mut formulas) {
                prop_assert!(other != formula, "{} is also {}", text, shorter);
            }
        }
    }
}
