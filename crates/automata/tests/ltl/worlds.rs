//! Small worlds to be exhausted: all formulas over two atoms up to a size, and all lasso words up to a length.

use foundation::SourceMap;
use semper_automata::ltl::{Atom, AtomId, Binary, Formula, Formulas, Letter, Unary};

/// Reads a formula that must be accepted.
pub fn read(formulas: &mut Formulas, text: &str) -> Formula {
    let mut sources = SourceMap::new();
    let source = sources.add("test", text);
    match semper_automata::ltl::parse(&sources, source, formulas) {
        Ok(formula) => formula,
        Err(diagnostics) => panic!("`{text}` is refused: {diagnostics:?}"),
    }
}

pub struct World {
    pub formulas: Formulas,
    /// All formulas over `a` and `b` by the number of their nodes; the first entry is empty.
    pub by_size: Vec<Vec<Formula>>,
    pub atoms: [AtomId; 2],
}

impl World {
    pub fn new(largest: usize) -> World {
        let mut formulas = Formulas::new();
        let [a, b] = ["a", "b"].map(|name| formulas.atom(Atom::named(name)));
        let mut by_size = vec![vec![], vec![a, b, formulas.truth(true), formulas.truth(false)]];
        for size in 2..=largest {
            let mut new = Vec::new();
            for &operand in &by_size[size - 1] {
                new.extend(Unary::ALL.map(|operator| formulas.unary(operator, operand)));
            }
            for left_size in 1..size - 1 {
                for &left in &by_size[left_size] {
                    for &right in &by_size[size - 1 - left_size] {
                        new.extend(Binary::ALL.map(|operator| formulas.binary(operator, left, right)));
                    }
                }
            }
            by_size.push(new);
        }
        let atoms = ["a", "b"].map(|name| formulas.atoms().find(&Atom::named(name)).unwrap());
        World { formulas, by_size, atoms }
    }

    pub fn all(&self) -> impl Iterator<Item = Formula> + '_ {
        self.by_size.iter().flatten().copied()
    }

    /// The four letters over the two atoms.
    pub fn letters(&self) -> Vec<Letter> {
        let letter = |bits: usize| (0..2).filter(|bit| bits >> bit & 1 == 1).map(|bit| self.atoms[bit]).collect();
        (0..4).map(letter).collect()
    }

    /// All words of exactly this length.
    pub fn words(&self, length: usize) -> Vec<Vec<Letter>> {
        let mut words = vec![vec![]];
        for _ in 0..length {
            let longer = |word: &Vec<Letter>| {
                self.letters()
                    .into_iter()
                    .map(|letter| word.iter().cloned().chain([letter]).collect())
                    .collect::<Vec<_>>()
            };
            words = words.iter().flat_map(longer).collect();
        }
        words
    }

    /// All lasso words, as stem and loop, with at most this many letters in both together.
    pub fn lassos(&self, most: usize) -> Vec<(Vec<Letter>, Vec<Letter>)> {
        let mut lassos = Vec::new();
        for length in 1..=most {
            for word in self.words(length) {
                lassos.extend((0..length).map(|stem| (word[..stem].to_vec(), word[stem..].to_vec())));
            }
        }
        lassos
    }
}
