//! The names of the input formats.

use serde::Serialize;
use strum::VariantArray;

use crate::names::named;

/// The input formats of the boundary-matrix path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, VariantArray)]
#[serde(rename_all = "kebab-case")]
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

named!(MatrixFormat, "format");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for format in MatrixFormat::ALL {
            assert_eq!(format.to_string().parse(), Ok(format));
            assert_eq!(format.to_string().to_ascii_uppercase().parse(), Ok(format));
        }
        let error = "phat".parse::<MatrixFormat>().unwrap_err().to_string();
        assert!(MatrixFormat::ALL.iter().all(|format| error.contains(&format.to_string())), "{error}");
    }
}
