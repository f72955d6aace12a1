//! Where a property stands in the hierarchy of temporal properties (Manna and Pnueli 1990).
//!
//! ```text
//!              reactivity
//!        recurrence   persistence
//!              obligation
//!          safety     guarantee
//! ```
//!
//! The syntax of a formula is looked at first (Chang, Manna and Pnueli, *Characterization of temporal property
//! classes*, ICALP 1992; Černá and Pelánek, *Relating hierarchy of temporal properties to model checking*, MFCS
//! 2003). Safety, guarantee, obligation and liveness are then decided by automata; recurrence and persistence are
//! left open where neither syntax, a deterministic automaton, nor the classes below say something.

use foundation::Budget;
use foundation::collections::HashMap;

use super::product::are_disjoint;
use super::prune::trim;
use super::simplify::{Simplifier, simplify_within, with_room_for};
use super::tableau::tableau;
use super::weak::{Weak, minimal_weak, never_gets_stuck};
use super::{Failure, Options, Target, translate};
use crate::buchi::{Automaton, Guard, Marks};
use crate::ltl::{Binary, Formula, Formulas, Node, Unary};

/// The classes that a property belongs to. Nothing means that it is not known.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Classes {
    /// A word that violates it has a finite prefix that no word satisfying it has.
    pub safety: bool,
    /// A word that satisfies it has a finite prefix that no word violating it has; also called co-safety.
    pub guarantee: bool,
    /// It is a Boolean combination of safety properties. Nothing if determinising was too costly.
    pub obligation: Option<bool>,
    /// A deterministic Büchi automaton recognises it.
    pub recurrence: Option<bool>,
    /// A deterministic Büchi automaton recognises its negation.
    pub persistence: Option<bool>,
    /// Every finite word can be continued to one that satisfies it. Nothing if determinising was too costly.
    pub liveness: Option<bool>,
}

/// The classes of a property.
pub fn classes(formulas: &mut Formulas, formula: Formula, budget: &Budget) -> Result<Classes, Failure> {
    with_room_for(formulas, formula, |formulas| decide(formulas, formula, budget))?
}

fn decide(formulas: &mut Formulas, formula: Formula, budget: &Budget) -> Result<Classes, Failure> {
    let simplified = simplify_within(formulas, formula, budget);
    let negation = Simplifier::new(formulas).not(simplified);
    let syntactic = syntactic_classes(formulas, simplified);
    let automaton = trim(&tableau(formulas, simplified, budget)?);
    let complement = trim(&tableau(formulas, negation, budget)?);
    let safety = syntactic.safety || are_disjoint(&closure(&automaton), &complement, budget)?;
    let guarantee = syntactic.guarantee || are_disjoint(&closure(&complement), &automaton, budget)?;
    let obligation = if syntactic.obligation || safety || guarantee {
        Some(true)
    } else {
        match minimal_weak(&automaton, Some(&complement), budget)? {
            Weak::Minimal(_) => Some(true),
            Weak::NoObligation => Some(false),
            Weak::TooCostly => None,
        }
    };
    let mut classes = Classes {
        safety,
        guarantee,
        obligation,
        recurrence: (obligation == Some(true) || syntactic.recurrence).then_some(true),
        persistence: (obligation == Some(true) || syntactic.persistence).then_some(true),
        liveness: never_gets_stuck(&automaton, budget)?,
    };
    let options = Options { target: Target::Buchi, budget: budget.clone(), ..Options::default() };
    if classes.recurrence.is_none() && translate(formulas, simplified, &options)?.automaton.is_deterministic() {
        classes.recurrence = Some(true);
    }
    if classes.persistence.is_none() && translate(formulas, negation, &options)?.automaton.is_deterministic() {
        classes.persistence = Some(true);
    }
    // What is both is an obligation.
    if obligation == Some(false) {
        match (classes.recurrence, classes.persistence) {
            (Some(true), _) => classes.persistence = Some(false),
            (_, Some(true)) => classes.recurrence = Some(false),
            _ => {}
        }
    }
    Ok(classes)
}

