//! Choices that are listed in a text, the format of `--inputs FILE`.
//!
//! One entry per line; `#` begins a comment that goes on to the end of the line.
//!
//! | line | meaning |
//! | --- | --- |
//! | `5`, `-0x1f`, `2.5`, `true`, `'a'` | the next input |
//! | `__VERIFIER_nondet_int = 5` | the same, checked against the name of the input's source |
//! | `main::x = 7`, `::global.f = 7`, `heap#0+8 = 7` | what a part holds that is not initialised; without it, zero |
//! | `thread 2` | the next thread to run, where several can |
//! | `malloc-fails = true` | whether the next allocation fails, where it may; without it, it does not |
//!
//! Inputs and register reads take the first kind of lines in the order of the text, and end the run where there is none
//! left. A value outside the range of what it is for is an error. Without `thread` lines threads take turns.

use std::collections::{BTreeMap, VecDeque};

use foundation::{Diagnostic, Diagnostics, SourceId, SourceMap, Span};
use num_bigint::BigInt;
use num_traits::Num;

use crate::semantics::choices::{Answer, Choices, Question};
use crate::semantics::value::Value;
use crate::types::Scalar;

/// Choices in a list.
#[derive(Clone, Debug, Default)]
pub struct ListedChoices {
    inputs: VecDeque<ListedLine<Value>>,
    named: BTreeMap<String, VecDeque<ListedLine<Value>>>,
    schedule: VecDeque<ListedLine<u32>>,
    /// Where the last answer stands.
    last: Option<Span>,
}

/// A line of the list.
#[derive(Clone, Debug)]
struct ListedLine<T> {
    span: Option<Span>,
    name: Option<String>,
    value: T,
}

const ALLOCATION: &str = "malloc-fails";

impl ListedChoices {
    /// These inputs in this order, and nothing else.
    pub fn of_inputs(values: impl IntoIterator<Item = Value>) -> Self {
        let inputs = values.into_iter().map(|value| ListedLine { span: None, name: None, value });
        Self { inputs: inputs.collect(), ..Self::default() }
    }

    /// Adds an input at the end.
    pub fn push_input(&mut self, name: Option<String>, value: Value) {
        self.inputs.push_back(ListedLine { span: None, name, value });
    }

    /// Adds what a part holds that is not initialised.
    pub fn push_uninitialised(&mut self, what: impl Into<String>, value: Value) {
        let entry = ListedLine { span: None, name: None, value };
        self.named.entry(what.into()).or_default().push_back(entry);
    }

    /// Adds the thread that is to run next.
    pub fn push_thread(&mut self, thread: u32) {
        self.schedule.push_back(ListedLine { span: None, name: None, value: thread });
    }

    /// Warns of what nobody asked for: of the values after a run that came to its end, and of threads in a program that
    /// has only one.
    pub fn left_over(&self, run_ended: bool, has_threads: bool, diagnostics: &mut Diagnostics) {
        let mut warn = |count: usize, span: Option<Span>, what: &str, help: &str| {
            let further = match count {
                0 => return,
                1 => String::new(),
                2 => ", and there is 1 more line like it".to_owned(),
                _ => format!(", and there are {} more lines like it", count - 1),
            };
            let diagnostic = Diagnostic::warning("unused-input", format!("{what}{further}")).help(help);
            diagnostics.push(match span {
                Some(span) => diagnostic.at(span),
                None => diagnostic,
            });
        };
        if run_ended {
            let first = self.inputs.front().and_then(|entry| entry.span);
            let help = "one value is used each time the program asks for an input; remove what is too much";
            warn(self.inputs.len(), first, "the program does not ask for this value", help);
            for (name, entries) in &self.named {
                let first = entries.front().and_then(|entry| entry.span);
                let help = "only what is read before it is written takes its value from here";
                warn(entries.len(), first, &format!("the program does not ask for `{name}`"), help);
            }
        }
        if !has_threads {
            let first = self.schedule.front().and_then(|entry| entry.span);
            let help = "a `thread` line says which thread runs next where there are several";
            warn(self.schedule.len(), first, "the program has only one thread, so this is not used", help);
        }
    }

    /// Reads a list from a text of the source map.
    pub fn parse(sources: &SourceMap, source: SourceId) -> Result<Self, Diagnostics> {
        let mut choices = Self::default();
        let mut diagnostics = Diagnostics::new();
        let mut start = 0;
        for line in sources.text(source).split('\n') {
            let entry = without_comment(line);
            let text = entry.trim();
            if !text.is_empty() {
                let indent = entry.len() - entry.trim_start().len();
                let begin = start + indent as u32;
                let span = Span { source, start: begin, end: begin + text.len() as u32 };
                if let Err(diagnostic) = choices.read_entry(span, text) {
                    diagnostics.push(diagnostic.at(span));
                }
            }
            start += line.len() as u32 + 1;
        }
        if diagnostics.has_errors() { Err(diagnostics) } else { Ok(choices) }
    }

