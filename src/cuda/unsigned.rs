//! Unsigned integers, the types of which every pattern of bits is a value.

use super::Plain;

/// Unsigned integers whose memory may be filled with any bits. The trait is sealed: only the types of this module implement it.
pub trait Unsigned: Plain + sealed::Sealed {}

impl Unsigned for u8 {}
impl Unsigned for u16 {}
impl Unsigned for u32 {}
impl Unsigned for u64 {}

/// Confines the traits that name compiled kernels, or whose memory is filled byte by byte, to the types that are listed here.
pub(crate) mod sealed {
    pub trait Sealed {}

    macro_rules! seal {
        ($($t:ty)*) => {$(impl Sealed for $t {})*};
    }

    seal!(u8 u16 u32 u64 i8 i16 i32 i64 f32 f64);
}
