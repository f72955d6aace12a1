//! All iterations of a loop from a set of states, over formulas.

use foundation::collections::HashMap;
use foundation::{Budget, Id};
use logic::{Sort, Symbol, Term};
use num_bigint::BigInt;
use num_traits::Zero;
use program::{EdgeId, LocationId, Op, Scalar};

use crate::{GoalTruth, RecurrenceArgument};
use kernel::encode::{Exit, Passage, Transition, Truth};
use kernel::refutation::NotProved;

/// The most steps of one iteration.
const LONGEST_STEPS: usize = 10_000;

/// The most paths by which iterations may go.
const MOST_PATHS: usize = 2_000;

/// So often the head may be passed in one iteration before the set is entered again.
const MOST_ARRIVALS: usize = 8;

/// The iterations from the set of an argument.
pub(super) struct Iterations<'r, 'a> {
    pub argument: &'r RecurrenceArgument<'a>,
}

/// What all iterations have in common.
pub(super) struct Common {
    /// The word that they read.
    pub word: Vec<GoalTruth>,
    /// Whether they take different paths.
    pub several_paths: bool,
    /// The symbols to which each iteration adds the same number, which is not 0.
    pub added: Vec<(Symbol, BigInt)>,
}

/// The beginning of an iteration.
#[derive(Clone)]
struct PathPrefix {
    location: LocationId,
    /// What was done since the head.
    step: Transition,
    /// What holds at the head: the set, and what inputs were chosen to be.
    known: Vec<Term>,
    word: Vec<GoalTruth>,
    taken: HashMap<EdgeId, usize>,
    length: usize,
    arrivals: usize,
}

impl Iterations<'_, '_> {
    /// Follows all iterations. What is said to be constant is used as far as iterations do not change it.
    pub fn follow(&self, mut constants: Vec<Term>, budget: &Budget) -> Result<Common, NotProved> {
        let obligations = self.argument.obligations;
        loop {
            let known: Vec<Term> = self.argument.set.iter().chain(&constants).copied().collect();
            let iterations = self.iterations(&known, budget)?;
            let stays = |constant: &Term| {
                iterations
                    .iter()
                    .all(|iteration| obligations.hold_after(&iteration.known, &iteration.step, &[*constant]))
            };
            let kept: Vec<Term> = constants.iter().copied().filter(stays).collect();
            if kept.len() < constants.len() {
                constants = kept;
                continue;
            }
            let (added, several_paths) = (self.added(&iterations), iterations.len() > 1);
            let mut words = iterations.into_iter().map(|iteration| self.argument.reduced(iteration.word));
            let first = words.next().ok_or_else(|| NotProved::wrong("there is no iteration"))?;
            return match words.all(|word| word == first) {
                true => Ok(Common { word: first, several_paths, added }),
                false => Err(NotProved::wrong("not all iterations show the same")),
            };
        }
    }

    fn added(&self, iterations: &[PathPrefix]) -> Vec<(Symbol, BigInt)> {
        let terms = self.argument.terms;
        let added = |path: &PathPrefix, symbol: Symbol| {
            let update = path.step.updates.get(&symbol).filter(|_| terms.sort_of_symbol(symbol) == Sort::Int)?;
            let change = terms.linear(*update).subtract(&terms.linear(terms.variable(symbol)));
            change.is_constant().then(|| change.constant().clone()).filter(|change| !change.is_zero())
        };
        let Some((first, others)) = iterations.split_first() else { return Vec::new() };
        let symbols = first.step.updates.keys().filter_map(|&symbol| Some((symbol, added(first, symbol)?)));
        symbols
            .filter(|(symbol, change)| others.iter().all(|path| added(path, *symbol).as_ref() == Some(change)))
            .collect()
    }

    /// All iterations that there may be where these hold at the head; each of them ends in the set.
    fn iterations(&self, known: &[Term], budget: &Budget) -> Result<Vec<PathPrefix>, NotProved> {
        let RecurrenceArgument { terms, given, .. } = self.argument;
        let mut open = vec![PathPrefix {
            location: given.head,
            step: Transition::skip(terms),
            known: known.to_vec(),
            word: Vec::new(),
            taken: HashMap::default(),
            length: 0,
            arrivals: 0,
        }];
        let mut complete = Vec::new();
        while let Some(path) = open.pop() {
            budget.check().map_err(NotProved::Exhausted)?;
            if path.length > LONGEST_STEPS || open.len() + complete.len() > MOST_PATHS {
                return Err(NotProved::NotCovered("iterations of the loop are too long or too many".to_owned()));
            }
            for mut next in self.longer(&path)? {
                if next.location == given.head {
                    if self.is_in_set(&next) {
                        complete.push(next);
                        continue;
                    }
                    next.arrivals += 1;
                    if next.arrivals > MOST_ARRIVALS {
                        return Err(NotProved::wrong("an iteration of the loop leaves the set"));
                    }
                }
                open.push(next);
            }
        }
        Ok(complete)
    }

