//! Facts say exactly what the condition says, on random conditions and states; and sums that do not add up are refused.

use foundation::SplitMix64;
use logic::{Sort, Symbol, Value};
use num_bigint::BigInt;
use num_traits::Zero;

use super::super::condition::ConditionReader;
use super::*;

struct World<'t> {
    terms: &'t Terms,
    numbers: Vec<Symbol>,
    truths: Vec<Symbol>,
    array: Symbol,
}

impl World<'_> {
    fn number(&self, random: &mut SplitMix64, depth: u64) -> Term {
        let terms = self.terms;
        if depth == 0 {
            return match random.below(3) {
                0 => terms.integer(random.below(9) as i64 - 4),
                _ => terms.variable(self.numbers[random.below(self.numbers.len())]),
            };
        }
        let (one, two) = (self.number(random, depth - 1), self.number(random, depth - 1));
        let divisor = terms.integer([-3, -2, 2, 3, 4][random.below(5)]);
        match random.below(7) {
            0 => terms.add([one, two]),
            1 => terms.scale(BigInt::from(random.below(7) as i64 - 3), one),
            2 => terms.div(one, divisor),
            3 => terms.modulo(one, divisor),
            4 => terms.ite(self.condition(random, depth - 1), one, two),
            5 => terms.select(self.array(random, depth - 1), one),
            _ => terms.multiply(one, two),
        }
    }

    fn array(&self, random: &mut SplitMix64, depth: u64) -> Term {
        let array = self.terms.variable(self.array);
        if depth == 0 {
            return array;
        }
        let (index, value) = (self.number(random, depth - 1), self.number(random, depth - 1));
        self.terms.store(self.array(random, depth - 1), index, value)
    }

    fn condition(&self, random: &mut SplitMix64, depth: u64) -> Term {
        let terms = self.terms;
        if depth == 0 {
            return terms.variable(self.truths[random.below(self.truths.len())]);
        }
        let (one, two) = (self.condition(random, depth - 1), self.condition(random, depth - 1));
        match random.below(8) {
            0 => terms.and([one, two]),
            1 => terms.or([one, two]),
            2 => terms.not(one),
            3 => terms.iff(one, two),
            4 => terms.ite(self.condition(random, depth - 1), one, two),
            5 => terms.equal(self.number(random, depth), self.number(random, depth - 1)),
            _ => terms.less_equal(self.number(random, depth), self.number(random, depth - 1)),
        }
    }
}

/// What facts are about.
struct Spelling<'t> {
    terms: &'t Terms,
    expressions: Bracketed,
}

impl<'t> Spelling<'t> {
    fn new(terms: &'t Terms, condition: Term) -> (Self, Expression) {
        let mut steps = Impossible::default();
        let spelled = steps.spelled(terms, condition).expect("names differ");
        (Self { terms, expressions: steps.expressions }, spelled)
    }

    fn text(&self, expression: Expression) -> Sexp {
        Sexp::parse(&self.expressions.text(expression)).expect("it is an expression")
    }

    /// The term that an expression spells.
    fn term(&self, expression: Expression) -> Term {
        let terms = self.terms;
        let symbols = (0..terms.symbol_count()).map(foundation::Id::from_index);
        let names: HashMap<String, Term> = symbols.map(|symbol| (terms.name(symbol), terms.variable(symbol))).collect();
        let reader = ConditionReader { terms, names: &|word: &str| names.get(word).copied() };
        let text = self.text(expression);
        reader.condition(&text).or_else(|_| reader.number(&text)).expect("it can be read")
    }

    /// Whether a fact holds where symbols have these values.
    fn holds(&self, fact: &Fact, values: &dyn Fn(Symbol) -> Option<Value>) -> bool {
        let value = |form: &LinearForm| {
            let mut sum = form.constant().clone();
            for (coefficient, unknown) in form.terms() {
                let value = self.terms.evaluate(self.term(*unknown), values).expect("everything has a value");
                sum += coefficient
                    * match value {
                        Value::Int(number) => number,
                        Value::Bool(truth) => BigInt::from(u8::from(truth)),
                        other => panic!("{other:?} is no number"),
                    };
            }
            sum
        };
        match fact {
            Fact::AtMostZero(form) => !value(form).is_positive(),
            Fact::Zero(form) => value(form).is_zero(),
            Fact::Cases(cases) => cases.iter().any(|case| case.iter().all(|fact| self.holds(fact, values))),
        }
    }
}

