//! The names of the input formats.

use std::str::FromStr;

use serde::Serialize;

use crate::names::{self, UnknownChoice, named};

/// The input formats of the Vietoris–Rips path. They are called as Ripser calls them; `FromStr` takes these names,
/// Ripser's abbreviations `lower`, `upper`, `dist` and `point` with anything after them, and `condensed`, SciPy's word for
/// the distances above the diagonal row by row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum DistanceFormat {
    /// Text, the entries below the diagonal.
    LowerDistance,
    /// Text, the entries above the diagonal.
    UpperDistance,
    /// Text, a square matrix.
    Distance,
    /// Text, a point a line.
    PointCloud,
    /// Text, `i j d` a line.
    Sparse,
    /// DIPHA distance matrix (file type 7) or sparse distance matrix (file type 8).
    Dipha,
    /// Little-endian `f32` entries below the diagonal.
    Binary,
    /// NumPy array: n×n distances or n×m points.
    Npy,
    /// Archive of NumPy arrays, or of the parts of a sparse matrix of SciPy.
    Npz,
    /// Matrix Market's text: a sparse or a dense matrix.
    MatrixMarket,
}

impl DistanceFormat {
    /// Every format.
    pub const ALL: [DistanceFormat; 10] = [
        DistanceFormat::LowerDistance,
        DistanceFormat::UpperDistance,
        DistanceFormat::Distance,
        DistanceFormat::PointCloud,
        DistanceFormat::Sparse,
        DistanceFormat::Dipha,
        DistanceFormat::Binary,
        DistanceFormat::Npy,
        DistanceFormat::Npz,
        DistanceFormat::MatrixMarket,
    ];

    /// The names of all formats, for messages.
    pub(super) fn names() -> String {
        names::list(&DistanceFormat::ALL)
    }
}

named!(DistanceFormat);

impl FromStr for DistanceFormat {
    type Err = UnknownChoice;

    fn from_str(found: &str) -> Result<Self, UnknownChoice> {
        const PREFIXES: [(&str, DistanceFormat); 5] = [
            ("lower", DistanceFormat::LowerDistance),
            ("upper", DistanceFormat::UpperDistance),
            ("dist", DistanceFormat::Distance),
            ("point", DistanceFormat::PointCloud),
            ("condensed", DistanceFormat::UpperDistance),
        ];
        let name = &*found.to_ascii_lowercase();
        let prefixed = || PREFIXES.into_iter().find(|(prefix, _)| name.starts_with(prefix)).map(|(_, f)| f);
        names::find("format", &DistanceFormat::ALL, found).or_else(|unknown| prefixed().ok_or(unknown))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_ripsers_abbreviations() {
        for format in DistanceFormat::ALL {
            assert_eq!(format.to_string().parse(), Ok(format));
        }
        for (name, format) in [
            ("lower", DistanceFormat::LowerDistance),
            ("upper-dist", DistanceFormat::UpperDistance),
            ("dist", DistanceFormat::Distance),
            ("DIPHA", DistanceFormat::Dipha),
            ("Upper-Dist", DistanceFormat::UpperDistance),
            ("points", DistanceFormat::PointCloud),
            ("condensed", DistanceFormat::UpperDistance),
        ] {
            assert_eq!(name.parse(), Ok(format));
        }
        for name in ["", "low", "sparse2", "csv"] {
            let error = name.parse::<DistanceFormat>().unwrap_err();
            assert!(error.to_string().contains("lower-distance"), "{error}");
        }
    }
}
