//! The format of a file, from its content and name. The rules are the table in the parent module's docs.

use std::path::Path;

use super::error::ImageProblem;
use super::format::ImageFormat;
use super::options::ImageOptions;
use super::{metaimage, nifti, npy, npz, nrrd, perseus, pgm, vgi, vol};
use crate::input::foreign::{self, Reader};
use crate::input::text::quote;
use crate::names;

/// Magic bytes of PNG.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Magic bytes of TIFF and BigTIFF in both byte orders.
const TIFF: [&[u8]; 4] = [b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"];

/// The format that is given, if any.
///
/// # Errors
/// Format and other options contradict each other.
pub(super) fn given(options: &ImageOptions) -> Result<Option<ImageFormat>, ImageProblem> {
    match (options.format, &options.raw) {
        (None | Some(ImageFormat::Raw), Some(_)) => Ok(Some(ImageFormat::Raw)),
        (Some(ImageFormat::Raw), None) => Err(no_shape()),
        (Some(format), Some(_)) => {
            let found = format!("them with format {format}, whose files say so themselves");
            Err(ImageProblem::whole("shape and type of voxels only with format raw", found))
        }
        (format, None) => Ok(format),
    }
}

/// Whether a file is called `*.vol` and has a header of VGStudio beside it.
pub(super) fn has_header(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("vol"))
        && !vgi::headers_of(path).is_empty()
}

/// The error that shape and type of a file without a header are not given.
pub(super) fn no_shape() -> ImageProblem {
    ImageProblem::whole("shape and type of the voxels, which a file without a header does not say", "none")
}

/// Detects the format of the file called `name` that begins with `head`, and returns it with the reason. `path` is that
/// of a regular file.
pub(super) fn detect(
    name: &str,
    head: &[u8],
    path: Option<&Path>,
) -> Result<(ImageFormat, String), ImageProblem> {
    if head.is_empty() {
        return Err(ImageProblem::whole("an image", "an empty file"));
    }
    let known = [
        (head.starts_with(npy::MAGIC), ImageFormat::Npy, "begins with NumPy's magic bytes"),
        (head.starts_with(npz::MAGIC), ImageFormat::Npz, "begins with zip's magic bytes"),
        (head.starts_with(PNG), ImageFormat::Png, "begins with PNG's signature"),
        (
            TIFF.iter().any(|magic| head.starts_with(magic)),
            ImageFormat::Tiff,
            "begins with TIFF's magic bytes",
        ),
        (pgm::has_magic(head), ImageFormat::Pgm, "begins with Netpbm's magic number"),
        (nifti::has_magic(head), ImageFormat::Nifti, "has NIfTI's magic bytes"),
        (phat_formats::dipha::has_magic(head), ImageFormat::Dipha, "begins with DIPHA's magic number"),
        (head.starts_with(nrrd::MAGIC), ImageFormat::Nrrd, "begins with NRRD's magic bytes"),
        (metaimage::has_magic(head), ImageFormat::Metaimage, "begins with a line of a MetaImage"),
        (vgi::has_magic(head), ImageFormat::Vgi, "begins as a header of VGStudio does"),
    ];
    if let Some((_, format, why)) = known.into_iter().find(|(is_it, ..)| *is_it) {
        return Ok((format, why.to_owned()));
    }
    let has_ending = |ending: &str| name.to_ascii_lowercase().ends_with(ending);
    let header =
        path.filter(|path| has_header(path)).and_then(|path| vgi::headers_of(path).into_iter().next());
    match (header, vol::has_magic(head)) {
        (Some(header), true) => {
            let found = format!("one that begins as a volume of DGtal, and the header {}", header.display());
            let problem =
                ImageProblem::at(0, "a volume of DGtal, or voxels with a header of VGStudio", found);
            return Err(problem.note("--format vol or --format vgi decides"));
        }
        (Some(header), false) => {
            return Ok((ImageFormat::Vgi, format!("its header is {}", header.display())));
        }
        (None, true) => return Ok((ImageFormat::Vol, "begins with lines of a volume of DGtal".to_owned())),
        (None, false) => {}
    }
    foreign::refuse(head, None, Reader::Images)?;
    if has_ending(".vol") {
        let expected =
            "a header of DGtal at its beginning, or one of VGStudio in a file .vgi or .vol.vgi beside it";
        let problem = ImageProblem::whole(expected, "neither");
        return Err(problem.note("voxels without a header are raw and need --shape and --dtype"));
    }
    if has_ending(".img") {
        let note = "in Python, numpy.save(\"x.npy\", numpy.asarray(nibabel.load(FILE).dataobj)) makes an array of it";
        return Err(ImageProblem::at(0, "an image file", "voxels whose header is in a .hdr file").note(note));
    }
    let extension = Path::new(name.strip_suffix(".gz").unwrap_or(name))
        .extension()
        .map(|e| e.to_string_lossy().to_ascii_lowercase());
    let named = match extension.as_deref().unwrap_or_default() {
        "npy" => Some(ImageFormat::Npy),
        "npz" => Some(ImageFormat::Npz),
        "pgm" | "pbm" => Some(ImageFormat::Pgm),
        "png" => Some(ImageFormat::Png),
        "tif" | "tiff" => Some(ImageFormat::Tiff),
        "nii" => Some(ImageFormat::Nifti),
        "dipha" | "complex" => Some(ImageFormat::Dipha),
        "nrrd" | "nhdr" => Some(ImageFormat::Nrrd),
        "mha" | "mhd" => Some(ImageFormat::Metaimage),
        "vgi" => Some(ImageFormat::Vgi),
        _ => None,
    };
    if let (Some(format), Some(extension)) = (named, extension) {
        return Ok((format, format!("the name ends in .{extension}")));
    }
    if perseus::looks_like(head) {
        return Ok((ImageFormat::Perseus, "begins with lines of one whole number each".to_owned()));
    }
    Err(unknown(head))
}

