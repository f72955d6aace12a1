//! Showing engines at work: a live line on a terminal, each candidate with `--verbose`, files with `--dump-dir`.

mod dump;
mod live;
mod told;

use foundation::{Diagnostic, SourceMap};
use task::watch::{CandidateLasso, Fate, Interest, Made, Picture, Progress, Watch};

use super::options::{CheckOptions, Format};
use super::output;
use dump::Dump;
use live::LiveLine;

/// Everybody who watches one property being decided.
#[derive(Debug)]
pub(super) struct Watchers<'s> {
    sources: &'s SourceMap,
    live: Option<LiveLine>,
    tells: bool,
    dump: Option<Dump>,
}

impl<'s> Watchers<'s> {
    /// Those whom the options ask for, for one of several properties.
    pub fn new(
        options: &CheckOptions,
        sources: &'s SourceMap,
        property: usize,
        properties: usize,
    ) -> Result<Self, Box<Diagnostic>> {
        let dump = options.dump_dir.as_ref().map(|folder| match properties {
            1 => Dump::new(folder.clone()),
            _ => Dump::new(format!("{folder}/property-{}", property + 1)),
        });
        let tells = options.output.verbose;
        let is_live = options.output.format == Format::Text && !tells;
        let is_live = is_live && host::terminal::rewrites_lines(&std::io::stderr());
        let live = is_live.then(LiveLine::start);
        Ok(Self { sources, live, tells, dump: dump.transpose()? })
    }

    /// Takes the line away, and says what could not be written.
    pub fn end(self) -> Option<Diagnostic> {
        drop(self.live);
        self.dump.and_then(Dump::end)
    }
}

impl Watch for Watchers<'_> {
    fn interest(&self) -> Interest {
        if self.dump.is_some() {
            Interest::Everything
        } else if self.tells {
            Interest::Traces
        } else if self.live.is_some() {
            Interest::Progress
        } else {
            Interest::Nothing
        }
    }

    fn progress(&self, progress: &Progress) {
        if let Some(live) = &self.live {
            live.show(progress);
        }
    }

    fn candidate(&self, number: usize, trace: Option<&CandidateLasso>) {
        let Some(trace) = trace else { return };
        if self.tells {
            output::complain(&format!("semper: {}", told::lasso(number, trace, self.sources)));
        }
        if let Some(dump) = &self.dump {
            dump.lasso(number, trace, self.sources);
        }
    }

    fn decided(&self, number: usize, fate: &Fate) {
        if self.tells {
            output::complain(&told::fate(fate));
        }
        if let Some(dump) = &self.dump {
            dump.decided(number, fate);
        }
    }

    fn made(&self, automaton: &Made<'_>, picture: Option<&Picture>) {
        if self.tells {
            let Made { kind, locations, edges, .. } = automaton;
            output::complain(&format!("semper: {kind} of {locations} locations and {edges} edges\n"));
        }
        if let (Some(dump), Some(picture)) = (&self.dump, picture) {
            dump.picture(automaton, picture, self.sources);
        }
    }
}
