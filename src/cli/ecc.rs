//! `lacuna ecc`: Euler characteristic curves of images.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use lacuna::cubical::curves::{self, CurvesFound, ImageCurves};
use lacuna::cubical::ecc::scales::Scales;
use lacuna::cubical::ecc::slabs::memory_plan;
use lacuna::cubical::ecc::{Bins, EccRequest, VcecRows};
use lacuna::cubical::read::{Detection, ImageOptions};
use lacuna::internals::{available, name_of};
use lacuna::output::curves::CurveFormat;
use lacuna::plot::{PlotKind, Series};
use lacuna::report::Report;
use lacuna::snapshot::{Checkpoint, Fingerprint, Part, Resumable};
use serde::Serialize;

use super::answers::{self, Answers};
use super::arguments::filtration::FiltrationArguments;
use super::arguments::image::ImageArguments;
use super::arguments::limits::{CheckpointArguments, TimeLimitArguments};
use super::arguments::machine::MachineArguments;
use super::arguments::picture::{Picture, PictureFileArguments, title_of};
use super::arguments::report::ReportArguments;
use super::batch::{Task, Tasks};
use super::batch_pictures::BatchPictures;
use super::curves::CurveFile;
use super::error::CliError;
use super::input_identity;
use super::interruption::while_reading;
use super::long_run::LongRun;
use super::naming::OutputFormat;
use super::notes::{Notes, counted, tell, timing_line};
use super::outputs::{Files, Outputs};
use super::parse::{self, Bounds};
use super::progress::{Meter, Written};
use super::record::VERSION;
use super::sink::Sink;
use super::{exit_codes, help};

/// Compute Euler characteristic curves of images
///
/// A curve gives the Euler characteristic of the sublevel sets of an image, and its change, by value.
/// Images are streamed, in memory that does not grow with their size. One curve goes to standard output or
/// to a file; curves of several images go to a directory, and an image that fails does not stop the others.
#[derive(Debug, clap::Args)]
#[command(help_template = help::template(EXAMPLES), after_help = help::MORE,
    after_long_help = help::after(EXAMPLES, exit_codes::BATCH))]
#[command(mut_arg("stats", |arg| arg.help("Write sizes and times to FILE as JSON")))]
#[command(mut_arg("memory", |arg| arg.long_help(MEMORY)))]
#[command(mut_arg("verbose", |arg| arg.help("Print the size and the time of each image to standard error")))]
pub(crate) struct Arguments {
    /// Image files; - is standard input, a directory stands for its files
    #[arg(value_name = "IMAGE", required = true)]
    images: Vec<PathBuf>,

    #[command(flatten)]
    filtration: FiltrationArguments,

