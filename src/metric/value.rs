//! The precision in which distances are computed and compared.

use serde::{Deserialize, Serialize};

use crate::memory::{self, Refused};
use crate::parallel::pieces_mut;

/// A floating-point precision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// 32 bits, Ripser's precision.
    Single,
    /// 64 bits.
    Double,
}

/// `f32` or `f64`. The trait is sealed: ranking relies on the order-preserving bit patterns.
pub trait Value:
    Copy + PartialOrd + Into<f64> + Send + Sync + std::fmt::Debug + sealed::Sealed + 'static
{
    /// Positive infinity, the distance of points that are never connected.
    const INFINITY: Self;

    /// The precision as a value.
    const PRECISION: Precision;

    /// Whether [`Value::order_bits`] fits into 32 bits.
    const NARROW: bool = matches!(Self::PRECISION, Precision::Single);

    /// Converts to the nearest value of this precision, like a cast.
    fn from_f64(x: f64) -> Self;

    /// Bits whose unsigned order is the numeric order of non-negative values. −0 counts as 0, whose bits are 0.
    #[inline]
    fn order_bits(self) -> u64 {
        self.key().into()
    }

    /// Euclidean distance: squares summed from the first coordinate to the last, no fused
    /// multiply-add, then the square root, all in this precision (as Ripser does in `f32`).
    ///
    /// If squares overflow or lose digits to underflow, they are summed at another scale: the distance is accurate to
    /// the last digits, or infinite if it exceeds all numbers of this precision.
    fn euclidean(a: &[Self], b: &[Self]) -> Self;
}

pub(crate) use sealed::{DistanceKey, Sealed};

/// Number of points whose distances to one point are computed in parallel lanes.
pub(crate) const LANES: usize = 32;

mod sealed {
    /// A type whose all-zero bit pattern is the number 0, as for `f32` and `f64`.
    pub trait Sealed: Sized + zerocopy::FromZeros + npyz::AutoSerialize {
        /// The unsigned integer type for [`order_bits`](super::Value::order_bits).
        type Key: DistanceKey;
        /// [`order_bits`](super::Value::order_bits) in this type.
        fn key(self) -> Self::Key;
        /// The sums of squares of which [`euclidean`](super::Value::euclidean) takes the root, from a point to those
        /// of a block: the first coordinates of [`LANES`](super::LANES) points, then the second ones, and so on. Sums
        /// may have lost digits; see `is_harmed`.
        fn sums_of_squares(point: &[Self], block: &[Self]) -> [Self; super::LANES];
        /// Whether a sum of squares overflowed or lost digits to underflow, so that its root is not the distance.
        fn is_harmed(sum: Self) -> bool;
        /// The square root.
        fn root(self) -> Self;
    }

    /// A non-negative distance as an unsigned integer. Keys have the order of their distances, and the key of 0 is 0.
    pub trait DistanceKey:
        Copy
        + Ord
        + Default
        + Into<u64>
        + zerocopy::FromZeros
        + serde::Serialize
        + serde::de::DeserializeOwned
        + Send
        + Sync
        + std::fmt::Debug
        + 'static
    {
        /// The key of an infinite distance.
        const INFINITY: Self;
        /// A value greater than any key, which stands for no distance.
        const NONE: Self;
        /// Converts bits to a key. They must be those of a key.
        fn of_bits(bits: u64) -> Self;
        /// The distance of the key.
        fn distance(self) -> f64;
        /// Replaces each key by its rank, in place if ranks are as wide as keys.
        ///
        /// # Errors
        /// There is no memory for the ranks.
        fn replaced(
            keys: Vec<Self>,
            rank: impl Fn(Self) -> u32 + Sync,
        ) -> Result<Vec<u32>, crate::memory::Refused>;
    }
}

/// Number of keys in a task.
const CHUNK: usize = 1 << 14;

impl DistanceKey for u32 {
    const INFINITY: u32 = f32::INFINITY.to_bits();
    const NONE: u32 = u32::MAX;

