//! YAML as a tree whose nodes know their places, so that what is wrong with a file can be shown in it.
//!
//! The grammar is the crate `saphyr-parser`'s. It is an event parser without `unsafe` or recursion that reports positions
//! and is kept up; of the readers for serde, `serde_yaml` is no longer maintained, its forks carry a translated C
//! library, and none tells where a value stood. Aliases and tags are refused: no format that is read here needs them, and
//! a few lines of aliases can stand for more data than fits into memory. How large a file may be is for the caller to
//! say, and so are the words in which its user is told what is wrong: nothing here knows what a witness is.

use foundation::{SourceId, SourceMap, Span};
use saphyr_parser::{Event, Parser, ScalarStyle};

/// A piece of a document.
#[derive(Clone, Debug)]
pub struct Yaml {
    /// Where it stands. Of a list or a mapping without brackets this is where it begins.
    pub span: Span,
    /// What it is.
    pub value: YamlValue,
}

/// What a piece of a document is.
#[derive(Clone, Debug)]
pub enum YamlValue {
    /// A text.
    Scalar {
        /// What it says, without its quotes.
        text: String,
        /// Whether it has no quotes: only then it may stand for a number, a truth value or nothing.
        plain: bool,
    },
    /// A list.
    List(Vec<Yaml>),
    /// A mapping: keys and their values, in order.
    Mapping(Vec<(Yaml, Yaml)>),
}

/// How much is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReadingLimits {
    /// Bytes in a file; the parser's time is not in proportion to them for every input.
    pub bytes: usize,
    /// Keys, values, lists and mappings in a file.
    pub nodes: usize,
    /// Levels of a document. Trees are dropped recursively, so there must be some limit.
    pub depth: usize,
}

/// Why a text is not read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct YamlRefusal {
    /// What is wrong.
    pub cause: YamlFault,
    /// Where.
    pub span: Span,
}

/// What is wrong with a text that is not read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum YamlFault {
    /// It is not YAML; the parser says why.
    Syntax(String),
    /// It has more bytes or pieces than are read.
    TooLarge,
    /// It has more levels than are read.
    TooDeep,
    /// A tag, as in `!!str`.
    Tag,
    /// An alias, as in `*name`.
    Alias,
    /// A second document.
    SeveralDocuments,
}

/// Reads the one document of a text. An empty text has none.
pub fn parse(sources: &SourceMap, source: SourceId, limits: ReadingLimits) -> Result<Option<Yaml>, YamlRefusal> {
    let text = sources.text(source);
    if text.len() > limits.bytes {
        return Err(YamlRefusal { cause: YamlFault::TooLarge, span: Span { source, start: 0, end: 0 } });
    }
    let places = Places::new(source, text);
    let mut builder = Builder { limits, open: Vec::new(), document: None, nodes: 0 };
    let mut parser = Parser::new_from_str(text);
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|error| {
            let at = error.marker().index();
            YamlRefusal { cause: YamlFault::Syntax(error.info().to_owned()), span: places.span(at, at + 1) }
        })?;
        let span = places.span(span.start.index(), span.end.index());
        builder.take(event, span).map_err(|cause| YamlRefusal { cause, span })?;
    }
    Ok(builder.document)
}

/// A tree that grows with the parser's events. It is not recursive, and neither deep nor wide input is a danger.
struct Builder {
    limits: ReadingLimits,
    /// The lists and mappings that are not closed yet, from the outermost on.
    open: Vec<OpenCollection>,
    document: Option<Yaml>,
    nodes: usize,
}

/// A list or mapping that is not closed yet.
struct OpenCollection {
    span: Span,
    is_mapping: bool,
    /// Of a mapping, keys and values by turns.
    children: Vec<Yaml>,
}

impl Builder {
    fn take(&mut self, event: Event<'_>, span: Span) -> Result<(), YamlFault> {
        match event {
            Event::Scalar(_, _, _, Some(_)) | Event::SequenceStart(_, Some(_)) | Event::MappingStart(_, Some(_)) => {
                Err(YamlFault::Tag)
            }
            Event::Alias(_) => Err(YamlFault::Alias),
            Event::Scalar(text, style, ..) => {
                let value = YamlValue::Scalar { text: text.into_owned(), plain: style == ScalarStyle::Plain };
                self.close(Yaml { span, value })
            }
            Event::SequenceStart(..) => self.open(span, false),
            Event::MappingStart(..) => self.open(span, true),
            Event::SequenceEnd | Event::MappingEnd => {
                let OpenCollection { span, is_mapping, children } =
                    self.open.pop().expect("the parser pairs starts and ends");
                let value = if is_mapping { YamlValue::Mapping(in_pairs(children)) } else { YamlValue::List(children) };
                self.close(Yaml { span, value })
            }
            Event::DocumentStart(_) if self.document.is_some() => Err(YamlFault::SeveralDocuments),
            Event::DocumentStart(_) | Event::DocumentEnd | Event::StreamStart | Event::StreamEnd | Event::Nothing => {
                Ok(())
            }
        }
    }

