//! The execution up to a recurrent set and the first iterations from there, by the interpreter on the inlined program.

use std::cell::RefCell;
use std::collections::{BTreeSet, VecDeque};

use automata::ltl::AtomId;
use foundation::collections::HashMap;
use foundation::{Budget, Id};
use logic::{Node, Symbol, Term, Value as Number};
use program::passes::run::TraceRunner;
use program::semantics::memory::Extent;
use program::semantics::value::Pointer;
use program::semantics::{Answer, Choices, ObjectId, Question, Value};
use program::{EdgeId, LocationId, Op, Program, Scalar};
use task::Lasso;

use crate::iterations::input_name;
use crate::{RecurrenceArgument, not_recurrent};
use kernel::encode::{Exit, LiveHeap, Truth};
use replay::Rejected;
use replay::replay::executed;

/// How often the budget is looked at.
const STEPS_PER_CHECK: u64 = 1024;

/// Executions with more steps than this before the set are not looked at.
const MOST_STEPS: u64 = 1 << 22;

/// So often the head may be passed outside of the set after the last answer of the stem.
const MOST_ARRIVALS: usize = 256;

/// So many iterations are executed: the second one shows where the first one ends.
const ITERATIONS: usize = 2;

/// What was executed.
pub(super) struct Stem {
    /// All answers that were given, in order.
    pub answers: Lasso,
    /// How many of them were given before the first iteration.
    pub before: u64,
    /// How many states were observed before the first iteration and before the second.
    pub begins: usize,
    pub ends: usize,
    /// What was observed.
    pub truth: Vec<Vec<bool>>,
    /// What the symbols are when the first iteration begins, and which atoms of the goal hold then, as conditions.
    pub constants: Vec<Term>,
    /// What the counters are then.
    pub counters: HashMap<Symbol, Term>,
}

/// Gives the answers of the stem, then those that were chosen for the iteration; whatever else is asked does not
/// matter.
#[derive(Default)]
struct Supply {
    stem: VecDeque<Answer>,
    is_over: bool,
    chosen: VecDeque<Answer>,
    given: Vec<Answer>,
}

/// An execution of a program, and which edge made what is on the heap.
struct Followed<'a> {
    program: &'a Program,
    runner: TraceRunner<'a>,
    heap: LiveHeap,
}

struct Shared<'s>(&'s RefCell<Supply>);

impl Choices for Shared<'_> {
    fn choose(&mut self, question: &Question) -> Answer {
        let mut supply = self.0.borrow_mut();
        let answer = match (supply.stem.pop_front(), supply.is_over) {
            (Some(answer), _) => answer,
            (None, false) => return Answer::Exhausted,
            (None, true) => match question {
                Question::Input { .. } => supply.chosen.pop_front().unwrap_or_else(|| any(question)),
                _ => any(question),
            },
        };
        supply.given.push(answer.clone());
        answer
    }
}

/// Some answer that fits.
fn any(question: &Question) -> Answer {
    match question {
        Question::Schedule { .. } | Question::Branch { .. } => Answer::Index(0),
        Question::AllocationFails => Answer::Value(Value::Bool(false)),
        Question::Input { ty, .. } | Question::Uninitialised { ty, .. } | Question::Register { ty, .. } => {
            Answer::Value(match ty {
                program::Scalar::Bool => Value::Bool(false),
                program::Scalar::Float(_) => Value::Float(0),
                _ => Value::int(0),
            })
        }
    }
}

impl Stem {
    /// Executes the stem until it is in the set, and so many iterations more, which count as part of it.
    pub(super) fn execute(
        argument: &RecurrenceArgument<'_>,
        stem: &Lasso,
        lead: usize,
        budget: &Budget,
    ) -> Result<Self, Rejected> {
        let head = argument.given.head;
        let supply = RefCell::new(Supply { stem: stem.stem.iter().cloned().collect(), ..Supply::default() });
        let mut choices = Shared(&supply);
        let runner = TraceRunner::new(argument.prepared, &mut choices);
        let mut followed = Followed { program: &argument.prepared.program, runner, heap: LiveHeap::new() };
        let begun = followed.runner.begin();
        goes_on(&mut followed.runner, begun)?;
        let (mut steps, mut arrivals) = (0, 0);
        loop {
            if followed.location() == Some(head) && supply.borrow().stem.is_empty() {
                arrivals += 1;
                if argument.contains(&argument.values(&followed, &argument.start), &followed) {
                    break;
                }
            }
            followed.take_step(&mut steps, budget)?;
            if steps > MOST_STEPS || arrivals > MOST_ARRIVALS {
                return Err(not_recurrent("the stem does not lead into the set"));
            }
        }
        supply.borrow_mut().is_over = true;
        let mut counters = argument.start.clone();
        for _ in 0..lead {
            iterate(argument, &mut followed, &supply, &mut counters, budget)?;
        }
        let entered = counters.clone();
        let (before, begins) = (supply.borrow().given.len() as u64, followed.runner.truth.len());
        let constants = argument.constants(&followed);
        let mut ends = begins;
        for iteration in 0..ITERATIONS {
            iterate(argument, &mut followed, &supply, &mut counters, budget)?;
            if iteration == 0 {
                ends = followed.runner.truth.len();
            }
        }
        let truth = std::mem::take(&mut followed.runner.truth);
        drop(followed);
        let answers = Lasso { stem: supply.into_inner().given, cycle: Vec::new() };
        Ok(Self { answers, before, begins, ends, truth, constants, counters: entered })
    }
}

