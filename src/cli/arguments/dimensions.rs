//! Up to which dimension a complex is taken, said of its homology or, as DIPHA does, of its cells.

use crate::cli::parse;

/// The greatest dimension of the homology, or of the cells.
#[derive(Debug, clap::Args)]
pub(crate) struct DimensionArguments {
    /// Highest homology dimension
    #[arg(long, value_name = "K", value_parser = parse::count, allow_hyphen_values = true)]
    max_dim: Option<usize>,

    /// Highest cell dimension, as in DIPHA; one more than --max-dim
    #[arg(hide_short_help = true, long, value_name = "U", conflicts_with = "max_dim",
        value_parser = parse::count, allow_hyphen_values = true)]
    upper_dim: Option<usize>,
}

impl DimensionArguments {
    /// The greatest dimension of the cells: homology of a dimension takes the cells one above it.
    pub(crate) fn of_cells(&self) -> Option<usize> {
        self.upper_dim.or(self.max_dim.map(|dim| dim.saturating_add(1)))
    }
}
