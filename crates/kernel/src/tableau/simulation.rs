//! Fair simulation: a reason for inclusion that needs no complement.
//!
//! Two players build a run each. Spoiler takes an edge of the smaller automaton and a letter that it reads, Duplicator
//! answers with an edge of the larger one that reads the same letter. Duplicator wins if the larger run is accepted or the
//! smaller one is not (Henzinger, Kupferman and Rajamani, *Fair simulation*, 1997). Where Duplicator wins from the
//! initial states, every accepted run of the smaller automaton is answered by an accepted run on the same word, so the
//! inclusion holds. The converse is true where the larger automaton is deterministic, and not in general.
//!
//! With the acceptance sets Tᵢ of the smaller and Aⱼ of the larger automaton Duplicator wants: if all Tᵢ are visited
//! infinitely often, so are all Aⱼ. The pairs from which that can be had are, with marks on moves instead of states, the
//! threefold fixed point of Piterman, Pnueli and Sa'ar (*Synthesis of reactive(1) designs*, VMCAI 2006):
//!
//! ```text
//! νZ. for all j: μY. for some i: νX. for every move of Spoiler there is an answer
//!                                     with a mark of Aⱼ that leads to Z, or one that leads to Y,
//!                                     or one that leads to X where the move has no mark of Tᵢ
//! ```

use automata::buchi::{Automaton, Edge, Guard, Label, Marks, StateId};
use foundation::collections::HashMap;
use foundation::{Budget, Exhausted};

/// The most answers of Duplicator, taken over all pairs, and the most cells that a guard is cut into.
const MOST_ANSWERS: usize = 1 << 16;
const MOST_CELLS: usize = 1 << 8;

/// How many answers may be looked at in all.
const MOST_WORK: usize = 1 << 22;

/// Whether the larger automaton is known to simulate the smaller one. Where that is too costly to find out, it is not.
pub fn simulates(smaller: &Automaton<Guard>, larger: &Automaton<Guard>, budget: &Budget) -> Result<bool, Exhausted> {
    let Some(game) = Game::new(smaller, larger, budget)? else {
        return Ok(false);
    };
    let Some(winning) = game.winning(budget)? else {
        return Ok(false);
    };
    let is_answered = |&state: &StateId| larger.initial().iter().any(|&other| winning[game.numbers[&(state, other)]]);
    Ok(smaller.initial().iter().all(is_answered))
}

/// A move of Spoiler from a pair of states.
struct Challenge {
    /// The acceptance sets of the smaller automaton that it visits.
    marks: Marks,
    /// The pairs that Duplicator's answers lead to, with the acceptance sets of the larger automaton that they visit.
    answers: Vec<(usize, Marks)>,
}

struct Game {
    numbers: HashMap<(StateId, StateId), usize>,
    challenges: Vec<Vec<Challenge>>,
    /// How many sets there are on both sides, at least one. A set that is not there is visited by every move.
    sets: (u32, u32),
}

impl Game {
    /// The pairs that can be reached from the initial ones, unless there is too much of them.
    fn new(smaller: &Automaton<Guard>, larger: &Automaton<Guard>, budget: &Budget) -> Result<Option<Game>, Exhausted> {
        let with_one = |automaton: &Automaton<Guard>| automaton.acceptance_sets().max(1);
        let marks_of = |edge: &Edge<Guard>, automaton: &Automaton<Guard>| {
            if automaton.acceptance_sets() == 0 { Marks::one(0) } else { edge.marks }
        };
        let mut game =
            Game { numbers: HashMap::default(), challenges: Vec::new(), sets: (with_one(smaller), with_one(larger)) };
        let mut pairs: Vec<(StateId, StateId)> = Vec::new();
        for &state in smaller.initial() {
            for &other in larger.initial() {
                game.number((state, other), &mut pairs);
            }
        }
        let mut cells: HashMap<(&Guard, StateId), Vec<Vec<usize>>> = HashMap::default();
        let mut answers_in_all = 0;
        while game.challenges.len() < pairs.len() {
            budget.check()?;
            let (state, other) = pairs[game.challenges.len()];
            let mut challenges = Vec::new();
            for edge in smaller.edges_from(state) {
                let readers = larger.edges_from(other);
                let cells = cells.entry((&edge.label, other)).or_insert_with(|| cut(&edge.label, readers));
                if cells.len() > MOST_CELLS {
                    return Ok(None);
                }
                for cell in cells {
                    let mut answers = Vec::with_capacity(cell.len());
                    for &reader in cell.iter() {
                        let reader = &readers[reader];
                        answers.push((game.number((edge.to, reader.to), &mut pairs), marks_of(reader, larger)));
                    }
                    answers_in_all += 1 + answers.len();
                    challenges.push(Challenge { marks: marks_of(edge, smaller), answers });
                }
            }
            if answers_in_all > MOST_ANSWERS {
                return Ok(None);
            }
            game.challenges.push(challenges);
        }
        Ok(Some(game))
    }

