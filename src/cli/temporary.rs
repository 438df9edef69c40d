//! Temporary files and folders: they are gone when the program ends, by itself or by a signal that asks it to. Where it had no chance to
//! remove them, the next run does ([`leftovers`]).

use std::fs::DirBuilder;
use std::io;
#[cfg(unix)]
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::{Builder, NamedTempFile, PersistError};

use super::leftovers;

/// The temporary files and folders that there are.
static PATHS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn paths() -> MutexGuard<'static, Vec<PathBuf>> {
    // A list of paths is valid whoever panicked.
    PATHS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A temporary file, removed when it is dropped and when a signal ends the program.
#[derive(Debug)]
pub(crate) struct Temporary {
    /// None once it has been moved to its place.
    file: Option<NamedTempFile>,
    path: PathBuf,
}

impl Temporary {
    /// A new file in a folder, made as `prepare` says. No signal ends the program between its making and its being known.
    pub(crate) fn create_in(
        folder: &Path,
        prepare: impl Fn(&mut Builder<'_, 'static>),
    ) -> io::Result<Temporary> {
        signals::watch();
        let mut paths = paths();
        let file = leftovers::held_file(folder, prepare)?;
        let path = file.path().to_path_buf();
        paths.push(path.clone());
        Ok(Temporary { file: Some(file), path })
    }

    /// The open file.
    pub(crate) fn file(&mut self) -> io::Result<&mut std::fs::File> {
        let file = self.file.as_mut().ok_or(io::ErrorKind::NotFound)?;
        Ok(file.as_file_mut())
    }

    /// Moves the file to `place`, in place of what is there. On failure the file stays as it is.
    pub(crate) fn move_to(&mut self, place: &Path) -> io::Result<()> {
        let file = self.file.take().ok_or(io::ErrorKind::NotFound)?;
        match file.persist(place) {
            Ok(_) => Ok(()),
            Err(PersistError { error, file }) => {
                self.file = Some(file);
                Err(error)
            }
        }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let mut paths = paths();
        self.file = None;
        paths.retain(|path| *path != self.path);
    }
}

/// A temporary folder, removed with all that is in it when it is dropped and when a signal ends the program.
#[derive(Debug)]
pub(crate) struct TemporaryFolder {
    path: PathBuf,
    /// The file beside it by which it is known; it goes after the folder.
    _file: Temporary,
}

impl TemporaryFolder {
    /// A new folder among the system's temporary files, which nobody else can enter. Its path is absolute.
    ///
    /// A folder, file or link that somebody made under its name is left alone, and another name is tried.
    pub(crate) fn create() -> io::Result<TemporaryFolder> {
        TemporaryFolder::create_in(&std::path::absolute(std::env::temp_dir())?, leftovers::folder_of)
    }

    fn create_in(place: &Path, folder_of: impl Fn(&Path) -> PathBuf) -> io::Result<TemporaryFolder> {
        const TRIES: usize = 16;
        let mut tries = 0;
        loop {
            let file = Temporary::create_in(place, |_| ())?;
            let path = folder_of(&file.path);
            let mut paths = paths();
            tries += 1;
            match private_folder(&path) {
                Ok(()) => {
                    paths.push(path.clone());
                    drop(paths);
                    return Ok(TemporaryFolder { path, _file: file });
                }
                // The file goes when it is dropped, which needs the list.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && tries < TRIES => drop(paths),
                Err(error) => {
                    drop(paths);
                    return Err(error);
                }
            }
        }
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// Makes a folder that its owner alone can read and enter. What is there already, a link as well, is an error.
fn private_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    builder.mode(0o700);
    builder.create(path)
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        let mut paths = paths();
        // What cannot be removed now, a later run tries to.
        let _ = std::fs::remove_dir_all(&self.path);
        paths.retain(|path| *path != self.path);
    }
}

/// Removes what there is, for a program that is about to end. As long as what is returned lives, no other file is made.
pub(super) fn remove_all() -> impl Drop {
    let paths = paths();
    // A folder before the file beside it, by which a later run knows it.
    for path in paths.iter().rev() {
        // What cannot be removed stays; there is nobody left to tell.
        if std::fs::remove_file(path).is_err() {
            let _ = std::fs::remove_dir_all(path);
        }
    }
    paths
}

/// Has signals that end the program heard from now on.
pub(crate) fn watch_signals() {
    signals::watch();
}

