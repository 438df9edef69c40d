//! DIPHA files: little-endian 64-bit integers and doubles after a common header.
//!
//! | bytes | type | content |
//! |---|---|---|
//! | 0–7 | `i64` | the magic number 8067171840 |
//! | 8–15 | `i64` | the file type |
//! | 16–… | | depends on the file type |
//!
//! | file type | content | reader |
//! |---|---|---|
//! | 0 | weighted boundary matrix | [`read_boundary_matrix`] |
//! | 1 | image data | [`Image`] |
//! | 2 | persistence diagram | [`read_diagram`] |
//! | 7 | distance matrix | [`DistanceMatrix`] |
//! | 8 | sparse distance matrix | [`SparseDistanceMatrix`] |

mod boundary;
mod dense;
mod diagram;
mod image;
mod sparse;

pub use boundary::{
    Flavour, WeightedBoundaryMatrix, boundary_matrix_size, read_boundary_matrix, write_boundary_matrix,
};
pub use dense::{DistanceMatrix, write_distance_matrix};
pub use diagram::{DiagramPoint, read_diagram, write_diagram};
pub use image::{Image, ImageHeader, write_image};
pub use sparse::{SparseDistanceMatrix, SparseEntry, write_sparse_distance_matrix};

use crate::FormatError;
use crate::fields::Fields;

/// The number every DIPHA file begins with.
pub const MAGIC: i64 = 8_067_171_840;

/// Number of bytes in the header: magic number and file type.
pub const HEADER: usize = 16;

/// The type of a DIPHA file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileType {
    /// Weighted boundary matrix, 0.
    BoundaryMatrix = 0,
    /// Image data, 1.
    Image = 1,
    /// Persistence diagram, 2.
    Diagram = 2,
    /// Distance matrix, 7.
    DistanceMatrix = 7,
    /// Sparse distance matrix, 8.
    SparseDistanceMatrix = 8,
}

impl FileType {
    /// Every file type.
    pub const ALL: [FileType; 5] = [
        FileType::BoundaryMatrix,
        FileType::Image,
        FileType::Diagram,
        FileType::DistanceMatrix,
        FileType::SparseDistanceMatrix,
    ];

    /// The number of the type in the header.
    pub fn code(self) -> i64 {
        self as i64
    }
}

impl std::fmt::Display for FileType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = match self {
            FileType::BoundaryMatrix => "weighted boundary matrix",
            FileType::Image => "image data",
            FileType::Diagram => "persistence diagram",
            FileType::DistanceMatrix => "distance matrix",
            FileType::SparseDistanceMatrix => "sparse distance matrix",
        };
        write!(f, "{} ({name})", self.code())
    }
}

/// Whether a file begins with the magic number.
pub fn has_magic(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC.to_le_bytes())
}

/// Reads the file type from the header of a DIPHA file.
///
/// # Errors
/// The header is truncated, the magic number is wrong, or the file type does not exist.
pub fn file_type(bytes: &[u8]) -> Result<FileType, FormatError> {
    Fields::new(bytes).file_type()
}
