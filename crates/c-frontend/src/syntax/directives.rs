//! Lines that begin with `#` in a text that has been preprocessed: line markers (`# 12 "motor.c" 1`, and `#line` of ISO
//! C11, 6.10.4), pragmas, and nothing else. This module gathers the markers and never looks at C itself.

use foundation::{Diagnostic, Diagnostics, Span};

use super::ast::PackingPragma;
use super::tokens::without_continuations;

/// The line that begins at `offset` is presumed to be line `line` of `file`, or of the file named before.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct PresumedLine {
    pub offset: u32,
    pub line: u32,
    pub file: Option<String>,
}

/// The directives of a text as they are read.
pub(super) struct Directives {
    markers: Vec<PresumedLine>,
    packings: Vec<PackingPragma>,
    /// The limits that `#pragma pack(push)` has put aside.
    pushed: Vec<Option<u64>>,
    /// One complaint about a text that was not preprocessed is enough.
    reported: bool,
}

impl Directives {
    pub fn new() -> Self {
        Self { markers: Vec::new(), packings: Vec::new(), pushed: Vec::new(), reported: false }
    }

    /// What was read: line markers, and the limits that `#pragma pack` sets.
    pub fn into_parts(self) -> (Vec<PresumedLine>, Vec<PackingPragma>) {
        (self.markers, self.packings)
    }

    /// Reads a directive: `line` is what stands behind `#`, `next_line` the offset of the line below.
    pub fn read(&mut self, line: &str, span: Span, next_line: u32, diagnostics: &mut Diagnostics) {
        let line = without_continuations(line);
        let line = line.trim();
        let word_end = line.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(line.len());
        let (word, rest) = line.split_at(word_end);
        match word {
            "line" => self.line_marker(rest, span, next_line, diagnostics),
            "pragma" => self.pragma(rest, span, next_line, diagnostics),
            "" if rest.is_empty() => {}
            "ident" | "sccs" => {}
            _ if word.starts_with(|c: char| c.is_ascii_digit()) => self.line_marker(line, span, next_line, diagnostics),
            _ if self.reported => {}
            _ => {
                self.reported = true;
                let message = "a preprocessor directive in text that was not preprocessed";
                let help = "run the file through the preprocessor first (`cc -E`)";
                diagnostics.push(Diagnostic::error("preprocessor-directive", message).at(span).help(help));
            }
        }
    }

    /// Pragmas say nothing that matters to the meaning of a program, but for some that are refused and for `pack`, which
    /// changes the layout of structures: `pack(n)`, `pack()`, `pack(push)`, `pack(push, n)`, `pack(pop)`.
    fn pragma(&mut self, text: &str, span: Span, next_line: u32, diagnostics: &mut Diagnostics) {
        let word = text.split_whitespace().next().unwrap_or_default();
        if matches!(word, "scalar_storage_order" | "redefine_extname" | "weak") {
            let message = format!("`#pragma {word}` is not supported");
            diagnostics.push(Diagnostic::error("unsupported-pragma", message).at(span));
            return;
        }
        let Some(arguments) = text.trim_start().strip_prefix("pack") else { return };
        let arguments: String = arguments.chars().filter(|c| !c.is_whitespace()).collect();
        let Some(arguments) = arguments.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else { return };
        let current = self.packings.last().and_then(|packing| packing.limit);
        let mut limit = current;
        let mut understood = true;
        for (at, word) in arguments.split(',').enumerate() {
            match word {
                "push" if at == 0 => self.pushed.push(current),
                "pop" if at == 0 => limit = self.pushed.pop().unwrap_or(None),
                "" if at == 0 => limit = None,
                number => match number.parse::<u64>() {
                    Ok(bytes) if bytes <= 16 && bytes.is_power_of_two() => limit = Some(bytes),
                    Ok(0) => limit = None,
                    _ => understood = false,
                },
            }
        }
        if understood {
            self.packings.push(PackingPragma { offset: next_line, limit });
            return;
        }
        let message = "this `#pragma pack` is not supported";
        let help = "give it a number of bytes, `push` or `pop`";
        diagnostics.push(Diagnostic::error("unsupported-pragma", message).at(span).help(help));
    }

    /// A line number, perhaps a file name, and flags that say nothing of interest here.
    fn line_marker(&mut self, text: &str, span: Span, offset: u32, diagnostics: &mut Diagnostics) {
        let text = text.trim_start();
        let (digits, rest) = text.split_at(text.bytes().take_while(u8::is_ascii_digit).count());
        let rest = rest.trim_start();
        if digits.is_empty() || !(rest.is_empty() || rest.starts_with('"')) {
            diagnostics.push(Diagnostic::error("bad-line-marker", "this line marker is not understood").at(span));
            return;
        }
        // Lines count from 1; compilers mark what they made up themselves as line 0. The upper limit is that of 6.10.4.
        let line = digits.parse::<u32>().unwrap_or(u32::MAX).clamp(1, i32::MAX as u32);
        self.markers.push(PresumedLine { offset, line, file: rest.strip_prefix('"').map(file_name) });
    }
}

/// The name in a line marker, from behind its opening quote.
fn file_name(quoted: &str) -> String {
    let mut name = Vec::new();
    let mut bytes = quoted.bytes().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => break,
            b'\\' => {
                let mut octal = None;
                for _ in 0..3 {
                    let Some(digit) = bytes.next_if(|byte| matches!(byte, b'0'..=b'7')) else { break };
                    octal = Some((octal.unwrap_or(0u8) << 3) | (digit - b'0'));
                }
                name.extend(octal.or_else(|| bytes.next()));
            }
            _ => name.push(byte),
        }
    }
    String::from_utf8_lossy(&name).into_owned()
}
