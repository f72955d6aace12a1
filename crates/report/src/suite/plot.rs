//! The quantile plot of a suite: how many tasks are answered correctly within a time each.
//!
//! The correct results are sorted by their seconds; the n-th point stands at n and at the n-th time, on a logarithmic
//! scale. A curve that is further right and lower belongs to the better tool. It is drawn as SVG without any script.

use std::fmt::Write;

use super::{Rating, SuiteReport};

// The picture and its margins, in pixels.
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 50.0;

/// The plot as the text of an SVG file.
pub fn quantile_plot(report: &SuiteReport) -> String {
    let correct = report.results.iter().filter(|result| result.outcome == Rating::Correct);
    let mut seconds: Vec<f64> = correct.map(|result| result.wall_seconds.max(SHORTEST_SECONDS)).collect();
    seconds.sort_by(f64::total_cmp);
    let tasks = report.totals.tasks.max(1);
    let (low, high) = decades(&seconds, report.limits.seconds);
    let x = |count: usize| LEFT + (WIDTH - LEFT - RIGHT) * count as f64 / tasks as f64;
    let y = |time: f64| {
        let share = (time.log10() - f64::from(low)) / f64::from(high - low);
        HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share
    };
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    let mut line = |text: String| {
        svg.push_str(&text);
        svg.push('\n');
    };
    line(label(LEFT, TOP - 18.0, "start", &title(report)));
    for decade in low..=high {
        let at = y(10f64.powi(decade));
        line(stroke(LEFT, at, WIDTH - RIGHT, at, "#dddddd"));
        line(label(LEFT - 8.0, at + 4.0, "end", &format!("{} s", power_of_ten(decade))));
    }
    let step = round_step(tasks);
    for count in (0..=tasks).step_by(step) {
        line(stroke(x(count), HEIGHT - BOTTOM, x(count), HEIGHT - BOTTOM + 5.0, "black"));
        line(label(x(count), HEIGHT - BOTTOM + 20.0, "middle", &count.to_string()));
    }
    line(stroke(LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, HEIGHT - BOTTOM, "black"));
    line(stroke(LEFT, TOP, LEFT, HEIGHT - BOTTOM, "black"));
    line(label((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 10.0, "middle", "tasks answered correctly, the fastest first"));
    let mut points = String::new();
    for (index, time) in seconds.iter().enumerate() {
        let _ = write!(points, "{:.1},{:.1} ", x(index + 1), y(*time));
    }
    line(format!("<polyline fill=\"none\" stroke=\"#0060a0\" stroke-width=\"2\" points=\"{}\"/>", points.trim_end()));
    svg.push_str("</svg>\n");
    svg
}

/// Shorter times are drawn as this one: a logarithmic scale has no zero.
const SHORTEST_SECONDS: f64 = 0.001;

/// The powers of ten between which all times and the limit lie.
fn decades(seconds: &[f64], limit: f64) -> (i32, i32) {
    let fastest = seconds.first().copied().unwrap_or(SHORTEST_SECONDS);
    let slowest = seconds.last().copied().unwrap_or(fastest).max(limit);
    let low = fastest.log10().floor() as i32;
    (low, (slowest.log10().ceil() as i32).max(low + 1))
}

/// The step of a scale up to `most` with at most ten marks: 1, 2 or 5 times a power of ten.
fn round_step(most: usize) -> usize {
    let mut steps = (0..).flat_map(|power| [1, 2, 5].map(|factor| factor * 10usize.pow(power)));
    steps.find(|step| most / step <= 10).expect("the steps grow without end")
}

fn power_of_ten(decade: i32) -> String {
    if decade < 0 {
        format!("{:.*}", decade.unsigned_abs() as usize, 10f64.powi(decade))
    } else {
        format!("{}", 10f64.powi(decade))
    }
}

fn title(report: &SuiteReport) -> String {
    let totals = &report.totals;
    let version = &report.version;
    let date = report.date.split('T').next().unwrap_or_default();
    format!("Semper {version}, {date}: {} of {} tasks correct, {} wrong", totals.correct, totals.tasks, totals.wrong)
}

fn stroke(x1: f64, y1: f64, x2: f64, y2: f64, colour: &str) -> String {
    format!("<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{colour}\"/>")
}

fn label(x: f64, y: f64, anchor: &str, text: &str) -> String {
    format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>")
}
