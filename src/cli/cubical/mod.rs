//! `lacuna cubical`: the barcode of an image.

mod job;
mod record;
mod representatives;

use std::path::{Path, PathBuf};
use std::time::Instant;

use lacuna::cubical::persistence::{PersistenceRequest as Request, footprint};
use lacuna::cubical::read::count_frames;
use lacuna::cubical::thinning::Rule;
use lacuna::cubical::value::Threshold;
use lacuna::cubical::{Construction, Shape, Value};
use lacuna::memory::MemoryPlan;
use lacuna::output::images::ImageBarsFormat;
use lacuna::snapshot::Fingerprint;

use crate::cli::answers::Answers;
use crate::cli::arguments::filtration::FiltrationArguments;
use crate::cli::arguments::image::ImageArguments;
use crate::cli::arguments::limits::{CheckpointArguments, TimeLimitArguments};
use crate::cli::arguments::machine::MachineArguments;
use crate::cli::arguments::picture::PictureArguments;
use crate::cli::arguments::report::ReportArguments;
use crate::cli::batch::{Task, Tasks};
use crate::cli::batch_pictures::BatchPictures;
use crate::cli::error::{CliError, usage};
use crate::cli::frame::Frame;
use crate::cli::input_identity;
use crate::cli::long_run::LongRun;
use crate::cli::naming::OutputFormat;
use crate::cli::notes::{Notes, counted, tell, timing_line};
use crate::cli::outputs::Files;
use crate::cli::parse;
use crate::cli::parse::OrAuto;
use crate::cli::record::VERSION;
use crate::cli::{exit_codes, help};
use job::Job;
use record::{Records, Way};
use representatives::RepresentativesArguments;

/// Compute the barcode of an image by its voxel values
///
/// Bars go to standard output, everything else to standard error. Bars of several images go to a directory,
/// and an image that fails does not stop the others. Coefficients are in Z/2.
#[derive(Debug, clap::Args)]
#[command(help_template = help::template(EXAMPLES), after_help = help::MORE,
    after_long_help = help::after(EXAMPLES, exit_codes::BATCH))]
#[command(mut_arg("verbose", |arg| arg.help("Print the number of bars and the time of each stage to standard error")))]
pub(crate) struct Arguments {
    /// Image files; - is standard input, a directory stands for its files
    ///
    /// Each frame of an image of four axes is an input of its own.
    #[arg(value_name = "IMAGE", required = true)]
    images: Vec<PathBuf>,

    #[command(flatten)]
    filtration: FiltrationArguments,

    /// Highest homology dimension [default: number of axes minus 1]
    #[arg(long, value_name = "K", help_heading = "Filtration",
        value_parser = parse::count, allow_hyphen_values = true)]
    max_dim: Option<usize>,

    /// End the filtration at X; classes alive there are essential
    ///
    /// Voxels are compared with the exact number given, including 64-bit integers.
    #[arg(long, value_name = "X", help_heading = "Filtration",
        value_parser = parse::exact_level, allow_hyphen_values = true)]
    threshold: Option<Threshold>,

    /// Thin the binary image first
    ///
    /// RULE is auto (by the number of axes, the default), guo-hall, zhang-suen, kashani, kashani-safe or
    /// subfields; see `lacuna thin --help`. The bars do not change, except with kashani and zhang-suen, which
    /// lose some.
    #[arg(long, value_name = "RULE", help_heading = "Filtration", num_args = 0..=1, require_equals = true,
        default_missing_value = "auto", value_parser = parse::auto_or_one_of::<Rule>(), hide_possible_values = true)]
    thin: Option<OrAuto<Rule>>,

    /// Format: text, csv, json, npy, npz, dipha, cripser [default: by extension, or text]
    ///
    /// text     as `lacuna rips` and Ripser print bars
    /// csv      one bar per line: dim,birth,death; essential bars die at inf, for superlevel sets
    ///          at -inf
    /// json     {"shape", "voxels", "construction", "superlevel", "threshold", "max_dim",
    ///          "bars": [...]}; a bar is {"dim", "birth", "death"}; essential bars die at null,
    ///          infinite voxels are "inf" and "-inf"; with cycles "representatives": [...]
    /// npy      NumPy array of doubles, one bar per row: dim, birth, death
    /// dipha    DIPHA's persistence diagram; for superlevel sets that of the negated image
    /// cripser  CubicalRipser's nine columns: dim,birth,death,x1,y1,z1,x2,y2,z2, the voxels at
    ///          which the class is born and dies
    /// npz      archive of NumPy arrays: "bars" as in npy, and with cycles for each dimension d
    ///          "index_d", "birth_voxels_d", "death_voxels_d", "cycle_cells_d",
    ///          "cycle_offsets_d", "cycle_voxels_d", "cycle_voxel_offsets_d"
    ///
    /// Extensions: .txt, .csv, .json, .npy, .npz, .diagram
    #[arg(long, value_name = "FORMAT", help_heading = "Output",
        value_parser = parse::one_of::<ImageBarsFormat>(), hide_possible_values = true, verbatim_doc_comment)]
    output: Option<ImageBarsFormat>,

    /// Write the bars to FILE, or one file per image to DIR
    ///
    /// In DIR, each file is named after its image and the format. A file is replaced as a whole when its bars
    /// are known.
    #[arg(short, long, value_name = "FILE|DIR", help_heading = "Output")]
    output_file: Option<PathBuf>,

    #[command(flatten)]
    picture: PictureArguments,

    #[command(flatten)]
    representatives: RepresentativesArguments,

    /// Method: gradient (default) or matrix
    ///
    /// gradient  discrete gradient of the image, without a list of cells
    /// matrix    boundary matrix of all cells, as with `convert` and `reduce`; for checking
    #[arg(hide_short_help = true, long, value_name = "WAY", help_heading = "Computation", default_value = "gradient", hide_default_value = true,
        value_parser = parse::one_of::<Way>(), hide_possible_values = true, verbatim_doc_comment)]
    via: Way,

    #[command(flatten)]
    pub(super) machine: MachineArguments,

    #[command(flatten)]
    limit: TimeLimitArguments,

    #[command(flatten)]
    checkpoint: CheckpointArguments,

    #[command(flatten)]
    pub(super) report: ReportArguments,

    #[command(flatten)]
    input: ImageArguments,
}

