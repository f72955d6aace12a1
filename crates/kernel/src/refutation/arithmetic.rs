//! Steps that are right by arithmetic: no solver has to be trusted for them.
//!
//! A step of the certificate names a condition that is impossible. It is taken apart into [`Fact`]s that it implies, by what
//! is written ([`facts`]). An [`Argument`] goes through the cases of choices among them, and at the end of each
//! case names multipliers by which linear facts add up to `c <= 0` with a positive number `c`.
//!
//! A question of the check is shown if it is spelled like the condition of such a step. Spelling keeps the meaning of a term, and
//! names of symbols stand for one symbol each in a question, so that the condition is the question.

#[cfg(test)]
mod tests;

use foundation::collections::{HashMap, HashSet};
use logic::{Bracketed, Expression, Fact, LinearForm, Term, Terms, facts};
use num_traits::Signed;
use task::certificate::sexp::Sexp;
use task::certificate::steps::{Argument, ProofStep};

/// Conditions that the certificate shows to be impossible, by how they are spelled.
#[derive(Default)]
pub struct Impossible {
    pub(super) expressions: Bracketed,
    spelled: HashMap<Term, Expression>,
    shown: HashSet<Expression>,
}

impl Impossible {
    /// Reads the steps of a certificate; each must be right, whether anybody asks for it or not.
    pub fn new(definitions: &[Sexp], steps: &[ProofStep]) -> Result<Self, String> {
        let mut found = Self::default();
        let mut defined = Vec::with_capacity(definitions.len());
        for definition in definitions {
            defined.push(found.read(definition, &defined)?);
        }
        for (number, step) in steps.iter().enumerate() {
            let condition = found.read(&step.condition, &defined)?;
            let facts = facts(&mut found.expressions, condition);
            if !facts.is_some_and(|facts| refutes(&facts, &step.argument)) {
                return Err(format!("the multipliers of step {number} do not add up to a contradiction"));
            }
            found.shown.insert(condition);
        }
        Ok(found)
    }

    fn read(&mut self, text: &Sexp, defined: &[Expression]) -> Result<Expression, String> {
        match text {
            Sexp::Text(text) => Err(format!("the text \"{text}\" is no condition")),
            Sexp::List(items) => {
                let items = items.iter().map(|item| self.read(item, defined)).collect::<Result<Vec<_>, String>>()?;
                Ok(self.expressions.list(items))
            }
            Sexp::Word(word) => match word.strip_prefix('#') {
                None => Ok(self.expressions.word(word)),
                Some(number) => {
                    let known = number.parse::<usize>().ok().and_then(|number| defined.get(number));
                    known.copied().ok_or_else(|| format!("`{word}` is not defined before it is used"))
                }
            },
        }
    }

    /// How a question is spelled; none where it has two symbols of one name, or one that is called like a constant.
    pub fn spelled(&mut self, terms: &Terms, question: Term) -> Option<Expression> {
        let symbols = terms.symbols(question);
        let names: HashSet<String> = symbols.iter().map(|&symbol| terms.name(symbol)).collect();
        let is_constant =
            |name: &String| ["true", "false"].contains(&&**name) || name.starts_with(|c: char| c.is_ascii_digit());
        if names.len() < symbols.len() || names.iter().any(is_constant) {
            return None;
        }
        Some(terms.spell(question, &|symbol| terms.name(symbol), &mut self.spelled, &mut self.expressions))
    }

    /// Whether the certificate shows that a question is impossible.
    pub fn has(&mut self, terms: &Terms, question: Term) -> bool {
        !self.shown.is_empty() && self.spelled(terms, question).is_some_and(|question| self.shown.contains(&question))
    }
}

/// Whether an argument shows that facts exclude each other.
pub fn refutes(facts: &[Fact], argument: &Argument) -> bool {
    follow(&mut facts.iter().collect(), argument)
}

fn follow(known: &mut Vec<&Fact>, argument: &Argument) -> bool {
    match argument {
        Argument::Sum(multipliers) => {
            let mut sum = LinearForm::zero();
            for (fact, multiplier) in multipliers {
                match known.get(*fact as usize) {
                    Some(Fact::AtMostZero(form)) if !multiplier.is_negative() => sum = sum.add_scaled(multiplier, form),
                    Some(Fact::Zero(form)) => sum = sum.add_scaled(multiplier, form),
                    _ => return false,
                }
            }
            sum.is_constant() && sum.constant().is_positive()
        }
        Argument::Cases(fact, arguments) => {
            let Some(&Fact::Cases(cases)) = known.get(*fact as usize) else { return false };
            let before = known.len();
            cases.len() == arguments.len()
                && cases.iter().zip(arguments).all(|(case, argument)| {
                    known.extend(case);
                    let is_refuted = follow(known, argument);
                    known.truncate(before);
                    is_refuted
                })
        }
    }
}
