//! Reduction of a matrix whose index width is known only when its file is read.
//!
//! [`read_feeding`] reads, [`AnyComplex::plan`] chooses, [`AnyPlanned::reduce`] reduces,
//! [`write_any`](crate::output::pairs::PairsFormat::write_any) writes. They are generic inside and not in their
//! signatures, so that a program that calls them compiles no algorithm itself.

use std::path::Path;

#[cfg(doc)]
use super::cycles::cycles;
use super::cycles::{ClassSelection, Cycles, CyclesError, cycles_watched};
use super::expected;
use super::index::SharedIndex;
use super::leftmost_ones::{Feeds, ScanError, Scanner};
use super::read::{
    self, AnyComplex, LoadedComplex, LoadedMatrix, MatrixReadError, MatrixReadOptions, ReadObserver,
};
use super::{
    Algorithm, BoundaryMatrix, Dimension, Dualize, Figures, Index, MatrixError, MatrixIndex, NotAComplex,
    Pairs, Plan, Reason, ReductionRequest, reduce_watched,
};
use phat_formats::{MatrixSize, Part};

use crate::backend::Backend;
use crate::memory::MemoryPlan;
use crate::progress::Progress;

/// Like [`read::read_path`], but also passes the columns to a device as they are read, if `feeds` wants that.
///
/// # Errors
/// See [`read::read_path`].
pub fn read_feeding(
    path: &Path,
    options: &MatrixReadOptions,
    feeds: &Feeds<'_>,
) -> Result<LoadedMatrix, MatrixReadError> {
    read::read_path_observed(path, options, feeds)
}

/// Like [`read_feeding`], but reports to `progress` how much of a binary file of PHAT has been read; the expected
/// costs of later stages follow from its size.
/// # Errors
/// See [`read::read_path`].
pub fn read_watched(
    path: &Path,
    options: &MatrixReadOptions,
    feeds: &Feeds<'_>,
    progress: &dyn Progress,
) -> Result<LoadedMatrix, MatrixReadError> {
    read::read_path_observed(path, options, &Watched { feeds, progress })
}

/// Observer that feeds columns to a device and reports progress.
struct Watched<'a> {
    feeds: &'a Feeds<'a>,
    progress: &'a dyn Progress,
}

impl Watched<'_> {
    fn advance<I: Index>(&self, part: &Part<'_, I>) {
        let size = MatrixSize { columns: part.starts.len(), entries: part.rows.len() };
        self.progress.advance(expected::units(size));
    }
}

impl ReadObserver for Watched<'_> {
    fn begin<I: SharedIndex>(&self, size: MatrixSize) {
        self.progress.expect(&expected::with_reading(size));
        self.progress.begin("reading", None, expected::units(size));
        self.feeds.begin::<I>(size);
    }

    fn narrow(&self, part: &Part<'_, u32>) {
        self.feeds.narrow(part);
        self.advance(part);
    }

    fn wide(&self, part: &Part<'_, u64>) {
        self.feeds.wide(part);
        self.advance(part);
    }
}

/// Evaluates an expression on the variant of either index width.
macro_rules! of_either {
    ($any:ident, $own:expr, $it:pat => $body:expr) => {
        match $own {
            $any::Narrow($it) => $body,
            $any::Wide($it) => $body,
        }
    };
}

impl AnyComplex {
    /// Number of cells.
    pub fn cells(&self) -> usize {
        of_either!(AnyComplex, self, cells => cells.matrix.len())
    }

    /// Number of ones.
    pub fn entries(&self) -> usize {
        of_either!(AnyComplex, self, cells => cells.matrix.entries())
    }

    /// Greatest dimension of a cell.
    pub fn max_dim(&self) -> Option<Dimension> {
        of_either!(AnyComplex, self, cells => cells.matrix.max_dim())
    }

    /// Width in bits of the cell numbers.
    pub fn index_bits(&self) -> usize {
        match self {
            AnyComplex::Narrow(_) => 32,
            AnyComplex::Wide(_) => 64,
        }
    }

    /// Checks that ∂∂ = 0.
    ///
    /// # Errors
    /// [`NotAComplex`]: some boundary has a boundary.
    pub fn check(&self) -> Result<(), NotAComplex> {
        of_either!(AnyComplex, self, cells => cells.matrix.check())
    }

