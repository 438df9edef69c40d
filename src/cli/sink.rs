//! Where output goes. Files are opened before the work starts, so that nothing is computed in vain, and replaced as a
//! whole at the end, so that a failed run leaves what was there.
//!
//! Where the run keeps its state, answers are brought to the disk before that state says that they are done, or goes ([`settle`]): not one by
//! one, since a batch may have many.
//!
//! A file that cannot be replaced but may be written, in a directory that may not or mounted by itself, is written in place: then
//! a failure while writing leaves a part of it.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use lacuna::internals::sync_directory;
use serde::Serialize;

use super::deadline;
use super::error::{CliError, PathError};
use super::interruption;
use super::temporary::Temporary;

/// The files of a run that keeps its state that are in their places, and may not be on the disk yet.
static PLACED: Mutex<Placed> = Mutex::new(Placed { paths: Vec::new(), failure: None });

/// Files that are in their places.
struct Placed {
    paths: Vec<PathBuf>,
    /// Why one of them could not be brought to the disk.
    failure: Option<io::Error>,
}

/// What an output holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    /// Lines of text.
    Text,
    /// Bytes that no terminal can show.
    Binary,
}

/// An output that is open.
#[derive(Debug)]
pub(crate) enum Sink {
    /// Standard output.
    Stdout,
    /// A device or a pipe: written as it is.
    Device {
        /// The path, as it was given.
        path: PathBuf,
        /// The file, open for writing.
        file: File,
    },
    /// A file, new or to be replaced.
    File {
        /// Its absolute path, links followed.
        path: PathBuf,
        /// What will be renamed to it, in the same directory.
        replacement: Temporary,
    },
    /// A file in a directory that takes no new ones: written as it is, from its beginning.
    InPlace {
        /// Its absolute path, links followed.
        path: PathBuf,
        /// The file, open for writing.
        file: File,
    },
}

impl Sink {
    /// Opens the output at `path`; none, or `-`, is standard output.
    pub(crate) fn open(path: Option<&Path>, content: Content) -> Result<Sink, PathError> {
        let sink = match path {
            None => Sink::Stdout,
            Some(path) if path == Path::new("-") => Sink::Stdout,
            Some(path) => Sink::open_path(path)?,
        };
        match content {
            Content::Binary if sink.is_terminal() => Err(PathError::Terminal { target: sink.name() }),
            _ => Ok(sink),
        }
    }

    fn open_path(path: &Path) -> Result<Sink, PathError> {
        let failed = |source| PathError::Open { path: path.to_path_buf(), source };
        let name = path.as_os_str().to_string_lossy().to_lowercase();
        // What is compressed is so by its format, that of images.
        if name.ends_with(".gz") && !name.ends_with(".nii.gz") {
            return Err(PathError::Compressed { path: path.to_path_buf() });
        }
        if name.ends_with(std::path::is_separator) && !path.is_dir() {
            return Err(PathError::NamedAsDirectory { path: path.to_path_buf() });
        }
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => Err(PathError::Directory { path: path.to_path_buf() }),
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
            Sink::File { path, .. } | Sink::InPlace { path, .. } => Some(path),
            Sink::Stdout | Sink::Device { .. } => None,
        }
    }

    fn is_terminal(&self) -> bool {
        match self {
            Sink::Stdout => io::stdout().is_terminal(),
            Sink::Device { file, .. } => file.is_terminal(),
            Sink::File { .. } | Sink::InPlace { .. } => false,
        }
    }

    /// Writes everything; a file that is replaced is not in its place before [`Sink::commit`].
    pub(crate) fn fill(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), CliError> {
        if !matches!(self, Sink::File { .. }) {
            deadline::begin_answer();
        }
        let written = match self {
            Sink::Stdout => readers_may_leave(buffered(io::stdout().lock(), write)),
            Sink::Device { file, .. } => buffered(file, write),
            Sink::File { replacement, .. } => replacement.file().and_then(|file| buffered(file, write)),
            Sink::InPlace { file, .. } => file.set_len(0).and_then(|()| buffered(file, write)),
        };
        written.map_err(|source| CliError::write(self.name(), source))
    }

    /// Writes a record as a JSON object.
    pub(crate) fn fill_json(&mut self, record: &impl Serialize) -> Result<(), CliError> {
        self.fill(|out| {
            serde_json::to_writer_pretty(&mut *out, record)?;
            out.write_all(b"\n")
        })
    }

    /// Puts a file in its place.
    pub(crate) fn commit(self) -> Result<(), CliError> {
        deadline::begin_answer();
        let target = self.name();
        match self {
            Sink::Stdout | Sink::Device { .. } => Ok(()),
            Sink::InPlace { path, .. } => {
                note_placed(path);
                Ok(())
            }
            Sink::File { path, mut replacement } => {
                let moved = replacement.move_to(&path);
                let placed = moved.or_else(|error| match error.kind() {
                    // A mount point, or a file of another's where only owners may rename: its content can be written.
                    ErrorKind::ResourceBusy | ErrorKind::CrossesDevices | ErrorKind::PermissionDenied => {
                        copy(&mut replacement, &path).map_err(|_| error)
                    }
                    _ => Err(error),
                });
                placed.map(|()| note_placed(path)).map_err(|source| CliError::write(target, source))
            }
        }
    }

    fn name(&self) -> String {
        match self {
            Sink::Stdout => "standard output".to_string(),
            Sink::Device { path, .. } | Sink::File { path, .. } | Sink::InPlace { path, .. } => {
                path.display().to_string()
            }
        }
    }
}

