//! The canonical text of a formula: letters for temporal operators, as few parentheses as the precedences of
//! [`parse`](mod@super::parse) allow, one space around binary operators and after letters: `G ("p" -> F "q")`. What bounds
//! abbreviate is written with bounds: `F[0:3] p`, and `X[4] p` from four times on. Every part is then written about as often
//! as somebody wrote it, however bounds are nested.

use std::fmt;

use super::bounds::{LARGEST_BOUND, chain};
use super::formula::{Binary, Formula, Formulas, Node, Unary};

/// A formula to be written out.
#[derive(Clone, Copy, Debug)]
pub struct PrintedFormula<'a> {
    formulas: &'a Formulas,
    formula: Formula,
}

impl<'a> PrintedFormula<'a> {
    pub(super) fn new(formulas: &'a Formulas, formula: Formula) -> Self {
        Self { formulas, formula }
    }
}

impl Unary {
    /// The operator as the canonical text writes it.
    pub fn symbol(self) -> &'static str {
        match self {
            Unary::Not => "!",
            Unary::Next => "X",
            Unary::Finally => "F",
            Unary::Globally => "G",
        }
    }
}

impl Binary {
    /// The operator as the canonical text writes it.
    pub fn symbol(self) -> &'static str {
        match self {
            Binary::And => "&&",
            Binary::Or => "||",
            Binary::Implies => "->",
            Binary::Iff => "<->",
            Binary::Xor => "xor",
            Binary::Until => "U",
            Binary::WeakUntil => "W",
            Binary::Release => "R",
            Binary::StrongRelease => "M",
        }
    }

    /// How tightly the operator binds, as in Spot's grammar: operators of a higher level bind their operands first.
    pub fn level(self) -> u8 {
        match self {
            Binary::Implies | Binary::Iff => 1,
            Binary::Or => 2,
            Binary::Xor => 3,
            Binary::And => 4,
            Binary::Until | Binary::WeakUntil | Binary::Release | Binary::StrongRelease => 5,
        }
    }

    /// Whether `a ∘ b ∘ c` is `a ∘ (b ∘ c)`. It is the same for all operators of a level.
    pub fn is_right_associative(self) -> bool {
        matches!(self.level(), 1 | 5)
    }
}

/// Unary operators bind more tightly than all binary ones.
const UNARY_LEVEL: u8 = 6;

enum FormulaPiece {
    Text(&'static str),
    /// A formula, in parentheses if its operator binds less tightly than this level.
    Formula(Formula, u8),
}

impl fmt::Display for PrintedFormula<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // What remains to be written, the next piece last.
        let mut rest = vec![FormulaPiece::Formula(self.formula, 0)];
        while let Some(piece) = rest.pop() {
            let (formula, least_level) = match piece {
                FormulaPiece::Text(text) => {
                    f.write_str(text)?;
                    continue;
                }
                FormulaPiece::Formula(formula, least_level) => (formula, least_level),
            };
            if let Some(operand) = write_bounds(f, self.formulas, formula)? {
                rest.push(FormulaPiece::Formula(operand, UNARY_LEVEL));
                continue;
            }
            match self.formulas.node(formula) {
                Node::True => f.write_str("true")?,
                Node::False => f.write_str("false")?,
                Node::Atom(atom) => self.formulas.atoms().get(atom).fmt(f)?,
                Node::Unary(operator, operand) => {
                    f.write_str(operator.symbol())?;
                    if operator != Unary::Not {
                        f.write_str(" ")?;
                    }
                    rest.push(FormulaPiece::Formula(operand, UNARY_LEVEL));
                }
                Node::Binary(operator, left, right) => {
                    let level = operator.level();
                    let (left_level, right_level) =
                        if operator.is_right_associative() { (level + 1, level) } else { (level, level + 1) };
                    if level < least_level {
                        f.write_str("(")?;
                        rest.push(FormulaPiece::Text(")"));
                    }
                    rest.push(FormulaPiece::Formula(right, right_level));
                    rest.extend([" ", operator.symbol(), " "].map(FormulaPiece::Text));
                    rest.push(FormulaPiece::Formula(left, left_level));
                }
            }
        }
        Ok(())
    }
}

/// The least number of operators `X` in a row that is written as a number.
const FEWEST_COUNTED: u32 = 4;

/// Writes the operators in front of a formula that are shorter with bounds, and returns what they stand before.
fn write_bounds(
    f: &mut fmt::Formatter<'_>,
    formulas: &Formulas,
    formula: Formula,
) -> Result<Option<Formula>, fmt::Error> {
    let mut delay = 0;
    let mut inner = formula;
    while let Node::Unary(Unary::Next, operand) = formulas.node(inner)
        && delay < LARGEST_BOUND
    {
        delay += 1;
        inner = operand;
    }
    let bounded = chain(formulas, inner).filter(|(_, length, _)| delay + length <= LARGEST_BOUND);
    if let Some((operator, length, operand)) = bounded {
        write!(f, "{}[{delay}:{}] ", operator.symbol(), delay + length)?;
        return Ok(Some(operand));
    }
    match delay {
        0 => return Ok(None),
        FEWEST_COUNTED.. => write!(f, "X[{delay}] ")?,
        _ => (0..delay).try_for_each(|_| f.write_str("X "))?,
    }
    Ok(Some(inner))
}
