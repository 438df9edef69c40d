//! One image of `lacuna cubical`: reading, computing, writing.

use std::time::Duration;

use lacuna::backend::Backend;
use lacuna::cubical::persistence::representatives::Representatives;
use lacuna::cubical::persistence::via_matrix::MatrixCells;
use lacuna::cubical::persistence::{
    self, Class, Classes, Limits, MachineError, PersistenceRequest as Request, footprint, via_matrix,
};
use lacuna::cubical::read::ImageOptions;
use lacuna::cubical::thinning::two_valued::thin_first;
use lacuna::cubical::thinning::{self, Rule};
use lacuna::cubical::verify;
use lacuna::cubical::{AnyImage, Cubical, CubicalError, CubicalOutcome, Mask};
use lacuna::matrix::{self, Reason};
use lacuna::output::geometry::Geometry;
use lacuna::output::images::{Barcode, ImageBarsFormat};
use lacuna::plot::Series;
use lacuna::progress::Resumable;

use serde_json::json;

use super::{Arguments, Way};
use crate::cli::arguments::bars::Drawing;
use crate::cli::batch::Task;
use crate::cli::error::{CliError, Result};
use crate::cli::frame::Frame;
use crate::cli::image_file::{open_image, read_image};
use crate::cli::input_identity;
use crate::cli::notes::counted;
use crate::cli::parse::OrAuto;
use crate::cli::record::timed;
use crate::cli::reduce::job::plan_lines;
use crate::cli::run::Run;

/// Settings shared by all images of a run.
pub(super) struct Job<'a> {
    pub(super) arguments: &'a Arguments,
    pub(super) options: &'a ImageOptions,
    pub(super) backend: Backend,
    pub(super) mask: Option<Mask>,
    pub(super) format: ImageBarsFormat,
    /// The drawing of cycles, if requested; only for a single image.
    pub(super) drawing: Option<Drawing<'a>>,
}

/// The classes, the reasons for how they were found, and counters.
struct Found {
    classes: Classes,
    reasons: Vec<Reason>,
    /// Counters of the reduction, if there was one.
    matrix: Option<matrix::Figures>,
    /// The cycles, if requested.
    cycles: Option<Representatives>,
}

