//! The names of the input formats.

use std::fmt;
use std::str::FromStr;

/// The input formats of the Vietoris–Rips path. [`Format::name`] gives Ripser's names; `FromStr` takes them,
/// Ripser's abbreviations `lower`, `upper`, `dist` and `point` with anything after them, and `condensed`, SciPy's word for
/// the distances above the diagonal row by row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
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

impl Format {
    /// Every format.
    pub const ALL: [Format; 10] = [
        Format::LowerDistance,
        Format::UpperDistance,
        Format::Distance,
        Format::PointCloud,
        Format::Sparse,
        Format::Dipha,
        Format::Binary,
        Format::Npy,
        Format::Npz,
        Format::MatrixMarket,
    ];

    /// The name, as `--format` takes it.
    pub fn name(self) -> &'static str {
        match self {
            Format::LowerDistance => "lower-distance",
            Format::UpperDistance => "upper-distance",
            Format::Distance => "distance",
            Format::PointCloud => "point-cloud",
            Format::Sparse => "sparse",
            Format::Dipha => "dipha",
            Format::Binary => "binary",
            Format::Npy => "npy",
            Format::Npz => "npz",
            Format::MatrixMarket => "matrix-market",
        }
    }

    /// The names of all formats, for messages.
    pub(super) fn names() -> String {
        Format::ALL.map(Format::name).join(", ")
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that is no format's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("format: expected one of {}, found {found:?}", Format::names())]
pub struct UnknownFormat {
    /// The name found.
    pub found: String,
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(found: &str) -> Result<Self, UnknownFormat> {
        const PREFIXES: [(&str, Format); 5] = [
            ("lower", Format::LowerDistance),
            ("upper", Format::UpperDistance),
            ("dist", Format::Distance),
            ("point", Format::PointCloud),
            ("condensed", Format::UpperDistance),
        ];
        let name = &*found.to_ascii_lowercase();
        let exact = Format::ALL.into_iter().find(|f| f.name() == name);
        let prefixed = || PREFIXES.into_iter().find(|(prefix, _)| name.starts_with(prefix)).map(|(_, f)| f);
        exact.or_else(prefixed).ok_or_else(|| UnknownFormat { found: found.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_ripsers_abbreviations() {
        for format in Format::ALL {
            assert_eq!(format.to_string().parse(), Ok(format));
        }
        for (name, format) in [
            ("lower", Format::LowerDistance),
            ("upper-dist", Format::UpperDistance),
            ("dist", Format::Distance),
            ("DIPHA", Format::Dipha),
            ("Upper-Dist", Format::UpperDistance),
            ("points", Format::PointCloud),
            ("condensed", Format::UpperDistance),
        ] {
            assert_eq!(name.parse(), Ok(format));
        }
        for name in ["", "low", "sparse2", "csv"] {
            let error = name.parse::<Format>().unwrap_err();
            assert!(error.to_string().contains("lower-distance"), "{error}");
        }
    }
}
