//! One reader per file format, and format detection.

use super::Distances;

/// The input formats of the Vietoris–Rips path.
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
    /// DIPHA distance matrix (file type 7).
    Dipha,
    /// Little-endian `f32` entries below the diagonal.
    Binary,
    /// NumPy array: n×n distances or n×m points.
    Npy,
}

/// Distances in the precision of their file: `.npy` arrays of `f64` are `Double`, everything else is `Single`
/// (Ripser's precision).
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// Single precision.
    Single(Distances<f32>),
    /// Double precision.
    Double(Distances<f64>),
}
