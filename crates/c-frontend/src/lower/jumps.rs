//! Jumps: labels, `goto`, `break` and `continue` (6.8.1, 6.8.6).
//!
//! The way of a jump is made when its function is complete: only then is it known which objects there are in the blocks
//! that it leaves and enters. Those lifetimes end and begin on the way.

use foundation::{Diagnostic, Span};
use program::{LocationId, Observe, Op};

use super::build::{JumpAim, LabelInfo, PendingJump};
use super::scope::BlockId;
use super::{Lower, Lowering};
use crate::syntax::ast::JumpLabel;
use crate::syntax::symbols::Symbol;

impl Lowering<'_> {
    /// `break`, or `continue` if it is none.
    pub(crate) fn leave_loop(&mut self, is_break: bool, span: Span) -> Lower<()> {
        let builder = self.builder();
        let target = if is_break { builder.breaks.last() } else { builder.continues.last() };
        let Some(target) = target.copied() else {
            let text = if is_break {
                "`break` stands outside of a loop and of a `switch`"
            } else {
                "`continue` stands outside of a loop"
            };
            return self.error("stray-jump", text, span);
        };
        // What lies on the stack by now is taken off at once; which lifetimes end is known later.
        self.leave_marks(target.open_blocks, span);
        self.jump_later(JumpAim::Around(target), span);
        Ok(())
    }

    /// `goto label`
    pub(crate) fn goto(&mut self, label: Symbol, span: Span) -> Lower<()> {
        if self.unevaluated > 0 {
            return Ok(());
        }
        let _ = self.label_location(label);
        self.jump_later(JumpAim::Label(label), span);
        Ok(())
    }

    /// Notes a jump from here, and goes on at a new location that only labels can reach.
    fn jump_later(&mut self, to: JumpAim, span: Span) {
        if self.unevaluated > 0 {
            return;
        }
        let builder = self.builder();
        let pending = PendingJump { from: builder.at, to, blocks: builder.blocks.clone(), span };
        builder.jumps.push(pending);
        let unreachable = self.new_location();
        self.go_on_at(unreachable);
    }

    fn label_location(&mut self, label: Symbol) -> LocationId {
        if let Some(info) = self.builder().labels.get(&label) {
            return info.location;
        }
        let location = self.new_location();
        self.builder().labels.insert(label, LabelInfo { location, defined: None });
        location
    }

    /// A label of any kind, to which control comes from above, too.
    pub(crate) fn label(&mut self, label: &JumpLabel) -> Lower<()> {
        match label {
            JumpLabel::Name(..) if self.unevaluated > 0 => Ok(()),
            JumpLabel::Name(name, span) => {
                let location = self.label_location(*name);
                let builder = self.builder();
                let blocks = builder.blocks.clone();
                let info = builder.labels.get_mut(name).expect("just made");
                if let Some((earlier, _)) = info.defined {
                    let text = format!("the label `{}` stands twice in this function", self.text(*name));
                    return self.fail(Diagnostic::error("redefinition", text).at(*span).also(earlier, "first here"));
                }
                info.defined = Some((*span, blocks));
                self.jump(location, *span);
                self.go_on_at(location);
                Ok(())
            }
            JumpLabel::Case(first, last, span) => self.case_label(*first, *last, *span),
            JumpLabel::Default(span) => self.default_label(*span),
        }
    }

    /// Makes the way of every jump: lifetimes end in the blocks it leaves and begin in those it enters.
    pub(crate) fn resolve_jumps(&mut self) {
        let jumps = std::mem::take(&mut self.builder().jumps);
        for jump in jumps {
            let Ok((location, blocks)) = self.end_of_jump(&jump) else { continue };
            let shared = shared_blocks(&jump.blocks, &blocks);
            let builder = self.builder();
            let variables = |block| builder.block_variables.get(block).cloned().unwrap_or_default();
            let left: Vec<_> = jump.blocks[shared..].iter().rev().flat_map(variables).collect();
            let entered: Vec<_> = blocks[shared..].iter().flat_map(variables).collect();
            self.go_on_at(jump.from);
            let ops = left.into_iter().map(Op::Discard).chain(entered.into_iter().map(Op::Declare));
            for op in ops {
                let to = self.new_location();
                self.emit_to(op, to, jump.span, Observe::No);
                self.go_on_at(to);
            }
            self.emit_to(Op::Skip, location, jump.span, Observe::No);
        }
    }

    /// Where a jump leads, with the blocks around that place.
    fn end_of_jump(&mut self, jump: &PendingJump) -> Lower<(LocationId, Vec<BlockId>)> {
        let label = match jump.to {
            JumpAim::Around(target) => return Ok((target.location, jump.blocks[..target.open_blocks].to_vec())),
            JumpAim::Label(label) => label,
        };
        let info = &self.builder().labels[&label];
        let location = info.location;
        let Some((label_span, blocks)) = info.defined.clone() else {
            let text = format!("there is no label `{}` in this function", self.text(label));
            return self.error("unknown-label", text, jump.span);
        };
        let shared = shared_blocks(&jump.blocks, &blocks);
        let backwards = label_span.start < jump.span.start;
        self.check_jump(&jump.blocks[shared..], &blocks[shared..], backwards, jump.span)?;
        Ok((location, blocks))
    }
}

/// How many blocks are around both of two places.
fn shared_blocks(one: &[BlockId], other: &[BlockId]) -> usize {
    one.iter().zip(other).take_while(|(a, b)| a == b).count()
}
