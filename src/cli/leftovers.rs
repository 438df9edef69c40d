//! Temporary files and folders left over by runs that could not remove them. The next run recognises and removes them.
//!
//! A temporary file or folder is called `.lacuna-MACHINE-RANDOM.tmp`. A running program holds a lock on it, which the
//! system releases when the program ends, even by `kill -9`. A run that makes a temporary file first looks once for
//! others in the same folder: those that it can lock have no owner, and are removed.
//!
//! What belongs to a running program is never removed. A file is locked after it is created; if another run removes it
//! in between, that is noticed, and it is created again under another name. Locks may not work across a network, so
//! files of other machines are left alone. On a file system without locks nothing is removed.
//!
//! Windows locks bytes rather than files: nobody can write to them, not even the owner of the lock through another
//! handle. But there a file can be opened for oneself alone, as long as no other program has it open, so it needs no
//! lock. Folders stay there.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex};

use hashbrown::HashSet;
use tempfile::Builder;

use super::locked;

/// Ending of the names of temporary files.
const SUFFIX: &str = ".tmp";

/// Number of random characters in a name.
const RANDOM: usize = 8;

/// Largest number of directory entries that are examined; in a larger folder the search would take longer than a short
/// run.
const MOST_NAMES: usize = 1 << 14;

/// Prefix of the names of this machine's temporary files.
static PREFIX: LazyLock<String> = LazyLock::new(|| prefix(&machine()));

fn prefix(machine: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    format!(".lacuna-{}-", machine.chars().map(plain).collect::<String>())
}

/// Name of this machine. Where the system does not report it, only locks protect the files.
fn machine() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    if name.trim().is_empty() { "local".to_owned() } else { name.trim().to_owned() }
}

/// Creates a file or a folder in a folder, as `make` does, and locks it as long as the returned file is open. Leftovers
/// of other runs there are removed first.
pub(super) fn held<T: AsRef<Path>>(
    folder: &Path,
    make: impl Fn(&mut Builder<'_, 'static>) -> io::Result<T>,
) -> io::Result<(T, Option<File>)> {
    remove_once(folder);
    loop {
        let mut builder = Builder::new();
        let made = make(builder.prefix(PREFIX.as_str()).suffix(SUFFIX).rand_bytes(RANDOM))?;
        let lock = lock(made.as_ref());
        // Another run may have taken it for a leftover before the lock and removed it.
        if made.as_ref().try_exists()? {
            return Ok((made, lock));
        }
    }
}

/// Locks a file or a folder as long as the returned file is open. Where locks are not supported, no other run gets one
/// either.
#[cfg(not(windows))]
fn lock(path: &Path) -> Option<File> {
    File::open(path).inspect(|file| _ = file.lock()).ok()
}

/// Windows needs no lock: no other program can remove a file that is open.
#[cfg(windows)]
fn lock(_: &Path) -> Option<File> {
    None
}

/// Removes the leftovers in a folder, once per folder and run.
fn remove_once(folder: &Path) {
    static SEEN: Mutex<Option<HashSet<PathBuf>>> = Mutex::new(None);
    // A path that cannot be made canonical may be searched again.
    let real = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_path_buf());
    let mut seen = locked(&SEEN);
    if seen.get_or_insert_default().insert(real) {
        drop(seen);
        remove_leftovers(folder, &PREFIX);
    }
}

/// Removes the unlocked temporary files and folders in a folder whose names begin with `prefix`. Those that cannot be
/// removed stay, which is harmless.
fn remove_leftovers(folder: &Path, prefix: &str) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.take(MOST_NAMES).flatten() {
        let is_folder = match entry.file_type() {
            Ok(kind) if kind.is_file() || kind.is_dir() => kind.is_dir(),
            _ => continue,
        };
        if is_temporary(&entry.file_name(), prefix) {
            remove_if_free(&entry.path(), is_folder);
        }
    }
}

