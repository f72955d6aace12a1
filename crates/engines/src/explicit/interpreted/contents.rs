//! What an object holds, as bytes: nothing chosen yet, zeros, one value of the variable's own type, or a list of cells.
//!
//! The same contents are written in the same way: zeros of any origin are one, and those that touch are joined.

use num_traits::Zero;
use program::Scalar;
use program::semantics::object::{Content, Object, ObjectCell};
use program::semantics::{Pointer, Value};

use super::bytes::{Bytes, put, put_scalar, put_value};

/// How an object's contents are written. The address has a number where [`NUMBERED`] is added.
pub(super) const UNCHOSEN: u8 = 0;
const ZERO: u8 = 1;
/// One value of the variable's own type.
const PLAIN: u8 = 2;
const CELLS: u8 = 3;
/// There is no such object: its lifetime has ended.
pub(super) const DEAD: u8 = 4;
const NUMBERED: u8 = 8;

/// Appends what an object holds. A scalar variable has a plain type; zeros may be taken for each other where memory is
/// typeless.
pub(super) fn put_object_contents(out: &mut Vec<u8>, object: &Object, plain: Option<Scalar>, typeless: bool) {
    let header = out.len();
    out.push(0);
    if let Some(number) = object.number {
        put(out, number);
    }
    let mut form = UNCHOSEN;
    let mut next = 0;
    for (offset, width, content) in (Normal { cells: object.cells(), typeless, pending: None }) {
        let is_whole = offset == 0 && width == object.size * 8;
        match content {
            None if is_whole => form = ZERO,
            Some(Content::Scalar(ty, value)) if is_whole && Some(*ty) == plain => {
                form = PLAIN;
                put_value(out, value);
            }
            _ => {
                form = CELLS;
                put(out, offset + 1 - next);
                next = offset + 1;
                put(out, width);
                put_content(out, content);
            }
        }
    }
    if form == CELLS {
        out.push(0);
    }
    out[header] = form | if object.number.is_some() { NUMBERED } else { 0 };
}

fn put_content(out: &mut Vec<u8>, content: Option<&Content>) {
    match content {
        None | Some(Content::Zero) => out.push(0),
        Some(Content::Unreadable) => out.push(1),
        Some(Content::Scalar(ty, value)) => {
            out.push(2);
            put_scalar(out, *ty);
            put_value(out, value);
        }
    }
}

/// Reads an object; none if it is dead.
pub(super) fn object_contents(bytes: &mut Bytes<'_>, size: u64, plain: Option<Scalar>) -> Option<Object> {
    let header = bytes.byte();
    let number = (header & NUMBERED != 0).then(|| bytes.number());
    let mut object = Object::unchosen(size);
    object.number = number;
    let whole = |content| ObjectCell { width: size * 8, content };
    match header & !NUMBERED {
        UNCHOSEN => {}
        ZERO => object.insert(0, whole(Content::Zero)),
        PLAIN => {
            let ty = plain.expect("a scalar variable");
            object.insert(0, whole(Content::Scalar(ty, bytes.value(ty))));
        }
        CELLS => {
            let mut end = 0;
            loop {
                let distance = bytes.number();
                if distance == 0 {
                    break;
                }
                end += distance;
                let width = bytes.number();
                let content = match bytes.byte() {
                    0 => Content::Zero,
                    1 => Content::Unreadable,
                    _ => {
                        let ty = bytes.scalar();
                        Content::Scalar(ty, bytes.value(ty))
                    }
                };
                object.insert_split(end - 1, ObjectCell { width, content });
            }
        }
        _ => return None,
    }
    Some(object)
}

/// The cells of an object in a normal form: zeros, which are shown without content, are joined where they touch.
struct Normal<'o, I> {
    cells: I,
    /// Whether a zero of one type is as good as one of another.
    typeless: bool,
    pending: Option<(u64, &'o ObjectCell)>,
}

impl<'o, I: Iterator<Item = (u64, &'o ObjectCell)>> Iterator for Normal<'o, I> {
    type Item = (u64, u64, Option<&'o Content>);

    fn next(&mut self) -> Option<Self::Item> {
        let (offset, cell) = self.pending.take().or_else(|| self.cells.next())?;
        if !is_zero(&cell.content, self.typeless) {
            return Some((offset, cell.width, Some(&cell.content)));
        }
        let mut width = cell.width;
        for (next, cell) in self.cells.by_ref() {
            if next != offset + width || !is_zero(&cell.content, self.typeless) {
                self.pending = Some((next, cell));
                break;
            }
            width += cell.width;
        }
        Some((offset, width, None))
    }
}

fn is_zero(content: &Content, typeless: bool) -> bool {
    match content {
        Content::Zero => true,
        Content::Unreadable => false,
        Content::Scalar(_, value) => {
            typeless
                && match value {
                    Value::Bool(truth) => !truth,
                    Value::Int(number) => number.is_zero(),
                    Value::Float(bits) => *bits == 0,
                    Value::Pointer(pointer) => *pointer == Pointer::Null,
                }
        }
    }
}

#[cfg(test)]
mod tests {
    use program::IntType;

    use super::*;

    const INT: Scalar = Scalar::Int(IntType::signed(32));

    fn written(object: &Object, plain: Option<Scalar>) -> Vec<u8> {
        let mut out = Vec::new();
        put_object_contents(&mut out, object, plain, true);
        out
    }

    /// An object of three integers, given the values of some.
    fn three(values: [Option<i64>; 3]) -> Object {
        let mut object = Object::unchosen(12);
        for (at, value) in (0..).zip(values) {
            if let Some(value) = value {
                object
                    .insert_split(at * 32, ObjectCell { width: 32, content: Content::Scalar(INT, Value::int(value)) });
            }
        }
        object
    }

    #[test]
    fn what_is_written_is_read_and_tells_contents_apart() {
        let choices = [None, Some(0), Some(1), Some(-700)];
        let mut all = foundation::collections::HashSet::default();
        for first in choices {
            for second in choices {
                for third in choices {
                    for number in [None, Some(0x1000_0000)] {
                        let mut object = three([first, second, third]);
                        object.number = number;
                        let bytes = written(&object, None);
                        let mut reader = Bytes::new(&bytes);
                        let read = object_contents(&mut reader, 12, None).unwrap();
                        assert!(reader.is_empty());
                        assert_eq!(written(&read, None), bytes);
                        assert_eq!(read.number, number);
                        for at in 0..3 {
                            let (start, end) = (at * 32, at * 32 + 32);
                            assert_eq!(read.gaps(start, end), object.gaps(start, end));
                        }
                        assert!(all.insert(bytes), "{object:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn zeros_of_any_origin_are_the_same() {
        assert_eq!(written(&three([Some(0); 3]), None), written(&Object::zeroed(12), None));
        let mut plain = Object::unchosen(4);
        plain.insert(0, ObjectCell { width: 32, content: Content::Scalar(INT, Value::int(0)) });
        assert_eq!(written(&plain, Some(INT)), [ZERO]);
        plain.clear(0, 32);
        plain.insert(0, ObjectCell { width: 32, content: Content::Scalar(INT, Value::int(3)) });
        assert_eq!(written(&plain, Some(INT)).len(), 2);
    }
}
