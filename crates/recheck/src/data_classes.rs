//! Why a few values stand for all values of a wide input.
//!
//! What is input may be copied from variable to variable and compared with constants. The constants that it and its
//! copies are compared with, anywhere in the program and in the atoms, cut the numbers into *data equivalence classes*:
//! each constant alone, and what lies between two neighbours. A class of few values is tried in full. Of a large one a
//! single value is tried: as long as a number of a large class is only copied and compared with those constants, any
//! other number of the class would do the same. Where a variable that may hold such a copy is used in another way, it
//! must not hold a number of a large class at that moment; that is for the explorer to see to
//! ([`DataClasses::watched`]).
//!
//! A comparison with a variable counts as one with all values that the variable can have, if these are few (`finite`)
//! and it holds no such number itself.
//!
//! It may also be tested which bits of it are set, by masks that are constant or of few values: then a value is tried
//! for each combination of the bits in all masks, and a number of a large class stands for those of the class that have
//! the same of these bits.
//!
//! Copies are followed without regard to the order of edges, through parameters and results too. A variable whose
//! address is taken and a part of a record are never followed: what is copied there is used in another way.

use std::collections::{BTreeMap, BTreeSet};

use foundation::collections::{HashMap, HashSet};

use super::bits::representatives;
use super::finite::Finite;
use foundation::Id;
use num_traits::ToPrimitive;
use program::relevance::{Relevance, Variables};
use program::semantics::{Integers, Value, evaluate_constant};
use program::{
    BinaryOp, Callee, Constant, EdgeId, ExprId, ExprKind, FunctionId, IntType, LocationId, Op, Operand, Place, Program,
    Root, Scalar, Selector, Type, TypeId, UnaryOp, VariableId,
};

/// Classes of more values than this are large.
const FEW_VALUES: i128 = 256;

/// More values than this are not tried for one input.
const MOST_VALUES: usize = 1 << 12;

/// How the variables of a program are used, and the classes of those that may hold copies of wide inputs.
pub(super) struct DataClasses<'p> {
    program: &'p Program,
    integers: Integers,
    relevance: &'p Relevance<'p>,
    finite: Finite<'p>,
    /// What is written elsewhere is of no account.
    relevant: &'p Variables,
    /// The variables that can be followed.
    followed: Vec<bool>,
    /// To which variables the value of one is copied.
    copies: HashMap<VariableId, BTreeSet<VariableId>>,
    /// With which constants the value of a variable is compared.
    constants: HashMap<VariableId, BTreeSet<i128>>,
    /// Which bits of a variable are tested.
    masks: HashMap<VariableId, i128>,
    /// The variables that an edge uses in another way.
    used_at: HashMap<EdgeId, BTreeSet<VariableId>>,
    /// The variables that are used in another way at any moment.
    used: BTreeSet<VariableId>,
    /// The variables that wide inputs are written to.
    sources: BTreeSet<VariableId>,
    group_of: HashMap<VariableId, usize>,
    groups: Vec<Group>,
    watched: HashMap<LocationId, Vec<VariableId>>,
}

/// Variables that may hold copies of the same inputs.
#[derive(Clone, Debug)]
struct Group {
    constants: BTreeSet<i128>,
    /// The bits of members that are tested.
    mask: i128,
    /// The range of the sources' types.
    range: (i128, i128),
    /// Whether a member is used in another way at any moment.
    used: bool,
}

/// What becomes of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Use {
    /// It is written to a variable as it is.
    Copied(VariableId),
    /// It is compared with a constant.
    Compared(i128),
    /// Only these of its bits are looked at.
    Masked(i128),
    /// Nothing.
    Dropped,
    /// Anything else.
    Other,
}

