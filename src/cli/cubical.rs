//! `lacuna cubical`: the barcode of an image.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use lacuna::backend::Backend;
use lacuna::cubical::persistence::{
    self, Class, Classes, MachineError, PersistenceError, Request, persistence_by, via_matrix,
};
use lacuna::cubical::thinning::two_valued::thin_first;
use lacuna::cubical::thinning::{self, Rule};
use lacuna::cubical::value::Threshold;
use lacuna::cubical::{AnyImage, Construction, Shape, Value, read};
use lacuna::input::name_of;
use lacuna::matrix::{self, Reason};
use lacuna::output::images::{Barcode, Format};
use serde::Serialize;

use crate::allocator::keep_freed_pages;

use super::backend::BackendArguments;
use super::error::CliError;
use super::image::{ImageArguments, read_image, tell_detection};
use super::naming::{Named, format_of};
use super::notes::{Notes, counted, tell, timing_line};
use super::outputs::{Inputs, Outputs};
use super::parse::OrAuto;
use super::planning;
use super::progress::Meter;
use super::{EXIT_CODES, parse, threads, timed};

/// Barcode of an image by its values
///
/// The bars go to standard output, everything else to standard error. Coefficients are Z/2.
#[derive(Debug, clap::Args)]
#[command(after_long_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"), after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Image file, `-` for standard input
    #[arg(value_name = "IMAGE")]
    file: PathBuf,

    #[command(flatten)]
    input: ImageArguments,

    #[command(flatten)]
    filtration: FiltrationArguments,

    /// Thin the voxels that come first, of an image of two values, before
    ///
    /// The bars are the same, but for `--thin=kashani` and `--thin=zhang-suen`, which lose some; `lacuna thin` says what
    /// rules there are. Without one the image's axes choose.
    #[arg(long, value_name = "RULE", help_heading = "Filtration", num_args = 0..=1, require_equals = true,
        default_missing_value = "auto", value_parser = parse::rule_or_auto(), hide_possible_values = true)]
    thin: Option<OrAuto<Rule>>,

    /// Highest homology dimension [default: all, one below the number of axes]
    #[arg(long, value_name = "K", help_heading = "Filtration",
        value_parser = parse::dimension, allow_hyphen_values = true)]
    max_dim: Option<usize>,

    /// The value at which the filtration ends: what dies past it is essential [default: none]
    ///
    /// Voxels are compared with the number as it is written, integers of 64 bits too.
    #[arg(long, value_name = "X", help_heading = "Filtration",
        value_parser = parse::end_of_filtration, allow_hyphen_values = true)]
    threshold: Option<Threshold>,

    /// How bars are found; they are the same
    ///
    /// gradient  by a discrete gradient of the image, without a list of cells
    /// matrix    by the boundary matrix of all cells, as `convert` and `reduce` would, to check
    ///           the other way
    #[arg(long, value_name = "WAY", help_heading = "Computation", default_value = "gradient",
        value_parser = parse::way(), hide_possible_values = true, verbatim_doc_comment)]
    via: Way,

    /// Number of threads [default: one a core]
    #[arg(long, value_name = "N", help_heading = "Computation",
        value_parser = parse::threads, allow_hyphen_values = true)]
    threads: Option<usize>,

    #[command(flatten)]
    machine: BackendArguments,

    /// Format of the bars [default: by the name of FILE (.txt, .csv, .json, .npy, .diagram), else text]
    ///
    /// text     as `lacuna rips` and Ripser print them
    /// csv      a line a bar: dim,birth,death; essential bars die at inf, of superlevel sets at -inf
    /// json     {"shape", "voxels", "construction", "superlevel", "threshold", "max_dim",
    ///          "bars": [...]}, a bar is {"dim", "birth", "death"}; essential bars die at null, infinite
    ///          voxels are "inf" and "-inf"
    /// npy      NumPy array of doubles, a row a bar: dim, birth, death
    /// dipha    DIPHA's persistence diagram; of superlevel sets that of the negated image
    /// cripser  CubicalRipser's nine columns: dim,birth,death,x1,y1,z1,x2,y2,z2, the voxels at which
    ///          the class is born and dies
    #[arg(long, value_name = "FORMAT", help_heading = "Output",
        value_parser = parse::image_bars_format(), hide_possible_values = true, verbatim_doc_comment)]
    output: Option<Format>,

    /// Write the bars to FILE, replaced as a whole when the run has succeeded
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output_file: Option<PathBuf>,

    /// Write counts and times to FILE, as JSON
    #[arg(long, value_name = "FILE", help_heading = "Output", value_parser = parse::file())]
    stats: Option<PathBuf>,

    /// Say on standard error what was chosen, and why
    #[arg(long, help_heading = "Messages")]
    explain: bool,

    /// Say nothing on standard error but errors and what was asked for
    #[arg(short, long, help_heading = "Messages", conflicts_with = "verbose")]
    quiet: bool,

    /// Say on standard error how many bars there are and how long each stage took
    #[arg(short, long, help_heading = "Messages")]
    verbose: bool,
}

