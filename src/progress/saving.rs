//! Saving during parallel work: the thread with the turn writes what all threads have done.

use super::{Progress, saving};

/// A progress for the threads of a stage whose state can be saved at any time. They poll it for interruption every few
/// steps, and the thread whose turn it is then saves.
struct Saving<'a> {
    progress: &'a dyn Progress,
    save: &'a (dyn Fn() + Sync),
}

/// Runs `work` with a progress that saves by `save` at its intervals and when the run ends early. Several threads may
/// call `save` at the same time. If nothing is stored, `work` runs with `progress` itself.
pub(crate) fn keeping<T>(
    progress: &dyn Progress,
    save: &(dyn Fn() + Sync),
    work: impl FnOnce(&dyn Progress) -> T,
) -> T {
    let is_kept = progress.checkpoint().is_kept();
    let turns = Saving { progress, save };
    // The work is called in one place, so that its loops are compiled once.
    let progress: &dyn Progress = if is_kept { &turns } else { progress };
    saving(
        || work(progress),
        || {
            if is_kept {
                save();
            }
        },
    )
}

impl Progress for Saving<'_> {
    fn inner(&self) -> Option<&dyn Progress> {
        Some(self.progress)
    }

    fn advance(&self, units: u64) {
        self.save_if_due();
        self.progress.advance(units);
    }

    fn is_interrupted(&self) -> bool {
        self.save_if_due();
        self.progress.is_interrupted()
    }
}

impl Saving<'_> {
    fn save_if_due(&self) {
        if self.progress.checkpoint().takes_turn() {
            (self.save)();
        }
    }
}