    /// Count in N bins of equal width [default: one row per distinct value]
    ///
    /// A row is named by the value at which its bin ends. A value belongs to the first bin that does not end
    /// before it.
    #[arg(long, value_name = "N", help_heading = "Filtration",
        value_parser = parse::bins, allow_hyphen_values = true)]
    bins: Option<usize>,

    /// First and last value of the bins [default: range of the finite values]
    ///
    /// Without a range, images of floats are read twice. Values below the range, -inf included, count in the
    /// first bin; values above, inf included, in none; for superlevel sets the other way round.
    #[arg(long, value_name = "LOW,HIGH", help_heading = "Filtration", requires = "bins",
        value_parser = parse::bounds, allow_hyphen_values = true)]
    range: Option<Bounds>,

    /// Compute K curves: of the image and of K - 1 Gaussian smoothings
    ///
    /// Each row begins with the number of smoothings. The whole image is read into memory, whatever --memory
    /// says.
    #[arg(long, value_name = "K", help_heading = "Filtration",
        value_parser = parse::bins, allow_hyphen_values = true)]
    scales: Option<usize>,

    /// Standard deviation of the Gaussian, in voxels [default: 1]
    #[arg(hide_short_help = true, long, value_name = "S", help_heading = "Filtration", requires = "scales",
        value_parser = parse::level, allow_hyphen_values = true)]
    sigma: Option<f64>,

    /// Number of voxels of the Gaussian along each axis, odd [default: 13]
    #[arg(hide_short_help = true, long, value_name = "N", help_heading = "Filtration", requires = "scales",
        value_parser = parse::bins, allow_hyphen_values = true)]
    taps: Option<usize>,

    /// Format: csv, json, npy [default: by extension, or csv]
    ///
    /// csv   one row per line: value,vcec,ecc
    /// json  {"shape", "voxels", "construction", "superlevel", "rows": [[value, vcec, ecc], ...]}
    /// npy   NumPy array of doubles, one row per value: value, vcec, ecc
    ///
    /// ecc is the Euler characteristic from the value on, vcec its change at the value.
    #[arg(long, value_name = "FORMAT", help_heading = "Output",
        value_parser = parse::one_of::<CurveFormat>(), hide_possible_values = true, verbatim_doc_comment)]
    output: Option<CurveFormat>,

    /// Write the curve to FILE, or one file per image to DIR
    ///
    /// In DIR, each file is named after its image and the format. A file is replaced as a whole when its curve
    /// is known.
    #[arg(short, long, value_name = "FILE|DIR", help_heading = "Output")]
    output_file: Option<PathBuf>,

    #[command(flatten)]
    picture: PictureFileArguments,

    #[command(flatten)]
    pub(super) machine: MachineArguments,

    /// Directory for temporary files [default: that of the system]
    ///
    /// Rows of distinct values that do not fit --memory are stored there. The files are removed when the run
    /// ends.
    #[arg(hide_short_help = true, long, value_name = "DIR", help_heading = "Computation")]
    temp_dir: Option<PathBuf>,

    #[command(flatten)]
    time: TimeLimitArguments,

    #[command(flatten)]
    checkpoint: CheckpointArguments,

    #[command(flatten)]
    pub(super) report: ReportArguments,

    #[command(flatten)]
    input: ImageArguments,
}

const MEMORY: &str = "\
Memory limit, such as 64M or 2G

auto is 512M, or half of the available memory if that is less; 512M is enough for images of any size. The memory of a GPU driver is not \
counted. A lower limit makes slabs thinner, and rows that do not fit go to temporary files.";

const EXAMPLES: &str = "\
Examples:
  lacuna ecc slice.png
  lacuna ecc --construction v --bins 1000 -o curve.csv volume.nii.gz
  lacuna ecc --output npy -o curves/ scans/
  lacuna ecc --shape 4096,4096,2000 --dtype u8 --memory 256M volume.raw";

/// Smallest memory limit that applies to the whole program. Below it, the program's own memory would take most of the
/// limit.
pub(super) const LEAST_HELD: u64 = 64 << 20;

/// Bytes for streaming where no limit is given; more would not be faster.
const ENOUGH: u64 = 512 << 20;