/// How an image is made a filtered complex.
#[derive(Debug, clap::Args)]
pub(crate) struct FiltrationArguments {
    /// What voxels are
    ///
    /// t  top cells, which touch at corners as well; lower cells take the least value around them
    /// v  vertices, which are joined along the axes; higher cells take the greatest value
    #[arg(long, value_name = "WHICH", help_heading = "Filtration", default_value = "t",
        value_parser = parse::construction(), hide_possible_values = true, verbatim_doc_comment)]
    pub(crate) construction: Construction,

    /// From the greatest value down: bars are born above where they die
    #[arg(long, help_heading = "Filtration")]
    pub(crate) superlevel: bool,
}

/// How bars are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// By a discrete gradient.
    Gradient,
    /// By the boundary matrix.
    Matrix,
}

const EXAMPLES: &str = "\
Examples:
  lacuna cubical slice.png
  lacuna cubical --construction v --max-dim 1 --output csv -o bars.csv volume.nii.gz
  lacuna cubical --superlevel --threshold 128 --output cripser scan.tif
  lacuna cubical --shape 512,512,300 --dtype u16 --output npy -o bars.npy volume.raw";

/// Reads, computes, writes.
pub(crate) fn run(arguments: &Arguments) -> Result<(), CliError> {
    let start = Instant::now();
    keep_freed_pages();
    let options = arguments.input.options()?;
    let backend = arguments.machine.backend();
    if arguments.thin.is_some() && arguments.filtration.construction == Construction::V {
        return Err(CliError::ThinOfV);
    }
    let path = arguments.output_file.as_deref();
    let format = format_of(arguments.output, path)?.unwrap_or(Format::Text);
    let inputs = Inputs::of([&arguments.file]);
    let outputs = Outputs::open(path, format.content(), arguments.stats.as_deref(), &inputs)?;
    let notes = Notes { quiet: arguments.quiet, verbose: arguments.verbose };
    threads::start(arguments.threads, notes)?;
    let meter = Meter::new(notes.wants_progress());
    meter.stage("reading");
    let (image, read) = timed(|| {
        let stream = read::open(&arguments.file, &options)?;
        tell_detection(&arguments.file, &stream, notes, &meter);
        if arguments.via == Way::Gradient {
            // What is too large need not be read.
            persistence::check(stream.shape()).map_err(|source| arguments.failed(source))?;
        }
        Ok::<_, CliError>(read_image(stream, &meter)?)
    });
    let job = Job { arguments, backend, meter, format, outputs, start, read };
    job.run(image?)
}

/// A run on an image that is read.
struct Job<'a> {
    arguments: &'a Arguments,
    backend: Backend,
    meter: Meter,
    format: Format,
    outputs: Outputs,
    start: Instant,
    read: Duration,
}

