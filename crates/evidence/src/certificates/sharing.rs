//! Conditions of steps as text, with definitions for what occurs in them again and again: an invariant is part of many of them.

use std::collections::BTreeSet;

use foundation::collections::HashMap;
use logic::{Bracketed, Expression, Spelled};
use task::certificate::sexp::Sexp;

/// What has fewer characters is written wherever it occurs.
const SHORTEST_CHARACTERS: usize = 16;

/// How many characters a definition takes beside what it says, and how many its name takes.
const DEFINITION_CHARACTERS: usize = 12;
const NAME_CHARACTERS: usize = 4;

/// Lists that are nested deeper get a name, so that no text is too deep to be read.
const MOST_LEVELS: usize = 100;

/// Definitions that are called `#0`, `#1`, …, and conditions that use them.
pub fn shared(expressions: &Bracketed, conditions: &[Expression]) -> (Vec<Sexp>, Vec<Sexp>) {
    let mut writer = Writer { expressions, names: HashMap::default() };
    let uses = writer.uses(conditions);
    let mut definitions = Vec::new();
    let mut depths: HashMap<Expression, usize> = HashMap::default();
    // Parts have smaller numbers than what they are part of.
    let mut parts: Vec<Expression> = uses.keys().copied().collect();
    parts.sort_unstable();
    for part in parts {
        let Spelled::List(items) = expressions.get(part) else { continue };
        let depth = 1 + items.iter().filter_map(|item| depths.get(item)).max().unwrap_or(&0);
        let text = writer.written(part);
        let (length, uses) = (text.to_string().len(), uses[&part]);
        let saves =
            length >= SHORTEST_CHARACTERS && length * uses > DEFINITION_CHARACTERS + length + NAME_CHARACTERS * uses;
        if !saves && depth < MOST_LEVELS {
            depths.insert(part, depth);
        } else {
            writer.names.insert(part, Sexp::word(format!("#{}", definitions.len())));
            definitions.push(text);
        }
    }
    let conditions = conditions.iter().map(|&condition| writer.written(condition)).collect();
    (definitions, conditions)
}

struct Writer<'e> {
    expressions: &'e Bracketed,
    names: HashMap<Expression, Sexp>,
}

impl Writer<'_> {
    /// How often each expression would be written if its parts had names.
    fn uses(&self, conditions: &[Expression]) -> HashMap<Expression, usize> {
        let mut uses: HashMap<Expression, usize> = HashMap::default();
        let mut open: BTreeSet<Expression> = BTreeSet::new();
        for &condition in conditions {
            *uses.entry(condition).or_default() += 1;
            open.insert(condition);
        }
        while let Some(part) = open.pop_last() {
            // The function of an application is no part of it that could have a name.
            if let Spelled::List(items) = self.expressions.get(part) {
                for &item in items.iter().skip(1) {
                    *uses.entry(item).or_default() += 1;
                    open.insert(item);
                }
            }
        }
        uses
    }

    fn written(&self, expression: Expression) -> Sexp {
        if let Some(name) = self.names.get(&expression) {
            return name.clone();
        }
        match self.expressions.get(expression) {
            Spelled::Word(word) => Sexp::word(word),
            Spelled::List(items) => Sexp::List(items.iter().map(|&item| self.written(item)).collect()),
        }
    }
}
