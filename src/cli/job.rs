//! What `reduce` and `phat` share: a boundary matrix in, its pairs out.

use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use lacuna::backend::Backend;
use lacuna::input::name_of;
use lacuna::matrix::leftmost_ones::{Feed, Feeds, Scanner};
use lacuna::matrix::read::{self, Cells, Format, Input, Loaded};
use lacuna::matrix::{Algorithm, Dualize, Figures, NotAComplex, Pairs, Plan, Request, Row, reduce_with};
use lacuna::output::pairs::{self, Solution};
use serde::Serialize;

use super::error::CliError;
use super::notes::{Notes, counted, tell, timing_line};
use super::outputs::Outputs;
use super::planning;
use super::progress::Meter;
use super::timed;

/// What is to be done.
#[derive(Debug)]
pub(crate) struct Job<'a> {
    pub(crate) start: Instant,
    pub(crate) file: &'a Path,
    pub(crate) options: read::Options,
    /// Whether to check that boundaries have no boundary. None: if the file gives them.
    pub(crate) check: Option<bool>,
    pub(crate) request: Request,
    /// What may scan.
    pub(crate) backend: Backend,
    /// None: as suits the input.
    pub(crate) output: Option<pairs::Format>,
    pub(crate) explain: bool,
    pub(crate) notes: Notes,
}

/// What was done: what `--stats FILE` writes, as a JSON object.
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
/// | `write_seconds`, `total_seconds` | pairs to output; the whole run, up to this file |
/// | `device_memory` | the most that was in use of a device, in bytes; 0 without |
/// | `figures` | what the reduction counted, and its stages: [`lacuna::matrix::Figures`] |
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    version: &'static str,
    file: String,
    format: String,
    cells: usize,
    entries: usize,
    max_dim: Option<u8>,
    index_bits: usize,
    backend: String,
    plan: Plan,
    pairs: usize,
    essential: usize,
    pub(crate) read_seconds: f64,
    check_seconds: Option<f64>,
    pub(crate) reduce_seconds: f64,
    pub(crate) write_seconds: f64,
    total_seconds: f64,
    device_memory: u64,
    pub(crate) figures: Figures,
}

/// How the input was read.
struct Reading {
    format: Format,
    took: Duration,
    /// Whether the matrix is to be checked.
    check: bool,
}

/// A matrix that is refused, and how to have it all the same.
#[derive(Debug, thiserror::Error)]
#[error("{0}; --check=off reduces it all the same")]
pub(crate) struct Refused(NotAComplex);

impl Job<'_> {
    /// Reads, reduces, writes.
    pub(crate) fn run(&self, outputs: Outputs) -> Result<Report, CliError> {
        let meter = Meter::new(self.notes.wants_progress());
        meter.stage("reading");
        let feeds = Feeds::new(&self.backend, self.scans_primal());
        let (loaded, took) = timed(|| read::read_path_watched(self.file, &self.options, &feeds));
        let Loaded { input, format, detection, warning, gives_boundaries } = loaded?;
        if let Some(why) = detection {
            self.notes.note(format_args!("{}: {format} ({why})", self.input_name()));
        }
        if let Some(warning) = warning {
            self.notes.warn(format_args!("{}: {warning}", self.input_name()));
        }
        let reading = Reading { format, took, check: self.check.unwrap_or(gives_boundaries) };
        match input {
            Input::Narrow(cells) => self.solve(cells, feeds.narrow, reading, outputs, &meter),
            Input::Wide(cells) => self.solve(cells, feeds.wide, reading, outputs, &meter),
        }
    }

    /// Whether the matrix is scanned as it is read. Of the algorithms that scan only the sieve dualizes later.
    fn scans_primal(&self) -> bool {
        let Request { algorithm, columns, dualize, .. } = self.request;
        match algorithm {
            Some(algorithm) if !algorithm.scans() => false,
            Some(Algorithm::Sieve) => true,
            None if columns.is_none() => true,
            _ => dualize != Dualize::On,
        }
    }

    /// The machine that scans.
    fn scanner<I: Row>(&self, cells: &Cells<I>, feed: Feed<I>) -> Result<Scanner<I>, CliError> {
        match self.request.algorithm.filter(|algorithm| !algorithm.scans()) {
            None => Ok(Scanner::choose(&self.backend, feed, &cells.matrix)?),
            Some(algorithm) => {
                let name = algorithm.name();
                Ok(Scanner::processor_as(format!("{name} has no scan, which is what a GPU could do")))
            }
        }
    }

    fn solve<I: Row>(
        &self,
        cells: Cells<I>,
        feed: Feed<I>,
        reading: Reading,
        mut outputs: Outputs,
        meter: &Meter,
    ) -> Result<Report, CliError> {
        let matrix = &cells.matrix;
        meter.stage("looking at the matrix");
        let check = reading.check.then(|| timed(|| matrix.check()));
        let check = check.map(|(checked, took)| self.checked(checked).map(|()| took)).transpose()?;
        let (planned, planning) = timed(|| {
            let scanner = self.scanner(&cells, feed)?;
            let (plan, reasons) = Plan::choose_with(matrix, &self.request, &scanner)?;
            Ok::<_, CliError>((scanner, plan, reasons))
        });
        let (scanner, plan, mut reasons) = planned?;
        meter.stage("reducing");
        let (pairs, reduced) = timed(|| reduce_with(matrix, &plan, &scanner));
        // A device may have failed meanwhile, and the processor taken its place.
        let backend = scanner.reason();
        let name = backend.as_ref().map_or("cpu", |reason| reason.choice.as_str()).to_owned();
        if let Some((first, reason)) = reasons.first_mut().zip(backend) {
            *first = reason;
        }
        if self.explain {
            planning::explain(&reasons);
            tell(format_args!("{:<13} {} bits: {}", "index width", bits::<I>(), width_reason(bits::<I>())));
        }
        let mut pairs = pairs?;
        scanner.notes().iter().for_each(|note| self.notes.note(note));
        if self.explain {
            planning::explain_blocks(&pairs.figures);
        }
        meter.stage("writing");
        let (written, write) = timed(|| self.write(&cells, &pairs, reading.format, &mut outputs));
        written?;
        let report = Report {
            version: env!("CARGO_PKG_VERSION"),
            file: self.file.display().to_string(),
            format: reading.format.to_string(),
            cells: matrix.len(),
            entries: matrix.entries(),
            max_dim: matrix.max_dim(),
            index_bits: bits::<I>(),
            backend: name,
            plan,
            pairs: pairs.pairs.len(),
            essential: if check.is_some() {
                matrix.len() - 2 * pairs.pairs.len()
            } else {
                // Without ∂∂ = 0 a cell may be in two pairs.
                pairs.essential().len()
            },
            read_seconds: reading.took.as_secs_f64(),
            check_seconds: check.map(|took| took.as_secs_f64()),
            reduce_seconds: (planning + reduced).as_secs_f64(),
            write_seconds: write.as_secs_f64(),
            total_seconds: self.start.elapsed().as_secs_f64(),
            device_memory: scanner.device_memory(),
            figures: std::mem::take(&mut pairs.figures),
        };
        outputs.commit(|out| report.write(out))?;
        // The program is about to end; giving memory back page by page would take longer than all of writing.
        // The scanner keeps its device open: closing that takes longer, too.
        std::mem::forget((cells, pairs, scanner));
        Ok(report)
    }

    fn input_name(&self) -> String {
        name_of(self.file)
    }

    fn checked(&self, checked: Result<(), NotAComplex>) -> Result<(), CliError> {
        checked.map_err(|found| CliError::Check { file: self.input_name(), source: Refused(found) })
    }

    fn write<I: Row>(
        &self,
        cells: &Cells<I>,
        pairs: &Pairs<I>,
        format: Format,
        outputs: &mut Outputs,
    ) -> Result<(), CliError> {
        let &Cells { ref matrix, ref values, max_dim, cut } = cells;
        let solution = Solution { matrix, pairs, values: values.as_deref(), max_dim, cut };
        let output = self.output.unwrap_or(match format {
            Format::PhatAscii | Format::PhatBinary => pairs::Format::PhatAscii,
            Format::Npz | Format::MatrixMarket => pairs::Format::PhatAscii,
            Format::Dipha => pairs::Format::Csv,
        });
        outputs.fill(|out| output.write(&solution, out))
    }
}