    fn of_bits(bits: u64) -> u32 {
        bits as u32
    }

    fn distance(self) -> f64 {
        f32::from_bits(self).into()
    }

    fn replaced(mut keys: Vec<u32>, rank: impl Fn(u32) -> u32 + Sync) -> Result<Vec<u32>, Refused> {
        pieces_mut(&mut keys, CHUNK, &|_, keys| keys.iter_mut().for_each(|key| *key = rank(*key)));
        Ok(keys)
    }
}

impl DistanceKey for u64 {
    const INFINITY: u64 = f64::INFINITY.to_bits();
    const NONE: u64 = u64::MAX;

    fn of_bits(bits: u64) -> u64 {
        bits
    }

    fn distance(self) -> f64 {
        f64::from_bits(self)
    }

    fn replaced(keys: Vec<u64>, rank: impl Fn(u64) -> u32 + Sync) -> Result<Vec<u32>, Refused> {
        let mut ranks = memory::zeroed(keys.len())?;
        pieces_mut(&mut ranks, CHUNK, &|piece, ranks: &mut [u32]| {
            let keys = &keys[piece * CHUNK..];
            ranks.iter_mut().zip(keys).for_each(|(out, &key)| *out = rank(key));
        });
        Ok(ranks)
    }
}

/// `$unharmed`: a sum of squares of at least this has lost nothing to underflow, unless it has more than 2^16 terms.
/// `$up`, `$down`: factors that bring differences into the range in which squares are normal numbers, if their
/// squares sum to less than that, or overflow. All three are powers of two, so that scaling is exact.
macro_rules! value {
    ($t:ty, $key:ty, $precision:ident, $unharmed:expr, $up:expr, $down:expr) => {
        impl sealed::Sealed for $t {
            type Key = $key;

            #[inline(always)]
            fn key(self) -> $key {
                (self + 0.0).to_bits()
            }

            #[inline(always)]
            fn sums_of_squares(point: &[$t], block: &[$t]) -> [$t; LANES] {
                let mut sums = [0.0; LANES];
                for (&u, column) in point.iter().zip(block.as_chunks::<LANES>().0) {
                    for (sum, &v) in sums.iter_mut().zip(column) {
                        *sum += (u - v) * (u - v);
                    }
                }
                sums
            }

            #[inline(always)]
            fn is_harmed(sum: $t) -> bool {
                sum < $unharmed || sum == <$t>::INFINITY
            }

            #[inline(always)]
            fn root(self) -> $t {
                self.sqrt()
            }
        }

        impl Value for $t {
            const INFINITY: Self = <$t>::INFINITY;
            const PRECISION: Precision = Precision::$precision;

            #[inline]
            fn from_f64(x: f64) -> Self {
                x as $t
            }

            #[inline]
            fn euclidean(a: &[Self], b: &[Self]) -> Self {
                let mut sum: $t = 0.0;
                for (&u, &v) in a.iter().zip(b) {
                    sum += (u - v) * (u - v);
                }
                if sealed::Sealed::is_harmed(sum) {
                    return scaled(a, b, if sum < 1.0 { $up } else { $down });
                }
                return sum.sqrt();

                /// The distance computed from differences multiplied by `scale`. If nothing overflows or underflows,
                /// it is the same to the last bit, since sums, squares and square roots are exact under scaling by a
                /// power of two.
                #[cold]
                fn scaled(a: &[$t], b: &[$t], scale: $t) -> $t {
                    let mut sum: $t = 0.0;
                    for (&u, &v) in a.iter().zip(b) {
                        // Coordinates are finite, but their difference may be infinite; then so is their distance.
                        let difference = (u - v) * scale;
                        sum += difference * difference;
                    }
                    sum.sqrt() / scale
                }
            }
        }
    };
}

/// 2^exponent, for exponents of normal numbers.
const fn power_of_two(exponent: i64) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

