//! A checkpoint in a directory: a file for each part, and a lock that one run at a time holds.
//!
//! | file | holds |
//! |---|---|
//! | `lacuna.lock` | a word if a run made the directory, else nothing; the run that goes on holds it |
//! | `run.lac` | which run the checkpoint is of ([`Fingerprint`]) |
//! | `NAME.lac` | the piece of this name |
//! | `NAME.lac.part` | a piece that was being written when a run was killed; the next run removes it |
//!
//! When the run is done, all of these files are removed, and the directory too if a run made it and it is then empty. A
//! run that ends before it has written its fingerprint leaves nothing behind.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::checkpoint::{Checkpoint, Fill};
use super::error::SnapshotError;
use super::file::{self, PART, Snapshot};
use super::fingerprint::Fingerprint;
use super::{Facts, RUN};
use crate::parallel::lock;

const LOCK: &str = "lacuna.lock";
/// File with the fingerprint of the run, the piece [`RUN`].
pub(super) const MANIFEST: &str = "run.lac";
const EXTENSION: &str = ".lac";

/// Smallest ratio of the time between two periodic saves to the duration of the last one: saving thus takes at most
/// 1/40 of the time, however large the state is.
const REST: u32 = 40;

/// Work that took less is not saved at the end of its stage, unless the user asked for more frequent saves: it is
/// recomputed about as fast as a file is flushed to disk a few times.
const LEAST_WORTH: Duration = Duration::from_secs(1);

/// Value of `due` while a save is in progress: no other thread may begin one.
const NEVER: u64 = u64::MAX;

/// Callback for a part that could not be saved.
type Warn = Box<dyn Fn(&SnapshotError) + Send + Sync>;

/// A directory that stores the state of one run.
pub struct CheckpointDirectory {
    path: PathBuf,
    /// Held until the directory is about to be removed.
    lock: Option<File>,
    /// Whether this run, or one that it goes on from, made the directory.
    is_made: bool,
    /// Directories that were created for it, innermost first.
    made: Vec<PathBuf>,
    /// Whether the run is done, so that another may use the directory.
    is_finished: bool,
    every: Duration,
    start: Instant,
    /// Time of the next save, in nanoseconds since `start`.
    due: AtomicU64,
    /// Nanoseconds between two saves.
    rest: AtomicU64,
    /// Duration of the last save in nanoseconds.
    took: AtomicU64,
    /// Only one part is written at a time.
    writing: Mutex<()>,
    warn: Warn,
    has_warned: AtomicBool,
}

impl std::fmt::Debug for CheckpointDirectory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CheckpointDirectory").field("path", &self.path).finish_non_exhaustive()
    }
}

impl CheckpointDirectory {
    /// Opens the directory at `path`, creating it if needed, and locks it. A run saves at intervals of `every`, by a
    /// monotonic clock. If `every` is zero, it saves at every opportunity, whatever the cost, so that what is saved
    /// does not depend on speed. `warn` is called with the first part that cannot be saved.
    ///
    /// # Errors
    /// [`SnapshotError::Locked`] and [`SnapshotError::System`].
    pub fn open(path: &Path, every: Duration, warn: Warn) -> Result<Self, SnapshotError> {
        let failed = |action| move |error: io::Error| SnapshotError::system(path, action, &error);
        let made = missing(path);
        let lock = loop {
            fs::create_dir_all(path).map_err(failed("make the directory of the checkpoint"))?;
            match locked(path) {
                // Another run removed the directory before it was locked here.
                Err(_) if !path.exists() => {}
                Err(error) => {
                    // A directory locked by another run is not empty, so it is not removed.
                    let _ = made.iter().try_for_each(fs::remove_dir);
                    return Err(error);
                }
                Ok(lock) => break lock,
            }
        };
        let is_made =
            is_made(&lock, !made.is_empty()).map_err(failed("mark the directory of the checkpoint"))?;
        let directory = CheckpointDirectory {
            path: path.to_path_buf(),
            lock: Some(lock),
            is_made,
            made,
            is_finished: false,
            every,
            start: Instant::now(),
            due: AtomicU64::new(nanoseconds(every)),
            rest: AtomicU64::new(nanoseconds(every)),
            took: AtomicU64::new(0),
            writing: Mutex::new(()),
            warn,
            has_warned: AtomicBool::new(false),
        };
        for name in directory.names()?.iter().filter(|name| name.ends_with(&format!("{EXTENSION}{PART}"))) {
            fs::remove_file(path.join(name)).map_err(failed("remove what a killed run left"))?;
        }
        Ok(directory)
    }

