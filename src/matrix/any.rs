//! Reduction of a matrix whose index width is known only when its file is read.
//!
//! [`read_feeding`] reads, [`AnyComplex::plan`] chooses, [`AnyPlanned::reduce`] reduces, [`write_any`](crate::output::pairs::PairsFormat::write_any) writes. Each is generic inside and not outside, so
//! that a program that calls them compiles no algorithm itself.

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

/// Like [`read::read_path`], and shows the columns to a device as they are read, if `feeds` wants that.
///
/// # Errors
/// As [`read::read_path`].
pub fn read_feeding(
    path: &Path,
    options: &MatrixReadOptions,
    feeds: &Feeds<'_>,
) -> Result<LoadedMatrix, MatrixReadError> {
    read::read_path_observed(path, options, feeds)
}

/// Like [`read_feeding`]; `progress` is told how much of a binary file of PHAT has been read, of whose size follows what the stages to come take.
///
/// # Errors
/// As [`read::read_path`].
pub fn read_watched(
    path: &Path,
    options: &MatrixReadOptions,
    feeds: &Feeds<'_>,
    progress: &dyn Progress,
) -> Result<LoadedMatrix, MatrixReadError> {
    read::read_path_observed(path, options, &Watched { feeds, progress })
}

/// Shows columns, and tells of them.
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

/// Calls something of the matrix, or what was made of it, of either width.
macro_rules! of_either {
    ($any:ident, $own:expr, $it:pat => $body:expr) => {
        match $own {
            $any::Narrow($it) => $body,
            $any::Wide($it) => $body,
        }
    };
}

impl AnyComplex {
    /// The number of cells.
    pub fn cells(&self) -> usize {
        of_either!(AnyComplex, self, cells => cells.matrix.len())
    }

    /// The number of ones.
    pub fn entries(&self) -> usize {
        of_either!(AnyComplex, self, cells => cells.matrix.entries())
    }

    /// The greatest dimension of a cell.
    pub fn max_dim(&self) -> Option<Dimension> {
        of_either!(AnyComplex, self, cells => cells.matrix.max_dim())
    }

    /// The width of the integers that number cells.
    pub fn index_bits(&self) -> usize {
        match self {
            AnyComplex::Narrow(_) => 32,
            AnyComplex::Wide(_) => 64,
        }
    }

    /// Whether boundaries have no boundary.
    ///
    /// # Errors
    /// [`NotAComplex`]: one has.
    pub fn check(&self) -> Result<(), NotAComplex> {
        of_either!(AnyComplex, self, cells => cells.matrix.check())
    }

    /// Chooses the machine that scans, then what was not asked for. `feeds` have seen the file as it was read.
    ///
    /// # Errors
    /// A GPU was asked for and will not do; the scan failed, or was found wrong.
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

/// Bytes of a matrix whose numbers have so many: of each cell its dimension and where its column begins, and the rows.
fn matrix_bytes<I: MatrixIndex>(matrix: &BoundaryMatrix<I>, bytes: u64) -> u64 {
    let (cells, entries) = (matrix.len() as u64, matrix.entries() as u64);
    cells.saturating_mul(1 + bytes).saturating_add(entries.saturating_mul(bytes))
}

/// The machine that `choose` chooses, or the processor where the algorithm that is asked for has no scan.
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

/// A matrix, and what is to be done with it.
pub enum AnyPlanned<'a> {
    /// Its cells are numbered by 32 bits.
    Narrow(Planned<'a, u32>),
    /// Its cells are numbered by 64 bits.
    Wide(Planned<'a, u64>),
}

/// A matrix of one index width, and what is to be done with it.
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
    /// What will be done.
    pub fn plan(&self) -> Plan {
        of_either!(AnyPlanned, self, planned => planned.plan)
    }

    /// What was chosen, and why. After a reduction, the machine is the one that scanned: a device may have failed, and the processor
    /// taken its place.
    pub fn reasons(&self) -> Vec<Reason> {
        let mut reasons = of_either!(AnyPlanned, self, planned => planned.reasons.clone());
        if let Some((first, machine)) = reasons.first_mut().zip(self.machine()) {
            *first = machine;
        }
        reasons
    }

    /// The plan of the memory that the reduction takes, the matrix included. What residues and working columns take is not known before.
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

    /// The machine that scans, and why it does, where one was chosen.
    pub fn machine(&self) -> Option<Reason> {
        of_either!(AnyPlanned, self, planned => planned.scanner.reason())
    }

    /// What did not go as planned in the scan, though what was found is right.
    pub fn notes(&self) -> Vec<String> {
        of_either!(AnyPlanned, self, planned => planned.scanner.notes())
    }

    /// The most device memory that was in use at a time, in bytes.
    pub fn device_memory(&self) -> u64 {
        of_either!(AnyPlanned, self, planned => planned.scanner.device_memory())
    }

    /// The persistence pairs.
    ///
    /// # Errors
    /// The scan failed; threads could not be started.
    pub fn reduce(&self) -> Result<AnyReduced<'a>, MatrixError> {
        self.reduce_watched(&())
    }

    /// Like [`reduce`](AnyPlanned::reduce); `progress` may end it early, see [`reduce_watched`].
    ///
    /// # Errors
    /// As there.
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

/// A matrix, and its pairs.
pub enum AnyReduced<'a> {
    /// Its cells are numbered by 32 bits.
    Narrow(Reduced<'a, u32>),
    /// Its cells are numbered by 64 bits.
    Wide(Reduced<'a, u64>),
}

/// A matrix of one index width, and its pairs.
#[non_exhaustive]
pub struct Reduced<'a, I> {
    /// The matrix.
    pub cells: &'a LoadedComplex<I>,
    /// The pairs.
    pub pairs: Pairs<I>,
    /// The cycles of classes, if they have been asked for.
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
    /// Finds the cycles of the selected classes, which [`cycles()`] says more of. They are written with the pairs.
    ///
    /// # Errors
    /// As [`cycles()`].
    pub fn find_cycles(&mut self, selection: &ClassSelection) -> Result<(), CyclesError> {
        self.find_cycles_watched(selection, &())
    }

    /// Like [`AnyReduced::find_cycles`]; `progress` may end it early.
    ///
    /// # Errors
    /// As [`cycles_watched`].
    pub fn find_cycles_watched(
        &mut self,
        selection: &ClassSelection,
        progress: &dyn Progress,
    ) -> Result<(), CyclesError> {
        of_either!(AnyReduced, self, reduced => reduced.find_cycles(selection, progress))
    }

    /// The number of cycles that have been found, and of the columns that were added to others for them; none if they have not been asked for.
    pub fn cycles(&self) -> Option<(usize, u64)> {
        of_either!(AnyReduced, self, reduced => {
            reduced.cycles.as_ref().map(|cycles| (cycles.len(), cycles.additions()))
        })
    }

    /// The number of pairs.
    pub fn pairs(&self) -> usize {
        of_either!(AnyReduced, self, reduced => reduced.pairs.pairs.len())
    }

    /// The number of cells in no pair.
    pub fn essential(&self) -> usize {
        of_either!(AnyReduced, self, reduced => reduced.pairs.essential().len())
    }

    /// What the reduction counted.
    pub fn figures(&self) -> &Figures {
        of_either!(AnyReduced, self, reduced => &reduced.pairs.figures)
    }
}
