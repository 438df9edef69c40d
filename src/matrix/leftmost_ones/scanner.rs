//! Runs the scan of a matrix on the chosen device or on the processor.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use phat_formats::{BoundaryMatrix, MatrixSize};

use super::check;
use super::cpu::scan_with;
use super::cuda::{Prepared, Scanned};
use super::estimate::estimate;
use super::feed::Feed;
use super::scan::{Leftmost, Scan};
use crate::backend::{Backend, BackendError, Decision, Difference, MachineError, Outcome, Stage, guarded};
use crate::cuda::{CudaError, Gpu};
use crate::matrix::index::SharedIndex;
use crate::matrix::mates::Mates;
use crate::matrix::reason::Reason;

/// An error of a scan. A scan on the processor never fails.
pub type ScanError = MachineError<Infallible>;

/// Answers requests for the results of the scan of one matrix. A device scans once and keeps its results.
pub struct Scanner<I: SharedIndex> {
    /// The decision, updated when the processor replaces a device. All scanners of a run share it.
    decision: Option<Arc<Mutex<Decision>>>,
    state: Mutex<State<I>>,
    notes: Arc<Mutex<Vec<String>>>,
}

/// The state of the device.
enum State<I: SharedIndex> {
    /// No kernels are loaded, or the device failed.
    Nothing,
    /// The kernels are loaded.
    Prepared(Box<Prepared<I>>),
    /// The matrix is scanned, and the results are on the device.
    Scanned {
        scanned: Box<Scanned<I>>,
        /// Whether the processor has verified the results.
        is_checked: bool,
    },
}

impl<I: SharedIndex> Scanner<I> {
    /// A scanner on the processor, without a decision to report.
    pub fn processor() -> Self {
        Scanner::new(None, State::Nothing)
    }

    /// A scanner on the processor, with the reason for that.
    pub fn processor_as(why: String) -> Self {
        Scanner::with(Decision::processor(why))
    }

    /// A scanner on the first device of a decision, or on the processor if there is none.
    pub fn with(decision: Decision) -> Self {
        Scanner::new(Some(decision), State::Nothing)
    }

    fn new(decision: Option<Decision>, state: State<I>) -> Self {
        let notes = match decision.as_ref().map(|decision| &decision.gpus[..]) {
            Some([first, _, ..]) => vec![format!("the scan takes one device: {}", first.name())],
            _ => Vec::new(),
        };
        let decision = decision.map(|decision| Arc::new(Mutex::new(decision)));
        Scanner { decision, state: Mutex::new(state), notes: Arc::new(Mutex::new(notes)) }
    }

    /// Creates a scanner on the device that a backend decides on. `feed` may have passed parts of the matrix to it
    /// while it was read.
    ///
    /// # Errors
    /// A GPU was requested, and none can be used.
    pub fn choose(
        backend: &Backend,
        feed: Feed<I>,
        matrix: &BoundaryMatrix<I>,
    ) -> Result<Self, BackendError> {
        let size = MatrixSize { columns: matrix.len(), entries: matrix.entries() };
        let decision = backend.decide(&estimate::<I>(size))?;
        let state = if decision.gpus.is_empty() {
            State::Nothing
        } else {
            // A device that fails here fails again when it is used, and that error is reported.
            let fed = feed.finish(matrix).unwrap_or(None);
            fed.map_or(State::Nothing, State::scanned)
        };
        Ok(Scanner::new(Some(decision), state))
    }

    /// The device and the reason for it, where one was chosen: before the scan the chosen one, after it the one that
    /// ran the scan.
    pub fn reason(&self) -> Option<Reason> {
        let decision = self.decision()?;
        Some(Reason { what: "backend", choice: decision.machine().to_owned(), why: decision.why })
    }

    /// Peak use of device memory in bytes.
    pub fn device_memory(&self) -> u64 {
        self.decision().map_or(0, |decision| decision.peak())
    }

    /// Notes for the user on a scan whose result is right: a failed device, devices that are not used.
    pub fn notes(&self) -> Vec<String> {
        locked(&self.notes).clone()
    }

    /// Returns a scanner on the same device for another matrix, and drops the results for this one.
    pub(crate) fn for_another(&self) -> Scanner<I> {
        let mut state = locked(&self.state);
        let state = match std::mem::replace(&mut *state, State::Nothing) {
            State::Scanned { scanned, .. } => State::Prepared(Box::new(scanned.release())),
            other => other,
        };
        Scanner { decision: self.decision.clone(), state: Mutex::new(state), notes: Arc::clone(&self.notes) }
    }

