//! Pictures and pages of a batch: one for each input, in a directory, or one picture of all.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use lacuna::plot::{PlotFormat, PlotKind, Series};

use super::arguments::limits::CheckpointArguments;
use super::arguments::picture::{Picture, PictureFileArguments};
use super::batch::{Task, Tasks};
use super::error::{CliError, usage};
use super::naming::OutputFormat;
use super::outputs::differ;
use super::sink::{Content, Sink};

/// The pictures and pages of a batch.
pub(crate) struct BatchPictures<'a> {
    /// The picture drawn for each input, and the directory of those pictures.
    each: Option<(Picture<'a>, &'a Path)>,
    /// The picture of all inputs together, and its file.
    all: Option<(Picture<'a>, Sink)>,
    /// The directory of the pages.
    pages: Option<&'a Path>,
}

/// The open files of the picture and the page of an input.
#[derive(Default)]
pub(crate) struct BatchSinks {
    pub(crate) picture: Option<Sink>,
    pub(crate) page: Option<Sink>,
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
                pictures.each = Some((Picture { path, format: PlotFormat::Svg, kind }, path));
            }
            Some(path) => {
                let picture = arguments.picture(kind)?;
                tasks.inputs.spare(Some(path))?;
                let opened = picture.map(|picture| -> Result<_, CliError> {
                    let sink = Sink::open(Some(path), picture.format.content())?;
                    differ(&sink, stats, "the picture and the statistics")?;
                    Ok((picture, sink))
                });
                pictures.all = opened.transpose()?;
            }
            None => {}
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
        self.each.map(|(picture, _)| picture)
    }

    /// Whether all inputs are drawn into one picture.
    pub(crate) fn are_together(&self) -> bool {
        self.all.is_some()
    }

    /// Opens the picture and the page of an input. They may be neither inputs nor other outputs.
    pub(crate) fn sinks(
        &self,
        tasks: &Tasks,
        task: &Task,
        answer: &Sink,
        stats: Option<&Sink>,
    ) -> Result<BatchSinks, CliError> {
        let open = |directory: &Path, extension: &str, content, what: [&'static str; 2]| {
            let path = beside(directory, &task.name, extension);
            tasks.inputs.spare(Some(&path))?;
            let sink = Sink::open(Some(&path), content)?;
            differ(&sink, Some(answer), what[0])?;
            differ(&sink, stats, what[1])?;
            Ok::<_, CliError>(sink)
        };
        let picture = self.each.map(|(picture, directory)| {
            let what = ["the picture and the answer", "the picture and the statistics"];
            open(directory, "svg", picture.format.content(), what)
        });
        let page = self.pages.map(|directory| {
            let what = ["the report and the answer", "the report and the statistics"];
            open(directory, "html", Content::Text, what)
        });
        Ok(BatchSinks { picture: picture.transpose()?, page: page.transpose()? })
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

impl BatchSinks {
    /// Commits the files.
    pub(crate) fn commit(self) -> Result<(), CliError> {
        self.picture.map_or(Ok(()), Sink::commit)?;
        self.page.map_or(Ok(()), Sink::commit)
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