    /// Chooses the device for the scan, then what the request leaves open. `feeds` have seen the file as it was read.
    ///
    /// # Errors
    /// A requested GPU cannot be used; the scan failed, or its verification found a wrong result.
    pub fn plan(
        &self,
        request: &ReductionRequest,
        backend: &Backend,
        feeds: Feeds,
    ) -> Result<AnyPlanned<'_>, MatrixError> {
        Ok(match self {
            AnyComplex::Narrow(cells) => {
                let scanner = scanner(request, || {
                    Scanner::choose(backend, feeds.narrow, &cells.matrix).map_err(ScanError::from)
                })?;
                AnyPlanned::Narrow(Planned::new(cells, scanner, request)?)
            }
            AnyComplex::Wide(cells) => {
                let scanner = scanner(request, || {
                    Scanner::choose(backend, feeds.wide, &cells.matrix).map_err(ScanError::from)
                })?;
                AnyPlanned::Wide(Planned::new(cells, scanner, request)?)
            }
        })
    }
}

/// Bytes of a matrix with indices of `bytes` bytes: dimension and column start of each cell, and all rows.
fn matrix_bytes<I: MatrixIndex>(matrix: &BoundaryMatrix<I>, bytes: u64) -> u64 {
    let (cells, entries) = (matrix.len() as u64, matrix.entries() as u64);
    cells.saturating_mul(1 + bytes).saturating_add(entries.saturating_mul(bytes))
}

/// The device that `choose` chooses, or the processor if the requested algorithm has no scan.
fn scanner<I: MatrixIndex, E>(
    request: &ReductionRequest,
    choose: impl FnOnce() -> Result<Scanner<I>, E>,
) -> Result<Scanner<I>, E> {
    match request.algorithm.filter(|algorithm| !algorithm.scans()) {
        None => choose(),
        Some(algorithm) => {
            Ok(Scanner::processor_as(format!("{algorithm} has no scan, which is what a GPU could do")))
        }
    }
}

/// A matrix of either index width with the plan of its reduction.
pub enum AnyPlanned<'a> {
    /// Cells are numbered by 32 bits.
    Narrow(Planned<'a, u32>),
    /// Cells are numbered by 64 bits.
    Wide(Planned<'a, u64>),
}

/// A matrix of one index width with the plan of its reduction.
pub struct Planned<'a, I: MatrixIndex> {
    cells: &'a LoadedComplex<I>,
    scanner: Scanner<I>,
    plan: Plan,
    reasons: Vec<Reason>,
}

impl<'a, I: MatrixIndex> Planned<'a, I> {
    fn new(
        cells: &'a LoadedComplex<I>,
        scanner: Scanner<I>,
        request: &ReductionRequest,
    ) -> Result<Self, MatrixError> {
        let (plan, reasons) = Plan::choose_with(&cells.matrix, request, &scanner)?;
        Ok(Planned { cells, scanner, plan, reasons })
    }
}

impl<'a> AnyPlanned<'a> {
    /// The plan.
    pub fn plan(&self) -> Plan {
        of_either!(AnyPlanned, self, planned => planned.plan)
    }

    /// The choices of the plan with their reasons. After a reduction the device is the one that ran the scan: the
    /// processor if a device failed.
    pub fn reasons(&self) -> Vec<Reason> {
        let mut reasons = of_either!(AnyPlanned, self, planned => planned.reasons.clone());
        if let Some((first, machine)) = reasons.first_mut().zip(self.machine()) {
            *first = machine;
        }
        reasons
    }

    /// The memory plan of the reduction, including the matrix. The sizes of residues and working columns are not
    /// known beforehand.
    pub fn memory(&self) -> MemoryPlan {
        let (plan, bytes, cells) = match self {
            AnyPlanned::Narrow(planned) => (planned.plan, 4, planned.cells.matrix.len() as u64),
            AnyPlanned::Wide(planned) => (planned.plan, 8, planned.cells.matrix.len() as u64),
        };
        let matrix = of_either!(AnyPlanned, self, planned => matrix_bytes(&planned.cells.matrix, bytes));
        let mates = ("mates of cells", cells * bytes);
        let memory = MemoryPlan::new();
        let memory = if plan.algorithm == Algorithm::Sieve {
            memory
                .stage(
                    "graphs",
                    [("the matrix", matrix), mates, ("cells of graphs", 2 * cells * bytes)],
                    false,
                )
                .stage("annotations, residue", [("the matrix", matrix), mates], true)
        } else {
            let dual = if plan.dualize == Dualize::On { matrix } else { 0 };
            let uses = [("the matrix", matrix), ("its anti-transpose", dual), mates];
            memory.stage("reduce", uses, true)
        };
        let pairs = cells / 2 * 2 * bytes;
        memory.stage("pairs", [("the matrix", matrix), mates, ("pairs", pairs)], false)
    }

