//! Transitions in a form that domains can interpret: guards as trees of linear constraints, updates as linear forms, both
//! over numbered variables.
//!
//! Where an update branches, the transition is split into cases, up to a limit. Terms that are not linear (products,
//! quotients, remainders, branches beyond the limit) become variables of the transition's own with a definition; those
//! that nothing is known of (elements of arrays) have an empty one. What exceeds a limit is left out, which only makes the
//! rule say less.

use std::collections::{BTreeMap, BTreeSet};

use foundation::collections::HashMap;
use logic::{Linear, Node, Sort, Symbol, Term, Terms};
use num_traits::ToPrimitive;

use super::Transition;
use super::form::{Constraint, Form, Relation};
use crate::numbers::Interval;
use crate::numbers::interval::LIMIT;

/// A transition is split into so many cases at most.
const MOST_CASES: usize = 8;

/// Updates are looked through for branches so often at most: a branch need not make more cases of a transition.
const MOST_SPLITS: usize = 64;

/// A guard has so many nodes at most.
const MOST_GUARD_NODES: usize = 500;

/// A transition has so many variables of its own for terms that are not linear.
const MOST_DEFINED_VARIABLES: usize = 64;

/// Definitions refer to each other to this depth at most.
const MOST_DEFINITION_LEVELS: usize = 6;

/// What a transition does.
#[derive(Clone, Debug)]
pub struct TransitionRule {
    /// What the values of the transition's own variables are. They are numbered after those of the program.
    pub own: Vec<DefinedValue>,
    /// The cases; at least one of them describes what happens.
    pub cases: Vec<UpdateCase>,
}

/// A condition with the updates that are made under it, all at once.
#[derive(Clone, Debug)]
pub struct UpdateCase {
    /// What holds before.
    pub guard: Condition,
    /// The new values of variables; none for an unknown one.
    pub updates: Vec<(usize, Option<Form>)>,
}

/// A condition without negation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Condition {
    /// A constraint.
    Atom(Constraint),
    /// All hold; atoms come first.
    All(Vec<Condition>),
    /// One holds.
    Any(Vec<Condition>),
}

/// What the value of a transition's own variable is.
#[derive(Clone, Debug)]
pub enum DefinedValue {
    /// Anything in a range: an input, for example.
    Within(Interval),
    /// The remainder by a positive number, not negative.
    Remainder(Form, i128),
    /// The quotient by a positive number, rounded downwards.
    Quotient(Form, i128),
    /// A product.
    Product(Form, Form),
    /// One of two values.
    Either(Form, Form),
}

/// The values of a sort, as numbers. False is 0 and true is 1.
pub fn range_of(sort: &Sort) -> Option<Interval> {
    match sort {
        Sort::Int => Some(Interval::ALL),
        Sort::Bool => Interval::new(0, 1),
        Sort::BitVector(_) | Sort::Array(..) => None,
    }
}

impl TransitionRule {
    /// The rule of a transition over these variables.
    pub fn new(terms: &Terms, variables: &BTreeMap<Symbol, usize>, transition: &Transition) -> Self {
        let mut reader =
            RuleReader { terms, variables, slots: HashMap::default(), own: Vec::new(), conditions: 0, depth: 0 };
        for &input in transition.inputs {
            if let Some(range) = range_of(&terms.sort_of_symbol(input)) {
                reader.slots.insert(terms.variable(input), variables.len() + reader.own.len());
                reader.own.push(DefinedValue::Within(range));
            }
        }
        let updates: BTreeMap<Symbol, Term> = (transition.updates.iter())
            .filter(|(symbol, value)| variables.contains_key(symbol) && **value != terms.variable(**symbol))
            .map(|(symbol, value)| (*symbol, *value))
            .collect();
        let mut cases = Vec::new();
        for (guard, updates) in split(terms, transition.guard, updates) {
            reader.conditions = 0;
            let guard = reader.condition(guard, true);
            if guard != Condition::Any(Vec::new()) {
                let value = |(symbol, value): (&Symbol, &Term)| (variables[symbol], reader.value(*value));
                cases.push(UpdateCase { guard, updates: updates.iter().map(value).collect() });
            }
        }
        Self { own: reader.own, cases }
    }

    /// All forms in the rule, each with the variable that it is the new value of.
    pub fn forms(&self) -> Vec<(Option<usize>, &Form)> {
        let mut forms = Vec::new();
        for case in &self.cases {
            let mut open = vec![&case.guard];
            while let Some(condition) = open.pop() {
                match condition {
                    Condition::Atom(constraint) => forms.push((None, &constraint.form)),
                    Condition::All(list) | Condition::Any(list) => open.extend(list),
                }
            }
            forms.extend(case.updates.iter().filter_map(|(variable, form)| Some((Some(*variable), form.as_ref()?))));
        }
        forms
    }
}

