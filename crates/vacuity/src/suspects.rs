//! Which parts of a property may hold for a trivial reason, and the formula that holds exactly if one does.
//!
//! A formula is vacuous in an occurrence of a subformula if it still holds when that occurrence is replaced by what
//! makes the whole as strong as possible: `false` where the occurrence is positive, `true` where it is negative (Beer,
//! Ben-David, Eisner and Rodeh, "Efficient detection of vacuity in ACTL formulas", FMSD 18, 2001). Most such findings are
//! of no interest: that `G (a -> F b)` holds with `true` for `a` says only that `b` comes anyway. So the occurrences are
//! chosen by what a user would call a trivial reason:
//!
//! | written | replaced | trivial, because |
//! | --- | --- | --- |
//! | `a -> c`, `!a \|\| c` | `c` by false | `a` never holds |
//! | `p \|\| c`, `p` without temporal operators, `c` with | `c` by false | `p` always holds |
//! | `!(a && b)` | `b` by true, `a` by true | the other one never holds |
//! | `a W b`, `b R a` | `b` by false | `a` holds for ever |
//! | `a U b`, `F b` at the start | `a` by false, `F b` by `b` | `b` holds at once |
//! | `F b`, `F G b` | it is asked whether `b` always holds | it does |
//!
//! Nothing here knows programs or engines. Nothing recurses, because formulas may be nested deeply.

use automata::ltl::{Binary, Formula, Formulas, Node, Unary};
use foundation::collections::{HashMap, HashSet};

/// Something that may hold for a trivial reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Suspect {
    /// The formula that would hold trivially.
    pub whole: Formula,
    /// The part of it that would be the reason.
    pub part: Occurrence,
    /// What the reason would be.
    pub why: Why,
    /// When the formula is asked for.
    pub asked: AskedAt,
    /// What was replaced, and by which constant; none where something else is asked.
    pub replaced: Option<(Formula, bool)>,
    /// The reason is the one suspected if this holds.
    pub stronger: Formula,
}

/// A subformula at its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Occurrence {
    /// The subformula.
    pub formula: Formula,
    /// How many atoms stand to the left of it in the goal.
    pub atoms_before: u64,
    /// How many atoms it has, each counted as often as it is written.
    pub atoms: u64,
    /// Whether it speaks of more than one state.
    pub is_temporal: bool,
}

/// What makes a formula hold trivially.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Why {
    /// No execution satisfies the assumptions.
    NoAssumption,
    /// The part never holds.
    Never,
    /// The part always holds.
    Always,
    /// Once it is asked for, the part holds for ever.
    ForEver,
    /// The part holds as soon as it is asked for.
    AtOnce,
}

/// Where in an execution a formula is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AskedAt {
    /// At the start only.
    AtStart,
    /// Everywhere.
    Everywhere,
    /// Wherever the formulas around it say so.
    Conditionally,
    /// It is one of several ways to satisfy what is around it.
    Optionally,
}

impl AskedAt {
    fn for_ever(self) -> Self {
        if self == AskedAt::AtStart { AskedAt::Everywhere } else { self }
    }

    fn on_condition(self) -> Self {
        if self == AskedAt::Optionally { self } else { AskedAt::Conditionally }
    }
}

/// Shows the suspects of a goal, from the outside inwards. Where a suspicion is confirmed, nothing inside the part that
/// was replaced is shown. With assumptions, the goal is the implication from all of them to the property.
pub(crate) fn each_suspect(
    formulas: &mut Formulas,
    goal: Formula,
    has_assumptions: bool,
    is_confirmed: &mut dyn FnMut(&Formulas, &Suspect) -> bool,
) {
    let figures = figures(formulas, goal);
    let assumption = match formulas.node(goal) {
        Node::Binary(Binary::Implies, left, _) if has_assumptions => Some(left),
        _ => None,
    };
    let mut search =
        SuspectSearch { formulas, assumption, figures, frames: Vec::new(), known: HashSet::from_iter([goal]) };
    let root = ToVisit { formula: goal, up: None, atoms_before: 0, asked: AskedAt::AtStart, negated: false };
    let mut open = vec![root];
    while let Some(next) = open.pop() {
        let mut inner = search.look_at(next, is_confirmed);
        // The leftmost is looked at first.
        inner.reverse();
        open.extend(inner);
    }
}

