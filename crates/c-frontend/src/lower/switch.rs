//! `switch` (6.8.4.2): the body is lowered first, then one guarded edge leads to each of its labels.

use std::collections::BTreeMap;

use foundation::{Diagnostic, Span};
use num_bigint::BigInt;
use program::{CompareOp, ExprId as ModelExpr, ExprKind as ModelKind, LocationId, Observe, Op, Scalar};

use super::build::JumpTarget;
use super::convert::ScalarValue;
use super::scope::BlockId;
use super::{Lower, Lowering};
use crate::syntax::ast::{ExprId, StmtId};
use crate::types::Qual;

/// A `switch` whose body is being lowered.
pub(crate) struct SwitchBuilder {
    /// The promoted type of the controlling expression.
    ty: Qual,
    cases: Vec<SwitchCase>,
    /// The values of the cases: the first of each range with the last one, and where it stands.
    seen: BTreeMap<BigInt, (BigInt, Span)>,
    default: Option<CaseLabel>,
    /// How many blocks are open around it.
    open_blocks: usize,
}

struct SwitchCase {
    first: CaseValue,
    last: CaseValue,
    label: CaseLabel,
}

/// A `case` or `default` in the body.
struct CaseLabel {
    to: LocationId,
    /// The blocks that are entered by jumping here.
    entered: Vec<BlockId>,
    span: Span,
}

/// The value of a `case`.
#[derive(Clone)]
struct CaseValue {
    /// Converted to the controlling expression's type as a machine does it.
    converted: BigInt,
    /// The conversion as an expression, which the integer mode gives its meaning.
    expr: ModelExpr,
}

