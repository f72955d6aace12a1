//! Task definitions, as the competition on software verification and BenchExec write them (format 2.0): the program's
//! files, and properties with the verdict that is expected of each.
//!
//! A definition is refused with all that is wrong with it. Keys that are not known get a warning, once each: the format
//! reserves them for its future.

use std::collections::BTreeSet;
use std::path::Path;

use foundation::collections::HashSet;
use foundation::{Diagnostic, Diagnostics, SourceMap, Span};
use program::DataModel;
use witness::yaml::{Yaml, YamlValue};

use crate::document::document;

/// A program, a property, and the verdict that is expected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LabelledTask {
    /// What it is called in a table: the path of the definition, without what all have in common, and the property where
    /// the definition has several.
    pub name: String,
    /// The file that defines it.
    pub definition: String,
    /// The program's files.
    pub inputs: Vec<String>,
    /// The file of the property.
    pub property: String,
    /// Whether the property holds, where the definition says so.
    pub expected: Option<bool>,
    /// Which part of the property is violated, where the definition says so.
    pub subproperty: Option<String>,
    /// The sizes of types, where the definition says so.
    pub data_model: Option<DataModel>,
}

/// A task as it is defined. Its name is that of the property where there are several in the file, and empty otherwise.
#[derive(Clone, Debug)]
pub(crate) struct DefinedTask {
    pub task: LabelledTask,
    /// The places where its files are named.
    pub files: Vec<NamedFile>,
}

/// A path, and where the name stands that it was made of.
#[derive(Clone, Debug)]
pub(crate) struct NamedFile {
    pub path: String,
    pub span: Span,
}

/// Reads task definitions.
pub(crate) struct DefinitionReader<'a> {
    pub sources: &'a mut SourceMap,
    pub diagnostics: &'a mut Diagnostics,
    /// Unknown keys that the user was warned of.
    pub warned: HashSet<String>,
}

/// A property of a definition.
struct DefinedProperty {
    /// The file as it is named in the definition.
    written: String,
    file: NamedFile,
    expected: Option<bool>,
    subproperty: Option<String>,
}

