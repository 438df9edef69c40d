//! The picture and the page of a result.

use std::path::PathBuf;

use lacuna::plot::PlotKind;

use crate::cli::parse;

/// The files of a picture and of a page.
#[derive(Debug, clap::Args)]
pub(crate) struct PictureFileArguments {
    /// Also draw the result to FILE (.svg, .png or .pdf)
    ///
    /// For several inputs, FILE is one picture of all of them, or a directory for one picture each.
    #[arg(long, value_name = "FILE", help_heading = "Output", value_parser = parse::file())]
    pub(crate) plot: Option<PathBuf>,

    /// Also write a report of the run to FILE (.html)
    ///
    /// The report shows the input, the plan, times, linked pictures and a table, and needs no network. For
    /// several inputs, FILE is a directory.
    #[arg(long, value_name = "FILE", help_heading = "Output", value_parser = parse::file())]
    pub(crate) report: Option<PathBuf>,
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
