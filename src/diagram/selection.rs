//! Which bars of a diagram are chosen, for what is asked of some bars alone.

/// A choice among the bars of a diagram.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub enum BarSelection {
    /// All bars.
    #[default]
    All,
    /// The given number of bars of dimension 1 and above, those that last longest. Essential bars are the longest, and of bars that last
    /// equally long those are taken that come first in the diagram. Of an image without dimensions above 0 they are bars of dimension 0.
    Longest(usize),
    /// The bars of all dimensions that last at least this long, which is neither negative nor NaN. Essential bars do.
    Persistence(f64),
    /// The bars with these dimensions and places in [`Diagram::bars`](super::Diagram::bars) of their dimension.
    Named(Vec<(usize, usize)>),
}