impl DefinitionReader<'_> {
    /// The tasks that a file defines, one for each property.
    pub fn read(&mut self, path: &str) -> Vec<DefinedTask> {
        let Some(text) = host::read_text(path, self.diagnostics) else { return Vec::new() };
        let source = self.sources.add(path, text);
        let document = match document(source, self.sources) {
            Ok(document) => document,
            Err(diagnostic) => {
                self.diagnostics.push(*diagnostic);
                return Vec::new();
            }
        };
        self.definition(path, &document).unwrap_or_default()
    }

    fn definition(&mut self, path: &str, document: &Yaml) -> Option<Vec<DefinedTask>> {
        const KEYS: [&str; 6] =
            ["format_version", "input_files", "required_files", "properties", "options", "additional_information"];
        let keys = self.mapping(document, &KEYS, "a task definition")?;
        let version = self.required(&keys, "format_version")?;
        // What another version means by the rest is not known.
        self.version(version)?;
        let folder = Path::new(path).parent().unwrap_or(Path::new(""));
        // All parts are looked at before any fault counts, so that all faults are found.
        let inputs = self.required(&keys, "input_files").and_then(|node| self.input_files(node, folder));
        let properties = self.required(&keys, "properties").and_then(|node| self.properties(node, folder));
        let data_model = keys.get("options").map_or(Some(None), |node| self.options(node));
        let (inputs, data_model, properties) = (inputs?, data_model?, properties?);
        let names = names(&properties);
        let task = |(property, name): (DefinedProperty, String)| DefinedTask {
            task: LabelledTask {
                name,
                definition: path.to_owned(),
                inputs: inputs.iter().map(|file| file.path.clone()).collect(),
                property: property.file.path.clone(),
                expected: property.expected,
                subproperty: property.subproperty,
                data_model,
            },
            files: inputs.iter().cloned().chain([property.file]).collect(),
        };
        Some(properties.into_iter().zip(names).map(task).collect())
    }

    fn version(&mut self, node: &Yaml) -> Option<()> {
        let version = self.text(node, "the version of the format")?;
        if version == "2.0" {
            return Some(());
        }
        let error = Diagnostic::error("task-format", format!("version `{version}` of task definitions is not read"));
        self.refuse(error.at(node.span).help("the version that is read is `2.0`"))
    }

    fn input_files(&mut self, node: &Yaml, folder: &Path) -> Option<Vec<NamedFile>> {
        let nodes = match &node.value {
            YamlValue::List(nodes) => nodes.as_slice(),
            _ => std::slice::from_ref(node),
        };
        if nodes.is_empty() {
            return self.refuse(Diagnostic::error("no-input-files", "the task has no program").at(node.span));
        }
        all(nodes.iter().map(|node| self.file(node, folder, "the name of an input file")))
    }

    /// The sizes of types, if the options say so.
    fn options(&mut self, node: &Yaml) -> Option<Option<DataModel>> {
        let keys = self.mapping(node, &["language", "data_model", "witness"], "the options of a task")?;
        let language = keys.get("language").map_or(Some(()), |node| self.language(node));
        let witness = keys.get("witness").map_or(Some(()), |node| {
            let error = Diagnostic::error("unsupported-task", "the task asks for a witness to be validated");
            self.refuse(error.at(node.span).help("leave the task out: only programs are checked"))
        });
        let data_model = keys.get("data_model").map_or(Some(None), |node| self.data_model(node).map(Some));
        language.and(witness).and(data_model)
    }

    fn language(&mut self, node: &Yaml) -> Option<()> {
        let language = self.text(node, "the name of a language")?;
        if language == "C" {
            return Some(());
        }
        let error = Diagnostic::error("unsupported-language", format!("programs in `{language}` are not checked"));
        self.refuse(error.at(node.span).help("leave the task out: only programs in `C` are checked"))
    }

    fn data_model(&mut self, node: &Yaml) -> Option<DataModel> {
        match self.text(node, "a data model")?.as_str() {
            "ILP32" => Some(DataModel::Ilp32),
            "LP64" => Some(DataModel::Lp64),
            other => {
                let error = Diagnostic::error("wrong-value", format!("there is no data model `{other}`"));
                self.refuse(error.at(node.span).help("write `ILP32` or `LP64`"))
            }
        }
    }

    fn properties(&mut self, node: &Yaml, folder: &Path) -> Option<Vec<DefinedProperty>> {
        let help = "write `- property_file: NAME.prp` below `properties:`";
        match &node.value {
            YamlValue::List(items) if items.is_empty() => {
                self.refuse(Diagnostic::error("no-property", "the task has no property").at(node.span).help(help))
            }
            YamlValue::List(items) => all(items.iter().map(|item| self.property(item, folder))),
            _ => {
                let error = Diagnostic::error("wrong-value", "the properties of a task are a list");
                self.refuse(error.at(node.span).help(help))
            }
        }
    }

    fn property(&mut self, node: &Yaml, folder: &Path) -> Option<DefinedProperty> {
        let keys = self.mapping(node, &["property_file", "expected_verdict", "subproperty"], "a property")?;
        let expected = keys.get("expected_verdict").map_or(Some(None), |node| self.truth(node).map(Some));
        let what = "the name of a part of the property";
        let subproperty = keys.get("subproperty").map_or(Some(None), |node| self.text(node, what).map(Some));
        let named = self.required(&keys, "property_file")?;
        let file = self.file(named, folder, "the name of a property file")?;
        let written = self.text(named, "the name of a property file")?;
        Some(DefinedProperty { written, file, expected: expected?, subproperty: subproperty? })
    }

    /// A truth value. A text between quotes is none, and neither are `yes` and `on`, which YAML once had.
    fn truth(&mut self, node: &Yaml) -> Option<bool> {
        match &node.value {
            YamlValue::Scalar { text, plain: true } if ["true", "True", "TRUE"].contains(&text.as_str()) => Some(true),
            YamlValue::Scalar { text, plain: true } if ["false", "False", "FALSE"].contains(&text.as_str()) => {
                Some(false)
            }
            _ => {
                let error = Diagnostic::error("wrong-value", "a verdict is `true` or `false`, without quotes");
                self.refuse(error.at(node.span))
            }
        }
    }

    fn file(&mut self, node: &Yaml, folder: &Path, what: &str) -> Option<NamedFile> {
        let name = self.text(node, what)?;
        Some(NamedFile { path: folder.join(name).to_string_lossy().into_owned(), span: node.span })
    }

    /// A text that is not empty.
    fn text(&mut self, node: &Yaml, what: &str) -> Option<String> {
        match &node.value {
            YamlValue::Scalar { text, .. } if !text.is_empty() => Some(text.clone()),
            _ => self.refuse(Diagnostic::error("wrong-value", format!("{what} is expected here")).at(node.span)),
        }
    }

    /// The values of a mapping by their keys.
    fn mapping<'n>(&mut self, node: &'n Yaml, known: &[&str], what: &'static str) -> Option<Mapping<'n>> {
        let YamlValue::Mapping(pairs) = &node.value else {
            let error = Diagnostic::error("wrong-value", format!("lines `name: value` are expected for {what}"));
            return self.refuse(error.at(node.span).help(format!("the first is `{}: …`", known[0])));
        };
        let mut mapping = Mapping { what, span: node.span, entries: Vec::new() };
        for (key, value) in pairs {
            let name = self.text(key, "a name")?;
            if let Some(earlier) = mapping.entries.iter().find(|entry| entry.name == name) {
                let error = Diagnostic::error("duplicate-key", format!("`{name}` is given twice")).at(key.span);
                self.diagnostics.push(error.also(earlier.span, "first here"));
            }
            if !known.contains(&name.as_str()) && self.warned.insert(format!("{what}: {name}")) {
                let warning = Diagnostic::warning("unknown-key", format!("`{name}` is not known in {what}"));
                self.diagnostics.push(warning.at(key.span).help("it is passed over, wherever it stands"));
            }
            mapping.entries.push(PropertyEntry { name, span: key.span, value });
        }
        Some(mapping)
    }

    fn required<'n>(&mut self, mapping: &Mapping<'n>, name: &str) -> Option<&'n Yaml> {
        let found = mapping.get(name);
        found.or_else(|| {
            let error = Diagnostic::error("missing-key", format!("{} needs a line `{name}: …`", mapping.what));
            self.refuse(error.at(mapping.span))
        })
    }

    fn refuse<T>(&mut self, diagnostic: Diagnostic) -> Option<T> {
        self.diagnostics.push(diagnostic);
        None
    }
}

