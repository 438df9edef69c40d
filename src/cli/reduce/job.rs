//! Reduction of a boundary matrix to its pairs, shared by `reduce` and `phat`.

use std::path::Path;

use lacuna::backend::Backend;
use lacuna::matrix::any::{AnyReduced, PlannedReduction};
use lacuna::matrix::cycles::ClassSelection;
use lacuna::matrix::figures::Figures;
use lacuna::matrix::read::{AnyComplex, LoadedMatrix, MatrixFormat, MatrixReadOptions, read_path_watched};
use lacuna::matrix::{Algorithm, Reason, ReductionRequest};
use lacuna::output::pairs::PairsFormat;
use lacuna::plot::Series;
use lacuna::progress::{Resumable, Silent};
use lacuna::snapshot::facts;

use crate::cli::error::{CliError, Result, usage};
use crate::cli::frame::Frame;
use crate::cli::notes::counted;
use crate::cli::record::timed;

/// A requested reduction, with its input and outputs.
#[derive(Debug)]
pub(crate) struct Job<'a> {
    pub(crate) file: &'a Path,
    pub(crate) options: MatrixReadOptions,
    /// Whether to check that ∂∂ = 0; `None` checks it if the file gives boundaries.
    pub(crate) check: Option<bool>,
    pub(crate) request: ReductionRequest,
    /// The devices that may scan for leftmost ones.
    pub(crate) backend: Backend,
    /// Format of the pairs; `None` chooses the one that suits the input.
    pub(crate) output: Option<PairsFormat>,
    /// The classes whose cycles are written with the pairs, if requested.
    pub(crate) cycles: Option<ClassSelection>,
    pub(crate) explain: bool,
}

/// Advice for a matrix that is too large to be reduced.
const HELPS: &str = "--algorithm sieve takes least; of an image, lacuna cubical takes a part of this, and of distances lacuna rips";

/// Checkpoint entry that says that ∂∂ = 0 was checked. The checkpoint belongs to one input.
const CHECKED: &str = "checked";