    /// All results of the scan.
    pub(crate) fn scan(&self, matrix: &BoundaryMatrix<I>) -> Result<Scan<I>, ScanError> {
        self.ask(matrix, || super::cpu::scan(matrix), Scanned::scan)
    }

    /// The leftmost ones.
    pub(crate) fn leftmost(&self, matrix: &BoundaryMatrix<I>) -> Result<Leftmost<I>, ScanError> {
        self.ask(matrix, || Leftmost::of(matrix), Scanned::leftmost)
    }

    /// The pairs of stable columns and their lows. Returns `None` if the processor has to find them, since the caller
    /// knows which columns matter.
    pub(crate) fn mates(&self, matrix: &BoundaryMatrix<I>) -> Result<Option<Mates<I>>, ScanError> {
        self.ask(matrix, || None, |scanned| scanned.mates().map(Some))
    }

    fn decision(&self) -> Option<Decision> {
        Some(locked(self.decision.as_ref()?).clone())
    }

    /// Runs a request on the device if there is one, and on the processor if the device fails and may be replaced.
    fn ask<T>(
        &self,
        matrix: &BoundaryMatrix<I>,
        processor: impl Fn() -> T,
        device: impl Fn(&mut Scanned<I>) -> Result<T, CudaError>,
    ) -> Result<T, ScanError> {
        let Some(decision) = &self.decision else { return Ok(processor()) };
        let found = {
            // The device handles one request at a time; the processor, below, is not blocked by that.
            let (mut decision, mut state) = (locked(decision), locked(&self.state));
            let mut asking =
                ScanStage { matrix, state: &mut state, notes: &self.notes, processor: &processor, device };
            decision.run_on_device(&mut asking)?
        };
        Ok(found.unwrap_or_else(processor))
    }
}

/// A request for results of the scan, as a stage of a backend.
struct ScanStage<'a, I: SharedIndex, P, D> {
    matrix: &'a BoundaryMatrix<I>,
    state: &'a mut State<I>,
    notes: &'a Mutex<Vec<String>>,
    /// Computes the answer on the processor.
    processor: P,
    /// Fetches the answer from a device that has scanned the matrix.
    device: D,
}

impl<I, T, P, D> Stage for ScanStage<'_, I, P, D>
where
    I: SharedIndex,
    P: Fn() -> T,
    D: Fn(&mut Scanned<I>) -> Result<T, CudaError>,
{
    type Found = T;
    type Error = Infallible;
    type Failure = CudaError;

    fn on_device(&mut self, gpu: &Gpu) -> Outcome<T, Self> {
        // A failed device leaves no state behind.
        let before = std::mem::replace(self.state, State::Nothing);
        let answer = before.scan(gpu, self.matrix).and_then(|(mut scanned, is_checked)| {
            let answer = (self.device)(&mut scanned)?;
            *self.state = State::Scanned { scanned, is_checked };
            Ok(answer)
        });
        Ok(answer.inspect_err(|error| {
            locked(self.notes).push(format!("{error}; the processor goes on"));
        })?)
    }

    fn on_processor(&mut self) -> Result<T, Infallible> {
        Ok((self.processor)())
    }

    /// Verifies all results of the device, once, which covers every later request.
    fn check(&mut self, _: &T) -> Outcome<(), Self> {
        match self.state {
            State::Scanned { scanned, is_checked } if !*is_checked => {
                guarded(|| compare(self.matrix, scanned))?;
                *is_checked = true;
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

impl<I: SharedIndex> State<I> {
    fn scanned(scanned: Scanned<I>) -> Self {
        State::Scanned { scanned: Box::new(scanned), is_checked: false }
    }

    /// Scans the matrix unless that is done, and returns whether the processor has verified the results.
    fn scan(self, gpu: &Gpu, matrix: &BoundaryMatrix<I>) -> Result<(Box<Scanned<I>>, bool), CudaError> {
        let prepared = match self {
            State::Scanned { scanned, is_checked } => return Ok((scanned, is_checked)),
            State::Prepared(prepared) => *prepared,
            State::Nothing => Prepared::new(gpu)?,
        };
        Ok((Box::new(prepared.scan(matrix)?), false))
    }
}

/// Compares all results of a device with those of the processor.
fn compare<I: SharedIndex>(matrix: &BoundaryMatrix<I>, scanned: &mut Scanned<I>) -> Result<(), ScanError> {
    let own = Leftmost::of(matrix);
    let of_scan = |difference: Difference| difference.within("scan");
    check::leftmost(matrix.len(), &scanned.leftmost()?, &own).map_err(of_scan)?;
    Ok(check::scan(&scanned.scan()?, &scan_with(matrix, &own)).map_err(of_scan)?)
}

/// Locks a mutex. A panic leaves its value valid, since it is only ever replaced as a whole.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
