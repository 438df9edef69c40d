//! Values of voxels as text.

use crate::output::number::General;

/// A value of a voxel of any type, in full.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Value {
    /// Of a type without a sign.
    Unsigned(u64),
    /// Of one with a sign.
    Signed(i64),
    /// Of a floating-point type.
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
    /// As a double. Integers past 2^53 are rounded.
    pub(super) fn double(self) -> f64 {
        match self {
            Value::Unsigned(value) => value as f64,
            Value::Signed(value) => value as f64,
            Value::Double(value) => value,
        }
    }

    /// Appends the value: an integer, or the fewest digits that read back as the same double; `inf` or `-inf`.
    pub(super) fn push(self, out: &mut String) {
        match self {
            Value::Unsigned(value) => out.push_str(itoa::Buffer::new().format(value)),
            Value::Signed(value) => out.push_str(itoa::Buffer::new().format(value)),
            Value::Double(value) if value.is_finite() => {
                out.push_str(zmij::Buffer::new().format_finite(value));
            }
            Value::Double(value) => out.push_str(if value > 0.0 { "inf" } else { "-inf" }),
        }
    }

    /// The same with six significant digits, as `%g`, where it is no integer.
    pub(super) fn push_general(self, out: &mut String) {
        match self {
            // A string takes all that it is given.
            Value::Double(value) => drop(General(value).write(out)),
            integer => integer.push(out),
        }
    }
}
