//! Who is asked: the solver in this program, another program, one after the other, or nobody.

use std::fmt;
use std::time::Duration;

use foundation::Budget;
use logic::{Term, Terms};

use crate::{Cached, SmtLib, Z3, bundled_z3};

/// Who is asked.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Decider {
    /// The solver in this program.
    #[default]
    Embedded,
    /// Nobody.
    Nobody,
    /// A program that reads SMT-LIB 2.6 from its standard input, with its arguments: `cvc5 --incremental`.
    Command(Vec<String>),
    /// Such a program, and the solver in this one for what it leaves open.
    Preferred(Vec<String>),
}

impl Decider {
    /// The Z3 program that came with the solver in this one, as a process of its own; none where it is not there any more.
    pub fn bundled() -> Option<Self> {
        let program = bundled_z3()?;
        Some(Decider::Command(vec![program.to_str()?.to_owned(), "-in".to_owned()]))
    }
}

impl fmt::Display for Decider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Decider::Embedded => f.write_str("Z3"),
            Decider::Nobody => f.write_str("nobody"),
            Decider::Command(command) | Decider::Preferred(command) => write!(f, "`{}`", command.join(" ")),
        }
    }
}

/// Who has answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answered {
    /// Another program.
    ByCommand,
    /// The solver in this one.
    ByEmbedded,
}

/// Solvers that are asked closed questions: the other program first.
pub struct Deciders<'t> {
    command: Option<Cached<'t, SmtLib<'t>>>,
    embedded: Option<Cached<'t, Z3<'t>>>,
}

impl<'t> Deciders<'t> {
    /// Starts those that are to be asked, with a limit for each question.
    pub fn start(terms: &'t Terms, decider: &Decider, limit: Duration, budget: &Budget) -> Result<Self, String> {
        let start = |command: &[String]| {
            if command.is_empty() {
                return Err("no solver is named".to_owned());
            }
            let started = SmtLib::start(terms, budget, command);
            let mut solver = started.map_err(|error| format!("{decider} cannot be started: {error}"))?;
            solver.set_query_limit(Some(limit));
            Ok(Cached::new(terms, solver))
        };
        let embedded = || {
            let mut solver = Z3::new(terms, budget);
            solver.set_query_limit(Some(limit));
            Cached::new(terms, solver)
        };
        Ok(match decider {
            Decider::Nobody => Self { command: None, embedded: None },
            Decider::Embedded => Self { command: None, embedded: Some(embedded()) },
            Decider::Command(command) => Self { command: Some(start(command)?), embedded: None },
            Decider::Preferred(command) => Self { command: start(command).ok(), embedded: Some(embedded()) },
        })
    }

    /// Says whether a term has no model, and who knows that; nothing where nobody knows.
    pub fn unsatisfiable(&mut self, term: Term) -> Option<(Answered, bool)> {
        if let Some(answer) = self.command.as_mut().and_then(|solver| solver.unsatisfiable(term)) {
            return Some((Answered::ByCommand, answer));
        }
        let answer = self.embedded.as_mut()?.unsatisfiable(term)?;
        Some((Answered::ByEmbedded, answer))
    }
}
