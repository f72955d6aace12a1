//! What the program does from a set of states on, up to the next cutpoint where a cover has boxes.

use foundation::collections::HashSet;

use foundation::{Budget, Id};
use program::semantics::{Integers, ObserveMode, UndefinedMode};
use program::{
    Atom, CompareOp, EdgeId, ExprId, ExprKind, Initial, LocationId, Op, Operand, Place, Program, Scalar, VariableId,
    VariableKind,
};
use task::Task;

use super::super::Unexplored;
use super::super::plain::Plain;
use super::super::reading::AutomatonReader;
use super::numbers::Numbers;
use super::states::{Reader, States};

/// From one box so many sets of states are followed at most.
const MOST_SETS: usize = 1 << 16;

/// The budget is looked at after so many steps.
const STEPS_PER_CHECK: usize = 64;

/// How many units of work a step is, about.
const WORK_OF_A_STEP: u64 = 4;

/// A path, as far as it can be observed.
pub(super) struct Path {
    /// Where it leads, with the states there; nowhere where the last letter is repeated for ever.
    pub to: Option<(LocationId, States)>,
    /// The letters, by their numbers.
    pub word: Vec<u32>,
    /// The letter that was observed last; none if none was.
    pub last: Option<u32>,
}

/// When a letter is observed, apart from the passing ones.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Occasion {
    Passing,
    Ended,
    Undefined,
}

/// Follows the program of a task.
pub(super) struct Steps<'a> {
    task: &'a Task,
    plain: &'a Plain,
    pub reader: Reader<'a>,
    pub letters: AutomatonReader<'a>,
    /// The atoms that the automaton looks at.
    looked_at: Vec<bool>,
    /// Whether an atom shows overflows.
    shows_overflow: bool,
    cutpoints: HashSet<LocationId>,
    budget: &'a Budget,
}

/// Where control is.
#[derive(Clone)]
struct Here {
    location: LocationId,
    states: States,
    word: Vec<u32>,
    last: Option<u32>,
    /// Whether a signed integer may have overflowed since a state was observed.
    overflow: bool,
    /// How many edges lead here.
    length: usize,
}

impl<'a> Steps<'a> {
    pub fn new(
        task: &'a Task,
        plain: &'a Plain,
        letters: AutomatonReader<'a>,
        cutpoints: HashSet<LocationId>,
        budget: &'a Budget,
    ) -> Result<Self, Unexplored> {
        let program = &plain.prepared.program;
        for edge in program.edges.values() {
            let what = match &edge.op {
                Op::Spawn { .. } | Op::Join { .. } | Op::ExitThread(_) => "threads",
                Op::InitLock(_) | Op::Lock(_) | Op::TryLock { .. } | Op::Unlock(_) => "mutexes",
                Op::Call { callee: program::Callee::Pointer(_), .. } => "a call through a pointer",
                _ => continue,
            };
            return Err(Unexplored::not_covered(what, Some(edge.span)));
        }
        let mut looked_at = vec![false; task.atoms.len()];
        for atom in task.goal_atoms() {
            looked_at[atom.index()] = true;
            if let Atom::Call(_) = task.atoms[atom.index()] {
                return Err(Unexplored::not_covered("an atom that boxes do not show", None));
            }
        }
        if task.semantics.observe == ObserveMode::Change || task.semantics.stop_at_call.is_some() {
            return Err(Unexplored::not_covered("the observation of changes, or an end at a call", None));
        }
        let shows_overflow = task.goal_atoms().iter().any(|atom| task.atoms[atom.index()] == Atom::Overflow);
        let atoms = plain.atoms();
        let reader = Reader::new(program, &atoms, task.semantics.integers);
        Ok(Self { task, plain, reader, letters, looked_at, shows_overflow, cutpoints, budget })
    }

