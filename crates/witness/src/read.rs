//! Files taken apart: from the tree of a YAML document to a [`Witness`], with a diagnostic for every key that is missing,
//! unknown, given twice or has a value that it cannot have. Whether the parts fit together is the matter of
//! [`crate::rules`]; their faults are told here at the places of the parts.

use foundation::collections::{HashMap, HashSet};
use foundation::{Diagnostic, Diagnostics, Severity, SourceId, SourceMap, Span};

use crate::forms::shortened;
use crate::model::{
    Action, Constraint, Content, DataModel, Format, Invariant, InvariantType, Language, Metadata, Producer, Segment,
    SourcePlace, Version, Waypoint, WaypointType, Witness, WitnessEntry, WitnessTask,
};
use crate::rules::{At, diagnostic, faults};
use crate::yaml::{self, ReadingLimits, Yaml, YamlFault, YamlRefusal, YamlValue};

/// A witness that was read from a file.
#[derive(Clone, Debug)]
pub struct ReadWitness {
    /// The witness.
    pub witness: Witness,
    /// What its reader should know: there are no errors among them.
    pub warnings: Diagnostics,
    places: HashMap<At, Span>,
    whole: Span,
}

impl ReadWitness {
    /// Where a part of the witness stands in the file: that of the key, else of the smallest part around it.
    pub fn place(&self, at: At) -> Span {
        let wider = [
            at,
            At { key: "", ..at },
            At { key: "", waypoint: None, ..at },
            At { key: "", waypoint: None, item: None, ..at },
        ];
        wider.iter().find_map(|at| self.places.get(at)).copied().unwrap_or(self.whole)
    }
}

/// Reads a witness from a text. It is refused, with all that is wrong, if it breaks a rule of the format.
pub fn read(sources: &SourceMap, source: SourceId) -> Result<ReadWitness, Diagnostics> {
    let start = Span { source, start: 0, end: 0 };
    let mut reader = WitnessReader { diagnostics: Diagnostics::new(), places: HashMap::default(), at: At::default() };
    let entries = match yaml::parse(sources, source, LIMITS) {
        Ok(Some(document)) => reader.entries(&document),
        Ok(None) => {
            let help = "a witness is a YAML list of entries";
            reader.report(diagnostic("witness-empty", "the file is empty").at(start).help(help));
            None
        }
        Err(refusal) => {
            reader.report(refused(refusal));
            None
        }
    };
    let WitnessReader { diagnostics, places, .. } = reader;
    let Some(entries) = entries.filter(|_| !diagnostics.has_errors()) else { return Err(diagnostics) };
    let mut reading = ReadWitness { witness: Witness { entries }, warnings: diagnostics, places, whole: start };
    for fault in faults(&reading.witness) {
        let span = reading.place(fault.at);
        push(&mut reading.warnings, fault.diagnostic.at(span));
    }
    if reading.warnings.has_errors() { Err(reading.warnings) } else { Ok(reading) }
}

/// The longest executions that tools write down take some megabytes. A waypoint has about thirty nodes, on eight levels.
const LIMITS: ReadingLimits = ReadingLimits { bytes: 8 << 20, nodes: 1 << 20, depth: 32 };

/// What is told of a text that is no document for a witness.
fn refused(YamlRefusal { cause, span }: YamlRefusal) -> Diagnostic {
    let told = |code, message: &str, help: &str| diagnostic(code, message).at(span).help(help);
    match cause {
        YamlFault::Syntax(why) => {
            let help = "look for the cause on this line and before it";
            told("witness-yaml", &format!("this is not YAML: {why}"), help)
        }
        YamlFault::TooLarge => {
            let ReadingLimits { bytes, nodes, .. } = LIMITS;
            let help = format!("at most {bytes} bytes and {nodes} keys, values and lists are read");
            told("witness-too-large", "the witness is too large", &help)
        }
        YamlFault::TooDeep => {
            let help = "the parts of a witness are nested eight deep";
            told("witness-too-deep", "this is nested too deeply for a witness", help)
        }
        YamlFault::Tag => told("witness-tag", "tags are not read in a witness", "remove the tag"),
        YamlFault::Alias => {
            told("witness-alias", "aliases are not read in a witness", "repeat the value that it stands for")
        }
        YamlFault::SeveralDocuments => {
            let help = "put all entries into one list";
            told("witness-several-documents", "a file holds one witness only", help)
        }
    }
}