/// Executes an iteration from the set to the set.
fn iterate(
    argument: &RecurrenceArgument<'_>,
    followed: &mut Followed<'_>,
    supply: &RefCell<Supply>,
    counters: &mut HashMap<Symbol, Term>,
    budget: &Budget,
) -> Result<(), Rejected> {
    let terms = argument.terms;
    let values = argument.values(followed, counters);
    let next = |(&counter, &next): (&Symbol, &Term)| (counter, terms.substitute(next, &values));
    *counters = argument.counting.updates.iter().map(next).collect();
    let mut taken: HashMap<EdgeId, usize> = HashMap::default();
    let (mut steps, mut arrivals) = (0, 0);
    loop {
        if let Some(&[edge]) = followed.location().map(|at| argument.prepared.program.locations[at].out.as_slice()) {
            let time = taken.entry(edge).or_default();
            *time += 1;
            let mut chosen = VecDeque::new();
            while let Some(&value) = argument.choices.get(input_name(edge, *time, chosen.len()).as_str()) {
                let value = terms.evaluate(terms.substitute(value, &values), &|_| None);
                chosen.push_back(Answer::Value(match value {
                    Some(Number::Int(value)) => Value::Int(value),
                    Some(Number::Bool(value)) => Value::Bool(value),
                    _ => return Err(not_recurrent("the value chosen for an input is not known")),
                }));
            }
            supply.borrow_mut().chosen = chosen;
        }
        followed.take_step(&mut steps, budget).map_err(|rejected| match rejected {
            Rejected::Blocked { .. } => not_recurrent("an iteration of the loop is blocked by an assumption"),
            other => other,
        })?;
        if followed.location() == Some(argument.given.head) {
            arrivals += 1;
            if argument.contains(&argument.values(followed, counters), followed) {
                return Ok(());
            }
        }
        if steps > MOST_STEPS || arrivals > MOST_ARRIVALS {
            return Err(not_recurrent("an iteration of the loop leaves the set"));
        }
    }
}

impl Followed<'_> {
    fn location(&self) -> Option<LocationId> {
        self.runner.interpreter.state.innermost(0).map(|(_, frame)| frame.location)
    }

    fn take_step(&mut self, steps: &mut u64, budget: &Budget) -> Result<(), Rejected> {
        *steps += 1;
        if steps.is_multiple_of(STEPS_PER_CHECK) {
            budget.spend(STEPS_PER_CHECK);
            budget.check().map_err(Rejected::Exhausted)?;
        }
        let stepped = self.runner.step();
        goes_on(&mut self.runner, stepped)?;
        self.note_allocation();
        Ok(())
    }

    /// Notes which object the edge that was taken has made.
    fn note_allocation(&mut self) {
        let (program, interpreter) = (self.program, &self.runner.interpreter);
        if let Some(edge) = interpreter.edge
            && let Op::Allocate { target, .. } = program.edges[edge].op
        {
            let object = ObjectId::of_variable(program, target);
            let extent = Extent { object, offset_bits: 0, width_bits: program.types.scalar_bits(Scalar::Pointer) };
            match interpreter.state.memory.peek(extent, Scalar::Pointer) {
                Some(Value::Pointer(Pointer::Object { object, .. })) => self.heap.insert(edge, object),
                _ => self.heap.remove(&edge),
            };
        }
    }
}

type StemStep = Result<Option<program::semantics::RunEnd>, program::semantics::Stop>;

fn goes_on(runner: &mut TraceRunner<'_>, stepped: StemStep) -> Result<(), Rejected> {
    let end = match stepped {
        Ok(None) => return Ok(()),
        Ok(Some(end)) => end,
        Err(stop) => runner.stopped(stop),
    };
    executed(end)?;
    Err(not_recurrent("the execution ends"))
}

impl RecurrenceArgument<'_> {
    /// The values of symbols and counters.
    fn values(&self, followed: &Followed<'_>, counters: &HashMap<Symbol, Term>) -> HashMap<Symbol, Term> {
        let mut found = counters.clone();
        for (place, value) in self.encoding.values_now(&followed.runner.interpreter, &followed.heap) {
            if let Node::Variable(symbol) = self.terms.node(place) {
                found.insert(symbol, value);
            }
        }
        found
    }

    /// What holds of scalars and elements of arrays in the state that an execution is in.
    fn equations(&self, followed: &Followed<'_>) -> Vec<Term> {
        let now = self.encoding.values_now(&followed.runner.interpreter, &followed.heap).into_iter();
        now.map(|(place, value)| self.terms.equal(place, value)).collect()
    }

    /// What holds in the state that an execution is in, of which some may hold whenever an iteration begins.
    fn constants(&self, followed: &Followed<'_>) -> Vec<Term> {
        let terms = self.terms;
        let values = self.values(followed, &HashMap::default());
        let truth = |atom: &AtomId| {
            let Truth::Is(term) = self.encoding.atom(atom.index(), self.given.head, Exit::Passes) else { return None };
            let truth = terms.as_truth(terms.substitute(term, &values))?;
            Some(if truth { term } else { terms.not(term) })
        };
        let found: BTreeSet<Term> =
            self.equations(followed).into_iter().chain(self.atoms.iter().filter_map(truth)).collect();
        found.into_iter().collect()
    }

    /// Whether the set contains the state that an execution is in.
    fn contains(&self, values: &HashMap<Symbol, Term>, followed: &Followed<'_>) -> bool {
        let terms = self.terms;
        let open = terms.not(terms.and(self.set.iter().map(|&condition| terms.substitute(condition, values))));
        match terms.as_truth(open) {
            Some(is_outside) => !is_outside,
            None => self.obligations.impossible(&self.equations(followed), terms.truth(true), open),
        }
    }
}
