//! The names of the input formats.

use std::fmt;
use std::str::FromStr;

/// The input formats of the Vietoris–Rips path. [`DistanceFormat::name`] gives Ripser's names; `FromStr` takes them,
/// Ripser's abbreviations `lower`, `upper`, `dist` and `point` with anything after them, and `condensed`, SciPy's word for
/// the distances above the diagonal row by row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

    /// The name, as `--format` takes it.
    pub fn name(self) -> &'static str {
        match self {
            DistanceFormat::LowerDistance => "lower-distance",
            DistanceFormat::UpperDistance => "upper-distance",
            DistanceFormat::Distance => "distance",
            DistanceFormat::PointCloud => "point-cloud",
            DistanceFormat::Sparse => "sparse",
            DistanceFormat::Dipha => "dipha",
            DistanceFormat::Binary => "binary",
            DistanceFormat::Npy => "npy",
            DistanceFormat::Npz => "npz",
            DistanceFormat::MatrixMarket => "matrix-market",
        }
    }

    /// The names of all formats, for messages.
    pub(super) fn names() -> String {
        DistanceFormat::ALL.map(DistanceFormat::name).join(", ")
    }
}

impl fmt::Display for DistanceFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that is no format's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("format: expected one of {}, found {found:?}", DistanceFormat::names())]
pub struct UnknownDistanceFormat {
    /// The name found.
    pub found: String,
}

impl FromStr for DistanceFormat {
    type Err = UnknownDistanceFormat;

    fn from_str(found: &str) -> Result<Self, UnknownDistanceFormat> {
        const PREFIXES: [(&str, DistanceFormat); 5] = [
            ("lower", DistanceFormat::LowerDistance),
            ("upper", DistanceFormat::UpperDistance),
            ("dist", DistanceFormat::Distance),
            ("point", DistanceFormat::PointCloud),
            ("condensed", DistanceFormat::UpperDistance),
        ];
        let name = &*found.to_ascii_lowercase();
        let exact = DistanceFormat::ALL.into_iter().find(|f| f.name() == name);
        let prefixed = || PREFIXES.into_iter().find(|(prefix, _)| name.starts_with(prefix)).map(|(_, f)| f);
        exact.or_else(prefixed).ok_or_else(|| UnknownDistanceFormat { found: found.to_owned() })
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
