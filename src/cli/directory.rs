//! Directories as inputs: each stands for the files in it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::error::{CliError, Result, usage};
use super::notes::Notes;

/// Whether a directory is one input, as one of Zarr is for commands that read images.
pub(crate) type IsInput = fn(&Path) -> bool;

/// Whether a path is a directory that stands for the files in it.
pub(crate) fn is_batch(path: &Path, is_input: IsInput) -> bool {
    path.is_dir() && !is_input(path)
}

/// The inputs in a directory, by name: its regular, non-hidden files, and directories that are inputs. Pipes, sockets
/// and devices are reported and skipped, since opening one could block for ever. Other directories are skipped
/// silently.
///
/// # Errors
/// The directory cannot be listed, or has no such file.
pub(crate) fn files_of(directory: &Path, is_input: IsInput, notes: Notes) -> Result<Vec<PathBuf>> {
    let mut files = listed(directory)?;
    let is_hidden =
        |path: &Path| path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    files.retain(|path| !is_hidden(path) && !is_batch(path, is_input));
    files.retain(|path| {
        // A dangling link counts as a file; its reader reports that it cannot be read.
        let is_special = fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir());
        if is_special {
            notes.note(format_args!("{}: skipped: not a regular file", path.display()));
        }
        !is_special
    });
    if files.is_empty() {
        return Err(usage(format_args!(
            "{}: expected a directory with files to read, found no regular, non-hidden files",
            directory.display()
        )));
    }
    Ok(files)
}

/// Makes a directory, which another rank may make at the same time.
pub(crate) fn make(path: &Path) -> io::Result<()> {
    fs::create_dir(path).or_else(|error| if path.is_dir() { Ok(()) } else { Err(error) })
}

/// The paths in a directory, sorted.
pub(crate) fn listed(directory: &Path) -> Result<Vec<PathBuf>> {
    let failed = |source| CliError::unlistable(directory, &source);
    let entries: Vec<_> = fs::read_dir(directory).and_then(Iterator::collect).map_err(failed)?;
    let mut paths: Vec<PathBuf> = entries.iter().map(fs::DirEntry::path).collect();
    paths.sort();
    Ok(paths)
}
