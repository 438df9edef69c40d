//! Progress of a run on standard error: as a bar, as lines of text, or as JSON objects.
//!
//! Stages count their work without blocking. A separate thread reads the count twenty times a second, makes a
//! [`forecast`] from it, and shows that in the selected [`display`].

mod display;
mod forecast;

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use lacuna::progress::{Cost, Expected, Progress};

use self::display::{InFile, Shown, Where};
use self::forecast::Forecast;
use super::locked;
use super::notes::{Notes, printable};
use super::ranks;
use super::stop_request::{Request, requested};

/// Interval at which the count is read.
const TICK: Duration = Duration::from_millis(50);

/// Reports the progress of a run, from its creation until it is dropped.
pub(crate) struct Meter {
    /// `None` if nothing is reported.
    shared: Option<Arc<Shared>>,
    /// The display thread, which ends once the sender is dropped.
    timer: Option<(Sender<()>, JoinHandle<()>)>,
}

/// Whether the position of the run is tracked even if nothing is displayed.
static IS_NOTED: AtomicBool = AtomicBool::new(false);

/// State of the last meter.
static LAST: Mutex<Option<Arc<Shared>>> = Mutex::new(None);

/// Makes meters track the position of the run, whether or not they display it.
pub(crate) fn note_where_it_is() {
    IS_NOTED.store(true, Ordering::Relaxed);
}

/// Description of the position of the run, if a meter tracks it.
pub(crate) fn told_last() -> Option<String> {
    let shared = locked(&LAST).clone()?;
    // The display thread holds the lock only briefly, unless standard error blocks.
    let look = |_| {
        let told =
            shared.state.try_lock().ok().map(|state| state.at.told(shared.done.load(Ordering::Relaxed)));
        told.or_else(|| {
            thread::sleep(TICK / 50);
            None
        })
    };
    (0..TICK.as_millis()).find_map(look)
}

/// State shared by the stages and the display thread.
struct Shared {
    start: Instant,
    /// Completed units of the stage.
    done: AtomicU64,
    state: Mutex<State>,
}

struct State {
    at: Where,
    forecast: Forecast,
    shown: Shown,
}

impl Meter {
    /// Makes a meter with the display that suits the run.
    pub(crate) fn new(notes: Notes) -> Self {
        let is_noted = IS_NOTED.load(Ordering::Relaxed);
        let shown = Shown::new(notes.progress, notes.quiet);
        if !ranks::is_root() || !is_noted && matches!(shown, Shown::Nowhere) {
            return Meter::silent();
        }
        let meter = Meter::start(shown);
        if is_noted {
            locked(&LAST).clone_from(&meter.shared);
        }
        meter
    }

    /// Makes a meter that reports nothing.
    pub(crate) fn silent() -> Self {
        Meter { shared: None, timer: None }
    }

    fn start(shown: Shown) -> Self {
        let at = Where { stage: "starting", dim: None, total: 1, step: None, file: None };
        let is_shown = !matches!(shown, Shown::Nowhere);
        let state = Mutex::new(State { at, forecast: Forecast::default(), shown });
        let shared = Arc::new(Shared { start: Instant::now(), done: AtomicU64::new(0), state });
        let timer = if is_shown { watch(shared.clone()) } else { None };
        Meter { shared: Some(shared), timer }
    }

    /// Sets the file being processed and its place in a batch.
    pub(crate) fn file(&self, name: String, place: Option<(usize, usize)>) {
        let name = printable(&name).into_owned();
        self.tell(|shared| shared.lock().at.file = Some(InFile { name, place }));
    }

    /// Begins a stage without counted units.
    pub(crate) fn stage(&self, stage: &'static str) {
        self.begin(stage, None, 1);
    }

    /// Runs `write` on `out`, reporting how much has been written.
    pub(crate) fn writing(
        &self,
        all: Written,
        out: &mut dyn Write,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        let (Written::Lines(total) | Written::Bytes(total)) = all;
        self.expect(&[Expected::of("writing", Cost::Unknown)]);
        self.begin("writing", None, total);
        write(&mut Counted { out, all, meter: self, pending: 0 })
    }

    /// Hides the bar while `say` writes to standard error.
    pub(crate) fn aside<T>(&self, say: impl FnOnce() -> T) -> T {
        match &self.shared {
            Some(shared) => shared.lock().shown.aside(say),
            None => say(),
        }
    }

    /// Hides a bar for the rest of the run.
    pub(crate) fn hide_bar(&self) {
        self.tell(|shared| shared.lock().shown.hide_bar());
    }

    /// Describes the position within a stage whose length is unknown.
    pub(crate) fn at(&self, step: String) {
        self.tell(|shared| shared.lock().at.step = Some(step));
    }

