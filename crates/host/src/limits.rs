//! Limits as users write them (`60s`, `4GiB`), and the interrupt key.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use foundation::Budget;

/// Reads a length of time: `500ms`, `60s`, `5m`, `1.5h`; a bare number counts seconds.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let units = [("ms", 0.001), ("s", 1.0), ("sec", 1.0), ("m", 60.0), ("min", 60.0), ("h", 3600.0), ("", 1.0)];
    let seconds = parse_quantity(text, &units).ok_or("write a number with `ms`, `s`, `m` or `h`, such as `60s`")?;
    Duration::try_from_secs_f64(seconds).map_err(|_| "this time is too long".to_owned())
}

/// Reads an amount of memory in bytes: `4GiB`, `500MB`, `2G` (binary); a bare number counts bytes.
pub fn parse_memory(text: &str) -> Result<u64, String> {
    let binary = |power: i32| 1024f64.powi(power);
    let units = [
        ("", 1.0),
        ("b", 1.0),
        ("kb", 1e3),
        ("mb", 1e6),
        ("gb", 1e9),
        ("tb", 1e12),
        ("k", binary(1)),
        ("m", binary(2)),
        ("g", binary(3)),
        ("t", binary(4)),
        ("kib", binary(1)),
        ("mib", binary(2)),
        ("gib", binary(3)),
        ("tib", binary(4)),
    ];
    let bytes = parse_quantity(text, &units).ok_or("write a number with `MiB`, `GiB`, `MB` or `GB`, such as `4GiB`")?;
    if bytes >= u64::MAX as f64 { Err("this is more memory than there can be".to_owned()) } else { Ok(bytes as u64) }
}

/// A number that is not negative, and a unit; spaces between them and the unit's case do not matter.
fn parse_quantity(text: &str, units: &[(&str, f64)]) -> Option<f64> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let unit = unit.trim().to_ascii_lowercase();
    let (_, factor) = units.iter().find(|(name, _)| *name == unit)?;
    number.parse::<f64>().ok().map(|number| number * factor)
}

/// Cancels the budget when the user presses Ctrl-C or the process is asked to end; the second time the process ends at
/// once. Returns whether the system allowed it.
pub fn cancel_on_interrupt(budget: &Budget) -> bool {
    static ASKED: AtomicBool = AtomicBool::new(false);
    /// What shells report for a process that Ctrl-C ended.
    const INTERRUPTED: i32 = 130;
    let budget = budget.clone();
    ctrlc::set_handler(move || {
        if ASKED.swap(true, Ordering::Relaxed) {
            std::process::exit(INTERRUPTED);
        }
        budget.cancel();
    })
    .is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_as_written() {
        for (text, milliseconds) in [
            ("500ms", 500),
            ("60s", 60_000),
            ("60", 60_000),
            ("5m", 300_000),
            ("5 min", 300_000),
            ("1.5h", 5_400_000),
            ("0s", 0),
            (" 2S ", 2_000),
        ] {
            assert_eq!(parse_duration(text), Ok(Duration::from_millis(milliseconds)), "{text}");
        }
        for text in ["", "s", "-1s", "1d", "1.2.3s", "1e3s", "NaN", "inf", "5 s s", "٣s"] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
        assert!(parse_duration(&format!("{}h", "9".repeat(400))).is_err());
    }

    #[test]
    fn amounts_of_memory_are_read_as_written() {
        for (text, bytes) in [
            ("4GiB", 4 << 30),
            ("4 gib", 4 << 30),
            ("4G", 4 << 30),
            ("500MB", 500_000_000),
            ("0.5KiB", 512),
            ("1tb", 1_000_000_000_000),
            ("123", 123),
            ("7b", 7),
        ] {
            assert_eq!(parse_memory(text), Ok(bytes), "{text}");
        }
        for text in ["", "GiB", "-4GiB", "4XB", "4 G i B", "99999999999TiB"] {
            assert!(parse_memory(text).is_err(), "{text}");
        }
    }
}
