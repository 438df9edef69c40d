//! Errors of paths.

use std::io;
use std::path::PathBuf;

/// Problems with the path of an input or an output.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PathError {
    #[error("{}: expected a directory with files to read, found no regular, non-hidden files", path.display())]
    NoFiles { path: PathBuf },
    #[error("{}: expected a directory with snapshots (*.lac), found none", path.display())]
    NoSnapshots { path: PathBuf },
    #[error("{}: expected a file that can be read", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{}: expected a directory that can be listed", path.display())]
    List { path: PathBuf, source: io::Error },
    #[error("{}: expected a path that can be written", path.display())]
    Open { path: PathBuf, source: io::Error },
    #[error("{}: expected a path that can be written, found a directory", path.display())]
    Directory { path: PathBuf },
    #[error("{}: expected a path of a file that can be written, found one that ends in {}, as those of directories do", path.display(), std::path::MAIN_SEPARATOR)]
    NamedAsDirectory { path: PathBuf },
    #[error(
        "{}: expected a name that does not end in .gz, found one that does: what is written is not compressed; -o - | gzip compresses it",
        path.display()
    )]
    Compressed { path: PathBuf },
    #[error("{}: expected an output that is not the input, found the file {}", path.display(), input.display())]
    Overwritten { path: PathBuf, input: PathBuf },
    #[error(
        "{target}: expected a file or a pipe for a binary format, found a terminal; -o FILE names a file"
    )]
    Terminal { target: String },
}

impl PathError {
    /// Whether other inputs of the same run may still succeed.
    pub(super) fn concerns_one_input(&self) -> bool {
        match self {
            PathError::Open { .. }
            | PathError::Read { .. }
            | PathError::Directory { .. }
            | PathError::NamedAsDirectory { .. }
            | PathError::Compressed { .. }
            | PathError::Overwritten { .. } => true,
            PathError::NoFiles { .. }
            | PathError::NoSnapshots { .. }
            | PathError::List { .. }
            | PathError::Terminal { .. } => false,
        }
    }
}
