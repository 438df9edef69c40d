//! Values of voxels as text.

use crate::cubical::Voxel;
use crate::output::number::General;

/// A voxel whose value can be written.
pub trait Value: Voxel {
    /// Appends the value: an integer, or the fewest digits that read back as the same double; `inf` or `-inf`.
    fn push(self, out: &mut String);

    /// The same with six significant digits, as `%g`, where it is no integer.
    fn push_general(self, out: &mut String);
}

macro_rules! integer {
    ($($t:ident),*) => {$(
        impl Value for $t {
            #[inline]
            fn push(self, out: &mut String) {
                out.push_str(itoa::Buffer::new().format(self));
            }

            #[inline]
            fn push_general(self, out: &mut String) {
                self.push(out);
            }
        }
    )*};
}

macro_rules! float {
    ($($t:ident),*) => {$(
        impl Value for $t {
            #[inline]
            fn push(self, out: &mut String) {
                push_double(self.into(), out);
            }

            #[inline]
            fn push_general(self, out: &mut String) {
                // A string takes all that it is given.
                let _ = General(self.into()).write(out);
            }
        }
    )*};
}

integer!(u8, u16, u32, u64, i8, i16, i32, i64);
float!(f32, f64);

/// Appends the fewest digits that read back as `x`; `inf` or `-inf`.
pub(super) fn push_double(x: f64, out: &mut String) {
    if x.is_finite() {
        out.push_str(zmij::Buffer::new().format_finite(x));
    } else {
        out.push_str(if x > 0.0 { "inf" } else { "-inf" });
    }
}
