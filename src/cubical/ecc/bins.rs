//! Bins: which row of the curve a voxel's value belongs to, decided by keys alone.

use super::Bins;
use crate::cubical::{Key, Voxel};

/// The rows of a curve with bins.
///
/// The end of bin k is computed once, in double precision, as low + (k + 1) · (high − low) / count, and that of the last is high itself;
/// of superlevel sets it is high − (k + 1) · (high − low) / count, and low. It becomes the last key, in the order of the filtration, whose
/// voxel is not past it. So a voxel is put in a bin by comparing keys: no rounding depends on who does it.
#[derive(Debug, Clone, PartialEq)]
pub struct Edges<K> {
    /// The end of each bin, as a number: what [`Curve::values`](super::Curve::values) will be.
    pub values: Vec<f64>,
    /// The end of each bin, as a key in the order of the filtration (reversed for superlevel sets): ascending, and bin k holds the keys
    /// that are greater than that of bin k − 1 and at most this. `None`: no key is that small, the bin is empty.
    pub keys: Vec<Option<K>>,
}

/// Why there are no such bins.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BinsError {
    /// No bins.
    #[error("expected at least one bin, found 0")]
    None,
    /// More bins than there is any use for: their ends and counts would fill the memory.
    #[error("expected at most {} bins, found {count}", Bins::MOST)]
    TooMany {
        /// The number of bins.
        count: usize,
    },
    /// Bounds that are no range.
    #[error("expected finite bounds of the range, the lower first, found {low},{high}")]
    Range {
        /// The lower bound.
        low: f64,
        /// The upper one.
        high: f64,
    },
}

impl Bins {
    /// The greatest number of bins.
    pub const MOST: usize = 1 << 24;

    /// Whether there are such bins.
    ///
    /// # Errors
    /// [`BinsError`]: there are none, or their range is none.
    pub fn check(&self) -> Result<(), BinsError> {
        match *self {
            Bins::Uniform { count: 0, .. } => Err(BinsError::None),
            Bins::Uniform { count, .. } if count > Bins::MOST => Err(BinsError::TooMany { count }),
            // Not a number fails every comparison; the width of the range must be finite, too.
            Bins::Uniform { range: Some((low, high)), .. } if !(low <= high && (high - low).is_finite()) => {
                Err(BinsError::Range { low, high })
            }
            _ => Ok(()),
        }
    }
}

impl<K: Key> Edges<K> {
    /// Of `count` bins over a range of the voxels' values.
    ///
    /// Infinite voxels make an infinite range, in which every inner end is infinite or not a number; such an end is taken for that of
    /// the last bin.
    ///
    /// # Panics
    /// There are more than [`Bins::MOST`] bins, which [`Bins::check`] refuses.
    pub fn uniform<T: Voxel<Key = K>>(count: usize, (low, high): (f64, f64), superlevel: bool) -> Self {
        assert!(count <= Bins::MOST, "expected at most {} bins, found {count}", Bins::MOST);
        let width = high - low;
        let (start, step, last) = if superlevel { (high, -width, low) } else { (low, width, high) };
        let end = |k: usize| {
            let end = start + (k + 1) as f64 * step / count as f64;
            if k + 1 == count || end.is_nan() { last } else { end }
        };
        let values: Vec<f64> = (0..count).map(end).collect();
        let keys = values.iter().map(|&end| last_key::<T>(end, superlevel)).collect();
        Edges { values, keys }
    }

    /// The bin of a key in the order of the filtration: the first whose end is not less; `None` past the last.
    pub fn bin(&self, key: K) -> Option<usize> {
        let bin = self.keys.partition_point(|&end| end.is_none_or(|end| end < key));
        (bin < self.keys.len()).then_some(bin)
    }
}

