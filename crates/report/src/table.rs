//! Tables for a terminal: columns as wide as they need to be, and where that is too much, the flexible ones wrapped.

/// A column of a table.
#[derive(Clone, Debug)]
pub struct Column {
    /// What stands above it.
    pub heading: String,
    /// Where its cells are set.
    pub align: Align,
    /// Whether its cells are wrapped where the table would be too wide.
    pub flexible: bool,
}

/// Where the text of a cell stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Align {
    /// At the left.
    Left,
    /// At the right, for numbers.
    Right,
    /// In the middle, for marks.
    Centre,
}

impl Column {
    /// A column of text that may be wrapped.
    pub fn text(heading: impl Into<String>) -> Self {
        Self { heading: heading.into(), align: Align::Left, flexible: true }
    }

    /// A column that keeps its width.
    pub fn fixed(heading: impl Into<String>, align: Align) -> Self {
        Self { heading: heading.into(), align, flexible: false }
    }
}

const GAP: &str = "  ";
/// A flexible column is not made narrower than this.
const FEWEST_COLUMNS: usize = 10;
/// A cell has at most this many lines; the last one then says that there is more.
const MOST_LINES: usize = 8;

/// The table as text: a line of headings, a rule, and the rows. Every row must have one cell for each column.
pub fn render(columns: &[Column], rows: &[Vec<String>], width: usize) -> String {
    let widths = widths(columns, rows, width);
    let mut text = String::new();
    let headings = columns.iter().map(|column| column.heading.clone()).collect::<Vec<_>>();
    write_row(&mut text, columns, &headings, &widths);
    text.push_str(&widths.iter().map(|&width| "─".repeat(width)).collect::<Vec<_>>().join(GAP));
    text.push('\n');
    for row in rows {
        write_row(&mut text, columns, row, &widths);
    }
    text
}

/// How wide a text is shown. Every character counts as one column.
pub(crate) fn columns_of(text: &str) -> usize {
    text.chars().count()
}

fn widths(columns: &[Column], rows: &[Vec<String>], width: usize) -> Vec<usize> {
    let mut widths: Vec<usize> = columns.iter().map(|column| columns_of(&column.heading)).collect();
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(columns_of(cell));
        }
    }
    let gaps = GAP.len() * columns.len().saturating_sub(1);
    // The widest flexible column gives way first.
    while widths.iter().sum::<usize>() + gaps > width {
        let too_much = widths.iter().sum::<usize>() + gaps - width;
        let mut flexible: Vec<usize> =
            (0..columns.len()).filter(|&index| columns[index].flexible && widths[index] > FEWEST_COLUMNS).collect();
        flexible.sort_by_key(|&index| std::cmp::Reverse(widths[index]));
        let Some(&widest) = flexible.first() else { break };
        let next = flexible.get(1).map_or(FEWEST_COLUMNS, |&index| widths[index]).max(FEWEST_COLUMNS);
        let step = (widths[widest] - next).clamp(1, too_much);
        widths[widest] -= step;
    }
    widths
}

