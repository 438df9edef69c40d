//! `lacuna thin`: the skeleton of a binary image.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use lacuna::cubical::geometry::Geometry;
use lacuna::cubical::thinning::binary::{Foreground, binary};
use lacuna::cubical::thinning::footprint::{check_bits, memory_plan};
use lacuna::cubical::thinning::graph::{SkeletonGraph, checked_spacing};
use lacuna::cubical::thinning::topology::{Changed, Topology, Verdict, check, verify};
use lacuna::cubical::thinning::{
    BitImage, MachineError as ThinningError, Pass, Rule, ThinningRequest as Request, ThinningStatistics,
    thin_by,
};
use lacuna::cubical::value::Threshold;
use lacuna::cubical::write::ImageFile;
use lacuna::cubical::{Shape, VoxelType};
use lacuna::output::number::General;
use lacuna::output::skeletons::{Skeleton, SkeletonFormat};

use super::arguments::image::ImageArguments;
use super::arguments::limits::DeadlineArguments;
use super::arguments::machine::MachineArguments;
use super::arguments::run::ReportArguments;
use super::ending::{self, Doing};
use super::error::{CliError, Result};
use super::frame::Frame;
use super::image_file::{open_image, read_image};
use super::naming::{OutputFormat, endings, format_named, format_of, unknown_ending};
use super::notes::{counted, tell};
use super::outputs::Files;
use super::parse;
use super::record::Record;
use super::{exit_codes, help};

/// Compute the skeleton of a binary image
///
/// Foreground is deleted at its border until nothing changes. The skeleton is an image of the same shape,
/// 255 on 0. Foreground is connected across corners, background across faces; everything outside the image
/// is background.
#[derive(Debug, clap::Args)]
#[command(help_template = help::template(EXAMPLES), after_help = help::MORE,
    after_long_help = help::after(EXAMPLES, exit_codes::THIN))]
pub(crate) struct Arguments {
    /// Foreground is what is greater than X [default: what is not 0]
    #[arg(long, value_name = "X", help_heading = "Foreground",
        value_parser = parse::exact_level, allow_hyphen_values = true, conflicts_with = "otsu")]
    threshold: Option<Threshold>,

    /// Foreground is what is greater than Otsu's threshold
    #[arg(long, help_heading = "Foreground")]
    otsu: bool,

    /// Swap foreground and background
    #[arg(long, help_heading = "Foreground")]
    invert: bool,

    /// Rule: guo-hall, zhang-suen, kashani, kashani-safe, subfields [default: guo-hall in 2D, subfields in 3D]
    ///
    /// guo-hall      Guo and Hall's two subiterations; 2D; preserves topology; equals OpenCV's
    ///               THINNING_GUOHALL of the image framed by background
    /// zhang-suen    Zhang and Suen's two subiterations; 2D; loses 2x2 blocks and thick
    ///               diagonals; equals OpenCV's THINNING_ZHANGSUEN of the image framed by background
    /// kashani       Kashani-Akhavan's rule as published, all pixels at once; 2D; loses 2x2
    ///               blocks, so even squares and some discs vanish
    /// kashani-safe  kashani, but one pixel of an isolated 2x2 block stays; preserves topology
    /// subfields     simple points in eight subfields, line ends stay; 2D and 3D; preserves
    ///               topology
    #[arg(long, value_name = "RULE", help_heading = "Thinning",
        value_parser = parse::one_of::<Rule>(), hide_possible_values = true, verbatim_doc_comment)]
    rule: Option<Rule>,

    /// Stop after N iterations [default: when nothing changes]
    #[arg(long, value_name = "N", help_heading = "Thinning",
        value_parser = parse::count, allow_hyphen_values = true)]
    iterations: Option<usize>,

    /// Check that the skeleton has the topology of the image
    ///
    /// Betti numbers and Euler characteristics are compared on standard error. The exit code is 1 if they
    /// differ.
    #[arg(long, help_heading = "Thinning")]
    verify: bool,

    /// Format: png, tiff, npy, nifti, nifti-gz, nrrd, metaimage, dipha, perseus, raw [default: by extension]
    #[arg(long, value_name = "FORMAT", help_heading = "Output", requires = "output_file",
        value_parser = parse::one_of::<ImageFile>(), hide_possible_values = true)]
    output: Option<ImageFile>,

    /// Write the skeleton to FILE, - for standard output
    ///
    /// A file is replaced as a whole on success.
    #[arg(short, long, value_name = "FILE", help_heading = "Output", required_unless_present = "graph")]
    output_file: Option<PathBuf>,

    /// Write the skeleton as a graph to FILE, named *.json, *.swc or *.graphml
    ///
    /// Nodes are ends and junctions, branches the paths of voxels between them, with their lengths and the
    /// radius of the foreground along them. SWC holds only trees: cycles are cut where they are thinnest.
    #[arg(long, value_name = "FILE", help_heading = "Output", value_parser = parse::file())]
    graph: Option<PathBuf>,

    /// Distance of voxels along each axis, for --graph [default: as the file says, or 1]
    ///
    /// NIfTI, NRRD and MetaImage files say it. One number for each axis of the image, such as 0.5,0.5,2.
    #[arg(long, value_name = "D,D,D", help_heading = "Output", requires = "graph",
        value_parser = parse::spacing, allow_hyphen_values = true)]
    spacing: Option<Box<[f64]>>,

    #[command(flatten)]
    machine: MachineArguments,

    #[command(flatten)]
    pub(super) deadline: DeadlineArguments,

    #[command(flatten)]
    report: ReportArguments,

    /// Image file, - for standard input
    #[arg(value_name = "IMAGE")]
    file: PathBuf,

    #[command(flatten)]
    image: ImageArguments,
}