/// Runs the command: streams the images, sums their curves and writes them.
pub(crate) fn run(arguments: &Arguments) -> Result<(), CliError> {
    let start = Instant::now();
    let request = arguments.request();
    let memory = arguments.memory();
    // A limit beyond the address space is no limit.
    let limit = usize::try_from(memory).unwrap_or(usize::MAX);
    let options = arguments.input.options()?;
    let mut curves = ImageCurves::new(&request, limit, arguments.machine.backend())
        .map_err(|source| CliError::about("--bins, --range", source))?
        .spilling_to(arguments.temp_dir.clone());
    if let Some(scales) = arguments.scales() {
        scales.weights().map_err(|source| CliError::about("--scales, --sigma, --taps", source))?;
    }
    let notes = arguments.report.notes();
    let (mut tasks, format) = Tasks::plan(
        &arguments.images,
        arguments.output_file.as_deref(),
        arguments.output,
        CurveFormat::Csv,
        notes,
    )?;
    let stats = tasks.open_stats(arguments.report.stats.as_deref())?;
    let (picture, report, pictures) = if tasks.is_batch {
        let pictures = BatchPictures::open(&arguments.picture, PlotKind::Ecc, &tasks, stats.as_ref())?;
        pictures.check_kept(&arguments.checkpoint)?;
        (pictures.of_each(), None, Some(pictures))
    } else {
        (arguments.picture.picture(PlotKind::Ecc)?, arguments.picture.report()?, None)
    };
    let long = LongRun::open(&arguments.time, &arguments.checkpoint, notes)?;
    if arguments.checkpoint.is_asked_for() {
        let run = arguments.fingerprint(&tasks, format)?;
        long.begin(|| run)?;
    }
    let answers = Answers::load(long.checkpoint())?;
    if tasks.is_batch {
        answers.leave_out(&mut tasks, notes);
    }
    arguments.machine.threads.start(notes)?;
    if arguments.report.explain {
        explanation(limit).iter().for_each(tell);
    }
    let job = Job {
        arguments,
        request,
        options,
        format,
        picture,
        report,
        pictures: pictures.as_ref(),
        limit,
        tasks: &tasks,
        notes,
        stats: stats.as_ref(),
        long: &long,
        answers: &answers,
    };
    let mut teller = Teller { job: &job, detected: Vec::new(), kept: Vec::new() };
    let workers = job.workers(limit);
    let ran = if workers > 1 {
        let beside = || job.curves(limit / workers);
        let run = |curves: &mut ImageCurves, task: &Task| job.run(curves, task, false);
        tasks.run_side_by_side(workers, &beside, &run, |task, outcome| {
            // It may have failed for its small share of memory: retry with all of it.
            let answered = outcome.or_else(|error| match error {
                error if error.is_end() => Err(error),
                _ => job.run(&mut curves, task, true),
            })?;
            Ok(teller.tell(task, answered))
        })
    } else {
        tasks.run(|task| Ok(teller.tell(task, job.run(&mut curves, task, true)?)))
    };
    let mut ran = ran.inspect_err(|_| {
        if tasks.is_batch {
            answers.save();
        }
    })?;
    let kept = std::mem::take(&mut teller.kept);
    let records = std::mem::take(&mut ran.found);
    let record = Record::new(records, ran.failed, &request, memory, start);
    if notes.verbose && tasks.is_batch {
        tell(format_args!("{}, {}", counted(record.images.len(), "image"), counted(record.voxels, "voxel")));
        tell(timing_line("total", record.total_seconds));
    }
    ran.finish(pictures, &kept, stats, &record, &answers)?;
    long.finish();
    Ok(())
}

/// Largest file, in bytes, that one thread processes while other threads process other images.
const SMALL: u64 = 16 << 20;

/// Settings shared by all images of a run.
struct Job<'a> {
    arguments: &'a Arguments,
    request: EccRequest,
    options: ImageOptions,
    format: CurveFormat,
    /// The picture of the curve, if requested for each image.
    picture: Option<Picture<'a>>,
    /// File of the page about the run, if requested for a single image.
    report: Option<&'a Path>,
    /// Pictures and pages of a batch.
    pictures: Option<&'a BatchPictures<'a>>,
    /// Memory limit in bytes.
    limit: usize,
    tasks: &'a Tasks,
    notes: Notes,
    stats: Option<&'a Sink>,
    long: &'a LongRun,
    answers: &'a Answers<'a>,
}

/// The result of one image, with the messages that are still to be printed.
struct Answered {
    record: ImageRecord,
    detection: Option<Detection>,
    /// The lines of `-v`.
    lines: Vec<String>,
    /// Curve, where it is drawn together with those of other images.
    series: Option<Series>,
}