/// Adds a diagnostic. Of warnings a few dozen are enough: so many have one cause, as a key that a tool writes everywhere.
fn push(diagnostics: &mut Diagnostics, diagnostic: Diagnostic) {
    const MOST_WARNINGS: usize = 50;
    if diagnostic.severity == Severity::Error || diagnostics.iter().len() < MOST_WARNINGS {
        diagnostics.push(diagnostic);
    }
}

struct WitnessReader {
    diagnostics: Diagnostics,
    places: HashMap<At, Span>,
    /// The part of the witness that is being read.
    at: At,
}

/// A mapping of the format: its keys are known.
struct Keyed<'node> {
    values: HashMap<&'static str, &'node Yaml>,
}

impl<'node> Keyed<'node> {
    fn get(&self, key: &'static str) -> Option<&'node Yaml> {
        self.values.get(key).copied()
    }
}

/// The parts of a witness, from the outside inwards. `None` stands for a part with a fault that has been reported.
impl WitnessReader {
    fn entries(&mut self, document: &Yaml) -> Option<Vec<WitnessEntry>> {
        let entries = self.list(document, "a witness")?.iter().enumerate();
        let entries: Vec<_> = entries.map(|(number, node)| self.part(At::entry(number), node, Self::entry)).collect();
        entries.into_iter().collect()
    }

    fn entry(&mut self, node: &Yaml) -> Option<WitnessEntry> {
        let fields = self.fields(node, "an entry", &["entry_type", "metadata", "content"], &[])?;
        let metadata = fields.get("metadata").and_then(|node| self.metadata(node));
        let entry_type = self.text(&fields, "entry_type")?;
        let content = fields.get("content");
        let content = match entry_type.as_str() {
            "violation_sequence" => content.and_then(|node| self.segments(node)).map(Content::ViolationSequence),
            "invariant_set" => content.and_then(|node| self.invariants(node)).map(Content::InvariantSet),
            _ => {
                let help = "the types that are read are `violation_sequence` and `invariant_set`";
                self.unknown_word("witness-entry-type", &fields, "entry_type", "type of entries", help);
                None
            }
        };
        Some(WitnessEntry { metadata: metadata?, content: content? })
    }

    fn metadata(&mut self, node: &Yaml) -> Option<Metadata> {
        let required = ["format_version", "uuid", "creation_time", "producer", "task"];
        let fields = self.fields(node, "the metadata", &required, &[])?;
        let format_version = self.version(&fields);
        let uuid = self.text(&fields, "uuid");
        let creation_time = self.text(&fields, "creation_time");
        let producer = fields.get("producer").and_then(|node| self.producer(node));
        let task = fields.get("task").and_then(|node| self.task(node));
        Some(Metadata {
            format_version: format_version?,
            uuid: uuid?,
            creation_time: creation_time?,
            producer: producer?,
            task: task?,
        })
    }

    fn version(&mut self, fields: &Keyed<'_>) -> Option<Version> {
        let help = "versions 2.0 and 2.1 are read";
        let version = self.word(fields, "format_version", "witness-version", "version", Version::from_word, help)?;
        let node = fields.get("format_version")?;
        if let YamlValue::Scalar { plain: true, .. } = node.value {
            let message = "a version without quotes is a number to YAML";
            let help = format!("write `\"{version}\"`");
            self.report(diagnostic("witness-unquoted-version", message).at(node.span).help(help));
        }
        Some(version)
    }

