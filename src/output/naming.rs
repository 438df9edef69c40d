//! The formats of outputs by their names and by the names of files.

use std::fmt::Display;
use std::path::Path;

use strum::VariantArray;

use crate::compare::write::BarcodeFile;
use crate::cubical::write::ImageFile;
use crate::matrix::read::MatrixFormat;
use crate::metric::write::DistanceFile;
use crate::output::curves::CurveFormat;
use crate::output::geometry::GeometryFormat;
use crate::output::images::ImageBarsFormat;
use crate::output::pairs::PairsFormat;
use crate::output::skeletons::SkeletonFormat;
use crate::output::vectors::VectorFormat;

/// A set of output formats.
pub trait FileFormat: VariantArray + Display + Copy + PartialEq {
    /// File name extensions in lower case, separated by blanks. An extension that is not the name of its format is
    /// followed by an equals sign and the names of the formats that it may stand for, separated by commas; the first is
    /// the default.
    const EXTENSIONS: &'static str;

    /// The extensions, each with the names of the formats that it may stand for.
    fn extensions() -> impl Iterator<Item = (&'static str, &'static str)> {
        Self::EXTENSIONS.split(' ').map(|entry| entry.split_once('=').unwrap_or((entry, entry)))
    }

    /// The format of this name, in any case.
    fn of_name(name: &str) -> Option<Self> {
        Self::VARIANTS.iter().copied().find(|format| format.to_string().eq_ignore_ascii_case(name))
    }

    /// The formats that the name of the file at `path` may stand for, the likeliest first; `None` if it implies none.
    fn of_file(path: &Path) -> Option<Vec<Self>> {
        let name = path.file_name()?.to_string_lossy().to_lowercase();
        let ends_in = |extension: &str| name.strip_suffix(extension).is_some_and(|stem| stem.ends_with('.'));
        let (_, formats) = Self::extensions().find(|(extension, _)| ends_in(extension))?;
        Some(formats.split(',').filter_map(Self::of_name).collect())
    }
}

/// Says of sets of formats which extensions there are.
macro_rules! extensions {
    ($($(#[$condition:meta])? $formats:ty: $extensions:literal,)*) => {
        $($(#[$condition])? impl FileFormat for $formats {
            const EXTENSIONS: &'static str = $extensions;
        })*

        #[cfg(test)]
        fn check_all() {
            $($(#[$condition])? tests::check::<$formats>();)*
        }
    };
}

extensions! {
    #[cfg(feature = "plots")] crate::plot::PlotFormat: "svg png pdf",
    crate::output::OutputFormat: "txt=text csv json npy npz",
    GeometryFormat: "vtk ply obj",
    ImageBarsFormat: "txt=text,cripser csv=csv,cripser json npy npz diagram=dipha dipha",
    CurveFormat: "csv json npy",
    VectorFormat: "csv npy",
    SkeletonFormat: "json swc graphml",
    PairsFormat: "txt=phat-ascii dat=phat-ascii bin=phat-binary csv json npz diagram=dipha dipha",
    MatrixFormat: "txt=phat-ascii dat=phat-ascii bin=phat-binary complex=dipha dipha npz mtx=matrix-market \
                 mm=matrix-market",
    ImageFile: "png tif=tiff tiff npy nii=nifti nii.gz=nifti-gz dipha complex=dipha perseus raw nrrd mha=metaimage",
    DistanceFile: "lower=lower-distance upper=condensed condensed pdist=condensed dist=distance pts=point-cloud \
                   xyz=point-cloud sparse edges=sparse coo=sparse bin=binary dipha complex=dipha npy \
                   mtx=matrix-market mm=matrix-market",
    BarcodeFile: "txt=text,phat-ascii csv json npy npz diagram=dipha dipha dat=phat-ascii bin=phat-binary",
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn check<F: FileFormat>() {
        for (extension, formats) in F::extensions() {
            assert!(!extension.is_empty());
            for name in formats.split(',') {
                assert_eq!(F::of_name(name).unwrap().to_string(), name);
            }
        }
    }

    #[test]
    fn extensions_stand_for_formats_that_there_are() {
        check_all();
    }
}
