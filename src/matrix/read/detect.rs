//! The format of a file, from its content and name. The rules are the table in the parent module's docs.

use std::path::Path;

use phat_formats::{dipha, phat};

use super::Format;
use super::error::Problem;

/// The bytes at the beginning of a file that tell its format.
pub(super) const HEAD: u64 = 4096;

/// The format of the file called `name` that begins with `head`, and why.
pub(super) fn detect(name: &str, head: &[u8]) -> Result<(Format, String), Problem> {
    if dipha::has_magic(head) {
        return Ok((Format::Dipha, "begins with DIPHA's magic number".to_owned()));
    }
    if head.is_empty() {
        return Err(Problem::Empty);
    }
    let extension = Path::new(name).extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
    match extension.as_deref() {
        Some(named @ ("dipha" | "complex")) => Ok((Format::Dipha, format!("the name ends in .{named}"))),
        _ if phat::looks_ascii(head) => Ok((Format::PhatAscii, "the content is text".to_owned())),
        _ => Ok((Format::PhatBinary, "the content is not text".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(name: &str, head: &[u8]) -> Format {
        detect(name, head).unwrap().0
    }

    #[test]
    fn content_tells_and_then_the_name() {
        let magic = dipha::MAGIC.to_le_bytes();
        assert_eq!(format("matrix.bin", &magic), Format::Dipha);
        assert_eq!(format("matrix.dat", b"0\n0\n1 0 1\n"), Format::PhatAscii);
        assert_eq!(format("matrix.bin", b"# no cell yet"), Format::PhatAscii);
        assert_eq!(format("matrix.dat", &7u64.to_le_bytes()), Format::PhatBinary);
        assert_eq!(format("-", &[7, 0, 0, 0, 0]), Format::PhatBinary);
        for name in ["image.COMPLEX", "image.dipha"] {
            assert_eq!(format(name, b"not the magic number"), Format::Dipha);
        }
        assert_eq!(detect("matrix.bin", b""), Err(Problem::Empty));
    }
}