    fn tell(&self, how: impl FnOnce(&Shared)) {
        if let Some(shared) = &self.shared {
            how(shared);
        }
    }
}

impl Progress for Meter {
    fn expect(&self, stages: &[Expected]) {
        self.tell(|shared| shared.lock().forecast.expect(stages));
    }

    fn begin(&self, stage: &'static str, dim: Option<usize>, total: u64) {
        self.tell(|shared| {
            let now = shared.now();
            let state = &mut *shared.lock();
            // From here on, counts belong to the new stage.
            shared.done.store(0, Ordering::Relaxed);
            let file = state.at.file.take();
            state.at = Where { stage, dim, total, step: None, file };
            state.forecast.begin(now, stage, dim, total);
            state.shown.begin(now, &state.at, &state.forecast);
        });
    }

    fn advance(&self, units: u64) {
        self.tell(|shared| {
            shared.done.fetch_add(units, Ordering::Relaxed);
        });
    }

    fn is_interrupted(&self) -> bool {
        requested().is_some()
    }

    fn takes_what_is_done(&self) -> bool {
        // What is done is the answer of a run that its time limit ends.
        requested() == Some(Request::TimeLimit)
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        locked(&self.state)
    }

    fn now(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    fn look(&self) {
        let state = &mut *self.lock();
        let (now, done) = (self.now(), self.done.load(Ordering::Relaxed));
        state.forecast.look(now, done);
        state.shown.show(now, &state.at, done, &state.forecast);
    }
}

/// Displays the progress in a thread until the sender is dropped. `None` if no thread can be started.
fn watch(shared: Arc<Shared>) -> Option<(Sender<()>, JoinHandle<()>)> {
    let (ended, wait) = mpsc::channel();
    let work = move || {
        while wait.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
            shared.look();
        }
    };
    let timer = thread::Builder::new().name("progress".into()).spawn(work).ok()?;
    Some((ended, timer))
}

impl Drop for Meter {
    fn drop(&mut self) {
        if let Some((ended, timer)) = self.timer.take() {
            drop(ended);
            // The display thread does not panic; if it did, the run itself would be unaffected.
            let _ = timer.join();
        }
        self.hide_bar();
    }
}

/// Total amount to be written.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Written {
    /// Lines of a text.
    Lines(u64),
    /// Bytes of a binary file.
    Bytes(u64),
}

/// A writer that reports to a meter.
struct Counted<'a> {
    out: &'a mut dyn Write,
    all: Written,
    meter: &'a Meter,
    /// Lines or bytes written since the last report.
    pending: u64,
}

/// Lines or bytes between two reports: to report each one would take longer than writing it.
const PENDING: u64 = 1 << 14;

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.out.write(bytes)?;
        self.pending += match self.all {
            Written::Lines(_) => bytes[..count].iter().filter(|&&byte| byte == b'\n').count() as u64,
            Written::Bytes(_) => count as u64,
        };
        if self.pending >= PENDING {
            self.meter.advance(std::mem::take(&mut self.pending));
        }
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A meter that counts but displays nothing.
    fn counting() -> Meter {
        Meter::start(Shown::Nowhere)
    }

    fn done(meter: &Meter) -> u64 {
        meter.shared.as_ref().unwrap().done.load(Ordering::Relaxed)
    }

    #[test]
    fn what_is_written_is_counted() {
        for (all, total) in [(Written::Lines(40_000), 40_000), (Written::Bytes(200_000), 200_000)] {
            let meter = counting();
            let mut file = Vec::new();
            let write = |out: &mut dyn Write| (0..40_000).try_for_each(|_| out.write_all(b"1,2,\n"));
            meter.writing(all, &mut file, write).unwrap();
            assert!(file == b"1,2,\n".repeat(40_000));
            let position = done(&meter);
            assert!(position <= total && position + PENDING > total, "{position} of {total}");
        }
    }

    #[test]
    fn a_stage_counts_from_its_beginning() {
        let meter = counting();
        meter.begin("assembly", Some(2), 10);
        meter.advance(7);
        assert_eq!(done(&meter), 7);
        meter.begin("reduction", Some(2), 10);
        assert_eq!(done(&meter), 0);
        let state = meter.shared.as_ref().unwrap().lock();
        assert_eq!((state.at.stage, state.at.dim, state.at.total), ("reduction", Some(2), 10));
    }

    #[test]
    fn a_silent_meter_lets_all_pass() {
        let meter = Meter::silent();
        meter.begin("assembly", Some(2), 10);
        meter.advance(7);
        let mut said = false;
        meter.aside(|| said = true);
        assert!(said);
    }
}
