//! The names of the formats, in all of which matrices are read and written.

use serde::Serialize;
use strum::VariantArray;

use crate::names::named;

/// File formats for boundary matrices. Matrices are read from and written to each of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, VariantArray)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum MatrixFormat {
    /// PHAT's text.
    PhatAscii,
    /// PHAT's binary file.
    PhatBinary,
    /// DIPHA's weighted boundary matrix (file type 0), with the values of the cells. Its image data (1), distance
    /// matrix (7) and sparse distance matrix (8) are read as well.
    Dipha,
    /// SciPy's sparse matrix (`scipy.sparse.save_npz`), written in compressed columns with the dimensions of the cells.
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
