//! `semper cfg`: shows a program as control-flow automata.

use anyhow::Result;

use super::limits::{Limited, complained};
use super::options::{CfgFormat, CfgOptions, Format, OutputOptions};
use super::{Ready, Status, load, output, request, show_diagnostics};

pub(super) fn run(options: &CfgOptions) -> Result<Status> {
    let request = request(&options.program, None, None);
    // Diagnostics are for people whatever the format, so that standard output holds a graph or nothing.
    let messages = OutputOptions { format: Format::Text, verbose: options.verbose };
    let limited = Limited::by_interrupt(complained);
    let Ready { subject, sources, diagnostics } = match load(&request, &limited, &messages)? {
        Ok(ready) => ready,
        Err(status) => return Ok(status),
    };
    show_diagnostics(&diagnostics, &sources);
    let program = &subject.program;
    let called = analysis::reachable::reachable_functions(program);
    match options.format {
        CfgFormat::Text => output::print(&report::cfg::to_text(program, &called))?,
        CfgFormat::Dot => output::print(&report::cfg::to_dot(program, &sources))?,
        CfgFormat::Mermaid => output::print(&report::cfg::drawing(program).mermaid())?,
        CfgFormat::Json => output::print_json(&report::cfg::to_json(program, &called, &sources))?,
    }
    Ok(Status::Holds)
}
