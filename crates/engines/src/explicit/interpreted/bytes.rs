//! Numbers and values as bytes: seven bits of a number at a time, the smallest first.

use foundation::Id;
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use program::semantics::{ObjectId, Pointer, Value};
use program::{FloatType, FunctionId, IntType, Scalar, VariableId};

/// Appends a number.
pub(super) fn put(out: &mut Vec<u8>, number: impl Into<u128>) {
    let mut rest = number.into();
    while rest >= 0x80 {
        out.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
}

/// Appends a number that may be negative.
pub(super) fn put_signed(out: &mut Vec<u8>, number: i64) {
    put(out, zigzag(number));
}

/// The positions 0, −1, 1, −2, … of numbers: small ones have few digits.
fn zigzag(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)) as u64
}

fn unzigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

/// Appends an object's name.
pub(super) fn put_object(out: &mut Vec<u8>, object: ObjectId) {
    match object {
        ObjectId::Global(variable) => {
            out.push(0);
            put(out, variable.index() as u64);
        }
        ObjectId::Local { thread, depth, variable } => {
            out.push(1);
            put(out, thread);
            put(out, depth);
            put(out, variable.index() as u64);
        }
        ObjectId::Heap(number) => {
            out.push(2);
            put(out, number);
        }
    }
}

/// Appends a type.
pub(super) fn put_scalar(out: &mut Vec<u8>, ty: Scalar) {
    match ty {
        Scalar::Bool => out.push(0),
        Scalar::Pointer => out.push(1),
        Scalar::Float(FloatType::F32) => out.push(2),
        Scalar::Float(FloatType::F64) => out.push(3),
        Scalar::Int(IntType { bits, signed }) => {
            out.push(4);
            put(out, u32::from(bits) * 2 + u32::from(signed));
        }
    }
}

/// Appends a value, whose kind must be known to whoever reads it.
pub(super) fn put_value(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::Bool(truth) => out.push(u8::from(*truth)),
        Value::Int(number) => match number.to_i64() {
            Some(small) => put(out, u128::from(zigzag(small)) << 1),
            None => {
                let digits = number.to_signed_bytes_le();
                put(out, (digits.len() as u128) << 1 | 1);
                out.extend(digits);
            }
        },
        Value::Float(bits) => out.extend(bits.to_le_bytes()),
        Value::Pointer(pointer) => match *pointer {
            Pointer::Null => out.push(0),
            Pointer::Dangling => out.push(1),
            Pointer::Object { object, offset } => {
                out.push(2);
                put_object(out, object);
                put_signed(out, offset);
            }
            Pointer::Function(function) => {
                out.push(3);
                put(out, function.index() as u64);
            }
            Pointer::Register(address) => {
                out.push(4);
                put(out, address);
            }
            Pointer::Invalid(address) => {
                out.push(5);
                put(out, address);
            }
        },
    }
}

/// Reads what was appended. What it reads was written by this module, so that nothing can be missing.
pub(super) struct Bytes<'b> {
    rest: &'b [u8],
}

impl<'b> Bytes<'b> {
    /// Reads from the beginning.
    pub fn new(bytes: &'b [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Whether everything was read.
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// The next byte.
    pub fn byte(&mut self) -> u8 {
        let (&first, rest) = self.rest.split_first().expect("as many bytes as were written");
        self.rest = rest;
        first
    }

    /// The next number of up to 64 bits.
    pub fn number(&mut self) -> u64 {
        self.wide() as u64
    }

    /// The next number of up to 32 bits.
    pub fn small(&mut self) -> u32 {
        self.wide() as u32
    }

    /// The next id.
    pub fn id<I: Id>(&mut self) -> I {
        I::from_index(self.wide() as usize)
    }

    /// The next number that may be negative.
    pub fn signed(&mut self) -> i64 {
        unzigzag(self.number())
    }

    /// The next object's name.
    pub fn object(&mut self) -> ObjectId {
        match self.byte() {
            0 => ObjectId::Global(self.id()),
            1 => ObjectId::Local { thread: self.small(), depth: self.small(), variable: self.id::<VariableId>() },
            _ => ObjectId::Heap(self.small()),
        }
    }

    /// The next type.
    pub fn scalar(&mut self) -> Scalar {
        match self.byte() {
            0 => Scalar::Bool,
            1 => Scalar::Pointer,
            2 => Scalar::Float(FloatType::F32),
            3 => Scalar::Float(FloatType::F64),
            _ => {
                let both = self.small();
                Scalar::Int(IntType { bits: (both / 2) as u16, signed: both % 2 == 1 })
            }
        }
    }

    /// The next value of a type.
    pub fn value(&mut self, ty: Scalar) -> Value {
        match ty {
            Scalar::Bool => Value::Bool(self.byte() == 1),
            Scalar::Int(_) => {
                let first = self.wide();
                if first & 1 == 0 {
                    return Value::int(unzigzag((first >> 1) as u64));
                }
                let (digits, rest) = self.rest.split_at((first >> 1) as usize);
                self.rest = rest;
                Value::Int(BigInt::from_signed_bytes_le(digits))
            }
            Scalar::Float(_) => {
                let (bits, rest) = self.rest.split_first_chunk().expect("as many bytes as were written");
                self.rest = rest;
                Value::Float(u64::from_le_bytes(*bits))
            }
            Scalar::Pointer => Value::Pointer(match self.byte() {
                0 => Pointer::Null,
                1 => Pointer::Dangling,
                2 => Pointer::Object { object: self.object(), offset: self.signed() },
                3 => Pointer::Function(self.id::<FunctionId>()),
                4 => Pointer::Register(self.number()),
                _ => Pointer::Invalid(self.number()),
            }),
        }
    }

    fn wide(&mut self) -> u128 {
        let mut number = 0;
        let mut shift = 0;
        loop {
            let byte = self.byte();
            number |= u128::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return number;
            }
            shift += 7;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let int = Scalar::Int(IntType::signed(32));
        let big: BigInt = BigInt::from(u64::MAX) * 3;
        let mut written: Vec<(Scalar, Value)> = [0, 1, -1, 63, 64, -64, -65, i64::MAX, i64::MIN]
            .map(|number| (int, Value::int(number)))
            .into_iter()
            .chain([(int, Value::Int(big.clone())), (int, Value::Int(-big)), (Scalar::Bool, Value::Bool(true))])
            .chain([(Scalar::Float(FloatType::F64), Value::float(-2.5))])
            .collect();
        let variable = VariableId::from_index(300);
        for object in
            [ObjectId::Global(variable), ObjectId::Local { thread: 3, depth: 200, variable }, ObjectId::Heap(7)]
        {
            written.push((Scalar::Pointer, Value::Pointer(Pointer::Object { object, offset: -9 })));
        }
        let others = [Pointer::Null, Pointer::Dangling, Pointer::Register(1 << 40), Pointer::Invalid(129)];
        written.extend(others.map(|pointer| (Scalar::Pointer, Value::Pointer(pointer))));
        let function = Pointer::Function(FunctionId::from_index(5));
        written.push((Scalar::Pointer, Value::Pointer(function)));
        let mut out = Vec::new();
        for (ty, value) in &written {
            put_scalar(&mut out, *ty);
            put_value(&mut out, value);
        }
        let mut bytes = Bytes::new(&out);
        for (ty, value) in written {
            assert_eq!(bytes.scalar(), ty);
            assert_eq!(bytes.value(ty), value);
        }
        assert!(bytes.is_empty());
    }
}
