//! Terms outside of any arena, so that they can be kept when the arena is gone, read by other threads, and made again in
//! another arena.
//!
//! Symbols are told apart by the names under which they are shown ([`Terms::unique_name`]). An arena whose symbols were
//! declared in the same order has the same names; in any other a name may stand for something else. So what is claimed of a
//! detached term must hold whatever its symbols stand for (that it has no model), or be shown again where it is made.

use foundation::Id;
use foundation::collections::HashMap;

use crate::{Node, Sort, Symbol, Term, Terms};

/// Some terms, with all their parts.
#[derive(Clone, Default, Debug)]
pub struct Detached {
    /// Parts before what they are part of, by their ids in the arena that they come from.
    parts: Vec<(Term, Node)>,
    /// The names and sorts of the symbols.
    symbols: HashMap<Symbol, (String, Sort)>,
    roots: Vec<Term>,
}

impl Terms {
    /// Some terms outside of this arena.
    pub fn detach(&self, roots: &[Term]) -> Detached {
        let mut detached = Detached { roots: roots.to_vec(), ..Detached::default() };
        for term in self.subterms(roots) {
            let node = self.node(term);
            if let Node::Variable(symbol) = node {
                detached.symbols.insert(symbol, (self.unique_name(symbol), self.sort_of_symbol(symbol)));
            }
            detached.parts.push((term, node));
        }
        detached
    }

    /// The symbols by the names under which they are shown.
    pub fn symbols_by_name(&self) -> HashMap<String, Symbol> {
        (0..self.symbol_count()).map(Symbol::from_index).map(|symbol| (self.unique_name(symbol), symbol)).collect()
    }

    /// The terms in this arena, each where all of its symbols have a name among these, with the same sort.
    pub fn attach(&self, detached: &Detached, names: &HashMap<String, Symbol>) -> Vec<Option<Term>> {
        let mut known: HashMap<Term, Term> = HashMap::default();
        for (part, node) in &detached.parts {
            let made = match node {
                Node::Variable(symbol) => {
                    let (name, sort) = &detached.symbols[symbol];
                    let own = names.get(name).filter(|own| self.sort_of_symbol(**own) == *sort);
                    own.map(|own| self.variable(*own))
                }
                node if node.children().iter().all(|child| known.contains_key(child)) => {
                    Some(self.build(node.clone(), |child| known[&child]))
                }
                _ => None,
            };
            made.map(|made| known.insert(*part, made));
        }
        detached.roots.iter().map(|root| known.get(root).copied()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An arena with these symbols.
    fn arena(names: &[&str]) -> (Terms, Vec<Term>) {
        let terms = Terms::new();
        let variables = names.iter().map(|name| terms.fresh(name, Sort::Int)).collect();
        (terms, variables)
    }

    #[test]
    fn terms_are_the_same_in_another_arena() {
        let (terms, variables) = arena(&["x", "y", "x"]);
        let [x, y, other] = variables[..] else { panic!() };
        let [two, seven] = [2, 7].map(|number| terms.integer(number));
        let sum = terms.add([terms.multiply(two, x), y]);
        let array = terms.fresh("a", Sort::array(Sort::Int, Sort::Int));
        let roots = [
            terms.less_equal(sum, seven),
            terms.not(terms.equal(x, other)),
            terms.or([terms.less(x, y), terms.equal(terms.select(array, x), terms.modulo(y, seven))]),
            terms.ite(terms.less(x, y), terms.div(x, two), terms.multiply(x, y)),
            terms.int_to_bits(8, sum),
        ];
        let detached = terms.detach(&roots);
        // The same symbols in the same order, and terms in another one.
        let (again, variables) = arena(&["x", "y", "x"]);
        again.less(variables[2], variables[1]);
        again.fresh("a", Sort::array(Sort::Int, Sort::Int));
        let attached = again.attach(&detached, &again.symbols_by_name());
        for (&root, attached) in roots.iter().zip(attached) {
            assert_eq!(terms.display(root), again.display(attached.unwrap()));
        }
        let own = terms.attach(&detached, &terms.symbols_by_name());
        assert!(own.iter().zip(roots).all(|(own, root)| *own == Some(root)));
    }

    #[test]
    fn a_term_whose_symbols_are_not_there_is_left_out() {
        let (terms, variables) = arena(&["x", "y"]);
        let detached = terms.detach(&[terms.less(variables[0], variables[1]), variables[0], terms.truth(true)]);
        let (other, own) = arena(&["x"]);
        let truth = other.truth(true);
        assert_eq!(other.attach(&detached, &other.symbols_by_name()), [None, Some(own[0]), Some(truth)]);
        let sorted = Terms::new();
        sorted.symbol("x", Sort::Bool);
        let attached = sorted.attach(&detached, &sorted.symbols_by_name());
        assert_eq!(attached, [None, None, Some(sorted.truth(true))], "a symbol has its sort");
    }
}
