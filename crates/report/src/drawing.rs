//! Graphs as pictures: in the DOT language of Graphviz, and in that of Mermaid, which Markdown pages show.
//!
//! What is drawn, and what its words are, is up to the caller; this module only knows how both languages write it.

use std::fmt::Write;

/// A graph to be drawn.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Drawing {
    /// The nodes, which edges name by their positions.
    pub nodes: Vec<DrawnNode>,
    /// The edges.
    pub edges: Vec<DrawnEdge>,
}

/// A node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DrawnNode {
    /// What stands in it, line by line.
    pub lines: Vec<String>,
    /// Its outline.
    pub shape: NodeShape,
    /// Whether an arrow from nowhere points at it.
    pub is_initial: bool,
    /// Whether it is filled with a colour that stands out.
    pub is_highlighted: bool,
}

/// The outline of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NodeShape {
    /// A circle.
    Circle,
    /// Two circles: an accepting state.
    DoubleCircle,
    /// A box with round corners, for longer texts.
    Box,
    /// Two boxes: an accepting state with a longer text.
    DoubleBox,
}

/// An edge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DrawnEdge {
    /// Where it begins.
    pub from: usize,
    /// Where it ends.
    pub to: usize,
    /// What stands at it, line by line.
    pub lines: Vec<String>,
    /// How it is drawn.
    pub stroke: Stroke,
}

/// The line of an edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stroke {
    /// A plain line.
    Plain,
    /// A bold line.
    Bold,
    /// A dotted line.
    Dotted,
}

/// The colour that stands out.
const HIGHLIGHT: &str = "#ffd9a0";

impl Drawing {
    /// The picture in the DOT language.
    pub fn dot(&self, name: &str) -> String {
        let mut dot = format!("digraph {name} {{\n  rankdir=LR\n");
        dot.push_str("  node [fontname=\"Helvetica\", fillcolor=\"#f4f6fb\"]\n");
        dot.push_str("  edge [fontname=\"Helvetica\", arrowsize=0.8]\n");
        for (number, (index, _)) in self.initial().enumerate() {
            let _ = writeln!(dot, "  start{number} [shape=point, style=invis, width=0]");
            let _ = writeln!(dot, "  start{number} -> {index}");
        }
        for (index, node) in self.nodes.iter().enumerate() {
            let shape = match node.shape {
                NodeShape::Circle => "shape=circle, style=filled",
                NodeShape::DoubleCircle => "shape=doublecircle, style=filled",
                NodeShape::Box => "shape=box, style=\"rounded,filled\"",
                NodeShape::DoubleBox => "shape=box, style=\"rounded,filled\", peripheries=2",
            };
            let colour = if node.is_highlighted { format!(", fillcolor=\"{HIGHLIGHT}\"") } else { String::new() };
            let _ = writeln!(dot, "  {index} [label=\"{}\", {shape}{colour}]", dot_text(&node.lines));
        }
        for edge in &self.edges {
            let mut attributes = Vec::new();
            if !edge.lines.is_empty() {
                attributes.push(format!("label=\"{}\"", dot_text(&edge.lines)));
            }
            match edge.stroke {
                Stroke::Plain => {}
                Stroke::Bold => attributes.push("style=bold".to_owned()),
                Stroke::Dotted => attributes.push("style=dotted".to_owned()),
            }
            let attributes = match attributes.is_empty() {
                true => String::new(),
                false => format!(" [{}]", attributes.join(", ")),
            };
            let _ = writeln!(dot, "  {} -> {}{attributes}", edge.from, edge.to);
        }
        dot.push_str("}\n");
        dot
    }

    /// The picture in the language of Mermaid, as a flowchart.
    pub fn mermaid(&self) -> String {
        let mut text = String::from("flowchart LR\n");
        for (index, node) in self.nodes.iter().enumerate() {
            let (open, close) = match node.shape {
                NodeShape::Circle => ("((", "))"),
                NodeShape::DoubleCircle => ("(((", ")))"),
                NodeShape::Box => ("(", ")"),
                // Mermaid has no doubled box with round corners.
                NodeShape::DoubleBox => ("[[", "]]"),
            };
            let _ = writeln!(text, "  s{index}{open}\"{}\"{close}", mermaid_text(&node.lines));
        }
        for (number, (index, _)) in self.initial().enumerate() {
            let _ = writeln!(text, "  start{number}[ ] --> s{index}");
            let _ = writeln!(text, "  style start{number} fill:none,stroke:none");
        }
        for (index, _) in self.nodes.iter().enumerate().filter(|(_, node)| node.is_highlighted) {
            let _ = writeln!(text, "  style s{index} fill:{HIGHLIGHT}");
        }
        for edge in &self.edges {
            let arrow = match edge.stroke {
                Stroke::Plain => "-->",
                Stroke::Bold => "==>",
                Stroke::Dotted => "-.->",
            };
            let label = match edge.lines.is_empty() {
                true => String::new(),
                false => format!("|\"{}\"|", mermaid_text(&edge.lines)),
            };
            let _ = writeln!(text, "  s{} {arrow}{label} s{}", edge.from, edge.to);
        }
        text
    }

