//! From C text to a program with atoms, as it is and inlined.

use analysis::Observations;
use c_frontend::{Options, translate};
use foundation::{Diagnostics, SourceMap, Span};
use program::passes::inline::inline;
use program::semantics::Integers;
use program::{Atom, EdgeId, ExprId, LocationId, Observe, Program, VariableId};

use crate::generator::{Style, generate};

/// A program and the atoms that are observed of it.
pub struct Subject {
    /// The text.
    pub text: String,
    /// The program; its variables have names of their own.
    pub program: Program,
    /// The atoms.
    pub atoms: Vec<Atom>,
}

impl Subject {
    /// Translates a text. Panics if there is anything wrong with it.
    pub fn new(text: &str, atoms: &[String]) -> Self {
        let mut sources = SourceMap::new();
        let mut diagnostics = Diagnostics::new();
        let source = sources.add("test.c", text);
        let translated = translate(&[source], &mut sources, &Options::default(), &mut diagnostics);
        let Some(mut translation) = translated else { panic!("{:?}\n{text}", diagnostics.iter().collect::<Vec<_>>()) };
        let mut read = |atom: &String| {
            let source = sources.add("atom", atom.as_str());
            let span = Span { source, start: 0, end: atom.len() as u32 };
            translation.atom(span, &mut sources, &mut diagnostics).unwrap_or_else(|| panic!("{atom}\n{text}"))
        };
        let atoms = atoms.iter().map(&mut read).collect();
        Self { text: text.to_owned(), program: translation.program, atoms }
    }

    /// The same with all calls inlined.
    pub fn inlined(&self) -> Self {
        let program = inline(&self.program, 100_000).expect("no recursion").program;
        Self { text: self.text.clone(), program, atoms: self.atoms.clone() }
    }

    /// The expressions of the atoms.
    pub fn expressions(&self) -> Vec<ExprId> {
        let state = |atom: &Atom| match atom {
            Atom::State { value, .. } => Some(*value),
            _ => None,
        };
        self.atoms.iter().filter_map(state).collect()
    }

    /// The variables that the atoms read.
    pub fn observed(&self) -> Observed {
        let of = |atom: &Atom| match atom {
            Atom::State { reads, .. } => reads.clone(),
            _ => Vec::new(),
        };
        let observed = |edge: &program::Edge| edge.observe != Observe::No;
        Observed {
            reads: self.atoms.iter().flat_map(of).collect(),
            observed: self.program.edges.values().map(observed).collect(),
        }
    }
}

/// Atoms are read after edges that are observed, and where runs stop.
pub struct Observed {
    reads: Vec<VariableId>,
    observed: Vec<bool>,
}

impl Observations for Observed {
    fn after(&self, edge: EdgeId) -> &[VariableId] {
        if self.observed[foundation::Id::index(edge)] { &self.reads } else { &[] }
    }

    fn stopped(&self, _: LocationId) -> &[VariableId] {
        &self.reads
    }
}

/// Calls a test for many random programs, as they are and inlined, with both kinds of integers and some seeds.
pub fn for_many(style: Style, programs: u64, runs: u64, test: &mut dyn FnMut(&Subject, Integers, &[u64])) {
    for seed in 0..programs {
        let (text, atoms) = generate(style, seed);
        let subject = Subject::new(&text, &atoms);
        let seeds: Vec<u64> = (0..runs).map(|run| seed * 1000 + run).collect();
        let mut both = |subject: &Subject| {
            for integers in [Integers::Machine, Integers::Ideal] {
                test(subject, integers, &seeds);
            }
        };
        both(&subject);
        if style != Style::Threads {
            both(&subject.inlined());
        }
    }
}
