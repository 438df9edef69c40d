//! Saving while threads work: whoever of them has the turn writes what all of them have done.

use std::sync::atomic::{AtomicBool, Ordering};

use super::Checkpoint;
use crate::progress::Progress;

/// A progress for the threads of a stage that can be saved at any time, while they work. They ask it every few steps whether the run is to
/// end: then the one whose turn it is saves, and of those that see that the run is to end the first.
pub(crate) struct Saving<'a> {
    progress: &'a dyn Progress,
    save: &'a (dyn Fn() + Sync),
    has_saved_last: AtomicBool,
}

impl<'a> Saving<'a> {
    /// Saves by `save`, which any thread may call, and several at a time.
    pub(crate) fn new(progress: &'a dyn Progress, save: &'a (dyn Fn() + Sync)) -> Self {
        Saving { progress, save, has_saved_last: AtomicBool::new(false) }
    }
}

impl Progress for Saving<'_> {
    fn begin(&self, stage: &'static str, dim: Option<usize>, total: u64) {
        self.progress.begin(stage, dim, total);
    }

    fn advance(&self, units: u64) {
        // The run may end here too, by the progress beneath.
        let _ = self.is_interrupted();
        self.progress.advance(units);
    }

    fn is_interrupted(&self) -> bool {
        let checkpoint = self.progress.checkpoint();
        if checkpoint.takes_turn() {
            (self.save)();
        }
        let ends = self.progress.is_interrupted();
        if ends && checkpoint.is_kept() && !self.has_saved_last.swap(true, Ordering::Relaxed) {
            (self.save)();
        }
        ends
    }

    fn takes_what_is_done(&self) -> bool {
        self.progress.takes_what_is_done()
    }

    fn checkpoint(&self) -> &dyn Checkpoint {
        self.progress.checkpoint()
    }
}
