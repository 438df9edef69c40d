//! The precision distances are computed and compared in.

/// `f32` or `f64`. Sealed: the order-preserving bit patterns are part of the ranking's contract.
pub trait Value:
    Copy + PartialOrd + Into<f64> + Send + Sync + std::fmt::Debug + sealed::Sealed + 'static
{
    /// Positive infinity: "never connected".
    const INFINITY: Self;

    /// Whether the bits of [`Value::order_bits`] fit 32.
    const NARROW: bool;

    /// The nearest value of this precision (what a cast does).
    fn from_f64(x: f64) -> Self;

    /// Bits whose unsigned order is the numeric order, for non-negative values (−0 counts as 0).
    fn order_bits(self) -> u64;

    /// The inverse of [`Value::order_bits`].
    fn from_order_bits(bits: u64) -> Self;

    /// Euclidean distance: squares summed from the first coordinate to the last, no fused
    /// multiply-add, then the square root, all in this precision (as Ripser does in `f32`).
    fn euclidean(a: &[Self], b: &[Self]) -> Self;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

macro_rules! value {
    ($t:ty) => {
        impl Value for $t {
            const INFINITY: Self = <$t>::INFINITY;
            const NARROW: bool = size_of::<$t>() == 4;

            #[inline]
            fn from_f64(x: f64) -> Self {
                x as $t
            }

            #[inline]
            fn order_bits(self) -> u64 {
                u64::from((self + 0.0).to_bits())
            }

            #[inline]
            fn from_order_bits(bits: u64) -> Self {
                // The bits came from `order_bits`, so they fit.
                <$t>::from_bits(bits as _)
            }

            #[inline]
            fn euclidean(a: &[Self], b: &[Self]) -> Self {
                let mut sum: $t = 0.0;
                for (&u, &v) in a.iter().zip(b) {
                    sum += (u - v) * (u - v);
                }
                sum.sqrt()
            }
        }
    };
}

value!(f32);
value!(f64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_bits_follow_the_numeric_order_and_invert() {
        let xs = [-0.0f32, f32::MIN_POSITIVE, 1e-20, 0.5, 1.0, 1.0000001, 3e38, f32::INFINITY];
        for pair in xs.windows(2) {
            assert!(pair[0].order_bits() < pair[1].order_bits());
            assert_eq!(f32::from_order_bits(pair[1].order_bits()), pair[1]);
        }
        assert_eq!((-0.0f64).order_bits(), 0.0f64.order_bits());
    }
}
