//! Programs as control-flow automata: text, pictures and JSON. Operations are written by [`program::print`].

use std::collections::BTreeSet;
use std::fmt::Write as _;

use foundation::collections::HashMap;
use foundation::{Id, SourceMap};
use program::{FunctionId, LocationId, Observe, Program, Variable, VariableId, VariableKind, print};
use serde::Serialize;

use crate::drawing::{self, Drawing, DrawnNode, NodeShape, Stroke};

/// A program. This is also its JSON form. Locations are numbered over the whole program.
#[derive(Serialize, Clone, Debug)]
pub struct Automata {
    /// The sizes of types: `LP64` or `ILP32`.
    pub data_model: String,
    /// The function where the program starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    /// The global variables; string literals are not among them.
    pub globals: Vec<VariableJson>,
    /// The functions that have a body or may be called, in the order of their declarations.
    pub functions: Vec<FunctionJson>,
}

/// A variable.
#[derive(Serialize, Clone, Debug)]
pub struct VariableJson {
    /// Its name.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub ty: String,
}

/// A function.
#[derive(Serialize, Clone, Debug)]
pub struct FunctionJson {
    /// Its name.
    pub name: String,
    /// The file that declares it.
    pub file: String,
    /// The line of that declaration.
    pub line: u32,
    /// Its parameters, in order.
    pub parameters: Vec<VariableJson>,
    /// The type of what it returns; absent where it returns nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// Its local variables.
    pub locals: Vec<VariableJson>,
    /// Whether it stands for a library function, inside which nothing is observed.
    pub library: bool,
    /// Where its automaton begins; absent where it has no body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<usize>,
    /// Its locations.
    pub locations: Vec<usize>,
    /// Its edges.
    pub edges: Vec<EdgeJson>,
}

/// An edge.
#[derive(Serialize, Clone, Debug)]
pub struct EdgeJson {
    /// The location where it begins.
    pub from: usize,
    /// The location where it ends.
    pub to: usize,
    /// What it does.
    pub operation: String,
    /// Whether the state after it is observed: `no`, `statement` or `step`.
    pub observe: &'static str,
    /// The file that it comes from.
    pub file: String,
    /// The line that it comes from.
    pub line: u32,
}

/// The program as text: its global variables, then the automata of its functions in the order of their declarations.
/// Of functions without a body, only those that may be called are named.
pub fn to_text(program: &Program, called: &BTreeSet<FunctionId>) -> String {
    let mut parts = Vec::new();
    let globals = program.variables.values().filter(|variable| is_global(variable));
    let globals: Vec<String> = globals
        .map(|variable| format!("global {}: {}\n", variable.name, print::type_text(&program.types, variable.ty)))
        .collect();
    parts.extend((!globals.is_empty()).then(|| globals.concat()));
    parts.extend(shown_functions(program, called).into_iter().map(|function| print::function_text(program, function)));
    parts.join("\n")
}

/// The JSON form of a program.
pub fn to_json(program: &Program, called: &BTreeSet<FunctionId>, sources: &SourceMap) -> Automata {
    let locations = locations_by_function(program);
    let variable = |&id: &VariableId| VariableJson {
        name: program.variables[id].name.clone(),
        ty: print::type_text(&program.types, program.variables[id].ty),
    };
    let function = |id: FunctionId| {
        let function = &program.functions[id];
        let declared = sources.locate(function.span);
        let edges = locations[id.index()].iter().flat_map(|&location| &program.locations[location].out);
        FunctionJson {
            name: function.name.clone(),
            file: declared.file,
            line: declared.line,
            parameters: function.parameters.iter().map(variable).collect(),
            result: function.result.map(|ty| print::type_text(&program.types, ty)),
            locals: function.locals.iter().map(variable).collect(),
            library: function.library,
            entry: function.entry.map(Id::index),
            locations: locations[id.index()].iter().map(|location| location.index()).collect(),
            edges: edges
                .map(|&id| {
                    let edge = &program.edges[id];
                    let place = sources.locate(edge.span);
                    EdgeJson {
                        from: edge.from.index(),
                        to: edge.to.index(),
                        operation: print::op_text(program, &edge.op),
                        observe: match edge.observe {
                            Observe::No => "no",
                            Observe::Statement => "statement",
                            Observe::Step => "step",
                        },
                        file: place.file,
                        line: place.line,
                    }
                })
                .collect(),
        }
    };
    Automata {
        data_model: program.types.data_model().to_string(),
        entry: program.entry.map(|entry| program.functions[entry].name.clone()),
        globals: program.variables.iter().filter(|(_, it)| is_global(it)).map(|(id, _)| variable(&id)).collect(),
        functions: shown_functions(program, called).into_iter().map(function).collect(),
    }
}

