//! From letters, lassos and modules to what a [`Watch`](task::watch::Watch) is shown.

use std::collections::BTreeSet;
use std::fmt::Write;

use automata::buchi::Automaton;
use foundation::Id;
use foundation::collections::HashMap;
use logic::{Symbol, Term, Terms};
use program::print::op_text;
use program::{Op, Program};

use super::hoare::Triples;
use super::letter::{LetterId, Letters, TakenEdge};
use super::module::{ExploredModule, Refuted};
use crate::encode::{Exit, Transition};
use task::watch::{CandidateLasso, Picture, PictureBlock, PictureEdge, PictureNode, Statement};

/// Shows the letters of a Büchi program.
pub struct Show<'a, 't> {
    /// The terms.
    pub terms: &'t Terms,
    /// The program of whose edges the letters are made.
    pub program: &'a Program,
    /// The letters.
    pub letters: &'a Letters,
    /// What is known of single variables.
    pub triples: &'a Triples<'t>,
}

impl Show<'_, '_> {
    /// The Büchi program.
    pub fn product(&self, graph: &Automaton<LetterId>) -> Picture {
        let initial: BTreeSet<usize> = graph.initial().iter().map(|state| state.index()).collect();
        let node = |index: usize| PictureNode {
            lines: vec![index.to_string()],
            is_initial: initial.contains(&index),
            is_accepting: false,
        };
        let edges = graph.edges().map(|edge| PictureEdge {
            from: edge.from.index(),
            to: edge.to.index(),
            block: self.block(edge.label, initial.contains(&edge.from.index())),
            marks: edge.marks.iter().collect(),
        });
        Picture { nodes: (0..graph.state_count()).map(node).collect(), edges: edges.collect() }
    }

    /// A module, as far as it was computed.
    pub fn module(&self, module: &Refuted<'_>) -> Picture {
        let ExploredModule { states, transitions } = module.explored(self.terms);
        let nodes = states.iter().map(|state| PictureNode {
            lines: [state.role.to_owned()].into_iter().chain(self.conjuncts(state.condition)).collect(),
            is_initial: state.is_initial,
            is_accepting: state.is_accepting,
        });
        let edges = transitions.iter().map(|&(from, step, to)| {
            let effect = self.effect(&self.letters.step_numbered(step));
            PictureEdge { from, to, block: PictureBlock { statements: Vec::new(), effect }, marks: Vec::new() }
        });
        Picture { nodes: nodes.collect(), edges: edges.collect() }
    }

    /// A lasso, with its formula or without.
    pub fn trace(&self, stem: &[LetterId], cycle: &[LetterId], with_formula: bool) -> CandidateLasso {
        let formula = with_formula.then(|| self.formula(stem, cycle));
        let stem = stem.iter().enumerate().map(|(at, &letter)| self.block(letter, at == 0)).collect();
        CandidateLasso {
            remark: String::new(),
            stem,
            cycle: cycle.iter().map(|&letter| self.block(letter, false)).collect(),
            formula,
        }
    }

    /// What a module knows along its traces.
    pub fn predicates(&self, module: &Refuted<'_>) -> Vec<String> {
        let predicates = match module {
            Refuted::Finite(module) => module.predicates().to_vec(),
            Refuted::Ranked(module) => module.argument.invariants.clone(),
            Refuted::Prefix(_) | Refuted::OneLasso(_) => Vec::new(),
        };
        predicates.into_iter().map(|predicate| self.terms.display(predicate)).collect()
    }

    fn block(&self, letter: LetterId, is_start: bool) -> PictureBlock {
        let path = self.letters.path(letter);
        let mut statements: Vec<Statement> = Vec::new();
        for (at, taken) in path.iter().enumerate() {
            let statement = self.statement(taken, is_start && at == 0);
            if statements.last() != Some(&statement) {
                statements.push(statement);
            }
        }
        PictureBlock { statements, effect: self.effect(&self.letters.step(letter)) }
    }

    fn statement(&self, taken: &TakenEdge, is_start: bool) -> Statement {
        let Some(edge) = taken.edge else {
            let text = if is_start { "start" } else { "nothing happens any more" };
            return Statement { span: None, is_condition: false, text: text.to_owned() };
        };
        let edge = &self.program.edges[edge];
        let (is_condition, mut text) = match &edge.op {
            Op::Assume(condition) => (true, program::print::expr_text(self.program, *condition)),
            op => (false, op_text(self.program, op)),
        };
        if taken.exit == Exit::Undefined {
            text.push_str(", undefined behaviour");
        }
        Statement { span: Some(edge.span), is_condition, text }
    }

    fn effect(&self, step: &Transition) -> String {
        let guard = self.conjuncts(step.guard).join(", ");
        let update = |(&symbol, &value): (&Symbol, &Term)| {
            format!("{} := {}", self.terms.name(symbol), self.terms.display(value))
        };
        let updates: Vec<String> = step.updates.iter().map(update).collect();
        format!("[{guard}] {}", updates.join("; ")).trim_end().to_owned()
    }

    fn conjuncts(&self, condition: Term) -> Vec<String> {
        let conjuncts = self.terms.conjuncts(condition).into_iter();
        conjuncts.map(|conjunct| self.terms.display(conjunct)).collect()
    }

    /// Whether the stem and one iteration of the cycle can be executed, as a script in SMT-LIB. Each value that a
    /// variable gets has a symbol of its own.
    fn formula(&self, stem: &[LetterId], cycle: &[LetterId]) -> String {
        let terms = self.terms;
        let steps: Vec<Transition> =
            (stem.iter().chain(cycle)).map(|&letter| self.letters.step(letter).with_new_inputs(terms)).collect();
        let read: BTreeSet<Symbol> = steps.iter().flat_map(|step| step.read(terms)).collect();
        let mut versions: HashMap<Symbol, Term> = HashMap::default();
        let known = read.iter().filter_map(|&symbol| self.triples.known(symbol)).collect();
        let mut parts: Vec<(String, Vec<Term>)> = vec![("known of all values".to_owned(), known)];
        for (at, step) in steps.iter().enumerate() {
            let title = match at.checked_sub(stem.len()) {
                None => format!("stem, edge {}", at + 1),
                Some(at) => format!("cycle, edge {}", at + 1),
            };
            let mut asserted = vec![terms.substitute(step.known, &versions), terms.substitute(step.guard, &versions)];
            let mut next = versions.clone();
            for (&symbol, &value) in &step.updates {
                let version = terms.fresh(&terms.name(symbol), terms.sort_of_symbol(symbol));
                asserted.push(terms.equal(version, terms.substitute(value, &versions)));
                let of_version = HashMap::from_iter([(symbol, version)]);
                asserted.extend(self.triples.known(symbol).map(|known| terms.substitute(known, &of_version)));
                next.insert(symbol, version);
            }
            versions = next;
            parts.push((title, asserted));
        }
        let all = parts.iter().flat_map(|(_, asserted)| asserted);
        let symbols: BTreeSet<Symbol> =
            all.flat_map(|&term| terms.symbols(term).iter().copied().collect::<Vec<_>>()).collect();
        let mut script = String::from("; Can the stem and one iteration of the cycle be executed?\n(set-logic ALL)\n");
        script.push_str(&terms.declarations_of(&symbols));
        for (title, asserted) in &parts {
            let _ = writeln!(script, "; {title}");
            for &term in asserted.iter().filter(|&&term| terms.as_truth(term) != Some(true)) {
                let _ = writeln!(script, "(assert {})", terms.smt_lib(term));
            }
        }
        script.push_str("(check-sat)\n");
        script
    }
}