    /// Compares the fingerprint of the run with that of the checkpoint. True if there is one to resume from; otherwise
    /// the checkpoint begins.
    ///
    /// # Errors
    /// [`SnapshotError`] if the checkpoint is of another run or damaged, or cannot be begun.
    pub fn begin(&self, run: &Fingerprint) -> Result<bool, SnapshotError> {
        match self.load(RUN, RUN)? {
            Some(manifest) => {
                let differences = run.differences(&manifest.facts);
                if differences.is_empty() {
                    return Ok(true);
                }
                Err(SnapshotError::OtherRun { path: self.path.clone(), differences })
            }
            None if self.names()?.iter().any(|name| name.ends_with(EXTENSION)) => {
                Err(SnapshotError::NoManifest { path: self.path.clone() })
            }
            None => file::write(&self.file(RUN), RUN, &run.items, &mut |_| Ok(())).map(|_| false),
        }
    }

    /// Path of the directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the checkpoint of a finished run, and the directory if a run made it and it is then empty.
    ///
    /// # Errors
    /// [`SnapshotError::System`].
    pub fn finish(mut self) -> Result<(), SnapshotError> {
        // Files that cannot be removed stay.
        self.is_finished = true;
        let failed = |error: io::Error| SnapshotError::system(&self.path, "remove the checkpoint", &error);
        let pieces = self.names()?.into_iter().filter(|name| name.ends_with(EXTENSION) && name != MANIFEST);
        // The manifest without other parts is a checkpoint of a run that has just begun: so it is removed last,
        // followed by the lock.
        for name in pieces.chain([MANIFEST.to_owned(), LOCK.to_owned()]) {
            match fs::remove_file(self.path.join(name)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
                _ => {}
            }
        }
        // On Windows a removed file stays in its directory until it is closed.
        self.lock = None;
        if self.is_made {
            // The directory stays if it has other files.
            let _ = fs::remove_dir(&self.path);
        }
        Ok(())
    }

    /// The names of the files in the directory. Names that are not UTF-8 are not ours.
    fn names(&self) -> Result<Vec<String>, SnapshotError> {
        let failed = |error: io::Error| SnapshotError::system(&self.path, "list the directory", &error);
        let entries = fs::read_dir(&self.path).map_err(failed)?;
        let names = entries.map(|entry| entry.map(|entry| entry.file_name().into_string().ok()));
        names.filter_map(Result::transpose).collect::<io::Result<_>>().map_err(failed)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.path.join(format!("{name}{EXTENSION}"))
    }

    fn now(&self) -> u64 {
        nanoseconds(self.start.elapsed())
    }

    /// Makes the next save due earlier by `time`, as if that time had passed.
    #[cfg(test)]
    pub(super) fn pass(&mut self, time: Duration) {
        let due = self.due.get_mut();
        *due = due.saturating_sub(nanoseconds(time));
    }
}

impl Drop for CheckpointDirectory {
    /// Leaves nothing behind if no run has begun. The lock is still held, so no other run can have begun.
    fn drop(&mut self) {
        let has_nothing = |names: Vec<String>| names.iter().all(|name| !name.ends_with(EXTENSION));
        if !self.is_finished && self.names().is_ok_and(has_nothing) {
            // Files that cannot be removed stay, which is harmless.
            let _ = fs::remove_file(self.path.join(LOCK));
            self.lock = None;
            let _ = self.made.iter().try_for_each(fs::remove_dir);
        }
    }
}

/// Missing directories on the way to `path`, innermost first.
fn missing(path: &Path) -> Vec<PathBuf> {
    let is_missing = |path: &&Path| *path != Path::new("") && !path.exists();
    path.ancestors().take_while(is_missing).map(Path::to_path_buf).collect()
}

/// Whether the directory of a locked file was made for a checkpoint: now, or by the run that left the file.
fn is_made(mut lock: &File, is_new: bool) -> io::Result<bool> {
    if is_new {
        lock.write_all(b"made\n")?;
    }
    Ok(is_new || lock.metadata()?.len() > 0)
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(NEVER - 1)
}

