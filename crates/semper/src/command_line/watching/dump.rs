//! What the engine made, as files in a folder: automata as pictures in the DOT language, lassos as text, and the formulas
//! of lassos in SMT-LIB.

use std::sync::Mutex;

use foundation::{Diagnostic, SourceMap};
use report::drawing::{Drawing, DrawnEdge, DrawnNode, NodeShape, Stroke};
use task::watch::{CandidateLasso, Fate, Made, Picture};

use super::told;

/// A folder that files are written into.
#[derive(Debug)]
pub(super) struct Dump {
    folder: String,
    /// The lasso that was found last, until it is known what became of it.
    lasso: Mutex<String>,
    /// The first file that could not be written, and why.
    fault: Mutex<Option<Diagnostic>>,
}

impl Dump {
    /// Makes the folder.
    pub fn new(folder: String) -> Result<Self, Box<Diagnostic>> {
        host::make_folder(&folder)?;
        Ok(Self { folder, lasso: Mutex::default(), fault: Mutex::default() })
    }

    /// What could not be written.
    pub fn end(self) -> Option<Diagnostic> {
        self.fault.into_inner().ok().flatten()
    }

    /// A lasso, and the question whether it can be executed.
    pub fn lasso(&self, number: usize, trace: &CandidateLasso, sources: &SourceMap) {
        let text = told::lasso(number, trace, sources);
        self.write(&format!("lasso-{}.txt", number), &text);
        if let Ok(mut last) = self.lasso.lock() {
            *last = text;
        }
        if let Some(formula) = &trace.formula {
            self.write(&format!("lasso-{}.smt2", number), formula);
        }
    }

    /// What became of the last lasso.
    pub fn decided(&self, number: usize, fate: &Fate) {
        let lasso = self.lasso.lock().map(|last| last.clone()).unwrap_or_default();
        self.write(&format!("lasso-{}.txt", number), &format!("{lasso}{}", told::fate(fate)));
    }

    /// Something that can be drawn.
    pub fn picture(&self, automaton: &Made<'_>, picture: &Picture, sources: &SourceMap) {
        let Made { name, kind, .. } = automaton;
        let title = name.split('-').next().unwrap_or(name);
        let dot = drawing(picture, sources).dot(title);
        self.write(&format!("{name}.dot"), &format!("// {kind}\n{dot}"));
    }

    fn write(&self, name: &str, text: &str) {
        if let Err(refused) = host::write_text(&format!("{}/{name}", self.folder), text)
            && let Ok(mut fault) = self.fault.lock()
        {
            fault.get_or_insert(Diagnostic::warning(refused.code, refused.message));
        }
    }
}

fn drawing(picture: &Picture, sources: &SourceMap) -> Drawing {
    let nodes = picture.nodes.iter().map(|node| DrawnNode {
        lines: node.lines.clone(),
        shape: if node.is_accepting { NodeShape::DoubleBox } else { NodeShape::Box },
        is_initial: node.is_initial,
        is_highlighted: false,
    });
    let edges = picture.edges.iter().map(|edge| {
        let mut lines = told::lines(&edge.block, sources);
        lines.push(edge.block.effect.clone());
        if !edge.marks.is_empty() {
            let sets: Vec<String> = edge.marks.iter().map(u32::to_string).collect();
            lines.push(format!("fair: {}", sets.join(", ")));
        }
        let stroke = if edge.marks.is_empty() { Stroke::Plain } else { Stroke::Bold };
        DrawnEdge { from: edge.from, to: edge.to, lines, stroke }
    });
    Drawing { nodes: nodes.collect(), edges: edges.collect() }
}
