//! The input of `lacuna reduce`: how a boundary matrix is read.

use lacuna::matrix::read::{MatrixFormat, MatrixReadOptions};
use lacuna::snapshot::Fingerprint;

use super::dimensions::DimensionArguments;
use crate::cli::parse;

const MAX_DIM: &str = "Highest homology dimension, of a DIPHA image or distance matrix";
const WITHOUT_MAX_DIM: &str =
    "Distance matrices need it: all their cells are 2^points. Images are taken whole without it.";

/// How a boundary matrix is read, and whether it is checked.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Input")]
#[command(mut_arg("max_dim", |arg| arg.help(MAX_DIM).long_help(format!("{MAX_DIM}\n\n{WITHOUT_MAX_DIM}"))))]
pub(crate) struct MatrixArguments {
    /// MatrixFormat of the input [default: detected from its content and name]
    ///
    /// phat-ascii     text, a cell a line: its dimension, then the cells of its boundary
    /// phat-binary    64-bit integers: the number of cells, then of each its dimension,
    ///                the size of its boundary and the cells of its boundary
    /// dipha          DIPHA's weighted boundary matrix, image or distance matrix
    /// npz            SciPy's sparse matrix, as scipy.sparse.save_npz writes it
    /// matrix-market  Matrix Market's text
    ///
    /// Of the last two, rows and columns are the cells in filtration order, and entries are
    /// 0, 1 or -1. A column of zeros is a vertex; any other cell is one dimension above the
    /// rows of its column. An array "dims" in the archive gives the dimensions instead.
    ///
    /// Any of them may be compressed with gzip.
    #[arg(long, value_name = "FORMAT", verbatim_doc_comment, allow_hyphen_values = true)]
    format: Option<MatrixFormat>,

    #[command(flatten)]
    dimension: DimensionArguments,

    /// Check that boundaries have no boundary [default: on if the file gives boundaries]
    ///
    /// Pairs of a matrix that fails mean nothing, and differ between algorithms. --check=off spares the check, for files
    /// that are known to be right, and reduces others all the same. Of images and distances, whose boundaries are made
    /// here, it is off unless asked for.
    #[arg(long, value_name = "WHETHER", num_args = 0..=1, require_equals = true,
        default_missing_value = "on", value_parser = parse::on_or_off())]
    pub(crate) check: Option<bool>,
}

impl MatrixArguments {
    /// Adds to what a run is known by how its input is read.
    pub(crate) fn known_by(&self, run: Fingerprint) -> Fingerprint {
        let run = run.with_some("--format", self.format.map(|format| format!("{format:?}").to_lowercase()));
        run.with_some("dimension of cells (--max-dim, --upper-dim)", self.dimension.of_cells())
    }

    /// How to read.
    pub(crate) fn options(&self) -> MatrixReadOptions {
        MatrixReadOptions { format: self.format, upper_dim: self.dimension.of_cells() }
    }
}
