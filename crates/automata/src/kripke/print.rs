//! Kripke structures as text, which reads back to the same structure, and as pictures in Graphviz DOT.

use std::fmt::{self, Display, Formatter, Write};

use super::parse::is_plain_name;
use super::structure::Kripke;

/// A structure in the text format of [`parse`](super::parse::parse).
#[derive(Clone, Copy, Debug)]
pub struct KripkeText<'a>(&'a Kripke);

/// A structure in the DOT language of Graphviz.
#[derive(Clone, Copy, Debug)]
pub struct KripkeDot<'a>(&'a Kripke);

impl Kripke {
    /// The structure in the text format.
    pub fn text(&self) -> KripkeText<'_> {
        KripkeText(self)
    }

    /// The structure as a picture: states with the atoms that hold in them; the stutter step of a deadlock is dotted.
    pub fn dot(&self) -> KripkeDot<'_> {
        KripkeDot(self)
    }
}

impl Display for KripkeText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let kripke = self.0;
        let names = |f: &mut Formatter<'_>, names: &mut dyn Iterator<Item = &str>| {
            for (index, name) in names.enumerate() {
                f.write_str(if index == 0 { " " } else { ", " })?;
                write_name(f, name)?;
            }
            Ok::<(), fmt::Error>(())
        };
        if kripke.propositions().len() > 0 {
            f.write_str("atoms")?;
            names(f, &mut kripke.propositions().map(|proposition| kripke.proposition_name(proposition)))?;
            f.write_str(";\n")?;
        }
        if !kripke.initial().is_empty() {
            f.write_str("initial")?;
            names(f, &mut kripke.initial().iter().map(|&state| kripke.name(state)))?;
            f.write_str(";\n")?;
        }
        for state in kripke.states() {
            f.write_str("state ")?;
            write_name(f, kripke.name(state))?;
            if !kripke.holds(state).is_empty() {
                f.write_str(" {")?;
                for (index, &proposition) in kripke.holds(state).iter().enumerate() {
                    f.write_str(if index == 0 { "" } else { ", " })?;
                    write_name(f, kripke.proposition_name(proposition))?;
                }
                f.write_str("}")?;
            }
            if !kripke.is_deadlock(state) {
                f.write_str(" ->")?;
                names(f, &mut kripke.transitions(state).iter().map(|&target| kripke.name(target)))?;
            }
            f.write_str(";\n")?;
        }
        Ok(())
    }
}

fn write_name(f: &mut Formatter<'_>, name: &str) -> fmt::Result {
    if is_plain_name(name) {
        return f.write_str(name);
    }
    f.write_char('"')?;
    for character in name.chars() {
        if matches!(character, '"' | '\\') {
            f.write_char('\\')?;
        }
        f.write_char(character)?;
    }
    f.write_char('"')
}

impl Display for KripkeDot<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let kripke = self.0;
        f.write_str("digraph kripke {\n  rankdir=LR;\n  node [shape=box, style=rounded];\n")?;
        for (index, &state) in kripke.initial().iter().enumerate() {
            writeln!(f, "  start{index} [shape=point, label=\"\"];")?;
            writeln!(f, "  start{index} -> {};", foundation::Id::index(state))?;
        }
        for state in kripke.states() {
            let number = foundation::Id::index(state);
            write!(f, "  {number} [label=\"{}\\n{{", Escaped(kripke.name(state)))?;
            for (index, &proposition) in kripke.holds(state).iter().enumerate() {
                f.write_str(if index == 0 { "" } else { ", " })?;
                write!(f, "{}", Escaped(kripke.proposition_name(proposition)))?;
            }
            f.write_str("}\"];\n")?;
            for &target in kripke.transitions(state) {
                writeln!(f, "  {number} -> {};", foundation::Id::index(target))?;
            }
            if kripke.is_deadlock(state) {
                writeln!(f, "  {number} -> {number} [style=dotted];")?;
            }
        }
        f.write_str("}\n")
    }
}

/// Text inside a quoted DOT label.
struct Escaped<'a>(&'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for character in self.0.chars() {
            if matches!(character, '"' | '\\') {
                f.write_char('\\')?;
            }
            f.write_char(character)?;
        }
        Ok(())
    }
}