impl Job<'_> {
    /// Number of images processed in parallel: one a thread if there are several, all in small files and none for a
    /// device.
    fn workers(&self, limit: usize) -> usize {
        let tasks = &self.tasks.tasks;
        let is_small = |task: &Task| {
            fs::metadata(&task.input).is_ok_and(|found| found.is_file() && found.len() <= SMALL)
        };
        if self.arguments.machine.asks_for_device()
            || self.arguments.scales.is_some()
            || !tasks.iter().all(is_small)
        {
            return 1;
        }
        // Each worker gets enough memory that a small image is seldom split into slabs.
        let most = limit / usize::try_from(SMALL).unwrap_or(usize::MAX);
        rayon::current_num_threads().min(tasks.len()).min(most)
    }

    /// The curve computation of a thread, limited to `limit` bytes.
    fn curves(&self, limit: usize) -> ImageCurves {
        let curves = ImageCurves::new(&self.request, limit, self.arguments.machine.backend());
        curves.expect("the bins were checked").spilling_to(self.arguments.temp_dir.clone())
    }

    /// Builds the page about the run.
    fn page(&self, record: &ImageRecord, found: &CurvesFound, series: &Series) -> Report {
        let sets = if self.request.superlevel { "superlevel" } else { "sublevel" };
        let mut report = Report::new(title_of(&record.file), series);
        report.fact("file", &record.file).fact("image", found.shape.described(found.voxels));
        report.fact("filtration", format_args!("{sets} sets, {}-construction", self.request.construction));
        report.fact("rows", record.rows).fact("passes over the image", record.passes);
        let backend = format!("{:<13} {}", "backend", record.backend);
        report.plan([&explanation(self.limit)[..], &[backend]].concat().join("\n"));
        report.stage("curve", record.curve_seconds).stage("write", record.write_seconds);
        report
    }

    /// Opens the outputs of an image.
    fn outputs(&self, task: &Task) -> Result<Outputs, CliError> {
        let (content, stats) = (self.format.content(), self.stats);
        if let Some(pictures) = self.pictures {
            return pictures.outputs(self.tasks, task, content, stats);
        }
        let (answer, picture, report) = (task.output.as_deref(), self.picture, self.report);
        let files = Files { answer, content, stats_of_batch: stats, picture, report, ..Files::default() };
        Outputs::open(&files, &self.tasks.inputs)
    }

    fn run(&self, curves: &mut ImageCurves, task: &Task, is_alone: bool) -> Result<Answered, CliError> {
        let start = Instant::now();
        let mut outputs = self.outputs(task)?;
        let is_kept = self.pictures.is_some_and(BatchPictures::are_together);
        let meter = if is_alone { Meter::new(self.notes.progress()) } else { Meter::silent() };
        meter.file(name_of(&task.input), task.place);
        let file = CurveFile { path: &task.input, options: &self.options };
        let before = self.answers.before(task);
        // The checkpoint of an image of a batch is deleted once its answer is in place.
        let mut kept_until_answered = None;
        let found = if is_alone {
            let kept = self.long.checkpoint();
            let prefix = match self.tasks.is_batch {
                _ if !kept.is_kept() => None,
                true => answers::prefix(task),
                false => Some(String::new()),
            };
            let checkpoint: &dyn Checkpoint = if prefix.is_some() { kept } else { &() };
            let prefix = prefix.unwrap_or_default();
            let part = Part { checkpoint, prefix: &prefix };
            let progress = Resumable { progress: &meter, checkpoint: &part };
            let scales = self.arguments.scales();
            let mut find = || file.curves(curves, scales.as_ref(), &progress);
            let found = if kept.is_kept() { find()? } else { while_reading(find)?? };
            kept_until_answered = Some((checkpoint, prefix));
            found
        } else {
            file.curves(curves, self.arguments.scales().as_ref(), &meter)?
        };
        let curve_seconds = start.elapsed().as_secs_f64();
        let written = match self.format {
            CurveFormat::Csv | CurveFormat::Json => Written::Lines(found.count()),
            CurveFormat::Npy => Written::Bytes(3 * 8 * found.count()),
        };
        // Rows and a progress bar would mix on one terminal.
        let meter = if task.output.is_some() { meter } else { Meter::silent() };
        outputs
            .fill(|out| meter.writing(written, out, |out| self.format.write(&found, &self.request, out)))?;
        drop(meter);
        let record = ImageRecord::new(&task.input, &found, curve_seconds, start);
        let mut kept = None;
        if outputs.picture.is_some() || outputs.report.is_some() || is_kept {
            let series = Series::of_found_curves(name_of(&task.input), &found);
            let series = series.map_err(|source| CliError::write("--plot, --report", &source))?;
            if let (Some(picture), Some(sink)) = (self.picture, &mut outputs.picture) {
                picture.put(sink, &series)?;
            }
            if let Some(sink) = &mut outputs.report {
                sink.fill(|out| self.page(&record, &found, &series).write(out))?;
            }
            kept = is_kept.then_some(series);
        }
        outputs.commit(&record)?;
        if self.tasks.is_batch {
            self.answers.take(task, before);
            if let Some((checkpoint, prefix)) = &kept_until_answered {
                curves::forget(&Part { checkpoint: *checkpoint, prefix }, self.arguments.scales.unwrap_or(0));
            }
        }
        let lines = if self.notes.verbose { record.lines(&found) } else { Vec::new() };
        Ok(Answered { record, detection: found.detection, lines, series: kept })
    }
}

