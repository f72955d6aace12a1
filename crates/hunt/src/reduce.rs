//! Makes a program small while it stays interesting (Zeller and Hildebrandt, "Simplifying and isolating failure-inducing
//! input", IEEE TSE 2002): first fewer observed globals, then fewer lines and blocks, then fewer tokens in what is left.
//! It knows nothing of C but braces at the ends of lines and how tokens look; what is no longer a program, or has become
//! undefined, is for the caller's test to reject.

use crate::program::GeneratedProgram;

/// The smallest program found for which `is_interesting` holds, with at most `attempts` calls of it.
pub fn reduce(
    program: &GeneratedProgram,
    attempts: usize,
    is_interesting: &mut dyn FnMut(&GeneratedProgram) -> bool,
) -> GeneratedProgram {
    let mut reducer = Reducer { best: program.clone(), attempts, is_interesting };
    loop {
        let before = reducer.best.text.len() + reducer.best.globals.len() + reducer.best.inputs.len();
        reducer.drop_globals();
        reducer.drop_inputs();
        reducer.drop_lines();
        reducer.unwrap_blocks();
        reducer.drop_tokens();
        let after = reducer.best.text.len() + reducer.best.globals.len() + reducer.best.inputs.len();
        if after >= before || reducer.attempts == 0 {
            return reducer.best;
        }
    }
}

struct Reducer<'a> {
    best: GeneratedProgram,
    attempts: usize,
    is_interesting: &'a mut dyn FnMut(&GeneratedProgram) -> bool,
}

impl Reducer<'_> {
    fn attempt(&mut self, candidate: GeneratedProgram) -> bool {
        if self.attempts == 0 {
            return false;
        }
        self.attempts -= 1;
        let interesting = (self.is_interesting)(&candidate);
        if interesting {
            self.best = candidate;
        }
        interesting
    }

    fn attempt_lines(&mut self, lines: Vec<String>) -> bool {
        let mut text = lines.join("\n");
        text.push('\n');
        self.attempt(GeneratedProgram { text, ..self.best.clone() })
    }

    fn drop_globals(&mut self) {
        let mut chunk = self.best.globals.len();
        while chunk > 0 {
            let mut start = 0;
            while start < self.best.globals.len() {
                let mut candidate = self.best.clone();
                let end = (start + chunk).min(candidate.globals.len());
                candidate.globals.drain(start..end);
                if candidate.globals.is_empty() || !self.attempt(candidate) {
                    start += chunk;
                }
            }
            chunk /= 2;
        }
    }

    fn drop_inputs(&mut self) {
        while self.best.inputs.len() > 1 {
            let mut candidate = self.best.clone();
            candidate.inputs.truncate(self.best.inputs.len() / 2);
            if !self.attempt(candidate) {
                return;
            }
        }
    }

    /// Removes runs of lines, where a line that opens a block stands for the whole block.
    fn drop_lines(&mut self) {
        let mut run = 16;
        while run > 0 {
            let mut start = 0;
            loop {
                let lines = lines_of(&self.best.text);
                if start >= lines.len() {
                    break;
                }
                let end = end_of_run(&lines, start, run);
                if end == start {
                    start += 1;
                    continue;
                }
                let rest = lines[..start].iter().chain(&lines[end..]).cloned().collect();
                if !self.attempt_lines(rest) {
                    start += 1;
                }
            }
            run /= 2;
        }
    }

    /// Replaces blocks by what is inside them, and drops alternatives.
    fn unwrap_blocks(&mut self) {
        let mut start = 0;
        loop {
            let lines = lines_of(&self.best.text);
            if start >= lines.len() {
                return;
            }
            let mut progress = false;
            if let Some(end) = end_of_block(&lines, start) {
                if is_closing(&lines[start]) {
                    let mut without = lines.clone();
                    without.splice(start..=end, [lines[end].clone()]);
                    progress = self.attempt_lines(without);
                } else if !is_opening(&lines[end]) {
                    let mut without = lines.clone();
                    without.remove(end);
                    without.remove(start);
                    progress = self.attempt_lines(without);
                }
            }
            if !progress {
                start += 1;
            }
        }
    }

    /// Removes runs of tokens within a line, and replaces parenthesised parts by small constants.
    fn drop_tokens(&mut self) {
        let mut line = 0;
        while line < lines_of(&self.best.text).len() {
            let mut position = 0;
            loop {
                let lines = lines_of(&self.best.text);
                let tokens = tokens_of(&lines[line]);
                if position >= tokens.len() {
                    break;
                }
                if !self.drop_tokens_at(&lines, line, &tokens, position) {
                    position += 1;
                }
            }
            line += 1;
        }
    }

    fn drop_tokens_at(&mut self, lines: &[String], line: usize, tokens: &[String], position: usize) -> bool {
        let mut replacements: Vec<(usize, &[&str])> = Vec::new();
        if let Some(length) = group_length(&tokens[position..]) {
            if length > 3 {
                replacements.push((length, &["0"]));
                replacements.push((length, &["1"]));
            }
            replacements.push((length, &[]));
        }
        for length in [12, 8, 5, 3, 2, 1] {
            if position + length <= tokens.len() {
                replacements.push((length, &[]));
            }
        }
        for (length, replacement) in replacements {
            let mut shorter: Vec<&str> = tokens[..position].iter().map(String::as_str).collect();
            shorter.extend(replacement);
            shorter.extend(tokens[position + length..].iter().map(String::as_str));
            let mut candidate = lines.to_vec();
            candidate[line] = shorter.concat();
            if self.attempt_lines(candidate) {
                return true;
            }
        }
        if let Some(length) = group_length(&tokens[position..]).filter(|length| *length > 2) {
            let mut hoisted: Vec<&str> = tokens[..position].iter().map(String::as_str).collect();
            hoisted.extend(tokens[position + 1..position + length - 1].iter().map(String::as_str));
            hoisted.extend(tokens[position + length..].iter().map(String::as_str));
            let mut candidate = lines.to_vec();
            candidate[line] = hoisted.concat();
            return self.attempt_lines(candidate);
        }
        false
    }
}

