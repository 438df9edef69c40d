//! Files of other programs, known by their first bytes: what they are, and what makes distances or points of them.

use super::error::{Place, Problem};

/// A kind of file that is not read.
struct Foreign {
    /// Its first bytes from `at` on.
    at: usize,
    magic: &'static [u8],
    what: &'static str,
    remedy: &'static str,
}

const fn foreign(magic: &'static [u8], what: &'static str, remedy: &'static str) -> Foreign {
    Foreign { at: 0, magic, what, remedy }
}

const IMAGE: &str = "lacuna cubical reads images";
const SAVE_NPY: &str = "save the array with numpy.save";

const KINDS: [Foreign; 21] = [
    foreign(
        b"\x89HDF\r\n\x1a\n",
        "an HDF5 file",
        "numpy.save(\"x.npy\", h5py.File(\"x.h5\")[NAME][:]) makes an array of it",
    ),
    foreign(
        b"MATLAB 5.0",
        "a MATLAB file",
        "writematrix(D, \"x.csv\") in MATLAB or numpy.save(\"x.npy\", scipy.io.loadmat(\"x.mat\")[NAME]) makes a table or an array of it",
    ),
    foreign(b"MATLAB 7.3", "a MATLAB file", "writematrix(D, \"x.csv\") in MATLAB makes a table of it"),
    foreign(
        b"PAR1",
        "a Parquet file",
        "numpy.save(\"x.npy\", pandas.read_parquet(\"x.parquet\").to_numpy()) makes an array of it",
    ),
    foreign(
        b"ARROW1",
        "an Arrow or Feather file",
        "numpy.save(\"x.npy\", pandas.read_feather(\"x.feather\").to_numpy()) makes an array of it",
    ),
    foreign(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Excel or Office file", "save the sheet as CSV"),
    foreign(b"SQLite format 3\0", "an SQLite database", "export the table as CSV"),
    foreign(b"RDX2\n", "an R data file", "write.table(as.matrix(D), \"x.txt\") in R makes a table of it"),
    foreign(b"RDX3\n", "an R data file", "write.table(as.matrix(D), \"x.txt\") in R makes a table of it"),
    foreign(
        b"X\n\0\0\0",
        "an R object (.rds)",
        "write.table(as.matrix(D), \"x.txt\") in R makes a table of it",
    ),
    foreign(b"\x89PNG\r\n\x1a\n", "a PNG image", IMAGE),
    foreign(b"II*\0", "a TIFF image", IMAGE),
    foreign(b"MM\0*", "a TIFF image", IMAGE),
    foreign(b"II+\0", "a TIFF image", IMAGE),
    foreign(b"\xff\xd8\xff", "a JPEG image", IMAGE),
    Foreign { at: 344, magic: b"n+1\0", what: "a NIfTI image", remedy: IMAGE },
    foreign(b"%PDF-", "a PDF document", "export its table as CSV"),
    foreign(b"BZh", "a file compressed with bzip2", "unpack it: bunzip2 -c FILE | lacuna rips -"),
    foreign(b"\xfd7zXZ\0", "a file compressed with xz", "unpack it: xz -dc FILE | lacuna rips -"),
    foreign(
        b"\x28\xb5\x2f\xfd",
        "a file compressed with Zstandard",
        "unpack it: zstd -dc FILE | lacuna rips -",
    ),
    foreign(b"7z\xbc\xaf\x27\x1c", "a 7-zip archive", "unpack it first"),
];

/// An error when the file is of a kind that holds distances or points for other programs only.
pub(super) fn check(bytes: &[u8]) -> Result<(), Problem> {
    let begins = |kind: &&Foreign| bytes.get(kind.at..).is_some_and(|rest| rest.starts_with(kind.magic));
    let found = KINDS.iter().find(begins).map(|kind| (kind.what, kind.remedy));
    let found =
        found.or_else(|| is_office(bytes).then_some(("an Excel or Office file", "save the sheet as CSV")));
    let found = found.or_else(|| is_pickle(bytes).then_some(("a Python pickle", SAVE_NPY)));
    let found =
        found.or_else(|| is_phat(bytes).then_some(("a boundary matrix of PHAT", "lacuna reduce reads it")));
    match found {
        Some((what, remedy)) => Err(Problem::new(Place::Byte(0), "distances or points", what).note(remedy)),
        None => Ok(()),
    }
}

/// Office's files are zip archives whose first members tell them from NumPy's.
fn is_office(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(4096)];
    let holds = |word: &[u8]| memchr::memmem::find(head, word).is_some();
    bytes.starts_with(b"PK\x03\x04")
        && (holds(b"[Content_Types].xml") || holds(b"xl/") || holds(b"application/vnd.oasis"))
}

/// Protocols 2 to 5 begin with their number, and every pickle ends with a full stop.
fn is_pickle(bytes: &[u8]) -> bool {
    matches!(bytes, [0x80, 2..=5, .., b'.'])
}

/// PHAT's binary files are words of 64 bits: the number of cells, then of the first cell, a vertex, its dimension 0 and
/// the number 0 of its rows.
fn is_phat(bytes: &[u8]) -> bool {
    let word = |k: usize| {
        bytes.get(8 * k..8 * k + 8).map(|word| u64::from_le_bytes(word.try_into().unwrap_or_default()))
    };
    bytes.len().is_multiple_of(8)
        && word(0).is_some_and(|cells| cells > 0 && cells <= bytes.len() as u64 / 16)
        && word(1) == Some(0)
        && word(2) == Some(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_named_with_what_helps() {
        for (bytes, what, remedy) in [
            (&b"\x89HDF\r\n\x1a\n...."[..], "HDF5", "numpy.save"),
            (b"MATLAB 5.0 MAT-file, Platform", "MATLAB", "writematrix"),
            (b"PAR1....", "Parquet", "read_parquet"),
            (b"\x80\x04\x95..........", "pickle", "numpy.save"),
            (b"\x89PNG\r\n\x1a\n", "PNG", "lacuna cubical"),
            (b"PK\x03\x04....[Content_Types].xml", "Excel", "CSV"),
            (&[&[1, 0, 0, 0, 0, 0, 0, 0][..], &[0; 16]].concat(), "PHAT", "lacuna reduce"),
        ] {
            let message = check(bytes).unwrap_err().to_string();
            assert!(message.contains(what) && message.contains(remedy), "{message}");
        }
        for bytes in [&b"1 2\n"[..], b"", b"\x80\x3f\0\0\0\0\x80\x3f", &[0; 24]] {
            assert!(check(bytes).is_ok(), "{bytes:?}");
        }
    }
}