/// The program as a Graphviz graph: a cluster for each function with a body. The state after a bold edge is observed.
pub fn to_dot(program: &Program, sources: &SourceMap) -> String {
    let locations = locations_by_function(program);
    let mut dot = String::from("digraph program {\n  node [shape=circle, fontsize=10];\n  edge [fontsize=10];\n");
    for (id, function) in program.functions.iter().filter(|(_, function)| function.entry.is_some()) {
        let (name, index) = (escaped(&function.name), id.index());
        writeln!(dot, "  subgraph cluster_{index} {{\n    label=\"{name}\";").expect("a string takes all text");
        for &location in &locations[index] {
            let number = location.index();
            let shape = if function.entry == Some(location) { ", shape=doublecircle" } else { "" };
            let label = print::location_text(location);
            writeln!(dot, "    n{number} [label=\"{label}\"{shape}];").expect("a string takes all text");
        }
        for edge in locations[index].iter().flat_map(|&location| &program.locations[location].out) {
            let edge = &program.edges[*edge];
            let label = escaped(&print::op_text(program, &edge.op));
            let place = sources.locate(edge.span);
            let tooltip = escaped(&format!("{}:{}", place.file, place.line));
            let style = match edge.observe {
                Observe::No => "",
                Observe::Statement => ", style=bold",
                Observe::Step => ", style=bold, color=blue",
            };
            let (from, to) = (edge.from.index(), edge.to.index());
            writeln!(dot, "    n{from} -> n{to} [label=\"{label}\", tooltip=\"{tooltip}\"{style}];")
                .expect("a string takes all text");
        }
        dot.push_str("  }\n");
    }
    dot.push_str("}\n");
    dot
}

/// The program as a picture for languages without clusters: the entry of each function has its name. The state after a
/// bold edge is observed.
pub fn drawing(program: &Program) -> Drawing {
    let mut numbers: HashMap<LocationId, usize> = HashMap::default();
    let mut drawing = Drawing::default();
    let locations = locations_by_function(program);
    let with_body = || program.functions.iter().filter(|(_, function)| function.entry.is_some());
    for (id, function) in with_body() {
        for &location in &locations[id.index()] {
            let is_initial = function.entry == Some(location);
            let name = is_initial.then(|| function.name.clone());
            numbers.insert(location, drawing.nodes.len());
            drawing.nodes.push(DrawnNode {
                lines: name.into_iter().chain([print::location_text(location)]).collect(),
                shape: NodeShape::Circle,
                is_initial,
                is_highlighted: false,
            });
        }
    }
    for (id, _) in with_body() {
        for edge in locations[id.index()].iter().flat_map(|&location| &program.locations[location].out) {
            let edge = &program.edges[*edge];
            drawing.edges.push(drawing::DrawnEdge {
                from: numbers[&edge.from],
                to: numbers[&edge.to],
                lines: vec![print::op_text(program, &edge.op)],
                stroke: if edge.observe == Observe::No { Stroke::Plain } else { Stroke::Bold },
            });
        }
    }
    drawing
}

/// All functions with a body, and those without that the program may call.
fn shown_functions(program: &Program, called: &BTreeSet<FunctionId>) -> Vec<FunctionId> {
    let is_shown = |&id: &FunctionId| program.functions[id].entry.is_some() || called.contains(&id);
    program.functions.ids().filter(is_shown).collect()
}

fn is_global(variable: &Variable) -> bool {
    matches!(variable.kind, VariableKind::Global { .. })
}

/// The locations of each function, by the function's number.
fn locations_by_function(program: &Program) -> Vec<Vec<LocationId>> {
    let mut locations = vec![Vec::new(); program.functions.len()];
    for (id, location) in program.locations.iter() {
        locations[location.function.index()].push(id);
    }
    locations
}

/// A text inside the quotes of a DOT string.
fn escaped(text: &str) -> String {
    text.chars().fold(String::new(), |mut escaped, character| {
        match character {
            '"' => escaped.push_str("\\\""),
            '\\' => escaped.push_str("\\\\"),
            '\n' => escaped.push_str("\\n"),
            control if control.is_control() => {}
            other => escaped.push(other),
        }
        escaped
    })
}
