//! Facts about the control flow of a program: where it must be looked at so that no cycle is missed, and which variables
//! may be read from there on.

use std::collections::BTreeSet;

use foundation::Id;
use program::{Callee, EdgeId, ExprId, ExprKind, LocationId, Op, Operand, Place, Program, Root, VariableId};

use program::relevance::{Relevance, Variables};

/// Locations of which one lies on every cycle: those that a depth-first search finds an edge back to; moreover those that
/// are never left, and those with an edge that is asked for.
pub(super) fn kept(program: &Program, wanted: impl Fn(EdgeId) -> bool) -> Vec<bool> {
    const UNSEEN: u8 = 0;
    const OPEN: u8 = 1;
    const DONE: u8 = 2;
    let mut kept: Vec<bool> = (program.locations.values())
        .map(|location| location.out.is_empty() || location.out.iter().any(|edge| wanted(*edge)))
        .collect();
    let mut seen = vec![UNSEEN; program.locations.len()];
    for root in program.locations.ids() {
        if seen[root.index()] != UNSEEN {
            continue;
        }
        seen[root.index()] = OPEN;
        let mut path: Vec<(LocationId, usize)> = vec![(root, 0)];
        while let Some((location, followed)) = path.last_mut() {
            let Some(&edge) = program.locations[*location].out.get(*followed) else {
                seen[location.index()] = DONE;
                path.pop();
                continue;
            };
            *followed += 1;
            let to = program.edges[edge].to;
            match seen[to.index()] {
                UNSEEN => {
                    seen[to.index()] = OPEN;
                    path.push((to, 0));
                }
                OPEN => kept[to.index()] = true,
                _ => {}
            }
        }
    }
    kept
}

/// Whether something may be asked for when an edge is taken, other than what is not initialised, and something depends on
/// the answer.
pub(super) fn asks(program: &Program, relevant: &Variables, edge: EdgeId) -> bool {
    let is_choice = program.locations[program.edges[edge].from].out.len() > 1;
    match &program.edges[edge].op {
        Op::Input { target, .. } => match target.root {
            Root::Variable(variable) => is_choice || relevant.contains(variable),
            Root::Pointer { .. } => true,
        },
        Op::Call { callee: Callee::Function(function), result, .. } => {
            let is_unknown = program.functions[*function].entry.is_none();
            is_unknown && (is_choice || result.is_some_and(|result| relevant.contains(result)))
        }
        Op::Havoc { .. } => true,
        Op::Assume(_) => false,
        _ => is_choice,
    }
}

/// By location: whether a thread that is there takes a step that nobody else can notice, whatever the others do. It reads and
/// writes nothing but variables of its own (at which no atom may look), always has exactly one way to go on, is never undefined,
/// and is not observed.
pub(super) fn unnoticed(relevance: &Relevance<'_>, is_observed: impl Fn(EdgeId) -> bool) -> Vec<bool> {
    let program = relevance.program();
    let is_own = |variable: VariableId| program.owner(variable).is_some() && !program.variables[variable].address_taken;
    let is_own_part = |place: &Place| match place.root {
        Root::Variable(variable) => is_own(variable) && place.operands().is_empty(),
        Root::Pointer { .. } => false,
    };
    let mut harmless: Vec<bool> = Vec::with_capacity(program.exprs.len());
    for index in 0..program.exprs.len() {
        let expr = ExprId::from_index(index);
        let is_here = match &program.exprs.get(expr).kind {
            ExprKind::Load(place) => is_own_part(place),
            _ => true,
        };
        let operands = program.exprs.operands(expr);
        harmless
            .push(is_here && relevance.is_harmless(expr) && operands.iter().all(|operand| harmless[operand.index()]));
    }
    let is_unnoticed = |edge: EdgeId| {
        !is_observed(edge)
            && match &program.edges[edge].op {
                Op::Skip => true,
                Op::Declare(variable) => is_own(*variable),
                Op::Assign { target, value: Operand::Scalar(value) } => is_own_part(target) && harmless[value.index()],
                Op::Assume(condition) => harmless[condition.index()],
                _ => false,
            }
    };
    let one_way = |out: &[EdgeId]| match *out {
        [only] => !matches!(program.edges[only].op, Op::Assume(_)),
        [one, other] => match (&program.edges[one].op, &program.edges[other].op) {
            (&Op::Assume(one), &Op::Assume(other)) => {
                let negates = |one, other| program.exprs.get(one).kind == ExprKind::Not(other);
                negates(one, other) || negates(other, one)
            }
            _ => false,
        },
        _ => false,
    };
    let locations = program.locations.values();
    locations.map(|location| one_way(&location.out) && location.out.iter().all(|edge| is_unnoticed(*edge))).collect()
}

