//! The definition of LTL on lasso words: a finite stem, then a loop for ever.
//!
//! A lasso word has finitely many different positions, and the truth of a formula at a position is determined by the
//! truth of its operands at this position and those reachable from it (Baier and Katoen, *Principles of Model
//! Checking*, section 5.1). The table is filled for one subformula after the other. No automaton is involved.

use super::formula::{Binary, Formula, Formulas, Node, Unary};
use super::word::Letter;

/// Whether the word `stem · loop^ω` satisfies the formula. The loop must not be empty.
pub fn evaluate_lasso(formulas: &Formulas, formula: Formula, stem: &[Letter], repeated: &[Letter]) -> bool {
    truth_table(formulas, formula, stem, repeated).holds(formula, 0)
}

/// The truth of every subformula at every position of a lasso word.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TruthTable {
    subformulas: Vec<Formula>,
    rows: Vec<Vec<bool>>,
    stem_length: usize,
    loop_length: usize,
}

impl TruthTable {
    /// The subformulas that have a row, children before parents.
    pub fn subformulas(&self) -> &[Formula] {
        &self.subformulas
    }

    /// The truth of a subformula at the positions of the stem and then those of the loop.
    pub fn row(&self, subformula: Formula) -> &[bool] {
        let index = self.subformulas.binary_search(&subformula).expect("only subformulas have rows");
        &self.rows[index]
    }

    /// Whether a subformula holds at a position of the infinite word.
    pub fn holds(&self, subformula: Formula, position: usize) -> bool {
        let beyond = position.saturating_sub(self.stem_length) % self.loop_length;
        self.row(subformula)[position.min(self.stem_length) + beyond]
    }
}

/// Evaluates a formula and everything below it at every position of the word `stem · loop^ω`. The loop must not be
/// empty.
pub fn truth_table(formulas: &Formulas, formula: Formula, stem: &[Letter], repeated: &[Letter]) -> TruthTable {
    assert!(!repeated.is_empty(), "the loop of a lasso has at least one letter");
    let letters: Vec<&Letter> = stem.iter().chain(repeated).collect();
    let (loop_start, length) = (stem.len(), letters.len());
    let mut table = TruthTable {
        subformulas: formulas.subformulas(formula),
        rows: Vec::new(),
        stem_length: stem.len(),
        loop_length: repeated.len(),
    };
    for index in 0..table.subformulas.len() {
        let node = formulas.node(table.subformulas[index]);
        let each = |value: &dyn Fn(usize) -> bool| (0..length).map(value).collect::<Vec<bool>>();
        let row = match node {
            Node::True => vec![true; length],
            Node::False => vec![false; length],
            Node::Atom(atom) => each(&|at| letters[at].contains(atom)),
            Node::Unary(operator, operand) => {
                let f = table.row(operand);
                match operator {
                    Unary::Not => each(&|at| !f[at]),
                    Unary::Next => each(&|at| f[if at + 1 < length { at + 1 } else { loop_start }]),
                    Unary::Finally => least(length, loop_start, |at, later| f[at] || later),
                    Unary::Globally => greatest(length, loop_start, |at, later| f[at] && later),
                }
            }
            Node::Binary(operator, left, right) => {
                let (f, g) = (table.row(left), table.row(right));
                match operator {
                    Binary::And => each(&|at| f[at] && g[at]),
                    Binary::Or => each(&|at| f[at] || g[at]),
                    Binary::Implies => each(&|at| !f[at] || g[at]),
                    Binary::Iff => each(&|at| f[at] == g[at]),
                    Binary::Xor => each(&|at| f[at] != g[at]),
                    Binary::Until => least(length, loop_start, |at, later| g[at] || (f[at] && later)),
                    Binary::WeakUntil => greatest(length, loop_start, |at, later| g[at] || (f[at] && later)),
                    Binary::Release => greatest(length, loop_start, |at, later| g[at] && (f[at] || later)),
                    Binary::StrongRelease => least(length, loop_start, |at, later| g[at] && (f[at] || later)),
                }
            }
        };
        table.rows.push(row);
    }
    table
}

/// The least solution of `row[i] = step(i, row[i + 1])`, where the loop's start follows its end.
fn least(length: usize, loop_start: usize, step: impl Fn(usize, bool) -> bool) -> Vec<bool> {
    solve(length, loop_start, false, step)
}

/// The greatest solution of the same equations.
fn greatest(length: usize, loop_start: usize, step: impl Fn(usize, bool) -> bool) -> Vec<bool> {
    solve(length, loop_start, true, step)
}

/// Two passes from the end to the start. In the first, what follows the loop's end is taken to be `extreme`; that is
/// exact at the loop's start, since a reason found only after going round would be found again in front of it. The
/// second pass starts from there and is exact everywhere.
fn solve(length: usize, loop_start: usize, extreme: bool, step: impl Fn(usize, bool) -> bool) -> Vec<bool> {
    let mut row = vec![extreme; length];
    let mut later = extreme;
    for _ in 0..2 {
        for at in (0..length).rev() {
            row[at] = step(at, later);
            later = row[at];
        }
        later = row[loop_start];
    }
    row
}
