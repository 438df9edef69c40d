//! Binarization of an image: foreground and background.
//!
//! Otsu's threshold (Otsu 1979, "A threshold selection method from gray-level histograms") is the bin of the histogram
//! that maximizes w1·w2·(m1 − m2)², the first one if there are several. Here w1, m1 are the number and the mean of the
//! voxels up to the bin, and w2, m2 those of the voxels above it, which are foreground. Bins follow scikit-image's
//! `threshold_otsu`: for voxels of 8 and 16 bits, one per integer from the least to the greatest value; for others, 256
//! bins of equal width over this range, each represented by its centre. The centre of a bin of integers past ±2^53 is
//! rounded down to an integer, which leaves the foreground as it is.

use std::ops::Range;

use super::bits::BitImage;
use crate::cubical::ecc::bins::last_key;
use crate::cubical::image::{AnyImage, Image, Voxel};
use crate::cubical::key::{Coding, Key};
use crate::cubical::order::VoxelOrder;
use crate::cubical::value::Value;
use crate::parallel;
use crate::with_image;

/// The criterion for foreground voxels.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Foreground {
    /// Voxels that are not 0.
    #[default]
    NonZero,
    /// Voxels greater than this, compared exactly.
    Above(Value),
    /// Voxels greater than Otsu's threshold.
    Otsu,
}

/// An error of Otsu's threshold.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum OtsuError {
    /// All voxels have the same value.
    #[error("Otsu's threshold: expected voxels of two values or more, found only {value}")]
    Constant {
        /// The value.
        value: Value,
    },
    /// The range of values is infinite, so it has no bins of equal width.
    #[error("Otsu's threshold: expected finite voxels, found values from {least} to {greatest}")]
    Infinite {
        /// The least value.
        least: f64,
        /// The greatest value.
        greatest: f64,
    },
}

/// Number of voxels per parallel task.
const PART: usize = 1 << 20;

/// Number of histogram bins for types of more than 16 bits.
const BINS: usize = 256;

/// Doubles hold all integers up to this magnitude, 2^53.
const EXACT: f64 = (1_u64 << f64::MANTISSA_DIGITS) as f64;

/// Returns the foreground voxels and, except for [`Foreground::NonZero`], the threshold above which they lie.
///
/// # Errors
/// [`OtsuError`]: all voxels are equal, or their range is infinite.
pub fn binary(image: &AnyImage, foreground: Foreground) -> Result<(BitImage, Option<Value>), OtsuError> {
    let threshold = match foreground {
        Foreground::NonZero => None,
        Foreground::Above(threshold) => Some(threshold),
        Foreground::Otsu => Some(otsu(image)?),
    };
    Ok((with_image!(image, image => above(image, threshold)), threshold))
}

/// The voxels above a threshold, or those that are not 0.
fn above<T: Voxel>(image: &Image<T>, threshold: Option<Value>) -> BitImage {
    let Some(threshold) = threshold else { return outside(image, T::default(), T::default()) };
    match greatest_up_to::<T>(threshold) {
        Some(last) => outside(image, T::nearest(f64::NEG_INFINITY), last),
        None => BitImage::new(image.shape()).inverted(),
    }
}

/// The voxels that are less than `least` or greater than `greatest`.
pub(super) fn outside<T: Voxel>(image: &Image<T>, least: T, greatest: T) -> BitImage {
    BitImage::of(image, |voxel| voxel < least || voxel > greatest)
}

/// The greatest number of the type `T` that is not above the threshold: a voxel is above the threshold exactly if it is
/// above this number. `None` if all numbers of the type are above the threshold, which is not NaN.
pub(crate) fn greatest_up_to<T: Voxel>(threshold: Value) -> Option<T> {
    last_key(threshold, VoxelOrder::new(T::TYPE, false)).map(|key| T::of_key(T::Key::from_u64(key)))
}

/// Otsu's threshold.
fn otsu(image: &AnyImage) -> Result<Value, OtsuError> {
    let (voxels, is_float) = (image.voxel_type(), image.voxel_type().coding() == Coding::Float);
    let ends = with_image!(image, image => range_of_keys(image.voxels()));
    let [least, greatest] = ends.map(|key| VoxelOrder::new(voxels, false).value(key));
    if least == greatest {
        return Err(OtsuError::Constant { value: least });
    }
    // Differences of integers are computed as integers: doubles do not distinguish the great ones.
    let range = if is_float { greatest.double() - least.double() } else { (ends[1] - ends[0]) as f64 };
    if !range.is_finite() {
        return Err(OtsuError::Infinite { least: least.double(), greatest: greatest.double() });
    }
    let one_by_one = voxels.bytes() <= 2;
    let bins = if one_by_one { range as usize + 1 } else { BINS };
    let width = if one_by_one { 1.0 } else { range / bins as f64 };
    let histogram = with_image!(image, image => histogram(image.voxels(), ends[0], width, bins));
    let middle = if one_by_one { 0.0 } else { 0.5 };
    let past_least = (best_split(&histogram) as f64 + middle) * width;
    let threshold = least.double() + past_least;
    if is_float || threshold.abs() < EXACT {
        return Ok(Value::Double(threshold));
    }
    // The integers above the threshold are those above the integer below it, which the cast rounds to.
    Ok(VoxelOrder::new(voxels, false).value(ends[0] + past_least as u64))
}

