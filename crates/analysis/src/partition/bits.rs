//! Expressions whose bits are bits of one value, or constant: what masks, shifts and conversions make of a register.
//!
//! Such an expression depends on the value only through some of its bits. Whether it equals a number is a question about
//! those bits alone, and so is whether it is smaller than one.

use program::IntType;

/// The bits of an expression, the lowest first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Bits(Vec<Bit>);

/// A bit of an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Bit {
    /// It is always the same.
    Constant(bool),
    /// It is this bit of the value, or the opposite.
    Of { number: u32, inverted: bool },
}

const ZERO: Bit = Bit::Constant(false);

/// A condition on some bits of a value: `value & mask` is, or is less than, a number that has bits in the mask only.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Masked {
    pub mask: u64,
    pub number: u64,
}

impl Bits {
    /// The value itself, of a type of at most 64 bits.
    pub fn identity(ty: IntType) -> Self {
        Self((0..u32::from(ty.bits)).map(|number| Bit::Of { number, inverted: false }).collect())
    }

    /// The bits of the value that matter.
    pub fn mask(&self) -> u64 {
        self.0.iter().fold(0, |mask, bit| match bit {
            Bit::Constant(_) => mask,
            Bit::Of { number, .. } => mask | 1 << number,
        })
    }

    /// The expression, of a type that is signed or not, converted to another type.
    pub fn convert(&self, signed: bool, to: IntType) -> Self {
        let mut bits = self.0.clone();
        let sign = if signed { bits.last().copied().unwrap_or(ZERO) } else { ZERO };
        bits.resize(usize::from(to.bits), sign);
        Self(bits)
    }

    /// All bits inverted.
    pub fn inverted(&self) -> Self {
        self.with(u64::MAX, |bit, _| opposite(bit))
    }

    /// The bits that a constant has not become zero.
    pub fn and(&self, constant: u64) -> Self {
        self.with(constant, |bit, set| if set { bit } else { ZERO })
    }

    /// The bits that a constant has become one.
    pub fn or(&self, constant: u64) -> Self {
        self.with(constant, |bit, set| if set { Bit::Constant(true) } else { bit })
    }

    /// The bits that a constant has are inverted.
    pub fn xor(&self, constant: u64) -> Self {
        self.with(constant, |bit, set| if set { opposite(bit) } else { bit })
    }

    pub fn shift_left(&self, count: usize) -> Self {
        let kept = self.0.len().saturating_sub(count);
        let zeros = std::iter::repeat_n(ZERO, self.0.len() - kept);
        Self(zeros.chain(self.0[..kept].iter().copied()).collect())
    }

    /// Shifted to the right, of a type that is signed or not.
    pub fn shift_right(&self, count: usize, signed: bool) -> Self {
        let sign = if signed { self.0.last().copied().unwrap_or(ZERO) } else { ZERO };
        let mut bits = self.0[count.min(self.0.len())..].to_vec();
        bits.resize(self.0.len(), sign);
        Self(bits)
    }

    fn with(&self, constant: u64, change: impl Fn(Bit, bool) -> Bit) -> Self {
        Self(self.0.iter().enumerate().map(|(number, bit)| change(*bit, constant >> number & 1 == 1)).collect())
    }

    /// When the expression has a value: some bits of the value are as they are in a number. None if it never has.
    pub fn equal(&self, value: i128) -> Option<Masked> {
        let width = self.0.len() as u32;
        let (low, high) = (-(1_i128 << (width - 1)), (1_i128 << width) - 1);
        if !(low..=high).contains(&value) {
            return None;
        }
        self.equal_where(value as u64, u64::MAX)
    }

    /// When the bits of the expression that a mask selects are those of a number.
    pub fn equal_where(&self, wanted: u64, selected: u64) -> Option<Masked> {
        let (mut mask, mut pattern) = (0_u64, 0_u64);
        for (place, bit) in self.0.iter().enumerate().filter(|(place, _)| selected >> place & 1 == 1) {
            let wanted = wanted >> place & 1 == 1;
            match *bit {
                Bit::Constant(constant) if constant == wanted => {}
                Bit::Constant(_) => return None,
                Bit::Of { number, inverted } => {
                    let (one, set) = (1 << number, wanted != inverted);
                    if mask & one != 0 && (pattern & one != 0) != set {
                        return None;
                    }
                    mask |= one;
                    pattern |= if set { one } else { 0 };
                }
            }
        }
        Some(Masked { mask, number: pattern })
    }

    /// The bits of the value that stand in the places that a mask selects.
    pub fn mask_where(&self, selected: u64) -> u64 {
        self.and(selected).mask()
    }

    /// Whether the bits that a mask selects stand in the order in which they are in the value, none inverted.
    pub fn is_ordered(&self, selected: u64) -> bool {
        let places = self.0.iter().enumerate().filter(|(place, _)| selected >> place & 1 == 1);
        let mut last = None;
        for (_, bit) in places {
            match *bit {
                Bit::Constant(_) => {}
                Bit::Of { number, inverted } if inverted || last.is_some_and(|last| last >= number) => return false,
                Bit::Of { number, .. } => last = Some(number),
            }
        }
        true
    }

