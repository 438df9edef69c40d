//! Exact values of voxels of any type.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

/// A value of a voxel of any type, or a number that voxels are compared with. Values compare exactly as numbers,
/// whatever their types: 2^53 + 1 as an integer is greater than 2^53 as a double.
#[derive(Debug, Clone, Copy)]
pub enum Value {
    /// Value of an unsigned integer type.
    Unsigned(u64),
    /// Value of a signed integer type.
    Signed(i64),
    /// Value of a floating-point type.
    Double(f64),
}

macro_rules! value {
    ($($variant:ident: $($t:ident),*);*) => {$($(
        impl From<$t> for Value {
            #[inline]
            fn from(voxel: $t) -> Self {
                Value::$variant(voxel.into())
            }
        }
    )*)*};
}

value!(Unsigned: u8, u16, u32, u64; Signed: i8, i16, i32, i64; Double: f32, f64);

impl Value {
    /// The order of two numbers in a filtration by sublevel sets, or by superlevel sets.
    pub(super) fn in_filtration(&self, other: &Self, superlevel: bool) -> Ordering {
        // Numbers always compare.
        let order = self.partial_cmp(other).unwrap_or(Ordering::Equal);
        if superlevel { order.reverse() } else { order }
    }

    /// The nearest double. Integers beyond ±2^53 may be rounded.
    pub fn double(self) -> f64 {
        match self {
            Value::Unsigned(value) => value as f64,
            Value::Signed(value) => value as f64,
            Value::Double(value) => value,
        }
    }

    /// The double that equals this value.
    ///
    /// # Errors
    /// [`Inexact`]: the value is an integer that no double equals.
    pub fn exact_double(self) -> Result<f64, Inexact> {
        let magnitude = match self {
            Value::Unsigned(value) => value,
            Value::Signed(value) => value.unsigned_abs(),
            Value::Double(value) => return Ok(value),
        };
        // A double has 53 bits from the first that is set to the last.
        if magnitude.leading_zeros() + magnitude.trailing_zeros() + f64::MANTISSA_DIGITS >= u64::BITS {
            Ok(self.double())
        } else {
            Err(Inexact { value: self, has_texts: false })
        }
    }

    /// The value as an integer, if it has an integer type.
    pub fn integer(self) -> Option<i128> {
        match self {
            Value::Unsigned(value) => Some(value.into()),
            Value::Signed(value) => Some(value.into()),
            Value::Double(_) => None,
        }
    }

    /// Whether the value is neither infinite nor NaN.
    pub fn is_finite(self) -> bool {
        !matches!(self, Value::Double(value) if !value.is_finite())
    }
}

/// Compares an integer of at most 65 bits with a double; `None` if the double is NaN.
fn compare(integer: i128, double: f64) -> Option<Ordering> {
    if double.is_nan() {
        return None;
    }
    // The cast truncates, and saturates beyond 128 bits at a value that no integer here reaches.
    let whole = integer.cmp(&(double.trunc() as i128));
    Some(whole.then_with(|| 0.0.partial_cmp(&double.fract()).unwrap_or(Ordering::Equal)))
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        match (self.integer(), other.integer()) {
            (Some(a), Some(b)) => Some(a.cmp(&b)),
            (Some(a), None) => compare(a, other.double()),
            (None, Some(b)) => compare(b, self.double()).map(Ordering::reverse),
            (None, None) => self.double().partial_cmp(&other.double()),
        }
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

/// Formats integers in full, and doubles with the fewest digits that read back as the same number.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Unsigned(value) => value.fmt(f),
            Value::Signed(value) => value.fmt(f),
            Value::Double(value) => value.fmt(f),
        }
    }
}

/// Serialises as a number; infinities, which JSON lacks, as the strings `inf` and `-inf`.
impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Value::Unsigned(value) => serializer.serialize_u64(value),
            Value::Signed(value) => serializer.serialize_i64(value),
            Value::Double(value) if value.is_infinite() => serializer.collect_str(&value),
            Value::Double(value) => serializer.serialize_f64(value),
        }
    }
}