impl<'p> DataClasses<'p> {
    /// Looks at a program of which some variables are relevant, and the expressions of atoms over it.
    pub fn new(relevance: &'p Relevance<'p>, relevant: &'p Variables, atoms: &[ExprId]) -> Self {
        let program = relevance.program();
        let mut data_classes = Self {
            program,
            integers: relevance.integers(),
            relevance,
            finite: Finite::of(program, relevance.integers()),
            relevant,
            followed: Vec::new(),
            copies: HashMap::default(),
            constants: HashMap::default(),
            masks: HashMap::default(),
            used_at: HashMap::default(),
            used: BTreeSet::new(),
            sources: BTreeSet::new(),
            group_of: HashMap::default(),
            groups: Vec::new(),
            watched: HashMap::default(),
        };
        data_classes.followed =
            program.variables.ids().map(|variable| data_classes.can_be_followed(variable)).collect();
        let results = data_classes.results();
        for edge in program.edges.ids() {
            data_classes.look_at(edge, &results);
        }
        for &atom in atoms {
            let used = data_classes.look_through(vec![(atom, Use::Other)]);
            data_classes.used.extend(used);
        }
        for edge in program.edges.values() {
            if let Op::Input { target, .. } = &edge.op
                && let Root::Variable(variable) = target.root
                && data_classes.is_wide_part(target)
            {
                data_classes.sources.insert(variable);
            }
        }
        data_classes.group();
        data_classes
    }

    /// Lets a variable be one that wide inputs are written to; false if it is one already or cannot be followed.
    pub fn add_source(&mut self, variable: VariableId) -> bool {
        let is_new = self.followed[variable.index()] && self.sources.insert(variable);
        if is_new {
            self.group();
        }
        is_new
    }

    /// Whether a variable can be followed and is not known yet as one that wide inputs are written to.
    pub fn may_become_source(&self, variable: VariableId) -> bool {
        self.followed[variable.index()] && !self.sources.contains(&variable)
    }

    /// The values of a type that stand for all, where they are written to a part of a variable; none if there are too
    /// many. Where the variable is about to be used in another way than copying and comparing, no value may stand for
    /// many.
    pub fn values(&self, variable: Option<VariableId>, ty: Scalar, used_now: bool) -> Option<Vec<i128>> {
        let ty = match ty {
            Scalar::Bool => return Some(vec![0, 1]),
            Scalar::Int(ty) if ty.bits <= 64 => ty,
            _ => return None,
        };
        let (first, last) = range(ty);
        if last - first < FEW_VALUES {
            return Some((first..=last).collect());
        }
        let variable = variable.filter(|variable| self.holds(*variable, ty))?;
        let group = &self.groups[*self.group_of.get(&variable)?];
        let mut values = Vec::new();
        for (low, high) in group.data_classes() {
            let (from, to) = (low.max(first), high.min(last));
            if from > to {
                continue;
            }
            if high - low < FEW_VALUES {
                values.extend(from..=to);
            } else if group.used || used_now {
                return None;
            } else if group.mask != 0 {
                values.extend(representatives(from, to, group.mask)?);
            } else {
                // The middle is as good as any, and zero is easier to read.
                values.push(if from <= 0 && 0 <= to { 0 } else { from + (to - from) / 2 });
            }
            if values.len() > MOST_VALUES {
                return None;
            }
        }
        Some(values)
    }

    /// Whether an edge that leaves a location uses a variable in another way than copying and comparing.
    pub fn is_used_at(&self, location: LocationId, variable: VariableId) -> bool {
        let uses = |edge: &EdgeId| self.used_at.get(edge).is_some_and(|used| used.contains(&variable));
        self.program.locations[location].out.iter().any(uses)
    }

    /// The variables that must not hold a number of a large class when control is at a location, because an edge that
    /// leaves it uses them in another way than copying and comparing.
    pub fn watched(&self, location: LocationId) -> &[VariableId] {
        self.watched.get(&location).map_or(&[], Vec::as_slice)
    }