/// The least and the greatest key of voxels.
fn range_of_keys<T: Voxel>(voxels: &[T]) -> [u64; 2] {
    let wider =
        |[least, greatest]: [T::Key; 2], [low, high]: [T::Key; 2]| [least.min(low), greatest.max(high)];
    let none = [T::Key::MAX, T::Key::default()];
    let range_of = |part: Range<usize>| {
        voxels[part].iter().map(|voxel| voxel.key()).fold(none, |range, key| wider(range, [key, key]))
    };
    parallel::joined(voxels.len(), PART, none, &range_of, &|range, part| *range = wider(*range, part))
        .map(Key::to_u64)
}

/// Number of voxels in each of several bins of a width, which begin at the voxel with key `low`.
fn histogram<T: Voxel>(voxels: &[T], low: u64, width: f64, bins: usize) -> Vec<u64> {
    let least = T::of_key(T::Key::from_u64(low)).value();
    let past_least = |voxel: T| match T::TYPE.coding() {
        Coding::Float => voxel.value() - least,
        Coding::Unsigned | Coding::Signed => (voxel.key().to_u64() - low) as f64,
    };
    let bin = |voxel: T| ((past_least(voxel) / width) as usize).min(bins - 1);
    let counts_of = |part: Range<usize>| {
        let mut counts = vec![0_u64; bins];
        voxels[part].iter().for_each(|&voxel| counts[bin(voxel)] += 1);
        counts
    };
    parallel::joined(voxels.len(), PART, vec![0; bins], &counts_of, &|counts, others| {
        counts.iter_mut().zip(others).for_each(|(count, other)| *count += other);
    })
}

