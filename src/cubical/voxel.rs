//! The types of voxels.

use std::fmt;

use serde::Serialize;
use strum::VariantArray;
use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::image::Image;
use super::key::{Coding, Key};
use super::order::VoxelOrder;
use super::value::Value;
use crate::names::named;

/// A numeric type of voxels.
pub trait Voxel:
    Copy
    + Default
    + PartialOrd
    + Into<Value>
    + FromBytes
    + IntoBytes
    + Immutable
    + npyz::AutoSerialize
    + Send
    + Sync
    + fmt::Debug
    + fmt::Display
    + 'static
{
    /// Unsigned integer type whose order represents the order of the voxels.
    type Key: Key;
    /// The type as a value.
    const TYPE: VoxelType;
    /// NumPy's name of the type.
    const NAME: &'static str;
    /// Whether the value is a number, not NaN.
    #[inline(always)]
    #[expect(clippy::eq_op, reason = "NaN is the only value that differs from itself")]
    fn is_number(self) -> bool {
        self == self
    }
    /// The key of the voxel: keys compare as the values do. −0.0 and 0.0 have the same key.
    #[inline(always)]
    fn key(self) -> Self::Key {
        self.ordered(false)
    }
    /// The voxel that has this key.
    fn of_key(key: Self::Key) -> Self;
    /// The key in filtration order, which is reversed for superlevel sets.
    fn ordered(self, superlevel: bool) -> Self::Key;
    /// The raw bits of voxels.
    fn bits(voxels: &[Self]) -> &[Self::Key];
    /// The value as a double; integers beyond ±2^53 are rounded.
    fn value(self) -> f64;
    /// The voxel whose value is nearest to a double.
    fn nearest(value: f64) -> Self;
    /// Wraps an image of this voxel type.
    fn any(image: Image<Self>) -> AnyImage;
}

/// Defines all that exists once per type of voxels. `$coding` is the type's [`Coding`], `$key` its [`Voxel::Key`].
macro_rules! voxels {
    ($($variant:ident $t:ident $key:ident $coding:ident),*) => {
        /// A type of voxels.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, VariantArray)]
        #[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
        #[serde(rename_all = "kebab-case")]
        #[expect(missing_docs, reason = "the names say it")]
        pub enum VoxelType {
            $($variant),*
        }

        impl VoxelType {
            /// NumPy's name of the type.
            pub fn name(self) -> &'static str {
                match self {
                    $(VoxelType::$variant => stringify!($t)),*
                }
            }

            /// The type of this coding and number of bytes.
            pub(crate) fn of(coding: Coding, bytes: usize) -> Option<VoxelType> {
                let is_it = |voxels: &VoxelType| voxels.bytes() == bytes && voxels.coding() == coding;
                VoxelType::ALL.into_iter().find(is_it)
            }

            /// Conversion from the bits of a voxel to its key.
            #[inline(always)]
            pub(crate) fn coding(self) -> Coding {
                match self {
                    $(VoxelType::$variant => Coding::$coding),*
                }
            }

            /// Number of bits of a voxel.
            #[inline(always)]
            pub(crate) fn bits(self) -> u32 {
                8 * self.bytes() as u32
            }

            /// Number of bytes of a voxel.
            #[inline(always)]
            pub fn bytes(self) -> usize {
                match self {
                    $(VoxelType::$variant => size_of::<$t>()),*
                }
            }
        }

        /// An image with any of the supported voxel types.
        #[derive(Debug, Clone, PartialEq)]
        #[expect(missing_docs, reason = "the names say it")]
        pub enum AnyImage {
            $($variant(Image<$t>)),*
        }

        impl AnyImage {
            /// The type of the voxels.
            pub fn voxel_type(&self) -> VoxelType {
                match self {
                    $(AnyImage::$variant(_) => VoxelType::$variant),*
                }
            }
        }

        $(impl Voxel for $t {
            type Key = $key;
            const TYPE: VoxelType = VoxelType::$variant;
            const NAME: &'static str = stringify!($t);

            #[inline(always)]
            fn ordered(self, superlevel: bool) -> $key {
                VoxelOrder::new(Self::TYPE, superlevel).key(<$key>::from_ne_bytes(self.to_ne_bytes()))
            }

            #[inline(always)]
            fn of_key(key: $key) -> $t {
                let bits = VoxelOrder::new(Self::TYPE, false).bits_of(key.into());
                <$t>::from_ne_bytes((bits as $key).to_ne_bytes())
            }

            fn bits(voxels: &[$t]) -> &[$key] {
                <[$key]>::ref_from_bytes(voxels.as_bytes()).expect("voxels and keys have one size and alignment")
            }

            #[inline(always)]
            fn value(self) -> f64 {
                self as f64
            }

            #[inline(always)]
            fn nearest(value: f64) -> $t {
                value as $t
            }

            fn any(image: Image<$t>) -> AnyImage {
                AnyImage::$variant(image)
            }
        })*
    };
}

voxels!(
    U8 u8 u8 Unsigned, I8 i8 u8 Signed, U16 u16 u16 Unsigned, I16 i16 u16 Signed, U32 u32 u32 Unsigned,
    I32 i32 u32 Signed, U64 u64 u64 Unsigned, I64 i64 u64 Signed, F32 f32 u32 Float, F64 f64 u64 Float
);

named!(VoxelType, "type of voxels");

/// Evaluates an expression with the typed image of an [`AnyImage`] bound to a name.
#[macro_export]
macro_rules! with_image {
    ($any:expr, $image:ident => $body:expr) => {
        $crate::with_image!(@ $any, $image => $body; U8 I8 U16 I16 U32 I32 U64 I64 F32 F64)
    };
    (@ $any:expr, $image:ident => $body:expr; $($variant:ident)*) => {
        match $any {
            $($crate::cubical::AnyImage::$variant($image) => $body),*
        }
    };
}

/// Evaluates an expression with a name bound to the Rust type of a [`VoxelType`].
#[macro_export]
macro_rules! with_voxels {
    ($voxels:expr, $t:ident => $body:expr) => {
        $crate::with_voxels!(
            @ $voxels, $t => $body; U8 u8 I8 i8 U16 u16 I16 i16 U32 u32 I32 i32 U64 u64 I64 i64 F32 f32 F64 f64
        )
    };
    (@ $voxels:expr, $t:ident => $body:expr; $($variant:ident $rust:ident)*) => {
        match $voxels {
            $($crate::cubical::VoxelType::$variant => {
                type $t = $rust;
                $body
            })*
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_sizes_are_those_of_the_types() {
        for voxels in VoxelType::ALL {
            assert_eq!(voxels.to_string().parse(), Ok(voxels));
            assert_eq!(voxels.to_string().to_ascii_uppercase().parse(), Ok(voxels));
            let (name, bytes) = with_voxels!(voxels, T => (T::NAME, size_of::<T>()));
            assert_eq!((&*voxels.to_string(), voxels.bytes()), (name, bytes));
        }
        assert!(!f64::NAN.is_number() && 1_u8.is_number());
        assert!("float".parse::<VoxelType>().unwrap_err().to_string().contains("u8, i8, u16"));
    }
}