/// Removes what there is, for a program that is about to end and must not wait nor allocate. Where another thread is making or removing a
/// file just now, files stay.
#[cfg(all(feature = "huge-pages", target_os = "linux"))]
pub(crate) fn remove_what_is_known() {
    let Ok(paths) = PATHS.try_lock() else { return };
    // By the file beside it the next run finds a folder, which is not removed here.
    let is_of_folder = |path: &Path| {
        let name = path.as_os_str().as_encoded_bytes().strip_suffix(leftovers::SUFFIX.as_bytes());
        paths.iter().any(|other| name == Some(other.as_os_str().as_encoded_bytes()))
    };
    for path in paths.iter().filter(|path| !is_of_folder(path)) {
        // A path of usual length is turned into the system's on the stack. What cannot be removed stays.
        let _ = std::fs::remove_file(path);
    }
}

#[cfg(unix)]
mod signals {
    use std::ffi::c_int;
    use std::sync::{Once, mpsc};
    use std::thread;

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    use crate::cli::interruption;

    /// Has a thread wait for the signals that end the program, once. Where none can be started they end it as they always do, and
    /// temporary files stay.
    pub(super) fn watch() {
        static WATCHED: Once = Once::new();
        WATCHED.call_once(|| {
            let (ready, wait) = mpsc::channel::<()>();
            let watcher = thread::Builder::new().name("signals".into()).spawn(move || {
                let signals = Signals::new(those_not_ignored());
                drop(ready);
                let Ok(mut signals) = signals else { return };
                if let Some(signal) = signals.forever().find(|_| !interruption::take_signal()) {
                    remove_all_and_end(signal);
                }
            });
            if watcher.is_ok() {
                // Ends when the sender is dropped: the signals are waited for.
                let _ = wait.recv();
            }
        });
    }

    fn remove_all_and_end(signal: c_int) {
        let _no_other_file = super::remove_all();
        // The program ends by the signal itself, so that a shell knows to end its loop as well.
        let _ = emulate_default_handler(signal);
    }

    /// The signals to wait for. One that was ignored when the program started, as `nohup` has it, must stay so.
    fn those_not_ignored() -> Vec<c_int> {
        let ignored = ignored();
        let is_heard = |signal: &c_int| match ignored {
            Some(mask) => mask >> (signal - 1) & 1 == 0,
            // Where the system does not tell, a run under `nohup` matters more than a temporary file.
            None => *signal != SIGHUP,
        };
        [SIGHUP, SIGINT, SIGTERM].into_iter().filter(is_heard).collect()
    }

    /// The signals that are ignored, as Linux lists them: bit n − 1 stands for signal n.
    fn ignored() -> Option<u64> {
        let status = std::fs::read_to_string("/proc/self/status").ok()?;
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
        u64::from_str_radix(mask.trim(), 16).ok()
    }
}

#[cfg(not(unix))]
mod signals {
    /// There are no such signals here.
    pub(super) fn watch() {}
}

#[cfg(all(test, unix))]
mod tests {
    use std::cell::Cell;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn a_folder_is_private_and_no_link_is_followed() {
        let place = tempfile::tempdir().unwrap();
        let elsewhere = place.path().join("elsewhere");
        std::fs::create_dir(&elsewhere).unwrap();
        let link = place.path().join("link");
        symlink(&elsewhere, &link).unwrap();
        let is_first = Cell::new(true);
        // Somebody has guessed the first name.
        let folder_of =
            |file: &Path| if is_first.replace(false) { link.clone() } else { leftovers::folder_of(file) };
        let folder = TemporaryFolder::create_in(place.path(), folder_of).unwrap();
        assert_ne!(folder.path(), link);
        let mode = std::fs::symlink_metadata(folder.path()).unwrap().permissions().mode();
        assert_eq!(mode & 0o7777, 0o700);
        std::fs::write(folder.path().join("inside"), "1").unwrap();
        assert_eq!(std::fs::read_dir(&elsewhere).unwrap().count(), 0);
        drop(folder);
        let left: Vec<_> =
            std::fs::read_dir(place.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left.len(), 2, "{left:?}");
        // Every name is taken.
        let taken = TemporaryFolder::create_in(place.path(), |_| link.clone()).unwrap_err();
        assert_eq!(taken.kind(), io::ErrorKind::AlreadyExists);
    }
}
