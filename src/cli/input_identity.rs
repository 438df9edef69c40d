//! By what a run that goes on knows its input again.

use std::fs::{self, File, Metadata};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::time::UNIX_EPOCH;

use lacuna::snapshot::checksum;

use super::error::{CliError, PathError, UsageError};

/// Bytes at either end of a file that is too large to be read twice.
const END: u64 = 1 << 20;

/// A file by all of its bytes: how many there are, and their checksum.
pub(crate) fn of_bytes(path: &Path) -> Result<String, CliError> {
    let (mut file, _) = open(path)?;
    let (sum, length) = checksum(&mut file).map_err(|source| unreadable(path, source))?;
    Ok(format!("{length} bytes, checksum {sum:032x}"))
}

/// A file by what the system tells of it, and the checksum of its first and its last bytes: of one that is read as a stream, since
/// to sum all of it takes as long as the work.
pub(crate) fn of_ends(path: &Path) -> Result<String, CliError> {
    let (mut file, found) = open(path)?;
    let failed = |source| unreadable(path, source);
    let length = found.len();
    let (first, _) = checksum(&mut (&file).take(END)).map_err(failed)?;
    file.seek(SeekFrom::Start(length.saturating_sub(END))).map_err(failed)?;
    let (last, _) = checksum(&mut (&file).take(END)).map_err(failed)?;
    Ok(format!("{}, checksums of its ends {first:032x} and {last:032x}", of_metadata(&found)))
}

/// A file by what the system tells of it; none of what is no file.
pub(crate) fn of_times(path: &Path) -> Option<String> {
    let found = fs::metadata(path).ok().filter(Metadata::is_file)?;
    Some(of_metadata(&found))
}

/// The length of a file and when it was changed last, as whoever changes it may say; where there are inodes, which one it has and when the system saw
/// that change last. Nobody can say otherwise than by the system's clock: with the same inode and time, nobody has written to the file.
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

/// A file that can be read again by the run that goes on.
fn open(path: &Path) -> Result<(File, Metadata), CliError> {
    if path == Path::new("-") {
        return Err(UsageError::CheckpointOfPipe { found: "standard input".to_owned() }.into());
    }
    let failed = |source| unreadable(path, source);
    let found = fs::metadata(path).map_err(failed)?;
    if !found.is_file() {
        let found = format!("{}, which is none", path.display());
        return Err(UsageError::CheckpointOfPipe { found }.into());
    }
    Ok((File::open(path).map_err(failed)?, found))
}

fn unreadable(path: &Path, source: std::io::Error) -> CliError {
    PathError::Read { path: path.to_path_buf(), source }.into()
}