/// Prints the messages of images, in their order.
struct Teller<'a> {
    job: &'a Job<'a>,
    /// Formats detected for earlier images.
    detected: Vec<Detection>,
    /// Curves that are drawn together.
    kept: Vec<Series>,
}

impl Teller<'_> {
    fn tell(&mut self, task: &Task, answered: Answered) -> ImageRecord {
        let Answered { record, detection, lines, series } = answered;
        self.kept.extend(series);
        self.tell_detection(task, detection);
        if self.job.arguments.report.explain {
            tell(format_args!("{:<13} {}", "backend", record.backend));
        }
        lines.iter().for_each(tell);
        record
    }

    /// Reports the detected format of an image. In a batch only the first image of each format is reported.
    fn tell_detection(&mut self, task: &Task, detection: Option<Detection>) {
        let Some(detection) = detection.filter(|found| !self.detected.contains(found)) else { return };
        let others = if self.job.tasks.is_batch { ", and others like it" } else { "" };
        self.job.notes.note(format_args!("{}: {detection}{others}", name_of(&task.input)));
        self.detected.push(detection);
    }
}

/// The lines of `--explain`.
fn explanation(limit: usize) -> [String; 3] {
    let threads = rayon::current_num_threads();
    [
        format!("{:<13} {}", "vectors", lacuna::internals::Level::detect().name()),
        format!("{:<13} {threads} that add up, others that read", "threads"),
        memory_plan(limit).to_string(),
    ]
}

impl Arguments {
    /// Fingerprint of the run: everything that its answers depend on. The images of a batch are identified one by one.
    fn fingerprint(&self, tasks: &Tasks, format: CurveFormat) -> Result<Fingerprint, CliError> {
        let run = match tasks.only() {
            Some(task) => Fingerprint::new("ecc").with("input", input_identity::of_ends(&task.input)?),
            None => Fingerprint::new("ecc of several images").with("--output", format),
        };
        let (construction, superlevel) = (self.filtration.construction(), self.filtration.superlevel);
        let run = self.input.known_by(run).with("--construction", construction);
        let run = run.with("--superlevel", superlevel).with_some("--bins", self.bins);
        let run = run.with_some("--range", self.range.map(|Bounds(low, high)| format!("{low},{high}")));
        let run = run.with_some("--scales", self.scales).with_some("--sigma", self.sigma);
        Ok(run.with_some("--taps", self.taps))
    }

    /// Memory budget for streaming, in bytes.
    fn memory(&self) -> u64 {
        let enough = || available().map_or(ENOUGH, |available| ENOUGH.min(available / 2));
        self.machine.memory.given().unwrap_or_else(enough)
    }