/// Locks a directory.
fn locked(path: &Path) -> Result<File, SnapshotError> {
    let place = path.join(LOCK);
    let failed =
        |error: io::Error| SnapshotError::system(path, "lock the directory of the checkpoint", &error);
    // Repeats if a run that was ending removed the file before it was locked here.
    loop {
        let Some(lock) = open_lock(&place).map_err(failed)? else { continue };
        match lock.try_lock() {
            Err(TryLockError::WouldBlock) => return Err(SnapshotError::Locked { path: path.to_path_buf() }),
            Err(TryLockError::Error(error)) => {
                // On a file system without locks the file is useless.
                let _ = fs::remove_file(&place);
                return Err(failed(error));
            }
            Ok(()) if is_at(&lock, &place) => return Ok(lock),
            Ok(()) => {}
        }
    }
}

/// Opens or creates the lock file; `None` if it has just been removed. A link in its place could lead to any file, so
/// it is refused.
fn open_lock(place: &Path) -> io::Result<Option<File>> {
    match file::owned().read(true).write(true).create_new(true).open(place) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        made => return made.map(Some),
    }
    let found = match fs::symlink_metadata(place) {
        Ok(found) if found.is_symlink() => {
            Err(io::Error::other(format!("expected a file {LOCK}, found a symbolic link; remove it")))
        }
        Ok(_) => File::options().read(true).write(true).open(place),
        Err(error) => Err(error),
    };
    match found {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        found => found.map(Some),
    }
}

/// Whether an open file is the one at a path, without following a link.
#[cfg(unix)]
fn is_at(file: &File, place: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |found: fs::Metadata| (found.dev(), found.ino());
    let (open, there) = (file.metadata().map(identity), fs::symlink_metadata(place).map(identity));
    matches!((open, there), (Ok(open), Ok(there)) if open == there)
}

/// Whether an open file is the one at a path. An open file cannot be removed on this platform.
#[cfg(not(unix))]
fn is_at(_: &File, place: &Path) -> bool {
    place.exists()
}

impl Checkpoint for CheckpointDirectory {
    fn is_kept(&self) -> bool {
        true
    }

    fn takes_turn(&self) -> bool {
        let (due, now) = (self.due.load(Ordering::Relaxed), self.now());
        // If the thread with the turn does not save, another gets the turn after the same interval.
        let next = || now.saturating_add(self.rest.load(Ordering::Relaxed)).min(NEVER - 1);
        due <= now && self.due.compare_exchange(due, next(), Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    fn is_worth_keeping(&self, took: Duration) -> bool {
        let last_save = Duration::from_nanos(self.took.load(Ordering::Relaxed));
        self.every.is_zero() || took >= self.every.min(LEAST_WORTH).max(last_save)
    }

    fn save(&self, name: &str, kind: &str, facts: &Facts, fill: Fill<'_>) -> bool {
        let _alone = lock(&self.writing);
        // No other thread may save meanwhile.
        self.due.store(NEVER, Ordering::Relaxed);
        let began = Instant::now();
        let written = file::write(&self.file(name), kind, facts, fill);
        let took = began.elapsed();
        self.took.store(nanoseconds(took), Ordering::Relaxed);
        let rest =
            if self.every.is_zero() { 0 } else { nanoseconds(self.every.max(took.saturating_mul(REST))) };
        self.rest.store(rest, Ordering::Relaxed);
        self.due.store(self.now().saturating_add(rest).min(NEVER - 1), Ordering::Relaxed);
        match written {
            Ok(_) => true,
            Err(error) => {
                if !self.has_warned.swap(true, Ordering::Relaxed) {
                    (self.warn)(&error);
                }
                false
            }
        }
    }

    fn load(&self, name: &str, kind: &str) -> Result<Option<Snapshot>, SnapshotError> {
        match file::read(&self.file(name)) {
            Err(SnapshotError::System { kind: io::ErrorKind::NotFound, .. }) => Ok(None),
            Err(error) => Err(error),
            Ok(snapshot) => snapshot.payload_of(kind).map(drop).map(|()| Some(snapshot)),
        }
    }

    fn forget(&self, name: &str) {
        // A file that cannot be removed is ignored: stages check that what they load belongs to them.
        let _ = fs::remove_file(self.file(name));
    }
}
