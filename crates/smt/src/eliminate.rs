//! Elimination of existential quantifiers by rules, without a solver.
//!
//! The rules are exact over the integers. A quantified symbol `x` goes
//! - where it is defined by an equality in which its coefficient is 1 or -1, by substitution; with another coefficient `c`,
//!   by multiplying everything with `c` and demanding divisibility (the first step of Cooper's method);
//! - where it is bounded on one side only, with everything that is said of it;
//! - where of each pair of a lower and an upper bound one has the coefficient 1, by adding the two (Fourier and Motzkin;
//!   over the integers this is exact under that condition, as in the exact case of Pugh's Omega test);
//! - where it is an array of which single elements are given, with them, if nothing else is said of it when they are put in;
//! - where it is a truth value, or has few values and is an index, say, by cases.
//!
//! Disjunctions are taken apart up to a limit. What no rule applies to is left for others.

use std::collections::BTreeMap;

use foundation::collections::HashMap;
use logic::{Linear, Node, Sort, Symbol, Term, Terms};
use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};

/// So many alternatives may come of one body.
const MOST_ALTERNATIVES: usize = 128;
/// So many cubes may come of what is said of one symbol.
const MOST_CUBES: usize = 32;
/// So many pairs of bounds may be added.
const MOST_PAIRS: usize = 64;

/// So many values of one symbol may be cases.
const MOST_VALUES: usize = 16;

/// What elimination by rules made of `exists symbols. body`: the disjunction of `done` and of what is left.
#[derive(Debug)]
pub struct Eliminated {
    /// Free of the symbols.
    pub done: Term,
    /// What no rule applied to.
    pub left: Vec<QuantifiedFormula>,
}

/// `outside ∧ exists symbols. body`, where `outside` is free of the symbols.
#[derive(Debug)]
pub struct QuantifiedFormula {
    /// What does not speak of the symbols.
    pub outside: Term,
    /// The quantified symbols.
    pub symbols: Vec<Symbol>,
    /// What speaks of them.
    pub body: Term,
}

/// Eliminates symbols as far as the rules go.
pub fn eliminate_by_rules(terms: &Terms, exists: &[Symbol], body: Term) -> Eliminated {
    let mut done = Vec::new();
    let mut left = Vec::new();
    let mut open = vec![body];
    let mut alternatives = 1;
    while let Some(body) = open.pop() {
        let occurring = terms.symbols(body);
        let mut symbols: Vec<Symbol> = exists.iter().copied().filter(|symbol| occurring.contains(symbol)).collect();
        symbols.sort_unstable();
        symbols.dedup();
        if symbols.is_empty() {
            done.push(body);
            continue;
        }
        let room = MOST_ALTERNATIVES.saturating_sub(alternatives);
        match step(terms, &symbols, body, room) {
            Some(next) => {
                alternatives += next.len().saturating_sub(1);
                open.extend(next);
            }
            None => {
                let mentions = |term: &Term| symbols.iter().any(|symbol| terms.symbols(*term).contains(symbol));
                let (inside, outside): (Vec<Term>, Vec<Term>) = terms.conjuncts(body).into_iter().partition(mentions);
                left.push(QuantifiedFormula { outside: terms.and(outside), symbols, body: terms.and(inside) });
            }
        }
    }
    Eliminated { done: terms.or(done), left }
}

/// Terms whose disjunction is equivalent to the body under the quantifiers, nearer to the end by one rule; `None` where no
/// rule applies, or it would make more than `room` further alternatives.
fn step(terms: &Terms, symbols: &[Symbol], body: Term, room: usize) -> Option<Vec<Term>> {
    let disjuncts = terms.disjuncts(body);
    if disjuncts.len() != 1 {
        return (disjuncts.len() <= room + 1).then_some(disjuncts);
    }
    let conjuncts = terms.conjuncts(body);
    let views: Vec<SymbolView> = symbols.iter().map(|symbol| SymbolView::new(terms, *symbol, &conjuncts)).collect();
    if let Some((view, definition)) = views.iter().find_map(|view| Some((view, view.definition(terms)?))) {
        let replacement = HashMap::from_iter([(view.symbol, definition)]);
        return Some(vec![terms.substitute(body, &replacement)]);
    }
    let simpler = |view: &SymbolView| view.without_split(terms).or_else(|| view.without_elements(terms));
    if let Some(result) = views.iter().find_map(simpler) {
        return Some(vec![result]);
    }
    views.iter().find_map(|view| view.split(terms, room))
}

/// What a conjunction says of one symbol.
struct SymbolView {
    symbol: Symbol,
    variable: Term,
    /// Conjuncts that do not mention it.
    others: Vec<Term>,
    /// Conjuncts that do.
    mentions: Vec<Term>,
    /// The same as linear constraints; `None` where the symbol occurs in another way.
    linear: Option<Vec<Constraint>>,
}