#[test]
fn facts_say_what_the_condition_says() {
    let mut random = SplitMix64::new(7);
    let (mut true_cases, mut choices) = (0, 0);
    for _ in 0..2_000 {
        let terms = Terms::new();
        let world = World {
            terms: &terms,
            numbers: ["x", "y", "z"].map(|name| terms.symbol(name, Sort::Int)).to_vec(),
            truths: ["p", "q"].map(|name| terms.symbol(name, Sort::Bool)).to_vec(),
            array: terms.symbol("a", Sort::array(Sort::Int, Sort::Int)),
        };
        let condition = world.condition(&mut random, 3);
        let (mut spelling, spelled) = Spelling::new(&terms, condition);
        assert_eq!(spelling.term(spelled), condition, "it is spelled {}", spelling.text(spelled));
        let facts = facts(&mut spelling.expressions, spelled).expect("it is small");
        choices += facts.iter().filter(|fact| matches!(fact, Fact::Cases(_))).count();
        for _ in 0..8 {
            let mut array = Value::default_of(&Sort::array(Sort::Int, Sort::Int));
            for index in -2..3 {
                let element = Value::Int(BigInt::from(random.below(7) as i64 - 3));
                array = array.with_element(Value::Int(BigInt::from(index)), element).expect("it is an array");
            }
            let drawn: Vec<i64> = world.numbers.iter().map(|_| random.below(11) as i64 - 5).collect();
            let flags = random.below(4);
            let values = |symbol: Symbol| {
                if symbol == world.array {
                    return Some(array.clone());
                }
                let number = world.numbers.iter().position(|&other| other == symbol);
                let truth = world.truths.iter().position(|&other| other == symbol);
                number.map(|at| Value::Int(drawn[at].into())).or_else(|| Some(Value::Bool(flags >> truth? & 1 == 1)))
            };
            // A division by what may be zero has no value.
            let Some(expected) = terms.holds(condition, &values) else { continue };
            true_cases += u64::from(expected);
            let found = facts.iter().all(|fact| spelling.holds(fact, &values));
            assert_eq!(found, expected, "{} gives {facts:?}", terms.smt_lib(condition));
        }
    }
    assert!(true_cases > 2_000 && choices > 1_000, "{true_cases} states satisfy their condition, {choices} choices");
}

#[test]
fn only_sums_that_add_up_refute() {
    let terms = Terms::new();
    let [x, y, z] = ["x", "y", "z"].map(|name| terms.variable(terms.symbol(name, Sort::Int)));
    let round = [terms.less(x, y), terms.less_equal(y, z), terms.less_equal(z, x)];
    let condition = terms.and(round.into_iter().chain([terms.distinct(x, terms.integer(3))]));
    let (mut spelling, spelled) = Spelling::new(&terms, condition);
    let facts = facts(&mut spelling.expressions, spelled).unwrap();
    let choice = facts.iter().position(|fact| matches!(fact, Fact::Cases(_))).unwrap() as u32;
    let linear: Vec<u32> = (0..4).filter(|&index| index != choice).collect();
    let sum = |multipliers: [i64; 3]| {
        Argument::Sum(linear.iter().zip(multipliers).map(|(&fact, multiplier)| (fact, multiplier.into())).collect())
    };
    let right = sum([1, 1, 1]);
    assert!(refutes(&facts, &right) && refutes(&facts, &sum([5, 5, 5])));
    assert!(refutes(&facts, &Argument::Cases(choice, vec![right.clone(), sum([2, 2, 2])])));
    let wrong = [
        sum([0, 0, 0]),
        sum([1, 2, 1]),
        sum([-1, -1, -1]),
        Argument::Sum(vec![]),
        Argument::Sum(vec![(linear[0], 1.into())]),
        Argument::Sum(vec![(choice, 1.into())]),
        Argument::Sum(vec![(99, 1.into())]),
        Argument::Cases(choice, vec![right.clone()]),
        Argument::Cases(choice, vec![right.clone(), right.clone(), right.clone()]),
        Argument::Cases(choice, vec![right.clone(), sum([1, 1, 0])]),
        Argument::Cases(linear[0], vec![]),
    ];
    for argument in wrong {
        assert!(!refutes(&facts, &argument), "{argument:?}");
    }
}

