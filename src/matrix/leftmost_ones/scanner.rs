//! The machine that scans a matrix.

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

/// Why a scan fails. The processor's scan never does.
pub type ScanError = MachineError<Infallible>;

/// A machine that scans one matrix, as often as it is asked about it. A device scans once, and keeps what it found.
pub struct Scanner<I: SharedIndex> {
    /// What was decided, and since then, whether the processor replaced a device. The scanners of a run share it.
    decision: Option<Arc<Mutex<Decision>>>,
    state: Mutex<State<I>>,
    notes: Arc<Mutex<Vec<String>>>,
}

/// What a device holds of the matrix.
enum State<I: SharedIndex> {
    /// No kernels are loaded, or the device failed.
    Nothing,
    /// The kernels are loaded.
    Prepared(Box<Prepared<I>>),
    /// The matrix is scanned, and what was found is on the device.
    Scanned {
        scanned: Box<Scanned<I>>,
        /// Whether the processor has found the same.
        is_checked: bool,
    },
}

impl<I: SharedIndex> Scanner<I> {
    /// The processor, without a decision to report.
    pub fn processor() -> Self {
        Scanner::new(None, State::Nothing)
    }

    /// The processor, and the reason for it.
    pub fn processor_as(why: String) -> Self {
        Scanner::with(Decision::processor(why))
    }

    /// The first device of a decision, or the processor if there is none.
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

    /// The machine that a backend decides on for a matrix, parts of which a device may have been given while it was read.
    ///
    /// # Errors
    /// A GPU was asked for, and there is none that can be used.
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
            // A device that fails here fails again when it is asked, and says why.
            let fed = feed.finish(matrix).unwrap_or(None);
            fed.map_or(State::Nothing, State::scanned)
        };
        Ok(Scanner::new(Some(decision), state))
    }

    /// The machine and why, where one was chosen. Before the scan that is the choice, after it the machine that scanned.
    pub fn reason(&self) -> Option<Reason> {
        let decision = self.decision()?;
        Some(Reason { what: "backend", choice: decision.machine().to_owned(), why: decision.why })
    }

    /// The greatest amount of device memory that was in use at a time, in bytes.
    pub fn device_memory(&self) -> u64 {
        self.decision().map_or(0, |decision| decision.peak())
    }

    /// What the user should know of the scan although its result is right: a device that failed, devices that are not used.
    pub fn notes(&self) -> Vec<String> {
        locked(&self.notes).clone()
    }

    /// This machine, for another matrix. What it found of this matrix is forgotten.
    pub(crate) fn for_another(&self) -> Scanner<I> {
        let mut state = locked(&self.state);
        let state = match std::mem::replace(&mut *state, State::Nothing) {
            State::Scanned { scanned, .. } => State::Prepared(Box::new(scanned.release())),
            other => other,
        };
        Scanner { decision: self.decision.clone(), state: Mutex::new(state), notes: Arc::clone(&self.notes) }
    }

    /// Everything that the scan says.
    pub(crate) fn scan(&self, matrix: &BoundaryMatrix<I>) -> Result<Scan<I>, ScanError> {
        self.ask(matrix, || super::cpu::scan(matrix), Scanned::scan)
    }

    /// The leftmost ones.
    pub(crate) fn leftmost(&self, matrix: &BoundaryMatrix<I>) -> Result<Leftmost<I>, ScanError> {
        self.ask(matrix, || Leftmost::of(matrix), Scanned::leftmost)
    }

    /// The lows of stable columns, paired with these columns. The result is `None` when the processor is to find them: the caller knows
    /// which columns matter.
    pub(crate) fn mates(&self, matrix: &BoundaryMatrix<I>) -> Result<Option<Mates<I>>, ScanError> {
        self.ask(matrix, || None, |scanned| scanned.mates().map(Some))
    }

    fn decision(&self) -> Option<Decision> {
        Some(locked(self.decision.as_ref()?).clone())
    }

    /// Asks the device if there is one; where it fails and may be replaced, the processor.
    fn ask<T>(
        &self,
        matrix: &BoundaryMatrix<I>,
        processor: impl Fn() -> T,
        device: impl Fn(&mut Scanned<I>) -> Result<T, CudaError>,
    ) -> Result<T, ScanError> {
        let Some(decision) = &self.decision else { return Ok(processor()) };
        let found = {
            // The device is asked one question at a time; the processor, below, is not held up by that.
            let (mut decision, mut state) = (locked(decision), locked(&self.state));
            let mut asking =
                ScanStage { matrix, state: &mut state, notes: &self.notes, processor: &processor, device };
            decision.run_on_device(&mut asking)?
        };
        Ok(found.unwrap_or_else(processor))
    }
}

/// A question about the scan of a matrix, as a stage.
struct ScanStage<'a, I: SharedIndex, P, D> {
    matrix: &'a BoundaryMatrix<I>,
    state: &'a mut State<I>,
    notes: &'a Mutex<Vec<String>>,
    /// How the processor answers.
    processor: P,
    /// How a device answers when it has scanned the matrix.
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
        // A device that fails leaves nothing behind.
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

    /// Checks all that the device found, once, and so the answers to every question.
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

    /// Scans the matrix unless that is done, and says whether the processor has checked what was found.
    fn scan(self, gpu: &Gpu, matrix: &BoundaryMatrix<I>) -> Result<(Box<Scanned<I>>, bool), CudaError> {
        let prepared = match self {
            State::Scanned { scanned, is_checked } => return Ok((scanned, is_checked)),
            State::Prepared(prepared) => *prepared,
            State::Nothing => Prepared::new(gpu)?,
        };
        Ok((Box::new(prepared.scan(matrix)?), false))
    }
}

/// Compares all that a device found with what the processor finds.
fn compare<I: SharedIndex>(matrix: &BoundaryMatrix<I>, scanned: &mut Scanned<I>) -> Result<(), ScanError> {
    let own = Leftmost::of(matrix);
    let of_scan = |difference: Difference| difference.within("scan");
    check::leftmost(matrix.len(), &scanned.leftmost()?, &own).map_err(of_scan)?;
    Ok(check::scan(&scanned.scan()?, &scan_with(matrix, &own)).map_err(of_scan)?)
}

/// What a mutex holds. A panic leaves it valid: it is only ever replaced as a whole.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
