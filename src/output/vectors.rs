//! Writers of diagrams as vectors, one row per diagram; one writer per format.
//!
//! | format | content |
//! |---|---|
//! | `csv` | one line per vector: its numbers, with the fewest digits that read back as the same double |
//! | `npy` | a NumPy array of doubles, one row per vector |

use std::io::{self, Write};

use serde::Serialize;
use strum::VariantArray;

use crate::input::npy;
use crate::names::named;

/// A format of vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, VariantArray)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum VectorFormat {
    /// Comma-separated values.
    #[default]
    Csv,
    /// A NumPy array.
    Npy,
}

impl VectorFormat {
    /// Writes vectors, all of one length, to `out`, unbuffered: pass a buffered writer.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn write<'a>(
        self,
        vectors: impl ExactSizeIterator<Item = &'a [f64]>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        match self {
            VectorFormat::Csv => {
                let mut number = zmij::Buffer::new();
                for vector in vectors {
                    for (k, &x) in vector.iter().enumerate() {
                        out.write_all(if k == 0 { b"" } else { b"," })?;
                        out.write_all(number.format(x).as_bytes())?;
                    }
                    out.write_all(b"\n")?;
                }
                Ok(())
            }
            VectorFormat::Npy => {
                let mut vectors = vectors.peekable();
                let shape = [vectors.len(), vectors.peek().map_or(0, |vector| vector.len())];
                npy::write_rows(&shape, vectors.map(|vector| Ok(vector.iter().copied())), out)
            }
        }
    }
}

named!(VectorFormat);