impl Job<'_> {
    /// Reads the image of `task`, computes and writes.
    ///
    /// The statistics are:
    ///
    /// | key | value |
    /// |---|---|
    /// | `version` | of the program |
    /// | `file`, `shape`, `voxels` | the image, voxels along its axes, their type |
    /// | `construction`, `superlevel`, `periodic`, `mask`, `threshold` | the filtration |
    /// | `via`, `backend`, `threads` | how, and what did the work |
    /// | `memory` | the plan of the memory |
    /// | `finite`, `essential` | bars of each dimension |
    /// | `figures` | of `--via gradient`: what was counted, and the stages: [`PersistenceStatistics`] |
    /// | `matrix` | of `--via matrix`: cells, entries, index width, seconds to build it, what its reduction counted |
    /// | `thinning` | of `--thin`: the rule, iterations, voxels before and after, seconds |
    /// | `verify_seconds` | of `--verify` |
    /// | `cycles`, `cycles_seconds` | of `--representatives`: how many there are, and classes to cycles |
    /// | `read_seconds` | file to image |
    /// | `persistence_seconds` | image to classes |
    /// | `write_seconds`, `total_seconds` | classes to output; the whole run, up to this file |
    ///
    /// [`PersistenceStatistics`]: lacuna::cubical::persistence::PersistenceStatistics
    pub(super) fn run(&self, run: &Run<'_>, task: &Task, frame: &mut Frame<'_>) -> Result<()> {
        let arguments = self.arguments;
        if arguments.run.checkpoint.is_asked_for() {
            input_identity::check_one_file(&task.input, self.options)?;
        }
        run.begin(&|| input_identity::of_bytes(&task.input))?;
        let name = frame.name.clone();
        let options = ImageOptions { frame: task.number.or(self.options.frame), ..self.options.clone() };
        let stream = open_image(&task.input, &options, frame)?;
        let periodic = arguments.request().periodic;
        let way = arguments.way(stream.shape())?;
        let has_four_axes = stream.shape().dim() > 3;
        if self.drawing.is_some() || way == Way::Gradient && !has_four_axes {
            // An image that is too large is refused before it is read.
            let what = if has_four_axes { "--geometry: " } else { "" };
            let checked = persistence::check(stream.shape(), periodic);
            checked.map_err(|source| CliError::about(format!("{what}{name}"), source))?;
        } else {
            periodic.check(stream.shape()).map_err(|source| CliError::about(&name, source))?;
        }
        let failed = |source| CliError::about(format!("--verify: {name}"), source);
        if arguments.verify {
            verify::check(stream.shape(), &arguments.request()).map_err(failed)?;
        }
        if let Some(mask) = &self.mask {
            mask.check(stream.shape()).map_err(|source| CliError::about(&name, source))?;
        }
        let held = if stream.stays_in_file() { 0 } else { stream.bytes() };
        let memory = arguments.memory_plan(stream.shape(), stream.voxel_type(), held);
        memory.check(0, footprint::HELPS).map_err(|source| CliError::about(&name, source))?;
        let image = read_image(stream, frame)?;
        let image = match arguments.thin {
            Some(OrAuto(rule)) => self.thinned(&image, rule, frame)?,
            None => image,
        };
        let (request, limits) = (arguments.request(), self.limits());
        let found = self.solve(&image, request, way, frame);
        if found.is_err() && arguments.run.report.explain {
            frame.tell(&memory);
        }
        let Found { classes, reasons, matrix, cycles } = found?;
        if arguments.verify {
            let (backend, meter) = (&self.backend, &frame.meter);
            let verify = || verify::verify(&image, &classes, &request, limits, backend, meter);
            let (verified, took) = timed(verify);
            verified.map_err(failed)?;
            frame.record.time("verify", took);
        }
        let plan = plan_lines(&reasons, matrix.as_ref());
        if arguments.run.report.explain {
            frame.tell(&plan);
            frame.tell(&memory);
        }
        let barcode = Barcode {
            image: &image,
            classes: &classes,
            request: &request,
            limits,
            representatives: cycles.as_ref().filter(|_| arguments.representatives.are_named()),
        };
        let format = self.format;
        format.check(&barcode).map_err(|source| CliError::about(format!("--output {format}"), source))?;
        // Whatever can be refused is refused before anything is written.
        let drawn = self.drawing.zip(cycles.as_ref()).map(|(drawing, cycles)| {
            let geometry = Geometry::of_image(cycles, &image, request.superlevel);
            Ok::<_, CliError>((drawing, geometry.map_err(|source| CliError::about("--geometry", source))?))
        });
        let drawn = drawn.transpose()?;
        frame.write(|_, out| format.write(&barcode, out))?;
        drawn.map_or(Ok(()), |(drawing, geometry)| frame.draw(drawing, &geometry))?;
        let (shape, voxels) = (image.shape(), image.voxel_type());
        let described = shape.described(voxels);
        let count = |is_counted: fn(bool) -> bool| -> Vec<usize> {
            let of = |of_dim: &Vec<Class>| of_dim.iter().filter(|c| is_counted(c.death.is_none())).count();
            classes.dimensions.iter().map(of).collect()
        };
        let [finite, essential] = [count(|is_essential| !is_essential), count(|is_essential| is_essential)];
        if frame.notes.verbose {
            frame.tell(format_args!("{name}: {described}"));
            for (dim, (finite, essential)) in finite.iter().zip(&essential).enumerate() {
                frame.tell(format_args!(
                    "dimension {dim}: {}, {essential} essential",
                    counted(*finite, "bar")
                ));
            }
        }
        let backend = reasons.iter().find(|reason| reason.what == "backend");
        let backend = backend.map_or("cpu", |reason| reason.choice.as_str());
        let Request { construction, superlevel, periodic, .. } = request;
        let record = &mut frame.record;
        record.set("shape", shape.axes()).set("voxels", voxels);
        record.set("construction", construction.to_string()).set("superlevel", superlevel);
        record.set("periodic", periodic.axes().collect::<Vec<_>>()).set("mask", &arguments.mask);
        record.set("threshold", limits.threshold).set("via", way).set("backend", backend);
        record.set("threads", rayon::current_num_threads()).set("memory", &memory);
        record.set("finite", finite).set("essential", essential);
        frame.show(
            |name| Ok(Series::of_image(name, &barcode)),
            |page| {
                let sets = if superlevel { "superlevel" } else { "sublevel" };
                page.fact("image", &described);
                page.fact("filtration", format_args!("{sets} sets, {construction}-construction"));
                if !periodic.is_none() {
                    page.fact("axes", periodic);
                }
                if let Some(mask) = &arguments.mask {
                    page.fact("mask", mask.display());
                }
                page.plan(plan);
            },
        )?;
        if frame.batch.is_none() {
            // The program is about to end, and freeing this memory would only delay it.
            std::mem::forget((image, classes));
        }
        Ok(())
    }

    /// Where the filtration ends.
    fn limits(&self) -> Limits<'_> {
        Limits { threshold: self.arguments.threshold(), mask: self.mask.as_ref() }
    }

    fn thinned(&self, image: &AnyImage, rule: Option<Rule>, frame: &mut Frame<'_>) -> Result<AnyImage> {
        frame.meter.stage("thinning");
        let request = thinning::ThinningRequest { rule, iterations: None };
        let watch = &mut |pass: thinning::Pass| frame.meter.at(format!("iteration {}", pass.iteration));
        let superlevel = self.arguments.filtration.superlevel;
        let (thinned, took) = timed(|| thin_first(image, superlevel, &request, &self.backend, watch));
        let failed = |source| CliError::about(format!("--thin: {}", frame.name), source);
        let (thinned, figures, decision) = thinned.map_err(failed)?;
        if let Some(decision) = decision.filter(|_| self.arguments.run.report.explain) {
            frame.tell(format_args!("{:<13} {decision}", "thinning"));
        }
        let (rule, seconds) = (request.rule_for(image.shape()), took.as_secs_f64());
        let thinning::ThinningStatistics { before, after, iterations, .. } = figures;
        let words = format!(
            ", {}, {after} left by {rule} after {}",
            counted(before, "voxel"),
            counted(iterations, "iteration")
        );
        frame.record.stage("thin", seconds, words);
        let voxels = [before, after];
        let thinning = json!({"rule": rule, "iterations": iterations, "voxels": voxels, "seconds": seconds});
        frame.record.set("thinning", thinning);
        Ok(thinned)
    }

    fn solve(&self, image: &AnyImage, request: Request, way: Way, frame: &mut Frame<'_>) -> Result<Found> {
        let reason = |what, choice: &str, why: &str| Reason { what, choice: choice.into(), why: why.into() };
        let (backend, limits) = (&self.backend, self.limits());
        let representatives = self.arguments.representatives.selection();
        let progress = Resumable { progress: &frame.meter, checkpoint: frame.checkpoint };
        match way {
            Way::Gradient => {
                let backend = backend.clone();
                let cubical = Cubical { limits, representatives, backend, ..Cubical::new(image, request) };
                let (found, took) = timed(|| cubical.solve(&progress));
                let outcome = found.map_err(|error| match error {
                    CubicalError::Persistence(MachineError::Stage(source)) => {
                        CliError::about(&frame.name, source)
                    }
                    error => error.into(),
                })?;
                let CubicalOutcome { classes, statistics, decision, representatives, cycles_took, .. } =
                    outcome;
                frame.record.time("persistence", took - cycles_took);
                frame.record.parts(&statistics.stages);
                frame.record.set("figures", statistics);
                record_cycles(representatives.as_ref(), cycles_took, frame);
                let is_told = self.arguments.run.machine.threads.are_asked_for();
                let why_threads = if is_told { "as asked" } else { "one a core" };
                let reasons = vec![
                    reason("via", "gradient", "which lists no cells but critical ones"),
                    reason("backend", decision.machine(), &decision.why),
                    reason("threads", &rayon::current_num_threads().to_string(), why_threads),
                ];
                Ok(Found { classes, reasons, matrix: None, cycles: representatives })
            }
            Way::Matrix => {
                let bars = representatives.as_ref();
                let cells = bars.map_or(MatrixCells::All, MatrixCells::AllForCycles);
                let solve = || via_matrix::persistence(image, &request, cells, limits, backend, &progress);
                let (solution, took) = timed(solve);
                let solution = solution?;
                frame.record.time("persistence", took - solution.cycles_took);
                let via_matrix::Solution { cells, entries, index_bits, figures, representatives, .. } =
                    solution;
                let building = solution.building.as_secs_f64();
                frame.record.parts(&[("build matrix".into(), building)]);
                frame.record.parts(&figures.stages);
                let matrix = json!({
                    "cells": cells,
                    "entries": entries,
                    "index_bits": index_bits,
                    "building_seconds": building,
                    "figures": figures,
                });
                frame.record.set("matrix", matrix);
                record_cycles(representatives.as_ref(), solution.cycles_took, frame);
                let why = match self.arguments.via {
                    Some(_) => "as asked",
                    None => "for cycles of an image of four axes or with periodic ones",
                };
                let reasons = [vec![reason("via", "matrix", why)], solution.reasons].concat();
                Ok(Found {
                    classes: solution.classes,
                    reasons,
                    matrix: Some(figures),
                    cycles: representatives,
                })
            }
        }
    }
}

/// Records the number of cycles, and the time that they took.
fn record_cycles(cycles: Option<&Representatives>, took: Duration, frame: &mut Frame<'_>) {
    let Some(cycles) = cycles else { return };
    frame.record.time("cycles", took);
    let count = cycles.len();
    frame.record.set("cycles", count).comment("cycles", format!(", {}", counted(count, "cycle")));
}
