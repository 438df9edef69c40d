//! `lacuna cubical`: the barcode of an image.

mod record;
mod representatives;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use lacuna::backend::Backend;
use lacuna::cubical::persistence::footprint;
use lacuna::cubical::persistence::representatives::{Representatives, Trace};
use lacuna::cubical::persistence::{
    self, Class, Classes, MachineError, PersistenceError, PersistenceRequest as Request, persistence_by,
    persistence_traced_by, via_matrix,
};
use lacuna::cubical::thinning::two_valued::thin_first;
use lacuna::cubical::thinning::{self, Rule};
use lacuna::cubical::value::Threshold;
use lacuna::cubical::{AnyImage, Construction, Shape, Value};
use lacuna::matrix::Reason;
use lacuna::memory::MemoryPlan;
use lacuna::output::geometry::{Geometry, GeometryFormat};
use lacuna::output::images::{Barcode, ImageBarsFormat};
use lacuna::plot::Series;
use lacuna::progress::{Interrupted, interruptible};
use lacuna::report::Report;
use lacuna::snapshot::{Fingerprint, Resumable};

use crate::cli::arguments::bars::Drawing;
use crate::cli::arguments::filtration::FiltrationArguments;
use crate::cli::arguments::image::ImageFileArguments;
use crate::cli::arguments::limits::{CheckpointArguments, TimeLimitArguments};
use crate::cli::arguments::machine::MachineArguments;
use crate::cli::arguments::picture::{Picture, PictureArguments, title_of};
use crate::cli::arguments::report::ReportArguments;
use crate::cli::error::{CliError, UsageError};
use crate::cli::exit_codes::EXIT_CODES;
use crate::cli::frame::{Files, Frame};
use crate::cli::image_file::{open_image, read_image};
use crate::cli::input_identity;
use crate::cli::long_run::LongRun;
use crate::cli::naming::{OutputFormat, format_or};
use crate::cli::notes::tell;
use crate::cli::parse;
use crate::cli::parse::OrAuto;
use crate::cli::planning;
use crate::cli::record::VERSION;
use crate::cli::timing::timed;
use record::{MatrixRecord, Record, ThinningRecord, Way};
use representatives::RepresentativesArguments;

/// Barcode of an image by its values
///
/// The bars go to standard output, everything else to standard error. Coefficients are Z/2.
#[derive(Debug, clap::Args)]
#[command(after_long_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"), after_help = EXAMPLES)]
#[command(mut_arg("verbose", |arg| arg.help("Say on standard error how many bars there are and how long each stage took")))]
pub(crate) struct Arguments {
    #[command(flatten)]
    image: ImageFileArguments,

    #[command(flatten)]
    filtration: FiltrationArguments,

    /// Thin the voxels that come first, of an image of two values, before
    ///
    /// The bars are the same, but for `--thin=kashani` and `--thin=zhang-suen`, which lose some; `lacuna thin` says what
    /// rules there are. Without one the image's axes choose.
    #[arg(long, value_name = "RULE", help_heading = "Filtration", num_args = 0..=1, require_equals = true,
        default_missing_value = "auto", value_parser = parse::auto_or_one_of::<Rule>(), hide_possible_values = true)]
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
        value_parser = parse::one_of::<Way>(), hide_possible_values = true, verbatim_doc_comment)]
    via: Way,

    #[command(flatten)]
    pub(super) machine: MachineArguments,

    #[command(flatten)]
    limit: TimeLimitArguments,

    #[command(flatten)]
    checkpoint: CheckpointArguments,

    #[command(flatten)]
    representatives: RepresentativesArguments,

    /// Format of the bars [default: by the name of FILE (.txt, .csv, .json, .npy, .npz, .diagram), else text]
    ///
    /// text     as `lacuna rips` and Ripser print them
    /// csv      a line a bar: dim,birth,death; essential bars die at inf, of superlevel sets at -inf
    /// json     {"shape", "voxels", "construction", "superlevel", "threshold", "max_dim",
    ///          "bars": [...]}, a bar is {"dim", "birth", "death"}; essential bars die at null, infinite
    ///          voxels are "inf" and "-inf"; "representatives": [...] if cycles are asked for
    /// npy      NumPy array of doubles, a row a bar: dim, birth, death
    /// dipha    DIPHA's persistence diagram; of superlevel sets that of the negated image
    /// cripser  CubicalRipser's nine columns: dim,birth,death,x1,y1,z1,x2,y2,z2, the voxels at which
    ///          the class is born and dies
    /// npz      archive of NumPy arrays: "bars" as in npy, and of cycles of each dimension d "index_d",
    ///          "birth_voxels_d", "death_voxels_d", "cycle_cells_d", "cycle_offsets_d",
    ///          "cycle_voxels_d", "cycle_voxel_offsets_d"
    #[arg(long, value_name = "FORMAT", help_heading = "Output",
        value_parser = parse::one_of::<ImageBarsFormat>(), hide_possible_values = true, verbatim_doc_comment)]
    output: Option<ImageBarsFormat>,

    /// Write the bars to FILE, replaced as a whole when the run has succeeded
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output_file: Option<PathBuf>,

    #[command(flatten)]
    picture: PictureArguments,

    #[command(flatten)]
    pub(super) report: ReportArguments,
}

