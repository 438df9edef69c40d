//! The input of `lacuna reduce`: how a boundary matrix is read.

use lacuna::matrix::read::{MatrixFormat, MatrixReadOptions};

use super::dimensions::DimensionArguments;
use crate::cli::parse;

const MAX_DIM: &str = "Highest homology dimension of a DIPHA image or distance matrix";
const WITHOUT_MAX_DIM: &str = "It is required for distance matrices, whose number of cells is 2^points without it. For images the default is all dimensions.";

/// How a boundary matrix is read, and whether it is checked.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Input")]
#[command(mut_arg("max_dim", |arg| arg.help(MAX_DIM).long_help(format!("{MAX_DIM}\n\n{WITHOUT_MAX_DIM}"))))]
pub(crate) struct MatrixArguments {
    /// Input format [default: detected from content and name]
    ///
    /// phat-ascii     text, one cell per line: its dimension, then the cells of its boundary
    /// phat-binary    64-bit integers: the number of cells, then for each cell its dimension, the
    ///                size of its boundary and the cells of its boundary
    /// dipha          DIPHA's weighted boundary matrix, image or distance matrix
    /// npz            SciPy sparse matrix, as written by scipy.sparse.save_npz
    /// matrix-market  Matrix Market text
    ///
    /// In npz and matrix-market, rows and columns are the cells in filtration order, and entries
    /// are 0, 1 or -1. An empty column is a vertex; any other cell is one dimension above the
    /// rows of its column. An array "dims" in the archive gives the dimensions instead.
    ///
    /// Every format may be compressed with gzip.
    // Parsed as other formats of inputs are, not as clap parses choices: in any case of letters, with their message.
    #[arg(long, value_name = "FORMAT", verbatim_doc_comment, allow_hyphen_values = true,
        value_parser = str::parse::<MatrixFormat>)]
    format: Option<MatrixFormat>,

    #[command(flatten)]
    dimension: DimensionArguments,

    /// Check that the boundary of every boundary is zero [default: on for files of boundaries]
    ///
    /// Pairs of a matrix that fails are meaningless and differ between algorithms. --check=off skips the check,
    /// for files known to be correct, and reduces any matrix. For images and distances, whose boundaries are
    /// constructed here, the check is off by default.
    #[arg(hide_short_help = true, long, value_name = "on|off", num_args = 0..=1, require_equals = true,
        default_missing_value = "on", hide_possible_values = true, value_parser = parse::on_or_off())]
    pub(crate) check: Option<bool>,
}

impl MatrixArguments {
    /// How to read.
    pub(crate) fn options(&self) -> MatrixReadOptions {
        MatrixReadOptions { format: self.format, upper_dim: self.dimension.of_cells() }
    }
}
