//! Bins of the curve: a voxel's bin is found by comparing keys only.

use std::ops::Range;

use super::request::EccRequest;
use super::run::Run;
use super::vcec::{Values, Vcec};
use crate::cubical::image::Voxel;
use crate::cubical::key::{Coding, Key};
use crate::cubical::order::VoxelOrder;
use crate::cubical::shape::ShapeError;
use crate::cubical::value::Value;
use crate::parallel;

/// Greatest number of bins: each has a row and an end.
pub const MOST_BINS: usize = 1 << 24;

/// Number of voxels per parallel task that finds their range.
const PART: usize = 1 << 14;

/// Choice of the rows of a curve.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Bins {
    /// One row for each distinct value.
    #[default]
    Distinct,
    /// One row for each of several bins of equal width.
    Uniform {
        /// Number of bins, from 1 to [`MOST_BINS`].
        count: usize,
        /// Range that the bins divide; the least and the greatest finite value if `None`.
        range: Option<(Value, Value)>,
    },
}

/// The ends of the bins of a curve, as values and as keys.
///
/// The end of bin k is computed once, in double precision, as low + (k + 1) · (high − low) / count; the end of the last
/// bin is high itself. For superlevel sets it is high − (k + 1) · (high − low) / count, and low. Each end is then
/// turned into the last key, in filtration order, whose voxel is not past it; this comparison is exact. A voxel is
/// binned by comparing keys, so all implementations bin alike.
///
/// For integer voxels over a range beyond ±2^53, where doubles do not tell them apart, low and high are integers. The
/// ends are computed exactly and rounded to integers towards low (for superlevel sets towards high), which moves no
/// voxel to another bin.
#[derive(Debug, Clone, PartialEq)]
pub struct Edges {
    /// The end of each bin as a number; these become [`Vcec::values`](super::vcec::Vcec::values).
    pub values: Values,
    /// The end of each bin as a key in filtration order (reversed for superlevel sets), ascending. Bin k holds the keys
    /// after the end of bin k − 1 up to its own end. `None`: the bin is empty, as no key is that small.
    pub keys: Vec<Option<u64>>,
}

/// Reasons why bins are invalid.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BinsError {
    /// The number of bins is zero.
    #[error("expected at least one bin, found 0")]
    None,
    /// The number of bins exceeds [`MOST_BINS`].
    #[error("expected at most {MOST_BINS} bins, found {found}")]
    TooMany {
        /// The requested number of bins.
        found: usize,
    },
    /// The bounds are not finite or not in ascending order.
    #[error("expected finite bounds of the range, the lower first, found {low},{high}")]
    Range {
        /// The lower bound.
        low: Value,
        /// The upper bound.
        high: Value,
    },
    /// The range was to be found from the image, but no voxel is finite.
    #[error("expected a finite voxel, or the range of the bins beforehand, found only infinite voxels")]
    NoneFinite,
    /// The image has more than three axes, which only [`curve_by`](super::curve_by) counts.
    #[error(transparent)]
    Shape(#[from] ShapeError),
}

impl Bins {
    /// Checks that these bins are valid.
    ///
    /// # Errors
    /// [`BinsError`]: the number of bins is zero or too great, or the range is not finite and ascending.
    pub fn check(&self) -> Result<(), BinsError> {
        match *self {
            Bins::Uniform { count: 0, .. } => Err(BinsError::None),
            Bins::Uniform { count: found @ MOST_BINS.., .. } if found > MOST_BINS => {
                Err(BinsError::TooMany { found })
            }
            // NaN fails every comparison.
            Bins::Uniform { range: Some((low, high)), .. }
                if !(low <= high && low.is_finite() && high.is_finite()) =>
            {
                Err(BinsError::Range { low, high })
            }
            _ => Ok(()),
        }
    }
}

impl Edges {
    /// The edges of `count` bins over a range of voxel values.
    ///
    /// # Errors
    /// [`BinsError`]: the number of bins or the range is invalid.
    pub(crate) fn uniform(count: usize, range: (Value, Value), order: VoxelOrder) -> Result<Self, BinsError> {
        Bins::Uniform { count, range: Some(range) }.check()?;
        let values = ends(count, range, order);
        let keys = values.iter().map(|end| last_key(end, order)).collect();
        Ok(Edges { values, keys })
    }

