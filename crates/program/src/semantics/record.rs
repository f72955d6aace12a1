//! What people are told of a run: its observations with what was written between them, and warnings.

use std::collections::BTreeSet;

use foundation::Span;

use crate::semantics::changes::Earlier;
use crate::semantics::drive::{Driver, Listener};
use crate::semantics::event::Event;
use crate::semantics::memory::Extent;
use crate::semantics::observe::{Occasion, Sight};
use crate::semantics::race::RaceWatch;
use crate::semantics::run::{Observation, Warning};
use crate::semantics::stop::Stop;

/// What is told of a run.
#[derive(Default)]
pub struct RunRecord {
    /// What was observed, in order.
    pub observations: Vec<Observation>,
    overflows: BTreeSet<Span>,
    races: RaceWatch,
    /// What was written since the last observation.
    written: BTreeSet<Extent>,
    /// What memory held at the last observation.
    earlier: Earlier,
}

impl RunRecord {
    /// Lists what the user should know; nothing is left to be told.
    pub fn warnings(&mut self) -> Vec<Warning> {
        let races = std::mem::take(&mut self.races).races();
        let overflows = std::mem::take(&mut self.overflows);
        overflows.into_iter().map(Warning::Overflow).chain(races.into_iter().map(Warning::Race)).collect()
    }

    fn observation(&mut self, driver: &Driver<'_>, sight: &Sight) -> Observation {
        let program = driver.interpreter.program;
        let edge = match sight.occasion {
            Occasion::Start => None,
            Occasion::Edge(edge) => Some(edge),
            _ => driver.edge(),
        };
        let function = match (edge, sight.occasion) {
            (_, Occasion::Entered(function)) => Some(function),
            (Some(edge), _) => Some(program.locations[program.edges[edge].from].function),
            (None, _) => program.entry,
        };
        let written = std::mem::take(&mut self.written);
        Observation {
            occasion: sight.occasion,
            edge,
            span: edge.map(|edge| program.edges[edge].span),
            thread: driver.interpreter.running,
            function,
            truth: sight.truth.clone(),
            changes: self.earlier.look(program, &driver.interpreter.state.memory, &written),
            overflow: sight.overflow,
        }
    }
}

impl Listener for RunRecord {
    fn happened(&mut self, driver: &mut Driver<'_>, events: &[Event]) -> Result<(), Stop> {
        if let Some(span) = driver.span() {
            self.races.follow(driver.interpreter.program, driver.interpreter.running, span, events);
            if events.contains(&Event::Overflow) {
                self.overflows.insert(span);
            }
        }
        self.written.extend(events.iter().filter_map(|event| match event {
            Event::Write(extent) => Some(*extent),
            _ => None,
        }));
        Ok(())
    }

    fn observed(&mut self, driver: &mut Driver<'_>, sights: &[Sight]) -> Result<(), Stop> {
        for sight in sights {
            let observation = self.observation(driver, sight);
            self.observations.push(observation);
        }
        Ok(())
    }
}
