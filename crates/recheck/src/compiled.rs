//! A state space by a program that is generated for the task and compiled by the system's C compiler.
//!
//! The program is inlined first ([`program::passes::prepare`], which is trusted); no other pass runs. What the generated
//! program does not cover (pointers, floating point, reading what is not initialised, a number that stands for many where
//! it is computed with) ends it with a message when it comes there, and nothing is concluded.

use automata::buchi::{Automaton, Guard};
use foundation::{Budget, Exhausted, Id};
use program::passes::Prepared;
use program::{EdgeId, LocationId};
use task::Task;

use super::generate::generate;
use super::{Compiler, Explored, Horizon, Means, Unexplored};

/// Explores the product of a task's program with an automaton.
pub fn explore(
    task: &Task,
    automaton: &Automaton<Guard>,
    compiler: &dyn Compiler,
    limits: Horizon,
    budget: &Budget,
) -> Result<Explored, Unexplored> {
    if automaton.initial().is_empty() {
        return Ok(Explored { states: 0, transitions: 0, by: Means::Compiled });
    }
    let (source, prepared) = generate(task, automaton, limits, budget)?;
    budget.check()?;
    let said = compiler.run(&source, budget);
    budget.check()?;
    let said = said.map_err(|reason| Unexplored::not_covered(reason, None))?;
    outcome(&said, &prepared, limits)
        .unwrap_or_else(|| Err(Unexplored::not_covered("the generated program says nothing", None)))
}

/// What the program says in its last line.
fn outcome(said: &str, prepared: &Prepared, limits: Horizon) -> Option<Result<Explored, Unexplored>> {
    let line = said.lines().last()?;
    let mut words = line.splitn(3, ' ');
    let verdict = words.next()?;
    let program = &prepared.program;
    Some(match verdict {
        "empty" => {
            let mut numbers = line.split(' ').skip(1).map(|word| word.parse().ok());
            let (states, transitions) = (numbers.next()??, numbers.next()??);
            Ok(Explored { states, transitions, by: Means::Compiled })
        }
        "accepting" => {
            let location: usize = words.next()?.parse().ok()?;
            let location = program.locations.ids().nth(location).map(|id: LocationId| &program.locations[id]);
            let edge = location.and_then(|location| location.out.first());
            let span = edge.map(|edge| program.edges[*edge].span);
            Err(Unexplored::Accepting { description: words.next()?.to_owned(), span })
        }
        "not-covered" => {
            let edge: i64 = words.next()?.parse().ok()?;
            let edge = usize::try_from(edge).ok().filter(|edge| *edge < program.edges.len());
            let span = edge.map(|edge| program.edges[EdgeId::from_index(edge)].span);
            Err(Unexplored::not_covered(words.next()?, span))
        }
        "too-large" => Err(Unexplored::TooLarge { states: limits.states }),
        "exhausted" => Err(Unexplored::Exhausted(Exhausted::Memory)),
        _ => return None,
    })
}
