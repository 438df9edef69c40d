//! Files of other programs, and how to convert them to images.

use super::error::ImageProblem;
use crate::input::foreign::{Kind, recognize};

/// The error that a file is one of another program, if its first bytes or its name say so.
pub(super) fn named(name: &str, head: &[u8]) -> Option<ImageProblem> {
    let problem = |found: &str, note: String| ImageProblem::at(0, "an image file", found).note(note);
    if let Some((found, kind)) = recognize(head, None)
        && let Some(note) = advice(kind)
    {
        return Some(problem(found, note));
    }
    if name.to_ascii_lowercase().ends_with(".img") {
        let note = python("numpy.save(\"x.npy\", numpy.asarray(nibabel.load(FILE).dataobj))", "an array");
        return Some(problem("voxels whose header is in a .hdr file", note));
    }
    None
}

/// Python statements that convert a .vol file to an array. From version 3 on, its voxels are compressed with zlib.
const VOL: &str = "head, voxels = open(FILE, \"rb\").read().split(b\"\\n.\\n\", 1); \
     size = [int(re.search(rb\"(?m)^%c: (\\d+)\" % axis, head)[1]) for axis in b\"XYZ\"]; \
     voxels = zlib.decompress(voxels) if b\"Version: 3\" in head else voxels; \
     numpy.save(\"x.npy\", numpy.frombuffer(voxels, \"u1\").reshape(size, order=\"F\"))";

/// Advice to run Python statements that convert the file.
fn python(statements: &str, made: &str) -> String {
    format!("in Python, {statements} makes {made} of it")
}

/// Advice for a file that has no reader; `None` if it has one.
fn advice(kind: Kind) -> Option<String> {
    Some(match kind {
        Kind::Image | Kind::Numpy => return None,
        Kind::LossyImage => "convert it to a gray PNG; what JPEG adds to an image are bars as well".into(),
        Kind::OtherImage => "convert it to a gray PNG or TIFF".into(),
        Kind::ColorImage => "convert it to gray first, as with `ppmtopgm`".into(),
        Kind::Vtk => {
            let save =
                "m = pyvista.read(FILE); numpy.save(\"x.npy\", m[NAME].reshape(m.dimensions, order=\"F\"))";
            python(save, "an array of its point data NAME")
        }
        Kind::MetaImage => {
            python("SimpleITK.WriteImage(SimpleITK.ReadImage(FILE), \"x.nii\")", "a NIfTI image")
        }
        Kind::Vol => python(VOL, "an array"),
        Kind::Dicom => "convert the series with dcm2niix to NIfTI".into(),
        Kind::Loadable(call) => python(&format!("numpy.save(\"x.npy\", {call})"), "an array"),
        Kind::Matlab => python("numpy.save(\"x.npy\", scipy.io.loadmat(FILE)[NAME])", "an array"),
        Kind::Matlab73 => python("numpy.save(\"x.npy\", h5py.File(FILE)[NAME][:].T)", "an array"),
        Kind::Pandas(function) => {
            python(&format!("numpy.save(\"x.npy\", pandas.{function}(FILE).to_numpy())"), "an array")
        }
        Kind::Sheet | Kind::R | Kind::Document => "lacuna rips reads tables of distances or points".into(),
        Kind::Compressed(_) => "unpack it first".into(),
        Kind::Phat => "lacuna reduce reads it".into(),
    })
}