/// How many atoms are written in a formula.
pub(crate) fn atoms_written(formulas: &Formulas, formula: Formula) -> u64 {
    figures(formulas, formula)[&formula].atoms
}

/// An occurrence that is still to be looked at.
#[derive(Clone, Copy)]
struct ToVisit {
    formula: Formula,
    up: Option<usize>,
    atoms_before: u64,
    asked: AskedAt,
    /// Whether it stands under an odd number of negations.
    negated: bool,
}

/// The way from an occurrence to the one around it.
#[derive(Clone, Copy)]
struct Enclosure {
    outer: Formula,
    up: Option<usize>,
    is_right: bool,
}

/// What is known of a subformula.
#[derive(Clone, Copy)]
struct Figures {
    atoms: u64,
    is_temporal: bool,
}

fn figures(formulas: &Formulas, goal: Formula) -> HashMap<Formula, Figures> {
    let mut known: HashMap<Formula, Figures> = HashMap::default();
    for subformula in formulas.subformulas(goal) {
        // What bounds repeat is written once.
        if let Some((_, _, repeated)) = formulas.bounded(subformula) {
            known.insert(subformula, Figures { atoms: known[&repeated].atoms, is_temporal: true });
            continue;
        }
        let node = formulas.node(subformula);
        let mut found = match node {
            Node::Atom(_) => Figures { atoms: 1, is_temporal: false },
            Node::Unary(operator, _) => Figures { atoms: 0, is_temporal: operator != Unary::Not },
            Node::Binary(operator, ..) => Figures { atoms: 0, is_temporal: is_temporal(operator) },
            Node::True | Node::False => Figures { atoms: 0, is_temporal: false },
        };
        for child in node.children() {
            found.atoms = found.atoms.saturating_add(known[&child].atoms);
            found.is_temporal |= known[&child].is_temporal;
        }
        known.insert(subformula, found);
    }
    known
}

fn is_temporal(operator: Binary) -> bool {
    match operator {
        Binary::And | Binary::Or | Binary::Implies | Binary::Iff | Binary::Xor => false,
        Binary::Until | Binary::WeakUntil | Binary::Release | Binary::StrongRelease => true,
    }
}

struct SuspectSearch<'f> {
    formulas: &'f mut Formulas,
    assumption: Option<Formula>,
    figures: HashMap<Formula, Figures>,
    frames: Vec<Enclosure>,
    /// What was asked already, and the goal itself, which is known to hold.
    known: HashSet<Formula>,
}