/// The last bin of the lower class in Otsu's best split. The first and the last bin must not be empty.
fn best_split(histogram: &[u64]) -> usize {
    // Bin centres form an arithmetic progression, and the position of the maximum is invariant under affine maps.
    let sum = |counts: &mut dyn Iterator<Item = (usize, &u64)>| {
        counts.fold((0.0, 0.0), |(voxels, sum), (bin, &count)| {
            (voxels + count as f64, sum + bin as f64 * count as f64)
        })
    };
    let (all, total) = sum(&mut histogram.iter().enumerate());
    let (mut voxels, mut part) = (0.0, 0.0);
    let (mut best, mut greatest) = (0, f64::NEG_INFINITY);
    for (bin, &count) in histogram.iter().enumerate().take(histogram.len() - 1) {
        voxels += count as f64;
        part += bin as f64 * count as f64;
        let apart = part / voxels - (total - part) / (all - voxels);
        let variance = voxels * (all - voxels) * apart * apart;
        if variance > greatest {
            (best, greatest) = (bin, variance);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cubical::{Order, Shape};

    fn line<T>(voxels: Vec<T>) -> Image<T> {
        Image::new(Shape::new(&[voxels.len()], Order::C).unwrap(), voxels).unwrap()
    }

    fn places(image: AnyImage, foreground: Foreground) -> (Vec<usize>, Option<Value>) {
        let (bits, threshold) = binary(&image, foreground).unwrap();
        (bits.places(), threshold)
    }

    fn above(threshold: impl Into<Value>) -> Foreground {
        Foreground::Above(threshold.into())
    }

    #[test]
    fn what_is_foreground() {
        let floats = || AnyImage::F64(line(vec![-1.0, 0.0, -0.0, 0.5, f64::INFINITY, f64::NEG_INFINITY]));
        assert_eq!(places(floats(), Foreground::NonZero), (vec![0, 3, 4, 5], None));
        assert_eq!(places(floats(), above(0.0)), (vec![3, 4], Some(0.0.into())));
        assert_eq!(places(floats(), above(f64::NEG_INFINITY)).0, [0, 1, 2, 3, 4]);
        let bytes = || AnyImage::I8(line(vec![-128, -1, 0, 1, 127]));
        assert_eq!(places(bytes(), Foreground::NonZero).0, [0, 1, 3, 4]);
        assert_eq!(places(bytes(), above(0.5)).0, [3, 4]);
        assert_eq!(places(bytes(), above(-128.0)).0, [1, 2, 3, 4]);
    }

    #[test]
    fn voxels_are_compared_with_the_threshold_exactly() {
        let past = 1_u64 << 53;
        let unsigned = || AnyImage::U64(line(vec![0, past - 1, past, past + 1, past + 2, u64::MAX]));
        for (threshold, from) in [
            (Value::Unsigned(past), 3),
            (Value::Unsigned(past + 1), 4),
            (Value::Unsigned(u64::MAX - 1), 5),
            (Value::Unsigned(u64::MAX), 6),
            (Value::Double(past as f64), 3),
            (Value::Double(past as f64 - 1.0), 2),
            (Value::Double(f64::INFINITY), 6),
            (Value::Double(-0.5), 0),
            (Value::Double(f64::NEG_INFINITY), 0),
            (Value::Signed(i64::MIN), 0),
        ] {
            assert_eq!(places(unsigned(), above(threshold)).0, (from..6).collect::<Vec<_>>(), "{threshold}");
        }
        let signed = || AnyImage::I64(line(vec![i64::MIN, i64::MIN + 1, -1, 0, i64::MAX]));
        for (threshold, from) in [
            (Value::Signed(i64::MIN), 1),
            (Value::Signed(i64::MIN + 1), 2),
            (Value::Double(-1e300), 0),
            (Value::Double(-0.5), 3),
            (Value::Signed(i64::MAX - 1), 4),
            (Value::Unsigned(u64::MAX), 5),
        ] {
            assert_eq!(places(signed(), above(threshold)).0, (from..5).collect::<Vec<_>>(), "{threshold}");
        }
        let doubles = || AnyImage::F64(line(vec![past as f64, past as f64 + 2.0, f64::INFINITY]));
        assert_eq!(places(doubles(), above(past + 1)).0, [1, 2]);
        // Its nearest double is above it, and is above the threshold then.
        assert_eq!(places(doubles(), above(past + 3)).0, [2]);
        assert_eq!(places(doubles(), above(u64::MAX)).0, [2]);
        let singles = || AnyImage::F32(line(vec![0.1, 0.1_f32.next_up()]));
        assert_eq!(places(singles(), above(0.1)).0, [0, 1]);
    }

    /// Expected values are those of scikit-image 0.26's `threshold_otsu`.
    #[test]
    fn otsus_threshold_is_that_of_scikit_image() {
        let bytes = line((0..100_u8).map(|k| if k < 60 { k % 13 } else { 90 + k % 29 }).collect());
        assert_eq!(otsu(&AnyImage::U8(bytes)), Ok(12.0.into()));
        let shorts =
            line((0..200_i16).map(|k| if k < 90 { k * k % 101 - 300 } else { k * 7 % 450 }).collect());
        assert_eq!(otsu(&AnyImage::I16(shorts)), Ok((-200.0).into()));
        let floats =
            line((0..500).map(|k| f64::from(k * k % 337) + if k % 3 == 0 { 400.0 } else { 0.0 }).collect());
        assert!((otsu(&AnyImage::F64(floats)).unwrap().double() - 334.9375).abs() < 1e-9);
        assert_eq!(
            places(AnyImage::U8(line(vec![1, 1, 9, 8])), Foreground::Otsu),
            (vec![2, 3], Some(1.0.into()))
        );
    }

    #[test]
    fn otsus_threshold_distinguishes_integers_that_are_one_double() {
        let past = 1_u64 << 53;
        let image = || AnyImage::U64(line(vec![past + 1, past + 2, past + 1, past + 2]));
        assert_eq!(places(image(), Foreground::Otsu), (vec![1, 3], Some((past + 1).into())));
        let image = AnyImage::I64(line(vec![i64::MIN + 4, i64::MIN, i64::MIN + 3, i64::MIN + 1]));
        assert_eq!(places(image, Foreground::Otsu).0, [0, 2]);
        let image = AnyImage::I64(line(vec![i64::MAX, i64::MIN, i64::MIN + 1]));
        assert_eq!(places(image, Foreground::Otsu).0, [0]);
        let constant = binary(&AnyImage::U64(line(vec![u64::MAX; 2])), Foreground::Otsu).unwrap_err();
        assert!(constant.to_string().ends_with("found only 18446744073709551615"), "{constant}");
    }

    #[test]
    fn images_without_a_threshold() {
        let constant = otsu(&AnyImage::U8(line(vec![3; 5]))).unwrap_err();
        assert_eq!(
            constant.to_string(),
            "Otsu's threshold: expected voxels of two values or more, found only 3"
        );
        let infinite = binary(&AnyImage::F32(line(vec![1.0, f32::INFINITY])), Foreground::Otsu).unwrap_err();
        assert_eq!(
            infinite.to_string(),
            "Otsu's threshold: expected finite voxels, found values from 1 to inf"
        );
    }
}
