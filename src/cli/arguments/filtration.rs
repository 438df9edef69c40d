//! How an image is made a filtered complex: the options of all commands that filter one.

use lacuna::cubical::Construction;

use crate::cli::parse;

/// How an image is made a filtered complex.
#[derive(Debug, clap::Args)]
pub(crate) struct FiltrationArguments {
    /// Voxels are top-dimensional cells (t) or vertices (v) [default: t]
    ///
    /// t  top-dimensional cells, connected across corners; a lower cell has the least value of
    ///    the voxels around it
    /// v  vertices, connected along the axes; a higher cell has the greatest value of its voxels
    #[arg(long, value_name = "WHICH", help_heading = "Filtration",
        value_parser = parse::one_of::<Construction>(), hide_possible_values = true, verbatim_doc_comment)]
    pub(crate) construction: Option<Construction>,

    /// Use superlevel sets, from the greatest value down
    ///
    /// Births are then greater than deaths.
    #[arg(long, help_heading = "Filtration")]
    pub(crate) superlevel: bool,
}

impl FiltrationArguments {
    /// What voxels are.
    pub(crate) fn construction(&self) -> Construction {
        self.construction.unwrap_or_default()
    }
}
