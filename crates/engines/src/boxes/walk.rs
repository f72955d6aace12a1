//! All paths from a box at one cutpoint to the boxes at the next ones.
//!
//! Between two cutpoints the program has no cycle. A box is taken apart where a condition, or an atom that is observed, is
//! true in some of its states and false in others; so on most paths all is decided, as it is for a single state.

use foundation::{Budget, Exhausted};
use program::{EdgeId, ExprId, ExprKind, LocationId, Op, Operand};
use task::{LetterBits, Reason};

use super::followed::{AtomTruth, FollowedProgram, Moment, ValueBox};

/// From one box more paths than this are not followed.
const MOST_PATHS: usize = 1 << 14;

/// The budget is looked at after so many edges.
const EDGES_PER_CHECK: u64 = 64;

/// How many units of work an edge is, about.
const WORK_OF_AN_EDGE: u64 = 2;

/// A path to the next cutpoint.
#[derive(Clone, Debug)]
pub struct Passage {
    /// Where it leads; nowhere where the last letter is repeated for ever.
    pub to: Option<(LocationId, ValueBox)>,
    /// The letters that are observed.
    pub word: Vec<LetterBits>,
    /// The letter that was observed last.
    pub last: LetterBits,
    /// The values that were chosen for inputs, where values are chosen.
    pub chosen: Vec<(EdgeId, i128)>,
}

/// How inputs are answered.
pub trait InputValues {
    /// The values to try for the input that an edge reads; all of them at once where there are none.
    fn of(&self, edge: EdgeId) -> &[i128];
}

/// All values at once.
pub struct AllValues;

impl InputValues for AllValues {
    fn of(&self, _: EdgeId) -> &[i128] {
        &[]
    }
}

/// Follows paths.
pub struct Walker<'a> {
    subject: &'a FollowedProgram,
    inputs: &'a dyn InputValues,
    budget: &'a Budget,
    found: Vec<Passage>,
    open: Vec<Spot>,
    edges: u64,
    /// Whether some box was not taken apart where something was undecided, so that a path may be none.
    pub is_blurred: bool,
    /// Whether an overflow may have come to a cutpoint without being observed.
    carries_overflow: bool,
}

/// Where control is on a path.
#[derive(Clone)]
struct Spot {
    location: LocationId,
    state: ValueBox,
    word: Vec<LetterBits>,
    last: Option<LetterBits>,
    chosen: Vec<(EdgeId, i128)>,
    has_moved: bool,
    /// Whether a signed integer may have overflowed since a state was observed.
    may_have_overflowed: bool,
}

impl<'a> Walker<'a> {
    /// Nothing followed yet.
    pub fn new(subject: &'a FollowedProgram, inputs: &'a dyn InputValues, budget: &'a Budget) -> Self {
        Self {
            subject,
            inputs,
            budget,
            found: Vec::new(),
            open: Vec::new(),
            edges: 0,
            is_blurred: false,
            carries_overflow: false,
        }
    }

    /// The paths from the start of the program.
    pub fn begin(&mut self, state: ValueBox) -> Result<Vec<Passage>, Reason> {
        let location = self.subject.prepared().start();
        let start = Spot {
            location,
            state,
            word: Vec::new(),
            last: None,
            chosen: Vec::new(),
            has_moved: true,
            may_have_overflowed: false,
        };
        for spot in self.observed(None, Moment::Passing, start) {
            self.open.push(spot);
        }
        self.follow_all()
    }

    /// The paths from a cutpoint, after a letter was observed.
    pub fn from(&mut self, location: LocationId, state: ValueBox, last: LetterBits) -> Result<Vec<Passage>, Reason> {
        let (word, chosen) = (Vec::new(), Vec::new());
        let may_have_overflowed = false;
        self.open.push(Spot { location, state, word, last: Some(last), chosen, has_moved: false, may_have_overflowed });
        self.follow_all()
    }

    fn follow_all(&mut self) -> Result<Vec<Passage>, Reason> {
        self.found.clear();
        while let Some(spot) = self.open.pop() {
            self.edges += 1;
            if self.edges.is_multiple_of(EDGES_PER_CHECK) {
                self.look_at_the_budget()?;
            }
            if self.found.len() + self.open.len() > MOST_PATHS {
                return Err(Reason::LeftToOthers("too many paths lead from one cutpoint to the next".to_owned()));
            }
            self.follow(spot);
        }
        if self.carries_overflow {
            return Err(Reason::LeftToOthers("an overflow that is observed in the next iteration".to_owned()));
        }
        Ok(std::mem::take(&mut self.found))
    }

