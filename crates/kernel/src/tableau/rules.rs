//! The rules of the tableau: what a formula, or its negation, asks of this position and of the next.
//!
//! Every operator of [`automata::ltl`] has its own two lines here, read off its definition; nothing is rewritten into
//! other operators. In the table, `+ f` says that `f` holds and `- f` that it does not, `|` separates alternatives, `,`
//! joins what one alternative asks, `X` marks what is asked of the next position, and `…` stands for the signed formula
//! itself. An alternative with `!` *puts off* what the formula says must happen some time; a run may not do so for ever.
//!
//! | formula | holds | does not hold |
//! | --- | --- | --- |
//! | `true` | (nothing) | no alternative |
//! | `false` | no alternative | (nothing) |
//! | `! f` | `- f` | `+ f` |
//! | `X f` | `X + f` | `X - f` |
//! | `F f` | `+ f` \| `X … !` | `- f, X …` |
//! | `G f` | `+ f, X …` | `- f` \| `X … !` |
//! | `f && g` | `+ f, + g` | `- f` \| `- g` |
//! | `f \|\| g` | `+ f` \| `+ g` | `- f, - g` |
//! | `f -> g` | `- f` \| `+ g` | `+ f, - g` |
//! | `f <-> g` | `+ f, + g` \| `- f, - g` | `+ f, - g` \| `- f, + g` |
//! | `f xor g` | `+ f, - g` \| `- f, + g` | `+ f, + g` \| `- f, - g` |
//! | `f U g` | `+ g` \| `+ f, X … !` | `- g, - f` \| `- g, X …` |
//! | `f W g` | `+ g` \| `+ f, X …` | `- g, - f` \| `- g, X … !` |
//! | `f R g` | `+ g, + f` \| `+ g, X …` | `- g` \| `- f, X … !` |
//! | `f M g` | `+ g, + f` \| `+ g, X … !` | `- g` \| `- f, X …` |
//!
//! In the temporal rows the alternatives are `h ≡ now(h) or (step(h) and X h)`: the law of expansion. It has a least and a
//! greatest solution; `!` stands where the definition takes the least one.

use automata::ltl::{AtomId, Binary, Formula, Formulas, Node, Unary};

/// A formula that holds, or one that does not.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Signed {
    /// The formula.
    pub formula: Formula,
    /// Whether it holds.
    pub holds: bool,
}

impl Signed {
    /// The formula holds.
    pub fn holds(formula: Formula) -> Self {
        Self { formula, holds: true }
    }

    /// The formula does not hold.
    pub fn fails(formula: Formula) -> Self {
        Self { formula, holds: false }
    }
}

/// What a signed formula asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TableauRule {
    /// That the atom has this value at this position.
    Literal(AtomId, bool),
    /// One of these.
    OneOf(Vec<Alternative>),
}

/// One way to satisfy a signed formula at a position.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Alternative {
    /// What is asked of this position.
    pub now: Vec<Signed>,
    /// What is asked of the next position.
    pub next: Option<Signed>,
    /// Whether what must happen some time is put off.
    pub puts_off: bool,
}

/// The rule for a signed formula: the table above.
pub fn rule(formulas: &Formulas, signed: Signed) -> TableauRule {
    let now = |now: &[Signed]| Alternative { now: now.to_vec(), next: None, puts_off: false };
    let again = |now: &[Signed]| Alternative { now: now.to_vec(), next: Some(signed), puts_off: false };
    let put_off = |now: &[Signed]| Alternative { now: now.to_vec(), next: Some(signed), puts_off: true };
    let yes = Signed::holds;
    let no = Signed::fails;
    TableauRule::OneOf(match (formulas.node(signed.formula), signed.holds) {
        (Node::Atom(atom), value) => return TableauRule::Literal(atom, value),
        (Node::True, true) | (Node::False, false) => vec![now(&[])],
        (Node::True, false) | (Node::False, true) => vec![],
        (Node::Unary(operator, f), holds) => match (operator, holds) {
            (Unary::Not, true) => vec![now(&[no(f)])],
            (Unary::Not, false) => vec![now(&[yes(f)])],
            (Unary::Next, true) => vec![Alternative { next: Some(yes(f)), ..Alternative::default() }],
            (Unary::Next, false) => vec![Alternative { next: Some(no(f)), ..Alternative::default() }],
            (Unary::Finally, true) => vec![now(&[yes(f)]), put_off(&[])],
            (Unary::Finally, false) => vec![again(&[no(f)])],
            (Unary::Globally, true) => vec![again(&[yes(f)])],
            (Unary::Globally, false) => vec![now(&[no(f)]), put_off(&[])],
        },
        (Node::Binary(operator, f, g), holds) => match (operator, holds) {
            (Binary::And, true) => vec![now(&[yes(f), yes(g)])],
            (Binary::And, false) => vec![now(&[no(f)]), now(&[no(g)])],
            (Binary::Or, true) => vec![now(&[yes(f)]), now(&[yes(g)])],
            (Binary::Or, false) => vec![now(&[no(f), no(g)])],
            (Binary::Implies, true) => vec![now(&[no(f)]), now(&[yes(g)])],
            (Binary::Implies, false) => vec![now(&[yes(f), no(g)])],
            (Binary::Iff, true) | (Binary::Xor, false) => vec![now(&[yes(f), yes(g)]), now(&[no(f), no(g)])],
            (Binary::Iff, false) | (Binary::Xor, true) => vec![now(&[yes(f), no(g)]), now(&[no(f), yes(g)])],
            (Binary::Until, true) => vec![now(&[yes(g)]), put_off(&[yes(f)])],
            (Binary::Until, false) => vec![now(&[no(g), no(f)]), again(&[no(g)])],
            (Binary::WeakUntil, true) => vec![now(&[yes(g)]), again(&[yes(f)])],
            (Binary::WeakUntil, false) => vec![now(&[no(g), no(f)]), put_off(&[no(g)])],
            (Binary::Release, true) => vec![now(&[yes(g), yes(f)]), again(&[yes(g)])],
            (Binary::Release, false) => vec![now(&[no(g)]), put_off(&[no(f)])],
            (Binary::StrongRelease, true) => vec![now(&[yes(g), yes(f)]), put_off(&[yes(g)])],
            (Binary::StrongRelease, false) => vec![now(&[no(g)]), again(&[no(f)])],
        },
    })
}