value!(f32, u32, Single, power_of_two(-98) as f32, power_of_two(100) as f32, power_of_two(-100) as f32);
value!(f64, u64, Double, power_of_two(-900), power_of_two(600), power_of_two(-600));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_bits_follow_the_numeric_order_and_invert() {
        let xs = [-0.0f32, f32::MIN_POSITIVE, 1e-20, 0.5, 1.0, 1.0000001, 3e38, f32::INFINITY];
        for pair in xs.windows(2) {
            assert!(pair[0].order_bits() < pair[1].order_bits());
        }
        assert_eq!((-0.0f64).order_bits(), 0.0f64.order_bits());
    }

    /// Differences of random signs and magnitudes, in several dimensions.
    fn vectors() -> impl Iterator<Item = Vec<f64>> {
        let mut state = 1u64;
        let mut next = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 33
        };
        (0..3000).map(move |k| {
            let coordinate = |_| {
                // 21 bits, so that single precision holds them but not their squares, spread over several magnitudes.
                let mantissa = (next() % (1 << 21)) as f64 - f64::from(1 << 20);
                mantissa * power_of_two(-20 - (next() % 9) as i64)
            };
            (0..k % 7 + 1).map(coordinate).collect()
        })
    }

    #[test]
    fn distances_scale_with_the_points() {
        for vector in vectors() {
            let (single, origin): (Vec<f32>, Vec<f32>) = vector.iter().map(|&x| (x as f32, 0.0)).unzip();
            let expected = f32::euclidean(&single, &origin);
            for exponent in [-90, -70, -60, -50, -40, 0, 40, 60, 64, 80, 120] {
                let scale = power_of_two(exponent) as f32;
                let scaled: Vec<f32> = single.iter().map(|x| x * scale).collect();
                assert_eq!(f32::euclidean(&scaled, &origin), expected * scale, "{vector:?}, 2^{exponent}");
            }
            let origin = vec![0.0f64; vector.len()];
            let expected = f64::euclidean(&vector, &origin);
            for exponent in [-900, -600, -512, -480, -450, -400, 0, 400, 511, 512, 600, 1015] {
                let scale = power_of_two(exponent);
                let scaled: Vec<f64> = vector.iter().map(|x| x * scale).collect();
                assert_eq!(f64::euclidean(&scaled, &origin), expected * scale, "{vector:?}, 2^{exponent}");
            }
        }
    }

    #[test]
    fn distances_at_the_ends_of_the_range() {
        let least = f32::from_bits(1);
        assert_eq!(f32::euclidean(&[0.0], &[least]), least);
        assert_eq!(f32::euclidean(&[3.0 * least, 0.0], &[0.0, 4.0 * least]), 5.0 * least);
        assert_eq!(f64::euclidean(&[0.0], &[f64::from_bits(1)]), f64::from_bits(1));
        assert_eq!(f32::euclidean(&[f32::MAX, 0.0], &[0.0, 1.0]), f32::MAX);
        assert_eq!(f64::euclidean(&[f64::MAX, 0.0], &[0.0, 1.0]), f64::MAX);
        assert_eq!(f32::euclidean(&[f32::MAX], &[-f32::MAX]), f32::INFINITY);
        assert_eq!(f32::euclidean(&[f32::MAX, f32::MAX], &[0.0, 0.0]), f32::INFINITY);
        assert_eq!(f32::euclidean(&[7.0, -0.0], &[7.0, 0.0]), 0.0);
        // A small coordinate next to a large one.
        assert_eq!(f32::euclidean(&[1.0, 1e-30], &[0.0, 0.0]), 1.0);
        assert_eq!(f32::euclidean(&[1e-30, 1e-23], &[0.0, 0.0]), 1e-23);
    }

    /// Ripser computes the same distances, where these neither overflow nor underflow.
    #[test]
    fn distances_of_ordinary_points_are_sums_of_squares() {
        for vector in vectors() {
            let single: Vec<f32> = vector.iter().map(|&x| x as f32).collect();
            let squares = single.iter().fold(0.0f32, |sum, x| sum + x * x);
            assert_eq!(f32::euclidean(&single, &vec![0.0; single.len()]), squares.sqrt());
        }
    }
}