/// The smallest safety property that contains the language of a trimmed automaton: all infinite runs are accepted.
fn closure(automaton: &Automaton<Guard>) -> Automaton<Guard> {
    automaton.map_edges(0, |edge| Some((edge.label.clone(), Marks::NONE)))
}

/// Classes that the syntax of a formula shows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SyntacticClasses {
    /// It is seen to be a safety property.
    pub safety: bool,
    /// It is seen to be a guarantee property.
    pub guarantee: bool,
    /// It is seen to be an obligation.
    pub obligation: bool,
    /// It is seen to be a recurrence property.
    pub recurrence: bool,
    /// It is seen to be a persistence property.
    pub persistence: bool,
}

/// The classes that the syntax of a formula in negation normal form shows.
pub fn syntactic_classes(formulas: &Formulas, formula: Formula) -> SyntacticClasses {
    let all = SyntacticClasses { safety: true, guarantee: true, obligation: true, recurrence: true, persistence: true };
    let mut known: HashMap<Formula, SyntacticClasses> = HashMap::default();
    for subformula in formulas.subformulas(formula) {
        let classes = match formulas.node(subformula) {
            Node::True | Node::False | Node::Atom(_) | Node::Unary(Unary::Not, _) => all,
            Node::Unary(Unary::Next, f) => known[&f],
            // G f is false R f, and F f is true U f.
            Node::Unary(Unary::Globally, f) => released(all, known[&f]),
            Node::Unary(_, f) => reached(all, known[&f]),
            Node::Binary(operator, f, g) => {
                let (f, g) = (known[&f], known[&g]);
                match operator {
                    Binary::Until => reached(f, g),
                    Binary::WeakUntil => weakly_reached(f, g),
                    Binary::Release => released(f, g),
                    Binary::StrongRelease => strongly_released(f, g),
                    _ => both(f, g),
                }
            }
        };
        known.insert(subformula, classes);
    }
    known[&formula]
}

/// The classes of `f && g` and of `f || g`.
fn both(f: SyntacticClasses, g: SyntacticClasses) -> SyntacticClasses {
    SyntacticClasses {
        safety: f.safety && g.safety,
        guarantee: f.guarantee && g.guarantee,
        obligation: f.obligation && g.obligation,
        recurrence: f.recurrence && g.recurrence,
        persistence: f.persistence && g.persistence,
    }
}

/// The classes of `f U g`.
fn reached(f: SyntacticClasses, g: SyntacticClasses) -> SyntacticClasses {
    let guarantee = f.guarantee && g.guarantee;
    let obligation = guarantee || (f.obligation && g.guarantee);
    SyntacticClasses {
        safety: false,
        guarantee,
        obligation,
        recurrence: obligation || (f.recurrence && g.guarantee),
        persistence: obligation || (f.persistence && g.persistence),
    }
}

/// The classes of `f R g`.
fn released(f: SyntacticClasses, g: SyntacticClasses) -> SyntacticClasses {
    let safety = f.safety && g.safety;
    let obligation = safety || (f.obligation && g.safety);
    SyntacticClasses {
        safety,
        guarantee: false,
        obligation,
        recurrence: obligation || (f.recurrence && g.recurrence),
        persistence: obligation || (f.persistence && g.safety),
    }
}

/// The classes of `f W g`.
fn weakly_reached(f: SyntacticClasses, g: SyntacticClasses) -> SyntacticClasses {
    let safety = f.safety && g.safety;
    let obligation = safety || (f.safety && g.obligation);
    SyntacticClasses {
        safety,
        guarantee: false,
        obligation,
        recurrence: obligation || (f.recurrence && g.recurrence),
        persistence: obligation || (f.safety && g.persistence),
    }
}

/// The classes of `f M g`.
fn strongly_released(f: SyntacticClasses, g: SyntacticClasses) -> SyntacticClasses {
    let guarantee = f.guarantee && g.guarantee;
    let obligation = guarantee || (f.guarantee && g.obligation);
    SyntacticClasses {
        safety: false,
        guarantee,
        obligation,
        recurrence: obligation || (f.guarantee && g.recurrence),
        persistence: obligation || (f.persistence && g.persistence),
    }
}
