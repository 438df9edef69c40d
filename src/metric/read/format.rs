//! Input formats and their names.

use std::str::FromStr;

use serde::Serialize;
use strum::VariantArray;

use crate::input::Problem;
use crate::names::{self, named};

/// The input formats of the Vietoris–Rips path, with Ripser's names. `FromStr` accepts these names; Ripser's
/// abbreviations `lower`, `upper`, `dist` and `point`, followed by anything; `condensed`, SciPy's word for the
/// distances above the diagonal row by row; and `edges`, for the edge list of a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, VariantArray)]
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
    /// Text, `i j d` per line, or `i j` for an unweighted graph.
    Sparse,
    /// DIPHA distance matrix (file type 7) or sparse distance matrix (file type 8).
    Dipha,
    /// Little-endian `f32` entries below the diagonal.
    Binary,
    /// NumPy array: n×n distances or n×m points.
    Npy,
    /// Archive of NumPy arrays, or of the parts of a sparse matrix of SciPy.
    Npz,
    /// Matrix Market text: a sparse or dense matrix.
    MatrixMarket,
    /// Geomview mesh as text; its vertices are read.
    Off,
    /// Wavefront mesh as text; its vertices are read.
    Obj,
    /// Stanford mesh or scan, text or binary; its vertices are read.
    Ply,
    /// The atoms of a molecule as text.
    Xyz,
}

impl DistanceFormat {
    /// Whether the format is a text of numbers without a magic word.
    pub(super) fn is_table(self) -> bool {
        matches!(
            self,
            DistanceFormat::LowerDistance
                | DistanceFormat::UpperDistance
                | DistanceFormat::Distance
                | DistanceFormat::PointCloud
                | DistanceFormat::Sparse
        )
    }

    /// Whether files of the format begin with bytes by which they are known.
    pub(super) fn has_magic(self) -> bool {
        !self.is_table()
            && !matches!(self, DistanceFormat::Binary | DistanceFormat::Obj | DistanceFormat::Xyz)
    }

    /// The names of all formats, for messages.
    pub(super) fn names() -> String {
        names::list(&DistanceFormat::ALL)
    }
}

named!(DistanceFormat);

impl FromStr for DistanceFormat {
    type Err = Problem;

    fn from_str(found: &str) -> Result<Self, Problem> {
        const PREFIXES: [(&str, DistanceFormat); 6] = [
            ("lower", DistanceFormat::LowerDistance),
            ("upper", DistanceFormat::UpperDistance),
            ("dist", DistanceFormat::Distance),
            ("point", DistanceFormat::PointCloud),
            ("condensed", DistanceFormat::UpperDistance),
            ("edges", DistanceFormat::Sparse),
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
            ("edges", DistanceFormat::Sparse),
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
