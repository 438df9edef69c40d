//! Runs that are interrupted repeatedly and resume from their checkpoint.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use lacuna::progress::{Progress, Resumable};
use lacuna::snapshot::{Checkpoint, Facts, Fill, Snapshot, SnapshotError};

/// A simulated run: a checkpoint in memory, and the time of its interruption.
pub(crate) struct Life {
    pieces: Mutex<BTreeMap<String, Vec<u8>>>,
    /// Number of calls after which a thread has to save.
    every: u64,
    asked_to_save: AtomicU64,
    /// Number of checks after which the run is interrupted.
    patience: AtomicU64,
    /// Whether an interrupted run may save, as after a signal, or not, as when it is killed.
    may_save_last: bool,
    has_ended: AtomicBool,
    pub(crate) saved: AtomicU64,
    pub(crate) loaded: AtomicU64,
}

impl Life {
    pub(crate) fn new(every: u64, may_save_last: bool) -> Self {
        Life {
            pieces: Mutex::default(),
            every,
            asked_to_save: AtomicU64::new(0),
            patience: AtomicU64::new(0),
            may_save_last,
            has_ended: AtomicBool::new(false),
            saved: AtomicU64::new(0),
            loaded: AtomicU64::new(0),
        }
    }

    /// Repeats a run, interrupting it a little later each time, until it completes. Each run resumes from what the
    /// previous ones saved. Returns the result and the number of interruptions.
    pub(crate) fn live<T, E>(
        &self,
        step: u64,
        run: impl Fn(&dyn Progress) -> Result<T, E>,
        is_interruption: impl Fn(&E) -> bool,
    ) -> (T, u64) {
        let mut patience = step;
        for ended in 0.. {
            self.patience.store(patience, Ordering::Relaxed);
            patience += step + patience / 4;
            self.has_ended.store(false, Ordering::Relaxed);
            match run(&Resumable { progress: self, checkpoint: self }) {
                Ok(found) => return (found, ended),
                Err(error) => assert!(is_interruption(&error)),
            }
        }
        unreachable!("a run that is ended ever later ends by itself")
    }

    /// The names of the pieces.
    pub(crate) fn names(&self) -> Vec<String> {
        self.pieces.lock().unwrap().keys().cloned().collect()
    }
}

impl Progress for Life {
    fn is_interrupted(&self) -> bool {
        let left =
            self.patience.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        if left.is_err() {
            self.has_ended.store(true, Ordering::Relaxed);
        }
        left.is_err()
    }
}

impl Checkpoint for Life {
    fn is_kept(&self) -> bool {
        true
    }

    fn takes_turn(&self) -> bool {
        let asked = self.asked_to_save.fetch_add(1, Ordering::Relaxed) + 1;
        self.every > 0 && asked.is_multiple_of(self.every)
    }

    fn is_worth_keeping(&self, _: Duration) -> bool {
        self.every > 0
    }

    fn save(&self, name: &str, kind: &str, facts: &Facts, fill: Fill<'_>) -> bool {
        let snapshot = Snapshot::of(name, kind, facts, fill).unwrap();
        let is_kept = self.may_save_last || !self.has_ended.load(Ordering::Relaxed);
        if is_kept {
            self.saved.fetch_add(1, Ordering::Relaxed);
            self.pieces.lock().unwrap().insert(name.to_owned(), snapshot.bytes);
        }
        is_kept
    }

    fn load(&self, name: &str, kind: &str) -> Result<Option<Snapshot>, SnapshotError> {
        let Some(bytes) = self.pieces.lock().unwrap().get(name).cloned() else { return Ok(None) };
        self.loaded.fetch_add(1, Ordering::Relaxed);
        let snapshot = Snapshot::whole(PathBuf::from(name), bytes)?;
        snapshot.payload_of(kind).map(drop).map(|()| Some(snapshot))
    }

    fn forget(&self, name: &str) {
        self.pieces.lock().unwrap().remove(name);
    }
}