impl SuspectSearch<'_> {
    /// Suspects this occurrence, and says what inside it is to be looked at.
    fn look_at(&mut self, at: ToVisit, is_confirmed: &mut dyn FnMut(&Formulas, &Suspect) -> bool) -> Vec<ToVisit> {
        // That a bound is larger than it need be is no trivial reason, and what it repeats cannot be replaced at one place.
        if self.formulas.bounded(at.formula).is_some() {
            return Vec::new();
        }
        match (self.formulas.node(at.formula), at.negated) {
            (Node::Unary(operator, operand), false) => self.look_at_unary(at, operator, operand, is_confirmed),
            (Node::Binary(operator, left, right), false) => {
                let left_atoms = self.figures[&left].atoms;
                let frame = self.frames.len();
                for is_right in [false, true] {
                    self.frames.push(Enclosure { outer: at.formula, up: at.up, is_right });
                }
                let atoms_before = at.atoms_before.saturating_add(left_atoms);
                let left = ToVisit { formula: left, up: Some(frame), ..at };
                let right = ToVisit { formula: right, up: Some(frame + 1), atoms_before, ..at };
                self.look_at_binary(at, operator, left, right, is_confirmed)
            }
            (Node::Unary(operator, operand), true) => {
                let inner = self.operand(at, operand);
                match operator {
                    Unary::Not => vec![ToVisit { negated: false, ..inner }],
                    Unary::Finally => vec![ToVisit { asked: at.asked.for_ever(), ..inner }],
                    Unary::Next => vec![ToVisit { asked: at.asked.on_condition(), ..inner }],
                    Unary::Globally => Vec::new(),
                }
            }
            (Node::Binary(operator, left, right), true) => {
                let atoms_before = at.atoms_before.saturating_add(self.figures[&left].atoms);
                let [left, right] = [false, true].map(|is_right| {
                    self.frames.push(Enclosure { outer: at.formula, up: at.up, is_right });
                    let up = Some(self.frames.len() - 1);
                    if is_right {
                        ToVisit { formula: right, up, atoms_before, ..at }
                    } else {
                        ToVisit { formula: left, up, ..at }
                    }
                });
                match operator {
                    Binary::Or => vec![left, right],
                    Binary::And => {
                        let whole = self.formulas.unary(Unary::Not, at.formula);
                        for (part, other) in [(left, right), (right, left)] {
                            let suspicion = Suspicion { whole, part, why: Why::Never, asked: at.asked };
                            if self.confirm_replaced(suspicion, other, true, is_confirmed) {
                                break;
                            }
                        }
                        Vec::new()
                    }
                    _ => Vec::new(),
                }
            }
            (Node::True | Node::False | Node::Atom(_), _) => Vec::new(),
        }
    }

    fn look_at_unary(
        &mut self,
        at: ToVisit,
        operator: Unary,
        operand: Formula,
        is_confirmed: &mut dyn FnMut(&Formulas, &Suspect) -> bool,
    ) -> Vec<ToVisit> {
        let inner = self.operand(at, operand);
        match operator {
            Unary::Not => vec![ToVisit { negated: true, ..inner }],
            Unary::Next => vec![ToVisit { asked: at.asked.on_condition(), ..inner }],
            Unary::Globally => vec![ToVisit { asked: at.asked.for_ever(), ..inner }],
            Unary::Finally => {
                if self.confirm_eventuality(at, inner, is_confirmed) {
                    return Vec::new();
                }
                vec![ToVisit { asked: AskedAt::Optionally, ..inner }]
            }
        }
    }

    fn look_at_binary(
        &mut self,
        at: ToVisit,
        operator: Binary,
        left: ToVisit,
        right: ToVisit,
        is_confirmed: &mut dyn FnMut(&Formulas, &Suspect) -> bool,
    ) -> Vec<ToVisit> {
        let suspicion = |part, why| Suspicion { whole: at.formula, part, why, asked: at.asked };
        let optional = |open| ToVisit { asked: AskedAt::Optionally, ..open };
        let conditional = |open| ToVisit { asked: at.asked.on_condition(), ..open };
        match operator {
            Binary::And => vec![left, right],
            Binary::Implies if self.assumption == Some(left.formula) && at.up.is_none() => {
                let suspicion = suspicion(left, Why::NoAssumption);
                let is_trivial = self.confirm_replaced(suspicion, right, false, is_confirmed);
                if is_trivial { Vec::new() } else { vec![right] }
            }
            Binary::Implies => {
                let is_trivial = self.confirm_replaced(suspicion(left, Why::Never), right, false, is_confirmed);
                if is_trivial { Vec::new() } else { vec![conditional(right)] }
            }
            Binary::Or => {
                let guards = [self.guard(left, right), self.guard(right, left)];
                for (guard, other) in guards.into_iter().zip([right, left]) {
                    let Some((part, why)) = guard else { continue };
                    if self.confirm_replaced(suspicion(part, why), other, false, is_confirmed) {
                        return Vec::new();
                    }
                }
                match guards {
                    [None, None] => vec![optional(left), optional(right)],
                    [Some(_), None] => vec![conditional(right)],
                    [None, Some(_)] => vec![conditional(left)],
                    [Some(_), Some(_)] => Vec::new(),
                }
            }
            Binary::WeakUntil | Binary::Release => {
                let (kept, awaited) = if operator == Binary::WeakUntil { (left, right) } else { (right, left) };
                let is_trivial = self.confirm_replaced(suspicion(kept, Why::ForEver), awaited, false, is_confirmed);
                if is_trivial { Vec::new() } else { vec![optional(left), optional(right)] }
            }
            Binary::Until => {
                let is_state = !self.figures[&right.formula].is_temporal;
                let is_awaited = is_state && self.figures[&left.formula].atoms > 0;
                if is_awaited {
                    self.confirm_replaced(suspicion(right, Why::AtOnce), left, false, is_confirmed);
                }
                vec![optional(left), optional(right)]
            }
            Binary::StrongRelease => vec![optional(left), optional(right)],
            // What stands beside such an operator is positive and negative at once.
            Binary::Iff | Binary::Xor => Vec::new(),
        }
    }

    /// Whether a side of a disjunction is a condition for the other side, and what makes it one.
    fn guard(&mut self, side: ToVisit, other: ToVisit) -> Option<(ToVisit, Why)> {
        let is_temporal = |open: ToVisit| self.figures[&open.formula].is_temporal;
        match self.formulas.node(side.formula) {
            Node::Unary(Unary::Not, condition) => Some((ToVisit { formula: condition, ..side }, Why::Never)),
            _ if !is_temporal(side) && is_temporal(other) => Some((side, Why::Always)),
            _ => None,
        }
    }

    fn operand(&mut self, at: ToVisit, operand: Formula) -> ToVisit {
        self.frames.push(Enclosure { outer: at.formula, up: at.up, is_right: false });
        ToVisit { formula: operand, up: Some(self.frames.len() - 1), ..at }
    }

    /// Whether the reason is the one suspected: the goal holds also with a constant in the place of `other`.
    fn confirm_replaced(
        &mut self,
        suspicion: Suspicion,
        other: ToVisit,
        constant: bool,
        is_confirmed: &mut dyn FnMut(&Formulas, &Suspect) -> bool,
    ) -> bool {
        let truth = self.formulas.truth(constant);
        let stronger = self.replaced(other.up, truth);
        self.confirm(suspicion, Some((other.formula, constant)), stronger, is_confirmed)
    }

    /// Whether `F b` holds trivially.
    fn confirm_eventuality(
        &mut self,
        at: ToVisit,
        inner: ToVisit,
        is_confirmed: &mut dyn FnMut(&Formulas, &Suspect) -> bool,
    ) -> bool {
        let suspicion = |part, why| Suspicion { whole: at.formula, part, why, asked: at.asked };
        let state = match self.formulas.node(inner.formula) {
            Node::Unary(Unary::Globally, state) => ToVisit { formula: state, ..inner },
            _ => inner,
        };
        if self.figures[&state.formula].is_temporal || self.figures[&state.formula].atoms == 0 {
            return false;
        }
        if at.asked == AskedAt::AtStart && state.formula == inner.formula {
            let stronger = self.replaced(at.up, state.formula);
            return self.confirm(suspicion(state, Why::AtOnce), None, stronger, is_confirmed);
        }
        let mut always = self.formulas.unary(Unary::Globally, state.formula);
        if let Some(assumption) = self.assumption {
            always = self.formulas.binary(Binary::Implies, assumption, always);
        }
        self.confirm(suspicion(state, Why::Always), None, always, is_confirmed)
    }

    fn confirm(
        &mut self,
        suspicion: Suspicion,
        replaced: Option<(Formula, bool)>,
        stronger: Formula,
        is_confirmed: &mut dyn FnMut(&Formulas, &Suspect) -> bool,
    ) -> bool {
        if !self.known.insert(stronger) {
            return false;
        }
        let Suspicion { whole, part: ToVisit { formula, atoms_before, .. }, why, asked } = suspicion;
        let Figures { atoms, is_temporal } = self.figures[&formula];
        let part = Occurrence { formula, atoms_before, atoms, is_temporal };
        is_confirmed(self.formulas, &Suspect { whole, part, why, asked, replaced, stronger })
    }

    /// The goal with something else in the place that this way leads up from.
    fn replaced(&mut self, up: Option<usize>, by: Formula) -> Formula {
        let (mut changed, mut up) = (by, up);
        while let Some(frame) = up {
            let Enclosure { outer, up: next, is_right } = self.frames[frame];
            changed = match self.formulas.node(outer) {
                Node::Unary(operator, _) => self.formulas.unary(operator, changed),
                Node::Binary(operator, left, _) if is_right => self.formulas.binary(operator, left, changed),
                Node::Binary(operator, _, right) => self.formulas.binary(operator, changed, right),
                Node::True | Node::False | Node::Atom(_) => unreachable!("nothing stands inside an atom"),
            };
            up = next;
        }
        changed
    }
}

