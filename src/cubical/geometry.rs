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
    /// Distance of neighbouring voxels along each of so many axes, and of NIfTI its unit (`m`, `mm` or `um`), as far as
    /// the file states them. Lines of text that are no numbers are not used, nor is the resolution of TIFF: it is
    /// mostly that of a screen or of a printer.
    pub fn spacing(&self, axes: usize) -> Option<(Vec<f64>, Option<&'static str>)> {
        let nifti = match self {
            Geometry::Nifti(nifti) => nifti,
            Geometry::Tiff(_) => return None,
            Geometry::Nrrd(lines) | Geometry::MetaImage(lines) => {
                let value = |wanted: &str| {
                    let mut fields = lines.iter().filter_map(|line| line.split_once([':', '=']));
                    fields.find(|(name, _)| name.trim().eq_ignore_ascii_case(wanted)).map(|(_, value)| value)
                };
                // The length of each vector of NRRD; an axis that is none of space has no vector.
                let vectors = |text: &str| {
                    let text = text.replace("none", "(1)");
                    lengths(text.split(')').map(|vector| vector.trim().trim_start_matches('(')), ',')
                };
                let numbers = |text: &str| lengths(text.split_whitespace(), ' ');
                let sizes = value("space directions").map(vectors);
                let named = || ["spacings", "ElementSpacing", "ElementSize"].into_iter().find_map(value);
                let sizes = sizes.or_else(|| named().map(numbers))??;
                return Some((sizes.into_iter().chain(std::iter::repeat(1.0)).take(axes).collect(), None));
            }
        };
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

/// The Euclidean lengths of vectors, whose components `separator` divides; 1 for NaN, which in NRRD is an unknown one.
fn lengths<'a>(vectors: impl Iterator<Item = &'a str>, separator: char) -> Option<Vec<f64>> {
    let length = |vector: &str| {
        let squares = vector.split(separator).map(|x| x.trim().parse::<f64>().map(|x| x * x));
        let length = squares.sum::<Result<f64, _>>().ok()?.sqrt();
        Some(if length.is_nan() { 1.0 } else { length })
    };
    vectors.filter(|vector| !vector.is_empty()).map(length).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_text_state_the_spacing() {
        let nrrd = |line: &str| Geometry::Nrrd(vec!["space units: \"mm\"".to_owned(), line.to_owned()]);
        let meta = |line: &str| Geometry::MetaImage(vec!["Offset = 7 7 7".to_owned(), line.to_owned()]);
        for (geometry, expected) in [
            (nrrd("space directions: (0.5,0,0) (0, 3, 4) (0,0,-2)"), Some([0.5, 5.0, 2.0])),
            (nrrd("space directions: none (0,2) (3,0)"), Some([1.0, 2.0, 3.0])),
            (nrrd("spacings: 0.5 nan 2"), Some([0.5, 1.0, 2.0])),
            (meta("ElementSpacing = 0.5 0.25 2"), Some([0.5, 0.25, 2.0])),
            (meta("ElementSize = 4 3"), Some([4.0, 3.0, 1.0])),
            (meta("ElementSpacing = wide"), None),
            (nrrd("space origin: (1,2,3)"), None),
        ] {
            let found = geometry.spacing(3).map(|(sizes, _)| sizes);
            assert_eq!(found, expected.map(Vec::from), "{geometry:?}");
        }
    }
}
