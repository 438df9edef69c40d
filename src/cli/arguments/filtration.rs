//! How an image is made a filtered complex: the options of all commands that filter one.

use lacuna::cubical::Construction;

use crate::cli::parse;

/// How an image is made a filtered complex.
#[derive(Debug, clap::Args)]
pub(crate) struct FiltrationArguments {
    /// What voxels are [default: t]
    ///
    /// t  top cells, which touch at corners as well; lower cells take the least value around them
    /// v  vertices, which are joined along the axes; higher cells take the greatest value
    #[arg(long, value_name = "WHICH", help_heading = "Filtration",
        value_parser = parse::one_of::<Construction>(), hide_possible_values = true, verbatim_doc_comment)]
    pub(crate) construction: Option<Construction>,

    /// From the greatest value down: bars are born above where they die
    #[arg(long, help_heading = "Filtration")]
    pub(crate) superlevel: bool,
}

impl FiltrationArguments {
    /// What voxels are.
    pub(crate) fn construction(&self) -> Construction {
        self.construction.unwrap_or_default()
    }
}
