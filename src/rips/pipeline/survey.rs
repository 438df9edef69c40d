//! The figures of the input, and the input as what is ranked.

use crate::metric::value::DistanceKey;
use crate::metric::{Distances, Value};
use crate::rips::plan::PairSearch;
use crate::rips::rank::Keyed;
use crate::rips::{Progress, RipsError, Summary, Threshold};

/// The figures of the input, and the keys of its distances. The distances themselves are no longer needed. Keys of all pairs of points may lie in a square,
/// if that is allowed.
///
/// # Errors
/// [`RipsError::Memory`], [`RipsError::Refused`] and [`RipsError::TooFarApart`].
pub(super) fn survey<T: Value>(
    distances: Distances<T>,
    threshold: Threshold,
    may_be_square: bool,
    progress: &dyn Progress,
) -> Result<(Keyed<T::Key>, Summary), RipsError> {
    let given = threshold.rounded::<T>();
    let keyed = Keyed::of(&distances, given, may_be_square, progress)?;
    progress.begin("summary", None, 1);
    let summary = Summary::of_keyed(&distances, &keyed, given);
    // Up to a finite threshold a distance that is too great for its precision makes no difference.
    if keyed.search == PairSearch::All
        && summary.threshold.is_infinite()
        && let Some((i, j)) = first_infinite(&keyed)
    {
        return Err(RipsError::TooFarApart { i, j });
    }
    Ok((keyed, summary))
}

/// The first two points whose distance is infinite, if there are any.
fn first_infinite<K: DistanceKey>(all: &Keyed<K>) -> Option<(usize, usize)> {
    let in_row = |i: usize| all.lower_row(i).iter().position(|&key| key == K::INFINITY);
    (1..all.points).find_map(|i| in_row(i).map(|j| (i, j)))
}