    /// Whether an iteration ends in the set.
    fn is_in_set(&self, path: &PathPrefix) -> bool {
        let RecurrenceArgument { obligations, counting, set, .. } = self.argument;
        let mut step = path.step.clone();
        step.updates.extend(counting.updates.iter().map(|(&counter, &next)| (counter, next)));
        obligations.hold_after(&path.known, &step, set)
    }

    /// The paths that are one step longer. All of them go on.
    fn longer(&self, path: &PathPrefix) -> Result<Vec<PathPrefix>, NotProved> {
        let RecurrenceArgument { terms, prepared, encoding, obligations, .. } = self.argument;
        let program = &prepared.program;
        if let Some(blocked) = encoding.blocked(path.location)
            && !obligations.never_taken(&path.known, &path.step.then(terms, &blocked, "blocked"))
        {
            return Err(NotProved::wrong("an iteration of the loop may be blocked by an assumption"));
        }
        let mut found = Vec::new();
        for &edge in &program.locations[path.location].out {
            for passage in encoding.edge(edge) {
                let step = path.step.then(terms, &passage.step, &edge.index().to_string());
                let mut next =
                    PathPrefix { location: program.edges[edge].to, step, length: path.length + 1, ..path.clone() };
                *next.taken.entry(edge).or_default() += 1;
                self.choose(path, &mut next, edge, &passage)?;
                let is_new = next.step.guard != path.step.guard;
                if is_new && obligations.never_taken(&next.known, &next.step) {
                    continue;
                }
                if passage.exit != Exit::Passes {
                    return Err(NotProved::wrong(match passage.exit {
                        Exit::Undefined => "the behaviour of an iteration of the loop may be undefined",
                        _ => "an iteration of the loop may end the program",
                    }));
                }
                if self.argument.task.semantics.observe.may_see(program.edges[edge].observe) {
                    let shown = self.shown(&next)?;
                    next.word.push(shown);
                }
                found.push(next);
            }
        }
        Ok(found)
    }

    /// Gives the inputs of an edge that was just taken the values that were chosen for them, which must be of their
    /// types.
    fn choose(
        &self,
        path: &PathPrefix,
        next: &mut PathPrefix,
        edge: EdgeId,
        passage: &Passage,
    ) -> Result<(), NotProved> {
        let RecurrenceArgument { terms, prepared, obligations, choices, .. } = self.argument;
        let count = passage.step.asked.len();
        let asked = next.step.asked[next.step.asked.len() - count..].to_vec();
        for (index, (&own, symbol)) in passage.step.asked.iter().zip(asked).enumerate() {
            let name = input_name(edge, next.taken[&edge], index);
            let Some(&value) = choices.get(name.as_str()) else { continue };
            let types = &prepared.program.types;
            let is_number = match &prepared.program.edges[edge].op {
                Op::Input { target, .. } => is_number(types.as_scalar(target.ty)),
                Op::Call { result: Some(result), .. } => {
                    is_number(types.as_scalar(prepared.program.variables[*result].ty))
                }
                _ => false,
            };
            if !is_number || terms.sort(value) != terms.sort_of_symbol(own) {
                return Err(NotProved::wrong(format!("`{name}` is no input that can be chosen")));
            }
            let mut seen: HashMap<Symbol, Term> = path.step.updates.iter().map(|(&at, &term)| (at, term)).collect();
            seen.insert(own, value);
            for conjunct in terms.conjuncts(passage.step.guard) {
                let fits = || terms.not(terms.substitute(conjunct, &seen));
                if terms.symbols(conjunct).contains(&own)
                    && !obligations.impossible(&path.known, path.step.guard, fits())
                {
                    return Err(NotProved::wrong(format!("the value chosen for `{name}` may not be one of its type")));
                }
            }
            next.known.push(terms.equal(terms.variable(symbol), value));
        }
        Ok(())
    }

    /// What is observed at the end of a path: each atom has one truth, whatever the state was at the head.
    fn shown(&self, path: &PathPrefix) -> Result<GoalTruth, NotProved> {
        let RecurrenceArgument { terms, encoding, obligations, atoms, .. } = self.argument;
        let truth = |atom: usize| {
            let Truth::Is(term) = encoding.atom(atom, path.location, Exit::Passes) else {
                return Err(NotProved::NotCovered("the formulas do not say whether an atom is true".to_owned()));
            };
            let term = path.step.after(terms, term);
            if let Some(truth) = terms.as_truth(term) {
                Ok(truth)
            } else if obligations.impossible(&path.known, path.step.guard, terms.not(term)) {
                Ok(true)
            } else if obligations.impossible(&path.known, path.step.guard, term) {
                Ok(false)
            } else {
                Err(NotProved::wrong("an atom does not have the same truth in all iterations"))
            }
        };
        atoms.iter().map(|atom| truth(atom.index())).collect()
    }
}

/// The name of an input: the edge, how often it was taken by now in the iteration, which of its questions it is.
pub(super) fn input_name(edge: EdgeId, time: usize, index: usize) -> String {
    match time {
        1 => format!("?{}.{index}", edge.index()),
        _ => format!("?{}:{time}.{index}", edge.index()),
    }
}

fn is_number(scalar: Option<Scalar>) -> bool {
    matches!(scalar, Some(Scalar::Int(_) | Scalar::Bool))
}
