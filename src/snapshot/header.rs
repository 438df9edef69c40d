//! Header of a snapshot: identifies the file, its length and its checksum.

use std::fmt;
use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use super::error::SnapshotError;

/// Magic bytes of a snapshot.
pub const MAGIC: [u8; 8] = *b"\x89LAC\r\n\x1a\n";
/// Version of the format that is written, and the latest that can be read.
pub const VERSION: u32 = 1;
/// Length of a header in bytes.
pub const HEADER_LENGTH: usize = 48;

/// Defines the kinds with their numbers and names.
macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $number:literal, $name:literal;)*) => {
        /// Kind of the content of a snapshot.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Kind {
            $($(#[$doc])* $kind = $number,)*
        }

        impl Kind {
            /// All kinds.
            pub const ALL: &'static [Kind] = &[$(Kind::$kind,)*];

            /// Name of the kind.
            pub fn name(self) -> &'static str {
                match self {
                    $(Kind::$kind => $name,)*
                }
            }

            fn of_number(number: u32) -> Option<Self> {
                match number {
                    $($number => Some(Kind::$kind),)*
                    _ => None,
                }
            }
        }
    };
}

kinds! {
    /// Fingerprint of the run of a checkpoint.
    Manifest = 1, "run";
    /// Bars by dimension.
    Diagram = 2, "diagram";
    /// Ranked graph after edge collapse.
    RipsCollapse = 16, "collapsed graph";
    /// Completed dimension of a Rips filtration: its bars, and the pivots that clear the next dimension.
    RipsDimension = 17, "dimension of distances";
    /// Columns of a dimension of a Rips filtration that remain to be reduced.
    RipsResidue = 18, "residue";
    /// Reduced columns of a dimension of a Rips filtration.
    RipsReduction = 19, "reduced columns of distances";
    /// Partial minimum spanning tree of points.
    RipsSpanningTree = 20, "spanning tree";
    /// Partially reduced boundary matrix.
    MatrixReduction = 32, "reduced columns of a boundary matrix";
    /// Completed stages of an image.
    CubicalStages = 48, "stages of an image";
    /// Partial curve, up to the part of the image that was read.
    PartialCurve = 64, "partial curve";
    /// The curve of an image at one of several scales.
    CurveAtScale = 65, "curve at a scale";
    /// Completed inputs of a batch.
    Batch = 80, "inputs of a batch";
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Header of a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) kind: Kind,
    /// Length of the payload in bytes.
    pub(super) length: u64,
    pub(super) checksum: u128,
}

impl Header {
    pub(super) fn bytes(&self) -> [u8; HEADER_LENGTH] {
        let mut bytes = [0; HEADER_LENGTH];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[12..16].copy_from_slice(&(self.kind as u32).to_le_bytes());
        bytes[16..24].copy_from_slice(&self.length.to_le_bytes());
        bytes[24..40].copy_from_slice(&self.checksum.to_le_bytes());
        let own = xxh3_64(&bytes[..40]);
        bytes[40..].copy_from_slice(&own.to_le_bytes());
        bytes
    }

    /// Parses the first bytes of a file.
    pub(super) fn read(path: &Path, bytes: &[u8]) -> Result<Self, SnapshotError> {
        let magic = &bytes[..bytes.len().min(MAGIC.len())];
        if !MAGIC.starts_with(magic) || magic.is_empty() {
            let (path, found) = (path.to_path_buf(), magic.to_vec());
            return Err(SnapshotError::Foreign { path, expected: MAGIC, found });
        }
        let Some(bytes) = bytes.first_chunk::<HEADER_LENGTH>() else {
            let (expected, found) = (HEADER_LENGTH as u64, bytes.len() as u64);
            return Err(SnapshotError::Length { path: path.to_path_buf(), expected, found });
        };
        let number = |from: usize| u32::from_le_bytes(std::array::from_fn(|k| bytes[from + k]));
        let long = |from: usize| u64::from_le_bytes(std::array::from_fn(|k| bytes[from + k]));
        let (version, own, found) = (number(8), long(40), xxh3_64(&bytes[..40]));
        if own != found {
            // A later version may use another checksum for its header.
            if version > VERSION {
                return Err(SnapshotError::Newer { path: path.to_path_buf(), found: version });
            }
            let (expected, found) = (own.into(), found.into());
            return Err(SnapshotError::Checksum {
                path: path.to_path_buf(),
                from: 0,
                to: 39,
                expected,
                found,
            });
        }
        if version != VERSION {
            return Err(SnapshotError::Newer { path: path.to_path_buf(), found: version });
        }
        let unknown = || SnapshotError::UnknownKind { path: path.to_path_buf(), found: number(12) };
        let kind = Kind::of_number(number(12)).ok_or_else(unknown)?;
        let checksum = u128::from_le_bytes(std::array::from_fn(|k| bytes[24 + k]));
        Ok(Header { kind, length: long(16), checksum })
    }
}
