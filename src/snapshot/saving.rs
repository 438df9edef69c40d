//! Saving during parallel work: the thread with the turn writes what all threads have done.

use super::Checkpoint;
use crate::progress::{Expected, Progress};

/// A progress for the threads of a stage whose state can be saved at any time. They poll it for interruption every few
/// steps, and the thread whose turn it is then saves. (What is saved when the run ends is up to
/// [`saving`](crate::progress::saving).)
pub(crate) struct Saving<'a> {
    progress: &'a dyn Progress,
    save: &'a (dyn Fn() + Sync),
}

impl<'a> Saving<'a> {
    /// Makes a progress that saves by `save`, which several threads may call at the same time.
    pub(crate) fn new(progress: &'a dyn Progress, save: &'a (dyn Fn() + Sync)) -> Self {
        Saving { progress, save }
    }
}

impl Progress for Saving<'_> {
    fn expect(&self, stages: &[Expected]) {
        self.progress.expect(stages);
    }

    fn begin(&self, stage: &'static str, dim: Option<usize>, total: u64) {
        self.progress.begin(stage, dim, total);
    }

    fn advance(&self, units: u64) {
        if self.progress.checkpoint().takes_turn() {
            (self.save)();
        }
        self.progress.advance(units);
    }

    fn is_interrupted(&self) -> bool {
        if self.progress.checkpoint().takes_turn() {
            (self.save)();
        }
        self.progress.is_interrupted()
    }

    fn takes_what_is_done(&self) -> bool {
        self.progress.takes_what_is_done()
    }

    fn checkpoint(&self) -> &dyn Checkpoint {
        self.progress.checkpoint()
    }
}
