//! Requests for representatives: their kinds, the bars, and the consequences for the run.

use serde::{Deserialize, Serialize};
use strum::VariantArray;

use crate::diagram::BarSelection;
use crate::names::named;
use crate::rips::Collapse;

/// A kind of representative of a bar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, VariantArray)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum RepresentativeKind {
    /// The birth and death simplices of each bar, and the longest edge of each simplex.
    Simplices,
    /// A cocycle of every bar of dimension 1 and above: it represents the class from birth to death.
    Cocycles,
    /// A cycle of every bar of dimension 1 and above: it is born with the class and becomes a boundary at its death.
    Cycles,
}

named!(RepresentativeKind);

/// The scale up to which a cocycle is given: simplices of greater diameter are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, VariantArray)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum CocycleScale {
    /// Up to the birth of the bar: a cocycle of the complex in which the class is new.
    Birth,
    /// Up to just before the death of the bar: a cocycle of every complex from birth to death.
    #[default]
    Death,
}

named!(CocycleScale);

/// A request for representatives. The default is the birth and death simplices of all bars.
///
/// ```
/// use lacuna::rips::{BarSelection, RepresentativesRequest};
///
/// let request = RepresentativesRequest::default().bars(BarSelection::Longest(3));
/// assert_eq!(request.kinds.len(), 1);
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RepresentativesRequest {
    /// The requested kinds of representatives.
    pub kinds: Vec<RepresentativeKind>,
    /// The bars to represent.
    pub bars: BarSelection,
    /// The scale up to which cocycles are given.
    pub cocycles_at: CocycleScale,
    /// Whether cycles of dimension 1 are replaced by the shortest ones in their class at birth.
    pub tighten: bool,
}

impl Default for RepresentativesRequest {
    fn default() -> Self {
        RepresentativesRequest::of([RepresentativeKind::Simplices])
    }
}

impl RepresentativesRequest {
    /// A request for representatives of these kinds, of all bars.
    pub fn of(kinds: impl IntoIterator<Item = RepresentativeKind>) -> Self {
        let (bars, cocycles_at, tighten) = Default::default();
        RepresentativesRequest { kinds: kinds.into_iter().collect(), bars, cocycles_at, tighten }
    }

    /// Restricts the request to these bars.
    pub fn bars(mut self, bars: BarSelection) -> Self {
        self.bars = bars;
        self
    }

    /// Sets the scale up to which cocycles are given.
    pub fn cocycles_at(mut self, scale: CocycleScale) -> Self {
        self.cocycles_at = scale;
        self
    }

    /// Sets whether cycles of dimension 1 are replaced by the shortest ones in their class at birth, by the total
    /// length of their edges.
    pub fn tighten(mut self, tighten: bool) -> Self {
        self.tighten = tighten;
        self
    }

    /// Whether representatives of a kind are requested.
    pub(in crate::rips) fn wants(&self, kind: RepresentativeKind) -> bool {
        self.kinds.contains(&kind)
    }
}

/// Message about a run that was asked to collapse edges and does not.
const NOT_COLLAPSED: &str = "edges are not collapsed, although that was asked for: the representatives are simplices of the whole filtration";

/// The collapse to use when `asked` was requested, and a message to the user if that is not `asked`.
pub(in crate::rips) fn collapse_beside(
    asked: Collapse,
    request: Option<&RepresentativesRequest>,
) -> (Collapse, Option<String>) {
    match (asked, request) {
        (Collapse::Off, _) | (_, None) => (asked, None),
        // With `auto` the user left the choice to the run, so no message is needed.
        (Collapse::Auto, Some(_)) => (Collapse::Off, None),
        (Collapse::On, Some(_)) => (Collapse::Off, Some(NOT_COLLAPSED.to_owned())),
    }
}