const EXAMPLES: &str = "\
Examples:
  lacuna cubical slice.png
  lacuna cubical --construction v --max-dim 1 --output csv -o bars.csv volume.nii.gz
  lacuna cubical --representatives cycles --longest 10 -o loops.npz volume.nii.gz
  lacuna cubical --geometry shells.vtk --longest 10 volume.nii.gz
  lacuna cubical --superlevel --threshold 128 --output cripser scan.tif
  lacuna cubical --shape 512,512,300 --dtype u16 --output npy -o bars.npy volume.raw";

/// Reads, computes, writes.
pub(crate) fn run(arguments: &Arguments) -> Result<(), CliError> {
    let start = Instant::now();
    let options = arguments.image.options()?;
    let backend = arguments.machine.backend();
    if arguments.thin.is_some() && arguments.filtration.construction() == Construction::V {
        return Err(UsageError::ThinOfV.into());
    }
    let answer = arguments.output_file.as_deref();
    let format = format_or(ImageBarsFormat::Text, arguments.output, answer)?;
    arguments.representatives.check(format, arguments.via)?;
    let drawing = arguments.representatives.drawing()?;
    let ReportArguments { stats, messages } = &arguments.report;
    let input = arguments.image.file.as_path();
    let files = Files { input, answer, content: format.content(), stats: stats.path() };
    let mut frame = Frame::open(start, &files, messages.notes())?;
    if let Some(Drawing { path, format }) = drawing {
        frame = frame.with_geometry(path, format.content(), input)?;
    }
    let picture = arguments.picture.picture()?;
    frame = frame.with_picture(picture, input)?.with_report(arguments.picture.report()?, input)?;
    if arguments.checkpoint.is_asked_for() && arguments.via == Way::Matrix {
        return Err(UsageError::CheckpointViaMatrix.into());
    }
    let long = LongRun::open(&arguments.limit, &arguments.checkpoint, frame.notes)?;
    if arguments.checkpoint.is_asked_for() {
        let run = arguments.fingerprint()?;
        long.begin(|| run)?;
    }
    arguments.machine.threads.start(frame.notes)?;
    let mut memory = MemoryPlan::default();
    let (image, read) = timed(|| {
        let stream = open_image(input, &options, &frame)?;
        if arguments.via == Way::Gradient {
            // What is too large need not be read.
            persistence::check(stream.shape()).map_err(|source| arguments.failed(source))?;
        }
        memory = arguments.memory_plan(stream.shape(), stream.bytes());
        let fits = memory.check(0, footprint::HELPS);
        fits.map_err(|source| CliError::about(arguments.image.name(), source))?;
        read_image(stream, &frame.meter)
    });
    let job = Job { arguments, backend, format, drawing, picture, frame, memory, read, long: &long };
    job.run(image?)?;
    long.finish();
    Ok(())
}

