//! Sums of the numbers c(x) by bin.

use super::Table;
use crate::cubical::ecc::bins::Edges;
use crate::cubical::ecc::cpu::digits::OFFSET;
use crate::cubical::ecc::cpu::numbers::{Block, Numbers, Tally, number, places};
use crate::cubical::key::{Coding, Key};
use crate::cubical::order::VoxelOrder;
use crate::simd::Level;

/// Sum of the numbers of each bin.
#[derive(Debug)]
pub(crate) struct BinTally<K> {
    /// Ends of the bins as keys, ascending, without the empty bins at the front that no key is small enough for.
    ends: Vec<K>,
    /// Number of those empty bins at the front.
    empty: usize,
    order: VoxelOrder,
    /// Value v is probably in bin (v − start) · scale.
    start: f64,
    scale: f64,
    pub(super) table: Table,
}

impl<K: Key> BinTally<K> {
    pub(crate) fn new(edges: &Edges, order: VoxelOrder) -> Self {
        let ends: Vec<K> = edges.keys.iter().filter_map(|&end| end).map(K::from_u64).collect();
        let empty = edges.keys.len() - ends.len();
        let bins = edges.values.len();
        let [first, last] = [0, bins - 1].map(|bin| edges.values.at(bin).double());
        // Bins have equal width; the first ends where the second begins.
        let scale = if bins > 1 { (bins - 1) as f64 / (last - first) } else { 0.0 };
        let start = first - 1.0 / scale;
        // Infinite and empty ranges give NaN, which becomes bin 0 when it is cast.
        BinTally { table: Table::new(bins, true), ends, empty, order, start, scale }
    }

    /// Returns [`Edges::bin`] of a key in this order: a floating-point guess, corrected by comparing keys.
    #[inline(always)]
    fn bin(&self, key: K, order: VoxelOrder) -> Option<usize> {
        let guess = ((order.value(key.to_u64()).double() - self.start) * self.scale) as usize;
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

impl<K: Key> Tally<K> for BinTally<K> {
    fn plane(&mut self, _level: Level, numbers: &Numbers<'_, K>) {
        // Floating-point numbers have a loop without a branch on the coding.
        let order = VoxelOrder { bits: K::BITS, ..self.order };
        match order.coding {
            Coding::Float => self.add(numbers, VoxelOrder { coding: Coding::Float, ..order }),
            Coding::Unsigned | Coding::Signed => self.add(numbers, order),
        }
    }
}

impl<K: Key> BinTally<K> {
    #[inline(always)]
    fn add(&mut self, numbers: &Numbers<'_, K>, order: VoxelOrder) {
        numbers.for_each(|Block { keys, digits, nonzero, own }| {
            for place in places(nonzero & own) {
                if let Some(bin) = self.bin(keys[place], order) {
                    self.table.changes[bin] += number(digits, place) as i64 - OFFSET;
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cubical::image::Voxel;

    fn agrees_with_edges<T: Voxel>(voxels: &[T]) {
        let ranges =
            [(0.0, 255.0), (3.0, 3.0), (-3.5, 1.2), (-500.0, -400.0), (f64::MIN, f64::MAX), (0.1, 1e300)];
        for (count, range) in
            [1, 2, 3, 10, 1000].into_iter().flat_map(|count| ranges.map(|range| (count, range)))
        {
            for superlevel in [false, true] {
                let range = (range.0.into(), range.1.into());
                let order = VoxelOrder::new(T::TYPE, superlevel);
                let edges = Edges::uniform(count, range, order).unwrap();
                let tally = BinTally::<T::Key>::new(&edges, order);
                for voxel in voxels {
                    let key = voxel.ordered(superlevel);
                    assert_eq!(
                        tally.bin(key, order),
                        edges.bin(key.to_u64()),
                        "{voxel} {count} {range:?} {superlevel}"
                    );
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
