//! Memory against a plain vector of bits, for machine integers; and the rules of ideal integers.

use foundation::Id;
use num_bigint::BigInt;
use program::semantics::memory::{Extent, Memory, Read};
use program::semantics::object::Object;
use program::semantics::*;
use program::*;
use proptest::prelude::*;

const BYTES: u64 = 12;

/// A write of a value of some width and signedness at some bit, or a copy of bits.
#[derive(Clone, Debug)]
enum Action {
    Write { offset: u64, width: u64, signed: bool, bits: u64 },
    Copy { from: u64, to: u64, width: u64 },
}

fn actions() -> impl Strategy<Value = Vec<Action>> {
    let write = (0..BYTES * 8, 1..=64u64, any::<bool>(), any::<u64>()).prop_map(|(offset, width, signed, bits)| {
        let width = width.min(BYTES * 8 - offset);
        Action::Write { offset, width, signed, bits: bits & (u64::MAX >> (64 - width)) }
    });
    let copy = (0..BYTES * 8, 0..BYTES * 8, 0..=40u64).prop_map(|(from, to, width)| Action::Copy {
        from,
        to,
        width: width.min(BYTES * 8 - from.max(to)),
    });
    prop::collection::vec(prop_oneof![2 => write, 1 => copy], 0..12)
}

fn object() -> ObjectId {
    ObjectId::Global(VariableId::from_index(0))
}

fn extent(offset_bits: u64, width_bits: u64) -> Extent {
    Extent { object: object(), offset_bits, width_bits }
}

fn memory(integers: Integers) -> Memory {
    let mut memory = Memory::new(integers, DataModel::Lp64, 0);
    memory.create(object(), Object::zeroed(BYTES));
    memory
}

fn signed_value(bits: u64, width: u64, signed: bool) -> BigInt {
    let value = BigInt::from(bits);
    if signed && bits >> (width - 1) & 1 == 1 { value - (BigInt::from(1) << width) } else { value }
}

proptest! {
    #[test]
    fn machine_memory_is_bits(actions in actions(), reads in prop::collection::vec((0..BYTES * 8, 1..=64u64, any::<bool>()), 8)) {
        let mut memory = memory(Integers::Machine);
        let mut model = vec![false; BYTES as usize * 8];
        for action in actions {
            match action {
                Action::Write { offset, width, signed, bits } => {
                    let ty = Scalar::Int(IntType { bits: width as u16, signed });
                    memory.write(extent(offset, width), ty, Value::Int(signed_value(bits, width, signed))).unwrap();
                    for at in 0..width {
                        model[(offset + at) as usize] = bits >> at & 1 == 1;
                    }
                }
                Action::Copy { from, to, width } => {
                    let cells = memory.take(extent(from, width)).unwrap();
                    memory.put(extent(to, width), cells).unwrap();
                    let copied = model[from as usize..(from + width) as usize].to_vec();
                    model[to as usize..(to + width) as usize].copy_from_slice(&copied);
                }
            }
        }
        for (offset, width, signed) in reads {
            let width = width.min(BYTES * 8 - offset);
            let bits = (0..width).fold(0, |bits, at| bits | u64::from(model[(offset + at) as usize]) << at);
            let ty = Scalar::Int(IntType { bits: width as u16, signed });
            let read = memory.read(extent(offset, width), ty).unwrap();
            prop_assert_eq!(read, Read::Value(Value::Int(signed_value(bits, width, signed))));
        }
    }

    #[test]
    fn floating_point_numbers_keep_their_bits(bits in any::<u32>()) {
        let mut memory = memory(Integers::Machine);
        let int = Scalar::Int(IntType::unsigned(32));
        memory.write(extent(0, 32), int, Value::int(bits)).unwrap();
        let Read::Value(single) = memory.read(extent(0, 32), Scalar::Float(FloatType::F32)).unwrap() else { panic!() };
        memory.write(extent(32, 32), Scalar::Float(FloatType::F32), single).unwrap();
        prop_assert_eq!(memory.read(extent(32, 32), int).unwrap(), Read::Value(Value::int(bits)));
    }
}

