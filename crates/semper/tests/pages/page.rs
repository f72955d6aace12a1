//! A Markdown page with files and commands.

use std::fmt::Write as _;

/// A page, as far as it is a test.
#[derive(Debug)]
pub struct Page {
    lines: Vec<String>,
    /// The console blocks, in order.
    pub consoles: Vec<Console>,
}

/// A console block.
#[derive(Debug)]
pub struct Console {
    /// The lines between the fences: from the first, up to but without the last.
    body: std::ops::Range<usize>,
    /// The files in force, later ones replacing earlier ones of the same name.
    pub files: Vec<File>,
    /// The commands that are run.
    pub calls: Vec<Call>,
    /// Everything in the block, for writing it again.
    pieces: Vec<Piece>,
}

#[derive(Debug)]
enum Piece {
    /// Lines that are left alone: a command that is not ours, with its output.
    Other(Vec<String>),
    /// The lines of one of our commands, and its number among the calls.
    Call(Vec<String>, usize),
}

/// A command with what it prints.
#[derive(Debug)]
pub struct Call {
    /// Its line in the page, from 1.
    pub line: usize,
    /// The words of the command, `semper` first.
    pub words: Vec<String>,
    /// What the page says it prints.
    pub expected: Vec<String>,
}

impl Call {
    /// The command, for people.
    pub fn command(&self) -> String {
        format!("$ {}", self.words.join(" "))
    }
}

/// A file that a page defines.
#[derive(Clone, Debug, PartialEq)]
pub struct File {
    /// Its name in the folder where commands run.
    pub name: String,
    /// Its contents.
    pub text: String,
    /// The level of the heading under which it stands.
    level: usize,
}

impl Page {
    /// Reads a page; the error says which line is wrong.
    pub fn parse(text: &str) -> Result<Page, String> {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let mut page = Page { lines: lines.clone(), consoles: Vec::new() };
        let mut files: Vec<File> = Vec::new();
        let mut level = 0;
        let mut at = 0;
        while at < lines.len() {
            if let Some(heading) = heading_level(&lines[at]) {
                level = heading;
                // A file stays in force up to the next heading of its own level or a higher one.
                files.retain(|file| file.level < level);
            }
            let Some((fence, info)) = opening_fence(&lines[at]) else {
                at += 1;
                continue;
            };
            let body =
                at + 1..closing_fence(&lines, at + 1, fence).ok_or(format!("line {}: unclosed block", at + 1))?;
            let mut words = info.split_whitespace();
            match (words.next().unwrap_or(""), words.next()) {
                ("console", _) => page.consoles.push(console(&lines, body.clone(), &files, "$ ")?),
                // A picture with the command that draws it, in a comment.
                ("mermaid", _) if lines[body.start].starts_with("%% $ ") => {
                    page.consoles.push(console(&lines, body.clone(), &files, "%% $ ")?);
                }
                (language, name) => {
                    if let Some(name) = name.or((language == "c").then_some("example.c")) {
                        if name.starts_with('/') || name.split('/').any(|part| part == "..") {
                            return Err(format!("line {}: a file must stay in its folder", at + 1));
                        }
                        let text = lines[body.clone()].iter().map(|line| format!("{line}\n")).collect();
                        files.retain(|file| file.name != name);
                        files.push(File { name: name.to_owned(), text, level });
                    }
                }
            }
            at = body.end + 1;
        }
        Ok(page)
    }

    /// The page with what its commands are now expected to print.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        let mut at = 0;
        for console in &self.consoles {
            let mut body = Vec::new();
            for piece in &console.pieces {
                match piece {
                    Piece::Other(lines) => body.extend(lines),
                    Piece::Call(lines, number) => {
                        body.extend(lines);
                        body.extend(&console.calls[*number].expected);
                    }
                }
            }
            for line in self.lines[at..console.body.start].iter().chain(body) {
                writeln!(text, "{line}").unwrap();
            }
            at = console.body.end;
        }
        for line in &self.lines[at..] {
            writeln!(text, "{line}").unwrap();
        }
        text
    }
}

fn heading_level(line: &str) -> Option<usize> {
    let level = line.bytes().take_while(|&byte| byte == b'#').count();
    (1..=6).contains(&level).then_some(level).filter(|&level| line[level..].starts_with(' '))
}

/// The length of the fence and what follows it.
fn opening_fence(line: &str) -> Option<(usize, &str)> {
    let length = line.bytes().take_while(|&byte| byte == b'`').count();
    (length >= 3 && !line[length..].contains('`')).then(|| (length, line[length..].trim()))
}

fn closing_fence(lines: &[String], from: usize, fence: usize) -> Option<usize> {
    let closes = |line: &String| line.len() >= fence && line.trim_end().bytes().all(|byte| byte == b'`');
    (from..lines.len()).find(|&at| closes(&lines[at]) && lines[at].trim_end().len() >= fence)
}

