//! How a term is spelled depends on what it says, and on nothing else.

mod mirrored;

use foundation::collections::HashMap;
use logic::{Bracketed, Expression, Symbol, Term, Terms};
use proptest::prelude::*;

use crate::expressions::{Fragment, Variables, truth};
use mirrored::mirrored;

fn spelled(terms: &Terms, term: Term, into: &mut Bracketed) -> Expression {
    terms.spell(term, &|symbol| terms.name(symbol), &mut HashMap::default(), into)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// In the second arena symbols and terms are made in other orders, among terms that the first one does not have.
    #[test]
    fn spelling_does_not_depend_on_the_order_of_terms(
        expression in truth(4, Fragment::All),
        others in prop::collection::vec(truth(3, Fragment::All), 0..4),
    ) {
        let (terms, shuffled) = (Terms::new(), Terms::new());
        let variables = Variables::new(&terms);
        let term = variables.truth(&terms, &expression);
        let mut variables = Variables::new(&shuffled);
        variables.integers.reverse();
        variables.truths.reverse();
        for other in &others {
            variables.truth(&shuffled, &mirrored(other));
        }
        let same = variables.truth(&shuffled, &mirrored(&expression));
        let mut expressions = Bracketed::default();
        let name = |symbol: Symbol| {
            let at = |list: &[Symbol]| list.iter().position(|other| *other == symbol);
            let (number, truth) = (at(&variables.integers), at(&variables.truths));
            let known = number.map(|at| format!("x{at}")).or_else(|| Some(format!("p{}", truth?)));
            known.unwrap_or_else(|| shuffled.name(symbol))
        };
        let one = spelled(&terms, term, &mut expressions);
        let other = shuffled.spell(same, &name, &mut HashMap::default(), &mut expressions);
        prop_assert_eq!(one, other, "{}\n{}", expressions.text(one), expressions.text(other));
    }

    /// Subterms, so that many are alike.
    #[test]
    fn different_terms_are_spelled_differently(expressions in prop::collection::vec(truth(3, Fragment::All), 1..6)) {
        let terms = Terms::new();
        let variables = Variables::new(&terms);
        let roots: Vec<Term> = expressions.iter().map(|expression| variables.truth(&terms, expression)).collect();
        let mut into = Bracketed::default();
        let mut found: HashMap<Expression, Term> = HashMap::default();
        for term in terms.subterms(&roots) {
            let spelled = spelled(&terms, term, &mut into);
            let other = found.insert(spelled, term);
            prop_assert!(other.is_none(), "{:?} and {term:?} are {}", other, into.text(spelled));
        }
    }

    /// What was spelled before is spelled the same again.
    #[test]
    fn what_is_known_changes_nothing(expressions in prop::collection::vec(truth(3, Fragment::All), 1..6)) {
        let terms = Terms::new();
        let variables = Variables::new(&terms);
        let (mut into, mut known) = (Bracketed::default(), HashMap::default());
        for expression in &expressions {
            let term = variables.truth(&terms, expression);
            let again = terms.spell(term, &|symbol| terms.name(symbol), &mut known, &mut into);
            prop_assert_eq!(again, spelled(&terms, term, &mut into));
        }
    }

    /// The order of operands is one.
    #[test]
    fn comparison_is_an_order(expression in truth(4, Fragment::All)) {
        let terms = Terms::new();
        let root = Variables::new(&terms).truth(&terms, &expression);
        let mut into = Bracketed::default();
        let all: Vec<Expression> =
            terms.subterms(&[root]).into_iter().map(|term| spelled(&terms, term, &mut into)).take(12).collect();
        for &a in &all {
            for &b in &all {
                prop_assert_eq!(into.compare(a, b), into.compare(b, a).reverse());
                prop_assert_eq!(into.compare(a, b).is_eq(), a == b);
                for &c in &all {
                    prop_assert!(!(into.compare(a, b).is_le() && into.compare(b, c).is_le()) || into.compare(a, c).is_le());
                }
            }
        }
    }
}

#[test]
fn conditions_are_spelled_in_smt_lib() {
    let terms = Terms::new();
    let [y, x] = ["y", "x"].map(|name| terms.fresh(name, logic::Sort::Int));
    let [q, p] = ["q", "p"].map(|name| terms.fresh(name, logic::Sort::Bool));
    let text = |term: Term| {
        let mut into = Bracketed::default();
        let spelled = spelled(&terms, term, &mut into);
        into.text(spelled)
    };
    assert_eq!(text(terms.less(y, x)), "(<= (+ (- x) y) (- 1))");
    assert_eq!(text(terms.equal(y, terms.scale(2.into(), x))), "(= (+ (* 2 x) (- y)) 0)");
    assert_eq!(text(terms.iff(q, p)), "(not (xor p q))");
    assert_eq!(text(terms.not(terms.iff(q, p))), "(xor p q)");
    assert_eq!(text(terms.and([q, p, terms.less_equal(x, terms.integer(5))])), "(and p q (<= x 5))");
    assert_eq!(text(terms.multiply(terms.multiply(y, x), y)), "(* x y y)");
    assert_eq!(text(terms.modulo(y, terms.integer(3))), "(mod y 3)");
    assert_eq!(text(terms.ite(p, x, terms.integer(-1))), "(ite p x (- 1))");
}