    fn program(&self) -> &'a Program {
        &self.plain.prepared.program
    }

    /// Nothing is known of any part.
    pub fn anything(&self) -> States {
        let parts = &self.reader.parts;
        (0..parts.len()).map(|part| Numbers::of_type(parts.get(part).ty, self.reader.integers)).collect()
    }

    /// The paths from the start of the program.
    pub fn begin(&mut self) -> Result<Vec<Path>, Unexplored> {
        let states = self.initial()?;
        let start = Here {
            location: self.plain.prepared.start(),
            states,
            word: Vec::new(),
            last: None,
            overflow: false,
            length: 1,
        };
        let observed = self.observe(None, Occasion::Passing, start);
        self.follow(observed)
    }

    /// The paths from a cutpoint.
    pub fn leave_box(&mut self, location: LocationId, states: States) -> Result<Vec<Path>, Unexplored> {
        self.follow(vec![Here { location, states, word: Vec::new(), last: None, overflow: false, length: 0 }])
    }

    /// The states in which the program starts.
    fn initial(&self) -> Result<States, Unexplored> {
        let program = self.program();
        let nothing_known = self.anything();
        let mut states: States = (0..self.reader.parts.len())
            .map(|part| Numbers::of_type(self.reader.parts.get(part).ty, Integers::Machine))
            .collect();
        for (variable, contents) in program.variables.iter() {
            let VariableKind::Global { initial: Initial::Values(items), .. } = &contents.kind else { continue };
            let (begin, end) = self.reader.parts.of_variable(variable);
            let mut given = vec![Numbers::NONE; end - begin];
            for item in items {
                if begin == end {
                    break;
                }
                let Some(part) = self.reader.parts.at_offset(program, variable, item.offset_bits) else {
                    return Err(Unexplored::not_covered("an initial value of no part", Some(contents.span)));
                };
                let value = self.fitted(self.reader.values(item.value, &nothing_known), part);
                given[part - begin] = given[part - begin].join(&value);
            }
            for (part, given) in (begin..end).zip(given) {
                // What is not given is zero; of arrays it is not counted whether all elements are.
                let is_given = !given.is_empty() && !self.reader.parts.get(part).many;
                states[part] = if is_given { given } else { given.join(&Numbers::One(0)) };
            }
        }
        Ok(states)
    }

    /// Values as a part holds them.
    fn fitted(&self, values: Numbers, part: usize) -> Numbers {
        match self.reader.parts.get(part).ty {
            Scalar::Int(ty) => values.converted(ty, self.reader.integers),
            Scalar::Bool => values,
            _ => Numbers::ALL,
        }
    }

    fn follow(&mut self, mut open: Vec<Here>) -> Result<Vec<Path>, Unexplored> {
        let mut found = Vec::new();
        let mut steps = 0;
        while let Some(here) = open.pop() {
            steps += 1;
            if steps % STEPS_PER_CHECK == 0 {
                self.budget.spend(STEPS_PER_CHECK as u64 * WORK_OF_A_STEP);
                self.budget.check().map_err(Unexplored::Exhausted)?;
            }
            if found.len() + open.len() > MOST_SETS || here.length > self.program().locations.len() + 1 {
                return Err(Unexplored::not_covered(
                    "too many paths from a box, or a cycle on which there is none",
                    None,
                ));
            }
            if here.length > 0 && self.cutpoints.contains(&here.location) {
                if here.overflow {
                    return Err(Unexplored::not_covered("an overflow that is not observed before the next box", None));
                }
                found.push(Path { to: Some((here.location, here.states)), word: here.word, last: here.last });
                continue;
            }
            self.leave(&here, &mut open, &mut found);
        }
        Ok(found)
    }

    /// Takes the edges of a location.
    fn leave(&mut self, here: &Here, open: &mut Vec<Here>, found: &mut Vec<Path>) {
        let program = self.program();
        let out = &program.locations[here.location].out;
        if out.is_empty() {
            found.push(Path { to: None, word: here.word.clone(), last: here.last });
        }
        // Conditions of edges that are not taken may have been evaluated, too.
        let conditions: Vec<&Op> =
            out.iter().map(|edge| &program.edges[*edge].op).filter(|op| matches!(op, Op::Assume(_))).collect();
        for &edge in out {
            let contents = &program.edges[edge];
            if self.reader.op_fails(&contents.op, &here.states) {
                let overflow = here.overflow || self.overflows(&contents.op, &here.states);
                self.stop(edge, Occasion::Undefined, &Here { overflow, ..here.clone() }, found);
            }
            match &contents.op {
                Op::Assume(condition) => {
                    for states in self.where_true(*condition, &here.states) {
                        let overflow = here.overflow || conditions.iter().any(|op| self.overflows(op, &states));
                        self.complete(edge, Here { states, overflow, ..here.clone() }, open);
                    }
                }
                Op::Return(_) => {
                    let seen = self.task.semantics.observe.may_see(contents.observe);
                    let overflow = here.overflow || self.overflows(&contents.op, &here.states);
                    let here = Here { overflow, ..here.clone() };
                    let before = if seen { self.observe(Some(edge), Occasion::Passing, here) } else { vec![here] };
                    before.iter().for_each(|here| self.stop(edge, Occasion::Ended, here, found));
                }
                Op::End(_) => self.stop(edge, Occasion::Ended, here, found),
                Op::Unreachable => {}
                op => {
                    let parts = match op {
                        Op::Assign { value: Operand::Scalar(value), .. } => self.by_conditions_in(*value, &here.states),
                        _ => vec![here.states.clone()],
                    };
                    for before in parts {
                        let overflow = here.overflow || self.overflows(op, &before);
                        if let Some(states) = self.written(op, &before) {
                            self.complete(edge, Here { states, overflow, ..here.clone() }, open);
                        }
                    }
                }
            }
        }
    }

    /// Whether it can be seen that an operation overflows.
    fn overflows(&self, op: &Op, states: &States) -> bool {
        self.shows_overflow && self.reader.op_overflows(op, states)
    }

    /// States as smaller boxes, divided by the conditions on which a value depends.
    fn by_conditions_in(&self, value: ExprId, states: &States) -> Vec<States> {
        let exprs = &self.program().exprs;
        let parts_of = |condition: ExprId| self.decided(condition, states).into_iter();
        match exprs.get(value).kind {
            _ if !self.reader.is_looked_into(value) => vec![states.clone()],
            ExprKind::If(condition, then, otherwise) => parts_of(condition)
                .flat_map(|(part, truth)| match truth {
                    Some(true) => self.by_conditions_in(then, &part),
                    Some(false) => self.by_conditions_in(otherwise, &part),
                    None => vec![part],
                })
                .collect(),
            ExprKind::Cast(operand) | ExprKind::Unary(_, operand) => self.by_conditions_in(operand, states),
            ExprKind::Binary(_, left, right) => (self.by_conditions_in(left, states).iter())
                .flat_map(|part| self.by_conditions_in(right, part))
                .collect(),
            ExprKind::Compare(..) | ExprKind::And(..) | ExprKind::Or(..) | ExprKind::Not(_) => {
                parts_of(value).map(|(part, _)| part).collect()
            }
            _ => vec![states.clone()],
        }
    }

    /// The execution stops at an edge, and its last letter is repeated for ever.
    fn stop(&mut self, edge: EdgeId, occasion: Occasion, here: &Here, found: &mut Vec<Path>) {
        if occasion == Occasion::Undefined && self.task.semantics.undefined == UndefinedMode::Assume {
            return;
        }
        for here in self.observe(Some(edge), occasion, here.clone()) {
            found.push(Path { to: None, word: here.word, last: here.last });
        }
    }

    /// An edge was taken to its end.
    fn complete(&mut self, edge: EdgeId, here: Here, open: &mut Vec<Here>) {
        let contents = &self.program().edges[edge];
        let here = Here { length: here.length + 1, ..here };
        let seen = match self.task.semantics.observe.may_see(contents.observe) {
            true => self.observe(Some(edge), Occasion::Passing, here),
            false => vec![here],
        };
        open.extend(seen.into_iter().map(|here| Here { location: contents.to, ..here }));
    }

    /// Observes states, divided by what can be observed of them.
    fn observe(&mut self, edge: Option<EdgeId>, occasion: Occasion, here: Here) -> Vec<Here> {
        let edges = &self.program().edges;
        let location = match edge {
            None => self.plain.prepared.start(),
            Some(edge) if occasion == Occasion::Passing => edges[edge].to,
            Some(edge) => edges[edge].from,
        };
        let mut seen = vec![(here.states.clone(), vec![false; self.task.atoms.len()])];
        let state_atoms = self.plain.prepared.atoms_at(location);
        for (index, atom) in self.task.atoms.iter().enumerate().filter(|(index, _)| self.looked_at[*index]) {
            let fixed = match atom {
                Atom::End => Some(occasion == Occasion::Ended),
                Atom::Error => Some(occasion == Occasion::Undefined),
                Atom::State { .. } if state_atoms[index].is_none() => Some(false),
                Atom::State { .. } => None,
                Atom::Overflow if here.overflow => {
                    let overflowed = seen.clone().into_iter().map(|(states, mut holding)| {
                        holding[index] = true;
                        (states, holding)
                    });
                    let overflowed: Vec<_> = overflowed.collect();
                    seen.extend(overflowed);
                    continue;
                }
                Atom::Deadlock | Atom::Call(_) | Atom::Overflow => Some(false),
            };
            match (fixed, &state_atoms[index]) {
                (Some(truth), _) => seen.iter_mut().for_each(|(_, holding)| holding[index] = truth),
                (None, Some(atom)) => seen = self.divided(self.plain.atom(atom.value), index, seen),
                (None, None) => {}
            }
        }
        let letters = &mut self.letters;
        let show = |(states, holding): (States, Vec<bool>)| {
            let letter = letters.number(&holding);
            let mut word = here.word.clone();
            word.push(letter);
            Here { states, word, last: Some(letter), overflow: false, ..here.clone() }
        };
        seen.into_iter().map(show).collect()
    }

    /// Sets of states, divided by the truth of an atom, which is false where it is undefined.
    fn divided(&self, atom: ExprId, index: usize, seen: Vec<(States, Vec<bool>)>) -> Vec<(States, Vec<bool>)> {
        let mut divided = Vec::new();
        for (states, holding) in seen {
            for (part, _) in self.decided(atom, &states) {
                let (may_be_false, may_be_true) = self.reader.truth(atom, &part);
                if may_be_true {
                    let mut holding = holding.clone();
                    holding[index] = true;
                    divided.push((part.clone(), holding));
                }
                if may_be_false || !may_be_true || self.reader.fails(atom, &part) {
                    divided.push((part, holding.clone()));
                }
            }
        }
        divided
    }

    /// The states in which a condition is true, and perhaps more, as boxes.
    fn where_true(&self, condition: ExprId, states: &States) -> Vec<States> {
        match self.reader.truth(condition, states) {
            (_, false) => return Vec::new(),
            (false, true) => return vec![states.clone()],
            (true, true) => {}
        }
        let parts = self.decided(condition, states).into_iter().filter_map(|(mut part, truth)| match truth {
            Some(true) => Some(part),
            Some(false) => None,
            None => self.reader.constrain(condition, true, &mut part).then_some(part),
        });
        parts.collect()
    }

    /// States as smaller boxes, each with the truth value that a condition has in it, where it has one.
    fn decided(&self, condition: ExprId, states: &States) -> Vec<(States, Option<bool>)> {
        match self.reader.truth(condition, states) {
            (true, true) => {}
            (false, false) => return Vec::new(),
            (_, truth) => return vec![(states.clone(), Some(truth))],
        }
        let exprs = &self.program().exprs;
        let in_turn = |first: ExprId, second: ExprId, ends_with: bool| {
            let mut all = Vec::new();
            for (part, truth) in self.decided(first, states) {
                if truth == Some(ends_with) {
                    all.push((part, truth));
                    continue;
                }
                let second = self.decided(second, &part).into_iter();
                all.extend(second.map(|(part, other)| match (truth, other) {
                    (_, Some(other)) if other == ends_with => (part, Some(other)),
                    (Some(_), other) => (part, other),
                    (None, _) => (part, None),
                }));
            }
            all
        };
        let inside = stacker::maybe_grow(64 * 1024, 1024 * 1024, || match exprs.get(condition).kind {
            ExprKind::Not(operand) => {
                let operand = self.decided(operand, states).into_iter();
                operand.map(|(part, truth)| (part, truth.map(|truth| !truth))).collect()
            }
            ExprKind::And(left, right) => in_turn(left, right, false),
            ExprKind::Or(left, right) => in_turn(left, right, true),
            ExprKind::Compare(op, left, right) => self.compared(op, [left, right], states),
            _ => self.halves(condition, states),
        });
        let decide = |(part, truth): (States, Option<bool>)| match (truth, self.reader.truth(condition, &part)) {
            (None, (false, true)) => (part, Some(true)),
            (None, (true, false)) => (part, Some(false)),
            (truth, _) => (part, truth),
        };
        inside.into_iter().map(decide).collect()
    }

    /// States divided where a part is compared with a number, or a truth value with another.
    fn compared(&self, op: CompareOp, sides: [ExprId; 2], states: &States) -> Vec<(States, Option<bool>)> {
        for (side, other) in [(sides[0], sides[1]), (sides[1], sides[0])] {
            if let Some(condition) = self.condition_in(side) {
                return self.decided(condition, states).into_iter().map(|(part, _)| (part, None)).collect();
            }
            let Some((number, last)) = self.reader.values(other, states).bounds() else { continue };
            let Some(part) = self.part_in(side, states).filter(|_| number == last) else { continue };
            let bounds = match op {
                CompareOp::Equal | CompareOp::NotEqual => {
                    vec![(i128::MIN, number - 1), (number, number), (number + 1, i128::MAX)]
                }
                _ => vec![(i128::MIN, number - 1), (number, i128::MAX), (i128::MIN, number), (number + 1, i128::MAX)],
            };
            let equal = matches!(op, CompareOp::Equal | CompareOp::NotEqual);
            // `<=` and `>` with the part on the left cut behind the number, as `>=` and `<` do with it on the right.
            let op = if side == sides[0] { op } else { op.swapped() };
            let chosen = match op {
                _ if equal => &bounds[..],
                CompareOp::Less | CompareOp::GreaterEqual => &bounds[..2],
                _ => &bounds[2..],
            };
            let piece = |&(low, high): &(i128, i128)| {
                let values = states[part].within(low, high);
                if values.is_empty() {
                    return None;
                }
                let mut piece = states.clone();
                piece[part] = values;
                Some((piece, None))
            };
            return chosen.iter().filter_map(piece).collect();
        }
        vec![(states.clone(), None)]
    }

    /// The states where something is true, and those where it is not.
    fn halves(&self, condition: ExprId, states: &States) -> Vec<(States, Option<bool>)> {
        let half = |wanted: bool| {
            let mut half = states.clone();
            self.reader.constrain(condition, wanted, &mut half).then_some((half, None))
        };
        let halves: Vec<_> = [true, false].into_iter().filter_map(half).collect();
        let is_decided = |(half, _): &(States, Option<bool>)| self.reader.truth(condition, half) != (true, true);
        if halves.iter().all(is_decided) { halves } else { vec![(states.clone(), None)] }
    }

    /// The condition that an expression is, conversions to numbers aside.
    fn condition_in(&self, expr: ExprId) -> Option<ExprId> {
        let exprs = &self.program().exprs;
        match exprs.get(expr).kind {
            ExprKind::Cast(operand) if exprs.ty(operand) == Scalar::Bool => Some(operand),
            ExprKind::Cast(operand) => self.condition_in(operand),
            _ => (exprs.ty(expr) == Scalar::Bool
                && !matches!(exprs.get(expr).kind, ExprKind::Load(_) | ExprKind::Constant(_)))
            .then_some(expr),
        }
    }

    /// The part that an expression is, where conversions keep its values.
    fn part_in(&self, expr: ExprId, states: &States) -> Option<usize> {
        let exprs = &self.program().exprs;
        match &exprs.get(expr).kind {
            ExprKind::Load(place) => {
                let part = self.reader.parts.of_scalar(self.program(), place)?;
                (!self.reader.parts.get(part).many).then_some(part)
            }
            ExprKind::Cast(operand) => {
                let part = self.part_in(*operand, states)?;
                (self.reader.values(expr, states).bounds() == states[part].bounds()).then_some(part)
            }
            _ => None,
        }
    }

    /// The states after an operation; none where it cannot be evaluated in any of them.
    fn written(&self, op: &Op, before: &States) -> Option<States> {
        let mut after = before.clone();
        match op {
            Op::Assign { target, value } => self.assign(target, value, before, &mut after)?,
            Op::Input { target, .. } => {
                let (begin, end) = self.reader.parts.of_place(self.program(), target).unwrap_or_default();
                (begin..end).for_each(|part| self.set(part, self.input(part), &mut after));
            }
            Op::Declare(variable) => {
                let (begin, end) = self.reader.parts.of_variable(*variable);
                (begin..end).for_each(|part| after[part] = self.input(part));
            }
            Op::Call { result, .. } => {
                if let Some(result) = result {
                    self.forget(*result, &mut after);
                }
            }
            op => {
                if let Some(variable) = op.result().or_else(|| op.written_variable()) {
                    self.forget(variable, &mut after);
                }
            }
        }
        Some(after)
    }

    fn forget(&self, variable: VariableId, states: &mut States) {
        let (begin, end) = self.reader.parts.of_variable(variable);
        (begin..end)
            .for_each(|part| states[part] = Numbers::of_type(self.reader.parts.get(part).ty, self.reader.integers));
    }

    /// What an input of a part's type can be.
    fn input(&self, part: usize) -> Numbers {
        Numbers::of_type(self.reader.parts.get(part).ty, Integers::Machine)
    }

    /// Writes to a part, or to an element of it.
    fn set(&self, part: usize, values: Numbers, states: &mut States) {
        states[part] = if self.reader.parts.get(part).many { states[part].join(&values) } else { values };
    }

    fn assign(&self, target: &Place, value: &Operand, before: &States, after: &mut States) -> Option<()> {
        let program = self.program();
        let Some((begin, end)) = self.reader.parts.of_place(program, target) else { return Some(()) };
        match value {
            Operand::Scalar(value) => {
                let values = self.reader.values(*value, before);
                if values.is_empty() {
                    return None;
                }
                (begin..end).for_each(|part| self.set(part, self.fitted(values.clone(), part), after));
            }
            Operand::Aggregate(source) => {
                let from = self.reader.parts.of_place(program, source).filter(|_| source.ty == target.ty);
                for part in begin..end {
                    let values = match from {
                        Some((first, _)) => self.fitted(before[first + part - begin].clone(), part),
                        None => Numbers::of_type(self.reader.parts.get(part).ty, self.reader.integers),
                    };
                    self.set(part, values, after);
                }
            }
        }
        Some(())
    }
}
