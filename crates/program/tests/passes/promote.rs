//! Splitting aggregates into their parts.

use program::passes::promote::promote;
use program::passes::simplify;
use program::semantics::{Integers, ObserveMode, RunEnd, Semantics};
use program::*;

use crate::builder::*;
use crate::shown::{edges, passed, shown};

/// An atom that says that a part of a variable equals a number.
fn part_is(b: &mut Builder, variable: VariableId, path: &[Selector], number: i64) -> Atom {
    let place = b.part(variable, path);
    let value = b.load(place);
    let Scalar::Int(ty) = b.program.exprs.ty(value) else { panic!("an integer") };
    let number = b.program.exprs.int(number, ty);
    let value = b.compare(CompareOp::Equal, value, number);
    let active = b.program.owner(variable).into_iter().collect();
    Atom::State { value, active, reads: vec![variable] }
}

fn pair(b: &mut Builder) -> TypeId {
    b.record(&[("x", INT, 0, None), ("y", CHAR, 32, None)], 64, false)
}

#[test]
fn a_copy_is_made_part_by_part_and_observed_once() {
    let mut b = Builder::new();
    let ty = pair(&mut b);
    let (s, t) = (b.local("s", ty), b.global("t", ty));
    let (target, source) = (b.place(t), b.place(s));
    b.op(Op::Assign { target, value: Operand::Aggregate(source) });
    b.ret(0);
    let atom = part_is(&mut b, t, &[Selector::Field(1)], 0);
    let after = passed(&b, &[atom], Semantics::default(), promote);
    // The second part has a location between, so that it comes last.
    assert_eq!(edges(&after), ["t.x = s.x", "return 0 *", "t.y = s.y *"]);
    assert_eq!(
        shown(&after, 3).questions,
        [
            "uninitialised Int(IntType { bits: 32, signed: true })",
            "uninitialised Int(IntType { bits: 8, signed: true })"
        ]
    );
}

#[test]
fn inputs_and_lifetimes_of_aggregates_are_those_of_their_parts() {
    let mut b = Builder::new();
    let ty = pair(&mut b);
    let two = b.array(ty, 2);
    let s = b.local("s", two);
    let (one, nine) = (b.int(1), b.int(9));
    b.silent(Op::Declare(s));
    let place = b.part(s, &[Selector::Index(one), Selector::Field(0)]);
    b.assign(place, nine);
    let target = b.place(s);
    b.op(Op::Input { target, source: InputSource::Nondet("nondet".to_owned()) });
    b.silent(Op::Discard(s));
    b.ret(0);
    let atom = part_is(&mut b, s, &[Selector::Index(one), Selector::Field(1)], 1);
    let after = passed(&b, &[atom], Semantics::default(), promote);
    let names = ["s[0].x", "s[0].y", "s[1].x", "s[1].y"];
    let count = |what: &str| edges(&after).iter().filter(|edge| edge.starts_with(what)).count();
    assert_eq!((count("declare "), count("discard ")), (4, 4));
    let inputs: Vec<String> = edges(&after).into_iter().filter(|edge| edge.contains("nondet")).collect();
    assert_eq!(inputs.len(), 4);
    assert!(names.iter().all(|name| inputs.iter().any(|input| input.starts_with(name))), "{inputs:?}");
    assert_eq!(inputs.iter().filter(|input| input.ends_with('*')).count(), 1);
}

#[test]
fn a_computed_index_keeps_its_array_and_only_that() {
    let mut b = Builder::new();
    let int = b.ty(INT);
    let array = b.array(int, 3);
    let record = b.record_of(&[("n", int, 0), ("a", array, 32), ("b", array, 128)], 224);
    let (s, i) = (b.global("s", record), b.local_of("i", INT));
    b.input(i);
    let (index, two, nine) = (b.get(i), b.int(2), b.int(9));
    let computed = b.part(s, &[Selector::Field(1), Selector::Index(index)]);
    b.assign(computed, nine);
    let fixed = b.part(s, &[Selector::Field(2), Selector::Index(two)]);
    b.assign(fixed, nine);
    b.ret(0);
    let atom = part_is(&mut b, s, &[Selector::Field(1), Selector::Index(two)], 9);
    let after = passed(&b, &[atom], Semantics::default(), promote);
    assert_eq!(edges(&after), ["i = nondet() *", "s.a[i] = 9 *", "s.b[2] = 9 *", "return 0 *"]);
    let names: Vec<&str> = after.program.variables.values().map(|variable| variable.name.as_str()).collect();
    assert!(names.contains(&"s.a") && names.contains(&"s.b[2]") && !names.contains(&"s.b"), "{names:?}");
}

#[test]
fn bit_fields_are_cut_by_machines_only() {
    for (integers, expected) in [(Integers::Machine, -3), (Integers::Ideal, 5)] {
        let mut b = Builder::new();
        let record = b.record(&[("a", INT, 0, Some(3)), ("b", UNSIGNED, 3, Some(5))], 32, false);
        let (s, x) = (b.global("s", record), b.global_int("x"));
        let five = b.int(5);
        let (a, other) = (b.part(s, &[Selector::Field(0)]), b.part(s, &[Selector::Field(1)]));
        b.assign(a.clone(), five);
        let value = b.load(a);
        b.set(x, value);
        b.op(Op::Input { target: other, source: InputSource::Nondet("nondet".to_owned()) });
        b.ret(0);
        let semantics = Semantics { integers, ..Semantics::default() };
        let atoms = [b.atom(x, expected), part_is(&mut b, s, &[Selector::Field(1)], 3)];
        let after = passed(&b, &atoms, semantics, simplify);
        assert!(shown(&after, 0).truth[2][0], "{integers}");
    }
}

