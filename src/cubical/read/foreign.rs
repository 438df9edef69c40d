//! What makes images of files of other programs.

use super::error::{ImagePlace, ImageProblem};
use crate::input::foreign::{Kind, recognize};

/// The error that a file is of another program, if it begins as one, or if its name says so.
pub(super) fn named(name: &str, head: &[u8]) -> Option<ImageProblem> {
    let problem =
        |found: &str, note: String| ImageProblem::new(ImagePlace::Byte(0), "an image file", found).note(note);
    if let Some((found, kind)) = recognize(head, None)
        && let Some(note) = advice(kind)
    {
        return Some(problem(found, note));
    }
    if name.to_ascii_lowercase().ends_with(".img") {
        let note = "give the .hdr file to a converter, as nibabel.load(…) and nibabel.save(…, 'x.nii'), or read it with --format raw";
        return Some(problem("voxels whose header is in a .hdr file", note.into()));
    }
    None
}

/// What to do with a file that is not read; none for those that are.
fn advice(kind: Kind) -> Option<String> {
    Some(match kind {
        Kind::Image | Kind::Numpy => return None,
        Kind::LossyImage => "convert it to a gray PNG; what JPEG adds to an image are bars as well".into(),
        Kind::OtherImage => "convert it to a gray PNG or TIFF".into(),
        Kind::ColorImage => "convert it to gray first, as with `ppmtopgm`".into(),
        Kind::MetaImage => {
            "its voxels can be read with --format raw: --shape DimSize, --dtype ElementType, --order f".into()
        }
        Kind::Dicom => "convert the series with dcm2niix to NIfTI".into(),
        Kind::Loadable(call) => format!("numpy.save(\"x.npy\", {call}) makes an array of it"),
        Kind::Matlab | Kind::Matlab73 => {
            "numpy.save(\"x.npy\", scipy.io.loadmat(FILE)[NAME]) makes an array of it".into()
        }
        Kind::Pandas(function) => {
            format!("numpy.save(\"x.npy\", pandas.{function}(FILE).to_numpy()) makes an array of it")
        }
        Kind::Sheet | Kind::R | Kind::Document => "lacuna rips reads tables of distances or points".into(),
        Kind::Compressed(_) => "unpack it first".into(),
        Kind::Phat => "lacuna reduce reads it".into(),
    })
}
