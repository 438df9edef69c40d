//! Files that are no image here, told by what they begin with, and what to do with them.

use super::error::{Place, Problem};

/// The formats of other programs: the bytes they begin with, the place of these, the format, and what to do.
const KNOWN: [(&[u8], usize, &str, &str); 26] = [
    (b"\xff\xd8\xff", 0, "a JPEG image", LOSSY),
    (b"\0\0\0\x0cjP  ", 0, "a JPEG 2000 image", AS_PNG),
    (b"\xff\x4f\xff\x51", 0, "a JPEG 2000 image", AS_PNG),
    (b"GIF8", 0, "a GIF image", AS_PNG),
    (b"RIFF", 0, "a RIFF file, such as a WebP image", AS_PNG),
    (b"8BPS", 0, "a Photoshop image", AS_PNG),
    (b"P3", 0, "a color image of Netpbm", AS_GRAY),
    (b"P6", 0, "a color image of Netpbm", AS_GRAY),
    (b"P7", 0, "a PAM image of Netpbm", AS_GRAY),
    (b"Pf", 0, "a PFM image", AS_NPY),
    (b"PF", 0, "a PFM image", AS_NPY),
    (
        b"\x89HDF\r\n\x1a\n",
        0,
        "an HDF5 file",
        "save one of its arrays with numpy.save, as of h5py: f['name'][:]",
    ),
    (b"CDF", 0, "a NetCDF file", "save one of its variables with numpy.save"),
    (b"DICM", 128, "a DICOM file", "convert the series with dcm2niix to NIfTI"),
    (b"MAP ", 208, "an MRC map", "read it with the Python package mrcfile and save its data with numpy.save"),
    (b"NRRD", 0, "an NRRD file", "read it with the Python package pynrrd and save the array with numpy.save"),
    (b"ObjectType", 0, META, META_NOTE),
    (b"NDims", 0, META, META_NOTE),
    (b"# vtk DataFile", 0, "a VTK file", AS_NPY),
    (b"<VTKFile", 0, "a VTK file", AS_NPY),
    (b"MATLAB 5.0", 0, "a MATLAB file", "read it with scipy.io.loadmat and save the array with numpy.save"),
    (b"\x80\x02", 0, PICKLE, PICKLE_NOTE),
    (b"\x80\x03", 0, PICKLE, PICKLE_NOTE),
    (b"\x80\x04", 0, PICKLE, PICKLE_NOTE),
    (b"\x80\x05", 0, PICKLE, PICKLE_NOTE),
    (b"SIMPLE  =", 0, "a FITS file", "read it with astropy and save its data with numpy.save"),
];

const LOSSY: &str = "convert it to a gray PNG; what JPEG adds to an image are bars as well";
const AS_PNG: &str = "convert it to a gray PNG or TIFF";
const AS_GRAY: &str = "convert it to gray first, as with `ppmtopgm`";
const AS_NPY: &str = "read it in Python and save the array with numpy.save";
const META: &str = "a MetaImage header";
const META_NOTE: &str =
    "its voxels can be read with --format raw: --shape DimSize, --dtype ElementType, --order f";
const PICKLE: &str = "a Python pickle";
const PICKLE_NOTE: &str = "load it in Python and save the array with numpy.save";

/// The error that a file begins as one of another format does, if it does.
pub(super) fn named(name: &str, head: &[u8]) -> Option<Problem> {
    let begins = |(magic, place, ..): &&(&[u8], usize, &str, &str)| {
        head.get(*place..).is_some_and(|rest| rest.starts_with(magic))
    };
    let problem = |found: &str, note: &str| Problem::new(Place::Byte(0), "an image file", found).note(note);
    if is_bitmap(head) {
        return Some(problem("a BMP image", AS_PNG));
    }
    if let Some((_, _, found, note)) = KNOWN.iter().find(begins) {
        return Some(problem(found, note));
    }
    let name = name.to_ascii_lowercase();
    if name.ends_with(".img") {
        let note = "give the .hdr file to a converter, as nibabel.load(…) and nibabel.save(…, 'x.nii'), or read it with --format raw";
        return Some(problem("voxels whose header is in a .hdr file", note));
    }
    let others = [".bz2", ".xz", ".zst"];
    let note = "unpack it first";
    others.iter().find(|ending| name.ends_with(**ending)).map(|_| problem("a compressed file", note))
}

/// Whether a file begins as a Windows bitmap does: `BM`, and 14 bytes on the length of a header.
fn is_bitmap(head: &[u8]) -> bool {
    head.starts_with(b"BM")
        && head.get(14..18).is_some_and(|size| matches!(size, [12 | 40 | 52 | 56 | 64 | 108 | 124, 0, 0, 0]))
}
