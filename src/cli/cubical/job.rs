//! One image of `lacuna cubical`: reading, computing, writing.

use std::time::Duration;

use lacuna::backend::Backend;
use lacuna::cubical::persistence::footprint;
use lacuna::cubical::persistence::representatives::Representatives;
use lacuna::cubical::persistence::{
    self, Class, Classes, MachineError, PersistenceRequest as Request, PersistenceStatistics, via_matrix,
};
use lacuna::cubical::read::{Detection, ImageOptions};
use lacuna::cubical::thinning::two_valued::thin_first;
use lacuna::cubical::thinning::{self, Rule};
use lacuna::cubical::{AnyImage, Cubical, CubicalError};
use lacuna::internals::name_of;
use lacuna::matrix::Reason;
use lacuna::memory::MemoryPlan;
use lacuna::output::geometry::{Geometry, GeometryFormat};
use lacuna::output::images::{Barcode, ImageBarsFormat};
use lacuna::plot::Series;
use lacuna::report::Report;
use lacuna::snapshot::{Checkpoint, Resumable};

use super::Arguments;
use super::record::{MatrixRecord, Record, ThinningRecord, Way};
use crate::cli::arguments::bars::Drawing;
use crate::cli::arguments::picture::{Picture, title_of};
use crate::cli::batch::Task;
use crate::cli::error::CliError;
use crate::cli::frame::Frame;
use crate::cli::image_file::{open_image, read_image};
use crate::cli::notes::tell;
use crate::cli::parse::OrAuto;
use crate::cli::planning;
use crate::cli::record::VERSION;
use crate::cli::timing::timed;

/// Settings shared by all images of a run.
pub(super) struct Job<'a> {
    pub(super) arguments: &'a Arguments,
    pub(super) options: ImageOptions,
    pub(super) backend: Backend,
    pub(super) format: ImageBarsFormat,
    /// The drawing of cycles, if requested; only for a single image.
    pub(super) drawing: Option<Drawing<'a>>,
    /// The picture of the bars, if requested for each image.
    pub(super) picture: Option<Picture<'a>>,
    /// Whether bars are kept to draw those of all images into one picture.
    pub(super) is_kept: bool,
    /// Whether the run has several images.
    pub(super) is_batch: bool,
    /// Where a run on a single image saves its state.
    pub(super) checkpoint: &'a dyn Checkpoint,
}

/// Name of a frame of an image in messages.
fn name_of_frame(task: &Task, number: usize) -> String {
    format!("{}[{number}]", name_of(&task.input))
}

/// The result of one image.
pub(super) struct Answered {
    pub(super) record: Record,
    /// Bars, where they are drawn together with those of other images.
    pub(super) series: Option<Series>,
}

impl Job<'_> {
    /// Reads the image of `task`, computes and writes. A format in `detected`, found for an earlier image of the batch,
    /// is not reported again.
    pub(super) fn run(
        &self,
        task: &Task,
        frame: Frame,
        detected: &mut Vec<Detection>,
    ) -> Result<Answered, CliError> {
        let mut memory = MemoryPlan::default();
        let name = task.number.map_or_else(|| name_of(&task.input), |number| name_of_frame(task, number));
        let options = ImageOptions { frame: task.number.or(self.options.frame), ..self.options.clone() };
        let (image, read) = timed(|| {
            let told = self.is_batch.then_some(detected);
            let stream = open_image(&task.input, &options, &frame, told)?;
            if self.arguments.via == Way::Gradient {
                // An image that is too large is refused before it is read.
                let checked = persistence::check(stream.shape());
                checked.map_err(|source| CliError::about(name.clone(), source))?;
            }
            memory = self.arguments.memory_plan(stream.shape(), stream.bytes());
            memory.check(0, footprint::HELPS).map_err(|source| CliError::about(name.clone(), source))?;
            read_image(stream, &frame.meter)
        });
        ImageRun { job: self, task, name, frame, memory, read }.run(image?)
    }
}

/// The run on an image that has been read.
struct ImageRun<'a> {
    job: &'a Job<'a>,
    task: &'a Task,
    /// Name of the image in messages.
    name: String,
    frame: Frame,
    memory: MemoryPlan,
    read: Duration,
}