impl Job<'_> {
    fn run(mut self, image: AnyImage) -> Result<(), CliError> {
        let arguments = self.arguments;
        let request = arguments.request();
        let (image, thinning) = match arguments.thin {
            Some(OrAuto(rule)) => self.thinned(&image, rule)?,
            None => (image, None),
        };
        let (found, persistence) = timed(|| self.solve(&image, &request));
        let Found { mut classes, reasons, figures, matrix } = found?;
        let threshold = arguments.threshold();
        if let Some(threshold) = threshold {
            classes = classes.cut(&image, &request, threshold);
        }
        if arguments.explain {
            planning::explain(&reasons);
            matrix.iter().for_each(|matrix| planning::explain_blocks(&matrix.figures));
        }
        self.meter.stage("writing");
        let barcode = Barcode { image: &image, classes: &classes, request: &request, threshold };
        let format = self.format;
        format.check(&barcode).map_err(|source| CliError::Inexact { output: format, source })?;
        let (written, write) = timed(|| self.outputs.fill(|out| format.write(&barcode, out)));
        written?;
        drop(self.meter);
        let bars = |is_counted: fn(bool) -> bool| {
            let of = |of_dim: &Vec<Class>| of_dim.iter().filter(|c| is_counted(c.death.is_none())).count();
            classes.dimensions.iter().map(of).collect()
        };
        let record = Record {
            version: env!("CARGO_PKG_VERSION"),
            file: arguments.file.display().to_string(),
            shape: image.shape().axes(),
            voxels: image.voxel_type(),
            construction: request.construction.to_string(),
            superlevel: request.superlevel,
            threshold,
            via: arguments.via.name(),
            backend: backend_of(&reasons),
            threads: rayon::current_num_threads(),
            finite: bars(|is_essential| !is_essential),
            essential: bars(|is_essential| is_essential),
            figures,
            matrix,
            thinning,
            read_seconds: self.read.as_secs_f64(),
            persistence_seconds: persistence.as_secs_f64(),
            write_seconds: write.as_secs_f64(),
            total_seconds: self.start.elapsed().as_secs_f64(),
        };
        self.outputs.commit(|out| record.write(out))?;
        if arguments.verbose {
            record.tell(image.shape());
        }
        // The program is about to end; giving memory back would take longer.
        std::mem::forget((image, classes));
        Ok(())
    }

    fn thinned(
        &self,
        image: &AnyImage,
        rule: Option<Rule>,
    ) -> Result<(AnyImage, Option<ThinningRecord>), CliError> {
        self.meter.stage("thinning");
        let request = thinning::Request { rule, iterations: None };
        let watch =
            &mut |pass: thinning::Pass| self.meter.at(format!("thinning, iteration {}", pass.iteration));
        let superlevel = self.arguments.filtration.superlevel;
        let (thinned, took) = timed(|| thin_first(image, superlevel, &request, &self.backend, watch));
        let file = || name_of(&self.arguments.file);
        let (thinned, figures, decision) =
            thinned.map_err(|source| CliError::TwoValued { file: file(), source })?;
        if let Some(decision) = decision.filter(|_| self.arguments.explain) {
            tell(format_args!("{:<13} {decision}", "thinning"));
        }
        let record = ThinningRecord {
            rule: request.rule_for(image.shape()).name(),
            iterations: figures.iterations,
            voxels: [figures.before, figures.after],
            seconds: took.as_secs_f64(),
        };
        Ok((thinned, Some(record)))
    }

    fn solve(&self, image: &AnyImage, request: &Request) -> Result<Found, CliError> {
        let reason = |what, choice: &str, why: &str| Reason { what, choice: choice.into(), why: why.into() };
        match self.arguments.via {
            Way::Gradient => {
                let found = persistence_by(image, request, &self.backend, &self.meter);
                let (classes, figures, decision) = found.map_err(|error| match error {
                    MachineError::Persistence(source) => self.arguments.failed(source),
                    error => error.into(),
                })?;
                let backend = if decision.gpus.is_empty() { "cpu" } else { "cuda" };
                let reasons = vec![
                    reason("via", "gradient", "which lists no cells but critical ones"),
                    reason("backend", backend, &decision.why),
                    reason("threads", &rayon::current_num_threads().to_string(), self.why_threads()),
                ];
                Ok(Found { classes, reasons, figures: Some(figures), matrix: None })
            }
            Way::Matrix => {
                self.meter.stage("boundary matrix");
                let solution = via_matrix::persistence(image, request, &self.backend)?;
                let mut reasons = vec![reason("via", "matrix", "as asked")];
                reasons.extend(solution.reasons);
                let matrix = MatrixRecord {
                    cells: solution.cells,
                    entries: solution.entries,
                    index_bits: solution.index_bits,
                    building_seconds: solution.building.as_secs_f64(),
                    figures: solution.figures,
                };
                Ok(Found { classes: solution.classes, reasons, figures: None, matrix: Some(matrix) })
            }
        }
    }

    fn why_threads(&self) -> &'static str {
        if self.arguments.threads.is_some() { "as asked" } else { "one a core" }
    }
}

/// The classes, how they were found, and what was counted on the way.
struct Found {
    classes: Classes,
    reasons: Vec<Reason>,
    figures: Option<persistence::Figures>,
    matrix: Option<MatrixRecord>,
}