    fn initial(&self) -> impl Iterator<Item = (usize, &DrawnNode)> {
        self.nodes.iter().enumerate().filter(|(_, node)| node.is_initial)
    }
}

/// Lines inside the quotes of a DOT string.
fn dot_text(lines: &[String]) -> String {
    let line = |line: &String| {
        line.chars().fold(String::new(), |mut text, character| {
            match character {
                '"' | '\\' => text.extend(['\\', character]),
                control if control.is_control() => text.push(' '),
                other => text.push(other),
            }
            text
        })
    };
    lines.iter().map(line).collect::<Vec<_>>().join("\\n")
}

/// Lines inside the quotes of a Mermaid string. Characters that mean something to Mermaid, to Markdown or to HTML are
/// written as numbers.
fn mermaid_text(lines: &[String]) -> String {
    let line = |line: &String| {
        let mut text = String::new();
        let mut characters = line.chars().peekable();
        while let Some(character) = characters.next() {
            let is_entity = character == '&' && characters.peek().is_some_and(|next| next.is_alphanumeric());
            match character {
                '"' | '#' | '<' | '>' | '|' | '`' | '\\' | ';' | '*' | '_' => {
                    let _ = write!(text, "#{};", u32::from(character));
                }
                '&' if is_entity => text.push_str("#38;"),
                control if control.is_control() => text.push(' '),
                other => text.push(other),
            }
        }
        text
    };
    let text = lines.iter().map(line).collect::<Vec<_>>().join("<br/>");
    // A text such as `1. a` would be read as a list.
    match text.split_once(". ") {
        Some((number, rest)) if number.chars().all(|c| c.is_ascii_digit()) => format!("{number}#46; {rest}"),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawing() -> Drawing {
        let node = |text: &str, shape, is_initial| DrawnNode {
            lines: vec![text.to_owned()],
            shape,
            is_initial,
            is_highlighted: is_initial,
        };
        let edge = |from, to, line: &str, stroke| DrawnEdge { from, to, lines: vec![line.to_owned()], stroke };
        Drawing {
            nodes: vec![node("0", NodeShape::Circle, true), node("say \"x > 0\" \\", NodeShape::DoubleBox, false)],
            edges: vec![
                edge(0, 1, "a && b || c", Stroke::Plain),
                DrawnEdge { from: 1, to: 1, lines: Vec::new(), stroke: Stroke::Dotted },
            ],
        }
    }

    #[test]
    fn texts_stay_inside_their_quotes() {
        let dot = drawing().dot("g");
        assert!(dot.contains(r#"1 [label="say \"x > 0\" \\", shape=box"#), "{dot}");
        assert!(dot.contains("  0 -> 1 [label=\"a && b || c\"]\n  1 -> 1 [style=dotted]\n}\n"), "{dot}");
        let mermaid = drawing().mermaid();
        assert!(mermaid.contains(r#"s1[["say #34;x #62; 0#34; #92;"]]"#), "{mermaid}");
        assert!(mermaid.contains(r#"s0 -->|"a && b #124;#124; c"| s1"#), "{mermaid}");
        assert!(dot.contains("style=filled, fillcolor=") && mermaid.contains("style s0 fill:"), "{dot}{mermaid}");
        assert!(mermaid.contains("start0[ ] --> s0") && mermaid.contains("s1 -.-> s1"), "{mermaid}");
    }

    #[test]
    fn no_line_of_a_picture_is_broken_by_what_stands_in_it() {
        let plain = drawing();
        for piece in ["a\nb", "\"", "\\\"", "&lt;", "1. x", "]]", "%%", "|\"", "```", "\t"] {
            let mut hostile = drawing();
            hostile.nodes[1].lines = vec![piece.to_owned(), piece.to_owned()];
            hostile.edges[0].lines = vec![piece.to_owned()];
            assert_eq!(hostile.dot("g").lines().count(), plain.dot("g").lines().count(), "{piece:?}");
            let mermaid = hostile.mermaid();
            assert_eq!(mermaid.lines().count(), plain.mermaid().lines().count(), "{piece:?}");
            for line in mermaid.lines() {
                assert!(line.matches('"').count() % 2 == 0 && !line.contains('`'), "{line}");
            }
        }
    }
}
