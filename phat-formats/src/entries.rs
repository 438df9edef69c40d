//! The entries of one column, as of one cell: checked, stored, and sorted if necessary.

use crate::{FormatError, Index};
use hashbrown::HashSet;
use std::hash::Hash;

/// Stores entries as the numbers that `check` makes of them, ascending. Returns whether they ascended.
///
/// `check` gets the place of an entry in the list and the entry; `twice` makes the error for the place of an entry that
/// was given before.
///
/// # Errors
/// The first error in the list, of `check` or of `twice`.
#[inline]
pub(crate) fn store<E: Copy + Eq + Hash, I: Index>(
    entries: impl Iterator<Item = E> + Clone,
    check: impl Fn(usize, E) -> Result<I, FormatError>,
    twice: impl Fn(usize) -> FormatError,
    out: &mut [I],
) -> Result<bool, FormatError> {
    let (mut ascend, mut before) = (true, I::default());
    for (k, (out, entry)) in out.iter_mut().zip(entries.clone()).enumerate() {
        let number = match check(k, entry) {
            Ok(number) => number,
            // A repeated entry before this one would be the earlier error.
            Err(error) => return Err(first_twice(entries.take(k)).map_or(error, twice)),
        };
        ascend &= k == 0 || before < number;
        before = number;
        *out = number;
    }
    if ascend {
        return Ok(true);
    }
    out.sort_unstable();
    match out.is_sorted_by(|a, b| a < b) {
        true => Ok(false),
        false => Err(twice(first_twice(entries).unwrap_or_default())),
    }
}

/// The place of the first entry that was given before.
#[cold]
fn first_twice<E: Eq + Hash>(mut entries: impl Iterator<Item = E>) -> Option<usize> {
    let mut seen = HashSet::new();
    entries.position(|entry| !seen.insert(entry))
}
