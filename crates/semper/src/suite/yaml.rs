//! YAML as a tree whose nodes know their places, so that what is wrong with a file can be shown in it.
//!
//! The grammar is the crate `saphyr-parser`'s. It is an event parser without `unsafe` or recursion that reports positions
//! and is kept up; of the readers for serde, `serde_yaml` is no longer maintained, its forks carry a translated C
//! library, and none tells where a value stood. Aliases and tags are refused: no task definition needs them, and a few
//! lines of aliases can stand for more data than fits into memory.

use foundation::{Diagnostic, SourceId, SourceMap, Span};
use saphyr_parser::{Event, Parser, ScalarStyle};

/// A piece of a document.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// Where it stands. Of a list or a mapping without brackets this is where it begins.
    pub span: Span,
    pub value: Value,
}

/// What a piece of a document is.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// A text. Only a plain one, without quotes, may stand for a truth value.
    Scalar { text: String, plain: bool },
    /// A list.
    List(Vec<Node>),
    /// A mapping: keys and their values, in order.
    Mapping(Vec<(Node, Node)>),
}

/// Reads the one document of a text.
pub(super) fn parse(source: SourceId, sources: &SourceMap) -> Result<Node, Box<Diagnostic>> {
    /// A task definition has a few hundred bytes; the parser's time is not in proportion for every input.
    const LARGEST: usize = 1 << 20;
    let text = sources.text(source);
    let places = Places::new(source, text);
    if text.len() > LARGEST {
        return Err(fault("the file is too large for a task definition", places.start()));
    }
    let mut builder = Builder { open: Vec::new(), document: None };
    let mut parser = Parser::new_from_str(text);
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|error| {
            let message = format!("this is not YAML: {}", error.info());
            let diagnostic = Diagnostic::error("yaml-syntax", message).at(places.one(error.marker().index()));
            Box::new(diagnostic.help("look for the cause on this line and on those before it"))
        })?;
        builder.take(event, places.span(span.start.index(), span.end.index()))?;
    }
    builder.document.ok_or_else(|| fault("the file is empty", places.start()))
}

/// Something that is YAML but not for us.
fn fault(message: &str, span: Span) -> Box<Diagnostic> {
    Box::new(Diagnostic::error("yaml-unsupported", message).at(span))
}

/// A tree that grows with the parser's events. It is not recursive, and neither deep nor wide input is a danger.
struct Builder {
    /// The lists and mappings that are not closed yet, from the outermost on.
    open: Vec<Open>,
    document: Option<Node>,
}

/// A list or mapping that is not closed yet.
struct Open {
    span: Span,
    is_mapping: bool,
    /// Of a mapping, keys and values by turns.
    children: Vec<Node>,
}

impl Builder {
    /// A task definition has three levels. Trees are dropped recursively, so there must be some limit.
    const DEEPEST: usize = 32;

    fn take(&mut self, event: Event<'_>, span: Span) -> Result<(), Box<Diagnostic>> {
        match event {
            Event::Scalar(_, _, _, Some(_)) | Event::SequenceStart(_, Some(_)) | Event::MappingStart(_, Some(_)) => {
                return Err(fault("tags are not read in a task definition", span));
            }
            Event::Alias(_) => return Err(fault("aliases are not read in a task definition", span)),
            Event::Scalar(text, style, ..) => {
                let value = Value::Scalar { text: text.into_owned(), plain: style == ScalarStyle::Plain };
                self.close(Node { span, value });
            }
            Event::SequenceStart(..) => self.open(span, false)?,
            Event::MappingStart(..) => self.open(span, true)?,
            Event::SequenceEnd | Event::MappingEnd => {
                let Open { span, is_mapping, children } = self.open.pop().expect("the parser pairs starts and ends");
                let value = if is_mapping { Value::Mapping(in_pairs(children)) } else { Value::List(children) };
                self.close(Node { span, value });
            }
            Event::DocumentStart(_) if self.document.is_some() => {
                return Err(fault("a file holds one task definition only", span));
            }
            Event::DocumentStart(_) | Event::DocumentEnd | Event::StreamStart | Event::StreamEnd | Event::Nothing => {}
        }
        Ok(())
    }

