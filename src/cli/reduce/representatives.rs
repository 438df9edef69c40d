//! Options that choose the representatives of the classes.

use lacuna::matrix::cycles::ClassSelection;
use lacuna::output::pairs::PairsFormat;

use crate::cli::arguments::bars::CyclesAlone;
use crate::cli::error::{Result, no_room_for_cycles, usage};
use crate::cli::parse;

/// The representatives that are wanted, and of which classes.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Representatives")]
pub(super) struct RepresentativesArguments {
    /// Output representatives of each class: cycles
    ///
    /// cycles  cells whose boundaries cancel: for a pair, the reduced column of its death; for an
    ///         essential class, the columns that sum to zero with that of its birth
    ///
    /// Cycles are written in json and npz. Cells are columns of the file, counted from 0. The
    /// columns of the matrix itself are reduced on one thread, whichever algorithm computes the
    /// pairs; the cycles do not depend on the algorithm.
    #[arg(long, value_name = "KIND,...", value_delimiter = ',', verbatim_doc_comment,
        value_parser = parse::one_of::<CyclesAlone>(), hide_possible_values = true)]
    representatives: Vec<CyclesAlone>,

    /// Only the classes created by these cells, counted from 0
    #[arg(long, value_name = "CELL,...", value_delimiter = ',', requires = "representatives",
        value_parser = parse::cell, allow_hyphen_values = true, conflicts_with = "min_persistence")]
    only: Vec<usize>,

    /// Only classes that die at least N cells after their birth
    ///
    /// Essential classes are included.
    #[arg(long, value_name = "N", requires = "representatives",
        value_parser = parse::count, allow_hyphen_values = true)]
    min_persistence: Option<usize>,
}

impl RepresentativesArguments {
    /// The classes whose cycles are requested, if any.
    pub(super) fn selection(&self) -> Option<ClassSelection> {
        let selection = match self.min_persistence {
            Some(least) => ClassSelection::Persistence(least),
            None if self.only.is_empty() => ClassSelection::All,
            None => ClassSelection::Named(self.only.clone()),
        };
        (!self.representatives.is_empty()).then_some(selection)
    }

    /// Checks that the output format can hold the requested representatives, and that the matrix is checked.
    pub(super) fn check(&self, output: Option<PairsFormat>, check: Option<bool>) -> Result<()> {
        if self.representatives.is_empty() {
            return Ok(());
        }
        if !output.is_some_and(PairsFormat::holds_cycles) {
            let found = output.map_or_else(|| "none".to_owned(), |format| format.to_string());
            return Err(no_room_for_cycles(found));
        }
        if check == Some(false) {
            return Err(usage(
                "--check: expected on with --representatives, as cycles require ∂∂ = 0, found off",
            ));
        }
        Ok(())
    }
}