/// A block of commands, each in a line that begins with the prompt.
fn console(lines: &[String], body: std::ops::Range<usize>, files: &[File], prompt: &str) -> Result<Console, String> {
    let mut console = Console { body: body.clone(), files: files.to_vec(), calls: Vec::new(), pieces: Vec::new() };
    let mut at = body.start;
    while at < body.end {
        let mut command_lines = vec![lines[at].clone()];
        let Some(first) = lines[at].strip_prefix(prompt) else {
            return Err(format!("line {}: a console block begins with `$ ` and a command", at + 1));
        };
        let line = at + 1;
        let mut command = first.to_owned();
        at += 1;
        while command.ends_with('\\') && at < body.end {
            command.pop();
            command.push_str(lines[at].strip_prefix("> ").unwrap_or(&lines[at]));
            command_lines.push(lines[at].clone());
            at += 1;
        }
        let output = at..(at..body.end).find(|&next| lines[next].starts_with(prompt)).unwrap_or(body.end);
        at = output.end;
        let words = split_words(&command).map_err(|fault| format!("line {line}: {fault}"))?;
        if words.first().is_some_and(|word| word == "semper") {
            console.pieces.push(Piece::Call(command_lines, console.calls.len()));
            console.calls.push(Call { line, words, expected: lines[output].to_vec() });
        } else {
            command_lines.extend(lines[output].iter().cloned());
            console.pieces.push(Piece::Other(command_lines));
        }
    }
    if console.calls.is_empty() {
        return Err(format!("line {}: a console block without `$ semper` tests nothing", body.start));
    }
    Ok(console)
}

/// Splits a command as a shell does, as far as words and quotes go. Everything else a shell does is refused.
fn split_words(command: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = command.chars();
    while let Some(character) = characters.next() {
        match character {
            ' ' => words.extend(word.take()),
            '\'' => loop {
                match characters.next() {
                    None => return Err("a quote is not closed".to_owned()),
                    Some('\'') => break word.get_or_insert_default().push_str(""),
                    Some(inner) => word.get_or_insert_default().push(inner),
                }
            },
            '"' => loop {
                match characters.next() {
                    None => return Err("a quote is not closed".to_owned()),
                    Some('"') => break word.get_or_insert_default().push_str(""),
                    Some('\\') => word.get_or_insert_default().extend(characters.next()),
                    Some(inner) => word.get_or_insert_default().push(inner),
                }
            },
            '\\' => word.get_or_insert_default().extend(characters.next()),
            '|' | '<' | '>' | ';' | '&' | '$' | '`' | '*' if words.first().is_some_and(|first| first == "semper") => {
                return Err(format!("`{character}` is not understood: a page runs one command at a time"));
            }
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Ok(words)
}

#[test]
fn commands_are_split_as_a_shell_does() {
    for (command, words) in [
        ("semper run a.c", vec!["semper", "run", "a.c"]),
        ("semper  check --ltl 'G \"x > 0\"'", vec!["semper", "check", "--ltl", "G \"x > 0\""]),
        ("semper \"a \\\" b\" c\\ d ''", vec!["semper", "a \" b", "c d", ""]),
    ] {
        assert_eq!(split_words(command).unwrap(), words);
    }
    assert!(split_words("semper 'a").is_err());
    assert!(split_words("semper cfg a.c | head").is_err());
}

#[test]
fn files_are_in_force_up_to_the_next_heading_of_their_level() {
    let text = "\
# Page
```c all.c
int all;
```
## First
```c
int first;
```
### Inner
```console
$ semper run example.c
```
## Second
```console
$ semper run all.c
old
$ ls
left alone
$ semper cfg \\
>   all.c
[exit 2]
```
";
    let mut page = Page::parse(text).unwrap();
    let names = |console: &Console| console.files.iter().map(|file| file.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&page.consoles[0]), ["all.c", "example.c"]);
    assert_eq!(names(&page.consoles[1]), ["all.c"]);
    assert_eq!(page.consoles[1].calls[1].words, ["semper", "cfg", "all.c"]);
    assert_eq!(page.to_text(), text);
    page.consoles[1].calls[0].expected = vec!["new".to_owned(), "lines".to_owned()];
    assert_eq!(page.to_text(), text.replace("old\n", "new\nlines\n"));
}

#[test]
fn a_picture_is_what_the_command_above_it_prints() {
    let text = "```mermaid\n%% $ semper ltl 'F a' --format mermaid\nflowchart LR\n```\n```mermaid\nflowchart TB\n```\n";
    let page = Page::parse(text).unwrap();
    assert_eq!(page.consoles.len(), 1);
    assert_eq!(page.consoles[0].calls[0].words, ["semper", "ltl", "F a", "--format", "mermaid"]);
    assert_eq!(page.consoles[0].calls[0].expected, ["flowchart LR"]);
    assert_eq!(page.to_text(), text);
}

#[test]
fn pages_that_test_nothing_are_refused() {
    for text in ["```console\n$ ls\n```\n", "```console\nsemper run\n```\n", "```c\nint x;\n", "```c ../a.c\n```\n"] {
        assert!(Page::parse(text).is_err(), "{text}");
    }
    assert!(Page::parse("no blocks at all\n").unwrap().consoles.is_empty());
}