const EXAMPLES: &str = "\
Examples:
  lacuna cubical slice.png
  lacuna cubical --construction v --max-dim 1 --output csv -o bars.csv volume.nii.gz
  lacuna cubical --representatives cycles --longest 10 -o loops.npz volume.nii.gz
  lacuna cubical --geometry shells.vtk --longest 10 volume.nii.gz
  lacuna cubical --output csv -o bars/ scans/
  lacuna cubical --superlevel --threshold 128 --output cripser scan.tif
  lacuna cubical --shape 512,512,300 --dtype u16 --output npy -o bars.npy volume.raw";

/// Runs the command: reads, computes and writes one image after another.
pub(crate) fn run(arguments: &Arguments) -> Result<(), CliError> {
    let start = Instant::now();
    let options = arguments.input.options()?;
    let backend = arguments.machine.backend();
    if arguments.thin.is_some() && arguments.filtration.construction() == Construction::V {
        return Err(usage(
            "--thin: expected --construction t, as skeletons are connected across corners, found v",
        ));
    }
    let notes = arguments.report.notes();
    let (answer, text) = (arguments.output_file.as_deref(), ImageBarsFormat::Text);
    let frames = |file: &Path| count_frames(file, &options);
    let (tasks, format) =
        Tasks::plan_counted(&arguments.images, answer, arguments.output, text, notes, &frames)?;
    arguments.representatives.check(format, arguments.via)?;
    let drawing = arguments.representatives.drawing()?;
    if drawing.is_some() && tasks.is_batch {
        return Err(usage("--geometry: expected one input, found several"));
    }
    if arguments.checkpoint.is_asked_for() && arguments.via == Way::Matrix {
        return Err(usage(
            "--checkpoint: expected --via gradient, whose state is saved, found matrix; `lacuna reduce` saves that of \
             a boundary matrix",
        ));
    }
    let job = Job {
        arguments,
        options,
        backend,
        format,
        drawing,
        picture: None,
        is_kept: false,
        is_batch: tasks.is_batch,
        checkpoint: &(),
    };
    match tasks.only() {
        Some(task) => run_alone(job, task, start, notes),
        None => run_batch(job, tasks, start, notes),
    }
}

/// The run on a single image, whose state may be saved.
fn run_alone(job: Job<'_>, task: &Task, start: Instant, notes: Notes) -> Result<(), CliError> {
    let Job { arguments, .. } = job;
    let (input, stats) = (task.input.as_path(), arguments.report.stats.as_deref());
    let (picture, report) = (arguments.picture.picture()?, arguments.picture.report()?);
    let (answer, content, drawing) = (task.output.as_deref(), job.format.content(), job.drawing);
    let files = Files { answer, content, stats, drawing, picture, report, stats_of_batch: None };
    let frame = Frame::open(start, input, &files, notes)?;
    let long = LongRun::open(&arguments.limit, &arguments.checkpoint, notes)?;
    if arguments.checkpoint.is_asked_for() {
        let run = arguments.fingerprint(input)?;
        long.begin(|| run)?;
    }
    arguments.machine.threads.start(notes)?;
    let job = Job { picture, checkpoint: long.checkpoint(), ..job };
    job.run(task, frame, &mut Vec::new())?;
    long.finish();
    Ok(())
}

