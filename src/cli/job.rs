//! Reduction of a boundary matrix to its pairs, shared by `reduce` and `phat`.

use std::path::Path;
use std::time::Duration;

use lacuna::backend::Backend;
use lacuna::internals::name_of;
use lacuna::matrix::any::{AnyReduced, PlannedReduction};
use lacuna::matrix::cycles::ClassSelection;
use lacuna::matrix::read::{self, AnyComplex, LoadedMatrix, MatrixFormat, read_path_watched};
use lacuna::matrix::{Algorithm, ReductionRequest};
use lacuna::output::pairs;
use lacuna::plot::Series;
use lacuna::report::Report;
use lacuna::snapshot::{Checkpoint, Resumable, facts};

use super::arguments::picture::{Picture, title_of};
use super::error::{CliError, usage};
use super::frame::Frame;
use super::interruption::{Unseen, while_reading};
use super::long_run::LongRun;
use super::notes::tell;
use super::pairs_record::PairsRecord;
use super::planning;
use super::record::VERSION;
use super::timing::timed;

/// A requested reduction, with its input and outputs.
#[derive(Debug)]
pub(crate) struct Job<'a> {
    pub(crate) file: &'a Path,
    pub(crate) options: read::MatrixReadOptions,
    /// Whether to check that ∂∂ = 0; `None` checks it if the file gives boundaries.
    pub(crate) check: Option<bool>,
    pub(crate) request: ReductionRequest,
    /// The devices that may scan for leftmost ones.
    pub(crate) backend: Backend,
    /// Format of the pairs; `None` chooses the one that suits the input.
    pub(crate) output: Option<pairs::PairsFormat>,
    /// The picture of the bars, if requested.
    pub(crate) picture: Option<Picture<'a>>,
    /// The classes whose cycles are written with the pairs, if requested.
    pub(crate) cycles: Option<ClassSelection>,
    pub(crate) explain: bool,
    /// Checkpoint and time limit of the run, if any.
    pub(crate) long: Option<&'a LongRun>,
}

/// Advice for a matrix that is too large to be reduced.
const HELPS: &str = "--algorithm sieve takes least; of an image, lacuna cubical takes a part of this, and of distances lacuna rips";

/// Checkpoint entry that says that ∂∂ = 0 was checked. The checkpoint belongs to one input.
const CHECKED: &str = "checked";

/// Format, times and properties of the input that was read.
struct Reading {
    format: MatrixFormat,
    took: Duration,
    is_to_be_checked: bool,
    /// Whether the columns of the file are the cells.
    gives_boundaries: bool,
}

/// Time of each stage.
struct Times {
    read: Duration,
    check: Option<Duration>,
    reduce: Duration,
    cycles: Option<Duration>,
    write: Duration,
    total: f64,
}

