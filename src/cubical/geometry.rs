//! Where the voxels of an image lie in space, as its file says it.
//!
//! Nothing is computed with it. It goes from a file to the file of a skeleton of the same format, so that both lie on each other in a viewer.

/// What a file says of the place and size of its voxels.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Geometry {
    /// The place of voxels as NIfTI says it.
    Nifti(Box<NiftiGeometry>),
    /// The size of pixels as TIFF says it.
    Tiff(Resolution),
}

/// The fields of a NIfTI header that say where voxels lie, named as in the standard's `nifti1.h` and `nifti2.h`.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "the names are the standard's")]
pub struct NiftiGeometry {
    /// Whether the header is one of NIfTI-2, which holds doubles.
    pub second: bool,
    pub dim_info: u8,
    pub pixdim: [f64; 8],
    pub xyzt_units: i32,
    pub qform_code: i32,
    pub sform_code: i32,
    /// `quatern_b`, `quatern_c`, `quatern_d`, `qoffset_x`, `qoffset_y`, `qoffset_z`.
    pub quaternion: [f64; 6],
    /// `srow_x`, `srow_y`, `srow_z`.
    pub srows: [f64; 12],
}

/// Pixels a unit of length along a row and along a column, each as a numerator and a denominator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resolution {
    /// Along a row.
    pub x: [u32; 2],
    /// Along a column.
    pub y: [u32; 2],
    /// TIFF's number of the unit: 1 for none, 2 for inches, 3 for centimetres.
    pub unit: u16,
}
