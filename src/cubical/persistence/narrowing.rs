//! Keys of values that have many bits but differ in few of them.
//!
//! A key has to fit into a word beside a place. Doubles that are whole numbers, or were of single precision, end in
//! bits that are all zero, and numbers on both sides of zero leave a wide range of keys between them unused. Keys are
//! narrowed by both, which keeps their order, so that such voxels need not be sorted.

use super::order::Voxels;
use crate::cubical::key::Key;
use crate::cubical::order::VoxelOrder;
use crate::parallel;

/// How the keys of an image are narrowed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Narrowing {
    /// Number of low bits that are left out.
    low: u32,
    /// The key of zero without them.
    zero: u64,
    /// Number of unused keys immediately before and after it.
    unused: [u64; 2],
}

/// The bits and the keys of voxels, as far as their narrowing depends on them.
pub(super) struct Outline {
    /// The bits that are set in any voxel.
    pub(super) bits: u64,
    /// The key of zero.
    pub(super) zero: u64,
    /// The greatest key below that of zero; 0 if there is none.
    pub(super) below: u64,
    /// The least key above that of zero; the greatest possible if there is none.
    pub(super) above: u64,
}

/// Number of voxels that a thread looks at together.
const PART: usize = 1 << 16;

/// Greatest range of keys that is worth looking for unused ones.
const WORTH: u64 = 1 << 40;

impl Narrowing {
    /// The narrowing of keys in this range; `None` if some voxels show that it would not suffice.
    pub(super) fn of(voxels: &dyn Voxels, range: u64) -> Option<Self> {
        let some = voxels.outline(0..PART.min(voxels.count()));
        if range >> some.low() > WORTH {
            return None;
        }
        let join = |all: &mut Outline, found: Outline| {
            all.bits |= found.bits;
            (all.below, all.above) = (all.below.max(found.below), all.above.min(found.above));
        };
        let all = parallel::joined(voxels.count(), PART, some, &|part| voxels.outline(part), &join);
        let low = all.low();
        let [zero, below, above] = [all.zero, all.below, all.above].map(|key| key >> low);
        Some(Narrowing {
            low,
            zero,
            unused: [zero.saturating_sub(below + 1), above.saturating_sub(zero.saturating_add(1))],
        })
    }

    /// The narrowed key of a voxel.
    #[inline(always)]
    pub(super) fn key(self, key: u64) -> u64 {
        let key = key >> self.low;
        let before = if key >= self.zero { self.unused[0] } else { 0 };
        let after = if key > self.zero { self.unused[1] } else { 0 };
        key - before - after
    }
}

impl Outline {
    /// The outline of voxels given by their bits.
    pub(super) fn of<K: Key>(voxels: &[K], order: VoxelOrder) -> Self {
        let zero = order.key(K::default());
        let (mut bits, mut below, mut above) = (0, K::default(), K::MAX);
        for &voxel in voxels {
            let key = order.key(voxel);
            bits |= voxel.to_u64();
            below = if key < zero { below.max(key) } else { below };
            above = if key > zero { above.min(key) } else { above };
        }
        Outline { bits, zero: zero.to_u64(), below: below.to_u64(), above: above.to_u64() }
    }

    /// Number of low bits that no voxel has. In keys, these bits follow from the sign.
    fn low(&self) -> u32 {
        self.bits.trailing_zeros().min(u64::BITS - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::super::order::{Keyed, range};
    use super::*;
    use crate::cubical::image::Voxel;

    /// The range of the narrowed keys of voxels, which are compared with the voxels; `None` if there is no narrowing.
    fn narrowed<T: Voxel>(voxels: &[T], superlevel: bool) -> Option<u64> {
        let keyed = Keyed::new(voxels, superlevel);
        let (least, greatest) = range(&keyed);
        let narrowing = Narrowing::of(&keyed, greatest - least)?;
        let key = |place| narrowing.key(keyed.key(place));
        for (i, a) in voxels.iter().enumerate() {
            for (j, b) in voxels.iter().enumerate() {
                let ordering = if superlevel { b.partial_cmp(a) } else { a.partial_cmp(b) };
                assert_eq!(Some(key(i).cmp(&key(j))), ordering, "{a} and {b}");
            }
        }
        Some(narrowing.key(greatest) - narrowing.key(least))
    }

    #[test]
    fn keys_keep_their_order_and_fit() {
        for superlevel in [false, true] {
            // A sign, 8 bits of an exponent and 23 of a fraction; here there are fewer.
            let singles = [-7.5_f32, -0.1, -0.0, 0.0, 1e-7, 0.3, 4.0, 12.0];
            let doubles = singles.map(f64::from);
            let of_singles = narrowed(&singles, superlevel).unwrap();
            assert!(of_singles < 60 << 23);
            assert_eq!(narrowed(&doubles, superlevel), Some(of_singles));
            assert_eq!(narrowed(&[3.0_f64, 7.0, 2.0], superlevel), Some(7));
            assert_eq!(narrowed(&[0.0_f64, 255.0, 1.0], superlevel), Some(1 + 1023));
            assert_eq!(narrowed(&[-1e-9_f32, 1e-9], superlevel), Some(2));
            // 0, 2 and 3 without 38 bits, and without the unused 1.
            assert_eq!(narrowed(&[0, 1_u64 << 39, 3 << 38], superlevel), Some(2));
            assert_eq!(narrowed(&[i64::MIN, 0, i64::MIN / 2], superlevel), Some(2));
            assert_eq!(narrowed(&[0.1_f64, 1e-9], superlevel), None);
        }
    }
}
