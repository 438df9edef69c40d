//! What representatives are asked for, of which bars, and what follows from that for the run.

use serde::{Deserialize, Serialize};

use crate::names::named;
use crate::rips::{Collapse, RipsError};

/// A kind of representatives of bars.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum RepresentativeKind {
    /// The simplex with which a class is born and the one with which it dies, and the longest edge of each.
    Simplices,
}

named!(RepresentativeKind);

impl RepresentativeKind {
    /// Whether representatives of this kind are found in the graph of collapsed edges as well. The simplices of that graph are not those
    /// with which the classes of the input are born and die.
    pub(in crate::rips) fn allows_collapse(self) -> bool {
        match self {
            RepresentativeKind::Simplices => false,
        }
    }
}

/// The bars whose representatives are wanted.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub enum BarSelection {
    /// All bars.
    #[default]
    All,
    /// So many bars of dimension 1 and above, those that last longest. Essential bars are the longest, and of bars that last equally long
    /// those are taken that come first in the diagram.
    Longest(usize),
    /// The bars of all dimensions that last at least this long, which is neither negative nor NaN. Essential bars do.
    Persistence(f64),
    /// The bars with these dimensions and places in [`Diagram::bars`](crate::Diagram::bars) of their dimension.
    Named(Vec<(usize, usize)>),
}

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
}

impl Default for RepresentativesRequest {
    fn default() -> Self {
        RepresentativesRequest::of([RepresentativeKind::Simplices])
    }
}

impl RepresentativesRequest {
    /// Representatives of these kinds, of all bars.
    pub fn of(kinds: impl IntoIterator<Item = RepresentativeKind>) -> Self {
        RepresentativesRequest { kinds: kinds.into_iter().collect(), bars: BarSelection::All }
    }

    /// Of these bars alone.
    pub fn bars(mut self, bars: BarSelection) -> Self {
        self.bars = bars;
        self
    }

    /// Whether the bars can be chosen so.
    ///
    /// # Errors
    /// [`RipsError::LeastPersistence`].
    pub(in crate::rips) fn check(&self) -> Result<(), RipsError> {
        match self.bars {
            BarSelection::Persistence(least) if least.is_nan() || least < 0.0 => {
                Err(RipsError::LeastPersistence(least))
            }
            _ => Ok(()),
        }
    }

    /// Whether edges may be collapsed before all these representatives are found.
    pub(in crate::rips) fn allows_collapse(&self) -> bool {
        self.kinds.iter().all(|kind| kind.allows_collapse())
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
        (_, Some(request)) if request.allows_collapse() => (asked, None),
        // Whether `auto` collapses was left to the run, so its user misses nothing.
        (Collapse::Auto, Some(_)) => (Collapse::Off, None),
        (Collapse::On, Some(_)) => (Collapse::Off, Some(NOT_COLLAPSED.to_owned())),
    }
}
