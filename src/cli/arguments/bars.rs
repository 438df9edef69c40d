//! The selection of bars, and the file in which their cycles are drawn.

use std::path::Path;

use lacuna::cubical::Value;
use lacuna::diagram::BarSelection;
use lacuna::output::geometry::GeometryFormat;

use crate::cli::error::Result;
use crate::cli::naming;
use crate::cli::parse;

/// The bars for which representatives are computed; an option of the group `of_bars` chooses their kind.
#[derive(Debug, clap::Args)]
pub(crate) struct BarArguments {
    /// Only bars DIM:INDEX (index from 0 within its dimension)
    #[arg(long, value_name = "DIM:INDEX,...", value_delimiter = ',', requires = "of_bars",
        value_parser = parse::bar, allow_hyphen_values = true, conflicts_with_all = ["longest", "min_persistence"])]
    pub(crate) only: Vec<(usize, usize)>,

    /// Only the K most persistent bars of dimension ≥ 1
    ///
    /// Essential bars come first. If an image has no bar of dimension ≥ 1, bars of dimension 0 are chosen.
    #[arg(long, value_name = "K", requires = "of_bars",
        value_parser = parse::at_least_one, allow_hyphen_values = true, conflicts_with = "min_persistence")]
    longest: Option<usize>,

    /// Only bars with persistence ≥ X
    ///
    /// Essential bars are included.
    #[arg(long, value_name = "X", requires = "of_bars",
        value_parser = parse::least_persistence, allow_hyphen_values = true)]
    min_persistence: Option<Value>,
}

impl BarArguments {
    /// The bars that are chosen.
    pub(crate) fn selection(&self) -> BarSelection {
        match (self.longest, self.min_persistence) {
            (Some(count), _) => BarSelection::Longest(count),
            (None, Some(least)) => BarSelection::Persistence(least),
            (None, None) if self.only.is_empty() => BarSelection::All,
            (None, None) => BarSelection::Named(self.only.clone()),
        }
    }
}

/// The representatives of bars of images and of classes of matrices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum CyclesAlone {
    /// A cycle.
    Cycles,
}

/// The file that cycles are drawn into.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Drawing<'a> {
    pub(crate) path: &'a Path,
    pub(crate) format: GeometryFormat,
}

impl<'a> Drawing<'a> {
    /// A drawing in the format that the name of the file says.
    ///
    /// # Errors
    /// The name says no format of drawings.
    pub(crate) fn of(path: &'a Path) -> Result<Self> {
        Ok(Drawing { path, format: naming::format_named("--geometry", path)? })
    }
}
