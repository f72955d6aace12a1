//! What users see, for every shape of place a diagnostic can speak of.

use foundation::{Diagnostic, Diagnostics, SourceId, SourceMap, Span};

use super::*;

/// The span of a part of a text.
fn part(sources: &SourceMap, source: SourceId, part: &str) -> Span {
    let start = sources.text(source).find(part).unwrap() as u32;
    Span { source, start, end: start + part.len() as u32 }
}

fn shown(diagnostic: &Diagnostic, sources: &SourceMap) -> String {
    let text = render_one(diagnostic, sources, Style { colours: false, width: 80 });
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    text
}

#[test]
fn a_place_is_underlined_with_its_label() {
    let mut sources = SourceMap::new();
    let source = sources.add("a.c", "int x;\n\tint y = z + 1;\n");
    let diagnostic = Diagnostic::error("unknown-name", "there is no variable `z`")
        .label(part(&sources, source, "z"), "not declared")
        .help("declare it")
        .help("or not");
    let expected = "\
error[unknown-name]: there is no variable `z`
 --> a.c:2:10
  |
2 |     int y = z + 1;
  |             ^ not declared
  |
  = help: declare it
  = help: or not";
    assert_eq!(shown(&diagnostic, &sources), expected);
}

#[test]
fn places_of_one_file_share_an_excerpt_and_single_lines_between_are_shown() {
    let mut sources = SourceMap::new();
    let source = sources.add("a.c", "int x;\nint between;\nchar x;\n\n\n\n\nlong x;\n");
    let diagnostic = Diagnostic::error("redeclared", "`x` is declared with another type")
        .label(part(&sources, source, "char x"), "here")
        .also(part(&sources, source, "int x"), "first here")
        .also(part(&sources, source, "long x"), "and here");
    let expected = "\
error[redeclared]: `x` is declared with another type
 --> a.c:3:1
  |
1 | int x;
  | ----- first here
2 | int between;
3 | char x;
  | ^^^^^^ here
...
8 | long x;
  | ------ and here";
    assert_eq!(shown(&diagnostic, &sources), expected);
}

#[test]
fn places_of_other_files_are_shown_after_it() {
    let mut sources = SourceMap::new();
    let source = sources.add("a.c", "int x;\n");
    let other = sources.add("b.c", "\nchar x;\n");
    let diagnostic = Diagnostic::warning("redeclared", "`x` differs")
        .at(part(&sources, source, "int x"))
        .also(part(&sources, other, "char x"), "there");
    let expected = "\
warning[redeclared]: `x` differs
 --> a.c:1:1
  |
1 | int x;
  | ^^^^^
  |
 ::: b.c:2:1
  |
2 | char x;
  | ------ there";
    assert_eq!(shown(&diagnostic, &sources), expected);
}

#[test]
fn a_place_over_several_lines_is_drawn_along_them() {
    let mut sources = SourceMap::new();
    let source = sources.add("a.c", "f(1,\n  2,\n  3);\n");
    let diagnostic =
        Diagnostic::error("arguments", "too many").label(part(&sources, source, "(1,\n  2,\n  3)"), "these");
    let expected = "\
error[arguments]: too many
 --> a.c:1:2
  |
1 |   f(1,
  |  __^
2 | |   2,
3 | |   3);
  | |____^ these";
    assert_eq!(shown(&diagnostic, &sources), expected);
}

#[test]
fn a_long_line_is_shortened_around_the_place() {
    let mut sources = SourceMap::new();
    let text = format!("int a = {}; bad; {}", "1 + ".repeat(400), "int b; ".repeat(400));
    let source = sources.add("a.c", text);
    let diagnostic = Diagnostic::error("x", "y").label(part(&sources, source, "bad"), "this");
    let text = shown(&diagnostic, &sources);
    assert!(text.contains("bad;") && text.contains("^^^ this"), "{text}");
}

