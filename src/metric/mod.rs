//! Inputs of the Vietoris–Rips path: finite metric spaces and graphs, without any computation.
//!
//! A reader or a library user creates a [`Distances`]. The pipeline replaces its values by ranks and uses no
//! floating-point numbers after that.
//!
//! | module | content |
//! |---|---|
//! | [`matrix`] | condensed symmetric distance matrices |
//! | [`points`] | point clouds with the Euclidean metric |
//! | [`sparse`] | lists of edges; every other pair of points is never connected |
//! | `shortest_paths` | shortest-path distances of graphs |
//! | `checksum` | checksums that identify distances |
//! | `births` | birth values of the points of matrices and lists of edges |
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
/// `T` is the precision in which distances are computed and compared: `f32` (as in Ripser) or `f64`.
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
    /// Number of points.
    pub fn len(&self) -> usize {
        match self {
            Distances::Matrix(m) => m.len(),
            Distances::Points(p) => p.len(),
            Distances::Sparse(s) => s.len(),
        }
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A checksum of the shape, precision, values and births, which identifies the distances in any file format.
    pub fn checksum(&self) -> u128 {
        checksum::checksum(self)
    }

    /// The birth of each point; `None` if all are born at 0.
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

/// An error in the numbers for a [`Distances`].
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MetricError {
    /// There are no points.
    #[error("expected at least one point, found none")]
    Empty,
    /// The length of a condensed matrix is not n(n-1)/2.
    #[error(
        "expected the n(n-1)/2 entries below the diagonal of a distance matrix, found {found} (n = {n} needs {expected})"
    )]
    NotTriangular {
        /// Number of entries given.
        found: usize,
        /// The greatest number of points that does not need more entries.
        n: usize,
        /// Number of entries that `n` points need.
        expected: usize,
    },
    /// A matrix of distances is not square.
    #[error("expected a square matrix, a row and a column for each point, found {rows} × {columns}")]
    NotSquare {
        /// Number of rows given.
        rows: usize,
        /// Number of columns given.
        columns: usize,
    },
    /// The number of entries is not n².
    #[error("expected {expected} entries of a square matrix of {n} points, found {found}")]
    SquareEntries {
        /// Number of points.
        n: usize,
        /// The square of the number of points.
        expected: usize,
        /// Number of entries given.
        found: usize,
    },
    /// The distance of a point to itself is not 0.
    #[error("the distance of point {i} to itself: expected 0, found {found}")]
    Diagonal {
        /// The point, 0-based.
        i: usize,
        /// The value found.
        found: f64,
    },
    /// The two distances of a pair of points differ by more than rounding.
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
    /// The numbers of births and points differ.
    #[error("expected the births of {points} points, found {found}")]
    Births {
        /// Number of points.
        points: usize,
        /// Number of births given.
        found: usize,
    },
    /// A birth is NaN or negative.
    #[error("the birth of point {i}: expected a non-negative number or infinity, found {found}")]
    BadBirth {
        /// The point, 0-based.
        i: usize,
        /// The value found.
        found: f64,
    },
    /// A distance is below the birth of one of its points.
    #[error(
        "the distance of points {i} and {j}: expected at least the birth of point {born}, {birth}, found {found}"
    )]
    EdgeBeforePoint {
        /// The greater point, 0-based.
        i: usize,
        /// The smaller point, 0-based.
        j: usize,
        /// The point that is born later.
        born: usize,
        /// The birth of that point.
        birth: f64,
        /// The distance found.
        found: f64,
    },
    /// The points have no coordinates.
    #[error("expected at least one coordinate per point, found none")]
    NoCoordinates,
    /// There are more points than can be numbered.
    #[error("expected at most {most} points, found {found}")]
    TooManyPoints {
        /// The greatest number of points.
        most: usize,
        /// Number of points given.
        found: usize,
    },
    /// A distance is NaN or negative.
    #[error("the distance of points {i} and {j}: expected a non-negative number or infinity, found {found}")]
    BadDistance {
        /// One point, 0-based.
        i: usize,
        /// The other point, 0-based.
        j: usize,
        /// The value found.
        found: f64,
    },
    /// A coordinate is NaN or infinite.
    #[error("coordinate {coordinate} of point {point}: expected a finite number, found {found}")]
    BadCoordinate {
        /// The point, 0-based.
        point: usize,
        /// The coordinate, 0-based.
        coordinate: usize,
        /// The value found.
        found: f64,
    },
    /// The number of coordinates is not a multiple of the dimension.
    #[error("expected {dimension} coordinates per point, found {found} in all")]
    RaggedPoints {
        /// Number of coordinates per point.
        dimension: usize,
        /// Number of coordinates given in all.
        found: usize,
    },
    /// An edge names a point that does not exist.
    #[error("edge {edge}: expected point ids below {n}, found {found}")]
    OutOfRange {
        /// The edge, 0-based.
        edge: usize,
        /// Number of points.
        n: usize,
        /// The id found.
        found: u64,
    },
    /// Two edges join the same pair of points.
    #[error("the edge of points {i} and {j} is given twice")]
    DuplicateEdge {
        /// One point, 0-based.
        i: u32,
        /// The other point, 0-based.
        j: u32,
    },
    /// An edge joins a point to itself.
    #[error("edge {edge}: expected two different points, found {found} twice")]
    Loop {
        /// The edge, 0-based.
        edge: usize,
        /// The point.
        found: u32,
    },
}