#[test]
fn initial_values_go_to_their_parts() {
    let mut b = Builder::new();
    let record = b.record(&[("a", INT, 0, Some(3)), ("b", CHAR, 8, None), ("c", INT, 32, None)], 64, false);
    let values = [(0, 3, -2, 32), (8, 8, 7, 8)].map(|(offset_bits, width_bits, number, bits)| InitialItem {
        offset_bits,
        width_bits,
        value: b.program.exprs.int(number, IntType::signed(bits)),
    });
    let s = b.global("s", record);
    b.program.variables[s].kind = VariableKind::Global { initial: Initial::Values(values.to_vec()), declared_in: None };
    let nine = b.int(9);
    let place = b.part(s, &[Selector::Field(2)]);
    b.assign(place, nine);
    b.ret(0);
    let atoms =
        [(0, -2), (1, 7), (2, 0), (2, 9)].map(|(field, number)| part_is(&mut b, s, &[Selector::Field(field)], number));
    let after = passed(&b, &atoms, Semantics::default(), promote);
    assert_eq!(edges(&after)[0], "s.c = 9 *");
    assert_eq!(shown(&after, 0).truth[..2], [vec![true, true, true, false], vec![true, true, false, true]]);
}

#[test]
fn unions_and_what_pointers_reach_stay_whole() {
    let mut b = Builder::new();
    let union = b.record(&[("word", UNSIGNED, 0, None), ("byte", BYTE, 0, None)], 32, true);
    let ty = pair(&mut b);
    let (u, s, t) = (b.global("u", union), b.global("s", ty), b.local("t", ty));
    let p = b.local_of("p", Scalar::Pointer);
    let address = b.address(s);
    b.set(p, address);
    let value = b.of(UNSIGNED, 0x1234);
    let word = b.part(u, &[Selector::Field(0)]);
    b.assign(word, value);
    // A copy from what a pointer reaches may hold anything.
    let (target, source) = (b.place(t), b.place(s));
    b.op(Op::Assign { target, value: Operand::Aggregate(source) });
    let pointer = b.get(p);
    b.op(Op::Free(pointer));
    b.ret(0);
    let atom = part_is(&mut b, u, &[Selector::Field(1)], 0x34);
    let after = passed(&b, &[atom, Atom::Error], Semantics::default(), promote);
    assert_eq!(edges(&after)[..3], ["p = &s *", "u.word = 4660 *", "t = s *"]);
}

/// A union may hold another member than the one that is copied, which ideal integers cannot be read as.
#[test]
fn what_is_copied_from_a_union_stays_whole() {
    let mut b = Builder::new();
    let pair = b.record(&[("x", CHAR, 0, None), ("y", CHAR, 8, None)], 16, false);
    let word = b.ty(Scalar::Int(IntType::signed(16)));
    let field = |name: &str, ty| Field { name: name.to_owned(), ty, offset_bits: 0, bit_width: None };
    let union = b.program.types.intern(Type::Record(Record {
        name: "union u".to_owned(),
        fields: vec![field("word", word), field("pair", pair)],
        size_bits: 16,
        align_bits: 16,
        is_union: true,
    }));
    let (u, s) = (b.global("u", union), b.global("s", pair));
    let value = b.of(Scalar::Int(IntType::signed(16)), 0x1234);
    let place = b.part(u, &[Selector::Field(0)]);
    b.assign(place, value);
    let (target, source) = (b.place(s), b.part(u, &[Selector::Field(1)]));
    b.op(Op::Assign { target, value: Operand::Aggregate(source) });
    let (target, one) = (b.part(s, &[Selector::Field(0)]), b.of(CHAR, 1));
    b.assign(target, one);
    b.ret(0);
    for integers in [Integers::Machine, Integers::Ideal] {
        let after = passed(&b, &[Atom::Error], Semantics { integers, ..Semantics::default() }, promote);
        assert_eq!(edges(&after)[1], "s = u.pair *");
        assert_eq!(shown(&after, 0).end, RunEnd::End(EndKind::Return));
    }
}

/// Under `--observe change` it counts which object is written, and an object is a whole variable.
#[test]
fn what_atoms_name_stays_whole_where_changes_are_observed() {
    let mut b = Builder::new();
    let ty = pair(&mut b);
    let (s, t) = (b.global("s", ty), b.global("t", ty));
    let one = b.of(CHAR, 1);
    for variable in [s, t] {
        let place = b.part(variable, &[Selector::Field(1)]);
        b.assign(place, one);
    }
    b.ret(0);
    let atom = part_is(&mut b, s, &[Selector::Field(0)], 0);
    let change = Semantics { observe: ObserveMode::Change, ..Semantics::default() };
    let after = passed(&b, std::slice::from_ref(&atom), change, simplify);
    assert_eq!(edges(&after), ["s.y = 1 *", "skip *", "return 0 *"]);
    assert_eq!(shown(&after, 0).truth.len(), 3, "the start, the change and the end");
}