impl Job<'_> {
    /// Reads the matrix, reduces it and writes the pairs.
    pub(crate) fn run(&self, frame: &mut Frame<'_>) -> Result<()> {
        let LoadedMatrix { input, format, gives_boundaries, .. } = self.read(frame)?;
        if self.cycles.is_some() && !gives_boundaries {
            return Err(usage(format_args!(
                "{}: --representatives: expected a boundary matrix, whose columns are cells, found an image or \
                 distances; lacuna convert makes the matrix of an image, and lacuna rips reads distances",
                frame.name
            )));
        }
        let is_checked = self.check.unwrap_or(gives_boundaries);
        if is_checked {
            check(&input, frame)?;
        }
        let planned = frame.record.timed("reduce", || input.plan(&self.request, &self.backend))?;
        let memory = planned.memory();
        memory.check(memory.bytes_of("the matrix"), HELPS)?;
        let progress = &Resumable { progress: &frame.meter, checkpoint: frame.checkpoint };
        let reduced = frame.record.timed("reduce", || planned.reduce(progress));
        if self.explain {
            self.tell_plan(&input, &planned, frame);
        }
        let mut reduced = reduced?;
        planned.scanner().notes().iter().for_each(|note| frame.note(note));
        frame.record.parts(&reduced.figures().stages);
        if self.explain {
            solved(reduced.figures()).for_each(|line| frame.tell(line));
        }
        if let Some(selection) = &self.cycles {
            self.find_cycles(&mut reduced, selection, frame)?;
        }
        let output = self.output.unwrap_or(suiting(format));
        frame.write(|_, out| output.write_any(&reduced, out))?;
        let essential = match is_checked {
            true => input.cells() - 2 * reduced.pairs(),
            // Without ∂∂ = 0, a cell may be in two pairs.
            false => reduced.essential(),
        };
        fill(frame, format, &input, &planned, &reduced, essential);
        frame.show(
            |name| Ok(Series::of_reduction(name, &reduced)),
            |page| {
                page.fact("format", format).fact("cells", input.cells()).fact("entries", input.entries());
                page.fact("pairs", reduced.pairs()).fact("essential classes", essential);
                page.plan(plan_lines(&planned.reasons(), Some(reduced.figures())));
            },
        )?;
        if frame.notes.verbose {
            counters(reduced.figures(), reduced.cycles()).iter().for_each(|line| frame.tell(line));
            if planned.plan().algorithm == Algorithm::Sieve {
                solved(reduced.figures()).for_each(|line| frame.tell(line));
            }
        }
        // The program is about to end. Freeing this memory page by page would take longer than all of writing, and so
        // would closing the scanner's device.
        std::mem::forget((reduced, planned));
        std::mem::forget(input);
        Ok(())
    }

    fn read(&self, frame: &mut Frame<'_>) -> Result<LoadedMatrix> {
        // A device is opened meanwhile only for an algorithm with a scan.
        let processor = Backend::default();
        let has_scan = self.request.algorithm.is_none_or(Algorithm::scans);
        let backend = if has_scan { &self.backend } else { &processor };
        let loaded = frame.read(|meter| read_path_watched(self.file, &self.options, backend, meter))??;
        frame.detected(loaded.detection.as_ref().map(|why| format!("{} ({why})", loaded.format)));
        if let Some(warning) = &loaded.warning {
            frame.warn(format_args!("{}: {warning}", frame.name));
        }
        Ok(loaded)
    }

    fn tell_plan(&self, input: &AnyComplex, planned: &PlannedReduction<'_>, frame: &mut Frame<'_>) {
        choices(&planned.reasons()).for_each(|line| frame.tell(line));
        let (bits, few) = (input.index_bits(), "columns and entries are fewer than 2^31");
        let why = if bits == 32 { few } else { "more than 2^31 columns or entries" };
        frame.tell(format_args!("{:<13} {bits} bits: {why}", "index width"));
        frame.tell(planned.memory());
    }

    /// Finds the requested cycles.
    fn find_cycles(
        &self,
        reduced: &mut AnyReduced<'_>,
        selection: &ClassSelection,
        frame: &mut Frame<'_>,
    ) -> Result<()> {
        if self.explain {
            frame.tell(format_args!(
                "{:<13} cycles: columns of the matrix itself are reduced with the pairs known, on one thread",
                "representatives"
            ));
        }
        frame.meter.stage("finding cycles");
        let found = frame.record.timed("cycles", || reduced.find_cycles(selection, &Silent(&frame.meter)));
        found.map_err(|error| CliError::about(&frame.name, error))
    }
}

/// Checks that ∂∂ = 0, unless the checkpoint says that it was checked.
fn check(input: &AnyComplex, frame: &mut Frame<'_>) -> Result<()> {
    frame.meter.stage("check");
    let checkpoint = frame.checkpoint;
    let (checked, took) = timed(|| match checkpoint.load(CHECKED, CHECKED)? {
        Some(_) => Ok(true),
        None => input.check().map(|()| false).map_err(|found| {
            usage(format_args!("{}: {found}; --check=off reduces it all the same", frame.name))
        }),
    });
    frame.record.time("check", took);
    if !checked? && checkpoint.is_worth_keeping(took) {
        let told = facts([("cells", input.cells().to_string()), ("boundaries", "have none".to_owned())]);
        checkpoint.save(CHECKED, CHECKED, &told, &mut |_| Ok(()));
    }
    Ok(())
}