/// The run on several images, one after another. Its checkpoint records which of them have been answered.
fn run_batch(job: Job<'_>, mut tasks: Tasks, start: Instant, notes: Notes) -> Result<(), CliError> {
    let Job { arguments, format, .. } = job;
    let stats = tasks.open_stats(arguments.report.stats.as_deref())?;
    let PictureArguments { file, plot_kind } = &arguments.picture;
    let pictures = BatchPictures::open(file, *plot_kind, &tasks, stats.as_ref())?;
    pictures.check_kept(&arguments.checkpoint)?;
    let job = Job { picture: pictures.of_each(), is_kept: pictures.are_together(), ..job };
    let long = LongRun::open(&arguments.limit, &arguments.checkpoint, notes)?;
    long.begin(|| arguments.fingerprint_of_batch(format))?;
    let answers = Answers::load(long.checkpoint())?;
    answers.leave_out(&mut tasks, notes);
    arguments.machine.threads.start(notes)?;
    let (mut detected, mut kept) = (Vec::new(), Vec::new());
    let ran = tasks.run(|task| {
        let start = Instant::now();
        let outputs = pictures.outputs(&tasks, task, format.content(), stats.as_ref())?;
        let frame = Frame::of(start, outputs, notes);
        let before = answers.before(task);
        let answered = job.run(task, frame, &mut detected)?;
        answers.take(task, before);
        kept.extend(answered.series);
        Ok(answered.record)
    });
    let ran = ran.inspect_err(|_| answers.save())?;
    let total_seconds = start.elapsed().as_secs_f64();
    if notes.verbose {
        tell(counted(ran.found.len(), "image"));
        tell(timing_line("total", total_seconds));
    }
    let record = Records { version: VERSION, images: &ran.found, failed: ran.failed, total_seconds };
    ran.finish(Some(pictures), &kept, stats, &record, &answers)?;
    long.finish();
    Ok(())
}

impl Arguments {
    /// Fingerprint of the run on an image: everything that its answer and saved state depend on.
    fn fingerprint(&self, image: &Path) -> Result<Fingerprint, CliError> {
        let run = Fingerprint::new("cubical").with("input", input_identity::of_bytes(image)?);
        let run = self.known_by(run);
        Ok(run.with("--representatives or --geometry", self.representatives.selection().is_some()))
    }

    /// Fingerprint of a run on several images: everything that the answers depend on except the images, which are
    /// identified one by one.
    fn fingerprint_of_batch(&self, format: ImageBarsFormat) -> Fingerprint {
        let run = Fingerprint::new("cubical of several images").with("--output", format);
        let run = self.known_by(run).with_some("--threshold", self.threshold());
        let cycles = self.representatives.selection().map(|bars| format!("{bars:?}"));
        run.with_some("--representatives", cycles)
    }

    /// Adds to the fingerprint how images are read and which classes are computed.
    fn known_by(&self, run: Fingerprint) -> Fingerprint {
        let (construction, superlevel) = (self.filtration.construction(), self.filtration.superlevel);
        let run = self.input.known_by(run).with("--construction", construction);
        let thin =
            self.thin.map(|OrAuto(rule)| rule.map_or_else(|| "auto".to_owned(), |rule| rule.to_string()));
        let run = run.with("--superlevel", superlevel).with_some("--thin", thin);
        run.with_some("--max-dim", self.max_dim)
    }

    /// The last value of the filtration.
    fn threshold(&self) -> Option<Value> {
        self.threshold.map(|threshold| threshold.side(self.filtration.superlevel))
    }

    /// The memory plan for an image of this shape and size in bytes.
    fn memory_plan(&self, shape: Shape, image: u64) -> MemoryPlan {
        match self.via {
            Way::Gradient => footprint::memory_plan(shape, image),
            Way::Matrix => footprint::memory_plan_of_matrix(shape, self.filtration.construction(), image),
        }
    }

    fn request(&self) -> Request {
        let (construction, superlevel) = (self.filtration.construction(), self.filtration.superlevel);
        Request { construction, superlevel, max_dim: self.max_dim }
    }
}
