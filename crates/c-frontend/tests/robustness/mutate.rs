//! Damage to a program, token by token: pieces are deleted, doubled, swapped, replaced, and brought in from others.

use super::random::Random;

/// A damaged copy of a text; `others` give the pieces that are brought in.
pub fn damaged(random: &mut Random, text: &str, others: &[String]) -> String {
    let mut tokens = tokens(text);
    for _ in 0..=random.below(5) {
        if tokens.is_empty() {
            break;
        }
        let at = random.below(tokens.len());
        let end = (at + 1 + random.below(6)).min(tokens.len());
        match random.below(8) {
            0 => drop(tokens.drain(at..end)),
            1 => drop(tokens.splice(at..at, tokens[at..end].to_vec())),
            2 => {
                let other = random.below(tokens.len());
                tokens.swap(at, other);
            }
            3 => tokens[at] = random.pick(SPICES),
            4 => tokens.insert(at, random.pick(SPICES)),
            5 => tokens[at] = tokens[random.below(tokens.len())],
            6 => drop(tokens.remove(at)),
            _ => {
                let other = random.below(others.len());
                return spliced(random, &tokens, &others[other]);
            }
        }
    }
    tokens.join(" ")
}

/// The same with a run of tokens, or a line, of another program.
fn spliced(random: &mut Random, into: &[&str], other: &str) -> String {
    let from = tokens(other);
    if from.is_empty() {
        return into.join(" ");
    }
    let at = random.below(into.len());
    let begin = random.below(from.len());
    let end = (begin + 1 + random.below(25)).min(from.len());
    let mut all = into.to_vec();
    all.splice(at..at, from[begin..end].iter().copied());
    all.join(" ")
}

/// The tokens of a text, roughly: words, numbers, literals, lines with directives, signs one by one.
fn tokens(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        let length = match first {
            '"' | '\'' => rest[1..].find([first, '\n']).map_or(rest.len(), |end| end + 2),
            '#' => rest.find('\n').map_or(rest.len(), |end| end + 1),
            _ if word(first) => rest.find(|c| !word(c)).unwrap_or(rest.len()),
            _ => {
                first.len_utf8() + usize::from(rest[first.len_utf8()..].starts_with(first) && "+-&|=<>".contains(first))
            }
        };
        let (token, after) = rest.split_at(length.min(rest.len()));
        found.push(token);
        rest = after.trim_start();
    }
    found
}

const SPICES: &[&str] = &[
    "*",
    "&",
    "-",
    "!",
    "~",
    "++",
    "--",
    "->",
    ".",
    "[0]",
    "[1]",
    "(",
    ")",
    "{",
    "}",
    ";",
    ",",
    "=",
    "+",
    "/",
    "%",
    "<<",
    ">>",
    "==",
    "<",
    "&&",
    "||",
    "?",
    ":",
    "? 1 :",
    "?:",
    "...",
    "0",
    "1",
    "-1",
    "2147483648",
    "0xffffffffffffffff",
    "1e30",
    "1.5f",
    "'a'",
    "\"s\"",
    "L\"w\"",
    "int",
    "char",
    "void",
    "double",
    "float",
    "_Bool",
    "unsigned",
    "long",
    "short",
    "__int128",
    "const",
    "volatile",
    "static",
    "extern",
    "typedef",
    "inline",
    "struct s",
    "union u",
    "enum e",
    "struct s {",
    "union {",
    "enum {",
    "sizeof",
    "sizeof(",
    "_Alignof(int)",
    "__typeof__(",
    "(void)",
    "(int)",
    "(char *)",
    "(void *)",
    "(double)",
    "(_Bool)",
    "(struct s)",
    "if (",
    "else",
    "while (1)",
    "for (;;)",
    "do",
    "switch (x)",
    "case 0:",
    "case 1 ... 3:",
    "default:",
    "break;",
    "continue;",
    "return",
    "goto l;",
    "l:",
    "({",
    "})",
    "(int[]){1, 2}",
    "(struct s){0}",
    "{0}",
    "{}",
    "[3]",
    "[]",
    ".x =",
    "[1] =",
    "[0 ... 2] =",
    "x",
    "y",
    "p",
    "main",
    "malloc(4)",
    "free(p)",
    "__builtin_unreachable()",
    "__VERIFIER_nondet_int()",
    "abort()",
    "asm(\"\" : \"=r\"(x));",
    "_Static_assert(1, \"\");",
    "__attribute__((packed))",
    "__attribute__((aligned(8)))",
    "_Generic(x, int: 1, default: 2)",
    "__builtin_choose_expr(1, x, y)",
    "_Atomic",
    "__auto_type",
    "_Thread_local",
    "__func__",
    ": 3",
    "long double",
    "1.0L",
    "va_list",
    "__builtin_va_list",
];