    /// When what a mask selects of the expression, read as a number without a sign, is less than a number: what is
    /// selected of the value is less than another. None if it is always or never so, or the bits are not in order.
    pub fn less_where(&self, than: u64, selected: u64) -> Option<Masked> {
        if !self.is_ordered(selected) {
            return None;
        }
        let mut moved: Vec<(u32, u32)> = Vec::new();
        let mut fixed = 0_u64;
        for (place, bit) in self.0.iter().enumerate().filter(|(place, _)| selected >> place & 1 == 1) {
            match *bit {
                Bit::Constant(set) => fixed |= u64::from(set) << place,
                Bit::Of { number, .. } => moved.push((number, place as u32)),
            }
        }
        // The expression grows with what is selected of the value: the first number that is not less is looked for, bit by
        // bit from above.
        let everything = moved.iter().fold(fixed, |sum, (_, place)| sum | 1 << place);
        if everything < than || fixed >= than {
            return None;
        }
        let (mut number, mut below) = (0_u64, everything);
        for (bit, place) in moved.iter().rev() {
            // With this bit clear and all lower ones set it may still be large enough.
            let without = below & !(1 << place);
            if without >= than {
                below = without;
            } else {
                number |= 1 << bit;
            }
        }
        Some(Masked { mask: moved.iter().fold(0, |mask, (number, _)| mask | 1 << number), number })
    }
}

fn opposite(bit: Bit) -> Bit {
    match bit {
        Bit::Constant(set) => Bit::Constant(!set),
        Bit::Of { number, inverted } => Bit::Of { number, inverted: !inverted },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYTE: IntType = IntType::unsigned(8);
    const SIGNED: IntType = IntType::signed(8);

    /// An expression as a function of a value, and as bits.
    type Example = (&'static str, fn(i128) -> i128, Bits, IntType);

    fn examples() -> Vec<Example> {
        let (plain, signed) = (Bits::identity(BYTE), Bits::identity(SIGNED));
        let int = IntType::signed(16);
        vec![
            ("x & 0x2c", |x| x & 0x2c, plain.and(0x2c), BYTE),
            ("(x >> 3) & 5", |x| x >> 3 & 5, plain.shift_right(3, false).and(5), BYTE),
            ("~x", |x| !x & 0xff, plain.inverted(), BYTE),
            ("x ^ 0x81 | 2", |x| (x ^ 0x81) | 2, plain.xor(0x81).or(2), BYTE),
            ("(unsigned char)(x << 2)", |x| x << 2 & 0xff, plain.shift_left(2), BYTE),
            ("(short)(x & 0xf0)", |x| x & 0xf0, plain.and(0xf0).convert(false, int), int),
            ("(short)s", |x| i128::from(x as i8), signed.convert(true, int), int),
            (
                "(short)s & 0x8100",
                |x| i128::from((x as i8 as i16) & -0x7f00),
                signed.convert(true, int).and(0x8100),
                int,
            ),
            ("(short)s >> 6", |x| i128::from(x as i8 >> 6), signed.convert(true, int).shift_right(6, true), int),
            (
                "(unsigned char)(s >> 1) & 0x41",
                |x| i128::from((x as i8 >> 1) as u8 & 0x41),
                signed.shift_right(1, true).and(0x41),
                BYTE,
            ),
        ]
    }

    #[test]
    fn equality_is_a_question_about_bits() {
        for (text, function, bits, _) in examples() {
            for wanted in -300..600 {
                let masked = bits.equal(wanted);
                for value in 0..256 {
                    let expected = function(value) == wanted;
                    let found = masked.is_some_and(|found| value as u64 & found.mask == found.number);
                    // A negative number of a signed type and its pattern are told apart by nobody: types fit.
                    if wanted >= 0 || function(value) < 0 || expected {
                        let same_pattern = function(value).rem_euclid(256) == wanted.rem_euclid(256);
                        assert!(expected == found || same_pattern, "{text} == {wanted} for {value}");
                    }
                }
            }
        }
    }

    #[test]
    fn order_is_a_question_about_bits_where_they_stay_in_order() {
        for (text, function, bits, ty) in examples() {
            for wanted in 0..256_u64 {
                let Some(found) = bits.less_where(wanted, u64::MAX) else { continue };
                for value in 0..256 {
                    let seen = function(value).rem_euclid(1 << ty.bits) as u64;
                    let less = (value as u64 & found.mask) < found.number;
                    assert_eq!(seen < wanted, less, "{text} < {wanted} for {value}");
                }
            }
        }
        let (plain, cut) = (Bits::identity(BYTE).and(0x3c), Masked { mask: 0x3c, number: 12 });
        assert_eq!(plain.less_where(9, u64::MAX), Some(cut), "8 is less, the next number is 12");
        assert_eq!(plain.less_where(61, u64::MAX), None, "always less");
        assert_eq!(plain.less_where(0, u64::MAX), None, "never less");
        assert_eq!(plain.inverted().less_where(9, u64::MAX), None, "the order is turned round");
    }
}
