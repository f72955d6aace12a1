//! Transition invariants as text: `\at(e, AnyPrev)` is the value of `e` at an earlier visit of the same place.
//!
//! A relation between all earlier and later states at a place shows that the place is not visited for ever if it is a
//! finite union of well-founded relations (A. Podelski, A. Rybalchenko: Transition Invariants, LICS 2004). Whether it is, is
//! looked for in the text: a disjunct in which something descends strictly, and is bounded where numbers are not.

/// A transition invariant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct TransitionInvariant {
    /// As it is written.
    pub(crate) text: String,
    /// The expressions whose earlier values it speaks of.
    pub(crate) kept: Vec<String>,
    /// The invariant over variables that hold them: `semper_o0`, `semper_o1` and so on.
    pub(crate) now: String,
}

impl TransitionInvariant {
    /// Reads one; or what is wrong with it.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let (mut kept, mut now): (Vec<String>, String) = (Vec::new(), String::new());
        let mut rest = text;
        while let Some(start) = rest.find("\\at") {
            now.push_str(&rest[..start]);
            let after = rest[start + 3..].trim_start();
            let inside = after.strip_prefix('(').ok_or("`\\at` needs two operands in parentheses")?;
            let end = closing(inside).ok_or("`\\at` is not closed")?;
            let (expression, label) = inside[..end].rsplit_once(',').ok_or("`\\at` needs two operands")?;
            if label.trim() != "AnyPrev" {
                return Err(format!("`\\at(…, {})` is not known: `AnyPrev` is", label.trim()));
            }
            let expression = expression.trim().to_owned();
            let index = kept.iter().position(|known| *known == expression).unwrap_or_else(|| {
                kept.push(expression.clone());
                kept.len() - 1
            });
            now.push_str(&format!("semper_o{index}"));
            rest = &inside[end + 1..];
        }
        now.push_str(rest);
        Ok(Self { text: text.to_owned(), kept, now })
    }

    /// An expression that keeps the values of some visit, and evaluates something at later ones.
    pub(crate) fn evaluated(&self, what: &str) -> String {
        let declare = |(index, kept): (usize, &String)| format!("static __typeof__({kept}) semper_o{index}; ");
        let keep = |(index, kept): (usize, &String)| format!("semper_o{index} = ({kept}), ");
        let declared: String = self.kept.iter().enumerate().map(declare).collect();
        let keeping: String = self.kept.iter().enumerate().map(keep).collect();
        format!(
            "({{ static int semper_has; {declared}\
             (semper_has ? ({what}, 0) : semper_choice() ? ({keeping}semper_has = 1, 0) : 0); 0; }})"
        )
    }
}

/// The offset of the parenthesis that closes a text which begins behind the opening one.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0u32;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 0 => return Some(at),
            b')' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Whether each disjunct descends: `\at(e, AnyPrev) > e`, with `e >= c` or `\at(e, AnyPrev) >= c` beside it where
/// integers are unbounded. Of integers with a width, a rising one comes to an end too.
pub(crate) fn is_well_founded(text: &str, are_unbounded: bool) -> bool {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    split(bare(&text), "||").iter().all(|disjunct| {
        let conjuncts = split(bare(disjunct), "&&");
        conjuncts.iter().any(|conjunct| {
            let Some((greater, less)) = strict(bare(conjunct)) else { return false };
            let descends = forgotten(greater).is_some_and(|then| then == less);
            let rises = forgotten(less).is_some_and(|then| then == greater);
            if !are_unbounded {
                return descends || rises;
            }
            let is_bounded = |other: &&str| {
                let bounds = |expression: &str| {
                    let below = [format!("{expression}>="), format!("{expression}>")];
                    let above = [format!("<={expression}"), format!("<{expression}")];
                    let is_number = |rest: &str| rest.parse::<i128>().is_ok();
                    below.iter().any(|start| other.strip_prefix(start.as_str()).is_some_and(is_number))
                        || above.iter().any(|end| other.strip_suffix(end.as_str()).is_some_and(is_number))
                };
                bounds(less) || bounds(greater)
            };
            descends && conjuncts.iter().map(|other| bare(other)).any(|other| is_bounded(&other))
        })
    })
}

