//! Totals against their definition, tables at every width, and the plot as XML.

use super::*;
use crate::Style;
use crate::table::columns_of;

/// A result with what matters here.
fn result(task: &str, outcome: Rating, seconds: f64) -> TaskReport {
    let (expected, verdict) = match outcome {
        Rating::Correct => (Some("holds"), Some("holds")),
        Rating::Wrong => (Some("holds"), Some("violated")),
        Rating::Unlabelled => (None, Some("violated")),
        Rating::Unknown => (Some("violated"), Some("unknown")),
        Rating::Error => (Some("violated"), None),
    };
    let reason = match outcome {
        Rating::Unknown => Some("unsupported: recursion in `f`"),
        Rating::Error => Some("killed by signal 9\nand more"),
        _ => None,
    };
    let evidence = outcome.is_definite().then(|| EvidenceReport { checked: true, by: Some("replay".into()) });
    TaskReport {
        task: task.to_owned(),
        definition: format!("{task}.yml"),
        input_files: vec![format!("{task}.c")],
        property_file: format!("{task}.prp"),
        expected,
        subproperty: None,
        outcome,
        verdict,
        reason: reason.map(str::to_owned),
        engine: verdict.map(|_| "explicit".to_owned()),
        wall_seconds: seconds,
        cpu_seconds: Some(2.0 * seconds),
        memory: Some(12_345_678),
        evidence,
        statistics: None,
        command: Vec::new(),
    }
}

fn all_outcomes() -> Vec<TaskReport> {
    let outcomes =
        [Rating::Correct, Rating::Wrong, Rating::Unlabelled, Rating::Unknown, Rating::Error, Rating::Correct];
    let named = |(number, outcome): (usize, Rating)| result(&format!("folder/task-{number}"), outcome, number as f64);
    outcomes.into_iter().enumerate().map(named).collect()
}

fn report(results: Vec<TaskReport>, tasks: usize) -> SuiteReport {
    SuiteReport {
        version: "1.2.3".into(),
        date: "2026-11-15T12:07:00Z".into(),
        command: Vec::new(),
        machine: MachineReport { system: "Linux".into(), processor: None, cores: 2, memory: None },
        limits: LimitsReport { seconds: 60.0, memory: 1 << 30, jobs: 1 },
        interrupted: results.len() < tasks,
        totals: Totals::of(&results, tasks),
        results,
    }
}

#[test]
fn totals_count_every_result_once() {
    let results = all_outcomes();
    for count in 0..=results.len() {
        let totals = Totals::of(&results[..count], results.len());
        assert_eq!(totals.definite() + totals.unknown + totals.error + totals.not_run, results.len());
        assert_eq!(totals.correct, totals.correct_holds + totals.correct_violated);
        assert_eq!(totals.unknown, totals.unknown_by_reason.values().sum::<usize>());
        assert_eq!(totals.checked, totals.definite());
        assert_eq!(totals.cpu_seconds, 2.0 * totals.wall_seconds);
    }
    assert_eq!(Totals::of(&results, 6).unknown_by_reason.keys().next().unwrap(), "unsupported");
}

#[test]
fn the_median_has_as_many_values_below_as_above() {
    assert_eq!(median(Vec::new()), 0.0);
    for count in 1..8 {
        let values: Vec<f64> = (0..count).map(|index| f64::from(index * 5 % count) * 1.5).collect();
        let median = median(values.clone());
        let below = values.iter().filter(|value| **value < median).count();
        let above = values.iter().filter(|value| **value > median).count();
        assert_eq!(below, above, "{values:?} {median}");
    }
}

#[test]
fn tables_keep_every_width_and_show_every_verdict() {
    let results = all_outcomes();
    for width in 40..140 {
        for name_length in [1, 15, 60] {
            let mut results = results.clone();
            results[0].task = "x".repeat(name_length);
            let names = results.iter().map(|result| result.task.as_str());
            let layout = TableLayout::new(names, Style { colours: false, width });
            let text: String = layout.heading() + &results.iter().map(|result| layout.row(result)).collect::<String>();
            assert!(text.lines().all(|line| columns_of(line) <= width), "{width}\n{text}");
            assert_eq!(text.lines().count(), results.len() + 2);
            for (line, verdict) in text.lines().skip(2).zip(["holds", "✗ violated", "violated", "unknown", "error"]) {
                assert!(line.contains(verdict), "{width}\n{text}");
            }
        }
    }
}

