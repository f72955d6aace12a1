//! YAML as a tree whose nodes know their places, so that what is wrong with a witness can be shown in it.
//!
//! The grammar is the crate `saphyr-parser`'s, an event parser without recursion. Aliases and tags are refused: no witness
//! needs them, and a few lines of aliases can stand for more data than fits into memory. Size, depth and the number
//! of pieces are bounded. Nothing here knows what a witness is.

use foundation::{Diagnostic, SourceId, SourceMap, Span};
use saphyr_parser::{Event, Parser, ScalarStyle};

use crate::rules::diagnostic;

/// A piece of a document.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// Where it stands.
    pub span: Span,
    pub value: Value,
}

/// What a piece of a document is.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    /// A text; a plain one has no quotes, and may stand for a number or for nothing.
    Scalar { text: String, plain: bool },
    /// A list.
    List(Vec<Node>),
    /// A mapping: keys and their values, in order.
    Mapping(Vec<(Node, Node)>),
}

/// Bytes in a file. The longest executions that tools write down take some megabytes.
const LARGEST: usize = 8 << 20;
/// Pieces in a file; a waypoint has about thirty.
const MOST_NODES: usize = 1 << 20;
/// Levels of a document; a witness has eight. Trees are dropped recursively, so there must be some limit.
const DEEPEST: usize = 32;

/// Reads the one document of a text. An empty text has none.
pub(crate) fn parse(sources: &SourceMap, source: SourceId) -> Result<Option<Node>, Box<Diagnostic>> {
    let text = sources.text(source);
    if text.len() > LARGEST {
        return Err(too_large(Span { source, start: 0, end: 0 }));
    }
    let places = Places::new(source, text);
    let mut builder = Builder { open: Vec::new(), document: None, nodes: 0 };
    let mut parser = Parser::new_from_str(text);
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|error| {
            let message = format!("this is not YAML: {}", error.info());
            let at = error.marker().index();
            fault("witness-yaml", message, places.span(at, at + 1), "look for the cause on this line and before it")
        })?;
        builder.take(event, places.span(span.start.index(), span.end.index()))?;
    }
    Ok(builder.document)
}

fn fault(code: &'static str, message: impl Into<String>, span: Span, help: &str) -> Box<Diagnostic> {
    Box::new(diagnostic(code, message).at(span).help(help))
}

fn too_large(span: Span) -> Box<Diagnostic> {
    let help = format!("at most {LARGEST} bytes and {MOST_NODES} keys, values and lists are read");
    fault("witness-too-large", "the witness is too large", span, &help)
}

/// A tree that grows with the parser's events.
struct Builder {
    /// The lists and mappings that are not closed yet, from the outermost on.
    open: Vec<Open>,
    document: Option<Node>,
    nodes: usize,
}

/// A list or mapping that is not closed yet.
struct Open {
    span: Span,
    is_mapping: bool,
    /// Of a mapping, keys and values by turns.
    children: Vec<Node>,
}

impl Builder {
    fn take(&mut self, event: Event<'_>, span: Span) -> Result<(), Box<Diagnostic>> {
        match event {
            Event::Scalar(_, _, _, Some(_)) | Event::SequenceStart(_, Some(_)) | Event::MappingStart(_, Some(_)) => {
                return Err(fault("witness-tag", "tags are not read in a witness", span, "remove the tag"));
            }
            Event::Alias(_) => {
                let help = "repeat the value that it stands for";
                return Err(fault("witness-alias", "aliases are not read in a witness", span, help));
            }
            Event::Scalar(text, style, ..) => {
                let value = Value::Scalar { text: text.into_owned(), plain: style == ScalarStyle::Plain };
                self.close(Node { span, value })?;
            }
            Event::SequenceStart(..) => self.open(span, false)?,
            Event::MappingStart(..) => self.open(span, true)?,
            Event::SequenceEnd | Event::MappingEnd => {
                let Open { span: start, is_mapping, children } =
                    self.open.pop().expect("the parser pairs starts and ends");
                let value = if is_mapping { Value::Mapping(in_pairs(children)) } else { Value::List(children) };
                self.close(Node { span: start, value })?;
            }
            Event::DocumentStart(_) if self.document.is_some() => {
                let help = "put all entries into one list";
                return Err(fault("witness-several-documents", "a file holds one witness only", span, help));
            }
            Event::DocumentStart(_) | Event::DocumentEnd | Event::StreamStart | Event::StreamEnd | Event::Nothing => {}
        }
        Ok(())
    }

    fn open(&mut self, span: Span, is_mapping: bool) -> Result<(), Box<Diagnostic>> {
        if self.open.len() == DEEPEST {
            let help = "the parts of a witness are nested eight deep";
            return Err(fault("witness-too-deep", "this is nested too deeply for a witness", span, help));
        }
        self.open.push(Open { span, is_mapping, children: Vec::new() });
        Ok(())
    }

    fn close(&mut self, node: Node) -> Result<(), Box<Diagnostic>> {
        self.nodes += 1;
        if self.nodes > MOST_NODES {
            return Err(too_large(node.span));
        }
        match self.open.last_mut() {
            Some(parent) => parent.children.push(node),
            None => self.document = Some(node),
        }
        Ok(())
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
}
