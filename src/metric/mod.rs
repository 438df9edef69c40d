//! Inputs of the Vietoris–Rips path: what the distances are, before anything is computed from them.
//!
//! A reader (or a library user) makes a [`Distances`]; the pipeline replaces its values by ranks and
//! never looks at a floating-point number again.
//!
//! | module | what it holds |
//! |---|---|
//! | [`matrix`] | condensed symmetric distance matrices |
//! | [`points`] | point clouds with the Euclidean metric |
//! | [`sparse`] | lists of edges; every other pair of points is never connected |
//! | `shortest_paths` | graphs as the distances of their paths |
//! | `checksum` | by which distances are known again |
//! | `births` | when points are born, of matrices and lists of edges |
//! | [`read`] | one reader per file format, and format detection |
//! | [`mod@write`] | one writer per file format |

mod births;
mod checksum;
pub mod matrix;
pub mod points;
pub mod read;
mod shortest_paths;
pub mod sparse;
pub(crate) mod square;
pub mod value;
pub mod write;

pub use matrix::DistanceMatrix;
pub use points::PointCloud;
pub use shortest_paths::ShortestPathsError;
pub use sparse::{Edge, SparseDistances};
pub use value::{Precision, Value};

/// A finite metric space (or any symmetric non-negative dissimilarity) in one of three shapes.
///
/// `T` is the precision the distances are computed and compared in: `f32` (Ripser's) or `f64`.
#[derive(Debug, Clone, PartialEq)]
pub enum Distances<T = f32> {
    /// All pairwise distances.
    Matrix(DistanceMatrix<T>),
    /// Points in Euclidean space.
    Points(PointCloud<T>),
    /// Some pairwise distances; the others are infinite.
    Sparse(SparseDistances<T>),
}

impl<T: Value> Distances<T> {
    /// The number of points.
    pub fn len(&self) -> usize {
        match self {
            Distances::Matrix(m) => m.len(),
            Distances::Points(p) => p.len(),
            Distances::Sparse(s) => s.len(),
        }
    }

    /// Whether there is no point at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A checksum of the shape, the precision, all values and the births, by which the distances are known again whatever file they came in.
    pub fn checksum(&self) -> u128 {
        checksum::checksum(self)
    }

    /// When each point is born; `None` when all are from the beginning, at 0.
    pub fn births(&self) -> Option<&[T]> {
        match self {
            Distances::Matrix(m) => m.births(),
            Distances::Points(_) => None,
            Distances::Sparse(s) => s.births(),
        }
    }
}

impl<T> From<DistanceMatrix<T>> for Distances<T> {
    fn from(m: DistanceMatrix<T>) -> Self {
        Distances::Matrix(m)
    }
}

impl<T> From<PointCloud<T>> for Distances<T> {
    fn from(p: PointCloud<T>) -> Self {
        Distances::Points(p)
    }
}

impl<T> From<SparseDistances<T>> for Distances<T> {
    fn from(s: SparseDistances<T>) -> Self {
        Distances::Sparse(s)
    }
}

/// Why a [`Distances`] cannot be made from the given numbers.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MetricError {
    /// There is no point.
    #[error("expected at least one point, found none")]
    Empty,
    /// A condensed matrix whose length is not n(n-1)/2.
    #[error(
        "expected the n(n-1)/2 entries below the diagonal of a distance matrix, found {found} (n = {n} needs {expected})"
    )]
    NotTriangular {
        /// Entries given.
        found: usize,
        /// The number of points that comes nearest.
        n: usize,
        /// Entries that many points need.
        expected: usize,
    },
    /// A matrix of distances that is not square.
    #[error("expected a square matrix, a row and a column for each point, found {rows} × {columns}")]
    NotSquare {
        /// Rows given.
        rows: usize,
        /// Columns given.
        columns: usize,
    },
    /// Not n² entries.
    #[error("expected {expected} entries of a square matrix of {n} points, found {found}")]
    SquareEntries {
        /// The number of points.
        n: usize,
        /// The square of it.
        expected: usize,
        /// Entries given.
        found: usize,
    },
    /// A point at a distance from itself.
    #[error("the distance of point {i} to itself: expected 0, found {found}")]
    Diagonal {
        /// The point, 0-based.
        i: usize,
        /// The value found.
        found: f64,
    },
    /// Two distances of one pair of points that differ by more than rounding.
    #[error(
        "row {i}, column {j}: expected the same distance as in row {j}, column {i}: {above}, found {below}"
    )]
    Asymmetric {
        /// The greater point, 0-based.
        i: usize,
        /// The smaller point, 0-based.
        j: usize,
        /// The entry in row `i` and column `j`, below the diagonal.
        below: f64,
        /// The entry in row `j` and column `i`.
        above: f64,
    },
    /// Births of another number of points.
    #[error("expected the births of {points} points, found {found}")]
    Births {
        /// The number of points.
        points: usize,
        /// Births given.
        found: usize,
    },
    /// NaN or a negative number where a birth belongs.
    #[error("the birth of point {i}: expected a non-negative number or infinity, found {found}")]
    BadBirth {
        /// The point, 0-based.
        i: usize,
        /// The value found.
        found: f64,
    },
    /// An edge that is born before one of its points.
    #[error(
        "the distance of points {i} and {j}: expected at least the birth of point {born}, {birth}, found {found}"
    )]
    EdgeBeforePoint {
        /// The greater point, 0-based.
        i: usize,
        /// The smaller point, 0-based.
        j: usize,
        /// The one that is born later.
        born: usize,
        /// Its birth.
        birth: f64,
        /// The distance found.
        found: f64,
    },
    /// Points without coordinates.
    #[error("expected at least one coordinate per point, found none")]
    NoCoordinates,
    /// More points than are numbered.
    #[error("expected at most {most} points, found {found}")]
    TooManyPoints {
        /// The greatest number of points.
        most: usize,
        /// Points given.
        found: usize,
    },
    /// NaN or a negative number where a distance belongs.
    #[error("the distance of points {i} and {j}: expected a non-negative number or infinity, found {found}")]
    BadDistance {
        /// One point, 0-based.
        i: usize,
        /// The other point, 0-based.
        j: usize,
        /// The value found.
        found: f64,
    },
    /// A coordinate that is NaN or infinite.
    #[error("coordinate {coordinate} of point {point}: expected a finite number, found {found}")]
    BadCoordinate {
        /// The point, 0-based.
        point: usize,
        /// The coordinate, 0-based.
        coordinate: usize,
        /// The value found.
        found: f64,
    },
    /// Coordinates that do not make whole points.
    #[error("expected {dimension} coordinates per point, found {found} in all")]
    RaggedPoints {
        /// Coordinates per point.
        dimension: usize,
        /// Coordinates given in all.
        found: usize,
    },
    /// An edge names a point that does not exist.
    #[error("edge {edge}: expected point ids below {n}, found {found}")]
    OutOfRange {
        /// The edge, 0-based.
        edge: usize,
        /// The number of points.
        n: usize,
        /// The id found.
        found: u64,
    },
    /// A pair of points that is given by two edges.
    #[error("the edge of points {i} and {j} is given twice")]
    DuplicateEdge {
        /// One point, 0-based.
        i: u32,
        /// The other point, 0-based.
        j: u32,
    },
    /// An edge from a point to itself.
    #[error("edge {edge}: expected two different points, found {found} twice")]
    Loop {
        /// The edge, 0-based.
        edge: usize,
        /// The point.
        found: u32,
    },
}
