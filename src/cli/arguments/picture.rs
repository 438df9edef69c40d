//! The picture of a result.

use std::path::{Path, PathBuf};

use lacuna::plot::{Plot, PlotFormat, PlotKind, Series};

use crate::cli::error::{CliError, usage};
use crate::cli::naming;
use crate::cli::parse;
use crate::cli::sink::Sink;

/// The file of a picture.
#[derive(Debug, clap::Args)]
pub(crate) struct PictureFileArguments {
    /// Also draw the result to FILE (.svg, .png or .pdf)
    ///
    /// For several inputs, FILE is one picture of all of them, or a directory for one picture each.
    #[arg(long, value_name = "FILE", help_heading = "Output", value_parser = parse::file())]
    plot: Option<PathBuf>,

    /// Also write a report of the run to FILE (.html)
    ///
    /// The report shows the input, the plan, times, linked pictures and a table, and needs no network. For
    /// several inputs, FILE is a directory.
    #[arg(long, value_name = "FILE", help_heading = "Output", value_parser = parse::file())]
    report: Option<PathBuf>,
}

/// The picture of bars.
#[derive(Debug, clap::Args)]
pub(crate) struct PictureArguments {
    #[command(flatten)]
    pub(crate) file: PictureFileArguments,

    /// Picture: diagram (default), barcode, betti, landscape, ecc
    #[arg(long, value_name = "KIND", help_heading = "Output", default_value = "diagram", requires = "plot",
        hide_default_value = true, hide_possible_values = true, value_parser = parse::one_of::<PlotKind>())]
    pub(crate) plot_kind: PlotKind,
}

/// A picture that is wanted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Picture<'a> {
    pub(crate) path: &'a Path,
    pub(crate) format: PlotFormat,
    pub(crate) kind: PlotKind,
}

impl PictureArguments {
    /// The picture, if one is wanted.
    pub(crate) fn picture(&self) -> Result<Option<Picture<'_>>, CliError> {
        self.file.picture(self.plot_kind)
    }

    /// The file of a page about the run, if one is wanted.
    pub(crate) fn report(&self) -> Result<Option<&Path>, CliError> {
        self.file.report()
    }
}

impl PictureFileArguments {
    /// What `--plot` names.
    pub(crate) fn plot(&self) -> Option<&Path> {
        self.plot.as_deref()
    }

    /// What `--report` names.
    pub(crate) fn page(&self) -> Option<&Path> {
        self.report.as_deref()
    }

    /// The file of a page about the run, if one is wanted.
    pub(crate) fn report(&self) -> Result<Option<&Path>, CliError> {
        let Some(path) = self.report.as_deref() else { return Ok(None) };
        let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
        match extension.as_deref() {
            Some("html" | "htm") => Ok(Some(path)),
            _ => {
                let found = path.display();
                Err(usage(format_args!("--report: expected a file named *.html, found {found}")))
            }
        }
    }

    /// The picture of a kind, if one is wanted.
    pub(crate) fn picture(&self, kind: PlotKind) -> Result<Option<Picture<'_>>, CliError> {
        let picture = |path| Ok(Picture { path, format: naming::picture_format(path)?, kind });
        self.plot.as_deref().map(picture).transpose()
    }
}

/// What the page about a run on an input is called: the last part of its path.
pub(crate) fn title_of(name: &str) -> String {
    Path::new(name).file_name().map_or_else(|| name.to_owned(), |last| last.to_string_lossy().into_owned())
}

impl Picture<'_> {
    /// Draws a result and writes it.
    pub(crate) fn put(&self, sink: &mut Sink, series: &Series) -> Result<(), CliError> {
        self.put_all(sink, std::slice::from_ref(series))
    }

    /// Draws several results over one another, and writes that.
    pub(crate) fn put_all(&self, sink: &mut Sink, series: &[Series]) -> Result<(), CliError> {
        let canvas = Plot::new(self.kind).draw(series);
        let canvas = canvas.map_err(|error| CliError::about("--plot", error))?;
        sink.fill(|out| self.format.write(&canvas, out))
    }
}