/// A run on an image that is read.
struct Job<'a> {
    arguments: &'a Arguments,
    backend: Backend,
    format: ImageBarsFormat,
    drawing: Option<Drawing<'a>>,
    picture: Option<Picture<'a>>,
    frame: Frame,
    memory: MemoryPlan,
    read: Duration,
    long: &'a LongRun,
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
        let Found { mut classes, reasons, figures, matrix, trace } = found?;
        let threshold = arguments.threshold();
        let cycles = self.find_cycles(trace, &image, threshold)?;
        if let Some(threshold) = threshold {
            classes = classes.cut(&image, &request, threshold);
        }
        if arguments.report.messages.explain {
            planning::explain(&reasons);
            matrix.iter().for_each(|matrix| planning::explain_blocks(&matrix.figures));
            tell(&self.memory);
        }
        let representatives = cycles.as_ref().map(|(cycles, _)| cycles);
        let barcode = Barcode {
            image: &image,
            classes: &classes,
            request: &request,
            threshold,
            representatives: representatives.filter(|_| arguments.representatives.are_named()),
        };
        let format = self.format;
        format.check(&barcode).map_err(|source| CliError::about(format!("--output {format}"), source))?;
        // What is refused is refused before anything is written.
        let drawn = self.drawn(representatives, &image)?;
        let mut write = self.frame.write(|_, out| format.write(&barcode, out))?;
        write += self.frame.plot(self.picture, || Series::of_image(arguments.image.name(), &barcode))?;
        if let Some((format, geometry)) = drawn {
            write += self.frame.draw(|out| format.write(&geometry, out))?;
            if geometry.cycles().is_empty() {
                let name = arguments.image.name();
                self.frame
                    .notes
                    .note(format!("{name}: no cycle to draw: none of the bars is of dimension 1 or 2"));
            }
        }
        let seconds = [("read", self.read), ("persistence", persistence), ("write", write)];
        self.frame.report(|| {
            let name = arguments.image.name();
            let mut report = Report::new(title_of(&name), &Series::of_image(name.clone(), &barcode));
            let (shape, sets) = (image.shape(), if request.superlevel { "superlevel" } else { "sublevel" });
            report.fact("file", name).fact("image", shape.described(image.voxel_type()));
            report.fact("filtration", format_args!("{sets} sets, {}-construction", request.construction));
            report.plan(planning::lines(&reasons, matrix.as_ref().map(|matrix| &matrix.figures)));
            for (stage, took) in seconds {
                report.stage(stage, took.as_secs_f64());
            }
            report
        })?;
        let bars = |is_counted: fn(bool) -> bool| {
            let of = |of_dim: &Vec<Class>| of_dim.iter().filter(|c| is_counted(c.death.is_none())).count();
            classes.dimensions.iter().map(of).collect()
        };
        let record = Record {
            version: VERSION,
            file: arguments.image.file.display().to_string(),
            shape: image.shape().axes(),
            voxels: image.voxel_type(),
            construction: request.construction.to_string(),
            superlevel: request.superlevel,
            threshold,
            via: arguments.via,
            backend: backend_of(&reasons),
            threads: rayon::current_num_threads(),
            memory: self.memory.clone(),
            finite: bars(|is_essential| !is_essential),
            essential: bars(|is_essential| is_essential),
            figures,
            matrix,
            thinning,
            cycles: cycles.as_ref().map(|(cycles, _)| cycles.len()),
            cycles_seconds: cycles.as_ref().map(|(_, took)| took.as_secs_f64()),
            read_seconds: self.read.as_secs_f64(),
            persistence_seconds: persistence.as_secs_f64(),
            write_seconds: write.as_secs_f64(),
            total_seconds: self.frame.seconds(),
        };
        let verbose = self.frame.notes.verbose;
        self.frame.finish(&record)?;
        if verbose {
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
        self.frame.meter.stage("thinning");
        let request = thinning::ThinningRequest { rule, iterations: None };
        let watch = &mut |pass: thinning::Pass| self.frame.meter.at(format!("iteration {}", pass.iteration));
        let superlevel = self.arguments.filtration.superlevel;
        let (thinned, took) = timed(|| thin_first(image, superlevel, &request, &self.backend, watch));
        let failed = |source| CliError::about(format!("--thin: {}", self.arguments.image.name()), source);
        let (thinned, figures, decision) = thinned.map_err(failed)?;
        if let Some(decision) = decision.filter(|_| self.arguments.report.messages.explain) {
            tell(format_args!("{:<13} {decision}", "thinning"));
        }
        let record = ThinningRecord {
            rule: request.rule_for(image.shape()),
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
                let progress = Resumable { progress: &self.frame.meter, checkpoint: self.long.checkpoint() };
                let found = interruptible(&progress, |progress| {
                    Ok(if self.arguments.representatives.selection().is_some() {
                        let found = persistence_traced_by(image, request, &self.backend, progress)?;
                        let (classes, figures, decision, trace) = found;
                        (classes, figures, decision, Some(trace))
                    } else {
                        let found = persistence_by(image, request, &self.backend, progress)?;
                        let (classes, figures, decision) = found;
                        (classes, figures, decision, None)
                    })
                });
                let (classes, figures, decision, trace) = found.map_err(|error| match error {
                    Failed::Interrupted(error) => error.into(),
                    Failed::Machine(MachineError::Stage(source)) => self.arguments.failed(source),
                    Failed::Machine(error) => error.into(),
                })?;
                let reasons = vec![
                    reason("via", "gradient", "which lists no cells but critical ones"),
                    reason("backend", decision.machine(), &decision.why),
                    reason("threads", &rayon::current_num_threads().to_string(), self.why_threads()),
                ];
                Ok(Found { classes, reasons, figures: Some(figures), matrix: None, trace })
            }
            Way::Matrix => {
                let progress = &self.frame.meter;
                let solution = via_matrix::persistence_watched(image, request, &self.backend, progress)?;
                let mut reasons = vec![reason("via", "matrix", "as asked")];
                reasons.extend(solution.reasons);
                let matrix = MatrixRecord {
                    cells: solution.cells,
                    entries: solution.entries,
                    index_bits: solution.index_bits,
                    building_seconds: solution.building.as_secs_f64(),
                    figures: solution.figures,
                };
                Ok(Found {
                    classes: solution.classes,
                    reasons,
                    figures: None,
                    matrix: Some(matrix),
                    trace: None,
                })
            }
        }
    }

    /// The cycles that are wanted, and how long it took to find them.
    fn find_cycles(
        &self,
        trace: Option<Trace>,
        image: &AnyImage,
        threshold: Option<Value>,
    ) -> Result<Option<(Representatives, Duration)>, CliError> {
        let (Some(trace), Some(bars)) = (trace, self.arguments.representatives.selection()) else {
            return Ok(None);
        };
        self.frame.meter.stage("finding cycles");
        let (found, took) = timed(|| trace.representatives(image, threshold, &bars));
        let found = found.map_err(|source| CliError::about(self.arguments.image.name(), source))?;
        // As the image: the program is about to end.
        std::mem::forget(trace);
        Ok(Some((found, took)))
    }

    /// What is drawn of the cycles, and in which format, if anything is.
    fn drawn(
        &self,
        cycles: Option<&Representatives>,
        image: &AnyImage,
    ) -> Result<Option<(GeometryFormat, Geometry)>, CliError> {
        let (Some(drawing), Some(cycles)) = (self.drawing, cycles) else { return Ok(None) };
        let geometry = Geometry::of_image(cycles, image, self.arguments.filtration.superlevel);
        let geometry = geometry.map_err(|source| CliError::about("--geometry", source))?;
        Ok(Some((drawing.format, geometry)))
    }

    fn why_threads(&self) -> &'static str {
        if self.arguments.machine.threads.are_asked_for() { "as asked" } else { "one a core" }
    }
}

