//! Whether a C text needs a preprocessor.

/// Whether a text needs a preprocessor: outside of comments and literals, a line begins with `#` or `%:`, or there is `_Pragma`
/// or a word like `__SIZE_TYPE__`, which compilers predefine. Line markers (`# 12 "file.c"`) and pragmas do not count, because
/// they are left in preprocessed text.
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
            b'%' if line_begins && bytes.get(at + 1) == Some(&b':') => return true,
            byte if is_word(byte) => {
                let length = bytes[at..].iter().take_while(|byte| is_word(**byte)).count();
                if is_expanded(&bytes[at..at + length]) {
                    return true;
                }
                line_begins = false;
                at += length;
                continue;
            }
            _ => line_begins = false,
        }
        at += 1;
    }
    false
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Whether the preprocessor replaces a word in every text.
fn is_expanded(word: &[u8]) -> bool {
    if word == b"_Pragma" {
        return true;
    }
    // These two are no macros: the compiler itself knows them.
    let is_function = matches!(word, b"__FUNCTION__" | b"__PRETTY_FUNCTION__");
    let inner = word.strip_prefix(b"__").and_then(|rest| rest.strip_suffix(b"__")).unwrap_or_default();
    let is_large = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_';
    !is_function && inner.iter().any(u8::is_ascii_uppercase) && inner.iter().all(is_large)
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
            "%:define A 1\n",
            "_Pragma(\"pack(1)\") struct { char c; int i; } s;",
            "__SIZE_TYPE__ n = __LINE__;",
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
            "int x = 7 %:1;",
            "char *s = \"_Pragma __LINE__\"; // __FILE__\n",
            "const char *f = __FUNCTION__; int __attribute__((packed)) a; int ___, my_Pragma, __A, A__;",
        ] {
            assert!(!has_directives(text), "{text}");
        }
    }
}
