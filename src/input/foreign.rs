//! Recognises files of other programs by their first bytes, and says what a user can do with them.

use super::{Place, Problem};

/// The readers that refuse files of other programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reader {
    Distances,
    Images,
    Matrices,
}

impl Reader {
    fn expected(self) -> &'static str {
        match self {
            Reader::Distances => "distances or points",
            Reader::Images => "an image file",
            Reader::Matrices => "a boundary matrix",
        }
    }

    fn reads(self, file: Foreign) -> bool {
        match self {
            Reader::Distances => file == Foreign::Numpy,
            Reader::Images => matches!(file, Foreign::Image | Foreign::Numpy),
            Reader::Matrices => file == Foreign::Phat,
        }
    }
}

/// Kinds of files of other programs, as far as the advice for them differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Foreign {
    /// An image of a format that `lacuna cubical` reads.
    Image,
    /// A NumPy array.
    Numpy,
    /// A binary boundary matrix of PHAT.
    Phat,
    /// A file that this expression of Python loads as an array.
    Loadable(&'static str),
    /// A file of MATLAB, which this expression of Python loads as an array.
    Matlab(&'static str),
    /// A compressed file, which this command unpacks.
    Packed(&'static str),
    /// A file with this advice.
    Advised(&'static str),
}

use Foreign::Loadable;

const LOSSY: Foreign = Foreign::Advised(
    "convert it to a gray PNG, for lacuna cubical; what JPEG adds to an image are bars as well",
);
const OTHER_IMAGE: Foreign = Foreign::Advised("convert it to a gray PNG or TIFF, which lacuna cubical reads");
const COLOR: Foreign = Foreign::Advised("convert it to gray first, as with `ppmtopgm`, for lacuna cubical");
const DICOM: Foreign = Foreign::Advised("convert the series with dcm2niix to NIfTI, for lacuna cubical");
const VTK: Foreign = Foreign::Advised(
    "in Python, m = pyvista.read(FILE); numpy.save(\"x.npy\", m[NAME].reshape(m.dimensions, order=\"F\")) makes \
     an array of its point data NAME, and numpy.save(\"x.npy\", m.points) one of its points",
);
const SHEET: Foreign = Foreign::Advised("export its table as CSV, which lacuna rips reads");
const OF_R: Foreign = Foreign::Advised(
    "write.table(as.matrix(D), \"x.txt\") in R makes a table of it, which lacuna rips reads",
);

impl Foreign {
    /// What a user can do with the file.
    fn advice(self, reader: Reader) -> String {
        match (self, reader) {
            (Foreign::Image, _) => "lacuna cubical reads images".to_owned(),
            (Foreign::Numpy, _) => {
                "a boundary matrix is saved with scipy.sparse.save_npz; lacuna rips reads distances and points, \
                 lacuna cubical images"
                    .to_owned()
            }
            (Foreign::Phat, _) => "lacuna reduce reads it".to_owned(),
            (Loadable(call) | Foreign::Matlab(call), Reader::Matrices) => {
                format!("read it in Python with {call}, and save the matrix with scipy.sparse.save_npz")
            }
            (Foreign::Matlab(call), Reader::Distances) => format!(
                "writematrix(D, \"x.csv\") in MATLAB makes a table of it, numpy.save(\"x.npy\", {call}) in Python an array"
            ),
            (Loadable(call) | Foreign::Matlab(call), _) => {
                format!("in Python, numpy.save(\"x.npy\", {call}) makes an array of it")
            }
            (Foreign::Packed(program), Reader::Distances) => format!("unpack it: {program} FILE | lacuna rips -"),
            (Foreign::Packed(program), Reader::Matrices) => format!("unpack it: {program} FILE | lacuna reduce -"),
            (Foreign::Packed(_), Reader::Images) => "unpack it first".to_owned(),
            (Foreign::Advised(advice), _) => advice.to_owned(),
        }
    }
}

/// Refuses a file of another program that the reader does not read. Of the file, the beginning is known, and perhaps
/// the length.
pub(crate) fn refuse(head: &[u8], length: Option<u64>, reader: Reader) -> Result<(), Problem> {
    match recognize(head, length).filter(|&(_, file)| !reader.reads(file)) {
        Some((found, file)) => {
            Err(Problem::new(Place::Byte(0), reader.expected(), found).note(file.advice(reader)))
        }
        None => Ok(()),
    }
}

/// Magic bytes: their offset, each of some beginnings, the file type in words, and what can be done with it.
const MAGIC: [(usize, &[&[u8]], &str, Foreign); 34] = [
    (0, &[b"\x93NUMPY"], "a NumPy array", Foreign::Numpy),
    (0, &[b"\x89PNG\r\n\x1a\n"], "a PNG image", Foreign::Image),
    (0, &[b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"], "a TIFF image", Foreign::Image),
    (344, &[b"n+1\0", b"ni1\0"], "a NIfTI image", Foreign::Image),
    (4, &[b"n+2\0"], "a NIfTI image", Foreign::Image),
    (0, &[b"\xff\xd8\xff"], "a JPEG image", LOSSY),
    (0, &[b"\0\0\0\x0cjP  ", b"\xff\x4f\xff\x51"], "a JPEG 2000 image", OTHER_IMAGE),
    (0, &[b"GIF8"], "a GIF image", OTHER_IMAGE),
    (0, &[b"RIFF"], "a RIFF file, such as a WebP image", OTHER_IMAGE),
    (0, &[b"8BPS"], "a Photoshop image", OTHER_IMAGE),
    (0, &[b"P7\nWIDTH"], "a PAM image of Netpbm", COLOR),
    (0, &[b"Pf\n", b"PF\n"], "a PFM image", Loadable("imageio.v3.imread(FILE)")),
    (0, &[b"\x89HDF\r\n\x1a\n"], "an HDF5 file", Loadable("h5py.File(FILE)[NAME][:]")),
    (0, &[b"CDF\x01", b"CDF\x02"], "a NetCDF file", Loadable("xarray.open_dataset(FILE)[NAME].values")),
    (128, &[b"DICM"], "a DICOM file", DICOM),
    (208, &[b"MAP "], "an MRC map", Loadable("mrcfile.read(FILE)")),
    (0, &[b"NRRD0"], "an NRRD image", Foreign::Image),
    (0, &[b"ObjectType =", b"NDims ="], "a MetaImage", Foreign::Image),
    (0, &[b"# vtk DataFile", b"<VTKFile", b"<?xml version=\"1.0\"?>\n<VTKFile"], "a VTK file", VTK),
    (0, &[b"SIMPLE  ="], "a FITS file", Loadable("astropy.io.fits.getdata(FILE)")),
    (0, &[b"MATLAB 5.0"], "a MATLAB file", Foreign::Matlab("scipy.io.loadmat(FILE)[NAME]")),
    (0, &[b"MATLAB 7.3"], "a MATLAB file", Foreign::Matlab("h5py.File(FILE)[NAME][:].T")),
    (0, &[b"\x80\x02c", b"\x80\x03c", b"\x80\x04\x95", b"\x80\x05\x95"], PICKLE, UNPICKLE),
    (0, &[b"PAR1\x15"], "a Parquet file", Loadable("pandas.read_parquet(FILE).to_numpy()")),
    (0, &[b"ARROW1\0"], "an Arrow or Feather file", Loadable("pandas.read_feather(FILE).to_numpy()")),
    (0, &[b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"], "an old Excel or Office file", SHEET),
    (0, &[b"SQLite format 3\0"], "an SQLite database", SHEET),
    (0, &[b"RDX2\n", b"RDX3\n"], "an R data file", OF_R),
    (0, &[b"X\n\0\0\0"], "an R object (.rds)", OF_R),
    (0, &[b"%PDF-"], "a PDF document", SHEET),
    (0, &[b"BZh"], "a file compressed with bzip2", Foreign::Packed("bunzip2 -c")),
    (0, &[b"\xfd7zXZ\0"], "a file compressed with xz", Foreign::Packed("xz -dc")),
    (0, &[b"\x28\xb5\x2f\xfd"], "a file compressed with Zstandard", Foreign::Packed("zstd -dc")),
    (0, &[b"7z\xbc\xaf\x27\x1c"], "a 7-zip archive", Foreign::Packed("7z x -so")),
];

const PICKLE: &str = "a Python pickle";
const UNPICKLE: Foreign = Loadable("pickle.load(open(FILE, \"rb\"))");

/// Advice for formats that nibabel loads.
const NIBABEL: Foreign = Loadable("numpy.asarray(nibabel.load(FILE).dataobj)");

/// Describes a file that begins with `head`, in words and by kind; `None` if it is not recognised. `length` is that of
/// the file, if known.
fn recognize(head: &[u8], length: Option<u64>) -> Option<(&'static str, Foreign)> {
    let begins = |&&(at, magic, ..): &&(usize, &[&[u8]], &str, Foreign)| {
        // Text may contain such letters at a later offset; a binary file has a NUL before them.
        head.get(at..).is_some_and(|rest| magic.iter().any(|magic| rest.starts_with(magic)))
            && (at == 0 || head[..at].contains(&0))
    };
    let by_magic = MAGIC.iter().find(begins).map(|&(_, _, what, kind)| (what, kind));
    by_magic
        .or_else(|| netpbm(head))
        .or_else(|| is_bitmap(head).then_some(("a BMP image", OTHER_IMAGE)))
        .or_else(|| is_office(head).then_some(("an Excel or Office file", SHEET)))
        .or_else(|| is_vol(head).then_some(("a volume of DGtal", Foreign::Image)))
        .or_else(|| is_mgh(head).then_some(("an MGH image of FreeSurfer", NIBABEL)))
        .or_else(|| {
            is_analyze(head).then_some(("a header of ANALYZE, whose voxels are in a .img file", NIBABEL))
        })
        .or_else(|| is_phat(head, length).then_some(("a boundary matrix of PHAT", Foreign::Phat)))
}

/// Recognises Netpbm: a digit after `P`, then blanks and a number or a comment. `P5` alone may be a name in a table.
fn netpbm(head: &[u8]) -> Option<(&'static str, Foreign)> {
    let (kind, rest) = match head {
        [b'P', b'2' | b'5', rest @ ..] => (("a PGM image", Foreign::Image), rest),
        [b'P', b'3' | b'6', rest @ ..] => (("a color image of Netpbm", COLOR), rest),
        _ => return None,
    };
    let next = rest.trim_ascii_start();
    let goes_on = next.len() < rest.len() && next.first().is_some_and(|&b| b == b'#' || b.is_ascii_digit());
    goes_on.then_some(kind)
}

/// Recognises a Windows bitmap: `BM`, and at offset 14 the size of a known header.
fn is_bitmap(head: &[u8]) -> bool {
    head.starts_with(b"BM")
        && head.get(14..18).is_some_and(|size| matches!(size, [12 | 40 | 52 | 56 | 64 | 108 | 124, 0, 0, 0]))
}

/// Recognises Office files: zip archives whose first members differ from NumPy's.
fn is_office(head: &[u8]) -> bool {
    let head = &head[..head.len().min(4096)];
    let holds = |word: &[u8]| memchr::memmem::find(head, word).is_some();
    head.starts_with(b"PK\x03\x04")
        && (holds(b"[Content_Types].xml") || holds(b"xl/") || holds(b"application/vnd.oasis"))
}

/// Recognises DGtal's volumes, which begin with lines of names and numbers, three of which are the extents.
pub(crate) fn is_vol(head: &[u8]) -> bool {
    let head = &head[..head.len().min(1024)];
    let has = |word: &[u8]| memchr::memmem::find(head, word).is_some();
    let begins = [&b"Center-X: "[..], b"X: ", b"Alpha-Color: ", b"Version: "];
    begins.iter().any(|line| head.starts_with(line))
        && (head.starts_with(b"X: ") || has(b"\nX: "))
        && has(b"\nY: ")
        && has(b"\nZ: ")
}

/// Recognises FreeSurfer's images, which begin with big-endian 32-bit integers: 1, four extents, the voxel type.
fn is_mgh(head: &[u8]) -> bool {
    let words: Vec<u32> = head.as_chunks().0.iter().take(6).map(|&word| u32::from_be_bytes(word)).collect();
    let &[1, ref extents @ .., 0 | 1 | 3 | 4] = &words[..] else { return false };
    extents.iter().all(|extent| (1..=0xffff).contains(extent))
}

/// Recognises ANALYZE 7.5: a header that gives its length as 348 bytes, has 1 to 7 axes, and zeros where NIfTI-1 has
/// its magic bytes.
fn is_analyze(head: &[u8]) -> bool {
    let (Some(&size), Some(&axes)) =
        (head.first_chunk::<4>(), head.get(40..42).and_then(<[u8]>::first_chunk))
    else {
        return false;
    };
    let says = |size: i32, axes: i16| size == 348 && (1..=7).contains(&axes);
    head.len() == 348
        && head.ends_with(&[0; 4])
        && (says(i32::from_le_bytes(size), i16::from_le_bytes(axes))
            || says(i32::from_be_bytes(size), i16::from_be_bytes(axes)))
}

/// Recognises PHAT's binary files by their 64-bit words: the number of cells, then dimension 0 and 0 rows for the first
/// cell, a vertex.
fn is_phat(head: &[u8], length: Option<u64>) -> bool {
    let word = |k: usize| {
        head.get(8 * k..8 * k + 8).map(|word| u64::from_le_bytes(word.try_into().unwrap_or_default()))
    };
    let fits = |cells: u64| length.is_none_or(|length| length.is_multiple_of(8) && cells <= length / 16);
    word(0).is_some_and(|cells| cells > 0 && fits(cells)) && word(1) == Some(0) && word(2) == Some(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_known_by_what_they_begin_with() {
        let mut dicom = [0; 132];
        dicom[128..].copy_from_slice(b"DICM");
        let bitmap = b"BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0";
        let mgh = [1_u32, 2, 3, 4, 1, 0].map(u32::to_be_bytes).concat();
        let mut analyze = [0; 348];
        analyze[..2].copy_from_slice(&[0x5c, 1]);
        analyze[40] = 3;
        let phat = [&[1, 0, 0, 0, 0, 0, 0, 0][..], &[0; 16]].concat();
        for (head, what, kind) in [
            (&b"\x93NUMPY\x01\0"[..], "a NumPy array", Foreign::Numpy),
            (b"\xff\xd8\xff\xe0", "a JPEG image", LOSSY),
            (&dicom, "a DICOM file", DICOM),
            (bitmap, "a BMP image", OTHER_IMAGE),
            (b"P6 3 2 255\n", "a color image of Netpbm", COLOR),
            (b"P5\n# by hand\n", "a PGM image", Foreign::Image),
            (b"PK\x03\x04....[Content_Types].xml", "an Excel or Office file", SHEET),
            (b"\x80\x04\x95.", PICKLE, UNPICKLE),
            (&phat, "a boundary matrix of PHAT", Foreign::Phat),
            (
                b"Center-X: 0\nCenter-Y: 0\nCenter-Z: 0\nX: 2\nY: 3\nZ: 4\n",
                "a volume of DGtal",
                Foreign::Image,
            ),
            (&mgh, "an MGH image of FreeSurfer", NIBABEL),
            (&analyze, "a header of ANALYZE, whose voxels are in a .img file", NIBABEL),
        ] {
            assert_eq!(recognize(head, Some(head.len() as u64)), Some((what, kind)));
        }
        for head in [
            &b"1 2\n"[..],
            b"",
            b"\x80\x3f\0\0\0\0\x80\x3f",
            &[0; 24],
            b"BMI\n1 2 3 4 5 6 7 8\n",
            b"Points\n",
            b"P5 P6 P7\n",
        ] {
            assert_eq!(recognize(head, Some(head.len() as u64)), None, "{head:?}");
        }
    }

    #[test]
    fn kinds_are_named_with_what_helps() {
        let phat = [&[1, 0, 0, 0, 0, 0, 0, 0][..], &[0; 16]].concat();
        let refused = |bytes: &[u8], reader| refuse(bytes, Some(bytes.len() as u64), reader);
        for (bytes, what, remedy) in [
            (&b"\x89HDF\r\n\x1a\n...."[..], "HDF5", "numpy.save"),
            (b"MATLAB 5.0 MAT-file, Platform", "MATLAB", "writematrix"),
            (b"PAR1\x15...", "Parquet", "read_parquet"),
            (b"\x80\x04\x95..........", "pickle", "numpy.save"),
            (b"\x89PNG\r\n\x1a\n", "PNG", "lacuna cubical"),
            (b"PK\x03\x04....[Content_Types].xml", "Excel", "CSV"),
            (b"BZh91AY", "bzip2", "bunzip2 -c FILE | lacuna rips -"),
            (&phat, "PHAT", "lacuna reduce"),
        ] {
            let message = refused(bytes, Reader::Distances).unwrap_err().to_string();
            assert!(message.contains(what) && message.contains(remedy), "{message}");
        }
        for bytes in [&b"1 2\n"[..], b"", b"\x80\x3f\0\0\0\0\x80\x3f", &[0; 24], b"\x93NUMPY\x01\0"] {
            assert!(refused(bytes, Reader::Distances).is_ok(), "{bytes:?}");
        }
        for (bytes, remedy) in [
            (
                &b"\x89HDF\r\n\x1a\n...."[..],
                "with h5py.File(FILE)[NAME][:], and save the matrix with scipy.sparse.save_npz",
            ),
            (b"MATLAB 5.0 MAT-file, Platform", "with scipy.io.loadmat(FILE)[NAME], and save the matrix with"),
            (b"\xfd7zXZ\0", "xz -dc FILE | lacuna reduce -"),
        ] {
            let message = refused(bytes, Reader::Matrices).unwrap_err().to_string();
            assert!(message.contains(remedy), "{message}");
        }
        assert!(refused(&phat, Reader::Matrices).is_ok() && refused(b"P5\n3 2", Reader::Images).is_ok());
    }
}
