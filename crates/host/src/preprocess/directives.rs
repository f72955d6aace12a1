//! Whether a C text needs a preprocessor.

/// Whether a text contains a preprocessor directive: a line, outside comments and string literals, whose first
/// character is `#`. Line markers (`# 12 "file.c"`) and pragmas are none, because they are left in preprocessed text.
pub fn has_directives(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut line_begins = true;
    while at < bytes.len() {
        match bytes[at] {
            b'\n' => line_begins = true,
            b' ' | b'\t' | b'\r' | 0x0b | 0x0c => {}
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                at = end_of_line(bytes, at);
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                at = end_of_comment(bytes, at);
                continue;
            }
            quote @ (b'"' | b'\'') => {
                at = end_of_literal(bytes, at, quote);
                line_begins = false;
                continue;
            }
            b'#' if line_begins => {
                if !stays_in_preprocessed_text(&text[at + 1..]) {
                    return true;
                }
                at = end_of_line(bytes, at);
                continue;
            }
            _ => line_begins = false,
        }
        at += 1;
    }
    false
}

/// Whether what follows a `#` is a line marker, a pragma or an identification string.
fn stays_in_preprocessed_text(rest: &str) -> bool {
    let rest = rest.trim_start_matches([' ', '\t']);
    let word_ends = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
    let word = &rest[..word_ends];
    matches!(word, "pragma" | "ident") || word.starts_with(|c: char| c.is_ascii_digit())
}

/// The next line break, or the end of the text. A backslash before a line break continues the line.
fn end_of_line(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += if bytes.get(at + 1) == Some(&b'\r') { 3 } else { 2 },
            b'\n' => return at,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn end_of_comment(bytes: &[u8], from: usize) -> usize {
    let body = from + 2;
    bytes[body..].windows(2).position(|pair| pair == b"*/").map_or(bytes.len(), |length| body + length + 2)
}

/// The byte after the closing quote, or the line break where there is none.
fn end_of_literal(bytes: &[u8], from: usize, quote: u8) -> usize {
    let mut at = from + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'\n' => return at,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::has_directives;

    #[test]
    fn directives_are_told_from_what_looks_like_them() {
        for text in [
            "#include <stdio.h>\n",
            "int x;\n  \t# define A 1\n",
            "/* a\n */ # define A 1\n",
            "char *s = \"\\\"\";\n#if 1\n",
            "// a comment\n#undef B",
            "# 1 \"a.c\"\nint x;\n#define A",
            "#line 7 \"b.c\"\n",
            "#\n",
        ] {
            assert!(has_directives(text), "{text}");
        }
        for text in [
            "",
            "int x;\n",
            "# 1 \"a.c\"\n# 1 \"<built-in>\" 1\nint x;\n",
            "#pragma GCC poison\n#ident \"x\"\n",
            "// # define\n/*\n#include\n*/\n",
            "// continued \\\n#include <a.h>\n",
            "char *s = \"\\\n#if\";",
            "int x = 1 # 2;",
            "int x; /* a\n */ # define A 1\n",
            "/* never closed\n#if 1",
            "'\\",
            "\"\\",
            "//\\",
        ] {
            assert!(!has_directives(text), "{text}");
        }
    }
}
