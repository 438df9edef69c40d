//! Pictures and pages of a run: those of its only input, or, of a batch, one for each input in a directory, or one
//! picture of all.

use std::path::{Path, PathBuf};

use lacuna::plot::{PlotFormat, PlotKind, Series};

use super::arguments::picture::PictureFileArguments;
use super::batch::{Task, Tasks};
use super::directory::make;
use super::error::{CliError, Result, usage};
use super::naming;
use super::outputs::{Files, Outputs, Picture};
use super::sink::Sink;

/// The pictures and pages of a run.
pub(crate) struct Pictures<'a> {
    is_batch: bool,
    /// The picture of each input; of a batch, its path is the directory of those pictures.
    each: Option<Picture>,
    /// The picture of all inputs together, and its file.
    all: Option<(Picture, Sink)>,
    /// The page, or the directory of the pages.
    page: Option<&'a Path>,
}

impl<'a> Pictures<'a> {
    /// Opens what `--plot` and `--report` ask for. In a batch, a name without an extension is a directory, which is
    /// created if needed.
    pub(crate) fn open(
        arguments: &'a PictureFileArguments,
        kind: PlotKind,
        tasks: &Tasks,
        stats: Option<&Path>,
    ) -> Result<Self> {
        let is_batch = tasks.is_batch;
        let page = arguments.report.as_deref();
        let mut pictures = Pictures { is_batch, each: None, all: None, page };
        if let Some(path) = arguments.plot.clone() {
            if is_batch && is_directory(&path)? {
                pictures.each = Some(Picture { path, format: PlotFormat::Svg, kind });
            } else {
                let picture = Picture { format: naming::format_named("a picture", &path)?, path, kind };
                if is_batch {
                    let files = Files { picture: Some(picture), stats_of_run: stats, ..Files::default() };
                    pictures.all = Outputs::open(files, &tasks.inputs)?.picture;
                } else {
                    pictures.each = Some(picture);
                }
            }
        }
        match page {
            Some(path) if is_batch && !is_directory(path)? => Err(usage(format_args!(
                "--report {}: expected a directory for the reports of several inputs, found the name of a file",
                path.display()
            ))),
            Some(path) if !is_batch && !is_page(path) => {
                let found = path.display();
                Err(usage(format_args!("--report: expected a file named *.html, found {found}")))
            }
            _ => Ok(pictures),
        }
    }

    /// Whether all inputs are drawn into one picture.
    pub(crate) fn are_together(&self) -> bool {
        self.all.is_some()
    }

    /// The picture and the page of an input, if requested.
    pub(crate) fn of(&self, task: &Task) -> (Option<Picture>, Option<PathBuf>) {
        let place = |path: &Path, extension: &str| {
            if !self.is_batch {
                return path.to_path_buf();
            }
            let mut name = task.name.clone();
            name.push(extension);
            path.join(name)
        };
        let picture = |picture: &Picture| Picture { path: place(&picture.path, ".svg"), ..picture.clone() };
        (self.each.as_ref().map(picture), self.page.map(|path| place(path, ".html")))
    }

    /// Draws the picture of all inputs, if there is one, and commits its file.
    pub(crate) fn finish(self, series: &[Series]) -> Result<()> {
        let Some((picture, mut sink)) = self.all else { return Ok(()) };
        if series.is_empty() {
            return Ok(());
        }
        picture.put(&mut sink, series)?;
        sink.commit()
    }
}

fn is_page(path: &Path) -> bool {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    matches!(extension.as_deref(), Some("html" | "htm"))
}

/// Whether a path is a directory. A path that does not exist and has no extension is created as one.
fn is_directory(path: &Path) -> Result<bool> {
    if path.is_dir() {
        return Ok(true);
    }
    if path.extension().is_some() {
        return Ok(false);
    }
    make(path).map_err(|source| CliError::unwritable(path, &source))?;
    Ok(true)
}
