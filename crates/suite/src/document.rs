//! The text of a task definition: what of YAML is read in one, and what is told of the rest.
//!
//! The reader is the one of witnesses. What keys mean is for [`definition`](crate::definition) to say.

use foundation::{Diagnostic, SourceId, SourceMap, Span};
use witness::yaml::{self, ReadingLimits, Yaml, YamlFault, YamlRefusal};

/// A task definition has a few hundred bytes and three levels.
const LIMITS: ReadingLimits = ReadingLimits { bytes: 1 << 20, nodes: 1 << 20, depth: 32 };

/// Reads the one document of a task definition.
pub(crate) fn document(source: SourceId, sources: &SourceMap) -> Result<Yaml, Box<Diagnostic>> {
    let start = Span { source, start: 0, end: 0 };
    match yaml::parse(sources, source, LIMITS) {
        Ok(document) => document.ok_or_else(|| Box::new(unsupported("the file is empty", start))),
        Err(refusal) => Err(Box::new(refused(refusal))),
    }
}

fn refused(YamlRefusal { cause, span }: YamlRefusal) -> Diagnostic {
    let message = match cause {
        YamlFault::Syntax(why) => {
            let help = "look for the cause on this line and on those before it";
            return Diagnostic::error("yaml-syntax", format!("this is not YAML: {why}")).at(span).help(help);
        }
        YamlFault::TooLarge => "the file is too large for a task definition",
        YamlFault::TooDeep => "this is nested too deeply for a task definition",
        YamlFault::Tag => "tags are not read in a task definition",
        YamlFault::Alias => "aliases are not read in a task definition",
        YamlFault::SeveralDocuments => "a file holds one task definition only",
    };
    unsupported(message, span)
}

/// Something that is YAML but not for us.
fn unsupported(message: &str, span: Span) -> Diagnostic {
    Diagnostic::error("yaml-unsupported", message).at(span)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_read_is_refused_where_it_stands() {
        let deep = "- ".repeat(100_000);
        let wide = "a: b\n".repeat(300_000);
        for (text, expected) in [
            ("", "yaml-unsupported a.yml:1:1"),
            ("# nothing\n", "yaml-unsupported a.yml:1:1"),
            ("a: b\nc: [d\ne: f\n", "yaml-syntax a.yml:3:2"),
            ("ä: \"b\n", "yaml-syntax a.yml:1:4"),
            ("a: &x b\nc: *x\n", "yaml-unsupported a.yml:2:4"),
            ("a: !!str b\n", "yaml-unsupported a.yml:1:4"),
            ("a: b\n---\nc: d\n", "yaml-unsupported a.yml:2:1"),
            (deep.as_str(), "yaml-unsupported a.yml:1:65"),
            (wide.as_str(), "yaml-unsupported a.yml:1:1"),
        ] {
            let mut sources = SourceMap::new();
            let source = sources.add("a.yml", text);
            let diagnostic = document(source, &sources).unwrap_err();
            let told = format!("{} {}", diagnostic.code, sources.locate(diagnostic.primary.unwrap().span));
            assert_eq!(told, expected, "{:?}", &text[..text.len().min(40)]);
        }
    }
}
