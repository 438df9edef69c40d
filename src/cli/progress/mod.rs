//! How far a run is, told on standard error: as a bar, as lines of text, or as objects for a program.
//!
//! Stages count their work without waiting for anybody. A thread of its own looks at the count twenty times a second, makes a [`forecast`] of
//! it, and shows that in the [`display`] that was asked for.

mod display;
mod forecast;

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use lacuna::progress::{Cost, Expected, Progress};

pub(crate) use self::display::{Display, ProgressMode};
use self::display::{InFile, Shown, Where};
use self::forecast::Forecast;
use super::interruption;
use super::notes::printable;

/// How often is looked how far the run is.
const TICK: Duration = Duration::from_millis(50);

/// What tells how far a run is, from when it is made until it is dropped.
pub(crate) struct Meter {
    /// None if nothing is to be told.
    telling: Option<Telling>,
}

struct Telling {
    shared: Arc<Shared>,
    timer: Option<(Sender<()>, JoinHandle<()>)>,
}

/// Whether it is to be known where the run is, though nothing is shown of it.
static IS_NOTED: AtomicBool = AtomicBool::new(false);

/// What the last meter knows.
static LAST: Mutex<Option<Arc<Shared>>> = Mutex::new(None);

/// Has meters know where the run is, whether or not they show it.
pub(crate) fn note_where_it_is() {
    IS_NOTED.store(true, Ordering::Relaxed);
}

/// Where the run is, in words, if a meter knows.
pub(crate) fn told_last() -> Option<String> {
    let shared = LAST.lock().unwrap_or_else(PoisonError::into_inner).clone()?;
    // Whoever shows it has it for a moment, unless nobody reads what is shown.
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

/// What the stages and the thread that looks share.
struct Shared {
    start: Instant,
    /// Units of the stage that are done.
    done: AtomicU64,
    state: Mutex<State>,
}

struct State {
    at: Where,
    forecast: Forecast,
    shown: Shown,
}

impl Meter {
    /// Tells in this way.
    pub(crate) fn new(display: Display) -> Self {
        let is_noted = IS_NOTED.load(Ordering::Relaxed);
        let shown = display.shown().or_else(|| is_noted.then_some(Shown::Nowhere));
        let telling = shown.map(Telling::start);
        if let Some(telling) = telling.as_ref().filter(|_| is_noted) {
            *LAST.lock().unwrap_or_else(PoisonError::into_inner) = Some(telling.shared.clone());
        }
        Meter { telling }
    }

    /// Tells nothing.
    pub(crate) fn silent() -> Self {
        Meter { telling: None }
    }

    /// Says which file the stages work on, and its place in a batch.
    pub(crate) fn file(&self, name: String, place: Option<(usize, usize)>) {
        let name = printable(&name).into_owned();
        self.tell(|shared| shared.lock().at.file = Some(InFile { name, place }));
    }

    /// A stage without parts to count.
    pub(crate) fn stage(&self, stage: &'static str) {
        self.begin(stage, None, 1);
    }

    /// Writes to `out` what `write` writes, and tells how much of it has been written.
    pub(crate) fn writing(
        &self,
        all: Written,
        out: &mut dyn Write,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        let (Written::Lines(total) | Written::Bytes(total)) = all;
        self.expect(&[Expected { stage: "writing", dim: None, cost: Cost::Unknown }]);
        self.begin("writing", None, total);
        write(&mut Counted { out, all, meter: self, pending: 0 })
    }

    /// Hides a bar while `say` writes to standard error.
    pub(crate) fn aside<T>(&self, say: impl FnOnce() -> T) -> T {
        match &self.telling {
            Some(Telling { shared, .. }) => shared.lock().shown.aside(say),
            None => say(),
        }
    }

    /// Tells how far a stage is whose length is not known.
    pub(crate) fn at(&self, step: String) {
        self.tell(|shared| shared.lock().at.step = Some(step));
    }

    fn tell(&self, how: impl FnOnce(&Shared)) {
        if let Some(Telling { shared, .. }) = &self.telling {
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
            // What is told from here on is told of this stage.
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
        interruption::is_requested()
    }

    fn takes_what_is_done(&self) -> bool {
        interruption::takes_what_is_done()
    }
}

impl Telling {
    fn start(shown: Shown) -> Self {
        let at = Where { stage: "starting", dim: None, total: 1, step: None, file: None };
        let is_shown = !matches!(shown, Shown::Nowhere);
        let state = State { at, forecast: Forecast::default(), shown };
        let shared =
            Arc::new(Shared { start: Instant::now(), done: AtomicU64::new(0), state: Mutex::new(state) });
        let timer = if is_shown { watch(shared.clone()) } else { None };
        Telling { shared, timer }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // What is told stays true enough whoever panicked.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
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

/// Looks how far the run is until the sender is dropped. None, if no thread can be started for it.
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

impl Drop for Telling {
    fn drop(&mut self) {
        if let Some((ended, timer)) = self.timer.take() {
            drop(ended);
            // The timer cannot panic; if it did, the run itself is none the worse.
            let _ = timer.join();
        }
        self.shared.lock().shown.end();
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

/// A writer that tells a meter.
struct Counted<'a> {
    out: &'a mut dyn Write,
    all: Written,
    meter: &'a Meter,
    /// Lines or bytes written since the meter was told.
    pending: u64,
}

/// Lines or bytes that are written before the meter is told: to tell it of each would take longer than to write it.
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

    /// A meter that shows nothing, but counts.
    fn counting() -> Meter {
        Meter { telling: Some(Telling::start(Shown::Nowhere)) }
    }

    fn done(meter: &Meter) -> u64 {
        meter.telling.as_ref().unwrap().shared.done.load(Ordering::Relaxed)
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
        let state = meter.telling.as_ref().unwrap().shared.lock();
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