const EXAMPLES: &str = "\
Examples:
  lacuna thin -o skeleton.png drawing.png
  lacuna thin --otsu --invert --verify -o skeleton.tif page.tif
  lacuna thin --threshold 128 -o vessels.nii.gz angiogram.nii.gz
  lacuna thin --rule kashani --iterations 1 -o once.npy image.npy
  lacuna thin --spacing 2,0.5,0.5 --graph neuron.swc stack.tif";

/// Bytes per voxel of the skeleton in memory while it is written: one, and a second where the format stores another
/// axis order.
const GIVEN: usize = 2;

/// Advice for an image that is too large to be thinned.
const HELPS: &str = "a part of the image takes less";

/// Maximal number of changed components that are reported.
const TOLD: usize = 10;

/// Thins the image and compares the skeleton with it. The exit code says whether the topology is the same, if
/// requested.
///
/// The statistics are:
///
/// | key | value |
/// |---|---|
/// | `version` | of the program |
/// | `file`, `shape` | the image, voxels along its axes |
/// | `rule`, `backend`, `threads` | what was done, by what, and by how many |
/// | `memory` | the plan of the memory |
/// | `threshold`, `inverted` | what is foreground: above the threshold, if there is one |
/// | `iterations` | those that deleted something |
/// | `voxels` | of the foreground, before and after |
/// | `words` | words of 64 voxels that were looked at |
/// | `same_topology`, `betti`, `euler` | of `--verify`, the last two before and after |
/// | `nodes`, `branches`, `cycles`, `length` | of `--graph`; the length is that of all branches |
/// | `cuts` | cycles that were cut for SWC |
/// | `read_seconds` | file to bits |
/// | `thin_seconds`, `graph_seconds` | bits to bits; bits to graph, if requested |
/// | `write_seconds`, `verify_seconds` | skeleton to output; the comparison, if requested |
/// | `total_seconds` | the whole run, up to this file |
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let start = Instant::now();
    let Arguments { file, image, report, machine, invert, .. } = arguments;
    let options = image.options()?;
    let (format, graph_format) = arguments.formats()?;
    let (backend, request) = (machine.backend(), arguments.request());
    let files = Files {
        answer: arguments.output_file.as_deref(),
        content: format.map(OutputFormat::content).unwrap_or_default(),
        graph: arguments.graph.as_deref(),
        stats: report.stats.as_deref(),
        ..Files::default()
    };
    let mut frame = Frame::open(start, file, files, report.notes)?;
    let name = frame.name.clone();
    machine.threads.start(frame.notes)?;
    let stream = open_image(file, &options, &mut frame)?;
    // Errors in the header are reported before anything is read or thinned.
    let (shape, geometry) = (stream.shape(), stream.geometry().cloned());
    format.map_or(Ok(()), |format| format.holds(shape, VoxelType::U8))?;
    let (spacing, unit) = arguments.spacing(shape, geometry.as_ref());
    if graph_format.is_some() {
        checked_spacing(shape, &spacing).map_err(|source| CliError::about(&name, source))?;
    }
    request.suiting(shape).map_err(ThinningError::from)?;
    if arguments.verify {
        check(shape).map_err(|source| CliError::about(format!("--verify: {name}"), source))?;
    }
    let rule = request.rule_for(shape);
    let memory = memory_plan(shape, stream.bytes(), rule);
    if report.explain {
        let asked = if arguments.rule.is_some() { "as asked" } else { "as the image's axes suggest" };
        frame.tell(format_args!("{:<13} {rule}: {asked}", "rule"));
        frame.tell(&memory);
    }
    memory.check(0, HELPS).map_err(|source| CliError::about(&name, source))?;
    let image = read_image(stream, &mut frame)?;
    check_bits(shape, GIVEN).map_err(|source| CliError::about(&name, source))?;
    let found = frame.record.timed("read", || binary(&image, arguments.foreground()));
    // From here on, only the bits are needed.
    drop(image);
    let (image, threshold) = found.map_err(|source| CliError::about(&name, source))?;
    let image = if *invert { image.inverted() } else { image };
    frame.meter.stage("thinning");
    let mut watch = |pass: Pass| frame.meter.at(format!("iteration {}", pass.iteration));
    let thinned = frame.record.timed("thin", || thin_by(&image, &request, &backend, &mut watch));
    let (skeleton, figures, decision) = thinned?;
    if report.explain {
        frame.tell(format_args!("{:<13} {decision}", "backend"));
    }
    let mut told_graph = None;
    if let Some(graph_format) = graph_format {
        let meter = &frame.meter;
        let graph = frame.record.timed("graph", || SkeletonGraph::new(&skeleton, &image, &spacing, meter))?;
        let (order, mut cuts) = (shape.order(), 0);
        frame.write_graph(|out| {
            cuts = graph_format.write(&Skeleton { graph: &graph, unit, order }, out)?;
            Ok(())
        })?;
        told_graph = Some(tell_graph(&graph, cuts, unit, frame.record.set("cuts", cuts)));
    }
    if let Some(format) = format {
        frame.write(|_, out| {
            let image = skeleton.to_image(u8::MAX, format.order(shape.order()));
            format.write(&image.into(), geometry.as_ref(), out)
        })?;
    }
    // The skeleton stays even if the comparison fails.
    frame.commit_answer()?;
    let verdict = arguments.verify.then(|| {
        ending::begin(Doing::Written);
        frame.meter.stage("comparing");
        frame.record.timed("verify", || verify(&image, &skeleton))
    });
    let verdict = verdict.transpose()?;
    let ThinningStatistics { before, after, iterations, words, .. } = figures;
    let record = &mut frame.record;
    record.set("shape", shape.axes()).set("rule", rule).set("threshold", threshold).set("inverted", invert);
    record.set("backend", decision.machine()).set("threads", rayon::current_num_threads());
    record.set("memory", &memory).set("iterations", iterations).set("voxels", [before, after]);
    record.set("words", words).set("same_topology", verdict.as_ref().map(Verdict::is_same));
    record.set("betti", verdict.as_ref().map(|verdict| [verdict.before.betti, verdict.after.betti]));
    record.set("euler", verdict.as_ref().map(|verdict| [verdict.before.euler, verdict.after.euler]));
    let above = threshold.map(|threshold| format!(" above {threshold}")).unwrap_or_default();
    let (before, iterations) = (counted(before, "voxel"), counted(iterations, "iteration"));
    frame.note(format_args!("{name}: {before}{above}, {after} left by {rule} after {iterations}"));
    told_graph.into_iter().for_each(|line| frame.note(format_args!("{name}: {line}")));
    frame.tell_times();
    frame.finish()?;
    let Some(verdict) = verdict else { return Ok(ExitCode::SUCCESS) };
    tell_verdict(&verdict, &image);
    Ok(if verdict.is_same() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

impl Arguments {
    fn foreground(&self) -> Foreground {
        match self.threshold {
            // The threshold is rounded down to a representable value, so that the same voxels lie above it.
            Some(threshold) => Foreground::Above(threshold.side(false)),
            None if self.otsu => Foreground::Otsu,
            None => Foreground::NonZero,
        }
    }

    /// The formats of the skeleton and of its graph, as far as they are written.
    fn formats(&self) -> Result<(Option<ImageFile>, Option<SkeletonFormat>)> {
        let known = || endings::<ImageFile>().collect::<Vec<_>>();
        let of_image = |path: &PathBuf| {
            format_of(self.output, Some(path))?.ok_or_else(|| unknown_ending(path, &known()))
        };
        let of_graph = |path: &PathBuf| format_named("--graph", path);
        Ok((
            self.output_file.as_ref().map(of_image).transpose()?,
            self.graph.as_ref().map(of_graph).transpose()?,
        ))
    }

    /// The distance of voxels along each axis, and its unit if that is known.
    fn spacing(&self, shape: Shape, geometry: Option<&Geometry>) -> (Vec<f64>, Option<&'static str>) {
        let axes = shape.axes().len();
        let of_file = || geometry.and_then(|geometry| geometry.spacing(axes));
        match &self.spacing {
            Some(spacing) => (spacing.to_vec(), None),
            None => of_file().unwrap_or_else(|| (vec![1.0; axes], None)),
        }
    }

    fn request(&self) -> Request {
        Request { rule: self.rule, iterations: self.iterations }
    }
}

/// Describes a graph in a line, and adds its counts to the statistics.
fn tell_graph(graph: &SkeletonGraph, cuts: usize, unit: Option<&str>, record: &mut Record) -> String {
    let length: f64 = graph.branches.iter().map(|branch| branch.length).sum();
    let (nodes, branches, cycles) = (graph.nodes.len(), graph.branches.len(), graph.cycles());
    record.set("nodes", nodes).set("branches", branches).set("cycles", cycles).set("length", length);
    let cut = if cuts > 0 {
        format!("; {} cut, as SWC holds only trees", counted(cuts, "cycle"))
    } else {
        String::new()
    };
    let (nodes, branches, cycles) =
        (counted(nodes, "node"), counted(branches, "branch"), counted(cycles, "cycle"));
    let (length, unit) = (General(length), unit.map(|unit| format!(" {unit}")).unwrap_or_default());
    format!("graph of {nodes}, {branches} and {cycles}, length {length}{unit}{cut}")
}

/// Prints the comparison of the topology, and the first components that changed, before and after.
fn tell_verdict(verdict: &Verdict, image: &BitImage) {
    let planar = image.shape().extents()[0] == 1;
    let topology = |of: &Topology| format!("{}, Euler characteristic {}", counts(of.betti, planar), of.euler);
    if verdict.is_same() {
        tell(format_args!("same topology: {}", topology(&verdict.before)));
        return;
    }
    tell(format_args!("topology before: {}", topology(&verdict.before)));
    tell(format_args!("topology after: {}", topology(&verdict.after)));
    for Changed { place, voxels, before, after } in verdict.changed.iter().take(TOLD) {
        let at = image.shape().coordinates(*place);
        let (before, after) = (counts(*before, planar), counts(*after, planar));
        tell(format_args!(
            "component of {} at {at:?}: before {before}; after {after}",
            counted(*voxels, "voxel")
        ));
    }
    let untold = verdict.changed.len().saturating_sub(TOLD);
    if untold > 0 {
        tell(format_args!("and {}", counted(untold, "more component")));
    }
}

fn counts(betti: [usize; 3], planar: bool) -> String {
    let [components, loops, cavities] = betti;
    if planar {
        return format!("{}, {}", counted(components, "component"), counted(loops, "hole"));
    }
    let (components, loops) = (counted(components, "component"), counted(loops, "tunnel"));
    format!("{components}, {loops}, {}", counted(cavities, "cavity"))
}