/// Guards and updates of the cases of a transition.
fn split(terms: &Terms, guard: Term, updates: BTreeMap<Symbol, Term>) -> Vec<(Term, BTreeMap<Symbol, Term>)> {
    let mut done = Vec::new();
    let mut open = vec![(guard, updates)];
    let mut splits = 0;
    while let Some((guard, updates)) = open.pop() {
        let may_split = splits < MOST_SPLITS && done.len() + open.len() + 1 < MOST_CASES;
        let condition = updates.values().find_map(|value| branching(terms, *value));
        let Some(condition) = condition.filter(|_| may_split) else {
            done.push((guard, updates));
            continue;
        };
        splits += 1;
        let opposite = terms.not(condition);
        for holds in [false, true] {
            let replaced = HashMap::from_iter([(condition, terms.truth(holds)), (opposite, terms.truth(!holds))]);
            let guard = terms.and([guard, if holds { condition } else { opposite }]);
            if terms.as_truth(guard) != Some(false) {
                let updates = updates.iter().map(|(symbol, value)| (*symbol, terms.replace(*value, &replaced)));
                open.push((guard, updates.collect()));
            }
        }
    }
    done
}

/// A condition on which the value of a term depends.
fn branching(terms: &Terms, value: Term) -> Option<Term> {
    if terms.sort(value) == Sort::Bool {
        let atom = if let Node::Not(inner) = terms.node(value) { inner } else { value };
        return (!matches!(terms.node(atom), Node::Truth(_) | Node::Variable(_))).then_some(value);
    }
    terms.subterms(&[value]).into_iter().find_map(|part| match terms.node(part) {
        Node::Ite(condition, ..) if terms.sort(part) == Sort::Int => Some(condition),
        _ => None,
    })
}

struct RuleReader<'a> {
    terms: &'a Terms,
    variables: &'a BTreeMap<Symbol, usize>,
    /// The transition's own variables by the terms that they stand for.
    slots: HashMap<Term, usize>,
    own: Vec<DefinedValue>,
    conditions: usize,
    depth: usize,
}