    /// The large classes of the numbers that a variable may hold as copies of an input.
    pub fn large(&self, variable: VariableId) -> Vec<(i128, i128)> {
        let Some(&group) = self.group_of.get(&variable) else { return Vec::new() };
        self.groups[group].data_classes().into_iter().filter(|(low, high)| high - low >= FEW_VALUES).collect()
    }

    /// Whether a variable may hold a number of a large class, and something depends on which.
    pub fn may_stand_for_many(&self, variable: VariableId) -> bool {
        self.relevant.contains(variable) && !self.large(variable).is_empty()
    }

    /// The value of an expression that is constant.
    pub fn constant(&self, expr: ExprId) -> Option<i128> {
        constant(self.program, self.integers, expr)
    }

    /// The numbers with which a comparison compares its left operand, and its right one, if these are few; of one of
    /// the two at most. The other operand must be what it is.
    pub fn compared(&self, left: ExprId, right: ExprId) -> (Option<Vec<i128>>, Option<Vec<i128>>) {
        let listed = |values: BTreeSet<i128>| values.into_iter().collect();
        match (self.constant(left), self.constant(right)) {
            (_, Some(right)) => (Some(vec![right]), None),
            (Some(left), None) => (None, Some(vec![left])),
            (None, None) => match (self.finite.expr(left), self.finite.expr(right)) {
                (None, Some(values)) => (Some(listed(values)), None),
                (Some(values), None) => (None, Some(listed(values))),
                _ => (None, None),
            },
        }
    }

    /// The operand of which an operation looks at some bits alone, these bits, and the other operand: a constant, or
    /// something of few values, of which it is then any.
    pub fn masked(&self, op: BinaryOp, left: ExprId, right: ExprId) -> Option<(ExprId, i128, ExprId)> {
        let any = |masks: Vec<i128>| {
            masks.into_iter().try_fold(0, |all, mask| (0..=i128::from(u64::MAX)).contains(&mask).then_some(all | mask))
        };
        if op != BinaryOp::BitAnd {
            return None;
        }
        match self.compared(left, right) {
            (Some(masks), _) => Some((left, any(masks)?, right)),
            (None, Some(masks)) => Some((right, any(masks)?, left)),
            (None, None) => None,
        }
    }

    /// The bits of a number that become these bits when it is shifted to the right.
    pub fn before_shift(&self, op: BinaryOp, count: ExprId, mask: i128) -> Option<i128> {
        let count = self.constant(count).filter(|count| op == BinaryOp::ShiftRight && (0..64).contains(count))?;
        (mask <= i128::from(u64::MAX) >> count).then(|| mask << count)
    }

    /// Whether a conversion between two types changes no value.
    pub fn is_exact(&self, from: Scalar, to: Scalar) -> bool {
        match (from, to) {
            (Scalar::Int(from), Scalar::Int(to)) => {
                let ((low, high), (least, most)) = (range(from), range(to));
                from == to || self.integers == Integers::Ideal || least <= low && high <= most
            }
            _ => from == to,
        }
    }

    /// Whether a place is a part of a variable that is followed.
    pub fn follows(&self, place: &Place) -> Option<VariableId> {
        match place.root {
            Root::Variable(variable) if self.followed[variable.index()] => {
                debug_assert!(place.path.iter().all(|step| matches!(step, Selector::Index(_))), "it is no record");
                Some(variable)
            }
            _ => None,
        }
    }

    fn can_be_followed(&self, variable: VariableId) -> bool {
        let contents = &self.program.variables[variable];
        !contents.address_taken && element(self.program, contents.ty).is_some_and(|ty| ty.bits <= 64)
    }

    fn holds(&self, variable: VariableId, ty: IntType) -> bool {
        self.followed[variable.index()] && element(self.program, self.program.variables[variable].ty) == Some(ty)
    }

    fn is_wide_part(&self, target: &Place) -> bool {
        match (self.follows(target), self.program.types.as_scalar(target.ty)) {
            (Some(_), Some(Scalar::Int(ty))) => ty.bits > 8,
            _ => false,
        }
    }