/// The error that a file begins like no known image file.
fn unknown(head: &[u8]) -> ImageProblem {
    // The first bytes may help the user to recognise the file.
    let begins = if head.iter().take(64).all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace()) {
        format!("text that begins with {}", quote(&head[..head.len().min(64)]))
    } else {
        let bytes: Vec<String> = head.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        format!("the bytes {}", bytes.join(" "))
    };
    let problem = ImageProblem::at(0, "the beginning of an image file", begins);
    problem.note(format!(
        "--format can be {}; voxels without a header are raw and need --shape and --dtype",
        names::list(&ImageFormat::ALL)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_tells_and_then_the_name() {
        let mut nifti = [0; 348];
        nifti[344..].copy_from_slice(b"n+1\0");
        for (name, head, format) in [
            ("a.png", &b"\x93NUMPY\x01\x00"[..], ImageFormat::Npy),
            ("a.tif", b"\x89PNG\r\n\x1a\n", ImageFormat::Png),
            ("a", b"II*\0", ImageFormat::Tiff),
            ("a", b"MM\0*", ImageFormat::Tiff),
            ("a", b"II+\0", ImageFormat::Tiff),
            ("a", b"MM\0+", ImageFormat::Tiff),
            ("a", &nifti, ImageFormat::Nifti),
            ("a", b"\x5c\x01\0\0n+2\0\r\n\x1a\n", ImageFormat::Nifti),
            ("a.txt", &phat_formats::dipha::MAGIC.to_le_bytes(), ImageFormat::Dipha),
            ("a", b"P5 3 2 255\n", ImageFormat::Pgm),
            ("a", b"P1#", ImageFormat::Pgm),
            ("a", b"PK\x03\x04", ImageFormat::Npz),
            ("a.NPY", b"x", ImageFormat::Npy),
            ("a.png", b"x", ImageFormat::Png),
            ("a.TIFF", b"x", ImageFormat::Tiff),
            ("a.nii.gz", b"x", ImageFormat::Nifti),
            ("a.complex", b"x", ImageFormat::Dipha),
            ("a", b"NRRD0004\n", ImageFormat::Nrrd),
            ("a.nhdr", b"x", ImageFormat::Nrrd),
            ("a", b"ObjectType = Image\n", ImageFormat::Metaimage),
            ("a", b"NDims=3\n", ImageFormat::Metaimage),
            ("a.MHA.gz", b"x", ImageFormat::Metaimage),
            ("a", b"{volume1}\n[file1]\n", ImageFormat::Vgi),
            ("a.vol", b"X: 2\nY: 3\nZ: 4\nVersion: 2\n.\n", ImageFormat::Vol),
            ("a", b"Center-X: 0\nX: 2\nY: 3\nZ: 4\n.\n", ImageFormat::Vol),
            ("a.txt", b"2\n3\n2\n", ImageFormat::Perseus),
            ("-", b"  3\r\n-3\r\n4 \r\n5\r\n", ImageFormat::Perseus),
        ] {
            assert_eq!(detect(name, head, None).map(|found| found.0), Ok(format), "{name}");
        }
        for head in [&b"hello"[..], b"1,2", b"\0\0", b"1 2\n3 4\n"] {
            let problem = detect("a.dat", head, None).unwrap_err().to_string();
            assert!(problem.contains("the beginning of an image file"), "{problem}");
        }
    }
    #[test]
    fn what_is_not_read_is_named() {
        let mut dicom = [0; 132];
        dicom[128..].copy_from_slice(b"DICM");
        let mut mrc = [0; 212];
        mrc[208..].copy_from_slice(b"MAP ");
        for (name, head, found, note) in [
            ("a.tif", &b"\xff\xd8\xff\xe0"[..], "a JPEG image", "gray PNG"),
            ("a", b"GIF89a", "a GIF image", "gray PNG"),
            ("a", b"BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0", "a BMP image", "gray PNG"),
            ("a", b"\x89HDF\r\n\x1a\n", "an HDF5 file", "numpy.save"),
            ("a", &dicom, "a DICOM file", "dcm2niix"),
            ("a", &mrc, "an MRC map", "mrcfile"),
            ("a", b"# vtk DataFile Version 3.0\n", "a VTK file", "numpy.save"),
            ("a.npy", b"\x80\x04\x95", "a Python pickle", "numpy.save"),
            ("a", b"P6 3 2 255\n", "a color image of Netpbm", "ppmtopgm"),
            ("a.img", b"\0\0\0\0", "voxels whose header is in a .hdr file", "nibabel.load(FILE)"),
            ("a.tif.xz", b"\xfd7zXZ\0", "a file compressed with xz", "unpack it first"),
        ] {
            let problem = detect(name, head, None).unwrap_err().to_string();
            assert!(
                problem.starts_with(&format!("byte 0: expected an image file, found {found}; ")),
                "{problem}"
            );
            assert!(problem.contains(note), "{problem}");
        }
        let text = detect("a", b"x,y\n1,2\n", None).unwrap_err().to_string();
        assert!(
            text.contains("found text that begins with \"x,y\\n1,2\\n\"; --format can be npy, "),
            "{text}"
        );
        let bytes = detect("a", b"\x01\x02\xfe", None).unwrap_err().to_string();
        assert!(bytes.contains("found the bytes 01 02 fe; "), "{bytes}");
    }
}
