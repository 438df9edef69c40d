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

/// The fields of a NIfTI header that locate the voxels.
#[derive(Debug, Clone, PartialEq)]
pub struct NiftiGeometry {
    /// Whether the header is NIfTI-2, whose fields are doubles.
    pub(super) second: bool,
    /// The numbers of each field, in the order of the table in `nifti`.
    pub(super) fields: [Vec<f64>; 7],
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
