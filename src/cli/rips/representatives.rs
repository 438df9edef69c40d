//! Options that choose the representatives of the bars.

use std::path::PathBuf;

use clap::ArgGroup;
use lacuna::output::OutputFormat;
use lacuna::rips::{CocycleScale, RepresentativeKind, RepresentativesRequest};

use crate::cli::arguments::bars::{BarArguments, Drawing};
use crate::cli::error::{Result, usage};
use crate::cli::parse;

/// The requested representatives and their bars.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Representatives")]
#[command(group(ArgGroup::new("of_bars").args(["representatives", "geometry"]).multiple(true)))]
pub(super) struct RepresentativesArguments {
    /// Output representatives of each bar: simplices, cocycles, cycles
    ///
    /// simplices  the birth and death simplices, and the longest edge of each (csv has only the
    ///            simplices)
    /// cocycles   a cocycle of every bar of dimension ≥ 1, see --cocycles-at
    /// cycles     a cycle of every bar of dimension ≥ 1, born with the bar and a boundary at
    ///            its death
    ///
    /// Representatives are written in json and npz, simplices also in csv. Vertices are points of
    /// the input, counted from 0; a chain has one row per simplex: its vertices and its
    /// coefficient. This turns edge collapse off.
    #[arg(long, value_name = "KIND,...", value_delimiter = ',', verbatim_doc_comment,
        value_parser = parse::one_of::<RepresentativeKind>(), hide_possible_values = true)]
    representatives: Vec<RepresentativeKind>,

    /// Scale at which cocycles are given: birth or death of the bar
    #[arg(hide_short_help = true, long, value_name = "SCALE", requires = "representatives", default_value = "death",
        hide_possible_values = true, value_parser = parse::one_of::<CocycleScale>())]
    cocycles_at: CocycleScale,

    /// Use a shortest cycle of each class at birth (dimension 1)
    #[arg(long, requires = "of_bars")]
    tighten: bool,

    #[command(flatten)]
    bars: BarArguments,

    /// Draw the cycles to FILE (.vtk, .ply or .obj)
    ///
    /// Points need 2 or 3 coordinates. Cycles of dimension 1 are edges and cycles of dimension 2 triangles
    /// between input points; each has the dimension, index, birth, death and coefficient of its bar (in obj as
    /// comments), and each point its index in the input. Without --representatives, the bar output is
    /// unchanged. With other kinds of --representatives, json and npz contain the cycles too.
    #[arg(long, value_name = "FILE", value_parser = parse::file())]
    geometry: Option<PathBuf>,

    /// Two or three coordinates of the points to draw, counted from 0
    #[arg(hide_short_help = true, long, value_name = "AXIS,...", value_delimiter = ',', requires = "geometry",
        value_parser = parse::count, allow_hyphen_values = true)]
    pub(super) geometry_axes: Vec<usize>,
}

/// Greatest dimension of cycles that can be drawn.
const MOST_DRAWN: usize = 2;

impl RepresentativesArguments {
    /// The request to the library, if representatives are requested.
    pub(super) fn request(&self) -> Option<RepresentativesRequest> {
        let mut kinds = Vec::new();
        let drawn = self.geometry.as_ref().map(|_| RepresentativeKind::Cycles);
        for kind in self.representatives.iter().copied().chain(drawn) {
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        (!kinds.is_empty()).then(|| {
            let request = RepresentativesRequest::of(kinds).bars(self.bars.selection());
            request.cocycles_at(self.cocycles_at).tighten(self.tighten)
        })
    }

    /// Checks that the output format can hold the requested representatives, and that no bars are left out, which would
    /// shift their indices.
    pub(super) fn check(&self, format: OutputFormat, ratio: f64) -> Result<()> {
        if ratio > 1.0 && (self.are_named() || self.geometry.is_some()) {
            return Err(usage(format_args!(
                "--ratio: expected 1 with --representatives and --geometry, which index all bars, found {ratio}; \
                 use --min-persistence or --longest instead"
            )));
        }
        if !self.are_named() {
            return Ok(());
        }
        if !format.holds_representatives() {
            return Err(usage(format_args!(
                "--representatives: expected --output json, csv or npz, which can hold them, found {format}"
            )));
        }
        let wants = |kind| self.representatives.contains(&kind);
        let has_chains = wants(RepresentativeKind::Cocycles) || wants(RepresentativeKind::Cycles);
        if has_chains && format == OutputFormat::Csv {
            return Err(usage(format_args!(
                "--representatives: expected --output json or npz, which can hold cocycles and cycles, found {format}"
            )));
        }
        if self.cocycles_at == CocycleScale::Birth && !wants(RepresentativeKind::Cocycles) {
            return Err(usage("--cocycles-at birth applies only to --representatives cocycles"));
        }
        if self.tighten && !wants(RepresentativeKind::Cycles) && self.geometry.is_none() {
            return Err(usage("--tighten applies only to --representatives cycles"));
        }
        Ok(())
    }

    /// Whether representatives are written with the bars.
    pub(super) fn are_named(&self) -> bool {
        !self.representatives.is_empty()
    }

    /// Whether cycles are requested, to be written or drawn.
    pub(super) fn wants_cycles(&self) -> bool {
        self.geometry.is_some() || self.representatives.contains(&RepresentativeKind::Cycles)
    }

    /// The drawing of cycles for a run up to dimension `max_dim`, if requested.
    pub(super) fn drawing(&self, max_dim: usize) -> Result<Option<Drawing<'_>>> {
        let Some(path) = &self.geometry else { return Ok(None) };
        let drawing = Drawing::of(path)?;
        let axes = &self.geometry_axes;
        let is_repeated = axes.iter().enumerate().any(|(k, axis)| axes[..k].contains(axis));
        if !matches!(axes.len(), 0 | 2 | 3) || is_repeated {
            return Err(usage(format_args!(
                "--geometry-axes: expected two or three different axes, found {axes:?}"
            )));
        }
        let found = match self.bars.only.iter().find(|bar| bar.0 > MOST_DRAWN) {
            Some((dim, index)) => Some(format!("bar {dim}:{index}")),
            None if self.bars.only.is_empty() && max_dim > MOST_DRAWN => Some(format!("--max-dim {max_dim}")),
            None => None,
        };
        match found {
            Some(found) => Err(usage(format_args!(
                "--geometry: expected bars of dimension 2 or less, whose cycles can be drawn, found {found}"
            ))),
            None => Ok(Some(drawing)),
        }
    }
}
