//! Options that choose the representatives of the bars of an image.

use std::path::PathBuf;

use clap::ArgGroup;
use lacuna::diagram::BarSelection;
use lacuna::output::images::ImageBarsFormat;

use crate::cli::arguments::bars::{BarArguments, CyclesAlone, Drawing};
use crate::cli::error::{Result, no_room_for_cycles};
use crate::cli::parse;

/// The representatives that are wanted, and of which bars.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Representatives")]
#[command(group(ArgGroup::new("of_bars").args(["representatives", "geometry"]).multiple(true)))]
pub(super) struct RepresentativesArguments {
    /// Output representatives of each bar: cycles
    ///
    /// cycles  a loop, a shell, or two points that are connected at the death of the bar: cells
    ///         present at birth, without boundary, and a boundary at death but not before
    ///
    /// Cycles are written in json and npz. A cell is given by twice the coordinates of its
    /// centre, where the centre of voxel (i, j) is (i, j): halved, it lies on the image. The
    /// voxels of the cells are given too, for masks. Cycles do not depend on the number of threads.
    #[arg(long, value_name = "KIND,...", value_delimiter = ',', verbatim_doc_comment,
        value_parser = parse::one_of::<CyclesAlone>(), hide_possible_values = true)]
    representatives: Vec<CyclesAlone>,

    #[command(flatten)]
    bars: BarArguments,

    /// Draw the cycles to FILE (.vtk, .ply or .obj)
    ///
    /// Loops are drawn as edges and shells as quadrilaterals, each with the dimension, index, birth and death
    /// of its bar (in obj as comments). Images have up to three axes.
    /// Voxel (i, j, k) has its centre at the point (i, j, k): x is the first
    /// axis of the image, in PNG and TIFF the row. Without --representatives, the bar output is unchanged.
    #[arg(long, value_name = "FILE", value_parser = parse::file())]
    geometry: Option<PathBuf>,
}

impl RepresentativesArguments {
    /// The bars whose cycles are requested, if any.
    pub(super) fn selection(&self) -> Option<BarSelection> {
        (self.are_named() || self.geometry.is_some()).then(|| self.bars.selection())
    }

    /// Whether cycles are written with the bars.
    pub(super) fn are_named(&self) -> bool {
        !self.representatives.is_empty()
    }

    /// The drawing of cycles, if requested.
    pub(super) fn drawing(&self) -> Result<Option<Drawing<'_>>> {
        self.geometry.as_deref().map(Drawing::of).transpose()
    }

    /// Checks that the output format can hold the requested representatives.
    pub(super) fn check(&self, format: ImageBarsFormat) -> Result<()> {
        if self.are_named() && !format.holds_representatives() {
            return Err(no_room_for_cycles(format));
        }
        Ok(())
    }
}
