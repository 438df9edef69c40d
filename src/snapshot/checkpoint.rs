//! Interfaces to save the state of a run, so that another run can resume it.

use std::fmt;
use std::time::Duration;

use super::Facts;
use super::error::SnapshotError;
use super::file::Snapshot;
use super::record::Writer;

/// Writes the payload of a snapshot.
pub type Fill<'a> = &'a mut dyn FnMut(&mut Writer<'_>) -> std::io::Result<()>;

/// Storage for parts of a run's state, each under a name. `()` stores nothing.
///
/// A stage first [loads](Checkpoint::load) what was saved of it and resumes from there. While it works, it polls
/// whether it is [time](Checkpoint::takes_turn) to save. It also saves when it is interrupted, and when it is done, if
/// that is [worth](Checkpoint::is_worth_keeping) it. A failure to save is never an error of the run: the storage
/// reports it to the user, and the previous version stays.
///
/// A run passes the checkpoint to its stages by `checkpoint` of `Progress`.
pub trait Checkpoint: Sync {
    /// The storage that handles all calls of methods that an implementation does not define. Without it, nothing is
    /// stored.
    fn inner(&self) -> Option<&dyn Checkpoint> {
        None
    }

    /// Whether anything is stored. If not, stages need not prepare for saving.
    fn is_kept(&self) -> bool {
        self.inner().is_some_and(|inner| inner.is_kept())
    }

    /// Whether it is time to save. Only one of the polling threads gets true, and must then [save](Checkpoint::save). A
    /// call takes some tens of nanoseconds.
    fn takes_turn(&self) -> bool {
        self.inner().is_some_and(|inner| inner.takes_turn())
    }

    /// Whether to save at the end of a stage, given how long its unsaved work took. False if computing it again is
    /// about as fast as saving it.
    fn is_worth_keeping(&self, took: Duration) -> bool {
        self.inner().is_some_and(|inner| inner.is_worth_keeping(took))
    }

    /// Saves a part of the state, replacing what was saved under this name. Names consist of letters, digits and
    /// hyphens. `kind` says in words what the part is, and `facts` describe it. False if saving failed;
    /// then the previous version stays.
    fn save(&self, name: &str, kind: &str, facts: &Facts, fill: Fill<'_>) -> bool {
        self.inner().is_some_and(|inner| inner.save(name, kind, facts, fill))
    }

    /// Loads the part of this name, if there is one.
    ///
    /// # Errors
    /// The part cannot be read, is damaged, or is of another kind.
    fn load(&self, name: &str, kind: &str) -> Result<Option<Snapshot>, SnapshotError> {
        self.inner().map_or(Ok(None), |inner| inner.load(name, kind))
    }

    /// Deletes the part of this name, if there is one.
    fn forget(&self, name: &str) {
        self.inner().into_iter().for_each(|inner| inner.forget(name));
    }
}

impl Checkpoint for () {}

/// A view of a checkpoint in which all names are prefixed, for a part of a run.
#[derive(Clone, Copy)]
pub struct Part<'a> {
    /// The underlying storage.
    pub checkpoint: &'a dyn Checkpoint,
    /// Prefix of the names.
    pub prefix: &'a str,
}

impl Part<'_> {
    fn name(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }
}

impl fmt::Debug for Part<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Part").field("prefix", &self.prefix).finish_non_exhaustive()
    }
}

impl Checkpoint for Part<'_> {
    fn inner(&self) -> Option<&dyn Checkpoint> {
        Some(self.checkpoint)
    }

    fn save(&self, name: &str, kind: &str, facts: &Facts, fill: Fill<'_>) -> bool {
        self.checkpoint.save(&self.name(name), kind, facts, fill)
    }

    fn load(&self, name: &str, kind: &str) -> Result<Option<Snapshot>, SnapshotError> {
        self.checkpoint.load(&self.name(name), kind)
    }

    fn forget(&self, name: &str) {
        self.checkpoint.forget(&self.name(name));
    }
}