/// `coefficient · x + rest` related to zero.
struct Constraint {
    relation: Relation,
    coefficient: BigInt,
    rest: Linear,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Relation {
    AtMostZero,
    Zero,
    NotZero,
}

impl SymbolView {
    fn new(terms: &Terms, symbol: Symbol, conjuncts: &[Term]) -> Self {
        let variable = terms.variable(symbol);
        let is_mention = |term: &Term| terms.symbols(*term).contains(&symbol);
        let (mentions, others): (Vec<Term>, Vec<Term>) = conjuncts.iter().copied().partition(is_mention);
        let linear = mentions.iter().map(|term| constraint(terms, symbol, variable, *term)).collect();
        Self { symbol, variable, others, mentions, linear }
    }

    /// The term that the symbol must be equal to.
    fn definition(&self, terms: &Terms) -> Option<Term> {
        let other_side = |left: Term, right: Term| {
            let other = match self.variable {
                variable if variable == left => right,
                variable if variable == right => left,
                _ => return None,
            };
            (!terms.symbols(other).contains(&self.symbol)).then_some(other)
        };
        let of_mention = |mention: &Term| match terms.node(*mention) {
            Node::Variable(_) => Some(terms.truth(true)),
            Node::Not(inner) if inner == self.variable => Some(terms.truth(false)),
            Node::Not(inner) => match terms.node(inner) {
                Node::Equal(left, right) if terms.sort(left) == Sort::Bool => Some(terms.not(other_side(left, right)?)),
                _ => None,
            },
            Node::Equal(left, right) => other_side(left, right),
            Node::Zero(_) => {
                let constraint = constraint(terms, self.symbol, self.variable, *mention)?;
                let is_unit = constraint.coefficient.abs().is_one();
                is_unit.then(|| terms.from_linear(&constraint.rest.scale(&-constraint.coefficient)))
            }
            _ => None,
        };
        self.mentions.iter().find_map(of_mention)
    }

    /// The whole conjunction without the symbol, where that takes no cases.
    fn without_split(&self, terms: &Terms) -> Option<Term> {
        let constraints = self.linear.as_ref()?;
        let result = self.by_divisibility(terms, constraints).or_else(|| self.by_bounds(terms, constraints))?;
        Some(terms.and(self.others.iter().copied().chain(result)))
    }

    /// The whole conjunction with the values of an array's elements put in, or without the array, if nothing but these is
    /// said of it.
    fn without_elements(&self, terms: &Terms) -> Option<Term> {
        let mut given: BTreeMap<Term, Term> = BTreeMap::new();
        let (mut sources, mut rest) = (Vec::new(), Vec::new());
        for &mention in &self.mentions {
            match self.element(terms, mention).filter(|(index, _)| !given.contains_key(index)) {
                Some((index, value)) => {
                    given.insert(index, value);
                    sources.push(mention);
                }
                None => rest.push(mention),
            }
        }
        let others = self.others.iter().copied();
        if given.is_empty() {
            return None;
        }
        if rest.is_empty() {
            // Different numbers are different indices, and an array may have any elements there.
            return Some(terms.and(others));
        }
        let array = given.iter().fold(self.variable, |array, (index, value)| terms.store(array, *index, *value));
        let before = terms.and(rest);
        let rest = terms.substitute(before, &HashMap::from_iter([(self.symbol, array)]));
        let has_store = terms.subterms(&[rest]).into_iter().any(|part| matches!(terms.node(part), Node::Store(..)));
        (rest != before && !has_store).then(|| terms.and(others.chain(sources).chain([rest])))
    }

    /// The index of an element, a number, and what the element is equal to.
    fn element(&self, terms: &Terms, mention: Term) -> Option<(Term, Term)> {
        let Node::Zero(linear) = terms.node(mention) else { return None };
        let index = |term: Term| match terms.node(term) {
            Node::Select(array, index) if array == self.variable && terms.as_integer(index).is_some() => Some(index),
            _ => None,
        };
        let (coefficient, element, index) = linear.terms().iter().find_map(|(coefficient, term)| {
            let index = index(*term).filter(|_| coefficient.abs().is_one())?;
            Some((coefficient, *term, index))
        })?;
        let value = terms.from_linear(&linear.without(element).scale(&-coefficient));
        // Two arrays would be put in for each other for ever.
        let is_array = |symbol: &Symbol| matches!(terms.sort_of_symbol(*symbol), Sort::Array(..));
        (!terms.symbols(value).iter().any(is_array)).then_some((index, value))
    }

    /// `c·x = -rest` is put into the other constraints, multiplied by `c`.
    fn by_divisibility(&self, terms: &Terms, constraints: &[Constraint]) -> Option<Vec<Term>> {
        let is_equality = |at: &usize| constraints[*at].relation == Relation::Zero;
        let chosen = (0..constraints.len()).filter(is_equality).min_by_key(|at| constraints[*at].coefficient.abs())?;
        let Constraint { coefficient, rest, .. } = &constraints[chosen];
        let factor = coefficient.abs();
        let multiple = rest.scale(&-coefficient.signum());
        let divides =
            terms.equal(terms.modulo(terms.from_linear(&multiple), terms.integer(factor.clone())), terms.integer(0));
        let mut result = vec![divides];
        for (at, constraint) in constraints.iter().enumerate() {
            if at != chosen {
                let scaled = constraint.rest.scale(&factor).add_scaled(&constraint.coefficient, &multiple);
                result.push(constraint.relation.holds(terms, &scaled));
            }
        }
        Some(result)
    }