    /// For each function, the variables that receive its result; none if somebody may call it that is not known.
    fn results(&self) -> HashMap<FunctionId, Vec<VariableId>> {
        let mut results: HashMap<FunctionId, Vec<VariableId>> = HashMap::default();
        for edge in self.program.edges.values() {
            match &edge.op {
                Op::Call { callee: Callee::Function(function), result, .. } => {
                    results.entry(*function).or_default().extend(*result);
                }
                Op::Call { callee: Callee::Pointer(_), .. } | Op::Spawn { .. } => return HashMap::default(),
                _ => {}
            }
        }
        results
            .extend(self.program.entry.filter(|entry| !results.contains_key(entry)).map(|entry| (entry, Vec::new())));
        results
    }

    fn look_at(&mut self, edge: EdgeId, results: &HashMap<FunctionId, Vec<VariableId>>) {
        let program = self.program;
        let mut uses: Vec<(ExprId, Use)> = Vec::new();
        let other = |expr: ExprId| (expr, Use::Other);
        let mut whole: Vec<&Place> = Vec::new();
        match &program.edges[edge].op {
            Op::Assign { target, value } => {
                uses.extend(target.operands().into_iter().map(other));
                match value {
                    _ if matches!(target.root, Root::Variable(variable) if !self.relevant.contains(variable)) => {
                        // What is merely computed from a value here is of no account.
                        uses.extend(self.relevance.parts(value).deciding.into_iter().map(other));
                    }
                    Operand::Scalar(value) => {
                        let ty = program.types.as_scalar(target.ty);
                        uses.push((*value, self.use_in(self.follows(target), ty, *value)));
                    }
                    Operand::Aggregate(place) => whole.push(place),
                }
            }
            Op::Call { callee, arguments, .. } => {
                let parameters = match callee {
                    Callee::Function(function) => Some(&program.functions[*function]),
                    Callee::Pointer(address) => {
                        uses.push(other(*address));
                        None
                    }
                };
                for (number, argument) in arguments.iter().enumerate() {
                    let (argument, parameter) = match (argument, parameters) {
                        (Operand::Aggregate(place), _) => {
                            whole.push(place);
                            continue;
                        }
                        (Operand::Scalar(argument), None) => {
                            uses.push(other(*argument));
                            continue;
                        }
                        (Operand::Scalar(argument), Some(function)) => {
                            (*argument, function.parameters.get(number).filter(|_| function.entry.is_some()))
                        }
                    };
                    uses.push((argument, self.use_in_variable(parameter.copied(), argument)));
                }
            }
            Op::Return(Some(Operand::Scalar(value))) => {
                let function = program.locations[program.edges[edge].from].function;
                match results.get(&function) {
                    None => uses.push(other(*value)),
                    Some(variables) if variables.is_empty() => uses.push((*value, Use::Dropped)),
                    Some(variables) => {
                        uses.extend(
                            variables.iter().map(|variable| (*value, self.use_in_variable(Some(*variable), *value))),
                        );
                    }
                }
            }
            op => {
                whole.extend(op.places_read());
                uses.extend(op.expressions().into_iter().map(other));
            }
        }
        for place in whole {
            uses.extend(place.operands().into_iter().map(other));
            self.used.extend(self.follows(place));
        }
        let used = self.look_through(uses);
        if !used.is_empty() {
            self.used_at.insert(edge, used);
        }
    }

    fn use_in_variable(&self, variable: Option<VariableId>, value: ExprId) -> Use {
        let Some(variable) = variable else { return Use::Dropped };
        let ty = self.program.types.as_scalar(self.program.variables[variable].ty);
        self.use_in(Some(variable).filter(|variable| self.followed[variable.index()]), ty, value)
    }

    /// Whether a value that is written to a place is a copy there, or is computed with.
    pub fn is_copied(&self, target: &Place, value: ExprId) -> bool {
        let ty = self.program.types.as_scalar(target.ty);
        matches!(self.use_in(self.follows(target), ty, value), Use::Copied(_))
    }

