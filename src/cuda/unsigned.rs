//! Unsigned integer types, for which any bits are a valid value.

use super::Plain;

/// An unsigned integer type, whose memory may be filled with any bits. The trait is sealed: only this module
/// implements it.
pub trait Unsigned: Plain + sealed::Sealed {}

impl Unsigned for u8 {}
impl Unsigned for u16 {}
impl Unsigned for u32 {}
impl Unsigned for u64 {}

/// Seals the traits that select compiled kernels, or whose memory is filled byte by byte.
pub(crate) mod sealed {
    pub trait Sealed {}

    macro_rules! seal {
        ($($t:ty)*) => {$(impl Sealed for $t {})*};
    }

    seal!(u8 u16 u32 u64);
}
