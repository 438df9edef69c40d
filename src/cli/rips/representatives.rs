//! Which simplices the bars are of: the options of representatives.

use lacuna::output::OutputFormat;
use lacuna::rips::{BarSelection, CocycleScale, RepresentativeKind, RepresentativesRequest};

use crate::cli::error::UsageError;
use crate::cli::parse::{self, BarName};

/// The representatives that are wanted, and of which bars.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Representatives")]
pub(super) struct RepresentativesArguments {
    /// Say of each bar what its class is made of, in json, csv and npz
    ///
    /// simplices  the simplex with which the class is born and the one with which it dies,
    ///            and the longest edge of each (csv has room for the simplices alone)
    /// cocycles   of every bar of dimension 1 and above a cocycle, see --cocycles-at
    /// cycles     of every such bar a cycle that is born with it and bounds when it dies
    ///
    /// Vertices are points of the input, counted from 0; a chain has a row a simplex, its
    /// vertices and its coefficient. No edges are collapsed beside.
    #[arg(long, value_name = "KIND,...", value_delimiter = ',', verbatim_doc_comment,
        value_parser = parse::one_of::<RepresentativeKind>(), hide_possible_values = true)]
    representatives: Vec<RepresentativeKind>,

    /// Up to which scale cocycles are given: of the complex at the bar's birth, or of all up to its death
    #[arg(long, value_name = "SCALE", requires = "representatives", default_value = "death",
        value_parser = parse::one_of::<CocycleScale>())]
    cocycles_at: CocycleScale,

    /// Make cycles of dimension 1 as short as their class has them at the bar's birth
    #[arg(long, requires = "representatives")]
    tighten: bool,

    /// Of these bars alone: the dimension, and the place among the bars of that dimension, counted from 0
    #[arg(long, value_name = "DIM:INDEX,...", value_delimiter = ',', requires = "representatives",
        value_parser = parse::bar, allow_hyphen_values = true, conflicts_with_all = ["longest", "min_persistence"])]
    only: Vec<BarName>,

    /// Of the K bars of dimension 1 and above alone that last longest, essential ones first
    #[arg(long, value_name = "K", requires = "representatives",
        value_parser = parse::at_least_one, allow_hyphen_values = true, conflicts_with = "min_persistence")]
    longest: Option<usize>,

    /// Of the bars alone whose death is at least X after their birth, essential ones too
    #[arg(long, value_name = "X", requires = "representatives",
        value_parser = parse::threshold, allow_hyphen_values = true)]
    min_persistence: Option<f64>,
}

impl RepresentativesArguments {
    /// What is asked of the library, if representatives are wanted.
    pub(super) fn request(&self) -> Option<RepresentativesRequest> {
        let bars = match (self.longest, self.min_persistence) {
            (Some(count), _) => BarSelection::Longest(count),
            (None, Some(least)) => BarSelection::Persistence(least),
            (None, None) if self.only.is_empty() => BarSelection::All,
            (None, None) => BarSelection::Named(self.only.iter().map(|bar| (bar.dim, bar.index)).collect()),
        };
        let mut kinds = Vec::new();
        for &kind in &self.representatives {
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        (!kinds.is_empty()).then(|| {
            let request = RepresentativesRequest::of(kinds).bars(bars);
            request.cocycles_at(self.cocycles_at).tighten(self.tighten)
        })
    }

    /// Checks that what is written has room for representatives, if they are wanted, and that bars keep their places in it.
    ///
    /// # Errors
    /// [`UsageError::NoRoom`], [`UsageError::NoRoomForChains`], [`UsageError::OnlyBeside`], [`UsageError::RatioOfRepresentatives`].
    pub(super) fn check(&self, format: OutputFormat, ratio: f64) -> Result<(), UsageError> {
        if self.representatives.is_empty() {
            return Ok(());
        }
        if !format.holds_representatives() {
            return Err(UsageError::NoRoom { format });
        }
        let wants = |kind| self.representatives.contains(&kind);
        let has_chains = wants(RepresentativeKind::Cocycles) || wants(RepresentativeKind::Cycles);
        if has_chains && format == OutputFormat::Csv {
            return Err(UsageError::NoRoomForChains { format });
        }
        if self.cocycles_at == CocycleScale::Birth && !wants(RepresentativeKind::Cocycles) {
            let option = "--cocycles-at birth";
            return Err(UsageError::OnlyBeside { option, kind: RepresentativeKind::Cocycles });
        }
        if self.tighten && !wants(RepresentativeKind::Cycles) {
            return Err(UsageError::OnlyBeside { option: "--tighten", kind: RepresentativeKind::Cycles });
        }
        if ratio > 1.0 { Err(UsageError::RatioOfRepresentatives { ratio }) } else { Ok(()) }
    }
}