impl RuleReader<'_> {
    /// The form of a number or a truth value.
    fn value(&mut self, term: Term) -> Option<Form> {
        match self.terms.sort(term) {
            Sort::Int => self.form(&self.terms.linear(term)),
            Sort::Bool => match self.terms.node(term) {
                Node::Truth(value) => Form::number(value.into()),
                Node::Variable(_) => Some(Form::variable(self.slot(term)?)),
                Node::Not(inner) => Form::number(1)?.plus(-1, &self.value(inner)?),
                _ => None,
            },
            _ => None,
        }
    }

    fn form(&mut self, linear: &Linear) -> Option<Form> {
        let mut form = Form::number(linear.constant().to_i128()?)?;
        for (factor, term) in linear.terms() {
            form = form.plus(factor.to_i128()?, &Form::variable(self.slot(*term)?))?;
        }
        Some(form)
    }

    /// The variable that stands for a term.
    fn slot(&mut self, term: Term) -> Option<usize> {
        if let Node::Variable(symbol) = self.terms.node(term)
            && let Some(variable) = self.variables.get(&symbol)
        {
            return Some(*variable);
        }
        if let Some(slot) = self.slots.get(&term) {
            return Some(*slot);
        }
        self.depth += 1;
        let defined = self.define(term);
        self.depth -= 1;
        if self.own.len() >= MOST_DEFINED_VARIABLES {
            return None;
        }
        let slot = self.variables.len() + self.own.len();
        self.own.push(defined);
        self.slots.insert(term, slot);
        Some(slot)
    }

    fn define(&mut self, term: Term) -> DefinedValue {
        let known = if self.depth > MOST_DEFINITION_LEVELS { None } else { self.definition(term) };
        known.unwrap_or(DefinedValue::Within(match self.terms.node(term) {
            Node::BitsToInt(bits) => match self.terms.sort(bits) {
                Sort::BitVector(width) if width <= 64 => Interval::new(0, (1 << width) - 1).expect("zero is inside"),
                _ => Interval::new(0, i128::MAX).expect("zero is inside"),
            },
            _ => range_of(&self.terms.sort(term)).unwrap_or(Interval::ALL),
        }))
    }

    fn definition(&mut self, term: Term) -> Option<DefinedValue> {
        let divisor = |by: Term| self.terms.as_integer(by)?.to_i128().filter(|by| (1..LIMIT).contains(by));
        match self.terms.node(term) {
            Node::Modulo(of, by) => {
                let by = divisor(by)?;
                Some(DefinedValue::Remainder(self.value(of)?, by))
            }
            Node::Div(of, by) => {
                let by = divisor(by)?;
                Some(DefinedValue::Quotient(self.value(of)?, by))
            }
            Node::Multiply(left, right) => Some(DefinedValue::Product(self.value(left)?, self.value(right)?)),
            Node::Ite(_, left, right) => Some(DefinedValue::Either(self.value(left)?, self.value(right)?)),
            _ => None,
        }
    }

    /// A condition that follows from a term, or from its negation.
    fn condition(&mut self, term: Term, holds: bool) -> Condition {
        self.conditions += 1;
        if self.conditions > MOST_GUARD_NODES {
            return Condition::All(Vec::new());
        }
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || match self.terms.node(term) {
            Node::Truth(value) => junction(Vec::new(), value == holds),
            Node::Not(inner) => self.condition(inner, !holds),
            node @ (Node::And(_) | Node::Or(_)) => {
                let members = self.terms.children(term).into_iter().map(|part| self.condition(part, holds)).collect();
                junction(members, matches!(node, Node::And(_)) == holds)
            }
            Node::Equal(left, right) if self.terms.sort(left) == Sort::Bool => {
                let branch = |reader: &mut Self, value: bool| {
                    junction(vec![reader.condition(left, value), reader.condition(right, value == holds)], true)
                };
                let branches = vec![branch(self, true), branch(self, false)];
                junction(branches, false)
            }
            Node::AtMostZero(linear) | Node::Zero(linear) => match self.branch(&linear) {
                Some(ite) => self.branches(term, ite, holds),
                None => self.comparison(term, &linear, holds),
            },
            Node::Variable(_) => match self.slot(term).and_then(|slot| Form::variable(slot).plus(-1, &truth(holds))) {
                Some(form) => Condition::Atom(Constraint { form, relation: Relation::Equal }),
                None => Condition::All(Vec::new()),
            },
            _ => Condition::All(Vec::new()),
        })
    }

    /// A branching summand.
    fn branch(&self, linear: &Linear) -> Option<Term> {
        linear.variables().find(|term| matches!(self.terms.node(*term), Node::Ite(..)))
    }

    fn branches(&mut self, term: Term, ite: Term, holds: bool) -> Condition {
        let Node::Ite(condition, left, right) = self.terms.node(ite) else { unreachable!("it was found as one") };
        let branches = [(true, left), (false, right)].map(|(value, branch)| {
            let replaced = self.terms.replace(term, &HashMap::from_iter([(ite, branch)]));
            junction(vec![self.condition(condition, value), self.condition(replaced, holds)], true)
        });
        junction(branches.into(), false)
    }

    fn comparison(&mut self, term: Term, linear: &Linear, holds: bool) -> Condition {
        let is_equation = matches!(self.terms.node(term), Node::Zero(_));
        let constraint = self.form(linear).and_then(|form| match (is_equation, holds) {
            (true, true) => Some(Constraint { form, relation: Relation::Equal }),
            (true, false) => Some(Constraint { form, relation: Relation::Different }),
            (false, true) => Some(Constraint::at_most(form)),
            (false, false) => Some(Constraint::at_most(Form::number(1)?.plus(-1, &form)?)),
        });
        constraint.map_or(Condition::All(Vec::new()), Condition::Atom)
    }
}

fn truth(value: bool) -> Form {
    Form::number(value.into()).expect("it is small")
}

/// A conjunction or disjunction, flat and without constants. The empty conjunction is true, the empty disjunction false.
fn junction(members: Vec<Condition>, is_conjunction: bool) -> Condition {
    let mut flat = Vec::new();
    for member in members {
        match member {
            Condition::All(list) if is_conjunction => flat.extend(list),
            Condition::Any(list) if !is_conjunction => flat.extend(list),
            Condition::All(list) | Condition::Any(list) if list.is_empty() => {
                return if is_conjunction { Condition::Any(list) } else { Condition::All(list) };
            }
            other => flat.push(other),
        }
    }
    if flat.len() == 1 {
        return flat.remove(0);
    }
    if is_conjunction {
        flat.sort_by_key(|member| !matches!(member, Condition::Atom(_)));
        Condition::All(flat)
    } else {
        Condition::Any(flat)
    }
}

/// The variables of a program that transitions mention, except for inputs, numbered.
pub fn variables_of(terms: &Terms, transitions: &[Transition]) -> BTreeMap<Symbol, usize> {
    let mut found = BTreeSet::new();
    for transition in transitions {
        let values = transition.updates.values().chain([&transition.guard]);
        found.extend(values.flat_map(|term| terms.symbols(*term).iter().copied().collect::<Vec<_>>()));
        found.extend(transition.updates.keys().copied());
    }
    for transition in transitions {
        for input in transition.inputs {
            found.remove(input);
        }
    }
    let numbers = found.into_iter().filter(|symbol| range_of(&terms.sort_of_symbol(*symbol)).is_some());
    numbers.enumerate().map(|(at, symbol)| (symbol, at)).collect()
}
