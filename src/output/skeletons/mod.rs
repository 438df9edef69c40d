//! Writers of the graphs of skeletons, one per format.
//!
//! | format | module | content |
//! |---|---|---|
//! | `json` | [`json`] | an object: nodes, and branches with their voxels and radii |
//! | `swc` | [`swc`] | the voxels as a forest, in the format of neuron tracing; cycles are cut |
//! | `graphml` | [`graphml`] | nodes and branches without voxels, for programs of graphs |
//!
//! Numbers have the fewest digits that read back as the same double. Lengths and radii are in units of the spacing.

pub mod graphml;
pub mod json;
pub mod swc;

use std::io::{self, Write};

use serde::Serialize;
use strum::VariantArray;

use crate::cubical::Order;
use crate::cubical::thinning::graph::SkeletonGraph;
use crate::names::named;

/// A format of graphs of skeletons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, VariantArray)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum SkeletonFormat {
    /// A JSON object.
    Json,
    /// Neuron tracing's list of points.
    Swc,
    /// XML of graphs.
    Graphml,
}

named!(SkeletonFormat);

/// A graph with what else is written about it.
#[derive(Debug, Clone, Copy)]
pub struct Skeleton<'a> {
    /// The graph.
    pub graph: &'a SkeletonGraph,
    /// Unit of the spacing, if known.
    pub unit: Option<&'a str>,
    /// Order of the axes in the image's file. SWC's x is the fastest axis.
    pub order: Order,
}

impl SkeletonFormat {
    /// Writes a graph to `out`, unbuffered: pass a buffered writer. Returns the number of cycles that were cut.
    ///
    /// # Errors
    /// Errors of `out`; an error whose source is [`Refused`](crate::memory::Refused) if there is no memory for a
    /// forest.
    pub fn write(self, skeleton: &Skeleton<'_>, out: &mut dyn Write) -> io::Result<usize> {
        match self {
            SkeletonFormat::Json => json::write(skeleton, out).map(|()| 0),
            SkeletonFormat::Swc => swc::write(skeleton, out),
            SkeletonFormat::Graphml => graphml::write(skeleton, out).map(|()| 0),
        }
    }
}