/// For each location, the variables that may be read before they are written as a whole.
pub(super) struct LiveVariables {
    /// The column of each variable that is looked at.
    columns: Vec<Option<usize>>,
    /// How many words a row has, one row for each location.
    width: usize,
    rows: Vec<u64>,
}

impl LiveVariables {
    /// Looks at these variables, which nobody reads but the edges of one function.
    pub fn of(program: &Program, is_tracked: impl Fn(VariableId) -> bool) -> Self {
        let mut columns = vec![None; program.variables.len()];
        let tracked = program.variables.ids().filter(|variable| is_tracked(*variable));
        let mut count: usize = 0;
        for variable in tracked {
            columns[variable.index()] = Some(count);
            count += 1;
        }
        let width = count.div_ceil(64);
        let mut live = Self { columns, width, rows: vec![0; width * program.locations.len()] };
        if width > 0 {
            live.close(program);
        }
        live
    }

    /// Whether a variable may be read before it is written, when control is at a location. So are all that are not
    /// looked at.
    pub fn contains(&self, location: LocationId, variable: VariableId) -> bool {
        self.columns[variable.index()].is_none_or(|column| {
            let row = &self.rows[location.index() * self.width..];
            row[column / 64] >> (column % 64) & 1 == 1
        })
    }

    fn close(&mut self, program: &Program) {
        let width = self.width;
        let mut entering: Vec<Vec<EdgeId>> = vec![Vec::new(); program.locations.len()];
        let mut reads: Vec<Vec<usize>> = Vec::with_capacity(program.edges.len());
        for (id, edge) in program.edges.iter() {
            entering[edge.to.index()].push(id);
            let mut read = BTreeSet::new();
            edge.op.expressions().into_iter().for_each(|expr| variables_in(program, expr, &mut read));
            read.extend(edge.op.places_read().filter_map(|place| place.root.variable()));
            reads.push(read.iter().filter_map(|variable| self.columns[variable.index()]).collect());
        }
        let mut open: Vec<LocationId> = program.locations.ids().collect();
        let mut is_open = vec![true; program.locations.len()];
        let mut before = vec![0; width];
        while let Some(location) = open.pop() {
            is_open[location.index()] = false;
            before.fill(0);
            for &edge in &program.locations[location].out {
                let contents = &program.edges[edge];
                let killed = written_whole(&contents.op).and_then(|variable| self.columns[variable.index()]);
                let after = &self.rows[contents.to.index() * width..][..width];
                for (number, (before, after)) in before.iter_mut().zip(after).enumerate() {
                    let kill = killed.filter(|column| column / 64 == number).map_or(0, |column| 1_u64 << (column % 64));
                    *before |= after & !kill;
                }
                for column in &reads[edge.index()] {
                    before[column / 64] |= 1 << (column % 64);
                }
            }
            let row = &mut self.rows[location.index() * width..][..width];
            if row != before.as_slice() {
                row.copy_from_slice(&before);
                for edge in &entering[location.index()] {
                    let from = program.edges[*edge].from;
                    if !std::mem::replace(&mut is_open[from.index()], true) {
                        open.push(from);
                    }
                }
            }
        }
    }
}

/// The variables that an expression names.
pub(super) fn variables_in(program: &Program, expr: ExprId, found: &mut BTreeSet<VariableId>) {
    let places = program.exprs.below([expr]).filter_map(|expr| program.exprs.get(expr).kind.place());
    found.extend(places.filter_map(|place| place.root.variable()));
}

/// The variable that an operation writes as a whole, or makes hold what is not chosen yet.
fn written_whole(op: &Op) -> Option<VariableId> {
    match op {
        Op::Declare(variable) => Some(*variable),
        op => op.written_as_a_whole(),
    }
}
