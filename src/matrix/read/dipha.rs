//! `dipha`: DIPHA's inputs.

use phat_formats::dipha;

use super::{Content, Problem};

/// The complex of a file.
pub(super) fn read(bytes: &[u8], upper_dim: Option<usize>) -> Result<Content, Problem> {
    let _ = upper_dim;
    Err(Problem::FileType { found: dipha::file_type(bytes)? })
}
