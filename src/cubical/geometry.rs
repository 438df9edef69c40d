//! Position and size of voxels in space, as stated in the image's file.
//!
//! Nothing is computed with it. It is copied to a skeleton's file of the same format, so that viewers overlay the two.

/// Position and size of voxels as the file format describes them.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Geometry {
    /// Fields of a NIfTI header.
    Nifti(Box<NiftiGeometry>),
    /// Resolution of a TIFF file.
    Tiff(Resolution),
}

/// The fields of a NIfTI header that locate the voxels, named as in the standard's `nifti1.h` and `nifti2.h`.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "the names are the standard's")]
pub struct NiftiGeometry {
    /// Whether the header is NIfTI-2, whose fields are doubles.
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

/// Pixels per unit of length along a row and along a column, each as a numerator and a denominator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resolution {
    /// Resolution along a row.
    pub x: [u32; 2],
    /// Resolution along a column.
    pub y: [u32; 2],
    /// TIFF's code of the unit: 1 for none, 2 for inches, 3 for centimetres.
    pub unit: u16,
}
