//! What is known of the machine and of the time, for the record of a measurement.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::watched::memory_line;

/// A machine in figures.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Machine {
    /// The operating system with its version, and the architecture: `Linux 6.1.0 x86_64`.
    pub system: String,
    /// The processor's name, where the system tells.
    pub processor: Option<String>,
    /// How many threads run at the same time.
    pub cores: usize,
    /// Bytes of memory, where the system tells.
    pub memory: Option<u64>,
}

/// The machine that the process runs on.
pub fn machine() -> Machine {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let trimmed = |text: String| text.trim().to_owned();
    let kernel = [read("/proc/sys/kernel/ostype"), read("/proc/sys/kernel/osrelease")];
    let kernel: Vec<String> = kernel.into_iter().flatten().map(trimmed).collect();
    let system = if kernel.is_empty() { std::env::consts::OS.to_owned() } else { kernel.join(" ") };
    let processor = read("/proc/cpuinfo").and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("model name"))?;
        Some(line.trim_start_matches([' ', '\t', ':']).trim().to_owned())
    });
    Machine {
        system: format!("{system} {}", std::env::consts::ARCH),
        processor,
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        memory: read("/proc/meminfo").and_then(|text| memory_line(&text, "MemTotal:")),
    }
}

/// The present moment as ISO 8601 has it, in universal time: `2026-11-15T12:07:00Z`.
pub fn utc_now() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    utc(seconds)
}

fn utc(seconds: u64) -> String {
    let (year, month, day) = civil(seconds / 86_400);
    let time = seconds % 86_400;
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", time / 3600, time / 60 % 60, time % 60)
}

/// The year, month and day of a day that is counted from 1 January 1970, in the Gregorian calendar.
fn civil(days: u64) -> (u64, u64, u64) {
    const DAYS_IN_400_YEARS: u64 = 146_097;
    // Years that begin in March have the day that comes and goes at their end. 1 March 0000 is 719,468 days earlier.
    let day = days + 719_468;
    let (era, day) = (day / DAYS_IN_400_YEARS, day % DAYS_IN_400_YEARS);
    // The last day of 4 years and of 400 years would begin a year more; that of 100 years does not exist.
    let year = (day - day / 1460 + day / 36_524 - day / (DAYS_IN_400_YEARS - 1)) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    // From March on, five months have 153 days.
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next_year) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (400 * era + year + next_year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_day_of_six_centuries_has_its_date() {
        let is_leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
        let mut expected = (1970, 1, 1);
        for day in 0..600 * 366 {
            assert_eq!(civil(day), expected);
            let (year, month, day_of_month) = expected;
            let length = match month {
                2 => 28 + u64::from(is_leap(year)),
                4 | 6 | 9 | 11 => 30,
                _ => 31,
            };
            expected = match (day_of_month == length, month == 12) {
                (false, _) => (year, month, day_of_month + 1),
                (true, false) => (year, month + 1, 1),
                (true, true) => (year + 1, 1, 1),
            };
        }
        assert_eq!(utc(1_794_744_420), "2026-11-15T12:07:00Z");
    }

    #[test]
    fn this_machine_is_described() {
        let machine = machine();
        assert!(machine.cores > 0 && machine.system.ends_with(std::env::consts::ARCH));
        assert!(!cfg!(target_os = "linux") || machine.memory.is_some_and(|bytes| bytes > 1 << 20));
    }
}