    fn read_entry(&mut self, span: Span, text: &str) -> Result<(), Box<Diagnostic>> {
        if let Some(number) = text.strip_prefix("thread").filter(|rest| !rest.starts_with(is_word_part)) {
            let number = number.trim();
            if !number.starts_with('=') {
                let thread = number.parse().map_err(|_| {
                    let message = match number {
                        "" => "`thread` has no number".to_owned(),
                        _ => format!("`{number}` is not a thread's number"),
                    };
                    let help = "threads are numbered in the order in which they are started; that of `main` is 0";
                    bad_line(message, help)
                })?;
                self.schedule.push_back(ListedLine { span: Some(span), name: None, value: thread });
                return Ok(());
            }
        }
        // An `=` inside a character constant belongs to the value.
        let (name, value) = match text.split_once('=') {
            Some((name, value)) if !text.starts_with('\'') => (Some(name.trim().to_owned()), value.trim()),
            _ => (None, text),
        };
        if name.as_ref().is_some_and(String::is_empty) {
            return Err(bad_line("there is no name before `=`".to_owned(), "write `NAME = VALUE`, or the value alone"));
        }
        let value = read_value(value).ok_or_else(|| not_a_value(value))?;
        match name {
            Some(name) if names_a_part(&name) || name == ALLOCATION => {
                let entry = ListedLine { span: Some(span), name: None, value };
                self.named.entry(name).or_default().push_back(entry);
            }
            name => self.inputs.push_back(ListedLine { span: Some(span), name, value }),
        }
        Ok(())
    }

    fn next_input(&mut self, question: &Question) -> Answer {
        let Some(ListedLine { span, name, value }) = self.inputs.pop_front() else { return Answer::Exhausted };
        self.last = span;
        let asked = question.name();
        match name {
            Some(name) if name != asked => {
                Answer::Unfit(format!("this value is for `{name}`, but the program asks for `{asked}`"))
            }
            _ => Answer::Value(value),
        }
    }

    /// The next value for a part of memory, or zero.
    fn next_named(&mut self, name: &str, ty: Scalar) -> Answer {
        let listed = self.named.get_mut(name).and_then(VecDeque::pop_front);
        self.last = listed.as_ref().and_then(|entry| entry.span);
        Answer::Value(listed.map_or_else(|| Value::zero(ty), |entry| entry.value))
    }
}

impl Choices for ListedChoices {
    fn choose(&mut self, question: &Question) -> Answer {
        self.last = None;
        match question {
            Question::Input { .. } | Question::Register { .. } => self.next_input(question),
            Question::Uninitialised { what, ty, .. } => self.next_named(what, *ty),
            Question::Schedule { enabled, last } => match self.schedule.pop_front() {
                Some(ListedLine { span, value: thread, .. }) => {
                    self.last = span;
                    match enabled.iter().position(|&other| other == thread) {
                        Some(index) => Answer::Index(index),
                        None => Answer::Unfit(format!("thread {thread} is to run next, but cannot")),
                    }
                }
                None => Answer::Index(enabled.iter().position(|thread| thread > last).unwrap_or(0)),
            },
            Question::Branch { .. } => Answer::Index(0),
            Question::AllocationFails => self.next_named(ALLOCATION, Scalar::Bool),
        }
    }

    fn written(&self) -> Option<Span> {
        self.last
    }
}

fn bad_line(message: String, help: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::error("bad-input-line", message).help(help))
}

fn not_a_value(text: &str) -> Box<Diagnostic> {
    const VALUES: &str =
        "write a decimal or hexadecimal integer, a floating-point number, `true`, `false` or a character";
    let values = text.split([' ', '\t', ',']).filter(|word| !word.is_empty());
    if text.is_empty() {
        bad_line("there is no value after `=`".to_owned(), VALUES)
    } else if values.clone().count() > 1 && values.clone().all(|word| read_value(word).is_some()) {
        bad_line(format!("`{text}` is more than one value"), "write each value on a line of its own")
    } else {
        bad_line(format!("`{text}` is not a value"), VALUES)
    }
}

fn is_word_part(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_' || character == ':'
}

/// Whether a name is that of a part of memory and not of an input's source.
fn names_a_part(name: &str) -> bool {
    name.contains("::") || name.starts_with("heap#")
}

/// The part of a line before its comment. In `heap#0` and `'#'` there is no comment.
fn without_comment(line: &str) -> &str {
    let begins_comment = |at: usize| !line[..at].ends_with("heap") && !line[..at].ends_with('\'');
    line.match_indices('#').find(|&(at, _)| begins_comment(at)).map_or(line, |(at, _)| &line[..at])
}

fn read_value(text: &str) -> Option<Value> {
    match text {
        "true" => return Some(Value::Bool(true)),
        "false" => return Some(Value::Bool(false)),
        "NULL" | "null" => return Some(Value::int(0)),
        _ => {}
    }
    if let Some(character) = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        return read_character(character).map(Value::int);
    }
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let sign = |value: BigInt| Value::Int(if negative { -value } else { value });
    if let Some(hexadecimal) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        let plain = hexadecimal.bytes().all(|byte| byte.is_ascii_hexdigit());
        return plain.then(|| BigInt::from_str_radix(hexadecimal, 16).ok()).flatten().map(sign);
    }
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return BigInt::from_str_radix(digits, 10).ok().map(sign);
    }
    text.parse::<f64>().ok().map(Value::float)
}

fn read_character(text: &str) -> Option<u32> {
    let mut characters = text.chars();
    let value = match (characters.next()?, characters.next()) {
        ('\\', Some(escape)) => match escape {
            'n' => 10,
            't' => 9,
            'r' => 13,
            '0' => 0,
            '\\' | '\'' | '"' => escape as u32,
            _ => return None,
        },
        (character, None) if character.is_ascii() => return Some(character as u32),
        _ => return None,
    };
    characters.next().is_none().then_some(value)
}
