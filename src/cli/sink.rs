//! Outputs. Files are opened before the work starts, so that nothing is computed in vain, and replaced as a whole at
//! the end, so that a failed run leaves what was there.
//!
//! In a run that keeps its state, answers are flushed to disk before that state marks them as done, or is deleted
//! ([`settle`]). They are flushed together, since a batch may have many.
//!
//! A file that is writable but cannot be replaced, because its directory is read-only or it is a mount point, is
//! written in place: then a failure while writing leaves it incomplete.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::ending::{self, Doing};
use super::error::{CliError, Result, usage};
use super::temporary::Temporary;
use super::{locked, stop_request};
use lacuna::internals::sync_directory;

/// Committed files that may not be on the disk yet; only of a run that keeps its state.
static PLACED: Mutex<Placed> = Mutex::new(Placed { paths: Vec::new(), failure: None });

/// Committed files, not yet flushed.
struct Placed {
    paths: Vec<PathBuf>,
    /// The error of a file that could not be flushed to disk.
    failure: Option<io::Error>,
}

/// Whether an output is text or binary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Content {
    /// Lines of text.
    #[default]
    Text,
    /// Bytes that no terminal can show.
    Binary,
}

/// An open output.
#[derive(Debug)]
pub(crate) enum Sink {
    /// Standard output.
    Stdout,
    /// A device or a pipe, or a file in a directory that accepts no new files: written from its beginning.
    Direct {
        /// The path as it was given, or, of a file, its absolute path, links followed.
        path: PathBuf,
        /// The file, open for writing.
        file: File,
        is_file: bool,
    },
    /// A regular file, new or to be replaced.
    File {
        /// Absolute path, links followed.
        path: PathBuf,
        /// Temporary file in the same directory, renamed to `path` on commit.
        replacement: Temporary,
    },
}

impl Sink {
    /// Opens the output at `path`; `None` and `-` stand for standard output.
    pub(crate) fn open(path: Option<&Path>, content: Content) -> Result<Sink> {
        let sink = match path {
            None => Sink::Stdout,
            Some(path) if path == Path::new("-") => Sink::Stdout,
            Some(path) => Sink::open_path(path)?,
        };
        match content {
            Content::Binary if sink.is_terminal() => Err(usage(format_args!(
                "{}: expected a file or a pipe for a binary format, found a terminal; -o FILE names a file",
                sink.name()
            ))),
            _ => Ok(sink),
        }
    }

    fn open_path(path: &Path) -> Result<Sink> {
        let failed = |source| CliError::unwritable(path, &source);
        let wrong = |what: &str| Err(CliError::input(format_args!("{}: expected {what}", path.display())));
        let name = path.as_os_str().to_string_lossy().to_lowercase();
        // Only `.nii.gz`, an image format, is compressed.
        if name.ends_with(".gz") && !name.ends_with(".nii.gz") {
            return wrong(
                "a name that does not end in .gz, found one that does: what is written is not compressed; \
                 -o - | gzip compresses it",
            );
        }
        if name.ends_with(std::path::is_separator) && !path.is_dir() {
            return wrong(&format!(
                "a path of a file that can be written, found one that ends in {}, as those of directories do",
                std::path::MAIN_SEPARATOR
            ));
        }
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => wrong("a path that can be written, found a directory"),
            Ok(found) if found.is_file() => replace(path, &found).map_err(failed),
            Ok(_) => {
                let file = OpenOptions::new().write(true).open(path).map_err(failed)?;
                Ok(Sink::Direct { path: path.to_path_buf(), file, is_file: false })
            }
            Err(error) if error.kind() == ErrorKind::NotFound => create(path).map_err(failed),
            Err(error) => Err(failed(error)),
        }
    }

    /// Path of the file that will be replaced or overwritten, if the output is one.
    pub(crate) fn file(&self) -> Option<&Path> {
        match self {
            Sink::File { path, .. } | Sink::Direct { path, is_file: true, .. } => Some(path),
            Sink::Stdout | Sink::Direct { .. } => None,
        }
    }

    fn is_terminal(&self) -> bool {
        match self {
            Sink::Stdout => io::stdout().is_terminal(),
            Sink::Direct { file, .. } => file.is_terminal(),
            Sink::File { .. } => false,
        }
    }

    /// Writes the content. A file to be replaced is not in its place before [`Sink::commit`].
    pub(crate) fn fill(&mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
        let mut write = Some(write);
        self.fill_by(&mut |out| write.take().map_or(Ok(()), |write| write(out)))
    }

    fn fill_by(&mut self, write: WriteTo<'_>) -> Result<()> {
        if !matches!(self, Sink::File { .. }) {
            ending::begin(Doing::Writing);
        }
        let written = match self {
            Sink::Stdout => readers_may_leave(buffered(&mut io::stdout().lock(), write)),
            Sink::Direct { file, is_file: true, .. } => file.set_len(0).and_then(|()| buffered(file, write)),
            Sink::Direct { file, .. } => buffered(file, write),
            Sink::File { replacement, .. } => replacement.file().and_then(|file| buffered(file, write)),
        };
        written.map_err(|source| CliError::write(self.name(), &source))
    }

    /// Commits the output: moves a finished file to its place.
    pub(crate) fn commit(self) -> Result<()> {
        ending::begin(Doing::Writing);
        let target = self.name();
        match self {
            Sink::Direct { path, is_file: true, .. } => {
                note_placed(path);
                Ok(())
            }
            Sink::Stdout | Sink::Direct { .. } => Ok(()),
            Sink::File { path, mut replacement } => {
                let moved = replacement.move_to(&path);
                let placed = moved.or_else(|error| match error.kind() {
                    // A mount point, or a file in a directory where only owners may rename: its content can still be
                    // overwritten.
                    ErrorKind::ResourceBusy | ErrorKind::CrossesDevices | ErrorKind::PermissionDenied => {
                        copy(&mut replacement, &path).map_err(|_| error)
                    }
                    _ => Err(error),
                });
                placed.map(|()| note_placed(path)).map_err(|source| CliError::write(target, &source))
            }
        }
    }

    fn name(&self) -> String {
        match self {
            Sink::Stdout => "standard output".to_string(),
            Sink::Direct { path, .. } | Sink::File { path, .. } => path.display().to_string(),
        }
    }
}

