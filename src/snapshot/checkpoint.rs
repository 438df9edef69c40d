//! Where a run keeps its state, so that another run goes on with it.

use std::fmt;
use std::time::Duration;

use super::Facts;
use super::error::SnapshotError;
use super::file::Snapshot;
use super::header::Kind;
use super::writer::Writer;
use crate::progress::{Expected, Progress};

/// Writes the payload of a snapshot.
pub type Fill<'a> = &'a mut dyn FnMut(&mut Writer<'_>) -> std::io::Result<()>;

/// Keeps the pieces of a run's state, each under a name. `()` keeps nothing.
///
/// A stage that begins asks for what was [kept](Checkpoint::load) of it and goes on from there. While it works it asks whether it is its
/// [turn](Checkpoint::takes_turn) to save; when it is interrupted it saves what it has, and so it does when it is done, if that is
/// [worth](Checkpoint::is_worth_keeping) it. To save is never an error of
/// the run: what cannot be kept is told to the user by who keeps it, and the piece stays as it was.
///
/// A run tells its stages of the checkpoint by [`Progress::checkpoint`].
pub trait Checkpoint: Sync {
    /// Whether anything is kept. If not, a stage need not even make ready for saving.
    fn is_kept(&self) -> bool {
        false
    }

    /// Whether it is time to save. Of all threads that ask, one is told so, and is then to [save](Checkpoint::save). An answer takes some tens of
    /// nanoseconds.
    fn takes_turn(&self) -> bool {
        false
    }

    /// Whether the end of a stage is to be saved, when it took so long to find what is not kept yet. It is not where that takes about as long to
    /// save as to find again.
    fn is_worth_keeping(&self, took: Duration) -> bool {
        let _ = took;
        false
    }

    /// Keeps a piece, in place of what is kept under this name. Names are of letters, digits and hyphens. Whether it is kept now: else what was kept
    /// before still is.
    fn save(&self, name: &str, kind: Kind, facts: &Facts, fill: Fill<'_>) -> bool {
        let _ = (name, kind, facts, fill);
        false
    }

    /// The piece of this name, if there is one.
    ///
    /// # Errors
    /// There is one that cannot be read, is damaged, or is of another kind.
    fn load(&self, name: &str, kind: Kind) -> Result<Option<Snapshot>, SnapshotError> {
        let _ = (name, kind);
        Ok(None)
    }

    /// Forgets the piece of this name, if there is one.
    fn forget(&self, name: &str) {
        let _ = name;
    }
}

impl Checkpoint for () {}

/// A part of a checkpoint, for a part of a run: its names all begin with `prefix`.
#[derive(Clone, Copy)]
pub struct Part<'a> {
    /// What keeps the pieces.
    pub checkpoint: &'a dyn Checkpoint,
    /// What names begin with.
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
    fn is_kept(&self) -> bool {
        self.checkpoint.is_kept()
    }

    fn takes_turn(&self) -> bool {
        self.checkpoint.takes_turn()
    }

    fn is_worth_keeping(&self, took: Duration) -> bool {
        self.checkpoint.is_worth_keeping(took)
    }

    fn save(&self, name: &str, kind: Kind, facts: &Facts, fill: Fill<'_>) -> bool {
        self.checkpoint.save(&self.name(name), kind, facts, fill)
    }

    fn load(&self, name: &str, kind: Kind) -> Result<Option<Snapshot>, SnapshotError> {
        self.checkpoint.load(&self.name(name), kind)
    }

    fn forget(&self, name: &str) {
        self.checkpoint.forget(&self.name(name));
    }
}

/// A progress, and a checkpoint beside it: what a run is given that is to be resumed.
#[derive(Clone, Copy)]
pub struct Resumable<'a> {
    /// Told how far the run is.
    pub progress: &'a dyn Progress,
    /// Keeps its state.
    pub checkpoint: &'a dyn Checkpoint,
}

impl fmt::Debug for Resumable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Resumable")
    }
}

impl Progress for Resumable<'_> {
    fn expect(&self, stages: &[Expected]) {
        self.progress.expect(stages);
    }

    fn begin(&self, stage: &'static str, dim: Option<usize>, total: u64) {
        self.progress.begin(stage, dim, total);
    }

    fn advance(&self, units: u64) {
        self.progress.advance(units);
    }

    fn is_interrupted(&self) -> bool {
        self.progress.is_interrupted()
    }

    fn takes_what_is_done(&self) -> bool {
        self.progress.takes_what_is_done()
    }

    fn checkpoint(&self) -> &dyn Checkpoint {
        self.checkpoint
    }
}
