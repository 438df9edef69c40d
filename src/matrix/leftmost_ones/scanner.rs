//! Runs the scan of a matrix on the chosen device or on the processor.

use std::convert::Infallible;
use std::sync::Mutex;

use phat_formats::BoundaryMatrix;

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
        backend.decide(&estimate::<I>(matrix.size())).map(Scanner::with)
    }

    /// The device and the reason for it, where one was chosen: before the scan the chosen one, after it the one that
    /// ran the scan.
    pub fn reason(&self) -> Option<Reason> {
        let decision = lock(self.decision.as_ref()?);
        Some(Reason { what: "backend", choice: decision.machine().to_owned(), why: decision.why.clone() })
    }

    /// The decision, as it is now.
    pub(crate) fn decision(&self) -> Decision {
        let given = self.decision.as_ref().map(|decision| lock(decision).clone());
        given.unwrap_or_else(|| Decision::processor("there was no choice".to_owned()))
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
        let mut scan = None;
        self.run(matrix, &mut |scanned| scanned.scan().map(|all| scan = Some(all)))?;
        Ok(scan.unwrap_or_else(|| super::cpu::scan(matrix)))
    }

    /// The leftmost ones.
    pub(crate) fn leftmost<I: SharedIndex>(
        &self,
        matrix: &BoundaryMatrix<I>,
    ) -> Result<CellTable<I>, ScanError> {
        let mut found = None;
        self.run(matrix, &mut |scanned| scanned.leftmost().map(|all| found = Some(all)))?;
        Ok(found.unwrap_or_else(|| leftmost(matrix)))
    }

    /// The pairs of stable columns and their lows. Returns `None` if the processor has to find them, since the caller
    /// knows which columns matter.
    pub(crate) fn mates<I: SharedIndex>(
        &self,
        matrix: &BoundaryMatrix<I>,
    ) -> Result<Option<Mates<I>>, ScanError> {
        let mut mates = None;
        self.run(matrix, &mut |scanned| scanned.mates().map(|all| mates = Some(all)))?;
        Ok(mates)
    }

    /// Scans a matrix on the device if there is one, and has `fetch` take the results. If it takes none, because there
    /// is no device or it fails and may be replaced, the processor is to scan. A device handles one scan at a time.
    fn run<I: SharedIndex>(
        &self,
        matrix: &BoundaryMatrix<I>,
        fetch: &mut dyn FnMut(&mut Scanned<'_, I>) -> Result<(), CudaError>,
    ) -> Result<(), ScanError> {
        let Some(decision) = &self.decision else { return Ok(()) };
        let mut decision = lock(decision);
        let self_check = decision.self_check;
        let checked = decision.on_device(|gpu| {
            let mut scan = || {
                let mut prepared = Prepared::new(gpu)?;
                let mut scanned = prepared.scan(matrix)?;
                let checked = if self_check { compare(matrix, &mut scanned)? } else { Ok(()) };
                fetch(&mut scanned)?;
                Ok(checked)
            };
            scan().inspect_err(|error: &CudaError| {
                lock(&self.notes).push(format!("{error}; the processor goes on"));
            })
        });
        checked.map_err(MachineError::Device)?.unwrap_or(Ok(())).map_err(MachineError::Check)
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
