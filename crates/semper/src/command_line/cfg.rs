//! `semper cfg`: shows a program as control-flow automata.

use anyhow::Result;
use foundation::Budget;

use super::options::{CfgFormat, CfgOptions, Format, OutputOptions};
use super::{Ready, Status, load, output, request, show_diagnostics};

pub(super) fn run(options: &CfgOptions) -> Result<Status> {
    let request = request(&options.program, None, None);
    // Diagnostics are for people whatever the format, so that standard output holds a graph or nothing.
    let messages = OutputOptions { format: Format::Text, verbose: options.verbose };
    let budget = Budget::unlimited();
    host::cancel_on_interrupt(&budget);
    let Some(Ready { subject, sources, diagnostics }) = load(&request, &budget, &messages)? else {
        return Ok(Status::BadInput);
    };
    show_diagnostics(&diagnostics, &sources);
    let program = &subject.program;
    match options.format {
        CfgFormat::Text => output::print(&report::cfg::to_text(program))?,
        CfgFormat::Dot => output::print(&report::cfg::to_dot(program, &sources))?,
        CfgFormat::Mermaid => output::print(&report::cfg::drawing(program).mermaid())?,
        CfgFormat::Json => output::print_json(&report::cfg::to_json(program, &sources))?,
    }
    Ok(Status::Holds)
}