/// Error: a text is not a number.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected a number, found {0}")]
pub struct NoValue(
    /// The text that was found.
    pub String,
);

/// Decimal integers of up to 64 bits are read exactly; other numbers are rounded to a double.
impl FromStr for Value {
    type Err = NoValue;

    fn from_str(text: &str) -> Result<Self, NoValue> {
        if let Ok(value) = text.parse() {
            return Ok(Value::Unsigned(value));
        }
        if let Ok(value) = text.parse() {
            return Ok(Value::Signed(value));
        }
        match text.parse::<f64>() {
            Ok(value) if !value.is_nan() => Ok(Value::Double(value)),
            _ => Err(NoValue(text.to_owned())),
        }
    }
}

/// A number at which a filtration ends, given in decimal digits.
///
/// It is stored as the two representable values around it. They are equal except for numbers beyond ±2^53 that are
/// neither a 64-bit integer nor a double. All doubles there are integers, so a voxel reaches such a number if and only
/// if it reaches the value on the voxel's side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Threshold {
    below: Value,
    above: Value,
}

impl Threshold {
    /// The value to compare with: a voxel is in the filtration iff it is not past this value.
    pub fn side(self, superlevel: bool) -> Value {
        if superlevel { self.above } else { self.below }
    }
}

impl FromStr for Threshold {
    type Err = NoValue;

    fn from_str(text: &str) -> Result<Self, NoValue> {
        let value: Value = text.parse()?;
        Ok(around(text).unwrap_or(Threshold { below: value, above: value }))
    }
}

/// The representable values next to a decimal number beyond ±2^53, with or without a fraction: the greatest that is not
/// above it, and the least that is not below it. They are 64-bit integers or, beyond these, doubles.
fn around(text: &str) -> Option<Threshold> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if !fraction.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let truncated: i128 = whole.parse().ok()?;
    if truncated.unsigned_abs() < 1 << f64::MANTISSA_DIGITS {
        return None;
    }
    let is_whole = fraction.bytes().all(|digit| digit == b'0');
    let away = if is_whole { truncated } else { truncated + truncated.signum() };
    let narrow = |integer: i128| {
        let unsigned = u64::try_from(integer).map(Value::Unsigned);
        unsigned.or_else(|_| i64::try_from(integer).map(Value::Signed)).ok()
    };
    let nearest = |integer: i128, past: Ordering, next: fn(f64) -> f64| {
        let double = integer as f64;
        Value::Double(if compare(integer, double) == Some(past) { next(double) } else { double })
    };
    let (below, above) = (truncated.min(away), truncated.max(away));
    Some(Threshold {
        below: narrow(below).unwrap_or_else(|| nearest(below, Ordering::Less, f64::next_down)),
        above: narrow(above).unwrap_or_else(|| nearest(above, Ordering::Greater, f64::next_up)),
    })
}

/// Error: a value has no exact double, but doubles are to be written.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error(
    "expected values that doubles hold exactly, found the integer {value}{}",
    if *has_texts { "; csv and json hold all of its digits" } else { "" }
)]
#[non_exhaustive]
pub struct Inexact {
    /// The integer that no double equals.
    pub value: Value,
    /// Whether the output also has text formats, which hold the value exactly: bars and curves do, images do not.
    has_texts: bool,
}