    fn producer(&mut self, node: &Yaml) -> Option<Producer> {
        let optional = ["configuration", "command_line", "description"];
        let fields = self.fields(node, "the producer", &["name", "version"], &optional)?;
        let (name, version) = (self.text(&fields, "name"), self.text(&fields, "version"));
        let [configuration, command_line, description] = optional.map(|key| self.text(&fields, key));
        Some(Producer { name: name?, version: version?, configuration, command_line, description })
    }

    fn task(&mut self, node: &Yaml) -> Option<WitnessTask> {
        let required = ["input_files", "input_file_hashes", "specification", "data_model", "language"];
        let fields = self.fields(node, "the task", &required, &[])?;
        let input_files = fields.get("input_files").and_then(|node| self.texts(node, "`input_files`"));
        let input_file_hashes = fields.get("input_file_hashes").and_then(|node| self.hashes(node));
        let specification = self.text(&fields, "specification");
        let help = "it is `ILP32` or `LP64`";
        let data_model =
            self.word(&fields, "data_model", "witness-data-model", "data model", DataModel::from_word, help);
        let help = "the format knows `C` only";
        let language = self.word(&fields, "language", "witness-language", "language", Language::from_word, help);
        Some(WitnessTask {
            input_files: input_files?,
            input_file_hashes: input_file_hashes?,
            specification: specification?,
            data_model: data_model?,
            language: language?,
        })
    }

    fn hashes(&mut self, node: &Yaml) -> Option<Vec<(String, String)>> {
        let pairs = self.mapping(node, "`input_file_hashes`")?;
        let pairs: Vec<_> = pairs.iter().map(|(key, value)| (self.scalar(key), self.scalar(value))).collect();
        pairs.into_iter().map(|(key, value)| key.zip(value)).collect()
    }

    fn segments(&mut self, node: &Yaml) -> Option<Vec<Segment>> {
        let at = self.at;
        let segments = self.list(node, "the content of a violation sequence")?.iter().enumerate();
        let segments: Vec<_> = segments.map(|(number, node)| self.part(at.item(number), node, Self::segment)).collect();
        segments.into_iter().collect()
    }

    fn segment(&mut self, node: &Yaml) -> Option<Segment> {
        let at = self.at;
        let fields = self.fields(node, "an item of a violation sequence", &["segment"], &[])?;
        let waypoints = self.list(fields.get("segment")?, "a segment")?.iter().enumerate();
        let waypoints: Vec<_> =
            waypoints.map(|(place, node)| self.part(at.waypoint(place), node, Self::waypoint)).collect();
        Some(Segment { waypoints: waypoints.into_iter().collect::<Option<_>>()? })
    }

    fn waypoint(&mut self, node: &Yaml) -> Option<Waypoint> {
        let fields = self.fields(node, "an item of a segment", &["waypoint"], &[])?;
        let node = fields.get("waypoint")?;
        let fields = self.fields(node, "a waypoint", &["type", "action", "location"], &["constraint"])?;
        let help = "it is `assumption`, `branching`, `function_enter`, `function_return` or `target`";
        let waypoint_type =
            self.word(&fields, "type", "witness-waypoint-type", "type of waypoints", WaypointType::from_word, help);
        let help = "it is `follow`, `avoid` or `cycle`";
        let action = self.word(&fields, "action", "witness-action", "action", Action::from_word, help);
        let location = fields.get("location").and_then(|node| self.location(node));
        let constraint = fields.get("constraint").map(|node| self.constraint(node));
        let constraint = match constraint {
            Some(constraint) => Some(constraint?),
            None => None,
        };
        Some(Waypoint { waypoint_type: waypoint_type?, action: action?, constraint, location: location? })
    }

    fn constraint(&mut self, node: &Yaml) -> Option<Constraint> {
        let fields = self.fields(node, "a constraint", &["value"], &["format"])?;
        let value = self.text(&fields, "value");
        let format = self.format(&fields);
        Some(Constraint { value: value?, format })
    }

