//! Showing the fairness engine at work: a live line on a terminal, each lasso with `--verbose`, files with `--dump-dir`.

mod dump;
mod live;
mod told;

use engines::fairness::watch::{Fate, Interest, Picture, Progress, Trace, Watch};
use foundation::{Diagnostic, SourceMap};
use semper::engines;

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

    fn product(&self, progress: &Progress, picture: Option<&Picture>) {
        self.show(progress);
        if self.tells {
            let Progress { locations, edges, .. } = progress;
            output::complain(&format!("semper: Büchi program of {locations} locations and {edges} edges\n"));
        }
        if let (Some(dump), Some(picture)) = (&self.dump, picture) {
            dump.product(picture, self.sources);
        }
    }

    fn lasso(&self, progress: &Progress, trace: Option<&Trace>) {
        self.show(progress);
        let Some(trace) = trace else { return };
        if self.tells {
            output::complain(&format!("semper: {}", told::lasso(progress, trace, self.sources)));
        }
        if let Some(dump) = &self.dump {
            dump.lasso(progress, trace, self.sources);
        }
    }

    fn decided(&self, progress: &Progress, fate: &Fate) {
        self.show(progress);
        if self.tells {
            output::complain(&told::fate(fate));
        }
        if let Some(dump) = &self.dump {
            dump.decided(progress, fate);
        }
    }

    fn module(&self, number: usize, kind: &str, picture: &Picture) {
        if let Some(dump) = &self.dump {
            dump.module(number, kind, picture, self.sources);
        }
    }
}

impl Watchers<'_> {
    fn show(&self, progress: &Progress) {
        if let Some(live) = &self.live {
            live.show(progress);
        }
    }
}