    /// Returns the bin of a key in filtration order: the first whose end is at least the key; `None` past the last.
    pub fn bin(&self, key: u64) -> Option<usize> {
        let bin = self.keys.partition_point(|&end| end.is_none_or(|end| end < key));
        (bin < self.keys.len()).then_some(bin)
    }
}

/// The curve of the changes at distinct keys in filtration order.
///
/// Uniform bins without a range divide the range of the keys.
///
/// # Errors
/// [`BinsError`]: the bins are invalid.
pub(super) fn curve_of<K: Key>(
    Run { keys, sums }: Run<K>,
    request: &EccRequest,
    order: VoxelOrder,
) -> Result<Vcec, BinsError> {
    let value = |key: &K| order.value(key.to_u64());
    let Bins::Uniform { count, range } = request.bins else {
        return Ok(Vcec { values: keys.iter().map(value).collect(), changes: sums });
    };
    let ends = keys.first().zip(keys.last());
    let found = ends.map(|(first, last)| ordered(value(first), value(last)));
    let edges = Edges::uniform(count, range.or(found).ok_or(BinsError::NoneFinite)?, order)?;
    let mut changes = vec![0; count];
    for (key, change) in keys.into_iter().zip(sums) {
        if let Some(bin) = edges.bin(key.to_u64()) {
            changes[bin] += change;
        }
    }
    Ok(Vcec { values: edges.values, changes })
}

/// Two values, the lesser first.
pub(super) fn ordered(a: Value, b: Value) -> (Value, Value) {
    if a <= b { (a, b) } else { (b, a) }
}

/// The ends of the bins, in filtration order.
fn ends(count: usize, (low, high): (Value, Value), order: VoxelOrder) -> Values {
    let VoxelOrder { coding, superlevel, .. } = order;
    let has_integers = coding != Coding::Float;
    let is_past_doubles = |bound: i128| bound.unsigned_abs() > 1 << f64::MANTISSA_DIGITS;
    match (low.integer(), high.integer()) {
        (Some(low), Some(high)) if has_integers && (is_past_doubles(low) || is_past_doubles(high)) => {
            integer_ends(count, low, high, superlevel)
        }
        _ => None,
    }
    .unwrap_or_else(|| double_ends(count, low.double(), high.double(), superlevel).into())
}

/// The ends as integers; `None` if no 64-bit type holds them all.
fn integer_ends(count: usize, low: i128, high: i128, superlevel: bool) -> Option<Values> {
    // The range has at most 65 bits and a bin number at most 24, so the product fits.
    let step = |k: usize| (k as i128 + 1) * (high - low) / count as i128;
    let ends = (0..count).map(|k| if superlevel { high - step(k) } else { low + step(k) });
    if low >= 0 {
        Some(Values::Unsigned(ends.map(|end| end as u64).collect()))
    } else if high <= i64::MAX.into() {
        Some(Values::Signed(ends.map(|end| end as i64).collect()))
    } else {
        None
    }
}

fn double_ends(count: usize, low: f64, high: f64, superlevel: bool) -> Vec<f64> {
    /// A power of two, so scaling by it does not round.
    const SCALE: f64 = 1.0 / (1_u64 << 32) as f64;
    // If a multiple of the width overflows f64, compute with scaled-down numbers.
    let scale = if ((high - low) * count as f64).is_finite() { 1.0 } else { SCALE };
    let width = high * scale - low * scale;
    let (start, step, last) = if superlevel { (high, -width, low) } else { (low, width, high) };
    let end = |k: usize| {
        let end = (start * scale + (k + 1) as f64 * step / count as f64) / scale;
        if k + 1 == count { last } else { end.clamp(low, high) }
    };
    (0..count).map(end).collect()
}

/// The last key, in filtration order, whose voxel is not past `end`, which is a number. `None`: no key is that small.
pub(crate) fn last_key(end: Value, order: VoxelOrder) -> Option<u64> {
    let near = nearest_key(end, order);
    let is_past = |key: u64| {
        let value = order.value(key);
        if order.superlevel { value < end } else { value > end }
    };
    // Between the keys of zero and of the number before it lies that of −0, which no voxel has.
    (near.saturating_sub(2)..=near).rev().find(|&key| !is_past(key))
}