    /// The device that runs the scan and the reason for it, where one was chosen.
    pub fn machine(&self) -> Option<Reason> {
        of_either!(AnyPlanned, self, planned => planned.scanner.reason())
    }

    /// Notes on what did not go as planned in the scan, although its result is right.
    pub fn notes(&self) -> Vec<String> {
        of_either!(AnyPlanned, self, planned => planned.scanner.notes())
    }

    /// Peak use of device memory in bytes.
    pub fn device_memory(&self) -> u64 {
        of_either!(AnyPlanned, self, planned => planned.scanner.device_memory())
    }

    /// Computes the persistence pairs.
    ///
    /// # Errors
    /// The scan failed; or threads could not be started.
    pub fn reduce(&self) -> Result<AnyReduced<'a>, MatrixError> {
        self.reduce_watched(&())
    }

    /// Like [`reduce`](AnyPlanned::reduce); `progress` may end it early, see [`reduce_watched`].
    ///
    /// # Errors
    /// See [`reduce_watched`].
    pub fn reduce_watched(&self, progress: &dyn Progress) -> Result<AnyReduced<'a>, MatrixError> {
        Ok(match self {
            AnyPlanned::Narrow(Planned { cells, scanner, plan, .. }) => {
                let pairs = reduce_watched(&cells.matrix, plan, scanner, progress)?;
                AnyReduced::Narrow(Reduced::new(cells, pairs))
            }
            AnyPlanned::Wide(Planned { cells, scanner, plan, .. }) => {
                let pairs = reduce_watched(&cells.matrix, plan, scanner, progress)?;
                AnyReduced::Wide(Reduced::new(cells, pairs))
            }
        })
    }
}

/// A matrix of either index width with its pairs.
pub enum AnyReduced<'a> {
    /// Cells are numbered by 32 bits.
    Narrow(Reduced<'a, u32>),
    /// Cells are numbered by 64 bits.
    Wide(Reduced<'a, u64>),
}

/// A matrix of one index width with its pairs.
#[non_exhaustive]
pub struct Reduced<'a, I> {
    /// The matrix.
    pub cells: &'a LoadedComplex<I>,
    /// The pairs.
    pub pairs: Pairs<I>,
    /// Cycles that represent classes, if they were requested.
    pub cycles: Option<Cycles<I>>,
}

impl<'a, I: Index> Reduced<'a, I> {
    fn new(cells: &'a LoadedComplex<I>, pairs: Pairs<I>) -> Self {
        Reduced { cells, pairs, cycles: None }
    }

    fn find_cycles(
        &mut self,
        selection: &ClassSelection,
        progress: &dyn Progress,
    ) -> Result<(), CyclesError> {
        self.cycles = Some(cycles_watched(&self.cells.matrix, &self.pairs, selection, progress)?);
        Ok(())
    }
}

impl AnyReduced<'_> {
    /// Computes the cycles of the selected classes, see [`cycles()`]. They are written with the pairs.
    ///
    /// # Errors
    /// See [`cycles()`].
    pub fn find_cycles(&mut self, selection: &ClassSelection) -> Result<(), CyclesError> {
        self.find_cycles_watched(selection, &())
    }

    /// Like [`AnyReduced::find_cycles`]; `progress` may end it early.
    ///
    /// # Errors
    /// See [`cycles_watched`].
    pub fn find_cycles_watched(
        &mut self,
        selection: &ClassSelection,
        progress: &dyn Progress,
    ) -> Result<(), CyclesError> {
        of_either!(AnyReduced, self, reduced => reduced.find_cycles(selection, progress))
    }

    /// Number of cycles found and of column additions for them; none if no cycles were requested.
    pub fn cycles(&self) -> Option<(usize, u64)> {
        of_either!(AnyReduced, self, reduced => {
            reduced.cycles.as_ref().map(|cycles| (cycles.len(), cycles.additions()))
        })
    }

    /// Number of pairs.
    pub fn pairs(&self) -> usize {
        of_either!(AnyReduced, self, reduced => reduced.pairs.pairs.len())
    }

    /// Number of cells in no pair.
    pub fn essential(&self) -> usize {
        of_either!(AnyReduced, self, reduced => reduced.pairs.essential().len())
    }

    /// Statistics of the reduction.
    pub fn figures(&self) -> &Figures {
        of_either!(AnyReduced, self, reduced => &reduced.pairs.figures)
    }
}
