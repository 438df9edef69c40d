//! Saving while threads work: whoever of them has the turn writes what all of them have done.

use super::Checkpoint;
use crate::progress::{Expected, Progress};

/// A progress for the threads of a stage that can be saved at any time, while they work. They ask it every few steps whether the run is to
/// end: then the one whose turn it is saves. (What is saved when the run does end is up to [`saving`](crate::progress::saving).)
pub(crate) struct Saving<'a> {
    progress: &'a dyn Progress,
    save: &'a (dyn Fn() + Sync),
}

impl<'a> Saving<'a> {
    /// Saves by `save`, which any thread may call, and several at a time.
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
