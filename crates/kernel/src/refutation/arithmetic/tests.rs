//! Facts say exactly what the condition says, on random conditions and states; and sums that do not add up are refused.

use logic::{Symbol, Value};

use super::*;

/// Enough for choosing.
struct Random(u64);

impl Random {
    fn below(&mut self, count: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % count
    }
}

struct World<'t> {
    terms: &'t Terms,
    numbers: Vec<Symbol>,
    truths: Vec<Symbol>,
    array: Symbol,
}

impl World<'_> {
    fn number(&self, random: &mut Random, depth: u64) -> Term {
        let terms = self.terms;
        if depth == 0 {
            return match random.below(3) {
                0 => terms.integer(random.below(9) as i64 - 4),
                _ => terms.variable(self.numbers[random.below(self.numbers.len() as u64) as usize]),
            };
        }
        let (one, two) = (self.number(random, depth - 1), self.number(random, depth - 1));
        let divisor = terms.integer([-3, -2, 2, 3, 4][random.below(5) as usize]);
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

    fn array(&self, random: &mut Random, depth: u64) -> Term {
        let array = self.terms.variable(self.array);
        if depth == 0 {
            return array;
        }
        let (index, value) = (self.number(random, depth - 1), self.number(random, depth - 1));
        self.terms.store(self.array(random, depth - 1), index, value)
    }

    fn condition(&self, random: &mut Random, depth: u64) -> Term {
        let terms = self.terms;
        if depth == 0 {
            return terms.variable(self.truths[random.below(self.truths.len() as u64) as usize]);
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

/// Whether a fact holds where symbols have these values.
fn holds(terms: &Terms, fact: &Fact, values: &dyn Fn(Symbol) -> Option<Value>) -> bool {
    let value = |form: &Linear| {
        let mut sum = form.constant().clone();
        for (coefficient, term) in form.terms() {
            sum += coefficient
                * match terms.evaluate(*term, values).expect("everything has a value") {
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
        Fact::Cases(cases) => cases.iter().any(|case| case.iter().all(|fact| holds(terms, fact, values))),
    }
}

#[test]
fn facts_say_what_the_condition_says() {
    let mut random = Random(7);
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
        let facts = facts(&terms, condition).expect("it is small");
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
            let found = facts.iter().all(|fact| holds(&terms, fact, &values));
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
    let facts = facts(&terms, condition).unwrap();
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

#[test]
fn questions_that_differ_in_names_only_have_one_name() {
    let terms = Terms::new();
    let [x, y, z] = ["x", "y", "z"].map(|name| terms.variable(terms.symbol(name, Sort::Int)));
    let less = |one, two| name(&terms, terms.less(one, two));
    assert_eq!(less(x, y), less(y, z));
    assert_ne!(less(x, y), less(y, x));
    assert_eq!(less(x, y).len(), 16);
}