    fn open(&mut self, span: Span, is_mapping: bool) -> Result<(), Box<Diagnostic>> {
        if self.open.len() == Self::DEEPEST {
            return Err(fault("this is nested too deeply for a task definition", span));
        }
        self.open.push(Open { span, is_mapping, children: Vec::new() });
        Ok(())
    }

    fn close(&mut self, node: Node) {
        match self.open.last_mut() {
            Some(parent) => parent.children.push(node),
            None => self.document = Some(node),
        }
    }
}

fn in_pairs(nodes: Vec<Node>) -> Vec<(Node, Node)> {
    let mut nodes = nodes.into_iter();
    std::iter::from_fn(|| nodes.next().zip(nodes.next())).collect()
}

/// Places in a text: the parser counts characters, spans count bytes.
struct Places {
    source: SourceId,
    /// The offset of every character, and the length of the text.
    offsets: Vec<u32>,
}

impl Places {
    fn new(source: SourceId, text: &str) -> Self {
        let offsets = text.char_indices().map(|(at, _)| at as u32).chain([text.len() as u32]).collect();
        Self { source, offsets }
    }

    fn span(&self, start: usize, end: usize) -> Span {
        let offset = |character: usize| self.offsets[character.min(self.offsets.len() - 1)];
        Span { source: self.source, start: offset(start), end: offset(end.max(start)) }
    }

    fn one(&self, character: usize) -> Span {
        self.span(character, character + 1)
    }

    fn start(&self) -> Span {
        self.span(0, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<(Node, SourceMap), String> {
        let mut sources = SourceMap::new();
        let source = sources.add("a.yml", text);
        match parse(source, &sources) {
            Ok(node) => Ok((node, sources)),
            Err(diagnostic) => Err(format!("{} {}", diagnostic.code, sources.locate(diagnostic.primary.unwrap().span))),
        }
    }

    /// The tree in the notation of Lisp, with the scalars as they stand in the file.
    fn shown(node: &Node, sources: &SourceMap) -> String {
        match &node.value {
            Value::Scalar { .. } => sources.snippet_text(node.span).to_owned(),
            Value::List(items) => {
                format!("[{}]", items.iter().map(|item| shown(item, sources)).collect::<Vec<_>>().join(" "))
            }
            Value::Mapping(pairs) => {
                let pair = |(key, value): &(Node, Node)| format!("{}={}", shown(key, sources), shown(value, sources));
                format!("({})", pairs.iter().map(pair).collect::<Vec<_>>().join(" "))
            }
        }
    }

    #[test]
    fn nodes_know_where_they_stand() {
        for (text, expected) in [
            ("a: b\n", "(a=b)"),
            ("ä: 'ö'\nü: [x, \"y\"] # no\n", "(ä='ö' ü=[x \"y\"])"),
            ("\u{feff}a: b\r\nc: d\r\n", "(a=b c=d)"),
            ("---\na:\n  - b: c\n    d: e\n  - {f: g}\n...\n", "(a=[(b=c d=e) (f=g)])"),
            ("- 𝔘\n- x", "[𝔘 x]"),
            ("a:\n", "(a=)"),
        ] {
            let (node, sources) = read(text).unwrap();
            assert_eq!(shown(&node, &sources), expected, "{text:?}");
        }
    }

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
            assert_eq!(read(text).unwrap_err(), expected, "{:?}", &text[..text.len().min(40)]);
        }
    }

    #[test]
    fn every_short_text_is_read_or_refused() {
        let letters =
            ["a", ":", "-", " ", "\n", "[", "]", "{", "}", "\"", "'", "&", "*", "#", "|", ",", "ü", "?", "%", "\t"];
        let count = letters.len();
        let mut accepted = 0;
        for code in 0..count.pow(4) {
            let pick = |place: u32| letters[code / count.pow(place) % count];
            let text = format!("{}{}{}{}", pick(0), pick(1), pick(2), pick(3));
            accepted += usize::from(read(&text).is_ok());
        }
        assert!(accepted > 1000);
    }
}
