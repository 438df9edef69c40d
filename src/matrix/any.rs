//! Reduction of a matrix whose index width is known only when its file is read.
//!
//! [`read_path`](super::read::read_path) reads, [`AnyComplex::plan`] chooses, [`PlannedReduction::reduce`] reduces,
//! [`write_any`](crate::output::pairs::PairsFormat::write_any) writes. They are generic inside and not in their
//! signatures, so that a program that calls them compiles no algorithm itself.

use super::cycles::{ClassSelection, Cycles, CyclesError, cycles};
use super::index::of_either;
use super::leftmost_ones::{ScanError, Scanner};
use super::read::{AnyComplex, LoadedComplex};
use super::{
    Algorithm, Dimension, Dualize, Figures, MatrixError, NotAComplex, Pairs, Plan, Reason, ReductionRequest,
    reduce_with,
};
use crate::backend::Backend;
use crate::memory::MemoryPlan;
use crate::progress::Progress;

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

    /// Chooses the device for the scan, then what the request leaves open.
    ///
    /// # Errors
    /// A requested GPU cannot be used; the scan failed, or its verification found a wrong result.
    pub fn plan(
        &self,
        request: &ReductionRequest,
        backend: &Backend,
    ) -> Result<PlannedReduction<'_>, MatrixError> {
        of_either!(AnyComplex, self, cells => {
            let scanner = match request.algorithm.filter(|algorithm| !algorithm.scans()) {
                None => Scanner::choose(backend, &cells.matrix).map_err(ScanError::from)?,
                Some(algorithm) => {
                    Scanner::processor_as(format!("{algorithm} has no scan, which is what a GPU could do"))
                }
            };
            let (plan, reasons) = Plan::choose_with(&cells.matrix, request, &scanner)?;
            Ok(PlannedReduction { input: self, scanner, plan, reasons })
        })
    }
}

/// A matrix of either index width with the plan of its reduction.
pub struct PlannedReduction<'a> {
    input: &'a AnyComplex,
    scanner: Scanner,
    plan: Plan,
    reasons: Vec<Reason>,
}

impl<'a> PlannedReduction<'a> {
    /// The plan.
    pub fn plan(&self) -> Plan {
        self.plan
    }

    /// The choices of the plan with their reasons. After a reduction the device is the one that ran the scan: the
    /// processor if a device failed.
    pub fn reasons(&self) -> Vec<Reason> {
        let mut reasons = self.reasons.clone();
        if let Some((first, backend)) = reasons.first_mut().zip(self.scanner.reason()) {
            *first = backend;
        }
        reasons
    }

    /// The memory plan of the reduction, including the matrix. The sizes of residues and working columns are not
    /// known beforehand.
    pub fn memory(&self) -> MemoryPlan {
        let plan = self.plan;
        let (cells, entries) = (self.input.cells() as u64, self.input.entries() as u64);
        let bytes = self.input.index_bits() as u64 / 8;
        // Dimension and column start of each cell, and all rows.
        let matrix = cells.saturating_mul(1 + bytes).saturating_add(entries.saturating_mul(bytes));
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

    /// The scanner, which says what runs or ran the scan and why.
    pub fn scanner(&self) -> &Scanner {
        &self.scanner
    }

    /// Computes the persistence pairs; `progress` may end that early, see [`reduce_with`].
    ///
    /// # Errors
    /// See [`reduce_with`].
    pub fn reduce(&self, progress: &dyn Progress) -> Result<AnyReduced<'a>, MatrixError> {
        Ok(match self.input {
            AnyComplex::Narrow(cells) => {
                let pairs = reduce_with(&cells.matrix, &self.plan, &self.scanner, progress)?;
                AnyReduced::Narrow(Reduced { cells, pairs, cycles: None })
            }
            AnyComplex::Wide(cells) => {
                let pairs = reduce_with(&cells.matrix, &self.plan, &self.scanner, progress)?;
                AnyReduced::Wide(Reduced { cells, pairs, cycles: None })
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

impl AnyReduced<'_> {
    /// Computes the cycles of the selected classes, see [`cycles()`]. They are written with the pairs.
    ///
    /// # Errors
    /// See [`cycles()`].
    pub fn find_cycles(
        &mut self,
        selection: &ClassSelection,
        progress: &dyn Progress,
    ) -> Result<(), CyclesError> {
        of_either!(AnyReduced, self, reduced => {
            reduced.cycles = Some(cycles(&reduced.cells.matrix, &reduced.pairs, selection, progress)?);
            Ok(())
        })
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
