//! Pictures and pages of a batch: one for each input, in a directory, or one picture of all.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use lacuna::plot::{PlotFormat, PlotKind, Series};

use super::arguments::limits::CheckpointArguments;
use super::arguments::picture::{Picture, PictureFileArguments};
use super::batch::{Task, Tasks};
use super::error::{CliError, usage};
use super::outputs::{Files, Outputs};
use super::sink::{Content, Sink};

/// The pictures and pages of a batch.
pub(crate) struct BatchPictures<'a> {
    /// The picture drawn for each input; its path is the directory of those pictures.
    each: Option<Picture<'a>>,
    /// The picture of all inputs together, and its file.
    all: Option<(Picture<'a>, Sink)>,
    /// The directory of the pages.
    pages: Option<&'a Path>,
}

impl<'a> BatchPictures<'a> {
    /// Opens what `--plot` and `--report` ask for. A name without an extension is a directory, which is created if
    /// needed.
    pub(crate) fn open(
        arguments: &'a PictureFileArguments,
        kind: PlotKind,
        tasks: &Tasks,
        stats: Option<&Sink>,
    ) -> Result<Self, CliError> {
        let mut pictures = BatchPictures { each: None, all: None, pages: None };
        match arguments.plot() {
            Some(path) if is_directory(path)? => {
                pictures.each = Some(Picture { path, format: PlotFormat::Svg, kind });
            }
            _ => {
                let picture = arguments.picture(kind)?;
                let files = Files { picture, stats_of_batch: stats, ..Files::default() };
                pictures.all = picture.zip(Outputs::open(&files, &tasks.inputs)?.picture);
            }
        }
        match arguments.page() {
            Some(path) if is_directory(path)? => pictures.pages = Some(path),
            Some(path) => {
                return Err(usage(format_args!(
                    "--report {}: expected a directory for the reports of several inputs, found the name of a file",
                    path.display()
                )));
            }
            None => {}
        }
        Ok(pictures)
    }

    /// Rejects one picture of all inputs together with a checkpoint: the picture would lack the inputs answered
    /// earlier.
    pub(crate) fn check_kept(&self, checkpoint: &CheckpointArguments) -> Result<(), CliError> {
        if checkpoint.is_asked_for() && self.are_together() {
            return Err(usage(
                "--checkpoint: expected a directory for --plot, with one picture per input, found a file for one \
                 picture of all",
            ));
        }
        Ok(())
    }

    /// The picture drawn for each input, if any.
    pub(crate) fn of_each(&self) -> Option<Picture<'a>> {
        self.each
    }

    /// Whether all inputs are drawn into one picture.
    pub(crate) fn are_together(&self) -> bool {
        self.all.is_some()
    }

    /// Opens the outputs of an input. They may be neither inputs nor other outputs.
    pub(crate) fn outputs(
        &self,
        tasks: &Tasks,
        task: &Task,
        content: Content,
        stats: Option<&Sink>,
    ) -> Result<Outputs, CliError> {
        let picture = self.each.map(|picture| beside(picture.path, &task.name, "svg"));
        let report = self.pages.map(|directory| beside(directory, &task.name, "html"));
        let files = Files {
            answer: task.output.as_deref(),
            content,
            stats_of_batch: stats,
            picture: self.each.zip(picture.as_deref()).map(|(picture, path)| Picture { path, ..picture }),
            report: report.as_deref(),
            ..Files::default()
        };
        Outputs::open(&files, &tasks.inputs)
    }

    /// Draws the picture of all inputs, if there is one, and commits its file.
    pub(crate) fn finish(self, series: &[Series]) -> Result<(), CliError> {
        let Some((picture, mut sink)) = self.all else { return Ok(()) };
        if series.is_empty() {
            return Ok(());
        }
        picture.put_all(&mut sink, series)?;
        sink.commit()
    }
}

/// Path in `directory` of the file named after an input.
fn beside(directory: &Path, name: &OsStr, extension: &str) -> PathBuf {
    let mut name = name.to_owned();
    name.push(".");
    name.push(extension);
    directory.join(name)
}

/// Whether a path is a directory. A path that does not exist and has no extension is created as one.
fn is_directory(path: &Path) -> Result<bool, CliError> {
    if path.is_dir() {
        return Ok(true);
    }
    if path.extension().is_some() {
        return Ok(false);
    }
    fs::create_dir(path).map_err(|source| CliError::unwritable(path, &source))?;
    Ok(true)
}
