//! Where output goes. Files are opened before the work starts, so that nothing is computed in vain, and replaced as a
//! whole at the end, so that a failed run leaves what was there.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::error::CliError;

/// An output that is open.
#[derive(Debug)]
pub(crate) enum Sink {
    /// Standard output.
    Stdout,
    /// A device or a pipe: written as it is.
    Device {
        /// Its path.
        path: PathBuf,
        /// It.
        file: File,
    },
    /// A file, new or to be replaced.
    File {
        /// Its absolute path, links followed.
        path: PathBuf,
        /// What will be renamed to it, in the same directory.
        replacement: NamedTempFile,
    },
}

impl Sink {
    /// Opens the output at `path`; none, or `-`, is standard output.
    pub(crate) fn open(path: Option<&Path>) -> Result<Sink, CliError> {
        match path {
            None => Ok(Sink::Stdout),
            Some(path) if path == Path::new("-") => Ok(Sink::Stdout),
            Some(path) => Sink::open_path(path),
        }
    }

    fn open_path(path: &Path) -> Result<Sink, CliError> {
        let failed = |source| CliError::Open { path: path.to_path_buf(), source };
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => Err(CliError::Directory { path: path.to_path_buf() }),
            Ok(found) if found.is_file() => replace(path, &found).map_err(failed),
            Ok(_) => {
                let file = OpenOptions::new().write(true).open(path).map_err(failed)?;
                Ok(Sink::Device { path: path.to_path_buf(), file })
            }
            Err(error) if error.kind() == ErrorKind::NotFound => create(path).map_err(failed),
            Err(error) => Err(failed(error)),
        }
    }

    /// The file that will be replaced, if it is one.
    pub(crate) fn file(&self) -> Option<&Path> {
        match self {
            Sink::File { path, .. } => Some(path),
            _ => None,
        }
    }

    /// Writes everything; a file is not in its place before [`Sink::commit`].
    pub(crate) fn fill(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), CliError> {
        let written = match self {
            Sink::Stdout => readers_may_leave(buffered(io::stdout().lock(), write)),
            Sink::Device { file, .. } => buffered(file, write),
            Sink::File { replacement, .. } => buffered(replacement.as_file_mut(), write),
        };
        written.map_err(|source| CliError::Write { target: self.name(), source })
    }

    /// Puts a file in its place.
    pub(crate) fn commit(self) -> Result<(), CliError> {
        let target = self.name();
        match self {
            Sink::Stdout | Sink::Device { .. } => Ok(()),
            Sink::File { path, replacement } => match replacement.persist(&path) {
                Ok(_) => Ok(()),
                Err(failed) => Err(CliError::Write { target, source: failed.error }),
            },
        }
    }

    fn name(&self) -> String {
        match self {
            Sink::Stdout => "standard output".to_string(),
            Sink::Device { path, .. } | Sink::File { path, .. } => path.display().to_string(),
        }
    }
}

/// A sink in place of the file at `path`, with its permissions.
fn replace(path: &Path, found: &fs::Metadata) -> io::Result<Sink> {
    // Renaming asks leave of the directory alone: a file that is protected stays protected.
    OpenOptions::new().write(true).open(path)?;
    let path = fs::canonicalize(path)?;
    let replacement = temporary(&path)?;
    replacement.as_file().set_permissions(found.permissions())?;
    Ok(Sink::File { path, replacement })
}

/// A sink at `path`, where nothing is.
fn create(path: &Path) -> io::Result<Sink> {
    let name = path.file_name().ok_or(ErrorKind::InvalidFilename)?;
    let path = fs::canonicalize(parent(path))?.join(name);
    let replacement = temporary(&path)?;
    Ok(Sink::File { path, replacement })
}

/// A temporary file beside `path`, removed when dropped.
fn temporary(path: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".lacuna-").suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As any new file: what the umask leaves.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(parent(path))
}

fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

fn buffered(out: impl Write, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, out);
    write(&mut out)?;
    out.flush()
}

/// A reader of standard output that leaves early (`| head`) is no failure.
fn readers_may_leave(written: io::Result<()>) -> io::Result<()> {
    written.or_else(|error| if error.kind() == ErrorKind::BrokenPipe { Ok(()) } else { Err(error) })
}
