//! What is known of the terminal: its width, and whether colours are wanted.

use std::io::IsTerminal;

/// The width that is used where nothing is known.
pub const DEFAULT_WIDTH_COLUMNS: usize = 120;

/// How many columns a line may have: `$COLUMNS` where it is set, else the terminal's width, else [`DEFAULT_WIDTH_COLUMNS`].
pub fn width() -> usize {
    let set = std::env::var("COLUMNS").ok().and_then(|columns| columns.trim().parse::<usize>().ok());
    let measured = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    set.or_else(measured).filter(|&width| width > 0).unwrap_or(DEFAULT_WIDTH_COLUMNS).clamp(40, 1000)
}

/// Whether a line on a stream can be written anew: on a terminal that is not dumb.
pub fn rewrites_lines(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Whether colours are to be written to a stream: only to a terminal, and not where `$NO_COLOR` or a dumb terminal says
/// otherwise (<https://no-color.org>).
pub fn wants_colours(stream: &impl IsTerminal) -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    rewrites_lines(stream) && !set("NO_COLOR")
}