fn is_temporary(name: &OsStr, prefix: &str) -> bool {
    let random = name.to_str().and_then(|name| name.strip_prefix(prefix)?.strip_suffix(SUFFIX));
    random.is_some_and(|random| random.len() == RANDOM && random.bytes().all(|c| c.is_ascii_alphanumeric()))
}

#[cfg(not(windows))]
fn remove_if_free(path: &Path, is_folder: bool) {
    let Ok(file) = File::open(path) else { return };
    if file.try_lock().is_ok() {
        _ = if is_folder { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    }
}

#[cfg(windows)]
fn remove_if_free(path: &Path, is_folder: bool) {
    use std::os::windows::fs::OpenOptionsExt;
    // Fails while any program has the file open.
    let is_free = !is_folder && File::options().read(true).share_mode(0).open(path).is_ok();
    if is_free {
        // A file that cannot be removed stays.
        let _ = fs::remove_file(path);
    }
}

#[cfg(all(test, not(windows)))]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string());
        let mut names: Vec<String> = names.map(Result::unwrap).collect();
        names.sort();
        names
    }

    #[test]
    fn what_nobody_holds_is_removed_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let prefix = prefix("this.host");
        let kept = [
            ".lacuna-other-abcd1234.tmp",
            ".lacuna-this_host-abcd123.tmp",
            ".lacuna-this_host-abcd_234.tmp",
            ".lacuna-this_host-abcd1234.tmp.gz",
            "lacuna-this_host-abcd1234.tmp",
            "bars.txt",
        ];
        for name in kept.iter().chain(&[".lacuna-this_host-abcd1234.tmp", ".lacuna-this_host-held1234.tmp"]) {
            fs::write(at(name), "bars").unwrap();
        }
        let held = File::open(at(".lacuna-this_host-held1234.tmp")).unwrap();
        held.lock().unwrap();
        // A folder of nobody, one that is held, and one of another name.
        fs::create_dir_all(at(".lacuna-this_host-free1234.tmp/inner")).unwrap();
        fs::write(at(".lacuna-this_host-free1234.tmp/inner/file"), "").unwrap();
        fs::create_dir(at(".lacuna-this_host-dir12345.tmp")).unwrap();
        let held_folder = File::open(at(".lacuna-this_host-dir12345.tmp")).unwrap();
        held_folder.lock().unwrap();
        fs::create_dir(at(".lacuna-this_host-abcd1234")).unwrap();

        remove_leftovers(folder.path(), &prefix);
        let held_names = [
            ".lacuna-this_host-abcd1234",
            ".lacuna-this_host-held1234.tmp",
            ".lacuna-this_host-dir12345.tmp",
        ];
        let mut expected: Vec<String> = kept.iter().chain(&held_names).map(|&name| name.to_owned()).collect();
        expected.sort();
        assert_eq!(names(folder.path()), expected);

        drop((held, held_folder));
        remove_leftovers(folder.path(), &prefix);
        let left = [".lacuna-this_host-held1234.tmp", ".lacuna-this_host-dir12345.tmp"]
            .map(|name| at(name).exists());
        assert_eq!(left, [false; 2]);
    }

    /// Threads create files beside others that remove unlocked ones; each thread keeps its own file.
    #[test]
    fn nobody_takes_what_is_just_being_made() {
        let folder = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            let makers: Vec<_> = (0..2)
                .map(|_| {
                    scope.spawn(|| {
                        let make = |builder: &mut Builder<'_, 'static>| builder.tempfile_in(folder.path());
                        (0..300).map(|_| held(folder.path(), make).unwrap()).collect::<Vec<_>>()
                    })
                })
                .collect();
            while !makers.iter().all(|maker| maker.is_finished()) {
                remove_leftovers(folder.path(), &PREFIX);
            }
            let files: Vec<_> = makers.into_iter().flat_map(|maker| maker.join().unwrap()).collect();
            assert!(files.iter().all(|(file, _)| file.path().exists()));
            assert_eq!(names(folder.path()).len(), files.len());
        });
    }
}
