//! Position and size of voxels in space, as stated in the image's file.
//!
//! It is copied to a skeleton's file of the same format, so that viewers overlay the two. Only the graph of a skeleton
//! uses the size of voxels, and nothing their position.

/// Position and size of voxels as the file format describes them.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Geometry {
    /// Fields of a NIfTI header.
    Nifti(Box<NiftiGeometry>),
    /// Resolution of a TIFF file.
    Tiff(Resolution),
    /// Lines of an NRRD header, such as `space directions: …`.
    Nrrd(Vec<String>),
    /// Lines of a MetaImage header, such as `ElementSpacing = …`.
    MetaImage(Vec<String>),
}

impl Geometry {
    /// Distance of neighbouring voxels along each of so many axes and its unit (`m`, `mm` or `um`), as far as the file
    /// states them. The resolution of TIFF is not used: it is mostly that of a screen or of a printer.
    pub fn spacing(&self, axes: usize) -> Option<(Vec<f64>, Option<&'static str>)> {
        let Geometry::Nifti(nifti) = self else { return None };
        // `pixdim`, whose first number is not a size, and `xyzt_units`, whose lowest three bits are the unit of space.
        let sizes = nifti.fields[0].iter().skip(1).copied().chain(std::iter::repeat(1.0));
        let unit = match nifti.fields[2][0] as u8 & 7 {
            1 => Some("m"),
            2 => Some("mm"),
            3 => Some("um"),
            _ => None,
        };
        Some((sizes.take(axes).collect(), unit))
    }
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