/// What `--stats FILE` writes, as a JSON object.
///
/// | key | value |
/// |---|---|
/// | `version` | of the program |
/// | `file`, `shape`, `voxels` | the image, voxels along its axes, their type |
/// | `construction`, `superlevel`, `threshold` | the filtration |
/// | `via`, `backend`, `threads` | how, and what did the work |
/// | `finite`, `essential` | bars of each dimension |
/// | `figures` | of `--via gradient`: what was counted, and its stages: [`lacuna::cubical::persistence::Figures`] |
/// | `matrix` | of `--via matrix`: cells, entries, index width, seconds to build it, what its reduction counted |
/// | `thinning` | of `--thin`: the rule, iterations, voxels before and after, seconds |
/// | `read_seconds` | file to image |
/// | `persistence_seconds` | image to classes |
/// | `write_seconds`, `total_seconds` | classes to output; the whole run, up to this file |
#[derive(Debug, Serialize)]
struct Record {
    version: &'static str,
    file: String,
    shape: Vec<usize>,
    voxels: &'static str,
    construction: String,
    superlevel: bool,
    threshold: Option<Value>,
    via: &'static str,
    backend: String,
    threads: usize,
    finite: Vec<usize>,
    essential: Vec<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    figures: Option<persistence::Figures>,
    #[serde(skip_serializing_if = "Option::is_none")]
    matrix: Option<MatrixRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinning: Option<ThinningRecord>,
    read_seconds: f64,
    persistence_seconds: f64,
    write_seconds: f64,
    total_seconds: f64,
}

#[derive(Debug, Serialize)]
struct ThinningRecord {
    rule: &'static str,
    iterations: usize,
    voxels: [usize; 2],
    seconds: f64,
}

#[derive(Debug, Serialize)]
struct MatrixRecord {
    cells: usize,
    entries: usize,
    index_bits: usize,
    building_seconds: f64,
    figures: matrix::Figures,
}

/// What scans, or would.
fn backend_of(reasons: &[Reason]) -> String {
    let backend = reasons.iter().find(|reason| reason.what == "backend");
    backend.map_or("cpu", |reason| reason.choice.as_str()).to_owned()
}

impl Record {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        serde_json::to_writer_pretty(&mut *out, self)?;
        out.write_all(b"\n")
    }

    /// The lines of `-v`.
    fn tell(&self, shape: Shape) {
        tell(format_args!("{}: {}", name_of(Path::new(&self.file)), shape.described(self.voxels)));
        for (dim, (finite, essential)) in self.finite.iter().zip(&self.essential).enumerate() {
            tell(format_args!("dimension {dim}: {}, {essential} essential", counted(*finite, "bar")));
        }
        tell(timing_line("read", self.read_seconds));
        if let Some(ThinningRecord { rule, iterations, voxels: [before, after], seconds }) = &self.thinning {
            tell(timing_line("thin", *seconds));
            let (before, iterations) = (counted(*before, "voxel"), counted(*iterations, "iteration"));
            tell(format_args!("  {before}, {after} left by {rule} after {iterations}"));
        }
        tell(timing_line("persistence", self.persistence_seconds));
        let building = self.matrix.iter().map(|matrix| ("build matrix".into(), matrix.building_seconds));
        let reduction = self.matrix.iter().flat_map(|matrix| &matrix.figures.stages).cloned();
        let gradient = self.figures.iter().flat_map(|figures| &figures.stages).cloned();
        for (stage, seconds) in building.chain(reduction).chain(gradient) {
            tell(timing_line(&format!("  {stage}"), seconds));
        }
        tell(timing_line("write", self.write_seconds));
        tell(timing_line("total", self.total_seconds));
    }
}

impl Way {
    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Way::Gradient => "gradient",
            Way::Matrix => "matrix",
        }
    }
}

impl Arguments {
    /// The value that no voxel of the filtration is past.
    fn threshold(&self) -> Option<Value> {
        self.threshold.map(|threshold| threshold.side(self.filtration.superlevel))
    }

    fn failed(&self, source: PersistenceError) -> CliError {
        CliError::Bars { file: name_of(&self.file), source }
    }

    fn request(&self) -> Request {
        let FiltrationArguments { construction, superlevel } = self.filtration;
        Request { construction, superlevel, max_dim: self.max_dim }
    }
}