    fn look_at_the_budget(&self) -> Result<(), Exhausted> {
        self.budget.spend(EDGES_PER_CHECK * WORK_OF_AN_EDGE);
        self.budget.check()
    }

    /// Takes the edges of the location where control is.
    fn follow(&mut self, mut spot: Spot) {
        if spot.has_moved && self.subject.is_head(spot.location) {
            let to = Some((spot.location, spot.state.clone()));
            return self.arrive(to, spot);
        }
        let program = self.subject.program();
        let out = &program.locations[spot.location].out;
        if out.is_empty() {
            // Control stays here for ever, and nothing is observed any more.
            return self.arrive(None, spot);
        }
        let (mut fails, mut overflows) = (None, false);
        let mut taken: Vec<(EdgeId, bool)> = Vec::with_capacity(out.len());
        let mut before = None;
        for &edge in out {
            let Op::Assume(condition) = program.edges[edge].op else {
                taken.push((edge, true));
                continue;
            };
            overflows |= self.overflows_in(condition, &spot.state);
            if fails.is_none() && self.subject.value_may_fail(condition, &spot.state) {
                fails = Some(edge);
            }
            // Most branches have a condition and its negation.
            let truth = match before {
                Some((negated, (may_be_false, may_be_true)))
                    if program.exprs.get(condition).kind == ExprKind::Not(negated) =>
                {
                    (may_be_true, may_be_false)
                }
                _ => self.subject.truth(condition, &spot.state),
            };
            before = Some((condition, truth));
            if truth == (true, true)
                && let Some(parts) = self.subject.split(condition, &spot.state)
            {
                self.open.extend(parts.into_iter().map(|state| Spot { state, ..spot.clone() }));
                return;
            }
            if truth.1 {
                taken.push((edge, !truth.0));
            }
        }
        spot.may_have_overflowed |= overflows;
        if let Some(edge) = fails {
            self.fail(edge, &spot);
        }
        let last = taken.pop();
        for (edge, is_certain) in taken {
            self.choose(edge, is_certain, spot.clone());
        }
        if let Some((edge, is_certain)) = last {
            self.choose(edge, is_certain, spot);
        }
    }

    /// Takes an edge whose condition, if it has one, is true in all states or may be true in some.
    fn choose(&mut self, edge: EdgeId, is_certain: bool, spot: Spot) {
        match self.subject.program().edges[edge].op {
            Op::Assume(_) if is_certain => self.complete(edge, spot),
            Op::Assume(condition) => {
                self.is_blurred = true;
                if let Some(state) = self.subject.where_it_is(condition, true, &spot.state) {
                    self.complete(edge, Spot { state, ..spot });
                }
            }
            _ => self.take(edge, spot),
        }
    }

    /// Takes an edge that is no condition.
    fn take(&mut self, edge: EdgeId, mut spot: Spot) {
        let subject = self.subject;
        let op = &subject.program().edges[edge].op;
        if let Op::Assign { value: Operand::Scalar(value), .. } = op
            && subject.is_followed(edge)
            && let Some(parts) = subject.split_value(*value, &spot.state)
        {
            self.open.extend(parts.into_iter().map(|state| Spot { state, ..spot.clone() }));
            return;
        }
        spot.may_have_overflowed |= subject.shows_overflow && subject.may_overflow(op, &spot.state);
        if subject.may_fail(op, &spot.state) {
            self.fail(edge, &spot);
        }
        match op {
            Op::Return(_) => {
                let before = match subject.is_observed(edge) {
                    true => self.observed(Some(edge), Moment::Passing, spot),
                    false => vec![spot],
                };
                for spot in before {
                    self.end(edge, Moment::End, spot);
                }
            }
            Op::End(_) => self.end(edge, Moment::End, spot),
            Op::Unreachable => {}
            _ => {
                let Some(state) = subject.after(edge, &spot.state) else { return };
                let spot = Spot { state, ..spot };
                let values = self.inputs.of(edge);
                if values.is_empty() {
                    return self.complete(edge, spot);
                }
                for &value in values {
                    let Some(state) = subject.with_input(edge, value, &spot.state) else { continue };
                    let mut chosen = spot.chosen.clone();
                    chosen.push((edge, value));
                    self.complete(edge, Spot { state, chosen, ..spot.clone() });
                }
            }
        }
    }