impl ImageRun<'_> {
    fn run(mut self, image: AnyImage) -> Result<Answered, CliError> {
        let arguments = self.job.arguments;
        let request = arguments.request();
        let (image, thinning) = match arguments.thin {
            Some(OrAuto(rule)) => self.thinned(&image, rule)?,
            None => (image, None),
        };
        let (found, took) = timed(|| self.solve(&image, request));
        let Found { classes, reasons, statistics, matrix, cycles } = found?;
        let persistence = took - cycles.as_ref().map_or(Duration::ZERO, |(_, took)| *took);
        let threshold = arguments.threshold();
        if arguments.report.explain {
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
        let format = self.job.format;
        format.check(&barcode).map_err(|source| CliError::about(format!("--output {format}"), source))?;
        // Whatever can be refused is refused before anything is written.
        let drawn = self.drawn(representatives, &image)?;
        let mut write = self.frame.write(|_, out| format.write(&barcode, out))?;
        write += self.frame.plot(self.job.picture, || Series::of_image(self.name.clone(), &barcode))?;
        if let Some((format, geometry)) = drawn {
            write += self.frame.draw(|out| format.write(&geometry, out))?;
            if geometry.cycles().is_empty() {
                let name = self.name.clone();
                self.frame
                    .notes
                    .note(format!("{name}: no cycle to draw: none of the bars is of dimension 1 or 2"));
            }
        }
        let seconds = [("read", self.read), ("persistence", persistence), ("write", write)];
        self.frame.report(|| {
            let name = self.name.clone();
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
            file: self
                .task
                .number
                .map_or_else(|| self.task.input.display().to_string(), |_| self.name.clone()),
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
            figures: statistics,
            matrix,
            thinning,
            cycles: cycles.as_ref().map(|(cycles, _)| cycles.len()),
            cycles_seconds: cycles.as_ref().map(|(_, took)| took.as_secs_f64()),
            read_seconds: self.read.as_secs_f64(),
            persistence_seconds: persistence.as_secs_f64(),
            write_seconds: write.as_secs_f64(),
            total_seconds: self.frame.seconds(),
        };
        let series = self.job.is_kept.then(|| Series::of_image(self.name.clone(), &barcode));
        let verbose = self.frame.notes.verbose;
        self.frame.finish(&record)?;
        if verbose {
            record.tell(image.shape());
        }
        if !self.job.is_batch {
            // The program is about to end, and freeing this memory would only delay it.
            std::mem::forget((image, classes));
        }
        Ok(Answered { record, series })
    }

    fn thinned(
        &self,
        image: &AnyImage,
        rule: Option<Rule>,
    ) -> Result<(AnyImage, Option<ThinningRecord>), CliError> {
        self.frame.meter.stage("thinning");
        let request = thinning::ThinningRequest { rule, iterations: None };
        let watch = &mut |pass: thinning::Pass| self.frame.meter.at(format!("iteration {}", pass.iteration));
        let superlevel = self.job.arguments.filtration.superlevel;
        let (thinned, took) = timed(|| thin_first(image, superlevel, &request, &self.job.backend, watch));
        let failed = |source| CliError::about(format!("--thin: {}", self.name.clone()), source);
        let (thinned, figures, decision) = thinned.map_err(failed)?;
        if let Some(decision) = decision.filter(|_| self.job.arguments.report.explain) {
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

    fn solve(&self, image: &AnyImage, request: Request) -> Result<Found, CliError> {
        let arguments = self.job.arguments;
        let reason = |what, choice: &str, why: &str| Reason { what, choice: choice.into(), why: why.into() };
        let (threshold, backend) = (arguments.threshold(), &self.job.backend);
        match arguments.via {
            Way::Gradient => {
                let progress = Resumable { progress: &self.frame.meter, checkpoint: self.job.checkpoint };
                let representatives = arguments.representatives.selection();
                let cubical = Cubical::new(image, request);
                let cubical = Cubical { threshold, representatives, backend: backend.clone(), ..cubical };
                let outcome = cubical.solve(&progress).map_err(|error| match error {
                    CubicalError::Persistence(MachineError::Stage(source)) => {
                        CliError::about(self.name.clone(), source)
                    }
                    error => error.into(),
                })?;
                let reasons = vec![
                    reason("via", "gradient", "which lists no cells but critical ones"),
                    reason("backend", outcome.decision.machine(), &outcome.decision.why),
                    reason("threads", &rayon::current_num_threads().to_string(), self.why_threads()),
                ];
                Ok(Found {
                    classes: outcome.classes,
                    reasons,
                    statistics: Some(outcome.statistics),
                    matrix: None,
                    cycles: outcome.representatives.map(|cycles| (cycles, outcome.cycles_took)),
                })
            }
            Way::Matrix => {
                let solution = via_matrix::persistence(image, &request, backend, &self.frame.meter)?;
                let mut reasons = vec![reason("via", "matrix", "as asked")];
                reasons.extend(solution.reasons);
                let matrix = MatrixRecord {
                    cells: solution.cells,
                    entries: solution.entries,
                    index_bits: solution.index_bits,
                    building_seconds: solution.building.as_secs_f64(),
                    figures: solution.figures,
                };
                let classes = match threshold {
                    Some(threshold) => solution.classes.cut(image, &request, threshold),
                    None => solution.classes,
                };
                Ok(Found { classes, reasons, statistics: None, matrix: Some(matrix), cycles: None })
            }
        }
    }

    /// The drawn cycles and the format of their file, if requested.
    fn drawn(
        &self,
        cycles: Option<&Representatives>,
        image: &AnyImage,
    ) -> Result<Option<(GeometryFormat, Geometry)>, CliError> {
        let (Some(drawing), Some(cycles)) = (self.job.drawing, cycles) else { return Ok(None) };
        let geometry = Geometry::of_image(cycles, image, self.job.arguments.filtration.superlevel);
        let geometry = geometry.map_err(|source| CliError::about("--geometry", source))?;
        Ok(Some((drawing.format, geometry)))
    }

    fn why_threads(&self) -> &'static str {
        if self.job.arguments.machine.threads.are_asked_for() { "as asked" } else { "one a core" }
    }
}

/// The classes, the reasons for how they were found, and counters.
struct Found {
    classes: Classes,
    reasons: Vec<Reason>,
    statistics: Option<PersistenceStatistics>,
    matrix: Option<MatrixRecord>,
    /// The cycles, if requested, and the time that they took.
    cycles: Option<(Representatives, Duration)>,
}

/// Backend that scans, as in the reasons.
fn backend_of(reasons: &[Reason]) -> String {
    let backend = reasons.iter().find(|reason| reason.what == "backend");
    backend.map_or("cpu", |reason| reason.choice.as_str()).to_owned()
}
