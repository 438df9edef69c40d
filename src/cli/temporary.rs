//! Temporary files and folders, removed when the program ends, by itself or by a signal that can be handled. What it
//! could not remove, the next run removes ([`leftovers`]).

use std::fs::{File, Permissions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use tempfile::{Builder, NamedTempFile, PersistError, TempDir};

use super::{leftovers, locked, stop_request};

/// Paths of the existing temporary files and folders.
static PATHS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A temporary file or folder, removed when it is dropped and when a signal ends the program.
#[derive(Debug)]
pub(crate) struct Temporary<T = NamedTempFile> {
    /// `None` once it has been moved to its place.
    made: Option<T>,
    path: PathBuf,
    _lock: Option<File>,
}

/// A temporary folder; its content is removed with it.
pub(crate) type TemporaryFolder = Temporary<TempDir>;

impl<T: AsRef<Path>> Temporary<T> {
    /// Makes it in a folder. No signal ends the program between its creation and its registration.
    fn make(
        folder: &Path,
        make: impl Fn(&mut Builder<'_, 'static>) -> io::Result<T>,
    ) -> io::Result<Temporary<T>> {
        signals::watch();
        let mut paths = locked(&PATHS);
        let (made, lock) = leftovers::held(folder, make)?;
        let path = made.as_ref().to_path_buf();
        paths.push(path.clone());
        Ok(Temporary { made: Some(made), path, _lock: lock })
    }
}

impl Temporary {
    /// Creates a file in a folder.
    pub(crate) fn create_in(folder: &Path, permissions: Option<&Permissions>) -> io::Result<Temporary> {
        Temporary::make(folder, |builder| {
            permissions.into_iter().for_each(|permissions| _ = builder.permissions(permissions.clone()));
            builder.tempfile_in(folder)
        })
    }

    /// The open file.
    pub(crate) fn file(&mut self) -> io::Result<&mut std::fs::File> {
        let file = self.made.as_mut().ok_or(io::ErrorKind::NotFound)?;
        Ok(file.as_file_mut())
    }

    /// Moves the file to `place`, replacing what is there. On failure the temporary file stays.
    pub(crate) fn move_to(&mut self, place: &Path) -> io::Result<()> {
        let file = self.made.take().ok_or(io::ErrorKind::NotFound)?;
        match file.persist(place) {
            Ok(_) => Ok(()),
            Err(PersistError { error, file }) => {
                self.made = Some(file);
                Err(error)
            }
        }
    }
}

impl TemporaryFolder {
    /// Creates a folder in the system's temporary directory, accessible to its owner alone. Its path is absolute.
    pub(crate) fn create() -> io::Result<TemporaryFolder> {
        TemporaryFolder::create_in(&std::path::absolute(std::env::temp_dir())?)
    }

    fn create_in(place: &Path) -> io::Result<TemporaryFolder> {
        Temporary::make(place, |builder| {
            #[cfg(unix)]
            builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
            builder.tempdir_in(place)
        })
    }

    /// Absolute path of the folder.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl<T> Drop for Temporary<T> {
    fn drop(&mut self) {
        let mut paths = locked(&PATHS);
        // A later run retries what cannot be removed now.
        self.made = None;
        paths.retain(|path| *path != self.path);
    }
}

/// Removes all temporary files for a program that is about to end. While the returned guard lives, no other file is
/// created.
pub(super) fn remove_all() -> impl Drop {
    let paths = locked(&PATHS);
    for path in paths.iter() {
        // Files that cannot be removed stay, unreported.
        if std::fs::remove_file(path).is_err() {
            let _ = std::fs::remove_dir_all(path);
        }
    }
    paths
}

/// Handles the signals that would end the program, which saves its state in `directory`. The first asks for an orderly
/// end; one that comes a second or more later ends it.
pub(crate) fn hear_signals(directory: &Path) {
    stop_request::keep_in(directory);
    signals::watch();
}

/// Lets the signals pass that would end the program: a launcher sends them to all processes, and ends this one with the
/// process that works for it.
pub(crate) fn let_signals_pass() {
    stop_request::leave_to_others();
    signals::watch();
}

/// Removes temporary files for a program that is about to end and must neither block nor allocate. If another thread is
/// creating or removing a file at this moment, all stay. Folders stay for the next run.
#[cfg(all(feature = "huge-pages", target_os = "linux"))]
pub(crate) fn remove_what_is_known() {
    let Ok(paths) = PATHS.try_lock() else { return };
    for path in paths.iter() {
        // Paths of usual length are converted on the stack. Files that cannot be removed stay.
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

    use crate::cli::stop_request;

    /// Starts, once, a thread that waits for the signals that end the program. If it cannot be started, signals end the
    /// program as by default, and temporary files stay.
    pub(super) fn watch() {
        static WATCHED: Once = Once::new();
        WATCHED.call_once(|| {
            let (ready, wait) = mpsc::channel::<()>();
            let watcher = thread::Builder::new().name("signals".into()).spawn(move || {
                let signals = Signals::new(those_not_ignored());
                drop(ready);
                let Ok(mut signals) = signals else { return };
                if let Some(signal) = signals.forever().find(|_| !stop_request::take_signal()) {
                    let _no_other_file = super::remove_all();
                    // Ends by the signal itself, so that a shell ends its loop as well.
                    let _ = emulate_default_handler(signal);
                }
            });
            if watcher.is_ok() {
                // Ends when the sender is dropped: the handlers are installed.
                let _ = wait.recv();
            }
        });
    }

    /// The signals to handle. One that was ignored when the program started, as under `nohup`, must stay ignored.
    fn those_not_ignored() -> Vec<c_int> {
        let ignored = ignored();
        let is_heard = |signal: &c_int| match ignored {
            Some(mask) => mask >> (signal - 1) & 1 == 0,
            // If that is unknown, a run under `nohup` matters more than a temporary file.
            None => *signal != SIGHUP,
        };
        [SIGHUP, SIGINT, SIGTERM].into_iter().filter(is_heard).collect()
    }

    /// Bit mask of the ignored signals, from Linux: bit n − 1 stands for signal n.
    fn ignored() -> Option<u64> {
        let status = std::fs::read_to_string("/proc/self/status").ok()?;
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
        u64::from_str_radix(mask.trim(), 16).ok()
    }
}

#[cfg(not(unix))]
mod signals {
    /// No signals are handled on this platform.
    pub(super) fn watch() {}
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_folder_is_private_and_removed() {
        let place = tempfile::tempdir().unwrap();
        let folder = TemporaryFolder::create_in(place.path()).unwrap();
        let mode = std::fs::symlink_metadata(folder.path()).unwrap().permissions().mode();
        assert_eq!(mode & 0o7777, 0o700);
        std::fs::write(folder.path().join("inside"), "1").unwrap();
        drop(folder);
        assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0);
    }
}