/// A mapping whose keys are texts.
struct Mapping<'n> {
    what: &'static str,
    span: Span,
    entries: Vec<PropertyEntry<'n>>,
}

struct PropertyEntry<'n> {
    name: String,
    span: Span,
    value: &'n Yaml,
}

impl<'n> Mapping<'n> {
    fn get(&self, name: &str) -> Option<&'n Yaml> {
        self.entries.iter().find(|entry| entry.name == name).map(|entry| entry.value)
    }
}

/// All or nothing, but only after every one was looked at.
fn all<T>(found: impl Iterator<Item = Option<T>>) -> Option<Vec<T>> {
    let found: Vec<Option<T>> = found.collect();
    found.into_iter().collect()
}

/// Names that tell the properties of one definition apart: their files without folder and ending, or as they are written
/// where that is not enough. A single property needs none.
fn names(properties: &[DefinedProperty]) -> Vec<String> {
    if let [_] = properties {
        return vec![String::new()];
    }
    let stem = |property: &DefinedProperty| {
        let stem = Path::new(&property.written).file_stem();
        stem.map_or_else(|| property.written.clone(), |stem| stem.to_string_lossy().into_owned())
    };
    let stems: Vec<String> = properties.iter().map(stem).collect();
    let distinct = stems.iter().collect::<BTreeSet<_>>().len() == stems.len();
    if distinct { stems } else { properties.iter().map(|property| property.written.clone()).collect() }
}
