//! Witnesses as YAML text. The text is canonical: one witness has one text, with the keys in the order of the format,
//! words of the format plain and all other text between double quotes. It is not checked; see [`crate::faults`].

use std::fmt::Write;

use crate::model::{Constraint, Content, Invariant, Metadata, Segment, SourcePlace, Waypoint, Witness, WitnessEntry};

/// The text of a witness.
pub fn write(witness: &Witness) -> String {
    let mut text = String::new();
    for entry in &witness.entries {
        write_entry(&mut text, entry);
    }
    if witness.entries.is_empty() {
        text.push_str("[]\n");
    }
    text
}

/// Adds the text of one entry.
pub(crate) fn write_entry(text: &mut String, entry: &WitnessEntry) {
    let mut lines = Lines { text, depth: 0, dashes: 0 };
    lines.item(|lines| {
        let entry_type = match entry.content {
            Content::ViolationSequence(_) => "violation_sequence",
            Content::InvariantSet(_) => "invariant_set",
        };
        lines.word("entry_type", entry_type);
        lines.block("metadata", |lines| metadata(lines, &entry.metadata));
        match &entry.content {
            Content::ViolationSequence(segments) => lines.list("content", segments, segment),
            Content::InvariantSet(invariants) => lines.list("content", invariants, invariant),
        }
    });
}

fn metadata(lines: &mut Lines, metadata: &Metadata) {
    let (producer, task) = (&metadata.producer, &metadata.task);
    lines.text("format_version", metadata.format_version.word());
    lines.text("uuid", &metadata.uuid);
    lines.text("creation_time", &metadata.creation_time);
    lines.block("producer", |lines| {
        lines.text("name", &producer.name);
        lines.text("version", &producer.version);
        lines.optional("configuration", producer.configuration.as_deref());
        lines.optional("command_line", producer.command_line.as_deref());
        lines.optional("description", producer.description.as_deref());
    });
    lines.block("task", |lines| {
        lines.list("input_files", &task.input_files, |lines, file| lines.line(&quoted(file)));
        if task.input_file_hashes.is_empty() {
            lines.word("input_file_hashes", "{}");
        } else {
            lines.block("input_file_hashes", |lines| {
                for (file, hash) in &task.input_file_hashes {
                    lines.pair(file, hash);
                }
            });
        }
        lines.text("specification", &task.specification);
        lines.word("data_model", task.data_model.word());
        lines.word("language", task.language.word());
    });
}

fn segment(lines: &mut Lines, segment: &Segment) {
    lines.list("segment", &segment.waypoints, |lines, each| lines.block("waypoint", |lines| waypoint(lines, each)));
}

fn waypoint(lines: &mut Lines, waypoint: &Waypoint) {
    lines.word("type", waypoint.waypoint_type.word());
    lines.word("action", waypoint.action.word());
    if let Some(Constraint { value, format }) = &waypoint.constraint {
        lines.block("constraint", |lines| {
            lines.text("value", value);
            if let Some(format) = format {
                lines.word("format", format.word());
            }
        });
    }
    location(lines, &waypoint.location);
}

fn invariant(lines: &mut Lines, invariant: &Invariant) {
    lines.block("invariant", |lines| {
        lines.word("type", invariant.invariant_type.word());
        location(lines, &invariant.location);
        lines.text("value", &invariant.value);
        lines.word("format", invariant.format.word());
        if invariant.inductive {
            lines.list("labels", &["inductive"], |lines, label| lines.line(label));
        }
    });
}

fn location(lines: &mut Lines, location: &SourcePlace) {
    lines.block("location", |lines| {
        lines.text("file_name", &location.file_name);
        lines.word("line", &location.line.to_string());
        if let Some(column) = location.column {
            lines.word("column", &column.to_string());
        }
        lines.optional("function", location.function.as_deref());
    });
}

/// Lines of YAML in block style.
struct Lines<'text> {
    text: &'text mut String,
    /// How many levels of indentation a line has.
    depth: usize,
    /// How many of these levels, the innermost, are dashes of list items that begin on the next line.
    dashes: usize,
}

impl Lines<'_> {
    fn line(&mut self, line: &str) {
        for _ in self.dashes..self.depth {
            self.text.push_str("  ");
        }
        for _ in 0..std::mem::take(&mut self.dashes) {
            self.text.push_str("- ");
        }
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// A key with a word of the format.
    fn word(&mut self, key: &str, word: &str) {
        self.line(&format!("{key}: {word}"));
    }

    /// A key with any text.
    fn text(&mut self, key: &str, text: &str) {
        self.word(key, &quoted(text));
    }

    fn optional(&mut self, key: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.text(key, text);
        }
    }

    /// Any text with any text. YAML wants a key of more than 1024 characters to be marked as one.
    fn pair(&mut self, key: &str, value: &str) {
        let (key, value) = (quoted(key), quoted(value));
        if key.len() < 1000 {
            self.word(&key, &value);
        } else {
            self.line(&format!("? {key}"));
            self.line(&format!(": {value}"));
        }
    }

    /// A key with what stands below it.
    fn block(&mut self, key: &str, body: impl FnOnce(&mut Self)) {
        self.line(&format!("{key}:"));
        self.depth += 1;
        body(self);
        self.depth -= 1;
    }

    /// An item of a list.
    fn item(&mut self, body: impl FnOnce(&mut Self)) {
        self.depth += 1;
        self.dashes += 1;
        body(self);
        self.depth -= 1;
    }

    /// A key with a list.
    fn list<T>(&mut self, key: &str, items: &[T], mut body: impl FnMut(&mut Self, &T)) {
        if items.is_empty() {
            self.word(key, "[]");
        } else {
            self.block(key, |lines| items.iter().for_each(|each| lines.item(|lines| body(lines, each))));
        }
    }
}

/// A text between double quotes. What YAML does not allow there, or what a reader could mistake, is escaped.
fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            ' '..='~' => quoted.push(character),
            _ if character.is_alphanumeric() => quoted.push(character),
            _ => {
                let code = u32::from(character);
                let written = match code {
                    0..=0xff => write!(quoted, "\\x{code:02x}"),
                    0x100..=0xffff => write!(quoted, "\\u{code:04x}"),
                    _ => write!(quoted, "\\U{code:08x}"),
                };
                written.expect("a string takes any text");
            }
        }
    }
    quoted.push('"');
    quoted
}
