//! Which machine scans.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use phat_formats::{BoundaryMatrix, MatrixSize};

use super::check::{self, Difference};
use super::cpu::scan_with;
use super::cuda::{Prepared, Scanned};
use super::estimate::estimate;
use super::feed::Feed;
use super::scan::{Leftmost, Scan};
use crate::backend::{Backend, BackendError, Decision};
use crate::cuda::{CudaError, Gpu};
use crate::matrix::index::SharedIndex as Row;
use crate::matrix::mates::Mates;
use crate::matrix::reason::Reason;

/// Why a scan fails: the processor's never does.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ScanError {
    /// A GPU was asked for and is not there, or failed.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// The device and the processor found different things.
    #[error("self-check: scan: {0}")]
    SelfCheck(#[from] Difference),
}

/// A machine that scans one matrix, as often as it is asked about it: a device does so once, and keeps what it found.
pub struct Scanner<I: Row> {
    /// What was decided, and since, whether the processor had to take the place of a device: shared by the scanners of a run.
    decision: Option<Arc<Mutex<Decision>>>,
    state: Mutex<State<I>>,
    notes: Arc<Mutex<Vec<String>>>,
}

/// What there is of the matrix on the device.
enum State<I: Row> {
    Nothing,
    Prepared(Box<Prepared<I>>),
    Scanned {
        scanned: Box<Scanned<I>>,
        is_checked: bool,
    },
    /// The processor goes on.
    Failed,
}

impl<I: Row> Scanner<I> {
    /// The processor.
    pub fn processor() -> Self {
        Scanner::new(None, State::Nothing)
    }

    /// The processor, and why.
    pub fn processor_as(why: String) -> Self {
        Scanner::with(Decision { gpus: Vec::new(), self_check: false, may_fall_back: false, why })
    }

    /// The first of the devices, or without any the processor.
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

    /// The machine that the backend decides on for a matrix, of which a device may have been given some.
    ///
    /// # Errors
    /// A GPU was asked for, and there is none that will do.
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

    /// Which machine and why, where one was chosen. Before the scan that is the choice, after it what scanned.
    pub fn reason(&self) -> Option<Reason> {
        let decision = self.decision()?;
        Some(Reason { what: "backend", choice: decision.machine().to_owned(), why: decision.why })
    }

    /// The most device memory that was in use at a time, in bytes.
    pub fn device_memory(&self) -> u64 {
        self.decision().map_or(0, |decision| decision.peak())
    }

    /// What did not go as planned, though what was found is right.
    pub fn notes(&self) -> Vec<String> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The same machine for another matrix. What it found of this one is forgotten.
    pub(crate) fn for_another(&self) -> Scanner<I> {
        let mut state = self.lock();
        let state = match std::mem::replace(&mut *state, State::Nothing) {
            State::Scanned { scanned, .. } => State::Prepared(Box::new(scanned.release())),
            other => other,
        };
        Scanner { decision: self.decision.clone(), state: Mutex::new(state), notes: Arc::clone(&self.notes) }
    }

    /// All that the scan says.
    pub(crate) fn scan(&self, matrix: &BoundaryMatrix<I>) -> Result<Scan<I>, ScanError> {
        self.ask(matrix, || super::cpu::scan(matrix), Scanned::scan)
    }

    /// The leftmost ones.
    pub(crate) fn leftmost(&self, matrix: &BoundaryMatrix<I>) -> Result<Leftmost<I>, ScanError> {
        self.ask(matrix, || Leftmost::of(matrix), Scanned::leftmost)
    }

    /// The lows of stable columns paired with these. None when the processor is to do it: who asks knows which columns matter.
    pub(crate) fn mates(&self, matrix: &BoundaryMatrix<I>) -> Result<Option<Mates<I>>, ScanError> {
        self.ask(matrix, || None, |scanned| scanned.mates().map(Some))
    }

    fn decision(&self) -> Option<Decision> {
        Some(self.decision.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }

    /// Asks the device if there is one; where it fails and may be replaced, the processor.
    fn ask<T>(
        &self,
        matrix: &BoundaryMatrix<I>,
        processor: impl FnOnce() -> T,
        device: impl FnOnce(&mut Scanned<I>) -> Result<T, CudaError>,
    ) -> Result<T, ScanError> {
        let Some(decision) = &self.decision else { return Ok(processor()) };
        let mut decision = decision.lock().unwrap_or_else(PoisonError::into_inner);
        let mut state = self.lock();
        let before = std::mem::replace(&mut *state, State::Failed);
        let check = decision.self_check;
        let answer = decision.on_device(|gpu| match before.ask(gpu, check, matrix, device) {
            Ok(answered) => Ok(Ok(answered)),
            Err(ScanError::SelfCheck(difference)) => Ok(Err(difference)),
            Err(ScanError::Backend(BackendError::Cuda(error))) => {
                let note = format!("{error}; the processor goes on");
                self.notes.lock().unwrap_or_else(PoisonError::into_inner).push(note);
                Err(error)
            }
        });
        match answer.map_err(BackendError::Cuda)? {
            Some(Ok((found, after))) => {
                *state = after;
                Ok(found)
            }
            Some(Err(difference)) => Err(difference.into()),
            None => {
                drop((state, decision));
                Ok(processor())
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<I>> {
        // Whoever panicked while he held it has left the state of a device that failed.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<I: Row> State<I> {
    fn scanned(scanned: Scanned<I>) -> Self {
        State::Scanned { scanned: Box::new(scanned), is_checked: false }
    }

    /// Scans the matrix and checks what was found, as far as that is still to be done; then asks.
    fn ask<T>(
        self,
        gpu: &Gpu,
        check: bool,
        matrix: &BoundaryMatrix<I>,
        question: impl FnOnce(&mut Scanned<I>) -> Result<T, CudaError>,
    ) -> Result<(T, State<I>), ScanError> {
        let failed = |error| ScanError::Backend(BackendError::Cuda(error));
        let (mut scanned, is_checked) = match self {
            State::Scanned { scanned, is_checked } => (*scanned, is_checked),
            State::Prepared(prepared) => (prepared.scan(matrix).map_err(failed)?, false),
            State::Nothing | State::Failed => {
                let prepared = Prepared::new(gpu).map_err(failed)?;
                (prepared.scan(matrix).map_err(failed)?, false)
            }
        };
        if check && !is_checked {
            compare(matrix, &mut scanned)?;
        }
        let answer = question(&mut scanned).map_err(failed)?;
        Ok((answer, State::Scanned { scanned: Box::new(scanned), is_checked: check }))
    }
}

/// Compares all that a device found with what the processor finds.
fn compare<I: Row>(matrix: &BoundaryMatrix<I>, scanned: &mut Scanned<I>) -> Result<(), ScanError> {
    let failed = |error| ScanError::Backend(BackendError::Cuda(error));
    let own = Leftmost::of(matrix);
    check::leftmost(matrix.len(), &scanned.leftmost().map_err(failed)?, &own)?;
    check::scan(&scanned.scan().map_err(failed)?, &scan_with(matrix, &own))?;
    Ok(())
}
