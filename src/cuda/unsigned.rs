//! Unsigned integer types, for which any bits are a valid value.

use super::Plain;

mod sealed {
    pub trait Sealed {}
}

/// An unsigned integer type, whose memory may be filled with any bits. The trait is sealed: only this module
/// implements it.
pub trait Unsigned: Plain + sealed::Sealed {}

macro_rules! unsigned {
    ($($t:ty)*) => {$(
        impl sealed::Sealed for $t {}
        impl Unsigned for $t {}
    )*};
}

unsigned!(u8 u16 u32 u64);