    fn number(&mut self, pair: (StateId, StateId), pairs: &mut Vec<(StateId, StateId)>) -> usize {
        *self.numbers.entry(pair).or_insert_with(|| {
            pairs.push(pair);
            pairs.len() - 1
        })
    }

    /// The pairs from which Duplicator wins, unless too much work is needed to find them.
    fn winning(&self, budget: &Budget) -> Result<Option<Vec<bool>>, Exhausted> {
        let pairs = self.challenges.len();
        let answers: usize = self.challenges.iter().flatten().map(|challenge| 1 + challenge.answers.len()).sum();
        let mut work = 0;
        let mut z = vec![true; pairs];
        loop {
            let before = z.clone();
            for set in 0..self.sets.1 {
                let mut y = vec![false; pairs];
                loop {
                    let mut larger = y.clone();
                    for assumed in 0..self.sets.0 {
                        let mut x = z.clone();
                        loop {
                            work += answers;
                            budget.check()?;
                            if work > MOST_WORK {
                                return Ok(None);
                            }
                            let stays = |pair: usize| {
                                x[pair]
                                    && self.can_answer(pair, |challenge, to, marks| {
                                        (marks.contains(set) && z[to])
                                            || y[to]
                                            || (!challenge.marks.contains(assumed) && x[to])
                                    })
                            };
                            let smaller: Vec<bool> = (0..pairs).map(stays).collect();
                            if smaller == x {
                                break;
                            }
                            x = smaller;
                        }
                        larger.iter_mut().zip(x).for_each(|(known, new)| *known |= new);
                    }
                    if larger == y {
                        break;
                    }
                    y = larger;
                }
                z = y;
            }
            if z == before {
                return Ok(Some(z));
            }
        }
    }

    /// Whether every challenge from a pair has an answer of the given kind.
    fn can_answer(&self, pair: usize, is_good: impl Fn(&Challenge, usize, Marks) -> bool) -> bool {
        let is_answered =
            |challenge: &Challenge| challenge.answers.iter().any(|&(to, marks)| is_good(challenge, to, marks));
        self.challenges[pair].iter().all(is_answered)
    }
}

/// The sets of edges that read a letter of the guard, for all of its letters; of two sets only the smaller is kept, as it
/// leaves Duplicator fewer answers.
fn cut(guard: &Guard, readers: &[Edge<Guard>]) -> Vec<Vec<usize>> {
    let mut cells: Vec<(Guard, Vec<usize>)> = vec![(guard.clone(), Vec::new())];
    for (number, reader) in readers.iter().enumerate() {
        let mut finer = Vec::with_capacity(cells.len());
        for (letters, readers) in cells {
            if let Some(others) = letters.minus(&reader.label) {
                finer.push((others, readers.clone()));
            }
            if let Some(read) = letters.meet(&reader.label) {
                finer.push((read, readers.into_iter().chain([number]).collect()));
            }
        }
        cells = finer;
        if cells.len() > MOST_CELLS {
            break;
        }
    }
    let mut sets: Vec<Vec<usize>> = cells.into_iter().map(|(_, readers)| readers).collect();
    if sets.len() <= MOST_CELLS {
        sets.sort_by_key(Vec::len);
        let is_subset = |part: &[usize], whole: &[usize]| part.iter().all(|element| whole.contains(element));
        let mut smallest: Vec<Vec<usize>> = Vec::new();
        for set in sets {
            if !smallest.iter().any(|known| is_subset(known, &set)) {
                smallest.push(set);
            }
        }
        return smallest;
    }
    sets
}