/// A suspicion before it is put as a question.
struct Suspicion {
    whole: Formula,
    part: ToVisit,
    why: Why,
    asked: AskedAt,
}

#[cfg(test)]
mod tests {
    use automata::ltl::{AtomId, Letter, evaluate_lasso, parse};
    use foundation::{Id, SourceMap};

    use super::*;

    fn read(text: &str) -> (Formulas, Formula) {
        let (mut sources, mut formulas) = (SourceMap::new(), Formulas::new());
        let source = sources.add("", text);
        let goal = parse(&sources, source, &mut formulas).unwrap();
        (formulas, goal)
    }

    fn suspects(formulas: &mut Formulas, goal: Formula, has_assumptions: bool) -> Vec<Suspect> {
        let mut found = Vec::new();
        each_suspect(formulas, goal, has_assumptions, &mut |_, suspect| {
            found.push(suspect.clone());
            false
        });
        found
    }

    /// Each suspect as `part / stronger formula`.
    fn shown(text: &str) -> Vec<String> {
        let (mut formulas, goal) = read(text);
        let found = suspects(&mut formulas, goal, false);
        let show = |formula| formulas.display(formula).to_string();
        found.iter().map(|suspect| format!("{} / {}", show(suspect.part.formula), show(suspect.stronger))).collect()
    }