#[test]
fn the_table_and_the_totals_look_like_this() {
    let report = report(all_outcomes(), 8);
    let style = Style { colours: false, width: 100 };
    let layout = TableLayout::new(report.results.iter().map(|result| result.task.as_str()), style);
    let rows: String = report.results.iter().map(|result| layout.row(result)).collect();
    let expected = "\
task           expected  verdict     engine       seconds    memory  evidence or reason
─────────────  ────────  ──────────  ──────────  ────────  ────────  ───────────────────────────────
folder/task-0  holds     holds       explicit        0.00    12 MiB  replay
folder/task-1  holds     ✗ violated  explicit        1.00    12 MiB  replay
folder/task-2  –         violated    explicit        2.00    12 MiB  replay
folder/task-3  violated  unknown     explicit        3.00    12 MiB  unsupported: recursion in `f`
folder/task-4  violated  error                       4.00    12 MiB  killed by signal 9 and more
folder/task-5  holds     holds       explicit        5.00    12 MiB  replay

correct        2  (2 hold)
wrong          1
no label       1
unknown        1  (1 unsupported)
error          1
not run        2
tasks          8
seconds       15.00 in all, median 2.50; 30.00 on processors
evidence       4 of 4 definite verdicts checked (100 %)

The run was interrupted.

wrong: folder/task-1: expected holds, found violated
error: folder/task-4: killed by signal 9 and more
";
    assert_eq!(format!("{}{rows}\n{}", layout.heading(), closing(&report, style)), expected);
}

#[test]
fn what_is_wrong_is_red_where_colours_are_wanted() {
    let style = Style { colours: true, width: 100 };
    let results = all_outcomes();
    let layout = TableLayout::new(results.iter().map(|result| result.task.as_str()), style);
    for result in &results {
        let red = matches!(result.outcome, Rating::Wrong | Rating::Error);
        assert_eq!(layout.row(result).starts_with("\u{1b}[31m"), red, "{:?}", result.outcome);
    }
}

#[test]
fn amounts_of_memory_have_three_digits_at_most() {
    for power in 10..50 {
        for bytes in [(1u64 << power) - 1, 1 << power, (1 << power) + (1 << (power - 1))] {
            let text = table::memory(bytes);
            assert!(columns_of(&text) <= 8 || bytes > 999 << 30, "{bytes}: {text}");
        }
    }
    let shown = [1 << 20, 10 << 20, 1023 << 20, 3 << 30, 12 << 30].map(table::memory);
    assert_eq!(shown, ["1.0 MiB", "10 MiB", "1.0 GiB", "3.0 GiB", "12 GiB"]);
}

#[test]
fn plots_have_a_point_for_each_correct_result_inside_the_frame() {
    for results in [Vec::new(), all_outcomes(), vec![result("a", Rating::Correct, 1e6)]] {
        let correct = results.iter().filter(|result| result.outcome == Rating::Correct).count();
        let tasks = results.len();
        let svg = quantile_plot(&report(results, tasks));
        let points = svg.split("points=\"").nth(1).unwrap().split('"').next().unwrap();
        let points: Vec<(f64, f64)> = points
            .split_whitespace()
            .map(|point| point.split_once(',').map(|(x, y)| (x.parse().unwrap(), y.parse().unwrap())).unwrap())
            .collect();
        assert_eq!(points.len(), correct);
        assert!(points.is_sorted_by(|left, right| left.0 < right.0 && left.1 >= right.1), "{points:?}");
        assert!(points.iter().all(|(x, y)| (70.0..=700.0).contains(x) && (40.0..=370.0).contains(y)), "{points:?}");
        assert_eq!(svg.matches("<text").count(), svg.matches("</text>").count());
    }
}