/// The key of a voxel such that no other voxel lies between it and `end`.
fn nearest_key(end: Value, order: VoxelOrder) -> u64 {
    if order.coding == Coding::Float {
        // The cast rounds to the nearest, also to infinity.
        let end = end.double();
        return if order.bits == 32 {
            order.key((end as f32).to_bits()).into()
        } else {
            order.key(end.to_bits())
        };
    }
    let (low, high) = match order.coding {
        Coding::Signed => (-1 << (order.bits - 1), (1 << (order.bits - 1)) - 1),
        _ => (0, (1 << order.bits) - 1),
    };
    // The cast rounds towards zero, and saturates beyond all voxels.
    let near = end.integer().unwrap_or_else(|| end.double() as i128).clamp(low, high);
    order.key(near as u64 & u64::MAX >> (u64::BITS - order.bits))
}

/// Least and greatest finite value of voxels; `None` if no voxel is finite.
pub(super) fn finite_range<T: Voxel>(voxels: &[T]) -> Option<(Value, Value)> {
    let last =
        |end: f64, superlevel| last_key(end.into(), VoxelOrder::new(T::TYPE, superlevel)).unwrap_or(u64::MAX);
    let [least, greatest] = [!last(f64::MIN, true), last(f64::MAX, false)].map(T::Key::from_u64);
    let none = (T::Key::MAX, T::Key::default());
    let range_of = |part: Range<usize>| {
        // Branch-free, so that the loop is vectorised.
        voxels[part].iter().map(|voxel| voxel.key()).fold(none, |(low, high), key| {
            let is_finite = key >= least && key <= greatest;
            (low.min(if is_finite { key } else { none.0 }), high.max(if is_finite { key } else { none.1 }))
        })
    };
    let (low, high) = parallel::joined(voxels.len(), PART, none, &range_of, &|range, part| {
        *range = (range.0.min(part.0), range.1.max(part.1));
    });
    (low <= high).then(|| (T::of_key(low).into(), T::of_key(high).into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cubical::voxel::VoxelType;

    fn bin<T: Voxel>(edges: &Edges, voxel: T, superlevel: bool) -> Option<usize> {
        edges.bin(voxel.ordered(superlevel).to_u64())
    }

    /// Definition of a voxel's bin: the first end that is not before the value.
    fn expected(values: &Values, value: Value, superlevel: bool) -> Option<usize> {
        values.iter().position(|end| if superlevel { end <= value } else { end >= value })
    }

    fn uniform<T: Voxel>(
        count: usize,
        (low, high): (impl Into<Value>, impl Into<Value>),
        superlevel: bool,
    ) -> Edges {
        let order = VoxelOrder::new(T::TYPE, superlevel);
        Edges::uniform(count, (low.into(), high.into()), order).unwrap()
    }

    fn every_value_has_its_bin<T: Voxel>(voxels: &[T], count: usize, range: (f64, f64)) {
        for superlevel in [false, true] {
            let edges = uniform::<T>(count, range, superlevel);
            assert!(edges.keys.is_sorted() && edges.values.len() == count);
            for &voxel in voxels {
                let found = bin(&edges, voxel, superlevel);
                assert_eq!(found, expected(&edges.values, voxel.into(), superlevel), "{voxel} {edges:?}");
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

    /// The last key whose voxel is not past `end`, by trying all keys from the last on.
    fn plain_last_key(end: Value, order: VoxelOrder) -> Option<u64> {
        (0..1_u64 << order.bits).rev().find(|&key| {
            let value = order.value(key);
            if order.superlevel { value >= end } else { value <= end }
        })
    }

    /// A key of 32 or 64 bits is the last one exactly if it is not past the end and the next one is.
    #[test]
    fn last_keys_are_the_last() {
        let specials =
            [0.0, 0.3, 0.5, 1.0, 1.5, 127.0, 127.5, 128.0, 255.5, 256.0, 32767.5, 65535.5, 2_f64.powi(31)];
        let greats =
            [2_f64.powi(53) + 2.0, 2_f64.powi(63), 2_f64.powi(64), 1e39, 1e300, f64::MAX, f64::INFINITY];
        let tinies = [f64::from_bits(1), 1e-46, f64::from(f32::from_bits(1)), 0.7e-45, f64::MIN_POSITIVE];
        let singles = [1.0 + 1e-9, 16_777_217.0, f64::from(f32::MAX) * (1.0 + 1e-8), 0.1];
        let doubles = [&specials[..], &greats, &tinies, &singles].concat();
        let mut ends: Vec<Value> = doubles.iter().flat_map(|&end| [end.into(), (-end).into()]).collect();
        ends.extend([u64::MAX, u64::MAX - 1, 1 << 63, (1 << 53) + 1].map(Value::from));
        ends.extend([i64::MIN, i64::MIN + 1, -1, -(1 << 53) - 1, i64::MAX].map(Value::from));
        for superlevel in [false, true] {
            for &end in &ends {
                for voxels in [VoxelType::U8, VoxelType::I8, VoxelType::U16, VoxelType::I16] {
                    let order = VoxelOrder::new(voxels, superlevel);
                    assert_eq!(last_key(end, order), plain_last_key(end, order), "{end} {order:?}");
                }
                let wide = [VoxelType::U32, VoxelType::I32, VoxelType::F32];
                for voxels in wide.into_iter().chain([VoxelType::U64, VoxelType::I64, VoxelType::F64]) {
                    let order = VoxelOrder::new(voxels, superlevel);
                    let is_past = |key: u64| {
                        let value = order.value(key);
                        if superlevel { value < end } else { value > end }
                    };
                    // No voxel has the keys of NaN and of −0.
                    let is_voxel = |&key: &u64| {
                        let value = order.value(key).double();
                        !value.is_nan() && (value != 0.0 || value.is_sign_positive())
                    };
                    let (last, most) = (last_key(end, order), u64::MAX >> (u64::BITS - order.bits));
                    let next = (last.map_or(0, |key| key.saturating_add(1))..=most).take(2).find(is_voxel);
                    let next = next.filter(|_| last != Some(most));
                    assert!(
                        last.is_none_or(|key| is_voxel(&key) && !is_past(key)),
                        "{end} {order:?} {last:?}"
                    );
                    assert!(next.is_none_or(is_past), "{end} {order:?} {last:?}");
                }
            }
        }
    }

    #[test]
    fn infinite_voxels_are_before_the_first_end_or_past_the_last() {
        let inf = f32::INFINITY;
        let edges = uniform::<f32>(4, (0.0, 1.0), false);
        assert_eq!((bin(&edges, inf, false), bin(&edges, -inf, false)), (None, Some(0)));
        let edges = uniform::<f32>(4, (0.0, 1.0), true);
        assert_eq!((bin(&edges, inf, true), bin(&edges, -inf, true)), (Some(0), None));
    }

    #[test]
    fn ranges_are_those_of_finite_voxels() {
        let inf = f64::INFINITY;
        let doubles = |low: f64, high: f64| Some((low.into(), high.into()));
        assert_eq!(finite_range(&[inf, 1.0, -inf, -2.0, inf]), doubles(-2.0, 1.0));
        assert_eq!(finite_range(&[inf, f64::MAX, f64::MIN]), doubles(f64::MIN, f64::MAX));
        assert_eq!(finite_range(&[inf, -inf, inf]), None);
        assert_eq!(finite_range(&[u64::MAX, 0]), Some((0_u64.into(), u64::MAX.into())));
        let mut many = vec![3.0; 3 * PART];
        (many[PART], many[2 * PART]) = (-1.0, 7.0);
        assert_eq!(finite_range(&many), doubles(-1.0, 7.0));
    }

    #[test]
    fn widths_past_the_greatest_double_are_divided_all_the_same() {
        for (low, high) in [(f64::MIN, f64::MAX), (-1e308, 1e308), (0.0, 1e308), (1e-300, f64::MAX)] {
            for count in [1, 2, 3, 1000, 100_000] {
                for superlevel in [false, true] {
                    let Values::Doubles(ends) = uniform::<f64>(count, (low, high), superlevel).values else {
                        panic!("doubles")
                    };
                    let is_sorted = if superlevel {
                        ends.is_sorted_by(|a, b| a > b)
                    } else {
                        ends.is_sorted_by(|a, b| a < b)
                    };
                    assert!(is_sorted && ends.iter().all(|end| end.is_finite()), "{low} {high} {count}");
                    assert_eq!(ends[count - 1], if superlevel { low } else { high });
                }
            }
        }
        let ends = uniform::<f64>(4, (-1e308, 1e308), false).values;
        assert_eq!(ends, vec![-5e307, 0.0, 5e307, 1e308].into());
    }

    #[test]
    fn ends_past_2_to_the_53_are_integers() {
        let (low, high) = (u64::MAX - 10, u64::MAX);
        let of = |superlevel| uniform::<u64>(4, (low, high), superlevel);
        let ends = |steps: [u64; 4], from_low: bool| {
            Values::Unsigned(steps.map(|step| if from_low { low + step } else { high - step }).to_vec())
        };
        // The unrounded steps are 2.5, 5, 7.5 and 10.
        assert_eq!(of(false).values, ends([2, 5, 7, 10], true));
        assert_eq!(of(true).values, ends([2, 5, 7, 10], false));
        let of_voxels = |superlevel| [0, 2, 3, 7, 8, 10].map(|k| bin(&of(superlevel), low + k, superlevel));
        assert_eq!(of_voxels(false), [0, 0, 1, 2, 3, 3].map(Some));
        assert_eq!(of_voxels(true), [3, 3, 2, 1, 0, 0].map(Some));
        let all = uniform::<i64>(2, (i64::MIN, i64::MAX), false);
        assert_eq!(all.values, Values::Signed(vec![-1, i64::MAX]));
        // Within ±2^53 the ends are doubles, as for other types.
        assert_eq!(uniform::<i64>(2, (0.0, 5.0), false).values, vec![2.5, 5.0].into());
        assert_eq!(uniform::<u64>(2, (0_u8, 5_u8), false).values, vec![2.5, 5.0].into());
    }

    /// Tests a voxel whose difference from an end is lost in doubles.
    #[test]
    fn integers_are_compared_with_doubles_exactly() {
        let edge = 1_u64 << 60;
        let edges = uniform::<u64>(2, (0.0, (edge * 2) as f64), false);
        assert_eq!([edge - 1, edge, edge + 1].map(|voxel| edges.bin(voxel)), [Some(0), Some(0), Some(1)]);
    }

    #[test]
    fn bins_that_cannot_be() {
        let check = |count, range: Option<(f64, f64)>| {
            Bins::Uniform { count, range: range.map(|(low, high)| (low.into(), high.into())) }.check()
        };
        assert_eq!(check(0, None), Err(BinsError::None));
        assert_eq!(check(1, Some((1.0, 1.0))), Ok(()));
        assert_eq!((check(MOST_BINS, None), check(1, Some((f64::MIN, f64::MAX)))), (Ok(()), Ok(())));
        for (low, high) in [(1.0, 0.0), (f64::NEG_INFINITY, 0.0), (0.0, f64::INFINITY)] {
            let error = BinsError::Range { low: low.into(), high: high.into() };
            assert_eq!(check(1, Some((low, high))), Err(error));
        }
        assert!(check(1, Some((f64::NAN, 0.0))).is_err() && Bins::Distinct.check().is_ok());
        let zero = Value::from(0_u8);
        let error = Edges::uniform(1 << 40, (zero, zero), VoxelOrder::new(VoxelType::U8, false)).unwrap_err();
        assert_eq!(error, BinsError::TooMany { found: 1 << 40 });
        assert_eq!(error.to_string(), "expected at most 16777216 bins, found 1099511627776");
        // The greatest number of bins, all ending at one value.
        let edges = uniform::<f64>(MOST_BINS, (3.0, 3.0), false);
        assert_eq!((bin(&edges, 3.0, false), bin(&edges, 3.5, false)), (Some(0), None));
    }
}
