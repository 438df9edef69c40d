//! Which cycles the bars are represented by: the options of representatives.

use lacuna::output::images::ImageBarsFormat;
use lacuna::rips::BarSelection;

use super::record::Way;
use crate::cli::error::UsageError;
use crate::cli::parse::{self, BarName};

/// What a bar of an image can be represented by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum ImageRepresentative {
    /// A cycle.
    Cycles,
}

/// The representatives that are wanted, and of which bars.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Representatives")]
pub(super) struct RepresentativesArguments {
    /// Say of each bar what its class is made of, in json and npz
    ///
    /// cycles  a loop, a shell, or two points that are joined when the bar dies: cells that are
    ///         there at birth, have no boundary together, and bound at death and not before
    ///
    /// A cell is told by twice the coordinates of its centre, where the centre of voxel (i, j) is
    /// (i, j): halved, it lies right on the image. With the cells come the voxels that they
    /// are of, for masks. All are the same on any number of threads.
    #[arg(long, value_name = "KIND,...", value_delimiter = ',', verbatim_doc_comment,
        value_parser = parse::one_of::<ImageRepresentative>(), hide_possible_values = true)]
    representatives: Vec<ImageRepresentative>,

    /// Of these bars alone: the dimension, and the place among the bars of that dimension, counted from 0
    #[arg(long, value_name = "DIM:INDEX,...", value_delimiter = ',', requires = "representatives",
        value_parser = parse::bar, allow_hyphen_values = true, conflicts_with_all = ["longest", "min_persistence"])]
    only: Vec<BarName>,

    /// Of the K bars of dimension 1 and above alone that last longest; of dimension 0 where there are no others
    #[arg(long, value_name = "K", requires = "representatives",
        value_parser = parse::at_least_one, allow_hyphen_values = true, conflicts_with = "min_persistence")]
    longest: Option<usize>,

    /// Of the bars alone whose birth and death differ by at least X, essential ones too
    #[arg(long, value_name = "X", requires = "representatives",
        value_parser = parse::threshold, allow_hyphen_values = true)]
    min_persistence: Option<f64>,
}

impl RepresentativesArguments {
    /// The bars whose cycles are wanted, if any are.
    pub(super) fn selection(&self) -> Option<BarSelection> {
        let bars = match (self.longest, self.min_persistence) {
            (Some(count), _) => BarSelection::Longest(count),
            (None, Some(least)) => BarSelection::Persistence(least),
            (None, None) if self.only.is_empty() => BarSelection::All,
            (None, None) => BarSelection::Named(self.only.iter().map(|bar| (bar.dim, bar.index)).collect()),
        };
        (!self.representatives.is_empty()).then_some(bars)
    }

    /// Checks that what is written has room for representatives, if they are wanted, and that they can be found in this way.
    ///
    /// # Errors
    /// [`UsageError::NoRoomForCycles`], [`UsageError::RepresentativesViaMatrix`].
    pub(super) fn check(&self, format: ImageBarsFormat, via: Way) -> Result<(), UsageError> {
        if self.representatives.is_empty() {
            return Ok(());
        }
        if !format.holds_representatives() {
            return Err(UsageError::NoRoomForCycles { found: format.to_string() });
        }
        if via == Way::Matrix { Err(UsageError::RepresentativesViaMatrix) } else { Ok(()) }
    }
}