impl Job<'_> {
    /// Reads the matrix, reduces it and writes the pairs.
    pub(crate) fn run(&self, mut frame: Frame) -> Result<PairsRecord, CliError> {
        let (input, reading) = self.read(&frame)?;
        if self.cycles.is_some() && !reading.gives_boundaries {
            return Err(usage(format_args!(
                "{}: --representatives: expected a boundary matrix, whose columns are cells, found an image or \
                 distances; lacuna convert makes the matrix of an image, and lacuna rips reads distances",
                self.input_name()
            )));
        }
        frame.meter.stage("check");
        let checkpoint: &dyn Checkpoint = self.long.map_or(&(), LongRun::checkpoint);
        let check = reading.is_to_be_checked.then(|| self.check(&input, checkpoint)).transpose()?;
        let (planned, planning) = timed(|| input.plan(&self.request, &self.backend));
        let planned = planned?;
        let memory = planned.memory();
        memory.check(memory.bytes_of("the matrix"), HELPS)?;
        let progress = &Resumable { progress: &frame.meter, checkpoint };
        let (reduced, reduction) = timed(|| planned.reduce(progress));
        self.explain(&input, &planned);
        let mut reduced = reduced?;
        planned.notes().iter().for_each(|note| frame.notes.note(note));
        if self.explain {
            planning::explain_blocks(reduced.figures());
        }
        let cycles = self.find_cycles(&mut reduced, &frame)?;
        let output = self.output.unwrap_or(suiting(reading.format));
        let mut write = frame.write(|_, out| output.write_any(&reduced, out))?;
        write += frame.plot(self.picture, || Series::of_reduction(self.input_name(), &reduced))?;
        let reduce = planning + reduction;
        let times = Times { read: reading.took, check, reduce, cycles, write, total: frame.seconds() };
        let record = self.record(&input, reading.format, &planned, &reduced, &times);
        frame.report(|| {
            let name = self.input_name();
            let mut report = Report::new(title_of(&name), &Series::of_reduction(name, &reduced));
            let lines = planning::lines(&planned.reasons(), Some(reduced.figures()));
            record.describe(report.plan(lines));
            report
        })?;
        frame.finish(&record)?;
        // The program is about to end. Freeing this memory page by page would take longer than all of writing, and so
        // would closing the scanner's device.
        std::mem::forget((reduced, planned));
        std::mem::forget(input);
        Ok(record)
    }

    fn read(&self, frame: &Frame) -> Result<(AnyComplex, Reading), CliError> {
        frame.meter.stage("reading");
        // A device is opened meanwhile only for an algorithm with a scan.
        let processor = Backend::default();
        let has_scan = self.request.algorithm.is_none_or(Algorithm::scans);
        let backend = if has_scan { &self.backend } else { &processor };
        let read = || read_path_watched(self.file, &self.options, backend, &frame.meter);
        let (loaded, took) = timed(|| while_reading(read));
        let LoadedMatrix { input, format, detection, warning, gives_boundaries, .. } = loaded??;
        if let Some(why) = detection {
            frame.notes.note(format_args!("{}: {format} ({why})", self.input_name()));
        }
        if let Some(warning) = warning {
            frame.notes.warn(format_args!("{}: {warning}", self.input_name()));
        }
        let is_to_be_checked = self.check.unwrap_or(gives_boundaries);
        Ok((input, Reading { format, took, is_to_be_checked, gives_boundaries }))
    }

    /// Finds the requested cycles; returns the time that it took.
    fn find_cycles(&self, reduced: &mut AnyReduced<'_>, frame: &Frame) -> Result<Option<Duration>, CliError> {
        let Some(selection) = &self.cycles else { return Ok(None) };
        if self.explain {
            tell(format_args!(
                "{:<13} cycles: columns of the matrix itself are reduced with the pairs known, on one thread",
                "representatives"
            ));
        }
        frame.meter.stage("finding cycles");
        let (found, took) = timed(|| reduced.find_cycles(selection, &Unseen));
        found.map_err(|error| CliError::about(self.input_name(), error))?;
        Ok(Some(took))
    }

    fn explain(&self, input: &AnyComplex, planned: &PlannedReduction<'_>) {
        if self.explain {
            planning::explain(&planned.reasons());
            let bits = input.index_bits();
            tell(format_args!("{:<13} {bits} bits: {}", "index width", width_reason(bits)));
            tell(planned.memory());
        }
    }

    fn input_name(&self) -> String {
        name_of(self.file)
    }

    /// Checks that ∂∂ = 0, unless the checkpoint says that it was checked; returns the time that it took.
    fn check(&self, input: &AnyComplex, checkpoint: &dyn Checkpoint) -> Result<Duration, CliError> {
        let (is_known, looking) = timed(|| checkpoint.load(CHECKED, CHECKED));
        if is_known?.is_some() {
            return Ok(looking);
        }
        let (checked, took) = timed(|| input.check());
        checked.map_err(|found| {
            let name = self.input_name();
            usage(format_args!("{name}: {found}; --check=off reduces it all the same"))
        })?;
        if checkpoint.is_worth_keeping(took) {
            let told = facts([("cells", input.cells().to_string()), ("boundaries", "have none".to_owned())]);
            checkpoint.save(CHECKED, CHECKED, &told, &mut |_| Ok(()));
        }
        Ok(took)
    }

    fn record(
        &self,
        input: &AnyComplex,
        format: MatrixFormat,
        planned: &PlannedReduction<'_>,
        reduced: &AnyReduced<'_>,
        times: &Times,
    ) -> PairsRecord {
        let essential = match times.check {
            Some(_) => input.cells() - 2 * reduced.pairs(),
            // Without ∂∂ = 0, a cell may be in two pairs.
            None => reduced.essential(),
        };
        PairsRecord {
            version: VERSION,
            file: self.file.display().to_string(),
            format,
            cells: input.cells(),
            entries: input.entries(),
            max_dim: input.max_dim(),
            index_bits: input.index_bits(),
            backend: planned.backend().map_or_else(|| "cpu".to_owned(), |backend| backend.choice),
            plan: planned.plan(),
            memory: planned.memory(),
            pairs: reduced.pairs(),
            essential,
            read_seconds: times.read.as_secs_f64(),
            check_seconds: times.check.map(|took| took.as_secs_f64()),
            reduce_seconds: times.reduce.as_secs_f64(),
            cycles_seconds: times.cycles.map(|took| took.as_secs_f64()),
            cycles: reduced.cycles().map(|(cycles, _)| cycles),
            cycles_additions: reduced.cycles().map(|(_, additions)| additions),
            write_seconds: times.write.as_secs_f64(),
            total_seconds: times.total,
            device_memory: planned.device_memory(),
            figures: reduced.figures().clone(),
        }
    }
}

/// The format of pairs that suits a format of matrices.
fn suiting(format: MatrixFormat) -> pairs::PairsFormat {
    match format {
        MatrixFormat::PhatAscii | MatrixFormat::PhatBinary => pairs::PairsFormat::PhatAscii,
        MatrixFormat::Npz | MatrixFormat::MatrixMarket => pairs::PairsFormat::PhatAscii,
        MatrixFormat::Dipha => pairs::PairsFormat::Csv,
    }
}

fn width_reason(bits: usize) -> &'static str {
    if bits == 32 { "columns and entries are fewer than 2^31" } else { "more than 2^31 columns or entries" }
}
