//! Runs the scan of a matrix on the chosen device or on the processor.

use std::convert::Infallible;
use std::sync::Mutex;

use phat_formats::{BoundaryMatrix, MatrixSize};

use super::check;
use super::cpu::{leftmost, scan_with};
use super::cuda::{Prepared, Scanned};
use super::estimate::estimate;
use super::scan::Scan;
use crate::backend::{Backend, BackendError, Decision, Difference, MachineError};
use crate::cuda::CudaError;
use crate::matrix::cell_table::CellTable;
use crate::matrix::index::SharedIndex;
use crate::matrix::mates::Mates;
use crate::matrix::reason::Reason;
use crate::parallel::lock;

/// An error of a scan. A scan on the processor never fails.
pub type ScanError = MachineError<Infallible>;

/// Runs scans of leftmost ones on the chosen device, or on the processor.
#[derive(Debug, Default)]
pub struct Scanner {
    /// The decision, updated when the processor replaces a device.
    decision: Option<Mutex<Decision>>,
    notes: Mutex<Vec<String>>,
}

impl Scanner {
    /// A scanner on the processor, without a decision to report.
    pub fn processor() -> Self {
        Scanner::default()
    }

    /// A scanner on the processor, with the reason for that.
    pub fn processor_as(why: String) -> Self {
        Scanner::with(Decision::processor(why))
    }

    /// A scanner on the first device of a decision, or on the processor if there is none.
    pub fn with(decision: Decision) -> Self {
        let notes = match &decision.gpus[..] {
            [first, _, ..] => vec![format!("the scan takes one device: {}", first.name())],
            _ => Vec::new(),
        };
        Scanner { decision: Some(Mutex::new(decision)), notes: Mutex::new(notes) }
    }

    /// Creates a scanner on the device that a backend decides on for a matrix.
    ///
    /// # Errors
    /// A GPU was requested, and none can be used.
    pub fn choose<I: SharedIndex>(
        backend: &Backend,
        matrix: &BoundaryMatrix<I>,
    ) -> Result<Self, BackendError> {
        let size = MatrixSize { columns: matrix.len(), entries: matrix.entries() };
        backend.decide(&estimate::<I>(size)).map(Scanner::with)
    }

    /// The device and the reason for it, where one was chosen: before the scan the chosen one, after it the one that
    /// ran the scan.
    pub fn reason(&self) -> Option<Reason> {
        let decision = lock(self.decision.as_ref()?);
        Some(Reason { what: "backend", choice: decision.machine().to_owned(), why: decision.why.clone() })
    }

    /// Peak use of device memory in bytes.
    pub fn device_memory(&self) -> u64 {
        self.decision.as_ref().map_or(0, |decision| lock(decision).peak())
    }

    /// Notes for the user on a scan whose result is right: a failed device, devices that are not used.
    pub fn notes(&self) -> Vec<String> {
        lock(&self.notes).clone()
    }

    /// All results of the scan.
    pub(crate) fn scan<I: SharedIndex>(&self, matrix: &BoundaryMatrix<I>) -> Result<Scan<I>, ScanError> {
        self.run(matrix, || super::cpu::scan(matrix), |scanned| scanned.scan())
    }

    /// The leftmost ones.
    pub(crate) fn leftmost<I: SharedIndex>(
        &self,
        matrix: &BoundaryMatrix<I>,
    ) -> Result<CellTable<I>, ScanError> {
        self.run(matrix, || leftmost(matrix), |scanned| scanned.leftmost())
    }

    /// The pairs of stable columns and their lows. Returns `None` if the processor has to find them, since the caller
    /// knows which columns matter.
    pub(crate) fn mates<I: SharedIndex>(
        &self,
        matrix: &BoundaryMatrix<I>,
    ) -> Result<Option<Mates<I>>, ScanError> {
        self.run(matrix, || None, |scanned| scanned.mates().map(Some))
    }

    /// Scans a matrix on the device if there is one, and on the processor if the device fails and may be replaced.
    /// `device` fetches the results that `processor` computes. A device handles one scan at a time.
    fn run<I: SharedIndex, T>(
        &self,
        matrix: &BoundaryMatrix<I>,
        processor: impl FnOnce() -> T,
        device: impl Fn(&mut Scanned<'_, I>) -> Result<T, CudaError>,
    ) -> Result<T, ScanError> {
        let Some(decision) = &self.decision else { return Ok(processor()) };
        let mut decision = lock(decision);
        let self_check = decision.self_check;
        let found = decision.on_device(|gpu| {
            let scan = || {
                let mut prepared = Prepared::new(gpu)?;
                let mut scanned = prepared.scan(matrix)?;
                let checked = if self_check { compare(matrix, &mut scanned)? } else { Ok(()) };
                Ok((device(&mut scanned)?, checked))
            };
            scan().inspect_err(|error: &CudaError| {
                lock(&self.notes).push(format!("{error}; the processor goes on"));
            })
        });
        drop(decision);
        match found.map_err(MachineError::Device)? {
            Some((found, checked)) => checked.map(|()| found).map_err(MachineError::Check),
            None => Ok(processor()),
        }
    }
}

/// Compares all results of a device with those of the processor. The outer error is that of the device.
fn compare<I: SharedIndex>(
    matrix: &BoundaryMatrix<I>,
    scanned: &mut Scanned<'_, I>,
) -> Result<Result<(), Difference>, CudaError> {
    let own = leftmost(matrix);
    let (leftmost, scan) = (scanned.leftmost()?, scanned.scan()?);
    let compared =
        check::tables("leftmost", &leftmost, &own).and_then(|()| scan.compare(&scan_with(matrix, &own)));
    Ok(compared.map_err(|difference| difference.within("scan")))
}
