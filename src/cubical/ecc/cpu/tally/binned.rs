//! Sums of the numbers c(x) by bin.

use super::Table;
use crate::cubical::ecc::bins::Edges;
use crate::cubical::ecc::cpu::digits::OFFSET;
use crate::cubical::ecc::cpu::numbers::{Block, Numbers, Tally, number, places};
use crate::cubical::image::Voxel;
use crate::simd::Level;

/// Sum of the numbers of each bin.
#[derive(Debug)]
pub(crate) struct BinTally<T: Voxel> {
    /// Ends of the bins as keys, ascending, without the empty bins at the front that no key is small enough for.
    ends: Vec<T::Key>,
    /// Number of those empty bins at the front.
    empty: usize,
    superlevel: bool,
    /// Value v is probably in bin (v − start) · scale.
    start: f64,
    scale: f64,
    pub(super) table: Table,
}

impl<T: Voxel> BinTally<T> {
    pub(crate) fn new(edges: &Edges<T::Key>, superlevel: bool) -> Self {
        let ends: Vec<T::Key> = edges.keys.iter().filter_map(|&end| end).collect();
        let empty = edges.keys.len() - ends.len();
        let bins = edges.values.len();
        let [first, last] = [0, bins - 1].map(|bin| edges.values.at(bin).double());
        // Bins have equal width; the first ends where the second begins.
        let scale = if bins > 1 { (bins - 1) as f64 / (last - first) } else { 0.0 };
        let start = first - 1.0 / scale;
        // Infinite and empty ranges give NaN, which becomes bin 0 when it is cast.
        BinTally { table: Table::new(bins, true), ends, empty, superlevel, start, scale }
    }

    /// Returns [`Edges::bin`] of a key: a floating-point guess, corrected by comparing keys.
    #[inline(always)]
    fn bin(&self, key: T::Key) -> Option<usize> {
        let voxel = T::of_ordered(key, self.superlevel);
        let guess = ((voxel.value() - self.start) * self.scale) as usize;
        let (ends, last) = (&self.ends[..], self.ends.len().checked_sub(1)?);
        let mut bin = guess.saturating_sub(self.empty).min(last);
        if ends[bin] < key {
            // At most two steps, unless the guess was useless (equal or infinite ends): then bisection.
            bin = (bin + 1).min(last);
            if ends[bin] < key {
                bin += ends[bin..].partition_point(|&end| end < key);
            }
        } else if bin > 0 && ends[bin - 1] >= key {
            bin -= 1;
            if bin > 0 && ends[bin - 1] >= key {
                bin = ends[..bin].partition_point(|&end| end < key);
            }
        }
        (bin <= last).then_some(bin + self.empty)
    }
}

impl<T: Voxel> Tally<T::Key> for BinTally<T> {
    fn plane(&mut self, _level: Level, numbers: &Numbers<'_, T::Key>) {
        numbers.for_each(|Block { keys, digits, nonzero, own }| {
            for place in places(nonzero & own) {
                if let Some(bin) = self.bin(keys[place]) {
                    self.table.changes[bin] += number(digits, place) as i64 - OFFSET;
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cubical::key::Key as _;

    fn agrees_with_edges<T: Voxel>(voxels: &[T]) {
        let ranges =
            [(0.0, 255.0), (3.0, 3.0), (-3.5, 1.2), (-500.0, -400.0), (f64::MIN, f64::MAX), (0.1, 1e300)];
        for (count, range) in
            [1, 2, 3, 10, 1000].into_iter().flat_map(|count| ranges.map(|range| (count, range)))
        {
            for superlevel in [false, true] {
                let range = (range.0.into(), range.1.into());
                let edges = Edges::uniform::<T>(count, range, superlevel).unwrap();
                let tally = BinTally::<T>::new(&edges, superlevel);
                for voxel in voxels {
                    let key = if superlevel { voxel.key().reversed() } else { voxel.key() };
                    assert_eq!(tally.bin(key), edges.bin(key), "{voxel} {count} {range:?} {superlevel}");
                }
            }
        }
    }

    #[test]
    fn guesses_are_put_right() {
        let floats: Vec<f32> =
            (-2000..2000).map(|k| k as f32 / 7.0).chain([0.0, f32::MAX, f32::MIN]).collect();
        agrees_with_edges(&floats);
        let inf = f64::INFINITY;
        let wide: Vec<f64> =
            floats.iter().map(|&x| f64::from(x)).chain([inf, -inf, 1e-300, 0.1, 1e300]).collect();
        agrees_with_edges(&wide);
        agrees_with_edges(&[0_u64, 1, 3, 4, 200, 255, 256, u64::MAX]);
        agrees_with_edges(&[i32::MIN, -500, -450, -401, -400, -399, -1, 0, 1, i32::MAX]);
    }
}
