//! The points of control: the start, all inputs, and where the cycles close that no input lies on.

use foundation::collections::HashSet;
use program::{EdgeId, ExprId, ExprKind, LocationId, Op, Program, Scalar};

use super::choice::exclude_each_other;
use super::{NativeModel, NotNative, Point, PointKind, pattern};

impl NativeModel {
    /// The condition of a branch, and whether the first of its edges is the one for true.
    pub fn branch(&self, first: EdgeId, second: EdgeId) -> Option<(ExprId, bool)> {
        let program = self.program();
        let (Op::Assume(left), Op::Assume(right)) = (&program.edges[first].op, &program.edges[second].op) else {
            return None;
        };
        if program.exprs.get(*right).kind == ExprKind::Not(*left) || are_opposite(program, *left, *right) {
            return Some((*left, true));
        }
        (program.exprs.get(*left).kind == ExprKind::Not(*right)).then_some((*right, false))
    }

    pub(super) fn find_joints(&mut self) {
        let mut reached = HashSet::default();
        for &edge in self.facts.reachable_edges() {
            let to = self.program().edges[edge].to;
            if !reached.insert(to) {
                self.joints.insert(to);
            }
        }
    }

    /// Finds the points: the start, all inputs, and where the cycles close that no input lies on.
    pub(super) fn find_points(&mut self) -> Result<(), NotNative> {
        let entry = self.entry()?;
        self.points.push(Point { kind: PointKind::Start, location: entry });
        for edge in self.facts.reachable_edges().to_vec() {
            let data = &self.program().edges[edge];
            let reads = match &data.op {
                Op::Input { .. } => true,
                Op::Call { result, .. } => result.is_some(),
                _ => false,
            };
            let (from, span) = (data.from, data.span);
            let out = &self.program().locations[from].out;
            // Every edge of a location is looked at here; that it is decided which one is taken is looked up once.
            let is_decided = match out.as_slice() {
                [first, ..] if *first != edge => true,
                [first, second] if self.branch(*first, *second).is_some() => true,
                [_] => true,
                edges => exclude_each_other(self.program(), edges),
            };
            if !is_decided {
                return Err(NotNative::new("a choice between edges", Some(span)));
            }
            if reads {
                let domain = self.facts.domain(edge);
                let domain =
                    domain.map_err(|refused| NotNative::new(refused.reason(), refused.at.or(Some(refused.origin))))?;
                let domain = domain
                    .iter()
                    .map(|value| pattern(value).ok_or_else(|| NotNative::new("a large input", Some(span))));
                let domain = domain.collect::<Result<Vec<i64>, NotNative>>()?;
                self.add_point(from, PointKind::Input { edge, domain });
            }
        }
        for location in self.open_cycles(entry) {
            self.add_point(location, PointKind::Cycle);
        }
        Ok(())
    }

    fn add_point(&mut self, location: LocationId, kind: PointKind) {
        self.point_at.insert(location, self.points.len() as u32);
        self.points.push(Point { kind, location });
    }

    fn entry(&self) -> Result<LocationId, NotNative> {
        let entry = self.program().entry.and_then(|entry| self.program().functions[entry].entry);
        entry.ok_or_else(|| NotNative::new("a program without an entry", None))
    }

    /// The locations at which cycles close that pass no point.
    fn open_cycles(&self, entry: LocationId) -> Vec<LocationId> {
        let program = self.program();
        let is_point = |location: &LocationId| self.point_at.contains_key(location);
        let mut closing = Vec::new();
        let mut on_path: HashSet<LocationId> = HashSet::default();
        let mut visited: HashSet<LocationId> = HashSet::default();
        let roots = std::iter::once(entry).chain(self.points.iter().map(|point| point.location));
        for root in roots {
            if !visited.insert(root) {
                continue;
            }
            on_path.insert(root);
            let mut path = vec![(root, 0)];
            while let Some((location, next)) = path.last_mut() {
                let Some(&edge) = program.locations[*location].out.get(*next) else {
                    on_path.remove(location);
                    path.pop();
                    continue;
                };
                *next += 1;
                let to = program.edges[edge].to;
                if is_point(&to) || matches!(program.edges[edge].op, Op::Return(_) | Op::End(_) | Op::Unreachable) {
                    continue;
                }
                if on_path.contains(&to) {
                    if !closing.contains(&to) {
                        closing.push(to);
                    }
                } else if visited.insert(to) {
                    on_path.insert(to);
                    path.push((to, 0));
                }
            }
        }
        closing
    }

    /// Whether some path from a point to another, or to where control stays for ever, shows nothing.
    pub(super) fn finds_silence(&self) -> bool {
        let program = self.program();
        for (index, point) in self.points.iter().enumerate() {
            if index == 0 {
                continue;
            }
            let mut open = vec![point.location];
            let mut seen: HashSet<LocationId> = HashSet::default();
            while let Some(location) = open.pop() {
                for &edge in &program.locations[location].out {
                    let to = program.edges[edge].to;
                    if self.is_observed(edge) || matches!(program.edges[edge].op, Op::Return(_) | Op::End(_)) {
                        continue;
                    }
                    if self.point_at.contains_key(&to) || program.locations[to].out.is_empty() {
                        return true;
                    }
                    if seen.insert(to) {
                        open.push(to);
                    }
                }
            }
        }
        false
    }
}

/// Whether one comparison is the negation of the other.
fn are_opposite(program: &Program, left: ExprId, right: ExprId) -> bool {
    use program::CompareOp::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    let (ExprKind::Compare(op, a, b), ExprKind::Compare(other, c, d)) =
        (&program.exprs.get(left).kind, &program.exprs.get(right).kind)
    else {
        return false;
    };
    let pairs = [(Equal, NotEqual), (Less, GreaterEqual), (LessEqual, Greater)];
    let opposite = pairs.iter().any(|pair| *pair == (*op, *other) || *pair == (*other, *op));
    opposite && (a, b) == (c, d) && !matches!(program.exprs.ty(*a), Scalar::Float(_))
}