    /// An edge was taken to its end.
    fn complete(&mut self, edge: EdgeId, spot: Spot) {
        let location = self.subject.program().edges[edge].to;
        let spots = match self.subject.is_observed(edge) {
            true => self.observed(Some(edge), Moment::Passing, spot),
            false => vec![spot],
        };
        self.open.extend(spots.into_iter().map(|spot| Spot { location, has_moved: true, ..spot }));
    }

    /// The run may end here because behaviour is undefined.
    fn fail(&mut self, edge: EdgeId, spot: &Spot) {
        self.is_blurred = true;
        if !self.subject.undefined_blocks {
            self.end(edge, Moment::Error, spot.clone());
        }
    }

    fn end(&mut self, edge: EdgeId, moment: Moment, spot: Spot) {
        for spot in self.observed(Some(edge), moment, spot) {
            self.arrive(None, spot);
        }
    }

    /// Whether it can be seen that evaluating a condition overflows.
    fn overflows_in(&self, condition: ExprId, state: &ValueBox) -> bool {
        self.subject.shows_overflow && self.subject.value_may_overflow(condition, state)
    }

    fn arrive(&mut self, to: Option<(LocationId, ValueBox)>, spot: Spot) {
        self.carries_overflow |= to.is_some() && spot.may_have_overflowed;
        let Spot { mut word, last, chosen, .. } = spot;
        let last = last.expect("the start is observed");
        if word.is_empty() && self.subject.negation.stutter_invariant {
            word.push(last);
        }
        self.found.push(Passage { to, word, last, chosen });
    }

    /// Observes the states of a box, which is taken apart as far as atoms have different truth values in it.
    fn observed(&mut self, edge: Option<EdgeId>, moment: Moment, spot: Spot) -> Vec<Spot> {
        let truths = self.subject.letter_at(edge, moment);
        let mut seen = Vec::new();
        let mut open = vec![(spot.state.clone(), 0, 0)];
        while let Some((state, bit, letter)) = open.pop() {
            let Some(truth) = truths.get(bit) else {
                seen.push((state, letter));
                continue;
            };
            let with = |holds: bool| letter | LetterBits::from(holds) << bit;
            match *truth {
                AtomTruth::Constant(holds) => open.push((state, bit + 1, with(holds))),
                AtomTruth::Overflow => {
                    if spot.may_have_overflowed {
                        self.is_blurred = true;
                        open.push((state.clone(), bit + 1, with(true)));
                    }
                    open.push((state, bit + 1, with(false)));
                }
                AtomTruth::Expr(atom) => match self.truth_of_atom(atom, &state) {
                    (false, true) => open.push((state, bit + 1, with(true))),
                    (true, true) => match self.subject.split(atom, &state) {
                        Some(parts) => open.extend(parts.into_iter().map(|part| (part, bit, letter))),
                        None => {
                            self.is_blurred = true;
                            open.push((state.clone(), bit + 1, with(false)));
                            if let Some(inside) = self.subject.where_it_is(atom, true, &state) {
                                open.push((inside, bit + 1, with(true)));
                            }
                        }
                    },
                    (_, false) => open.push((state, bit + 1, with(false))),
                },
            }
        }
        let repeats = self.subject.negation.stutter_invariant;
        let show = |(state, letter): (ValueBox, LetterBits)| {
            let mut spot = Spot { state, may_have_overflowed: false, ..spot.clone() };
            if !(repeats && spot.last == Some(letter)) {
                spot.word.push(letter);
            }
            spot.last = Some(letter);
            spot
        };
        seen.into_iter().map(show).collect()
    }

    /// Whether an atom may be false, and whether it may be true. It is false where it is undefined.
    fn truth_of_atom(&self, atom: ExprId, state: &ValueBox) -> (bool, bool) {
        let (may_be_false, may_be_true) = self.subject.truth(atom, state);
        (may_be_false || !may_be_true || self.subject.value_may_fail(atom, state), may_be_true)
    }
}