/// The width of an index.
fn bits<I>() -> usize {
    8 * size_of::<I>()
}

fn width_reason(bits: usize) -> &'static str {
    if bits == 32 { "columns and entries are fewer than 2^31" } else { "more than 2^31 columns or entries" }
}

impl Report {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        serde_json::to_writer_pretty(&mut *out, self)?;
        out.write_all(b"\n")
    }

    /// The lines of `-v`: the size of it, how long each stage took, what was counted.
    pub(crate) fn tell(&self) {
        tell(format_args!(
            "{}, {}, {}, {} essential",
            counted(self.cells, "cell"),
            if self.entries == 1 { "1 entry".to_owned() } else { format!("{} entries", self.entries) },
            counted(self.pairs, "pair"),
            self.essential
        ));
        let stages = self.figures.stages.iter().map(|(stage, seconds)| (format!("  {stage}"), *seconds));
        let before = [Some(("read", self.read_seconds)), self.check_seconds.map(|s| ("check", s))];
        let after = [("reduce", self.reduce_seconds)];
        for (stage, seconds) in before.into_iter().flatten().chain(after) {
            tell(timing_line(stage, seconds));
        }
        for (stage, seconds) in stages {
            tell(timing_line(&stage, seconds));
        }
        tell(timing_line("write", self.write_seconds));
        tell(timing_line("total", self.total_seconds));
        self.tell_figures();
    }

    /// The figures of HYPHA's tables, as far as the algorithm has them.
    fn tell_figures(&self) {
        let figure = |what: &str, value: &dyn std::fmt::Display| tell(format_args!("{what:<40} {value:>12}"));
        figure("additions", &self.figures.additions);
        if let Some(hypha) = &self.figures.hypha {
            figure("scan: stable columns (0 additions)", &hypha.stable);
            figure("scan: unstable columns", &hypha.unstable);
            figure("clearing: columns", &hypha.cleared_columns);
            figure("clearing: entries", &hypha.cleared_entries);
            figure("compression: columns", &hypha.compressed_columns);
            figure("compression: entries", &hypha.compressed_entries);
            figure("compression: additions", &hypha.compression_additions);
        }
        if let Some(found) = &self.figures.distribution {
            let share = |columns: usize| format!("{columns} ({:.2} %)", percent(columns, found.columns));
            figure("columns without additions", &share(found.without_additions));
            figure("columns with additions, not of the tail", &share(found.non_tail));
            figure("columns of the tail", &share(found.tail));
            figure(
                "of these creators",
                &format!("{} ({:.2} %)", found.tail_creators, percent(found.tail_creators, found.tail)),
            );
            figure("mean additions of columns with any", &format!("{:.2}", found.mean));
            figure("most additions of a column", &found.most);
        }
        if self.plan.algorithm == Algorithm::Sieve {
            planning::explain_blocks(&self.figures);
        }
    }
}

fn percent(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 }
}