impl Inexact {
    /// The error for outputs that also have text formats.
    pub(crate) fn beside_texts(self) -> Self {
        Inexact { has_texts: true, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Value {
        text.parse().unwrap()
    }

    #[test]
    fn values_compare_as_numbers_whatever_their_types() {
        let ascending = [
            Value::Double(f64::NEG_INFINITY),
            Value::Double(-1e300),
            Value::Signed(i64::MIN),
            Value::Signed(i64::MIN + 1),
            Value::Double(-9007199254740992.0),
            Value::Double(-0.5),
            Value::Unsigned(0),
            Value::Double(f64::from_bits(1)),
            Value::Double(0.5),
            Value::Signed(1),
            Value::Double(9007199254740992.0),
            Value::Unsigned((1 << 53) + 1),
            Value::Double(9007199254740994.0),
            Value::Signed(i64::MAX),
            Value::Double(9223372036854775808.0),
            Value::Unsigned(u64::MAX - 1),
            Value::Unsigned(u64::MAX),
            Value::Double(18446744073709551616.0),
            Value::Double(f64::INFINITY),
        ];
        for (i, a) in ascending.iter().enumerate() {
            for (j, b) in ascending.iter().enumerate() {
                assert_eq!(a.partial_cmp(b), Some(i.cmp(&j)), "{a:?} {b:?}");
            }
        }
        assert!(Value::Signed(3) == Value::Unsigned(3) && Value::Double(3.0) == Value::Unsigned(3));
        assert!(Value::Double(-0.0) == Value::Signed(0));
        assert_eq!(Value::Double(f64::NAN).partial_cmp(&Value::Signed(0)), None);
    }

    #[test]
    fn texts_are_read_exactly_up_to_64_bits() {
        assert!(matches!(value("18446744073709551615"), Value::Unsigned(u64::MAX)));
        assert!(matches!(value("-9223372036854775808"), Value::Signed(i64::MIN)));
        assert!(matches!(value("18446744073709551616"), Value::Double(18446744073709551616.0)));
        assert!(matches!(value("1e3"), Value::Double(1e3)));
        assert!(matches!(value("-inf"), Value::Double(f64::NEG_INFINITY)));
        for bad in ["", "x", "nan", "1,5"] {
            assert_eq!(bad.parse::<Value>(), Err(NoValue(bad.to_owned())));
        }
    }

    #[test]
    fn fractions_past_doubles_lie_between_integers() {
        let sides = |text: &str| {
            let threshold: Threshold = text.parse().unwrap();
            [false, true].map(|superlevel| threshold.side(superlevel).to_string())
        };
        assert_eq!(sides("9007199254740993.5"), ["9007199254740993", "9007199254740994"]);
        assert_eq!(sides("-9007199254740993.5"), ["-9007199254740994", "-9007199254740993"]);
        assert_eq!(sides("18446744073709551615.000"), ["18446744073709551615"; 2]);
        assert_eq!(sides("2.5"), ["2.5"; 2]);
        assert_eq!(sides("18446744073709551615"), ["18446744073709551615"; 2]);
        // Beyond 64 bits the neighbouring values are doubles: 2^64 and the next, and those around −2^63 − 1.
        assert_eq!(sides("18446744073709551615.5"), ["18446744073709551615", "18446744073709552000"]);
        assert_eq!(sides("18446744073709551617"), ["18446744073709552000", "18446744073709556000"]);
        assert_eq!(sides("-9223372036854775809"), ["-9223372036854778000", "-9223372036854776000"]);
        assert!("1.2.3".parse::<Threshold>().is_err());
    }

    #[test]
    fn doubles_that_are_the_value() {
        assert_eq!(Value::Unsigned(1 << 63).exact_double(), Ok(9223372036854775808.0));
        let integers =
            (0..u64::BITS).flat_map(|bits| [0, 1, 2, 3].map(|more| (1_u64 << bits).wrapping_add(more)));
        for integer in integers.chain([0, u64::MAX, u64::MAX << 11, u64::MAX << 10]) {
            for value in [Value::Unsigned(integer), Value::Signed(integer.cast_signed())] {
                assert_eq!(
                    value.exact_double().ok(),
                    Some(value.double()).filter(|&double| value == Value::Double(double))
                );
            }
        }
        let error = Value::Signed(i64::MAX).exact_double().unwrap_err();
        assert!(error.to_string().ends_with("the integer 9223372036854775807"), "{error}");
        assert!(error.beside_texts().to_string().contains("807; csv and json hold"), "{error}");
    }

    #[test]
    fn json_has_strings_for_infinity() {
        let values = [Value::Unsigned(u64::MAX), value("-inf"), value("inf"), value("0.5")];
        assert_eq!(serde_json::to_string(&values).unwrap(), "[18446744073709551615,\"-inf\",\"inf\",0.5]");
    }
}
