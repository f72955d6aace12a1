//! The automaton of the negated goal, and how it reads words.
//!
//! An engine that explores a program lets this automaton run beside it: the product has an accepting run exactly if
//! some execution violates the goal. The product is never built as a whole: [`WordReader`] answers, for a state of the
//! automaton and the letters that a step of the program shows, where the automaton may be afterwards. A step may show
//! several letters, because engines take many edges at once.

use std::sync::Arc;

use automata::buchi::{Automaton, Guard, Marks};
use automata::ltl::{self, AtomId, Unary};
use automata::translate::{self, Failure, Options, Target, stutter};
use foundation::collections::HashMap;
use foundation::{Budget, Id};

use crate::board::{Board, Fact};
use crate::task::Task;
use crate::verdict::Reason;

/// Which of the goal's atoms hold in an observed state: bit `i` stands for the atom `atoms[i]` of the [`Negation`].
pub type LetterBits = u64;

/// The automaton of a negated goal.
#[derive(Clone, Debug)]
pub struct Negation {
    /// It accepts the words that violate the goal.
    pub automaton: Automaton<Guard>,
    /// The atoms of the goal, in ascending order; their places are the bits of letters.
    pub atoms: Vec<AtomId>,
    /// Whether repeating letters of a word changes nothing, so that unobservable steps may be left out.
    pub stutter_invariant: bool,
}

impl Fact for Negation {
    const NAME: &'static str = "automaton of the negated goal";
}

impl Negation {
    /// Translates the negation of a task's goal for an engine, or finds it on the board.
    pub fn of(task: &Task, board: &Board, engine: &'static str, budget: &Budget) -> Result<Arc<Self>, Reason> {
        board.once(engine, || Self::new(task, budget))
    }

    /// Translates the negation of a task's goal.
    pub fn new(task: &Task, budget: &Budget) -> Result<Self, Reason> {
        let goal = task.goal.linear()?;
        let atoms = task.goal_atoms();
        if atoms.len() > LetterBits::BITS as usize {
            return Err(Reason::unsupported(format!("a property with more than {} atoms", LetterBits::BITS), None));
        }
        let mut formulas = task.formulas.clone();
        let negated = formulas.unary(Unary::Not, goal);
        let options = Options { target: Target::Tgba, budget: budget.clone(), ..Options::default() };
        let failure = |failure| match failure {
            Failure::Exhausted(exhausted) => Reason::Exhausted(exhausted),
            other => Reason::Incomplete(other.to_string()),
        };
        let automaton = translate::translate(&mut formulas, negated, &options).map_err(failure)?.automaton;
        // Where this cannot be found out within the budget's means, nothing is lost but speed.
        let stutter_invariant = stutter::is_stutter_invariant(&mut formulas, goal, budget).unwrap_or(false);
        budget.check()?;
        Ok(Self { automaton, atoms, stutter_invariant })
    }

    /// The letter of an observed state, from the truth of all of the task's atoms.
    pub fn letter(&self, truth: &[bool]) -> LetterBits {
        let holds = |(bit, atom): (usize, &AtomId)| LetterBits::from(truth[atom.index()]) << bit;
        self.atoms.iter().enumerate().map(holds).fold(0, |letter, bit| letter | bit)
    }

    /// The letter as a set of atoms.
    pub fn atoms_of(&self, letter: LetterBits) -> ltl::Letter {
        let atoms = self.atoms.iter().enumerate();
        atoms.filter(|(bit, _)| letter >> bit & 1 == 1).map(|(_, atom)| *atom).collect()
    }

    /// Whether the automaton, in this state, accepts the word that repeats one letter for ever.
    pub fn accepts_for_ever(&self, state: u32, letter: LetterBits) -> bool {
        let letter = self.atoms_of(letter);
        let mut word = self.automaton.map_edges(self.automaton.acceptance_sets(), |edge| {
            edge.label.holds(&letter).then(|| (edge.label.clone(), edge.marks))
        });
        word.set_initial(vec![Id::from_index(state as usize)]);
        automata::buchi::Components::of(&word).iter().any(|(_, component)| component.is_accepting)
    }
}

/// Where the automaton may be after a word, and what it has visited meanwhile.
type Moves = Box<[(u32, Marks)]>;

/// Reads words with a [`Negation`], and remembers what it has read.
#[derive(Clone, Debug)]
pub struct WordReader<'n> {
    negation: &'n Negation,
    words: HashMap<Box<[LetterBits]>, u32>,
    /// By word and state.
    moves: Vec<Vec<Option<Moves>>>,
    letters: HashMap<LetterBits, ltl::Letter>,
    for_ever: HashMap<(u32, LetterBits), bool>,
}

impl<'n> WordReader<'n> {
    /// Nothing read yet.
    pub fn new(negation: &'n Negation) -> Self {
        Self {
            negation,
            words: HashMap::default(),
            moves: Vec::new(),
            letters: HashMap::default(),
            for_ever: HashMap::default(),
        }
    }

    /// The number of a word, which stands for it from here on.
    pub fn word(&mut self, letters: &[LetterBits]) -> u32 {
        if let Some(&known) = self.words.get(letters) {
            return known;
        }
        let number = self.moves.len() as u32;
        self.words.insert(letters.into(), number);
        self.moves.push(vec![None; self.negation.automaton.state_count()]);
        number
    }

    /// Where the automaton may be after reading a word, and the acceptance sets it has visited meanwhile. Of two paths
    /// to the same state, one that visits less is left out.
    pub fn moves(&mut self, word: u32, letters: &[LetterBits], state: u32) -> &[(u32, Marks)] {
        let known = &self.moves[word as usize][state as usize];
        if known.is_none() {
            let found = self.read(letters, state);
            self.moves[word as usize][state as usize] = Some(found);
        }
        self.moves[word as usize][state as usize].as_deref().expect("it was read just now")
    }

    /// Whether the automaton accepts one letter for ever from a state.
    pub fn accepts_for_ever(&mut self, state: u32, letter: LetterBits) -> bool {
        let negation = self.negation;
        *self.for_ever.entry((state, letter)).or_insert_with(|| negation.accepts_for_ever(state, letter))
    }

    fn read(&mut self, letters: &[LetterBits], state: u32) -> Moves {
        let mut now = vec![(state, Marks::NONE)];
        for &letter in letters {
            let negation = self.negation;
            let atoms = self.letters.entry(letter).or_insert_with(|| negation.atoms_of(letter));
            let mut next: Vec<(u32, Marks)> = Vec::new();
            for &(state, marks) in &now {
                let edges = negation.automaton.edges_from(Id::from_index(state as usize));
                for edge in edges.iter().filter(|edge| edge.label.holds(atoms)) {
                    insert_best(&mut next, (edge.to.index() as u32, marks.union(edge.marks)));
                }
            }
            now = next;
        }
        now.into()
    }
}

/// Adds a path unless there is one that visits as much; removes those that visit less.
fn insert_best(paths: &mut Vec<(u32, Marks)>, (state, marks): (u32, Marks)) {
    if paths.iter().any(|&(other, visited)| other == state && marks.is_subset(visited)) {
        return;
    }
    paths.retain(|&(other, visited)| other != state || !visited.is_subset(marks));
    paths.push((state, marks));
}