/// Writes the content of an output.
type WriteTo<'a> = &'a mut dyn FnMut(&mut dyn Write) -> io::Result<()>;

/// Records that a file was committed.
fn note_placed(path: PathBuf) {
    if stop_request::keeps_state() {
        locked(&PLACED).paths.push(path);
    }
}

/// Flushes all committed files of a run that keeps its state to the disk.
///
/// # Errors
/// A file could not be flushed, now or earlier: the system reports a lost write only once.
pub(crate) fn settle() -> io::Result<()> {
    let mut placed = locked(&PLACED);
    if placed.failure.is_none() {
        let paths = std::mem::take(&mut placed.paths);
        placed.failure = bring_to_the_disk(&paths).err();
    }
    placed.failure.as_ref().map_or(Ok(()), |error| Err(io::Error::new(error.kind(), error.to_string())))
}

fn bring_to_the_disk(paths: &[PathBuf]) -> io::Result<()> {
    let told = |path: &Path, synced: io::Result<()>| match synced {
        // A file that the user has removed or moved since is no longer an answer.
        Err(error) if error.kind() != ErrorKind::NotFound => {
            let words = format!("{}: cannot be brought to the disk: {error}", path.display());
            Err(io::Error::new(error.kind(), words))
        }
        _ => Ok(()),
    };
    for path in paths {
        // Windows flushes only files that are open for writing.
        let file = File::options().read(true).write(cfg!(windows)).open(path);
        told(path, file.and_then(|file| file.sync_all()))?;
    }
    let directories: BTreeSet<&Path> = paths.iter().map(|path| parent(path)).collect();
    directories.into_iter().try_for_each(|directory| told(directory, sync_directory(Some(directory))))
}

/// A sink that replaces the file at `path`, keeping its permissions.
fn replace(path: &Path, found: &fs::Metadata) -> io::Result<Sink> {
    // Renaming needs permission for the directory alone; opening the file first keeps a read-only file from being
    // replaced.
    let file = OpenOptions::new().write(true).open(path)?;
    let path = fs::canonicalize(path)?;
    match temporary(&path) {
        Ok(mut replacement) => {
            replacement.file()?.set_permissions(found.permissions())?;
            Ok(Sink::File { path, replacement })
        }
        Err(error) if matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem) => {
            Ok(Sink::Direct { path, file, is_file: true })
        }
        Err(error) => Err(error),
    }
}

/// A sink at `path`, where there is no file, or a dangling link.
fn create(path: &Path) -> io::Result<Sink> {
    let mut path = path.to_path_buf();
    // A dangling link gets the file that it names. For links in a circle, the system returns a different error.
    while let Ok(target) = fs::read_link(&path) {
        path = parent(&path).join(target);
    }
    let name = path.file_name().ok_or(ErrorKind::InvalidFilename)?;
    let path = fs::canonicalize(parent(&path))?.join(name);
    let replacement = temporary(&path)?;
    Ok(Sink::File { path, replacement })
}

/// Creates a temporary file beside `path`, with the permissions of any new file, reduced by the umask.
fn temporary(path: &Path) -> io::Result<Temporary> {
    #[cfg(unix)]
    let permissions: Option<fs::Permissions> = Some(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    #[cfg(not(unix))]
    let permissions = None;
    Temporary::create_in(parent(path), permissions.as_ref())
}

/// Overwrites the file at `path` with the content of a temporary file.
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

fn buffered(out: &mut dyn Write, write: WriteTo<'_>) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, out);
    write(&mut out)?;
    out.flush()
}

/// Turns a broken pipe into success: a reader that leaves early (`| head`) is not a failure.
pub(crate) fn readers_may_leave(written: io::Result<()>) -> io::Result<()> {
    written.or_else(|error| if error.kind() == ErrorKind::BrokenPipe { Ok(()) } else { Err(error) })
}