impl Lowering<'_> {
    pub(crate) fn switch(&mut self, control: ExprId, body: StmtId, span: Span) -> Lower<()> {
        self.check_sequencing(control);
        let control_span = self.ast.exprs[control].span;
        let scalar = self.scalar(control)?;
        if !self.types.is_integer(scalar.ty.ty) {
            let text = format!("`switch` needs an integer, not `{}`", self.describe(scalar.ty));
            return self.error("wrong-operands", text, control_span);
        }
        let promoted = self.promote(scalar);
        // What other threads may write meanwhile is read once, whatever cases there are.
        let simple = !self.threaded
            && matches!(&self.program.exprs.get(promoted.value).kind, ModelKind::Load(place) if place.as_variable().is_some());
        let value = if simple { promoted.value } else { self.keep(promoted.value, control_span)? };
        let head = self.builder().at;
        let exit = self.new_location();
        let open_blocks = self.builder().blocks.len();
        let builder = self.builder();
        builder.switches.push(SwitchBuilder {
            ty: promoted.ty,
            cases: Vec::new(),
            seen: BTreeMap::new(),
            default: None,
            open_blocks,
        });
        builder.breaks.push(JumpTarget { location: exit, open_blocks });
        let unreachable = self.new_location();
        self.go_on_at(unreachable);
        self.substatement(body);
        self.jump(exit, span);
        let builder = self.builder();
        builder.breaks.pop();
        let switch = builder.switches.pop().expect("pushed above");
        self.go_on_at(head);
        self.dispatch(ScalarValue { value, ..promoted }, switch, exit, control_span);
        self.go_on_at(exit);
        Ok(())
    }

    /// One way per label, and one for everything else.
    fn dispatch(&mut self, control: ScalarValue, switch: SwitchBuilder, exit: LocationId, span: Span) {
        let mut matches: Vec<ModelExpr> = Vec::new();
        for case in &switch.cases {
            let mut compare = |op, value: &CaseValue| {
                self.program.exprs.intern(ModelKind::Compare(op, control.value, value.expr), Scalar::Bool)
            };
            let truth = if case.first.expr == case.last.expr {
                compare(CompareOp::Equal, &case.first)
            } else {
                let low = compare(CompareOp::GreaterEqual, &case.first);
                let high = compare(CompareOp::LessEqual, &case.last);
                self.program.exprs.intern(ModelKind::And(low, high), Scalar::Bool)
            };
            matches.push(truth);
            self.enter_case(Op::Assume(truth), &case.label, span);
        }
        if matches.is_empty() {
            // Nothing else evaluates it. A fault was told already.
            let _ = self.carry_out(&control.into(), span);
        }
        let op = match self.any_of(&matches) {
            None => Op::Skip,
            Some(any) => Op::Assume(self.program.exprs.not(any)),
        };
        match &switch.default {
            Some(label) => self.enter_case(op, label, span),
            None => self.emit_to(op, exit, span, Observe::Statement),
        }
    }

    /// The way to a label: the lifetimes of the variables begin in the blocks that are entered past their declarations.
    fn enter_case(&mut self, op: Op, label: &CaseLabel, span: Span) {
        let builder = self.builder();
        let head = builder.at;
        let variables = |block| builder.block_variables.get(block).cloned().unwrap_or_default();
        let entered: Vec<_> = label.entered.iter().flat_map(variables).collect();
        let mut op = op;
        let mut observe = Observe::Statement;
        for variable in entered {
            let next = self.new_location();
            self.emit_to(op, next, span, observe);
            self.go_on_at(next);
            op = Op::Declare(variable);
            observe = Observe::No;
        }
        self.emit_to(op, label.to, span, observe);
        self.go_on_at(head);
    }

    /// A disjunction as a balanced tree, so that a large `switch` does not make a deep one.
    fn any_of(&mut self, truths: &[ModelExpr]) -> Option<ModelExpr> {
        match truths {
            [] => None,
            [only] => Some(*only),
            _ => {
                let (left, right) = truths.split_at(truths.len() / 2);
                let (left, right) = (self.any_of(left)?, self.any_of(right)?);
                Some(self.program.exprs.intern(ModelKind::Or(left, right), Scalar::Bool))
            }
        }
    }

    pub(crate) fn case_label(&mut self, first: ExprId, last: Option<ExprId>, span: Span) -> Lower<()> {
        let low = self.case_value(first, span)?;
        let high = match last {
            Some(last) => self.case_value(last, span)?,
            None => low.clone(),
        };
        let label = self.enter_label(span);
        let switch = self.builder().switches.last_mut().expect("case_value checks this");
        // The ranges seen so far do not overlap: only the last one that begins in or before the new one can.
        let before = switch.seen.range(..=&high.converted).next_back();
        let clash = before.filter(|(_, (last, _))| *last >= low.converted).map(|(_, (_, earlier))| *earlier);
        if clash.is_none() && low.converted <= high.converted {
            switch.seen.insert(low.converted.clone(), (high.converted.clone(), span));
        }
        switch.cases.push(SwitchCase { first: low, last: high, label });
        if let Some(earlier) = clash {
            let diagnostic = Diagnostic::error("duplicate-case", "this value stands twice in the `switch`")
                .at(span)
                .also(earlier, "first here");
            return self.fail(diagnostic);
        }
        Ok(())
    }

    /// The value of a `case`, converted to the controlling expression's type.
    fn case_value(&mut self, expr: ExprId, span: Span) -> Lower<CaseValue> {
        let Some(ty) = self.builder().switches.last().map(|switch| switch.ty) else {
            return self.error("stray-label", "`case` stands outside of a `switch`", span);
        };
        let (value, value_type) = self.integer_constant(expr)?;
        let scalar = self.types.scalar(value_type.ty).expect("an integer type");
        let constant = match scalar {
            Scalar::Int(int) => self.program.exprs.int(value.clone(), int),
            _ => self.program.exprs.bool(value != BigInt::from(0)),
        };
        let expr = self.cast_value(constant, ty);
        let int = self.types.int_type(ty.ty).expect("promoted integers");
        let modulus = BigInt::from(1) << int.bits;
        let mut converted = ((value % &modulus) + &modulus) % &modulus;
        if int.signed && converted >= BigInt::from(1) << (int.bits - 1) {
            converted -= modulus;
        }
        Ok(CaseValue { converted, expr })
    }

    pub(crate) fn default_label(&mut self, span: Span) -> Lower<()> {
        if self.builder().switches.is_empty() {
            return self.error("stray-label", "`default` stands outside of a `switch`", span);
        }
        let label = self.enter_label(span);
        let switch = self.builder().switches.last_mut().expect("checked above");
        match switch.default.replace(label).map(|earlier| earlier.span) {
            None => Ok(()),
            Some(earlier) => {
                let diagnostic = Diagnostic::error("duplicate-case", "this `switch` has two `default` labels")
                    .at(span)
                    .also(earlier, "first here");
                self.fail(diagnostic)
            }
        }
    }

    /// Control falls through to the label, too.
    fn enter_label(&mut self, span: Span) -> CaseLabel {
        let to = self.new_location();
        self.jump(to, span);
        self.go_on_at(to);
        let builder = self.builder();
        let open_blocks = builder.switches.last().map_or(0, |switch| switch.open_blocks);
        CaseLabel { to, entered: builder.blocks[open_blocks..].to_vec(), span }
    }
}
