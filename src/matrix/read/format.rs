//! The names of the input formats.

use std::fmt;
use std::str::FromStr;

/// The input formats of the boundary-matrix path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatrixFormat {
    /// PHAT's text.
    PhatAscii,
    /// PHAT's binary file.
    PhatBinary,
    /// DIPHA weighted boundary matrix (file type 0), image data (1), distance matrix (7) or sparse distance matrix (8).
    Dipha,
    /// SciPy's sparse matrix (`scipy.sparse.save_npz`).
    Npz,
    /// Matrix Market's text.
    MatrixMarket,
}

impl MatrixFormat {
    /// Every format.
    pub const ALL: [MatrixFormat; 5] = [
        MatrixFormat::PhatAscii,
        MatrixFormat::PhatBinary,
        MatrixFormat::Dipha,
        MatrixFormat::Npz,
        MatrixFormat::MatrixMarket,
    ];

    /// The name, as `--format` takes it.
    pub fn name(self) -> &'static str {
        match self {
            MatrixFormat::PhatAscii => "phat-ascii",
            MatrixFormat::PhatBinary => "phat-binary",
            MatrixFormat::Dipha => "dipha",
            MatrixFormat::Npz => "npz",
            MatrixFormat::MatrixMarket => "matrix-market",
        }
    }
}

impl fmt::Display for MatrixFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that is no format's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("format: expected one of phat-ascii, phat-binary, dipha, npz, matrix-market, found {found:?}")]
pub struct UnknownMatrixFormat {
    /// The name found.
    pub found: String,
}

impl FromStr for MatrixFormat {
    type Err = UnknownMatrixFormat;

    fn from_str(name: &str) -> Result<Self, UnknownMatrixFormat> {
        let named = MatrixFormat::ALL.into_iter().find(|format| format.name().eq_ignore_ascii_case(name));
        named.ok_or_else(|| UnknownMatrixFormat { found: name.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for format in MatrixFormat::ALL {
            assert_eq!(format.to_string().parse(), Ok(format));
            assert_eq!(format.name().to_ascii_uppercase().parse(), Ok(format));
        }
        let error = "phat".parse::<MatrixFormat>().unwrap_err().to_string();
        assert!(MatrixFormat::ALL.iter().all(|format| error.contains(format.name())), "{error}");
    }
}