fn steps(definitions: &[&str], steps: &[(&str, Argument)]) -> Result<Impossible, String> {
    let parse = |text: &str| Sexp::parse(text).expect("it is an expression");
    let steps: Vec<ProofStep> =
        steps.iter().map(|(text, argument)| ProofStep { condition: parse(text), argument: argument.clone() }).collect();
    Impossible::new(&definitions.iter().map(|text| parse(text)).collect::<Vec<_>>(), &steps)
}

fn sum(multipliers: &[(u32, i64)]) -> Argument {
    Argument::Sum(multipliers.iter().map(|&(fact, multiplier)| (fact, multiplier.into())).collect())
}

#[test]
fn a_step_shows_what_it_says_and_nothing_else() {
    let terms = Terms::new();
    let [z, y, x] = ["z", "y", "x"].map(|name| terms.fresh(name, Sort::Int));
    let round = |x, y, z| terms.and([terms.less_equal(z, x), terms.less_equal(y, z), terms.less(x, y)]);
    let text = "(and (<= (+ x (- y)) (- 1)) (<= #0 0) (<= (+ (- x) z) 0))";
    let mut found = steps(&["(+ y (- z))"], &[(text, sum(&[(0, 1), (1, 1), (2, 1)]))]).unwrap();
    assert!(found.has(&terms, round(x, y, z)));
    assert!(!found.has(&terms, round(y, x, z)));
    assert!(!found.has(&terms, terms.less(x, y)));
    assert!(!steps(&[], &[]).unwrap().has(&terms, round(x, y, z)));
}

#[test]
fn what_is_called_like_something_else_is_not_recognised() {
    let terms = Terms::new();
    let twice = ["x", "x"].map(|name| terms.fresh(name, Sort::Int));
    let five = terms.fresh("5", Sort::Int);
    let truth = terms.fresh("false", Sort::Bool);
    let mut found = steps(
        &[],
        &[("(<= (+ x (- x)) (- 1))", sum(&[(0, 1)])), ("(<= 5 3)", sum(&[(0, 1)])), ("false", sum(&[(0, 1)]))],
    )
    .unwrap();
    assert!(!found.has(&terms, terms.less(twice[0], twice[1])));
    assert!(!found.has(&terms, terms.less_equal(five, terms.integer(3))));
    assert!(!found.has(&terms, truth));
}

#[test]
fn wrong_steps_are_refused_whether_they_are_asked_for_or_not() {
    let wrong = |definitions: &[&str], text: &str, argument: Argument| {
        assert!(steps(definitions, &[(text, argument)]).is_err(), "{text}");
    };
    let right = sum(&[(0, 1)]);
    assert!(steps(&[], &[("(<= 1 0)", right.clone())]).is_ok());
    wrong(&[], "(<= 1 1)", right.clone());
    wrong(&[], "(<= x 0)", right.clone());
    wrong(&[], "#0", right.clone());
    wrong(&["#0"], "#0", right.clone());
    wrong(&["#1", "(<= 1 0)"], "#0", right.clone());
    wrong(&["(<= 1 0)"], "#x", right.clone());
    wrong(&[], "\"text\"", right.clone());
    wrong(&[], "(and)", right.clone());
    // Whatever is shared or large has an end.
    let grown = |base: &str, next: &dyn Fn(usize) -> String, text: &str| {
        let text_of = |at: usize| if at == 0 { base.to_owned() } else { next(at - 1) };
        let definitions: Vec<String> = (0..200).map(text_of).collect();
        let definitions: Vec<&str> = definitions.iter().map(String::as_str).collect();
        wrong(&definitions, text, sum(&[(1, 1)]));
    };
    grown("x", &|at| format!("(+ #{at} #{at})"), "(and (<= #199 0) (<= 1 0))");
    grown("1", &|at| format!("(* {} #{at})", "9".repeat(100)), "(and (<= #199 0) (<= 1 0))");
    grown("p", &|at| format!("(xor #{at} #{at})"), "(and #199 (<= 1 0))");
    assert!(steps(&[], &[("(and p (<= 1 0))", sum(&[(1, 1)]))]).is_ok());
}