    fn invariants(&mut self, node: &Yaml) -> Option<Vec<Invariant>> {
        let at = self.at;
        let mut invariants = Vec::new();
        let mut is_whole = true;
        for node in self.list(node, "the content of an invariant set")? {
            if is_contract(node) {
                let help = "the witness is read without it";
                self.report(diagnostic("witness-contract", "contracts are not read").at(node.span).help(help));
                continue;
            }
            match self.part(at.item(invariants.len()), node, Self::invariant) {
                Some(invariant) => invariants.push(invariant),
                None => is_whole = false,
            }
        }
        is_whole.then_some(invariants)
    }

    fn invariant(&mut self, node: &Yaml) -> Option<Invariant> {
        let fields = self.fields(node, "an item of an invariant set", &["invariant"], &[])?;
        let node = fields.get("invariant")?;
        let fields = self.fields(node, "an invariant", &["type", "location", "value", "format"], &["labels"])?;
        let help = "it is `loop_invariant` or `location_invariant`, from version 2.1 on also \
                    `loop_transition_invariant` or `location_transition_invariant`";
        let invariant_type =
            self.word(&fields, "type", "witness-invariant-type", "type of invariants", InvariantType::from_word, help);
        let location = fields.get("location").and_then(|node| self.location(node));
        let value = self.text(&fields, "value");
        let format = self.format(&fields);
        let inductive = fields.get("labels").is_some_and(|node| self.is_inductive(node));
        Some(Invariant {
            invariant_type: invariant_type?,
            location: location?,
            value: value?,
            format: format?,
            inductive,
        })
    }

    /// Whether labels claim an invariant to be inductive.
    fn is_inductive(&mut self, node: &Yaml) -> bool {
        let labels = self.texts(node, "`labels`").unwrap_or_default();
        for label in labels.iter().filter(|label| *label != "inductive") {
            let message = format!("`{}` is not a label that is known", shortened(label));
            let help = "it is not looked at; the format knows `inductive`";
            self.report(diagnostic("witness-unknown-label", message).at(node.span).help(help));
        }
        labels.iter().any(|label| label == "inductive")
    }

    fn location(&mut self, node: &Yaml) -> Option<SourcePlace> {
        let fields = self.fields(node, "a location", &["file_name", "line"], &["column", "function"])?;
        let file_name = self.text(&fields, "file_name");
        let line = self.number(&fields, "line");
        let column = self.number(&fields, "column");
        let function = self.text(&fields, "function");
        Some(SourcePlace { file_name: file_name?, line: line?, column, function })
    }

    fn format(&mut self, fields: &Keyed<'_>) -> Option<Format> {
        let help = "it is `c_expression`, from version 2.1 on `ext_c_expression`, and for returned values in \
                    version 2.0 `acsl_expression`";
        self.word(fields, "format", "witness-format", "format", Format::from_word, help)
    }
}

fn is_contract(node: &Yaml) -> bool {
    let YamlValue::Mapping(pairs) = &node.value else { return false };
    matches!(pairs.as_slice(), [(key, _)] if matches!(&key.value, YamlValue::Scalar { text, .. } if text == "contract"))
}

/// Lists, mappings, texts and numbers.
impl WitnessReader {
    /// Reads a part and notes its place.
    fn part<T>(&mut self, at: At, node: &Yaml, read: impl FnOnce(&mut Self, &Yaml) -> T) -> T {
        let outer = std::mem::replace(&mut self.at, at);
        self.places.insert(at, node.span);
        let part = read(self, node);
        self.at = outer;
        part
    }

