//! Headers of NIfTI-1 and NIfTI-2, laid out as in the standard's `nifti1.h` and `nifti2.h`.

use super::geometry::NiftiGeometry;
use super::value::Value;
use super::voxel::VoxelType::{self, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};
use crate::with_voxels;

/// A field of a header: its offset and the type of its numbers, in NIfTI-1 and in NIfTI-2.
#[derive(Clone, Copy)]
pub(super) struct Field([(usize, VoxelType); 2]);

/// Size of the header, without the bytes that tell whether extensions follow.
const SIZEOF_HDR: Field = Field([(0, I32), (0, I32)]);
/// Number of axes, then seven extents.
pub(super) const DIM: Field = Field([(40, I16), (16, I64)]);
/// Code of the voxel type, see [`CODES`].
pub(super) const DATATYPE: Field = Field([(70, I16), (12, I16)]);
/// Number of bits of a voxel.
pub(super) const BITPIX: Field = Field([(72, I16), (14, I16)]);
/// Offset of the voxels in the file.
pub(super) const VOX_OFFSET: Field = Field([(108, F32), (168, I64)]);
/// Factor by which voxels are scaled.
pub(super) const SCL_SLOPE: Field = Field([(112, F32), (176, F64)]);
/// Number that is added to scaled voxels.
pub(super) const SCL_INTER: Field = Field([(116, F32), (184, F64)]);
/// Size of a voxel along each axis.
pub(super) const PIXDIM: Field = Field([(76, F32), (104, F64)]);

/// The fields that locate voxels in space, and how many numbers each has.
const GEOMETRY: [(Field, usize); 7] = [
    (PIXDIM, 8),
    // `dim_info`, `xyzt_units`, `qform_code`, `sform_code`.
    (Field([(39, U8), (524, U8)]), 1),
    (Field([(123, U8), (500, I32)]), 1),
    (Field([(252, I16), (344, I32)]), 1),
    (Field([(254, I16), (348, I32)]), 1),
    // `quatern_b` to `qoffset_z`, then `srow_x` to `srow_z`.
    (Field([(256, F32), (352, F64)]), 6),
    (Field([(280, F32), (400, F64)]), 12),
];

/// The codes of voxel types.
pub(super) const CODES: [(i16, VoxelType); 10] = [
    (2, U8),
    (4, I16),
    (8, I32),
    (16, F32),
    (64, F64),
    (256, I8),
    (512, U16),
    (768, U32),
    (1024, I64),
    (1280, U64),
];

/// Number of bytes of the header of each version.
pub(super) const SIZES: [usize; 2] = [348, 540];

/// Offset and magic bytes of each version.
pub(super) const MAGIC: [(usize, &[u8]); 2] = [(344, b"n+1\0"), (4, b"n+2\0\r\n\x1a\n")];

/// A header: at least the bytes of its version.
pub(super) struct Header<B> {
    pub(super) bytes: B,
    /// Whether it is of NIfTI-2.
    pub(super) second: bool,
    pub(super) big_endian: bool,
}

impl<B: AsRef<[u8]>> Header<B> {
    /// Offset of a field, and the type of its numbers.
    pub(super) fn place(&self, field: Field) -> (usize, VoxelType) {
        field.0[usize::from(self.second)]
    }

    /// A number of a field.
    pub(super) fn number(&self, field: Field, index: usize) -> Value {
        let (place, numbers) = self.place(field);
        with_voxels!(numbers, T => {
            let mut number = [0; size_of::<T>()];
            let place = place + index * size_of::<T>();
            number.copy_from_slice(&self.bytes.as_ref()[place..place + size_of::<T>()]);
            if self.big_endian {
                number.reverse();
            }
            T::from_le_bytes(number).into()
        })
    }

    /// The fields that locate voxels in space.
    pub(super) fn geometry(&self) -> NiftiGeometry {
        let numbers = |(field, count)| (0..count).map(|k| self.number(field, k).double()).collect();
        NiftiGeometry { second: self.second, fields: GEOMETRY.map(numbers) }
    }
}

impl Header<Vec<u8>> {
    /// A little-endian header that holds its size and its magic bytes, then four bytes that say that there are no
    /// extensions.
    pub(super) fn new(second: bool) -> Self {
        let size = SIZES[usize::from(second)];
        let (place, magic) = MAGIC[usize::from(second)];
        let mut header = Header { bytes: vec![0; size + 4], second, big_endian: false };
        header.put(SIZEOF_HDR, [size as f64]);
        header.bytes[place..place + magic.len()].copy_from_slice(magic);
        header
    }

    /// Writes the numbers of a field. All that are written to integers are far below 2^53.
    pub(super) fn put(&mut self, field: Field, numbers: impl IntoIterator<Item = f64>) {
        self.put_all(field, &mut numbers.into_iter());
    }

    fn put_all(&mut self, field: Field, numbers: &mut dyn Iterator<Item = f64>) {
        let (place, stored) = self.place(field);
        with_voxels!(stored, T => {
            let places = self.bytes[place..].chunks_exact_mut(size_of::<T>());
            for (bytes, number) in places.zip(numbers) {
                bytes.copy_from_slice(&(number as T).to_le_bytes());
            }
        });
    }

    /// Writes the fields that locate voxels in space.
    pub(super) fn put_geometry(&mut self, geometry: &NiftiGeometry) {
        for ((field, _), numbers) in GEOMETRY.into_iter().zip(&geometry.fields) {
            self.put(field, numbers.iter().copied());
        }
    }
}