    fn open(&mut self, span: Span, is_mapping: bool) -> Result<(), YamlFault> {
        if self.open.len() == self.limits.depth {
            return Err(YamlFault::TooDeep);
        }
        self.open.push(OpenCollection { span, is_mapping, children: Vec::new() });
        Ok(())
    }

    fn close(&mut self, node: Yaml) -> Result<(), YamlFault> {
        self.nodes += 1;
        if self.nodes > self.limits.nodes {
            return Err(YamlFault::TooLarge);
        }
        match self.open.last_mut() {
            Some(parent) => parent.children.push(node),
            None => self.document = Some(node),
        }
        Ok(())
    }
}

fn in_pairs(nodes: Vec<Yaml>) -> Vec<(Yaml, Yaml)> {
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

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: ReadingLimits = ReadingLimits { bytes: 1 << 20, nodes: 1 << 16, depth: 32 };

    /// The tree in the notation of Lisp, with the scalars as they stand in the file; or what is wrong, and where.
    fn read(text: &str) -> Result<String, (YamlFault, String)> {
        let mut sources = SourceMap::new();
        let source = sources.add("a.yml", text);
        match parse(&sources, source, LIMITS) {
            Ok(document) => Ok(document.map_or_else(String::new, |node| shown(&node, &sources))),
            Err(YamlRefusal { cause, span }) => Err((cause, sources.locate(span).to_string())),
        }
    }

    fn shown(node: &Yaml, sources: &SourceMap) -> String {
        match &node.value {
            YamlValue::Scalar { .. } => sources.snippet_text(node.span).to_owned(),
            YamlValue::List(items) => {
                format!("[{}]", items.iter().map(|item| shown(item, sources)).collect::<Vec<_>>().join(" "))
            }
            YamlValue::Mapping(pairs) => {
                let pair = |(key, value): &(Yaml, Yaml)| format!("{}={}", shown(key, sources), shown(value, sources));
                format!("({})", pairs.iter().map(pair).collect::<Vec<_>>().join(" "))
            }
        }
    }

    #[test]
    fn nodes_know_where_they_stand() {
        for (text, expected) in [
            ("", ""),
            ("# nothing\n", ""),
            ("a: b\n", "(a=b)"),
            ("ä: 'ö'\nü: [x, \"y\"] # no\n", "(ä='ö' ü=[x \"y\"])"),
            ("\u{feff}a: b\r\nc: d\r\n", "(a=b c=d)"),
            ("---\na:\n  - b: c\n    d: e\n  - {f: g}\n...\n", "(a=[(b=c d=e) (f=g)])"),
            ("- 𝔘\n- x", "[𝔘 x]"),
            ("a:\n", "(a=)"),
        ] {
            assert_eq!(read(text).as_deref(), Ok(expected), "{text:?}");
        }
    }

    #[test]
    fn what_is_not_read_is_refused_where_it_stands() {
        let deep = "- ".repeat(100_000);
        let long = "a: b\n".repeat(300_000);
        let wide = format!("[{}]", "a,".repeat(1 << 16));
        for (text, cause, place) in [
            ("a: &x b\nc: *x\n", YamlFault::Alias, "a.yml:2:4"),
            ("a: !!str b\n", YamlFault::Tag, "a.yml:1:4"),
            ("a: b\n---\nc: d\n", YamlFault::SeveralDocuments, "a.yml:2:1"),
            (deep.as_str(), YamlFault::TooDeep, "a.yml:1:65"),
            (long.as_str(), YamlFault::TooLarge, "a.yml:1:1"),
            (wide.as_str(), YamlFault::TooLarge, "a.yml:1:131074"),
        ] {
            assert_eq!(read(text), Err((cause, place.to_owned())), "{:?}", &text[..text.len().min(40)]);
        }
        for (text, expected) in [("a: b\nc: [d\ne: f\n", "a.yml:3:2"), ("ä: \"b\n", "a.yml:1:4")] {
            let Err((YamlFault::Syntax(why), place)) = read(text) else { panic!("{text:?} is read") };
            assert_eq!(place, expected, "{text:?}: {why}");
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
            accepted += usize::from(read(&text).is_ok_and(|tree| !tree.is_empty()));
        }
        assert!(accepted > 1000);
    }
}