    /// What becomes of a value that is written to a part of a variable, at a type.
    fn use_in(&self, variable: Option<VariableId>, ty: Option<Scalar>, value: ExprId) -> Use {
        match (variable, ty) {
            (Some(variable), Some(ty)) if self.is_exact(self.program.exprs.ty(value), ty) => Use::Copied(variable),
            _ => Use::Other,
        }
    }

    /// Follows values into their operands; the variables that are used in another way.
    fn look_through(&mut self, mut open: Vec<(ExprId, Use)>) -> BTreeSet<VariableId> {
        let program = self.program;
        let mut used = BTreeSet::new();
        let mut seen = HashSet::default();
        while let Some((expr, becomes)) = open.pop() {
            if !seen.insert((expr, becomes)) {
                continue;
            }
            match &program.exprs.get(expr).kind {
                ExprKind::Load(place) => {
                    if let Some(variable) = self.follows(place) {
                        match becomes {
                            Use::Copied(to) => drop(self.copies.entry(variable).or_default().insert(to)),
                            Use::Compared(with) => drop(self.constants.entry(variable).or_default().insert(with)),
                            Use::Masked(mask) => *self.masks.entry(variable).or_default() |= mask,
                            Use::Dropped => {}
                            Use::Other => drop(used.insert(variable)),
                        }
                    }
                    open.extend(place.operands().into_iter().map(|operand| (operand, Use::Other)));
                }
                ExprKind::Cast(operand) => {
                    let (from, to) = (program.exprs.ty(*operand), program.exprs.ty(expr));
                    open.push(match to {
                        Scalar::Bool => (*operand, Use::Compared(0)),
                        _ if self.is_exact(from, to) => (*operand, becomes),
                        _ => match becomes {
                            Use::Masked(mask) if keeps_bits(from, to, mask) => (*operand, becomes),
                            _ => (*operand, Use::Other),
                        },
                    });
                }
                ExprKind::Binary(op, left, right) => match (self.masked(*op, *left, *right), becomes) {
                    (Some((operand, mask, other)), _) => {
                        open.extend([(operand, Use::Masked(mask)), (other, Use::Other)])
                    }
                    (None, Use::Masked(mask)) if let Some(mask) = self.before_shift(*op, *right, mask) => {
                        open.push((*left, Use::Masked(mask)));
                    }
                    _ => open.extend([(*left, Use::Other), (*right, Use::Other)]),
                },
                ExprKind::If(condition, then, otherwise) => {
                    open.extend([(*condition, Use::Other), (*then, becomes), (*otherwise, becomes)]);
                }
                ExprKind::Compare(_, left, right) => match self.compared(*left, *right) {
                    (Some(numbers), _) => {
                        open.extend(numbers.into_iter().map(|number| (*left, Use::Compared(number))));
                        open.push((*right, Use::Other));
                    }
                    (None, Some(numbers)) => {
                        open.extend(numbers.into_iter().map(|number| (*right, Use::Compared(number))));
                        open.push((*left, Use::Other));
                    }
                    (None, None) => open.extend([(*left, Use::Other), (*right, Use::Other)]),
                },
                _ => open.extend(program.exprs.operands(expr).into_iter().map(|operand| (operand, Use::Other))),
            }
        }
        used
    }