/// The last key, in the order of the filtration, whose voxel is not past `end`.
fn last_key<T: Voxel>(end: f64, superlevel: bool) -> Option<T::Key> {
    let enters = |bits: u64| {
        let key = T::Key::from_u64(bits);
        let voxel = T::of_key(if superlevel { key.reversed() } else { key });
        if !voxel.is_number() {
            // Keys of what is not a number are beyond those of both infinities.
            return bits >> (T::Key::BITS - 1) == 0;
        }
        if superlevel { voxel.value() >= end } else { voxel.value() <= end }
    };
    // Bisection: `below` are keys that enter, the ones from `above` on do not.
    let (mut below, mut above) = (0_u128, u128::from(T::Key::MAX.to_u64()) + 1);
    while below < above {
        let middle = u128::midpoint(below, above);
        // Less than `above`, so that it is a key.
        if enters(middle as u64) { below = middle + 1 } else { above = middle }
    }
    below.checked_sub(1).map(|key| T::Key::from_u64(key as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bin<T: Voxel>(edges: &Edges<T::Key>, voxel: T, superlevel: bool) -> Option<usize> {
        edges.bin(if superlevel { voxel.key().reversed() } else { voxel.key() })
    }

    /// The definition: the first end that is not before the value.
    fn expected(values: &[f64], value: f64, superlevel: bool) -> Option<usize> {
        values.iter().position(|&end| if superlevel { end <= value } else { end >= value })
    }

    fn every_value_has_its_bin<T: Voxel>(voxels: &[T], count: usize, range: (f64, f64)) {
        for superlevel in [false, true] {
            let edges = Edges::uniform::<T>(count, range, superlevel);
            assert!(edges.keys.is_sorted() && edges.values.len() == count);
            for &voxel in voxels {
                let found = bin(&edges, voxel, superlevel);
                assert_eq!(found, expected(&edges.values, voxel.value(), superlevel), "{voxel} {edges:?}");
            }
        }
    }

    #[test]
    fn a_value_belongs_to_the_first_bin_that_does_not_end_before_it() {
        let bytes: Vec<u8> = (0..=255).collect();
        let signed: Vec<i8> = (i8::MIN..=i8::MAX).collect();
        let floats: Vec<f32> = (-40..=40).map(|k| k as f32 / 10.0).chain([f32::MIN, f32::MAX]).collect();
        let wide: Vec<f64> = floats.iter().map(|&x| f64::from(x)).chain([-0.0, 1e300]).collect();
        for count in [1, 2, 3, 7, 10, 300] {
            for range in
                [(0.0, 255.0), (10.0, 10.0), (-3.5, 1.2), (-500.0, -400.0), (300.0, 400.0), (0.1, 0.3)]
            {
                every_value_has_its_bin(&bytes, count, range);
                every_value_has_its_bin(&signed, count, range);
                every_value_has_its_bin(&floats, count, range);
                every_value_has_its_bin(&wide, count, range);
                every_value_has_its_bin(&[u64::MAX, 0, 300, 301], count, range);
                every_value_has_its_bin(&[i64::MAX, i64::MIN, 0, -450], count, range);
            }
        }
    }

    #[test]
    fn infinite_voxels_are_in_the_first_and_the_last_bin() {
        let inf = f32::INFINITY;
        let edges = Edges::uniform::<f32>(2, (0.0, f64::INFINITY), false);
        assert_eq!((edges.bin(inf.key()), edges.bin((-inf).key())), (Some(0), Some(0)));
        let edges = Edges::uniform::<f32>(4, (0.0, 1.0), false);
        assert_eq!((edges.bin(inf.key()), edges.bin((-inf).key())), (None, Some(0)));
        let edges = Edges::uniform::<f32>(4, (0.0, 1.0), true);
        assert_eq!((edges.bin(inf.key().reversed()), edges.bin((-inf).key().reversed())), (Some(0), None));
    }

    #[test]
    fn bins_that_cannot_be() {
        let check = |count, range| Bins::Uniform { count, range }.check();
        assert_eq!(check(0, None), Err(BinsError::None));
        assert_eq!(check(1, Some((1.0, 1.0))), Ok(()));
        assert_eq!(check(Bins::MOST, None), Ok(()));
        for count in [Bins::MOST + 1, 1 << 40, usize::MAX] {
            assert_eq!(check(count, Some((0.0, 1.0))), Err(BinsError::TooMany { count }));
        }
        for (low, high) in [(1.0, 0.0), (f64::MIN, f64::MAX), (0.0, f64::INFINITY)] {
            assert_eq!(check(1, Some((low, high))), Err(BinsError::Range { low, high }));
        }
        assert!(check(1, Some((f64::NAN, 0.0))).is_err() && Bins::Distinct.check().is_ok());
    }
}
