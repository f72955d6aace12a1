//! The forms of single texts in a witness: hashes aside, those of identifiers, times and expressions. Expressions are
//! looked at only as far as the format's rules need it; they are not parsed.

/// The part of a path after its last slash: tools differ on what paths are relative to.
pub(crate) fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The beginning of a text, for a message.
pub(crate) fn shortened(text: &str) -> String {
    const MOST_CHARACTERS: usize = 60;
    let line: String =
        text.chars().map(|each| if each.is_control() { ' ' } else { each }).take(MOST_CHARACTERS).collect();
    if text.chars().count() > MOST_CHARACTERS { format!("{line}…") } else { line }
}

/// Whether a text has a backslash outside the quotes of characters and strings.
pub(crate) fn has_backslash(expression: &str) -> bool {
    let mut quote = None;
    let mut characters = expression.chars();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (None, '\\') => return true,
            (Some(_), '\\') => {
                characters.next();
            }
            (None, '"' | '\'') => quote = Some(character),
            (Some(open), close) if open == close => quote = None,
            _ => {}
        }
    }
    false
}

/// Whether an expression is `\result`, a comparison, and something else.
pub(crate) fn is_comparison_of_result(expression: &str) -> bool {
    let Some(rest) = expression.trim().strip_prefix("\\result") else { return false };
    let rest = rest.trim_start();
    let after = ["==", "!=", "<=", ">=", "<", ">"].iter().find_map(|operator| rest.strip_prefix(operator));
    after.is_some_and(|constant| !constant.trim().is_empty())
}

/// Whether a text has the form of a uuid (RFC 4122).
pub(crate) fn is_uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12])
        && groups.iter().all(|group| group.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Whether a text has the form of a date with a time (ISO 8601), with or without fractions of a second and a time zone.
pub(crate) fn is_time(text: &str) -> bool {
    let Some((date, time)) = text.split_once(['T', 't']) else { return false };
    let (clock, zone) = match time.find(['Z', 'z', '+', '-']) {
        Some(at) => time.split_at(at),
        None => (time, "Z"),
    };
    let (clock, fraction) = clock.split_once(['.', ',']).unwrap_or((clock, "0"));
    let is_zone = match zone.split_at_checked(1) {
        Some(("Z" | "z", "")) => true,
        Some(("+" | "-", offset)) => {
            let colon = numbers(offset, ':', &[2, 2]).is_some_and(|part| part[0] < 24 && part[1] < 60);
            let is_basic = matches!(offset.len(), 2 | 4) && offset.bytes().all(|byte| byte.is_ascii_digit());
            colon || is_basic
        }
        _ => false,
    };
    let is_fraction = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let is_date = numbers(date, '-', &[4, 2, 2]).is_some_and(|part| is_day(part[0], part[1], part[2]));
    let is_clock = numbers(clock, ':', &[2, 2, 2]).is_some_and(|part| part[0] < 24 && part[1] < 60 && part[2] <= 60);
    is_date && is_clock && is_fraction && is_zone
}

/// Whether there is such a day.
fn is_day(year: u32, month: u32, day: u32) -> bool {
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        2 => 28 + u32::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&day)
}

/// The numbers of a text between separators, if they have so many digits.
fn numbers(text: &str, separator: char, digits: &[usize]) -> Option<Vec<u32>> {
    let parts: Vec<&str> = text.split(separator).collect();
    let fits = parts.iter().map(|part| part.len()).eq(digits.iter().copied())
        && parts.iter().all(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
    fits.then(|| parts.iter().filter_map(|part| part.parse().ok()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_from_other_texts() {
        for text in [
            "2026-01-31T12:00:00Z",
            "2024-02-29T23:59:60z",
            "2023-09-13t14:36:56.123456+02:00",
            "2023-09-13T14:36:56-0230",
            "2023-09-13T14:36:56+02",
            "2023-09-13T14:36:56",
        ] {
            assert!(is_time(text), "{text}");
        }
        for text in [
            "",
            "T",
            "2026-01-31",
            "2026-01-31 12:00:00Z",
            "2026-02-29T12:00:00Z",
            "1900-02-29T12:00:00Z",
            "2026-13-01T12:00:00Z",
            "2026-04-31T12:00:00Z",
            "2026-01-31T24:00:00Z",
            "2026-01-31T12:60:00Z",
            "2026-01-31T12:00:61Z",
            "2026-01-31T12:00Z",
            "2026-01-31T12:00:00.Z",
            "2026-01-31T12:00:00Zx",
            "2026-01-31T12:00:00+2:00",
            "2026-01-31T12:00:00+24:00",
            "2026-01-31T12:00:00+",
            "26-01-31T12:00:00Z",
            "2026-01-31T12:00:00ü",
        ] {
            assert!(!is_time(text), "{text}");
        }
    }

    #[test]
    fn backslashes_in_quotes_do_not_count() {
        for (text, expected) in [
            ("\\result == 1", true),
            ("x == '\\n'", false),
            ("x == '\\''", false),
            ("x == '\\'' && \\at(x, Pre)", true),
            ("\"a\\\"\" == s", false),
            ("x == 1", false),
            ("'\\", false),
        ] {
            assert_eq!(has_backslash(text), expected, "{text}");
        }
    }
}