    /// Puts the variables together that may hold copies of the same inputs.
    fn group(&mut self) {
        self.group_of.clear();
        self.groups.clear();
        let mut members: BTreeMap<VariableId, BTreeSet<VariableId>> = BTreeMap::new();
        for &source in &self.sources {
            let mut reached = BTreeSet::from([source]);
            let mut open = vec![source];
            while let Some(variable) = open.pop() {
                for &to in self.copies.get(&variable).into_iter().flatten() {
                    if reached.insert(to) {
                        open.push(to);
                    }
                }
            }
            // All groups that share a variable with this one become one with it.
            let touching: Vec<VariableId> =
                members.iter().filter(|(_, other)| !other.is_disjoint(&reached)).map(|(name, _)| *name).collect();
            for name in touching {
                reached.extend(members.remove(&name).unwrap_or_default());
            }
            members.insert(source, reached);
        }
        for variables in members.into_values() {
            let constants = variables.iter().filter_map(|variable| self.constants.get(variable)).flatten();
            let constants: BTreeSet<i128> = constants.copied().collect();
            let masks = variables.iter().filter_map(|variable| self.masks.get(variable));
            let mask = masks.fold(0, |all, mask| all | mask);
            let types = variables.iter().filter(|variable| self.sources.contains(variable));
            let types = types.filter_map(|&variable| element(self.program, self.program.variables[variable].ty));
            let range = types.map(range).reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)));
            let used = variables.iter().any(|variable| self.used.contains(variable));
            for &variable in &variables {
                self.group_of.insert(variable, self.groups.len());
            }
            self.groups.push(Group { constants, mask, range: range.expect("a source is an integer"), used });
        }
        self.watched.clear();
        for (location, contents) in self.program.locations.iter() {
            let used: BTreeSet<VariableId> =
                contents.out.iter().filter_map(|edge| self.used_at.get(edge)).flatten().copied().collect();
            let watched: Vec<VariableId> =
                used.into_iter().filter(|&variable| self.may_stand_for_many(variable)).collect();
            if !watched.is_empty() {
                self.watched.insert(location, watched);
            }
        }
    }
}

impl Group {
    /// The classes in ascending order, by their first and last numbers.
    fn data_classes(&self) -> Vec<(i128, i128)> {
        let (mut from, last) = self.range;
        let mut data_classes = Vec::new();
        for &constant in self.constants.range(from..=last) {
            if from < constant {
                data_classes.push((from, constant - 1));
            }
            data_classes.push((constant, constant));
            from = constant + 1;
        }
        if from <= last {
            data_classes.push((from, last));
        }
        data_classes
    }
}

/// Whether a conversion between two types leaves these bits as they are.
pub(super) fn keeps_bits(from: Scalar, to: Scalar, mask: i128) -> bool {
    match (from, to) {
        (Scalar::Int(from), Scalar::Int(to)) => mask < 1_i128 << from.bits.min(to.bits).min(64),
        _ => false,
    }
}

/// The range of an integer type of at most 64 bits.
pub(super) fn range(ty: IntType) -> (i128, i128) {
    let bits = u32::from(ty.bits.min(64));
    match (ty.signed, bits) {
        (_, 0) => (0, 0),
        (true, _) => (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1),
        (false, _) => (0, (1_i128 << bits) - 1),
    }
}

/// The integer type that a type consists of alone: it is one, or an array of such.
pub(super) fn element(program: &Program, mut ty: TypeId) -> Option<IntType> {
    loop {
        match program.types.get(ty) {
            Type::Scalar(Scalar::Int(int)) => return Some(*int),
            Type::Array { element, .. } => ty = *element,
            _ => return None,
        }
    }
}

/// The value of a constant expression of integer type.
pub(super) fn constant(program: &Program, integers: Integers, expr: ExprId) -> Option<i128> {
    if integers == Integers::Machine {
        return match evaluate_constant(program, expr) {
            Ok(Value::Int(value)) => value.to_i128(),
            _ => None,
        };
    }
    let (mut expr, mut sign) = (expr, 1);
    loop {
        match &program.exprs.get(expr).kind {
            ExprKind::Constant(Constant::Int(value)) => return Some(value.to_i128()? * sign),
            ExprKind::Unary(UnaryOp::Negate, operand) => (expr, sign) = (*operand, -sign),
            ExprKind::Cast(operand) if matches!(program.exprs.get(expr).ty, Scalar::Int(_)) => expr = *operand,
            _ => return None,
        }
    }
}
