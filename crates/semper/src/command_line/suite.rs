//! `semper suite`: runs the tasks of a suite, prints a table as the results come in, and writes them down.

mod passed_on;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use clap::Args;
use foundation::{Budget, Diagnostic, Diagnostics};
use report::Style;
use report::suite::{LimitsReport, MachineReport, SuiteReport, TableLayout, TaskReport, Totals};
use semper::suite::{LabelledTask, ReadSuite, SuitePlan, SuiteProgress};

use super::{Status, output, show_diagnostics};
use passed_on::PassedOn;

pub(super) const EXAMPLES: &str = "\
A task definition is a file in the format 2.0 of BenchExec and SV-COMP: it names
the program, the properties, and the verdicts that are expected. Every task runs
as a process of its own, `semper check`, with the options that are given here.
Seconds are those of the wall clock; memory is the most that was held at once.

Examples:
  semper suite tasks/ -j 2 --timeout 10s
  semper suite tasks/a.yml tasks/b.yml --integers ideal --json results.json
  semper suite tasks/ --filter mutex --plot mutex.svg

Exit status:
  0  every verdict is definite, and none differs from what is expected
  1  some verdict is wrong
  2  the input or the usage is wrong; no task was run
  3  no verdict is wrong, but some are not definite, or the run was interrupted";

/// Options of `semper suite`.
#[derive(Args, Debug)]
pub(crate) struct SuiteOptions {
    /// Task definitions, and folders that are searched for them (`*.yml`).
    #[arg(required = true, value_name = "FILES")]
    files: Vec<String>,
    /// Run only the tasks whose names contain this text.
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Run so many tasks at a time.
    #[arg(short, long, value_name = "N", default_value_t = 1, value_parser = jobs)]
    jobs: usize,
    #[command(flatten)]
    passed_on: PassedOn,
    /// Give up a task after this time, such as 60s, 5m or 500ms.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = host::parse_duration)]
    #[arg(help_heading = "Limits")]
    timeout: Duration,
    /// Give up a task when it holds this much memory, such as 4GiB or 500MB.
    #[arg(long, value_name = "SIZE", default_value = "4GiB", value_parser = host::parse_memory)]
    #[arg(help_heading = "Limits")]
    memory: u64,
    /// Write all results to this file as JSON, with the machine, the command and the date.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    json: Option<String>,
    /// Draw how many tasks are answered correctly within a time each, as SVG.
    #[arg(long, value_name = "FILE.svg", help_heading = "Output")]
    plot: Option<String>,
    /// Say on standard error what is being done.
    #[arg(short, long, help_heading = "Output")]
    verbose: bool,
}

fn jobs(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|jobs| (1..=1000).contains(jobs)).ok_or("a number from 1 to 1000 is needed".to_owned())
}

pub(super) fn run(options: &SuiteOptions) -> Result<Status> {
    let ReadSuite { sources, mut diagnostics, tasks } = semper::suite::read(&options.files, options.filter.as_deref());
    let machine = host::machine();
    warn_of_memory(options, machine.memory, &mut diagnostics);
    if !diagnostics.has_errors() {
        // Found out now, not after hours.
        for fault in options.json.iter().chain(&options.plot).filter_map(|file| host::check_writable(file).err()) {
            diagnostics.push(*fault);
        }
    }
    show_diagnostics(&diagnostics, &sources);
    if diagnostics.has_errors() {
        return Ok(Status::BadInput);
    }
    let budget = Budget::unlimited();
    host::cancel_on_interrupt(&budget);
    let date = host::utc_now();
    let style = Style { colours: host::terminal::wants_colours(&std::io::stdout()), width: host::terminal::width() };
    let (results, printed) = show_and_run(&tasks, options, style, &budget)?;
    let report = SuiteReport {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        date,
        command: std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect(),
        machine: MachineReport {
            system: machine.system,
            processor: machine.processor,
            cores: machine.cores,
            memory: machine.memory,
        },
        limits: LimitsReport { seconds: options.timeout.as_secs_f64(), memory: options.memory, jobs: options.jobs },
        interrupted: budget.check().is_err(),
        totals: Totals::of(&results, tasks.len()),
        results,
    };
    // A table that cannot be printed is no reason to lose the results.
    write_down(&report, options)?;
    printed.and_then(|()| output::print(&format!("\n{}", report::suite::closing(&report, style))))?;
    Ok(status(&report))
}

/// Says so where tasks side by side may need more memory than there is.
fn warn_of_memory(options: &SuiteOptions, there_is: Option<u64>, diagnostics: &mut Diagnostics) {
    let may_need = options.memory.saturating_mul(options.jobs as u64);
    if there_is.is_some_and(|there_is| may_need > there_is) {
        let warning = Diagnostic::warning("memory-limit", "the tasks may hold more memory than the machine has");
        diagnostics.push(warning.help("lower `--memory`, which counts for each task, or `--jobs`"));
    }
}

/// Prints the table while the tasks run. The results come with whether all of it could be printed.
fn show_and_run(
    tasks: &[LabelledTask],
    options: &SuiteOptions,
    style: Style,
    budget: &Budget,
) -> Result<(Vec<TaskReport>, Result<()>)> {
    let plan = SuitePlan {
        executable: executable()?,
        options: options.passed_on.words.clone(),
        time: options.timeout,
        memory: options.memory,
        jobs: options.jobs,
        grace: SuitePlan::GRACE,
    };
    let layout = TableLayout::new(tasks.iter().map(|task| task.name.as_str()), style);
    let mut printed = output::print(&layout.heading());
    let results = semper::suite::run(tasks, &plan, budget, |progress| match progress {
        SuiteProgress::Started(task) if options.verbose => {
            output::complain(&format!("semper: running {}\n", task.name))
        }
        SuiteProgress::Finished(result) if printed.is_ok() => printed = output::print(&layout.row(result)),
        SuiteProgress::Started(_) | SuiteProgress::Finished(_) => {}
    });
    Ok((results, printed))
}

/// This program. On Linux it stays the same one even if its file is replaced, by a new build say, while the suite runs.
fn executable() -> Result<PathBuf> {
    const SELF: &str = "/proc/self/exe";
    if Path::new(SELF).exists() {
        return Ok(PathBuf::from(SELF));
    }
    std::env::current_exe().context("cannot find the file of this program")
}

fn write_down(report: &SuiteReport, options: &SuiteOptions) -> Result<()> {
    let write = |path: &Option<String>, text: &dyn Fn() -> Result<String>| match path {
        None => Ok(()),
        Some(path) => host::write_text(path, &text()?).map_err(|diagnostic| anyhow!(diagnostic.message)),
    };
    write(&options.json, &|| Ok(serde_json::to_string_pretty(report).context("cannot make JSON")? + "\n"))?;
    write(&options.plot, &|| Ok(report::suite::quantile_plot(report)))
}

fn status(report: &SuiteReport) -> Status {
    let totals = &report.totals;
    match (totals.wrong, totals.unknown + totals.error + totals.not_run) {
        (1.., _) => Status::Violated,
        (0, 0) => Status::Holds,
        (0, _) => Status::Indefinite,
    }
}
