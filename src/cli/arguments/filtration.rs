//! How an image is made a filtered complex: the options of all commands that filter one.

use lacuna::cubical::Construction;

use crate::cli::parse;

/// How an image is made a filtered complex.
#[derive(Debug, clap::Args)]
pub(crate) struct FiltrationArguments {
    /// What voxels are
    ///
    /// t  top cells, which touch at corners as well; lower cells take the least value around them
    /// v  vertices, which are joined along the axes; higher cells take the greatest value
    #[arg(long, value_name = "WHICH", help_heading = "Filtration", default_value = "t",
        value_parser = parse::one_of::<Construction>(), hide_possible_values = true, verbatim_doc_comment)]
    pub(crate) construction: Construction,

    /// From the greatest value down: bars are born above where they die
    #[arg(long, help_heading = "Filtration")]
    pub(crate) superlevel: bool,
}