fn write_row(text: &mut String, columns: &[Column], cells: &[String], widths: &[usize]) {
    let wrapped: Vec<Vec<String>> = cells.iter().zip(widths).map(|(cell, &width)| wrap(cell, width)).collect();
    let height = wrapped.iter().map(Vec::len).max().unwrap_or(0);
    for number in 0..height {
        let mut line = String::new();
        for (index, lines) in wrapped.iter().enumerate() {
            let cell = lines.get(number).map(|line| line.replace(UNBROKEN, " ")).unwrap_or_default();
            let cell = cell.as_str();
            let free = widths[index].saturating_sub(columns_of(cell));
            let before = match columns[index].align {
                Align::Left => 0,
                Align::Right => free,
                Align::Centre => free / 2,
            };
            if index > 0 {
                line.push_str(GAP);
            }
            line.extend(std::iter::repeat_n(' ', before));
            line.push_str(cell);
            line.extend(std::iter::repeat_n(' ', free - before));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
}

/// A paragraph in lines of at most this width, broken at spaces; all but the first are indented by so many columns.
pub(crate) fn wrapped(text: &str, indent: usize, width: usize) -> String {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("there is one");
        let is_begun = !line.trim().is_empty();
        if is_begun && columns_of(line) + 1 + columns_of(word) > width {
            lines.push(" ".repeat(indent) + word);
            continue;
        }
        if is_begun || word.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// A space where a line is broken only if there is no other way; it is shown as a space.
pub(crate) const UNBROKEN: char = '\u{a0}';

/// Breaks a text into lines of at most this width, at spaces where there are any.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(' ') {
        let mut word = word;
        let needed = columns_of(&line) + usize::from(!line.is_empty()) + columns_of(word);
        if needed <= width {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
            continue;
        }
        if !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        let pieces: Vec<&str> = word.split(UNBROKEN).collect();
        if columns_of(word) > width && pieces.len() > 1 {
            lines.extend(wrap(&pieces.join(" "), width));
            line = lines.pop().expect("there is one line at least");
            continue;
        }
        while columns_of(word) > width {
            let at = word.char_indices().nth(width).map_or(word.len(), |(at, _)| at);
            lines.push(word[..at].to_owned());
            word = &word[at..];
        }
        line.push_str(word);
    }
    if !line.is_empty() || lines.is_empty() {
        lines.push(line);
    }
    if lines.len() > MOST_LINES {
        lines.truncate(MOST_LINES);
        lines[MOST_LINES - 1] = "…".to_owned();
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_that_fits_is_not_wrapped() {
        let columns = [Column::fixed("step", Align::Right), Column::text("what"), Column::fixed("p", Align::Centre)];
        let rows = [vec!["1".into(), "x = 1".into(), "T".into()], vec!["12".into(), String::new(), "·".into()]];
        let expected = "\
step  what   p
────  ─────  ─
   1  x = 1  T
  12         ·
";
        assert_eq!(render(&columns, &rows, 80), expected);
    }

    #[test]
    fn every_width_is_kept_and_no_text_is_lost() {
        let columns = [Column::fixed("n", Align::Right), Column::text("first"), Column::text("second")];
        let long = "alpha beta gamma, delta epsilon: zeta_eta_theta_iota_kappa";
        let rows = [vec!["7".to_owned(), long.to_owned(), "one two three".to_owned()]];
        for width in 26..120 {
            let text = render(&columns, &rows, width);
            assert!(text.lines().all(|line| columns_of(line) <= width), "{width}\n{text}");
            let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
            let in_headings = letters("n first second");
            assert_eq!(letters(&text), in_headings + letters(long) + letters("7 one two three"), "{text}");
        }
    }

    #[test]
    fn wrapping_keeps_the_words_in_order() {
        for text in ["", "a", "a b", "aaa bb c", "aaaaaaaa", "ä€𝔘 x", "  a  "] {
            for width in 1..10 {
                let lines = wrap(text, width);
                assert!(lines.iter().all(|line| columns_of(line) <= width), "{text:?} {width} {lines:?}");
                let joined: String = lines.concat().replace(' ', "");
                assert_eq!(joined, text.replace(' ', ""), "{width}");
            }
        }
        assert_eq!(wrap(&"ab ".repeat(50), 2).last().unwrap(), "…");
    }

    #[test]
    fn a_paragraph_keeps_its_words() {
        let text = "semantics:   machine integers, LP64, observed at every statement";
        assert_eq!(wrapped(text, 4, 100), format!("{text}\n"));
        for width in 20..70 {
            let lines = wrapped(text, 4, width);
            assert!(lines.lines().all(|line| columns_of(line) <= width), "{lines}");
            assert!(lines.lines().skip(1).all(|line| line.starts_with("    ") && !line.starts_with("     ")));
            assert!(lines.split_whitespace().eq(text.split_whitespace()), "{lines}");
        }
    }

    #[test]
    fn lines_are_broken_between_changes_where_they_are_short_enough() {
        let text = "x = 1, str[0] = 104, y = 2".replace(" = ", "\u{a0}=\u{a0}");
        let shown =
            |width| -> Vec<String> { wrap(&text, width).iter().map(|line| line.replace(UNBROKEN, " ")).collect() };
        assert_eq!(shown(15), ["x = 1,", "str[0] = 104,", "y = 2"]);
        assert_eq!(shown(10), ["x = 1,", "str[0] =", "104, y = 2"]);
    }
}
