//! Detection of the format of a file from its content and name, by the table in the parent module's docs.

use std::path::Path;

use phat_formats::{dipha, phat};

use super::format::MatrixFormat;
use crate::input::foreign::{self, Reader};
use crate::input::text::plain;
use crate::input::{Problem, gzip, matrix_market, npz};

/// Number of bytes at the beginning of a file by which its format is detected.
pub(super) const HEAD: u64 = 4096;

/// Whether a file is compressed with gzip. PHAT's binary files begin with the number of cells, which may equal gzip's
/// first bytes; but then the dimension of the first column, zero, follows where compressed data cannot be zero.
pub(super) fn is_gzip(head: &[u8]) -> bool {
    const METHOD: u8 = 8;
    let is_magic = head.starts_with(gzip::MAGIC) && head.get(2) == Some(&METHOD);
    is_magic && head.get(8..16).is_none_or(|bytes| bytes.iter().any(|&byte| byte != 0))
}

/// Detects the format of the file called `name` that begins with `head`, and gives the reason.
pub(super) fn detect(name: &str, head: &[u8]) -> Result<(MatrixFormat, String), Problem> {
    if dipha::has_magic(head) {
        return Ok((MatrixFormat::Dipha, "begins with DIPHA's magic number".to_owned()));
    }
    if head.is_empty() {
        return Err(Problem::whole("a boundary matrix", "an empty file"));
    }
    if head.starts_with(npz::MAGIC) {
        return Ok((MatrixFormat::Npz, "begins as zip archives do".to_owned()));
    }
    if matrix_market::is_matrix_market(head) {
        return Ok((MatrixFormat::MatrixMarket, "begins with %%MatrixMarket".to_owned()));
    }
    foreign::refuse(head, None, Reader::Matrices)?;
    let extension = Path::new(name).extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
    let text = plain(head);
    match extension.as_deref() {
        Some(named @ ("dipha" | "complex")) => {
            Ok((MatrixFormat::Dipha, format!("the name ends in .{named}")))
        }
        Some("npz") => Ok((MatrixFormat::Npz, "the name ends in .npz".to_owned())),
        _ if phat::looks_ascii(&text) && is_table(&text) => {
            let note =
                "lacuna rips takes distances and points, lacuna convert makes a boundary matrix of images";
            Err(Problem::whole("a boundary matrix", "a table of numbers that are no cells").note(note))
        }
        _ if phat::looks_ascii(&text) => Ok((MatrixFormat::PhatAscii, "the content is text".to_owned())),
        _ => Ok((MatrixFormat::PhatBinary, "the content is not text".to_owned())),
    }
}

/// Replaces the problem of a file requested as binary by a clearer one if its content looks like text.
pub(super) fn text_for_binary(head: &[u8], problem: Problem) -> Problem {
    if !phat::looks_ascii(&plain(head)) {
        return problem;
    }
    let advice = "--ascii of lacuna phat reads PHAT's text, and --format phat-ascii of the other commands";
    Problem::whole("a boundary matrix", "text in place of PHAT's binary format").note(advice)
}

/// Whether the first line that is not a comment is a table row: numbers of which one is not a whole number, or that
/// are separated by something other than blanks.
fn is_table(head: &[u8]) -> bool {
    let lines = head.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let Some(line) = lines.into_iter().find(|line| !line.is_empty() && !line.starts_with(b"#")) else {
        return false;
    };
    let separates = |byte: &u8| byte.is_ascii_whitespace() || b",;".contains(byte);
    let mut words = line.split(separates).filter(|word| !word.is_empty()).peekable();
    let is_whole = line.iter().all(|byte| byte.is_ascii_whitespace() || byte.is_ascii_digit());
    // The end of `head` may cut the line inside a number.
    !is_whole && words.peek().is_some() && words.all(|word| fast_float2::parse::<f64, _>(word).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(name: &str, head: &[u8]) -> MatrixFormat {
        detect(name, head).unwrap().0
    }

    #[test]
    fn content_tells_and_then_the_name() {
        let magic = dipha::MAGIC.to_le_bytes();
        assert_eq!(format("matrix.bin", &magic), MatrixFormat::Dipha);
        assert_eq!(format("matrix.dat", b"0\n0\n1 0 1\n"), MatrixFormat::PhatAscii);
        assert_eq!(format("matrix.bin", b"# no cell yet"), MatrixFormat::PhatAscii);
        assert_eq!(format("matrix.dat", &7u64.to_le_bytes()), MatrixFormat::PhatBinary);
        assert_eq!(format("-", &[7, 0, 0, 0, 0]), MatrixFormat::PhatBinary);
        assert_eq!(format("-", b"\xff\xfe0\0\r\0"), MatrixFormat::PhatAscii);
        // The number of columns begins with the bytes of a byte order mark.
        assert_eq!(format("-", &0xfeff_u64.to_le_bytes()), MatrixFormat::PhatBinary);
        assert_eq!(format("-", b"PK\x03\x04"), MatrixFormat::Npz);
        assert_eq!(format("-", b"%%matrixmarket matrix"), MatrixFormat::MatrixMarket);
        for name in ["image.COMPLEX", "image.dipha"] {
            assert_eq!(format(name, b"not the magic number"), MatrixFormat::Dipha);
        }
        assert_eq!(detect("matrix.bin", b""), Err(Problem::whole("a boundary matrix", "an empty file")));
    }

    #[test]
    fn other_files_are_told_what_to_do() {
        let mut nifti = vec![0; 352];
        nifti[344..348].copy_from_slice(b"n+1\0");
        for (head, found) in [
            (&b"\x93NUMPY\x01\0"[..], "a NumPy array"),
            (b"\x89PNG\r\n\x1a\n", "a PNG image"),
            (&nifti, "a NIfTI image"),
            (b"\x89HDF\r\n\x1a\n", "an HDF5 file"),
            (b"0.0 1.5\n1.5 0.0\n", "a table of numbers"),
            (b"# x, y\n-1,2e3\n", "a table of numbers"),
            (b"1;2\n", "a table of numbers"),
        ] {
            let problem = detect("f", head).unwrap_err().to_string();
            let place = if found == "a table of numbers" { "" } else { "byte 0: " };
            let expected = format!("{place}expected a boundary matrix, found {found}");
            assert!(problem.starts_with(&expected), "{problem}");
        }
        assert_eq!(format("f", b"0\n0 x\n"), MatrixFormat::PhatAscii);
    }

    #[test]
    fn gzip_and_a_count_that_looks_like_it() {
        let count = 0x08_8b1f_u64;
        assert!(!is_gzip(&[count.to_le_bytes(), [0; 8]].concat()));
        assert!(is_gzip(b"\x1f\x8b\x08\0\0\0\0\0\0\x03\x4b\x04\0\x43\xbe\xb7"));
        assert!(!is_gzip(b"\x1f\x8b"));
    }
}
