//! The first bytes of a snapshot: what it is, how long, and whether it is whole.

use std::fmt;
use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use super::error::SnapshotError;

/// The bytes that a snapshot begins with.
pub const MAGIC: [u8; 8] = *b"\x89LAC\r\n\x1a\n";
/// The version of the format that is written, and the last that is read.
pub const VERSION: u32 = 1;
/// Bytes of a header.
pub const HEADER_LENGTH: usize = 48;

/// Makes the kinds, with their numbers and their names.
macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $number:literal, $name:literal;)*) => {
        /// What a snapshot holds.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Kind {
            $($(#[$doc])* $kind = $number,)*
        }

        impl Kind {
            /// All kinds.
            pub const ALL: &'static [Kind] = &[$(Kind::$kind,)*];

            /// What the kind is called.
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
    /// The run that a checkpoint is of.
    Manifest = 1, "run";
    /// Bars by dimension.
    Diagram = 2, "diagram";
    /// A ranked graph after its collapse.
    RipsCollapse = 16, "collapsed graph";
    /// A dimension of distances that is done: its bars, and the pivots that clear the next.
    RipsDimension = 17, "dimension of distances";
    /// The columns of a dimension of distances that are to be reduced.
    RipsResidue = 18, "residue";
    /// Those of them that are reduced.
    RipsReduction = 19, "reduced columns of distances";
    /// A spanning tree of points, as far as it has grown.
    RipsSpanningTree = 20, "spanning tree";
    /// A boundary matrix that is partly reduced.
    MatrixReduction = 32, "reduced columns of a boundary matrix";
    /// Stages of an image that are done.
    CubicalStages = 48, "stages of an image";
    /// A curve, as far as an image was read.
    PartialCurve = 64, "partial curve";
    /// The curve of an image at one of several scales.
    CurveAtScale = 65, "curve at a scale";
    /// The inputs of a batch that are done.
    Batch = 80, "inputs of a batch";
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) kind: Kind,
    /// Bytes of the payload.
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

    /// The header that the first bytes of a file are.
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
            // A later version may sum its header in another way.
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
