//! Shell completions and manual pages, made from the options.

use anyhow::{Context, Result};
use clap::CommandFactory;

use super::options::Arguments;
use super::{Status, output};

/// Prints the completions for a shell.
pub(super) fn completions(shell: clap_complete::Shell) -> Result<Status> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "semper", &mut text);
    output::print(&String::from_utf8_lossy(&text))?;
    Ok(Status::Holds)
}

/// Prints the manual page of a subcommand, or of the whole.
pub(super) fn manual(name: Option<&str>) -> Result<Status> {
    let mut semper = Arguments::command();
    semper.build();
    let page = match name {
        None => semper,
        Some(name) => {
            let Some(command) = semper.find_subcommand(name) else {
                let names: Vec<&str> = semper.get_subcommands().map(|command| command.get_name()).collect();
                output::complain(&format!(
                    "error: there is no subcommand `{name}`\n  = help: choose from {}\n",
                    names.join(", ")
                ));
                return Ok(Status::BadInput);
            };
            command.clone()
        }
    };
    let mut text = Vec::new();
    let source = concat!("semper ", env!("CARGO_PKG_VERSION"));
    clap_mangen::Man::new(page).source(source).render(&mut text).context("cannot make the manual page")?;
    output::print(&String::from_utf8_lossy(&text))?;
    Ok(Status::Holds)
}
