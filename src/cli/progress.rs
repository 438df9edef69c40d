//! A progress bar on standard error.

use std::io::{self, Write};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lacuna::progress::Progress;

use super::interruption;

/// How long a run lasts before the bar appears.
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

    /// Shows the name of the file whose voxels are counted.
    pub(crate) fn name(&self, file: &str) {
        self.bar.set_message(file.to_owned());
    }

    /// A stage without parts to count.
    pub(crate) fn stage(&self, stage: &'static str) {
        self.bar.set_message(stage);
        self.start(style(1), 1);
    }

    /// Begins a stage of `total` parts. The time left is estimated from this stage alone.
    fn start(&self, style: ProgressStyle, total: u64) {
        self.bar.set_style(style);
        self.bar.set_length(total);
        self.bar.set_position(0);
        self.bar.reset_eta();
    }

    /// Writes to `out` what `write` writes, and shows how much of it has been written.
    pub(crate) fn writing(
        &self,
        all: Written,
        out: &mut dyn Write,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        let (Written::Lines(total) | Written::Bytes(total)) = all;
        self.bar.set_message("writing");
        self.start(style(total), total);
        write(&mut Counted { out, all, bar: &self.bar, pending: 0 })
    }

    /// Hides the bar while `say` writes to standard error.
    pub(crate) fn aside(&self, say: impl FnOnce()) {
        self.bar.suspend(say);
    }

    /// Shows the progress of a stage whose length is not known.
    pub(crate) fn at(&self, what: String) {
        self.bar.set_message(what);
    }
}

/// How much is to be written.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Written {
    /// Lines of a text.
    Lines(u64),
    /// Bytes of a binary file.
    Bytes(u64),
}

/// A writer that moves a progress bar.
struct Counted<'a> {
    out: &'a mut dyn Write,
    all: Written,
    bar: &'a ProgressBar,
    /// Lines or bytes written since the bar last moved.
    pending: u64,
}

/// Lines or bytes that are written before the bar is told: to tell it of each would take longer than to write it.
const PENDING: u64 = 1 << 14;

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.out.write(bytes)?;
        self.pending += match self.all {
            Written::Lines(_) => bytes[..count].iter().filter(|&&byte| byte == b'\n').count() as u64,
            Written::Bytes(_) => count as u64,
        };
        if self.pending >= PENDING {
            self.bar.inc(std::mem::take(&mut self.pending));
        }
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
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
    fn begin(&self, stage: &'static str, dim: Option<usize>, total: u64) {
        self.bar.set_message(dim.map_or_else(|| stage.into(), |dim| format!("dimension {dim}, {stage}")));
        self.start(style(total), total);
    }

    fn advance(&self, units: u64) {
        self.bar.inc(units);
    }

    fn is_interrupted(&self) -> bool {
        interruption::is_requested()
    }

    fn takes_what_is_done(&self) -> bool {
        interruption::takes_what_is_done()
    }
}

/// A bar that counts voxels, under the message that it has.
pub(crate) struct VoxelMeter<'a>(pub(crate) &'a Meter);

impl Progress for VoxelMeter<'_> {
    fn begin(&self, _stage: &'static str, _dim: Option<usize>, voxels: u64) {
        self.0.start(styled(VOXELS), voxels);
    }

    fn advance(&self, voxels: u64) {
        self.0.bar.inc(voxels);
    }

    fn is_interrupted(&self) -> bool {
        self.0.is_interrupted()
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
    fn what_is_written_is_counted() {
        for (all, total) in [(Written::Lines(40_000), 40_000), (Written::Bytes(200_000), 200_000)] {
            let meter = Meter::new(false);
            let mut file = Vec::new();
            let write = |out: &mut dyn Write| (0..40_000).try_for_each(|_| out.write_all(b"1,2,\n"));
            meter.writing(all, &mut file, write).unwrap();
            assert!(file == b"1,2,\n".repeat(40_000));
            let position = meter.bar.position();
            assert!(position <= total && position + PENDING > total, "{position} of {total}");
        }
    }

    #[test]
    fn all_templates_are_valid() {
        for total in [0, 1, 2, 1000] {
            let meter = Meter::new(false);
            Progress::begin(&meter, "assembly", Some(2), total);
            Progress::advance(&meter, 1);
            assert_eq!((meter.bar.position(), meter.bar.length()), (1, Some(total)));
            assert_eq!(meter.bar.message(), "dimension 2, assembly");
            Progress::begin(&meter, "order", None, total);
            assert_eq!((meter.bar.position(), meter.bar.message()), (0, "order".into()));
        }
        for template in [COUNTED, UNCOUNTED, VOXELS] {
            assert!(ProgressStyle::with_template(template).is_ok());
        }
    }
}
