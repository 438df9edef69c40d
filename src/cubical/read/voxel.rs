//! The types that voxels have in files, by name and as bytes.

use serde::Serialize;
use zerocopy::{FromBytes, Immutable, IntoBytes};

use crate::cubical::image::Voxel;
use crate::names::named;

/// A type of voxels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum VoxelType {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    F32,
    F64,
}

impl VoxelType {
    /// Every type.
    pub const ALL: [VoxelType; 10] = [
        VoxelType::U8,
        VoxelType::I8,
        VoxelType::U16,
        VoxelType::I16,
        VoxelType::U32,
        VoxelType::I32,
        VoxelType::U64,
        VoxelType::I64,
        VoxelType::F32,
        VoxelType::F64,
    ];

    /// Bytes of a voxel.
    pub fn bytes(self) -> usize {
        match self {
            VoxelType::U8 | VoxelType::I8 => 1,
            VoxelType::U16 | VoxelType::I16 => 2,
            VoxelType::U32 | VoxelType::I32 | VoxelType::F32 => 4,
            VoxelType::U64 | VoxelType::I64 | VoxelType::F64 => 8,
        }
    }
}

named!(VoxelType, "type of voxels");

/// A type of voxels that any bytes are.
pub(super) trait Plain: Voxel + FromBytes + IntoBytes + Immutable {
    /// 0, which new memory is.
    const ZERO: Self;
    /// The number whose bytes are these in the other order.
    fn swapped(self) -> Self;
    /// The number of this type that is nearest to a double.
    fn nearest(value: f64) -> Self;
}

macro_rules! plain {
    ($($t:ident),*) => {$(
        impl Plain for $t {
            const ZERO: $t = 0 as $t;

            #[inline(always)]
            fn swapped(self) -> $t {
                let mut bytes = self.to_ne_bytes();
                bytes.reverse();
                <$t>::from_ne_bytes(bytes)
            }

            fn nearest(value: f64) -> $t {
                value as $t
            }
        }
    )*};
}

plain!(u8, i8, u16, i16, u32, i32, u64, i64, f32, f64);

/// Runs an expression with a name bound to the type that a [`VoxelType`] names.
macro_rules! with_type {
    ($voxels:expr, $T:ident => $body:expr) => {
        match $voxels {
            VoxelType::U8 => {
                type $T = u8;
                $body
            }
            VoxelType::I8 => {
                type $T = i8;
                $body
            }
            VoxelType::U16 => {
                type $T = u16;
                $body
            }
            VoxelType::I16 => {
                type $T = i16;
                $body
            }
            VoxelType::U32 => {
                type $T = u32;
                $body
            }
            VoxelType::I32 => {
                type $T = i32;
                $body
            }
            VoxelType::U64 => {
                type $T = u64;
                $body
            }
            VoxelType::I64 => {
                type $T = i64;
                $body
            }
            VoxelType::F32 => {
                type $T = f32;
                $body
            }
            VoxelType::F64 => {
                type $T = f64;
                $body
            }
        }
    };
}
pub(super) use with_type;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_sizes_are_those_of_the_types() {
        for voxels in VoxelType::ALL {
            assert_eq!(voxels.to_string().parse(), Ok(voxels));
            let (name, bytes) = with_type!(voxels, T => (T::NAME, size_of::<T>()));
            assert_eq!((&*voxels.to_string(), voxels.bytes()), (name, bytes));
        }
        assert!("float".parse::<VoxelType>().unwrap_err().to_string().contains("u8, i8, u16"));
    }

    #[test]
    fn bytes_in_the_other_order() {
        assert_eq!((0x12_u8.swapped(), 0x1234_u16.swapped(), (-2_i32).swapped()), (0x12, 0x3412, !(1 << 24)));
        assert_eq!(f64::from_be_bytes(1.5_f64.to_le_bytes()).swapped(), 1.5);
    }
}