/// Notes that a file is in its place.
fn note_placed(path: PathBuf) {
    if interruption::keeps_state() {
        PLACED.lock().unwrap_or_else(PoisonError::into_inner).paths.push(path);
    }
}

/// Brings to the disk what has been put in its place by a run that keeps its state.
///
/// # Errors
/// Some of it could not be brought there, now or before: the system tells of that once, and from then on takes for written what it lost.
pub(crate) fn settle() -> io::Result<()> {
    let mut placed = PLACED.lock().unwrap_or_else(PoisonError::into_inner);
    if placed.failure.is_none() {
        let paths = std::mem::take(&mut placed.paths);
        placed.failure = bring_to_the_disk(&paths).err();
    }
    match &placed.failure {
        None => Ok(()),
        Some(error) => Err(io::Error::new(error.kind(), error.to_string())),
    }
}

fn bring_to_the_disk(paths: &[PathBuf]) -> io::Result<()> {
    let told = |path: &Path, synced: io::Result<()>| match synced {
        // What the user has removed or moved since is no answer any more.
        Err(error) if error.kind() != ErrorKind::NotFound => {
            let words = format!("{}: cannot be brought to the disk: {error}", path.display());
            Err(io::Error::new(error.kind(), words))
        }
        _ => Ok(()),
    };
    for path in paths {
        told(path, File::open(path).and_then(|file| file.sync_all()))?;
    }
    let directories: BTreeSet<&Path> = paths.iter().map(|path| parent(path)).collect();
    directories.into_iter().try_for_each(|directory| told(directory, sync_directory(Some(directory))))
}

/// A sink in place of the file at `path`, with its permissions.
fn replace(path: &Path, found: &fs::Metadata) -> io::Result<Sink> {
    // Renaming asks leave of the directory alone: a file that is protected stays protected.
    let file = OpenOptions::new().write(true).open(path)?;
    let path = fs::canonicalize(path)?;
    match temporary(&path) {
        Ok(mut replacement) => {
            replacement.file()?.set_permissions(found.permissions())?;
            Ok(Sink::File { path, replacement })
        }
        Err(error) if matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem) => {
            Ok(Sink::InPlace { path, file })
        }
        Err(error) => Err(error),
    }
}

/// A sink at `path`, where nothing is, or a link to nothing.
fn create(path: &Path) -> io::Result<Sink> {
    let mut path = path.to_path_buf();
    // A link that leads nowhere gets the file that it names. Links in a circle are found by the system, as an error of another kind.
    while let Ok(target) = fs::read_link(&path) {
        path = parent(&path).join(target);
    }
    let name = path.file_name().ok_or(ErrorKind::InvalidFilename)?;
    let path = fs::canonicalize(parent(&path))?.join(name);
    let replacement = temporary(&path)?;
    Ok(Sink::File { path, replacement })
}

/// A temporary file beside `path`.
fn temporary(path: &Path) -> io::Result<Temporary> {
    Temporary::create_in(parent(path), |builder| {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // The permissions of any new file: what the umask leaves.
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        #[cfg(not(unix))]
        let _ = builder;
    })
}

/// Writes what is in a temporary file over the file at `path`.
fn copy(from: &mut Temporary, path: &Path) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).truncate(true).open(path)?;
    let from = from.file()?;
    from.rewind()?;
    io::copy(from, &mut file).map(|_| ())
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
pub(crate) fn readers_may_leave(written: io::Result<()>) -> io::Result<()> {
    written.or_else(|error| if error.kind() == ErrorKind::BrokenPipe { Ok(()) } else { Err(error) })
}
