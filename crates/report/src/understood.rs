//! What was understood of a program and its properties, before any engine looks at them: for `semper check`.

use serde::Serialize;

use crate::diagnostics::DiagnosticJson;
use crate::semantics::Modes;

/// A program and its properties in figures and canonical forms, with the verdict on each property. This is also the
/// JSON form.
#[derive(Serialize, Clone, Debug)]
pub struct Understood {
    /// The worst of the properties' verdicts.
    pub verdict: String,
    /// The engine that was asked.
    pub engine: String,
    /// The program.
    pub program: ProgramFigures,
    /// Which of its meanings the program was given.
    #[serde(flatten)]
    pub modes: Modes,
    /// The assumptions in canonical form.
    pub assumptions: Vec<String>,
    /// The properties, in the order in which they were given.
    pub properties: Vec<PropertyUnderstood>,
    /// The atoms of all assumptions and properties.
    pub atoms: Vec<AtomUnderstood>,
    /// What the user should know about how the input was read.
    pub warnings: Vec<DiagnosticJson>,
}

/// A program in figures.
#[derive(Serialize, Clone, Debug)]
pub struct ProgramFigures {
    /// The function where it starts.
    pub entry: String,
    /// How many functions with a body can be reached, those of the library aside.
    pub functions: usize,
    /// How many points of control they have.
    pub locations: usize,
    /// How many edges lead from one to another.
    pub edges: usize,
    /// How many global variables there are.
    pub globals: usize,
    /// How many edges read input.
    pub inputs: usize,
    /// Whether it starts threads.
    pub threads: bool,
}

/// A property and the verdict on it.
#[derive(Serialize, Clone, Debug)]
pub struct PropertyUnderstood {
    /// Its name, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Where it was found: `--ltl`, or a file and a line.
    pub origin: String,
    /// The property in canonical form.
    pub property: String,
    /// A function whose entry ends an execution, by the competition's rule for `G ! call(f())`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stops_at_call: Option<String>,
    /// The verdict: `holds`, `violated`, `unknown`.
    pub verdict: String,
    /// Why the verdict is not definite.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// An atom and what it was read as.
#[derive(Serialize, Clone, Debug)]
pub struct AtomUnderstood {
    /// The atom as it is written in a formula.
    pub atom: String,
    /// The truth value that it stands for, or what a built-in atom says.
    pub meaning: String,
    /// The variables that it reads, with their types.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<String>,
}

/// The same as text; the last line is the verdict.
pub fn render(understood: &Understood) -> String {
    let program = &understood.program;
    let mut lines = Vec::new();
    let mut line = |name: &str, value: String| lines.push(format!("{name:<13}{value}"));
    line(
        "program:",
        format!(
            "{}, {}, {}, starting in `{}`{}",
            counted(program.functions, "function"),
            counted(program.locations, "location"),
            counted(program.edges, "edge"),
            program.entry,
            if program.threads { ", with threads" } else { "" }
        ),
    );
    line("data:", format!("{}, {}", counted(program.globals, "global variable"), counted(program.inputs, "input")));
    line("semantics:", understood.modes.words().join(", "));
    for assumption in &understood.assumptions {
        line("assumption:", assumption.clone());
    }
    for atom in &understood.atoms {
        line("atom:", format!("{} is {}", atom.atom, atom.meaning));
        if !atom.reads.is_empty() {
            line("", format!("reads {}", atom.reads.join(", ")));
        }
    }
    for property in &understood.properties {
        lines.push(String::new());
        let name = property.name.as_ref().map(|name| format!(" {name}")).unwrap_or_default();
        lines.push(format!("property{name}: {}", property.property));
        lines.push(format!("  from {}", property.origin));
        if let Some(function) = &property.stops_at_call {
            lines.push(format!("  entering `{function}` ends an execution, because the property says nothing else"));
        }
        let reason = property.reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
        lines.push(format!("verdict: {}{reason}", property.verdict));
    }
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::semantics::tests::usual;

    #[test]
    fn the_last_line_is_the_verdict() {
        let understood = Understood {
            verdict: "unknown".into(),
            engine: "none".into(),
            program: ProgramFigures {
                entry: "main".into(),
                functions: 1,
                locations: 4,
                edges: 5,
                globals: 2,
                inputs: 0,
                threads: false,
            },
            modes: usual(),
            assumptions: vec!["G F \"tick\"".into()],
            properties: vec![PropertyUnderstood {
                name: Some("live".into()),
                origin: "a.c:3".into(),
                property: "F end".into(),
                stops_at_call: None,
                verdict: "unknown".into(),
                reason: Some("no engine".into()),
            }],
            atoms: vec![AtomUnderstood {
                atom: "end".into(),
                meaning: "the program has ended".into(),
                reads: Vec::new(),
            }],
            warnings: Vec::new(),
        };
        let expected = "\
program:     1 function, 4 locations, 5 edges, starting in `main`
data:        2 global variables, 0 inputs
semantics:   machine integers, LP64, observed at every statement, undefined behaviour ends in `error`
assumption:  G F \"tick\"
atom:        end is the program has ended

property live: F end
  from a.c:3
verdict: unknown (no engine)
";
        assert_eq!(render(&understood), expected);
    }
}