/// Fills in the statistics, and prints the sizes if verbose.
///
/// | key | value |
/// |---|---|
/// | `version` | of the program |
/// | `file`, `format` | the input, and what it was read as |
/// | `cells`, `entries`, `max_dim` | columns of the matrix, its ones, the greatest dimension of a cell |
/// | `index_bits` | width of the integers that number cells |
/// | `backend` | what scanned in the end: `cpu` or `cuda` |
/// | `plan` | algorithm, columns, dualize, threads: [`lacuna::matrix::Plan`] |
/// | `pairs`, `essential` | how many |
/// | `read_seconds`, `check_seconds` | input file to matrix; whether ∂∂ = 0, if that was checked |
/// | `reduce_seconds` | matrix to pairs, dualizing included |
/// | `cycles`, `cycles_additions`, `cycles_seconds` | how many, the columns added for them, pairs to cycles; only if they were asked for |
/// | `write_seconds`, `total_seconds` | pairs to output; the whole run, up to this file |
/// | `device_memory` | the most that was in use of a device, in bytes; 0 without |
/// | `figures` | what the reduction counted, and its stages: [`lacuna::matrix::Figures`] |
fn fill(
    frame: &mut Frame<'_>,
    format: MatrixFormat,
    input: &AnyComplex,
    planned: &PlannedReduction<'_>,
    reduced: &AnyReduced<'_>,
    essential: usize,
) {
    let (cells, entries, pairs) = (input.cells(), input.entries(), reduced.pairs());
    let backend = planned.scanner().reason().map_or_else(|| "cpu".to_owned(), |backend| backend.choice);
    let record = &mut frame.record;
    record.set("format", format).set("cells", cells).set("entries", entries);
    record.set("max_dim", input.max_dim()).set("index_bits", input.index_bits()).set("backend", backend);
    record.set("plan", planned.plan()).set("memory", planned.memory());
    record.set("pairs", pairs).set("essential", essential);
    if let Some((cycles, additions)) = reduced.cycles() {
        record.set("cycles", cycles).set("cycles_additions", additions);
    }
    record.set("device_memory", planned.scanner().device_memory()).set("figures", reduced.figures());
    if frame.notes.verbose {
        let (cells, entries, pairs) =
            (counted(cells, "cell"), counted(entries, "entry"), counted(pairs, "pair"));
        frame.tell(format_args!("{cells}, {entries}, {pairs}, {essential} essential"));
    }
}

/// The choices made before the run, with their reasons.
fn choices(reasons: &[Reason]) -> impl Iterator<Item = String> {
    reasons.iter().map(|Reason { what, choice, why }| format!("{what:<13} {choice}: {why}"))
}

/// How each dimension was solved, which is decided during the run.
fn solved(figures: &Figures) -> impl Iterator<Item = String> {
    figures.blocks.iter().map(|block| format!("{:<13} {block}", "solved"))
}

/// The lines of `--explain`: the choices and their reasons, and how each dimension was solved.
pub(crate) fn plan_lines(reasons: &[Reason], figures: Option<&Figures>) -> String {
    let blocks = figures.into_iter().flat_map(solved);
    choices(reasons).chain(blocks).collect::<Vec<_>>().join("\n")
}

/// The format of pairs that suits a format of matrices.
fn suiting(format: MatrixFormat) -> PairsFormat {
    if format == MatrixFormat::Dipha { PairsFormat::Csv } else { PairsFormat::PhatAscii }
}

/// The lines of the counters of a reduction and of HYPHA's tables, as far as the algorithm has them.
fn counters(figures: &Figures, cycles: Option<(usize, u64)>) -> Vec<String> {
    let mut lines = Vec::new();
    let mut add = |what: &str, value: &dyn std::fmt::Display| lines.push(format!("{what:<40} {value:>12}"));
    add("additions", &figures.additions);
    if let Some((cycles, additions)) = cycles {
        add("cycles", &cycles);
        add("cycles: additions", &additions);
    }
    if let Some(hypha) = &figures.hypha {
        add("scan: stable columns (0 additions)", &hypha.stable);
        add("scan: columns cleared", &hypha.scan_cleared);
        add("scan: unstable columns", &hypha.unstable);
        add("clearing: columns", &hypha.cleared_columns);
        add("clearing: entries", &hypha.cleared_entries);
        add("compression: columns", &hypha.compressed_columns);
        add("compression: entries", &hypha.compressed_entries);
        add("compression: additions", &hypha.compression_additions);
    }
    if let Some(found) = &figures.distribution {
        let share = |part: usize, of: usize| {
            let percent = if of == 0 { 0.0 } else { 100.0 * part as f64 / of as f64 };
            format!("{part} ({percent:.2} %)")
        };
        add("columns without additions", &share(found.without_additions, found.columns));
        add("columns with additions, not of the tail", &share(found.non_tail, found.columns));
        add("columns of the tail", &share(found.tail, found.columns));
        add("of these creators", &share(found.tail_creators, found.tail));
        add("least additions of a column of the tail", &found.tail_least);
        add("most additions of a column", &found.most);
    }
    lines
}
