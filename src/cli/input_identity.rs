//! Identities by which a resumed run recognises its input.

use std::fmt::Display;
use std::fs::{self, File, Metadata};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::time::UNIX_EPOCH;

use lacuna::cubical::read::{ImageOptions, other_files};
use lacuna::snapshot::checksum;

use super::error::{CliError, Result, usage};

/// Bytes that are summed at either end of a file too large to be read twice.
const END: u64 = 1 << 20;

/// Identity by content: length and checksum of the whole file.
pub(crate) fn of_bytes(path: &Path) -> Result<String> {
    let (mut file, _) = open(path)?;
    let (sum, length) = checksum(&mut file).map_err(|source| unreadable(path, source))?;
    Ok(format!("{length} bytes, checksum {sum:032x}"))
}

/// Identity of a file that is read as a stream: metadata and the checksum of its first and last bytes. To sum the whole
/// file would take as long as the work itself.
pub(crate) fn of_ends(path: &Path) -> Result<String> {
    let (mut file, found) = open(path)?;
    let failed = |source| unreadable(path, source);
    let length = found.len();
    let (first, _) = checksum(&mut (&file).take(END)).map_err(failed)?;
    file.seek(SeekFrom::Start(length.saturating_sub(END))).map_err(failed)?;
    let (last, _) = checksum(&mut (&file).take(END)).map_err(failed)?;
    Ok(format!("{}, checksums of its ends {first:032x} and {last:032x}", of_metadata(&found)))
}

/// Identity by metadata alone; `None` if the path is not a regular file.
pub(crate) fn of_times(path: &Path) -> Option<String> {
    let found = fs::metadata(path).ok().filter(Metadata::is_file)?;
    Some(of_metadata(&found))
}

/// Length and modification time of a file. Where there are inodes, also the inode and the change time. A modification
/// time can be set at will, but the change time comes from the system's clock: if inode and change time are the same,
/// the file was not written to.
fn of_metadata(found: &Metadata) -> String {
    let changed = found.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let changed =
        changed.map_or_else(|| "at an unknown time".to_owned(), |time| format!("at {}", time.as_nanos()));
    format!("{} bytes, changed {changed}{}", found.len(), inode(found))
}

#[cfg(unix)]
fn inode(found: &Metadata) -> String {
    use std::os::unix::fs::MetadataExt;
    format!(", inode {} changed at {}.{:09}", found.ino(), found.ctime(), found.ctime_nsec())
}

#[cfg(not(unix))]
fn inode(_: &Metadata) -> String {
    String::new()
}

/// Refuses an image that is in several files: those beside the input could change without its identity changing.
pub(crate) fn check_one_file(path: &Path, options: &ImageOptions) -> Result<()> {
    match other_files(path, options).first() {
        None => Ok(()),
        Some(other) => Err(CliError::input(format_args!(
            "{}: --checkpoint: expected an image in one file, found that it is also in {}; lacuna convert {} x.npy \
             makes one",
            path.display(),
            other.display(),
            path.display(),
        ))),
    }
}

/// Opens a file that a resumed run can read again.
fn open(path: &Path) -> Result<(File, Metadata)> {
    if path == Path::new("-") {
        return Err(of_pipe("standard input"));
    }
    let failed = |source| unreadable(path, source);
    let found = fs::metadata(path).map_err(failed)?;
    if !found.is_file() {
        return Err(of_pipe(format_args!("{}, which is none", path.display())));
    }
    Ok((File::open(path).map_err(failed)?, found))
}

fn of_pipe(found: impl Display) -> CliError {
    usage(format_args!("--checkpoint: expected a file, which the resumed run can read again, found {found}"))
}

fn unreadable(path: &Path, source: std::io::Error) -> CliError {
    CliError::path(path, "a file that can be read", &source)
}