#[test]
fn the_users_line_is_shown_and_preprocessed_text_is_said_to_be_so() {
    let mut sources = SourceMap::new();
    let source = sources.add("a.c", "# 1 \"a.c\"\nint x = y;\nint z = (1 +);\n");
    sources.mark_line(source, 10, "a.c", 1);
    sources.add_original("a.c", "int  x = /* ago */ y;\nint z = ONE;\n");
    let own = Diagnostic::error("x", "m").at(part(&sources, source, "y"));
    assert!(shown(&own, &sources).contains("1 | int  x = /* ago */ y;\n  |                    ^"));
    let expanded = Diagnostic::error("x", "m").at(part(&sources, source, "+)"));
    let expected = "\
error[x]: m
 --> a.c:2:12
  |
2 | int z = (1 +);
  |            ^^
  |
  = note: the line is shown as it stands after preprocessing";
    assert_eq!(shown(&expanded, &sources), expected);
}

#[test]
fn places_on_one_line_are_shown_in_one_text() {
    let mut sources = SourceMap::new();
    let source = sources.add("a.c", "# 1 \"a.c\"\nint z = ((1) + (2);\n");
    sources.mark_line(source, 10, "a.c", 1);
    sources.add_original("a.c", "int z = SUM(1, 2);\n");
    let diagnostic =
        Diagnostic::error("x", "m").at(part(&sources, source, ") + ")).also(part(&sources, source, "("), "opened here");
    let expected = "\
error[x]: m
 --> a.c:1:12
  |
1 | int z = ((1) + (2);
  |         -  ^^^^
  |         |
  |         opened here
  |
  = note: the line is shown as it stands after preprocessing";
    assert_eq!(shown(&diagnostic, &sources), expected);
}

#[test]
fn every_span_of_an_awkward_text_can_be_shown() {
    let mut sources = SourceMap::new();
    let texts = ["", "\n", "a", "ä\t€\r\nb\u{7}\u{1b}[31mc\n\n", "x\u{202e}y\r\r\n𝔘"];
    for text in texts {
        let source = sources.add("a.c", text);
        let length = text.len() as u32;
        for start in 0..=length {
            for end in start..=length {
                let span = Span { source, start, end };
                let diagnostic = Diagnostic::error("x", "m").label(span, "here").also(span, "");
                let rendered = render_one(&diagnostic, &sources, Style::PLAIN);
                assert!(rendered.starts_with("error[x]: m"), "{rendered}");
                assert!(!rendered.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{rendered:?}");
            }
        }
    }
}

#[test]
fn they_are_counted() {
    let mut diagnostics = Diagnostics::new();
    assert_eq!(summary(&diagnostics), None);
    assert_eq!(render(&diagnostics, &SourceMap::new(), Style::PLAIN), "");
    diagnostics.push(Diagnostic::warning("w", "one"));
    assert_eq!(summary(&diagnostics).unwrap(), "1 warning");
    diagnostics.push(Diagnostic::error("e", "two"));
    assert_eq!(summary(&diagnostics).unwrap(), "1 error, 1 warning");
    for number in 0..30 {
        diagnostics.push(Diagnostic::error("e", format!("number {number}")));
    }
    assert_eq!(summary(&diagnostics).unwrap(), "31 errors (11 not shown), 1 warning");
}

#[test]
fn json_holds_what_the_text_holds() {
    let mut sources = SourceMap::new();
    let source = sources.add("a.c", "int x;\nint y;\n");
    let mut diagnostics = Diagnostics::new();
    diagnostics
        .push(Diagnostic::error("e", "m").at(part(&sources, source, "y")).also(part(&sources, source, "x"), "l"));
    diagnostics.push(Diagnostic::warning("w", "n").help("h"));
    let expected = serde_json::json!([
        {"severity": "error", "code": "e", "message": "m",
         "place": {"file": "a.c", "line": 2, "column": 5, "text": "y"},
         "related": [{"file": "a.c", "line": 1, "column": 5, "text": "x", "label": "l"}]},
        {"severity": "warning", "code": "w", "message": "n", "help": ["h"]},
    ]);
    assert_eq!(serde_json::to_value(to_json(&diagnostics, &sources)).unwrap(), expected);
}
