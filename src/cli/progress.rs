//! A progress bar on standard error.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lacuna::cubical::ecc::batch::Watch;
use lacuna::rips::Progress;

/// Runs that end before are not worth a bar.
const PATIENCE: Duration = Duration::from_millis(500);

/// How often the bar moves when nothing else moves it.
const TICK: Duration = Duration::from_millis(100);

/// A bar that appears once the run has lasted a while, and goes when it is dropped.
pub(crate) struct Meter {
    bar: ProgressBar,
    timer: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Meter {
    /// A bar that does not show yet; never, unless `wanted`.
    pub(crate) fn new(wanted: bool) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let timer = if wanted { show_later(bar.clone()) } else { None };
        Meter { bar, timer }
    }

    /// What the voxels are of.
    pub(crate) fn name(&self, file: &str) {
        self.bar.set_message(file.to_owned());
    }

    /// A stage without parts to count.
    pub(crate) fn stage(&self, stage: &'static str) {
        self.bar.set_style(style(1));
        self.bar.set_length(1);
        self.bar.set_position(0);
        self.bar.set_message(stage);
    }

    /// Says something on standard error, which the bar makes room for.
    pub(crate) fn aside(&self, say: impl FnOnce()) {
        self.bar.suspend(say);
    }

    /// How far a stage is that does not know how much there is.
    pub(crate) fn at(&self, what: String) {
        self.bar.set_message(what);
    }
}

/// Shows `bar` after a while and keeps it moving, unless the sender is dropped before. None, if no thread can be started for it.
fn show_later(bar: ProgressBar) -> Option<(Sender<()>, JoinHandle<()>)> {
    let (ended, wait) = mpsc::channel();
    let work = move || {
        if wait.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
            bar.set_draw_target(ProgressDrawTarget::stderr());
            while wait.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                bar.tick();
            }
        }
    };
    let timer = thread::Builder::new().name("progress".into()).spawn(work).ok()?;
    Some((ended, timer))
}

impl Progress for Meter {
    fn begin(&self, stage: &'static str, dim: usize, total: u64) {
        self.bar.set_style(style(total));
        self.bar.set_length(total);
        self.bar.set_position(0);
        self.bar.set_message(format!("dimension {dim}, {stage}"));
    }

    fn advance(&self, units: u64) {
        self.bar.inc(units);
    }
}

impl Watch for Meter {
    fn begin(&self, voxels: u64) {
        self.bar.set_style(styled(VOXELS));
        self.bar.set_length(voxels);
        self.bar.set_position(0);
    }

    fn advance(&self, voxels: u64) {
        self.bar.inc(voxels);
    }
}

/// Voxels, how many a second, and the time that the others should take.
const VOXELS: &str =
    "{msg:32} [{bar:32}] {percent:>3} %  {human_pos} voxels, {per_sec}  {elapsed}, {eta} left";

/// A stage with parts to count, and one without.
const COUNTED: &str = "{msg:32} [{bar:32}] {percent:>3} %  {elapsed}, {eta} left";
const UNCOUNTED: &str = "{msg:32} {spinner}  {elapsed}";

fn style(total: u64) -> ProgressStyle {
    styled(if total > 1 { COUNTED } else { UNCOUNTED })
}

fn styled(template: &str) -> ProgressStyle {
    // All are valid, a test says so.
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

impl Drop for Meter {
    fn drop(&mut self) {
        if let Some((ended, timer)) = self.timer.take() {
            drop(ended);
            // The timer cannot panic; if it did, the run itself is none the worse.
            let _ = timer.join();
        }
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_templates_are_valid() {
        for total in [0, 1, 2, 1000] {
            let meter = Meter::new(false);
            Progress::begin(&meter, "assembly", 2, total);
            Progress::advance(&meter, 1);
            assert_eq!((meter.bar.position(), meter.bar.length()), (1, Some(total)));
            assert_eq!(meter.bar.message(), "dimension 2, assembly");
        }
        for template in [COUNTED, UNCOUNTED, VOXELS] {
            assert!(ProgressStyle::with_template(template).is_ok());
        }
    }
}