    /// The values of a mapping by key. What is wrong with its keys is reported.
    fn fields<'node>(
        &mut self,
        node: &'node Yaml,
        what: &str,
        required: &[&'static str],
        optional: &[&'static str],
    ) -> Option<Keyed<'node>> {
        let mut values = HashMap::default();
        let mut unknown = HashSet::default();
        for (key, value) in self.mapping(node, what)? {
            let Some(name) = self.scalar(key) else { continue };
            let is_new = match required.iter().chain(optional).find(|known| **known == name) {
                Some(known) => {
                    self.places.insert(self.at.key(known), value.span);
                    values.insert(*known, value).is_none()
                }
                None => {
                    let message = format!("{what} has no key `{}`", shortened(&name));
                    let known: Vec<String> = required.iter().chain(optional).map(|key| format!("`{key}`")).collect();
                    let help = format!("it is not looked at; the keys are {}", known.join(", "));
                    self.report(diagnostic("witness-unknown-key", message).at(key.span).help(help));
                    unknown.insert(name.clone())
                }
            };
            if !is_new {
                let message = format!("`{}` is given twice", shortened(&name));
                self.report(diagnostic("witness-duplicate-key", message).at(key.span).help("keep one of them"));
            }
        }
        for key in required.iter().filter(|key| !values.contains_key(*key)) {
            let message = format!("{what} has no `{key}`");
            self.report(diagnostic("witness-missing-key", message).at(node.span).help(format!("add the key `{key}`")));
        }
        Some(Keyed { values })
    }

    fn mapping<'node>(&mut self, node: &'node Yaml, what: &str) -> Option<&'node [(Yaml, Yaml)]> {
        if let YamlValue::Mapping(pairs) = &node.value {
            return Some(pairs);
        }
        let help = "write keys with their values, as in `key: value`";
        let message = format!("{what} is not a mapping");
        self.report(diagnostic("witness-expected-mapping", message).at(node.span).help(help));
        None
    }

    fn list<'node>(&mut self, node: &'node Yaml, what: &str) -> Option<&'node [Yaml]> {
        if let YamlValue::List(items) = &node.value {
            return Some(items);
        }
        let message = format!("{what} is not a list");
        self.report(diagnostic("witness-expected-list", message).at(node.span).help("begin each item with `- `"));
        None
    }

    fn texts(&mut self, node: &Yaml, what: &str) -> Option<Vec<String>> {
        let texts: Vec<_> = self.list(node, what)?.iter().map(|item| self.scalar(item)).collect();
        texts.into_iter().collect()
    }

    /// The text under a key, if the key is there.
    fn text(&mut self, fields: &Keyed<'_>, key: &'static str) -> Option<String> {
        self.scalar(fields.get(key)?)
    }

    /// A text. A number or a truth value without quotes is one too: tools write versions and branches like that.
    fn scalar(&mut self, node: &Yaml) -> Option<String> {
        match &node.value {
            YamlValue::Scalar { text, plain: true } if matches!(text.as_str(), "" | "~" | "null" | "Null" | "NULL") => {
            }
            YamlValue::Scalar { text, .. } => return Some(text.clone()),
            _ => {}
        }
        let help = "write it between double quotes";
        self.report(diagnostic("witness-expected-text", "this should be a text").at(node.span).help(help));
        None
    }

    /// The number under a key, if the key is there.
    fn number(&mut self, fields: &Keyed<'_>, key: &'static str) -> Option<u32> {
        let node = fields.get(key)?;
        if let YamlValue::Scalar { text, plain: true } = &node.value {
            let is_decimal = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
            if let Some(number) = text.parse().ok().filter(|_| is_decimal) {
                return Some(number);
            }
        }
        let help = "lines and columns are decimal numbers, without quotes";
        self.report(diagnostic("witness-number", format!("this is not a {key}")).at(node.span).help(help));
        None
    }

    /// The word of the format under a key, if the key is there.
    fn word<T>(
        &mut self,
        fields: &Keyed<'_>,
        key: &'static str,
        code: &'static str,
        what: &str,
        from_word: impl Fn(&str) -> Option<T>,
        help: &str,
    ) -> Option<T> {
        let text = self.text(fields, key)?;
        let word = from_word(&text);
        if word.is_none() {
            self.unknown_word(code, fields, key, what, help);
        }
        word
    }

    fn unknown_word(&mut self, code: &'static str, fields: &Keyed<'_>, key: &'static str, what: &str, help: &str) {
        let Some(node) = fields.get(key) else { return };
        let YamlValue::Scalar { text, .. } = &node.value else { return };
        let message = format!("`{}` is not a {what} that is read", shortened(text));
        self.report(diagnostic(code, message).at(node.span).help(help));
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        push(&mut self.diagnostics, diagnostic);
    }
}
