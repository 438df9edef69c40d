//! What representatives are asked for, of which bars, and what follows from that for the run.

use serde::{Deserialize, Serialize};

use crate::diagram::BarSelection;
use crate::names::named;
use crate::rips::Collapse;

/// A kind of representatives of bars.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum RepresentativeKind {
    /// The simplex with which a class is born and the one with which it dies, and the longest edge of each.
    Simplices,
    /// A cocycle of every bar of dimension 1 and above: it represents the class from birth to death.
    Cocycles,
    /// A cycle of every bar of dimension 1 and above: it is born with the class, and bounds when the class dies.
    Cycles,
}

named!(RepresentativeKind);

/// The scale up to which a cocycle is given. What is left out are simplices that are longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum CocycleScale {
    /// The birth of the bar: a cocycle of the complex in which the class is new.
    Birth,
    /// Just before the death of the bar: a cocycle of every complex from birth to death.
    #[default]
    Death,
}

named!(CocycleScale);

/// What representatives are wanted, and of which bars. By default, the simplices of all bars.
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
    /// The kinds of representatives.
    pub kinds: Vec<RepresentativeKind>,
    /// The bars.
    pub bars: BarSelection,
    /// The scale up to which cocycles are given.
    pub cocycles_at: CocycleScale,
    /// Whether cycles of dimension 1 are made as short as their class has them at birth.
    pub tighten: bool,
}

impl Default for RepresentativesRequest {
    fn default() -> Self {
        RepresentativesRequest::of([RepresentativeKind::Simplices])
    }
}

impl RepresentativesRequest {
    /// Representatives of these kinds, of all bars.
    pub fn of(kinds: impl IntoIterator<Item = RepresentativeKind>) -> Self {
        let (bars, cocycles_at, tighten) = Default::default();
        RepresentativesRequest { kinds: kinds.into_iter().collect(), bars, cocycles_at, tighten }
    }

    /// Of these bars alone.
    pub fn bars(mut self, bars: BarSelection) -> Self {
        self.bars = bars;
        self
    }

    /// Cocycles up to this scale.
    pub fn cocycles_at(mut self, scale: CocycleScale) -> Self {
        self.cocycles_at = scale;
        self
    }

    /// Cycles of dimension 1 as short as their class has them at birth, by the sum of the lengths of their edges.
    pub fn tighten(mut self, tighten: bool) -> Self {
        self.tighten = tighten;
        self
    }

    /// Whether representatives of a kind are wanted.
    pub(in crate::rips) fn wants(&self, kind: RepresentativeKind) -> bool {
        self.kinds.contains(&kind)
    }
}

/// Said of a run that was to collapse edges and does not.
const NOT_COLLAPSED: &str = "edges are not collapsed, although that was asked for: the representatives are simplices of the whole filtration";

/// How edges are collapsed when `asked` is what was asked for, and what is to be said if that is something else.
pub(in crate::rips) fn collapse_beside(
    asked: Collapse,
    request: Option<&RepresentativesRequest>,
) -> (Collapse, Option<String>) {
    match (asked, request) {
        (Collapse::Off, _) | (_, None) => (asked, None),
        // Whether `auto` collapses was left to the run, so its user misses nothing.
        (Collapse::Auto, Some(_)) => (Collapse::Off, None),
        (Collapse::On, Some(_)) => (Collapse::Off, Some(NOT_COLLAPSED.to_owned())),
    }
}