/// Why an image has no classes.
enum Failed {
    Machine(MachineError),
    Interrupted(Interrupted),
}

impl From<MachineError> for Failed {
    fn from(error: MachineError) -> Self {
        Failed::Machine(error)
    }
}

impl From<Interrupted> for Failed {
    fn from(error: Interrupted) -> Self {
        Failed::Interrupted(error)
    }
}

/// The classes, how they were found, and what was counted on the way.
struct Found {
    classes: Classes,
    reasons: Vec<Reason>,
    figures: Option<persistence::Figures>,
    matrix: Option<MatrixRecord>,
    /// What cycles are made of, if they are wanted.
    trace: Option<Trace>,
}

/// What scans, or would.
fn backend_of(reasons: &[Reason]) -> String {
    let backend = reasons.iter().find(|reason| reason.what == "backend");
    backend.map_or("cpu", |reason| reason.choice.as_str()).to_owned()
}

impl Arguments {
    /// The run by what its answer, and what is kept of it, depend on.
    fn fingerprint(&self) -> Result<Fingerprint, CliError> {
        let run = Fingerprint::new("cubical").with("input", input_identity::of_bytes(&self.image.file)?);
        let (construction, superlevel) = (self.filtration.construction(), self.filtration.superlevel);
        let run = self.image.known_by(run).with("--construction", construction);
        let thin =
            self.thin.map(|OrAuto(rule)| rule.map_or_else(|| "auto".to_owned(), |rule| rule.to_string()));
        let run = run.with("--superlevel", superlevel).with_some("--thin", thin);
        let run = run.with_some("--max-dim", self.max_dim);
        Ok(run.with("--representatives or --geometry", self.representatives.selection().is_some()))
    }

    /// The value that no voxel of the filtration is past.
    fn threshold(&self) -> Option<Value> {
        self.threshold.map(|threshold| threshold.side(self.filtration.superlevel))
    }

    /// What memory is planned for an image of this shape and so many bytes.
    fn memory_plan(&self, shape: Shape, image: u64) -> MemoryPlan {
        match self.via {
            Way::Gradient => footprint::memory_plan(shape, image),
            Way::Matrix => footprint::memory_plan_of_matrix(shape, image),
        }
    }

    fn failed(&self, source: PersistenceError) -> CliError {
        CliError::about(self.image.name(), source)
    }

    fn request(&self) -> Request {
        let (construction, superlevel) = (self.filtration.construction(), self.filtration.superlevel);
        Request { construction, superlevel, max_dim: self.max_dim }
    }
}
