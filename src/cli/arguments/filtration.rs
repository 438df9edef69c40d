//! How an image is made a filtered complex: the options of all commands that filter one.

use lacuna::cubical::persistence::PersistenceRequest;
use lacuna::cubical::{Construction, Periodic};

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

    /// Let axes close up, so that the last voxel is next to the first: x, y, z, w
    ///
    /// x is the first axis of the image, in PNG and TIFF the row, and w the fourth. Where all axes close up, the image
    /// is a torus, and has a class of its own dimension.
    #[arg(long, value_name = "AXIS,...", help_heading = "Filtration", value_delimiter = ',',
        value_parser = parse::one_of::<AxisName>(), hide_possible_values = true)]
    pub(crate) periodic: Vec<AxisName>,
}

/// An axis of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum AxisName {
    X,
    Y,
    Z,
    W,
}

impl FiltrationArguments {
    /// The construction, T by default.
    pub(crate) fn construction(&self) -> Construction {
        self.construction.unwrap_or_default()
    }

    /// The axes that close up.
    pub(crate) fn periodic(&self) -> Periodic {
        let axes = Periodic::along(self.periodic.iter().map(|&axis| axis as usize));
        axes.expect("an array may have four axes")
    }

    /// The filtration, of which all dimensions are requested.
    pub(crate) fn request(&self) -> PersistenceRequest {
        let (construction, superlevel, periodic) = (self.construction(), self.superlevel, self.periodic());
        PersistenceRequest { construction, superlevel, periodic, max_dim: None }
    }
}
