//! Arguments for random conditions, which a script that has nothing of this code must find right, and wrong ones wrong.

use std::path::Path;
use std::process::Command;

use foundation::SplitMix64;
use foundation::collections::HashMap;
use logic::{Sort, Term, Terms};
use task::certificate::sexp::Sexp;

use super::*;

/// How many conditions are tried.
const COUNT: usize = 1_500;

struct World<'t> {
    terms: &'t Terms,
    numbers: [Term; 3],
    truths: [Term; 2],
    array: Term,
}

impl<'t> World<'t> {
    fn new(terms: &'t Terms) -> Self {
        Self {
            terms,
            numbers: ["x@0", "a b", "?17.0"].map(|name| terms.fresh(name, Sort::Int)),
            truths: ["p", "q"].map(|name| terms.fresh(name, Sort::Bool)),
            array: terms.fresh("a", Sort::array(Sort::Int, Sort::Int)),
        }
    }

    fn number(&self, random: &mut SplitMix64, depth: u64) -> Term {
        let terms = self.terms;
        if depth == 0 {
            return match random.below(3) {
                0 => terms.integer(random.below(9) as i64 - 4),
                _ => self.numbers[random.below(3)],
            };
        }
        let (one, two) = (self.number(random, depth - 1), self.number(random, depth - 1));
        let divisor = terms.integer([-3, 2, 3, 4][random.below(4)]);
        match random.below(9) {
            0 => terms.div(one, divisor),
            1 => terms.modulo(one, divisor),
            2 => terms.ite(self.condition(random, depth - 1), one, two),
            3 => terms.select(self.array(random, depth), one),
            4 => terms.multiply(one, two),
            5 => terms.scale(BigInt::from(random.below(7) as i64 - 3), one),
            _ => terms.add([one, two]),
        }
    }

    fn array(&self, random: &mut SplitMix64, depth: u64) -> Term {
        if depth == 0 {
            return self.array;
        }
        let (index, value) = (self.number(random, depth - 1), self.number(random, depth - 1));
        self.terms.store(self.array(random, depth - 1), index, value)
    }

    fn condition(&self, random: &mut SplitMix64, depth: u64) -> Term {
        let terms = self.terms;
        if depth == 0 {
            return self.truths[random.below(2)];
        }
        let (one, two) = (self.condition(random, depth - 1), self.condition(random, depth - 1));
        match random.below(8) {
            0 => terms.and([one, two]),
            1 => terms.or([one, two]),
            2 => terms.iff(one, two),
            3 => terms.not(terms.iff(one, two)),
            4 => terms.equal(self.number(random, depth), self.number(random, depth - 1)),
            5 => terms.distinct(self.number(random, depth), self.number(random, depth - 1)),
            _ => terms.less_equal(self.number(random, depth), self.number(random, depth - 1)),
        }
    }

    /// Conditions that together are often impossible.
    fn question(&self, random: &mut SplitMix64) -> Term {
        let terms = self.terms;
        let mut parts: Vec<Term> = (0..4 + random.below(4)).map(|_| self.condition(random, 2)).collect();
        for &number in &self.numbers {
            let low = random.below(5) as i64 - 2;
            parts.push(terms.less_equal(terms.integer(low), number));
            parts.push(terms.less_equal(number, terms.integer(low + random.below(3) as i64)));
        }
        terms.and(parts)
    }
}

/// The first sum of an argument.
fn first_sum(argument: &mut Argument) -> &mut Vec<(u32, BigInt)> {
    match argument {
        Argument::Sum(multipliers) => multipliers,
        Argument::Cases(_, arguments) => first_sum(arguments.first_mut().expect("a choice has cases")),
    }
}

/// What the script says of a certificate with these steps: its status and its message.
fn script(name: &str, definitions: &[Sexp], steps: &[(Sexp, Argument)]) -> (Option<i32>, String) {
    let mut text = String::from("(semper-certificate 2 \"test\" (task) (refutation");
    definitions.iter().for_each(|definition| text += &format!("\n(term {definition})"));
    for (condition, argument) in steps {
        let step = ProofStep { condition: condition.clone(), argument: argument.clone() };
        text += &format!("\n{}", step.write());
    }
    let path = std::env::temp_dir().join(format!("semper-steps-{}-{name}.cert", std::process::id()));
    std::fs::write(&path, text + "))\n").unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/check_steps.py");
    let output = Command::new("python3").arg(script).arg(&path).output().unwrap();
    std::fs::remove_file(path).unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    (output.status.code(), said)
}

#[test]
fn a_script_agrees_on_random_steps() {
    if !Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success()) {
        println!("there is no python3 here: tools/check_steps.py is not run");
        return;
    }
    let (terms, mut random) = (Terms::new(), SplitMix64::new(11));
    let world = World::new(&terms);
    let (mut expressions, mut spelled) = (Bracketed::default(), HashMap::default());
    let mut asked: Vec<Expression> = Vec::new();
    for _ in 0..COUNT {
        let question = world.question(&mut random);
        if terms.as_truth(question).is_none() {
            asked.push(terms.spell(question, &|symbol| terms.name(symbol), &mut spelled, &mut expressions));
        }
    }
    let found = arguments(&mut expressions, &asked, &Budget::unlimited());
    let conditions: Vec<Expression> = found.iter().map(|(condition, _)| *condition).collect();
    let (definitions, texts) = sharing::shared(&expressions, &conditions);
    let steps: Vec<(Sexp, Argument)> =
        texts.into_iter().zip(&found).map(|(text, (_, argument))| (text, argument.clone())).collect();
    let all: String = definitions.iter().chain(steps.iter().map(|(text, _)| text)).map(Sexp::to_string).collect();
    for function in ["and", "or", "not", "xor", "<=", "=", "+", "-", "*", "ite", "div", "mod", "select", "store"] {
        assert!(all.contains(&format!("({function} ")), "no step speaks of {function}");
    }
    println!("{} of {} conditions have arguments", steps.len(), asked.len());
    assert!(steps.len() > 200, "only {} of {} conditions have arguments", steps.len(), asked.len());
    let (status, said) = script("right", &definitions, &steps);
    assert!(status == Some(0) && said.contains(&format!(": {} steps are right", steps.len())), "{status:?} {said}");
    // Of a wrong step both say that it is wrong, and of one that is right by chance that it is right.
    let mut wrong = 0;
    for number in (0..steps.len()).step_by(steps.len() / 40) {
        let (condition, mut argument) = found[number].clone();
        let sum = first_sum(&mut argument);
        match random.below(3) {
            0 => sum.iter_mut().take(1).for_each(|(_, multiplier)| *multiplier += 1),
            1 => sum.iter_mut().take(1).for_each(|(fact, _)| *fact += 1),
            _ => drop(sum.pop()),
        }
        let facts = facts(&mut expressions, condition).expect("it has an argument");
        let is_right = refutes(&facts, &argument);
        wrong += usize::from(!is_right);
        let (status, said) = script("wrong", &definitions, &[(steps[number].0.clone(), argument)]);
        assert_eq!(status, Some(i32::from(!is_right)), "{said}");
    }
    assert!(wrong > 20, "only {wrong} mutants are wrong");
}