    /// Bounds on one side are dropped; bounds on both sides are added, where that is exact.
    fn by_bounds(&self, terms: &Terms, constraints: &[Constraint]) -> Option<Vec<Term>> {
        if constraints.iter().any(|constraint| constraint.relation == Relation::Zero) {
            return None;
        }
        let bounds = constraints.iter().filter(|constraint| constraint.relation == Relation::AtMostZero);
        let (upper, lower): (Vec<&Constraint>, Vec<&Constraint>) =
            bounds.partition(|constraint| constraint.coefficient.is_positive());
        if upper.is_empty() || lower.is_empty() {
            // Finitely many values are excluded, and infinitely many remain.
            return Some(Vec::new());
        }
        if constraints.iter().any(|constraint| constraint.relation == Relation::NotZero) {
            return None;
        }
        let mut result = Vec::new();
        if upper.len() * lower.len() > MOST_PAIRS {
            return None;
        }
        for below in &lower {
            for above in &upper {
                let (low, high) = (-&below.coefficient, &above.coefficient);
                if !low.is_one() && !high.is_one() {
                    return None;
                }
                // low·x >= below.rest and high·x <= -above.rest.
                let sum = below.rest.scale(high).add_scaled(&low, &above.rest);
                result.push(terms.at_most_zero(&sum));
            }
        }
        Some(result)
    }

    /// The values between the bounds of the symbol that are numbers, if they are few.
    fn values(&self, terms: &Terms) -> Option<Vec<BigInt>> {
        let (mut low, mut high): (Option<BigInt>, Option<BigInt>) = (None, None);
        let said = self.mentions.iter().filter_map(|mention| constraint(terms, self.symbol, self.variable, *mention));
        for Constraint { relation, coefficient, rest } in said.filter(|constraint| constraint.rest.is_constant()) {
            if relation == Relation::AtMostZero && coefficient.is_one() {
                let bound = -rest.constant();
                high = Some(high.map_or(bound.clone(), |high| high.min(bound)));
            } else if relation == Relation::AtMostZero && (-coefficient).is_one() {
                let bound = rest.constant().clone();
                low = Some(low.map_or(bound.clone(), |low| low.max(bound)));
            }
        }
        let (low, high) = (low?, high?);
        let span: BigInt = high - &low;
        match span.to_usize() {
            Some(span) => (span < MOST_VALUES).then(|| (0..=span).map(|at| &low + at).collect()),
            None => span.is_negative().then(Vec::new),
        }
    }

    /// Cases: both truth values, the values of an index, or the cubes of what is said of the symbol.
    fn split(&self, terms: &Terms, room: usize) -> Option<Vec<Term>> {
        let others = || self.others.iter().copied();
        if terms.sort_of_symbol(self.symbol) == Sort::Bool {
            let inside = terms.and(self.mentions.iter().copied());
            let with = |value: bool| {
                let replacement = HashMap::from_iter([(self.symbol, terms.truth(value))]);
                terms.and(others().chain([terms.substitute(inside, &replacement)]))
            };
            return (room >= 1).then(|| vec![with(false), with(true)]);
        }
        if self.linear.is_none()
            && let Some(values) = self.values(terms).filter(|values| values.len() <= room + 1)
        {
            let whole = terms.and(others().chain(self.mentions.iter().copied()));
            let with = |value| terms.substitute(whole, &HashMap::from_iter([(self.symbol, terms.integer(value))]));
            return Some(values.into_iter().map(with).collect());
        }
        let inside = terms.and(self.mentions.iter().copied());
        let cubes = terms.disjunctive_normal_form(inside, MOST_CUBES.min(room + 1))?;
        let next: Vec<Term> = cubes.into_iter().map(|cube| terms.and(others().chain(cube))).collect();
        let whole = terms.and(others().chain([inside]));
        (!next.contains(&whole)).then_some(next)
    }
}

impl Relation {
    fn holds(self, terms: &Terms, linear: &Linear) -> Term {
        match self {
            Relation::AtMostZero => terms.at_most_zero(linear),
            Relation::Zero => terms.zero(linear),
            Relation::NotZero => terms.not(terms.zero(linear)),
        }
    }
}

/// A literal as a constraint on a symbol that occurs in it only as a summand.
fn constraint(terms: &Terms, symbol: Symbol, variable: Term, literal: Term) -> Option<Constraint> {
    let (relation, linear) = match terms.node(literal) {
        Node::AtMostZero(linear) => (Relation::AtMostZero, linear),
        Node::Zero(linear) => (Relation::Zero, linear),
        Node::Not(inner) => match terms.node(inner) {
            Node::Zero(linear) => (Relation::NotZero, linear),
            _ => return None,
        },
        _ => return None,
    };
    let coefficient = linear.coefficient(variable);
    let rest = linear.without(variable);
    let is_elsewhere = rest.variables().any(|term| terms.symbols(term).contains(&symbol));
    (!coefficient.is_zero() && !is_elsewhere).then_some(Constraint { relation, coefficient, rest })
}