#[test]
fn ideal_memory_is_read_at_its_own_kind_and_width() {
    let mut memory = memory(Integers::Ideal);
    let (int, unsigned) = (Scalar::Int(IntType::signed(32)), Scalar::Int(IntType::unsigned(32)));
    let byte = Scalar::Int(IntType::unsigned(8));
    let large = Value::Int(BigInt::from(1) << 100);
    memory.write(extent(0, 32), int, large.clone()).unwrap();
    assert_eq!(memory.read(extent(0, 32), unsigned), Ok(Read::Value(large)));
    assert!(matches!(memory.read(extent(0, 32), Scalar::Float(FloatType::F32)), Err(Stop::Unsupported(_))));
    assert!(matches!(memory.read(extent(0, 8), byte), Err(Stop::Unsupported(_))));
    assert_eq!(memory.read(extent(32, 64), Scalar::Pointer), Ok(Read::Value(Value::Pointer(Pointer::Null))));
    assert_eq!(memory.read(extent(40, 8), byte), Ok(Read::Value(Value::int(0))));
    memory.write(extent(8, 8), byte, Value::int(7)).unwrap();
    assert_eq!(memory.read(extent(8, 8), byte), Ok(Read::Value(Value::int(7))));
    assert!(matches!(memory.read(extent(16, 16), byte), Err(Stop::Unsupported(_))));
    memory.write(extent(0, 32), int, Value::int(1)).unwrap();
    assert_eq!(memory.read(extent(0, 32), int), Ok(Read::Value(Value::int(1))));
}

#[test]
fn equal_contents_are_equal() {
    let mut one = memory(Integers::Machine);
    let other = one.clone();
    let int = Scalar::Int(IntType::signed(32));
    one.write(extent(32, 32), int, Value::int(3)).unwrap();
    assert_ne!(one, other);
    let zeros = other.clone().take(extent(0, 32)).unwrap();
    one.put(extent(32, 32), zeros).unwrap();
    assert_eq!(one, other);
}

#[test]
fn pointers_survive_a_copy_by_bytes_and_numbers_are_apart() {
    let mut memory = memory(Integers::Machine);
    let heap = memory.unused_heap();
    memory.create(heap, Object::unchosen(0));
    let second = memory.unused_heap();
    memory.create(second, Object::unchosen(40));
    let (first_number, second_number) = (
        memory.number_of(Pointer::Object { object: heap, offset: 0 }).unwrap(),
        memory.number_of(Pointer::Object { object: second, offset: 0 }).unwrap(),
    );
    assert!(first_number.abs_diff(second_number) > 40 || second_number > first_number);
    let pointer = Pointer::Object { object: second, offset: 24 };
    memory.write(extent(0, 64), Scalar::Pointer, Value::Pointer(pointer)).unwrap();
    let byte = Scalar::Int(IntType::unsigned(8));
    let bytes: Vec<Value> = (0..8)
        .map(|at| match memory.read(extent(at * 8, 8), byte).unwrap() {
            Read::Value(value) => value,
            Read::Unchosen(_) => panic!("written"),
        })
        .collect();
    for (at, value) in bytes.into_iter().enumerate() {
        memory.write(extent(at as u64 * 8, 8), byte, value).unwrap();
    }
    assert_eq!(memory.read(extent(0, 64), Scalar::Pointer), Ok(Read::Value(Value::Pointer(pointer))));
    assert_eq!(memory.pointer_at(second_number + 40), Pointer::Object { object: second, offset: 40 });
    assert_eq!(memory.pointer_at(second_number + 41), Pointer::Invalid(second_number + 41));
    assert_eq!(memory.pointer_at(0), Pointer::Null);
}

#[test]
fn heap_names_are_the_smallest_unused_ones() {
    let mut memory = memory(Integers::Machine);
    for number in 0..3 {
        let heap = memory.unused_heap();
        assert_eq!(heap, ObjectId::Heap(number));
        memory.create(heap, Object::unchosen(1));
    }
    memory.remove(&[ObjectId::Heap(1)].into());
    assert_eq!(memory.unused_heap(), ObjectId::Heap(1));
}
