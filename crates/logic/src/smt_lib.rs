//! Terms for solvers: SMT-LIB 2.6, <https://smt-lib.org>.
//!
//! Every symbol is declared with a `$` before its name, so that no variable of a program can be mistaken for a function
//! of a theory. Subterms that occur more than once in a large term are bound by `let`.

use std::collections::BTreeSet;
use std::fmt::Write;

use foundation::collections::HashMap;
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use crate::{Linear, Node, Symbol, Term, Terms};

/// Terms that are no larger than this when written out are written out.
const SMALL_TERM_NODES: u64 = 500;

impl Terms {
    /// A term as SMT-LIB has it.
    pub fn smt_lib(&self, term: Term) -> String {
        self.smt_lib_with(term, &|symbol| self.smt_lib_name(symbol))
    }

    /// The same with symbols called by other names, which are words of SMT-LIB.
    pub fn smt_lib_with(&self, term: Term, symbol: &dyn Fn(Symbol) -> String) -> String {
        let order = self.subterms(&[term]);
        let mut names: HashMap<Term, String> = HashMap::default();
        let mut text = String::new();
        let mut closing = 0;
        for shared in self.shared(&order, term) {
            let name = format!("?{}", names.len());
            let _ = write!(text, "(let (({name} ");
            self.write_smt_lib(&mut text, shared, &names, symbol);
            text.push_str(")) ");
            closing += 1;
            names.insert(shared, name);
        }
        self.write_smt_lib(&mut text, term, &names, symbol);
        text.extend(std::iter::repeat_n(')', closing));
        text
    }

    /// Declarations of the symbols of a term, a line each.
    pub fn declarations(&self, term: Term) -> String {
        self.declarations_of(&self.symbols(term))
    }

    /// Declarations of some symbols, a line each.
    pub fn declarations_of(&self, symbols: &BTreeSet<Symbol>) -> String {
        let mut text = String::new();
        for symbol in symbols {
            let _ = writeln!(text, "(declare-const {} {})", self.smt_lib_name(*symbol), self.sort_of_symbol(*symbol));
        }
        text
    }

    /// The name of a symbol in SMT-LIB, between bars where it needs them.
    pub fn smt_lib_name(&self, symbol: Symbol) -> String {
        let name = self.unique_name(symbol);
        let is_simple = |c: char| c.is_ascii_alphanumeric() || "~!@$%^&*_-+=<>.?/".contains(c);
        if name.chars().all(is_simple) { format!("${name}") } else { format!("|${name}|") }
    }

    /// The subterms to be bound by `let`, parts first.
    fn shared(&self, order: &[Term], root: Term) -> Vec<Term> {
        let mut sizes: HashMap<Term, u64> = HashMap::default();
        let mut uses: HashMap<Term, u32> = HashMap::default();
        for &term in order {
            let children = self.children(term);
            let size = children.iter().fold(1u64, |size, child| size.saturating_add(sizes[child]));
            sizes.insert(term, size);
            for child in children {
                *uses.entry(child).or_default() += 1;
            }
        }
        if sizes[&root] <= SMALL_TERM_NODES {
            return Vec::new();
        }
        let is_shared = |term: &Term| uses.get(term).is_some_and(|uses| *uses > 1) && sizes[term] > 1;
        order.iter().copied().filter(is_shared).collect()
    }

    /// Writes a term without recursion, terms that have a name by their name.
    fn write_smt_lib(
        &self,
        text: &mut String,
        term: Term,
        names: &HashMap<Term, String>,
        symbol: &dyn Fn(Symbol) -> String,
    ) {
        let mut open = vec![Chunk::Term(term)];
        while let Some(piece) = open.pop() {
            match piece {
                Chunk::Text(piece) => text.push_str(&piece),
                Chunk::Term(term) => match names.get(&term) {
                    Some(name) => text.push_str(name),
                    None => {
                        let mut pieces = self.pieces(term, symbol);
                        pieces.reverse();
                        open.extend(pieces);
                    }
                },
            }
        }
    }

    fn pieces(&self, term: Term, name: &dyn Fn(Symbol) -> String) -> Vec<Chunk> {
        let atom = |text: String| vec![Chunk::Text(text)];
        match self.node(term) {
            Node::Truth(value) => atom(value.to_string()),
            Node::Variable(symbol) => atom(name(symbol)),
            Node::Integer(value) => atom(numeral(&value)),
            Node::BitVector { width, value } => atom(format!("(_ bv{value} {width})")),
            Node::Not(a) => application("not", &[a]),
            Node::And(list) => application("and", &list),
            Node::Or(list) => application("or", &list),
            Node::Ite(a, b, c) => application("ite", &[a, b, c]),
            Node::Equal(a, b) => application("=", &[a, b]),
            Node::Linear(linear) => sum(&linear),
            Node::AtMostZero(linear) => compared("<=", &linear),
            Node::Zero(linear) => compared("=", &linear),
            Node::Multiply(a, b) => application("*", &[a, b]),
            Node::Div(a, b) => application("div", &[a, b]),
            Node::Modulo(a, b) => application("mod", &[a, b]),
            Node::Select(a, b) => application("select", &[a, b]),
            Node::Store(a, b, c) => application("store", &[a, b, c]),
            Node::Bits(operation, list) => application(operation.smt_lib(), &list),
            Node::IntToBits(width, a) => application(&format!("(_ int2bv {width})"), &[a]),
            Node::BitsToInt(a) => application("bv2nat", &[a]),
        }
    }
}

enum Chunk {
    Text(String),
    Term(Term),
}

fn application(function: &str, operands: &[Term]) -> Vec<Chunk> {
    let mut pieces = vec![Chunk::Text(format!("({function}"))];
    for operand in operands {
        pieces.push(Chunk::Text(" ".to_owned()));
        pieces.push(Chunk::Term(*operand));
    }
    pieces.push(Chunk::Text(")".to_owned()));
    pieces
}

/// `Σ … <= -constant`.
fn compared(operator: &str, linear: &Linear) -> Vec<Chunk> {
    let mut pieces = vec![Chunk::Text(format!("({operator} "))];
    pieces.extend(sum(&Linear { terms: linear.terms.clone(), constant: BigInt::zero() }));
    pieces.push(Chunk::Text(format!(" {})", numeral(&-&linear.constant))));
    pieces
}

fn sum(linear: &Linear) -> Vec<Chunk> {
    let mut summands: Vec<Vec<Chunk>> = Vec::new();
    for (coefficient, term) in &linear.terms {
        summands.push(if coefficient.is_one() {
            vec![Chunk::Term(*term)]
        } else {
            let start = Chunk::Text(format!("(* {} ", numeral(coefficient)));
            vec![start, Chunk::Term(*term), Chunk::Text(")".to_owned())]
        });
    }
    if !linear.constant.is_zero() {
        summands.push(vec![Chunk::Text(numeral(&linear.constant))]);
    }
    if summands.len() == 1 {
        return summands.remove(0);
    }
    let mut pieces = vec![Chunk::Text("(+".to_owned())];
    for summand in summands {
        pieces.push(Chunk::Text(" ".to_owned()));
        pieces.extend(summand);
    }
    pieces.push(Chunk::Text(")".to_owned()));
    pieces
}

fn numeral(value: &BigInt) -> String {
    if value.is_negative() { format!("(- {})", value.abs()) } else { value.to_string() }
}