    fn request(&self) -> EccRequest {
        let (construction, superlevel) = (self.filtration.construction(), self.filtration.superlevel);
        let range = self.range.map(|Bounds(low, high)| (low, high));
        let bins = self.bins.map_or(Bins::Distinct, |count| Bins::Uniform { count, range });
        EccRequest { construction, superlevel, bins }
    }

    fn scales(&self) -> Option<Scales> {
        let Scales { sigma, taps, .. } = Scales::default();
        let of =
            |count| Scales { count, sigma: self.sigma.unwrap_or(sigma), taps: self.taps.unwrap_or(taps) };
        self.scales.map(of)
    }
}

/// The JSON object of `--stats FILE`.
///
/// | key | value |
/// |---|---|
/// | `version` | of the program |
/// | `construction`, `superlevel` | the filtration |
/// | `threads`, `memory` | how many threads added up, in how many bytes at most |
/// | `images` | of each image: `file`, `shape`, type of `voxels`, `passes` over it, `rows`, the `backend` and why, `curve_seconds` from opening it to its curve, `write_seconds` |
/// | `failed` | images without a curve |
/// | `voxels`, `voxels_per_second` | of all images, and by their `curve_seconds` |
/// | `total_seconds` | the whole run, up to this file |
/// | `peak_memory` | bytes, the most that was in use; `null` where the system does not tell |
#[derive(Debug, Serialize)]
struct Record {
    version: &'static str,
    construction: String,
    superlevel: bool,
    threads: usize,
    memory: u64,
    images: Vec<ImageRecord>,
    failed: usize,
    voxels: usize,
    voxels_per_second: Option<f64>,
    total_seconds: f64,
    peak_memory: Option<u64>,
}

#[derive(Debug, Serialize)]
struct ImageRecord {
    file: String,
    shape: Vec<usize>,
    voxels: &'static str,
    passes: u64,
    rows: u64,
    backend: String,
    curve_seconds: f64,
    write_seconds: f64,
}

/// Peak resident memory in bytes, from a line like `VmHWM:  12345 kB` of Linux.
fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
}

impl Record {
    fn new(
        images: Vec<ImageRecord>,
        failed: usize,
        request: &EccRequest,
        memory: u64,
        start: Instant,
    ) -> Self {
        let voxels = images.iter().map(|image| image.shape.iter().product::<usize>()).sum();
        let seconds: f64 = images.iter().map(|image| image.curve_seconds).sum();
        Record {
            version: VERSION,
            construction: request.construction.to_string(),
            superlevel: request.superlevel,
            threads: rayon::current_num_threads(),
            memory,
            failed,
            voxels,
            voxels_per_second: (!images.is_empty()).then(|| voxels as f64 / seconds),
            images,
            total_seconds: start.elapsed().as_secs_f64(),
            peak_memory: peak_memory(),
        }
    }
}

impl ImageRecord {
    fn new(image: &Path, found: &CurvesFound, curve_seconds: f64, start: Instant) -> Self {
        ImageRecord {
            file: image.display().to_string(),
            shape: found.shape.axes(),
            voxels: found.voxels,
            passes: found.passes,
            rows: found.count(),
            backend: found.backend.clone(),
            curve_seconds,
            write_seconds: start.elapsed().as_secs_f64() - curve_seconds,
        }
    }

    /// The lines of `-v`.
    fn lines(&self, found: &CurvesFound) -> Vec<String> {
        let name = name_of(Path::new(&self.file));
        let (image, rows) = (found.shape.described(self.voxels), counted(self.rows as usize, "row"));
        let mut lines = vec![format!("{name}: {image}, {rows}")];
        if matches!(found.rows, VcecRows::Disk(_)) {
            lines.push(String::from(
                "rows beyond the memory limit were stored in temporary files (--memory, --temp-dir)",
            ));
        }
        let rate = found.shape.count() as f64 / self.curve_seconds / 1e6;
        lines
            .push(format!("{}, {rate:.0} million voxels a second", timing_line("curve", self.curve_seconds)));
        lines.push(timing_line("write", self.write_seconds).to_string());
        lines
    }
}
