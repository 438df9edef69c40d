//! The anti-transpose of a matrix, computed in parallel.
//!
//! Each thread processes a band of consecutive columns. It counts the entries that each new column gets from its
//! band; prefix sums over the counts of all bands give the place of each band's entries in every new column. Bands
//! from right to left, and columns within them from right to left, give the new columns ascending rows for any number
//! of bands.

use crate::parallel::{each_of, map};
use crate::{BoundaryMatrix, Index};
use std::ops::Range;

/// Maximum number of bands. Each band needs one number per column.
const MOST_BANDS: usize = 4;

/// Minimum number of entries in a band, so that it is worth a task.
const LEAST_ENTRIES: usize = 1 << 14;

/// Returns the offsets and rows of the anti-transpose.
pub(crate) fn anti_transpose<I: Index>(matrix: &BoundaryMatrix<I>) -> (Vec<I>, Vec<I>) {
    let bands = rayon::current_num_threads().min(MOST_BANDS).min(matrix.entries() / LEAST_ENTRIES);
    in_bands(matrix, bands.max(1))
}

fn in_bands<I: Index>(matrix: &BoundaryMatrix<I>, count: usize) -> (Vec<I>, Vec<I>) {
    let bands = bands(matrix, count);
    let mut cursors: Vec<Vec<I>> = map(count, &|band| counts(matrix, bands[band].clone()));
    let offsets = counts_to_starts(&mut cursors, matrix.len());
    let mut rows = vec![I::default(); matrix.entries()];
    let shared = I::as_atomic(&mut rows);
    each_of(bands.into_iter().zip(cursors), &|(band, mut next)| {
        for column in band.rev() {
            let new_row = I::from_usize(matrix.len() - 1 - column);
            for row in matrix.column(column) {
                let next = &mut next[matrix.len() - 1 - row.to_usize()];
                I::store(&shared[next.to_usize()], new_row);
                *next = I::from_usize(next.to_usize() + 1);
            }
        }
    });
    (offsets, rows)
}

/// Divides the columns into bands with about equally many entries, from right to left.
fn bands<I: Index>(matrix: &BoundaryMatrix<I>, count: usize) -> Vec<Range<usize>> {
    let start = |band: usize| match band {
        0 => 0,
        _ if band == count => matrix.len(),
        _ => matrix.offsets().partition_point(|offset| offset.to_usize() < matrix.entries() * band / count),
    };
    (0..count).rev().map(|band| start(band)..start(band + 1)).collect()
}

/// Counts the entries that each new column gets from a band.
fn counts<I: Index>(matrix: &BoundaryMatrix<I>, band: Range<usize>) -> Vec<I> {
    let mut counts = vec![I::default(); matrix.len()];
    for row in matrix.rows_of(band) {
        let count = &mut counts[matrix.len() - 1 - row.to_usize()];
        *count = I::from_usize(count.to_usize() + 1);
    }
    counts
}

/// Replaces each band's count for a new column by the place of its first entry there. Returns the offsets of the new
/// columns.
fn counts_to_starts<I: Index>(bands: &mut [Vec<I>], columns: usize) -> Vec<I> {
    let part = columns.div_ceil(rayon::current_num_threads()).max(1);
    let mut rest: Vec<_> = bands.iter_mut().map(|band| band.chunks_mut(part)).collect();
    // Each part of the columns gets the counts of all bands for it.
    let parts: Vec<Vec<&mut [I]>> =
        (0..columns.div_ceil(part)).map(|_| rest.iter_mut().filter_map(Iterator::next).collect()).collect();
    let sums: Vec<usize> = map(parts.len(), &|part| {
        parts[part].iter().flat_map(|band| band.iter()).map(|count| count.to_usize()).sum()
    });
    let mut total = 0;
    let add = |sum| {
        total += sum;
        total - sum
    };
    let starts: Vec<usize> = sums.into_iter().map(add).collect();
    let mut offsets = vec![I::from_usize(total); columns + 1];
    each_of(offsets[..columns].chunks_mut(part).zip(parts).zip(starts), &|((offsets, mut bands), start)| {
        let mut next = start;
        for (k, offset) in offsets.iter_mut().enumerate() {
            *offset = I::from_usize(next);
            for band in &mut bands {
                let count = std::mem::replace(&mut band[k], I::from_usize(next));
                next += count.to_usize();
            }
        }
    });
    offsets
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    /// A plain implementation: mirrors row and column of every entry.
    fn plain(matrix: &BoundaryMatrix<u32>) -> Vec<Vec<u32>> {
        let n = matrix.len();
        let mut columns = vec![Vec::new(); n];
        for column in (0..n).rev() {
            for &row in matrix.column(column) {
                columns[n - 1 - row as usize].push((n - 1 - column) as u32);
            }
        }
        columns
    }

    #[test]
    fn bands_and_threads_do_not_matter() {
        let mut random = Pcg64::seed_from_u64(1);
        for size in [0, 1, 2, 3, 40, 300] {
            let mut matrix = BoundaryMatrix::<u32>::new();
            for column in 0..size {
                let edge = column >= size / 3;
                let vertices = (0..size / 3).filter(|_| edge && random.random_ratio(1, 4));
                matrix.push(u8::from(edge), &vertices.collect::<Vec<_>>()).unwrap();
            }
            for threads in [1, 2, 3] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                for bands in [1, 2, 3, 7] {
                    let (offsets, rows) = pool.install(|| in_bands(&matrix, bands));
                    let columns: Vec<_> = offsets
                        .windows(2)
                        .map(|ends| rows[ends[0] as usize..ends[1] as usize].to_vec())
                        .collect();
                    assert_eq!(columns, plain(&matrix), "{size} columns, {threads} threads, {bands} bands");
                }
            }
        }
    }
}