fn lines_of(text: &str) -> Vec<String> {
    text.lines().filter(|line| !line.trim().is_empty()).map(str::to_string).collect()
}

fn is_opening(line: &str) -> bool {
    line.trim_end().ends_with('{')
}

fn is_closing(line: &str) -> bool {
    line.trim_start().starts_with('}')
}

/// The line that closes the block opened by line `start`, if that line opens one.
fn end_of_block(lines: &[String], start: usize) -> Option<usize> {
    if !is_opening(&lines[start]) {
        return None;
    }
    let mut depth = 1;
    for (index, line) in lines.iter().enumerate().skip(start + 1) {
        if is_closing(line) {
            depth -= 1;
            if depth == 0 {
                return Some(index);
            }
        }
        if is_opening(line) {
            depth += 1;
        }
    }
    None
}

/// Where a run of at most so many lines or whole blocks ends; `start` itself where the line cannot begin a run.
fn end_of_run(lines: &[String], start: usize, run: usize) -> usize {
    let mut end = start;
    for _ in 0..run {
        if end >= lines.len() || is_closing(&lines[end]) {
            break;
        }
        end = match end_of_block(lines, end) {
            Some(mut closing) => {
                while let Some(next) = end_of_block(lines, closing) {
                    closing = next;
                }
                closing + 1
            }
            None => end + 1,
        };
    }
    end
}

/// Words, numbers, quoted texts and single signs; blanks go with what precedes them.
fn tokens_of(line: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut quote = None;
    let mut escaped = false;
    for character in line.chars() {
        let is_word = |character: char| character.is_alphanumeric() || character == '_';
        let joins = match tokens.last() {
            _ if quote.is_some() => true,
            None => false,
            Some(_) if character.is_whitespace() => true,
            Some(last) => {
                let end = last.chars().last().unwrap_or(' ');
                (is_word(character) && is_word(end)) || ("=<>&|+-".contains(end) && "=<>&|+-".contains(character))
            }
        };
        match quote {
            Some(_) if escaped => escaped = false,
            Some(_) if character == '\\' => escaped = true,
            Some(mark) if character == mark => quote = None,
            Some(_) => {}
            None if character == '"' || character == '\'' => quote = Some(character),
            None => {}
        }
        match tokens.last_mut() {
            Some(last) if joins => last.push(character),
            _ => tokens.push(character.to_string()),
        }
    }
    tokens
}

/// The number of tokens of the parenthesised group at the beginning, parentheses included.
fn group_length(tokens: &[String]) -> Option<usize> {
    if !tokens.first()?.starts_with('(') {
        return None;
    }
    let mut depth = 0;
    for (index, token) in tokens.iter().enumerate() {
        match token.chars().next() {
            Some('(') => depth += 1,
            Some(')') => {
                depth -= 1;
                if depth == 0 {
                    return Some(index + 1);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Size, generate};

    #[test]
    fn tokens_keep_the_text() {
        for seed in 0..20 {
            for line in generate(seed, Size::Small).text.lines() {
                assert_eq!(tokens_of(line).concat(), line);
            }
        }
    }

    #[test]
    fn a_program_is_reduced_to_the_lines_that_matter() {
        let program = generate(3, Size::Medium);
        let mut calls = 0;
        let mut interesting = |candidate: &GeneratedProgram| {
            calls += 1;
            let opened = candidate.text.lines().filter(|line| is_opening(line)).count();
            let closed = candidate.text.lines().filter(|line| is_closing(line)).count();
            candidate.text.contains("int main(void) {") && opened == closed
        };
        let reduced = reduce(&program, 100_000, &mut interesting);
        assert_eq!(reduced.text.split_whitespace().collect::<Vec<_>>().join(" "), "int main(void) { }");
        assert!(calls <= 100_000);
    }

    #[test]
    fn nothing_is_lost_without_attempts() {
        let program = generate(4, Size::Small);
        let reduced = reduce(&program, 0, &mut |_| true);
        assert_eq!(reduced.text, program.text);
    }
}