/// An expression over earlier values only, over the values of now.
fn forgotten(text: &str) -> Option<String> {
    const TYPES: [&str; 6] = ["longlong", "long", "int", "__int128", "short", "char"];
    let (mut result, mut rest) = (String::new(), text);
    loop {
        let start = rest.find("\\at(");
        let between = &rest[..start.unwrap_or(rest.len())];
        let words = between.split(|c: char| !c.is_alphanumeric() && c != '_');
        let is_variable = |word: &str| !word.is_empty() && !word.starts_with(|c: char| c.is_ascii_digit());
        if words.filter(|word| is_variable(word)).any(|word| !TYPES.contains(&word)) {
            return None;
        }
        result.push_str(between);
        let Some(start) = start else { return text.contains("\\at(").then_some(result) };
        let inside = &rest[start + 4..];
        let end = closing(inside)?;
        result.push_str(inside[..end].strip_suffix(",AnyPrev")?);
        rest = &inside[end + 1..];
    }
}

/// The greater and the lesser side of a strict comparison.
fn strict(text: &str) -> Option<(&str, &str)> {
    let sides = |sign: &str| {
        let parts = split(text, sign);
        match parts[..] {
            [left, right] if !right.starts_with(['=', '<', '>']) && !left.ends_with('-') => Some((left, right)),
            _ => None,
        }
    };
    sides(">").or_else(|| sides("<").map(|(left, right)| (right, left)))
}

/// A text without parentheses around all of it.
fn bare(text: &str) -> &str {
    match text.strip_prefix('(') {
        Some(inside) if closing(inside) == Some(inside.len() - 1) => bare(&inside[..inside.len() - 1]),
        _ => text,
    }
}

/// The parts of a text between signs that stand outside of parentheses.
fn split<'t>(text: &'t str, sign: &str) -> Vec<&'t str> {
    let (mut parts, mut depth, mut start, mut at) = (Vec::new(), 0u32, 0, 0);
    while at < text.len() {
        let rest = &text.as_bytes()[at..];
        match rest[0] {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            _ if depth == 0 && rest.starts_with(sign.as_bytes()) => {
                parts.push(&text[start..at]);
                at += sign.len();
                start = at;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    parts.push(&text[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn earlier_values_are_found() {
        let read =
            TransitionInvariant::read("\\at(x, AnyPrev) > x && \\at(a[f], AnyPrev) == \\at( x , AnyPrev)").unwrap();
        assert_eq!(read.kept, ["x", "a[f]"]);
        assert_eq!(read.now, "semper_o0 > x && semper_o1 == semper_o0");
        for wrong in ["\\at x", "\\at(x", "\\at(x)", "\\at(x, Pre)"] {
            assert!(TransitionInvariant::read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn relations_that_descend_are_told() {
        let cases = [
            ("\\at(x, AnyPrev) > x", true, false),
            ("x < \\at(x, AnyPrev) && x >= 0", true, true),
            ("(\\at(x, AnyPrev) > x && 0 <= x) || (\\at(y + 1, AnyPrev) > y + 1 && y + 1 > -3)", true, true),
            ("\\at(x, AnyPrev) < x", true, false),
            (
                "2LL * (long long)(\\at(x, AnyPrev)) - (long long)(\\at(y, AnyPrev)) > 2LL * (long long)(x) - (long long)(y) \
                 && 2LL * (long long)(\\at(x, AnyPrev)) - (long long)(\\at(y, AnyPrev)) >= 0",
                true,
                true,
            ),
            ("\\at(x, AnyPrev) + y > x + y", false, false),
            ("\\at(x, AnyPrev) >= x", false, false),
            ("\\at(x, AnyPrev) > y", false, false),
            ("\\at(x, AnyPrev) > x || y == 0", false, false),
            ("1", false, false),
        ];
        for (text, machine, ideal) in cases {
            assert_eq!(is_well_founded(text, false), machine, "{text}");
            assert_eq!(is_well_founded(text, true), ideal, "{text}");
        }
    }
}
