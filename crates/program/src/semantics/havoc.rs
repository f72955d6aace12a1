//! What [`Op::Havoc`](crate::cfa::Op::Havoc) does: arbitrary values are written to what an address reaches.
//!
//! Every value is a question, in the order in which the scalars lie in memory. In a variable they have the types of the
//! variable's own scalars, elsewhere those of the elements that are said to lie there.

use crate::cfa::{InputSource, Reach};
use crate::expr::ExprId;
use crate::model::VariableKind;
use crate::reach::{is_bytes, reached_end};
use crate::semantics::choices::Question;
use crate::semantics::evaluate::evaluate_pointer;
use crate::semantics::event::Event;
use crate::semantics::interpreter::Interpreter;
use crate::semantics::layout::{Leaf, MOST_LEAVES, leaves};
use crate::semantics::memory::Extent;
use crate::semantics::stop::{Stop, UndefinedBehaviour};
use crate::semantics::value::{ObjectId, Pointer, Value};
use crate::types::{IntType, Scalar, TypeId};
use foundation::collections::HashSet;

/// Lists of more objects than this are not followed: they are by recursion.
const MOST_OBJECTS: usize = 1000;

impl Interpreter<'_> {
    /// Writes inputs to all that is reached from an address.
    pub(super) fn havoc(&mut self, address: ExprId, reach: &Reach, source: &InputSource) -> Result<(), Stop> {
        let pointer = evaluate_pointer(self, address)?;
        self.havoc_from(pointer, &mut vec![reach], &mut HashSet::default(), source)
    }

    /// Goes on from a pointer: the last reach says how far, the others are those around it. What was seen already is not
    /// gone through again where a list comes back to itself.
    fn havoc_from(
        &mut self,
        pointer: Pointer,
        around: &mut Vec<&Reach>,
        seen: &mut HashSet<(ObjectId, u64, TypeId, bool)>,
        source: &InputSource,
    ) -> Result<(), Stop> {
        let reach = *around.last().expect("there is one for each pointer");
        let Some(extent) = self.reached(pointer, reach)? else { return Ok(()) };
        if reach.is_cut_short {
            return Err(Stop::unsupported("follows more pointers in one object than are followed".to_owned()));
        }
        seen.insert((extent.object, extent.offset_bits, reach.element, reach.written));
        let stride = self.program.types.size_bits(reach.element);
        let has_pointers = !reach.pointers.is_empty() || !reach.again.is_empty();
        if has_pointers && stride > 0 {
            let elements = extent.width_bits / stride;
            if elements > MOST_LEAVES as u64 {
                return Err(Stop::unsupported(format!("follows pointers in {elements} elements at once")));
            }
            if seen.len() > MOST_OBJECTS {
                return Err(Stop::unsupported(format!("follows a list of more than {MOST_OBJECTS} objects")));
            }
            for element in 0..elements {
                let base = extent.offset_bits + element * stride;
                for (offset, further) in &reach.pointers {
                    if let Some(inner) = self.pointer_inside(extent.object, base + offset) {
                        around.push(further);
                        let followed = self.havoc_from(inner, around, seen, source);
                        around.pop();
                        followed?;
                    }
                }
                for (offset, levels) in &reach.again {
                    let Some(inner) = self.pointer_inside(extent.object, base + offset) else { continue };
                    let further = around[around.len() - 1 - levels];
                    let next = self.reached(inner, further)?;
                    let key = next.map(|next| (next.object, next.offset_bits, further.element, further.written));
                    if key.is_some_and(|key| !seen.contains(&key)) {
                        let mut above = around[..around.len() - levels].to_vec();
                        self.havoc_from(inner, &mut above, seen, source)?;
                    }
                }
            }
        }
        if reach.written { self.havoc_extent(extent, reach, source) } else { Ok(()) }
    }

    /// Reads the pointer at an offset in an object. One that holds nothing in particular points to nothing in particular.
    fn pointer_inside(&mut self, object: ObjectId, offset_bits: u64) -> Option<Pointer> {
        let part = Extent { object, offset_bits, width_bits: self.program.types.scalar_bits(Scalar::Pointer) };
        self.note_read(part);
        match self.state.memory.peek(part, Scalar::Pointer) {
            Some(Value::Pointer(pointer)) => Some(pointer),
            _ => None,
        }
    }

    /// What is reached from an address in the object that it points to, if there is one.
    fn reached(&self, pointer: Pointer, reach: &Reach) -> Result<Option<Extent>, Stop> {
        let (object, offset) = match pointer {
            Pointer::Object { object, offset } => (object, offset),
            Pointer::Dangling => return Err(UndefinedBehaviour::DanglingAccess.into()),
            Pointer::Null | Pointer::Register(_) | Pointer::Invalid(_) | Pointer::Function(_) => return Ok(None),
        };
        let Some(contents) = self.state.memory.object(object) else {
            return Err(UndefinedBehaviour::DanglingAccess.into());
        };
        let size = contents.size * 8;
        let Some(start) = u64::try_from(offset).ok().and_then(|offset| offset.checked_mul(8)).filter(|at| *at < size)
        else {
            return Ok(None);
        };
        let end = match object.variable() {
            Some(variable) => {
                let types = &self.program.types;
                reached_end(types, self.program.variables[variable].ty, start, reach.element).min(size)
            }
            None => size,
        };
        Ok(Some(Extent { object, offset_bits: start, width_bits: end - start }))
    }

    fn havoc_extent(&mut self, extent: Extent, reach: &Reach, source: &InputSource) -> Result<(), Stop> {
        let types = &self.program.types;
        let question = |_: &Self, _: Extent, ty: Scalar| Question::Input { source: source.clone(), ty };
        if let Some(variable) = extent.object.variable() {
            let contents = &self.program.variables[variable];
            if matches!(contents.kind, VariableKind::Literal { .. }) {
                return Ok(());
            }
            let mut parts = leaves(types, contents.ty)?;
            parts.retain(|leaf| {
                leaf.offset_bits < extent.end() && extent.offset_bits < leaf.offset_bits + leaf.width_bits
            });
            self.events.push(Event::Write(extent));
            self.state.memory.put(extent, Vec::new())?;
            let whole = Extent { offset_bits: 0, width_bits: extent.end(), ..extent };
            return self.choose_parts(whole, parts, &question);
        }
        let byte = Leaf { offset_bits: 0, width_bits: 8, scalar: Scalar::Int(IntType::unsigned(8)) };
        let stride = types.size_bits(reach.element);
        let element = if is_bytes(types, reach.element) || stride == 0 { None } else { Some(reach.element) };
        let elements = element.map_or(0, |_| extent.width_bits / stride);
        let own = element.map(|element| leaves(types, element)).transpose()?.unwrap_or_default();
        let rest = (extent.width_bits - elements * stride) / 8;
        if elements.saturating_mul(own.len() as u64).saturating_add(rest) > MOST_LEAVES as u64 {
            return Err(Stop::unsupported(format!("writes more than {MOST_LEAVES} elements at once")));
        }
        let at = |leaf: &Leaf, offset: u64| Leaf { offset_bits: leaf.offset_bits + offset, ..*leaf };
        let mut parts: Vec<Leaf> = Vec::new();
        for number in 0..elements {
            parts.extend(own.iter().map(|leaf| at(leaf, number * stride)));
        }
        parts.extend((0..rest).map(|number| at(&byte, elements * stride + number * 8)));
        self.events.push(Event::Write(extent));
        self.state.memory.put(extent, Vec::new())?;
        self.choose_parts(extent, parts, &question)
    }
}