    #[test]
    fn the_occurrences_are_those_that_make_sense() {
        for (text, expected) in [
            ("G (a -> F b)", &["a / G (a -> false)", "b / G b"][..]),
            ("G (!a || F b)", &["a / G (!a || false)", "b / G b"]),
            ("G (F b || !a)", &["a / G (false || !a)", "b / G b"]),
            ("G (p || F b)", &["p / G (p || false)", "b / G b"]),
            ("G (p || q)", &[]),
            ("G p", &[]),
            ("G !p", &[]),
            ("G !(a && b)", &["a / G !(a && true)", "b / G !(true && b)"]),
            ("!F (a && b)", &["a / !F (a && true)", "b / !F (true && b)"]),
            ("!b W a", &["!b / !b W false"]),
            ("a R !b", &["!b / false R !b"]),
            ("a U b", &["b / false U b"]),
            ("a U G b", &[]),
            ("true U b", &[]),
            ("F a", &["a / a"]),
            ("F G a", &["a / G a"]),
            ("G F a", &["a / G a"]),
            ("a <-> F b", &[]),
            ("G (a -> false)", &[]),
            ("G (a -> (b -> c))", &["a / G (a -> false)", "b / G (a -> b -> false)"]),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn inside_of_what_is_never_asked_for_nothing_is_suspected() {
        let (mut formulas, goal) = read("G (a -> (b -> F c)) && G (c -> F a)");
        let mut asked = Vec::new();
        each_suspect(&mut formulas, goal, false, &mut |formulas, suspect| {
            asked.push(formulas.display(suspect.part.formula).to_string());
            asked.len() == 1
        });
        assert_eq!(asked, ["a", "c", "a"]);
    }

    #[test]
    fn parts_know_how_many_atoms_stand_before_them() {
        let (mut formulas, goal) = read("(a W b) && G (c && d -> F e)");
        let found = suspects(&mut formulas, goal, false);
        let places: Vec<_> = found.iter().map(|suspect| (suspect.part.atoms_before, suspect.part.atoms)).collect();
        assert_eq!(places, [(0, 1), (2, 2), (4, 1)]);
    }

    #[test]
    fn assumptions_are_told_from_conditions() {
        let (mut formulas, goal) = read("G F a -> G (b -> F c)");
        let whys = |found: Vec<Suspect>| found.iter().map(|suspect| (suspect.why, suspect.asked)).collect::<Vec<_>>();
        let with = whys(suspects(&mut formulas, goal, true));
        let (start, everywhere, conditionally) = (AskedAt::AtStart, AskedAt::Everywhere, AskedAt::Conditionally);
        assert_eq!(with, [(Why::NoAssumption, start), (Why::Never, everywhere), (Why::Always, conditionally)]);
        let without = whys(suspects(&mut formulas, goal, false));
        assert_eq!(without[..2], [(Why::Never, start), (Why::Never, conditionally)]);
    }

    /// Every formula of this size over two atoms.
    fn formulas_of_size(formulas: &mut Formulas, size: usize) -> Vec<Formula> {
        let a = formulas.atom(automata::ltl::Atom::named("a"));
        let b = formulas.atom(automata::ltl::Atom::named("b"));
        let mut by_size: Vec<Vec<Formula>> = vec![Vec::new(), vec![a, b]];
        for size in 2..=size {
            let mut made = Vec::new();
            for operator in Unary::ALL {
                made.extend(by_size[size - 1].clone().into_iter().map(|operand| formulas.unary(operator, operand)));
            }
            for left_size in 1..size - 1 {
                for left in by_size[left_size].clone() {
                    for right in by_size[size - 1 - left_size].clone() {
                        made.extend(Binary::ALL.map(|operator| formulas.binary(operator, left, right)));
                    }
                }
            }
            by_size.push(made);
        }
        by_size.concat()
    }

    /// A formula with a constant in some place is as strong as the goal at least, on every small lasso: where it holds,
    /// the goal does.
    #[test]
    fn what_is_asked_is_stronger_than_the_goal() {
        let letter =
            |bits: usize| -> Letter { (0..2).filter(|atom| bits >> atom & 1 == 1).map(AtomId::from_index).collect() };
        let mut words: Vec<(Vec<Letter>, Vec<Letter>)> = Vec::new();
        for code in 0..64usize {
            let letters: Vec<Letter> = (0..3).map(|at| letter(code >> (2 * at) & 3)).collect();
            words.extend((0..3).map(|start| (letters[..start].to_vec(), letters[start..].to_vec())));
        }
        let mut formulas = Formulas::new();
        let all = formulas_of_size(&mut formulas, 4);
        let (mut asked, mut strictly) = (0, 0);
        for goal in all {
            let found = suspects(&mut formulas, goal, false);
            for suspect in found.iter().filter(|suspect| suspect.why != Why::Always || suspect.replaced.is_some()) {
                asked += 1;
                let mut differs = false;
                for (stem, cycle) in &words {
                    let holds = evaluate_lasso(&formulas, goal, stem, cycle);
                    let stronger = evaluate_lasso(&formulas, suspect.stronger, stem, cycle);
                    let text = || formulas.display(goal).to_string();
                    assert!(holds || !stronger, "{} {suspect:?}", text());
                    differs |= holds != stronger;
                }
                strictly += usize::from(differs);
            }
        }
        assert!(asked > 200 && strictly * 2 > asked, "{asked} {strictly}");
    }
}
